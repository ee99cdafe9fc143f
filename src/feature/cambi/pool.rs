// SPDX-License-Identifier: BSD-2-Clause-Patent
//! The mean of the largest contrast values of a scale.
//!
//! The sum is one of doubles in the order that a selection of the largest leaves. That order is worked out only where
//! it matters: mostly no sum of these terms rounds, whatever their order.
#![forbid(unsafe_code)]

use super::stripe::Tile;

/// Contrast values are multiples of 2^-24, so sums below 2^29 are exact.
const EXACT: f64 = (1u64 << 29) as f64;

/// What of a value's bits tells its bucket, less that of 0.5, the least.
const BUCKET_SHIFT: u32 = 16;
const FIRST_BUCKET: u32 = 126 << 7;
/// Up to 2^14, above the highest value.
const BUCKETS: usize = 16 << 7;

/// The contrast values of a scale.
#[derive(Clone, Copy)]
pub struct Scale<'a> {
    /// Its tiles, in order.
    pub tiles: &'a [Tile],
    /// Room for the values of each tile, those that are not 0 in front.
    pub values: &'a [f32],
    /// The places of each tile.
    pub places: &'a [u64],
    /// Positions in a row.
    pub width: usize,
    /// Positions.
    pub area: usize,
}

impl<'a> Scale<'a> {
    /// Values that are not 0, by tile.
    fn found(&self) -> impl Iterator<Item = &'a [f32]> + use<'a> {
        let mut rest = self.values;
        self.tiles.iter().map(move |tile| {
            let (room, behind) = rest.split_at(tile.area());
            rest = behind;
            &room[..tile.count]
        })
    }

    /// All values where they belong, row by row.
    pub fn fill(&self, plane: &mut Vec<f32>) {
        plane.clear();
        plane.resize(self.area, 0.0);
        let mut places = self.places;
        for (tile, mut values) in self.tiles.iter().zip(self.found()) {
            let (of_tile, behind) = places.split_at(tile.words());
            for (y, words) in tile.rows.clone().zip(of_tile.chunks(tile.row_words())) {
                let row = &mut plane[y * self.width + tile.columns.start..];
                for (word, row) in words.iter().zip(row.chunks_mut(64)) {
                    values = scatter(*word, values, row);
                }
            }
            places = behind;
        }
    }
}

/// Puts values where a word's bits are set, and gives back the rest.
fn scatter<'a>(mut word: u64, mut values: &'a [f32], row: &mut [f32]) -> &'a [f32] {
    while word != 0 {
        row[word.trailing_zeros() as usize] = values[0];
        values = &values[1..];
        word &= word - 1;
    }
    values
}

/// Work space.
pub struct Space {
    plane: Vec<f32>,
    bucket: Vec<f32>,
}

impl Space {
    /// For scales of up to `area` positions. Only what is used will become memory.
    pub fn new(area: usize) -> Self {
        Self { plane: Vec::with_capacity(area), bucket: Vec::with_capacity(area) }
    }
}

/// The mean of the share `top` of a scale's values, the largest.
pub fn mean_of_largest(scale: &Scale<'_>, top: f64, space: &mut Space) -> f64 {
    let number = ((top * scale.area as f64) as usize).clamp(1, scale.area);
    sum_of_largest(scale, number, space) / number as f64
}

fn sum_of_largest(scale: &Scale<'_>, number: usize, space: &mut Space) -> f64 {
    let found: usize = scale.tiles.iter().map(|tile| tile.count).sum();
    let (sum, least) = match found <= number {
        true => (scale.tiles.iter().map(|tile| tile.sum).sum(), 0.0),
        false => select(scale, number, &mut space.bucket),
    };
    if sum < EXACT {
        return sum;
    }
    exact_sum(scale, number, least).unwrap_or_else(|| {
        scale.fill(&mut space.plane);
        ordered_sum(&mut space.plane, number)
    })
}

