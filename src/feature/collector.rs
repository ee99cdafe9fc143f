// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The feature table: every value by feature and picture index, each written once.

#![forbid(unsafe_code)]

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use super::names;
use crate::error::{Error, Result};
use crate::log;

/// Slots of a chunk: as many as its mask has bits.
const SLOTS: u32 = u64::BITS;

/// A column of one [`Collector`]; of no use with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColumnId(usize);

/// When a feature's values come in the reference, which decides where its column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// With the frames.
    Frames,
    /// At the flush.
    Flush,
    /// When scores of models are asked for.
    Models,
}

/// All values of a context: a column for each feature, and aggregates, which belong to no picture.
///
/// The table's order is by [`Phase`], and in a phase that in which columns were first asked for, by
/// [`Collector::column`]. A column without values is not part of the table yet: it keeps a place, so that the
/// order need not depend on which of several threads comes first, nor on how early a value is known.
#[derive(Default)]
pub struct Collector {
    columns: Vec<Column>,
    order: Vec<(Phase, ColumnId)>,
    by_name: HashMap<String, ColumnId>,
    aggregates: Vec<(String, f64)>,
    span: Option<(Instant, Instant)>,
}

impl Collector {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The column of the feature stored as `name`; a new one takes the last place of those with the frames.
    pub fn column(&mut self, name: &str) -> ColumnId {
        self.column_of(Phase::Frames, name)
    }

    /// The column of the feature stored as `name`; a new one takes the last place of this phase.
    pub fn column_of(&mut self, phase: Phase, name: &str) -> ColumnId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = ColumnId(self.columns.len());
        self.columns.push(Column::new(name));
        self.by_name.insert(name.to_owned(), id);
        let place = self.order.partition_point(|&(before, _)| before <= phase);
        self.order.insert(place, (phase, id));
        id
    }

    /// The column stored as `name`, if there is one.
    pub fn stored(&self, name: &str) -> Option<ColumnId> {
        self.by_name.get(name).copied()
    }

    /// The column stored as `name`, or else the one that logs print as `name`.
    pub fn find(&self, name: &str) -> Option<ColumnId> {
        self.stored(name).or_else(|| self.stored(names::stored(name)?))
    }

    /// The name under which a column is stored.
    pub fn name(&self, id: ColumnId) -> &str {
        &self.columns[id.0].name
    }

    /// The name under which logs print a column.
    pub fn printed_name(&self, id: ColumnId) -> &str {
        let column = &self.columns[id.0];
        column.printed.unwrap_or(&column.name)
    }

    /// Writes the value of picture `index`. A slot that has one already is an error, even for an equal value.
    pub fn append(&mut self, id: ColumnId, index: u32, value: f64) -> Result<()> {
        let column = &mut self.columns[id.0];
        if !column.write(index, value) {
            log::warning!("feature \"{}\" cannot be overwritten at index {index}", column.name);
            return Err(Error::logged());
        }
        let now = Instant::now();
        self.span.get_or_insert((now, now)).1 = now;
        Ok(())
    }

    /// The value of picture `index`, if written.
    pub fn get(&self, id: ColumnId, index: u32) -> Option<f64> {
        self.columns[id.0].read(index)
    }

    /// Sets a value that belongs to no picture. Setting it again is an error unless the value is equal.
    pub fn set_aggregate(&mut self, name: &str, value: f64) -> Result<()> {
        match self.aggregates.iter().find(|aggregate| aggregate.0 == name) {
            Some(&(_, old)) if old == value => Ok(()),
            Some((_, old)) => {
                Err(Error::invalid(format!("aggregate \"{name}\" is {old}, and cannot be {value}")))
            }
            None => {
                self.aggregates.push((name.to_owned(), value));
                Ok(())
            }
        }
    }

    /// The aggregates in the order in which they were set.
    pub fn aggregates(&self) -> impl Iterator<Item = (&str, f64)> {
        self.aggregates.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// The columns that hold a value, in table order.
    pub fn columns(&self) -> impl Iterator<Item = ColumnId> {
        let ordered = self.order.iter().map(|&(_, id)| id);
        ordered.filter(|id| !self.columns[id.0].chunks.is_empty())
    }

    /// The indices at which something is written, ascending; of these every one that `subsample` divides, if above 1.
    pub fn rows(&self, subsample: u32) -> impl Iterator<Item = u32> + use<> {
        let mut written = BTreeMap::<u32, u64>::new();
        for (&number, chunk) in self.columns.iter().flat_map(|column| &column.chunks) {
            *written.entry(number).or_default() |= chunk.written;
        }
        let indices = written.into_iter().flat_map(|(number, mask)| {
            (0..SLOTS).filter(move |slot| mask >> slot & 1 == 1).map(move |slot| number * SLOTS + slot)
        });
        indices.filter(move |index| index % subsample.max(1) == 0)
    }

    /// The wall time between the first and the latest append; zero before the second.
    pub fn elapsed(&self) -> Duration {
        self.span.map_or(Duration::ZERO, |(first, latest)| latest - first)
    }
}

/// Values live in chunks, so that a lone huge index costs one chunk and not all slots before it.
struct Column {
    name: String,
    printed: Option<&'static str>,
    chunks: BTreeMap<u32, Chunk>,
}

