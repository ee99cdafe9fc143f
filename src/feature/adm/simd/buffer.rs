// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Rows whose first sample lies on a cache line.

/// Samples before a row's first that may be written: a line of the cache in words.
pub const MARGIN: usize = 32;

#[derive(Clone)]
#[repr(align(64))]
#[allow(dead_code, reason = "read as samples")]
struct Line([u8; 64]);

/// Zero-filled samples on a cache line.
#[derive(Clone)]
pub struct Row<T> {
    lines: Vec<Line>,
    samples: std::marker::PhantomData<T>,
}

/// What a row may hold: any bytes are a sample, and lines divide evenly into samples.
///
/// # Safety
/// All bit patterns are valid, and the size divides 64.
pub unsafe trait Plain: Copy {}

// SAFETY: an integer of 2 bytes.
unsafe impl Plain for i16 {}
// SAFETY: an integer of 4 bytes.
unsafe impl Plain for i32 {}

impl<T: Plain> Row<T> {
    const PER_LINE: usize = size_of::<Line>() / size_of::<T>();

    /// At least `samples` of them.
    pub fn new(samples: usize) -> Self {
        let lines = vec![Line([0; 64]); samples.div_ceil(Self::PER_LINE)];
        Self { lines, samples: std::marker::PhantomData }
    }
}

impl<T: Plain> std::ops::Deref for Row<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        let samples = self.lines.len() * Self::PER_LINE;
        // SAFETY: the lines follow one another without gaps, and `Plain` lets their bytes be read as samples.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), samples) }
    }
}

impl<T: Plain> std::ops::DerefMut for Row<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        let samples = self.lines.len() * Self::PER_LINE;
        // SAFETY: as for `deref`, and `&mut self` holds the lines alone.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), samples) }
    }
}
