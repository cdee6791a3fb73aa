"""Sections that show items as a table if it fits as a whole; the cells are read back as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

from hud_components.declaring._form import titled, whence
from hud_components.declaring._items_section import ItemsSection, ItemT
from hud_components.declaring._lists import ListShape, ReadList
from hud_components.declaring._values import (
    Faults,
    Partial,
    as_text,
    is_set,
    look_of,
    model_from_text,
)
from hud_components.words._texts import format_text, is_titled, line, value_of
from ujsx import Child, Density, RenderContext, mdast
from ujsx.components import drop_class_variables, fields_of
from ujsx.elements import Table, TableCell, TableRow
from ujsx.errors import did_you_mean

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

    _align: ClassVar[tuple[Any, ...]]

    as_list: bool = False
    """Whether its lines write it even where all of it is shown, as they did in what was read back."""

    @classmethod
    def _declare(cls, faults: Faults) -> None:
        faults.of(super()._declare, faults)
        if cls.name and cls.value is not None and cls.draft is not None:
            _check_columns(cls, faults)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if not cls.name or cls.value is None:
            return
        heads = {_head(cls.name, each): each.replace("_", " ").strip() for each in cls.columns}
        cls.texts = MappingProxyType({**heads, **cls.texts})
        kinds: list[Any] = [fields_of(cls.value)[each].annotation for each in cls.columns]
        cls._align = tuple("right" if kind in {int, float} else None for kind in kinds)

    # --- Writing ---

    def shape(self, ctx: RenderContext) -> ListShape:
        items = self.given(ctx)
        cells = self._rows(items, ctx)
        if cells is None:
            return super().shape(ctx)
        return ListShape("table", items, rows=cells, said=[*map(self._said_of_cells, cells)])

    def _written(self, shape: ListShape, ctx: RenderContext) -> Child:
        if shape.name != "table":
            return super()._written(shape, ctx)
        rows = (self._heads(ctx), *shape.rows)
        lines = [TableRow()[[TableCell()[text] for text in row]] for row in rows]
        return titled(format_text(ctx, f"{self.name}.title"))[Table(align=self._align)[lines]]

    def _shortened(self, shape: ListShape, ctx: RenderContext) -> Child:
        return None if shape.name == "table" else super()._shortened(shape, ctx)

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
            or (self._is_over_unsaid() and len(self._open(items)) < len(items))
        ):
            return None
        rows = [self._cells(item) for item in items]
        return rows if all(map(self._is_read, rows)) else None

    @classmethod
    def _is_over_unsaid(cls) -> bool:
        """Tell whether no column shows that an item is over."""
        return cls._end is None or cls._end.field not in cls.columns

    @classmethod
    def _heads(cls, ctx: RenderContext) -> Cells:
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

    def _shown(self, shape: ListShape, ctx: RenderContext) -> Self | None:
        made = super()._shown(shape, ctx)
        return made if shape.name == "table" else _listed(made)

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
            found = super().parse(blocks, ctx)
            return None if found is None else (_listed(found[0]), found[1])
        heads, *rows = map(_texts_of, blocks[1].children)
        if heads != cls._heads(own) or not all(row and cls._is_read(row) for row in rows):
            return None
        section = cls._of(ReadList([cls._said_of_cells(row) for row in rows if row]))
        return None if section is None else (section, 2)


SectionT = TypeVar("SectionT", bound=TableSection[Any] | None)


def _listed(section: SectionT) -> SectionT:
    """Return a section that was read from, or written as, a list: it stays a list."""
    if section is None or not getattr(section, section.prop):
        return section
    return section.model_copy(update={"as_list": True})


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


def _check_columns(section: type[TableSection[Any]], faults: Faults) -> None:
    """Record a table without columns, and a column that no cell can represent."""
    what, fields = section.__name__, fields_of(section.value)
    if not section.columns:
        first = next(iter(fields_of(section.draft)))
        faults.append(f'{what} has no columns; write columns = ("{first}", …)')
    for name in section.columns:
        if name not in fields:
            faults.append(
                f'{what}.columns: {section.value.__name__} has no field "{name}";'
                f" {did_you_mean(name, fields)}"
            )
        elif look_of(fields[name].annotation) is None:
            faults.append(
                f'{what}.columns: "{name}" holds no single value that a cell could tell; name a text, '
                "a number, a date, a choice, or a tuple of texts"
            )
