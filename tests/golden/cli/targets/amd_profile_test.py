#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""amd_profile_test.py PROGRAM LISTING: `fuselab profile --target gfx942 --device triton` without a device reads the machine code of AMD's GPUs, as
llvm-objdump printed it of another kernel, and says what fits on a compute unit. Skipped where Triton is not installed."""
import json
import shutil
import sys

from fresh_home import FreshHome

program, listing = sys.argv[1:]
home = FreshHome(program)
WORDS = ["profile", "w3", "--shape", "rows=64,cols=64", "--target", "gfx942", "--device", "triton"]
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


disassembler = home.folder / "llvm-objdump"
disassembler.write_text("#!/bin/sh\n"
                        "[ \"$1\" = --version ] && echo 'LLVM version 22' && exit\n"
                        f"case \"$*\" in *--mcpu=gfx942*) cat '{listing}' ;; *) echo 'no target' >&2; exit 1 ;; esac\n")
disassembler.chmod(0o755)
finished = home.run(*WORDS, "--json", FUSELAB_LLVM_OBJDUMP=str(disassembler))
document = json.loads(finished.stdout)
if finished.returncode != 0:
    shutil.rmtree(home.folder)
    print(f"SKIPPED: {document['error']['message']}; 1 case")
    sys.exit(0)
profile = document["profiles"][0]
loop = profile["code"]["loops"][0]
check(loop["instructions"] == 51 and {"work": "tensor", "instructions": 4} in loop["mix"], f"of its loop it says {loop}")
check(profile["code"]["functions"][0]["function"] == "product", f"its functions are {profile['code']['functions']}")
known = {metric["name"]: metric.get("value") for metric in profile["kernels"][0]["metrics"]}
for name in ("static_registers", "static_accumulators", "static_scalar_registers", "static_spill_stores", "static_shared", "static_occupancy"):
    check(known.get(name) is not None, f"it says nothing of {name}: {known}")
text = home.run(*WORDS, "--all", FUSELAB_LLVM_OBJDUMP=str(disassembler)).stdout
check("v_mfma_f32_32x32x8_f16" in text and "wait 8" in text, text)
failing = home.folder / "failing"
failing.write_text("#!/bin/sh\necho 'no such processor' >&2\nexit 1\n")
failing.chmod(0o755)
old = json.loads(home.run(*WORDS, "--json", FUSELAB_LLVM_OBJDUMP=str(failing)).stdout)["profiles"][0]
check("LLVM 19 and newer" in old["code"]["why_not"], f"of an llvm-objdump that does not know it: {old['code']['why_not']}")
absent = json.loads(home.run(*WORDS, "--json", FUSELAB_LLVM_OBJDUMP="/nonexistent/llvm-objdump").stdout)["profiles"][0]
check("FUSELAB_LLVM_OBJDUMP names" in absent["code"]["why_not"], f"without one: {absent['code']['why_not']}")
print("\n".join(failures) if failures else "as it should be")
shutil.rmtree(home.folder)
sys.exit(1 if failures else 0)
