#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""requirements.py BUILD_DIR: every test that resources/docs/requirements.md names exists, runs, passes and is not skipped.

A row is "| R12 | what | `unit.Suite.Test` `conformance.Suite.Test` |"; tests named in backticks with a known kind before the first dot count.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

KINDS = "unit|conformance|golden|differential|replay|faults|gui|device|lint"
root = pathlib.Path(__file__).parents[2]
build = pathlib.Path(sys.argv[1])
document = (root / "resources/docs/requirements.md").read_text(encoding="utf-8")

wanted = collections.defaultdict(list)
failures = []
rows = 0
for line in document.splitlines():
    row = re.match(r"\|\s*([RC]\d+)\s*\|", line)
    if not row:
        continue
    rows += 1
    names = re.findall(rf"`((?:{KINDS})\.[^`]+)`", line)
    if not names:
        failures.append(f"{row.group(1)}: names no test")
    for name in names:
        wanted[name].append(row.group(1))

listing = json.loads(subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout)
commands = {test["name"]: test.get("command") for test in listing["tests"]}

by_program = collections.defaultdict(list)
for name, numbers in wanted.items():
    command = commands.get(name)
    if not command:
        failures.append(f"{', '.join(numbers)}: no test is called {name}")
    elif any(part.startswith("--gtest_filter=") for part in command):
        case = next(part for part in command if part.startswith("--gtest_filter=")).split("=", 1)[1]
        by_program[command[0]].append((name, case))

for program, cases in by_program.items():
    output = subprocess.run([program, "--gtest_filter=" + ":".join(case for _, case in cases)], capture_output=True, text=True).stdout
    for name, case in cases:
        if f"[  SKIPPED ] {case}" in output:
            failures.append(f"{', '.join(wanted[name])}: {name} was skipped here")
        elif f"[       OK ] {case}" not in output:
            failures.append(f"{', '.join(wanted[name])}: {name} did not pass")

print("\n".join(failures) if failures else f"{rows} requirements are proved by {len(wanted)} tests")
sys.exit(1 if failures or rows == 0 else 0)
