// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Options as a caller spells them.
#![forbid(unsafe_code)]

use crate::number;

/// Option names and value texts in the order they were first set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dictionary {
    entries: Vec<(String, String)>,
}

impl Dictionary {
    /// No options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets or replaces an option.
    ///
    /// A value that is a number as a whole becomes the shortest text of its single-precision value to six
    /// digits (`1.0` becomes `1`), since feature names are built from these texts.
    pub fn set(&mut self, key: &str, value: &str) {
        match number::strtof_whole(value) {
            Some(number) => self.set_verbatim(key, &number::general(number.into(), 6)),
            None => self.set_verbatim(key, value),
        }
    }

    /// Sets or replaces an option whose text stays as it is.
    pub fn set_verbatim(&mut self, key: &str, value: &str) {
        match self.entries.iter_mut().find(|(name, _)| name == key) {
            Some((_, text)) => value.clone_into(text),
            None => self.entries.push((key.to_owned(), value.to_owned())),
        }
    }

    /// The value text of an option.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find(|&(name, _)| name == key).map(|(_, value)| value)
    }

    /// All options in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// How many options there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no option.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rewritten_other_texts_kept() {
        let rewritten = |text| {
            let mut dictionary = Dictionary::new();
            dictionary.set("key", text);
            dictionary.get("key").unwrap().to_owned()
        };
        for (text, expected) in [
            ("1.0", "1"),
            ("0.06", "0.06"),
            (".5e1", "5"),
            ("0x10", "16"),
            ("1234567", "1.23457e+06"),
            (" 7 ", "7"),
            ("2x", "2x"),
            ("true", "true"),
            ("", ""),
        ] {
            assert_eq!(rewritten(text), expected);
        }
    }

    #[test]
    fn a_repeated_key_keeps_its_place() {
        let mut dictionary = Dictionary::new();
        for (key, value) in [("a", "x"), ("b", "y"), ("a", "z")] {
            dictionary.set(key, value);
        }
        assert_eq!(dictionary.iter().collect::<Vec<_>>(), [("a", "z"), ("b", "y")]);
    }
}
