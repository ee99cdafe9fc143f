// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The filters as matrices of bytes, for products of matrices on the device (kernels/vif/bands.cuh).
#![forbid(unsafe_code)]

use crate::feature::vif::tables::{SCALES, TAPS};

/// Threads of a warp.
const LANES: usize = 32;

/// Samples that are before the first output in a window of 32.
const BEFORE: usize = 8;

/// A word of each lane.
type Word = [u32; LANES];

/// `vif::BandsOfWarp`: filters of a scale and of the next one, what sums start with, in the order of `vif::Bands`.
pub struct Bands(Vec<Word>);

impl Bands {
    /// Of a scale whose means and squares are shifted by so much after the vertical pass.
    pub fn new(scale: usize, mean_shift: u32, square_shift: u32) -> Self {
        let (taps, next) =
            (Filter(TAPS[scale]), Filter(if scale + 1 < SCALES { TAPS[scale + 1] } else { &[] }));
        let half = |shift: u32| [(1 << shift) >> 1; LANES];
        let (mean_half, none) = (half(mean_shift), [0; LANES]);
        let mut words = Vec::new();
        for byte in [0, 1] {
            words.extend(rows(|row, column| taps.byte(byte, row, column)));
        }
        for byte in [0, 1] {
            for first in [0, 8] {
                words.extend(columns(|row, column| taps.byte(byte, first + column, row)));
            }
        }
        words.extend(rows(|row, column| next.byte(row / 8, 2 * (row % 8), column)));
        for byte in [0, 1] {
            words.extend(columns(|row, column| next.byte(byte, 2 * column, row)));
        }
        words.extend([mean_half; 4]);
        words.extend([half(square_shift); 4]);
        words.extend([mean_half, mean_half, none, none]);
        words.extend([half(16); 4]);
        Self(words)
    }

    /// As the device reads them.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().flatten().flat_map(|word| word.to_ne_bytes()).collect()
    }
}

/// Taps of a filter.
struct Filter(&'static [u32]);

impl Filter {
    /// A byte of the tap by which input `input` of a window counts for its output `output`.
    fn byte(&self, byte: usize, output: usize, input: usize) -> u8 {
        let tap = (input + self.0.len() / 2).checked_sub(BEFORE + output);
        let tap = tap.and_then(|tap| self.0.get(tap)).copied().unwrap_or_default();
        tap.to_le_bytes()[byte]
    }
}

/// The fragments of a 16x32 matrix, see "Matrix Fragments for mma.m16n8k32" of the PTX ISA.
fn rows(element: impl Fn(usize, usize) -> u8) -> [Word; 4] {
    fragments(|lane, word, byte| element(lane / 4 + word % 2 * 8, lane % 4 * 4 + word / 2 * 16 + byte))
}

/// The fragments of a 32x8 matrix.
fn columns(element: impl Fn(usize, usize) -> u8) -> [Word; 2] {
    fragments(|lane, word, byte| element(lane % 4 * 4 + word * 16 + byte, lane / 4))
}

fn fragments<const N: usize>(byte: impl Fn(usize, usize, usize) -> u8) -> [Word; N] {
    let word = |lane, word| u32::from_le_bytes([0, 1, 2, 3].map(|place| byte(lane, word, place)));
    std::array::from_fn(|index| std::array::from_fn(|lane| word(lane, index)))
}
