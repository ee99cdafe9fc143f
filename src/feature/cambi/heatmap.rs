// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Files that show where banding is seen: the contrast values of each scale as grey pictures of 16 bits.
#![forbid(unsafe_code)]

use std::fmt::Display;
use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::Path;

use super::plan::{Analysis, Plan};
use super::pool::Scale;
use super::tables::SCALES;
use crate::error::{Error, Result};

/// The files of one registration. Frames may be written in any order and by any number of threads.
pub struct Heatmaps {
    files: [File; SCALES],
    /// What brings the highest contrast value to the highest sample.
    factor: f64,
}

/// Work space.
#[derive(Default)]
pub struct Space {
    plane: Vec<f32>,
    bytes: Vec<u8>,
}

impl Heatmaps {
    /// Makes the folder with all its parents, and empty files in it.
    pub fn create(folder: &str, plan: &Plan) -> Result<Self> {
        if folder.is_empty() {
            return Err(Error::invalid("cambi: heatmaps_path is empty"));
        }
        let made = DirBuilder::new().recursive(true).mode(0o770).create(folder);
        made.map_err(|error| Error::invalid(format!("cambi: cannot make the folder {folder}: {error}")))?;
        let mut files = Vec::new();
        for name in names(&plan.encode) {
            files.push(create(&Path::new(folder).join(name))?);
        }
        let files = files.try_into().expect("a file for each scale");
        let weight = plan.levels.weights().iter().fold(0, |most, &weight| weight.max(most)) as usize;
        let highest = weight * plan.encode.window * plan.encode.window / 4;
        Ok(Self { files, factor: 65535.0 / highest as f64 })
    }

    /// Writes a frame's picture of one scale.
    pub fn write(&self, scale: usize, index: u32, values: &Scale<'_>, space: &mut Space) -> Result<()> {
        let Space { plane, bytes } = space;
        values.fill(plane);
        bytes.clear();
        // Windows split in half may go beyond 16 bits at some numbers of steps: the low ones are kept.
        bytes.extend(plane.iter().flat_map(|&value| (self.sample(value) as u16).to_le_bytes()));
        let offset = u64::from(index) * bytes.len() as u64;
        let written = self.files[scale].write_all_at(bytes, offset);
        written.map_err(|error| {
            Error::invalid(format!("cambi: cannot write the heatmap of scale {scale}: {error}"))
        })
    }

    fn sample(&self, value: f32) -> u64 {
        (self.factor * f64::from(value)) as u64
    }
}

/// The names tell sizes that count from the full one, also where the first scale is halved.
fn names(encode: &Analysis) -> [String; SCALES] {
    let mut size = encode.size;
    std::array::from_fn(|scale| {
        let name = format!("cambi_heatmap_scale_{scale}_{}x{}_16b.gray", size.width, size.height);
        size = size.halved();
        name
    })
}

/// An empty file. What is not a file is refused, links too, which could lead out of the folder, and so is a file that
/// another extractor writes to.
fn create(path: &Path) -> Result<File> {
    // A pipe would be waited for.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let opened = OpenOptions::new().write(true).create(true).truncate(false).custom_flags(flags).open(path);
    let refused =
        |error: &dyn Display| Error::invalid(format!("cambi: cannot write {}: {error}", path.display()));
    let file = opened.map_err(|error| refused(&error))?;
    if !file.metadata().map_err(|error| refused(&error))?.is_file() {
        return Err(refused(&"it is not a file"));
    }
    file.try_lock().map_err(|error| refused(&error))?;
    file.set_len(0).map_err(|error| refused(&error))?;
    Ok(file)
}
