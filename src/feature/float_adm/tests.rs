// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Every level against the reference arithmetic: sizes around all borders, depths, extremes, options, cuts.
#![forbid(unsafe_code)]

use super::cpu::Pyramid;
use super::options::{Options, TABLE};
use super::plan::Plan;
use super::score::FloatAdm;
use super::{DEFINITION, FEATURES, Source, Sums};
use crate::cpu::Level;
use crate::error::Result;
use crate::feature::collector::Collector;
use crate::feature::depth::Depth;
use crate::feature::{Dictionary, Emitter, Measure, Outputs, Score, Setup, Values};
use crate::picture::{Format, PixelFormat, Plane};
use crate::reduce::testing::{Noise, bytes, patterns};
use crate::schedule::Workers;

/// Options by key and value.
type Given<'a> = &'a [(&'a str, &'a str)];

fn values(given: Given) -> Result<Values> {
    let mut dictionary = Dictionary::new();
    given.iter().for_each(|(key, value)| dictionary.set(key, value));
    Values::read("float_adm", &TABLE, &dictionary)
}

fn plan((width, height): (u32, u32), bpc: u32, given: Given) -> (Plan, Options) {
    let format = Format::new(PixelFormat::Yuv400, bpc, width, height).unwrap();
    let options = Options::new(&values(given).unwrap());
    (Plan::new(&format, &options), options)
}

/// A pair of pictures, and what it shows.
struct Pair {
    name: &'static str,
    size: (u32, u32),
    bpc: u32,
    samples: [Vec<u16>; 2],
}

impl Pair {
    /// Both ends of the range, noise, noise beside itself weaker and stronger, small steps in flat blocks.
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
        let blocks: Vec<u16> = (0..area).map(|i| if block(i) == 0 { max / 2 + 1 } else { max / 2 }).collect();
        let mut random = Noise(seed + 1);
        let mut shaken = |&sample: &u16| around_middle(sample, 0.85 + f64::from(random.sample(100)) / 700.0);
        let weaker = noise.iter().map(&mut shaken).collect();
        vec![
            pair("low and high", [low.clone(), high]),
            pair("low and low", [low.clone(), low]),
            pair("stripes and noise", [first, noise.clone()]),
            pair("noise and noise", [noise.clone(), Noise(seed + 2).samples(area, max)]),
            pair("noise weakened", [noise.clone(), scaled(0.6)]),
            pair("noise enhanced", [scaled(0.05), noise.clone()]),
            pair("blocks and their noise", [blocks.clone(), scaled(0.01)]),
            pair("noise and blocks", [scaled(0.01), blocks]),
            pair("noise shaken", [noise, weaker]),
        ]
    }

    fn sums(&self, level: Level, plan: &Plan, workers: Workers) -> [Sums; 4] {
        let pyramid = Pyramid::new(level, plan.clone(), Depth::new(self.bpc).unwrap());
        let [r, d] = &self.samples;
        match self.bpc {
            8 => self.sums_of(&pyramid, [&bytes(r), &bytes(d)], workers),
            _ => self.sums_of(&pyramid, [r, d], workers),
        }
    }

    fn sums_of<S: Source>(&self, pyramid: &Pyramid, samples: [&[S]; 2], workers: Workers) -> [Sums; 4] {
        let (width, height) = (self.size.0 as usize, self.size.1 as usize);
        let planes = samples.map(|samples| Plane::new(samples, width, height, width));
        let mut scratch = pyramid.scratch().unwrap();
        // Twice, so that what the first leaves in the work space meets the second.
        let first = pyramid.sums(planes, &mut scratch, workers);
        assert_eq!(bits(&first), bits(&pyramid.sums(planes, &mut scratch, workers)), "work space used again");
        first
    }

    /// Compares every level with the reference arithmetic.
    fn check(&self, given: Given) {
        let (plan, _) = plan(self.size, self.bpc, given);
        let expected = self.sums(Level::SCALAR, &plan, Workers::CALLER);
        for level in Level::available() {
            let place = format!("{} {:?} {} bit {given:?} {level:?}", self.name, self.size, self.bpc);
            let got = self.sums(level, &plan, Workers::CALLER);
            assert_eq!(bits(&got), bits(&expected), "{place}: {got:?}, not {expected:?}");
        }
    }
}

