"""The splices that turn a source into the Markdown of a changed tree, and new pieces in the style of the source."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple, cast, get_args

from ujsx.mdast import _nodes as m
from ujsx.mdast._nodes import Extension, Node, Root
from ujsx.mdast._writer import LINE_END, MARKER, Habits, Writer
from ujsx.mdast.to_markdown._handlers import FLOW_HANDLERS
from ujsx.mdast.to_markdown._phrasing import labels_in
from ujsx.mdast.to_markdown._state import TIGHT, WriterOptions, can_be_tight, separator
from ujsx.mdast.util import walk
from ujsx.text import width

# New pieces of a document, written in the style of its source.

_NO_LEAVES = (m.Blockquote, m.FootnoteDefinition, m.Html, m.List, m.ListItem, Root)
"""Containers; and HTML, which may be inline too, and is always written verbatim."""
_BULLETS, _DELIMITERS = "-*+", ".)"
_WIDE_MARKER = re.compile(r"^((?: {4})*(?:[-+*]|[0-9]{1,9}[.)])) +(?! )", re.MULTILINE)
_MOVABLE = (m.List, m.ListItem, m.Paragraph, *get_args(m.PhrasingContent))
"""The nodes that a list may contain so that its markers are distinguishable from other lines."""
_BACK = re.compile(r"(?<=.)(?<!\\)\|\Z", re.DOTALL)
"""The pipe after a row's last cell."""
_BEFORE = m.Paragraph(children=(m.Text("x"),))


