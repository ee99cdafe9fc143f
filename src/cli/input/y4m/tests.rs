// SPDX-License-Identifier: BSD-2-Clause-Patent

use super::super::testing::{Canvas, format};
use super::super::{ReadError, Video};
use super::UNKNOWN_INTERLACING;
use crate::picture::Format;
use crate::picture::PixelFormat::{self, *};

fn opened(header: &str) -> Result<(Format, Vec<String>), ReadError> {
    let video = Video::yuv4mpeg2(header.as_bytes())?;
    Ok((video.format(), video.warnings().to_vec()))
}

fn complaint(header: &str) -> String {
    opened(header).expect_err(header).to_string()
}

/// Every frame of `stream`, then how it ended.
fn frames(stream: &[u8]) -> (Vec<Vec<u8>>, Result<bool, ReadError>) {
    let mut video = Video::yuv4mpeg2(stream).unwrap();
    let mut canvas = Canvas::new(video.format());
    let mut frames = Vec::new();
    loop {
        match video.read_frame(&mut canvas) {
            Ok(true) => frames.push(canvas.bytes().to_vec()),
            end => return (frames, end),
        }
    }
}

#[test]
fn every_sampling_tag_is_read_or_refused() {
    let known: [(&str, PixelFormat, u32); 21] = [
        ("420", Yuv420, 8),
        ("420jpeg", Yuv420, 8),
        ("420mpeg2", Yuv420, 8),
        ("420paldv", Yuv420, 8),
        ("422", Yuv422, 8),
        ("444", Yuv444, 8),
        ("444alpha", Yuv444, 8),
        ("420p10", Yuv420, 10),
        ("422p10", Yuv422, 10),
        ("444p10", Yuv444, 10),
        ("420p12", Yuv420, 12),
        ("422p12", Yuv422, 12),
        ("444p12", Yuv444, 12),
        ("420p16", Yuv420, 16),
        ("422p16", Yuv422, 16),
        ("444p16", Yuv444, 16),
        ("mono", Yuv400, 8),
        ("mono10", Yuv400, 10),
        ("mono12", Yuv400, 12),
        ("mono16", Yuv400, 16),
        ("420 C422", Yuv422, 8),
    ];
    for (tag, pixel, bpc) in known {
        let header = opened(&format!("YUV4MPEG2 W19 H3 F25:1 Ip A1:1 C{tag}\n")).unwrap();
        assert_eq!(header, (format(pixel, bpc, 19, 3), Vec::new()), "{tag}");
    }
    for tag in ["411", "420p9", "420p14", "420p8", "mono9", "", "444alpha10", "420P10"] {
        let text = complaint(&format!("YUV4MPEG2 W19 H3 F25:1 Ip C{tag}\n"));
        assert_eq!(text, format!("Unknown chroma sampling type: {tag}"));
    }
}

#[test]
fn tags_come_in_any_order_and_unknown_ones_pass() {
    let (read, _) = opened("YUV4MPEG2 XYSCSS=420P10 H47  F0:0 Q W64 XCOLORRANGE=FULL Ip A0:0\n").unwrap();
    assert_eq!(read, format(Yuv420, 8, 64, 47));
    let long = format!("YUV4MPEG2 W2 H2 F1:1 Ip X{}\n", "x".repeat(5000));
    assert!(opened(&long).is_ok());
}

#[test]
fn oddities_warn() {
    for scan in ["", " I?"] {
        let (_, warnings) = opened(&format!("YUV4MPEG2 W2 H2 F1:1{scan}\n")).unwrap();
        assert_eq!(warnings, [UNKNOWN_INTERLACING]);
    }
    let (_, warnings) = opened("YUV4MPEG3 W2 H2 F1:1 Ip\n").unwrap();
    assert_eq!(warnings.len(), 1);
}

