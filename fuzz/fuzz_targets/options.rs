// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Lines of text as the words of a command line, and each as a model's and a feature's text.
#![no_main]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use libfuzzer_sys::fuzz_target;
use vmaf_rs::cli::args::{Command, MOST_REQUESTS, parse};
use vmaf_rs::cli::request::{FeatureRequest, ModelRequest};

fuzz_target!(|data: &[u8]| {
    let words = data.split(|&byte| byte == b'\n').map(|word| OsString::from_vec(word.to_vec()));
    if let Ok(Command::Run(arguments)) = parse(words, |_| ()) {
        assert!(arguments.models.len() <= MOST_REQUESTS && arguments.features.len() <= MOST_REQUESTS);
        assert!(arguments.raw.is_none_or(|format| format.width > 0 && format.height > 0));
    }
    for text in String::from_utf8_lossy(data).lines() {
        if let Ok(model) = ModelRequest::parse(text) {
            assert!(model.overloads.len() <= ModelRequest::MOST_OVERLOADS);
        }
        let _ = FeatureRequest::parse(text);
    }
});
