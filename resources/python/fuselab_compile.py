# SPDX-License-Identifier: Apache-2.0
"""Compiles for Fuselab what only Python can compile. Fuselab starts it and speaks with it; a user never does.

  python3 -I -B fuselab_compile.py DESCRIPTOR CACHE compile|interpret [PACKAGES]

DESCRIPTOR is an open socket. A message on it, either way, is two 32-bit numbers (little-endian: the bytes of the JSON, the bytes
behind it), a JSON object, and raw bytes. Standard output and error belong to the libraries. CACHE is a folder of this process alone.
PACKAGES is a folder of unpacked wheels: behind Python's standard library, in front of the packages that it has. Requests name what to `do`, a row of REQUESTS; an answer has `ok`,
or a `kind` and a `reason`. The first message, without a request, says which Python this is.
"""
import hashlib
import json
import os
import re
import socket
import struct
import sys

PROTOCOL = 1
OLDEST_PYTHON = (3, 11)
LARGEST_MESSAGE = 1 << 31
LONGEST_REASON = 4000
GUARD = 256  # bytes of a pattern around each buffer of the interpreter
GUARD_BYTE = 0xFF  # NaN in every type of reals
# All that survives of the user's environment: what finds programs and libraries, and the language of texts. Compilers read
# variables of many prefixes (TRITON_, AMDGCN_, NVPTX_, MLIR_, LLVM_, ...), and each version reads new ones.
KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE")


class Refused(Exception):
    """What was asked for is impossible, and why: kind is a word that the C++ side knows."""

    def __init__(self, kind, reason):
        super().__init__(reason)
        self.kind = kind


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


def write_file(path, data):
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as failure:
        raise Refused("io", f"{path}: {failure.strerror}") from failure


# ---- Triton ----------------------------------------------------------------------------------------------------------------------
def import_triton():
    try:
        import triton
        return triton
    except ImportError as failure:
        raise Refused("missing", f"{sys.executable} (Python {sys.version.split()[0]}) cannot import triton: {failure}") from failure


def first_line_of(program, *arguments):
    import subprocess
    try:
        run = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return run.stdout


def triton_about(request, blob, state):
    triton = import_triton()
    answer = {"triton": triton.__version__}
    # Triton takes the second one from sm_90 on.
    for name in ("ptxas", "ptxas-blackwell"):
        program = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", name)
        version = re.search(r"V(\d+\.\d+\.\d+)", first_line_of(program, "--version"))
        answer[name] = version.group(1) if version else ""
    if state["mode"] == "interpret":
        try:
            import numpy
        except ImportError as failure:
            raise Refused("missing", f"Triton's interpreter needs numpy: {failure}") from failure
        answer["numpy"] = numpy.__version__
    return answer, b""


def load_function(request, state):
    """Triton reads a function's text from a file, so that each text becomes one."""
    import importlib.util
    text = request["text"].encode()
    name = "fuselab_" + hashlib.sha256(text).hexdigest()[:24]
    path = os.path.join(state["cache"], name + ".py")
    write_file(path, text)
    import_triton()
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as failure:
        raise Refused("compile", f"line {failure.lineno}: {failure.msg}") from failure
    return getattr(module, request["entry"])


def cubin_resources(path):
    """What cuobjdump says of a kernel: it comes with Triton."""
    import triton
    program = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", "cuobjdump")
    words = dict(re.findall(r"(REG|STACK|SHARED|LOCAL):(\d+)", first_line_of(program, "-res-usage", path)))
    names = {"registers": "REG", "stack_bytes": "STACK", "static_shared_bytes": "SHARED", "local_bytes": "LOCAL"}
    return {name: int(words[word]) for name, word in names.items() if word in words}


def hsaco_resources(text):
    """What the assembler's notes say of a kernel."""
    found = {}
    for name, word, factor in (("registers", "vgpr_count", 1), ("accumulators", "agpr_count", 1), ("spilled", "vgpr_spill_count", 1),
                               ("stack_bytes", "private_segment_fixed_size", 1)):
        hit = re.search(r"\." + word + r":\s*(\d+)", text)
        if hit:
            found[name] = int(hit.group(1)) * factor
    return found


def compile_errors(failure):
    from triton.compiler.errors import CompilationError
    words = str(failure).strip() or type(failure).__name__
    if isinstance(failure, (CompilationError, SyntaxError)):
        return Refused("compile", words)
    if isinstance(failure, MemoryError):
        return Refused("memory", "Triton ran out of memory")
    if isinstance(failure, OSError):
        return Refused("io", words)
    return Refused("compile", f"{type(failure).__name__}: {words}")


