#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""skipped.py JUNIT: what the tests of a report left out, by reason, from what `ctest --output-junit` wrote. A reason is what a test says after
": Skipped" (GoogleTest) or on a line with "SKIPPED: "; one that ends with "; N cases" counts as N. What this machine lacks comes first."""
import collections
import re
import sys
from xml.etree import ElementTree

MOST = 40  # lines


def reasons_of(case):
    told = case.findtext("system-out") or ""
    reasons = re.findall(r"SKIPPED: (.*)", told)
    if not reasons and case.find("skipped") is not None:
        reasons = re.findall(r": Skipped\n(.*)", told) or ["it does not say why"]
    return [(reason.strip(), "SKIPPED: " in told) for reason in reasons]


def counted(reason):
    stated = re.fullmatch(r"(.*); (\d+) cases?", reason)
    return (stated.group(1), int(stated.group(2))) if stated else (reason, 1)


def summary(cases):
    counts, lacking = collections.Counter(), set()
    for case in cases:
        for told, is_lacking in reasons_of(case):
            reason, count = counted(told)
            counts[reason] += count
            lacking |= {reason} if is_lacking else set()
    rows = sorted(counts.items(), key=lambda row: (row[0] not in lacking, -row[1], row[0]))
    lines = [f"SKIPPED {count} case{'s' if count > 1 else ''}: {reason}" for reason, count in rows[:MOST]]
    if len(rows) > MOST:
        lines.append(f"SKIPPED {sum(count for _, count in rows[MOST:])} cases for {len(rows) - MOST} more reasons; each test says its own")
    return lines


if __name__ == "__main__":
    print("\n".join(summary(ElementTree.parse(sys.argv[1]).iter("testcase"))))
