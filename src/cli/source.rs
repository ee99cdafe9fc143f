// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The two videos of a run: opened, compared, brought to one depth.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use super::args::Arguments;
use super::input::{PlaneSink, ReadError, Video};
use super::verdict::{SETUP, Verdict, say};
use crate::picture::{Format, Picture, PixelFormat};

/// Large enough that reading costs few calls, small enough for the cache.
const BUFFER: usize = 256 << 10;

/// A video file on its way through a run.
pub struct Source {
    /// As it was given, for messages.
    pub path: PathBuf,
    /// Frames in the file, where its length tells.
    pub frames: Option<u64>,
    video: Video<BufReader<File>>,
}

impl PlaneSink for Picture {
    fn row(&mut self, plane: usize, row: usize) -> &mut [u8] {
        self.row_mut(plane, row)
    }
}

impl Source {
    fn open(file: File, path: &Path, raw: Option<Format>) -> Result<Self, ReadError> {
        let bytes = file.metadata().ok().filter(|about| about.is_file()).map(|about| about.len());
        let input = BufReader::with_capacity(BUFFER, file);
        let video = match raw {
            Some(format) => Video::raw(input, format)?,
            None => Video::yuv4mpeg2(input)?,
        };
        video.warnings().iter().for_each(say);
        Ok(Self { path: path.to_owned(), frames: bytes.map(|bytes| video.frames_within(bytes)), video })
    }

    /// The format of its frames as they are read.
    pub fn format(&self) -> Format {
        self.video.format()
    }

    /// Fills a picture with the next frame; `false` at the end.
    pub fn read(&mut self, picture: &mut Picture) -> Result<bool, ReadError> {
        self.video.read_frame(picture)
    }

    /// Passes over up to `count` frames.
    pub fn skip(&mut self, count: u32) -> Result<(), ReadError> {
        for _ in 0..count {
            if !self.video.skip_frame()? {
                break;
            }
        }
        Ok(())
    }
}

/// Opens the reference and the distorted video and checks that they can be compared.
pub fn open_pair(arguments: &Arguments) -> Result<[Source; 2], Verdict> {
    let (reference, distorted) = (&arguments.reference, &arguments.distorted);
    let files = (open_file(reference)?, open_file(distorted)?);
    let mut sources = [
        begin(files.0, reference, "reference", arguments.raw)?,
        begin(files.1, distorted, "distorted", arguments.raw)?,
    ];
    let problems = differences(sources[0].format(), sources[1].format(), arguments.common_depth);
    if !problems.is_empty() {
        let count = problems.len();
        return Err(Verdict::new(
            SETUP,
            format!("{}videos are incompatible, {count} problem(s).", problems.concat()),
        ));
    }
    let bpc = sources[0].format().bpc.max(sources[1].format().bpc);
    sources.iter_mut().for_each(|source| source.video.deepen(bpc));
    Ok(sources)
}

fn open_file(path: &Path) -> Result<File, Verdict> {
    File::open(path).map_err(|_| Verdict::new(SETUP, format!("could not open file: {}", path.display())))
}

fn begin(file: File, path: &Path, role: &str, raw: Option<Format>) -> Result<Source, Verdict> {
    Source::open(file, path, raw).map_err(|error| {
        let path = path.display();
        Verdict::new(SETUP, format!("{error}\nUnknown file type.\nproblem with {role} file: {path}"))
    })
}

/// A line for each way in which two videos cannot be compared.
fn differences(reference: Format, distorted: Format, common_depth: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let [size, other] = [reference, distorted].map(|format| (format.width, format.height));
    if size != other {
        lines.push(format!("dimensions do not match: {}x{}, {}x{}\n", size.0, size.1, other.0, other.1));
    }
    let [pixel, other] = [reference.pixel, distorted.pixel].map(pixel_name);
    if pixel != other {
        lines.push(format!("pixel formats do not match: {pixel}, {other}\n"));
    }
    if reference.bpc != distorted.bpc && !common_depth {
        lines.push(format!("bitdepths do not match: {}, {}\n", reference.bpc, distorted.bpc));
    }
    lines
}

fn pixel_name(pixel: PixelFormat) -> u32 {
    match pixel {
        PixelFormat::Yuv400 => 400,
        PixelFormat::Yuv420 => 420,
        PixelFormat::Yuv422 => 422,
        PixelFormat::Yuv444 => 444,
    }
}

#[cfg(test)]
mod tests {
    use super::super::args::{Command, parse};
    use super::*;

    #[test]
    fn every_difference_is_a_line() {
        let one = Format { pixel: PixelFormat::Yuv420, bpc: 8, width: 64, height: 47 };
        let other = Format { pixel: PixelFormat::Yuv400, bpc: 10, width: 64, height: 48 };
        assert!(differences(one, one, false).is_empty());
        let lines = [
            "dimensions do not match: 64x47, 64x48\n",
            "pixel formats do not match: 420, 400\n",
            "bitdepths do not match: 8, 10\n",
        ];
        assert_eq!(differences(one, other, false), lines);
        assert_eq!(differences(one, other, true), lines[..2]);
    }

    #[test]
    fn the_shallower_video_is_brought_to_the_larger_depth() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("8"), b"YUV4MPEG2 W2 H1 F1:1 Ip Cmono\nFRAME\n\x01\xff").unwrap();
        std::fs::write(path("10"), b"YUV4MPEG2 W2 H1 F1:1 Ip Cmono10\nFRAME\n\x04\x00\xfc\x03").unwrap();
        let words = ["vmaf", "-r", &path("8"), "-d", &path("10"), "--aom_ctc", "v6.0"].map(Into::into);
        let Ok(Command::Run(arguments)) = parse(words.into_iter(), |_| ()) else { panic!() };
        for source in &mut open_pair(&arguments).unwrap() {
            assert_eq!((source.format().bpc, source.frames), (10, Some(1)));
            let mut picture = Picture::new(source.format()).unwrap();
            assert!(source.read(&mut picture).unwrap());
            assert_eq!(picture.row_mut(0, 0), [4, 0, 0xfc, 3]);
        }
    }
}