fn bits(sums: &[Sums; 4]) -> [[[u32; 3]; 3]; 4] {
    sums.map(|sums| [sums.denominator, sums.restored, sums.additive].map(|sums| sums.map(f32::to_bits)))
}

const SIZES: [(u32, u32); 22] = [
    (1, 1),
    (2, 3),
    (5, 4),
    (9, 16),
    (16, 17),
    (17, 17),
    (32, 33),
    (33, 35),
    (33, 17),
    (36, 36),
    (40, 40),
    (66, 64),
    (64, 300),
    (127, 45),
    (130, 128),
    (161, 99),
    (257, 70),
    (300, 17),
    (507, 33),
    (509, 40),
    (577, 65),
    (1301, 34),
];

#[test]
fn every_size_at_every_level() {
    for (seed, size) in (1..).zip(SIZES) {
        for bpc in [8, 10, 16] {
            Pair::all(size, bpc, seed).iter().for_each(|pair| pair.check(&[]));
        }
    }
}

/// Options that reach the pixels, each with another value than the default's.
const PIXEL_OPTIONS: [Given; 13] = [
    &[("adm_enhn_gain_limit", "1")],
    &[("adm_enhn_gain_limit", "37")],
    &[("adm_enhn_gain_limit", "1.2")],
    &[("adm_csf_mode", "1")],
    &[("adm_csf_mode", "2")],
    &[("adm_norm_view_dist", "5")],
    &[("adm_ref_display_height", "4320"), ("adm_norm_view_dist", "24")],
    &[("adm_f1s0", "10"), ("adm_f2s1", "0"), ("adm_f2s2", "1e-30")],
    &[("adm_bypass_cm", "1")],
    &[("adm_p_norm", "1")],
    &[("adm_p_norm", "2.5")],
    &[("adm_p_norm", "20")],
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
        let (plan, _) = plan(size, bpc, &[]);
        for pair in Pair::all(size, bpc, 11) {
            for level in Level::available() {
                let whole = pair.sums(level, &plan, Workers::CALLER);
                for threads in [2, 3, 5] {
                    let cut = pair.sums(level, &plan, Workers::pool(threads));
                    assert_eq!(
                        bits(&cut),
                        bits(&whole),
                        "{} {size:?} {threads} threads {level:?}",
                        pair.name
                    );
                }
            }
        }
    }
}

/// Scores of a pair under all names, in order.
fn scores(pair: &Pair, given: Given) -> Vec<(String, f64)> {
    let (plan, options) = plan(pair.size, pair.bpc, given);
    let sums = pair.sums(Level::detect(0), &plan, Workers::CALLER);
    let mut collector = Collector::new();
    let mut outputs = Outputs::new(&DEFINITION, &values(given).unwrap());
    FloatAdm::new(&plan, options).score(sums, &mut Emitter::new(&mut outputs, &mut collector, 0)).unwrap();
    let score = |column| (collector.printed_name(column).to_owned(), collector.get(column, 0).unwrap());
    collector.columns().map(score).collect()
}

