// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Fast values by vectors: shorter series and looser bounds than the scalar ones have, since lanes that these leave
//! open are left to the scalar functions. No closure handles vectors: only functions can be told to be inlined.
#![forbid(unsafe_code)]

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LOG2_E, PI};

use super::double_double::Dd;
use super::lanes::Lanes;
use super::tables::*;

/// c_0 + z (c_1 + z (c_2 + ...)) by Estrin's scheme, whose operations wait less for each other than Horner's.
#[inline(always)]
fn polynomial<L: Lanes, const N: usize>(l: L, z: L::Double, c: &[f64; N]) -> L::Double {
    let square = z * z;
    let mut i = (N - 1) / 2 * 2;
    let mut value = if N % 2 == 1 { l.splat(c[i]) } else { line(l, z, c[i], c[i + 1]) };
    while i > 0 {
        i -= 2;
        value = l.mul_add(square, value, line(l, z, c[i], c[i + 1]));
    }
    value
}

#[inline(always)]
fn line<L: Lanes>(l: L, z: L::Double, constant: f64, slope: f64) -> L::Double {
    l.mul_add(z, l.splat(slope), l.splat(constant))
}

/// The high words of a table.
const fn high<const N: usize>(words: &[Dd; N]) -> [f64; N] {
    let mut values = [0.0; N];
    let mut i = 0;
    while i < N {
        values[i] = words[i].high;
        i += 1;
    }
    values
}

/// Powers of the octaves -8 to 7, where the biased exponent's low four bits find them.
const fn by_octave(words: &[Dd; 29]) -> [f64; 16] {
    let mut values = [0.0; 16];
    let mut i = 0;
    while i < 16 {
        values[(i + 1023 - 8) % 16] = words[i].high;
        i += 1;
    }
    values
}

/// Products of both tables, the octave in the index's upper four bits.
const fn products(octaves: &[f64; 16], centres: &[f64; 16]) -> [f64; 256] {
    let mut values = [0.0; 256];
    let mut i = 0;
    while i < 256 {
        values[i] = octaves[i / 16] * centres[i % 16];
        i += 1;
    }
    values
}

static RECIPROCALS: [f64; 16] = high(&RECIPROCAL_CENTRES);
static ATANS: [f64; 16] = high(&ATAN_CENTRES);

/// x^p for one p, 2^-8 <= x < 2^8.
#[derive(Debug)]
pub struct Power {
    octaves: [f64; 16],
    centres: [f64; 16],
    products: [f64; 256],
    series: &'static [f64; 6],
}

/// x^2.4 within 2^-47 of its size.
pub static POWER_2_4: Power = Power::new(&POWER_2_4_OCTAVES, &POWER_2_4_CENTRES, &POWER_2_4_SHORT);

/// x^(1/3) within 2^-45 of its size.
pub static POWER_1_3: Power = Power::new(&POWER_1_3_OCTAVES, &POWER_1_3_CENTRES, &POWER_1_3_SHORT);

impl Power {
    const fn new(octaves: &[Dd; 29], centres: &[Dd; 16], series: &'static [f64; 6]) -> Self {
        let (octaves, centres) = (by_octave(octaves), high(centres));
        Self { octaves, centres, products: products(&octaves, &centres), series }
    }

    /// x^p.
    #[inline(always)]
    pub fn of<L: Lanes>(&self, l: L, x: L::Double) -> L::Double {
        let m = l.mantissa(x);
        let interval = l.interval(x);
        let z = (m - l.centre(m)) * l.lookup(&RECIPROCALS, interval);
        let t = if L::LONG_LOOKUPS {
            l.lookup_256(&self.products, interval)
        } else {
            l.lookup(&self.octaves, l.octave(x)) * l.lookup(&self.centres, interval)
        };
        l.mul_add(t * z, polynomial(l, z, self.series), t)
    }
}

