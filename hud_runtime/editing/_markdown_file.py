"""A person's own Markdown files: read into sessions, and updated from them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hud_components import Domain, HudSection, HudValue, State
from hud_components.declaring import Actor
from hud_components.declaring._spellings import names_of
from hud_components.folding import Add, Mark, Remove, Set, Update, Verb
from hud_components.words import format_text
from hud_runtime._errors import EventError
from hud_runtime.editing._changes import drafts
from hud_runtime.editing._editable import Edit, Editable, EditableSection, EditError, as_lines
from hud_runtime.editing._items import COMPARED, SectionReport, match
from hud_runtime.editing._page import Row, SourcePlace, plain, row_of_item, row_of_value
from hud_runtime.log.events import EventDraft
from ujsx import RenderContext, mdast, render
from ujsx.mdast.util import replace as with_fields
from ujsx.mdast.util import to_string

if TYPE_CHECKING:
    from hud_runtime.session import HudSession

HEADINGS: Mapping[str, str] = MappingProxyType(
    {
        "rules": "rules|project rules|standing rules|guidelines|conventions|coding conventions|project conventions|"
        "constraints|technical constraints|boundaries|code style|coding style|code style guidelines|coding standards|"
        "style guide|best practices|dos and donts",
        "task": "task|current task|goal|objective|current focus|current work focus|mission",
        "decisions": "decisions|decision log|key decisions|design decisions|architecture decisions|"
        "architectural decisions|key technical decisions|active decisions|active decisions and considerations",
        "steps": "steps|next steps|plan|implementation plan|to do|todo|todos|todo list|tasks|task list|roadmap|"
        "action items|whats left to build|whats left",
        "notes": "notes|memory|memories|facts|learnings|lessons|lessons learned|gotchas|pitfalls|tips|known issues|"
        "known quirks|things to know|remember",
        "blockers": "blockers|blocked|blocked by|impediments",
    }
)
"""The headings of files for sections, by the section's name: words in lower case, without apostrophes."""

_MARK = re.compile(r'\A<!-- ujsx: HUD of (?P<session>"[^\n]*") -->\Z')
_END = "<!-- ujsx: end -->"
_WORDS = re.compile(r"[^\W_]+")
_NUMBERED = re.compile(r"^[0-9]+ ")
_BEFORE_SIGN = re.compile(r"\A(.*?)(?::| [-–—] |\()", re.DOTALL)
_CONTEXT = RenderContext()


@dataclass(frozen=True, slots=True)
class Entry:
    """An item, or a value, in a file."""

    kind: Editable
    row: Row
    node: Any
    """The item of a list, or the paragraph."""

    under: str
    """The words of the headings between the section's heading and the entry."""

    part: str | None
    """The session between whose marks it is, if any."""

    @property
    def bare(self) -> str:
        """The text of the line alone, as the section's text field has it."""
        return self.row.told.get(self.kind.text, "").strip()

    @property
    def text(self) -> str:
        """The text of the line, after the words of the headings above it."""
        return f"{self.under}{self.bare}"

    @property
    def line(self) -> int:
        return self.row.place.line

    def edit(self, verb: Verb, said: Mapping[str, object]) -> Edit:
        """Return an operation that the line comes to."""
        return Edit(self.kind.operation(verb), said, self.line)


@dataclass(frozen=True, slots=True)
class Left:
    """A block outside of any section, which stays unchanged."""

    line: int
    text: str
    """Its first words."""


@dataclass(slots=True)
class SectionPlace:
    """The place of a section in a file: its heading, and the blocks before the next one."""

    kind: Editable
    last: Any
    """The heading, or the last of the blocks."""

    entries: list[Entry] = field(default_factory=list[Entry])


@dataclass(frozen=True, slots=True)
class MarkedPart:
    """The part of a file between a HUD's marks."""

    begin: mdast.Html
    between: Sequence[Any]


