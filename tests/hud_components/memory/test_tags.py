"""Memory in tags: nothing breaks out of them, and what they say is read back."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import Hud, TaskSection, as_shown, parse
from hud_components.memory import (
    CODING_MEMORY,
    ContextText,
    GoalText,
    MemoryItem,
    ProgressText,
    TaggedMemory,
    TaggedText,
    read_tags,
    tagged_memory,
)
from tests.hud_components.memory.strategies import BREAKOUTS, STATES
from tests.hud_components.strategies import DENSITIES
from tests.ids import looped
from ujsx import Density, RenderContext, render, render_document
from ujsx.testing import assert_inert
from ujsx.text import escaped

pytestmark = pytest.mark.filterwarnings("ignore::hud_components.declaring.LayoutWarning")


STATE: Any = CODING_MEMORY.state


def hud_of(state: Any) -> Any:
    """A layout that asks for the tags."""
    return Hud()[TaskSection.of_state(state), TaggedMemory.of_state(state)]


def test_j2_core_memory_in_tags_with_characters() -> None:
    state = STATE(
        core_goal=GoalText(content="g" * 87),
        core_progress=ProgressText(content="p" * 560),
        core_context=ContextText(content="c" * 479),
    )
    text = tagged_memory(state)
    assert text.startswith(f'<core_memory>\n<goal chars="87/1000">{"g" * 87}</goal>\n')
    assert '<progress chars="560/2000">' in text
    assert '<context chars="479/1500">' in text
    assert text.endswith("</core_memory>")
    assert render(TaggedMemory.of_state(state)) == f"```xml\n{text}\n```\n"


def test_j6_what_was_heard_is_grouped_and_within_characters() -> None:
    items = [
        MemoryItem(id=f"m-{n}", content=f"src/{'x' * 60}/{n}.py", seen=n, said_at=n)
        for n in range(40)
    ]
    items.append(MemoryItem(id="m-41", content="It fails", slot="error", seen=1, said_at=41))
    state = STATE(working_memory=tuple(items))
    text = tagged_memory(state)
    _core, _, working = text.partition("</core_memory>\n")
    lines = working.splitlines()
    assert len("\n".join(lines[1:-1])) <= 1_600
    assert lines[1] == "<error>It fails</error>"  # a slot stands first, however old it is
    shown = len(lines) - 2
    assert lines[0] == f'<working_memory items="{shown}/41">'
    newest = [each.content for each in items[:40]][-(shown - 1) :]
    assert [line[6:-7] for line in lines[2:-1]] == newest
    assert len(tagged_memory(state, characters=4_000)) > len(text)
    assert 'items="0/41"' in tagged_memory(state, characters=10)


@looped("hostile", BREAKOUTS)
def test_j2_no_text_breaks_out(hostile: str) -> None:
    state = STATE(
        core_goal=GoalText(content=hostile),
        working_memory=(MemoryItem(id="m-1", content=hostile, said_by="tool"),),
    )
    text = tagged_memory(state)
    assert text.count("<core_memory>") == text.count("</core_memory>") == 1
    assert text.count("</working_memory>") == 1
    read = read_tags(text)
    assert read is not None
    assert read.blocks[0].text == hostile.strip()
    assert read.items == (TaggedText(name="pool", text=hostile.strip(), said_by="tool"),)
    assert_inert(hud_of(state))


@given(STATES)
def test_any_xml_reader_sees_the_same(state: Any) -> None:
    root = ET.fromstring(f"<all>{tagged_memory(state, characters=10**6)}</all>")
    blocks = {each.tag: each.text or "" for each in root.findall("core_memory/*")}
    given_texts = {
        "goal": state.core_goal,
        "progress": state.core_progress,
        "context": state.core_context,
    }
    assert blocks == {
        name: "" if value is None else escaped(value.content) for name, value in given_texts.items()
    }
    told = sorted((each.tag, each.text or "") for each in root.findall("working_memory/*"))
    assert told == sorted((each.slot, escaped(each.content)) for each in state.working_memory)


@given(STATES, DENSITIES)
def test_what_tags_show_is_read_back(state: Any, density: Density) -> None:
    node = hud_of(state)
    text = render(node, density=density)
    vocabulary: tuple[Any, ...] = (*CODING_MEMORY.sections, TaggedMemory)
    read = parse(text, vocabulary=vocabulary)
    assert read == as_shown(node, density=density), text
    assert render(read, density=density) == text


@given(STATES, DENSITIES)
def test_tags_are_inert(state: Any, density: Density) -> None:
    assert_inert(hud_of(state), RenderContext(density=density), densities=(density,))


@given(STATES, st.lists(st.integers(0, 2_000), min_size=2, max_size=4).map(sorted))
def test_a_larger_budget_never_shows_less(state: Any, budgets: list[int]) -> None:
    node = hud_of(state)
    before: set[str] = set()
    for budget in budgets:
        rendered = render_document(node, budget=budget)
        assert rendered.over_budget or rendered.tokens <= budget
        hidden = {name for each in rendered.omitted for name in each.ids}
        shown = {each.id for each in state.working_memory} - hidden
        if "<core_memory>" in rendered.text:
            assert before <= shown
            before = shown
