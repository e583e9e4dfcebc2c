#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch_compare.py WANTED RESULT DEVICE [SECONDS] [--again], DEVICE as cuda:0 or cpu: the pieces of WANTED (a line each, as run_all_summary.sh's rows()) in PyTorch,
eager and through torch.compile, on the same device, shapes, element types and mode. After each shape RESULT.json (one document) and
RESULT.rows (model, binding, type, mode, eager and compiled nanoseconds, by tabs) are replaced as a whole, so that a kill loses one shape.
--again keeps what they hold. The last line printed is for people; exit 77 and one line where PyTorch or its device is not there.

On a GPU timed as Fuselab times: a CUDA graph of as many runs as last 200 microseconds, events around its replay, the median of 15. Mode
"warm": each run reads the same inputs and writes the same outputs. Mode "rotating": run after run takes the next of several sets of
inputs and outputs, which together are beyond twice the last cache. Where a graph cannot be captured, plain launches in a row, and the row says so.
On a processor single runs by the host's clock."""
import json
import os
import pathlib
import statistics
import sys
import time

SAMPLES, SHORTEST_SAMPLE, MOST_RUNS = 15, 200e-6, 512


def pieces(torch):
    """Model: what computes it, and its inputs: a shape from the binding, or such a shape and "labels"."""
    nn = torch.nn.functional
    matrix = lambda b: (b["rows"], b["cols"])
    row = lambda b: (b["cols"],)
    heads = lambda b: (b.get("batch", 1), b["heads"], b["seq"], 128)
    angles = lambda width: (lambda b: (b["seq"], width))
    count = lambda b: (b["count"],)

    def residual_rmsnorm(x, residual, weight):
        total = x + residual
        return total, nn.rms_norm(total, total.shape[-1:], weight, 1e-6)

    def turned(x, cos, sin):
        left, right = x.chunk(2, -1)
        return x * cos + torch.cat((-right, left), -1) * sin

    def turned_by_halves(x, cos, sin):
        left, right = x.chunk(2, -1)
        return torch.cat((left * cos - right * sin, left * sin + right * cos), -1)

    def mean_variance(x):
        mean = x.mean(-1, keepdim=True)
        return mean, (x - mean).square().mean(-1, keepdim=True)

    def adam(parameter, gradient, moment, variance):
        moment = moment * 0.9 + gradient * 0.1
        variance = variance * 0.999 + gradient * gradient * 0.001
        return parameter - moment / ((variance * 10.503335278386363).sqrt() + 1e-8) * 0.0010000265621044142, moment, variance

    return {
        "w1-bias-gelu": (lambda x, bias: nn.gelu(x + bias), matrix, row),
        "w2-gelu-written-out": (lambda x: x * (torch.erf(x * 0.7071067811865476) + 1.0) * 0.5, matrix),
        "w3-residual-rmsnorm": (residual_rmsnorm, matrix, matrix, row),
        "w4-layernorm": (lambda x, weight, bias: nn.layer_norm(x, x.shape[-1:], weight, bias), matrix, row, row),
        "w4-rmsnorm": (lambda x, weight: nn.rms_norm(x, x.shape[-1:], weight, 1e-6), matrix, row),
        "w5-softmax": (lambda x: torch.softmax(x, -1), matrix),
        "w5-softmax-op": (lambda x: torch.softmax(x, -1), matrix),
        "w6-swiglu": (lambda gate, up: nn.silu(gate) * up, matrix, matrix),
        # One use of the piece: Fuselab's figure is of one, too.
        "w7-rope": (turned, heads, angles(128), angles(128)),
        "w7-rope-op": (turned_by_halves, heads, angles(64), angles(64)),
        "w8-cross-entropy": (lambda x, labels: nn.cross_entropy(x, labels, reduction="none"), lambda b: (b["rows"], b["vocab"]),
                             ("labels", lambda b: (b["rows"],))),
        "w13-mean-variance": (mean_variance, matrix),
        "w13-row-sum": (lambda x: x.sum(-1, keepdim=True), matrix),
        "w14-adam": (adam, count, count, count, count),
        # PyTorch's products are cuBLAS's or cuBLASLt's, its attention cuDNN's or its own flash kernels, its convolution cuDNN's.
        "w10-matmul-bias-gelu": (lambda x, weight, bias: nn.gelu(x @ weight + bias), lambda b: (b["m"], b["k"]), lambda b: (b["k"], b["n"]), lambda b: (b["n"],)),
        "s1-matmul": (lambda a, b: a @ b, lambda b: (b["m"], b["k"]), lambda b: (b["k"], b["n"])),
        "s1-matmul-vec": (lambda w, x: w @ x, matrix, row),
        "w12-attention": (lambda q, k, v: nn.scaled_dot_product_attention(q, k, v), heads, heads, heads),
        "w13-full-sum": (lambda x: x.sum(), matrix),
    }


