#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What whole models lose beside a program that keeps one core busy: two builds and ONNX Runtime, interleaved, as tables in Markdown.

    python3 -m venv venv && venv/bin/pip install numpy onnxruntime
    venv/bin/python tests/models/quiet_and_loaded.py build/bin/fuselab older/bin/fuselab [--rounds 5] [--seed 51] [--home FOLDER] MODEL[:NAME=VALUE,…]…

Each round runs all three in an order that the seed draws; of each it takes the median of 20 passes. A table has medians of the rounds with the
least and the largest, and ONNX Runtime's time over each build's. The busy program is one process that adds numbers. Both builds keep their
compiled kernels in one folder, which goes with the run unless --home names it: the first, untimed round fills it. `--rounds 0` does only that. Nothing
else should run meanwhile.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime

PASSES = 20


def median_of_build(program, model, shape, home):
    words = [program, "exec", model, *(["--shape", shape] if shape else []), "--device", "cpu", "--no-fallback", "--steady", str(PASSES), "--json",
             "--db", f"{home}/m.db"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=dict(os.environ, XDG_DATA_HOME=home, XDG_CACHE_HOME=home))
    if done.returncode != 0:
        sys.exit(f"{program} exec {model}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)["subjects"][0]["runs"][-1]["steady"]["median_ns"] * 1e-6


class Session:
    def __init__(self, model, shape):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = os.cpu_count()
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        extents = dict(pair.split("=") for pair in shape.split(",") if pair)
        numbers = np.random.default_rng(51)
        self.inputs = {}
        for each in self.session.get_inputs():
            sizes = [int(extents.get(extent, 1)) if isinstance(extent, str) or extent is None else extent for extent in each.shape]
            whole = "int" in each.type
            self.inputs[each.name] = numbers.integers(0, 10, sizes).astype(np.int64) if whole else numbers.standard_normal(sizes).astype(np.float32)

    def median(self):
        taken = []
        for _ in range(PASSES):
            begun = time.perf_counter()
            self.session.run(None, self.inputs)
            taken.append((time.perf_counter() - begun) * 1e3)
        return statistics.median(taken)


def measured(programs, models, rounds):
    """By model and program the medians of its rounds, in milliseconds."""
    times = {}
    for model, (shape, session, home) in models.items():
        for _ in range(rounds):
            order = [*programs, "ONNX Runtime"]
            random.shuffle(order)
            for who in order:
                took = session.median() if who == "ONNX Runtime" else median_of_build(programs[who], model, shape, home)
                times.setdefault(model, {}).setdefault(who, []).append(took)
    return times


def table(title, times):
    print(f"\n{title}\n\n| model | before, ms | after, ms | ONNX Runtime, ms | ONNX Runtime over before | over after |\n|---|---|---|---|---|---|")
    for model, by in times.items():
        cells = [f"{statistics.median(took):.3f} [{min(took):.3f}, {max(took):.3f}]" for took in (by["before"], by["after"], by["ONNX Runtime"])]
        peer = statistics.median(by["ONNX Runtime"])
        print(f"| {pathlib.Path(model).stem} | {' | '.join(cells)} | {peer / statistics.median(by['before']):.2f} | {peer / statistics.median(by['after']):.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("older")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=51)
    parser.add_argument("--home")
    asked = parser.parse_args()
    random.seed(asked.seed)
    print(f"seed {asked.seed}, {asked.rounds} rounds, {os.cpu_count()} threads, ONNX Runtime {onnxruntime.__version__}", flush=True)
    programs = {"before": asked.older, "after": asked.program}
    with tempfile.TemporaryDirectory() as temporary:
        home = asked.home or temporary
        models = {}
        for each in asked.models:
            model, _, shape = each.partition(":")
            models[model] = (shape, Session(model, shape), home)
        measured(programs, models, 1)  # compiles
        if asked.rounds == 0:
            return
        table("Quiet", measured(programs, models, asked.rounds))
        busy = subprocess.Popen([sys.executable, "-c", "n = 0\nwhile True: n += 1"])
        try:
            table("Beside one busy core", measured(programs, models, asked.rounds))
        finally:
            busy.kill()


if __name__ == "__main__":
    main()
