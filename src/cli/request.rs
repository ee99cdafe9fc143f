// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The texts of `--model` and `--feature`: pairs `key=value` joined by `:`.
//!
//! Within a value `\:` stands for a colon and `\\` for a backslash; a backslash before anything
//! else is itself.

/// Where a model comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelSource {
    /// A built-in model's version.
    Version(String),
    /// A model file.
    Path(String),
}

/// An extractor's option as a model is to use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overload {
    /// The extractor's name.
    pub extractor: String,
    /// The option's name.
    pub option: String,
    /// Its value.
    pub value: String,
}

/// A model that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRequest {
    /// Which model.
    pub source: ModelSource,
    /// Its name in logs, `vmaf` if none was given.
    pub name: String,
    /// Leave scores outside of the model's range as they are.
    pub disable_clip: bool,
    /// Apply the model's score transformation.
    pub enable_transform: bool,
    /// Options of its extractors, in the order given.
    pub overloads: Vec<Overload>,
}

/// A feature extractor that was asked for by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureRequest {
    /// The extractor's name.
    pub name: String,
    /// Its options and their values, in the order given.
    pub options: Vec<(String, String)>,
}

impl ModelRequest {
    /// Most overloads of one model.
    pub const MOST_OVERLOADS: usize = 32;

    /// The built-in model of this version, under the default name.
    pub fn version(version: &str) -> Self {
        Self {
            source: ModelSource::Version(version.to_owned()),
            name: "vmaf".to_owned(),
            disable_clip: false,
            enable_transform: false,
            overloads: Vec::new(),
        }
    }

    /// The version or path, as messages show it.
    pub fn label(&self) -> &str {
        match &self.source {
            ModelSource::Version(text) | ModelSource::Path(text) => text,
        }
    }

    /// Reads a model text. The error is the reason for a usage message.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (mut model, mut version, mut path) = (Self::version(""), None, None);
        for pair in pairs(text) {
            match (pair.key, pair.whole_value) {
                ("path", Some(value)) => path = Some(unescape(value)),
                ("version", Some(_)) => version = pair.value(),
                _ => model.set(&pair)?,
            }
        }
        let version = version.map(ModelSource::Version);
        let source = version.or(path.map(ModelSource::Path));
        model.source =
            source.ok_or_else(|| format!("Problem parsing model, no version or path in \"{text}\"."))?;
        Ok(model)
    }

    fn set(&mut self, pair: &Pair) -> Result<(), String> {
        match (pair.key, pair.value()) {
            ("disable_clip", value) => self.disable_clip |= value.is_none_or(|value| value == "true"),
            ("enable_transform", value) => self.enable_transform |= value.is_none_or(|value| value == "true"),
            ("name", Some(value)) => self.name = value,
            (key, Some(value)) => self.overload(key, value)?,
            (key, None) => return Err(bad_model_option(key)),
        }
        Ok(())
    }

    fn overload(&mut self, key: &str, value: String) -> Result<(), String> {
        let (extractor, option) = key.split_once('.').ok_or_else(|| bad_model_option(key))?;
        if self.overloads.len() == Self::MOST_OVERLOADS {
            return Err(format!(
                "A maximum of {} feature overloads per model are supported.",
                Self::MOST_OVERLOADS
            ));
        }
        self.overloads.push(Overload { extractor: extractor.to_owned(), option: option.to_owned(), value });
        Ok(())
    }
}

fn bad_model_option(key: &str) -> String {
    format!("Problem parsing model, bad option string \"{key}\".")
}

impl FeatureRequest {
    /// Reads a feature text. The error is the reason for a usage message.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, options) = match text.split_once('=') {
            Some((name, options)) => (name, options),
            None => return Ok(Self { name: text.to_owned(), options: Vec::new() }),
        };
        let options = pairs(options).map(|pair| match pair.whole_value {
            Some(value) => Ok((pair.key.to_owned(), unescape(value))),
            None => Err(format!("Problem parsing feature \"{name}\", bad option string \"{}\".", pair.key)),
        });
        Ok(Self { name: name.to_owned(), options: options.collect::<Result<_, _>>()? })
    }
}

/// A pair as it was written; the key is all of it where no `=` is.
struct Pair<'a> {
    key: &'a str,
    whole_value: Option<&'a str>,
}

