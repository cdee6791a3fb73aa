"""What callers give for events, and the line that each is answered with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from hud_components import Domain, HudItem, ItemsSection, Line
from hud_runtime import EventDraft, EventError, HudSession, HudStore


class Dose(HudItem):
    """A dose."""

    drug: Line
    amount: Line


class Doses(ItemsSection[Dose]):
    """What is to be given."""

    name = "doses"
    lines: ClassVar[dict[str, str]] = {"full": "{drug}: *{amount}*"}


@pytest.fixture
def session() -> Iterator[HudSession[Any]]:
    with HudStore.open(":memory:") as store:
        yield store.session("s")


def refusal(session: HudSession[Any], *given: Any, **payload: Any) -> str:
    version = session.version
    with pytest.raises(EventError) as raised:
        session.record(*given, **payload)
    assert session.version == version
    return str(raised.value)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (
            ("step.add", ["a", "b"]),
            """record_all(EventDraft("step.add", {"description": each}) for each in ['a', 'b'])""",
        ),
        ((None,), 'record("note.add")'),
        (("steps.set", ["a"]), 'did you mean "section.replace" with next_steps=[…]?'),
        (("session.start",), 'record("session.title", title=…)'),
    ],
)
def test_record_says_the_line(session: HudSession[Any], given: Any, line: str) -> None:
    assert line in refusal(session, *given)


def test_a_mapping_has_the_fields(session: HudSession[Any]) -> None:
    record: Any = session.record
    for made in (
        record("note.add", {"content": "a"}),
        record("note.add", payload={"content": "a"}),
        record("note.add", {"note": "a"}, turn=3),
    ):
        assert made.payload.content == "a"
    assert made.turn == 3


def test_a_list_under_a_name_is_an_event_each(session: HudSession[Any]) -> None:
    assert "record an event for each of ['a', 'b']" in refusal(
        session, "step.add", steps=["a", "b"]
    )


def test_a_text_that_lacks_fields_says_them() -> None:
    with HudStore.open(":memory:", domain=Domain("clinic", sections=(Doses,))) as store:
        session = store.session("s")
        said = refusal(session, "doses.add", "Aspirin")
        assert said == (
            """doses.add also requires amount; write record("doses.add", drug='Aspirin', amount=…)"""
        )
        assert session.record("doses.add", "Aspirin", amount="1").version == 2


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ([{"type": "note.add", "content": "x"}], """[EventDraft("note.add", {'content': 'x'})]"""),
        (
            {"type": "note.add", "payload": {"content": "x"}},
            """[EventDraft("note.add", {'content': 'x'})]""",
        ),
        (
            EventDraft("note.add", {"content": "x"}),
            """[EventDraft("note.add", {'content': 'x'})]""",
        ),
        ([EventDraft("note.add", "x")], '[EventDraft("note.add", {…})]'),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        (["note.add"], '[EventDraft("note.add", {…})]'),
        ("note.add", '[EventDraft("note.add", {…})]'),
        ([None], '[EventDraft("note.add", {…})]'),
    ],
)
def test_record_all_says_the_line(session: HudSession[Any], given: Any, line: str) -> None:
    for record in (session.record_all, session.post_all):
        with pytest.raises(EventError) as raised:
            record(given)
        assert line in str(raised.value)
    assert session.version == 1


def test_record_all_takes_pairs(session: HudSession[Any]) -> None:
    pairs: Any = [("note.add", {"content": "x"}), ["note.add", {"content": "y"}]]
    session.record_all(pairs)
    assert [each.content for each in session.state().notes] == ["x", "y"]


def test_lines_that_are_told_work(session: HudSession[Any]) -> None:
    session.record_all(EventDraft("step.add", {"description": each}) for each in ["a", "b"])
    session.record("section.replace", next_steps=["c"])
    session.record("section.clear", section="plan")
    assert session.state().next_steps == ()
