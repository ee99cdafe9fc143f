// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The sums of rows at every instruction-set level.

use super::scalar::{self, Sums};
#[cfg(target_arch = "x86_64")]
use crate::cpu::Kind;
use crate::cpu::Level;
use crate::picture::Plane;

type Rows<T> = unsafe fn(&Plane<'_, T>, &Plane<'_, T>, usize, &mut [Sums], f32);

/// The sums of rows at one level.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    bits8: Rows<u8>,
    bits16: Rows<u16>,
}

/// The kernel of `level`.
pub fn select(level: Level) -> Kernel {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => Kernel { bits8: x86::avx2, bits16: x86::avx2 },
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 | Kind::Avx512Icl => Kernel { bits8: x86::avx512, bits16: x86::avx512 },
        _ => Kernel { bits8: plain, bits16: plain },
    }
}

fn plain<T: Copy + Into<f32>>(
    reference: &Plane<'_, T>,
    distorted: &Plane<'_, T>,
    first: usize,
    rows: &mut [Sums],
    scale: f32,
) {
    for (y, sums) in (first..).zip(rows) {
        *sums = scalar::row(reference, distorted, y, scale);
    }
}

impl Kernel {
    /// The sums of 8-bit rows from `first` on.
    pub fn bits8(
        &self,
        reference: &Plane<'_, u8>,
        distorted: &Plane<'_, u8>,
        first: usize,
        rows: &mut [Sums],
    ) {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.bits8)(reference, distorted, first, rows, 1.0) }
    }

    /// The sums of rows of 9 to 16 bits from `first` on; `scale` code values are one step of the 8-bit range.
    pub fn bits16(
        &self,
        reference: &Plane<'_, u16>,
        distorted: &Plane<'_, u16>,
        first: usize,
        rows: &mut [Sums],
        scale: f32,
    ) {
        // SAFETY: `select` took the function for a level that this CPU was seen to have.
        unsafe { (self.bits16)(reference, distorted, first, rows, scale) }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::feature::float_ansnr::scalar::Sums;
    use crate::feature::float_ansnr::tile::{ROWS, band};
    use crate::picture::Plane;

    #[target_feature(enable = "avx2")]
    pub fn avx2<T: Copy + Into<f32>>(
        reference: &Plane<'_, T>,
        distorted: &Plane<'_, T>,
        first: usize,
        rows: &mut [Sums],
        scale: f32,
    ) {
        for (i, rows) in rows.chunks_mut(ROWS).enumerate() {
            band(reference, distorted, first + i * ROWS, rows, scale);
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn avx512<T: Copy + Into<f32>>(
        reference: &Plane<'_, T>,
        distorted: &Plane<'_, T>,
        first: usize,
        rows: &mut [Sums],
        scale: f32,
    ) {
        for (i, rows) in rows.chunks_mut(ROWS).enumerate() {
            band(reference, distorted, first + i * ROWS, rows, scale);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::{Noise, bytes, patterns};

    /// Sizes around the filters' reach, the tiles' columns and the bands' rows.
    fn sizes() -> impl Iterator<Item = (usize, usize)> {
        let widths = (3..=10).chain(60..=70).chain([126, 127, 128, 129, 130, 131, 200, 321]);
        widths.enumerate().map(|(i, width)| (width, 3 + i % 17))
    }

    fn bits<'a>(rows: &'a [Sums]) -> impl Iterator<Item = [u32; 2]> + use<'a> {
        rows.iter().map(|sums| [sums.signal, sums.noise].map(f32::to_bits))
    }

    /// Rows from `first` on must be those of the plain form.
    fn check<T: Copy + Into<f32>>(
        what: &str,
        pair: [&Plane<'_, T>; 2],
        first: usize,
        scale: f32,
        run: impl Fn(&mut [Sums]),
    ) {
        let mut expected = vec![Sums::default(); pair[0].height() - first];
        let mut got = expected.clone();
        plain(pair[0], pair[1], first, &mut expected, scale);
        run(&mut got);
        let differs = bits(&got).zip(bits(&expected)).position(|(got, expected)| got != expected);
        assert_eq!(differs, None, "row of {what}: {got:?}, not {expected:?}");
    }

    #[test]
    fn rows_of_8_bits() {
        for (level, (width, height)) in
            Level::available().into_iter().flat_map(|l| sizes().map(move |s| (l, s)))
        {
            let noise = bytes(&Noise(9).samples(width * height, 255));
            for (name, samples) in patterns(width * height, 255, width as u64) {
                let samples = bytes(&samples);
                let [r, d] = [&samples, &noise].map(|samples| Plane::new(samples, width, height, width));
                for (r, d) in [(&r, &d), (&d, &r)] {
                    let what = format!("{level:?}, {width}x{height} of {name}");
                    check(&what, [r, d], 0, 1.0, |rows| select(level).bits8(r, d, 0, rows));
                }
            }
        }
    }

    #[test]
    fn rows_of_10_to_16_bits_from_anywhere() {
        for (level, (width, height)) in
            Level::available().into_iter().flat_map(|l| sizes().map(move |s| (l, s)))
        {
            for (max, scale, first) in [(1023, 4.0, 0), (4095, 16.0, 1), (u16::MAX, 256.0, height / 2)] {
                let noise = Noise(7).samples(width * height, max);
                for (name, samples) in patterns(width * height, max, width as u64) {
                    let [r, d] = [&samples, &noise].map(|samples| Plane::new(samples, width, height, width));
                    let what = format!("{level:?}, {width}x{height} of {name} to {max}, from row {first}");
                    check(&what, [&r, &d], first, scale, |rows| {
                        select(level).bits16(&r, &d, first, rows, scale)
                    });
                }
            }
        }
    }
}
