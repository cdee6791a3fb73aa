"""Memory as a part of domains."""

from __future__ import annotations

from typing import Any

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
    sections: tuple[Any, ...] = domain.sections
    return next(
        (each for each in sections if issubclass(each, WorkingMemory) and each.field), None
    )


def blocks_of(domain: Domain[Any, Any]) -> tuple[type[CoreBlock[Any]], ...]:
    """Return the blocks of core memory that a domain has, in its order."""
    sections: tuple[Any, ...] = domain.sections
    return tuple(each for each in sections if issubclass(each, CoreBlock) and each.field)
