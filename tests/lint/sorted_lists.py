#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists of sources, files and dependencies are sorted: variables first, the project's own targets before the others, each in the
order of the alphabet.

sorted_lists.py [--write]   --write sorts them in place"""
import pathlib
import re
import sys

WIDTH = 132
LIST = re.compile(r"\b(SOURCES|DEPENDS|PRIVATE_DEPENDS|FILES)((?:\s+(?![A-Z_]+\s)[\w:./${}-]+)+)")


def place(entry):
    return not entry.endswith("}"), not entry.startswith("fuselab"), entry.lower()


def sorted_list(match):
    entries = match[2].split()
    if entries == sorted(entries, key=place):
        return match[0]
    column = match.start() - (match.string.rfind("\n", 0, match.start()) + 1)
    lines = [match[1]]
    for entry in sorted(entries, key=place):
        if (column if len(lines) == 1 else 0) + len(lines[-1]) + 1 + len(entry) > WIDTH:
            lines.append(" " * (column + len(match[1])))
        lines[-1] += " " + entry
    return "\n".join(lines)


root = pathlib.Path(__file__).parents[2]
tops = ["core", "backends", "tuner", "profiler", "db", "app", "tests"]
paths = [path for top in tops for path in sorted((root / top).rglob("CMakeLists.txt"))]
failures = []
for path in paths:
    text = path.read_text(encoding="utf-8")
    ordered = LIST.sub(sorted_list, text)
    if ordered != text and sys.argv[1:] == ["--write"]:
        path.write_text(ordered, encoding="utf-8")
    elif ordered != text:
        failures.append(f"{path.relative_to(root)}: a list is not sorted; tests/lint/sorted_lists.py --write does it")
print("\n".join(failures) if failures else f"the lists of {len(paths)} files are sorted")
sys.exit(1 if failures or not paths else 0)
