# SPDX-License-Identifier: Apache-2.0
"""Writes what `fuselab check --json-lines` would have written, run after run."""
import json


def run(number, ratio, commit=None, name="softmax", **changed):
    """The lines of one run of one case, the given members changed."""
    comparison = {"verdict": "equivalent", "ratio": ratio, "low": ratio * 0.99, "high": ratio * 1.01, "minimum_detectable": 0.01, "p_regressed": 1,
                  "p_improved": 1, "processes": 5, "pairs": 50, "within_deviation": 0.004, "between_deviation": 0.002, "spent_ns": 1e9}
    case = {"name": name, "subject": "w5-softmax rows=128,cols=1024 f32", "device": "cpu:0", "backend": "cpu", "device_uuid": "5c0ffee0",
            "file": "fuselab.toml", "line": 3, "state": "equivalent", "reason": "",
            "baseline": {"kind": "paired", "origin": "main.baseline", "commit": "0" * 40, "device_uuid": "5c0ffee0", "recompiled": False},
            "margin": 0.01, "comparison": comparison, "q_value": 1, "baseline_ns": 1000, "candidate_ns": 1000 * ratio,
            "reference": "", "reference_ns": 0, "disturbed": 0, "wall_s": 1, "reproduce": "fuselab check --case softmax", "log_ratios": [], **changed}
    start = {"schema": "fuselab.check-lines/1", "version": "0.1.0", "commit": commit or f"{number:040x}",
             "started_at": f"2026-{1 + number // 28:02}-{1 + number % 28:02}T12:00:00Z", "environment": [["cpu", "EPYC"], ["driver", "550" if number < 30 else "555"]],
             "kernel_s": 1, "wall_s": 2, "exit": 0, "reproduce": "fuselab check", "cases": 1}
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in (start, case))


def same(number, **changed):
    """The lines of a run whose kernel was the baseline's own."""
    start, case = run(number, 1.0, state="same", baseline_ns=0, candidate_ns=0, **changed).splitlines()
    outcome = json.loads(case)
    del outcome["comparison"]
    return start + "\n" + json.dumps(outcome, separators=(",", ":")) + "\n"


def noise(number):
    """Of about one, always the same, neighbours hardly correlated."""
    return ((number * 7919 + 104729) % 1009) / 1009 * 3.4 - 1.7


def with_step(runs=40, at=30, step=0.03):
    """Runs of half a percent's noise whose level rises."""
    return [run(number, (1 + step * (number >= at)) * (1 + 0.005 * noise(number))) for number in range(runs)]
