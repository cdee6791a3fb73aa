"""The update from a reader's memory to the current rendering."""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeAlias, TypeGuard, get_origin

from msgspec.structs import replace

from hud_components.changes._lines import (
    CUT,
    ChangedLine,
    KnownLine,
    Line,
    LineReader,
    Mark,
    PartSeen,
    ReaderMemory,
    ReadLine,
    Stand,
    as_line,
    change_of,
    lines_of,
    name_of,
    struck,
    written,
)
from hud_components.declaring._form import Way
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._section import of_bound
from hud_components.declaring._state import State
from hud_components.folding import Kind
from hud_components.words._quoted import FAR, NEAR, Remaining, RequestWords
from ujsx import Child, Density, RenderContext, Rendered, Rung, mdast, render, render_document
from ujsx.components import Fragment, fields_of, normalize_children
from ujsx.elements import Paragraph
from ujsx.rendering import Piece, RenderedNode, RenderedSection, outline
from ujsx.text import visible

# The present content of a rendering, part by part, at least as full as it was sent before.
#
# A part is a section with a rung, or the content between two of them. In a list, each line is an item's; items that
# were sent and are not shown now are written as well, to check whether their sent lines are still true.

Fate: TypeAlias = Literal["over", "gone", "hidden", "left out"]
"""The fate of a missing line: done; removed from the state; no longer shown; or an omitted item, which is not reported.
"""

MORE = ""
"""The key of the line with the number of omitted items; no item has it."""


LINE = "="
"""The prefix of the key of a line that names several items; no item has it."""


