"""Law 7, one declaration, and law 5, same bytes, for the schemas of hard models and the HUD's."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError

import hud_components
from tests.ids import looped
from tests.ujsx.schema.models import (
    MODELS,
    REFUSED,
    Anything,
    Called,
    Constraints,
    Deep,
    Foreign,
    Formats,
    Keyed,
    Loose,
    Open,
    Pets,
    Untyped,
    all_said,
)
from tests.ujsx.schema.values import values
from ujsx import Component, SchemaError
from ujsx.elements import PRIMITIVES, Paragraph
from ujsx.schema import (
    DIALECTS,
    from_dialect,
    lint,
    schema_tokens,
    to_dialect,
    tool_definition,
    tool_schema,
    tree_schema,
)
from ujsx.testing.strategies import components

ROOT = Path(__file__).parents[3]

BASES = {
    hud_components.HudSection,
    hud_components.ItemsSection,
    hud_components.TableSection,
    hud_components.ValueSection,
}
"""What sections are derived from: these are no tools."""

HUD: list[type[BaseModel]] = [
    each.tool_model()
    for each in (getattr(hud_components, name) for name in hud_components.__all__)
    if isinstance(each, type) and issubclass(each, Component) and not each.is_primitive
    if each not in BASES
]

EVERY: list[type[BaseModel]] = [
    *MODELS,
    *HUD,
    *(each for each in PRIMITIVES.values() if each.model_fields or each is Paragraph),
]

TAKEN: list[tuple[type[BaseModel], str]] = [
    (model, dialect)
    for model in EVERY
    for dialect in DIALECTS
    if not any(model is each and dialect in names.split() for each, names, _ in REFUSED)
]
"""Each model with each dialect that takes it."""

SEPARATORS = re.compile(r"\\u001[c-f]")
"""White space to Python's patterns, and neither to those of JSON Schema nor to Pydantic."""

