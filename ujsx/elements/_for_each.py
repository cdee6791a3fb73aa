"""The items of a list, made of rows of values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, groupby
from typing import Any, ClassVar

from pydantic import SkipValidation

from ujsx.components._component import Component
from ujsx.components._context import RenderContext
from ujsx.components._element import Child, Children, Element, Node
from ujsx.elements import Item
from ujsx.elements._template import Template
from ujsx.errors import PropError, shown

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
        nodes: list[Node] = []
        for template, rows in groupby(self.rows, _template_of):
            if template is None:
                nodes += rows
            else:
                nodes += _items(template, list(rows))
        return nodes


ForEach._open_props = ()  # noqa: SLF001 - to hash every row would cost as much as to write it


def _template_of(row: Any) -> Template | None:
    """The template of a row; ``None`` for a node."""
    if row.__class__ is not tuple:
        return None
    template: Any = row[0] if row else None
    if type(template) is not Template or len(row) != len(template.fields) + 1:
        raise PropError(
            f"a row is a Template with a text for each of its holes, not {shown(row)}",
            path="ForEach.rows",
        )
    return template


def _items(template: Template, rows: Sequence[tuple[Any, ...]]) -> list[Node]:
    columns = list(zip(*rows, strict=True))[1:]
    for value in chain.from_iterable(columns):
        if not isinstance(value, str):
            raise PropError(
                f"a hole takes a text, not {shown(value)} ({type(value).__name__}); write str(…)",
                path="ForEach.rows",
            )
    return [Element(_ITEM, line, None, True) for line in template.fill_all(columns, len(rows))]