@dataclass(frozen=True)
class RenderingPart:
    """A part of a rendering."""

    name: str
    stand: Stand

    lines: dict[str, ReadLine]
    """Its current lines, by subject, in order."""

    done: frozenset[str] = frozenset()
    """The keys of items that are over."""

    fates: dict[str, Fate] = field(default_factory=dict[str, Fate])
    """The fates of sent items, by key; others are no longer shown."""

    is_ordered: bool = False
    """True if the order of its items matters."""

    in_line: frozenset[str] = frozenset()
    """The keys of items named in a single line of the text."""

    section: ItemsSection[Any] | None = None
    """The section of its items; None for other parts."""

    items: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Its items, by key: those shown, and those known."""

    is_told_if_missing: bool = False
    """True if nothing of it was sent, and changes include it if the request lacks it."""


def present(
    node: Child,
    rendered: Rendered,
    ctx: RenderContext,
    told: ReaderMemory | None = None,
    reader: LineReader | None = None,
) -> list[RenderingPart] | None:
    """Return the parts of a rendering, with their sent content.

    :param ctx: the context of the rendering, including the density.
    :param reader: the reader of lines, with those of the last rendering cached.
    :returns: ``None`` if a part is sent in another form than before.
    """
    reader = reader or LineReader()
    reader.turn()
    before, reader.parts = reader.parts, {}
    pieces = outline(normalize_children(node, Fragment()), ctx)
    counts: Counter[str] = Counter()
    parts: list[RenderingPart] = []
    for piece, made, own in zip(pieces, rendered.nodes, _by_node(rendered, reader), strict=True):
        if piece.heading is not None:
            continue
        label = piece.label
        name = f"{label}#{counts[label]}"  # a title around it comes and goes
        counts[label] += 1
        known = None if told is None else told.stands.get(name)
        lines = {} if told is None else told.of(name)
        seen = made.part, _stand(made), own, known, lines, told is None
        stood = before.get(name)
        if stood is not None and stood.seen[0] is made.part and stood.seen[1:] == seen[1:]:
            part = stood.part  # rendered and sent as before
        else:
            place = _PresentPart(name, piece, *seen[1:], reader)
            part = _part(place)
        if part is None:
            return None
        reader.parts[name] = PartSeen(seen, part)
        parts.append(part)
    return parts


def _part(place: _PresentPart) -> RenderingPart | None:
    """Return a part as rendered and as sent; ``None`` if it is sent in another form than before."""
    ladder, part = place.piece.ladder, None
    if _is_list(ladder) and (place.known is None or place.known.by_item):
        part = _listed(place, ladder)
        if part is None and place.lines:
            return None
    part = part or _blocks(place)
    telling = getattr(ladder, "told_in_changes", "always")
    if telling == "always":
        return part
    return dataclasses.replace(
        part,
        stand=replace(part.stand, in_changes=False),
        is_told_if_missing=telling == "missing" and not place.lines,
    )


def _is_list(ladder: object) -> TypeGuard[ItemsSection[Any]]:
    return isinstance(ladder, ItemsSection)


def _lists(place: _PresentPart, section: ItemsSection[Any]) -> bool:
    """Tell whether a section has a separate line for each item."""
    stand = place.stand
    if stand is None:
        return False
    if section.is_counted(_context(place, stand)):
        return True
    if stand.density is Density.MINIMAL:
        return not section.in_line
    return stand.density is Density.FULL or not section.in_line


def _listed(place: _PresentPart, section: ItemsSection[Any]) -> RenderingPart | None:
    """Return the part of a list, by its items, including those in one line of the text.

    Changes send these as separate lines, as in full. At first the line that names them is sent; an item that it cuts is
    sent again.
    """
    stand = place.stand
    if place.known is not None or stand is None or _lists(place, section):
        return _items(place, section)
    in_full = replace(stand, density=Density.FULL, width=None, detailed_items=None, by_item=True)
    part = _items(place._replace(known=in_full), section)
    if part is None or not place.is_first:
        return part
    own = {f"{LINE}{number}": each for number, each in enumerate(place.own)}
    text = " ".join(each.line.name for each in place.own)
    in_line = {
        key: line
        for key, line in part.lines.items()
        if key in part.items
        and all(
            visible(" ".join(one.split())) in text
            for one in said_words(section, part.items[key]) or (CUT,)
        )
    }
    return dataclasses.replace(part, lines=own | in_line, in_line=frozenset(in_line))


class _PresentPart(NamedTuple):
    """A part as rendered, and as sent."""

    name: str
    piece: Piece

    stand: Stand | None
    """None if a budget hides it."""

    own: Sequence[ReadLine]
    """Its lines in the text."""

    known: Stand | None
    lines: dict[str, Line]
    """Its sent lines, by subject."""

    is_first: bool
    """True if nothing at all was sent."""

    reader: LineReader

    @property
    def fullest(self) -> Stand | None:
        """The form in which it is rendered, or the one in which it was sent if that had more."""
        stand, known = self.stand, self.known
        if stand is None or known is None or stand == known:
            return stand or known
        return max(stand, known, key=_reach)


def _stand(node: RenderedNode) -> Stand | None:
    if not isinstance(node, RenderedSection):
        return Stand(Density.MINIMAL)
    rung = node.rung
    if rung is None:
        return None
    return Stand(rung.density, rung.limit, width=rung.width, detailed_items=rung.detailed_items)


def _reach(stand: Stand) -> tuple[float, ...]:
    given = (stand.limit, stand.detailed_items, stand.width)
    return stand.density.rank, *(math.inf if each is None else each for each in given)


def _by_node(rendered: Rendered, reader: LineReader) -> Iterator[list[ReadLine]]:
    """Return the lines of a rendering, by node."""
    lines = iter(reader.whole(rendered))
    line = next(lines, None)
    for node in rendered.nodes:
        here: list[ReadLine] = []
        while line is not None and line.offset < node.end:
            here.append(line)
            line = next(lines, None)
        yield here


# --- Parts that are no lists of items ---


def _blocks(place: _PresentPart) -> RenderingPart:
    own, stand = place.own, place.stand
    fullest = place.fullest
    if place.lines and fullest is not None and fullest is not stand:
        # A part that is empty in full, and not when dense, is sent as rendered.
        in_full = _rendered_on(place, fullest)
        own, stand = (in_full, fullest) if in_full else (own, stand)
    return RenderingPart(
        place.name, stand or Stand(Density.MINIMAL), dict(_numbered(own, place.lines))
    )


def _rendered_on(place: _PresentPart, stand: Stand) -> list[ReadLine]:
    """Return the lines of a piece on the rung on which it was sent, if its ladder still has it."""
    piece = place.piece
    assert piece.ladder is not None
    disclosure = piece.ladder.disclosed()
    same = (each for each in disclosure.ladder if _is_on(each, stand))
    return _rendered(place, piece.nodes, next(same, disclosure.at(stand.density)))


def _rendered(place: _PresentPart, node: Child, rung: Rung) -> list[ReadLine]:
    """Return the lines of a node on a rung, in the place of a piece."""
    context = place.piece.context.with_rung(rung)
    return place.reader.alone(render_document(node, context=context).text)


def _is_on(rung: Rung, stand: Stand) -> bool:
    names = attrgetter("density", "limit", "width", "detailed_items")
    return bool(names(rung) == names(stand))


def _numbered(own: Sequence[ReadLine], known: dict[str, Line]) -> Iterator[tuple[str, ReadLine]]:
    """Return the lines by number: known ones keep theirs."""
    left = {key: line for key, line in known.items() if key != MORE}
    old: dict[int, str] = {}
    for number, each in enumerate(own):
        same = next((key for key, line in left.items() if line.text == each.line.text), None)
        if same is not None:
            old[number] = same
            del left[same]
    others = iter([*left])
    fresh = (str(n) for n in range(len(own) + len(known)) if str(n) not in known)
    for number, each in enumerate(own):
        yield old.get(number) or next(others, None) or next(fresh), each


# --- Lists of items ---


def said_words(section: Any, item: Any) -> Sequence[str] | None:
    """Return the author's words in an item: no key, no choice, no mark. None where it has other values."""
    values, kind = item.__dict__, section.kind
    said = [
        values[name]
        for name, info in fields_of(section.draft).items()
        if name == kind.text or (name != kind.key and get_origin(info.annotation) is not Literal)
    ]
    words = [each for each in said if each not in (None, "") and not isinstance(each, bool)]
    return words if all(isinstance(each, str) for each in words) else None


