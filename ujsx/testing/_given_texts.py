"""The texts passed to a tree: checks that each stays text in its rendering, and is shown or reported as omitted."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate, chain
from typing import Any, NamedTuple, cast

import msgspec
from pydantic import BaseModel

from ujsx import Child, Density, Element, RenderContext, Rendered, mdast
from ujsx._density import DensityLike
from ujsx.errors import RenderError, shown
from ujsx.mdast._writer import all_words, first_difference, name_of
from ujsx.mdast.util import walk
from ujsx.rendering import Piece
from ujsx.rendering._pieces import PiecesAccount, RenderedPiece, assembled
from ujsx.testing._renders import (
    EVERYTHING,
    Renderable,
    Renders,
    around,
    names_given,
    renders,
    section_names,
    unknown_names,
)
from ujsx.text import unhidden
from ujsx.transforms._content import settle

# The description of unintended structure that a reader sees in a text.

_STRUCTURE = 4
"""The most forged nodes in a message."""


def account(meant: mdast.Root, read: mdast.Root) -> str:
    """Return the difference of ``read`` from ``meant``: the forged structure, its source text, and its place.

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
    difference = f"  meant: {name_of(wanted)}\n  read:  {name_of(found)}"
    return "\n".join((*head, f"the first difference is at {path}:", difference))


def _beyond(meant: mdast.Root, read: mdast.Root) -> Iterator[Any]:
    """Return the nodes of ``read``, other than text and paragraphs, that exceed those of the kind in ``meant``.

    Nodes equal to some in ``meant`` are not included.
    """
    known = Counter(map(name_of, walk(meant)))
    for node in walk(read):
        if isinstance(node, mdast.Root | mdast.Text | mdast.Paragraph):
            continue
        name = name_of(node)
        if known[name]:
            known[name] -= 1
        else:
            yield node


def _forged(node: Any, meant: mdast.Root) -> str:
    """Return the description of a forged node, its line, and its source text."""
    line = f", line {node.position.start.line}" if getattr(node, "position", None) else ""
    words = all_words(node).split()
    source = next((text for text in _strings(meant) if all(word in text for word in words)), None)
    out_of = f" out of the text {shown(source)}" if source and words else ""
    return f"{name_of(node)}{line}{out_of}"


def _strings(node: mdast.Root) -> Iterator[str]:
    for each in walk(node):
        for name in each.__struct_fields__:
            value = getattr(each, name)
            if isinstance(value, str):
                yield value


# The texts passed to a tree: in props, in models inside them, in children, in bound values.
#
# They are grouped by *item*: an element of a collection, or a prop that is not one. A rendering counts omissions in
# these units.

_DEPTH = 20
"""The maximum nesting of data; deeper ones may be recursive."""


class GivenText(NamedTuple):
    """A text, and its field: ``Decision.details``."""

    field: str
    text: str


class GivenItem(NamedTuple):
    """The texts of an item, with its place (``DecisionsList.decisions[2]``), and its id if it has one."""

    place: str
    id: str | None
    texts: tuple[GivenText, ...]


def given_items(pieces: Iterable[Piece]) -> Iterator[tuple[GivenItem, ...]]:
    """Yield the items of each component of a tree, of each value bound to its context, and its texts.

    :param pieces: the tree, cut into pieces, without the output of components with ladders.
    """
    seen: dict[int, object] = {}  # an id is unique only while the value is kept
    for piece in pieces:
        for source in _sources(piece):
            if id(source) not in seen:
                seen[id(source)] = source
                yield tuple(each for each in _items(source) if each.texts)


