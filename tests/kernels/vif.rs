// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The kernels of `vif`, scale by scale.

use vmaf_rs::feature::vif::cuda::bands::Bands;
use vmaf_rs::feature::vif::cuda::fast::{SHARED_8, SHARED_16, log_bytes};
use vmaf_rs::feature::vif::scalar::{Lines, Sample, stripe};
use vmaf_rs::feature::vif::sums::Sums;
use vmaf_rs::feature::vif::tables::LOG_TABLE;
use vmaf_rs::feature::vif::task::{Stripe, Task};

use crate::emulator::{NO_PLANE, Picture, Plane, launch, launch_blocks};
use crate::{GRIDS, Noise};

const FRAMES: usize = 4;

#[derive(Clone, Copy)]
#[repr(C)]
struct Frame {
    pictures: [Plane; 2],
    before: [Plane; 2],
    sums: *mut [u64; 4],
}

#[derive(Clone, Copy)]
#[repr(C)]
struct ScaleParameters {
    frame: [Frame; FRAMES],
    logarithms: *const u16,
    gain_limit: f64,
    frames: u32,
    bits: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct LowParameters {
    from: [Plane; 2 * FRAMES],
    to: [Plane; 2 * FRAMES],
    pictures: u32,
    mean_shift: u32,
}

/// Samples of one picture.
type Rows<T> = Vec<Vec<T>>;

/// Pictures of a scale, reference and distorted, as the CPU and as kernels see them.
struct Pair<T> {
    flat: [Vec<T>; 2],
    pictures: [Picture<T>; 2],
}

impl<T: Copy + Default> Pair<T> {
    fn new(rows: [Rows<T>; 2]) -> Self {
        Self { flat: rows.each_ref().map(|rows| rows.concat()), pictures: rows.map(Picture::new) }
    }

    fn width(&self) -> usize {
        self.pictures[0].rows[0].len()
    }

    fn height(&self) -> usize {
        self.pictures[0].rows.len()
    }

    fn planes(&self) -> [Plane; 2] {
        self.pictures.each_ref().map(Picture::plane)
    }

    fn planes_to_write(&mut self) -> [Plane; 2] {
        self.pictures.each_mut().map(Picture::plane_to_write)
    }

    fn task(&self, scale: usize, bits: u32, gain_limit: f64) -> Task<'_, T> {
        let (width, height) = (self.width(), self.height());
        let planes =
            self.flat.each_ref().map(|samples| vmaf_rs::picture::Plane::new(samples, width, height, width));
        Task { scale, bits, planes, statistic: true, gain_limit, before: None }
    }

    /// Zeros in the size of the next scale.
    fn next(&self) -> Pair<u16> {
        let rows = || vec![vec![0; self.width() / 2]; self.height() / 2];
        Pair::new([rows(), rows()])
    }
}

/// What the CPU makes of a scale: the sums, and the pictures of the next.
fn on_cpu<T: Sample>(task: &Task<'_, T>) -> (Sums, [Vec<u16>; 2]) {
    let (width, height) = (task.width() / 2, task.height() / 2);
    let mut low = [(); 2].map(|()| vec![0; width * height]);
    let [reference, distorted] = &mut low;
    let low_rows =
        if task.scale < 3 { [&mut reference[..], &mut distorted[..]] } else { [&mut [][..], &mut []] };
    let stripe_of_all = Stripe { rows: 0..task.height(), low: low_rows, stride: width.max(1) };
    let sums = stripe(task, stripe_of_all, &mut Lines::default());
    (sums, low)
}

fn sums_of([numerator, denominator, flat_variance, flat]: [u64; 4]) -> Sums {
    let [numerator, denominator, flat_variance, flat] =
        [numerator, denominator, flat_variance, flat].map(|sum| sum as i64);
    Sums { numerator, denominator, flat_variance, flat }
}

/// The plain kernels.
struct Plain;

