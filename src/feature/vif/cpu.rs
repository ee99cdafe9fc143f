// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The sums of `vif` over whole pictures: scale after scale, each by stripes of rows.
#![forbid(unsafe_code)]

use parking_lot::Mutex;

use super::Options;
use super::kernel::{Kernel, Plain};
use super::scalar::Sample;
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512, Lanes};
use super::sums::Sums;
use super::tables::SCALES;
use super::task::{Stripe, Task};
use crate::error::Result;
use crate::feature::{Extractor, Frame, Measure, Setup, on_cpu};
use crate::picture::{Plane, Samples};
use crate::schedule::Workers;

/// Pairs of rows of a stripe at least: below, the rows around it that are filtered again cost too much.
const LEAST_PAIRS: usize = 8;

/// Sums of luma at four scales.
pub struct Vif<K> {
    kernel: K,
    options: Options,
    bits: u32,
    width: usize,
    height: usize,
}

/// The extractor for the stream's format, at the context's instruction level.
pub fn extractor(setup: &Setup, options: Options) -> Box<dyn Extractor> {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(avx2) = Avx2::of(setup.level) {
            return on_cpu(setup, Vif::new(avx2, setup, &options), options);
        }
        if let Some(avx512) = Avx512::<false>::of(setup.level) {
            return on_cpu(setup, Vif::new(avx512, setup, &options), options);
        }
        if let Some(icl) = Avx512::<true>::of(setup.level) {
            return on_cpu(setup, Vif::new(icl, setup, &options), options);
        }
    }
    on_cpu(setup, Vif::new(Plain, setup, &options), options)
}

/// The pictures of scales 1 to 3, and what stripes work in.
pub struct Scratch<W> {
    pyramid: [Pictures; SCALES - 1],
    work: Mutex<Vec<W>>,
}

/// The two pictures of a scale.
struct Pictures {
    samples: [Vec<u16>; 2],
    width: usize,
    height: usize,
    stride: usize,
}

impl Pictures {
    fn new(width: usize, height: usize) -> Self {
        // Kernels write blocks of 16 samples, of which one at least is within the row.
        let stride = (width + 16).next_multiple_of(32);
        Self { samples: [(); 2].map(|()| vec![0; stride * height]), width, height, stride }
    }

    fn planes(&self) -> [Plane<'_, u16>; 2] {
        self.samples.each_ref().map(|samples| Plane::new(samples, self.width, self.height, self.stride))
    }
}

impl<K> Vif<K> {
    fn new(kernel: K, setup: &Setup, options: &Options) -> Self {
        let (width, height) = (setup.format.width as usize, setup.format.height as usize);
        Self { kernel, options: *options, bits: setup.format.bpc, width, height }
    }

    fn task<'a, T>(&self, scale: usize, planes: [Plane<'a, T>; 2]) -> Task<'a, T> {
        Task {
            scale,
            bits: self.bits,
            planes,
            statistic: scale > 0 || !self.options.skip_scale0,
            gain_limit: self.options.gain_limit,
            before: None,
        }
    }
}

/// Runs `task` by stripes and fills the pictures of the next scale, where there is one.
fn run<T: Sample + Sync, W: Default + Send>(
    kernel: impl Fn(&Task<'_, T>, Stripe<'_>, &mut W) -> Sums + Sync,
    task: &Task<'_, T>,
    next: Option<&mut Pictures>,
    spare: &Mutex<Vec<W>>,
    workers: Workers,
) -> Sums {
    let rows = 0..task.height();
    let stripe = match next {
        Some(Pictures { samples: [reference, distorted], stride, .. }) => {
            Stripe { rows, low: [reference, distorted], stride: *stride }
        }
        None => Stripe { rows, low: [&mut [], &mut []], stride: 1 },
    };
    let measure = |stripe| {
        let mut work = spare.lock().pop().unwrap_or_default();
        let sums = kernel(task, stripe, &mut work);
        spare.lock().push(work);
        sums
    };
    workers.reduce(stripe, LEAST_PAIRS, &measure, &|a, b| a + b)
}

impl<K: Kernel> Measure for Vif<K> {
    type Output = [Sums; SCALES];
    type Scratch = Scratch<K::Work>;

    fn scratch(&self) -> Result<Self::Scratch> {
        let pyramid = [1, 2, 3].map(|scale| Pictures::new(self.width >> scale, self.height >> scale));
        Ok(Scratch { pyramid, work: Mutex::default() })
    }

    fn measure(
        &self,
        frame: &Frame,
        scratch: &mut Self::Scratch,
        workers: Workers,
    ) -> Result<[Sums; SCALES]> {
        let Scratch { pyramid: [one, two, three], work } = scratch;
        let words = |task: &Task<'_, u16>, stripe: Stripe<'_>, work: &mut K::Work| {
            self.kernel.bits16(task, stripe, work)
        };
        let mut sums = [Sums::default(); SCALES];
        sums[0] = match (frame.reference.plane(0), frame.distorted.plane(0)) {
            (Samples::Bits8(reference), Samples::Bits8(distorted)) => {
                let bytes = |task: &Task<'_, u8>, stripe: Stripe<'_>, work: &mut K::Work| {
                    self.kernel.bits8(task, stripe, work)
                };
                run(bytes, &self.task(0, [reference, distorted]), Some(one), work, workers)
            }
            (Samples::Bits16(reference), Samples::Bits16(distorted)) => {
                run(words, &self.task(0, [reference, distorted]), Some(one), work, workers)
            }
            _ => unreachable!("the pictures of a pair are of one depth"),
        };
        sums[1] = run(words, &self.task(1, one.planes()), Some(two), work, workers);
        let before = self.task(2, two.planes());
        sums[2] = run(words, &before, Some(three), work, workers);
        let is_single = three.width == 1 || three.height == 1;
        let last = Task { before: is_single.then_some(&before), ..self.task(3, three.planes()) };
        sums[3] = run(words, &last, None, work, workers);
        Ok(sums)
    }
}

/// The sums of one frame.
#[cfg(test)]
pub fn sums(setup: &Setup, options: &Options, frame: &Frame) -> [Sums; SCALES] {
    fn of<K: Kernel>(kernel: K, setup: &Setup, options: &Options, frame: &Frame) -> [Sums; SCALES] {
        let vif = Vif::new(kernel, setup, options);
        let mut scratch = vif.scratch().unwrap();
        vif.measure(frame, &mut scratch, Workers::CALLER).unwrap()
    }
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(avx2) = Avx2::of(setup.level) {
            return of(avx2, setup, options, frame);
        }
        if let Some(avx512) = Avx512::<false>::of(setup.level) {
            return of(avx512, setup, options, frame);
        }
        if let Some(icl) = Avx512::<true>::of(setup.level) {
            return of(icl, setup, options, frame);
        }
    }
    of(Plain, setup, options, frame)
}
