// SPDX-License-Identifier: BSD-2-Clause-Patent

use super::super::getopt::split;
use super::super::request::ModelSource;
use super::*;
use crate::picture::PixelFormat;

const VIDEOS: &str = "vmaf -r ref.y4m -d dist.y4m ";

fn parsed(text: &str) -> Result<Command, String> {
    parse(split(text), |complaint| panic!("{complaint}")).map_err(|usage| usage.reason)
}

/// The arguments of a run over two videos with these options as well.
fn with(options: &str) -> Arguments {
    match parsed(&format!("{VIDEOS}{options}")) {
        Ok(Command::Run(arguments)) => *arguments,
        other => panic!("{options}: {other:?}"),
    }
}

fn refused(options: &str) -> String {
    parsed(&format!("{VIDEOS}{options}")).expect_err(options)
}

#[test]
fn defaults() {
    let arguments = with("");
    assert_eq!(arguments.reference, PathBuf::from("ref.y4m"));
    assert_eq!(arguments.models, [ModelRequest::version("vmaf_v0.6.1")]);
    assert_eq!((arguments.raw, arguments.output), (None, None));
    assert_eq!((arguments.log_format, arguments.precision), (OutputFormat::Xml, Precision::Default));
    assert!(arguments.prediction && !arguments.quiet && arguments.features.is_empty());
    assert_eq!(arguments.backend, None);
}

#[test]
fn every_option_is_heard() {
    let arguments = with(
        "-o log --csv --threads 4 --subsample 0x2 -c -1 --gpumask 010 --frame_cnt 9 --frame_skip_ref 1 \
         --frame_skip_dist 2 -q -n --precision 9 --backend cpu",
    );
    assert_eq!(arguments.output, Some(PathBuf::from("log")));
    let numbers = [
        arguments.threads,
        arguments.subsample,
        arguments.cpumask,
        arguments.gpumask,
        arguments.frame_count,
        arguments.skip_reference,
        arguments.skip_distorted,
    ];
    assert_eq!(numbers, [4, 2, u32::MAX, 8, 9, 1, 2]);
    assert_eq!(arguments.precision, Precision::Digits(9));
    assert_eq!((arguments.log_format, arguments.backend), (OutputFormat::Csv, Some(Backend::Cpu)));
    assert!(arguments.quiet && !arguments.prediction && arguments.models.is_empty());
}

#[test]
fn raw_videos_need_all_four() {
    let arguments = with("-w 352 -h0x120 -p 422 -b 10");
    let format = Format { pixel: PixelFormat::Yuv422, bpc: 10, width: 352, height: 288 };
    assert_eq!(arguments.raw, Some(format));
    for (word, pixel) in
        [("400", PixelFormat::Yuv400), ("420", PixelFormat::Yuv420), ("444", PixelFormat::Yuv444)]
    {
        assert_eq!(with(&format!("-w 2 -h 2 -p {word} -b 8")).raw.unwrap().pixel, pixel);
    }
    for options in ["-w 1", "-h 1", "-p 420", "-b 8", "-w 1 -h 1 -p 420", "-w 0 -h 2 -p 420 -b 8"] {
        assert!(refused(options).starts_with("Raw .yuv input needs all of"), "{options}");
    }
}

#[test]
fn bad_values_are_named() {
    let integers = [
        ("-w x", "x", "-w/--width"),
        ("--width=08", "08", "-w/--width"),
        ("--height=", "", "-h/--height"),
        ("--threads x", "x", "--threads"),
        ("--subsample 1.5", "1.5", "--subsample"),
        ("-c 0xg", "0xg", "-c/--cpumask"),
        ("--gpumask x", "x", "--gpumask"),
        ("--frame_cnt x", "x", "--frame_cnt"),
        ("--frame_skip_ref x", "x", "--frame_skip_ref"),
        ("--frame_skip_dist x", "x", "--frame_skip_dist"),
    ];
    for (options, word, name) in integers {
        let text = format!("Invalid argument \"{word}\" for option {name}; should be an integer");
        assert_eq!(refused(options), text);
    }
    let depth = "Invalid argument \"9\" for option -b/--bitdepth; should be a valid bitdepth (8/10/12/16)";
    assert_eq!(refused("-b 9"), depth);
    let pixel =
        "Invalid argument \"411\" for option -p/--pixel_format; should be a valid pixel format (420/422/444)";
    assert_eq!(refused("-p 411"), pixel);
    for options in ["--precision 0", "--precision 18", "--precision x", "--backend gpu"] {
        assert!(refused(options).starts_with("Invalid argument"), "{options}");
    }
}

#[test]
fn precision_words() {
    for (word, precision) in [("1", Precision::Digits(1)), ("17", Precision::Digits(17))] {
        assert_eq!(with(&format!("--precision {word}")).precision, precision);
    }
    for word in ["max", "full"] {
        assert_eq!(with(&format!("--precision={word}")).precision, Precision::Max);
    }
    assert_eq!(with("--precision max --precision legacy").precision, Precision::Default);
}

