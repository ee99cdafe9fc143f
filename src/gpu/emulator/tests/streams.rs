// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Streams, events, late copies, and faults that were asked for.

use super::*;
use crate::gpu::device::Pinned;

/// Page-locked memory with these words.
fn pinned(bench: &Bench, words: &[u64]) -> Pinned {
    let pinned = bench.device.pinned(size_of_val(words)).unwrap();
    write(&pinned, words);
    pinned
}

fn write(pinned: &Pinned, words: &[u64]) {
    // SAFETY: the block is as long as the words.
    unsafe { pinned.start().cast::<u64>().as_ptr().copy_from_nonoverlapping(words.as_ptr(), words.len()) };
}

fn contents(pinned: &Pinned) -> Vec<u64> {
    // SAFETY: the block is initialised.
    unsafe { std::slice::from_raw_parts(pinned.start().cast().as_ptr(), pinned.bytes() / 8) }.to_vec()
}

fn send(stream: &Stream, from: &Pinned, to: &Buffer) {
    let from_rows = Rows { start: from.start().as_ptr().cast_const(), pitch: 0 };
    // SAFETY: tests that change the memory early want to see wrong bits.
    unsafe { stream.upload(from_rows, Rows { start: to.address(), pitch: 0 }, one_row(from.bytes())) }
        .unwrap();
}

fn fetch(stream: &Stream, from: &Buffer, to: &Pinned) {
    let to_rows = Rows { start: to.start().as_ptr(), pitch: 0 };
    // SAFETY: tests that read the memory early want to see wrong bits.
    unsafe { stream.download(Rows { start: from.address(), pitch: 0 }, to_rows, one_row(to.bytes())) }
        .unwrap();
}

/// Numbers at how many seeds of 64 `works` does.
fn working(works: impl Fn(u64) -> bool) -> usize {
    (0..64).filter(|seed| works(*seed)).count()
}

#[test]
fn a_missing_wait_for_an_upload_gives_wrong_bits() {
    let works = |seed, waits| {
        let bench = Bench::new(seed);
        let (copies, uploaded) = (bench.device.stream().unwrap(), bench.device.event().unwrap());
        let (staging, out, input) = (pinned(&bench, &[5; 100]), bench.zeros(100), bench.zeros(100));
        bench.stream.synchronize().unwrap();
        send(&copies, &staging, &input);
        uploaded.record(&copies).unwrap();
        if waits {
            bench.stream.wait(&uploaded).unwrap();
        }
        let test = Test { out: out.address(), input: input.address(), count: 100, choice: 1 };
        bench.start("test_add", 1, 32, test).unwrap();
        let right = bench.read(&out) == [6; 100];
        copies.synchronize().unwrap();
        right
    };
    assert_eq!(working(|seed| works(seed, true)), 64);
    assert!(working(|seed| works(seed, false)) < 48);
}

#[test]
fn a_missing_wait_before_memory_is_overwritten_gives_wrong_bits() {
    let works = |seed, waits| {
        let bench = Bench::new(seed);
        let (copies, read) = (bench.device.stream().unwrap(), bench.device.event().unwrap());
        let (next, out, input) = (pinned(&bench, &[9; 100]), bench.zeros(100), bench.words(&[5; 100]));
        bench.stream.synchronize().unwrap();
        let test = Test { out: out.address(), input: input.address(), count: 100, choice: 1 };
        bench.start("test_add", 1, 32, test).unwrap();
        read.record(&bench.stream).unwrap();
        if waits {
            copies.wait(&read).unwrap();
        }
        send(&copies, &next, &input);
        let right = bench.read(&out) == [6; 100];
        copies.synchronize().unwrap();
        right
    };
    assert_eq!(working(|seed| works(seed, true)), 64);
    assert!(working(|seed| works(seed, false)) < 48);
}

#[test]
fn staging_used_again_too_early_gives_wrong_bits() {
    for seed in 0..SEEDS {
        let bench = Bench::new(seed);
        let (staging, block) = (pinned(&bench, &[5; 10]), bench.zeros(10));
        send(&bench.stream, &staging, &block);
        write(&staging, &[6; 10]);
        assert_eq!(bench.read(&block), [6; 10], "seed {seed}");
        // Pageable memory is free at once.
        let mut words = [7; 10];
        upload(&bench.stream, &words, &block).unwrap();
        words.fill(8);
        assert_eq!(bench.read(&block), [7; 10], "seed {seed}");
        assert_eq!(words, [8; 10]);
    }
}

