// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The logarithms of registers against the table.

use super::lanes::{Lanes, Stage};
use super::{Avx2, Avx512};
use crate::cpu::Level;
use crate::feature::vif::tables::{NOISE_LOG, log};

/// Logarithms of a register's lanes.
struct Logs<'a>(&'a mut [i32]);

impl<L: Lanes> Stage<L> for Logs<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, lanes: L) {
        let logs = lanes.logs();
        for values in self.0.chunks_exact_mut(L::LANES) {
            lanes.store_lanes(values, lanes.log(logs, lanes.load_lanes(values)));
        }
    }
}

/// The logarithms of all 16 leading bits, followed by `cut` bits of 0, of 1, and of both.
fn check<L: Lanes>(lanes: L, level: Level, cut: u32) {
    for low in [0, (1 << cut) - 1, 1 << (cut - 1), (1 << (cut - 1)) - 1] {
        let values: Vec<i32> = (32768..65536).map(|leading| leading << cut | low).collect();
        let mut logs = values.clone();
        lanes.run(Logs(&mut logs));
        for (value, got) in values.into_iter().zip(logs) {
            assert_eq!(got, log(value as u64) - NOISE_LOG, "{level:?}: {value}");
        }
    }
}

#[test]
fn logarithms_are_those_of_the_table() {
    for level in Level::available() {
        for cut in 2..=15 {
            Avx2::of(level).into_iter().for_each(|lanes| check(lanes, level, cut));
            Avx512::<false>::of(level).into_iter().for_each(|lanes| check(lanes, level, cut));
            Avx512::<true>::of(level).into_iter().for_each(|lanes| check(lanes, level, cut));
        }
    }
}
