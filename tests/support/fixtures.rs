// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Test pictures made from integer arithmetic alone, so that any program in any language makes the same
//! bytes. The CRC-32 beside each fixture in `tests/golden/` proves that this one does.
#![allow(dead_code)]

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use vmaf_rs::picture::{Format, PixelFormat};

/// What the pictures show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Moving value noise in four octaves; the distorted picture is blurred and coarsely quantised.
    Texture,
    /// The texture, undistorted on both sides.
    Identical,
    /// Independent noise on the two sides.
    Noise,
    /// A ramp with independent noise in its lowest bits.
    Smooth,
    /// A slow ramp; the distorted picture shows it in steps.
    Banding,
    /// Close to the largest value, one sample in ten dark: the largest sums of squares.
    Bright,
    /// Mid-grey; the distorted picture is one unit brighter.
    Flat,
}

/// The two pictures of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Reference,
    Distorted,
}

/// Two short sequences, the second a distorted copy of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    pub kind: Kind,
    pub width: u32,
    pub height: u32,
    pub bpc: u32,
    pub format: PixelFormat,
    pub frames: u32,
}

impl Fixture {
    /// The pictures' format.
    ///
    /// # Panics
    /// If the depth is not one that a picture can have.
    pub fn picture_format(&self) -> Format {
        Format::new(self.format, self.bpc, self.width, self.height).unwrap()
    }

    /// The samples of one plane (0 luma, 1 and 2 chroma), row by row without padding.
    pub fn plane(&self, index: usize, frame: u32, side: Side) -> Vec<u16> {
        let (width, height) = self.picture_format().plane_size(index);
        let salt = 7 + 13 * index as u32;
        match self.kind {
            Kind::Texture | Kind::Identical => self.texture(width, height, salt, frame, side),
            _ => self.pointwise(width, height, salt, frame, side),
        }
    }

    /// One frame as a raw file holds it: plane after plane, little-endian 16-bit words above 8 bits.
    pub fn frame_bytes(&self, frame: u32, side: Side) -> Vec<u8> {
        let planes = (0..self.format.planes()).map(|index| self.plane(index, frame, side));
        match self.bpc {
            8 => planes.flat_map(|plane| plane.into_iter().map(|sample| sample as u8)).collect(),
            _ => planes.flat_map(|plane| plane.into_iter().flat_map(u16::to_le_bytes)).collect(),
        }
    }

    /// Writes all frames of one side and gives the CRC-32 of what was written.
    pub fn write(&self, side: Side, file: &mut impl Write) -> io::Result<u32> {
        let mut crc = crc32fast::Hasher::new();
        for frame in 0..self.frames {
            let bytes = self.frame_bytes(frame, side);
            crc.update(&bytes);
            file.write_all(&bytes)?;
        }
        Ok(crc.finalize())
    }

    /// The CRC-32 of the file that [`Fixture::write`] would write.
    pub fn crc32(&self, side: Side) -> u32 {
        self.write(side, &mut io::sink()).expect("a sink takes everything")
    }

    fn texture(&self, width: u32, height: u32, salt: u32, frame: u32, side: Side) -> Vec<u16> {
        let mut values = texture16(width, height, salt, frame);
        if self.kind == Kind::Texture && side == Side::Distorted {
            values = box_mean(&values, width as usize);
            values.iter_mut().for_each(|value| *value = (*value >> 11 << 11) + 1024);
        }
        values.iter_mut().for_each(|value| *value >>= 16 - self.bpc);
        values
    }

    /// The kinds in which a sample depends on its own position alone.
    fn pointwise(&self, width: u32, height: u32, salt: u32, frame: u32, side: Side) -> Vec<u16> {
        let distorted = side == Side::Distorted;
        let salt = salt + 1000 * frame + if distorted { 500 } else { 0 };
        let (bpc, size) = (self.bpc, (width, height));
        match self.kind {
            Kind::Noise => fill(size, |y, x| hash(y, x, salt) >> (32 - bpc)),
            Kind::Smooth => fill(size, |y, x| (ramp(y, x, frame) >> (16 - bpc)) + (hash(y, x, salt) & 7)),
            Kind::Banding => fill(size, |y, x| slow_ramp(y, x, frame, distorted) >> (16 - bpc)),
            Kind::Bright => fill(size, |y, x| bright(hash(y, x, salt), bpc)),
            Kind::Flat => fill(size, |_, _| (1 << (bpc - 1)) + u32::from(distorted)),
            Kind::Texture | Kind::Identical => unreachable!("a texture is made of neighbourhoods"),
        }
    }
}

fn fill((width, height): (u32, u32), sample: impl Fn(u32, u32) -> u32) -> Vec<u16> {
    let mut samples = Vec::with_capacity((width * height) as usize);
    for y in 0..height {
        samples.extend((0..width).map(|x| sample(y, x) as u16));
    }
    samples
}

fn ramp(y: u32, x: u32, frame: u32) -> u32 {
    (97 * y + 61 * x + 40 * frame) * 8 % 49152 + 8192
}

fn slow_ramp(y: u32, x: u32, frame: u32, stepped: bool) -> u32 {
    let value = (23 * y + 37 * x + 64 * frame) / 4 + 16384;
    if stepped { value >> 9 << 9 } else { value }
}

fn bright(noise: u32, bpc: u32) -> u32 {
    let largest = (1 << bpc) - 1;
    match noise % 10 {
        0 => 1 + (noise >> 8) % (largest >> 3),
        _ => largest - (noise >> 8) % (1 << (bpc - 5)),
    }
}