def triton_compile(request, blob, state):
    function = load_function(request, state)
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    names = function.arg_names
    if len(names) != len(request["signature"]):
        raise Refused("compile", f"the text has {len(names)} parameters, the request {len(request['signature'])}")
    divisible = {(index,): [["tt.divisibility", 16]] for index in range(len(names))}
    source = ASTSource(fn=function, signature=dict(zip(names, request["signature"])), constexprs={}, attrs=divisible)
    arch = request["arch"]
    target = GPUTarget(request["backend"], int(arch) if request["backend"] == "cuda" else arch, request["warp"])
    try:
        made = triton.compile(source, target=target, options=request["options"])
    except Exception as failure:
        raise compile_errors(failure) from failure
    kind = "cubin" if "cubin" in made.asm else "hsaco"
    code = made.asm[kind]
    answer = {"format": kind, "name": made.metadata.name, "shared_bytes": made.metadata.shared, "num_warps": made.metadata.num_warps,
              "num_stages": made.metadata.num_stages, "num_ctas": made.metadata.num_ctas,
              "scratch_bytes": getattr(made.metadata, "global_scratch_size", 0) or 0}
    if kind == "cubin":
        path = os.path.join(state["cache"], "kernel.cubin")
        write_file(path, code)
        answer.update(cubin_resources(path))
        entry = re.search(r"\.entry\s+[\w$]+\s*\((.*?)\)", made.asm["ptx"], re.DOTALL)
        answer["parameters"] = len(re.findall(r"\.param\b", entry.group(1))) if entry else 0
    else:
        answer.update(hsaco_resources(made.asm["amdgcn"]))
    return answer, code


class Storage:
    def __init__(self, data):
        self.data = data

    def data_ptr(self):
        return self.data.ctypes.data

    def cpu(self):
        return self

    def copy_(self, other):
        pass


class Tensor:
    """The few members that the interpreter asks of a tensor; its memory is the array's own."""

    def __init__(self, data, dtype):
        self.data, self.dtype = data, dtype

    def data_ptr(self):
        return self.data.ctypes.data

    def untyped_storage(self):
        return Storage(self.data)

    def storage_offset(self):
        return 0

    def size(self):
        return self.data.shape

    def stride(self):
        return (1,)

    def new_empty(self, *shape, **options):
        return Tensor(self.data, self.dtype)

    def set_(self, storage, *layout):
        self.data = storage.data
        return self


def triton_interpret(request, blob, state):
    """Runs a text on the processor. Buffers lie between guards; inputs must come out as they went in."""
    function = load_function(request, state)
    import numpy
    types = {"fp64": "f8", "fp32": "f4", "fp16": "f2", "i64": "i8", "i32": "i4", "i16": "i2", "i8": "i1", "u64": "u8", "u32": "u4",
             "u16": "u2", "u8": "u1"}
    guarded, tensors, offset = [], [], 0
    for argument in request["arguments"]:
        dtype, size = argument["type"], argument["bytes"]
        if dtype not in types:
            raise Refused("unsupported", f"Triton's interpreter has no {dtype}")
        buffer = numpy.full(size + 2 * GUARD, GUARD_BYTE, numpy.uint8)
        if not argument["written"]:
            buffer[GUARD:GUARD + size] = numpy.frombuffer(blob, numpy.uint8, size, offset)
            offset += size
        guarded.append((argument, buffer, buffer.copy()))
        tensors.append(Tensor(buffer[GUARD:GUARD + size].view(types[dtype]), dtype))
    try:
        with numpy.errstate(all="ignore"):
            function[tuple(request["grid"])](*tensors)
    except MemoryError as failure:
        raise Refused("memory", "Triton's interpreter ran out of memory") from failure
    except Exception as failure:
        raise Refused("numerics", f"the interpreter stopped: {failure}") from failure
    outputs = []
    for argument, buffer, before in guarded:
        inside = slice(GUARD, len(buffer) - GUARD)
        if argument["written"]:
            outputs.append(buffer[inside].tobytes())
            buffer[inside] = before[inside]
        if not numpy.array_equal(buffer, before):
            raise Refused("numerics", f"it wrote outside of what it may write: '{argument['name']}' or the memory around it")
    return {}, b"".join(outputs)


# What can be asked for: the function, and the mode that the process must have been started in; "": either.
REQUESTS = {
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
