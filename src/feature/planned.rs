// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Extractors of the interface that this version does not have yet, so that what asks for one is told so.
#![forbid(unsafe_code)]

/// An extractor to come.
pub struct Planned {
    /// Name by which callers ask for it.
    pub name: &'static str,
    /// Internal names of the features that models may ask for.
    pub provides: &'static [&'static str],
}

/// All of them. Whoever builds one takes it off the list.
pub const PLANNED: &[Planned] = &[
    Planned {
        name: "float_adm",
        provides: &[
            "VMAF_feature_adm2_score",
            "VMAF_feature_aim_score",
            "VMAF_feature_adm3_score",
            "VMAF_feature_adm_scale0_score",
            "VMAF_feature_adm_scale1_score",
            "VMAF_feature_adm_scale2_score",
            "VMAF_feature_adm_scale3_score",
            "adm_num",
            "adm_den",
            "adm_scale0",
            "adm_num_scale0",
            "adm_den_scale0",
            "adm_num_scale1",
            "adm_den_scale1",
            "adm_num_scale2",
            "adm_den_scale2",
            "adm_num_scale3",
            "adm_den_scale3",
        ],
    },
    Planned {
        name: "float_vif",
        provides: &[
            "VMAF_feature_vif_scale0_score",
            "VMAF_feature_vif_scale1_score",
            "VMAF_feature_vif_scale2_score",
            "VMAF_feature_vif_scale3_score",
            "vif",
            "vif_num",
            "vif_den",
            "vif_num_scale0",
            "vif_den_scale0",
            "vif_num_scale1",
            "vif_den_scale1",
            "vif_num_scale2",
            "vif_den_scale2",
            "vif_num_scale3",
            "vif_den_scale3",
        ],
    },
    Planned {
        name: "float_motion",
        provides: &["VMAF_feature_motion_score", "VMAF_feature_motion2_score", "VMAF_feature_motion3_score"],
    },
    Planned {
        name: "speed_chroma",
        provides: &[
            "Speed_chroma_feature_speed_chroma_u_score",
            "Speed_chroma_feature_speed_chroma_v_score",
            "Speed_chroma_feature_speed_chroma_uv_score",
        ],
    },
    Planned { name: "speed_temporal", provides: &["Speed_temporal_feature_speed_temporal_score"] },
    Planned { name: "cambi", provides: &["Cambi_feature_cambi_score"] },
];
