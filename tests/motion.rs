// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The integer motion extractor in a context: options, names, order of indices, when scores come, log columns.

use vmaf_rs::context::{Configuration, Context};
use vmaf_rs::error::{Error, Result};
use vmaf_rs::feature::Dictionary;
use vmaf_rs::output::{OutputFormat, Precision};
use vmaf_rs::picture::{Format, Picture, PixelFormat};

const SAD: &str = "VMAF_integer_feature_motion_sad_score";

type Options = [(&'static str, &'static str)];

fn dictionary(options: &Options) -> Dictionary {
    let mut dictionary = Dictionary::new();
    options.iter().for_each(|(key, value)| dictionary.set(key, value));
    dictionary
}

/// A context with one `motion` that has these options.
fn context(n_threads: u32, options: &Options) -> Context {
    let mut context = context_of(Configuration { n_threads, ..Configuration::default() });
    context.use_feature("motion", &dictionary(options)).unwrap();
    context
}

fn context_of(configuration: Configuration) -> Context {
    Context::new(configuration).unwrap()
}

/// A luma plane of seeded noise that gets brighter and more lively with every frame.
fn picture(width: u32, height: u32, bpc: u32, seed: u32) -> Picture {
    let format = Format::new(PixelFormat::Yuv400, bpc, width, height).unwrap();
    let mut picture = Picture::new(format).unwrap();
    let mut state = seed.wrapping_mul(2_654_435_761);
    for y in 0..height as usize {
        for sample in picture.row_mut(0, y) {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *sample = (10 * seed + (state >> 24) % (1 + 20 * seed)) as u8;
        }
    }
    picture
}

fn read(context: &mut Context, index: u32) -> Result<()> {
    read_sized(context, 33, 21, index)
}

fn read_sized(context: &mut Context, width: u32, height: u32, index: u32) -> Result<()> {
    let picture = || picture(width, height, 8, index);
    context.read_pictures(picture(), picture(), index)
}

/// All scores of one key that can be read for the indices 0 to 7, by their bits.
fn scores(context: &Context, key: &str) -> Vec<Option<u64>> {
    (0..8).map(|index| Some(context.feature_score_at_index(key, index).ok()?.to_bits())).collect()
}

/// The three keys of a context after reading `indices` and the flush.
fn after_flush(mut context: Context, indices: &[u32]) -> [Vec<Option<u64>>; 3] {
    indices.iter().for_each(|&index| read(&mut context, index).unwrap());
    context.flush().unwrap();
    [SAD, "integer_motion2", "integer_motion3"].map(|key| scores(&context, key))
}

fn known(scores: &[Option<u64>]) -> Vec<usize> {
    (0..scores.len()).filter(|&index| scores[index].is_some()).collect()
}

#[test]
fn values_of_options_are_checked() {
    for (key, value) in [
        ("motion_blend_factor", "1.5"),
        ("motion_blend_offset", "1001"),
        ("motion_fps_weight", "5.1"),
        ("motion_max_val", "10001"),
        ("motion_max_val", "-1"),
        ("motion_five_frame_window", "1"),
        ("motion_force_zero", "yes"),
        ("debug", ""),
    ] {
        let refused =
            context_of(Configuration::default()).use_feature("motion", &dictionary(&[(key, value)]));
        assert_eq!(refused.unwrap_err().errno(), -22, "{key}={value}");
    }
    // An alias is no key: it is ignored.
    context_of(Configuration::default()).use_feature("motion", &dictionary(&[("mbf", "7")])).unwrap();
}

