// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Any bytes as a model file, and as the LIBSVM text within one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vmaf_rs::model::svm::Machine;
use vmaf_rs::model::{AnyModel, Flags, MOST_FEATURES, Model};

fn check(model: &Model) {
    assert!((1..=MOST_FEATURES).contains(&model.features.len()));
    let _score = model.predict(&vec![0.5; model.features.len()]);
}

fuzz_target!(|data: &[u8]| {
    match AnyModel::parse(data, "x", Flags::ENABLE_TRANSFORM) {
        Ok(AnyModel::Model(model)) => check(&model),
        Ok(AnyModel::Collection(collection)) => {
            check(collection.lead());
            collection.members().iter().for_each(|member| check(member));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(machine) = Machine::parse(&String::from_utf8_lossy(data), 3) {
        let _score = machine.decide(&[0.1, 0.2, 0.3]);
    }
});
