#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""xla_targets_test.py PROGRAM FAKE_PJRT: `fuselab survey --compile-only --device xla` for targets without a device tells memory, fusions and, of a TPU, the
vendor's estimate under that name; a plugin that is not there, crashes or refuses is a reason."""
import json
import shutil
import sys

from fresh_home import FreshHome

program, plugin = sys.argv[1:]
home = FreshHome(program)
PLUGINS = {"FUSELAB_LIB_XLA": "/nonexistent/cpu.so", "FUSELAB_LIB_XLA_CUDA": plugin, "FUSELAB_LIB_XLA_TPU": plugin}
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def graph(depth):
    return f"graph(x: f32[4,{depth}], y: f32[{depth},2]) {{ p = MatMul(x, y); return p }}"


def survey(*words, **more):
    return home.run("survey", *words, "--compile-only", "--device", "xla", **{**PLUGINS, **more})


def document(*words, code=0, **more):
    finished = survey(*words, "--json", **more)
    check(finished.returncode == code, f"{words} ends with {finished.returncode}, not {code}: {finished.stdout[-600:]}{finished.stderr}")
    return json.loads(finished.stdout)


told = document(graph(8), "--target", "sm_90a", "--target", "tpu-v6e")
check([(model["target"], model["backend"], model["compiler"]) for model in told["models"]] ==
      [("sm_90a", "xla", "xla-cuda 0.115"), ("tpu-v6e", "xla", "xla-tpu 0.115")], f"{told['models']}")
cuda, tpu = (model["pieces"][0] for model in told["models"])
check(cuda["result"] == tpu["result"] == "compiled", f"{cuda} {tpu}")
check(cuda["resources"] == {"argument_bytes": 192, "output_bytes": 32, "temporary_bytes": 64, "fusions": 2, "fusions.loop": 1, "fusions.triton_gemm": 1,
                            "calls.__cublas$gemm": 1}, f"{cuda['resources']}")
check("vendor_estimate" not in cuda and tpu["vendor_estimate"]["source"] == "libtpu's optimal_seconds" and
      abs(tpu["vendor_estimate"]["estimated_ns"] - 2000) < 1, f"{tpu}")

text = survey(graph(8), "--target", "tpu-v6e").stdout
check("vendor's estimate" in text and "2.00 µs" in text and "1 loop, 1 triton_gemm; calls 1 __cublas$gemm" in text, text)
check("It is no time." in text and "spill" not in text and "registers" not in text, text)
check("estimate" not in survey(graph(8), "--target", "sm_90").stdout, "an estimate where there is none")

refused = document(graph(19), "--target", "sm_90", code=3)
check("no luck" in refused["models"][0]["pieces"][0]["reason"], f"{refused}")
crashed = document(graph(13), "--target", "tpu-v5e", code=3)
check("SIGSEGV" in crashed["models"][0]["pieces"][0]["reason"], f"{crashed}")
absent = document(graph(8), "--target", "tpu-v6e", code=6, FUSELAB_LIB_XLA_TPU="")
check("fuselab backends install xla-tpu --accept-licence" in absent["error"]["message"], f"{absent['error']}")
undescribed = document(graph(8), "--target", "sm_75", code=6)
check("no description of a device of sm_75" in undescribed["error"]["message"], f"{undescribed['error']}")

devices = home.run("devices", "--json", **PLUGINS)
(xla,) = [each for each in json.loads(devices.stdout)["backends"] if each["id"] == "xla"]
check(xla["capabilities"]["foreign_targets"].get("tpu-v5e") == "compiled by xla-tpu 0.115, which only compiles", f"{xla}")
check("sm_80, sm_90, sm_90a: compiled by xla-cuda 0.115, which only compiles" in home.run("devices", **PLUGINS).stdout, "devices")

print("\n".join(failures) if failures else "XLA's plugins say what they make for targets without a device")
shutil.rmtree(home.folder)
sys.exit(1 if failures else 0)
