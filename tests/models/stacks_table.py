#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The stacks of one processor side by side, as a Markdown table, of what `fuselab compare --json` shows:

    fuselab bench w1 w3 w4 … --device cpu --device mkl … --accept nan-loss
    fuselab compare w1 w3 w4 … --json --accept nan-loss | tests/models/stacks_table.py cpu:0 mkl:0 …

A cell has the unfused and the fused plan's median in ms, "–" where there is none; a star marks a plan that loses NaN. The last column
is the default and what decided."""
import json
import sys


def time_text(cell):
    if cell.get("median_ns") is None:
        return "–"
    return f"{cell['median_ns'] / 1e6:.3g}" + ("\\*" if cell.get("nan_loss") else "")


def row_text(row, devices):
    cells = {cell["device"]: cell for cell in row["cells"]}
    texts = []
    for device in devices:
        cell = cells.get(device)
        texts.append("–" if cell is None else f"{time_text(cell['unfused'])} / {time_text(cell['fused'])}")
    return texts


def why_not(row, devices):
    """(device, reason) of plans that are excluded or failed, once each."""
    found = []
    for cell in row["cells"]:
        reason = cell["fused"].get("reason") or cell["unfused"].get("reason")
        if cell["device"] in devices and reason and cell["fused"].get("median_ns") is None:
            found.append((cell["device"], reason))
    return found


def main():
    devices = sys.argv[1:]
    reasons = {}
    print("| piece | " + " | ".join(devices) + " | default |")
    print("|---|" + "---|" * (len(devices) + 1))
    for model in json.load(sys.stdin)["models"]:
        for row in model["rows"]:
            default = row.get("reason", "").replace("|", "/")
            print(f"| {model['model'].split('-')[0]} {row['name']} | " + " | ".join(row_text(row, devices)) + f" | {default} |")
            for device, reason in why_not(row, devices):
                reasons.setdefault((device, reason.split("\n")[0][:160]), []).append(row["name"])
    print()
    for (device, reason), pieces in reasons.items():
        print(f"- {device}, {', '.join(sorted(set(pieces)))}: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
