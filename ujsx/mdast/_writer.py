"""``Writer`` and ``to_markdown``, the style of a source as options, and ``second_opinion`` on a text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise, zip_longest
from typing import Any, Literal, NamedTuple, TypeAlias, cast
from unicodedata import category

import msgspec

from ujsx.errors import MdastError, shown
from ujsx.mdast import _nodes as m
from ujsx.mdast._nodes import Extension, Node, Root, refuses_depth, resolved
from ujsx.mdast._normalize import canonical_blocks
from ujsx.mdast.from_markdown import from_markdown
from ujsx.mdast.to_markdown import PART, DocumentWriter, Handler, Join, Memo, Rules, Unsafe
from ujsx.mdast.to_markdown._phrasing import (
    SPANS,
    Labels,
    Unwritable,
    block_fault,
    is_inline,
    mdast_error,
)
from ujsx.mdast.util import find, walk
from ujsx.on_demand import late_pattern

# The first difference between two trees.


def name_of(value: Any) -> str:
    """Return a node's type in mdast and its words, or a field's value.

    >>> from ujsx.mdast import Paragraph, Text
    >>> name_of(Paragraph(children=[Text("a *b*")]))
    "paragraph 'a *b*'"
    """
    if not hasattr(value, "__struct_config__"):
        return "nothing" if value is None else shown(value)
    words = all_words(value)
    return f"{value.__struct_config__.tag} {shown(words)}" if words else value.__struct_config__.tag


def all_words(node: Any) -> str:
    """Return the texts in a node, and the addresses, joined."""
    own = getattr(node, "value", None) or getattr(node, "url", None) or ""
    return " ".join([own, *map(all_words, getattr(node, "children", ()))]).strip()


def first_difference(left: Any, right: Any, path: str = "$") -> tuple[str, Any, Any]:
    """Return the first difference of two trees: its path, and the value in each.

    >>> from ujsx.mdast import Paragraph, Text
    >>> first_difference(Paragraph([Text("a")]), Paragraph([Text("b")]))
    ('$.children[0].value', 'a', 'b')
    """
    while type(left) is type(right) and isinstance(left, msgspec.Struct):
        fields = left.__struct_fields__
        differing = [each for each in fields if getattr(left, each) != getattr(right, each)]
        if not differing:
            break
        name = differing[0]
        left, right, path = getattr(left, name), getattr(right, name), f"{path}.{name}"
        if name == "children":
            place = next(i for i in range(len(left) + 1) if _at(left, i) != _at(right, i))
            left, right, path = _at(left, place), _at(right, place), f"{path}[{place}]"
    return path, left, right


def _at(nodes: Sequence[Any], place: int) -> Any:
    return nodes[place] if place < len(nodes) else None


# The writer, which can verify its output, or write the canonical form.

OnUnwritable: TypeAlias = Literal["error", "normalize"]


class Writer:
    r"""Writes trees as Markdown.

    ``extensions`` are those used for reading: names in ``ujsx.mdast.extensions``, or your own. ``handlers`` (a node
    class to a function of the node and the state), ``joins`` (the separators of blocks) and ``unsafe`` (characters with
    a meaning to your reader) extend the writer; see ``WriterOptions`` for all options. ``on_unwritable`` handles a tree that
    Markdown cannot represent: ``"error"`` raises ``MdastError`` with the node's path, ``"normalize"`` writes the tree's
    canonical form. ``verify`` parses the result and raises ``MdastError`` if it is not the same tree.

    >>> from ujsx.mdast import Paragraph, Root, Text
    >>> Writer(bullet="*").write(Root(children=[Paragraph(children=[Text("1. *a*")])]))
    '1\\. \\*a\\*\n'
    """

    def __init__(
        self,
        *,
        on_unwritable: OnUnwritable = "error",
        verify: bool = False,
        handlers: Mapping[type[Node], Handler] | None = None,
        joins: Iterable[Join] = (),
        unsafe: Iterable[Unsafe] = (),
        extensions: Iterable[Extension | str] = (),
        **options: Any,
    ) -> None:
        self.rules = Rules(
            handlers=handlers, joins=joins, unsafe=unsafe, extensions=extensions, **options
        )
        self.options = self.rules.options
        if on_unwritable not in ("error", "normalize"):
            raise MdastError(
                f"on_unwritable={on_unwritable!r} is not possible; it is 'error' or 'normalize'"
            )
        self.on_unwritable = on_unwritable
        self.verify = verify

    def write(self, node: Node) -> str:
        """Return a tree's Markdown, ending in one line end, or ``""`` if the tree is empty.

        A node other than a document is written as if it were alone in one.
        """
        nodes = self._as_blocks(node)
        complete = isinstance(node, Root)
        text = "".join(self._written(nodes, None, complete=complete, document=nodes))
        text = f"{text}\n" if text else ""
        if self.verify:
            self._verify(nodes, text, complete=complete)
        return text

    def _as_blocks(self, node: Node) -> Sequence[Node]:
        if isinstance(node, Root):
            return node.children
        if isinstance(node, m.ListItem):
            return (m.List(children=(node,)),)
        if isinstance(node, m.Html) and (
            not isinstance(cast("object", node.value), str)
            or block_fault(node.value) is None
            or not is_inline(node.value)
        ):
            return (node,)
        if (
            type(node) in self.rules.phrasing_handlers
            or type(node) in SPANS
            or type(node) is m.Text
        ):
            return (m.Paragraph(children=(node,)),)  # type: ignore[arg-type]
        return (node,)

    def blocks(
        self, nodes: Sequence[Node], memo: Memo | None = None, *, labels: Labels | None = None
    ) -> list[str]:
        r"""Return the Markdown of each block of a document, with the separator before it: ``"".join(blocks)`` and a
        line end are the document.

        With a ``memo``, a block that was written before in the same surroundings keeps its text: only new objects cost
        time. With ``on_unwritable="normalize"``, blocks without a canonical form are omitted. ``labels`` are the
        document's definitions (``labels_in``), required by references; when ``None``, references are not checked, and
        text in brackets is written as if it were defined elsewhere.

        >>> from ujsx.mdast import Paragraph, Text
        >>> Writer().blocks([Paragraph(children=[Text("a")]), Paragraph(children=[Text("b")])])
        ['a', '\n\nb']
        """
        return self._written(nodes, memo, complete=False, labels=labels)

    def document(self, labels: Labels | None) -> DocumentWriter:
        """Return a writer for a document in parts; ``labels`` are the definitions of all of it."""
        return DocumentWriter(self.rules, labels)

    @refuses_depth
    def _written(
        self,
        nodes: Sequence[Node],
        memo: Memo | None,
        *,
        complete: bool,
        labels: Labels | None = None,
        document: Sequence[Node] | None = None,
    ) -> list[str]:
        normalizes = self.on_unwritable == "normalize"
        mend = partial(self._canonical, complete=False) if normalizes else None
        for is_canonical in (False, True):
            writer = DocumentWriter(self.rules, labels, document)
            writer.writing.mend = mend
            try:
                written = writer.write(nodes, memo, is_last=True)
                if complete:
                    writer.writing.check_references()
            except Unwritable as error:
                if not normalizes or is_canonical:
                    root = Root(children=nodes)  # type: ignore[arg-type]
                    raise mdast_error(error, root) from None
                nodes = self._canonical(nodes, complete=complete)
            else:
                _forget(memo, nodes)
                return [*filter(None, written)]
        raise AssertionError("what is canonical is written or refused")

    @refuses_depth
    def _canonical(self, nodes: Sequence[Node], *, complete: bool) -> tuple[Any, ...]:
        return canonical_blocks(nodes, self.rules, complete=complete)

    def _verify(self, nodes: Sequence[Node], text: str, *, complete: bool) -> None:
        wanted = Root(children=self._canonical(nodes, complete=complete))
        read = from_markdown(text, extensions=self.rules.extensions)
        if read != wanted:
            path, meant, found = first_difference(wanted, read)
            raise MdastError(
                f"what was written reads back as another tree: {_brief(found)}, not {_brief(meant)}; "
                "please report it",
                path=path,
            )


@lru_cache(maxsize=32)
def _writer(options: tuple[tuple[str, object, Any], ...]) -> Writer:
    # The type is part of the key, as 1 equals True but is not a valid option.
    return Writer(**{name: value for name, _, value in options})


def to_markdown(node: Node, **options: Any) -> str:
    r"""Return the Markdown of a tree, ending in one line end, or ``""`` if the tree is empty.

    ``options`` are those of ``Writer``. Raises ``MdastError`` for an unknown option, and for a tree that Markdown
    cannot represent, unless ``on_unwritable="normalize"``.

    >>> from ujsx.mdast import Heading, Text
    >>> to_markdown(Heading(depth=2, children=[Text("C# *and* more")]))
    '## C# \\*and\\* more\n'
    """
    try:
        writer = _writer(
            tuple([(name, cast("object", type(value)), value) for name, value in options.items()])
        )
    except TypeError:  # a table of handlers cannot be hashed
        writer = Writer(**options)
    return writer.write(node)


def _forget(memo: Memo | None, nodes: Sequence[Node]) -> None:
    """Drop a memo's entries of single nodes, once they are many more than the blocks."""
    if not isinstance(memo, dict):
        return
    known = cast("dict[int, Any]", memo)
    if len(known) > 4 * len(nodes) + 64:
        part = known[PART]
        known.clear()
        known[PART] = part


