"""The mark for what a section leaves out: how it is written, and how it is read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias, overload

from hud_components._models import HudModel, PlainItem
from hud_components.words._parse_text import NUMBER, parse_count
from hud_components.words._reading import value_of
from hud_components.words._texts import counted, handle_of
from ujsx import RenderContext, mdast
from ujsx.elements import Omitted, Shortened
from ujsx.transforms import TEXTS as PRIMITIVE_TEXTS


class Omission(NamedTuple):
    """How many items are left out, and how many of them are done."""

    total: int = 0
    done: int = 0


Way: TypeAlias = Literal["count", "more", "line.more"]
"""The texts for a number of items: of all in short, behind a list, at the end of a line."""

OVER: Mapping[str, str] = MappingProxyType(
    {
        "over": "{over}",
        "count.over": "{{count}} {{noun}} {over}",
        "more": "… {{count}} more {{noun}}, {{done}} {over}",
        "line.over": "{{count}} {over}",
        "line.more": "{{count}} more, {{done}} {over}",
    }
)
"""The texts of a section that shows items that are over, by what its name stands before: made of the word for
that. The first stands behind such an item."""


def said_of(ctx: RenderContext, kind: str, left: Omission, way: Way) -> str:
    """Return what says how many items are left out: in short, how many are open while some are.

    >>> from hud_components import NextSteps
    >>> ctx = NextSteps.with_texts(RenderContext())
    >>> said_of(ctx, "steps", Omission(8, 3), "count"), said_of(ctx, "steps", Omission(8, 8), "line.more")
    ('5 steps', '8 done')
    """
    total, done = left
    if not done or f"{kind}.over" not in ctx.texts:
        return counted(ctx, kind, total, way)
    if way == "count" and done < total:
        return counted(ctx, kind, total - done, way)
    if way != "more" and done == total:
        return counted(ctx, kind, total, f"{kind}.{_ALL_OVER[way]}")
    return counted(ctx, kind, total, f"{kind}.{way}", done=done)


_ALL_OVER = {"count": "count.over", "line.more": "line.over"}


def read_said_of(
    node: Any, kind: str, ctx: RenderContext, way: Way, *, brief: bool = False
) -> Omission | None:
    """Return what a mark says that :func:`said_of` has worded; ``None`` if it is none of that kind.

    :param brief: whether the call is left out.
    """
    if f"{kind}.over" in ctx.texts:
        some = way != "count" and read_mark(node, kind, ctx, f"{kind}.{way}", brief=brief)
        if some:
            return some
        name = way != "more" and f"{kind}.{_ALL_OVER[way]}"
        every = name and read_mark(node, kind, ctx, name, brief=brief)
        if every:
            return Omission(every.total, every.total)
    return read_mark(node, kind, ctx, way, brief=brief)


def omitted(
    ctx: RenderContext,
    kind: str,
    hidden: Sequence[HudModel],
    more: int = 0,
    *,
    brief: bool = False,
    text: str | None = None,
) -> Omitted | None:
    """Return the mark for items that are not shown, or ``None`` when all are.

    :param kind: the section's name in the tables of texts and handles.
    :param hidden: the items that are left out; their ids go into the account of the rendering.
    :param more: how many are left out besides.
    :param brief: leave the call that shows them out of the text; the account has it.
    :param text: what the mark says; how many there are when ``None``.
    """
    count = len(hidden) + more
    if not count:
        return None
    return Omitted.model_construct(
        count=count,
        handle=handle_of(ctx, kind),
        text=text or counted(ctx, kind, count, "count" if brief else "more"),
        brief=brief,
        ids=IdsOf(hidden),
    )


class IdsOf(Sequence[str]):
    """The ids of items, read when somebody asks: most rungs that a budget tries are never shown.

    >>> from hud_components import Note
    >>> IdsOf([Note(id="n-1", content="a")]) == ("n-1",)
    True
    """

    __slots__ = ("_items",)

    def __init__(self, items: Sequence[HudModel]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._ids())

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return self._ids()[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, IdsOf):
            # The very same items, as most are that are equal, are compared at once.
            return self._items == other._items or self._ids() == other._ids()
        return self._ids() == other

    def __hash__(self) -> int:
        return hash(self._ids())

    def __repr__(self) -> str:
        return repr(self._ids())

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self._ids(),)

    def _ids(self) -> tuple[str, ...]:
        return tuple(item.id for item in self._items if isinstance(item, PlainItem) and item.id)


def shortened(
    ctx: RenderContext,
    kind: str,
    items: Sequence[Any],
    told: Sequence[Mapping[str, Any]],
    in_full: Sequence[Mapping[str, Any]],
) -> Shortened | None:
    """Return a note of the items that are shown and say less than they do in full; None for none.

    :param told: the fields that each of them tells.
    :param in_full: the fields that each of them tells in full.
    """
    less = [
        item
        for item, now, then in zip(items, told, in_full, strict=True)
        if any(now.get(name) != value for name, value in then.items())
    ]
    if not less:
        return None
    ids = tuple(item.id for item in less if isinstance(item, PlainItem) and item.id)
    return Shortened(count=len(less), handle=handle_of(ctx, kind), ids=ids)


def read_mark(
    node: Any,
    kind: str,
    ctx: RenderContext,
    *names: str,
    brief: bool = False,
    noun: str | None = None,
) -> Omission | None:
    """Return what a mark in a line says, or ``None`` if it is none of that kind.

    :param node: an mdast node.
    :param names: the texts that the mark may have.
    :param noun: whose noun it counts with; that of ``kind`` when ``None``.
    """
    said = mark_text(node, kind, ctx, brief=brief)
    for name in names if said is not None else ():
        numbers = parse_count(ctx, noun or kind, said or "", name, done=NUMBER)
        if numbers is not None:
            return Omission(numbers.get("count", 0), numbers.get("done", 0))
    return None


def mark_text(node: Any, kind: str, ctx: RenderContext, *, brief: bool = False) -> str | None:
    """Return the text of a mark, without its call; ``None`` for what is no mark with the call of that kind.

    :param node: an mdast node.
    :param brief: whether the call is left out.
    """
    if type(node) is not mdast.Emphasis or type(node.children[0]) is not mdast.Text:
        return None
    said, call = value_of(node.children[0]), node.children[1:]
    handle = handle_of(ctx, kind)
    if brief or handle is None:
        return None if call else said
    joint = ctx.texts.get("omitted.handle", PRIMITIVE_TEXTS["omitted.handle"])
    if call != (mdast.InlineCode(handle),) or not said.endswith(joint):
        return None
    return said[: len(said) - len(joint)]


def without_mark(line: Sequence[Any]) -> Sequence[Any]:
    """Return a line without the mark at its end, and the space before it."""
    *before, behind = line[:-1] or (None,)
    if type(behind) is not mdast.Text or not behind.value.endswith(" "):
        return line[:-1]
    text = behind.value[:-1]
    return (*before, mdast.Text(text)) if text else before
