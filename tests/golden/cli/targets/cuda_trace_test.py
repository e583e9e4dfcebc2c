#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cuda_trace_test.py PROGRAM FAKE_DRIVER FAKE_NVRTC FAKE_CUPTI FAKE_RUNNER: a CUDA device over time, from the worker to the document, on
libraries that look like NVIDIA's: spans joined to their launches, a series, samples; another profiler, a crash and lost records."""
import json
import pathlib
import shutil
import sys

from fresh_home import FreshHome

program, driver, nvrtc, cupti, runner = sys.argv[1:]
home = FreshHome(pathlib.Path(program))
FAKES = {"FUSELAB_LIB_CUDA": driver, "FUSELAB_LIB_NVRTC": nvrtc, "FUSELAB_LIB_CUPTI": cupti, "FUSELAB_FAKE_CUDA_RUNNER": runner}
WORDS = ["profile", "w3", "--shape", "rows=16,cols=64", "--device", "cuda:0", "--again", "--json"]
PARTS = ["device_trace", "device_series", "device_samples"]
failures = []


def check(holds, what):
    if not holds:
        failures.append(f"does not hold: {what}")


def profiled(trouble):
    finished = home.run(*WORDS, FAKE_CUPTI=trouble, **FAKES)
    document = json.loads(finished.stdout)
    check("profiles" in document, f"{trouble}: {finished.stdout[:300]} {finished.stderr[-300:]}")
    return document["profiles"][0] if "profiles" in document else {part: {} for part in ["counters", *PARTS]}


profile = profiled("lost")
spans = profile["device_trace"].get("spans", [])
kernels = [(span["run"], span["step"]) for span in spans if span["kind"] == "kernel"]
check(kernels == [(0, 0), (1, 0), (2, 0)], f"each kernel is joined to its run and step: {kernels}")
check({"launch", "memset", "copy", "overhead"} <= {span["kind"] for span in spans}, f"other records are spans, too: {spans[:3]}")
check(profile["device_trace"].get("dropped") == 5, f"what was dropped is counted: {profile['device_trace'].get('dropped')}")
check(profile["device_trace"].get("profiler") == "CUPTI 13.0.1, activity records", "the profiler is named")
rows = profile["device_series"].get("rows", [])
check(len(rows) == 5 and all(len(row["values"]) == 10 for row in rows), f"counters over time: {rows[:1]}")
check(profile["device_series"].get("overflowed") is True, "a full buffer is said")
places = profile["device_samples"].get("places", [])
check(len(places) == 2 and places[0]["stalls"][0]["stall"] == "long_scoreboard", f"places: {places}")
check(profile["device_samples"].get("dropped", 0) > 0, "dropped samples are counted")

profile = profiled("attached")
check("another profiler is attached, Nsight Systems" in profile["device_trace"].get("why_not", ""), f"the other profiler is named: {profile['device_trace']}")
check(len(profile["device_series"].get("rows", [])) == 5, "the other parts are there")
profile = profiled("crash")
check("SIGSEGV" in profile["device_trace"].get("why_not", ""), f"a crash is a reason: {profile['device_trace']}")
check(len(profile["device_samples"].get("places", [])) == 2, "a crash takes no other part along")
shutil.rmtree(home.folder)
print("\n".join(failures) if failures else "as it should be")
sys.exit(1 if failures else 0)
