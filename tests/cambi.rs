// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `cambi` beyond the golden figures: every option, depth and shape, what it refuses, its heatmaps.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::fixtures::Fixture;
use support::scoring::Sequence;
use vmaf_rs::context::{Configuration, Context};
use vmaf_rs::cpu::Forbidden;
use vmaf_rs::error::{Error, Result};
use vmaf_rs::feature::Dictionary;
use vmaf_rs::picture::{Format, Picture, PixelFormat};

/// What forbids all above AVX2.
const ONLY_AVX2: u64 = Forbidden::AVX512.union(Forbidden::AVX512_ICL).bits() as u64;

/// cpumask and number of threads.
const CASES: [(u64, u32); 4] = [(0, 0), (0, 3), (ONLY_AVX2, 0), (u64::MAX, 2)];

fn format(pixel: PixelFormat, bpc: u32, (width, height): (u32, u32)) -> Format {
    Format::new(pixel, bpc, width, height).unwrap()
}

/// A picture of luma samples that `sample` gives for column and row.
fn picture(format: Format, sample: impl Fn(u32, u32) -> u32) -> Picture {
    let mut picture = Picture::new(format).unwrap();
    for y in 0..format.height {
        let row = picture.row_mut(0, y as usize);
        for (x, bytes) in (0..).zip(row.chunks_mut(format.sample_bytes())) {
            bytes.copy_from_slice(&sample(x, y).to_le_bytes()[..bytes.len()]);
        }
    }
    picture
}

/// Areas that are flat but for single samples, a few levels apart, `period` columns wide.
fn steps(format: Format, period: u32) -> Picture {
    let bpc = format.bpc;
    picture(format, |x, y| {
        let spike = u32::from((u64::from(x) * 7919 + u64::from(y) * 104_729) % 1009 == 0);
        if bpc < 10 {
            return (22 + x / period % 3 + y / 31 % 2 + 10 * (x / 211 % 8) + spike) << (bpc - 8);
        }
        let level = 90 + 2 * (x / period % 3) + y / 31 % 4 + 40 * (x / 211 % 8) + spike;
        (level << (bpc - 10)) + (x + y) % 2 * ((1 << (bpc - 10)) / 4)
    })
}

fn pair(format: Format) -> [Picture; 2] {
    [43, 29].map(|period| steps(format, period))
}

/// `options` as `NAME=VALUE:NAME=VALUE`.
fn context(options: &str, (cpumask, n_threads): (u64, u32)) -> Result<Context> {
    let configuration = Configuration { log_level: 0, n_threads, n_subsample: 1, cpumask, gpumask: 0 };
    let mut context = Context::new(configuration)?;
    let mut dictionary = Dictionary::new();
    for option in options.split(':').filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=').unwrap();
        dictionary.set(name, value);
    }
    context.use_feature("cambi", &dictionary)?;
    Ok(context)
}

/// The score of one pair under `key`.
fn score(options: &str, key: &str, [reference, distorted]: &[Picture; 2], case: (u64, u32)) -> Result<f64> {
    let mut context = context(options, case)?;
    context.read_pictures(reference.clone(), distorted.clone(), 0)?;
    context.flush()?;
    context.feature_score_at_index(key, 0)
}

#[test]
fn every_option_depth_and_shape_gives_the_specified_score() {
    let (mut pictures, mut options) = (None, "");
    for line in include_str!("cambi/steps.figures").lines() {
        let (word, rest) = line.split_once(' ').unwrap_or(("", ""));
        if word == "picture" {
            let words: Vec<&str> = rest.split(' ').collect();
            let number = |index: usize| words[index].parse().unwrap();
            pictures = Some(pair(format(PixelFormat::Yuv400, number(2), (number(0), number(1)))));
            options = words.get(3).copied().unwrap_or_default();
        } else if word.starts_with("cambi") {
            let expected: f64 = rest.parse().unwrap();
            for case in CASES {
                let got = score(options, word, pictures.as_ref().unwrap(), case);
                assert_eq!(
                    got,
                    Ok(expected),
                    "{word}, {:?}, {case:?}",
                    pictures.as_ref().unwrap()[0].format()
                );
            }
        }
    }
}

