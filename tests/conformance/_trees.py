"""Adversarial trees, by the place where the hostile text stands; the same for the same seed.

Texts come from the table of fragments of ``ujsx.testing``. Hypothesis could make the trees too, but
it stops at the first failure, and a rate needs them all.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from ujsx.mdast import (
    AlignType,
    Blockquote,
    Break,
    Code,
    Definition,
    Delete,
    Emphasis,
    FootnoteDefinition,
    FootnoteReference,
    Heading,
    Html,
    Image,
    ImageReference,
    InlineCode,
    Link,
    LinkReference,
    List,
    ListItem,
    Node,
    Paragraph,
    ReferenceType,
    Root,
    Strong,
    Table,
    TableCell,
    TableRow,
    Text,
    ThematicBreak,
    Yaml,
)
from ujsx.testing.strategies import BLOCK_HTML, FRAGMENTS, INLINE_HTML, LABELS

Maker: TypeAlias = "Callable[[Grower], Any]"

PIECES = [piece for group in FRAGMENTS.values() for piece in group]
REFERENCE_TYPES: tuple[ReferenceType, ...] = ("full", "collapsed", "shortcut")
SPANS = (Emphasis, Strong)
ALIGN: tuple[AlignType, ...] = (None, "left", "right", "center")


def tree(context: str, seed: int, number: int, *, gfm: bool = True) -> Root:
    """Return the ``number``-th tree of a context, most likely not in canonical form.

    >>> tree("paragraph", 1, 7) == tree("paragraph", 1, 7)
    True
    """
    grower = Grower(Random(f"{seed} {context} {number}"), gfm)
    blocks = CONTEXTS[context](grower)
    return Root(tuple(blocks))


class Grower:
    """Makes nodes by chance; ``gfm`` adds GitHub's kinds and front matter."""

    def __init__(self, random: Random, gfm: bool) -> None:
        self.random = random
        self.gfm = gfm

    def text(self, most: int = 6) -> str:
        random = self.random
        if random.random() < 0.02:
            return random.choice(PIECES) * random.randint(20, 200)
        return "".join([self._piece() for _ in range(random.randint(1, most))])

    def _piece(self) -> str:
        random = self.random
        if random.random() < 0.75:
            return random.choice(PIECES)
        code = random.choice((0x7F, 0x2FF, 0xFFFF, 0x1FAFF))
        point = random.randint(1, code)
        return chr(point) if not 0xD800 <= point <= 0xDFFF else "\ufffd"

    def maybe_text(self) -> str | None:
        return self.text() if self.random.random() < 0.5 else None

    def label(self) -> str:
        return self.random.choice(LABELS).lower()

    def phrasing(self, depth: int = 3) -> list[Any]:
        return [self._inline(depth) for _ in range(self.random.randint(1, 4))]

    def _inline(self, depth: int) -> Node:
        kinds = [*LEAVES, *(GFM_LEAVES if self.gfm else ())]
        if depth > 0:
            kinds += [*NESTED, *(GFM_NESTED if self.gfm else ())]
        kind = self.random.choice(kinds)
        node: Node = kind(self, depth - 1)
        return node

    def flow(self, depth: int = 2) -> list[Any]:
        return [self._block(depth) for _ in range(self.random.randint(0, 4))]

    def _block(self, depth: int) -> Node:
        kinds = [*BLOCKS, *(GFM_BLOCKS if self.gfm else ())]
        if depth > 0:
            kinds += [*CONTAINERS, *(GFM_CONTAINERS if self.gfm else ())]
        node: Node = self.random.choice(kinds)(self, depth - 1)
        return node

    def items(self, depth: int) -> tuple[ListItem, ...]:
        checks = (None, True, False) if self.gfm else (None,)
        return tuple(
            ListItem(
                self.random.choice(checks), self.random.random() < 0.5, tuple(self.flow(depth))
            )
            for _ in range(self.random.randint(0, 3))
        )

    def table(self) -> Table:
        random = self.random
        rows = [
            TableRow(tuple(TableCell(tuple(self.phrasing(1))) for _ in range(random.randint(0, 3))))
            for _ in range(random.randint(0, 3))
        ]
        align = tuple(random.choice(ALIGN) for _ in range(random.randint(0, 3)))
        return Table(align, tuple(rows))

    def definitions(self) -> list[Node]:
        """Return a definition for every label that references are made of, or for none."""
        if self.random.random() < 0.3:
            return []
        labels = {label.lower(): label for label in LABELS}
        found: list[Node] = [Definition(key, "x", label) for key, label in labels.items()]
        return found + ([FootnoteDefinition(key, key) for key in labels] if self.gfm else [])

    def front_matter(self) -> list[Node]:
        return [Yaml(self.text())] if self.gfm and self.random.random() < 0.1 else []


def _phrasing(grower: Grower, depth: int = 3) -> tuple[Any, ...]:
    return tuple(grower.phrasing(depth))


