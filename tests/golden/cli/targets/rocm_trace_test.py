#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rocm_trace_test.py PROGRAM FAKE_HIP FAKE_HIPRTC FAKE_ROCPROFILER FAKE_RUNNER: an AMD GPU's counters and timeline, from the worker to the
document, on libraries that look like ROCm's: attached before HIP starts, spans joined to their launches, two passes of counters; no
permission, an old driver and a crash. unit.Rocprof* has the other troubles."""
import json
import pathlib
import shutil
import sys

from fresh_home import FreshHome

program, hip, hiprtc, rocprofiler, runner = sys.argv[1:]
home = FreshHome(pathlib.Path(program))
FAKES = {"FUSELAB_LIB_HIP": hip, "FUSELAB_LIB_HIPRTC": hiprtc, "FUSELAB_LIB_COMGR": hiprtc, "FUSELAB_LIB_ROCPROFILER": rocprofiler,
         "FUSELAB_FAKE_CUDA_RUNNER": runner}
WORDS = ["profile", "w3", "--shape", "rows=16,cols=64", "--device", "rocm:0", "--again"]
failures = []


def check(holds, what):
    if not holds:
        failures.append(f"does not hold: {what}")


def profiled(trouble):
    finished = home.run(*WORDS, "--json", FAKE_ROCPROFILER=trouble, **FAKES)
    document = json.loads(finished.stdout)
    check("profiles" in document, f"{trouble}: {finished.stdout[:300]} {finished.stderr[-300:]}")
    profile = document["profiles"][0] if "profiles" in document else {"counters": {"metrics": [], "passed_over": [], "rung": ""}, "device_trace": {}}
    return profile, {metric["name"]: metric for metric in profile["counters"]["metrics"]}, profile["device_trace"]


profile, metrics, trace = profiled("")
spans = trace.get("spans", [])
kernels = [(span["run"], span["step"]) for span in spans if span["kind"] == "kernel"]
check(kernels == [(0, 0), (1, 0), (2, 0)], f"each kernel is joined to its run and step: {kernels} {trace.get('why_not')}")
check({"launch", "copy"} <= {span["kind"] for span in spans}, f"launches and copies are spans, too: {spans[:3]}")
check(trace.get("profiler") == "rocprofiler-sdk 1.0.0, dispatch records", "the profiler is named")
check(all(span["registers"] == 64 and span["block"][0] > 0 for span in spans if span["kind"] == "kernel"), f"launches are described: {spans[:2]}")
check(profile["counters"]["rung"] == "device, 2 passes", f"counters: {profile['counters']['rung']} {profile['counters']['passed_over']}")
counted = sorted(name for name, metric in metrics.items() if metric.get("value") is not None and name.startswith("device_"))
check(len(counted) == 23, f"23 metrics are counted: {counted}")
check(metrics.get("device_stall_wait", {}).get("reason") == "rocprofiler-sdk has no such counter", "what AMD does not count has a reason")
check("AMD" in profile["device_samples"].get("why_not", ""), "samples have a reason")
text = home.run(*WORDS[:-1], FAKE_ROCPROFILER="", **FAKES).stdout  # of what is stored
check("fake_kernel" in text and "rocprofiler-sdk 1.0.0, dispatch records" in text, text)
check("wavefronts that were launched" in text, text)

_, metrics, trace = profiled("denied")
check("CAP_PERFMON" in metrics["device_waves"]["reason"], f"who may count is told: {metrics['device_waves']}")
check(len(trace.get("spans", [])) > 0, "a timeline needs no permission")
_, metrics, trace = profiled("old")
check("the amdgpu driver is too old" in trace.get("why_not", "") and "too old" in metrics["device_waves"]["reason"], f"an old driver: {trace}")
_, _, trace = profiled("crash")
check("SIGSEGV" in trace.get("why_not", ""), f"a crash is a reason: {trace}")
shutil.rmtree(home.folder)
print("\n".join(failures) if failures else "as it should be")
sys.exit(1 if failures else 0)
