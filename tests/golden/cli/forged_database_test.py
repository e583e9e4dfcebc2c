#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""forged_database_test.py PROGRAM: a database whose kernels carry the text of a stranger, with every hash and key made anew, so that it is
whole by itself. Merged or opened in place, whatever a command asks of it, the stranger's text is never run: it would leave a mark."""
import hashlib
import json
import shutil
import sqlite3
import sys

from fresh_home import FreshHome

SUBJECT = ["w3", "--shape", "rows=64,cols=64"]
HERE = ["--device", "cpu:0"]
IDENTITY = "graph backend generator generator_version source target compiler compiler_version flags library library_version config".split()
CASES = """[check]
budget = 0.2

[[case]]
name = "norm"
subject = "w3"
shape = "rows=64,cols=64"
devices = "cpu"
"""
TEXT = """extern int creat(const char*, unsigned);
__attribute__((constructor)) static void before_main(void) {{ creat("{mark}", 0600); }}
void {entry}(void* const* b, void* s, long x, long y) {{}}
"""


def frame(data):
    """The bytes as a zstd frame of one raw block (RFC 8878)."""
    assert len(data) < 1 << 16
    return b"\x28\xb5\x2f\xfd" + bytes([0xa0]) + len(data).to_bytes(4, "little") + (len(data) << 3 | 1).to_bytes(3, "little") + data


def identity(kind, *fields):
    return hashlib.sha256("".join(f"{len(name)}:{name}={len(value.encode())}:{value};" for name, value in (("kind", kind), *fields)).encode()).hexdigest()


def forge(database, mark):
    """What somebody does who knows how keys are made. Signatures stay where they are, over what they were made of."""
    file = sqlite3.connect(database)
    renamed = {}
    for no, key, source, abi, *fields in file.execute(f"SELECT no, key, source_hash, abi, {','.join(IDENTITY)} FROM kernel").fetchall():
        text = TEXT.format(mark=mark, entry=json.loads(abi)["entry"]).encode()
        fields = {**dict(zip(IDENTITY, fields)), "source": hashlib.sha256(text).hexdigest()}
        renamed[key] = identity("kernel", *fields.items())
        file.execute("INSERT OR IGNORE INTO source SELECT ?, ?, ?, host, origin FROM source WHERE hash = ?", (fields["source"], len(text), frame(text), source))
        file.execute("UPDATE kernel SET key = ?, source = ?, source_hash = ? WHERE no = ?", (renamed[key], fields["source"], fields["source"], no))
    file.execute("DELETE FROM kernel_binary")
    file.execute("DELETE FROM source WHERE hash NOT IN (SELECT source_hash FROM kernel)")
    for no, old, keys in file.execute("SELECT sequence, plan_key, kernel_keys FROM trial").fetchall():
        keys = [renamed[key] for key in json.loads(keys)]
        plan = identity("plan", *(("kernel", key) for key in keys))
        file.execute("UPDATE trial SET kernel_keys = ?, plan_key = ? WHERE sequence = ?", (json.dumps(keys, separators=(",", ":")), plan, no))
        for side in ("fused_plan", "unfused_plan"):
            file.execute(f"UPDATE gain SET {side} = ? WHERE {side} = ?", (plan, old))
    file.commit()
    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the test copies the file alone
    return file


def unsign(file):
    if any(column[1] == "signature" for column in file.execute("PRAGMA table_info(kernel)")):
        file.execute("UPDATE kernel SET signer = '', signature = x''")
    file.commit()


def main():
    home, found = FreshHome(sys.argv[1]), {}
    (home.folder / "fuselab.toml").write_text(CASES)
    mark = home.folder / "mark"
    own, forged = home.folder / "own.db", home.folder / "forged.db"
    measured = home.run("bench", *SUBJECT, *HERE, "--db", str(own))
    found["there is something to forge"] = measured.returncode == 0
    shutil.copy(own, forged)
    signed = forge(forged, mark)
    shutil.copy(forged, home.folder / "misfit.db")
    unsign(signed)
    trial, = signed.execute("SELECT id FROM trial WHERE kind = 'fused' AND outcome = 'timed'").fetchone()
    unfused, = signed.execute("SELECT id FROM trial WHERE kind = 'unfused' AND outcome = 'timed'").fetchone()
    signed.close()

    def ran():
        left = mark.exists()
        mark.unlink(missing_ok=True)
        return left

    def refused(finished):
        return not ran() and finished.returncode == 2 and "nobody signed its source" in finished.stderr and "fuselab tune --remeasure" in finished.stderr

    told, counted = home.run("db", "verify", "--db", str(forged)), json.loads(home.run("db", "verify", "--json", "--db", str(forged)).stdout)
    found["verify names the sources that nobody signed"] = told.returncode == 0 and "nobody signed" in told.stdout
    found["and how many"] = [list(each) for each in counted.get("unvouched", [])] == [["sources"]]
    found["a signature of something else is no sound database"] = home.run("db", "verify", "--db", str(home.folder / "misfit.db")).returncode == 2
    found["nor may it be merged"] = home.run("db", "merge", str(home.folder / "misfit.db"), "--db", str(home.folder / "new.db")).returncode == 2

    words = ["--seconds", "0.05", "--db", str(forged)]
    for name, each in (("one kernel", trial), ("the operators", unfused)):
        found[f"profile --trial of {name} refuses"] = refused(home.run("profile", "--trial", each, *words))
    found["profile --compare refuses"] = refused(home.run("profile", "--compare", trial, unfused, *words))
    for command in (["profile", *SUBJECT, *HERE, "--seconds", "0.05", "--exact"], ["compare", *SUBJECT], ["select", *SUBJECT], ["report", "-o", "r.html"],
                    ["exec", *SUBJECT, *HERE], ["export", *SUBJECT, *HERE, "--to", "m.fuselab"], ["gains", *SUBJECT],
                    ["crossover", *SUBJECT], ["baseline", "save", "own.baseline"], ["check", "--baseline", "own.baseline"], ["bench", *SUBJECT, *HERE]):
        ended = home.run(*command, "--db", str(forged))
        found[f"{command[0]} runs nothing of it ({ended.returncode}: {ended.stderr})"] = ended.returncode != 2 and not ran()

    merged = home.run("db", "merge", str(forged), "--db", str(home.folder / "fresh.db"))
    found["merge names them"] = merged.returncode == 0 and "nobody signed" in merged.stdout
    found["merged, they are refused"] = refused(home.run("profile", "--trial", trial, "--seconds", "0.05", "--db", str(home.folder / "fresh.db")))

    # One's own rows of before sources were signed: what is generated today is the same text.
    older = sqlite3.connect(own)
    older.execute("DELETE FROM kernel_binary")
    unsign(older)
    older.close()
    for each in (trial, unfused):
        anew = home.run("profile", "--trial", each, "--seconds", "0.05", "--db", str(own))
        found[f"text that nobody signed runs where it is generated anew alike ({each})"] = anew.returncode == 0
    found["no mark was left"] = not ran()
    failures = [name for name, holds in found.items() if not holds]
    print("\n".join(failures) if failures else f"{len(found)} facts hold")
    shutil.rmtree(home.folder)
    return 1 if failures else 0


sys.exit(main())
