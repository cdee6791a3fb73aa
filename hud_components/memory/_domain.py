"""Memory as a part of domains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from hud_components._coding import CODING
from hud_components.declaring._domain import Domain
from hud_components.declaring._section import HudSection
from hud_components.memory._core import CORE, CoreBlock
from hud_components.memory._working import AgentMemory, WorkingMemory

MEMORY: tuple[type[HudSection], ...] = (*CORE, AgentMemory)
"""The sections of memory: ``CODING.with_sections(*MEMORY)``, or in a domain of your own."""

CODING_MEMORY = CODING.with_sections(*MEMORY, name="coding-memory")
"""The coding HUD with memory. The command takes it as ``--domain hud_components.memory:CODING_MEMORY``."""


def working_memory_of(domain: Domain[Any, Any]) -> type[WorkingMemory[Any]] | None:
    """Return the section of a domain that remembers what was heard; None where it has none."""
    found: Any = next(_of(domain, WorkingMemory), None)
    return cast("type[WorkingMemory[Any]] | None", found)


def blocks_of(domain: Domain[Any, Any]) -> tuple[type[CoreBlock[Any]], ...]:
    """Return the blocks of core memory that a domain has, in its order."""
    found: Any = tuple(_of(domain, CoreBlock))
    return cast("tuple[type[CoreBlock[Any]], ...]", found)


def _of(domain: Domain[Any, Any], kind: Any) -> Iterator[type[HudSection]]:
    return (each for each in domain.sections if issubclass(each, kind) and each.field)