class MarkdownFile:
    r"""A parsed Markdown file.

    :param domain: the domain of its sections.
    :param name: the file's name, which names its content if no heading does, as in ``notes.md``.
    :raises EditError: for a HUD's mark without its end.

    >>> from hud_components import CODING
    >>> file = MarkdownFile("# Shop\n\n## Rules\n\n- Never push to main.\n\n## Build\n\nRun make.\n", CODING)
    >>> [(entry.kind.name, entry.text) for entry in file.entries], [left.text for left in file.left]
    ([('rules', 'Never push to main.')], ['Run make.'])
    """

    def __init__(self, text: str, domain: Domain[Any], name: str = "") -> None:
        self.document = mdast.Document(text)
        self.entries: list[Entry] = []
        self.left: list[Left] = []
        self.places: dict[tuple[str, str], SectionPlace] = {}
        """The first places outside of HUDs' marks, by a section's name, and the words of the headings
        below its own that precede their lines.
        """
        self.parts: dict[str, MarkedPart] = {}
        """The parts between the marks of HUDs, by the session's id."""
        self._kinds = kinds_by_heading(domain)
        self._open: list[tuple[int, Editable | None, str]] = [
            (0, self._named(PurePath(name).stem), "")
        ]
        self._place: SectionPlace | None = None
        self._part: str | None = None
        self._read()

    def _read(self) -> None:
        begun: tuple[str, Any, int] | None = None
        outer = self._open
        blocks = self.document.root.children
        for index, block in enumerate(blocks):
            mark = isinstance(block, mdast.Html) and _MARK.match(block.value)
            if mark:
                if begun is not None:
                    break
                begun = _session(mark["session"], block), block, index
                outer, self._part = self._open, begun[0]
                self._open = [(0, None, "")]
            elif isinstance(block, mdast.Html) and block.value == _END:
                if begun is None:
                    raise EditError(f"line {_line(block)}: {_END} ends nothing; remove it")
                session, begin, first = begun
                if session in self.parts:
                    raise EditError(f'line {_line(begin)}: there is a HUD of "{session}" before it')
                self.parts[session] = MarkedPart(begin, blocks[first + 1 : index])
                begun, self._open, self._part = None, outer, None
            else:
                self._take(block)
        if begun is not None:
            raise EditError(f"line {_line(begun[1])}: {begun[1].value} has no {_END}; add it")

    def _take(self, block: Any) -> None:
        if isinstance(block, mdast.Heading):
            self._enter(block)
            return
        kind = self._open[-1][1]
        if self._place is not None and self._part is None:
            self._place.last = block
        if isinstance(block, mdast.List):
            for item in block.children:
                self._take_entry(kind, item)
        elif isinstance(block, mdast.Paragraph) and not to_string(block).rstrip().endswith(":"):
            self._take_entry(kind, block)
        else:
            self._leave(block)

    def _enter(self, heading: mdast.Heading) -> None:
        while self._open[-1][0] >= heading.depth:
            self._open.pop()
        title, under = to_string(heading), ""
        named, (_, above, words) = self._named(title), self._open[-1]
        has_place = named is not None
        if named is None and above is not None and above.kind is not None:
            named = above
            under = words if heading.depth == 1 else f"{words}{' '.join(title.split())}: "
            has_place = bool(under)
        self._open.append((heading.depth, named, under))
        self._place = None
        if named is not None and has_place and self._part is None:
            place = self.places.setdefault((named.name, under), SectionPlace(named, heading))
            self._place = place if place.last is heading else None

    def _take_entry(self, kind: Editable | None, node: Any) -> None:
        """Add an item, or leave it; a task in a list is a step anywhere."""
        if kind is None and isinstance(node, mdast.ListItem) and node.checked is not None:
            kind = self._kinds.get("steps")
        row = None if kind is None else _row(node, kind)
        if (
            kind is None
            or row is None
            or (kind.kind is None and any(entry.kind is kind for entry in self.entries))
        ):
            self._leave(node)
            return
        under = self._open[-1][2] if kind is self._open[-1][1] else ""
        entry = Entry(kind, row, node, under, self._part)
        self.entries.append(entry)
        if self._place is not None and self._part is None and self._place.kind is kind:
            self._place.entries.append(entry)

    def _leave(self, block: Any) -> None:
        self.left.append(Left(_line(block), " ".join(to_string(block).split())[:60]))

    def _named(self, title: str) -> Editable | None:
        """Return the section of a heading, if any: as a whole, or before a colon, a dash or a bracket."""
        before = _BEFORE_SIGN.match(title)
        for each in (title, before[1] if before else ""):
            if found := self._kinds.get(_phrase(each)):
                return found
        return None


