"""Operations that read: the task, the whole state, the log."""

from __future__ import annotations

from itertools import islice

from hud_components import Actor, HudSection, UnreadableNotice
from hud_components.layout import context_of
from hud_components.words import cut, format_text, line
from hud_runtime.projection import story
from hud_runtime.store import Hit
from hud_runtime.tools._arguments import Nothing, Page, Search
from hud_runtime.tools._lists import paged, said, written
from hud_runtime.tools._session import SessionLike
from ujsx import Child, RenderContext, fragment
from ujsx.elements import Item, List, Paragraph, code, em
from ujsx.tools import ToolResult

EVERYTHING = 2**31
"""Tokens: a budget under which every section shows all it has."""

EVENT_WIDTH = 160
"""Characters of an event's text in a listing, as in a compact HUD."""


def value(section: type[HudSection], session: SessionLike, _arguments: Nothing) -> ToolResult:
    """Return the value of a section, such as the task."""
    state = session.state()
    found = getattr(state, section.field)
    ctx = context_of(state)
    nothing = format_text(ctx, "answer.no value", section=section.name.replace("_", " "))
    told = nothing if found is None else section.told(found, ctx)
    data = None if found is None else found.model_dump(mode="json")
    notice = UnreadableNotice.of_section(section, state)
    return ToolResult(written(fragment(told, notice), ctx), data=data)


def snapshot(session: SessionLike, _arguments: Nothing) -> ToolResult:
    """Return the whole state, nothing left out."""
    state = session.state()
    text = session.hud(budget=EVERYTHING, agent_layout=False, pins=False).text.rstrip("\n")
    nothing = "answer.nothing yet" if session.version <= 1 else "answer.nothing left"
    return ToolResult(
        text or said(session, nothing), data=state.model_dump(mode="json", exclude={"look"})
    )


def history(session: SessionLike, page: Page) -> ToolResult:
    """Return what happened and what it changed, the newest first."""
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


def search(session: SessionLike, asked: Search) -> ToolResult:
    """Return the events that say all words of the query, the best first."""
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


def _source(session: SessionLike, event_type: str, actor: Actor, ctx: RenderContext) -> Child:
    """Who said it, where the event's section keeps that and nobody would expect them to."""
    happening = session.domain.happenings.get(event_type)
    if happening is None or not happening.section.is_sourced:
        return None
    if actor in happening.section.value.expected_from:
        return None
    return [" ", em(format_text(ctx, f"source.{actor}"))]


def _is_sourced(session: SessionLike, event_type: str) -> bool:
    happening = session.domain.happenings.get(event_type)
    return happening is not None and happening.section.is_sourced
