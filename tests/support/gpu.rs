// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Contexts that are fed pictures of the host or of a device, and all that they know in the end.

use std::fmt::Write;

use vmaf_rs::context::Context;
use vmaf_rs::error::Result;
use vmaf_rs::feature::Dictionary;
use vmaf_rs::gpu::{self, Device};
use vmaf_rs::output::{OutputFormat, Precision};
use vmaf_rs::picture::Picture;

use super::scoring::Sequence;

pub type Options = Vec<(String, String)>;

/// Where pictures lie that a context is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    Host,
    Device,
}

pub fn dictionary(options: &Options) -> Dictionary {
    let mut dictionary = Dictionary::new();
    options.iter().for_each(|(key, value)| dictionary.set(key, value));
    dictionary
}

/// A device picture with the samples of a host picture.
fn on_device(context: &Context, device: &Device, picture: &Picture) -> Result<Picture> {
    let copy = context.fetch_cuda_picture()?;
    gpu::testing::copy_to_device(device, picture, &copy)?;
    Ok(copy)
}

/// Lets a context use a device and hand out its pictures, of a sequence's format.
pub fn import_device(context: &mut Context, sequence: &Sequence) -> Result<Device> {
    let device = gpu::open(None)?;
    context.import_device(|| Ok(device.clone()))?;
    context.preallocate_cuda_pictures(sequence.pairs()[0][0].format(), true)?;
    Ok(device)
}

/// Gives a context all pictures, copied to its device if there is one, and ends the stream.
pub fn read_all(context: &mut Context, sequence: &Sequence, device: Option<&Device>) -> Result<()> {
    for (index, [reference, distorted]) in (0..).zip(sequence.pairs()) {
        let [reference, distorted] = match device {
            None => [reference.clone(), distorted.clone()],
            Some(device) => {
                [reference, distorted].map(|picture| on_device(context, device, picture).unwrap())
            }
        };
        context.read_pictures(reference, distorted, index)?;
    }
    context.flush()
}

pub fn feed(context: &mut Context, sequence: &Sequence, given: Given) -> Result<()> {
    let device = match given {
        Given::Host => None,
        Given::Device => Some(import_device(context, sequence)?),
    };
    read_all(context, sequence, device.as_ref())
}

/// Everything that a context knows, to the last digit: the log without the line that tells the time taken.
pub fn everything(context: &Context) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    context.write_output(&path, OutputFormat::Xml, Precision::Max).unwrap();
    let log = std::fs::read_to_string(path).unwrap();
    let mut kept = String::new();
    log.lines().filter(|line| !line.contains("fps=")).for_each(|line| writeln!(kept, "{line}").unwrap());
    kept
}