class Pieces:
    """Writes nodes as they stand in a document.

    :param source_of: returns the reusable source of a block, without the prefixes of containers; ``None`` for a block
        to rewrite.
    """

    def __init__(
        self,
        habits: Habits,
        wanted: Root,
        extensions: tuple[Extension, ...],
        source_of: Callable[[Node], str | None],
    ) -> None:
        self.habits = habits
        self._labels = labels_in(wanted.children)
        self._extensions = extensions
        self._source_of = source_of
        self._writers: dict[str, Writer] = {}

    def block(self, node: Node, lead: str, avoid: str = "") -> str:
        """Return a block's Markdown; ``""`` if it has no canonical form.

        :param lead: the containers' prefix of each line but the first.
        :param avoid: the markers of adjacent lists, which it must not continue.
        """
        # In a tight item, an underlined heading would join the text before it.
        is_setext = self.habits.setext and isinstance(node, m.Heading) and not lead
        options: dict[str, Any] = {"setext": True} if is_setext else {}
        if isinstance(node, m.List) and self.habits.nesting is not None:
            options["list_item_indent"] = "tab"
        return self.placed(self._alone(node, self._writer(avoid, **options)), lead)

    def blocks(self, nodes: Sequence[Node]) -> str:
        """Return the Markdown of all blocks of a document."""
        return self.placed("".join(self._writer("").blocks(nodes, labels=self._labels)), "")

    def item(
        self, item: m.ListItem, number: int | None, marker: str, spaces: int, lead: str
    ) -> str:
        """Return an item with a marker like those beside it.

        :param number: its number, in an ordered list.
        :param marker: the list's bullet, or the delimiter after its numbers.
        :param spaces: how many spaces follow the marker.
        """
        alone = m.List(ordered=number is not None, start=number, children=(item,))
        indent = "one" if self.habits.nesting is None else "tab"
        written = self._alone(alone, self._writer(others(marker), list_item_indent=indent))
        lines = written.split("\n")
        first, space, rest = lines[0].partition(" ")
        if len(lines) > 1 and not rest:  # code that is indented by more
            spaces = 1
        if space and not rest.startswith(" "):
            lines[0] = f"{first}{' ' * spaces}{rest}"
            if self.habits.nesting is None:
                more = " " * (spaces - 1)
                lines[1:] = [f"{more}{line}" if line else "" for line in lines[1:]]
        return self.placed("\n".join(lines), lead)

    def _alone(self, node: Node, writer: Writer) -> str:
        """Return a block; in a list, the lines of an item are indented as in the source."""
        # The first block of a document needs more care than others.
        written = "".join(writer.blocks([_BEFORE, node], labels=self._labels)[1:]).lstrip("\n")
        if self.habits.nesting is None or not isinstance(node, m.List):
            return written
        can_move = all(isinstance(each, _MOVABLE) for each in walk(node))
        return _WIDE_MARKER.sub(r"\1 ", written) if can_move else written

    def phrasing(
        self, leaf: Node, nodes: Sequence[Node], lead: str, *, left: bool, right: bool
    ) -> str | None:
        """Return inline nodes as a part of a leaf; ``None`` if they cannot be written separately.

        :param leaf: the paragraph, heading or cell that it is a part of.
        :param left: whether something stands before it in the leaf.
        :param right: whether something stands after it.
        """
        if not nodes:
            return ""
        guards = [
            m.Image("x") if beside and isinstance(node, m.InlineCode) else m.InlineCode("x")
            for beside, node in ((left, nodes[0]), (right, nodes[-1]))
        ]
        children = (*guards[:1] * left, *nodes, *guards[1:] * right)
        kind = m.TableCell if isinstance(leaf, m.TableCell) else m.Paragraph
        written = "".join(
            self._writer("").blocks([kind(children=children)], labels=self._labels)  # type: ignore[arg-type]
        )
        before, after = (_GUARDS[type(guard)] for guard in guards)
        if left:
            if not written.startswith(before):
                return None
            written = written[len(before) :]
        if right:
            if not written.endswith(after):
                return None
            written = written[: -len(after)]
        if "\n" in written and not isinstance(leaf, m.Paragraph):
            return None
        return self.placed(written, lead)

    @property
    def is_aligned(self) -> bool:
        """True if the pipes of tables stand below each other."""
        return bool(self.habits.options.get("table_pipe_align"))

    def cell(self, cell: m.TableCell, source: str) -> str:
        """Return a cell between the pipes of another, in as many columns if the source is aligned."""
        content = self.phrasing(cell, cell.children, "", left=False, right=False) or ""
        front = "|" if source[:1] == "|" else ""
        back = "|" if _BACK.search(source) else ""
        inner = source[len(front) : len(source) - len(back)]
        before = " " if inner[:1] in {" ", "\t"} else ""
        after = " " if inner[-1:] in {" ", "\t"} or content.endswith("\\") else ""
        text = f"{before}{content}{after}"
        missing = width(inner) - width(text) if self.is_aligned else 0
        return f"{front}{text}{' ' * missing}{back}"

    def row(self, row: m.TableRow, sources: Sequence[str]) -> str:
        """Return a row with pipes where another one has some, and around cells that are empty.

        :param sources: the source of each of that row's cells.
        """
        if not row.children:
            return "||"
        cells: list[str] = []
        is_closed = _BACK.search(sources[-1]) is not None
        for index, cell in enumerate(row.children):
            source = sources[index] if index < len(sources) else "| x"
            cells.append(self.cell(cell, _BACK.sub("", source)))
        is_open = not row.children[0].children and not cells[0].startswith("|")
        is_closed = is_closed or not row.children[-1].children
        return ("|" if is_open else "") + "".join(cells) + ("|" if is_closed else "")

    def placed(self, text: str, lead: str) -> str:
        """Return lines with the prefixes of containers and the document's line ends."""
        first, *rest = text.split("\n")
        lines = [first, *[f"{lead}{line}" if line else lead.rstrip(" \t") for line in rest]]
        return self.habits.line_end.join(lines)

    def _writer(self, avoid: str, **options: Any) -> Writer:
        key = f"{avoid} {options}"
        if key not in self._writers:
            options = {**self.habits.options, **options}
            for option, markers in (("bullet", _BULLETS), ("bullet_ordered", _DELIMITERS)):
                free = [each for each in markers if each not in avoid]
                if free and options.get(option, markers[0]) not in free:
                    options[option] = free[0]
            self._writers[key] = Writer(
                on_unwritable="normalize",
                handlers=self._handlers(),
                extensions=self._extensions,
                **options,
            )
        return self._writers[key]

    def _handlers(self) -> dict[type[Node], Any]:
        """Return handlers of leaf blocks that use the source of those that have one."""

        def handler(kind: type[Node]) -> Any:
            write = FLOW_HANDLERS[kind]

            def from_source(node: Node, writing: Any) -> str:
                source = self._source_of(node)
                return write(node, writing) if source is None else source

            return from_source

        return {kind: handler(kind) for kind in FLOW_HANDLERS if kind not in _NO_LEAVES}


_GUARDS: dict[type[Node], str] = {m.InlineCode: "`x`", m.Image: "![](x)"}


def others(marker: str) -> str:
    """Return the markers of lists of the same kind that are not this one.

    >>> others("*"), others(")")
    ('-+', '.')
    """
    return (_BULLETS if marker in _BULLETS else _DELIMITERS).replace(marker, "")


# The comparison of two lists of nodes: the shared nodes, and the runs between them.
#
# A node of the wanted tree is one of the source if it has its position, which copies keep, or is equal to it at an end
# of the list.


