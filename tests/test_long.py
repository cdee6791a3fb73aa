"""The list of tests that take long names tests that are there, loops over cases leave none out, and ``.ci/run`` says what it
leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import LONG, ROOT
from tests.ids import looped


@looped("name", [name for names in LONG.values() for name in names])
def test_each_name_is_that_of_a_test(name: str) -> None:
    file, *parts = name.partition("[")[0].split("::")
    text = (ROOT / file).read_text("utf-8")
    assert all(re.search(rf"^ *(def|class) {part}\b", text, re.MULTILINE) for part in parts)


def test_ci_runs_each_target_that_checks_or_says_that_it_is_left_out() -> None:
    ci = ROOT / ".ci" / "run"
    if not ci.exists():
        pytest.skip("the source distribution has no .ci/run")
    named = set(re.findall(r"[a-z0-9-]+", ci.read_text("utf-8")))
    targets = re.findall(
        r"^([a-z0-9-]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE
    )
    assert {*targets} - named == {"help", "demo", "pages", "clean"}


class TestLooped:
    """A loop over cases is as strict as a test for each."""

    def test_every_case_is_tried_and_each_that_fails_is_reported_with_its_name(self) -> None:
        tried: list[tuple[str, int]] = []
        failed: list[str | None] = []

        class Reported:
            @contextmanager
            def test(self, msg: str | None = None) -> Iterator[None]:
                with pytest.raises((ValueError, pytest.fail.Exception)):
                    yield
                failed.append(msg)

        @looped("letter", ["a", "b"])
        @looped(
            ("number", "is_wrong"), [(1, True), (2, False), (3, True)], ids=["one", "two", "three"]
        )
        def example(letter: str, number: int, *, is_wrong: bool) -> None:
            tried.append((letter, number))
            if is_wrong and letter == "b":
                pytest.fail("as no error was raised")
            if is_wrong:
                raise ValueError

        example(subtests=Reported())
        assert tried == [(letter, number) for letter in "ab" for number in (1, 2, 3)]
        assert failed == ["'a' one", "'a' three", "'b' one", "'b' three"]

    def test_each_case_has_a_folder_of_its_own(self, tmp_path: Path) -> None:
        @looped("name", ["a", "b"])
        def example(tmp_path: Path, name: str) -> None:
            assert not [*tmp_path.iterdir()]
            (tmp_path / name).touch()

        example(tmp_path=tmp_path, subtests=None)
        assert len([*tmp_path.glob("*/*")]) == 2
