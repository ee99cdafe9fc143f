// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The files of golden figures: what their lines mean, and what counts as equal to a figure.

mod support;

use support::golden::{self, Golden, GoldenRun, Table};

const TEXT: &str = "# a comment

fixture noise 128 64 8 420 2 ref 0ee0fc66 dis 07da6400
run psnr:enable_mse=true:min_sse=0.5
psnr_y 0.1 1e-07
mse_y null 0.0
glibc psnr_y 0.1 2e-07
undefined psnr_cb psnr_cr
run psnr_hvs
refused
";

fn parsed() -> Golden {
    golden::parse(TEXT).unwrap().remove(0)
}

fn table(psnr: [f64; 2], mse: [Option<f64>; 2]) -> Result<Table, String> {
    Ok(vec![("psnr_y".into(), psnr.map(Some).into()), ("mse_y".into(), mse.into())])
}

fn differences(got: &Result<Table, String>) -> usize {
    parsed().runs[0].differences(got).len()
}

#[test]
fn lines_belong_to_the_fixture_and_run_above_them() {
    let Golden { fixture, crc32, runs } = parsed();
    assert_eq!((fixture.width, fixture.height, fixture.frames), (128, 64, 2));
    assert_eq!(crc32, [0x0ee0_fc66, 0x07da_6400]);
    assert_eq!(
        runs.iter().map(GoldenRun::name).collect::<Vec<_>>(),
        ["psnr:enable_mse=true:min_sse=0.5", "psnr_hvs"]
    );
    assert_eq!(runs[0].keys().collect::<Vec<_>>(), ["psnr_y", "mse_y"]);
    assert_eq!(runs[0].undefined, ["psnr_cb", "psnr_cr"]);
    assert_eq!((runs[0].refused, runs[1].refused), (false, true));
}

#[test]
fn an_unreadable_line_is_named() {
    let error = golden::parse("fixture noise 128 64 8 420 2 ref 0 dis 0\nrun psnr\npsnr_y 0,1").unwrap_err();
    assert!(error.starts_with("line 3: 0,1"), "{error}");
    assert!(golden::parse("psnr_y 1.0").unwrap_err().contains("no fixture"));
}

#[test]
fn only_the_same_bits_are_equal() {
    assert_eq!(differences(&table([0.1, 1e-7], [None, Some(0.0)])), 0);
    assert_eq!(differences(&table([0.1f64.next_up(), 1e-7], [None, Some(0.0)])), 1);
    assert_eq!(differences(&table([0.1, 1e-7], [None, Some(-0.0)])), 1);
    assert_eq!(differences(&table([0.1, 1e-7], [Some(0.0), None])), 2);
}

#[test]
fn the_math_librarys_figure_counts_for_its_own_frame_only() {
    assert_eq!(differences(&table([0.1, 2e-7], [None, Some(0.0)])), 0);
    assert_eq!(differences(&table([2e-7, 1e-7], [None, Some(0.0)])), 1);
}

#[test]
fn missing_keys_and_frames_differ() {
    assert_eq!(differences(&Ok(Vec::new())), 2);
    assert_eq!(differences(&Ok(vec![("psnr_y".into(), vec![Some(0.1)])])), 2);
    assert_eq!(differences(&Err("no".into())), 1);
}

#[test]
fn a_refused_run_must_fail() {
    let refused = &parsed().runs[1];
    assert!(refused.differences(&Err("8 bits only".into())).is_empty());
    assert_eq!(refused.differences(&Ok(Vec::new())).len(), 1);
}

#[test]
fn the_files_hold_every_fixture_and_run() {
    let all = golden::load_all();
    let runs = all.iter().flat_map(|golden| &golden.runs);
    assert_eq!(all.len(), 35);
    assert_eq!(runs.filter(|run| run.extractor == "psnr").count(), 36);
}
