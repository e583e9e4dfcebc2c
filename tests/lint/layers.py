#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom against the layer table of resources/docs/architecture.md. Exit 1 and one line per violation."""
import pathlib
import re
import sys

# Rooms in the order in which they stand on each other: a room sees those before it in its own row, and none above it.
ORDER = {
    "core": ["base", "stacks", "contraction", "extents", "fields", "memory", "types", "ops", "graph", "stats", "changes", "kernel", "cost", "tensor", "workloads", "reference/operators", "reference", "fusion/match", "fusion/written_out", "fusion/fold",
             "fusion/partition", "fusion/explain", "tuning", "measure/ceilings", "measure", "measure/loop", "profile", "backend", "store", "select", "gate"],
    "core/platform": ["system", "processes", "files", "machine"],
    "core/import": ["models", "constants", "wire", "reader", "compositions", "nodes", "evaluation", ""],
    "backends/codegen": ["ir", "emit", "rows", "forms", "scalar", "own", "cpu/attention", "cpu/convolution", "cpu/integers", "cpu/recurrence", "cpu", "matrix", "matrix/product", "matrix/attention", "simt"],
    "tuner": ["strategies", "", "formats"],
    "profiler": ["trace", "static", "host", "device", "verdict", ""],
    "db": ["connection", "rows", "positions", "upkeep", ""],
    "app/worker": ["reference", "block", "bundle", "emulation", "profile", ""],
    "app/engine": ["toml", "tensors", "own", "stacks", "workers", "subject", "job", "kernels", "offers", "measure", "compare/table", "compare/standing", "compare", "compare/runs", "tune", "measure_job", "", "execute/given", "execute", "profile"],
    "app/deploy": ["bundle", "modules", "plan", "trials", "", "verify"],
    "app/gate": ["source", "history", "commands", "baseline", "judge", "selftest", "check"],
    "app/cli": ["shell", "output", "output/bundles", "output/jobs", "output/profiles", "output/surveys", "steps", "verbs/measure", "verbs/results", "verbs/gate", "verbs/look", "verbs/care", ""],
    "app/gui": ["look", "tables", "link", "models", "graph", "plots/drawing", "plots", "profiles", "parts", "pages", "pages/compare", "pages/decide", "pages/devices", "pages/diff", "pages/export", "pages/gate", "pages/history", "pages/models", "pages/profile", "pages/results", "pages/runs",
                "pages/tuning", "shell", ""],
}
# What a group of rooms sees besides its own: another group, which stands for the rooms of its own row and not for the groups below it,
# or one room of it.
SEES = {
    "core": [],
    "core/platform": ["core"],
    "core/import": ["core", "core/platform"],
    "backends": ["core", "core/platform"],
    "backends/codegen": ["core"],
    "tuner": ["core"],
    "db": ["core", "core/platform"],
    "profiler": ["core", "core/platform"],
    "app/views": ["core"],
    "app/reports": ["core"],
    "app/wire": ["core"],
    "app/worker": ["core", "core/platform", "backends", "profiler", "app/wire"],
    "app/engine": ["core", "core/import", "core/platform", "tuner", "db", "profiler", "app/wire", "app/views"],
    "app/gate": ["core", "core/platform", "db/connection", "app/engine", "app/reports", "app/views", "app/wire"],
    "app/deploy": ["core", "core/platform", "db/connection", "app/engine", "app/views"],
    "app/cli": ["core", "core/platform", "app/deploy", "app/engine", "app/gate", "app/reports", "app/views"],
    "app/gui": ["core", "profiler/trace", "app/deploy", "app/engine", "app/gate", "app/views"],
}
# Seen by every vendor, and each by those after it; the vendors are blind to each other.
SHARED_BACKENDS = ["loading", "sensors", "host", "gpu", "gpu/stream", "gpu/guests", "cuda/abi", "cuda/driver", "cuda/compiler", "cuda/guests", "library", "library/host", "library/stream", "onnx", "native", "emulator", "rocm/abi", "rocm/driver", "rocm/compiler", "rocm/guests", "python", "torch"]
# Those of them that are not for every vendor: only these see them. A vendor whose driver has streams joins the first; Triton's kernels and
# PyTorch's run on CUDA's driver, and Inductor compiles what torch lowers.
OPEN_TO = {"gpu/stream": ["cuda", "cuda/abi", "cuda/driver", "cuda/guests", "gpu/guests", "library/stream", "rocm", "rocm/abi", "rocm/driver", "rocm/guests", "torch_cuda"],
           "gpu/guests": ["cuda/guests", "library/stream", "rocm/guests"], "cuda/abi": ["cuda", "cuda/driver", "cuda/compiler"], "cuda/driver": ["cuda", "cuda/compiler", "cuda/guests"],
           "cuda/compiler": ["cuda", "cuda/guests"], "cuda/guests": ["torch_cuda", "triton"], "rocm/abi": ["rocm", "rocm/driver", "rocm/compiler"], "rocm/driver": ["rocm", "rocm/compiler", "rocm/guests"],
           "rocm/compiler": ["rocm", "rocm/guests"], "rocm/guests": ["hipblaslt", "miopen", "rocblas"], "torch": ["inductor", "torch_cuda"]}
