"""The items of a list, made of rows of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import SkipValidation

from ujsx._columns import is_one
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

    Rows cost less than elements do, and the same template reads them back.

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
    """Return rows as items: those of one template are made together.

    :raises PropError: for what is no row.
    """
    templates: list[Any] = [row[0] if type(row) is tuple and row else None for row in rows]
    if templates and templates[0] is not None and is_one(templates):  # as in most lists
        return [*_items(rows)]
    nodes: list[Any] = [*rows]
    alike: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        if type(row) is tuple:
            alike.setdefault(id(templates[place]), []).append(place)
    for places in alike.values():
        made = _items([rows[place] for place in places])
        for place, item in zip(places, made, strict=True):
            nodes[place] = item
    return nodes


def _items(rows: Sequence[tuple[Any, ...]]) -> list[Element[Item]]:
    template: Any = rows[0][0] if rows[0] else None
    width = len(template.fields) + 1 if type(template) is Template else -1
    if set(map(len, rows)) != {width}:
        wrong = next(row for row in rows if len(row) != width)
        raise PropError(
            f"a row is a Template with a text for each of its holes, not {shown(wrong)}",
            path="ForEach.rows",
        )
    columns = list(zip(*rows, strict=True))[1:]
    for column in columns:
        is_text = set(map(type, column)) == {str}
        for value in () if is_text else [each for each in column if not isinstance(each, str)]:
            raise PropError(
                f"a hole takes a text, not {shown(value)} ({type(value).__name__}); write str(…)",
                path="ForEach.rows",
            )
    return [Element(_ITEM, line, None, True) for line in template.fill_all(columns, len(rows))]
