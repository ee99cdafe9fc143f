// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Support-vector regression with radial basis functions, and LIBSVM's text of such a machine.
#![forbid(unsafe_code)]

use std::str::{FromStr, SplitAsciiWhitespace};

use crate::error::{Error, Result};

/// Most support vectors of a machine. Damaged files must not fill the memory.
const MOST_VECTORS: usize = 1 << 16;

/// A trained machine. The sum over its support vectors keeps their order, which the last bits depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    gamma: f64,
    rho: f64,
    features: usize,
    coefficients: Vec<f64>,
    /// One row of `features` numbers a support vector.
    vectors: Vec<f64>,
}

impl Machine {
    /// A machine without support vectors, for inputs of this many features.
    pub fn new(gamma: f64, rho: f64, features: usize) -> Self {
        Self { gamma, rho, features, coefficients: Vec::new(), vectors: Vec::new() }
    }

    /// Adds a support vector at the end.
    ///
    /// # Panics
    /// If the vector has another number of features than the machine.
    pub fn push(&mut self, coefficient: f64, vector: &[f64]) {
        assert_eq!(vector.len(), self.features);
        self.coefficients.push(coefficient);
        self.vectors.extend_from_slice(vector);
    }

    /// How many features an input has.
    pub fn features(&self) -> usize {
        self.features
    }

    /// How many support vectors there are.
    pub fn len(&self) -> usize {
        self.coefficients.len()
    }

    /// Whether there are no support vectors.
    pub fn is_empty(&self) -> bool {
        self.coefficients.is_empty()
    }

    /// The regression at `input`. `exp` is the platform's, so that the last bits are those of libvmaf there.
    pub fn decide(&self, input: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (coefficient, vector) in self.coefficients.iter().zip(self.vectors.chunks_exact(self.features)) {
            sum += coefficient * (-self.gamma * squared_distance(input, vector)).exp();
        }
        sum - self.rho
    }

    /// Reads LIBSVM's text of a machine for inputs of `features` numbers, at least one.
    pub fn parse(text: &str, features: usize) -> Result<Self> {
        let (head, body) = split_header(text)?;
        let header = Header::parse(head)?;
        let mut machine = Self::new(header.gamma, header.rho, features);
        let mut vector = vec![0.0; features];
        let mut lines = body.lines();
        for number in 1..=header.vectors {
            let line = lines.next().unwrap_or_default();
            let coefficient = parse_vector(line, &mut vector)
                .map_err(|error| Error::invalid(format!("support vector {number}: {error}")))?;
            machine.push(coefficient, &vector);
        }
        match lines.find(|line| !line.trim_ascii().is_empty()) {
            Some(_) => Err(Error::invalid(format!("more support vectors than total_sv {}", header.vectors))),
            None => Ok(machine),
        }
    }
}

fn squared_distance(input: &[f64], vector: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (&value, &center) in input.iter().zip(vector) {
        let difference = value - center;
        sum += difference * difference;
    }
    sum
}

/// The words before `SV`, and the lines after it.
fn split_header(text: &str) -> Result<(&str, &str)> {
    let is_word = |&(at, _): &(usize, &str)| {
        let before = text[..at].chars().next_back();
        let after = text[at + 2..].chars().next();
        [before, after].into_iter().all(|next| next.is_none_or(|next| next.is_ascii_whitespace()))
    };
    let (at, _) = text.match_indices("SV").find(is_word).ok_or_else(|| Error::invalid("no word SV"))?;
    let body = text[at + 2..].trim_start_matches([' ', '\t', '\r']);
    Ok((&text[..at], body.strip_prefix('\n').unwrap_or(body)))
}

struct Header {
    gamma: f64,
    rho: f64,
    vectors: usize,
}

impl Header {
    fn parse(text: &str) -> Result<Self> {
        let (mut svm_type, mut kernel_type) = (None, None);
        let (mut gamma, mut rho, mut vectors) = (None, None, None);
        let mut words = text.split_ascii_whitespace();
        while let Some(key) = words.next() {
            match key {
                "svm_type" => svm_type = Some(expect(&mut words, key, "nu_svr")?),
                "kernel_type" => kernel_type = Some(expect(&mut words, key, "rbf")?),
                "nr_class" => expect(&mut words, key, "2")?,
                "total_sv" => vectors = Some(number::<usize>(&mut words, key)?),
                "gamma" => gamma = Some(finite(&mut words, key)?),
                "rho" => rho = Some(finite(&mut words, key)?),
                "degree" | "coef0" | "probA" | "probB" => drop(finite(&mut words, key)?),
                "label" | "nr_sv" => drop([finite(&mut words, key)?, finite(&mut words, key)?]),
                _ => return Err(Error::invalid(format!("\"{key}\" is no word of a header"))),
            }
        }
        present(svm_type, "svm_type")?;
        present(kernel_type, "kernel_type")?;
        let vectors = present(vectors, "total_sv")?;
        if vectors > MOST_VECTORS {
            return Err(Error::invalid(format!("total_sv {vectors} is above {MOST_VECTORS}")));
        }
        Ok(Self { gamma: present(gamma, "gamma")?, rho: present(rho, "rho")?, vectors })
    }
}

fn present<T>(value: Option<T>, key: &str) -> Result<T> {
    value.ok_or_else(|| Error::invalid(format!("no {key}")))
}

fn expect(words: &mut SplitAsciiWhitespace, key: &str, only: &str) -> Result<()> {
    match words.next() {
        Some(word) if word == only => Ok(()),
        word => {
            let word = word.unwrap_or_default();
            Err(Error::invalid(format!("{key} \"{word}\" is not supported, only {only}")))
        }
    }
}

