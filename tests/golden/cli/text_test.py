#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""text_test.py PROGRAM GROUP: what people read is as recorded in GROUP.txt beside this file, with exit codes. FUSELAB_UPDATE_GOLDENS=1
rewrites the file; a mismatch leaves GROUP.txt.actual. The groups "terminal", "questions", "edited", "given", "namesakes", "barriers",
"elsewhere", "failed", "places" and "shells" ask instead what colour and progress depend on, which of several measurements is shown, what
is made of a database that somebody edited, of what is not understood, stored elsewhere or failed, where programs and files are, and what
shells make of the completions."""
import contextlib
import difflib
import os
import pathlib
import pty
import itertools
import json
import re
import select
import shutil
import sqlite3
import subprocess
import sys

from fresh_home import FreshHome
from onnx_bytes import INT64, model, node, value

GRAPH = "graph(x: f32[64,64], w: f32[64,64]) { y = MatMul(x, w); z = Relu(y); r = ReduceSum(z, axes=[1]); return r }"
# Two contractions, each followed by a product with what one operator makes of g.
TWO_GATES = ("graph(x: f32[64,32], w: f32[32,48], u: f32[32,48], g: f32[64,48]) { s = %s(g); a = MatMul(x, w); y = Mul(a, s); b = MatMul(x, u); "
             "z = Mul(b, s); return y, z }")
# A contraction behind what makes one of its operands.
SCALED_WEIGHTS = "graph(x: f32[64,256], w: param i8[256,128], s: param f32[128]) { c = Cast(w, to=\"f32\"); q = Mul(c, s); y = MatMul(x, q); z = Relu(y); return z }"
GROUPS = {
    "workloads": [["workloads"]],
    "import": [["import", "resnet50"], ["import", "llama-layer"], ["import", GRAPH]],
    "fuse": [["fuse", "w3"], ["fuse", "bert-layer", "--why"], ["fuse", "w3", "--level", "O0", "--why"], ["fuse", GRAPH, "--why"],
             ["fuse", "w3", "--why", "sum", "y", "--level", "O0"], ["fuse", "bert-layer", "--why", "/attention/query/MatMul", "/output/MatMul"],
             ["fuse", GRAPH, "--why", "y", "z"], ["fuse", GRAPH, "--why", "relu#1", "r"], ["fuse", GRAPH, "y", "z"],
             ["fuse", TWO_GATES % "Relu"], ["fuse", TWO_GATES % "Gelu", "--why"], ["fuse", TWO_GATES % "Gelu", "--why", "s", "z"],
             ["fuse", SCALED_WEIGHTS, "--device", "cpu", "--why"], ["fuse", SCALED_WEIGHTS, "--device", "cpu", "--why", "q", "y"]],
    "errors": [["--nosuch"], ["--db"], ["fuse"], ["fuse", "--nosuch"], ["fuse", "nosuch"], ["fuse", "w"],
               ["fuse", "w3", "--level", "O9"], ["fuse", "w3", "--shape", "rows"], ["fuse", "w3", "--shape", "depth=3"],
               ["fuse", "graph(x: f32[8]) { y = Relu(z); return y }"], ["import", "nosuch.onnx"], ["bench", "nosuch"],
               ["bench", "w3", "--device", "nosuch"], ["bench", "w3", "--device", "metal"], ["bench", "w3", "--mode", "tepid"],
               ["bench", "w3", "--dtype", "f33"], ["bench", "w3", "w1", "--shape", "rows=1", "--shape", "rows=2", "--shape", "rows=3"],
               ["tune", "w3", "--trials", "0"], ["tune", "w3", "--budget", "soon"], ["tune", "w3", "--budget"],
               ["tune", "w3", "--strategy", "luck"], ["tune", "w3", "--seed", "x"], ["compare"], ["select"], ["compare", "nosuch"],
               ["workloads", "extra"], ["report", "-o", "/dev/null/page.html"], ["report", "--nosuch"], ["db"], ["db", "sell"], ["db", "gc", "--budget", "little"],
               ["db", "merge"], ["db", "merge", "nosuch.db"], ["trust"], ["trust", "add", "nonsense"], ["completions", "tcsh"],
               ["fuse", "w3", "--shape", "rows=4", "--shape", "nonsense"], ["import", "w3", "--shape", "rows=4", "--shape", "rows=5"],
               ["compare", "w3", "--shape", "rows=4", "--shape", "rows=5"], ["bench", "w3", "--shape", "rows=4", "--shape", "rows=5"], ["tune", "w3", "--budget", "inf"], ["tune", "w3", "--seed", "-1"],
               ["fuse", "w3", "--db", "/dev/null/x.db"]],
}


def recorded(home, words):
    finished = home.run(*words)
    shown = " ".join(f"'{word}'" if re.search(r"[^\w./=,-]", word) else word for word in ["fuselab", *words])
    told = "".join(f"! {line}\n" for line in finished.stderr.splitlines())
    return f"$ {shown}\n{finished.stdout}{told}[exit {finished.returncode}]\n".replace(str(home.folder), "HOME")


def compare_with_golden(home, group):
    golden = pathlib.Path(__file__).with_name(f"{group}.txt")
    actual = "\n".join(recorded(home, words) for words in GROUPS[group])
    if os.environ.get("FUSELAB_UPDATE_GOLDENS"):
        golden.write_text(actual, encoding="utf-8")
        return []
    wanted = golden.read_text(encoding="utf-8")
    if actual == wanted:
        return []
    golden.with_suffix(".txt.actual").write_text(actual, encoding="utf-8")
    return [f"differs from {golden}; the new text is beside it as .actual",
            *difflib.unified_diff(wanted.splitlines(), actual.splitlines(), "recorded", "now", lineterm="")]


def on_terminal(home, words, **more):
    """Everything that a terminal of 60 columns is sent, from stdout and stderr."""
    ours, theirs = pty.openpty()
    subprocess.run(["stty", "cols", "60", "rows", "20"], stdin=theirs, check=True)
    child = subprocess.Popen([home.program, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=home.environment(**more), cwd=home.folder)
    os.close(theirs)
    sent = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            sent += os.read(ours, 65536)
        except OSError:  # the other end is closed: all was read
            break
    child.wait(timeout=60)
    os.close(ours)
    return sent.decode("utf-8")


def check_terminal(home):
    # On the cpu, and never the same kernels twice: compiling takes long enough for progress to be seen.
    rows = itertools.count(16)

    def bench():
        return ["bench", "w1", "--shape", f"rows={next(rows)},cols=64", "--device", "cpu:0"]

    tune = ["tune", "graph(x: f32[8,64]) { y = Relu(x); return y }", "--device", "cpu:0", "--trials", "8", "--budget", "9"]
    colour = re.compile(r"\x1b\[\d*m")
    plain = re.compile(r"^measuring \d+%", re.MULTILINE)  # on a busy machine a wait may be told first, and a disturbed block is measured again
    piped = home.run(*bench())
    shown = on_terminal(home, bench(), TERM="xterm")
    facts = {
        "a terminal gets colour": colour.search(on_terminal(home, ["workloads"], TERM="xterm")),
        "NO_COLOR takes it away": not colour.search(on_terminal(home, ["workloads"], TERM="xterm", NO_COLOR="1")),
        "an empty NO_COLOR does not": colour.search(on_terminal(home, ["workloads"], TERM="xterm", NO_COLOR="")),
        "a dumb terminal gets no escape codes": "\x1b" not in on_terminal(home, bench(), TERM="dumb"),
        "progress is one line, rewritten": "\r\x1b[2Kmeasuring" in shown,
        "the line is erased before the result": 0 < shown.rfind("\r\x1b[2K") < shown.rfind("distinct piece"),
        "the line is never wider than the terminal": all(len(line) <= 60 for line in re.findall(r"\x1b\[2K(measuring[^\r\n\x1b]*)", shown)),
        "the line moves within one search": any(  # it is painted five times a second, and a search may be shorter
            re.search(r"tuning [^\r]*Relu on cpu:0, the operator: \d+ of 8", on_terminal(home, [*tune, "--remeasure"], TERM="xterm")) for _ in range(5)),
        "a pipe gets plain lines": plain.search(piped.stderr) and not re.search(r"[\x1b\r]", piped.stdout + piped.stderr),
        "progress is not in the result": "measuring" not in piped.stdout,
        "--quiet says nothing on the way but warnings": all(line.startswith("warning: ") for line in home.run(*bench(), "--quiet").stderr.splitlines()),
        "--json has its progress on stderr": plain.search(home.run(*bench(), "--json").stderr),
        "the table is followed by what was done": re.search(r"\n\d+ trials measured, 0 reused, 0 failed\.\n", piped.stdout),
    }
    return [f"does not hold: {name}" for name, holds in facts.items() if not holds]


def check_questions(home):
    """What readers show when a model was measured at one level, then at another for a look: never one as if it were the other."""
    tiny = ["w3", "--shape", "rows=16,cols=64"]
    title = "w3-residual-rmsnorm (cols=64,rows=16), f32, "
    for words in (["--level", "O3"], ["--level", "O0"], ["--level", "O2", "--dtype", "f64"]):
        home.run("bench", *tiny, "--device", "null:0", *words)
    newest, older = home.run("compare", "--synthetic").stdout, home.run("compare", "--device", "null:0", "--level", "O0").stdout
    named, aggressive = home.run("select", *tiny, "--device", "null:0").stdout, home.run("compare", *tiny, "--device", "null:0", "--level", "aggressive").stdout
    single = home.run("compare", *tiny, "--device", "null:0", "--dtype", "f32")
    nothing = home.run("compare", "--synthetic", "--level", "O1")
    home.run("report", "--synthetic", "-o", "page.html")
    page = (home.folder / "page.html").read_text(encoding="utf-8")
    facts = {
        "the newest question is shown, and which it is": newest.startswith(title.replace("f32", "f64") + "O2: 1 distinct piece\n"),
        "the others are named with how to see them": "Also measured, to be seen with --dtype f32 --level O0; --dtype f32 --level O3\n" in newest,
        "there is one table": newest.count("distinct piece") == 1,
        "a level that is asked for is shown with its own pieces": older.startswith(title + "O0: 2 distinct pieces\n"),
        "it has its figures, not those of another level": "…" not in older.split("Model total")[0] and "failed" not in older,
        "a named subject is shown as it was measured last": named.startswith(title.replace("f32", "f64") + "O2\n"),
        "an alias is the level": aggressive.startswith(title + "O3: 1 distinct piece\n"),
        "an element type is the newest of it": single.stdout.startswith(title + "O0") and single.returncode == 0,
        "a level that was never measured is nothing": nothing.returncode == 5 and "distinct" not in nothing.stdout,
        "the report has every one": all(f"{title}{level}</h2>" in page for level in ("O0", "O3")) and f"{title.replace('f32', 'f64')}O2</h2>" in page,
    }
    return [f"does not hold: {name}" for name, holds in facts.items() if not holds]


def check_edited(home):
    """A database that somebody edits: its samples are believed and not its medians, and no figure beats its ceiling."""
    def edit(sql):
        with contextlib.closing(sqlite3.connect(home.folder / "fuselab" / "fuselab.db")) as database:
            found = database.execute(sql).fetchall()
            database.commit()
            return found

    words = ["compare", "w1", "--shape", "rows=64,cols=256", "--device", "cpu:0"]
    for _ in range(8):  # beside other work no ceiling may have been timed beside the kernels, or one that was disturbed
        shutil.rmtree(home.folder / "fuselab", ignore_errors=True)
        home.run("bench", *words[1:])
        before = home.run(*words)
        if "% of " in before.stdout and not edit("SELECT * FROM block_conditions WHERE ceiling = ''"):
            break
    edit("UPDATE trial SET median_ns = median_ns / 100, low_ns = low_ns / 100, high_ns = high_ns / 100, speed_rank = speed_rank / 100")
    edited, verified = home.run(*words), home.run("db", "verify")
    edit("UPDATE ceiling SET per_second = per_second / 1e6, low = low / 1e6, high = high / 1e6")
    beside = home.run(*words)
    edit("UPDATE block_conditions SET ceiling = ''")
    withheld, document = home.run(*words), json.loads(home.run(*words, "--json").stdout)
    cell = document["models"][0]["rows"][0]["cells"][0]
    edit("UPDATE ceiling SET per_second = per_second * 100")
    doubted, reused, mended = home.run("db", "verify"), home.run("bench", *words[1:]), home.run("db", "verify")
    facts = {
        "there was a figure": before.returncode == 0 and "% of " in before.stdout,
        "an edited median changes nothing that is shown": edited.stdout == before.stdout,
        "verify names the rows": verified.returncode == 2 and verified.stdout.count(", its samples say ") == 2,
        "a ceiling that was timed beside a figure speaks before a stored one": beside.stdout == before.stdout,
        "a figure over its ceiling is shown, and that it is withheld": withheld.returncode == 5 and re.search(r"withheld: [0-9.]+ [nµm]s", withheld.stdout.split("Model total")[0]) is not None,
        "it did not fail": "failed" not in withheld.stdout and "mistrusted" not in withheld.stdout,
        "it is counted": "distinct piece, 2 withheld\n" in withheld.stdout,
        "and in no total": "cpu:0: …" in withheld.stdout and "best mix: …" in withheld.stdout,
        "and has its reason": "fused withheld: the stored figure is " in withheld.stdout and "--remeasure measures again" in withheld.stdout,
        "a ceiling beyond its samples is named": "✗ ceiling " in doubted.stdout,
        "and measured again, also of what is reused": "0 trials measured" in reused.stdout and "✗ ceiling " not in mended.stdout,
        "programs are told, too": cell["mistrusted"] and cell["fused"]["state"] == "withheld" and cell["fused"]["withheld"]["share_of_ceiling"] > 1.03 and "share_of_ceiling" not in cell,
    }
    return [f"does not hold: {name}" for name, holds in facts.items() if not holds]


def check_given(home):
    """A kernel that somebody names is measured as given; what was measured before keeps its place."""
    subject = ["w1", "--shape", "rows=64,cols=256", "--device", "cpu:0"]
    home.run("bench", *subject)
    before = home.run("compare", *subject)
    given = home.run("bench", *subject, "--config", "unroll=4,vector=4", "--target", "baseline")
    after = home.run("compare", *subject)
    option_first = home.run("compare", "--accept", "winograd-error", "--accept", "nan-loss", *subject)
    unknown, foreign = home.run("bench", *subject, "--config", "lanes=2"), home.run("bench", *subject, "--config", "unroll=3")
    cells = json.loads(home.run("bench", *subject, "--config", "unroll=4", "--json").stdout)["models"][0]["rows"][0]["cells"][0]
    home.run("bench", *(on_null := ["w3", "--shape", "rows=64,cols=64", "--device", "null:1", "--db", "null.db"]))
    wrong = home.run("bench", *on_null, "--config", "fault=wrong")
    with contextlib.closing(sqlite3.connect(home.folder / "fuselab" / "fuselab.db")) as database:
        outcomes = [row[0] for row in database.execute("SELECT outcome FROM trial ORDER BY sequence")]
    facts = {
        "it is measured": given.returncode == 0 and re.search("\\d+ trials? measured, 0 reused, 0 failed", given.stdout) is not None,
        "and is no failure": "reproduce:" not in given.stdout,
        "it is stored like any trial": outcomes.count("timed") >= 4 and set(outcomes) <= {"timed", "dropped"},
        "in the configuration that was given": "unroll=4" in cells["fused"]["config"] and cells["unfused"]["state"] == "pending",
        "a failure's repro line names it": re.search("reproduce: .* --config \\S*fault=wrong", wrong.stdout) is not None,
        "an option that repeats leaves the subject behind it alone": option_first.returncode == 0 and option_first.stdout == before.stdout,
        "it takes no winner's place": after.stdout == before.stdout and before.returncode == 0,
        "an unknown key is refused with those that there are": unknown.returncode == 2 and "takes vector=" in unknown.stderr,
        "so is a value": foreign.returncode == 2 and "unroll=3 is not one of 1, 2, 4" in foreign.stderr and "unroll=1|2|4" in foreign.stderr,
    }
    return [f"does not hold: {name}: {given.stdout}{given.stderr}" for name, holds in facts.items() if not holds]


def check_namesakes(home):
    """Two files of one name in two folders are two models."""
    for folder, operator in (("a", "Relu"), ("b", "Exp")):
        (home.folder / folder).mkdir()
        (home.folder / folder / "m.graph").write_text(f"graph(x: f32[8,8]) {{ y = {operator}(x); return y }}", encoding="utf-8")
    on_null = ["--device", "null:0"]
    alone = home.run("bench", "a/m.graph", *on_null)
    second = home.run("bench", "b/m.graph", *on_null)
    both = home.run("compare", "--synthetic")
    named = home.run("compare", "b/m.graph", *on_null)
    home.run("report", "--synthetic", "-o", "page.html")
    page = (home.folder / "page.html").read_text(encoding="utf-8")
    titles = [line.split(",")[0] for line in both.stdout.splitlines() if "distinct piece" in line]
    facts = {
        "a name that only one has is shown as it is": alone.stdout.lstrip().startswith("m.graph, O2: 1 distinct piece"),
        "the second is told apart": second.stdout.lstrip().startswith("m.graph@"),
        "both are shown": len(titles) == 2 and len(set(titles)) == 2 and all(title.startswith("m.graph@") for title in titles),
        "each with its own piece": "Relu" in both.stdout and "Exp" in both.stdout and "also measured" not in both.stdout.lower(),
        "a named file is shown with its own": "Exp" in named.stdout and "Relu" not in named.stdout and "…" not in named.stdout.split("Model total")[0],
        "so in the report": all(f"<h2>{title}, O2</h2>" in page for title in titles),
    }
    return [f"does not hold: {name}: {both.stdout}" for name, holds in facts.items() if not holds]


def onnx_with_barriers():
    """Add, an operator of a domain that nobody knows, and a Relu of what that gives, whose type the file does not say."""
    nodes = [node("Add", ["x", "x"], ["a"]), node("FooBar", ["a"], ["b"], "my.dom"), node("Relu", ["b"], ["y"])]
    return model(nodes, [value("x", [8, 8])], [value("y", [8, 8])], opsets=(("", 17), ("my.dom", 1)))


def check_barriers(home):
    """What is not understood: every verb gives the same share and the true reason."""
    (home.folder / "barrier.onnx").write_bytes(onnx_with_barriers())
    on_null = ["--device", "null:0"]
    note = "1 operator behind it is a barrier too, because the types that it gives are not known\n"
    imported, fused = home.run("import", "barrier.onnx").stdout, home.run("fuse", "barrier.onnx", "--why").stdout
    benched, stored = home.run("bench", "barrier.onnx", *on_null).stdout, home.run("compare", "--synthetic").stdout
    named = home.run("compare", "barrier.onnx", *on_null).stdout
    document = json.loads(home.run("compare", "--synthetic", "--json").stdout)["models"][0]
    home.run("report", "--synthetic", "-o", "page.html")
    page = (home.folder / "page.html").read_text(encoding="utf-8")
    share, reason = "33% of the operators read", "n_y → none: a barrier: it reads a tensor whose type is not known\n"
    facts = {
        "everybody says the same share": all(share in text for text in (imported, fused, benched, stored, named, page)),
        "programs are told, too": abs(document["covered_share"] - 1 / 3) < 1e-9,
        "the reason is the importer's": all(reason in text for text in (benched, stored, named)),
        "import and fuse have the notes": note in imported and note in fused,
        "a known operator is not called unknown": "1  Relu (barrier)" in imported and "Relu is an operator" not in fused,
        "a barrier is no kernel": "3 operators became 1 kernel and 2 barriers;" in fused,
        "nor is a view": "1 operator became 0 kernels and 1 view;" in home.run("fuse", "graph(x: f32[4,8]) { y = Reshape(x, shape=[32]); return y }").stdout,
    }
    return [f"does not hold: {name}: {fused}{stored}" for name, holds in facts.items() if not holds]


def check_whole(home):
    """A model in two kernels on a device that takes whole models: a line of its own, the same wherever it is shown, and no say in what is chosen."""
    asked = ["w3", "--shape", "rows=16,cols=64", "--device", "null:0", "--level", "O0"]
    benched = home.run("bench", *asked).stdout
    again, stored, selected = home.run("bench", *asked).stdout, home.run("compare", *asked).stdout, home.run("select", *asked).stdout
    whole = home.run("bench", *asked[:-2]).stdout
    home.run("report", "--synthetic", "-o", "page.html")
    page = (home.folder / "page.html").read_text(encoding="utf-8")
    shown = re.search("\n(Whole model in one stack, beside the best mix of its pieces, \\S+ .s \\(null:0 2\\))\n  (null:0: \\S+ .s ±\\d+%, "
                      "\\d\\.\\d\\dx the time of the best mix \\[\\d\\.\\d\\d, \\d\\.\\d\\d\\]: (?:faster|slower|within noise of it))\n\nRecommended default\n", benched)
    facts = {
        "it stands below the totals": shown,
        "it is what is stored": shown and shown.group(2) in stored and shown.group(2) in again,
        "it is in the report": shown and shown.group(2) in page,
        "it is measured once": "\n3 trials measured, 0 reused, 0 failed.\n" in benched and "\n0 trials measured, 3 reused, 0 failed.\n" in again,
        "the pieces are the model": "O0: 2 distinct pieces\n" in benched and "O0: 2 distinct pieces\n" in stored,
        "nothing is chosen by it": selected.count("→") == 2,
        "a model that is one kernel has none": "Whole model" not in whole and "1 distinct piece\n" in whole,
    }
    return [f"does not hold: {name}: {benched}{again}{selected}" for name, holds in facts.items() if not holds]


def check_extents(home):
    """What inputs leave open: asked for by the inputs' names alone, with what share of the model numbers would cover."""
    def write(name, nodes, inputs, outputs):
        (home.folder / name).write_bytes(model(nodes, inputs, outputs, opsets=(("", 17),)))
    # An extent that is computed with is the number that it is bound to, and nothing made from the seed.
    held = ["h", 4], INT64
    write("count.onnx", [node("Size", ["x"], ["n"]), node("Add", ["x", "n"], ["y"])], [value("x", *held)], [value("y", *held)])
    counted = home.run("exec", "count.onnx", "--shape", "h=8", "--value", "x=1", "--prefer", "cpu:0").stdout
    # No formula says which of two extents is the larger, so that the reshape to it is a barrier until they have numbers.
    nodes = [node("Shape", ["x"], ["s"]), node("ReduceProd", ["s"], ["n"]), node("Max", ["n", "n"], ["m"]), node("Reshape", ["x", "m"], ["r"]),
             node("Relu", ["r"], ["e"]), node("Exp", ["e"], ["y"])]
    write("open.onnx", nodes, [value("x", ["?", "?"])], [value("y", ["?"])])
    opened = home.run("import", "open.onnx").stdout
    options = re.search("with 64 for each, 100% of the operators are read: give --shape (\\S+)\n", opened)
    shape = options.group(1).replace("…", "8") if options else "nosuch=1"
    closed, fused = home.run("import", "open.onnx", "--shape", shape), home.run("fuse", "open.onnx").stdout
    asked = re.search("^Open extents: (.*)\\. --shape", opened, re.MULTILINE)
    facts = {
        f"an extent is a number to compute with: {counted}": "min 33, mean 33, max 33" in counted,
        "the share with numbers is told": options is not None,
        "fuse tells the same": options is not None and options.group(0) in fused,
        "each question mark is an extent of its own": shape.count("=8") == 2,
        "no other extents are asked for": asked is not None and asked.group(1).count(",") == 1,
        "the barrier counts what it takes along": "Reshape is a barrier: " in opened and "; 2 operators behind it are barriers too" in opened,
        "what is typed helps": closed.returncode == 0 and "100% of the operators read" in closed.stdout and "barrier" not in closed.stdout,
    }
    return [f"does not hold: {name}: {opened}{closed.stdout}{closed.stderr}" for name, holds in facts.items() if not holds]


