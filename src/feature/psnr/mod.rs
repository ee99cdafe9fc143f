// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `psnr`: peak signal-to-noise ratio of each plane from exact integer squared errors.

pub mod cpu;
pub mod cuda;
pub mod scalar;
pub mod simd;

use super::depth::Depth;
use super::{Definition, Emitter, Kind, OptionSpec, Score, Setup, Traits, Values, on_cpu, on_device};
use crate::error::Result;
use crate::picture::{Format, PixelFormat};

/// The extractor `psnr`.
pub static DEFINITION: Definition = Definition {
    name: "psnr",
    provides: &PSNR,
    options: OPTIONS,
    // Aggregates are of all frames, whatever is logged; chroma scores may be minus infinity (see `cap`).
    traits: Traits { every_frame: true, serial: true, not_finite: true, ..Traits::PLAIN },
    make: |setup, values| {
        let options = Options::new(values, setup.format.pixel);
        Ok(on_cpu(setup, cpu::SquaredErrors::new(setup, options.planes), Psnr::new(setup, options)?))
    },
    twin: Some(|setup, values, engine| {
        let options = Options::new(values, setup.format.pixel);
        let errors = cuda::SquaredErrors::new(setup, options.planes, engine)?;
        Ok(on_device(engine, cuda::WORDS, errors, Psnr::new(setup, options)?))
    }),
};

const PSNR: [&str; 3] = ["psnr_y", "psnr_cb", "psnr_cr"];
const MSE: [&str; 3] = ["mse_y", "mse_cb", "mse_cr"];
const APSNR: [&str; 3] = ["apsnr_y", "apsnr_cb", "apsnr_cr"];

const fn flag(name: &'static str, default: bool) -> OptionSpec {
    OptionSpec { name, alias: None, kind: Kind::Bool(default), spelled: false }
}

const OPTIONS: &[OptionSpec] = &[
    flag("enable_chroma", true),
    flag("enable_mse", false),
    flag("enable_apsnr", false),
    flag("reduced_hbd_peak", false),
    OptionSpec {
        name: "min_sse",
        alias: None,
        kind: Kind::Double { default: 0.0, low: 0.0, high: f64::MAX },
        spelled: false,
    },
];

struct Options {
    planes: usize,
    mse: bool,
    apsnr: bool,
    reduced_hbd_peak: bool,
    min_sse: f64,
}

impl Options {
    fn new(values: &Values, pixel: PixelFormat) -> Self {
        Self {
            planes: if values.bool("enable_chroma") { pixel.planes() } else { 1 },
            mse: values.bool("enable_mse"),
            apsnr: values.bool("enable_apsnr"),
            reduced_hbd_peak: values.bool("reduced_hbd_peak"),
            min_sse: values.double("min_sse"),
        }
    }
}

/// Squared error and samples of a plane over the frames so far, both modulo 2^64.
#[derive(Clone, Copy, Default)]
struct Total {
    sse: u64,
    samples: u64,
}

/// From squared errors to decibel.
struct Psnr {
    options: Options,
    peak_squared: u32,
    samples: [u32; 3],
    caps: [f64; 3],
    totals: [Total; 3],
}

impl Psnr {
    fn new(setup: &Setup, options: Options) -> Result<Self> {
        let depth = Depth::new(setup.format.bpc)?;
        let peak_squared = peak_squared(depth, options.reduced_hbd_peak);
        let samples = [0, 1, 2].map(|plane| {
            let (width, height) = setup.format.plane_size(plane);
            width.wrapping_mul(height)
        });
        let caps = [0, 1, 2].map(|plane| cap(depth, &setup.format, plane, peak_squared, options.min_sse));
        Ok(Self { options, peak_squared, samples, caps, totals: [Total::default(); 3] })
    }

    fn decibel(&self, mse: f64) -> f64 {
        10.0 * (f64::from(self.peak_squared) / larger(mse, 1e-16)).log10()
    }

    /// Section 4.4 of the specification, with the product that wraps and the infinity of absent planes.
    fn aggregate(&self, Total { sse, samples }: Total) -> f64 {
        let ratio = f64::from(self.peak_squared).log10() + (samples as f64).log10() - (sse as f64).log10();
        let most = u64::from(self.peak_squared).wrapping_mul(samples).wrapping_mul(2);
        smaller(10.0 * ratio, (10.0 * (most as f64).log10()).ceil())
    }
}

fn peak_squared(depth: Depth, reduced: bool) -> u32 {
    let peak = if reduced { 255 << (depth.bits() - 8) } else { (1u32 << depth.bits()) - 1 };
    peak * peak
}

/// The highest score of a plane. With `min_sse` it follows from the plane's size, chroma halved rounding
/// *down*, unlike the planes themselves; a chroma size of 0 makes it minus infinity.
fn cap(depth: Depth, format: &Format, plane: usize, peak_squared: u32, min_sse: f64) -> f64 {
    if min_sse == 0.0 {
        return depth.psnr_cap();
    }
    let chroma = plane > 0;
    let width = format.width >> u32::from(chroma && format.pixel != PixelFormat::Yuv444);
    let height = format.height >> u32::from(chroma && format.pixel == PixelFormat::Yuv420);
    let mse = min_sse / f64::from(width.wrapping_mul(height));
    (10.0 * (f64::from(peak_squared) / mse).log10()).ceil()
}

/// `a` where it is above `b`: also for NaN the comparison of the specification, unlike `f64::max`.
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// `a` where it is below `b`: also for NaN the comparison of the specification, unlike `f64::min`.
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

impl Score for Psnr {
    type Input = [u64; 3];

    fn score(&mut self, sse: [u64; 3], emit: &mut Emitter<'_>) -> Result<()> {
        for (plane, &sse) in sse.iter().enumerate().take(self.options.planes) {
            let mse = sse as f64 / f64::from(self.samples[plane]);
            emit.set(PSNR[plane], smaller(self.decibel(mse), self.caps[plane]))?;
            if self.options.mse {
                emit.set(MSE[plane], mse)?;
            }
        }
        // Only now: a frame that was refused above must not count.
        for (plane, sse) in sse.into_iter().enumerate().take(self.options.planes) {
            let total = &mut self.totals[plane];
            total.sse = total.sse.wrapping_add(sse);
            total.samples = total.samples.wrapping_add(self.samples[plane].into());
        }
        Ok(())
    }

    fn flush(&mut self, emit: &mut Emitter<'_>) -> Result<()> {
        if self.options.apsnr {
            for (name, total) in APSNR.into_iter().zip(self.totals) {
                emit.aggregate(name, self.aggregate(total))?;
            }
        }
        Ok(())
    }
}
