#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""history_test.py PROGRAM: what `fuselab history` says of runs whose truth is known, in whatever files they come."""
import json
import shutil
import sys

import check_runs
from fresh_home import FreshHome


def series_of(finished):
    return json.loads(finished.stdout)["series"]


def one_step(home):
    """Runs whose level rises by 3 % at the 31st: found there, with its commits; in any order, twice, in several files."""
    runs = check_runs.with_step()
    (home.folder / "runs.jsonl").write_text("".join(runs), encoding="utf-8")
    (home.folder / "odd.jsonl").write_text("".join(reversed(runs[1::2])), encoding="utf-8")
    (home.folder / "even.jsonl").write_text("".join(runs[0::2] + runs[0:3]), encoding="utf-8")
    told = home.run("history", "runs.jsonl")
    whole, parts = home.run("history", "runs.jsonl", "--json"), home.run("history", "odd.jsonl", "even.jsonl", "runs.jsonl", "--json")
    first, second = series_of(whole)[0], series_of(parts)[0]
    change = first["changes"][0] if first["changes"] else {}
    good, bad = f"{29:040x}", f"{30:040x}"
    return {
        "one series": len(series_of(whole)) == 1 and len(first["points"]) == 40,
        "one change": len(first["changes"]) == 1 and change["at"] == 30,
        "its size": change and 1.02 < change["low"] < change["ratio"] < change["high"] < 1.04,
        "its commits": change and change["good"] <= good and change["bad"] >= bad,
        "what else changed": change and change["environment"] == [{"name": "driver", "before": "550", "after": "555"}],
        "people are told": "slower by " in told.stdout and f"since {bad[:12]}" in told.stdout and "▁" in told.stdout,
        "and what to do": f"fuselab bisect {change.get('good', '')[:12]} {change.get('bad', '')[:12]} --case softmax\n" in told.stdout,
        "order does not matter": second["changes"] == first["changes"] and second["points"] == first["points"],
        "twice counts once": first["duplicates"] == 0 and second["duplicates"] == 43,
    }


def none(home):
    """Of a level that stays nothing is said; of few runs that they are few."""
    (home.folder / "flat.jsonl").write_text("".join(check_runs.with_step(step=0)), encoding="utf-8")
    (home.folder / "few.jsonl").write_text("".join(check_runs.with_step(runs=5)), encoding="utf-8")
    flat, few = home.run("history", "flat.jsonl"), home.run("history", "few.jsonl")
    return {"no change": "no change of its level" in flat.stdout and flat.returncode == 0, "few runs": "too few runs" in few.stdout}


def identical(home):
    """Runs of the very same kernel are points: what became slower after them is found, though nothing was ever measured before."""
    runs = [check_runs.same(number) for number in range(28)] + [check_runs.run(number, 1.05 * (1 + 0.005 * check_runs.noise(number))) for number in range(28, 40)]
    (home.folder / "same_then.jsonl").write_text("".join(runs), encoding="utf-8")
    told, whole = home.run("history", "same_then.jsonl"), home.run("history", "same_then.jsonl", "--json")
    series = series_of(whole)[0]
    return {
        "one series of all": len(series["points"]) == 40 and series["identical"] == 28 and series["points"][0]["identical"] and not series["points"][39]["identical"],
        "one change": [change["at"] for change in series["changes"]] == [28],
        "its size": series["changes"] and 1.03 < series["changes"][0]["low"] < 1.05 < series["changes"][0]["high"] < 1.07,
        "people are told": "40 runs" in told.stdout and "28 of the very same kernel" in told.stdout and "slower by " in told.stdout,
    }


def hostile(home):
    """What no check wrote gets one clear line; names cannot move a cursor."""
    lines = check_runs.run(0, 1.0)
    files = {"nan.jsonl": lines.replace('"ratio":1.0', '"ratio":NaN'), "cut.jsonl": lines[:len(lines) // 2], "other.jsonl": '{"a":1}\n',
             "zeros.jsonl": "\0" * 100, "deep.jsonl": "[" * 100000}
    facts = {}
    for name, text in files.items():
        (home.folder / name).write_text(text, encoding="utf-8")
        ended = home.run("history", name)
        facts[f"{name} is refused in a line"] = ended.returncode == 2 and ended.stderr.count("\n") == 1 and name in ended.stderr
    wild = check_runs.with_step()
    (home.folder / "wild.jsonl").write_text("".join(line.replace("softmax", "\\u001b[2J$(reboot)") for line in wild), encoding="utf-8")
    told = home.run("history", "wild.jsonl")
    facts["no escape reaches the terminal"] = told.returncode == 0 and "\x1b" not in told.stdout
    facts["what is to be copied is quoted"] = "--case '?[2J$(reboot)'" in told.stdout
    missing, nobody = home.run("history", "nosuch.jsonl"), home.run("history", "runs.jsonl", "--case", "gelu")
    facts["a missing file is named"] = missing.returncode == 5 and "nosuch.jsonl" in missing.stderr
    facts["other cases are named"] = nobody.returncode == 5 and "softmax on cpu:0" in nobody.stderr
    return facts


def main():
    home = FreshHome(sys.argv[1])
    failures = [f"{test.__name__}: does not hold: {name}" for test in (one_step, none, identical, hostile) for name, holds in test(home).items() if not holds]
    if failures:
        print(home.run("history", "runs.jsonl").stdout)
    shutil.rmtree(home.folder)
    print("\n".join(failures) or "holds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
