// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Every level against the reference arithmetic: sizes around all borders, depths, extremes, options, cuts.
#![forbid(unsafe_code)]

use super::cpu::Pyramid;
use super::options::{Options, TABLE};
use super::plan::Plan;
use super::score::Adm;
use super::simd::Source;
use super::{DEFINITION, FEATURES, Totals};
use crate::cpu::Level;
use crate::error::{Error, Result};
use crate::feature::collector::Collector;
use crate::feature::{Dictionary, Emitter, Measure, Outputs, Score, Values};
use crate::picture::{Format, PixelFormat, Plane};
use crate::reduce::testing::{Noise, bytes, patterns};
use crate::schedule::Workers;

/// Options by key and value.
type Given<'a> = &'a [(&'a str, &'a str)];

fn values(given: Given) -> Result<Values> {
    let mut dictionary = Dictionary::new();
    given.iter().for_each(|(key, value)| dictionary.set(key, value));
    Values::read("adm", TABLE, &dictionary)
}

fn plan((width, height): (u32, u32), bpc: u32, given: Given) -> Result<(Plan, Options)> {
    let format = Format::new(PixelFormat::Yuv400, bpc, width, height)?;
    let options = Options::new(&values(given)?);
    Ok((Plan::new(&format, &options)?, options))
}

/// A pair of pictures, and what it shows.
struct Pair {
    name: &'static str,
    size: (u32, u32),
    bpc: u32,
    samples: [Vec<u16>; 2],
}

impl Pair {
    /// Both ends of the range, noise, noise beside itself weaker and stronger, blocks of the range's ends.
    fn all(size: (u32, u32), bpc: u32, seed: u64) -> Vec<Self> {
        let (area, max) = ((size.0 * size.1) as usize, u16::MAX >> (16 - bpc));
        let pair = |name, samples| Self { name, size, bpc, samples };
        let [low, high, first, _, noise] = patterns(area, max, seed).map(|(_, samples)| samples);
        let around_middle = |sample: u16, times: f64| {
            let middle = f64::from(max / 2);
            (middle + (f64::from(sample) - middle) * times).clamp(0.0, f64::from(max)) as u16
        };
        let scaled = |times: f64| noise.iter().map(|&s| around_middle(s, times)).collect::<Vec<_>>();
        let block = |i: usize| (i % size.0 as usize / 5 + i / size.0 as usize / 3) % 3;
        let blocks: Vec<u16> = (0..area).map(|i| if block(i) == 0 { max } else { 0 }).collect();
        let mut random = Noise(seed + 1);
        let ends =
            (0..area).map(|_| if random.bits().is_multiple_of(2) { 0 } else { max }).collect::<Vec<_>>();
        // The largest coefficients, which the distorted picture nearly has too, not quite in their direction.
        let mut shaken = |&sample: &u16| around_middle(sample, 0.85 + f64::from(random.sample(100)) / 700.0);
        let weaker = ends.iter().map(&mut shaken).collect();
        vec![
            pair("low and high", [low, high]),
            pair("stripes and noise", [first, noise.clone()]),
            pair("noise and noise", [noise.clone(), Noise(seed + 2).samples(area, max)]),
            pair("noise weakened", [noise.clone(), scaled(0.6)]),
            pair("noise enhanced", [scaled(0.05), noise]),
            pair("blocks and ends", [blocks, ends.clone()]),
            pair("ends weakened", [ends, weaker]),
        ]
    }

    fn sums(&self, level: Level, plan: &Plan, workers: Workers) -> [Totals; 4] {
        let pyramid = Pyramid::at_level(level, plan.clone(), self.bpc);
        let [r, d] = &self.samples;
        match self.bpc {
            8 => self.sums_of(&pyramid, [&bytes(r), &bytes(d)], workers),
            _ => self.sums_of(&pyramid, [r, d], workers),
        }
    }

