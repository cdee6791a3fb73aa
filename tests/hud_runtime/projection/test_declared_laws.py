"""The fold, the tools and the evolution of domains that anybody may declare."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hud_components import Domain, HudItem, ItemsSection, Line, Moment
from hud_runtime import EventError, HudStore
from hud_runtime.log.events import EventDraft, catalog_of
from hud_runtime.log.projection import project, projection_of
from hud_runtime.tools import hud_toolset
from tests.hud_components.declarations import domains
from tests.hud_runtime.drafts import event_drafts_of
from tests.ids import looped
from ujsx.schema import DIALECTS, lint

BOUNDED = settings(max_examples=2 * settings.default.max_examples // 5)

histories = domains().flatmap(
    lambda own: st.tuples(st.just(own[0]), st.lists(event_drafts_of(own[0]), max_size=25))
)


def recorded(session: Any, drafts: list[EventDraft]) -> None:
    """Record what is not refused."""
    for draft in drafts:
        with suppress(EventError):
            session.record_all([draft])


class TestStateIsAFold:
    @BOUNDED
    @given(histories, st.integers(0, 25))
    def test_a_snapshot_and_the_rest_are_all_of_it(self, own: Any, place: int) -> None:
        domain, drafts = own
        with HudStore.open(":memory:", domain=domain) as store:
            session = store.session("s")
            recorded(session, drafts)
            events = [*session.events()]
            state = domain.state()
            codec = projection_of(domain).codec
            assert codec is not None
            for event in events:
                if event.version == place:
                    state = codec.load(codec.dump(state))
                state = project(state, event, domain)
            assert session.state() == state
            for section in domain.fields.values():
                if section.kind is not None:
                    ids = [one.id for one in state[section]]
                    assert len({*ids, ""}) == len(ids) + 1, ids

    @BOUNDED
    @given(histories)
    def test_what_happens_changes_nothing_in_place_and_keeps_what_stays(self, own: Any) -> None:
        domain, drafts = own
        with HudStore.open(":memory:", domain=domain) as store:
            session = store.session("s")
            recorded(session, drafts)
            state = domain.state()
            for event in session.events():
                before = state.model_dump_json()
                after = project(state, event, domain)
                assert state.model_dump_json() == before
                assert project(state, event, domain) == after
                for field in domain.fields:
                    if getattr(after, field) == getattr(state, field):
                        assert getattr(after, field) is getattr(state, field)
                state = after

    @BOUNDED
    @given(histories, st.randoms())
    def test_never_fails_in_any_order(self, own: Any, random: Any) -> None:
        domain, drafts = own
        catalog, said = catalog_of(domain), []
        for draft in drafts:
            with suppress(EventError):
                said.append((draft.type, catalog.parse(draft.type, draft.payload)))
        random.shuffle(said)
        state = domain.state()
        for version, (event_type, payload) in enumerate(said, start=1):
            state = domain.after(
                state, event_type, payload, Moment(version, 9 - version % 5, 7, "user")
            )
        assert isinstance(state, domain.state)


class Price(HudItem):
    """What something costs."""

    what: Line
    """What it is."""
    much: float
    """How much it is."""


class Prices(ItemsSection[Price]):
    """What things cost."""

    name = "prices"
    lines: ClassVar[dict[str, str]] = {"full": "{what}: {much}"}


@looped("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_has_not_is_refused(number: float) -> None:
    """It would stand in the log as null, and be lost when the log is read."""
    with HudStore.open(":memory:", domain=Domain("shop", sections=(Prices,))) as store:
        session = store.session("s")
        with pytest.raises(EventError, match=r'the field "much" is .*finite number'):
            session.record("prices.add", what="Bread", much=number)
        assert session.state()[Prices] == ()


class TestOneDeclarationOfFields:
    @BOUNDED
    @given(domains())
    def test_of_item_draft_payload_and_tool(self, own: Any) -> None:
        domain, declared = own
        for each in declared:
            section = each.section
            filled = {name for name in each.fields if name not in ("done", "said_by")}
            assert set(section.draft.model_fields) == filled
            verb = "set" if section.kind is None else "add"
            payload = domain.payload(f"{section.event}.{verb}")
            assert set(payload.model_fields) - {"id"} == filled
            operation = hud_toolset(None, domain=domain).operations[f"{section.name}.{verb}"]
            assert (
                set(operation.arguments.model_fields) - {"id"} == filled
            )  # an item may bring its own
            for name in filled:
                fields = (
                    each.model_fields[name] for each in (section.value, section.draft, payload)
                )
                assert len({(str(one.annotation), str(one.default)) for one in fields}) == 1

    @settings(max_examples=6)
    @given(domains())
    def test_exported_for_every_provider(self, own: Any) -> None:
        domain, _ = own
        for operation in hud_toolset(None, domain=domain).operations.values():
            for dialect in DIALECTS:
                outcomes = {loss.outcome for loss in lint(operation.arguments, dialect)}
                assert "refused" not in outcomes, (operation.name, dialect)
