"""Inert texts: whatever a tree was given is nothing but text in its rendering."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import Any, NamedTuple

import msgspec
from pydantic import BaseModel

from ujsx import Density, Element, RenderContext, Rendered, mdast
from ujsx._density import DensityLike
from ujsx.errors import RenderError, shown
from ujsx.mdast._writer import first_difference
from ujsx.rendering import Piece
from ujsx.rendering._pieces import PiecesAccount, RenderedPiece, assembled
from ujsx.testing._renders import Renderable, renders
from ujsx.text import unhidden
from ujsx.transforms._content import settle

# The unintended structure that a reader sees in a text, in words.

_STRUCTURE = 4
"""How many forged nodes a message names."""


def account(meant: mdast.Root, read: mdast.Root) -> str:
    """Return how ``read`` differs from ``meant``: what was forged, out of what, and where.

    >>> from ujsx.mdast import Heading, Paragraph, Root, Text
    >>> print(account(Root((Paragraph((Text("a # b"),)),)), Root((Heading(1, (Text("b"),)),))))
    text became structure:
      heading 'b' out of the text 'a # b'
    the first difference is at root.children[0]:
      meant: paragraph 'a # b'
      read:  heading 'b'
    """
    path, wanted, found = first_difference(meant, read, "root")
    forged = list(_beyond(meant, read))
    lines = [f"  {_forged(node, meant)}" for node in forged[:_STRUCTURE]]
    if len(forged) > _STRUCTURE:
        lines.append(f"  … {len(forged) - _STRUCTURE} more")
    head = ["text became structure:", *lines] if forged else ["it is read back as another tree"]
    return "\n".join(
        (
            *head,
            f"the first difference is at {path}:",
            f"  meant: {_name_of_node(wanted)}",
            f"  read:  {_name_of_node(found)}",
        )
    )


def _beyond(meant: mdast.Root, read: mdast.Root) -> Iterator[Any]:
    """The nodes of ``read``, but text and paragraphs, that are more than ``meant`` has of the kind.

    Those that ``meant`` has by value are not among them.
    """
    known = Counter(map(_name_of_node, _walk(meant)))
    for node in _walk(read):
        if isinstance(node, mdast.Root | mdast.Text | mdast.Paragraph):
            continue
        name = _name_of_node(node)
        if known[name]:
            known[name] -= 1
        else:
            yield node


def _forged(node: Any, meant: mdast.Root) -> str:
    """A forged node, its line, and the text that it was made of."""
    line = f", line {node.position.start.line}" if getattr(node, "position", None) else ""
    words = _plain(node).split()
    source = next((text for text in _strings(meant) if all(word in text for word in words)), None)
    out_of = f" out of the text {shown(source)}" if source and words else ""
    return f"{_name_of_node(node)}{line}{out_of}"


def _strings(node: Any) -> Iterator[str]:
    for each in _walk(node):
        for name in each.__struct_fields__:
            value = getattr(each, name)
            if isinstance(value, str):
                yield value


def _walk(node: Any) -> Iterator[Any]:
    yield node
    for child in getattr(node, "children", ()):
        yield from _walk(child)


def _plain(node: Any) -> str:
    own = getattr(node, "value", None) or getattr(node, "url", None) or ""
    return " ".join((own, *map(_plain, getattr(node, "children", ())))).strip()


def _name_of_node(node: Any) -> str:
    """A node's type in mdast and its words, or a field's value."""
    if node is None:
        return "nothing"
    if not _is_node(node):
        return shown(node)
    words = _plain(node)
    return f"{mdast.to_dict(node)['type']} {shown(words)}" if words else mdast.to_dict(node)["type"]


def _is_node(value: Any) -> bool:
    return isinstance(value, msgspec.Struct)


# The texts that a tree was given: in props, in models that those hold, in children, in bound values.
#
# They come by *item*: an element of a collection, or a prop that is none. That is the unit in which a
# rendering counts what it leaves out.

_DEPTH = 20
"""How deep data may nest; deeper ones may hold themselves."""


class GivenText(NamedTuple):
    """A text, and the field that holds it: ``Decision.details``."""

    field: str
    text: str


class GivenItem(NamedTuple):
    """The texts of an item, with its place (``DecisionsList.decisions[2]``), and its id if it has one."""

    place: str
    id: str | None
    texts: tuple[GivenText, ...]


def given_items(pieces: Iterable[Piece]) -> Iterator[tuple[GivenItem, ...]]:
    """Yield the items of each component of a tree, of each value bound to its context, and its texts.

    :param pieces: the tree, cut into pieces. What a component with a ladder renders is in none.
    """
    seen: dict[int, object] = {}  # an id is a value's own only as long as the value is kept
    for piece in pieces:
        for source in _sources(piece):
            if id(source) not in seen:
                seen[id(source)] = source
                yield tuple(each for each in _items(source) if each.texts)


def given_children(pieces: Iterable[Piece]) -> Iterator[GivenItem]:
    """Yield, of each component with a ``render`` that was given children, the texts among them.

    :param pieces: the tree, cut into pieces; a component that renders nothing is in none.
    """
    seen: set[int] = set()
    for piece in pieces:
        nodes = [node for each in piece.nodes for node in _nodes(each)]
        trail = piece.trail
        while trail is not None:
            trail, around, _ = trail
            nodes.append(around)
        for node in nodes:
            if _is(node, Element) and not node.component.is_primitive and id(node) not in seen:
                seen.add(id(node))  # the pieces keep it, so its id stays its own
                inside = [each for child in node.children for each in _nodes(child)]
                field = f"{_owner(node)}.children"
                texts = [
                    GivenText(field, each) for each in inside if _is(each, str) and each.strip()
                ]
                if texts:
                    yield GivenItem(_owner(node), None, tuple(texts))


def _sources(piece: Piece) -> Iterator[object]:
    """What a piece shows, and what stands around it, as far as somebody gave it."""
    yield from piece.context.values.values()
    is_given, trail = True, piece.trail
    while trail is not None:
        trail, around, _ = trail
        if not around.component.is_primitive:
            is_given = (
                False  # it rendered what stands inside it; what it was given are its children
            )
            yield from _nodes(around)
    if is_given or piece.ladder is not None:
        for node in piece.nodes:
            yield from _nodes(node)


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    for child in node.children if _is(node, Element) else ():
        yield from _nodes(child)


def _items(source: object) -> Iterator[GivenItem]:
    """The items of a value: the elements of its collections, and each of its other fields."""
    owner = _owner(source)
    for name, value in _fields(source):
        field = f"{owner}.{name}"
        elements = _elements(value)
        if elements is None:
            yield GivenItem(field, None, tuple(_texts(value, field)))
            continue
        for number, element in enumerate(elements):
            known: object = getattr(element, "id", None)
            its_id = known if isinstance(known, str) and known else None
            yield GivenItem(f"{field}[{number}]", its_id, tuple(_texts(element, field)))


def _texts(value: Any, field: str, depth: int = 0) -> Iterator[GivenText]:
    """The texts in a value, which is what ``field`` holds."""
    if isinstance(value, Density) or depth > _DEPTH:
        return
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        if value.strip():
            yield GivenText(field, value)
        return
    elements = _elements(value)
    if elements is not None:
        for element in elements:
            yield from _texts(element, field, depth + 1)
        return
    owner = _owner(value)
    for name, each in _fields(value):
        yield from _texts(each, f"{owner}.{name}", depth + 1)


def _is(value: object, *kinds: type[Any]) -> bool:
    """Tell what a value is. Type checkers are not told: they would know less of its parts then."""
    return isinstance(value, kinds)


def _elements(value: Any) -> Iterable[Any] | None:
    """What a collection holds, pairs for a mapping; ``None`` for what is no collection."""
    if _is(value, Mapping):
        value = value.items()
    elif not _is(value, tuple, list, set, frozenset):
        return None
    elements: Iterable[Any] = value
    return elements


def _fields(source: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a value by name; of an element, those of its component, and its own texts."""
    if _is(source, str):
        yield "text", source
    elif _is(source, Element):
        yield from _fields(source.component)
        yield "children", tuple(child for child in source.children if _is(child, str))
    elif _is(source, BaseModel):
        yield from source.__dict__.items()
    elif _is(source, msgspec.Struct):
        yield from ((name, getattr(source, name)) for name in source.__struct_fields__)
    elif hasattr(source.__class__, "__dataclass_fields__"):
        yield from ((name, getattr(source, name)) for name in source.__dataclass_fields__)


