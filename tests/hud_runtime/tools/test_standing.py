"""O4: the agent pins a section open or folds it, through its tool, without being offered anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hud_components import CODING
from hud_runtime import HudSession, HudStore
from hud_runtime.tools import definitions, hud_toolset
from tests.docs.domains.cases import SUPPORT
from tests.hud_runtime.tools.reading import recorded
from tests.ids import looped
from ujsx.tools import ToolResult

Call = Callable[..., ToolResult]
NAMES = ("section.pin", "section.fold", "section.reset")


@pytest.fixture
def session() -> Iterator[HudSession]:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        made = store.session("s")
        for number in range(4):
            made.record("note.add", content=f"Port {8080 + number} is taken")
        yield made


@pytest.fixture
def call(session: HudSession) -> Call:
    def made(op: str, **arguments: Any) -> ToolResult:
        return session.call("hud", {"call": {"op": op, **arguments}})

    return made


def told(result: ToolResult) -> str:
    return result.text.rpartition("\n")[0]


class TestOperations:
    def test_pin_fold_and_take_back(self, session: HudSession, call: Call) -> None:
        assert told(call("section.fold", section="notes")) == "Folded notes: notes.list shows all."
        assert "*4 notes: `hud notes.list`*" in session.hud().text
        assert "pinned" not in told(call("section.pin", section="notes"))
        assert session.state().pinned_sections == ("notes",)
        assert (
            told(call("section.reset", section="notes"))
            == "Reset notes: neither pinned nor folded."
        )
        assert "- Port 8080" in session.hud().text

    def test_say_where_nothing_changes(self, session: HudSession, call: Call) -> None:
        call("section.pin", section="notes")
        assert told(call("section.pin", section="notes")) == "Nothing changed."
        assert told(call("section.reset", section="steps")) == "Nothing changed."

    @pytest.mark.parametrize("name", NAMES)
    def test_refuse_what_is_no_section(self, session: HudSession, call: Call, name: str) -> None:
        before = session.version
        result = call(name, section="nots")
        assert result.is_error
        assert told(result) == "there is no section 'nots'; did you mean \"notes\"?"
        assert session.version == before

    def test_refuse_to_fold_what_has_to_be_seen(self, call: Call) -> None:
        assert told(call("section.fold", section="blockers")).startswith(
            "blockers cannot be folded"
        )
        assert not call("section.pin", section="blockers").is_error

    def test_take_the_names_that_other_operations_have(
        self, session: HudSession, call: Call
    ) -> None:
        for name in ("files", "active_files", "Active files"):
            call("section.pin", section=name)
            assert session.state().pinned_sections == ("active_files",)
            call("section.reset", section=name)

    def test_in_other_layouts_of_a_call(self, session: HudSession) -> None:
        session.call("hud", {"tool": "section-fold", "args": {"section": "notes"}})
        assert session.state().folded_sections == ("notes",)
        session.call("hud_section_reset", {"section": "notes"})
        assert session.state().folded_sections == ()

    def test_are_listed_in_the_tool_and_told_by_help(self, call: Call) -> None:
        assert f"{', '.join(NAMES)}: section" in str(definitions("mcp"))
        assert "pin a section open" in told(call("help"))
        assert '"section"' in told(call("help", operation="section.pin"))

    def test_are_there_in_every_domain(self) -> None:
        for domain in (CODING, SUPPORT.domain):
            assert {*NAMES} <= {*hud_toolset(None, domain=domain).operations}


class TestTranscripts:
    """A call that an agent made is the event that the tool recorded."""

    @looped("name", NAMES)
    def test_are_read_as_the_tool_reads_them(self, name: str) -> None:
        given = {"call": {"op": name, "section": "steps"}}
        assert recorded(given, "…") == [(name, {"section": "steps"})]
