"""Renderings as a page shows them: changes, nodes, Markdown, states, costs."""

from __future__ import annotations

import re
import time
from bisect import bisect_right, insort
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, takewhile, zip_longest
from typing import TYPE_CHECKING, Any, cast

from hud_runtime._errors import StoreDamagedError
from hud_runtime.log.projection import projection_of
from ujsx import hast, mdast

if TYPE_CHECKING:
    from hud_components import State
    from hud_runtime import HudSession
    from hud_runtime.context.delivery import Bill
    from hud_runtime.log.projection import Projection
    from ujsx import Child, RenderContext, Rendered, Rung
    from ujsx.rendering import Piece, RenderedNode

# The changed lines of a rendering, part by part.
#
# Parts are matched by their path in the tree; common first and last lines of a changed part are
# omitted. That takes one pass over both texts.


def changed_parts(before: Rendered, now: Rendered) -> list[dict[str, Any]]:
    """Return the changed, added and removed parts: their paths, and their removed and added lines.

    >>> from ujsx import render_document
    >>> from ujsx.elements import Paragraph
    >>> changed_parts(*(render_document(Paragraph()[each]) for each in ("Port 1", "Port 2")))
    [{'path': 'Paragraph', 'gone': ['Port 1'], 'new': ['Port 2']}]
    """
    old, new = dict(_placed(before)), dict(_placed(now))
    return [
        {"path": place[0], **told}
        for place in dict.fromkeys([*new, *old])
        if (told := _changed(old.get(place, ""), new.get(place, ""))) is not None
    ]


def _placed(rendered: Rendered) -> Iterator[tuple[tuple[str, int], str]]:
    counts: dict[str, int] = {}
    for node in rendered.nodes:
        counts[node.path] = counts.get(node.path, -1) + 1
        yield (node.path, counts[node.path]), node.text


def _changed(old: str, new: str) -> dict[str, list[str]] | None:
    before, after = old.strip("\n").split("\n"), new.strip("\n").split("\n")
    if before == after:
        return None
    shared = min(len(before), len(after))
    first = next((at for at in range(shared) if before[at] != after[at]), shared)
    rest = shared - first
    last = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    gone, came = before[first : len(before) - last], after[first : len(after) - last]
    return {"gone": [each for each in gone if each], "new": [each for each in came if each]}


# The bill of a session, computed piece by piece, so that a moved slider need not wait for its end.

PIECE = 0.2
"""Seconds of a piece, after which progress is reported."""


class VersionCost:
    """The bill of one version of a session.

    :param turns: the last turn.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("note.add", content="Port 8080", turn=1)
    ...     counting = VersionCost(session, 1, "anthropic")
    ...     counting.go_on(lambda: True), counting.done, counting.of
    (None, 1, 2)
    """

    def __init__(self, session: HudSession[Any], turns: int, prices: str) -> None:
        self.version = session.version
        self.prices = prices
        self.of = turns + 1
        """The number of turns to count, including the start."""
        self.done = 0
        """The number of counted turns."""
        self._bill: Bill | None = None
        self._counted = session.billing(prices)

    def go_on(self, is_awaited: Callable[[], bool]) -> Bill | None:
        """Count one piece, and return the bill if it is complete.

        :param is_awaited: returns whether somebody waits for something else. At least one turn is counted.
        """
        end = time.monotonic() + PIECE
        while self._bill is None:
            self._bill = next(self._counted)
            # The costs of the ways of sending follow.
            self.done = min(self.done + 1, self.of)
            if is_awaited() or time.monotonic() >= end:
                break
        return self._bill


# The parts of a rendered node: its kind, its primitives, its mdast, and its other rungs.

LONGEST = 200
"""Maximum characters of a text, or of a prop, in a tree; the exact text has all of them."""

DEEPEST = 40
"""Maximum levels of a tree."""


def kind_of(node: RenderedNode) -> str:
    """Return the kind of a node: a list, a value or a view of a HUD, another component, a heading, or plain text."""
    from hud_components import HudSection, ItemsSection, ValueSection
    from ujsx import Component, Element

    origin = node.part.origin
    if origin.heading is not None:
        return "heading"
    found = origin.content.component if isinstance(origin.content, Element) else origin.content
    if origin.is_plain or not isinstance(found, Component):
        return "text"
    if isinstance(found, ItemsSection):
        return "list"
    if isinstance(found, ValueSection):
        return "value"
    return "view" if isinstance(found, HudSection) else "component"


