// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The `vmaf` program from outside: texts, exit codes, logs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;
use vmaf_rs::model::{Flags, Model};

/// Videos and logs of one test.
struct Bench {
    folder: TempDir,
}

/// What a run left behind.
struct Ran {
    code: i32,
    stderr: String,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// Runs in the folder of the test, so that messages hold plain names.
    fn run(&self, words: &str) -> Ran {
        let output = vmaf(words, self.folder.path());
        let code = output.status.code().expect("ended by a signal");
        Ran { code, stderr: String::from_utf8(output.stderr).unwrap() }
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap()
    }

    /// Rows of the CSV log, the heading not among them.
    fn rows(&self) -> usize {
        self.log().lines().count() - 1
    }
}

impl Ran {
    #[track_caller]
    fn expect(&self, code: i32, stderr: &str) {
        assert_eq!((self.code, self.stderr.as_str()), (code, stderr));
    }

    /// The last line, as the library's own lines may stand before it.
    #[track_caller]
    fn expect_last(&self, code: i32, line: &str) {
        assert_eq!((self.code, self.stderr.lines().last()), (code, Some(line)), "{}", self.stderr);
    }
}

fn vmaf(words: &str, folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vmaf"));
    command.args(words.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    command.output().unwrap()
}

/// A YUV4MPEG2 stream of `frames` noisy frames of `bytes` bytes.
fn y4m(header: &str, bytes: usize, frames: usize) -> Vec<u8> {
    let mut stream = format!("YUV4MPEG2 {header} F25:1 Ip\n").into_bytes();
    for frame in 0..frames {
        stream.extend_from_slice(b"FRAME\n");
        stream.extend(noise(bytes, frame));
    }
    stream
}

fn noise(bytes: usize, seed: usize) -> impl Iterator<Item = u8> {
    (0..bytes).map(move |at| ((at * 73 + seed * 151) % 251) as u8)
}

const SCORE: &str = "-n --feature psnr --csv -o log -r ref.y4m -d dist.y4m";

#[test]
fn version_and_help() {
    let bench = Bench::new();
    let version = bench.run("-v --bogus");
    version.expect(0, &format!("vmaf_rs {}\n", env!("CARGO_PKG_VERSION")));
    let help = vmaf("--help", bench.folder.path());
    assert!(help.status.success() && help.stdout.starts_with(b"Usage: vmaf") && help.stderr.is_empty());
}

#[test]
fn usage_errors_exit_with_1() {
    let bench = Bench::new();
    let cases = [
        ("", "Reference .y4m or .yuv (-r/--reference) is required"),
        ("-r a", "Distorted .y4m or .yuv (-d/--distorted) is required"),
        ("--threads x", "Invalid argument \"x\" for option --threads; should be an integer"),
        ("-m x", "Problem parsing model, bad option string \"x\"."),
    ];
    for (words, reason) in cases {
        let ran = bench.run(words);
        assert_eq!(ran.code, 1, "{words}");
        assert!(ran.stderr.starts_with(&format!("{reason}\n\nUsage: vmaf")), "{}", ran.stderr);
    }
}

#[test]
fn unknown_options_are_passed_over() {
    let bench = Bench::new();
    let ran = bench.run("--bogus 3 -r a -d b");
    let lines: Vec<_> = ran.stderr.lines().collect();
    assert!(lines[0].ends_with("vmaf: unrecognized option '--bogus'"), "{}", lines[0]);
    assert_eq!((ran.code, &lines[1..]), (255, &["could not open file: a"][..]));
}

#[test]
fn inputs_that_cannot_be_read() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W4 H4", 24, 1));
    bench.file("dist.y4m", b"RIFF\n");
    bench.run("-r ref.y4m -d none").expect(255, "could not open file: none\n");
    let text =
        "The file does not begin with YUV4MPEG2\nUnknown file type.\nproblem with distorted file: dist.y4m\n";
    bench.run("-r ref.y4m -d dist.y4m").expect(255, text);
    bench.run("-r . -d ref.y4m").expect_last(255, "problem with reference file: .");
}

#[test]
fn videos_that_cannot_be_compared() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W64 H47", 0, 0));
    bench.file("dist.y4m", &y4m("W64 H48 C422p10", 0, 0));
    let text = "dimensions do not match: 64x47, 64x48\npixel formats do not match: 420, 422\n\
                bitdepths do not match: 8, 10\nvideos are incompatible, 3 problem(s).\n";
    bench.run(SCORE).expect(255, text);
    assert!(!bench.path("log").exists());
}

