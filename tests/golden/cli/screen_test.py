#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""screen_test.py PROGRAM: what a terminal shows while a job runs. The terminal is a pseudo-terminal; what it is sent is played on a grid
of characters, so that a line that is not painted over, or too wide, is seen. The job runs on the null backend's scripted devices."""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

from fresh_home import FreshHome

ROWS, COLUMNS = 16, 72
GRAPHS = [f"graph(x: f32[{rows},64], p: param f32[64]) {{ a = Add(x, p); b = Relu(a); c = Tanh(b); return c }}" for rows in (8, 16, 24)]
JOB = ["run", *GRAPHS, "--synthetic", "--device", "null:0", "--strategy", "random"]


class Grid:
    """Plays text, ends of lines, \\r and the few codes that move and erase. Rows are never dropped: they scroll out of the terminal."""

    def __init__(self):
        self.rows, self.row, self.column = [""], 0, 0

    def put(self, text):
        for part in re.findall(r"\x1b\[\d*[A-Za-z]|[\r\n]|[^\x1b\r\n]+", text):
            if part == "\r":
                self.column = 0
            elif part == "\n":
                self.row, self.column = self.row + 1, 0
                while len(self.rows) <= self.row:
                    self.rows.append("")
            elif part.startswith("\x1b"):
                number, code = part[2:-1], part[-1]
                if code == "A":
                    self.row -= int(number)
                elif code == "J":
                    self.rows[self.row] = self.rows[self.row][:self.column]
                    del self.rows[self.row + 1:]
                elif code == "K":
                    self.rows[self.row] = ""
                elif code != "m":
                    raise ValueError(f"unknown code {part!r}")
            else:
                row = self.rows[self.row].ljust(self.column)
                self.rows[self.row] = row[:self.column] + part + row[self.column + len(part):]
                self.column += len(part)


def on_terminal(home, words, interrupt=False, **more):
    """All that the terminal is sent, as text in the portions that came, and how the program ended."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    child = subprocess.Popen([home.program, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=home.environment(**more), cwd=home.folder, start_new_session=True)
    os.close(theirs)
    portions, deadline = [], time.monotonic() + 90
    while time.monotonic() < deadline and select.select([ours], [], [], 60)[0]:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other end is closed: all was read
            break
        portions.append(data)
        if interrupt and b"\x1b[2Kmodel" in b"".join(portions):
            child.send_signal(signal.SIGINT)
            interrupt = False
    child.wait(timeout=60)
    os.close(ours)
    return [portion.replace(b"\r\n", b"\n").decode("utf-8", errors="replace") for portion in portions], child.returncode


def played(portions):
    grid = Grid()
    for portion in portions:
        grid.put(portion)
    return "\n".join(grid.rows)


def main():
    home = FreshHome(sys.argv[1])
    facts = {}
    portions, code = on_terminal(home, [*JOB, "--budget", "6"], TERM="xterm")
    sent, left = "".join(portions), played(portions)
    paintings = re.findall(r"(?:\r\x1b\[2K[^\n]*\n)+", sent)
    facts[f"the job ends well: {code} {left}"] = code == 0
    facts[f"it says first what it will do: {sent[:300]!r}"] = re.match(r"Measures 3 subjects \(graph.*\) on 1 device \(null:0\)\.\nThe whole job takes about 6 s \(--budget\)", sent)
    facts["models and what is done stand together"] = any(re.search(r"model +pieces +best device +best mix +gain +of ceiling.*\d/\d +null:0.*whole job: ", each, re.DOTALL) for each in paintings)
    facts["it moves"] = len(paintings) > 2 and re.search(r"\x1b\[\dA", sent) is not None
    wide = [line for each in paintings for line in each.replace("\r\x1b[2K", "").split("\n") if len(line) > COLUMNS]
    facts[f"no line is wider than the terminal: {wide[:3]}"] = not wide
    facts["nothing of it is left at the end"] = "best device" not in left and "whole job: " not in left and left.count("Next:") == 1
    facts[f"the summary is all: {left}"] = left.count("best mix") == 3 and "First figures" not in left
    piped = home.run(*JOB, "--budget", "1")
    facts[f"a pipe gets plain lines: {piped.stderr}"] = not re.search(r"[\x1b\r]", piped.stdout + piped.stderr) and "whole job: " not in piped.stderr
    dumb, _ = on_terminal(home, [*JOB, "--budget", "1"], TERM="dumb")
    facts["so does a dumb terminal"] = "\x1b" not in "".join(dumb) and "whole job: " not in "".join(dumb)
    quiet, _ = on_terminal(home, [*JOB, "--budget", "1", "--quiet"], TERM="xterm")
    facts[f"--quiet has the summary alone: {quiet}"] = "whole job: " not in "".join(quiet) and "Measures" not in "".join(quiet)
    again, code = on_terminal(home, [*JOB, "--budget", "60", "--trials", "4000", "--remeasure"], interrupt=True, TERM="xterm")
    left = played(again)
    facts[f"Ctrl-C keeps what stands: {code} {left}"] = code == 4 and "interrupted; what was measured is kept" in left
    facts["and leaves a tidy terminal"] = "best device" not in left and "whole job: " not in left and "\x1b[?25l" not in "".join(again)
    failures = [name for name, holds in facts.items() if not holds]
    print("\n".join(f"does not hold: {name}" for name in failures) if failures else "as it should be")
    shutil.rmtree(home.folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
