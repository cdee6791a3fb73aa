"""What notebooks and terminals show of values."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from hud_components import NotesSection
from hud_runtime import HudStore
from ujsx import Child, Children, Component, RenderContext, compare, explain, render_document
from ujsx.components import Displayed
from ujsx.elements import Paragraph, Section, strong


class Broken(Component):
    def render(self, ctx: RenderContext, children: Children) -> Child:
        return object()  # type: ignore[return-value]


def displayed(value: Displayed) -> tuple[str | None, str | None]:
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
