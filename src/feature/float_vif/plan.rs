// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What a stream's format and options make of the computation: sizes, filters, constants.
#![forbid(unsafe_code)]

use super::SCALES;
use super::options::{Method, Options};
use super::resize::Resize;
use super::scalar::Constants;
use super::taps::{check_kernelscale, gaussian, width};
use crate::error::{Error, Result};
use crate::feature::depth::Depth;
use crate::picture::Format;

/// Columns at most with the method `bilinear`.
const BILINEAR_WIDEST: usize = 7680;

/// Source samples in a row, and rows, that `lanczos4` reflects at the borders, and one more.
const LANCZOS4_LEAST: u32 = 6;

/// One scale of the pyramid.
#[derive(Clone, Debug)]
pub struct Scale {
    /// Samples in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Taps of the filter of this scale's moments, and of the low pass from the scale before.
    pub taps: Vec<f32>,
}

/// The computation of one stream.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The sample depth.
    pub depth: Depth,
    /// The resize before all else, if there is one.
    pub resize: Option<Resize>,
    /// The scales.
    pub scales: [Scale; SCALES],
    /// The first scale that has a statistic.
    pub first: usize,
    /// Constants of the statistic.
    pub constants: Constants,
}

impl Plan {
    /// The plan for pictures of this format, or what is wrong with it.
    pub fn new(format: &Format, options: &Options) -> Result<Self> {
        let depth = Depth::new(format.bpc)?;
        let kernelscale = options.kernelscale as f32;
        check_kernelscale("float_vif: vif_kernelscale", kernelscale)?;
        let scaled = |size: u32| (f64::from(size) * options.prescale + 0.5) as usize;
        let size = (scaled(format.width), scaled(format.height));
        let first = usize::from(options.skip_scale0);
        let scales = [0, 1, 2, 3].map(|scale| Scale {
            width: size.0 >> scale,
            height: size.1 >> scale,
            taps: gaussian(width(scale, kernelscale)),
        });
        check_size(size, &scales, first)?;
        let resize = resize(format, size, options.method)?;
        let constants = Constants::new(options.gain_limit, options.sigma_nsq);
        Ok(Self { depth, resize, scales, first, constants })
    }

    /// The widest filter's reach to each side.
    pub fn widest_half(&self) -> usize {
        self.scales.iter().map(|scale| scale.taps.len() / 2).max().unwrap_or_default()
    }
}

/// Refuses pictures of which a filter would reflect samples that are not there.
fn check_size((width, height): (usize, usize), scales: &[Scale; SCALES], first: usize) -> Result<()> {
    let least = |scale: usize| {
        let beyond = scales[scale].taps.len() / 2 + 1;
        // The low pass into a scale filters the scale before, which is twice as large.
        if scale >= first { beyond << scale } else { 0 }
    };
    let least = (0..SCALES).map(least).max().unwrap_or_default();
    if width.min(height) >= least {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "float_vif: {width}x{height} is too small, with this vif_kernelscale and vif_prescale width and height must \
         be at least {least}"
    )))
}

fn resize(format: &Format, (width, height): (usize, usize), method: Method) -> Result<Option<Resize>> {
    if method == Method::Bilinear && width > BILINEAR_WIDEST {
        return Err(Error::invalid(format!(
            "float_vif: {width} columns are too many for bilinear, which takes {BILINEAR_WIDEST} at most"
        )));
    }
    let from = (format.width as usize, format.height as usize);
    if from == (width, height) {
        return Ok(None);
    }
    if method == Method::Lanczos4 && format.width.min(format.height) < LANCZOS4_LEAST {
        return Err(Error::invalid(format!(
            "float_vif: {}x{} is too small for lanczos4, width and height must be at least {LANCZOS4_LEAST}",
            format.width, format.height
        )));
    }
    Ok(Some(Resize::new(method, from, (width, height))))
}
