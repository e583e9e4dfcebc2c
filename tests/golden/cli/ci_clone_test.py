#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ci_clone_test.py PROGRAM: a fresh clone with fuselab.toml and a baseline file and nothing else, on a processor of fewer instructions than
the one that saved it: the right result or the right exit code. Exit 77 where the processor is none of x86-64-v3."""
import json
import pathlib
import re
import shutil
import sys

from fresh_home import FreshHome

LEAST = "x86-64-v3"
CASES = """[check]
budget = 0.2

[[case]]
name = "norm"
subject = "w3"
shape = "rows=8,cols=64"
devices = "cpu"
config = "threads=1"
"""


def processor_has(*flags):
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8") if pathlib.Path("/proc/cpuinfo").exists() else ""
    found = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    return found is not None and set(flags) <= set(found.group(1).split())


def clone(program, baseline=None, key=None):
    """What CI has: the repository, a file that was handed over, and whom to trust."""
    home = FreshHome(program)
    (home.folder / "fuselab.toml").write_text(CASES, encoding="utf-8")
    if baseline is not None:
        shutil.copy(baseline, home.folder / "fuselab.baseline")
    if key is not None:
        home.run("trust", "add", key)
    return home


def checked(home, *options):
    finished = home.run("check", "--baseline", "fuselab.baseline", "--json", *options)
    try:
        return finished, json.loads(finished.stdout)["cases"][0]
    except (ValueError, KeyError, IndexError):
        return finished, {"state": finished.stdout + finished.stderr, "reason": ""}


def main():
    if not processor_has("avx2", "fma", "bmi2", "f16c"):
        print(f"SKIPPED: this processor is none of {LEAST}")
        return 77
    program = sys.argv[1]
    main_branch = clone(program)
    saved = [main_branch.run("baseline", "save", "own.baseline"), main_branch.run("baseline", "save", "least.baseline", "--target", LEAST)]
    key = json.loads(main_branch.run("trust", "list", "--json").stdout)["own_key"]
    own, least = main_branch.folder / "own.baseline", main_branch.folder / "least.baseline"

    portable, said = checked(clone(program, least, key), "--target", LEAST)
    lowered, told = checked(clone(program, own, key), "--target", LEAST)
    stranger, unknown = checked(clone(program, least), "--target", LEAST)
    nothing, absent = checked(clone(program, None, key), "--target", LEAST)
    people = clone(program, own, key).run("check", "--baseline", "fuselab.baseline", "--target", LEAST)

    found = {
        "both baselines are saved": all(each.returncode == 0 for each in saved),
        f"saved for {LEAST} and checked for it it is the same": portable.returncode == 0 and said["state"] == "same",
        "a stranger's file is no baseline": stranger.returncode == 5 and "whom you do not trust" in unknown["reason"],
        "no file is no baseline": nothing.returncode == 5 and "is not there" in absent["reason"],
    }
    if processor_has("avx512f", "avx512bw", "avx512vl"):
        found["text for wider vectors is no baseline"] = lowered.returncode == 5 and "would be slow here for that alone" in told["reason"]
        found["people are told in one line"] = sum("would be slow here" in line for line in people.stdout.splitlines()) == 1
    else:
        found["the same text is compiled anew where it must be"] = lowered.returncode == 0 and told["state"] == "same"
        found["people are told the same"] = people.returncode == 0 and "same" in people.stdout
    failed = [name for name, held in found.items() if not held]
    for name in failed:
        print(f"FAILED: {name}")
    if failed:
        print(saved, portable, lowered, stranger, nothing, people, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
