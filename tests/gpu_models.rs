// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Models over twins: their features come from twins where there are any and from the CPU where not, from host and from
//! device pictures, under the same names and with the same bits.
//!
//! Runs on the emulator, or with `VMAF_RS_GPU=driver` on a GPU.
#![cfg(feature = "cuda-emulator")]

mod support;

use std::sync::Arc;
use std::thread;

use support::fixtures::{Fixture, Kind as Content};
use support::gpu::{Given, everything, import_device, read_all};
use support::scoring::Sequence;
use vmaf_rs::context::{Configuration, Context};
use vmaf_rs::error::Result;
use vmaf_rs::feature::{self, Dictionary};
use vmaf_rs::gpu::emulator::fault::Fault;
use vmaf_rs::gpu::emulator::{Emulator, Settings};
use vmaf_rs::gpu::{Device, Preference};
use vmaf_rs::model::{AnyModel, Collection, Flags, Model};
use vmaf_rs::picture::PixelFormat;

const CLASSIC: [&str; 3] = ["vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1"];

/// How a model is scored.
#[derive(Clone, Copy, Debug)]
struct How {
    preference: Preference,
    given: Given,
    n_threads: u32,
    n_subsample: u32,
}

impl How {
    const ON_CPU: Self =
        Self { preference: Preference::Cpu, given: Given::Host, n_threads: 0, n_subsample: 0 };

    /// The other ways to the same scores.
    fn on_device(self) -> impl Iterator<Item = Self> {
        [
            (Preference::Auto, Given::Host),
            (Preference::Auto, Given::Device),
            (Preference::Cuda, Given::Host),
            (Preference::Cuda, Given::Device),
            // As FFmpeg's CUDA filter does: the caller's device makes models use it.
            (Preference::ByName, Given::Device),
        ]
        .into_iter()
        .map(move |(preference, given)| Self { preference, given, ..self })
    }

    fn context(self) -> Context {
        let Self { preference, n_threads, n_subsample, .. } = self;
        let configuration =
            Configuration { log_level: 1, n_threads, n_subsample, ..Configuration::default() };
        let mut context = Context::new(configuration).unwrap();
        context.prefer(preference);
        context
    }

    fn samples(self, index: u32) -> bool {
        self.n_subsample <= 1 || index.is_multiple_of(self.n_subsample)
    }
}

/// What is scored besides pictures.
enum Scored {
    Model(Arc<Model>),
    Collection(Collection),
}

impl Scored {
    fn new(version: &str) -> Self {
        match AnyModel::built_in(version, version, Flags::empty()).unwrap() {
            AnyModel::Model(model) => Self::Model(Arc::new(model)),
            AnyModel::Collection(collection) => Self::Collection(collection),
        }
    }

    fn register(&self, context: &mut Context) -> Result<()> {
        match self {
            Self::Model(model) => context.use_features_from_model(model),
            Self::Collection(collection) => context.use_features_from_collection(collection),
        }
    }

    fn score(&self, context: &Context, index: u32) -> Result<()> {
        match self {
            Self::Model(model) => context.score_at_index(model, index).map(|_| ()),
            Self::Collection(collection) => context.collection_score_at_index(collection, index).map(|_| ()),
        }
    }
}

fn sequence(kind: Content, (width, height): (u32, u32), bpc: u32, frames: u32) -> Sequence {
    Sequence::new(&Fixture { kind, width, height, bpc, format: PixelFormat::Yuv420, frames })
}

/// A sequence that is cheap to score many times.
fn small(frames: u32) -> Sequence {
    sequence(Content::Texture, (130, 94), 8, frames)
}