#[test]
fn what_the_library_refuses() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W4 H4", 24, 1));
    let inputs = "-r ref.y4m -d ref.y4m";
    bench.run(&format!("{inputs} -m version=no")).expect_last(255, "problem loading model: no");
    bench.run(&format!("{inputs} -n -m path=no.json")).expect_last(255, "problem loading model: no.json");
    let feature = bench.run(&format!("{inputs} -n --feature bogus"));
    feature.expect_last(255, "problem loading feature extractor: bogus");
    let range = bench.run(&format!("{inputs} -n --feature psnr=min_sse=-1"));
    range.expect_last(255, "problem loading feature extractor: psnr");
    let cuda = bench.run(&format!("{inputs} -n --backend cuda"));
    cuda.expect(100, "--backend cuda: CUDA is not built in this version\n");
}

#[test]
fn videos_too_small_for_an_extractor() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W176 H144", 176 * 144 * 3 / 2, 2));
    for threads in [0, 2] {
        let words =
            format!("-r ref.y4m -d ref.y4m -n --feature float_ms_ssim -o log --csv --threads {threads}");
        let output = vmaf(&words, bench.folder.path());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_ne!(output.status.code(), Some(0), "{threads} threads: {stderr}");
        assert_eq!(stderr.matches("must be at least 176").count(), 1, "{threads} threads: {stderr}");
        assert!(output.stdout.is_empty());
    }
}

/// A model of psnr_y, psnr_cb and psnr_cr, with a polynomial and no limits.
const MODEL: &str = include_str!("models/custom/polynomial.json");

#[test]
fn models_score_every_frame() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W4 H4", 24, 2));
    bench.file("model.json", MODEL.as_bytes());
    let score = "-r ref.y4m -d ref.y4m --csv -o log -m path=model.json:name=plain";
    bench.run(score).expect(0, "");
    let model = Model::open(&bench.path("model.json"), "plain", Flags::empty()).unwrap();
    let row = format!("60.000000,60.000000,60.000000,{:.6},\n", model.predict(&[60.0; 3]));
    assert_eq!(bench.log(), format!("Frame,psnr_y,psnr_cb,psnr_cr,plain,\n0,{row}1,{row}"));
    bench.run(&format!("{score} -n")).expect(0, "");
    assert!(bench.log().starts_with("Frame,psnr_y,psnr_cb,psnr_cr,\n"));
    let overload = bench.run(&format!("{score}:psnr.min_sse=-1"));
    overload.expect_last(255, "problem loading feature extractors from model: model.json");
}

#[test]
fn a_collection_is_scored_with_its_members() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W4 H4", 24, 2));
    let member = MODEL.replace("LIBSVMNUSVR", "BOOTSTRAP_LIBSVMNUSVR");
    let file = format!("{{\"0\": {MODEL}, \"1\": {member}, \"2\": {member}}}");
    bench.file("models.json", file.as_bytes());
    bench.run("-r ref.y4m -d ref.y4m --csv -o log -m path=models.json:name=b").expect(0, "");
    let heading = "Frame,psnr_y,psnr_cb,psnr_cr,b,b_0001,b_0002,b_bagging,b_stddev,b_ci_p95_lo,b_ci_p95_hi,";
    assert_eq!(bench.log().lines().next(), Some(heading));
    assert_eq!(bench.rows(), 2);
}

#[test]
fn an_unknown_feature_option_is_a_warning() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W4 H4", 24, 1));
    let ran = bench.run("-r ref.y4m -d ref.y4m -n --feature psnr=bogus=1");
    assert!(ran.code == 0 && ran.stderr.contains("bogus"), "{}: {}", ran.code, ran.stderr);
}

#[test]
fn odd_sizes_lose_no_frame() {
    for (width, height) in [(19usize, 19usize), (64, 17), (33, 35)] {
        let bytes = width * height + 2 * width.div_ceil(2) * height.div_ceil(2);
        let bench = Bench::new();
        bench.file("ref.y4m", &y4m(&format!("W{width} H{height}"), bytes, 3));
        bench.file("ref.yuv", &(0..3).flat_map(|frame| noise(bytes, frame)).collect::<Vec<_>>());
        for inputs in [
            "-r ref.y4m -d ref.y4m".to_owned(),
            format!("-r ref.yuv -d ref.yuv -w {width} -h {height} -p 420 -b 8"),
        ] {
            bench.run(&format!("{inputs} -n --feature psnr --csv -o log")).expect(0, "");
            let equal = "60.000000,60.000000,60.000000,";
            let rows = format!("Frame,psnr_y,psnr_cb,psnr_cr,\n0,{equal}\n1,{equal}\n2,{equal}\n");
            assert_eq!(bench.log(), rows, "{inputs}");
        }
    }
}

