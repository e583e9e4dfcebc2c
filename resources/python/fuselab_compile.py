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
import math
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


def output_of(program, *arguments):
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


# ---- PyTorch's Inductor -----------------------------------------------------------------------------------------------------------
def torch_folder():
    """Where PyTorch lies. It is not imported: that takes seconds."""
    import importlib.util
    spec = importlib.util.find_spec("torch")
    if spec is None:
        raise Refused("missing", f"{sys.executable} (Python {sys.version.split()[0]}) has no torch")
    return list(spec.submodule_search_locations)[0]


CXX = os.environ.get("CXX") or "g++"


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
            "library": os.path.join(folder, "lib", "libtorch_cpu.so"), "python": ".".join(map(str, sys.version_info[:2]))}, b""


def names_of_symbols(libraries):
    """What libraries name of others: by the version of the name where it has one, and what has none."""
    versioned, plain, defined = {}, set(), set()
    for line in (line for library in libraries for line in output_of("nm", "-D", library).splitlines()):
        kind, symbol = line.split()[-2:]
        name, _, version = symbol.partition("@")
        if kind not in "Uvw":
            defined.add(name)
        elif kind == "U" and "@" not in symbol:
            plain.add(name)
        elif kind == "U" and not version.startswith(("GLIBC", "GCC", "CXXABI", "GOMP", "OMP", "GFORTRAN")):
            versioned.setdefault(version, set()).add(name)
    return versioned, {name for name in plain - defined if not name.startswith(("_Z", "__", "Py", "_Py"))}


def make_stand_ins(libraries, missing, folder):
    """Libraries of NVIDIA's that PyTorch names and that are not here: each function says that there is no device."""
    versioned, plain = names_of_symbols(libraries)
    for each in ("libc.so.6", "libm.so.6"):
        path = output_of(CXX, "-print-file-name=" + each).strip()
        plain -= {line.split()[-1].partition("@")[0] for line in output_of("nm", "-D", "--defined-only", path).splitlines()}
    source, versions = os.path.join(folder, "source.c"), os.path.join(folder, "versions")
    for name in missing:
        own = {version: symbols for version, symbols in versioned.items()
               if version.startswith(name) or (name.startswith("libnvshmem") and version == "NVSHMEM")}
        is_first = name == missing[0]  # it gets what has no version, which is found wherever it is
        symbols = sorted(set().union(plain if is_first else (), *own.values()))
        write_file(source, "".join(f"int {each}(void) {{ return {100 if each == 'cudaGetDeviceCount' else 999}; }}\n"
                                   for each in symbols).encode())
        write_file(versions, "".join(f"{version} {{ global: {' '.join(each + ';' for each in sorted(names))} }};\n"
                                     for version, names in sorted(own.items())).encode())
        made = os.path.join(folder, name)
        output_of(CXX, "-x", "c", "-shared", "-fPIC", "-w", "-o", made, "-Wl,-soname," + name, source,
                      *(["-Wl,--version-script=" + versions] if own and not is_first else []))
        if not os.path.isfile(made):
            raise Refused("io", f"{CXX} makes no stand-in for {name} in {folder}")


def load_stand_ins(kept):
    """PyTorch for CUDA names 3 GB of NVIDIA's libraries, which nothing here needs. Without them it does not even load."""
    import ctypes
    import glob
    import tempfile
    folder = os.path.join(torch_folder(), "lib")
    libraries = sorted(glob.glob(os.path.join(folder, "*.so*")))
    named = {name for library in libraries for name in re.findall(r"\(NEEDED\).*\[(.*?)\]", output_of("readelf", "-d", library))}
    missing = []
    for name in sorted(named - {os.path.basename(library) for library in libraries} - {"libcuda.so.1"}):
        try:
            ctypes.CDLL(next(iter(glob.glob(os.path.join(folder, "..", "..", "nvidia", "*", "lib", name))), name))
        except OSError:
            missing.append(name)
    missing.sort(key=lambda name: name != "libnccl.so.2")
    made = os.path.join(kept, "stand-ins-" + hashlib.sha256(" ".join(missing).encode()).hexdigest()[:12])
    if missing and not os.path.isdir(made):
        os.makedirs(kept, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept, ignore_cleanup_errors=True) as fresh:
            make_stand_ins(libraries, missing, fresh)
            try:
                os.rename(fresh, made)
            except OSError:
                if not os.path.isdir(made):  # else another process was faster
                    raise
    for name in missing:
        ctypes.CDLL(os.path.join(made, name), mode=ctypes.RTLD_GLOBAL)


