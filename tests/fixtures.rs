// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The generator makes the pictures that the golden figures were taken from.

mod support;

use support::fixtures::Side;
use support::golden;

#[test]
fn every_fixture_has_the_bytes_its_figures_were_taken_from() {
    for golden in golden::load_all() {
        let made = [Side::Reference, Side::Distorted].map(|side| golden.fixture.crc32(side));
        assert_eq!(made.map(hex), golden.crc32.map(hex), "{}", golden.fixture);
    }
}

fn hex(crc: u32) -> String {
    format!("{crc:08x}")
}
