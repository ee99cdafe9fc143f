// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Structural similarity in a context: options, names, sizes and depths that are refused, scores that are no number.

use vmaf_rs::context::{Configuration, Context};
use vmaf_rs::error::{Error, Result};
use vmaf_rs::feature::Dictionary;
use vmaf_rs::picture::{Format, Picture, PixelFormat};

type Options = [(&'static str, &'static str)];

fn dictionary(options: &Options) -> Dictionary {
    let mut dictionary = Dictionary::new();
    options.iter().for_each(|(key, value)| dictionary.set(key, value));
    dictionary
}

fn context(n_threads: u32, extractor: &str, options: &Options) -> Context {
    let mut context = Context::new(Configuration { n_threads, ..Configuration::default() }).unwrap();
    context.use_feature(extractor, &dictionary(options)).unwrap();
    context
}

/// Luma of seeded noise; `invert` flips its bits.
fn picture(width: u32, height: u32, bpc: u32, invert: bool) -> Picture {
    let format = Format::new(PixelFormat::Yuv400, bpc, width, height).unwrap();
    let mut picture = Picture::new(format).unwrap();
    let mut state = 1u32;
    for y in 0..height as usize {
        for (x, byte) in picture.row_mut(0, y).iter_mut().enumerate() {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Of samples of two bytes, the upper one holds what is above 8 bits.
            let mask = if bpc > 8 && x % 2 == 1 { 0xff >> (16 - bpc) } else { 0xff };
            let noise = (state >> 24) as u8 & mask;
            *byte = if invert { mask - noise } else { noise };
        }
    }
    picture
}

fn read(context: &mut Context, width: u32, height: u32, bpc: u32, invert: bool) -> Result<()> {
    context.read_pictures(picture(width, height, bpc, false), picture(width, height, bpc, invert), 0)
}

fn score(extractor: &str, options: &Options, size: (u32, u32), invert: bool, key: &str) -> f64 {
    let mut context = context(0, extractor, options);
    read(&mut context, size.0, size.1, 8, invert).unwrap();
    context.flush().unwrap();
    context.feature_score_at_index(key, 0).unwrap()
}

fn is_refused(outcome: Result<()>) -> bool {
    matches!(outcome, Err(Error::Invalid(_)))
}

#[test]
fn pictures_below_the_smallest_size_are_refused() {
    for n_threads in [0, 2] {
        for (width, height) in [(176, 144), (128, 72), (175, 200), (200, 175), (1, 1)] {
            let mut small = context(n_threads, "float_ms_ssim", &[]);
            let read = read(&mut small, width, height, 8, false);
            let flushed = if read.is_ok() { small.flush() } else { Ok(()) };
            assert!(is_refused(read.and(flushed)), "{width}x{height}, {n_threads} threads");
            assert!(small.feature_score_at_index("float_ms_ssim", 0).is_err());
        }
        let mut least = context(n_threads, "float_ms_ssim", &[]);
        read(&mut least, 176, 176, 8, false).unwrap();
        least.flush().unwrap();
        let score = least.feature_score_at_index("float_ms_ssim", 0).unwrap();
        assert!((score - 1.0).abs() < 1e-6, "{score}");
    }
}

#[test]
fn depths_without_a_scale_are_refused() {
    for extractor in ["float_ssim", "float_ms_ssim"] {
        for bpc in 8..=16 {
            let outcome = read(&mut context(0, extractor, &[]), 192, 192, bpc, true);
            let supported = [8, 10, 12, 16].contains(&bpc);
            assert_eq!(is_refused(outcome), !supported, "{extractor}, {bpc} bits");
        }
    }
}

#[test]
fn option_values_out_of_range_are_refused() {
    let refused = |extractor, option| {
        let mut context = Context::new(Configuration::default()).unwrap();
        is_refused(context.use_feature(extractor, &dictionary(&[option])))
    };
    for option in [("scale", "11"), ("scale", "-1"), ("enable_db", "1"), ("clip_db", "yes")] {
        assert!(refused("float_ssim", option), "{option:?}");
    }
    assert!(refused("float_ms_ssim", ("enable_lcs", "no")));
    assert!(!refused("float_ms_ssim", ("scale", "11")), "an option that there is not is passed over");
}

