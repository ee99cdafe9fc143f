// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Blocks, threads, barriers and warps.

use super::*;

#[test]
fn a_sum_is_right_in_any_order_and_geometry() {
    for (seed, (blocks, threads, count)) in
        (0..).zip([(1, 1, 1), (1, 32, 31), (3, 64, 1000), (40, 256, 10_000), (7, 1024, 5000), (300, 128, 10)])
    {
        let bench = Bench::new(seed);
        let (out, input) = (bench.zeros(1), bench.words(&(0..count).collect::<Vec<_>>()));
        let test = Test { out: out.address(), input: input.address(), count: count as u32, choice: 0 };
        bench.run("test_sum", blocks, threads, test).unwrap();
        assert_eq!(bench.read(&out), [count * (count - 1) / 2], "seed {seed}");
    }
}

/// Whether a kernel failed because of a race, as it may in a build that looks for them.
fn races(done: Result<()>) -> bool {
    let text = done.map_or_else(|error| error.to_string(), |()| String::new());
    assert!(
        text.is_empty() || (kernel::finds_races() && text.contains("with nothing between them")),
        "{text}"
    );
    !text.is_empty()
}

/// Whether each of two blocks' threads gets its neighbour's value.
fn rotates(seed: u64, kernel: &'static str, period: usize, choice: u32) -> bool {
    let bench = Bench::new(seed);
    let (out, words) = (bench.zeros(512), (0..512).map(|i| i * 3 + 1).collect::<Vec<u64>>());
    let input = bench.words(&words);
    if races(bench.run(kernel, 2, 256, Test { out: out.address(), input: input.address(), choice, count: 0 }))
    {
        return false;
    }
    let next = |i: usize| words[i / period * period + (i + 1) % period];
    bench.read(&out) == (0..512).map(next).collect::<Vec<_>>()
}

#[test]
fn a_missing_barrier_gives_wrong_bits() {
    for seed in 0..SEEDS {
        assert!(rotates(seed, "test_rotate", 256, 0), "seed {seed}");
        assert!(!rotates(seed, "test_rotate", 256, 1), "seed {seed}");
        assert!(rotates(seed, "test_rotate_warp", 32, 0), "seed {seed}");
        assert!(!rotates(seed, "test_rotate_warp", 32, 1), "seed {seed}");
    }
}

#[test]
fn shared_memory_used_again_too_early_gives_wrong_bits() {
    for seed in 0..SEEDS {
        let reuse = |choice| {
            let bench = Bench::new(seed);
            let out = bench.zeros(256);
            let test = Test { out: out.address(), count: 10, choice, ..Test::default() };
            !races(bench.run("test_reuse", 1, 256, test)) && bench.read(&out) == vec![55; 256]
        };
        assert!(reuse(0), "seed {seed}");
        assert!(!reuse(1), "seed {seed}");
    }
}

/// The orders of threads do not show these: there is no wrong order.
#[test]
fn updates_that_could_be_lost_are_found_where_the_build_looks_for_races() {
    for (choice, part) in [(0, "of another block wrote"), (1, "of its block wrote")] {
        let bench = Bench::new(choice.into());
        let out = bench.zeros(1);
        let result =
            bench.run("test_lost_update", 2, 64, Test { out: out.address(), choice, ..Test::default() });
        if kernel::finds_races() {
            let text = device_error(result);
            assert!(text.contains(part) && text.contains("byte 0 of a block of 8 bytes"), "{text}");
        }
    }
}

#[test]
fn warp_calls_do_what_the_guide_says() {
    for seed in 0..SEEDS {
        let bench = Bench::new(seed);
        let value = |i: usize| (i * i * 7 % 61) as u64;
        let (out, input) = (bench.zeros(64 * 11), bench.words(&(0..64).map(value).collect::<Vec<_>>()));
        bench
            .run("test_warp", 1, 64, Test { out: out.address(), input: input.address(), ..Test::default() })
            .unwrap();
        let out = bench.read(&out);
        for (i, found) in out.chunks(11).enumerate() {
            assert_eq!(found, warp_results(i, value), "thread {i}, seed {seed}");
        }
    }
}

/// What thread `i` must get.
fn warp_results(i: usize, value: impl Fn(usize) -> u64) -> [u64; 11] {
    let (first, lane) = (i / 32 * 32, i % 32);
    let warp = first..first + 32;
    let half = first + lane / 16 * 16..first + lane / 16 * 16 + 16;
    let ballot = warp.clone().fold(0, |mask, k| mask | (value(k) & 1) << (k - first));
    [
        value(first + lane * 7 % 32),
        value(if lane < 3 { i } else { i - 3 }),
        value(if lane % 8 < 3 { i + 5 } else { i }),
        value(i ^ 16),
        value(if lane < 31 { i + 1 } else { i }),
        ballot,
        u64::from(warp.clone().any(|k| value(k) == 5)) << 1 | 1,
        warp.clone().map(&value).sum(),
        (warp.clone().map(&value).min().unwrap() as i64 - 100) as u64,
        warp.map(&value).max().unwrap(),
        half.map(&value).sum(),
    ]
}

