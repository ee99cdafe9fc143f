// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Means over all windows of a pair of pictures.
#![forbid(unsafe_code)]

use std::ops::Range;

use parking_lot::Mutex;

use super::image::Image;
use super::mean::Unordered;
use super::scalar::{Maps, Sums, Terms};
use super::simd::{Kernel, Part, STRIP, Strip, UnorderedSums, select};
use super::spare::Spare;
use super::{Means, REACH, Wanted};
use crate::cpu::Level;
use crate::schedule::Workers;

/// Rows of windows whose terms are held at a time where their order matters.
const BAND: usize = 32;

/// Compares pictures of one size.
pub struct Comparison {
    /// Windows side by side, and one above another.
    columns: usize,
    rows: usize,
    method: Method,
}

/// How the level goes about it, with what it works in.
enum Method {
    Plain(Box<Mutex<Maps>>),
    Strips {
        kernel: Kernel,
        spare: Spare<Box<Strip>>,
        /// Terms of a [`BAND`]; empty until the first time that their order matters.
        band: Mutex<Vec<Terms>>,
    },
}

impl Comparison {
    /// For pictures of at least one window.
    pub fn new(level: Level, width: usize, height: usize) -> Self {
        assert!(width > REACH && height > REACH);
        let method = match select(level) {
            Some(kernel) => Method::Strips { kernel, spare: Spare::default(), band: Mutex::default() },
            None => Method::Plain(Box::new(Mutex::new(Maps::new(width, height)))),
        };
        Self { columns: width - REACH, rows: height - REACH, method }
    }

    /// The means over all windows.
    pub fn means(&self, images: [&Image<'_>; 2], wanted: Wanted, workers: Workers) -> Means {
        match &self.method {
            Method::Plain(maps) => {
                let mut maps = maps.lock();
                maps.pictures().into_iter().zip(images).for_each(|(plane, image)| plane.copy_from(image));
                maps.means()
            }
            Method::Strips { kernel, spare, band } => {
                let strips = Strips { kernel, spare, images, columns: self.columns, rows: self.rows };
                strips.means(wanted, workers).unwrap_or_else(|| strips.ordered(&mut band.lock()))
            }
        }
    }
}

/// One comparison by strips.
struct Strips<'a> {
    kernel: &'a Kernel,
    spare: &'a Spare<Box<Strip>>,
    images: [&'a Image<'a>; 2],
    columns: usize,
    rows: usize,
}

impl Strips<'_> {
    fn part(&self, strip: usize, rows: Range<usize>) -> Part<'_> {
        let first = strip * STRIP;
        Part { images: self.images, columns: first..self.columns.min(first + STRIP), rows }
    }

    /// The means, unless the order of the windows might show in one that is wanted.
    fn means(&self, wanted: Wanted, workers: Workers) -> Option<Means> {
        let sums = |strips: Range<usize>| {
            self.spare.lend(Strip::new, |strip| {
                let sums = strips.map(|n| self.kernel.sums(strip, &self.part(n, 0..self.rows), wanted));
                sums.fold(UnorderedSums::default(), merge)
            })
        };
        let [product, luminance, contrast, structure] =
            workers.reduce(0..self.columns.div_ceil(STRIP), 1, &sums, &merge);
        // Down a column, across a strip, then from strip to strip.
        let depth = self.rows + STRIP + self.columns;
        let mean = |sum: Unordered| sum.mean(self.columns * self.rows, depth);
        Some(Means {
            product: mean(product)?,
            luminance: mean(luminance)?,
            contrast: mean(contrast)?,
            structure: mean(structure)?,
        })
    }

    /// The means of sums in raster order.
    fn ordered(&self, band: &mut Vec<Terms>) -> Means {
        band.resize(BAND * self.columns.next_multiple_of(STRIP), Terms::default());
        let mut sums = Sums::default();
        for first in (0..self.rows).step_by(BAND) {
            let rows = first..self.rows.min(first + BAND);
            let strips = band.chunks_mut(BAND * STRIP);
            self.spare.lend(Strip::new, |strip| {
                for (n, terms) in strips.enumerate() {
                    self.kernel.terms(strip, &self.part(n, rows.clone()), terms);
                }
            });
            for row in 0..rows.len() {
                for n in 0..self.columns.div_ceil(STRIP) {
                    let width = self.part(n, rows.clone()).columns.len();
                    let terms = &band[n * BAND * STRIP..][row * width..][..width];
                    terms.iter().for_each(|&terms| sums.add(terms));
                }
            }
        }
        sums.means(self.columns * self.rows)
    }
}

