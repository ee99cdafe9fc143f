// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Feature extractors: the registry, their options, names and values.

pub mod adm;
pub mod ciede;
pub mod collector;
mod depth;
mod dictionary;
mod emitter;
mod extractor;
pub mod float_ansnr;
pub mod float_ms_ssim;
pub mod float_psnr;
pub mod float_ssim;
pub mod moment;
pub mod motion;
pub mod names;
mod null;
mod options;
mod planned;
pub mod pooling;
pub mod psnr;
pub mod psnr_hvs;
pub mod ssim;
pub mod vif;

pub use dictionary::Dictionary;
pub use emitter::{Emitter, Outputs};
pub use extractor::{Definition, Extractor, Frame, Measure, Score, Setup, Traits, on_cpu};
pub use options::{Kind, OptionSpec, Value, Values};

use crate::error::{Error, Result};
use planned::PLANNED;

/// Every extractor, in the order in which a feature's provider is looked for.
static REGISTRY: &[&Definition] = &[
    &float_psnr::DEFINITION,
    &float_ansnr::DEFINITION,
    &moment::DEFINITION,
    &float_ms_ssim::DEFINITION,
    &float_ssim::DEFINITION,
    &ciede::DEFINITION,
    &psnr::DEFINITION,
    &psnr_hvs::DEFINITION,
    &adm::DEFINITION,
    &motion::DEFINITION,
    &vif::DEFINITION,
    &null::DEFINITION,
];

/// The names of all extractors, in the registry's order.
pub fn names_of_all() -> impl Iterator<Item = &'static str> {
    REGISTRY.iter().map(|definition| definition.name)
}

/// The extractor of exactly this name.
pub fn by_name(name: &str) -> Result<&'static Definition> {
    let found = REGISTRY.iter().find(|definition| definition.name == name);
    found.copied().ok_or_else(|| {
        let cpu_name = name.strip_suffix("_cuda").unwrap_or(name);
        let known = is_planned(cpu_name) || REGISTRY.iter().any(|definition| definition.name == cpu_name);
        match known {
            true => Error::NotBuilt(format!("feature extractor \"{name}\" is not built in this version")),
            false => Error::invalid(format!("no such feature extractor: \"{name}\"")),
        }
    })
}

/// The extractor that provides the feature with this internal name.
pub fn by_feature(feature: &str) -> Option<&'static Definition> {
    REGISTRY.iter().find(|definition| definition.provides.contains(&feature)).copied()
}

fn is_planned(name: &str) -> bool {
    PLANNED.iter().any(|planned| planned.name == name)
}

/// The name of the extractor that provides a feature, whether or not this version has it.
pub fn provider_name(feature: &str) -> Option<&'static str> {
    let built = by_feature(feature).map(|definition| definition.name);
    let planned = || PLANNED.iter().find(|planned| planned.provides.contains(&feature));
    built.or_else(|| planned().map(|planned| planned.name))
}

/// The extractor that provides a feature of a model.
pub fn provider(feature: &str) -> Result<&'static Definition> {
    by_feature(feature).ok_or_else(|| match provider_name(feature) {
        Some(name) => Error::NotBuilt(format!(
            "feature extractor \"{name}\", which provides \"{feature}\", is not built in this version"
        )),
        None => Error::invalid(format!("could not initialize feature extractor \"{feature}\"")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_exact_and_unique() {
        for definition in REGISTRY {
            assert!(std::ptr::eq(by_name(definition.name).unwrap(), *definition));
            assert!(!is_planned(definition.name));
        }
        assert!(matches!(by_name("PSNR"), Err(Error::Invalid(_))));
        assert!(matches!(by_name("integer_psnr"), Err(Error::Invalid(_))));
        for planned in PLANNED {
            assert!(matches!(by_name(planned.name), Err(Error::NotBuilt(_))));
        }
        assert!(matches!(by_name("psnr_cuda"), Err(Error::NotBuilt(_))));
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
        let built = REGISTRY.iter().map(|definition| (definition.name, definition.provides));
        let planned = PLANNED.iter().map(|planned| (planned.name, planned.provides));
        // A twin provides what its CPU extractor does.
        let all: Vec<_> = built.chain(planned).filter(|(name, _)| !name.ends_with("_cuda")).collect();
        for &(name, provides) in &all {
            for feature in provides {
                assert_eq!(all.iter().filter(|other| other.1.contains(feature)).count(), 1, "{feature}");
                assert_eq!(provider_name(feature), Some(name));
            }
        }
        for planned in PLANNED {
            let error = provider(planned.provides[0]).err().unwrap();
            assert!(matches!(&error, Error::NotBuilt(text) if text.contains(planned.name)), "{error}");
        }
        assert!(matches!(provider("psnr_q"), Err(Error::Invalid(_))));
        assert_eq!(provider("psnr_y").unwrap().name, "psnr");
    }
}
