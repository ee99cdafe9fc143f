// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Every level against the scalar arithmetic, any cut against none, options and refusals.
#![forbid(unsafe_code)]

use super::cpu::sums;
use super::kernel::{Kernel, Plain};
use super::sums::{Ratio, Sums};
use super::task::{Stripe, Task};
use super::{DEFINITION, Options};
use crate::cpu::Level;
use crate::feature::{Dictionary, Frame, Setup, Values};
use crate::picture::{Format, Picture, PixelFormat, Plane};
use crate::reduce::testing::{Noise, patterns};
use crate::schedule::Cut;

const OPTIONS: Options = Options { debug: false, gain_limit: 100.0, skip_scale0: false };

/// Around the least size, one and two strips and their borders, odd ones.
const SIZES: [(u32, u32); 12] = [
    (8, 8),
    (9, 15),
    (16, 13),
    (12, 40),
    (16, 16),
    (17, 17),
    (33, 35),
    (160, 90),
    (161, 31),
    (167, 19),
    (322, 24),
    (577, 325),
];

fn setup(bpc: u32, (width, height): (u32, u32), level: Level) -> Setup {
    let format = Format::new(PixelFormat::Yuv400, bpc, width, height).unwrap();
    Setup { format, level, slots: 1 }
}

fn picture(format: Format, samples: &[u16]) -> Picture {
    let mut picture = Picture::new(format).unwrap();
    for (y, row) in samples.chunks(format.width as usize).enumerate() {
        let bytes: Vec<u8> = match format.sample_bytes() {
            1 => row.iter().map(|&x| x as u8).collect(),
            _ => row.iter().flat_map(|x| x.to_le_bytes()).collect(),
        };
        picture.row_mut(0, y).copy_from_slice(&bytes);
    }
    picture
}

fn frame(format: Format, reference: &[u16], distorted: &[u16]) -> Frame {
    let [reference, distorted] = [reference, distorted].map(|samples| picture(format, samples));
    Frame { index: 0, reference, distorted, previous: [None, None], previous_distorted: None }
}

/// Slopes with noise, and the same dimmed with other noise: gains of all sizes.
fn textures((width, height): (u32, u32), max: u16, seed: u64) -> [Vec<u16>; 2] {
    let noise = &mut Noise(seed);
    let amount = u64::from(max) / 12 + 1;
    let positions = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let slope = |(x, y): (u32, u32)| u64::from((x * 7 + y * 5) % 97) * u64::from(max) / 128;
    let reference: Vec<u64> = positions.map(|position| slope(position) + noise.bits() % amount).collect();
    let distorted = reference.iter().map(|&x| x * 3 / 4 + noise.bits() % (amount / 2 + 1)).collect();
    [reference, distorted].map(|samples| samples.iter().map(|&x| x.min(max.into()) as u16).collect())
}

/// Compares all levels for one pair of pictures.
fn check(what: &str, bpc: u32, size: (u32, u32), options: &Options, samples: [&[u16]; 2]) -> [Sums; 4] {
    let at = |level| {
        let setup = setup(bpc, size, level);
        sums(&setup, options, &frame(setup.format, samples[0], samples[1]))
    };
    let expected = at(Level::SCALAR);
    for level in Level::available() {
        assert_eq!(at(level), expected, "{level:?}, {size:?} of {what}, {bpc} bits, {options:?}");
    }
    expected
}

fn max(bpc: u32) -> u16 {
    u16::MAX >> (16 - bpc)
}

#[test]
fn textures_at_every_depth_and_size() {
    for bpc in 8..=16 {
        for (seed, size) in (0..).zip(SIZES) {
            if bpc % 2 == 0 || size.0 < 200 {
                let [reference, distorted] = textures(size, max(bpc), seed);
                let sums = check("textures", bpc, size, &OPTIONS, [&reference, &distorted]);
                assert!(sums[0].numerator > 0, "{size:?}, {bpc} bits: nothing but flat samples");
            }
        }
    }
}

#[test]
fn extremes_and_noise_against_each_other() {
    for (seed, size) in (0..).zip(&SIZES[..10]) {
        for bpc in [8, 9, 10, 12, 15, 16] {
            let area = (size.0 * size.1) as usize;
            let inputs = patterns(area, max(bpc), seed);
            let others = patterns(area, max(bpc), seed + 100);
            for ((r_name, r), (d_name, d)) in inputs.iter().zip(others.iter().cycle().skip(seed as usize)) {
                check(&format!("{r_name} against {d_name}, seed {seed}"), bpc, *size, &OPTIONS, [r, d]);
            }
        }
    }
}

#[test]
fn samples_above_the_range_wrap_alike() {
    for bpc in [9, 10, 12, 15] {
        for size in [(9, 15), (33, 35), (322, 24)] {
            let noise = &mut Noise(bpc.into());
            let [r, d] = [(); 2].map(|()| noise.samples((size.0 * size.1) as usize, u16::MAX));
            check("noise of 16 bits", bpc, size, &OPTIONS, [&r, &d]);
            // One sample in the last column of the distorted picture is enough.
            let [r, mut d] = textures(size, max(bpc), 3);
            let last = (size.0 * (size.1 / 2) - 1) as usize;
            d[last] = max(bpc) + 1;
            check("textures with one sample too large", bpc, size, &OPTIONS, [&r, &d]);
        }
    }
}

