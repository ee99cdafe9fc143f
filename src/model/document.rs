// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Model files: what the keys of the JSON text mean.
#![forbid(unsafe_code)]

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::json::{Json, Node};
use super::svm::Machine;
use super::transform::{MOST_KNOTS, Transform};
use super::{AnyModel, ChromaCorrection, Collection, Feature, Flags, Kind, MOST_FEATURES, Model, Scaling};
use crate::error::{Error, Result};
use crate::feature::Dictionary;

/// Longest file in bytes, some ten times the longest of libvmaf's.
const LONGEST: u64 = 4 << 20;

/// The bytes of a model file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let failed = |error: std::io::Error| Error::invalid(error.to_string());
    let mut text = Vec::new();
    File::open(path).map_err(failed)?.take(LONGEST + 1).read_to_end(&mut text).map_err(failed)?;
    Ok(text)
}

/// What a model file holds.
pub fn parse(text: &[u8], name: &str, flags: Flags) -> Result<AnyModel> {
    if text.len() as u64 > LONGEST {
        return Err(Error::invalid(format!("longer than {LONGEST} bytes")));
    }
    let json = Json::parse(text)?;
    let root = Node::root(&json);
    if root.get("model_dict")?.is_some() {
        Ok(AnyModel::Model(parse_model(&root, name, flags)?))
    } else if root.get("0")?.is_some() {
        Ok(AnyModel::Collection(parse_collection(&root, name, flags)?))
    } else {
        Err(Error::invalid("neither a model nor a model collection: no model_dict, no 0"))
    }
}

/// Key `k` counts only after all keys below it, as libvmaf reads them.
fn parse_collection(root: &Node, name: &str, flags: Flags) -> Result<Collection> {
    let mut models = Vec::new();
    let mut next = "0".to_owned();
    for (key, node) in root.entries()?.filter(|(_, node)| *node.value() != Json::Null) {
        if key == next {
            let model = parse_model(&node, name, flags)?;
            check_member(&node, &model, &models)?;
            models.push(model);
            next = models.len().to_string();
        }
    }
    let members = models.split_off(1.min(models.len()));
    let lead = models.pop().ok_or_else(|| root.error("no 0"))?;
    Collection::new(name, lead, members)
}

fn check_member(node: &Node, model: &Model, before: &[Model]) -> Result<()> {
    match before {
        [] => Ok(()),
        [_] if model.kind == Kind::Single => Err(node.error("no bootstrap model")),
        [_, first, ..] if first.kind != model.kind => Err(node.error("of another model_type than 1")),
        _ => Ok(()),
    }
}

fn parse_model(file: &Node, name: &str, flags: Flags) -> Result<Model> {
    let dict = file.require("model_dict")?;
    let kind = parse_kind(&dict.require("model_type")?)?;
    let (scaling, features) = parse_features(&dict)?;
    let text = dict.require("model")?;
    let machine = Machine::parse(text.text()?, features.len()).map_err(|error| text.error(error))?;
    let transform = dict.get("score_transform")?.map(|node| parse_transform(&node, flags)).transpose()?;
    Ok(Model {
        name: name.to_owned(),
        kind,
        chroma_correction: parse_chroma_correction(&dict, &features)?,
        features,
        scaling,
        machine: Arc::new(machine),
        transform: transform.flatten(),
        clip: parse_clip(&dict, flags)?,
    })
}

fn parse_kind(node: &Node) -> Result<Kind> {
    match node.text()? {
        "LIBSVMNUSVR" => Ok(Kind::Single),
        "BOOTSTRAP_LIBSVMNUSVR" => Ok(Kind::Bootstrap),
        "RESIDUEBOOTSTRAP_LIBSVMNUSVR" => Ok(Kind::ResidueBootstrap),
        other => Err(node.error(format_args!("\"{other}\" is not supported"))),
    }
}

/// The scaling of scores, and the features with theirs.
fn parse_features(dict: &Node) -> Result<(Scaling, Vec<Feature>)> {
    let names = dict.require("feature_names")?;
    let nodes = names.elements()?;
    if !(1..=MOST_FEATURES).contains(&nodes.len()) {
        return Err(names.error(format_args!("{} features, 1 to {MOST_FEATURES} expected", nodes.len())));
    }
    let mut scalings = parse_scalings(dict, nodes.len())?.into_iter();
    let of_score = scalings.next().unwrap_or(Scaling::None);
    let options = parse_all_options(dict, nodes.len())?;
    let features =
        nodes.iter().zip(scalings).zip(options).map(|((node, scaling), options)| {
            Ok(Feature { name: node.text()?.to_owned(), options, scaling })
        });
    Ok((of_score, features.collect::<Result<_>>()?))
}

