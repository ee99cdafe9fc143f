#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Writes tables.rs and figures.txt beside this script, from arithmetic of many digits. Needs mpmath and rustfmt.

tables.rs    constants of math.rs: double-double, and the series of the vector forms
figures.txt  arguments with the functions' true values, for the tests: FUNCTION ARGUMENT... HIGH LOW,
             doubles by their bits, the value being HIGH + LOW
"""
import math
import pathlib
import random
import struct
import subprocess

import mpmath as mp

mp.mp.prec = 300
HERE = pathlib.Path(__file__).resolve().parent
SPDX = "SPDX-License-Identifier: BSD-2-Clause-Patent"
CENTRES = [1 + mp.mpf(2 * k + 1) / 32 for k in range(16)]
THIRD = 1.0 / 3.0


def split(value):
    """A number as an unevaluated sum of two doubles."""
    high = float(value)
    return high, float(value - mp.mpf(high))


def upper(value, bits):
    """A number cut after its first bits."""
    mantissa, exponent = mp.frexp(value)
    return mp.ldexp(mp.floor(mp.ldexp(mantissa, bits)), exponent - bits)


def array(name, doc, values):
    """A table of double-doubles."""
    lines = [f"    dd({high!r}, {low!r})," for high, low in map(split, values)]
    return [f"/// {doc}", f"pub const {name}: [Dd; {len(lines)}] = [", *lines, "];", ""]


def singles(name, doc, values):
    """A table of doubles."""
    lines = [f"    {float(value)!r}," for value in values]
    return [f"/// {doc}", f"pub const {name}: [f64; {len(lines)}] = [", *lines, "];", ""]


def number(name, doc, value):
    return [f"/// {doc}", f"pub const {name}: f64 = {float(value)!r};", ""]


def near_zero(function, half_width, terms):
    """Coefficients of the polynomial with `terms` terms that interpolates at Chebyshev's points, lowest first."""
    poly = mp.chebyfit(function, [-half_width, half_width], terms)
    return [mp.mpf(float(c)) for c in reversed(poly)]


def from_zero(function, end, terms):
    poly = mp.chebyfit(function, [0, end], terms)
    return list(reversed(poly))


def power_tables(name, exponent, degree):
    p = mp.mpf(exponent)
    octaves = [mp.power(2, p * e) for e in range(-8, 21)]
    yield from array(f"{name}_OCTAVES", f"2^(p e), p = {exponent}, e = -8..20.", octaves)
    yield from array(f"{name}_CENTRES", f"c_k^p, p = {exponent}.", [mp.power(c, p) for c in CENTRES])
    yield from array(f"{name}_SERIES", f"Binomials p over j, p = {exponent}.", [mp.binomial(p, j) for j in range(degree + 1)])


def series_of_power(exponent):
    """((1 + z)^p - 1) / z."""
    p = mp.mpf(exponent)

    def value(z):
        if abs(z) < mp.mpf(2) ** -60:
            return p
        return (mp.power(1 + z, p) - 1) / z
    return value


def odd(function, cube):
    """w -> (f(x) / x - 1) / w with w = x^2; `cube` is its value at 0."""
    def value(w):
        if w < mp.mpf(2) ** -100:
            return cube
        x = mp.sqrt(w)
        return (function(x) / x - 1) / w
    return value


def even(w):
    """(cos(x) - 1) / w with w = x^2."""
    return -mp.mpf(1) / 2 if w < mp.mpf(2) ** -100 else (mp.cos(mp.sqrt(w)) - 1) / w


