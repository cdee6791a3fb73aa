"""A session that is exported and imported is the same session."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import EventDraft, ExchangeError, HudStore
from hud_runtime.history.exchange import export_session, import_session
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.drafts import event_drafts
from tests.hud_runtime.inside import lessen


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=Ticking()) as store:
        yield store


@pytest.fixture
def lines(store: HudStore) -> list[str]:
    """The export of a session of five events."""
    session = store.session("s", project="shop")
    for number in range(4):
        session.record("note.add", content=f"note {number}")
    return list(export_session(session))


@pytest.fixture
def other() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=Ticking()) as store:
        yield store


class TestRoundTrip:
    @given(drafts=st.lists(event_drafts, max_size=15), archived=st.booleans())
    def test_loses_nothing(self, drafts: list[EventDraft], archived: bool) -> None:
        with HudStore.open(":memory:") as one, HudStore.open(":memory:") as two:
            session = one.session("s")
            session.record_all(drafts, refused=lambda *_: None)
            if archived:
                one.keeping.archive("s")
            copy = import_session(two, export_session(session))
            assert list(copy.events()) == list(session.events())
            assert copy.state() == session.state()
            assert list(export_session(copy)) == list(export_session(session))
            assert two.keeping.verify() == ()

    def test_keeps_a_projects_defaults(self, store: HudStore, other: HudStore) -> None:
        store.project("shop").record("note.add", content="Tests run with make")
        import_session(other, export_session(store.project("shop")))
        assert len(other.session("s", project="shop").state().notes) == 1

    def test_gives_a_copy_under_another_name_ids_of_its_own(
        self, store: HudStore, lines: list[str]
    ) -> None:
        copy = import_session(store, lines, session_id="copy")
        assert store.sessions() == ("s", "copy")
        ids = {event.id for name in store.sessions() for event in store.session(name).events()}
        assert len(ids) == 10
        assert copy.state().notes == store.session("s").state().notes

    def test_finishes_what_was_interrupted(self, other: HudStore, lines: list[str]) -> None:
        import_session(other, lines[:3])
        copy = import_session(other, lines)
        assert copy.version == 5
        assert import_session(other, lines).version == 5

    def test_comes_in_pages(
        self, other: HudStore, lines: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lessen(monkeypatch, "IMPORTED", 2)
        assert len(list(import_session(other, lines).events())) == 5


def changed(line: str, **values: object) -> str:
    return json.dumps({**json.loads(line), **values})


class TestRefusal:
    @pytest.mark.parametrize(
        ("at", "line", "message"),
        [
            (0, "{}", 'line 1: an exported session begins with {"ujsx": "session", …}'),
            (0, "", "line 1: it is not JSON"),
            (0, '{"ujsx": "session", "lines": 1}', "line 1: .* are whole numbers"),
            (0, '{"ujsx": "session", "lines": 9, "format": 1}', "is from a newer version"),
            (2, "{", "line 3: it is not JSON"),
            (2, "[" * 100_000, "line 3: it is not JSON"),
            (2, "[]", "line 3: it is not a JSON object"),
            (2, '{"type": "note.ad"}', 'line 3: unknown event type "note.ad"; did you mean'),
            (3, None, "line 4: version 4 is where 3 belongs"),
            (1, None, "line 2: version 2 is where 1 belongs"),
        ],
    )
    def test_names_the_line(
        self, other: HudStore, lines: list[str], at: int, line: str | None, message: str
    ) -> None:
        lines[at : at + 1] = [] if line is None else [line]
        with pytest.raises(ExchangeError, match=message):
            import_session(other, lines)

    def test_of_two_sessions_in_one_file(self, other: HudStore, lines: list[str]) -> None:
        lines[3] = changed(lines[3], session_id="t")
        with pytest.raises(ExchangeError, match='"t" is in the file of session "s"'):
            import_session(other, lines)

    def test_of_a_session_without_its_beginning(self, other: HudStore, lines: list[str]) -> None:
        lines[1] = changed(lines[2], version=1)
        with pytest.raises(ExchangeError, match=r"line 2: a session begins with session\.start"):
            import_session(other, lines)

    def test_of_a_session_that_tells_another_story(self, store: HudStore, lines: list[str]) -> None:
        lines[3] = lines[3].replace("note 1", "note 9")
        with pytest.raises(ExchangeError, match="its event 3 is another one; import under another"):
            import_session(store, lines)
        assert store.session("s").version == 5

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"turn": 3}, r"line 5: turn 0 comes after turn 3"),
            ({"id": "first"}, r'line 4: an event of another session has the id "first" already'),
            ({"type": "session.start", "payload": {}}, r"line 4: a session begins only once"),
            ({"timestamp": -1}, r"line 4: .*timestamp"),
            ({"timestamp": 2**60}, r"line 4: .*timestamp"),
            ({"version": 9}, r"line 4: version 9 is where 3 belongs"),
        ],
    )
    def test_of_a_broken_law_imports_nothing(
        self, other: HudStore, lines: list[str], change: dict[str, object], message: str
    ) -> None:
        event = next(iter(other.session("there").events()))
        other.import_events("t", [event.model_copy(update={"session_id": "t", "id": "first"})])
        lines[3] = changed(lines[3], **change)
        with pytest.raises(ExchangeError, match=message):
            import_session(other, lines)
        assert other.sessions() == ("there", "t")

    def test_of_one_id_for_two_events_imports_nothing(
        self, other: HudStore, lines: list[str]
    ) -> None:
        lines[4] = changed(lines[4], id=json.loads(lines[2])["id"])
        for name in (None, "copy"):
            with pytest.raises(ExchangeError, match=r'line 5: line 3 has the id ".*" too'):
                import_session(other, lines, session_id=name)
        assert other.sessions() == ()

    def test_of_a_late_line_imports_nothing(
        self, other: HudStore, lines: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lessen(monkeypatch, "IMPORTED", 1)
        lines[-1] = "{"
        with pytest.raises(ExchangeError, match="line 6: it is not JSON"):
            import_session(other, lines)
        assert other.sessions() == ()

    def test_of_nothing(self, other: HudStore, lines: list[str]) -> None:
        with pytest.raises(ExchangeError, match="there are no events"):
            import_session(other, lines[:1])
        assert other.sessions() == ()

    def test_of_a_name_that_cannot_be(self, other: HudStore, lines: list[str]) -> None:
        with pytest.raises(ExchangeError, match="is empty, or has white space"):
            import_session(other, lines, session_id=" ")

    def test_of_a_purged_session(self, store: HudStore, lines: list[str]) -> None:
        store.keeping.purge("s")
        with pytest.raises(ExchangeError, match="was purged"):
            import_session(store, lines)
