#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""json_test.py PROGRAM SCHEMAS VERB: what `fuselab VERB --json` prints is one JSON document and nothing else, as its schema says, on
success and on failure, and its "exit" is the exit code. VERB "schemas" looks at the schemas themselves."""
import contextlib
import json
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys

import jsonschema

import check_runs
from fresh_home import FreshHome

TINY = ["--shape", "rows=16,cols=64"]
NULL = [*TINY, "--device", "null:0"]
BRIEF = ["--budget", "2", "--trials", "3"]
KEY = "fuselab-ed25519 3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29 colleague"
GRAPH = "graph(x: f32[8,8]) { y = Relu(x); return y }"
GRAPH_OF_TWO = "graph(x: f32[8,16], p: param f32[16]) { s = Add(x, p); y = Relu(s); return y }"
STATEFUL = "graph(x: f32[8], state: f32[8]) { next = Add(state, x); y = Tanh(next); z = ReduceSum(y, axes=[0], keepdims=0); return z, next }"
GRAPH_OF_BARRIER = "graph(x: f32[4,8]) { r = Reshape(x, shape=[32]); m: f32[32] = Opaque:Mystery(r); return m }"
# What two pieces read and both compute; an operand that a contraction computes.
TWO_GATES = ("graph(x: f32[64,32], w: f32[32,48], u: f32[32,48], g: f32[64,48]) { s = Relu(g); a = MatMul(x, w); y = Mul(a, s); b = MatMul(x, u); "
             "z = Mul(b, s); return y, z }")
SCALED = "graph(x: f32[64,32], w: f32[32,48], s: f32[48]) { q = Mul(w, s); y = MatMul(x, q); return y }"


def shown_again(subject):
    """Lines that measure in the two modes which are not the usual one, and ask for them."""
    return [line for mode in ("cold", "first-launch")
            for line in ((5, [subject, *NULL, "--mode", mode]), ("bench", [subject, *NULL, "--mode", mode]), (0, [subject, *NULL, "--mode", mode]))]


# Per verb the command lines, run one after the other in one fresh home, with their exit codes. A verb that has none here is asked to
# refuse an option that it does not know.
LINES = {
    "devices": [(0, []), (0, ["--synthetic"]), (2, ["--nosuch"]), (2, ["extra"])],
    "selftest": [(0, ["--models", "3"]), (0, ["w3", "--shape", "rows=8,cols=16", "--device", "null:0", "--aa", "2"]),
                 (0, ["--suites", "50", "--record", "aa.jsonl"]),
                 (4, ["w3", "--shape", "rows=8,cols=16", "--device", "null:0", "--aa", "9", "--record", "slice.jsonl", "--slice", "0.000001"]), (2, ["--suites", "50", "--record", "slice.jsonl"]),
                 (5, ["--suites", "50", "--record", "nosuch"]), (2, ["--suites", "50"]),
                 (5, ["--device", "nosuch"]), (2, ["--margin", "0"])],
    "check": [(2, []), ("toml", []), (5, []), (2, ["--case", "nosuch"]), ("baseline", ["save", "fuselab.baseline"]), (0, []), (1, ["--drill", "20"]), (0, ["--drill", "20", "--fail-on", "none", "--record", "kept.jsonl"]),
              (0, ["--replay", "kept.jsonl"]), (1, ["--replay", "kept.jsonl", "--fail-on", "regressed"]),
              ("selftest", ["w3", "--shape", "rows=8,cols=16", "--device", "null:0", "--aa", "2", "--slowed", "1"]), (1, ["--drill", "20"]),
              (4, ["--baseline-mode", "historical", "--drill", "20"]), (5, ["--baseline-mode", "golden"]), (2, ["--baseline-mode", "latest"]), (2, ["--cross-machine"]),
              (2, ["--fail-on", "improved"]), (6, ["--device", "cuda:9"]), (0, ["--null-control"]), (1, ["--null-control", "--drill", "20"]),
              (2, ["--null-control", "--against", "HEAD"]), (2, ["--drill", "five"]), (2, ["--drill", "nosuch=5"])],
    "baseline": [(2, []), ("toml", []), (0, ["save", "fuselab.baseline"]), (0, ["load", "fuselab.baseline"]), (0, ["extend", "fuselab.baseline"]), (2, ["save", "fuselab.baseline", "--expires", "soon"]), (5, ["extend", "nosuch"]), (2, ["save", "fuselab.toml"]), (2, ["load", "fuselab.toml"]), (5, ["load", "nosuch"])],
    "ceilings": [(0, ["--device", "cpu:0", "--seconds", "0.01"]), (5, ["--device", "nosuch"]), (6, ["--device", "metal"]), (2, ["--seconds", "0"])],
    "workloads": [(0, []), (2, ["extra"])],
    "import": [(0, ["w3"]), (0, ["llama-layer"]), (0, [GRAPH]), (5, ["nosuch"]), (2, []), (2, ["graph(x: f32[8]) { y = Relu(z); return y }"])],
    "fuse": [(0, ["w3", "--why"]), (0, ["w3", "--why", "sum", "y", "--level", "O0"]), (5, ["w3", "--why", "sum", "nosuch"]),
             (0, ["w3", "--statistics", "--verify", "--shape", "rows=4,cols=64"]), (2, ["w3", "sum", "y"]), (0, ["resnet50"]), (0, [GRAPH]), (0, [TWO_GATES]), (0, [TWO_GATES, "--why", "s", "z"]), (0, [SCALED, "--device", "cpu"]), (2, ["w3", "--level", "O9"]), (5, ["nosuch"]), (2, ["w3", "--shape", "rows"])],
    "bench": [(0, ["w3", *NULL]), (0, ["w3", *NULL, "--dry-run"]), (5, ["nosuch", "--dry-run"]), (0, ["w3", *NULL]), (0, ["w1", *TINY, "--device", "cpu:0"]), (0, ["w3", *TINY, "--device", "null"]),
              (5, ["nosuch"]), (5, ["w3", "--device", "nosuch"]), (6, ["w3", "--device", "metal"]), (2, ["w3", "--mode", "tepid"]),
              (0, ["w1", *TINY, "--device", "cpu:0", "--config", "threads=1"]), (0, [GRAPH, "--device", "cpu:0", "--target", "baseline"]),
              (2, ["w1", *TINY, "--device", "cpu:0", "--config", "nosuch=1"]), (2, ["w1", *NULL, "--config", "threads"]),
              (6, ["w1", *TINY, "--device", "cpu:0", "--target", "sm_90"]), (2, ["w3", "--dtype", "f33"]), (2, ["w3", "--shape", "rows=0", "--device", "null:0"])],
    "survey": [(0, ["w3", "w1", *NULL]), (0, [GRAPH, "--device", "cpu:0"]), (5, ["w3", "nosuch", *NULL]), (2, []),
               (2, ["w3", *NULL, "--shape", "rows=8"]), (2, ["w1", "--shape", "rowz=3", "--device", "null:0"]), (2, ["graph(x: f32[n]) { y = Relu(x); return y }", "--device", "null:0"]),
               (0, ["w1", "w3", GRAPH_OF_BARRIER, *TINY, "--compile-only", "--target", "avx2", "--target", "x86-64"]), (5, ["w1", "nosuch", *TINY, "--compile-only", "--target", "avx2"]),
               (2, ["w1", "--compile-only"]), (2, ["w1", "--target", "avx2"]), (6, ["w1", *NULL, "--compile-only", "--target", "avx2"]), (5, ["w1", "--compile-only", "--target", "sm_9000"])],
    "tune": [(0, ["w3", *NULL, *BRIEF]), (0, ["w1", *TINY, "--device", "cpu:0", *BRIEF, "--cold"]), (0, ["w3", *TINY, "--device", "null:1", *BRIEF]),
             (0, ["w1", *TINY, "--compile-only", "--target", "avx2", "--trials", "2"]), (5, ["w1", "--compile-only", "--target", "sm_9000"]),
             (0, ["w1", *TINY, "--compile-only", "--target", "x86-64", "--into", "shelf"]), (2, ["w1", "--compile-only"]), (2, ["w1", "--target", "avx2"]),
             (0, ["--new", "conv.toml"]), (2, ["--new", "conv.toml"]), (0, ["conv.toml", "--dry-run"]), (0, ["w3", *NULL, "--dry-run"]), (5, ["nosuch.toml", "--dry-run"]),
             (0, ["conv.toml", "--shape", "height=16,width=64", "--device", "cpu:0", *BRIEF]), (2, ["conv.toml", "--shape", "depth=4"]),
             (2, ["w3", "--strategy", "luck"]), (2, ["w3", "--trials", "0"]), (5, ["nosuch"])],
    "run": [(0, ["w3", "w1", *NULL, *BRIEF, "--dry-run"]), (0, ["w3", "w1", *NULL, *BRIEF]), (0, [GRAPH, "--device", "cpu:0", *BRIEF, "--warm-only"]), (5, ["nosuch"]), (2, ["w3", "--budget", "soon"])],
    "compare": [(5, []), (5, ["w3", *NULL]), ("bench", ["w3", *NULL]), (0, ["--synthetic"]), (0, ["w3", *NULL]),
                ("bench", ["w3", *NULL, "--level", "O0"]), (0, ["w3", *NULL, "--level", "O0"]), (5, []), (5, ["w2"]), (5, ["nosuch"]),
                *shown_again("w3"), (5, ["--db", "/proc/x.db"]), (2, ["--mode", "tepid"])],
    "select": [(5, []), ("bench", ["w3", *NULL]), (0, ["w3", *NULL]), (0, ["w3", "--shape", "rows=32,cols=64", "--device", "null:0", "--advice"]), (5, ["w2"]), (5, ["nosuch"]), *shown_again("w3"),
               ("bench", ["w1", *TINY, "--device", "cpu:0"]), (0, ["w1", *TINY, "--device", "cpu:0", "--advice"]), ("profile", ["w1", *TINY, "--device", "cpu:0", "--seconds", "0.05"]),
               (0, ["w1", *TINY, "--device", "cpu:0", "--advice"])],
    "crossover": [(5, []), ("bench", ["w3", *NULL]), (5, ["w3", *NULL]), ("bench", ["w3", *TINY, "--device", "null"]), (0, ["w3", *TINY, "--device", "null"]),
                  (0, ["--synthetic"]), (5, ["nosuch"]), (2, ["--nosuch"])],
    "decide": [(5, []), ("bench", ["w3", *NULL]), (0, ["w3", *NULL]), ("bench", ["w3", *TINY, "--device", "null"]), (0, ["w3", *TINY, "--device", "null"]),
               (0, ["--synthetic"]), (5, ["nosuch"]), (2, ["--nosuch"])],
    "history": [(0, ["runs.jsonl"]), (0, ["--models", "1"]), (5, ["nosuch.jsonl"]), (2, []), (2, ["--models", "1", "runs.jsonl"])],
    "bisect": [(2, []), (5, ["a", "b", "--case", "x"]), (2, ["a", "b"]), (5, ["--from", "nosuch.jsonl", "--case", "x"])],
    "exec": [(0, ["w3", *NULL, "--check"]), (0, ["w3", *TINY, "--device", "null:1", "--config", "a=0,b=0,fault=crash"]), (2, []), (5, ["nosuch"]),
             (2, ["w3", *NULL, "--config", "threads"]), (0, [GRAPH_OF_TWO, "--device", "cpu:0", "--save", "out", "--steady", "2"]), (2, ["w3", *NULL, "--steady", "-1"]),
             (0, [STATEFUL, "--device", "cpu:0", "--feedback", "state=next", "--times", "2", "--output-dir", "out"]), (2, [STATEFUL, "--feedback", "state"]),
             (0, [STATEFUL, "--device", "cpu:0", *(word for run in "12" for word in ("--expect", f"next=out/run-{run}/next.npy")), "--feedback", "state=next", "--times", "2"]),
             (2, [STATEFUL, "--feedback", "state=y", "--times", "2"])],
    "export": [(0, [GRAPH_OF_TWO, "--to", "two.fuselab"]), (0, ["--verify", "two.fuselab"]), (5, ["--verify", "nosuch"]), (2, ["--verify", "two.fuselab", "--to", "x"]),
               (0, [GRAPH_OF_TWO, "--to", "two.h", "--format", "header"]), (6, ["w3", *TINY, "--to", "w3.fuselab", "--require-complete"]), ("tune", ["w1", *TINY, "--device", "cpu:0", *BRIEF]),
               (0, ["w1", *TINY, "--to", "w1.fuselab", "--allow-unconfirmed"]), (0, ["w1", *TINY, "--to", "w1.json", "--format", "kernel-tuner"]), (5, ["w2", "--to", "w2.json", "--format", "csv"]), (0, [GRAPH_OF_TWO, "--to", "two/"]), (0, ["--verify", "two"]), (5, ["nosuch", "--to", "x.fuselab"]), (2, ["w3"]), (6, [GRAPH, "--to", "x.py", "--format", "triton"]), (2, [GRAPH, "--to", "x.h", "--format", "header", "--target", "sm_90a"]), (2, ["w3", *NULL, "--to", "x.fuselab"]), (2, ["w3", *TINY, "--to", "x", "--max-loss", "-1"])],
    "inspect": [("export", [GRAPH_OF_TWO, "--to", "two.fuselab"]), (0, ["two.fuselab"]), ("export", [GRAPH_OF_TWO, "--to", "two", "--format", "folder"]), (0, ["two"]), (5, ["nosuch"]), (2, [])],
    "profile": [(2, []), (5, ["nosuch"]), (0, [GRAPH, "--device", "cpu:0", "--seconds", "0.05"]), (0, ["w3", *NULL]), ("bench", ["w1", *TINY, "--device", "cpu:0"]),
                (0, ["w1", *TINY, "--device", "cpu:0", "--seconds", "0.05"]), (0, ["w1", *TINY, "--device", "cpu:0", "--all"]), (5, ["--trial", "0000dead"]), (2, ["--trial", "x"]),
                (5, ["w1", *TINY, "--piece", "nosuch", "--device", "cpu:0"]), (2, ["w1", "--plan", "both"]), (2, ["--compare", "a"]),
                (0, ["w1", *TINY, "--target", "avx2"]), (5, ["w1", *TINY, "--target", "sm_9000"]), (2, ["w1", "--target", "avx2", "--device", "cpu:0"]), (2, ["--trial", "0000", "--target", "avx2"])],
    "gains": [(5, []), ("bench", ["w3", *NULL]), (0, ["w3", *NULL]), (5, ["w2"]), (2, ["--nosuch"])],
    "report": [(5, []), ("bench", ["w3", *NULL]), (0, ["--synthetic", "-o", "page.html"]), (6, ["--synthetic", "-o", "/dev/null/page.html"]), (2, ["--nosuch"]),
               (6, ["--synthetic", "-o", "/proc/page.html"]), (5, ["--synthetic", "--mode", "first-launch", "-o", "first.html"]),
               ("bench", ["w3", *NULL, "--mode", "first-launch"]), (0, ["--synthetic", "--mode", "first-launch", "-o", "first.html"])],
    "db": [(2, []), ("bench", ["w3", *NULL]), (0, ["info"]), (0, ["verify"]), (0, ["gc", "--budget", "1MiB"]), (2, ["gc", "--budget", "little"]),
           ("bench", ["w1", *NULL, "--db", "other.db"]), (0, ["merge", "other.db"]), (5, ["merge", "nosuch.db"]), (2, ["sell"]),
           ("tune", ["w1", *TINY, "--device", "cpu:0", *BRIEF, "--db", "tuned.db"]), ("export", ["w1", *TINY, "--format", "t4", "--to", "w1_here.T4.json", "--db", "tuned.db"]),
           (0, ["import", "w1_here.T4.json", "--db", "tuned.db"]), (6, ["import", "nosuch.json"])],
    "runs": [(5, []), ("bench", ["w3", *NULL]), ("bench", ["w3", *NULL, "--remeasure"]), (5, []), (0, ["--synthetic"]), (5, ["name", "latest", "after"]), (0, ["name", "latest", "after", "--synthetic"]), (2, ["tag", "after"]), (0, ["tag", "after", "nightly", "x"]), (0, ["tag", "after", "--remove", "x"]),
             (0, ["note", "after", "one\ntwo"]), (0, ["pin", "after"]), (0, ["show", "after"]), (0, ["list", "--tag", "nightly", "--synthetic"]), (5, ["list", "--tag", "nosuch", "--synthetic"]), (0, ["unpin", "after"]), (0, ["name", "after", ""]),
             (5, ["show", "after"]), (2, ["name", "latest", "latest", "--synthetic"]), (2, ["name", "latest", "a\nb", "--synthetic"]), (5, ["tag", "latest", "--remove", "gone", "--synthetic"]), (2, ["show"]), (2, ["sell"])],
    "diff": [(5, []), ("bench", ["w3", *NULL]), (5, ["--synthetic"]), (2, ["latest", "--synthetic"]), ("bench", ["w3", *NULL, "--remeasure"]), (0, ["--synthetic"]), (5, ["nosuch"]), (2, ["latest", "latest", "--synthetic"]), (2, ["a", "b", "c"])],
    "default": [(0, []), (0, ["show"]), (0, ["set", "CPU", "--fallback", "null"]), (0, []), (0, ["clear"]), (0, ["clear"]), (5, ["set", "gpu"]),
                (6, ["set", "metal"])],
    "backends": [(0, ["list"]), (2, []), (2, ["install"]), (2, ["install", "mkl", "--yes"]), (2, ["install", "onnxruntime"]), (2, ["install", "onednn"]), (5, ["install", "nosuch"]),
                 (6, ["install", "xla", "--yes"]), (2, ["install", "nvrtc", "--yes"]), (0, ["remove", "mkl"]), (5, ["remove", "nosuch"]), (2, ["remove"])],
    "trust": [(0, ["list"]), (0, ["add", KEY]), (0, ["list"]), (2, ["add", "nonsense"]), (2, [])],
    "doctor": [(None, []), (2, ["extra"])],
    "completions": [(0, ["bash"]), (0, ["zsh"]), (0, ["fish"]), (2, ["tcsh"])],
}


CASES = """[[case]]
name = 'norm'
subject = 'w3'
shape = 'rows=16,cols=64'
devices = 'null:0'
"""


def schema_file(schemas, name):
    """The schema of this name, in the folder of its verb's group."""
    return next(schemas.rglob(f"{name}.schema.json"))


