"""The tools for an agent's memory.

In: an agent's calls. Out: operations of the sections in :mod:`hud_components.memory`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import Field, create_model

from hud_components import Domain, Line, UnreadableNotice
from hud_components.declaring import HudModel
from hud_components.memory import (
    CODING_MEMORY,
    WorkingMemory,
    block_name,
    blocks_of,
    fill,
    slot_names,
    working_memory_of,
)
from hud_runtime._errors import EventError, UnknownItemError
from ujsx import Child, DefinitionError, fragment, render
from ujsx.elements import Paragraph, Section, prose
from ujsx.errors import listed, shown
from ujsx.on_demand import on_demand
from ujsx.tools import Operation, ToolResult, Toolset

if TYPE_CHECKING:
    from hud_runtime.session import HudSession

__all__ = ["TOOLS", "memory_toolset"]

on_demand(globals())


# The founding document's memory tools, as aliases of the sections' operations.
#
# Each receives the session with its call, so that the toolset can exist before one, and ``ujsx
# serve --tools hud_runtime.memory:TOOLS`` can serve it.

NAME = "agent_memory"
"""The tool's name where its operations share one."""

DESCRIPTION = (
    "What you keep in mind: core memory (goal, progress, context) is always shown to you and outlives"
    " compaction; working memory fades."
)

NAMED = 5
"""Items that an error lists."""

NAMED_WIDTH = 60
"""Characters of each."""


def memory_toolset(domain: Domain[Any, Any] | None = None) -> Toolset:
    """Return the memory tools of a domain's sessions.

    :param domain: the domain of their blocks and slots; the coding HUD with memory when None.
    :raises DefinitionError: for a domain without memory.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:", domain=CODING_MEMORY) as store:
    ...     session = store.session("s")
    ...     goal = {"block": "goal", "operation": "append", "content": "Add a login."}
    ...     print(memory_toolset().call("core_memory_update", goal, context=session))
    Updated. 12 of 1,000 characters.
    **Goal:** Add a login.
    """
    known = CODING_MEMORY if domain is None else domain
    operations = [*_on_blocks(known), *_on_what_was_heard(known)]
    if not operations:
        raise DefinitionError(
            f"sessions of the domain {shown(known.name)} have no memory that tools could be for; give it"
            " some: with_sections(*MEMORY)"
        )
    return Toolset(operations, name=NAME, description=DESCRIPTION)


def _on_blocks(domain: Domain[Any, Any]) -> list[Operation]:
    names = tuple(map(block_name, blocks_of(domain)))
    if not names:
        return []
    literal: Any = Literal  # for type checkers, which know it only in annotations
    rooms = ", ".join(f"{block_name(each)} {fill(each, None)[1]:,}" for each in blocks_of(domain))
    update = _arguments(
        "CoreMemoryUpdate",
        block=(literal[names], Field(description="Which block.")),
        content=(
            str,
            Field(
                description=f"The text of the block; characters at most: {rooms}. Empty text empties the block."
            ),
        ),
        operation=(
            Literal["replace", "append"],
            Field(
                default="replace",
                description="Replace the whole block, or append a line at its end.",
            ),
        ),
    )
    return [
        _operation(
            "core_memory_update",
            update,
            _update,
            "sets a block that you are always shown, or adds to it",
        ),
        _operation(
            "core_memory_read",
            _arguments("CoreMemoryRead"),
            _read,
            "shows all blocks in full",
            reads=True,
        ),
    ]


def _on_what_was_heard(domain: Domain[Any, Any]) -> list[Operation]:
    section = working_memory_of(domain)
    if section is None:
        return []
    kinds: Any = slot_names(section.slots)
    told = "; ".join(f"{each.name}: {each.doc}, {each.size} at most" for each in section.slots)
    add = _arguments(
        "WorkingMemoryAdd",
        content=(Line, Field(description="What to keep in mind for a while.")),
        slot=(kinds, Field(default="pool", description=f"{told}; pool: all else, which fades.")),
    )
    slot = _arguments("WorkingMemoryClearSlot", slot=(kinds, Field(description="Which kind.")))
    what = _arguments(
        "WorkingMemoryRemove",
        content=(Line, Field(description="Its text, a part of it that no other has, or its id.")),
    )
    none = _arguments("WorkingMemoryClear")
    return [
        _operation("working_memory_add", add, _add, "keeps something in mind for a while"),
        _operation("working_memory_clear", none, _clear, "forgets all; core memory stays"),
        _operation("working_memory_clear_slot", slot, _clear_slot, "forgets all of a kind"),
        _operation("working_memory_remove", what, _remove, "forgets one thing"),
    ]


def _operation(
    name: str, arguments: type[HudModel], function: Any, told: str, *, reads: bool = False
) -> Operation:
    return Operation(name, arguments, function, told, reads=reads, takes_context=True)


