"""``make formatters``: this formatter beside prettier and mdformat, on the Markdown of installed packages.

For each: the documents in which cmark-gfm or micromark-gfm show the same before and after, the lines that
are touched, and the time. prettier leaves code in fences alone here, as the others do.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import time
from collections.abc import Callable, Sequence

from tests.conformance._corpora import Document
from tests.conformance._format import LeftAsItIsError, formatted
from tests.conformance._missing import MissingError
from tests.conformance._node import Node
from tests.conformance._oracles import gfm_oracles
from tests.conformance.corpus import documents

Formatter = Callable[[Sequence[str]], list[str | None]]

LONGEST = 60_000
"""Characters of a document that is looked at: a diff takes long for more."""


def own(texts: Sequence[str]) -> list[str | None]:
    """Format as ``ujsx format --canonical`` does, with its checks."""
    results: list[str | None] = []
    for text in texts:
        try:
            results.append(formatted(text, canonical=True))
        except LeftAsItIsError:
            results.append(None)
    return results


def mdformat(texts: Sequence[str]) -> list[str | None]:
    """Format as mdformat does, with its check."""
    import mdformat as library

    results: list[str | None] = []
    for text in texts:
        try:
            results.append(library.text(text))
        except Exception:  # noqa: BLE001 - whatever it cannot format
            results.append(None)
    return results


def touched(old: str, new: str) -> int:
    """Return how many lines a diff marks, of both sides the larger number."""
    pair = (old.replace("\r\n", "\n").split("\n"), new.replace("\r\n", "\n").split("\n"))
    matcher = difflib.SequenceMatcher(None, *pair, autojunk=False)
    return sum(
        max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"
    )


def row(name: str, form: Formatter, found: Sequence[Document], node: Node) -> str:
    """Return a formatter's row of the table."""
    texts = [each.text if each.text.endswith("\n") else f"{each.text}\n" for each in found]
    started = time.monotonic()
    results = form(texts)
    took = time.monotonic() - started
    done = [(old, new) for old, new in zip(texts, results, strict=True) if new is not None]
    same = [True] * len(done)
    for oracle in gfm_oracles(node):
        before = oracle.render([old for old, _ in done])
        after = oracle.render([new for _, new in done])
        same = [kept and a == b for kept, a, b in zip(same, before, after, strict=True)]
    lines = sum(old.count("\n") for old, _ in done)
    marked = sum(touched(old, new) for old, new in done)
    size = sum(map(len, texts)) / 1e6
    refused = len(found) - len(done)
    return (
        f"| {name} | {sum(same)} of {len(done)} | {refused} | {100 * marked / lines:.1f} % "
        f"| {size / took:.2f} |"
    )


def main() -> int:
    """Read the arguments, compare, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.formatters")
    parser.add_argument("--every", type=int, default=1, help="look at each N-th document only")
    options = parser.parse_args()
    try:
        with Node() as node:
            found = [each for each in documents() if len(each.text) < LONGEST][:: options.every]
            forms: dict[str, Formatter] = {
                "ujsx": own,
                "mdformat": mdformat,
                "prettier": lambda texts: node.ask("prettier", texts),
            }
            print(f"{len(found):,} documents\n")
            print("| formatter | HTML kept | refused | lines touched | MB/s |")
            print("| --- | --- | --- | --- | --- |")
            for name, form in forms.items():
                print(row(name, form, found, node), flush=True)
    except MissingError as error:
        print(f"formatters: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
