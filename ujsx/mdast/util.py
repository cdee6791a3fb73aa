r"""Functions on trees: walk, find, rewrite, the parts of pages, JSON data, and reuse of unchanged results.

Nodes are immutable. ``rewrite`` and ``replace`` return changed copies, which share unchanged parts with the original.

>>> from ujsx.mdast import Heading, from_markdown, to_markdown
>>> from ujsx.mdast.util import replace, rewrite
>>> tree = from_markdown("# A\n\n## *B*")
>>> deeper = rewrite(tree, Heading, lambda node: replace(node, depth=min(node.depth + 1, 6)))
>>> print(to_markdown(deeper), end="")
## A
<BLANKLINE>
### *B*
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from operator import eq, indexOf, is_
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast, get_args
from unicodedata import category

import msgspec

from ujsx.errors import CallError, MdastError, did_you_mean, shown
from ujsx.mdast._nodes import (
    AnyNode,
    Break,
    Definition,
    Extension,
    FootnoteReference,
    Heading,
    Html,
    Link,
    LinkReference,
    List,
    ListItem,
    Node,
    Paragraph,
    Parent,
    Text,
    UnknownNode,
    invalid,
    is_known,
    kind_of,
    may_hold,
    resolved,
)
from ujsx.on_demand import on_demand

__all__ = [
    "Section",
    "Slugger",
    "definitions",
    "find",
    "replace",
    "rewrite",
    "sections",
    "slug",
    "to_string",
    "toc",
    "walk",
]

on_demand(globals())


# The nodes of a tree, in document order.

NodeT = TypeVar("NodeT", bound=Node)


def walk(tree: Node) -> Iterator[Node]:
    """Yield a node and its descendants in document order, parents first.

    >>> from ujsx.mdast import from_markdown
    >>> [type(node).__name__ for node in walk(from_markdown("a *b*"))]
    ['Root', 'Paragraph', 'Text', 'Emphasis', 'Text']
    """
    stack: list[Node] = [tree]
    while stack:
        node = stack.pop()
        yield node
        children: tuple[Node, ...] = getattr(node, "children", ())
        stack.extend(reversed(children))


def find(tree: Node, *kinds: type[NodeT]) -> Iterator[NodeT]:
    r"""Yield the nodes of these kinds in document order, the tree itself included.

    >>> from ujsx.mdast import Code, from_markdown
    >>> [node.lang for node in find(from_markdown("```py\na\n```\n\n> ```sh\n> b\n> ```"), Code)]
    ['py', 'sh']
    """
    if not isinstance(cast("object", tree), Node):
        kind = kinds[0].__name__ if kinds else "Section"
        raise CallError(
            f"find takes nodes of mdast; of a tree of components, write tree.find_all({kind})"
        )
    for node in walk(tree):
        if isinstance(node, kinds):
            yield node


def definitions(tree: Node) -> dict[str, Definition]:
    r"""Return the targets of references, by identifier: the first of duplicate definitions.

    >>> from ujsx.mdast import from_markdown
    >>> definitions(from_markdown("[a]\n\n[A]: /x\n[a]: /y"))["a"].url
    '/x'
    """
    found: dict[str, Definition] = {}
    for node in find(tree, Definition):
        found.setdefault(node.identifier, node)
    return found


# A tree with some nodes replaced.

TreeT = TypeVar("TreeT", bound=Node)

Change: TypeAlias = Callable[[NodeT], Node | Iterable[Node] | None]
"""From a node to its replacement: a node, itself if unchanged; several; or none."""


def rewrite(tree: TreeT, kind: type[NodeT], change: Change[NodeT]) -> TreeT:
    """Return a tree with ``change(node)`` in place of each node of a kind.

    Nodes are changed from the inside out: the argument of ``change`` has its new children. Its result is not visited
    again. If nothing changes, the tree itself is returned.

    Raises ``MdastError`` if ``change`` returns anything but nodes, or does not replace the root by exactly one node.

    >>> from ujsx.mdast import Html, Node, Strong, from_markdown, to_markdown
    >>> tree = from_markdown("a <b>*c*</b> **d**")
    >>> print(to_markdown(rewrite(tree, Html, lambda node: None)), end="")
    a *c* **d**
    >>> print(to_markdown(rewrite(tree, Strong, lambda node: node.children)), end="")
    a <b>*c*</b> d
    """
    # Each frame: a node, its children, the next of them, and the new ones so far.
    frames: list[tuple[Node, tuple[Node, ...], list[int], list[Node]]] = []
    entered: Node | None = tree
    while True:
        if entered is not None:
            frames.append((entered, getattr(entered, "children", None) or (), [0], []))
            entered = None
        node, children, place, made = frames[-1]
        if place[0] < len(children):
            entered = children[place[0]]
            place[0] += 1
            continue
        frames.pop()
        node = _with_children(node, children, made)
        result = [*_changed(node, kind, change)]
        if frames:
            frames[-1][3].extend(result)
        elif len(result) == 1:
            return result[0]  # type: ignore[return-value]
        else:
            raise MdastError(
                f"the tree itself, a {type(tree).__name__}, became {len(result)} nodes; "
                "change what is in it"
            )


def _with_children(node: Node, old: tuple[Node, ...], new: list[Node]) -> Node:
    if len(old) == len(new) and all(map(is_, old, new)):
        return node
    return msgspec.structs.replace(node, children=tuple(new))


def _changed(node: Node, kind: type[NodeT], change: Change[NodeT]) -> Iterable[Node]:
    if not isinstance(node, kind):
        return (node,)
    result = change(node)
    if result is None:
        return ()
    nodes = (result,) if isinstance(result, Node) else tuple(result)
    for each in nodes:
        if not isinstance(each, Node):
            raise MdastError(
                f"a {type(node).__name__} became {shown(each)}, which is not a node; "
                "return a node, several, or None"
            )
    return nodes


# The fragments of headings, as on GitHub.

_KEPT = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})
"""Letters, marks, digits, and connectors such as an underscore."""

_LETTERS_IN_CIRCLES = (
    ("\u24b6", "\u24e9"),
    ("\U0001f130", "\U0001f149"),
    ("\U0001f150", "\U0001f169"),
    ("\U0001f170", "\U0001f189"),
)
"""Symbols that Unicode counts as alphabetic characters: first and last of each range."""


def slug(text: str) -> str:
    """Return the fragment of a heading with this text, assuming that it is unique.

    >>> slug("What's new in 3.1? (_beta_)")
    'whats-new-in-31-_beta_'
    """
    kept = [each for each in text.lower() if each in " -" or _is_kept(each)]
    return "".join(kept).replace(" ", "-")


def _is_kept(character: str) -> bool:
    return category(character) in _KEPT or any(
        first <= character <= last for first, last in _LETTERS_IN_CIRCLES
    )


class Slugger:
    """The fragments of one page: repeated headings get a number.

    >>> slugger = Slugger()
    >>> [slugger.slug(text) for text in ("Usage", "Usage", "usage-1")]
    ['usage', 'usage-1', 'usage-1-1']
    """

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def slug(self, text: str) -> str:
        """Return the fragment of the next heading."""
        plain = made = slug(text)
        while made in self._next:
            number = self._next[plain] = self._next[plain] + 1
            made = f"{plain}-{number}"
        self._next[made] = 0
        return made


# Characters and padding, as reader and writer both know them.


def has_reference(code: int) -> bool:
    """Return whether a numeric reference gives a character back; for controls it does not.

    >>> has_reference(ord("a")), has_reference(1)
    (True, False)
    """
    return not (
        code < 0x09
        or code == 0x0B
        or 0x0E <= code < 0x20
        or 0x7F <= code < 0xA0
        or 0xD800 <= code < 0xE000
        or 0xFDD0 <= code < 0xFDF0
        or code & 0xFFFE == 0xFFFE
        or code > 0x10FFFF
    )


def unpadded(code: str) -> str:
    """Return the content of a code span or formula, without the space at both ends that parts it from its marks.

    >>> unpadded(" `a` "), unpadded(" a"), unpadded("  ")
    ('`a`', ' a', '  ')
    """
    has_padding = code[0] in " \n" and code[-1] in " \n" and code.strip(" \n")
    return code[1:-1] if has_padding else code


# The text of a tree, without markup.


def to_string(what: Node | Iterable[Node], *, alt: bool = True) -> str:
    """Return the text of one or several nodes: values, and with ``alt`` the texts of images.

    A node's ``alias`` is its text, as it is shown. A hard break is a line end. Raw HTML is markup, and omitted. Blocks
    are not separated: for the words of a document, call it for each block.

    >>> from ujsx.mdast import from_markdown
    >>> to_string(from_markdown("# The `end` of *all* <b>![x](u)</b>"))
    'The end of all x'
    """
    if not isinstance(what, Node):
        return "".join([to_string(node, alt=alt) for node in what])
    parts: list[str] = []
    stack: list[Node] = [what]
    while stack:
        node = stack.pop()
        if isinstance(node, Html):
            continue
        if isinstance(node, Break):
            parts.append("\n")
        for name in _texts_of(type(node)):
            if (text := getattr(node, name)) and (alt or name != "alt"):
                parts.append(text)
                break
        if hasattr(type(node), "children"):
            stack.extend(reversed(cast("Any", node).children or ()))
    return "".join(parts)


def as_typed(node: Node) -> str | None:
    """Return a text, or an address that links to itself, as it was typed; ``None`` for any other node.

    >>> from ujsx.mdast import Link, Text
    >>> as_typed(Link("mailto:ada@b.org", children=[Text("ada@b.org")]))
    'ada@b.org'
    """
    if type(node) is Text:
        return node.value
    if type(node) is not Link or node.title is not None or [*map(type, node.children)] != [Text]:
        return None
    text = to_string(node)
    return text if node.url in (text, f"http://{text}", f"mailto:{text}") else None


@cache
def _texts_of(kind: type[Node]) -> tuple[str, ...]:
    """Return the fields with the text of a kind of node; the first that is not empty is shown."""
    return tuple([name for name in ("alias", "value", "alt") if hasattr(kind, name)])


# A document by its headings: its table of contents, and its sections.


class Section(NamedTuple):
    """A heading with its content, up to the next heading that is not deeper."""

    heading: Heading | None
    """``None`` for the content before the first heading."""

    content: tuple[Node, ...]
    """The blocks between the heading and the first one of ``sections``."""

    sections: tuple[Section, ...]
    """The nested sections, with deeper headings."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All blocks of the section in order: heading, content, and nested sections."""
        own = self.content if self.heading is None else (self.heading, *self.content)
        return (*own, *[node for each in self.sections for node in each.nodes])


