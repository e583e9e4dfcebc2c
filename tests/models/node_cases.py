#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the node cases of ONNX (Debian's libonnx-testdata) on one backend alone, and says of how many it claims, executes and gets right.

    python3 -m venv venv && venv/bin/pip install onnx
    venv/bin/python tests/models/node_cases.py build/bin/fuselab torch [--every 1] [--seconds 500] [--verbose]

A case is one operator with inputs and outputs that ONNX's own reference made. `fuselab exec --device NAME --no-fallback --expect` runs it:
nothing else may take its place. A backend that compiles for long is given every n-th case alone, `--every n`. Ends with 1 where a result is wrong.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import tempfile
import time

import onnx

RIGHT, DIFFERS, UNAVAILABLE = 0, 7, 6
LONGEST = 120  # seconds of a case: the first one of Inductor makes what later ones find


def run(program, device, case, home):
    model = onnx.load(case / "model.onnx", load_external_data=False)
    words = [program, "exec", str(case / "model.onnx"), "--device", device, "--no-fallback", "--accept", "nan-loss", "--accept", "precision-loss"]
    data = case / "test_data_set_0"
    held = {each.name for each in model.graph.initializer}
    for kind, option, values in (("input", "--input", [each for each in model.graph.input if each.name not in held]),
                                 ("output", "--expect", model.graph.output)):
        for number, value in enumerate(values):
            file = data / f"{kind}_{number}.pb"
            if not file.exists() or not value.type.HasField("tensor_type"):
                return "other", "it has something other than tensors"
            words += [option, f"{value.name}={file}"]
    try:
        ended = subprocess.run(words, capture_output=True, text=True, timeout=LONGEST, env={"HOME": home, "PATH": "/usr/bin:/bin", **variables()})
    except subprocess.TimeoutExpired:
        return "hung", f"it took more than {LONGEST} s"
    words = (ended.stderr.strip().splitlines() or [""])[-1]
    if ended.returncode == RIGHT:
        return "right", ""
    if ended.returncode == DIFFERS:
        return "wrong", words
    state = "not read" if "a barrier" in words else "not claimed" if ended.returncode == UNAVAILABLE else "other"
    return state, f"{ended.returncode}: {words}"


def variables():
    return {name: value for name, value in os.environ.items() if name.startswith("FUSELAB_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("device")
    parser.add_argument("--cases", type=pathlib.Path, default="/usr/share/libonnx-testdata/data/node")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=500)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    cases = sorted(options.cases.iterdir())[::options.every]
    began, met, reasons = time.monotonic(), collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as home, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def one(case):
            if time.monotonic() - began > options.seconds:
                return case, ("no time", "")
            return case, run(options.program, options.device, case, home)
        for case, (state, words) in pool.map(one, cases):
            met[state] += 1
            reasons[state].append(f"{case.name}: {words}")
    executed = met["right"] + met["wrong"]
    print(f"{options.device}: {len(cases)} cases, {executed} claimed and executed, {met['right']} right, {met['wrong']} wrong; "
          + ", ".join(f"{count} {state}" for state, count in met.items() if state not in ("right", "wrong")))
    for state in ("wrong", "hung") + (("other", "not read", "not claimed") if options.verbose else ()):
        for line in reasons[state]:
            print(f"  {state}: {line}")
    raise SystemExit(1 if met["wrong"] or met["hung"] else 0)


if __name__ == "__main__":
    main()
