// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Every level's rows against those of the scalar arithmetic.

use super::super::cpu::{Kernel, Plain};
use super::super::options::TABLE;
use super::super::plan::Plan;
use super::super::scalar::{Constants, Sums};
use super::super::source::Source;
use super::super::taps::gaussian;
use super::{with_avx2, with_avx512};
use crate::cpu::Level;
use crate::feature::float_vif::options::Options;
use crate::feature::ssim::testing::{Owned, pictures};
use crate::feature::{Dictionary, Values};
use crate::picture::{Format, PixelFormat, Plane};

fn source(picture: &Owned) -> Source<'_> {
    let height = |count: usize, width: &usize| count / width;
    match picture {
        Owned::Bits8(samples, width) => {
            Source::Bits8(Plane::new(samples, *width, height(samples.len(), width), *width))
        }
        Owned::Bits16(samples, width, unit) => {
            Source::Bits16(Plane::new(samples, *width, height(samples.len(), width), *width), *unit)
        }
        Owned::Float(plane) => Source::Float(plane),
    }
}

fn plan() -> Plan {
    let values = Values::read("float_vif", TABLE, &Dictionary::new()).unwrap();
    let format = Format::new(PixelFormat::Yuv400, 8, 64, 64).unwrap();
    Plan::new(&format, &Options::new(&values).unwrap()).unwrap()
}

/// Rows of one kernel: sums as bits, or samples of a picture as bits.
trait Rows {
    fn of<K: Kernel>(&self, kernel: &K, work: &mut K::Work) -> Vec<[u32; 2]>;
}

struct SumsOf<'a> {
    pictures: [Source<'a>; 2],
    taps: Vec<f32>,
    constants: Constants,
    first: usize,
}

impl Rows for SumsOf<'_> {
    fn of<K: Kernel>(&self, kernel: &K, work: &mut K::Work) -> Vec<[u32; 2]> {
        let mut rows = vec![Sums::default(); self.pictures[0].height() - self.first];
        kernel.sums(self.pictures.each_ref(), &self.taps, &self.constants, self.first, &mut rows, work);
        rows.iter().map(|sums| [sums.numerator, sums.denominator].map(f32::to_bits)).collect()
    }
}

struct LowPassOf<'a> {
    picture: Source<'a>,
    taps: Vec<f32>,
    first: usize,
}

impl Rows for LowPassOf<'_> {
    fn of<K: Kernel>(&self, kernel: &K, work: &mut K::Work) -> Vec<[u32; 2]> {
        let (width, height) = (self.picture.width() / 2, self.picture.height() / 2);
        let mut rows = vec![vec![f32::NAN; width]; height - self.first];
        kernel.low_pass(&self.picture, &self.taps, self.first, &mut rows, work);
        // The sign of a zero is no part of the result.
        let samples = rows.into_iter().flatten();
        samples.map(|sample| [if sample == 0.0 { 0 } else { sample.to_bits() }, 0]).collect()
    }
}

fn check(what: &str, rows: &impl Rows) {
    fn of<K: Kernel>(rows: &impl Rows, kernel: Option<K>, plan: &Plan) -> Option<Vec<[u32; 2]>> {
        let kernel = kernel?;
        // Twice in one work space: nothing of the first time may be left.
        let work = &mut kernel.work(plan);
        rows.of(&kernel, work);
        Some(rows.of(&kernel, work))
    }
    let plan = plan();
    let expected = of(rows, Some(Plain), &plan).expect("the scalar arithmetic");
    for level in Level::available() {
        let vectors = [of(rows, with_avx2(level), &plan), of(rows, with_avx512(level), &plan)];
        for got in vectors.into_iter().flatten() {
            let differs = got.iter().zip(&expected).position(|(got, expected)| got != expected);
            assert_eq!(differs, None, "{level:?}, {what}");
            assert_eq!(got.len(), expected.len());
        }
    }
}

const DEFAULT: (f64, f64) = (100.0, 2.0);

/// All pairs of a picture with the one that follows it in the list.
fn for_each_pair(size: (usize, usize), check: impl Fn(&str, [Source<'_>; 2])) {
    let pictures = pictures(size.0, size.1, (size.0 * 1000 + size.1) as u64);
    for (i, (name, picture)) in pictures.iter().enumerate() {
        let (other_name, other) = &pictures[(i + 1) % pictures.len()];
        let what = format!("{}x{}, {name} with {other_name}", size.0, size.1);
        check(&what, [source(picture), source(other)]);
    }
}

fn check_sums(taps: usize, constants: (f64, f64), first: usize, what: &str, pictures: [Source<'_>; 2]) {
    let what = format!("{taps} taps, {constants:?}, from row {first}, {what}");
    let constants = Constants::new(constants.0, constants.1);
    check(&what, &SumsOf { pictures, taps: gaussian(taps), constants, first });
}

#[test]
fn sums_at_sizes_around_vectors_and_chunks() {
    let sizes = [(9, 9), (16, 17), (17, 16), (47, 9), (48, 33), (49, 15), (95, 10), (96, 18), (97, 31)];
    for size in sizes.into_iter().chain([(143, 12), (144, 9), (145, 23), (200, 40)]) {
        for_each_pair(size, |what, pictures| {
            check_sums(17, DEFAULT, 0, what, pictures);
            check_sums(3, DEFAULT, 0, what, pictures);
        });
    }
}

#[test]
fn sums_from_any_row() {
    for_each_pair((100, 37), |what, pictures| {
        for first in [1, 8, 20, 36] {
            check_sums(17, DEFAULT, first, what, pictures);
            check_sums(5, DEFAULT, first, what, pictures);
        }
    });
}

#[test]
fn sums_with_filters_of_any_width() {
    for taps in (3..=29).step_by(2).chain([35, 41, 51, 53, 65]) {
        for size in [(taps / 2 + 1, taps / 2 + 1), (150, taps)] {
            for_each_pair(size, |what, pictures| check_sums(taps, DEFAULT, 0, what, pictures));
        }
    }
}

#[test]
fn sums_with_other_constants() {
    let noises = [0.0, 1e-45, 5e-11, 1e-10, 1e-9, 0.125, 0.3, 1.0, 1.3, 4.0, 5.0];
    for (noise, limit) in noises.into_iter().flat_map(|noise| [(noise, 1.0), (noise, 1.2), (noise, 100.0)]) {
        for_each_pair((61, 19), |what, pictures| check_sums(5, (limit, noise), 0, what, pictures));
    }
}

#[test]
fn sums_of_equal_pictures() {
    for (name, picture) in &pictures(70, 24, 5) {
        let pictures = [source(picture), source(picture)];
        check_sums(9, DEFAULT, 0, name, pictures);
        check_sums(9, (100.0, 0.0), 0, name, pictures);
    }
}

#[test]
fn low_passes_of_any_width() {
    for taps in (3..=13).step_by(2).chain([15, 19, 27, 35]) {
        for (width, height) in [(taps, taps), (taps / 2 + 1, 40), (255, 18), (256, 37), (301, taps)] {
            for_each_pair((width, height.max(taps / 2 + 1)), |what, [picture, _]| {
                for first in [0, picture.height() / 4] {
                    let what = format!("low pass of {taps} taps from row {first}, {what}");
                    check(&what, &LowPassOf { picture, taps: gaussian(taps), first });
                }
            });
        }
    }
}
