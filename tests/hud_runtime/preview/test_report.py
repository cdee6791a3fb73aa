"""One file, without script and network, whatever the subject says."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from hud_runtime.preview import PreviewLook, Subject, report
from tests.hud_runtime.preview.hostile import hostile_session
from tests.hud_runtime.preview.inside import TAGS

OWN = {"body", "details", "div", "head", "header", "html", "main", "meta", "small", "b", "style", "summary", "title"}  # fmt: skip
"""The elements of a report beside those that a text may have."""


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in ("html", "meta"):
            self.names |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


def seen(text):
    found = Seen()
    found.feed(text)
    found.close()
    return found


@pytest.fixture(scope="module")
def made(demo):
    return report(demo, PreviewLook(turn=20, density="compact"))


def test_it_has_the_text_and_its_figures(made, demo):
    view = demo.ask("view", PreviewLook(turn=20, density="compact"))
    text = seen(made).text
    assert "".join(each["text"] for each in view["nodes"]) in text
    assert f"turn 20 of 34, coding, version {view['version']}" in text
    assert f"{view['tokens']:,} tokens" in text
    for each in view["nodes"]:
        assert each["path"] in text
    for each in view["omitted"]:
        assert each["handle"] is None or each["handle"] in text
    assert "is a prefix of this one" in text


def test_its_policy_lets_in_its_own_style_alone(made):
    (style,) = re.findall(r"<style>(.*?)</style>", made, re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in made


def test_the_same_look_gives_the_same_bytes(made, demo):
    assert report(demo, PreviewLook(turn=20, density="compact")) == made


def test_hostile_texts_are_text(tmp_path, preview):
    path = tmp_path / "hud.db"
    hostile_session(path)
    shown = preview(
        Subject("</title><script>x</script>", store=str(path), session="<script>s</script>")
    )
    for turn in (1, 9, None):
        found = seen(report(shown, PreviewLook(turn=turn, density="full", budget="off")))
        assert found.tags <= TAGS | OWN
        assert found.names <= {"class", "title"}


def test_a_tree_alone_has_no_turns(tmp_path, preview):
    path = tmp_path / "hud.md"
    path.write_text("# Desk\n\n<NotesSection/>\n\nPort 8080\n")
    text = seen(report(preview(Subject("hud.md", layout=str(path))), PreviewLook())).text
    assert "Port 8080" in text
    assert "Prefix" not in text
