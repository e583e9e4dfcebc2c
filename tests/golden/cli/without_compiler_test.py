#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""without_compiler_test.py PROGRAM: what was measured is shown where the compiler is gone, and it is said that nobody could check it."""
import json
import shutil
import sys

from fresh_home import FreshHome

home = FreshHome(sys.argv[1])
failures = []
bench = home.run("bench", "w3", "--shape", "rows=16,cols=64", "--device", "cpu", "--db", "results.db", "--quiet")
if bench.returncode != 0:
    failures.append(f"bench ends with {bench.returncode}: {bench.stderr}")
for verb in ("compare", "select"):
    finished = home.run(verb, "--db", "results.db", PATH="/nonexistent")
    if finished.returncode != 0:
        failures.append(f"{verb} ends with {finished.returncode}: {finished.stderr}")
    if "As stored: cpu:0 cannot be used now (" not in finished.stdout or "could not be checked" not in finished.stdout:
        failures.append(f"{verb} does not say that nothing was checked:\n{finished.stdout}")
with_compiler = home.run("compare", "--db", "results.db", "--json")
without = home.run("compare", "--db", "results.db", "--json", PATH="/nonexistent")
tables = [json.loads(finished.stdout)["models"] for finished in (with_compiler, without)]
if tables[0][0].pop("unchecked") or not tables[1][0].pop("unchecked"):
    failures.append("'unchecked' is empty exactly where the compiler is there")
if tables[0] != tables[1]:
    failures.append("the figures are others than with a compiler")
selected = json.loads(home.run("select", "--db", "results.db", "--json", PATH="/nonexistent").stdout)
if "could not be checked" not in selected["models"][0]["unchecked"]:
    failures.append(f"select --json does not say that nothing was checked: {selected}")
home.run("report", "--db", "results.db", "-o", "page.html", PATH="/nonexistent")
if "As stored: cpu:0 cannot be used now (" not in (home.folder / "page.html").read_text(encoding="utf-8"):
    failures.append("the report does not say that nothing was checked")
refused = home.run("bench", "w3", "--shape", "rows=16,cols=64", "--db", "results.db", PATH="/nonexistent")
if refused.returncode != 6:
    failures.append(f"bench without a compiler ends with {refused.returncode}: {refused.stderr}")
print("\n".join(failures) if failures else "what is stored needs no compiler")
shutil.rmtree(home.folder)
sys.exit(1 if failures else 0)
