"""What notebooks and terminals show of values."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from hud_components import NotesSection
from hud_runtime import HudStore
from ujsx import Child, Children, Component, RenderContext, compare, explain, render_document
from ujsx.components import Displayable
from ujsx.elements import Paragraph, Section, strong


class Broken(Component):
    def render(self, ctx: RenderContext, children: Children) -> Child:
        return object()  # type: ignore[return-value]


def displayed(value: Displayable) -> tuple[str | None, str | None]:
    return value._repr_markdown_(), value._repr_html_()


def test_of_components_and_elements_is_their_rendering() -> None:
    note = Section(title="<Notes>")["The ", strong("port")]
    assert displayed(note) == (
        "# \\<Notes>\n\nThe **port**\n",
        "<h1>&lt;Notes&gt;</h1>\n<p>The <strong>port</strong></p>\n",
    )
    assert displayed(Paragraph()) == (None, None)  # it says nothing: its repr is shown


def test_of_what_cannot_be_rendered_is_why() -> None:
    markdown, html = displayed(Broken())
    assert markdown is not None
    assert html is not None
    assert "ChildError: Broken" in markdown
    assert "ChildError: Broken" in html


def test_of_renderings_is_their_text() -> None:
    before, after = (render_document(Paragraph()[f"Port {port}"]) for port in (8080, 9090))
    assert displayed(before) == ("Port 8080\n", "<p>Port 8080</p>")
    markdown, html = displayed(compare(before, after))
    assert markdown is not None
    assert markdown.startswith("Paragraph breaks the prefix in line 1")
    assert html is not None
    assert html.startswith("<p>Paragraph breaks")
    markdown, html = displayed(explain(NotesSection(notes=({"content": "a"},)), 10))  # type: ignore[arg-type]
    assert markdown is not None
    assert "section       rung" in markdown
    assert html is not None
    assert html.startswith("<pre><code>")


def test_of_a_session_is_its_hud() -> None:
    with HudStore.open(":memory:") as store:
        session = store.session("s")
        session.record("note.add", content="<script>alert(1)</script> [a](javascript:b)")
        markdown, html = displayed(session)
        assert repr(session) == "<HudSession 's', version 2>"
    assert markdown == session.hud().text
    assert html is not None
    assert "<script" not in html
    assert "href" not in html


def test_in_a_terminal_is_what_rich_makes_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def kind(name: str) -> Callable[[str], tuple[str, str]]:
        def made(text: str) -> tuple[str, str]:
            return name, text

        return made

    monkeypatch.setitem(sys.modules, "rich.markdown", SimpleNamespace(Markdown=kind("markdown")))
    monkeypatch.setitem(sys.modules, "rich.text", SimpleNamespace(Text=kind("text")))
    assert Paragraph()["a"].__rich__() == ("markdown", "a\n")
    assert NotesSection(notes=()).__rich__() == ("text", repr(NotesSection(notes=())))


HOSTILE = "# H\n<script>alert(1)</script>\x1b[2J\x1b]0;t\x07 [bold]x[/bold] \u202e"


def of_a_store(path) -> dict[str, Displayable]:
    """A value of each kind that is shown as a document, hostile text in all of them."""
    with HudStore.open(path) as store:
        session = store.session(HOSTILE)
        session.record("note.add", content=HOSTILE)
        session.record("task.set", description=HOSTILE)
        full, minimal = (session.hud(density=density) for density in ("full", "minimal"))
        node = Section(title=HOSTILE)[HOSTILE]
        return {
            "session": session,
            "store": store,
            "domain": store.domain,
            "delivery": session.deliver(),
            "rendering": full,
            "comparison": compare(full, minimal),
            "explanation": explain(node, 10),
            "component": node.component,
            "element": node,
        }


def test_of_stores_domains_and_deliveries_is_what_they_hold(tmp_path) -> None:
    with HudStore.open(tmp_path / "hud.db") as store:
        assert repr(store) == f"<HudStore '{tmp_path / 'hud.db'}', domain 'coding'>"
        assert displayed(store)[0] == "0 sessions of the domain coding\n"
        session = store.session("shop")
        session.record("note.add", content="Port 8080")
        assert displayed(store)[0] == "1 session of the domain coding\n\n- `shop`: 2 events\n"
        assert displayed(session.deliver()) == displayed(session.hud())
        markdown, _ = displayed(store.domain)
    assert markdown is not None
    assert markdown.startswith("# coding\n\n- `task`: ")
    with HudStore.open(":memory:") as store:
        assert repr(store) == "<HudStore in memory, domain 'coding'>"
        for number in range(25):
            store.session(f"s{number}").record("note.add", content="a")
        markdown, _ = displayed(store)
    assert markdown is not None
    assert markdown.startswith(
        "25 sessions of the domain coding, the newest 20\n\n- `s5`: 2 events\n"
    )


def test_of_a_store_that_is_closed_is_why(tmp_path) -> None:
    markdown, html = displayed(of_a_store(tmp_path / "hud.db")["store"])
    assert markdown is not None
    assert html is not None
    assert "closed" in markdown
    assert "closed" in html


def test_hostile_text_is_inert_in_all_that_is_shown(tmp_path) -> None:
    steering = {*map(chr, range(32)), "\x7f", "\u202e"} - {"\n"}
    with HudStore.open(tmp_path / "hud.db") as store:
        session = store.session(HOSTILE)
        session.record("note.add", content=HOSTILE)
        shown = {"open store": store, "open session": session, **of_a_store(tmp_path / "other.db")}
        for name, value in shown.items():
            markdown, html = displayed(value)
            for text in (markdown or "", html or "", repr(value)):
                assert (name, steering & {*text}) == (name, set())
            assert "<script" not in (html or ""), name
            assert "\n" not in repr(value), name