def bundled(schemas, verb):
    """The verb's schema with what it refers to in common.schema.json moved into it, so that no resolver is needed."""
    common = json.loads((schemas / "common.schema.json").read_text(encoding="utf-8"))
    schema = json.loads(schema_file(schemas, verb).read_text(encoding="utf-8"))

    def renamed(node, prefix):
        if isinstance(node, list):
            return [renamed(item, prefix) for item in node]
        if not isinstance(node, dict):
            return node
        return {key: value.replace("../common.schema.json#/$defs/", "#/$defs/common-") if key == "$ref" and value.startswith("../common")
                else value.replace("#/$defs/", f"#/$defs/{prefix}") if key == "$ref" else renamed(value, prefix) for key, value in node.items()}

    whole = renamed(schema, "")
    whole.setdefault("$defs", {}).update({f"common-{name}": renamed(part, "common-") for name, part in common["$defs"].items()})
    jsonschema.Draft202012Validator.check_schema(whole)
    return jsonschema.Draft202012Validator(whole)


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def complaints(validator, finished, expected):
    try:
        document = json.loads(finished.stdout, parse_constant=refuse_constant)
    except ValueError as error:
        return [f"stdout is not one JSON document: {error}: {finished.stdout[:200]!r}"]
    found = []
    allowed = {0, 6} if expected is None else {expected}
    if finished.returncode not in allowed:
        found.append(f"exit {finished.returncode} instead of {expected}: {finished.stdout[:300]}{finished.stderr[:300]}")
    if document.get("exit", 0) != finished.returncode:
        found.append(f'"exit" is {document.get("exit", 0)}, the exit code {finished.returncode}')
    for error in validator.iter_errors(document):
        best = jsonschema.exceptions.best_match([error])
        found.append(f"{best.json_path}: {best.message[:300]}")
    if validator.is_valid({**document, "drift": 0}):
        found.append("the schema would also take a member that it does not know")
    return found


