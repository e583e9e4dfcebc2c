# SPDX-License-Identifier: Apache-2.0
"""Our kernels beside what the machine can do at most, without peers: convolutions over one and three axes, products of few rows,
and operators that only move. Needs numpy alone. Several programs, as of two builds, are measured in the same rounds."""

import argparse
import ctypes
import os
import statistics
import time

import numpy as np

from kernel import Kernel, aligned, build_launcher

SAMPLE_SECONDS = 0.02  # of one entry in one round
REST_SECONDS = 0.01


def convolution(name, channels, extents, results, kernel, pads, strides=None, group=1, dilation=1):
    axes = range(len(extents))
    strides = strides or [1 for _ in axes]
    out = [(extents[i] + 2 * pads[i] - (kernel[i] - 1) * dilation - 1) // strides[i] + 1 for i in axes]
    graph = (f"graph(x: f32{[1, channels, *extents]}, w: param f32{[results, channels // group, *kernel]}, b: param f32[{results}]) {{ "
             f"c = Conv(x, w, b, pads={pads + pads}, strides={strides}, dilations={[dilation for _ in axes]}, group={group}); "
             f"y = Relu(c); return y }}")
    return {"name": name, "graph": graph, "flops": 2.0 * results * channels // group * np.prod(kernel) * np.prod(out)}


def product(rows, constant=True, depth=2048, columns=5632):
    matrix = f"w: {'param ' if constant else ''}f32[{depth},{columns}]"
    graph = f"graph(x: f32[{rows},{depth}], {matrix}) {{ y = MatMul(x, w); return y }}"
    return {"name": f"product of {rows} x {depth} x {columns}{'' if constant else ', computed'}", "graph": graph, "flops": 2.0 * rows * depth * columns,
            "read": 4 * depth * columns}


def moved(name, inputs, line, elements=2 << 24, indices=0):
    return {"name": name, "graph": f"graph({inputs}) {{ {line}; return y }}", "bytes": 4.0 * elements, "indices": indices}


def all_cases():
    volumes = [convolution("volume 64->64, 8x28x28, 3x3x3", 64, [8, 28, 28], 64, [3, 3, 3], [1, 1, 1]),
               convolution("volume 64->128 by 2, 8x56x56, 3x3x3", 64, [8, 56, 56], 128, [3, 3, 3], [1, 1, 1], [2, 2, 2]),
               convolution("volume 256->256, 4x14x14, 3x3x3", 256, [4, 14, 14], 256, [3, 3, 3], [1, 1, 1]),
               convolution("volume 3->64, 8x112x112, 3x7x7", 3, [8, 112, 112], 64, [3, 7, 7], [1, 3, 3], [1, 2, 2]),
               convolution("volume 64->64, 8x28x28, 3x1x1", 64, [8, 28, 28], 64, [3, 1, 1], [1, 0, 0]),
               convolution("volume 64->256, 8x28x28, 1x1x1", 64, [8, 28, 28], 256, [1, 1, 1], [0, 0, 0]),
               convolution("volume depthwise 64, 8x28x28, 3x3x3", 64, [8, 28, 28], 64, [3, 3, 3], [1, 1, 1], group=64)]
    lines = [convolution("line 80->512, 3000, 3", 80, [3000], 512, [3], [1]),
             convolution("line 512->512 by 2, 3000, 3", 512, [3000], 512, [3], [1], [2]),
             convolution("line 512->512 dilated by 4, 200, 3", 512, [200], 512, [3], [4], dilation=4),
             convolution("line 1->512 by 5, 16000, 10", 1, [16000], 512, [10], [0], [5]),
             convolution("line depthwise 256, 1000, 31", 256, [1000], 256, [31], [15], group=256)]
    movements = [
        moved("gather rows of 1024", "x: f32[16384,1024], i: i64[16384]", "y = Gather(x, i, axis=0)", indices=16384),
        moved("gather rows of 64", "x: f32[262144,64], i: i64[262144]", "y = Gather(x, i, axis=0)", indices=262144),
        moved("gather columns", "x: f32[4096,4096], i: i64[4096]", "y = Gather(x, i, axis=1)", indices=4096),
        moved("gather groups of 8", "x: f32[4096,512,8], i: i64[512]", "y = Gather(x, i, axis=1)", indices=512),
        moved("pad images by 1", "x: f32[1,64,512,512]", "y = Pad(x, pads=[0,0,1,1,0,0,1,1])"),
        moved("pad rows by 64", "x: f32[4096,4096]", "y = Pad(x, pads=[0,64,0,64])"),
        moved("pad images by 1, reflected", "x: f32[1,64,512,512]", "y = Pad(x, pads=[0,0,1,1,0,0,1,1], mode=\"reflect\")"),
        moved("concat 2 x 2048x4096", "x: f32[2048,4096], z: f32[2048,4096]", "y = Concat(x, z, axis=0)"),
        moved("concat rows of 16", "x: f32[524288,16], z: f32[524288,16]", "y = Concat(x, z, axis=1)"),
        moved("slice rows 4096 of 8192", "x: f32[4096,8192]", "y = Slice(x, starts=[100], ends=[4196], axes=[1])"),
        moved("slice every second", "x: f32[4096,8192]", "y = Slice(x, starts=[0], ends=[8192], axes=[1], steps=[2])", 3 << 24),
        moved("slice backwards", "x: f32[4096,4096]", "y = Slice(x, starts=[-1], ends=[-5000], axes=[1], steps=[-1])"),
        moved("transpose 4096x4096", "x: f32[4096,4096]", "y = Transpose(x, perm=[1,0])"),
        moved("transpose heads 16x1024x16x64", "x: f32[16,1024,16,64]", "y = Transpose(x, perm=[0,2,1,3])"),
        moved("transpose keys 16x1024x16x64", "x: f32[16,1024,16,64]", "y = Transpose(x, perm=[0,2,3,1])"),
        moved("64 channels last", "x: f32[1,64,512,512]", "y = Transpose(x, perm=[0,2,3,1])"),
        moved("64 channels first", "x: f32[1,512,512,64]", "y = Transpose(x, perm=[0,3,1,2])"),
        moved("scatter 2036 updates", "x: f32[4096,4096], i: i64[2036,1], u: f32[2036,1]", "y = ScatterElements(x, i, u, axis=1)",
              indices=4096),
        moved("scatter 2036 updates along rows", "x: f32[4096,4096], i: i64[1,2036], u: f32[1,2036]",
              "y = ScatterElements(x, i, u, axis=0)", indices=4096),
        moved("scatter every element in its row", "x: f32[4096,4096], i: i64[4096,4096], u: f32[4096,4096]",
              "y = ScatterElements(x, i, u, axis=1)", 5 << 24, indices=4096)]
    products = [product(rows) for rows in (1, 2, 3, 4, 5, 6, 7, 8, 12, 16)] + [product(rows, constant=False) for rows in (2, 4)]
    return volumes + lines + products + movements


def copy_of(launcher, size, threads):
    """A copy with stores that bypass the caches; half of the bytes are read, half written."""
    floats = int(size / 8) // 16 * 16
    source, target = aligned(floats), aligned(floats)
    source[:] = 1
    run = lambda times: launcher.copy(ctypes.c_void_p(target.ctypes.data), ctypes.c_void_p(source.ctypes.data), ctypes.c_int64(floats),
                                      ctypes.c_int(threads), ctypes.c_int(times))
    run.kept = (source, target)
    return run


def multiply_adds(launcher, flops, threads):
    steps = max(1, int(flops / (24 * 16 * 2 * threads)))
    return lambda times: launcher.multiply_add(ctypes.c_int64(steps * times), ctypes.c_int(threads))


def bound(case, kernel):
    random = np.random.default_rng(1)
    inputs = kernel.random_inputs(random)
    for array, values in zip(kernel.arrays, inputs):
        if array.dtype.kind == "i":
            values[:] = random.integers(0, case["indices"], values.size)
    return kernel.bind(inputs)


def measure(entries, seconds):
    times = {name: max(1, int(SAMPLE_SECONDS / max(min(run(1), run(1)), 1e-7))) for name, run in entries.items()}
    samples = {name: [] for name in entries}
    begin, rounds = time.perf_counter(), 0
    while rounds < 5 or time.perf_counter() - begin < seconds:
        for name in list(entries)[:: 1 if rounds % 2 == 0 else -1]:
            time.sleep(REST_SECONDS)
            entries[name](1)
            samples[name].append(entries[name](times[name]) / times[name])
        rounds += 1
    return samples


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return middle, low, high


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+", help="programs that write our kernels: build/bin/kernel_files")
    parser.add_argument("--case", action="append", default=[], help="only cases whose name contains this")
    parser.add_argument("--seconds", type=float, default=2, help="of rounds for each case")
    options = parser.parse_args()
    threads = len(os.sched_getaffinity(0))
    launcher = build_launcher()
    one = bound({}, Kernel(launcher, options.programs[0], product(1)["graph"]))
    for case in all_cases():
        if options.case and not any(word in case["name"] for word in options.case):
            continue
        kernels = {program: bound(case, Kernel(launcher, program, case["graph"])) for program in options.programs}
        entries = {program: kernel.run for program, kernel in kernels.items()}
        limits = {"fma": multiply_adds(launcher, case["flops"], threads)} if "flops" in case else {"copy": copy_of(launcher, case["bytes"], threads)}
        if "read" in case:  # the matrix must be read, and one row reads it at the machine's rate
            limits["one row"] = one.run
        samples = measure({**entries, **limits}, options.seconds)
        least = [max(of_round) for of_round in zip(*[samples[name] for name in limits])]
        for program, kernel in kernels.items():
            share, low, high = quartiles([100 * a / b for a, b in zip(least, samples[program])])
            took = statistics.median(samples[program])
            rate = f"{case['flops'] / took / 1e9:.0f} GFLOP/s" if "flops" in case else f"{case['bytes'] / took / 1e9:.1f} GB/s"
            told = ", ".join(f"{name} {1e3 * statistics.median(samples[name]):.3f} ms" for name in limits)
            print(f"{case['name']:36} {1e3 * took:9.3f} ms {rate:>13} {share:4.0f} % [{low:.0f}, {high:.0f}] of the limit ({told}) "
                  f"{program if len(kernels) > 1 else ''} {kernel.facts['config']}", flush=True)


if __name__ == "__main__":
    main()
