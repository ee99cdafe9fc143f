// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Models: predictions bit for bit, files and their faults, and the packages that the figures are from.

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use serde_json::Value;
use support::golden::{self, GoldenRun};
use vmaf_rs::context::{Configuration, Context};
use vmaf_rs::error::{Error, Result};
use vmaf_rs::feature::names;
use vmaf_rs::feature::pooling::Pooling;
use vmaf_rs::model::{AnyModel, BootstrapScore, Collection, Flags, Model, VERSIONS};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

fn built_in(version: &str) -> Model {
    Model::built_in(version, "vmaf", Flags::empty()).unwrap()
}

/// A context with values of a model's features under their internal names, one row a frame.
fn context_with(features: &[&str], rows: &[Vec<f64>]) -> Context {
    let mut context = Context::new(Configuration::default()).unwrap();
    for (index, row) in (0..).zip(rows) {
        for (name, &value) in features.iter().zip(row) {
            context.import_feature_score(name, value, index).unwrap();
        }
    }
    context
}

fn names_of(model: &Model) -> Vec<&str> {
    model.features.iter().map(|feature| feature.name.as_str()).collect()
}

/// The key under which a golden run holds a feature: the printed name, and what its options add.
fn golden_key<'a>(run: &'a GoldenRun, feature: &str) -> &'a (String, Vec<Option<f64>>) {
    let printed = names::alias(feature);
    let is_it =
        |key: &str| key.strip_prefix(printed).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    let found: Vec<_> = run.frames.iter().filter(|(key, _)| is_it(key)).collect();
    assert_eq!(found.len(), 1, "{feature} in {}", run.name());
    found[0]
}

/// A run of a model of this version whose scores are known.
struct Scored {
    place: String,
    version: String,
    run: GoldenRun,
    expected: Vec<Option<f64>>,
}

fn scored_runs() -> Vec<Scored> {
    let all = golden::load_models();
    let runs = all.iter().flat_map(|golden| golden.runs.iter().map(move |run| (golden, run)));
    let scored = runs.filter_map(|(golden, run)| {
        let version = run.extractor.strip_prefix("model=").expect("a model").to_owned();
        // Absent where the reference refuses the pictures, or computes from undefined memory.
        let expected = run.frames.iter().find(|(key, _)| *key == version)?.1.clone();
        let place = format!("{}, {version}", golden.fixture);
        Some(Scored { place, version, run: run.clone(), expected })
    });
    scored.collect()
}

#[test]
fn golden_scores_follow_from_golden_features() {
    let mut scores = 0;
    for Scored { place, version, run, expected } in scored_runs() {
        let model = built_in(&version);
        let columns: Vec<_> = names_of(&model).into_iter().map(|name| golden_key(&run, name)).collect();
        for (frame, &expected) in expected.iter().enumerate() {
            let values = columns.iter().map(|(_, values)| values[frame]).collect::<Option<Vec<_>>>();
            let score = values.map(|values| model.predict(&values));
            let same = score.map(f64::to_bits) == expected.map(f64::to_bits);
            assert!(same, "{place}, frame {frame}: {score:?}, not {expected:?}");
            scores += usize::from(score.is_some());
        }
    }
    assert!(scores > 150, "{scores}");
}

/// The name under which a feature is stored that a golden run holds under `key`.
fn stored_name<'a>(key: &'a str, feature: &'a str) -> &'a str {
    if key == names::alias(feature) { feature } else { key }
}

#[test]
fn features_are_looked_up_under_the_names_of_the_golden_runs() {
    for Scored { place, version, run, .. } in scored_runs() {
        let model = Arc::new(built_in(&version));
        let named = names_of(&model).into_iter().map(|name| stored_name(&golden_key(&run, name).0, name));
        let named: Vec<_> = named.collect();
        let values = vec![0.75; named.len()];
        let expected = model.predict(&values);
        let score = context_with(&named, &[values]).score_at_index(&model, 0);
        assert_eq!(score, Ok(expected), "{place}: {named:?}");
    }
}

