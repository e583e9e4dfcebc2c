#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""devices_test.py PROGRAM FAKE_DRIVER FAKE_NVRTC MACHINES: what `fuselab devices` says of CUDA on machines without a driver, with an old one, with
one that crashes or hangs when it starts, and with a device. The machines are the fake libraries' behaviour;
those of the folder MACHINES were dumped with `fuselab devices --json`, and are told of as they were then."""
import json
import pathlib
import shutil
import sys

from fresh_home import FreshHome

program, driver, nvrtc, machines = sys.argv[1:]
home = FreshHome(program)
NO_COMPILER = {"FUSELAB_LIB_NVRTC": "/nonexistent/libnvrtc.so.12"}
BOTH = {"FUSELAB_LIB_CUDA": driver, "FUSELAB_LIB_NVRTC": nvrtc}
REACHED = "    sm_80, sm_90, sm_90a, sm_120: generated, compiled by nvrtc 12.9; no such device here"
CASES = [
    ("no driver", {"FUSELAB_LIB_CUDA": "/nonexistent/libcuda.so.1", **NO_COMPILER},
     ["✗ NVIDIA CUDA: no NVIDIA driver here: FUSELAB_LIB_CUDA: /nonexistent/libcuda.so.1 not found", "✗ AMD"]),
    ("no driver, but a compiler", {"FUSELAB_LIB_CUDA": "/nonexistent/libcuda.so.1", "FUSELAB_LIB_NVRTC": nvrtc},
     ["✗ NVIDIA CUDA: no NVIDIA driver here: FUSELAB_LIB_CUDA: /nonexistent/libcuda.so.1 not found", REACHED]),
    ("an old driver", {**BOTH, **NO_COMPILER, "FUSELAB_FAKE_CUDA": "version=11040"},
     ["✗ NVIDIA CUDA: the NVIDIA driver is too old: it supports CUDA 11.4, 12.0 is needed", "✗ AMD"]),
    ("a driver that crashes", {**BOTH, "FUSELAB_FAKE_CUDA": "init=crash"}, ["✗ cuda: probing it failed: worker (probe", "was killed by signal 6"]),
    ("a compiler that crashes", {**BOTH, "FUSELAB_FAKE_NVRTC": "crash"}, ["✗ cuda: probing it failed: worker (probe", "was killed by signal 6"]),
    ("a device beside one that does not answer", {**BOTH, "FUSELAB_FAKE_CUDA": "devices=2,unwell=0"},
     ["✓ NVIDIA CUDA: cuda:0 is left out: it does not answer (cuDeviceGet): CUDA_ERROR_DEVICE_UNAVAILABLE (46)", "    [1] Fake H200: 153.5 GB"]),
    ("a device whose launches are watched", {**BOTH, "CUDA_INJECTION64_PATH": "/nonexistent/tool.so"},
     ["✓ NVIDIA CUDA: CUDA_INJECTION64_PATH is set, which may make launches wait for their kernels", "    [0] Fake H200: 153.5 GB"]),
    ("a compiler that is newer than the driver", {**BOTH, "FUSELAB_FAKE_CUDA": "version=12020"},
     ["✓ NVIDIA CUDA: NVRTC 12.9 is newer than the driver's CUDA 12.2: its cubins load all the same, its PTX would not"]),
    ("a device", BOTH, ["✓ NVIDIA CUDA", "    [0] Fake H200: 153.5 GB", "Recommended backend: NVIDIA CUDA"]),
]

failures = []
for name, variables, wanted in CASES:
    finished = home.run("devices", **variables)
    if finished.returncode != 0:
        failures.append(f"{name}: ends with {finished.returncode}: {finished.stderr}")
    failures += [f"{name}: does not say '{line}':\n{finished.stdout}" for line in wanted if line not in finished.stdout]

# A worker that died is exit 3, with its reason; a driver that is not here is 6.
for name, variables, code, reason in (("a driver that crashes", {**BOTH, "FUSELAB_FAKE_CUDA": "init=crash"}, 3, "was killed by signal 6"),
                                      ("no driver", {"FUSELAB_LIB_CUDA": "/nonexistent/libcuda.so.1", **NO_COMPILER}, 6, "not found")):
    for words in (["bench", "w3", "--shape", "rows=8,cols=16", "--device", "cuda"], ["default", "set", "cuda"]):
        finished = home.run(*words, **variables)
        if finished.returncode != code or reason not in finished.stderr:
            failures.append(f"{name}: {words[0]} ends with {finished.returncode}, {code} is right: {finished.stderr}")


def cuda_of(document):
    return next(each for each in document["backends"] if each["id"] == "cuda")


def same(path, dumped, told):
    """What the dump has and is told otherwise now; a member that has joined since is no difference, what is free varies."""
    if isinstance(dumped, dict) and isinstance(told, dict):
        return [found for key, value in dumped.items() if key != "free_memory_bytes" for found in same(f"{path}.{key}", value, told.get(key))]
    return [] if dumped == told else [f"{path}: {dumped!r} in the dump, {told!r} now"]


dumps = sorted(pathlib.Path(machines).glob("*.json"))
for dump in dumps:
    finished = home.run("devices", "--json", **{**BOTH, "FUSELAB_FAKE_CUDA": f"machine={dump}"})
    dumped, told = cuda_of(json.loads(dump.read_text(encoding="utf-8"))), cuda_of(json.loads(finished.stdout))
    if not dumped["devices"]:
        failures.append(f"{dump.name}: has no CUDA device, so it tests nothing: {dumped['reason']}")
    if len(dumped["devices"]) != len(told["devices"]) or not told["usable"]:
        failures.append(f"{dump.name}: {len(told['devices'])} of {len(dumped['devices'])} devices: {told['reason']}")
    for ours, theirs in zip(dumped["devices"], told["devices"]):
        failures += [f"{dump.name}: {ours['id']}{found}" for found in same("", ours, theirs)]
print("\n".join(failures) if failures else f"{len(CASES)} machines, each with its reason; {len(dumps)} dumps, told as they were")
shutil.rmtree(home.folder)
sys.exit(1 if failures else 0)