    fn sums_of<S: Source>(&self, pyramid: &Pyramid, samples: [&[S]; 2], workers: Workers) -> [Totals; 4] {
        let (width, height) = (self.size.0 as usize, self.size.1 as usize);
        let planes = samples.map(|samples| Plane::new(samples, width, height, width));
        let mut scratch = pyramid.scratch().unwrap();
        // Twice, so that what the first leaves in the work space meets the second.
        let first = pyramid.sums(planes, &mut scratch, workers);
        assert_eq!(first, pyramid.sums(planes, &mut scratch, workers), "work space used again");
        first
    }

    /// Compares every level with the reference arithmetic.
    fn check(&self, given: Given) {
        let (plan, _) = plan(self.size, self.bpc, given).unwrap();
        let expected = self.sums(Level::SCALAR, &plan, Workers::CALLER);
        for level in Level::available() {
            let place = format!("{} {:?} {} bit {given:?} {level:?}", self.name, self.size, self.bpc);
            assert_eq!(self.sums(level, &plan, Workers::CALLER), expected, "{place}");
        }
    }
}

const SIZES: [(u32, u32); 16] = [
    (17, 17),
    (32, 33),
    (33, 35),
    (33, 17),
    (36, 36),
    (40, 40),
    (66, 64),
    (72, 72),
    (64, 300),
    (127, 45),
    (128, 128),
    (130, 128),
    (161, 99),
    (257, 70),
    (300, 17),
    (577, 65),
];

#[test]
fn every_size_at_every_level() {
    for (seed, size) in (1..).zip(SIZES) {
        for bpc in [8, 10, 16] {
            Pair::all(size, bpc, seed).iter().for_each(|pair| pair.check(&[]));
        }
    }
}

#[test]
fn every_depth_at_every_level() {
    for bpc in 8..=16 {
        Pair::all((131, 77), bpc, bpc.into()).iter().for_each(|pair| pair.check(&[]));
    }
}

/// Options that reach the pixels, each with another value than the default's.
const PIXEL_OPTIONS: [Given; 11] = [
    &[("adm_enhn_gain_limit", "1")],
    &[("adm_enhn_gain_limit", "37")],
    &[("adm_enhn_gain_limit", "1.25")],
    &[("adm_csf_mode", "1")],
    &[("adm_csf_mode", "2")],
    &[("adm_csf_mode", "3")],
    &[("adm_csf_mode", "2"), ("adm_norm_view_dist", "4")],
    &[("adm_norm_view_dist", "5")],
    &[("adm_ref_display_height", "4320"), ("adm_norm_view_dist", "24")],
    &[("adm_skip_aim", "true")],
    &[("adm_skip_scale0", "true")],
];

#[test]
fn every_option_at_every_level() {
    for given in PIXEL_OPTIONS {
        for bpc in [8, 12] {
            Pair::all((139, 90), bpc, 7).iter().for_each(|pair| pair.check(given));
        }
    }
}

#[test]
fn samples_beyond_their_depth_are_measured_alike() {
    let mut pairs = Pair::all((90, 66), 10, 3);
    for pair in &mut pairs {
        pair.samples[1][50 * 90 + 17] = u16::MAX;
        pair.check(&[]);
    }
}

#[test]
fn cuts_into_stripes_change_nothing() {
    for (size, bpc) in [((70, 403), 8), ((161, 260), 10)] {
        let (plan, _) = plan(size, bpc, &[]).unwrap();
        for pair in Pair::all(size, bpc, 11) {
            for level in Level::available() {
                let whole = pair.sums(level, &plan, Workers::CALLER);
                for threads in [2, 3, 5] {
                    let cut = pair.sums(level, &plan, Workers::pool(threads));
                    assert_eq!(cut, whole, "{} {size:?} {threads} threads {level:?}", pair.name);
                }
            }
        }
    }
}

/// Scores of a pair under all names, in order.
fn scores(pair: &Pair, given: Given) -> Vec<(String, f64)> {
    let (plan, options) = plan(pair.size, pair.bpc, given).unwrap();
    let totals = pair.sums(Level::detect(0), &plan, Workers::CALLER);
    let mut collector = Collector::new();
    let mut outputs = Outputs::new(&DEFINITION, &values(given).unwrap());
    Adm::new(&plan, options).score(totals, &mut Emitter::new(&mut outputs, &mut collector, 0)).unwrap();
    let score = |column| (collector.printed_name(column).to_owned(), collector.get(column, 0).unwrap());
    collector.columns().map(score).collect()
}

