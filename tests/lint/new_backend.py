#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""new_backend.py CMAKE GENERATOR: the recipe of backends/null/README.md, run line by line in a copy of the tree, adds a backend: its
folder and one row, which the conformance suite passes. Builds that suite, so it is for a full run; 77 says why it was skipped."""
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).parents[2]
cmake, generator = sys.argv[1:]
PARTS = ["CMakeLists.txt", "LICENSE", "README.md", "app", "backends", "core", "db", "profiler", "resources", "tests", "tuner"]


def run(command, folder, environment=None):
    finished = subprocess.run(command, cwd=folder, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    if finished.returncode != 0:
        sys.exit(f"{command} fails:\n{finished.stdout[-8000:]}")
    return finished.stdout


def changes(before, after, where=""):
    """What was added to or changed in a folder, as paths; a new folder is one of them."""
    compared = filecmp.dircmp(before, after, ignore=["__pycache__"])
    found = [where + name for name in compared.right_only + compared.left_only + compared.diff_files]
    for name in compared.common_dirs:
        found += changes(before / name, after / name, f"{where}{name}/")
    return found


def options(tree):
    """All but the copy are left out, and null, which the tests of the core build upon."""
    names = {face.parent.name.upper() for face in (tree / "backends").glob("*/*_backend.h")} - {"ABC", "DECLARED", "NULL"}
    return [f"-DFUSELAB_BACKEND_{name}=OFF" for name in sorted(names)]


if os.environ.get("FUSELAB_TEST_FULL") != "1":
    print("it builds the conformance suite of a copy; ./test --full runs it")
    sys.exit(77)
recipe = re.search(r"```sh\n(id=abc .*?)```", (root / "backends/null/README.md").read_text(encoding="utf-8"), re.DOTALL)
if not recipe:
    sys.exit("backends/null/README.md holds no recipe that begins with id=abc")
with tempfile.TemporaryDirectory() as scratch:
    tree, build = pathlib.Path(scratch) / "tree", pathlib.Path(scratch) / "build"
    tree.mkdir()
    for part in PARTS:
        copy = shutil.copytree if (root / part).is_dir() else shutil.copy2
        copy(root / part, tree / part)
    run(["bash", "-euc", recipe.group(1)], tree)
    touched = sorted(path for part in PARTS if (root / part).is_dir() for path in changes(root / part, tree / part, part + "/"))
    if touched != ["backends/abc", "backends/systems.cpp"]:
        sys.exit(f"the recipe touches more than its folder and one row: {touched}")
    run([cmake, "-G", generator, "-S", tree, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON", "-DFUSELAB_TESTS=ON",
         "-DFUSELAB_GUI=OFF", "-DFUSELAB_IMPORT=OFF", *options(tree)], tree)
    run([cmake, "--build", build, "--target", "conformance_backends_tests"], tree)
    # The synthetic devices take every operator in an ordinary run already.
    output = run([build / "bin/conformance_backends_tests", "--gtest_filter=*abc*"], tree, {"FUSELAB_TEST_FULL": "0"})
passed = len(re.findall(r"^\[       OK \] .*abc", output, re.MULTILINE))
if passed < 20:
    sys.exit(f"only {passed} cases of the copy passed:\n{output[-8000:]}")
print(f"{passed} conformance cases of a copy of null pass; touched: {', '.join(touched)}")
