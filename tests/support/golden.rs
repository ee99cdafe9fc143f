// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The golden figures in `tests/golden/`: what libvmaf's plain C arithmetic gives for each fixture.
//! `tests/golden/import.py` writes the files and describes their lines.

use std::fs;
use std::path::Path;

use super::fixtures::Fixture;

/// Scores by key, one a frame; `None` is a score that is not finite.
pub type Table = Vec<(String, Vec<Option<f64>>)>;

/// A fixture and everything known about it.
#[derive(Clone, Debug)]
pub struct Golden {
    pub fixture: Fixture,
    /// CRC-32 of the reference file and of the distorted one.
    pub crc32: [u32; 2],
    pub runs: Vec<GoldenRun>,
}

/// One extractor with its options over all frames of a fixture.
#[derive(Clone, Debug, Default)]
pub struct GoldenRun {
    pub extractor: String,
    pub options: Vec<(String, String)>,
    pub frames: Table,
    /// What the platform's math library may give instead of the figures in `frames`.
    pub glibc: Table,
    /// Keys that the reference computes from undefined memory: no figure is right for them.
    pub undefined: Vec<String>,
    /// The reference returns an error or crashes: the library must return an error.
    pub refused: bool,
}

impl GoldenRun {
    /// The run as its `run` line has it.
    pub fn name(&self) -> String {
        let options = self.options.iter().map(|(key, value)| format!(":{key}={value}"));
        self.extractor.clone() + &options.collect::<String>()
    }

    /// The keys that have figures.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.frames.iter().map(|(key, _)| key.as_str())
    }

    /// Every way in which a result differs from the figures, one line each; none if it is identical.
    ///
    /// Equal means the same bits. A tolerance would let an arithmetic pass that is not the reference's.
    pub fn differences(&self, got: &Result<Table, String>) -> Vec<String> {
        match got {
            Err(_) if self.refused => Vec::new(),
            Err(error) => vec![format!("failed: {error}")],
            Ok(_) if self.refused => vec!["gave scores where an error is due".into()],
            Ok(table) => self.frames.iter().flat_map(|row| self.row_differences(row, table)).collect(),
        }
    }

    fn row_differences(&self, (key, expected): &(String, Vec<Option<f64>>), got: &Table) -> Vec<String> {
        let Some(got) = find(got, key) else { return vec![format!("{key}: missing")] };
        if got.len() != expected.len() {
            return vec![format!("{key}: {} frames expected, got {}", expected.len(), got.len())];
        }
        let other = find(&self.glibc, key).unwrap_or(expected);
        let rows = expected.iter().zip(other).zip(got).enumerate();
        rows.filter(|(_, ((expected, other), got))| !same(**got, **expected) && !same(**got, **other))
            .map(|(frame, ((expected, _), got))| {
                format!("{key} frame {frame}: {expected:?} expected, got {got:?}")
            })
            .collect()
    }
}

fn find<'a>(table: &'a Table, key: &str) -> Option<&'a Vec<Option<f64>>> {
    table.iter().find(|(name, _)| name == key).map(|(_, scores)| scores)
}

fn same(got: Option<f64>, expected: Option<f64>) -> bool {
    got.map(f64::to_bits) == expected.map(f64::to_bits)
}

/// All figures of extractors, in the order of the files' names.
///
/// # Panics
/// If a file cannot be read; the message names file and line.
pub fn load_all() -> Vec<Golden> {
    load_folder("tests/golden")
}

/// All figures of models with their features; `extractor` of a run is `model=NAME`.
///
/// # Panics
/// If a file cannot be read; the message names file and line.
pub fn load_models() -> Vec<Golden> {
    load_folder("tests/golden/models")
}

fn load_folder(folder: &str) -> Vec<Golden> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(folder).expect("the folder is part of the sources");
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "golden"));
    paths.sort();
    paths.iter().flat_map(|path| load(path)).collect()
}

fn load(path: &Path) -> Vec<Golden> {
    let name = path.display();
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Reads the text of one file.
pub fn parse(text: &str) -> Result<Vec<Golden>, String> {
    let mut all = Vec::new();
    for (index, line) in text.lines().enumerate() {
        parse_line(line, &mut all).map_err(|error| format!("line {}: {error}", index + 1))?;
    }
    Ok(all)
}

fn parse_line(line: &str, all: &mut Vec<Golden>) -> Result<(), String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "" | "#" => {}
        "fixture" => all.push(parse_fixture(rest)?),
        "run" => last(all)?.runs.push(parse_run(rest)?),
        "refused" => last_run(all)?.refused = true,
        "undefined" => last_run(all)?.undefined.extend(rest.split(' ').map(String::from)),
        "glibc" => {
            let (key, numbers) = rest.split_once(' ').ok_or("no numbers")?;
            last_run(all)?.glibc.push((key.into(), parse_numbers(numbers)?));
        }
        key => last_run(all)?.frames.push((key.into(), parse_numbers(rest)?)),
    }
    Ok(())
}

fn last(all: &mut [Golden]) -> Result<&mut Golden, String> {
    all.last_mut().ok_or("no fixture before this line".into())
}

fn last_run(all: &mut [Golden]) -> Result<&mut GoldenRun, String> {
    last(all)?.runs.last_mut().ok_or("no run before this line".into())
}

fn parse_fixture(text: &str) -> Result<Golden, String> {
    let (fixture, rest) = text.split_once(" ref ").ok_or("no CRC-32")?;
    let (reference, distorted) = rest.split_once(" dis ").ok_or("one CRC-32 only")?;
    let crc32 = |word| u32::from_str_radix(word, 16).map_err(|error| format!("{word}: {error}"));
    Ok(Golden { fixture: fixture.parse()?, crc32: [crc32(reference)?, crc32(distorted)?], runs: Vec::new() })
}

fn parse_run(text: &str) -> Result<GoldenRun, String> {
    let mut words = text.split(':');
    let extractor = words.next().unwrap_or_default().to_owned();
    let option = |word: &str| {
        let (key, value) = word.split_once('=').ok_or(format!("no value: {word}"))?;
        Ok((key.to_owned(), value.to_owned()))
    };
    let options = words.map(option).collect::<Result<_, String>>()?;
    Ok(GoldenRun { extractor, options, ..GoldenRun::default() })
}

fn parse_numbers(text: &str) -> Result<Vec<Option<f64>>, String> {
    let number = |word: &str| match word {
        "null" => Ok(None),
        _ => word.parse().map(Some).map_err(|error| format!("{word}: {error}")),
    };
    text.split(' ').map(number).collect()
}
