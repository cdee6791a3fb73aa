"""The HUD of a help desk, edited as text: nothing in it is a kind of item that editing knows by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from pydantic import model_validator

from hud_components import (
    Domain,
    Hud,
    HudItem,
    HudValue,
    ItemsSection,
    Line,
    NotesSection,
    ValueSection,
    Wording,
)
from hud_runtime import ConcurrencyError, EventDraft, HudStore
from hud_runtime.editing import Changes, EditError, changes, for_editing, record_changes
from hud_runtime.session import HudSession
from tests.hud_runtime.drafts import event_drafts_of
from tests.hud_runtime.editing.any_text import check_any_text
from tests.hud_runtime.editing.support import (
    NOON,
    SUPPORT,
    Desk,
    DeskSection,
    Promises,
    Remedies,
    Remedy,
    Ticket,
    TicketSection,
)
from tests.hud_runtime.editing.test_laws import TEXTS
from tests.hud_runtime.store.list_store import ListEventStore
from ujsx import Density, RenderContext, render

Edited = Callable[..., Changes]


@pytest.fixture
def session() -> Iterator[HudSession[Any]]:
    with HudStore.open(":memory:", domain=SUPPORT) as store:
        session = store.session("t-4711")
        session.record("ticket.set", subject="No *internet*", customer="Ada")
        session.record("ticket.escalate", why="the second call")
        session.record("desk.set", who="Bob", shift="nights")
        session.record("remedies.add", what="Restarted the router", outcome="failed", minutes=3)
        session.record("remedies.add", what="Replaced the cable")
        session.record("remedies.vote", id="r-5")
        session.record("promises.add", what="Call back", due=NOON)
        session.record("promises.add", what="Send a technician", due=NOON)
        session.record("promises.keep", id="p-8")
        session.record("note.add", content="Port 8080")
        session.record("calls.add", number="555")
        yield session


@pytest.fixture
def edited(session: HudSession[Any]) -> Edited:
    """Replace texts of the HUD, each with the one behind it, and compare."""
    hud = for_editing(session.state())

    def edit(*texts: str) -> Changes:
        text = render(hud)
        for old, new in zip(texts[::2], texts[1::2], strict=True):
            assert text.count(old) == 1, (old, text)
            text = text.replace(old, new)
        return changes(hud, text)

    return edit


def told(found: Changes) -> list[str]:
    return [str(each) for each in (*found.operations, *found.problems)]


def test_what_is_opened(session: HudSession[Any]) -> None:
    state = session.state()
    assert render(for_editing(state)) == (
        "# HUD\n\n"
        "## Ticket\n\n**No \\*internet\\*** (low, went up 1 times)\n\n"
        "## Desk\n\nBob: **nights**\n\n"
        "## Tried so far\n\n"
        "- `r-5` **Restarted the router** — failed +1\n"
        "- `r-6` **Replaced the cable** — unclear +0\n\n"
        "## Promises\n\n"
        "- `p-8` ~~Call back~~ (due 2026-10-01T12:00:00+00:00)\n"
        "- `p-9` Send a technician (due 2026-10-01T12:00:00+00:00)\n\n"
        "## Notes\n\n- `n-11` Port 8080\n\n"
        "## Calls\n\n- 555\n"
    )
    assert render(for_editing(SUPPORT.state())) == (
        "# HUD\n\n## Ticket\n\n## Desk\n\n## Tried so far\n\n## Promises\n\n## Notes\n"
    )


BOTH = (
    "- `r-5` **Restarted the router** — failed +1\n- `r-6` **Replaced the cable** — unclear +0\n",
    "- `r-6` **Replaced the cable** — unclear +0\n- `r-5` **Restarted the router** — failed +1\n",
)
DUE = "(due 2026-10-01T12:00:00+00:00)"

EDITS: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "nothing": ((), []),
    "a value reads anew: what its line does not show stays": (
        ("internet", "water"),
        ["ticket.update subject='No *water*'"],
    ),
    "a choice": (("(low,", "(high,"), ["ticket.update severity='high'"]),
    "a value that is only set is set as a whole": (
        ("Bob", "Eve"),
        ["desk.set who='Eve' shift='nights'"],
    ),
    "a field that may be empty is taken away": (
        ("Bob: **nights**", "Bob"),
        ["desk.set who='Bob' shift=None"],
    ),
    "the value is cleared": (
        ("**No \\*internet\\*** (low, went up 1 times)\n\n", ""),
        ["ticket.clear"],
    ),
    "a choice of an item": (
        ("failed", "worked"),
        ["remedies.update id='r-5' outcome='worked'"],
    ),
    "items change places where a verb moves them": (BOTH, ["remedies.reorder ids=('r-6',)"]),
    "an item is added in between": (
        ("+1\n", "+1\n- **New** — worked +0\n"),
        ["remedies.add what='New' outcome='worked'", "remedies.reorder ids=('r-5', 'New')"],
    ),
    "an item is added in its short form": (
        ("+0\n", "+0\n- Asked Ada\n"),
        ["remedies.add what='Asked Ada'"],
    ),
    "an item is removed": (
        ("- `r-5` **Restarted the router** — failed +1\n", ""),
        ["remedies.remove id='r-5'"],
    ),
    "what is struck through is kept": (
        ("Send a technician (", "~~Send a technician~~ ("),
        ["promises.keep id='p-9'"],
    ),
    "a whole line that is struck through, too": (
        (f"Send a technician {DUE}", f"~~Send a technician {DUE}~~"),
        ["promises.keep id='p-9'"],
    ),
    "what is ticked": (("- `p-9`", "- [x] `p-9`"), ["promises.keep id='p-9'"]),
    "a date": (
        ("technician (due 2026-10-01T12", "technician (due 2026-10-02T12"),
        ["promises.update id='p-9' due='2026-10-02T12:00:00Z'"],
    ),
    "the same date, written in another way": (
        ("technician (due 2026-10-01T12:00:00+00:00", "technician (due 2026-10-01 12:00Z"),
        [],
    ),
    "a new item with a date": (
        ("- `p-8`", "- Send flowers (due 2026-10-09T12:00:00Z)\n- `p-8`"),
        ["promises.add what='Send flowers' due='2026-10-09T12:00:00Z'"],
    ),
    "a new item that is over": (
        ("- `p-8`", "- ~~Send flowers~~ (due 2026-10-09T12:00:00Z)\n- `p-8`"),
        [
            "promises.add what='Send flowers' due='2026-10-09T12:00:00Z'",
            "promises.keep id='Send flowers'",
        ],
    ),
    "a section that this domain shares with others": (
        ("8080", "8081"),
        ["notes.update id='n-11' content='Port 8081'"],
    ),
    "text that looks like the rest of its line": (
        ("Send a technician (", "Send (due 1999-01-01T00:00:00Z) a technician ("),
        ["promises.update id='p-9' what='Send (due 1999-01-01T00:00:00Z) a technician'"],
    ),
}

PROBLEMS: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "a choice that is none": (
        ("failed", "great"),
        [
            "line 13, column 1: Tried so far, outcome: Input should be 'worked', 'failed' or 'un",
        ],
    ),
    "one of a value": (
        ("(low,", "(terrible,"),
        ["line 5, column 1: Ticket, severity: Input should be 'low' or 'high', not 'terrible'"],
    ),
    "one of a new item": (
        ("+0\n", "+0\n- **New** — odd +0\n"),
        ["line 15, column 1: Tried so far, outcome: Input should be"],
    ),
    "a date that is none": (
        (f"technician {DUE}", "technician (due soon)"),
        ["line 19, column 1: Promises, due: Input should be a valid datetime"],
    ),
    "a new item without what it needs": (
        ("- `p-8`", "- **Send flowers**\n- `p-8`"),
        [
            "line 18, column 1: Promises, due: it is required, and this line does not tell it; `hud",
        ],
    ),
    "a field that only verbs set": (
        ("+1", "+2"),
        ["line 13, column 1: Tried so far, votes: an edit cannot set it; put it back"],
    ),
    "one of a value that only verbs set": (
        ("up 1", "up 2"),
        ["line 5, column 1: Ticket, escalations: an edit cannot set it; put it back"],
    ),
    "one of a new item that only verbs set": (
        ("+0\n", "+0\n- **New** — worked +7\n"),
        ["line 15, column 1: Tried so far, votes: only operations set it; leave it out"],
    ),
    "an item that nothing opens again": (
        ("~~Call back~~", "Call back"),
        ["line 18, column 1: Promises, kept: an edit cannot open it again"],
    ),
    "an item that nothing removes": (
        (f"- `p-9` Send a technician {DUE}\n", ""),
        ["line 16, column 1: Promises: 'Send a technician — 2026-10-01T12:00:00+00:00' is gone"],
    ),
    "a value that nothing takes away": (
        ("Bob: **nights**\n\n", ""),
        [
            "line 7, column 1: Desk: 'Bob — nights' is gone, and a desk cannot be removed; put it back"
        ],
    ),
    "items that nothing moves": (
        (
            f"- `p-8` ~~Call back~~ {DUE}\n- `p-9` Send a technician {DUE}\n",
            f"- `p-9` Send a technician {DUE}\n- `p-8` ~~Call back~~ {DUE}\n",
        ),
        ["line 19, column 1: Promises: Promises stand in the order in which they were recorded"],
    ),
    "what hosts report": (
        ("555", "556"),
        ["line 27, column 1: Calls: '- 555' was changed; put it back as it was: calls are report"],
    ),
    "a section without verbs that an edit could come to": (
        ("## Notes", "## Rules\n\n- Be brief.\n\n## Notes"),
        ['line 21, column 1: Rules: there is no section "Rules"; known: Desk, Notes, Promises'],
    ),
    "a section of another domain": (
        ("## Notes", "## ⚠ Blockers\n\n- No disk\n\n## Notes"),
        ['line 21, column 1: ⚠ Blockers: there is no section "⚠ Blockers"'],
    ),
    "a field that has to be there": (
        ("`r-6` **Replaced the cable** — unclear +0", "`r-6` Replaced the cable"),
        [
            "line 14, column 1: Tried so far, outcome: it is gone; put it back: 'unclear'",
            "line 14, column 1: Tried so far, votes: an edit cannot set it",
        ],
    ),
    "markup": (
        ("failed +1", "failed *+1*"),
        [
            "line 13, column 1: Tried so far: this is not a remedy: a remedy is written as **{what}**",
        ],
    ),
    "a value in a list": (
        ("Bob: **nights**", "- Bob"),
        ["line 9, column 1: Desk: the desk is written as {who}: **{shift}** or {who}, in plain"],
    ),
    "what is there already": (
        ("+0\n", "+0\n- **Restarted the router** — failed +1\n"),
        ["line 15, column 1: Tried so far, what: `r-5` says that already"],
    ),
}


class TestChanges:
    @pytest.mark.parametrize(("texts", "expected"), [*EDITS.values()], ids=[*EDITS])
    def test_an_edit_is_operations_that_can_be_recorded(
        self, edited: Edited, session: HudSession[Any], texts: tuple[str, ...], expected: list[str]
    ) -> None:
        found = edited(*texts)
        assert told(found) == expected
        assert json.loads(json.dumps(found.data()))["problems"] == []
        record_changes(session, found, since=session.version)
        after = for_editing(session.state())
        assert changes(after, render(after)) == Changes()

    @pytest.mark.parametrize(("texts", "expected"), [*PROBLEMS.values()], ids=[*PROBLEMS])
    def test_what_cannot_be_decided_is_told(
        self, edited: Edited, texts: tuple[str, ...], expected: list[str]
    ) -> None:
        problems = [str(problem) for problem in edited(*texts).problems]
        starts = [said[: len(start)] for said, start in zip(problems, expected, strict=False)]
        assert (starts, len(problems)) == (expected, len(expected)), problems

    def test_what_a_line_does_not_show_is_untouched(
        self, edited: Edited, session: HudSession[Any]
    ) -> None:
        found = edited("internet", "water", "failed", "worked", "(low", "(high")
        record_changes(session, found, since=session.version)
        state = session.state()
        assert words(state[TicketSection]) == words(
            Ticket(subject="No *water*", severity="high", customer="Ada", escalations=1)
        )
        assert words(state[Remedies][0]) == words(
            Remedy(id="r-5", what="Restarted the router", outcome="worked", minutes=3, votes=1)
        )

    def test_a_first_value_is_set(self) -> None:
        hud = for_editing(SUPPORT.state())
        text = render(hud).replace("## Ticket\n", "## Ticket\n\n**Fire** (high, went up 0 times)\n")
        assert told(changes(hud, text)) == ["ticket.set subject='Fire' severity='high'"]

    def test_an_operation_of_another_domain_is_not_recorded(self, session: HudSession[Any]) -> None:
        hud = Hud()[NotesSection(notes=session.state()[NotesSection])]
        text = render(hud) + "\n## ⚠ Blockers\n\n- No disk\n"
        assert told(changes(hud, text, domain=SUPPORT))[0].endswith("and what is under it")
        found = changes(hud, text)
        with pytest.raises(EditError, match=r'"support" has no operation "blockers\.add"'):
            record_changes(session, found, since=session.version)


def words(value: HudValue | None) -> dict[str, Any]:
    """What a value says, whoever said it."""
    assert value is not None
    return value.model_dump(exclude={*HudValue.model_fields})


class TestWhoSaidIt:
    @pytest.fixture
    def asked(self, session: HudSession[Any]) -> Any:
        session.record("remedies.add", what="Rebooted by hand", actor="user")
        session.record("ticket.set", subject="No light", actor="user")
        return for_editing(session.state())

    def test_is_read_and_stays(self, asked: Any) -> None:
        text = render(asked)
        assert text.count("*said by the user*") == 2
        assert changes(asked, text) == Changes()

    def test_is_that_of_the_words_still_when_others_edit_them(
        self, asked: Any, session: HudSession[Any]
    ) -> None:
        text = render(asked).replace("by hand", "at noon").replace("No light", "No power")
        record_changes(session, changes(asked, text), since=session.version, actor="agent")
        assert session.state()[Remedies][-1].what == "Rebooted at noon"
        assert session.state()[Remedies][-1].said_by == "agent"
        assert session.state()[TicketSection].said_by == "agent"

    @pytest.mark.parametrize("place", [0, 1])
    def test_is_a_fact_and_no_text(self, asked: Any, place: int) -> None:
        before, *after = render(asked).split(" *said by the user*")
        parts = [before + after[0], after[1]] if place == 0 else [before, after[0] + after[1]]
        text = " *said by the user*".join(parts)
        [problem] = changes(asked, text).problems
        assert "cannot be edited; put it back" in str(problem)


class TestWithoutIds:
    def test_an_item_is_known_by_its_text(self, session: HudSession[Any]) -> None:
        hud = Hud.of(session.state())
        text = render(hud, context=BOUND).replace("the router** — failed", "a router** — worked")
        assert told(changes(hud, text, context=BOUND)) == [
            "remedies.update id='r-5' what='Restarted a router' outcome='worked'"
        ]

    def test_a_field_that_is_required_need_not_be_shown(self, session: HudSession[Any]) -> None:
        hud = Hud.of(session.state())
        text = render(hud, density="compact", context=BOUND)
        assert " · **Send a technician**\n" in text
        edited = text.replace("a technician", "the technician").replace("No ", "Still no ")
        found = changes(hud, edited, density="compact", context=BOUND)
        assert told(found) == [
            "ticket.update subject='Still no *internet*'",
            "promises.update id='p-9' what='Send the technician'",
        ]

    def test_what_was_cut_is_not_changed(self, session: HudSession[Any]) -> None:
        long = "a very long text " * 20
        session.record("remedies.update", id="r-5", what=long)
        session.record("ticket.update", subject=long)
        hud = Hud.of(session.state())
        text = render(hud, density="compact", context=BOUND).replace("a very", "A very")
        found = changes(hud, text, density="compact", context=BOUND)
        assert found.operations == ()
        assert [(each.section, each.field) for each in found.problems] == [
            ("Ticket", "subject"),
            ("Tried so far", "what"),
        ]

    def test_an_order_is_not_told_where_items_are_left_out(self, session: HudSession[Any]) -> None:
        for number in range(12):
            session.record("remedies.add", what=f"Remedy number {number}")
        hud = Hud.of(session.state())
        lines = render(hud, context=BOUND).splitlines(keepends=True)
        first = next(n for n, line in enumerate(lines) if line.startswith("- **Rest"))
        lines[first], lines[first + 1] = lines[first + 1], lines[first]
        found = changes(hud, "".join(lines), context=BOUND)
        assert "not all remedies are shown, so their order is unknown" in told(found)[0]
        text = render(hud, density="compact", context=BOUND)
        assert "*9 more*" in text
        removed = changes(
            hud, text.replace("Remedy number 11 · ", ""), density="compact", context=BOUND
        )
        assert told(removed) == ["remedies.remove id='r-24'"]

    def test_lines_without_a_word_of_their_own_are_not_mixed_up(self) -> None:
        hud = Hud()[DeskSection(desk=Desk(who="Bob")), TicketSection(ticket=Ticket(subject="Fire"))]
        text = render(hud, density="compact")
        assert text == "# HUD\n\n**Desk:** Bob\n\n**Ticket:** Fire\n"
        assert told(changes(hud, text.replace("Bob", "Eve"), density="compact")) == [
            "desk.set who='Eve'"
        ]
        found = changes(hud, text.replace("Bob", "Bob\n\nBe kind."), density="compact")
        assert "'Be kind.' is not part of this HUD" in told(found)[0]
        assert told(changes(hud, f"{render(hud)}\nBe kind.\n"))[0].startswith("line 11, column 1")


BOUND = RenderContext().with_value(SUPPORT.state())
"""Where the view finds a state; the sections have their data."""


class Shift(HudValue):
    """When somebody works."""

    who: Line
    begins: int
    ends: int
    is_late: bool = False

    @model_validator(mode="after")
    def _has_a_length(self) -> Shift:
        if self.ends <= self.begins:
            raise ValueError("a shift ends after it begins")
        return self


class ShiftSection(ValueSection[Shift]):
    """A value that is written in two ways."""

    name = "shift"
    lines = MappingProxyType(
        {
            "full": (
                Wording("**Late:** {who}, {begins} to {ends}", {"is_late": True}),
                "{who}, {begins} to {ends}",
            )
        }
    )


class Slot(HudItem, Shift):
    """A shift among others."""


class Slots(ItemsSection[Slot]):
    """Items that are checked as a whole."""

    name = "slots"
    prefix = "t"
    lines = MappingProxyType({"full": "{who}, {begins} to {ends}"})


class TestWholeItems:
    DOMAIN = Domain("shifts", sections=(ShiftSection, Slots))

    def edited(self, *texts: str) -> list[str]:
        state = self.DOMAIN.state(
            shift=Shift(who="Ada", begins=8, ends=16),
            slots=(Slot(id="t-2", who="Bob", begins=1, ends=2),),
        )
        hud = for_editing(state)
        text = render(hud)
        assert texts[0] in text
        return told(changes(hud, text.replace(*texts)))

    def test_the_form_of_a_line_says_something(self) -> None:
        assert self.edited("Ada,", "**Late:** Ada,") == ["shift.update is_late=True"]

    def test_what_cannot_be_is_a_problem(self) -> None:
        refused = "a shift ends after it begins"
        assert refused in self.edited("8 to 16", "8 to 7")[0]
        assert refused in self.edited("1 to 2", "3 to 2")[0]
        assert refused in self.edited("1 to 2", "1 to 2\n- Eve, 5 to 4")[0]
        assert self.edited("1 to 2", "1 to 3") == ["slots.update id='t-2' ends=3"]


class TestClashes:
    @pytest.mark.parametrize(
        ("event_type", "said"),
        [
            ("remedies.update", {"id": "r-5", "minutes": 4}),
            ("remedies.vote", {"id": "r-5"}),
            ("remedies.remove", {"id": "r-5"}),
            ("section.clear", {"section": "remedies"}),
            ("section.clear", {}),
        ],
    )
    def test_a_change_of_the_same_item_is_one(
        self, edited: Edited, session: HudSession[Any], event_type: str, said: dict[str, Any]
    ) -> None:
        version, found = session.version, edited("failed", "worked")
        session.record_all([EventDraft(event_type, said)])
        with pytest.raises(ConcurrencyError):
            record_changes(session, found, since=version)

    @pytest.mark.parametrize(
        ("event_type", "said"),
        [
            ("remedies.vote", {"id": "r-6"}),
            ("remedies.add", {"what": "Asked Ada"}),
            ("ticket.escalate", {"why": "the third call"}),
            ("promises.keep", {"id": "p-9"}),
            ("calls.add", {"number": "556"}),
            ("context.snapshot", {"used": 20_000}),
        ],
    )
    def test_a_change_of_something_else_is_none(
        self, edited: Edited, session: HudSession[Any], event_type: str, said: dict[str, Any]
    ) -> None:
        version, found = session.version, edited("failed", "worked")
        session.record_all([EventDraft(event_type, said)])
        [recorded] = record_changes(session, found, since=version)
        assert recorded.type == "remedies.update"

    def test_a_verb_of_ones_own_changes_a_value(
        self, edited: Edited, session: HudSession[Any]
    ) -> None:
        version, found = session.version, edited("internet", "water")
        session.record("ticket.escalate", why="the third call")
        with pytest.raises(ConcurrencyError):
            record_changes(session, found, since=version)

    def test_an_order_clashes_with_a_change_of_its_list(
        self, edited: Edited, session: HudSession[Any]
    ) -> None:
        version, found = session.version, edited(*BOTH)
        session.record("remedies.vote", id="r-6")
        with pytest.raises(ConcurrencyError):
            record_changes(session, found, since=version)


def session_of(drafts: list[EventDraft]) -> HudSession[Any]:
    session = HudStore(ListEventStore(), domain=SUPPORT).session("s")
    session.record_all(drafts, refused=lambda draft, error: None)
    return session


SESSIONS = st.lists(event_drafts_of(SUPPORT), max_size=15)


class TestLaws:
    @given(SESSIONS, st.sampled_from(list(Density)))
    def test_no_edit_is_no_change(self, drafts: list[EventDraft], density: Density) -> None:
        state = session_of(drafts).state()
        hud = for_editing(state)
        assert changes(hud, render(hud)) == Changes()
        shown = Hud.of(state)
        text = render(shown, density=density, context=BOUND)
        assert changes(shown, text, density=density, context=BOUND) == Changes()

    @given(SESSIONS, TEXTS, TEXTS, st.sampled_from(("worked", "failed")), st.integers(0, 9_999))
    def test_what_is_recorded_reads_as_it_was_written(
        self, drafts: list[EventDraft], what: str, subject: str, outcome: str, days: int
    ) -> None:
        session = session_of([replace(draft, actor="agent") for draft in drafts])
        before = session.state()
        due = NOON + timedelta(days=days)
        new = Remedy(what=what, outcome=outcome)
        ticket = before[TicketSection] or Ticket(subject="x")
        wanted = before.model_copy(
            update={
                "ticket": ticket.model_copy(update={"subject": subject.strip()}),
                "remedies": (*before[Remedies], new),
                "promises": tuple(one.model_copy(update={"due": due}) for one in before[Promises]),
            }
        )
        hud, text = for_editing(before), render(for_editing(wanted))
        found = changes(hud, text)
        if found.problems:
            assert all("says that already" in str(each) for each in found.problems), told(found)
            event("there already")
            return
        record_changes(session, found, since=session.version, actor="agent")
        after = session.state()
        last = after[Remedies][-1]
        shown = after.model_copy(
            update={"remedies": (*after[Remedies][:-1], last.model_copy(update={"id": ""}))}
        )
        assert render(for_editing(shown)) == text

    @given(SESSIONS, st.data())
    def test_any_text_is_changes_that_can_be_recorded_or_problems_with_places(
        self, drafts: list[EventDraft], data: st.DataObject
    ) -> None:
        check_any_text(session_of(drafts), data, TEXTS)


def test_what_cannot_be_edited_says_so(edited: Edited) -> None:
    found = edited("555", "556")
    assert found.operations == ()
    [problem] = map(str, found.problems)
    assert problem.endswith("calls are reported by the telephone exchange")
