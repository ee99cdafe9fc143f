#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds a small FFmpeg with the libvmaf filter against an installed libvmaf, to test that library as a drop-in.
#
#   build.sh [LIBVMAF_PREFIX [WORK_DIR [JOBS]]]     (or the environment variables of those names)
#
# LIBVMAF_PREFIX  where libvmaf.pc, the headers and libvmaf.so lie
# WORK_DIR        everything is written here: tarball, sources, one build folder a library
# JOBS            parallel compilers, default: the number of cores
#
# With CUDA=1 the filter libvmaf_cuda is built as well, with the headers of Debian's libffmpeg-nvenc-dev.
#
# Last line of standard output: path of the ffmpeg program, a tab, the folder for LD_LIBRARY_PATH.
# Progress goes to standard error. Runs again cheaply: what is there is used as it is.
# For Debian 12. FFmpeg's source is that of the next Debian release, fetched by apt-get from the mirror this machine
# is set up with and checked against Debian's signing keys; the machine's own apt sources stay as they are.
set -euo pipefail

LIBVMAF_PREFIX=${1:-${LIBVMAF_PREFIX:?prefix of the installed libvmaf}}
WORK_DIR=${2:-${WORK_DIR:-$PWD/ffmpeg-work}}
JOBS=${3:-${JOBS:-$(nproc)}}
RELEASE=${RELEASE:-trixie}                                            # whose source package to take
SERIES=${SERIES:-7.1}                                                 # FFmpeg release series expected there
KEYRING=${KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}
OPTFLAGS=${OPTFLAGS:--O0}                                             # quickest to compile; the scoring is libvmaf's work

say() { printf 'build.sh: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# shellcheck disable=SC2054
CONFIGURE=(
    --disable-everything --disable-autodetect --disable-doc --disable-debug --disable-network
    --disable-avdevice --disable-postproc --disable-swresample --disable-ffplay --disable-ffprobe
    --disable-asm --optflags="$OPTFLAGS"                              # no assembler needed
    --enable-pthreads                                                 # ffmpeg needs it; --disable-autodetect drops it
    --enable-libvmaf
    --enable-demuxer=rawvideo,yuv4mpegpipe --enable-decoder=rawvideo,wrapped_avframe
    --enable-encoder=rawvideo,wrapped_avframe --enable-muxer=rawvideo,null
    --enable-protocol=file,pipe --enable-filter=libvmaf,scale,format,null
)

CUDA=${CUDA:-0}
# shellcheck disable=SC2054
[ "$CUDA" = 0 ] || CONFIGURE+=(--enable-ffnvcodec --enable-filter=libvmaf_cuda,hwupload_cuda)

apt_quiet() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 "$@" >&2; }

