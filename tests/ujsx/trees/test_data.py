"""Trees as data: ``dump`` and ``load``."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests.ids import looped
from tests.strategies import Aside, Ladder, trees
from ujsx import Element, Fragment, LoadError, dump, fragment, load
from ujsx.elements import (
    PRIMITIVES,
    Heading,
    Item,
    List,
    Paragraph,
    Section,
    Strong,
    Table,
    TrustedMarkdown,
)


def nested(depth: int) -> dict[str, Any]:
    data: dict[str, Any] = {"type": "BlockQuote"}
    for _ in range(depth):
        data = {"type": "BlockQuote", "children": [data]}
    return data


class TestRoundTrip:
    @given(tree=trees())
    def test_a_tree_comes_back_as_it_was(self, tree: Element) -> None:
        assert load(dump(tree)) == tree

    @given(tree=trees())
    def test_through_json_text_too(self, tree: Element) -> None:
        assert load(json.loads(json.dumps(dump(tree)))) == tree

    @given(tree=trees())
    def test_equal_trees_have_equal_data(self, tree: Element) -> None:
        assert dump(load(dump(tree))) == dump(tree)


class TestDump:
    def test_is_type_props_and_children(self) -> None:
        assert dump(Section(title="Notes")["a", Paragraph()]) == {
            "type": "Section",
            "props": {"title": "Notes"},
            "children": ["a", {"type": "Paragraph", "props": {}, "children": []}],
        }

    def test_leaves_out_props_with_their_default(self) -> None:
        assert dump(List(ordered=True, start=1))["props"] == {"ordered": True}

    def test_has_a_key_only_where_there_is_one(self) -> None:
        assert dump(Item().keyed("d-12"))["key"] == "d-12"
        assert "key" not in dump(Item())

    def test_text_alone_comes_in_a_fragment(self) -> None:
        assert dump("x") == {"type": "Fragment", "props": {}, "children": ["x"]}

    def test_of_a_component_is_that_of_its_element(self) -> None:
        assert dump(Section(title="a")) == dump(Section(title="a")[()])


class TestLoad:
    def test_needs_a_type_alone(self) -> None:
        assert load({"type": "Paragraph"}) == Paragraph()

    def test_takes_tuples_for_lists(self) -> None:
        assert load({"type": "Paragraph", "children": ("a",)}) == Paragraph()["a"]

    def test_reads_keys(self) -> None:
        assert load({"type": "Item", "key": "d-12"}) == Item().keyed("d-12")

    def test_a_fragment_in_a_parent_gives_way(self) -> None:
        data = {"type": "Paragraph", "children": [{"type": "Fragment", "children": ["a", "b"]}]}
        assert load(data) == Paragraph()["a", "b"]
        assert load({"type": "Fragment", "children": ["a"]}) == fragment("a")

    def test_takes_the_components_of_an_extended_vocabulary(self) -> None:
        tree = Section(title="a")[Ladder(words=("x",)), Aside(loud=True)["y"]]
        assert load(dump(tree), PRIMITIVES | [Ladder, Aside]) == tree

    def test_takes_no_primitive_that_the_vocabulary_does_not_have(self) -> None:
        with pytest.raises(LoadError, match="known: Aside"):
            load({"type": "Section", "props": {"title": "a"}}, [Aside])

    def test_trusted_markdown_cannot_come_in(self) -> None:
        with pytest.raises(LoadError, match="'TrustedMarkdown' is not a known component"):
            load({"type": "TrustedMarkdown", "props": {"source": "# x"}})

    def test_trusted_markdown_cannot_come_in_by_a_vocabulary_either(self) -> None:
        class Vouched(TrustedMarkdown):
            pass

        for cls in (TrustedMarkdown, Vouched):
            data = {"type": cls.__name__, "props": {"source": "# x"}}
            with pytest.raises(LoadError, match="not allowed in data"):
                load(data, PRIMITIVES | [cls])

    def test_a_fragment_may_come_in_whatever_the_vocabulary(self) -> None:
        data = {"type": "Fragment", "children": [{"type": "Strong", "children": ["a"]}]}
        assert load(data, [Strong]) == fragment(Strong()["a"])

    def test_null_for_a_prop_that_cannot_be_null_is_its_default(self) -> None:
        data = {"type": "List", "props": {"ordered": True, "start": None}}
        assert load(data) == Element.of(List(ordered=True), ())

    def test_null_for_a_prop_that_has_to_be_given_stays_an_error(self) -> None:
        with pytest.raises(LoadError, match=r"^\$.props.title: "):
            load({"type": "Section", "props": {"title": None}})


INSIDE: dict[str, Any] = {"type": "Section", "props": {"title": "a"}, "children": ["x", None]}
"""A tree whose second child a case fills in."""

ERRORS: list[tuple[Any, str, str]] = [
    (
        {"type": "section"},
        "$.type",
        "'section' is not a known component; did you mean \"Section\"?",
    ),
    ({"type": "Hud"}, "$.type", "'Hud' is not a known component"),
    ({}, "$.type", "required, but not given"),
    ({"type": None}, "$.type", "None is not a known component"),
    ({"type": 3}, "$.type", "3 is not a known component"),
    ({"type": ["Section"]}, "$.type", "['Section'] is not a known component"),
    (
        {"type": "Section", "props": {"titel": "a"}},
        "$.props.titel",
        "no such prop (got 'a'); did you mean \"title\"?",
    ),
    ({"type": "Section"}, "$.props.title", "required, but not given"),
    (
        {"type": "Heading", "props": {"depth": 7}},
        "$.props.depth",
        "Input should be less than or equal to 6 (got 7)",
    ),
    (
        {"type": "Table", "props": {"align": ["left", "top"]}},
        "$.props.align.1",
        "Input should be 'left', 'right' or 'center' (got 'top')",
    ),
    ({"type": "Paragraph", "props": []}, "$.props", "props are an object, not []"),
    ({"type": "Paragraph", "props": None}, "$.props", "props are an object, not None"),
    ({"type": "Paragraph", "props": {1: 2}}, "$.props", "the name of a prop is a string, not 1"),
    ({"type": "Paragraph", "props": {"self": 1}}, "$.props.self", "no such prop (got 1)"),
    ({"type": "Paragraph", "children": "x"}, "$.children", "children are a list, not 'x'"),
    ({"type": "Paragraph", "children": {}}, "$.children", "children are a list, not {}"),
    ({"type": "Paragraph", "key": 3}, "$.key", "a key is a string, not 3"),
    (
        {"type": "Paragraph", "childen": []},
        "$",
        "a node has no 'childen'; did you mean \"children\"?",
    ),
    ({"type": "Paragraph", 3: 4}, "$", "a node has no 3; known: children, key, props, type"),
    (
        {"type": "CodeBlock", "props": {"value": "a"}, "children": ["lost"]},
        "$.children",
        "CodeBlock: it takes no children; put them beside it, or into a prop: value, lang, meta",
    ),
    (None, "$", 'a node is an object with a "type", not None'),
    ("x", "$", "a node is an object with a \"type\", not 'x'"),
    ([], "$", 'a node is an object with a "type", not []'),
]


class TestErrors:
    @looped(("data", "path", "message"), ERRORS)
    def test_say_what_where_and_the_nearest_name(self, data: Any, path: str, message: str) -> None:
        with pytest.raises(LoadError) as caught:
            load(data)
        assert caught.value.path == path
        assert message in caught.value.message

    @looped(("data", "path", "message"), [case for case in ERRORS if not isinstance(case[0], str)])
    def test_say_so_deep_in_a_tree_too(self, data: Any, path: str, message: str) -> None:
        outer = {**INSIDE, "children": [{**INSIDE, "children": ["x", data]}]}
        with pytest.raises(LoadError) as caught:
            load(outer)
        assert caught.value.path == "$.children[0].children[1]" + path.removeprefix("$")
        assert message in caught.value.message

    @looped("text", ['{"type": "Paragraph"}', b"{}"])
    def test_tell_json_text_from_data(self, text: Any) -> None:
        with pytest.raises(LoadError, match=r"if it is JSON text, json\.loads it first$"):
            load(text)

    def test_name_several_mistakes_at_once(self) -> None:
        children = [{"type": "Sektion"}, {"type": "Item"}, {"type": "Paragraph", "props": {"a": 1}}]
        with pytest.raises(LoadError) as caught:
            load({"type": "Section", "props": {}, "children": children})
        assert caught.value.path == "$.props.title"
        assert str(caught.value).split("; ") == [
            "$.props.title: required, but not given",
            "$.children[0].type: 'Sektion' is not a known component",
            'did you mean "Section"?',
            "$.children[2].props.a: no such prop (got 1)",
            "there are none",
        ]

    def test_count_the_mistakes_beyond_a_few(self) -> None:
        with pytest.raises(LoadError, match=r"\$\.children\[2\]\.type: .*; 7 more$"):
            load({"type": "Fragment", "children": [{"type": 3}] * 10})

    def test_are_value_errors(self) -> None:
        assert issubclass(LoadError, ValueError)

    def test_a_class_name_inside_a_value_stays_as_it_is(self) -> None:
        with pytest.raises(LoadError, match=r"got 'Heading\.x'"):
            load({"type": "Heading", "props": {"depth": "Heading.x"}})

    def test_too_deep_data_is_one_of_them(self) -> None:
        with pytest.raises(LoadError, match="nested more than 150 deep"):
            load(nested(10_000))

    def test_data_up_to_that_depth_is_taken_and_written_again(self) -> None:
        data = nested(140)
        assert load(dump(load(data))) == load(data)

    def test_too_deep_a_tree_is_an_error_of_ours_in_dump_too(self) -> None:
        from ujsx import UjsxError

        tree: Any = Paragraph()
        for _ in range(2_000):
            tree = Section(title="a")[tree]
        with pytest.raises(UjsxError, match="nested more than 150 deep"):
            dump(tree)

    @looped("kind", [Fragment, Heading, Table])
    def test_no_error_for_props_that_all_have_defaults(self, kind: type) -> None:
        assert load({"type": kind.__name__, "props": {}}) == kind()
