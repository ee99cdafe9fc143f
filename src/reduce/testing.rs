// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Inputs for the tests of sums: seeded noise and the patterns at the ends of the sample range.

/// Reproducible noise (splitmix64).
pub struct Noise(pub u64);

impl Noise {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A sample from 0 to `max`.
    pub fn sample(&mut self, max: u16) -> u16 {
        (self.bits() % (u64::from(max) + 1)) as u16
    }

    /// `count` samples from 0 to `max`.
    pub fn samples(&mut self, count: usize, max: u16) -> Vec<u16> {
        (0..count).map(|_| self.sample(max)).collect()
    }
}

/// Named inputs of `count` samples from 0 to `max`: both ends, alternations of them, noise.
pub fn patterns(count: usize, max: u16, seed: u64) -> [(&'static str, Vec<u16>); 5] {
    let every = |f: fn(usize) -> bool| (0..count).map(|i| if f(i) { max } else { 0 }).collect();
    [
        ("all 0", every(|_| false)),
        ("all max", every(|_| true)),
        ("max first", every(|i| i % 2 == 0)),
        ("0 first", every(|i| i % 2 == 1)),
        ("noise", Noise(seed).samples(count, max)),
    ]
}

/// Samples of an 8-bit plane from samples that fit one.
pub fn bytes(samples: &[u16]) -> Vec<u8> {
    samples.iter().map(|&x| u8::try_from(x).expect("a sample of 8 bits")).collect()
}