/// The sum of the `number` largest of more values than that, exact if it is below 2^29, and the least of them.
fn select(scale: &Scale<'_>, number: usize, bucket: &mut Vec<f32>) -> (f64, f32) {
    let bucket_of = |value: f32| ((value.to_bits() >> BUCKET_SHIFT) - FIRST_BUCKET) as usize;
    let mut sizes = [0usize; BUCKETS];
    scale.found().flatten().for_each(|&value| sizes[bucket_of(value)] += 1);
    let (mut last, mut above) = (BUCKETS - 1, 0);
    while above + sizes[last] < number {
        above += sizes[last];
        last -= 1;
    }
    bucket.clear();
    let mut sum = 0.0;
    for &value in scale.found().flatten() {
        let of_value = bucket_of(value);
        sum += if of_value > last { f64::from(value) } else { 0.0 };
        if of_value == last {
            bucket.push(value);
        }
    }
    let wanted = number - above;
    let (larger, &mut least, _) = bucket.select_nth_unstable_by(wanted - 1, |a, b| b.total_cmp(a));
    let largest: f64 = larger.iter().map(|&value| f64::from(value)).sum();
    (sum + (largest + f64::from(least)), least)
}

/// The value in units of 2^-24.
fn units(value: f32) -> u64 {
    (f64::from(value) * (1u32 << 24) as f64) as u64
}

/// The sum of the `number` largest values, none of which is below `least`, if no order of additions rounds.
fn exact_sum(scale: &Scale<'_>, number: usize, least: f32) -> Option<f64> {
    let (mut sum, mut bits, mut larger) = (0u64, 0u64, 0);
    for &value in scale.found().flatten().filter(|&&value| value > least) {
        sum += units(value);
        bits |= units(value);
        larger += 1;
    }
    sum += (number - larger) as u64 * units(least);
    bits |= units(least);
    // In terms of their lowest bit all partial sums stay within a double's 53 bits.
    let fits = sum >> bits.trailing_zeros().min(63) <= 1 << 53;
    fits.then(|| sum as f64 / (1u32 << 24) as f64)
}

/// The sum of the `number` largest values in the order of the selection; of all in their own.
fn ordered_sum(values: &mut [f32], number: usize) -> f64 {
    if number < values.len() {
        partition(values, number);
    }
    sum_in_order(&values[..number])
}

/// The sum of doubles, one after the other.
fn sum_in_order(values: &[f32]) -> f64 {
    let (chunks, rest) = values.as_chunks::<16>();
    let one_by_one = |sum, values: &[f32]| values.iter().fold(sum, |sum, &value| sum + f64::from(value));
    let sum = chunks.iter().fold(0.0, |sum, chunk| {
        // Below 2^29, so no addition rounds.
        let together: f64 = chunk.iter().map(|&value| f64::from(value)).sum();
        let after = sum + together;
        if no_addition_rounds(sum, after, chunk) { after } else { one_by_one(sum, chunk) }
    });
    one_by_one(sum, rest)
}

/// Whether all additions on the way from `sum` to `after` are exact: both have one exponent, and every term is a
/// multiple of their last bit, as floats of 2^23 times that are.
fn no_addition_rounds(sum: f64, after: f64, terms: &[f32; 16]) -> bool {
    let exponent = |value: f64| (value.to_bits() >> 52) as i32 - 1023;
    let least = f32::from_bits(((exponent(after) - 29 + 127).max(1) as u32) << 23);
    let is_small = |value: f32| u32::from(value.to_bits().wrapping_sub(1) < least.to_bits() - 1);
    exponent(sum) == exponent(after) && terms.iter().fold(0, |any, &value| any | is_small(value)) == 0
}

