// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The kernels of the ordered sum, against the reference's chain. They can begin anywhere, so that small planes reach
//! every edge.

use vmaf_rs::feature::float_psnr::scalar as noise_terms;
use vmaf_rs::feature::moment::scalar as moment_terms;
use vmaf_rs::reduce::ordered::{EXACT, place, term_by_term};

use crate::emulator::{Picture, Plane, launch};
use crate::{GRIDS, Noise, SIZES};

#[derive(Clone, Copy)]
#[repr(C)]
pub struct OrderedRows {
    pub sums: *mut u64,
    pub pairs: *mut [u32; 4],
}

impl OrderedRows {
    pub const NONE: Self = Self { sums: std::ptr::null_mut(), pairs: std::ptr::null_mut() };
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct MomentParameters {
    pub luma: [Plane; 2],
    pub sums: *mut [u64; 2],
    pub rows: OrderedRows,
    pub start: u64,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct FloatPsnrParameters {
    luma: [Plane; 2],
    noise: *mut u64,
    rows: OrderedRows,
    start: u64,
}

/// `u128`s, since increments are aligned to 16 bytes.
struct Scratch {
    sums: Vec<u64>,
    pairs: Vec<u128>,
}

impl Scratch {
    fn new(rows: usize) -> Self {
        Self { sums: vec![0xdead_beef; rows], pairs: vec![u128::MAX; rows] }
    }

    fn rows(&mut self) -> OrderedRows {
        OrderedRows { sums: self.sums.as_mut_ptr(), pairs: self.pairs.as_mut_ptr().cast() }
    }

    /// Wrong places would not make the sum wrong, but slow.
    fn check_places(&self, height: u32, start: u64) {
        let height = height as usize;
        for (sums, pairs) in self.sums.chunks(height).zip(self.pairs.chunks(height)) {
            if start + sums.iter().sum::<u64>() <= EXACT {
                continue;
            }
            let mut before = start;
            for (sum, pair) in sums.iter().zip(pairs) {
                assert_eq!((pair >> 64) as u32, place(before), "start {start}, before {before}");
                before += sum;
            }
        }
    }
}

/// The ordered sums of both pictures' squares.
fn moments(luma: [Plane; 2], grid: u32, start: u64) -> [u64; 2] {
    let mut scratch = Scratch::new(2 * luma[0].height as usize);
    let mut sums = [[0; 2]; 2];
    let parameters = MomentParameters { luma, sums: sums.as_mut_ptr(), rows: scratch.rows(), start };
    for (kernel, grid) in [("moment_16", grid), ("moment_pairs_16", grid), ("moment_walk_16", 1)] {
        launch(kernel, [grid, 1, 2], &parameters);
    }
    scratch.check_places(luma[0].height, start);
    sums.map(|[_, squares]| squares)
}

fn noise(luma: [Plane; 2], grid: u32, start: u64) -> u64 {
    let mut scratch = Scratch::new(luma[0].height as usize);
    let mut noise = 0;
    let parameters = FloatPsnrParameters { luma, noise: &raw mut noise, rows: scratch.rows(), start };
    for (kernel, grid) in [("float_psnr_16", grid), ("float_psnr_pairs_16", grid), ("float_psnr_walk_16", 1)]
    {
        launch(kernel, [grid, 1, 1], &parameters);
    }
    scratch.check_places(luma[0].height, start);
    noise
}

/// The terms of three sums over a pair of pictures.
struct Terms([Vec<u32>; 3]);

impl Terms {
    fn new([reference, distorted]: &[Picture<u16>; 2]) -> Self {
        let squares = |picture: &Picture<u16>| {
            picture.rows.iter().flat_map(|row| moment_terms::row_terms(row)).collect()
        };
        let pairs = reference.rows.iter().zip(&distorted.rows);
        let noise =
            pairs.flat_map(|(reference, distorted)| noise_terms::row_terms(reference, distorted)).collect();
        Self([squares(reference), squares(distorted), noise])
    }

    fn sums(&self) -> [u64; 3] {
        self.0.each_ref().map(|terms| terms.iter().copied().map(u64::from).sum())
    }

    fn chains(&self, start: u64) -> [u64; 3] {
        self.0.each_ref().map(|terms| term_by_term(start, terms.iter().copied()))
    }
}

/// Checks all three sums from one start; tells in how many of them something rounded.
fn check(pictures: &[Picture<u16>; 2], terms: &Terms, grid: u32, start: u64) -> usize {
    let start = start as f64 as u64;
    let luma = [pictures[0].plane(), pictures[1].plane()];
    let [reference, distorted] = moments(luma, grid, start);
    let found = [reference, distorted, noise(luma, grid, start)];
    let expected = terms.chains(start);
    assert_eq!(found, expected, "{}x{}, grid {grid}, start {start}", luma[0].width, luma[0].height);
    let exact = terms.sums().map(|sum| sum + start);
    exact.iter().zip(expected).filter(|&(&exact, rounded)| exact != rounded).count()
}

/// Starts from which some of the sums meet 2^(52 + place) before, in, or after their rows.
fn starts(terms: &Terms, place: u32) -> Vec<u64> {
    let edge = EXACT << (place - 1);
    let [first, second, third] = terms.sums();
    vec![edge, edge - 1, edge + 12345, edge - first, edge - second / 2, edge - third / 3, edge - third]
}

/// Samples whose squares are ties at `place`: half a last place, or an odd multiple of it. Else noise up to `max`.
fn tie_rows(noise: &mut Noise, (width, height): (usize, usize), max: u16, place: u32) -> Vec<Vec<u16>> {
    let mut rows: Vec<Vec<u16>> = noise.rows(width, height, max);
    let half = 1 << ((place - 1) / 2);
    for sample in rows.iter_mut().flatten() {
        if noise.bits().is_multiple_of(2) {
            *sample = half * (1 + 2 * (noise.bits() % 4) as u16);
        }
    }
    rows
}

#[test]
fn sums_equal_the_chain_at_every_binade_edge() {
    let noise = &mut Noise(11);
    let mut rounded = [0; 9];
    // More rows than a block has threads; parts of one and of several chunks.
    for size in [(9, 300), (70, 40), (4099, 2)] {
        for (place, rounded) in (1..).zip(&mut rounded) {
            for max in [15, u16::MAX] {
                let pictures = [(); 2].map(|()| Picture::new(tie_rows(noise, size, max, place)));
                let terms = Terms::new(&pictures);
                for start in starts(&terms, place) {
                    *rounded += check(&pictures, &terms, 3, start);
                }
            }
        }
    }
    assert!(rounded.iter().all(|&rounded| rounded > 20), "too little was rounded: {rounded:?}");
}

#[test]
fn any_size_and_grid() {
    let noise = &mut Noise(12);
    for size in SIZES {
        let pictures = [(); 2].map(|()| Picture::new(noise.rows(size.0, size.1, u16::MAX)));
        let terms = Terms::new(&pictures);
        for grid in GRIDS {
            for start in [0, EXACT - terms.sums()[0], EXACT - terms.sums()[1] / 2] {
                check(&pictures, &terms, grid, start);
            }
        }
    }
}

/// Pictures whose terms are these for all three sums.
fn squares(rows: &[Vec<u16>]) -> [Picture<u16>; 2] {
    // The noise is the distorted picture's square where the reference is black.
    [Picture::new(rows.iter().map(|row| vec![0; row.len()]).collect()), Picture::new(rows.to_vec())]
}

#[test]
fn sums_beside_two_to_the_53() {
    for ones in 0..6 {
        for below in 0..5 {
            let mut row = vec![0; 6];
            row[..ones].fill(1);
            let pictures =
                squares(&[row, vec![0; 6], vec![0, 1, 0, 0, 0, 0], vec![1, 0, 0, 1, 0, 2], vec![1; 6]]);
            check(&pictures, &Terms::new(&pictures), 2, EXACT - below);
        }
    }
}

#[test]
fn ones_are_lost_on_an_even_sum() {
    let pictures = squares(&vec![vec![1; 100]; 300]);
    assert_eq!(check(&pictures, &Terms::new(&pictures), 2, EXACT), 2);
    let luma = [pictures[0].plane(), pictures[1].plane()];
    assert_eq!(noise(luma, 1, EXACT), EXACT);
}

/// The rounded sum falls behind the exact one by more than a row: rows are expected in a binade that comes much later.
#[test]
fn rows_that_start_in_another_binade_than_expected() {
    let edge = EXACT << 1;
    let pictures = squares(&vec![vec![1; 64]; 600]);
    assert_eq!(check(&pictures, &Terms::new(&pictures), 4, edge - 64 * 20), 2);
    let mut rows = vec![vec![1; 64]; 300];
    rows.extend(vec![vec![u16::MAX; 64]; 3]);
    rows.extend(vec![vec![1; 64]; 290]);
    let pictures = squares(&rows);
    assert_eq!(check(&pictures, &Terms::new(&pictures), 4, edge - 64 * 400), 2);
}
