"""Stored events, states, HUDs, answers and schemas are the bytes that they were."""

from __future__ import annotations

import json

import pytest

from tests.golden._golden import DRAFTS, HERE, of_the_agent_alone, told_by, tools


@pytest.mark.parametrize("drafts", DRAFTS)
def test_a_session_is_stored_and_shown_as_it_was(drafts: str) -> None:
    compared = 0
    for name, text in told_by(drafts):
        assert f"{text}\n" == (HERE / name).read_bytes().decode(), name
        compared += 1
    assert compared == 7


@pytest.mark.parametrize("drafts", DRAFTS)
def test_what_the_agent_alone_said_is_kept_and_shown_as_before_items_had_sources(
    drafts: str,
) -> None:
    sums = json.loads((HERE / "agent-alone.sha256.json").read_text())
    for name, total in of_the_agent_alone(drafts):
        assert sums[name] == total, name


def test_what_is_exported_is_as_it_was() -> None:
    compared = 0
    for name, text in tools():
        assert f"{text}\n" == (HERE / name).read_bytes().decode(), name
        compared += 1
    assert compared == 7
