"""From what was told, and a rendering, to what is to be said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from hud_components.delta._change import Change, Mark, written
from hud_components.delta._line_reader import LineReader
from hud_components.delta._lines import Line, ReadLine, as_line, name_of, named
from hud_components.delta._present import MORE, Part, present
from hud_components.delta._told import Entry, Told
from hud_components.words._request_words import Remaining
from ujsx import Child, RenderContext, Rendered


class Update(NamedTuple):
    """What is to be said, and what is known then."""

    text: str
    """Markdown; empty where nothing has changed."""

    told: Told


def tell(
    node: Child,
    rendered: Rendered,
    context: RenderContext | None = None,
    reader: LineReader | None = None,
) -> Told:
    """Return what is known to who reads a rendering.

    :param node: the tree that was rendered.
    :param context: what it was rendered in, the density included; full when ``None``.
    :param reader: who reads the lines of a text, and keeps them for the next.

    >>> from hud_components import Hud, HudState, Note
    >>> from ujsx import render_document
    >>> hud = Hud.of(HudState(notes=(Note(id="n-2", content="Port 8080"),)))
    >>> tell(hud, render_document(hud)).lines
    (Line(title='Notes', text='- Port 8080', name='Port 8080'),)
    """
    parts = present(node, rendered, context or RenderContext(), reader=reader) or ()
    return Told(
        {part.name: part.stand for part in parts},
        tuple(
            Entry(part.name, key, each.line) for part in parts for key, each in part.lines.items()
        ),
    )


def update(
    told: Told,
    node: Child,
    rendered: Rendered,
    context: RenderContext | None = None,
    reader: LineReader | None = None,
) -> Update | None:
    """Return what is to be said to who was told something, for it to know a rendering.

    Then every item that the rendering shows is known, and what was said of any is true. Items that
    are only left out are not spoken of.

    :param node: the tree that was rendered.
    :param context: what it was rendered in, the density included; full when ``None``.
    :param reader: who reads the lines of a text, and keeps them for the next.
    :returns: ``None`` where only the whole text will do: another layout, a plan in another order,
        two lines that no words tell apart.

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
    - *changed:* Port 8080
      - *now:* Port 9090
    """
    ctx = context or RenderContext()
    found = present(node, rendered, ctx, told, reader)
    if found is None:
        return None
    parts = {part.name: part for part in found}
    known = {(each.part, each.key): each for each in told.entries}
    talk = _Talk(known, [*told.entries], [])
    remaining = ctx.get(Remaining)
    silent = {name for name in told.stands if remaining and _section_of(name) in remaining.silent}
    silent |= {name for name, stand in told.stands.items() if stand.in_changes is False}
    for entry in told.entries:
        if entry.part in silent:
            continue
        part = parts.get(entry.part)
        if part is None and told.stands[entry.part].by_item:
            return None  # its items may live on, and nothing here can tell
        if part is not None and entry.key in part.lines:
            continue
        fate = "hidden" if part is None else part.fates.get(entry.key, "hidden")
        if fate != "left out" and not talk.ends(entry, fate):
            return None
    spoken_of = [
        part
        for part in found
        if part.stand.in_changes is not False or (remaining is not None and part.is_told_if_missing)
    ]
    for part in spoken_of:
        if not all(talk.tells(part, key, each) for key, each in part.lines.items()):
            return None
    if not all(_is_in_order(part, talk.entries) for part in spoken_of if part.is_ordered):
        return None
    kept = {name: stand for name, stand in told.stands.items() if name in silent}
    stands = {**{part.name: part.stand for part in found}, **kept}
    text = written(talk.changes, ctx) if talk.changes else ""
    return Update(text, Told(stands, tuple(talk.entries)))


def _section_of(part: str) -> str:
    """The name of the section that a part is."""
    return re.split(r"[#\[]", part, maxsplit=1)[0]


class _Talk(NamedTuple):
    """What is known while changes are told one after the other, as a reader will take them."""

    known: dict[tuple[str, str], Entry]
    """What was told before, by what it is about."""

    entries: list[Entry]
    changes: list[Change]

    def ends(self, entry: Entry, mark: Mark) -> bool:
        """Tell that a line does not hold any more; say whether that can be told."""
        name = name_of(self._lines, entry.line)
        return name is not None and self._take(entry, Change(mark, entry.line.title, name))

    def tells(self, part: Part, key: str, now: ReadLine) -> bool:
        """Tell what a line says now, if it was not told already; say whether that can be told."""
        line = now.line
        entry = self.known.get((part.name, key))
        if entry is None:
            return self._begins(part, key, now)
        old = entry.line
        if old.text == line.text:
            return True
        if old.title != line.title:  # "now: Port 8080" alone would not say that it is a note
            return self.ends(entry, "hidden") and self._begins(part, key, now)
        if key in part.done and named(self._lines, old.title, line.name) is old:
            return self._take(entry, Change("done", old.title, line.name, now.item))
        name = name_of(self._lines, old)
        return name is not None and self._take(entry, Change("changed", old.title, name, now.item))

    def _begins(self, part: Part, key: str, now: ReadLine) -> bool:
        """Tell what a line says that was not told before."""
        line = now.line
        self.changes.append(Change("new", line.title, line.name, now.item))
        self.entries.append(Entry(part.name, key, as_line(line.title, now.item).line))
        return True

    @property
    def _lines(self) -> list[Line]:
        return [each.line for each in self.entries]

    def _take(self, entry: Entry, change: Change) -> bool:
        place = self.entries.index(entry)
        new = () if change.item is None else (as_line(change.title, change.item).line,)
        self.changes.append(change)
        self.entries[place : place + 1] = [replace(entry, line=line) for line in new]
        return True


def _is_in_order(part: Part, entries: Sequence[Entry]) -> bool:
    """Whether items whose order means something were told in it."""
    told = [each.key for each in entries if each.part == part.name and each.key in part.lines]
    return [key for key in told if key != MORE] == [key for key in part.lines if key != MORE]