def interrupted(home):
    """A search on the cpu that gets Ctrl-C as soon as it tunes."""
    line = [home.program, "tune", "w1", *TINY, "--device", "cpu:0", "--budget", "60", "--trials", "1000", "--json"]
    child = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=home.folder, env=home.environment(), encoding="utf-8")
    for told in child.stderr:
        if told.startswith("tuning"):
            child.send_signal(signal.SIGINT)
            break
    out, err = child.communicate(timeout=60)
    return subprocess.CompletedProcess(line, child.returncode, out, err)


def untrusted(home):
    """A colleague's binaries: intact and not used, with whose they are, until their key is trusted; (failures, documents to check)."""
    colleague = FreshHome(home.program)
    colleague.run("bench", "w1", *TINY, "--device", "cpu:0", "--db", "theirs.db")
    shutil.copy(colleague.folder / "theirs.db", home.folder / "theirs.db")
    key = json.loads(colleague.run("trust", "list", "--json").stdout)["own_key"]
    shutil.rmtree(colleague.folder)
    home.run("db", "merge", "theirs.db")
    before, told = home.run("db", "verify", "--json"), home.run("db", "verify")
    home.run("trust", "add", key)
    after = home.run("db", "verify", "--json")
    public = key.split()[1]
    signers = json.loads(before.stdout)["untrusted"]
    facts = {
        "one signer with a key and binaries": len(signers) == 1 and signers[0]["public_key"] == public and signers[0]["binaries"] >= 1,
        "people are told how to trust them": f'signed by {public[:12]}, whom you do not trust; if you do: fuselab trust add "fuselab-ed25519 {public}"' in told.stdout,
        "as many": told.stdout.startswith(f"! {signers[0]['binaries']} binar") if signers else False,
        "it is no problem": told.returncode == 0 and json.loads(before.stdout)["problems"] == [],
        "once trusted there is nothing to tell": json.loads(after.stdout)["untrusted"] == [],
    }
    return [f"of a colleague: does not hold: {name}: {told.stdout}{told.stderr}" for name, holds in facts.items() if not holds], [before, after]


