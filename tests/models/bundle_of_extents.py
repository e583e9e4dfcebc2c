#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One bundle for several extents of a model: how large it is beside bundles of one, and that each of its extents gives what `exec` gives.

    tests/models/bundle_of_extents.py --fuselab build/bin/fuselab --loader build/lib/libfuselab_loader.so resnet50 batch=1 batch=8 batch=2 batch=4

Prints a Markdown table for the first 1, 2, 4, ... extents. Resident memory is what opening the bundle adds to a fresh process, with the laid out
weights, and with no run. It needs nothing that is not in Python."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from loader_against_exec import Loaded, make_inputs, words_of  # noqa: E402

RESIDENT = """
import ctypes, os, sys
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20
loader, bundle = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p()
keys, before = (ctypes.c_char_p * 1)(sys.argv[3].encode()), resident()
assert loader.fl_open(sys.argv[2].encode(), keys, ctypes.c_size_t(1), 0, ctypes.byref(bundle), None) == 0
print(resident() - before)
"""


def export(options, file, extents):
    shapes = [word for each in extents for word in ("--shape", each)]
    document = json.loads(words_of(options, "export", options.model, *shapes, "--to", str(file), "--allow-unconfirmed", "--json"))
    return document, file.stat().st_size


def gives_what_exec_gives(options, file, model, folder):
    inputs, words = make_inputs(model, folder, 1)
    loaded = Loaded(options, str(file), inputs)
    loaded.run()
    shape = ["--shape", model["binding"]] if model["binding"] else []
    words_of(options, "exec", options.model, *shape, "--prefer", "cpu:0", "--no-fallback", *words, "--save", str(folder / "out"), "--json")
    return all((folder / f"out/output-{i}.bin").read_bytes() == bits for i, bits in enumerate(loaded.bits())), loaded.opened


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("extents", nargs="+")
    parser.add_argument("--fuselab", required=True)
    parser.add_argument("--loader", required=True)
    options = parser.parse_args()
    options.options = []
    options.key = json.loads(words_of(options, "trust", "list", "--json"))["own_key"]
    print("| extents | bundle, bytes | of it weights | bundles of one each, together | resident once open, MiB | opened in, ms | outputs |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder, count = pathlib.Path(name), 1
        alone = [export(options, folder / "one.fuselab", [each])[1] for each in options.extents]
        while count <= len(options.extents):
            chosen, file = options.extents[:count], folder / "several.fuselab"
            document, size = export(options, file, chosen)
            resident = subprocess.run([sys.executable, "-c", RESIDENT, options.loader, str(file), options.key], capture_output=True, text=True, check=True).stdout
            told = [gives_what_exec_gives(options, file, model, folder) for model in document["models"]]
            alike = sum(same for same, _ in told)
            print(f"| {', '.join(chosen)} | {size:,} | {document['weights']['bytes']:,} | {sum(alone[:count]):,} | {float(resident):.0f} | {min(opened for _, opened in told):.0f} | "
                  f"{alike} of {len(told)} the same bits as `exec` |", flush=True)
            count *= 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