#[test]
fn every_option_acts_and_is_spelled() {
    let plain = after_flush(context(0, &[]), &[0, 1, 2, 3, 4]);
    for (option, value, suffix, changed) in [
        ("motion_force_zero", "true", "_force_0", [true, true, true]),
        ("motion_blend_factor", "0.5", "_mbf_0.5", [false, false, true]),
        ("motion_fps_weight", "0.5", "_mfw_0.5", [true, true, true]),
        ("motion_max_val", "9", "_mmxv_9", [true, true, true]),
        ("motion_five_frame_window", "true", "_mffw", [true, true, true]),
        ("motion_moving_average", "true", "_mma", [false, false, true]),
    ] {
        // Without a small offset the blend would be of a score with itself.
        let options = [(option, value), ("motion_blend_offset", "5")];
        let options = if option == "motion_blend_factor" { &options[..] } else { &options[..1] };
        let suffix = if options.len() > 1 { format!("{suffix}_mbo_5") } else { suffix.into() };
        let mut context = context(0, options);
        (0..5).for_each(|index| read(&mut context, index).unwrap());
        context.flush().unwrap();
        let names = [SAD, "integer_motion2", "integer_motion3"].map(|name| format!("{name}{suffix}"));
        let got = names.each_ref().map(|name| scores(&context, name));
        for place in 0..3 {
            assert_eq!(known(&got[place]), [0, 1, 2, 3, 4], "{}", names[place]);
            assert_eq!(got[place] != plain[place], changed[place], "{}", names[place]);
        }
    }
}

/// The average is with the frame before as it was before averaging.
#[test]
fn the_average_is_of_two_frames() {
    let plain = after_flush(context(0, &[]), &[0, 1, 2, 3, 4])[2].clone();
    let mut averaged = context(0, &[("motion_moving_average", "true")]);
    (0..5).for_each(|index| read(&mut averaged, index).unwrap());
    averaged.flush().unwrap();
    let value = |index: usize| f64::from_bits(plain[index].unwrap());
    for index in 1..5 {
        let expected = (value(index) + value(index - 1)) / 2.0;
        let got = averaged.feature_score_at_index("integer_motion3_mma", index as u32);
        assert_eq!(got, Ok(expected), "index {index}");
    }
}

#[test]
fn debug_adds_the_score_under_the_plain_name() {
    let mut context = context(0, &[("debug", "true")]);
    (0..3).for_each(|index| read(&mut context, index).unwrap());
    assert_eq!(scores(&context, "integer_motion"), scores(&context, SAD));
    context.flush().unwrap();
    assert_eq!(columns(&context), [SAD, "integer_motion", "integer_motion2", "integer_motion3"]);
}

#[test]
fn short_streams() {
    for options in [&[][..], &[("motion_five_frame_window", "true")]] {
        let suffix = if options.is_empty() { "" } else { "_mffw" };
        for frames in 1..=4 {
            let mut context = context(0, options);
            (0..frames).for_each(|index| read(&mut context, index).unwrap());
            context.flush().unwrap();
            let of = |key: &str| scores(&context, &format!("{key}{suffix}"));
            let (sad, motion2, motion3) = (of(SAD), of("integer_motion2"), of("integer_motion3"));
            let first = 1 + options.len();
            for index in 0..frames as usize {
                assert_eq!(sad[index] == Some(0), index < first, "{frames} frames, {index}");
                assert_eq!(motion2[index] == Some(0), index < first, "{frames} frames, {index}");
                assert_eq!(motion3[index] == Some(0), frames as usize <= first, "{frames} frames, {index}");
            }
            if frames as usize > first {
                let last = frames as usize - 1;
                assert_eq!((motion2[last], motion3[0]), (sad[last], sad[first]));
            }
        }
    }
}

#[test]
fn scores_come_as_soon_as_they_are_determined() {
    for (options, suffix) in [
        (&[][..], ""),
        (&[("motion_five_frame_window", "true"), ("motion_moving_average", "true")], "_mffw_mma"),
    ] {
        let first = if suffix.is_empty() { 1 } else { 2 };
        let mut context = context(0, options);
        let keys = ["integer_motion2", "integer_motion3"].map(|key| format!("{key}{suffix}"));
        let mut seen: [Vec<Option<u64>>; 2] = [vec![None; 8], vec![None; 8]];
        for index in 0..6u32 {
            read(&mut context, index).unwrap();
            let settled = index as usize;
            let now = keys.each_ref().map(|key| scores(&context, key));
            assert_eq!(known(&now[0]), (0..settled.max((settled + 1).min(first))).collect::<Vec<_>>());
            assert_eq!(known(&now[1]), if settled < first { vec![] } else { (0..settled).collect() });
            for (seen, now) in seen.iter_mut().zip(now) {
                seen.iter().zip(&now).for_each(|(seen, now)| assert!(seen.is_none() || seen == now));
                *seen = now;
            }
        }
        context.flush().unwrap();
        for (key, seen) in keys.iter().zip(seen) {
            let end = scores(&context, key);
            assert_eq!((known(&end).len(), &end[..5]), (6, &seen[..5]), "{key}");
        }
    }
}

