"""The account of a rendering: sections, spans, fingerprints, what was left out; and that it is data."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from tests.reachable import reachable
from tests.strategies import Ladder, Titled, documents
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    OmittedItems,
    RenderContext,
    Rendered,
    Renderer,
    Rung,
    compare,
    fragment,
    render_document,
)
from ujsx.elements import Item, List, Omitted, Paragraph, Section
from ujsx.tokens import calibrated, estimate_tokens

WORDS = Ladder(words=("one", "two", "three", "four"))
MORE = Ladder(words=("five",))


class TestSections:
    @given(tree=documents(), density=st.sampled_from(Density))
    def test_have_the_span_of_their_text(self, tree: Element, density: Density) -> None:
        rendered = render_document(tree, density=density)
        for section in rendered.sections:
            assert rendered.text[section.start : section.end] == section.text

    @given(tree=documents())
    def test_stand_in_their_order_and_do_not_overlap(self, tree: Element) -> None:
        sections = render_document(tree).sections
        ends = [0, *(each for section in sections for each in (section.start, section.end))]
        assert ends == sorted(ends)

    def test_are_the_components_with_a_ladder(self) -> None:
        tree = [WORDS, Paragraph()["x"], Section(title="s")[MORE.keyed("more")]]
        sections = render_document(tree).sections
        assert [each.name for each in sections] == ["Ladder", "Ladder[more]"]

    def test_have_the_rung_they_were_rendered_on(self) -> None:
        rungs = [render_document(WORDS, density=each).sections[0].rung for each in Density]
        assert rungs == [Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 1), Rung(Density.FULL, 3)]

    def test_have_the_tokens_of_their_text(self) -> None:
        for section in render_document([WORDS, MORE]).sections:
            assert section.tokens == estimate_tokens(section.text)

    def test_hold_the_blank_line_before_them(self) -> None:
        _, more = render_document([Paragraph()["x"], WORDS, MORE]).sections
        assert more.text == "\n\n# Words\n\n- five"

    def test_that_show_nothing_have_an_empty_span(self) -> None:
        rendered = render_document([WORDS, Ladder(), MORE])
        empty = rendered.sections[1]
        assert (empty.start, empty.text, empty.tokens) == (empty.end, "", 0)

    def test_in_the_middle_of_a_line_belong_to_the_piece_that_starts_it(self) -> None:
        from tests.strategies import Whisper

        rendered = render_document(["before ", Whisper(text="loud"), " after"])
        assert rendered.text == "before loud after\n"
        assert (
            rendered.text[rendered.sections[0].start : rendered.sections[0].end]
            == rendered.sections[0].text
        )


class TestNodes:
    @given(tree=documents(), density=st.sampled_from(Density))
    def test_are_all_of_the_text(self, tree: Element, density: Density) -> None:
        rendered = render_document(tree, density=density)
        assert "".join(each.text for each in rendered.nodes) == rendered.text.removesuffix("\n")
        for node in rendered.nodes:
            assert rendered.text[node.start : node.end] == node.text

    def test_are_sections_headings_and_what_stands_between(self) -> None:
        nodes = render_document(Titled(title="Part")[WORDS, Paragraph()["x"], "y"]).nodes
        assert [each.name for each in nodes] == ["Section", "Ladder", "Paragraph text"]
        assert nodes[1].path == "Titled / Section / Ladder"

    def test_have_fingerprints_of_their_own(self) -> None:
        trees = ([Paragraph()["x"], WORDS], [Paragraph()["y"], WORDS])
        one, other = (render_document(tree).nodes for tree in trees)
        same = [a.fingerprint == b.fingerprint for a, b in zip(one, other, strict=True)]
        assert same == [False, True]


class TestFingerprints:
    def test_are_the_same_for_the_same_bytes(self) -> None:
        first, second = (render_document(WORDS).sections[0] for _ in range(2))
        assert first.fingerprint == second.fingerprint

    def test_differ_when_a_byte_does(self) -> None:
        other = Ladder(words=("one", "two", "three!"))
        first, second = (render_document(each).sections[0] for each in (WORDS, other))
        assert first.fingerprint != second.fingerprint

    def test_are_64_bits_in_hexadecimal(self) -> None:
        assert int(render_document(WORDS).sections[0].fingerprint, 16) < 2**64

    def test_do_not_depend_on_the_process(self) -> None:
        assert render_document(Ladder(words=("a",))).sections[0].fingerprint == "97f7d25af224306e"


class TestOmitted:
    def test_names_section_count_ids_and_handle(self) -> None:
        (omitted,) = render_document([WORDS.keyed("w"), MORE], density="compact").omitted
        assert (omitted.section, omitted.count) == ("Ladder[w]", 3)
        assert (omitted.ids, omitted.handle) == (("two", "three", "four"), None)

    def test_says_how_many_tokens_everything_would_cost_more(self) -> None:
        short = render_document([Paragraph()["a"], WORDS], density="compact")
        everything = render_document([Paragraph()["a"], WORDS], budget=1_000)
        (omitted,) = short.omitted
        assert omitted.tokens == everything.sections[0].tokens - short.sections[0].tokens > 0

    def test_has_marks_of_their_handles(self) -> None:
        class Notes(Component):
            disclosure = Disclosure(ladder=(Rung(Density.FULL, 1),))

            def render(self, ctx: RenderContext, children: Children) -> Child:
                return List()[Item()["a"], Omitted(count=2, handle="notes()", brief=True)]

        (omitted,) = render_document(Notes()).omitted
        assert omitted == OmittedItems("Notes", 2, (), 0, "notes()")

    @given(tree=documents(), density=st.sampled_from(Density))
    def test_with_what_is_shown_is_everything(self, tree: Element, density: Density) -> None:
        node = Ladder(words=tuple("abcdefg"))
        rendered = render_document([node, tree], density=density)
        first = rendered.sections[0]
        shown = [word for word in node.words if f"- {word}\n" in f"{first.text}\n"]
        hidden = rendered.omitted[0].ids
        assert (*shown, *hidden) == node.words

    def test_is_empty_when_all_is_shown(self) -> None:
        assert render_document(MORE).omitted == ()


class TestRendered:
    def test_has_the_tokens_of_its_text(self) -> None:
        rendered = render_document([WORDS, MORE])
        assert rendered.tokens == estimate_tokens(rendered.text)

    def test_counts_with_the_contexts_counter(self) -> None:
        rendered = render_document(WORDS, context=RenderContext(count_tokens=len))
        assert rendered.tokens == len(rendered.text)
        assert rendered.sections[0].tokens == len(rendered.sections[0].text)

    def test_compares_by_value(self) -> None:
        assert render_document(WORDS) == render_document(WORDS)
        assert render_document(WORDS) != render_document(MORE)

    def test_takes_no_assignment(self) -> None:
        rendered: Any = render_document(WORDS)
        with pytest.raises(dataclasses.FrozenInstanceError):
            rendered.text = "x"


def again(rendered: Rendered) -> Rendered:
    """The rendering as it is on the other side of a pickle."""
    other = pickle.loads(pickle.dumps(rendered))
    assert isinstance(other, Rendered)
    return other


def elsewhere(rendered: Rendered, say: str) -> Any:
    """What another process says of a pickled rendering, as JSON."""
    program = f"import json, pickle, sys\nrendered = pickle.load(sys.stdin.buffer)\n{say}"
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps(rendered),
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    return json.loads(done.stdout)


class Shows(Component):
    """Shows a word, and the ladder that is bound."""

    disclosure: ClassVar[Disclosure] = Disclosure()
    word: str
    words: tuple[str, ...] = ()

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return [self.word, *(ctx.get(Ladder) or Ladder()).words]


class Around(Component):
    """Gives way to its children; its name stands around them."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children