def check_elsewhere(home):
    """What is stored, but not under the options that were typed: it is said with what to type, and typing that shows it."""
    tiny = ["w5", "--shape", "cols=64,rows=16"]
    home.run("bench", *tiny, "--device", "cpu:0", "--mode", "first-launch", "--db", "first.db")
    home.run("bench", *tiny, "--device", "null:0", "--db", "null.db")
    wanted = {
        ("first.db", "compare", *tiny): "w5: measured in mode first-launch: `--mode first-launch` shows it",
        ("first.db", "select"): "measured in mode first-launch: `--mode first-launch` shows it",
        ("first.db", "report", "-o", "page.html"): "measured in mode first-launch: `--mode first-launch` shows it",
        ("first.db", "compare", "w5"): "w5: measured at shape cols=64,rows=16 in mode first-launch: `--shape cols=64,rows=16 --mode first-launch` shows it",
        ("first.db", "compare", "w5", "--mode", "first-launch"): "w5: measured at shape cols=64,rows=16: `--shape cols=64,rows=16` shows it",
        ("null.db", "compare", *tiny): "w5: only scripted trials of this are stored: `--synthetic` shows them",
    }
    failures = []
    for (database, *words), told in wanted.items():
        found = home.run(*words, "--db", database)
        more = re.search(r"`(.*)`", told).group(1).split()
        named = [word for word in words if "--shape" not in more or word not in ("--shape", tiny[2])]
        shown = home.run(*named, *more, "--db", database)
        taken = "fuselab: w5: taken as w5-softmax; also w5-softmax-op\n" if "w5" in words else ""
        if found.returncode != 5 or found.stderr != f"{taken}fuselab: {told}\n" or shown.returncode != 0:
            failures.append(f"does not hold: {words}: {found.stderr}{shown.stderr}")
    return failures


