#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The stacks of one processor side by side, as a Markdown table, of what `fuselab compare --json` shows:

    fuselab bench w1 w3 w4 … --device cpu --device mkl … --accept nan-loss
    fuselab compare w1 w3 w4 … --json --accept nan-loss | tests/models/stacks_table.py cpu:0 mkl:0 …

A cell has the unfused and the fused plan's median in ms, "–" where there is none; a star marks a plan that loses NaN or precision. The last
column is the default and what decided. With --totals a model has two rows instead: its pieces, all together, and the model as a whole."""
import json
import sys


def star(figure):
    return "\\*" if any(figure.get(key) for key in ("nan_loss", "precision_loss", "winograd_error")) else ""


def time_text(cell):
    if cell.get("median_ns") is None:
        return "–"
    return f"{cell['median_ns'] / 1e6:.3g}" + star(cell)


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


def total_text(total):
    if not total or not total["measured_pieces"]:
        return "–"
    part = "" if total["measured_pieces"] == total["pieces"] else f" ({total['measured_pieces']} of {total['pieces']})"
    return f"{total['unfused_ns'] / 1e6:.3g} / {total['fused_ns'] / 1e6:.3g}{star(total)}{part}"


def whole_text(whole):
    """The time of a model as a whole, and over that of the best mix."""
    if not whole or whole["cell"].get("median_ns") is None:
        return "–"
    ratio = whole.get("of_best_mix")
    of_mix = "" if not ratio else f", {ratio['ratio']:.2f}x [{ratio['interval'][0]:.2f}, {ratio['interval'][1]:.2f}]"
    return time_text(whole["cell"]) + of_mix


def print_totals(models, devices):
    devices = ["best mix", *devices]
    print("| model | " + " | ".join(devices) + " |")
    print("|---|" + "---|" * len(devices))
    for model in models:
        totals = {total["device"]: total for total in model["totals"]}
        wholes = {whole["device"]: whole for whole in model["whole_models"]}
        print(f"| {model['model']}, its pieces | " + " | ".join(total_text(totals.get(device)) for device in devices) + " |")
        print("| as a whole | " + " | ".join(whole_text(wholes.get(device)) for device in devices) + " |")
    print()
    for model in models:
        for whole in model["whole_models"]:
            if whole["cell"].get("median_ns") is None:
                print(f"- {model['model']} as a whole on {whole['device']}: {whole['words']}")


def main():
    devices = sys.argv[1:]
    if devices and devices[0] == "--totals":
        print_totals(json.load(sys.stdin)["models"], devices[1:])
        return 0
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