def kinds_by_heading(domain: Domain[Any]) -> Mapping[str, Editable]:
    """Return the sections in which a file's lines can be recorded, by their headings.

    Such a section has a verb that adds an item, or sets the value, with only a text.
    """
    kinds = [
        kind
        for section in domain.sections
        if section.has_operations
        and not section.host_reported
        and (kind := as_lines(section)) is not None
        and adding(kind) is not None
    ]
    own = [(name, kind) for kind in kinds for name in _own_names(kind)]
    usual = [(name, kind) for kind in kinds for name in HEADINGS.get(kind.name, "").split("|")]
    found: dict[str, Editable] = {}
    for name, kind in (*own, *usual):
        found.setdefault(_phrase(name), kind)
    found.pop("", None)  # no words, no name
    return found


def headings_of(domain: Domain[Any]) -> list[str]:
    """Return the titles of the sections in which a file's lines can be recorded.

    >>> from hud_components import CODING
    >>> headings_of(CODING)[:2]
    ['Task', 'Decisions']
    """
    kinds = dict.fromkeys(kinds_by_heading(domain).values())
    return [next(_own_names(kind)).strip() for kind in kinds]


def adding(kind: Editable) -> Add | Set | None:
    """Return the verb that adds an item of a section, or sets its value, with only a text."""
    verb = kind.verb(Set) if kind.kind is None else kind.verb(Add)
    if verb is None:
        return None
    fields = kind.arguments(verb).model_fields
    needed = {name for name, info in fields.items() if info.is_required()}
    return verb if kind.text in fields and needed <= {kind.text} else None


def fields_said(entry: Entry) -> Mapping[str, object]:
    """Return an entry's fields that the verb takes; only its text if it has other fields."""
    kind, row = entry.kind, entry.row
    verb = adding(kind)
    assert verb is not None
    known = kind.section.value.model_fields
    if row.said.keys() <= known.keys():
        report = SectionReport(kind, kind.what)
        said = report.arguments(verb, row)
        if not report.problems and report.valid(kind.section.value, said, verb, row.place):
            return {**said, kind.text: entry.text}
    return {kind.text: entry.text}


def marks(session: str) -> tuple[str, str]:
    """Return the marks before and after a session's HUD in a file."""
    name = json.dumps(session).replace(">", "\\u003e")
    return f"<!-- ujsx: HUD of {name} -->", _END


def _session(written: str, block: Any) -> str:
    try:
        return str(json.loads(written))
    except ValueError:
        raise EditError(f"line {_line(block)}: {written} is not a session's name in JSON") from None


def _own_names(kind: Editable) -> Iterator[str]:
    section: type[HudSection] = kind.section
    yield format_text(section.with_texts(_CONTEXT), f"{section.name}.title")
    yield from names_of(section)


def _phrase(title: str) -> str:
    """Return a heading's words: in lower case, without leading numbers, signs and apostrophes.

    >>> _phrase("3. Do's & don'ts 🚫")
    'dos and donts'
    """
    words = _WORDS.findall(re.sub("['’]", "", title).replace("&", " and ").casefold())
    return _NUMBERED.sub("", " ".join(words))


def _row(node: Any, kind: Editable) -> Row | None:
    """Return the row of a list's item, or of a paragraph: in a section's forms, else with its visible text."""
    spot = EditableSection(kind, kind.section.with_texts(_CONTEXT))
    item = node if isinstance(node, mdast.ListItem) else mdast.ListItem(children=(node,))
    text = _text(item)
    flat = with_fields(item, children=(mdast.Paragraph(children=(mdast.Text(text or ""),)),))
    for each in (item, flat) if text else (item,):
        row = row_of_item(each, spot)
        if kind.kind is None and each.children and isinstance(each.children[0], mdast.Paragraph):
            row = row_of_value(each.children[0], spot)
        if row is not None and row.told.get(kind.text, "").strip():
            return replace(row, place=SourcePlace.of(node))
    return None


