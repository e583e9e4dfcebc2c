# SPDX-License-Identifier: Apache-2.0
"""Whole models beside ONNX Runtime and OpenVINO: every piece of ours in turn, as often as the model has it, against one run of theirs."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx

from kernel import FOLDER, Kernel, build_launcher
from peers import REST_SECONDS, keep_heap, repeated

sys.path.append(str(FOLDER.parents[1] / "models"))
from extents import at_extents  # noqa: E402

BUILT_IN = {"resnet50": "batch=1", "bert-layer": "batch=1,seq=128", "llama-layer": "seq=128", "llama-decode": ""}


def with_weights(path):
    """The model with its random weights as initializers: as nodes that draw them, no one could lay them out ahead."""
    model = onnx.load(path)
    random = np.random.default_rng(1)
    kept = []
    for node in model.graph.node:
        if node.op_type not in ("RandomNormal", "RandomUniform"):
            kept.append(node)
            continue
        given = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
        scale = given.get("scale", 1.0)
        values = given.get("mean", 0.0) + scale * random.standard_normal(given["shape"]) if node.op_type == "RandomNormal" else \
            given.get("low", 0.0) + (given.get("high", 1.0) - given.get("low", 0.0)) * random.random(given["shape"])
        model.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float32), node.output[0]))
    del model.graph.node[:]
    model.graph.node.extend(kept)
    return model


def inputs_of(session, shape):
    """Random inputs of the extents that the model or `shape` gives."""
    random = np.random.default_rng(2)
    arrays = {}
    for each in session.get_inputs():
        extents = [extent if isinstance(extent, int) else int(shape[extent]) for extent in each.shape]
        arrays[each.name] = random.random(extents).astype(np.float32) if "float" in each.type else np.ones(extents, np.int64)
    return arrays


def peers_of(model, shape, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    text = model.SerializeToString()
    session = onnxruntime.InferenceSession(text, options, providers=["CPUExecutionProvider"])
    arrays = inputs_of(session, shape)
    entries = {"onnxruntime": repeated(lambda: session.run(None, arrays), session)}
    try:
        import openvino
        core = openvino.Core()
        read = core.read_model(text)
        read.reshape({name: list(array.shape) for name, array in arrays.items()})
        settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
        request = core.compile_model(read, "CPU", settings).create_infer_request()
        for name, array in arrays.items():
            request.set_tensor(name, openvino.Tensor(array, shared_memory=True))
        request.infer()
        entries["openvino"] = repeated(request.infer, request)
    except Exception as failure:
        print(f"   openvino: {str(failure).strip().splitlines()[0][:120]}")
    return entries


def ask(options, verb, subject, shape):
    words = [options.fuselab, verb, subject, "--json", "--quiet", "--device", "cpu"] + (["--db", options.db] if options.db else [])
    words += ["--shape", ",".join(f"{name}={extent}" for name, extent in shape.items())] if shape else []
    answer = subprocess.run(words, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise RuntimeError(f"{verb} {subject}: {answer.stderr.strip() or answer.stdout[-300:]}")
    return json.loads(answer.stdout)


def tuned_configs(options, subject, shape):
    """Piece → launch configuration of its fused kernel, where that was chosen, from a database that `fuselab tune` filled."""
    if not options.db:
        return {}
    chosen = ask(options, "select", subject, shape)["models"][0]["pieces"]
    return {piece["piece"]: piece["config"] for piece in chosen if piece["backend"] == "cpu" and ";" not in piece["config"]}


class Piece:
    def __init__(self, launcher, options, operation, config):
        self.name, self.id, self.count = operation["name"], operation["id"], operation["count"]
        self.graph, self.flops, self.bytes = operation["graph"], operation["flops"], operation["ideal_bytes"]
        self.kernel = Kernel(launcher, options.kernel_files, self.graph, config or "default", options.target)
        self.kernels = [self.kernel] + [self.kernel.twin() for _ in range(1, self.count)]
        for kernel in self.kernels:
            kernel.bind(kernel.random_inputs(np.random.default_rng(3)))
        self.samples = []

    def run(self):
        """One run of the model's share: layers that are alike have weights of their own, as in the model."""
        self.samples.append(sum(kernel.run(1) for kernel in self.kernels))
        return self.samples[-1]


def pieces_of(options, launcher, plan, configs):
    """Our kernels, and what could not be made."""
    pieces, missing = [], []
    for operation in plan["operations"]:
        config = next((config for piece, config in configs.items() if piece.startswith(operation["id"])), None)
        try:
            pieces.append(Piece(launcher, options, operation, config))
        except RuntimeError as failure:
            missing.append(f"{operation['count']} x {operation['name']}: {str(failure)[:100]}")
    return pieces, missing


