// SPDX-License-Identifier: BSD-2-Clause-Patent
// The ordered sum: what one double accumulator gives for the terms of a plane in raster order, found in parallel.
// float_moment.md section 5; src/reduce/ordered.rs says why it is right.
//
// Terms are integers below 2^32, sums stay below 2^62, rows have at most 2^22 terms. Three launches:
// 1. the feature's own kernel leaves the exact sum of each row, and of all;
// 2. ordered_pairs: the place in which each row is expected to start, and the row's increments there;
// 3. ordered_walk, by one block: many rows at a time while they stay in their binade, others by parts.
//
// Where terms come from is a Source:
//     uint32_t height() const
//     Line line(uint32_t y) const
// and a Line, one row in chunks of 8 terms:
//     uint32_t chunks() const
//     Chunk load(uint32_t chunk) const
//     void split(uint32_t chunk, const Chunk &loaded, uint32_t (&terms)[CHUNK_SAMPLES_16]) const
// Terms past the row's end are zero, also in chunks past its end.
#pragma once

#include "cuda.cuh"
#include "plane.cuh"
#include "reduce.cuh"

// Up to here a double sum of integers is exact.
constexpr uint64_t EXACT = 1ull << 53;

// log2 of the last place of the double `sum`: 0 while everything is exact.
__device__ __forceinline__ uint32_t place_of(uint64_t sum)
{
    const int32_t beyond = 64 - 53 - __clzll(static_cast<long long>(sum));
    return beyond > 0 ? beyond : 0;
}

// Rounds sums to multiples of 2^place, ties to even. A Word of 32 bits holds sums modulo 2^32.
template <typename Word>
struct Rounding {
    uint32_t place;
    Word below_half;
    Word parity; // 1, or 0 where nothing is rounded
    Word mask;

    __host__ __device__ __forceinline__ explicit Rounding(uint32_t place)
        : place(place), below_half(place == 0 ? 0 : (Word(1) << (place - 1)) - 1), parity(place == 0 ? 0 : 1),
          mask(~((Word(1) << place) - 1))
    {
    }

    __host__ __device__ __forceinline__ Word operator()(Word sum) const
    {
        return (sum + below_half + ((sum >> place) & parity)) & mask;
    }
};

// How far a run of terms moves a sum inside one binade. Unlike the specification's, in units of the terms.
template <typename Word>
struct Pair {
    Word even; // a sum whose mantissa is even
    Word odd;

    __host__ __device__ __forceinline__ Word increment(Word sum, uint32_t place) const
    {
        return (sum >> place) & 1 ? odd : even;
    }

    // This run followed by `next`: associative, not commutative, neutral with {0, 0}.
    __host__ __device__ __forceinline__ Pair then(const Pair &next, uint32_t place) const
    {
        return {even + next.increment(even, place), odd + next.increment(odd + (Word(1) << place), place)};
    }
};

// Two sums, from an even and an odd mantissa on, to which a run's terms are added in order.
template <typename Word>
struct Chains {
    Rounding<Word> round;
    Word even;
    Word odd;

    __host__ __device__ __forceinline__ explicit Chains(const Rounding<Word> &rounding)
        : round(rounding), even(0), odd(Word(1) << rounding.place)
    {
    }

    __host__ __device__ __forceinline__ void add(const uint32_t (&terms)[CHUNK_SAMPLES_16])
    {
#pragma unroll
        for (uint32_t i = 0; i < CHUNK_SAMPLES_16; ++i) {
            even = round(even + terms[i]);
            odd = round(odd + terms[i]);
        }
    }

    __host__ __device__ __forceinline__ Pair<Word> pair() const
    {
        return {even, odd - (Word(1) << round.place)};
    }
};

// What step 2 leaves of a row.
struct alignas(16) RowPair {
    uint32_t even; // low bits of the increments
    uint32_t odd;
    uint32_t place; // for which they hold; the increments of place 0 are the row's sum and not written down
    uint32_t unused;
};

// What an ordered sum knows about its rows, in memory of the device.
struct OrderedRows {
    uint64_t *sums; // exact
    RowPair *pairs;

    __host__ __device__ __forceinline__ OrderedRows from(uint64_t row) const
    {
        return {sums + row, pairs + row};
    }
};

// The increments of rows differ from their sums by less than 2^31, since each term adds at most half a last place.
__host__ __device__ __forceinline__ uint64_t widen(uint32_t increment, uint64_t sum)
{
    return sum + static_cast<int64_t>(static_cast<int32_t>(increment - static_cast<uint32_t>(sum)));
}

