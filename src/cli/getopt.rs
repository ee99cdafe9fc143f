// SPDX-License-Identifier: BSD-2-Clause-Patent
//! GNU getopt's reading of a command line, turned into words that clap reads the same way.
//!
//! Scripts rely on it: options that this release does not know are reported and passed over,
//! words that belong to no option are ignored, a value may begin with a hyphen, and long names
//! may be cut short. What comes out is `--name` or `--name=value` with whole names, in order.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use clap::{Arg, Command};

/// Rewrites `words`, the program's name not among them, by the options of `command`.
///
/// Getopt's complaints go to `complain`. Reading ends at an option whose name is in `last`.
pub fn canonical_words(
    command: &Command,
    words: impl Iterator<Item = OsString>,
    last: &[&str],
    complain: &mut dyn FnMut(String),
) -> Vec<OsString> {
    let mut scanner = Scanner { command, words, last, complain, canonical: Vec::new(), ended: false };
    while !scanner.ended {
        scanner.step();
    }
    scanner.canonical
}

struct Scanner<'a, W> {
    command: &'a Command,
    words: W,
    last: &'a [&'a str],
    complain: &'a mut dyn FnMut(String),
    canonical: Vec<OsString>,
    ended: bool,
}

impl<W: Iterator<Item = OsString>> Scanner<'_, W> {
    /// Reads a word and the value behind it; nothing is read from `--` on.
    fn step(&mut self) {
        let word = self.words.next();
        match word.as_deref().map(OsStr::as_bytes) {
            None | Some(b"--") => self.ended = true,
            Some([b'-', b'-', name @ ..]) => self.long(name),
            Some([b'-', letters @ ..]) => self.cluster(letters),
            Some(_) => {}
        }
    }

    fn long(&mut self, text: &[u8]) {
        let mut parts = text.splitn(2, |&byte| byte == b'=');
        let name = String::from_utf8_lossy(parts.next().unwrap_or_default());
        let attached = parts.next();
        match (find_long(self.command, &name), attached) {
            (Ok(arg), Some(_)) if !takes_value(arg) => {
                (self.complain)(format!("option '--{}' doesn't allow an argument", long_name(arg)));
            }
            (Ok(arg), None) if takes_value(arg) => match self.words.next() {
                Some(value) => self.push(arg, Some(value.as_bytes())),
                None => (self.complain)(format!("option '--{}' requires an argument", long_name(arg))),
            },
            (Ok(arg), value) => self.push(arg, value),
            (Err(candidates), _) => {
                (self.complain)(not_found(&String::from_utf8_lossy(text), &candidates));
            }
        }
    }

    fn cluster(&mut self, letters: &[u8]) {
        for (index, &letter) in letters.iter().enumerate() {
            let Some(arg) = find_short(self.command, letter) else {
                (self.complain)(format!("invalid option -- '{}'", char::from(letter)));
                continue;
            };
            if takes_value(arg) {
                return self.short_value(arg, letter, &letters[index + 1..]);
            }
            self.push(arg, None);
            if self.ended {
                return;
            }
        }
    }

    fn short_value(&mut self, arg: &Arg, letter: u8, attached: &[u8]) {
        if !attached.is_empty() {
            return self.push(arg, Some(attached));
        }
        match self.words.next() {
            Some(value) => self.push(arg, Some(value.as_bytes())),
            None => (self.complain)(format!("option requires an argument -- '{}'", char::from(letter))),
        }
    }

    fn push(&mut self, arg: &Arg, value: Option<&[u8]>) {
        let mut word = format!("--{}", long_name(arg)).into_bytes();
        if let Some(value) = value {
            word.push(b'=');
            word.extend_from_slice(value);
        }
        self.canonical.push(OsString::from_vec(word));
        self.ended |= self.last.contains(&long_name(arg));
    }
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

fn long_name(arg: &Arg) -> &str {
    arg.get_long().unwrap_or_default()
}

fn find_short(command: &Command, letter: u8) -> Option<&Arg> {
    command.get_arguments().find(|arg| arg.get_short() == Some(char::from(letter)))
}

/// The option of this name or alias, else the only one whose name begins so, else all of those.
fn find_long<'a>(command: &'a Command, name: &str) -> Result<&'a Arg, Vec<&'a Arg>> {
    let is_named = |arg: &&Arg| {
        arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
    };
    if let Some(arg) = command.get_arguments().find(is_named) {
        return Ok(arg);
    }
    let candidates: Vec<_> = command.get_arguments().filter(|arg| long_name(arg).starts_with(name)).collect();
    match candidates[..] {
        [arg] => Ok(arg),
        _ => Err(candidates),
    }
}

