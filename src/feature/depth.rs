// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Depths of the extractors whose arithmetic is defined at 8, 10, 12 and 16 bits only.
#![forbid(unsafe_code)]

use crate::error::{Error, Result};

/// Bits per component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// 8 bits.
    Bits8,
    /// 10 bits.
    Bits10,
    /// 12 bits.
    Bits12,
    /// 16 bits.
    Bits16,
}

impl Depth {
    /// The depth, or an error that names what is supported.
    pub fn new(bpc: u32) -> Result<Self> {
        match bpc {
            8 => Ok(Self::Bits8),
            10 => Ok(Self::Bits10),
            12 => Ok(Self::Bits12),
            16 => Ok(Self::Bits16),
            _ => Err(Error::invalid(format!("a depth of {bpc} bits is not supported; 8, 10, 12 and 16 are"))),
        }
    }

    /// Bits per component.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bits8 => 8,
            Self::Bits10 => 10,
            Self::Bits12 => 12,
            Self::Bits16 => 16,
        }
    }

    /// Code values to one step of the 8-bit range: a power of two.
    pub fn scale(self) -> f64 {
        f64::from(1u32 << (self.bits() - 8))
    }

    /// The highest code value in the 8-bit range: 255.75 at 10 bits.
    pub fn peak(self) -> f64 {
        f64::from((1u32 << self.bits()) - 1) / self.scale()
    }

    /// The cap in decibel that the PSNR extractors put on equal pictures.
    pub fn psnr_cap(self) -> f64 {
        f64::from(6 * self.bits() + 12)
    }
}
