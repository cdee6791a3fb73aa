"""A class has a name of its own in the whole house, so that a name says which one is meant."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]

CLASS = re.compile(r"^ *class (\w+)[(:]", re.MULTILINE)

PACKAGES = ("ujsx", "hud_components", "hud_runtime")

NODES = {
    "ujsx/elements.py",
    "ujsx/mdast/_nodes.py",
    "ujsx/mdast/util.py",  # a section of a tree
    "ujsx/hast.py",
    "ujsx/components/_element.py",
}
"""Nodes of the three kinds of trees, which share the names of the formats that they stand for."""

ADAPTERS = "hud_runtime/integrations/"
"""Adapters of SDKs, of which a program imports one: ``Hud``, or ``HudPlugin``, is what each has."""


def test_no_two_modules_have_a_class_of_one_name() -> None:
    places: dict[str, set[str]] = defaultdict(set)
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            place = file.relative_to(ROOT).as_posix()
            for name in CLASS.findall(file.read_text(encoding="utf-8")):
                if not is_of_a_family(name, place):
                    places[name].add(place)
    assert len(places) > 900
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def is_of_a_family(name: str, place: str) -> bool:
    is_adapter = place.startswith(ADAPTERS) and name in {"Hud", "HudPlugin"}
    return is_adapter or place in NODES