/// The score's scaling, then the features'.
fn parse_scalings(dict: &Node, features: usize) -> Result<Vec<Scaling>> {
    let norm = dict.require("norm_type")?;
    match norm.text()? {
        "none" => Ok(vec![Scaling::None; features + 1]),
        "linear_rescale" => {
            let list = |key| of_length(&dict.require(key)?, features + 1);
            let pairs = list("slopes")?.into_iter().zip(list("intercepts")?);
            Ok(pairs.map(|(slope, intercept)| Scaling::Linear { slope, intercept }).collect())
        }
        other => Err(norm.error(format_args!("\"{other}\" is not supported"))),
    }
}

fn of_length(node: &Node, length: usize) -> Result<Vec<f64>> {
    let numbers = node.numbers()?;
    match numbers.len() == length {
        true => Ok(numbers),
        false => Err(node.error(format_args!("{length} numbers expected, {} found", numbers.len()))),
    }
}

fn parse_all_options(dict: &Node, features: usize) -> Result<Vec<Dictionary>> {
    let Some(list) = dict.get("feature_opts_dicts")? else { return Ok(vec![Dictionary::new(); features]) };
    let nodes = list.elements()?;
    if nodes.len() != features {
        return Err(list.error(format_args!("{features} objects expected, {} found", nodes.len())));
    }
    nodes.iter().map(parse_options).collect()
}

fn parse_options(node: &Node) -> Result<Dictionary> {
    let mut options = Dictionary::new();
    if *node.value() == Json::Null {
        return Ok(options);
    }
    for (key, value) in node.entries()? {
        let before = options.get(key).map(str::to_owned);
        match value.value() {
            Json::Bool(flag) => options.set_verbatim(key, if *flag { "true" } else { "false" }),
            Json::Number(number) => options.set(key, &number.to_string()),
            Json::Null => {}
            _ => options.set_verbatim(key, value.text()?),
        }
        if before.is_some_and(|before| options.get(key) != Some(&before)) {
            return Err(value.error("given twice, with different values"));
        }
    }
    Ok(options)
}

/// None where the transform is turned off.
fn parse_transform(node: &Node, flags: Flags) -> Result<Option<Transform>> {
    let number = |key| node.get(key)?.map(|value| value.number()).transpose();
    let is_true = |key| Ok(node.get(key)?.map(|value| value.text()).transpose()? == Some("true"));
    let transform = Transform {
        polynomial: [number("p0")?, number("p1")?, number("p2")?],
        knots: node.get("knots")?.map(|knots| parse_knots(&knots)).transpose()?,
        out_lte_in: is_true("out_lte_in")?,
        out_gte_in: is_true("out_gte_in")?,
    };
    let enabled = node.get("enabled")?.map(|value| value.bool()).transpose()?.unwrap_or(false);
    Ok((enabled || flags.contains(Flags::ENABLE_TRANSFORM)).then_some(transform))
}

fn parse_knots(node: &Node) -> Result<Vec<[f64; 2]>> {
    let points = node.elements()?;
    if points.len() > MOST_KNOTS {
        return Err(node.error(format_args!("{} points, at most {MOST_KNOTS} expected", points.len())));
    }
    points.iter().map(parse_pair).collect()
}

fn parse_pair(node: &Node) -> Result<[f64; 2]> {
    let numbers = of_length(node, 2)?;
    Ok([numbers[0], numbers[1]])
}

fn parse_clip(dict: &Node, flags: Flags) -> Result<Option<[f64; 2]>> {
    if flags.contains(Flags::DISABLE_CLIP) {
        return Ok(None);
    }
    dict.get("score_clip")?.map(|node| parse_pair(&node)).transpose()
}

fn parse_chroma_correction(dict: &Node, features: &[Feature]) -> Result<Option<ChromaCorrection>> {
    let Some(node) = dict.get("chroma_correction_parameter")? else { return Ok(None) };
    let place = |part: &str| {
        let found = features.iter().position(|feature| feature.name.contains(part));
        found.ok_or_else(|| node.error(format_args!("needs a feature {part}")))
    };
    match node.number()? {
        0.0 => Ok(None),
        weight => Ok(Some(ChromaCorrection { weight, luma: place("adm3")?, chroma: place("speed_chroma")? })),
    }
}
