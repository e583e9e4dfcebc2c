#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""export_modules_test.py PROGRAM: `fuselab export --format triton` writes modules of Python that a program imports and launches from. A
stand-in for Python compiles; a stand-in for Triton notes what a module launches."""
import importlib.util
import json
import pathlib
import shutil
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from fresh_home import FreshHome  # noqa: E402

(program,) = sys.argv[1:]
home = FreshHome(program)
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
    if request["do"] == "triton.about":
        send({"ok": True, "triton": "9.9", "ptxas": "1.2", "ptxas-blackwell": "3.4"})
    elif os.environ.get("STAND_IN_REFUSES"):
        send({"ok": False, "kind": "compile", "reason": "no such instruction"})
    else:
        send({"ok": True, "format": "cubin", "shared_bytes": 2048, "registers": 40, "parameters": len(request["signature"]) + 2}, b"a cubin")
"""
python = home.folder / "stand-in"
python.write_text(STAND_IN, encoding="utf-8")
python.chmod(0o700)
GRAPH = "graph(x: f32[8,16], p: param f32[16]) { s = Add(x, p); y = Relu(s); return y }"
failures, launched = [], []


def check(holds, what):
    if not holds:
        failures.append(what)


def export(*words, code=0, **more):
    finished = home.run("export", *words, "--format", "triton", "--json", FUSELAB_PYTHON=str(python), **more)
    check(finished.returncode == code, f"{words} ends with {finished.returncode}, not {code}: {finished.stdout[-600:]}{finished.stderr}")
    return json.loads(finished.stdout)


class Kernel:
    def __init__(self, function):
        self.name = function.__name__

    def __getitem__(self, grid):
        return lambda *tensors, **options: launched.append((self.name, grid, tensors, options))


class Tensor:
    def __init__(self, *shape, dtype="torch.float32"):
        self.shape, self.dtype = shape, dtype

    def is_contiguous(self):
        return True


def imported(path):
    triton, language = types.ModuleType("triton"), types.ModuleType("triton.language")
    triton.jit, triton.language = Kernel, language
    sys.modules.update({"triton": triton, "triton.language": language})
    spec = importlib.util.spec_from_file_location("exported", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


told = export(GRAPH, "--target", "sm_90a", "--to", "relu.py")
(piece,) = told["pieces"]
check(not piece["measured"] and piece["module"] == "relu.py" and piece["binary"] == "relu.cubin" and not piece["reason"], f"what was written: {piece}")
module = imported(home.folder / "relu.py")
for word in ("sm_90a", "float32(8, 16)", piece["configuration"], "never measured", "read", "written"):
    check(word in module.__doc__, f"its docstring lacks {word}: {module.__doc__}")
tensors = Tensor(8, 16), Tensor(16), Tensor(8, 16)
module.launch(*tensors)
configuration = dict(pair.split("=") for pair in piece["configuration"].split(","))
check(launched == [("fuselab_kernel", module.GRID, tensors,
                    {"num_warps": int(configuration["warps"]), "num_stages": 1, "enable_fp_fusion": True})], f"launched: {launched}")
for wrong in ((Tensor(16, 8), *tensors[1:]), (Tensor(8, 16, dtype="torch.float16"), *tensors[1:])):
    try:
        module.launch(*wrong)
        check(False, "another shape or type was taken")
    except ValueError as refused:
        check("float32" in str(refused) and "(8, 16)" in str(refused), f"refused with: {refused}")
check((home.folder / "relu.cubin").read_bytes() == b"a cubin", "the binary is another")
data = json.loads((home.folder / "relu.json").read_text(encoding="utf-8"))
check(data["entry"] == "fuselab_kernel" and data["dynamic_shared_bytes"] == 2048 and data["grid"] == [*module.GRID, 1, 1] and
      data["block"] == [32 * int(configuration["warps"]), 1, 1] and
      [each["kind"] for each in data["parameters"]] == ["buffer"] * 3 + ["null-pointer"] * 2, f"launch data: {data}")
before = (home.folder / "relu.py").read_bytes()
export(GRAPH, "--target", "sm_90a", "--to", "relu.py")
check((home.folder / "relu.py").read_bytes() == before, "the same kernel gives another text")

told = export("w3", "w5", "--shape", "rows=16,cols=64", "--target", "sm_90a", "--to", "kernels/")
check(len({piece["module"] for piece in told["pieces"]}) == len(told["pieces"]) >= 2, f"modules of a folder: {told['pieces']}")
for piece in told["pieces"]:
    imported(home.folder / piece["module"])

told = export(GRAPH, "--target", "sm_90a", "--to", "alone.py", STAND_IN_REFUSES="1")
check(told["pieces"][0]["module"] == "alone.py" and not told["pieces"][0]["binary"] and "no such instruction" in told["pieces"][0]["reason"],
      f"what does not compile: {told}")
check("--target" in export(GRAPH, "--to", "x.py", code=6)["error"]["message"], "without a GPU and a target")
check("folder" in export("w3", "w5", "--target", "sm_90a", "--to", "x.py", code=2)["error"]["message"], "several kernels in one file")
finished = home.run("export", GRAPH, "--format", "header", "--target", "sm_90a", "--to", "x.h")
check(finished.returncode == 2 and "--format header" in finished.stderr, f"a target for a header: {finished.stderr}")

# A bundle for the CPU that holds kernels for GPUs beside.
bundle = ("export", GRAPH, "--allow-unconfirmed", "--target", "sm_80", "--target", "sm_90a", "--to", "gpu.fuselab", "--json")
finished = home.run(*bundle, FUSELAB_PYTHON=str(python))
check(finished.returncode == 0, f"a bundle with kernels for GPUs: {finished.stdout[-600:]}{finished.stderr}")
kernels = json.loads(home.run("inspect", "gpu.fuselab", "--json").stdout)["gpu_kernels"]
check([kernel["target"] for kernel in kernels] == ["sm_80", "sm_90a"], f"targets: {kernels}")
for kernel in kernels:
    check(kernel["format"] == "cubin" and kernel["entry"] == "fuselab_kernel" and kernel["shared_bytes"] == 2048 and
          kernel["configured"] == "default" and [each["role"] for each in kernel["parameters"]] == ["in", "in", "out", "null", "null"],
          f"a kernel for a GPU: {kernel}")
check("kernel for a GPU" in home.run("inspect", "gpu.fuselab").stdout, "inspect shows no kernels for GPUs")
finished = home.run(*bundle[:-1], FUSELAB_PYTHON=str(python), STAND_IN_REFUSES="1")
check(finished.returncode == 6 and "no piece has a kernel for sm_80" in finished.stderr, f"no kernel at all: {finished.stderr}")

print("\n".join(failures) if failures else "modules are imported, launch what they say and refuse other tensors")
shutil.rmtree(home.folder)
sys.exit(1 if failures else 0)
