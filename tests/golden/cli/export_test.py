#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""export_test.py PROGRAM CMAKE BUILD SOURCE C C++: what the guide shows. The loader is installed out of the build folder, the consumer is built against
that prefix alone, runs what `fuselab export` wrote, and gives what `fuselab exec` gives, bit by bit."""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

from fresh_home import FreshHome

OPEN = "graph(x: f32[n,16], w: param f32[16,24]) { p = MatMul(x, w); y = Relu(p); return y }"
GRAPH = "graph(x: f32[8,16], p: param f32[16]) { s = Add(x, p); y = Relu(s); return y }"

BENCHED = "graph(x: f32[16,8], p: param f32[8]) { s = Mul(x, p); y = Relu(s); return y }"


def npy(values, shape):
    """NumPy's array file, version 1.0, of little-endian floats."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values)


def installed(cmake, build, prefix):
    """The files of the prefix, relative; the loader's component is what there is to install."""
    subprocess.run([cmake, "--install", build, "--prefix", prefix], check=True, capture_output=True)
    return sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file())


def main():
    program, cmake, build, source, *compilers = sys.argv[1:]
    source = pathlib.Path(source)
    home = FreshHome(program)
    prefix, consumer = home.folder / "prefix", home.folder / "consumer"
    facts = {}
    files = installed(cmake, build, prefix)
    facts["the loader is installed and only it"] = all(re.search(r"fuselab[_-]loader|cmake/Fuselab/", name) for name in files) and len(files) >= 7
    example = source / "resources/examples/consumer"
    guide = (source / "resources/docs/export.md").read_text(encoding="utf-8")
    facts["the guide shows the very program"] = (example / "run_model.c").read_text(encoding="utf-8").split("*/\n", 1)[1] in guide
    for line in ([cmake, "-S", example, "-B", consumer, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={compilers[0]}", f"-DCMAKE_CXX_COMPILER={compilers[1]}"], [cmake, "--build", consumer]):
        finished = subprocess.run(line, capture_output=True, text=True)
        if finished.returncode != 0:
            print(finished.stdout + finished.stderr)
            return 1

    values = [0.25 * i - 16 for i in range(128)]
    (home.folder / "x.npy").write_bytes(npy(values, (8, 16)))
    (home.folder / "x.bin").write_bytes(struct.pack("<128f", *values))
    exported = home.run("export", GRAPH, "--to", "two.fuselab")
    facts["export says what went out"] = exported.returncode == 0 and "default" in exported.stdout
    executed = home.run("exec", GRAPH, "--prefer", "cpu:0", "--no-fallback", "--input", "x=x.npy", "--save", "out")
    facts["exec runs"] = executed.returncode == 0
    expected = (home.folder / "out/output-0.bin").read_bytes()
    key = json.loads(home.run("trust", "list", "--json").stdout)["own_key"]
    for name in ("run_model", "run_model_static"):
        (home.folder / "output-0.bin").unlink(missing_ok=True)
        ran = subprocess.run([consumer / name, "two.fuselab", key, "x.bin"], cwd=home.folder, capture_output=True, text=True)
        facts[f"{name} runs: {ran.stderr}"] = ran.returncode == 0
        facts[f"{name} gives what exec gives"] = ran.returncode == 0 and (home.folder / "output-0.bin").read_bytes() == expected
    library = next(prefix.rglob("libfuselab_loader.so"))
    (home.folder / "output-0.bin").unlink(missing_ok=True)
    ran = subprocess.run([sys.executable, example / "run_model.py", library, "two.fuselab", key, "x.bin"], cwd=home.folder, capture_output=True, text=True)
    facts[f"run_model.py gives what exec gives: {ran.stderr}"] = ran.returncode == 0 and (home.folder / "output-0.bin").read_bytes() == expected
    ran = subprocess.run([consumer / "list_models", "two.fuselab", key], cwd=home.folder, capture_output=True, text=True)
    facts[f"list_models runs: {ran.stdout}{ran.stderr}"] = ran.returncode == 0 and "1 inputs, 1 outputs" in ran.stdout
    ran = subprocess.run([consumer / "list_models", "nosuch", key], cwd=home.folder, capture_output=True, text=True)
    facts["in C++ a failure is an exception"] = ran.returncode == 1 and ran.stderr.startswith("not-found: nosuch")

    # One bundle of several extents: the program finds its own by the size of the file, and no weight is there twice.
    one = json.loads(home.run("export", OPEN, "--shape", "n=8", "--to", "one.fuselab", "--json").stdout)
    several = home.run("export", OPEN, "--shape", "n=3", "--shape", "n=8", "--to", "several.fuselab", "--json")
    document = json.loads(several.stdout)
    facts[f"several extents go out: {several.stdout}{several.stderr}"] = [model["binding"] for model in document.get("models", [])] == ["n=3", "n=8"]
    facts["their weights are packed once"] = document["weights"]["bytes"] == one["weights"]["bytes"] == 4 * 16 * 24
    home.run("exec", OPEN, "--shape", "n=8", "--prefer", "cpu:0", "--no-fallback", "--input", "x=x.npy", "--save", "out8")
    for line in ([consumer / "run_model"], [sys.executable, example / "run_model.py", library]):
        (home.folder / "output-0.bin").unlink(missing_ok=True)
        ran = subprocess.run([*line, "several.fuselab", key, "x.bin"], cwd=home.folder, capture_output=True, text=True)
        facts[f"{line[-1]} finds the extents: {ran.stderr}"] = ran.returncode == 0 and (home.folder / "output-0.bin").read_bytes() == (home.folder / "out8/output-0.bin").read_bytes()
    (home.folder / "short.bin").write_bytes(bytes(4 * 16 * 5))
    ran = subprocess.run([consumer / "run_model", "several.fuselab", key, "short.bin"], cwd=home.folder, capture_output=True, text=True)
    facts[f"extents that are not there are said: {ran.stderr}"] = ran.returncode == 1 and "no extents fit 'x' of 320 bytes" in ran.stderr and "n=3" in ran.stderr and "n=8" in ran.stderr
    twice = home.run("export", OPEN, "--shape", "n=8", "--shape", "n=8", "--to", "twice.fuselab")
    facts[f"extents given twice are refused: {twice.stderr}"] = twice.returncode == 2 and "given twice" in twice.stderr

    # What no fresh process confirmed is confirmed first, and once.
    home.run("bench", BENCHED, "--device", "cpu:0")
    refused = home.run("export", BENCHED, "--to", "benched.fuselab", "--no-measure")
    facts[f"--no-measure refuses it: {refused.stderr}"] = refused.returncode == 6 and "not confirmed" in refused.stderr and not (home.folder / "benched.fuselab").exists()
    confirmed = home.run("export", BENCHED, "--to", "benched.fuselab", "--json")
    # Whether the confirmation can be trusted is the machine's to say.
    stands = json.loads(confirmed.stdout).get("tuned") == 1
    refused = confirmed.returncode == 6 and "is not to be trusted" in confirmed.stdout
    facts[f"export confirms it: {confirmed.stdout}{confirmed.stderr}"] = "confirming 1 piece " in confirmed.stderr and (stands or refused)
    trials = home.run("db", "info").stdout
    again = home.run("export", BENCHED, "--to", "benched.fuselab")
    facts[f"and does not do so again: {again.stderr}"] = not stands or (again.returncode == 0 and "confirming" not in again.stderr and home.run("db", "info").stdout == trials)

    # What was measured goes out in the configuration that it was measured in, and says so; how well it was confirmed is the machine's to say.
    tuned = home.run("tune", GRAPH, "--device", "cpu:0", "--budget", "2", "--trials", "3")
    facts[f"tune measures: {tuned.stderr}"] = tuned.returncode == 0
    document = json.loads(home.run("export", GRAPH, "--to", "tuned.fuselab", "--allow-unconfirmed", "--require-complete", "--json").stdout)
    pieces = document.get("pieces", [])
    facts[f"what was measured goes out: {document}"] = [piece["configured"] in ("tuned", "unconfirmed") and piece["figure"]["median_ns"] > 0 for piece in pieces] == [True]
    ran = subprocess.run([consumer / "run_model", "tuned.fuselab", key, "x.bin"], cwd=home.folder, capture_output=True, text=True)
    home.run("exec", GRAPH, "--prefer", "cpu:0", "--no-fallback", "--input", "x=x.npy", "--save", "out")
    facts[f"it runs: {ran.stderr}"] = ran.returncode == 0 and (home.folder / "output-0.bin").read_bytes() == (home.folder / "out/output-0.bin").read_bytes()
    verified = home.run("export", "--verify", "tuned.fuselab", "--json")
    verdicts = [piece["verdict"] for piece in json.loads(verified.stdout).get("pieces", [])]
    facts[f"it verifies, fast or not: {verified.stdout}"] = len(verdicts) == 1 and verdicts[0] not in ("WRONG", "FAILED") and verified.returncode in (0, 1)
    header = home.run("export", GRAPH, "--to", "tuned.h", "--format", "header", "--allow-unconfirmed")
    facts[f"a header goes out: {header.stderr}"] = header.returncode == 0 and "_THREADS " in (home.folder / "tuned.h").read_text(encoding="utf-8")
    other = subprocess.run([consumer / "run_model", "two.fuselab", "0" * 64, "x.bin"], cwd=home.folder, capture_output=True, text=True)
    facts["whom nobody trusts is refused"] = other.returncode == 1 and other.stderr.startswith("untrusted: it was signed by")
    # The folder holds what the file holds, and everything takes it as it takes the file.
    written = home.run("export", GRAPH, "--to", "models/two/", "--allow-unconfirmed")
    facts[f"a folder goes out: {written.stderr}"] = written.returncode == 0 and (home.folder / "models/two/manifest.json").is_file()
    again = home.run("export", GRAPH, "--to", "models/two", "--format", "folder", "--allow-unconfirmed")
    facts[f"a bundle's folder is replaced: {again.stderr}"] = again.returncode == 0 and [path.name for path in (home.folder / "models").iterdir()] == ["two"]
    (home.folder / "output-0.bin").unlink(missing_ok=True)
    ran = subprocess.run([consumer / "run_model", "models/two", key, "x.bin"], cwd=home.folder, capture_output=True, text=True)
    facts[f"a folder runs: {ran.stderr}"] = ran.returncode == 0 and (home.folder / "output-0.bin").read_bytes() == (home.folder / "out/output-0.bin").read_bytes()
    verified = home.run("export", "--verify", "models/two", "--json")
    facts[f"a folder verifies: {verified.stdout}{verified.stderr}"] = verified.returncode in (0, 1) and len(json.loads(verified.stdout).get("pieces", [])) == 1
    facts["a folder is inspected"] = json.loads(home.run("inspect", "models/two", "--json").stdout).get("trusted") is True
    (home.folder / "models/two/notes").write_text("mine", encoding="utf-8")
    foreign = home.run("export", GRAPH, "--to", "models/two/", "--allow-unconfirmed")
    facts["a folder with anything else stays"] = foreign.returncode == 2 and "left alone" in foreign.stderr and (home.folder / "models/two/notes").is_file()
    ran = subprocess.run([consumer / "run_model", "models/two", key, "x.bin"], cwd=home.folder, capture_output=True, text=True)
    facts["and is no bundle any more"] = ran.returncode == 1 and ran.stderr.startswith("corrupt: file 'notes' does not belong")
    inspected = home.run("inspect", "two.fuselab")
    facts["inspect names the commit"] = re.search(r"made by fuselab [0-9.]+ \(commit ([0-9a-f]{40}(-dirty)?|unknown)\)", inspected.stdout) is not None
    facts["and how figures were measured"] = re.search(r"measured on .*, clocks .+, warm caches, threads as", home.run("inspect", "tuned.fuselab").stdout) is not None
    facts["inspect says who signed it"] = inspected.returncode == 0 and key.split()[1] + ", whom you trust" in inspected.stdout
    text = home.run("inspect", "two.fuselab", "--json").stdout
    data = (home.folder / "two.fuselab").read_bytes()
    facts["no path and no user is in it"] = str(home.folder).encode() not in data and os.fsencode(build) not in data
    facts["the document is one"] = json.loads(text)["trusted"] is True
    failures = [name for name, holds in facts.items() if not holds]
    print("\n".join(f"does not hold: {name}" for name in failures) if failures else "as it should be")
    if failures:
        print(files, exported.stdout, exported.stderr, executed.stderr, inspected.stdout, sep="\n")
    shutil.rmtree(home.folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
