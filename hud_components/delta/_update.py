"""From what was told, and a rendering, to what is to be said."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from hud_components.delta._change import Change, Mark, change_of, struck, written
from hud_components.delta._line_reader import LineReader
from hud_components.delta._lines import Line, ReadLine, as_line, name_of
from hud_components.delta._present import MORE, Part, present
from hud_components.delta._told import Entry, Stand, Told
from hud_components.words._request_words import FAR, NEAR, Remaining, RequestWords
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
    *,
    request: RequestWords | None = None,
) -> Told:
    """Return what is known to who reads a rendering.

    :param node: the tree that was rendered.
    :param context: what it was rendered in, the density included; full when ``None``.
    :param reader: who reads the lines of a text, and keeps them for the next.
    :param request: the words of the request that the rendering goes into.

    >>> from hud_components import Hud, HudState, Note
    >>> from ujsx import render_document
    >>> hud = Hud.of(HudState(notes=(Note(id="n-2", content="Port 8080"),)))
    >>> tell(hud, render_document(hud)).lines
    (Line(title='Notes', text='- Port 8080', name='Port 8080'),)
    """
    parts = present(node, rendered, context or RenderContext(), reader=reader) or ()
    after = "" if request is None else request.newest
    return Told(
        {part.name: part.stand for part in parts},
        tuple(
            Entry(part.name, key, each.line, after=after)
            if key not in part.in_line
            else Entry(part.name, key, each.line, False, each.line.text, after)
            for part in parts
            for key, each in part.lines.items()
        ),
    )


def update(
    told: Told,
    node: Child,
    rendered: Rendered,
    context: RenderContext | None = None,
    reader: LineReader | None = None,
    *,
    request: RequestWords | None = None,
) -> Update | None:
    """Return what is to be said to who was told something, for it to know a rendering.

    Then every item that the rendering shows is known, and what was said of any is true. Items that
    are only left out are not spoken of.

    :param node: the tree that was rendered.
    :param context: what it was rendered in, the density included; full when ``None``.
    :param reader: who reads the lines of a text, and keeps them for the next.
    :param request: the words of the request that the changes go into: an item that its end shows is not told.
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
            and _section_of(name) in remaining.reduced
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
    else:  # how many items are left out is no news of its own
        stands = {
            name: _with_count_of(told.stands.get(name), each) for name, each in stands.items()
        }
    text = written(talk.changes, ctx) if talk.changes else ""
    return Update(text, Told(stands, tuple(talk.entries)))


def _with_count_of(known: Stand | None, now: Stand) -> Stand:
    return now if known is None else replace(now, more=known.more)


def _section_of(part: str) -> str:
    """The name of the section that a part is."""
    return re.split(r"[#\[]", part, maxsplit=1)[0]


