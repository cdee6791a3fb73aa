"""Templates: lines with holes that are written and read back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx import (
    DefinitionError,
    Element,
    PropError,
    Renderer,
    RenderError,
    Template,
    dump,
    load,
    render,
)
from ujsx.elements import (
    Emphasis,
    ForEach,
    InlineCode,
    Item,
    List,
    Paragraph,
    Strikethrough,
    strong,
)
from ujsx.mdast import from_markdown
from ujsx.testing.strategies import hostile_texts
from ujsx.text import one_line, visible

LINES = hostile_texts(min_size=1).map(lambda text: one_line(visible(text)).strip()).filter(bool)

SOURCES = (
    "{a}",
    "**{a}** — {b}",
    "`{a}` ({b})",
    "~~{a}~~",
    "*{a}* and **{b}**",
    "Note: {a}",
    "{a} *{b}*",
    "`{a}` **{b}** ~~{c}~~ *{d}*",
    "- {a}",
    "[{a}](x)",
)


class TestTemplate:
    def test_fills_marked_stretches(self) -> None:
        line = Template("**{a}**, `{b}`, ~~{c}~~ and *{d}*")
        assert line.fill("1", "2", "3", "4") == (
            strong("1"),
            ", ",
            InlineCode(value="2"),
            ", ",
            Strikethrough()["3"],
            " and ",
            Emphasis()["4"],
        )

    def test_takes_values_in_the_order_of_its_fields(self) -> None:
        assert Template("{b}: *{a}*", ("a", "b")).fill("1", "2") == ("2: ", Emphasis()["1"])

    def test_doubled_braces_are_braces(self) -> None:
        assert Template("{{{a}}}").fill("x") == ("{x}",)

    @given(st.sampled_from(SOURCES), st.lists(LINES, min_size=4, max_size=4))
    def test_what_is_written_is_read_back(self, source: str, texts: list[str]) -> None:
        line = Template(source)
        values = texts[: len(line.fields)]
        (paragraph,) = from_markdown(render(Paragraph()[line.fill(*values)])).children
        assert line.read(paragraph.children) == dict(zip(line.fields, values, strict=True))

    @looped(
        ("source", "problem"),
        [
            ("", "is not empty"),
            ("**{a}", "marks are in pairs"),
            ("{a}{b}", "nothing tells where {b} starts"),
            ("{a} {a}", "once in a line"),
            ("{0}", "a name in braces"),
            ("{a!r}", "a name in braces"),
            ("{a", "a brace is written twice"),
        ],
    )
    def test_refuses_what_could_not_be_read_back(self, source: str, problem: str) -> None:
        with pytest.raises(DefinitionError, match=problem):
            Template(source)

    def test_refuses_a_hole_that_nothing_fills_and_names_the_nearest(self) -> None:
        with pytest.raises(DefinitionError, match='did you mean "summary"'):
            Template("{sumary}", ("summary", "details"))

    def test_refuses_a_pattern_without_a_hole(self) -> None:
        with pytest.raises(DefinitionError, match="has no hole"):
            Template("{count} notes", patterns={"cuont": r"\d+"})

    def test_reads_by_pattern(self) -> None:
        line = Template("{count} {noun}", patterns={"count": r"\d+"})
        (paragraph,) = from_markdown("12 notes").children
        assert line.read(paragraph.children) == {"count": "12", "noun": "notes"}
        (other,) = from_markdown("many notes").children
        assert line.read(other.children) is None

    @looped(
        ("typed", "said"),
        [
            ("at https://a.b/c_d?e=1&f=2, or www.a.b", "https://a.b/c_d?e=1&f=2, or www.a.b"),
            ("at <https://a.b>", "https://a.b"),
            ("at ada@a.b", "ada@a.b"),
            ("at [https://a.b](https://evil.example)", None),
            ('at [https://a.b](https://a.b "title")', None),
            ("at [the *door*](https://a.b)", None),
            ("at ![https://a.b](https://a.b)", None),
        ],
    )
    def test_an_address_that_links_to_itself_is_text(self, typed: str, said: str | None) -> None:
        expected = None if said is None else {"place": said}
        (paragraph,) = from_markdown(typed).children
        assert Template("at {place}").read(paragraph.children) == expected
        (paragraph,) = from_markdown(f"**{typed}** now").children
        assert Template("**at {place}** now").read(paragraph.children) == expected

    def test_reads_nothing_from_another_structure(self) -> None:
        (paragraph,) = from_markdown("*a* b").children
        assert Template("**{a}** {b}").read(paragraph.children) is None
        assert Template("{a}").read(paragraph.children) is None


def _shown(row: object) -> Element[Item]:
    return Item()[str(row)]


class TestForEach:
    ROW = Template("**{name}**: {role}")

    def test_makes_an_item_of_each_row(self) -> None:
        rows = ForEach(rows=((self.ROW, "Ada", "analyst"), Item()["as it is"]))
        assert render(List()[rows]) == "- **Ada**: analyst\n- as it is\n"

    def test_refuses_a_row_of_another_width(self) -> None:
        with pytest.raises(PropError, match="a text for each of its holes"):
            render(List()[ForEach(rows=((self.ROW, "Ada"),))])

    def test_refuses_a_value_that_is_no_text(self) -> None:
        with pytest.raises(PropError, match=r"a hole takes a text, not 3 \(int\)"):
            render(List()[ForEach(rows=((self.ROW, "Ada", 3),))])

    def test_does_not_come_from_data(self) -> None:
        with pytest.raises(Exception, match="ForEach"):
            load({"type": "ForEach", "props": {"rows": []}})
        assert dump(List())["type"] == "List"

    def test_a_kept_renderer_asks_for_new_rows_alone(self) -> None:
        asked: list[int] = []

        def item(number: int) -> Element[Item]:
            asked.append(number)
            return Item()[str(number)]

        kept = Renderer()
        for rows in ((1, 2, 3), (1, 2, 3), (1, 4, 3), (1, 4, 3, 5), (4, 3, 5)):
            asked.clear()
            tree = List()[ForEach(rows=rows, each=item)]
            assert kept.render(tree).text == "".join(f"- {each}\n" for each in rows)
        assert asked == []
        kept.render(List()[ForEach(rows=(4, 3, 6), each=item)])
        assert asked == [6]
        text = kept.render(
            List()[ForEach(rows=(4, 3, 6), each=lambda row: Item()[f"no {row}"])]
        ).text
        assert text == "- no 4\n- no 3\n- no 6\n"

    def test_knows_rows_again_that_show_the_same_alone(self) -> None:
        kept = Renderer()
        for row in (1, True, 1.0, (1, "a"), (True, "a"), (0.0,), (-0.0,)):
            tree = List()[ForEach(rows=("a", row, "b"), each=_shown)]
            for _ in range(2):
                assert kept.render(tree).text == f"- a\n- {row}\n- b\n"

    def test_a_row_is_a_value(self) -> None:
        with pytest.raises(RenderError, match="is not hashable; use tuple"):
            render(List()[ForEach(rows=([1],), each=_shown)])

    @looped(
        ("each", "told"),
        [
            (
                lambda row: None,
                "List / ForEach[0]: its each makes one node of a row, such as an Item, not None",
            ),
            (lambda row: row.lost, "List / ForEach[0]: its each raised AttributeError: "),
            (lambda row: "text", "a List holds Items, not what ForEach renders"),
        ],
    )
    def test_tells_what_each_gets_wrong(self, each: Any, told: str) -> None:
        with pytest.raises(RenderError) as caught:
            render(List()[ForEach(rows=("a",), each=each)])
        assert told in str(caught.value)