#[test]
fn a_context_predicts_from_imported_features() {
    let model = Arc::new(built_in("vmaf_v0.6.1"));
    let all = golden::load_models();
    let texture = all.iter().find(|golden| golden.fixture.width == 576 && golden.fixture.bpc == 8).unwrap();
    let run = texture.runs.iter().find(|run| run.extractor == "model=vmaf_v0.6.1").unwrap();
    let values = |name: &str| -> Vec<f64> { golden_key(run, name).1.iter().flatten().copied().collect() };
    let features = names_of(&model);
    let columns: Vec<_> = features.iter().map(|name| values(name)).collect();
    let rows: Vec<_> =
        (0..6).map(|frame| columns.iter().map(|column| column[frame]).collect::<Vec<_>>()).collect();
    let expected = &run.frames.iter().find(|(key, _)| key == "vmaf_v0.6.1").unwrap().1;
    let context = context_with(&features, &rows);
    for (index, expected) in (0..).zip(expected.iter().flatten()) {
        assert_eq!(context.score_at_index(&model, index).unwrap(), *expected);
    }
    assert_eq!(context.feature_score_at_index("vmaf", 3).unwrap(), expected[3].unwrap());
    let mean = expected.iter().flatten().sum::<f64>() / 6.0;
    assert_eq!(context.score_pooled(&model, Pooling::Mean, 0, 5).unwrap(), mean);
}

#[test]
fn pooling_predicts_the_sampled_frames_only() {
    let model = Arc::new(built_in("vmaf_v0.6.1"));
    let rows: Vec<_> = (0..5).map(|frame| vec![0.9 + 0.01 * f64::from(frame); 6]).collect();
    let configuration = Configuration { n_subsample: 2, ..Configuration::default() };
    let mut context = Context::new(configuration).unwrap();
    for (index, row) in (0..).zip(&rows).filter(|(index, _)| index % 2 == 0) {
        names_of(&model).iter().zip(row).for_each(|(name, &value)| {
            context.import_feature_score(name, value, index).unwrap();
        });
    }
    let expected = [0, 2, 4].map(|row: usize| model.predict(&rows[row]));
    let highest = expected.iter().copied().fold(0.0, f64::max);
    assert_eq!(context.score_pooled(&model, Pooling::Max, 0, 4), Ok(highest));
    assert!(context.feature_score_at_index("vmaf", 1).is_err());
    assert!(context.score_pooled(&model, Pooling::Max, 1, 1).is_err());
    assert!(context.score_pooled(&model, Pooling::Max, 4, 6).is_err());
}

#[test]
fn a_stored_score_counts_and_missing_features_leave_no_trace() {
    let model = Arc::new(built_in("vmaf_v0.6.1"));
    let mut context = context_with(&names_of(&model)[..5], &[vec![0.5; 5]]);
    context.import_feature_score("vmaf", 12.5, 3).unwrap();
    assert_eq!(context.score_at_index(&model, 3), Ok(12.5));
    assert_eq!(context.score_at_index(&model, 0), Err(Error::logged()));
    assert!(context.feature_score_at_index("vmaf", 0).is_err());
    context.import_feature_score("VMAF_integer_feature_vif_scale3_score", 0.5, 0).unwrap();
    assert_eq!(context.score_at_index(&model, 0), Ok(model.predict(&[0.5; 6])));
    // A name that logs print for a feature is no feature's name.
    let named = Arc::new(Model { name: "integer_adm2".into(), ..(*model).clone() });
    assert_eq!(context.score_at_index(&named, 0), Ok(model.predict(&[0.5; 6])));
}

#[test]
fn two_models_of_one_name_share_the_first_score() {
    let [first, second] = ["vmaf_v0.6.1", "vmaf_4k_v0.6.1"].map(|version| Arc::new(built_in(version)));
    let context = context_with(&names_of(&first), &[vec![0.8; 6]]);
    let score = context.score_at_index(&first, 0).unwrap();
    assert_eq!(context.score_at_index(&second, 0), Ok(score));
    assert_ne!(second.predict(&[0.8; 6]), score);
}

