#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes models with every operator that makes a constant of few numbers, at 1, 64, 65 and 1,000 of them, with an input and the output
that ONNX's own reference evaluator gives, as folders like those of ONNX's node cases. It needs onnx and numpy; the tests need neither:
    python tests/models/make_constants.py tests/models/constants"""
import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

random = numpy.random.default_rng(40)
MATRICES = {1: (1, 1), 64: (8, 8), 65: (5, 13), 1000: (25, 40)}


def weights(**tensors):
    return [numpy_helper.from_array(numpy.asarray(value), name) for name, value in tensors.items()]


def constant_of_shape(value):
    def make(count):
        nodes = [helper.make_node("ConstantOfShape", ["s"], ["c"], value=numpy_helper.from_array(value))]
        return nodes, (count,), weights(s=numpy.array([count], numpy.int64))
    return make


def ranged(start, step, dtype):
    def make(count):
        return [helper.make_node("Range", ["a", "b", "d"], ["c"])], (count,), weights(
            a=dtype(start), b=dtype(start + step * count), d=dtype(step))
    return make


def eye(count):
    rows, columns = MATRICES[count]
    return [helper.make_node("EyeLike", ["m"], ["c"], dtype=TensorProto.FLOAT, k=1 if columns > 1 else 0)], (rows, columns), weights(
        m=numpy.zeros((rows, columns), numpy.int32))


def window(name):
    def make(count):
        return [helper.make_node(name, ["n"], ["c"])], (count,), weights(n=numpy.int64(count))
    return make


def values(**attribute):
    def make(count):
        (name, dtype), = attribute.items()
        numbers = [dtype(3 * i - 7) for i in range(count)]
        return [helper.make_node("Constant", [], ["c"], **{name: numbers})], (count,), []
    return make


def one_hot(count):
    rows, columns = MATRICES[count]
    return [helper.make_node("OneHot", ["i", "d", "v"], ["c"])], (rows, columns), weights(
        i=numpy.arange(rows, dtype=numpy.int64) % columns, d=numpy.int64(columns), v=numpy.array([-1, 2], numpy.float32))


def mask(upper):
    def make(count):
        rows, columns = MATRICES[count]
        nodes = [helper.make_node("ConstantOfShape", ["s"], ["o"], value=numpy_helper.from_array(numpy.array([1], numpy.float32))),
                 helper.make_node("Trilu", ["o"], ["c"], upper=upper)]
        return nodes, (rows, columns), weights(s=numpy.array([rows, columns], numpy.int64))
    return make


def of_file(dtype):
    def make(count):
        return [helper.make_node("Identity", ["w"], ["c"])], (count,), weights(
            w=(numpy.arange(count) * 5 % 201).astype(dtype))
    return make


CASES = {
    "constant_of_shape": constant_of_shape(numpy.array([0], numpy.float32)),
    "constant_of_shape_real": constant_of_shape(numpy.array([2.5], numpy.float32)),
    "constant_of_shape_whole": constant_of_shape(numpy.array([-7], numpy.int64)),
    "constant_of_shape_bool": constant_of_shape(numpy.array([True])),
    "constant_of_shape_half": constant_of_shape(numpy.array([0.333], numpy.float16)),
    "constant_of_shape_infinite": constant_of_shape(numpy.array([-numpy.inf], numpy.float32)),
    "constant_of_shape_nan": constant_of_shape(numpy.array([numpy.nan], numpy.float32)),
    "range_whole": ranged(-5, 3, numpy.int64),
    "range_i32": ranged(9, -2, numpy.int32),
    "range_real": ranged(0.5, 0.25, numpy.float32),
    "eye_like": eye,
    "hann_window": window("HannWindow"),
    "hamming_window": window("HammingWindow"),
    "blackman_window": window("BlackmanWindow"),
    "value_floats": values(value_floats=float),
    "value_ints": values(value_ints=int),
    "one_hot": one_hot,
    "trilu_upper": mask(1),
    "trilu_lower": mask(0),
    "weight_u8": of_file(numpy.uint8),
    "weight_u32": of_file(numpy.uint32),
    "weight_u64": of_file(numpy.uint64),
    "weight_i16": of_file(numpy.int16),
    "weight_f16": of_file(numpy.float16),
}


def write(folder, make, count):
    nodes, shape, initializers = make(count)
    nodes = nodes + [helper.make_node("Cast", ["c"], ["f"], to=TensorProto.FLOAT), helper.make_node("Add", ["x", "f"], ["y"])]
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", "y")]
    model = helper.make_model(helper.make_graph(nodes, "constants", infos[:1], infos[1:], initializers),
                              opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="make_constants")
    x = random.standard_normal(shape).astype(numpy.float32)
    (y,) = ReferenceEvaluator(model).run(None, {"x": x})
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for name, array in (("input_0", x), ("output_0", y.astype(numpy.float32))):
        (data / f"{name}.pb").write_bytes(numpy_helper.from_array(array, name).SerializeToString())


def main():
    root = pathlib.Path(sys.argv[1])
    for name, make in CASES.items():
        for count in MATRICES:
            write(root / f"{name}_{count}", make, count)


if __name__ == "__main__":
    main()
