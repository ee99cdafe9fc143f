// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Device memory, page-locked memory, and addresses that are neither.

use super::*;

/// What a kernel that touches something says.
fn touch(bench: &Bench, test: Test) -> String {
    device_error(bench.run("test_touch", 2, 64, test))
}

#[test]
fn an_overrun_is_found_at_once() {
    let (write, read, before) = (0, 1, 6);
    // 2048 bytes end at the guard; 800 bytes have 224 more until there.
    for (words, index, choice, part) in [
        (256, 256, write, "0 bytes past the end of a block of 2048 bytes"),
        (256, 256, read, "0 bytes past the end of a block of 2048 bytes"),
        (256, 5000, write, "37952 bytes past the end of a block of 2048 bytes"),
        (100, 128, write, "224 bytes past the end of a block of 800 bytes"),
        (512, 513, before, "4104 bytes before a block of 4096 bytes"),
    ] {
        let bench = Bench::new(3);
        let block = bench.zeros(words);
        let test = Test { out: block.address(), input: block.address(), count: index, choice };
        let text = touch(&bench, test);
        assert!(text.contains("thread 0 touches 0x") && text.contains(part), "{text}");
    }
}

#[test]
fn what_is_written_beside_a_block_is_found_after_the_kernel() {
    if kernel::sanitized() {
        return; // AddressSanitizer finds it first, and ends the process
    }
    let bench = Bench::new(3);
    let block = bench.zeros(100);
    let text = touch(&bench, Test { out: block.address(), count: 801, choice: 2, ..Test::default() });
    assert!(text.contains("something was written to 1 bytes past the end of a block of 800 bytes"), "{text}");
}

#[test]
fn freed_memory_is_not_usable() {
    let bench = Bench::new(3);
    let (block, freed) = (bench.zeros(1), bench.zeros(10));
    let address = freed.address();
    drop(freed);
    // Within a structure the address is seen before the kernel runs.
    let test = Test { out: block.address(), input: address.offset(8), ..Test::default() };
    let text = device_error(bench.run("test_add", 1, 32, test));
    assert!(
        text.contains("the address at byte 8 of its parameters is byte 8 of freed memory of 80 bytes"),
        "{text}"
    );
}

#[test]
fn freed_memory_is_not_touched() {
    let bench = Bench::new(3);
    let (block, freed) = (bench.zeros(512), bench.zeros(512));
    let distance = (freed.address().0 - block.address().0) as u32 / 8;
    drop(freed);
    let text = touch(&bench, Test { out: block.address(), count: distance, ..Test::default() });
    assert!(text.contains("byte 0 of freed memory of 4096 bytes"), "{text}");
}

#[test]
fn memory_waits_for_its_work_before_it_goes() {
    for seed in 0..SEEDS {
        let bench = Bench::new(seed);
        let (out, input) = (bench.zeros(10), bench.words(&[5; 10]));
        let test = Test { out: out.address(), input: input.address(), count: 10, choice: 2 };
        bench.start("test_add", 1, 32, test).unwrap();
        drop(input);
        assert_eq!(bench.read(&out), [7; 10]);
    }
}

#[test]
fn a_host_address_among_parameters_is_an_error() {
    let words = [0_u64; 4];
    let bench = Bench::new(3);
    let pinned = bench.device.pinned(64).unwrap();
    for host in [words.as_ptr() as u64, pinned.start().as_ptr() as u64, rotate as *const () as u64] {
        let bench = Bench::new(3);
        let text = device_error(bench.run(
            "test_add",
            1,
            32,
            Test { input: DeviceAddress(host), ..Test::default() },
        ));
        assert!(
            text.contains("the address at byte 8 of its parameters, 0x") && text.contains("is the host's"),
            "{text}"
        );
    }
    // Numbers are not taken for addresses.
    let numbers = Test { count: 1920, choice: 4096, ..Test::default() };
    bench.run("test_diverge", 1, 32, numbers).unwrap();
}

fn rotate() {}

#[test]
fn the_host_cannot_touch_device_memory() {
    let bench = Bench::new(3);
    let block = bench.zeros(10);
    let mut ends = [0; 2];
    // SAFETY: the array has room for both ends. The kernel says that an address is bad instead of sending a signal.
    unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        assert_eq!(libc::write(ends[1], block.address().0 as *const _, 8), -1);
        assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(libc::EFAULT));
        ends.into_iter().for_each(|end| assert_eq!(libc::close(end), 0));
    }
}

#[test]
fn fresh_memory_holds_no_zeros() {
    for seed in 0..SEEDS {
        let bench = Bench::new(seed);
        let block = bench.device.buffer(80).unwrap();
        assert_eq!(block.address().0 % 256, 0);
        assert!(bench.read(&block).iter().all(|word| *word != 0), "seed {seed}");
    }
}

#[test]
fn other_faults_of_kernels_are_errors() {
    for (choice, part) in
        [(3, "thread 0 has no stack left"), (4, "thread 0 divides by zero"), (5, "trap in thread 0")]
    {
        let bench = Bench::new(3);
        let block = bench.zeros(1);
        let text = touch(&bench, Test { out: block.address(), input: block.address(), count: 0, choice });
        assert!(text.contains(part), "{text}");
        // The next device of this thread is not harmed.
        let bench = Bench::new(4);
        let out = bench.zeros(1);
        bench.run("test_fresh", 1, 1, Test { out: out.address(), ..Test::default() }).unwrap();
    }
}

#[test]
fn copies_stay_within_their_blocks() {
    let bench = Bench::new(3);
    let block = bench.zeros(10);
    let mut words = [0; 11];
    assert!(
        device_error(upload(&bench.stream, &words, &block))
            .contains("a copy of 88 bytes ends at 7 bytes past the end")
    );
    assert!(
        device_error(download(&bench.stream, &block, &mut words))
            .contains("a copy of 88 bytes ends at 7 bytes past")
    );
    let text = device_error(bench.stream.clear(block.address().offset(8), 80));
    assert!(text.contains("ends at 7 bytes past the end of a block of 80 bytes"), "{text}");
    assert!(device_error(bench.stream.clear(DeviceAddress(64), 8)).contains("outside the device's memory"));
    // Such a copy did not start: the device goes on.
    assert_eq!(bench.read(&block), [0; 10]);
}

#[test]
fn rows_are_copied_by_their_pitches() {
    let bench = Bench::new(3);
    let host: Vec<u8> = (0..100).collect();
    let block = bench.zeros(8);
    let from = Rows { start: host.as_ptr(), pitch: 20 };
    let to = Rows { start: block.address(), pitch: 16 };
    // SAFETY: four rows of ten bytes are readable, and not page-locked.
    unsafe { bench.stream.upload(from, to, Extent { bytes: 10, rows: 4 }) }.unwrap();
    let mut back = [0_u8; 48];
    let to = Rows { start: back.as_mut_ptr(), pitch: 12 };
    let from = Rows { start: block.address(), pitch: 16 };
    // SAFETY: four rows of ten bytes are writable, and not page-locked.
    unsafe { bench.stream.download(from, to, Extent { bytes: 10, rows: 4 }) }.unwrap();
    for row in 0..4 {
        assert_eq!(back[row * 12..][..10], host[row * 20..][..10]);
    }
}
