// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Times of the sums' kernels on planes of 1920x1080 at every level of this machine.

#![allow(missing_docs)]

use std::cell::RefCell;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use vmaf_rs::cpu::Level;
use vmaf_rs::feature::motion::simd::{Rows, Sample};
use vmaf_rs::feature::{self, Dictionary, Frame, Setup, Values, float_psnr, moment, motion, psnr};
use vmaf_rs::picture::{Format, Picture, PixelFormat, Plane};
use vmaf_rs::reduce::pairs;
use vmaf_rs::schedule::Workers;

const WIDTH: usize = 1920;
const HEIGHT: usize = 1080;

/// Reproducible samples of a plane, 0 to `max`.
fn samples(seed: u32, max: u16) -> Vec<u16> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as u16 & max
    };
    (0..WIDTH * HEIGHT).map(next).collect()
}

fn bytes(samples: &[u16]) -> Vec<u8> {
    samples.iter().map(|&x| x as u8).collect()
}

fn plane<T>(samples: &[T]) -> Plane<'_, T> {
    Plane::new(samples, WIDTH, HEIGHT, WIDTH)
}

/// Times `run` at every level under `name`, for `read` bytes a call.
fn levels<R>(c: &mut Criterion, name: &str, read: usize, run: impl Fn(Level) -> R) {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Bytes(read as u64));
    for level in Level::available() {
        let id = BenchmarkId::from_parameter(format!("{:?}", level.kind()));
        group.bench_function(id, |b| b.iter(|| black_box(run(level))));
    }
}

fn moments(c: &mut Criterion) {
    let row8 = bytes(&samples(1, 255));
    let area = row8.len();
    levels(c, "moment/8", area, |level| moment::simd::select(level).bits8(&plane(&row8), 0..HEIGHT));
    let row10 = samples(1, 1023);
    levels(c, "moment/10", 2 * area, |level| {
        let kernel = moment::simd::select(level);
        plane(&row10).rows(0..HEIGHT).map(|row| kernel.row12(row).squares).sum::<u64>()
    });
    let row16 = samples(1, u16::MAX);
    levels(c, "moment/16", 2 * area, |level| {
        let kernel = moment::simd::select(level);
        plane(&row16).rows(0..HEIGHT).map(|row| kernel.row16(row).squares).sum::<u64>()
    });
}

fn squared_errors(c: &mut Criterion) {
    let (r, d) = (bytes(&samples(1, 255)), bytes(&samples(2, 255)));
    let area = r.len();
    levels(c, "psnr/8", 2 * area, |level| psnr::simd::select(level).bits8(&plane(&r), &plane(&d), 0..HEIGHT));
    for (name, max) in [("psnr/10", 1023), ("psnr/16", u16::MAX)] {
        let (r, d) = (samples(1, max), samples(2, max));
        levels(c, name, 4 * area, |level| {
            psnr::simd::select(level).bits16(&plane(&r), &plane(&d), 0..HEIGHT)
        });
    }
}

fn float_noise(c: &mut Criterion) {
    let (r, d) = (samples(1, u16::MAX), samples(2, u16::MAX));
    levels(c, "float_psnr/16", 4 * r.len(), |level| {
        let kernel = float_psnr::simd::select(level);
        let rows = plane(&r).rows(0..HEIGHT).zip(plane(&d).rows(0..HEIGHT));
        rows.map(|(r, d)| kernel.row(r, d)).sum::<u64>()
    });
}

fn increments(c: &mut Criterion) {
    let row16 = samples(1, u16::MAX);
    levels(c, "pairs/16", 2 * row16.len(), |level| {
        let kernel = pairs::select(level);
        plane(&row16).rows(0..HEIGHT).map(|row| kernel.pair(row, 1).even).sum::<u64>()
    });
}

/// Times the blurred difference of planes where every row needs 16 bits only, as most do, and where it needs 17.
fn blurred_differences(c: &mut Criterion) {
    let narrow = |max: u16| [samples(1, max / 4), samples(2, max / 4)];
    let wide = |max: u16| [samples(1, max / 4), vec![max; WIDTH * HEIGHT]];
    for (content, planes) in [("", &narrow as &dyn Fn(u16) -> _), ("/wide", &wide)] {
        let [a, b] = planes(u8::MAX.into()).map(|plane: Vec<u16>| bytes(&plane));
        motion_levels(c, &format!("motion/8{content}"), [&a, &b], 8);
        for bpc in [10, 16] {
            let [a, b] = planes(u16::MAX >> (16 - bpc));
            motion_levels(c, &format!("motion/{bpc}{content}"), [&a, &b], bpc);
        }
    }
}

fn motion_levels<T: Sample>(c: &mut Criterion, name: &str, [a, b]: [&[T]; 2], bpc: u32) {
    let scratch = RefCell::new((Rows::new(WIDTH), vec![0; WIDTH]));
    levels(c, name, 2 * size_of_val(a), |level| {
        let (rows, row) = &mut *scratch.borrow_mut();
        match motion::simd::select(level) {
            Some(kernel) => kernel.sum(&plane(a), &plane(b), 0..HEIGHT, bpc, rows),
            None => Some(motion::scalar::sum(&plane(a), &plane(b), 0..HEIGHT, bpc, row)),
        }
    });
}

/// The specification's chains, which the scalar forms already beat.
fn chains(c: &mut Criterion) {
    let row16 = samples(1, u16::MAX);
    c.bench_function("chains/16", |b| b.iter(|| black_box(moment::scalar::chains(&plane(&row16), 256.0))));
}

/// A whole extractor on pairs of pictures, at every level.
fn extractor(c: &mut Criterion, name: &str) {
    let definition = feature::by_name(name).unwrap().definition;
    for (bpc, max) in [(8, 255), (10, 1023)] {
        let format = Format::new(PixelFormat::Yuv420, bpc, WIDTH as u32, HEIGHT as u32).unwrap();
        let (reference, distorted) = (picture(format, 1, max), picture(format, 2, max));
        let previous = [(); 2].map(|()| Some(distorted.clone()));
        let previous_distorted = Some(reference.clone());
        let frame = Frame { index: 2, reference, distorted, previous, previous_distorted };
        let values = Values::read(definition.name, definition.options, &Dictionary::new()).unwrap();
        let mut group = c.benchmark_group(format!("{name}/{bpc}"));
        group.throughput(Throughput::Elements(1));
        for level in Level::available() {
            let extractor = (definition.make)(&Setup { format, level, slots: 1 }, &values).unwrap();
            let id = BenchmarkId::from_parameter(format!("{:?}", level.kind()));
            group.bench_function(id, |b| b.iter(|| extractor.measure(0, &frame, Workers::CALLER).unwrap()));
        }
    }
}

fn picture(format: Format, seed: u32, max: u16) -> Picture {
    let mut picture = Picture::new(format).unwrap();
    let samples = samples(seed, max);
    for plane in 0..format.pixel.planes() {
        for (y, row) in samples.chunks(WIDTH).enumerate().take(picture.layout(plane).height) {
            let bytes = row.iter().flat_map(|x| x.to_le_bytes().into_iter().take(format.sample_bytes()));
            picture.row_mut(plane, y).iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        }
    }
    picture
}

fn extractors(c: &mut Criterion) {
    feature::names_of_all().for_each(|name| extractor(c, name));
}

criterion_group!(
    kernels,
    moments,
    squared_errors,
    float_noise,
    blurred_differences,
    increments,
    chains,
    extractors
);
criterion_main!(kernels);