#[test]
fn every_option_changes_a_value() {
    let pair = &Pair::all((96, 96), 8, 5)[4];
    let plain = scores(pair, &[]);
    assert_eq!(plain.len(), 7);
    let rest: [(Given, &str); 6] = [
        (&[("adm_dlm_weight", "0.7")], "_dlmw_0.7"),
        (&[("adm_noise_weight", "1")], "_nw_1"),
        (&[("adm_min_val", "1")], "_min_1"),
        (&[("adm_csf_mode", "1"), ("adm_csf_scale", "2")], "_csf_1_scf_2"),
        (&[("adm_csf_mode", "1"), ("adm_csf_diag_scale", "2")], "_scfd_2_csf_1"),
        (&[("adm_skip_scale0", "true")], "_ssz"),
    ];
    for (given, suffix) in rest {
        let changed = scores(pair, given);
        assert_eq!(changed[0].0, format!("integer_adm2{suffix}"));
        assert_eq!(changed[3].0, format!("integer_adm_scale0{suffix}"));
        let same = |(a, b): (&(String, f64), &(String, f64))| a.1.to_bits() == b.1.to_bits();
        assert!(!changed.iter().zip(&plain).all(same), "{given:?}");
    }
    for given in PIXEL_OPTIONS {
        let changed = scores(pair, given);
        assert!((0..7).any(|i| changed[i].1.to_bits() != plain[i].1.to_bits()), "{given:?}");
    }
}

#[test]
fn scales_of_sensitivity_matter_with_barten_only() {
    let pair = &Pair::all((96, 96), 8, 5)[3];
    let bits =
        |given: Given| scores(pair, given).iter().map(|(_, score)| score.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&[("adm_csf_scale", "2"), ("adm_csf_diag_scale", "3")]), bits(&[]));
    let barten = ("adm_csf_mode", "1");
    assert_ne!(bits(&[barten, ("adm_csf_scale", "2")]), bits(&[barten]));
    assert_ne!(bits(&[barten, ("adm_csf_diag_scale", "2")]), bits(&[barten]));
}

#[test]
fn debug_adds_the_parts() {
    let shown = scores(&Pair::all((64, 64), 8, 1)[3], &[("debug", "true")]);
    assert_eq!(shown.len(), FEATURES.len());
    let printed = FEATURES.map(crate::feature::names::alias);
    assert_eq!(shown.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), printed);
    let value = |index: usize| shown[index].1;
    assert_eq!(value(7), value(0));
    assert_eq!(value(8) / value(9), value(0));
    assert_eq!(value(16) / value(17), value(6));
}

#[test]
fn a_flat_reference_without_noise_is_perfect() {
    let flat = vec![77; 64 * 64];
    let pair = Pair { name: "flat", size: (64, 64), bpc: 8, samples: [flat.clone(), flat] };
    let found = scores(&pair, &[("adm_noise_weight", "0")]);
    assert_eq!((found[0].1, found[1].1, found[2].1), (1.0, 0.0, 1.0));
    assert!(found[3].1.is_nan());
}

#[test]
fn refusals_name_extractor_and_limit() {
    let refusal = |size, given: Given| match plan(size, 8, given) {
        Err(Error::Invalid(text)) => text,
        other => panic!("{size:?} {given:?}: {:?}", other.map(|_| ())),
    };
    for size in [(16, 16), (16, 64), (300, 16), (17, 16), (16, 17)] {
        let text = refusal(size, &[]);
        assert!(text.starts_with("adm ") && text.contains("17x17"), "{text}");
    }
    assert!(refusal((65537, 64), &[]).contains("65536x32768"));
    assert!(refusal((64, 32769), &[]).contains("65536x32768"));
    let text = refusal((64, 64), &[("adm_norm_view_dist", "2.9")]);
    assert!(text.contains("adm_norm_view_dist") && text.contains("3240"), "{text}");
    assert!(plan((17, 17), 8, &[]).is_ok());
}
