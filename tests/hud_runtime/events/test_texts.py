"""Every text of every event takes characters, all of them, and nothing else, however it comes in.

The models are walked, so a field that is added is tried as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal, get_args

import pytest
from pydantic import BaseModel

from hud_components import HudState
from hud_runtime import EventDraft, EventError, HudStore, Limits
from hud_runtime.cli import main
from hud_runtime.history.exchange import export_session, import_session
from hud_runtime.log.events import (
    PAYLOADS,
    ItemChange,
    check_size,
    read_event,
)
from hud_runtime.transcripts import replay
from tests.ids import looped
from ujsx import FrozenMapping

HALF = "a\ud83d"
"""Half of a surrogate pair behind a letter, as a text that was cut in the middle of an emoji has it."""

SAYS = "is not Unicode text"


def places(
    model: type[BaseModel], seen: frozenset[type] = frozenset()
) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every text within a model; 0 stands for an item of a list."""
    for name, field in model.model_fields.items():
        for rest in _within(field.annotation, seen | {model}):
            yield (name, *rest)


def _within(annotation: Any, seen: frozenset[type]) -> Iterator[tuple[Any, ...]]:
    if annotation is str:
        yield ()
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation not in seen:
            yield from places(annotation, seen)
    elif getattr(annotation, "__origin__", None) is tuple:
        for rest in _within(get_args(annotation)[0], seen):
            yield (0, *rest)
    elif getattr(annotation, "__origin__", None) is FrozenMapping:
        yield ("notes.title",)
    else:
        for part in get_args(annotation):
            yield from _within(part, seen)


def holding(model: type[BaseModel], place: tuple[Any, ...], text: str) -> dict[str, Any]:
    """Data of a model that has ``text`` at a place, and elsewhere what is needed."""
    data: dict[str, Any] = {
        name: _sample(field.annotation) for name, field in model.model_fields.items()
        if field.is_required()
    }  # fmt: skip
    if issubclass(model, ItemChange):  # which says something beside its id
        changed = next(name for name in model.model_fields if name != "id")
        data[changed] = "a"
    name, *rest = place
    data[name] = _filled(model.model_fields[name].annotation, tuple(rest), text)
    return data


def _filled(annotation: Any, rest: tuple[Any, ...], text: str) -> Any:
    if not rest:
        return text
    if rest[0] == 0:
        items = next(one for one in _parts(annotation) if getattr(one, "__origin__", None) is tuple)
        return [_filled(get_args(items)[0], rest[1:], text)]
    if getattr(annotation, "__origin__", None) is FrozenMapping:
        return {rest[0]: text}
    model = next(
        one for one in _parts(annotation) if isinstance(one, type) and issubclass(one, BaseModel)
    )
    return holding(model, rest, text)


def _parts(annotation: Any) -> list[Any]:
    is_union = getattr(annotation, "__origin__", None) is not tuple and get_args(annotation)
    return [*get_args(annotation)] if is_union else [annotation]


def _sample(annotation: Any) -> Any:
    return (
        1
        if annotation is int
        else get_args(annotation)[0]
        if getattr(annotation, "__origin__", None) is Literal
        else ["a"]
        if getattr(annotation, "__origin__", None) is tuple
        else "a"
    )


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (event_type, place) for event_type, model in PAYLOADS.items() for place in places(model)
]


def envelope(event_type: str, payload: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "id": "1", "session_id": "s", "version": 1, "turn": 0, "timestamp": 0, "actor": "user",
        "type": event_type, "payload": payload, **changes,
    }  # fmt: skip


def test_the_walk_finds_the_texts() -> None:
    assert len(CASES) > 60
    found = {".".join(map(str, place)) for place in places(PAYLOADS["session.start"])}
    assert {"project", "inherited.decisions.0.details", "inherited.usage.model"} <= found
    assert {"decisions.0.details", "notes.0.id"} <= {
        ".".join(map(str, place)) for place in places(PAYLOADS["section.replace"])
    }
    assert ("compacted_context",) in set(places(HudState))