def import_torch(kept, state):
    if "torch" in state:
        return state["torch"]
    try:
        load_stand_ins(kept)
        import torch
    except (ImportError, OSError) as failure:
        raise Refused("missing", f"{sys.executable} cannot import torch: {failure}") from failure
    import ctypes
    import torch._inductor
    # Code that was compiled without naming PyTorch finds its functions there.
    ctypes.CDLL(os.path.join(torch_folder(), "lib", "libtorch_cpu.so"), mode=ctypes.RTLD_GLOBAL)
    # Before any option: a trial library that names no PyTorch does not load, and the code would become scalar without a word.
    from torch._inductor import cpu_vec_isa
    own = os.environ["TORCHINDUCTOR_CACHE_DIR"]
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(kept, "trials")  # five compilations, of which later helpers need none
    cpu_vec_isa.pick_vec_isa()
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = own
    state["torch"] = torch
    return torch


def functional_form(operators, overload):
    """The form of an operator that returns what another form writes into tensors that it is given."""
    wanted = [(each.name, str(each.type)) for each in overload._schema.arguments if not each.is_out]
    for name in operators.overloads():
        form = getattr(operators, name)
        if [(each.name, str(each.type)) for each in form._schema.arguments] == wanted:
            return form
    raise Refused("unsupported", f"{overload} has no form that returns its result")