impl Plain {
    fn sums(
        kernel: &str,
        grid: [u32; 3],
        frames: &[([Plane; 2], [Plane; 2])],
        bits: u32,
        gain_limit: f64,
    ) -> Vec<Sums> {
        let mut sums = vec![[0; 4]; frames.len()];
        let mut frame =
            [Frame { pictures: [NO_PLANE; 2], before: [NO_PLANE; 2], sums: std::ptr::null_mut() }; FRAMES];
        for ((frame, &(pictures, before)), sums) in frame.iter_mut().zip(frames).zip(&mut sums) {
            *frame = Frame { pictures, before, sums };
        }
        let logarithms = LOG_TABLE.as_ptr();
        let parameters = ScaleParameters { frame, logarithms, gain_limit, frames: frames.len() as u32, bits };
        launch(kernel, grid, &parameters);
        sums.into_iter().map(sums_of).collect()
    }

    /// Fills the pictures `to`.
    fn low_pass(kernel: &str, grid: [u32; 3], pairs: &[([Plane; 2], [Plane; 2])], mean_shift: u32) {
        let mut parameters = LowParameters {
            from: [NO_PLANE; 2 * FRAMES],
            to: [NO_PLANE; 2 * FRAMES],
            pictures: 2 * pairs.len() as u32,
            mean_shift,
        };
        for (index, (from, to)) in pairs.iter().enumerate() {
            parameters.from[2 * index..][..2].copy_from_slice(from);
            parameters.to[2 * index..][..2].copy_from_slice(to);
        }
        launch(kernel, grid, &parameters);
    }
}

/// Slopes with noise, and the same dimmed with other noise: gains of all sizes.
fn textures(noise: &mut Noise, (width, height): (usize, usize), max: u16) -> [Rows<u16>; 2] {
    let max = u64::from(max);
    let slope = |x: usize, y: usize| (x * 7 + y * 5) as u64 % 97 * max / 128;
    let mut add = |value: u64, amount: u64| (value + noise.bits() % amount).min(max) as u16;
    let reference: Rows<u16> =
        (0..height).map(|y| (0..width).map(|x| add(slope(x, y), max / 12 + 1)).collect()).collect();
    let distorted = reference
        .iter()
        .map(|row| row.iter().map(|&x| add(u64::from(x) * 3 / 4, max / 24 + 1)).collect())
        .collect();
    [reference, distorted]
}

/// Pairs of pictures of one size: textures, the same with roles changed (gains above 1), noise with flat rows, and
/// extremes side by side.
fn pairs(noise: &mut Noise, size: (usize, usize), max: u16) -> Vec<[Rows<u16>; 2]> {
    let [reference, distorted] = textures(noise, size, max);
    let checks = |a: u16, b: u16| {
        (0..size.1)
            .map(|y| (0..size.0).map(|x| if (x / 5 + y / 3) % 2 == 0 { a } else { b }).collect())
            .collect()
    };
    vec![
        [distorted.clone(), reference.clone()],
        [reference, distorted],
        [noise.rows(size.0, size.1, max), noise.rows(size.0, size.1, max)],
        [checks(0, max), checks(max, 0)],
    ]
}

fn bytes(rows: &Rows<u16>) -> Rows<u8> {
    rows.iter().map(|row| row.iter().map(|&x| x as u8).collect()).collect()
}

/// Around a segment and a warp's columns; 8 samples are the least at scale 0, 1 at scale 3.
fn sizes(scale: usize) -> Vec<(usize, usize)> {
    let least = 8 >> scale;
    let mut sizes = vec![(least, least), (least + 1, 2 * least + 1), (16, 9), (17, 17), (33, 12)];
    sizes.extend([(111, 8), (112, 10), (113, 9), (127, 8), (226, 9), (333, 18)]);
    sizes
}

const KERNELS: [[&str; 4]; 2] = [
    ["vif_scale0_8", "vif_scale1", "vif_scale2", "vif_scale3"],
    ["vif_scale0_16", "vif_scale1", "vif_scale2", "vif_scale3"],
];

