// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The kernels of sums whose order does not matter.

use vmaf_rs::feature::moment::scalar::{Sums, row_sums8, row_sums16};

use crate::emulator::{NO_PLANE, Picture, Plane, launch};
use crate::ordered::{MomentParameters, OrderedRows};
use crate::{GRIDS, Noise, SIZES};

#[derive(Clone, Copy)]
#[repr(C)]
struct PsnrParameters {
    reference: [Plane; 3],
    distorted: [Plane; 3],
    errors: *mut u64,
    planes: u32,
    unused: u32,
}

fn check_moment<T: Copy>(kernel: &str, pictures: &[Picture<T>; 2], row_sums: fn(&[T]) -> Sums) {
    let luma = [pictures[0].plane(), pictures[1].plane()];
    let expected =
        [0, 1].map(|picture: usize| pictures[picture].rows.iter().map(|row| row_sums(row)).sum::<Sums>());
    for grid in GRIDS {
        for pictures in [1, 2, 3] {
            let mut sums = [[0; 2]; 2];
            let parameters =
                MomentParameters { luma, sums: sums.as_mut_ptr(), rows: OrderedRows::NONE, start: 0 };
            launch(kernel, [grid, 1, pictures], &parameters);
            let sums = sums.map(|[samples, squares]| Sums { samples, squares });
            assert_eq!(sums, expected, "{kernel}, {}x{}, grid {grid}", luma[0].width, luma[0].height);
        }
    }
}

#[test]
fn moments() {
    let noise = &mut Noise(1);
    for (width, height) in SIZES {
        check_moment("moment_8", &[(); 2].map(|()| Picture::new(noise.rows(width, height, 255))), row_sums8);
        for max in [1023, 4095, u16::MAX] {
            check_moment(
                "moment_16",
                &[(); 2].map(|()| Picture::new(noise.rows(width, height, max))),
                row_sums16,
            );
        }
    }
}

#[test]
fn every_square_of_16_bits() {
    let all: Vec<_> = (0..=u16::MAX).collect();
    let rows: Vec<_> = all.chunks(331).filter(|row| row.len() == 331).map(<[u16]>::to_vec).collect();
    for row in rows {
        // A column of one sample a picture would take too long: neighbours' mistakes are taken not to cancel.
        let pictures = [row[..1].to_vec(), row].map(|row| Picture::new(vec![row]));
        check_moment("moment_16", &pictures, row_sums16);
    }
}

fn squared_error<T: Copy + Into<i64>>(reference: &Picture<T>, distorted: &Picture<T>) -> u64 {
    let pairs = reference.rows.iter().flatten().zip(distorted.rows.iter().flatten());
    pairs.map(|(&r, &d)| (r.into() - d.into()).unsigned_abs().pow(2)).sum()
}

fn check_psnr<T: Copy + Into<i64>>(kernel: &str, reference: &[Picture<T>], distorted: &[Picture<T>]) {
    let planes =
        |pictures: &[Picture<T>]| [0, 1, 2].map(|plane| pictures.get(plane).map_or(NO_PLANE, Picture::plane));
    let pairs = reference.iter().zip(distorted);
    let expected: Vec<_> = pairs.map(|(reference, distorted)| squared_error(reference, distorted)).collect();
    for grid in GRIDS {
        for depth in [1, 3] {
            let mut errors = vec![0; reference.len()];
            let parameters = PsnrParameters {
                reference: planes(reference),
                distorted: planes(distorted),
                errors: errors.as_mut_ptr(),
                planes: reference.len() as u32,
                unused: 0,
            };
            launch(kernel, [grid, 1, depth], &parameters);
            let luma = parameters.reference[0];
            assert_eq!(errors, expected, "{kernel}, {}x{}, grid {grid}", luma.width, luma.height);
        }
    }
}

/// Luma and two chroma planes of half the size.
fn planes<T: Copy + TryFrom<u64>>(
    noise: &mut Noise,
    (width, height): (usize, usize),
    max: u16,
) -> Vec<Picture<T>> {
    let sizes = [(width, height), (width.div_ceil(2), height.div_ceil(2)), (width.div_ceil(2), height)];
    sizes.map(|(width, height)| Picture::new(noise.rows(width, height, max))).into()
}

fn black<T: Copy + From<u8>>(picture: &Picture<T>) -> Picture<T> {
    Picture::new(vec![vec![T::from(0); picture.rows[0].len()]; picture.rows.len()])
}

#[test]
fn squared_errors() {
    let noise = &mut Noise(2);
    for size in SIZES {
        let [reference, distorted] = [(); 2].map(|()| planes::<u8>(noise, size, 255));
        check_psnr("psnr_8", &reference, &distorted);
        check_psnr("psnr_8", &reference[..1], &distorted[..1]);
        for max in [1023, 4095, u16::MAX] {
            let [reference, distorted] = [(); 2].map(|()| planes::<u16>(noise, size, max));
            check_psnr("psnr_16", &reference, &distorted);
            let nothing: Vec<_> = reference.iter().map(black).collect();
            check_psnr("psnr_16", &nothing, &distorted);
        }
    }
}
