#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""devices_test.py PROGRAM FAKE_DRIVER FAKE_NVRTC: what `fuselab devices` says of CUDA on machines without a driver, with an old one, with
one that crashes or hangs when it starts, and with a device. The machines are the fake libraries' behaviour."""
import shutil
import sys

from fresh_home import FreshHome

program, driver, nvrtc = sys.argv[1:]
home = FreshHome(program)
NO_COMPILER = {"FUSELAB_LIB_NVRTC": "/nonexistent/libnvrtc.so.12"}
BOTH = {"FUSELAB_LIB_CUDA": driver, "FUSELAB_LIB_NVRTC": nvrtc}
REACHED = "    sm_80, sm_90, sm_120: generated, compiled by nvrtc 12.9; no such device here"
CASES = [
    ("no driver", {"FUSELAB_LIB_CUDA": "/nonexistent/libcuda.so.1", **NO_COMPILER},
     ["✗ NVIDIA CUDA: no NVIDIA driver here: FUSELAB_LIB_CUDA: /nonexistent/libcuda.so.1 not found", "✗ AMD"]),
    ("no driver, but a compiler", {"FUSELAB_LIB_CUDA": "/nonexistent/libcuda.so.1", "FUSELAB_LIB_NVRTC": nvrtc},
     ["✗ NVIDIA CUDA: no NVIDIA driver here: FUSELAB_LIB_CUDA: /nonexistent/libcuda.so.1 not found", REACHED]),
    ("an old driver", {**BOTH, **NO_COMPILER, "FUSELAB_FAKE_CUDA": "version=11040"},
     ["✗ NVIDIA CUDA: the NVIDIA driver is too old: it supports CUDA 11.4, 12.0 is needed", "✗ AMD"]),
    ("a driver that crashes", {**BOTH, "FUSELAB_FAKE_CUDA": "init=crash"}, ["✗ cuda: probing it failed: worker (probe", "was killed by signal 6"]),
    ("a compiler that crashes", {**BOTH, "FUSELAB_FAKE_NVRTC": "crash"}, ["✗ cuda: probing it failed: worker (probe", "was killed by signal 6"]),
    ("a device", BOTH, ["✓ NVIDIA CUDA", "    [0] Fake H200: 153.5 GB", "Recommended backend: NVIDIA CUDA"]),
]

failures = []
for name, variables, wanted in CASES:
    finished = home.run("devices", **variables)
    if finished.returncode != 0:
        failures.append(f"{name}: ends with {finished.returncode}: {finished.stderr}")
    failures += [f"{name}: does not say '{line}':\n{finished.stdout}" for line in wanted if line not in finished.stdout]
print("\n".join(failures) if failures else f"{len(CASES)} machines, each with its reason")
shutil.rmtree(home.folder)
sys.exit(1 if failures else 0)