class Pair(NamedTuple):
    """A node that two trees share: the old and the wanted one."""

    old: Any
    new: Any


class Run(NamedTuple):
    """The nodes that two lists do not share, between two shared ones."""

    before: Pair | None
    removed: list[Any]
    added: list[Any]
    after: Pair | None


def runs_of(olds: Sequence[Any], news: Sequence[Any]) -> Iterator[Run]:
    """Yield the runs that two lists do not share, each with the shared node after it.

    A node is shared if it has the position of one of the source; as many as possible keep their order.
    """
    old = new = 0
    before: Pair | None = None
    for one, other in _shared(olds, news):
        after = Pair(olds[one], news[other])
        yield Run(before, [*olds[old:one]], [*news[new:other]], after)
        before, old, new = after, one + 1, other + 1
    if old < len(olds) or new < len(news):
        yield Run(before, [*olds[old:]], [*news[new:]], None)


def _shared(olds: Sequence[Any], news: Sequence[Any]) -> list[tuple[int, int]]:
    """Return pairs of places of nodes that two lists share, in order."""
    head = alike(olds, news)
    tail = alike(olds[head:][::-1], news[head:][::-1])
    inner = _rising(olds[head : len(olds) - tail], news[head : len(news) - tail])
    return [
        *[(index, index) for index in range(head)],
        *[(head + old, head + new) for old, new in inner],
        *[(len(olds) - index, len(news) - index) for index in range(tail, 0, -1)],
    ]


def alike(olds: Sequence[Any], news: Sequence[Any]) -> int:
    """Return the number of leading nodes of two lists that are the same, or have the same place."""
    count = 0
    for old, new in zip(olds, news, strict=False):
        has_place = new.position is not None and new.position is old.position
        if old is not new and not has_place and old != new:
            break
        count += 1
    return count


def _rising(olds: Sequence[Any], news: Sequence[Any]) -> list[tuple[int, int]]:
    """Return the longest list of pairs of places, of nodes with one position, that rises on both sides."""
    places = {id(node.position): index for index, node in enumerate(olds) if node.position}
    pairs = [
        (places[id(node.position)], index)
        for index, node in enumerate(news)
        if node.position is not None and id(node.position) in places
    ]
    # The lowest end of a chain of each length, and the chain: a pair, and the chain before it.
    tops: list[int] = []
    chains: list[Any] = []
    for pair in pairs:
        length = bisect_left(tops, pair[0])
        chains[length : length + 1] = [(pair, chains[length - 1] if length else None)]
        tops[length : length + 1] = [pair[0]]
    result: list[tuple[int, int]] = []
    longest: Any = chains[-1] if chains else None
    while longest is not None:
        pair, longest = longest
        result.append(pair)
    return result[::-1]


def siblings_of(run: Run) -> list[Any]:
    """Return the nodes of the source that a run touches: one before, those removed, one after."""
    before = [] if run.before is None else [run.before.old]
    return [*before, *run.removed, *([] if run.after is None else [run.after.old])]


def region_of(run: Run) -> tuple[int, int]:
    """Return the part of the source that a run changes: up to the nodes that stay."""
    siblings = siblings_of(run)
    start = start_of(siblings[0]) if run.before is None else end_of(run.before.old)
    end = end_of(siblings[-1]) if run.after is None else start_of(run.after.old)
    return start, end


def start_of(node: Any) -> int:
    """Return the start of a node of the source."""
    return cast("m.Position", node.position).start.offset or 0


def end_of(node: Any) -> int:
    """Return the end of a node of the source."""
    return cast("m.Position", node.position).end.offset or 0


# The splices between two trees, by the kinds of their nodes.

_BOX = re.compile(r"\[[ \txX]\](?=[ \t\r\n]|\Z)")
_BLANK = re.compile(r"(?:\r\n?+|\n)[ \t>]*(?:\r\n?+|\n)")
_SPACES = re.compile(r"[ \t]*")
_FENCE = re.compile(r"`{3,}|~{3,}")
_CLOSING = re.compile(r"(?<=[ \t])#+(?=[ \t]*\Z)")
_OPTIONS = WriterOptions()
_LEAVES = (m.Paragraph, m.Heading, m.Code, m.Definition, m.ThematicBreak, m.Table)
_SPANS = (m.Emphasis, m.Strong, m.Delete, m.Link, m.LinkReference)
_FLOW = (Root, m.Blockquote, m.FootnoteDefinition)


