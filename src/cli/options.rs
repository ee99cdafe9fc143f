// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The options as clap knows them: names, values, help. What they mean together is in
//! [`super::args`].

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ArgAction, Parser};

use super::args::Backend;
use super::number::unsigned;
use super::preset::Preset;
use super::request::{FeatureRequest, ModelRequest};
use crate::output::{OutputFormat, Precision};
use crate::picture::PixelFormat;

const INTEGER: &str = "an integer";
const BACKEND: &str = "auto, cpu or cuda";
const PRECISION: &str = "1 to 17, max, full or legacy";

/// Short aliases keep the abbreviations that libvmaf's program has: `--precision`, `--help` and
/// `--backend` would otherwise make them ambiguous.
#[derive(Debug, Parser)]
#[command(name = "vmaf", about = None, rename_all = "snake_case")]
#[command(disable_help_flag = true, disable_version_flag = true)]
#[command(no_binary_name = true, args_override_self = true)]
#[command(override_usage = "vmaf --reference PATH --distorted PATH [OPTIONS]")]
pub struct Options {
    /// Reference video, .y4m or raw
    #[arg(short, long, value_name = "PATH", value_parser = path())]
    pub reference: Option<PathBuf>,
    /// Distorted video, .y4m or raw
    #[arg(short, long, value_name = "PATH", value_parser = path())]
    pub distorted: Option<PathBuf>,
    /// Width of raw videos, which need all of -w, -h, -p and -b
    #[arg(short, long, value_parser = checked("-w/--width", INTEGER, unsigned))]
    pub width: Option<u32>,
    /// Height of raw videos
    #[arg(short = 'h', long, aliases = ["h", "he"], value_parser = checked("-h/--height", INTEGER, unsigned))]
    pub height: Option<u32>,
    /// Chroma of raw videos: 400, 420, 422 or 444
    #[arg(short, long, aliases = ["p"], value_name = "FORMAT")]
    #[arg(value_parser = checked("-p/--pixel_format", "a valid pixel format (420/422/444)", pixel_format))]
    pub pixel_format: Option<PixelFormat>,
    /// Bits per component of raw videos: 8, 10, 12 or 16
    #[arg(short, long, aliases = ["b"], value_name = "BITS")]
    #[arg(value_parser = checked("-b/--bitdepth", "a valid bitdepth (8/10/12/16)", bit_depth))]
    pub bitdepth: Option<u32>,
    /// A model, `version=NAME` or `path=FILE`, then `:name=NAME`, `:disable_clip`,
    /// `:enable_transform`, `:EXTRACTOR.OPTION=VALUE`; up to 32 times [default: vmaf_v0.6.1]
    #[arg(short, long, value_name = "TEXT", action = ArgAction::Append, value_parser = ModelRequest::parse)]
    pub model: Vec<ModelRequest>,
    /// Log file
    #[arg(short, long, value_name = "PATH", value_parser = path())]
    pub output: Option<PathBuf>,
    /// Write the log as XML (the default)
    #[arg(long, overrides_with_all = ["json", "csv", "sub"])]
    pub xml: bool,
    /// Write the log as JSON
    #[arg(long, overrides_with_all = ["xml", "csv", "sub"])]
    pub json: bool,
    /// Write the log as comma-separated values
    #[arg(long, overrides_with_all = ["xml", "json", "sub"])]
    pub csv: bool,
    /// Write the log as MicroDVD subtitles
    #[arg(long, overrides_with_all = ["xml", "json", "csv"])]
    pub sub: bool,
    /// Digits of a log's numbers: 1 to 17 significant ones, or max; 6 decimals if not given
    #[arg(long, value_name = "DIGITS", value_parser = checked("--precision", PRECISION, precision))]
    pub precision: Option<Precision>,
    /// Worker threads; 0 works in the caller's
    #[arg(long, value_name = "COUNT", value_parser = checked("--threads", INTEGER, unsigned))]
    pub threads: Option<u32>,
    /// A feature extractor, `NAME` or `NAME=OPTION=VALUE:OPTION=VALUE`; up to 32 times
    #[arg(long, value_name = "TEXT", action = ArgAction::Append, value_parser = FeatureRequest::parse)]
    pub feature: Vec<FeatureRequest>,
    /// Score one pair of this many
    #[arg(long, value_name = "COUNT", value_parser = checked("--subsample", INTEGER, unsigned))]
    pub subsample: Option<u32>,
    /// Instruction sets not to use
    #[arg(short, long, value_name = "MASK", value_parser = checked("-c/--cpumask", INTEGER, unsigned))]
    pub cpumask: Option<u32>,
    /// Anything but 0 leaves GPUs alone
    #[arg(long, value_name = "MASK", value_parser = checked("--gpumask", INTEGER, unsigned))]
    pub gpumask: Option<u32>,
    /// Where features are computed: auto, cpu or cuda
    #[arg(long, value_parser = checked("--backend", BACKEND, backend))]
    pub backend: Option<Backend>,
    /// Pairs to score; 0 is all
    #[arg(long, value_name = "COUNT", value_parser = checked("--frame_cnt", INTEGER, unsigned))]
    pub frame_cnt: Option<u32>,
    /// Frames of the reference to pass over first
    #[arg(long, value_name = "COUNT", value_parser = checked("--frame_skip_ref", INTEGER, unsigned))]
    pub frame_skip_ref: Option<u32>,
    /// Frames of the distorted video to pass over first
    #[arg(long, value_name = "COUNT", value_parser = checked("--frame_skip_dist", INTEGER, unsigned))]
    pub frame_skip_dist: Option<u32>,
    /// AOM's common test conditions, v1.0 to v7.0
    #[arg(long, value_name = "VERSION", action = ArgAction::Append, value_parser = Preset::aom_ctc)]
    pub aom_ctc: Vec<Preset>,
    /// Netflix's common test conditions, v1.0
    #[arg(long, value_name = "VERSION", action = ArgAction::Append, value_parser = Preset::nflx_ctc)]
    pub nflx_ctc: Vec<Preset>,
    /// No model scores, and no model but those given
    #[arg(short, long)]
    pub no_prediction: bool,
    /// No progress on the terminal
    #[arg(short, long)]
    pub quiet: bool,
    /// Print the version
    #[arg(short, long)]
    pub version: bool,
    /// Print this text
    #[arg(long)]
    pub help: bool,
}

