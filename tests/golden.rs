// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Every golden figure, bit for bit, at every instruction-set level and any number of threads.

mod support;

use std::sync::Arc;

use support::golden::{self, Golden, GoldenRun};
use support::scoring::{Sequence, score};
use vmaf_rs::context::{Configuration, Context};
use vmaf_rs::cpu::Forbidden;
use vmaf_rs::model::{Flags, Model, VERSIONS};

/// What forbids all above AVX2, and all above plain AVX-512.
const ONLY_AVX2: u64 = Forbidden::AVX512.union(Forbidden::AVX512_ICL).bits() as u64;
const ONLY_AVX512: u64 = Forbidden::AVX512_ICL.bits() as u64;

/// cpumask and number of threads: every level alone and with threads, the highest with each number of them.
const CASES: [(u64, u32); 9] = [
    (0, 0),
    (0, 1),
    (0, 2),
    (0, 5),
    (ONLY_AVX512, 0),
    (ONLY_AVX2, 0),
    (ONLY_AVX2, 2),
    (u64::MAX, 0),
    (u64::MAX, 5),
];

#[test]
fn all_figures_are_identical_at_any_level_and_number_of_threads() {
    let failures: Vec<String> = golden::load_all().iter().flat_map(check).collect();
    assert!(failures.is_empty(), "{} differences:\n{}", failures.len(), shown(&failures));
}

#[test]
fn models_score_pictures_identically_at_any_level_and_number_of_threads() {
    let all = golden::load_models();
    assert!(all.iter().any(|golden| !golden.runs.is_empty()));
    let failures: Vec<String> = all.iter().flat_map(check).collect();
    assert!(failures.is_empty(), "{} differences:\n{}", failures.len(), shown(&failures));
}

#[test]
fn every_built_in_model_finds_its_extractors() {
    for version in VERSIONS {
        let Ok(model) = Model::built_in(version, version, Flags::empty()) else { continue };
        let mut context = Context::new(Configuration { log_level: 0, ..Configuration::default() }).unwrap();
        context
            .use_features_from_model(&Arc::new(model))
            .unwrap_or_else(|error| panic!("{version}: {error}"));
    }
}

fn check(golden: &Golden) -> Vec<String> {
    if golden.runs.is_empty() {
        return Vec::new();
    }
    let sequence = Sequence::new(&golden.fixture);
    let mut failures = Vec::new();
    for (cpumask, n_threads) in CASES {
        let configuration = Configuration { log_level: 1, n_threads, n_subsample: 1, cpumask, gpumask: 0 };
        let of_run = |run| check_run(golden, run, &sequence, configuration);
        failures.extend(golden.runs.iter().flat_map(of_run));
    }
    failures
}

fn check_run(golden: &Golden, run: &GoldenRun, sequence: &Sequence, with: Configuration) -> Vec<String> {
    let got = score(sequence, run, with).map_err(|error| error.to_string());
    let (fixture, run_name) = (&golden.fixture, run.name());
    let place = format!("{fixture}, {run_name}, cpumask {:#x}, {} threads", with.cpumask, with.n_threads);
    run.differences(&got).iter().map(|difference| format!("{place}: {difference}")).collect()
}

/// One wrong kernel makes thousands of lines: the first are enough to find it.
fn shown(failures: &[String]) -> String {
    failures[..failures.len().min(40)].join("\n")
}
