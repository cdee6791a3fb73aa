"""Objects as one expression: they take what one of them takes, whatever they have in common."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ujsx.schema.gbnf import Judge
from ujsx import SchemaError
from ujsx.schema._expressions import START, Choice, Rule, Rules, Sequence, Text, choice
from ujsx.schema._json_grammar import json_rules
from ujsx.schema._members import Member, members_of
from ujsx.schema._merged import merged, productive

OBJECTS = st.lists(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("12"), st.booleans()), max_size=4, unique_by=lambda m: m[0]),
    min_size=1,
    max_size=5,
)  # fmt: skip
"""Alternatives: members by name, value, and whether they have to be there; in any order."""


def texts(members: list[tuple[str, str, bool]]) -> set[str]:
    """All that an object with those members may say."""
    ways = [[f"{name}={value}", *([] if needed else [""])] for name, value, needed in members]
    return {",".join(filter(None, some)) for some in product(*ways)}


class TestMembers:
    @given(OBJECTS)
    def test_of_several_objects_are_those_of_one_of_them(self, objects: Any) -> None:
        rules: Rules = json_rules()
        shared: dict[Any, Rule] = {}

        def share(part: Any) -> Any:
            if part not in shared:
                shared[part] = Rule(f"r{len(shared)}")
                rules[shared[part].name] = part
            return shared[part]

        members = [
            [Member(name, Text(f"{name}="), Text(value), needed) for name, value, needed in each]
            for each in objects
        ]
        rules[START] = members_of(members, share)
        right = set[str]().union(*map(texts, objects))
        judges = [Judge(rules), Judge(merged(productive(rules)))]
        some = [[f"{name}=1", f"{name}=2", ""] for name in "abcd"]
        for way in product(*some):
            for order in (way, way[::-1]):
                text = ",".join(filter(None, order))
                assert {judge(text) for judge in judges} == {text in right}, text


class TestRules:
    def test_that_say_the_same_by_way_of_each_other_are_one(self) -> None:
        a = choice([Text("x"), Sequence((Text("("), Rule("b"), Text(")")))])
        b = choice([Text("x"), Sequence((Text("("), Rule("a"), Text(")")))])
        rules = {START: choice([Rule("a"), Rule("b"), Rule("c")]), "a": a, "b": b, "c": Text("x")}
        assert [*merged(rules)] == [START, "a", "c"]

    def test_that_never_end_are_left_out(self) -> None:
        endless = Sequence((Text("a"), Rule("endless")))
        rules: Rules = {START: Choice((Rule("endless"), Text("b"))), "endless": endless}
        assert productive(rules) == {START: Text("b")}
        with pytest.raises(SchemaError, match="no tree is left"):
            productive({START: Rule(START)})