impl Options {
    /// The log's format.
    pub fn log_format(&self) -> OutputFormat {
        match (self.json, self.csv, self.sub) {
            (true, _, _) => OutputFormat::Json,
            (_, true, _) => OutputFormat::Csv,
            (_, _, true) => OutputFormat::Sub,
            _ => OutputFormat::Xml,
        }
    }
}

/// Unlike clap's own, takes an empty path too: opening it fails with the usual message.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// A reader of values whose error is libvmaf's text.
fn checked<T>(
    option: &'static str,
    should_be: &'static str,
    read: fn(&str) -> Option<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    let complaint =
        move |word: &str| format!("Invalid argument \"{word}\" for option {option}; should be {should_be}");
    move |word: &str| read(word).ok_or_else(|| complaint(word))
}

fn pixel_format(word: &str) -> Option<PixelFormat> {
    match word {
        "400" => Some(PixelFormat::Yuv400),
        "420" => Some(PixelFormat::Yuv420),
        "422" => Some(PixelFormat::Yuv422),
        "444" => Some(PixelFormat::Yuv444),
        _ => None,
    }
}

fn bit_depth(word: &str) -> Option<u32> {
    unsigned(word).filter(|bits| matches!(bits, 8 | 10 | 12 | 16))
}

fn precision(word: &str) -> Option<Precision> {
    match word {
        "max" | "full" => Some(Precision::Max),
        "legacy" => Some(Precision::Default),
        _ => unsigned(word).filter(|digits| (1..=17).contains(digits)).map(Precision::Digits),
    }
}

fn backend(word: &str) -> Option<Backend> {
    match word {
        "auto" => Some(Backend::Auto),
        "cpu" => Some(Backend::Cpu),
        "cuda" => Some(Backend::Cuda),
        _ => None,
    }
}