def _text(block: Any) -> str | None:
    """Return a block's text in one line, then that of nested items, separated by semicolons."""
    if isinstance(block, mdast.Paragraph):
        return " ".join("".join(map(_shown, block.children)).split())
    if not isinstance(block, mdast.List | mdast.ListItem):
        return None
    parts = [_text(each) for each in block.children]
    if None in parts:
        return None
    told = [part for part in parts if part]
    if isinstance(block, mdast.List):
        return "; ".join(told)
    if len(told) > 1 and isinstance(block.children[-1], mdast.List):
        told[-2] = f"{told[-2].removesuffix(':')}:"
    return " ".join(told)


def _shown(node: Any) -> str:
    """Return a node's visible text in a line, and the target of a link."""
    if isinstance(node, mdast.InlineCode):
        [typed] = plain((node,))
        return str(typed.value)
    if isinstance(node, mdast.Html):
        return node.value
    if not hasattr(node, "children"):
        return to_string(node)
    shown = "".join(map(_shown, node.children))
    is_told = not isinstance(node, mdast.Link) or node.url.endswith(shown)
    return shown if is_told else f"{shown} ({node.url})"


def _line(block: Any) -> int:
    return SourcePlace.of(block).line


# The synchronization of a session and a Markdown file: a file's lines are recorded, and the session's
# items are written into it.
#
# A line belongs to the session if it has the current or a former text of one of its items. If that
# item has changed, the line is changed; if it is gone, the line is removed. Lines that the session
# never had stay. An edited line is matched with the most similar item without a line. Sections with
# a heading in the file are written there; the others between two marks.

_INSIDE = RenderContext().deeper()


def drafts_of(
    file: MarkdownFile, session: HudSession[Any], actor: Actor = "tool"
) -> tuple[EventDraft, ...]:
    r"""Return the events of a file's news: a line is new, ticked or edited.

    :param actor: the author of the file's lines. Anybody may have written a file, so it is "tool", unless its
        user vouches for it.

    >>> from hud_components import CODING
    >>> from hud_runtime import HudStore
    >>> file = MarkdownFile("# Plan\n\n1. ~~Write~~\n2. Test\n", CODING)
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     [(draft.type, dict(draft.payload)) for draft in drafts_of(file, session)]
    ...     _ = session.record_all(drafts_of(file, session))
    ...     drafts_of(file, session)
    [('step.add', {'description': 'Write', 'completed': True}), ('step.add', {'description': 'Test'})]
    ()
    """
    return tuple(drafts(session.domain, FileLines(file, session).news(), actor))


