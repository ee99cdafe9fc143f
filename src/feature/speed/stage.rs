// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What the filter before the dropping of samples reads, and works in.
#![forbid(unsafe_code)]

use super::gaussian;
use super::geometry::{Geometry, STEP};
use super::options::Options;
use super::resample::{Resampling, reach};
use super::source::Source;

/// The way of a stream's planes to the samples that are kept.
#[derive(Debug)]
pub struct Front {
    /// Sizes of the planes.
    pub geometry: Geometry,
    /// Taps of the filter before samples are dropped.
    pub filter: Vec<f32>,
    /// How planes are scaled, if they are.
    resampling: Option<Resampling>,
    /// The columns that the filter reads of a scaled row.
    columns: Vec<u32>,
}

impl Front {
    /// For planes of these sizes.
    pub fn new(geometry: Geometry, options: &Options) -> Self {
        let Geometry { plane, scaled, .. } = geometry;
        // A scale of nearly 1 rules the size, but nothing is resampled.
        let is_scaled = (options.prescale - 1.0).abs() >= 1e-3 && scaled != plane;
        let resampling = is_scaled.then(|| Resampling::new(plane, scaled, options.method));
        let filter = gaussian::anti_alias(options.kernel_scale);
        let columns = columns(&geometry, filter.len());
        Self { geometry, filter, resampling, columns }
    }

    /// How rows are scaled, if they are, and which columns are read of them.
    pub fn resampling(&self) -> Option<(&Resampling, &[u32])> {
        self.resampling.as_ref().map(|resampling| (resampling, self.columns.as_slice()))
    }

    /// How many samples of each row and rows are read as they are: all within the scaled size, unless it is
    /// resampled to.
    pub fn plain(&self) -> [usize; 2] {
        let Geometry { plane, scaled, .. } = self.geometry;
        match self.resampling {
            Some(_) => [0, 0],
            None => [plane[0].min(scaled[0]), plane[1].min(scaled[1])],
        }
    }

    /// Reads row `y` after the scaling. Samples that the plane does not have are 0.
    #[inline(always)]
    pub fn read(&self, source: &impl Source, y: usize, rows: &mut [f32], line: &mut [f32]) {
        if let Some(resampling) = &self.resampling {
            return resampling.row(source, y, rows, line);
        }
        let [columns, height] = self.plain();
        let (inside, outside) = line.split_at_mut(if y < height { columns } else { 0 });
        outside.fill(0.0);
        if !inside.is_empty() {
            source.read(y, 0, inside);
        }
    }
}

/// The columns that `taps` taps reach around those that are kept, each once.
fn columns(geometry: &Geometry, taps: usize) -> Vec<u32> {
    let width = geometry.scaled[0];
    let mut is_read = vec![false; width];
    for column in 0..geometry.kept[0] {
        reach(column * STEP, taps, width).for_each(|x| is_read[x] = true);
    }
    (0..).zip(is_read).filter(|(_, is_read)| *is_read).map(|(x, _)| x).collect()
}

/// Work space of one row.
#[derive(Debug)]
pub struct Stage {
    /// A row filtered downwards.
    pub filtered: Vec<f32>,
    /// A scaled row.
    pub line: Vec<f32>,
    /// Rows of the plane that a scaled row is made of.
    pub rows: Vec<f32>,
}

impl Stage {
    /// For the planes of a stream.
    pub fn new(front: &Front) -> Self {
        let width = front.geometry.scaled[0];
        let rows = front.resampling.as_ref().map_or(0, Resampling::reach) * front.geometry.plane[0];
        Self { filtered: vec![0.0; width], line: vec![0.0; width], rows: vec![0.0; rows] }
    }
}