#[test]
fn chroma_is_not_looked_at() {
    let gray = score("", "cambi", &pair(format(PixelFormat::Yuv400, 10, (353, 289))), CASES[0]);
    for pixel in [PixelFormat::Yuv420, PixelFormat::Yuv422, PixelFormat::Yuv444] {
        assert_eq!(score("", "cambi", &pair(format(pixel, 10, (353, 289))), CASES[0]), gray);
    }
    assert!(gray.unwrap() > 9.0);
}

/// Widths that are no multiple of anything, and one that is of four only: nothing may be read or written beside a row.
#[test]
fn ramps_of_1099_and_1100_columns() {
    for width in [1099, 1100] {
        let format = format(PixelFormat::Yuv444, 10, (width, 800));
        let ramp = picture(format, |x, y| (60 + (x + y) / 24) & !3);
        let pictures = [ramp.clone(), ramp];
        let expected = score("", "cambi", &pictures, CASES[3]).unwrap();
        assert!(expected > 1.0 && expected.is_finite(), "{expected}");
        for case in CASES {
            assert_eq!(score("", "cambi", &pictures, case), Ok(expected), "{width}, {case:?}");
        }
    }
}

/// Keys without options in their name can be written once only.
#[test]
fn two_full_references_collide() {
    let [reference, distorted] = pair(format(PixelFormat::Yuv400, 8, (352, 288)));
    let mut context = context("full_ref=true", CASES[0]).unwrap();
    let mut options = Dictionary::new();
    options.set("full_ref", "true");
    context.use_feature("cambi", &options).unwrap();
    context.read_pictures(reference.clone(), distorted.clone(), 0).unwrap();
    options.set("max_log_contrast", "3");
    context.use_feature("cambi", &options).unwrap();
    assert!(matches!(context.read_pictures(reference, distorted, 1), Err(Error::Invalid(_))));
}

#[track_caller]
fn refused(options: &str, format: Format) {
    let refused = score(options, "cambi", &pair(format), CASES[0]);
    assert!(matches!(refused, Err(Error::Invalid(_))), "{format}, {options}: {refused:?}");
}

#[test]
fn sizes_that_are_refused() {
    let size = |width, height| format(PixelFormat::Yuv400, 8, (width, height));
    refused("", size(215, 215));
    refused("", size(1, 1));
    refused("", size(3840, 216));
    refused("", size(1000, 16));
    refused("", size(4096, 2160));
    refused("src_width=320:src_height=200", size(400, 180));
    refused("enc_width=180:enc_height=150", size(352, 288));
    refused("enc_width=300:enc_height=200:src_width=320", size(352, 150));
    refused("src_width=350:src_height=320", size(352, 288));
    refused("full_ref=true:src_width=7680:src_height=289:window_size=31", size(352, 288));
    assert!(score("", "cambi", &pair(size(216, 3)), CASES[0]).is_ok());
    assert!(score("window_size=63", "cambi_ws_63", &pair(size(4096, 2160)), CASES[0]).is_ok());
    assert!(
        score("enc_width=215:enc_height=216", "cambi_ench_216_encw_215", &pair(size(352, 288)), CASES[0])
            .is_ok()
    );
}

#[test]
fn values_that_are_refused() {
    for options in [
        "enc_width=0",
        "enc_height=149",
        "enc_bitdepth=5",
        "src_width=319",
        "src_height=4321",
        "window_size=128",
        "topk=0",
        "cambi_topk=1.1",
        "tvi_threshold=0",
        "cambi_vis_lum_threshold=301",
        "max_log_contrast=6",
        "cambi_max_val=1001",
        "cambi_high_res_speedup=2161",
        "full_ref=1",
    ] {
        assert!(matches!(context(options, CASES[0]), Err(Error::Invalid(_))), "{options}");
    }
    let size = format(PixelFormat::Yuv400, 8, (352, 288));
    for options in ["eotf=hlg", "cambi_eotf=PQ", "cambi_eotf=hlg:eotf=pq"] {
        refused(options, size);
    }
    let pq = score("cambi_eotf=pq", "cambi_ceot_pq", &pair(size), CASES[0]);
    assert_eq!(score("eotf=xxx:cambi_eotf=pq", "cambi_ceot_pq_eotf_xxx", &pair(size), CASES[0]), pq);
}

