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
from ujsx.testing.strategies import BLOCK_HTML, FRAGMENTS, INLINE_HTML
from ujsx.testing.strategies import LABELS as ONE_LINE_LABELS

Maker: TypeAlias = "Callable[[Grower], Any]"

PIECES = [piece for group in FRAGMENTS.values() for piece in group]
SYMBOLS = (
    "😀",
    "🚀",
    "👩‍💻",
    "🏳️‍🌈",
    "𝄞",
    "𝐱",
    "𠀀",
    "\U00010100",
    "\U0001fbf0",
    "→",
    "€",
    "§",
    "、",
    "é",
)
"""Symbols, most of them beyond the basic plane, and letters and punctuation there."""
WORDS = ("_x_", "__x__", "*x*", "**x:**", "_x", "x_", "a", "1", ":", "(", "-", "_", "*", "~", " ")
"""What stands beside symbols: marks as text, letters, punctuation."""
URLS = (
    "http://a.b", "https://a.b/c_d_?e=*f*&g", "ftp://a.b", "www.a.b", "mailto:a@b.co", "a@b.co", "xmpp:a@b.co",
    "a:b", "tool:x_y", "http://a.b/|", "http://a.b\\|c", "http://a.b/😀", "http://a b", "http://a.b/(c)", "a:",
)  # fmt: skip
LINES_OF_HTML = (
    "<a\n  href='x'>", '<img\nsrc="y"\nalt="z">', "<a\n\thref=x>", "</b\n>", "<!-- a\nb -->",
    "<!--\n\n-->", "<!--\n# a\n- b\n-->", "<?p\n  q?>", "<!X\ny>", "<![CDATA[\n    a\n]]>", "<a b='\n> c'>",
    "<a b='\n<div>'>", "<a\n    b\n      c>", "<a b='\n1. c\n==='>", "<a b='\n[^n]: c'>", "<a b='\n| - |\n'>",
)  # fmt: skip
"""Inline HTML on several lines."""
LABELS = (*ONE_LINE_LABELS, "d\ne", "f\t g", "\nh", "😀", "p|q")
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

    def words(self, most: int = 4) -> str:
        """Return symbols beside words and marks."""
        pieces = self.random.choices((*SYMBOLS, *WORDS), k=self.random.randint(1, most))
        return "".join(pieces)

    def lines(self) -> str:
        """Return a text of several lines, some of them indented."""
        between = ("\n", "\n", "\n ", " \n", "\n\t", "\n    ", "\r\n", "\n\n", "\t")
        parts = [
            part
            for _ in range(self.random.randint(1, 3))
            for part in (self._piece(), self.random.choice(between))
        ]
        return "".join(parts[:-1] if self.random.random() < 0.8 else parts)

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
    lambda grower, _: Html(grower.random.choice((*INLINE_HTML, *LINES_OF_HTML, grower.text()))),
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


def _beside_symbols(grower: Grower) -> list[Node]:
    """Spans, one in another now and then, with symbols at both sides of their edges."""

    def line(depth: int) -> tuple[Any, ...]:
        nodes: list[Node] = []
        for _ in range(grower.random.randint(1, 2)):
            nodes += [Text(grower.words(2)), span(depth), Text(grower.words(2))]
        return tuple(nodes[grower.random.randint(0, 1) :])

    def span(depth: int) -> Node:
        kinds: tuple[Any, ...] = (*SPANS, Delete) if grower.gfm else SPANS
        is_flat = depth == 0 or grower.random.random() < 0.7
        return grower.random.choice(kinds)((Text(grower.words(3)),) if is_flat else line(depth - 1))  # type: ignore[no-any-return]

    return [Paragraph(line(2))]


def _one_url(grower: Grower) -> list[Node]:
    """A URL as a link's own text, and as text in angle brackets."""
    url = grower.random.choice(URLS)
    shown = grower.random.choice((url, url.removeprefix("mailto:")))
    link = Link(url, grower.random.choice((None, None, "t")), (Text(shown),))
    text = Text(grower.random.choice((f"<{url}>", url, f"<{url}", f"{url}>", f"\\<{url}>")))
    between = Text(grower.random.choice((" ", "", "x", "<", ">", "(", "_", "\n")))
    line: list[Any] = [link, between, text]
    grower.random.shuffle(line)
    if grower.gfm and grower.random.random() < 0.2:
        return [Table((), (TableRow((TableCell(tuple(line)),)),))]
    return [Paragraph(tuple(line))]