def sections(tree: Parent) -> tuple[Section, ...]:
    r"""Return the sections of a document by its headings, except headings in quotes and items.

    >>> from ujsx.mdast import from_markdown
    >>> first, second = sections(from_markdown("a\n\n# B\n\nc\n\n## D\n\ne"))
    >>> first.heading, len(first.content), to_string(second.sections[0].heading)
    (None, 1, 'D')
    """
    blocks: Sequence[Any] = getattr(tree, "children")  # noqa: B009 - each kind declares its own
    # The open sections, outermost first: depth, heading, content, nested sections.
    open_: list[tuple[int, Heading | None, list[Node], list[Section]]] = [(0, None, [], [])]

    def close(depth: int) -> None:
        while open_[-1][0] >= depth:
            _, heading, content, within = open_.pop()
            open_[-1][3].append(Section(heading, tuple(content), tuple(within)))

    for block in blocks:
        if isinstance(block, Heading):
            close(block.depth)
            open_.append((block.depth, block, [], []))
        else:
            open_[-1][2].append(block)
    close(1)
    _, _, before, found = open_[0]
    return (*([Section(None, tuple(before), ())] if before else []), *found)


def toc(tree: Node, *, depths: Sequence[int] = (2, 3)) -> List:
    r"""Return a table of contents: links to the headings of these depths, as GitHub numbers them.

    Without such a heading, this is a list without items, which Markdown cannot represent. All headings count for the
    numbers of fragments, listed or not.

    >>> from ujsx.mdast import from_markdown, to_markdown
    >>> print(to_markdown(toc(from_markdown("# A\n\n## B *c*\n\n### D\n\n## D"))), end="")
    - [B *c*](#b-c)
      - [D](#d)
    - [D](#d-1)
    """
    slugger = Slugger()
    rows: list[tuple[int, Link]] = []
    for heading in find(tree, Heading):
        fragment = slugger.slug(to_string(heading, alt=False))
        if heading.depth in depths:
            rows.append((heading.depth, Link(f"#{fragment}", children=_without_links(heading))))
    return _nested(rows)


