// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The low pass at every instruction-set level.
//!
//! A row of the picture has a share in four or five rows of the next scale. It is multiplied once by the distinct taps
//! that its place among them calls for, then added to the rows under way, each of which so gets its 81 products from
//! top to bottom and from left to right. Even and odd samples are kept apart, as even and odd columns of
//! the low pass see only one kind each.

use super::scalar::{QUARTER, SIZE};
use crate::cpu::{Kind, Level};
use crate::feature::ssim::image::{Image, mirror};
use crate::feature::ssim::simd::lanes::Lanes;

/// Samples of the next scale whose products are held at a time.
const BLOCK: usize = 64;

/// Their products reach further, rounded up to vectors.
const PRODUCTS: usize = BLOCK + 8;

/// Samples that the low pass needs on each side of its centre.
const REACH: usize = SIZE / 2;

/// The low pass at one level.
#[derive(Clone, Copy, Debug)]
pub struct Kernel(unsafe fn(&Image<'_>, usize, &mut [Vec<f32>], &mut Work));

/// The kernel of `level`, if there is a faster one than the plain arithmetic.
pub fn select(level: Level) -> Option<Kernel> {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => Some(Kernel(avx2)),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 | Kind::Avx512Icl => Some(Kernel(avx512)),
        _ => None,
    }
}

impl Kernel {
    /// Writes rows of the next scale, the first of them being number `first`.
    pub fn rows(&self, image: &Image<'_>, first: usize, rows: &mut [Vec<f32>], work: &mut Work) {
        work.fit(image.width());
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.0)(image, first, rows, work) }
    }
}

/// Work space of some rows.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// A row with its mirrored ends.
    row: Vec<f32>,
    /// Its samples number 0, 2, 4..., and the others.
    halves: [Vec<f32>; 2],
    /// Products of a block with the tap at row q and column u, in place 5 q + u.
    products: Vec<[f64; PRODUCTS]>,
    /// Sums under way, the latest begun first.
    running: [Vec<f64>; 5],
    /// The row that is complete.
    complete: Vec<f32>,
}

impl Work {
    /// Makes room for the rows of an image of this width.
    fn fit(&mut self, width: usize) {
        let columns = width.div_ceil(2).next_multiple_of(BLOCK);
        self.row.resize(2 * columns + 16, 0.0);
        self.halves.iter_mut().for_each(|half| half.resize(columns + 8, 0.0));
        self.products.resize(25, [0.0; PRODUCTS]);
        self.running.iter_mut().for_each(|sums| sums.resize(columns, 0.0));
        self.complete.resize(columns, 0.0);
    }

    /// Takes in row `y`, which may lie beyond the edges.
    #[inline(always)]
    fn read(&mut self, image: &Image<'_>, y: isize) {
        let width = image.width();
        let row = &mut self.row;
        image.read(mirror(y, image.height()), 0..width, &mut row[REACH..]);
        for beyond in 1..=REACH + 1 {
            let outside = width as isize + beyond as isize - 1;
            row[REACH + width + beyond - 1] = row[REACH + mirror(outside, width)];
            if beyond <= REACH {
                row[REACH - beyond] = row[REACH + mirror(-(beyond as isize), width)];
            }
        }
        let [even, odd] = &mut self.halves;
        for ((pair, even), odd) in row.chunks_exact(2).zip(even).zip(odd) {
            (*even, *odd) = (pair[0], pair[1]);
        }
    }
}

/// Where the products for the tap at row `q` and column `u` are: taps that are equal by symmetry and see the same
/// samples share them.
const fn place(q: usize, u: usize) -> usize {
    if is_shared(q, u) { 5 * u + q } else { 5 * q + u }
}

const fn is_shared(q: usize, u: usize) -> bool {
    q % 2 == u % 2 && u < q
}

/// Makes the products of the block at `block` with the low pass's rows of one parity.
///
/// # Safety
/// The CPU has the level, and the block lies within the row.
#[inline(always)]
unsafe fn make_products<L: Lanes, const PARITY: usize>(work: &mut Work, block: usize) {
    let Work { halves: [even, odd], products, .. } = work;
    let products = &mut products[..25];
    for x in (0..PRODUCTS).step_by(L::COUNT) {
        // SAFETY: as the caller keeps to; a row has PRODUCTS - BLOCK samples beyond its last block.
        unsafe {
            let samples = [L::load(even, block + x), L::load(odd, block + x)];
            for q in (PARITY..5).step_by(2) {
                for u in 0..5 {
                    if !is_shared(q, u) {
                        let product = L::widen(L::multiply(samples[u % 2], L::all(QUARTER[q][u])));
                        L::store_doubles(&mut products[place(q, u)], x, product);
                    }
                }
            }
        }
    }
}

/// Adds one row of nine products to a sum.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn add<L: Lanes>(mut sum: L::Doubles, row: [L::Doubles; SIZE]) -> L::Doubles {
    for product in row {
        // SAFETY: as the caller keeps to.
        sum = unsafe { L::add(sum, product) };
    }
    sum
}

/// The nine products of the low pass's row `q` for the outputs at `x`.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn row<L: Lanes>(products: &[[f64; PRODUCTS]], q: usize, x: usize) -> [L::Doubles; SIZE] {
    // SAFETY: as the caller keeps to; the reach of 4 is within PRODUCTS - BLOCK.
    unsafe {
        let mut row = [L::zero(); SIZE];
        for (u, product) in row.iter_mut().enumerate() {
            *product = L::load_doubles(&products[place(q, u.min(SIZE - 1 - u))], x + u / 2);
        }
        row
    }
}

