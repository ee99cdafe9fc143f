// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Every level against the scalar arithmetic, contrast value by contrast value, and any cut against none.
#![forbid(unsafe_code)]

use super::DEFINITION;
use super::cpu::planes;
use super::plan::{Options, Plan, Size};
use super::stripe::{Stripe, Tile, Tiles};
use crate::cpu::Level;
use crate::feature::{Dictionary, Setup, Values};
use crate::picture::{Format, Picture, PixelFormat};
use crate::reduce::testing::Noise;
use crate::schedule::{Cut, Workers};

/// Around the widths of words, vectors and tiles.
const SIZES: [(u32, u32); 8] =
    [(216, 40), (255, 31), (256, 33), (257, 64), (321, 70), (577, 65), (23, 330), (1100, 96)];

fn plan(options: &[(&str, &str)], format: &Format) -> Plan {
    let mut given = Dictionary::new();
    options.iter().for_each(|(name, value)| given.set(name, value));
    let values = Values::read("cambi", DEFINITION.options, &given).unwrap();
    Plan::new(&Options::new(&values), format).unwrap()
}

/// Areas of a few levels; `noise` in 256 samples is one level off.
fn picture(format: Format, noise: u64, seed: u64) -> Picture {
    let mut picture = Picture::new(format).unwrap();
    let random = &mut Noise(seed);
    let shift = format.bpc - 8;
    let mut areas: Vec<u32> = (0..64).map(|_| 20 + (random.bits() % 6) as u32).collect();
    // The ends of the range that counts, and what lies beyond.
    areas[..4].copy_from_slice(&[0, 139, 141, 255]);
    for y in 0..format.height {
        let row = picture.row_mut(0, y as usize);
        for (x, bytes) in (0..).zip(row.chunks_mut(format.sample_bytes())) {
            let area = areas[((x / 37 + y / 29 * 5) % 64) as usize] << shift;
            let off = if random.bits() % 256 < noise { 1 + (random.bits() % 3) as u32 } else { 0 };
            let sample = (area + off).min((1 << format.bpc) - 1);
            bytes.copy_from_slice(&sample.to_le_bytes()[..bytes.len()]);
        }
    }
    picture
}

fn check(options: &[(&str, &str)], format: Format, noise: u64) {
    let plan = plan(options, &format);
    let picture = picture(format, noise, u64::from(format.width) * 31 + noise);
    let at = |level, workers| planes(&Setup { format, level, slots: 1 }, &plan, &picture, workers);
    let expected = at(Level::SCALAR, Workers::CALLER);
    if noise < 32 {
        assert!(expected[0].iter().any(|&value| value > 0.0), "{format}, {noise}");
    }
    for level in Level::available() {
        for workers in [Workers::CALLER, Workers::pool(3), Workers::pool(16)] {
            let got = at(level, workers);
            assert!(got == expected, "{level:?}, {workers:?}, {format}, {options:?}, noise {noise}");
        }
    }
}

#[test]
fn levels_and_cuts_agree() {
    for size in SIZES {
        for bpc in [8, 10, 13] {
            let format = Format::new(PixelFormat::Yuv400, bpc, size.0, size.1).unwrap();
            for noise in [0, 20, 200] {
                check(&[], format, noise);
            }
        }
    }
}

#[test]
fn levels_and_cuts_agree_with_options() {
    let format = Format::new(PixelFormat::Yuv400, 10, 577, 325).unwrap();
    let many: [&[(&str, &str)]; 9] = [
        &[("max_log_contrast", "0")],
        &[("max_log_contrast", "1"), ("tvi_threshold", "0.0001")],
        &[("max_log_contrast", "3")],
        &[("max_log_contrast", "5"), ("window_size", "127")],
        &[("window_size", "15")],
        &[("window_size", "127")],
        &[("cambi_vis_lum_threshold", "2"), ("eotf", "pq")],
        &[("enc_width", "480"), ("enc_height", "270")],
        &[("enc_bitdepth", "8"), ("cambi_vis_lum_threshold", "0.06")],
    ];
    for options in many {
        check(options, format, 5);
    }
}

#[test]
fn stripes_share_out_rows_and_both_results() {
    let (mut whole, mut half) = ([0; 21], [0; 8]);
    let stripe = Stripe { rows: 0..7, whole: &mut whole, whole_stride: 3, half: &mut half, half_stride: 2 };
    assert_eq!(stripe.units(), 4);
    let (upper, lower) = stripe.cut(3);
    assert_eq!((upper.rows, upper.whole.len(), upper.half.len()), (0..6, 18, 6));
    assert_eq!((lower.rows, lower.whole.len(), lower.half.len()), (6..7, 3, 2));
}

#[test]
fn tiles_cover_every_position_once_and_are_cut_between() {
    for (size, bands) in [((700, 300), 3), ((256, 64), 9), ((1, 1), 1), ((257, 65), 1)] {
        let size = Size { width: size.0, height: size.1 };
        let mut tiles = Vec::new();
        Tile::add_all(&mut tiles, 0, size, bands, 16);
        let mut seen = vec![0; size.area()];
        for tile in &tiles {
            for y in tile.rows.clone() {
                tile.columns.clone().for_each(|x| seen[y * size.width + x] += 1);
            }
        }
        assert!(seen.iter().all(|&times| times == 1));
        let (area, words) = Tiles::room(&tiles);
        let (mut values, mut places) = (vec![0.0; area], vec![0; words]);
        let all = Tiles { tiles: &mut tiles, values: &mut values, places: &mut places };
        if all.units() > 1 {
            let (upper, lower) = all.cut(area / 2);
            assert!(!upper.tiles.is_empty() && !lower.tiles.is_empty());
            assert_eq!(Tiles::room(upper.tiles), (upper.values.len(), upper.places.len()));
            assert_eq!(Tiles::room(lower.tiles), (lower.values.len(), lower.places.len()));
        }
    }
}
