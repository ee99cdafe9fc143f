#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs into out/install/ and uses what was installed as a stranger would. Needs `make build` before.
set -eu
cd "$(dirname "$0")/.."
out=$PWD/out/install
rm -rf "$out"
mkdir -p "$out"
fail() { echo "install test: $*" >&2; exit 1; }

make -s install PREFIX="$out/prefix" >/dev/null
make -s install PREFIX=/opt/vmaf DESTDIR="$out/stage" >/dev/null
[ "$(cd "$out/stage/opt/vmaf" && find . | sort)" = "$(cd "$out/prefix" && find . | sort)" ] ||
    fail "DESTDIR changes what is installed"
grep -q '^prefix=/opt/vmaf$' "$out/stage/opt/vmaf/lib/pkgconfig/libvmaf.pc" || fail "DESTDIR is in libvmaf.pc"

${CARGO:-cargo} run --quiet --release --features cli --example make_fixture -- texture 99 67 8 420 3 "$out/pair" >/dev/null
export PKG_CONFIG_PATH="$out/prefix/lib/pkgconfig"
export LD_LIBRARY_PATH="$out/prefix/lib"

for name in vmaf_rs libvmaf; do
    library=${name#lib}
    soname=$(readelf -d "$out/prefix/lib/lib$library.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    [ "$soname" = "lib$library.so.3" ] || fail "the SONAME of lib$library.so is $soname"
    [ "$(pkg-config --modversion $name)" = 3.2.0 ] || fail "the version of $name"
    # shellcheck disable=SC2046
    cc examples/psnr.c $(pkg-config --cflags --libs $name) -o "$out/psnr-$name"
    readelf -d "$out/psnr-$name" | grep -q "NEEDED.*\[lib$library.so.3\]" || fail "psnr-$name needs another library"
    # shellcheck disable=SC2046
    cc examples/psnr.c $(pkg-config --cflags $name) "$out/prefix/lib/lib$library.a" \
        $(pkg-config --static --libs-only-l $name | sed "s/-l$library//") -o "$out/psnr-$name-static"
    for program in "psnr-$name" "psnr-$name-static"; do
        "$out/$program" "$out/pair.ref.yuv" "$out/pair.dis.yuv" 99 67 >"$out/$program.txt"
    done
done

"$out/prefix/bin/vmaf" -r "$out/pair.ref.yuv" -d "$out/pair.dis.yuv" -w 99 -h 67 -p 420 -b 8 -n \
    --feature psnr=enable_chroma=false --csv -o "$out/vmaf.csv"
sed -n '2,$s/^\([0-9]*\),\(.*\),$/\1 \2/p' "$out/vmaf.csv" >"$out/vmaf.txt"
[ "$(wc -l <"$out/vmaf.txt")" = 3 ] || fail "the tool's log lacks frames"
for program in vmaf_rs vmaf_rs-static libvmaf libvmaf-static; do
    cmp "$out/vmaf.txt" "$out/psnr-$program.txt" || fail "psnr-$program prints other scores than the tool"
done
echo "install test: ok"
