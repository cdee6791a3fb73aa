"""``make edits``: one edit of each kind in every Markdown file of the installed packages, by ``Document``.

Without an edit a file must be the same bytes. With one, only the lines of the edited node may change, and
what cmark-gfm and micromark-gfm show of the rest must not. ``FOLDER=path`` edits the files of a folder.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

from tests.conformance import corpus
from tests.conformance._corpora import Document as Corpus
from tests.conformance._missing import MissingError
from tests.conformance._node import Node
from tests.conformance._oracles import gfm_oracles
from ujsx.mdast import (
    Definition,
    Document,
    FootnoteDefinition,
    Heading,
    List,
    ListItem,
    Paragraph,
    Table,
    TableCell,
    TableRow,
    Text,
    Yaml,
)
from ujsx.mdast.util import find, replace

WORD = "edited0"
"""What edits put into a file: a word that no file has."""

FEW = 40
"""Documents of which the texts and what readers show are held at a time."""

NEW = Paragraph(children=[Text(WORD)])
ITEM = ListItem(children=[NEW])

_TAG = re.compile(r"<[^>]*(?:>|\Z)|\A[^<>]*>")
_WORDS = re.compile(r"\w+")


def _blocks(document: Document) -> list[Any]:
    needed = (Definition, FootnoteDefinition, Yaml)  # others depend on them
    return [each for each in document.root.children if not isinstance(each, needed)]


def _of(*kinds: type[Any]) -> Callable[[Document], list[Any]]:
    return lambda document: [*find(document.root, *kinds)]


def _below_head(document: Document) -> list[Any]:
    return [row for table in find(document.root, Table) for row in table.children[1:]]


def _several(document: Document) -> list[Any]:
    lists = [each for each in find(document.root, List) if len(each.children) > 2]
    return [item for each in lists for item in each.children[1:]]


def _row(row: TableRow) -> TableRow:
    return TableRow(children=[TableCell(children=[Text(WORD)]) for _ in row.children])


def _with_word(node: Any) -> Any:
    return replace(node, children=[*node.children, Text(f" {WORD}")])


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit: the nodes that it can be of, and what it does to one."""

    nodes: Callable[[Document], list[Any]]
    make: Callable[[Document, Any], object]


EDITS: Mapping[str, Edit] = {
    "a word in a leaf": Edit(
        _of(Paragraph, Heading, TableCell), lambda d, node: d.replace(node, _with_word(node))
    ),
    "a heading's words": Edit(
        _of(Heading), lambda d, node: d.replace(node, replace(node, children=NEW.children))
    ),
    "a paragraph replaced": Edit(_of(Paragraph), lambda d, node: d.replace(node, NEW)),
    "a cell replaced": Edit(
        _of(TableCell), lambda d, node: d.replace(node, TableCell(children=NEW.children))
    ),
    "a text replaced": Edit(_of(Text), lambda d, node: d.replace(node, Text(WORD))),
    "an item inserted": Edit(_of(ListItem), lambda d, node: d.insert(ITEM, after=node)),
    "an item removed": Edit(_several, lambda d, node: d.remove(node)),
    "a list in an item": Edit(
        _of(ListItem), lambda d, node: d.insert(List(children=[ITEM]), into=node)
    ),
    "a row inserted": Edit(_of(TableRow), lambda d, node: d.insert(_row(node), after=node)),
    "a row removed": Edit(_below_head, lambda d, node: d.remove(node)),
    "a block inserted": Edit(_blocks, lambda d, node: d.insert(NEW, after=node)),
    "a block removed": Edit(_blocks, lambda d, node: d.remove(node)),
}


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file before and after an edit, with the lines of the edited node, and how many words they have."""

    name: str
    kind: str
    before: str
    after: str
    lines: tuple[int, int]
    words: int

    @property
    def is_local(self) -> bool:
        """Whether only lines of the node changed, or blank ones and new ones beside it."""
        old, new = self.before.split("\n"), self.after.split("\n")
        head, tail = _shared(old, new)
        changed = [
            number for number in range(head + 1, len(old) - tail + 1) if old[number - 1].strip()
        ]
        return all(self.lines[0] <= number <= self.lines[1] for number in changed)

    def shows_the_same(self, before: str, after: str) -> bool:
        """Return whether two HTML texts differ in one place, by no more than the node's lines hold."""
        head, tail = _shared(before, after)
        gone, new = before[head : len(before) - tail], after[head : len(after) - tail]
        found = [len(_WORDS.findall(unescape(_TAG.sub(" ", each)))) for each in (gone, new)]
        return max(found) <= self.words + 2


