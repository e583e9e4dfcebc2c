# SPDX-License-Identifier: Apache-2.0
"""Our kernels beside PyTorch, ONNX Runtime and OpenVINO: one process, the same inputs and threads, rounds in alternating order."""

import argparse
import ctypes
import json
import os
import statistics
import sys
import time

import numpy as np
import torch

import cases
from kernel import Kernel, build_launcher

SAMPLE_SECONDS = 0.02  # of one entry in one round
REST_SECONDS = 0.02  # before it: threads of the entry before it go on spinning for a while


def keep_heap():
    """Fresh outputs of the others would else pay for new pages in every call."""
    libc = ctypes.CDLL(None)
    for option, value in ((-3, 1 << 30), (-1, 1 << 31 - 1)):  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD
        libc.mallopt(option, ctypes.c_int(value & 0x7FFFFFFF))


def repeated(function, *kept):
    """Runs the function so many times and returns the seconds; `kept` is memory that it writes to or reads from."""
    def run(times):
        begin = time.perf_counter()
        for _ in range(times):
            function()
        return time.perf_counter() - begin
    run.kept = kept
    return run


def torch_peer(case, arrays, _extents, _threads):
    tensors = [torch.from_numpy(array) for array in arrays]
    call = lambda: case.torch(*tensors)
    return repeated(call, tensors), call().numpy()


