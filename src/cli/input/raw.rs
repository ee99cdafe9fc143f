// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Raw planes: Y, U, V one after another, frame after frame, without padding.

use std::io::BufRead;

use super::ReadError;
use crate::picture::Format;

/// The largest width and height that are believed, for raw and YUV4MPEG2 alike.
pub(super) const LARGEST_SIDE: u32 = 65535;

/// Refuses sizes that no frame has, an empty one above all: it would never reach the file's end.
pub(super) fn check(format: &Format) -> Result<(), ReadError> {
    let sides = 1..=LARGEST_SIDE;
    if sides.contains(&format.width) && sides.contains(&format.height) {
        return Ok(());
    }
    let (width, height) = (format.width, format.height);
    Err(ReadError::Header(format!("A size of {width}x{height} is not within 1x1 to 65535x65535")))
}

/// Any byte begins a frame.
pub(super) fn begin_frame(input: &mut impl BufRead) -> Result<bool, ReadError> {
    Ok(super::available(input)? > 0)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Canvas, format};
    use super::super::{ReadError, Video};
    use crate::picture::PixelFormat::*;

    #[test]
    fn chroma_is_rounded_up() {
        for (pixel, bytes) in [(Yuv400, 57), (Yuv420, 57 + 2 * 20), (Yuv422, 57 + 2 * 30), (Yuv444, 171)] {
            let data: Vec<u8> = (0..=255).cycle().take(2 * bytes).collect();
            let mut video = Video::raw(&data[..], format(pixel, 8, 19, 3)).unwrap();
            assert_eq!(video.frames_within(data.len() as u64), 2);
            let mut canvas = Canvas::new(video.format());
            assert!(video.read_frame(&mut canvas).unwrap());
            assert_eq!(canvas.bytes(), &data[..bytes]);
            assert!(video.read_frame(&mut canvas).unwrap());
            assert_eq!(canvas.bytes(), &data[bytes..]);
            assert!(!video.read_frame(&mut canvas).unwrap());
        }
    }

    #[test]
    fn two_bytes_a_sample_above_8_bits() {
        let data: Vec<u8> = (0..12).collect();
        for bpc in [10, 12, 16] {
            let mut video = Video::raw(&data[..], format(Yuv420, bpc, 2, 2)).unwrap();
            let mut canvas = Canvas::new(video.format());
            assert!(video.read_frame(&mut canvas).unwrap());
            assert_eq!(canvas.samples()[..3], [0x0100, 0x0302, 0x0504]);
            assert!(!video.skip_frame().unwrap());
        }
    }

    #[test]
    fn a_frame_cut_short_is_an_error() {
        let data = [0u8; 11];
        for cut in [1, 5, 11] {
            let mut video = Video::raw(&data[..cut], format(Yuv420, 8, 4, 2)).unwrap();
            let mut canvas = Canvas::new(video.format());
            assert!(matches!(video.read_frame(&mut canvas), Err(ReadError::Truncated)), "{cut} bytes");
            let mut video = Video::raw(&data[..cut], format(Yuv420, 8, 4, 2)).unwrap();
            assert!(matches!(video.skip_frame(), Err(ReadError::Truncated)), "{cut} bytes");
        }
    }

    #[test]
    fn shallower_samples_are_shifted() {
        let mut video = Video::raw(&[1u8, 255, 128, 0][..], format(Yuv400, 8, 2, 2)).unwrap();
        video.deepen(10);
        assert_eq!(video.format().bpc, 10);
        let mut canvas = Canvas::new(video.format());
        assert!(video.read_frame(&mut canvas).unwrap());
        assert_eq!(canvas.samples(), [4, 1020, 512, 0]);

        let mut video = Video::raw(&[0xff, 0x03, 1, 0][..], format(Yuv400, 10, 2, 1)).unwrap();
        video.deepen(12);
        let mut canvas = Canvas::new(video.format());
        assert!(video.read_frame(&mut canvas).unwrap());
        assert_eq!(canvas.samples(), [4092, 4]);
    }

    #[test]
    fn sizes_without_samples_are_refused() {
        for (width, height) in [(0, 2), (2, 0), (65536, 2), (2, u32::MAX)] {
            assert!(Video::raw(&[0u8][..], format(Yuv420, 8, width, height)).is_err());
        }
        assert!(Video::raw(&[0u8][..], format(Yuv420, 8, 65535, 65535)).is_ok());
    }
}
