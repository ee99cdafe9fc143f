// SPDX-License-Identifier: BSD-2-Clause-Patent
//! C's texts for numbers, both ways, and always in the C locale.
//!
//! Logs, feature names and option values are defined by what `printf`, `strtod` and `atoi` do. The C library's
//! own functions follow the locale of the host program (a decimal comma in half of Europe); these do not.

#![forbid(unsafe_code)]

/// `value` as C's `%.{precision}g` prints it; a precision of 0 counts as 1.
pub fn general(value: f64, precision: usize) -> String {
    if !value.is_finite() {
        return non_finite(value).to_owned();
    }
    let last = precision.max(1) - 1;
    let scientific = format!("{value:.last$e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("an e in Rust's scientific form");
    let exponent: i32 = exponent.parse().expect("an integer after the e");
    match usize::try_from(last as i64 - i64::from(exponent)) {
        Ok(decimals) if exponent >= -4 => without_trailing_zeros(&fixed(value, decimals)).to_owned(),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", without_trailing_zeros(mantissa), exponent.unsigned_abs())
        }
    }
}

/// `value` as C's `%.{decimals}f` prints it.
pub fn fixed(value: f64, decimals: usize) -> String {
    if value.is_finite() { format!("{value:.decimals$}") } else { non_finite(value).to_owned() }
}

/// What C prints for an infinity or a NaN: the sign is that of the sign bit, for NaN too.
fn non_finite(value: f64) -> &'static str {
    match (value.is_nan(), value.is_sign_negative()) {
        (true, true) => "-nan",
        (true, false) => "nan",
        (false, true) => "-inf",
        (false, false) => "inf",
    }
}

fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// The number at the start of `text` as C's `strtod` reads it, and how many bytes it takes (0: no number, value 0).
///
/// White space may stand before it. Too large a number is an infinity, and the payload of `nan(...)` is dropped.
pub fn strtod(text: &str) -> (f64, usize) {
    let Some(number) = scan(text) else { return (0.0, 0) };
    let magnitude = match number.form {
        Form::Infinity => f64::INFINITY,
        Form::Nan => f64::NAN,
        Form::Decimal(digits) => digits.parse().unwrap_or(0.0),
        Form::Hexadecimal(binary) => binary.round(53, -1074),
    };
    (if number.negative { -magnitude } else { magnitude }, number.end)
}

/// The value of a text that as a whole is one number, blanks around it allowed: rounded once, to single precision.
pub fn strtof_whole(text: &str) -> Option<f32> {
    let number = scan(text)?;
    if !text.as_bytes()[number.end..].iter().copied().all(is_space) {
        return None;
    }
    let magnitude = match number.form {
        Form::Infinity => f32::INFINITY,
        Form::Nan => f32::NAN,
        Form::Decimal(digits) => digits.parse().unwrap_or(0.0),
        Form::Hexadecimal(binary) => binary.round(24, -149) as f32,
    };
    Some(if number.negative { -magnitude } else { magnitude })
}

/// The decimal integer at the start of `text` as C's `strtol` reads it, limited to the range of 64 bits.
pub fn strtol_prefix(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let start = count(bytes, is_space);
    let (negative, signed) = sign(&bytes[start..]);
    let digits = &bytes[start + signed..];
    let digits = &digits[..count(digits, |byte| byte.is_ascii_digit())];
    let magnitude = |value: i64, digit: &u8| value.saturating_mul(10).saturating_sub(i64::from(digit - b'0'));
    // Summed downwards, since only that way the lowest value fits.
    let negated = digits.iter().fold(0, magnitude);
    let value = if negative { negated } else { negated.checked_neg().unwrap_or(i64::MAX) };
    (!digits.is_empty()).then_some(value)
}

struct Number<'a> {
    negative: bool,
    form: Form<'a>,
    end: usize,
}

enum Form<'a> {
    Infinity,
    Nan,
    /// Digits, point and exponent, as Rust's parser takes them.
    Decimal(&'a str),
    Hexadecimal(Binary),
}

fn scan(text: &str) -> Option<Number<'_>> {
    let bytes = text.as_bytes();
    let blanks = count(bytes, is_space);
    let (negative, signed) = sign(&bytes[blanks..]);
    let start = blanks + signed;
    let body = &bytes[start..];
    let (form, length) = word(body).or_else(|| hexadecimal(body)).or_else(|| {
        let length = decimal_length(body)?;
        Some((Form::Decimal(&text[start..start + length]), length))
    })?;
    Some(Number { negative, form, end: start + length })
}

fn word<'a>(body: &[u8]) -> Option<(Form<'a>, usize)> {
    if starts_with(body, b"infinity") {
        Some((Form::Infinity, 8))
    } else if starts_with(body, b"inf") {
        Some((Form::Infinity, 3))
    } else if starts_with(body, b"nan") {
        Some((Form::Nan, 3 + payload_length(&body[3..])))
    } else {
        None
    }
}

