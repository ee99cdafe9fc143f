// SPDX-License-Identifier: BSD-2-Clause-Patent
//! An extractor's options: their table, and the values of one registration.
#![forbid(unsafe_code)]

use super::dictionary::Dictionary;
use crate::error::{Error, Result};
use crate::{log, number};

/// Type, default and range of an option. A default may lie outside its range.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int {
        /// Value when not given.
        default: i32,
        /// Lowest value accepted.
        low: i32,
        /// Highest value accepted.
        high: i32,
    },
    /// A decimal number.
    Double {
        /// Value when not given.
        default: f64,
        /// Lowest value accepted.
        low: f64,
        /// Highest value accepted.
        high: f64,
    },
    /// Any text.
    Text(Option<&'static str>),
}

/// One row of an extractor's option table.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The key in a dictionary.
    pub name: &'static str,
    /// The short form in feature names; keys are never given by it.
    pub alias: Option<&'static str>,
    /// Type, default, range.
    pub kind: Kind,
    /// Whether a value other than the default is spelled in feature names.
    pub spelled: bool,
}

/// The value of one option.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of [`Kind::Bool`].
    Bool(bool),
    /// Of [`Kind::Int`].
    Int(i32),
    /// Of [`Kind::Double`].
    Double(f64),
    /// Of [`Kind::Text`].
    Text(Option<String>),
}

impl OptionSpec {
    fn default(&self) -> Value {
        match self.kind {
            Kind::Bool(default) => Value::Bool(default),
            Kind::Int { default, .. } => Value::Int(default),
            Kind::Double { default, .. } => Value::Double(default),
            Kind::Text(default) => Value::Text(default.map(str::to_owned)),
        }
    }

    /// The value that `text` stands for, or why it stands for none.
    fn parse(&self, text: &str) -> Result<Value> {
        match self.kind {
            Kind::Bool(_) => parse_bool(text).map(Value::Bool),
            Kind::Int { low, high, .. } => parse_int(text, low, high).map(Value::Int),
            Kind::Double { low, high, .. } => parse_double(text, low, high).map(Value::Double),
            Kind::Text(_) => Ok(Value::Text(Some(text.to_owned()))),
        }
    }

    /// What a feature name says of `value`: the alias, and unless it is a bool, `_value`.
    fn spelling(&self, value: &Value) -> String {
        let name = self.alias.unwrap_or(self.name);
        match value {
            Value::Bool(_) => name.to_owned(),
            Value::Int(value) => format!("{name}_{value}"),
            Value::Double(value) => format!("{name}_{}", number::general(*value, 6)),
            Value::Text(value) => format!("{name}_{}", value.as_deref().unwrap_or_default()),
        }
    }
}

fn parse_bool(text: &str) -> Result<bool> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(Error::invalid(format!("\"{text}\" is neither true nor false"))),
    }
}

fn parse_int(text: &str, low: i32, high: i32) -> Result<i32> {
    let value = number::strtol_prefix(text).unwrap_or(0);
    let in_range = (i64::from(low)..=i64::from(high)).contains(&value);
    if is_false_zero(value == 0, text) || !in_range {
        return Err(Error::invalid(format!("\"{text}\" is not a whole number within {low}..{high}")));
    }
    Ok(value as i32)
}

fn parse_double(text: &str, low: f64, high: f64) -> Result<f64> {
    let (value, _) = number::strtod(text);
    if is_false_zero(value == 0.0, text) || !(low..=high).contains(&value) {
        let range = format!("{}..{}", number::general(low, 6), number::general(high, 6));
        return Err(Error::invalid(format!("\"{text}\" is not a number within {range}")));
    }
    Ok(value)
}

/// Texts that are no number read as zero; only those that begin with the digit are meant as one.
fn is_false_zero(zero: bool, text: &str) -> bool {
    zero && !text.starts_with('0')
}

/// An extractor's options with the values of one registration.
#[derive(Clone, Debug)]
pub struct Values {
    specs: &'static [OptionSpec],
    values: Vec<Value>,
}

impl Values {
    /// Reads `given` by the table `specs` of `extractor`. Unknown keys are ignored with a warning, as scripts
    /// written for other versions rely on it; a bad value is an error that names option and range.
    pub fn read(extractor: &str, specs: &'static [OptionSpec], given: &Dictionary) -> Result<Self> {
        for (key, _) in given.iter() {
            if specs.iter().all(|spec| spec.name != key) {
                log::warning!("{extractor}: there is no option \"{key}\", ignored");
            }
        }
        let value = |spec: &OptionSpec| {
            let Some(text) = given.get(spec.name) else { return Ok(spec.default()) };
            let value = spec
                .parse(text)
                .map_err(|error| Error::invalid(format!("{extractor}: option {}: {error}", spec.name)))?;
            warn_of_rest(extractor, spec, text);
            Ok(value)
        };
        Ok(Self { specs, values: specs.iter().map(value).collect::<Result<_>>()? })
    }