class Original(NamedTuple):
    """A text that was read, without its byte-order mark."""

    text: str
    tree: Root
    """Its tree, with all positions."""
    habits: Habits
    extensions: tuple[Extension, ...]

    def text_of(self, node: Any) -> str:
        """Return a node's source."""
        return self.text[start_of(node) : end_of(node)]

    def marker(self, node: m.List | m.ListItem) -> re.Match[str]:
        """Return the marker that an item begins with, or a list's first one."""
        return cast("re.Match[str]", MARKER.match(self.text, start_of(node)))

    def sign(self, node: m.List | m.ListItem) -> str:
        """Return the bullet of a list, or the delimiter after its numbers."""
        marker = self.marker(node)
        return marker[2] or marker[0][0]

    def repeats(self, node: m.List) -> bool:
        """Return whether all items of a list have the number of the first."""
        numbers = [self.marker(item)[1] for item in node.children[:2]]
        if len(numbers) < 2:
            return not self.habits.options.get("increment_list_marker", True)
        return numbers[0] == numbers[1]

    def leads(self, node: Any, lead: str) -> Iterator[tuple[int, tuple[Node, str]]]:
        """Yield the blocks within a node by their positions, each with the prefix of its lines."""
        for child in getattr(node, "children", ()):
            if child.position is not None:
                own = self.lead(child, node, self.inner(node, lead))
                yield id(child.position), (child, own)
                yield from self.leads(child, own)

    def lead(self, node: Any, parent: Any, inner: str) -> str:
        """Return the containers' prefix of a block's lines: that of its first line, if possible."""
        start = node.position.start
        if isinstance(parent, Root) or start.line != parent.position.start.line:
            return self.text[start.offset - start.column + 1 : start.offset]
        return inner

    def without_lead(self, leaf: Any, lead: str) -> str | None:
        """Return a leaf's source without the containers' prefix; ``None`` if that is not known."""
        first, *lines = LINE_END.split(self.text_of(leaf))
        if isinstance(leaf, m.Code) and first[:1] not in {"`", "~"}:
            return None
        kept = [first]
        for line in lines:
            if not line.startswith(lead) and line.rstrip() != lead.rstrip():
                return None
            kept.append(line[len(lead) :])
        return "\n".join(kept)

    def inner(self, node: Any, lead: str) -> str:
        """Return the prefix that a container, and those around it, put before a line of its content."""
        start = start_of(node)
        if isinstance(node, m.Blockquote):
            return f"{lead}> " if self.text[start + 1 : start + 2] in {" ", "\t"} else f"{lead}>"
        if isinstance(node, m.FootnoteDefinition):
            return f"{lead}    "
        if isinstance(node, m.ListItem):
            marker = self.marker(node)
            spaces = marker[3]
            if "\t" in spaces:
                columns = len(f"{lead}{marker[0]}".expandtabs(4)) - len(lead.expandtabs(4))
            else:
                columns = len(marker[0])
            bare = len(marker[0]) - len(spaces)
            return lead + " " * (columns if 0 < columns - bare < 5 else bare + 1)
        return lead

    def lead_within(self, parent: Any, lead: str, siblings: Sequence[Any]) -> str:
        """Return the prefix of a new block in a container: that of its siblings."""
        if isinstance(parent, Root):
            return ""
        inner = self.inner(parent, lead)
        for sibling in siblings:
            if sibling is None or isinstance(sibling, m.Code):
                continue
            if sibling.position.start.line != parent.position.start.line:
                return self.lead(sibling, parent, inner)
        if isinstance(parent, m.ListItem) and self.habits.nesting is not None:
            return max(inner, lead + " " * self.habits.nesting, key=len)
        return inner

    def gaps(self, siblings: Sequence[Any]) -> list[str]:
        """Return the texts between nodes."""
        return [self.text[end_of(a) : start_of(b)] for a, b in pairwise(siblings)]

    def gap(self, left: Any, right: Any, parent: Any, lead: str, gaps: Sequence[str]) -> str:
        """Return the separator of two blocks: an existing gap, if possible."""
        if left is None:
            return ""
        is_tight = separator(left, right, parent, _OPTIONS) == TIGHT
        must_part = not can_be_tight(left, right, _OPTIONS)
        for gap in gaps:
            if LINE_END.split(gap)[-1] == lead and (
                not is_tight if _BLANK.search(gap) else is_tight or not must_part
            ):
                return gap
        return self.line_ends(lead, is_blank=not is_tight)

    def item_gap(self, items: Sequence[Any], lead: str, *, is_blank: bool) -> str:
        """Return the separator of two items: the shortest one between those given, if any is such."""
        fitting = [gap for gap in self.gaps(items) if bool(_BLANK.search(gap)) == is_blank]
        return min(fitting, key=_line_ends, default=self.line_ends(lead, is_blank=is_blank))

    def line_ends(self, lead: str, *, is_blank: bool) -> str:
        """Return the end of a line, and a blank line if asked, up to where the next block starts."""
        end, empty = self.habits.line_end, lead.rstrip(" \t")
        return f"{end}{empty}{end}{lead}" if is_blank else f"{end}{lead}"

    def missing_fence(self, code: m.Code) -> str:
        """Return the closing fence that code lacks, as it ends with its container."""
        first, *lines = LINE_END.split(self.text_of(code))
        fence = _FENCE.match(first)
        if fence is None or "fence" in self.habits.chosen:
            return ""
        last = lines[-1].lstrip(" \t>") if lines else ""
        is_closed = last.startswith(fence[0]) and not last.strip(f"{fence[0][0]} \t")
        return "" if is_closed else fence[0]

    def lines_after(self, table: m.Table) -> dict[int, int]:
        """Return the end of each row's line; for the head, that of the delimiter row."""
        head, *rows = table.children
        delimiters = LINE_END.search(self.text, end_of(head))
        after = {id(head): end_of(head) if delimiters is None else delimiters.end()}
        after |= {id(row): end_of(row) for row in rows}
        ends = {row: LINE_END.search(self.text, place) for row, place in after.items()}
        return {
            row: end_of(table) if end is None else min(end.start(), end_of(table))
            for row, end in ends.items()
        }