#[test]
fn every_option_changes_a_value() {
    // Other noise, weakened and enhanced.
    let pairs = &Pair::all((96, 96), 8, 5)[3..6];
    let plain = pairs.iter().map(|pair| scores(pair, &[])).collect::<Vec<_>>();
    let is_changed = |given: Given| {
        let same = |(a, b): (&(String, f64), &(String, f64))| a.1.to_bits() == b.1.to_bits();
        pairs.iter().zip(&plain).any(|(pair, plain)| !scores(pair, given).iter().zip(plain).all(same))
    };
    let rest: [(Given, &str); 10] = [
        (&[("adm_dlm_weight", "0.7")], "_dlmw_0.7"),
        (&[("adm_noise_weight", "1")], "_nw_1"),
        (&[("adm_min_val", "1")], "_min_1"),
        (&[("adm_adm3_apply_hm", "true")], "_aah"),
        (&[("adm_skip_aim_scale", "0")], "_sasc_0"),
        (&[("adm_skip_scale0", "true")], "_ssz"),
        (&[("adm_csf_mode", "1"), ("adm_csf_scale", "2")], "_csf_1_scf_2"),
        (&[("adm_csf_mode", "1"), ("adm_csf_diag_scale", "2")], "_scfd_2_csf_1"),
        (&[("adm_f1s0", "2"), ("adm_f2s1", "1.5")], "_f1s0_2_f2s1_1.5"),
        (&[("adm_norm_view_dist", "1.5"), ("adm_ref_display_height", "2000")], "_nvd_1.5_rdf_2000"),
    ];
    for (given, suffix) in rest {
        let named = scores(&pairs[0], given);
        assert_eq!(named.len(), 7);
        assert_eq!(named[0].0, format!("adm2{suffix}"));
        assert_eq!(named[3].0, format!("adm_scale0{suffix}"));
        assert!(is_changed(given), "{given:?}");
    }
    for given in PIXEL_OPTIONS {
        assert!(is_changed(given), "{given:?}");
    }
}

#[test]
fn scales_of_sensitivity_matter_with_barten_only() {
    let pair = &Pair::all((96, 96), 8, 5)[4];
    let bits =
        |given: Given| scores(pair, given).iter().map(|(_, score)| score.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&[("adm_csf_scale", "2"), ("adm_csf_diag_scale", "3")]), bits(&[]));
}

#[test]
fn debug_adds_the_parts_and_a_name_without_options() {
    let pair = &Pair::all((64, 64), 8, 1)[4];
    let shown = scores(pair, &[("debug", "true")]);
    let printed = FEATURES.map(crate::feature::names::alias);
    assert_eq!(shown.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), printed);
    let value = |index: usize| shown[index].1;
    assert_eq!(value(7), value(0));
    assert_eq!(value(8) / value(9), value(0));
    assert_eq!(value(16) / value(17), value(6));

    let shown = scores(pair, &[("debug", "true"), ("adm_noise_weight", "1")]);
    let name = |index: usize| shown[index].0.as_str();
    assert_eq!([7, 8, 10].map(name), ["adm", "adm_num_nw_1", "adm_num_scale0_nw_1"]);
}

#[test]
fn a_flat_reference_without_noise_is_perfect() {
    let flat = vec![128; 64 * 64];
    let pair = Pair { name: "flat", size: (64, 64), bpc: 8, samples: [flat.clone(), flat] };
    let found = scores(&pair, &[("adm_noise_weight", "0")]);
    assert_eq!((found[0].1, found[1].1, found[2].1), (1.0, 0.0, 1.0));
    assert!(found[3].1.is_nan());
}

#[test]
fn scores_exist_at_any_size() {
    for size in [(1, 1), (1, 40), (40, 1), (2, 2), (8, 9), (9, 8), (16, 16)] {
        for pair in Pair::all(size, 8, 4) {
            let found = scores(&pair, &[]);
            assert!(found.iter().all(|(_, score)| score.is_finite()), "{} {size:?}: {found:?}", pair.name);
        }
    }
}

#[test]
fn limits_are_named() {
    for bpc in [9, 11, 14] {
        let format = Format::new(PixelFormat::Yuv400, bpc, 64, 64).unwrap();
        let setup = Setup { format, level: Level::SCALAR, slots: 1 };
        let error = (DEFINITION.make)(&setup, &values(&[]).unwrap()).err().unwrap().to_string();
        assert!(error.contains(&bpc.to_string()), "{error}");
    }
    let ranges: [(&str, &str, &str); 5] = [
        ("adm_skip_aim_scale", "-1", "0..3"),
        ("adm_csf_mode", "10", "0..9"),
        ("adm_p_norm", "0.5", "1..20"),
        ("adm_f2s3", "-2", "-1..10"),
        ("adm_bypass_cm", "2", "0..1"),
    ];
    for (name, value, range) in ranges {
        let error = values(&[(name, value)]).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(range), "{error}");
    }
}
