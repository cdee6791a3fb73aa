"""What can happen is a table, and what is recorded has been checked against it."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given

from hud_components import CodingEvent, DecisionDraft, NoteDraft
from hud_runtime import PAYLOADS, EventDraft, EventError, HudStore, read_event
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.drafts import event_drafts
from tests.ids import looped


class TestTable:
    def test_has_a_row_for_every_type_that_checkers_know(self) -> None:
        assert set(PAYLOADS) == set(get_args(CodingEvent))

    def test_shares_its_fields_with_the_drafts(self) -> None:
        recorded = PAYLOADS["decision.record"].model_json_schema()["properties"]
        drafted = DecisionDraft.model_json_schema()["properties"]
        assert {name: recorded[name] for name in drafted} == drafted

    def test_changes_have_the_constraints_of_what_they_change(self) -> None:
        changed = PAYLOADS["note.update"].model_json_schema()["properties"]["content"]
        created = NoteDraft.model_json_schema()["properties"]["content"]
        assert changed == created

    def test_says_of_every_type_what_it_means(self) -> None:
        assert all(model.__doc__ for model in PAYLOADS.values())

    def test_describes_every_field(self) -> None:
        silent = [
            f"{event_type}.{name}"
            for event_type, model in PAYLOADS.items()
            for name, info in model.model_fields.items()
            if not info.description
        ]
        assert silent == []


class TestPayload:
    @looped(
        ("event_type", "data", "message"),
        [
            (
                "note.ad",
                {},
                'unknown event type "note.ad"; did you mean "note.add", or note.update?',
            ),
            ("note.add", {"contnet": "x"}, 'unknown field "contnet"; did you mean "content"?'),
            ("note.add", {}, 'note.add: the field "content" is missing'),
            ("note.add", {"content": 5.5}, 'the field "content" is 5.5: input should be a valid'),
            ("note.add", {"content": "  "}, 'the field "content" is '),
            ("note.add", {"content": "\ud83d"}, 'the field "content" is '),
            ("note.update", {"id": "n-2"}, "nothing would change; give at least one of: content"),
            ("decision.update", {"id": "d-2", "summary": None}, 'the field "summary" is None'),
            ("context.snapshot", {"used": -1}, 'the field "used" is -1'),
            ("section.replace", {}, "give exactly one section of: decisions, "),
        ],
    )
    def test_that_does_not_fit_is_refused_with_what_to_write(
        self, event_type: str, data: dict[str, object], message: str
    ) -> None:
        with pytest.raises(EventError) as caught:
            PAYLOADS.parse(event_type, data)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_takes_a_value_away_where_the_draft_allows_none(self) -> None:
        change = PAYLOADS.parse("decision.update", {"id": "d-2", "label": None})
        assert change.model_dump() == {"id": "d-2", "label": None}

    def test_of_a_wrong_value_shows_only_its_beginning(self) -> None:
        with pytest.raises(EventError) as caught:
            PAYLOADS.parse("note.add", {"content": ["x" * 9_999]})
        assert len(str(caught.value)) < 250


class TestEvent:
    @given(draft=event_drafts)
    def test_is_the_same_after_writing_and_reading(self, draft: EventDraft) -> None:
        with HudStore.open(":memory:", clock=Ticking()) as store:
            session = store.session("s")
            session.record_all([draft], refused=lambda *_: None)
            for event in session.events():
                assert read_event(event.model_dump()) == event
                assert read_event(event.model_dump(mode="json")) == event
                assert PAYLOADS.adapter.validate_json(event.model_dump_json()) == event

    def test_has_the_payload_of_its_type_in_the_schema(self) -> None:
        schema = PAYLOADS.adapter.json_schema()
        assert set(schema["discriminator"]["mapping"]) == set(PAYLOADS)

    def test_cannot_be_changed(self) -> None:
        with HudStore.open(":memory:") as store:
            event = store.session("s").record("note.add", content="x")
        with pytest.raises(ValueError, match="frozen"):
            event.turn = 5

    @looped("field", ["turn", "timestamp"])
    @looped("value", [-1, 2**53, "soon"])
    def test_with_a_wrong_number_is_refused(self, field: str, value: object) -> None:
        data = {
            "id": "1", "session_id": "s", "version": 1, "turn": 0, "timestamp": 0,
            "actor": "user", "type": "task.clear", "payload": {},
        }  # fmt: skip
        with pytest.raises(EventError, match=f'the field "{field}" is'):
            read_event({**data, field: value})

    def test_models_are_made_once(self) -> None:
        assert PAYLOADS.model("note.add") is PAYLOADS.model("note.add")


@looped("reading", [{"used": 2**53}, {"used": 1, "limit": 10**400}])
def test_a_reading_is_a_number_that_can_be_shown(reading: dict[str, int]) -> None:
    with pytest.raises(EventError, match="less than or equal to 9007199254740991"):
        PAYLOADS.parse("context.snapshot", reading)