def _items(place: _PresentPart, section: ItemsSection[Any]) -> RenderingPart | None:
    """Return the part of a list, by its items; ``None`` if they or their lines are indistinguishable."""
    stand, known, fullest = place.stand, place.known, place.fullest
    kind = type(section).kind
    assert kind is not None
    if fullest is None:
        return RenderingPart(place.name, Stand(Density.MINIMAL, 0, by_item=True), {})
    context = _context(place, stand or fullest)
    given = _by_key(kind, section.given(context))
    if given is None:
        return None
    listed = section.listed(context) if given and stand is not None else ()
    shown = _by_key(kind, listed) or {}
    wanted = {key: item for key, item in given.items() if key in shown or key in place.lines}
    unseen = [item for key, item in given.items() if key not in wanted]
    count = len(unseen) + section.unlisted
    says_all = fullest is stand and len(wanted) == len(shown) and not count
    if says_all and fullest.detailed_items is None:
        lines = _keyed(wanted, place.own)
    elif fullest.detailed_items is None:
        lines = _written(place, section, wanted, fullest)
    else:
        late = section.in_detail(replace(context, detailed_items=fullest.detailed_items))
        lines = _written_in_part(place, section, wanted, fullest, _by_key(kind, late) or {})
    if lines is None:
        return None
    more: tuple[int, int] | None = count, sum(not kind.is_open(item) for item in unseen)
    if known is None:
        found = _in_text(lines, place.own)
        if found is None:
            return None
        lines, more = found, more if MORE in found or not count else None
    elif stand is not None and section.is_counted(context) and place.own:
        (lines[MORE],), everyone = place.own, [*given.values()]
        more = len(everyone) + section.unlisted, sum(not kind.is_open(one) for one in everyone)
    elif known.more is None:
        more = None
    elif known.more == more:
        lines |= {key: ReadLine(line, _NOTHING) for key, line in place.lines.items() if key == MORE}
    elif count:
        way: Way = "more" if lines else "count"
        words = section.mark(unseen, section.with_texts(context), way, brief=not lines)
        (lines[MORE],) = lines_of(render(Paragraph()[words], context=place.piece.context))
    silent = [key for key in place.lines if key not in lines and key != MORE]
    rest = _all_of(section, context) if silent else ()
    everything = {getattr(item, kind.key): item for item in rest}
    return RenderingPart(
        place.name,
        replace(fullest, by_item=True, more=more),
        lines,
        frozenset(key for key, item in wanted.items() if not kind.is_open(item)),
        {key: _fate(kind, key, everything.get(key)) for key in silent},
        kind.order is not None,
        section=section,
        items=wanted | {key: everything[key] for key in silent if key in everything},
    )


