#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each process of a self-test's record came to, without its samples: a tenth of the bytes.

  selftest_blocks.py RECORD.jsonl > BLOCKS.jsonl

The first line is the record's own, with "of" added: the SHA-256 of the whole record. Each other line is a comparison as it stands there,
its processes as [log-ratio, scatter, pairs, ns]: the median over pairs of rounds of log(candidate / baseline), the deviation of one
pair (1.4826 times the median distance to it), how many pairs, and the kernel time. A fifth entry says why a process was discarded.
The mean of the processes' log-ratios, against the margin, is the verdict (resources/docs/comparing.md); it cannot be had for the rounds.
"""
import hashlib
import json
import math
import statistics
import sys


def block(process):
    unit, middle = process.get("tenths", 0), process.get("middle", 0)
    a, b = ([(middle + x) * unit if unit else x for x in process[side]] for side in "ab")
    rounds = [math.log(y / x) for x, y in zip(a, b)]
    pairs = [(rounds[i] + rounds[i + 1]) / 2 for i in range(0, len(rounds) - 1, 2)]
    middle_pair = statistics.median(pairs)
    scatter = 1.4826 * statistics.median([abs(pair - middle_pair) for pair in pairs])
    values = [round(middle_pair, 6), round(scatter, 5), len(pairs), round(process["ns"])]
    return values + ([process["disturbed"]] if "disturbed" in process else [])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as record:
        lines = record.read()
    first, *comparisons = (json.loads(line) for line in lines.splitlines())
    print(json.dumps({**first, "of": hashlib.sha256(lines).hexdigest()}, separators=(",", ":")))
    for each in comparisons:
        for replay in ("first", "confirmation"):
            if replay in each:
                each[replay]["processes"] = [block(process) for process in each[replay]["processes"]]
        print(json.dumps(each, separators=(",", ":")))


if __name__ == "__main__":
    main()
