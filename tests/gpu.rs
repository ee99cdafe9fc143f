// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Every twin against its CPU extractor, bit for bit: all keys, all options, all depths and formats, host and device
//! pictures, and what must happen when a device fails.
//!
//! Runs on the emulator, or with `VMAF_RS_GPU=driver` on a GPU.
#![cfg(feature = "cuda-emulator")]

mod support;

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use support::fixtures::{Fixture, Kind as Content};
use support::golden;
use support::gpu::{Given, Options, dictionary, everything, feed};
use support::scoring::Sequence;
use vmaf_rs::context::{Configuration, Context};
use vmaf_rs::error::Result;
use vmaf_rs::feature::{self, Kind, OptionSpec};
use vmaf_rs::gpu::emulator::fault::Fault;
use vmaf_rs::gpu::emulator::{Emulator, Settings};
use vmaf_rs::gpu::{Device, Preference};
use vmaf_rs::picture::{Format, PixelFormat};

fn context(n_threads: u32, features: &[(&str, &Options)]) -> Result<Context> {
    let configuration = Configuration { log_level: 1, n_threads, ..Configuration::default() };
    let mut context = Context::new(configuration)?;
    context.prefer(Preference::ByName);
    features.iter().try_for_each(|(name, options)| context.use_feature(name, &dictionary(options)))?;
    Ok(context)
}

fn scores(sequence: &Sequence, name: &str, options: &Options, threads: u32, given: Given) -> Result<String> {
    let mut context = context(threads, &[(name, options)])?;
    feed(&mut context, sequence, given)?;
    Ok(everything(&context))
}

/// The twin's scores must be the CPU's, or both must refuse.
fn check(sequence: &Sequence, what: &str, name: &str, options: &Options) -> Option<String> {
    let cpu = scores(sequence, name, options, 0, Given::Host).ok();
    let ways = [(0, Given::Device), (0, Given::Host), (2, Given::Host)];
    // Large pictures take the emulator long, and show nothing of the ways that small ones do not.
    let Format { width, height, .. } = sequence.pairs()[0][0].format();
    let ways = if width * height > 1 << 20 { &ways[..1] } else { &ways[..] };
    for &(threads, given) in ways {
        let twin = scores(sequence, &format!("{name}_cuda"), options, threads, given).ok();
        assert_eq!(twin, cpu, "{name}_cuda {options:?}, {what}, {threads} threads, pictures on {given:?}");
    }
    cpu
}

fn twins() -> impl Iterator<Item = (&'static str, &'static [OptionSpec])> {
    let definitions = feature::names_of_all().map(|name| feature::by_name(name).unwrap().definition);
    definitions.filter(|definition| definition.twin.is_some()).map(|found| (found.name, found.options))
}

/// Pictures beyond the golden ones: full-range noise at every depth and format, smallest and odd sizes.
fn noise() -> impl Iterator<Item = Fixture> {
    let formats = [PixelFormat::Yuv420, PixelFormat::Yuv422, PixelFormat::Yuv444, PixelFormat::Yuv400];
    let sizes = [(1, 1), (2, 3), (8, 40), (17, 9), (33, 65), (257, 131)];
    let depths = [8, 9, 10, 12, 14, 16];
    let pictures = sizes.into_iter().flat_map(move |size| depths.map(|bpc| (size, bpc)));
    let all = pictures.flat_map(move |(size, bpc)| formats.map(|format| (size, bpc, format)));
    all.map(|((width, height), bpc, format)| Fixture {
        kind: Content::Noise,
        width,
        height,
        bpc,
        format,
        frames: 3,
    })
}

#[test]
fn twins_equal_their_cpu_extractors_on_all_golden_pictures() {
    for golden in golden::load_all() {
        let sequence = Sequence::new(&golden.fixture);
        for (name, _) in twins() {
            check(&sequence, &golden.fixture.to_string(), name, &Options::new());
        }
    }
}

#[test]
fn twins_equal_their_cpu_extractors_on_noise() {
    for fixture in noise() {
        let sequence = Sequence::new(&fixture);
        for (name, _) in twins() {
            check(&sequence, &fixture.to_string(), name, &Options::new());
        }
    }
}

#[test]
fn twins_equal_their_cpu_extractors_on_samples_above_the_depths_maximum() {
    for (width, height) in [(33, 65), (257, 131)] {
        let format = PixelFormat::Yuv420;
        let fixture = Fixture { kind: Content::Noise, width, height, bpc: 16, format, frames: 3 };
        for bpc in [9, 10, 12, 14] {
            let declared = Format { bpc, ..fixture.picture_format() };
            let sequence = Sequence::declared(&fixture, declared);
            for (name, _) in twins() {
                check(&sequence, &format!("{fixture}, declared as {bpc} bits"), name, &Options::new());
            }
        }
    }
}

