"""``tree_schema``: a vocabulary as one schema, and ``load`` for what is answered with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from jsonschema import Draft202012Validator

from hud_components import DecisionsList, NextSteps, NotesSection
from tests.ids import looped
from tests.ujsx.schema.raw import as_json_schema
from tests.ujsx.schema.values import values
from ujsx import (
    Child,
    Children,
    Component,
    Element,
    Fragment,
    FrozenMapping,
    LoadError,
    RenderContext,
    SchemaError,
    Vocabulary,
    component,
    dump,
    fragment,
    load,
    render,
)
from ujsx.elements import (
    PRIMITIVES,
    CodeBlock,
    Emphasis,
    Item,
    LineBreak,
    Link,
    List,
    Paragraph,
    Section,
    Strong,
    Table,
    TableCell,
    TableRow,
    TrustedMarkdown,
)
from ujsx.schema import DIALECTS, schema_tokens, tree_schema
from ujsx.testing.strategies import trees

WORDS = [Section, Paragraph, List, Item, Strong, Link]

TYING = [each for each in DIALECTS if each != "gemini"]
"""Dialects that tie children to their parents; written out, that would double with the levels."""

STRICT = ["openai-strict", "anthropic-strict", "gemini"]


@component
def Badge(ctx: RenderContext, children: Children, *, label: str) -> Child:
    """A label."""
    return label


class Ports(Component):
    """Ports by service."""

    ports: FrozenMapping[str, int] = FrozenMapping()


class Jars(Component):
    """Whatever, by name."""

    jars: FrozenMapping[str, Any] = FrozenMapping()


class Vouched(TrustedMarkdown):
    """Markdown that somebody vouches for."""


def node(schema: Any, kind: str) -> Any:
    """The branch for a component."""
    branches = schema["$defs"]["Node"]["anyOf"]
    return next(
        each for each in branches if kind in json.dumps(each.get("properties", {}).get("type", ""))
    )


def kinds_in(definition: Any) -> Iterator[str]:
    """The components that a definition has branches for."""
    for branch in definition.get("anyOf", ()):
        kind = branch.get("properties", {}).get("type", {})
        yield from kind.get("enum", [kind["const"]] if "const" in kind else [])


class TestTreeSchema:
    def test_has_a_branch_for_each_kind_of_props(self) -> None:
        schema = tree_schema(WORDS)
        assert node(schema, "Section")["properties"]["type"] == {
            "const": "Section",
            "type": "string",
        }
        assert node(schema, "Section")["required"] == ["type", "props"]
        assert node(schema, "List")["required"] == ["type"]

    def test_puts_components_without_props_into_one_branch(self) -> None:
        both = tree_schema([Strong, Emphasis])["$defs"]["Line"]["anyOf"][1]
        assert both["properties"]["type"] == {
            "enum": ["Strong", "Emphasis"],
            "type": "string",
        }
        assert both["description"] == "Strong: Important text.\nEmphasis: Stressed text."

    def test_has_each_component_where_it_may_stand_alone(self) -> None:
        schema = tree_schema([*WORDS, Table, TableRow, TableCell, Fragment])
        kinds = {name: set(kinds_in(each)) for name, each in schema["$defs"].items()}
        assert kinds["Node"] == {"Section", "Paragraph", "List", "Table", "Fragment"}
        assert kinds["Line"] == {"Strong", "Link", "Fragment"}
        assert kinds["Items"] == {"Item", "Fragment"}
        assert kinds["Rows"] == {"TableRow", "Fragment"}
        assert kinds["Cells"] == {"TableCell", "Fragment"}

    def test_has_no_children_for_a_list_without_items_in_the_vocabulary(self) -> None:
        (branch,) = tree_schema([List])["$defs"]["Node"]["anyOf"][1:]
        assert "children" not in branch["properties"]

    def test_has_a_component_that_says_nothing_of_its_content_among_blocks(self) -> None:
        schema = tree_schema([Badge, Strong])
        assert set(kinds_in(schema["$defs"]["Node"])) == {"Badge"}
        assert "Badge" not in set(kinds_in(schema["$defs"]["Line"]))

    def test_has_children_that_are_text_or_nodes(self) -> None:
        schema = tree_schema([Section])
        children = schema["properties"]["children"]
        assert children == {"items": {"$ref": "#/$defs/Node"}, "type": "array"}
        assert schema["$defs"]["Node"]["anyOf"][0] == {"type": "string"}

    @looped("dialect", DIALECTS)
    def test_has_no_children_for_what_takes_none(self, dialect: str) -> None:
        schema = tree_schema([*WORDS, CodeBlock, LineBreak], dialect=dialect, depth=1)
        text = json.dumps(schema)
        branches = [
            each
            for level in schema.get(
                "$defs", {"": schema["properties"]["children"]["items"]}
            ).values()
            for each in level.get("anyOf", ())
            if "type" in each.get("properties", {})
        ]
        assert "CodeBlock" in text
        for branch in branches:
            is_leaf = any(
                name in json.dumps(branch["properties"]["type"]) for name in ("CodeBlock", "Break")
            )
            assert ("children" in branch["properties"]) is not is_leaf
            assert not is_leaf or "children" not in branch["required"]
        assert any("children" not in each["properties"] for each in branches)

    def test_is_of_a_fragment_unless_another_root_is_named(self) -> None:
        assert tree_schema(WORDS)["properties"]["type"] == {
            "const": "Fragment",
            "type": "string",
        }
        schema = tree_schema(WORDS, root=Section)
        assert schema["properties"]["type"] == {
            "const": "Section",
            "type": "string",
        }
        assert schema["properties"]["props"] == {"$ref": "#/$defs/Section"}

    def test_takes_component_functions(self) -> None:
        schema = tree_schema([Badge], root=Badge, dialect="gemini")
        assert schema["properties"]["props"]["required"] == ["label"]

    def test_of_no_components_is_text(self) -> None:
        for dialect in DIALECTS:
            schema = tree_schema([], dialect=dialect)
            assert "Section" not in json.dumps(schema)
            assert schema["type"] == "object"

    def test_has_a_definition_of_nodes_beside_a_component_of_that_name(self) -> None:
        named: Any = type(Section)("Node", (Section,), {"__module__": __name__})
        schema = tree_schema([named])
        assert set(schema["$defs"]) == {"Fragment", "Node", "Node_"}

    @looped("dialect", ["anthropic-strict", "gemini"])
    def test_is_bounded_where_there_is_no_recursion(self, dialect: str) -> None:
        sizes = [
            schema_tokens(tree_schema(WORDS, dialect=dialect, depth=depth))
            for depth in (1, 2, 3, 4)
        ]
        assert sizes == sorted(set(sizes))
        assert sizes[3] - sizes[2] <= 1.1 * (sizes[2] - sizes[1])  # each level costs the same

    def test_needs_no_depth_where_there_is_recursion(self) -> None:
        assert tree_schema(WORDS, depth=1) == tree_schema(WORDS, depth=9)

    def test_of_a_root_that_is_not_in_the_vocabulary_is_refused(self) -> None:
        with pytest.raises(SchemaError, match='the root "Link" is not in the vocabulary'):
            tree_schema([Section], root=Link)

    def test_of_no_depth_is_refused(self) -> None:
        with pytest.raises(SchemaError, match="at least 1 node deep, not 0"):
            tree_schema(WORDS, depth=0)

    @looped("dialect", STRICT)
    def test_of_props_with_values_of_any_type_takes_json_text_which_load_reads(
        self, dialect: str
    ) -> None:
        schema = tree_schema([Jars], dialect=dialect, root=Jars)
        answer = {"type": "Jars", "props": {"jars": [{"key": "a", "value": {"as_json": "1"}}]}}
        assert Draft202012Validator(as_json_schema(schema)).is_valid({**answer, "children": []})
        assert load(answer, [Jars]) == Jars(jars=FrozenMapping({"a": 1}))[()]

    @looped("dialect", STRICT)
    def test_of_props_that_are_dictionaries_takes_entries_which_load_reads(
        self, dialect: str
    ) -> None:
        schema = tree_schema([Ports], dialect=dialect, root=Ports)
        answer = {"type": "Ports", "props": {"ports": [{"key": "ssh", "value": 22}]}}
        assert Draft202012Validator(schema).is_valid({**answer, "children": []})
        assert load(answer, [Ports]) == Ports(ports=FrozenMapping({"ssh": 22}))[()]

    @looped("cls", [TrustedMarkdown, Vouched])
    @looped("dialect", DIALECTS)
    def test_of_trusted_markdown_is_refused(self, cls: Any, dialect: str) -> None:
        with pytest.raises(SchemaError, match=f"^{cls.__name__} is for your own code"):
            tree_schema([*WORDS, cls], dialect=dialect)


TREES = Draft202012Validator(tree_schema(WORDS))


class TestAnswers:
    @looped("dialect", DIALECTS)
    def test_that_fit_the_schema_are_trees(self, dialect: str) -> None:
        words = [Section, Paragraph, Strong, Link, CodeBlock]
        schema = tree_schema(words, dialect=dialect)

        @settings(max_examples=10, suppress_health_check=[*HealthCheck])
        @given(answer=values(schema, schema))
        def check(answer: Any) -> None:
            assert isinstance(load(answer, words), Element)

        if dialect != "gemini":  # it does not tie props to their type: load does
            check()

    @pytest.mark.parametrize("dialect", TYING)
    @pytest.mark.parametrize("words", [WORDS, PRIMITIVES], ids=["some", "all"])
    def test_that_can_be_loaded_can_be_rendered(self, dialect: str, words: Any) -> None:
        schema = tree_schema(words, dialect=dialect)

        @settings(suppress_health_check=[*HealthCheck])
        @given(answer=values(schema, schema))
        def check(answer: Any) -> None:
            try:
                tree = load(answer, words)
            except LoadError:  # a bound of a prop, which some dialects cannot say
                reject()
            render(tree)

        check()

    def test_of_the_huds_vocabulary_are_trees_with_nulls_everywhere(self) -> None:
        words = [DecisionsList, NextSteps, NotesSection]
        schema = tree_schema(words, dialect="openai-strict")

        @settings(max_examples=10, suppress_health_check=[*HealthCheck])
        @given(answer=values(schema, schema))
        def check(answer: Any) -> None:
            assert isinstance(load(answer, words), Element)

        check()

    @settings(max_examples=10)
    @given(tree=trees(Vocabulary(*WORDS), max_leaves=4))
    def test_what_dump_gives_fits_the_schema(self, tree: Element) -> None:
        assert TREES.is_valid(without_keys(dump(fragment(tree))))

    def test_with_nulls_for_defaults_are_trees(self) -> None:
        answer = {
            "type": "Fragment",
            "children": [
                {
                    "type": "List",
                    "props": {"ordered": True, "start": None, "spread": None},
                    "children": [
                        {
                            "type": "Item",
                            "props": {"checked": None, "spread": None},
                            "children": ["a"],
                        }
                    ],
                }
            ],
        }
        Draft202012Validator(tree_schema(WORDS, dialect="openai-strict")).validate(answer)
        assert render(load(answer, WORDS)) == "1. a\n"

    @looped(
        ("child", "path", "message"),
        [
            ({"type": "Sektion"}, "$.children[1].type", 'did you mean "Section"?'),
            ({"type": "Section"}, "$.children[1].props.title", "required, but not given"),
            (
                {"type": "Link", "props": {"url": 3}},
                "$.children[1].props.url",
                "valid string (got 3)",
            ),
            (
                {"type": "Paragraph", "props": {"level": 2}},
                "$.children[1].props.level",
                "no such prop",
            ),
            ({"type": "Paragraph", "childs": []}, "$.children[1]", 'did you mean "children"?'),
            (
                {"type": "TrustedMarkdown", "props": {"source": "# x"}},
                "$.children[1].type",
                "is not a known component",
            ),
        ],
    )
    def test_with_a_mistake_have_its_path(self, child: Any, path: str, message: str) -> None:
        with pytest.raises(LoadError) as caught:
            load({"type": "Fragment", "children": ["a", child]}, WORDS)
        assert caught.value.path == path
        assert message in caught.value.message


def without_keys(data: Any) -> Any:
    """The data without the keys of nodes, which no model fills in."""
    if isinstance(data, dict):
        data.pop("key", None)
        for child in data["children"]:
            without_keys(child)
    return data