/// Hoare's selection: moves values until none behind `number` is larger than one before.
fn partition(values: &mut [f32], number: usize) {
    let (mut low, mut high) = (0isize, values.len() as isize - 1);
    let wanted = number as isize;
    while low < high {
        let pivot = values[number];
        let (mut up, mut down) = (low, high);
        while up <= down {
            while values[up as usize] > pivot {
                up += 1;
            }
            while values[down as usize] < pivot {
                down -= 1;
            }
            if up <= down {
                values.swap(up as usize, down as usize);
                up += 1;
                down -= 1;
            }
        }
        if down < wanted {
            low = up;
        }
        if wanted < up {
            high = down;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small values with low bits among large ones, and zeros: sums that round, so that the order counts.
    fn values() -> Vec<f32> {
        let value = |index: u64| {
            let noise = (index * 2_654_435_761) & 0xFFFF_FFFF;
            match (noise % 5, noise % 3) {
                (0, _) => 0.0,
                (_, 0) => 0.5 + noise as f64 / (1u64 << 33) as f64,
                _ => 9000.0 + noise as f64 / (1u64 << 24) as f64,
            }
        };
        let quarter: Vec<f32> = (1..=60_000).map(|index| value(index) as f32).collect();
        quarter.repeat(4)
    }

    /// `values` found in tiles of 256 columns.
    fn mean(values: &[f32], width: usize, bands: usize, top: f64) -> f64 {
        let mut tiles = Vec::new();
        let size = super::super::plan::Size { width, height: values.len() / width };
        Tile::add_all(&mut tiles, 0, size, bands, 1);
        let (mut found, mut places) = (Vec::new(), Vec::new());
        for tile in &mut tiles {
            let start = found.len();
            for y in tile.rows.clone() {
                let row = &values[y * width..][tile.columns.clone()];
                found.extend(row.iter().filter(|&&value| value > 0.0));
                let word = |word: &[f32]| {
                    let bits = word.iter().enumerate().map(|(bit, &value)| u64::from(value > 0.0) << bit);
                    bits.sum::<u64>()
                };
                places.extend(row.chunks(64).map(word));
            }
            tile.count = found.len() - start;
            tile.sum = found[start..].iter().map(|&value: &f32| f64::from(value)).sum();
            found.resize(start + tile.area(), f32::NAN);
        }
        let scale = Scale { tiles: &tiles, values: &found, places: &places, width, area: values.len() };
        mean_of_largest(&scale, top, &mut Space::new(values.len()))
    }

    #[test]
    fn sums_are_those_of_the_selections_order() {
        let values = values();
        for (top, expected) in [
            (0.05, 9243.998367838542),
            (0.3, 9183.998560058593),
            (0.6, 8114.130992736646),
            (0.85, 5727.783653671764),
            (0.97, 5019.191861465071),
            (1.0, 4868.61610561878),
        ] {
            for (width, bands) in [(240_000, 1), (600, 1), (600, 7), (75, 3)] {
                assert_eq!(mean(&values, width, bands, top), expected, "{top}, {width}, {bands}");
            }
        }
    }

    #[test]
    fn sums_by_chunks_are_those_one_by_one() {
        let noise = &mut crate::reduce::testing::Noise(7);
        for small in [1, 50, 5000] {
            let mut value = || match noise.bits() % small {
                0 => 0.5 + (noise.bits() % (1 << 24)) as f32 / (1 << 23) as f32,
                even if even % 2 == 0 => 0.0,
                _ => (noise.bits() % (1 << 24)) as f32 / 1770.0,
            };
            let values: Vec<f32> = (0..1_000_007).map(|_| value()).collect();
            let expected = values.iter().fold(0.0, |sum, &value| sum + f64::from(value));
            assert_eq!(sum_in_order(&values), expected, "{small}");
        }
    }

    #[test]
    fn at_least_one_value_counts() {
        assert_eq!(mean(&[0.0, 3.5, 2.0, 0.5], 2, 1, 0.0001), 3.5);
        assert_eq!(mean(&[0.0; 6], 3, 1, 0.6), 0.0);
    }
}
