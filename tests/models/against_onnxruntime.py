# SPDX-License-Identifier: Apache-2.0
"""Real models on real numbers: `fuselab exec` and ONNX Runtime compute the same inputs with the file's weights, and their outputs meet.

    venv/bin/pip install numpy onnx onnxruntime rapidocr-onnxruntime
    venv/bin/python tests/models/against_onnxruntime.py --fuselab build/bin/fuselab models/*.onnx ch_PP-OCRv4_det_infer.onnx:1x3x320x320

Extents behind a colon are those of the only input. A model whose inputs leave extents open and are not given is told and left out."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime

from extents import at_extents


def some_input(each, random):
    shape = [extent for extent in each.shape]
    if not all(isinstance(extent, int) for extent in shape):
        raise ValueError(f"input {each.name} leaves {[extent for extent in shape if not isinstance(extent, int)]} open")
    kinds = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64, "tensor(int32)": np.int32,
             "tensor(bool)": np.bool_, "tensor(float16)": np.float16}
    kind = kinds[each.type]
    return random.random(shape).astype(kind) if np.issubdtype(kind, np.floating) else np.ones(shape, kind)


def compare(options, path, folder):
    session_options = onnxruntime.SessionOptions()
    session_options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, session_options, providers=["CPUExecutionProvider"])
    random = np.random.default_rng(7)
    inputs = {each.name: some_input(each, random) for each in session.get_inputs()}
    outputs = dict(zip([each.name for each in session.get_outputs()], session.run(None, inputs)))
    begin = time.perf_counter()
    session.run(None, inputs)
    theirs = time.perf_counter() - begin
    words = [options.fuselab, "exec", path, "--json", "--quiet", "--steady", "5", "--prefer", options.device]
    for option, arrays in (("--input", inputs), ("--expect", outputs)):
        for i, (name, array) in enumerate(arrays.items()):
            file = f"{folder}/{option[2:]}-{i}.npy"
            np.save(file, np.ascontiguousarray(array))
            words += [option, f"{name}={file}"]
    answer = subprocess.run(words, capture_output=True, text=True, check=False)
    document = json.loads(answer.stdout) if answer.stdout.strip() else {}
    if "subjects" not in document:
        error = document.get("error", {})
        return f"exit {answer.returncode}: {(error.get('message') or answer.stderr.strip() or '?')[:160]}"
    subject = document["subjects"][0]
    held = subject["expectations"]
    steady = sum(piece.get("steady_ns", piece["execution_ns"]) for piece in subject["runs"][-1]["pieces"]) / 1e6
    worst = max(held, key=lambda each: each["largest_error"] / max(each["largest_expected"], 1e-30))
    return (f"{'meets' if all(each['met'] for each in held) else 'DIFFERS'}, largest error {worst['largest_error']:.2g} beside "
            f"{worst['largest_expected']:.3g}; {subject['inputs']['from_file']} weights from the file, {subject['inputs']['from_seed']} made; "
            f"{len(subject['runs'][-1]['pieces'])} pieces, {steady:.2f} ms in kernels, ONNX Runtime {1e3 * theirs:.2f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--fuselab", required=True)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    differing = 0
    for subject in options.models:
        path, _, extents = subject.partition(":")
        with tempfile.TemporaryDirectory() as folder:
            try:
                told = compare(options, at_extents(path, extents, folder) if extents else path, folder)
            except Exception as failure:
                told = f"not compared: {str(failure).strip().splitlines()[0][:160]}"
        differing += told.startswith("DIFFERS")
        print(f"{os.path.basename(path):36} {told}", flush=True)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
