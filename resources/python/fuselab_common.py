# SPDX-License-Identifier: Apache-2.0
"""What every part of the helper needs."""


class Refused(Exception):
    """What was asked for is impossible, and why: kind is a word that the C++ side knows."""

    def __init__(self, kind, reason):
        super().__init__(reason)
        self.kind = kind


def write_file(path, data):
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as failure:
        raise Refused("io", f"{path}: {failure.strerror}") from failure


def output_of(program, *arguments):
    import subprocess
    try:
        run = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return run.stdout