def _nested(rows: Sequence[tuple[int, Link]]) -> List:
    """Return links as nested lists: each link contains the deeper ones after it."""
    items: list[ListItem] = []
    at = 0
    while at < len(rows):
        depth, link = rows[at]
        end = at + 1
        while end < len(rows) and rows[end][0] > depth:
            end += 1
        beneath = (_nested(rows[at + 1 : end]),) if end > at + 1 else ()
        items.append(ListItem(children=(Paragraph(children=(link,)), *beneath)))
        at = end
    return List(children=tuple(items))


def _without_links(heading: Heading) -> Any:
    """Return a heading's phrasing without links, for use in a link."""
    plain: Any = rewrite(heading, FootnoteReference, lambda _: None)
    plain = rewrite(plain, Link, lambda node: node.children)
    return rewrite(plain, LinkReference, lambda node: node.children).children


# A node with other fields.


def replace(node: NodeT, **fields: Any) -> NodeT:
    """Return a copy of a node with these fields changed.

    Raises ``MdastError`` for a field that the node does not have.

    >>> from ujsx.mdast import Link, Text
    >>> replace(Link("http://a.b", children=[Text("a")]), url="https://a.b").url
    'https://a.b'
    """
    for name in fields:
        if name not in node.__struct_fields__:
            kind, known = type(node).__name__, node.__struct_fields__
            raise MdastError(f"a {kind} has no {name!r}; {did_you_mean(name, known)}")
    own = {name: getattr(node, name) for name in node.__struct_fields__}
    return type(node)(**(own | fields))  # constructed again, so that it is validated


