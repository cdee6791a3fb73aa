"""O5: the summaries of older compactions are listed, and each is read whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import Domain, HudItem, ItemsSection, Line
from hud_runtime import HudSession, HudStore
from hud_runtime.tools import HudTools, hud_toolset
from ujsx import mdast
from ujsx.tools import ToolResult

Call = Callable[..., ToolResult]

SUMMARIES = ("The schema is done.\n\nThe API is next.", "", "# Goal\nShip *all* of it", "c " * 400)


@pytest.fixture
def session() -> Iterator[HudSession]:
    with HudStore.open(":memory:", clock=lambda: 1_700_000_000_000) as store:
        made = store.session("s")
        for turn, summary in enumerate(SUMMARIES, start=1):
            made.record("note.add", content=f"Note {turn}", turn=turn)
            made.record("compact.after", summary=summary, turn=turn)
        yield made


@pytest.fixture
def call(session: HudSession) -> Call:
    def made(op: str, **arguments: Any) -> ToolResult:
        return session.call("hud", {"call": {"op": op, **arguments}})

    return made


def told(result: ToolResult) -> list[str]:
    return result.text.splitlines()[:-1]


class TestList:
    def test_tells_when_how_long_and_how_each_begins(self, call: Call) -> None:
        lines = told(call("summaries.list"))
        assert lines[1:] == [
            r"- `7` t3, 2023-11-14 22:13:20 UTC, 23 characters: # Goal",
            "- `3` t1, 2023-11-14 22:13:20 UTC, 37 characters: The schema is done.",
        ]
        assert lines[0].startswith("- `9` t4, 2023-11-14 22:13:20 UTC, 800 characters: c c c")
        assert len(lines[0]) < 200

    def test_comes_in_pages(self, call: Call) -> None:
        first = call("summaries.list", limit=2)
        assert told(first)[-1] == "1–2 of 3; the next: `after` 2"
        assert [each["version"] for each in first.data["items"]] == [9, 7]
        assert [each["version"] for each in call("summaries.list", after=2).data["items"]] == [3]
        assert told(call("summaries.list", after=9)) == ["None after 3."]

    def test_is_empty_before_the_first_compaction(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            assert session.call("hud", {"op": "summaries.list"}).text.startswith("None.")
            assert session.summaries() == ()


class TestGet:
    def test_shows_all_of_one_as_text(self, call: Call) -> None:
        assert told(call("summaries.get", id="3")) == [
            "> The schema is done.", ">", "> The API is next."
        ]  # fmt: skip
        assert call("summaries.get", id=3).data["text"] == SUMMARIES[0]
        assert told(call("summaries.get", id="7")) == [r"> \# Goal", r"> Ship \*all\* of it"]

    def test_opens_every_one_that_is_named(self, session: HudSession, call: Call) -> None:
        for each in session.summaries():
            assert call("summaries.get", id=f"{each.version}").data["text"] == each.text
        hit = next(iter(session.search("schema")))
        assert call("summaries.get", id=f"{hit.version}").data["text"] == SUMMARIES[0]

    def test_says_which_there_are(self, call: Call) -> None:
        result = call("summaries.get", id="5")
        assert result.is_error
        assert told(result) == ['there is no summary "5"; known: 3, 7, 9']

    def test_comes_in_parts_where_it_is_long(self) -> None:
        text = "\n".join(f"Line {number} of what was done" for number in range(60))
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("compact.after", summary=text)
            tools = HudTools(session, limit=400)
            parts: list[str] = []
            for part in range(1, 20):
                result = tools.call("hud", {"op": "summaries.get", "id": "2", "part": part})
                if result.is_error:
                    break
                parts.append(result.text)
            assert len(parts) > 3
            for number in range(60):
                assert sum(f"> Line {number} of what" in part for part in parts) == 1

    @given(st.text(min_size=1, max_size=80).filter(str.strip))
    def test_is_inert(self, text: str) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("compact.after", summary=text)
            answer = session.call("hud", {"op": "summaries.get", "id": "2"}).text
            listed = session.call("hud", {"op": "summaries.list"}).text
        [quote, *_] = mdast.from_markdown(answer.rpartition("\n")[0]).children
        assert isinstance(quote, mdast.Blockquote)
        assert all(isinstance(each, mdast.Paragraph) for each in quote.children)
        [rows, *_] = mdast.from_markdown(listed.rpartition("\n")[0]).children
        assert isinstance(rows, mdast.List)
        assert len(rows.children) == 1


class TestSessions:
    def test_have_them_after_what_is_long_past_was_archived(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db") as store:
            session = store.session("s")
            for number in range(3):
                session.record("note.add", content=f"Note {number}")
                session.record("compact.after", summary=f"Summary {number}")
            assert store.keeping.archive("s")
            texts = [each.text for each in store.session("s").summaries()]
        assert texts == ["Summary 0", "Summary 1", "Summary 2"]


class Digest(HudItem):
    """A summary of a book."""

    what: Line


class Summaries(ItemsSection[Digest]):
    """Summaries of books."""

    name = "summaries"
    lines = {"full": "{what}"}  # noqa: RUF012


def test_a_section_of_that_name_keeps_its_operations() -> None:
    toolset = hud_toolset(None, domain=Domain("books", sections=(Summaries,)))
    assert "summaries.add" in toolset.operations
    assert "summaries.get" not in toolset.operations
