// SPDX-License-Identifier: BSD-2-Clause-Patent
// The arithmetic of adm's fast form against that of its plain form, position by position. Kernels add how often they
// differ to the first word of the first frame's totals. tests/kernels/adm.rs runs them.
#include "../adm/coarse.cuh"
#include "../adm/fast_parameters.cuh"
#include "../adm/finest.cuh"
#include "random.h"

namespace adm {

// No coefficient of scale 0 is larger, whatever the samples are: taps add up to this, and lines have 16 bits.
static const int32_t FINEST_MOST = 27411;

static uint32_t thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }
static uint32_t thread_count() { return gridDim.x * blockDim.x; }

static void add_difference(const AdmFastParameters &p, bool different) {
    if (different) {
        atomic_add(p.stream.frames[0].totals, 1);
    }
}

// What the plain form makes of a position, as the fast form has it.
template <bool FINEST, typename Number>
static Decoupled<Number> plainly(const Stream &stream, uint32_t index, const int32_t (&reference)[BANDS],
                                 const int32_t (&distorted)[BANDS]) {
    const Scale &scale = stream.scales[index];
    const bool near = is_near(reference, distorted);
    Decoupled<Number> result = {};
    for (uint32_t band = 0; band < BANDS; band++) {
        const int32_t kept = restored(reference[band], distorted[band], near, stream.gain_limit);
        for (uint32_t part = 0; part < PARTS; part++) {
            const int32_t coefficient = part == 0 ? kept : int32_t(uint32_t(distorted[band]) - uint32_t(kept));
            const int32_t weighted = weigh<FINEST>(scale, band, coefficient);
            const Masks mask = masks<FINEST>(weighted);
            result.shares[part].around += Number(mask.around);
            result.shares[part].rest += Number(mask.centre - mask.around);
            const int64_t product = int64_t(scale.weights[band]) * coefficient;
            const int64_t magnitude = FINEST ? product : weighted;
            result.magnitudes[part][band] = uint32_t(magnitude < 0 ? -magnitude : magnitude);
        }
    }
    return result;
}

template <typename Number>
static bool differ(const Decoupled<Number> &a, const Decoupled<Number> &b) {
    bool different = false;
    for (uint32_t part = 0; part < PARTS; part++) {
        different |= a.shares[part].around != b.shares[part].around || a.shares[part].rest != b.shares[part].rest;
        for (uint32_t band = 0; band < BANDS; band++) {
            different |= a.magnitudes[part][band] != b.magnitudes[part][band];
        }
    }
    return different;
}

// A number of up to `bits` bits and a sign: of any length as likely, and now and then one of the ends.
static int32_t some_number(emulator::Random &random, uint32_t bits) {
    const uint32_t length = random.below(bits + 1);
    const int64_t any = int64_t(random.next() >> 1 >> (63 - length));
    const int64_t magnitude = random.below(16) == 0 ? int64_t(1) << length : any;
    const int64_t most = (int64_t(1) << bits) - 1;
    return int32_t(random.below(2) == 0 ? (magnitude > most ? most : magnitude) : -magnitude);
}

// One close to a part of another, or any.
static int32_t some_neighbour(emulator::Random &random, int32_t number, uint32_t bits) {
    if (random.below(4) == 0) {
        return some_number(random, bits);
    }
    const double most = double(int64_t(1) << bits) - 1.0;
    const double near = number * (random.below(130) / 100.0) + some_number(random, 3);
    return int32_t(near > most ? most : near < -most ? -most : near);
}

static void some_position(emulator::Random &random, uint32_t bits, int32_t (&reference)[BANDS],
                          int32_t (&distorted)[BANDS]) {
    for (uint32_t band = 0; band < BANDS; band++) {
        reference[band] = some_number(random, bits);
        distorted[band] = some_neighbour(random, reference[band], bits);
    }
    // Along one direction, or nearly.
    if (random.below(2) == 0) {
        const double factor = random.below(1000) / 1000.0, turn = random.below(40) / 1000.0;
        distorted[0] = int32_t(factor * (reference[0] - turn * reference[1]) / 1.05);
        distorted[1] = int32_t(factor * (reference[1] + turn * reference[0]) / 1.05);
    }
}

} // namespace adm

// Positions of all scales by chance.
extern "C" __global__ void test_adm_positions(const AdmFastParameters p) {
    using namespace adm;
    emulator::Random random(thread_number() + uint64_t(p.finest.gain * 1000) + p.stream.scales[0].weights[0]);
    const FinestWeights finest(p.stream, p.finest);
    const CoarseWeights<true> any(p.stream, 1);
    const CoarseWeights<false> coarse(p.stream, 3);
    for (uint32_t i = 0; i < 600; i++) {
        int32_t reference[BANDS], distorted[BANDS];
        some_position(random, 13 + random.below(3), reference, distorted);
        for (uint32_t band = 0; band < BANDS; band++) {
            reference[band] = max(min(reference[band], FINEST_MOST), -FINEST_MOST);
            distorted[band] = max(min(distorted[band], FINEST_MOST), -FINEST_MOST);
        }
        add_difference(p, differ(decouple(p.stream, finest, reference, distorted),
                                 plainly<true, float>(p.stream, 0, reference, distorted)));
        some_position(random, 16 + random.below(15), reference, distorted);
        add_difference(p, differ(decouple(p.stream, coarse, reference, distorted),
                                 plainly<false, int32_t>(p.stream, 3, reference, distorted)));
        // The wrapped ends of the range, in one band at a time: dot products of them would not fit.
        reference[2] = random.below(4) == 0 ? INT32_MIN : reference[2];
        distorted[2] = random.below(4) == 0 ? INT32_MIN : distorted[2];
        add_difference(p, differ(decouple(p.stream, any, reference, distorted),
                                 plainly<false, int32_t>(p.stream, 1, reference, distorted)));
    }
}
EXPORT_KERNEL(test_adm_positions, AdmFastParameters, 728);

// Every coefficient of every band at scale 0, in either part, beside some small ones of another band.
extern "C" __global__ void test_adm_finest(const AdmFastParameters p) {
    using namespace adm;
    const FinestWeights weights(p.stream, p.finest);
    for (uint32_t i = thread_number(); i < (1u << 18) * 8; i += thread_count()) {
        const uint32_t band = i >> 16 & 3, beside = i >> 18;
        const int32_t coefficient = int16_t(i);
        int32_t reference[BANDS] = {0, 0, 0}, distorted[BANDS] = {0, 0, 0};
        if (band < BANDS && coefficient >= -FINEST_MOST && coefficient <= FINEST_MOST) {
            distorted[band] = coefficient;
            reference[band] = beside % 2 == 0 ? 0 : coefficient;
            distorted[(band + 1) % BANDS] = reference[(band + 1) % BANDS] = int32_t(beside / 2);
        }
        add_difference(p, differ(decouple(p.stream, weights, reference, distorted),
                                 plainly<true, float>(p.stream, 0, reference, distorted)));
    }
}
EXPORT_KERNEL(test_adm_finest, AdmFastParameters, 728);

// Every mantissa, with the approximation as far off as it may be.
extern "C" __global__ void test_adm_reciprocals(const AdmFastParameters p) {
    using namespace adm;
    for (uint32_t mantissa = (1u << 14) + thread_number(); mantissa < 1u << 15; mantissa += thread_count()) {
        for (uint32_t length = 0; length < 17; length++) {
            add_difference(p, reciprocal(Rounded(mantissa << length)) != (1u << 30) / mantissa);
        }
    }
}
EXPORT_KERNEL(test_adm_reciprocals, AdmFastParameters, 728);