def _brief(value: object) -> str:
    return "nothing" if value is None else shown(value)


# The style of a source: the writer's options that its author would have chosen.

MARKER = late_pattern(r"(?:[-+*]|([0-9]{1,9})([.)]))([ \t]*)")
"""An item's marker: its number, the delimiter, and the white space before the content."""

LINE_END = late_pattern(r"\r\n?|\n")
_CLOSED = late_pattern(r"[ \t]#+[ \t]*\Z")
_DEEP = 4


class Habits(NamedTuple):
    """The style of a source."""

    options: dict[str, Any]
    """The writer's options."""
    line_end: str
    nesting: int | None
    """The indent of nested lists in columns; ``None`` if it depends on the marker."""
    setext: bool
    """True if headings outside containers are underlined."""
    chosen: frozenset[str] = frozenset()
    """The options set explicitly, not derived from the source."""

    def with_options(self, given: Mapping[str, Any]) -> Habits:
        """Return the habits overridden by explicit options."""
        options = {**self.options, **given}
        setext = bool(options.pop("setext", self.setext))
        nesting = None if "list_item_indent" in given else self.nesting
        return Habits(options, self.line_end, nesting, setext, frozenset(given))


def habits_of(text: str, tree: Root) -> Habits:
    r"""Return the habits of a text; ``tree`` is its tree, with all positions.

    The majority decides; options without evidence are omitted.

    >>> from ujsx.mdast import from_markdown
    >>> text = "* a\n* _b_\n"
    >>> habits_of(text, from_markdown(text, positions="all")).options
    {'bullet': '*', 'emphasis': '_', 'list_item_indent': 'one'}
    """
    votes: dict[str, Counter[Any]] = {}
    for node in walk(tree):
        vote = _VOTES.get(type(node))
        if vote is not None and node.position is not None:
            start, end = node.position.start.offset or 0, node.position.end.offset
            for option, value in vote(node, text[start:end]).items():
                votes.setdefault(option, Counter())[value] += 1
    options = {option: counter.most_common(1)[0][0] for option, counter in sorted(votes.items())}
    line_end = LINE_END.search(text)
    nesting, setext = options.pop("nesting", None), options.pop("setext", False)
    return Habits(options, "\n" if line_end is None else line_end[0], nesting, setext)