def outcomes(finished):
    """What is said of the trials of a device that misbehaves."""
    document = json.loads(finished.stdout)
    told = document["outcomes"]
    failed = sum(ended["trials"] for outcome, ended in told.items() if outcome != "dropped")
    facts = {
        "there are some": {"crashed", "wrong-result"} <= set(told),
        "they are what failed": failed == document["trials"]["failed"] > 0,
        "each has an example with its device and its reason": all(" on null:1: " in ended["example"] and ended["example"].split(" on null:1: ")[1]
                                                                  for outcome, ended in told.items() if outcome != "dropped"),
    }
    return [f"outcomes: does not hold: {name}: {told}, {document['trials']}" for name, holds in facts.items() if not holds]


def on_newer_schema(home):
    """Opening a database that a later version wrote, as far as this one can tell."""
    with contextlib.closing(sqlite3.connect(home.folder / "other.db")) as database:
        database.execute("PRAGMA user_version = 999")
    return home.run("db", "info", "--db", "other.db", "--json")


def selftest_record():
    """A hundred comparisons of sides that took the very same time."""
    header = {"schema": "fuselab.selftest-record/2", "device_uuid": "u", "kernels": [], "subjects": ["w3"], "shapes": ["rows=8"], "device": "cpu",
              "dtype": "f32", "identical": 100, "slowed": 0, "slowdowns": [], "margin": 0.01, "alpha": 0.01, "least_processes": 5,
              "most_processes": 40, "first_rounds": 20, "process_cost": 20, "budget_ns": 2e9, "min_sample_ns": 2e5, "seed": 1, "suite": 100}
    process = {"a": [1000.0] * 4, "b": [1000.0] * 4, "ns": 8000}
    trial = {"kernel": "w3 rows=8", "slowdown": 0, "wall_s": 0.1, "first": {"verdict": "equivalent", "processes": [process] * 5}}
    return "".join(json.dumps(line) + "\n" for line in [header, *({**trial, "trial": i} for i in range(100))])