    fn value(&self, name: &str) -> &Value {
        let position = self.specs.iter().position(|spec| spec.name == name);
        &self.values[position.unwrap_or_else(|| panic!("no option {name}"))]
    }

    /// The value of a bool option of the table.
    pub fn bool(&self, name: &str) -> bool {
        match self.value(name) {
            Value::Bool(value) => *value,
            other => panic!("option {name} is {other:?}"),
        }
    }

    /// The value of a whole-number option of the table.
    pub fn int(&self, name: &str) -> i32 {
        match self.value(name) {
            Value::Int(value) => *value,
            other => panic!("option {name} is {other:?}"),
        }
    }

    /// The value of a number option of the table.
    pub fn double(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Double(value) => *value,
            other => panic!("option {name} is {other:?}"),
        }
    }

    /// The value of a text option of the table.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.value(name) {
            Value::Text(value) => value.as_deref(),
            other => panic!("option {name} is {other:?}"),
        }
    }

    /// Full name and spelling of every option that feature names must show.
    pub fn spelled(&self) -> Vec<(&'static str, String)> {
        let shown = |&(spec, value): &(&OptionSpec, &Value)| spec.spelled && *value != spec.default();
        let pairs = self.specs.iter().zip(&self.values).filter(shown);
        pairs.map(|(spec, value)| (spec.name, spec.spelling(value))).collect()
    }
}

fn warn_of_rest(extractor: &str, spec: &OptionSpec, text: &str) {
    let used = match spec.kind {
        Kind::Int { .. } => {
            text.trim_start().trim_start_matches(['+', '-']).trim_start_matches(|c: char| c.is_ascii_digit())
        }
        Kind::Double { .. } => &text[number::strtod(text).1..],
        Kind::Bool(_) | Kind::Text(_) => "",
    };
    if !used.is_empty() {
        log::warning!("{extractor}: option {}: \"{used}\" at the end of \"{text}\" is ignored", spec.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[OptionSpec] = &[
        OptionSpec { name: "flag", alias: Some("f"), kind: Kind::Bool(false), spelled: true },
        OptionSpec {
            name: "count",
            alias: None,
            kind: Kind::Int { default: 0, low: 0, high: 9 },
            spelled: true,
        },
        OptionSpec {
            name: "amount",
            alias: Some("am"),
            kind: Kind::Double { default: 0.5, low: 0.0, high: 1e6 },
            spelled: true,
        },
        OptionSpec { name: "debug", alias: None, kind: Kind::Bool(true), spelled: false },
        OptionSpec { name: "text", alias: Some("t"), kind: Kind::Text(Some("near")), spelled: true },
    ];

    fn read(pairs: &[(&str, &str)]) -> Result<Values> {
        let mut given = Dictionary::new();
        for (key, value) in pairs {
            given.set(key, value);
        }
        Values::read("test", TABLE, &given)
    }

    #[test]
    fn defaults_hold_where_nothing_is_given() {
        let values = read(&[("bogus", "1")]).unwrap();
        assert!(!values.bool("flag") && values.bool("debug"));
        assert_eq!((values.int("count"), values.double("amount")), (0, 0.5));
        assert_eq!(values.text("text"), Some("near"));
        assert!(values.spelled().is_empty());
    }

    #[test]
    fn texts_become_values() {
        let values = read(&[("flag", "true"), ("count", "2x"), ("amount", "0.25"), ("text", "far")]).unwrap();
        assert!(values.bool("flag"));
        assert_eq!((values.int("count"), values.double("amount")), (2, 0.25));
        assert_eq!(values.text("text"), Some("far"));
        assert_eq!(read(&[("count", "2.9")]).unwrap().int("count"), 2);
        assert_eq!(read(&[("count", "0x")]).unwrap().int("count"), 0);
    }

    #[test]
    fn bad_values_name_the_option_and_its_range() {
        for (key, text) in [
            ("flag", "yes"),
            ("flag", "1"),
            ("count", "10"),
            ("count", "-1"),
            ("count", ""),
            ("count", "abc"),
            ("amount", "nan"),
            ("amount", "-0.5"),
            ("amount", "inf"),
            ("amount", "-0"),
        ] {
            let message = read(&[(key, text)]).unwrap_err().to_string();
            assert!(message.starts_with(&format!("test: option {key}: ")), "{key}={text}: {message}");
        }
        let message = read(&[("count", "10")]).unwrap_err().to_string();
        assert_eq!(message, "test: option count: \"10\" is not a whole number within 0..9");
    }

    #[test]
    fn only_changed_spelled_options_are_spelled() {
        let values =
            read(&[("flag", "true"), ("count", "3"), ("amount", "0.125"), ("debug", "false")]).unwrap();
        assert_eq!(
            values.spelled(),
            [("flag", "f".to_owned()), ("count", "count_3".to_owned()), ("amount", "am_0.125".to_owned())]
        );
    }
}
