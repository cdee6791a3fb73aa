"""What engines of open models make of our schemas: ``make engines`` installs them.

Without one of them its tests are skipped by name.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ujsx.schema.engines import (
    CompileError,
    llguidance_schema,
    outlines_schema,
    xgrammar_schema,
)
from tests.ujsx.schema.keywords import is_recursive
from tests.ujsx.schema.nasty import NASTY
from tests.ujsx.schema.values import values
from ujsx import SchemaError
from ujsx.elements import Item, List, Paragraph, Section, Strong
from ujsx.schema import DIALECTS, to_dialect, tool_schema, tree_schema

ENGINES: dict[str, Any] = {
    "xgrammar": xgrammar_schema,
    "llguidance": llguidance_schema,
    "outlines-core": outlines_schema,
}


NOT_COMPILED = {"outlines-core": {"Filter"}}
"""A dictionary of dictionaries of its own kind: outlines-core bounds recursion at three levels, and gives up."""

NARROWER = {"outlines-core": ("date-time", "time")}
"""Formats of which an engine lets a model write only some texts: outlines-core takes times to the millisecond."""


@cache
def exported(dialect: str) -> dict[str, dict[str, Any]]:
    """The schemas of all nasty models that a dialect takes, by name."""
    found: dict[str, dict[str, Any]] = {}
    for model in NASTY:
        try:
            found[model.__name__] = tool_schema(model, dialect=dialect)
        except SchemaError:
            continue
    return found


def compiled(engine: str, dialect: str) -> tuple[list[str], list[str]]:
    """The models of a dialect that an engine compiles, and those that it does not."""
    taken: list[str] = []
    refused: list[str] = []
    for name, schema in exported(dialect).items():
        try:
            ENGINES[engine](schema)
        except CompileError:
            refused.append(name)
        else:
            taken.append(name)
    return taken, refused


def test_there_are_fifty_models() -> None:
    assert len({model.__name__ for model in NASTY}) >= 50
    assert len(exported("open-engines")) >= 50


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_nasty_model_is_said_or_refused_with_its_place(dialect: str) -> None:
    for model in NASTY:
        known = exported(dialect).get(model.__name__)
        if known is None:
            with pytest.raises(SchemaError, match=f"^{model.__name__} / #"):
                tool_schema(model, dialect=dialect)
        else:
            assert to_dialect(known, dialect) == known, model


@pytest.mark.parametrize("engine", ENGINES)
class TestOpenEngines:
    def test_every_schema_of_their_dialect_is_compiled(self, engine: str) -> None:
        _, refused = compiled(engine, "open-engines")
        assert set(refused) <= NOT_COMPILED.get(engine, set())
        for schema in (
            tree_schema(dialect="open-engines"),
            tree_schema([Section, Paragraph, List, Item, Strong], dialect="open-engines"),
        ):
            ENGINES[engine](schema)

    def test_what_fits_the_schema_may_be_written(self, engine: str) -> None:
        judges: dict[str, Any] = {}
        names = [
            name
            for name, schema in exported("open-engines").items()
            if engine != "outlines-core" or not is_recursive(schema)  # which it cuts off
            if not any(
                f'"format": "{each}"' in json.dumps(schema) for each in NARROWER.get(engine, ())
            )
        ]

        @settings(suppress_health_check=[*HealthCheck])
        @given(data=st.data(), name=st.sampled_from(sorted(names)))
        def check(data: st.DataObject, name: str) -> None:
            schema = exported("open-engines")[name]
            if name not in judges:
                judges[name] = ENGINES[engine](schema)
            value = data.draw(values(schema, schema))
            text = json.dumps(value, ensure_ascii=False)
            assert judges[name](text), (name, text)

        check()
