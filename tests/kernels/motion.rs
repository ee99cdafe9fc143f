// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Both forms of motion, against the specification's arithmetic.

use vmaf_rs::feature::motion::scalar;
use vmaf_rs::picture;

use crate::emulator::{NO_PLANE, Picture, Plane, launch};
use crate::{GRIDS, Noise};

#[derive(Clone, Copy)]
#[repr(C)]
struct MotionPair {
    previous: Plane,
    current: Plane,
    sum: *mut u64,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct MotionParameters {
    pairs: [MotionPair; 4],
    frames: u32,
    bits: u32,
    segment_rows: u32,
    unused: u32,
}

/// Around the columns of a lane, of a tile, of a part of a row, and their overlaps; down to the smallest picture.
const WIDTHS: [usize; 30] = [
    3, 4, 5, 6, 7, 8, 9, 31, 118, 120, 121, 123, 125, 126, 127, 128, 129, 130, 132, 133, 244, 247, 248, 249,
    251, 252, 253, 254, 369, 505,
];

/// Around the filter's reach and a segment's rows.
const HEIGHTS: [usize; 8] = [3, 4, 5, 6, 7, 8, 13, 34];

const SEGMENTS: [u32; 5] = [1, 2, 3, 8, 64];

/// A picture and an earlier one.
struct Pair<T> {
    previous: Picture<T>,
    current: Picture<T>,
}

impl<T: Copy + Into<u16>> Pair<T> {
    fn new(previous: Vec<Vec<T>>, current: Vec<Vec<T>>) -> Self {
        Self { previous: Picture::new(previous), current: Picture::new(current) }
    }