/// Everything that a context knows in the end, with the scores of these models and features.
fn scores(sequence: &Sequence, versions: &[&str], features: &[&str], how: How) -> Result<String> {
    let mut context = how.context();
    let device = match how.given {
        Given::Host => None,
        Given::Device => Some(import_device(&mut context, sequence)?),
    };
    let scored: Vec<_> = versions.iter().map(|version| Scored::new(version)).collect();
    scored.iter().try_for_each(|scored| scored.register(&mut context))?;
    features.iter().try_for_each(|name| context.use_feature(name, &Dictionary::new()))?;
    read_all(&mut context, sequence, device.as_ref())?;
    let indices = (0..sequence.pairs().len() as u32).filter(|&index| how.samples(index));
    for index in indices {
        scored.iter().try_for_each(|scored| scored.score(&context, index))?;
    }
    Ok(everything(&context))
}

/// The same names and values on both sides.
fn check(sequence: &Sequence, what: &str, versions: &[&str], how: How) -> String {
    let expected = scores(sequence, versions, &[], how).unwrap();
    for how in how.on_device() {
        let found = scores(sequence, versions, &[], how);
        assert_eq!(found.as_ref(), Ok(&expected), "{versions:?}, {what}, {how:?}");
    }
    expected
}

fn twins() -> impl Iterator<Item = &'static str> {
    feature::names_of_all().filter(|name| feature::by_name(name).unwrap().definition.twin.is_some())
}

/// C09, with every twin.
#[test]
fn small_pictures() {
    for (size, bpc) in [((64, 64), 8), ((64, 64), 10), ((130, 94), 8), ((130, 94), 10)] {
        let sequence = sequence(Content::Noise, size, bpc, 3);
        for name in twins() {
            let expected = scores(&sequence, &[], &[name], How::ON_CPU);
            for given in [Given::Host, Given::Device] {
                let how = How { preference: Preference::Cuda, given, ..How::ON_CPU };
                assert_eq!(
                    scores(&sequence, &[], &[name], how),
                    expected,
                    "{name}, {size:?}, {bpc} bits, {how:?}"
                );
            }
        }
    }
}

#[test]
fn classic_models() {
    let pictures = [
        (Content::Texture, (130, 94), 8),
        (Content::Noise, (96, 64), 10),
        (Content::Identical, (64, 64), 16),
        // Not too small for any fast kernel.
        (Content::Texture, (240, 226), 8),
    ];
    for (kind, size, bpc) in pictures {
        let sequence = sequence(kind, size, bpc, 3);
        for version in CLASSIC {
            check(&sequence, &format!("{kind:?}"), &[version], How::ON_CPU);
        }
    }
}

/// C10: the flush succeeds, and both frames have scores.
#[test]
fn two_frames_and_two_threads() {
    let log = check(&small(2), "2 frames", &["vmaf_v0.6.1"], How { n_threads: 2, ..How::ON_CPU });
    let scored =
        log.lines().filter(|line| line.contains("frameNum") && line.contains(" vmaf_v0.6.1=")).count();
    assert_eq!(scored, 2, "{log}");
}

/// C11, as long as there is a GPU to do the work.
#[test]
fn the_same_frames_give_the_same_bits_every_time() {
    let on_gpu = std::env::var("VMAF_RS_GPU").is_ok_and(|gpu| gpu == "driver");
    let (frames, repeats) = if on_gpu { (48, 50) } else { (5, 6) };
    let sequence = small(frames);
    let how = How { preference: Preference::Cuda, ..How::ON_CPU };
    let first = scores(&sequence, &["vmaf_v0.6.1"], &[], how).unwrap();
    assert_eq!(scores(&sequence, &["vmaf_v0.6.1"], &[], How::ON_CPU).unwrap(), first);
    for repeat in 0..repeats {
        let given = if repeat % 2 == 0 { Given::Host } else { Given::Device };
        assert_eq!(
            scores(&sequence, &["vmaf_v0.6.1"], &[], How { given, ..how }).unwrap(),
            first,
            "{repeat}"
        );
    }
}

/// C14: the names tell the options, as on the CPU.
#[test]
fn names_of_the_model_without_gain() {
    let log = check(&small(2), "names", &["vmaf_v0.6.1neg"], How::ON_CPU);
    for name in
        ["integer_adm2_egl_1", "integer_vif_scale0_egl_1", "integer_vif_scale3_egl_1", "integer_motion2"]
    {
        assert!(log.contains(&format!(" {name}=")), "{name}: {log}");
    }
}

