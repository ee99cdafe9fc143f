// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Makes the images of the kernels, a constant each in OUT_DIR/images.rs: machine code for current GPUs where there is
//! an nvcc, and the committed PTX. With the feature `cuda-emulator`, compiles the kernels for the host as well.
//!
//! VMAF_RS_NVCC: `none` leaves nvcc alone; a path is the nvcc to use, and then its warnings and failures are errors.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Compute capabilities that get machine code of their own; others take the PTX. README.md repeats them.
const ARCHITECTURES: [u32; 7] = [75, 80, 86, 89, 90, 100, 120];

/// What a source file says, in a line of its own, if its code is for newer GPUs only: 8.0 and the like. ptx.py reads it
/// too.
const LEAST_CAPABILITY: &str = "// Least compute capability: ";

/// Builds what the features ask for.
pub fn build() {
    println!("cargo:rerun-if-changed=kernels");
    for variable in ["VMAF_RS_NVCC", "CUDA_HOME", "PATH", "VIRTUAL_ENV"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let sources = sources("kernels", "cu");
    write_images(&sources, env::var_os("CARGO_FEATURE_CUDA").is_some());
    #[cfg(feature = "cuda-emulator")]
    emulator::compile(&sources);
}

/// The files in a folder of the repository with this ending, sorted.
fn sources(folder: &str, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut found: Vec<_> = paths.filter(|path| path.extension() == Some(OsStr::new(ending))).collect();
    found.sort();
    found
}

fn stem(source: &Path) -> &str {
    source.file_stem().and_then(OsStr::to_str).expect("a source file's name is plain")
}

fn write_images(sources: &[PathBuf], cuda: bool) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let nvcc = if cuda { Nvcc::find() } else { None };
    let mut images = String::new();
    for source in sources {
        let name = stem(source);
        let (fatbin, ptx) = match cuda {
            true => (fatbin(source, nvcc.as_ref(), &out), aligned(&ptx(source, &out))),
            false => ("None".to_owned(), "&[]".to_owned()),
        };
        writeln!(images, "/// The kernels of `kernels/{name}.cu`.").expect("strings take everything");
        writeln!(
            images,
            "pub const {}: Image = Image {{ name: {name:?}, fatbin: {fatbin}, ptx: {ptx} }};",
            name.to_uppercase()
        )
        .expect("strings take everything");
    }
    fs::write(out.join("images.rs"), images).expect("OUT_DIR is writable");
}

/// An expression for the bytes of a file, aligned for the driver, which reads words.
fn aligned(file: &Path) -> String {
    let bytes = format!("&Aligned(*include_bytes!({file:?}))");
    format!(
        "{{ #[repr(align(64))] struct Aligned<T: ?Sized>(T); const CODE: &Aligned<[u8]> = {bytes}; &CODE.0 }}"
    )
}

/// Machine code of one source file, where there is an nvcc.
fn fatbin(source: &Path, nvcc: Option<&Nvcc>, out: &Path) -> String {
    let fatbin = out.join(stem(source)).with_extension("fatbin");
    match nvcc.is_some_and(|nvcc| nvcc.compile(source, &fatbin)) {
        true => format!("Some({})", aligned(&fatbin)),
        false => "None".to_owned(),
    }
}

/// The committed PTX of one source file, with the NUL that the driver looks for.
fn ptx(source: &Path, out: &Path) -> PathBuf {
    let copy = out.join(stem(source)).with_extension("ptx");
    let mut text = committed_ptx(source);
    text.push(0);
    fs::write(&copy, text).expect("OUT_DIR is writable");
    copy
}

fn committed_ptx(source: &Path) -> Vec<u8> {
    let ptx = Path::new("kernels/ptx").join(stem(source)).with_extension("ptx");
    let missing = |error| {
        // A kernel that is being written can be tested on the host before there is PTX for it.
        let message = format!("{}: {error}; see kernels/README.md", ptx.display());
        if env::var_os("CARGO_FEATURE_CUDA_EMULATOR").is_none() {
            panic!("{message}");
        }
        println!("cargo:warning={message}");
        Vec::new()
    };
    fs::read(&ptx).unwrap_or_else(missing)
}

struct Nvcc {
    program: PathBuf,
    architectures: Vec<u32>,
    /// Named by VMAF_RS_NVCC: it must do its work.
    asked_for: bool,
}

impl Nvcc {
    fn find() -> Option<Self> {
        let asked = env::var_os("VMAF_RS_NVCC").filter(|asked| !asked.is_empty());
        if asked.as_deref() == Some(OsStr::new("none")) {
            return None;
        }
        let asked_for = asked.is_some();
        let program =
            asked.map(PathBuf::from).or_else(nvcc_in_path).or_else(nvcc_in_home).or_else(nvcc_of_python)?;
        let Some(known) = known_architectures(&program) else {
            assert!(!asked_for, "VMAF_RS_NVCC: {} does not run", program.display());
            return None;
        };
        let architectures: Vec<_> =
            ARCHITECTURES.into_iter().filter(|wanted| known.contains(wanted)).collect();
        assert!(
            !asked_for || architectures.len() == ARCHITECTURES.len(),
            "nvcc knows only {architectures:?}"
        );
        Some(Self { program, architectures, asked_for })
    }