#[test]
fn forced_zeros_come_at_once_and_at_any_size() {
    let mut context = context(0, &[("motion_force_zero", "true")]);
    for index in 0..3 {
        read_sized(&mut context, 2, 1, index).unwrap();
        for key in [SAD, "integer_motion2", "integer_motion3"] {
            assert_eq!(context.feature_score_at_index(&format!("{key}_force_0"), index), Ok(0.0));
        }
    }
    context.flush().unwrap();
}

#[test]
fn pictures_smaller_than_the_filters_reach_are_refused() {
    for (width, height) in [(2, 3), (3, 2), (1, 100)] {
        let refused = read_sized(&mut context(0, &[]), width, height, 0);
        assert_eq!(refused.unwrap_err().errno(), -22, "{width}x{height}");
    }
    let mut context = context(0, &[]);
    (0..2).for_each(|index| read_sized(&mut context, 3, 3, index).unwrap());
}

/// Indices fed as 0, 1, 4, 2, 3.
#[test]
fn indices_must_ascend() {
    for n_threads in [0, 2] {
        let mut context = context(n_threads, &[]);
        [0, 1, 4].iter().for_each(|&index| read(&mut context, index).unwrap());
        for index in [2, 3, 4] {
            match read(&mut context, index).unwrap_err() {
                Error::Invalid(text) => {
                    assert!(text.starts_with(&format!("index {index} after index 4")), "{text}");
                }
                other => panic!("{other:?}"),
            }
        }
        read(&mut context, 5).unwrap();
        context.flush().unwrap();
    }
}

#[test]
fn a_stream_must_begin_with_index_0() {
    let mut context = context(0, &[]);
    for index in [1, 2] {
        assert_eq!(read(&mut context, index).unwrap_err().errno(), -22);
    }
    // A refused frame is not remembered, and so takes nothing from a proper start.
    [0, 1].iter().for_each(|&index| read(&mut context, index).unwrap());
    context.flush().unwrap();
    assert_eq!(known(&scores(&context, "integer_motion2")), [0, 1]);
}

#[test]
fn a_gap_ends_what_needs_neighbours() {
    let whole = after_flush(context(0, &[]), &[0, 1, 2]);
    for n_threads in [0, 3] {
        let [sad, motion2, motion3] = after_flush(context(n_threads, &[]), &[0, 1, 2, 4, 5]);
        assert_eq!(known(&sad), [0, 1, 2, 4, 5]);
        assert_eq!((motion2, motion3), (whole[1].clone(), whole[2].clone()));
        let [from_2, _, _] = after_flush(context(0, &[]), &[0, 2]);
        assert_ne!(sad[4], None);
        assert_ne!(from_2[2], sad[2]);
    }
}

#[test]
fn subsampling_thins_the_log_only() {
    let all = after_flush(context(0, &[]), &[0, 1, 2, 3, 4]);
    let mut thinned = context_of(Configuration { n_subsample: 2, ..Configuration::default() });
    thinned.use_feature("motion", &Dictionary::new()).unwrap();
    let log = {
        (0..5).for_each(|index| read(&mut thinned, index).unwrap());
        thinned.flush().unwrap();
        log(&thinned)
    };
    let keys = [SAD, "integer_motion2", "integer_motion3"];
    assert_eq!(keys.map(|key| scores(&thinned, key)), all);
    let indices: Vec<_> = log.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(indices, ["0", "2", "4"]);
}