#[test]
fn several_models_and_a_collection() {
    let versions = ["vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_b_v0.6.3"];
    check(&small(3), "three at once", &versions, How { n_threads: 2, ..How::ON_CPU });
}

/// Some features have twins and some have none; all pictures are on the device.
#[test]
fn twins_and_cpu_extractors_side_by_side() {
    let sequence = sequence(Content::Texture, (320, 180), 8, 3);
    for version in ["vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_hfr_3d0h", "vmaf_float_v0.6.1"] {
        check(&sequence, "mixed", &[version], How::ON_CPU);
    }
    let others = ["float_ssim", "ciede", "psnr_hvs"];
    for n_threads in [0, 2] {
        let how = How { n_threads, ..How::ON_CPU };
        let expected = scores(&sequence, &["vmaf_v0.6.1"], &others, how).unwrap();
        for how in how.on_device().filter(|how| how.preference != Preference::Cuda) {
            let found = scores(&sequence, &["vmaf_v0.6.1"], &others, how);
            assert_eq!(found.as_ref(), Ok(&expected), "{how:?}");
        }
    }
}

#[test]
fn subsampled_streams() {
    let sequence = small(8);
    for n_subsample in [2, 3, 5] {
        let how = How { n_subsample, ..How::ON_CPU };
        check(&sequence, "subsampled", &["vmaf_v0.6.1"], how);
        check(&sequence, "subsampled", &["vmaf_v0.6.1"], How { n_threads: 2, ..how });
    }
}

/// A device whose launches all fail shows who has used it.
#[test]
fn models_use_the_twins_that_there_are() {
    let sequence = sequence(Content::Texture, (320, 180), 8, 2);
    let outcome = |version: &str, preference| {
        let how = How { preference, ..How::ON_CPU };
        let mut context = how.context();
        context.import_device(|| emulated(1, Some("launch".into())))?;
        Scored::new(version).register(&mut context)?;
        read_all(&mut context, &sequence, None)
    };
    for version in ["vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_v1.0.16_3d0h"] {
        for preference in [Preference::Auto, Preference::Cuda, Preference::ByName] {
            assert!(outcome(version, preference).is_err(), "{version}, {preference:?}: no twin was launched");
        }
        assert_eq!(outcome(version, Preference::Cpu), Ok(()), "{version}");
    }
    for preference in [Preference::Auto, Preference::Cuda, Preference::ByName] {
        assert_eq!(outcome("vmaf_float_v0.6.1", preference), Ok(()), "there are no twins to launch");
    }
}

fn emulated(seed: u64, fault: Option<String>) -> Result<Device> {
    let fault = fault.map(|text| Fault::parse(&text)).transpose()?;
    Ok(Device::new(Emulator::with(Settings { seed, fault })?))
}

/// vmaf_v0.6.1 with a feature of the frame alone in the place of the one that looks ahead.
fn present_model() -> Arc<Model> {
    let mut model = Model::built_in("vmaf_v0.6.1", "present", Flags::empty()).unwrap();
    let ahead = "VMAF_integer_feature_motion2_score";
    let feature = model.features.iter_mut().find(|feature| feature.name == ahead).unwrap();
    feature.name = "VMAF_integer_feature_motion_sad_score".into();
    Arc::new(model)
}

/// A stream on an emulated device, whose kernel of this number fails when it runs.
struct Fragile {
    device: Device,
    context: Context,
    read: Result<()>,
}

impl Fragile {
    fn new(sequence: &Sequence, model: &Arc<Model>, seed: u64, kernel: u64) -> Self {
        let device = emulated(seed, Some(format!("kernel:{kernel}"))).unwrap();
        let mut context = How { preference: Preference::Auto, ..How::ON_CPU }.context();
        context.import_device(|| Ok(device.clone())).unwrap();
        context.use_features_from_model(model).unwrap();
        let mut frames = (0..).zip(sequence.pairs());
        let read = frames.try_for_each(|(index, [reference, distorted])| {
            context.read_pictures(reference.clone(), distorted.clone(), index)
        });
        Self { device, context, read }
    }