/// A value that an option does not have by itself.
fn another(spec: &OptionSpec) -> String {
    match spec.kind {
        Kind::Bool(default) => (!default).to_string(),
        Kind::Int { default, low, high } => (if default < high { default + 1 } else { low }).to_string(),
        Kind::Double { default, low, high } => {
            (if default + 0.5 <= high { default + 0.5 } else { low }).to_string()
        }
        _ => panic!("a value for {}", spec.name),
    }
}

#[test]
fn every_option_changes_the_twin_as_it_does_the_cpu() {
    let fixture =
        |kind, bpc| Fixture { kind, width: 50, height: 38, bpc, format: PixelFormat::Yuv420, frames: 2 };
    let pictures =
        [fixture(Content::Noise, 10), fixture(Content::Identical, 8), fixture(Content::Smooth, 16)];
    let sequences = pictures.map(|fixture| (Sequence::new(&fixture), fixture.to_string()));
    for (name, options) in twins() {
        let plain = sequences.each_ref().map(|(sequence, what)| check(sequence, what, name, &Options::new()));
        for spec in options {
            let options = vec![(spec.name.to_owned(), another(spec))];
            let changed = sequences.each_ref().map(|(sequence, what)| check(sequence, what, name, &options));
            assert_ne!(changed, plain, "{name}: {options:?} changes nothing");
        }
    }
}

/// Reads twelve pairs of a pool of two pictures, whatever fails, and takes two more after the flush.
fn go_round(fault: Option<&str>) -> Result<()> {
    let fault = fault.map(Fault::parse).transpose()?;
    let mut context = context(0, &[("motion_cuda", &Options::new())])?;
    context.import_device(|| Ok(Device::new(Emulator::with(Settings { seed: 1, fault })?)))?;
    context.preallocate_pictures(Format::new(PixelFormat::Yuv400, 8, 32, 32)?, 2)?;
    for index in 0..12 {
        let pair = [context.fetch_picture()?, context.fetch_picture()?];
        let [reference, distorted] = pair;
        let _ = context.read_pictures(reference, distorted, index);
    }
    let _ = context.flush();
    context.fetch_picture().and(context.fetch_picture()).map(drop)
}

#[test]
fn pictures_come_back_to_their_pool_whatever_fails() {
    for fault in [None, Some("copy:5"), Some("allocate:6"), Some("pinned:2"), Some("kernel:2")] {
        let (done, end) = mpsc::channel();
        thread::spawn(move || done.send(go_round(fault).is_ok()));
        let came_back = end.recv_timeout(Duration::from_secs(100)).expect("a picture never came back");
        assert!(came_back, "{fault:?}");
    }
}

/// A short sequence that is cheap to score many times.
fn small() -> Sequence {
    let (width, height) = (320, 240);
    Sequence::new(&Fixture {
        kind: Content::Texture,
        width,
        height,
        bpc: 8,
        format: PixelFormat::Yuv420,
        frames: 3,
    })
}

#[test]
fn the_same_frames_give_the_same_bits_every_time() {
    let sequence = small();
    for (name, _) in twins() {
        let name = format!("{name}_cuda");
        let first = scores(&sequence, &name, &Options::new(), 0, Given::Host).unwrap();
        for _ in 0..50 {
            assert_eq!(scores(&sequence, &name, &Options::new(), 0, Given::Host).unwrap(), first, "{name}");
        }
    }
}

/// Nothing but twins, and nothing but device pictures.
#[test]
fn all_twins_at_once_on_device_pictures() {
    let (sequence, none) = (small(), Options::new());
    let names: Vec<_> = twins().map(|(name, _)| (name, format!("{name}_cuda"))).collect();
    let on_cpu: Vec<_> = names.iter().map(|(cpu, _)| (*cpu, &none)).collect();
    let on_device: Vec<_> = names.iter().map(|(_, twin)| (twin.as_str(), &none)).collect();
    let everything_of = |features: &[(&str, &Options)], threads, given| {
        let mut context = context(threads, features).unwrap();
        feed(&mut context, &sequence, given).unwrap();
        everything(&context)
    };
    // In the order of the CPU without threads, which serial extractors do not change.
    let expected = everything_of(&on_cpu, 0, Given::Host);
    assert_eq!(everything_of(&on_device, 0, Given::Device), expected);
    assert_eq!(everything_of(&on_device, 0, Given::Host), expected);
}