#[test]
fn threads_that_do_not_meet_are_an_error() {
    let expected = [
        (0, "the threads wait for each other for ever: 40 at a barrier, 0 in a warp call, 24 ended"),
        (1, "waits at the barrier of "),
        (2, "waits for lanes ffffffff in the synchronisation of "),
        (3, "of one warp meet in different calls: "),
        (4, "is not in the mask 7fffffff of its own warp call at "),
        (5, "the threads wait for each other for ever: 32 at a barrier, 32 in a warp call, 0 ended"),
    ];
    for (choice, part) in expected {
        let bench = Bench::new(choice.into());
        let text =
            device_error(bench.run("test_diverge", 3, 64, Test { count: 40, choice, ..Test::default() }));
        assert!(text.contains(part), "{choice}: {text}");
        assert!(text.starts_with("emulator: kernel test_diverge, block ("), "{text}");
        assert!(
            text.contains("seed") && text.ends_with(&format!("(VMAF_RS_EMULATOR_SEED={choice})")),
            "{text}"
        );
        // The device stays as it is, as one of CUDA does.
        assert!(device_error(bench.device.buffer(8)).contains(part));
        assert!(device_error(bench.stream.synchronize()).contains(part));
    }
}

#[test]
fn shared_memory_is_never_fresh_zeros_or_what_a_block_left() {
    for seed in 0..SEEDS {
        let bench = Bench::new(seed);
        let out = bench.zeros(4 * 256);
        bench.run("test_fresh", 4, 256, Test { out: out.address(), ..Test::default() }).unwrap();
        assert!(bench.read(&out).iter().all(|word| *word != 0), "seed {seed}");
    }
}

#[test]
fn a_seed_orders_blocks_and_threads_and_repeats() {
    let order = |seed| {
        let bench = Bench::new(seed);
        let out = bench.zeros(1 + 2 * 3 * 2 * 64);
        let geometry = Geometry { grid: [2, 3, 2], block: 64 };
        let test = Test { out: out.address(), ..Test::default() };
        bench.stream.launch(&bench.kernel("test_order"), geometry, &test).unwrap();
        bench.read(&out)[1..].to_vec()
    };
    let one = order(1);
    let mut sorted = one.clone();
    sorted.sort();
    assert_eq!(sorted, (0..12 * 64).collect::<Vec<_>>());
    assert_ne!(one, sorted);
    assert_eq!(one, order(1));
    assert_ne!(one, order(2));
}

#[test]
fn dynamic_shared_memory_is_as_large_as_the_launch_says() {
    for seed in 0..SEEDS {
        let bench = Bench::new(seed);
        let (input, out) = (bench.words(&(0..64).collect::<Vec<_>>()), bench.zeros(64));
        let test = Test { out: out.address(), input: input.address(), ..Test::default() };
        let enough: Kernel<Test> = bench.module.kernel_with_shared("test_dynamic", 64 << 10).unwrap();
        bench.stream.launch(&enough, line(1, 64), &test).unwrap();
        assert_eq!(bench.read(&out), (1..64).chain([0]).collect::<Vec<_>>());
        let short: Kernel<Test> = bench.module.kernel_with_shared("test_dynamic", 60 << 10).unwrap();
        bench.stream.launch(&short, line(1, 64), &test).unwrap();
        let text = device_error(bench.stream.synchronize());
        assert!(text.contains("65536 bytes of dynamic shared memory, but the launch has 61440"), "{text}");
    }
}

