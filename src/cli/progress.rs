// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What a terminal shows while a run lasts. Anything else than a terminal sees nothing.

use std::fmt::Write;
use std::io::{IsTerminal, stderr};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::verdict::say;
use crate::context::VERSION;

/// Pairs from one turn of the spinner to the next.
const STRIDE: u32 = 10;

/// Two cells that turn.
const SPINNER: [&str; 9] = ["⠋⠀", "⠙⠀", "⠸⠀", "⠠⠄", "⠀⡄", "⠀⠇", "⠀⠋", "⠈⠉", "⠉⠁"];

/// The line of progress, and the lines before it.
pub struct Progress {
    shown: bool,
    bar: ProgressBar,
}

impl Progress {
    /// Silent where asked to be, and where standard error is not a terminal.
    pub fn new(quiet: bool) -> Self {
        let shown = !quiet && stderr().is_terminal();
        if shown {
            say(format_args!("VMAF version {VERSION}"));
        }
        Self { shown, bar: ProgressBar::hidden() }
    }

    /// Begins a run over `pairs` pairs, if that is known, with a pool of `pictures`.
    pub fn begin(&mut self, pairs: Option<u64>, pictures: usize) {
        if self.shown {
            say(format_args!("picture pool: {pictures} pictures pre-allocated"));
            self.bar = ProgressBar::with_draw_target(pairs, ProgressDrawTarget::stderr()).with_style(style());
        }
    }

    /// `pairs` pairs are done. Drawing is limited by the bar itself.
    pub fn step(&self, pairs: u32) {
        self.bar.set_position(pairs.into());
        if pairs.is_multiple_of(STRIDE) {
            self.bar.tick();
        }
    }

    /// Leaves the line as it is and begins a new one.
    pub fn end(&self) {
        self.bar.abandon();
        if self.shown {
            say("");
        }
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{pos} {unit} {spinner} {rate} FPS{left}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
        .tick_strings(&SPINNER)
        .with_key("unit", |state: &ProgressState, out: &mut dyn Write| {
            let _ = out.write_str(if state.pos() > 1 { "frames" } else { "frame " });
        })
        .with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
            let _ = write!(out, "{:.2}", rate(state));
        })
        .with_key("left", |state: &ProgressState, out: &mut dyn Write| {
            if state.len().is_some() && state.pos() > 0 {
                let _ = write!(out, ", {} left", HumanDuration(state.eta()));
            }
        })
}

/// Pairs a second of wall time; 0 at first.
fn rate(state: &ProgressState) -> f64 {
    let seconds = state.elapsed().as_secs_f64();
    if seconds > 0.0 { state.pos() as f64 / seconds } else { 0.0 }
}
