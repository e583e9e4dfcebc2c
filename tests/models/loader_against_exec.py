#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What production runs beside what `exec` runs and what `compare` says: each model is exported, and `exec --steady` and the loader take turns
on the same input. Prints a Markdown table.

    tests/models/loader_against_exec.py --fuselab build/bin/fuselab --loader build/lib/libfuselab_loader.so resnet50

The loader's time is of a whole fl_run(), the median of a block of runs; that of `exec` the sum of its kernels' steady times; compare's total
is that of its pieces, each measured by itself. Time and range are the median, the least and the largest of the rounds; a ratio is of the two
times of one round. It needs nothing that is not in Python."""
import argparse
import array
import ctypes
import json
import math
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "resources/examples/consumer"))
from run_model import Error, Model, Tensor, aligned  # noqa: E402

RUNS, RESTED, WARM, PAUSE = 9, 60, 0.1, 0.05
TYPES = {"f32": ("f", "<f4"), "f64": ("d", "<f8"), "i64": ("q", "<i8"), "i32": ("i", "<i4")}


def npy(kind, values, shape):
    """NumPy's array file, version 1.0."""
    text = "(" + "".join(f"{extent}," for extent in shape) + ")"
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {text}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values.tobytes()


def words_of(options, *words):
    done = subprocess.run([options.fuselab, *options.options, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


class Loaded:
    """The model of a bundle whose inputs have the sizes of these, bound to them."""

    def __init__(self, options, file, inputs):
        self.loader, self.error = ctypes.CDLL(options.loader), Error()
        self.loader.fl_model_at.restype = ctypes.POINTER(Model)
        self.bundle, self.context = ctypes.c_void_p(), ctypes.c_void_p()
        keys, index = (ctypes.c_char_p * 1)(options.key.encode()), ctypes.c_size_t(0)
        given = (Tensor * len(inputs))(*(Tensor(name=name.encode(), bytes=len(data)) for name, data in inputs.items()))
        began = time.perf_counter()
        self.check(self.loader.fl_open(file.encode(), keys, ctypes.c_size_t(1), 0, ctypes.byref(self.bundle), ctypes.byref(self.error)))
        self.opened = 1e3 * (time.perf_counter() - began)
        self.check(self.loader.fl_find_fitting(self.bundle, None, given, ctypes.c_size_t(len(inputs)), ctypes.byref(index), ctypes.byref(self.error)))
        self.check(self.loader.fl_context_create(self.bundle, index, None, None, ctypes.byref(self.context), ctypes.byref(self.error)))
        model = self.loader.fl_model_at(self.bundle, index).contents
        self.held = [aligned(model.inputs[i].bytes) for i in range(model.input_count)]
        for i, (_, address) in enumerate(self.held):
            data = inputs[model.inputs[i].name.decode()]
            ctypes.memmove(address, data, len(data))
            self.bind(self.loader.fl_bind_input, model.inputs[i], address)
        self.outputs = [(model.outputs[i].bytes, aligned(model.outputs[i].bytes)) for i in range(model.output_count)]
        for i, (_, (_, address)) in enumerate(self.outputs):
            self.bind(self.loader.fl_bind_output, model.outputs[i], address)

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.error.message.decode())

    def bind(self, function, tensor, address):
        self.check(function(self.context, tensor.name, ctypes.c_void_p(address), ctypes.c_size_t(tensor.bytes), ctypes.byref(self.error)))

    def run(self):
        self.check(self.loader.fl_run(self.context, ctypes.byref(self.error)))

    def block(self):
        """The median time of a run, in milliseconds, once its threads and caches are awake."""
        time.sleep(PAUSE)
        end, times = time.perf_counter() + WARM, []
        while time.perf_counter() < end:
            self.run()
        for _ in range(RUNS):
            begin = time.perf_counter()
            self.run()
            times.append(1e3 * (time.perf_counter() - begin))
        return statistics.median(times)

    def rested(self, seconds):
        """The times of single runs, each after such a rest, in milliseconds."""
        times = []
        for _ in range(RESTED):
            time.sleep(seconds)
            begin = time.perf_counter()
            self.run()
            times.append(1e3 * (time.perf_counter() - begin))
        return times

    def bits(self):
        return [ctypes.string_at(address, size) for size, (_, address) in self.outputs]


def make_inputs(model, folder, seed):
    """The bytes of each input by its name, and the words that give `exec` the same."""
    numbers, inputs, words = random.Random(seed), {}, []
    for tensor in model["inputs"]:
        code, kind = TYPES[tensor["dtype"]]
        count = math.prod(tensor["shape"])
        values = array.array(code, ((numbers.uniform(-1, 1) if code in "fd" else numbers.randrange(2)) for _ in range(count)))
        path = folder / f"input-{len(inputs)}.npy"
        path.write_bytes(npy(kind, values, tensor["shape"]))
        inputs[tensor["name"]] = values.tobytes()
        words += ["--input", f"{tensor['name']}={path}"]
    return inputs, words


def total_of(options, subject):
    """What compare says that this processor's plans take together, in milliseconds, and how many pieces of how many were measured."""
    try:
        document = json.loads(words_of(options, "compare", subject, "--json"))
    except RuntimeError:  # nothing of it was
        return 0.0, 0, 0
    for total in document["models"][0]["totals"]:
        if total["device"] == "cpu:0":
            return 1e-6 * total.get("fused_ns", 0), total["measured_pieces"], total["pieces"]
    return 0.0, 0, 0


def spread(values, digits=2):
    return f"{statistics.median(values):.{digits}f} [{min(values):.{digits}f}, {max(values):.{digits}f}]"


def row_of(options, subject, folder):
    file = str(folder / "model.fuselab")
    document = json.loads(words_of(options, "export", subject, "--to", file, "--allow-unconfirmed", "--json"))
    inputs, words = make_inputs(document["models"][0], folder, 1)
    loaded, ours, theirs = Loaded(options, file, inputs), [], []
    for _ in range(options.rounds):
        done = json.loads(words_of(options, "exec", subject, "--prefer", "cpu:0", "--no-fallback", *words, "--steady", str(RUNS), "--save", str(folder / "out"), "--json"))
        theirs.append(1e-6 * sum(use["steady_ns"] for use in done["subjects"][0]["runs"][-1]["pieces"]))
        ours.append(loaded.block())
    after_rest = f" {spread(loaded.rested(1e-3 * options.rest), 3)} |" if options.rest else ""
    alike = all((folder / f"out/output-{i}.bin").read_bytes() == bits for i, bits in enumerate(loaded.bits()))
    total, measured, pieces = total_of(options, subject)
    said = f"{total:.2f} ({measured} of {pieces} pieces) | {statistics.median(ours) / total:.2f}" if total > 0 else "not measured | –"
    return f"| {subject} | {'the same bits' if alike else 'OTHER BITS'} | {spread(ours, 3)} | {spread(theirs, 3)} | {spread([a / b for a, b in zip(ours, theirs)])} | {said} |{after_rest}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--fuselab", required=True)
    parser.add_argument("--loader", required=True)
    parser.add_argument("--db", help="of the results, where it is not the usual one")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rest", type=float, help="also time single runs of the loader, each after so many milliseconds of rest")
    options = parser.parse_args()
    options.options = ["--db", options.db] if options.db else []
    options.key = json.loads(words_of(options, "trust", "list", "--json"))["own_key"]
    columns = ["model", "outputs", "loader, ms", "`exec`, ms", "ratio", "`compare`'s total, ms", "loader over it"] + (["after a rest, ms"] if options.rest else [])
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    for subject in options.models:
        with tempfile.TemporaryDirectory() as folder:
            print(row_of(options, subject, pathlib.Path(folder)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
