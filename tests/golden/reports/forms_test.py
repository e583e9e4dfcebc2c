#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""forms_test.py FORMAT SCHEMAS: the recorded report has the form that its readers demand. "junit": junit.xsd beside this file, by xmllint;
"sarif": sarif.schema.json, by jsonschema; "lines": check.schema.json of the folder SCHEMAS. Exit 77 where the tool is not here."""
import json
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(77)


def check_junit(_):
    if not shutil.which("xmllint"):
        skip("xmllint (Debian: libxml2-utils) is not here")
    checked = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", HERE / "junit.xsd", HERE / "junit.xml"], capture_output=True,
                             encoding="utf-8", check=False)
    return [] if checked.returncode == 0 else checked.stderr.splitlines()


def complaints(schema, documents):
    try:
        import jsonschema
    except ImportError:
        skip("jsonschema (Debian: python3-jsonschema) is not here")
    validator = jsonschema.Draft202012Validator(json.loads(schema.read_text(encoding="utf-8")))
    validator.check_schema(validator.schema)
    return [f"{number}: {error.json_path}: {error.message[:300]}" for number, document in enumerate(documents, 1)
            for error in validator.iter_errors(document)]


def check_sarif(_):
    document = json.loads((HERE / "check.sarif").read_text(encoding="utf-8"))
    found = complaints(HERE / "sarif.schema.json", [document])
    # What a schema cannot say.
    rules = [rule["id"] for rule in document["runs"][0]["tool"]["driver"]["rules"]]
    for result in document["runs"][0]["results"]:
        if rules[result["ruleIndex"]] != result["ruleId"]:
            found.append(f"{result['ruleId']}: its ruleIndex is another rule's")
    return found + ([] if len(set(rules)) == len(rules) else ["a rule is declared twice"])


def check_lines(schemas):
    lines = (HERE / "lines.jsonl").read_text(encoding="utf-8").splitlines()
    documents = [json.loads(line) for line in lines]
    found = complaints(schemas / "check.schema.json", documents)
    kinds = ["schema" in document for document in documents]
    return found if kinds == [True] + [False] * documents[0]["cases"] else [*found, "the run's line is not the first or miscounts"]


def main():
    found = {"junit": check_junit, "sarif": check_sarif, "lines": check_lines}[sys.argv[1]](pathlib.Path(sys.argv[2]))
    print("\n".join(found) if found else "as it should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
