#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""target_survey_test.py PROGRAM FAKE_NVRTC [FAKE_PJRT]: `fuselab survey --compile-only --target sm_90` without a device says of each distinct piece how far it
comes; what does not compile, or takes the compiler along, is that piece's line."""
import json
import shutil
import signal
import subprocess
import sys

from fresh_home import FreshHome

program, nvrtc = sys.argv[1:3]
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
                   [["--verb=tune", *WORDS, "--device", "cpu", "--device", "cuda"], "--device"], [[*WORDS, "--device", "nobody"], "nobody"], [[*WORDS[:-1], "sm_9000"], "sm_9000"]):
    verb, words = ("tune", words[1:]) if words[0] == "--verb=tune" else ("survey", words)
    refused = home.run(verb, *words, FUSELAB_FAKE_NVRTC="", **NO_DRIVER)
    check(refused.returncode in (2, 5) and why in refused.stderr, f"{words[1:]}: {refused.returncode} {refused.stderr}")

# Triton by a program that stands in for Python: it compiles anything, has an interpreter that is wrong, and can die of a text.
STAND_IN = """#!/usr/bin/env python3
import json, os, socket, struct, sys
channel = socket.socket(fileno=int(sys.argv[4]))
def send(message, blob=b""):
    text = json.dumps(message).encode()
    channel.sendall(struct.pack("<II", len(text), len(blob)) + text + blob)
send({"ok": True, "protocol": 1, "python": "3.99", "program": "stand-in"})
while head := channel.recv(8, socket.MSG_WAITALL):
    text, blob = struct.unpack("<II", head)
    request = json.loads(channel.recv(text, socket.MSG_WAITALL))
    channel.recv(blob, socket.MSG_WAITALL) if blob else b""
    if request["do"] == "triton.about":
        send({"ok": True, "triton": "9.9", "ptxas": "1.2"})
    elif request["do"] == "inductor.about":
        send({"ok": True, "torch": "2.15.0", "triton": "3.9.0", "git": "abc"})
    elif request["do"] == "inductor.compile_cuda":
        kernel = {"name": "triton_poi_fused_0", "launches": 2, "configs": 3, "warps": 4, "registers": 24, "local_bytes": 8, "dynamic_shared_bytes": 512,
                  "bytes": 5}
        send({"ok": True, "kernels": [kernel], "calls": {"mm": 2, "addmm": 1}}, b"cubin")
    elif request["do"] == "triton.compile" and os.environ.get("STAND_IN_DIES"):
        os.abort()
    elif request["do"] == "triton.compile":
        send({"ok": True, "format": "cubin", "shared_bytes": 2048, "static_shared_bytes": 0, "registers": 40, "local_bytes": 0,
              "parameters": len(request["signature"]) + 2}, b"cubin")
    else:
        send({"ok": True}, b"".join(bytes(each["bytes"]) for each in request["arguments"] if each["written"]))
"""
python = home.folder / "stand-in"
python.write_text(STAND_IN, encoding="utf-8")
python.chmod(0o700)
TRITON = [*WORDS, "--target", "gfx942", "--device", "triton"]
told = document(*TRITON, code=7, FUSELAB_PYTHON=str(python))
check([(model["target"], model["backend"], model["matcher"]) for model in told["models"]] == [("sm_90", "triton", "interpreter"), ("gfx942", "triton", "interpreter")],
      f"who writes for them: {told['models']}")
(made,) = [piece for piece in told["models"][0]["pieces"] if piece["compiled"]]
check(made["resources"]["shared_bytes"] == 2048 and made["resources"]["registers"] == 40 and made["result"] == "wrong", f"by Triton: {made}")
dies = document(*TRITON, "--no-match", code=3, FUSELAB_PYTHON=str(python), STAND_IN_DIES="1")
check(any("SIGABRT" in piece.get("reason", "") for piece in dies["models"][0]["pieces"]), f"the helper's end is not told: {dies['models'][0]['pieces']}")
both = survey(*WORDS, "--no-match", "--device", "cuda", "--device", "triton", FUSELAB_PYTHON=str(python))
check(both.returncode == 0 and "Backends side by side" in both.stdout, f"two backends: {both.returncode} {both.stdout}{both.stderr}")
lines = [line.split(" sm_90 ")[1].split()[:3] for line in both.stdout.split("Backends side by side")[-1].splitlines() if " sm_90 " in line]
check(lines == [["cuda", "2", "1"], ["triton", "2", "1"]], f"{lines}")
nowhere = document(*TRITON, code=6, FUSELAB_PYTHON="/nonexistent/python3")
check("/nonexistent/python3" in nowhere["error"]["message"], f"without a Python: {nowhere['error']}")

