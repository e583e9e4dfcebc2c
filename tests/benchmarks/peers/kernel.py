# SPDX-License-Identifier: Apache-2.0
"""A kernel of the cpu backend, made by the program kernel_files and called in this process."""

import copy
import ctypes
import json
import pathlib
import subprocess
import tempfile

import numpy as np

FOLDER = pathlib.Path(__file__).parent
CACHE_LINE = 64


def build_launcher():
    """Compiles launch.c for this machine."""
    to = pathlib.Path(tempfile.mkdtemp()) / "launch.so"
    flags = ["-O2", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC", "-std=gnu11", "-Wno-psabi"]
    subprocess.run(["cc", *flags, str(FOLDER / "launch.c"), "-o", str(to)], check=True)
    library = ctypes.CDLL(str(to))
    for name in ("launch", "copy", "multiply_add"):
        getattr(library, name).restype = ctypes.c_double
    return library


def aligned(elements, dtype=np.float32):
    """An array that begins at a cache line."""
    raw = np.zeros(elements * np.dtype(dtype).itemsize + CACHE_LINE, np.uint8)
    skip = -raw.ctypes.data % CACHE_LINE
    return raw[skip:skip + elements * np.dtype(dtype).itemsize].view(dtype)


DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8,
          "u64": np.uint64, "u32": np.uint32, "u16": np.uint16, "u8": np.uint8, "bool": np.uint8}


class Kernel:
    """The kernel of one graph, with arrays of its own for every argument."""

    def __init__(self, launcher, program, graph, config="default", target=""):
        folder = tempfile.mkdtemp()
        words = [program, folder, graph, config] + ([target] if target else [])
        made = subprocess.run(words, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise RuntimeError(made.stderr.strip())
        self.facts = json.loads(made.stdout)
        self.launcher = launcher
        self.library = ctypes.CDLL(f"{folder}/kernel.so")
        self.arrays = [aligned(int(np.prod(each["extents"])), DTYPES[each["dtype"]]) for each in self.facts["arguments"]]

    def twin(self):
        """The same kernel with arrays of its own."""
        other = copy.copy(self)
        other.arrays = [aligned(array.size, array.dtype) for array in self.arrays]
        return other

    def bind(self, inputs):
        """Fills the inputs, lays constant ones out ahead and returns self."""
        for array, value in zip(self.arrays, inputs):
            array[:] = value.ravel()
        addresses = [array.ctypes.data for array in self.arrays]
        before = self.facts.get("preparation")
        if before:
            self.prepared = aligned(before["bytes"], np.uint8)
            addresses.append(self.prepared.ctypes.data)
        self.buffers = (ctypes.c_void_p * len(addresses))(*addresses)
        if before:
            self._launch(before["entry"], before["tasks"], 1)
        return self

    def _launch(self, entry, tasks, times):
        function = ctypes.cast(getattr(self.library, entry), ctypes.c_void_p)
        scratch = ctypes.c_int64(self.facts["scratch_bytes"] + CACHE_LINE)
        threads = ctypes.c_int(self.facts["threads"])
        return self.launcher.launch(function, self.buffers, scratch, ctypes.c_int64(tasks), threads, ctypes.c_int(times))

    def run(self, times):
        """Returns the seconds of so many launches."""
        return self._launch(self.facts["entry"], self.facts["tasks"], times)

    def output(self):
        last = self.facts["arguments"][-1]
        return self.arrays[len(self.facts["arguments"]) - 1].reshape(last["extents"])

    def input_extents(self):
        return [each["extents"] for each in self.facts["arguments"] if each["role"] == "in"]

    def random_inputs(self, random):
        """Numbers in [-0.5, 0.5) for every input, zeros where it holds integers: those may be indices."""
        inputs = [array for array, each in zip(self.arrays, self.facts["arguments"]) if each["role"] == "in"]
        return [random.random(array.size) - 0.5 if array.dtype.kind == "f" else np.zeros(array.size) for array in inputs]
