"""A session and a Markdown file kept alike: what a file says is recorded, and what the session says is written into it.

A line of the file is the session's if it has the text of one of its items, or a text that the item once had. So a line whose
item has changed is changed, one whose item is gone is removed, and one that the session never knew is left. Sections
that have a heading in the file are written there; the others between two marks.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hud_components import Actor, Domain, State
from hud_runtime._errors import EventError
from hud_runtime.editing._editable import Editable
from hud_runtime.editing._errors import EditError
from hud_runtime.editing._markdown_file import (
    Entry,
    MarkdownFile,
    Place,
    adding,
    fields_said,
    kinds_by_heading,
    marks,
)
from hud_runtime.events import EventDraft
from ujsx import RenderContext, mdast, render
from ujsx.mdast.util import replace

if TYPE_CHECKING:
    from hud_runtime.session import HudSession

Texts = Mapping[str, Mapping[str, str]]
"""By a section's name, the names of its items by each text that they have or had; "" for a value."""

_INSIDE = RenderContext().deeper()


def drafts_of(
    file: MarkdownFile, session: HudSession[Any], actor: Actor = "tool"
) -> tuple[EventDraft, ...]:
    r"""Return the events that make a session say what a file says, and it never knew.

    :param actor: who said the file's lines. A file may be anybody's, so it is "tool", unless its user vouches for it.

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
    known = texts_of(session)
    new = {
        (entry.kind.name, entry.text): entry
        for entry in reversed(file.entries)
        if entry.part in (None, session.id) and _name_of(entry, known, session) is None
    }
    drafts = [_draft(entry, session.domain, actor) for entry in reversed(new.values())]
    return tuple([draft for draft in drafts if draft is not None])


def _draft(entry: Entry, domain: Domain[Any], actor: Actor) -> EventDraft | None:
    """Return the event of an entry; None for one that is over where no new item can be."""
    verb = adding(entry.kind)
    assert verb is not None
    said = dict(fields_said(entry))
    if entry.row.is_done:
        if entry.kind.done not in verb.payload_of(entry.kind.section).model_fields:
            return None
        said[entry.kind.done] = True
    return EventDraft(domain.operations[entry.kind.operation(verb)].type, said, actor=actor)


def texts_of(session: HudSession[Any]) -> Texts:
    """Return the texts that a session's items have and had, with the names of those items."""
    kinds = {kind.section.event: kind for kind in kinds_by_heading(session.domain).values()}
    found: dict[str, dict[str, str]] = {kind.name: {} for kind in kinds.values()}
    for event in session.events():
        kind = kinds.get(event.type.rpartition(".")[0])
        text = None if kind is None else getattr(event.payload, kind.text, None)
        if kind is not None and isinstance(text, str):
            found[kind.name].setdefault(_in_line(text), getattr(event.payload, "id", ""))
    for kind in kinds.values():
        for name, item in _items(kind, session.state()).items():
            found[kind.name][_text(kind, item)] = name
    return found


def _name_of(entry: Entry, known: Texts, session: HudSession[Any]) -> str | None:
    """Return the name of the item that an entry is, or was; None for one that the session never knew."""
    texts = known[entry.kind.name]
    return next((texts[text] for text in _told(entry, session) if text in texts), None)


def _told(entry: Entry, session: HudSession[Any]) -> list[str]:
    """Return what an entry says as a session could have recorded it, with masks for secrets or without."""
    told = [entry.text, entry.bare]
    with suppress(EventError):  # secrets are refused
        told += [str(session.taken({"text": text})["text"]) for text in told]
    return [_in_line(text) for text in told]


def _items(kind: Editable, state: State) -> Mapping[str, Any]:
    """Return a section's items by their names; its value under ""."""
    value = getattr(state, kind.section.field)
    if kind.kind is None:
        return {} if value is None else {"": value}
    return {getattr(item, kind.kind.key): item for item in value}


def _text(kind: Editable, item: Any) -> str:
    return _in_line(str(getattr(item, kind.text)))


def _in_line(text: str) -> str:
    """Return a text as it is compared: most sections write it in one line, whatever its white space."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Written:
    """A file with a session written into it."""

    text: str
    changed: int
    """How many lines were added, changed and removed under the file's headings."""
    unknown: tuple[Entry, ...]
    """The lines under a section's heading that the session never knew; they stay."""