def _shared(one: Sequence[Any], other: Sequence[Any]) -> tuple[int, int]:
    """Return how much two sequences share at their start, and behind that at their end."""
    head = _head(one, other)
    return head, _head(one[head:][::-1], other[head:][::-1])


def _head(one: Sequence[Any], other: Sequence[Any]) -> int:
    same, differs = 0, min(len(one), len(other)) + 1
    while differs - same > 1:
        middle = (same + differs) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            differs = middle
    return same


def edited(name: str, text: str, kind: str) -> EditedFile | None:
    """Return a file with an edit of a kind in it; ``None`` if there is nothing for it."""
    document = Document(text)
    edit = EDITS[kind]
    nodes = [node for node in edit.nodes(document) if node.position is not None]
    if not nodes:
        return None
    node = Random(f"{name} {kind}").choice(nodes)
    lines = node.position.start.line, node.position.end.line
    words = len(_WORDS.findall("\n".join(text.split("\n")[lines[0] - 1 : lines[1]])))
    edit.make(document, node)
    return EditedFile(name, kind, text, document.text, lines, words)


def check(documents: Sequence[Corpus], node: Node) -> Iterator[tuple[EditedFile, list[str]]]:
    """Yield each edited file of a few documents, with those who see more changed: lines, or readers."""
    made = [[edited(each.name, each.text, kind) for kind in EDITS] for each in documents]
    files = [(place, file) for place, some in enumerate(made) for file in some if file is not None]
    faults = [[] if file.is_local else ["other lines"] for _, file in files]
    for oracle in gfm_oracles(node):
        before = oracle.render([each.text for each in documents])
        after = oracle.render([file.after for _, file in files])
        for (place, file), html, found in zip(files, after, faults, strict=True):
            if not file.shows_the_same(before[place], html):
                found.append(oracle.name)
    yield from zip([file for _, file in files], faults, strict=True)


def main() -> int:
    """Read the arguments, edit, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.edits", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="a folder with Markdown files")
    parser.add_argument("--shown", type=int, default=20, help="failures listed of each kind")
    options = parser.parse_args()
    started = time.monotonic()
    documents = corpus.documents() if options.folder is None else [*corpus.files(options.folder)]
    same = [each for each in documents if Document(each.text).text == each.text]
    print(f"{len(same):,} of {len(documents):,} files are the same bytes without an edit\n")
    count, faulty = Counter[str](), list[tuple[str, str]]()
    try:
        with Node() as node:
            for start in range(0, len(documents), FEW):
                for file, found in check(documents[start : start + FEW], node):
                    count[file.kind] += 1
                    if found:
                        where = f"{file.name}, lines {file.lines[0]} to {file.lines[1]}"
                        faulty.append((file.kind, f"{where}: {', '.join(found)}"))
    except MissingError as error:
        print(f"edits: {error}", file=sys.stderr)
        return 2
    for kind in EDITS:
        print(
            f"{kind:22} {count[kind]:6,}   {sum(each == kind for each, _ in faulty):4,} change more"
        )
    share = 1 - len(faulty) / max(1, count.total())
    print(f"\n{share:.2%} of {count.total():,} edits change nothing else")
    for kind, words in faulty[: options.shown]:
        print(f"- {kind}: {words}")
    print(f"\n{time.monotonic() - started:.0f} s")
    return 0 if len(same) == len(documents) and share >= 0.99 else 1


if __name__ == "__main__":
    sys.exit(main())
