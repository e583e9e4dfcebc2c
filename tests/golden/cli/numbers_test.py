#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""numbers_test.py PROGRAM CONSTANTS: the numbers of a model are those of its file. Weights that it lacks are invented with a warning and not
exported, generated constants hold what the file says, and an operator that nobody reads keeps nothing from running."""
import json
import pathlib
import sys

from fresh_home import FreshHome
from onnx_bytes import field, model, node, value

HERE = ["--device", "cpu:0", "--no-fallback"]
DEAD = "graph(x: f32[8,16]) { a = Tanh(x); b = Sigmoid(a); c = Mul(a, b); y = Add(a, b); return y }"


def model_without_weights():
    """y = x + w, where w is declared as f32[4] and has no numbers."""
    weight = field(1, 4) + field(2, 1) + field(8, "w")
    return model([node("Add", ["x", "w"], ["y"])], [value("x", [4])], [value("y", [4])], [weight])


def main():
    home, constants = FreshHome(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    (home.folder / "empty.onnx").write_bytes(model_without_weights())
    ran = home.run("exec", "empty.onnx", *HERE, "--json", "--quiet")
    refused = home.run("export", "empty.onnx", "--to", "empty.fuselab")
    nothing_made = not (home.folder / "empty.fuselab").exists()
    invented = home.run("export", "empty.onnx", "--to", "empty.fuselab", "--invent-weights", "--json")
    survey = home.run("survey", "empty.onnx", "--device", "null:0")
    built_in = home.run("exec", "w1", "--shape", "rows=4,cols=8", *HERE)
    checked = home.run("exec", str(constants / "range_real_1000" / "model.onnx"), *HERE, "--check", "--json")
    check = json.loads(checked.stdout)["subjects"][0]
    dead = home.run("exec", DEAD, *HERE, "--check")
    kept = home.run("export", DEAD, "--to", "dead.fuselab")
    told = "1 weight has no numbers in the file, so random ones stand in: w"
    facts = {
        "a model without its weights runs, with a warning": ran.returncode == 0 and f"warning: {told}" in ran.stderr
        and json.loads(ran.stdout)["subjects"][0]["invented_weights"] == ["w"],
        "it is not exported": refused.returncode == 2 and told in refused.stderr and "--invent-weights" in refused.stderr and nothing_made,
        "unless that is asked for": invented.returncode == 0 and json.loads(invented.stdout)["invented_weights"] == ["w"] and told in invented.stderr,
        "a survey warns": told in survey.stderr,
        "a line says where a built-in's numbers come from": "0 from the file" in built_in.stdout and "made from the seed" in built_in.stdout
        and "warning" not in built_in.stderr,
        "generated constants are checked against the file": checked.returncode == 0 and check["file_check"]["evaluated"]
        and check["file_check"]["passed"] and check["file_check"]["checked"] == 1000 and check["inputs"]["from_file"] == 1,
        "a dead operator keeps nothing from running": dead.returncode == 0 and "1 operator that no output needs was left out: Mul" in dead.stderr,
        "nor from going out": kept.returncode == 0,
    }
    for fact, holds in facts.items():
        if holds is not True:
            print(f"not so: {fact}")
    if not all(holds is True for holds in facts.values()):
        for each in (ran, refused, invented, survey, built_in, checked, dead, kept):
            print(each.args[1:], each.returncode, each.stdout[-600:], each.stderr[-600:])
        sys.exit(1)


if __name__ == "__main__":
    main()