class FileLines:
    """The lines of a file and the items of a session, matched.

    A line has an item's current or former text. A line with an id belongs to that item. Any other line unknown
    to the session is matched with the most similar item under its heading without a line. Items that the agent
    recorded count only between marks, as others may never have been written into this file.
    """

    def __init__(self, file: MarkdownFile, session: HudSession[Any]) -> None:
        self.file = file
        self.session = session
        self.state: State = session.state()
        self.kinds = [*dict.fromkeys(kinds_by_heading(session.domain).values())]
        self.entries = [entry for entry in file.entries if entry.part in (None, session.id)]
        """The lines that do not belong to another session."""
        known = self._known_texts()
        self.names = {
            id(entry): next(
                (
                    known[entry.kind.name, text]
                    for text in self.told(entry)
                    if (entry.kind.name, text) in known
                ),
                None,
            )
            for entry in self.entries
        }
        """The item that has, or had, a line's text, by the line's identity; "" for a value."""
        self.edited: dict[int, str] = {}
        """The item of an edited line, by the line's identity."""
        for kind in dict.fromkeys(entry.kind for entry in self.entries):
            if kind.kind is not None:
                self._match_edited(kind)

    def _known_texts(self) -> dict[tuple[str, str], str]:
        """The names of items by their section's name, and by each of their current and former texts."""
        kinds = {kind.section.event: kind for kind in self.kinds}
        found: dict[tuple[str, str], str] = {}
        for event in self.session.events():
            kind = kinds.get(event.type.rpartition(".")[0])
            text = None if kind is None else getattr(event.payload, kind.text, None)
            if kind is not None and isinstance(text, str):
                found.setdefault((kind.name, _in_line(text)), getattr(event.payload, "id", ""))
        for kind in self.kinds:
            for name, item in self.items(kind).items():
                found[kind.name, _line_text(kind, item)] = name
        return found

    def _match_edited(self, kind: Editable) -> None:
        entries = [entry for entry in self.entries if entry.kind is kind]
        names = {self.names[id(entry)] for entry in entries}
        items = {name: item for name, item in self.items(kind).items() if name not in names}
        new = [entry for entry in entries if self.names[id(entry)] is None]
        found = {id(entry): entry.row.id for entry in new if entry.row.id in items}
        for is_done, is_marked in product((False, True), repeat=2):
            lines = [
                entry
                for entry in new
                if id(entry) not in found
                and (entry.row.is_done, entry.part is not None) == (is_done, is_marked)
            ]
            left = [
                name
                for name, item in items.items()
                if name not in found.values()
                and (is_done or kind.is_open(item))
                and (is_marked or getattr(item, "said_by", None) != "agent")
            ]
            texts = [_line_text(kind, items[name]) for name in left]
            pairs = _pairs(texts, [_in_line(entry.text) for entry in lines])
            found |= {id(lines[now]): left[old] for now, old in pairs.items()}
        self.edited |= found

    def told(self, entry: Entry) -> list[str]:
        """Return the texts that the session could have recorded for a line, with secrets masked or not."""
        told = [entry.text, entry.bare]
        with suppress(EventError):  # texts with secrets are refused
            told += [str(self.session.taken({"text": text})["text"]) for text in told]
        return [_in_line(text) for text in told]

    def items(self, kind: Editable) -> Mapping[str, Any]:
        """Return a section's items by their names; its value under ""."""
        value = getattr(self.state, kind.section.field)
        if kind.kind is None:
            return {} if value is None else {"": value}
        return {getattr(item, kind.kind.key): item for item in value}

    # --- News ---

    def news(self) -> Iterator[Edit]:
        """Yield the operations of lines that are new, ticked or edited."""
        seen: set[tuple[str, str]] = set()
        for entry in self.entries:
            name, line = self.names[id(entry)], (entry.kind.name, entry.text)
            if line in seen:
                continue
            seen.add(line)
            if name is not None:
                yield from self._ticked(entry, name)
            elif id(entry) in self.edited:
                yield from self._changed(entry, self.edited[id(entry)])
            else:
                yield from self._added(entry)

    def _added(self, entry: Entry) -> Iterator[Edit]:
        """Yield a new item; not a completed one if no new item can be completed."""
        verb, kind = adding(entry.kind), entry.kind.kind
        assert verb is not None
        said = dict(fields_said(entry))
        if entry.row.is_done and kind is not None:
            end, takes = kind.end, verb.payload_of(entry.kind.section).model_fields
            is_several = end is not None and len(end.values) > 1
            if end is None or end.field not in takes or (is_several and end.field not in said):
                return
            said.setdefault(end.field, next(iter(end.values)))
        yield entry.edit(verb, said)

    def _ticked(self, entry: Entry, name: str) -> Iterator[Edit]:
        """Yield the end of an item that its line newly marks as completed."""
        kind = entry.kind
        verb, item = kind.verb(Mark), self.items(kind).get(name)
        if verb is None or item is None or not entry.row.is_done or not kind.is_open(item):
            return
        edit = entry.edit(verb, {"id": name})
        event_type = self.session.domain.operations[edit.operation].type
        end = None if kind.kind is None else kind.kind.end
        for event in self.session.events():
            ended = event.type == event_type or (end is not None and end.has(event.payload))
            if ended and getattr(event.payload, "id", None) == name:
                return
        yield edit

    def _changed(self, entry: Entry, name: str) -> Iterator[Edit]:
        """Yield the operations of an edited line: its item is changed, or it ends and another one begins."""
        kind = entry.kind
        update, remove = kind.verb(Update), kind.verb(Remove)
        if update is not None and kind.takes(update, kind.text):
            fields = fields_said(entry).items()
            said = {field: value for field, value in fields if kind.takes(update, field)}
            yield entry.edit(update, {"id": name, **said})
            yield from self._ticked(entry, name)
            return
        if remove is not None:
            yield entry.edit(remove, {"id": name})
        yield from self._added(entry)