#[test]
fn names_tell_the_options() {
    let options = "cambi_topk=0.3:cambi_vis_lum_threshold=100:eotf=pq:max_log_contrast=4:full_ref=true";
    let pictures = pair(format(PixelFormat::Yuv400, 8, (352, 288)));
    assert!(score(options, "cambi_ctpk_0.3_vlt_100_eotf_pq_mlc_4", &pictures, CASES[0]).is_ok());
    assert!(score(options, "cambi_source", &pictures, CASES[0]).is_ok());
    assert!(score("cambi_high_res_speedup=1080", "cambi_hrs_1080", &pictures, CASES[0]).is_ok());
}

#[test]
fn samples_above_the_depth_are_refused_and_the_next_frame_is_not() {
    let format = format(PixelFormat::Yuv444, 10, (352, 288));
    let good = steps(format, 29);
    for (x, y) in [(0, 0), (351, 0), (17, 287), (351, 287)] {
        let bad = picture(format, |column, row| if (column, row) == (x, y) { 1024 } else { 300 });
        for case in CASES {
            let failed = score("", "cambi", &[good.clone(), bad.clone()], case);
            assert!(matches!(failed, Err(Error::Invalid(_))), "{failed:?}");
            assert!(score("", "cambi", &[bad.clone(), good.clone()], case).is_ok());
        }
        // With n_threads 0 the refusal belongs to its frame.
        let mut context = context("full_ref=true", CASES[0]).unwrap();
        context.read_pictures(good.clone(), good.clone(), 0).unwrap();
        assert!(context.read_pictures(good.clone(), bad.clone(), 1).is_err());
        assert!(context.read_pictures(bad.clone(), good.clone(), 2).is_err());
        context.read_pictures(good.clone(), good.clone(), 3).unwrap();
        assert!(context.feature_score_at_index("cambi", 1).is_err());
        // The distorted picture's score was there before the reference was looked at.
        assert!(context.feature_score_at_index("cambi", 2).is_ok());
        assert!(context.feature_score_at_index("cambi_source", 2).is_err());
        assert_eq!(context.feature_score_at_index("cambi_full_reference", 3), Ok(0.0));
    }
}

#[test]
fn samples_of_16_bits_may_round_up_to_1024() {
    let fixture: Fixture = "noise 256 224 16 400 1".parse().unwrap();
    let [reference, _] = Sequence::new(&fixture).pairs()[0].clone();
    let white = picture(reference.format(), |_, _| 65_535);
    assert_eq!(score("tvi_threshold=0.0001", "cambi_tvit_0.0001", &[reference, white], CASES[0]), Ok(0.0));
}

fn heatmaps(options: &str, folder: &Path, format: Format, indices: &[u32], case: (u64, u32)) -> Result<()> {
    let separator = if options.is_empty() { "" } else { ":" };
    let mut context = context(&format!("{options}{separator}heatmaps_path={}", folder.display()), case)?;
    let [reference, distorted] = pair(format);
    for &index in indices {
        context.read_pictures(reference.clone(), distorted.clone(), index)?;
    }
    context.flush()
}

fn checksum(folder: &Path, name: &str, frame: usize, bytes: usize) -> u32 {
    let all = fs::read(folder.join(name)).unwrap();
    crc32fast::hash(&all[frame * bytes..][..bytes])
}

