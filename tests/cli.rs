// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The `vmaf` program from outside: texts, exit codes, logs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

mod support;

use support::fixtures::{Fixture, Side};
use tempfile::TempDir;
use vmaf_rs::feature::provider;
use vmaf_rs::model::{Flags, Model, VERSIONS};

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
        self.run_with(words, &[])
    }

    /// With some variables of the environment.
    fn run_with(&self, words: &str, variables: &[(&str, &str)]) -> Ran {
        let output = command(words, self.folder.path()).envs(variables.iter().copied()).output().unwrap();
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
    command(words, folder).output().unwrap()
}

fn command(words: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vmaf"));
    command.args(words.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    command
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
fn extractors_that_look_back_leave_pictures_enough() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W96 H96", 96 * 96 * 3 / 2, 7));
    let features =
        "--feature speed_temporal --feature motion=motion_five_frame_window=true --feature float_motion";
    for threads in [0, 1, 2] {
        let ran = bench.run(&format!("-n {features} --threads {threads} -r ref.y4m -d ref.y4m -o log"));
        assert_eq!(ran.code, 0, "{threads} threads: {}", ran.stderr);
    }
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
    let cuda = bench.run_with(&format!("{inputs} -n --backend cuda"), &[("VMAF_RS_GPU", "none")]);
    cuda.expect(100, "--backend cuda: this build has no GPU by the name of \"none\"\n");
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

/// cambi by itself, and every model with it.
fn requests_of_cambi() -> Vec<String> {
    let models = VERSIONS.iter().filter_map(|version| Model::built_in(version, version, Flags::empty()).ok());
    let with_cambi = |model: &Model| {
        let mut features = model.features.iter().map(|feature| provider(&feature.name).unwrap());
        features.any(|definition| definition.name == "cambi")
    };
    let of_models = models.filter(with_cambi).map(|model| format!("-m version={}", model.name));
    std::iter::once("-n --feature cambi".to_owned()).chain(of_models).collect()
}

#[test]
fn videos_too_small_for_cambi() {
    let bench = Bench::new();
    bench.file("ref.y4m", &y4m("W176 H144", 176 * 144 * 3 / 2, 2));
    for request in requests_of_cambi() {
        for threads in [0, 2] {
            let ran = bench.run(&format!("-r ref.y4m -d ref.y4m {request} -o log --threads {threads}"));
            assert_ne!(ran.code, 0, "{request}: {}", ran.stderr);
            let lines: Vec<_> = ran.stderr.lines().filter(|line| line.contains("at least 216")).collect();
            assert!(lines.len() == 1 && lines[0].contains("\"cambi\""), "{request}: {}", ran.stderr);
        }
    }
}

#[test]
fn samples_that_cambi_refuses() {
    let bench = Bench::new();
    let mut stream = b"YUV4MPEG2 W256 H224 F25:1 Ip C420p10\nFRAME\n".to_vec();
    stream.extend([0, 4].repeat(256 * 224 * 3 / 2));
    bench.file("ref.y4m", &stream);
    for threads in [0, 2] {
        let ran = bench.run(&format!("-r ref.y4m -d ref.y4m -n --feature cambi -o log --threads {threads}"));
        assert_ne!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stderr.contains("cambi: a sample of 1024 is above 1023, the highest of 10 bits"));
    }
}

/// A fixture's videos as ref.y4m and dist.y4m.
fn fixture_files(bench: &Bench, fixture: &str, header: &str) {
    let fixture: Fixture = fixture.parse().unwrap();
    for (name, side) in [("ref.y4m", Side::Reference), ("dist.y4m", Side::Distorted)] {
        let mut stream = format!("YUV4MPEG2 {header} F25:1 Ip\n").into_bytes();
        for frame in 0..fixture.frames {
            stream.extend_from_slice(b"FRAME\n");
            stream.extend(fixture.frame_bytes(frame, side));
        }
        bench.file(name, &stream);
    }
}

#[test]
fn presets_with_cambi() {
    let bench = Bench::new();
    fixture_files(&bench, "banding 640 360 8 420 1", "W640 H360");
    let presets = [
        "--aom_ctc v3.0",
        "--aom_ctc v4.0",
        "--aom_ctc v5.0",
        "--aom_ctc v6.0",
        "--aom_ctc v7.0",
        "--nflx_ctc v1.0",
    ];
    bench.run("-r ref.y4m -d dist.y4m -n --feature cambi --csv -o log --precision max").expect(0, "");
    let cambi = bench.log().lines().nth(1).unwrap().split(',').nth(1).unwrap().to_owned();
    let mut headings = Vec::new();
    for preset in presets {
        for threads in [0, 2] {
            let words =
                format!("-r ref.y4m -d dist.y4m {preset} --csv -o log --precision max --threads {threads}");
            assert_eq!(bench.run(&words).code, 0, "{preset}");
            let log = bench.log();
            let row = |index: usize| log.lines().nth(index).unwrap().split(',').collect::<Vec<_>>();
            let column = |name: &str| row(0).iter().position(|&heading| heading == name);
            assert_eq!(row(1)[column("cambi").expect(preset)], cambi, "{preset}");
            for name in ["vmaf", "vmaf_neg", "float_ssim", "psnr_y", "psnr_cb"] {
                assert!(row(1)[column(name).expect(name)].parse::<f64>().unwrap() > 0.0, "{preset} {name}");
            }
            let is_aom = preset.contains("aom");
            for name in ["ciede2000", "psnr_hvs", "float_ms_ssim"] {
                assert_eq!(column(name).is_some(), is_aom, "{preset} {name}");
            }
            let mut names: Vec<String> = row(0).into_iter().map(str::to_owned).collect();
            names.sort();
            headings.push(names);
        }
    }
    // From v3.0 on the columns stay what they are; only how float_ssim is measured changes.
    assert!(headings[..10].windows(2).all(|pair| pair[0] == pair[1]));
}

/// v6.0 and later take inputs of different depths: the shallower one is brought to the other's.
#[test]
fn presets_with_different_depths() {
    let bench = Bench::new();
    fixture_files(&bench, "banding 256 224 10 420 1", "W256 H224 C420p10");
    let deep = fs::read(bench.path("ref.y4m")).unwrap();
    fixture_files(&bench, "banding 256 224 8 420 1", "W256 H224");
    bench.file("ref.y4m", &deep);
    let run = |version: &str| bench.run(&format!("-r ref.y4m -d dist.y4m --aom_ctc {version} --csv -o log"));
    assert_eq!(run("v5.0").code, 255);
    for version in ["v6.0", "v7.0"] {
        let ran = run(version);
        assert_eq!(ran.code, 0, "{version}: {}", ran.stderr);
        assert!(bench.log().lines().next().unwrap().contains(",cambi,"));
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
