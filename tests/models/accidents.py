#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What strangers met: files and accidents that once went wrong, each tried again, as a table in Markdown.

    python3 -m venv venv && venv/bin/pip install onnx
    venv/bin/python tests/models/accidents.py build/bin/fuselab

Makes its inputs in a folder that goes with it. Each line says what was typed, what is right, and what came. Ends with 1 where one is wrong.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="accidents-"))
HOME = FOLDER / "home"
HOME.mkdir()
MASK = ("graph(q: f32[1,6,48,32], k: f32[1,6,48,32], v: f32[1,6,48,32], m: f32[1,1,48]) { kt = Transpose(k, perm=[0,1,3,2]); s = MatMul(q, kt); "
        "u = Unsqueeze(m, axes=[2]); a = Add(s, u); p = Softmax(a); y = MatMul(p, v); return y }")
VIEWED = ("graph(q: f32[1,6,48,32], k: f32[1,6,48,32], v: f32[1,6,48,32], m: f32[48,48]) { u = Unsqueeze(m, axes=[0,1]); o = Attention(q, k, v, u); "
          "return o }")
DEAD = "graph(x: f32[8,16]) { a = Tanh(x); b = Sigmoid(a); c = Mul(a, b); y = Add(a, b); return y }"


def tensor(name, shape, kind=T.FLOAT):
    return h.make_tensor_value_info(name, kind, shape)


def save(name, nodes, inputs, outputs, weights=(), opsets=(("", 18),)):
    graph = h.make_graph(nodes, "g", inputs, outputs, [nh.from_array(np.asarray(value), key) for key, value in weights])
    model = h.make_model(graph, opset_imports=[h.make_opsetid(*each) for each in opsets], ir_version=9)
    (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, FOLDER / name)


def make_inputs():
    save("unsorted.onnx", [h.make_node("Relu", ["a"], ["y"]), h.make_node("Neg", ["x"], ["a"])], [tensor("x", [4])], [tensor("y", [4])])
    save("circle.onnx", [h.make_node("Add", ["x", "b"], ["a"]), h.make_node("Relu", ["a"], ["b"])], [tensor("x", [4])], [tensor("b", [4])])
    save("zeros.onnx", [h.make_node("Shape", ["x"], ["s"]), h.make_node("ConstantOfShape", ["s"], ["z"]), h.make_node("Add", ["x", "z"], ["y"])],
         [tensor("x", ["n", 4])], [tensor("y", ["n", 4])])
    save("rows.onnx", [h.make_node("Mul", ["x", "s"], ["y"])], [tensor("x", [2, 8])], [tensor("y", [2, 8])], [("s", np.array([[1.0], [1e-5]], np.float32))])
    save("open.onnx", [h.make_node("Add", ["a", "b"], ["y"])], [tensor("a", [None, 4]), tensor("b", [None, 4])], [tensor("y", [None, 4])])
    save("trees.onnx", [h.make_node("Scaler", ["x"], ["y"], domain="ai.onnx.ml", offset=[0.0] * 4, scale=[1.0] * 4)],
         [tensor("x", [None, 4])], [tensor("y", [None, 4])], (), (("", 18), ("ai.onnx.ml", 3)))
    save("gather.onnx", [h.make_node("Gather", ["t", "i"], ["y"])], [tensor("i", [2], T.INT64)], [tensor("y", [2, 4])],
         [("t", np.arange(12, dtype=np.float32).reshape(3, 4))])
    save("an/::error file=a,line=1::pwned.onnx", [h.make_node("Relu", ["x"], ["y"])], [tensor("x", [4])], [tensor("y", [4])])
    one = np.ones((2, 8), np.float32)
    np.save(FOLDER / "x.npy", one)
    np.save(FOLDER / "lost.npy", one * np.array([[1.0], [0.0]], np.float32))
    np.save(FOLDER / "half.npy", one * np.array([[1.003], [1.003e-5]], np.float32))
    np.save(FOLDER / "three.npy", np.ones((3, 4), np.float32))
    np.save(FOLDER / "four.npy", np.ones((4, 4), np.float32))
    np.save(FOLDER / "far.npy", np.array([0, 1000], np.int64))
    (FOLDER / "notes.txt").write_text("a thesis", encoding="utf-8")
    (FOLDER / "\u00a0::error file=a::x.graph").write_text("graph(x: f32[4]) { y = Relu(x); return y }", encoding="utf-8")
    with open(FOLDER / "huge.txt", "wb") as huge:
        huge.truncate(5 << 30)
    os.mkfifo(FOLDER / "pipe")


