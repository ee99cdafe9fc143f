#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Renews kernels/ptx/: one PTX file a kernel source, and in SOURCES the checksums of what they were made from.

ptx.py LIBNVRTC    LIBNVRTC: libnvrtc.so.12 of release 12.0, whose PTX every driver from R525 on takes
ptx.py --sources   SOURCES alone, to look at; a change of sources without their PTX is wrong
"""
import ctypes
import pathlib
import sys
import zlib

KERNELS = pathlib.Path(__file__).resolve().parent
RELEASE = (12, 0)
LEAST_CAPABILITY = "// Least compute capability: "  # build.rs reads it too
OPTIONS = [
    "--std=c++17",
    "--fmad=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--ftz=false",
    f"--include-path={KERNELS}",
]


class Nvrtc:
    def __init__(self, path):
        # The library opens its built-in headers by name, from beside itself.
        for companion in pathlib.Path(path).parent.glob("libnvrtc-builtins.so*"):
            ctypes.CDLL(str(companion), ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(path)
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        if (major.value, minor.value) != RELEASE:
            sys.exit(f"NVRTC {RELEASE} is wanted, this is {(major.value, minor.value)}: the bytes would differ")

    def call(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        if result != 0:
            raise RuntimeError(f"{name}: error {result}")

    def text(self, program, what):
        size = ctypes.c_size_t()
        self.call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        self.call(f"nvrtcGet{what}", program, text)
        return text.value.decode()

    def compile(self, source):
        program = ctypes.c_void_p()
        code = source.read_bytes()
        wanted = [f"--gpu-architecture=compute_{least_capability(code.decode())}", *OPTIONS]
        self.call("nvrtcCreateProgram", ctypes.byref(program), code, source.name.encode(), 0, None, None)
        options = (ctypes.c_char_p * len(wanted))(*(option.encode() for option in wanted))
        try:
            self.call("nvrtcCompileProgram", program, len(wanted), options)
        except RuntimeError:
            sys.exit(self.text(program, "ProgramLog"))
        if log := self.text(program, "ProgramLog").strip():
            sys.exit(log)
        return self.text(program, "PTX")


def least_capability(code):
    stated = [line.removeprefix(LEAST_CAPABILITY) for line in code.splitlines() if line.startswith(LEAST_CAPABILITY)]
    return stated[0].replace(".", "") if stated else "75"


def sources():
    kernels = sorted(KERNELS.glob("*.cu"))
    headers = sorted(header for header in KERNELS.glob("*/*.cuh"))
    return kernels, [*kernels, *headers, KERNELS / "ptx.py"]


def write_checksums(files):
    lines = (f"{zlib.crc32(file.read_bytes()):08x} {file.relative_to(KERNELS).as_posix()}\n" for file in files)
    (KERNELS / "ptx" / "SOURCES").write_text("".join(lines))


def main(argument):
    kernels, files = sources()
    if argument != "--sources":
        nvrtc = Nvrtc(argument)
        texts = {kernel.stem: nvrtc.compile(kernel) for kernel in kernels}
        for old in (KERNELS / "ptx").glob("*.ptx"):
            old.unlink()
        for name, text in texts.items():
            (KERNELS / "ptx" / f"{name}.ptx").write_text(text)
    write_checksums(files)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