/// Compares both kernels of a scale with the CPU, all pairs in one launch.
fn check<T: Sample + Default + PartialEq + std::fmt::Debug>(
    pairs: Vec<[Rows<T>; 2]>,
    [sums, low]: [&str; 2],
    scale: usize,
    bits: u32,
    gain_limit: f64,
) {
    let pairs: Vec<_> = pairs.into_iter().map(Pair::new).collect();
    let expected: Vec<_> = pairs.iter().map(|pair| on_cpu(&pair.task(scale, bits, gain_limit))).collect();
    let what = format!("{sums}, {}x{}, {bits} bits, limit {gain_limit}", pairs[0].width(), pairs[0].height());
    for (grid, z) in GRIDS.into_iter().zip([1, 3, 4]) {
        let frames: Vec<_> = pairs.iter().map(|pair| (pair.planes(), [NO_PLANE; 2])).collect();
        let found = Plain::sums(sums, [grid, 1, z], &frames, bits, gain_limit);
        let expected_sums: Vec<_> = expected.iter().map(|(sums, _)| *sums).collect();
        assert_eq!(found, expected_sums, "{what}, grid {grid}");
        if scale == 3 {
            continue;
        }
        let mut next: Vec<_> = pairs.iter().map(Pair::next).collect();
        let jobs: Vec<_> =
            pairs.iter().zip(&mut next).map(|(from, to)| (from.planes(), to.planes_to_write())).collect();
        Plain::low_pass(low, [grid, 1, 2 * z], &jobs, if scale == 0 { bits } else { 16 });
        for (next, (_, expected)) in next.iter().zip(&expected) {
            let found = next.pictures.each_ref().map(|picture| picture.read().concat());
            assert!(found == *expected, "{low}, {what}, grid {grid}");
        }
    }
}

#[test]
fn scale_0_of_8_bits() {
    let noise = &mut Noise(21);
    for size in sizes(0) {
        let pairs = pairs(noise, size, 255).iter().map(|pair| pair.each_ref().map(bytes)).collect();
        check(pairs, ["vif_scale0_8", "vif_low1_8"], 0, 8, 100.0);
    }
}

#[test]
fn scale_0_of_9_to_16_bits() {
    let noise = &mut Noise(22);
    for (index, size) in sizes(0).into_iter().enumerate() {
        for bits in [9 + index as u32 % 8, 10, 12, 16] {
            check(
                pairs(noise, size, u16::MAX >> (16 - bits)),
                ["vif_scale0_16", "vif_low1_16"],
                0,
                bits,
                100.0,
            );
        }
    }
}

#[test]
fn samples_above_the_range_wrap() {
    let noise = &mut Noise(23);
    for bits in 9..16 {
        let max = u16::MAX >> (16 - bits);
        let mut pairs = pairs(noise, (130, 21), u16::MAX);
        // One sample is enough.
        let [reference, mut distorted] = textures(noise, (130, 21), max);
        distorted[9][129] = max + 1;
        pairs[3] = [reference, distorted];
        check(pairs, ["vif_scale0_16", "vif_low1_16"], 0, bits, 100.0);
    }
}

#[test]
fn scales_1_to_3() {
    let noise = &mut Noise(24);
    for scale in 1..4 {
        let kernels = [KERNELS[0][scale], ["", "vif_low2", "vif_low3", ""][scale]];
        for size in sizes(scale) {
            // Single rows and columns are another test's.
            if size.0.min(size.1) > 1 {
                check(pairs(noise, size, u16::MAX), kernels, scale, 8, 100.0);
            }
        }
    }
}

#[test]
fn gains_are_limited() {
    let noise = &mut Noise(25);
    for limit in [1.0, 1.25, 3.5] {
        let pairs = pairs(noise, (50, 20), 1023);
        check(pairs, ["vif_scale0_16", "vif_low1_16"], 0, 10, limit);
    }
}