class Splices:
    """The splices between two trees, in the order of the source.

    :param wanted: the tree that the result must read as.
    :param anew: the positions, by ``id``, of the source's nodes to rewrite.
    """

    def __init__(self, original: Original, wanted: Root, anew: set[int]) -> None:
        self.original = original
        self.text = original.text
        self.anew = anew
        self.habits = original.habits
        self.pieces = Pieces(self.habits, wanted, original.extensions, self.source_of)
        self._sources: dict[int, tuple[Node, str]] | None = None
        self._around = set(_holders(original.tree, anew)) if anew else anew
        self._splices: list[tuple[int, int, str]] = []
        self._changed(original.tree, wanted, "")

    def result(self) -> str | None:
        """Return the text with the splices; ``None`` if two of them overlap."""
        parts: list[str] = []
        place = 0
        for start, end, text in sorted(self._splices, key=itemgetter(0)):
            if start < place or end < start:
                return None
            parts += [self.text[place:start], text]
            place = end
        return "".join([*parts, self.text[place:]])

    def source_of(self, node: Node) -> str | None:
        """Return a leaf's source without the prefixes of containers, if they are known."""
        if self._sources is None:
            self._sources = dict(self.original.leads(self.original.tree, ""))
        source, lead = self._sources.get(id(node.position), (None, ""))
        if source is not node or not isinstance(node, _LEAVES) or id(node.position) in self.anew:
            return None
        return self.original.without_lead(node, lead)

    # --- Blocks -----------------------------------------------------------------------------------

    def _changed(self, old: Any, new: Any, lead: str) -> None:
        """Compare two nodes, of which one took the other's place.

        :param lead: what containers put before the lines of the old one.
        """
        if old is new and id(old.position) not in self._around:
            return
        kind = cast("type[Node]", type(old))
        if id(old.position) in self.anew or kind is not type(new):
            self._put(old, new, lead)
            return
        place = len(self._splices)
        if not _BY_KIND.get(kind, _by_children)(self, old, new, lead):
            del self._splices[place:]
            self._put(old, new, lead)

    def _splice(self, start: int, end: int, text: str) -> None:
        if self.text[start:end] != text:
            self._splices.append((start, end, text))

    def _put(self, old: Any, new: Any, lead: str) -> None:
        """Write a node in the place of another."""
        if isinstance(new, Root):
            blocks = self.pieces.blocks(new.children)
            nodes = old.children
            start, end = (start_of(nodes[0]), end_of(nodes[-1])) if nodes else (0, 0)
            self._splice(start, end, blocks if nodes else f"{blocks}{self.habits.line_end}")
            return
        if isinstance(old, m.Code) and old == new and (fence := self.original.missing_fence(old)):
            end = end_of(old)
            ends_line = self.text[end - 1] in {"\r", "\n"}
            self._splice(end, end, f"{'' if ends_line else self.habits.line_end}{lead}{fence}")
            return
        if isinstance(old, m.ListItem) and isinstance(new, m.ListItem):
            marker = self.original.marker(old)
            number = int(marker[1]) if marker[1] else None
            block = self.pieces.item(new, number, self.original.sign(old), _spaces(marker), lead)
        elif isinstance(old, m.List) and isinstance(new, m.List) and old.ordered == new.ordered:
            option = "bullet_ordered" if old.ordered else "bullet"
            avoid = "" if option in self.habits.chosen else others(self.original.sign(old))
            block = self.pieces.block(new, lead, avoid=avoid)
        else:
            block = self.pieces.block(new, lead)
        self._splice(start_of(old), end_of(old), block)

    def blocks(self, old: Any, new: Any, lead: str) -> bool:
        """Splice the blocks of a container."""
        if _own(old) != _own(new) or (new.children and not old.children):
            return False
        inner = self.original.inner(old, lead)
        for run in runs_of(old.children, new.children):
            if run.removed or run.added:
                self._blocks_between(old, new, run, lead)
            if run.after is not None:
                if run.removed and not run.added:
                    self._part(run.before, run.after)
                self._changed(*run.after, self.original.lead(run.after.old, old, inner))
        return True

    def _part(self, before: Pair | None, after: Pair) -> None:
        """Change a list's markers if its separation from a list of the same kind is gone."""
        left = None if before is None else before.old
        if not isinstance(left, m.List) or not isinstance(after.old, m.List):
            return
        if left.ordered != after.old.ordered:
            return
        for item in after.old.children:
            end = self.original.marker(item).start(3)
            self._splice(end - 1, end, others(self.original.sign(left))[0])

    def _blocks_between(self, old: Any, new: Any, run: Run, lead: str) -> None:
        """Replace blocks by others."""
        siblings = siblings_of(run)
        start, end = region_of(run)
        after_lead = ""
        if run.after is not None:
            after_lead = self.original.lead(run.after.old, old, self.original.inner(old, lead))
        inner = self.original.lead_within(old, lead, siblings)
        gaps = self.original.gaps(siblings)
        ends = [pair.old for pair in (run.before, run.after) if pair is not None]
        beside = "".join([self.original.sign(each) for each in ends if isinstance(each, m.List)])
        first = previous = None if run.before is None else run.before.new
        # After an added block, the existing gap stays.
        front = gaps[:1] if run.removed or not _BLANK.search("".join(gaps)) else []
        text = ""
        if isinstance(old, Root) and run.before is None and run.removed:
            start -= siblings[0].position.start.column - 1
            text = "" if run.added else after_lead
        for node in run.added:
            block = self.pieces.block(node, inner, avoid=beside if isinstance(node, m.List) else "")
            if block:
                usable = front if previous is first else []
                text += self.original.gap(previous, node, new, inner, usable)
                text += block
                previous = node
        if run.after is not None and previous is not None:
            usable = gaps[-1:] if text else sorted(gaps, key=_line_ends, reverse=True)
            text += self.original.gap(previous, run.after.new, new, after_lead, usable)
        self._splice(start, end, text)

    # --- Lists ------------------------------------------------------------------------------------

    def items(self, old: m.List, new: m.List, lead: str) -> bool:
        """Splice the items of a list."""
        if old.ordered != new.ordered or not old.children or not new.children:
            return False
        for run in runs_of(old.children, new.children):
            if run.removed or run.added:
                self._items_between(old, new, run, lead)
            if run.after is not None:
                if run.before is None and not run.added:
                    self._number(run.after.old, new)
                self._changed(*run.after, self.original.lead(run.after.old, old, lead))
        return True

    def _number(self, first: m.ListItem, new: m.List) -> None:
        """Write the list's start number in its first item."""
        marker = self.original.marker(first)
        number = 1 if new.start is None else new.start
        if new.ordered and int(marker[1]) != number:
            self._splice(*marker.span(1), str(number))

    def _items_between(self, old: m.List, new: m.List, run: Run, lead: str) -> None:
        """Replace items by others."""
        siblings = siblings_of(run)
        start, end = region_of(run)
        lead = self.original.lead(siblings[0], old, lead)
        if len(siblings) < 2:  # a list that grows at an end continues its style there
            siblings = [*(old.children[-2:] if run.before is not None else old.children[:2])]
        gap = self.original.item_gap(siblings, lead, is_blank=new.spread)
        items = self._new_items(old, new, run, lead)
        text = gap.join(items)
        if run.before is not None and (items or run.after is not None):
            text = f"{gap}{text}"
        if run.after is not None and items:
            text = f"{text}{gap}"
        self._splice(start, end, text)

    def _new_items(self, old: m.List, new: m.List, run: Run, lead: str) -> list[str]:
        marker = self.original.marker(siblings_of(run)[0])
        sign, spaces = marker[2] or marker[0][0], _spaces(marker)
        step = 0 if self.original.repeats(old) else 1
        first = new.start or 0
        if run.before is not None and old.ordered:
            first = int(marker[1]) + step
        return [
            self.pieces.item(
                item, first + step * index if old.ordered else None, sign, spaces, lead
            )
            for index, item in enumerate(run.added)
        ]

    def item(self, old: m.ListItem, new: m.ListItem, lead: str) -> bool:
        """Splice a task's box, and the blocks after it."""
        if old.checked != new.checked and not self._check(old, new):
            return False
        return self.blocks(old, new, lead)

    def _check(self, old: m.ListItem, new: m.ListItem) -> bool:
        marker = self.original.marker(old)
        if not old.children or not new.children:
            return False
        box = _BOX.match(self.text, marker.end())
        if old.checked is None:
            if not marker[3] or old.children[0].position is None:
                return False
            start = start_of(old.children[0])
            self._splice(start, start, "[x] " if new.checked else "[ ] ")
        elif box is None:
            return False
        elif new.checked is None:
            self._splice(box.start(), start_of(old.children[0]), "")
        else:
            self._splice(box.start() + 1, box.end() - 1, "x" if new.checked else " ")
        return True

    # --- Tables -----------------------------------------------------------------------------------

    def rows(self, old: m.Table, new: m.Table, lead: str) -> bool:
        """Splice the rows of a table below its head, and the cells of all."""
        runs = [*runs_of(old.children, new.children)]
        if old.align != new.align or not runs or runs[0].removed or runs[0].added:
            return False
        lines = self.original.lines_after(old)
        for run in runs:
            if run.removed or run.added:
                assert run.before is not None
                example = run.before.old
                end = lines[id(run.removed[-1] if run.removed else example)]
                sources = [*map(self.original.text_of, example.children)]
                rows = [self.pieces.row(row, sources) for row in run.added]
                text = "".join([f"{self.habits.line_end}{lead}{row}" for row in rows])
                self._splice(lines[id(example)], end, text)
            if run.after is not None:
                self._changed(*run.after, lead)
        return True

    def cells(self, old: m.TableRow, new: m.TableRow, lead: str) -> bool:
        """Splice the cells of a row; a row with other pipes is rewritten."""
        ends = new.children[:1] + new.children[-1:]
        if len(old.children) == len(new.children) and all(cell.children for cell in ends):
            for one, other in zip(old.children, new.children, strict=True):
                if one is not other or id(one.position) in self.anew:
                    self._cell(one, other, lead)
            return True
        row = self.pieces.row(new, [*map(self.original.text_of, old.children)])
        self._splice(start_of(old), end_of(old), row)
        return True

    def _cell(self, old: m.TableCell, new: m.TableCell, lead: str) -> None:
        place = len(self._splices)
        source = self.original.text_of(old)
        if id(old.position) in self.anew or not self._content(old, new, lead):
            del self._splices[place:]
            self._splice(start_of(old), end_of(old), self.pieces.cell(new, source))
        elif self.pieces.is_aligned:
            grown = sum(len(text) - (end - start) for start, end, text in self._splices[place:])
            end = end_of(old.children[-1])
            spaces = len(_SPACES.match(self.text, end)[0])  # type: ignore[index]
            if spaces > max(grown, 0):
                self._splice(end, end + spaces, " " * (spaces - grown))

    # --- Leaves -----------------------------------------------------------------------------------

    def leaf(self, old: Any, new: Any, lead: str) -> bool:
        """Splice a paragraph, or another node whose own fields are the same."""
        if old is new or old == new:
            return True
        return _own(old) == _own(new) and self._content(old, new, lead)

    def heading(self, old: m.Heading, new: m.Heading, lead: str) -> bool:
        """Splice a heading's text, and its number signs."""
        if old.depth == new.depth:
            return self.leaf(old, new, lead)
        start, end = start_of(old), end_of(old)
        if self.text[start] != "#":
            return False
        self._splice(start, start + old.depth, "#" * new.depth)
        if old.children != new.children and not self._content(old, new, lead):
            return False
        closing = _CLOSING.search(self.text, start + old.depth, end)
        if closing and closing.end() - closing.start() == old.depth:
            self._splice(closing.start(), closing.end(), "#" * new.depth)
        return True

    def _content(self, old: Any, new: Any, lead: str) -> bool:
        """Splice the content of a leaf's lines; return whether this is possible."""
        olds, news = getattr(old, "children", None), getattr(new, "children", None)
        if not olds or not news:
            return False
        return self._phrasing(old, olds, news, lead, left=False, right=False)

    def _phrasing(
        self,
        leaf: Any,
        olds: Sequence[Any],
        news: Sequence[Any],
        lead: str,
        *,
        left: bool,
        right: bool,
    ) -> bool:
        if any(each.position is None for each in olds):
            return False
        for run in runs_of(olds, news):
            has_left, has_right = left or run.before is not None, right or run.after is not None
            if (run.removed or run.added) and not self._words(
                leaf, run, lead, left=has_left, right=has_right
            ):
                return False
            if run.after is not None and not self._span(
                leaf, run.after, lead, left=has_left or bool(run.added), right=right
            ):
                return False
        return True

    def _span(self, leaf: Any, pair: Pair, lead: str, *, left: bool, right: bool) -> bool:
        """Splice an inline node with other content."""
        old, new = pair
        if old is new or old == new:
            return True
        if (
            isinstance(old, _SPANS)
            and type(old) is type(new)
            and old.children
            and new.children
            and _own(old) == _own(new)
        ):
            return self._phrasing(leaf, old.children, new.children, lead, left=True, right=True)
        return self._words(leaf, Run(None, [old], [new], None), lead, left=left, right=right)

    def _words(self, leaf: Any, run: Run, lead: str, *, left: bool, right: bool) -> bool:
        """Replace inline nodes by others."""
        start, end = region_of(run)
        if run.removed:  # text between two nodes belongs to neither
            start, end = start_of(run.removed[0]), end_of(run.removed[-1])
        source = self.text[start:end]
        match run.removed, run.added:
            case [m.Text(value=was)], [m.Text(value=value)] if (
                was == source and "\n" not in was + value
            ):
                head, tail = _same_words(was, value)
                start, end = start + head, end - tail
                middle = value[head : len(value) - tail]
                nodes: Sequence[Any] = (m.Text(middle),) if middle else ()
                left, right = left or head > 0, right or tail > 0
            case _:
                nodes = run.added
        text = self.pieces.phrasing(leaf, nodes, lead, left=left, right=right)
        if text is None:
            return False
        self._splice(start, end, text)
        return True


