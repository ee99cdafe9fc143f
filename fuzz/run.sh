#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# run.sh SECONDS [TARGET...]: fuzzes each target that long with AddressSanitizer, starting from the seeds in corpus/.
# Works with a stable toolchain; new inputs go to out/fuzz/, not into the corpus.
set -eu
cd "$(dirname "$0")"
seconds=$1
shift
[ $# -gt 0 ] || set -- $(ls fuzz_targets | sed 's/\.rs$//')
host=$(rustc -vV | sed -n 's/^host: //p')
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="--cfg fuzzing -Zsanitizer=address $coverage"
export CARGO_TARGET_DIR="$PWD/../out/fuzz/target"
cargo build --release --quiet --target "$host"
for target in "$@"; do
    found="$PWD/../out/fuzz/$target"
    mkdir -p "$found"
    "$CARGO_TARGET_DIR/$host/release/$target" -max_total_time="$seconds" -print_final_stats=1 \
        -artifact_prefix="$found/" "$found" "corpus/$target"
done
