"""The ways through the house stay short: whoever follows a text on one opens so many files, and no more."""

from __future__ import annotations

import pytest

from tests.ids import looped
from tests.walks import Calls, files, walks

MOST = {
    # Secrets are looked for in names and values, files compared, and other names understood, those of arguments, too;
    # ids are drawn ahead.
    "a note, recorded by a host": (32, 124),
    "a note, from the tool call into the log": (46, 225),
    # The words of an answer may be the session's own.
    "the answer to the call": (27, 62),
    # Texts are cut by the budget before they are rendered; each level of a tree is compared with what stood there.
    "a note, from the log to Markdown": (68, 634),
    "a heading, from Markdown to a Section": (28, 135),
}
"""Of each walk, how many files and calls it has at most. Less is better; more needs a reason."""


@pytest.fixture(scope="module")
def taken() -> dict[str, Calls]:
    return dict(walks())


def test_each_walk_has_its_bound(taken: dict[str, Calls]) -> None:
    assert taken.keys() == MOST.keys()


@looped("name", MOST)
def test_a_walk_does_not_grow(taken: dict[str, Calls], name: str) -> None:
    most_files, most_calls = MOST[name]
    assert files(taken[name]) <= most_files
    assert len(taken[name]) <= most_calls


def test_an_agents_words_are_validated_once(taken: dict[str, Calls]) -> None:
    names = [function for _, function in taken["a note, from the tool call into the log"]]
    assert names.count("validated") == 1