impl Pair<'_> {
    /// The value up to a second `=`, which ends it everywhere but in paths.
    fn value(&self) -> Option<String> {
        let value = self.whole_value?;
        Some(unescape(value.split_once('=').map_or(value, |(value, _)| value)))
    }
}

fn pairs(text: &str) -> impl Iterator<Item = Pair<'_>> {
    let mut escaped = false;
    let separates = move |character: char| {
        let separates = character == ':' && !escaped;
        escaped = character == '\\' && !escaped;
        separates
    };
    text.split(separates).map(|pair| match pair.split_once('=') {
        Some((key, value)) => Pair { key, whole_value: Some(value) },
        None => Pair { key: pair, whole_value: None },
    })
}

fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped =
            if character == '\\' { characters.next_if(|&next| matches!(next, ':' | '\\')) } else { None };
        text.push(escaped.unwrap_or(character));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(text: &str) -> ModelRequest {
        ModelRequest::parse(text).expect(text)
    }

    #[test]
    fn a_model_by_version_or_path() {
        assert_eq!(model("version=vmaf_v0.6.1"), ModelRequest::version("vmaf_v0.6.1"));
        let by_path = model("path=/a/b.json:name=mine:disable_clip:enable_transform=true");
        assert_eq!(by_path.source, ModelSource::Path("/a/b.json".to_owned()));
        assert_eq!(
            (by_path.name.as_str(), by_path.disable_clip, by_path.enable_transform),
            ("mine", true, true)
        );
        assert_eq!(model("version=v:path=p").label(), "v");
        assert_eq!(model("path=p:version=v").label(), "v");
    }

    #[test]
    fn flags_take_true_and_nothing_else() {
        assert!(!model("version=v:disable_clip=1:enable_transform=").disable_clip);
        assert!(model("version=v:disable_clip=true:disable_clip=false").disable_clip);
        assert!(model("version=v:enable_transform").enable_transform);
    }

    #[test]
    fn overloads_keep_their_order() {
        let overloads = model("version=v:vif.a=1:adm.b.c=x=y").overloads;
        let texts = overloads.iter().map(|o| [o.extractor.as_str(), &o.option, &o.value]);
        assert_eq!(texts.collect::<Vec<_>>(), [["vif", "a", "1"], ["adm", "b.c", "x"]]);
        let many = |count| format!("version=v{}", ":a.b=c".repeat(count));
        assert_eq!(model(&many(32)).overloads.len(), 32);
        assert!(ModelRequest::parse(&many(33)).is_err());
    }

    #[test]
    fn escapes_and_equal_signs_in_paths() {
        assert_eq!(model(r"path=C\:\\a\b=c\\:name=x").label(), r"C:\a\b=c\");
        assert_eq!(model(r"version=a=b").label(), "a");
        assert_eq!(model(r"version=v:name=a\:b").name, "a:b");
    }

    #[test]
    fn broken_models_are_named() {
        let bad = |key| format!("Problem parsing model, bad option string \"{key}\".");
        for (text, key) in
            [("vmaf_v0.6.1", "vmaf_v0.6.1"), ("version=v:", ""), ("", ""), ("version=v:x", "x")]
        {
            assert_eq!(ModelRequest::parse(text), Err(bad(key)));
        }
        assert_eq!(ModelRequest::parse("version"), Err(bad("version")));
        assert_eq!(ModelRequest::parse("version=v:x=1"), Err(bad("x")));
        assert!(ModelRequest::parse("name=x").unwrap_err().contains("no version or path"));
    }

    #[test]
    fn features_with_and_without_options() {
        let feature = |text| FeatureRequest::parse(text).map(|f| (f.name, f.options));
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(feature("psnr"), Ok(("psnr".to_owned(), vec![])));
        let options = vec![pair("a", "1"), pair("b", "x:y=z"), pair("c", "")];
        assert_eq!(feature(r"psnr=a=1:b=x\:y=z:c="), Ok(("psnr".to_owned(), options)));
        let bad = |key| Err(format!("Problem parsing feature \"psnr\", bad option string \"{key}\"."));
        assert_eq!(feature("psnr="), bad(""));
        assert_eq!(feature("psnr=a=1:b"), bad("b"));
    }
}
