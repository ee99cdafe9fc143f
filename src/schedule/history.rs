// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The pictures of earlier frames that extractors look at.
#![forbid(unsafe_code)]

use super::Lineup;
use crate::feature::Frame;
use crate::picture::Picture;

/// Pictures of the frames before. They come from pools that callers may have made small: none is held that nobody
/// looks at.
#[derive(Default)]
pub struct History {
    references: [Option<Picture>; 2],
    distorted: Option<Picture>,
}

impl History {
    /// The next frame, with what came before it.
    pub fn frame(&self, index: u32, [reference, distorted]: [Picture; 2]) -> Frame {
        let (previous, previous_distorted) = (self.references.clone(), self.distorted.clone());
        Frame { index, reference, distorted, previous, previous_distorted }
    }

    /// How many pictures are held.
    pub fn len(&self) -> usize {
        self.references.iter().chain([&self.distorted]).flatten().count()
    }

    /// Goes on by one frame, with which `lineup` was served.
    pub fn remember(&mut self, [reference, distorted]: [Picture; 2], lineup: &Lineup) {
        if lineup.instances().iter().any(|instance| instance.needs_previous_distorted()) {
            self.distorted = Some(distorted);
        }
        let frames = lineup.instances().iter().map(|instance| instance.looks_back()).max().unwrap_or(0);
        self.references.rotate_right(1);
        self.references[0] = Some(reference);
        self.references[frames..].fill(None);
    }
}
