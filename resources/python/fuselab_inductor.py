# SPDX-License-Identifier: Apache-2.0
"""PyTorch's Inductor, ahead of time, for this processor."""
import json
import os
import re
import sys
import zipfile

from fuselab_common import Refused, output_of
from fuselab_plan import PlanOfCalls
from fuselab_torch import CXX, import_torch, torch_folder


def version_of_triton():
    """Triton is not imported either. It alone compiles for CUDA."""
    import importlib.util
    spec = importlib.util.find_spec("triton")
    if spec is None or spec.origin is None:
        return ""
    with open(spec.origin) as file:
        found = re.search(r"^__version__ = ['\"]([\w.+]+)", file.read(), re.MULTILINE)
    return found.group(1) if found else ""


def inductor_about(request, blob, state):
    folder, known = torch_folder(), {}
    try:
        with open(os.path.join(folder, "version.py")) as file:
            exec(file.read(), known)
    except (OSError, SyntaxError) as failure:
        raise Refused("missing", f"{folder} is no whole PyTorch: {failure}") from failure
    lines = output_of(CXX, "--version").splitlines()
    if not lines:
        raise Refused("missing", f"Inductor compiles with {CXX}, which does not start: sudo apt install g++")
    return {"torch": str(known.get("__version__", "")), "git": str(known.get("git_version") or ""), "cxx": lines[0],
            "triton": version_of_triton(), "library": os.path.join(folder, "lib", "libtorch_cpu.so"),
            "python": ".".join(map(str, sys.version_info[:2]))}, b""


def inductor_compile(request, blob, state):
    torch = import_torch(request["kept"], state)
    plan = PlanOfCalls(torch, request["plan"])
    package = os.path.join(state["cache"], "model.pt2")
    try:
        torch.set_num_threads(request["threads"])
        with torch.no_grad():
            program, _ = plan.exported(plan.into_given, request["plan"]["arguments"])
            torch._inductor.aoti_compile_and_package(
                program, package_path=package,
                inductor_configs={"aot_inductor.link_libtorch": False, "aot_inductor.precompile_headers": False, **request["options"]})
        with zipfile.ZipFile(package) as archive:
            library, notes = ([name for name in archive.namelist() if name.endswith(end)] for end in (".so", "_metadata.json"))
            if len(library) != 1 or not notes:
                raise Refused("compile", "Inductor's package is another than was expected: " + ", ".join(archive.namelist()))
            code, metadata = archive.read(library[0]), json.loads(archive.read(notes[0]))
    except Refused:
        raise
    except Exception as failure:
        kind = "io" if isinstance(failure, OSError) else "memory" if isinstance(failure, MemoryError) else "compile"
        raise Refused(kind, f"{type(failure).__name__}: {failure}") from failure
    isa = str(metadata.get("AOTI_CPU_ISA", ""))
    if "INVALID" in isa:
        raise Refused("compile", "Inductor found no vector instructions, and its code would be scalar")
    return {"isa": isa}, code
