#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ten faults that people reported of other tools, retold as small models and tried here, as a table in Markdown.

    python3 -m venv venv && venv/bin/pip install onnx onnxruntime
    venv/bin/python tests/models/public_reports.py build/bin/fuselab

Each model runs in ONNX Runtime without optimisation, whose numbers `fuselab exec --expect --check` is compared with. Ends with 1 where one
differs or is not run.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="reports-"))
RANDOM = np.random.default_rng(1)
NODE = h.make_node


def f(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def i(*numbers):
    return np.array(numbers, np.int64)


# The report, what it was about, nodes, inputs by name, outputs, weights, opset.
REPORTS = [
    ("microsoft/onnxruntime#22177", "padding in front of an average pool that does not count it",
     [NODE("Pad", ["x", "pads"], ["p"]), NODE("AveragePool", ["p"], ["y"], kernel_shape=[3, 3], strides=[2, 2])],
     {"x": f(1, 3, 9, 9)}, ["y"], {"pads": i(0, 0, 1, 1, 0, 0, 1, 1)}, 18),
    ("onnx/optimizer#255", "batch normalisation folded into a convolution with large and small scales",
     [NODE("Conv", ["x", "w", "b"], ["c"], kernel_shape=[3, 3]), NODE("BatchNormalization", ["c", "s", "o", "m", "v"], ["y"], epsilon=1e-5)],
     {"x": f(2, 4, 8, 8)}, ["y"], {"w": f(6, 4, 3, 3), "b": f(6), "s": np.array([1e3, 1e-3, 1, 1, 0, -2], np.float32), "o": f(6), "m": f(6), "v": np.abs(f(6)) + 1e-4}, 18),
    ("onnx/optimizer#267", "a shape that is concatenated and then used by Reshape",
     [NODE("Shape", ["x"], ["s"], start=0, end=1), NODE("Concat", ["s", "rest"], ["t"], axis=0), NODE("Reshape", ["x", "t"], ["r"]), NODE("Softmax", ["r"], ["y"], axis=-1)],
     {"x": f(3, 4, 5)}, ["y"], {"rest": i(2, -1)}, 18),
    ("onnx/optimizer#253", "two Squeeze one behind the other, by negative axes",
     [NODE("Squeeze", ["x", "a"], ["p"]), NODE("Squeeze", ["p", "b"], ["q"]), NODE("Tanh", ["q"], ["y"])],
     {"x": f(1, 4, 1, 5, 1)}, ["y"], {"a": i(-1, 0), "b": i(1)}, 18),
    ("onnx/onnx#5003", "Pad of opset 18 with a negative axis",
     [NODE("Pad", ["x", "pads", "", "axes"], ["p"]), NODE("Relu", ["p"], ["y"])], {"x": f(1, 2, 2, 2)}, ["y"], {"pads": i(1, 2), "axes": i(-1)}, 18),
    ("nod-ai/AMD-SHARK-ModelDev#824", "Slice with a negative step",
     [NODE("Slice", ["x", "b", "e", "a", "s"], ["y"])], {"x": f(5, 6)}, ["y"], {"b": i(-1, 4), "e": i(-(2 ** 63), 0), "a": i(0, 1), "s": i(-1, -2)}, 18),
    ("cool-japan/oxionnx#4", "reflected padding whose pads are reversed by Slice, as TorchScript exports them",
     [NODE("ConstantOfShape", ["four"], ["z"], value=nh.from_array(i(0))), NODE("Concat", ["given", "z"], ["c"], axis=0), NODE("Reshape", ["c", "pairs"], ["r"]),
      NODE("Slice", ["r", "last", "before", "zero", "back"], ["v"]), NODE("Transpose", ["v"], ["t"], perm=[1, 0]), NODE("Reshape", ["t", "flat"], ["l"]),
      NODE("Cast", ["l"], ["pads"], to=T.INT64), NODE("Pad", ["x", "pads"], ["y"], mode="reflect")],
     {"x": f(1, 2, 7, 8)}, ["y"], {"four": i(4), "given": i(3, 3, 3, 3), "pairs": i(-1, 2), "last": i(-1), "before": i(-(2 ** 63)), "zero": i(0), "back": i(-1), "flat": i(-1)}, 13),
    ("apache/tvm#6263", "slices that end at the largest numbers there are, as a BERT has them",
     [NODE("Slice", ["x", "b", "e"], ["p"]), NODE("Neg", ["p"], ["y"])],
     {"x": f(1, 1, 1, 128)}, ["y"], {"b": i(0, 0, 0, 0), "e": i(2 ** 63 - 1, 2 ** 31 - 1, 2 ** 31 - 1, 2 ** 63 - 1)}, 13),
    ("onnx/onnx#2708", "Flatten at a negative axis", [NODE("Flatten", ["x"], ["p"], axis=-1), NODE("Exp", ["p"], ["y"])], {"x": f(2, 3, 4)}, ["y"], {}, 13),
    ("microsoft/onnxruntime#4110", "a value inside of a pattern that is an output as well",
     [NODE("MatMul", ["x", "w"], ["m"]), NODE("Add", ["m", "b"], ["a"]), NODE("Gelu", ["a"], ["y"])],
     {"x": f(8, 16)}, ["y", "m", "a"], {"w": f(16, 32), "b": f(32)}, 20),
]


def tried(number, nodes, inputs, outputs, weights, opset):
    graph = h.make_graph(nodes, "g", [h.make_tensor_value_info(name, T.FLOAT, value.shape) for name, value in inputs.items()],
                         [h.make_empty_tensor_value_info(name) for name in outputs], [nh.from_array(value, name) for name, value in weights.items()])
    model = onnx.shape_inference.infer_shapes(h.make_model(graph, opset_imports=[h.make_opsetid("", opset)], ir_version=9))
    file = FOLDER / f"report{number}.onnx"
    onnx.save(model, file)
    plain = onnxruntime.SessionOptions()
    plain.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    wanted = onnxruntime.InferenceSession(str(file), plain, providers=["CPUExecutionProvider"]).run(outputs, inputs)
    words = [PROGRAM, "exec", str(file), "--check"]
    for option, values in (("--input", inputs), ("--expect", dict(zip(outputs, wanted)))):
        for name, value in values.items():
            kept = FOLDER / f"{number}-{name}{option}.npy"
            np.save(kept, value)
            words += [option, f"{name}={kept}"]
    return subprocess.run(words, capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"], "HOME": str(FOLDER)})


def main():
    wrong = 0
    print("| report | about | exit | compared with ONNX Runtime | |\n|---|---|---|---|---|")
    for number, (report, about, *model) in enumerate(REPORTS):
        ended = tried(number, *model)
        lines = [line for line in (ended.stdout + ended.stderr).splitlines() if " holds: " in line] or (ended.stdout + ended.stderr).splitlines()[-1:]
        said = "; ".join(line.split(" holds: ")[-1] for line in lines)
        wrong += ended.returncode != 0
        print(f"| {report} | {about} | {ended.returncode} | {said} | {'right' if ended.returncode == 0 else 'WRONG'} |")
    print(f"\n{len(REPORTS) - wrong} of {len(REPORTS)} right")
    shutil.rmtree(FOLDER)
    return 1 if wrong else 0


sys.exit(main())