def _context(place: _PresentPart, stand: Stand) -> RenderContext:
    """Return the context of a part in this form."""
    return place.piece.context.with_density(stand.density, stand.limit)


_NOTHING = mdast.ListItem()
"""The stand-in for a line that was already sent."""


def _by_key(kind: Kind, items: Iterable[Any]) -> dict[str, Any] | None:
    """Return items by key, in order; ``None`` if keys are not unique."""
    found: dict[str, Any] = {}
    if kind.order is not None:
        items = sorted(items, key=attrgetter(kind.order))
    for item in items:
        key = getattr(item, kind.key)
        if not isinstance(key, str) or key == MORE or key.startswith(LINE) or key in found:
            return None
        found[key] = item
    return found


def _keyed(items: Mapping[str, Any], said: Sequence[ReadLine]) -> dict[str, ReadLine] | None:
    """Return the lines of items, by key; ``None`` if there is not exactly one for each."""
    return dict(zip(items, said, strict=True)) if len(said) == len(items) else None


def _written(
    place: _PresentPart, section: ItemsSection[Any], items: Mapping[str, Any], stand: Stand
) -> dict[str, ReadLine] | None:
    """Return the lines of some items, whatever the rung shows."""
    if not items:
        return {}
    given: dict[str, Any] = {
        "unlisted": 0,
        "unlisted_at": None,
        "unlisted_done": 0,
        "standing": "usual",
        section.prop: tuple(items.values()),
    }
    fields = type(section).model_fields
    alone = section.model_copy(update={name: given[name] for name in given if name in fields})
    rung = Rung(stand.density, len(items), width=stand.width, detailed_items=stand.detailed_items)
    return _keyed(items, _rendered(place, alone, rung))


def _written_in_part(
    place: _PresentPart,
    section: ItemsSection[Any],
    items: Mapping[str, Any],
    stand: Stand,
    detailed: Container[str],
) -> dict[str, ReadLine] | None:
    """Return the lines of items, some in detail: those given, and those sent in detail."""
    others = {key: item for key, item in items.items() if key not in detailed}
    short = _written(place, section, others, replace(stand, detailed_items=0))
    if short is None:
        return None
    said = {
        key: line
        for key, line in short.items()
        if key not in place.lines or place.lines[key].text == line.line.text
    }
    rest = {key: item for key, item in items.items() if key not in said}
    full = _written(place, section, rest, replace(stand, detailed_items=None))
    if full is None:
        return None
    said |= full
    return {key: said[key] for key in items}


def _in_text(lines: dict[str, ReadLine], own: Sequence[ReadLine]) -> dict[str, ReadLine] | None:
    """Return the lines in a text's order, with its other lines; ``None`` if it lacks one."""
    keys: dict[str, list[str]] = {}
    for key, each in lines.items():
        keys.setdefault(each.line.text, []).append(key)
    found: dict[str, ReadLine] = {}
    for each in own:
        same = keys.get(each.line.text)
        key = same.pop(0) if same else MORE
        if key in found:
            return None
        found[key] = each
    return None if any(keys.values()) else found


def _all_of(section: ItemsSection[Any], ctx: RenderContext) -> Sequence[Any]:
    """Return all items of a section, including hidden ones."""
    own: Sequence[Any] | None = getattr(section, section.prop)
    return of_bound(section, ctx, ()) if own is None else own


def _fate(kind: Kind, key: str, item: Any) -> Fate:
    if key.startswith(LINE):
        return "left out"  # its items have lines of their own from now on
    if item is None:
        return "gone"
    return "left out" if kind.is_open(item) else "over"


# The part of a state to deliver, beside the words of the request.


