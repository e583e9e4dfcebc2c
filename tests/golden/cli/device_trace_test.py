#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""device_trace_test.py PROGRAM SCHEMAS: what a device does over time, scripted by the null backend: spans, a series and samples in text, JSON and
timeline; or refused, crashed, hung, dropped, each time with the reason and with the rest of the profile."""
import json
import pathlib
import shutil
import sys

import jsonschema

from fresh_home import FreshHome

WORDS = ["profile", "w3", "--shape", "rows=16,cols=64", "--synthetic", "--device", "null:0", "--again"]
PARTS = {"trace": "device_trace", "series": "device_series", "samples": "device_samples"}


def profiled(home, trouble):
    finished = home.run(*WORDS, "--json", FUSELAB_NULL_TROUBLE=trouble)
    return json.loads(finished.stdout)["profiles"][0]


def main():
    home = FreshHome(pathlib.Path(sys.argv[1]))
    facts = {}
    profile = profiled(home, "")
    trace = profile["device_trace"]
    places = [(span["run"], span["step"]) for span in trace["spans"]]
    steps = 1 + max(step for _, step in places)
    facts[f"each launch of three runs is a span of its own: {places}"] = places == [(run, step) for run in range(3) for step in range(steps)]
    facts[f"spans follow each other: {trace['spans'][:2]}"] = all(
        first["start_ns"] + first["duration_ns"] <= second["start_ns"] for first, second in zip(trace["spans"], trace["spans"][1:]))
    facts["a series has a value for each interval"] = len(profile["device_series"]["rows"][0]["values"]) == len(profile["device_series"]["starts_ns"]) == 10
    facts["a counter without values has a reason"] = "no such counter" in profile["device_series"]["rows"][1]["reason"]
    facts["samples have stalls"] = profile["device_samples"]["places"][0]["stalls"][0] == {"stall": "long_scoreboard", "samples": 60}
    text = home.run(*WORDS, "--trace", "t.json", FUSELAB_NULL_TROUBLE="trace-dropped").stdout
    for title in ["On the device's own timeline", "scripted kernel", "7 records were dropped", "Counters over the time of a launch",
                  "Where warps are, and what they wait for", "long_scoreboard 75 %", "7 samples were dropped"]:
        facts[f"the text says '{title}'"] = title in text
    timeline = json.loads((home.folder / "t.json").read_text(encoding="utf-8"))
    schema = json.loads((pathlib.Path(sys.argv[2]) / "trace.schema.json").read_text(encoding="utf-8"))
    complaints = [error.message[:200] for error in jsonschema.Draft202012Validator(schema).iter_errors(timeline)]
    facts[f"the timeline fits its schema: {complaints[:2]}"] = not complaints
    lanes = {event["args"]["name"] for event in timeline["traceEvents"] if event["ph"] == "M"}
    facts[f"the timeline has the device's lane: {lanes}"] = {"null:0 on its own clock", "stream 0"} <= lanes
    kernels = [event for event in timeline["traceEvents"] if event.get("cat") == "kernel"]
    facts[f"kernels are spans of it: {kernels[:1]}"] = len(kernels) == 3 * steps and kernels[0]["args"]["grid"] == "64x1x1"
    facts["what was dropped is counted in it"] = timeline["otherData"]["lost_spans"] >= 7
    for trouble, words, parts in [("trace-denied", "another profiler is attached", PARTS), ("trace-crash", "SIGSEGV", PARTS),
                                  ("trace-hang", "lasted longer than", {"trace": "device_trace"})]:
        profile = profiled(home, trouble)
        notes = {note["collector"]: note["reason"] for note in profile["collectors"]}
        for collector, part in parts.items():
            facts[f"{trouble}: {collector} says why: {profile[part]['why_not']}"] = words in profile[part]["why_not"] and words in notes[collector]
        facts[f"{trouble}: what does not hang is there"] = len(parts) == 3 or bool(profile["device_series"]["rows"])
        facts[f"{trouble}: counters are there"] = profile["counters"]["rung"] == "device, 2 passes"
    shutil.rmtree(home.folder)
    failures = [f"does not hold: {name}" for name, holds in facts.items() if not holds]
    print("\n".join(failures) if failures else "as it should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
