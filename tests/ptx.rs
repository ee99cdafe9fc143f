// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The committed PTX is that of the committed kernels.

use std::fs;
use std::path::{Path, PathBuf};

const RENEW: &str = "renew kernels/ptx with .ci/ptx, see kernels/README.md";

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new("kernels").join(folder)).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut files: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|found| found == ending)).collect();
    files.sort();
    files
}

/// The headers in the folders of kernels/.
fn headers() -> Vec<PathBuf> {
    let folders = fs::read_dir("kernels").expect("the folder is there").flatten();
    let folders = folders.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name());
    let mut headers: Vec<_> =
        folders.flat_map(|folder| files(folder.to_str().expect("a plain name"), "cuh")).collect();
    headers.sort();
    headers
}

/// The target that a source file's PTX is for: it says so if it needs more than the oldest GPUs have.
fn target(source: &Path) -> String {
    let text = fs::read_to_string(source).expect("a readable file");
    let stated = text.lines().find_map(|line| line.strip_prefix("// Least compute capability: "));
    format!(".target sm_{}", stated.unwrap_or("7.5").replace('.', ""))
}

fn checksum(file: &Path) -> String {
    let bytes = fs::read(file).expect("a readable file");
    let name = file.strip_prefix("kernels").expect("files lie in kernels/").display();
    format!("{:08x} {name}", crc32fast::hash(&bytes))
}

#[test]
fn sources_are_those_of_the_ptx() {
    let script = PathBuf::from("kernels/ptx.py");
    let sources = [files("", "cu"), headers(), vec![script]].concat();
    let now: Vec<_> = sources.iter().map(|file| checksum(file)).collect();
    let then = fs::read_to_string("kernels/ptx/SOURCES").expect("kernels/ptx/SOURCES is there");
    assert_eq!(now, then.lines().collect::<Vec<_>>(), "{RENEW}");
}

#[test]
fn every_kernel_source_has_ptx_for_old_drivers() {
    for source in files("", "cu") {
        let ptx = Path::new("kernels/ptx").join(source.file_name().expect("a name")).with_extension("ptx");
        let text =
            fs::read_to_string(&ptx).unwrap_or_else(|error| panic!("{}: {error}; {RENEW}", ptx.display()));
        let has = |line: &str| text.lines().any(|found| found == line);
        // What a compiler knows by name only would fail where the driver loads it.
        assert!(!text.contains(".extern .func"), "{}: calls what it does not hold", ptx.display());
        assert!(has(".version 8.0") && has(&target(&source)), "{}: {RENEW}", ptx.display());
    }
}
