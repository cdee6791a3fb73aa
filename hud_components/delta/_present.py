"""What a rendering says now, part by part, at least as fully as it was told before.

A part is what a rendering chose a rung for, or what stands between two such. Where it is a list of
items, each line is an item's; those that were told and are not shown now are written as well, so that
it can be seen whether what was said of them is true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._omission import omitted
from hud_components.declaring._section import bound
from hud_components.delta._lines import Line, ReadLine, lines_of
from hud_components.delta._told import Stand, Told
from ujsx import Child, Density, RenderContext, Rendered, render
from ujsx.components import Fragment, normalize_children
from ujsx.elements import Paragraph
from ujsx.rendering import Piece, outline
from ujsx.trees import disclosed_context

Fate: TypeAlias = Literal["over", "gone", "hidden", "left out"]
"""What became of what is no longer said: it is done; it is gone from the state; it is no longer shown;
or it is an item that is only left out, which is not spoken of."""

MORE = ""
"""The key of the line that says how many items are left out; no item has it."""


@dataclass(frozen=True)
class Part:
    """A part of a rendering."""

    name: str
    stand: Stand

    lines: dict[str, ReadLine]
    """What it says now, by what that is about, in its order."""

    done: frozenset[str] = frozenset()
    """Those of the keys whose items are over."""

    fates: dict[str, Fate] = field(default_factory=dict[str, Fate])
    """What became of items that were told, by their keys; of all others, they are no longer shown."""

    is_ordered: bool = False
    """Whether the order of its items means something."""


def present(
    node: Child, rendered: Rendered, ctx: RenderContext, told: Told | None = None
) -> list[Part] | None:
    """Return the parts of a rendering, beside what of them was told.

    :returns: ``None`` where a part is told in another way than it was.
    """
    pieces = outline(normalize_children(node, Fragment()), ctx)
    own = _by_node(rendered)
    counts: Counter[str] = Counter()
    parts: list[Part] = []
    for piece, made, lines in zip(pieces, rendered.nodes, own, strict=True):
        if piece.heading is not None:
            continue
        name = f"{piece.label}#{counts[piece.label]}"  # a title around it comes and goes
        counts[piece.label] += 1
        rung = getattr(made, "rung", None)
        stand = None if rung is None else Stand(rung.density.value, rung.limit)
        known = None if told is None else told.stands.get(name)
        lines_known = {} if told is None else told.of(name)
        if piece.ladder is None:
            stand = Stand("")
        part = None
        if isinstance(piece.ladder, ItemsSection) and (known is None or known.by_item):
            section: ItemsSection[Any] = piece.ladder
            part = _items(name, piece, section, stand, lines, known, lines_known)
            if part is None and known is not None and lines_known:
                return None
        if part is None:
            part = _blocks(name, piece, stand, lines, known, lines_known)
        parts.append(part)
    return parts


def _by_node(rendered: Rendered) -> list[list[ReadLine]]:
    """The lines of a rendering, by the nodes that say them."""
    lines = iter(lines_of(rendered.text))
    line = next(lines, None)
    found: list[list[ReadLine]] = []
    for node in rendered.nodes:
        here: list[ReadLine] = []
        while line is not None and line.offset < node.end:
            here.append(line)
            line = next(lines, None)
        found.append(here)
    return found


def _is_fuller(one: Stand, other: Stand | None) -> bool:
    return other is None or _reach(one) > _reach(other)


def _reach(stand: Stand) -> tuple[int, float]:
    rank = Density.of(stand.density).rank if stand.density else 0  # type: ignore[arg-type]
    return rank, float("inf") if stand.limit is None else stand.limit


# --- Parts that are no lists of items ---


def _blocks(
    name: str,
    piece: Piece,
    stand: Stand | None,
    own: Sequence[ReadLine],
    known: Stand | None,
    known_lines: dict[str, Line],
) -> Part:
    if piece.ladder is not None and known is not None and known_lines and _is_fuller(known, stand):
        stand = known
        context = piece.context.with_density(known.density, known.limit)  # type: ignore[arg-type]
        rung = disclosed_at(piece, known)
        own = lines_of(
            render(piece.on(rung).nodes, context=context.with_rung(rung)), has_title=False
        )
    return Part(name, stand or Stand(Density.MINIMAL.value), dict(_numbered(own, known_lines)))


def disclosed_at(piece: Piece, stand: Stand) -> Any:
    """Return the rung of a piece's ladder that a part was told on."""
    assert piece.ladder is not None
    ladder = piece.ladder.disclosed().ladder
    same = (
        rung for rung in ladder if (rung.density.value, rung.limit) == (stand.density, stand.limit)
    )
    return next(same, piece.ladder.disclosed().at(Density(stand.density)))


