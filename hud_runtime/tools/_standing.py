"""Operations that pin a section open, or fold it, so that it stays so until they take it back."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from hud_components import Domain, FactEvent, HudModel, Line
from hud_runtime._errors import EventError
from hud_runtime.tools._lists import said
from hud_runtime.tools._record import same
from hud_runtime.tools._session import SessionLike


class Named(HudModel):
    """One section of the HUD."""

    section: Line
    """The section, by its name."""


STANDINGS: Mapping[FactEvent, str] = MappingProxyType(
    {
        "section.pin": "a section open: shown in full until it is folded or reset",
        "section.fold": "a section: only the count of its items is shown",
        "section.reset": "a section: take back its pin or fold",
    }
)
"""What help says of each."""


def stand(event_type: FactEvent, session: SessionLike, asked: Named) -> str:
    """Pin a section, fold it, or take either back."""
    before = session.state()
    try:
        event: Any = session.record(event_type, section=asked.section)
    except EventError as error:  # a model knows operations; the events behind them are ours
        raise type(error)(error.message.removeprefix(f"{event_type}: ")) from error
    if session.known is before:
        return same(session)
    section = session.domain.fields[event.payload.section]
    call = _call_of(session.domain, event.payload.section)
    verb, name = event_type.rpartition(".")[2], section.name.replace("_", " ")
    return said(session, f"answer.{verb}", section=name, call=call)


def _call_of(domain: Domain[Any], field: str) -> str:
    """The operation that shows all of a section."""
    section = domain.fields[field]
    if not section.has_operations:
        return "snapshot"
    return f"{section.name}.{'get' if section.kind is None else 'list'}"
