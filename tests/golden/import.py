#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Rewrites the .golden files beside this script from a folder of golden figures in JSON.

import.py FOLDER_OF_JSON EXTRACTOR... [model=NAME...]

Each JSON file holds one `fixture` and its `runs`; only the runs of the extractors and models named are taken.
One .golden file is written for each kind of picture, and one for each in models/ if models are named. Their lines:

    fixture KIND WIDTH HEIGHT BPC FORMAT FRAMES ref CRC32 dis CRC32
    run EXTRACTOR[:OPTION=VALUE]...      of the fixture above
    run model=NAME                       likewise, with the model's features and its score under its name
    KEY NUMBER...                        of the run above, one number a frame, null where not finite
    glibc KEY NUMBER...                  what the platform's math library may give instead
    undefined KEY...                     keys that the reference computes from undefined memory
    refused                              the reference returns an error, or crashes

Numbers are the shortest that read back as the same double. Fixtures without a run are kept for their
CRC-32, except in models/; clips are left out, since their pixels cannot be made.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def number(value):
    return "null" if value is None else repr(float(value))


def scores(prefix, table):
    for key, values in table.items():
        yield " ".join([*prefix, key, *map(number, values)])


def run_lines(name, run):
    yield "run " + name
    if "error" in run:
        yield "refused"
        return
    yield from scores([], run["frames"])
    yield from scores(["glibc"], run.get("glibc", {}))
    if run.get("undefined"):
        yield " ".join(["undefined", *run["undefined"]])


def fixture_lines(fixture, runs):
    words = [fixture[field] for field in ("kind", "width", "height", "bpc", "format", "frames")]
    crc = fixture["crc32"]
    yield " ".join(map(str, ["fixture", *words, "ref", crc["ref"], "dis", crc["dis"]]))
    for name, run in runs.items():
        yield from run_lines(name, run)


def subject(run):
    """The extractor of a run, or its model."""
    return run.split(":")[0]


def collect(folder, subjects, empty):
    """Lines for each kind of picture, and the subjects that had a run. Fixtures without one count if `empty`."""
    families, found = {}, set()
    for path in sorted(folder.glob("*.json")):
        figures = json.loads(path.read_text())
        fixture = figures.get("fixture", {"kind": "clip"})
        if fixture["kind"] == "clip":
            continue
        runs = {name: run for name, run in figures["runs"].items() if subject(name) in subjects}
        found.update(map(subject, runs))
        if runs or empty:
            families.setdefault(fixture["kind"], []).extend(["", *fixture_lines(fixture, runs)])
    return families, found


def rewrite(target, source, subjects, empty):
    families, found = collect(source, subjects, empty)
    missing = set(subjects) - found
    if missing:
        sys.exit("no run of " + ", ".join(sorted(missing)))
    head = ["# SPDX-License-Identifier: BSD-2-Clause-Patent", "# Written by import.py for " + " ".join(subjects)]
    for kind, lines in families.items():
        target.mkdir(exist_ok=True)
        (target / f"{kind}.golden").write_text("\n".join([*head, *lines]) + "\n")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    source, subjects = pathlib.Path(sys.argv[1]), sorted(set(sys.argv[2:]))
    models = [subject for subject in subjects if subject.startswith("model=")]
    rewrite(HERE, source, [subject for subject in subjects if subject not in models], empty=True)
    if models:
        rewrite(HERE / "models", source, models, empty=False)


if __name__ == "__main__":
    main()
