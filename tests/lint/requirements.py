#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""requirements.py BUILD_DIR [JUNIT [DOCUMENT]]: the numbers of the source documents each have a row in resources/docs/requirements.md,
and every test that a row names was run, passed and was not skipped. JUNIT is what a whole `ctest --output-junit` wrote; without it the
tests only have to exist, so that a renamed one is found before all of them have run.

A row is "| R12 | what | `unit.Suite.Test` `conformance.Suite.Test/*` |" (every parameter of a suite: `/*`) or
"| R12 | what | not covered: why |", with "needs a device" or "decided otherwise" in its place.
`bench.name` is a benchmark of engine_bench: it must exist; its limits are checked where it is run, never here.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
from xml.etree import ElementTree

KINDS = "unit|conformance|golden|differential|replay|faults|gui|device|lint|bench"
# The numbers of the source documents and of their companion specifications: none may go unseen.
LAST = {"R": 206, "C": 35}
WITHOUT_A_TEST = "not covered|needs a device|decided otherwise"
SKIPPED, FAILED = "was skipped here", "did not pass"
REQUIRED = [f"{letter}{number}" for letter, last in LAST.items() for number in range(1, last + 1)]


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
        if not names and not re.fullmatch(rf"(?:{WITHOUT_A_TEST}): .{{10,}}", proof):
            failures.append(f"{number}: names no test and does not say why there is none")
        uncovered += [] if names else [number]
        rows[number] = names
    failures += [f"{number}: no row" for number in REQUIRED if number not in rows]
    failures += [f"{number}: no such requirement" for number in rows if number not in REQUIRED]
    return rows, uncovered, failures


def benchmarks(build):
    program = build / "bin/engine_bench"
    if not program.exists():
        return []
    return subprocess.run([program, "--benchmark_list_tests=true"], capture_output=True, text=True, check=True).stdout.split("\n")


def outcome_of(case):
    """What is wrong with a test case of ctest's report; nothing when it passed."""
    if case.get("status") == "run":
        return ""
    return SKIPPED if case.find("skipped") is not None and case.get("status") == "notrun" else FAILED


def registered(build):
    """Every test that the build knows, as if it had passed."""
    told = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    return {test["name"]: "" for test in json.loads(told)["tests"]}


def reported(report):
    """What is wrong with each test of ctest's report; nothing when it passed."""
    return {case.get("name"): outcome_of(case) for case in ElementTree.parse(report).iter("testcase")}


def verdicts(names, outcomes, known):
    """What is wrong with each named test; nothing when it passed."""
    wrong = {}
    for name in names:
        if name.startswith("bench."):
            exists = any(b == name[6:] or (name.endswith("/*") and b.startswith(name[6:-1])) for b in known)
            wrong[name] = "" if exists else "no such benchmark"
            continue
        members = [test for test in outcomes if test == name or (name.endswith("/*") and test.startswith(name[:-1]))]
        wrong[name] = next((outcomes[test] for test in members if outcomes[test]), "") if members else "no such test"
    return wrong


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    default = pathlib.Path(__file__).parents[2] / "resources/docs/requirements.md"
    document = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else default
    outcomes = reported(sys.argv[2]) if len(sys.argv) > 2 else registered(build)
    rows, uncovered, failures = read_rows(document.read_text(encoding="utf-8"))
    numbers = collections.defaultdict(list)
    for number, names in rows.items():
        for name in names:
            numbers[name].append(number)
    found = verdicts(sorted(numbers), outcomes, benchmarks(build))
    failures += [f"{', '.join(numbers[name])}: {name}: {wrong}" for name, wrong in found.items() if wrong]
    proved = "are proved by" if len(sys.argv) > 2 else "name"
    told = f"{len(rows) - len(uncovered)} requirements {proved} {len(numbers)} tests; without one: {', '.join(uncovered) or 'none'}"
    print("\n".join(failures) if failures else told)
    return 1 if failures else 0


sys.exit(main())
