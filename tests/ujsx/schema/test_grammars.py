"""Grammars of schemas and trees: they take every tree that loads, and no other; sampled both ways."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.ujsx.schema.engines import llguidance_lark, xgrammar_gbnf
from tests.ujsx.schema.gbnf import Judge, read_gbnf, texts_of
from tests.ujsx.schema.nasty import NASTY
from tests.ujsx.schema.values import values
from ujsx import SchemaError, UjsxError, dump, load, render
from ujsx.elements import (
    PRIMITIVES,
    CodeBlock,
    Heading,
    Item,
    Link,
    List,
    Paragraph,
    Section,
    Strong,
    Table,
    TableCell,
    TableRow,
)
from ujsx.schema import to_grammar, tool_schema, tree_grammar
from ujsx.schema._expressions import START, whole_number
from ujsx.testing.strategies import trees

SOME = [
    Section,
    Paragraph,
    List,
    Item,
    Strong,
    Link,
    CodeBlock,
    Table,
    TableRow,
    TableCell,
    Heading,
]
VOCABULARIES: dict[str, Any] = {"some": SOME, "all": PRIMITIVES, "lists": [List, Item]}

FEW = settings(max_examples=settings().max_examples // 2, suppress_health_check=[*HealthCheck])


@cache
def rules(name: str) -> Any:
    return read_gbnf(tree_grammar(VOCABULARIES[name]))


@cache
def schemas() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for model in NASTY:
        try:
            found[model.__name__] = tool_schema(model, dialect="open-engines")
        except SchemaError:
            continue
    return found


@cache
def judge(name: str) -> Judge:
    return Judge(read_gbnf(to_grammar(schemas()[name])))


def as_answer(tree: Any) -> dict[str, Any]:
    """A tree as an answer: a fragment of it, without keys."""
    return {"type": "Fragment", "props": {}, "children": [without_keys(dump(tree))]}


def without_keys(data: Any) -> Any:
    if isinstance(data, str):
        return data
    children = [without_keys(each) for each in data["children"]]
    return {"type": data["type"], "props": data["props"], "children": children}


def loads(data: Any, vocabulary: Any) -> bool:
    """Whether data is a tree that can be rendered."""
    try:
        render(load(data, vocabulary))
    except UjsxError:
        return False
    return True


class TestTreeGrammar:
    @FEW
    @given(tree=trees())
    def test_takes_every_tree_that_loads(self, tree: Any) -> None:
        data = as_answer(tree)
        if not loads(data, PRIMITIVES) or re.search(r"\d{19}", json.dumps(data)):
            return  # whole numbers without bounds have 18 digits at most
        for text in (json.dumps(data, ensure_ascii=False), json.dumps(data, separators=(",", ":"))):
            assert Judge(rules("all"))(text), text

    @pytest.mark.parametrize("name", VOCABULARIES)
    def test_takes_no_other(self, name: str) -> None:
        @FEW
        @given(text=texts_of(rules(name)))
        def check(text: str) -> None:
            assert Judge(rules(name))(text), text
            data = json.loads(text)
            render(load(data, VOCABULARIES[name]))

        check()

    @pytest.mark.parametrize(
        ("children", "takes"),
        [
            (["a"], True),
            ([{"type": "List", "children": [{"type": "Item", "children": ["a"]}]}], True),
            ([{"type": "List", "children": ["a"]}], False),
            ([{"type": "Item", "children": ["a"]}], False),
            ([{"type": "List", "children": [{"type": "List", "children": []}]}], False),
            ([{"type": "Lst", "children": []}], False),
            ([{"type": "List", "props": {"start": -1}, "children": []}], False),
            ([{"type": "List", "props": {"start": 10**9}, "children": []}], False),
            ([{"type": "List", "props": {"ordered": 1}, "children": []}], False),
            ([{"type": "List", "children": [], "props": {}}], False),  # another order
        ],
    )
    def test_holds_lists_to_items(self, children: Any, *, takes: bool) -> None:
        assert (
            Judge(rules("lists"))(json.dumps({"type": "Fragment", "children": children})) is takes
        )

    def test_has_another_root_where_it_is_named(self) -> None:
        root = read_gbnf(tree_grammar([List, Item], root=List))
        assert Judge(root)('{"type": "List", "children": [{"type": "Item", "children": []}]}')
        assert not Judge(root)('{"type": "Fragment", "children": []}')

    def test_of_an_unknown_syntax_is_an_error_with_the_nearest(self) -> None:
        with pytest.raises(
            SchemaError, match='"larc" is no syntax of grammars; did you mean "lark"'
        ):
            tree_grammar(syntax="larc")

    def test_is_the_same_each_time(self) -> None:
        for syntax in ("gbnf", "lark"):
            assert tree_grammar(syntax=syntax) == tree_grammar(syntax=syntax)


class TestToGrammar:
    @FEW
    @given(data=st.data(), name=st.sampled_from(sorted(schemas())))
    def test_takes_what_fits_the_schema(self, data: st.DataObject, name: str) -> None:
        schema = schemas()[name]
        value = data.draw(values(schema, schema).filter(is_usual))
        text = json.dumps(value, ensure_ascii=False)
        assert judge(name)(text), (name, text)

    @FEW
    @given(data=st.data(), name=st.sampled_from(sorted(schemas())))
    def test_takes_nothing_else(self, data: st.DataObject, name: str) -> None:
        text = data.draw(texts_of(judge(name).rules))
        value = json.loads(text)
        Draft202012Validator(schemas()[name]).validate(value)

    @pytest.mark.parametrize(("name", "text"), [
        ("Constraints", '"count": 10'), ("Enums", '"word": "c"'), ("Formats", '"on": "2023-02-29"'),
        ("Formats", '"on": "2100-02-29"'), ("Formats", '"at": "2020-01-01T24:00:00Z"'),
    ])  # fmt: skip
    def test_refuses_what_only_nearly_fits(self, name: str, text: str) -> None:
        [field] = json.loads(f"{{{text}}}")
        part = schemas()[name]["properties"][field]
        given = {"type": "object", "properties": {field: part}, "required": [field]}
        whole = Judge(read_gbnf(to_grammar({**given, "$defs": schemas()[name].get("$defs", {})})))
        assert not whole(f"{{{text}}}")

    def test_a_day_in_february_is_one_that_there_is(self) -> None:
        day = {"type": "object", "properties": {"on": {"type": "string", "format": "date"}}}
        whole = Judge(read_gbnf(to_grammar(day)))
        taken = [year for year in range(1, 10_000, 37) if whole(f'{{"on": "{year:04}-02-29"}}')]
        assert taken == [
            year
            for year in range(1, 10_000, 37)
            if year % 4 == 0 and (year % 100 or year % 400 == 0)
        ]

    @given(st.integers(-5_000, 5_000), st.integers(0, 5_000), st.integers(-11_000, 11_000))
    def test_whole_numbers_stand_between_their_bounds(
        self, low: int, more: int, number: int
    ) -> None:
        whole = Judge({START: whole_number(low, low + more)})
        for each in (number, low, low - 1, low + more, low + more + 1):
            assert whole(str(each)) is (low <= each <= low + more)
        assert not whole("-0")
        assert not whole("01")


def is_usual(value: Any) -> bool:
    """Whether data have no number with more digits than a grammar takes."""
    if isinstance(value, dict | list):
        return all(map(is_usual, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, int | float) or (abs(value) < 10**18 and "e-3" not in repr(value))


class TestNotations:
    """The same grammar in both: what Lark's own reader says of texts, where it is installed."""

    @pytest.mark.parametrize("name", ["some", "lists"])
    def test_lark_reads_its_own(self, name: str) -> None:
        lark = pytest.importorskip("lark", reason="lark is not installed")
        parser = lark.Lark(tree_grammar(VOCABULARIES[name], syntax="lark"), parser="earley")

        @settings(max_examples=10, suppress_health_check=[*HealthCheck])
        @given(text=texts_of(rules(name)))
        def check(text: str) -> None:
            parser.parse(text)
            with pytest.raises(lark.exceptions.LarkError):
                parser.parse(text.replace('"type"', '"typ"', 1))

        check()


