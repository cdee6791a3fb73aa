"""``schema_tokens``: what a schema costs."""

from __future__ import annotations

from ujsx.elements import Link
from ujsx.schema import schema_tokens, tool_schema
from ujsx.tokens import estimate_tokens


class TestSchemaTokens:
    def test_are_those_of_json_without_white_space(self) -> None:
        assert schema_tokens({"a": ["é", 1]}, counter=len) == len('{"a":["é",1]}')

    def test_are_an_estimate_without_a_counter(self) -> None:
        assert schema_tokens({"type": "object"}) == estimate_tokens('{"type":"object"}')

    def test_of_a_component_are_fewer_without_titles(self) -> None:
        assert schema_tokens(tool_schema(Link)) < schema_tokens(Link.model_json_schema())
