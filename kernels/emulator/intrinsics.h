// SPDX-License-Identifier: BSD-2-Clause-Patent
// Arithmetic of one thread. The host is compiled with -ffp-contract=off, so that plain operators round once, to nearest.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

using std::max;
using std::min;

namespace emulator {

template <typename To, typename From> To bits(From value) {
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To result;
    memcpy(&result, &value, sizeof result);
    return result;
}

// A number that is integral already, to an integer: the nearest where it is too large or small. What a NaN becomes
// is said by the PTX ISA (cvt): 0 from 32 bits to 32 bits, else only the highest bit.
template <typename To, typename From> To saturate(From value) {
    const bool narrow = sizeof(From) == 4 && sizeof(To) == 4;
    const To lowest = To(-1) < To(0) ? To(uint64_t(1) << (8 * sizeof(To) - 1)) : To(0);
    const To highest = To(~lowest);
    if (value != value) {
        return narrow ? To(0) : To(uint64_t(1) << (8 * sizeof(To) - 1));
    }
    // 2^bits is exact in From, `highest` may not be.
    const From limit = std::ldexp(From(1), int(8 * sizeof(To)) - (To(-1) < To(0) ? 1 : 0));
    return value >= limit ? highest : value <= From(lowest) ? lowest : To(value);
}

} // namespace emulator

inline unsigned __float_as_uint(float value) { return emulator::bits<unsigned>(value); }
inline int __float_as_int(float value) { return emulator::bits<int>(value); }
inline float __uint_as_float(unsigned value) { return emulator::bits<float>(value); }
inline float __int_as_float(int value) { return emulator::bits<float>(value); }
inline long long __double_as_longlong(double value) { return emulator::bits<long long>(value); }
inline double __longlong_as_double(long long value) { return emulator::bits<double>(value); }
inline int __double2hiint(double value) { return int(emulator::bits<uint64_t>(value) >> 32); }
inline int __double2loint(double value) { return int(emulator::bits<uint64_t>(value)); }
inline double __hiloint2double(int high, int low) {
    return emulator::bits<double>(uint64_t(uint32_t(high)) << 32 | uint32_t(low));
}

namespace emulator {

// 1 / value as rcp.approx.ftz.f64 of the PTX ISA has it: of the 20 highest bits of the mantissa, to as many bits. The
// last of them is wrong by one, up or down, so that nobody can count on it.
inline double approximate_reciprocal(double value) {
    const uint64_t high = 0xffffffff00000000, last = uint64_t(1) << 32;
    const uint64_t result = bits<uint64_t>(1.0 / bits<double>(bits<uint64_t>(value) & high)) & high;
    return bits<double>((result >> 32) * 0x9e3779b1 & 128 ? result + last : result - last);
}

// 1 / value (rcp.approx.ftz.f32), right or off by as much as the PTX ISA allows, 2^-23 from 1 to 2, by the value's bits.
inline float approximate_reciprocal(float value) {
    const double exact = 1.0 / double(value), limit = std::ldexp(1.0, -23 - std::ilogb(value));
    const int way = int(bits<uint32_t>(value) * 2654435761u >> 16) % 3 - 1;
    const float result = float(exact + way * limit);
    return std::fabs(double(result) - exact) > limit ? std::nextafter(result, float(exact)) : result;
}

} // namespace emulator

inline float __fadd_rn(float a, float b) { return a + b; }
// Towards minus infinity. Knuth's two-sum gives the exact error of the nearest float.
inline float __fadd_rd(float a, float b) {
    const float sum = a + b, part = sum - a;
    const float error = (a - (sum - part)) + (b - part);
    if (sum == 0 && error == 0) {
        return std::signbit(a) || std::signbit(b) ? -0.0f : 0.0f;
    }
    return error < 0 ? std::nextafter(sum, -INFINITY) : sum;
}
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
// Toward zero: one place back where the nearest is beyond the exact value. What it is off by fits a double.
inline float __fmaf_rz(float a, float b, float c) {
    const float nearest = std::fma(a, b, c);
    const double off = std::fma(double(a), double(b), double(c) - double(nearest));
    return nearest != 0 && (nearest < 0 ? off > 0 : off < 0) ? std::nextafter(nearest, 0.0f) : nearest;
}
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dadd_rz(double a, double b) {
    // What rounding to nearest has left out (Knuth) tells whether it went away from zero.
    const double sum = a + b, part = sum - a, left = (a - (sum - part)) + (b - part);
    return left != 0 && (sum < 0) == (left > 0) ? std::nextafter(sum, 0.0) : sum;
}
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }

