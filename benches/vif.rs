// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Times of `vif` and `float_vif` on a pair of 1920x1080 at every level of this machine, one thread.

#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use vmaf_rs::cpu::Level;
use vmaf_rs::feature::{Definition, Dictionary, Frame, Setup, Values, float_vif, vif};
use vmaf_rs::picture::{Format, Picture, PixelFormat};
use vmaf_rs::schedule::Workers;

/// Slopes with noise: as in pictures, most samples need their logarithms.
fn picture(format: Format, seed: u32, amount: u32) -> Picture {
    let mut picture = Picture::new(format).unwrap();
    let mut state = seed;
    for y in 0..format.height {
        let row = picture.row_mut(0, y as usize);
        for (x, sample) in (0..).zip(row.chunks_mut(format.sample_bytes())) {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = ((x * 7 + y * 3) % 180 + (state >> 16) % amount) << (format.bpc - 8);
            sample.copy_from_slice(&value.to_le_bytes()[..sample.len()]);
        }
    }
    picture
}

fn frames(c: &mut Criterion) {
    for definition in [&vif::DEFINITION, &float_vif::DEFINITION] {
        extractor(c, definition);
    }
}

fn extractor(c: &mut Criterion, definition: &Definition) {
    let values = Values::read(definition.name, definition.options, &Dictionary::new()).unwrap();
    for bpc in [8, 10, 16] {
        let format = Format::new(PixelFormat::Yuv400, bpc, 1920, 1080).unwrap();
        let (reference, distorted) = (picture(format, 1, 60), picture(format, 2, 70));
        let frame =
            Frame { index: 0, reference, distorted, previous: [None, None], previous_distorted: None };
        let mut group = c.benchmark_group(format!("{}/{bpc}", definition.name));
        group.throughput(Throughput::Elements(1)).sample_size(20);
        for level in Level::available() {
            let extractor = (definition.make)(&Setup { format, level, slots: 1 }, &values).unwrap();
            let id = BenchmarkId::from_parameter(format!("{:?}", level.kind()));
            group.bench_function(id, |b| b.iter(|| extractor.measure(0, &frame, Workers::CALLER).unwrap()));
        }
    }
}

criterion_group!(benches, frames);
criterion_main!(benches);
