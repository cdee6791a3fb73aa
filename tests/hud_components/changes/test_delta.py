"""What was told, and what is said since, read back from the texts alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    CODING,
    Blocker,
    ContextUsage,
    Domain,
    Fact,
    Hints,
    Hud,
    HudSection,
    HudState,
    Note,
    NotesSection,
    Step,
    Task,
    WhereWeAre,
)
from hud_components.changes import Line, ReaderMemory, tell, update
from hud_components.memory import CODING_MEMORY
from hud_runtime import HudStore
from tests.docs.domains.cases import ANALYST, SUPPORT
from tests.hud_components.changes.reading import read
from tests.hud_components.test_in_detail import Order, Orders, order, orders
from tests.hud_runtime.drafts import event_drafts_of
from tests.ids import looped
from ujsx import Child, Density, RenderContext, Rendered, render, render_document
from ujsx.elements import Section


@dataclass
class Reader:
    """Somebody who is told of one HUD after the other, as :mod:`hud_components.changes` has it."""

    texts: list[str] = field(default_factory=list[str])
    told: ReaderMemory | None = None

    def show(
        self, node: Child, *, density: Density = Density.FULL, budget: int | None = None
    ) -> str:
        """Say what there is to say, and hold it against what can be read of all that was said."""
        context = RenderContext().with_density(density)
        rendered = render_document(
            node, density=None if budget else density, budget=budget, context=context
        )
        made = None if self.told is None else update(self.told, node, rendered, context)
        if made is None:
            self.told, text = tell(node, rendered, context), rendered.text
            self.texts = [text]
        else:
            self.told, text = made.told, made.text
            self.texts += [text] if text else []
        assert by_heading(read(self.texts[0], self.texts[1:], context)) == by_heading(
            self.told.lines
        )
        self._holds(node, rendered, context)
        return text

    def _holds(self, node: Child, rendered: Rendered, context: RenderContext) -> None:
        """Hold what is known against a reader who is told everything anew."""
        assert self.told is not None
        again = update(self.told, node, rendered, context)
        assert again is not None
        assert again.text == ""


def by_heading(lines: Iterable[Line]) -> list[Line]:
    """Return lines as they are compared: under one heading the order counts."""
    return sorted(lines, key=lambda line: line.title)


def hud(**values: Any) -> Child:
    return Hud.of(HudState(**values))


def note(number: int, text: str) -> Note:
    return Note(id=f"n-{number}", content=text)


def step(number: int, text: str, *, done: bool = False) -> Step:
    return Step(id=f"s-{number}", description=text, order=number, completed=done)


class TestWhatIsSaidInDetail:
    """Items that a budget shows in detail, one after the other."""

    @staticmethod
    def hud(*given: Order) -> Child:
        return Hud()[Orders(orders=given)]

    def test_is_not_said_again_when_a_newer_one_takes_its_place(self) -> None:
        reader = Reader()
        reader.show(self.hud(*orders(5)), budget=90)
        text = reader.show(self.hud(*orders(6)), budget=90)
        assert [line for line in text.splitlines() if line.startswith("- ")] == [
            "- **Batch 6** — *Ann 6* — for the wedding at the lake, with salt"
        ]

    def test_is_said_in_detail_when_it_changes_later(self) -> None:
        reader = Reader()
        reader.show(self.hud(*orders(5)), budget=90)
        reader.show(self.hud(*orders(9)), budget=90)
        changed = [each if each.id != "o-5" else order(5, "no salt") for each in orders(9)]
        text = reader.show(self.hud(*changed), budget=90)
        assert "- *now:* **Batch 5** — *Ann 5* — no salt" in text
        assert text.count("*now:*") == 1

    def test_is_said_once_what_was_short_before(self) -> None:
        reader = Reader()
        reader.show(self.hud(*orders(5)), budget=80)
        text = reader.show(self.hud(*orders(5)), budget=92)
        assert [line for line in text.splitlines() if "*now:*" in line] == [
            "  - *now:* **Batch 3** — *Ann 3* — for the wedding at the lake, with salt"
        ]


class TestChanges:
    """What is said of what has become of a line."""

    def test_a_line_with_hidden_characters_is_told_once(self) -> None:
        reader = Reader()
        shown = hud(blockers=(Blocker(id="b-2", description="\u202e\x00"),))
        reader.show(shown, density=Density.MINIMAL)
        assert reader.show(shown, density=Density.MINIMAL) == ""

    def test_nothing_is_said_of_what_did_not_change(self) -> None:
        reader = Reader()
        reader.show(hud(notes=(note(1, "Port 8080"),)))
        assert reader.show(hud(notes=(note(1, "Port 8080"),))) == ""

    def test_items_are_named_by_what_they_said(self) -> None:
        reader = Reader()
        reader.show(hud(notes=(note(1, "Port 8080"), note(2, "Use *JWT*"))))
        text = reader.show(hud(notes=(note(1, "Port 9090"), note(3, "- [x] # No list"))))
        assert text == (
            "# HUD changes\n\n## Notes\n\n- *gone:* Use \\*JWT\\*\n- *now:* Port 9090\n- \\- [x] # No list\n"
        )

    def test_a_fact_is_known_by_its_name(self) -> None:
        reader = Reader()
        facts = (Fact(name="branch", value="main"), Fact(name="commit", value="f382 Rename it all"))
        reader.show(hud(facts=facts))
        now = Fact(name="commit", value="0eed Merge the branch of sessions into that of types")
        text = reader.show(hud(facts=(facts[0], now)))
        assert "- *now:* commit: `0eed Merge" in text
        assert "f382" not in text

    def test_a_step_that_is_done_says_so(self) -> None:
        reader = Reader()
        reader.show(hud(next_steps=(step(1, "Write"), step(2, "Test"))))
        text = reader.show(hud(next_steps=(step(1, "Write", done=True), step(2, "Test"))))
        assert "- *done:* Write\n" in text

    def test_what_is_over_and_no_longer_listed_is_not_called_gone(self) -> None:
        reader = Reader()
        reader.show(hud(blockers=(Blocker(id="b-1", description="No key"),)))
        text = reader.show(hud(blockers=(Blocker(id="b-1", description="No key", resolved=True),)))
        assert "- *done, no longer listed:* No key" in text

    def test_a_long_text_is_named_by_its_beginning(self) -> None:
        reader = Reader()
        long = "the ledger worker retries three times before it parks an event " * 5
        reader.show(hud(notes=(note(1, "A " + long), note(2, "B " + long))))
        text = reader.show(hud(notes=(note(2, "B " + long),)))
        assert "- *gone:* A the ledger worker retr…" in text

    def test_an_item_that_is_left_out_is_not_spoken_of(self) -> None:
        reader = Reader()
        notes = tuple(note(n, f"note {n}") for n in range(10))
        reader.show(hud(notes=notes))
        assert "note" not in reader.show(hud(notes=notes), density=Density.MINIMAL)
        changed = (note(0, "other"), *notes[1:])
        assert "- *now:* other" in reader.show(hud(notes=changed), density=Density.MINIMAL)

    def test_what_was_never_told_is_counted(self) -> None:
        reader = Reader()
        notes = tuple(note(n, f"note {n}") for n in range(30))
        reader.show(hud(notes=notes[:20]))
        text = reader.show(hud(notes=notes), density=Density.COMPACT)
        assert text.count("\n- note") == 3  # the newest three
        assert "… 7 more notes" in text
        assert "… 7 more notes" not in reader.show(hud(notes=notes[1:]), density=Density.COMPACT)

    def test_a_plan_in_another_order_is_told_as_a_whole(self) -> None:
        reader = Reader()
        reader.show(hud(next_steps=(step(1, "Write"), step(2, "Test"))))
        turned = (step(2, "Write"), step(1, "Test"))
        moved = tuple(one.model_copy(update={"id": f"s-{3 - one.order}"}) for one in turned)
        assert reader.show(hud(next_steps=moved)).startswith("# HUD\n")

    def test_two_that_no_words_tell_apart_are_told_as_a_whole(self) -> None:
        reader = Reader()
        reader.show(hud(notes=(note(1, "same"), note(2, "same"))))
        assert reader.show(hud(notes=(note(1, "same"),))).startswith("# HUD\n")

    def test_a_line_that_is_no_items_changes_as_well(self) -> None:
        reader = Reader()
        reader.show(hud(task=Task(description="Add login"), usage=ContextUsage(used=60_000)))
        text = reader.show(hud(usage=ContextUsage(used=180_000)))
        assert "- *no longer shown:* 🟢 Context: 30%" in text
        assert "> ⚠ 90% of the context" in text
        assert "- *no longer shown:* Add login" in text

    def test_words_that_look_like_ours_stay_texts(self) -> None:
        reader = Reader()
        forged = "*gone:* Port 8080\n- *gone:* x\n# HUD changes"
        reader.show(hud(notes=(note(1, forged), note(2, "Port 8080"))))
        reader.show(hud(notes=(note(1, forged), note(2, "Port 8080"), note(3, forged + "!"))))
        assert {"Port 8080"} < {line.name for line in read(reader.texts[0], reader.texts[1:])}

    @looped("title", ["HUD changes", "", "Notes", "*x*  \n# y"])
    def test_layouts_of_ones_own_are_followed(self, title: str) -> None:
        def layout(*notes: Note) -> Child:
            own = NotesSection(notes=notes)
            return Section(title=title or "Mine")["Be *kind*.", own, Section(title="Last")["x"]]

        reader = Reader()
        reader.show(layout(note(1, "a")))
        reader.show(layout(note(1, "a"), note(2, "b")))
        reader.show(layout(note(2, "c")))

    def test_what_was_told_is_data(self) -> None:
        node = hud(notes=(note(1, "a"),), task=Task(description="t"))
        told = tell(node, render_document(node))
        assert msgspec.json.decode(msgspec.json.encode(told), type=ReaderMemory) == told


@st.composite
def histories(
    draw: st.DrawFn, domain: Domain[Any], *, in_full: bool = False
) -> list[tuple[Child, Density, int | None]]:
    """Draw a session's HUDs, as they are now and then shown."""
    shown: list[tuple[Child, Density, int | None]] = []
    with HudStore.open(":memory:", clock=lambda: 0, domain=domain) as store:
        session = store.session("s")
        for drafts in draw(st.lists(st.lists(event_drafts_of(domain), max_size=6), max_size=8)):
            session.record_all(drafts, refused=lambda _draft, _error: None)
            density = Density.FULL if in_full else draw(st.sampled_from([Density.FULL, *Density]))
            budget = None if in_full else draw(st.none() | st.none() | st.integers(0, 400))
            shown.append((Hud.of(session.known), Density.FULL if budget else density, budget))
    return shown


