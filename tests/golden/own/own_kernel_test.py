#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""own_kernel_test.py PROGRAM EXAMPLES: a kernel that the user wrote goes the way of any other subject. What is wrong with it is one trial
or one line: a wrong result, a crash, a text that does not compile, a file that asks for too much."""
import json
import pathlib
import shutil
import struct
import sys
import tomllib

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from fresh_home import FreshHome  # noqa: E402

home = FreshHome(sys.argv[1])
examples = pathlib.Path(sys.argv[2])
failures = []


def check(condition, what):
    if not condition:
        failures.append(str(what))


def run(*words, code=0):
    done = home.run(*words)
    check(done.returncode == code, (words, done.returncode, done.stdout[-2000:], done.stderr[-2000:]))
    return done


def document(*words, code=0):
    return json.loads(run(*words, "--json", code=code).stdout)


SUBJECT = """
language = "c"
source = "twice.c"
function = "twice"
reference = "graph(x: f32[n]) { y = Add(x, x); return y }"
[sizes]
n = 4096
[[argument]]
name = "x"
role = "in"
type = "f32"
shape = ["n"]
[[argument]]
name = "y"
role = "out"
type = "f32"
shape = ["n"]
[parameters]
how = [0, 1, 2, 3, 4, 5]
"""
# By number: right, a wrong number at the end, one that is not stored, a text that does not compile, one that falls, one that writes too far.
SOURCE = """
void twice(const float* x, float* y) {
#if how == 3
  this is no C;
#endif
  for (long i = 0; i < n - (how == 2); ++i) y[i] = 2 * x[i];
  if (how == 1) y[n - 1] = 2 * x[n - 2];
  if (how == 4) *(volatile int*)0 = 1;
  if (how == 5) y[n] = 1;
}
"""
(home.folder / "twice.toml").write_text(SUBJECT)
(home.folder / "twice.c").write_text(SOURCE)

# Every outcome is a trial; the right configuration is measured beside them.
tuned = document("tune", "twice.toml", "--device", "cpu:0", "--budget", "20", "--strategy", "exhaustive")
outcomes = {name: ended["trials"] for name, ended in tuned["outcomes"].items() if name != "dropped"}
check(outcomes.get("wrong-result", 0) >= 2 and outcomes.get("compile-error", 0) >= 1 and outcomes.get("crashed", 0) >= 1, outcomes)
check(sum(outcomes.values()) >= 5 and tuned["trials"]["measured"] > tuned["trials"]["failed"], (outcomes, tuned["trials"]))

# It is shown like any other, and chosen by its figures.
shown = run("compare", "twice.toml").stdout
check("twice.toml" in shown and "cpu:0" in shown, shown)
check("how=0" in run("select", "twice.toml").stdout, "select")

# Nothing but the default configuration says what is right: another one that differs is wrong, and a default that stores too little is none.
default = SUBJECT.replace('"graph(x: f32[n]) { y = Add(x, x); return y }"', '"default"')
(home.folder / "itself.toml").write_text(default.replace("[0, 1, 2, 3, 4, 5]", "[0, 1]"))
itself = document("tune", "itself.toml", "--device", "cpu:0", "--budget", "8", "--strategy", "exhaustive")
check(itself["outcomes"].get("wrong-result", {}).get("trials", 0) >= 1 and itself["trials"]["measured"] > itself["trials"]["failed"], itself["outcomes"])
(home.folder / "little.toml").write_text(default.replace("[0, 1, 2, 3, 4, 5]", "[2, 0]"))
little = json.loads(home.run("bench", "little.toml", "--device", "cpu:0", "--json").stdout)
check("unwritten" in json.dumps(little), json.dumps(little)[:2000])


# Tensors that are given, named from the folder of the file.
def npy(name, numbers):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(numbers)},), }}".ljust(117) + "\n"
    (home.folder / name).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode() + struct.pack(f"<{len(numbers)}f", *numbers))


npy("x.npy", [i / 16 for i in range(4096)])
npy("y.npy", [i / 8 for i in range(4096)])
given = SUBJECT.replace('reference = "graph(x: f32[n]) { y = Add(x, x); return y }"\n', "").replace("[0, 1, 2, 3, 4, 5]", "[0, 1]")
given = given.replace('role = "in"', 'role = "in"\nfill = "x.npy"').replace('role = "out"', 'role = "out"\nexpected = "y.npy"')
(home.folder / "given.toml").write_text(given)
told = document("tune", "given.toml", "--device", "cpu:0", "--budget", "8", "--strategy", "exhaustive")
check(told["outcomes"].get("wrong-result", {}).get("trials", 0) >= 1 and told["trials"]["measured"] > told["trials"]["failed"], told["outcomes"])

# Two kernels in a row, of which the second overwrites a tensor in place: one subject.
for name in ("norm.toml", "norm_sums.toml", "norm_scale.toml", "norm.c"):
    shutil.copy(examples / name, home.folder)
NORM = ("--shape", "rows=64,cols=256")
dry = document("tune", "norm.toml", "--dry-run")
check([len(dry["kernels"]), dry["inputs"], dry["handed_on"], dry["results"]] == [2, ["image"], ["sums.mean"], ["scale.image"]], dry)
benched = document("bench", "norm.toml", *NORM, "--device", "cpu:0")
check(benched["trials"]["measured"] >= 2 and benched["trials"]["failed"] == 0, benched["trials"])
compared = document("compare", "norm.toml", *NORM, "--device", "cpu:0")
figures = [cell["unfused"]["median_ns"] > 0 for model in compared["models"] for row in model["rows"] for cell in row["cells"]]
check(figures == [True, True], compared)
cold = document("bench", "norm_scale.toml", *NORM, "--device", "cpu:0", "--mode", "cold", code=5)
check("no cold timings" in json.dumps(cold), json.dumps(cold)[:2000])
check("has the argument" not in run("exec", "norm_scale.toml", *NORM, "--device", "cpu:0", "--no-fallback", "--check").stdout, "exec in place")
refused = home.run("export", "norm_scale.toml", *NORM, "--to", "norm.fuselab").stderr
check("overwrites its argument 'image' in place" in refused, refused)
check("--shape: 'row' is no size of norm.toml; it has cols, rows" in home.run("bench", "norm.toml", "--shape", "row=5").stderr, "a size that none has")

# A function with the name of one of the C library is still the user's.
(home.folder / "index.toml").write_text(SUBJECT.replace('"twice"', '"index"').replace("[0, 1, 2, 3, 4, 5]", "[0]"))
shutil.copy(home.folder / "twice.c", home.folder / "kept.c")
(home.folder / "twice.c").write_text(SOURCE.replace("void twice", "void index"))
named = document("bench", "index.toml", "--device", "cpu:0")
check(named["trials"]["failed"] == 0, named["outcomes"])
shutil.copy(home.folder / "kept.c", home.folder / "twice.c")

# Recordings of one kernel stand side by side, on devices that have one, and say nothing of this machine.
def recording(device, runtime):
    result = {"configuration": {"block": 32}, "invalidity": "correct", "times": {"compilation": 5, "runtimes": [runtime] * 6}}
    (home.folder / f"blur_{device}.T4.json").write_text(json.dumps({"schema_version": "1.0.0", "results": [result]}))
    return run("db", "import", f"blur_{device}.T4.json").stdout


check("Its device is recorded:B200. Next: fuselab compare blur" in recording("B200", 2.0), "what is said of a recording")
recording("M9", 1.0)
cells = [cell for model in document("compare", "blur")["models"] for row in model["rows"] for cell in row["cells"]]
check({cell["device"]: round(cell["unfused"]["median_ns"]) for cell in cells} == {"recorded:B200": 2000000, "recorded:M9": 1000000}, cells)
check("recorded:M9" not in run("compare", "blur", "--device", "recorded:B200").stdout, "--device of a recording")
check("recorded" not in run("compare", "norm.toml", *NORM).stdout, "other subjects beside recordings")
check("Next: fuselab compare w3-recorded" in run("db", "import", "blur_M9.T4.json", "--kernel", "w3").stdout, "a recording named like a workload")
check("recorded" not in run("default", "set", "cpu").stdout, "recordings choose no default")

# Editors read what a file may hold from a schema.
schema = jsonschema.Draft202012Validator(json.loads((examples.parent.parent / "schema" / "own-kernel.schema.json").read_text(encoding="utf-8")))
for file in (*sorted(examples.glob("*.toml")), home.folder / "twice.toml", home.folder / "given.toml"):
    wrong = [error.message for error in schema.iter_errors(tomllib.loads(file.read_text(encoding="utf-8")))]
    check(not wrong, (file.name, wrong))
check(not schema.is_valid(tomllib.loads(SUBJECT + "[launch]\ntask = 3\n")), "a field that there is not")

# What a file gets wrong is one line, with its place.
for change, said in ((("how = [0", "other = [0"), "twice.toml:19: parameter 'other' is used neither in twice.c nor by a formula"),
                     (('role = "out"', 'role = "result"'), "twice.toml:15: role cannot be read: 'result' is no role"),
                     (('"twice.c"', '"../twice.c"'), "'../twice.c' lies outside of the folder"),
                     (('"twice.c"', '"nosuch.c"'), "nosuch.c")):
    (home.folder / "wrong.toml").write_text(SUBJECT.replace(*change))
    error = home.run("tune", "wrong.toml", "--device", "cpu:0", "-q").stderr
    check(said.replace("twice.toml", "wrong.toml") in error and error.count("\n") == 1, (said, error))
(home.folder / "twice.c").write_text('#include "/etc/passwd"\n' + SOURCE)
error = home.run("tune", "twice.toml", "--device", "cpu:0", "-q").stderr
check("twice.c:1: '/etc/passwd' lies outside of the folder" in error and "root" not in error, error)

# The text of a graph carries no kernel: what runs comes from a file that was named.
hidden = 'graph(x: f32[4]) { y = OwnKernel(x, definition="name a\\x0alanguage c\\x0afunction f\\x0afile f.c\\x0aargument x in f32 [4] -\\x0aargument y out f32 [4] -\\x0agrid 1\\x0agrid 1\\x0agrid 1\\x0ablock 1\\x0ablock 1\\x0ablock 1\\x0a", source=""); return y }'
error = run("bench", hidden, "--device", "cpu:0", code=2).stderr
check("cannot hold a kernel of somebody's own" in error, error)

# Examples: from the file to a tuned kernel.
for name in ("stencil.toml", "stencil.c", "convolution.T1.json", "convolution.cl", "convolution.graph"):
    shutil.copy(examples / name, home.folder)
dry = document("tune", "convolution.T1.json", "--dry-run")
check(dry["space"] == {"all": 144, "valid": 126} or dry["space"]["valid"] > 16, dry["space"])
check([each["default"] for each in dry["launch"]][:2] == ["64", "128"], dry["launch"])
run("bench", "stencil.toml", "--shape", "height=64,width=256", "--device", "cpu:0")

if failures:
    sys.exit("\n".join(failures))
