// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What the libraries and headers show to the outside, and that all of it is behind the boundary of src/capi/.
#![cfg(target_os = "linux")]

#[path = "support/native.rs"]
mod native;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use native::{compiler, exports, root, run, shared_library, static_library};

/// The names that nm lists, each with its kind.
fn symbols(arguments: &[&str], library: &Path) -> Vec<(String, String)> {
    let output = run(Command::new("nm").args(arguments).arg(library)).expect("a list of symbols");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let symbol = |line: &str| {
        let mut words = line.split_whitespace().rev().map(str::to_owned);
        words.next().zip(words.next()).filter(|(_, kind)| kind.len() == 1)
    };
    let mut symbols: Vec<_> = text.lines().filter_map(symbol).collect();
    symbols.sort();
    symbols
}

fn as_text(names: Vec<String>) -> Vec<(String, String)> {
    names.into_iter().map(|name| (name, "T".to_owned())).collect()
}

#[test]
fn the_shared_library_exports_the_interface_and_nothing_else() {
    assert_eq!(exports().len(), 34);
    assert_eq!(symbols(&["-D", "--defined-only"], &shared_library()), as_text(exports()));
}

#[test]
fn the_static_library_has_the_interface() {
    let all = symbols(&["--defined-only", "--extern-only"], &static_library());
    let ours: Vec<_> = all.into_iter().filter(|(name, _)| name.starts_with("vmaf_")).collect();
    assert_eq!(ours, as_text(exports()));
}

fn rust_sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let below = folders.iter().flat_map(|folder| rust_sources(folder));
    files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs")).chain(below).collect()
}

/// Functions without the boundary's body, and why they may be.
const BARE: [(&str, &str); 1] = [("vmaf_version", "returns a constant")];

const EXTERN_C: &str = "extern \"C\"";

/// Name and body of every function for C in a source text.
fn functions_for_c(source: &str) -> Vec<(String, String)> {
    let after = |piece: &str| {
        let name = piece.trim_start().strip_prefix("fn ").expect("only functions are for C");
        let (name, rest) = name.split_once('(').expect("arguments");
        let (_, body) = rest.split_once("{\n").expect("a body");
        (name.to_owned(), body.split("\n}\n").next().unwrap_or_default().trim_start().to_owned())
    };
    source.split(EXTERN_C).skip(1).map(after).collect()
}

#[test]
fn every_function_for_c_is_behind_the_boundary() {
    let mut found = Vec::new();
    for path in rust_sources(&root().join("src/capi")) {
        let source = fs::read_to_string(&path).expect("a source file");
        let unmangled = source.matches("#[unsafe(no_mangle)]\npub ").count();
        assert_eq!(unmangled, source.matches(EXTERN_C).count(), "{}", path.display());
        for (name, body) in functions_for_c(&source) {
            let guarded = body.starts_with(&format!("export!({name}, {{"))
                && body.trim_end_matches(';').ends_with("})");
            let bare = BARE.iter().any(|(bare, _)| *bare == name);
            assert!(guarded != bare, "{}: the body of {name} is not export!({name}, ..)", path.display());
            found.push(name);
        }
    }
    found.sort();
    assert_eq!(found, exports());
}

#[test]
fn only_the_boundary_is_for_c() {
    for path in rust_sources(&root().join("src")) {
        let source = fs::read_to_string(&path).expect("a source file");
        let boundary = path.starts_with(root().join("src/capi"));
        // The emulator is written in C++.
        let emulator = path.ends_with("src/gpu/emulator/kernel.rs");
        for word in [EXTERN_C, "no_mangle", "export_name"] {
            let allowed = boundary || (emulator && word == EXTERN_C);
            assert!(allowed || !source.contains(word), "{} has {word}", path.display());
        }
    }
}

fn headers() -> Vec<String> {
    let entries = fs::read_dir(root().join("include/libvmaf")).expect("the headers");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    names.sort();
    names
}

/// Compiles a source text with warnings as errors, without linking.
fn check_source(language: &str, folder: &Path, source: &str, includes: &[&str]) {
    let (mut compiler, end, standard) = match language {
        "C" => (compiler("CC", "cc"), "c", "-std=c99"),
        _ => (compiler("CXX", "c++"), "cc", "-std=c++17"),
    };
    let file = folder.join("source").with_extension(end);
    fs::write(&file, source).expect("a source file");
    compiler.args([standard, "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]).arg(&file);
    for include in includes {
        compiler.arg("-I").arg(root().join(include));
    }
    run(&mut compiler).unwrap_or_else(|text| panic!("{language}, {includes:?}\n{source}\n{text}"));
}

#[test]
fn each_header_compiles_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let names = headers();
    assert_eq!(names.len(), 6);
    for name in &names {
        for language in ["C", "C++"] {
            // Twice, as programs do by way of other headers; and something, as no source may be empty.
            let by_folder =
                format!("#include <libvmaf/{name}>\n#include <libvmaf/{name}>\nextern int used;\n");
            let by_name = format!("#include <{name}>\n#include <{name}>\nextern int used;\n");
            check_source(language, folder.path(), &by_folder, &["include"]);
            check_source(language, folder.path(), &by_folder, &["include", "include/libvmaf"]);
            check_source(language, folder.path(), &by_name, &["include", "include/libvmaf"]);
        }
    }
}

/// The functions have C's names for C++ too.
#[test]
fn a_program_in_cpp_links() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, program) = (folder.path().join("program.cc"), folder.path().join("program"));
    let uses = exports().into_iter().filter(|name| !name.contains("cuda"));
    let uses: String = uses.map(|name| format!("    reinterpret_cast<void *>({name}),\n")).collect();
    let text = format!(
        "#include <libvmaf.h>\nvoid *const functions[] = {{\n{uses}}};\nint main() {{ return !functions[0]; }}\n"
    );
    fs::write(&source, text).expect("a source file");
    let mut cxx = compiler("CXX", "c++");
    cxx.args(["-std=c++17", "-Wall", "-Wextra", "-Werror"]).arg(&source).arg("-o").arg(&program);
    cxx.arg("-I").arg(root().join("include")).arg("-I").arg(root().join("include/libvmaf"));
    cxx.arg(static_library()).args(native::STATIC_NEEDS.split(' '));
    run(&mut cxx).and_then(|_| run(&mut Command::new(&program))).unwrap();
}
