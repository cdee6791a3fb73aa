"""Operations of a child on its parent: it sees what the parent has decided, and hands back results.

Neither changes what the child is: its own state stays as its log tells it. What is seen is what a child or
a session of a project may inherit, and what is handed back is data: an item of the parent's, said by a tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from hud_components import HudModel, HudSection, Line, State, UnreadableNotice
from hud_components.layout import context_of
from hud_components.words import format_text
from hud_runtime._errors import EventError
from hud_runtime.tools._lists import said, written
from hud_runtime.tools._session import ParentSeen, SessionLike
from ujsx import Child, RenderContext, fragment
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
        return ToolResult(said(session, "answer.parent not live"), data={})
    ctx = context_of(session.known)
    sections = [*_sections(session, asked.section)]
    parts: list[Child] = []
    data: dict[str, Any] = {"parent": seen.id, "version": seen.version, "live": seen.is_live}
    for section in sections:
        shown = _shown(section, seen, ctx, new_only=asked.new_only)
        if shown is not None:
            part, data[section.field] = shown
            parts.append(Section(title=_title(section, ctx))[part])
        notice = UnreadableNotice.of_section(section, seen.state)
        if notice is not None and not asked.new_only:
            parts.append(notice)
    when = "answer.parent now" if seen.is_live else "answer.parent begun"
    at = format_text(ctx, when, version=seen.version)
    about = Paragraph()[format_text(ctx, "answer.parent"), code(seen.id), at]
    if not parts:
        nothing = "answer.parent nothing new" if asked.new_only else "answer.parent nothing"
        parts = [Paragraph()[format_text(ctx, nothing)]]
    return ToolResult(written(fragment(about, *parts), ctx), data=data)


def hand_back(session: SessionLike, result: Result) -> str:
    """Record a result in the parent's session, and say where it went."""
    section, item_id, is_new = session.hand_back(result.text)
    name = "answer.handed back" if is_new else "answer.handed before"
    return said(session, name, id=item_id, section=section)


def _title(section: type[HudSection], ctx: RenderContext) -> str:
    title: str | None = ctx.texts.get(f"{section.name}.title", getattr(section, "title", None))
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
    section: type[HudSection], seen: ParentSeen, ctx: RenderContext, *, new_only: bool
) -> tuple[Child, object] | None:
    """A section's items as nodes and as data; None where there is nothing to see."""
    found: Any = getattr(seen.state, section.field)
    before: State | None = seen.begun if new_only else None
    if section.kind is None:
        if found is None or (before is not None and found == getattr(before, section.field)):
            return None
        return section.told(found, ctx), found.model_dump(mode="json")
    kind = section.kind
    known: set[Any] = set() if before is None else set(getattr(before, section.field))
    items = [item for item in found if kind.is_open(item) and item not in known]
    if not items:
        return None
    rows = List()[[section.listing(item, ctx) for item in items]]
    return rows, [item.model_dump(mode="json") for item in items]