TINY = ["--shape", "rows=8,cols=16"]
# What is tried, the words, the exit code that is right, and what the output says. No line of it may begin with "::".
CASES = [
    ("nodes in an order that cannot run", ["exec", "unsorted.onnx", "--check"], 0, "they were sorted"),
    ("nodes that read each other in a circle", ["exec", "circle.onnx"], 2, "in a circle"),
    ("generated zeros of 400 numbers", ["exec", "zeros.onnx", "--shape", "n=100", "--value", "x=1", "--check"], 0, "min 1, mean 1, max 1"),
    ("a value that nothing reads", ["exec", DEAD, "--check"], 0, "passed"),
    ("a small row that is lost", ["exec", "rows.onnx", "--input", "x=x.npy", "--expect", "y=lost.npy"], 7, "8 of 16 numbers differ"),
    ("a share that somebody allows", ["exec", "rows.onnx", "--input", "x=x.npy", "--expect", "y=half.npy", "--tolerance", "1e-2"], 0, "0 of 16 numbers differ"),
    ("a share that nobody allowed", ["exec", "rows.onnx", "--input", "x=x.npy", "--expect", "y=half.npy"], 7, "the worst at ["),
    ("extents that files have", ["exec", "open.onnx", "--input", "a=three.npy", "--input", "b=three.npy"], 0, "f32[3,4]"),
    ("files that disagree", ["exec", "open.onnx", "--input", "a=three.npy", "--input", "b=four.npy"], 2, "do not broadcast"),
    ("the view of a mask of the operator Attention", ["exec", VIEWED, "--prefer", "cpu"], 0, "0 degraded"),
    ("extents of outputs alone", ["exec", "trees.onnx", "--shape", "x_0=5"], 2, "its domain is not ONNX's own"),
    ("an unknown name in --shape", ["exec", "open.onnx", "--shape", "N=4"], 2, "'N' is no symbol"),
    ("an index out of range", ["exec", "gather.onnx", "--input", "i=far.npy"], 2, "1000"),
    ("the view of a mask in front of an attention", ["exec", MASK, "--prefer", "cpu"], 0, "0 degraded"),
    ("a text of 5 GB", ["import", "huge.txt"], 2, "more than the"),
    ("a pipe in the place of a history", ["history", "pipe"], 2, "pipe"),
    ("a timeline over somebody's file", ["fuse", "w3", "--trace", "notes.txt"], 2, "left alone"),
    ("a command to a runner in a file's name", ["survey", "an/::error file=a,line=1::pwned.onnx"], 0, ""),
    ("the same behind a blank that runners trim", ["exec", "\u00a0::error file=a::x.graph"], 0, "SHA-256"),
    ("the same in the name of a timeline", ["fuse", "w3", "--trace", "t\n::error::x"], 0, "timeline"),
    ("the same in an argument", ["import", "e\n::error file=a::x.onnx"], 5, ""),
    ("a name of 100 kB", ["exec", "x" * 100000], 5, "…"),
    ("an empty TMPDIR", ["exec", "w3", *TINY], 0, "SHA-256"),
    ("Ctrl-C while backends are looked for", ["bench", "w3", *TINY], 4, "interrupted"),
]


def tried(what, words):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(HOME), **({"TMPDIR": ""} if what == "an empty TMPDIR" else {})}
    started = subprocess.Popen([PROGRAM, *words], cwd=FOLDER, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    if "Ctrl-C" in what:
        time.sleep(0.1)
        started.send_signal(signal.SIGINT)
    try:
        out, err = started.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        started.kill()
        out, err = started.communicate()
        return None, out + err
    return started.returncode, out + err


def shown(text, most=90):
    line = next((each for each in text.splitlines()[::-1] if each.strip()), "")
    line = line.replace("|", "\\|").replace("`", "'")
    return line if len(line) <= most else line[:most] + "…"


def main():
    make_inputs()
    wrong = 0
    print("| accident | typed | right | exit | said | |\n|---|---|---|---|---|---|")
    for what, words, code, says in CASES:
        got, text = tried(what, words)
        forged = any(line.strip().startswith("::") or "##[" in line for line in text.splitlines())
        holds = got == code and says in text and not forged
        wrong += not holds
        typed = " ".join(word if len(word) < 40 else word[:30].replace("\n", "?") + "…" for word in words).replace("\n", "?").replace("|", "\\|")
        print(f"| {what} | `{typed}` | {code}{', ' + says if says else ''} | {'hangs' if got is None else got} | {shown(text)} | {'as it should' if holds else 'WRONG'} |")
    if (FOLDER / "notes.txt").read_text(encoding="utf-8") != "a thesis":
        print("notes.txt was overwritten")
        wrong += 1
    print(f"\n{len(CASES) - wrong} of {len(CASES)} as they should be")
    shutil.rmtree(FOLDER)
    return 1 if wrong else 0


sys.exit(main())
