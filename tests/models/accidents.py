#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What strangers met: files and accidents that once went wrong, each tried again, as a table in Markdown.

    python3 tests/models/accidents.py build/bin/fuselab

Makes its inputs in a folder that goes with it. Each line says what was typed, what is right, and what came. Ends with 1 where one is wrong.
`--test` leaves out what depends on time, or on more than a plain machine has: so it is one of the tests. Others are left out with a reason: the
full disk needs root, the telephone `strace` and $FUSELAB_LIB_ONNXRUNTIME, the folder of OpenCL a driver.
"""
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden" / "cli"))
import check_runs  # noqa: E402
from fresh_home import FreshHome  # noqa: E402
from onnx_bytes import INT64, model, node, npy, tensor, value  # noqa: E402

HOME = FreshHome(sys.argv[1])
FOLDER = HOME.folder
MASK = ("graph(q: f32[1,6,48,32], k: f32[1,6,48,32], v: f32[1,6,48,32], m: f32[1,1,48]) { kt = Transpose(k, perm=[0,1,3,2]); s = MatMul(q, kt); "
        "u = Unsqueeze(m, axes=[2]); a = Add(s, u); p = Softmax(a); y = MatMul(p, v); return y }")
VIEWED = ("graph(q: f32[1,6,48,32], k: f32[1,6,48,32], v: f32[1,6,48,32], m: f32[48,48]) { u = Unsqueeze(m, axes=[0,1]); o = Attention(q, k, v, u); "
          "return o }")
FOUR_BITS = ("graph(x: f32[4,64], q: param i4[64,32], s: param f32[64,32]) { c = Cast(q, to=\"f32\"); w = Mul(c, s); y = MatMul(x, w); "
             "return y }")
DIVIDED = "graph(x: i64[4], z: i64[4]) { y = Div(x, z); return y }"
ROWS = "graph(x: f32[n,16], w: param f32[16,24]) { p = MatMul(x, w); y = Relu(p); return y }"
DEAD = "graph(x: f32[8,16]) { a = Tanh(x); b = Sigmoid(a); c = Mul(a, b); y = Add(a, b); return y }"


def save(name, content):
    (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
    (FOLDER / name).write_bytes(content)


def make_inputs():
    x, y = [value("x", [4])], [value("y", [4])]
    save("unsorted.onnx", model([node("Relu", ["a"], ["y"]), node("Neg", ["x"], ["a"])], x, y))
    save("circle.onnx", model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"])], x, [value("b", [4])]))
    save("zeros.onnx", model([node("Shape", ["x"], ["s"]), node("ConstantOfShape", ["s"], ["z"]), node("Add", ["x", "z"], ["y"])],
                             [value("x", ["n", 4])], [value("y", ["n", 4])]))
    save("rows.onnx", model([node("Mul", ["x", "s"], ["y"])], [value("x", [2, 8])], [value("y", [2, 8])], [tensor("s", [2, 1], [1.0, 1e-5])]))
    save("open.onnx", model([node("Add", ["a", "b"], ["y"])], [value("a", [None, 4]), value("b", [None, 4])], [value("y", [None, 4])]))
    save("trees.onnx", model([node("Scaler", ["x"], ["y"], domain="ai.onnx.ml")], [value("x", [None, 4])], [value("y", [None, 4])], (),
                             (("", 18), ("ai.onnx.ml", 3))))
    save("gather.onnx", model([node("Gather", ["t", "i"], ["y"])], [value("i", [2], INT64)], [value("y", [2, 4])], [tensor("t", [3, 4], range(12))]))
    save("an/::error file=a,line=1::pwned.onnx", model([node("Relu", ["x"], ["y"])], x, y))
    save("x.npy", npy([2, 8], [1] * 16))
    save("lost.npy", npy([2, 8], [1] * 8 + [0] * 8))
    save("half.npy", npy([2, 8], [1.003] * 8 + [1.003e-5] * 8))
    save("three.npy", npy([3, 4], [1] * 12))
    save("four.npy", npy([4, 4], [1] * 16))
    save("far.npy", npy([2], [0, 1000], "<i8"))
    save("junk.npy", npy([2, 8], [1] * 16).replace(b"}     ", b"} junk", 1))
    save("notes.txt", b"a thesis")
    save("forged.jsonl", "".join(check_runs.run(number, 1.0, name="::error file=x,line=1::pwned") for number in range(12)).encode())
    (FOLDER / "full").mkdir()
    (FOLDER / "temporary").mkdir()
    save("\u00a0::error file=a::x.graph", b"graph(x: f32[4]) { y = Relu(x); return y }")
    with open(FOLDER / "huge.txt", "wb") as huge:
        huge.truncate(5 << 30)
    os.mkfifo(FOLDER / "pipe")


INTERRUPTED = "Ctrl-C while backends are looked for"
FULL = "a disk with nothing free, and a database without a log"
PHONES = "ONNX Runtime, which phones home"
LEFT = "what OpenCL leaves in TMPDIR"
# Behind which words the program runs.
BEHIND = {FULL: ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=16m none full; cp home.db full/; dd if=/dev/zero of=full/rest 2>/dev/null; exec "$0" "$@"'],
          PHONES: ["strace", "-f", "-qq", "-e", "trace=connect"]}
AROUND = {"an empty TMPDIR": {"TMPDIR": ""}, LEFT: {"TMPDIR": str(FOLDER / "temporary"), "FUSELAB_LIB_OPENCL": "libOpenCL.so.1"},
          PHONES: {"FUSELAB_LIB_ONNXRUNTIME": os.environ.get("FUSELAB_LIB_ONNXRUNTIME", "")}}
# What may not be in the output.
NEVER = {PHONES: "AF_INET", FULL: "the operating system refused"}
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
    ("an array file with something behind its header", ["exec", "rows.onnx", "--input", "x=junk.npy"], 2, "behind its header"),
    ("a whole number divided by 0", ["exec", DIVIDED, "--value", "x=5", "--value", "z=0"], 2, "Div has no result then"),
    ("the least whole number divided by -1", ["exec", DIVIDED, "--value", "x=-9223372036854775808", "--value", "z=-1", "--check"], 0, "passed"),
    ("weights of 4 bits, which no device here reads", ["fuse", FOUR_BITS], 0, "67% can be run here"),
    ("a text of 5 GB", ["import", "huge.txt"], 2, "more than the"),
    ("a pipe in the place of a history", ["history", "pipe"], 2, "pipe"),
    ("a timeline over somebody's file", ["fuse", "w3", "--trace", "notes.txt"], 2, "left alone"),
    ("a command to a runner in a file's name", ["survey", "an/::error file=a,line=1::pwned.onnx"], 0, ""),
    ("the same behind a blank that runners trim", ["exec", "\u00a0::error file=a::x.graph"], 0, "SHA-256"),
    ("the same in the name of a timeline", ["fuse", "w3", "--trace", "t\n::error::x"], 0, "timeline"),
    ("the same in an argument", ["import", "e\n::error file=a::x.onnx"], 5, ""),
    ("a name of 100 kB", ["exec", "x" * 100000], 5, "…"),
    ("an empty TMPDIR", ["exec", "w3", *TINY], 0, "SHA-256"),
    ("several sizes in one bundle", ["export", ROWS, "--shape", "n=3", "--shape", "n=8", "--to", "rows.fuselab"], 0, "(n=8)"),
    ("a bundle of several sizes, tried", ["export", "--verify", "rows.fuselab"], 0, "2 of 2 pieces match"),
    ("a size that is asked for twice", ["export", ROWS, "--shape", "n=3", "--shape", "n=3", "--to", "rows.fuselab"], 2, "given twice"),
    ("rows of a database", ["db", "verify"], 0, "sound"),
    ("a row that says another state than there are", ["--db", "edited.db", "db", "verify"], 2, "1 problem"),
    ("a database whose header is damaged", ["--db", "damaged.db", "db", "verify"], 2, "damaged"),
    ("a case of a history that is called like a command to a runner", ["history", "forged.jsonl"], 0, "error file=x"),
    (FULL, ["--db", "full/home.db", "db", "info"], 6, "the disk is full"),
    (PHONES, ["bench", "w5", *TINY, "--device", "onnxruntime"], 0, "onnxruntime"),
    (LEFT, ["devices"], 0, "✓ OpenCL"),
    (INTERRUPTED, ["bench", "w3", *TINY], 4, "interrupted"),
]


def copy_database():
    """Two copies of what was measured so far: one with a row that no Fuselab writes, one with a header that no SQLite knows."""
    source = next(FOLDER.rglob("*.db"))
    for name in ("edited.db", "damaged.db"):
        shutil.copy(source, FOLDER / name)
    edited = sqlite3.connect(FOLDER / "edited.db")
    edited.execute("PRAGMA ignore_check_constraints = ON")
    edited.execute("UPDATE run SET state = 'wondrous'")
    edited.commit()
    edited.close()
    with open(FOLDER / "damaged.db", "r+b") as damaged:
        damaged.seek(18)
        damaged.write(b"\x09\x09")


def tried(what, words):
    if words[:2] == ["--db", "edited.db"]:
        copy_database()
    if what == FULL:
        shutil.copy(next(FOLDER.rglob("fuselab.db")), FOLDER / "home.db")
    started = subprocess.Popen([*BEHIND.get(what, []), HOME.program, *words], cwd=FOLDER, env=HOME.environment(**AROUND.get(what, {})), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    if what == INTERRUPTED:
        time.sleep(0.1)
        started.send_signal(signal.SIGINT)
    try:
        out, err = started.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        started.kill()
        out, err = started.communicate()
        return None, out + err
    return started.returncode, out + err


def lacking(what):
    """Why a case cannot be tried here; nothing where it can."""
    if "--test" in sys.argv and what in {INTERRUPTED, FULL, PHONES, LEFT}:
        return "no test"
    if what == FULL and os.geteuid() != 0:
        return "it needs root"
    if what == PHONES and not (shutil.which("strace") and os.environ.get("FUSELAB_LIB_ONNXRUNTIME")):
        return "it needs strace and $FUSELAB_LIB_ONNXRUNTIME"
    return ""


def shown(text, most=90):
    line = next((each for each in text.splitlines()[::-1] if each.strip()), "")
    line = line.replace("|", "\\|").replace("`", "'")
    return line if len(line) <= most else line[:most] + "…"


def main():
    make_inputs()
    wrong = 0
    print("| accident | typed | right | exit | said | |\n|---|---|---|---|---|---|")
    cases = [case for case in CASES if not lacking(case[0])]
    logs = []
    for what, words, code, says in cases:
        if what == INTERRUPTED:  # the last one: a command that is ended leaves its log, which the next one takes in
            logs = [path.name for path in FOLDER.rglob("*.db-*")]
        got, text = tried(what, words)
        forged = any(line.strip().startswith("::") or "##[" in line for line in text.splitlines())
        left = [path.name for path in (FOLDER / "temporary").iterdir()]
        holds = got == code and says in text and not forged and not left and NEVER.get(what, "\0") not in text
        wrong += not holds
        typed = " ".join(word if len(word) < 40 else word[:30].replace("\n", "?") + "…" for word in words).replace("\n", "?").replace("|", "\\|")
        print(f"| {what} | `{typed}` | {code}{', ' + says if says else ''} | {'hangs' if got is None else got} | {shown(text)} | {'as it should' if holds else 'WRONG'} |")
    if (FOLDER / "notes.txt").read_text(encoding="utf-8") != "a thesis":
        print("notes.txt was overwritten")
        wrong += 1
    logs = logs or ([path.name for path in FOLDER.rglob("*.db-*")] if "--test" in sys.argv else [])
    if logs:
        print(f"readers left {logs}")
        wrong += 1
    for what, reason in ((case[0], lacking(case[0])) for case in CASES):
        if reason and reason != "no test":
            print(f"SKIPPED: {what}: {reason}")
    print(f"\n{len(cases) - wrong} of {len(cases)} as they should be")
    shutil.rmtree(FOLDER)
    return 1 if wrong else 0


sys.exit(main())