def remaining(state: State, request: RequestWords) -> Remaining:
    """Return the rest of a state's values to deliver. Bound to the context of a rendering, it restricts the rendering
    to them.

    >>> from hud_components import Hud, HudState, Task
    >>> from hud_components.words import RequestMessage
    >>> from ujsx import RenderContext, render
    >>> state = HudState(task=Task(description="Add a login.", goal="A shop", said_by="user"))
    >>> left = remaining(state, RequestWords([RequestMessage("Please go on. Add a login.")]))
    >>> print(render(Hud.of(state), context=RenderContext().with_value(left)), end="")
    # HUD
    <BLANKLINE>
    ## Task
    <BLANKLINE>
    *goal:* A shop
    """
    found = [*_changed(state, request)]
    names = frozenset(name for name, _, _ in found)
    return Remaining(tuple((value, rest) for _, value, rest in found), names)


def _changed(state: State, request: RequestWords) -> Iterator[tuple[str, Any, Any]]:
    """Yield the values partly in the request: the section, the value and the rest of it."""
    for section in state.sections:
        value = getattr(state, section.field) if section.field else None
        rest = section.beyond(value, request) if value else value
        if rest != value:
            yield section.__name__, value, rest
    summary = state.compacted_context
    if summary and request.has(summary):
        yield "CompactedContext", summary, ""


class HudUpdate(NamedTuple):
    """The text to send, and the resulting memory."""

    text: str
    """Markdown; empty if nothing has changed."""

    told: ReaderMemory


def tell(
    node: Child,
    rendered: Rendered,
    context: RenderContext | None = None,
    reader: LineReader | None = None,
    *,
    request: RequestWords | None = None,
) -> ReaderMemory:
    """Return the memory of a reader of a rendering.

    :param node: the tree that was rendered.
    :param context: the context of the rendering, including the density; full when ``None``.
    :param reader: the reader of lines, with its cache.
    :param request: the words of the request that contains the rendering.

    >>> from hud_components import Hud, HudState, Note
    >>> from ujsx import render_document
    >>> hud = Hud.of(HudState(notes=(Note(id="n-2", content="Port 8080"),)))
    >>> tell(hud, render_document(hud)).lines
    (Line(title='Notes', text='- Port 8080', name='Port 8080'),)
    """
    parts = present(node, rendered, context or RenderContext(), reader=reader) or ()
    after = "" if request is None else request.newest
    return ReaderMemory(
        {part.name: part.stand for part in parts},
        tuple(
            KnownLine(part.name, key, each.line, after=after)
            if key not in part.in_line
            else KnownLine(part.name, key, each.line, False, each.line.text, after)
            for part in parts
            for key, each in part.lines.items()
        ),
    )


def update(
    told: ReaderMemory,
    node: Child,
    rendered: Rendered,
    context: RenderContext | None = None,
    reader: LineReader | None = None,
    *,
    request: RequestWords | None = None,
) -> HudUpdate | None:
    """Return the update that brings a reader's memory to a rendering.

    Afterwards every item of the rendering is known, and all sent lines are true. Items that are only omitted are not
    mentioned.

    :param node: the tree that was rendered.
    :param context: the context of the rendering, including the density; full when ``None``.
    :param reader: the reader of lines, with its cache.
    :param request: the words of the request that contains the changes: items shown near its end are not sent.
    :returns: ``None`` if the whole text is needed: another layout, a plan in another order, two indistinguishable
        lines.

    >>> from hud_components import Hud, HudState, Note
    >>> from ujsx import render_document
    >>> before = Hud.of(HudState(notes=(Note(id="n-2", content="Port 8080"),)))
    >>> told = tell(before, render_document(before))
    >>> now = Hud.of(HudState(notes=(Note(id="n-2", content="Port 9090"),)))
    >>> print(update(told, now, render_document(now)).text, end="")
    # HUD changes
    <BLANKLINE>
    ## Notes
    <BLANKLINE>
    - *now:* Port 9090
    """
    ctx = context or RenderContext()
    found = present(node, rendered, ctx, told, reader)
    if found is None:
        return None
    remaining = ctx.get(Remaining)
    by_name = {part.name: part for part in found}
    silent = {name for name, stand in told.stands.items() if stand.in_changes is False}
    if remaining is not None:
        silent |= {
            name
            for name, stand in told.stands.items()
            if not (stand.by_item or (name in by_name and by_name[name].lines))
            and re.split(r"[#\[]", name, maxsplit=1)[0] in remaining.reduced
        }
    spoken_of = [
        part
        for part in found
        if part.stand.in_changes is not False or (remaining is not None and part.is_told_if_missing)
    ]
    talk = None
    for within in (FAR, NEAR):
        if talk is None or talk.changes:  # what is told at all, is told of all that is far
            talk = _Talk(told, [*told.entries], [], request, within)
            is_told = talk.ends_all(by_name, silent) and all(map(talk.tells_all, spoken_of))
            ordered = (part for part in spoken_of if part.is_ordered)
            if not is_told or not all(_is_in_order(part, talk.entries) for part in ordered):
                return None
    assert talk is not None
    stands = {part.name: part.stand for part in found}
    stands |= {name: stand for name, stand in told.stands.items() if name in silent}
    if talk.changes:
        talk.counts(spoken_of)
    else:  # the number of omitted items alone is not worth a change
        stands = {
            name: _with_count_of(told.stands.get(name), each) for name, each in stands.items()
        }
    text = written(talk.changes, ctx) if talk.changes else ""
    return HudUpdate(text, ReaderMemory(stands, tuple(talk.entries)))


