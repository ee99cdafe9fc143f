// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Where a context's device comes from, and whether it wants one.
#![forbid(unsafe_code)]

use super::{Device, open, probe};
use crate::error::{Error, Result};
use crate::log;

/// Which side serves extractors, as `VMAF_RS_BACKEND` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preference {
    /// The side that each name says: the default.
    #[default]
    ByName,
    /// A twin in place of each CPU extractor that has one, where there is a device.
    Auto,
    /// The CPU, for the names of twins too.
    Cpu,
    /// The twin of every extractor. Without a device that is an error, and where an extractor has none, unless a
    /// model needs it.
    Cuda,
}

impl Preference {
    /// What the environment says; a word that means nothing is warned of, and ignored.
    pub fn from_environment() -> Self {
        match std::env::var("VMAF_RS_BACKEND").as_deref() {
            Ok("auto") => Self::Auto,
            Ok("cpu") => Self::Cpu,
            Ok("cuda") => Self::Cuda,
            Ok(other) => {
                log::warning!("VMAF_RS_BACKEND=\"{other}\" is none of auto, cpu, cuda, and is ignored");
                Self::ByName
            }
            Err(_) => Self::ByName,
        }
    }
}

/// The device of a context: the one that the caller gave, or else one that is opened when it is needed.
#[derive(Default)]
pub struct Source {
    masked: bool,
    preference: Preference,
    imported: bool,
    device: Option<Device>,
}

impl Source {
    /// `gpumask` not zero means no GPU.
    pub fn new(gpumask: u64, preference: Preference) -> Self {
        Self { masked: gpumask != 0, preference, imported: false, device: None }
    }

    /// Takes the caller's device, before any other is in use.
    pub fn import(&mut self, device: impl FnOnce() -> Result<Device>) -> Result<()> {
        if self.device.is_some() {
            return Err(Error::invalid("the context has a device already"));
        }
        (self.device, self.imported) = (Some(device()?), true);
        Ok(())
    }

    /// Whether there is, or could be, a device.
    pub fn usable(&self) -> Result<()> {
        match (self.masked, &self.device) {
            (true, _) => Err(Error::invalid("the GPU is masked out")),
            (false, Some(_)) => Ok(()),
            (false, None) => probe(),
        }
    }

    /// The device, opened if it is not in use yet.
    pub fn device(&mut self) -> Result<Device> {
        self.usable()?;
        match &self.device {
            Some(device) => Ok(device.clone()),
            None => Ok(self.device.insert(open(None)?).clone()),
        }
    }

    /// Another preference, for extractors that are registered from now on.
    pub fn prefer(&mut self, preference: Preference) {
        self.preference = preference;
    }

    /// Whether an extractor is to be served by its twin, if it `has_twin`. `named` is the side that its name says,
    /// `of_model` whether a model needs it: those go where the caller's device is.
    pub fn serves(&self, has_twin: bool, named: bool, of_model: bool) -> Result<bool> {
        if !has_twin {
            let refused = self.preference == Preference::Cuda && !of_model;
            return if refused { Err(Error::invalid("there is no such twin")) } else { Ok(false) };
        }
        let wanted = match self.preference {
            Preference::Cpu => return Ok(false),
            Preference::Cuda => true,
            Preference::Auto => named || self.usable().is_ok(),
            Preference::ByName => named || (of_model && self.imported && !self.masked),
        };
        if wanted { self.usable().map(|()| true) } else { Ok(false) }
    }
}
