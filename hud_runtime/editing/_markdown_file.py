"""A Markdown file, such as AGENTS.md or a plan, as sections of a HUD: which of its lines a session can record.

A heading names a section by its title, by one of its names, or by a phrase of ``HEADINGS``; it holds for the
headings below it, whose words then come before each line ("Don't: push to main"). So does the file's own name. Items of
lists and paragraphs are read by the forms that write the section's items; one with other markup counts for the
text that a reader sees. All the rest is left, and listed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from hud_components import Domain, HudSection
from hud_components.declaring._spellings import names_of
from hud_components.folding import Add, Set
from hud_components.words import format_text
from hud_runtime.editing._arguments import checked, taken
from hud_runtime.editing._editable import Editable, as_lines
from hud_runtime.editing._errors import EditError
from hud_runtime.editing._rows import Row, SourcePlace, plain, row_of_item, row_of_value
from ujsx import RenderContext, mdast
from ujsx.mdast.util import replace as with_fields
from ujsx.mdast.util import to_string

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
"""Headings that files have for sections, by the section's name: words in lower case, without apostrophes."""

_MARK = re.compile(r'<!-- ujsx: HUD of (?P<session>"[^\n]*") -->\Z')
_END = "<!-- ujsx: end -->"
_WORDS = re.compile(r"[^\W_]+")
_NUMBERED = re.compile(r"^[0-9]+ ")
_BEFORE_SIGN = re.compile(r"\A(.*?)(?::| [-–—] |\()", re.DOTALL)
_CONTEXT = RenderContext()


@dataclass(frozen=True, slots=True)
class Entry:
    """An item, or a value, that a file has."""

    kind: Editable
    row: Row
    node: Any
    """The item of a list, or the paragraph."""

    parent: Any
    """The list, or the document's root."""

    under: str
    """The words of the headings between the section's and the entry."""

    part: str | None
    """The session between whose marks it is, if any."""

    @property
    def bare(self) -> str:
        """What it says by itself, as the section's field of that name has it."""
        return self.row.told.get(self.kind.text, "").strip()

    @property
    def text(self) -> str:
        """What it says, behind the words of the headings above it."""
        return f"{self.under}{self.bare}"

    @property
    def line(self) -> int:
        return self.row.place.line


@dataclass(frozen=True, slots=True)
class Left:
    """A block that is no part of a section: it stays as it is."""

    line: int
    text: str
    """Its first words."""


@dataclass(slots=True)
class Place:
    """The place of a section in a file: its heading, and the blocks before the next one."""

    kind: Editable
    last: Any
    """The heading, or the last of the blocks."""

    entries: list[Entry] = field(default_factory=list[Entry])


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a file between a HUD's marks."""

    session: str
    begin: mdast.Html
    end: mdast.Html
    between: Sequence[Any]


class MarkdownFile:
    r"""A Markdown file taken apart.

    :param domain: whose sections it is read for.
    :param name: the file's name, which says what it holds where its headings do not, as in ``notes.md``.
    :raises EditError: for marks of a HUD without their ends.

    >>> from hud_components import CODING
    >>> file = MarkdownFile("# Shop\n\n## Rules\n\n- Never push to main.\n\n## Build\n\nRun make.\n", CODING)
    >>> [(entry.kind.name, entry.text) for entry in file.entries], [left.text for left in file.left]
    ([('rules', 'Never push to main.')], ['Run make.'])
    """

    def __init__(self, text: str, domain: Domain[Any], name: str = "") -> None:
        self.document = mdast.Document(text)
        self.entries: list[Entry] = []
        self.left: list[Left] = []
        self.places: dict[str, Place] = {}
        """By a section's name where it is in the file first, outside the marks of HUDs."""
        self.parts: dict[str, Part] = {}
        """What is between the marks of a HUD, by the session's id."""
        self._kinds = kinds_by_heading(domain)
        self._open: list[tuple[int, Editable | None, str]] = [
            (0, self._named(PurePath(name).stem), "")
        ]
        self._place: Place | None = None
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
                self.parts[session] = Part(session, begin, block, blocks[first + 1 : index])
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
                self._take_entry(kind, item, block)
        elif isinstance(block, mdast.Paragraph) and not to_string(block).rstrip().endswith(":"):
            self._take_entry(kind, block, self.document.root)
        else:
            self._leave(block)

    def _enter(self, heading: mdast.Heading) -> None:
        while self._open[-1][0] >= heading.depth:
            self._open.pop()
        title, under = to_string(heading), ""
        named, (_, above, words) = self._named(title), self._open[-1]
        if named is None and above is not None and above.kind is not None:
            named = above
            under = words if heading.depth == 1 else f"{words}{' '.join(title.split())}: "
        elif named is not None and self._part is None and named.name not in self.places:
            self.places[named.name] = Place(named, heading)
        self._open.append((heading.depth, named, under))
        place = None if named is None else self.places.get(named.name)
        self._place = place if place is not None and place.last is heading else None

    def _take_entry(self, kind: Editable | None, node: Any, parent: Any) -> None:
        """Take in an item, or leave it; a task in a list is a step wherever it is."""
        if kind is None and isinstance(node, mdast.ListItem) and node.checked is not None:
            kind = self._kinds.get("steps")
        row = None if kind is None else _row(node, kind)
        if kind is None or row is None or (kind.kind is None and self._has_value(kind)):
            self._leave(node)
            return
        under = self._open[-1][2] if kind is self._open[-1][1] else ""
        entry = Entry(kind, row, node, parent, under, self._part)
        self.entries.append(entry)
        if self._place is not None and self._part is None and self._place.kind is kind:
            self._place.entries.append(entry)

    def _has_value(self, kind: Editable) -> bool:
        return any(entry.kind is kind for entry in self.entries)

    def _leave(self, block: Any) -> None:
        self.left.append(Left(_line(block), " ".join(to_string(block).split())[:60]))

    def _named(self, title: str) -> Editable | None:
        """Return the section that a heading names, if any: as a whole, or before a colon, a dash or a bracket."""
        before = _BEFORE_SIGN.match(title)
        for each in (title, before[1] if before else ""):
            if found := self._kinds.get(_phrase(each)):
                return found
        return None