def _holders(node: Any, anew: set[int]) -> Iterator[int]:
    """Yield the positions, by ``id``, of rewritten nodes and their ancestors."""
    inner = [each for child in getattr(node, "children", ()) for each in _holders(child, anew)]
    if inner or id(node.position) in anew:
        yield id(node.position)
        yield from inner


def _spaces(marker: re.Match[str]) -> int:
    """Return the number of spaces after a marker; 1 if no content follows on its line."""
    spaces = marker[3]
    return len(spaces) if 0 < len(spaces) < 5 and "\t" not in spaces else 1


def _line_ends(gap: str) -> int:
    return len(LINE_END.findall(gap))


def _own(node: Any) -> tuple[Any, ...]:
    """Return the fields of a node that do not depend on its children and its place."""
    others = {"position", "data", "children", "spread", "checked"}
    return tuple([getattr(node, name) for name in node.__struct_fields__ if name not in others])


def _same_words(one: str, other: str) -> tuple[int, int]:
    """Return the length of the common start and end of two texts, in whole words.

    >>> _same_words("see the old page", "see the new page")
    (8, 5)
    """
    shortest = min(len(one), len(other))
    head = next((i for i in range(shortest) if one[i] != other[i]), shortest)
    head = one.rfind(" ", 0, head) + 1
    rest = shortest - head
    tail = next((i for i in range(rest) if one[-1 - i] != other[-1 - i]), rest)
    if tail < len(one) - head or tail < len(other) - head:
        space = one.find(" ", len(one) - tail)
        tail = len(one) - space if space >= 0 else 0
    return head, max(0, tail)


def _by_children(splices: Splices, old: Any, new: Any, lead: str) -> bool:
    """Compare a block of an extension."""
    if old is new or old == new:
        return True
    return bool(getattr(old, "children", ())) and splices.blocks(old, new, lead)


_BY_KIND: Mapping[type[Node], Callable[[Splices, Any, Any, str], bool]] = {
    **dict.fromkeys(_FLOW, Splices.blocks),
    m.List: Splices.items,
    m.ListItem: Splices.item,
    m.Table: Splices.rows,
    m.TableRow: Splices.cells,
    m.Heading: Splices.heading,
    **dict.fromkeys((m.Paragraph, m.Code, m.Definition, m.ThematicBreak), Splices.leaf),
}
"""The comparison of two nodes by kind, which returns whether splices alone suffice."""
