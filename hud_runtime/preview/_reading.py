"""Markdown as a person reads it: a tree of few kinds of elements, which can neither run nor fetch anything.

In: Markdown that may hold anything. Out: ``hast`` without an address in it. Links and pictures are words,
raw HTML is the text that it is; what no page has a place for is a ``span``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, zip_longest
from typing import Any, cast

from ujsx import hast, mdast

TAGS = frozenset(
    {
        "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
        "pre", "section", "span", "strong", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
    }
)  # fmt: skip
"""The elements that a reading consists of."""

JOINS = re.compile(r"\]:|^ {0,3}<(?!!--[^>\n]*-->$)", re.MULTILINE)
"""What tells of other parts of a text, or takes them in: definitions, and HTML that may not end."""

READ = 4_000
"""Nodes whose reading is kept."""

ADDRESSES = {"a": "href", "img": "src"}
"""Elements that lead elsewhere, and the property that says where."""


def blocks_of(markdown: str) -> list[tuple[int, hast.Content]]:
    r"""Return the blocks of a text, each with the offset at which it begins, in characters.

    >>> [(at, hast.to_html(block)) for at, block in blocks_of("# HUD\n\n[y](https://a.co)\n")]
    [(0, '<h1>HUD</h1>'), (7, '<p><span class="link" title="https://a.co">y</span></p>')]
    """
    from ujsx.transforms import registry

    root = mdast.from_markdown(markdown)
    shown = [each for each in root.children if not isinstance(each, _UNSHOWN)]
    page: Any = registry.transform("mdast -> hast", root)
    made = [each for each in page.children if not isinstance(each, hast.Text)]
    starts = [_offset(each) for each in shown]
    last = starts[-1] if starts else 0
    pairs = zip_longest(starts, made, fillvalue=last)  # footnotes stand behind all
    return [(at, one) for at, each in pairs for one in _harmless(each)]


class Readings:
    r"""The blocks of texts by the nodes that they came from, as data for the page; what was read before is not read again.

    Nodes are read one by one where each begins behind a blank line. Where something in a text may tell of other parts of
    it, such as a definition, all of it is read at once.

    :param before_each: called before something is read; what it raises ends that, and what was read till then is kept.

    >>> readings = Readings()
    >>> readings.of("# HUD\n\n*Port*\n", ["# HUD", "\n\n*Port*"])
    [[['h1', '', '', ['HUD']]], [['p', '', '', [['em', '', '', ['Port']]]]]]
    """

    def __init__(self, before_each: Callable[[], object] = lambda: None) -> None:
        self._before_each = before_each
        self._known: OrderedDict[tuple[str, ...], list[list[Any]]] = OrderedDict()

    def of(self, text: str, parts: Sequence[str]) -> list[list[Any]]:
        """Return what the blocks of a text are, for each of its parts in their order."""
        runs: list[list[str]] = []
        is_one = JOINS.search(text) is not None
        for part in parts:
            if runs and (is_one or not part.startswith("\n\n")):
                runs[-1].append(part)
            else:
                runs.append([part])
        return [each for run in runs for each in self._run(tuple(run))]

    def _run(self, parts: tuple[str, ...]) -> list[list[Any]]:
        found = self._known.get(parts)
        if found is None:
            self._before_each()
            starts = [*accumulate(map(len, parts[:-1]), initial=0)]
            blocks = by_node(f"{''.join(parts)}\n", starts)
            found = self._known[parts] = [data_of(each) for each in blocks]
        self._known.move_to_end(parts)
        while len(self._known) > READ:
            self._known.popitem(last=False)
        return found


def by_node(markdown: str, starts: Sequence[int]) -> list[list[hast.Content]]:
    """Return the blocks of a text for each of the nodes that it came from.

    :param starts: where the nodes begin in the text.
    """
    found: list[list[hast.Content]] = [[] for _ in starts]
    for at, block in blocks_of(markdown) if starts else ():
        found[max(bisect_right(starts, at) - 1, 0)].append(block)
    return found


def data_of(nodes: Iterable[hast.Content]) -> list[Any]:
    """Return nodes as data for the page: texts, and ``[tag, class, title, children]``.

    >>> data_of([hast.Element("p", {}, (hast.Text("Port "), hast.Element("strong", {}, (hast.Text("8080"),))))])
    [['p', '', '', ['Port ', ['strong', '', '', ['8080']]]]]
    """
    told: list[Any] = []
    for node in nodes:
        if isinstance(node, hast.Element):
            name, title = (node.properties.get(each) or "" for each in ("className", "title"))
            told.append([node.tag_name, name, title, data_of(node.children)])
        elif isinstance(node, hast.Text):
            told.append(node.value)
    return told


_UNSHOWN = (mdast.Definition, mdast.FootnoteDefinition, mdast.Yaml)


def _offset(node: mdast.Node) -> int:
    return 0 if node.position is None else node.position.start.offset or 0


def _harmless(node: Any) -> tuple[hast.Content, ...]:
    """What becomes of a node; text that stands among blocks is one of them."""
    match node:
        case hast.Text():
            return (node,)
        case hast.Raw():
            return (_span("raw", (hast.Text(node.value),)),)
        case hast.Element():
            return (_element(node),)
        case _:  # a comment, or a doctype
            return ()


def _element(node: hast.Element) -> hast.Element:
    tag, inner = node.tag_name, tuple(one for each in node.children for one in _harmless(each))
    if tag == "input":
        box = "☑ " if node.properties.get("checked") else "☐ "
        return _span("box", (hast.Text(box),))
    if tag in ADDRESSES:
        address = str(node.properties.get(ADDRESSES[tag]) or "")
        text = (hast.Text(f"🖼 {node.properties.get('alt') or ''}"),) if tag == "img" else inner
        return _span("link", text, address)
    properties: dict[str, hast.PropertyValue] = {}
    start = node.properties.get("start")
    if tag == "ol" and start not in (None, 1):
        properties["title"] = f"from {start}"
    return hast.Element(tag if tag in TAGS else "span", properties, inner)


def _span(kind: str, inner: tuple[Any, ...], title: str = "") -> hast.Element:
    given = {"className": kind, "title": title} if title else {"className": kind}
    return hast.Element("span", cast("dict[str, hast.PropertyValue]", given), inner)