    /// Compiles one source file into a fatbin; false where that fails and nobody insisted on it.
    fn compile(&self, source: &Path, fatbin: &Path) -> bool {
        let mut command = Command::new(&self.program);
        command.args(["-fatbin", "-std=c++17", "-O3", "--fmad=false", "--prec-div=true", "--prec-sqrt=true"]);
        // Architectures at the same time: the larger kernels take half a minute each.
        command.args(["--threads", "0"]);
        command.arg("--ftz=false").arg("-o").arg(fatbin).arg(source);
        let least = least_capability(source);
        for architecture in self.architectures.iter().filter(|architecture| **architecture >= least) {
            command.arg(format!("-gencode=arch=compute_{architecture},code=sm_{architecture}"));
        }
        if self.asked_for {
            command.args(["-Werror", "all-warnings"]);
        }
        let output = command.output().unwrap_or_else(|error| panic!("{}: {error}", self.program.display()));
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() || !self.asked_for, "nvcc, {}: {message}", source.display());
        if !output.status.success() {
            println!(
                "cargo:warning=nvcc failed, the committed PTX is used: {}",
                message.lines().next().unwrap_or("")
            );
        }
        output.status.success()
    }
}

/// The least compute capability that a source file's code runs on, 75 for 7.5.
fn least_capability(source: &Path) -> u32 {
    let text = fs::read_to_string(source).expect("a readable source file");
    let stated = text.lines().find_map(|line| line.strip_prefix(LEAST_CAPABILITY));
    stated.map_or(ARCHITECTURES[0], |capability| {
        capability.replace('.', "").parse().expect("a compute capability such as 8.0")
    })
}

fn nvcc_in_path() -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join("nvcc"))
        .find(|program| program.is_file())
}

fn nvcc_in_home() -> Option<PathBuf> {
    Some(PathBuf::from(env::var_os("CUDA_HOME")?).join("bin/nvcc")).filter(|program| program.is_file())
}

/// The package nvidia-cuda-nvcc of the active Python environment, if there is one.
fn nvcc_of_python() -> Option<PathBuf> {
    let ask = "import sysconfig; print(sysconfig.get_paths()['purelib'])";
    let output =
        Command::new("python3").args(["-c", ask]).output().ok().filter(|output| output.status.success())?;
    let packages = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end()).join("nvidia");
    let toolkits = fs::read_dir(packages).ok()?.flatten();
    toolkits.map(|toolkit| toolkit.path().join("bin/nvcc")).filter(|program| program.is_file()).max()
}

/// The architectures for which this nvcc makes machine code; nothing if it does not run.
fn known_architectures(nvcc: &Path) -> Option<Vec<u32>> {
    let output =
        Command::new(nvcc).arg("--list-gpu-code").output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.lines().filter_map(|line| line.strip_prefix("sm_")?.parse().ok()).collect())
}

#[cfg(feature = "cuda-emulator")]
mod emulator {
    use std::path::PathBuf;

    /// Compiles the kernels and what they run on. Kernels register themselves before `main`, and nothing names them,
    /// so that the linker must be told to keep all.
    pub fn compile(kernels: &[PathBuf]) {
        println!("cargo:rerun-if-env-changed=VMAF_RS_EMULATOR_SANITIZE");
        let sanitize = std::env::var("VMAF_RS_EMULATOR_SANITIZE").unwrap_or_default();
        let mut build = cc::Build::new();
        build
            .cpp(true)
            .std("c++17")
            .opt_level(2)
            .define("VMAF_EMULATOR", None)
            .link_lib_modifier("+whole-archive");
        build
            .flag("-ffp-contract=off")
            .flag("-fno-strict-aliasing")
            .flag_if_supported("-Wno-unknown-pragmas")
            // Else the compiler says that it gives up on it for the largest kernels.
            .flag_if_supported("-fno-var-tracking-assignments");
        // The compiler must be told that .cu files are C++; the option holds for the files after it.
        build.flag("-xc++");
        sanitizers(&mut build, &sanitize);
        let mut runtime = build.clone();
        runtime.files(super::sources("kernels/emulator", "cpp")).compile("vmaf_emulator");
        if sanitize == "races" {
            // Every load and store calls a function, which kernels/emulator/races.cpp has.
            build.flag("-fsanitize=thread");
        }
        build.files(kernels).files(super::sources("kernels/emulator", "cu")).compile("vmaf_emulated_kernels");
    }

    /// VMAF_RS_EMULATOR_SANITIZE: what to look for, `races` or some of `address,undefined`.
    fn sanitizers(build: &mut cc::Build, names: &str) {
        if names == "races" {
            build.define("EMULATOR_RACES", "1");
        } else if !names.is_empty() {
            build
                .flag(format!("-fsanitize={names}"))
                .flag("-fno-sanitize-recover=all")
                .flag("-fno-omit-frame-pointer");
            // rustc tells the linker which libraries to take, so that the flag alone would bring none.
            for name in names.split(',') {
                println!("cargo:rustc-link-lib={}", if name == "address" { "asan" } else { "ubsan" });
            }
        }
    }
}
