"""``check_layout``: what it says of a HUD's layout is what a rendering of it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hud_components import (
    ActiveFile,
    Blocker,
    Check,
    ContextUsage,
    Decision,
    ErrorRecord,
    Fact,
    HudState,
    Note,
    Now,
    SessionInfo,
    StandingRule,
    Step,
    Task,
    Utterance,
    check_layout,
)
from hud_components.layout import SECTIONS, layout_vocabulary
from tests.ids import looped
from ujsx import Density, RenderContext, UjsxError, read_layout, render
from ujsx.elements import Paragraph

FULL = HudState(
    session=SessionInfo(id="s", title="Title", project="/srv", compactions=1, started_at=1),
    task=Task(description="Add a login"),
    decisions=tuple(Decision(id=f"d-{n}", summary="s", details="d") for n in range(30)),
    active_files=(ActiveFile(path="a.py"), ActiveFile(path="b.py", status="editing")),
    next_steps=(Step(description="a", completed=True), Step(description="b")),
    notes=tuple(Note(id=f"n-{n}", content="c\n\nd") for n in range(30)),
    blockers=(Blocker(description="a"), Blocker(description="b", resolved=True)),
    errors=(ErrorRecord(message="a"), ErrorRecord(message="b", resolved=True)),
    checks=(Check(name="pytest", command="pytest -q", result="pass"),),
    facts=(Fact(name="branch", value="main"),),
    where=(Utterance(speaker="agent", text="Shall I push it?"),),
    rules=(StandingRule(text="Never push to main."),),
    usage=ContextUsage(used=195_000, trend="growing", model="m"),
    compacted_context="Summary.",
    updated_at=1,
)
"""A state in which every section has something to show."""

CONTEXT = RenderContext().with_value(FULL).with_value(Now(10_000_000_000))

PIECES = (
    *(f"<{section.__name__}/>" for section in SECTIONS),
    "<Hud>", "</Hud>", "<Compact>", "</Compact>", '<Labelled label="a">', "</Labelled>",
    '<When has="task">', "</When>", '<When any="blockers" lacks="resolved">', '<When level="red">',
    '<When has="tsk">', '<When field="notes" above={3}>', '<When field="task" above={3}>',
    '<Each of="notes">', '<Each of="decisions" limit={2}>', "</Each>", '<Each of="task">',
    '<Value of="task.description"/>', '<Value of="content"/>', '<Value of="summary"/>', '<Value of="."/>',
    "<List>", "</List>", "<Item>", "</Item>", "<Table>", "</Table>", "<TableRow>", "</TableRow>",
    "<TableCell>", "</TableCell>", "<Strong>", "</Strong>", "<Paragraph>", "</Paragraph>",
    "text", "- ", "1. ", "# ", "> ", "**", "\n", "\n\n", "\n\n", "\n",
)  # fmt: skip

ROOMS = ("Hud", "Compact", 'When has="task"', 'Each of="notes"', "List", "Item", "Table", "TableRow",
    "TableCell", "Strong", "Paragraph", "BlockQuote", 'Section title="a"')  # fmt: skip


def nested(inner: Any) -> Any:
    """What stands between two tags."""
    return st.builds(
        lambda tag, parts: (
            f"<{tag}>\n{''.join(f'{part}' for part in parts)}\n</{tag.split()[0]}>\n"
        ),
        st.sampled_from(ROOMS),
        st.lists(inner, max_size=3),
    )


whole = st.recursive(st.sampled_from([f"{each}\n" for each in PIECES if "/>" in each]), nested)
broken = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def is_refused(text: str, context: RenderContext) -> bool:
    try:
        tree = read_layout(text, layout_vocabulary())
        for density in Density:
            render(tree, density=density, context=context)
    except UjsxError:
        return True
    return False


@pytest.mark.filterwarnings("ignore::hud_components.declaring.LayoutWarning")
@settings(suppress_health_check=[*HealthCheck])
@given(text=whole | broken)
def test_agrees_with_renderings(text: str) -> None:
    found = check_layout(text)
    assert bool(found) is is_refused(text, CONTEXT)
    if not found:
        assert not is_refused(text, RenderContext())
    assert all(each.line is not None and each.column is not None for each in found)


@pytest.mark.filterwarnings("ignore::hud_components.declaring.LayoutWarning")
@looped("section", SECTIONS)
def test_sections_are_blocks_as_they_say(section: Any) -> None:
    tree = Paragraph()[section()]
    assert render(section(), context=CONTEXT)
    with pytest.raises(UjsxError, match="cannot go inside inline text"):
        render(tree, context=CONTEXT)


def test_tells_of_paths_at_their_places() -> None:
    text = (
        '<Hud>\n<When has="tsk">\n<Value of="task.descripton"/>\n</When>\n'
        '<Each of="notes">\n- <Value of="contnt"/>\n</Each>\n<Each of="notes"/>\n</Hud>\n'
    )
    found = [(each.line, each.column, each.message.split(";")[0]) for each in check_layout(text)]
    assert found == [
        (2, 11, '"tsk": a HudState has no field "tsk"'),
        (3, 11, '"task.descripton": a Task has no field "descripton"'),
        (6, 13, '"contnt": a Note has no field "contnt"'),
        (8, 1, "there is nothing to repeat"),
    ]


def test_tells_of_no_path_in_what_cannot_be_read() -> None:
    found = check_layout('<Each of="notes" limt={3}>\n- <Value of="content"/>\n</Each>\n')
    assert [(each.line, each.column) for each in found] == [(1, 18)]


def test_takes_a_state_of_ones_own() -> None:
    class State(HudState):
        ticket: str = ""

    text = '<Value of="ticket"/>'
    assert check_layout(text, state=State) == ()
    (error,) = check_layout(text)
    assert 'a HudState has no field "ticket"' in error.message
