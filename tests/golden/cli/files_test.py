#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""files_test.py PROGRAM: what the verbs make and leave alone on a user's disk, and what they do where nothing can be written."""
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from fresh_home import FreshHome

GRAPH = "graph(x: f32[8,64]) { y = Relu(x); return y }"
# Nobody, not even root, makes a folder below a file.
NOWHERE = {"HOME": "/dev/null/home", "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""}


def look_only(home):
    """Verbs that only look make nothing, and a database that is not there is said not to be there."""
    looking = {verb: home.run(*verb.split(), "--db", "typo/x.db") for verb in
               ["devices", "workloads", "import resnet50", "fuse llama-layer", "compare", "compare w3", "select", "decide", "runs", "runs show latest", "runs pin latest", "diff", "report", "doctor",
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
        "-o leaves another page, too": (named := home.run("report", "--synthetic", "-o", "report.html", "--db", "results.db")).returncode == 2
                                       and "was not written by Fuselab and is left alone; choose another file with --output" in named.stderr
                                       and (home.folder / "report.html").read_text(encoding="utf-8") == "mine",
        "-o makes no folder": (deep := home.run("report", "--synthetic", "-o", "no/such/page.html", "--db", "results.db")).returncode == 6
                              and "there is no folder no/such" in deep.stderr and not (home.folder / "no").exists(),
        "-o writes a new page and its own again": [home.run("report", "--synthetic", "-o", "new.html", "--db", "results.db").returncode for _ in "12"] == [0, 0],
        "a database without a folder has a disk": "✓ disk: " in home.run("doctor", "--db", "results.db").stdout.replace("! disk", "✓ disk"),
    }


def merging(home):
    """A file that cannot be merged is refused for what it is, and no database is made for it."""
    (home.folder / "notes.txt").write_text("mine\n" * 1000, encoding="utf-8")
    refused = home.run("db", "merge", "notes.txt")
    return {
        "it is no database": refused.returncode == 2 and "notes.txt: not a database" in refused.stderr,
        "another file is to be given, not another --db": "give another FILE to merge" in refused.stderr and "--db" not in refused.stderr,
        "nothing is made": [path.name for path in home.folder.iterdir()] == ["notes.txt"],
    }


def interrupted(home):
    """Ctrl-C after the first of two pieces: the table and the page have what was measured, as `compare` shows it afterwards."""
    line = [home.program, "bench", "w5", "--shape", "rows=1024,cols=4096", "--device", "null", "--db", "kept.db"]
    child = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=home.folder, env=home.environment(), encoding="utf-8")
    for told in child.stderr:
        if told.startswith("measuring") and "null:1" in told:
            child.send_signal(signal.SIGINT)
            break
    table, _ = child.communicate(timeout=60)
    stored = home.run("compare", "--device", "null", "--db", "kept.db").stdout
    page = (home.folder / "kept.report.html").read_text(encoding="utf-8")

    def gain(text):
        return re.search(r"null:0 +\S+ \S+ \S+ +(\S+ \S+) .* ([0-9.]+x) \[", text)

    return {
        "it is interrupted": child.returncode == 4,
        "what was measured is stored": gain(stored) is not None and "2 trials measured" in table,
        "and in the table": gain(table) is not None and gain(table).groups() == gain(stored).groups(),
        "and on the page": gain(stored) is not None and gain(stored).group(2) in page,
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
    for check in (look_only, nowhere, reports, merging, interrupted, broken_compiler):
        home = FreshHome(pathlib.Path(sys.argv[1]))
        failures += [f"does not hold: {name}" for name, holds in check(home).items() if not holds]
        shutil.rmtree(home.folder)
    print("\n".join(failures) if failures else "as it should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
