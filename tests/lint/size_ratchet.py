#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Headers ≤ 200 lines, sources ≤ 400, nothing > 600. size_ratchet.txt lists today's exceptions; they may only shrink."""
import pathlib
import sys

root = pathlib.Path(__file__).parents[2]
ratchet_file = pathlib.Path(__file__).with_name("size_ratchet.txt")
allowed = {}
for line in ratchet_file.read_text().splitlines():
    if line and not line.startswith("#"):
        lines, path = line.split(None, 1)
        allowed[path] = int(lines)

failures, stale = [], dict(allowed)
for top in ["core", "backends", "tuner", "profiler", "db", "app", "tests"]:
    for path in sorted((root / top).rglob("*")):
        if path.suffix not in {".h", ".cpp", ".py", ".sh"} or "golden" in path.parts:
            continue
        name = str(path.relative_to(root))
        lines = len(path.read_text(encoding="utf-8").splitlines())
        limit = 200 if path.suffix == ".h" else 400
        if lines <= limit:
            continue
        stale.pop(name, None)
        if lines > min(allowed.get(name, limit), 600):
            failures.append(f"{name}: {lines} lines, at most {min(allowed.get(name, limit), 600)}: give the second idea a file of its own")
failures += [f"{name}: is within its limit now; take it out of size_ratchet.txt" for name in stale]
print("\n".join(failures) if failures else "sizes hold")
sys.exit(1 if failures else 0)
