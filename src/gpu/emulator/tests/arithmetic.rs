// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Intrinsics and atomics, against Rust's arithmetic.

use super::*;
use random::Random;

#[test]
fn atomics_add_up_and_the_last_block_sees_it() {
    for seed in 0..SEEDS {
        let bench = Bench::new(seed);
        let out = bench.words(&[0, 0, u64::MAX, 0, 0, 0, 0, 0]);
        bench.run("test_atomics", 5, 96, Test { out: out.address(), ..Test::default() }).unwrap();
        let sum = 480 * 479 / 2;
        let xor = (0..480).fold(0, |xor, i| xor ^ i);
        let negative = u64::from((-(sum as i32)) as u32);
        assert_eq!(bench.read(&out), [sum, 479, 0, u64::MAX, xor, negative, 0, sum], "seed {seed}");
    }
}

#[test]
fn integer_intrinsics() {
    let mut random = Random::new(7);
    let extremes = [0, 1, u64::MAX, 1 << 63, 0x8000_0000, 0x7fff_ffff, 0x8080_8080_8080_8080];
    let mut words: Vec<u64> = (0..3 * 500).map(|_| random.word()).collect();
    words.iter_mut().step_by(2).for_each(|word| *word = random.choice(&extremes));
    let bench = Bench::new(7);
    let (out, input) = (bench.zeros(24 * 500), bench.words(&words));
    let test = Test { out: out.address(), input: input.address(), count: 500, choice: 0 };
    bench.run("test_integers", 2, 256, test).unwrap();
    for (words, found) in words.chunks(3).zip(bench.read(&out).chunks(24)) {
        assert_eq!(found, integers(words[0], words[1], words[2] as u32), "{words:x?}");
    }
}