// The pairs of all lanes one after the other, in lane 0.
__device__ __forceinline__ Pair<uint32_t> compose_lanes(Pair<uint32_t> pair, uint32_t place)
{
#pragma unroll
    for (uint32_t lanes = 1; lanes < WARP_THREADS; lanes *= 2) {
        const Pair<uint32_t> next = {shuffle_down(pair.even, lanes), shuffle_down(pair.odd, lanes)};
        pair = pair.then(next, place);
    }
    return pair;
}

// The increments of a row, by a warp, in lane 0.
template <typename Line>
__device__ __forceinline__ Pair<uint32_t> row_pair(const Line &line, uint32_t place)
{
    const Rounding<uint32_t> rounding(place);
    Pair<uint32_t> row = {0, 0};
    for (uint32_t first = 0; first < line.chunks(); first += LOADS * WARP_THREADS) {
        typename Line::Chunk chunks[LOADS];
#pragma unroll
        for (uint32_t i = 0; i < LOADS; ++i)
            chunks[i] = line.load(first + i * WARP_THREADS + lane_index());
#pragma unroll
        for (uint32_t i = 0; i < LOADS; ++i) {
            uint32_t terms[CHUNK_SAMPLES_16];
            line.split(first + i * WARP_THREADS + lane_index(), chunks[i], terms);
            Chains<uint32_t> chains(rounding);
            chains.add(terms);
            row = row.then(compose_lanes(chains.pair(), place), place);
        }
    }
    return row;
}

// This thread's share of the sum of rows `first` up to `end`.
__device__ __forceinline__ uint64_t share_of_rows(const uint64_t *sums, uint32_t first, uint32_t end)
{
    uint64_t sum = 0;
    for (uint32_t y = first + threadIdx.x; y < end; y += BLOCK_THREADS)
        sum += sums[y];
    return sum;
}

// One row of step 2, by a warp. `before`: the exact sum up to the row, a little above the rounded one, so that the
// place is advice, which the walk checks.
template <typename Source>
__device__ __forceinline__ void write_row_pair(const Source &source, const OrderedRows &rows, uint32_t y,
                                               uint64_t before)
{
    const uint32_t place = place_of(before);
    Pair<uint32_t> pair = {0, 0};
    if (place > 0)
        pair = row_pair(source.line(y), place);
    if (lane_index() == 0)
        rows.pairs[y] = {pair.even, pair.odd, place, 0};
}

// Step 2. Any number of blocks in x; `total`: of the rows' exact sums.
template <typename Source>
__device__ __forceinline__ void ordered_pairs(const Source &source, const OrderedRows &rows, uint64_t start,
                                              uint64_t total)
{
    if (start + total <= EXACT)
        return;
    uint64_t before = start;
    uint32_t counted = 0;
    for (uint32_t first = blockIdx.x * BLOCK_WARPS; first < source.height(); first += row_step()) {
        before += block_sum(share_of_rows(rows.sums, counted, first));
        counted = first;
        const uint32_t y = first + warp_index();
        uint64_t sum = before;
        for (uint32_t earlier = first; earlier < y && y < source.height(); ++earlier)
            sum += rows.sums[earlier];
        if (y < source.height())
            write_row_pair(source, rows, y, sum);
    }
}

// Whether a sum that ends here was in the binade of `place` all the time: on its upper edge sums round with the next
// place already, but 2^53 itself is exact.
__host__ __device__ __forceinline__ bool stays(uint64_t end, uint32_t place)
{
    return place == 0 ? end <= EXACT : (end >> place) < EXACT;
}

// A sum after some runs.
struct Advance {
    uint64_t sum;
    uint32_t runs;
};

struct WalkShared {
    Pair<uint64_t> pairs[BLOCK_WARPS];
    uint32_t runs[BLOCK_WARPS];
    uint64_t sum;
};

// All runs of the block's threads up to this one's, one after the other.
__device__ __forceinline__ Pair<uint64_t> compose_before(Pair<uint64_t> pair, uint32_t place, WalkShared &shared)
{
#pragma unroll
    for (uint32_t lanes = 1; lanes < WARP_THREADS; lanes *= 2) {
        const Pair<uint64_t> earlier = {shuffle_up(pair.even, lanes), shuffle_up(pair.odd, lanes)};
        if (lane_index() >= lanes)
            pair = earlier.then(pair, place);
    }
    if (lane_index() == WARP_THREADS - 1)
        shared.pairs[warp_index()] = pair;
    __syncthreads();
    Pair<uint64_t> before = {0, 0};
    for (uint32_t warp = 0; warp < warp_index(); ++warp)
        before = before.then(shared.pairs[warp], place);
    return before.then(pair, place);
}

