#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""target_profile_test.py PROGRAM FAKE_NVRTC SASS: `fuselab profile --target sm_90` without a device says what the compiler says of a kernel and what
fits on a multiprocessor; with NVIDIA's own compiler, where there is one, its figures agree with each other."""
import json
import shutil
import sys

from fresh_home import FreshHome

program, nvrtc, sass = sys.argv[1:]
home = FreshHome(program)
NO_DRIVER = {"FUSELAB_LIB_CUDA": "/nonexistent/libcuda.so.1"}
WORDS = ["profile", "w3", "--shape", "rows=4096,cols=4096", "--target", "sm_90"]
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def kernel_of(finished):
    """The report of the one kernel, and its metrics by name."""
    profile = json.loads(finished.stdout)["profiles"][0]
    check(profile["median_ns"] == 0 and "nothing ran" in profile["note"], f"it says not that nothing ran: {profile['note']}")
    check([note["collector"] for note in profile["collectors"]] == ["code"], f"something was collected by running: {profile['collectors']}")
    report = profile["kernels"][0]
    return report, {metric["name"]: metric.get("value") for metric in report["metrics"]}


def agrees(report, known):
    warps = known["static_blocks"] * -(-known["static_threads"] // 32)
    check(abs(known["static_occupancy"] - warps / 64) < 1e-9, f"the occupancy is not that of its blocks: {known}")
    by_registers = 65536 // 4 // (-(-int(known["static_registers"]) * 32 // 256) * 256) * 4 // -(-known["static_threads"] // 32)
    check(known["static_blocks"] <= by_registers, f"more blocks than registers allow: {known}")
    check((report["limited_by"] == "registers") == ("fewer" in report["text"]), f"only what registers limit gains by fewer: {report['text']}")


finished = home.run(*WORDS, "--json", FUSELAB_LIB_NVRTC=nvrtc, FUSELAB_FAKE_NVRTC="registers=64", **NO_DRIVER)
check(finished.returncode == 0, f"ends with {finished.returncode}: {finished.stdout[:300]}{finished.stderr}")
report, known = kernel_of(finished)
check(known["static_registers"] == 64 and report["target"] == "sm_90", f"with 64 registers it says {known}")
agrees(report, known)
text = home.run(*WORDS, FUSELAB_LIB_NVRTC=nvrtc, FUSELAB_FAKE_NVRTC="registers=64", **NO_DRIVER).stdout
check("Kernels, before they run" in text and "limited by" in text and "Nothing ran" in text, text)
missing = home.run(*WORDS, FUSELAB_LIB_NVRTC="/nonexistent/libnvrtc.so", **NO_DRIVER)
check(missing.returncode == 6 and "nvrtc" in missing.stderr.lower(), f"without a compiler: {missing.returncode} {missing.stderr}")

# The machine code, as a disassembler prints it: SASS, what NVIDIA's printed of another kernel.
disassembler = home.folder / "nvdisasm"
disassembler.write_text(f"#!/bin/sh\n[ \"$1\" = --version ] && echo 'NVIDIA (R) CUDA disassembler' || cat '{sass}'\n")
disassembler.chmod(0o755)
CODE = {"FUSELAB_LIB_NVRTC": nvrtc, "FUSELAB_NVDISASM": str(disassembler), **NO_DRIVER}
profile = json.loads(home.run(*WORDS, "--json", **CODE).stdout)["profiles"][0]
loop = profile["code"]["loops"][0]
check(loop["instructions"] == 13 and {"work": "global load", "instructions": 3} in loop["mix"], f"of its loop it says {loop}")
check(profile["code"]["functions"][0]["function"] == "dot", f"its functions are {profile['code']['functions']}")
text = home.run(*WORDS, "--all", **CODE).stdout
check("integer 6, global load 3, fp32 2" in text and "LDG.E R7" in text, text)
beside = home.run(*WORDS, "--config", profile["config"], "--config", profile["config"], **CODE)
check(beside.returncode == 0 and "hottest loop: global load" in beside.stdout, f"two configurations: {beside.stdout}{beside.stderr}")
wrong = home.run(*WORDS, "--config", "nosuch=1", **CODE)
check(wrong.returncode == 2 and "does not fit" in wrong.stderr, f"a configuration that is none: {wrong.returncode} {wrong.stderr}")
absent = json.loads(home.run(*WORDS, "--json", **{**CODE, "FUSELAB_NVDISASM": "/nonexistent/nvdisasm"}).stdout)["profiles"][0]
check("FUSELAB_NVDISASM names" in absent["code"]["why_not"], f"without a disassembler: {absent['code']}")

# Any piece of a model: those that are written, by name or key; of the others the reason. Without a name the written one that moves most.
FAKE = {"FUSELAB_LIB_NVRTC": nvrtc, **NO_DRIVER}
MODEL = ["bert-layer", "--shape", "batch=1,seq=16"]
surveyed = json.loads(home.run("survey", *MODEL, "--compile-only", "--target", "sm_90", "--no-match", "--json", **FAKE).stdout)
pieces = surveyed["models"][0]["pieces"]
check(any(piece["written"] for piece in pieces), f"nothing is written: {pieces}")
for piece in pieces:
    for called in (piece["name"], piece["key"][:16]):
        finished = home.run("profile", *MODEL, "--piece", called, "--target", "sm_90", "--json", **FAKE)
        told = json.loads(finished.stdout)
        if piece["written"]:
            check(finished.returncode == 0 and told["profiles"][0]["piece"] == piece["name"], f"{called}: {finished.returncode} {finished.stdout[:200]}")
        else:
            check(finished.returncode == 6 and piece["reason"] in told["error"]["message"], f"{called}: {finished.returncode} {finished.stdout[:200]}")
largest = json.loads(home.run("profile", *MODEL, "--target", "sm_90", "--json", **FAKE).stdout)["profiles"][0]
check(largest["piece"] in [piece["name"] for piece in pieces if piece["written"]], f"without a name it takes {largest['piece']}")
nobody = home.run("profile", *MODEL, "--piece", "nosuch", "--target", "sm_90", **FAKE)
check(nobody.returncode == 5 and pieces[0]["name"] in nobody.stderr, f"of a piece that there is not: {nobody.returncode} {nobody.stderr}")

real = home.run(*WORDS, "--json", **NO_DRIVER)
if real.returncode == 0:
    report, known = kernel_of(real)
    check(known["static_registers"] >= 16 and known["static_spill_stores"] == 0 and known["static_code"] > 0, f"NVIDIA's says {known}")
    agrees(report, known)
    told = f"NVIDIA's compiler: {report['text']}"
else:
    told = f"SKIPPED: {json.loads(real.stdout)['error']['message']}; 1 case"
print("\n".join(failures) if failures else told)
shutil.rmtree(home.folder)
sys.exit(1 if failures else 0)
