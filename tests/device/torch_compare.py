#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch_compare.py FOLDER [SECONDS]: the same pieces in PyTorch, eager and compiled, on the same device type and shapes as Fuselab's results in
FOLDER (documents of `fuselab tune --json`, one a file). Prints one JSON document; exit 77 with one line where PyTorch cannot run.

Timed like Fuselab's graph replays: CUDA graphs of many runs over rotating buffers larger than the last cache, events around the whole, the
median of the samples. Where a graph cannot be captured, plain launches in a row, and the row says so."""
import json
import pathlib
import statistics
import sys
import time


def bias_gelu(torch):
    return lambda x, bias: torch.nn.functional.gelu(x + bias), ("matrix", "row")


def residual_rmsnorm(torch):
    def run(x, residual, weight):
        total = x + residual
        wide = total.float()
        return total, (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * weight
    return run, ("matrix", "matrix", "row")


def layernorm(torch):
    return lambda x, weight, bias: torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias), ("matrix", "row", "row")


def rmsnorm(torch):
    return lambda x, weight: torch.nn.functional.rms_norm(x, x.shape[-1:], weight, 1e-6), ("matrix", "row")


def softmax(torch):
    return lambda x: torch.softmax(x, -1), ("matrix",)


def swiglu(torch):
    return lambda gate, up: torch.nn.functional.silu(gate) * up, ("matrix", "matrix")


PIECES = {"w1-bias-gelu": bias_gelu, "w3-residual-rmsnorm": residual_rmsnorm, "w4-layernorm": layernorm, "w4-rmsnorm": rmsnorm,
          "w5-softmax": softmax, "w5-softmax-op": softmax, "w6-swiglu": swiglu}
ROTATED_BYTES = 256 << 20


def seconds_of(torch, run, buffers, device, budget):
    """Median seconds of one run, and how it was timed."""
    if device == "cpu":
        samples, end = [], time.monotonic() + budget
        while len(samples) < 5 or (time.monotonic() < end and len(samples) < 50):
            start = time.perf_counter()
            run(*buffers[len(samples) % len(buffers)])
            samples.append(time.perf_counter() - start)
        return statistics.median(samples), "host clock"
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for each in buffers:
            run(*each)
    torch.cuda.synchronize()
    how, replay = "graph", None
    try:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = [run(*each) for each in buffers]  # their outputs stay apart, as a user's do
        replay = graph.replay
    except RuntimeError:
        torch.cuda.synchronize()
        how, kept = "launches", None
        replay = lambda: [run(*each) for each in buffers]
    samples, end = [], time.monotonic() + budget
    while len(samples) < 5 or (time.monotonic() < end and len(samples) < 50):
        begin, finish = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        replay()
        finish.record()
        torch.cuda.synchronize()
        samples.append(begin.elapsed_time(finish) * 1e-3 / len(buffers))
    del kept
    return statistics.median(samples), how


def compared(torch, document, device, budget):
    rows = []
    for model in document.get("models", []):
        name, binding = model["model"], dict(part.split("=") for part in model["binding"].split(",") if "=" in part)
        if name not in PIECES or "rows" not in binding:
            continue
        cell = next((cell for row in model["rows"] for cell in row["cells"] if cell.get("fused", {}).get("median_ns")), None)
        dtype = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64}[model["dtype"] or "f32"]
        run, kinds = PIECES[name](torch)
        shape = {"matrix": (int(binding["rows"]), int(binding["cols"])), "row": (int(binding["cols"]),)}
        of_one = sum(torch.empty(shape[kind], dtype=dtype, device="meta").nbytes for kind in kinds)
        copies = max(1, min(8, -(-ROTATED_BYTES // max(1, of_one)))) if device != "cpu" else 1
        buffers = [[torch.randn(shape[kind], device=device).to(dtype) for kind in kinds] for _ in range(copies)]
        row = {"model": name, "binding": model["binding"], "dtype": model["dtype"]}
        if cell:
            row["fuselab_ns"] = cell["fused"]["median_ns"]
        for label, candidate in (("eager", run), ("compiled", torch.compile(run, dynamic=False))):
            try:
                seconds, how = seconds_of(torch, candidate, buffers, device, budget)
                row[f"{label}_ns"], row[f"{label}_timed_by"] = seconds * 1e9, how
                if cell:
                    row[f"{label}_over_fuselab"] = row[f"{label}_ns"] / row["fuselab_ns"]
            except Exception as error:  # a shape that this version of PyTorch does not take is one row's own matter
                row[f"{label}_failed"] = str(error).splitlines()[0][:200]
        rows.append(row)
        torch.compiler.reset()
    return rows


def main():
    folder = pathlib.Path(sys.argv[1])
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    started = time.monotonic()
    try:
        import torch
    except ImportError as error:
        print(f"SKIPPED: PyTorch is not here ({error})")
        return 77
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    result = {"torch": torch.__version__, "device": torch.cuda.get_device_name() if device == "cuda" else "cpu", "rows": [], "left_out": 0}
    for index, document in enumerate(documents):
        if time.monotonic() - started > limit:
            result["left_out"] = len(documents) - index
            break
        result["rows"] += compared(torch, document, device, 0.4)
    print(json.dumps(result, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