#[test]
fn an_imported_score_stays_and_is_no_error() {
    let mut context = context(0, &[]);
    context.import_feature_score("VMAF_integer_feature_motion2_score", 7.0, 1).unwrap();
    (0..4).for_each(|index| read(&mut context, index).unwrap());
    context.flush().unwrap();
    assert_eq!(context.feature_score_at_index("integer_motion2", 1), Ok(7.0));
    assert_eq!(known(&scores(&context, "integer_motion2")), [0, 1, 2, 3]);
}

/// The log, without the times that other formats tell.
fn log(context: &Context) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    context.write_output(file.path(), OutputFormat::Csv, Precision::Max).unwrap();
    std::fs::read_to_string(file.path()).unwrap()
}

fn columns(context: &Context) -> Vec<String> {
    let log = log(context);
    let names = log.lines().next().unwrap().split(',').skip(1);
    names.filter(|name| !name.is_empty()).map(String::from).collect()
}

fn log_of(n_threads: u32, features: &[(&str, &Options)]) -> (Vec<String>, String) {
    let mut context = context_of(Configuration { n_threads, ..Configuration::default() });
    for (name, options) in features {
        context.use_feature(name, &dictionary(options)).unwrap();
    }
    (0..8).for_each(|index| read(&mut context, index).unwrap());
    context.flush().unwrap();
    (columns(&context), log(&context))
}

#[test]
fn columns_stand_where_the_flush_would_put_them() {
    let window = [("motion_five_frame_window", "true")];
    let features: [(&str, &Options); 4] =
        [("motion", &window), ("float_moment", &[]), ("motion", &[]), ("psnr", &[])];
    let moments = ["ref1st", "dis1st", "ref2nd", "dis2nd"].map(|part| format!("float_moment_{part}"));
    let early = [vec![format!("{SAD}_mffw")], moments.to_vec(), vec![SAD.to_owned()]].concat();
    let late = ["integer_motion2_mffw", "integer_motion3_mffw", "integer_motion2", "integer_motion3"];
    let late = late.map(String::from).to_vec();
    let psnr = vec!["psnr_y".to_owned()];
    let (in_caller, _) = log_of(0, &features);
    assert_eq!(in_caller, [early.clone(), psnr.clone(), late.clone()].concat());
    let (in_threads, expected) = log_of(1, &features);
    assert_eq!(in_threads, [psnr, early, late].concat());
    for n_threads in 2..=5 {
        assert_eq!(log_of(n_threads, &features).1, expected, "{n_threads} threads");
    }
}

#[test]
fn logs_do_not_depend_on_the_threads() {
    let average = [("motion_moving_average", "true"), ("debug", "true")];
    let features: [(&str, &Options); 3] = [("float_moment", &[]), ("motion", &average), ("motion", &[])];
    let (_, expected) = log_of(0, &features);
    for n_threads in 1..=5 {
        assert_eq!(log_of(n_threads, &features).1, expected, "{n_threads} threads");
    }
}

/// The bytes of [`picture`] as words of 10 bits: nearly all have more.
#[test]
fn samples_past_the_depth_score_alike_at_every_level() {
    let scores_at = |cpumask: u64, n_threads: u32| {
        let mut context = context_of(Configuration { cpumask, n_threads, ..Configuration::default() });
        context.use_feature("motion", &Dictionary::new()).unwrap();
        for index in 0..3 {
            let picture = || picture(33, 150, 10, 5 + index);
            context.read_pictures(picture(), picture(), index).unwrap();
        }
        context.flush().unwrap();
        scores(&context, SAD)
    };
    let scalar = scores_at(u64::MAX, 0);
    assert_eq!(known(&scalar), [0, 1, 2]);
    for (cpumask, n_threads) in [(0, 0), (0, 3), (16, 0), (48, 3)] {
        assert_eq!(scores_at(cpumask, n_threads), scalar, "mask {cpumask}, {n_threads} threads");
    }
}
