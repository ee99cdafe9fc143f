// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Damaged model files: each is refused with a message that names the place, and none makes the library panic.

use std::fs;

use serde_json::{Value, json};
use vmaf_rs::model::{AnyModel, Collection, Flags, Kind, Model, Scaling};

const MACHINE: &str = "svm_type nu_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho -1.25\nSV\n\
                       -4 1:0.25 2:1\n2.5 2:-1 \n";

/// A sound model with every key.
fn sound() -> Value {
    json!({
        "param_dict": {"C": [1, {"deep": null}]},
        "model_dict": {
            "model_type": "LIBSVMNUSVR",
            "norm_type": "linear_rescale",
            "feature_names": ["VMAF_integer_feature_adm3_score", "Speed_chroma_feature_speed_chroma_uv_score"],
            "feature_opts_dicts": [{"adm_csf_mode": 2, "adm_noise_weight": 0.0123456789}, {"debug": true, "x": "1.0"}],
            "slopes": [0.5, 1, 2],
            "intercepts": [0.25, 0, -1],
            "model": MACHINE,
            "score_clip": [0, 100],
            "score_transform": {"enabled": true, "p0": 1, "knots": [[0, 0], [1, 2]], "out_lte_in": "true"},
            "chroma_correction_parameter": 120,
            "feature_dict": 7,
        },
    })
}

fn parse(value: &Value) -> Result<AnyModel, String> {
    parse_text(value.to_string().as_bytes())
}

fn parse_text(text: &[u8]) -> Result<AnyModel, String> {
    AnyModel::parse(text, "x", Flags::empty()).map_err(|error| {
        assert_eq!(error.errno(), -22);
        error.to_string()
    })
}

fn model(value: &Value) -> Model {
    Model::parse(value.to_string().as_bytes(), "x", Flags::empty()).unwrap()
}

/// The sound model with one key of `model_dict`, or of an object in it, set or (by `null` outside) taken away.
fn with(pointer: &str, value: Value) -> Value {
    let mut file = sound();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = file["model_dict"].pointer_mut(parent).unwrap();
    match parent {
        Value::Array(elements) => elements[key.parse::<usize>().unwrap()] = value,
        _ => parent[key] = value,
    }
    file
}

#[test]
fn every_key_is_read() {
    let model = model(&sound());
    assert_eq!((model.name.as_str(), model.kind), ("x", Kind::Single));
    assert_eq!(model.scaling, Scaling::Linear { slope: 0.5, intercept: 0.25 });
    assert_eq!(model.features[1].scaling, Scaling::Linear { slope: 2.0, intercept: -1.0 });
    let options = |place: usize| model.features[place].options.iter().collect::<Vec<_>>();
    assert_eq!(options(0), [("adm_csf_mode", "2"), ("adm_noise_weight", "0.0123457")]);
    assert_eq!(options(1), [("debug", "true"), ("x", "1.0")]);
    assert_eq!(model.clip, Some([0.0, 100.0]));
    let transform = model.transform.unwrap();
    assert_eq!(transform.polynomial, [Some(1.0), None, None]);
    assert_eq!(transform.knots, Some(vec![[0.0, 0.0], [1.0, 2.0]]));
    assert_eq!((transform.out_lte_in, transform.out_gte_in), (true, false));
    let correction = model.chroma_correction.unwrap();
    assert_eq!((correction.weight, correction.luma, correction.chroma), (120.0, 0, 1));
}

#[test]
fn null_is_as_good_as_absent() {
    let mut file = sound();
    for key in ["feature_opts_dicts", "score_clip", "score_transform", "chroma_correction_parameter"] {
        file["model_dict"][key] = Value::Null;
    }
    let absent = model(&file);
    assert!(absent.features.iter().all(|feature| feature.options.is_empty()));
    assert_eq!((absent.clip, &absent.transform, absent.chroma_correction), (None, &None, None));
    for key in ["p0", "p1", "p2", "knots", "out_lte_in", "out_gte_in"] {
        assert!(parse(&with(&format!("/score_transform/{key}"), Value::Null)).is_ok(), "{key}");
    }
    assert_eq!(model(&with("/score_transform/enabled", Value::Null)).transform, None);
    assert_eq!(model(&with("/chroma_correction_parameter", json!(0))).chroma_correction, None);
}

#[test]
fn what_is_not_needed_is_not_read() {
    let bare = |file: &Value| Model::parse(file.to_string().as_bytes(), "x", Flags::DISABLE_CLIP);
    assert_eq!(bare(&with("/score_clip", json!("none"))).unwrap().clip, None);
    let mut file = with("/norm_type", json!("none"));
    for key in ["slopes", "intercepts"] {
        file["model_dict"][key] = Value::Null;
    }
    assert_eq!(model(&file).features[0].scaling, Scaling::None);
}