inline int __float2int_rz(float value) { return emulator::saturate<int>(std::trunc(value)); }
inline int __float2int_rn(float value) { return emulator::saturate<int>(std::nearbyint(value)); }
inline int __float2int_rd(float value) { return emulator::saturate<int>(std::floor(value)); }
inline int __float2int_ru(float value) { return emulator::saturate<int>(std::ceil(value)); }
inline unsigned __float2uint_rz(float value) { return emulator::saturate<unsigned>(std::trunc(value)); }
inline unsigned __float2uint_rn(float value) { return emulator::saturate<unsigned>(std::nearbyint(value)); }
inline long long __float2ll_rz(float value) { return emulator::saturate<long long>(std::trunc(value)); }
inline long long __float2ll_rn(float value) { return emulator::saturate<long long>(std::nearbyint(value)); }
inline int __double2int_rz(double value) { return emulator::saturate<int>(std::trunc(value)); }
inline int __double2int_rn(double value) { return emulator::saturate<int>(std::nearbyint(value)); }
inline unsigned __double2uint_rz(double value) { return emulator::saturate<unsigned>(std::trunc(value)); }
inline unsigned __double2uint_rn(double value) { return emulator::saturate<unsigned>(std::nearbyint(value)); }
inline long long __double2ll_rz(double value) { return emulator::saturate<long long>(std::trunc(value)); }
inline long long __double2ll_rn(double value) { return emulator::saturate<long long>(std::nearbyint(value)); }
inline unsigned long long __double2ull_rz(double value) {
    return emulator::saturate<unsigned long long>(std::trunc(value));
}
inline float __double2float_rn(double value) { return float(value); }
inline float __int2float_rn(int value) { return float(value); }
inline float __uint2float_rn(unsigned value) { return float(value); }
inline float __uint2float_rz(unsigned value) {
    const float nearest = float(value);
    return double(nearest) > double(value) ? std::nextafter(nearest, 0.0f) : nearest;
}
inline float __ll2float_rn(long long value) { return float(value); }
inline float __ull2float_rn(unsigned long long value) { return float(value); }
inline double __int2double_rn(int value) { return value; }
inline double __uint2double_rn(unsigned value) { return value; }
inline double __ll2double_rn(long long value) { return double(value); }
inline double __ull2double_rn(unsigned long long value) { return double(value); }

inline int __clz(int value) { return value == 0 ? 32 : __builtin_clz(unsigned(value)); }
inline int __clzll(long long value) { return value == 0 ? 64 : __builtin_clzll((unsigned long long)value); }
inline int __ffs(int value) { return __builtin_ffs(value); }
inline int __ffsll(long long value) { return __builtin_ffsll(value); }
inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
inline unsigned __brev(unsigned value) {
    unsigned result = 0;
    for (int bit = 0; bit < 32; bit++) {
        result |= (value >> bit & 1) << (31 - bit);
    }
    return result;
}
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned(uint64_t(a) * b >> 32); }
inline int __mulhi(int a, int b) { return int(int64_t(a) * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }

// 32 bits out of 64, from bit `shift` (modulo 32) on, or up to it.
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return unsigned(((uint64_t(high) << 32) | low) >> (shift & 31));
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return unsigned(((uint64_t(high) << 32) | low) << (shift & 31) >> 32);
}

// Bytes of `low` (0 to 3) and `high` (4 to 7) chosen by four digits; a digit's highest bit asks for copies of the sign.
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned digits) {
    const uint64_t both = uint64_t(high) << 32 | low;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned digit = digits >> (4 * i) & 15;
        unsigned byte = unsigned(both >> (8 * (digit & 7))) & 255;
        if (digit & 8) {
            byte = byte & 128 ? 255 : 0;
        }
        result |= byte << (8 * i);
    }
    return result;
}

// Dot products of four bytes, or of two halves and two bytes, added to c; sums wrap.
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) {
        c += (a >> i & 255) * (b >> i & 255);
    }
    return c;
}
inline int __dp4a(int a, int b, int c) {
    unsigned sum = unsigned(c);
    for (int i = 0; i < 32; i += 8) {
        sum += unsigned(int8_t(a >> i) * int8_t(b >> i));
    }
    return int(sum);
}
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
    return c + (a & 0xffff) * (b & 255) + (a >> 16) * (b >> 8 & 255);
}
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return __dp2a_lo(a, b >> 16, c); }
inline int __dp2a_lo(int a, int b, int c) {
    return int(unsigned(c) + unsigned(int16_t(a) * int8_t(b)) + unsigned(int16_t(a >> 16) * int8_t(b >> 8)));
}
inline int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }


namespace emulator {

// c + the dot product of two signed halves and the two lower bytes of a word (dp2a.lo.s32.u32); wraps.
inline int dot_halves(unsigned halves, unsigned bytes, int c) {
    return int(unsigned(c) + unsigned(int16_t(halves) * int(bytes & 255))
               + unsigned(int16_t(halves >> 16) * int(bytes >> 8 & 255)));
}

} // namespace emulator

// Operations on each of four bytes or two halves.
inline unsigned __vabsdiffu4(unsigned a, unsigned b) {
    unsigned result = 0;
    for (int i = 0; i < 32; i += 8) {
        const int difference = int(a >> i & 255) - int(b >> i & 255);
        result |= unsigned(difference < 0 ? -difference : difference) << i;
    }
    return result;
}
inline unsigned __vabsdiffu2(unsigned a, unsigned b) {
    unsigned result = 0;
    for (int i = 0; i < 32; i += 16) {
        const int difference = int(a >> i & 0xffff) - int(b >> i & 0xffff);
        result |= unsigned(difference < 0 ? -difference : difference) << i;
    }
    return result;
}
inline unsigned __vsadu4(unsigned a, unsigned b) { return __dp4a(__vabsdiffu4(a, b), 0x01010101u, 0u); }
inline unsigned __sad(int a, int b, unsigned c) {
    const int64_t difference = int64_t(a) - b;
    return c + unsigned(difference < 0 ? -difference : difference);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }

// Loads through the read-only cache. The memory must not change while the kernel runs.
template <typename T> T __ldg(const T *address) { return *address; }
