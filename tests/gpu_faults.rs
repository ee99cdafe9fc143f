// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Devices that fail: every kind of call, at every place where a stream of frames makes one. An error must come back,
//! never a score, and nothing may stay behind. One test program: it counts what exists in the whole process.
#![cfg(feature = "cuda-emulator")]

mod support;

use std::sync::Arc;

use support::fixtures::{Fixture, Kind as Content};
use support::scoring::Sequence;
use vmaf_rs::context::{Configuration, Context};
use vmaf_rs::error::{Error, Result};
use vmaf_rs::feature::{self, Dictionary};
use vmaf_rs::gpu::emulator::fault::Fault;
use vmaf_rs::gpu::emulator::{Emulator, Live, Settings, live};
use vmaf_rs::gpu::{Device, State};
use vmaf_rs::picture::{Picture, PixelFormat};

const CALLS: [&str; 10] =
    ["allocate", "pinned", "stream", "event", "load", "function", "launch", "kernel", "copy", "synchronize"];

/// More than a stream of frames makes of any of them.
const MOST_CALLS: u64 = 200;

fn sequence() -> Sequence {
    let (width, height) = (40, 24);
    Sequence::new(&Fixture {
        kind: Content::Noise,
        width,
        height,
        bpc: 10,
        format: PixelFormat::Yuv420,
        frames: 8,
    })
}

fn twins() -> Vec<String> {
    let has_twin = |name: &&str| feature::by_name(name).unwrap().definition.twin.is_some();
    feature::names_of_all().filter(has_twin).map(|name| format!("{name}_cuda")).collect()
}

/// All scores of the first key of each twin.
type Scores = Vec<f64>;

/// Twins, and an extractor that has none.
fn registered(device: &Device, n_threads: u32) -> Result<Context> {
    let mut context = Context::new(Configuration { n_threads, ..Configuration::default() })?;
    context.import_device(|| Ok(device.clone()))?;
    twins().iter().try_for_each(|name| context.use_feature(name, &Dictionary::new()))?;
    context.use_feature("float_ansnr", &Dictionary::new())?;
    Ok(context)
}

fn read(context: &mut Context, pair: &[Picture; 2], on_device: bool, index: u32) -> Result<()> {
    let [reference, distorted] = match on_device {
        true => [context.fetch_cuda_picture()?, context.fetch_cuda_picture()?],
        false => pair.clone(),
    };
    context.read_pictures(reference, distorted, index)
}

/// Goes on after an error, as callers may; the first one is the outcome.
fn score(sequence: &Sequence, device: Result<Device>, on_device: bool, n_threads: u32) -> Result<Scores> {
    let mut context = registered(&device?, n_threads)?;
    context.preallocate_cuda_pictures(sequence.pairs()[0][0].format(), on_device)?;
    let mut outcome = Ok(());
    for (index, pair) in (0..).zip(sequence.pairs()) {
        outcome = outcome.and(read(&mut context, pair, on_device, index));
    }
    outcome.and(context.flush())?;
    let frames = sequence.pairs().len() as u32;
    (0..frames).map(|index| context.feature_score_at_index("psnr_y", index)).collect()
}

fn emulator(fault: Option<&str>) -> Result<Device> {
    let fault = fault.map(Fault::parse).transpose()?;
    Ok(Device::new(Emulator::with(Settings { seed: 1, fault })?))
}

/// Each call fails once, then each fails from the first on.
#[test]
fn no_failure_becomes_a_score_and_nothing_stays() {
    let sequence = sequence();
    let before = live();
    for (on_device, n_threads) in [(false, 0), (true, 0), (false, 2)] {
        let expected = score(&sequence, emulator(None), on_device, n_threads).unwrap();
        assert_eq!(live(), before);
        for call in CALLS {
            let always = score(&sequence, emulator(Some(call)), on_device, n_threads);
            assert!(always.is_err(), "{call} always fails, yet there are scores");
            assert_eq!(live(), before, "{call}");
            let mut number = 1;
            loop {
                let fault = format!("{call}:{number}");
                let got = score(&sequence, emulator(Some(&fault)), on_device, n_threads);
                assert_eq!(live(), before, "{fault}");
                match got {
                    Ok(scores) => assert_eq!(scores, expected, "{fault}, pictures on a device: {on_device}"),
                    Err(Error::Internal(text)) => panic!("{fault}: {text}"),
                    Err(_) => {}
                }
                // Far places are like near ones: go on in longer and longer steps.
                number += 1 + number / 4;
                if number > MOST_CALLS {
                    break;
                }
            }
        }
    }
    cycles(&sequence, before);
    states(&sequence, before);
}

/// Contexts come and go, and the device's memory is back where it was.
fn cycles(sequence: &Sequence, before: Live) {
    for _ in 0..100 {
        score(sequence, emulator(None), true, 0).unwrap();
        assert_eq!(live(), before);
    }
}

/// A device that the caller opened: given to two contexts, freed before or after them, never given.
fn states(sequence: &Sequence, before: Live) {
    let expected = score(sequence, emulator(None), false, 0).unwrap();
    let state = Arc::new(State::new(None).unwrap());
    for _ in 0..2 {
        assert_eq!(score(sequence, state.give(), false, 0).unwrap(), expected);
    }
    assert_eq!(live(), before, "a state that was given away owns nothing");
    let side_by_side = [(); 4].map(|()| {
        let (state, expected) = (state.clone(), expected.clone());
        std::thread::spawn(move || {
            assert_eq!(score(&self::sequence(), state.give(), false, 0).unwrap(), expected)
        })
    });
    side_by_side.into_iter().for_each(|thread| thread.join().unwrap());
    drop(state);
    drop(State::new(None).unwrap());
    assert_eq!(live(), before);
}
