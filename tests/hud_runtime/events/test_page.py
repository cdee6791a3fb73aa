"""The table of events in the docs names every type with every field of its payload."""

from __future__ import annotations

import re
from pathlib import Path

from hud_runtime import PAYLOADS

PAGE = Path(__file__).parents[3] / "docs" / "look-up" / "events.md"
ROW = re.compile(r"^\| `(?P<type>[a-z.]+)` \| (?P<payload>.*?) ?\| [^|]+ \|$", re.MULTILINE)


class TestPage:
    def test_has_a_row_for_every_type_in_its_order(self) -> None:
        assert [row["type"] for row in ROW.finditer(PAGE.read_text("utf-8"))] == list(PAYLOADS)

    def test_names_the_fields_and_which_may_be_left_out(self) -> None:
        for row in ROW.finditer(PAGE.read_text("utf-8")):
            optional = set(
                re.findall("`(\\w+)`", "".join(re.findall(r"\*[^*]*\*", row["payload"])))
            )
            named = set(re.findall("`(\\w+)`", row["payload"]))
            fields = PAYLOADS[row["type"]].model_fields  # type: ignore[index]
            assert named == set(fields), row["type"]
            assert optional == {
                name for name, field in fields.items() if not field.is_required()
            }, row["type"]
