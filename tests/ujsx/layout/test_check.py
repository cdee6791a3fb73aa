"""``check_layout``: it says all that is wrong, where it stands, and nothing where nothing is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ids import looped
from tests.ujsx.layout.test_hostile import fragments, mutated
from tests.ujsx.layout.trees import VOCABULARY, trees
from ujsx import (
    Component,
    Density,
    Element,
    LayoutError,
    UjsxError,
    check_layout,
    dump,
    mdast,
    read_layout,
    render,
    write_layout,
)
from ujsx.elements import PRIMITIVES, Item, List, Table, TableRow
from ujsx.layout import check_tree

STRUCTURE = Path(__file__).with_name("structure.txt").read_text("utf-8").split("\n==== ")[1:]
MISTAKES = Path(__file__).with_name("mistakes.txt").read_text("utf-8").split("\n==== ")[1:]


def is_refused(text: str) -> bool:
    """Whether a layout cannot be read, or not be rendered at one of the densities."""
    try:
        tree = read_layout(text, VOCABULARY)
        for density in Density:
            render(tree, density=density)
    except UjsxError:
        return True
    return False


def places(text: str, vocabulary: Any = VOCABULARY) -> list[tuple[int | None, int | None, str]]:
    return [(each.line, each.column, each.message) for each in check_layout(text, vocabulary)]


def written(tree: Any) -> str | None:
    try:
        return write_layout(tree)
    except LayoutError:
        return None


class TestAgreement:
    """What is refused is what the check tells of."""

    @settings(suppress_health_check=[*HealthCheck])
    @given(tree=trees())
    def test_with_a_rendering_of_any_tree(self, tree: Any) -> None:
        text = written(tree)
        if text is not None:
            assert bool(check_layout(text, VOCABULARY)) is is_refused(text)

    @settings(suppress_health_check=[*HealthCheck])
    @given(text=fragments | mutated())
    def test_with_a_reading_of_any_text(self, text: str) -> None:
        found = check_layout(text, VOCABULARY)
        assert bool(found) is is_refused(text)
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for each in found:
            assert each.line is not None
            assert 1 <= each.line <= len(lines)
            assert each.column is not None

    @looped("case", MISTAKES, ids=lambda case: case.partition("\n")[0])
    def test_with_each_known_mistake(self, case: str) -> None:
        text, _, _ = case.partition("\n")[2].partition("\n----\n")
        with pytest.raises(LayoutError) as caught:
            read_layout(text, VOCABULARY)
        first = (caught.value.line, caught.value.column)
        assert first in [(line, column) for line, column, _ in places(text)]


class TestStructure:
    @looped("case", STRUCTURE, ids=lambda case: case.partition("\n")[0])
    def test_is_told_of_with_its_place(self, case: str) -> None:
        text, _, told = case.partition("\n")[2].partition("\n----\n")
        found = [f"{line}:{column} {message}" for line, column, message in places(text)]
        assert found == told.rstrip("\n").split("\n")

    @looped("case", STRUCTURE, ids=lambda case: case.partition("\n")[0])
    def test_is_what_a_rendering_refuses(self, case: str) -> None:
        assert is_refused(case.partition("\n")[2].partition("\n----\n")[0])

    def test_is_told_of_for_each_pair_of_contents(self) -> None:
        """Whatever stands in a place that does not take it has a case of its own, or of its kind."""
        said = "\n".join(STRUCTURE)
        for holder, part in (("List", "Item"), ("Table", "TableRow"), ("TableRow", "TableCell")):
            assert f"{part} stands in a {holder} only" in said
            assert f"a {holder} holds {part}s, not" in said
        assert "is a block and cannot go inside inline text" in said


class TestTrees:
    @settings(suppress_health_check=[*HealthCheck])
    @given(tree=trees())
    def test_are_refused_where_their_layouts_are(self, tree: Any) -> None:
        text = written(tree)
        if text is None:
            return
        misplaced = [message for _, message in check_tree(dump(tree), VOCABULARY)]
        told = {message for _, _, message in places(text) if " rendered" not in message}
        # What Markdown makes of a line has mdast's name.
        assert set(misplaced) == {re.sub(r"\ba Code\b", "a CodeBlock", each) for each in told}

    def test_have_their_mistakes_at_the_place_in_the_data(self) -> None:
        data = {
            "type": "Table",
            "children": [
                {"type": "TableRow", "children": [{"type": "Item"}]},
                {"type": "Fragment", "children": ["a"]},
            ],
        }
        assert [*check_tree(data)] == [
            ("$.children[0].children[0]", "a TableRow holds TableCells, not an Item"),
            ("$.children[1].children[0]", "a Table holds TableRows, not a Text"),
        ]

    def test_are_asked_a_rule_with_its_prop(self) -> None:
        def rule(component: Component, around: Any, has_children: bool) -> Any:
            if type(component).__name__ == "InlineCode":
                yield "value", f"in {type(around[-1]).__name__}"

        tree = {"type": "Paragraph", "children": [{"type": "InlineCode", "props": {"value": "a"}}]}
        assert [*check_tree(tree, rule=rule)] == [("$.children[0].props.value", "in Paragraph")]


class TestMarkdown:
    @looped("text", ["<https://f.g>\n", "<a@b.c> d", "<mailto:a@b.c>\n\n<Panel/>"])
    def test_in_angle_brackets_is_no_broken_tag(self, text: str) -> None:
        assert check_layout(text, VOCABULARY) == ()
        assert [each.line for each in check_layout(f"{text}\n\n<Nope/>", VOCABULARY)] == [
            text.count("\n") + 3
        ]

    def test_that_may_not_stand_there_is_told_of(self) -> None:
        text = "a [b](/c)\n\n![d](/e)\n\n<https://f.g>\n"
        found = check_layout(text, without={mdast.Link, mdast.Image})
        assert [(each.line, each.message.split(";")[0]) for each in found] == [
            (1, "a Link is not allowed here"),
            (3, "an Image is not allowed here"),
            (5, "a Link is not allowed here"),
        ]
        assert check_layout(text) == ()


class TestMistakes:
    def test_are_all_told_in_their_order(self) -> None:
        text = (
            "<Panel count={x}>\n\n"
            "<Strong>\n\n# deep\n\n</Strong>\n\n"
            "text <Bagde/> and <Panel nme='a' count='b'/>\n\n"
            "<List>\n\ntext\n\n</List>\n"
            "</Panel>\n</Panel>\n"
        )
        assert [(line, message.split(";")[0]) for line, _, message in places(text)] == [
            (1, "braces take a JSON literal"),
            (5, "a Heading is a block and cannot go inside inline text"),
            (9, "<Bagde> is not a known component"),
            (9, "Panel.nme: no such prop (got 'a')"),
            (9, "Panel.count: Input should be a valid integer, unable to parse string as an integer (got 'b')"),
            (13, "a List holds Items, not a Paragraph"),
            (17, "</Panel> closes nothing here"),
        ]  # fmt: skip

    def test_in_the_props_of_a_broken_tag_leave_what_it_holds_alone(self) -> None:
        found = places("<Panel count=3>\n  <Badge label='a'/>\n</Panel>\n")
        assert [(line, column) for line, column, _ in found] == [(1, 14)]

    def test_of_several_open_tags_are_told_of_each(self) -> None:
        found = places("<Panel>\n<Section title='a'>\ntext\n")
        assert [line for line, _, _ in found] == [1, 2]

    def test_of_a_tag_that_closes_another_are_told_once(self) -> None:
        found = places("<Panel>\n<Section title='a'>\n</Panel>\n")
        assert [line for line, _, _ in found] == [3]

    def test_of_a_component_that_fails_stand_at_its_tag(self) -> None:
        class Broken(Component):
            def render(self, ctx, children):
                raise ValueError("no")

        found = places("# a\n\n<Panel>\n\nb\n\n<Broken/>\n</Panel>\n", VOCABULARY | [Broken])
        assert [(line, column) for line, column, _ in found] == [(7, 1)]
        assert "ValueError: no" in found[0][2]

    def test_of_components_that_say_no_content_come_from_the_rendering(self) -> None:
        class Points(Component):
            def render(self, ctx, children):
                return List()[Item()["a"]]

        found = places("<Strong><Points/></Strong>", PRIMITIVES | [Points])
        assert "what Points renders is a block" in found[0][2]
        assert places("<Panel><Points/></Panel>", VOCABULARY | [Points]) == []

    def test_of_a_rule_stand_at_its_prop(self) -> None:
        def rule(component: Component, around: Any, has_children: bool) -> Any:
            if type(component).__name__ == "Badge" and around:
                yield "label", f"in {type(around[-1]).__name__}"

        text = "<Badge label='a'/>\n<Panel>\n<Badge label='b'/>\n</Panel>"
        (found,) = check_layout(text, VOCABULARY, rule=rule)
        assert (found.line, found.column, found.message) == (3, 14, "in Panel")


class TestSpaceBetweenParts:
    @looped(
        "text",
        [
            "<List> <Item>a</Item> <Item>b</Item> </List>",
            "<List>\n<Item>a</Item>\n\n<Item>b</Item>\n</List>",
            "<List> <> <Item>a</Item> </> <Item>b</Item></List>",
        ],
    )
    def test_is_for_the_eye(self, text: str) -> None:
        assert check_layout(text) == ()
        assert render(read_layout(text)) == "- a\n- b\n"

    def test_of_tables_too(self) -> None:
        text = "<Table> <TableRow> <TableCell>a</TableCell> </TableRow> </Table>"
        assert read_layout(text) == Table()[TableRow()[PRIMITIVES["TableCell"]()["a"]]]

    def test_as_text_is_text(self) -> None:
        found = check_layout('<List>{" "}<Item>a</Item></List>')
        assert [each.message for each in found] == ["a List holds Items, not a Text"]


@pytest.mark.parametrize("name", [*PRIMITIVES])
@settings(max_examples=3, suppress_health_check=[*HealthCheck])
@given(data=st.data())
def test_content_models_are_what_rules_do(name: str, data: Any) -> None:
    """Each primitive stands where its content model says, and is refused elsewhere."""
    cls: Any = PRIMITIVES[name]
    values = {
        name: data.draw(st.just("a") if field.annotation is str else st.just(1))
        for name, field in cls.model_fields.items()
        if field.is_required()
    }
    node = cls(**values)
    holders: dict[str, Any] = {
        "flow": PRIMITIVES["BlockQuote"],
        "phrasing": PRIMITIVES["Paragraph"],
        "list": List,
        "table": Table,
        "row": TableRow,
    }
    for place, holder in holders.items():
        tree: Any = Element.of(holder(), node)
        if place == "row":
            tree = Table()[tree]
        try:
            render(tree)
            stands = True
        except UjsxError:
            stands = False
        assert stands is cls.content_model.fits(place), place
