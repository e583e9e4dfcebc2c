#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom against the layer table of resources/docs/architecture.md. Exit 1 and one line per violation."""
import pathlib
import re
import sys

CORE = ["core/base", "core/graph", "core/kernel", "core/tuning", "core/fusion", "core/measure", "core/compare", "core/check", "core/backend", "core/select"]
# room → rooms it may include (its own is always allowed). The longest matching prefix decides.
MAY_SEE = {
    **{room: CORE for room in CORE},
    "core/import": CORE + ["core/platform"],
    "core/platform": CORE,
    "backends": CORE + ["core/platform"],
    "backends/codegen": CORE,
    "tuner": CORE,
    "db": CORE + ["core/platform"],
    "profiler": CORE,
    "app/wire": CORE,
    "app/worker": CORE + ["core/platform", "backends", "profiler", "app/wire"],
    "app/reports": CORE,
    "app/session": CORE + ["core/import", "core/platform", "tuner", "db", "profiler", "app/wire", "app/reports"],
    "app/cli": CORE + ["core/platform", "app/session", "app/reports"],
    "app/gui": CORE + ["app/session"],
}
# system headers only some rooms may use: pattern → rooms
FENCED = [
    (r"<(Q[A-Z]\w*|Qt\w+)", ["app/gui"]),
    (r"<(sqlite3|SQLiteCpp|sodium)", ["db"]),
    (r"<google/protobuf", ["core/import"]),
    (r"<(cuda|nvrtc|cupti|hip/|CL/)", []),
    (r"<(nlohmann/|CLI/|zstd|toml\+\+/|tinyxml2)", ["app", "db", "tuner", "profiler"]),
    (r"<(unistd|fcntl|dlfcn|spawn|sched|poll)\.h>|<sys/|<linux/", ["core/platform", "backends", "db", "app/worker"]),
]


def room_of(path):
    matches = [room for room in MAY_SEE if path == room or path.startswith(room + "/")]
    if not matches:
        return None
    room = max(matches, key=len)
    vendor = re.match(r"backends/(\w+)/", path)
    return f"backends/{vendor.group(1)}" if room == "backends" and vendor else room


def may_see(room, other):
    if room == other:
        return True
    if room == "backends":  # builtin_backends.cpp: the explicit list
        return other.startswith("backends/") or other in CORE
    if room.startswith("backends/"):
        return other in MAY_SEE["backends"] or other in ("backends/codegen", "backends/gpu", "backends/host", "backends/loading", "backends/sensors")
    allowed = MAY_SEE.get(room, [])
    return any(other == entry or other.startswith(entry + "/") for entry in allowed)


def violations(path, text):
    room = room_of(path)
    if room is None:
        return
    for number, line in enumerate(text.splitlines(), 1):
        include = re.match(r'\s*#\s*include\s*(["<][^">]+[">])', line)
        if not include:
            continue
        name = include.group(1)
        target = name[1:-1]
        if name[0] == '"':
            other = room_of(target)
            if other and not may_see(room, other):
                yield f"{path}:{number}: {room} may not see {other} ({target})"
        for pattern, rooms in FENCED:
            if re.match(pattern, name) and not any(path.startswith(entry + "/") for entry in rooms):
                yield f"{path}:{number}: {name} is not for {room}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    found = []
    files = 0
    for top in ["core", "backends", "tuner", "profiler", "db", "app"]:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in {".h", ".cpp", ".inc"}:
                files += 1
                found += violations(str(path.relative_to(root)), path.read_text(encoding="utf-8"))
    print("\n".join(found) if found else f"layers hold in {files} files")
    return 1 if found or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
