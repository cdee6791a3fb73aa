"""The items of a list, made of rows of values."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from pydantic import SkipValidation

from ujsx._component import Component
from ujsx._context import RenderContext
from ujsx._element import Child, Children, Element, Node
from ujsx._errors import PropError, shown
from ujsx._template import Template
from ujsx.elements import Item

_ITEM = Item()


class ForEach(Component):
    """Items of a list: each row is a template with the texts of its holes, or an ``Item``.

    Rows cost less than elements do, and the same template reads them back.

    >>> from ujsx import render
    >>> from ujsx.elements import List
    >>> row = Template("**{name}**: {role}")
    >>> team = ForEach(rows=((row, "Ada", "analyst"), (row, "Grace", "admiral")))
    >>> print(render(List()[team]), end="")
    - **Ada**: analyst
    - **Grace**: admiral
    """

    takes_children: ClassVar[bool] = False

    rows: SkipValidation[tuple[Any, ...]]
    """The rows, from the first to the last."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        """Return the items, one for each row."""
        return [_item(row) for row in self.rows]


ForEach._open_props = ()  # noqa: SLF001 - to hash every row would cost as much as to write it


def _item(row: Any) -> Node:
    if row.__class__ is not tuple:
        return cast("Node", row)
    template: Any = row[0] if row else None
    if type(template) is not Template or len(row) != len(template.fields) + 1:
        raise PropError(
            f"a row is a Template with a text for each of its holes, not {shown(row)}",
            path="ForEach.rows",
        )
    for value in row[1:]:
        if not isinstance(value, str):
            raise PropError(
                f"a hole takes a text, not {shown(value)} ({type(value).__name__}); write str(…)",
                path="ForEach.rows",
            )
    return Element(_ITEM, template.fill(*row[1:]), None, True)