def test_verb(program, schemas, verb):
    validator = bundled(schemas, verb)
    home = FreshHome(program)
    failures = []
    if verb == "history":
        (home.folder / "runs.jsonl").write_text("".join(check_runs.with_step()), encoding="utf-8")
    if verb == "selftest":
        (home.folder / "aa.jsonl").write_text(selftest_record(), encoding="utf-8")
    for expected, words in LINES[verb]:
        if expected == "toml":  # no command: the file that the gate reads comes to be
            (home.folder / "fuselab.toml").write_text(CASES, encoding="utf-8")
            continue
        setup = isinstance(expected, str)
        line = [expected if setup else verb, *words, "--json"]
        finished = home.run(*line)
        checker = bundled(schemas, expected) if setup else validator
        failures += [f"fuselab {' '.join(line)}\n  {text}" for text in complaints(checker, finished, 0 if setup else expected)]
    if verb == "db":
        failures += [f"of a newer Fuselab: {text}" for text in complaints(validator, on_newer_schema(home), 2)]
        found, documents = untrusted(home)
        failures += found + [f"of a colleague: {text}" for finished in documents for text in complaints(validator, finished, 0)]
    if verb == "tune":
        finished = home.run("tune", GRAPH_OF_TWO, "--device", "null:1", "--strategy", "random", "--trials", "40", "--budget", "60", "--json")
        failures += complaints(validator, finished, finished.returncode) + outcomes(finished)
        finished = interrupted(home)
        failures += [f"interrupted: {text}" for text in complaints(validator, finished, 4)]
        if '"models"' not in finished.stdout:
            failures.append("interrupted: what was measured is not told")
    shutil.rmtree(home.folder)
    return failures


