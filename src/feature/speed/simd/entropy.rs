// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Entropies of blocks side by side. Lanes whose logarithm leaves two floats are left to the plain form.
#![forbid(unsafe_code)]

use crate::feature::speed::eigen::Eigenvalues;
use crate::feature::speed::entropy::{LOG2_2_PI_E, with_component};
use crate::math::lanes::Lanes;
use crate::math::vector;

/// The smallest entropy that is taken from a vector: its last place as a double is 2^-53.
const LEAST: f64 = 0.5;

/// Last places of [`LEAST`], as a power of two, that a sum may be off by: 2^-42 for the logarithm of a float, which
/// is no larger than 150, and the roundings of the sums.
const OPEN: u32 = 12;

/// The entropy of each block from its variance; both slices hold whole vectors.
#[inline(always)]
pub fn entropies<L: Lanes>(
    l: L,
    eigenvalues: &Eigenvalues,
    noise: f32,
    variances: &[f32],
    entropies: &mut [f32],
) {
    let vectors = variances.chunks_exact(L::WIDTH).zip(entropies.chunks_exact_mut(L::WIDTH));
    for (variances, entropies) in vectors {
        let variance = l.load_single(variances);
        let mut entropy = l.splat_single(0.0);
        for value in eigenvalues.values {
            let value = if value < 0.0 { 0.0 } else { value };
            let component = l.splat_single(value) * variance + l.splat_single(noise);
            entropy = with_components(l, entropy, component);
        }
        l.store_single(entropies, entropy);
    }
}

/// The entropies with that of one more component each.
#[inline(always)]
fn with_components<L: Lanes>(l: L, entropy: L::Single, component: L::Single) -> L::Single {
    let x = l.widen(component);
    let sum = l.widen(entropy) + (vector::log2(l, x) + l.splat(LOG2_2_PI_E));
    let positive = l.greater(x, l.splat(0.0)) & l.greater(l.splat(f32::MAX.into()), x);
    let known = positive & l.greater(sum, l.splat(LEAST));
    let open = l.bits(l.open::<OPEN>(sum)) | !l.bits(known);
    let rounded = l.round(sum);
    if open & lanes::<L>() == 0 { rounded } else { mend(l, entropy, component, rounded, open) }
}

/// The bits of all lanes.
#[inline(always)]
fn lanes<L: Lanes>() -> u8 {
    (u16::MAX >> (16 - L::WIDTH)) as u8
}

/// Takes the open lanes from the plain form.
#[inline(always)]
fn mend<L: Lanes>(l: L, entropy: L::Single, component: L::Single, rounded: L::Single, open: u8) -> L::Single {
    let [mut entropies, mut components, mut result] = [[0.0; 8]; 3];
    l.store_single(&mut entropies, entropy);
    l.store_single(&mut components, component);
    l.store_single(&mut result, rounded);
    for lane in (0..L::WIDTH).filter(|lane| open >> lane & 1 == 1) {
        result[lane] = with_component(entropies[lane], components[lane]);
    }
    l.load_single(&result)
}