fn not_found(word: &str, candidates: &[&Arg]) -> String {
    if candidates.is_empty() {
        return format!("unrecognized option '--{word}'");
    }
    let names: String = candidates.iter().map(|arg| format!(" '--{}'", long_name(arg))).collect();
    format!("option '--{word}' is ambiguous; possibilities:{names}")
}

/// The words that `text` holds, separated by blanks, as a shell would pass them without quoting.
#[cfg(test)]
pub(super) fn split(text: &str) -> impl Iterator<Item = OsString> {
    text.split_whitespace().map(|word| OsStr::new(word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ArgAction;

    fn command() -> Command {
        Command::new("test").args([
            Arg::new("width").long("width").short('w').action(ArgAction::Set),
            Arg::new("frames").long("frames").action(ArgAction::Set).alias("f"),
            Arg::new("frame_skip").long("frame_skip").action(ArgAction::Set),
            Arg::new("quiet").long("quiet").short('q').action(ArgAction::SetTrue),
            Arg::new("version").long("version").short('v').action(ArgAction::SetTrue),
        ])
    }

    /// The canonical words, then the complaints, each joined by `|`.
    fn read(text: &str) -> (String, String) {
        let mut complaints = Vec::new();
        let words = canonical_words(&command(), split(text), &["version"], &mut |text| complaints.push(text));
        let words: Vec<_> = words.into_iter().map(|word| word.into_string().unwrap()).collect();
        (words.join("|"), complaints.join("|"))
    }

    fn accepts(text: &str, words: &str) {
        assert_eq!(read(text), (words.to_owned(), String::new()), "{text}");
    }

    fn complains(text: &str, words: &str, complaint: &str) {
        assert_eq!(read(text), (words.to_owned(), complaint.to_owned()), "{text}");
    }

    #[test]
    fn values_stand_behind_or_attached() {
        for text in ["-w 352", "-w352", "--width 352", "--width=352", "--wi 352", "--w=352"] {
            accepts(text, "--width=352");
        }
        accepts("-qw352 -q", "--quiet|--width=352|--quiet");
        accepts("--width= --width=a=b", "--width=|--width=a=b");
    }

    #[test]
    fn a_value_may_look_like_an_option() {
        accepts("-w -1 --width --quiet -w -- -q", "--width=-1|--width=--quiet|--width=--|--quiet");
    }

    #[test]
    fn other_words_are_ignored() {
        accepts("one -q - two", "--quiet");
        accepts("-q -- -w 3", "--quiet");
    }

    #[test]
    fn long_names_may_be_cut_while_unique() {
        accepts("--frames 1 --f 2 --frame_ 3", "--frames=1|--frames=2|--frame_skip=3");
        let possibilities = "possibilities: '--frames' '--frame_skip'";
        complains("--fra 1 -q", "--quiet", &format!("option '--fra' is ambiguous; {possibilities}"));
        complains("--fra=1", "", &format!("option '--fra=1' is ambiguous; {possibilities}"));
    }

    #[test]
    fn unknown_options_are_reported_and_passed_over() {
        complains("--bogus 3 -q", "--quiet", "unrecognized option '--bogus'");
        complains("--bogus=3 -q", "--quiet", "unrecognized option '--bogus=3'");
        complains("-xqyw3", "--quiet|--width=3", "invalid option -- 'x'|invalid option -- 'y'");
        complains("--widths 3", "", "unrecognized option '--widths'");
    }

    #[test]
    fn missing_and_surplus_values_are_reported() {
        complains("-q -w", "--quiet", "option requires an argument -- 'w'");
        complains("--wid", "", "option '--width' requires an argument");
        complains("--quiet=1 -q", "--quiet", "option '--quiet' doesn't allow an argument");
    }

    #[test]
    fn reading_ends_at_a_last_option() {
        accepts("-q --vers --bogus", "--quiet|--version");
        accepts("-qvx", "--quiet|--version");
    }

    #[test]
    fn bytes_that_are_no_text_pass_through() {
        let word = OsString::from_vec(b"-w/\xff".to_vec());
        let words = canonical_words(&command(), [word].into_iter(), &[], &mut |text| panic!("{text}"));
        assert_eq!(words, [OsString::from_vec(b"--width=/\xff".to_vec())]);
    }
}
