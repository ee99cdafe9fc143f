# SPDX-License-Identifier: BSD-2-Clause-Patent
# make            the libraries and the tool
# make setup      installs what building and testing need, on Debian and its kin
# make demo       scores a pair of clips that it makes itself, prints the table
# make test       the tests
# make install    what `make` built: PREFIX=/usr/local LIBDIR=PREFIX/lib DESTDIR=

CARGO ?= cargo
PREFIX = /usr/local
LIBDIR = $(PREFIX)/lib
DESTDIR =

VERSION = 3.2.0
MAJOR = 3
# What a static link needs besides libvmaf_rs.a; tests/capi.rs asserts it.
PRIVATE = -ldl -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc

OUT = $(or $(CARGO_TARGET_DIR),target)/release
DROP_IN = $(OUT)/libvmaf.so.$(VERSION)

.PHONY: all build setup demo test test-ffmpeg install clean

all: build

build:
	$(CARGO) build --release --locked --features cli
	$(CC) $(LDFLAGS) -shared -o $(DROP_IN) -Wl,-soname,libvmaf.so.$(MAJOR) -Wl,--version-script,pkgconfig/exports.map \
	    -Wl,--gc-sections -Wl,--strip-debug -Wl,-z,defs -Wl,--whole-archive $(OUT)/libvmaf_rs.a -Wl,--no-whole-archive $(PRIVATE)

setup:
	@sh .ci/setup

demo: setup build
	@mkdir -p out
	$(CARGO) run --release --locked --features cli --example make_fixture -- texture 640 360 8 420 24 out/demo
	$(OUT)/vmaf -r out/demo.ref.yuv -d out/demo.dis.yuv -w 640 -h 360 -p 420 -b 8 \
	    --feature psnr --feature float_moment --csv -o out/demo.csv
	@awk -F, 'NR == 1 { for (i = 1; i < NF; i++) if ($$i ~ /^(Frame|vmaf|psnr|float_moment|integer_(adm2|motion2))/) { \
	    column[++columns] = i; width[columns] = length($$i) + 2; if (width[columns] < 12) width[columns] = 12 } } \
	    { for (i = 1; i <= columns; i++) printf "%*s", width[i], $$column[i]; print "" }' out/demo.csv
	@echo "all features: out/demo.csv"

test: setup
	$(CARGO) test --locked --features cli

test-ffmpeg: build
	bash ffmpeg-patch/test.sh

install:
	@[ -e $(DROP_IN) ] || { echo "run 'make' first"; exit 1; }
	sh pkgconfig/install.sh "$(DESTDIR)" "$(PREFIX)" "$(LIBDIR)" "$(OUT)" "$(VERSION)" "$(PRIVATE)"

clean:
	$(CARGO) clean
	rm -rf out