def _numbered(own: Sequence[ReadLine], known: dict[str, Line]) -> Iterator[tuple[str, ReadLine]]:
    """The lines by number: those that were said before under the old one."""
    keys = {key: line for key, line in known.items() if key != MORE}
    taken: dict[int, str] = {}
    for place, each in enumerate(own):
        same = next((key for key, line in keys.items() if line.text == each.line.text), None)
        if same is not None:
            taken[place] = same
            del keys[same]
    left = iter([*keys])
    fresh = (str(n) for n in range(len(own) + len(known)) if str(n) not in known)
    for place, each in enumerate(own):
        yield taken.get(place) or next(left, None) or next(fresh), each


# --- Lists of items ---


def _items(
    name: str,
    piece: Piece,
    section: ItemsSection[Any],
    stand: Stand | None,
    own: Sequence[ReadLine],
    known: Stand | None,
    known_lines: dict[str, Line],
) -> Part | None:
    kind = type(section).kind
    assert kind is not None
    if stand is None and known is None:
        return Part(name, Stand(Density.MINIMAL.value, 0, by_item=True), {})
    context = disclosed_context(
        section,
        piece.context if stand is None else piece.context.with_density(stand.density, stand.limit),  # type: ignore[arg-type]
    )
    given = section.given(context)
    if kind.order is not None:
        given = sorted(given, key=lambda item: getattr(item, str(kind.order)))
    by_key = {str(getattr(item, kind.key)): item for item in given}
    if len(by_key) < len(given) or MORE in by_key:
        return None  # nothing tells them apart
    shown = () if stand is None else section.listed(_at(piece, section, stand))
    shown_keys = {str(getattr(item, kind.key)) for item in shown}
    wanted = [key for key in by_key if key in shown_keys or key in known_lines]
    fullest = known if known is not None and _is_fuller(known, stand) else stand
    assert fullest is not None
    unseen = [item for key, item in by_key.items() if key not in wanted]
    count = len(unseen) + section.unlisted
    more = count, sum(not kind.is_open(item) for item in unseen)
    if fullest is stand and len(wanted) == len(shown_keys) and not count:
        written: Sequence[ReadLine] = own
    else:
        written = _written(piece, section, [by_key[key] for key in wanted], fullest)
    if len(written) != len(wanted):
        return None
    lines = dict(zip(wanted, written, strict=True))
    mark: tuple[int, int] | None = more
    if known is None:
        found = _in_text(lines, own)
        if found is None:
            return None
        lines, mark = found, more if MORE in found or not count else None
    elif known.more is None:
        mark = None
    elif known.more == more:
        if MORE in known_lines:
            lines[MORE] = ReadLine(known_lines[MORE], None)  # type: ignore[arg-type]
    elif count:
        words = omitted(
            section.with_texts(piece.context),
            section.name,
            unseen,
            section.unlisted,
            brief=not lines,
        )
        (lines[MORE],) = lines_of(render(Paragraph()[words], context=piece.context))
    everything = {str(getattr(item, kind.key)): item for item in _all_of(section, context)}
    fates: dict[str, Fate] = {
        key: _fate(kind, everything.get(key)) for key in known_lines if key not in (*lines, MORE)
    }
    return Part(
        name,
        Stand(fullest.density, fullest.limit, by_item=True, more=mark),
        lines,
        frozenset(key for key in wanted if not kind.is_open(by_key[key])),
        fates,
        kind.order is not None,
    )


def _at(piece: Piece, section: ItemsSection[Any], stand: Stand) -> RenderContext:
    """The context of a section on the rung that it stands on."""
    return piece.context.with_density(stand.density, stand.limit)  # type: ignore[arg-type]


def _written(
    piece: Piece, section: ItemsSection[Any], items: Sequence[Any], stand: Stand
) -> list[ReadLine]:
    """The lines of some items, whatever the rung shows."""
    if not items:
        return []
    given = {
        "density": Density(stand.density),
        "limit": len(items),
        "unlisted": 0,
        "unlisted_at": None,
        "unlisted_done": 0,
        section.prop: tuple(items),
    }
    fields = type(section).model_fields
    alone = section.model_copy(update={name: given[name] for name in given if name in fields})
    return lines_of(render(alone, context=piece.context), has_title=False)


def _in_text(lines: dict[str, ReadLine], own: Sequence[ReadLine]) -> dict[str, ReadLine] | None:
    """The lines in the order of a text, with what that says beside them; ``None`` if it does not say them."""
    keys: dict[str, list[str]] = {}
    for key, each in lines.items():
        keys.setdefault(each.line.text, []).append(key)
    found: dict[str, ReadLine] = {}
    for each in own:
        left = keys.get(each.line.text)
        key = left.pop(0) if left else MORE
        if key in found:
            return None
        found[key] = each
    return None if any(keys.values()) else found


def _all_of(section: ItemsSection[Any], ctx: RenderContext) -> Sequence[Any]:
    """All items of a section, those too that it does not show."""
    own: Sequence[Any] | None = getattr(section, section.prop)
    return getattr(bound(ctx), section.field, ()) if own is None else own


def _fate(kind: Any, item: Any) -> Fate:
    if item is None:
        return "gone"
    return "left out" if kind.is_open(item) else "over"