// How many threads come before the first for which `fits` is false.
__device__ __forceinline__ uint32_t count_fitting(bool fits, WalkShared &shared)
{
    const uint32_t failed = __ballot_sync(FULL_WARP, !fits);
    if (lane_index() == 0)
        shared.runs[warp_index()] = failed == 0 ? WARP_THREADS : __ffs(static_cast<int>(failed)) - 1;
    __syncthreads();
    uint32_t count = 0;
    for (uint32_t warp = 0; count == warp * WARP_THREADS && warp < BLOCK_WARPS; ++warp)
        count += shared.runs[warp];
    return count;
}

// Lets `sum` go through the runs of the block's threads as far as they stay in its binade. `fits` is false where a
// thread has no run for this place. All threads of the block call it with the same sum and get the same result.
__device__ __forceinline__ Advance advance(uint64_t sum, uint32_t place, Pair<uint64_t> run, bool fits)
{
    WalkShared &shared = block_shared<WalkShared>();
    const Pair<uint64_t> runs = compose_before(run, place, shared);
    // The first end that leaves the binade is right, later ones are not looked at.
    const uint64_t end = sum + runs.increment(sum, place);
    const uint32_t count = count_fitting(fits && stays(end, place), shared);
    if (threadIdx.x + 1 == count)
        shared.sum = end;
    __syncthreads();
    // The next call writes here only after barriers of its own.
    return {count == 0 ? sum : shared.sum, count};
}

// Adds chunks as the reference does. Every thread does the same.
template <typename Line>
__device__ __forceinline__ uint64_t term_by_term(const Line &line, uint32_t first, uint32_t end, uint64_t sum)
{
    for (uint32_t chunk = first; chunk < end; ++chunk) {
        uint32_t terms[CHUNK_SAMPLES_16];
        line.split(chunk, line.load(chunk), terms);
        for (uint32_t i = 0; i < CHUNK_SAMPLES_16; ++i) {
            const uint64_t exact = sum + terms[i];
            sum = Rounding<uint64_t>(place_of(exact))(exact);
        }
    }
    return sum;
}

// The increments of some chunks, by one thread.
template <typename Line>
__device__ __forceinline__ Pair<uint64_t> chunks_pair(const Line &line, uint32_t first, uint32_t count, uint32_t place)
{
    Chains<uint64_t> chains((Rounding<uint64_t>(place)));
    for (uint32_t chunk = first; chunk < first + count; ++chunk) {
        uint32_t terms[CHUNK_SAMPLES_16];
        line.split(chunk, line.load(chunk), terms);
        chains.add(terms);
    }
    return chains.pair();
}

// A row that leaves its binade, or starts in another than expected: each thread takes a part of it.
template <typename Line>
__device__ __forceinline__ uint64_t walk_row(const Line &line, uint64_t sum)
{
    const uint32_t part = (line.chunks() + BLOCK_THREADS - 1) / BLOCK_THREADS;
    for (uint32_t chunk = 0; chunk < line.chunks();) {
        const uint32_t place = place_of(sum);
        const Pair<uint64_t> pair = chunks_pair(line, chunk + threadIdx.x * part, part, place);
        const Advance step = advance(sum, place, pair, true);
        sum = step.sum;
        chunk += step.runs * part;
        if (step.runs < BLOCK_THREADS && chunk < line.chunks()) {
            sum = term_by_term(line, chunk, chunk + part, sum);
            chunk += part;
        }
    }
    return sum;
}

// Whether row y has increments for this place; if so, what they are.
__device__ __forceinline__ bool read_row_pair(const OrderedRows &rows, uint32_t y, uint32_t place, Pair<uint64_t> &pair)
{
    const RowPair row = rows.pairs[y];
    const uint64_t sum = rows.sums[y];
    pair = place == 0 ? Pair<uint64_t>{sum, sum} : Pair<uint64_t>{widen(row.even, sum), widen(row.odd, sum)};
    return row.place == place;
}

// Step 3: puts the ordered sum in the place of `total`. By the first block in x alone.
template <typename Source>
__device__ __forceinline__ void ordered_walk(const Source &source, const OrderedRows &rows, uint64_t start,
                                             uint64_t &total)
{
    if (blockIdx.x != 0)
        return;
    const uint64_t exact = start + total;
    // Nobody may find the new total there.
    __syncthreads();
    uint64_t sum = exact <= EXACT ? exact : start;
    for (uint32_t y = 0; y < source.height() && exact > EXACT;) {
        const uint32_t place = place_of(sum);
        Pair<uint64_t> pair = {0, 0};
        const uint32_t mine = y + threadIdx.x;
        const bool fits = mine < source.height() && read_row_pair(rows, mine, place, pair);
        const Advance step = advance(sum, place, pair, fits);
        sum = step.sum;
        y += step.runs;
        if (step.runs < BLOCK_THREADS && y < source.height())
            sum = walk_row(source.line(y++), sum);
    }
    if (threadIdx.x == 0)
        total = sum;
}
