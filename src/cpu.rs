// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Instruction-set levels of the fast paths: found once, only ever lowered.

use bitflags::bitflags;

bitflags! {
    /// The bits of `VmafConfiguration.cpumask`: each *forbids* an instruction set.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Forbidden: u32 {
        /// SSE2; NEON on Arm.
        const SSE2 = 1;
        /// SSE3 and SSSE3.
        const SSSE3 = 2;
        /// SSE4.1.
        const SSE41 = 4;
        /// AVX2.
        const AVX2 = 8;
        /// AVX-512 F, BW, DQ, VL and CD.
        const AVX512 = 16;
        /// AVX-512 of Ice Lake: VBMI, VBMI2, IFMA, VNNI, BITALG, VPOPCNTDQ.
        const AVX512_ICL = 32;
    }
}

/// A level names code, never results: every level gives the bits of [`Kind::Scalar`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Plain Rust.
    Scalar,
    /// AVX2 (with everything below it) and FMA.
    Avx2,
    /// AVX-512 F, BW, DQ, VL, CD.
    Avx512,
    /// AVX-512 with Ice Lake's additions.
    Avx512Icl,
}

/// A level that this machine was seen to have: holding one is the proof that its instructions may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(Kind);

impl Level {
    /// Plain Rust, on every machine.
    pub const SCALAR: Self = Self(Kind::Scalar);

    /// The highest level of this machine below everything that `cpumask` forbids (its low 32 bits count).
    pub fn detect(cpumask: u64) -> Self {
        let forbidden = Forbidden::from_bits_retain(cpumask as u32);
        let allowed = Self::available().into_iter().rev().find(|level| level.permitted(forbidden));
        allowed.unwrap_or(Self::SCALAR)
    }

    /// Every level of this machine, from the lowest up.
    pub fn available() -> Vec<Self> {
        let kinds = [Kind::Scalar, Kind::Avx2, Kind::Avx512, Kind::Avx512Icl];
        kinds.into_iter().take_while(|&kind| present(kind)).map(Self).collect()
    }

    /// The level's name.
    pub fn kind(self) -> Kind {
        self.0
    }

    fn permitted(self, forbidden: Forbidden) -> bool {
        let below_avx2 = Forbidden::SSE2 | Forbidden::SSSE3 | Forbidden::SSE41;
        let needs = match self.0 {
            Kind::Scalar => Forbidden::empty(),
            Kind::Avx2 => below_avx2 | Forbidden::AVX2,
            Kind::Avx512 => below_avx2 | Forbidden::AVX2 | Forbidden::AVX512,
            Kind::Avx512Icl => Forbidden::all(),
        };
        !forbidden.intersects(needs)
    }
}

#[cfg(target_arch = "x86_64")]
fn present(kind: Kind) -> bool {
    use std::arch::is_x86_feature_detected as has;
    match kind {
        Kind::Scalar => true,
        Kind::Avx2 => has!("avx2") && has!("fma"),
        Kind::Avx512 => {
            has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") && has!("avx512cd")
        }
        Kind::Avx512Icl => {
            has!("avx512vbmi")
                && has!("avx512vbmi2")
                && has!("avx512ifma")
                && has!("avx512vnni")
                && has!("avx512bitalg")
                && has!("avx512vpopcntdq")
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn present(kind: Kind) -> bool {
    kind == Kind::Scalar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_only_lowers() {
        assert_eq!(Level::detect(u64::MAX), Level::SCALAR);
        assert_eq!(Level::detect(0), *Level::available().last().unwrap());
        assert!(Level::detect(Forbidden::AVX512.bits().into()).kind() <= Kind::Avx2);
        assert_eq!(Level::detect(Forbidden::AVX2.bits().into()), Level::SCALAR);
        assert_eq!(Level::detect(1 << 40), Level::detect(0));
    }

    /// Other tests pass over levels that the machine lacks.
    #[test]
    fn what_vmaf_rs_require_names_is_there() {
        let required = std::env::var("VMAF_RS_REQUIRE").unwrap_or_default();
        for word in required.split(',').filter(|word| !word.is_empty()) {
            let level = match word {
                "avx2" => Kind::Avx2,
                "avx512" => Kind::Avx512,
                "avx512icl" => Kind::Avx512Icl,
                "cuda" | "locale" | "models" => continue,
                _ => panic!("VMAF_RS_REQUIRE: nothing is called {word}"),
            };
            assert!(Level::available().contains(&Level(level)), "this machine has no {word}");
        }
    }
}
