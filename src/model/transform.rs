// SPDX-License-Identifier: BSD-2-Clause-Patent
//! What a model does to a score after the regression: a polynomial, a piecewise linear curve, limits.
#![forbid(unsafe_code)]

/// Most points of a piecewise linear curve.
pub const MOST_KNOTS: usize = 10;

/// A score's way to another scale, such as that of smaller screens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transform {
    /// Coefficients of the powers 0, 1 and 2. If none is present the polynomial is left out, else a missing
    /// one counts as 0.
    pub polynomial: [Option<f64>; 3],
    /// Points (x, y) of a piecewise linear curve.
    pub knots: Option<Vec<[f64; 2]>>,
    /// No score may rise.
    pub out_lte_in: bool,
    /// No score may fall.
    pub out_gte_in: bool,
}

impl Transform {
    /// The transformed score. The comparisons decide what NaN does: it passes.
    pub fn apply(&self, score: f64) -> f64 {
        let mut out = self.evaluate_polynomial(score);
        if let Some(knots) = &self.knots {
            out = piecewise(out, knots);
        }
        if self.out_lte_in && out > score {
            out = score;
        }
        if self.out_gte_in && out < score {
            out = score;
        }
        out
    }

    fn evaluate_polynomial(&self, score: f64) -> f64 {
        let [constant, linear, square] = self.polynomial;
        if self.polynomial == [None; 3] {
            return score;
        }
        // An absent term is not added: adding 0 could change the sign of a zero.
        let mut out = 0.0;
        if let Some(constant) = constant {
            out += constant;
        }
        if let Some(linear) = linear {
            out += linear * score;
        }
        if let Some(square) = square {
            out += square * score * score;
        }
        out
    }
}

/// The curve through `knots` at `x`; its ends go on straight. It ends at a pair of points that does not ascend,
/// and is 0 where no segment covers `x`. At a point that two segments share the later one counts.
fn piecewise(x: f64, knots: &[[f64; 2]]) -> f64 {
    if knots.len() < 2 {
        return x;
    }
    let last = knots.len() - 2;
    let mut y = 0.0;
    for (place, pair) in knots.windows(2).enumerate() {
        let [[x0, y0], [x1, y1]] = [pair[0], pair[1]];
        if !(x0 < x1 && y0 <= y1) {
            return y;
        }
        let within = x0 <= x && x <= x1;
        if within || place == 0 && x < x0 || place == last && x > x1 {
            y = segment(x, [x0, y0], [x1, y1]);
        }
    }
    y
}

fn segment(x: f64, [x0, y0]: [f64; 2], [x1, y1]: [f64; 2]) -> f64 {
    if y0 == y1 {
        return y0;
    }
    let (slope, intercept) = if x0 == 0.0 {
        ((y1 - y0) / x1, y0)
    } else {
        let slope = (y1 - y0) / (x1 - x0);
        (slope, y0 - x0 * slope)
    };
    slope * x + intercept
}

/// The score within `limits`, lowest and highest.
pub fn clip(score: f64, [lowest, highest]: [f64; 2]) -> f64 {
    // Not `clamp`, which panics on limits that a file may hold.
    let raised = if score < lowest { lowest } else { score };
    if raised > highest { highest } else { raised }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_powers_are_not_added() {
        let polynomial = |polynomial| Transform { polynomial, ..Transform::default() };
        assert_eq!(polynomial([None; 3]).apply(-0.0).to_bits(), (-0.0f64).to_bits());
        assert_eq!(polynomial([Some(2.0), None, None]).apply(7.0), 2.0);
        assert_eq!(polynomial([None, Some(3.0), None]).apply(7.0), 21.0);
        assert_eq!(
            polynomial([Some(2.0), Some(3.0), Some(0.1)]).apply(7.0),
            2.0 + 3.0 * 7.0 + 0.1 * 7.0 * 7.0
        );
    }

    #[test]
    fn scores_that_may_not_rise_or_fall_stay() {
        let shift = |by, out_lte_in, out_gte_in| Transform {
            polynomial: [Some(by), Some(1.0), None],
            out_lte_in,
            out_gte_in,
            ..Transform::default()
        };
        assert_eq!(shift(1.0, true, false).apply(5.0), 5.0);
        assert_eq!(shift(1.0, false, true).apply(5.0), 6.0);
        assert_eq!(shift(-1.0, true, false).apply(5.0), 4.0);
        assert_eq!(shift(-1.0, false, true).apply(5.0), 5.0);
        assert!(shift(1.0, true, true).apply(f64::NAN).is_nan());
    }

    #[test]
    fn a_curve_goes_through_its_points_and_on() {
        let curve = |x| piecewise(x, &[[0.0, 1.0], [10.0, 2.0], [20.0, 2.0], [30.0, 5.0]]);
        assert_eq!([-10.0, 0.0, 5.0, 10.0, 15.0, 20.0].map(curve), [0.0, 1.0, 1.5, 2.0, 2.0, 2.0]);
        assert_eq!([25.0, 30.0, 40.0].map(curve), [3.5, 5.0, 8.0]);
    }

    #[test]
    fn a_curve_ends_where_it_does_not_ascend() {
        assert_eq!(piecewise(7.0, &[]), 7.0);
        assert_eq!(piecewise(7.0, &[[1.0, 1.0]]), 7.0);
        assert_eq!(piecewise(7.0, &[[1.0, 1.0], [1.0, 2.0]]), 0.0);
        assert_eq!(piecewise(7.0, &[[1.0, 2.0], [9.0, 1.0]]), 0.0);
        let broken = [[0.0, 0.0], [10.0, 10.0], [5.0, 20.0], [20.0, 30.0]];
        assert_eq!([7.0, 15.0].map(|x| piecewise(x, &broken)), [7.0, 0.0]);
    }

    #[test]
    fn limits_may_be_crossed_and_nan_passes() {
        assert_eq!([-1.0, 50.0, 101.0].map(|score| clip(score, [0.0, 100.0])), [0.0, 50.0, 100.0]);
        assert_eq!(clip(50.0, [60.0, 40.0]), 40.0);
        assert!(clip(f64::NAN, [0.0, 100.0]).is_nan());
    }
}
