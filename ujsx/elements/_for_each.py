"""The items of a list, made of rows of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import SkipValidation

from ujsx.components._component import Component
from ujsx.components._context import RenderContext
from ujsx.components._element import Child, Children, Element, Node
from ujsx.elements import Item
from ujsx.elements._template import Template
from ujsx.errors import PropError, shown
from ujsx.mdast._content_model import ContentModel

_ITEM = Item()


class ForEach(Component):
    """Items of a list: each row is a template with the texts of its holes, or an ``Item``.

    The same template reads them back.

    >>> from ujsx import render
    >>> from ujsx.elements import List
    >>> row = Template("**{name}**: {role}")
    >>> team = ForEach(rows=((row, "Ada", "analyst"), (row, "Grace", "admiral")))
    >>> print(render(List()[team]), end="")
    - **Ada**: analyst
    - **Grace**: admiral
    """

    content_model = ContentModel(("list",))
    takes_children: ClassVar[bool] = False

    rows: SkipValidation[tuple[Any, ...]]
    """The rows, from the first to the last."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        """Return the items, one for each row."""
        return items_of(self.rows)


ForEach._open_props = ()  # noqa: SLF001 - to hash every row would cost as much as to write it


def items_of(rows: Sequence[Any]) -> list[Node]:
    """Return rows as items.

    :raises PropError: for what is no row.
    """
    return [_item(*row) if type(row) is tuple else row for row in rows]


def _item(template: object = None, *values: Any) -> Element[Item]:
    if type(template) is not Template or len(values) != len(template.fields):
        row = (template, *values) if template is not None else ()
        raise PropError(
            f"a row is a Template with a text for each of its holes, not {shown(row)}",
            path="ForEach.rows",
        )
    for value in values:
        if not isinstance(value, str):
            raise PropError(
                f"a hole takes a text, not {shown(value)} ({type(value).__name__}); write str(…)",
                path="ForEach.rows",
            )
    return Element(_ITEM, template.fill(*values), None, True)