def _pairs(old: Sequence[str], new: Sequence[str]) -> Mapping[int, int]:
    """Return the matches of new texts with old ones: the most similar, or the only one that continues its
    words.

    >>> _pairs(["Two", "Port 8080"], ["Port 8081", "Two of them, or three"])
    {0: 1, 1: 0}
    """
    pairs = dict(match(old, new).pairs)
    gone = [place for place in range(len(old)) if place not in pairs.values()]
    fresh = [place for place in range(len(new)) if place not in pairs]
    if len(gone) * len(fresh) > COMPARED:
        return pairs
    begun = [(one, other) for one in fresh for other in gone if _goes_on(old[other], new[one])]
    return pairs | {
        one: other
        for one, other in begun
        if sum(one == each or other == than for each, than in begun) == 1
    }


def _goes_on(one: str, other: str) -> bool:
    """Return whether the longer of two texts begins with the words of the other."""
    shorter, longer = sorted((one, other), key=len)
    words = shorter.rstrip(".;,:!")
    return bool(words) and longer.startswith(words) and not longer[len(words) :][:1].isalnum()


def _line_text(kind: Editable, item: Any) -> str:
    return _in_line(str(getattr(item, kind.text)))


def _in_line(text: str) -> str:
    """Return a text in its compared form: most sections write it in one line, whatever its white space."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file's text after a session was written into it."""

    text: str
    unknown: tuple[Entry, ...]
    """The new or edited lines under a section's heading, which are not the session's, and stay."""
    without_line: tuple[AbsentItem, ...]
    """The items under its headings that had no line, and whose author is not the agent."""


@dataclass(frozen=True, slots=True)
class AbsentItem:
    """An item without a line in a file."""

    id: str
    text: str
    removal: str | None
    """The type of the event that removes it."""
    is_added: bool
    """True if it has a line now; a rule that is proposed for lifting gets none."""


def written_into(file: MarkdownFile, session: HudSession[Any]) -> WrittenFile:
    r"""Return a file's text with a session's items; all other bytes are unchanged.

    :raises EditError: if there are unknown lines between the session's marks, which would be lost.

    >>> from hud_components import CODING
    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("note.add", content="Port *8080*")
    ...     file = MarkdownFile("Notes\n=====\n\n* _Ask_ Ada\n", CODING)
    ...     written_into(file, session).text
    'Notes\n=====\n\n* _Ask_ Ada\n* Port \\*8080\\*\n'
    """
    return _Into(file, session).written()


