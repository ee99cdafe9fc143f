// SPDX-License-Identifier: BSD-2-Clause-Patent
//! A run from two files to a log. On bad input nothing that was scored before it is lost.

use std::io::{IsTerminal, stderr};

use super::args::{Arguments, Backend};
use super::input::ReadError;
use super::models::Scored;
use super::progress::Progress;
use super::request::FeatureRequest;
use super::source::{Source, open_pair};
use super::verdict::{FAILURE, NO_CUDA, Verdict, say, told};
use crate::context::{Configuration, Context};
use crate::feature::Dictionary;
use crate::gpu::Preference;
use crate::log::Level;
use crate::picture::{Format, Picture};

/// Scores the videos; gives the exit code of the program.
pub fn run(arguments: &Arguments) -> u8 {
    let mut progress = Progress::new(arguments.quiet);
    match Run::prepare(arguments, &mut progress) {
        Ok(run) => run.complete(&progress),
        Err(verdict) => verdict.tell(),
    }
}

struct Run<'a> {
    arguments: &'a Arguments,
    sources: [Source; 2],
    context: Context,
    models: Vec<Scored>,
    /// How many pairs the context took.
    pairs: u32,
}

impl<'a> Run<'a> {
    fn prepare(arguments: &'a Arguments, progress: &mut Progress) -> Result<Self, Verdict> {
        let sources = open_pair(arguments)?;
        let mut context = new_context(arguments)?;
        choose_backend(arguments.backend, &mut context)?;
        let pictures = pool_size(arguments.threads);
        preallocate(&mut context, sources[0].format(), pictures)?;
        let models = arguments.models.iter().map(|model| Scored::prepare(model, &mut context));
        let models = models.collect::<Result<_, _>>()?;
        arguments.features.iter().try_for_each(|feature| use_feature(&mut context, feature))?;
        progress.begin(expected_pairs(&sources, arguments), pictures);
        Ok(Self { arguments, sources, context, models, pairs: 0 })
    }

    /// The first step that failed gives the exit code, and the steps after it are still taken.
    fn complete(mut self, progress: &Progress) -> u8 {
        let scored = self.skip().and_then(|()| self.score(progress));
        progress.end();
        let scored = told(scored);
        let flushed = told(self.flush());
        let predicted = if self.pairs == 0 { 0 } else { told(self.predict()) };
        let nothing_to_log = self.pairs == 0 && flushed != 0;
        let logged = if nothing_to_log { 0 } else { told(self.write_log()) };
        [scored, flushed, predicted, logged].into_iter().find(|&code| code != 0).unwrap_or(0)
    }

    fn skip(&mut self) -> Result<(), Verdict> {
        let counts = [self.arguments.skip_reference, self.arguments.skip_distorted];
        for (source, count) in self.sources.iter_mut().zip(counts) {
            source.skip(count).map_err(|error| unreadable(source, &error))?;
        }
        Ok(())
    }

    fn score(&mut self, progress: &Progress) -> Result<(), Verdict> {
        let limit = if self.arguments.frame_count == 0 { u32::MAX } else { self.arguments.frame_count };
        while self.pairs < limit
            && let Some([reference, distorted]) = self.next_pair()?
        {
            let read = self.context.read_pictures(reference, distorted, self.pairs);
            read.map_err(|error| Verdict::refused(&error, "\nproblem reading pictures"))?;
            self.pairs += 1;
            progress.step(self.pairs);
        }
        Ok(())
    }

    /// Both next frames; none where both videos end, and a remark where only one does.
    fn next_pair(&mut self) -> Result<Option<[Picture; 2]>, Verdict> {
        let [reference, distorted] = &mut self.sources;
        let frames = (next_frame(&self.context, reference)?, next_frame(&self.context, distorted)?);
        match frames {
            (Some(first), Some(second)) => Ok(Some([first, second])),
            (None, None) => Ok(None),
            (None, Some(_)) => Err(ended_before(reference, distorted)),
            (Some(_), None) => Err(ended_before(distorted, reference)),
        }
    }

    fn flush(&mut self) -> Result<(), Verdict> {
        self.context.flush().map_err(|error| Verdict::refused(&error, "problem flushing context"))
    }

