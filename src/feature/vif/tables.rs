// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Constants of `vif`, section 4 of its specification.
#![forbid(unsafe_code)]

use std::sync::LazyLock;

/// Scales of the pyramid.
pub const SCALES: usize = 4;

/// Half the width of the widest filter: as many samples are mirrored at a border at most.
pub const WIDEST_HALF: usize = 8;

/// Filter taps of each scale; they are symmetric and add up to 65536.
pub const TAPS: [&[u32]; SCALES] = [
    &[489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274, 3896, 2640, 1640, 935, 489],
    &[1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244],
    &[3571, 16004, 26386, 16004, 3571],
    &[10904, 43728, 10904],
];

/// Variance of the visual noise: 2 in squared steps of the 8-bit range, times 65536.
pub const NOISE: u32 = 131_072;

/// Keeps the gain's denominator above 0.
pub const EPSILON: f64 = 65536.0 * 1.0e-10;

/// Steps of one octave in the logarithms: all of them are in units of 1/2048.
pub const OCTAVE: i32 = 2048;

/// Logarithm of the noise variance: each term of the denominator is relative to it.
pub const NOISE_LOG: i32 = 17 * OCTAVE;

/// 2048 log2(i) for i from 32768 to 65535, and one more for code that reads two entries at a time.
///
/// The added 1/1024 is what remains of a logarithm in binary32: there 2048 log2(i) comes in steps of 1/512, and
/// ties go up. It changes 38 entries; a logarithm with an error below 6e-9 gives the same table.
pub static LOG_TABLE: LazyLock<Box<[u16]>> = LazyLock::new(|| {
    let entry = |i: u32| (f64::from(OCTAVE) * f64::from(i).log2() + 0.5 + 1.0 / 1024.0).floor() as u16;
    (32768..=65536).map(entry).collect()
});

/// 2048 log2(`value`) of its 16 leading bits, the others cut off. `value` is [`NOISE`] or more.
pub fn log(value: u64) -> i32 {
    let cut = u64::BITS - value.leading_zeros() - 16;
    i32::from(LOG_TABLE[(value >> cut) as usize - 32768]) + OCTAVE * cut as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_table_is_that_of_the_specification() {
        let bytes: Vec<u8> = LOG_TABLE[..32768].iter().flat_map(|entry| entry.to_le_bytes()).collect();
        assert_eq!(crc32fast::hash(&bytes), 0x42ad_4d4f);
        assert_eq!((LOG_TABLE[0], LOG_TABLE[15], LOG_TABLE[16]), (30720, 30721, 30721));
    }

    #[test]
    fn taps_are_symmetric_and_add_up_to_one() {
        for taps in TAPS {
            assert_eq!(taps.iter().sum::<u32>(), 65536);
            assert!(taps.iter().eq(taps.iter().rev()));
        }
    }

    #[test]
    fn logarithms_look_at_16_bits() {
        assert_eq!(log(NOISE.into()), NOISE_LOG);
        assert_eq!(log(u64::from(NOISE) + 3), NOISE_LOG);
        assert_eq!(log(1 << 44), 44 * OCTAVE);
        assert_eq!(EPSILON.to_bits(), 0x3EDB_7CDF_D9D7_BDBB);
    }
}
