// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Work space for stripes of one frame, kept for the next.
#![forbid(unsafe_code)]

use parking_lot::Mutex;

/// Work spaces that no thread is using now: no more are ever made than threads work at once.
#[derive(Debug)]
pub struct Spare<T>(Mutex<Vec<T>>);

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Spare<T> {
    /// Lends a work space to `work`, a new one if all are in use.
    pub fn lend<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let spare = self.0.lock().pop();
        let mut space = spare.unwrap_or_else(make);
        let result = work(&mut space);
        self.0.lock().push(space);
        result
    }
}
