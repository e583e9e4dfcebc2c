#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compile_only_test.py PROGRAM FAKE_NVRTC: `fuselab tune --compile-only --target sm_90` without a device: configurations ranked by what the
compiler says, here one that gives long texts many registers and the longest a spill."""
import json
import shutil
import sys

from fresh_home import FreshHome

program, nvrtc = sys.argv[1:]
home = FreshHome(program)
NO_DRIVER = {"FUSELAB_LIB_CUDA": "/nonexistent/libcuda.so.1", "FUSELAB_LIB_NVRTC": nvrtc}
WORDS = ["tune", "w5", "--shape", "rows=4096,cols=24000", "--dtype", "bf16", "--compile-only", "--target", "sm_90", "--trials", "40"]
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def place(row):
    """As portable.md says: no spill before spills, then more resident threads, fewer registers, less shared memory, less code."""
    resources = row["resources"]
    return (bool(row.get("problem")), resources.get("spill_bytes", 0), -row["occupancy"], resources["registers"], resources["shared_bytes"],
            resources["code_bytes"])


finished = home.run(*WORDS, "--json", FUSELAB_FAKE_NVRTC="varied", **NO_DRIVER)
check(finished.returncode == 0, f"ends with {finished.returncode}: {finished.stderr}")
document = json.loads(finished.stdout)
check(document["target"] == "sm_90" and document["limits"]["shared_optin_bytes"] == 232448, "is for another target")
made = [row for piece in document["pieces"] for row in piece["configs"] if "failure" not in row]
check(len(made) >= 20, f"{len(made)} configurations compiled")
check([place(row) for row in made] == sorted(place(row) for row in made), "the ranking is not that of the predicted resources")
check(len({row["resources"]["registers"] for row in made}) > 3, "all kernels take the same, so nothing was ranked")
check(any(row["resources"]["shared_bytes"] > 48 << 10 for row in made), "no kernel asks for more shared memory than it may declare")
defaults = [row["config"] for piece in document["pieces"] for row in piece["configs"] if row["default"]]
check(len(defaults) == len(document["pieces"]), f"as default are marked: {defaults}")
shown = home.run(*WORDS, FUSELAB_FAKE_NVRTC="varied", **NO_DRIVER)
check("Bytes; ranked by prediction. Only measuring on a device of sm_90 tells which is fastest." in shown.stdout, shown.stdout + shown.stderr)

# What would not launch says why, behind all others; where nothing compiles, the command fails with the reason.
refused = home.run(*WORDS, "--json", FUSELAB_FAKE_NVRTC="registers=255", **NO_DRIVER)
rows = [row for piece in json.loads(refused.stdout)["pieces"] for row in piece["configs"]]
reasons = [row["failure"] for row in rows if "failure" in row]
check(any("needs more registers than sm_90 has" in reason for reason in reasons), f"none is refused for its registers: {reasons[:3]}")
check(["failure" in row for row in rows] == sorted("failure" in row for row in rows), "what would not launch is not behind what would")
unknown = home.run(*[word.replace("sm_90", "sm_75") for word in WORDS], **NO_DRIVER)
check(unknown.returncode != 0 and "nvrtc 12.9 makes no code for sm_75, only for sm_80, sm_90, sm_120" in unknown.stderr, f"sm_75: {unknown.stderr}")

print("\n".join(failures) if failures else f"{len(made)} configurations for sm_90, ranked without a device")
shutil.rmtree(home.folder)
sys.exit(1 if failures else 0)
