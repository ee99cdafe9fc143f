// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The figures of the built-in models, which figures/import.py writes and describes.
#![forbid(unsafe_code)]

use std::sync::{Arc, LazyLock};

use super::Scaling;
use super::svm::Machine;

/// What several built-in models share.
pub struct Figures {
    /// The score's scaling, then each feature's.
    pub scalings: Vec<Scaling>,
    /// The machine, or those of a collection, its lead model's first.
    pub machines: Vec<Arc<Machine>>,
}

macro_rules! figures {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $($(#[$doc])* pub static $name: LazyLock<Figures> =
            LazyLock::new(|| Figures::read(include_str!(concat!("figures/", $file, ".figures"))));)*
    };
}

figures! {
    /// Of vmaf_v0.6.1 and its kin.
    V0_6_1 = "vmaf_v0.6.1";
    /// Of vmaf_4k_v0.6.1 and its kin.
    V0_6_1_4K = "vmaf_4k_v0.6.1";
    /// Of the collections.
    B_V0_6_3 = "vmaf_b_v0.6.3";
    /// Of all vmaf_v1.0.16 models.
    V1_0_16 = "vmaf_v1.0.16";
}

impl Figures {
    /// # Panics
    /// If the text is not one that import.py writes. All are part of the library and read by a test.
    fn read(text: &str) -> Self {
        let (mut gamma, mut scalings, mut vectors) = (0.0, Vec::new(), Vec::new());
        let mut machines = Vec::new();
        for line in text.lines() {
            let (key, rest) = line.split_once(' ').expect("a key and its value");
            match key {
                "#" => {}
                "gamma" => gamma = number(rest),
                "scale" => scalings.push(scaling(rest)),
                "vector" => vectors.push(rest.split(' ').map(number).collect::<Vec<_>>()),
                "machine" => machines.push(Machine::new(gamma, number(rest), vectors[0].len())),
                "sum" => {
                    let machine = machines.last_mut().expect("a machine before its sum");
                    rest.split(' ')
                        .map(term)
                        .for_each(|(factor, place)| machine.push(factor, &vectors[place]));
                }
                _ => panic!("{line}"),
            }
        }
        Self { scalings, machines: machines.into_iter().map(Arc::new).collect() }
    }
}

fn number(text: &str) -> f64 {
    text.parse().expect("a number")
}

fn scaling(text: &str) -> Scaling {
    let (slope, intercept) = text.split_once(' ').expect("slope and intercept");
    Scaling::Linear { slope: number(slope), intercept: number(intercept) }
}

/// A coefficient and the number of its vector.
fn term(text: &str) -> (f64, usize) {
    let (coefficient, vector) = text.split_once('@').expect("coefficient and vector");
    (number(coefficient), vector.parse().expect("a vector's number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_figures_are_there() {
        for (figures, features, vectors) in
            [(&V0_6_1, 6, 211), (&V0_6_1_4K, 6, 262), (&B_V0_6_3, 6, 210), (&V1_0_16, 4, 215)]
        {
            assert_eq!(figures.scalings.len(), features + 1);
            assert_eq!((figures.machines[0].features(), figures.machines[0].len()), (features, vectors));
        }
        assert_eq!(B_V0_6_3.machines.len(), 21);
        assert_eq!(B_V0_6_3.machines.iter().map(|machine| machine.len()).sum::<usize>(), 4435);
    }
}
