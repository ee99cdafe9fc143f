// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Kernels, on the host, against the CPU's functions.

mod adm;
mod emulator;
mod motion;
mod ordered;
mod sums;
mod vif;

/// Numbers that look random (xorshift, Marsaglia 2003).
pub(crate) struct Noise(u64);

impl Noise {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Rows of samples up to `max`; some rows hold the maximum alone, some pictures nothing else.
    pub(crate) fn rows<T: TryFrom<u64>>(&mut self, width: usize, height: usize, max: u16) -> Vec<Vec<T>> {
        let flat = self.bits().is_multiple_of(4);
        (0..height).map(|_| self.row(width, max, flat)).collect()
    }

    fn row<T: TryFrom<u64>>(&mut self, width: usize, max: u16, flat: bool) -> Vec<T> {
        let flat = flat || self.bits().is_multiple_of(8);
        let sample = |_| {
            let sample = if flat { max.into() } else { self.bits() % (u64::from(max) + 1) };
            T::try_from(sample).ok().expect("max fits")
        };
        (0..width).map(sample).collect()
    }
}

/// Around a load, a warp's load, a warp's loads and a block's rows.
pub(crate) const SIZES: [(usize, usize); 14] = [
    (1, 1),
    (2, 3),
    (7, 9),
    (8, 8),
    (15, 2),
    (16, 16),
    (17, 33),
    (255, 5),
    (257, 4),
    (511, 3),
    (512, 7),
    (1030, 17),
    (2049, 2),
    (4111, 1),
];

pub(crate) const GRIDS: [u32; 3] = [1, 2, 5];
