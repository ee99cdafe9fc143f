// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Every level against the scalar form.

use std::iter::repeat_n;

use super::*;
use crate::feature::motion::scalar;
use crate::reduce::testing::{Noise, bytes, patterns};

/// Widths around the registers' lengths and their halves, and the least.
fn widths() -> impl Iterator<Item = usize> {
    (3..=36).chain([47, 48, 63, 64, 65, 97, 130])
}

/// Sums of a stripe at every level of this machine, each with its work space used twice.
fn check<T: Sample>(planes: [&Plane<'_, T>; 2], bpc: u32, scratch: &mut [(Kernel, Rows)], what: &str) {
    let [previous, current] = planes;
    let (width, height) = (current.width(), current.height());
    for rows in [0..height, 0..height / 2, height / 2..height, height / 3..height / 3 + 1] {
        let expected = scalar::sum(previous, current, rows.clone(), bpc, &mut vec![0; width]);
        for (level, (kernel, scratch)) in scratch.iter_mut().enumerate() {
            let got = kernel.sum(previous, current, rows.clone(), bpc, scratch);
            assert_eq!(
                got,
                Some(expected),
                "{what}, {width}x{height}, {bpc} bits, rows {rows:?}, level {level}"
            );
        }
    }
}

fn scratch(width: usize) -> Vec<(Kernel, Rows)> {
    Level::available().into_iter().filter_map(select).map(|kernel| (kernel, Rows::new(width))).collect()
}

#[test]
fn planes_of_8_bits() {
    for (width, height) in widths().zip([3, 4, 5, 7, 12].into_iter().cycle()) {
        let mut scratch = scratch(width);
        let samples = patterns(width * height, 255, width as u64).map(|(name, s)| (name, bytes(&s)));
        let plane = |samples| Plane::new(samples, width, height, width);
        for ((a_name, a), (b_name, b)) in samples.iter().flat_map(|a| samples.iter().map(move |b| (a, b))) {
            check([&plane(a), &plane(b)], 8, &mut scratch, &format!("{a_name}, {b_name}"));
        }
    }
}

#[test]
fn planes_of_9_to_16_bits() {
    for (width, height) in widths().zip([5, 3, 4, 12, 7].into_iter().cycle()) {
        let mut scratch = scratch(width);
        for bpc in 9..=16 {
            let samples = patterns(width * height, ((1u32 << bpc) - 1) as u16, u64::from(bpc));
            let plane = |samples| Plane::new(samples, width, height, width);
            for ((a_name, a), (b_name, b)) in samples.iter().flat_map(|a| samples.iter().map(move |b| (a, b)))
            {
                check([&plane(a), &plane(b)], bpc, &mut scratch, &format!("{a_name}, {b_name}"));
            }
        }
    }
}

/// Two planes of `count` samples from 0 to `max`. From one run of samples to the next, some rows long, they are
/// the same, a little apart, or far apart.
fn runs(noise: &mut Noise, run: usize, count: usize, max: u16) -> [Vec<u16>; 2] {
    let [mut a, mut b] = [(); 2].map(|()| Vec::with_capacity(count));
    while a.len() < count {
        let reach = [0, 2, max / 2, max][usize::from(noise.sample(3))];
        let length = run * (1 + usize::from(noise.sample(8)));
        for _ in 0..length.min(count - a.len()) {
            let sample = noise.sample(max);
            a.push(sample);
            b.push(sample.saturating_sub(noise.sample(reach)));
        }
    }
    [a, b]
}

/// Rows of every extent one below the other, with padding beside them.
#[test]
fn still_and_moving_rows() {
    let (width, height, stride) = (75, 60, 96);
    let mut scratch = scratch(width);
    for (bpc, seed) in (8..=16).flat_map(|bpc| [1, 2, 3].map(|seed| (bpc, seed))) {
        let max = ((1u32 << bpc) - 1) as u16;
        let planes = runs(&mut Noise(seed), stride, height * stride, max);
        let what = format!("seed {seed}");
        if bpc == 8 {
            let [a, b] = planes.map(|samples| bytes(&samples));
            let [a, b] = [&a, &b].map(|samples| Plane::new(samples, width, height, stride));
            check([&a, &b], bpc, &mut scratch, &what);
        } else {
            let [a, b] = [&planes[0], &planes[1]].map(|samples| Plane::new(samples, width, height, stride));
            check([&a, &b], bpc, &mut scratch, &what);
        }
    }
}

/// Differences just within and just past 16 bits, and blurred ones likewise.
#[test]
fn numbers_at_the_ends_of_16_bits() {
    let (width, height) = (64, 7);
    let mut scratch = scratch(width);
    for difference in [32766u16, 32767, 32768, 32769, 65535] {
        let high = vec![difference; width * height];
        let low = vec![0; width * height];
        let stripes: Vec<u16> =
            (0..height).flat_map(|y| repeat_n(if y % 3 == 1 { difference } else { 0 }, width)).collect();
        let plane = |samples| Plane::new(samples, width, height, width);
        for (a, b) in [(&high, &low), (&low, &high), (&stripes, &low), (&low, &stripes), (&stripes, &high)] {
            check([&plane(a), &plane(b)], 16, &mut scratch, &format!("difference {difference}"));
        }
    }
}

/// Samples past the depth, of either plane and in any column, are left to the scalar form.
#[test]
fn samples_past_the_depth_are_refused() {
    let (width, height) = (75, 5);
    let mut scratch = scratch(width);
    for (bpc, place) in (9..=15).flat_map(|bpc| [0, 40, width - 1].map(|x| (bpc, 2 * width + x))) {
        let largest = vec![((1u32 << bpc) - 1) as u16; width * height];
        let mut excessive: Vec<u16> = largest.clone();
        excessive[place] += 1;
        let [a, b] = [&largest, &excessive].map(|samples| Plane::new(samples, width, height, width));
        check([&a, &a], bpc, &mut scratch, "the largest samples");
        for (kernel, scratch) in &mut scratch {
            for [previous, current] in [[&a, &b], [&b, &a]] {
                let sum = kernel.sum(previous, current, 0..height, bpc, scratch);
                assert_eq!(sum, None, "{bpc} bits, sample {place}");
            }
        }
    }
}
