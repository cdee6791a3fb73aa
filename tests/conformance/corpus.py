"""``make corpus``: every Markdown file of the installed packages, formatted as ``ujsx format --canonical`` does (DEFAULT=1: without).

What cmark-gfm and micromark-gfm show of a file must be the same before and after, and formatting
the result must change nothing. Exit status 1 if a file fails, 2 if something is not installed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.conformance._corpora import REPOSITORY, Document, readmes
from tests.conformance._format import LeftAsItIsError, formatted
from tests.conformance._missing import MissingError
from tests.conformance._node import Node
from tests.conformance._oracles import gfm_oracles
from tests.conformance._table import difference

DISPUTED = {
    "node_modules/type-fest/readme.md": (
        "cmark-gfm counts what an item leaves of a fence's tab, and leaves it in the code's lines"
    ),
}
"""Files that a reader shows otherwise for a fault of its own, which the sentence names."""

FAULTS = ("refused", "changed", "not stable")
"""What can come of a file, beside that it shows the same: a line of the table each."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a file: ``fault`` is one of ``FAULTS``, ``words`` say where it is."""

    name: str
    fault: str | None = None
    words: str = ""


def documents() -> list[Document]:
    """Return the Markdown of the installed packages and of this project, each text once."""
    found: dict[str, str] = {}
    for document in [*readmes(), *files(Path(sys.prefix)), *files(REPOSITORY / "docs")]:
        found.setdefault(document.text, document.name)
    return [Document(name, text) for text, name in sorted(found.items(), key=lambda pair: pair[1])]


def files(folder: Path) -> Iterator[Document]:
    """Yield the Markdown files of a folder."""
    for path in sorted(folder.rglob("*.md")):
        text = path.read_text(encoding="utf-8", errors="replace")
        yield Document(str(path.relative_to(folder)), text)


def check(documents: Sequence[Document], node: Node, *, canonical: bool) -> list[Result]:
    """Format each document, and hold what the readers show of it against what they showed."""
    results: list[Result] = []
    written: list[tuple[Document, str]] = []
    for document in documents:
        try:
            text = formatted(document.text, canonical=canonical)
        except LeftAsItIsError as error:
            results.append(Result(document.name, "refused", str(error)))
            continue
        written.append((document, text))
    faults: dict[str, Result] = {}
    for oracle in gfm_oracles(node):
        # Without a line end behind the last line, micromark's HTML has none either.
        before = oracle.render([_ended(document.text) for document, _ in written])
        after = oracle.render([_ended(text) for _, text in written])
        for (document, _), old, new in zip(written, before, after, strict=True):
            if old != new and oracle.name not in DISPUTED.get(document.name, ""):
                words = f"{oracle.name}: {difference(old, new)}"
                faults.setdefault(document.name, Result(document.name, "changed", words))
    for document, text in written:
        if document.name not in faults and (words := _again(text, canonical=canonical)):
            faults[document.name] = Result(document.name, "not stable", words)
    return results + [faults.get(each.name, Result(each.name)) for each, _ in written]


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def _again(text: str, *, canonical: bool) -> str | None:
    try:
        again = formatted(text, canonical=canonical)
    except LeftAsItIsError as error:
        return str(error)
    return difference(text, again) if again != text else None


def main() -> int:
    """Read the arguments, check, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.corpus", description=__doc__)
    parser.add_argument("--shown", type=int, default=100, help="failures listed of each kind")
    parser.add_argument("--default", action="store_true", help="format as without --canonical")
    options = parser.parse_args()
    started = time.monotonic()
    try:
        with Node() as node:
            results = check(documents(), node, canonical=not options.default)
    except MissingError as error:
        print(f"corpus: {error}", file=sys.stderr)
        return 2
    count = Counter(result.fault or "the same" for result in results)
    print(f"{len(results):,} Markdown files of installed packages, formatted\n")
    for kind in ("the same", *FAULTS):
        print(f"{kind:12} {count[kind]:6,}")
    for kind in FAULTS:
        failed = [result for result in results if result.fault == kind]
        if failed:
            print(f"\n{kind}:")
        for result in failed[: options.shown]:
            print(f"- {result.name}: {result.words}")
        if len(failed) > options.shown:
            print(f"- … and {len(failed) - options.shown} more")
    print(f"\n{time.monotonic() - started:.0f} s")
    return 1 if len(results) > count["the same"] else 0


if __name__ == "__main__":
    sys.exit(main())
