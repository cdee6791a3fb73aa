"""A section added to the coding HUD: one declaration, and the domain's list. All else follows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import pytest
from hypothesis import given, settings

from hud_components import CODING, HudItem, ItemsSection, Line, StatusLine, parse
from hud_runtime import EventDraft, HudSession, HudStore
from hud_runtime.editing import changes, for_editing, record_changes
from hud_runtime.history.exchange import export_session, import_session
from hud_runtime.tools import definitions
from ujsx import Density, RenderContext, render
from ujsx.schema import DIALECTS
from ujsx.testing import assert_fits, assert_inert, assert_nothing_hidden
from ujsx.testing.strategies import components


class Risk(HudItem):
    """Something that may go wrong."""

    what: Line
    """What may happen."""
    size: Literal["small", "large"] = "small"
    """How bad it would be."""


class Risks(ItemsSection[Risk]):
    """What may go wrong."""

    name = "risks"
    noun = "risk"
    prefix = "r"
    lines = MappingProxyType({"full": "**{what}** ({size})", "compact": "{what}"})
    from_parent: ClassVar[bool] = True
    from_project: ClassVar[bool] = True

    risks: tuple[Risk, ...] | None = None


CAREFUL = CODING.with_sections(Risks, name="careful")


@pytest.fixture
def store() -> Iterator[HudStore[Any]]:
    with HudStore.open(":memory:", domain=CAREFUL) as opened:
        yield opened


@pytest.fixture
def session(store: HudStore[Any]) -> HudSession[Any]:
    return store.session("s")


def test_has_events_a_state_and_ids(session: HudSession[Any]) -> None:
    event = session.record("risks.add", what="Disk full", actor="tool")
    assert (event.type, event.payload.id) == ("risks.add", "r-2")
    [risk] = session.state()[Risks]
    assert (risk.id, risk.what, risk.said_by, risk.said_at) == ("r-2", "Disk full", "tool", 2)
    session.record("note.add", content="the coding sections are there as well")
    assert session.known.notes[0].id == "n-3"


def test_has_operations_with_help_in_every_dialect(session: HudSession[Any]) -> None:
    for dialect in DIALECTS:
        said = json.dumps(definitions(dialect, domain=CAREFUL, rare=True))
        assert "risks.add" in said or "risks_add" in said
        assert "said_by" not in said
    told = session.call("hud", {"op": "help", "operation": "risks.add"}).text
    assert "How bad it would be." in told
    assert "did you mean" in session.call("hud", {"op": "risks.ad", "what": "x"}).text


def test_knows_duplicates_and_names_by_text(session: HudSession[Any]) -> None:
    session.call("hud", {"op": "risks.add", "what": "Disk full"})
    again = session.call("hud", {"op": "risks.add", "what": "Disk full"}).text
    assert again.startswith("Known already: r-2.")
    assert session.call("hud", {"op": "risks.update", "id": "Disk full", "size": "large"}).text
    assert session.state()[Risks][0].size == "large"
    assert session.call("hud", {"op": "risks.remove", "id": "r-"}).text.startswith("Removed")


def test_is_listed_in_pages_counted_and_left_out_with_its_call(session: HudSession[Any]) -> None:
    for number in range(40):
        session.record("risks.add", what=f"Risk number {number}")
    page = session.call("hud", {"op": "risks.list", "limit": 10}).text
    assert page.count("Risk number") == 10
    assert "after" in page
    assert "`hud risks.list`" in session.hud(density="compact").text
    assert "40 risks" in render(StatusLine(state=session.state()))
    assert_nothing_hidden(session, but=("Risk.size",))  # which the dense lines do not have
    assert_fits(session, 300, or_floor=True, may_hide=True)


@pytest.mark.parametrize("density", Density)
@pytest.mark.parametrize("budget", ["off", 500])
def test_climbs_its_ladder_and_is_read_back(
    session: HudSession[Any], density: Density, budget: Any
) -> None:
    session.record("task.set", description="Ship it")
    for number in range(3):
        session.record("risks.add", what=f"Risk *{number}*")
    text = session.hud(density=density, budget=budget).text
    assert ("Risk" in text) == (density is not Density.MINIMAL or budget != "off")
    node = parse(text, vocabulary=CAREFUL.sections)
    assert any(isinstance(each, Risks) for each in node.children)
    again = None if budget == "off" else budget
    assert render(node, density=density, budget=again) == text


def test_is_edited_as_text(session: HudSession[Any]) -> None:
    session.record("risks.add", what="Disk full")
    hud = for_editing(session.state())
    edited = render(hud).replace("Disk full** (small)", "Disk full** (large)")
    [event] = record_changes(session, changes(hud, edited), since=session.version)
    assert (event.type, event.payload.size) == ("risks.update", "large")


def test_is_inherited_and_says_so(store: HudStore[Any]) -> None:
    store.project("p").record("risks.add", what="Old disk")
    store.session("parent").record("risks.add", what="Disk full")
    child = store.session("child", project="p", parent="parent")
    assert {each.id.partition(":")[0] for each in child.state()[Risks]} == {"project", "parent"}
    assert "Disk full *from the parent session*" in child.hud(density="compact").text


def test_is_found_and_told(session: HudSession[Any]) -> None:
    session.record("risks.add", what="Disk full")
    assert [hit.type for hit in session.search("disk")] == ["risks.add"]
    assert "r-2 added: Disk full" in session.call("hud", {"op": "history"}).text


def test_is_exported_imported_and_kept_in_snapshots(
    session: HudSession[Any], tmp_path: Any
) -> None:
    session.record("risks.add", what="Disk full")
    lines = [*export_session(session)]
    with HudStore.open(tmp_path / "hud.db", domain=CAREFUL) as other:
        assert import_session(other, lines).state() == session.state()
        other.session("s").record_all(
            EventDraft("risks.add", {"what": f"Risk {number}"}) for number in range(300)
        )
    with HudStore.open(tmp_path / "hud.db", domain=CAREFUL) as again:
        assert len(again.session("s").state()[Risks]) == 301


@settings(max_examples=10)
@given(components(Risks))
def test_has_strategies_and_is_inert(node: Any) -> None:
    assert_inert(node, RenderContext())


def test_as_a_tool_takes_drafts_alone() -> None:
    from ujsx.schema import tool_definition

    said = {*re.findall(r"\w+", json.dumps(tool_definition(Risks, dialect="mcp")))}
    assert not said & {"unlisted", "show_ids", "said_by", "density", "limit"}
    assert {"what", "size"} <= said


def test_the_coding_domain_is_as_it_was() -> None:
    assert "risks.add" not in CODING.section_events
    with HudStore.open(":memory:") as store:
        assert "risks" not in store.session("s").state().model_dump()
