#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stateful_test.py PROGRAM MODELS: five steps of a recurrent network whose state is fed back are what ONNX Runtime gave (see
make_stateful.py), in each way in which their numbers can be given; and a step that is not is told."""
import json
import pathlib
import sys

from fresh_home import FreshHome


def main():
    home, models = FreshHome(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    steps = models / "steps.npz"
    usual = ["exec", str(models / "model.onnx"), "--device", "cpu:0", "--no-fallback", "--feedback", "state=stateN", "--times", "5", "--json"]
    run = home.run(*usual, "--input", f"x={steps}", "--expect", f"speech={steps}", "--expect", f"stateN={steps}:stateN", "--output-dir", "out",
                   "--check")
    document = json.loads(run.stdout)
    subject = document["subjects"][0]
    held = subject["expectations"]
    once = home.run(*usual, "--input", f"x={steps}", *(word for step in range(1, 6) for word in ("--expect", f"stateN=out/run-{step}/stateN.npy")))
    swapped = home.run(*usual, "--input", f"x={steps}", "--expect", f"stateN={steps}:stateN", "--value", "state=1")
    unknown = home.run(*usual, "--input", f"x={steps}:y")
    facts = {
        "it ends well": run.returncode == 0,
        "each step of each output is held against its own": [(each["output"], each["run"]) for each in held]
        == [(name, step) for step in range(1, 6) for name in ("speech", "stateN")],
        "and all are met": all(each["met"] and each["largest_error"] < 1e-6 for each in held),
        "each step is checked": subject["check"]["passed"] and subject["check"]["checked"] == 5 * 17,
        "each run has its outputs": [len(one["outputs"]) for one in subject["runs"]] == [2] * 5,
        "and the last run's are the subject's": subject["runs"][-1]["outputs"] == subject["outputs"],
        "the files of the steps are read again": once.returncode == 0
        and all(each["largest_error"] == 0 for each in json.loads(once.stdout)["subjects"][0]["expectations"]),
        "another first state is noticed": swapped.returncode == 7
        and not json.loads(swapped.stdout)["subjects"][0]["expectations"][0]["met"],
        "a member that is not there is named beside those that are": unknown.returncode == 5
        and "there are x, speech, stateN" in json.loads(unknown.stdout)["error"]["message"],
    }
    for fact, holds in facts.items():
        if not holds:
            print(f"not so: {fact}")
    if not all(facts.values()):
        print(run.stdout[-3000:], run.stderr, once.stdout[-500:], swapped.stdout[-500:], unknown.stdout[-500:])
    return 0 if all(facts.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