def _with_count_of(known: Stand | None, now: Stand) -> Stand:
    return now if known is None else replace(now, more=known.more)


class _Talk(NamedTuple):
    """The reader's memory while changes are written one after the other."""

    told: ReaderMemory
    """The previously known entries."""

    entries: list[KnownLine]
    changes: list[ChangedLine]
    request: RequestWords | None
    """The words of the request, which need not be sent again; None if unknown."""

    within: int
    """The number of bytes at its end to consider."""

    def ends_all(self, parts: Mapping[str, RenderingPart], silent: Container[str]) -> bool:
        """Write the lines that no longer hold; return whether this is possible."""
        for entry in self.told.entries:
            part = parts.get(entry.part)
            if entry.part in silent or (part is not None and entry.key in part.lines):
                continue
            if part is None and self.told.stands[entry.part].by_item:
                return False  # its items may still exist, which is unknown here
            if entry.key == MORE and part is not None:
                continue
            fate = "hidden" if part is None else part.fates.get(entry.key, "hidden")
            if fate != "left out" and not self._ends(part, entry, fate):
                return False
        return True

    def tells_all(self, part: RenderingPart) -> bool:
        """Write the current lines of a part; return whether this is possible."""
        entries = {each.key: each for each in self.told.entries if each.part == part.name}
        is_folded = part.section is not None and part.section.standing == "folded"
        lines = {key: now for key, now in part.lines.items() if key != MORE or is_folded}
        untold = [key for key in lines if key not in entries or entries[key].is_seen]
        shown = {
            key for key in untold if self._shows(part, key, lines[key].line.text, entries.get(key))
        }
        if part.is_ordered and len(shown) < len(untold):
            shown = set[str]()  # they are sent one after the other
        for key, now in lines.items():
            entry = entries.get(key)
            if key in shown:
                self._see(part, key, now, entry)
            elif entry is None or entry.is_seen:
                self._begins(part, key, now, entry)
            elif not self._tells(part, entry, now):
                return False
        return True

    def counts(self, parts: Iterable[RenderingPart]) -> None:
        """Write the number of omitted items, beside other changes."""
        known = {each.part: each for each in self.entries if each.key == MORE}
        for part in parts:
            now, entry = part.lines.get(MORE), known.get(part.name)
            if now is not None and entry is None:
                self._begins(part, MORE, now, None)
            elif now is not None and entry is not None:
                self._tells(part, entry, now)
            elif entry is not None:
                self._ends(None, entry, "hidden")

    def _shows(self, part: RenderingPart, key: str, text: str, entry: KnownLine | None) -> bool:
        """Tell whether the newest messages of the request show an item's line.

        Hosts report the texts of tools' calls and results. The agent's records are in its calls: a change counts in
        those since the item was last sent or seen.

        :param text: the text of the line; empty for a removed item.
        """
        request, section, item = self.request, part.section, part.items.get(key)
        if request is None or section is None:
            return False
        words = (key,) if item is None else said_words(section, item)
        if words is None or getattr(item, "origin", None) is not None:
            return False
        shows = partial(request.shows, in_calls=not section.host_reported, within=self.within)
        if section.host_reported:
            return shows(words)
        if getattr(item, "said_by", "agent") != "agent":
            return False
        kind = type(section).kind
        ends = kind.done if kind is not None and key in part.done else None
        if entry is None:
            # The call that added it shows it open: a call with its id, or that ends it, comes later.
            is_over = ends is not None and (shows([key]) or self._is_over(shows, key, ends))
            return shows(words) and (ends is None or is_over)
        if entry.known == text:
            return shows(words)
        new = [each for each in words if item is not None and each not in entry.line.name]
        since = partial(shows, after=entry.after)
        if since([*new, key]) or since(words):
            return True
        return not new and ends is not None and self._is_over(since, key, ends) and shows(words)

    def _is_over(self, shows: Callable[..., bool], key: str, ends: str) -> bool:
        """Tell whether a host's own tool ended an item, which it calls by another name."""
        return self.request is not None and shows([ends]) and key in self.request.changed

    def _see(self, part: RenderingPart, key: str, now: ReadLine, entry: KnownLine | None) -> None:
        """Record that the request shows an item that no delivery sent."""
        seen = KnownLine(part.name, key, now.line, is_told=False, after=self._after)
        if entry is None:
            self.entries.append(seen)
        elif entry.line.text != now.line.text:
            self._put(entry, seen)

    def _ends(self, part: RenderingPart | None, entry: KnownLine, mark: Mark) -> bool:
        if part is not None and self._shows(part, entry.key, "", entry):
            if entry.known:
                ended = replace(entry, shown="", after=self._after)
                self._put(entry, *([ended] if entry.is_told else ()))
            return True
        lines = self._lines if entry.is_told else [*self._lines, entry.line]
        name = name_of(lines, entry.line)
        return name is not None and self._take(entry, ChangedLine(mark, entry.line.title, name))

    def _tells(self, part: RenderingPart, entry: KnownLine, now: ReadLine) -> bool:
        """Write the current text of a sent line, unless the request shows it; return whether this is possible."""
        line, old = now.line, entry.line
        if entry.known == line.text and (entry.shown is None or not entry.is_told):
            return True
        if self._shows(part, entry.key, line.text, entry):
            if entry.known != line.text:
                self._put(entry, replace(entry, shown=line.text, after=self._after))
            return True
        if not entry.is_told:
            self._begins(part, entry.key, now, entry)
            return True
        if old.title != line.title:  # "now: Port 8080" alone would not show that it is a note
            ended = self._ends(None, entry, "hidden")
            self._begins(part, entry.key, now, None)
            return ended
        if entry.key in part.done and struck(old).text == line.text:
            name = name_of(self._lines, old)
            return name is not None and self._take(
                entry, ChangedLine("done", old.title, name), line
            )
        change = change_of(self._lines, old, now)
        return change is not None and self._take(entry, change, as_line(line.title, now.item).line)

    def _begins(
        self, part: RenderingPart, key: str, now: ReadLine, entry: KnownLine | None
    ) -> None:
        """Write a line that was not sent before."""
        line = now.line
        self.changes.append(ChangedLine("new", line.title, line.name, now.item))
        if entry is not None:
            self._put(entry)
        new = as_line(line.title, now.item).line
        self.entries.append(KnownLine(part.name, key, new, after=self._after))

    @property
    def _after(self) -> str:
        return "" if self.request is None else self.request.newest

    @property
    def _lines(self) -> list[Line]:
        return [each.line for each in self.entries if each.is_told]

    def _take(self, entry: KnownLine, change: ChangedLine, line: Line | None = None) -> bool:
        self.changes.append(change)
        told = [] if line is None else [replace(entry, line=line, shown=None, after=self._after)]
        self._put(entry, *told)
        return True

    def _put(self, entry: KnownLine, *instead: KnownLine) -> None:
        place = self.entries.index(entry)
        self.entries[place : place + 1] = instead


def _is_in_order(part: RenderingPart, entries: Sequence[KnownLine]) -> bool:
    """Tell whether ordered items were sent in order."""
    here = [each for each in entries if each.part == part.name and not each.is_seen]
    if not all(each.is_told for each in here):
        return True  # in a line that names several
    told = [each.key for each in here if each.key != MORE]
    known = set(told)
    return [key for key in told if key in part.lines] == [key for key in part.lines if key in known]