#[test]
fn every_option_shows_in_the_scores() {
    let ssim = |options: &Options| score("float_ssim", options, (97, 83), true, "float_ssim");
    let plain = ssim(&[]);
    assert_eq!(ssim(&[("scale", "1")]), plain);
    assert_ne!(ssim(&[("scale", "2")]), plain);
    assert_eq!(ssim(&[("enable_lcs", "true"), ("clip_db", "true")]), plain);
    assert_eq!(ssim(&[("enable_db", "true")]), -10.0 * (1.0 - plain).log10());
}

#[test]
fn components_are_written_after_the_score_where_asked_for() {
    let mut names = vec!["float_ms_ssim".to_owned()];
    names.extend("lcs".chars().flat_map(|c| (0..5).map(move |n| format!("float_ms_ssim_{c}_scale{n}"))));
    for (options, expected) in [(&[][..], &names[..1]), (&[("enable_lcs", "true")], &names)] {
        let mut context = context(0, "float_ms_ssim", options);
        read(&mut context, 200, 180, 8, true).unwrap();
        context.flush().unwrap();
        assert_eq!(columns(&context), expected);
    }
    let mut context = context(0, "float_ssim", &[("enable_lcs", "true")]);
    read(&mut context, 64, 64, 8, true).unwrap();
    context.flush().unwrap();
    assert_eq!(columns(&context), ["float_ssim", "float_ssim_l", "float_ssim_c", "float_ssim_s"]);
}

/// Names in the order of the log.
fn columns(context: &Context) -> Vec<String> {
    use vmaf_rs::output::{OutputFormat, Precision};
    let log = tempfile::NamedTempFile::new().unwrap();
    context.write_output(log.path(), OutputFormat::Csv, Precision::default()).unwrap();
    let text = std::fs::read_to_string(log.path()).unwrap();
    let heading = text.lines().next().unwrap().split(',').skip(1);
    heading.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[test]
fn pictures_without_a_window_have_the_figure_of_an_empty_sum() {
    let ssim = |options: &Options, size| score("float_ssim", options, size, true, "float_ssim").to_bits();
    assert_eq!(ssim(&[], (9, 9)), 0f64.to_bits());
    assert_eq!(ssim(&[], (9, 30)), (-0f64).to_bits());
    // As 0 / 0 is on x86: a NaN with its sign bit set.
    assert_eq!(ssim(&[], (10, 30)), (-f64::NAN).to_bits());
    assert_eq!(ssim(&[("scale", "10")], (3, 2)), 0f64.to_bits());
    assert_eq!(ssim(&[("enable_db", "true")], (10, 30)), f64::INFINITY.to_bits());
}

/// Of two black pictures: others are not quite equal to themselves, as numerators and denominators round differently.
fn black_score(extractor: &str, options: &Options) -> f64 {
    let black = || Picture::new(Format::new(PixelFormat::Yuv420, 8, 192, 192).unwrap()).unwrap();
    let mut context = context(0, extractor, options);
    context.read_pictures(black(), black(), 0).unwrap();
    context.flush().unwrap();
    context.feature_score_at_index(extractor, 0).unwrap()
}

#[test]
fn equal_pictures_are_infinitely_many_decibel_unless_clipped() {
    let db = ("enable_db", "true");
    for extractor in ["float_ssim", "float_ms_ssim"] {
        assert_eq!(black_score(extractor, &[]), 1.0);
        assert_eq!(black_score(extractor, &[db]), f64::INFINITY);
        assert_eq!(black_score(extractor, &[db, ("clip_db", "true")]), 97.0);
    }
}

#[test]
fn inverted_pictures_have_no_multi_scale_score() {
    let ms_ssim = |options: &Options, key| score("float_ms_ssim", options, (192, 192), true, key);
    assert!(ms_ssim(&[], "float_ms_ssim").is_nan());
    assert!(ms_ssim(&[("enable_lcs", "true")], "float_ms_ssim_s_scale0") < 0.0);
    let clipped = [("enable_db", "true"), ("clip_db", "true")];
    assert_eq!(ms_ssim(&clipped, "float_ms_ssim"), 97.0);
}

#[test]
fn a_second_registration_with_other_options_is_dropped() {
    let mut context = context(0, "float_ssim", &[("enable_db", "true")]);
    context.use_feature("float_ssim", &dictionary(&[("enable_lcs", "true")])).unwrap();
    read(&mut context, 64, 64, 8, true).unwrap();
    context.flush().unwrap();
    let decibel = score("float_ssim", &[("enable_db", "true")], (64, 64), true, "float_ssim");
    assert_eq!(context.feature_score_at_index("float_ssim", 0).unwrap(), decibel);
    assert!(context.feature_score_at_index("float_ssim_l", 0).is_err());
}