class _Into(FileLines):
    """Collects replacements of a file's nodes, and additions after them; then its tree is built once."""

    def __init__(self, file: MarkdownFile, session: HudSession[Any]) -> None:
        super().__init__(file, session)
        self.document = file.document
        self.unknown: list[Entry] = []
        self.without_line: list[AbsentItem] = []
        self._made: dict[str, Any] = {}
        self._instead: dict[int, tuple[Any, ...]] = {}
        self._behind: dict[int, tuple[Any, ...]] = {}

    def written(self) -> WrittenFile:
        kinds = {kind.section: kind for kind in self.kinds}
        apart: list[Any] = []
        for kind in filter(None, map(kinds.get, self.state.sections)):
            entries = [each for each in self.entries if each.kind is kind and each.part is None]
            place = self.file.places.get((kind.name, ""))
            if place is None and entries:  # lines without a heading
                place = SectionPlace(kind, None, entries)
            if place is None:
                apart += self._blocks(kind.section.of_state(self.state))
            else:
                self._write_under(place, entries)
        self._write_apart(apart)
        self._edit()
        return WrittenFile(self.document.text, tuple(self.unknown), tuple(self.without_line))

    def _write_under(self, place: SectionPlace, entries: Sequence[Entry]) -> None:
        """Update the lines of a section that belong to the session."""
        kind, items = place.kind, self.items(place.kind)
        names = [self.names[id(entry)] for entry in entries]
        known = {*names, *self.edited.values()}
        told = {text for entry in entries for text in self.told(entry)}
        new = [
            item
            for name, item in items.items()
            if name not in known and kind.is_open(item) and _line_text(kind, item) not in told
        ]
        gone = [
            entry
            for entry, name in zip(entries, names, strict=True)
            if name is not None and name not in items
        ]
        pairs = _pairs(
            [_in_line(entry.text) for entry in gone], [_line_text(kind, item) for item in new]
        )
        instead = {id(gone[old]): new[number] for number, old in pairs.items()}
        new = [item for number, item in enumerate(new) if number not in pairs]
        if new and (kind.kind is not None or not entries):
            self._add_each(place, new)
        for entry, name in zip(entries, names, strict=True):
            item = items.get(name or "", instead.get(id(entry)))
            if name is None:
                self.unknown.append(entry)
            elif item is None:
                self._instead[id(entry.node)] = ()
            else:
                self._change(entry, item)

    def _edit(self) -> None:
        """Give the document its new tree, if that has changed."""
        if not (self._instead or self._behind):
            return
        root = self.document.root
        last = self._behind.get(id(root), ())
        if last and root.children:
            _check_has_end(root.children[-1])
        blocks: list[Any] = []
        for place, block in enumerate(root.children):
            new = self._instead.get(id(block), (block,))
            if isinstance(block, mdast.List):
                items = self._updated(block.children)
                if not items:
                    new = ()
                elif items != [*block.children]:
                    new = (with_fields(block, children=tuple(items)),)
            if not new and _parts_lists(root.children[max(place - 1, 0) : place + 2]):
                new = (mdast.Html("<!-- -->"),)
            blocks += [*new, *self._behind.get(id(block), ())]
        self.document.replace(root, with_fields(root, children=(*blocks, *last)))

    def _updated(self, items: Sequence[Any]) -> list[Any]:
        """Return the items of a list with their replacements, and with the additions after them."""
        updated: list[Any] = []
        for item in items:
            updated += self._instead.get(id(item), (item,))
            updated += self._behind.get(id(item), ())
        return updated

    # --- Lines ------------------------------------------------------------------------------------

    def _change(self, entry: Entry, item: Any) -> None:
        """Update a line, if its item has changed."""
        kind = entry.kind
        text, is_over = _line_text(kind, item), not kind.is_open(item)
        is_same = text in self.told(entry)
        if is_same and is_over == entry.row.is_done:
            return
        box = entry.node.checked if isinstance(entry.node, mdast.ListItem) else None
        if is_same and box is not None:
            self._instead[id(entry.node)] = (with_fields(entry.node, checked=is_over),)
        else:
            item = _without_words(kind, item, entry.under)
            first, *rest = self._line(kind, item, entry.node) or (None,)
            placed = () if first is None else (with_fields(first, position=entry.node.position),)
            self._instead[id(entry.node)] = (*placed, *rest)

    def _add_each(self, place: SectionPlace, items: list[Any]) -> None:
        """Add each item under the heading whose words it begins with, else under the section's."""
        kind = place.kind
        below = {
            under: each for (name, under), each in self.file.places.items() if name == kind.name
        }
        added: dict[str, list[Any]] = {}
        for item in items:
            is_added = not getattr(item, "lift_proposed", False)
            if kind.kind is not None and getattr(item, "said_by", "agent") != "agent":
                self.without_line.append(self._absent(kind, item, is_added))
            if is_added:
                text = str(getattr(item, kind.text))
                unders = [under for under in below if text.startswith(under)]
                under = max(unders, key=len, default="")
                added.setdefault(under, []).append(_without_words(kind, item, under))
        for under, each in added.items():
            self._add(below.get(under, place), each)

    def _absent(self, kind: Editable, item: Any, is_added: bool) -> AbsentItem:
        verb = kind.verb(Remove)
        removal = (
            None if verb is None else self.session.domain.operations[kind.operation(verb)].type
        )
        return AbsentItem(
            getattr(item, kind.kind.key) if kind.kind else "",
            _line_text(kind, item),
            removal,
            is_added,
        )

    def _add(self, place: SectionPlace, items: list[Any]) -> None:
        kind, is_apart = place.kind, place.last is None
        listed = [
            each for each in place.entries if is_apart or isinstance(each.node, mdast.ListItem)
        ]
        like = listed[-1].node if listed else None if kind.kind is None else mdast.ListItem()
        lines = [line for item in items for line in self._line(kind, item, like)]
        if listed or kind.kind is None:
            self._behind[id(like or place.last)] = tuple(lines)
        elif lines:
            self._behind[id(place.last)] = (mdast.List(children=tuple(lines)),)

    def _line(self, kind: Editable, item: Any, like: Any) -> tuple[Any, ...]:
        """Return an item, or a value, in the section's form: an item of a list, or paragraphs; empty for
        an item that it does not show.

        :param like: the node that it replaces, or follows.
        """
        is_boxed = isinstance(like, mdast.ListItem) and like.checked is not None
        is_over = not kind.is_open(item)
        if is_boxed and is_over and kind.done is not None:
            item = item.model_copy(update={kind.done: False})
        if kind.name not in self._made:
            self._made[kind.name] = kind.section.of_state(self.state)
        made = self._made[kind.name]
        value = item if kind.kind is None else (item,)
        blocks = self._blocks(made and made.model_copy(update={kind.section.prop: value}))
        found = [each for each in blocks if not isinstance(each, mdast.Heading)]
        if len(found) == 1 and isinstance(found[0], mdast.List):
            found = list(found[0].children[0].children)
        if not found or not isinstance(like, mdast.ListItem):
            return tuple(found)
        checked = is_over if is_boxed else None
        return (mdast.ListItem(children=tuple(found), checked=checked),)

    def _blocks(self, section: Any) -> tuple[Any, ...]:
        """Return the blocks of a section with its heading, without omissions."""
        if section is None:
            return ()
        said: Any = getattr(section, section.prop)
        told = _unmarked(said) if section.kind is None else tuple(map(_unmarked, said))
        whole = section.model_copy(update={"limit": sys.maxsize, section.prop: told})
        return mdast.from_markdown(render(whole, context=_INSIDE)).children

    # --- Between marks ----------------------------------------------------------------------------

    def _write_apart(self, blocks: list[Any]) -> None:
        part = self.file.parts.get(self.session.id)
        if part is None:
            if blocks:
                begin, end = map(mdast.Html, marks(self.session.id))
                self._behind[id(self.document.root)] = (begin, *blocks, end)
            return
        for entry in self.entries:
            if entry.part == self.session.id and self.names[id(entry)] is None:
                raise EditError(
                    f"line {entry.line}: {entry.text!r} is between the marks, which the HUD replaces, "
                    "and the session does not know it; import the file first, or move the line"
                )
        if tuple(blocks) == tuple(part.between):
            return
        self._instead |= {id(each): () for each in part.between}
        self._behind[id(part.begin)] = tuple(blocks)


