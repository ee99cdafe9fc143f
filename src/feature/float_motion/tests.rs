// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Every level against the reference arithmetic, and the scores' order in time.
#![forbid(unsafe_code)]

use super::cpu::Distance;
use super::{DEFINITION, FloatMotion, OPTIONS, Options};
use crate::cpu::Level;
use crate::error::Result;
use crate::feature::collector::Collector;
use crate::feature::depth::Depth;
use crate::feature::{Dictionary, Emitter, Frame, Measure, Outputs, Score, Setup, Values};
use crate::picture::{Format, Picture, PixelFormat, Samples};
use crate::reduce::testing::{Noise, patterns};
use crate::schedule::Workers;

/// Options by key and value.
type Given<'a> = &'a [(&'a str, &'a str)];

fn values(given: Given) -> Values {
    let mut dictionary = Dictionary::new();
    given.iter().for_each(|(key, value)| dictionary.set(key, value));
    Values::read("float_motion", OPTIONS, &dictionary).unwrap()
}

/// A picture whose planes all begin with these samples, which lie in the middle of wider rows.
fn picture(format: Format, samples: &[u16]) -> Picture {
    let mut picture = Picture::new(format).unwrap();
    for plane in 0..format.pixel.planes() {
        let (width, height) = format.plane_size(plane);
        for (y, row) in (0..height as usize).zip(samples.chunks(width as usize)) {
            let bytes: Vec<u8> = match format.bpc {
                8 => row.iter().map(|&sample| sample as u8).collect(),
                _ => row.iter().flat_map(|sample| sample.to_le_bytes()).collect(),
            };
            picture.row_mut(plane, y)[..bytes.len()].copy_from_slice(&bytes);
        }
    }
    assert!(matches!(picture.plane(0), Samples::Bits8(_)) == (format.bpc == 8));
    picture
}

fn distance(level: Level, format: Format, pair: [&Picture; 2], given: Given, workers: Workers) -> f64 {
    let setup = Setup { format, level, slots: 1 };
    let measure = Distance::new(&setup, Depth::new(format.bpc).unwrap(), &Options::new(&values(given)));
    let [previous, reference] = pair.map(Clone::clone);
    let frame = Frame {
        index: 1,
        distorted: reference.clone(),
        reference,
        previous: [Some(previous), None],
        previous_distorted: None,
    };
    let mut buffers = measure.scratch().unwrap();
    let first = measure.measure(&frame, &mut buffers, workers).unwrap();
    assert_eq!(first, measure.measure(&frame, &mut buffers, workers).unwrap(), "work space used again");
    first
}

const CASES: [Given; 5] = [
    &[],
    &[("motion_filter_size", "3")],
    &[("motion_filter_size", "1")],
    &[("motion_add_scale1", "true")],
    &[("motion_add_scale1", "true"), ("motion_add_uv", "true")],
];

