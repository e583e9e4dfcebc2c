#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ci_jobs_test.py PROGRAM FOLDER: the jobs of FOLDER are YAML, their scripts are shell, every `fuselab` command in them and each of its
options is in the program's help, every report that is handed on was written before. Exit 77 where YAML cannot be read."""
import pathlib
import re
import shlex
import subprocess
import sys

from fresh_home import FreshHome

try:
    import yaml
except ImportError:
    print("SKIPPED: yaml (Debian: python3-yaml) is not here")
    sys.exit(77)


def scripts_of(name, jobs):
    """The shell texts of a file; what a job extends comes before it, as it does there."""
    if name == "github-actions.yml":
        return ["\n".join(step["run"] for step in job["steps"] if "run" in step) for job in jobs["jobs"].values()]
    before = jobs[".fuselab"]["before_script"]
    return ["\n".join([*before, *job["script"]]) for job in jobs.values() if "script" in job]


def commands_of(script):
    """Each `fuselab …` as words; a line that goes on is one."""
    for line in script.replace("\\\n", " ").splitlines():
        for part in re.split(r"&&|\|\|", line):
            words = shlex.split(part, comments=True)
            if words and words[0] == "fuselab":
                yield words


def wrong_commands(home, script):
    seen = 0
    for words in commands_of(script):
        seen += 1
        verb = words[1:3] if words[1] in ("baseline", "trust", "db") else words[1:2]
        shown = home.run(*verb, "--help")
        if f"Usage: fuselab {' '.join(verb)} " not in shown.stdout:
            yield f"there is no `fuselab {' '.join(verb)}`"
            continue
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", shown.stdout))
        yield from (f"`fuselab {' '.join(verb)}` has no {word}" for word in words if word.startswith("--") and word not in options)
    if seen == 0:
        yield "no command of fuselab is in it"


def handed_on(jobs):
    """Files that steps and jobs upload."""
    if "jobs" in jobs:
        for step in jobs["jobs"]["performance"]["steps"]:
            given = step.get("with", {})
            yield from given.get("path", "").split()
            yield from filter(None, [given.get("sarif_file")])
        return
    for job in jobs.values():
        artefacts = job.get("artifacts", {})
        yield from artefacts.get("paths", [])
        yield from artefacts.get("reports", {}).values()


def check(home, path):
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))
    scripts = scripts_of(path.name, jobs)
    for script in scripts:
        parsed = subprocess.run(["bash", "-n"], input=script, capture_output=True, encoding="utf-8", check=False)
        yield from parsed.stderr.splitlines()
        yield from wrong_commands(home, script)
    written = {word for script in scripts for words in commands_of(script) for word in words}
    yield from (f"{file} is handed on and nobody writes it" for file in handed_on(jobs) if file not in written)


def main():
    home = FreshHome(pathlib.Path(sys.argv[1]))
    files = sorted(pathlib.Path(sys.argv[2]).glob("*.yml"))
    found = [f"{path.name}: {what}" for path in files for what in check(home, path)]
    found += [] if len(files) == 2 else [f"{len(files)} files instead of 2"]
    print("\n".join(found) if found else "as it should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
