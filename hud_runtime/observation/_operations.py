"""The operations of the agent's own HUD tool, as events."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from hud_components import CODING, Domain
from hud_runtime.events import EventType
from hud_runtime.tools._operations import ANEW, hud_toolset, is_replaceable
from hud_runtime.tools._standing import STANDINGS

_FORMER: Mapping[str, EventType | None] = MappingProxyType(
    {"title": "session.title", "clear": "section.clear", "section.clear": "section.clear"}
)
"""Operations that the tool no longer has, and transcripts may."""


@lru_cache(maxsize=8)
def operations_of(domain: Domain[Any, Any]) -> Mapping[str, EventType | None]:
    """Return the operations of a domain's tool, each with the type of its event; None where it only reads."""
    own = domain.operations
    return MappingProxyType(
        {
            **{
                name: own[name].type if name in own else None
                for name in hud_toolset(None, domain=domain, layouts=True).operations
            },
            "layout.set": "layout.set",
            "layout.reset": "layout.reset",
            **{name: name for name in STANDINGS},
            **{
                f"{section.name}.{ANEW}": "section.replace"
                for section in domain.tools
                if f"{section.name}.{ANEW}" not in own and is_replaceable(section)
            },
            **_FORMER,
        }
    )


OPERATIONS: Mapping[str, EventType | None] = operations_of(CODING)
"""By the operation's name; None where it only reads."""
