"""The lint of our own words finds what each of its rules is for, and passes over code and what is generated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.programs import program
from tests.ids import looped

words = program("words")


@looped(
    ("kind", "text"),
    [
        ("title", "What it does"),
        ("module", "How full the context is."),
        ("class", "Whether it is so."),
        ("function", "How much there is."),
        ("page", "This is no heading."),
        ("message", "'ful' is no density"),
        ("page", "It stands in the text."),
        ("page", "The agent is told."),
        ("page", "Write it anew."),
        ("message", "it goes by the name"),
        ("help", "for whoever reads it"),
        ("module", "It lets go of the lock."),
        ("page", "How it came about."),
        ("message", "the effect thereof"),
        ("page", "the colour of it"),
    ],
)
def test_a_rule_finds_its_pattern(kind: str, text: str) -> None:
    assert len([*words.findings(words.Text(kind, "here:1", text))]) == 1


@looped(
    "text",
    [
        "There is no limit.",
        "It is no longer there.",
        "They are no more than two.",
        "The color stands out.",
        "What it does is simple.",
        "The new one.",
    ],
)
def test_plain_english_passes(text: str) -> None:
    assert [*words.findings(words.Text("page", "here:1", text))] == []


def test_code_links_and_generated_parts_are_left_out() -> None:
    text = "`is no x`\n```text\nis no y\n```\n<!-- generated: x -->\nis no z\n<!-- end -->\n[a](is-told.md)\n"
    assert words.prose(text).splitlines() == ["CODE", "", "", "", "", "", "", "[a]"]


def test_a_long_sentence_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(f"Short one. {'word ' * 31}end.\n\n| {'cell ' * 40}|\n- {'word ' * 20}end.\n")
    assert [*words.too_long(page)] == [
        'page.md: more than 30 words: "word word word word word word …"'
    ]


def test_docstrings_messages_and_help_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "ROOT", tmp_path)
    path = tmp_path / "m.py"
    path.write_text(
        '"""A."""\nclass B:\n    """C."""\nclass D(B):\n    """schema"""\ndef f(x):\n    add(help="H")\n    raise ValueError(f"M {x}")\n'
    )
    found = {(each.kind, each.text) for each in words.of_module(path)}
    assert found == {
        ("module", "A."),
        ("class", "C."),
        ("function", ""),
        ("help", "H"),
        ("message", "M "),
    }


def test_the_words_of_pages_are_counted_without_decisions_and_generated_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "ROOT", tmp_path)
    for name, text in {
        "do/a.md": "one two\n<!-- generated: x -->\nthree\n<!-- end -->\nfour\n",
        "decisions/b.md": "five\n",
    }.items():
        page = tmp_path / "docs" / name
        page.parent.mkdir(parents=True)
        page.write_text(text)
    assert words.written() == 3


def test_decisions_are_few_and_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "ROOT", tmp_path)
    folder = tmp_path / "docs" / "decisions"
    folder.mkdir(parents=True)
    (folder / "history.md").write_text("word " * 301)
    for number in range(40):
        (folder / f"{number:04}-a.md").write_text("word " * 300)
    assert [*words.of_decisions()] == []
    (folder / "0040-a.md").write_text("word " * 301)
    assert [*words.of_decisions()] == [
        "docs/decisions: 41 pages, and 40 at most: move one to history.md",
        "docs/decisions/0040-a.md: 301 words, and 300 at most",
    ]