#[test]
fn options_change_what_they_say() {
    let size = (160, 90);
    for bpc in [8, 10] {
        let [mut r, d] = textures(size, max(bpc), 7);
        r.iter_mut().for_each(|x| *x /= 3);
        let all = check("a gain", bpc, size, &OPTIONS, [&r, &d]);
        let limited = check("a gain", bpc, size, &Options { gain_limit: 1.0, ..OPTIONS }, [&r, &d]);
        let skipped = check("a gain", bpc, size, &Options { skip_scale0: true, ..OPTIONS }, [&r, &d]);
        for scale in 0..4 {
            assert!(limited[scale].numerator < all[scale].numerator, "{bpc} bits, scale {scale}");
            assert_eq!(limited[scale].denominator, all[scale].denominator);
        }
        assert_eq!((skipped[0], &skipped[1..]), (Sums::default(), &all[1..]));
    }
}

/// The sums of a scale whose rows are cut in stripes of `pairs` pairs, and the next scale's pictures.
fn in_stripes<K: Kernel>(kernel: K, task: &Task<'_, u16>, pairs: usize) -> (Sums, [Vec<u16>; 2]) {
    let mut low = [(); 2].map(|()| vec![0; 64 * (task.height() / 2)]);
    let [reference, distorted] = &mut low;
    let mut rest = Stripe { rows: 0..task.height(), low: [reference, distorted], stride: 64 };
    let (mut sums, mut work) = (Sums::default(), K::Work::default());
    while rest.units() > pairs {
        let (upper, lower) = rest.cut(pairs);
        sums = sums + kernel.bits16(task, upper, &mut work);
        rest = lower;
    }
    sums = sums + kernel.bits16(task, rest, &mut work);
    low.iter_mut().for_each(|low| low.chunks_mut(64).for_each(|row| row[task.width() / 2..].fill(0)));
    (sums, low)
}

#[test]
fn any_cut_gives_the_same() {
    for (scale, height) in [0, 1, 2].into_iter().flat_map(|scale| [37, 38].map(|height| (scale, height))) {
        let [r, d] = textures((75, height), 1023, 5);
        let planes = [&r, &d].map(|samples| Plane::new(samples, 75, height as usize, 75));
        let task = Task { scale, bits: 10, planes, statistic: true, gain_limit: 100.0, before: None };
        let expected = in_stripes(Plain, &task, 100);
        assert!(expected.1[1].iter().any(|&x| x > 0));
        for pairs in [1, 2, 7, 18, 19] {
            let what = format!("scale {scale}, {height} rows, stripes of {pairs} pairs");
            assert_eq!(in_stripes(Plain, &task, pairs), expected, "{what}");
            #[cfg(target_arch = "x86_64")]
            for level in Level::available() {
                use super::simd::{Avx2, Avx512, Lanes};
                let what = format!("{level:?}, {what}");
                Avx2::of(level).inspect(|&k| assert_eq!(in_stripes(k, &task, pairs), expected, "{what}"));
                Avx512::<false>::of(level)
                    .inspect(|&k| assert_eq!(in_stripes(k, &task, pairs), expected, "{what}"));
                Avx512::<true>::of(level)
                    .inspect(|&k| assert_eq!(in_stripes(k, &task, pairs), expected, "{what}"));
            }
        }
    }
}

#[test]
fn small_pictures_are_refused_by_name_and_minimum() {
    let values = Values::read("vif", DEFINITION.options, &Dictionary::new()).unwrap();
    for size in [(7, 8), (8, 7), (1, 1080), (0, 0)] {
        let message = (DEFINITION.make)(&setup(8, size, Level::SCALAR), &values).err().unwrap().to_string();
        assert!(message.contains("vif") && message.ends_with("at least 8"), "{message}");
    }
    assert!((DEFINITION.make)(&setup(8, (8, 8), Level::SCALAR), &values).is_ok());
}

#[test]
fn options_out_of_range_are_refused() {
    for text in ["0.99", "100.5", "nan", "x"] {
        let mut given = Dictionary::new();
        given.set("vif_enhn_gain_limit", text);
        assert!(Values::read("vif", DEFINITION.options, &given).is_err(), "{text}");
    }
}

#[test]
fn a_scale_of_flat_samples_scores_one() {
    let sums = Sums { flat: 1000, ..Sums::default() };
    assert_eq!(Ratio::from(sums).score(), 1.0);
    let ratio = Ratio::from(Sums {
        numerator: 2048 * 3,
        denominator: 2048 * 5,
        flat_variance: 16384 * 65025,
        flat: 2,
    });
    assert_eq!(ratio, Ratio { numerator: 4.0, denominator: 7.0 });
}
