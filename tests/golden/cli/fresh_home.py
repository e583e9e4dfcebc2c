# SPDX-License-Identifier: Apache-2.0
"""Runs the real program as a new user would: in empty data, configuration and cache folders of its own."""
import os
import pathlib
import subprocess
import tempfile


class FreshHome:
    def __init__(self, program):
        self.program = str(pathlib.Path(program).resolve())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fuselab-cli-"))

    def environment(self, **more):
        plain = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "TERM"}}
        here = str(self.folder)
        # Some machines have devices of these, some have none.
        alike = {**{f"FUSELAB_LIB_{name}": f"/nonexistent/{name.lower()}.so"
                    for name in ("OPENCL", "ONEDNN", "MKL", "ONNXRUNTIME", "OPENVINO", "OPENMP", "XLA", "XLA_CUDA", "XLA_TPU")},
                 "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": here}  # a test fetches nothing
        return {**plain, **alike, "HOME": here, "XDG_DATA_HOME": here, "XDG_CONFIG_HOME": f"{here}/config", "XDG_CACHE_HOME": f"{here}/cache", **more}

    def run(self, *words, **more):
        """The finished process with stdout and stderr as text; neither is a terminal."""
        return subprocess.run([self.program, *words], capture_output=True, cwd=self.folder, env=self.environment(**more), timeout=100,
                              encoding="utf-8", stdin=subprocess.DEVNULL, check=False)
