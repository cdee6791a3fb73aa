"""Another order of worth, to be scored beside the one that is: what each section's rungs are worth, as data.

    {"files first": {"ActiveFiles": {"weight": 4}, "NotesSection": {"weight": 0.5}}}

``weight`` takes the place of a section's weight, and ``worth`` of the ranks of its rungs, from the least to the most,
where rungs have them. A section that is not named is as it is.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeAlias

from hud_components import CODING
from ujsx import Disclosure, Rung

Order: TypeAlias = Mapping[str, Mapping[str, Any]]
"""What is changed of each section, by its class's name."""


@contextmanager
def ordered(order: Order) -> Generator[None, None, None]:
    """Give sections other weights and ranks for a while.

    :raises KeyError: for a section that does not exist.
    """
    sections = {each.__name__: each for each in CODING.sections}
    before = {name: sections[name].disclosure for name in order}
    try:
        for name, change in order.items():
            sections[name].disclosure = changed(before[name], change)
        yield
    finally:
        for name, disclosure in before.items():
            sections[name].disclosure = disclosure


def changed(disclosure: Disclosure, change: Mapping[str, Any]) -> Disclosure:
    """Return a disclosure with another weight, and other ranks of its rungs."""
    ladder = disclosure.ladder
    if "worth" in change:
        pairs = zip(ladder, change["worth"], strict=True)
        ladder = tuple(_ranked(rung, rank) for rung, rank in pairs)
    return replace(disclosure, ladder=ladder, weight=change.get("weight", disclosure.weight))


def _ranked(rung: Any, rank: int) -> Rung:
    ranked: Rung = replace(rung, worth=replace(rung.worth, rank=rank))
    return ranked