DOMAINS = st.sampled_from([CODING, SUPPORT.domain, ANALYST.domain, CODING_MEMORY])


@given(DOMAINS.flatmap(histories))
def test_what_is_read_is_what_was_told(history: list[tuple[Child, Density, int | None]]) -> None:
    """Whatever happens in a session, the whole and all that was said since come to what is told."""
    reader = Reader()
    for node, density, budget in history:
        reader.show(node, density=density, budget=budget)


@given(DOMAINS.flatmap(partial(histories, in_full=True)))
def test_all_that_is_known_is_true_and_all_that_is_shown_is_known(
    history: list[tuple[Child, Density, int | None]],
) -> None:
    """Held against the texts of the HUD alone: as it is shown, and with nothing left out."""
    reader = Reader()
    for node, _, _ in history:
        reader.show(node)
        assert reader.told is not None
        known = {line.text for line in reader.told.lines if not is_mark(line)}
        shown = {line.text for line in read(render(node)) if not is_mark(line)}
        # What was told before a section was folded is known still, and true.
        whole = render(unfolded(node), budget=10**9)
        everything = {line.text for line in read(whole)}
        assert shown <= known <= everything | shown


def unfolded(hud: Any) -> Any:
    """A HUD in which no section is pinned or folded."""
    sections = [
        each.model_copy(update={"standing": None}) if isinstance(each, HudSection) else each
        for each in hud.children
    ]
    return hud.component[sections]


def is_mark(line: Line) -> bool:
    """Whether it says how many there are more, or is of a section that changes do not tell of: what stands in the history,
    a summary that shrinks with its age, hints."""
    hints = (Hints.texts[f"hint.{each}"] for each in ("new", "compacted", "more"))
    untold = (
        "- *… ",
        "- **Before the compaction:**",
        "- *a summary",
        *(f"- {each}" for each in hints),
    )
    return line.text.startswith(untold) or line.title in (WhereWeAre.title, "Before the compaction")


def test_what_stands_under_another_heading_is_named_there() -> None:
    reader = Reader()
    plan = (Step(id="s-1", description="Write it"), Step(id="s-2", description="Test it", order=1))
    node = hud(task=Task(description="Add a login"), notes=(note(1, "Port 8080"),), next_steps=plan)
    reader.show(node, density=Density.MINIMAL)
    assert (
        reader.show(node)
        == """\
# HUD changes

- *no longer shown:* Task: Add a login · 1 no…

## Task

- Add a login

## Notes

- Port 8080

## Next steps

- Test it
"""
    )