def onnxruntime_peer(case, arrays, extents, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    model = cases.onnx_model(case, arrays, extents).SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    result = np.zeros(extents, np.float32)
    for i, array in enumerate(arrays):
        if i not in case.constants:
            binding.bind_input(f"i{i}", "cpu", 0, np.float32, array.shape, array.ctypes.data)
    binding.bind_output("y", "cpu", 0, np.float32, result.shape, result.ctypes.data)
    session.run_with_iobinding(binding)
    return repeated(lambda: session.run_with_iobinding(binding), arrays, result), result


def openvino_peer(case, arrays, extents, threads):
    import openvino
    core = openvino.Core()
    model = core.read_model(cases.onnx_model(case, arrays, extents).SerializeToString())
    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    request = core.compile_model(model, "CPU", settings).create_infer_request()
    for i, array in enumerate(arrays):
        if i not in case.constants:
            request.set_tensor(f"i{i}", openvino.Tensor(array, shared_memory=True))
    result = np.zeros(extents, np.float32)
    request.set_output_tensor(openvino.Tensor(result, shared_memory=True))
    request.infer()
    return repeated(request.infer, arrays, result), result


PEERS = {"torch": torch_peer, "onnxruntime": onnxruntime_peer, "openvino": openvino_peer}


def entries_of(case, options, launcher, threads):
    """Names with functions that run so many times and return the seconds; and what a peer could not do."""
    kernel = Kernel(launcher, options.kernel_files, case.graph, options.configs.get(case.name, "default"), options.target)
    random = np.random.default_rng(1)
    arrays = []
    for i, extents in enumerate(kernel.input_extents()):
        scale = 1 / np.sqrt(np.prod(extents[1:])) if i in case.constants and len(extents) > 1 else 1
        arrays.append((scale * random.standard_normal(extents)).astype(np.float32))
    kernel.bind(arrays).run(1)
    expected = case.torch(*[torch.from_numpy(array).double() for array in arrays]).numpy()
    entries, notes = {"ours": kernel.run}, {}
    errors = {"ours": float(np.abs(kernel.output() - expected).max())}
    for name in options.peers:
        try:
            run, result = PEERS[name](case, arrays, expected.shape, threads)
            errors[name] = float(np.abs(result - expected).max())
            entries[name] = run
        except Exception as failure:  # a peer that lacks the operator is told, not hidden
            notes[name] = str(failure).strip().splitlines()[0][:120] if str(failure).strip() else type(failure).__name__
    if errors["ours"] > 1e-3 * max(1.0, float(np.abs(expected).max())):
        raise RuntimeError(f"{case.name}: our result is off by {errors['ours']}")
    return kernel, entries, errors, notes


def limit_entry(case, launcher, threads):
    """The bound in the same rounds: a copy of as many bytes, or as many multiply-adds."""
    if case.bytes:
        floats = int(case.bytes / 8) // 16 * 16
        source, target = np.ones(floats + 16, np.float32), np.ones(floats + 16, np.float32)
        skip = lambda array: array.ctypes.data + (-array.ctypes.data % 64)
        run = lambda times: launcher.copy(ctypes.c_void_p(skip(target)), ctypes.c_void_p(skip(source)), ctypes.c_int64(floats),
                                          ctypes.c_int(threads), ctypes.c_int(times))
        run.keep = (source, target)
        return run
    steps = max(1, int(case.flops / (24 * 16 * 2 * threads)))
    return lambda times: launcher.multiply_add(ctypes.c_int64(steps * times), ctypes.c_int(threads))


def measure(entries, seconds):
    """Returns name → seconds of one run, one figure a round; the order is reversed from round to round."""
    times = {name: max(1, int(SAMPLE_SECONDS / max(min(run(1), run(1)), 1e-7))) for name, run in entries.items()}
    samples = {name: [] for name in entries}
    begin, round_number = time.perf_counter(), 0
    while round_number < 5 or time.perf_counter() - begin < seconds:
        order = list(entries) if round_number % 2 == 0 else list(entries)[::-1]
        for name in order:
            time.sleep(REST_SECONDS)
            entries[name](1)
            samples[name].append(entries[name](times[name]) / times[name])
        round_number += 1
    return samples


def summary(case, kernel, samples, errors, notes):
    ratios = {name: [a / b for a, b in zip(values, samples["ours"])] for name, values in samples.items() if name != "ours"}
    peers = [name for name in ratios if name != "limit"]
    best = min(peers, key=lambda name: statistics.median(samples[name]), default=None)
    quartiles = lambda values: statistics.quantiles(values, n=4)
    return {
        "case": case.name, "config": kernel.facts["config"], "target": kernel.facts["target"],
        "compile_ms": kernel.facts["compile_ms"], "rounds": len(samples["ours"]),
        "median_ms": {name: 1e3 * statistics.median(values) for name, values in samples.items()},
        "spread_ms": {name: [1e3 * min(values), 1e3 * max(values)] for name, values in samples.items()},
        "best_peer": best, "best_peer_over_ours": statistics.median(ratios[best]) if best else None,
        "quartiles": [quartiles(ratios[best])[0], quartiles(ratios[best])[2]] if best else None,
        "share_of_limit": statistics.median(ratios["limit"]), "largest_error": errors, "not_measured": notes,
    }


def line(row):
    figures = "  ".join(f"{name} {value:.3f}" for name, value in row["median_ms"].items())
    told = f"{row['best_peer_over_ours']:.2f} [{row['quartiles'][0]:.2f}, {row['quartiles'][1]:.2f}] of {row['best_peer']}" \
        if row["best_peer"] else "no peer"
    return f"{row['case']:26} {told:40} {100 * row['share_of_limit']:5.0f} % of the limit   ms: {figures}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel-files", required=True, help="the program that writes our kernels: build/bin/kernel_files")
    parser.add_argument("--case", action="append", default=[], help="only cases whose name contains this")
    parser.add_argument("--seconds", type=float, default=5, help="of rounds for each case")
    parser.add_argument("--target", default="", help="of our kernels: x86-64-v3")
    parser.add_argument("--peers", default=",".join(PEERS), help="which others, separated by commas; empty: none")
    parser.add_argument("--configs", help="a JSON file: case → launch configuration")
    parser.add_argument("--json", help="a file for all figures")
    options = parser.parse_args()
    options.peers = [name for name in options.peers.split(",") if name]
    options.configs = json.load(open(options.configs, encoding="utf-8")) if options.configs else {}
    keep_heap()
    threads = len(os.sched_getaffinity(0))
    torch.set_num_threads(threads)
    launcher = build_launcher()
    rows = []
    for case in cases.all_cases():
        if options.case and not any(word in case.name for word in options.case):
            continue
        kernel, entries, errors, notes = entries_of(case, options, launcher, threads)
        entries["limit"] = limit_entry(case, launcher, threads)
        rows.append(summary(case, kernel, measure(entries, options.seconds), errors, notes))
        print(line(rows[-1]), *[f"   {name}: {why}" for name, why in notes.items()], sep="\n", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
