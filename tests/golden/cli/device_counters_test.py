#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""device_counters_test.py PROGRAM: the counters of a device that has its own, scripted by the null backend: replayed pass by pass, or refused,
crashed, hung, failed, each time with the reason and with the rest of the profile."""
import json
import pathlib
import shutil
import sys

from fresh_home import FreshHome

WORDS = ["profile", "w3", "--shape", "rows=16,cols=64", "--synthetic", "--device", "null:0", "--again", "--json"]


def profiled(home, trouble):
    finished = home.run(*WORDS, FUSELAB_NULL_TROUBLE=trouble)
    document = json.loads(finished.stdout)
    if "profiles" not in document:
        return {}, "", finished.stdout[:500]
    profile = document["profiles"][0]
    metrics = {metric["name"]: metric for metric in profile["counters"]["metrics"]}
    note = next((note for note in profile["collectors"] if note["collector"] == "counters"), {})
    return metrics, note.get("reason", ""), profile["counters"]["rung"]


def main():
    home = FreshHome(pathlib.Path(sys.argv[1]))
    facts = {}
    metrics, reason, rung = profiled(home, "")
    counted = {name for name, metric in metrics.items() if metric.get("value") is not None}
    facts[f"two passes of two metrics: {rung} {reason}"] = rung == "device, 2 passes"
    facts[f"four metrics have values: {sorted(counted)}"] = len(counted) == 4
    facts[f"what the device lacks has a reason: {metrics.get('device_energy')}"] = "no such counter" in metrics.get("device_energy", {}).get("reason", "")
    metrics, reason, rung = profiled(home, "counters-denied")
    facts[f"denied: every metric says so: {rung} {reason}"] = bool(metrics) and all("administrators" in metric["reason"] for metric in metrics.values())
    metrics, reason, rung = profiled(home, "counters-fail")
    facts[f"a failing pass takes its own metrics along: {rung}"] = (metrics.get("device_cycles", {}).get("value") is not None
                                                                      and any("could not be read" in metric["reason"] for metric in metrics.values()))
    _, reason, rung = profiled(home, "counters-crash")
    facts[f"a crash is a reason: {reason} {rung}"] = "SIGSEGV" in reason
    _, reason, rung = profiled(home, "counters-hang")
    facts[f"a hang is a reason: {reason} {rung}"] = "lasted longer than" in reason
    shutil.rmtree(home.folder)
    failures = [f"does not hold: {name}" for name, holds in facts.items() if not holds]
    print("\n".join(failures) if failures else "as it should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
