// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The C programs of capi-tests/, each linked with the shared and with the static library, and run.
//!
//! `VMAF_RS_VALGRIND=1 cargo test --test capi` runs them under valgrind, doing less.
#![cfg(target_os = "linux")]

#[path = "support/native.rs"]
mod native;

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use native::{compiler, library_folder, root, run, shared_library, static_library};

/// How the programs get the library.
#[derive(Clone, Copy, Debug)]
enum Linkage {
    Shared,
    Static,
}

impl Linkage {
    /// Arguments for the linker; `folder` holds the shared library under the names it is looked up by.
    fn arguments(self, folder: &Path) -> Vec<String> {
        let folder = folder.display();
        match self {
            Self::Shared => vec![
                format!("-L{folder}"),
                format!("-Wl,-rpath,{folder}"),
                "-lvmaf_rs".into(),
                "-lm".into(),
                "-ldl".into(),
            ],
            Self::Static => {
                let needs = native::STATIC_NEEDS.split(' ').map(str::to_owned);
                [static_library().display().to_string()].into_iter().chain(needs).collect()
            }
        }
    }
}

/// What all programs of a run share.
struct Workshop {
    linkage: Linkage,
    folder: tempfile::TempDir,
    valgrind: bool,
}

impl Workshop {
    fn new(linkage: Linkage) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["libvmaf_rs.so", "libvmaf_rs.so.3"] {
            symlink(shared_library(), folder.path().join(name)).expect("a link");
        }
        compile_locale(folder.path());
        let valgrind = env::var_os("VMAF_RS_VALGRIND").is_some_and(|value| value != "0");
        Self { linkage, folder, valgrind }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn build(&self, source: &Path, program: &Path) -> Result<(), String> {
        let mut cc = compiler("CC", "cc");
        cc.args([
            "-std=c11",
            "-D_GNU_SOURCE",
            "-Wall",
            "-Wextra",
            "-pedantic",
            "-Werror",
            "-O1",
            "-g",
            "-pthread",
        ]);
        cc.arg("-I").arg(root().join("include")).arg(source).arg("-o").arg(program);
        run(cc.args(self.linkage.arguments(self.path()))).map(drop)
    }

    /// Each program has a folder of its own to write to, and an end should it wait for ever.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("timeout");
        command.arg("--kill-after=5");
        if self.valgrind {
            let known = root().join("capi-tests/valgrind.supp");
            command.args(["1800", "valgrind", "-q", "--error-exitcode=99", "--leak-check=full"]);
            command
                .args(["--errors-for-leak-kinds=definite,possible", "--show-leak-kinds=definite,possible"]);
            command.arg(format!("--suppressions={}", known.display())).arg(program).arg("quick");
        } else {
            command.arg("300").arg(program).arg(if cfg!(debug_assertions) { "500" } else { "5000" });
        }
        // Cargo's folders would go before the program's own.
        command.env_remove("LD_LIBRARY_PATH");
        if self.path().join("locales/de_DE.UTF-8").exists() {
            command.env("LOCPATH", self.path().join("locales"));
        }
        command.current_dir(program.parent().expect("a folder"));
        command
    }

    fn build_and_run(&self, source: &Path) -> Result<(), String> {
        let folder = self.path().join(source.file_stem().expect("a name"));
        fs::create_dir(&folder).map_err(|error| error.to_string())?;
        let program = folder.join("program");
        self.build(source, &program)?;
        let output = run(&mut self.command(&program))?;
        print!("{}", String::from_utf8_lossy(&output.stdout));
        Ok(())
    }
}

/// Makes the German locale from the system's sources, so that a machine without it tests it too. Where that fails
/// the program itself decides what a missing locale means.
fn compile_locale(folder: &Path) {
    let locales = folder.join("locales");
    fs::create_dir(&locales).expect("a folder");
    let locale = locales.join("de_DE.UTF-8");
    let _ = run(Command::new("localedef").args(["-i", "de_DE", "-f", "UTF-8"]).arg(locale));
}

fn programs() -> Vec<PathBuf> {
    let folder = fs::read_dir(root().join("capi-tests")).expect("the C programs");
    let paths = folder.map(|entry| entry.expect("an entry").path());
    let mut programs: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "c")).collect();
    programs.sort();
    programs
}

/// Builds and runs every program, as many at a time as there are cores.
fn all_programs(linkage: Linkage) {
    let workshop = Workshop::new(linkage);
    let (waiting, failures) = (Mutex::new(programs()), Mutex::new(Vec::new()));
    assert!(waiting.lock().unwrap().len() >= 12, "programs are missing");
    let work = || {
        loop {
            let Some(program) = waiting.lock().unwrap().pop() else { break };
            if let Err(text) = workshop.build_and_run(&program) {
                failures.lock().unwrap().push(format!("{} ({linkage:?}): {text}", program.display()));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} programs failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn programs_with_the_shared_library() {
    all_programs(Linkage::Shared);
}

#[test]
fn programs_with_the_static_library() {
    all_programs(Linkage::Static);
}

/// A static library that holds nothing but this crate needs what this crate's own does.
#[test]
fn a_static_link_needs_the_listed_libraries() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("all.rs");
    fs::write(&source, "extern crate vmaf_rs;").expect("a source file");
    let rlib = library_folder().join("libvmaf_rs.rlib");
    let mut rustc = compiler("RUSTC", "rustc");
    rustc.args(["--edition=2024", "--crate-type=staticlib", "--print=native-static-libs"]);
    rustc.arg("--extern").arg(format!("vmaf_rs={}", rlib.display()));
    rustc.arg("-L").arg(format!("dependency={}", library_folder().display()));
    let output =
        run(rustc.arg(&source).arg("-o").arg(folder.path().join("all.a"))).expect("a static library");
    let text = String::from_utf8_lossy(&output.stderr);
    let needs = text.lines().find_map(|line| line.split("native-static-libs: ").nth(1));
    assert_eq!(needs.map(str::trim), Some(native::STATIC_NEEDS), "{text}");
    let makefile = fs::read_to_string(root().join("Makefile")).expect("a makefile");
    assert!(makefile.contains(&format!("\nPRIVATE = {}\n", native::STATIC_NEEDS)), "the makefile differs");
}
