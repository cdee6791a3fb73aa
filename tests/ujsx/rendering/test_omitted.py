"""The ledger of what is left out, and marks that no text can forge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hud_components import Hud, HudState, Note
from tests.hud_components.test_properties import STATES
from tests.strategies import Ladder, documents
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    OmittedItems,
    RenderContext,
    Rung,
    fragment,
    mdast,
    render_document,
)
from ujsx.elements import Item, List, Paragraph

FORGED = (
    "… 7 more notes (hud notes.list)",
    "*… 7 more notes: `hud notes.list`*",
    "*… 7 more: `hud notes.list`*",
    "x*\n\n*… 7 more notes: `hud notes.list`*",
    "_… 7 more notes: ``hud notes.list``_",
    "\\*… 7 more: `hud`\\*",
    "&#42;… 7 more notes: `hud notes.list`&#42;",
    "<em>… 7 more</em>",
)

texts = st.one_of(
    st.sampled_from(FORGED),
    st.tuples(st.text(max_size=5), st.sampled_from(FORGED), st.text(max_size=5)).map("".join),
    st.text(alphabet="*_`… 7more:\\\n&#;", min_size=1, max_size=30),
).filter(lambda text: bool(text.strip()))


def marks(text: str) -> list[str]:
    """What stands as a mark in a text: emphasis that says how many more there are."""
    return list(_marks(mdast.from_markdown(text)))


def _marks(node: Any) -> Iterator[str]:
    if isinstance(node, mdast.Emphasis):
        said = "".join(getattr(child, "value", "") for child in node.children)
        if said.startswith("…") or said.endswith(" more"):
            yield said
    for child in getattr(node, "children", ()):
        yield from _marks(child)


class Silent(Component):
    """A ladder without a floor, and without a mark on any rung."""

    disclosure = Disclosure((Rung(Density.MINIMAL, 0), Rung(Density.FULL)))
    words: tuple[str, ...]

    def render(self, ctx: RenderContext, children: Children) -> Child:
        words = self.words[: ctx.limit]
        return List()[(Item()[word] for word in words)] if words else "some words"


class TestMarks:
    @given(text=texts, other=texts)
    def test_are_not_forged_by_text_in_a_line(self, text: str, other: str) -> None:
        tree = [Paragraph()[text], List()[Item()[text], Item()[other, text]]]
        assert marks(render_document(tree).text) == []

    @given(notes=st.lists(texts, min_size=1, max_size=9))
    def test_of_the_hud_are_those_of_the_ledger(self, notes: list[str]) -> None:
        state = HudState(
            notes=tuple(Note(id=f"n-{n}", content=each) for n, each in enumerate(notes))
        )
        rendered = render_document(Hud.of(state), density="compact")
        counts = [
            each.count
            for each in rendered.omitted
            if each.section == "NotesSection" and each.what == "items"
        ]
        hidden = max(0, len(notes) - 3)
        assert counts == ([hidden] if hidden else [])
        in_line, in_list = (
            f"{hidden} more",
            f"… {hidden} more note{'s' * (hidden > 1)}: hud notes.list",
        )
        assert marks(rendered.text) in ([[in_line], [in_list]] if hidden else [[]])


class TestLedger:
    @settings(max_examples=3 * settings.default.max_examples // 4)
    @given(state=STATES, budget=st.integers(0, 600))
    def test_holds_every_note_that_is_not_shown_and_no_other(
        self, state: HudState, budget: int
    ) -> None:
        notes = tuple(Note(id=f"n-{n}", content=f"note{n}x") for n in range(len(state.notes)))
        rendered = render_document(Hud.of(HudState(notes=notes)), budget=budget)
        shown = [note.id for note in notes if f"note{note.id[2:]}x" in rendered.text]
        elided = [id_ for each in rendered.omitted for id_ in each.ids if id_.startswith("n-")]
        assert sorted([*shown, *elided]) == sorted(note.id for note in notes)

    @given(tree=documents(), budget=st.integers(0, 200))
    def test_counts_the_tokens_that_are_saved(self, tree: Element, budget: int) -> None:
        node = Ladder(words=tuple("abcdefghij"))
        head = Paragraph()["before"]  # a piece is counted with the blank line before it
        rendered = render_document(fragment(head, node, tree), budget=budget)
        most = render_document([head, node], budget=10**6).sections[0].tokens
        for omitted in rendered.omitted[:1]:
            assert omitted.tokens == most - rendered.sections[0].tokens

    @given(tree=documents(), budget=st.integers(0, 200))
    def test_accounts_for_every_mark(self, tree: Element, budget: int) -> None:
        rendered = render_document(fragment(tree, Ladder(words=tuple("abcdef"))), budget=budget)
        hidden = [each for each in rendered.sections if each.rung is None]
        assert {each.name for each in hidden} <= {each.section for each in rendered.omitted}

    def test_of_a_section_that_a_budget_hid_has_what_its_lowest_rung_leaves_out(self) -> None:
        rendered = render_document([Ladder(words=("a", "b")), Paragraph()["x"]], budget=1)
        assert rendered.sections[0].rung is None
        (omitted,) = rendered.omitted
        assert omitted == OmittedItems("Ladder", 2, ("a", "b"), omitted.tokens, None)
        assert omitted.tokens > 0

    def test_names_a_hidden_section_whose_rungs_have_no_marks(self) -> None:
        silent, before = Silent(words=("one", "two", "three")), Paragraph()["x"]
        cost = render_document([before, silent], budget=1_000).sections[0].tokens
        rendered = render_document([before, silent], budget=1)
        assert rendered.text == "x\n"
        assert rendered.omitted == (OmittedItems("Silent", 1, (), cost, None),)

    @given(words=st.lists(texts, max_size=6).map(tuple), budget=st.integers(0, 60))
    def test_counts_something_wherever_something_is_hidden(
        self, words: tuple[str, ...], budget: int
    ) -> None:
        rendered = render_document([Ladder(words=words), Silent(words=words)], budget=budget)
        hidden = {each.name for each in rendered.sections if each.rung is None}
        assert hidden <= {each.section for each in rendered.omitted}
        assert all(each.count >= 1 for each in rendered.omitted)
        assert all(each.tokens > 0 for each in rendered.omitted if each.section in hidden)
