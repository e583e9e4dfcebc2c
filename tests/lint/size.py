#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No file has more than 500 lines: a second idea gets a file of its own. No folder holds more than 28 files."""
import collections
import pathlib
import sys

root = pathlib.Path(__file__).parents[2]
files = [path for top in ["core", "backends", "tuner", "profiler", "db", "app", "tests"] for path in sorted((root / top).rglob("*"))
         if path.suffix in {".h", ".cpp", ".inc", ".py", ".sh"}]
sizes = {path.relative_to(root): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
failures = [f"{path}: {lines} lines, at most 500" for path, lines in sizes.items() if lines > 500]
folders = collections.Counter(path.parent for top in ["core", "backends", "tuner", "profiler", "db", "app", "tests", "resources"]
                              for path in (root / top).rglob("*") if path.is_file() and path.suffix not in {".pyc", ".actual"})
failures += [f"{folder.relative_to(root)}: {count} files, at most 28" for folder, count in folders.items() if count > 28]
print("\n".join(failures) if failures else f"{len(sizes)} files have at most 500 lines, {len(folders)} folders at most 28 files")
sys.exit(1 if failures or not sizes else 0)
