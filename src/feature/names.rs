// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The names of a feature: the internal one an extractor lists, the stored one that tells its options, and the
//! printed one of the logs.

#![forbid(unsafe_code)]

/// The longest name that options may make, in bytes.
const LONGEST: usize = 255;

/// Stored names that are printed under another name. No printed name stands here twice.
const PRINTED: [(&str, &str); 29] = [
    ("VMAF_feature_adm2_score", "adm2"),
    ("VMAF_feature_aim_score", "aim"),
    ("VMAF_feature_adm3_score", "adm3"),
    ("VMAF_feature_adm_scale0_score", "adm_scale0"),
    ("VMAF_feature_adm_scale1_score", "adm_scale1"),
    ("VMAF_feature_adm_scale2_score", "adm_scale2"),
    ("VMAF_feature_adm_scale3_score", "adm_scale3"),
    ("VMAF_feature_motion_score", "motion"),
    ("VMAF_feature_motion2_score", "motion2"),
    ("VMAF_feature_motion3_score", "motion3"),
    ("VMAF_feature_vif_scale0_score", "vif_scale0"),
    ("VMAF_feature_vif_scale1_score", "vif_scale1"),
    ("VMAF_feature_vif_scale2_score", "vif_scale2"),
    ("VMAF_feature_vif_scale3_score", "vif_scale3"),
    ("VMAF_integer_feature_adm2_score", "integer_adm2"),
    ("VMAF_integer_feature_aim_score", "integer_aim"),
    ("VMAF_integer_feature_adm3_score", "integer_adm3"),
    ("VMAF_integer_feature_motion_score", "integer_motion"),
    ("VMAF_integer_feature_motion2_score", "integer_motion2"),
    ("VMAF_integer_feature_motion3_score", "integer_motion3"),
    ("VMAF_integer_feature_vif_scale0_score", "integer_vif_scale0"),
    ("VMAF_integer_feature_vif_scale1_score", "integer_vif_scale1"),
    ("VMAF_integer_feature_vif_scale2_score", "integer_vif_scale2"),
    ("VMAF_integer_feature_vif_scale3_score", "integer_vif_scale3"),
    ("Cambi_feature_cambi_score", "cambi"),
    ("Speed_chroma_feature_speed_chroma_u_score", "speed_chroma_u"),
    ("Speed_chroma_feature_speed_chroma_v_score", "speed_chroma_v"),
    ("Speed_chroma_feature_speed_chroma_uv_score", "speed_chroma_uv"),
    ("Speed_temporal_feature_speed_temporal_score", "speed_temporal"),
];

/// The name under which logs print the feature stored as `stored`: an alias, or else the name itself.
pub fn alias(stored: &str) -> &str {
    printed(stored).unwrap_or(stored)
}

/// The alias of a stored name, if it has one of its own.
pub(super) fn printed(stored: &str) -> Option<&'static str> {
    PRINTED.iter().find(|pair| pair.0 == stored).map(|pair| pair.1)
}

/// The stored name whose alias is `printed`.
pub(super) fn stored(printed: &str) -> Option<&'static str> {
    PRINTED.iter().find(|pair| pair.1 == printed).map(|pair| pair.0)
}

/// The stored name of the listed feature `internal`, given the options that names spell and that are not at their
/// default. The same construction on an extractor's name tells whether two registrations are alike.
///
/// An option is its full name, by which the parts are sorted, and its text: the short name, with `_` and the value
/// unless it is a boolean (`("adm_csf_mode", "csf_2")`, `("vif_skip_scale0", "ssclz")`). Without options the
/// internal name stays as it is, else its alias is built upon. What is longer than 255 bytes is cut.
pub fn with_options<N: AsRef<str>, T: AsRef<str>>(internal: &str, spelled: &[(N, T)]) -> String {
    if spelled.is_empty() {
        return internal.to_owned();
    }
    let mut parts: Vec<_> = spelled.iter().map(|(full, text)| (full.as_ref(), text.as_ref())).collect();
    parts.sort_unstable();
    let mut name = alias(internal).to_owned();
    for (_, text) in parts {
        name.push('_');
        name.push_str(text);
    }
    cut(&mut name);
    name
}

/// Cuts to the longest length, or below it where that would split a character.
fn cut(name: &mut String) {
    let end = (0..=LONGEST.min(name.len())).rev().find(|&end| name.is_char_boundary(end));
    name.truncate(end.unwrap_or(0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_go_both_ways() {
        assert_eq!(alias("VMAF_integer_feature_vif_scale2_score"), "integer_vif_scale2");
        assert_eq!(alias("VMAF_integer_feature_motion_sad_score"), "VMAF_integer_feature_motion_sad_score");
        assert_eq!(alias("psnr_y"), "psnr_y");
        for (name, printed) in PRINTED {
            assert_eq!((alias(name), stored(printed)), (printed, Some(name)));
        }
    }

    #[test]
    fn options_are_sorted_by_full_name() {
        let name = |internal, spelled: &[(&str, &str)]| with_options(internal, spelled);
        assert_eq!(name("VMAF_integer_feature_adm2_score", &[]), "VMAF_integer_feature_adm2_score");
        let scales = [("adm_csf_scale", "scf_1.5"), ("adm_csf_diag_scale", "scfd_0.8")];
        assert_eq!(name("VMAF_integer_feature_adm2_score", &scales), "integer_adm2_scfd_0.8_scf_1.5");
        let motion = [("motion_max_val", "mmxv_18"), ("motion_five_frame_window", "mffw")];
        assert_eq!(name("VMAF_integer_feature_motion3_score", &motion), "integer_motion3_mffw_mmxv_18");
        assert_eq!(
            name("VMAF_integer_feature_motion_sad_score", &motion[..1]),
            "VMAF_integer_feature_motion_sad_score_mmxv_18"
        );
    }

    #[test]
    fn long_names_are_cut() {
        let long = "x".repeat(300);
        assert_eq!(with_options("cambi", &[("eotf", &long)]), format!("cambi_{}", "x".repeat(249)));
        let wide = "ä".repeat(200);
        assert_eq!(with_options("cambi", &[("eotf", &wide)]), format!("cambi_{}", "ä".repeat(124)));
    }
}
