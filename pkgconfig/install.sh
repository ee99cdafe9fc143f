#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# install.sh DESTDIR PREFIX LIBDIR BUILD VERSION PRIVATE: installs what `make build` made. Called by the Makefile.
#
# The library is installed twice: as libvmaf_rs, and as libvmaf, for programs that know only that name.
set -eu
destdir=$1 prefix=$2 libdir=$3 build=$4 version=$5 private=$6
here=$(dirname "$0")
major=${version%%.*}

# libdir below prefix stays below it when pkg-config is told another prefix.
case $libdir in
"$prefix"/*) pc_libdir="\${prefix}${libdir#"$prefix"}" ;;
*) pc_libdir=$libdir ;;
esac

install_library() { # NAME BUILT_SO
    so="lib$1.so.$version"
    install -m 755 "$2" "$destdir$libdir/$so"
    ln -sf "$so" "$destdir$libdir/lib$1.so.$major"
    ln -sf "lib$1.so.$major" "$destdir$libdir/lib$1.so"
}

install_pc() { # FILE LIBRARY
    sed -e "s|@PREFIX@|$prefix|" -e "s|@LIBDIR@|$pc_libdir|" -e "s|@NAME@|$1|" -e "s|@LIBRARY@|$2|" \
        -e "s|@VERSION@|$version|" -e "s|@PRIVATE@|$private|" "$here/template.pc.in" >"$destdir$libdir/pkgconfig/$1.pc"
    chmod 644 "$destdir$libdir/pkgconfig/$1.pc"
}

install -d "$destdir$prefix/bin" "$destdir$prefix/include/libvmaf" "$destdir$libdir/pkgconfig"
install -m 644 "$here"/../include/libvmaf/*.h "$destdir$prefix/include/libvmaf/"
install -m 755 "$build/vmaf" "$destdir$prefix/bin/vmaf"
install_library vmaf_rs "$build/libvmaf_rs.so"
install_library vmaf "$build/libvmaf.so.$version"
install -m 644 "$build/libvmaf_rs.a" "$destdir$libdir/libvmaf_rs.a"
ln -sf libvmaf_rs.a "$destdir$libdir/libvmaf.a"
install_pc vmaf_rs vmaf_rs
install_pc libvmaf vmaf
install -d "$destdir$prefix/share/doc/libvmaf_rs"
install -m 644 "$here/../LICENSE" "$here/../NOTICE" "$destdir$prefix/share/doc/libvmaf_rs/"
