"""``FrozenMapping``: a mapping that can be a prop."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ujsx import Component, FrozenMapping, PropError, dump, load
from ujsx.schema import tool_schema


class Ports(Component):
    ports: FrozenMapping[str, int]


class TestFrozenMapping:
    @given(items=st.dictionaries(st.text(), st.integers()))
    def test_is_the_mapping_it_was_made_of(self, items: dict[str, int]) -> None:
        frozen = FrozenMapping(items)
        assert frozen == items
        assert list(frozen.items()) == list(items.items())

    @given(items=st.dictionaries(st.text(), st.integers()))
    def test_has_one_hash_whatever_its_order(self, items: dict[str, int]) -> None:
        turned = FrozenMapping(reversed(items.items()))
        assert turned == FrozenMapping(items)
        assert hash(turned) == hash(FrozenMapping(items))

    def test_takes_no_assignment(self) -> None:
        frozen: Any = FrozenMapping(a=1)
        with pytest.raises(TypeError):
            frozen["a"] = 2

    def test_does_not_follow_what_it_was_made_of(self) -> None:
        items = {"a": 1}
        frozen = FrozenMapping(items)
        items["a"] = 2
        assert frozen["a"] == 1

    def test_shows_its_items(self) -> None:
        assert repr(FrozenMapping(a=1)) == "FrozenMapping({'a': 1})"


class TestAsProp:
    def test_takes_any_mapping(self) -> None:
        data: Any = {"http": 80}
        node = Ports(ports=data)
        assert node == Ports(ports=FrozenMapping(http=80))
        assert hash(node) == hash(Ports(ports=FrozenMapping(http=80)))

    def test_checks_keys_and_values(self) -> None:
        data: Any = {"http": "eighty"}
        with pytest.raises(PropError, match=r"Ports\.ports\.http: .*got 'eighty'"):
            Ports(ports=data)

    def test_comes_back_from_json(self) -> None:
        node = Ports(ports=FrozenMapping(http=80))
        assert load(json.loads(json.dumps(dump(node))), [Ports]) == node

    def test_has_the_schema_of_a_dict(self) -> None:
        assert tool_schema(Ports)["properties"]["ports"] == {
            "additionalProperties": {"type": "integer"},
            "type": "object",
        }
