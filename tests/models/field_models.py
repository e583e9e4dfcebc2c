#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small models that show what went wrong with files of other people: field_models.py FOLDER writes each kind once."""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

out = sys.argv[1] if len(sys.argv) > 1 else "."
os.makedirs(out, exist_ok=True)
R = np.random.default_rng(3)

def f(*s): return (R.standard_normal(s) * 0.1).astype(np.float32)
def init(n, a): return nh.from_array(np.asarray(a), n)
def save(name, nodes, inputs, outputs, inits=(), opsets=(("", 18),), infos=()):
    g = h.make_graph(nodes, name, inputs, outputs, list(inits), value_info=list(infos))
    m = h.make_model(g, opset_imports=[h.make_opsetid(d, v) for d, v in opsets], ir_version=10)
    onnx.save(m, os.path.join(out, name + ".onnx"))
def v(n, t, s): return h.make_tensor_value_info(n, t, s)
MS = (("", 18), ("com.microsoft", 1))

# contrib operators as ONNX Runtime's own optimiser leaves them in a saved model
save("contrib_fusedmatmul", [h.make_node("FusedMatMul", ["x", "w"], ["y"], domain="com.microsoft", alpha=0.125, transB=1)],
     [v("x", T.FLOAT, [8, 64])], [v("y", T.FLOAT, [8, 32])], [init("w", f(32, 64))], MS)
save("contrib_biasgelu", [h.make_node("BiasGelu", ["x", "b"], ["y"], domain="com.microsoft")],
     [v("x", T.FLOAT, [8, 64])], [v("y", T.FLOAT, [8, 64])], [init("b", f(64))], MS)
save("contrib_skiplayernorm", [h.make_node("SkipLayerNormalization", ["x", "r", "g", "b"], ["y"], domain="com.microsoft", epsilon=1e-5)],
     [v("x", T.FLOAT, [1, 8, 64]), v("r", T.FLOAT, [1, 8, 64])], [v("y", T.FLOAT, [1, 8, 64])], [init("g", 1 + f(64)), init("b", f(64))], MS)
save("contrib_fusedconv", [h.make_node("FusedConv", ["x", "w", "b"], ["y"], domain="com.microsoft", activation="Relu", kernel_shape=[3, 3], pads=[1, 1, 1, 1])],
     [v("x", T.FLOAT, [1, 8, 16, 16])], [v("y", T.FLOAT, [1, 8, 16, 16])], [init("w", f(8, 8, 3, 3)), init("b", f(8))], MS)
