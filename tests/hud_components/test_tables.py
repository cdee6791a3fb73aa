"""Lists that are tables where all is shown: written, read back, and refused where they cannot be."""

from __future__ import annotations

import types
from types import MappingProxyType
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from hud_components import Hud, HudItem, Line, TableSection, Text, check_texts, parse
from tests.hud_components.strategies import DENSITIES, TEXTS
from tests.ids import looped
from ujsx import DefinitionError, RenderContext, render


class Dataset(HudItem):
    """A table of data."""

    name_: Line
    rows: Annotated[int, Field(ge=0)] = 0
    kind: Literal["raw", "clean"] | None = None
    columns: tuple[str, ...] = ()
    about: Text = ""


class Datasets(TableSection[Dataset]):
    """What data there are."""

    name = "datasets"
    columns = ("name_", "rows", "kind", "columns", "about")
    lines = MappingProxyType({"full": "{name_}"})

    datasets: tuple[Dataset, ...] | None = None


ITEMS = st.lists(
    st.builds(
        Dataset,
        name_=TEXTS.filter(str.strip),
        rows=st.integers(0, 10**6),
        kind=st.sampled_from([None, "raw", "clean"]),
        columns=st.lists(TEXTS, max_size=3).map(tuple),
        about=TEXTS | st.just(""),
        said_by=st.sampled_from(["agent", "agent", "agent", "tool"]),
    ),
    min_size=1,
    max_size=12,
).map(tuple)


@given(items=ITEMS, density=DENSITIES, show_ids=st.booleans())
def test_what_is_shown_is_read_back(items: Any, density: Any, show_ids: bool) -> None:
    node = Hud(title="Data")[Datasets(datasets=items, show_ids=show_ids)]
    text = render(node, density=density)
    read = parse(text, vocabulary=(Datasets,))
    assert render(read, density=density) == text
    shown = Datasets(datasets=items, show_ids=show_ids).as_shown(density)
    assert [*read.children] == ([] if shown is None else [shown])


FEW = (Dataset(name_="orders", rows=81_204, columns=("id", "day")), Dataset(name_="a | b"))


def test_is_a_table_in_full_and_a_list_else() -> None:
    lines = render(Datasets(datasets=FEW)).splitlines()[2:]
    assert [[cell.strip() for cell in row.split(" | ")] for row in lines] == [
        ["| name", "rows", "kind", "columns", "about |"],
        ["| ------", "----:", "----", "-------", "----- |"],
        ["| orders", "81204", "", "id, day", "|"],
        ["| a \\| b", "0", "", "", "|"],
    ]
    assert render(Datasets(datasets=FEW, limit=1)).splitlines()[2] == "- a | b"
    assert render(Datasets(datasets=FEW, as_list=True)).splitlines()[2] == "- orders"
    said = (FEW[0].model_copy(update={"said_by": "tool"}),)
    assert render(Datasets(datasets=said)).splitlines()[2] == "- orders *said by a tool*"


def test_heads_are_texts() -> None:
    texts = check_texts({"datasets.column.rows": "Zeilen"}, sections=(Datasets,))
    context = RenderContext(texts=texts)
    text = render(Hud()[Datasets(datasets=FEW)], context=context)
    assert "Zeilen" in text
    assert isinstance(parse(text, vocabulary=(Datasets,), context=context).children[0], Datasets)
    assert not isinstance(parse(text, vocabulary=(Datasets,)).children[0], Datasets)


@looped(
    ("columns", "says"),
    [
        ((), 'has no columns; write columns = \\("name_", …\\)'),
        (("nam",), "has no field 'nam'; did you mean \"name_\""),
        (("over",), '"over" holds no single value'),
    ],
)
def test_what_is_no_column_is_refused(columns: Any, says: str) -> None:
    class Odd(Dataset):
        """With what no cell can tell."""

        over: tuple[int, str] = (0, "")

    space = {
        "__module__": __name__,
        "name": "odd",
        "lines": {"full": "{name_}"},
        "columns": columns,
    }
    with pytest.raises(DefinitionError, match=says):
        types.new_class("OddSection", (TableSection[Odd],), {}, lambda own: own.update(space))
