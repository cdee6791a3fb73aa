"""A section that writes itself as a table, and is read back from it.

What it needs beyond its lines: how it is rendered, what of it is shown, and how that is read.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Self, TypeAlias

from pydantic import Field

from hud_components import HudItem, ItemsSection, Line
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung, mdast
from ujsx.elements import Section, Table, TableCell, TableRow

Name: TypeAlias = Annotated[Line, Field(pattern="^[A-Za-z0-9_]+$")]


class Dataset(HudItem):
    """A table of data that can be asked."""

    table: Name
    """Its name: letters, digits and underscores."""
    rows: Annotated[int, Field(ge=0)]
    """How many rows it has."""
    columns: tuple[Name, ...] = ()
    """The names of its columns, in their order."""


class Datasets(ItemsSection[Dataset]):
    """The data that there are: a table where all is shown, and else a list."""

    name = "datasets"
    noun = "dataset|datasets"
    lines = {"full": "{table}: {rows} rows"}
    disclosure = Disclosure(
        (Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 5), Rung(Density.FULL))
    )

    datasets: tuple[Dataset, ...] | None = None
    """The datasets; those of the session when None."""

    def is_table(self, ctx: RenderContext) -> bool:
        part = ctx.density is not Density.FULL or ctx.limit is not None or self.unlisted
        others = any(one.said_by != "agent" for one in self.given(ctx))  # whose lines say so
        return bool(self.given(ctx)) and not (part or others or self.show_ids)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        if not self.is_table(ctx):
            return super().render(ctx, children)
        told = [(one.table, str(one.rows), ", ".join(one.columns)) for one in self.given(ctx)]
        rows = [
            [TableCell()[text] for text in row] for row in (("table", "rows", "columns"), *told)
        ]
        return Section(title="Datasets")[
            Table(align=(None, "right", None))[[TableRow()[cells] for cells in rows]]
        ]

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        if not self.is_table(ctx):
            return super().as_shown_in(ctx)
        shown = [
            Dataset(table=one.table, rows=one.rows, columns=one.columns) for one in self.given(ctx)
        ]
        return type(self)(datasets=tuple(shown))

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        match blocks[:2]:
            case [
                mdast.Heading(depth=depth, children=[mdast.Text(value="Datasets")]),
                mdast.Table(children=[_, *rows]),
            ] if depth == ctx.depth + 1:
                try:
                    return cls(datasets=tuple(map(read, rows))), 2
                except ValueError:  # somebody wrote what is no dataset
                    return None
            case _:
                return super().parse(blocks, ctx)


def read(row: mdast.TableRow) -> Dataset:
    """Return the dataset that a row of the table tells."""
    name, rows, columns = map(text_of, row.children)
    names = tuple(columns.split(", ")) if columns else ()
    return Dataset(table=name, rows=int(rows), columns=names)


def text_of(cell: mdast.TableCell) -> str:
    """Return the text of a cell that has nothing else in it."""
    match cell.children:
        case []:
            return ""
        case [mdast.Text(value=value)]:
            return value
        case _:
            raise ValueError("a cell holds plain text")
