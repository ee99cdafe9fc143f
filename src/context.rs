// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What a `VmafContext` is: registered extractors, their scores, and the pictures on their way.
#![forbid(unsafe_code)]

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::cpu::Level;
use crate::error::{Error, Result};
use crate::feature::collector::{Collector, ColumnId};
use crate::feature::pooling::{Pooling, pool};
use crate::feature::{self, Definition, Dictionary, Values};
use crate::gpu::{self, Device, Preference, Source};
use crate::log;
use crate::model::scoring::{Interval, Needs};
use crate::model::{BootstrapScore, Collection, Model, Scoring};
use crate::output::{self, OutputFormat, Precision, Report};
use crate::picture::{Format, Keeper, Picture, Place, Pool, Storage};
use crate::schedule::{Instance, Schedule, Side};

/// The text that logs and `--version` show.
pub const VERSION: &str = concat!("vmaf_rs ", env!("CARGO_PKG_VERSION"));

/// How a context works.
#[derive(Clone, Copy, Debug, Default)]
pub struct Configuration {
    /// 0 none, 1 errors, 2 warnings, 3 information, 4 debug; of the whole process.
    pub log_level: i32,
    /// Threads of the context; 0 works in the caller's.
    pub n_threads: u32,
    /// N above 1: only indices that N divides are scored.
    pub n_subsample: u32,
    /// Instruction sets that are forbidden, see [`crate::cpu::Forbidden`].
    pub cpumask: u64,
    /// Not zero: no GPU.
    pub gpumask: u64,
}

/// Scores a stream of picture pairs.
pub struct Context {
    schedule: Schedule,
    collector: Arc<Mutex<Collector>>,
    scoring: Scoring,
    subsample: u32,
    format: Option<Format>,
    place: Option<Place>,
    pool: Option<Arc<Pool>>,
    gpu: Source,
    cuda_pool: Option<Arc<Pool>>,
    flushed: bool,
    _keeper: Keeper,
}

impl Context {
    /// A context without extractors.
    pub fn new(configuration: Configuration) -> Result<Self> {
        log::configure(configuration.log_level);
        let Configuration { n_threads, n_subsample, cpumask, gpumask, .. } = configuration;
        let collector = Arc::new(Mutex::new(Collector::default()));
        let schedule = Schedule::new(n_threads, n_subsample, Level::detect(cpumask), collector.clone());
        Ok(Self {
            schedule,
            collector,
            scoring: Scoring::default(),
            subsample: n_subsample,
            format: None,
            place: None,
            pool: None,
            gpu: Source::new(gpumask, Preference::from_environment()),
            cuda_pool: None,
            flushed: false,
            _keeper: Keeper::new(),
        })
    }

    /// Registers an extractor by name. The same extractor with the same options a second time is dropped.
    pub fn use_feature(&mut self, name: &str, options: &Dictionary) -> Result<()> {
        let feature::Named { definition, twin } = feature::by_name(name)?;
        let values = Values::read(name, definition.options, options)?;
        let side = self.side(definition, twin, false)?;
        self.register(definition, options, values, side);
        Ok(())
    }

    /// On which side an extractor is to run; an error where that side cannot be had.
    fn side(&self, definition: &Definition, named: bool, of_model: bool) -> Result<Side> {
        let served = self.gpu.serves(definition.twin.is_some(), named, of_model).map_err(|error| {
            Error::invalid(format!("feature extractor \"{}_cuda\": {error}", definition.name))
        })?;
        Ok(if served { Side::Device } else { Side::Cpu })
    }

    /// Registers the extractors that a model needs, in the order of its features: all, or none where one
    /// cannot be had.
    pub fn use_features_from_model(&mut self, model: &Arc<Model>) -> Result<()> {
        self.use_models(std::slice::from_ref(model))
    }

    /// Registers the extractors that the models of a collection need: all, or none where one cannot be had.
    pub fn use_features_from_collection(&mut self, collection: &Collection) -> Result<()> {
        self.use_models(&[std::slice::from_ref(collection.lead()), collection.members()].concat())
    }

    fn use_models(&mut self, models: &[Arc<Model>]) -> Result<()> {
        let mut needs = Needs::of(models)?;
        let sides = needs.definitions().map(|definition| self.side(definition, false, true));
        let sides = sides.collect::<Result<Vec<_>>>()?;
        self.scoring.register(models, &mut needs)?;
        for ((definition, options, values), side) in needs.extractors().zip(sides) {
            self.register(definition, options, values, side);
        }
        Ok(())
    }

