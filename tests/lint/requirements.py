#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""requirements.py BUILD_DIR [DOCUMENT]: the numbers that this version promises each have a row in resources/docs/requirements.md, and
every test that a row names exists, runs, passes and is not skipped.

A row is "| R12 | what | `unit.Suite.Test` `conformance.Suite.Test/*` |" (every parameter of a suite: `/*`) or "| R12 | what | not covered: why |".
`bench.name` is a benchmark of engine_bench: it must exist; its limits are checked where it is run, never here.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

KINDS = "unit|conformance|golden|differential|replay|faults|gui|device|lint|bench"
# Every number that was ever promised: a row may come and its number with it, but none may go unseen.
PROMISED = {
    "R": "1-2 4 6-7 9-10 12-14 16-26 33 35-37 49 58 65-71 74 79-86 89 94-99 101-102 114-126 131 133 138 147-148 152-153 155-157 "
         "164 167-192 195 204",
    "C": "1 5 9-29",
}
SKIPPED, FAILED = "was skipped here", "did not pass"


def numbers_of(letter, ranges):
    for entry in ranges.split():
        first, _, last = entry.partition("-")
        yield from (f"{letter}{number}" for number in range(int(first), int(last or first) + 1))


REQUIRED = [number for letter, ranges in PROMISED.items() for number in numbers_of(letter, ranges)]


def read_rows(text):
    """The tests that each row names, and what is wrong with the rows themselves."""
    rows, uncovered, failures = {}, [], []
    for line in text.splitlines():
        row = re.match(r"\|\s*([RC]\d+)\s*\|[^|]*\|\s*(.*?)\s*\|$", line)
        if not row:
            continue
        number, proof = row.groups()
        names = re.findall(rf"`((?:{KINDS})\.[^`]+)`", proof)
        if number in rows:
            failures.append(f"{number}: has two rows")
        if not names and not re.fullmatch(r"not covered: .{10,}", proof):
            failures.append(f"{number}: names no test and does not say why it is not covered")
        uncovered += [] if names else [number]
        rows[number] = names
    failures += [f"{number}: no row; it must hold in this version" for number in REQUIRED if number not in rows]
    failures += [f"{number}: a new row; add it to PROMISED in tests/lint/requirements.py" for number in rows if number not in REQUIRED]
    return rows, uncovered, failures


def properties_of(test):
    return {entry["name"]: entry["value"] for entry in test.get("properties", [])}


def environment_of(test):
    return {**os.environ, **dict(pair.split("=", 1) for pair in properties_of(test).get("ENVIRONMENT", []) if pair)}


def run_cases(tests):
    """Runs the GoogleTest cases of one program together: what is wrong with each, by test name."""
    cases = {test["name"]: test["case"] for test in tests}
    command = [tests[0]["command"][0], "--gtest_filter=" + ":".join(cases.values())]
    lines = subprocess.run(command, capture_output=True, text=True, env=environment_of(tests[0])).stdout.splitlines()
    ended = {re.sub(r"( \(\d+ ms\)|, where .*)$", "", line[13:]): line[:12] for line in lines if line.startswith("[  ")}
    wrong = {"[       OK ]": "", "[  SKIPPED ]": SKIPPED}
    return {name: wrong.get(ended.get(case), FAILED) for name, case in cases.items()}


def run_script(test):
    properties = properties_of(test)
    code = subprocess.run(test["command"], capture_output=True, env=environment_of(test),
                          cwd=properties.get("WORKING_DIRECTORY")).returncode
    return "" if code == 0 else SKIPPED if code == properties.get("SKIP_RETURN_CODE") else FAILED


def benchmarks(build):
    program = build / "bin/engine_bench"
    if not program.exists():
        return []
    return subprocess.run([program, "--benchmark_list_tests=true"], capture_output=True, text=True, check=True).stdout.split("\n")


def tests_of(build):
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    tests = {test["name"]: test for test in json.loads(listing)["tests"] if test.get("command")}
    for test in tests.values():
        test["case"] = next((part[15:] for part in test["command"] if part.startswith("--gtest_filter=")), None)
    return tests


def verdicts(names, build):
    """What is wrong with each named test; nothing when it passed."""
    tests, known = tests_of(build), benchmarks(build)
    wrong, programs, members = {}, collections.defaultdict(dict), {}
    for name in names:
        wanted = [t for t in tests if t.startswith(name[:-1])] if name.endswith("/*") else [name] if name in tests else []
        members[name] = wanted
        if name.startswith("bench."):
            wanted_benchmark = [b for b in known if b == name[6:] or (name.endswith("/*") and b.startswith(name[6:-1]))]
            wrong[name] = "" if wanted_benchmark else "no such benchmark"
        elif not wanted or name == "lint.requirements":
            wrong[name] = "no such test"
        for test in wanted:
            if tests[test]["case"]:
                programs[tests[test]["command"][0]][test] = tests[test]
            elif name not in wrong:
                wrong[name] = run_script(tests[test])
    ended = {}
    for of_program in programs.values():
        ended.update(run_cases(list(of_program.values())))
    for name in names:
        if name not in wrong:
            wrong[name] = next((ended[test] for test in members[name] if ended[test]), "")
    return {name: wrong[name] for name in names}


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    default = pathlib.Path(__file__).parents[2] / "resources/docs/requirements.md"
    document = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else default
    rows, uncovered, failures = read_rows(document.read_text(encoding="utf-8"))
    numbers = collections.defaultdict(list)
    for number, names in rows.items():
        for name in names:
            numbers[name].append(number)
    failures += [f"{', '.join(numbers[name])}: {name}: {wrong}" for name, wrong in verdicts(sorted(numbers), build).items() if wrong]
    told = f"{len(rows) - len(uncovered)} requirements are proved by {len(numbers)} tests; not covered: {', '.join(uncovered) or 'none'}"
    print("\n".join(failures) if failures else told)
    return 1 if failures else 0


sys.exit(main())
