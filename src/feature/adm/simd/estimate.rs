// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The angle test in single precision, and exactly where that does not decide.
#![forbid(unsafe_code)]

use super::super::scalar::decouple::{COS_SQUARED, is_near};
use super::lanes::Lanes;

/// Ones where two vectors are near, and where that is not sure.
pub struct Estimate<V> {
    /// Surely near.
    pub near: V,
    /// Too close to the limit.
    pub undecided: V,
}

/// From the products of (h, v): of both pictures, the reference, the distorted one. `margin` bounds the relative
/// error of the two sides together.
#[inline(always)]
pub fn near<L: Lanes>(l: L, [dot, o, t]: [L::V; 3], margin: f32) -> Estimate<L::V> {
    let square = l.mul_float(dot, dot);
    let limit = l.mul_float(l.mul_float(o, l.set_float(COS_SQUARED as f32)), t);
    let surely = l.at_least_float(square, l.mul_float(limit, l.set_float(1.0 + margin)));
    let maybe = l.at_least_float(square, l.mul_float(limit, l.set_float(1.0 - margin)));
    let ahead = l.at_least_float(dot, l.set_float(0.0));
    Estimate { near: l.and(surely, ahead), undecided: l.xor(surely, maybe) }
}

impl<V: Copy> Estimate<V> {
    /// The mask from the exact test; `o` and `t` are the bands h and v of the two pictures in 32-bit lanes.
    #[cold]
    pub fn decide<L: Lanes<V = V>>(&self, l: L, o: [V; 2], t: [V; 2]) -> V {
        let lanes = |v| {
            let mut lanes = [0i32; 16];
            l.store32(&mut lanes, 0, v);
            lanes
        };
        let ([oh, ov], [th, tv], mut near) = (o.map(lanes), t.map(lanes), lanes(self.near));
        for lane in 0..L::WIDTH {
            near[lane] = -i32::from(is_near([oh[lane], ov[lane]], [th[lane], tv[lane]]));
        }
        l.load32(&near, 0)
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::super::avx2::Avx2;
    use super::super::avx512::Avx512;
    use super::super::lanes::Stage;
    use super::super::{coarse, finest};
    use super::is_near;
    use crate::cpu::Level;
    use crate::reduce::testing::Noise;

    /// The bands h and v of the two pictures at 16 positions.
    #[derive(Clone, Copy, Debug)]
    struct Vectors {
        o: [[i32; 16]; 2],
        t: [[i32; 16]; 2],
    }

    impl Vectors {
        /// Of `length` at most, the distorted ones turned by one degree and as long, or some units off.
        fn around_the_limit(random: &mut Noise, length: f64) -> Self {
            let mut vectors = Self { o: [[0; 16]; 2], t: [[0; 16]; 2] };
            for position in 0..16 {
                let share = |random: &mut Noise| f64::from(random.sample(u16::MAX)) / 65535.0;
                let (long, angle) = (length * share(random), share(random) * std::f64::consts::TAU);
                let turned = angle + 1f64.to_radians();
                let off = f64::from(random.sample(2)) - 1.0;
                vectors.o[0][position] = (long * angle.cos()) as i32;
                vectors.o[1][position] = (long * angle.sin()) as i32;
                vectors.t[0][position] = (long * turned.cos() + off) as i32;
                vectors.t[1][position] = (long * turned.sin()) as i32;
            }
            vectors
        }

        fn expected(&self) -> [bool; 16] {
            let at = |bands: [[i32; 16]; 2], position: usize| [bands[0][position], bands[1][position]];
            std::array::from_fn(|position| is_near(at(self.o, position), at(self.t, position)))
        }
    }

    /// The test at 16 positions, in words or in lanes of 32 bits.
    #[derive(Clone, Copy)]
    struct Near(Vectors, bool);

    impl Stage for Near {
        type Output = [bool; 16];

        #[inline(always)]
        fn run<L: super::Lanes>(self, l: L) -> [bool; 16] {
            let Near(Vectors { o, t }, words) = self;
            let mut near = [0; 16];
            for x in (0..16).step_by(L::WIDTH) {
                let load = |bands: [[i32; 16]; 2]| bands.map(|band| l.load32(&band, x));
                let pack = |[h, v]: [L::V; 2]| l.blend16(h, l.sll32(v, 16));
                let mask = match words {
                    true => finest::near(l, pack(load(o)), pack(load(t))),
                    false => coarse::near(l, load(o), load(t)),
                };
                l.store32(&mut near, x, mask);
            }
            near.map(|mask| mask != 0)
        }
    }

    #[test]
    fn angles_around_the_limit_are_told_apart() {
        let (mut random, mut near) = (Noise(5), 0);
        for round in 0..3000 {
            for (words, length) in [(true, 200.0), (true, 22000.0), (false, 30000.0), (false, 1.4e9)] {
                let vectors = Vectors::around_the_limit(&mut random, length);
                let (stage, expected) = (Near(vectors, words), vectors.expected());
                near += expected.iter().filter(|&&near| near).count();
                for level in Level::available() {
                    let found = Avx512::<true>::new(level).map(|l| super::Lanes::run(l, stage));
                    let found =
                        found.or_else(|| Avx512::<false>::new(level).map(|l| super::Lanes::run(l, stage)));
                    let found = found.or_else(|| Avx2::new(level).map(|l| super::Lanes::run(l, stage)));
                    assert_eq!(found.unwrap_or(expected), expected, "{level:?}, round {round}: {vectors:?}");
                }
            }
        }
        assert!((3000 * 4 * 16 / 10..3000 * 4 * 16 * 9 / 10).contains(&near), "{near} are near");
    }
}
