# SPDX-License-Identifier: Apache-2.0
"""What is measured: each case as a graph of ours, as an ONNX model for the others and as a function of PyTorch."""

import dataclasses
import typing

import onnx
import torch
from onnx import TensorProto, helper


@dataclasses.dataclass
class Case:
    name: str
    graph: str
    nodes: list  # of the ONNX model, over i0, i1 … and ending in y
    constants: list  # positions of inputs that never change: weights
    torch: typing.Callable  # of all inputs
    flops: float = 0
    bytes: float = 0  # read and written at least once; for cases that stream


def onnx_model(case, arrays, extents_of_result):
    """The case as a model whose constant inputs are initializers."""
    names = [f"i{i}" for i in range(len(arrays))]
    free = [helper.make_tensor_value_info(name, TensorProto.FLOAT, list(array.shape))
            for i, (name, array) in enumerate(zip(names, arrays)) if i not in case.constants]
    fixed = [onnx.numpy_helper.from_array(arrays[i], names[i]) for i in case.constants]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, list(extents_of_result))
    graph = helper.make_graph(case.nodes, "case", free, [result], fixed)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)


def node(kind, inputs, output="y", **attributes):
    return helper.make_node(kind, inputs.split(), [output], **attributes)


def product(m, k, n, gelu=False):
    after = "s = Add(p, b); y = Gelu(s)" if gelu else "y = Add(p, b)"
    graph = f"graph(x: f32[{m},{k}], w: param f32[{k},{n}], b: param f32[{n}]) {{ p = MatMul(x, w); {after}; return y }}"
    nodes = [node("MatMul", "i0 i1", "p"), node("Add", "p i2", "s" if gelu else "y")] + ([node("Gelu", "s")] if gelu else [])
    plain = lambda x, w, b: torch.addmm(b, x, w)
    with_gelu = lambda x, w, b: torch.nn.functional.gelu(torch.addmm(b, x, w))
    return Case(f"matmul{'-gelu' if gelu else ''} {m}x{k}x{n}", graph, nodes, [1, 2], with_gelu if gelu else plain, flops=2.0 * m * k * n)


def row_product(k, n):
    graph = f"graph(x: f32[1,{k}], w: param f32[{k},{n}]) {{ y = MatMul(x, w); return y }}"
    return Case(f"gemv {k}x{n}", graph, [node("MatMul", "i0 i1")], [1], torch.mm, bytes=4.0 * k * n)


def convolution(channels, size, results, kernel):
    pad = kernel // 2
    graph = (f"graph(x: f32[1,{channels},{size},{size}], w: param f32[{results},{channels},{kernel},{kernel}], b: param f32[{results}])"
             f" {{ c = Conv(x, w, b, pads=[{pad},{pad},{pad},{pad}]); y = Relu(c); return y }}")
    nodes = [node("Conv", "i0 i1 i2", "c", pads=[pad] * 4), node("Relu", "c")]
    return Case(f"conv{kernel}x{kernel} {channels}->{results} {size}x{size}", graph, nodes, [1, 2],
                lambda x, w, b: torch.relu_(torch.conv2d(x, w, b, padding=pad)), flops=2.0 * results * channels * kernel**2 * size**2)


def attention(heads, length, depth):
    shape = f"f32[1,{heads},{length},{depth}]"
    graph = f"graph(q: {shape}, k: {shape}, v: {shape}) {{ y = Attention(q, k, v); return y }}"
    return Case(f"attention {heads}x{length}x{depth}", graph, [node("Attention", "i0 i1 i2")], [],
                torch.nn.functional.scaled_dot_product_attention, flops=4.0 * heads * length**2 * depth)


def bias_gelu(rows, columns):
    graph = f"graph(x: f32[{rows},{columns}], b: param f32[{columns}]) {{ s = Add(x, b); y = Gelu(s); return y }}"
    return Case(f"bias-gelu {rows}x{columns}", graph, [node("Add", "i0 i1", "s"), node("Gelu", "s")], [1],
                lambda x, b: torch.nn.functional.gelu(x + b), bytes=8.0 * rows * columns)


def rows_of(kind, rows, columns):
    weight = f", w: param f32[{columns}]"
    graph, nodes, inputs, function = {
        "softmax": ("y = Softmax(x)", [node("Softmax", "i0")], "", lambda x: torch.softmax(x, -1)),
        "rmsnorm": ("y = RMSNormalization(x, w)", [node("RMSNormalization", "i0 i1")], weight,
                    lambda x, w: torch.nn.functional.rms_norm(x, (columns,), w)),
        "layernorm": ("y = LayerNormalization(x, w, b)", [node("LayerNormalization", "i0 i1 i2")],
                      weight + f", b: param f32[{columns}]",
                      lambda x, w, b: torch.nn.functional.layer_norm(x, (columns,), w, b)),
    }[kind]
    constants = list(range(1, 1 + inputs.count("param")))
    return Case(f"{kind} {rows}x{columns}", f"graph(x: f32[{rows},{columns}]{inputs}) {{ {graph}; return y }}", nodes, constants,
                function, bytes=8.0 * rows * columns)


def all_cases():
    resnet = [(64, 56, 64), (128, 28, 128), (256, 14, 256), (512, 7, 512)]
    pointwise = [(256, 56, 64), (64, 56, 256), (1024, 14, 256), (256, 14, 1024), (2048, 7, 512)]
    return ([product(128, 2048, 5632), product(128, 768, 3072), product(256, 768, 3072, gelu=True), row_product(2048, 5632)] +
            [convolution(*each, 3) for each in resnet] + [convolution(*each, 1) for each in pointwise] +
            [attention(8, 1024, 128), attention(12, 128, 64), bias_gelu(16384, 1024)] +
            [rows_of(kind, 4096, 4096) for kind in ("softmax", "rmsnorm", "layernorm")])
