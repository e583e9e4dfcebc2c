#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""files_test.py PROGRAM: what the verbs make and leave alone on a user's disk, and what they do where nothing can be written."""
import pathlib
import shutil
import subprocess
import sys

from fresh_home import FreshHome

GRAPH = "graph(x: f32[8,64]) { y = Relu(x); return y }"
# Nobody, not even root, makes a folder below a file.
NOWHERE = {"HOME": "/dev/null/home", "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""}


def look_only(home):
    """Verbs that only look make nothing, and a database that is not there is said not to be there."""
    looking = {verb: home.run(*verb.split(), "--db", "typo/x.db") for verb in
               ["devices", "workloads", "import resnet50", "fuse llama-layer", "compare", "compare w3", "select", "report", "doctor",
                "completions bash", "db info", "db verify", "db gc"]}
    fine = ["devices", "workloads", "import resnet50", "fuse llama-layer", "completions bash", "doctor"]
    facts = {"looking makes no file": not list(home.folder.iterdir())}
    for verb, ended in looking.items():
        if verb in fine:
            facts[f"{verb} works without a database"] = ended.returncode == 0
        else:
            facts[f"{verb} misses the database"] = ended.returncode == 5 and "typo/x.db: there is no such database" in ended.stderr
    return facts


def nowhere(home):
    """A home that cannot be written: looking works, measuring says what to do before it measures."""
    runs = {verb: home.run(*verb.split(), **NOWHERE) for verb in ["devices", "import resnet50", "fuse resnet50", "compare", "doctor"]}
    bench = home.run("bench", GRAPH, "--device", "null:0", **NOWHERE)
    keyless = home.run("bench", GRAPH, "--device", "null:0", "--db", "keyless.db", XDG_CONFIG_HOME="/dev/null/config")
    return {
        **{f"{verb} works": runs[verb].returncode == 0 for verb in ["devices", "import resnet50", "fuse resnet50"]},
        "compare says that there is nothing": runs["compare"].returncode == 5 and "there is no such database" in runs["compare"].stderr,
        "doctor finds each folder": runs["doctor"].returncode == 6 and all(
            part in runs["doctor"].stdout for part in ["✗ database folder: ", "✗ signing key: ", "! cache folder: ", "XDG_CONFIG_HOME"]),
        "bench does not start": bench.returncode == 6 and "--db" in bench.stderr and "measuring" not in bench.stderr,
        "without a key nothing is measured": keyless.returncode == 6 and "measuring" not in keyless.stderr,
        "and the way out is named": "XDG_CONFIG_HOME" in keyless.stderr and "free some space" not in keyless.stderr,
    }


def reports(home):
    """A report is named after its database and takes no other file's place."""
    bench = ["bench", GRAPH, "--device", "null:0", "--db", "results.db"]
    (home.folder / "report.html").write_text("mine", encoding="utf-8")
    first = home.run(*bench)
    page = home.folder / "results.report.html"
    written = page.read_text(encoding="utf-8") if page.exists() else ""
    page.write_text("<!doctype html>mine", encoding="utf-8")
    second = home.run(*bench)
    kept = page.read_text(encoding="utf-8")
    page.write_text(written.replace("Relu", "older"), encoding="utf-8")
    home.run(*bench)
    return {
        "its name is the database's": "Report: results.report.html\n" in first.stdout and "<title>Fuselab report</title>" in written,
        "another page stays": (home.folder / "report.html").read_text(encoding="utf-8") == "mine" and kept == "<!doctype html>mine",
        "which is said": second.returncode == first.returncode == 0 and "was not written by Fuselab and is left alone" in second.stdout,
        "its own is replaced": "Relu" in page.read_text(encoding="utf-8"),
        "a database without a folder has a disk": "✓ disk: " in home.run("doctor", "--db", "results.db").stdout.replace("! disk", "✓ disk"),
    }


def broken_compiler(home):
    """A compiler without its assembler makes the backend unusable; no kernel is blamed."""
    empty = home.folder / "empty"
    empty.mkdir()
    holds = {}
    for device in ("cpu", "cpu:0"):
        words = [home.program, "bench", "w1", "--device", device, "--db", "broken.db"]
        ended = subprocess.run(words, env=home.environment(PATH=str(empty)), cwd=home.folder, capture_output=True, encoding="utf-8", check=False)
        holds[f"{device}: it is an unfit environment"] = ended.returncode == 6
        holds[f"{device}: told in one line"] = len(ended.stderr.splitlines()) == 1 and "does not work here" in ended.stderr
    return {**holds, "nothing is stored of it": not (home.folder / "broken.db").exists()}


def main():
    failures = []
    for check in (look_only, nowhere, reports, broken_compiler):
        home = FreshHome(pathlib.Path(sys.argv[1]))
        failures += [f"does not hold: {name}" for name, holds in check(home).items() if not holds]
        shutil.rmtree(home.folder)
    print("\n".join(failures) if failures else "as it should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