LIMITS = settings(
    max_examples=max(2, settings().max_examples // 8),  # for each of some sixty models
    suppress_health_check=[*HealthCheck],
)


def of_any_type(model: type[BaseModel]) -> bool:
    return model in {Anything, Untyped, Loose, Deep, Open}


@pytest.mark.parametrize("model", EVERY)
def test_a_schema_is_one_of_draft_2020_12_stays_in_its_dialect_and_has_a_cost(
    model: type[BaseModel],
) -> None:
    seen: list[Any] = []
    for dialect in (each for cls, each in TAKEN if cls is model):
        schema = tool_schema(model, dialect=dialect)
        if schema not in seen:
            Draft202012Validator.check_schema(schema)
            seen.append(schema)
        assert json.dumps(to_dialect(schema, dialect)) == json.dumps(schema)
        assert {loss.outcome for loss in lint(schema, dialect)} <= {"missing"}
        assert schema_tokens(tool_definition(model, dialect=dialect)) > 0


class TestWhatCannotBeSaid:
    @pytest.mark.parametrize(("model", "dialects", "reason"), REFUSED)
    def test_is_refused_with_a_reason(
        self, model: type[BaseModel], dialects: str, reason: str
    ) -> None:
        for dialect in dialects.split():
            with pytest.raises(SchemaError, match=reason) as caught:
                tool_schema(model, dialect=dialect)
            assert caught.value.path is not None
            assert caught.value.path.startswith(f"{model.__name__} / #")
            assert reason in next(
                loss.reason for loss in lint(model, dialect) if loss.outcome == "refused"
            )

    def test_by_any_schema_is_refused_with_pydantics_reason(self) -> None:
        with pytest.raises(SchemaError, match=r"Called has no JSON Schema: .*Callable"):
            tool_schema(Called)


class TestLaw5:
    def test_the_bytes_do_not_depend_on_the_hash_seed(self) -> None:
        program = "from tests.ujsx.schema.models import all_said; print(all_said())"
        environ = os.environ | {"PYTHONHASHSEED": "1"}
        there = subprocess.check_output([sys.executable, "-c", program], env=environ, cwd=ROOT)
        assert there.decode() == all_said() + "\n"


@cache
def says_all(model: type[BaseModel]) -> bool:
    """Whether a model demands nothing that only ``lint`` can name."""
    return all(each.outcome != "unsaid" for each in lint(model, "json-schema"))


def validated(model: type[BaseModel], data: Any) -> None:
    """Validate data; what a validator refuses is no mistake where ``lint`` has named it."""
    try:
        model.model_validate(data)
    except ValidationError as error:
        kinds = {each["type"] for each in error.errors()}
        if says_all(model) or kinds != {"value_error"}:
            raise


class TestLaw7:
    @looped("model", [each for each in EVERY if not of_any_type(each)])
    def test_what_is_valid_for_the_schema_validates(self, model: type[BaseModel]) -> None:
        schema = tool_schema(model)
        validator = Draft202012Validator(schema)

        @LIMITS
        @given(value=values(schema, schema))
        def check(value: Any) -> None:
            validator.validate(value)
            validated(model, json.loads(json.dumps(value)))

        check()

    @looped("model", [each for each in EVERY if not of_any_type(each) and each is not Foreign])
    def test_dumps_of_valid_models_are_valid(self, model: type[BaseModel]) -> None:
        validator = Draft202012Validator(tool_schema(model))
        made = cast("st.SearchStrategy[BaseModel]", components(cast("Any", model)))

        @LIMITS
        @given(instance=made)
        def check(instance: BaseModel) -> None:
            dump = instance.model_dump(mode="json", by_alias=True)
            assume(not SEPARATORS.search(json.dumps(dump, ensure_ascii=False)))
            validator.validate(dump)

        check()

    @looped(
        "model",
        [
            model
            for model, dialect in TAKEN
            if dialect == "openai-strict"
            and {each.keyword for each in lint(model, dialect) if each.outcome == "described"}
            <= {"default", "title", "deprecated", "x-unit", "examples"}
        ],
    )
    def test_null_for_what_is_left_out_is_taken_back(self, model: type[BaseModel]) -> None:
        schema = tool_schema(model, dialect="openai-strict")

        @LIMITS
        @given(value=values(schema, schema))
        def check(value: Any) -> None:
            Draft202012Validator(schema).validate(value)
            with suppress(SchemaError):
                validated(model, from_dialect(value, model))

        check()


class TestWherePydanticsSchemaIsNotExact:
    @looped(
        ("model", "name", "value"),
        [
            (Constraints, "line", " "),
            (Constraints, "name", " a "),
            (Constraints, "name", "   "),
            (Formats, "price", "ten"),
            (Formats, "price", ""),
            (Formats, "price", ".0E2000000000000000000"),
            (Formats, "price", "1E+99999999999999999999"),
            (Pets, "pet", {"lives": 3}),
            (Keyed, "ports", {"A": 1}),
        ],
    )
    def test_ours_refuses_what_the_validator_refuses(
        self, model: type[BaseModel], name: str, value: Any
    ) -> None:
        with pytest.raises(ValidationError) as caught:
            model.model_validate({name: value})
        errors = [each for each in caught.value.errors() if each["type"] != "missing"]
        assert [each["loc"][0] for each in errors] == [name]
        schema = tool_schema(model)
        part = schema["properties"][name] | {"$defs": schema.get("$defs", {})}
        assert not Draft202012Validator(part).is_valid(value)

    def test_a_default_without_an_order_gets_one(self) -> None:
        groups = tool_schema(Constraints)["properties"]["groups"]["default"]
        assert groups == [["five", "four", "one", "three", "two"]]


def test_a_tree_schema_is_one_of_draft_2020_12() -> None:
    for dialect in DIALECTS:
        Draft202012Validator.check_schema(tree_schema(dialect=dialect))
