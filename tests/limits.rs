// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What extractors refuse, and the scores that are not finite.

mod support;

use support::fixtures::Fixture;
use support::scoring::Sequence;
use vmaf_rs::context::{Configuration, Context};
use vmaf_rs::error::{Error, Result};
use vmaf_rs::feature::Dictionary;

/// A key's score of the first frame of a fixture.
fn score(extractor: &str, fixture: &str, key: &str) -> Result<f64> {
    let fixture: Fixture = fixture.parse().expect("a fixture");
    let configuration = Configuration { log_level: 0, n_threads: 0, n_subsample: 1, cpumask: 0, gpumask: 0 };
    let mut context = Context::new(configuration)?;
    context.use_feature(extractor, &Dictionary::new())?;
    for (index, [reference, distorted]) in (0..).zip(Sequence::new(&fixture).pairs()) {
        context.read_pictures(reference.clone(), distorted.clone(), index)?;
    }
    context.flush()?;
    context.feature_score_at_index(key, 0)
}

fn refused(extractor: &str, fixture: &str) -> bool {
    matches!(score(extractor, fixture, extractor), Err(Error::Invalid(_)))
}

#[test]
fn float_ansnr_takes_8_10_12_and_16_bits_of_3x3_samples_and_more() {
    for fixture in ["noise 3 3 8 400 1", "noise 4 3 10 420 1", "noise 3 9 12 422 1", "noise 5 4 16 444 1"] {
        assert!(score("float_ansnr", fixture, "float_anpsnr").unwrap().is_finite(), "{fixture}");
    }
    for fixture in ["noise 2 9 8 420 1", "noise 9 2 8 420 1", "noise 9 9 9 420 1", "noise 9 9 14 420 1"] {
        assert!(refused("float_ansnr", fixture), "{fixture}");
    }
}

#[test]
fn float_ansnr_of_a_reference_without_signal_is_minus_infinity() {
    let fixture = "flat 16 16 8 420 1";
    assert_eq!(score("float_ansnr", fixture, "float_ansnr").unwrap(), f64::NEG_INFINITY);
    assert!(score("float_ansnr", fixture, "float_anpsnr").unwrap().is_finite());
}

#[test]
fn float_vif_takes_8_10_12_and_16_bits_of_16x16_samples_and_more() {
    for fixture in
        ["noise 16 16 8 400 1", "noise 17 16 10 420 1", "noise 16 33 12 422 1", "noise 64 16 16 444 1"]
    {
        assert!(score("float_vif", fixture, "vif_scale3").unwrap().is_finite(), "{fixture}");
    }
    for fixture in
        ["noise 15 16 8 420 1", "noise 16 15 8 420 1", "noise 64 64 9 420 1", "noise 64 64 14 420 1"]
    {
        assert!(refused("float_vif", fixture), "{fixture}");
    }
}

#[test]
fn psnr_hvs_takes_three_planes_of_8_to_12_bits() {
    for bits in 8..=12 {
        let fixture = format!("noise 40 24 {bits} 420 1");
        assert!(score("psnr_hvs", &fixture, "psnr_hvs").unwrap().is_finite(), "{fixture}");
    }
    for fixture in
        ["noise 40 24 13 420 1", "noise 40 24 16 444 1", "noise 40 24 8 400 1", "noise 40 24 16 400 1"]
    {
        assert!(refused("psnr_hvs", fixture), "{fixture}");
    }
}

#[test]
fn psnr_hvs_of_equal_planes_is_infinite_and_of_planes_without_a_block_not_a_number() {
    for key in ["psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"] {
        assert_eq!(score("psnr_hvs", "identical 40 24 8 420 1", key).unwrap(), f64::INFINITY, "{key}");
    }
    for fixture in ["noise 14 40 8 420 1", "noise 40 13 10 420 1", "noise 14 9 12 422 1"] {
        assert!(score("psnr_hvs", fixture, "psnr_hvs_y").unwrap().is_finite(), "{fixture}");
        for key in ["psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"] {
            assert!(score("psnr_hvs", fixture, key).unwrap().is_nan(), "{fixture}, {key}");
        }
    }
    for key in ["psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs"] {
        assert!(score("psnr_hvs", "noise 1 1 8 444 1", key).unwrap().is_nan(), "{key}");
    }
}
