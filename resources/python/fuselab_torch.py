# SPDX-License-Identifier: Apache-2.0
"""PyTorch, without the 3 GB of NVIDIA's libraries that it names."""
import hashlib
import os
import re
import sys

from fuselab_common import Refused, output_of, write_file


def torch_folder():
    """Where PyTorch lies. It is not imported: that takes seconds."""
    import importlib.util
    spec = importlib.util.find_spec("torch")
    if spec is None:
        raise Refused("missing", f"{sys.executable} (Python {sys.version.split()[0]}) has no torch")
    return list(spec.submodule_search_locations)[0]


CXX = os.environ.get("CXX") or "g++"


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