def given_children(pieces: Iterable[Piece]) -> Iterator[GivenItem]:
    """Yield the texts among the children of each component with a ``render``.

    :param pieces: the tree, cut into pieces; a component that renders nothing is in none.
    """
    seen: set[int] = set()
    for piece in pieces:
        nodes = [*(node for each in piece.nodes for node in _nodes(each)), *around(piece)]
        for node in nodes:
            if _is(node, Element) and not node.component.is_primitive and id(node) not in seen:
                seen.add(id(node))  # the pieces keep it, so its id stays unique
                inside = [each for child in node.children for each in _nodes(child)]
                field = f"{_owner(node)}.children"
                texts = [
                    GivenText(field, each) for each in inside if _is(each, str) and each.strip()
                ]
                if texts:
                    yield GivenItem(_owner(node), None, tuple(texts))


def _sources(piece: Piece) -> Iterator[object]:
    """Return the sources of a piece, and of the nodes around it."""
    yield from piece.context.values.values()
    is_given = True
    for each in around(piece):
        if not each.component.is_primitive:
            # It rendered what stands inside it; what it was given are its children.
            is_given = False
            yield from _nodes(each)
    if is_given or piece.ladder is not None:
        for node in piece.nodes:
            yield from _nodes(node)


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    for child in node.children if _is(node, Element) else ():
        yield from _nodes(child)


def _items(source: object) -> Iterator[GivenItem]:
    """Yield the items of a value: the elements of its collections, and each of its other fields."""
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
    """Yield the texts in a value of ``field``."""
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
    """Tell whether a value has a type, without narrowing it for type checkers."""
    return isinstance(value, kinds)


def _elements(value: Any) -> Iterable[Any] | None:
    """Return the elements of a collection, pairs for a mapping; ``None`` for anything else."""
    if _is(value, Mapping):
        value = value.items()
    elif not _is(value, tuple, list, set, frozenset):
        return None
    elements: Iterable[Any] = value
    return elements


def _fields(source: Any) -> Iterator[tuple[str, Any]]:
    """Return the fields of a value by name; for an element, those of its component, and its own texts."""
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


# The plain words of a rendering, part by part, and the search for a text in them.

_SAID = ("value", "url", "title", "alt", "lang", "meta", "identifier")
"""The fields of mdast nodes that readers may see."""

_INLINE = (
    mdast.Break, mdast.Delete, mdast.Emphasis, mdast.FootnoteReference, mdast.Image,
    mdast.ImageReference, mdast.InlineCode, mdast.Link, mdast.LinkReference, mdast.Strong, mdast.Text,
)  # fmt: skip


class ShownPart(NamedTuple):
    """The words of a part of a rendering, and the section that it is; ``None`` between sections."""

    section: str | None
    words: str


def parts_of(rendered: Rendered) -> Sequence[RenderedPiece]:
    """Return the parts of a rendering.

    :raises RenderError: for a pickled one, which no longer has them.
    """
    if not isinstance(rendered.account, PiecesAccount):
        raise RenderError(
            "this rendering was pickled, and knows no more what it was made of; give the tree, or "
            "the session"
        )
    return rendered.account.pieces


def pieces_of(rendered: Rendered) -> Sequence[Piece]:
    """Return the pieces of a rendering.

    :raises RenderError: for one that was pickled.
    """
    return [part.piece for part in parts_of(rendered)]


