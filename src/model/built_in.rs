// SPDX-License-Identifier: BSD-2-Clause-Patent
//! libvmaf's built-in models. Many are variants of one training, so that only four sets of figures are kept.
#![forbid(unsafe_code)]

use std::sync::Arc;

use super::figures::{B_V0_6_3, Figures, V0_6_1, V0_6_1_4K, V1_0_16};
use super::svm::Machine;
use super::transform::Transform;
use super::{AnyModel, ChromaCorrection, Collection, Feature, Flags, Kind, Model};
use crate::feature::Dictionary;

/// The versions that are built in, models and collections.
pub const VERSIONS: [&str; 17] = [
    "vmaf_float_v0.6.1",
    "vmaf_float_b_v0.6.3",
    "vmaf_float_v0.6.1neg",
    "vmaf_float_4k_v0.6.1",
    "vmaf_v0.6.1",
    "vmaf_b_v0.6.3",
    "vmaf_v0.6.1neg",
    "vmaf_4k_v0.6.1",
    "vmaf_4k_v0.6.1neg",
    "vmaf_v1.0.16_3d0h",
    "vmaf_v1.0.16_3d0h_2160",
    "vmaf_v1.0.16_5d0h",
    "vmaf_v1.0.16_1d5h_2160",
    "vmaf_v1.0.16_hfr_3d0h",
    "vmaf_v1.0.16_hfr_3d0h_2160",
    "vmaf_v1.0.16_hfr_5d0h",
    "vmaf_v1.0.16_hfr_1d5h_2160",
];

/// The model or collection of exactly this version.
pub fn load(version: &str, name: &str, flags: Flags) -> Option<AnyModel> {
    if !VERSIONS.contains(&version) {
        return None;
    }
    if let Some(rest) = version.strip_prefix("vmaf_v1.0.16_") {
        return Some(AnyModel::Model(viewing(rest).model(name, flags)));
    }
    let (prefix, rest) = match version.strip_prefix("vmaf_float_") {
        Some(rest) => ("VMAF_feature", rest),
        None => ("VMAF_integer_feature", version.strip_prefix("vmaf_")?),
    };
    Some(match rest.strip_suffix("neg") {
        _ if rest == "b_v0.6.3" => AnyModel::Collection(bootstrap(prefix, name, flags)),
        Some(plain) => AnyModel::Model(Classic { prefix, version: plain, no_gain: true }.model(name, flags)),
        None => AnyModel::Model(Classic { prefix, version: rest, no_gain: false }.model(name, flags)),
    })
}

/// A model of the 0.6 series.
struct Classic<'a> {
    /// What feature names begin with.
    prefix: &'a str,
    version: &'a str,
    /// Enhancement gain does not count ("neg").
    no_gain: bool,
}

impl Classic<'_> {
    fn model(&self, name: &str, flags: Flags) -> Model {
        let (figures, transform) = match self.version {
            "4k_v0.6.1" => (&*V0_6_1_4K, None),
            _ => (&*V0_6_1, small_screen(flags)),
        };
        let machine = figures.machines[0].clone();
        assemble(name, Kind::Single, self.features(), figures, machine, transform, clip(100.0, flags))
    }

    fn features(&self) -> Vec<(String, Vec<Choice>)> {
        let parts = ["adm2", "motion2", "vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3"];
        let feature = |part: &str| {
            let options = match part {
                "motion2" => Vec::new(),
                "adm2" if self.no_gain => vec![("adm_enhn_gain_limit", "1")],
                _ if self.no_gain => vec![("vif_enhn_gain_limit", "1")],
                _ => Vec::new(),
            };
            (format!("{}_{part}_score", self.prefix), options)
        };
        parts.map(feature).into()
    }
}

/// An option and its value.
type Choice = (&'static str, &'static str);

/// The curve for small screens, which acts only where asked for.
fn small_screen(flags: Flags) -> Option<Transform> {
    flags.contains(Flags::ENABLE_TRANSFORM).then(|| Transform {
        polynomial: [Some(1.70674692), Some(1.72643844), Some(-0.00705305)],
        out_gte_in: true,
        ..Transform::default()
    })
}

fn clip(highest: f64, flags: Flags) -> Option<[f64; 2]> {
    (!flags.contains(Flags::DISABLE_CLIP)).then_some([0.0, highest])
}

fn assemble(
    name: &str,
    kind: Kind,
    features: Vec<(String, Vec<Choice>)>,
    figures: &Figures,
    machine: Arc<Machine>,
    transform: Option<Transform>,
    clip: Option<[f64; 2]>,
) -> Model {
    let with_scaling = features.into_iter().zip(&figures.scalings[1..]);
    let features = with_scaling.map(|((name, choices), &scaling)| {
        let mut options = Dictionary::new();
        choices.into_iter().for_each(|(key, value)| options.set_verbatim(key, value));
        Feature { name, options, scaling }
    });
    Model {
        name: name.to_owned(),
        kind,
        features: features.collect(),
        scaling: figures.scalings[0],
        machine,
        chroma_correction: None,
        transform,
        clip,
    }
}