# A cache for a sequence that changes little between calls: a diff, and reused results.
#
# In: the previous items with their results, and the current items. Previous items keep their result; only new ones are
# computed. The common start and end are compared first, which is fast; the rest is looked up in a dictionary.

Make: TypeAlias = Callable[[Any, Any], Any]
"""Returns the result for an item; its second argument is the previous result in its place, or ``None``."""


def map_changed(
    before: Sequence[Any],
    results: Sequence[Any],
    given: Sequence[Any],
    make: Make,
    *,
    by_value: bool = True,
) -> Sequence[Any]:
    """Return a result for each item: that of an equal previous item, or a new one.

    :param by_value: whether items are compared by value; otherwise by identity.

    >>> map_changed("abcd", [1, 2, 3, 4], "xabed", lambda new, old: f"new {new} for {old}")
    ['new x for 1', 1, 2, 'new e for None', 4]
    """
    same = eq if by_value else is_
    shorter = min(len(before), len(given))
    first = run_length(map(same, before, given), shorter)
    if first == len(given) == len(before):
        return results
    last = run_length(map(same, reversed(before), reversed(given)), shorter - first)
    ended, end = len(before) - last, len(given) - last
    known: dict[Any, Any] = {}
    name: Callable[[Any], Any] = _itself if by_value else id
    if ended - first > 1 and end > first:  # hashing a changed item takes as long as comparing it
        known = dict(zip(map(name, before[first:ended]), results[first:ended], strict=True))
    renewals = [*results[:first]]
    for place in range(first, end):
        found = known.get(name(given[place])) if known else None
        if found is None:
            found = make(given[place], results[place] if place < ended else None)
        renewals.append(found)
    return [*renewals, *results[ended:]]


