#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""trace_test.py PROGRAM SCHEMAS: `--trace` writes a timeline that is one by the published format: every span on a named track, spans of a
track inside each other or apart, a span of each step, no path and no user; what fails leaves one, too."""
import getpass
import json
import pathlib
import shutil
import sys

import jsonschema

from fresh_home import FreshHome

TINY = ["--shape", "rows=16,cols=64"]


def spans_of(trace):
    return [event for event in trace["traceEvents"] if event["ph"] == "X"]


def named(trace):
    """Whether each span's process and thread were named before it."""
    known = set()
    for event in trace["traceEvents"]:
        if event["ph"] == "M":
            known.add(event["pid"] if event["name"] == "process_name" else (event["pid"], event["tid"]))
        elif not {event["pid"], (event["pid"], event["tid"])} <= known:
            return False
    return True


def nested(trace):
    """Whether no two spans of a thread overlap in part, but for the rounding of microseconds."""
    slack = 1e-2
    open_spans = {}
    for span in spans_of(trace):
        stack = open_spans.setdefault(span["tid"], [])
        while stack and stack[-1] <= span["ts"] + slack:
            stack.pop()
        end = span["ts"] + span["dur"]
        if stack and end > stack[-1] + slack:
            return False
        stack.append(end)
    return True


def traced(home, schema, *words, code=0):
    """What a traced command did: (facts, the timeline)."""
    finished = home.run(*words, "--trace", "t.json")
    text = (home.folder / "t.json").read_text(encoding="utf-8")
    trace = json.loads(text)
    what = " ".join(words[:2])
    complaints = [error.message for error in schema.iter_errors(trace)]
    return {f"{what} ends with {code}: {finished.returncode} {finished.stderr[-300:]}": finished.returncode == code,
            f"{what} fits the schema: {complaints[:2]}": not complaints,
            f"{what}: its tracks are named": named(trace),
            f"{what}: its spans are nested": nested(trace),
            f"{what} says where it is": "timeline: t.json, " in finished.stderr,
            f"{what} names no folder and no user": str(home.folder) not in text and f"/{getpass.getuser()}/" not in text}, trace


def main():
    schema = jsonschema.Draft202012Validator(json.loads((pathlib.Path(sys.argv[2]) / "trace.schema.json").read_text(encoding="utf-8")))
    home = FreshHome(pathlib.Path(sys.argv[1]))
    facts, bench = traced(home, schema, "bench", "w1", *TINY, "--device", "cpu:0")
    kinds = {span["cat"] for span in spans_of(bench)}
    for kind in ["import", "fuse", "generate", "compile", "load", "verify", "launch", "time", "store"]:
        facts[f"bench: a span of {kind}, of {kinds}"] = kind in kinds
    processes = {event["args"]["name"] for event in bench["traceEvents"] if event["ph"] == "M" and event["name"] == "process_name"}
    facts[f"bench: engine, compilers and device are processes: {processes}"] = {"engine", "compilers", "cpu:0"} <= processes
    more, run = traced(home, schema, "exec", "w1", *TINY, "--device", "cpu:0", "--steady", "3")
    facts.update(more)
    launches = [span for span in spans_of(run) if span["cat"] == "launch"]
    facts[f"exec: each launch is a span: {len(launches)}"] = len(launches) >= 4
    facts[f"exec: a launch is called as its piece: {launches[0]}"] = ("Add" in launches[0]["name"] and "f32[16,64]" in launches[0]["args"]["shapes"] and
                                                                     "Add" in launches[0]["args"]["operators"] and "=" in launches[0]["args"]["configuration"])
    more, profile = traced(home, schema, "profile", "w1", *TINY, "--device", "cpu:0", "--seconds", "0.05")
    facts.update(more)
    facts["profile: launches of the subject are spans"] = any(span["cat"] == "launch" for span in spans_of(profile))
    more, crashed = traced(home, schema, "exec", "w3", "--shape", "rows=16,cols=64", "--synthetic", "--device", "null:1", "--config", "a=0,b=0,fault=crash")
    facts.update(more)
    facts["a worker that crashed left its last launch"] = any(span["cat"] in ("launch", "load") for span in spans_of(crashed))
    more, _ = traced(home, schema, "bench", "nosuch", code=5)
    facts.update(more)
    refused = home.run("fuse", "w3", "--trace", "/proc/t.json")
    facts[f"a timeline that cannot be written is an error: {refused.returncode}"] = refused.returncode == 6 and "the timeline was not written" in refused.stderr
    notes = home.folder / "notes.txt"
    notes.write_text("a thesis", encoding="utf-8")
    foreign = home.run("fuse", "w3", "--trace", "notes.txt")
    facts[f"a file of somebody else is left alone: {foreign.returncode}"] = foreign.returncode == 2 and notes.read_text(encoding="utf-8") == "a thesis"
    facts["a timeline is replaced by the next"] = [home.run("fuse", "w3", "--trace", "again.json").returncode for _ in range(2)] == [0, 0]
    shutil.rmtree(home.folder)
    failures = [f"does not hold: {name}" for name, holds in facts.items() if not holds]
    print("\n".join(failures) if failures else "as it should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
