"""Texts of users, to learn the weights of rules from and to hold them against."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parent / "data"


class Text(NamedTuple):
    """A text of a user: a rule, an ordinary prompt or a reply; alone, in a long prompt, in a refusal or in an answer."""

    kind: str
    language: str
    place: str
    text: str
    rule: str
    """The words of the rule, where the text is one or has one."""


def texts(file: str) -> list[Text]:
    """Return the texts of a file, in which a line break is written as two characters."""
    lines = (DATA / file).read_text(encoding="utf-8").splitlines()
    return [Text(*line.replace("\\n", "\n").split("\t")) for line in lines]