def made(torch, shapes, binding, dtype, device):
    """One set of inputs. The bytes of a run's outputs are about those of its largest input, for how many sets rotate."""
    tensors = []
    for each in shapes:
        if isinstance(each, tuple):
            tensors.append(torch.randint(0, binding["vocab"], each[1](binding), device=device))
        else:
            tensors.append(torch.rand(each(binding), device=device).to(dtype))
    return tensors


def seconds_on_host(run, inputs, budget):
    samples, end = [], time.monotonic() + budget
    while len(samples) < 5 or (time.monotonic() < end and len(samples) < 50):
        start = time.perf_counter()
        run(*inputs)
        samples.append(time.perf_counter() - start)
    return statistics.median(samples), "host clock"


def seconds_on_gpu(torch, run, sets):
    """Median seconds of one run over these sets of inputs, and how it was timed."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for each in (sets * 3)[:max(3, len(sets))]:
            run(*each)
    torch.cuda.synchronize()

    def between_events(work):
        begin, finish = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        finish.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(finish) * 1e-3

    def in_a_row(runs):
        kept = []  # sets of outputs that rotate stay apart; where nothing rotates, the next run gets the memory of the one before
        for index in range(runs):
            outputs = run(*sets[index % len(sets)])
            if len(sets) > 1:
                kept = (kept + [outputs])[-len(sets):]

    def captured(runs):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            in_a_row(runs)
        return graph

    how = "graph"
    try:
        one = captured(len(sets))
        one.replay()
        once = min(between_events(one.replay) for _ in range(3)) / len(sets)
        runs = min(MOST_RUNS, max(1, round(SHORTEST_SAMPLE / max(once, 1e-7))))
        runs = -(-runs // len(sets)) * len(sets)
        work = captured(runs).replay
    except RuntimeError:
        torch.cuda.synchronize()
        how, runs = "launches", max(16, len(sets))
        work = lambda: in_a_row(runs)
    work()
    return statistics.median(between_events(work) / runs for _ in range(SAMPLES)), how


def compared(torch, wanted, device, cache_bytes):
    run, *shapes = pieces(torch)[wanted["model"]]
    binding = {name: int(value) for name, value in (part.split("=") for part in wanted["binding"].split(","))}
    dtype = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64}[wanted["dtype"] or "f32"]
    sets = [made(torch, shapes, binding, dtype, device)]
    if wanted["mode"] == "rotating" and device == "cuda":
        # As Fuselab counts them: twice the cache by what a run reads, since results may be written past it.
        read = sum(tensor.numel() * tensor.element_size() for tensor in sets[0])
        wanted_sets = -(-2 * cache_bytes // max(1, read)) + 1
        sets += [[tensor.clone() for tensor in sets[0]] for _ in range(min(MOST_RUNS, wanted_sets) - 1)]
    row = dict(wanted, sets=len(sets))
    torch.compiler.reset()
    for label, candidate in (("eager", run), ("compiled", torch.compile(run, dynamic=False))):
        try:
            if device == "cuda":
                seconds, row[f"{label}_timed_by"] = seconds_on_gpu(torch, candidate, sets)
            else:
                seconds, row[f"{label}_timed_by"] = seconds_on_host(candidate, sets[0], 0.2)
            row[f"{label}_ns"] = seconds * 1e9
            row[f"{label}_over_fuselab"] = row[f"{label}_ns"] / row["fuselab_ns"]
        except Exception as error:  # a shape that this version of PyTorch does not take is one row's own matter
            row[f"{label}_failed"] = (str(error).splitlines() or [type(error).__name__])[0][:200]
    return row


def replace(path, text):
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, path)


def write(result, base):
    rows = ["\t".join([row["model"], row["binding"], row["dtype"], row["mode"]] + [str(row.get(f"{label}_ns", "-")) for label in ("eager", "compiled")])
            for row in result["rows"]]
    replace(base.with_name(base.name + ".rows"), "".join(line + "\n" for line in rows))
    replace(base.with_name(base.name + ".json"), json.dumps(result, indent=2) + "\n")


def asked_for(path):
    fields = ("kind", "family", "how", "mode", "model", "binding", "dtype", "ns", "low", "high", "ideal", "share", "bytes")
    for line in path.read_text(encoding="utf-8").splitlines():
        named = dict(zip(fields, line.split("\t")))
        yield {"model": named["model"], "binding": named["binding"], "dtype": named["dtype"], "mode": named["mode"],
               "bytes": int(float(named["bytes"])), "fuselab_ns": float(named["ns"])}


def main():
    arguments = [each for each in sys.argv[1:] if each != "--again"]
    wanted, base, backend = list(asked_for(pathlib.Path(arguments[0]))), pathlib.Path(arguments[1]), arguments[2]
    limit = float(arguments[3]) if len(arguments) > 3 else 60
    started = time.monotonic()
    try:
        import torch
    except ImportError as error:
        print(f"SKIPPED: PyTorch is not here ({error})")
        return 77
    backend, _, ordinal = backend.partition(":")
    device = "cuda" if backend in ("cuda", "rocm") else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        print(f"SKIPPED: PyTorch {torch.__version__} sees no GPU")
        return 77
    if device == "cuda":
        torch.cuda.set_device(int(ordinal or 0))
    properties = torch.cuda.get_device_properties(int(ordinal or 0)) if device == "cuda" else None
    cache_bytes = getattr(properties, "L2_cache_size", 64 << 20)
    result = {"torch": torch.__version__, "device": properties.name if properties else "cpu", "rows": [], "left_out": 0}
    key = lambda row: (row["model"], row["binding"], row["dtype"], row["mode"])
    stored = base.with_name(base.name + ".json")
    if "--again" in sys.argv and stored.exists():
        result["rows"] = json.loads(stored.read_text(encoding="utf-8"))["rows"]
    done = {key(row) for row in result["rows"]}
    newest = {key(row): row["fuselab_ns"] for row in wanted}
    for row in result["rows"]:
        row["fuselab_ns"] = newest.get(key(row), row["fuselab_ns"])  # it may have been tuned since
        for label in ("eager", "compiled"):
            if f"{label}_ns" in row:
                row[f"{label}_over_fuselab"] = row[f"{label}_ns"] / row["fuselab_ns"]
    todo = [row for row in wanted if key(row) not in done and row["model"] in pieces(torch)]
    for index, row in enumerate(todo):
        result["left_out"] = len(todo) - index
        if time.monotonic() - started > limit:
            break
        try:
            result["rows"].append(compared(torch, row, device, cache_bytes))
        except Exception as error:  # no memory, a device that was lost: what is there stays
            result["rows"].append(dict(row, eager_failed=(str(error).splitlines() or [type(error).__name__])[0][:200]))
        result["left_out"] = len(todo) - index - 1
        write(result, base)
    write(result, base)
    print(f"PyTorch {torch.__version__}, eager and torch.compile in its default mode on {result['device']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
