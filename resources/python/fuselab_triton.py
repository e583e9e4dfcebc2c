# SPDX-License-Identifier: Apache-2.0
"""Triton: compiles texts for GPUs, and runs them in its interpreter."""
import hashlib
import os
import re
import sys

from fuselab_common import Refused, output_of, write_file

GUARD = 256  # bytes of a pattern around each buffer of the interpreter
GUARD_BYTE = 0xFF  # NaN in every type of reals


def import_triton():
    try:
        import triton
        return triton
    except ImportError as failure:
        raise Refused("missing", f"{sys.executable} (Python {sys.version.split()[0]}) cannot import triton: {failure}") from failure


def triton_about(request, blob, state):
    triton = import_triton()
    answer = {"triton": triton.__version__}
    # Triton takes the second one from sm_90 on.
    for name in ("ptxas", "ptxas-blackwell"):
        program = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", name)
        version = re.search(r"V(\d+\.\d+\.\d+)", output_of(program, "--version"))
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
    words = dict(re.findall(r"(REG|STACK|SHARED|LOCAL):(\d+)", output_of(program, "-res-usage", path)))
    names = {"registers": "REG", "stack_bytes": "STACK", "static_shared_bytes": "SHARED", "local_bytes": "LOCAL"}
    return {name: int(words[word]) for name, word in names.items() if word in words}


def hsaco_resources(text):
    """What the assembler's notes say of a kernel."""
    found = {}
    for name, word in (("registers", "vgpr_count"), ("accumulators", "agpr_count"), ("scalar_registers", "sgpr_count"),
                       ("spilled", "vgpr_spill_count"), ("stack_bytes", "private_segment_fixed_size")):
        hit = re.search(r"\." + word + r":\s*(\d+)", text)
        if hit:
            found[name] = int(hit.group(1))
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
