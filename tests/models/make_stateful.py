#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_stateful.py: writes stateful/model.onnx, a recurrent network whose state goes in and out, and stateful/steps.npz, the inputs of
five steps and what ONNX Runtime gives when each step's state is fed to the next. Needs onnx, onnxruntime and numpy."""
import pathlib

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FEATURES, HIDDEN, STEPS = 6, 8, 5
FOLDER = pathlib.Path(__file__).parent / "stateful"


def model():
    seeded = numpy.random.default_rng(26)

    def weights(name, *extents):
        return numpy_helper.from_array(seeded.uniform(-0.6, 0.6, extents).astype(numpy.float32), name)

    def integers(name, *numbers):
        return numpy_helper.from_array(numpy.array(numbers, numpy.int64), name)

    initializers = [weights("W", 1, 4 * HIDDEN, FEATURES), weights("R", 1, 4 * HIDDEN, HIDDEN), weights("B", 1, 8 * HIDDEN),
                    weights("V", HIDDEN, 1), integers("time", 0), integers("flat", 1, HIDDEN)]
    nodes = [
        helper.make_node("Unsqueeze", ["x", "time"], ["sequence"]),
        helper.make_node("Split", ["state"], ["h", "c"], axis=0, num_outputs=2),
        helper.make_node("LSTM", ["sequence", "W", "R", "B", "", "h", "c"], ["", "h_next", "c_next"], hidden_size=HIDDEN),
        helper.make_node("Concat", ["h_next", "c_next"], ["stateN"], axis=0),
        helper.make_node("Reshape", ["h_next", "flat"], ["last"]),
        helper.make_node("MatMul", ["last", "V"], ["logit"]),
        helper.make_node("Sigmoid", ["logit"], ["speech"]),
    ]
    graph = helper.make_graph(
        nodes, "stateful",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, FEATURES]),
         helper.make_tensor_value_info("state", TensorProto.FLOAT, [2, 1, HIDDEN])],
        [helper.make_tensor_value_info("speech", TensorProto.FLOAT, [1, 1]),
         helper.make_tensor_value_info("stateN", TensorProto.FLOAT, [2, 1, HIDDEN])], initializers)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(made)
    return made


def main():
    FOLDER.mkdir(exist_ok=True)
    made = model()
    onnx.save(made, FOLDER / "model.onnx")
    session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    x = numpy.random.default_rng(5).normal(size=(STEPS, FEATURES)).astype(numpy.float32)
    state, speech, states = numpy.zeros((2, 1, HIDDEN), numpy.float32), [], []
    for step in range(STEPS):
        out, state = session.run(["speech", "stateN"], {"x": x[step:step + 1], "state": state})
        speech.append(out)
        states.append(state)
    numpy.savez_compressed(FOLDER / "steps.npz", x=x, speech=numpy.concatenate(speech), stateN=numpy.stack(states))


if __name__ == "__main__":
    main()