    fn expected(&self, bits: u32) -> u64 {
        let [previous, current] = [&self.previous, &self.current].map(|picture| picture.rows.concat());
        let (width, height) = (self.current.rows[0].len(), self.current.rows.len());
        let [previous, current] =
            [&previous, &current].map(|samples| picture::Plane::new(samples, width, height, width));
        scalar::sum(&previous, &current, 0..height, bits, &mut vec![0; width])
    }
}

const NO_PAIR: MotionPair = MotionPair { previous: NO_PLANE, current: NO_PLANE, sum: std::ptr::null_mut() };

fn sums<T: Copy>(kernel: &str, pairs: &[Pair<T>], bits: u32, grid: [u32; 3], segment_rows: u32) -> Vec<u64> {
    let mut sums = vec![0; pairs.len()];
    let mut parameters =
        MotionParameters { pairs: [NO_PAIR; 4], frames: pairs.len() as u32, bits, segment_rows, unused: 0 };
    for ((entry, pair), sum) in parameters.pairs.iter_mut().zip(pairs).zip(&mut sums) {
        *entry = MotionPair { previous: pair.previous.plane(), current: pair.current.plane(), sum };
    }
    launch(kernel, grid, &parameters);
    sums
}

/// One to four pairs of one format, in a launch of either form.
fn check<T: Copy + Into<u16>>(noise: &mut Noise, pairs: &[Pair<T>], bits: u32) {
    let expected: Vec<_> = pairs.iter().map(|pair| pair.expected(bits)).collect();
    let samples = if size_of::<T>() == 1 { 8 } else { 16 };
    let grid = [choice(noise, &GRIDS), 1, choice(noise, &[1, 2, 4])];
    let rows = choice(noise, &SEGMENTS);
    for kernel in [format!("motion_{samples}"), format!("motion_walk_{samples}")] {
        let found = sums(&kernel, pairs, bits, grid, rows);
        let Plane { width, height, .. } = pairs[0].current.plane();
        assert_eq!(
            found, expected,
            "{kernel}, {width}x{height}, {bits} bits, grid {grid:?}, segments of {rows}"
        );
    }
}

fn choice<T: Copy>(noise: &mut Noise, from: &[T]) -> T {
    from[noise.bits() as usize % from.len()]
}

/// Samples from `low` on, `range` different ones.
fn rows<T: TryFrom<u64>>(
    noise: &mut Noise,
    (width, height): (usize, usize),
    low: u64,
    range: u64,
) -> Vec<Vec<T>> {
    let mut sample = || T::try_from(low + noise.bits() % range).ok().expect("samples fit");
    (0..height).map(|_| (0..width).map(|_| sample()).collect()).collect()
}

/// Noise of the whole range, and noise whose differences stay below half of it but for a sample.
fn pairs<T: Copy + Into<u16> + TryFrom<u64>>(
    noise: &mut Noise,
    size: (usize, usize),
    max: u64,
) -> Vec<Pair<T>> {
    let range = max / 2 + 1;
    let mut rows = |low, range| rows::<T>(noise, size, low, range);
    let mut pairs = vec![
        Pair::new(rows(0, max + 1), rows(0, max + 1)),
        Pair::new(rows(max - range + 1, range), rows(max - range + 1, range)),
        Pair::new(rows(0, 3), rows(0, 3)),
    ];
    let (mut previous, current) = (rows(0, range), rows(0, range));
    let place = (noise.bits() as usize % size.1, noise.bits() as usize % size.0);
    previous[place.0][place.1] = T::try_from(max).ok().expect("the maximum fits");
    pairs.push(Pair::new(previous, current));
    pairs
}

#[test]
fn any_size_grid_and_number_of_frames() {
    let noise = &mut Noise(31);
    for width in WIDTHS {
        for height in HEIGHTS {
            let frames = 1 + noise.bits() as usize % 4;
            let first = noise.bits() as usize % (5 - frames);
            let bits8 = pairs::<u8>(noise, (width, height), 255);
            check(noise, &bits8[first..first + frames], 8);
            let bits = choice(noise, &[9, 10, 12, 15, 16]);
            let bits16 = pairs::<u16>(noise, (width, height), (1 << bits) - 1);
            check(noise, &bits16[first..first + frames], bits);
        }
    }
}

/// Sums and differences at the limits of their types: steps up and down of every height.
#[test]
fn extremes_of_every_depth() {
    let noise = &mut Noise(32);
    let flat = |value: u64| move |_: usize, _: usize| value;
    for bits in 8..=16 {
        let (max, half) = ((1 << bits) - 1, 1 << (bits - 1));
        for step in [1, half - 1, half, half + 1, max] {
            check_step(noise, bits, flat(step));
            check_step(noise, bits, |x, y| if (x + y).is_multiple_of(2) { step } else { 0 });
            check_step(noise, bits, |x, _| if x.is_multiple_of(3) { step } else { 0 });
            check_step(noise, bits, |_, y| if y.is_multiple_of(2) { step } else { 0 });
            check_step(noise, bits, |x, y| if (x, y) == (5, 6) { step } else { 0 });
        }
    }
}

/// A picture of these samples before and after black.
fn check_step(noise: &mut Noise, bits: u32, sample: impl Fn(usize, usize) -> u64) {
    fn pairs<T: Copy + Into<u16> + TryFrom<u64>>(sample: impl Fn(usize, usize) -> u64) -> [Pair<T>; 2] {
        let picture = |sample: &dyn Fn(usize, usize) -> u64| -> Vec<Vec<T>> {
            let of = |x, y| T::try_from(sample(x, y)).ok().expect("samples fit");
            (0..11).map(|y| (0..138).map(|x| of(x, y)).collect()).collect()
        };
        let (black, bright) = (picture(&|_, _| 0), picture(&sample));
        [Pair::new(black.clone(), bright.clone()), Pair::new(bright, black)]
    }
    if bits == 8 { check(noise, &pairs::<u8>(sample), 8) } else { check(noise, &pairs::<u16>(sample), bits) }
}

/// What no depth has, but 16-bit memory holds: the CPU takes it as it is.
#[test]
fn samples_above_the_depths_maximum() {
    let noise = &mut Noise(33);
    for bits in 9..16 {
        for size in [(3, 3), (17, 9), (131, 20), (250, 70)] {
            let pairs = pairs::<u16>(noise, size, u16::MAX.into());
            check(noise, &pairs, bits);
        }
    }
}
