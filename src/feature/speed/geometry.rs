// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Sizes from the plane down to the blocks (section 5.2).
#![forbid(unsafe_code)]

use crate::error::{Error, Result};

/// Samples of the scaled plane to one that is kept, each way.
pub const STEP: usize = 16;
/// Side of a block of kept samples.
pub const SIDE: usize = 5;
/// Samples of a block; side of the covariance matrix.
pub const BLOCK: usize = SIDE * SIDE;

/// Sizes in samples, width before height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Of the plane as it is used.
    pub plane: [usize; 2],
    /// After the prescale.
    pub scaled: [usize; 2],
    /// Of what is kept.
    pub kept: [usize; 2],
    /// Whole blocks, side by side and one above another.
    pub blocks: [usize; 2],
}

impl Geometry {
    /// For a plane of this size; refused if no block is left of it.
    pub fn new(plane: [usize; 2], prescale: f64) -> Result<Self> {
        let scaled = plane.map(|size| (size as f64 * prescale + 0.5) as usize);
        let kept = scaled.map(|size| size / STEP);
        let blocks = kept.map(|size| size / SIDE);
        if blocks.contains(&0) {
            let least = STEP * SIDE;
            let [width, height] = scaled;
            return Err(Error::invalid(format!(
                "planes need at least {least}x{least} samples after the prescale, not {width}x{height}"
            )));
        }
        Ok(Self { plane, scaled, kept, blocks })
    }

    /// Blocks.
    pub fn count(&self) -> usize {
        self.blocks[0] * self.blocks[1]
    }

    /// Size of the windows whose covariance is taken: one for each sample of a block.
    pub fn window(&self) -> [usize; 2] {
        self.blocks.map(|blocks| SIDE * blocks - (SIDE - 1))
    }

    /// Samples of a window.
    pub fn positions(&self) -> usize {
        self.window()[0] * self.window()[1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_need_eighty_samples_each_way() {
        for plane in [[79, 200], [200, 79], [120, 20], [8, 8], [0, 0]] {
            assert!(Geometry::new(plane, 1.0).is_err(), "{plane:?}");
        }
        assert_eq!(Geometry::new([80, 80], 1.0).unwrap().count(), 1);
        assert!(Geometry::new([159, 159], 0.5).is_ok());
        assert!(Geometry::new([158, 159], 0.5).is_err());
        assert_eq!(Geometry::new([20, 20], 4.0).unwrap().scaled, [80, 80]);
    }

    #[test]
    fn sizes_of_a_large_plane() {
        let geometry = Geometry::new([1920, 1080], 1.0).unwrap();
        assert_eq!((geometry.kept, geometry.blocks), ([120, 67], [24, 13]));
        assert_eq!((geometry.window(), geometry.positions()), ([116, 61], 7076));
    }
}