def check_failed(home):
    """A pair that could not be measured: each plan has its own failure, in the job and read back."""
    words = ["w5", "--shape", "rows=1099511627776,cols=1024", "--device", "cpu:0"]
    failures = []
    for verb in ("bench", "compare"):
        cell = json.loads(home.run(verb, *words, "--json").stdout)["models"][0]["rows"][0]["cells"][0]
        for kind in ("fused", "unfused"):
            if not cell[kind].get("reason", "").startswith(f"{kind} skipped: needs "):
                failures.append(f"does not hold: {verb}: {kind} has its own reason: {cell[kind]}")
    return failures


def check_places(home):
    """A user's PATH, links and files: the programs find each other, and a page that is there is not lost."""
    folder = pathlib.Path(home.program).parent
    (home.folder / "bin").mkdir()
    (home.folder / "bin" / "fuselab").symlink_to(home.program)
    (home.folder / "alone").mkdir()
    alone = shutil.copy(home.program, home.folder / "alone" / "fuselab")

    def called(*path):
        return subprocess.run(["fuselab", "devices", "--json"], env=home.environment(PATH=":".join(map(str, [*path, os.environ["PATH"]]))),
                              cwd=home.folder, capture_output=True, encoding="utf-8", check=False)

    def refused(script, *words):
        root = pathlib.Path(__file__).resolve().parents[3]
        finished = subprocess.run([root / script, *words], capture_output=True, encoding="utf-8", cwd=home.folder, timeout=10, check=False)
        return finished.returncode == 2 and finished.stdout == "" and finished.stderr.startswith(f"./{script}")

    without_worker = subprocess.run([alone, "devices"], env=home.environment(), capture_output=True, encoding="utf-8", check=False)
    page = home.folder / "page.html"
    page.write_text("figures", encoding="utf-8")
    nothing = home.run("report", "-o", "page.html")
    facts = {
        "from PATH": called(folder).returncode == 0,
        "from PATH through a link": called(home.folder / "bin").returncode == 0,
        "without its worker it is unfit": without_worker.returncode == 6,
        "and says where it looked": str(home.folder / "alone" / "fuselab-worker") in without_worker.stderr,
        "a report of nothing is none": nothing.returncode == 5 and nothing.stdout == "",
        "./run refuses what nobody takes before it builds": refused("run", "--bugdet", "10") and refused("run", "--budget"),
        "./test wants a number for its seed": refused("test", "--seed") and refused("test", "--seed", "x"),
        "and overwrites none": page.read_text(encoding="utf-8") == "figures",
    }
    return [f"does not hold: {name}" for name, holds in facts.items() if not holds]