k, n, blk = 64, 32, 32
save("contrib_matmulnbits", [h.make_node("MatMulNBits", ["x", "q", "s"], ["y"], domain="com.microsoft", K=k, N=n, bits=4, block_size=blk)],
     [v("x", T.FLOAT, [8, k])], [v("y", T.FLOAT, [8, n])],
     [init("q", R.integers(0, 256, (n, k // blk, blk // 2), dtype=np.uint8)), init("s", np.abs(f(n * k // blk)))], MS)
save("contrib_qlinearadd", [h.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
      h.make_node("QLinearAdd", ["q", "s", "z", "q", "s", "z", "s2", "z"], ["r"], domain="com.microsoft"),
      h.make_node("DequantizeLinear", ["r", "s2", "z"], ["y"])],
     [v("x", T.FLOAT, [8, 64])], [v("y", T.FLOAT, [8, 64])],
     [init("s", np.float32(0.02)), init("s2", np.float32(0.04)), init("z", np.uint8(128))], MS)

# a gradient-boosted tree: ai.onnx.ml, old and new form
save("trees_regressor", [h.make_node("TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", n_targets=1,
      nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[1, 0, 0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"],
      nodes_values=[0.5, 0.0, 0.0], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0],
      target_treeids=[0, 0], target_nodeids=[1, 2], target_ids=[0, 0], target_weights=[-1.0, 2.0])],
     [v("x", T.FLOAT, [None, 4])], [v("y", T.FLOAT, [None, 1])], (), (("", 18), ("ai.onnx.ml", 3)))
save("scaler_normalizer", [h.make_node("Scaler", ["x"], ["a"], domain="ai.onnx.ml", offset=[0.1] * 4, scale=[2.0] * 4),
      h.make_node("Normalizer", ["a"], ["y"], domain="ai.onnx.ml", norm="L2")],
     [v("x", T.FLOAT, [16, 4])], [v("y", T.FLOAT, [16, 4])], (), (("", 18), ("ai.onnx.ml", 3)))

# extents without any name, as skl2onnx and others leave them; and two inputs that must agree
save("unnamed_extents", [h.make_node("MatMul", ["a", "w"], ["m"]), h.make_node("Add", ["m", "b"], ["s"]), h.make_node("Relu", ["s"], ["y"])],
     [v("a", T.FLOAT, [None, 16]), v("b", T.FLOAT, [None, 8])], [v("y", T.FLOAT, [None, 8])], [init("w", f(16, 8))])
save("odd_names", [h.make_node("Mul", ["serving_default_x:0", "k=2,3"], ["out put/y:0"])],
     [v("serving_default_x:0", T.FLOAT, ["unk__12", 4]), v("k=2,3", T.FLOAT, [4])], [v("out put/y:0", T.FLOAT, ["unk__12", 4])])

# an index that reaches Gather through arithmetic: what do random inputs look like?
save("gather_offset", [h.make_node("Add", ["ids", "off"], ["i"]), h.make_node("Gather", ["table", "i"], ["y"])],
     [v("ids", T.INT64, [1, 16])], [v("y", T.FLOAT, [1, 16, 32])], [init("off", np.int64(90)), init("table", f(100, 32))])
save("gather_float_ids", [h.make_node("Cast", ["ids"], ["i"], to=T.INT64), h.make_node("Gather", ["table", "i"], ["y"])],
     [v("ids", T.FLOAT, [1, 16])], [v("y", T.FLOAT, [1, 16, 32])], [init("table", f(100, 32))])

# quantised, new forms
save("qdq_blocked_int4", [h.make_node("DequantizeLinear", ["q", "s"], ["w"], axis=0, block_size=32), h.make_node("MatMul", ["x", "w"], ["y"])],
     [v("x", T.FLOAT, [4, 64])], [v("y", T.FLOAT, [4, 32])],
     [h.make_tensor("q", T.INT4, [64, 32], R.integers(-8, 8, 64 * 32).tolist()), init("s", np.abs(f(2, 32)))], (("", 21),))
save("conv_integer", [h.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]), h.make_node("ConvInteger", ["q", "w", "z"], ["i"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
      h.make_node("Cast", ["i"], ["c"], to=T.FLOAT), h.make_node("Mul", ["s", "ws"], ["m"]), h.make_node("Mul", ["c", "m"], ["y"])],
     [v("x", T.FLOAT, [1, 16, 32, 32])], [v("y", T.FLOAT, [1, 16, 32, 32])],
     [init("w", R.integers(-127, 128, (16, 16, 3, 3)).astype(np.int8)), init("ws", np.float32(0.01))])

# --expect: one row a millionth of the other; a whole output below 1e-6
save("expect_rows", [h.make_node("Mul", ["x", "s"], ["y"])], [v("x", T.FLOAT, [2, 8])], [v("y", T.FLOAT, [2, 8])], [init("s", np.array([[1.0], [1e-5]], np.float32))])
x = np.ones((2, 8), np.float32)
np.save(os.path.join(out, "expect_x.npy"), x)
wrong = x * np.array([[1.0], [0.0]], np.float32)
np.save(os.path.join(out, "expect_wrong.npy"), wrong)
save("expect_softmax", [h.make_node("Softmax", ["x"], ["y"], axis=-1)], [v("x", T.FLOAT, [1, 2000000])], [v("y", T.FLOAT, [1, 2000000])])

# integer operators of ONNX's own domain, and others that stand in models of today
q8 = lambda *s: R.integers(0, 256, s, dtype=np.uint8)
save("qlinearconv", [h.make_node("QuantizeLinear", ["x", "xs", "xz"], ["q"]),
      h.make_node("QLinearConv", ["q", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["r"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
      h.make_node("DequantizeLinear", ["r", "ys", "yz"], ["y"])],
     [v("x", T.FLOAT, [1, 16, 32, 32])], [v("y", T.FLOAT, [1, 16, 32, 32])],
     [init("xs", np.float32(0.02)), init("xz", np.uint8(128)), init("w", R.integers(-127, 128, (16, 16, 3, 3)).astype(np.int8)),
      init("ws", np.full(16, 0.01, np.float32)), init("wz", np.zeros(16, np.int8)), init("ys", np.float32(0.05)), init("yz", np.uint8(128)),
      init("b", R.integers(-100, 100, 16).astype(np.int32))])
save("qlinearmatmul", [h.make_node("QuantizeLinear", ["x", "xs", "xz"], ["q"]),
      h.make_node("QLinearMatMul", ["q", "xs", "xz", "w", "ws", "wz", "ys", "yz"], ["r"]), h.make_node("DequantizeLinear", ["r", "ys", "yz"], ["y"])],
     [v("x", T.FLOAT, [8, 64])], [v("y", T.FLOAT, [8, 32])],
     [init("xs", np.float32(0.02)), init("xz", np.uint8(128)), init("w", R.integers(-127, 128, (64, 32)).astype(np.int8)),
      init("ws", np.float32(0.01)), init("wz", np.int8(0)), init("ys", np.float32(0.05)), init("yz", np.uint8(128))])
save("qdq_conv", [h.make_node("QuantizeLinear", ["x", "xs", "xz"], ["q"]), h.make_node("DequantizeLinear", ["q", "xs", "xz"], ["d"]),
      h.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wd"], axis=0), h.make_node("Conv", ["d", "wd"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
      h.make_node("QuantizeLinear", ["c", "ys", "yz"], ["r"]), h.make_node("DequantizeLinear", ["r", "ys", "yz"], ["y"])],
     [v("x", T.FLOAT, [1, 64, 56, 56])], [v("y", T.FLOAT, [1, 64, 56, 56])],
     [init("xs", np.float32(0.02)), init("xz", np.uint8(128)), init("w", R.integers(-127, 128, (64, 64, 3, 3)).astype(np.int8)),
      init("ws", np.full(64, 0.001, np.float32)), init("wz", np.zeros(64, np.int8)), init("ys", np.float32(0.05)), init("yz", np.uint8(128))])
save("qdq_matmul", [h.make_node("QuantizeLinear", ["x", "xs", "xz"], ["q"]), h.make_node("DequantizeLinear", ["q", "xs", "xz"], ["d"]),
      h.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wd"], axis=1), h.make_node("MatMul", ["d", "wd"], ["c"]),
      h.make_node("QuantizeLinear", ["c", "ys", "yz"], ["r"]), h.make_node("DequantizeLinear", ["r", "ys", "yz"], ["y"])],
     [v("x", T.FLOAT, [256, 768])], [v("y", T.FLOAT, [256, 768])],
     [init("xs", np.float32(0.02)), init("xz", np.uint8(128)), init("w", R.integers(-127, 128, (768, 768)).astype(np.int8)),
      init("ws", np.full(768, 0.001, np.float32)), init("wz", np.zeros(768, np.int8)), init("ys", np.float32(0.05)), init("yz", np.uint8(128))])
save("f32_conv", [h.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[3, 3], pads=[1, 1, 1, 1])],
     [v("x", T.FLOAT, [1, 64, 56, 56])], [v("y", T.FLOAT, [1, 64, 56, 56])], [init("w", f(64, 64, 3, 3))])
save("f32_matmul", [h.make_node("MatMul", ["x", "w"], ["y"])], [v("x", T.FLOAT, [256, 768])], [v("y", T.FLOAT, [256, 768])], [init("w", f(768, 768))])
save("reverse_sequence", [h.make_node("ReverseSequence", ["x", "n"], ["y"], batch_axis=1, time_axis=0)],
     [v("x", T.FLOAT, [20, 2, 8])], [v("y", T.FLOAT, [20, 2, 8])], [init("n", np.array([20, 13], np.int64))])
save("nms_tail", [h.make_node("NonMaxSuppression", ["boxes", "scores", "k", "iou"], ["y"])],
     [v("boxes", T.FLOAT, [1, 100, 4]), v("scores", T.FLOAT, [1, 2, 100])], [v("y", T.INT64, [None, 3])],
     [init("k", np.array([10], np.int64)), init("iou", np.array([0.5], np.float32))])
save("grid_sample", [h.make_node("GridSample", ["x", "g"], ["y"])], [v("x", T.FLOAT, [1, 4, 16, 16]), v("g", T.FLOAT, [1, 8, 8, 2])], [v("y", T.FLOAT, [1, 4, 8, 8])], (), (("", 20),))
save("random_like", [h.make_node("RandomNormalLike", ["x"], ["n"], seed=1.0), h.make_node("Add", ["x", "n"], ["y"])], [v("x", T.FLOAT, [1, 8, 16])], [v("y", T.FLOAT, [1, 8, 16])])
save("simplified_layernorm", [h.make_node("SimplifiedLayerNormalization", ["x", "g"], ["y"], epsilon=1e-6, axis=-1)],
     [v("x", T.FLOAT, [1, 8, 64])], [v("y", T.FLOAT, [1, 8, 64])], [init("g", 1 + f(64))])


# nodes not in an order that can run, as ONNX Runtime's own half-precision converter leaves them (keep_io_types)
save("unsorted", [h.make_node("Relu", ["a"], ["y"]), h.make_node("Neg", ["x"], ["a"])], [v("x", T.FLOAT, [4])], [v("y", T.FLOAT, [4])])

# zeros of a size that a --shape decides: y must be x (here y = x + zeros)
save("constant_of_shape", [h.make_node("Shape", ["x"], ["s"]), h.make_node("ConstantOfShape", ["s"], ["z"]), h.make_node("Add", ["x", "z"], ["y"])],
     [v("x", T.FLOAT, ["n", 4])], [v("y", T.FLOAT, ["n", 4])])
save("constant_of_shape_fixed", [h.make_node("ConstantOfShape", ["s"], ["z"]), h.make_node("Add", ["x", "z"], ["y"])],
     [v("x", T.FLOAT, [100, 4])], [v("y", T.FLOAT, [100, 4])], [init("s", np.array([100, 4], np.int64))])
save("constant_of_shape_value", [h.make_node("Shape", ["x"], ["s"]), h.make_node("ConstantOfShape", ["s"], ["z"], value=nh.from_array(np.array([2.5], np.float32))), h.make_node("Mul", ["x", "z"], ["y"])],
     [v("x", T.FLOAT, ["n", 4])], [v("y", T.FLOAT, ["n", 4])])
save("gru_zero_state", [h.make_node("Shape", ["x"], ["xs"], start=1, end=2), h.make_node("Concat", ["one", "xs", "hid"], ["s"], axis=0), h.make_node("ConstantOfShape", ["s"], ["h0"]),
      h.make_node("GRU", ["x", "W", "R", "B", "", "h0"], ["", "y"], hidden_size=128, linear_before_reset=1)],
     [v("x", T.FLOAT, [6, "batch", 16])], [v("y", T.FLOAT, [1, "batch", 128])],
     [init("one", np.array([1], np.int64)), init("hid", np.array([128], np.int64)), init("W", f(1, 384, 16)), init("R", f(1, 384, 128)), init("B", f(1, 768))])

# an operator that nobody reads, beside others of its piece
save("dead_operator", [h.make_node("Tanh", ["x"], ["a"]), h.make_node("Sigmoid", ["a"], ["b"]), h.make_node("Mul", ["a", "b"], ["unused"]), h.make_node("Add", ["a", "b"], ["y"])],
     [v("x", T.FLOAT, [8, 16])], [v("y", T.FLOAT, [8, 16])])
save("dead_split", [h.make_node("Split", ["x"], ["a", "b", "unused"], axis=1, num_outputs=3), h.make_node("Tanh", ["unused"], ["u2"]), h.make_node("Add", ["a", "b"], ["y"])],
     [v("x", T.FLOAT, [8, 48])], [v("y", T.FLOAT, [8, 16])])
# generated constants of more than 64 numbers
save("range_positions", [h.make_node("Range", ["zero", "n", "one"], ["p"]), h.make_node("Gather", ["table", "p"], ["e"]), h.make_node("Add", ["x", "e"], ["y"])],
     [v("x", T.FLOAT, [128, 16])], [v("y", T.FLOAT, [128, 16])],
     [init("zero", np.int64(0)), init("n", np.int64(128)), init("one", np.int64(1)), init("table", f(512, 16))])
save("causal_mask", [h.make_node("ConstantOfShape", ["s"], ["o"], value=nh.from_array(np.array([-1e9], np.float32))), h.make_node("Trilu", ["o", "k"], ["m"], upper=1), h.make_node("Add", ["x", "m"], ["a"]), h.make_node("Softmax", ["a"], ["y"])],
     [v("x", T.FLOAT, [2, 16, 16])], [v("y", T.FLOAT, [2, 16, 16])], [init("s", np.array([16, 16], np.int64)), init("k", np.int64(1))])
save("constant_value_floats", [h.make_node("Constant", [], ["c"], value_floats=[3.0] * 100), h.make_node("Add", ["x", "c"], ["y"])], [v("x", T.FLOAT, [100])], [v("y", T.FLOAT, [100])])
save("hann_window", [h.make_node("HannWindow", ["n"], ["w"]), h.make_node("Mul", ["x", "w"], ["y"])], [v("x", T.FLOAT, [2, 400])], [v("y", T.FLOAT, [2, 400])], [init("n", np.int64(400))])
save("resize_linear", [h.make_node("Resize", ["x", "", "s"], ["y"], mode="linear", coordinate_transformation_mode="half_pixel")],
     [v("x", T.FLOAT, [1, 2, 8, 8])], [v("y", T.FLOAT, [1, 2, 16, 16])], [init("s", np.array([1, 1, 2, 2], np.float32))])

# slow beside ONNX Runtime, each alone
save("slow_fake_quant", [h.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]), h.make_node("DequantizeLinear", ["q", "s", "z"], ["y"])],
     [v("x", T.FLOAT, [1, 6, 400, 400])], [v("y", T.FLOAT, [1, 6, 400, 400])], [init("s", np.float32(0.02)), init("z", np.uint8(128))])
save("slow_conv1d", [h.make_node("Conv", ["x", "w", "b"], ["c"], kernel_shape=[7], pads=[3, 3]), h.make_node("Relu", ["c"], ["y"])],
     [v("x", T.FLOAT, [1, 64, 7500])], [v("y", T.FLOAT, [1, 64, 7500])], [init("w", f(64, 64, 7)), init("b", f(64))])
save("slow_conv1d_dilated", [h.make_node("Conv", ["x", "w", "b"], ["c"], kernel_shape=[3], pads=[8, 8], dilations=[8]), h.make_node("Relu", ["c"], ["y"])],
     [v("x", T.FLOAT, [1, 64, 7500])], [v("y", T.FLOAT, [1, 64, 7500])], [init("w", f(64, 64, 3)), init("b", f(64))])
save("slow_lstm_batch", [h.make_node("LSTM", ["x", "W", "R", "B"], ["y"], hidden_size=128, direction="bidirectional")],
     [v("x", T.FLOAT, [21, 64, 128])], [v("y", T.FLOAT, [21, 2, 64, 128])], [init("W", f(2, 512, 128)), init("R", f(2, 512, 128)), init("B", f(2, 1024))])
save("slow_gru_short", [h.make_node("GRU", ["x", "W", "R", "B"], ["y"], hidden_size=128, direction="bidirectional", linear_before_reset=1)],
     [v("x", T.FLOAT, [12, 1, 256])], [v("y", T.FLOAT, [12, 2, 1, 128])], [init("W", f(2, 384, 256)), init("R", f(2, 384, 128)), init("B", f(2, 768))])
save("slow_scatter_add", [h.make_node("ScatterElements", ["z", "i", "x"], ["y"], axis=0, reduction="add")],
     [v("x", T.FLOAT, [300, 128, 3])], [v("y", T.FLOAT, [60, 128, 3])],
     [init("z", np.zeros((60, 128, 3), np.float32)), init("i", np.broadcast_to(R.integers(0, 60, (300, 1, 1)), (300, 128, 3)).astype(np.int64).copy())])
def gelu_tail(name, residual, act="erf"):
    nodes = [h.make_node("Conv", ["x", "w", "b"], ["c"], kernel_shape=[3], pads=[4, 4], dilations=[4])]
    if act == "erf":
        nodes += [h.make_node("Div", ["c", "r2"], ["d"]), h.make_node("Erf", ["d"], ["e"]), h.make_node("Add", ["e", "one"], ["f"]), h.make_node("Mul", ["c", "f"], ["g"]), h.make_node("Mul", ["g", "half"], ["t"])]
    else: nodes += [h.make_node("Relu", ["c"], ["t"])]
    nodes += [h.make_node("Add", ["t", "res"], ["y"])] if residual else [h.make_node("Identity", ["t"], ["y"])]
    ins = [v("x", T.FLOAT, [1, 128, 7500])] + ([v("res", T.FLOAT, [1, 128, 7500])] if residual else [])
    save(name, nodes, ins, [v("y", T.FLOAT, [1, 128, 7500])], [init("w", f(128, 128, 3)), init("b", f(128)), init("r2", np.float32(2 ** .5)), init("one", np.float32(1)), init("half", np.float32(.5))])
gelu_tail("slow_conv1d_relu128", False, "relu")
gelu_tail("slow_conv1d_gelu128", False)
gelu_tail("slow_conv1d_gelu128_residual", True)
save("slow_erf_alone", [h.make_node("Div", ["x", "r2"], ["d"]), h.make_node("Erf", ["d"], ["e"]), h.make_node("Add", ["e", "one"], ["f"]), h.make_node("Mul", ["x", "f"], ["g"]), h.make_node("Mul", ["g", "half"], ["y"])],
     [v("x", T.FLOAT, [1, 128, 7500])], [v("y", T.FLOAT, [1, 128, 7500])], [init("r2", np.float32(2 ** .5)), init("one", np.float32(1)), init("half", np.float32(.5))])
