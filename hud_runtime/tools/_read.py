"""Operations that read: the state, the log, the parent, and whole tool outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import islice
from types import MappingProxyType
from typing import Any

from hud_components import HudSection, Line, State, UnreadableNotice
from hud_components.declaring import Actor, HudModel
from hud_components.layout import context_of
from hud_components.words import cut, format_text, line
from hud_runtime._errors import EventError, UnknownItemError
from hud_runtime.log import ParentSeen, ToolSession
from hud_runtime.log.projection import story
from hud_runtime.log.store import Hit
from hud_runtime.tools._session import (
    NoArguments,
    PageArguments,
    SearchArguments,
    paged,
    said,
    written,
)
from ujsx import Child, RenderContext, fragment
from ujsx.elements import Item, List, Paragraph, Section, code, em
from ujsx.errors import did_you_mean, quoted
from ujsx.tools import ToolResult

# Operations of a child on its parent: read the parent's decisions, and hand back results.
#
# Neither changes the child's own state. A child sees the sections that it may inherit. A result
# becomes an item of the parent's, recorded by a tool.

PARENT = "parent"
"""The prefix of the operations."""

NO_PARENT: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        (f"{PARENT}.show", f"{PARENT}.hand_back"),
        "this session has no parent; say it to whoever asked you",
    )
)
"""The answer of the operations in a session without a parent."""


class ParentArguments(HudModel):
    """What to see of the parent's."""

    section: Line | None = None
    """One section, such as decisions; all that a child may see when it is not given."""

    new_only: bool = False
    """Only what came since you began."""


class Result(HudModel):
    """What the parent is to know."""

    text: Line
    """What you found or did, in full sentences; it may have several lines."""


def show_parent(session: ToolSession[Any], asked: ParentArguments) -> ToolResult:
    """Return the parent's items that a child may see, as of now or of the child's start."""
    seen = session.parent_seen()
    if asked.new_only and not seen.is_live:
        return ToolResult(said(session, "answer.parent not live"), data={})
    ctx = context_of(session.known)
    sections = [*_sections(session, asked.section)]
    parts: list[Child] = []
    data: dict[str, Any] = {"parent": seen.id, "version": seen.version, "live": seen.is_live}
    for section in sections:
        shown = _section_view(section, seen, ctx, new_only=asked.new_only)
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


def hand_back(session: ToolSession[Any], result: Result) -> str:
    """Record a result in the parent's session, and return its place."""
    section, item_id, is_new = session.hand_back(result.text)
    name = "answer.handed back" if is_new else "answer.handed before"
    return said(session, name, id=item_id, section=section)


def _title(section: type[HudSection], ctx: RenderContext) -> str:
    title: str | None = ctx.texts.get(f"{section.name}.title", getattr(section, "title", None))
    return title or section.name


def _sections(session: ToolSession[Any], name: str | None) -> Iterator[type[HudSection]]:
    """Yield the sections that a child may see: those that can be inherited."""
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


def _section_view(
    section: type[HudSection], seen: ParentSeen, ctx: RenderContext, *, new_only: bool
) -> tuple[Child, object] | None:
    """Return a section's items as nodes and as data; None if there are none."""
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


EVERYTHING = 2**31
"""Tokens: a budget at which every section shows everything."""

EVENT_WIDTH = 160
"""Characters of an event's text in a listing, as in a compact HUD."""


def value(
    section: type[HudSection], session: ToolSession[Any], _arguments: NoArguments
) -> ToolResult:
    """Return the value of a section, such as the task."""
    state = session.state()
    found = getattr(state, section.field)
    ctx = context_of(state)
    nothing = format_text(ctx, "answer.no value", section=section.name.replace("_", " "))
    told = nothing if found is None else section.told(found, ctx)
    data = None if found is None else found.model_dump(mode="json")
    notice = UnreadableNotice.of_section(section, state)
    return ToolResult(written(fragment(told, notice), ctx), data=data)


def snapshot(session: ToolSession[Any], _arguments: NoArguments) -> ToolResult:
    """Return the whole state, without omissions, and a blank line before the status line."""
    state = session.state()
    text = session.hud(budget=EVERYTHING, agent_layout=False, pins=False).text
    nothing = "answer.nothing yet" if session.version <= 1 else "answer.nothing left"
    return ToolResult(
        text or said(session, nothing), data=state.model_dump(mode="json", exclude={"look"})
    )