#[test]
fn the_last_of_single_options_wins() {
    assert_eq!(with("--threads 1 --threads 2 --threads=3").threads, 3);
    assert_eq!(with("-r other").reference, PathBuf::from("other"));
    assert_eq!(with("-o a -o b").output, Some(PathBuf::from("b")));
    let last = [
        ("--json --xml", OutputFormat::Xml),
        ("--xml --sub --json", OutputFormat::Json),
        ("--csv --sub", OutputFormat::Sub),
    ];
    for (options, format) in last {
        assert_eq!(with(options).log_format, format, "{options}");
    }
    assert!(with("-q -q --quiet").quiet);
}

#[test]
fn abbreviations_of_libvmaf_stay_unique() {
    let arguments = with("--w 8 --h 6 --p 420 --b 8 --ou log --th 3 --cp 5");
    assert_eq!(arguments.raw, Some(Format { pixel: PixelFormat::Yuv420, bpc: 8, width: 8, height: 6 }));
    assert_eq!((arguments.threads, arguments.cpumask), (3, 5));
    assert!(matches!(parsed("vmaf --hel"), Ok(Command::Help(_))));
    assert_eq!(with("--pr max --ba cpu --he 6 --w 8 --pix 420 --bi 8").backend, Some(Backend::Cpu));
}

#[test]
fn version_and_help_end_the_reading() {
    assert_eq!(parsed("vmaf -v --bogus -w x"), Ok(Command::Version));
    assert_eq!(parsed("vmaf -qv"), Ok(Command::Version));
    assert!(parsed("vmaf -w x -v").is_err());
    let Ok(Command::Help(text)) = parsed("vmaf --help") else { panic!() };
    assert!(text.starts_with("Usage: vmaf") && text.contains("--frame_skip_dist"), "{text}");
}

#[test]
fn both_videos_are_required() {
    assert_eq!(parsed("vmaf -d x").unwrap_err(), "Reference .y4m or .yuv (-r/--reference) is required");
    assert_eq!(parsed("vmaf -r x").unwrap_err(), "Distorted .y4m or .yuv (-d/--distorted) is required");
    let usage = parse(split(""), |_| ()).unwrap_err().to_string();
    assert!(usage.contains("is required\n\nUsage: vmaf"), "{usage}");
}

#[test]
fn complaints_begin_with_the_program() {
    let mut complaints = Vec::new();
    let command = parse(split("./vmaf -r a -d b --bogus -x"), |text| complaints.push(text));
    assert!(matches!(command, Ok(Command::Run(_))));
    assert_eq!(complaints, ["./vmaf: unrecognized option '--bogus'", "./vmaf: invalid option -- 'x'"]);
}

#[test]
fn models_and_features_keep_their_order() {
    let arguments = with("-m version=a:name=x --feature p=q=1 --model=path=b --feature r -n");
    assert_eq!(arguments.models[0].source, ModelSource::Version("a".to_owned()));
    assert_eq!(arguments.models[1].source, ModelSource::Path("b".to_owned()));
    let names: Vec<_> = arguments.features.iter().map(|feature| feature.name.as_str()).collect();
    assert_eq!(names, ["p", "r"]);
    assert!(!arguments.prediction);
}

#[test]
fn presets_stand_where_they_are_given() {
    let arguments = with("--feature first --aom_ctc v6.0 --feature last --model version=m:name=n");
    let names: Vec<_> = arguments.features.iter().map(|feature| feature.name.as_str()).collect();
    assert_eq!(names, ["first", "psnr", "ciede", "float_ssim", "float_ms_ssim", "psnr_hvs", "cambi", "last"]);
    let labels: Vec<_> = arguments.models.iter().map(ModelRequest::label).collect();
    assert_eq!(labels, ["vmaf_v0.6.1", "vmaf_v0.6.1neg", "m"]);
    assert!(arguments.common_depth && !with("--nflx_ctc v1.0").common_depth);
    assert!(refused("--aom_ctc proposed").contains("is deprecated"));
    assert!(refused("--nflx_ctc v2.0").contains("--nflx_ctc"));
}

#[test]
fn model_names_are_unique() {
    let text = "Each model should be uniquely named. Set using `--model` via the `name=...` param.";
    assert_eq!(refused("-m version=a -m version=b"), text);
    assert_eq!(refused("-m version=a --aom_ctc v1.0"), text);
    assert_eq!(with("-m version=a -m version=a:name=b").models.len(), 2);
}

#[test]
fn models_and_features_are_limited() {
    let models = |count| (0..count).map(|n| format!("-m version=a:name={n} ")).collect::<String>();
    assert_eq!(with(&models(32)).models.len(), 32);
    assert!(refused(&models(33)).contains("32 models"));
    assert_eq!(with(&"--feature a ".repeat(32)).features.len(), 32);
    assert!(refused(&"--feature a ".repeat(33)).contains("32 features"));
}

#[test]
fn broken_requests_are_usage_errors() {
    assert_eq!(refused("-m vmaf_v0.6.1"), "Problem parsing model, bad option string \"vmaf_v0.6.1\".");
    assert_eq!(refused("--feature a=b"), "Problem parsing feature \"a\", bad option string \"b\".");
}
