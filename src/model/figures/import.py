#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Rewrites the .figures files beside this script from libvmaf's model files.

import.py FOLDER_WITH_MODEL_FILES

The folder is searched to any depth. tests/models/compare.sh says which packages hold the files, and compares
the library with them. One .figures file holds what several built-in models share. Its lines:

    gamma NUMBER               of the radial basis functions
    scale SLOPE INTERCEPT      the score's first, then each feature's
    vector NUMBER...           a support vector, one number a feature; vectors are counted from 0
    machine RHO                begins a support-vector machine
    sum COEFFICIENT@VECTOR...  its terms, in the order in which they are added

Numbers are the shortest that read back as the same double.
"""
import json
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
FIGURES = {
    "vmaf_v0.6.1": "vmaf_v0.6.1",
    "vmaf_4k_v0.6.1": "vmaf_4k_v0.6.1",
    "vmaf_b_v0.6.3": "vmaf_b_v0.6.3",
    "vmaf_v1.0.16": "vmaf_v1.0.16_3d0h",
}


def number(value):
    return repr(float(value)).removesuffix(".0")


def machine(text, features):
    """Gamma, rho, and the (coefficient, vector) terms of a LIBSVM text."""
    head, body = text.split("SV\n", 1)
    words = dict(line.split(" ", 1) for line in head.strip().split("\n"))
    assert (words["svm_type"], words["kernel_type"], words["nr_class"]) == ("nu_svr", "rbf", "2")
    terms = [term(line.split(), features) for line in body.split("\n") if line.strip()]
    assert len(terms) == int(words["total_sv"])
    return float(words["gamma"]), float(words["rho"]), terms


def term(words, features):
    vector = [0.0] * features
    for index, value in (word.split(":") for word in words[1:]):
        vector[int(index) - 1] = float(value)
    return float(words[0]), tuple(vector)


def shared(values):
    """The one value that all members of a collection have."""
    first, *others = values
    assert all(value == first for value in others)
    return first


def lines(members):
    scales = shared([list(zip(member["slopes"], member["intercepts"], strict=True)) for member in members])
    machines = [machine(member["model"], len(member["feature_names"])) for member in members]
    vectors = {vector: None for _, _, terms in machines for _, vector in terms}
    numbers = {vector: place for place, vector in enumerate(vectors)}
    yield "gamma " + number(shared([gamma for gamma, _, _ in machines]))
    yield from (f"scale {number(slope)} {number(intercept)}" for slope, intercept in scales)
    yield from ("vector " + " ".join(map(number, vector)) for vector in vectors)
    for _, rho, terms in machines:
        yield "machine " + number(rho)
        texts = (f"{number(coefficient)}@{numbers[vector]}" for coefficient, vector in terms)
        yield from textwrap.wrap(" ".join(texts), 108, initial_indent="sum ", subsequent_indent="sum ",
                                 break_long_words=False, break_on_hyphens=False)


def members(document):
    """The models of a file: the one, or those of a collection in order."""
    if "model_dict" in document:
        return [document["model_dict"]]
    assert list(document) == [str(place) for place in range(len(document))]
    return [member["model_dict"] for member in document.values()]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    head = ["# SPDX-License-Identifier: BSD-2-Clause-Patent", "# Copyright (c) 2020 Netflix, Inc.; see NOTICE",
            "# Written by import.py"]
    for name, source in FIGURES.items():
        found = sorted(pathlib.Path(sys.argv[1]).rglob(source + ".json"))
        if not found:
            sys.exit(f"no {source}.json")
        text = "\n".join([*head, *lines(members(json.loads(found[0].read_text())))])
        assert re.fullmatch(r"[ -~\n]*", text)
        (HERE / name).with_name(name + ".figures").write_text(text + "\n")


if __name__ == "__main__":
    main()
