"""The tools' view of the session, and pages of items with their ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import AliasChoices, BaseModel, Field, create_model
from pydantic.json_schema import SkipJsonSchema

from hud_components import Domain, HudSection, Line, State, UnreadableNotice
from hud_components.declaring import HudModel
from hud_components.layout import context_of
from hud_components.words import format_text
from ujsx import Child, OmittedItems, RenderContext, fragment, render
from ujsx.components import described_like, fields_of
from ujsx.elements import List, Paragraph, code
from ujsx.tools import LONGEST_ANSWER, ToolResult

if TYPE_CHECKING:
    from hud_runtime.log import SessionLog

# Arguments of operations that record nothing; other operations use the models of items and events.

PAGE = 30
"""Items of a page by default."""

LONGEST_PAGE = 100
"""Items of a page at most."""


class NoArguments(HudModel):
    """No arguments."""


class PageArguments(HudModel):
    """A part of something long."""

    limit: int = PAGE
    """How many at most, up to 100."""

    after: int = 0
    """How many to skip: as many as the pages before had."""

    @property
    def bounds(self) -> tuple[int, int]:
        """The numbers of items to skip and to return, within the limits.

        >>> PageArguments(limit=1_000, after=-1).bounds
        (0, 100)
        """
        return min(max(self.after, 0), 2**53), min(max(self.limit, 1), LONGEST_PAGE)


class SearchArguments(PageArguments):
    """What to look for in the log."""

    query: Line
    """Words that must all occur, in any order; none of them is an operator."""


@lru_cache(maxsize=32)
def section_of(domain: Domain[Any]) -> type[HudModel]:
    """Return the arguments that select one section of a domain's HUD."""
    literal: Any = Literal  # for type checkers, which know it only in annotations
    names = tuple(name for name, one in domain.fields.items() if one.has_operations)
    field: Any = (literal[names], Field(description="The section."))
    return create_model(
        "Section", __base__=HudModel, __doc__="One section of the HUD.", section=field
    )


@lru_cache(maxsize=1_024)
def taking(draft: type[BaseModel], payload: type[BaseModel]) -> type[BaseModel]:
    """Return a draft that also accepts the payload's other fields, without showing them in its schema.

    >>> from hud_components import CODING, NextSteps
    >>> step = taking(NextSteps.draft, CODING.payload("step.add"))
    >>> [*step.model_fields], [*step.model_json_schema()["properties"]]
    (['description', 'id', 'completed'], ['description'])
    """
    own, more = fields_of(draft), fields_of(payload)
    hidden: Any = SkipJsonSchema
    fields: dict[str, Any] = {
        name: (hidden[more[name].annotation], more[name]) for name in more if name not in own
    }
    made = create_model(draft.__name__, __base__=draft, __doc__=draft.__doc__, **fields)
    return described_like(made, payload)


@lru_cache(maxsize=256)
def items_of(domain: Domain[Any], section: type[HudSection]) -> type[HudModel]:
    """Return the arguments that replace all items of a section, in ``items`` or under the section's name.

    >>> from hud_components import CODING, NextSteps
    >>> items_of(CODING, NextSteps).model_validate({"steps": ["Write tests"]}).items
    (StepDraft(description='Write tests', id=None, completed=False),)
    """
    name, draft = section.name, taking(section.draft, domain.replacement(section))
    described = Field(
        validation_alias=AliasChoices("items", name),
        description=f"All {name.replace('_', ' ')} that there are now, in their order.",
    )
    items: Any = tuple
    field: Any = (items[draft, ...], described)
    return create_model("Items", __base__=HudModel, __doc__="All items of a section.", items=field)


class AboutOperation(HudModel):
    """What to tell of."""

    operation: Line | None = None
    """The operation; a line on each when it is not given."""


class CompactArguments(HudModel):
    """Ask the host to compact the conversation at this point."""

    reason: str = Field(default_factory=str)  # so that no request pays for a default
    """Why now."""


# The calls that show the items that a rendering omitted.


