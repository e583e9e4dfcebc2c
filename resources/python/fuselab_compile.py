# SPDX-License-Identifier: Apache-2.0
"""Compiles for Fuselab what only Python can compile. Fuselab starts it and speaks with it; a user never does.

  python3 -I -B fuselab_compile.py DESCRIPTOR CACHE compile|interpret [PACKAGES]

DESCRIPTOR is an open socket. A message on it, either way, is two 32-bit numbers (little-endian: the bytes of the JSON, the bytes
behind it), a JSON object, and raw bytes. Standard output and error belong to the libraries. CACHE is a folder of this process alone.
PACKAGES are folders of unpacked wheels: behind Python's standard library, in front of the packages that it has. Requests name what to
`do`, a row of REQUESTS; an answer has `ok`, or a `kind` and a `reason`. The first message, without a request, says which Python this is.
"""
import json
import os
import socket
import struct
import sys

own_folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, own_folder)
from fuselab_common import Refused  # noqa: E402
from fuselab_cuda import inductor_compile_cuda  # noqa: E402
from fuselab_inductor import inductor_about, inductor_compile  # noqa: E402
from fuselab_triton import triton_about, triton_compile, triton_interpret  # noqa: E402
sys.path.remove(own_folder)  # caches are folders in it, named as packages are

PROTOCOL = 1
OLDEST_PYTHON = (3, 11)
LARGEST_MESSAGE = 1 << 31
LONGEST_REASON = 4000
# All that survives of the user's environment: what finds programs and libraries, and the language of texts. Compilers read
# variables of many prefixes (TRITON_, AMDGCN_, NVPTX_, MLIR_, LLVM_, ...), and each version reads new ones.
KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE")


# ---- messages --------------------------------------------------------------------------------------------------------------------
def receive_exactly(channel, size):
    data = bytearray()
    while len(data) < size:
        part = channel.recv(min(size - len(data), 1 << 20))
        if not part:
            return None
        data += part
    return bytes(data)


def receive(channel):
    head = receive_exactly(channel, 8)
    if head is None:
        return None, b""
    text, raw = struct.unpack("<II", head)
    if text > LARGEST_MESSAGE or raw > LARGEST_MESSAGE:
        raise SystemExit("a message is too long")
    body, blob = receive_exactly(channel, text), receive_exactly(channel, raw)
    if body is None or blob is None:
        return None, b""
    return json.loads(body), blob


def send(channel, message, blob=b""):
    text = json.dumps(message).encode()
    channel.sendall(struct.pack("<II", len(text), len(blob)) + text + blob)


# What can be asked for: the function, and the mode that the process must have been started in; "": either.
REQUESTS = {
    "inductor.about": (inductor_about, ""),
    "inductor.compile": (inductor_compile, "compile"),
    "inductor.compile_cuda": (inductor_compile_cuda, "compile"),
    "triton.about": (triton_about, ""),
    "triton.compile": (triton_compile, "compile"),
    "triton.interpret": (triton_interpret, "interpret"),
}


def answer(channel, request, blob, state):
    name = request.get("do", "")
    try:
        if name not in REQUESTS:
            raise Refused("unsupported", f"this helper knows no request '{name}'")
        function, mode = REQUESTS[name]
        if mode not in ("", state["mode"]):
            raise Refused("internal", f"'{name}' needs a process that was started to {mode}")
        made, data = function(request, blob, state)
        send(channel, {"ok": True, **made}, data)
    except Refused as refusal:
        send(channel, {"ok": False, "kind": refusal.kind, "reason": str(refusal)[:LONGEST_REASON]})
    except MemoryError:
        send(channel, {"ok": False, "kind": "memory", "reason": "Python ran out of memory"})
    except Exception as failure:
        words = f"{type(failure).__name__}: {failure}"
        send(channel, {"ok": False, "kind": "internal", "reason": words[:LONGEST_REASON]})


def prepare(cache, mode, packages):
    """Nothing of the user's settings changes what is compiled, and nothing is written outside of the cache."""
    for name in set(os.environ) - set(KEPT_VARIABLES):
        del os.environ[name]
    os.environ.update({"TRITON_CACHE_DIR": os.path.join(cache, "triton"), "TRITON_HOME": cache, "HOME": cache, "TMPDIR": cache,
                       "TORCHINDUCTOR_CACHE_DIR": os.path.join(cache, "inductor"), "TORCHINDUCTOR_COMPILE_THREADS": "1",
                       "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"})
    if mode == "interpret":
        os.environ["TRITON_INTERPRET"] = "1"
    own = (place for place, folder in enumerate(sys.path) if folder.endswith("-packages"))
    at = next(own, len(sys.path))
    sys.path[at:at] = packages


def main():
    descriptor, cache, mode, *packages = sys.argv[1:]
    channel = socket.socket(fileno=int(descriptor))
    if sys.version_info < OLDEST_PYTHON:
        oldest, own = ".".join(map(str, OLDEST_PYTHON)), sys.version.split()[0]
        send(channel, {"ok": False, "kind": "missing", "reason": f"{sys.executable} is Python {own}; {oldest} or newer is needed"})
        return
    prepare(cache, mode, packages)
    send(channel, {"ok": True, "protocol": PROTOCOL, "python": sys.version.split()[0], "program": sys.executable})
    state = {"cache": cache, "mode": mode}
    while True:
        request, blob = receive(channel)
        if request is None:
            return
        answer(channel, request, blob, state)


if __name__ == "__main__":
    main()