def _arguments(name: str, **fields: Any) -> type[HudModel]:
    doc = "The arguments of a tool for memory."
    return create_model(name, __base__=HudModel, __doc__=doc, __module__=__name__, **fields)


# --- What they do ---


def _update(ctx: object, asked: Any) -> ToolResult:
    session = _session(ctx)
    block, content = asked.block, asked.content
    for section in blocks_of(session.domain):
        if block_name(section) == block:
            break
    else:
        raise _lacking(session, f"block {shown(block)}")
    is_empty = not content.strip()
    if asked.operation == "append":
        if is_empty:
            raise EventError(f"there is nothing to append to {block}: the content is empty")
        return _call(session, f"{section.name}.append", text=content)
    if is_empty:
        return _call(session, f"{section.name}.clear")
    used, room = fill(section, getattr(session.state(), section.field))
    if len(content.strip()) > room:
        raise EventError(
            f"the block {block} has {used:,} characters, and would have {len(content.strip()):,}; it"
            f" holds {room:,} at most: say it in fewer"
        )
    return _call(session, f"{section.name}.set", content=content)


def _read(ctx: object, _asked: Any) -> ToolResult:
    session = _session(ctx)
    blocks = blocks_of(session.domain)
    if not blocks:
        raise _lacking(session, "core memory")
    state = session.state()
    parts: list[Child] = []
    data: dict[str, Any] = {}
    for section in blocks:
        value = getattr(state, section.field)
        used, room = fill(section, value)
        name = block_name(section)
        data[name] = {"content": value.content if value else "", "chars": used, "max_chars": room}
        said: Child = Paragraph()["Empty."] if value is None else prose(value.content)
        notice = UnreadableNotice.of_section(section, state)
        parts.append(Section(title=f"{name} ({used:,} of {room:,} characters)")[said, notice])
    return ToolResult(render(fragment(parts)).rstrip("\n"), data=data)


def _add(ctx: object, asked: Any) -> ToolResult:
    session = _session(ctx)
    return _call(
        session, f"{_working_memory(session).name}.add", content=asked.content, slot=asked.slot
    )


def _clear(ctx: object, _asked: Any) -> ToolResult:
    session = _session(ctx)
    return _call(session, f"{_working_memory(session).name}.clear")


def _clear_slot(ctx: object, asked: Any) -> ToolResult:
    session = _session(ctx)
    return _call(session, f"{_working_memory(session).name}.clear_slot", slot=asked.slot)


def _remove(ctx: object, asked: Any) -> ToolResult:
    session = _session(ctx)
    section = _working_memory(session)
    items = getattr(session.state(), section.field)
    return _call(session, f"{section.name}.remove", id=_item_id(items, asked.content))


def _item_id(items: Any, words: str) -> str:
    """Return the id of the one item with this text or id, or else with this part of its text.

    :raises UnknownItemError: for no match, or several.
    """
    exact = [each for each in items if words in (each.content, each.id)]
    found = exact or [each for each in items if words in each.content]
    found = found or [each for each in items if words.casefold() in each.content.casefold()]
    if len(found) == 1:
        return str(found[0].id)
    if not found:
        raise UnknownItemError(f"nothing that is remembered says {shown(words)}")
    named = [shown(f"{each.content[:NAMED_WIDTH]}") for each in found[:NAMED]]
    more = f", and {len(found) - NAMED} more" if len(found) > NAMED else ""
    raise UnknownItemError(
        f"{len(found)} things say {shown(words)}: {'; '.join(named)}{more}; say more of the one that is meant"
    )


def _call(session: HudSession[Any], operation: str, **arguments: object) -> ToolResult:
    given: Mapping[str, object] = {"op": operation, **arguments}
    return session.call("hud", {"call": dict(given)})


def _session(ctx: object) -> HudSession[Any]:
    if ctx is None:
        raise EventError("there is no session here whose memory that could be")
    return cast("HudSession[Any]", ctx)


def _working_memory(session: HudSession[Any]) -> type[WorkingMemory[Any]]:
    section = working_memory_of(session.domain)
    if section is None:
        raise _lacking(session, "working memory")
    return section


def _lacking(session: HudSession[Any], what: str) -> EventError:
    known = [block_name(each) for each in blocks_of(session.domain)]
    has = f"; its blocks are {listed(known)}" if known else ""
    return EventError(
        f"sessions of the domain {shown(session.domain.name)} have no {what}{has}; begin one with memory:"
        " CODING.with_sections(*MEMORY)"
    )


TOOLS: Toolset = memory_toolset()
"""The memory tools for the coding HUD: ``ujsx serve --tools hud_runtime.memory:TOOLS``."""
