#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_expressions.py: writes expressions.json beside this file: 200 random contractions with what the opt_einsum package (3.4.0) says that their
optimal (up to eight operands) and greedy paths cost, in its FLOPs. Needs opt_einsum, numpy and pytest; the seeds are fixed, so that the
same version writes the same file."""
import json
import pathlib

import opt_einsum
from opt_einsum.testing import rand_equation


def cost(equation, shapes, method):
    return float(opt_einsum.contract_path(equation, *shapes, shapes=True, optimize=method)[1].opt_cost)


def expression(seed):
    operands = 3 + seed % 6 if seed < 150 else 9 + seed % 16
    equation, shapes = rand_equation(operands, 3 if seed % 3 else 2, n_out=seed % 4, d_min=2, d_max=9, seed=seed, global_dim=seed % 7 == 0)
    terms = equation.split("->")[0].split(",")
    sizes = {name: extent for term, shape in zip(terms, shapes) for name, extent in zip(term, shape)}
    found = {"equation": equation, "sizes": sizes, "greedy": cost(equation, shapes, "greedy")}
    if operands <= 8:
        found["optimal"] = cost(equation, shapes, "optimal")
    return found


def main():
    expressions = [expression(seed) for seed in range(200)]
    lines = ",\n".join(json.dumps(each, sort_keys=True, ensure_ascii=True) for each in expressions)
    (pathlib.Path(__file__).parent / "expressions.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
