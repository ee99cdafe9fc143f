// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Every golden figure, bit for bit, at every instruction-set level and any number of threads.

mod support;

use support::golden::{self, Golden, GoldenRun};
use support::scoring::{Sequence, score};
use vmaf_rs::context::Configuration;
use vmaf_rs::cpu::Forbidden;
use vmaf_rs::error::Error;

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

/// Models of which an extractor is not built yet.
fn is_planned(run: &GoldenRun) -> bool {
    run.extractor.starts_with("model=vmaf_v1.")
}

#[test]
fn models_score_pictures_identically_at_any_level_and_number_of_threads() {
    let mut all = golden::load_models();
    all.iter_mut().for_each(|golden| golden.runs.retain(|run| !is_planned(run)));
    assert!(all.iter().any(|golden| !golden.runs.is_empty()));
    let failures: Vec<String> = all.iter().flat_map(check).collect();
    assert!(failures.is_empty(), "{} differences:\n{}", failures.len(), shown(&failures));
}

#[test]
fn a_model_whose_extractor_is_not_built_says_so() {
    let all = golden::load_models();
    let run = all.iter().flat_map(|golden| &golden.runs).find(|run| is_planned(run)).expect("such a model");
    let refused = score(&Sequence::new(&all[0].fixture), run, Configuration::default());
    assert!(matches!(refused, Err(Error::NotBuilt(_))), "{}: {refused:?}", run.name());
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