/// CPU extractors get every plane of pictures that are on the device alone.
#[test]
fn cpu_extractors_read_device_pictures() {
    let sequence = small();
    for name in ["psnr", "ciede", "motion", "vif"] {
        let [host, device] = [Given::Host, Given::Device]
            .map(|given| scores(&sequence, name, &Options::new(), 2, given).unwrap());
        assert_eq!(host, device, "{name}");
    }
}

#[test]
fn scores_on_demand_in_mid_stream_are_the_cpus() {
    let (sequence, none) = (small(), Options::new());
    let mut context = context(0, &[("psnr_cuda", &none)]).unwrap();
    let mut cpu = self::context(0, &[("psnr", &none)]).unwrap();
    for (index, [reference, distorted]) in (0..).zip(sequence.pairs()) {
        for context in [&mut context, &mut cpu] {
            context.read_pictures(reference.clone(), distorted.clone(), index).unwrap();
        }
        let score = |context: &Context| context.feature_score_at_index("psnr_y", index).unwrap();
        assert_eq!(score(&context), score(&cpu));
    }
}

/// Frames with these indices, for all that a context knows then.
fn at_indices(name: &str, sequence: &Sequence, indices: &[u32]) -> Result<String> {
    let mut context = context(0, &[(name, &Options::new())]).unwrap();
    for (&index, [reference, distorted]) in indices.iter().zip(sequence.pairs()) {
        context.read_pictures(reference.clone(), distorted.clone(), index)?;
    }
    context.flush().map(|()| everything(&context))
}

#[test]
fn motion_looks_at_the_frame_submitted_before() {
    let sequence = small();
    let gap = [0, 1, 3];
    let expected = at_indices("motion", &sequence, &gap).unwrap();
    assert_eq!(at_indices("motion_cuda", &sequence, &gap).unwrap(), expected);
    for name in ["motion", "motion_cuda"] {
        assert!(at_indices(name, &sequence, &[1, 2, 3]).is_err(), "{name}: there is no frame before index 1");
    }
}

/// One provider a key: whichever of the two was registered first.
#[test]
fn a_twin_beside_its_cpu_extractor_is_dropped() {
    let (sequence, none) = (small(), Options::new());
    let expected = scores(&sequence, "psnr", &none, 0, Given::Host).unwrap();
    for features in [["psnr", "psnr_cuda"], ["psnr_cuda", "psnr"]] {
        let mut context = context(0, &features.map(|name| (name, &none))).unwrap();
        feed(&mut context, &sequence, Given::Host).unwrap();
        assert_eq!(everything(&context), expected);
    }
}

#[test]
fn the_preference_moves_names_to_their_twins() {
    let (sequence, none) = (small(), Options::new());
    let expected = scores(&sequence, "psnr", &none, 0, Given::Host).unwrap();
    for (preference, name) in
        [(Preference::Auto, "psnr"), (Preference::Cuda, "psnr"), (Preference::Cpu, "psnr_cuda")]
    {
        let mut context = Context::new(Configuration::default()).unwrap();
        context.prefer(preference);
        context.use_feature(name, &dictionary(&none)).unwrap();
        feed(&mut context, &sequence, Given::Host).unwrap();
        assert_eq!(everything(&context), expected, "{preference:?}, {name}");
    }
    let mut forced = Context::new(Configuration::default()).unwrap();
    forced.prefer(Preference::Cuda);
    assert!(forced.use_feature("null", &dictionary(&none)).is_err(), "there is no null_cuda");
    let mut masked = Context::new(Configuration { gpumask: 1, ..Configuration::default() }).unwrap();
    assert!(masked.use_feature("psnr_cuda", &dictionary(&none)).is_err(), "the GPU is masked out");
}

#[test]
fn pictures_of_a_stream_lie_in_one_place() {
    let (sequence, none) = (small(), Options::new());
    let mut context = context(0, &[("psnr_cuda", &none)]).unwrap();
    context.preallocate_cuda_pictures(sequence.pairs()[0][0].format(), true).unwrap();
    let device_picture = context.fetch_cuda_picture().unwrap();
    assert!(context.read_pictures(sequence.pairs()[0][0].clone(), device_picture.clone(), 0).is_err());
    let [reference, distorted] = &sequence.pairs()[0];
    context.read_pictures(reference.clone(), distorted.clone(), 0).unwrap();
    assert!(context.read_pictures(device_picture.clone(), device_picture, 1).is_err());
    context.flush().unwrap();
}