#[test]
fn a_single_row_or_column_borrows_from_the_scale_before() {
    let noise = &mut Noise(26);
    for (width, height) in [(2, 2), (3, 3), (2, 3), (2, 17), (3, 40), (17, 2), (300, 3)] {
        let before = Pair::new([noise.rows(width, height, u16::MAX), noise.rows(width, height, u16::MAX)]);
        let rows = |noise: &mut Noise| noise.rows(width / 2, height / 2, u16::MAX);
        let last = Pair::<u16>::new([rows(noise), rows(noise)]);
        let task = before.task(2, 8, 100.0);
        let (expected, _) = on_cpu(&Task { before: Some(&task), ..last.task(3, 8, 100.0) });
        for grid in GRIDS {
            let found =
                Plain::sums("vif_scale3", [grid, 1, 1], &[(last.planes(), before.planes())], 8, 100.0);
            assert_eq!(found, [expected], "{width}x{height} before, grid {grid}");
        }
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
struct FastScale {
    pictures: [Plane; 2],
    next: [Plane; 2],
    sums: *mut [u64; 4],
}

const NO_SCALE: FastScale =
    FastScale { pictures: [NO_PLANE; 2], next: [NO_PLANE; 2], sums: std::ptr::null_mut() };

#[derive(Clone, Copy)]
#[repr(C)]
struct FastParameters<Scales: Copy> {
    frame: [Scales; FRAMES],
    bands: *const u8,
    logarithms: *const u8,
    gain_limit: f64,
    frames: u32,
    bits: u32,
}

/// Aligned as in device memory.
fn aligned(bytes: &[u8]) -> Vec<u128> {
    let words = bytes.chunks(16).map(|chunk| u128::from_ne_bytes(chunk.try_into().expect("16 bytes")));
    words.collect()
}

/// Compares the fast kernel of scale 0 with the CPU, all pairs in one launch.
fn check_fast<T: Sample + Default>(
    pairs: Vec<[Rows<T>; 2]>,
    kernel: &str,
    shared: u32,
    bits: u32,
    gain_limit: f64,
) {
    let pairs: Vec<_> = pairs.into_iter().map(Pair::new).collect();
    let expected: Vec<_> = pairs.iter().map(|pair| on_cpu(&pair.task(0, bits, gain_limit))).collect();
    let (bands, logarithms) = (aligned(&Bands::new(0, bits, 2 * (bits - 8)).bytes()), aligned(&log_bytes()));
    let what =
        format!("{kernel}, {}x{}, {bits} bits, limit {gain_limit}", pairs[0].width(), pairs[0].height());
    for (grid, z) in GRIDS.into_iter().zip([1, 3, 4]) {
        let mut next: Vec<_> = pairs.iter().map(Pair::next).collect();
        let mut sums = vec![[0; 4]; pairs.len()];
        let mut frame = [NO_SCALE; FRAMES];
        for (((frame, pair), next), sums) in frame.iter_mut().zip(&pairs).zip(&mut next).zip(&mut sums) {
            *frame = FastScale { pictures: pair.planes(), next: next.planes_to_write(), sums };
        }
        let (bands, logarithms) = (bands.as_ptr().cast(), logarithms.as_ptr().cast());
        let frames = pairs.len() as u32;
        let parameters = FastParameters { frame, bands, logarithms, gain_limit, frames, bits };
        launch_blocks(kernel, [grid, 1, z], 256, shared, &parameters);
        for ((sums, next), (expected, pictures)) in sums.into_iter().zip(&next).zip(&expected) {
            assert_eq!(sums_of(sums), *expected, "{what}, grid {grid}");
            let found = next.pictures.each_ref().map(|picture| picture.read().concat());
            assert!(found == *pictures, "pictures of scale 1, {what}, grid {grid}");
        }
    }
}

/// Around strips and windows, less and more of them than warps.
const FAST_SIZES: [(usize, usize); 9] =
    [(16, 16), (17, 17), (16, 47), (31, 33), (32, 32), (33, 18), (145, 35), (200, 16), (333, 50)];

#[test]
fn fast_scale_0_of_8_bits() {
    let noise = &mut Noise(31);
    for size in FAST_SIZES {
        let pairs = pairs(noise, size, 255).iter().map(|pair| pair.each_ref().map(bytes)).collect();
        check_fast(pairs, "vif_fast_8", SHARED_8, 8, 100.0);
    }
}

fn fast_kernel(bits: u32) -> &'static str {
    if bits <= 12 { "vif_fast_12" } else { "vif_fast_16" }
}

#[test]
fn fast_scale_0_of_9_to_16_bits() {
    let noise = &mut Noise(32);
    for (index, size) in FAST_SIZES.into_iter().enumerate() {
        for bits in [9 + index as u32 % 8, 10, 16] {
            check_fast(
                pairs(noise, size, u16::MAX >> (16 - bits)),
                fast_kernel(bits),
                SHARED_16,
                bits,
                100.0,
            );
        }
    }
}

#[test]
fn fast_kernels_take_samples_above_the_range() {
    let noise = &mut Noise(33);
    for bits in 9..16 {
        let max = u16::MAX >> (16 - bits);
        let mut pairs = pairs(noise, (150, 21), u16::MAX);
        // One sample is enough, and what a warp knows of it must not be late.
        let [reference, mut distorted] = textures(noise, (150, 21), max);
        distorted[9][noise.bits() as usize % 150] = max + 1 + noise.bits() as u16 % (u16::MAX - max);
        pairs[3] = [reference, distorted];
        check_fast(pairs, fast_kernel(bits), SHARED_16, bits, 100.0);
    }
}

#[test]
fn fast_kernels_limit_gains() {
    let noise = &mut Noise(34);
    for limit in [1.0, 1.25, 3.5] {
        check_fast(pairs(noise, (50, 20), 1023), "vif_fast_12", SHARED_16, 10, limit);
    }
}

#[test]
fn fast_scales_1_to_3() {
    let noise = &mut Noise(35);
    let bands: Vec<_> = [1, 2, 3].iter().flat_map(|&scale| Bands::new(scale, 16, 16).bytes()).collect();
    let (bands, logarithms) = (aligned(&bands), aligned(&log_bytes()));
    for (width, height) in [(8, 8), (9, 17), (15, 30), (33, 20), (70, 45), (200, 16)] {
        let scales = [1, 2, 3].map(|scale| {
            let size = (width >> (scale - 1), height >> (scale - 1));
            pairs(noise, size, u16::MAX).into_iter().map(Pair::new).collect::<Vec<_>>()
        });
        for (grid, z) in GRIDS.into_iter().zip([1, 3, 4]) {
            let mut sums = [[[0; 4]; 3]; FRAMES];
            let mut frame = [[NO_SCALE; 3]; FRAMES];
            for (index, (frame, sums)) in frame.iter_mut().zip(&mut sums).enumerate() {
                for ((scale, pairs), sums) in frame.iter_mut().zip(&scales).zip(sums) {
                    *scale = FastScale { pictures: pairs[index].planes(), sums, ..NO_SCALE };
                }
            }
            let (bands, logarithms) = (bands.as_ptr().cast(), logarithms.as_ptr().cast());
            let frames = FRAMES as u32;
            let parameters = FastParameters { frame, bands, logarithms, gain_limit: 100.0, frames, bits: 8 };
            launch_blocks("vif_fast_small", [grid, 1, z], 256, SHARED_16, &parameters);
            for (index, sums) in sums.into_iter().enumerate() {
                for (scale, (sums, pairs)) in (1..).zip(sums.into_iter().zip(&scales)) {
                    let (expected, _) = on_cpu(&pairs[index].task(scale, 8, 100.0));
                    assert_eq!(
                        sums_of(sums),
                        expected,
                        "{width}x{height} at scale 1, scale {scale}, grid {grid}"
                    );
                }
            }
        }
    }
}