class _Talk(NamedTuple):
    """What is known while changes are told one after the other, as a reader will take them."""

    told: Told
    """The entries that were known before."""

    entries: list[Entry]
    changes: list[Change]
    request: RequestWords | None
    """The words of the request, beside which an item need not be told; None where they are not known."""

    within: int
    """The bytes at its end that count."""

    def ends_all(self, parts: Mapping[str, Part], silent: Container[str]) -> bool:
        """Tell which lines do not hold any more; say whether that can be told."""
        for entry in self.told.entries:
            part = parts.get(entry.part)
            if entry.part in silent or (part is not None and entry.key in part.lines):
                continue
            if part is None and self.told.stands[entry.part].by_item:
                return False  # its items may live on, and nothing here can tell
            if entry.key == MORE and part is not None:
                continue
            fate = "hidden" if part is None else part.fates.get(entry.key, "hidden")
            if fate != "left out" and not self._ends(part, entry, fate):
                return False
        return True

    def tells_all(self, part: Part) -> bool:
        """Tell what the lines of a part say now; say whether that can be told."""
        entries = {each.key: each for each in self.told.entries if each.part == part.name}
        is_folded = part.section is not None and part.section.standing == "folded"
        lines = {key: now for key, now in part.lines.items() if key != MORE or is_folded}
        untold = [key for key in lines if key not in entries or entries[key].is_seen]
        shown = {
            key for key in untold if self._shows(part, key, lines[key].line.text, entries.get(key))
        }
        if part.is_ordered and len(shown) < len(untold):
            shown = set[str]()  # they are told one behind the other
        for key, now in lines.items():
            entry = entries.get(key)
            if key in shown:
                self._see(part, key, now, entry)
            elif entry is None or entry.is_seen:
                self._begins(part, key, now, entry)
            elif not self._tells(part, entry, now):
                return False
        return True

    def counts(self, parts: Iterable[Part]) -> None:
        """Tell how many items are left out, beside other changes."""
        known = {each.part: each for each in self.entries if each.key == MORE}
        for part in parts:
            now, entry = part.lines.get(MORE), known.get(part.name)
            if now is not None and entry is None:
                self._begins(part, MORE, now, None)
            elif now is not None and entry is not None:
                self._tells(part, entry, now)
            elif entry is not None:
                self._ends(None, entry, "hidden")

    def _shows(self, part: Part, key: str, text: str, entry: Entry | None) -> bool:
        """Whether the newest messages of the request show an item, as a line says it.

        Hosts report what tools show, in calls and results. What the agent records stands in its calls: a change in
        those since the item was last told or seen.

        :param text: that of the line; empty for an item that is not there any more.
        """
        request, section, item = self.request, part.section, part.items.get(key)
        if request is None or section is None:
            return False
        words = (key,) if item is None else section.words_of(item)
        if words is None or getattr(item, "origin", None) is not None:
            return False
        shows = partial(request.shows, in_calls=not section.is_reported, within=self.within)
        if section.is_reported:
            return shows(words)
        if getattr(item, "said_by", "agent") != "agent":
            return False
        if entry is None or entry.known == text:
            return shows(words)
        new = [each for each in words if item is not None and each not in entry.line.name]
        shows = partial(shows, after=entry.after)
        return shows([*new, key]) or shows(words)

    def _see(self, part: Part, key: str, now: ReadLine, entry: Entry | None) -> None:
        """Note that the request shows an item that no delivery told."""
        seen = Entry(part.name, key, now.line, is_told=False, after=self._after)
        if entry is None:
            self.entries.append(seen)
        elif entry.line.text != now.line.text:
            self._put(entry, seen)

    def _ends(self, part: Part | None, entry: Entry, mark: Mark) -> bool:
        if part is not None and self._shows(part, entry.key, "", entry):
            if entry.known:
                ended = replace(entry, shown="", after=self._after)
                self._put(entry, *([ended] if entry.is_told else ()))
            return True
        lines = self._lines if entry.is_told else [*self._lines, entry.line]
        name = name_of(lines, entry.line)
        return name is not None and self._take(entry, Change(mark, entry.line.title, name))

    def _tells(self, part: Part, entry: Entry, now: ReadLine) -> bool:
        """Tell what a line that was told says now, if the request does not show it; say whether that can be told."""
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
        if old.title != line.title:  # "now: Port 8080" alone would not say that it is a note
            ended = self._ends(None, entry, "hidden")
            self._begins(part, entry.key, now, None)
            return ended
        if entry.key in part.done and struck(old).text == line.text:
            name = name_of(self._lines, old)
            return name is not None and self._take(entry, Change("done", old.title, name), line)
        change = change_of(self._lines, old, now)
        return change is not None and self._take(entry, change, as_line(line.title, now.item).line)

    def _begins(self, part: Part, key: str, now: ReadLine, entry: Entry | None) -> None:
        """Tell what a line says that was not told before."""
        line = now.line
        self.changes.append(Change("new", line.title, line.name, now.item))
        if entry is not None:
            self._put(entry)
        new = as_line(line.title, now.item).line
        self.entries.append(Entry(part.name, key, new, after=self._after))

    @property
    def _after(self) -> str:
        return "" if self.request is None else self.request.newest

    @property
    def _lines(self) -> list[Line]:
        return [each.line for each in self.entries if each.is_told]

    def _take(self, entry: Entry, change: Change, line: Line | None = None) -> bool:
        self.changes.append(change)
        told = [] if line is None else [replace(entry, line=line, shown=None, after=self._after)]
        self._put(entry, *told)
        return True

    def _put(self, entry: Entry, *instead: Entry) -> None:
        place = self.entries.index(entry)
        self.entries[place : place + 1] = instead


def _is_in_order(part: Part, entries: Sequence[Entry]) -> bool:
    """Whether items whose order means something were told in it."""
    here = [each for each in entries if each.part == part.name and not each.is_seen]
    if not all(each.is_told for each in here):
        return True  # a line that names several says it
    told = [each.key for each in here if each.key != MORE]
    known = set(told)
    return [key for key in told if key in part.lines] == [key for key in part.lines if key in known]