def local(word: str) -> Component:
    """A component of a class that no other process can find."""

    class Local(Component):
        disclosure: ClassVar[Disclosure] = Disclosure()
        word: str

        def render(self, ctx: RenderContext, children: Children) -> Child:
            return self.word

    return Local(word=word)


class Bound:
    """A value that cannot be pickled."""

    def __init__(self, word: str) -> None:
        self.word = word

    def __reduce__(self) -> NoReturn:
        raise ZeroDivisionError(self.word)


class TestPickled:
    @given(
        tree=documents(),
        density=st.sampled_from(Density),
        budget=st.none() | st.integers(0, 200),
    )
    def test_is_what_it_was(self, tree: Element, density: Density, budget: int | None) -> None:
        rendered = render_document([WORDS, tree], density=density, budget=budget)
        other = again(rendered)
        assert other == rendered
        assert hash(other) == hash(rendered)
        assert repr(other) == repr(rendered)
        for mine, its in zip(rendered.nodes, other.nodes, strict=True):
            assert (mine.name, mine.path, mine.text) == (its.name, its.path, its.text)
            assert (mine.tokens, mine.fingerprint) == (its.tokens, its.fingerprint)
            assert mine.nodes == its.nodes
        assert other.sections == rendered.sections
        assert [each.rung for each in other.sections] == [each.rung for each in rendered.sections]
        assert (other.tokens, other.omitted) == (rendered.tokens, rendered.omitted)
        assert other.over_budget is rendered.over_budget
        assert pickle.dumps(again(other)) == pickle.dumps(other)

    @given(before=documents(), after=documents())
    def test_compares_as_it_did(self, before: Element, after: Element) -> None:
        old, new = render_document(before), render_document(after)
        assert compare(again(old), again(new)) == compare(old, new)
        assert compare(again(old), new) == compare(old, again(new)) == compare(old, new)

    @looped("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_has_any_protocol(self, protocol: int) -> None:
        rendered = render_document([WORDS, MORE], density="compact")
        assert pickle.loads(pickle.dumps(rendered, protocol)) == rendered

    def test_holds_the_rungs_that_it_had(self) -> None:
        tree = [WORDS.keyed("a"), Ladder(words=("six", "seven", "eight")).keyed("b")]
        for before in range(0, 60, 4):
            previous = render_document(tree, budget=before)
            for budget in range(0, 60, 4):
                mine = render_document(tree, budget=budget, previous=previous)
                assert render_document(tree, budget=budget, previous=again(previous)) == mine

    def test_names_the_fields_that_differ(self) -> None:
        contexts = [RenderContext().with_value(Ladder(words=(word,))) for word in "ab"]
        before, after = (again(render_document(Shows(word="x"), context=each)) for each in contexts)
        assert str(compare(before, after).broken.changes[0]) == (  # type: ignore[union-attr]
            "Ladder.words[0] was 'a', is 'b'"
        )

    def test_is_the_same_in_another_process(self) -> None:
        rendered = render_document(
            [WORDS.keyed("w"), Paragraph()["x"], Shows(word="y")], density="compact"
        )
        said = elsewhere(
            rendered,
            "from ujsx import compare\n"
            "from tests.ujsx.rendering.test_rendered import Shows, WORDS\n"
            "from ujsx import render_document\n"
            "from ujsx.elements import Paragraph\n"
            "own = render_document([WORDS.keyed('w'), Paragraph()['x'], Shows(word='z')],"
            " density='compact', previous=rendered)\n"
            "print(json.dumps([rendered.text, rendered.tokens,"
            " [each.fingerprint for each in rendered.nodes],"
            " rendered.omitted[0].ids, str(compare(rendered, own).broken.changes[0])]))",
        )
        assert said == [
            rendered.text,
            rendered.tokens,
            [each.fingerprint for each in rendered.nodes],
            list(rendered.omitted[0].ids),
            "word was 'y', is 'z'",
        ]

    def test_copies_are_equal(self) -> None:
        rendered = render_document([WORDS, MORE])
        assert copy.copy(rendered) == copy.deepcopy(rendered) == rendered

    def test_may_be_a_node_alone(self) -> None:
        node = render_document([Paragraph()["x"], WORDS]).nodes[1]
        other = pickle.loads(pickle.dumps(node))
        assert other == node
        assert (other.path, other.nodes, other.rung) == (node.path, node.nodes, node.rung)

    def test_holds_nothing_of_its_renderer(self) -> None:
        tree = [WORDS, Titled(title="Part")[MORE]]
        kinds = {type(each) for each in reachable(again(render_document(tree)))}
        assert {each.__name__ for each in kinds if each.__module__.startswith("ujsx.")} == {
            *("Rendered", "RenderedNode", "RenderedSection", "OmittedItems", "CountedText"),
            *(
                "PartOrigin",
                "PackedValue",
                "PackedPart",
                "PackedAccount",
                "Rung",
                "Density",
                "Priority",
            ),
        }

    def test_writes_once_what_many_parts_see(self) -> None:
        seen = Ladder(words=("w" * 10_000,))
        for around in (RenderContext().with_value(seen), RenderContext(texts={"a": "t" * 10_000})):
            sizes = [
                len(
                    pickle.dumps(
                        render_document([MORE.keyed(f"{n}") for n in range(many)], context=around)
                    )
                )
                for many in (1, 20)
            ]
            assert sizes[1] - sizes[0] < 20_000


class TestUnsaid:
    """What cannot be pickled, or not be read, is left unsaid; all else is as it was."""

    def test_a_component_of_a_local_class(self) -> None:
        before, after = (render_document([MORE, local(word)]) for word in "ab")
        assert again(before) == before
        assert again(before).nodes[1].nodes == before.nodes[1].nodes
        found = compare(again(before), again(after))
        assert (found.broken.path, found.broken.changes) == ("Local", ())  # type: ignore[union-attr]
        assert found.lost_tokens == compare(before, after).lost_tokens
        assert str(found).startswith("Local breaks the prefix in line 5; ")
        assert compare(again(before), after) == compare(before, again(after)) == found

    def test_a_bound_value(self) -> None:
        contexts = [
            RenderContext().with_value(Bound(word)).with_value(Ladder(words=(word,)))
            for word in "ab"
        ]
        before, after = (render_document(Shows(word="x"), context=each) for each in contexts)
        changes = compare(again(before), again(after)).broken.changes  # type: ignore[union-attr]
        assert [each.field for each in changes] == ["Ladder.words[0]"]

    def test_a_counter(self) -> None:
        context = RenderContext(count_tokens=lambda text: 7 * len(text))
        rendered = render_document(WORDS, context=context)
        assert again(rendered) == rendered
        assert again(rendered).tokens == 7 * len(rendered.text)
        assert again(rendered).count_tokens is estimate_tokens

    def test_a_counter_that_can_be_found_is_kept(self) -> None:
        for counter in (len, estimate_tokens, calibrated(counted=1, reported=2)):
            rendered = render_document(WORDS, context=RenderContext(count_tokens=counter))
            assert again(rendered).count_tokens == counter

    def test_a_class_that_the_reader_does_not_have(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rendered, other = (render_document([MORE, Shows(word=word)]) for word in "ab")
        written = pickle.dumps(rendered)
        monkeypatch.delattr(sys.modules[__name__], "Shows")
        read = pickle.loads(written)
        assert read == rendered
        assert compare(read, other).broken.changes == ()  # type: ignore[union-attr]
        monkeypatch.undo()
        passed_on = again(read)
        assert compare(passed_on, other).broken.field == "word"  # type: ignore[union-attr]

    def test_read_only_texts_are_said(self) -> None:
        contexts = [RenderContext(texts=MappingProxyType({"omitted": word})) for word in "ab"]
        cut = [again(render_document(WORDS, density="minimal", context=each)) for each in contexts]
        (change,) = compare(*cut).broken.changes  # type: ignore[union-attr]
        assert str(change) == "texts.omitted was 'a', is 'b'"


class TestAccount:
    def test_says_where_a_node_stands_now(self) -> None:
        renderer, alone = Renderer(), Ladder(words=("a",))
        inside = Titled(title="Part")[Section(title="s")[alone]]
        for tree in (alone, fragment(alone), inside, alone):
            assert renderer.render(tree) == render_document(tree)
        tree = [Around()[alone], "end"]
        renderer.render([alone, "end"])
        assert renderer.render(tree).nodes[0].path == "Around / Ladder"
        assert renderer.render([alone, "end"]).nodes[0].path == "Ladder"

    def test_is_not_taken_until_it_is_asked_for(self) -> None:
        def never(text: str) -> int:
            raise AssertionError(text)

        rendered = render_document([WORDS, MORE], context=RenderContext(count_tokens=never))
        assert rendered == rendered  # noqa: PLR0124 - nothing is looked at
        assert hash(rendered)
        assert repr(rendered)
        assert rendered != render_document(MORE)
        with pytest.raises(AssertionError):
            pickle.dumps(rendered)

    def test_is_compared(self) -> None:
        plain = render_document("one")
        section = render_document(Shows(word="one"))
        assert plain.text == section.text
        assert plain != section

    def test_differs_by_what_was_left_out(self) -> None:
        class Hides(Component):
            disclosure: ClassVar[Disclosure] = Disclosure()
            ids: tuple[str, ...]

            def render(self, ctx: RenderContext, children: Children) -> Child:
                return List()[Item()["a"], Omitted(count=1, ids=self.ids)]

        one, other = (render_document(Hides(ids=(each,))) for each in "xy")
        assert one.text == other.text
        assert one != other

    def test_differs_by_the_counter(self) -> None:
        counts = (RenderContext(count_tokens=each) for each in (len, estimate_tokens))
        one, other = (render_document("one", context=each) for each in counts)
        assert one != other
