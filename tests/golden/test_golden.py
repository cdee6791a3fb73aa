"""All that is stored, rendered, sent and exported is what its hashes in the repository say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden._difference import changes_of_topic
from tests.golden._rows import postgres_server
from tests.golden._texts import HOW_TO_GO_ON, Hashes, Texts
from tests.golden._topics import golden


def test_no_text_changes_without_its_hash() -> None:
    changes = Hashes.of(golden()).changes(Hashes.read())
    told = "\n".join(f"{topic}: {how}" for topic, how in changes.items())
    assert not changes, f"{told}\n{HOW_TO_GO_ON}"


def texts(*cases: str) -> Texts:
    """Return texts with one case in each of two groups for each of some words."""
    made = Texts()
    for group in ("s1", "s2"):
        for case in cases:
            made.add("answers", group, "call", str, f"1\n2\n3\n{case}\n\x1b[0m")
    return made


def changes(after: Texts, before: Texts) -> str:
    return Hashes.of(after).changes(Hashes.of(before))["answers"]


class TestChanges:
    def test_a_change_is_named_with_its_groups(self) -> None:
        assert changes(texts("b"), texts("a")) == "changed: s1, s2"

    def test_a_topic_without_cases_is_never_as_before(self) -> None:
        assert changes(texts(), texts("a")) == "2 -> 0 cases; gone: s1, s2"
        assert changes(texts(), texts()) == "0 -> 0 cases"

    def test_an_exception_is_a_text(self) -> None:
        after = texts("a")
        after.add("answers", "s1", "call", lambda: 1 / 0)
        with after.errors("answers", "s3"):
            raise KeyError("id")
        assert changes(after, texts("a")) == "2 -> 4 cases; changed: s1; new: s3"
        assert b"raised ZeroDivisionError: division by zero" in after.of("answers", "s1")

    def test_a_skipped_topic_is_neither_compared_nor_forgotten(self) -> None:
        after = texts("b")
        after.skipped["answers"] = "there is no server"
        assert "answers" not in Hashes.of(after).changes(Hashes.of(texts("a")))
        assert "answers" not in Hashes.of(after)


def test_a_server_that_does_not_start_is_a_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg_pool")
    monkeypatch.setenv("POSTGRES", str(tmp_path))
    made = Texts()
    with postgres_server(made) as server:
        assert server is None
    assert b"raised AssertionError" in made.of("rows in PostgreSQL", "the server")
    assert not made.skipped


def test_a_difference_shows_changes_that_are_alike_once(tmp_path: Path) -> None:
    texts("a").write(tmp_path / "then")
    texts("b").write(tmp_path / "now")
    told = changes_of_topic("answers", tmp_path / "then" / "answers", tmp_path / "now" / "answers")
    assert [*told] == [
        "=== answers: 1 kinds of change, places: 2",
        "@@ s1: case call\n   2\n   3\n-  a\n+  b\n   \\x1b[0m",
        "@@ 2 places, but for numbers: s1 (1), s2 (1)",
    ]
