// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The kernels of adm.

use std::ops::RangeInclusive;

use vmaf_rs::cpu::Level;
use vmaf_rs::feature::adm::Totals;
use vmaf_rs::feature::adm::cpu::Pyramid;
use vmaf_rs::feature::adm::cuda::fast::Fast;
use vmaf_rs::feature::adm::cuda::plain::Plain;
use vmaf_rs::feature::adm::cuda::{FrameParameters, WORDS, totals};
use vmaf_rs::feature::adm::options::{Options, TABLE};
use vmaf_rs::feature::adm::plan::Plan;
use vmaf_rs::feature::adm::scalar::decouple;
use vmaf_rs::feature::adm::simd::Source;
use vmaf_rs::feature::{Dictionary, Measure, Values};
use vmaf_rs::gpu::DeviceAddress;
use vmaf_rs::picture::{self, Format, PixelFormat};
use vmaf_rs::schedule::Workers;

use crate::emulator::{Picture, Plane, launch, launch_blocks};
use crate::{GRIDS, Noise};

/// Options by key and value.
type Given<'a> = &'a [(&'a str, &'a str)];

fn plan((width, height): (u32, u32), bpc: u32, given: Given) -> Plan {
    let mut dictionary = Dictionary::new();
    given.iter().for_each(|(key, value)| dictionary.set(key, value));
    let options = Options::new(&Values::read("adm", TABLE, &dictionary).expect("valid options"));
    let format = Format::new(PixelFormat::Yuv400, bpc, width, height).expect("a valid depth");
    Plan::new(&format, &options).expect("a picture that adm takes")
}

/// Luma of a reference and a distorted picture.
struct Pair<T> {
    name: &'static str,
    pictures: [Picture<T>; 2],
}

impl<T: Source> Pair<T>
where
    T: TryFrom<u64>,
{
    /// Noise beside other noise and beside itself weaker and stronger, both ends of the range, blocks, a ramp.
    fn all((width, height): (u32, u32), bpc: u32, seed: u64) -> Vec<Self> {
        let max = u64::from(u16::MAX >> (16 - bpc));
        let middle = max.div_ceil(2) as i64;
        let noise = &mut Noise(seed);
        let area = (width * height) as usize;
        let mut random = |below: u64| (0..area).map(|_| noise.bits() % below).collect::<Vec<_>>();
        let [first, second, small] = [random(max + 1), random(max + 1), random(100)];
        let ends: Vec<_> = random(2).iter().map(|&bit| bit * max).collect();
        let around = |value: u64, part: i64| {
            (middle + (value as i64 - middle) * part / 1000).clamp(0, max as i64) as u64
        };
        let scaled =
            |from: &[u64], part: i64| from.iter().map(|&value| around(value, part)).collect::<Vec<_>>();
        // The largest coefficients, which the distorted picture nearly has too, not quite in their direction.
        let shaken = ends.iter().zip(&small).map(|(&end, &by)| around(end, 850 + by as i64)).collect();
        let block = |i: usize| (i % width as usize / 5 + i / width as usize / 3) % 3;
        let blocks = (0..area).map(|i| if block(i) == 0 { max } else { 0 }).collect::<Vec<_>>();
        let ramp = (0..area).map(|i| (i % width as usize * 3 + i / width as usize) as u64 % (max + 1));
        let ramp = ramp.collect::<Vec<_>>();
        let blurred = ramp.iter().zip(&small).map(|(&value, &by)| (value + by / 30).min(max)).collect();
        let pair = |name, reference: Vec<u64>, distorted: Vec<u64>| Self {
            name,
            pictures: [reference, distorted].map(|samples| {
                let row = |row: &[u64]| row.iter().map(|&s| T::try_from(s).ok().expect("fits")).collect();
                Picture::new(samples.chunks(width as usize).map(row).collect())
            }),
        };
        vec![
            pair("noise and noise", first.clone(), second.clone()),
            pair("noise weakened", second.clone(), scaled(&second, 600)),
            pair("noise enhanced", scaled(&first, 50), first.clone()),
            pair("ends shaken", ends.clone(), shaken),
            pair("blocks and ends", blocks, ends),
            pair("ramp", ramp, blurred),
            pair("flat and noise", vec![max; area], second),
        ]
    }

    /// What the reference arithmetic gives.
    fn expected(&self, plan: &Plan, bpc: u32) -> [Totals; 4] {
        let pyramid = Pyramid::at_level(Level::SCALAR, plan.clone(), bpc);
        let samples = self.pictures.each_ref().map(|picture| picture.rows.concat());
        let (width, height) = (self.pictures[0].rows[0].len(), self.pictures[0].rows.len());
        let planes = samples.each_ref().map(|samples| picture::Plane::new(samples, width, height, width));
        pyramid.sums(planes, &mut pyramid.scratch().expect("memory"), Workers::CALLER)
    }
}