/// As the CUDA Math API and the PTX ISA define them.
fn integers(wide: u64, other: u64, c: u32) -> [u64; 24] {
    let (a, b) = (wide as u32, other as u32);
    let (x, y) = (a.to_le_bytes(), b.to_le_bytes());
    let halves = [a as u16, (a >> 16) as u16];
    let sum = |from: u32, terms: [i64; 4]| {
        u64::from(terms.iter().fold(from, |sum, term| sum.wrapping_add(*term as u32)))
    };
    let each = |f: fn(u8, u8) -> i64| std::array::from_fn(|i| f(x[i], y[i]));
    let unsigned = |from: usize| {
        [0, 1, 2, 3].map(|i| if i < 2 { i64::from(halves[i]) * i64::from(y[from + i]) } else { 0 })
    };
    let signed = |from: usize| {
        [0, 1, 2, 3]
            .map(|i| if i < 2 { i64::from(halves[i] as i16) * i64::from(y[from + i] as i8) } else { 0 })
    };
    let permuted = std::array::from_fn(|i| {
        let digit = c >> (4 * i) & 15;
        let byte = [x, y].as_flattened()[digit as usize & 7];
        if digit & 8 != 0 { ((byte as i8) >> 7) as u8 } else { byte }
    });
    let both = u64::from(b) << 32 | u64::from(a);
    let difference = |shift: u32| u64::from((a >> shift & 0xffff).abs_diff(b >> shift & 0xffff) << shift);
    let apart: [i64; 4] = each(|x, y| x.abs_diff(y).into());
    let narrow = |number: u32| u64::from(number);
    [
        sum(c, each(|x, y| i64::from(x) * i64::from(y))),
        sum(c, each(|x, y| i64::from(x as i8) * i64::from(y as i8))),
        sum(c, unsigned(0)),
        sum(c, unsigned(2)),
        sum(c, signed(0)),
        sum(c, signed(2)),
        narrow(u32::from_le_bytes(permuted)),
        narrow(u32::from_le_bytes(apart.map(|byte| byte as u8))),
        narrow(a.leading_zeros()),
        narrow(wide.leading_zeros()),
        narrow(if a == 0 { 0 } else { a.trailing_zeros() + 1 }),
        narrow(a.count_ones()),
        (u64::from(a) * u64::from(b)) >> 32,
        narrow(((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32),
        ((u128::from(wide) * u128::from(other)) >> 64) as u64,
        ((i128::from(wide as i64) * i128::from(other as i64)) >> 64) as u64,
        narrow((both >> (c % 32)) as u32),
        both << (c % 32) >> 32,
        narrow(a.reverse_bits()),
        difference(0) | difference(16),
        sum(0, apart),
        narrow(c.wrapping_add(a.abs_diff(b))),
        narrow(c.wrapping_add((a as i32).abs_diff(b as i32))),
        narrow(a.min(b)),
    ]
}

#[test]
fn conversions_round_and_saturate() {
    let mut random = Random::new(9);
    let limits = [
        0.0,
        0.5,
        1.5,
        2.5,
        -0.5,
        2147483647.0,
        2147483648.0,
        4294967295.5,
        1e10,
        9.3e18,
        1.9e19,
        1e30,
        f64::INFINITY,
    ];
    let mut numbers: Vec<f64> = limits.into_iter().flat_map(|number| [number, -number]).collect();
    numbers.extend((0..400).map(|_| (random.word() as i64 as f64) / f64::powi(2.0, random.below(64) as i32)));
    let words: Vec<_> = numbers.iter().map(|number| number.to_bits()).collect();
    let bench = Bench::new(9);
    let (out, input) = (bench.zeros(12 * words.len()), bench.words(&words));
    let test = Test { out: out.address(), input: input.address(), count: words.len() as u32, choice: 0 };
    bench.run("test_conversions", 1, 64, test).unwrap();
    for (number, found) in numbers.iter().zip(bench.read(&out).chunks(12)) {
        assert_eq!(found, conversions(*number), "{number}");
    }
}

/// Rust's conversions saturate, as the device's do.
fn conversions(wide: f64) -> [u64; 12] {
    let narrow = wide as f32;
    let signed = |number: f32| u64::from(number as i32 as u32);
    [
        signed(narrow),
        signed(narrow.round_ties_even()),
        signed(narrow.floor()),
        signed(narrow.ceil()),
        u64::from(narrow as u32),
        u64::from(narrow.round_ties_even() as u32),
        narrow.round_ties_even() as i64 as u64,
        u64::from(wide as i32 as u32),
        u64::from(wide.round_ties_even() as i32 as u32),
        u64::from(wide as u32),
        wide.round_ties_even() as i64 as u64,
        wide as u64,
    ]
}

/// Of floats near enough to each other for a double to hold their sum.
#[test]
fn sums_are_rounded_towards_minus_infinity() {
    let mut random = Random::new(10);
    let mut pairs = vec![[0.0, 0.0], [0.0, -0.0], [-0.0, -0.0], [1.5, -1.5], [12582912.0, -0.00390625]];
    let mut float = || (random.word() as i64 >> 20) as f32 / f32::powi(2.0, random.below(20) as i32);
    pairs.extend((0..1000).map(|_| [float(), float()]));
    let word = |[low, high]: &[f32; 2]| u64::from(high.to_bits()) << 32 | u64::from(low.to_bits());
    let words: Vec<_> = pairs.iter().map(word).collect();
    let bench = Bench::new(10);
    let (out, input) = (bench.zeros(words.len()), bench.words(&words));
    let test = Test { out: out.address(), input: input.address(), count: words.len() as u32, choice: 0 };
    bench.run("test_sums_down", 2, 64, test).unwrap();
    for (pair, found) in pairs.iter().zip(bench.read(&out)) {
        assert_eq!(f32::from_bits(found as u32).to_bits(), sum_down(*pair).to_bits(), "{pair:?}");
    }
}

fn sum_down([a, b]: [f32; 2]) -> f32 {
    let exact = f64::from(a) + f64::from(b);
    let nearest = exact as f32;
    // Zero is negative, unless both numbers are positive zeros.
    if exact == 0.0 && (a.is_sign_negative() || b.is_sign_negative()) {
        return -0.0;
    }
    if f64::from(nearest) > exact { nearest.next_down() } else { nearest }
}

#[test]
fn a_nan_becomes_what_the_isa_says() {
    let bench = Bench::new(9);
    let (out, input) = (bench.zeros(12), bench.words(&[f64::NAN.to_bits()]));
    let test = Test { out: out.address(), input: input.address(), count: 1, choice: 0 };
    bench.run("test_conversions", 1, 1, test).unwrap();
    let (high, highest) = (1 << 31, 1 << 63);
    assert_eq!(bench.read(&out), [0, 0, 0, 0, 0, 0, highest, high, high, high, highest, highest]);
}

#[test]
fn approximate_reciprocals_are_near_and_never_exact() {
    let mut random = Random::new(11);
    let values: Vec<f64> =
        (0..1000).map(|i| (random.below(1 << 20) + 1) as f64 * f64::from(1 + i % 7)).collect();
    let words: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
    let bench = Bench::new(11);
    let (out, input) = (bench.zeros(words.len()), bench.words(&words));
    let test = Test { out: out.address(), input: input.address(), count: words.len() as u32, choice: 0 };
    bench.run("test_reciprocal", 2, 64, test).unwrap();
    for (value, found) in values.iter().zip(bench.read(&out)) {
        let error = (f64::from_bits(found) * value - 1.0).abs();
        assert!(found as u32 == 0 && error > 0.0 && error < 4.0 / f64::from(1 << 20), "{value}: {error}");
    }
}

/// Of integers, and fractions of 2^-20, that together have more bits than a double.
#[test]
fn sums_are_rounded_toward_zero() {
    let mut random = Random::new(12);
    let mut number = || {
        let fixed = (random.word() as i64) >> (11 + random.below(40));
        (fixed, fixed as f64 / f64::from(1 << 20))
    };
    let pairs: Vec<_> = (0..1000).map(|_| [number(), number()]).collect();
    let words: Vec<u64> = pairs.iter().flatten().map(|(_, value)| value.to_bits()).collect();
    let bench = Bench::new(12);
    let (out, input) = (bench.zeros(pairs.len()), bench.words(&words));
    let test = Test { out: out.address(), input: input.address(), count: pairs.len() as u32, choice: 0 };
    bench.run("test_sums_toward_zero", 2, 64, test).unwrap();
    for ([(a, _), (b, _)], found) in pairs.iter().zip(bench.read(&out)) {
        let exact = i128::from(*a) + i128::from(*b);
        let extra = (128 - exact.unsigned_abs().leading_zeros()).saturating_sub(53);
        let cut = (exact.unsigned_abs() >> extra << extra) as f64 / f64::from(1 << 20);
        assert_eq!(f64::from_bits(found), if exact < 0 { -cut } else { cut }, "{a} + {b}");
    }
}