def tree_data(node: Any, level: int = 0) -> Any:
    """Return a node of a universal tree as ``[name, props, children]``, and a text unchanged.

    >>> from ujsx.elements import Section
    >>> tree_data(Section(title="Notes")["a"])
    ['Section', "title='Notes'", ['a']]
    """
    from ujsx.components import as_element

    if isinstance(node, str):
        return _cut(node)
    element = as_element(node)
    component = element.component
    set_ = {name: getattr(component, name) for name in component.model_fields_set}
    props = " ".join(f"{name}={value!r}" for name, value in set_.items())
    inner = element.children if level < DEEPEST else ("…",)
    return [type(component).__name__, _cut(props), [tree_data(each, level + 1) for each in inner]]


def mdast_data(text: str) -> list[Any]:
    """Return a text's mdast as ``[name, fields, children, start, end]``; places are UTF-16 units of the text.

    >>> mdast_data("⚠ *Port*")
    [['paragraph', '', [['text', "'⚠ '", [], None, None], ['emphasis', '', [['text', "'Port'", [], None, None]], None, None]], 0, 8]]
    """
    from ujsx import mdast

    units = _Units(text)
    return [_mdast(each, units, 0) for each in mdast.from_markdown(text).children]


def utf16(text: str) -> int:
    """Return the length of a text for a page, which counts in UTF-16.

    >>> utf16("ab"), utf16("🙂")
    (2, 2)
    """
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class _Units:
    """UTF-16 offsets, for a page, of character offsets, given in any order."""

    def __init__(self, text: str) -> None:
        self._wide = [at for at, each in enumerate(text) if ord(each) > 0xFFFF]

    def at(self, offset: int | None) -> int | None:
        from bisect import bisect_left

        return None if offset is None else offset + bisect_left(self._wide, offset)


def _mdast(node: Any, units: _Units, level: int) -> list[Any]:
    kind = type(node).__name__
    names: tuple[str, ...] = node.__struct_fields__
    own = {
        name: value
        for name in names
        if name not in ("children", "position", "data")
        and (value := getattr(node, name)) not in (None, False, ())
    }
    fields = " ".join(
        repr(value) if name == "value" else f"{name}={value!r}" for name, value in own.items()
    )
    place = node.position
    start, end = (None, None) if place is None else (place.start.offset, place.end.offset)
    inner = getattr(node, "children", ()) if level < DEEPEST else ()
    return [
        kind[:1].lower() + kind[1:],
        _cut(fields),
        [_mdast(each, units, level + 1) for each in inner],
        units.at(start),
        units.at(end),
    ]


def piece_of(tree: Child, context: RenderContext, index: int) -> Piece | None:
    """Return the source of a node in a tree's rendering; None for a node without a ladder."""
    from ujsx import Renderer

    pieces = Renderer(context=context).pieces(tree)
    piece = pieces[index] if index < len(pieces) else None
    return None if piece is None or piece.ladder is None else piece


def text_on(piece: Piece, rung: Rung) -> str:
    """Return a section's text on a rung."""
    from ujsx import Renderer

    context = piece.rendered_on(rung).context
    return Renderer(context=context).render(piece.nodes).text


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


TAGS = frozenset(
    {
        "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
        "pre", "section", "span", "strong", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
    }
)  # fmt: skip
"""The elements of a reading."""

JOINS = re.compile(r"\]:|^ {0,3}<(?!!--[^>\n]*-->$)", re.MULTILINE)
"""Markup that affects other parts of a text: definitions, and HTML that may be unclosed."""

READ = 4_000
"""Maximum nodes whose reading is cached."""

ADDRESSES = {"a": "href", "img": "src"}
"""Elements with a link, and their property with the address."""


