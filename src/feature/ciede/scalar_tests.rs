// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Part A and B against published pairs, and the fast values with their tests against the exact way alone.

use super::*;
use crate::reduce::testing::Noise;

fn lab(l: f32, a: f32, b: f32) -> Lab {
    Lab { l, a, b }
}

#[test]
fn published_pairs() {
    let pairs = [
        (lab(0.052488625, -0.587470829, -8.98771572), lab(0.465437293, 0.386364758, -12.7648535), 2.54780269),
        (lab(87.156334, -12.049645, -1.205325), lab(83.455727, -9.040445, -8.894289), 4.22714281),
        (lab(79.718491, 9.109915, 13.727915), lab(78.717224, 7.526546, 5.597448), 4.26012468),
        (lab(99.205299, -3.339410, 1.205873), lab(97.991730, -2.497345, 2.473533), 1.26915979),
    ];
    for (reference, distorted, expected) in pairs {
        let got = f64::from(difference(reference, distorted));
        assert!((got - expected).abs() < 1e-6, "{reference:?} {distorted:?}: {got}");
    }
}

/// Step A7 of the exact way.
fn exact_lab(scale: &Scale, sample: [u16; 3]) -> Lab {
    Lab::new(exact_roots(scale.rgb(sample)))
}

fn check_lab(scale: &Scale, sample: [u16; 3]) {
    assert_eq!(scale.lab(sample), exact_lab(scale, sample), "{sample:?} of {scale:?}");
}

const DEPTHS: [Depth; 4] = [Depth::Bits8, Depth::Bits10, Depth::Bits12, Depth::Bits16];

#[test]
fn colours_of_every_depth_equal_the_exact_way() {
    for (seed, depth) in (1..).zip(DEPTHS) {
        let (scale, noise) = (Scale::new(depth), &mut Noise(seed));
        for _ in 0..4000 {
            check_lab(&scale, [0; 3].map(|_| noise.sample(scale.peak)));
        }
        let ends = [0, 1, scale.peak / 2 + 1, scale.peak];
        for [y, u, v] in ends.iter().flat_map(|&y| ends.map(|u| ends.map(|v| [y, u, v]))).flatten() {
            check_lab(&scale, [y, u, v]);
        }
    }
}

#[test]
fn samples_above_the_depth_are_taken_as_they_are() {
    let (scale, noise) = (Scale::new(Depth::Bits10), &mut Noise(9));
    for _ in 0..1000 {
        check_lab(&scale, [0; 3].map(|_| noise.sample(u16::MAX)));
    }
    check_lab(&scale, [u16::MAX; 3]);
}

/// All 2^24 colours of 8 bits: two minutes in an optimised build.
#[test]
#[ignore = "takes minutes; run it when part A or math changes"]
fn all_colours_of_8_bits_equal_the_exact_way() {
    let scale = Scale::new(Depth::Bits8);
    for yuv in 0u32..1 << 24 {
        check_lab(&scale, [yuv >> 16, yuv >> 8 & 255, yuv & 255].map(|s| s as u16));
    }
}

/// Checks the roundings that depend on the mean hue alone.
fn check_hue(hue: f32) {
    let (fast, exact) = (hue_tone_fast(hue), hue_tone(f64::from(hue)));
    assert!((fast - exact).abs() <= 2f64.powi(-48), "tone of {hue:e}: {fast}, {exact}");
    let degrees = (f64::from(hue) * (180.0 / PI)) as f32;
    let d = ((f64::from(degrees) - 275.0) * (1.0 / 25.0)) as f32;
    let e = (60.0 * math::exp_negative(d * d)) as f32;
    let exact = (f64::from(e) * (PI / 180.0)) as f32;
    assert_eq!(rotation_angle(hue), exact, "rotation at {hue:e}");
}

#[test]
fn functions_of_the_mean_hue_equal_the_exact_way() {
    let end = 7.86f32.to_bits();
    (0..=end).step_by(20_011).chain(end - 3..=end).for_each(|bits| check_hue(f32::from_bits(bits)));
}

/// All floats from 2^-31 to 2.5 pi: some twenty minutes in an optimised build.
#[test]
#[ignore = "takes minutes; run it when step B15 or B18 or math changes"]
fn functions_of_every_mean_hue_equal_the_exact_way() {
    let range = 2f32.powi(-31).to_bits()..=7.86f32.to_bits();
    range.for_each(|bits| check_hue(f32::from_bits(bits)));
}

#[test]
fn hues_equal_the_exact_way() {
    let noise = &mut Noise(4);
    let mut float = || {
        let size = 2f32.powi((noise.bits() % 20) as i32 - 12);
        (noise.sample(u16::MAX) as f32 - 32768.0 + noise.sample(u16::MAX) as f32 / 65536.0) / 32768.0 * size
    };
    for _ in 0..100_000 {
        let (b, a) = (float(), float());
        let exact = math::atan2(b, a) as f32;
        let exact = if exact < 0.0 { (f64::from(exact) + TAU) as f32 } else { exact };
        assert_eq!(hue(b, a), exact, "hue of b {b:e}, a {a:e}");
    }
}

#[test]
fn hues_of_the_axes() {
    assert_eq!([hue(0.0, 0.0), hue(0.0, -0.0), hue(-0.0, 1.0)], [0.0; 3]);
    assert_eq!(hue(0.0, -2.0), PI as f32);
    assert_eq!(hue(-0.0, -2.0), (f64::from(-PI as f32) + TAU) as f32);
    assert_eq!(hue(-3.0, 0.0), (f64::from(-PI as f32 / 2.0) + TAU) as f32);
}

#[test]
fn equal_pixels_do_not_differ() {
    let (scale, noise) = (Scale::new(Depth::Bits12), &mut Noise(2));
    for _ in 0..1000 {
        let sample = [0; 3].map(|_| noise.sample(scale.peak));
        assert_eq!(pixel_difference(&scale, sample, sample).to_bits(), 0, "{sample:?}");
    }
}

#[test]
fn differences_add_in_raster_order() {
    let large = 2f32.powi(53);
    let sum_of = |rows: [[f32; 2]; 2]| sum(&rows.map(Box::from));
    assert_eq!(sum_of([[large, 1.0], [1.0, 1.0]]), 2f64.powi(53));
    assert_eq!(sum_of([[1.0, 1.0], [large, 1.0]]), 2f64.powi(53) + 4.0);
    assert_eq!(sum_of([[1.0, large], [1.0, 1.0]]), 2f64.powi(53));
}