fn number<T: FromStr>(words: &mut SplitAsciiWhitespace, key: &str) -> Result<T> {
    let word = words.next().unwrap_or_default();
    word.parse().map_err(|_| Error::invalid(format!("{key}: \"{word}\" is not a number")))
}

fn finite(words: &mut SplitAsciiWhitespace, key: &str) -> Result<f64> {
    let value: f64 = number(words, key)?;
    value.is_finite().then_some(value).ok_or_else(|| Error::invalid(format!("{key} is {value}")))
}

/// Reads the line `COEFFICIENT INDEX:VALUE...` of a support vector and gives its coefficient. Indices count
/// from 1 and ascend; features without one are 0.
fn parse_vector(line: &str, vector: &mut [f64]) -> Result<f64> {
    vector.fill(0.0);
    let mut words = line.split_ascii_whitespace();
    let coefficient = finite(&mut words, "coefficient")?;
    let mut last = 0;
    for word in words {
        let (index, value) = parse_element(word)
            .ok_or_else(|| Error::invalid(format!("\"{word}\" is not an index and a number")))?;
        if index <= last {
            return Err(Error::invalid(format!("index {index} after {last}")));
        }
        let Some(element) = vector.get_mut(index - 1) else {
            return Err(Error::invalid(format!("index {index}, but {} features", vector.len())));
        };
        *element = value;
        last = index;
    }
    Ok(coefficient)
}

fn parse_element(word: &str) -> Option<(usize, f64)> {
    let (index, value) = word.split_once(':')?;
    let value: f64 = value.parse().ok()?;
    Some((index.parse().ok()?, value)).filter(|(_, value)| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "svm_type nu_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho -1.25\n";

    fn parse(body: &str) -> Result<Machine> {
        Machine::parse(&format!("{HEADER}{body}"), 3)
    }

    #[test]
    fn missing_elements_are_zero() {
        let machine = parse("SV\n-4 1:0.25  3:1e-3 \n2.5\n").unwrap();
        let mut expected = Machine::new(0.5, -1.25, 3);
        expected.push(-4.0, &[0.25, 0.0, 0.001]);
        expected.push(2.5, &[0.0; 3]);
        assert_eq!(machine, expected);
        assert_eq!((machine.len(), machine.features(), machine.is_empty()), (2, 3, false));
    }

    #[test]
    fn header_words_come_in_any_order_and_layout() {
        let text = "rho -1.25 degree 3 nr_sv 1 2\r\nlabel 1 -1 gamma 0.5\ttotal_sv 2 kernel_type rbf\n\
                    nr_class 2 coef0 0 probA 1 svm_type nu_svr SV \r\n1 1:1\r\n2 2:2\r\n\r\n";
        let machine = Machine::parse(text, 3).unwrap();
        assert_eq!(machine, parse("SV\n1 1:1\n2 2:2\n").unwrap());
    }

    #[test]
    fn terms_are_added_in_order() {
        let machine = parse("SV\n-4 1:0.25 2:-1\n2.5 3:2\n").unwrap();
        let [a, b, c] = [0.1, 0.2, 0.3f64];
        let first = (a - 0.25) * (a - 0.25) + (b + 1.0) * (b + 1.0) + c * c;
        let second = a * a + b * b + (c - 2.0) * (c - 2.0);
        let expected = -4.0 * (-0.5 * first).exp() + 2.5 * (-0.5 * second).exp() + 1.25;
        assert_eq!(machine.decide(&[a, b, c]), expected);
    }

    #[test]
    fn faults_are_told_with_their_place() {
        for (body, expected) in [
            ("", "no word SV"),
            ("SVM\n1 1:1\n1 1:1\n", "no word SV"),
            ("SV\n1 1:1\n", "support vector 2: coefficient: \"\" is not a number"),
            ("SV\n1 1:1\n1 1:x\n", "support vector 2: \"1:x\" is not an index and a number"),
            ("SV\n1 1:nan\n1\n", "support vector 1: \"1:nan\" is not an index and a number"),
            ("SV\ninf 1:1\n1\n", "support vector 1: coefficient is inf"),
            ("SV\n1 0:1\n1\n", "support vector 1: index 0 after 0"),
            ("SV\n1 2:1 2:1\n1\n", "support vector 1: index 2 after 2"),
            ("SV\n1 4:1\n1\n", "support vector 1: index 4, but 3 features"),
            ("SV\n1\n1\n1\n", "more support vectors than total_sv 2"),
            ("gama 1 SV\n1\n1\n", "\"gama\" is no word of a header"),
            ("kernel_type linear SV\n1\n1\n", "kernel_type \"linear\" is not supported, only rbf"),
            ("svm_type c_svc SV\n1\n1\n", "svm_type \"c_svc\" is not supported, only nu_svr"),
            ("total_sv 65537 SV\n1\n1\n", "total_sv 65537 is above 65536"),
            ("total_sv -1 SV\n1\n1\n", "total_sv: \"-1\" is not a number"),
            ("gamma 0,5 SV\n1\n1\n", "gamma: \"0,5\" is not a number"),
            ("rho SV\n1\n1\n", "rho: \"\" is not a number"),
        ] {
            assert_eq!(parse(body).unwrap_err().to_string(), expected, "{body:?}");
        }
        for key in ["svm_type", "kernel_type", "gamma", "total_sv", "rho"] {
            let lines = HEADER.lines().filter(|line| !line.starts_with(key));
            let text = lines.collect::<Vec<_>>().join("\n") + "\nSV\n1\n1\n";
            assert_eq!(Machine::parse(&text, 3).unwrap_err().to_string(), format!("no {key}"));
        }
    }
}
