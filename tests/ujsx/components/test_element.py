"""Nodes with children: their forms, their value, and what may attach to them."""

from __future__ import annotations

import gc
import logging
import pickle
from collections import UserList, deque
from collections.abc import Callable, Iterator
from pprint import pformat
from typing import Any

import pytest
from hypothesis import given
from pydantic import BaseModel, TypeAdapter, ValidationError

from tests.ids import looped, stable
from tests.strategies import trees
from ujsx import ChildError, Component, Element, Fragment, fragment, mdast, render_document
from ujsx.elements import Emphasis, InlineCode, Item, List, Paragraph, Section, Strong, code, strong


class Data(BaseModel):
    label: str = "x"


class Loud(str):
    """Text that says something else when it is asked."""

    __slots__ = ()

    def __str__(self) -> str:
        return "something else"


class TestNodeForms:
    def test_a_component_equals_its_element_without_children(self) -> None:
        assert Paragraph() == Paragraph()[()]
        assert Paragraph()[()] == Paragraph()

    def test_both_forms_have_one_hash(self) -> None:
        assert hash(Section(title="a")) == hash(Section(title="a")[None])

    def test_both_forms_are_one_key_of_a_dictionary(self) -> None:
        assert {Section(title="a"): 1}[Section(title="a")[()]] == 1

    @given(tree=trees())
    def test_what_is_equal_is_not_unequal(self, tree: Element) -> None:
        again = Element(tree.component, tree.children, tree.key)
        assert tree == again
        assert not tree != again  # noqa: SIM202 - both operators are meant
        assert tree != "x"

    def test_elements_compare_by_component_children_and_key(self) -> None:
        element = Section(title="a")["x"]
        assert element == Section(title="a")["x"]
        assert element != Section(title="b")["x"]
        assert element != Section(title="a")["y"]
        assert element != Section(title="a")["x"].keyed("k")
        assert Paragraph()["x"] != Strong()["x"]

    def test_an_element_is_no_string_and_no_number(self) -> None:
        assert Paragraph()["x"] != "x"
        assert Paragraph() != 0

    @given(tree=trees())
    def test_equal_trees_have_one_hash(self, tree: Element) -> None:
        again = pickle.loads(pickle.dumps(tree))
        assert again == tree
        assert hash(again) == hash(tree)

    def test_its_repr_is_the_code_that_makes_it(self) -> None:
        made = List(ordered=True)[Item()["a"].keyed("k"), Item()]
        names = {"List": List, "Item": Item}
        assert eval(repr(made), names) == made

    def test_the_repr_of_an_element_without_children_makes_it_too(self) -> None:
        made = Item()[()].keyed("k")
        assert eval(repr(made), {"Item": Item}) == made

    def test_how_children_were_given_is_no_part_of_the_value(self) -> None:
        assert Paragraph()["a", "b"] == Paragraph()[["a", ("b",)]] == Paragraph()[iter("ab")]


class TestKeyed:
    def test_names_the_node(self) -> None:
        assert Item()["x"].keyed("d-12").key == "d-12"

    def test_of_a_component_is_an_element(self) -> None:
        assert Item().keyed("d-12") == Item()[()].keyed("d-12")

    def test_leaves_the_original_as_it_was(self) -> None:
        original = Item()["x"]
        original.keyed("d-12")
        assert original.key is None

    def test_keeps_the_children(self) -> None:
        assert Item()["x"].keyed("a").keyed("b").children == ("x",)


class TestImmutable:
    @looped("name", ["component", "children", "key"])
    def test_an_element_takes_no_assignment(self, name: str) -> None:
        with pytest.raises(AttributeError, match="immutable"):
            setattr(Paragraph()["a"], name, ())

    def test_a_component_takes_no_assignment(self) -> None:
        with pytest.raises(ValueError, match="frozen"):
            setattr(Section(title="a"), "title", "b")  # noqa: B010

    def test_a_component_takes_no_new_attribute(self) -> None:
        with pytest.raises(ValueError, match="frozen"):
            setattr(Section(title="a"), "other", "b")  # noqa: B010


