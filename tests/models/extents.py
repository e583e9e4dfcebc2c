# SPDX-License-Identifier: Apache-2.0
"""Models whose inputs leave extents open, at given ones."""

import os

import onnx


def at_extents(path, extents, folder):
    """A copy of the model in that folder whose only input has these extents, "1x3x320x320"; what the file says of others' is worked out anew."""
    model = onnx.load(path)
    for dim, extent in zip(model.graph.input[0].type.tensor_type.shape.dim, extents.split("x")):
        dim.dim_value = int(extent)
    del model.graph.value_info[:]
    for result in model.graph.output:
        result.type.tensor_type.ClearField("shape")
    to = f"{folder}/{os.path.basename(path)}"
    onnx.save(onnx.shape_inference.infer_shapes(model, data_prop=True), to)
    return to