fn merge(a: UnorderedSums, b: UnorderedSums) -> UnorderedSums {
    std::array::from_fn(|n| a[n] + b[n])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Owned, pictures};
    use super::*;

    /// Around the size of one window, of a strip, of a band.
    const SIZES: [(usize, usize); 9] =
        [(11, 11), (12, 43), (73, 12), (74, 20), (75, 42), (91, 13), (138, 45), (139, 76), (203, 17)];

    fn maps(pair: [&Owned; 2]) -> Maps {
        let planes = pair.map(Owned::plane);
        let mut maps = Maps::new(planes[0].width(), planes[0].height());
        for (to, from) in maps.pictures().into_iter().zip(planes) {
            *to = from;
        }
        maps
    }

    fn bits(terms: &Terms) -> [u64; 3] {
        [terms.luminance, terms.contrast, terms.structure].map(f64::to_bits)
    }

    /// All pairs of a picture with the one that follows it in the list, and with itself.
    fn for_each_pair(check: impl Fn(&str, [&Owned; 2])) {
        for (seed, (width, height)) in (1..).zip(SIZES) {
            let pictures = pictures(width, height, seed);
            for (i, (name, picture)) in pictures.iter().enumerate() {
                let (other_name, other) = &pictures[(i + 1) % pictures.len()];
                check(&format!("{width}x{height}, {name} with itself"), [picture, picture]);
                check(&format!("{width}x{height}, {name} with {other_name}"), [picture, other]);
            }
        }
    }

    fn levels() -> impl Iterator<Item = (Level, Kernel)> {
        Level::available().into_iter().filter_map(|level| Some((level, select(level)?)))
    }

    #[test]
    fn every_level_gives_the_terms_of_plain_arithmetic() {
        for_each_pair(|what, pair| {
            let mut maps = maps(pair);
            maps.blur();
            let images = pair.map(Owned::image);
            let (columns, rows) = (images[0].width() - REACH, images[0].height() - REACH);
            for (level, kernel) in levels() {
                let strip = &mut Strip::new();
                for first in (0..columns).step_by(STRIP) {
                    // A part that begins further down, too: what is above must not matter.
                    for top in [0, rows / 2] {
                        let columns = first..columns.min(first + STRIP);
                        let part =
                            Part { images: images.each_ref(), columns: columns.clone(), rows: top..rows };
                        let mut terms = vec![Terms::default(); columns.len() * (rows - top)];
                        kernel.terms(strip, &part, &mut terms);
                        for (y, row) in (top..).zip(terms.chunks(columns.len())) {
                            let windows = maps.windows(y).skip(first);
                            for (x, (got, window)) in (first..).zip(row.iter().zip(windows)) {
                                let expected = window.terms();
                                assert_eq!(bits(got), bits(&expected), "{level:?}, {what}: window {x}, {y}");
                            }
                        }
                    }
                }
            }
        });
    }

    #[test]
    fn means_are_those_of_plain_arithmetic() {
        for_each_pair(|what, pair| {
            let expected = maps(pair).means();
            let images = pair.map(Owned::image);
            for level in Level::available() {
                let comparison = Comparison::new(level, images[0].width(), images[0].height());
                for _ in 0..2 {
                    let means = comparison.means(images.each_ref(), Wanted::All, Workers::CALLER);
                    assert_eq!(means, expected, "{level:?}, {what}");
                }
                let some = comparison.means(images.each_ref(), Wanted::ContrastAndStructure, Workers::CALLER);
                let two = |means: Means| [means.contrast, means.structure];
                assert_eq!(two(some), two(expected), "{level:?}, {what}");
            }
        });
    }

    #[test]
    fn ordered_means_are_those_of_plain_arithmetic() {
        for_each_pair(|what, pair| {
            let expected = maps(pair).means();
            let images = pair.map(Owned::image);
            let (columns, rows) = (images[0].width() - REACH, images[0].height() - REACH);
            for (level, kernel) in levels() {
                let spare = Spare::default();
                let strips =
                    Strips { kernel: &kernel, spare: &spare, images: images.each_ref(), columns, rows };
                assert_eq!(strips.ordered(&mut Vec::new()), expected, "{level:?}, {what}");
            }
        });
    }
}
