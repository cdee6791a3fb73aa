"""Operations that record an event, and what they answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel

from hud_components import Domain, HudSection, State
from hud_components.declaring import Happening
from hud_components.folding import EMPTY, Add, New, Payload, carrying, duplicate
from hud_components.layout import context_of
from hud_components.words import counted, cut, line
from hud_runtime._errors import EventError
from hud_runtime.events import EventDraft, Validated
from hud_runtime.outbox import Posted
from hud_runtime.secrets import newly_masked
from hud_runtime.tools._arguments import taking
from hud_runtime.tools._lists import said, written
from hud_runtime.tools._session import SessionLike
from ujsx.elements import code


def arguments_of(domain: Domain[Any], happening: Happening) -> type[BaseModel]:
    """Return the model of what a caller of an operation fills in."""
    section: Any = happening.section
    payload = domain.payload(happening.type)
    arguments = happening.verb.arguments_of(section, payload)
    return taking(arguments, New) if issubclass(payload, New) else arguments


def record(session: SessionLike, happening: Happening, arguments: BaseModel) -> str:
    """Record what was asked for, and say what changed; what is known already is not recorded."""
    before = session.latest()
    event_type = happening.type
    try:
        known = _known(before, happening, arguments)
        if known is not None:
            return said(session, "answer.known", id=_inert(known))
        done = session.post_all([EventDraft(event_type, _given(arguments))])
    except EventError as error:
        # A model knows operations; the events behind them are ours.
        raise type(error)(error.message.removeprefix(f"{event_type}: ")) from error
    if isinstance(done, Posted):
        return said(session, "answer.kept")
    [event] = done
    after = session.known
    if after is before:
        return same(session)
    if event.type != event_type:  # it came to something else: a task without words is none
        happening = session.domain.happenings[event.type]
    answer = happening.verb.answer
    if after.look is not None:
        answer = context_of(after).texts.get(f"{happening.operation}.answer", answer)
    told = answered(answer, event.payload)
    also = happening.verb.also
    if also is not None and event.type == event_type:
        field = happening.section.field
        more = also(getattr(before, field), getattr(after, field))
        told = f"{told} {more}" if more else told
    if MASK in event.payload.__pydantic_serializer__.to_json(event.payload):
        told += _masked(session, arguments, event.payload)
    return told


def same(session: SessionLike) -> str:
    """Return what is answered where a call has changed nothing."""
    return said(session, "answer.same")


MASK = b"[secret: "
"""What is in a payload in which something was masked."""


def _masked(session: SessionLike, arguments: BaseModel, recorded: BaseModel) -> str:
    """What an answer adds where a secret was masked."""
    kinds = newly_masked(arguments, recorded)
    return f" {said(session, 'answer.masked', kinds=', '.join(kinds))}" if kinds else ""


def _given(arguments: BaseModel) -> Mapping[str, object]:
    """What a call says. Null says "as it was": a schema in which all is required has no other way.

    An empty text says that there is nothing, where the model of the arguments has it so.
    """
    given = arguments.model_dump(exclude_unset=True)
    filled = arguments.model_dump(exclude_unset=True, exclude_none=True)
    emptied = arguments.emptied if isinstance(arguments, Payload) else None
    if emptied:  # a model of its own, whose null is not that of the payload
        return {
            name: None if name in emptied and value == EMPTY else value
            for name, value in filled.items()
        }
    return Validated(arguments) if filled == given else filled


def clear(session: SessionLike, asked: BaseModel) -> str:
    """Empty a section as a whole."""
    before = session.state()
    event = session.record("section.clear", **asked.model_dump())
    if session.known is before:
        return same(session)
    left = len(getattr(session.known, str(asked.model_dump()["section"]), None) or ())
    stays = f" {said(session, 'answer.stays', count=left)}" if left else ""
    return answered(said(session, "answer.cleared"), event.payload) + stays


def replace_items(section: type[HudSection], session: SessionLike, asked: BaseModel) -> str:
    """Let a section have the items that are given, and no others; known ones keep what is not said of them."""
    before = session.latest()
    if not items_in(asked):
        raise EventError("give at least one item; section.clear empties a section")
    draft = EventDraft("section.replace", {section.field: items_in(asked)})
    if isinstance(session.post_all([draft]), Posted):
        return said(session, "answer.kept")
    if session.known is before:
        return same(session)
    return counted(
        context_of(session.known), "items", len(getattr(session.known, section.field)), "answer.set"
    )


def items_in(asked: Any) -> list[dict[str, Any]]:
    """Return the items of a call that says all of them anew, as data."""
    return [each.model_dump(mode="json", exclude_unset=True) for each in asked.items]


def answered(answer: str, payload: BaseModel) -> str:
    """Return an answer with the name of what it is about in it; one value of a section has no name."""
    name = next(filter(None, (getattr(payload, key, None) for key in _NAMES)), "")
    return (answer if name else answer.replace(" {id}", "")).format(id=_inert(name))


_NAMES = ("id", "path", "section")
"""Fields of payloads that say what an event is about."""


def _inert(name: str) -> str:
    """An id or a path as an answer shows it: whatever is in it, it stays in its place."""
    short = cut(name, LONGEST_NAME)
    return short if _PLAIN.fullmatch(short) else written(code(line(short)))


LONGEST_NAME = 400
"""Characters of an id or a path that an answer repeats; a path that is used is seldom longer."""

_PLAIN = re.compile(r"[\w./:-]*")


def _known(state: State, happening: Happening, new: BaseModel) -> str | None:
    """Return the id of the item that says all that a new one would say."""
    section = happening.section
    if section.kind is None or not isinstance(happening.verb, Add) or happening.verb.renews:
        return None
    items = getattr(state, section.field)
    index = section.kind.index(items)
    same: Any = duplicate(section.kind, index, cast("Any", new))
    carrying(index, items)
    return None if same is None else str(getattr(same, section.kind.key))
