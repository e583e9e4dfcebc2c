# SPDX-License-Identifier: Apache-2.0
"""What production runs of real models: each is exported, the loader runs the bundle, and its outputs meet ONNX Runtime's. Prints a
Markdown table with both times.

    venv/bin/python tests/models/bundles_against_onnxruntime.py --fuselab build/bin/fuselab --loader build/lib/libfuselab_loader.so models/*.onnx

Models, extents and --open are those of against_onnxruntime.py. Both run in this process with as many threads as they like, in blocks that
alternate, each after a pause and 50 ms of runs that do not count, so that neither's waiting threads disturb the other and its own are
awake; times are medians."""

import argparse
import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

from against_onnxruntime import Compared, print_table

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "resources/examples/consumer"))
from run_model import Error, Model, aligned  # noqa: E402

BLOCKS, RUNS, PAUSE, WARM = 5, 5, 0.05, 0.05
TYPES = {"f32": np.float32, "f64": np.float64, "i64": np.int64, "i32": np.int32, "bool": np.bool_, "f16": np.float16, "u8": np.uint8, "i8": np.int8}


class Loaded:
    """The first model of a bundle, with memory of its own for every input and output."""

    def __init__(self, library, file, key, inputs):
        self.loader, self.error = ctypes.CDLL(library), Error()
        self.loader.fl_model_at.restype = ctypes.POINTER(Model)
        self.bundle, self.context = ctypes.c_void_p(), ctypes.c_void_p()
        keys = (ctypes.c_char_p * 1)(key.encode())
        begin = time.perf_counter()
        self.check(self.loader.fl_open(file.encode(), keys, ctypes.c_size_t(1), 0, ctypes.byref(self.bundle), ctypes.byref(self.error)))
        self.open_ms = 1e3 * (time.perf_counter() - begin)
        zero = ctypes.c_size_t(0)
        self.check(self.loader.fl_context_create(self.bundle, zero, None, None, ctypes.byref(self.context), ctypes.byref(self.error)))
        self.model = self.loader.fl_model_at(self.bundle, zero).contents
        self.held = []
        for i in range(self.model.input_count):
            data = np.ascontiguousarray(inputs[self.model.inputs[i].name.decode()]).tobytes()
            ctypes.memmove(self.bind(self.loader.fl_bind_input, self.model.inputs[i]), data, len(data))
        self.addresses = [self.bind(self.loader.fl_bind_output, self.model.outputs[i]) for i in range(self.model.output_count)]

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.error.message.decode())

    def bind(self, function, tensor):
        self.held.append(aligned(tensor.bytes))
        address = self.held[-1][1]
        self.check(function(self.context, tensor.name, ctypes.c_void_p(address), ctypes.c_size_t(tensor.bytes), ctypes.byref(self.error)))
        return address

    def run(self):
        self.check(self.loader.fl_run(self.context, ctypes.byref(self.error)))

    def outputs(self):
        for i, address in enumerate(self.addresses):
            tensor = self.model.outputs[i]
            numbers = np.frombuffer(ctypes.string_at(address, tensor.bytes), TYPES[tensor.dtype.decode()])
            yield tensor.name.decode(), numbers.reshape([tensor.shape[axis] for axis in range(tensor.rank)])

    def close(self):
        self.loader.fl_context_destroy(self.context)
        self.loader.fl_close(self.bundle)


def block_of(run):
    time.sleep(PAUSE)
    end = time.perf_counter() + WARM
    run()
    while time.perf_counter() < end:
        run()
    times = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - begin))
    return times


def row_of(options, path, given, folder):
    compared = Compared(options, path, given, folder)
    expected = dict(zip([each.name for each in compared.session.get_outputs()], compared.session.run(None, compared.inputs)))
    file = f"{folder}/model.fuselab"
    words = [options.fuselab, "export", path, "--to", file, "--allow-unconfirmed", "--quiet", *compared.shape_words()]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    loaded = Loaded(options.loader, file, options.key, compared.inputs)
    loaded.run()
    met, worst = True, (0.0, 0.0)
    for name, numbers in loaded.outputs():
        error, largest = float(np.abs(numbers - expected[name]).max()), float(np.abs(expected[name]).max())
        met = met and np.allclose(numbers, expected[name], rtol=1e-3, atol=1e-4 * max(largest, 1))
        worst = max(worst, (error, largest), key=lambda pair: pair[0] / max(pair[1], 1e-30))
    ours, theirs = [], []
    for _ in range(BLOCKS):
        ours += block_of(loaded.run)
        theirs += block_of(lambda: compared.session.run(None, compared.inputs))
    loaded.close()
    medians = statistics.median(ours), statistics.median(theirs)
    return (f"{os.path.getsize(file) / 1e6:.1f} | {loaded.open_ms:.1f} | {'yes' if met else 'NO'} | {worst[0]:.1e} beside {worst[1]:.3g} | "
            f"{medians[0]:.2f} | {medians[1]:.2f} | {medians[0] / medians[1]:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--fuselab", required=True)
    parser.add_argument("--loader", required=True)
    parser.add_argument("--open", type=int, default=2, help="of extents that are not given")
    options = parser.parse_args()
    options.key = subprocess.run([options.fuselab, "trust", "list"], capture_output=True, text=True, check=True).stdout.split("fuselab-ed25519 ")[1].split()[0]
    columns = ["bundle, MB", "open, ms", "meets", "largest error", "loader, ms", "ONNX Runtime, ms", "ratio"]
    return print_table(columns, options.models, lambda path, given, folder: row_of(options, path, given, folder))


if __name__ == "__main__":
    sys.exit(main())
