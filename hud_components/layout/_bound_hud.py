"""A HUD that is given its state: ``Hud(state=state)``."""

from __future__ import annotations

from typing import Any

from pydantic import SerializeAsAny

from hud_components._models import usage_of
from hud_components.declaring._state import State
from hud_components.folding import with_sections
from hud_components.layout._hud import OF_USAGE, Hud, state_in
from ujsx import Child, Children, RenderContext
from ujsx.calls import READING, resolving


class BoundHud(Hud):
    """A HUD of a state that it is given, whatever state is bound around it."""

    state: SerializeAsAny[State]
    """The state that its sections show."""

    @resolving(usage_=READING, usage=OF_USAGE)
    def __init__(
        self,
        state: object,
        usage: object = None,
        title: str | None = None,
        *,
        rules: bool = True,
    ) -> None:
        known, reading = state_in(state), usage_of(usage)
        if reading is not None:
            known = with_sections(known, usage=reading)
        props: dict[str, Any] = {"state": known, "title": title, "rules": rules}
        super().__init__(**props)

    def provide(self, ctx: RenderContext) -> RenderContext:
        return ctx.with_value(self.state)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return super().render(self.provide(ctx), children)


BoundHud.__name__ = BoundHud.__qualname__ = Hud.__name__  # as nothing else tells them apart
