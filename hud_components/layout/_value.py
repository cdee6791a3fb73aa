"""A value of the state, as text in a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from hud_components.declaring._form import whence
from hud_components.declaring._values import WRITTEN, as_text
from hud_components.layout._bound import Bound, path_errors
from hud_components.layout._paths import (
    BindingError,
    Kinds,
    Path,
    holder_at,
    is_any,
    items_in,
    kinds_at,
    named,
    steps_from,
    value_at,
)
from ujsx import Child, Children, ContentModel, RenderContext
from ujsx.elements import code, em
from ujsx.errors import listed


class Value(Bound):
    r"""Shows a value of the state, or of the current item, as text; nothing where there is none.

    A number has one decimal at most; dates and times are as ISO 8601 has them. Of a list it shows how
    many items there are. What is not the agent's own says so.

    >>> from ujsx import RenderContext, render
    >>> from hud_components import HudState, Task
    >>> state = HudState(task=Task(description="Add *login*"))
    >>> print(render(Value(of="task.description"), context=RenderContext().with_value(state)), end="")
    Add \*login\*
    """

    content_model = ContentModel(("phrasing",))
    takes_children: ClassVar[bool] = False

    of: Path
    """Where the value is: names of fields with dots between them, "." for the current item."""

    code: bool = False
    """Whether it is shown as code."""

    def bindings(self, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
        wrong = [*path_errors("of", self.of, scopes)]
        yield from wrong
        if wrong:
            return
        kinds = kinds_at(scopes, self.of)
        if items_in(kinds) is not None or is_any(kinds, *WRITTEN):
            if kinds == (bool,):
                message = f'"{self.of}" is yes or no; ask for it: <When has="{self.of}">'
                yield BindingError(message, prop="of")
            return
        fields = list(steps_from(kinds))
        advice = (
            f"name one of its fields: {listed(fields)}" if fields else "no line shows such a value"
        )
        yield BindingError(f'"{self.of}" is {named(kinds)}; {advice}', prop="of")

    def render(self, ctx: RenderContext, children: Children) -> Child:
        scopes = self.scopes(ctx)
        text = _text(value_at(scopes, self.of))
        if not text:
            return None
        source = whence(ctx, holder_at(scopes, self.of))
        return [code(text) if self.code else text, source and [" ", em(source)]]


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    if value is None or isinstance(value, WRITTEN):
        return "" if value is None else as_text(value)
    return str(len(value))