fn bootstrap(prefix: &str, name: &str, flags: Flags) -> Collection {
    let figures = &*B_V0_6_3;
    let classic = Classic { prefix, version: "b_v0.6.3", no_gain: false };
    let models = figures.machines.iter().map(|machine| {
        let (features, machine) = (classic.features(), machine.clone());
        assemble(name, Kind::Bootstrap, features, figures, machine, small_screen(flags), clip(100.0, flags))
    });
    let mut models = models.collect::<Vec<_>>().into_iter();
    let lead = models.next().expect("a lead model");
    Collection::new(name, lead, models.collect()).expect("members")
}

/// A model of the 1.0.16 series: for a display, the distance from which it is seen, and a frame rate.
struct Viewing {
    display_height: &'static str,
    /// In heights of the display.
    distance: &'static str,
    /// How chroma is scaled before it is measured.
    chroma: &'static [Choice],
    high_frame_rate: bool,
    polynomial: [f64; 3],
    highest: f64,
}

/// The model whose version ends in `rest`.
fn viewing(rest: &str) -> Viewing {
    const CURVE: [f64; 3] = [5.30624188, 0.980791305, -0.000490758318];
    let (high_frame_rate, rest) = match rest.strip_prefix("hfr_") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let base = Viewing {
        display_height: "1080",
        distance: "3",
        chroma: &[],
        high_frame_rate,
        polynomial: CURVE,
        highest: 100.0,
    };
    match rest {
        "3d0h_2160" => Viewing {
            display_height: "2160",
            chroma: &[("speed_prescale", "0.5"), ("speed_prescale_method", "bilinear")],
            polynomial: [5.0, 1.0, 0.0],
            highest: 110.0,
            ..base
        },
        "5d0h" => Viewing {
            distance: "5",
            chroma: &[("speed_prescale", "0.6"), ("speed_prescale_method", "bilinear")],
            ..base
        },
        "1d5h_2160" => {
            Viewing { display_height: "2160", distance: "1.5", polynomial: [0.0, 1.0, 0.0], ..base }
        }
        _ => base,
    }
}

impl Viewing {
    fn model(&self, name: &str, flags: Flags) -> Model {
        let figures = &*V1_0_16;
        let transform = Transform { polynomial: self.polynomial.map(Some), ..Transform::default() };
        let (transform, clip) = (Some(transform), clip(self.highest, flags));
        let machine = figures.machines[0].clone();
        let features = self.features();
        let model = assemble(name, Kind::Single, features, figures, machine, transform, clip);
        let chroma_correction = Some(ChromaCorrection { weight: 120.0, luma: 2, chroma: 1 });
        Model { chroma_correction, ..model }
    }

    fn features(&self) -> Vec<(String, Vec<Choice>)> {
        let cambi = [
            ("cambi_high_res_speedup", "1080"),
            ("cambi_vis_lum_threshold", "0.06"),
            ("cambi_max_val", "17"),
        ];
        let adm = [
            ("adm_dlm_weight", "0.7"),
            ("adm_enhn_gain_limit", "1"),
            ("adm_noise_weight", "0.02"),
            ("adm_norm_view_dist", self.distance),
            ("adm_ref_display_height", self.display_height),
            ("adm_min_val", "0.5"),
            ("adm_csf_mode", "2"),
        ];
        vec![
            ("Cambi_feature_cambi_score".into(), cambi.into()),
            ("Speed_chroma_feature_speed_chroma_uv_score".into(), self.speed()),
            ("VMAF_integer_feature_adm3_score".into(), adm.into()),
            ("VMAF_integer_feature_motion3_score".into(), self.motion()),
        ]
    }

    /// The order is that of libvmaf's files, where only the models without scaling name the kernel's default.
    fn speed(&self) -> Vec<Choice> {
        let default_kernel = self.display_height == "1080" && self.chroma.is_empty();
        let kernel: &[Choice] = if default_kernel { &[("speed_kernelscale", "1")] } else { &[] };
        let common = [("speed_nn_floor", "0.1"), ("speed_sigma_nn", "0.19"), ("speed_weight_var_mode", "5")];
        [kernel, &common, self.chroma, &[("speed_max_val", "45")]].concat()
    }

    fn motion(&self) -> Vec<Choice> {
        let mut options = vec![("motion_max_val", "18")];
        if self.high_frame_rate {
            options.extend([("motion_five_frame_window", "true"), ("motion_moving_average", "true")]);
        }
        options
    }
}