def _heading(node: m.Heading, source: str) -> dict[str, Any]:
    if source[:1] != "#":
        return {"setext": True}
    closed = {"close_atx": _CLOSED.search(source) is not None} if node.children else {}
    return {**closed, **({"setext": False} if node.depth < 3 else {})}


def _opening(option: str, marks: str) -> Callable[[Any, str], dict[str, Any]]:
    """Return the reader of an option from the first character of a node."""
    return lambda _node, source: {option: source[0]} if source[0] in marks else {}


def _rule(_node: m.ThematicBreak, source: str) -> dict[str, Any]:
    source = source.strip()
    marks = source.replace(" ", "").replace("\t", "")
    return {"rule": marks[0], "rule_repetition": len(marks), "rule_spaces": " " in source}


def _titled(node: m.Definition | m.Link | m.Image, source: str) -> dict[str, Any]:
    end = source.rstrip(") \t")[-1:]
    return {"quote": end} if node.title and end in {'"', "'"} else {}


def _list(node: m.List, source: str) -> dict[str, Any]:
    marker = MARKER.match(source)
    if marker is None:
        return {}
    if not node.ordered:
        return {"bullet": source[0]}
    found: dict[str, Any] = {"bullet_ordered": marker[2]}
    items = [item for item in node.children if item.position is not None]
    if len(items) > 1:
        start = items[0].position.start.offset or 0  # type: ignore[union-attr]
        second = (items[1].position.start.offset or 0) - start  # type: ignore[union-attr]
        number = MARKER.match(source, second)
        found["increment_list_marker"] = number is None or number[1] != marker[1]
    return found