def calls_for(omitted: OmittedItems, state: State) -> list[dict[str, Any]]:
    """Return the arguments of ``hud`` calls whose answers show exactly the omitted items.

    A page is a run of consecutive items, so there is a call for each run, and for each hundred items.

    :param omitted: an entry of :attr:`ujsx.Rendered.omitted`.
    :param state: the state that was rendered.
    :return: the calls; none where the entry has no items, or the state no longer has them.

    >>> from hud_components import Hud, HudState, Note
    >>> from ujsx import render_document
    >>> state = HudState(notes=tuple(Note(id=f"n-{n}", content=str(n)) for n in range(9)))
    >>> (omitted,) = render_document(Hud.of(state), density="compact").omitted
    >>> calls_for(omitted, state)
    [{'call': {'op': 'notes.list', 'after': 0, 'limit': 6}}]
    """
    missing = set(omitted.ids)
    calls: list[dict[str, Any]] = []
    for section in state.sections:
        items: Sequence[Any] = getattr(state, section.field) if section.kind else ()
        ids = [getattr(item, "id", None) for item in items]
        for after, limit in _runs([place for place, id_ in enumerate(ids) if id_ in missing]):
            calls.append({"call": {"op": f"{section.name}.list", "after": after, "limit": limit}})
    return calls


def _runs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the start and the length, at most a page, of each run of ascending places."""
    start = 0
    for end in range(1, len(places) + 1):
        if end == len(places) or places[end] != places[end - 1] + 1 or end - start == LONGEST_PAGE:
            yield places[start], end - start
            start = end


# Pages of items with the ids by which models name them.


def said(session: SessionLog[Any], name: str, **values: object) -> str:
    """Return a fixed text in the session's words, filled in.

    :param name: the text's name, as in :data:`hud_components.TEXTS`.
    """
    return format_text(context_of(session.known), name, **values)


def listed(
    section: type[HudSection], state: State, page: PageArguments, limit: int = LONGEST_ANSWER
) -> ToolResult:
    """Return a page of a section, oldest first, each item with its id.

    A page ends before the item that would exceed ``limit`` characters, but has at least one item.

    >>> from hud_components import HudState, Note, NotesSection
    >>> state = HudState(notes=(Note(id="n-2", content="Port 8080"), Note(id="n-3", content="b")))
    >>> print(listed(NotesSection, state, PageArguments(limit=1)))
    - `n-2` Port 8080
    <BLANKLINE>
    1–1 of 2; the next: `after` 1
    """
    items: tuple[Any, ...] = getattr(state, section.field)
    ctx = context_of(state)
    skipped, count = page.bounds
    shown = _within(section, items[skipped : skipped + count], limit - ABOUT_THE_PAGE, ctx)
    notice = UnreadableNotice.of_section(section, state)
    data = {"total": len(items), "items": [item.model_dump(mode="json") for item in shown]}
    if not shown:
        return ToolResult(written(fragment(none_after(len(items), ctx), notice), ctx), data=data)
    rows = fragment(List()[[section.listing(item, ctx) for item in shown]], notice)
    last = skipped + len(shown)
    return ToolResult(paged(rows, skipped, last, len(items), ctx), data=data)


ABOUT_THE_PAGE = 100
"""Characters reserved for the line about the page."""


def _within(
    section: type[HudSection], items: tuple[Any, ...], limit: int, ctx: RenderContext
) -> tuple[Any, ...]:
    """Return the first items that fit, at least one."""
    values = (value for item in items for value in cast("dict[str, object]", vars(item)).values())
    said = sum(len(value) for value in values if isinstance(value, str))
    if said <= limit // 4:  # fits even if every character must be escaped
        return items
    used = 0
    for place, item in enumerate(items):
        used += len(written(List()[section.listing(item, ctx)], ctx)) + 2
        if used > limit and place:
            return items[:place]
    return items


def none_after(total: int, ctx: RenderContext) -> str:
    """Return the answer for an empty page of a list of ``total`` rows."""
    return format_text(ctx, "answer.none after" if total else "answer.none", count=total)


def paged(rows: Child, skipped: int, last: int, total: int, ctx: RenderContext) -> str:
    """Return rows as Markdown, with a line about the page unless it is complete."""
    if last - skipped == total:
        return written(rows, ctx)
    place = format_text(ctx, "answer.page", first=skipped + 1, last=last, total=total)
    more: Child = []
    if last < total:
        more = [format_text(ctx, "answer.next"), code("after"), f" {last}"]
    return written(fragment(rows, Paragraph()[place, more]), ctx)


def written(node: Child, ctx: RenderContext | None = None) -> str:
    """Return a node as Markdown, with its texts escaped."""
    return render(fragment(node), context=ctx).rstrip("\n")