/// The angle between (a, b) and the nearer half of the a axis: atan2(|b|, a), within 2^-46 of its size, 0 at the
/// origin.
#[inline(always)]
pub fn angle<L: Lanes>(l: L, b: L::Double, a: L::Double) -> L::Double {
    let (size_a, size_b) = (l.abs(a), l.abs(b));
    let (n, d) = (l.min(size_a, size_b), l.max(size_a, size_b));
    let slope = n * l.reciprocal(d) * l.splat(16.0);
    let (k, index) = l.nearest(l.min(slope, l.splat(15.0)));
    let centre = k * l.splat(1.0 / 16.0);
    let q = l.mul_sub_from(centre, d, n) / l.mul_add(centre, n, d);
    let w = q * q;
    let angle = l.lookup(&ATANS, index) + l.mul_add(q * w, polynomial(l, w, &ATAN_SHORT), q);
    let angle = l.select(l.greater(size_b, size_a), l.splat(FRAC_PI_2) - angle, angle);
    let angle = l.select(l.greater(l.splat(0.0), a), l.splat(PI) - angle, angle);
    l.select(l.greater(d, l.splat(0.0)), angle, l.splat(0.0))
}

/// sin(x), |x| <= 1.6, within 2^-46 of its size.
#[inline(always)]
pub fn sin<L: Lanes>(l: L, x: L::Double) -> L::Double {
    let w = x * x;
    l.mul_add(x * w, polynomial(l, w, &SIN_SHORT), x)
}

/// sin(x) and cos(x), 0 <= x < 8, each within 2^-49.
#[inline(always)]
pub fn sin_cos<L: Lanes>(l: L, x: L::Double) -> (L::Double, L::Double) {
    let (quarters, index) = l.nearest(x * l.splat(FRAC_2_PI));
    let r = l.mul_sub_from(quarters, l.splat(HALF_PI_1), x);
    let r = l.mul_sub_from(quarters, l.splat(HALF_PI_REST_1), r);
    let w = r * r;
    let sin = l.mul_add(r * w, polynomial(l, w, &SIN_QUARTER), r);
    let cos = l.mul_add(w, polynomial(l, w, &COS_QUARTER), l.splat(1.0));
    let odd = l.index_bit::<0>(index);
    let (s, c) = (l.select(odd, cos, sin), l.select(odd, sin, cos));
    let (_, shifted) = l.nearest(quarters + l.splat(1.0));
    (negated(l, l.index_bit::<1>(index), s), negated(l, l.index_bit::<1>(shifted), c))
}

/// -x where the mask says yes, else x.
#[inline(always)]
fn negated<L: Lanes>(l: L, mask: L::Mask, x: L::Double) -> L::Double {
    l.select(mask, l.splat(0.0) - x, x)
}

/// log2(x) of a normal x > 0 within 2^-50 of the larger of itself and 4.
#[inline(always)]
pub fn log2<L: Lanes>(l: L, x: L::Double) -> L::Double {
    let (m, interval) = (l.mantissa(x), l.interval(x));
    let z = (m - l.centre(m)) * l.lookup(&RECIPROCALS, interval);
    let whole = l.exponent(x) + l.lookup(&LOG2_MIDDLES, interval);
    l.mul_add(z, polynomial(l, z, &LOG2_SHORT), whole)
}

/// exp(-d), 0 <= d <= 80, within 2^-45 of its size.
#[inline(always)]
pub fn exp_negative<L: Lanes>(l: L, d: L::Double) -> L::Double {
    let (n, _) = l.nearest(d * l.splat(-LOG2_E));
    let r = l.mul_add(n, l.splat(LN_2_1), d);
    let r = l.mul_add(n, l.splat(LN_2_REST.high), r);
    // r is d + n ln 2 here, so that the wanted is exp(-r) 2^n.
    l.scale(polynomial(l, l.splat(0.0) - r, &EXP_SHORT), n)
}
