# SPDX-License-Identifier: Apache-2.0
"""Real models on real numbers: `fuselab exec` and ONNX Runtime compute the same inputs with the file's weights, and their outputs meet.
Prints a Markdown table: how much of a model is covered, in how many kernels, the error beside ONNX Runtime's numbers, both times.

    venv/bin/pip install numpy onnx onnxruntime rapidocr-onnxruntime; venv/bin/pip install --no-deps silero-vad
    venv/bin/python tests/models/against_onnxruntime.py --fuselab build/bin/fuselab models/*.onnx det.onnx:x=1x3x320x320

Behind a colon stand the extents of inputs, "x=1x3x320x320,state=2x1x128", and behind "=" of a scalar its value; what is left open becomes
--open. Outputs are those of ONNX Runtime without its optimisations: with them, its products of u8 and i8 saturate on processors without
AVX512-VNNI, and a quantised model is tens of steps off. Times are medians of whole runs: of ONNX Runtime's with its optimisations, in this
process, with as many threads as it likes, and the sum of the medians of all kernels as `fuselab exec --steady` tells them, in default
configurations where nothing was tuned."""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime

KINDS = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64, "tensor(int32)": np.int32,
         "tensor(bool)": np.bool_, "tensor(float16)": np.float16, "tensor(uint8)": np.uint8, "tensor(int8)": np.int8}
RUNS = 15


def given_inputs(text):
    """{"x": [1, 3, 320, 320]} of "x=1x3x320x320"."""
    return {name: [int(extent) for extent in extents.split("x")] for name, extents in
            (part.split("=") for part in text.split(",") if part)}


def ask(options, words):
    answer = subprocess.run([options.fuselab, *words, "--json", "--quiet"], capture_output=True, text=True, check=False)
    document = json.loads(answer.stdout) if answer.stdout.strip() else {}
    if "error" in document or not document:
        raise RuntimeError(document.get("error", {}).get("message") or answer.stderr.strip() or f"exit {answer.returncode}")
    return document


class Compared:
    """One model on one set of inputs, by both programs."""

    def __init__(self, options, path, given, folder):
        self.options, self.path, self.given, self.folder = options, path, given, folder
        self.session = self.session_of(path, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)
        random = np.random.default_rng(7)
        self.inputs = {each.name: self.some_input(each, random) for each in self.session.get_inputs()}

    @staticmethod
    def session_of(path, level):
        settings = onnxruntime.SessionOptions()
        settings.log_severity_level = 3
        settings.graph_optimization_level = level
        return onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])

    def some_input(self, each, random):
        kind = KINDS[each.type]
        if not each.shape:
            return np.array(self.given.get(each.name, [1])[0], kind)
        extents = self.given.get(each.name, [extent if isinstance(extent, int) else self.options.open for extent in each.shape])
        return random.random(extents).astype(kind) if np.issubdtype(kind, np.floating) else np.ones(extents, kind)

    def shape_words(self):
        """--shape for the extents that the file leaves open, under the names that Fuselab gives them."""
        graph = ask(self.options, ["import", self.path])["graph"]
        bound = {}
        for name, extents in re.findall(r"([\w.]+): \w+\[([^\]]*)\]", graph.split("{")[0]):
            if name in self.inputs:
                for extent, number in zip(extents.split(","), self.inputs[name].shape):
                    if not extent.strip().isdigit():
                        bound[extent.strip()] = number
        return ["--shape", ",".join(f"{name}={extent}" for name, extent in bound.items())] if bound else []

    def value_words(self):
        return [word for name, array in self.inputs.items() if array.ndim == 0 for word in ("--value", f"{name}={array}")]

    def onnxruntime_run(self):
        plain = self.session_of(self.path, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
        outputs = dict(zip([each.name for each in plain.get_outputs()], plain.run(None, self.inputs)))
        times = []
        for _ in range(RUNS):
            begin = time.perf_counter()
            self.session.run(None, self.inputs)
            times.append(1e3 * (time.perf_counter() - begin))
        return outputs, statistics.median(times)

    def exec_words(self, expected):
        """`exec` of the very same inputs, which compares its outputs with these."""
        words = ["exec", self.path, *self.shape_words(), *self.value_words(), "--prefer", self.options.device]
        arrays = [("--input", name, array) for name, array in self.inputs.items() if array.ndim > 0]
        arrays += [("--expect", name, array) for name, array in expected.items()]
        for i, (option, name, array) in enumerate(arrays):
            file = f"{self.folder}/{i}.npy"
            np.save(file, np.ascontiguousarray(array))
            words += [option, f"{name}={file}"]
        return words

    def row(self):
        expected, theirs = self.onnxruntime_run()
        shape = self.shape_words()
        words = [*self.exec_words(expected), "--steady", str(RUNS)]
        covered = ask(self.options, ["fuse", self.path, *shape, *self.value_words()])
        subject = ask(self.options, words)["subjects"][0]
        pieces = subject["runs"][-1]["pieces"]
        ours = sum(piece.get("steady_ns", piece["execution_ns"]) for piece in pieces) / 1e6
        held = subject["expectations"]
        worst = max(held, key=lambda each: each["largest_error"] / max(each["largest_expected"], 1e-30))
        met = "yes" if all(each["met"] for each in held) else "NO"
        return (f"{100 * covered['covered_share']:.0f} % | {covered['original_op_count']} | {len(pieces)} | {met} | "
                f"{worst['largest_error']:.1e} beside {worst['largest_expected']:.3g} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f}")


def print_table(columns, subjects, row_of):
    """Prints a row for each "PATH:EXTENTS"; one that cannot be made says why. Returns 1 where outputs do not meet, else 0."""
    print(f"| model | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 1) + "|")
    unmet = 0
    for subject in subjects:
        path, _, given = subject.partition(":")
        with tempfile.TemporaryDirectory() as folder:
            try:
                row = row_of(path, given_inputs(given), folder)
            except Exception as failure:  # a row that says why beats a table that ends
                row = f"not compared: {str(failure).strip().splitlines()[0][:200]} " + "| " * (len(columns) - 1)
        unmet += "| yes |" not in row
        print(f"| {os.path.basename(path).removesuffix('.onnx')} | {row} |", flush=True)
    return 1 if unmet else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--fuselab", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--open", type=int, default=2, help="of extents that are not given")
    options = parser.parse_args()
    columns = ["covered", "operators", "pieces run", "meets", "largest error", "kernels, ms", "ONNX Runtime, ms", "ratio"]
    return print_table(columns, options.models, lambda path, given, folder: Compared(options, path, given, folder).row())


if __name__ == "__main__":
    sys.exit(main())
