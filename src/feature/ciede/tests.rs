// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The extractor as a caller sees it: formats, depths, equal pictures.

use crate::context::{Configuration, Context};
use crate::error::{Error, Result};
use crate::feature::Dictionary;
use crate::picture::{Format, Picture, PixelFormat};
use crate::reduce::testing::Noise;

fn format(pixel: PixelFormat, bpc: u32, width: u32, height: u32) -> Format {
    Format::new(pixel, bpc, width, height).unwrap()
}

/// A picture whose samples are `sample(plane, y, x)`.
fn picture(format: Format, mut sample: impl FnMut(usize, usize, usize) -> u16) -> Picture {
    let mut picture = Picture::new(format).unwrap();
    for plane in 0..format.pixel.planes() {
        for y in 0..picture.layout(plane).height {
            let row = picture.row_mut(plane, y);
            for (x, bytes) in row.chunks_mut(format.sample_bytes()).enumerate() {
                bytes.copy_from_slice(&sample(plane, y, x).to_le_bytes()[..format.sample_bytes()]);
            }
        }
    }
    picture
}

/// The score of one pair.
fn score(reference: Picture, distorted: Picture, n_threads: u32) -> Result<f64> {
    let quiet = Configuration { log_level: 0, n_threads, n_subsample: 1, cpumask: 0, gpumask: 0 };
    let mut context = Context::new(quiet)?;
    context.use_feature("ciede", &Dictionary::new())?;
    context.read_pictures(reference, distorted, 0)?;
    context.flush()?;
    context.feature_score_at_index("ciede2000", 0)
}

/// Noise on the planes of a picture, as rows of rows.
fn noise_planes(format: Format, seed: u64) -> Vec<Vec<Vec<u16>>> {
    let (noise, max) = (&mut Noise(seed), ((1u32 << format.bpc) - 1) as u16);
    let plane = |index| {
        let (width, height) = format.plane_size(index);
        (0..height).map(|_| noise.samples(width as usize, max)).collect()
    };
    (0..3).map(plane).collect()
}

/// A subsampled picture has the score of the same picture with its chroma repeated to full size.
fn check_repeated(pixel: PixelFormat, [across, down]: [usize; 2], bpc: u32, width: u32, height: u32) {
    let (small, full) = (format(pixel, bpc, width, height), format(PixelFormat::Yuv444, bpc, width, height));
    let planes = [1, 2].map(|seed| noise_planes(small, seed));
    let pair = [0, 1].map(|i| picture(small, |plane, y, x| planes[i][plane][y][x]));
    let repeated = [0, 1].map(|i| {
        picture(full, |plane, y, x| match plane {
            0 => planes[i][0][y][x],
            _ => planes[i][plane][y / down][x / across],
        })
    });
    let [got, expected] =
        [pair, repeated].map(|[reference, distorted]| score(reference, distorted, 0).unwrap());
    assert_eq!(got.to_bits(), expected.to_bits(), "{small}: {got}, {expected} expected");
}

#[test]
fn chroma_is_repeated_to_full_size() {
    for (width, height) in [(64, 64), (1, 1), (2, 1), (1, 3), (3, 3), (5, 7), (7, 2), (257, 5)] {
        for bpc in [8, 10, 12, 16] {
            check_repeated(PixelFormat::Yuv422, [2, 1], bpc, width, height);
            check_repeated(PixelFormat::Yuv420, [2, 2], bpc, width, height);
        }
    }
}

#[test]
fn equal_pictures_have_an_infinite_score() {
    for pixel in [PixelFormat::Yuv420, PixelFormat::Yuv422, PixelFormat::Yuv444] {
        let flat = || picture(format(pixel, 8, 352, 288), |_, _, _| 128);
        assert_eq!(score(flat(), flat(), 0), Ok(f64::INFINITY), "{pixel:?}");
    }
}

fn refusal(pixel: PixelFormat, bpc: u32) -> String {
    let grey = || picture(format(pixel, bpc, 16, 16), |_, _, _| 0);
    match score(grey(), grey(), 0) {
        Err(error @ Error::Invalid(_)) => error.to_string(),
        other => panic!("{pixel:?}, {bpc} bits: {other:?}"),
    }
}

#[test]
fn luma_alone_is_refused() {
    refusal(PixelFormat::Yuv400, 8);
    refusal(PixelFormat::Yuv400, 10);
}

#[test]
fn depths_without_a_definition_are_refused() {
    for bpc in [9, 11, 13, 14, 15] {
        for pixel in [PixelFormat::Yuv420, PixelFormat::Yuv444] {
            refusal(pixel, bpc);
        }
    }
}

#[test]
fn threads_do_not_change_the_sum() {
    let format = format(PixelFormat::Yuv420, 8, 317, 203);
    let planes = [3, 4].map(|seed| noise_planes(format, seed));
    let make = |i: usize| picture(format, |plane, y, x| planes[i][plane][y][x]);
    let expected = score(make(0), make(1), 0).unwrap();
    for n_threads in [1, 2, 3, 7] {
        let got = score(make(0), make(1), n_threads).unwrap();
        assert_eq!(got.to_bits(), expected.to_bits(), "{n_threads} threads");
    }
}