def written_into(file: MarkdownFile, session: HudSession[Any]) -> Written:
    r"""Return a file's text with what a session says; all other bytes are as they were.

    :raises EditError: if there are lines between the marks that the session does not know: they would be lost.

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


class _Into:
    """Collects what of a file's nodes is replaced, and what is put behind them; then its tree is made once."""

    def __init__(self, file: MarkdownFile, session: HudSession[Any]) -> None:
        self.file = file
        self.document = file.document
        self.session = session
        self.state: State = session.state()
        self.texts = texts_of(session)
        self.changed = 0
        self.unknown: list[Entry] = []
        self._made: dict[str, Any] = {}
        self._instead: dict[int, tuple[Any, ...]] = {}
        self._behind: dict[int, tuple[Any, ...]] = {}
        self._last: tuple[Any, ...] = ()

    def written(self) -> Written:
        kinds = dict.fromkeys(kinds_by_heading(self.session.domain).values())
        apart: list[Any] = []
        for section in self.state.sections:
            kind = next((each for each in kinds if each.section is section), None)
            if kind is None:
                continue
            place = self.file.places.get(kind.name)
            if place is None and any(
                entry.kind is kind and entry.part is None for entry in self.file.entries
            ):
                place = Place(kind, None)
            if place is None:
                apart += self._blocks(section.of_state(self.state))
            else:
                self._write_under(place)
        self._write_apart(apart)
        self._edit()
        return Written(self.document.text, self.changed, tuple(self.unknown))

    def _write_under(self, place: Place) -> None:
        """Make the lines of a section those of the session, where these are known."""
        kind = place.kind
        items = _items(kind, self.state)
        entries = [each for each in self.file.entries if each.kind is kind and each.part is None]
        names = [self._name_of(entry) for entry in entries]
        told = {text for entry in entries for text in _told(entry, self.session)}
        new = [
            item
            for name, item in items.items()
            if name not in names and not self._is_over(kind, item) and _text(kind, item) not in told
        ]
        if new and (kind.kind is not None or not entries):
            self._add(place, new)
        for entry, name in zip(entries, names, strict=True):
            if name is None:
                self.unknown.append(entry)
            elif name in items:
                self._change(entry, items[name])
            else:
                self._instead[id(entry.node)] = ()
                self.changed += 1

    def _name_of(self, entry: Entry) -> str | None:
        return _name_of(entry, self.texts, self.session)

    def _is_over(self, kind: Editable, item: Any) -> bool:
        return kind.done is not None and bool(getattr(item, kind.done))

    def _edit(self) -> None:
        """Give the document its new tree, if anything is another in it."""
        if not (self._instead or self._behind or self._last):
            return
        root = self.document.root
        blocks: list[Any] = []
        for place, block in enumerate(root.children):
            new = self._instead.get(id(block), (block,))
            if isinstance(block, mdast.List):
                items = [
                    each
                    for item in block.children
                    for each in (
                        *self._instead.get(id(item), (item,)),
                        *self._behind.get(id(item), ()),
                    )
                ]
                if not items:
                    new = ()
                elif items != [*block.children]:
                    new = (replace(block, children=tuple(items)),)
            if not new and _parts_lists(root.children[max(place - 1, 0) : place + 2]):
                new = (mdast.Html("<!-- -->"),)
            blocks += [*new, *self._behind.get(id(block), ())]
        self.document.replace(root, replace(root, children=(*blocks, *self._last)))

    # --- Lines ------------------------------------------------------------------------------------

    def _change(self, entry: Entry, item: Any) -> None:
        """Have a line say what its item says, if it says something else."""
        kind = entry.kind
        text, is_over = _text(kind, item), self._is_over(kind, item)
        is_same = text in _told(entry, self.session)
        if is_same and is_over == entry.row.is_done:
            return
        box = entry.node.checked if isinstance(entry.node, mdast.ListItem) else None
        if is_same and box is not None:
            self._instead[id(entry.node)] = (replace(entry.node, checked=is_over),)
        else:
            if (words := str(getattr(item, kind.text))).startswith(entry.under):
                item = item.model_copy(update={kind.text: words.removeprefix(entry.under)})
            first, *rest = self._line(kind, item, entry.node) or (None,)
            placed = () if first is None else (replace(first, position=entry.node.position),)
            self._instead[id(entry.node)] = (*placed, *rest)
        self.changed += 1

    def _add(self, place: Place, items: list[Any]) -> None:
        listed = [each for each in place.entries if isinstance(each.node, mdast.ListItem)]
        kind = place.kind
        if place.last is None:  # lines without a heading
            listed = [each for each in self.file.entries if each.kind is kind and each.part is None]
        self.changed += len(items)
        like = listed[-1].node if listed else None if kind.kind is None else mdast.ListItem()
        lines = [line for item in items for line in self._line(kind, item, like)]
        if listed or kind.kind is None:
            self._behind[id(like or place.last)] = tuple(lines)
        elif lines:
            self._behind[id(place.last)] = (mdast.List(children=tuple(lines)),)

    def _line(self, kind: Editable, item: Any, like: Any) -> tuple[Any, ...]:
        """Return an item, or a value, as the section writes it: an item of a list, or paragraphs; nothing
        for an item that it does not show.

        :param like: what it takes the place of, or follows.
        """
        is_boxed = isinstance(like, mdast.ListItem) and like.checked is not None
        is_over = self._is_over(kind, item)
        if is_boxed and is_over:
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
        """Return the blocks of a section with its heading, with nothing left out."""
        if section is None:
            return ()
        whole = section.model_copy(update={"limit": sys.maxsize})
        return mdast.from_markdown(render(whole, context=_INSIDE)).children

    # --- Between marks ----------------------------------------------------------------------------

    def _write_apart(self, blocks: list[Any]) -> None:
        part = self.file.parts.get(self.session.id)
        if part is None:
            if blocks:
                begin, end = map(mdast.Html, marks(self.session.id))
                self._last = (begin, *blocks, end)
            return
        for entry in self.file.entries:
            if entry.part == part.session and self._name_of(entry) is None:
                raise EditError(
                    f"line {entry.line}: {entry.text!r} is between the marks, which the HUD replaces, "
                    "and the session does not know it; import the file first, or move the line"
                )
        if tuple(blocks) == tuple(part.between):
            return
        self._instead |= {id(each): () for each in part.between}
        self._behind[id(part.begin)] = tuple(blocks)


def _parts_lists(blocks: Sequence[Any]) -> bool:
    """Tell whether the middle one of three blocks stands between lists that would be one without it."""
    match blocks:
        case (mdast.List() as before, _, mdast.List() as after):
            return before.ordered == after.ordered
        case _:
            return False