# Inductor by the same program: it writes one kernel and three calls of libraries for whatever it is given.
INDUCTOR = ["graph(x: f32[4,8], y: f32[8,2]) { p = MatMul(x, y); return p }", "--compile-only", "--device", "inductor"]
(told,) = document(*INDUCTOR, "--target=sm_100", FUSELAB_PYTHON=str(python))["models"]
(made,) = told["pieces"]
check(made["result"] == "compiled" and made["kernels"] == [{"name": "triton_poi_fused_0", "launches": 2, "configs": 3, "warps": 4, "registers": 24,
                                                            "shared_bytes": 512, "spill_bytes": 8, "code_bytes": 5}], f"by Inductor: {made}")
check(made["resources"] == {"kernels": 1, "calls": 3, "calls.addmm": 1, "calls.mm": 2, "code_bytes": 5, "spill_bytes": 8}, f"{made['resources']}")
check((told["totals"]["kernels"], told["totals"]["library_calls"], told["totals"]["spilling"]) == (1, 3, 1), f"{told['totals']}")
shown = survey(*INDUCTOR, "--target=sm_100", FUSELAB_PYTHON=str(python)).stdout
check("1 addmm, 2 mm" in shown and "triton_poi_fused_0" in shown and "1 Triton kernel, 3 calls of libraries" in shown and "which nothing here runs" in shown, shown)
undescribed = document(*INDUCTOR, "--target=sm_75", code=6, FUSELAB_PYTHON=str(python))
check("no description of a device of sm_75" in undescribed["error"]["message"], f"{undescribed['error']}")


def product(depth, *targets):
    """The words that compile one product of matrices with XLA."""
    graph = f"graph(x: f32[4,{depth}], y: f32[{depth},2]) {{ p = MatMul(x, y); return p }}"
    return [graph, "--compile-only", "--device", "xla", *(f"--target={target}" for target in targets)]


def check_xla(plugin):
    """XLA by a plugin that stands in for those of CUDA and TPU; none for the processor."""
    plugins = {"FUSELAB_LIB_XLA": "/nonexistent/cpu.so", "FUSELAB_LIB_XLA_CUDA": plugin, "FUSELAB_LIB_XLA_TPU": plugin}
    told = document(*product(8, "sm_90a", "tpu-v6e"), **plugins)
    check([(model["target"], model["backend"], model["compiler"]) for model in told["models"]] ==
          [("sm_90a", "xla", "xla-cuda 0.115"), ("tpu-v6e", "xla", "xla-tpu 0.115")], f"{told['models']}")
    cuda, tpu = (model["pieces"][0] for model in told["models"])
    check(cuda["result"] == tpu["result"] == "compiled", f"{cuda} {tpu}")
    check(cuda["resources"] == {"argument_bytes": 192, "output_bytes": 32, "temporary_bytes": 64, "fusions": 2, "fusions.loop": 1, "fusions.triton_gemm": 1,
                                "calls.__cublas$gemm": 1}, f"{cuda['resources']}")
    check("vendor_estimate" not in cuda and tpu["vendor_estimate"]["source"] == "libtpu's optimal_seconds" and
          abs(tpu["vendor_estimate"]["estimated_ns"] - 2000) < 1, f"{tpu}")
    shown = survey(*product(8, "tpu-v6e"), **plugins).stdout
    check("vendor's estimate" in shown and "2.00 µs" in shown and "1 loop, 1 triton_gemm; calls 1 __cublas$gemm" in shown, shown)
    check("It is no time." in shown and "spill" not in shown and "registers" not in shown, shown)
    check("estimate" not in survey(*product(8, "sm_90"), **plugins).stdout, "an estimate where there is none")

    refused = document(*product(19, "sm_90"), code=3, **plugins)
    check("no luck" in refused["models"][0]["pieces"][0]["reason"], f"{refused}")
    killed = document(*product(13, "tpu-v5e"), code=3, **plugins)
    check("SIGSEGV" in killed["models"][0]["pieces"][0]["reason"], f"{killed}")
    missing = document(*product(8, "sm_90"), code=6, **{**plugins, "FUSELAB_LIB_XLA_CUDA": "/nonexistent/cuda.so"})
    check("/nonexistent/cuda.so not found" in missing["error"]["message"], f"{missing['error']}")
    undescribed = document(*product(8, "sm_75"), code=6, **plugins)
    check("no description of a device of sm_75" in undescribed["error"]["message"], f"{undescribed['error']}")

    (xla,) = [each for each in json.loads(home.run("devices", "--json", **plugins).stdout)["backends"] if each["id"] == "xla"]
    check(xla["capabilities"]["foreign_targets"].get("tpu-v5e") == "compiled by xla-tpu 0.115, which only compiles", f"{xla}")
    check("sm_80, sm_90, sm_90a: compiled by xla-cuda 0.115, which only compiles" in home.run("devices", **plugins).stdout, "devices")


if len(sys.argv) > 3:
    check_xla(sys.argv[3])


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
