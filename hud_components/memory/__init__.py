"""Memory: blocks that an agent maintains, and recent observations; sections like all others.

In: events of an agent's tools, and of observers. Out: sections, and the same as tagged blocks.
``CODING.with_sections(*MEMORY)`` is the coding HUD with memory, :data:`CODING_MEMORY` the same by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_components.memory._blocks import CODING_MEMORY as CODING_MEMORY
    from hud_components.memory._blocks import MEMORY as MEMORY
    from hud_components.memory._blocks import ContextText as ContextText
    from hud_components.memory._blocks import CoreBlock as CoreBlock
    from hud_components.memory._blocks import CoreContext as CoreContext
    from hud_components.memory._blocks import CoreGoal as CoreGoal
    from hud_components.memory._blocks import CoreProgress as CoreProgress
    from hud_components.memory._blocks import GoalText as GoalText
    from hud_components.memory._blocks import ProgressText as ProgressText
    from hud_components.memory._blocks import TaggedMemory as TaggedMemory
    from hud_components.memory._blocks import TaggedText as TaggedText
    from hud_components.memory._blocks import block_name as block_name
    from hud_components.memory._blocks import blocks_of as blocks_of
    from hud_components.memory._blocks import fill as fill
    from hud_components.memory._blocks import read_tags as read_tags
    from hud_components.memory._blocks import tagged_memory as tagged_memory
    from hud_components.memory._blocks import working_memory_of as working_memory_of
    from hud_components.memory._working import DECAY as DECAY
    from hud_components.memory._working import FORGOTTEN as FORGOTTEN
    from hud_components.memory._working import POOL as POOL
    from hud_components.memory._working import SLOTS as SLOTS
    from hud_components.memory._working import AgentMemory as AgentMemory
    from hud_components.memory._working import MemoryItem as MemoryItem
    from hud_components.memory._working import Slot as Slot
    from hud_components.memory._working import WorkingMemory as WorkingMemory
    from hud_components.memory._working import ages as ages
    from hud_components.memory._working import is_fading as is_fading
    from hud_components.memory._working import score as score
    from hud_components.memory._working import slot_names as slot_names
    from hud_components.memory._working import working_memory as working_memory

on_demand(globals())
__all__ = [
    "CODING_MEMORY",
    "MEMORY",
    "SLOTS",
    "AgentMemory",
    "CoreBlock",
    "CoreContext",
    "CoreGoal",
    "CoreProgress",
    "Slot",
    "TaggedMemory",
    "read_tags",
    "tagged_memory",
    "working_memory",
]