def constants():
    yield from array("RECIPROCAL_CENTRES", "1 / c_k, c_k = 1 + (2 k + 1) / 32; the vector forms use the high words.", [1 / c for c in CENTRES])
    yield from power_tables("POWER_2_4", 2.4, 18)
    yield from power_tables("POWER_1_3", THIRD, 19)
    yield from array("ATAN_CENTRES", "atan(k / 16).", [mp.atan(mp.mpf(k) / 16) for k in range(16)])
    yield from array("ATAN_SERIES", "Coefficients of q^(2j) in atan(q) / q.", [mp.mpf((-1) ** j) / (2 * j + 1) for j in range(13)])
    yield from array("SIN_SERIES", "Coefficients of x^(2j) in sin(x) / x.", [mp.mpf((-1) ** j) / mp.factorial(2 * j + 1) for j in range(15)])
    yield from array("COS_SERIES", "Coefficients of x^(2j) in cos(x).", [mp.mpf((-1) ** j) / mp.factorial(2 * j) for j in range(15)])
    yield from array("EXP_SERIES", "Coefficients of x^j in exp(x).", [1 / mp.factorial(j) for j in range(27)])
    half_pi, ln2 = mp.pi / 2, mp.log(2)
    first = upper(half_pi, 30)
    second = upper(half_pi - first, 30)
    yield from number("HALF_PI_1", "The first 30 bits of pi / 2.", first)
    yield from number("HALF_PI_2", "The next 30 bits of pi / 2.", second)
    yield from number("HALF_PI_REST_1", "pi / 2 without its first 30 bits.", half_pi - first)
    yield from number("LN_2_1", "The first 32 bits of ln 2.", upper(ln2, 32))
    rests = [("PI_DD", "pi", mp.pi), ("HALF_PI_DD", "pi / 2", half_pi)]
    rests += [("HALF_PI_3", "pi / 2 without its first 60 bits", half_pi - first - second), ("LN_2_REST", "ln 2 without its first 32 bits", ln2 - upper(ln2, 32))]
    for name, doc, value in rests:
        yield f"/// {doc}."
        yield f"pub const {name}: Dd = dd({split(value)[0]!r}, {split(value)[1]!r});"
        yield ""
    yield from log2_constants()
    yield from vector_constants()


def log2_constants():
    yield from array("LOG2_CENTRES", "log2(1 + k / 16).", [mp.log(1 + mp.mpf(k) / 16, 2) for k in range(16)])
    yield from array("LOG2_SERIES", "Coefficients of z^j, j from 1, in log2(1 + z).", [mp.mpf((-1) ** (j + 1)) / (j * mp.log(2)) for j in range(1, 23)])


def series_of_log2(z):
    """log2(1 + z) / z."""
    return 1 / mp.log(2) if abs(z) < mp.mpf(2) ** -60 else mp.log(1 + z, 2) / z


def vector_constants():
    """Shorter series than Taylor's, for the vector forms."""
    z = mp.mpf(1) / 33
    yield from singles("POWER_2_4_SHORT", "Coefficients of z^j, j from 1, in (1 + z)^2.4, |z| <= 1/33.", near_zero(series_of_power(2.4), z, 6))
    yield from singles("POWER_1_3_SHORT", "Coefficients of z^j, j from 1, in (1 + z)^(1/3), |z| <= 1/33.", near_zero(series_of_power(THIRD), z, 6))
    yield from singles("ATAN_SHORT", "Coefficients of w^j in (atan(q) / q - 1) / w, w = q^2, |q| <= 1/30.", from_zero(odd(mp.atan, -mp.mpf(1) / 3), mp.mpf(1) / 900, 3))
    yield from singles("SIN_SHORT", "Coefficients of w^j in (sin(x) / x - 1) / w, w = x^2, |x| <= 1.6.", from_zero(odd(mp.sin, -mp.mpf(1) / 6), mp.mpf(2.56), 7))
    yield from singles("SIN_QUARTER", "The same for |x| <= pi / 4.", from_zero(odd(mp.sin, -mp.mpf(1) / 6), mp.mpf("0.6176"), 6))
    yield from singles("COS_QUARTER", "Coefficients of w^j in (cos(x) - 1) / w, |x| <= pi / 4.", from_zero(even, mp.mpf("0.6176"), 6))
    yield from singles("LOG2_MIDDLES", "log2(c_k), c_k = 1 + (2 k + 1) / 32.", [mp.log(c, 2) for c in CENTRES])
    yield from singles("LOG2_SHORT", "Coefficients of z^j, j from 1, in log2(1 + z), |z| <= 1/33.", near_zero(series_of_log2, z, 7))
    yield from singles("EXP_SHORT", "Coefficients of x^j in exp(x), |x| <= ln(2) / 2.", near_zero(mp.exp, mp.mpf("0.3466"), 11))


def bits(value):
    return struct.pack(">d", value).hex()


