#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What strangers met, by two builds: every model of field_models.py beside ONNX Runtime, and every accident of accidents.py, as tables in Markdown.

    python3 -m venv venv && venv/bin/pip install numpy onnx onnxruntime
    venv/bin/python tests/models/field_table.py build/bin/fuselab older/bin/fuselab

Outputs are those of ONNX Runtime without its optimisations on the same inputs. Ends with 1 where the first build is wrong."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

HERE = pathlib.Path(__file__).resolve().parent
KINDS = {"tensor(float)": np.float32, "tensor(int64)": np.int64}
REFUSED = 2  # with a reason
OPEN = 17  # of extents that a file leaves open: more than 64 numbers in all
# Neither ONNX Runtime's answer nor its absence says what is right of these.
OTHERWISE = {"random_like": (2, "drawn anew in each run"), "qdq_blocked_int4": (2, "weights of 4 bits"), "trees_regressor": (2, "its domain is not ONNX's own"),
             "scaler_normalizer": (2, "its domain is not ONNX's own")}
# Rounding to the nearest step is a tie now and then, and one of both is right.
STEPS = {"qdq_conv", "qdq_matmul", "qlinearconv", "qlinearmatmul", "contrib_qlinearadd", "slow_fake_quant"}  # of quantised results


def inputs_of(session):
    random = np.random.default_rng(7)
    made = {}
    for each in session.get_inputs():
        extents = [extent if isinstance(extent, int) else OPEN for extent in each.shape]
        whole = each.type == "tensor(int64)" or each.name == "ids"
        made[each.name] = (random.integers(0, 10, extents) if whole else random.standard_normal(extents)).astype(KINDS[each.type])
    return made


def words_of(model, folder):
    """The words of `exec` that give the inputs and expect ONNX Runtime's outputs; the reason where it has none."""
    plain = onnxruntime.SessionOptions()
    plain.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    plain.log_severity_level = 3
    words = ["exec", str(model), "--prefer", "cpu"]
    try:
        session = onnxruntime.InferenceSession(str(model), plain, providers=["CPUExecutionProvider"])
    except Exception as failure:  # what ONNX Runtime lacks is a row as well
        return words, str(failure).splitlines()[0]
    inputs = inputs_of(session)
    outputs = dict(zip([each.name for each in session.get_outputs()], session.run(None, inputs)))
    for option, arrays in (("--input", inputs), ("--expect", outputs)):
        for number, (name, array) in enumerate(arrays.items()):
            np.save(folder / f"{option}{number}.npy", array)
            quoted = f'"{name}"' if "=" in name else name
            words += [option, f"{quoted}={folder / f'{option}{number}.npy'}"]
    return words + (["--steps", "1"] if model.stem in STEPS else []), ""


def tried(program, words, home):
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False, env=environment, cwd=home)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if " holds: " in line or line.startswith("fuselab: ")]
    said = next((line for line in lines if "NOT what" in line), lines[-1] if lines else "")
    return done.returncode, re.sub(r"/\S*/", "", said.split(" holds: ")[-1]).replace("|", "\\|")


def models_table(programs, folder):
    wrong = 0
    print("| model | right | before | after | what it says now |\n|---|---|---|---|---|")
    subprocess.run([sys.executable, str(HERE / "field_models.py"), str(folder)], check=True)
    for model in sorted(folder.glob("*.onnx")):
        words, lacking = words_of(model, folder)
        code, why = OTHERWISE.get(model.stem, (0, "ONNX Runtime's numbers" + (", a step apart at most" if model.stem in STEPS else "")))
        after, before = (tried(program, words, folder) for program in programs)
        wrong += after[0] not in (code, REFUSED)
        says = after[1] if len(after[1]) < 130 else after[1][:130] + "…"
        cells = [f"exit {each[0]}, {'right' if each[0] == code else 'refused' if each[0] == REFUSED else 'wrong'}" for each in (before, after)]
        print(f"| {model.stem} | exit {code}, {why}{': ' + lacking[:60] if lacking else ''} | {cells[0]} | {cells[1]} | {says} |", flush=True)
    return wrong


def accidents(program):
    """Rows of accidents.py by the accident: what is right, the exit code, what was said, whether it is as it should be."""
    done = subprocess.run([sys.executable, str(HERE / "accidents.py"), program], capture_output=True, text=True, check=False)
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in done.stdout.splitlines() if line.startswith("| ")]
    return {row[0].strip(): [cell.strip() for cell in row[2:]] for row in rows[1:]}


def accidents_table(programs):
    after, before = (accidents(program) for program in programs)
    print("\n| accident | right | before | after | what it says now |\n|---|---|---|---|---|")
    for what, (right, code, said, verdict) in after.items():
        old = before.get(what, ["", "?", "", "?"])
        cells = [f"exit {each}, {'right' if told == 'as it should' else 'wrong'}" for each, told in ((old[1], old[3]), (code, verdict))]
        print(f"| {what} | exit {right} | {cells[0]} | {cells[1]} | {said} |")
    return sum(row[3] != "as it should" for row in after.values())


def main():
    programs = [str(pathlib.Path(program).resolve()) for program in sys.argv[1:3]]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="field-"))
    wrong = models_table(programs, folder) + accidents_table(programs)
    shutil.rmtree(folder)
    print(f"\nonnx {onnx.__version__}, ONNX Runtime {onnxruntime.__version__}; {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
