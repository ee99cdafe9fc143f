// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What `--aom_ctc` and `--nflx_ctc` stand for: the metrics that common test conditions ask for.

use super::request::{FeatureRequest, ModelRequest};

/// Options that one word stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preset {
    /// Models, as if given by `--model`.
    pub models: Vec<ModelRequest>,
    /// Features, as if given by `--feature`.
    pub features: Vec<FeatureRequest>,
    /// The inputs may differ in bit depth.
    pub common_depth: bool,
}

const PSNR: &str = "psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5";
const SSIM: &str = "float_ssim=enable_db=true:clip_db=true";
const FULL_SCALE_SSIM: &str = "float_ssim=scale=1:enable_db=true:clip_db=true";
const MS_SSIM: &str = "float_ms_ssim=enable_db=true:clip_db=true";
const NFLX_PSNR: &str = "psnr=enable_chroma=true:enable_apsnr=true";

impl Preset {
    /// A version of the AOM common test conditions.
    pub fn aom_ctc(version: &str) -> Result<Self, String> {
        let (ssim, cambi, common_depth) = match version {
            "v1.0" | "v2.0" => (SSIM, None, false),
            "v3.0" | "v4.0" | "v5.0" => (SSIM, Some("cambi"), false),
            "v6.0" => (SSIM, Some("cambi"), true),
            "v7.0" => (FULL_SCALE_SSIM, Some("cambi"), true),
            "proposed" => return Err("`--aom_ctc proposed` is deprecated.".to_owned()),
            _ => return Err(unknown("--aom_ctc", version)),
        };
        let features = [PSNR, "ciede", ssim, MS_SSIM, "psnr_hvs"].into_iter().chain(cambi);
        Self::new(["vmaf_v0.6.1", "vmaf_v0.6.1neg"], features, common_depth)
    }

    /// A version of Netflix's common test conditions.
    pub fn nflx_ctc(version: &str) -> Result<Self, String> {
        match version {
            "v1.0" => Self::new(["vmaf_4k_v0.6.1", "vmaf_4k_v0.6.1neg"], [NFLX_PSNR, SSIM, "cambi"], false),
            _ => Err(unknown("--nflx_ctc", version)),
        }
    }

    fn new<'a>(
        [model, neg]: [&str; 2],
        features: impl IntoIterator<Item = &'a str>,
        common_depth: bool,
    ) -> Result<Self, String> {
        let neg = ModelRequest { name: "vmaf_neg".to_owned(), ..ModelRequest::version(neg) };
        let features = features.into_iter().map(FeatureRequest::parse).collect::<Result<_, _>>()?;
        Ok(Self { models: vec![ModelRequest::version(model), neg], features, common_depth })
    }
}

impl From<ModelRequest> for Preset {
    fn from(model: ModelRequest) -> Self {
        Self { models: vec![model], ..Self::default() }
    }
}

impl From<FeatureRequest> for Preset {
    fn from(feature: FeatureRequest) -> Self {
        Self { features: vec![feature], ..Self::default() }
    }
}

fn unknown(option: &str, version: &str) -> String {
    format!("Invalid argument \"{version}\" for option {option}; should be a known version")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(preset: &Preset) -> String {
        let models = preset.models.iter().map(|model| format!("{}:{}", model.label(), model.name));
        let features =
            preset.features.iter().map(|feature| format!("{}{}", feature.name, feature.options.len()));
        models.chain(features).collect::<Vec<_>>().join(" ")
    }

    const V1: &str =
        "vmaf_v0.6.1:vmaf vmaf_v0.6.1neg:vmaf_neg psnr3 ciede0 float_ssim2 float_ms_ssim2 psnr_hvs0";

    #[test]
    fn aom_versions() {
        for version in ["v1.0", "v2.0"] {
            assert_eq!(names(&Preset::aom_ctc(version).unwrap()), V1);
        }
        for (version, common_depth) in [("v3.0", false), ("v4.0", false), ("v5.0", false), ("v6.0", true)] {
            let preset = Preset::aom_ctc(version).unwrap();
            assert_eq!((names(&preset), preset.common_depth), (format!("{V1} cambi0"), common_depth));
        }
        let newest = Preset::aom_ctc("v7.0").unwrap();
        assert_eq!(newest.features[2], FeatureRequest::parse(FULL_SCALE_SSIM).unwrap());
        assert_eq!((newest.features.len(), newest.common_depth), (6, true));
    }

    #[test]
    fn the_nflx_version() {
        let preset = Preset::nflx_ctc("v1.0").unwrap();
        let text = "vmaf_4k_v0.6.1:vmaf vmaf_4k_v0.6.1neg:vmaf_neg psnr2 float_ssim2 cambi0";
        assert_eq!(names(&preset), text);
        assert!(!preset.common_depth);
    }

    #[test]
    fn other_versions_are_usage_errors() {
        assert!(Preset::aom_ctc("proposed").unwrap_err().contains("is deprecated"));
        for version in ["", "1.0", "v8.0", "v1"] {
            assert!(Preset::aom_ctc(version).is_err());
            assert!(Preset::nflx_ctc(version).is_err());
        }
    }
}
