#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What whole models lose beside a program that keeps one core busy: two builds and ONNX Runtime, interleaved, as tables in Markdown.

    python3 -m venv venv && venv/bin/pip install numpy onnxruntime
    venv/bin/python tests/models/quiet_and_loaded.py build/bin/fuselab older/bin/fuselab [--rounds 5] [--seed 51] [--home FOLDER] MODEL[:INPUT=1x3x8x8,…]…

All three compute the same inputs, and both builds compare their outputs with ONNX Runtime's in every round: a difference ends the run. Each round
runs all three in an order that the seed draws; of each it takes the median of 20 passes. A table has medians of the rounds with the least and the
largest, and ONNX Runtime's time over each build's. The busy program is one process that adds numbers. Both builds keep their compiled kernels in one
folder, which goes with the run unless --home names it: the first, untimed round fills it. `--rounds 0` does only that. Nothing else should run
meanwhile.
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

import onnxruntime

from against_onnxruntime import Compared, given_inputs

PASSES = 20


class Model:
    def __init__(self, asked, text, home, folder):
        path, _, given = text.partition(":")
        self.name, self.home = pathlib.Path(path).stem, home
        self.compared = Compared(asked, path, given_inputs(given), folder)
        expected, _ = self.compared.onnxruntime_run()
        self.words = [*self.compared.exec_words(expected), "--no-fallback", "--steady", str(PASSES), "--json", "--db", f"{home}/m.db"]

    def of_build(self, program):
        done = subprocess.run([program, *self.words], capture_output=True, text=True, check=False,
                              env=dict(os.environ, XDG_DATA_HOME=self.home, XDG_CACHE_HOME=self.home))
        if done.returncode != 0:
            sys.exit(f"{program} exec {self.name}: {done.stderr.strip()[-300:]}")
        subject = json.loads(done.stdout)["subjects"][0]
        unmet = [each["name"] for each in subject["expectations"] if not each["met"]]
        if unmet:
            sys.exit(f"{program} exec {self.name}: not what ONNX Runtime computes: {', '.join(unmet)}")
        return subject["runs"][-1]["steady"]["median_ns"] * 1e-6

    def of_onnxruntime(self):
        taken = []
        for _ in range(PASSES):
            begun = time.perf_counter()
            self.compared.session.run(None, self.compared.inputs)
            taken.append((time.perf_counter() - begun) * 1e3)
        return statistics.median(taken)


def measured(programs, models, rounds):
    """By model and program the medians of its rounds, in milliseconds."""
    times = {}
    for model in models:
        for _ in range(rounds):
            order = [*programs, "ONNX Runtime"]
            random.shuffle(order)
            for who in order:
                took = model.of_onnxruntime() if who == "ONNX Runtime" else model.of_build(programs[who])
                times.setdefault(model.name, {}).setdefault(who, []).append(took)
    return times


def table(title, times):
    print(f"\n{title}\n\n| model | before, ms | after, ms | ONNX Runtime, ms | ONNX Runtime over before | over after |\n|---|---|---|---|---|---|")
    for model, by in times.items():
        cells = [f"{statistics.median(took):.3f} [{min(took):.3f}, {max(took):.3f}]" for took in (by["before"], by["after"], by["ONNX Runtime"])]
        peer = statistics.median(by["ONNX Runtime"])
        print(f"| {model} | {' | '.join(cells)} | {peer / statistics.median(by['before']):.2f} | {peer / statistics.median(by['after']):.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fuselab")
    parser.add_argument("older")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=51)
    parser.add_argument("--home")
    asked = parser.parse_args()
    asked.device, asked.open = "cpu", 1
    random.seed(asked.seed)
    print(f"seed {asked.seed}, {asked.rounds} rounds, {os.cpu_count()} threads, ONNX Runtime {onnxruntime.__version__}", flush=True)
    programs = {"before": asked.older, "after": asked.fuselab}
    with tempfile.TemporaryDirectory() as temporary:
        home = asked.home or temporary
        folders = [tempfile.mkdtemp(dir=temporary) for _ in asked.models]
        models = [Model(asked, text, home, folder) for text, folder in zip(asked.models, folders)]
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