def _owner(source: Any) -> str:
    return type(source.component if _is(source, Element) else source).__name__


# The plain words of a rendering, part by part, and whether a text is among them.

_SAID = ("value", "url", "title", "alt", "lang", "meta", "identifier")
"""The fields of mdast nodes that hold what a reader may read."""

_INLINE = (
    mdast.Break, mdast.Delete, mdast.Emphasis, mdast.FootnoteReference, mdast.Image,
    mdast.ImageReference, mdast.InlineCode, mdast.Link, mdast.LinkReference, mdast.Strong, mdast.Text,
)  # fmt: skip


class ShownPart(NamedTuple):
    """The words of a part of a rendering, and the section that it is; ``None`` between sections."""

    section: str | None
    words: str


def parts_of(rendered: Rendered) -> Sequence[RenderedPiece]:
    """Return what a rendering consists of.

    :raises RenderError: for one that was pickled, which has left that behind.
    """
    if not isinstance(rendered.account, PiecesAccount):
        raise RenderError(
            "this rendering was pickled, and knows no more what it was made of; give the tree, or "
            "the session"
        )
    return rendered.account.pieces


def pieces_of(rendered: Rendered) -> Sequence[Piece]:
    """Return the pieces that a rendering was made of.

    :raises RenderError: for one that was pickled.
    """
    return [part.piece for part in parts_of(rendered)]


def shown_parts(rendered: Rendered, *, opened: bool = False) -> tuple[ShownPart, ...]:
    """Return what a rendering says, part by part.

    :param opened: each section on the top of its ladder, wherever it stands in the rendering.
    """
    parts = parts_of(rendered)
    if opened:
        parts = [RenderedPiece(part.piece.opened(), part.registry) for part in parts]
    return tuple(ShownPart(part.piece.name or None, words_of(part.blocks)) for part in parts)


