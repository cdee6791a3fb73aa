"""Operations of a child on its parent: it sees what the parent has decided, and hands back results.

Neither changes what the child is: its own state stays as its log tells it. What is seen is what a child or
a session of a project may inherit, and what is handed back is data: an item of the parent's, said by a tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from hud_components import HudModel, HudSection, Line, State, UnreadableNotice
from hud_runtime._errors import EventError
from hud_runtime.tools._lists import written
from hud_runtime.tools._session import ParentSeen, SessionLike
from ujsx import Child, fragment
from ujsx.elements import List, Paragraph, Section, code
from ujsx.errors import did_you_mean, quoted
from ujsx.tools import ToolResult

PARENT = "parent"
"""What the operations begin with."""

NO_PARENT: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        (f"{PARENT}.show", f"{PARENT}.hand_back"),
        "this session has no parent; say it to whoever asked you",
    )
)
"""What is said of the operations in a session that nobody's is the child of."""


class Seen(HudModel):
    """What to see of the parent's."""

    section: Line | None = None
    """One section, such as decisions; all that a child may see when it is not given."""

    new_only: bool = False
    """Only what came since you began."""


class Result(HudModel):
    """What the parent is to know."""

    text: Line
    """What you found or did, in full sentences; it may have several lines."""


def show_parent(session: SessionLike, asked: Seen) -> ToolResult:
    """Return the parent's items that a child may see, as they are now or were when it began."""
    seen = session.parent_seen()
    if asked.new_only and not seen.is_live:
        return ToolResult("Nothing: you see your parent as it was when you began.", data={})
    sections = [*_sections(session, asked.section)]
    parts: list[Child] = []
    data: dict[str, Any] = {"parent": seen.id, "version": seen.version, "live": seen.is_live}
    for section in sections:
        shown = _shown(section, seen, new_only=asked.new_only)
        if shown is not None:
            part, data[section.field] = shown
            parts.append(Section(title=_title(section))[part])
        notice = UnreadableNotice.of_section(section, seen.state)
        if notice is not None and not asked.new_only:
            parts.append(notice)
    when = "now" if seen.is_live else "as it was when you began"
    about = Paragraph()["Your parent ", code(seen.id), f" {when}, at version {seen.version}:"]
    if not parts:
        new = "new " if asked.new_only else ""
        return ToolResult(written(fragment(about, Paragraph()[f"nothing {new}to see."])), data=data)
    return ToolResult(written(fragment(about, *parts)), data=data)


def hand_back(session: SessionLike, said: Result) -> str:
    """Record a result in the parent's session, and say where it went."""
    section, item_id, is_new = session.hand_back(said.text)
    if not is_new:
        return f"Your parent has that already, as {item_id} of its {section}."
    return f"Handed back: {item_id} of your parent's {section}."


def _title(section: type[HudSection]) -> str:
    title: str | None = getattr(section, "title", None)
    return title or section.name


def _sections(session: SessionLike, name: str | None) -> Iterator[type[HudSection]]:
    """Yield the sections that a child may see: those that may be inherited."""
    every = {
        section.name: section
        for section in session.domain.fields.values()
        if section.has_operations and (section.from_parent or section.from_project)
    }
    if name is None:
        yield from every.values()
    elif name in every:
        yield every[name]
    else:
        raise EventError(f"a child does not see {quoted(name)}; {did_you_mean(name, every)}")


def _shown(
    section: type[HudSection], seen: ParentSeen, *, new_only: bool
) -> tuple[Child, object] | None:
    """A section's items as nodes and as data; None where there is nothing to see."""
    found: Any = getattr(seen.state, section.field)
    before: State | None = seen.begun if new_only else None
    if section.kind is None:
        if found is None or (before is not None and found == getattr(before, section.field)):
            return None
        return section.told(found), found.model_dump(mode="json")
    kind = section.kind
    known: set[Any] = set() if before is None else set(getattr(before, section.field))
    items = [item for item in found if kind.is_open(item) and item not in known]
    if not items:
        return None
    rows = List()[[section.listing(item) for item in items]]
    return rows, [item.model_dump(mode="json") for item in items]
