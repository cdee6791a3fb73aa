"""The pictures of the docs show what the code does: they are made anew and compared.

The minute in a terminal runs six commands, so it is made anew where the site is built, or when all is run with
``UJSX_SITE`` set; the others at once.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest

from tests.docs.programs import DOCS, program
from tests.ids import looped

PICTURES = DOCS / "pictures"
README = DOCS.parent / "README.md"


@pytest.fixture(scope="module")
def made() -> ModuleType:
    return program("pictures")


def committed(name: str) -> str:
    return (PICTURES / name).read_text("utf-8")


def test_the_ladder_is_what_is_rendered(made: ModuleType) -> None:
    assert committed("ladder.svg") == made.ladder(), "run make pictures"


def test_the_ladder_has_the_figures_that_are_said_of_it() -> None:
    figures = re.findall(r"\$ \w+: (\d+) tokens", committed("ladder.svg"))
    [said] = re.findall(r"!\[(.*)\]\(docs/pictures/ladder\.svg\)", README.read_text("utf-8"))
    assert re.findall(r"\d+", said) == figures


@pytest.mark.skipif(not os.environ.get("UJSX_SITE"), reason="make docs runs it")
def test_the_minute_is_what_its_commands_print(made: ModuleType) -> None:
    found = made.scenes()
    assert committed("minute.cast") == made.cast(found), "run make pictures"
    assert committed("minute.svg") == made.film(found), "run make pictures"


@looped("name", ["ladder.svg", "minute.svg"])
def test_a_picture_is_xml_that_fetches_and_runs_nothing(name: str) -> None:
    text = committed(name)
    tags = {each.tag.rpartition("}")[2] for each in ET.fromstring(text).iter()}
    assert tags <= {"svg", "title", "style", "rect", "text", "g"}
    assert "url(" not in text
    assert "@import" not in text


class TestTheRecording:
    """What asciicast, version 2, asks for, and what the minute is to show."""

    def lines(self) -> list[str]:
        return committed("minute.cast").splitlines()

    def test_is_an_asciicast_of_a_minute(self) -> None:
        header, *events = map(json.loads, self.lines())
        assert header["version"] == 2
        assert header["width"] > 0
        assert header["height"] > 0
        times = [at for at, kind, text in events if kind == "o" and isinstance(text, str)]
        assert len(times) == len(events)
        assert times == sorted(times)
        assert times[-1] == 60

    def test_shows_what_it_is_for(self) -> None:
        shown = "".join(json.loads(line)[2] for line in self.lines()[1:])
        told = ("model: remedies.add", "asks for a summary", "*now:*", "compact      30     44")
        for each in ("class Remedies", "Pydantic AI", "ujsx edit", "1 failed", *told):
            assert each in shown, each

    def test_names_no_folder_of_whoever_made_it(self) -> None:
        assert "/tmp/" not in committed("minute.cast")
        assert str(Path.home()) not in committed("minute.cast")

    def test_has_a_section_of_25_lines(self) -> None:
        code = (DOCS / "examples" / "minute" / "desk.py").read_text("utf-8")
        assert len(code.splitlines()) <= 25
