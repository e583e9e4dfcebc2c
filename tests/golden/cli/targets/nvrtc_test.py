#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nvrtc_test.py PROGRAM FAKE_NVRTC: what `backends`, `doctor` and `devices` say of NVRTC where there is none and where there is one, without a
driver. $FUSELAB_NVRTC_WHEELS names a folder with the wheels of the manifest: then they are installed from there, and compile for a
target, and nothing takes their place once they were changed."""
import json
import os
import pathlib
import shutil
import sys

from fresh_home import FreshHome

program, nvrtc = sys.argv[1:]
home = FreshHome(program)
NO_DRIVER = {"FUSELAB_LIB_CUDA": "/nonexistent/libcuda.so.1"}
WITH = {**NO_DRIVER, "FUSELAB_LIB_NVRTC": nvrtc}
WITHOUT = {**NO_DRIVER, "FUSELAB_LIB_NVRTC": "/nonexistent/libnvrtc.so.13"}
INSTALL = ["backends", "install", "nvrtc", "--yes"]
TUNE = ["tune", "w5", "--shape", "rows=256,cols=1024", "--compile-only", "--target", "sm_90", "--trials", "2", "--json"]
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def finding(**variables):
    document = json.loads(home.run("doctor", "--json", **variables).stdout)
    rows = [row for row in document["findings"] if row["subject"] == "NVRTC"]
    check(len(rows) == 1, f"doctor has {len(rows)} rows of NVRTC")
    return rows[0]


def listed():
    document = json.loads(home.run("backends", "list", "--json", **NO_DRIVER).stdout)
    return next(stack for stack in document["stacks"] if stack["backend"] == "nvrtc")


def cuda(**variables):
    document = json.loads(home.run("devices", "--json", **variables).stdout)
    return next(backend for backend in document["backends"] if backend["id"] == "cuda")


row = finding(**WITHOUT)
check(row["health"] == "doubtful" and "not found" in row["found"], f"without it doctor says {row}")
check("`fuselab backends install nvrtc --accept-licence`" in row["advice"], f"doctor advises {row['advice']}")
row = finding(**WITH)
check(row["health"] == "good" and row["found"].startswith(f"nvrtc 12.9, {nvrtc}; "), f"with it doctor says {row}")
check("nvdisasm" in row["found"] and "cuobjdump" in row["found"], f"doctor does not say whether the programs are there: {row}")

stack = listed()
check(stack["state"] == "absent" and not stack["free"], f"the list says {stack}")
check([each["package"] for each in stack["packages"]] == ["nvidia-cuda-nvrtc", "nvidia-cuda-nvdisasm", "nvidia-cuda-cuobjdump"], f"packages: {stack}")
check(sum(each["download_bytes"] for each in stack["packages"]) == stack["download_bytes"], f"sizes: {stack}")
refused = home.run(*INSTALL)
check(refused.returncode == 2 and "--accept-licence says that you accept it" in refused.stderr, f"unaccepted: {refused.stderr}")
unfetched = home.run(*INSTALL, "--accept-licence")
check(unfetched.returncode == 6 and "nvidia-cuda-nvrtc==" in unfetched.stderr, f"an empty index: {unfetched.returncode} {unfetched.stderr}")
check(listed()["state"] == "absent", "something of a failed installation was left")

# Without a device the types, and what can be done for targets.
without, beside = cuda(**WITHOUT), cuda(**WITH)
check(not without["capabilities"]["dtypes"] and not without["capabilities"]["autotuning"] and "compiler" not in without, f"no compiler: {without}")
check(beside["capabilities"]["dtypes"] == ["f64", "f32", "f16", "bf16", "i64", "i32", "bool"] and beside["capabilities"]["autotuning"], f"compiler alone: {beside}")
check(beside["compiler"] == {"name": "nvrtc 12.9", "file": nvrtc} and not beside["usable"], f"compiler alone: {beside}")
shown = home.run("devices", **WITH).stdout
check("    without a device: kernels of f64, f32, f16, bf16, i64, i32, bool; `fuselab tune --compile-only --target` ranks their configurations\n" in shown, shown)
shown = home.run("devices", **WITHOUT).stdout
of_cuda = shown[shown.index("NVIDIA CUDA"):].split("\n")[1]  # another backend may compile for devices that are not here
check("without a device" not in of_cuda, f"promises kernels without a compiler: {shown}")

wheels = os.environ.get("FUSELAB_NVRTC_WHEELS")
if wheels:
    finished = home.run(*INSTALL, "--accept-licence", PIP_FIND_LINKS=wheels)
    check(finished.returncode == 0, f"install ends with {finished.returncode}: {finished.stderr}")
    stack = listed()
    check(stack["state"] == "installed" and "remark" not in stack, f"the list says {stack}")
    folder = home.folder / "fuselab/backends/nvrtc" / stack["version"]
    row = finding(**NO_DRIVER)
    check(row["found"] == f"nvrtc 13.2, {folder}/nvidia/cu13/lib/libnvrtc.so.13; nvdisasm and cuobjdump found", f"doctor says {row}")
    check(finding(**WITH)["found"].startswith("nvrtc 12.9"), "what the user named is not taken first")
    tuned = home.run(*TUNE, **NO_DRIVER)
    made = [config for piece in json.loads(tuned.stdout).get("pieces", []) for config in piece["configs"] if "failure" not in config]
    check(tuned.returncode == 0 and made, f"nothing compiled: {tuned.stdout[:300]}{tuned.stderr}")
    with open(next(pathlib.Path(folder).glob("nvidia/cu13/lib/libnvrtc-builtins*")), "ab") as library:
        library.write(b"\0")
    row = finding(**NO_DRIVER)
    check("`fuselab backends remove nvrtc` and install it again" in row["found"], f"of a changed one doctor says {row}")
    check(home.run("backends", "remove", "nvrtc").returncode == 0 and not folder.exists(), "remove leaves it")
told = "installed, found and compiling" if wheels else "SKIPPED: FUSELAB_NVRTC_WHEELS names no folder of NVRTC's wheels; 1 case"
print("\n".join(failures) if failures else f"NVRTC where there is none and where there is one; {told}")
shutil.rmtree(home.folder)
sys.exit(1 if failures else 0)