/// Gives a block of an even row to the five sums that see it: rows 0, 2, 4, 6 and 8 of the low pass.
///
/// # Safety
/// The CPU has the level, and the block lies within the row.
#[inline(always)]
unsafe fn add_even<L: Lanes>(work: &mut Work, block: usize) {
    let Work { products, running, complete, .. } = work;
    let products = &products[..25];
    for x in (0..BLOCK).step_by(L::COUNT) {
        let at = block + x;
        // SAFETY: as the caller keeps to.
        unsafe {
            let outer = row::<L>(products, 0, x);
            L::store_doubles(&mut running[0], at, add::<L>(L::zero(), outer));
            let sum = add::<L>(L::load_doubles(&running[4], at), outer);
            L::store(complete, at, L::narrow(sum));
            let middle = row::<L>(products, 2, x);
            add_to::<L>(&mut running[1], at, middle);
            add_to::<L>(&mut running[3], at, middle);
            add_to::<L>(&mut running[2], at, row::<L>(products, 4, x));
        }
    }
}

/// Adds one row of nine products to the sums at `at`.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn add_to<L: Lanes>(sums: &mut [f64], at: usize, row: [L::Doubles; SIZE]) {
    // SAFETY: as the caller keeps to.
    unsafe {
        let sum = add::<L>(L::load_doubles(sums, at), row);
        L::store_doubles(sums, at, sum);
    }
}

/// Gives a block of an odd row to the four sums that see it: rows 1, 3, 5 and 7 of the low pass.
///
/// # Safety
/// The CPU has the level, and the block lies within the row.
#[inline(always)]
unsafe fn add_odd<L: Lanes>(work: &mut Work, block: usize) {
    let Work { products, running, .. } = work;
    let products = &products[..25];
    for x in (0..BLOCK).step_by(L::COUNT) {
        let at = block + x;
        // SAFETY: as the caller keeps to.
        unsafe {
            let outer = row::<L>(products, 1, x);
            add_to::<L>(&mut running[0], at, outer);
            add_to::<L>(&mut running[3], at, outer);
            let inner = row::<L>(products, 3, x);
            add_to::<L>(&mut running[1], at, inner);
            add_to::<L>(&mut running[2], at, inner);
        }
    }
}

/// # Safety
/// The CPU has the level, and the work space fits the image.
#[inline(always)]
unsafe fn rows<L: Lanes>(image: &Image<'_>, first: usize, out: &mut [Vec<f32>], work: &mut Work) {
    let (reach, first) = (REACH as isize, 2 * first as isize);
    let blocks = (0..image.width().div_ceil(2)).step_by(BLOCK);
    for y in -reach..2 * out.len() as isize + reach - 1 {
        work.read(image, first + y);
        if y % 2 != 0 {
            for block in blocks.clone() {
                // SAFETY: as the caller keeps to.
                unsafe {
                    make_products::<L, 1>(work, block);
                    add_odd::<L>(work, block);
                }
            }
            continue;
        }
        work.running.rotate_right(1);
        for block in blocks.clone() {
            // SAFETY: as the caller keeps to.
            unsafe {
                make_products::<L, 0>(work, block);
                add_even::<L>(work, block);
            }
        }
        // Sums that were begun above the first row are incomplete.
        if y >= reach {
            let out = &mut out[((y - reach) / 2) as usize];
            let width = out.len();
            out.copy_from_slice(&work.complete[..width]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(image: &Image<'_>, first: usize, out: &mut [Vec<f32>], work: &mut Work) {
    // SAFETY: this function is compiled for the level.
    unsafe { rows::<crate::feature::ssim::simd::lanes::Avx2>(image, first, out, work) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512(image: &Image<'_>, first: usize, out: &mut [Vec<f32>], work: &mut Work) {
    // SAFETY: this function is compiled for the level.
    unsafe { rows::<crate::feature::ssim::simd::lanes::Avx512>(image, first, out, work) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::float_ms_ssim::scalar::halve;
    use crate::feature::ssim::image::{FloatPlane, decimated};
    use crate::feature::ssim::testing::pictures;

    #[test]
    fn every_level_gives_the_next_scale_of_plain_arithmetic() {
        for (seed, (width, height)) in
            (1..).zip([(11, 11), (12, 13), (22, 15), (127, 12), (128, 9), (129, 31), (130, 14), (257, 33)])
        {
            for (name, picture) in pictures(width, height, seed) {
                let mut expected = FloatPlane::new(decimated(width, 2), decimated(height, 2));
                halve(&picture.plane(), &mut expected);
                for (level, kernel) in levels() {
                    let work = &mut Work::default();
                    for stripe in [1, 3, expected.height()] {
                        let mut out = FloatPlane::new(expected.width(), expected.height());
                        for (n, rows) in out.rows_mut().chunks_mut(stripe).enumerate() {
                            kernel.rows(&picture.image(), n * stripe, rows, work);
                        }
                        let what = format!("{level:?}, {width}x{height}, {name}, stripes of {stripe}");
                        for y in 0..out.height() {
                            let bits =
                                |plane: &FloatPlane| plane.row(y).iter().map(|x| x.to_bits()).collect();
                            let (got, expected): (Vec<_>, Vec<_>) = (bits(&out), bits(&expected));
                            assert_eq!(got, expected, "{what}, row {y}");
                        }
                    }
                }
            }
        }
    }

    fn levels() -> impl Iterator<Item = (Level, Kernel)> {
        Level::available().into_iter().filter_map(|level| Some((level, select(level)?)))
    }
}