def _lines_within(grower: Grower) -> list[Node]:
    """Line ends where a line goes on: in descriptions, titles, labels and HTML, in containers."""
    label, title = grower.random.choice(LABELS), grower.lines()
    kinds: tuple[Node, ...] = (
        Image("u", title, grower.lines()),
        Link("u", title, (Text(grower.lines()),)),
        ImageReference(label, label, grower.random.choice(REFERENCE_TYPES), label),
        LinkReference(label, label, grower.random.choice(REFERENCE_TYPES), (Text(label),)),
        Html(grower.random.choice(LINES_OF_HTML)),
        InlineCode(grower.lines()),
    )
    line: tuple[Any, ...] = (
        *((Text(grower.lines()),) if grower.random.random() < 0.6 else ()),
        grower.random.choice(kinds),
        *((Text(grower.lines()),) if grower.random.random() < 0.6 else ()),
    )
    blocks: list[Any] = [Paragraph(line), Definition(label, "u", label, title)]
    if grower.gfm and grower.random.random() < 0.2:
        blocks[0] = Table((), (TableRow((TableCell(line),)),))
    grower.random.shuffle(blocks)
    return [_contained(grower, tuple(blocks))]


def _contained(grower: Grower, blocks: tuple[Any, ...]) -> Node:
    """Return blocks in containers, one to three deep."""
    node: Any = None
    for _ in range(grower.random.randint(1, 3)):
        blocks = (node,) if node is not None else blocks
        node = _container(grower, blocks)
    return node  # type: ignore[no-any-return]


def _container(grower: Grower, blocks: tuple[Any, ...]) -> Node:
    random = grower.random
    if random.random() < 0.35:
        return Blockquote(blocks)
    if grower.gfm and random.random() < 0.1:
        return FootnoteDefinition("n", "n", blocks)
    checked = random.choice((None, None, True)) if grower.gfm else None
    items = [ListItem(checked, random.random() < 0.3, blocks)]
    for _ in range(random.choice((0, 0, 1, 2))):
        items.insert(random.randint(0, len(items)), ListItem(None, False, _little(grower)))
    start = random.choice((None, 1, 1, 1, 7, 123_456_789))
    return List(random.random() < 0.6, start, random.random() < 0.3, tuple(items))


def _little(grower: Grower) -> tuple[Any, ...]:
    """Return blocks of a word, of code or HTML that blank lines and tabs mean something in, or none."""
    texts = ("a", "1. a", "- a", "_x_", "a\tb", "\ta", "a\n\tb", "", "\n")
    blocks: tuple[Any, ...] = (
        Paragraph((Text(grower.random.choice(texts)),)),
        Paragraph((Text("b"),)),
        Heading(grower.random.choice((1, 2, 6)), (Text("c"),)),
        Code(grower.random.choice(("", "\td", "d\n\n\te", "\n"))),
        Html(grower.random.choice(("<!-- open\n", "<p>\n\te", "  <p>", "<?p\n\n\tq?>"))),
        ThematicBreak(),
    )
    return tuple(grower.random.choice(blocks) for _ in range(grower.random.choice((0, 0, 1, 1, 2))))


def _nests(grower: Grower) -> list[Node]:
    """Containers in containers, many of them with nothing in them: ``1. 1. - > 1.``."""

    def nest(depth: int) -> Node:
        random = grower.random
        blocks: list[Any] = list(_little(grower))
        if depth and random.random() < 0.85:
            blocks.insert(random.randint(0, len(blocks)), nest(depth - 1))
        return _container(grower, tuple(blocks))

    return [nest(grower.random.randint(1, 5)) for _ in range(grower.random.randint(1, 2))]


CONTEXTS: dict[str, Callable[[Grower], list[Node]]] = {
    "paragraph": lambda grower: [Paragraph((Text(grower.text()),))],
    "heading": lambda grower: [Heading(grower.random.randint(1, 6), (Text(grower.text()),))],  # type: ignore[arg-type]
    "emphasis": _surrounded,
    "link url and title": _one_link,
    "list item": _one_item,
    "table cell": _one_table,
    "beside symbols": _beside_symbols,
    "URL": _one_url,
    "lines within": _lines_within,
    "nests": _nests,
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