    fn register(
        &mut self,
        definition: &'static Definition,
        options: &Dictionary,
        values: Values,
        side: Side,
    ) {
        let name = definition.name;
        if self.flushed {
            log::warning!("feature extractor \"{name}\" registered after the flush has no effect");
        }
        log::debug!("feature extractor \"{name}\" registered with {} opts", options.len());
        options.iter().for_each(|(key, value)| log::debug!("{key}: {value}"));
        self.schedule.add(Instance::new(definition, values, side));
    }

    /// Stores a score that was made elsewhere.
    pub fn import_feature_score(&mut self, name: &str, value: f64, index: u32) -> Result<()> {
        let mut collector = self.collector.lock();
        let column = collector.column(name);
        collector.append(column, index, value)
    }

    /// Lets [`Self::fetch_picture`] hand out up to `count` pictures at a time, besides those that extractors look back
    /// at.
    pub fn preallocate_pictures(&mut self, format: Format, count: usize) -> Result<()> {
        if count == 0 || format.width == 0 || format.height == 0 {
            return Err(Error::invalid("a pool needs pictures, and pictures a size"));
        }
        if self.pool.as_ref().is_some_and(|pool| pool.any_out()) {
            return Err(Error::invalid("the pool cannot be replaced while its pictures are in use"));
        }
        format.layout()?;
        self.pool = Some(Pool::new(format, Storage::Pageable, count));
        Ok(())
    }

    /// A picture of the pool, with what was last in it; waits while all are in use.
    pub fn fetch_picture(&self) -> Result<Picture> {
        let pool = self.pool.as_ref().ok_or_else(|| Error::invalid("no pictures were preallocated"))?;
        self.fetch(pool)
    }

    /// While all pictures of a pool are out, frames in flight are what they come back from. Pictures that extractors
    /// will look back at do not count: callers know nothing of them.
    fn fetch(&self, pool: &Arc<Pool>) -> Result<Picture> {
        loop {
            let looked_back_at = self.schedule.looked_back_at();
            if let Some(picture) = pool.try_fetch(looked_back_at)? {
                return Ok(picture);
            }
            if !self.schedule.finish_oldest() {
                return pool.fetch(looked_back_at);
            }
        }
    }

    /// Which side extractors run on that are registered from now on, in place of what `VMAF_RS_BACKEND` says.
    pub fn prefer(&mut self, preference: Preference) {
        self.gpu.prefer(preference);
    }

    /// Whether a device could be had, as far as that can be told without opening one.
    pub fn probe_device(&self) -> Result<()> {
        self.gpu.usable()
    }

    /// Lets the context use the caller's device.
    pub fn import_device(&mut self, device: impl FnOnce() -> Result<Device>) -> Result<()> {
        self.gpu.import(device)
    }

    /// Lets [`Self::fetch_cuda_picture`] hand out pictures in device memory, or in page-locked host memory.
    pub fn preallocate_cuda_pictures(&mut self, format: Format, on_device: bool) -> Result<()> {
        format.layout()?;
        let device = self.gpu.device()?;
        self.cuda_pool = Some(match on_device {
            // The pairs of the frames in flight that a device likes, and one in the making.
            true => Pool::new(format, Storage::Device(device), 2 * (gpu::slots(format) + 1)),
            false => Pool::elastic(format, Storage::Pinned(device), self.host_pictures()),
        });
        Ok(())
    }

    /// Pictures in page-locked memory that go round, unless the caller wants to hold more at a time: a pair that the
    /// device works on, and one in the making. Filling them is what bounds such streams, and so few stay in the
    /// processor's caches. The CPU's extractors have pairs of their own.
    fn host_pictures(&self) -> usize {
        3 + 2 * self.schedule.threads()
    }

    /// Lets [`Self::fetch_cuda_picture`] hand out none.
    pub fn forget_cuda_pictures(&mut self) {
        self.cuda_pool = None;
    }

    /// A picture as [`Self::preallocate_cuda_pictures`] was told, with what was last in it; waits while all device
    /// pictures are in use.
    pub fn fetch_cuda_picture(&self) -> Result<Picture> {
        let pool = self.cuda_pool.as_ref().ok_or_else(|| Error::invalid("no pictures were preallocated"))?;
        self.fetch(pool)
    }

    /// Scores a pair. On success the context keeps the pictures as long as it needs them.
    pub fn read_pictures(&mut self, reference: Picture, distorted: Picture, index: u32) -> Result<()> {
        if self.flushed {
            return Err(Error::invalid("no picture can be read after the flush"));
        }
        let format = reference.format();
        check_pair(format, distorted.format(), self.format)?;
        let place = reference.place();
        if [Some(distorted.place()), self.place].into_iter().flatten().any(|other| other != place) {
            return Err(Error::invalid("some pictures of the stream are on a device, others on the host"));
        }
        self.schedule.submit(reference, distorted, index, &mut self.gpu)?;
        (self.format, self.place) = (Some(format), Some(place));
        Ok(())
    }

