"""What is no schema is refused where it is malformed; what is one never fails in another way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.ids import looped
from tests.ujsx.schema.keywords import KNOWN
from ujsx import SchemaError
from ujsx.schema import DIALECTS, from_dialect, lint, schema_tokens, to_dialect

MALFORMED: list[tuple[Any, str]] = [
    ({"properties": []}, "#: properties is an object, not []"),
    ({"properties": {"a": 3}}, "#/properties/a: a schema is an object, not 3"),
    ({"anyOf": {}}, "#: anyOf is a list of schemas, one at least, not {}"),
    ({"allOf": []}, "#: allOf is a list of schemas, one at least, not []"),
    ({"anyOf": ["x"]}, "#/anyOf/0: a schema is an object, not 'x'"),
    ({"items": [{}]}, "#: items is a schema, not [{}]"),
    ({"enum": "x"}, "#: enum is a list, not 'x'"),
    ({"required": "a"}, "#: required is a list of names, not 'a'"),
    ({"required": [1]}, "#: required is a list of names, not [1]"),
    ({"type": "text"}, "#: type is a type, or a list of types, not 'text'"),
    ({"type": [["string"]]}, "#: type is a type, or a list of types, not [['string']]"),
    ({"$ref": 3}, "#: $ref is a text, not 3"),
    ({"minItems": "1"}, "#: minItems is a number of things, not '1'"),
    ({"minLength": -1}, "#: minLength is a number of things, not -1"),
    ({"minimum": None}, "#: minimum is a number, not None"),
    ({"$defs": {"A/B": {"not": 1}}}, "#/$defs/A~1B: not is a schema, not 1"),
]

names = st.sampled_from(["a", "b", "$ref", "type"])
refs = st.sampled_from(["#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/x", "a.json", ""])
data = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["a", ""])


def maps(inner: Any) -> Any:
    return st.dictionaries(names, inner, max_size=2)


KINDS: dict[str, Any] = {
    "$ref": lambda inner: refs,
    "$defs": maps,
    "type": lambda inner: st.sampled_from(
        ["string", "integer", "object", "array", "null", ["string", "null"], ["object", "array"]]
    ),
    **dict.fromkeys(["allOf", "anyOf", "oneOf", "prefixItems"], lambda inner: st.lists(inner, min_size=1, max_size=2)),
    **dict.fromkeys(["not", "items", "additionalProperties"], lambda inner: inner | st.booleans()),
    **dict.fromkeys(["properties", "patternProperties"], maps),
    **dict.fromkeys(["const", "default"], lambda inner: data | st.lists(data, max_size=1)),
    **dict.fromkeys(["enum", "examples"], lambda inner: st.lists(data, max_size=2)),
    "required": lambda inner: st.lists(names, unique=True, max_size=2),
    **dict.fromkeys(
        ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"],
        lambda inner: st.integers(0, 3),
    ),
    **dict.fromkeys(
        ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
        lambda inner: st.integers(-3, 3),
    ),
    "multipleOf": lambda inner: st.integers(1, 3),
    **dict.fromkeys(["uniqueItems", "nullable"], lambda inner: st.booleans()),
    "format": lambda inner: st.sampled_from(["date", "uri", "x"]),
    "pattern": lambda inner: st.sampled_from(["^a", "(?=a)", "\\S"]),
    **dict.fromkeys(["description", "title", "$comment", "$schema"], lambda inner: st.just("Text.")),
    "discriminator": lambda inner: st.just({"propertyName": "a"}),
}  # fmt: skip


NOTES = st.fixed_dictionaries(
    {},
    optional={
        key: KINDS[key](None)
        for key in ("default", "description", "examples", "title", "pattern", "format", "minimum")
    },
)

SENSIBLE = st.sampled_from(
    [
        {"type": "string"},
        {"type": ["integer", "null"]},
        {"enum": ["a", 1, None]},
        {"const": "a", "type": "string"},
        {"$ref": "#/$defs/a"},
        {"type": "integer", "exclusiveMinimum": 0},
    ]
)


def sensible(inner: Any) -> Any:
    """What people write: objects, lists, tuples and unions, with a few words on each."""
    some = st.lists(inner, min_size=1, max_size=3)
    made = st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda items: {"type": "array", "prefixItems": items, "maxItems": len(items)}, some),
        st.builds(lambda branches: {"anyOf": branches}, some),
        st.builds(lambda branches: {"oneOf": [*branches, {"type": "null"}]}, some),
        st.builds(
            lambda properties, required: {
                "type": "object", "properties": properties, "required": required,
            },
            st.dictionaries(names, inner, min_size=1, max_size=3),
            st.lists(names, unique=True, max_size=3),
        ),
    )  # fmt: skip
    return st.builds(lambda schema, notes: schema | notes, made, NOTES)


def anything(inner: Any) -> Any:
    """Any keywords side by side, sensible or not."""
    made = st.fixed_dictionaries({}, optional={key: of(inner) for key, of in KINDS.items()})
    return made.map(lambda schema: dict(list(schema.items())[:6]))


@st.composite
def schemas(draw: st.DrawFn) -> Any:
    """Any JSON Schema with an object at its root, and a few that have something else there."""
    leaves = SENSIBLE | st.just({})
    parts = st.recursive(SENSIBLE, sensible, max_leaves=6)
    if draw(st.integers(0, 3)) == 0:
        parts = st.recursive(leaves, anything, max_leaves=6)
        if draw(st.booleans()):
            return draw(parts)
    properties = draw(st.dictionaries(names, parts, min_size=1, max_size=3))
    return {"type": "object", "properties": properties, "$defs": {"a": draw(parts)}}


class TestMalformed:
    @looped(("schema", "message"), MALFORMED)
    def test_is_refused_where_it_is(self, schema: Any, message: str) -> None:
        for use in (lambda: to_dialect(schema, "mcp"), lambda: lint(schema, "gemini")):
            with pytest.raises(SchemaError) as caught:
                use()
            assert str(caught.value) == message

    def test_is_refused_when_nested_without_end(self) -> None:
        schema: dict[str, Any] = {}
        for _ in range(5_000):
            schema = {"items": schema}
        with pytest.raises(SchemaError, match="nested more than 100 deep"):
            to_dialect(schema, "openai-strict")

    def test_is_not_what_is_as_deep_as_it_may_be(self) -> None:
        schema: dict[str, Any] = {"type": "string"}
        for _ in range(98):
            schema = {"type": "array", "items": schema}
        for dialect in DIALECTS:
            assert to_dialect({"type": "object", "properties": {"a": schema}}, dialect)


class TestAnySchema:
    def test_every_keyword_of_the_table_may_come(self) -> None:
        assert KNOWN
        assert KINDS.keys() >= {*KNOWN}

    @settings(max_examples=settings().max_examples // 2)  # making them takes longest
    @given(schema=schemas(), dialect=st.sampled_from([*DIALECTS]))
    def test_is_said_or_refused_and_stays_as_it_is(self, schema: Any, dialect: str) -> None:
        losses = lint(schema, dialect)
        try:
            said = to_dialect(schema, dialect)
        except SchemaError:
            assert any(loss.outcome == "refused" for loss in losses)
            return
        assert all(loss.outcome != "refused" for loss in losses)
        Draft202012Validator.check_schema(said)
        assert to_dialect(said, dialect) == said
        assert schema_tokens(said) > 0
        assert from_dialect({"a": None}, said) in ({"a": None}, {})