#[test]
fn broken_headers_say_what_is_wrong() {
    assert_eq!(complaint(""), "The YUV4MPEG2 header does not end");
    assert_eq!(complaint("YUV4MPEG2 W2 H2 F1:1"), "The YUV4MPEG2 header does not end");
    assert_eq!(complaint("RIFF\n"), "The file does not begin with YUV4MPEG2");
    assert_eq!(complaint("YUV4MPEG2 H2 F1:1 Ip\n"), "The YUV4MPEG2 header has no W");
    assert_eq!(complaint("YUV4MPEG2 W2 F1:1 Ip\n"), "The YUV4MPEG2 header has no H");
    for rate in ["", " F", " F25", " Fa:1", " F1:-1"] {
        let text = complaint(&format!("YUV4MPEG2 W2 H2{rate} Ip\n"));
        assert_eq!(text, "The YUV4MPEG2 header has no frame rate Fn:d");
    }
    for width in ["0", "65536", "-2", "+2", "", "2x", "99999999999999999999"] {
        let text = complaint(&format!("YUV4MPEG2 W{width} H2 F1:1 Ip\n"));
        assert_eq!(text, format!("W{width} is not within W1 to W65535"));
    }
    for scan in ["t", "b", "m", ""] {
        assert!(complaint(&format!("YUV4MPEG2 W2 H2 F1:1 I{scan}\n")).contains("interlaced"));
    }
}

#[test]
fn a_header_without_end_is_not_kept_in_memory() {
    let endless = format!("YUV4MPEG2 W2 H2 F1:1 X{}", "x".repeat(1 << 20));
    assert_eq!(complaint(&endless), "The YUV4MPEG2 header is longer than 64 KiB");
}

#[test]
fn frames_are_read_to_a_clean_end() {
    let stream = b"YUV4MPEG2 W3 H1 F1:1 Ip\nFRAME\nabcUUVVFRAME Ip Xy\ndefuuvv";
    let (read, end) = frames(stream);
    assert_eq!(read, [b"abcUUVV", b"defuuvv"]);
    assert!(!end.unwrap());
    let video = Video::yuv4mpeg2(&stream[..]).unwrap();
    assert_eq!(video.frames_within(24 + 2 * 13), 2);
    assert_eq!(video.frames_within(24 + 2 * 13 - 1), 1);
    assert_eq!(video.frames_within(3), 0);
}

#[test]
fn carriage_returns_are_dropped() {
    let (read, end) = frames(b"YUV4MPEG2 W2 H1 F1:1 Ip Cmono\r\nFRAME\r\nabFRAME\r\ncd");
    assert_eq!(read, [b"ab", b"cd"]);
    assert!(!end.unwrap());
}

#[test]
fn luma_only_and_a_fourth_plane() {
    let (read, _) = frames(b"YUV4MPEG2 W2 H1 F1:1 Ip Cmono\nFRAME\nabFRAME\ncd");
    assert_eq!(read, [b"ab", b"cd"]);
    let stream = b"YUV4MPEG2 W2 H1 F1:1 Ip C444alpha\nFRAME\nyyuuvvAAFRAME\nYYUUVVaa";
    let (read, _) = frames(stream);
    assert_eq!(read, [b"yyuuvv", b"YYUUVV"]);
    let (read, end) = frames(&stream[..stream.len() - 1]);
    assert_eq!(read.len(), 1);
    assert!(matches!(end, Err(ReadError::Truncated)));
}

#[test]
fn a_cut_frame_is_an_error_and_a_cut_marker_the_end() {
    let stream = b"YUV4MPEG2 W2 H1 F1:1 Ip Cmono\nFRAME\nabFRAME X\ncd";
    for rest in 0..10 {
        let (read, end) = frames(&stream[..stream.len() - 10 + rest]);
        assert_eq!(read, [b"ab"]);
        match rest {
            0..6 => assert!(!end.unwrap(), "{rest} bytes of a second frame"),
            _ => assert!(matches!(end, Err(ReadError::Truncated)), "{rest} bytes of a second frame"),
        }
    }
}

#[test]
fn loss_of_framing_is_noticed() {
    let (read, end) = frames(b"YUV4MPEG2 W2 H1 F1:1 Ip Cmono\nFRAME\nab\nFRAME\ncd");
    assert_eq!(read.len(), 1);
    assert_eq!(end.unwrap_err().to_string(), "Loss of framing in YUV input data");
}

#[test]
fn frames_are_skipped_with_their_parameters() {
    let stream = b"YUV4MPEG2 W2 H1 F1:1 Ip C444alpha\nFRAME X\nyyuuvvAAFRAME\nYYUUVVaa";
    let mut video = Video::yuv4mpeg2(&stream[..]).unwrap();
    assert!(video.skip_frame().unwrap());
    let mut canvas = Canvas::new(video.format());
    assert!(video.read_frame(&mut canvas).unwrap());
    assert_eq!(canvas.bytes(), b"YYUUVV");
    assert!(!video.skip_frame().unwrap());
}
