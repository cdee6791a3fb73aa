"""Layouts in the idiom of JSX: each expression is refused, and the error shows the tags that say it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    Domain,
    HudItem,
    HudState,
    ItemsSection,
    Line,
    Value,
    check_layout,
    read_agent_layout,
)
from hud_components.layout import layout_vocabulary
from tests.ids import looped
from ujsx import LayoutError, LoadError, Vocabulary, load, read_layout
from ujsx.elements import PRIMITIVES

MEANT: dict[str, str] = {
    # as the founding documents have them
    'density === "full" && <NotesSection notes={state.notes} />': '<When field="usage.percentage" below={70}><NotesSection/></When>',
    "density !== 'minimal' && <DecisionsList decisions={state.decisions} density={density} />": '<When field="usage.percentage" below={85}><DecisionsList/></When>',
    "density !== 'minimal' && <ActiveFiles files={state.activeFiles} density={density} />": '<When field="usage.percentage" below={85}><ActiveFiles/></When>',
    "contextInfo.percentage > 85 && <WarningBanner info={contextInfo} />": '<When field="usage.percentage" above={85}><WarningBanner/></When>',
    "decisions.map(d => <DecisionItem decision={d} />)": '<Each of="decisions"><Value of="summary"/></Each>',
    "state.task": '<Value of="task.description"/>',
    # values
    "state.task.goal": '<Value of="task.goal"/>',
    "state.decisions.length": '<Value of="decisions"/>',
    "state.nextSteps": '<Each of="next_steps"><Value of="description"/></Each>',
    "{ usage.percentage }": '<Value of="usage.percentage"/>',
    "'text'": '{"text"}',
    # conditions
    "density === 'compact' && 'Hurry.'": '<When field="usage.percentage" at_least={70} below={85}>Hurry.</When>',
    "density !== 'full' && 'Hurry.'": '<When level="yellow">Hurry.</When>',
    "density === 'minimal' && 'Hurry.'": '<When level="red">Hurry.</When>',
    "state.task && <TaskSection/>": '<When has="task"><TaskSection/></When>',
    "!state.task && <>No task.</>": '<When lacks="task"><>No task.</></When>',
    "!!state.notes?.length && (\n  <NotesSection limit={3} />\n)": '<When has="notes"><NotesSection limit={3}/></When>',
    "state.notes.length >= 3 && <NotesSection/>": '<When field="notes" at_least={3}><NotesSection/></When>',
    "state.task !== null && state.notes.length < 3 && <NotesSection/>": '<When has="task"><When field="notes" below={3}><NotesSection/></When></When>',
    "state.session.title === 'Auth' && <NotesSection/>": '<When field="session.title" equals="Auth"><NotesSection/></When>',
    "state.notes.length ? <NotesSection/> : <Paragraph>None</Paragraph>": '<When has="notes"><NotesSection/></When><When lacks="notes"><Paragraph>None</Paragraph></When>',
    "state.notes.length > 3 ? <NotesSection/> : null": '<When field="notes" above={3}><NotesSection/></When>',
    "(state.notes.length > 0) && (<NotesSection/>)": '<When field="notes" above={0}><NotesSection/></When>',
    "state.nextSteps.map(nextStep => nextStep.completed === true && 'Done.')": '<Each of="next_steps"><When has="completed">Done.</When></Each>',
    "blockers.map(b => b.resolved !== true && b.description)": '<Each of="blockers"><When lacks="resolved"><Value of="description"/></When></Each>',
    "mystery(3) && <NotesSection/>": '<When has="…"><NotesSection/></When>',
    "state.task || <NotesSection/>": '<When has="…">…</When>',
    "% if task %": '<When has="…">…</When>',
    # loops
    "state.notes.map((note, i) => <Item key={i}>{note.content}</Item>)": '<Each of="notes"><Item><Value of="content"/></Item></Each>',
    "nextSteps.map(s => { return s.completed && <Item>{s.description}</Item>; })": '<Each of="next_steps"><When has="completed"><Item><Value of="description"/></Item></When></Each>',
    "state.files.map(file => <File path={file.path}/>)": '<Each of="files">…</Each>',
    "state.notes.filter(n => n.id).map(n => n.content)": '<Each of="…">…</Each>',
}  # fmt: skip
"""What an expression means."""

NOTHING = ("", "3", "null", '"a": 1, "b": 2', "max(3, 4)", "...props", "() => 1", "`${a}`")
"""What no tag says."""


def refusal(layout: str) -> str:
    with pytest.raises(LayoutError) as caught:
        read_layout(layout, layout_vocabulary())
    return caught.value.message


class TestAdvice:
    @looped("expression", MEANT)
    def test_is_the_tags_that_say_it(self, expression: str) -> None:
        told = f"braces are not evaluated; write {MEANT[expression]}, or \\{{ for a brace"
        assert refusal(f"<Hud>{{{expression}}}</Hud>") == told
        assert refusal(f"Text {{{expression}}}\n\n<TaskSection/>") == told

    @looped(
        "tags",
        sorted({tags for tags in MEANT.values() if "…" not in tags and 'of="files' not in tags}),
    )
    def test_can_be_used_as_it_stands(self, tags: str) -> None:
        inside = f"<List>{tags}</List>" if "<Item" in tags else tags
        assert check_layout(f"<Hud>\n\n{inside}\n\n</Hud>") == ()

    @looped("expression", NOTHING)
    def test_of_what_no_tag_says_is_a_text(self, expression: str) -> None:
        assert 'write a text as {"…"}, or \\{ for' in refusal(f"a {{{expression}}}")

    def test_names_no_tag_that_the_vocabulary_lacks(self) -> None:
        with pytest.raises(LayoutError, match=r'write a text as \{"…"\}'):
            read_layout("{a && <Strong>b</Strong>}", PRIMITIVES | [Value])

    @looped("vocabulary", [None, PRIMITIVES])
    def test_names_the_vocabulary_that_has_the_tags(self, vocabulary: Vocabulary | None) -> None:
        way = r"pass layout_vocabulary\(\), from hud_components import layout_vocabulary"
        with pytest.raises(
            LayoutError, match=rf'write <When has="a"><Strong>b</Strong></When> and {way}'
        ):
            read_layout("{a && <Strong>b</Strong>}", vocabulary)
        for tag in ("<TaskSection/>", '<When has="a">b</When>'):
            with pytest.raises(LayoutError, match=rf"is not a known component; {way}\n"):
                read_layout(tag, vocabulary)
        with pytest.raises(LoadError, match=rf"is not a known component; {way}"):
            load({"type": "TaskSection"}, vocabulary)

    def test_knows_the_sections_of_a_domain(self) -> None:
        class Remedy(HudItem):
            what: Line

        class OwnRemedies(ItemsSection[Remedy]):
            name = "own_remedies"
            lines = {"full": "{what}"}  # noqa: RUF012

        desk = Domain("desk", sections=(OwnRemedies,))
        with pytest.raises(LayoutError, match='<Each of="own_remedies"><Value of="what"/></Each>'):
            read_layout("{state.ownRemedies}", layout_vocabulary() | desk)

    def test_is_given_to_an_agent(self) -> None:
        with pytest.raises(LayoutError, match=r'line 1, column 6: .*<When has="notes">'):
            read_agent_layout("<Hud>{state.notes && <NotesSection/>}</Hud>", HudState)

    def test_is_the_only_mistake_of_an_expression_over_several_lines(self) -> None:
        layout = (
            "<Hud>\n{density === 'full' && (\n  <NotesSection notes={state.notes}/>\n)}\n</Hud>"
        )
        [mistake] = check_layout(layout)
        assert (mistake.line, mistake.column) == (2, 1)
        assert "below={70}><NotesSection/></When>" in mistake.message

    @given(st.lists(st.sampled_from(PARTS := (
        "state", ".notes", "?.", ".map(", "n =>", "<Item>", "</Item>", "{", "}", "(", ")", "&&", "?", ":", "!", "===",
        "'full'", "density", ">", "85", " ", "\n", '"', "`", "return ", ";", "=", "null", "<", "limit={3}",
    )), max_size=24).map("".join))  # fmt: skip
    def test_of_any_expression_is_short(self, expression: str) -> None:
        for mistake in check_layout(f"a {{{expression}}}"):
            assert len(mistake.message) < 2_000


class TestAttributes:
    def test_of_a_section_are_left_out(self) -> None:
        told = refusal("<TaskSection task={state.task} density={density} />")
        assert told.endswith(
            "leave the prop out where the component finds its own data, or write the value"
        )
