#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""build_options.py CMAKE GENERATOR: every driven backend is one build option, any number of them at once; each defines its macro,
a settings file sets them like the command line, with none of them configuring ends with what to do, and the conformance suite is
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


with tempfile.TemporaryDirectory() as scratch:
    build, other = pathlib.Path(scratch) / "build", pathlib.Path(scratch) / "other"
    expect_macros({"CPU", "CUDA", "NULL", "ONEDNN", "OPENCL"}, build)
    expect_macros({"CPU", "CUDA", "ONEDNN", "OPENCL"}, build, "-DFUSELAB_BACKEND_NULL=OFF")
    expect_macros({"NULL"}, build, "-DFUSELAB_BACKEND_CPU=OFF", "-DFUSELAB_BACKEND_CUDA=OFF", "-DFUSELAB_BACKEND_OPENCL=OFF",
                  "-DFUSELAB_BACKEND_ONEDNN=OFF", "-DFUSELAB_BACKEND_NULL=ON")
    finished = configure(build, "-DFUSELAB_BACKEND_CPU=OFF", "-DFUSELAB_BACKEND_CUDA=OFF", "-DFUSELAB_BACKEND_NULL=OFF")
    if finished.returncode == 0 or "At least one backend must be enabled" not in finished.stderr:
        failures.append("without any backend configuring does not say that at least one must be enabled")
    settings = pathlib.Path(scratch) / "settings.cmake"
    settings.write_text('set(FUSELAB_BACKEND_CPU ON CACHE BOOL "")\nset(FUSELAB_BACKEND_CUDA OFF CACHE BOOL "")\n'
                        'set(FUSELAB_BACKEND_NULL OFF CACHE BOOL "")\nset(FUSELAB_BACKEND_OPENCL OFF CACHE BOOL "")\n'
                        'set(FUSELAB_BACKEND_ONEDNN OFF CACHE BOOL "")\n', encoding="utf-8")
    expect_macros({"CPU"}, other, "-C", settings)
    expect_conformance_without("opencl", pathlib.Path(scratch) / "tests", "-DFUSELAB_BACKEND_OPENCL=OFF")

print("\n".join(failures) if failures else "every driven backend is an option with its macro")
sys.exit(1 if failures else 0)