#[test]
fn every_size_depth_and_option_at_every_level() {
    let sizes = [(3, 3), (5, 7), (17, 16), (33, 35), (112, 40), (113, 19), (126, 20), (127, 33), (300, 31)];
    for (seed, (width, height)) in (1..).zip(sizes) {
        for (bpc, max) in [(8, 255), (10, 1023), (12, 4095), (16, u16::MAX)] {
            let format = Format::new(PixelFormat::Yuv444, bpc, width, height).unwrap();
            let noise = picture(format, &Noise(seed).samples((width * height) as usize, max));
            for (name, samples) in patterns((width * height) as usize, max, seed + 100) {
                let other = picture(format, &samples);
                for given in CASES {
                    let of = |level, workers| distance(level, format, [&noise, &other], given, workers);
                    let expected = of(Level::SCALAR, Workers::CALLER);
                    for level in Level::available() {
                        let what = format!("{name}, {width}x{height}, {bpc} bits, {given:?}, {level:?}");
                        assert_eq!(of(level, Workers::CALLER).to_bits(), expected.to_bits(), "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn cuts_into_stripes_change_nothing() {
    let format = Format::new(PixelFormat::Yuv420, 10, 97, 333).unwrap();
    let [a, b] = [1, 2].map(|seed| picture(format, &Noise(seed).samples(97 * 333, 1023)));
    for given in CASES {
        for level in Level::available() {
            let of = |workers| distance(level, format, [&a, &b], given, workers).to_bits();
            let whole = of(Workers::CALLER);
            for threads in [2, 3, 5] {
                assert_eq!(of(Workers::pool(threads)), whole, "{given:?} {level:?}");
            }
        }
    }
}

/// Scores of frames with these distances: key, index and value in the order of columns.
fn scores(given: Given, distances: &[f64]) -> Vec<(String, Vec<f64>)> {
    let mut collector = Collector::new();
    let mut outputs = Outputs::new(&DEFINITION, &values(given));
    let mut score = FloatMotion::new(Options::new(&values(given)));
    for (index, &distance) in (0..).zip(distances) {
        score.score(distance, &mut Emitter::new(&mut outputs, &mut collector, index)).unwrap();
    }
    score.flush(&mut Emitter::new(&mut outputs, &mut collector, 0)).unwrap();
    let frames = 0..distances.len() as u32;
    let column = |column| {
        let scores = frames.clone().filter_map(|index| collector.get(column, index)).collect();
        (collector.printed_name(column).to_owned(), scores)
    };
    collector.columns().map(column).collect()
}

#[test]
fn scores_of_a_frame_are_known_after_the_next() {
    let named = |name: &str, scores: &[f64]| (name.to_owned(), scores.to_vec());
    let plain = scores(&[], &[0.0, 3.0, 2.0, 5.0]);
    let motion2 = [0.0, 2.0, 2.0, 5.0];
    let expected = [
        named("motion2", &motion2),
        named("motion", &[0.0, 3.0, 2.0, 5.0]),
        named("motion3", &[3.0, 2.0, 2.0, 5.0]),
    ];
    assert_eq!(plain, expected);
    let quiet = scores(&[("debug", "false"), ("motion_max_val", "4")], &[0.0, 3.0, 2.0, 5.0]);
    assert_eq!(quiet[0], named("motion2_mmxv_4", &[0.0, 2.0, 2.0, 4.0]));
    assert_eq!(quiet[1].0, "motion3_mmxv_4");
    assert_eq!(scores(&[("debug", "false")], &[0.0]), [named("motion2", &[0.0]), named("motion3", &[0.0])]);
    let zero = scores(&[("motion_force_zero", "true")], &[0.0, 0.0]);
    assert_eq!(
        zero.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["motion2_force_0", "motion3_force_0", "motion_force_0"]
    );
}

#[test]
fn gaps_between_indices_are_refused() {
    let mut collector = Collector::new();
    let mut outputs = Outputs::new(&DEFINITION, &values(&[]));
    let mut score = FloatMotion::new(Options::new(&values(&[])));
    let mut at = |index| score.score(1.0, &mut Emitter::new(&mut outputs, &mut collector, index));
    at(0).unwrap();
    assert!(at(2).unwrap_err().to_string().contains("1 comes next"));
    at(1).unwrap();
}

#[test]
fn limits_are_named() {
    let refusal = |pixel, bpc, (width, height), given: Given| -> Result<()> {
        let setup = Setup { format: Format::new(pixel, bpc, width, height)?, level: Level::SCALAR, slots: 1 };
        (DEFINITION.make)(&setup, &values(given)).map(|_| ())
    };
    let named = |result: Result<()>, part: &str| {
        let text = result.unwrap_err().to_string();
        assert!(text.contains(part), "{text}");
    };
    let (gray, colour) = (PixelFormat::Yuv400, PixelFormat::Yuv420);
    named(refusal(gray, 8, (2, 9), &[]), "3x3");
    named(refusal(gray, 8, (9, 1), &[("motion_filter_size", "3")]), "2x2");
    named(refusal(colour, 8, (9, 4), &[("motion_add_uv", "true")]), "3x3");
    named(refusal(gray, 8, (9, 9), &[("motion_add_uv", "true")]), "chroma");
    named(refusal(gray, 11, (9, 9), &[]), "11");
    named(refusal(gray, 8, (15361, 3), &[("motion_add_scale1", "true")]), "15360");
    refusal(gray, 8, (2, 2), &[("motion_filter_size", "3")]).unwrap();
    refusal(gray, 8, (1, 1), &[("motion_force_zero", "true")]).unwrap();
    refusal(gray, 8, (15361, 3), &[]).unwrap();
}