/// Length of the `(...)` after `nan`; 0 if it is not there or not closed.
fn payload_length(rest: &[u8]) -> usize {
    if rest.first() != Some(&b'(') {
        return 0;
    }
    let length = count(&rest[1..], |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if rest.get(1 + length) == Some(&b')') { length + 2 } else { 0 }
}

fn decimal_length(body: &[u8]) -> Option<usize> {
    let (_, length) = mantissa(body, |byte| byte.is_ascii_digit())?;
    Some(length + exponent(&body[length..], b'e').map_or(0, |(_, taken)| taken))
}

fn hexadecimal<'a>(body: &[u8]) -> Option<(Form<'a>, usize)> {
    if !starts_with(body, b"0x") {
        return None;
    }
    let digits = &body[2..];
    let (fraction, length) = mantissa(digits, |byte| byte.is_ascii_hexdigit())?;
    let mut binary = Binary { mantissa: 0, exponent: -4 * fraction as i64 };
    digits[..length]
        .iter()
        .filter_map(|&byte| char::from(byte).to_digit(16))
        .for_each(|digit| binary.push(digit));
    let (power, taken) = exponent(&digits[length..], b'p').unwrap_or((0, 0));
    binary.exponent = binary.exponent.saturating_add(power);
    Some((Form::Hexadecimal(binary), 2 + length + taken))
}

/// How many digits stand after the point, and the length of the whole; `None` without any digit.
fn mantissa(body: &[u8], is_digit: impl Fn(u8) -> bool) -> Option<(usize, usize)> {
    let whole = count(body, &is_digit);
    let pointed = body.get(whole) == Some(&b'.');
    let fraction = if pointed { count(&body[whole + 1..], &is_digit) } else { 0 };
    (whole + fraction > 0).then_some((fraction, whole + usize::from(pointed) + fraction))
}

/// The exponent after `marker` and its length with the marker; `None` unless a digit follows.
fn exponent(rest: &[u8], marker: u8) -> Option<(i64, usize)> {
    if rest.first()?.to_ascii_lowercase() != marker {
        return None;
    }
    let (negative, signed) = sign(&rest[1..]);
    let digits = &rest[1 + signed..];
    let digits = &digits[..count(digits, |byte| byte.is_ascii_digit())];
    let append = |value: i64, digit: &u8| value.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
    let magnitude = digits.iter().fold(0, append);
    let value = if negative { -magnitude } else { magnitude };
    (!digits.is_empty()).then_some((value, 1 + signed + digits.len()))
}

/// `mantissa * 2^exponent`; the lowest bit stands for itself and every bit that did not fit.
#[derive(Clone, Copy)]
struct Binary {
    mantissa: u64,
    exponent: i64,
}

impl Binary {
    fn push(&mut self, digit: u32) {
        if self.mantissa >> 60 == 0 {
            self.mantissa = self.mantissa << 4 | u64::from(digit);
        } else {
            self.mantissa |= u64::from(digit != 0);
            self.exponent = self.exponent.saturating_add(4);
        }
    }

    /// The nearest number, ties to even, of a format with `bits` of significand and 2^`lowest` as its smallest step.
    fn round(self, bits: i64, lowest: i64) -> f64 {
        let length = i64::from(u64::BITS - self.mantissa.leading_zeros());
        let drop = (length - bits).max(lowest.saturating_sub(self.exponent)).max(0);
        if self.mantissa == 0 || drop > 64 {
            return 0.0;
        }
        // Both factors and the product are exact, so that this rounds nothing.
        shift_to_even(self.mantissa, drop) as f64 * power_of_two(self.exponent.saturating_add(drop))
    }
}

fn shift_to_even(mantissa: u64, drop: i64) -> u64 {
    let wide = u128::from(mantissa);
    let kept = wide >> drop;
    let rest = wide - (kept << drop);
    let half = 1u128 << drop >> 1;
    let up = drop > 0 && (rest > half || rest == half && kept & 1 == 1);
    (kept + u128::from(up)) as u64
}

/// 2^`exponent` for exponents from -1074 up; an infinity where a double has none.
fn power_of_two(exponent: i64) -> f64 {
    match exponent {
        1024.. => f64::INFINITY,
        -1022.. => f64::from_bits(((exponent + 1023) as u64) << 52),
        _ => f64::from_bits(1 << (exponent + 1074)),
    }
}

fn sign(bytes: &[u8]) -> (bool, usize) {
    match bytes.first() {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    }
}

fn starts_with(bytes: &[u8], lower: &[u8]) -> bool {
    bytes.get(..lower.len()).is_some_and(|start| start.eq_ignore_ascii_case(lower))
}

fn count(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|&&byte| belongs(byte)).count()
}

/// C's `isspace`, which unlike Rust's includes the vertical tab.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}
