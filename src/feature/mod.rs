// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Feature extractors: the registry, their options, names and values.

pub mod adm;
pub mod cambi;
pub mod ciede;
pub mod collector;
mod depth;
mod dictionary;
mod emitter;
mod extractor;
pub mod float_adm;
pub mod float_ansnr;
pub mod float_motion;
pub mod float_ms_ssim;
pub mod float_psnr;
pub mod float_ssim;
pub mod float_vif;
pub mod moment;
pub mod motion;
pub mod names;
mod null;
mod options;
pub mod pooling;
pub mod psnr;
pub mod psnr_hvs;
pub mod speed;
pub mod speed_chroma;
pub mod speed_temporal;
pub mod ssim;
pub mod vif;

pub use dictionary::Dictionary;
pub use emitter::{Emitter, Outputs};
pub use extractor::{
    Definition, Extractor, Frame, Launch, Measure, Score, Setup, Traits, Twin, on_cpu, on_device,
};
pub use options::{Kind, OptionSpec, Value, Values};

use crate::error::{Error, Result};

/// Every extractor, in the order in which a feature's provider is looked for.
static REGISTRY: &[&Definition] = &[
    &float_psnr::DEFINITION,
    &float_ansnr::DEFINITION,
    &float_adm::DEFINITION,
    &float_vif::DEFINITION,
    &float_motion::DEFINITION,
    &moment::DEFINITION,
    &speed_chroma::DEFINITION,
    &speed_temporal::DEFINITION,
    &float_ms_ssim::DEFINITION,
    &float_ssim::DEFINITION,
    &ciede::DEFINITION,
    &psnr::DEFINITION,
    &psnr_hvs::DEFINITION,
    &adm::DEFINITION,
    &motion::DEFINITION,
    &vif::DEFINITION,
    &cambi::DEFINITION,
    &null::DEFINITION,
];

/// The names of all extractors, in the registry's order.
pub fn names_of_all() -> impl Iterator<Item = &'static str> {
    REGISTRY.iter().map(|definition| definition.name)
}

/// An extractor and the side that its name says.
#[derive(Clone, Copy)]
pub struct Named {
    /// The extractor.
    pub definition: &'static Definition,
    /// Whether the name is that of its twin.
    pub twin: bool,
}

/// The extractor of exactly this name, `NAME_cuda` for a twin.
pub fn by_name(name: &str) -> Result<Named> {
    let find = |name| REGISTRY.iter().find(|definition| definition.name == name).copied();
    if let Some(definition) = find(name) {
        return Ok(Named { definition, twin: false });
    }
    let of_twin = name.strip_suffix("_cuda");
    match of_twin.and_then(find).filter(|definition| definition.twin.is_some()) {
        Some(definition) => Ok(Named { definition, twin: true }),
        None => Err(unknown(name, of_twin.unwrap_or(name))),
    }
}

fn unknown(name: &str, cpu_name: &str) -> Error {
    match REGISTRY.iter().any(|definition| definition.name == cpu_name) {
        true => Error::NotBuilt(format!("feature extractor \"{name}\" is not built in this version")),
        false => Error::invalid(format!("no such feature extractor: \"{name}\"")),
    }
}

/// The extractor that provides the feature with this internal name.
pub fn by_feature(feature: &str) -> Option<&'static Definition> {
    REGISTRY.iter().find(|definition| definition.provides.contains(&feature)).copied()
}

/// The extractor that provides a feature of a model.
pub fn provider(feature: &str) -> Result<&'static Definition> {
    by_feature(feature)
        .ok_or_else(|| Error::invalid(format!("could not initialize feature extractor \"{feature}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_exact_and_unique() {
        for definition in REGISTRY {
            assert!(std::ptr::eq(by_name(definition.name).unwrap().definition, *definition));
        }
        assert!(matches!(by_name("PSNR"), Err(Error::Invalid(_))));
        assert!(matches!(by_name("integer_psnr"), Err(Error::Invalid(_))));
        assert!(matches!(by_name("null_cuda"), Err(Error::NotBuilt(_))));
        assert!(matches!(by_name("bogus_cuda"), Err(Error::Invalid(_))));
    }

    #[test]
    fn a_feature_is_found_under_what_its_extractor_provides() {
        assert_eq!(by_feature("float_moment").unwrap().name, "float_moment");
        assert_eq!(by_feature("psnr_cb").unwrap().name, "psnr");
        assert!(by_feature("float_moment_ref1st").is_none());
        assert!(by_feature("apsnr_y").is_none());
    }

    #[test]
    fn every_feature_has_one_provider() {
        for definition in REGISTRY {
            for feature in definition.provides {
                let providers = REGISTRY.iter().filter(|other| other.provides.contains(feature));
                assert_eq!(providers.count(), 1, "{feature}");
                assert_eq!(provider(feature).unwrap().name, definition.name);
            }
        }
        assert!(matches!(provider("psnr_q"), Err(Error::Invalid(_))));
    }
}