def _itself(value: Any) -> Any:
    return value


def run_length(same: Iterable[bool], most: int) -> int:
    """Return the number of items at the start that are the same, of at most ``most``."""
    try:
        return indexOf(islice(same, most), False)
    except ValueError:  # all of them
        return most


# mdast trees as JSON data, field for field as the mdast specification has it.
#
# ``to_dict`` writes a field that the specification makes optional as ``null`` when it is not set,
# as remark does (``title``, ``lang``, ``start``, ``checked`` …); ``position`` and ``data`` stand
# there only when they are set. ``from_dict`` takes those, and data that leaves them out.

MAX_DEPTH: Final = 150
"""The most levels of nodes in ``from_dict``, as functions on trees recurse."""

_KINDS: Final[dict[str, type[Node]]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(AnyNode)
}


@cache
def _fields(kind: type[Node]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a class's type name and its fields, as (attribute, JSON name), ``children`` last."""
    fields = [
        (field.name, field.encode_name)
        for field in msgspec.structs.fields(kind)
        if field.name not in ("position", "data", "children")
    ]
    return str(kind.__struct_config__.tag), tuple(fields)


def to_dict(node: Node) -> dict[str, Any]:
    """Return a tree as JSON data.

    Raises ``MdastError`` when the tree is nested more than ``MAX_DEPTH`` levels deep.

    >>> from ujsx.mdast import Emphasis, Link, Text
    >>> to_dict(Link("https://a.co", children=[Text("a")]))["title"] is None
    True
    >>> to_dict(Emphasis(children=[Text("a")]))
    {'type': 'emphasis', 'children': [{'type': 'text', 'value': 'a'}]}
    """
    return _to_dict(node, "$", 0)


def _to_dict(node: Node, path: str, depth: int) -> dict[str, Any]:
    if depth > MAX_DEPTH:
        raise MdastError(f"nested more than {MAX_DEPTH} levels deep", path=path)
    name, fields = _fields(type(node))
    result: dict[str, Any] = {"type": name}
    if isinstance(node, UnknownNode):
        result, fields = {"type": node.kind, **node.fields}, ()
    for attribute, json_name in fields:
        value: Any = getattr(node, attribute)
        result[json_name] = [*value] if isinstance(value, tuple) else value
    children: tuple[Node, ...] | None = getattr(node, "children", None)
    if children or (children is not None and not isinstance(node, UnknownNode)):
        result["children"] = [
            _to_dict(child, f"{path}.children[{index}]", depth + 1)
            for index, child in enumerate(children)
        ]
    if node.data is not None:
        result["data"] = node.data
    if node.position is not None:
        points = {"start": node.position.start, "end": node.position.end}
        result["position"] = msgspec.to_builtins(points)
    return result


def from_dict(data: Any, *, extensions: Iterable[Extension | str] = ()) -> AnyNode:
    """Return the tree of JSON data; fields unknown to mdast are ignored.

    A node of an unknown type becomes an ``UnknownNode`` with all its fields: functions on trees pass it through, and
    ``to_dict`` returns it. The types of the package's own extensions are known; ``extensions`` adds yours.

    Raises ``MdastError`` with the place (``$.children[0].value``) for a misplaced node, a missing field or one of a
    wrong type, and data nested more than ``MAX_DEPTH`` levels deep.

    >>> from_dict({"type": "emphasis", "children": [{"type": "text", "value": "a"}]})
    Emphasis(children=(Text(value='a'),))
    >>> from_dict({"type": "callout", "icon": "!"})
    UnknownNode(kind='callout', fields={'icon': '!'})
    """
    own = {
        str(kind.__struct_config__.tag): kind
        for extension in resolved(extensions)
        for kind in extension.nodes
    }
    return cast("AnyNode", _from_dict(data, None, 0, {**_KINDS, **own} if own else _KINDS))


Place: TypeAlias = "tuple[Place, int] | None"
"""A node's place: its parent's place, and its index; converted to a path for errors only."""


def _path(place: Place) -> str:
    steps: list[str] = []
    while place is not None:
        place, index = place
        steps.append(f".children[{index}]")
    return "".join(["$", *reversed(steps)])


def _from_dict(data: Any, place: Place, depth: int, kinds: Mapping[str, type[Node]]) -> Node:
    if depth > MAX_DEPTH:
        raise MdastError(
            f"nested more than {MAX_DEPTH} levels deep; flatten the data", path=_path(place)
        )
    if not isinstance(data, dict):
        raise MdastError(
            f'a node is an object with a "type", not {type(data).__name__} {_shown(data)}',
            path=_path(place),
        )
    given = cast("dict[str, Any]", data)
    fields = {name: value for name, value in given.items() if value is not None}
    name: Any = fields.get("type")
    if name is None:
        raise MdastError('a node needs a "type"', path=_path(place))
    if not isinstance(name, str):
        raise MdastError(f"a type is a text, not {_shown(name)}", path=f"{_path(place)}.type")
    kind = kinds.get(name) or kind_of(name)
    children = fields.pop("children", None)
    nodes: list[Node] = []
    if isinstance(children, list):
        nodes = [
            _from_dict(child, (place, index), depth + 1, kinds)
            for index, child in enumerate(cast("list[object]", children))
        ]
    elif children is not None:
        raise MdastError(
            f"expected `array`, got {_shown(children)}", path=f"{_path(place)}.children"
        )
    if kind is None:
        return _unknown(name, given, fields, tuple(nodes), place)
    node = _converted(fields, kind, place)
    if children is not None and "children" in kind.__struct_fields__:
        if is_known(node):
            _check(node, nodes, place)
        msgspec.structs.force_setattr(node, "children", tuple(nodes))
    return node


def _check(parent: Node, children: Iterable[Node], place: Place) -> None:
    """Check that the specification allows children in a node of its kinds."""
    for index, child in enumerate(children):
        if not may_hold(parent, child) and is_known(child):
            tag = child.__struct_config__.tag
            raise MdastError(
                f'a node of type "{tag}" cannot stand there; '
                "mdast says which children each node takes",
                path=_path((place, index)),
            )


def _converted(fields: dict[str, Any], kind: type[Node], place: Place) -> Node:
    """Return the node of its fields, including the type."""
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise invalid(error, _path(place)) from None


def _unknown(
    name: str,
    given: dict[str, Any],
    fields: dict[str, Any],
    children: tuple[Node, ...],
    place: Place,
) -> UnknownNode:
    own = {each: given[each] for each in given if each not in _SHARED}
    if not children and "children" in given:
        own["children"] = given["children"]
    shared: dict[str, Any] = {"type": UnknownNode.__struct_config__.tag, "kind": name}
    shared |= {each: fields[each] for each in ("data", "position") if each in fields}
    plain = cast("UnknownNode", _converted(shared, UnknownNode, place))
    return msgspec.structs.replace(plain, fields=own, children=children)


_SHARED = frozenset({"type", "children", "data", "position"})
"""The fields that every node may have."""


def _shown(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