def kinds_by_heading(domain: Domain[Any]) -> Mapping[str, Editable]:
    """Return the sections that a file's lines can be recorded in, by what headings call them.

    Such a section has a verb that adds an item, or sets the value, by its text alone.
    """
    kinds = [
        kind
        for section in domain.sections
        if section.has_operations
        and not section.is_reported
        and (kind := as_lines(section)) is not None
        and adding(kind) is not None
    ]
    found: dict[str, Editable] = {}
    for names in (_own_names, _usual_names):
        for kind in kinds:
            for name in names(kind):
                found.setdefault(_phrase(name), kind)
    found.pop("", None)  # what has no words names nothing
    return found


def headings_of(domain: Domain[Any]) -> list[str]:
    """Return the titles of the sections that a file's lines can be recorded in.

    >>> from hud_components import CODING
    >>> headings_of(CODING)[:2]
    ['Task', 'Decisions']
    """
    kinds = dict.fromkeys(kinds_by_heading(domain).values())
    return [next(_own_names(kind)).strip() for kind in kinds]


def adding(kind: Editable) -> Add | Set | None:
    """Return the verb that makes an item of a section of its text, or its value."""
    verb = kind.verb(Set) if kind.kind is None else kind.verb(Add)
    if verb is None:
        return None
    fields = kind.arguments(verb).model_fields
    needed = {name for name, info in fields.items() if info.is_required()}
    return verb if kind.text in fields and needed <= {kind.text} else None


def fields_said(entry: Entry) -> Mapping[str, object]:
    """Return what an entry says that the verb takes; its text alone where it says something else besides."""
    kind, row = entry.kind, entry.row
    verb = adding(kind)
    assert verb is not None
    known = kind.section.value.model_fields
    if row.said.keys() <= known.keys():
        said = taken(kind, verb, row, row.place, kind.what)
        if isinstance(said, dict) and not checked(kind, verb, said, row.place, kind.what):
            return {**said, kind.text: entry.text}
    return {kind.text: entry.text}


def marks(session: str) -> tuple[str, str]:
    """Return what stands before a session's HUD in a file, and after it."""
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


def _usual_names(kind: Editable) -> Iterator[str]:
    yield from HEADINGS.get(kind.name, "").split("|")


def _phrase(title: str) -> str:
    """Return a heading's words: in lower case, and without numbers before them, signs and apostrophes.

    >>> _phrase("3. Do's & don'ts 🚫")
    'dos and donts'
    """
    words = _WORDS.findall(re.sub("['’]", "", title).replace("&", " and ").casefold())
    return _NUMBERED.sub("", " ".join(words))


def _row(node: Any, kind: Editable) -> Row | None:
    """Return what an item of a list, or a paragraph, tells of a section."""
    ctx = kind.section.with_texts(_CONTEXT)
    for each in (node, _flat(node)):
        if each is None:
            return None
        if kind.kind is None:
            paragraph: Any = each
            if isinstance(each, mdast.ListItem):
                paragraph = each.children[0] if each.children else None
            is_one = isinstance(paragraph, mdast.Paragraph)
            row = row_of_value(paragraph, kind, ctx) if is_one else None
        else:
            item = each if isinstance(each, mdast.ListItem) else mdast.ListItem(children=(each,))
            row = row_of_item(item, kind, ctx)
        if row is not None and row.told.get(kind.text, "").strip():
            return replace(row, place=SourcePlace.of(node))
    return None


def _flat(node: Any) -> Any:
    """Return an item, or a paragraph, with the text that a reader sees in it; None for other blocks in it."""
    text = _text(node)
    if not text:
        return None
    paragraph = mdast.Paragraph(children=(mdast.Text(text),))
    if isinstance(node, mdast.ListItem):
        return with_fields(node, children=(paragraph,))
    return paragraph


def _text(block: Any) -> str | None:
    """Return a block's text in one line: items that an item holds follow it, parted by semicolons."""
    if isinstance(block, mdast.Paragraph):
        return " ".join(_inline(block.children).split())
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


def _inline(nodes: Sequence[Any]) -> str:
    return "".join(map(_shown, nodes))


def _shown(node: Any) -> str:
    """Return what a reader sees of a node in a line, and where a link leads."""
    if isinstance(node, mdast.InlineCode):
        [typed] = plain((node,))
        return str(typed.value)
    if isinstance(node, mdast.Break):
        return " "
    if isinstance(node, mdast.Image | mdast.ImageReference):
        return str(node.alt or "")
    shown = _inline(node.children) if hasattr(node, "children") else getattr(node, "value", "")
    if isinstance(node, mdast.Link) and not node.url.endswith(shown):
        return f"{shown} ({node.url})"
    return str(shown)


def _line(block: Any) -> int:
    return SourcePlace.of(block).line