    /// Scores every frame by every model. Only a terminal sees the means: programs read the log.
    fn predict(&self) -> Result<(), Verdict> {
        if !self.arguments.prediction {
            return Ok(());
        }
        let shown = stderr().is_terminal() && !(self.arguments.quiet && self.arguments.output.is_some());
        let tell = |line: String| {
            if shown {
                say(line)
            }
        };
        for model in &self.models {
            tell(model.mean(&self.context, self.pairs)?);
        }
        for model in &self.models {
            if let Some(line) = model.interval(&self.context, self.pairs)? {
                tell(line);
            }
        }
        Ok(())
    }

    fn write_log(&self) -> Result<(), Verdict> {
        let Some(path) = &self.arguments.output else { return Ok(()) };
        let written = self.context.write_output(path, self.arguments.log_format, self.arguments.precision);
        written.map_err(|error| Verdict::new(FAILURE, error.to_string()))
    }
}

fn new_context(arguments: &Arguments) -> Result<Context, Verdict> {
    let gpumask = if arguments.backend == Some(Backend::Cpu) { u64::MAX } else { arguments.gpumask.into() };
    let configuration = Configuration {
        log_level: Level::Info as i32,
        n_threads: arguments.threads,
        n_subsample: arguments.subsample,
        cpumask: arguments.cpumask.into(),
        gpumask,
    };
    Context::new(configuration).map_err(|error| Verdict::setup(&error, "problem initializing VMAF context"))
}

/// Twins serve where there is a device, since they give the same numbers, unless a side was asked for.
fn choose_backend(backend: Option<Backend>, context: &mut Context) -> Result<(), Verdict> {
    let preference = match backend {
        None if std::env::var_os("VMAF_RS_BACKEND").is_some() => return Ok(()),
        None | Some(Backend::Auto) => Preference::Auto,
        Some(Backend::Cpu) => Preference::Cpu,
        Some(Backend::Cuda) => Preference::Cuda,
    };
    context.prefer(preference);
    let usable = if preference == Preference::Cuda { context.probe_device() } else { Ok(()) };
    usable.map_err(|error| Verdict::new(NO_CUDA, format!("--backend cuda: {error}")))
}

/// libvmaf's size: a pair for each thread and one in the making, and room for the frames that extractors keep.
fn pool_size(threads: u32) -> usize {
    match threads {
        0 => 4,
        _ => 2 * (threads as usize + 1) + 1,
    }
}

fn preallocate(context: &mut Context, format: Format, pictures: usize) -> Result<(), Verdict> {
    let made = context.preallocate_pictures(format, pictures);
    made.map_err(|error| Verdict::setup(&error, "problem during picture pool preallocation"))
}

fn use_feature(context: &mut Context, feature: &FeatureRequest) -> Result<(), Verdict> {
    let mut options = Dictionary::new();
    feature.options.iter().for_each(|(key, value)| options.set(key, value));
    let used = context.use_feature(&feature.name, &options);
    used.map_err(|error| {
        Verdict::setup(&error, format!("problem loading feature extractor: {}", feature.name))
    })
}

/// Pairs to come, where it is known.
fn expected_pairs(sources: &[Source; 2], arguments: &Arguments) -> Option<u64> {
    let skipped = [arguments.skip_reference, arguments.skip_distorted];
    let held = sources
        .iter()
        .zip(skipped)
        .filter_map(|(source, skip)| Some(source.frames?.saturating_sub(skip.into())));
    let asked = (arguments.frame_count > 0).then_some(arguments.frame_count.into());
    held.chain(asked).min()
}

fn next_frame(context: &Context, source: &mut Source) -> Result<Option<Picture>, Verdict> {
    let mut picture = fetch(context)?;
    let read = source.read(&mut picture).map_err(|error| unreadable(source, &error))?;
    Ok(read.then_some(picture))
}

fn fetch(context: &Context) -> Result<Picture, Verdict> {
    context.fetch_picture().map_err(|error| Verdict::refused(&error, "\nproblem fetching picture"))
}

fn unreadable(source: &Source, error: &ReadError) -> Verdict {
    Verdict::new(FAILURE, format!("\n{}: {error}\nproblem while reading pictures", source.path.display()))
}

fn ended_before(ended: &Source, other: &Source) -> Verdict {
    Verdict::new(0, format!("\n\"{}\" ended before \"{}\".", ended.path.display(), other.path.display()))
}