#[test]
fn results_read_too_early_are_wrong() {
    for seed in 0..SEEDS {
        let bench = Bench::new(seed);
        let (results, block) = (pinned(&bench, &[5; 10]), bench.words(&[5; 10]));
        fetch(&bench.stream, &block, &results);
        assert_ne!(contents(&results), [5; 10], "seed {seed}");
        bench.stream.synchronize().unwrap();
        assert_eq!(contents(&results), [5; 10], "seed {seed}");
    }
}

#[test]
fn an_event_stands_for_its_work_and_is_done_in_the_end() {
    let mut denied = 0;
    for seed in 0..SEEDS {
        let bench = Bench::new(seed);
        let (event, out) = (bench.device.event().unwrap(), bench.zeros(1));
        assert!(event.is_done().unwrap(), "nothing was recorded");
        let (results, input) = (pinned(&bench, &[0]), bench.words(&[3]));
        let test = Test { out: out.address(), input: input.address(), count: 1, choice: 4 };
        bench.start("test_add", 1, 1, test).unwrap();
        fetch(&bench.stream, &out, &results);
        event.record(&bench.stream).unwrap();
        let asked = (0..10).take_while(|_| !event.is_done().unwrap()).count();
        assert!(asked <= 3, "seed {seed}");
        denied += asked;
        assert_eq!(contents(&results), [7], "seed {seed}");
        event.synchronize().unwrap();
        assert!(event.is_done().unwrap());
    }
    assert!(denied > 0);
}

#[test]
fn a_wait_is_for_what_was_recorded_before_it() {
    for seed in 0..SEEDS {
        let bench = Bench::new(seed);
        let (other, event) = (bench.device.stream().unwrap(), bench.device.event().unwrap());
        // Nothing was recorded yet: there is nothing to wait for.
        other.wait(&event).unwrap();
        event.record(&bench.stream).unwrap();
        other.wait(&event).unwrap();
        // Recorded anew: the wait stays as it was, and does not wait for this stream's later work, which waits for it.
        let back = bench.device.event().unwrap();
        back.record(&other).unwrap();
        bench.stream.wait(&back).unwrap();
        event.record(&bench.stream).unwrap();
        drop(event);
        bench.stream.synchronize().unwrap();
        other.synchronize().unwrap();
    }
}

#[test]
fn a_destroyed_stream_has_done_its_work() {
    for seed in 0..SEEDS {
        let bench = Bench::new(seed);
        let stream = bench.device.stream().unwrap();
        let results = pinned(&bench, &[0]);
        let block = bench.words(&[8]);
        bench.stream.synchronize().unwrap();
        fetch(&stream, &block, &results);
        drop(stream);
        assert_eq!(contents(&results), [8], "seed {seed}");
    }
}

#[test]
fn page_locked_memory_freed_during_a_copy_fails_the_device() {
    let bench = Bench::new(3);
    let (staging, block) = (pinned(&bench, &[5; 10]), bench.zeros(10));
    send(&bench.stream, &staging, &block);
    let before = live().violations;
    drop(staging);
    assert!(live().violations > before);
    assert!(
        device_error(bench.stream.synchronize())
            .contains("page-locked memory is freed before its copies are done")
    );
}

#[test]
fn calls_fail_when_told_to() {
    let attempt = |fault| -> Result<()> {
        let bench = Bench::with_fault(3, Some(fault))?;
        let (block, staging, event) =
            (bench.device.buffer(80)?, bench.device.pinned(80)?, bench.device.event()?);
        let _other = bench.device.buffer(80)?;
        bench.stream.clear(block.address(), 80)?;
        upload(&bench.stream, &[5; 10], &block)?;
        let kernel = bench.module.kernel("test_add")?;
        let test = Test { out: block.address(), input: block.address(), count: 10, choice: 1 };
        bench.stream.launch(&kernel, line(1, 32), &test)?;
        bench.stream.launch(&kernel, line(1, 32), &test)?;
        fetch(&bench.stream, &block, &staging);
        event.record(&bench.stream)?;
        event.synchronize()?;
        assert_eq!(contents(&staging), [7; 10]);
        Ok(())
    };
    for fault in ["allocate:1", "allocate:2", "allocate", "pinned:1"] {
        assert_eq!(attempt(fault), Err(Error::OutOfMemory), "{fault}");
    }
    for fault in [
        "stream:1",
        "event:1",
        "load",
        "function:1",
        "launch:1",
        "launch:2",
        "copy:1",
        "copy:2",
        "synchronize:1",
    ] {
        assert!(device_error(attempt(fault)).contains("told to fail here"), "{fault}");
    }
    for fault in ["kernel:1", "kernel:2"] {
        assert!(device_error(attempt(fault)).contains("kernel \"test_add\": told to fail here"), "{fault}");
    }
    for fault in ["allocate:3", "launch:3", "copy:4", "load:2"] {
        assert_eq!(attempt(fault), Ok(()), "{fault}");
    }
}
