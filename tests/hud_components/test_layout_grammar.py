"""The grammar of agents' layouts: what may stand where, which props, which paths; sampled both ways."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from hud_components import (
    HudState,
    agent_layout_of_data,
    agent_vocabulary,
    layout_grammar,
)
from tests.ujsx.schema.gbnf import Judge, read_gbnf, texts_of
from ujsx import LayoutError, LoadError, SchemaError, dump, read_layout

GOOD = [
    "<Hud/>",
    '<Hud title="Uploads">\n  <TaskSection/>\n\n  Run the *slow* tests.\n\n  <NotesSection limit={2}/>\n</Hud>',
    '<Hud><When field="notes" above={5}>Too many notes.</When><NotesSection density="compact"/></Hud>',
    '<Hud><List><Each of="next_steps" limit={3}><Item><Value of="description"/></Item></Each></List></Hud>',
    "<Hud><Compact><DecisionsList show_ids/></Compact><BlockersList/><ContextBar/></Hud>",
    '<Hud><When lacks="task">*None*</When><When has="blockers">Stop.</When><TaskSection/></Hud>',
]

BAD: list[tuple[str, dict[str, Any]]] = [
    ("a section in a list", {"type": "List", "children": [{"type": "TaskSection"}]}),
    ("a link", {"type": "Link", "props": {"url": "https://a.b"}, "children": ["a"]}),
    ("a path that leads nowhere", {"type": "When", "props": {"has": "blokers"}, "children": ["a"]}),
    ("data of a section", {"type": "NotesSection", "props": {"notes": []}}),
    ("what is left out of a section", {"type": "NotesSection", "props": {"unlisted": 3}}),
    ("a setting of what is shown in any case", {"type": "BlockersList", "props": {"limit": 1}}),
    ("a handle", {"type": "Each", "props": {"of": "notes", "handle": "x"}, "children": ["a"]}),
    ("another Hud inside", {"type": "Labelled", "children": []}),
]

LEFT = (
    "changes", "shows nothing of the session", "has no field", "compared", "is never", "stands around all else",
    "is no list", "is shown in any case", "put it outside", "there is nothing to repeat", "no number", "comparison",
    "put it beside the other", "condition", "above", "holds", "is a ",
)  # fmt: skip
"""Words of what only the whole can tell."""


@cache
def rules() -> Any:
    return read_gbnf(layout_grammar(HudState))


def spelt(data: Any) -> Any:
    if isinstance(data, str):
        return data
    children = [spelt(each) for each in data["children"]]
    return {"type": data["type"], "props": data["props"], "children": children}


def mistake_of(data: Any) -> str:
    try:
        agent_layout_of_data(data, HudState)
    except (LayoutError, LoadError) as error:
        return str(error)
    return ""


class TestLayoutGrammar:
    @pytest.mark.parametrize("text", GOOD)
    def test_takes_layouts_that_can_be_shown(self, text: str) -> None:
        tree = read_layout(text, agent_vocabulary(HudState))
        assert Judge(rules())(json.dumps(spelt(dump(tree)), ensure_ascii=False))

    @pytest.mark.parametrize(("name", "node"), BAD, ids=[name for name, _ in BAD])
    def test_refuses_what_may_not_stand_in_one(self, name: str, node: dict[str, Any]) -> None:
        assert not Judge(rules())(json.dumps({"type": "Hud", "children": [node]}))

    def test_leaves_to_the_check_what_only_the_whole_can_tell(self) -> None:
        taken: list[bool] = []

        @settings(suppress_health_check=[*HealthCheck])
        @given(text=texts_of(rules(), 80))
        def check(text: str) -> None:
            data = json.loads(text)
            mistake = mistake_of(data)
            assert not mistake or any(word in mistake for word in LEFT), mistake
            taken.append(not mistake)

        check()
        assert sum(taken) > len(taken) // 4

    def test_is_written_for_lark_too(self) -> None:
        assert layout_grammar(HudState, syntax="lark").startswith("start: ")
        with pytest.raises(SchemaError, match="is no syntax of grammars"):
            layout_grammar(HudState, syntax="bnf")