#[test]
fn luma_alone_is_enough() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W19 H5 Cmono", 95, 2));
    bench.file("ref.yuv", &noise(95 * 2, 0).collect::<Vec<_>>());
    for inputs in ["-r ref.y4m -d ref.y4m", "-r ref.yuv -d ref.yuv -w 19 -h 5 -p 400 -b 8"] {
        for feature in ["psnr=enable_chroma=false", "float_psnr", "float_moment"] {
            bench.run(&format!("{inputs} -n --feature {feature} --csv -o log")).expect(0, "");
            assert_eq!(bench.rows(), 2, "{inputs} {feature}");
        }
    }
}

#[test]
fn the_shorter_video_ends_the_run() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W4 H4", 24, 4));
    bench.file("dist.y4m", &y4m("W4 H4", 24, 2));
    bench.run(SCORE).expect(0, "\n\"dist.y4m\" ended before \"ref.y4m\".\n");
    assert_eq!(bench.rows(), 2);
    bench.run(&format!("{SCORE} --frame_skip_ref 3")).expect(0, "\n\"ref.y4m\" ended before \"dist.y4m\".\n");
    assert!(bench.log().lines().nth(1).unwrap().starts_with("0,"));
    bench.run(&format!("{SCORE} --frame_skip_ref 2")).expect(0, "");
    assert_eq!(bench.rows(), 2);
    bench.run(&format!("{SCORE} --frame_cnt 1")).expect(0, "");
    assert_eq!(bench.rows(), 1);
}

#[test]
fn threads_change_no_score() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W16 H16", 384, 60));
    bench.file("dist.y4m", &y4m("W16 H16", 384, 60));
    let mut logs = ["0", "1", "3"].map(|threads| {
        assert_eq!(bench.run(&format!("{SCORE} --frame_skip_ref 1 --threads {threads}")).code, 0);
        assert_eq!(bench.rows(), 59);
        bench.log()
    });
    logs.sort();
    assert_eq!(logs[0], logs[2]);
}

#[test]
fn a_broken_video_is_an_error_after_the_log() {
    let whole = y4m("W4 H4", 24, 3);
    let bench = Bench::new();
    bench.file("ref.y4m", &whole);
    bench.file("dist.y4m", &whole[..whole.len() - 1]);
    for threads in ["", " --threads 2"] {
        let ran = bench.run(&format!("{SCORE}{threads}"));
        ran.expect(1, "\ndist.y4m: The last frame is cut short\nproblem while reading pictures\n");
        assert_eq!(bench.rows(), 2);
    }
    let mut lost = whole.clone();
    lost.insert(whole.len() - 30, b'\n');
    bench.file("dist.y4m", &lost);
    let ran = bench.run(SCORE);
    ran.expect(1, "\ndist.y4m: Loss of framing in YUV input data\nproblem while reading pictures\n");
    assert_eq!(bench.rows(), 2);
}

#[test]
fn no_frame_is_an_error() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W4 H4", 24, 0));
    bench.run(&format!("{SCORE} -d ref.y4m")).expect_last(234, "problem flushing context");
    assert!(!bench.path("log").exists());
}

#[test]
fn a_log_that_cannot_be_written_is_an_error() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W4 H4", 24, 1));
    let ran = bench.run("-r ref.y4m -d ref.y4m -n --feature psnr -o no/log");
    ran.expect(1, "could not open file: no/log\n");
    let full = bench.run("-r ref.y4m -d ref.y4m -n --feature psnr -o /dev/full");
    assert!(full.code == 1 && full.stderr.starts_with("could not write file: /dev/full"), "{}", full.stderr);
}

#[test]
fn logs_in_every_format_and_precision() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W4 H4", 24, 1));
    for (format, start) in
        [("", "<VMAF "), ("--json", "{\n"), ("--sub", "{0}{1}frame: 0|"), ("--csv", "Frame,")]
    {
        let words = format!("-r ref.y4m -d ref.y4m -n --feature psnr -o log {format}");
        bench.run(&words).expect(0, "");
        assert!(bench.log().starts_with(start), "{format}");
    }
    bench.run("-r ref.y4m -d ref.y4m -n --feature psnr -o log --csv --precision max").expect(0, "");
    assert!(bench.log().ends_with("0,60,60,60,\n"), "{}", bench.log());
}
