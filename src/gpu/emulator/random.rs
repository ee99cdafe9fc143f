// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Numbers by seed.
#![forbid(unsafe_code)]

/// SplitMix64 (Steele, Lea and Flood, 2014), as in kernels/emulator/random.h.
pub struct Random(u64);

impl Random {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.word() % limit as u64) as usize
    }

    /// One of these.
    pub fn choice<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}
