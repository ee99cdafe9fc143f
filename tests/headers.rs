// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The public headers: each is made from one file of src/capi/, committed, and must be up to date.
//!
//! `UPDATE_HEADERS=1 cargo test --test headers` writes them anew.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// A header, the file it is made from, and what it includes.
struct Header {
    name: &'static str,
    guard: &'static str,
    system: &'static [&'static str],
    own: &'static [&'static str],
}

const HEADERS: &[Header] = &[
    Header { name: "version", guard: "VMAF_VERSION_H", system: &[], own: &[] },
    Header { name: "feature", guard: "__VMAF_FEATURE_H__", system: &[], own: &[] },
    Header { name: "picture", guard: "__VMAF_PICTURE_H__", system: &["stddef.h", "stdint.h"], own: &[] },
    Header { name: "model", guard: "__VMAF_MODEL_H__", system: &["stdint.h"], own: &["feature.h"] },
    Header {
        name: "libvmaf",
        guard: "__VMAF_H__",
        system: &["stdint.h", "stdio.h"],
        own: &["libvmaf/model.h", "libvmaf/picture.h", "libvmaf/feature.h"],
    },
    Header { name: "libvmaf_cuda", guard: "__VMAF_CUDA_H__", system: &[], own: &["libvmaf/libvmaf.h"] },
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn path(header: &Header) -> PathBuf {
    root().join("include/libvmaf").join(header.name).with_extension("h")
}

fn generate(header: &Header) -> String {
    let config = cbindgen::Config::from_file(root().join("include/cbindgen.toml")).expect("a configuration");
    let source = root().join("src/capi").join(header.name).with_extension("rs");
    let mut builder = cbindgen::Builder::new().with_config(config).with_src(&source);
    builder = builder.with_include_guard(header.guard);
    for name in header.system {
        builder = builder.with_sys_include(name);
    }
    for name in header.own {
        builder = builder.with_include(name);
    }
    for name in types(&fs::read_to_string(&source).expect("a source file")) {
        builder = builder.include_item(name);
    }
    let mut text = Vec::new();
    builder.generate().expect("a header").write(&mut text);
    String::from_utf8(text).expect("UTF-8")
}

/// All types of a file: functions take enums as plain numbers, and other headers' structures.
fn types(source: &str) -> Vec<String> {
    let lines = source.lines().filter_map(|line| line.strip_suffix(" {"));
    let names = lines.filter_map(|line| line.strip_prefix("pub enum ").or(line.strip_prefix("pub struct ")));
    names.map(str::to_owned).collect()
}

#[test]
fn headers_are_up_to_date() {
    for header in HEADERS {
        let (path, expected) = (path(header), generate(header));
        if env::var_os("UPDATE_HEADERS").is_some() {
            fs::write(&path, &expected).expect("a header that can be written");
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == expected,
            "{} is out of date: UPDATE_HEADERS=1 cargo test --test headers",
            path.display()
        );
    }
}