class TestChildren:
    def test_are_a_flat_tuple(self) -> None:
        assert Paragraph()["a", ["b", ["c", ("d",)]], "e"].children == tuple("abcde")

    @looped(
        "collection",
        [
            list,
            tuple,
            deque,
            UserList,
            iter,
            lambda it: dict(enumerate(it)).values(),
            lambda it: (x for x in it),
        ],
    )
    def test_come_from_any_ordered_collection_or_iterator(self, collection: Any) -> None:
        assert Paragraph()[collection("abc")].children == ("a", "b", "c")

    @looped("nothing", [None, True, False, (), [], fragment(), Fragment()])
    def test_that_are_nothing_vanish(self, nothing: Any) -> None:
        assert Paragraph()[nothing].children == ()
        assert Paragraph()["a", nothing, "b"].children == ("a", "b")

    def test_keep_empty_text(self) -> None:
        assert Paragraph()[""].children == ("",)

    def test_a_fragment_gives_way_to_its_own(self) -> None:
        assert Paragraph()[fragment("a", fragment("b")), "c"].children == ("a", "b", "c")

    def test_a_fragment_with_a_key_stays(self) -> None:
        kept = fragment("a").keyed("k")
        assert Paragraph()[kept].children == (kept,)

    def test_a_generator_is_consumed_once(self) -> None:
        taken: list[str] = []

        def letters() -> Iterator[str]:
            for letter in "ab":
                taken.append(letter)
                yield letter

        element = Paragraph()[letters()]
        assert element.children == element.children == ("a", "b")
        assert taken == ["a", "b"]

    def test_text_of_a_subclass_becomes_plain_text_of_the_same_characters(self) -> None:
        (child,) = Paragraph()[Loud("quiet")].children
        assert type(child) is str
        assert child == "quiet"

    def test_elements_and_components_stay_as_they_are(self) -> None:
        child = strong("x")
        assert Paragraph()[child, Strong()].children == (child, Strong())
        assert Paragraph()[child].children[0] is child

    def test_a_generator_that_fails_fails_where_it_is_attached(self) -> None:
        with pytest.raises(ZeroDivisionError):
            Paragraph()[(str(1 // n) for n in (1, 0))]


REFUSED: list[tuple[object, str]] = [
    (0, 'to show it, write str(0); if it came from "n and X", write "n > 0 and X"'),
    (3, "3 (int) is not a valid child; to show it, write str(3)"),
    (1.5, "1.5 (float) is not a valid child; to show it, write str("),
    (2j, "2j (complex) is not a valid child"),
    ({"a"}, "(set) is not a valid child; it has no order; use sorted(…)"),
    (frozenset("a"), "(frozenset) is not a valid child; it has no order; use sorted(…)"),
    ({"a": 1}.keys(), "it has no order; use sorted(…)"),
    ({"a": "b"}, "(dict) is not a valid child; it is data; pass its values"),
    (b"a", "b'a' (bytes) is not a valid child; decode it to str"),
    (bytearray(b"a"), "decode it to str"),
    (memoryview(b"a"), "decode it to str"),
    (Data(), "(Data) is not a valid child; it is data; pass it to a component as a prop"),
    (Data, "is not a valid child; call it, and pass the result"),
    (object(), "a child is text, a component, an element, or an iterable of them"),
    (print, "a child is text, a component, an element, or an iterable of them"),
]


class TestChildrenThatStandForNodes:
    def test_a_class_is_its_node(self) -> None:
        given: Any = [Paragraph, "a"]
        assert Section(title="x")[given] == Section(title="x")[Paragraph(), "a"]

    def test_a_node_of_mdast_is_what_it_reads_as(self) -> None:
        given: Any = mdast.from_markdown("a *b*")
        assert Section(title="x")[given] == Section(title="x")[Paragraph()["a ", Emphasis()["b"]]]
        assert Section(title="x")[given.children[0]] == Section(title="x")[given]


class TestRefusedChildren:
    @looped(("child", "message"), REFUSED, ids=[stable(case[0], 30) for case in REFUSED])
    def test_are_named_with_what_to_do_instead(self, child: Any, message: str) -> None:
        with pytest.raises(ChildError) as caught:
            Paragraph()[child]
        assert message in str(caught.value)

    @looped("child", [case[0] for case in REFUSED], ids=stable)
    def test_are_refused_in_lists_and_generators_too(self, child: Any) -> None:
        with pytest.raises(ChildError):
            Paragraph()[["a", child]]
        with pytest.raises(ChildError):
            Paragraph()[(each for each in (child,))]

    @looped("child", ["a", "", ["a"], Paragraph(), fragment("a")])
    def test_of_a_component_that_takes_none_are_refused(self, child: Any) -> None:
        with pytest.raises(ChildError) as caught:
            InlineCode(value="x")[child]
        assert str(caught.value) == (
            "InlineCode: it takes no children; put them beside it, or into a prop: value"
        )

    def test_that_are_none_can_be_given_to_any_component(self) -> None:
        for nothing in ((), [], None, False, fragment()):
            assert InlineCode(value="x")[nothing] == InlineCode(value="x")

    def test_are_named_by_component_and_place(self) -> None:
        bad: Any = ["b", 3]
        with pytest.raises(ChildError) as caught:
            Section(title="a")["a", bad]
        assert caught.value.path == "Section[1]"
        assert str(caught.value).startswith("Section[1]: 3 (int) is not a valid child; ")

    def test_are_a_type_error(self) -> None:
        assert issubclass(ChildError, TypeError)

    def test_show_no_more_of_a_value_than_fits_a_line(self) -> None:
        long: Any = b"x" * 1_000
        with pytest.raises(ChildError) as caught:
            Paragraph()[long]
        assert len(str(caught.value)) < 150

    def test_a_broken_repr_does_not_hide_the_mistake(self) -> None:
        class Broken:
            def __repr__(self) -> str:
                raise RuntimeError

        bad: Any = Broken()
        with pytest.raises(ChildError, match="whose repr raised RuntimeError"):
            Paragraph()[bad]

    def test_a_list_that_holds_itself_is_an_error_of_ours(self) -> None:
        loop: list[Any] = []
        loop.append(loop)
        with pytest.raises(ChildError, match="nested more than"):
            Paragraph()[loop]

    def test_an_asynchronous_generator_is_no_child(self) -> None:
        async def letters() -> Any:
            yield "a"

        bad: Any = letters()
        with pytest.raises(ChildError):
            Paragraph()[bad]

    def test_a_coroutine_is_no_child(self) -> None:
        async def letter() -> str:
            return "a"

        bad: Any = letter()
        with pytest.raises(ChildError):
            Paragraph()[bad]
        bad.close()


class TestIsResolved:
    """What lets a rendering pass a subtree by without looking into it."""

    class Composite(Component):
        def render(self, ctx: object, children: object) -> str:
            return "x"

    def test_holds_for_primitives_and_text(self) -> None:
        assert List()[Item()["a", strong("b")], Item()].is_resolved

    def test_does_not_hold_for_a_composite_at_any_depth(self) -> None:
        assert not self.Composite()["a"].is_resolved
        assert not List()[Item()[self.Composite()]].is_resolved
        assert not List()[[[Item()[fragment("a", self.Composite())]]]].is_resolved
        assert not List()[(each for each in [self.Composite()["x"]])].is_resolved
        assert not List()[fragment(self.Composite()).keyed("k")].is_resolved

    def test_survives_a_key(self) -> None:
        assert strong("a").keyed("k").is_resolved
        assert not self.Composite().keyed("k").is_resolved


class TestGarbage:
    def test_an_element_is_freed_when_nothing_holds_it(self) -> None:
        before = sum(type(each) is Element for each in gc.get_objects())
        for _ in range(100):
            Paragraph()["a", Strong()["b"]]
        gc.collect()
        assert sum(type(each) is Element for each in gc.get_objects()) <= before + 2


class Told(Component):
    """A component that says what its text is."""

    word: str

    def __str__(self) -> str:
        return self.word


AS_TEXT: dict[str, Callable[[Any], object]] = {
    "an f-string": lambda node: f"see {node}",
    "an f-string with a width": lambda node: f"{node:>10}",
    "format": format,
    "a sum": lambda node: "see " + node,
    "a sum with a text behind": lambda node: node + " there",
}


class TestAsText:
    @looped("node", [code("x"), strong("Ann"), strong("Ann").keyed("k"), fragment()])
    @looped("way", AS_TEXT)
    def test_is_refused_with_what_to_do(self, way: str, node: Any) -> None:
        with pytest.raises(ChildError, match=r"pass it as a child: .*render\(node\)"):
            AS_TEXT[way](node)

    def test_what_looks_at_a_node_still_can(self) -> None:
        node, element = code("x"), strong("Ann")
        assert f"{node!r} {element!r}" == "InlineCode(value='x') Strong()['Ann']"
        assert "%r" % (node,) == "InlineCode(value='x')"  # noqa: UP031
        assert pformat([node, element]) == "[InlineCode(value='x'), Strong()['Ann']]"
        with pytest.raises(ValidationError, match=r"input_value=Strong\(\)\['Ann'\]"):
            TypeAdapter(int).validate_python(element)

    @pytest.mark.parametrize("node", [code("x"), strong("Ann").keyed("k"), fragment()])
    def test_print_and_logs_show_the_repr(
        self, node: Any, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
    ) -> None:
        print(node)  # noqa: T201
        logging.getLogger("nodes").warning("made %s", node)
        assert str(node) == repr(node)
        assert capsys.readouterr().out == f"{node!r}\n"
        assert caplog.messages == [f"made {node!r}"]

    def test_a_class_may_say_what_its_text_is(self) -> None:
        assert f"{Told(word='x'):>3}" == "  x"

    def test_a_rendering_is_text(self) -> None:
        assert f"{render_document(code('x'))}" == "`x`\n"
