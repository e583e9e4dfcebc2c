#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""inductor_profile_test.py PROGRAM LISTING: `fuselab profile --target sm_90a --device inductor` without a device reads each Triton kernel of a
program that Inductor makes for CUDA, as nvdisasm printed another kernel. A stand-in for the Python helper compiles."""
import json
import shutil
import sys

from fresh_home import FreshHome

program, listing = sys.argv[1:]
home = FreshHome(program)
WORDS = ["profile", "w3", "--shape", "rows=64,cols=64", "--target", "sm_90a", "--device", "inductor"]
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


HELPER = """#!/usr/bin/env python3
import json, os, socket, struct, sys
channel = socket.socket(fileno=int(sys.argv[4]))
def send(message, blob=b""):
    text = json.dumps(message).encode()
    channel.sendall(struct.pack("<II", len(text), len(blob)) + text + blob)
send({"ok": True, "protocol": 1, "python": "3.99", "program": "stand-in"})
while len(head := channel.recv(8, socket.MSG_WAITALL)) == 8:
    text, blob = struct.unpack("<II", head)
    request = json.loads(channel.recv(text, socket.MSG_WAITALL))
    if request["do"] == "inductor.about":
        send({"ok": True, "torch": "2.15.0", "triton": "3.9.0", "git": "abc"})
        continue
    answer, data = ANSWER
    send({"ok": True, **answer}, data)
"""
KERNEL = {"launches": 1, "configs": 2, "warps": 4, "stages": 1, "local_bytes": 0}
SOURCE = b"".join(b"# line %d of the first\n" % line for line in range(1, 9))
TWO = ({"kernels": [{**KERNEL, "name": "triton_red_0", "registers": 40, "dynamic_shared_bytes": 1024, "text_bytes": len(SOURCE), "bytes": 4},
                    {**KERNEL, "name": "triton_poi_1", "registers": 200, "local_bytes": 8, "warps": 8, "text_bytes": 9, "bytes": 5}],
        "calls": {"mm": 2}}, b"the program" + SOURCE + b"CODE" + b"# second\n" + b"OTHER")
NONE = ({"kernels": [], "calls": {"mm": 1}}, b"the program")
SHORT = ({"kernels": [{**KERNEL, "name": "triton_red_0", "text_bytes": 400, "bytes": 4}], "calls": {}}, b"the program")


def profiled(answer, *more):
    helper = home.folder / "python"
    helper.write_text(HELPER.replace("ANSWER", repr(answer)))
    helper.chmod(0o755)
    return home.run(*WORDS, *more, FUSELAB_PYTHON=str(helper), FUSELAB_NVDISASM=str(disassembler))


read = home.folder / "read"
disassembler = home.folder / "nvdisasm"
disassembler.write_text("#!/bin/sh\n[ \"$1\" = --version ] && echo 'NVIDIA (R) CUDA disassembler' && exit\n"
                        f"for file; do :; done\ncat \"$file\" >>'{read}'; echo >>'{read}'\ncat '{listing}'\n")
disassembler.chmod(0o755)
finished = profiled(TWO, "--json")
check(finished.returncode == 0, f"ends with {finished.returncode}: {finished.stdout[:300]}{finished.stderr}")
profile = json.loads(finished.stdout)["profiles"][0]
check(read.read_text() == "CODE\nOTHER\n", f"the disassembler was given {read.read_text()}")
check([(loop["step"], loop["instructions"]) for loop in profile["code"]["loops"]] == [(0, 13), (1, 13)], f"its loops: {profile['code']['loops']}")
check([each["step"] for each in profile["code"]["functions"]] == [0, 1], f"its functions: {profile['code']['functions']}")
check([each["kernel"] for each in profile["kernels"]] == ["triton_red_0", "triton_poi_1"], f"its kernels: {profile['kernels']}")
first, second = ({metric["name"]: metric.get("value") for metric in each["metrics"]} for each in profile["kernels"])
check(first["static_registers"] == 40 and first["static_shared"] == 1024 and first["static_threads"] == 128, f"of the first it says {first}")
check(second["static_spill_stores"] == 8 and second["static_threads"] == 256 and 0 < second["static_occupancy"] < 1, f"of the second {second}")
check("calls libraries, whose code is not here: 2 mm" in profile["note"], profile["note"])
text = profiled(TWO, "--all").stdout
check("triton_poi_1" in text and "integer 6, global load 3, fp32 2" in text and "# line 6 of the first" in text, text)
alone = json.loads(profiled(NONE, "--json").stdout)["profiles"][0]
check("has no kernel" in alone["code"]["why_not"] and alone["kernels"] == [], f"of calls alone it says {alone['code']} {alone['kernels']}")
short = profiled(SHORT)
check(short.returncode != 0 and "shorter than its kernels" in short.stderr, f"of a binary cut short: {short.returncode} {short.stderr}")
print("\n".join(failures) if failures else "as it should be")
shutil.rmtree(home.folder)
sys.exit(1 if failures else 0)
