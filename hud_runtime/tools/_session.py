"""The session as the tools see it, and items with ids, a page at a time."""

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

# Arguments of operations that record nothing; the others take the models of items and events.

PAGE = 30
"""How many items a page has when nobody says."""

LONGEST_PAGE = 100
"""How many it has at most."""


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
        """The numbers of items to pass over and to return, whatever was asked for.

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
    """Return the arguments that name one section of a domain's HUD."""
    literal: Any = Literal  # for type checkers, which know it only in annotations
    names = tuple(name for name, one in domain.fields.items() if one.has_operations)
    field: Any = (literal[names], Field(description="The section."))
    return create_model(
        "Section", __base__=HudModel, __doc__="One section of the HUD.", section=field
    )


@lru_cache(maxsize=1_024)
def taking(draft: type[BaseModel], payload: type[BaseModel]) -> type[BaseModel]:
    """Return a draft that takes what a payload has beyond it, and does not show that in its schema.

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
    """Return the arguments that say all items of a section anew, in ``items`` or under the section's name.

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


# From what a rendering left out to the calls that show exactly that.


def calls_for(omitted: OmittedItems, state: State) -> list[dict[str, Any]]:
    """Return the arguments of ``hud`` calls whose answers show what was left out, and nothing else.

    A page of a list is a run of it, so there is a call for each run of items, and for each hundred.

    :param omitted: an entry of :attr:`ujsx.Rendered.omitted`.
    :param state: the state that was rendered.
    :return: the calls; none where the entry names no items, or the state no longer has them.

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
    """Yield where each run of ascending places starts, and how long it is, at most a page."""
    start = 0
    for end in range(1, len(places) + 1):
        if end == len(places) or places[end] != places[end - 1] + 1 or end - start == LONGEST_PAGE:
            yield places[start], end - start
            start = end


# Items with their ids, a page at a time: what a model needs to name one.


def said(session: SessionLog[Any], name: str, **values: object) -> str:
    """Return a fixed text in the words of the session, filled in.

    :param name: the text's, as in :data:`hud_components.TEXTS`.
    """
    return format_text(context_of(session.known), name, **values)


def listed(
    section: type[HudSection], state: State, page: PageArguments, limit: int = LONGEST_ANSWER
) -> ToolResult:
    """Return a page of a section, oldest first, each item with its id.

    A page ends before the item with which it would have more than ``limit`` characters; its first item
    it always has.

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
"""Characters kept for the line on where a page stands."""


def _within(
    section: type[HudSection], items: tuple[Any, ...], limit: int, ctx: RenderContext
) -> tuple[Any, ...]:
    """The first items that fit, and one at least."""
    values = (value for item in items for value in cast("dict[str, object]", vars(item)).values())
    said = sum(len(value) for value in values if isinstance(value, str))
    if said <= limit // 4:  # whatever has to be escaped in them
        return items
    used = 0
    for place, item in enumerate(items):
        used += len(written(List()[section.listing(item, ctx)], ctx)) + 2
        if used > limit and place:
            return items[:place]
    return items


def none_after(total: int, ctx: RenderContext) -> str:
    """Return what is said of an empty page of a list with so many rows."""
    return format_text(ctx, "answer.none after" if total else "answer.none", count=total)


def paged(rows: Child, skipped: int, last: int, total: int, ctx: RenderContext) -> str:
    """Return rows as Markdown, with a line on where the page stands unless it is all there is."""
    if last - skipped == total:
        return written(rows, ctx)
    place = format_text(ctx, "answer.page", first=skipped + 1, last=last, total=total)
    more: Child = []
    if last < total:
        more = [format_text(ctx, "answer.next"), code("after"), f" {last}"]
    return written(fragment(rows, Paragraph()[place, more]), ctx)


def written(node: Child, ctx: RenderContext | None = None) -> str:
    """Return a node as Markdown, in which no text can pass for structure."""
    return render(fragment(node), context=ctx).rstrip("\n")