install_tools() {
    local want=()
    command -v gcc >/dev/null && [ -e /usr/include/stdio.h ] || want+=(gcc libc6-dev)
    command -v make >/dev/null || want+=(make)
    command -v pkg-config >/dev/null || want+=(pkg-config)
    command -v xz >/dev/null || want+=(xz-utils)
    [ ${#want[@]} = 0 ] && return
    say "installing ${want[*]}"
    apt_quiet update
    apt_quiet install -y --no-install-recommends "${want[@]}"
}

# Base address of the archive this machine takes its own release from. apt itself reads its configuration, in
# whichever format it is written; it names only sources whose lists have been fetched.
mirror() {
    local codename; codename=$(. /etc/os-release && echo "${VERSION_CODENAME:?}")
    apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        awk -v c="$codename" '$1 == c && $2 == "main" && $3 !~ /^cdrom:/ && !u { u = $3 } END { print u }'
}

# Runs apt-get in WORK_DIR/apt/get, with a configuration of its own that knows nothing but RELEASE.
from_release() {                                                      # TYPE APT_GET_ARGUMENT...
    local uri apt=$WORK_DIR/apt type=$1; shift
    uri=$(mirror)
    if [ -z "$uri" ]; then apt_quiet update; uri=$(mirror); fi
    [ -n "$uri" ] || die "found no mirror in this machine's apt configuration"
    rm -rf "$apt"; mkdir -p "$apt/lists/partial" "$apt/get"
    (umask 077; echo "$type [signed-by=$KEYRING] $uri $RELEASE main" >"$apt/sources.list")
    local own=(-o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
               -o Dir::State::Lists="$apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
               -o APT::Update::Error-Mode=any -o APT::Sandbox::User=root)
    if ! apt_quiet "${own[@]}" update; then                           # perhaps the keyring is older than the release
        apt_quiet update
        apt_quiet install -y debian-archive-keyring
        apt_quiet "${own[@]}" update
    fi
    (cd "$apt/get" && apt_quiet "${own[@]}" "$@")
}

# Leaves ffmpeg_VERSION.orig.tar.xz in WORK_DIR.
fetch_source() {
    say "fetching the source package ffmpeg of $RELEASE"
    from_release deb-src source --download-only --tar-only ffmpeg
    mv "$WORK_DIR"/apt/get/ffmpeg_*.orig.tar.xz "$WORK_DIR/"
    rm -rf "$WORK_DIR/apt"
}

# Leaves ffnvcodec.pc and its headers under WORK_DIR/nvcodec. This machine's own release has them too old.
fetch_nvcodec() {
    say "fetching libffmpeg-nvenc-dev of $RELEASE"
    from_release deb download libffmpeg-nvenc-dev
    rm -rf "$WORK_DIR/nvcodec"
    dpkg-deb -x "$WORK_DIR"/apt/get/libffmpeg-nvenc-dev_*.deb "$WORK_DIR/nvcodec"
    rm -rf "$WORK_DIR/apt"
    find "$WORK_DIR/nvcodec" -name ffnvcodec.pc -exec sed -i "s|^prefix=.*|prefix=$WORK_DIR/nvcodec/usr|" {} +
}

tarball() { find "$WORK_DIR" -maxdepth 1 -name "ffmpeg_$SERIES*.orig.tar.xz" | sort -V | tail -n 1; }

unpack() {                                                            # TARBALL FOLDER
    [ -x "$2/configure" ] && return
    rm -rf "$2" "$2.part"; mkdir -p "$2.part"
    tar -C "$2.part" --strip-components=1 -xJf "$1"
    mv "$2.part" "$2"
}

# Configures in the current folder, emptied first, unless that was done with the same arguments and libvmaf.pc.
configure() {                                                         # SOURCE PC_FILE
    local key; key=$(printf '%s\n' "$1" "${CONFIGURE[@]}" | cat - "$2" | sha256sum)
    if [ "$(cat configured 2>/dev/null)" = "$key" ] && [ -e Makefile ]; then return; fi
    find . -mindepth 1 -delete
    say "configuring"
    PKG_CONFIG_PATH=$(dirname "$2")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} "$1/configure" "${CONFIGURE[@]}" >configure.log 2>&1 ||
        { tail -n 20 configure.log ffbuild/config.log >&2; die "configure failed: $PWD/configure.log, ffbuild/config.log"; }
    echo "$key" >configured
}

LIBVMAF_PREFIX=$(cd "$LIBVMAF_PREFIX" && pwd) || die "no folder $LIBVMAF_PREFIX"
pc=$(find "$LIBVMAF_PREFIX" -name libvmaf.pc | sort | head -n 1); [ -n "$pc" ] || die "no libvmaf.pc under $LIBVMAF_PREFIX"
so=$(find "$LIBVMAF_PREFIX" -name 'libvmaf.so' | sort | head -n 1); [ -n "$so" ] || die "no libvmaf.so under $LIBVMAF_PREFIX"
libdir=$(dirname "$so")
mkdir -p "$WORK_DIR"; WORK_DIR=$(cd "$WORK_DIR" && pwd)

install_tools
[ -n "$(tarball)" ] || fetch_source
tar=$(tarball); [ -n "$tar" ] || die "the source package of $RELEASE is not of FFmpeg $SERIES"
version=$(basename "$tar" .orig.tar.xz); version=${version#ffmpeg_}
source=$WORK_DIR/ffmpeg-$version
unpack "$tar" "$source"
if [ "$CUDA" != 0 ]; then
    [ -d "$WORK_DIR/nvcodec" ] || fetch_nvcodec
    nvcodec=$(find "$WORK_DIR/nvcodec" -name ffnvcodec.pc | head -n 1)
    export PKG_CONFIG_PATH=${nvcodec%/*}${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
fi

build=$WORK_DIR/build-$version-$(printf %s "$LIBVMAF_PREFIX" | sha256sum | cut -c1-8)
[ "$CUDA" = 0 ] || build=$build-cuda
mkdir -p "$build"; cd "$build"
SECONDS=0; configure "$source" "$pc"; t_configure=$SECONDS
SECONDS=0; make -j"$JOBS" ffmpeg >make.log 2>&1 || { tail -n 20 make.log >&2; die "make failed: $build/make.log"; }
say "FFmpeg $version: configure $t_configure s, make $SECONDS s"

found=$(LD_LIBRARY_PATH=$libdir ldd ./ffmpeg | awk '$1 ~ /^libvmaf\.so/ { print $3 }')
case $found in "$libdir"/*) ;; *) die "ffmpeg would load libvmaf from '$found', not from $libdir" ;; esac
LD_LIBRARY_PATH=$libdir ./ffmpeg -hide_banner -filters 2>/dev/null | grep -q ' libvmaf ' || die "the filter libvmaf is missing"
[ "$CUDA" = 0 ] || LD_LIBRARY_PATH=$libdir ./ffmpeg -hide_banner -filters 2>/dev/null | grep -q ' libvmaf_cuda ' ||
    die "the filter libvmaf_cuda is missing"
printf '%s\t%s\n' "$build/ffmpeg" "$libdir"
