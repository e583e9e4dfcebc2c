#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs.py [ROOT]: README.md and every guide follow resources/docs/development/style.md. Exit 1 and one line per violation."""
import pathlib
import re
import sys

LONGEST_SENTENCE, AVERAGE_SENTENCE, LONGEST_LINE, README_LINES = 35, 22, 160, 90
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
# What belongs into results/, decisions/ or the changelog, since it is true of one day or one machine only.
DATED = [("a date", rf"\b20\d\d-\d\d-\d\d\b|\b\d{{1,2}} (?:{MONTHS})\b|\b(?:{MONTHS}) 20\d\d\b"),
         ("a commit", r"\b(?!ed25519\b)(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])(?:[0-9a-f]{7,12}|[0-9a-f]{40})\b"),
         ("a machine", r"\bEPYC\b|\bRyzen\b|\bXeon (?:at|of|with|Gold|Platinum)\b|\bKVM\b|\bLinux \d+\.\d+")]
BANNED = r"\b(?:whoever|nobody|who waits|of which|told)\b"
ITEM = r"^(?:-|\*|\d+\.) "


def without_code(text):
    """The lines outside of code blocks, each with its number."""
    lines, fenced = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            lines.append((number, line))
    return lines


def paragraphs(lines):
    """(number of the first line, text) of each paragraph and each item of a list; headings and tables are none."""
    found = []
    for number, line in lines:
        text = line.strip()
        if not text or text.startswith(("#", "|")):
            found.append((number, ""))
        elif re.match(ITEM, text) or not found or not found[-1][1]:
            found.append((number, re.sub(ITEM, "", text)))
        else:
            found[-1] = (found[-1][0], found[-1][1] + " " + text)
    return [(number, text) for number, text in found if text]


def sentences(paragraph):
    plain = re.sub(r"`[^`]*`", "`x`", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph))
    return [words for words in map(str.split, re.split(r"(?<=[.!?:;])\s+(?=[A-Z`\"(*])", plain)) if len(words) > 2]


def anchors(text):
    headings = (re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()) for _, line in without_code(text) if line.startswith("#"))
    return {heading.replace(" ", "-") for heading in headings}


def violations(path, is_guide):
    lines = without_code(path.read_text(encoding="utf-8"))
    lengths = []
    for number, paragraph in paragraphs(lines):
        for words in sentences(paragraph):
            lengths.append(len(words))
            if len(words) > LONGEST_SENTENCE:
                yield number, f"{len(words)} words in a sentence, at most {LONGEST_SENTENCE}: {' '.join(words[:6])} …"
    if lengths and sum(lengths) > AVERAGE_SENTENCE * len(lengths):
        yield 1, f"{sum(lengths) / len(lengths):.1f} words a sentence on average, at most {AVERAGE_SENTENCE}"
    for number, line in lines:
        prose = re.sub(r"\]\([^)]*\)", "]", line)
        if len(prose) > LONGEST_LINE and not line.lstrip().startswith("|"):
            yield number, f"{len(prose)} characters in a line, at most {LONGEST_LINE}"
        words = re.sub(r"`[^`]*`", "`x`", prose)
        for what, pattern in DATED if is_guide else []:
            if found := re.search(pattern, words):
                yield number, f"{what} in a guide, it belongs into results/: {found[0]}"
        if found := re.search(BANNED, words, re.IGNORECASE):
            yield number, f"name the subject instead of \"{found[0]}\""
        for target, _, anchor in (link.partition("#") for link in re.findall(r"\]\(([^)\s]+)\)", line) if "://" not in link):
            linked = path.parent / target if target else path
            if not linked.exists() or (anchor and anchor not in anchors(linked.read_text(encoding="utf-8"))):
                yield number, f"a link leads nowhere: {target}{'#' + anchor if anchor else ''}"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
    docs = root / "resources/docs"
    # requirements.md is a table with words of the source documents; lint.requirements reads it.
    guides = sorted(path for path in [*docs.glob("*.md"), *docs.glob("development/*.md")] if path.name != "requirements.md")
    readme = root / "README.md"
    found = [f"{path.relative_to(root)}:{number}: {what}" for path in [readme, *guides] for number, what in violations(path, path != readme)]
    if (length := len(readme.read_text(encoding="utf-8").splitlines())) > README_LINES:
        found.append(f"README.md: {length} lines, at most {README_LINES}")
    print("\n".join(found) if found else f"README.md and {len(guides)} guides follow the style page")
    sys.exit(1 if found or not guides else 0)


if __name__ == "__main__":
    main()