impl Column {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), printed: names::printed(name), chunks: BTreeMap::new() }
    }

    /// False if the slot is written already.
    fn write(&mut self, index: u32, value: f64) -> bool {
        let chunk = self.chunks.entry(index / SLOTS).or_insert(Chunk::EMPTY);
        let slot = index % SLOTS;
        let free = chunk.written >> slot & 1 == 0;
        if free {
            chunk.written |= 1 << slot;
            chunk.values[slot as usize] = value;
        }
        free
    }

    fn read(&self, index: u32) -> Option<f64> {
        let chunk = self.chunks.get(&(index / SLOTS))?;
        let slot = index % SLOTS;
        (chunk.written >> slot & 1 == 1).then_some(chunk.values[slot as usize])
    }
}

struct Chunk {
    written: u64,
    values: [f64; SLOTS as usize],
}

impl Chunk {
    const EMPTY: Self = Self { written: 0, values: [0.0; SLOTS as usize] };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(table: &Collector, subsample: u32) -> Vec<u32> {
        table.rows(subsample).collect()
    }

    #[test]
    fn a_slot_is_written_once() {
        let mut table = Collector::new();
        let id = table.column("psnr_y");
        assert_eq!(table.get(id, 3), None);
        table.append(id, 3, 1.5).unwrap();
        assert_eq!(table.append(id, 3, 1.5), Err(Error::logged()));
        assert_eq!(table.append(id, 3, 2.5), Err(Error::logged()));
        assert_eq!((table.get(id, 3), table.get(id, 2), table.get(id, 300)), (Some(1.5), None, None));
    }

    #[test]
    fn columns_keep_the_order_in_which_they_were_asked_for() {
        let mut table = Collector::new();
        let [late, never, early] = ["c", "b", "a"].map(|name| table.column(name));
        table.append(early, 0, 1.0).unwrap();
        table.append(late, 1, 1.0).unwrap();
        assert_eq!(table.columns().collect::<Vec<_>>(), [late, early]);
        assert_eq!((table.column("b"), table.find("b"), table.name(never)), (never, Some(never), "b"));
        assert_eq!(table.find("d"), None);
    }

    #[test]
    fn columns_of_a_later_phase_stand_behind_all_of_an_earlier() {
        let mut table = Collector::new();
        let places = [(Phase::Models, "vmaf"), (Phase::Flush, "motion2"), (Phase::Frames, "adm2")];
        let [vmaf, motion2, adm2] = places.map(|(phase, name)| table.column_of(phase, name));
        let motion3 = table.column_of(Phase::Flush, "motion3");
        let vif = table.column("vif");
        for id in [motion3, vmaf, motion2, vif, adm2] {
            table.append(id, 0, 1.0).unwrap();
        }
        assert_eq!(table.columns().collect::<Vec<_>>(), [adm2, vif, motion2, motion3, vmaf]);
        assert_eq!(table.column("motion2"), motion2);
        assert_eq!((table.name(vif), table.name(motion3)), ("vif", "motion3"));
    }

    #[test]
    fn a_printed_name_is_found_unless_a_stored_one_hides_it() {
        let mut table = Collector::new();
        let stored = table.column("VMAF_feature_adm2_score");
        assert_eq!((table.find("adm2"), table.printed_name(stored)), (Some(stored), "adm2"));
        let imported = table.column("adm2");
        assert_eq!((table.find("adm2"), table.printed_name(imported)), (Some(imported), "adm2"));
        assert_eq!(table.find("VMAF_feature_adm2_score"), Some(stored));
    }

    #[test]
    fn rows_are_the_written_indices() {
        let mut table = Collector::new();
        assert_eq!(rows(&table, 0), Vec::<u32>::new());
        let [a, b] = ["a", "b"].map(|name| table.column(name));
        for (id, index) in [(a, 130), (b, 6), (b, 130), (a, 0), (b, 63), (a, u32::MAX), (b, 64)] {
            table.append(id, index, f64::from(index)).unwrap();
        }
        assert_eq!(rows(&table, 0), [0, 6, 63, 64, 130, u32::MAX]);
        assert_eq!(rows(&table, 1), rows(&table, 0));
        assert_eq!(rows(&table, 2), [0, 6, 64, 130]);
        assert_eq!(table.get(a, u32::MAX), Some(4294967295.0));
    }

    #[test]
    fn aggregates_are_set_once() {
        let mut table = Collector::new();
        table.set_aggregate("apsnr_y", 40.0).unwrap();
        table.set_aggregate("apsnr_cb", f64::INFINITY).unwrap();
        table.set_aggregate("apsnr_y", 40.0).unwrap();
        assert_eq!(table.set_aggregate("apsnr_y", 41.0).unwrap_err().errno(), -libc::EINVAL);
        assert_eq!(table.aggregates().collect::<Vec<_>>(), [("apsnr_y", 40.0), ("apsnr_cb", f64::INFINITY)]);
    }

    #[test]
    fn time_runs_from_the_first_append_to_the_latest() {
        let mut table = Collector::new();
        let id = table.column("a");
        assert_eq!(table.elapsed(), Duration::ZERO);
        table.append(id, 0, 0.0).unwrap();
        assert_eq!(table.elapsed(), Duration::ZERO);
        std::thread::sleep(Duration::from_millis(2));
        table.append(id, 1, 0.0).unwrap();
        assert!(table.elapsed() >= Duration::from_millis(2));
    }
}
