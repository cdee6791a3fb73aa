"""Fixed texts: all in one table, replaced by name, checked before they are used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    CODING,
    NO_EMOJI,
    TEXTS,
    ActiveFile,
    Blocker,
    ContextUsage,
    Decision,
    Domain,
    ErrorRecord,
    Hud,
    HudItem,
    HudState,
    HudValue,
    ItemsSection,
    Labelled,
    Line,
    Note,
    NotesSection,
    SessionInfo,
    StatusLine,
    Step,
    Tally,
    Task,
    TaskSection,
    ValueSection,
    check_texts,
    parse,
)
from hud_components.layout import SECTIONS, counts_line
from hud_components.words import PLURALS, TextError
from tests.hud_components import strategies
from tests.hud_components.cases import NOW, STATES, TYPICAL, sections
from tests.ids import looped
from ujsx import Density, RenderContext, render
from ujsx.transforms import TEXTS as PRIMITIVE_TEXTS

NUMBERS = HudState(
    session=SessionInfo(id="0", title="1", project="2", started_at=1, compactions=2),
    updated_at=1,
    task=Task(description="3"),
    compacted_context="4" * 900,
    decisions=(Decision(summary="5", details="6", label="7"), *[Decision(summary="5")] * 12),
    active_files=tuple(ActiveFile(path=f"{n}.8") for n in range(20)),
    next_steps=tuple(Step(description=f"{n}", completed=n < 4, order=n) for n in range(20)),
    notes=tuple(Note(content=f"{n}") for n in range(30)),
    blockers=(Blocker(description="11"),),
    errors=tuple(ErrorRecord(message=f"{n}") for n in range(20)),
    usage=ContextUsage(used=190_000, model="13", trend="growing"),
)
"""A state whose data have no letter."""

CALLS = {
    text for section in SECTIONS for name, text in section.texts.items() if name.endswith(".handle")
}
"""The calls that sections name."""

EMOJI = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")


class TestDeclared:
    """What a section says is said where it is declared; the table is made of that."""

    def test_no_text_of_a_section_is_among_the_common_ones(self) -> None:
        own = {section.name for section in SECTIONS if section.name}
        common = [
            "age",
            "answer",
            "call",
            "count",
            "days",
            "delta",
            "hours",
            "hud",
            "items",
            "level",
            "line",
            "minutes",
            "more",
            "origin",
            "pinned",
            "plurals",
            "pressure",
            "source",
            "status",
            "trend",
        ]
        for prefix in common:
            assert any(name.partition(".")[0] == prefix for name in TEXTS), prefix
            assert prefix not in own

    def test_the_table_has_them_all(self) -> None:
        for section in SECTIONS:
            words = {name: text for name, text in section.texts.items() if text not in CALLS}
            assert words.items() <= TEXTS.items(), section

    def test_a_list_names_its_own_call(self) -> None:
        for section in CODING.fields.values():
            call = section.texts[f"{section.name}.handle"]
            operation = f"{section.name}.{'get' if section.kind is None else 'list'}"
            assert call == (f"hud {operation}" if section.has_operations else "hud snapshot")

    def test_a_subclass_has_its_own(self) -> None:
        class Pinned(NotesSection):
            """Notes under another title."""

            title = "Pinned"
            noun = "pin"

        notes = tuple(Note(content=str(n)) for n in range(9))
        assert render(Pinned(notes=notes)).startswith("# Pinned\n")
        assert render(Pinned(notes=notes), density="minimal") == "*9 pins*\n"
        replaced = RenderContext(texts={"notes.title": "Angeheftet"})
        assert render(Pinned(notes=notes), context=replaced).startswith("# Angeheftet\n")

    def test_a_label_stands_before_each_line_of_a_value(self) -> None:
        task = TaskSection(task=Task(description="Add login", goal="Sign-in"))
        text = render(Labelled(label="Backend")[task], density="compact")
        assert text == "Backend: **Task:** Add login — *goal:* Sign-in\n"

    def test_the_status_line_counts_with_the_nouns_of_a_domain(self) -> None:
        state = Domain("other", OWN).state(remedies=(Remedy(what="Restart"),))
        bound = RenderContext().with_value(state)
        text = render(StatusLine(), context=bound)
        assert text == "ticket not set · 1 remedy\n"
        read = parse(text, context=bound)
        assert isinstance(read.children[0], StatusLine)
        assert render(read.children[0], context=bound) == text

    def test_the_status_line_stands_in_a_domain(self) -> None:
        state = Domain("other", (*OWN, StatusLine)).state(remedies=(Remedy(what="Restart"),))
        usage = ContextUsage(used=150_000)
        text = render(Hud.of(state, usage), density="minimal")
        assert text == "*1 remedy*\n\n1 remedy · 🟡 75%\n"

    @given(
        word=strategies.TEXTS,
        count=st.integers(0, 3),
        blockers=st.integers(0, 2),
        used=st.none() | st.integers(0, 200_000),
    )
    def test_its_counts_are_written_alike_without_the_renderer(
        self, word: str, count: int, blockers: int, used: int | None
    ) -> None:
        word = word.replace("{", "").replace("}", "").replace("|", "") or "x"
        state = HudState(
            notes=tuple(Note(id=f"n{each}", content=word) for each in range(count)),
            blockers=tuple(Blocker(id=f"b{each}", description=word) for each in range(blockers)),
            usage=None if used is None else ContextUsage(used=used),
        )
        for name in ("status.separator", "status.no task", "notes.noun", "status.alert"):
            context = RenderContext(texts={name: word})
            shown = render(StatusLine(state=state), context=context)
            assert counts_line(state, Tally.of(state), context) == shown


class TestTable:
    @looped("density", Density)
    def test_nothing_fixed_is_said_that_is_not_in_it(self, density: Density) -> None:
        """With a mark for every word of the table, what is left is data and calls."""
        blank = {
            name: re.sub(r"[^\W\d_]+(?![^{]*\})", "•", text)
            for name, text in {**TEXTS, **PRIMITIVE_TEXTS}.items()
            if name != "plurals"
        }
        context = RenderContext(texts=blank)
        for name, node in sections(NUMBERS).items():
            if name == "Labelled":
                continue  # its label is data too
            text = render(node, density=density, context=context)
            for call in sorted(CALLS, key=len, reverse=True):
                text = text.replace(call, "")
            assert not re.search(r"[^\W\d_]", text), name

    def test_every_call_is_an_operation_or_a_tool(self) -> None:
        assert all(re.fullmatch(r"hud [a-z.]+|hud_compact", call) for call in CALLS)

    def test_it_cannot_be_changed_in_place(self) -> None:
        with pytest.raises(TypeError):
            TEXTS["hud.title"] = "x"  # type: ignore[index]


class TestNoEmoji:
    @looped("density", Density)
    @looped("used", [0, 150_000, 175_000, 195_000])
    def test_no_sign_is_left(self, used: int, density: Density) -> None:
        context = RenderContext(texts=NO_EMOJI)
        state = TYPICAL.model_copy(update={"usage": ContextUsage(used=used)})
        for node in (Hud.of(state, now=NOW), StatusLine(state=state)):
            assert EMOJI.search(render(node, density=density))
            assert not EMOJI.search(render(node, density=density, context=context))

    def test_it_passes_the_check(self) -> None:
        assert check_texts(NO_EMOJI) is NO_EMOJI

    def test_all_that_has_a_sign_is_replaced(self) -> None:
        assert {name for name, text in TEXTS.items() if EMOJI.search(text)} == NO_EMOJI.keys()


class TestReplaced:
    def test_an_empty_text_counts(self) -> None:
        context = RenderContext(texts={"advice.yellow": ""})
        text = render(Hud.of(TYPICAL), context=context)
        assert text.endswith("tokens, claude-sonnet-4), growing\n")

    def test_a_text_that_cannot_be_filled_in_is_an_error_with_its_name(self) -> None:
        context = RenderContext(texts={"line.more": "{cuont} more"})
        notes = tuple(Note(content=str(n)) for n in range(9))
        with pytest.raises(TextError, match=r"texts\['line.more'\].*\{cuont\}.*\"count\""):
            render(NotesSection(notes=notes), density="compact", context=context)


class TestCheckTexts:
    def test_every_text_may_stay_as_it_is(self) -> None:
        assert check_texts(TEXTS) is TEXTS

    def test_the_primitives_texts_are_known(self) -> None:
        assert check_texts({"omitted": "{count} weitere", "omitted.handle": " "})

    @looped(
        ("name", "text", "says"),
        [
            ("note.title", "x", r'no such text; did you mean "notes.title"'),
            ("count", "{number} {noun}", r"no value for \{number\}"),
            ("count", "{count", "write {{ for a brace"),
            ("count", "{count} {}", r"no value for \{\}"),
            ("hud.title", 3, r"a text is a str, not 3"),
            ("plurals", "(", "not a rule for plurals"),
        ],
    )
    def test_what_cannot_be_used_is_refused(self, name: str, text: str, says: str) -> None:
        with pytest.raises(TextError, match=says):
            check_texts({name: text})

    def test_a_text_may_say_less_or_use_what_its_neighbours_say(self) -> None:
        assert check_texts({"context.compact": "{used} of {limit}", "more": "…"})

    def test_braces_of_a_text_that_nothing_fills_are_braces(self) -> None:
        assert check_texts({"hud.title": "{HUD}"})
        context = RenderContext(texts={"hud.title": "{HUD}"})
        assert render(Hud.of(HudState()), context=context) == "# {HUD}\n"


class TestLines:
    @looped(
        ("name", "text", "problem"),
        [
            ("decisions.item", "{summary} {details}", "nothing tells where"),
            ("decisions.item", "**{summary}", "marks are in pairs"),
            ("steps.item", "", "is not empty"),
            ("task.line", "**Aufgabe:**", "does not show {description}"),
        ],
    )
    def test_that_would_lose_data_are_refused(self, name: str, text: str, problem: str) -> None:
        with pytest.raises(TextError, match=problem) as caught:
            check_texts({name: text})
        assert f"texts['{name}']" in str(caught.value)

    def test_every_template_is_known_as_one(self) -> None:
        marked = [name for name, text in TEXTS.items() if "*{" in text or "`{" in text]
        assert marked
        for name in marked:
            with pytest.raises(TextError, match=r"does not show|nothing tells|is not empty"):
                check_texts({name: "nothing of it"})


class Remedy(HudItem):
    """Something that was tried."""

    what: Line
    tries: int = 1


class Remedies(ItemsSection[Remedy]):
    """What was tried."""

    name = "remedies"
    noun = "remedy"
    lines: ClassVar[Mapping[str, Any]] = {"full": "**{what}** ({tries})", "compact": "{what}"}


class Ticket(HudValue):
    """What is asked for."""

    subject: Line


class TicketSection(ValueSection[Ticket]):
    """What is asked for."""

    name = "ticket"
    lines: ClassVar[Mapping[str, Any]] = {"full": "{subject}"}


OWN = (Remedies, TicketSection)


class TestTextsOfOnesOwn:
    def test_are_known(self) -> None:
        german = {
            "remedies.title": "Versuche",
            "remedies.noun": "Versuch|Versuche",
            "remedies.full": "{tries}. Versuch: **{what}**",
            "remedies.compact": "*{what}*",
            "ticket.compact": "**Anliegen:** {subject}",
            "notes.title": "Notizen",
        }
        assert check_texts(german, sections=OWN) is german
        tried = Remedies(remedies=(Remedy(what="Neustart", tries=2),))
        text = render(tried, context=RenderContext(texts=german))
        assert text == "# Versuche\n\n- 2\\. Versuch: **Neustart**\n"

    @looped(
        ("name", "text", "says"),
        [
            ("remedies.titel", "Versuche", 'no such text; did you mean "remedies.title"'),
            ("remedies.full", "**{waht}** {tries}", "no value for {waht}"),
            ("remedies.full", "**{what}**", "does not show {tries}"),
            ("remedies.full", "{what}{tries}", "could not be read back|nothing tells"),
            ("ticket.compact", "{subject", "write {{ for a brace"),
        ],
    )
    def test_are_checked(self, name: str, text: str, says: str) -> None:
        with pytest.raises(TextError, match=says):
            check_texts({name: text}, sections=OWN)

    def test_are_not_known_elsewhere(self) -> None:
        with pytest.raises(TextError, match="no such text"):
            check_texts({"remedies.title": "Versuche"})

    @looped("density", Density)
    def test_stand_behind_a_label_and_are_read_back(self, density: Density) -> None:
        node = [
            TicketSection(ticket=Ticket(subject="No light")),
            Remedies(remedies=(Remedy(what="Restart"),)),
        ]
        text = render(Labelled(label="Desk")[node], density=density)
        blocks = text.replace(" · *", "\n\n*").split("\n\n")  # counts share a line
        begun = [each for each in blocks if each.lstrip("#* ").startswith("Desk: ")]
        assert len(begun) == 2
        replaced = RenderContext(texts={"remedies.title": "Versuche"})
        nested = Labelled(label="A")[Labelled(label="B")[node]]
        assert "A: B: " in render(nested, density=density, context=replaced)


class TestPlurals:
    @staticmethod
    def form(noun: str, count: int, rule: str) -> str:
        """The form of a noun that a count of notes is told with."""
        context = RenderContext(texts={"plurals": rule, "notes.noun": noun})
        notes = NotesSection(notes=(Note(content="a"),) * count)
        told = render(notes, density="minimal", context=context)
        return told.strip("*\n").removeprefix(f"{count} ")

    @looped(
        ("language", "forms"),
        [
            ("en", {1: 0, 0: 1, 2: 1, 11: 1, 21: 1}),
            ("fr", {0: 0, 1: 0, 2: 1}),
            ("ru", {1: 0, 21: 0, 101: 0, 2: 1, 24: 1, 5: 2, 11: 2, 12: 2, 111: 2, 0: 2}),
            ("pl", {1: 0, 2: 1, 22: 1, 5: 2, 12: 2, 21: 2}),
            ("cs", {1: 0, 3: 1, 5: 2, 22: 2}),
            ("ar", {0: 0, 1: 1, 2: 2, 3: 3, 10: 3, 103: 3, 11: 4, 99: 4, 100: 5, 102: 5}),
            ("ja", {0: 0, 1: 0, 7: 0}),
        ],
    )
    def test_forms_are_those_of_the_cldr(self, language: str, forms: dict[int, int]) -> None:
        noun = "|".join("abcdef"[: len(PLURALS[language].split()) + 1])
        found = {count: self.form(noun, count, PLURALS[language]) for count in forms if count}
        assert found == {count: "abcdef"[form] for count, form in forms.items() if count}

    def test_a_noun_with_one_form_has_that(self) -> None:
        assert self.form("min", 1, "^1$") == self.form("min", 7, "^1$") == "min"

    def test_a_language_with_three_forms_is_two_texts(self) -> None:
        context = RenderContext(
            texts={"plurals": PLURALS["ru"], "notes.noun": "заметка|заметки|заметок"}
        )
        told = [
            render(NotesSection(notes=(Note(content="a"),) * n), density="minimal", context=context)
            for n in (1, 2, 5, 21)
        ]
        assert told == ["*1 заметка*\n", "*2 заметки*\n", "*5 заметок*\n", "*21 заметка*\n"]

    @looped("language", PLURALS)
    def test_every_rule_passes_the_check(self, language: str) -> None:
        assert check_texts({"plurals": PLURALS[language]})


@looped("case", STATES)
def test_texts_in_another_language_stay_inert(case: str) -> None:
    from ujsx.testing import assert_inert

    texts = {name: f"# {text} *x* <b>" for name, text in TEXTS.items() if name != "plurals"}
    plain = {name: text for name, text in texts.items() if "{" not in TEXTS[name]}
    assert_inert(Hud.of(STATES[case], now=NOW), RenderContext(texts=plain))