def _without_words(kind: Editable, item: Any, under: str) -> Any:
    """Return an item without the words of a heading above its line."""
    text = str(getattr(item, kind.text))
    if not under or not text.startswith(under):
        return item
    return item.model_copy(update={kind.text: text.removeprefix(under)})


def _unmarked(value: Any) -> Any:
    """Return an item, or a value, as if by its default author: a person's file has no marks of sources."""
    new: dict[str, object] = {}
    if isinstance(value, HudValue):
        new["said_by"] = value.expected_from[0]
    if getattr(value, "lift_proposed", False):
        new["lift_proposed"] = False
    if getattr(value, "origin", None) is not None:
        new["id"] = ""
    return value.model_copy(update=new) if new else value


def _check_has_end(block: Any) -> None:
    """Refuse unclosed HTML, which would contain the added lines."""
    added = mdast.Root(children=(block, mdast.ThematicBreak()))
    if isinstance(block, mdast.Html) and mdast.normalize(added).children[0] != block:
        raise EditError(
            f"line {_line(block)}: this HTML has no end, and would hold the HUD; end it"
        )


def _parts_lists(blocks: Sequence[Any]) -> bool:
    """Return whether the middle one of three blocks separates lists that would otherwise merge."""
    match blocks:
        case (mdast.List() as before, _, mdast.List() as after):
            return before.ordered == after.ordered
        case _:
            return False