class TestEngines:
    @pytest.mark.parametrize(
        ("compile_", "syntax"), [(xgrammar_gbnf, "gbnf"), (llguidance_lark, "lark")]
    )
    def test_read_the_grammars_of_trees(self, compile_: Any, syntax: str) -> None:
        for name, vocabulary in VOCABULARIES.items():
            takes = compile_(tree_grammar(vocabulary, syntax=syntax))

            @settings(max_examples=20, suppress_health_check=[*HealthCheck], deadline=None)
            @given(text=texts_of(rules(name)))
            def check(takes: Any, text: str) -> None:
                assert takes(text), text
                assert not takes(text.replace('"type"', '"typ"', 1))

            check(takes)

    @pytest.mark.parametrize(
        ("compile_", "syntax"), [(xgrammar_gbnf, "gbnf"), (llguidance_lark, "lark")]
    )
    def test_read_the_grammars_of_nasty_models(self, compile_: Any, syntax: str) -> None:
        takes = {name: compile_(to_grammar(each, syntax)) for name, each in schemas().items()}

        @settings(suppress_health_check=[*HealthCheck])
        @given(data=st.data(), name=st.sampled_from(sorted(takes)))
        def check(data: st.DataObject, name: str) -> None:
            text = data.draw(texts_of(judge(name).rules))
            assert takes[name](text), (name, text)

        check()