def members(schema, path=""):
    """Every member that a schema describes, wherever it stands in it: (path, name, what is said of it)."""
    for name, part in schema.get("properties", {}).items():
        yield path, name, part
        yield from members(part, f"{path}.{name}")
    for name, part in schema.get("$defs", {}).items():
        yield from members(part, name)
    for part in [*schema.get("oneOf", []), *schema.get("allOf", []), schema.get("items"), schema.get("additionalProperties")]:
        if isinstance(part, dict):
            yield from members(part, path)


def test_schemas(program, schemas):
    """Every verb there is has a schema, each is valid, and each member is described; a unit stands with each duration and size."""
    verbs = set(re.search(r"; there are (.*?);", FreshHome(program).run("nosuch").stderr).group(1).split(", "))
    files = {path.name.removesuffix(".schema.json") for path in schemas.rglob("*.schema.json")}
    failures = [f"not both a verb and a schema: {name}" for name in sorted((verbs ^ (files - {"common"})) | (set(LINES) - verbs))]
    for name in sorted(files):
        schema = json.loads(schema_file(schemas, name).read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        for path, member, part in members(schema):
            unit = "nanoseconds" if member.endswith("_ns") else "bytes" if member.endswith("_bytes") else ""
            if "$ref" not in part and not part.get("description"):
                failures.append(f"{name}: {path}.{member} has no description")
            if unit not in part.get("description", ""):
                failures.append(f"{name}: {path}.{member} does not say that it is in {unit}")
    return failures + test_before_a_verb(program, schemas)


def test_before_a_verb(program, schemas):
    home = FreshHome(program)
    failures = []
    for line in (["--json"], ["--json", "nosuch"], ["nosuch", "--json"], ["--nosuch", "--json"], ["--json", "--db"]):
        failures += [f"fuselab {' '.join(line)}\n  {text}" for text in complaints(bundled(schemas, "compare"), home.run(*line), 2)]
    shutil.rmtree(home.folder)
    return failures


def main():
    program, schemas, verb = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    failures = test_schemas(program, schemas) if verb == "schemas" else test_verb(program, schemas, verb)
    print("\n".join(failures) if failures else f"{verb}: {len(LINES.get(verb, []))} command lines hold")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