#[test]
fn heatmaps_show_the_contrast_values() {
    let small = format(PixelFormat::Yuv400, 10, (353, 289));
    let large = format(PixelFormat::Yuv400, 8, (1921, 1081));
    let runs: [(&str, Format, [u32; 5]); 3] = [
        ("", small, [0xf16c_1b5a, 0x7869_c80f, 0x224d_7c48, 0x528e_f20b, 0x303c_d158]),
        ("max_log_contrast=3", small, [0x87a9_0395, 0xd574_f845, 0x3ad7_56eb, 0x783a_4480, 0xd35a_e70e]),
        (
            "cambi_high_res_speedup=1080",
            large,
            [0x4140_e9c3, 0x6d8a_195c, 0x570b_9974, 0x8700_4e3b, 0x9144_06a4],
        ),
    ];
    for ((options, format, checksums), case) in runs.into_iter().zip([CASES[0], CASES[1], CASES[2]]) {
        let bench = tempfile::tempdir().unwrap();
        let folder = bench.path().join("new/and deeper");
        heatmaps(options, &folder, format, &[1, 3], case).unwrap();
        let (mut width, mut height) = (format.width as usize, format.height as usize);
        for (scale, checksum_of_scale) in checksums.into_iter().enumerate() {
            let name = format!("cambi_heatmap_scale_{scale}_{width}x{height}_16b.gray");
            let halved = |size: usize| if options.contains("speedup") { size.div_ceil(2) } else { size };
            let bytes = 2 * halved(width) * halved(height);
            assert_eq!(fs::metadata(folder.join(&name)).unwrap().len(), 4 * bytes as u64);
            for frame in [1, 3] {
                assert_eq!(checksum(&folder, &name, frame, bytes), checksum_of_scale, "{name}, {frame}");
            }
            assert!(fs::read(folder.join(&name)).unwrap()[..bytes].iter().all(|&byte| byte == 0));
            (width, height) = (width.div_ceil(2), height.div_ceil(2));
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 5);
    }
}

#[test]
fn heatmaps_that_cannot_be_written_are_an_error() {
    let format = format(PixelFormat::Yuv400, 8, (352, 288));
    let bench = tempfile::tempdir().unwrap();
    let is_refused = |folder: &Path| {
        CASES.iter().all(|&case| matches!(heatmaps("", folder, format, &[0], case), Err(Error::Invalid(_))))
    };
    fs::write(bench.path().join("file"), "text").unwrap();
    assert!(is_refused(&bench.path().join("file")));
    assert!(is_refused(&bench.path().join("file/folder")));
    assert!(is_refused(Path::new("/proc/no/such/folder")));
    // A link in the place of a file would lead out of the folder.
    let outside = bench.path().join("outside");
    fs::write(&outside, "text").unwrap();
    let folder = bench.path().join("folder");
    fs::create_dir(&folder).unwrap();
    let name = "cambi_heatmap_scale_2_88x72_16b.gray";
    std::os::unix::fs::symlink(&outside, folder.join(name)).unwrap();
    assert!(is_refused(&folder));
    assert_eq!(fs::read_to_string(outside).unwrap(), "text");
    // A name that is a folder.
    fs::remove_file(folder.join(name)).unwrap();
    fs::create_dir(folder.join(name)).unwrap();
    assert!(is_refused(&folder));
    // A pipe, which nobody reads, is not waited for.
    fs::remove_dir(folder.join(name)).unwrap();
    assert!(Command::new("mkfifo").arg(folder.join(name)).status().unwrap().success());
    assert!(is_refused(&folder));
    assert!(is_refused(Path::new("")));
}

#[test]
fn two_extractors_do_not_share_heatmap_files() {
    let bench = tempfile::tempdir().unwrap();
    let [reference, distorted] = pair(format(PixelFormat::Yuv400, 8, (352, 288)));
    let mut first = context(&format!("heatmaps_path={}", bench.path().display()), CASES[0]).unwrap();
    first.read_pictures(reference.clone(), distorted.clone(), 0).unwrap();
    let mut second = context(&format!("heatmaps_path={}", bench.path().display()), CASES[0]).unwrap();
    assert!(matches!(second.read_pictures(reference.clone(), distorted.clone(), 0), Err(Error::Invalid(_))));
    drop(first);
    second.read_pictures(reference, distorted, 0).unwrap();
}
