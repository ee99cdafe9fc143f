// SPDX-License-Identifier: BSD-2-Clause-Patent
//! From the words of a command line to what the program is asked to do.

use std::collections::HashSet;
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use clap::{ArgMatches, CommandFactory, FromArgMatches};

use super::getopt::canonical_words;
use super::options::Options;
use super::preset::Preset;
use super::request::{FeatureRequest, ModelRequest};
use crate::output::{OutputFormat, Precision};
use crate::picture::Format;

/// Most models, and most features, of one run.
pub const MOST_REQUESTS: usize = 32;

const DEFAULT_MODEL: &str = "vmaf_v0.6.1";

/// Where features are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// On a GPU where there is one.
    Auto,
    /// On the CPU.
    Cpu,
    /// On a CUDA device, or not at all.
    Cuda,
}

/// A run as it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// Path of the reference video.
    pub reference: PathBuf,
    /// Path of the distorted video.
    pub distorted: PathBuf,
    /// The format of both, where they are raw.
    pub raw: Option<Format>,
    /// Models in the order given, the default one included.
    pub models: Vec<ModelRequest>,
    /// Features in the order given.
    pub features: Vec<FeatureRequest>,
    /// Whether models are scored.
    pub prediction: bool,
    /// Path of the log.
    pub output: Option<PathBuf>,
    /// Format of the log.
    pub log_format: OutputFormat,
    /// Numbers of the log.
    pub precision: Precision,
    /// Worker threads.
    pub threads: u32,
    /// One pair of this many is scored.
    pub subsample: u32,
    /// Instruction sets not to use.
    pub cpumask: u32,
    /// Not 0: no GPU.
    pub gpumask: u32,
    /// Where features are computed.
    pub backend: Option<Backend>,
    /// Pairs to score; 0 is all.
    pub frame_count: u32,
    /// Frames of the reference that are passed over.
    pub skip_reference: u32,
    /// Frames of the distorted video that are passed over.
    pub skip_distorted: u32,
    /// Videos of different bit depths are brought to the larger.
    pub common_depth: bool,
    /// No progress.
    pub quiet: bool,
}

/// What a command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Score two videos.
    Run(Box<Arguments>),
    /// Print the version.
    Version,
    /// Print this help text.
    Help(String),
}

/// A command line that asks for nothing that can be done. Displays the reason and the help text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// What is wrong.
    pub reason: String,
    help: String,
}

impl fmt::Display for Usage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}\n\n{}", self.reason, self.help.trim_end())
    }
}

impl Error for Usage {}

/// Reads a command line, the program's name first. Lines of warning go to `complain`.
///
/// # Errors
/// A bad or missing value, with the usage text.
pub fn parse(
    mut words: impl Iterator<Item = OsString>,
    mut complain: impl FnMut(String),
) -> Result<Command, Usage> {
    let program = words.next().unwrap_or_else(|| "vmaf".into());
    let mut warn = |text| complain(format!("{}: {text}", program.display()));
    let mut command = Options::command();
    let words = canonical_words(&command, words, &["version", "help"], &mut warn);
    let help = command.render_help().to_string();
    understand(command, words, &help).map_err(|reason| Usage { reason, help })
}

fn understand(command: clap::Command, words: Vec<OsString>, help: &str) -> Result<Command, String> {
    let mut matches = command.try_get_matches_from(words).map_err(reason)?;
    let requests = Requests::collect(&matches)?;
    let options = Options::from_arg_matches_mut(&mut matches).map_err(reason)?;
    match &options {
        _ if options.help => Ok(Command::Help(help.to_owned())),
        _ if options.version => Ok(Command::Version),
        _ => Ok(Command::Run(Box::new(arguments(options, requests)?))),
    }
}

/// Our own text where a value's reader gave one, else clap's.
fn reason(error: clap::Error) -> String {
    match error.source() {
        Some(source) => source.to_string(),
        None => error.to_string().trim_end().to_owned(),
    }
}