def _item(node: m.ListItem, source: str) -> dict[str, Any]:
    marker = MARKER.match(source)
    if marker is None or not node.children:
        return {}
    found: dict[str, Any] = {}
    if marker[3] and "\n" not in source:
        is_wide = len(marker[0]) % 4 == 0 and len(marker[3]) > 1
        found["list_item_indent"] = "tab" if is_wide else "one"
    for child in node.children[1:]:
        if isinstance(child, m.List) and child.position is not None and node.position is not None:
            columns = child.position.start.column - node.position.start.column
            found["nesting"] = columns if columns == _DEEP else None
    return found


def _table(node: m.Table, source: str) -> dict[str, Any]:
    lines = LINE_END.split(source)
    first = lines[0].strip()
    is_padded = "| " in first or " |" in first
    widths = {len(line.strip().replace("\\|", "  ")) for line in lines}
    return {"table_cell_padding": is_padded, "table_pipe_align": len(widths) == 1}


def _root(node: Root, _source: str) -> dict[str, Any]:
    gaps = [
        after.position.start.line - before.position.end.line
        for before, after in pairwise(node.children)
        if isinstance(before, m.Definition) and isinstance(after, m.Definition)
        if before.position is not None and after.position is not None
    ]
    return {"tight_definitions": gaps.count(1) > len(gaps) // 2} if gaps else {}


_VOTES: Mapping[type[Node], Callable[[Any, str], dict[str, Any]]] = {
    Root: _root,
    m.Heading: _heading,
    m.Emphasis: _opening("emphasis", "*_"),
    m.Strong: _opening("strong", "*_"),
    m.Code: _opening("fence", "`~"),
    m.ThematicBreak: _rule,
    m.Definition: _titled,
    m.Link: _titled,
    m.Image: _titled,
    m.List: _list,
    m.ListItem: _item,
    m.Table: _table,
}
"""The readers of options, by kind of node."""


# A second opinion: the differences between the structures that mistune and markdown-it read.

# Known differences of mistune from the specification: nodes for which its reading is not compared.
#
# Each row of ``OWN_WAYS`` is a row of ``docs/look-up/mistune.md``, which has an example of it.

LINKS = (m.Link, m.LinkReference)
IMAGES = (m.Image, m.ImageReference)

_EDGE = "\0"
"""The stand-in for a span's delimiters, which never occurs in a parsed text."""

_OPEN_LINK = late_pattern(r"<a[ >]", re.IGNORECASE)
_MIXED_UNDERLINE = late_pattern(r"^[ \t]*(?=-*=)(?==*-)[=-]+[ \t]*$", re.MULTILINE)
_PROTOCOL = late_pattern(r"https?://")


def is_set_aside(node: m.Node) -> bool:
    """Return whether a node's content is not compared with mistune."""
    return any(holds(node) for kinds, holds in OWN_WAYS.values() if isinstance(node, kinds))


def is_passed_over(node: m.Node) -> bool:
    """Return whether a node is not structure, or one that mistune reads elsewhere or not at all.

    Text is not structure; links with their own address may be literals, which mistune reads in part and encodes; and
    footnotes are moved to the end.
    """
    match node:
        case m.Text() | m.FootnoteDefinition():
            return True
        case m.Link(url=url, children=(m.Text(value=value),)):
            text = _decoded(value)
            return _decoded(url) in (text, f"http://{text}", f"mailto:{text}")
        case _:
            return False


def _decoded(url: str) -> str:
    """Return an address, or its text, without percent-encoding."""
    from urllib.parse import unquote  # imported at the first link: nothing else needs it

    return unquote(url)


def _has_rows_of_other_widths(table: m.Table) -> bool:
    return len({len(row.children) for row in table.children}) > 1


def _has_a_footnote(container: m.Parent) -> bool:
    return any(find(container, m.FootnoteDefinition))


def _has_a_rich_footnote(root: m.Root) -> bool:
    """Return whether a footnote holds more than paragraphs: deeper lines are not its own there."""
    return any(
        not isinstance(child, m.Paragraph)
        for node in find(root, m.FootnoteDefinition)
        for child in node.children
    )


def _has_a_line_of_controls(container: m.Parent) -> bool:
    """Return whether a line of a child's text is blank to Python, and not to Markdown."""
    return any(
        line.isspace() and line.strip(" \t")
        for child in getattr(container, "children", ())
        if isinstance(child, (m.Paragraph, m.Heading))
        for line in _flat(child).split("\n")
    )


def _has_a_line_behind_a_quote(container: m.Parent) -> bool:
    """Return whether no blank line separates a quote, or a list, from the next block."""
    children = getattr(container, "children", ())
    return any(
        isinstance(before, (m.Blockquote, m.List))
        and before.position is not None
        and after.position is not None
        and after.position.start.line == before.position.end.line + 1
        for before, after in pairwise(children)
    )


def _has_a_mixed_underline(paragraph: m.Paragraph) -> bool:
    return _MIXED_UNDERLINE.search(_flat(paragraph)) is not None


def _has_an_odd_edge(block: m.Parent) -> bool:
    """Return whether a span has a break at its start, or an odd character at either side."""
    text = _flat(block)
    return any(
        character == "\n" or not _is_plain(character)
        for edge in re.finditer(f"(.?){_EDGE}+(.?)", text, re.DOTALL)
        for character in (edge[1] if edge[1] != "\n" else "", edge[2])
    )


def _is_plain(character: str) -> bool:
    """Return whether Python's ``isalnum`` and ``isspace`` agree with other readers."""
    if character in (" ", "\t", ""):
        return True
    kind = category(character)[0]
    return kind in "LN" or (kind in "PS" and character <= "\uffff")


def _flat(node: m.Node) -> str:
    """Return a node's text, with a mark for the delimiters of its spans."""
    match node:
        case m.Text(value=value):
            return value
        case m.Break():
            return "\n"
        case m.Emphasis() | m.Strong() | m.Delete():
            return f"{_EDGE}{''.join(map(_flat, node.children))}{_EDGE}"
        case m.Link() | m.LinkReference():
            return f"[{''.join(map(_flat, node.children))}]"
        case _:
            return "".join(map(_flat, getattr(node, "children", ()))) or "x"


def _has_code_in_strikethrough(block: m.Parent) -> bool:
    hiding = (m.InlineCode, m.Html, *LINKS, *IMAGES)
    return any(isinstance(each, hiding) for node in find(block, m.Delete) for each in walk(node))


def _has_a_url_in_a_label(block: m.Parent) -> bool:
    labels = (
        _flat(node) if isinstance(node, LINKS) else getattr(node, "alt", "") or ""
        for node in find(block, *LINKS, *IMAGES)
    )
    return any(_PROTOCOL.search(label) for label in labels)


def _has_an_open_link_tag(block: m.Parent) -> bool:
    return any(_OPEN_LINK.match(node.value) for node in find(block, m.Html))


_CONTAINERS = (m.Root, m.Blockquote, m.ListItem)
_TEXT = (m.Paragraph, m.Heading, m.TableCell)

OWN_WAYS: dict[str, tuple[tuple[type[m.Node], ...], Callable[..., bool]]] = {
    "a table whose rows differ in width": ((m.Table,), _has_rows_of_other_widths),
    "a footnote's definition in a quote or an item": ((m.Blockquote, m.ListItem), _has_a_footnote),
    "a line of `=` and `-`, mixed": ((m.Paragraph,), _has_a_mixed_underline),
    "a line of control characters alone": (_CONTAINERS, _has_a_line_of_controls),
    "a quote or a list that no blank line parts from what follows": (
        _CONTAINERS,
        _has_a_line_behind_a_quote,
    ),
    "a footnote that holds more than paragraphs": ((m.Root,), _has_a_rich_footnote),
    "a span that starts with a break, or with a mark, an emoji or a control character at its edge": (
        _TEXT,
        _has_an_odd_edge,
    ),
    "code, HTML or a link in strikethrough": (_TEXT, _has_code_in_strikethrough),
    "a URL in the text of a link or an image": (_TEXT, _has_a_url_in_a_label),
    "an `<a>` tag": (_TEXT, _has_an_open_link_tag),
}
"""mistune's deviations: the kinds of node that are not compared, and their conditions."""


MOST_LEVELS = 40
"""The maximum nesting that is compared; deeper content is text to mistune."""


class Disagreement(NamedTuple):
    """A place where the two readers see different structure."""

    path: str
    """Its path in the default engine's tree, such as ``$.children[2].children[0]``."""

    line: int
    """The first line of its block, from 1."""

    markdown_it: str
    """The default engine's reading, such as ``heading 'Rules'``; ``nothing but text``."""

    mistune: str
    """mistune's reading."""

    def __str__(self) -> str:
        return (
            f"line {self.line}, {self.path}: "
            f"markdown-it sees {self.markdown_it}, mistune {self.mistune}"
        )


class Outline(NamedTuple):
    """A node in terms of both readers: equal in ``kind`` if they agree."""

    kind: tuple[object, ...]
    node: Any
    place: int
    """Its index in the parent."""
    line: int
    children: tuple[Outline, ...]


def second_opinion(
    text: str, *, extensions: Iterable[Extension | str] = ()
) -> tuple[Disagreement, ...]:
    r"""Return the places where mistune reads another structure in ``text`` than the default engine.

    Nodes and their nesting are compared; for each parent, the first differing child is reported. mistune's known
    deviations (``docs/look-up/mistune.md``) are not compared, nor texts nested more than 40 levels deep.

    ``extensions`` are those of ``from_markdown`` that mistune also supports.

    Raises ``MdastError`` as ``from_markdown`` does.

    >>> second_opinion("# a *b*\n\n- c")
    ()
    >>> print(*second_opinion("| a |\n| - |\nb"), sep="\n")
    line 3, $.children[0].children[1]: markdown-it sees tableRow 'b', mistune text
    line 1, $.children[1]: markdown-it sees text, mistune paragraph 'b'
    """
    found = resolved(extensions)
    return disagreements(
        from_markdown(text, extensions=found),
        from_markdown(text, engine="mistune", extensions=found),
    )


def disagreements(markdown_it: m.Root, mistune: m.Root) -> tuple[Disagreement, ...]:
    """Return the structural differences between the two engines' trees of a text."""
    one = outline(markdown_it)
    if _levels(one) > MOST_LEVELS:
        return ()
    return tuple(_differences(one, outline(mistune), "$"))


def outline(node: Any, place: int = 0, line: int = 1) -> Outline:
    """Return the outline of a node and its content in terms of both readers."""
    if node.position is not None:
        line = node.position.start.line
    children = tuple(
        outline(child, number, line)
        for number, child in enumerate(getattr(node, "children", ()))
        if not is_passed_over(child)
    )
    kind = cast("type[m.Node]", type(node))
    told = _TOLD.get(kind, ())
    return Outline((kind, *(getattr(node, name) for name in told)), node, place, line, children)


_TOLD: dict[type[m.Node], tuple[str, ...]] = {
    m.Heading: ("depth",),
    m.List: ("ordered", "start"),
    m.ListItem: ("checked",),
    m.Table: ("align",),
    m.Definition: ("identifier",),
    m.LinkReference: ("identifier",),
    m.ImageReference: ("identifier",),
    m.FootnoteReference: ("identifier",),
}
"""The fields that are compared beside a node's kind; mistune changes the others."""


def _differences(one: Outline, other: Outline, path: str) -> Iterator[Disagreement]:
    """Yield the differences of two outlines of a kind: for each parent, the first child."""
    if is_set_aside(one.node):
        return
    for mine, theirs in zip_longest(one.children, other.children):
        seen = mine or theirs
        at = f"{path}.children[{seen.place}]"
        if mine is not None and theirs is not None and mine.kind == theirs.kind:
            yield from _differences(mine, theirs, at)
        elif mine is None or theirs is None or not is_set_aside(mine.node):
            line = mine.line if mine else one.line
            yield Disagreement(at, line, _named(mine), _named(theirs))
            return


def _levels(seen: Outline) -> int:
    return 1 + max(map(_levels, seen.children), default=0)


def _named(seen: Outline | None) -> str:
    """Return a node's type in mdast, the compared fields, and its words."""
    if seen is None:
        return "text"
    name = type(seen.node).__name__
    told = " ".join([str(value) for value in seen.kind[1:] if value is not None])
    words = _words(seen.node)
    parts = (f"{name[0].lower()}{name[1:]}", told, shown(words) if words else "")
    return " ".join([part for part in parts if part])


def _words(node: Any) -> str:
    own = getattr(node, "value", None) or getattr(node, "alt", None) or ""
    return " ".join([own, *map(_words, getattr(node, "children", ()))]).strip()