class TestHalfOfASurrogatePair:
    def test_is_refused_where_it_stands(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            for event_type, place in CASES:
                payload = holding(PAYLOADS[event_type], place, HALF)
                name = ".".join(map(str, place))
                with pytest.raises(EventError) as caught:
                    session.record(event_type, **payload)
                assert str(caught.value).startswith(f'{event_type}: the field "{name}" ')
                assert SAYS in str(caught.value)
                assert str(caught.value).isprintable()
                assert session.version == 1
                with pytest.raises(EventError, match=rf'the field "payload\.{name}" .* {SAYS}'):
                    read_event(envelope(event_type, payload))

    @looped("name", ["id", "session_id"])
    def test_is_refused_in_the_envelope(self, name: str) -> None:
        with pytest.raises(EventError, match=f'the field "{name}" .* {SAYS}'):
            read_event(envelope("note.add", {"content": "a"}, **{name: HALF}))

    def test_is_refused_as_the_name_of_a_field(self) -> None:
        with HudStore.open(":memory:") as store, pytest.raises(EventError, match=SAYS):
            store.session("s").record("note.add", **{HALF: 1})

    def test_is_refused_in_the_names_of_sessions_and_projects(self) -> None:
        with HudStore.open(":memory:") as store:
            for act in (
                lambda: store.session(HALF),
                lambda: store.session("s", project=HALF),
                lambda: store.session("s", parent=HALF),
                lambda: store.project(HALF),
                lambda: store.search("a", session=HALF),
                lambda: store.keeping.archive(HALF),
                lambda: store.keeping.purge(HALF),
            ):
                with pytest.raises(EventError, match="half of a surrogate pair"):
                    act()
            assert store.sessions() == ()

    def test_finds_nothing(self) -> None:
        with HudStore.open(":memory:") as store:
            store.session("s").record("note.add", content="b")
            assert store.search("\ud83d") == []

    def test_is_not_recorded_by_a_tool(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            for call in (
                {"op": "notes.add", "content": HALF},
                {"op": "decisions.record", "summary": "a", "details": HALF},
                {"op": "search", "query": HALF},
            ):
                result = session.call("hud", call)
                assert result.is_error
                assert result.text.encode()
            assert session.version == 1

    def test_is_told_of_a_transcript(self) -> None:
        drafts = [EventDraft("note.add", {"content": text}) for text in ("a", HALF, "b")]
        with HudStore.open(":memory:") as store:
            done = replay(drafts, store.session("s"))
            assert [each.payload.content for each in done.events] == ["a", "b"]  # type: ignore[attr-defined]
            assert SAYS in str(done.problems[0])

    def test_is_refused_by_an_import(self, tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("decision.record", summary="a", details="MARK")
            lines = [*export_session(session)]
        lines[-1] = lines[-1].replace("MARK", "\\ud83d")
        with (
            HudStore.open(":memory:") as other,
            pytest.raises(ValueError, match=f"line 3: .*{SAYS}"),
        ):
            import_session(other, lines)
        file = tmp_path / "s.jsonl"
        file.write_text("".join(lines))
        assert main(["session", "import", str(file), "--store", str(tmp_path / "hud.db")]) == 2
        assert SAYS in capsys.readouterr().err

    def test_is_refused_by_the_command(self, tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
        store = str(tmp_path / "hud.db")
        assert main(["record", "s", "session.start", "--store", store]) == 0
        capsys.readouterr()
        wrong = "a\udcff"  # as the byte 0xFF comes on a command line
        for arguments, name in (
            (["decision.record", "--summary", wrong], "summary"),
            (["decision.record", "--summary", "a", "--details", wrong], "details"),
            (["step.reorder", "--ids", "a", "--ids", wrong], "ids"),
            (["decision.record", json.dumps({"summary": "a", "details": wrong})], "details"),
        ):
            assert main(["record", "s", *arguments, "--store", store]) == 2
            complaint = capsys.readouterr().err
            assert f'the field "{name}" is' in complaint
            assert SAYS in complaint
            assert complaint.count("\n") == 1


class TestNul:
    """A null character is a character: it is kept, and shown as a picture of itself."""

    @looped(
        ("event_type", "payload", "name", "shown"),
        [
            ("note.add", {"content": "a\0b"}, "content", "a␀b"),
            ("decision.record", {"summary": "s", "details": "a\0b"}, "details", "a␀b"),
            ("file.open", {"path": "a\0b"}, "path", "a␀b"),
            ("session.title", {"title": "a\0b"}, "title", "a␀b"),
            # It is Markdown, in which U+0000 is U+FFFD (CommonMark 0.31.2, section 2.3).
            ("compact.after", {"summary": "a\0b"}, "summary", "a\ufffdb"),
        ],
    )
    def test_is_kept_and_made_visible(
        self, event_type: Any, payload: Any, name: str, shown: str
    ) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s\0s", project="p\0p")
            session.record(event_type, **payload)
            [*_, last] = session.events()
            assert getattr(last.payload, name) == "a\0b"
            assert "\0" not in session.hud().text
            assert shown in session.hud().text
            lines = [*export_session(session)]
            with HudStore.open(":memory:") as other:
                assert import_session(other, lines).state() == session.state()


class TestSize:
    """A text above the limit is refused where it comes in; what is stored is read as it is."""

    LIMITS = Limits(text=10)

    def test_of_every_text_is_limited(self) -> None:
        for event_type, place in CASES:
            payload = PAYLOADS.parse(event_type, holding(PAYLOADS[event_type], place, "x" * 11))
            with pytest.raises(EventError) as caught:
                check_size(event_type, payload, self.LIMITS)
            name = ".".join(map(str, place))
            said = f'the field "{name}" has 11 characters, and 10 is the limit; '
            raised = "UJSX_MAX_TEXT or Limits(text=…) raises it"
            assert str(caught.value) == f"{event_type}: {said}{raised}"
            check_size(event_type, payload, Limits(text=11))

    def test_is_asked_for_whatever_is_recorded(self) -> None:
        with HudStore.open(":memory:", limits=self.LIMITS) as store:
            session = store.session("s")
            session.record("note.add", content="a")
            for event_type, fields in (
                ("note.add", {"content": "x" * 11}),
                ("note.update", {"id": "n-2", "content": "x" * 11}),
                ("file.edit", {"path": "x" * 11}),
                ("compact.after", {"summary": "x" * 11}),
                ("section.replace", {"notes": [{"content": "a"}, {"content": "x" * 11}]}),
            ):
                with pytest.raises(EventError, match="11 characters"):
                    session.record(event_type, **fields)
            with pytest.raises(EventError, match='"project" has 11 characters'):
                store.session("other", project="x" * 11)
            assert session.version == 2

    def test_at_the_limit_is_taken(self) -> None:
        with HudStore.open(":memory:", limits=self.LIMITS) as store:
            session = store.session("s")
            session.record("note.add", content="x" * 10)
            assert session.record("note.add", content="é" * 10).version == 3

    def test_of_what_is_stored_does_not_matter(self, tmp_path) -> None:
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            parent = store.session("parent")
            parent.record("decision.record", summary="x" * 99)
            parent.record("note.add", content="y" * 99)
            lines = [*export_session(parent)]
        with HudStore.open(path, limits=self.LIMITS) as store:
            parent = store.session("parent")
            assert parent.state().notes[0].content == "y" * 99
            assert "y" * 99 in parent.hud().text
            child = store.session("child", parent=parent)
            assert child.state().decisions[0].summary == "x" * 99
            parent.record("note.remove", id="n-3")
            with pytest.raises(ValueError, match=r'"summary" has 99 characters'):
                import_session(store, lines, session_id="copy")

    def test_is_told_by_a_tool(self) -> None:
        with HudStore.open(":memory:", limits=self.LIMITS) as store:
            result = store.session("s").call("hud", {"op": "notes.add", "content": "x" * 11})
            assert result.is_error
            assert "has 11 characters, and 10 is the limit" in result.text

    def test_is_limited_by_the_environment(self, tmp_path, monkeypatch, capsys) -> None:
        store = str(tmp_path / "hud.db")
        assert main(["record", "s", "session.start", "--store", store]) == 0
        monkeypatch.setenv("UJSX_MAX_TEXT", "10")
        assert main(["record", "s", "note.add", "--content", "x" * 11, "--store", store]) == 2
        assert "UJSX_MAX_TEXT" in capsys.readouterr().err
        monkeypatch.setenv("UJSX_MAX_TEXT", "11")
        assert main(["record", "s", "note.add", "--content", "x" * 11, "--store", store]) == 0