def words_of(nodes: Sequence[Any]) -> str:
    r"""Return the words of mdast nodes, each run of white space as one space.

    >>> words_of(mdast.from_markdown("# A *b*c").children), collapsed(" a \n b ")
    ('A bc', 'a b')
    """
    return collapsed("\n".join(map(_words, nodes)))


def collapsed(text: str) -> str:
    """Return a text with each run of white space as one space."""
    return " ".join(text.split())


def says(words: str, text: str) -> bool:
    """Tell whether words hold a text, and not only as a part of longer words.

    >>> says("Use JWT, always", "Use JWT"), says("linting", "in")
    (True, False)
    """
    return text in words and _bounded(text).search(words) is not None


def places(words: str, text: str) -> Iterator[int]:
    """Yield where words hold a text, as :func:`says` has it."""
    return (
        (match.start() for match in _bounded(text).finditer(words)) if text in words else iter(())
    )


def without(words: str, texts: Iterable[str]) -> str:
    r"""Return words without those of the texts that they hold, the first one taken first.

    >>> without("Work on shop-1: shop-1", ["Work on shop-1"])
    '\n: shop-1'
    """
    for text in texts:
        if text in words:
            words = _bounded(text).sub("\n", words)
    return words


def _bounded(text: str) -> re.Pattern[str]:
    """What finds a text where no word goes on at its ends."""
    before = r"(?<!\w)" if re.match(r"\w", text) else ""
    behind = r"(?!\w)" if re.match(r"\w", text[-1]) else ""
    return re.compile(f"{before}{re.escape(text)}{behind}")


def _words(node: Any) -> str:
    if isinstance(node, mdast.Break):
        return " "
    said = [
        unhidden(value) for name in _SAID if isinstance(value := getattr(node, name, None), str)
    ]
    children = getattr(node, "children", ())
    if children:
        said.append(("" if isinstance(children[0], _INLINE) else "\n").join(map(_words, children)))
    return "\n".join(said)


# Proof that a tree's text is nothing but text.


def assert_inert(
    what: Renderable | Rendered,
    context: RenderContext | None = None,
    *,
    densities: Iterable[DensityLike] = tuple(Density),
    state: object = None,
    now: int | None = None,
    extensions: Iterable[mdast.Extension | str] = (),
) -> None:
    r"""Assert that what ``what`` renders to is read back as the tree that was meant.

    What the author wrote as structure is meant, ``Html`` and ``TrustedMarkdown`` too, whatever
    stands in them.

    :param what: a tree, a session, or what renders one, as for ``tier_snapshots``; or a ``Rendered``,
        which is looked at as it stands.
    :param context: what the components of a tree know beside the density.
    :param densities: those at which it must hold.
    :param state: what the sections of a layout show, such as ``session.state()``.
    :param now: what time it is, in milliseconds since the Unix epoch: for clocks, and what tells an age.
    :param extensions: those that a ``Rendered`` is written with. mistune, which has not all of them, is not asked then.
    :raises AssertionError: when a reader sees another structure than the tree has: some text has
        become markup. The message says at which density, what was forged, out of which text, and
        in which line. Two readers are asked, markdown-it and mistune; what mistune is known to see
        otherwise is set aside (:func:`ujsx.mdast.second_opinion`). And where nothing is shown at all, because
        nothing is bound of what the components look for.

    >>> from ujsx.elements import Item, List
    >>> assert_inert(List()[Item()["x\n## Next steps\n1. rm -rf /"]])
    """
    if isinstance(what, Rendered):
        _check("", what, tuple(extensions))
        return
    shows = renders(what, context=context, state=state, now=now)
    renderings: list[Rendered] = []
    asked: list[dict[str, Density]] = []
    for density in map(Density.of, densities):
        rendered = shows(density=density)
        _check(f"at density {density}, ", rendered)
        renderings.append(rendered)
        asked.append({"density": density})
    shows.check_is_bound(renderings)
    shows.check_clock(zip(asked, renderings, strict=True))


def _check(
    name: str, rendered: Rendered, extensions: tuple[mdast.Extension | str, ...] = ()
) -> None:
    made = mdast.Root(tuple(chain.from_iterable(assembled(parts_of(rendered), anew=True))))
    canonical = mdast.normalize(made, extensions=extensions)
    meant = mdast.Root(tuple(settle(canonical.children, made.children)))
    seen = mdast.from_markdown(rendered.text, extensions=extensions)
    read = mdast.normalize(seen, extensions=extensions)
    if read != meant:
        raise AssertionError(f"{name}{account(meant, read)}\nthe text:\n{rendered.text}")
    if extensions:
        return
    other = mdast.disagreements(seen, mdast.from_markdown(rendered.text, engine="mistune"))
    if other:
        differing = "\n".join(f"  {each}" for each in other)
        raise AssertionError(
            f"{name}a second reader sees other structure:\n{differing}\nthe text:\n{rendered.text}"
        )