def history(session: ToolSession[Any], page: PageArguments) -> ToolResult:
    """Return the events and their changes, newest first."""
    ctx = context_of(session.refresh())
    total = session.version
    skipped, limit = page.bounds
    newest = max(total - skipped, 0)
    oldest = max(newest - limit, 0)
    before = session.state(oldest) if oldest else session.domain.state()
    told = [*story(islice(session.events(after=oldest), newest - oldest), before, session.domain)]
    told.reverse()
    events = [event for event, _ in told]
    data = {"total": total, "events": [each.model_dump(mode="json") for each in events]}
    if not events:
        return ToolResult(format_text(ctx, "answer.none after", count=total), data=data)
    rows = List()[
        [
            Item()[
                code(f"{e.version}"), f" t{e.turn} {words}", _source(session, e.type, e.actor, ctx)
            ]
            for e, words in told
        ]
    ]
    return ToolResult(paged(rows, skipped, skipped + len(events), total, ctx), data=data)


def search(session: ToolSession[Any], asked: SearchArguments) -> ToolResult:
    """Return the events that contain all words of the query, best first."""
    skipped, limit = asked.bounds
    hits = session.search(asked.query, limit=limit + 1, after=skipped)
    more, hits = len(hits) > limit, hits[:limit]
    data = {
        "more": more,
        "hits": [
            {"version": each.version, "type": each.type, "text": each.snippet}
            | ({"actor": each.actor} if _is_sourced(session, each.type) else {})
            for each in hits
        ],
    }
    if not hits:
        nothing = "answer.none after" if skipped else "answer.not found"
        return ToolResult(said(session, nothing, count=skipped), data=data)
    ctx = context_of(session.known)
    rows: Child = List()[
        [Item()[_hit(each), _source(session, each.type, each.actor, ctx)] for each in hits]
    ]
    behind: Child = [code("after"), f" {skipped + limit}"]
    next_page = Paragraph()[format_text(ctx, "answer.more"), behind] if more else None
    return ToolResult(written([rows, next_page], ctx), data=data)


def _hit(hit: Hit) -> Child:
    text = cut(line(hit.snippet), EVENT_WIDTH)
    return [code(f"{hit.version}"), f" {hit.type}", text and f": {text}"]


def _source(session: ToolSession[Any], event_type: str, actor: Actor, ctx: RenderContext) -> Child:
    """Return an event's actor, where its section stores that and the actor is unusual."""
    section_event = session.domain.section_events.get(event_type)
    if section_event is None or not section_event.section.is_sourced:
        return None
    if actor in section_event.section.value.expected_from:
        return None
    return [" ", em(format_text(ctx, f"source.{actor}"))]


def _is_sourced(session: ToolSession[Any], event_type: str) -> bool:
    section_event = session.domain.section_events.get(event_type)
    return section_event is not None and section_event.section.is_sourced


# A tool output that was shown in part: all of it, or some lines.

WHOLE = 100_000
"""Characters of an output in one answer, about 25,000 tokens; a longer one comes in parts."""

_NAME = re.compile(
    r"[\s`#]*(?:hud +)?(?:output +)?(o-[\da-f]+|[^\s`:,]+)[`:,]*(?:[ \t]+(?:lines? +)?(.*))?"
)
_LINES = re.compile(r"[ \t]*(\d{1,12})(?:[ \t]*(?:-|–|…|\.\.+|:|to)[ \t]*(\d{1,12})?)?[`\s]*")


class WhichOutput(HudModel):
    """A tool's output that was cut."""

    id: Line
    """The id of the output, such as o-1a2b3c: it stands where the output was cut."""

    lines: Line | None = None
    """The lines to show, such as 31-442; all lines when it is not given."""


def show_output(session: ToolSession[Any], asked: WhichOutput) -> ToolResult:
    """Return a tool's original output, or some lines of it."""
    match = _NAME.fullmatch(asked.id.strip())
    name, behind = match.groups() if match else (asked.id, None)
    found = session.output(name)
    if found is None:
        kept = {each.id: each for each in session.outputs()}
        hint = did_you_mean(name, kept) if kept else "no output was kept in this session"
        raise UnknownItemError(f"there is no output {quoted(name)}; {hint}")
    if found.text is None:
        raise UnknownItemError(
            f"the output {name} was swept, as old ones are; call {found.tool or 'the tool'} again"
        )
    data = {**asdict(found), "lines_shown": None}
    text, wanted = found.text, asked.lines or behind
    if wanted and wanted.strip():
        first, last = _bounds(wanted, found.lines)
        text = "".join(_lines(text)[first - 1 : last])
        data |= {"text": text, "lines_shown": [first, last]}
    return ToolResult(text, data=data)


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [*(f"{each}\n" for each in parts[:-1]), *parts[-1:]]


def _bounds(wanted: str, count: int) -> tuple[int, int]:
    match = _LINES.fullmatch(wanted)
    if match is None:
        raise UnknownItemError(f'lines are "31-442", or one number, not {quoted(wanted)}')
    first = int(match[1])
    last = int(match[2] or first)
    if not 1 <= first <= min(last, count):
        raise UnknownItemError(f"the output has the lines 1-{count}; {quoted(wanted)} are none")
    return first, min(last, count)