# What may be nested takes the depth that is left.
LEAVES: tuple[Callable[[Grower, int], Node], ...] = (
    lambda grower, _: Text(grower.text()),
    lambda grower, _: Text(grower.text()),
    lambda grower, _: InlineCode(grower.text()),
    lambda _, __: Break(),
    lambda grower, _: Html(grower.random.choice((*INLINE_HTML, grower.text()))),
    lambda grower, _: Image(grower.text(), grower.maybe_text(), grower.maybe_text() or ""),
    lambda grower, _: ImageReference(
        grower.label(), None, grower.random.choice(REFERENCE_TYPES), grower.maybe_text() or ""
    ),
)
GFM_LEAVES: tuple[Callable[[Grower, int], Node], ...] = (
    lambda grower, _: FootnoteReference(grower.label()),
)
NESTED: tuple[Callable[[Grower, int], Node], ...] = (
    lambda grower, depth: Emphasis(_phrasing(grower, depth)),
    lambda grower, depth: Strong(_phrasing(grower, depth)),
    lambda grower, depth: Emphasis(_phrasing(grower, depth)),
    lambda grower, depth: Strong(_phrasing(grower, depth)),
    lambda grower, depth: Link(grower.text(), grower.maybe_text(), _phrasing(grower, depth)),
    lambda grower, depth: LinkReference(
        grower.label(), None, grower.random.choice(REFERENCE_TYPES), _phrasing(grower, depth)
    ),
)
GFM_NESTED: tuple[Callable[[Grower, int], Node], ...] = (
    lambda grower, depth: Delete(_phrasing(grower, depth)),
)
BLOCKS: tuple[Callable[[Grower, int], Node], ...] = (
    lambda grower, _: Paragraph(_phrasing(grower)),
    lambda grower, _: Paragraph((Text(grower.text()),)),
    lambda grower, _: Heading(grower.random.randint(1, 6), _phrasing(grower, 2)),  # type: ignore[arg-type]
    lambda _, __: ThematicBreak(),
    lambda grower, _: Code(grower.text(), grower.maybe_text(), grower.maybe_text()),
    lambda grower, _: Html(grower.random.choice((*BLOCK_HTML, grower.text()))),
    lambda grower, _: Definition(grower.label(), grower.text(), None, grower.maybe_text()),
)
GFM_BLOCKS: tuple[Callable[[Grower, int], Node], ...] = (lambda grower, _: grower.table(),)
CONTAINERS: tuple[Callable[[Grower, int], Node], ...] = (
    lambda grower, depth: Blockquote(tuple(grower.flow(depth))),
    lambda grower, depth: List(
        grower.random.random() < 0.5,
        grower.random.choice((None, 0, 1, 2, 10, 999_999_999)),
        grower.random.random() < 0.5,
        grower.items(depth),
    ),
)
GFM_CONTAINERS: tuple[Callable[[Grower, int], Node], ...] = (
    lambda grower, depth: FootnoteDefinition(grower.label(), None, tuple(grower.flow(depth))),
)


def _one_link(grower: Grower) -> list[Node]:
    link = Link(grower.text(), grower.maybe_text(), (Text("a"),))
    return [Paragraph((Text("x "), link, Text(" y")))]


def _one_item(grower: Grower) -> list[Node]:
    def item() -> ListItem:
        return ListItem(children=(Paragraph((Text(grower.text()),)),))

    return [List(children=(item(), item()))]


def _one_table(grower: Grower) -> list[Node]:
    def row() -> TableRow:
        return TableRow(tuple(TableCell((Text(grower.text()),)) for _ in range(2)))

    return [Table((None, "right"), (row(), row()))]


def _surrounded(grower: Grower) -> list[Node]:
    span = grower.random.choice(SPANS)((Text(grower.text(3)),))
    return [Paragraph((Text(grower.text(3)), span, Text(grower.text(3))))]


CONTEXTS: dict[str, Callable[[Grower], list[Node]]] = {
    "paragraph": lambda grower: [Paragraph((Text(grower.text()),))],
    "heading": lambda grower: [Heading(grower.random.randint(1, 6), (Text(grower.text()),))],  # type: ignore[arg-type]
    "emphasis": _surrounded,
    "link url and title": _one_link,
    "list item": _one_item,
    "table cell": _one_table,
    "mixed phrasing": lambda grower: [Paragraph(_phrasing(grower)), *grower.definitions()],
    "mixed flow": lambda grower: [
        *grower.front_matter(),
        *grower.flow(),
        *grower.definitions(),
    ],
}
"""Where the text stands; ``table cell`` is GitHub's."""

COMMONMARK = tuple(name for name in CONTEXTS if name != "table cell")
"""The contexts that CommonMark has."""


def contexts(*, gfm: bool) -> tuple[str, ...]:
    """Return the contexts of a dialect."""
    return tuple(CONTEXTS) if gfm else COMMONMARK
