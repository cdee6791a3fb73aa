"""Sections that only show: what other sections and the facts of the session come to."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from hud_components._models import ContextUsage
from hud_components.declaring._section import HudSection
from hud_components.declaring._state import FACTS, State
from ujsx import DefinitionError
from ujsx.errors import did_you_mean, shown


class View(HudSection):
    """A section without a value and without verbs: it is made of what others have.

    It says what that is, in ``reads``; ``render`` finds the bound state with
    ``ctx.get(State)``. It is shown where it renders to something.
    """

    reads: ClassVar[tuple[type[HudSection] | str, ...]] = ()
    """The sections, and the facts by name ("session", "usage" …), that it is made of."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if cls.verbs or cls.on:
            raise DefinitionError(
                f"{cls.__name__}: a view has no value that something could happen to; make it an "
                "ItemsSection or a ValueSection, or leave verbs out"
            )
        for each in cls.reads:
            if isinstance(each, str) and each not in FACTS:
                raise DefinitionError(
                    f"{cls.__name__}.reads: there is no fact {shown(each)};"
                    f" {did_you_mean(each, FACTS)}"
                )

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        return cls()