#[test]
fn faults_are_told_with_their_place() {
    let (long, many) = (vec![0; 65], vec![vec![0, 0]; 11]);
    for (pointer, value, expected) in [
        ("/model_type", json!("RANDOMFOREST"), "model_dict.model_type: \"RANDOMFOREST\" is not supported"),
        ("/model_type", json!(1), "model_dict.model_type: a text expected, a number found"),
        ("/model_type", json!(null), "model_dict: no model_type"),
        ("/norm_type", json!("clip_0to1"), "model_dict.norm_type: \"clip_0to1\" is not supported"),
        ("/norm_type", json!(null), "model_dict: no norm_type"),
        ("/slopes", json!(null), "model_dict: no slopes"),
        ("/slopes", json!([1, 2]), "model_dict.slopes: 3 numbers expected, 2 found"),
        ("/slopes/1", json!("1"), "model_dict.slopes[1]: a number expected, a text found"),
        ("/intercepts", json!({}), "model_dict.intercepts: an array expected, an object found"),
        ("/intercepts", json!([1, 2, 3, 4]), "model_dict.intercepts: 3 numbers expected, 4 found"),
        ("/feature_names", json!(null), "model_dict: no feature_names"),
        ("/feature_names", json!([]), "model_dict.feature_names: 0 features, 1 to 64 expected"),
        ("/feature_names", json!(long), "model_dict.feature_names: 65 features, 1 to 64 expected"),
        ("/feature_names/1", json!(2), "model_dict.feature_names[1]: a text expected, a number found"),
        ("/feature_opts_dicts", json!([{}]), "model_dict.feature_opts_dicts: 2 objects expected, 1 found"),
        (
            "/feature_opts_dicts/0",
            json!([]),
            "model_dict.feature_opts_dicts[0]: an object expected, an array found",
        ),
        (
            "/feature_opts_dicts/0/a",
            json!([]),
            "model_dict.feature_opts_dicts[0].a: a text expected, an array found",
        ),
        ("/model", json!(null), "model_dict: no model"),
        ("/model", json!(""), "model_dict.model: no word SV"),
        (
            "/model",
            json!(MACHINE.replace("2:1", "3:1")),
            "model_dict.model: support vector 1: index 3, but 2 features",
        ),
        ("/score_clip", json!([0]), "model_dict.score_clip: 2 numbers expected, 1 found"),
        ("/score_clip/1", json!(true), "model_dict.score_clip[1]: a number expected, a boolean found"),
        ("/score_transform", json!([]), "model_dict.score_transform: an object expected, an array found"),
        (
            "/score_transform/enabled",
            json!("true"),
            "model_dict.score_transform.enabled: a boolean expected, a text found",
        ),
        ("/score_transform/p1", json!("1"), "model_dict.score_transform.p1: a number expected, a text found"),
        (
            "/score_transform/knots",
            json!(many),
            "model_dict.score_transform.knots: 11 points, at most 10 expected",
        ),
        (
            "/score_transform/knots/1",
            json!([1]),
            "model_dict.score_transform.knots[1]: 2 numbers expected, 1 found",
        ),
        (
            "/score_transform/out_lte_in",
            json!(true),
            "model_dict.score_transform.out_lte_in: a text expected, a boolean found",
        ),
        (
            "/chroma_correction_parameter",
            json!("1"),
            "model_dict.chroma_correction_parameter: a number expected, a text found",
        ),
        ("/feature_names/0", json!("vif"), "model_dict.chroma_correction_parameter: needs a feature adm3"),
    ] {
        assert_eq!(parse(&with(pointer, value)).unwrap_err(), expected, "{pointer}");
    }
}

#[test]
fn repeated_keys_are_refused_unless_they_agree() {
    let text = sound().to_string();
    let repeat =
        |key: &str, first: &str| text.replacen(&format!("\"{key}\":"), &format!("{first},\"{key}\":"), 1);
    let twice = |text: &str| parse_text(text.as_bytes()).unwrap_err();
    assert_eq!(twice(&repeat("slopes", "\"slopes\":[1,2,3]")), "model_dict.slopes: given twice");
    assert_eq!(twice(&repeat("model_dict", "\"model_dict\":{}")), "model_dict: given twice");
    let option = twice(&repeat("adm_csf_mode", "\"adm_csf_mode\":1"));
    assert_eq!(option, "model_dict.feature_opts_dicts[0].adm_csf_mode: given twice, with different values");
    assert!(parse_text(repeat("adm_csf_mode", "\"adm_csf_mode\":2.0").as_bytes()).is_ok());
    assert!(parse_text(repeat("param_dict", "\"param_dict\":1").as_bytes()).is_ok());
}