TOPS = ["core", "backends", "tuner", "profiler", "db", "app"]
GENERATED = r"embedded/[\w/]+\.h$|onnx_subset\.pb\.h$|source_commit_text\.h$"
# system headers only some rooms may use: pattern → rooms
FENCED = [
    (r"<(Q[A-Z]\w*|Qt\w+)", ["app/gui"]),
    (r"<(sqlite3|SQLiteCpp|sodium)", ["db"]),
    (r"<google/protobuf", ["core/import"]),
    (r"<zlib", ["app/engine/tensors"]),
    (r"<(cuda|nvrtc|cupti|hip/|CL/)", []),
    (r"<(nlohmann/|CLI/|zstd|toml\+\+/|tinyxml2)", ["app", "backends/inductor", "backends/python", "backends/rocm", "backends/triton", "db", "tuner", "profiler"]),
    (r"<(unistd|fcntl|dlfcn|spawn|sched|poll)\.h>|<sys/|<linux/", ["core/platform", "backends", "db", "app/worker", "profiler/host"]),
]


def group_of(path):
    """The longest name of SEES that the path lies below; None outside of the product."""
    return max((group for group in SEES if path.startswith(group + "/")), key=len, default=None)


def room_of(path):
    """(group, place in its row or None, name for people); a vendor's folder in backends is one room, a shared one may hold others."""
    group = group_of(path)
    if group is None:
        return None
    folder = path.rpartition("/")[0][len(group) + 1:]
    if group == "backends":
        parts = folder.split("/")
        folder = "/".join(parts[:2]) if "/".join(parts[:2]) in SHARED_BACKENDS else parts[0]
    name = f"{group}/{folder}".rstrip("/")
    row = ORDER.get(group)
    if row is None:
        return group, folder, name
    if folder not in row:
        raise SystemExit(f"{path}: {name} has no place in ORDER (tests/lint/layers.py)")
    return group, row.index(folder), name


def may_see(room, other):
    if room[0] == other[0]:
        if room[0] == "backends":  # builtin_backends.cpp, in no folder, lists them all
            if room[1] != other[1] and room[1] not in OPEN_TO.get(other[1], [room[1]]):
                return False
            if room[1] in SHARED_BACKENDS and other[1] in SHARED_BACKENDS:
                return SHARED_BACKENDS.index(other[1]) <= SHARED_BACKENDS.index(room[1])
            return room[1] in ("", other[1]) or other[1] in SHARED_BACKENDS
        return room[1] == other[1] or (room[0] in ORDER and other[1] < room[1])
    if room[0] == "backends" and other[0] == "backends/codegen":
        return True
    return other[0] in SEES[room[0]] or other[2] in SEES[room[0]]


def violations(path, text):
    room = room_of(path)
    if room is None:
        yield f"{path}:1: stands in no room of SEES (tests/lint/layers.py)"
        return
    for number, line in enumerate(text.splitlines(), 1):
        include = re.match(r'\s*#\s*include\s*(["<][^">]+[">])', line)
        if not include:
            continue
        name = include.group(1)
        target = name[1:-1]
        if target.split("/")[0] in TOPS:
            other = room_of(target)
            if name[0] == "<" or other is None or not may_see(room, other):
                yield f"{path}:{number}: {room[2]} may not see {other[2] if other else 'what stands in no room'} ({target})"
        elif name[0] == '"' and not re.match(GENERATED, target):
            yield f"{path}:{number}: {name} is neither a path from the root nor generated"
        for pattern, rooms in FENCED:
            if re.match(pattern, f"<{target}>") and not any(path.startswith(entry + "/") for entry in rooms):
                yield f"{path}:{number}: {name} is not for {room[2]}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    found = []
    files = 0
    for top in TOPS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in {".h", ".cpp", ".inc", ".def"}:
                files += 1
                found += violations(str(path.relative_to(root)), path.read_text(encoding="utf-8"))
    print("\n".join(found) if found else f"layers hold in {files} files")
    return 1 if found or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
