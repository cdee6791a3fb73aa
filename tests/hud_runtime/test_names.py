"""What the package promises by name is there, and costs nothing until it is used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import hud_runtime
from tests.ids import looped

ROOT = Path(__file__).parents[2]


class TestNames:
    @looped("name", hud_runtime.__all__)
    def test_are_there_and_say_what_they_are(self, name: str) -> None:
        value = getattr(hud_runtime, name)
        assert name in dir(hud_runtime)
        assert isinstance(value, type) is False or value.__doc__

    def test_that_are_unknown_are_an_attribute_error(self) -> None:
        with pytest.raises(AttributeError, match="has no attribute 'Zork'"):
            hud_runtime.Zork  # noqa: B018

    @pytest.mark.parametrize(
        ("statement", "absent"),
        [
            ("import hud_runtime", ("pydantic", "sqlite3", "hud_components")),
            ("from hud_runtime import HudStore", ("sqlite3", "hypothesis", "pytest")),
            ("from hud_runtime import read_transcript", ("sqlite3", "markdown_it", "mistune")),
        ],
    )
    def test_load_only_what_they_need(self, statement: str, absent: tuple[str, ...]) -> None:
        script = f"import sys; {statement}; print([m for m in {absent} if m in sys.modules])"
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "[]"
