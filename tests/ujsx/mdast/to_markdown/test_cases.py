"""What a careful person would write: cases as data in ``cases.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.ids import looped
from ujsx.mdast import Node, Paragraph, Text, from_dict, to_markdown

CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("cases.json").read_text(encoding="utf-8")
)


def tree(data: Any) -> Node:
    """A case's tree; a string stands for a paragraph of text."""
    return Paragraph([Text(data)]) if isinstance(data, str) else from_dict(data)


@looped("case", CASES, ids=lambda case: case["says"])
def test_written_as(case: dict[str, Any]) -> None:
    assert to_markdown(tree(case["tree"])) == case["markdown"]
