"""What a careful person would write: cases as data in ``cases.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ujsx.mdast import Node, Paragraph, Text, from_dict, to_markdown

CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("cases.json").read_text(encoding="utf-8")
)


def tree(data: Any) -> Node:
    """A case's tree; a string stands for a paragraph of text."""
    return Paragraph([Text(data)]) if isinstance(data, str) else from_dict(data)


def test_written_as(subtests: pytest.Subtests) -> None:
    for case in CASES:
        with subtests.test(case["says"]):
            assert to_markdown(tree(case["tree"])) == case["markdown"]
