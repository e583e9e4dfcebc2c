#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""build_options.py CMAKE GENERATOR: every folder of a backend is one build option, any number of them at once; each defines its
macro, a settings file sets them like the command line, with none of them configuring ends with what to do, and the conformance suite is
of those that are on. Builds nothing."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).parents[2]
cmake, generator = sys.argv[1:]
failures = []


def configure(folder, *options):
    parts = ["-DFUSELAB_TESTS=OFF", "-DFUSELAB_GUI=OFF", "-DFUSELAB_IMPORT=OFF"]
    return subprocess.run([cmake, "-G", generator, "-S", root, "-B", folder, *parts, *options], capture_output=True, text=True)


def expect_macros(wanted, folder, *options):
    finished = configure(folder, *options)
    if finished.returncode != 0:
        failures.append(f"{options}: configuring fails: {finished.stderr.strip()}")
        return
    commands = json.loads((pathlib.Path(folder) / "compile_commands.json").read_text(encoding="utf-8"))
    command = next(entry["command"] for entry in commands if entry["file"].endswith("backends/builtin_backends.cpp"))
    found = set(re.findall(r"-DFUSELAB_BACKEND_(\w+)_ENABLED\b", command))
    if found != wanted:
        failures.append(f"{options}: the macros of {sorted(found)} are defined, not those of {sorted(wanted)}")


def expect_conformance_without(left_out, folder, *options):
    finished = configure(folder, "-DFUSELAB_TESTS=ON", *options)
    if finished.returncode != 0:
        failures.append(f"{options} with tests: configuring fails: {finished.stderr.strip()}")
        return
    commands = json.loads((pathlib.Path(folder) / "compile_commands.json").read_text(encoding="utf-8"))
    files = {entry["file"].split("/tests/conformance/")[-1] for entry in commands if "/tests/conformance/" in entry["file"]}
    backends = {name for name in files if name.startswith("backends/")}
    if "operators_test.cpp" not in files or not backends or f"backends/{left_out}.cpp" in files:
        failures.append(f"{options}: the conformance suite is {sorted(files)}")


def switched(value, names):
    return [f"-DFUSELAB_BACKEND_{name}={value}" for name in sorted(names)]


# A backend's folder holds its face; what backends share is no backend.
driven = {face.parent.name.upper() for face in (root / "backends").glob("*/*_backend.h") if face.stem == f"{face.parent.name}_backend"}
driven -= {name.upper() for name in re.search(r"set\(shared ([\w ]+)\)", (root / "backends/CMakeLists.txt").read_text(encoding="utf-8")).group(1).split()}
with tempfile.TemporaryDirectory() as scratch:
    build, other = pathlib.Path(scratch) / "build", pathlib.Path(scratch) / "other"
    expect_macros(driven, build)
    expect_macros(driven - {"NULL"}, build, "-DFUSELAB_BACKEND_NULL=OFF")
    expect_macros({"NULL"}, build, *switched("OFF", driven - {"NULL"}), "-DFUSELAB_BACKEND_NULL=ON")
    finished = configure(build, "-DFUSELAB_BACKEND_NULL=OFF")
    if finished.returncode == 0 or not all(text in finished.stderr for text in ["At least one backend must be enabled", *switched("ON", driven)]):
        failures.append("without any backend configuring does not say which one must be enabled")
    settings = pathlib.Path(scratch) / "settings.cmake"
    settings.write_text("".join(f'set(FUSELAB_BACKEND_{name} {"ON" if name == "CPU" else "OFF"} CACHE BOOL "")\n' for name in driven),
                        encoding="utf-8")
    expect_macros({"CPU"}, other, "-C", settings)
    expect_conformance_without("opencl", pathlib.Path(scratch) / "tests", "-DFUSELAB_BACKEND_OPENCL=OFF")

print("\n".join(failures) if failures else "every driven backend is an option with its macro")
sys.exit(1 if failures else 0)