#[test]
fn a_model_may_go_before_the_context_and_come_again() {
    let model = Arc::new(built_in("vmaf_v0.6.1"));
    let context = context_with(&names_of(&model), &vec![vec![0.8; 6]; 100]);
    let expected = model.predict(&[0.8; 6]);
    drop(model);
    for index in 0..100 {
        let model = Arc::new(built_in("vmaf_v0.6.1"));
        assert_eq!(context.score_at_index(&model, index), Ok(expected));
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

#[test]
fn bootstrap_figures_are_those_of_the_specification() {
    let text = fs::read_to_string(folder().join("bootstrap.json")).unwrap();
    let cases: Value = serde_json::from_str(&text).unwrap();
    for case in cases.as_array().unwrap() {
        let flags = Flags::from_bits_retain(case["flags"].as_u64().unwrap());
        for version in ["vmaf_b_v0.6.3", "vmaf_float_b_v0.6.3"] {
            let collection = Collection::built_in(version, "b", flags).unwrap();
            let lead = collection.lead();
            let context = context_with(&names_of(lead), &[numbers(&case["features"])]);
            context.score_at_index(lead, 0).unwrap();
            let score = context.collection_score_at_index(&collection, 0).unwrap();
            let expected = case["scores"].as_object().unwrap();
            assert_eq!(expected.len(), 25);
            for (name, expected) in expected {
                let got = context.feature_score_at_index(name, 0).unwrap();
                assert_eq!(got, expected.as_f64().unwrap(), "{name} of {version}");
            }
            let figures =
                BootstrapScore::SUFFIXES.map(|suffix| expected[&format!("b{suffix}")].as_f64().unwrap());
            assert_eq!(score.figures(), figures);
            assert_eq!(context.collection_score_at_index(&collection, 0), Ok(score));
        }
    }
}

#[test]
fn each_figure_of_a_collection_is_pooled_for_itself() {
    let collection = Collection::built_in("vmaf_b_v0.6.3", "b", Flags::empty()).unwrap();
    let context = context_with(&names_of(collection.lead()), &[vec![0.7; 6], vec![0.85; 6], vec![0.9; 6]]);
    let pooled = context.collection_score_pooled(&collection, Pooling::Mean, 0, 2).unwrap().figures();
    let scores =
        [0, 1, 2].map(|index| context.collection_score_at_index(&collection, index).unwrap().figures());
    for (place, mean) in pooled.into_iter().enumerate() {
        assert_eq!(mean, (scores[0][place] + scores[1][place] + scores[2][place]) / 3.0);
    }
    assert_eq!(context.collection_score_at_index(&collection, 3), Err(Error::logged()));
    assert!(context.collection_score_pooled(&collection, Pooling::Mean, 0, 3).is_err());
}

#[test]
fn rare_fields_act_as_specified() {
    let mut cases = 0;
    for entry in fs::read_dir(folder().join("custom")).unwrap() {
        let path = entry.unwrap().path();
        let model = Model::open(&path, "vmaf", Flags::empty()).unwrap();
        let file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for case in file["cases"].as_array().unwrap() {
            let mut values = numbers(case);
            let expected = values.pop().unwrap();
            assert_eq!(model.predict(&values), expected, "{}: {values:?}", path.display());
            cases += 1;
        }
    }
    assert_eq!(cases, 42);
}

#[test]
fn every_version_loads_and_flags_act() {
    for version in VERSIONS {
        let load = |flags| match AnyModel::built_in(version, "x", flags).unwrap() {
            AnyModel::Model(model) => model,
            AnyModel::Collection(collection) => (*collection.members()[0]).clone(),
        };
        let (plain, bare) = (load(Flags::empty()), load(Flags::DISABLE_CLIP));
        assert!(plain.clip.is_some() && bare.clip.is_none(), "{version}");
        assert_eq!(plain, load(Flags::DISABLE_TRANSFORM));
        assert_eq!(plain.transform.is_some(), version.contains("v1.0"), "{version}");
        let transformed = load(Flags::ENABLE_TRANSFORM).transform.is_some();
        assert_eq!(transformed, !version.contains("4k"), "{version}");
    }
    assert!(AnyModel::built_in("vmaf_v0.6.1 ", "x", Flags::empty()).is_err());
    assert!(AnyModel::built_in("vmaf_v1.0.16_5d0h_2160", "x", Flags::empty()).is_err());
}

#[test]
fn a_collection_is_no_model_and_a_model_no_collection() {
    let text = |error: Error| error.to_string();
    let model = Model::built_in("vmaf_b_v0.6.3", "x", Flags::empty()).map_err(text);
    assert_eq!(model.unwrap_err(), "vmaf_b_v0.6.3 is a model collection, not a model");
    let collection = Collection::built_in("vmaf_v0.6.1", "x", Flags::empty()).map_err(text);
    assert_eq!(collection.unwrap_err(), "vmaf_v0.6.1 is a model, not a model collection");
}

#[test]
fn overloads_reach_the_features_of_an_extractor() {
    let mut model = built_in("vmaf_v0.6.1neg");
    let mut options = vmaf_rs::feature::Dictionary::new();
    options.set("vif_enhn_gain_limit", "2.0");
    options.set("debug", "true");
    model.overload("vif", &options);
    model.overload("float_vif", &options);
    let of = |place: usize| model.features[place].options.iter().collect::<Vec<_>>();
    assert_eq!(of(0), [("adm_enhn_gain_limit", "1")]);
    assert_eq!(of(1), []);
    for place in 2..6 {
        assert_eq!(of(place), [("vif_enhn_gain_limit", "2"), ("debug", "true")]);
    }
}

#[test]
fn an_unknown_feature_is_refused_whole() {
    let mut model = built_in("vmaf_v0.6.1");
    model.features[0].name = "psnr_y".into();
    model.features[1].name = "no_such_feature".into();
    let mut context = Context::new(Configuration::default()).unwrap();
    let error = context.use_features_from_model(&Arc::new(model)).unwrap_err();
    assert_eq!(error.to_string(), "could not initialize feature extractor \"no_such_feature\"");
    // Nothing was registered, so that a flush without frames is no error.
    assert_eq!(context.flush(), Ok(()));
}

/// The figures are what import.py made of the packages' files; this reads those files as any other model file.
#[test]
fn built_in_models_equal_the_packages_files() -> Result<()> {
    let Some(packages) = env::var_os("VMAF_RS_MODEL_PACKAGES") else {
        let required = env::var("VMAF_RS_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|word| word == "models"), "VMAF_RS_MODEL_PACKAGES is not set");
        return Ok(());
    };
    let files = json_files(Path::new(&packages));
    for version in VERSIONS.into_iter().filter(|&version| version != "vmaf_4k_v0.6.1neg") {
        let named = |path: &&PathBuf| path.file_stem().is_some_and(|stem| stem == version);
        let found: Vec<_> = files.iter().filter(named).collect();
        assert!(!found.is_empty(), "no {version}.json in {}", packages.display());
        for (path, flags) in found.into_iter().flat_map(|path| (0..4).map(move |bits| (path, bits))) {
            let flags = Flags::from_bits_retain(flags);
            let [file, own] = [AnyModel::open(path, "x", flags)?, AnyModel::built_in(version, "x", flags)?];
            assert!(file == own, "{} differs, {flags:?}", path.display());
        }
    }
    check_4k_neg();
    Ok(())
}

/// In no package: the plain model with the options of the other models of its kind.
fn check_4k_neg() {
    let mut expected = built_in("vmaf_4k_v0.6.1");
    for (feature, neg) in expected.features.iter_mut().zip(built_in("vmaf_v0.6.1neg").features) {
        feature.options = neg.options;
    }
    assert_eq!(built_in("vmaf_4k_v0.6.1neg"), expected);
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| if path.is_dir() { json_files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect()
}
