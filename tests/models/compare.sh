#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Fetches the packages that libvmaf's model files were taken from, and compares the built-in models with them.
# Needs pip and cargo, and their registries.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT

python3 -m pip download --quiet --no-deps --dest "$packages" ffmpeg-quality-metrics==3.13.0
for wheel in "$packages"/*.whl; do
    python3 -m zipfile -e "$wheel" "$packages/wheel"
done

# Cargo fetches a crate only as a dependency.
mkdir -p "$packages/crate/src"
touch "$packages/crate/src/lib.rs"
cat >"$packages/crate/Cargo.toml" <<'TOML'
[package]
name = "packages"
edition = "2024"
[dependencies]
libvmaf-sys = "=0.4.4"
[workspace]
TOML
(cd "$packages/crate" && cargo vendor --quiet vendor >/dev/null)

cd "$root"
VMAF_RS_REQUIRE=models VMAF_RS_MODEL_PACKAGES=$packages cargo test --test models built_in