fn mix(mut value: u32) -> u32 {
    value ^= value >> 16;
    value = value.wrapping_mul(0x7feb_352d);
    value ^= value >> 15;
    value = value.wrapping_mul(0x846c_a68b);
    value ^ value >> 16
}

fn hash(y: u32, x: u32, salt: u32) -> u32 {
    mix((y & 0xffff) << 16 ^ x & 0xffff ^ salt.wrapping_mul(0x9e37_79b9))
}

/// The texture in 16 bits; the scene moves by one row and three columns a frame.
fn texture16(width: u32, height: u32, salt: u32, frame: u32) -> Vec<u16> {
    let left = 3 * frame;
    let mut values = Vec::with_capacity((width * height) as usize);
    let mut sums = vec![0; width as usize];
    for y in frame..frame + height {
        sums.iter_mut().zip(left..).for_each(|(sum, x)| *sum = hash(y, x, salt + 303) >> 16);
        add_value_noise(&mut sums, y, left, Octave { salt, log2_period: 6, weight: 8 });
        add_value_noise(&mut sums, y, left, Octave { salt: salt + 101, log2_period: 4, weight: 4 });
        add_value_noise(&mut sums, y, left, Octave { salt: salt + 202, log2_period: 2, weight: 3 });
        values.extend(sums.iter().map(|sum| (sum >> 4) as u16));
    }
    values
}

/// Value noise: random values at the corners of squares, blended in between.
struct Octave {
    salt: u32,
    log2_period: u32,
    weight: u32,
}

/// Adds row `y` of an octave, from column `left` on.
///
/// The blend is bilinear and exact, so that blending the corners of the whole row downwards first, then
/// across, gives the same integers as square by square.
fn add_value_noise(sums: &mut [u32], y: u32, left: u32, octave: Octave) {
    let (log2, mask) = (octave.log2_period, (1 << octave.log2_period) - 1);
    let blend = |from: u32, to: u32, at: u32| from * (mask + 1 - at) + to * at;
    let corner = |row: u32, column: u32| hash(row, column, octave.salt) >> 16;
    let right = left + sums.len() as u32;
    let columns = left >> log2..=(right >> log2) + 1;
    let corners: Vec<u32> = columns
        .map(|column| blend(corner(y >> log2, column), corner((y >> log2) + 1, column), y & mask))
        .collect();
    for (sum, x) in sums.iter_mut().zip(left..) {
        let square = ((x >> log2) - (left >> log2)) as usize;
        *sum += octave.weight * (blend(corners[square], corners[square + 1], x & mask) >> (2 * log2));
    }
}

/// The mean of 3x3 samples, rounded down, edges repeated.
fn box_mean(values: &[u16], width: usize) -> Vec<u16> {
    let across: Vec<u32> = values.chunks(width).flat_map(sums_of_three).collect();
    let rows: Vec<&[u32]> = across.chunks(width).collect();
    let mut means = Vec::with_capacity(values.len());
    for (y, row) in rows.iter().enumerate() {
        let (above, below) = (rows[y.saturating_sub(1)], rows.get(y + 1).unwrap_or(row));
        means.extend(row.iter().zip(above).zip(*below).map(|((a, b), c)| ((a + b + c) / 9) as u16));
    }
    means
}

fn sums_of_three(row: &[u16]) -> impl Iterator<Item = u32> {
    let last = row.len() - 1;
    (0..=last).map(move |x| {
        let neighbours = [row[x.saturating_sub(1)], row[x], row[last.min(x + 1)]];
        neighbours.into_iter().map(u32::from).sum()
    })
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "texture" => Ok(Self::Texture),
            "identical" => Ok(Self::Identical),
            "noise" => Ok(Self::Noise),
            "smooth" => Ok(Self::Smooth),
            "banding" => Ok(Self::Banding),
            "bright" => Ok(Self::Bright),
            "flat" => Ok(Self::Flat),
            _ => Err(format!("no kind of picture: {word}")),
        }
    }
}

/// Reads `KIND WIDTH HEIGHT BPC FORMAT FRAMES`.
impl FromStr for Fixture {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[kind, width, height, bpc, format, frames] = words.as_slice() else {
            return Err(format!("not KIND WIDTH HEIGHT BPC FORMAT FRAMES: {text}"));
        };
        let number = |word: &str| word.parse::<u32>().map_err(|error| format!("{word}: {error}"));
        let format = pixel_format(format)?;
        let (width, height, bpc, frames) = (number(width)?, number(height)?, number(bpc)?, number(frames)?);
        Format::new(format, bpc, width, height).map_err(|error| error.to_string())?;
        Ok(Self { kind: kind.parse()?, width, height, bpc, format, frames })
    }
}

fn pixel_format(word: &str) -> Result<PixelFormat, String> {
    match word {
        "420" => Ok(PixelFormat::Yuv420),
        "422" => Ok(PixelFormat::Yuv422),
        "444" => Ok(PixelFormat::Yuv444),
        "400" => Ok(PixelFormat::Yuv400),
        _ => Err(format!("no pixel format: {word}")),
    }
}

impl fmt::Display for Fixture {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, width, height, bpc, format, frames } = self;
        write!(out, "{kind:?} {width}x{height} {bpc} bits {format:?} {frames} frames")
    }
}
