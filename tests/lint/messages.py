#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""messages.py [ROOT]: every message that heads a section of resources/docs/troubleshooting.md still stands in the sources."""
import pathlib
import re
import sys

here = pathlib.Path(__file__).parents[2]
page = (pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here) / "resources/docs/troubleshooting.md"
sources = [path for top in ["core", "backends", "tuner", "profiler", "db", "app"] for path in (here / top).rglob("*.cpp")]
sources.append(here / "resources/packages/install.sh")
# A message may be written as several literals, one behind the other.
text = "\n".join(re.sub(r'"\s*\n\s*"', "", path.read_text(encoding="utf-8")) for path in sources)
messages = [(number, line[5:-1]) for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1) if line.startswith("### `")]
# "…" stands for what differs from case to case.
missing = [f"{page.name}:{number}: the program no longer says \"{part.strip()}\"" for number, message in messages
           for part in message.split("…") if len(part.strip()) > 2 and part.strip() not in text]
print("\n".join(missing) if missing else f"the program still has the {len(messages)} messages of {page.name}")
sys.exit(1 if missing or not messages else 0)
