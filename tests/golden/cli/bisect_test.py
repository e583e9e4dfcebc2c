#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bisect_test.py PROGRAM SCHEMAS: `fuselab bisect` in a throw-away repository whose "check" ends with the code that a file of each commit holds."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import check_runs
import json_test
from fresh_home import FreshHome

CHECK = ["--check", "exit $(cat code)"]


class Repository:
    def __init__(self, home, name, codes):
        """A commit for each code; bench/code holds it."""
        self.folder = home.folder / name
        self.home = home
        (self.folder / "bench").mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.commits = []
        for number, code in enumerate(codes):
            (self.folder / "bench" / "code").write_text(f"{code}\n", encoding="utf-8")
            (self.folder / "number").write_text(f"{number}\n", encoding="utf-8")
            self.git("add", "--all")
            self.git("commit", "--quiet", "-m", f"change {number}")
            self.commits.append(self.git("rev-parse", "HEAD"))

    def environment(self):
        who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "a"), ("EMAIL", "a@b.c"))}
        return {**self.home.environment(), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **who}

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.folder, env=self.environment(), check=True, capture_output=True, encoding="utf-8").stdout.strip()

    def fuselab(self, *words, **more):
        return subprocess.run([self.home.program, *words], cwd=self.folder / "bench", env={**self.environment(), **more}, check=False, capture_output=True,
                              encoding="utf-8", stdin=subprocess.DEVNULL, timeout=60)