class PlanOfCalls:
    """Calls as `backends/torch` makes them, on views of numbered places, as a function of tensors that returns what it writes."""

    def __init__(self, torch, plan):
        self.torch, self.plan = torch, plan
        self.types = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "i64": torch.int64, "i32": torch.int32,
                      "u8": torch.uint8, "i8": torch.int8, "bool": torch.bool}
        self.whole = {}  # place: its first tensor, which is all of it
        for index, (place, *_) in enumerate(plan["tensors"]):
            self.whole.setdefault(place, index)
        self.calls = []
        for name, overload, letters, arguments, copied_to in plan["calls"]:
            operators = getattr(torch.ops.aten, name.partition("::")[2])
            form = getattr(operators, overload or "default")
            written = [i for i, each in enumerate(form._schema.arguments) if each.is_out]
            self.calls.append((functional_form(operators, form) if written else form, letters, arguments, written, copied_to))

    def filled(self, index, value):
        return self.torch.full(self.plan["tensors"][index][2], value, dtype=self.types[self.plan["tensors"][index][1]])

    def layout(self, index):
        """The axes of a view from the slowest to the fastest, without those that repeat or have one element."""
        _, _, extents, strides, _ = self.plan["tensors"][index]
        axes = [i for i, (extent, stride) in enumerate(zip(extents, strides)) if extent != 1 and stride != 0]
        return sorted(axes, key=lambda i: -strides[i])

    def is_all(self, index):
        place, _, extents, strides, offset = self.plan["tensors"][index]
        elements = 1
        for axis in reversed(self.layout(index)):
            if strides[axis] != elements:
                return False
            elements *= extents[axis]
        return offset == 0 and elements == math.prod(self.plan["tensors"][self.whole[place]][2])

    def as_axes(self, base, index):
        """A part of dense memory as axes whose strides divide each other: a slice of each, which Inductor looks through."""
        _, _, extents, strides, offset = self.plan["tensors"][index]
        left = base.numel()
        sizes, starts = [], []
        for axis in self.layout(index):
            if left % strides[axis] != 0:
                return None
            sizes.append(left // strides[axis])
            starts.append(offset // strides[axis])
            offset, left = offset % strides[axis], strides[axis]
        if any(start + extents[axis] > size for start, axis, size in zip(starts, self.layout(index), sizes)):
            return None
        part = base.reshape([*sizes, left]).select(len(sizes), offset)
        for position, axis in enumerate(self.layout(index)):
            if sizes[position] != extents[axis]:
                part = part.narrow(position, starts[position], extents[axis])
        return part

    def read(self, index):
        place, dtype, extents, strides, offset = self.plan["tensors"][index]
        if place not in self.values:
            self.values[place] = self.filled(self.whole[place], 0)
        base = self.values[place]
        if index == self.whole[place]:
            return base
        part = self.as_axes(base, index)
        if part is None:
            return base.reshape(-1).as_strided(extents, strides, offset)
        axes = self.layout(index)
        part = part.permute([axes.index(i) for i in sorted(axes)])
        return part.reshape([extent if i in axes else 1 for i, extent in enumerate(extents)]).expand(extents)

    def write(self, index, result):
        place, dtype, extents, strides, offset = self.plan["tensors"][index]
        if 0 in extents:
            return
        result = result.to(self.types[dtype]).expand(extents)
        whole = self.plan["tensors"][self.whole[place]][2]
        if index == self.whole[place]:
            self.values[place] = result
        elif self.is_all(index):
            axes = self.layout(index)
            kept = result.reshape([extents[i] for i in sorted(axes)])
            self.values[place] = kept.permute([sorted(axes).index(i) for i in axes]).reshape(whole)
        elif len(whole) == len(extents):
            base = self.values.get(place, self.filled(self.whole[place], 0))
            self.values[place] = self.torch.as_strided_scatter(base, result, extents, strides, offset)
        else:
            raise Refused("unsupported", "a part of memory is written under other axes")

    def argument(self, letter, value):
        if value is not None and letter in "to":
            return self.read(value)
        if letter in "vw":
            return [None if each is None else self.read(each) for each in value]
        return float.fromhex(value) if isinstance(value, str) and letter in "fgc" else value

    def __call__(self, *given):
        inputs = self.plan["inputs"]
        self.values = dict(enumerate(given[:inputs]))
        for place, value in self.plan["numbers"]:
            self.values[place] = self.filled(self.whole[place], float.fromhex(value))
        for form, letters, arguments, written, copied_to in self.calls:
            if form is self.torch.ops.aten.copy_.default or form is self.torch.ops.aten.fill_.Tensor:
                self.write(arguments[0], self.read(arguments[1]))
                continue
            # In a schema what is written comes last, by name.
            passed = {each.name: self.argument(letters[i], arguments[i]) for i, each in enumerate(form._schema.arguments)}
            positional = [passed.pop(each.name) for each in form._schema.arguments if not each.kwarg_only]
            results = form(*positional, **passed)
            results = results if isinstance(results, (tuple, list)) else (results,)
            for position, index in enumerate(written):
                self.write(arguments[index], results[position])
            if copied_to >= 0:
                self.write(copied_to, results[0])
        # What is asked for lies where the caller wants it: as in PyTorch's own `out=`, no copy follows.
        for place, destination in enumerate(given[inputs:], inputs):
            destination.copy_(self.values[place])
        return given[0].new_empty(0)


def inductor_compile(request, blob, state):
    import zipfile
    torch = import_torch(request["kept"], state)
    plan = PlanOfCalls(torch, request["plan"])

    class Model(torch.nn.Module):
        def forward(self, *given):
            return plan(*given)

    package = os.path.join(state["cache"], "model.pt2")
    try:
        torch.set_num_threads(request["threads"])
        with torch.no_grad():
            given = tuple(plan.filled(plan.whole[place], 0) for place in range(plan.plan["arguments"]))
            program = torch.export.export(Model(), given, strict=False)
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


# What can be asked for: the function, and the mode that the process must have been started in; "": either.
REQUESTS = {
    "inductor.about": (inductor_about, ""),
    "inductor.compile": (inductor_compile, "compile"),
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
