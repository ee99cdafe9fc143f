#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Runs FFmpeg's libvmaf filter, unchanged, on the installed library; its logs must be the command line's.
# Everything is written to out/ffmpeg/. Needs `make build` before; see build.sh for what else.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/out/ffmpeg
mkdir -p "$out"

make --no-print-directory install PREFIX="$out/prefix" >"$out/install.log" 2>&1 || { cat "$out/install.log" >&2; exit 1; }
IFS=$'\t' read -r ffmpeg libdir < <(bash ffmpeg-patch/build.sh "$out/prefix" "$out" | tail -n 1)

pair() { # NAME FIXTURE...
    ${CARGO:-cargo} run --quiet --release --features cli --example make_fixture -- "${@:2}" "$out/$1" >/dev/null
}

filter() { # NAME SIZE PIX_FMT FILTER_OPTIONS
    local raw=(-f rawvideo -pix_fmt "$3" -s "$2")
    LD_LIBRARY_PATH=$libdir "$ffmpeg" -hide_banner -nostdin -nostats "${raw[@]}" -i "$out/$1.dis.yuv" \
        "${raw[@]}" -i "$out/$1.ref.yuv" -lavfi "libvmaf=$4" -f null - 2>"$out/ffmpeg.txt" ||
        { cat "$out/ffmpeg.txt" >&2; exit 1; }
}

tool() { # NAME WIDTH HEIGHT FORMAT DEPTH OPTION...
    "$out/prefix/bin/vmaf" -r "$out/$1.ref.yuv" -d "$out/$1.dis.yuv" -w "$2" -h "$3" -p "$4" -b "$5" "${@:6}"
}

same() { # WHAT FILE FILE: equal but for the frames per second
    diff <(sed 's/"fps": .*/"fps"/; s/fyi fps=.*/fyi/' "$2") <(sed 's/"fps": .*/"fps"/; s/fyi fps=.*/fyi/' "$3") ||
        { echo "FFmpeg's log of $1 differs from the command line's" >&2; exit 1; }
    echo "FFmpeg: $1 as on the command line"
}

compare() { # WHAT NAME WIDTH HEIGHT PIX_FMT FORMAT DEPTH LOG_FORMAT [FILTER_OPTION]
    rm -f "$out/filter.log" "$out/tool.log"
    filter "$2" "$3x$4" "$5" "model='':feature='name=float_moment|name=psnr':log_fmt=$8:log_path=$out/filter.log${9:+:$9}"
    tool "$2" "$3" "$4" "$6" "$7" --no_prediction --feature float_moment --feature psnr "--$8" -o "$out/tool.log"
    same "$1" "$out/filter.log" "$out/tool.log"
}

# What FFmpeg prints for a model, by the golden figures of the pair `vmaf`.
golden() { # MODEL mean|min|harmonic_mean [EVERY]
    awk -v model="$1" -v how="$2" -v every="${3:-1}" '
        /^fixture / { here = ($0 ~ /^fixture texture 576 324 8 420 6 /) }
        /^run / { run = (here && $2 == "model=" model) }
        run && $1 == model {
            for (i = 2; i <= NF; i++)
                if ((i - 2) % every == 0) {
                    n++; sum += $i; inverse += 1 / ($i + 1)
                    if (n == 1 || $i < least) least = $i
                }
            print "VMAF score: " sprintf("%.6f", how == "min" ? least : how == "mean" ? sum / n : n / inverse - 1)
        }' tests/golden/models/texture.golden
}

score() { # WHAT EXPECTED [FILTER_OPTION]: what the filter prints must be EXPECTED
    filter vmaf 576x324 yuv420p "${3:-log_fmt=xml}"
    local got
    got=$(grep -o 'VMAF score: .*' "$out/ffmpeg.txt")
    [ -n "$2" ] && [ "$got" = "$2" ] || { echo "FFmpeg's $1: '$got', not '$2'" >&2; exit 1; }
    echo "FFmpeg: $1: ${got//$'\n'/, }"
}

pair vmaf texture 576 324 8 420 6
pair small texture 352 288 8 420 6
pair odd texture 99 67 10 422 3
compare "4:2:0 8 bit, JSON" small 352 288 yuv420p 420 8 json
compare "4:2:0 8 bit, XML" small 352 288 yuv420p 420 8 xml
compare "4:2:0 8 bit, CSV" small 352 288 yuv420p 420 8 csv
compare "4:2:0 8 bit, subtitles" small 352 288 yuv420p 420 8 sub
compare "odd 4:2:2 10 bit, JSON" odd 99 67 yuv422p10le 422 10 json
grep -q '"float_moment_ref1st"' "$out/filter.log" && grep -q '"psnr_cr"' "$out/filter.log" ||
    { echo "the log lacks the features" >&2; exit 1; }

score "default model" "$(golden vmaf_v0.6.1 mean)"
score "two threads" "$(golden vmaf_v0.6.1 mean)" n_threads=2
score "every second frame" "$(golden vmaf_v0.6.1 mean 2)" n_subsample=2
score "harmonic mean" "$(golden vmaf_v0.6.1 harmonic_mean)" pool=harmonic_mean
score "lowest" "$(golden vmaf_v0.6.1 min)" pool=min
score "two models" "$(golden vmaf_v0.6.1 mean; golden vmaf_v0.6.1neg mean)" \
    "model='version=vmaf_v0.6.1\\:name=vmaf|version=vmaf_v0.6.1neg\\:name=neg'"
for format in xml json csv sub; do
    rm -f "$out/filter.log" "$out/tool.log"
    filter vmaf 576x324 yuv420p "log_fmt=$format:log_path=$out/filter.log"
    tool vmaf 576 324 420 8 "--$format" -o "$out/tool.log"
    same "default model, $format" "$out/filter.log" "$out/tool.log"
done
# The same FFmpeg, with a library that has the emulator for a GPU.
${CARGO:-cargo} build --quiet --features cli,cuda-emulator
mkdir -p "$out/emulator"
ln -sf "${CARGO_TARGET_DIR:-$PWD/target}/debug/libvmaf_rs.so" "$out/emulator/libvmaf.so.3"
rm -f "$out/filter.log" "$out/tool.log"
libdir=$out/emulator filter odd 99x67 yuv422p10le \
    "model='':feature='name=float_moment_cuda|name=psnr_cuda':log_fmt=json:log_path=$out/filter.log"
grep -q "CUDA is emulated" "$out/ffmpeg.txt" || { echo "FFmpeg did not run on the emulator" >&2; exit 1; }
tool odd 99 67 422 10 --no_prediction --feature float_moment --feature psnr --json -o "$out/tool.log"
same "twins" "$out/filter.log" "$out/tool.log"

CUDA=1 bash ffmpeg-patch/build.sh "$out/prefix" "$out" >/dev/null
echo "FFmpeg: libvmaf_cuda compiles and links"
echo "FFmpeg test: ok"
