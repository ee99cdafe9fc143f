// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Any bytes as YUV4MPEG2, and as raw planes in the format of the header where there is one.
#![no_main]

use std::io::BufReader;

use libfuzzer_sys::fuzz_target;
use vmaf_rs::cli::input::{PlaneSink, Video};
use vmaf_rs::picture::Format;

/// Longest row: 65535 samples of two bytes.
const ROW: usize = 65535 * 2;

/// Checks the place of every row and keeps none.
struct Sink {
    format: Format,
    memory: Vec<u8>,
}

impl PlaneSink for Sink {
    fn row(&mut self, plane: usize, row: usize) -> &mut [u8] {
        assert!(plane < self.format.pixel.planes());
        let (width, height) = self.format.plane_size(plane);
        assert!(row < height as usize);
        &mut self.memory[..width as usize * self.format.sample_bytes()]
    }
}

/// Reads to the end or to an error; the first frame may be passed over. Returns the number of frames.
fn drain(mut video: Video<BufReader<&[u8]>>, skip: bool) -> u64 {
    let mut sink = Sink { format: video.format(), memory: vec![0; ROW] };
    let mut frames = 0;
    loop {
        let read = if skip && frames == 0 { video.skip_frame() } else { video.read_frame(&mut sink) };
        let Ok(true) = read else { return frames };
        frames += 1;
    }
}

fuzz_target!(|data: &[u8]| {
    // A small buffer, so that rows, lines and skips cross its end.
    let reader = || BufReader::with_capacity(13, data);
    let Ok(video) = Video::yuv4mpeg2(reader()) else { return };
    let (format, expected) = (video.format(), video.frames_within(data.len() as u64));
    let frames = drain(video, false);
    assert!(frames <= expected, "{frames} frames, {expected} at most");
    let mut deep = Video::yuv4mpeg2(reader()).unwrap();
    deep.deepen(16);
    assert_eq!(drain(deep, true), frames);
    let raw = Video::raw(reader(), format).unwrap();
    assert_eq!(raw.frames_within(data.len() as u64), drain(raw, false));
});
