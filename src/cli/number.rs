// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Numbers as C's `strtoul` reads them with base 0.

/// The value of all of `text`, reduced to 32 bits as C does on assignment: `-1` is 4294967295.
///
/// Hexadecimal after `0x`, octal after `0`, else decimal; blanks and one sign may stand in front.
pub fn unsigned(text: &str) -> Option<u32> {
    let text = text.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    let (negative, digits) = match text.strip_prefix(['-', '+']) {
        Some(digits) => (text.starts_with('-'), digits),
        None => (false, text),
    };
    let value = magnitude(digits)?;
    Some(if negative { value.wrapping_neg() } else { value } as u32)
}

fn magnitude(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0u64, |value, digit| {
        let digit = digit.to_digit(radix)?;
        Some(value.saturating_mul(radix.into()).saturating_add(digit.into()))
    })
}

#[cfg(test)]
mod tests {
    use super::unsigned;

    #[test]
    fn bases_signs_and_wrapping() {
        let cases = [
            ("0", 0),
            ("352", 352),
            ("0x40", 64),
            ("0XfF", 255),
            ("010", 8),
            ("-1", u32::MAX),
            ("+7", 7),
            (" \t9", 9),
            ("4294967295", u32::MAX),
            ("4294967296", 0),
            ("99999999999999999999999", u32::MAX),
            ("-0x2", u32::MAX - 1),
        ];
        for (text, value) in cases {
            assert_eq!(unsigned(text), Some(value), "{text}");
        }
    }

    #[test]
    fn the_whole_word_must_be_a_number() {
        for text in ["", " ", "-", "x", "8x", "8 ", "0x", "08", "--1", "1.0", "0xg", "１"] {
            assert_eq!(unsigned(text), None, "{text}");
        }
    }
}