#[test]
fn other_texts_than_models_are_refused() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (text, expected) in [
        ("", "not JSON: EOF while parsing a value at line 1 column 0"),
        ("{\"model_dict\":\n nul", "not JSON: EOF while parsing a value at line 2 column 4"),
        ("[]", "an object expected, an array found"),
        ("{}", "neither a model nor a model collection: no model_dict, no 0"),
        ("{\"model_dict\": 1}", "model_dict: an object expected, a number found"),
        ("{\"0\": {}, \"1\": {}}", "0: no model_dict"),
        (deep.as_str(), "not JSON: recursion limit exceeded"),
        ("{\"model_dict\": {\"slopes\": [1e999]}}", "not JSON: number out of range at line 1"),
    ] {
        let error = parse_text(text.as_bytes()).unwrap_err();
        assert!(error.starts_with(expected), "{text:.40}: {error}");
    }
    assert!(parse_text(b"{\"model_dict\": \"\xff\"}").unwrap_err().starts_with("not JSON: "));
    let long = [sound().to_string().into_bytes(), vec![b' '; 4 << 20]].concat();
    assert_eq!(parse_text(&long).unwrap_err(), "longer than 4194304 bytes");
}

/// A collection of models of these types, under keys in this order.
fn collection(members: &[(&str, &str)]) -> Result<Collection, String> {
    let member = |(key, kind): &(&str, &str)| format!("\"{key}\": {}", with("/model_type", json!(kind)));
    let text = format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "));
    Collection::parse(text.as_bytes(), "c", Flags::empty()).map_err(|error| error.to_string())
}

#[test]
fn a_collection_takes_its_keys_in_order() {
    const ONE: &str = "BOOTSTRAP_LIBSVMNUSVR";
    const OTHER: &str = "RESIDUEBOOTSTRAP_LIBSVMNUSVR";
    let names = |members: &[(&str, &str)]| {
        let collection = collection(members).unwrap();
        assert_eq!((collection.name(), collection.lead().name.as_str()), ("c", "c"));
        collection.members().iter().map(|member| member.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&[("0", ONE), ("1", ONE), ("2", ONE)]), ["c_0001", "c_0002"]);
    assert_eq!(names(&[("2", ONE), ("0", "LIBSVMNUSVR"), ("1", OTHER), ("x", ONE), ("3", ONE)]), ["c_0001"]);
    let refused = |members: &[(&str, &str)]| collection(members).unwrap_err();
    assert_eq!(refused(&[("1", ONE), ("0", ONE)]), "a collection needs a model beside the first");
    assert_eq!(refused(&[("0", ONE), ("1", "LIBSVMNUSVR")]), "1: no bootstrap model");
    assert_eq!(refused(&[("0", ONE), ("1", ONE), ("2", OTHER)]), "2: of another model_type than 1");
    assert_eq!(refused(&[("0", ONE), ("0", ONE), ("1", ONE)]), "0: given twice");
    assert!(refused(&[("0", ONE), ("1", "x")]).starts_with("1.model_dict.model_type: "));
}

#[test]
fn a_file_cut_short_is_refused_at_every_length() {
    let text = sound().to_string();
    for length in 0..text.len() {
        assert!(
            parse_text(&text.as_bytes()[..length]).unwrap_err().starts_with("not JSON: "),
            "{length} bytes"
        );
    }
}

#[test]
fn damaged_files_are_read_or_refused_without_a_panic() {
    let text = sound().to_string().into_bytes();
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    const BYTES: &[u8] = b"0129-.eE:,[]{}\"\\n ANSV\x00\xff";
    let mut sound = 0;
    for _ in 0..20_000 {
        let mut damaged = text.clone();
        for _ in 0..=random(3) {
            let place = random(damaged.len());
            match random(3) {
                0 => drop(damaged.remove(place)),
                1 => damaged.insert(place, BYTES[random(BYTES.len())]),
                _ => damaged[place] = BYTES[random(BYTES.len())],
            }
        }
        if let Ok(AnyModel::Model(model)) = parse_text(&damaged) {
            let _score = model.predict(&vec![0.5; model.features.len()]);
            sound += 1;
        }
    }
    assert!((100..19_000).contains(&sound), "{sound} of the damaged files were read");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| {
        let path = folder.path().join(name);
        let error = Model::open(&path, "x", Flags::empty()).unwrap_err().to_string();
        error.strip_prefix(&format!("{}: ", path.display())).map(str::to_owned)
    };
    assert_eq!(open("none.json").as_deref(), Some("No such file or directory (os error 2)"));
    fs::write(folder.path().join("empty.json"), "{}").unwrap();
    assert!(open("empty.json").unwrap().starts_with("neither a model"));
    assert!(open("").is_some());
}