/// Work memory and results of some frames.
struct Memory {
    work: Vec<Vec<Line>>,
    words: Vec<[u64; WORDS]>,
}

/// As aligned as work memory is.
#[derive(Clone, Copy)]
#[repr(align(256))]
struct Line(#[expect(dead_code, reason = "only kernels look at it")] [u8; 256]);

impl Memory {
    /// With anything in the work memory.
    fn new(bytes: usize, frames: usize) -> Self {
        let work = vec![Line([0xa7; 256]); bytes.div_ceil(256)];
        Self { work: vec![work; frames], words: vec![[0; WORDS]; frames] }
    }

    fn frames<'a, T: Copy + 'a>(
        &mut self,
        pairs: impl Iterator<Item = &'a Pair<T>>,
    ) -> Vec<FrameParameters<Plane>> {
        let frame =
            |((pair, work), words): ((&Pair<T>, &mut Vec<Line>), &mut [u64; WORDS])| FrameParameters {
                pictures: pair.pictures.each_ref().map(Picture::plane),
                work: DeviceAddress(work.as_mut_ptr() as u64),
                totals: DeviceAddress(words.as_mut_ptr() as u64),
            };
        pairs.zip(&mut self.work).zip(&mut self.words).map(frame).collect()
    }
}

/// One of the forms of the kernels for a stream.
enum Form {
    Plain(Plain),
    Fast(Fast),
}

impl Form {
    fn bytes(&self) -> usize {
        match self {
            Self::Plain(plain) => plain.bytes,
            Self::Fast(fast) => fast.bytes,
        }
    }

    /// Runs a batch in grids of this size or so.
    fn run(&self, frames: &[FrameParameters<Plane>], grid: u32) {
        let depth = |most: u32| if grid == 1 { 1 } else { most };
        match self {
            Self::Plain(plain) => plain.launches.iter().for_each(|step| {
                let grid = [grid, 1, depth(frames.len() as u32)];
                launch(step.kernel, grid, &plain.parameters(step, frames));
            }),
            Self::Fast(fast) => fast.launches(frames.len(), grid).iter().for_each(|step| {
                let [x, y, z] = step.geometry.grid;
                let cut = [x.div_ceil(grid), y.div_ceil(grid), depth(z)];
                let parameters = fast.parameters(frames, grid);
                launch_blocks(step.kernel, cut, step.geometry.block, step.shared, &parameters);
            }),
        }
    }
}

/// What all kernels of a form give for pairs, in several grids, some frames at a time.
fn check<T: Source + TryFrom<u64>>(
    form: &Form,
    plan: &Plan,
    bpc: u32,
    pairs: &[Pair<T>],
    grids: &[u32],
    batches: RangeInclusive<usize>,
    what: &str,
) {
    let expected: Vec<_> = pairs.iter().map(|pair| pair.expected(plan, bpc)).collect();
    for (first, &grid) in grids.iter().enumerate() {
        for batch in batches.clone() {
            let chosen = (0..batch).map(|i| (first + batch * (batch - 1) / 2 + i) % pairs.len());
            let mut memory = Memory::new(form.bytes(), batch);
            form.run(&memory.frames(chosen.clone().map(|i| &pairs[i])), grid);
            for (words, i) in memory.words.iter().zip(chosen) {
                let mut found = totals(words);
                if plan.skip_aim {
                    // The fast form finds them all the same, and nobody looks at them.
                    found.iter_mut().for_each(|totals| totals.additive = [0; 3]);
                }
                let place = format!("{}, {what}, grid {grid}, {batch} frames", pairs[i].name);
                assert_eq!(found, expected[i], "{place}");
            }
        }
    }
}

fn check_plain<T: Source + TryFrom<u64>>(size: (u32, u32), bpc: u32, given: Given, grids: &[u32]) {
    let plan = plan(size, bpc, given);
    let pairs = Pair::<T>::all(size, bpc, u64::from(size.0 * 31 + size.1 + bpc));
    let what = format!("plain, {size:?}, {bpc} bits, {given:?}");
    check(&Form::Plain(Plain::new(&plan, bpc)), &plan, bpc, &pairs, grids, 1..=4, &what);
}

fn check_fast<T: Source + TryFrom<u64>>(size: (u32, u32), bpc: u32, given: Given, grids: &[u32]) {
    let plan = plan(size, bpc, given);
    let pairs = Pair::<T>::all(size, bpc, u64::from(size.0 * 31 + size.1 + bpc));
    let what = format!("fast, {size:?}, {bpc} bits, {given:?}");
    let fast = Fast::new(&plan, bpc).unwrap_or_else(|| panic!("{what}: not taken"));
    check(&Form::Fast(fast), &plan, bpc, &pairs, grids, 1..=4, &what);
}

/// Around the least size, narrow last bands, bands as wide and high as the window's margin begins, several blocks.
const SIZES: [(u32, u32); 14] = [
    (17, 17),
    (32, 33),
    (33, 35),
    (33, 17),
    (18, 300),
    (64, 64),
    (130, 94),
    (72, 72),
    (161, 99),
    (300, 17),
    (225, 225),
    (257, 70),
    (354, 290),
    (577, 65),
];

#[test]
fn plain_sums_of_every_size() {
    for size in SIZES {
        check_plain::<u8>(size, 8, &[], &GRIDS);
        check_plain::<u16>(size, 10, &[], &GRIDS[1..2]);
    }
}

#[test]
fn plain_sums_of_every_depth() {
    for bpc in 9..=16 {
        check_plain::<u16>((131, 77), bpc, &[], &GRIDS[2..]);
    }
}

/// Options that reach the pixels, each with another value than the default's.
const OPTIONS: [Given; 12] = [
    &[("adm_enhn_gain_limit", "1")],
    &[("adm_enhn_gain_limit", "37")],
    &[("adm_enhn_gain_limit", "1.25")],
    &[("adm_csf_mode", "1")],
    &[("adm_csf_mode", "2")],
    &[("adm_csf_mode", "2"), ("adm_ref_display_height", "2160")],
    &[("adm_csf_mode", "3")],
    &[("adm_csf_mode", "2"), ("adm_norm_view_dist", "4")],
    &[("adm_norm_view_dist", "5")],
    &[("adm_ref_display_height", "4320"), ("adm_norm_view_dist", "24")],
    &[("adm_skip_aim", "true")],
    &[("adm_skip_scale0", "true")],
];

#[test]
fn plain_sums_with_every_option() {
    for given in OPTIONS {
        check_plain::<u8>((139, 90), 8, given, &GRIDS[1..2]);
        check_plain::<u16>((139, 90), 12, given, &GRIDS[1..2]);
    }
}

#[test]
fn plain_sums_of_samples_beyond_their_depth() {
    let (size, bpc) = ((90, 66), 10);
    let plan = plan(size, bpc, &[]);
    let pairs = Pair::<u16>::all(size, 16, 3);
    check(&Form::Plain(Plain::new(&plan, bpc)), &plan, bpc, &pairs, &GRIDS[1..2], 3..=4, "beyond 10 bits");
}

/// Around the least size, whole and broken steps and strips, several tiles.
const FAST_SIZES: [(u32, u32); 10] = [
    (225, 225),
    (226, 227),
    (240, 232),
    (241, 226),
    (248, 300),
    (257, 241),
    (354, 290),
    (257, 577),
    (577, 325),
    (1201, 230),
];

#[test]
fn fast_sums_of_every_size() {
    for size in FAST_SIZES {
        check_fast::<u8>(size, 8, &[], &GRIDS[..1]);
        check_fast::<u16>(size, 10, &[], &GRIDS[1..2]);
    }
}

/// One and two strips of every kernel, and every end of the last; every end of the last rows that a warp makes.
#[test]
fn fast_sums_of_every_width_and_height() {
    let widths = (225..=256).chain(478..=500).map(|width| (width, 225));
    let heights = (226..=257).map(|height| (225, height));
    for (width, height) in widths.chain(heights) {
        let given: Given = if width % 2 == 0 { &[] } else { &[("adm_enhn_gain_limit", "1")] };
        let plan = plan((width, height), 8, given);
        let pairs = Pair::<u8>::all((width, height), 8, (width + height).into());
        let form = Form::Fast(Fast::new(&plan, 8).expect("taken"));
        let one = (width + height) as usize % pairs.len();
        let place = format!("{width}x{height}");
        check(&form, &plan, 8, &pairs[one..=one], &GRIDS[2..], 1..=1, &place);
    }
}

#[test]
fn fast_sums_of_every_depth() {
    for bpc in 9..=16 {
        check_fast::<u16>((250, 241), bpc, &[], &GRIDS[2..]);
    }
}

/// The others of `OPTIONS` are for the plain form.
const FAST_OPTIONS: [Given; 8] = [
    &[("adm_enhn_gain_limit", "1")],
    &[("adm_enhn_gain_limit", "37")],
    &[("adm_csf_mode", "2")],
    &[("adm_csf_mode", "2"), ("adm_ref_display_height", "2160")],
    &[("adm_csf_mode", "2"), ("adm_norm_view_dist", "5"), ("adm_enhn_gain_limit", "1")],
    &[("adm_norm_view_dist", "5")],
    &[("adm_skip_aim", "true")],
    &[("adm_skip_scale0", "true")],
];

#[test]
fn fast_sums_with_every_option() {
    for given in FAST_OPTIONS {
        check_fast::<u8>((250, 234), 8, given, &GRIDS[1..2]);
        check_fast::<u16>((250, 234), 12, given, &GRIDS[1..2]);
    }
}

#[test]
fn fast_sums_of_samples_beyond_their_depth() {
    for bpc in [9, 10, 12] {
        let size = (250, 229);
        let plan = plan(size, bpc, &[]);
        let fast = Fast::new(&plan, bpc).expect("taken");
        let pairs = Pair::<u16>::all(size, 16, 3);
        check(&Form::Fast(fast), &plan, bpc, &pairs, &GRIDS[1..2], 3..=4, &format!("beyond {bpc} bits"));
    }
}

#[test]
fn the_fast_form_leaves_to_the_plain_one_what_it_cannot_do() {
    let taken = |size, given| Fast::new(&plan(size, 8, given), 8).is_some();
    assert!(taken((225, 225), &[]) && !taken((224, 225), &[]) && !taken((225, 224), &[]));
    for given in OPTIONS {
        assert_eq!(taken((300, 300), given), FAST_OPTIONS.contains(&given), "{given:?}");
    }
}

/// Runs a kernel of kernels/emulator/test_adm.cu, which counts its mistakes.
fn mistakes(kernel: &str, given: Given) -> u64 {
    let fast = Fast::new(&plan((225, 225), 8, given), 8).expect("taken");
    let mut words = [0; WORDS];
    let picture = Picture::new(vec![vec![0u8]]);
    let frame = FrameParameters {
        pictures: [picture.plane(); 2],
        work: DeviceAddress(0),
        totals: DeviceAddress(words.as_mut_ptr() as u64),
    };
    launch(kernel, [4, 1, 1], &fast.parameters(&[frame], 1));
    words[0]
}

#[test]
fn fast_positions_are_the_plain_ones() {
    for given in [&[] as Given].iter().chain(&FAST_OPTIONS) {
        for kernel in ["test_adm_positions", "test_adm_finest", "test_adm_reciprocals"] {
            assert_eq!(mistakes(kernel, given), 0, "{kernel}, {given:?}");
        }
    }
}

/// While the reference is below 2^14, restored is the middle one of nothing, the reference and the distorted
/// coefficient. All pairs between nothing and the reference are tried; beyond, the ratio is cut off, as it grows with
/// the distorted coefficient and has reached an end there.
#[test]
fn no_division_is_needed_for_small_coefficients() {
    for reference in (1..1 << 14).flat_map(|magnitude: i32| [magnitude, -magnitude]) {
        let sign = reference.signum();
        let restored = |distorted: i32| decouple::restored(reference, distorted * sign, false, 1.0) * sign;
        for distorted in 0..=reference.abs() {
            assert_eq!(restored(distorted), distorted, "{reference} {distorted}");
        }
        assert_eq!([restored(-1), restored(reference.abs() + 1)], [0, reference.abs()], "{reference}");
    }
}
