"""Other people's JSON files: one member more or less, and every other byte as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import InstallError
from tests.hud_runtime.integrations.inside import settings_file
from tests.ids import looped

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)
FILES = st.dictionaries(st.text(max_size=5), VALUES, max_size=5)
LAYOUTS: list[dict[str, Any]] = [
    {"indent": 2},
    {"indent": "\t"},
    {"indent": None},
    {"indent": 4, "ensure_ascii": False},
    {"indent": 0},
    {"separators": (",", ":")},
]


@given(FILES, st.sampled_from(LAYOUTS), st.sampled_from(["\n", "\r\n"]), VALUES)
def test_a_member_comes_and_goes(
    file: dict[str, Any], layout: dict[str, Any], line: str, value: Any
) -> None:
    text = (json.dumps(file, **layout) + "\n").replace("\n", line)
    if "ours" in file:
        return
    more = settings_file.with_value(text, ["ours", "a b", 0], value)
    assert settings_file.data_of(more) == {**file, "ours": {"a b": [value]}}
    less = settings_file.without(more, ["ours"])
    assert settings_file.data_of(less) == file
    if file:
        assert less == text


@given(FILES, st.sampled_from(LAYOUTS), st.data())
def test_what_goes_leaves_the_rest(
    file: dict[str, Any], layout: dict[str, Any], data: st.DataObject
) -> None:
    text = json.dumps(file, **layout)
    for name in data.draw(st.permutations([*file])):
        text = settings_file.without(text, [name])
        del file[name]
        assert settings_file.data_of(text) == file
    assert settings_file.without(text, ["nothing", 3]) == text


def test_a_value_is_replaced_in_its_place() -> None:
    text = '{"b": 1,\n "a": "x",  "c": 2}'
    assert settings_file.with_value(text, ["a"], "y") == '{"b": 1,\n "a": "y",  "c": 2}'


@looped("text", ["[]", "{", "3", '{"a": 1,}', "// a comment\n{}"])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(InstallError, match="repair it first"):
        settings_file.data_of(text)


@looped(
    ("text", "path", "why"),
    [
        ('{"a": 1}', ["a", "b"], "a is a plain value, where an object is needed"),
        ('{"a": null}', ["a", 0], "a is a plain value, where a list is needed"),
        ('{"a": []}', ["a", "b"], "a is a list, where an object is needed"),
        ('{"a": {"b": {}}}', ["a", "b", 0], "a.b is an object, where a list is needed"),
    ],
)
def test_what_can_hold_nothing_of_that_kind_is_refused(
    text: str, path: list[str | int], why: str
) -> None:
    with pytest.raises(InstallError, match=why):
        settings_file.with_value(text, path, 2)


@looped("work", [settings_file.data_of, lambda text: settings_file.with_value(text, ["b"], 1)])
def test_what_is_nested_too_deeply_is_refused(work: Callable[[str], object]) -> None:
    text = f'{{"a": {"[" * 100_000}{"]" * 100_000}}}'
    with pytest.raises(InstallError, match="nested too deeply"):
        work(text)


def test_of_members_with_one_name_the_last_counts() -> None:
    text = '{"a": {"b": 1}, "a": {"c": 2}}'
    more = settings_file.with_value(text, ["a", "d"], 3)
    assert settings_file.data_of(more) == {"a": {"c": 2, "d": 3}}
    assert settings_file.without(more, ["a", "d"]) == text


def test_a_byte_order_mark_stays() -> None:
    assert settings_file.with_value("\ufeff{}", ["a"], 1).startswith("\ufeff{")