def found(home):
    """The first slow commit of ten; the user's own tree, dirty as it is, stays; in its own folder of the repository."""
    repository = Repository(home, "plain", [0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    (repository.folder / "number").write_text("mine\n", encoding="utf-8")
    head = repository.git("rev-parse", "HEAD")
    ended = repository.fuselab("bisect", repository.commits[0], "main", *CHECK)
    again = repository.fuselab("bisect", repository.commits[0], "main", "--json", *CHECK)
    document = json.loads(again.stdout)
    neighbours = repository.fuselab("bisect", "--device", "cpu:0", "--case", "x", repository.commits[5], repository.commits[6], *CHECK)
    runs = "".join(check_runs.run(number, 1 + 0.03 * (number >= 32) + 0.003 * check_runs.noise(number), commit=repository.commits[number // 8 * 2])
                   for number in range(40))
    (home.folder / "runs.jsonl").write_text(runs, encoding="utf-8")
    taken = repository.fuselab("bisect", "--from", "../../runs.jsonl", "--case", "softmax", "--check", "test $(cat ../number) -lt 7")
    return {
        "it is found": ended.returncode == 0 and ended.stdout == f"first bad commit: {repository.commits[6]} change 6\n",
        "each commit is told": f"{repository.commits[0][:12]}  good\n" in ended.stderr and f"{repository.commits[9][:12]}  bad\n" in ended.stderr,
        "programs are told": document["suspects"] == [repository.commits[6]] and document["subject"] == "change 6",
        "as their schema says": json_test.bundled(pathlib.Path(sys.argv[2]), "bisect").is_valid(document),
        "of two neighbours it is the later": neighbours.returncode == 0 and repository.commits[6] in neighbours.stdout,
        "by halves": 4 <= len(document["steps"]) <= 7,
        "the user's change stays": (repository.folder / "number").read_text(encoding="utf-8") == "mine\n",
        "the user's commit stays": repository.git("rev-parse", "HEAD") == head and repository.git("status", "--porcelain") == "M number",
        "no working tree is left": len(repository.git("worktree", "list").splitlines()) == 1,
        "no bisection is left": repository.git("for-each-ref", "refs/bisect") == "",
        "a history's change gives the ends": taken.returncode == 0 and taken.stdout.startswith(f"first bad commit: {repository.commits[7]} "),
    }


def skipped(home):
    """What cannot be judged is passed over; next to the change it leaves several."""
    beside = Repository(home, "beside", [0, 4, 0, 0, 1, 6, 1, 1])
    between = Repository(home, "between", [0, 0, 0, 4, 4, 1, 1])
    unbuilt = Repository(home, "unbuilt", [0, 0, 9, 1, 1])
    first = beside.fuselab("bisect", beside.commits[0], "main", *CHECK)
    several = between.fuselab("bisect", between.commits[0], "main", "--json", *CHECK)
    built = unbuilt.fuselab("bisect", unbuilt.commits[0], "main", "--build", "test $(cat code) -ne 9", *CHECK)
    return {
        "passed over": first.returncode == 0 and beside.commits[4] in first.stdout,
        "several are left": several.returncode == 4 and sorted(json.loads(several.stdout)["suspects"]) == sorted(between.commits[3:6]),
        "a build that fails is passed over": built.returncode == 4 and "skipped: the build failed" in built.stderr and unbuilt.commits[3] in built.stdout,
    }


def many_skipped(home):
    """Where more are left than are listed, it says how many."""
    repository = Repository(home, "many", [0, *[4] * 25, 1])
    told = repository.fuselab("bisect", repository.commits[0], "main", *CHECK)
    document = json.loads(repository.fuselab("bisect", repository.commits[0], "main", "--json", *CHECK).stdout)
    listed = repository.commits[:-21:-1]
    return {
        "the newest are listed": document["suspects"] == listed,
        "all are counted": document.get("suspects_total") == 26,
        "as their schema says": json_test.bundled(pathlib.Path(sys.argv[2]), "bisect").is_valid(document),
        "the text says so too": told.returncode == 4 and told.stdout == "commits that could not be judged are left; the first bad one is among 26 (20 of 26, newest first)\n"
                                + "".join(f"  {commit}\n" for commit in listed),
    }


def programs_in_the_configuration(home):
    """What the repository's own configuration would start beside a checkout or a log does not run."""
    repository = Repository(home, "configured", [0, 0])
    for name in ("fsmonitor", "gpg"):
        (home.folder / f"by-{name}").write_text(f"#!/bin/sh\ntouch {home.folder}/ran-{name}\n", encoding="utf-8")
        (home.folder / f"by-{name}").chmod(0o755)
    body = repository.git("cat-file", "commit", "HEAD").replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n", 1)
    (home.folder / "body").write_text(body.replace("change 1", "signed") + "\n", encoding="utf-8")
    repository.git("reset", "--quiet", "--hard", repository.git("hash-object", "-t", "commit", "-w", str(home.folder / "body")))
    signed = repository.git("rev-parse", "HEAD")
    for name, value in (("core.fsmonitor", home.folder / "by-fsmonitor"), ("gpg.program", home.folder / "by-gpg"), ("log.showSignature", "true")):
        repository.git("config", name, str(value))
    ended = repository.fuselab("bisect", repository.commits[0], signed, "--check", f"test $(git rev-parse HEAD) != {signed}")
    return {
        "it is found": ended.returncode == 0 and ended.stdout == f"first bad commit: {signed} signed\n",
        "no program watches files": not (home.folder / "ran-fsmonitor").exists(),
        "no program looks at signatures": not (home.folder / "ran-gpg").exists(),
    }


def one_environment(home):
    """Between the ends a check runs with the variables that it has at them: those that were given, less what git tells of a repository."""
    repository = Repository(home, "environment", [0, 0, 0, 0, 1, 1, 1, 1])
    given = {"LC_ALL": "C.UTF-8", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "a", "GIT_DIR": str(repository.folder / ".git"),
             "TWO_LINES": "a\nGIT_CONFIG_PARAMETERS=b", "NONE": ""}
    check = f"env -0 | sort -z > {home.folder}/environment.$(cat ../number); exit $(cat code)"
    ended = repository.fuselab("bisect", repository.commits[0], "main", "--check", check, **given)
    seen = {int(path.suffix[1:]): path.read_bytes().split(b"\0") for path in home.folder.glob("environment.*")}
    ends = seen.get(0, [])
    told = [f"{name}={value}".encode() for name, value in given.items() if name != "GIT_DIR"]
    return {
        "it is found": ended.returncode == 0 and repository.commits[4] in ended.stdout,
        "there are some between the ends": len(seen) > 3,
        "all are the same": all(variables == ends for variables in seen.values()),
        "all that was given is there": all(variable in ends for variable in told),
        "nothing of a repository is": not any(variable.startswith((b"GIT_DIR=", b"GIT_CONFIG_PARAMETERS=")) for variable in ends),
    }


def refused(home):
    """Ends that are none, and a check that is none, are said before anything is looked for."""
    repository = Repository(home, "refused", [0, 0, 127, 1, 1])
    first, last = repository.commits[0], repository.commits[-1]
    swapped, unknown = repository.fuselab("bisect", last, first, *CHECK), repository.fuselab("bisect", "nosuch", last, *CHECK)
    fast, one = repository.fuselab("bisect", first, repository.commits[1], *CHECK), repository.fuselab("bisect", first, "--case", "x")
    broken = repository.fuselab("bisect", first, last, *CHECK)
    option = repository.fuselab("bisect", "--check", "true", "--", "--upload-pack=x", last)
    elsewhere = home.run("bisect", "a", "b", "--case", "x")
    return {
        "the older comes first": swapped.returncode == 2 and "is no ancestor of" in swapped.stderr,
        "unknown commits": unknown.returncode == 5 and "'nosuch' names no commit of" in unknown.stderr,
        "an end that is not slow": fast.returncode == 2 and "should be bad and is good" in fast.stderr,
        "one end is too few": one.returncode == 2,
        "no case": repository.fuselab("bisect", first, last).returncode == 2,
        "an aborted check ends it": broken.returncode == 3 and "the check ended with 127" in broken.stderr,
        "a name is no option": option.returncode in (2, 5),
        "no repository": elsewhere.returncode == 5,
        "nothing is left": len(repository.git("worktree", "list").splitlines()) == 1,
    }


def beside_others(home):
    """Whatever else there is of the repository, and whatever git told of another one, stays out of it."""
    repository = Repository(home, "beside_others", [0, 0, 0, 1, 1])
    first = repository.commits[0]
    repository.git("worktree", "add", "--quiet", "--detach", str(home.folder / "away"), first)
    (home.folder / "away").rename(home.folder / "unplugged")
    repository.git("update-ref", "refs/heads/--help", repository.commits[4])
    hooks = repository.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch {home.folder}/hooked\n", encoding="utf-8")
    (hooks / "post-checkout").chmod(0o755)
    other = Repository(home, "another", [0])
    told = {"GIT_DIR": str(other.folder / ".git"), "GIT_WORK_TREE": str(other.folder), "GIT_INDEX_FILE": str(other.folder / ".git" / "index")}
    ended = repository.fuselab("bisect", *CHECK, "--", first, "--help", **told)
    late = Repository(home, "late", [0, 0, 1])
    late.git("mv", "bench", "benches")
    late.git("commit", "--quiet", "-m", "moved")
    (late.folder / "bench").mkdir()
    moved = late.fuselab("bisect", late.commits[0], "main", *CHECK)
    return {
        "a branch's name is no option": ended.returncode == 0 and repository.commits[3] in ended.stdout,
        "a working tree whose disk is away is kept": "prunable" in repository.git("worktree", "list", "--porcelain") and str(home.folder / "away") in repository.git("worktree", "list"),
        "no hook runs": not (home.folder / "hooked").exists(),
        "the other repository is as it was": other.git("status", "--porcelain") == "" and other.git("rev-parse", "HEAD") == other.commits[0],
        "a commit without the folder cannot be judged": moved.returncode == 2 and "it has no folder bench" in moved.stderr,
    }


CASES = """[check]
devices = "null:0"

[[case]]
name = "activation"
subject = "activation.graph"
"""
FAST = "graph(x: f32[64,1024]) { y = Relu(x); return y }"
SLOW = "graph(x: f32[512,1024]) { y = Relu(x); return y }"


def with_the_gate(home):
    """A model that became slower, found by `fuselab check` itself, on a device of scripted latencies."""
    repository = Repository(home, "gate", [0])
    (repository.folder / "bench" / "fuselab.toml").write_text(CASES, encoding="utf-8")
    commits = []
    for number, graph in enumerate((FAST, FAST, SLOW, SLOW)):
        (repository.folder / "bench" / "activation.graph").write_text(graph, encoding="utf-8")
        (repository.folder / "number").write_text(f"gate {number}\n", encoding="utf-8")
        repository.git("add", "--all")
        repository.git("commit", "--quiet", "-m", f"gate {number}")
        commits.append(repository.git("rev-parse", "HEAD"))
    ended = repository.fuselab("bisect", commits[0], "main", "--case", "activation")
    return {"the commit that made it slower is found": ended.returncode == 0 and ended.stdout == f"first bad commit: {commits[2]} gate 2\n"}


def with_the_lines_of_a_case(home):
    """What became slower is no model but the configuration in fuselab.toml."""
    repository = Repository(home, "lines", [0])
    commits = []
    for number, config in enumerate(("a=6,b=6", "a=6,b=6", "a=0,b=0", "a=0,b=0")):
        lines = f"[[case]]\nname = 'norm'\nsubject = 'w3'\nshape = 'rows=8,cols=16'\ndevices = 'null:0'\nconfig = '{config}'\n"
        (repository.folder / "bench" / "fuselab.toml").write_text(lines, encoding="utf-8")
        (repository.folder / "number").write_text(f"lines {number}\n", encoding="utf-8")
        repository.git("add", "--all")
        repository.git("commit", "--quiet", "-m", f"lines {number}")
        commits.append(repository.git("rev-parse", "HEAD"))
    ended = repository.fuselab("bisect", commits[0], "main", "--case", "norm")
    return {"the commit that changed it is found": ended.returncode == 0 and ended.stdout == f"first bad commit: {commits[2]} lines 2\n"}


def interrupted(home):
    """Whoever stops it finds everything as it was."""
    repository = Repository(home, "interrupted", [0, 0, 1])
    started = home.folder / "started"
    line = [home.program, "bisect", repository.commits[0], "main", "--check", f"touch {started}; sleep 60"]
    with subprocess.Popen(line, cwd=repository.folder / "bench", env=repository.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as running:
        for _ in range(1000):
            if started.exists():
                break
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        _, words = running.communicate(timeout=30)
    return {
        "it says so": running.returncode == 4 and words == "fuselab: cancelled\n",
        "no working tree is left": len(repository.git("worktree", "list").splitlines()) == 1,
    }


def for_git(home):
    """The codes that git-bisect(1) asks for."""
    repository = Repository(home, "codes", [0])
    facts = {}
    for code, expected in ((0, 0), (1, 1), (2, 125), (4, 125), (5, 125), (6, 125), (7, 125), (127, 128)):
        ended = repository.fuselab("bisect", "--for-git", "--check", f"exit {code}")
        facts[f"{code} is {expected} to git"] = ended.returncode == expected
    facts["a failed build is 125"] = repository.fuselab("bisect", "--for-git", "--build", "false", "--check", "true").returncode == 125
    return facts


def main():
    if shutil.which("git") is None:
        print("SKIPPED: git is not installed")
        return 0
    home = FreshHome(sys.argv[1])
    failures = [f"{test.__name__}: does not hold: {name}" for test in (found, skipped, many_skipped, programs_in_the_configuration, one_environment, refused, beside_others, interrupted, for_git, with_the_gate, with_the_lines_of_a_case) for name, holds in test(home).items() if not holds]
    shutil.rmtree(home.folder)
    print("\n".join(failures) or "holds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
