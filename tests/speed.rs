// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `speed_chroma` and `speed_temporal` in a context: figures of the specification, refusals, order of frames.

mod support;

use support::fixtures::Fixture;
use support::golden;
use support::scoring::{Sequence, score};
use vmaf_rs::context::{Configuration, Context};
use vmaf_rs::cpu::Forbidden;
use vmaf_rs::error::{Error, Result};
use vmaf_rs::feature::Dictionary;
use vmaf_rs::picture::{Format, Picture, PixelFormat};

type Options = [(&'static str, &'static str)];

/// Every level, and threads.
fn configurations() -> [Configuration; 5] {
    let below = |forbidden: Forbidden| u64::from(forbidden.bits());
    let avx2 = below(Forbidden::AVX512 | Forbidden::AVX512_ICL);
    [(0, 0), (0, 3), (avx2, 0), (u64::MAX, 0), (u64::MAX, 2)].map(|(cpumask, n_threads)| Configuration {
        log_level: 0,
        n_threads,
        cpumask,
        ..Configuration::default()
    })
}

#[test]
fn figures_of_the_specification() {
    let mut differences = Vec::new();
    for golden in golden::parse(include_str!("speed/figures.golden")).unwrap() {
        let sequence = Sequence::new(&golden.fixture);
        for (run, with) in golden.runs.iter().flat_map(|run| configurations().map(|with| (run, with))) {
            let got = score(&sequence, run, with).map_err(|error| error.to_string());
            let place = format!("{}, {}, cpumask {:#x}", golden.fixture, run.name(), with.cpumask);
            differences.extend(run.differences(&got).iter().map(|line| format!("{place}: {line}")));
        }
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

fn context(extractor: &str, options: &Options, configuration: Configuration) -> Context {
    let mut context = Context::new(configuration).unwrap();
    let mut dictionary = Dictionary::new();
    options.iter().for_each(|(key, value)| dictionary.set(key, value));
    context.use_feature(extractor, &dictionary).unwrap();
    context
}

fn quiet() -> Configuration {
    Configuration { log_level: 0, ..Configuration::default() }
}

/// What the first frame of a fixture is met with.
fn first_frame(extractor: &str, options: &Options, fixture: &str) -> Result<()> {
    let fixture: Fixture = fixture.parse().unwrap();
    let sequence = Sequence::new(&fixture);
    let [reference, distorted] = &sequence.pairs()[0];
    context(extractor, options, quiet()).read_pictures(reference.clone(), distorted.clone(), 0)
}

#[test]
fn what_the_reference_crashes_at_is_refused_from_the_first_frame() {
    for extractor in ["speed_chroma", "speed_temporal"] {
        for (options, fixture) in [
            (&[] as &Options, "noise 240 40 8 420 1"),
            (&[], "noise 16 300 8 420 1"),
            (&[], "noise 8 8 8 420 1"),
            (&[("speed_prescale", "0.4")], "noise 190 190 8 444 1"),
            (&[("speed_kernelscale", "1.2")], "noise 200 200 8 420 1"),
            (&[("speed_prescale_method", "area")], "noise 200 200 8 420 1"),
            (&[], "noise 200 200 9 420 1"),
            (&[], "noise 200 200 14 420 1"),
        ] {
            let outcome = first_frame(extractor, options, fixture);
            assert!(matches!(outcome, Err(Error::Invalid(_))), "{extractor}, {options:?}, {fixture}");
        }
    }
    assert!(matches!(first_frame("speed_chroma", &[], "noise 200 200 8 400 1"), Err(Error::Invalid(_))));
    assert!(first_frame("speed_temporal", &[], "noise 80 80 8 400 1").is_ok());
    assert!(first_frame("speed_chroma", &[], "noise 160 160 8 420 1").is_ok());
}

/// A picture of seeded noise in the planes where it is wanted, flat elsewhere.
fn picture(seed: u32, noisy: [bool; 3]) -> Picture {
    let format = Format::new(PixelFormat::Yuv444, 8, 200, 200).unwrap();
    let mut picture = Picture::new(format).unwrap();
    let mut state = seed;
    for (plane, noisy) in noisy.into_iter().enumerate() {
        for y in 0..200 {
            for sample in picture.row_mut(plane, y) {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *sample = if noisy { (state >> 24) as u8 } else { 128 };
            }
        }
    }
    picture
}

#[test]
fn a_plane_that_is_flat_on_one_side_leaves_the_score_to_the_other() {
    let [all, only_u, only_v] =
        [[true; 3], [true, true, false], [true, false, true]].map(|noisy| picture(7, noisy));
    let distorted = picture(8, [true; 3]);
    let scores = |reference: &Picture, distorted: &Picture| {
        let mut context = context("speed_chroma", &[], quiet());
        context.read_pictures(reference.clone(), distorted.clone(), 0).unwrap();
        context.flush().unwrap();
        let key = |plane| format!("speed_chroma_{plane}");
        ["u", "v", "uv"].map(|plane| context.feature_score_at_index(&key(plane), 0).unwrap())
    };
    let [u, v, both] = scores(&all, &distorted);
    assert!(u > 0.0 && v > 0.0 && both == f64::from(u as f32 + v as f32) / 2.0);
    // The planes of a picture are seeded one after another, flat or not.
    assert_eq!(scores(&only_u, &distorted), [u, 0.0, u]);
    assert_eq!(scores(&only_v, &distorted), [0.0, v, v]);
    assert_eq!(scores(&all, &only_u)[1..], [0.0, scores(&all, &only_u)[0]]);
    assert_eq!(scores(&only_u, &only_v), [0.0; 3]);
}

/// The scores of frames that are read under these indices; picture `n` goes with the n-th.
fn temporal(indices: &[u32], subsample: u32) -> Vec<f64> {
    let with = Configuration { n_subsample: subsample, ..quiet() };
    let mut context = context("speed_temporal", &[], with);
    for (n, &index) in (1..).zip(indices) {
        context.read_pictures(picture(n, [true; 3]), picture(n + 40, [true; 3]), index).unwrap();
    }
    context.flush().unwrap();
    indices.iter().map(|&index| context.feature_score_at_index("speed_temporal", index).unwrap()).collect()
}

#[test]
fn each_picture_is_compared_with_the_one_read_before() {
    let scores = temporal(&[0, 1, 2, 3], 1);
    assert!(scores[0] == 0.0 && scores[1..].iter().all(|&score| score > 0.0), "{scores:?}");
    for indices in [[0, 1, 4, 6], [3, 4, 5, 9]] {
        assert_eq!(temporal(&indices, 1), scores, "{indices:?}");
    }
    assert_eq!(temporal(&[0, 1, 2, 3], 2), scores, "frames that subsampling leaves out count, too");
}

#[test]
fn indices_must_ascend() {
    let mut context = context("speed_temporal", &[], quiet());
    let mut read = |index| context.read_pictures(picture(1, [true; 3]), picture(2, [true; 3]), index);
    read(1).unwrap();
    for index in [0, 1] {
        assert!(matches!(read(index), Err(Error::Invalid(_))), "{index}");
    }
}
