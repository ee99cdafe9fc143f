// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Pairs of pictures for the tests of every level: depths, extremes, floats beyond the sample range.
#![forbid(unsafe_code)]

use super::image::{FloatPlane, Image};
use crate::picture::Plane;
use crate::reduce::testing::{Noise, bytes, patterns};

/// Samples of a picture in one of the forms that an [`Image`] takes.
pub enum Owned {
    Bits8(Vec<u8>, usize),
    Bits16(Vec<u16>, usize, f32),
    Float(FloatPlane),
}

impl Owned {
    pub fn image(&self) -> Image<'_> {
        match self {
            Self::Bits8(samples, width) => {
                Image::Bits8(Plane::new(samples, *width, samples.len() / width, *width))
            }
            Self::Bits16(samples, width, unit) => {
                Image::Bits16(Plane::new(samples, *width, samples.len() / width, *width), *unit)
            }
            Self::Float(plane) => Image::Float(plane),
        }
    }

    /// The same picture in floats.
    pub fn plane(&self) -> FloatPlane {
        let image = self.image();
        let mut plane = FloatPlane::new(image.width(), image.height());
        plane.copy_from(&image);
        plane
    }
}

/// Named pictures of this size: every depth with extremes and noise, dark noise, floats as the low pass leaves them.
pub fn pictures(width: usize, height: usize, seed: u64) -> Vec<(String, Owned)> {
    let area = width * height;
    let mut all = Vec::new();
    for (bits, max) in [(8, 255), (10, 1023), (12, 4095), (16, u16::MAX)] {
        for (name, samples) in patterns(area, max, seed) {
            let name = format!("{name} of {bits} bits, seed {seed}");
            all.push((
                name,
                match bits {
                    8 => Owned::Bits8(bytes(&samples), width),
                    _ => Owned::Bits16(samples, width, 1.0 / (1 << (bits - 8)) as f32),
                },
            ));
        }
    }
    let dark = Noise(seed + 1).samples(area, 40);
    all.push((format!("dark 16 bits, seed {seed}"), Owned::Bits16(dark, width, 1.0 / 256.0)));
    let noise = &mut Noise(seed + 2);
    let mut floats = FloatPlane::new(width, height);
    for sample in floats.rows_mut().iter_mut().flatten() {
        let scale = f32::from_bits((127 - noise.bits() as u32 % 40) << 23);
        *sample = (noise.bits() as u32 as f32 / 2f32.powi(23) - 100.0) * scale;
    }
    all.push((format!("floats, seed {seed}"), Owned::Float(floats)));
    all
}
