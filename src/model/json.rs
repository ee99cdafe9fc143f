// SPDX-License-Identifier: BSD-2-Clause-Patent
//! JSON as a tree that keeps the order of keys and sees repeated ones, and that tells where a value stands.
#![forbid(unsafe_code)]

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::error::{Error, Result};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a whole text. The error says line and column.
    pub fn parse(text: &[u8]) -> Result<Self> {
        serde_json::from_slice(text).map_err(|error| Error::invalid(format!("not JSON: {error}")))
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_any(Builder)
    }
}

struct Builder;

impl<'de> Visitor<'de> for Builder {
    type Value = Json;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> std::result::Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> std::result::Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> std::result::Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> std::result::Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> std::result::Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> std::result::Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> std::result::Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> std::result::Result<Json, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = from.next_element()? {
            elements.push(element);
        }
        Ok(Json::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> std::result::Result<Json, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = from.next_entry()? {
            entries.push(entry);
        }
        Ok(Json::Object(entries))
    }
}

/// A value and its place in the text, for messages.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    value: &'a Json,
    place: String,
}

impl<'a> Node<'a> {
    /// The whole of a text, whose members' places are their keys.
    pub fn root(value: &'a Json) -> Self {
        Self { value, place: String::new() }
    }

    /// The value itself.
    pub fn value(&self) -> &'a Json {
        self.value
    }

    /// An error at this place.
    pub fn error(&self, message: impl fmt::Display) -> Error {
        let colon = if self.place.is_empty() { "" } else { ": " };
        Error::invalid(format!("{}{colon}{message}", self.place))
    }

    fn wrong(&self, expected: &str) -> Error {
        self.error(format_args!("{expected} expected, {} found", self.value.kind()))
    }

    /// The number here.
    pub fn number(&self) -> Result<f64> {
        match self.value {
            Json::Number(value) => Ok(*value),
            _ => Err(self.wrong("a number")),
        }
    }

    /// The boolean here.
    pub fn bool(&self) -> Result<bool> {
        match self.value {
            Json::Bool(value) => Ok(*value),
            _ => Err(self.wrong("a boolean")),
        }
    }

    /// The text here.
    pub fn text(&self) -> Result<&'a str> {
        match self.value {
            Json::Text(value) => Ok(value),
            _ => Err(self.wrong("a text")),
        }
    }

    /// The elements of the array here.
    pub fn elements(&self) -> Result<Vec<Self>> {
        let Json::Array(elements) = self.value else { return Err(self.wrong("an array")) };
        let node = |(index, value)| Self { value, place: format!("{}[{index}]", self.place) };
        Ok(elements.iter().enumerate().map(node).collect())
    }

    /// The numbers of the array here.
    pub fn numbers(&self) -> Result<Vec<f64>> {
        self.elements()?.iter().map(Self::number).collect()
    }

    /// Keys and values of the object here, in order and as often as they stand there.
    pub fn entries(&self) -> Result<impl Iterator<Item = (&'a str, Self)> + use<'a>> {
        let Json::Object(entries) = self.value else { return Err(self.wrong("an object")) };
        let place = self.place.clone();
        Ok(entries.iter().map(move |(key, value)| (key.as_str(), Self { value, place: child(&place, key) })))
    }

    /// The value of `key` in the object here; `null` is as good as none. A key that stands twice is an error.
    pub fn get(&self, key: &str) -> Result<Option<Self>> {
        let mut found = self.entries()?.filter(|&(name, _)| name == key).map(|(_, node)| node);
        match (found.next(), found.next()) {
            (_, Some(second)) => Err(second.error("given twice")),
            (first, None) => Ok(first.filter(|node| *node.value != Json::Null)),
        }
    }

    /// The value of `key`, which must be there.
    pub fn require(&self, key: &str) -> Result<Self> {
        self.get(key)?.ok_or_else(|| self.error(format_args!("no {key}")))
    }
}

fn child(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn order_and_repeated_keys_are_kept() {
        let json = parse(r#"{"b": 1, "a": [true, null, "x"], "b": {}}"#);
        let root = Node::root(&json);
        let keys: Vec<_> = root.entries().unwrap().map(|(key, _)| key).collect();
        assert_eq!(keys, ["b", "a", "b"]);
        assert_eq!(root.get("b").unwrap_err().to_string(), "b: given twice");
        let a = root.require("a").unwrap().elements().unwrap();
        assert!(a[0].bool().unwrap() && *a[1].value() == Json::Null && a[2].text() == Ok("x"));
    }

    #[test]
    fn numbers_are_rounded_correctly() {
        for text in ["0.1", "1.7976931348623157e308", "4.35", "2.8098077502505414", "0.30000000000000004"] {
            assert_eq!(parse(text), Json::Number(text.parse().unwrap()));
        }
        // Halfway between two doubles, but for the last digit.
        assert_eq!(parse("9007199254740993.0000000000000001"), Json::Number(9007199254740994.0));
        assert_eq!(parse("18446744073709551615"), Json::Number(18446744073709551616.0));
        assert_eq!(parse("-7"), Json::Number(-7.0));
    }

    #[test]
    fn a_message_tells_the_place() {
        let json = parse(r#"{"a": {"b": [1, "x"], "n": null}}"#);
        let a = Node::root(&json).require("a").unwrap();
        let b = a.require("b").unwrap();
        assert_eq!(b.numbers().unwrap_err().to_string(), "a.b[1]: a number expected, a text found");
        assert_eq!(a.require("n").unwrap_err().to_string(), "a: no n");
        assert_eq!(Node::root(&json).require("c").unwrap_err().to_string(), "no c");
        let syntax = Json::parse(b"{\n \"a\": }").unwrap_err().to_string();
        assert!(syntax.contains("line 2 column"), "{syntax}");
    }
}
