#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small models with Loop, If and BatchNormalization, with inputs and the outputs that ONNX Runtime gives for them, as folders
like those of ONNX's own node cases: FOLDER/NAME/model.onnx and FOLDER/NAME/test_data_set_0/{input,output}_N.pb. It needs onnx,
onnxruntime and numpy; the tests need none of them:
    python tests/models/make_control_flow.py tests/models/control_flow"""
import pathlib
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
random = numpy.random.default_rng(26)


def info(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def weights(**tensors):
    return [numpy_helper.from_array(numpy.asarray(value), name) for name, value in tensors.items()]


def reals(*shape):
    return random.standard_normal(shape).astype(numpy.float32)


def body(nodes, carried, outputs, initializers=()):
    """A Loop's body that leaves its condition as it is, unless one of its nodes makes "go_on"."""
    made = {name for node in nodes for name in node.output}
    if "go_on" not in made:
        nodes = [helper.make_node("Identity", ["go"], ["go_on"])] + nodes
    inputs = [info("i", [], INT64), info("go", [], BOOL)] + carried
    return helper.make_graph(nodes, "body", inputs, [info("go_on", [], BOOL)] + outputs, list(initializers))


def branch(nodes, outputs, initializers=()):
    return helper.make_graph(nodes, "branch", [], outputs, list(initializers))


def loop_trips():
    """A product with the same weights in each of five trips, of which each is collected."""
    step = body([helper.make_node("MatMul", ["h", "w"], ["m"]), helper.make_node("Add", ["m", "x"], ["s"]),
                 helper.make_node("Tanh", ["s"], ["h_out"]), helper.make_node("Identity", ["h_out"], ["each"])],
                [info("h", [2, 4])], [info("h_out", [2, 4]), info("each", [2, 4])], weights(w=reals(4, 4)))
    nodes = [helper.make_node("Loop", ["trips", "yes", "h0"], ["last", "all"], body=step)]
    return nodes, [info("x", [2, 4])], [info("last", [2, 4]), info("all", [5, 2, 4])], weights(
        trips=numpy.int64(5), yes=numpy.bool_(True), h0=numpy.zeros((2, 4), numpy.float32))


def loop_over_rows():
    """As many trips as an input has rows, each of which reads one."""
    step = body([helper.make_node("Gather", ["x", "i"], ["row"], axis=0), helper.make_node("Add", ["sum", "row"], ["sum_out"]),
                 helper.make_node("Identity", ["sum_out"], ["each"])],
                [info("sum", [3])], [info("sum_out", [3]), info("each", [3])])
    nodes = [helper.make_node("Shape", ["x"], ["shape"]), helper.make_node("Gather", ["shape", "zero"], ["rows"]),
             helper.make_node("Loop", ["rows", "", "start"], ["total", "sums"], body=step)]
    return nodes, [info("x", [4, 3])], [info("total", [3]), info("sums", [4, 3])], weights(
        zero=numpy.int64(0), start=numpy.zeros(3, numpy.float32))


def loop_while():
    """Ends by a counter of its own."""
    step = body([helper.make_node("Add", ["k", "one"], ["k_out"]), helper.make_node("Less", ["k_out", "most"], ["go_on"]),
                 helper.make_node("Mul", ["a", "half"], ["a_out"])],
                [info("k", [], INT64), info("a", [3])], [info("k_out", [], INT64), info("a_out", [3])],
                weights(one=numpy.int64(1), most=numpy.int64(3), half=numpy.float32(0.5)))
    nodes = [helper.make_node("Loop", ["", "yes", "k0", "x"], ["count", "y"], body=step)]
    return nodes, [info("x", [3])], [info("y", [3])], weights(yes=numpy.bool_(True), k0=numpy.int64(0))


def loop_in_loop():
    """Two trips of three trips, the inner of which asks for the parity of the outer."""
    inner = helper.make_graph(
        [helper.make_node("Identity", ["go2"], ["go2_on"]), helper.make_node("Add", ["b", "x"], ["t"]),
         helper.make_node("If", ["is_first"], ["b_out"], then_branch=branch([helper.make_node("Sigmoid", ["t"], ["c1"])], [info("c1", [3])]),
                          else_branch=branch([helper.make_node("Relu", ["t"], ["c2"])], [info("c2", [3])]))],
        "inner", [info("j", [], INT64), info("go2", [], BOOL), info("b", [3])], [info("go2_on", [], BOOL), info("b_out", [3])])
    step = body([helper.make_node("Equal", ["i", "zero"], ["is_first"]),
                 helper.make_node("Loop", ["three", "", "a"], ["a_out"], body=inner)], [info("a", [3])], [info("a_out", [3])])
    nodes = [helper.make_node("Loop", ["two", "", "x"], ["y"], body=step)]
    return nodes, [info("x", [3])], [info("y", [3])], weights(zero=numpy.int64(0), two=numpy.int64(2), three=numpy.int64(3))


