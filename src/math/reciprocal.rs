// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The processor's estimate of a reciprocal, as it is on the machine of the golden figures (`float_adm.md`, 5.3).
//!
//! The low bits of the instruction differ between makers. Two small tables give the same ones everywhere.
#![forbid(unsafe_code)]

/// 8192 / m of the first value in each of 256 intervals of a significand m, rounded.
#[rustfmt::skip]
const FIRST: [u16; 256] = [
    8190, 8158, 8127, 8095, 8065, 8034, 8003, 7973, 7943, 7913, 7883, 7854, 7825, 7796, 7767, 7738,
    7708, 7680, 7652, 7625, 7597, 7570, 7543, 7516, 7489, 7462, 7436, 7410, 7384, 7358, 7332, 7307,
    7280, 7255, 7230, 7205, 7181, 7156, 7132, 7108, 7084, 7060, 7037, 7013, 6990, 6967, 6944, 6921,
    6897, 6875, 6852, 6830, 6808, 6786, 6764, 6742, 6721, 6699, 6678, 6657, 6636, 6615, 6594, 6574,
    6552, 6532, 6512, 6492, 6472, 6452, 6432, 6413, 6393, 6374, 6354, 6335, 6316, 6297, 6278, 6260,
    6241, 6223, 6204, 6186, 6168, 6150, 6132, 6114, 6096, 6079, 6061, 6044, 6026, 6009, 5992, 5975,
    5957, 5940, 5924, 5907, 5890, 5874, 5858, 5841, 5825, 5809, 5793, 5777, 5761, 5746, 5730, 5714,
    5698, 5683, 5667, 5652, 5637, 5622, 5607, 5592, 5577, 5562, 5548, 5533, 5519, 5504, 5490, 5475,
    5461, 5447, 5432, 5418, 5405, 5391, 5377, 5363, 5350, 5336, 5322, 5309, 5296, 5282, 5269, 5256,
    5242, 5229, 5216, 5203, 5191, 5178, 5165, 5152, 5140, 5127, 5115, 5102, 5090, 5078, 5065, 5053,
    5041, 5029, 5017, 5005, 4993, 4981, 4969, 4958, 4946, 4934, 4923, 4911, 4900, 4888, 4877, 4866,
    4854, 4843, 4832, 4821, 4810, 4799, 4788, 4777, 4766, 4755, 4744, 4734, 4723, 4713, 4702, 4691,
    4680, 4670, 4660, 4649, 4639, 4629, 4619, 4609, 4598, 4588, 4578, 4568, 4559, 4549, 4539, 4529,
    4519, 4510, 4500, 4490, 4481, 4471, 4462, 4452, 4443, 4433, 4424, 4415, 4406, 4396, 4387, 4378,
    4368, 4359, 4350, 4341, 4332, 4323, 4315, 4306, 4297, 4288, 4279, 4271, 4262, 4253, 4245, 4236,
    4228, 4219, 4211, 4202, 4194, 4186, 4177, 4169, 4161, 4153, 4144, 4136, 4128, 4120, 4112, 4104,
];

/// What to take off at each of sixteen steps through an interval; one row for sixteen intervals.
#[rustfmt::skip]
const FURTHER: [[u8; 16]; 16] = [
    [0, 2, 3, 5, 7, 9, 11, 13, 15, 17, 18, 20, 22, 24, 26, 28],
    [0, 1, 3, 5, 6, 8, 10, 11, 13, 15, 16, 18, 20, 21, 23, 25],
    [0, 1, 3, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22],
    [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20],
    [0, 1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 15, 17, 18],
    [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
    [0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13],
    [0, 1, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 9, 10, 11, 12],
    [0, 1, 2, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11],
    [0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 9, 9, 10],
    [0, 0, 1, 2, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 8, 9],
    [0, 0, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 7, 8, 8, 9],
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 7, 7, 8],
    [0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8],
];

/// Significands of the estimates by the upper twelve bits of the argument's: 4096 to 8190, in units of 2^-13.
/// One more follows, so that each entry can be read in a word of 32 bits.
pub static ESTIMATES: [u16; 4097] = estimates();

const fn estimates() -> [u16; 4097] {
    let mut all = [0; 4097];
    let mut i = 0;
    while i < 4096 {
        all[i] = FIRST[i >> 4] - FURTHER[i >> 8][i & 15] as u16;
        i += 1;
    }
    all
}

/// An estimate of 1 / x, within 2^-11 of its size: of a subnormal x infinity, of |x| >= 2^126 zero.
#[inline]
pub fn reciprocal_estimate(x: f32) -> f32 {
    let bits = x.to_bits();
    let (sign, exponent) = (bits & 1 << 31, bits >> 23 & 255);
    let magnitude = match exponent {
        0 => f32::INFINITY.to_bits(),
        253.. => 0,
        // The thirteenth bit of the significand adds one to the exponent.
        _ => (u32::from(ESTIMATES[(bits >> 11 & 4095) as usize]) << 11) + ((252 - exponent) << 23),
    };
    f32::from_bits(sign | magnitude)
}

/// n / d by the estimate and one step of Newton's iteration: five roundings.
#[inline]
pub fn estimated_quotient(n: f32, d: f32) -> f32 {
    let estimate = reciprocal_estimate(d);
    n * (estimate + estimate * (1.0 - d * estimate))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The estimate as the specification writes it.
    fn by_scaling(x: f32) -> f64 {
        let (m, exponent) = (x.to_bits() as usize & 0x7f_ffff, x.to_bits() >> 23 & 255);
        let t = FIRST[m >> 15] - u16::from(FURTHER[m >> 19][m >> 11 & 15]);
        f64::from(t) / 8192.0 * 2f64.powi(127 - exponent as i32)
    }

    #[test]
    fn estimates_of_every_argument_are_those_of_the_tables() {
        // The low eleven bits of the argument do not count: all others, with some of these.
        for upper in 0..1u32 << 20 {
            for low in [0, 1, 0x2aa, 0x7ff] {
                let x = f32::from_bits(upper << 11 | low);
                let estimate = reciprocal_estimate(x);
                let expected = match x.to_bits() >> 23 {
                    0 => f64::INFINITY,
                    253.. => 0.0,
                    _ => by_scaling(x),
                };
                assert_eq!(f64::from(estimate), expected, "{x:e}");
                assert_eq!(reciprocal_estimate(-x).to_bits(), (-estimate).to_bits(), "{x:e}");
                if (1..253).contains(&(x.to_bits() >> 23)) {
                    assert!((expected * f64::from(x) - 1.0).abs() < 2f64.powi(-11), "{x:e}");
                }
            }
        }
    }

    #[test]
    fn quotients_are_close() {
        for upper in 0..4096u32 {
            let d = f32::from_bits(127 << 23 | upper << 11 | 0x3ff);
            let quotient = f64::from(estimated_quotient(3.0, d));
            assert!((quotient * f64::from(d) / 3.0 - 1.0).abs() < 2f64.powi(-21), "{d}");
        }
    }
}
