#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""alert_overlap.py FIRST.json SECOND.json [LEAST]: how far two runs of `fuselab check --json` on the same code agree on what has regressed.

Prints the Jaccard index of the two sets of alerts (cases, on their devices, that ended as a confirmed regression): how many are in both
over how many are in either; 1 where neither has any. Exit 1 when it is below LEAST, 2 for a file that is no such document."""
import json
import sys


def alerts(path):
    try:
        with open(path, encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        return {(case["name"], case["device"]) for case in cases if case["state"] == "regressed"}, len(cases)
    except (OSError, ValueError, KeyError, TypeError) as why:
        print(f"alert_overlap.py: {path} is no document of `fuselab check --json`: {why}", file=sys.stderr)
        sys.exit(2)


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    (first, cases), (second, others) = alerts(arguments[0]), alerts(arguments[1])
    either, both = first | second, first & second
    index = len(both) / len(either) if either else 1.0
    print(f"{len(first)} alerts in {cases} cases, then {len(second)} in {others}; {len(both)} in both: Jaccard index {index:.2f}")
    for name, device in sorted(first ^ second):
        print(f"  only {'first' if (name, device) in first else 'second'}: {name} on {device}")
    return 1 if len(arguments) == 3 and index < float(arguments[2]) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
