#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collects and makes the real models that `fuselab survey` is run on: the light_* models of the `onnx` package, and small
networks (networks.py) as both of PyTorch's exporters write them. Weights are random (a fixed seed) and never kept.

    python3 -m venv venv && venv/bin/pip install torch onnx onnxscript numpy
    venv/bin/python tests/models/make_models.py FOLDER
    fuselab survey FOLDER/*.onnx
"""
import pathlib
import shutil
import sys

import onnx
import torch

from networks import networks


def collect_light(folder):
    light = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
    for model in sorted(light.glob("light_*.onnx")):
        shutil.copy(model, folder / model.name)


def export(folder, exporter, name, network, inputs, input_names, open_axes):
    file = folder / f"{exporter}_{name}.onnx"
    options = {"input_names": input_names, "dynamo": exporter == "dynamo"}
    if exporter == "dynamo":
        shapes = {key: {axis: torch.export.Dim.AUTO for axis in axes} for key, axes in open_axes.items()}
        if shapes:
            options["dynamic_shapes"] = tuple(shapes.get(key, {}) for key in input_names)
    else:
        options["dynamic_axes"] = open_axes
        options["opset_version"] = 17
    with torch.no_grad():
        torch.onnx.export(network.eval(), inputs, str(file), verbose=False, **options)
    return file


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    torch.backends.mha.set_fastpath_enabled(False)  # one fused operator that ONNX does not have
    collect_light(folder)
    failed = []
    for each in networks():
        for exporter in ("torchscript", "dynamo"):
            try:
                print(export(folder, exporter, *each))
            except Exception as error:  # an exporter's own limits are no matter of ours; they are told
                failed.append(f"{exporter} cannot export {each[0]}: {type(error).__name__}: {str(error).splitlines()[0]}")
    print("\n".join(failed))


if __name__ == "__main__":
    main()