/// Models and features in the order of the command line, those of presets in their preset's place.
#[derive(Default)]
struct Requests {
    models: Vec<ModelRequest>,
    features: Vec<FeatureRequest>,
    common_depth: bool,
}

impl Requests {
    fn collect(matches: &ArgMatches) -> Result<Self, String> {
        let mut items = Vec::new();
        items.extend(placed(matches, "model", |model: ModelRequest| Preset::from(model)));
        items.extend(placed(matches, "feature", |feature: FeatureRequest| Preset::from(feature)));
        items.extend(placed(matches, "aom_ctc", |preset: Preset| preset));
        items.extend(placed(matches, "nflx_ctc", |preset: Preset| preset));
        items.sort_by_key(|&(place, _)| place);
        let mut requests = Self::default();
        for (_, item) in items {
            requests.models.extend(item.models);
            requests.features.extend(item.features);
            requests.common_depth |= item.common_depth;
        }
        requests.within_limits()
    }

    fn within_limits(self) -> Result<Self, String> {
        for (count, what) in [(self.models.len(), "models"), (self.features.len(), "features")] {
            if count > MOST_REQUESTS {
                return Err(format!("A maximum of {MOST_REQUESTS} {what} is supported"));
            }
        }
        Ok(self)
    }
}

/// The values of an option with their places on the command line, each as a preset.
fn placed<T: Clone + Send + Sync + 'static>(
    matches: &ArgMatches,
    id: &str,
    convert: fn(T) -> Preset,
) -> Vec<(usize, Preset)> {
    let places = matches.indices_of(id).into_iter().flatten();
    let values = matches.get_many::<T>(id).into_iter().flatten().cloned();
    places.zip(values.map(convert)).collect()
}

fn arguments(options: Options, requests: Requests) -> Result<Arguments, String> {
    let log_format = options.log_format();
    let raw = raw_format(&options)?;
    let models = with_default(requests.models, options.no_prediction);
    check_names(&models)?;
    Ok(Arguments {
        reference: options.reference.ok_or("Reference .y4m or .yuv (-r/--reference) is required")?,
        distorted: options.distorted.ok_or("Distorted .y4m or .yuv (-d/--distorted) is required")?,
        raw,
        models,
        features: requests.features,
        prediction: !options.no_prediction,
        output: options.output,
        log_format,
        precision: options.precision.unwrap_or_default(),
        threads: options.threads.unwrap_or(0),
        subsample: options.subsample.unwrap_or(0),
        cpumask: options.cpumask.unwrap_or(0),
        gpumask: options.gpumask.unwrap_or(0),
        backend: options.backend,
        frame_count: options.frame_cnt.unwrap_or(0),
        skip_reference: options.frame_skip_ref.unwrap_or(0),
        skip_distorted: options.frame_skip_dist.unwrap_or(0),
        common_depth: requests.common_depth,
        quiet: options.quiet,
    })
}

fn raw_format(options: &Options) -> Result<Option<Format>, String> {
    match (options.width, options.height, options.pixel_format, options.bitdepth) {
        (None, None, None, None) => Ok(None),
        (Some(width), Some(height), Some(pixel), Some(bpc)) if width > 0 && height > 0 => {
            Ok(Some(Format { pixel, bpc, width, height }))
        }
        _ => {
            Err("Raw .yuv input needs all of -w/--width, -h/--height, -p/--pixel_format and -b/--bitdepth, \
                  the sizes above 0"
                .to_owned())
        }
    }
}

fn with_default(models: Vec<ModelRequest>, no_prediction: bool) -> Vec<ModelRequest> {
    if models.is_empty() && !no_prediction { vec![ModelRequest::version(DEFAULT_MODEL)] } else { models }
}

fn check_names(models: &[ModelRequest]) -> Result<(), String> {
    let mut names = HashSet::new();
    if models.iter().all(|model| names.insert(&model.name)) {
        return Ok(());
    }
    Err("Each model should be uniquely named. Set using `--model` via the `name=...` param.".to_owned())
}

#[cfg(test)]
mod tests;