    /// Whether the kernel did not run yet: a device that has failed does nothing any more.
    fn is_whole(&self) -> bool {
        self.read.is_ok() && self.device.stream().is_ok()
    }
}

/// A score on demand needs its own frame's work and none of a later one's: when it comes a later frame's kernel has not
/// run, unless chance had it so.
#[test]
fn a_score_on_demand_waits_for_its_own_frame_alone() {
    let (model, sequence, first) = (present_model(), small(3), small(1));
    let mut on_cpu = How::ON_CPU.context();
    on_cpu.use_features_from_model(&model).unwrap();
    read_all(&mut on_cpu, &first, None).unwrap();
    let expected = on_cpu.score_at_index(&model, 0).unwrap();
    // The first frame's kernels go alone, since the device has nothing to do yet.
    let fails = |kernel: &u64| Fragile::new(&first, &model, 1, *kernel).context.flush().is_err();
    let later = (1..).find(|kernel| !fails(kernel)).unwrap();
    let mut alone = 0;
    for seed in 0..60 {
        let mut stream = Fragile::new(&sequence, &model, seed, later);
        if stream.is_whole() {
            assert_eq!(stream.context.score_at_index(&model, 0), Ok(expected), "seed {seed}");
            alone += u32::from(stream.is_whole());
        }
        assert!(stream.context.flush().is_err(), "seed {seed}: the later kernel never ran");
    }
    assert!(alone > 0, "of 60 scores on demand {alone} came without the work of later frames");
}

/// Scores on demand in mid-stream, of each frame when it was read and of all before.
#[test]
fn scores_on_demand_in_mid_stream_are_the_cpus() {
    let sequence = small(6);
    let model = present_model();
    let mut both = [Preference::Cpu, Preference::Auto].map(|preference| {
        let mut context = How { preference, ..How::ON_CPU }.context();
        context.use_features_from_model(&model).unwrap();
        context
    });
    for (index, [reference, distorted]) in (0..).zip(sequence.pairs()) {
        for context in &mut both {
            context.read_pictures(reference.clone(), distorted.clone(), index).unwrap();
        }
        let asked = if index % 3 == 2 { 0..=index } else { index..=index };
        for asked in asked {
            let [cpu, twin] = both.each_ref().map(|context| context.score_at_index(&model, asked).unwrap());
            assert_eq!(twin, cpu, "frame {asked} after frame {index}");
        }
    }
}

/// Half of them with a device that all share.
#[test]
fn many_contexts_at_once() {
    let sequences = [small(3), sequence(Content::Noise, (64, 64), 10, 3)];
    let device = vmaf_rs::gpu::open(None).unwrap();
    let versions: Vec<_> =
        CLASSIC.into_iter().flat_map(|version| [0, 1].map(|place| (version, place))).collect();
    let expected =
        |&(version, place): &(&str, usize)| scores(&sequences[place], &[version], &[], How::ON_CPU).unwrap();
    let expected: Vec<_> = versions.iter().map(expected).collect();
    let one = |number: usize| {
        let (version, place) = versions[number % versions.len()];
        let mut context = How { preference: Preference::Cuda, ..How::ON_CPU }.context();
        if number.is_multiple_of(2) {
            context.import_device(|| Ok(device.clone())).unwrap();
        }
        let scored = Scored::new(version);
        scored.register(&mut context).unwrap();
        read_all(&mut context, &sequences[place], None).unwrap();
        (0..3).for_each(|index| scored.score(&context, index).unwrap());
        assert_eq!(everything(&context), expected[number % versions.len()], "context {number}, {version}");
    };
    thread::scope(|scope| {
        (0..32).for_each(|number| drop(scope.spawn(move || one(number))));
    });
}