def single(value):
    """The nearest float."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def line(name, arguments, value):
    high, low = split(value)
    return " ".join([name, *map(bits, [*arguments, high, low])])


def figures():
    g = random.Random(20)
    spread = lambda low, high: float(mp.exp(g.uniform(float(mp.log(low)), float(mp.log(high)))))
    edges = [mp.ldexp(1 + mp.mpf(k) / 16, e) for e in range(-7, 3) for k in range(16)]
    edges = [float(v) for v in edges] + [struct.unpack("<d", struct.pack("<q", struct.unpack("<q", struct.pack("<d", float(v)))[0] - 1))[0] for v in edges]
    for x in [spread(0.004, 160) for _ in range(200)] + edges:
        yield line("power_2_4", [x], mp.power(x, mp.mpf(2.4)))
        yield line("power_1_3", [x], mp.power(x, mp.mpf(THIRD)))
    for _ in range(200):
        x = single(spread(1e-6, 300))
        yield line("power_7", [x], mp.mpf(x) ** 7)
    for b, a in atan2_arguments(g):
        yield line("atan2", [b, a], mp.atan2(mp.mpf(b), mp.mpf(a)))
    for x in [single(g.uniform(0, 7.86)) for _ in range(200)] + [single(k * float(mp.pi) / 4) for k in range(11)]:
        yield line("sin", [x], mp.sin(mp.mpf(x)))
        yield line("cos", [x], mp.cos(mp.mpf(x)))
    for x in [g.uniform(-33, 33) for _ in range(200)] + [k * float(mp.pi) / 2 for k in range(-20, 21) if k]:
        yield line("sin", [x], mp.sin(mp.mpf(x)))
        yield line("cos", [x], mp.cos(mp.mpf(x)))
    for d in [single(g.uniform(0, 121)) for _ in range(150)] + [single(g.uniform(0, 2)) for _ in range(100)] + [0.0]:
        yield line("exp_negative", [d], mp.exp(-mp.mpf(d)))
    special = [1 + 2.0 ** -23, 1 - 2.0 ** -24, 1 + 2.0 ** -52, 31 / 32, 63 / 32, 1.0, 2.0, 0.5]
    for x in [spread(1e-6, 1e9) for _ in range(200)] + [1 + g.uniform(-0.06, 0.2) for _ in range(100)] + special:
        yield line("log2", [x], mp.log(mp.mpf(x), 2))
    for p, x in single_power_arguments(g):
        yield line("single_power", [p, x], mp.power(mp.mpf(x), mp.mpf(p)))


def single_power_arguments(g):
    """Exponents from 1 to 20 as floats, with arguments whose powers are normal floats."""
    exponents = [1.0, 2.0, 2.5, 3.0, 4.0, 7.3, 10.0, 19.9, 20.0] + [g.uniform(1, 20) for _ in range(30)]
    for p in map(single, exponents):
        low, high = 2.0 ** (-125 / p), 2.0 ** (127 / p)
        ends = [single(v) for v in (1.0, 1 - 2.0 ** -24, 1 + 2.0 ** -23, 1.0625, 1.9999999, low, high)]
        for x in [single(math.exp(g.uniform(math.log(low), math.log(high)))) for _ in range(12)] + ends:
            yield p, x


def atan2_arguments(g):
    for _ in range(300):
        yield single(g.uniform(-150, 150)), single(g.uniform(-150, 150) * 2.0 ** g.randint(-20, 0))
    for _ in range(100):
        yield single(g.uniform(-1, 1) * 2.0 ** g.randint(-20, 7)), single(g.uniform(-1, 1) * 2.0 ** g.randint(-20, 7))
    yield from [(3.0, 0.0), (-3.0, 0.0), (0.0, 5.0), (0.0, -5.0), (7.0, 7.0), (-7.0, 7.0), (7.0, -7.0), (single(1e-5), 3.0), (single(1e-5), -3.0)]


def main():
    head = [f"// {SPDX}", "//! Written by tables.py; `math.md` says what each is for.", "#![forbid(unsafe_code)]"]
    lints = ["#![allow(clippy::approx_constant, clippy::excessive_precision, clippy::unreadable_literal)]", ""]
    text = [*head, *lints, "use super::double_double::{Dd, dd};", "", *constants()]
    (HERE / "tables.rs").write_text("\n".join(text))
    subprocess.run(["rustfmt", "--edition", "2024", HERE / "tables.rs"], check=True)
    (HERE / "figures.txt").write_text("\n".join([f"# {SPDX}", "# Written by tables.py", *figures()]) + "\n")


if __name__ == "__main__":
    main()