def fish_completes(home):
    script = home.run("completions", "fish").stdout
    asked = [("db ", "gc info merge verify"), ("completions ", "bash fish zsh"), ("db merge gc", "gc.db"), ("bench w3", "w3-residual-rmsnorm"),
             ("bench my", "my.onnx"), ("compare --mode ", "cold first-launch rotating warm"), ("-q selec", "select"), ("bench --seed ", ""), ("doctor c", "")]
    failures = []
    for line, wanted in asked:
        finished = subprocess.run(["fish", "-c", f"{script}\ncomplete -C 'fuselab {line}'"], capture_output=True, encoding="utf-8", cwd=home.folder,
                                  env=home.environment(), check=False)
        given = sorted(offer.split("\t")[0] for offer in finished.stdout.splitlines())
        if given != wanted.split() or finished.stderr:
            failures.append(f"fish completed '{line}' to {given}, not {wanted}: {finished.stderr}")
    return failures


def check_completions(home):
    """The shells themselves accept their scripts; bash completes with it. Shells that are not installed are left out."""
    (home.folder / "models").mkdir()
    for name in ("color", "my.onnx", "gc.db", "models/own.onnx"):
        (home.folder / name).touch()
    asked = [  # what stands on the line, the last word begun; what is offered
        ("selec", ["select"]), ("tune --strategy coord", ["coordinate-descent"]), ("db ver", ["verify"]), ("fuse resn", ["resnet50"]),
        ("bench --rem", ["--remeasure"]), ("completions fi", ["fish"]), ("--json compare --mo", ["--mode"]), ("compare --json --mo", ["--mode"]), ("-q selec", ["select"]),
        ("--db x.db -q tune --strategy rand", ["random"]), ("compare --mode co", ["cold"]), ("db g", ["gc"]), ("db nosuch", []), ("trust l", ["list"]),
        ("completions c", []), ("doctor c", []), ("db merge g", ["gc.db"]), ("bench w3", ["w3-residual-rmsnorm"]), ("bench my", ["my.onnx"]),
        ("bench models/", ["models/own.onnx"]), ("--db gc", ["gc.db"]), ("compare --db gc", ["gc.db"]), ("report -o col", ["color"]),
        ("bench --seed c", []), ("db gc --bud", ["--budget"]), ("db gc --budget c", []), ("bench --conf", ["--config"]), ("nosuch c", [])]
    bash = home.run("completions", "bash").stdout + """
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _fuselab; echo "${COMPREPLY[@]}"; }
""" + "\n".join(f"ask fuselab {line}" for line, _ in asked)
    answered = subprocess.run(["bash", "-u", "-c", bash], capture_output=True, encoding="utf-8", cwd=home.folder, check=False)
    failures = [f"bash: {answered.stderr}"] if answered.stderr or len(answered.stdout.splitlines()) != len(asked) else []
    failures += [f"bash completed 'fuselab {line}' to {given!r}, not {wanted}"
                 for (line, wanted), given in zip(asked, answered.stdout.splitlines()) if given.split() != wanted]
    failures += fish_completes(home) if shutil.which("fish") else []
    for shell in ("zsh", "fish"):
        if not shutil.which(shell):
            continue
        checked = subprocess.run([shell, "-n"], input=home.run("completions", shell).stdout, capture_output=True, encoding="utf-8", check=False)
        if checked.returncode != 0 or checked.stderr:
            failures.append(f"{shell} refuses its script: {checked.stderr}")
    return failures


def main():
    home = FreshHome(sys.argv[1])
    checks = {"terminal": check_terminal, "questions": check_questions, "edited": check_edited, "given": check_given, "namesakes": check_namesakes, "barriers": check_barriers,
              "extents": check_extents, "elsewhere": check_elsewhere, "failed": check_failed, "places": check_places, "whole": check_whole, "shells": check_completions}
    group = sys.argv[2]
    failures = checks[group](home) if group in checks else compare_with_golden(home, group)
    shutil.rmtree(home.folder)
    print("\n".join(failures) if failures else f"{group}: as it should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
