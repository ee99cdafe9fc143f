// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The score of whole pictures: rows are marked and filtered scale after scale, then all scales are counted at once.
#![forbid(unsafe_code)]

use parking_lot::Mutex;

use super::heatmap::{self, Heatmaps};
use super::kernel::{Kernel, Plain};
use super::plan::{Analysis, Levels, Plan, Size};
use super::pool::{self, Scale, mean_of_largest};
use super::scalar::{count, filter, mark};
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use super::stripe::{Plane, Stripe, Tile, Tiles};
use super::tables::{SCALE_WEIGHTS, SCALES};
use super::{Measured, Scores};
use crate::error::{Error, Result};
use crate::feature::{Extractor, Frame, Measure, Setup, on_cpu};
use crate::picture::{Picture, Samples};
use crate::schedule::Workers;

/// Pairs of rows of a stripe at least: below, the rows around it that are made again cost too much.
const LEAST_PAIRS: usize = 16;

/// Rows of a tile at least: the rows of the window above are counted again.
const LEAST_ROWS: usize = 64;

/// Scores of luma.
pub struct Cambi<K> {
    kernel: K,
    plan: Plan,
    heatmaps: Option<Heatmaps>,
}

/// The extractor at the context's instruction level.
pub fn extractor(
    setup: &Setup,
    plan: Plan,
    heatmaps: Option<Heatmaps>,
    scores: Scores,
) -> Box<dyn Extractor> {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(kernel) = Avx512::of(setup.level) {
            return on_cpu(setup, Cambi { kernel, plan, heatmaps }, scores);
        }
        if let Some(kernel) = Avx2::of(setup.level) {
            return on_cpu(setup, Cambi { kernel, plan, heatmaps }, scores);
        }
    }
    on_cpu(setup, Cambi { kernel: Plain, plan, heatmaps }, scores)
}

/// What pictures of one size are analysed in.
struct Space<T> {
    /// Marked samples in full size, where only those of half the size are analysed but some of these may be counted.
    full: Option<Plane>,
    /// Marked samples of each scale.
    marked: [Plane; SCALES],
    /// Keys of each scale.
    keys: [Plane; SCALES],
    tiles: Vec<Tile>,
    values: Vec<f32>,
    places: Vec<u64>,
    pool: pool::Space,
    mark_lines: Mutex<Vec<mark::Lines>>,
    filter_lines: Mutex<Vec<filter::Lines>>,
    tables: Mutex<Vec<T>>,
}

impl<T> Space<T> {
    fn new(analysis: &Analysis) -> Self {
        let plane = |scale: usize| {
            let Size { height, .. } = analysis.scales[scale];
            Plane::new(analysis.counted_width(scale), height)
        };
        let mut tiles = Vec::new();
        add_tiles(&mut tiles, analysis, Workers::CALLER);
        let (positions, words) = Tiles::room(&tiles);
        let first = analysis.scales[0].width;
        let is_narrow = analysis.halved && first < analysis.counted_width(0);
        Self {
            full: is_narrow.then(|| Plane::new(analysis.size.width, analysis.size.height)),
            marked: std::array::from_fn(plane),
            keys: std::array::from_fn(plane),
            tiles,
            values: vec![0.0; positions],
            places: vec![0; words],
            pool: pool::Space::new(analysis.scales[0].area()),
            mark_lines: Mutex::default(),
            filter_lines: Mutex::default(),
            tables: Mutex::default(),
        }
    }
}

fn add_tiles(tiles: &mut Vec<Tile>, analysis: &Analysis, workers: Workers) {
    tiles.clear();
    for (scale, &size) in analysis.scales.iter().enumerate() {
        let strips = size.width.div_ceil(Tile::COLUMNS);
        Tile::add_all(tiles, scale, size, workers.pieces().div_ceil(strips), LEAST_ROWS);
    }
}

/// Lends one of `spare` to `work`.
fn with<W: Default, R>(spare: &Mutex<Vec<W>>, work: impl FnOnce(&mut W) -> R) -> R {
    let mut space = spare.lock().pop().unwrap_or_default();
    let result = work(&mut space);
    spare.lock().push(space);
    result
}

/// Work space of one frame.
pub struct Scratch<T> {
    encode: Space<T>,
    source: Option<Space<T>>,
    heatmap: heatmap::Space,
}

