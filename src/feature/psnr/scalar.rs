// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Sum of squared errors, `psnr.md` section 4.1.
#![forbid(unsafe_code)]

/// The sum of (reference - distorted)^2 over one row, exact at every depth, in code values squared.
pub fn row_sse<T: Copy + Into<u16>>(reference: &[T], distorted: &[T]) -> u64 {
    let squared_error = |(&r, &d): (&T, &T)| {
        let difference = u32::from(r.into().abs_diff(d.into()));
        u64::from(difference * difference)
    };
    reference.iter().zip(distorted).map(squared_error).sum()
}