def blocks_of(markdown: str) -> list[tuple[int, hast.Content]]:
    r"""Return the blocks of a text, each with its start offset in characters.

    >>> [(at, hast.to_html(block)) for at, block in blocks_of("# HUD\n\n[y](https://a.co)\n")]
    [(0, '<h1>HUD</h1>'), (7, '<p><span class="link" title="https://a.co">y</span></p>')]
    """
    from ujsx.transforms import registry

    root = mdast.from_markdown(markdown)
    shown = [each for each in root.children if not isinstance(each, _UNSHOWN)]
    page: Any = registry.transform("mdast -> hast", root)
    made = [each for each in page.children if not isinstance(each, hast.Text)]
    starts = [each.position.start.offset or 0 if each.position else 0 for each in shown]
    last = starts[-1] if starts else 0
    pairs = zip_longest(starts, made, fillvalue=last)  # footnotes come last
    return [(at, one) for at, each in pairs for one in _harmless(each)]


class ReadBlocks:
    r"""The blocks of texts by their nodes, as data for the page, with a cache.

    Nodes are read one by one if each begins after a blank line. A text with markup that affects other parts,
    such as a definition, is read as a whole.

    :param before_each: called before each reading; an exception ends the reading, and the cache keeps the
        earlier results.

    >>> readings = ReadBlocks()
    >>> readings.of("# HUD\n\n*Port*\n", ["# HUD", "\n\n*Port*"])
    [[['h1', '', '', ['HUD']]], [['p', '', '', [['em', '', '', ['Port']]]]]]
    """

    def __init__(self, before_each: Callable[[], object] = lambda: None) -> None:
        self._before_each = before_each
        self._known: OrderedDict[tuple[str, ...], list[list[Any]]] = OrderedDict()

    def of(self, text: str, parts: Sequence[str]) -> list[list[Any]]:
        """Return the blocks of each part of a text, in order."""
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
    """Return the blocks of a text for each of its nodes.

    :param starts: the starts of the nodes in the text.
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


def _harmless(node: Any) -> tuple[hast.Content, ...]:
    """The safe replacement of a node; text among blocks is one of them."""
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


# The states of a session at the viewed turns, folded from a cached one, so that unchanged parts are
# the same objects in all of them.

STOPS = 100
"""States that are always kept, at evenly spaced turns."""

RECENT = 16
"""Recently requested states that are kept."""

FARTHEST = 2_000
"""Maximum events that are folded; a more distant state is read from a snapshot, and shares nothing with the
others.
"""

ERASE = "event.erase"
"""The type of the event that erases data of earlier events."""


class States:
    """The states of one session, by version.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("note.add", content="Port 8080", turn=1)
    ...     _ = session.record("task.set", description="Find it", turn=2)
    ...     states = States(session)
    ...     states.at(2).notes is states.at(3).notes
    True
    """

    def __init__(self, session: HudSession[Any]) -> None:
        self._session = session
        self._projection: Projection[State] = projection_of(session.domain)
        self._read = session.version
        self._forget()

    def _forget(self) -> None:
        self._stops: dict[int, State] = {0: self._projection.initial}
        self._in_order = [0]
        self._recent: OrderedDict[int, State] = OrderedDict()

    def is_erased(self) -> bool:
        """Return whether something was erased since the last call; the cache is then cleared."""
        before, self._read = self._read, self._session.version
        if before >= self._read or not any(self._session.events(before, types={ERASE})):
            return False
        self._forget()
        return True

    def at(self, version: int, *, is_stop: bool = False) -> State:
        """Return the state after an event.

        :param is_stop: whether others will be folded from it.
        """
        state = self._stops.get(version)
        if state is None:
            state = self._recent.get(version)
        if state is None:
            state = self._made(version)
        if is_stop and version not in self._stops:
            self._stops[version] = state
            insort(self._in_order, version)
        self._recent[version] = state
        self._recent.move_to_end(version)
        while len(self._recent) > RECENT:
            self._recent.popitem(last=False)
        return state

    def _made(self, version: int) -> State:
        start = self._in_order[bisect_right(self._in_order, version) - 1]
        near = max((each for each in self._recent if start < each < version), default=start)
        if version - near > FARTHEST:
            return self._read_at(version)
        state = self._recent[near] if near in self._recent else self._stops[near]
        try:
            for event in takewhile(
                lambda each: each.version <= version, self._session.events(near)
            ):
                state = self._projection.fold(state, event)
        except StoreDamagedError:  # a snapshot may replace the lost events
            return self._read_at(version)
        return state

    def _read_at(self, version: int) -> State:
        state: State = self._session.state(at=version)
        return state