def shown_parts(rendered: Rendered, *, opened: bool = False) -> tuple[ShownPart, ...]:
    """Return the words of a rendering, part by part.

    :param opened: whether to take each section on the top of its ladder, whatever its rung in the rendering.
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
    """Tell whether words contain a text, and not only as a part of longer words.

    >>> says("Use JWT, always", "Use JWT"), says("linting", "in")
    (True, False)
    """
    return text in words and _bounded(text).search(words) is not None


def places(words: str, text: str) -> Iterator[int]:
    """Yield the places of a text in words, as for :func:`says`."""
    return (
        (match.start() for match in _bounded(text).finditer(words)) if text in words else iter(())
    )


def without(words: str, texts: Iterable[str]) -> str:
    r"""Return words without those of the texts, removing the first text first.

    >>> without("Work on shop-1: shop-1", ["Work on shop-1"])
    '\n: shop-1'
    """
    for text in texts:
        if text in words:
            words = _bounded(text).sub("\n", words)
    return words


def _bounded(text: str) -> re.Pattern[str]:
    """Return the pattern of a text with word boundaries at its ends."""
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


# The check that a tree's text stays text.


def assert_inert(
    what: Renderable | Rendered,
    context: RenderContext | None = None,
    *,
    densities: Iterable[DensityLike] = tuple(Density),
    state: object = None,
    now: int | None = None,
    extensions: Iterable[mdast.Extension | str] = (),
) -> None:
    r"""Assert that the rendering of ``what`` is read back as the intended tree.

    Structure from the author is intended, including ``Html`` and ``TrustedMarkdown`` with any content.

    :param what: a tree, a session, or a function that renders one, as for ``tier_snapshots``; or a ``Rendered``, which
        is checked unchanged.
    :param context: the components' context, beside the density.
    :param densities: the densities to check.
    :param state: the data of a layout's sections, such as ``session.state()``.
    :param now: the current time, in milliseconds since the Unix epoch, for clocks and ages.
    :param extensions: the Markdown extensions of a ``Rendered``. mistune, which lacks some of them, is not used then.
    :raises AssertionError: if a reader sees another structure than the tree's: some text has become markup. The message
        has the density, the forged structure, its source text, and the line. Two readers are used, markdown-it and
        mistune; known deviations of mistune are ignored (:func:`ujsx.mdast.second_opinion`). Also if nothing is shown,
        because the data that the components need are not bound.

    >>> from ujsx.elements import Item, List
    >>> assert_inert(List()[Item()["x\n## Next steps\n1. rm -rf /"]])
    """
    if isinstance(what, Rendered):
        _check("", what, tuple(extensions))
        return
    shows = renders(what, context=context, state=state, now=now)
    renderings: dict[Density, Rendered] = {}
    for density in map(Density.of, densities):
        renderings[density] = shows(density=density)
        _check(f"at density {density}, ", renderings[density])
    shows.check_is_bound(renderings.values())
    shows.check_clock(({"density": each}, rendered) for each, rendered in renderings.items())


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


# The check that a rendering reports its omissions.

_FINER = 16
"""The divisor of the step between budgets, from everything to the floor: at least a sixteenth less each."""

_MOST = 8
"""The most texts in a message."""

_ADVICE = (
    "where a section leaves something out, it puts an Omitted(count=…) there, brief=True where a line "
    "says it already; what may be left out without a word: "
)


@dataclass(frozen=True, slots=True)
class _Hidden:
    """A text that the full rendering shows, and a rendering neither shows nor reports."""

    item: GivenItem
    text: GivenText
    sections: tuple[str, ...]
    """The sections that show it in the full rendering."""

    def __str__(self) -> str:
        of = f" of {shown(self.item.id)}" if self.item.id is not None else ""
        where = " and ".join(self.sections) or "between the sections, where nothing names it"
        return f"{self.text.field}{of}, in {where}: {shown(self.text.text)}"


def assert_nothing_hidden(
    what: Renderable | Rendered,
    *,
    state: object = None,
    now: int | None = None,
    context: RenderContext | None = None,
    but: Collection[str] = (),
) -> None:
    """Assert that each omission of data in a rendering is listed in ``Rendered.omitted``.

    Everything is rendered once, each section on the top of its ladder. Each text of the data in it must, at each
    density and at budgets from all of that down to the floor, still be in the text, or be covered by its section's
    entries in ``omitted``. An entry covers the items whose ids it lists, and as many others as it counts beyond those.
    An item is an element of a collection in a prop, or a prop that is not a collection; an item that lost a part of its
    texts counts as omitted. The entry of a section that a budget hides covers all of it.

    Children are checked separately: a component with a ``render`` that shows none of its children's texts, even in the
    full rendering, ignores them.

    It sees the texts in props and in the models, data classes, mappings and collections inside them, in children, and
    in values bound to the context. It does not see numbers and dates; data that even the top of a ladder does not show,
    such as those beyond an author's ``limit``; texts that a component changes before showing them (upper case, half a
    sentence); a component's other data; nor components inside one with a ladder. A text that also appears elsewhere in
    the rendering counts as shown, so short ones are often missed; use distinct texts in test data. One that only
    appears as a part of another given text, as an id in a title, does not count as shown. The words and the call of an
    entry are not checked.

    :param what: a tree, a session, or a function that renders one, as for ``tier_snapshots``; or a ``Rendered``, which
        is checked unchanged.
    :param state: the data of a layout's sections.
    :param now: the current time, in milliseconds since the Unix epoch, for clocks and ages.
    :param context: the rest of the components' context.
    :param but: allowed silent omissions: a field (``"Decision.details"``), or a section with all its content
        (``"Hints"``).
    :raises AssertionError: with the rendering, the fields, and the texts. Also if nothing is shown, because the data
        that the components need are not bound.
    :raises DefinitionError: for an invalid name in ``but``, such as a text in place of a collection.

    >>> from ujsx import Component, Density, Disclosure, Rung
    >>> class Names(Component):
    ...     disclosure = Disclosure((Rung(Density.MINIMAL, 1), Rung(Density.FULL)))
    ...     names: tuple[str, ...]
    ...     def render(self, ctx, children):
    ...         return ", ".join(self.names[: ctx.limit])
    >>> assert_nothing_hidden(Names(names=("Ada", "Grace")))
    Traceback (most recent call last):
    AssertionError: at density minimal, a text is neither shown nor counted in Rendered.omitted:
      Names.names, in Names: 'Grace'
    where a section leaves something out, it puts an Omitted(count=…) there, brief=True where a line says it already; what may be left out without a word: but=("Names.names",)
    """
    names_given("but", but, "Decision.details")
    if isinstance(what, Rendered):
        _check_statements("", what, _Everything(what), but)
        return
    shows = renders(cast("Child", what), context=context, state=state, now=now)
    everything = shows(budget=EVERYTHING)
    shows.check_is_bound([everything])
    shows.check_clock([({"budget": EVERYTHING}, everything)])
    _check_children(everything, but)
    given = _Everything(everything)
    for name, rendered in _renderings(shows, everything):
        _check_statements(f"{name}, ", rendered, given, but)


def _check_children(everything: Rendered, but: Collection[str]) -> None:
    words = " ".join(part.words for part in shown_parts(everything))
    for given in given_children(pieces_of(everything)):
        texts = given.texts
        if given.place in but or texts[0].field in but:
            continue
        if not any(says(words, collapsed(each.text)) for each in texts):
            raise AssertionError(
                f"{given.place} shows none of its children, not even where everything is shown: "
                f"{shown(texts[0].text)}\nput them into what its render returns, or refuse them: "
                f'takes_children: ClassVar[bool] = False; what may be dropped: but=("{texts[0].field}",)'
            )


def _renderings(shows: Renders, everything: Rendered) -> Iterator[tuple[str, Rendered]]:
    for density in Density:
        yield f"at density {density}", shows(density=density)
    budget = everything.tokens
    while True:
        rendered = shows(budget=budget)
        yield f"within {budget} tokens", rendered
        if rendered.over_budget or not rendered.tokens or not budget:
            return
        budget = min(rendered.tokens - 1, budget - budget // _FINER)


def _check_statements(
    name: str, rendered: Rendered, everything: _Everything, but: Collection[str]
) -> None:
    hidden = list(_hidden(rendered, everything, but))
    if not hidden:
        return
    lines = [f"  {each}" for each in hidden[:_MOST]]
    if len(hidden) > _MOST:
        lines.append(f"  … {len(hidden) - _MOST} more")
    fields = [f'"{field}"' for field in dict.fromkeys(each.text.field for each in hidden)]
    named = ", ".join(fields) + ("," if len(fields) == 1 else "")
    count = "a text is" if len(hidden) == 1 else f"{len(hidden)} texts are"
    head = f"{name}{count} neither shown nor counted in Rendered.omitted:"
    advice = f"{_ADVICE}but=({named}){unknown_names('but', but, everything.names)}"
    raise AssertionError("\n".join((head, *lines, advice)))


class _Everything:
    """The texts given to a tree, and their places with each section on the top of its ladder."""

    def __init__(self, rendered: Rendered) -> None:
        self.items = [*given_items(pieces_of(rendered))]
        given = [text for item in chain.from_iterable(self.items) for text in item.texts]
        self.names = section_names(rendered) | {text.field for text in given}
        """The names allowed in ``but``: of sections, and of fields."""
        self._parts = shown_parts(rendered, opened=True)
        self._given = [*dict.fromkeys(collapsed(each.text) for each in given)]
        self._joined = "\n".join(self._given)  # collapsed texts have no line ends
        self._starts = [*accumulate((len(each) + 1 for each in self._given), initial=0)]
        self._places: dict[str, tuple[str | None, ...]] = {}

    def places(self, text: str) -> tuple[str | None, ...]:
        """Return the sections that show a text; a part of another given text does not count.

        So the title "Work on shop-1" does not show the session's id, which is "shop-1".
        """
        if text not in self._places:
            found = [part for part in self._parts if says(part.words, text)]
            around = {
                self._given[bisect(self._starts, place) - 1] for place in places(self._joined, text)
            }
            longer = sorted((each for each in around if each != text), key=len, reverse=True)
            self._places[text] = tuple(
                part.section for part in found if says(without(part.words, longer), text)
            )
        return self._places[text]


def _hidden(rendered: Rendered, everything: _Everything, but: Collection[str]) -> Iterator[_Hidden]:
    words = " ".join(part.words for part in shown_parts(rendered))
    for items in everything.items:
        ledger = _Ledger(rendered, items)
        left_out = [
            (item, gone) for item in items if (gone := [*_gone(item, words, everything, but)])
        ]
        # Items that are gone as a whole are counted first; sorting is otherwise stable.
        for item, gone in sorted(left_out, key=lambda pair: _is_there_in_part(pair[0], words)):
            sections = {name for each in gone for name in each.sections}
            if not ledger.covers(item, sections):
                yield from gone


def _gone(
    item: GivenItem, words: str, everything: _Everything, but: Collection[str]
) -> Iterator[_Hidden]:
    """Return the texts of an item that are in the full rendering, and not in these words."""
    for each in dict.fromkeys(item.texts):
        text = collapsed(each.text)
        if each.field in but or says(words, text):
            continue
        stands = everything.places(text)
        sections = tuple(dict.fromkeys(name for name in stands if name is not None))
        if stands and not any(_kind(name) in but or name in but for name in sections):
            yield _Hidden(item, each, sections)


def _is_there_in_part(item: GivenItem, words: str) -> bool:
    return any(says(words, collapsed(each.text)) for each in item.texts)


def _kind(section: str) -> str:
    """Return the class of a section from its name, without a key."""
    return section.partition("[")[0]


class _Ledger:
    """The omissions that a rendering reports, consumed by the items of one component."""

    def __init__(self, rendered: Rendered, items: Iterable[GivenItem]) -> None:
        known = {item.id for item in items}
        unshown = {each.name for each in rendered.sections if each.rung is None}
        self._whole = {entry.section for entry in rendered.omitted} & unshown
        self._ids = {each for entry in rendered.omitted for each in entry.ids}
        self._room: Counter[str] = Counter()
        for entry in rendered.omitted:
            self._room[entry.section] += entry.count - len(known.intersection(entry.ids))

    def covers(self, item: GivenItem, sections: Iterable[str]) -> bool:
        """Tell whether an item omitted from these sections is reported, and consume one counted omission."""
        names = sorted(sections)
        if item.id in self._ids or not self._whole.isdisjoint(names):
            return True
        counted = next((name for name in names if self._room[name] > 0), None)
        if counted is None:
            return False
        self._room[counted] -= 1
        return True
