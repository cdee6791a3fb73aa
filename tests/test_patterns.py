"""No regular expression of the packages takes more than in proportion to what it is given."""

from __future__ import annotations

import re

import pytest

from hud_runtime.observe.messages import rows
from tests.growth import patterns, superlinear

USED_AS = {
    # in pairs of an opening, matched at the start, and a closing, searched for
    "_OPEN_HTML": frozenset({"match"}),
    # a style of a listing, matched at a line's start
    "_QUOTED": frozenset({"match"}),
    "_LISTINGS": frozenset({"match"}),
}
"""How patterns are used that are found by the name of a loop's variable."""


@pytest.mark.parametrize("package", ["ujsx", "hud_components", "hud_runtime"])
def test_every_pattern_is_linear(package: str) -> None:
    faults = [
        f"{used.name} ({use}): {hostile}"
        for used in patterns(package)
        for use in USED_AS.get(used.name.partition("[")[0].rpartition(".")[2], used.uses)
        if (hostile := superlinear(used.pattern, use)) is not None
    ]
    assert not faults


def test_every_pattern_of_a_definition_is_linear() -> None:
    told = [pattern for _, _, pattern in rows("definitions")]
    assert [each for each in told if superlinear(re.compile(each), "match") is not None] == []


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        (r"[ \t]*\n", "search"),
        (r"@(?<=[\w.+-]@)(?=[\w.-]*\.[\w.-]*[^\W\d_])", "all"),
        (r"(?s)<(a|b)>.*?</\1>", "all"),
        (r"^x:\s*\n+\s*(\S)", "search"),
    ],
)
def test_what_is_not_linear_is_found(pattern: str, use: str) -> None:
    assert superlinear(re.compile(pattern), use) is not None


def test_patterns_are_found() -> None:
    assert len(patterns("ujsx")) > 100
    assert len(patterns("hud_runtime")) > 20


def test_a_pattern_is_found_wherever_a_module_holds_it() -> None:
    names = {used.name for used in patterns("ujsx")}
    assert any("USUAL_STARTS._by_character[" in name for name in names)  # in a table
    assert any("USUAL._in_text" in name for name in names)  # in an object
