// SPDX-License-Identifier: BSD-2-Clause-Patent
//! Gives the shared library its SONAME; builds the kernels.

#[path = "kernels/build.rs"]
mod kernels;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |key: &str| std::env::var(key).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") == "linux" {
        let major = 3;
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libvmaf_rs.so.{major}");
    }
    kernels::build();
}