    /// Ends the stream: waits for all frames and for what extractors held back.
    pub fn flush(&mut self) -> Result<()> {
        if self.flushed {
            return Err(Error::invalid("flushed already"));
        }
        if self.schedule.is_empty() {
            self.flushed = true;
            return Ok(());
        }
        if self.schedule.accepted() == 0 {
            return Err(Error::invalid("nothing to flush, no picture was read"));
        }
        self.flushed = true;
        self.schedule.flush()
    }

    /// The value of a feature, by internal or by log name, for one frame.
    pub fn feature_score_at_index(&self, name: &str, index: u32) -> Result<f64> {
        self.schedule.wait_for(index..=index);
        let collector = self.collector.lock();
        let column = find(&collector, name)?;
        collector.get(column, index).ok_or_else(|| {
            log::debug!("feature \"{name}\" has no value at index {index} (yet)");
            Error::logged()
        })
    }

    /// A feature pooled over the sampled indices from `low` to `high`, both included.
    pub fn feature_score_pooled(&self, name: &str, method: Pooling, low: u32, high: u32) -> Result<f64> {
        let Interval { low, high, subsample } = self.interval(low, high)?;
        let collector = self.collector.lock();
        let column = find(&collector, name)?;
        pool(&collector, column, method, low, high, subsample)
    }

    /// An interval, once its frames are through.
    fn interval(&self, low: u32, high: u32) -> Result<Interval> {
        if low > high {
            return Err(Error::invalid(format!("index {low} is above index {high}")));
        }
        self.schedule.wait_for(low..=high);
        Ok(Interval { low, high, subsample: self.subsample })
    }

    /// A model's score of one frame, predicted and stored unless a score is stored under the model's name.
    pub fn score_at_index(&self, model: &Arc<Model>, index: u32) -> Result<f64> {
        self.schedule.wait_for(index..=index);
        self.scoring.score(&mut self.collector.lock(), model, index)
    }

    /// A model's score pooled over the sampled indices from `low` to `high`, both included.
    pub fn score_pooled(&self, model: &Arc<Model>, method: Pooling, low: u32, high: u32) -> Result<f64> {
        let interval = self.interval(low, high)?;
        self.scoring.pool(&mut self.collector.lock(), model, method, interval)
    }

    /// A collection's score of one frame, as [`Self::score_at_index`]; its members' scores are stored too.
    pub fn collection_score_at_index(&self, collection: &Collection, index: u32) -> Result<BootstrapScore> {
        self.schedule.wait_for(index..=index);
        self.scoring.score_collection(&mut self.collector.lock(), collection, index)
    }

    /// A collection's scores pooled, each figure for itself.
    pub fn collection_score_pooled(
        &self,
        collection: &Collection,
        method: Pooling,
        low: u32,
        high: u32,
    ) -> Result<BootstrapScore> {
        let interval = self.interval(low, high)?;
        self.scoring.pool_collection(&mut self.collector.lock(), collection, method, interval)
    }

    /// The value of a feature that belongs to the whole stream (`apsnr_y`), known after the flush.
    pub fn aggregate(&self, name: &str) -> Option<f64> {
        self.collector.lock().aggregates().find(|&(known, _)| known == name).map(|(_, value)| value)
    }

    /// Writes all scores to a file.
    pub fn write_output(&self, path: &Path, format: OutputFormat, precision: Precision) -> Result<()> {
        self.schedule.wait_for(0..=u32::MAX);
        let collector = self.collector.lock();
        let size = self.format.map_or((0, 0), |format| (format.width, format.height));
        let report = Report {
            collector: &collector,
            version: VERSION,
            width: size.0,
            height: size.1,
            pairs: self.schedule.accepted(),
            subsample: self.subsample,
            precision,
        };
        output::write_file(&report, format, path)
    }
}

fn find(collector: &Collector, name: &str) -> Result<ColumnId> {
    collector.find(name).ok_or_else(|| Error::invalid(format!("no feature \"{name}\"")))
}

/// Both pictures of a pair, and all pairs of a stream, are of one format.
fn check_pair(reference: Format, distorted: Format, stream: Option<Format>) -> Result<()> {
    if reference.width == 0 || reference.height == 0 {
        return Err(Error::invalid("the pictures are empty"));
    }
    if reference != distorted {
        return Err(Error::invalid(format!("the pictures differ: {reference}, {distorted}")));
    }
    match stream {
        Some(stream) if stream != reference => {
            Err(Error::invalid(format!("the pictures are {reference}, those before {stream}")))
        }
        _ => Ok(()),
    }
}
