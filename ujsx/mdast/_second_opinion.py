"""A second opinion: where mistune sees another structure in a text than markdown-it does.

Two readers that share no code read the text. Of their trees, outlines are compared: what both can
tell, less what ``docs/look-up/mistune.md`` lists as mistune's own way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, NamedTuple, cast

from ujsx.errors import shown

from . import _nodes as m
from ._deviations import is_passed_over, is_set_aside
from ._extension import Extension, resolved
from .from_markdown import from_markdown

MOST_LEVELS = 40
"""Levels of nesting up to which mistune is asked; deeper down it takes everything for text."""


class Disagreement(NamedTuple):
    """A place where the two readers see different structure."""

    path: str
    """Where it is in the default engine's tree, such as ``$.children[2].children[0]``."""

    line: int
    """The line in which the block starts that it is in, from 1."""

    markdown_it: str
    """What the default engine sees there, such as ``heading 'Rules'``; ``nothing but text``."""

    mistune: str
    """What mistune sees there."""

    def __str__(self) -> str:
        return (
            f"line {self.line}, {self.path}: "
            f"markdown-it sees {self.markdown_it}, mistune {self.mistune}"
        )


class Outline(NamedTuple):
    """A node as both readers can tell of it: equal in ``kind`` where they see the same."""

    kind: tuple[object, ...]
    node: Any
    place: int
    """Which child of its parent it is."""
    line: int
    children: tuple[Outline, ...]


def second_opinion(
    text: str, *, extensions: Iterable[Extension | str] = ()
) -> tuple[Disagreement, ...]:
    r"""Return where mistune sees another structure in ``text`` than the default engine.

    Compared is which nodes there are, and how they nest; of each parent's children, the first
    that differs is named. mistune is not asked about what ``docs/look-up/mistune.md`` says that it
    reads in its own way, nor about a text that nests more than 40 levels deep.

    ``extensions`` are those of ``from_markdown`` that mistune has too.

    Raises ``MdastError`` where ``from_markdown`` does.

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
    """Return where the trees that the two engines made of one text differ in structure."""
    one = outline(markdown_it)
    if _levels(one) > MOST_LEVELS:
        return ()
    return tuple(_differences(one, outline(mistune), "$"))


def outline(node: Any, place: int = 0, line: int = 1) -> Outline:
    """Return what both readers can tell of a node and of what is in it."""
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
"""The fields that are compared beside a node's kind; mistune tells no others as they were written."""


def _differences(one: Outline, other: Outline, path: str) -> Iterator[Disagreement]:
    """Yield where two outlines of one kind part: of each parent's children, the first."""
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
    """Return a node's type in mdast, what is compared, and its words."""
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
