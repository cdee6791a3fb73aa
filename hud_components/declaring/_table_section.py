"""Sections that show items as a table if it fits as a whole; the cells are read back as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self

from hud_components.declaring._form import whence
from hud_components.declaring._items_section import ItemsSection, ItemT
from hud_components.declaring._lists import ListShape, ReadList
from hud_components.declaring._values import (
    Faults,
    Partial,
    as_text,
    is_set,
    look_of,
    model_from_text,
    no_field,
)
from hud_components.words._texts import format_text, is_titled, line, value_of
from ujsx import Density, RenderContext, mdast
from ujsx.components import drop_class_variables, fields_of

Cells = tuple[str, ...]


@drop_class_variables
class TableSection(ItemsSection[ItemT]):
    """A titled list of items that is a table where all of it is shown in full; else its lines write it.

    So it is, too, where an item says who said it or where it is from, and where a cell would not be
    read back as what it was made of.

    >>> from hud_components import HudItem, Line
    >>> from ujsx import render
    >>> class Service(HudItem):
    ...     service: Line
    ...     port: int
    >>> class Services(TableSection[Service]):
    ...     name = "services"
    ...     columns = ("service", "port")
    ...     lines = {"full": "{service}: {port}"}
    >>> print(render(Services(services=(Service(service="mail", port=25),))), end="")
    # Services
    <BLANKLINE>
    | service | port |
    | ------- | ---: |
    | mail    |   25 |
    """

    columns: ClassVar[tuple[str, ...]] = ()
    """The fields that are columns, in their order: texts, numbers and what else a line shows; a tuple
    of texts is told with commas."""

    align: ClassVar[tuple[Any, ...]] = ()
    """How each column is aligned; derived."""

    as_list: bool = False
    """Whether its lines write it even where all of it is shown, as they did in what was read back."""

    @classmethod
    def _declare(cls, faults: Faults) -> None:
        faults.of(super()._declare, faults)
        if cls.name and cls.value is not None and cls.draft is not None:
            faults += _check_columns(cls)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if not cls.name or cls.value is None:
            return
        heads = {_head(cls.name, each): each.replace("_", " ").strip() for each in cls.columns}
        cls.texts = MappingProxyType({**heads, **cls.texts})
        kinds: list[Any] = [fields_of(cls.value)[each].annotation for each in cls.columns]
        cls.align = tuple("right" if kind in {int, float} else None for kind in kinds)

    # --- Writing ---

    def shape(self, ctx: RenderContext) -> ListShape:
        items = self.given(ctx)
        cells = self._rows(items, ctx)
        if cells is None:
            return super().shape(ctx)
        return ListShape("table", items, rows=cells, said=[*map(self._said_of_cells, cells)])

    def _rows(self, items: Sequence[Any], ctx: RenderContext) -> list[Cells] | None:
        """Return the cells of the table; ``None`` if lines are written instead."""
        is_whole = ctx.detailed_items is None and (ctx.limit is None or len(items) <= ctx.limit)
        if ctx.density is not Density.FULL or not items or not is_whole:
            return None
        if (
            self.as_list
            or self.unlisted
            or self.show_ids
            or any(whence(ctx, item) for item in items)
            or self._hides_over(items)
        ):
            return None
        rows = [self._cells(item) for item in items]
        return rows if all(map(self._is_read, rows)) else None

    @classmethod
    def _hides_over(cls, items: Sequence[Any]) -> bool:
        """Tell whether an item is over, and no column shows that."""
        is_shown = cls._end is not None and cls._end.field in cls.columns
        return not is_shown and len(cls._open(items)) < len(items)

    @classmethod
    def heads(cls, ctx: RenderContext) -> Cells:
        return tuple(format_text(ctx, _head(cls.name, each)) for each in cls.columns)

    @classmethod
    def _cells(cls, item: Any) -> Cells:
        return tuple(_cell(getattr(item, name, None)) for name in cls.columns)

    @classmethod
    def _is_read(cls, cells: Cells) -> bool:
        said = cls._said_of_cells(cells)
        if any(isinstance(each, Partial) for each in said.values()):
            return False
        read = model_from_text(cls.value, said)
        return read is not None and cls._cells(read) == cells

    # --- Reading ---

    @classmethod
    def _of(cls, told: ReadList) -> Self | None:
        made = super()._of(told)
        if made is None or told.is_table or not told.items:
            return made
        return made.model_copy(update={"as_list": True})  # it stays a list

    @classmethod
    def _said_of_cells(cls, cells: Cells) -> Mapping[str, Any]:
        """Return the fields in the cells of a row."""
        told = zip(cls.columns, cells, strict=True)
        return {
            name: _said(fields_of(cls.value)[name].annotation, text) for name, text in told if text
        }

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        own = cls.with_texts(ctx)
        is_own = is_titled(blocks, format_text(own, f"{cls.name}.title"), own)
        if not is_own or type(blocks[1]) is not mdast.Table:
            return super().parse(blocks, ctx)
        heads, *rows = map(_texts_of, blocks[1].children)
        if heads != cls.heads(own) or not all(row and cls._is_read(row) for row in rows):
            return None
        said = [cls._said_of_cells(row) for row in rows if row]
        section = cls._of(ReadList(said, is_table=True))
        return None if section is None else (section, 2)


def _head(name: str, column: str) -> str:
    return f"{name}.column.{column}"


def _cell(value: Any) -> str:
    return line(as_text(value)).strip() if is_set(value) else ""


def _said(annotation: Any, text: str) -> Any:
    """Return the value of a cell's text."""
    look = look_of(annotation)
    return text if look is None or look.read is None else look.read(text)


def _texts_of(row: Any) -> Cells | None:
    """Return the texts of a row's cells; ``None`` if one has other content."""
    found: list[str] = []
    for cell in row.children:
        match cell.children:
            case ():
                found.append("")
            case (mdast.Text() as text,):
                found.append(value_of(text))
            case _:
                return None
    return tuple(found)


def _check_columns(section: type[TableSection[Any]]) -> Iterator[str]:
    """Yield a table without columns, and a column that no cell can represent."""
    place, fields = f"{section.__name__}.columns", fields_of(section.value)
    if not section.columns:
        first = next(iter(fields_of(section.draft)))
        yield f'{section.__name__} has no columns; write columns = ("{first}", …)'
    for name in section.columns:
        if name not in fields:
            yield no_field(place, section.value, name)
        elif look_of(fields[name].annotation) is None:
            kinds = "a text, a number, a date, a choice, or a tuple of texts"
            yield f'{place}: "{name}" holds no single value that a cell could tell; name {kinds}'
