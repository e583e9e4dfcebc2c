#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""alert_overlap_test.py SCRIPT: what it says of two runs of the gate that agree, that do not, and of what is no run."""
import json
import pathlib
import subprocess
import sys
import tempfile


def document(folder, name, regressed, others):
    cases = [{"name": each, "device": "cpu:0", "state": "regressed"} for each in regressed]
    cases += [{"name": each, "device": "cpu:0", "state": "equivalent"} for each in others]
    path = folder / name
    path.write_text(json.dumps({"cases": cases}), encoding="utf-8")
    return str(path)


def main(script):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        three = document(folder, "three.json", ["a", "b", "c"], ["d"])
        two = document(folder, "two.json", ["a", "b"], ["c", "d"])
        none = document(folder, "none.json", [], ["a"])
        notes = folder / "notes"
        notes.write_text("my notes", encoding="utf-8")
        wanted = [
            ([three, three, "0.9"], 0, "Jaccard index 1.00"),
            ([three, two], 0, "3 alerts in 4 cases, then 2 in 4; 2 in both: Jaccard index 0.67\n  only first: c on cpu:0\n"),
            ([three, two, "0.9"], 1, "Jaccard index 0.67"),
            ([none, none, "0.9"], 0, "Jaccard index 1.00"),
            ([none, two, "0.9"], 1, "Jaccard index 0.00"),
            ([three, str(notes)], 2, ""),
            ([three], 2, ""),
        ]
        for arguments, code, text in wanted:
            done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)
            if done.returncode != code or text not in done.stdout or "Traceback" in done.stderr:
                print(f"{arguments}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
