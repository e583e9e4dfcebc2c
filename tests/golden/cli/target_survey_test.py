#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""target_survey_test.py PROGRAM FAKE_NVRTC: `fuselab survey --compile-only --target sm_90` without a device says of each distinct piece how far it
comes; what does not compile, or takes the compiler along, is that piece's line."""
import json
import shutil
import signal
import subprocess
import sys

from fresh_home import FreshHome

program, nvrtc = sys.argv[1:]
home = FreshHome(program)
NO_DRIVER = {"FUSELAB_LIB_CUDA": "/nonexistent/libcuda.so.1", "FUSELAB_LIB_NVRTC": nvrtc}
# A view, a barrier, and the same piece twice.
GRAPH = ("graph(x: f32[4,8], y: f32[4,8]) { v = Reshape(x, shape=[32]); m: f32[4,8] = Opaque:Mystery(y); a = Mul(x, x); b = Mul(y, y); return v, m, a, b }")
WORDS = [GRAPH, "--compile-only", "--target", "sm_90"]
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def survey(*words, nvrtc_is="", **more):
    return home.run("survey", *words, FUSELAB_FAKE_NVRTC=nvrtc_is, **{**NO_DRIVER, **more})


def document(*words, code=0, **more):
    finished = survey(*words, "--json", **more)
    check(finished.returncode == code, f"{words} ends with {finished.returncode}, not {code}: {finished.stdout[-600:]}{finished.stderr}")
    return json.loads(finished.stdout)


told = document(*WORDS, "--target", "sm_120", "w5")
check([(model["model"], model["target"]) for model in told["models"]] ==
      [(told["models"][0]["model"], "sm_90"), (told["models"][0]["model"], "sm_120"), ("w5-softmax", "sm_90"), ("w5-softmax", "sm_120")], "not each model for each target")
pieces = told["models"][0]["pieces"]
results = {piece["name"]: piece["result"] for piece in pieces}
# The emulator needs a C++ compiler; where there is one, the kernel is matched by the worker.
best = "matched" if shutil.which("g++") or shutil.which("clang++") else "compiled"
check(sorted(results.values()) == sorted([best, "refused", "runs nothing"]), f"results: {results}")
(made,) = [piece for piece in pieces if piece["compiled"]]
check(made["uses"] == 2 and made["resources"]["registers"] == 32 and made["limited_by"] in ("threads", "blocks") and 0 < made["occupancy"] <= 1, f"{made}")
totals = told["models"][0]["totals"]
check((totals["pieces"], totals["uses"], totals["written"], totals["written_uses"], totals["run_nothing"]) == (2, 3, 1, 2, 1), f"{totals}")
check("match" in made and "match" not in document(*WORDS, "--no-match")["models"][0]["pieces"][-1], "--no-match matches, or nothing else does")

text = survey(*WORDS).stdout
check(" for sm_90 by nvrtc 12.9" in text and "totals: 1 of 2 pieces (2 of 3 uses) written, 1 compiled" in text, text)
check("a barrier: Fuselab does not know this operator" in text and "1 view that runs nothing" in text, text)

broken = document(*WORDS, nvrtc_is="error", code=3)
(made,) = [piece for piece in broken["models"][0]["pieces"] if piece["written"]]
check(made["result"] == "not compiled" and "nonsense" in made["reason"] and "not compiled" in broken["error"]["message"], f"{made}")
crashed = document(*WORDS, nvrtc_is="crash", code=3)
check(any("SIGABRT" in piece.get("reason", "") for piece in crashed["models"][0]["pieces"]), f"a crash is not told: {crashed['models'][0]['pieces']}")
spills = document(*WORDS, nvrtc_is="spills")["models"][0]
check(spills["totals"]["spilling"] == 1 and any(piece.get("problem", "").startswith("spills ") for piece in spills["pieces"]), f"{spills['totals']}")
absent = document(*WORDS, code=6, FUSELAB_LIB_NVRTC="/nonexistent/libnvrtc.so")
check("nvrtc" in absent["error"]["message"].lower(), f"without a compiler: {absent['error']}")

for words, why in ([[GRAPH, "--compile-only"], "--target sm_90"], [[GRAPH, "--target", "sm_90"], "--compile-only"],
                   [[*WORDS, "--device", "cpu"], "--device"], [[*WORDS[:-1], "sm_9000"], "sm_9000"]):
    refused = survey(*words)
    check(refused.returncode in (2, 5) and why in refused.stderr, f"{words[1:]}: {refused.returncode} {refused.stderr}")

# Ctrl-C after the first piece: it stands, and the others are marked as not reached.
line = [program, "survey", "resnet50", "bert-layer", "llama-layer", "--compile-only", *(f"--target=sm_{arch}" for arch in (80, 90, 120)), "--json"]
child = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=home.folder, env=home.environment(**NO_DRIVER), encoding="utf-8")
child.stderr.readline()
child.send_signal(signal.SIGINT)
out, _ = child.communicate(timeout=100)
told = json.loads(out)
reached = [piece["result"] != "not reached" for model in told["models"] for piece in model["pieces"]]
check(child.returncode == 4 and told["stopped"] and any(reached) and not all(reached), f"interrupted: {child.returncode}, reached {sum(reached)} of {len(reached)}")

print("\n".join(failures) if failures else "each piece's line says how far it comes for its target")
shutil.rmtree(home.folder)
sys.exit(1 if failures else 0)