def untuned_over_tuned(untuned, tuned):
    """Geometric mean over the pieces, and the largest with its piece."""
    by_id = {piece.id: statistics.median(piece.samples) for piece in tuned}
    ratios = [(statistics.median(piece.samples) / by_id[piece.id], piece.name) for piece in untuned if piece.id in by_id]
    return {"mean": statistics.geometric_mean([ratio for ratio, _ in ratios]), "largest": max(ratios)[0], "of": max(ratios)[1]}


def measure(options, launcher, name, path, shape):
    threads = len(os.sched_getaffinity(0))
    model = with_weights(path)
    plan = ask(options, "fuse", name if name in BUILT_IN else path, shape)
    configs = tuned_configs(options, name if name in BUILT_IN else path, shape)
    pieces, missing = pieces_of(options, launcher, plan, configs)
    entries = peers_of(model, shape, threads)
    entries["ours"] = lambda times: sum(piece.run() for _ in range(times) for piece in pieces)
    untuned = pieces_of(options, launcher, plan, {})[0] if options.db else []
    if untuned:
        entries["untuned"] = lambda times: sum(piece.run() for _ in range(times) for piece in untuned)
    samples = {each: [] for each in entries}
    for run in entries.values():
        run(2)
    begin, turn = time.perf_counter(), 0
    while turn < 5 or time.perf_counter() - begin < options.seconds:
        for each in list(entries)[:: 1 if turn % 2 == 0 else -1]:
            time.sleep(REST_SECONDS)
            entries[each](1)
            samples[each].append(entries[each](2) / 2)
        turn += 1
    medians = {each: statistics.median(values) for each, values in samples.items()}
    best = min((each for each in medians if each not in ("ours", "untuned")), key=medians.get)
    ratios = [a / b for a, b in zip(samples[best], samples["ours"])]
    slowest = [{"piece": piece.name, "id": piece.id, "count": piece.count, "ms": 1e3 * statistics.median(piece.samples),
                "gflops": piece.flops * piece.count / statistics.median(piece.samples) / 1e9,
                "gbytes": piece.bytes * piece.count / statistics.median(piece.samples) / 1e9,
                "config": piece.kernel.facts["config"], "compile_ms": piece.kernel.facts["compile_ms"], "graph": piece.graph}
               for piece in sorted(pieces, key=lambda piece: -statistics.median(piece.samples))]
    quartiles = statistics.quantiles(ratios, n=4)
    return {"model": name, "tuned": bool(options.db), "untuned_over_tuned": untuned_over_tuned(untuned, pieces) if untuned else None,
            "median_ms": {each: 1e3 * value for each, value in medians.items()},
            "spread_ms": {each: [1e3 * min(values), 1e3 * max(values)] for each, values in samples.items()}, "rounds": turn,
            "best_peer": best, "best_peer_over_ours": statistics.median(ratios), "quartiles": [quartiles[0], quartiles[2]],
            "covered_share": plan["covered_share"], "missing": missing, "pieces": slowest}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", help="a built-in model, or FILE.onnx[:name=extent,…|:extents of its input, as 1x3x320x320]")
    parser.add_argument("--fuselab", required=True)
    parser.add_argument("--kernel-files", required=True)
    parser.add_argument("--db", help="a database that `fuselab tune` filled; without it every piece runs in its default configuration")
    parser.add_argument("--seconds", type=float, default=20, help="of rounds for each model")
    parser.add_argument("--target", default="")
    parser.add_argument("--slowest", type=int, default=8, help="so many pieces are shown")
    parser.add_argument("--json")
    options = parser.parse_args()
    keep_heap()
    launcher, rows = build_launcher(), []
    for subject in options.models:
        name, _, extents = subject.partition(":")
        path = name
        if extents and "=" not in extents:
            path, extents = at_extents(name, extents, tempfile.mkdtemp()), ""
        shape = dict(each.split("=") for each in (extents or BUILT_IN.get(name, "")).split(",") if each)
        if name in BUILT_IN:
            path = tempfile.mkdtemp() + "/model.onnx"
            subprocess.run([options.kernel_files, "--model", name, path], check=True)
        row = measure(options, launcher, name, path, shape)
        rows.append(row)
        times = "  ".join(f"{each} {value:.3f}" for each, value in row["median_ms"].items())
        print(f"{os.path.basename(name):34} {row['best_peer_over_ours']:.2f} [{row['quartiles'][0]:.2f}, {row['quartiles'][1]:.2f}] "
              f"of {row['best_peer']}   ms: {times}   {100 * row['covered_share']:.0f} % covered", flush=True)
        if row["untuned_over_tuned"]:
            print("   untuned over tuned: {mean:.2f}, at most {largest:.2f} ({of})".format(**row["untuned_over_tuned"]))
        for each in row["missing"]:
            print(f"   not made: {each}")
        for piece in row["pieces"][:options.slowest]:
            print(f"   {piece['ms']:8.3f} ms {piece['count']:3} x  {piece['gflops']:6.0f} GFLOP/s {piece['gbytes']:6.1f} GB/s  {piece['piece']}"
                  f"  {piece['config']}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
