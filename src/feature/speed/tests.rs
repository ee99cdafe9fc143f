// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Each stage at every instruction-set level against its plain form, and the plain forms against what is known.

use super::eigen::Eigenvalues;
use super::geometry::{BLOCK, Geometry};
use super::map::Map;
use super::matrix::Matrix;
use super::options::{CHROMA, Options};
use super::simd::{Kernel, select};
use super::solve::GROUP;
use super::source::Input;
use super::stage::{Front, Stage};
use crate::cpu::Level;
use crate::feature::depth::Depth;
use crate::feature::{Dictionary, Values};
use crate::picture::{Format, Picture, PixelFormat};
use crate::reduce::testing::Noise;

fn options(pairs: &[(&str, &str)]) -> Options {
    let mut given = Dictionary::new();
    pairs.iter().for_each(|(key, value)| given.set(key, value));
    Options::chroma(&Values::read("speed_chroma", &CHROMA, &given).unwrap()).unwrap()
}

fn plain() -> Kernel {
    select(Level::SCALAR)
}

fn levels() -> impl Iterator<Item = (Level, Kernel)> {
    Level::available().into_iter().map(|level| (level, select(level)))
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// A picture of noise whose full range is used.
fn picture(format: Format, seed: u64) -> Picture {
    let mut picture = Picture::new(format).unwrap();
    let bytes = format.sample_bytes();
    let width = format.width as usize;
    let samples = Noise(seed).samples(width * format.height as usize, u16::MAX >> (16 - format.bpc));
    for (y, row) in samples.chunks(width).enumerate() {
        let row = row.iter().flat_map(|sample| sample.to_le_bytes().into_iter().take(bytes));
        picture.row_mut(0, y).iter_mut().zip(row).for_each(|(to, byte)| *to = byte);
    }
    picture
}

/// A map of noise, not all of whose samples are of one size.
fn map(size: [usize; 2], seed: u64) -> Map {
    let mut map = Map::new(size);
    let noise = Noise(seed).samples(size[0] * size[1], u16::MAX);
    for (i, (sample, noise)) in map.samples_mut().iter_mut().zip(noise).enumerate() {
        *sample = (f32::from(noise) - 32768.0) / (256.0 * (1 + i % 7) as f32);
    }
    map
}

/// Geometries with a few blocks to some hundred, and odd rests.
fn geometries() -> impl Iterator<Item = Geometry> {
    let sizes = [[160, 160], [175, 239], [480, 80], [81, 500], [400, 333], [1920, 1080], [1300, 170]];
    sizes.into_iter().map(|size| Geometry::new(size, 1.0).unwrap())
}

fn kept(kernel: &Kernel, front: &Front, input: &Input<'_>) -> Vec<u32> {
    let mut map = Map::new(front.geometry.kept);
    let (mut stage, width) = (Stage::new(front), map.width());
    // Two pieces, since work space may be left dirty.
    let (upper, lower) = map.samples_mut().split_at_mut(2 * width);
    kernel.kept(front, input, 2, &mut stage, lower);
    kernel.kept(front, input, 0, &mut stage, upper);
    bits(map.samples_mut())
}

#[test]
fn kept_samples() {
    let settings: [&[(&str, &str)]; 7] = [
        &[],
        &[("speed_kernelscale", "0.5")],
        &[("speed_kernelscale", "3.7113402")],
        &[("speed_prescale", "0.9991")],
        &[("speed_prescale", "1.0009"), ("speed_kernelscale", "3.0")],
        &[("speed_prescale", "1.3"), ("speed_prescale_method", "bicubic")],
        &[("speed_prescale", "0.7"), ("speed_prescale_method", "lanczos4")],
    ];
    for (width, height) in [(144, 130), (200, 181), (1103, 122)] {
        for (bpc, depth) in [(8, Depth::Bits8), (10, Depth::Bits10), (16, Depth::Bits16)] {
            let format = Format::new(PixelFormat::Yuv400, bpc, width, height).unwrap();
            let [a, b] = [1, 2].map(|seed| picture(format, seed));
            // A part of the plane, as of odd chroma.
            let size = [width as usize - 1, height as usize - 1];
            for setting in settings {
                let options = options(setting);
                let inputs = [
                    (Input::still(&a, 0, size, depth), size),
                    (Input::change(&a, &b, depth), [width as usize, height as usize]),
                ];
                for (input, size) in inputs {
                    let front = Front::new(Geometry::new(size, options.prescale).unwrap(), &options);
                    let expected = kept(&plain(), &front, &input);
                    for (level, kernel) in levels() {
                        let what = format!("{level:?}, {format}, {setting:?}");
                        assert!(kept(&kernel, &front, &input) == expected, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn local_means() {
    for geometry in geometries() {
        let kept = map(geometry.kept, 3);
        for taps in [&[0.2, 0.6, 0.2][..], &[0.1, 0.2, 0.4, 0.2, 0.1], &[0.11; 9]] {
            let local = |kernel: Kernel| {
                let mut out = Map::new(geometry.kept);
                kernel.local(&kept, taps, &mut vec![0.0; geometry.kept[0]], &mut out);
                bits(out.samples_mut())
            };
            let expected = local(plain());
            for (level, kernel) in levels() {
                assert!(local(kernel) == expected, "{level:?}, {geometry:?}");
            }
        }
    }
}

#[test]
fn covariances_eigenvalues_variances_and_entropies() {
    for (seed, geometry) in (1..).zip(geometries()) {
        let map = map(geometry.kept, seed);
        let covariance = plain().covariance(&map, &geometry);
        let values = plain().eigenvalues(&covariance);
        let [variances, entropies] = blocks(&plain(), &covariance, &values, &map, &geometry);
        for (level, kernel) in levels() {
            let what = format!("{level:?}, {geometry:?}");
            assert!(kernel.covariance(&map, &geometry) == covariance, "{what}");
            assert_eq!(bits(&kernel.eigenvalues(&covariance).values), bits(&values.values), "{what}");
            let got = blocks(&kernel, &covariance, &values, &map, &geometry);
            assert!(got == [variances.clone(), entropies.clone()], "{what}");
        }
    }
}

/// Variances and entropies of the blocks that there are.
fn blocks(
    kernel: &Kernel,
    covariance: &Matrix,
    values: &Eigenvalues,
    map: &Map,
    geometry: &Geometry,
) -> [Vec<u32>; 2] {
    let groups = geometry.count().next_multiple_of(GROUP);
    let (mut variances, mut entropies) = (vec![0.0; groups], vec![0.0; groups]);
    kernel.variances(covariance, map, geometry, &mut variances);
    kernel.entropies(values, 0.29, &variances, &mut entropies);
    [variances, entropies].map(|values| bits(&values[..geometry.count()]))
}

#[test]
fn entropies_of_any_variance() {
    let values = |value| Eigenvalues { values: [value; BLOCK], converged: true };
    // Minus infinity, NaN, infinity, sums near 0 and numbers of all sizes.
    let special = [-1.0, -0.29, 0.0, f32::NAN, f32::INFINITY, f32::MAX, 1e-45, -0.28, -0.2314, 1.0, 0.71];
    let noise = Noise(5).samples(4000, u16::MAX).into_iter().map(|x| f32::from(x).powi(3) * 1e-9);
    let variances: Vec<f32> = special.into_iter().chain(noise).collect();
    let variances = &variances[..variances.len() / GROUP * GROUP];
    for value in [1.0, 0.003, 700.0, -1.0, 0.0, f32::NAN] {
        let entropies = |kernel: Kernel| {
            let mut out = vec![0.0; variances.len()];
            kernel.entropies(&values(value), 0.29, variances, &mut out);
            // Which NaN it is does not matter.
            out.iter().map(|x: &f32| if x.is_nan() { None } else { Some(x.to_bits()) }).collect::<Vec<_>>()
        };
        let expected = entropies(plain());
        for (level, kernel) in levels() {
            let got = entropies(kernel);
            let differs = got.iter().zip(&expected).position(|(got, expected)| got != expected);
            assert_eq!(differs, None, "{level:?}, {value}");
        }
    }
}

#[test]
fn eigenvalues_of_known_matrices() {
    let mut diagonal = Matrix::default();
    (0..BLOCK).for_each(|i| diagonal.0[i][i] = 1.0 + i as f32);
    let found = Eigenvalues::of(&diagonal);
    assert!(found.converged && found.is_regular());
    assert_eq!(found.values, std::array::from_fn(|i| 1.0 + i as f32));

    // Equal correlations: 24 times 1 - 1/4, once 1 + 24/4.
    let mut equal = Matrix([[0.25; super::matrix::LANES]; BLOCK]);
    (0..BLOCK).for_each(|i| equal.0[i][i] = 1.0);
    let mut values = Eigenvalues::of(&equal).values;
    values.sort_by(f32::total_cmp);
    assert!(values[..24].iter().all(|value| (value - 0.75).abs() < 1e-5), "{values:?}");
    assert!((values[24] - 7.0).abs() < 1e-5, "{values:?}");

    assert!(!Eigenvalues::of(&Matrix::default()).is_regular());
    let one = Matrix([[1.0; super::matrix::LANES]; BLOCK]);
    assert!(!Eigenvalues::of(&one).is_regular());
}

#[test]
fn variances_of_independent_samples() {
    let geometry = Geometry::new([480, 160], 1.0).unwrap();
    let map = map(geometry.kept, 9);
    let mut diagonal = Matrix::default();
    (0..BLOCK).for_each(|i| diagonal.0[i][i] = 4.0);
    let mut variances = vec![0.0; geometry.count().next_multiple_of(GROUP)];
    assert!(plain().variances(&diagonal, &map, &geometry, &mut variances));
    for (block, variance) in variances[..geometry.count()].iter().enumerate() {
        let (top, left) = (block / geometry.blocks[0] * 5, block % geometry.blocks[0] * 5);
        let samples = (top..top + 5).flat_map(|y| &map.row(y)[left..left + 5]);
        let expected = samples.map(|x| x * x).sum::<f32>() / 100.0;
        assert!((variance / expected - 1.0).abs() < 1e-5, "{block}: {variance}, {expected} expected");
    }
    diagonal.0[7][7] = 1e-7;
    assert!(!plain().variances(&diagonal, &map, &geometry, &mut variances));
    // A column of zeros is divided by its length: that is no singular matrix, as in the specification.
    diagonal.0[7][7] = 0.0;
    assert!(plain().variances(&diagonal, &map, &geometry, &mut variances));
    assert!(variances.iter().all(|variance| variance.is_nan()));
}