impl<K: Kernel> Cambi<K> {
    /// No sample may be above the depth's highest. At 8 and 16 bits none can be.
    fn check_samples(&self, picture: &Picture, workers: Workers) -> Result<()> {
        let bits = self.plan.bits;
        let limit = (1u32 << bits) - 1;
        let Samples::Bits16(luma) = picture.plane(0) else { return Ok(()) };
        if bits == 16 {
            return Ok(());
        }
        let highest = workers.reduce(
            0..luma.height(),
            LEAST_PAIRS,
            &|rows| luma.rows(rows).map(|row| self.kernel.highest(row)).max().unwrap_or(0),
            &|a: u16, b| a.max(b),
        );
        if u32::from(highest) > limit {
            return Err(Error::invalid(format!(
                "cambi: a sample of {highest} is above {limit}, the highest of {bits} bits"
            )));
        }
        Ok(())
    }

    /// The contrast values of a picture, in `space`.
    fn analyse(&self, picture: &Picture, analysis: &Analysis, space: &mut Space<K::Table>, workers: Workers) {
        match picture.plane(0) {
            Samples::Bits8(luma) => self.mark(luma, analysis, space, workers),
            Samples::Bits16(luma) => self.mark(luma, analysis, space, workers),
        }
        for scale in 0..SCALES {
            self.filter(scale, analysis, space, workers);
            keep_leftovers(scale, analysis, &self.plan.levels, space);
        }
        self.count(analysis, space, workers);
    }

    fn mark<T: mark::Sample>(
        &self,
        luma: crate::picture::Plane<'_, T>,
        analysis: &Analysis,
        space: &mut Space<K::Table>,
        workers: Workers,
    ) {
        let task = mark::Task { luma, bits: self.plan.bits, analysis };
        let Size { height, .. } = analysis.size;
        let Space { full, marked: [first, ..], .. } = space;
        let (full, half) = if analysis.halved { (full.as_mut(), Some(first)) } else { (Some(first), None) };
        let (whole, whole_stride) = rows_of(full, height);
        let (half, half_stride) = rows_of(half, height.div_ceil(2));
        let job = Stripe { rows: 0..height, whole, whole_stride, half, half_stride };
        let work = |stripe| with(&space.mark_lines, |lines| self.kernel.mark(&task, stripe, lines));
        workers.reduce(job, LEAST_PAIRS, &work, &|(), ()| ());
    }

    fn filter(&self, scale: usize, analysis: &Analysis, space: &mut Space<K::Table>, workers: Workers) {
        let (above, below) = space.marked.split_at_mut(scale + 1);
        let (size, keys) = (analysis.scales[scale], &mut space.keys[scale]);
        let task = filter::Task { marked: &above[scale], size, levels: &self.plan.levels };
        let (whole, whole_stride) = rows_of(Some(keys), size.height);
        let (half, half_stride) = rows_of(below.first_mut(), size.halved().height);
        let job = Stripe { rows: 0..size.height, whole, whole_stride, half, half_stride };
        let work = |stripe| with(&space.filter_lines, |lines| self.kernel.filter(&task, stripe, lines));
        workers.reduce(job, LEAST_PAIRS, &work, &|(), ()| ());
    }

    fn count(&self, analysis: &Analysis, space: &mut Space<K::Table>, workers: Workers) {
        let Space { keys, tiles, values, places, tables, .. } = space;
        add_tiles(tiles, analysis, workers);
        let tasks: [_; SCALES] = std::array::from_fn(|scale| count::Task {
            keys: &keys[scale],
            counted: Size { width: analysis.counted_width(scale), ..analysis.scales[scale] },
            reach: analysis.reach(),
            levels: &self.plan.levels,
        });
        let work = |job: Tiles<'_>| {
            with(tables, |table| {
                job.for_each(|tile, found| self.kernel.count(&tasks[tile.scale], tile, found, table));
            });
        };
        workers.reduce(Tiles { tiles, values, places }, 1, &work, &|(), ()| ());
    }

    /// The score, from the contrast values in `space`.
    fn score(&self, analysis: &Analysis, space: &mut Space<K::Table>) -> f64 {
        let Space { tiles, values, places, pool, .. } = space;
        let mut total = 0.0;
        for (scale, values) in scales(analysis, tiles, values, places).enumerate() {
            total += mean_of_largest(&values, self.plan.top, pool) * SCALE_WEIGHTS[scale];
        }
        total / (analysis.window * analysis.window) as f64
    }
}

