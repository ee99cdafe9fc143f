// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Calls that fail because a test wants it.
#![forbid(unsafe_code)]

use crate::error::{Error, Result};

/// What can be told to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Device memory is not to be had.
    Allocate,
    /// Page-locked memory is not to be had.
    Pinned,
    /// A stream cannot be made.
    Stream,
    /// An event cannot be made.
    Event,
    /// An image does not load.
    Load,
    /// A kernel is not found.
    Function,
    /// A kernel does not start.
    Launch,
    /// A kernel starts, and fails while it runs.
    Kernel,
    /// A copy or clearing does not start.
    Copy,
    /// Waiting fails.
    Synchronize,
}

const NAMES: [(&str, Call); 10] = [
    ("allocate", Call::Allocate),
    ("pinned", Call::Pinned),
    ("stream", Call::Stream),
    ("event", Call::Event),
    ("load", Call::Load),
    ("function", Call::Function),
    ("launch", Call::Launch),
    ("kernel", Call::Kernel),
    ("copy", Call::Copy),
    ("synchronize", Call::Synchronize),
];

/// One kind of call, of which the N-th or every one fails.
#[derive(Clone, Debug)]
pub struct Fault {
    call: Call,
    /// Which one; every one if 0.
    number: u64,
    seen: u64,
}

impl Fault {
    /// Reads `CALL:N` (the N-th fails) or `CALL` (every one does).
    pub fn parse(text: &str) -> Result<Self> {
        let (name, number) = text.split_once(':').unwrap_or((text, "0"));
        let call = NAMES.iter().find(|(known, _)| *known == name).map(|(_, call)| *call);
        match (call, number.parse()) {
            (Some(call), Ok(number)) => Ok(Self { call, number, seen: 0 }),
            _ => Err(Error::invalid(format!("VMAF_RS_EMULATOR_FAIL={text}: {} with :N are known", known()))),
        }
    }

    /// Counts a call; whether it must fail.
    pub fn is_due(&mut self, call: Call) -> bool {
        if call != self.call {
            return false;
        }
        self.seen += 1;
        self.number == 0 || self.seen == self.number
    }
}

fn known() -> String {
    NAMES.map(|(name, _)| name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_or_every_one_fails() {
        let mut fault = Fault::parse("copy:2").unwrap();
        let due: Vec<_> = (0..4).map(|_| fault.is_due(Call::Copy)).collect();
        assert_eq!(due, [false, true, false, false]);
        let mut fault = Fault::parse("load").unwrap();
        assert!(!fault.is_due(Call::Copy));
        assert!(fault.is_due(Call::Load) && fault.is_due(Call::Load));
        for wrong in ["", "copy:", "copy:x", "kopie:1"] {
            assert!(Fault::parse(wrong).is_err(), "{wrong}");
        }
    }
}
