#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test source is named in the CMakeLists.txt beside it (or above it): a test that is not built asserts nothing."""
import pathlib
import sys

tests = pathlib.Path(__file__).parents[1]
missing = []
for path in sorted([*tests.rglob("*_test.cpp"), *tests.rglob("*_test.py")]):
    folder, listed = path.parent, False
    while folder != tests.parent and not listed:
        cmake = folder / "CMakeLists.txt"
        listed = cmake.exists() and str(path.relative_to(folder)) in cmake.read_text()
        folder = folder.parent
    if not listed:
        missing.append(f"{path.relative_to(tests.parent)} is in no CMakeLists.txt")
print("\n".join(missing) if missing else "all test files are listed")
sys.exit(1 if missing else 0)
