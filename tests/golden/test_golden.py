"""Stored events, states, HUDs, answers and schemas are the bytes that they were."""

from __future__ import annotations

import pytest

from tests.golden._golden import DRAFTS, HERE, told_by, tools


@pytest.mark.parametrize("drafts", DRAFTS)
def test_a_session_is_stored_and_shown_as_it_was(drafts: str) -> None:
    compared = 0
    for name, text in told_by(drafts):
        assert f"{text}\n" == (HERE / name).read_bytes().decode(), name
        compared += 1
    assert compared == 7


def test_what_is_exported_is_as_it_was() -> None:
    compared = 0
    for name, text in tools():
        assert f"{text}\n" == (HERE / name).read_bytes().decode(), name
        compared += 1
    assert compared == 7
