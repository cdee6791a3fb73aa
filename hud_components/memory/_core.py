"""Core memory: a few blocks of text, and memory as a part of domains."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Generic, cast

from pydantic import Field

from hud_components._coding import CODING
from hud_components._models import HudValue, Line
from hud_components.declaring._domain import Domain
from hud_components.declaring._lines import Lines
from hud_components.declaring._section import UNSET, HudSection, ValueProp
from hud_components.declaring._value_section import ValueSection, ValueT
from hud_components.folding import Append, Clear, Set, Verb, room_of, text_field
from hud_components.memory._working import AgentMemory, WorkingMemory
from ujsx import Examples
from ujsx.components import settled


def fill(section: Any, value: Any) -> tuple[int, int]:
    """Return how many characters a block has, and how many it holds.

    >>> fill(CoreGoal, GoalText(content="Add a login."))
    (12, 1000)
    """
    field = text_field(section)
    return len(getattr(value, field, "")), room_of(section.value, field) or 0


def _told(model: type[HudValue]) -> Any:
    """What an answer says besides: how full a block is now."""

    def told(_before: Any, after: Any) -> str:
        if after is None:
            return ""
        return f"{len(after.content):,} of {room_of(model, 'content') or 0:,} characters."

    return told


def _verbs(model: type[HudValue]) -> tuple[str | Verb, ...]:
    """What can happen to a block."""
    told = _told(model)
    return (
        Set("set", help="the whole block", answer="Set.", told="{section} set: {said}", also=told),
        Append(
            "append",
            help="a line to it",
            answer="Updated.",
            told="{section} says more: {said}",
            also=told,
        ),
        Clear("clear", help="it", answer="Cleared.", told="{section} cleared"),
    )


@settled
class CoreBlock(ValueSection[ValueT], Generic[ValueT]):
    """A block of core memory: always shown, its lines kept in full, and never longer than it may be.

    A block of one's own says its model, whose one field is a text with a length, and its verbs.

    >>> from hud_components import CODING
    >>> class PersonaText(HudValue):
    ...     content: Annotated[Line, Field(max_length=300)]
    >>> class Persona(CoreBlock[PersonaText]):
    ...     name = "core_persona"
    ...     title = "Persona"
    ...     lines = {"full": "{content}"}
    >>> [name for name in CODING.with_sections(Persona).operations if name.startswith("core")]
    ['core_persona.set', 'core_persona.append', 'core_persona.clear']
    """

    keeps_lines: ClassVar[bool] = True
    lines: ClassVar[Lines] = MappingProxyType({"full": "{content}"})
    verbs: ClassVar[tuple[str | Verb, ...]] = ("set", "append", "clear")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if cls.value is not None and "verbs" not in vars(cls):
            cls.verbs = _verbs(cls.value)
        super().__pydantic_init_subclass__(**kwargs)


class GoalText(HudValue):
    """What the session is to reach."""

    content: Annotated[Line, Field(max_length=1_000)]
    """One specific aim, in at most 1,000 characters."""


class CoreGoal(CoreBlock[GoalText]):
    """What the session is to reach."""

    name = "core_goal"
    title = "Goal"
    noun = "goal"

    examples: ClassVar[Examples] = lambda: {
        "usual": CoreGoal(core_goal="Let users sign in with short-lived tokens"),
    }

    core_goal: ValueProp[GoalText] = UNSET
    """The goal; that of the session when None."""


class ProgressText(HudValue):
    """What is done, what is in work, what is blocked."""

    content: Annotated[Line, Field(max_length=2_000)]
    """A checklist of what is done, in progress and blocked, in at most 2,000 characters."""


class CoreProgress(CoreBlock[ProgressText]):
    """What is done, what is in work, what is blocked."""

    name = "core_progress"
    title = "Progress"
    noun = "progress"

    examples: ClassVar[Examples] = lambda: {
        "usual": CoreProgress(core_progress="Done: the schema. In progress: the middleware."),
    }

    core_progress: ValueProp[ProgressText] = UNSET
    """The progress; that of the session when None."""


class ContextText(HudValue):
    """What the work relies on."""

    content: Annotated[Line, Field(max_length=1_500)]
    """The files in work and the patterns that hold, in at most 1,500 characters."""


class CoreContext(CoreBlock[ContextText]):
    """What the work relies on: the files in work and the patterns that hold."""

    name = "core_context"
    title = "Working context"
    noun = "working context"

    examples: ClassVar[Examples] = lambda: {
        "usual": CoreContext(core_context="src/auth/tokens.py; errors are returned, not raised"),
    }

    core_context: ValueProp[ContextText] = UNSET
    """The context; that of the session when None."""


CORE: tuple[type[CoreBlock[Any]], ...] = (CoreGoal, CoreProgress, CoreContext)
"""The blocks of the founding document, in its order."""


def block_name(section: type[CoreBlock[Any]]) -> str:
    """Return what a block is called in the tools and in its tag: ``core_goal`` is the block ``goal``."""
    return section.name.removeprefix("core_")


# Memory as a part of domains.

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