#[test]
fn a_launch_of_wrong_geometry_is_an_error() {
    let geometries = [
        (Geometry { grid: [0, 1, 1], block: 32 }, "a grid has"),
        (Geometry { grid: [1, 65536, 1], block: 32 }, "a grid has"),
        (Geometry { grid: [1, 1, 1], block: 1025 }, "a block has 1 to 1024 threads"),
        (Geometry { grid: [1, 1, 1], block: 0 }, "a block has 1 to 1024 threads"),
    ];
    for (geometry, part) in geometries {
        let bench = Bench::new(1);
        let _ = bench.stream.launch(&bench.kernel("test_add"), geometry, &Test::default());
        let text = device_error(bench.stream.synchronize());
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_kernel_is_found_by_image_name_and_size() {
    let bench = Bench::new(1);
    let other = bench.device.module(&Image { name: "other", fatbin: None, ptx: &[] }).unwrap();
    assert!(device_error(other.kernel::<Test>("test_sum")).contains("\"test_sum\" of other: there is none"));
    let short = bench.module.kernel::<Short>("test_sum");
    assert!(device_error(short).contains("it takes 24 bytes, not 8"));
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Short(DeviceAddress);

// SAFETY: one field.
unsafe impl Parameters for Short {}

/// The fragments of mma.m16n8k32 of unsigned bytes, as the PTX ISA numbers them: element `i` of a lane.
struct Fragments;

impl Fragments {
    /// Row and column of a 16x32 matrix.
    fn first(lane: usize, i: usize) -> (usize, usize) {
        let row = lane >> 2;
        let row = if i < 4 || (8..12).contains(&i) { row } else { row + 8 };
        let column = (lane % 4) * 4 + (i & 3);
        (row, if i < 8 { column } else { column + 16 })
    }

    /// Row and column of a 32x8 matrix.
    fn second(lane: usize, i: usize) -> (usize, usize) {
        let row = (lane % 4) * 4 + (i & 3);
        (if i < 4 { row } else { row + 16 }, lane >> 2)
    }

    /// Row and column of a 16x8 matrix.
    fn sums(lane: usize, i: usize) -> (usize, usize) {
        let row = lane >> 2;
        (if i < 2 { row } else { row + 8 }, (lane % 4) * 2 + (i & 1))
    }
}

/// A 16x32 and a 32x8 matrix.
type Factors = ([[u8; 32]; 16], [[u8; 8]; 32]);

/// What a lane has of both, in words.
fn words_of((first, second): &Factors, lane: usize) -> Vec<u64> {
    let a = (0..16).map(|i| Fragments::first(lane, i)).map(|(row, column)| first[row][column]);
    let b = (0..8).map(|i| Fragments::second(lane, i)).map(|(row, column)| second[row][column]);
    let bytes: Vec<u8> = a.chain(b).collect();
    bytes.chunks(4).map(|word| u64::from(u32::from_le_bytes(word.try_into().unwrap()))).collect()
}

fn product((first, second): &Factors, row: usize, column: usize) -> u32 {
    (0..32).map(|k| u32::from(first[row][k]) * u32::from(second[k][column])).sum()
}

#[test]
fn products_of_matrices() {
    let mut random = random::Random::new(3);
    let mut byte = || if random.below(4) == 0 { 255 } else { random.word() as u8 };
    let mut factors =
        || ([(); 16].map(|()| [(); 32].map(|()| byte())), [(); 32].map(|()| [(); 8].map(|()| byte())));
    let warps: [[Factors; 2]; 3] = [(); 3].map(|()| [factors(), factors()]);
    let start = |row: usize, column: usize| ((row * 1000 + column) as u32).wrapping_mul(500_009);
    let lanes = warps.iter().flat_map(|warp| (0..32).map(move |lane| (warp, lane)));
    let words = lanes.flat_map(|(warp, lane)| {
        let sums = (0..4).map(|i| Fragments::sums(lane, i)).map(|(row, column)| start(row, column).into());
        sums.chain(warp.iter().flat_map(|factors| words_of(factors, lane))).collect::<Vec<u64>>()
    });
    let words: Vec<u64> = words.collect();
    for seed in 0..SEEDS {
        let bench = Bench::new(seed);
        let (out, input) = (bench.zeros(4 * 96), bench.words(&words));
        let test = Test { out: out.address(), input: input.address(), ..Test::default() };
        bench.run("test_matrix", 1, 96, test).unwrap();
        for (found, [one, other]) in bench.read(&out).chunks(128).zip(&warps) {
            for (place, &found) in found.iter().enumerate() {
                let (row, column) = Fragments::sums(place / 4, place % 4);
                let added = product(one, row, column) + product(other, row, column);
                let expected = start(row, column).wrapping_add(added);
                assert_eq!(found, u64::from(expected), "row {row}, column {column}, seed {seed}");
            }
        }
    }
}

#[test]
fn copies_land_when_they_are_waited_for() {
    let words: Vec<u64> = (1..=3 * 64).collect();
    let bench = Bench::new(1);
    let input = bench.words(&words);
    for (choice, landed) in [(0, 2), (1, 1), (2, 0), (3, 0)] {
        let out = bench.zeros(words.len());
        let test = Test { out: out.address(), input: input.address(), choice, count: 0 };
        bench.run("test_copies", 1, 64, test).unwrap();
        for (index, (found, word)) in bench.read(&out).iter().zip(&words).enumerate() {
            assert_eq!(found == word, index % 3 < landed, "word {index}, choice {choice}");
        }
    }
    let test = Test { out: input.address(), input: DeviceAddress(input.address().0 + 4), ..Test::default() };
    assert!(device_error(bench.run("test_copies", 1, 1, test)).contains("not aligned"));
}