/// A plane's first `height` rows and their distance; nothing of no plane.
fn rows_of(plane: Option<&mut Plane>, height: usize) -> (&mut [u16], usize) {
    plane.map_or((&mut [], 0), |plane| (&mut plane.samples[..height * plane.stride], plane.stride))
}

/// The values of each scale.
fn scales<'a>(
    analysis: &'a Analysis,
    mut tiles: &'a [Tile],
    mut values: &'a [f32],
    mut places: &'a [u64],
) -> impl Iterator<Item = Scale<'a>> {
    analysis.scales.iter().enumerate().map(move |(scale, size)| {
        let number = tiles.iter().take_while(|tile| tile.scale == scale).count();
        let (of_scale, other_tiles) = tiles.split_at(number);
        let (area, words) = Tiles::room(of_scale);
        let (of_values, other_values) = values.split_at(area);
        let (of_places, other_places) = places.split_at(words);
        (tiles, values, places) = (other_tiles, other_values, other_places);
        Scale { tiles: of_scale, values: of_values, places: of_places, width: size.width, area: size.area() }
    })
}

/// Scales narrower than half the window: what larger scales left beside them, halved in place, is counted too.
fn keep_leftovers<T>(scale: usize, analysis: &Analysis, levels: &Levels, space: &mut Space<T>) {
    let (Size { width, height }, counted) = (analysis.scales[scale], analysis.counted_width(scale));
    if width == counted {
        return;
    }
    let Space { full, keys, .. } = space;
    let (above, below) = keys.split_at_mut(scale);
    let (stride, maker) = (below[0].stride, levels.key_maker());
    for y in 0..height {
        let row = &mut below[0].samples[y * stride..][width..counted];
        match (above.last(), &*full) {
            (Some(before), _) => row.copy_from_slice(&before.row(y, counted)[width..]),
            (None, Some(full)) => {
                let left = &full.row(y, analysis.size.width.min(counted))[width..];
                row.iter_mut().zip(left).for_each(|(key, &marked)| *key = maker.key(marked));
            }
            (None, None) => {}
        }
    }
}

impl<K: Kernel> Measure for Cambi<K> {
    type Output = Measured;
    type Scratch = Scratch<K::Table>;

    fn scratch(&self) -> Result<Self::Scratch> {
        let source = self.plan.source.as_ref().map(Space::new);
        Ok(Scratch { encode: Space::new(&self.plan.encode), source, heatmap: heatmap::Space::default() })
    }

    fn measure(&self, frame: &Frame, scratch: &mut Self::Scratch, workers: Workers) -> Result<Measured> {
        let Scratch { encode: space, source, heatmap } = scratch;
        let analysis = &self.plan.encode;
        self.check_samples(&frame.distorted, workers)?;
        self.analyse(&frame.distorted, analysis, space, workers);
        let distorted = self.score(analysis, space);
        if let Some(heatmaps) = &self.heatmaps {
            let all = scales(analysis, &space.tiles, &space.values, &space.places);
            for (scale, values) in all.enumerate() {
                heatmaps.write(scale, frame.index, &values, heatmap)?;
            }
        }
        let source = self.plan.source.as_ref().zip(source.as_mut()).map(|(analysis, space)| {
            self.check_samples(&frame.reference, workers)?;
            self.analyse(&frame.reference, analysis, space, workers);
            Ok(self.score(analysis, space))
        });
        Ok(Measured { distorted, source })
    }
}

/// The contrast values of a picture, those of each scale row by row.
#[cfg(test)]
pub fn planes(setup: &Setup, plan: &Plan, picture: &Picture, workers: Workers) -> Vec<Vec<f32>> {
    fn of<K: Kernel>(kernel: K, plan: &Plan, picture: &Picture, workers: Workers) -> Vec<Vec<f32>> {
        let (plan, analysis) = (plan.clone(), &plan.encode);
        let mut space = Space::new(analysis);
        Cambi { kernel, plan, heatmaps: None }.analyse(picture, analysis, &mut space, workers);
        let planes = scales(analysis, &space.tiles, &space.values, &space.places).map(|scale| {
            let mut plane = Vec::new();
            scale.fill(&mut plane);
            plane
        });
        planes.collect()
    }
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(avx512) = Avx512::of(setup.level) {
            return of(avx512, plan, picture, workers);
        }
        if let Some(avx2) = Avx2::of(setup.level) {
            return of(avx2, plan, picture, workers);
        }
    }
    of(Plain, plan, picture, workers)
}