def either():
    """The branch hangs on an input; weights of both are called the same."""
    yes = branch([helper.make_node("MatMul", ["h", "w"], ["m"]), helper.make_node("Relu", ["m"], ["r"])], [info("r", [2, 3])],
                 weights(w=reals(4, 3)))
    no = branch([helper.make_node("MatMul", ["h", "w"], ["m"]), helper.make_node("Neg", ["m"], ["n"])], [info("n", [2, 3])],
                weights(w=reals(4, 3)))
    nodes = [helper.make_node("Tanh", ["x"], ["h"]), helper.make_node("If", ["c"], ["t"], then_branch=yes, else_branch=no),
             helper.make_node("Sigmoid", ["t"], ["y"])]
    return nodes, [info("x", [2, 4]), info("c", [], BOOL)], [info("y", [2, 3])], []


def either_with_loop():
    """One of the branches goes through a loop."""
    step = body([helper.make_node("Add", ["a", "h"], ["a_out"])], [info("a", [3])], [info("a_out", [3])])
    yes = branch([helper.make_node("Loop", ["four", "", "h"], ["l"], body=step)], [info("l", [3])])
    no = branch([helper.make_node("Neg", ["h"], ["n"])], [info("n", [3])])
    nodes = [helper.make_node("Exp", ["x"], ["h"]), helper.make_node("If", ["c"], ["y"], then_branch=yes, else_branch=no)]
    return nodes, [info("x", [3]), info("c", [], BOOL)], [info("y", [3])], weights(four=numpy.int64(4))


def normed():
    """A convolution and a product, each with a BatchNormalization behind it."""
    nodes = [helper.make_node("Conv", ["x", "w", "k"], ["c"], pads=[1, 1, 1, 1]),
             helper.make_node("BatchNormalization", ["c", "g", "b", "mu", "va"], ["n"], epsilon=1e-3), helper.make_node("Relu", ["n"], ["r"]),
             helper.make_node("GlobalAveragePool", ["r"], ["p"]), helper.make_node("Flatten", ["p"], ["f"]),
             helper.make_node("Transpose", ["v"], ["t"]), helper.make_node("Gemm", ["f", "t", "q"], ["d"]),
             helper.make_node("BatchNormalization", ["d", "g2", "b2", "mu2", "va2"], ["y"])]
    return nodes, [info("x", [2, 3, 8, 8])], [info("y", [2, 4])], weights(
        w=reals(5, 3, 3, 3), k=reals(5), g=reals(5), b=reals(5), mu=reals(5), va=numpy.abs(reals(5)) + numpy.float32(0.1),
        v=reals(4, 5), q=reals(4), g2=reals(4), b2=reals(4), mu2=reals(4), va2=numpy.abs(reals(4)) + numpy.float32(0.1))


def write(folder, name, made, given=None):
    nodes, inputs, outputs, initializers = made
    graph = helper.make_graph(nodes, name, inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="make_control_flow")
    onnx.checker.check_model(model, full_check=True)
    values = {}
    for each in inputs:
        shape = [dim.dim_value for dim in each.type.tensor_type.shape.dim]
        is_flag = each.type.tensor_type.elem_type == BOOL
        values[each.name] = numpy.asarray(given[each.name]) if is_flag else reals(*shape)
    results = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, values)
    data = folder / name / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    (folder / name / "model.onnx").write_bytes(model.SerializeToString())
    for number, each in enumerate(inputs):
        (data / f"input_{number}.pb").write_bytes(numpy_helper.from_array(values[each.name], each.name).SerializeToString())
    for number, (each, result) in enumerate(zip(outputs, results)):
        (data / f"output_{number}.pb").write_bytes(numpy_helper.from_array(numpy.asarray(result), each.name).SerializeToString())


def main():
    folder = pathlib.Path(sys.argv[1])
    for make in (loop_trips, loop_over_rows, loop_while, loop_in_loop, normed):
        write(folder, make.__name__, make())
    for taken in (True, False):
        for make in (either, either_with_loop):
            write(folder, f"{make.__name__}_{str(taken).lower()}", make(), {"c": numpy.bool_(taken)})


main()
