"""The items of a list, made of rows of values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import SkipValidation

from ujsx.components._component import Component
from ujsx.components._context import RenderContext
from ujsx.components._definition import advice
from ujsx.components._element import Child, Children, Element, Node, is_node
from ujsx.elements import Item
from ujsx.elements._template import Template
from ujsx.errors import PropError, RenderError, UjsxError, shown
from ujsx.mdast._content_model import ContentModel

_ITEM = Item()


class ForEach(Component):
    """Items of a list: each row is a template with the texts of its holes, an ``Item``, or whatever ``each`` makes one of.

    A renderer that is kept asks ``each`` for the rows that are new or changed alone, so it goes by its row, a
    value that can be hashed, and is a function of a module, a method, or made once: another one is asked for all of them.

    >>> from ujsx import render
    >>> from ujsx.elements import List
    >>> row = Template("**{name}**: {role}")
    >>> team = ForEach(rows=((row, "Ada", "analyst"), (row, "Grace", "admiral")))
    >>> print(render(List()[team]), end="")
    - **Ada**: analyst
    - **Grace**: admiral
    >>> def port(number):
    ...     return Item()[f"Port {number}"]
    >>> print(render(List()[ForEach(rows=(80, 443), each=port)]), end="")
    - Port 80
    - Port 443
    """

    content_model = ContentModel(("list",))
    takes_children: ClassVar[bool] = False

    rows: SkipValidation[tuple[Any, ...]]
    """The rows, from the first to the last."""

    each: SkipValidation[Any] = None
    """Makes the node of a row, such as an ``Item``, or a ``TableRow`` in a table; rows are nodes or those of a template when ``None``."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        """Return the items, one for each row."""
        return list(map(self.made_of, self.rows))

    def __eq__(self, other: object) -> bool:
        if self.each is None and type(other) is ForEach:  # equal texts and nodes are the same
            return other.each is None and self.rows == other.rows
        return super().__eq__(other)

    __hash__ = Component.__hash__

    @property
    def made_of(self) -> Callable[[Any], Any]:
        """The function that makes a node of a row."""
        if self.each is None:
            return item_of
        return _NodeOf(self.each)


ForEach._open_props = ()  # noqa: SLF001 - to hash every row would cost as much as to write it


@dataclass(frozen=True, slots=True)
class _NodeOf:
    """A user's function, whose mistakes are told as those of a ``render`` are."""

    function: Callable[[Any], Any]

    def __call__(self, row: Any) -> Any:
        try:
            hash(row)
        except TypeError:
            kind: type[Any] = row.__class__
            raise RenderError(
                f"a row is known again by its value, and {shown(row)} cannot be hashed; {advice(kind)}"
            ) from None
        try:
            made = self.function(row)
        except UjsxError:
            raise
        except Exception as error:
            name = type(error).__name__
            raise RenderError(f"its each raised {name}: {error}") from error
        if is_node(made):
            return made
        raise RenderError(f"its each makes one node of a row, such as an Item, not {shown(made)}")


def item_of(row: Any) -> Node:
    """Return a row of a template as an item, and any other as it is.

    :raises PropError: for what is no row.
    """
    kind: type[Any] = row.__class__
    return _item(*row) if kind is tuple else row


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
