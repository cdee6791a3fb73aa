"""Both policies for a session: what is cut was kept first, and what was shown is shown again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hud_runtime import HudSession, HudStore, StoreError, StoreFullError
from hud_runtime.pruning import OldOutputs, Pruning, ToolOutput, output_id


@pytest.fixture
def session() -> Iterator[HudSession]:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        yield store.session("s")


def listing(count: int = 400, folder: str = "src") -> ToolOutput:
    text = "".join(f"{folder}/module_{number}.py\n" for number in range(count))
    return ToolOutput(text=text, tool="Glob", id=folder)


def test_the_whole_comes_back_byte_for_byte(session: HudSession) -> None:
    output = ToolOutput(text="\ud800a\r\n\x00" + "b/c.py\r\n" * 300 + "ü\u2028", tool="LS")
    text = Pruning().new(session, output)
    assert text != output.text
    kept = session.output(output_id(output.text))
    assert kept is not None
    assert kept.text == output.text
    assert (kept.tool, kept.mode, kept.characters) == ("LS", "normal", len(output.text))


def test_the_level_is_the_sessions(session: HudSession) -> None:
    session.record("context.snapshot", used=190_000, limit=200_000)
    assert len(Pruning().new(session, listing()).splitlines()) == 21


def test_what_was_shown_is_shown_again_whatever_the_level_is_now(session: HudSession) -> None:
    history = [listing(folder="a")]
    first = Pruning().all_of(session, history, new=0)
    session.record("context.snapshot", used=190_000, limit=200_000)
    history.append(listing(folder="b"))
    again = Pruning().all_of(session, history, new=1)
    assert again[:1] == first
    assert len(again[1].splitlines()) == 21


def test_what_was_shown_whole_stays_whole(session: HudSession) -> None:
    history = [listing(60, "a")]
    assert Pruning().all_of(session, history, new=0) == (history[0].text,)
    session.record("context.snapshot", used=190_000, limit=200_000)
    history.append(listing(60, "b"))
    again = Pruning().all_of(session, history, new=1)
    assert again[0] == history[0].text
    assert again[1] != history[1].text


def test_another_process_shows_the_same(session: HudSession) -> None:
    history = [listing(folder="a"), listing(folder="b")]
    first = Pruning().all_of(session, history, new=0)
    assert Pruning().all_of(session, history, new=2) == first


def test_an_output_that_went_stays_gone(session: HudSession) -> None:
    old = OldOutputs(protect=100, minimum=100, turns=0)
    policy = Pruning(smart=None, old=old)
    history = [ToolOutput(text=f"{n} " * 2_000, tool="Bash", id=f"{n}") for n in range(3)]
    first = policy.all_of(session, history, new=2)
    assert [each.startswith("…") for each in first] == [True, True, False]
    assert policy.all_of(session, history, new=3) == first


class Full:
    """A session whose disk is full."""

    def __init__(self, session: HudSession) -> None:
        self.known = session.known
        self.outputs = session.outputs

    def keep_output(self, name: str, text: str, *, tool: str = "", mode: str = "normal") -> None:
        raise StoreFullError("the disk is full")


def test_what_cannot_be_kept_is_not_pruned(session: HudSession) -> None:
    with pytest.raises(StoreError):
        Pruning().new(Full(session), listing())
    short = ToolOutput(text="all is well", tool="Bash")
    assert Pruning().new(Full(session), short) == "all is well"


def test_two_outputs_of_one_id_are_told_apart(session: HudSession) -> None:
    session.keep_output("o-1", "one")
    with pytest.raises(StoreError, match="another output o-1"):
        session.keep_output("o-1", "two")
    found = session.output("o-1")
    assert found is not None
    assert found.text == "one"
