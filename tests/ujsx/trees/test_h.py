"""``h``: nodes by class, by function or by name, as JSX writes them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hud_components import Domain, NotesSection
from tests.ids import looped
from ujsx import (
    Child,
    ChildError,
    Children,
    DefinitionError,
    Element,
    LoadError,
    PropError,
    RenderContext,
    component,
    fragment,
    h,
    render,
)
from ujsx.elements import (
    CodeBlock,
    Heading,
    Image,
    InlineCode,
    Item,
    LineBreak,
    Link,
    List,
    Paragraph,
    Section,
    code,
)


@component
def Badge(ctx: RenderContext, children: Children, *, label: str) -> Child:
    return [label, children]


class TestH:
    def test_takes_a_class(self) -> None:
        assert h(Section, {"title": "a"}, "x", "y") == Section(title="a")["x", "y"]

    def test_takes_a_name_of_the_primitives(self) -> None:
        assert h("Section", {"title": "a"}, "x") == Section(title="a")["x"]

    def test_takes_a_component_function(self) -> None:
        assert h(Badge, {"label": "a"}, "x") == Badge(label="a")["x"]

    def test_takes_a_name_of_the_given_vocabulary(self) -> None:
        assert h("Badge", {"label": "a"}, vocabulary=[Badge]) == Badge(label="a")

    def test_needs_no_props(self) -> None:
        assert h("Paragraph") == h("Paragraph", None) == h("Paragraph", {}) == Paragraph()

    def test_flattens_children_as_brackets_do(self) -> None:
        assert h("List", None, [h("Item", None, "a")], None) == List()[Item()["a"]]

    def test_a_name_may_be_in_another_case(self) -> None:
        assert h("section", {"title": "a"}) == h("Section", {"title": "a"})

    def test_an_unknown_name_comes_with_the_nearest(self) -> None:
        with pytest.raises(
            LoadError, match="'sektion' is not a known component; did you mean \"Section\""
        ):
            h("sektion")

    def test_a_name_outside_the_given_vocabulary_is_unknown(self) -> None:
        with pytest.raises(LoadError, match="known: Badge"):
            h("Section", {"title": "a"}, vocabulary=[Badge])

    def test_trusted_markdown_has_no_name(self) -> None:
        with pytest.raises(LoadError):
            h("TrustedMarkdown", {"source": "x"})

    def test_wrong_props_and_children_are_the_usual_errors(self) -> None:
        with pytest.raises(PropError):
            h("Section", {"titel": "a"})
        bad: Any = 3
        with pytest.raises(ChildError):
            h("Paragraph", None, bad)


class TestHabitsOfJsx:
    def test_a_name_of_the_huds_components_is_known(self) -> None:
        node = h("TaskSection", {"task": {"description": "Add sign-in"}, "density": "compact"})
        assert render(node) == "**Task:** Add sign-in\n"

    @looped(("name", "meant"), [("TaskSecton", "TaskSection"), ("Hudd", "Hud")])
    def test_a_name_that_nothing_has_comes_with_the_nearest(self, name: str, meant: str) -> None:
        with pytest.raises(LoadError, match=f'did you mean "{meant}"'):
            h(name)

    @looped(
        ("made", "meant"),
        [
            (h("ul", None, h("li", None, "a")), List()[Item()["a"]]),
            (h("ol", {"start": 3}, h("li", None, "a")), List(ordered=True, start=3)[Item()["a"]]),
            (h("h2", None, "a"), Heading(depth=2)["a"]),
            (h("p", {"key": "1"}, "a"), Paragraph()["a"].keyed("1")),
            (h("code", None, "a"), InlineCode(value="a")),
            (
                h("pre", {"language": "python", "children": "a"}),
                CodeBlock(value="a", lang="python"),
            ),
            (h("a", {"href": "/b"}, "a"), Link(url="/b")["a"]),
            (h("img", {"src": "/b.png", "alt": "a"}), Image(url="/b.png", alt="a")),
            (h("div", None, "a"), fragment("a")),
            (h("br"), LineBreak()),
        ],
    )
    def test_a_tag_of_html_is_the_primitive(self, made: Element, meant: Child) -> None:
        assert made == meant

    @looped(
        ("name", "line"),
        [
            ("Card", "write Section(title=…), from ujsx.elements import Section"),
            ("text", "write a text as a plain str among the children"),
            ("marquee", "give a component of your own as its class"),
        ],
    )
    def test_another_name_is_answered_with_the_primitive(self, name: str, line: str) -> None:
        with pytest.raises(
            LoadError, match=re.escape(f"{name!r} is not a known component; {line}")
        ):
            h(name)

    def test_a_tag_takes_what_its_primitive_takes(self) -> None:
        with pytest.raises(PropError, match=r"Section\.title: required"):
            h("section", None, "a")
        with pytest.raises(PropError, match="className: no such prop"):
            h("p", {"className": "a"})
        with pytest.raises(ChildError, match="it takes no children"):
            h("br", None, "a")

    def test_no_primitive_is_named_that_the_vocabulary_lacks(self) -> None:
        with pytest.raises(LoadError, match="known: Badge"):
            h("ul", vocabulary=[Badge])

    def test_a_domain_is_a_vocabulary(self) -> None:
        desk = Domain("desk", sections=(NotesSection,))
        assert h("NotesSection", vocabulary=desk) == NotesSection()
        with pytest.raises(LoadError, match="known: NotesSection"):
            h("Hud", vocabulary=desk)

    def test_a_key_among_the_props_names_the_element(self) -> None:
        assert h(Item, {"key": "1"}, "a") == Item()["a"].keyed("1")
        assert h("Item", {"key": 1}) == Item().keyed("1")
        assert h(Item, {"key": None}) == Item()

    def test_a_key_is_a_prop_where_the_component_has_one(self) -> None:
        @component
        def Row(ctx: RenderContext, children: Children, *, key: str) -> Child:
            return key

        made: Any = h(Row, {"key": "1"})
        assert (made.component.key, made.key) == ("1", None)

    @looped("key", [True, 1.5, ["1"]])
    def test_a_key_that_is_no_text_is_refused(self, key: Any) -> None:
        with pytest.raises(PropError, match="a key is a text or a number"):
            h(Item, {"key": key})

    def test_children_may_stand_among_the_props(self) -> None:
        assert h(Item, {"children": ["a", None, code("b")]}) == Item()["a", code("b")]

    def test_children_given_twice_are_refused(self) -> None:
        with pytest.raises(
            ChildError, match=r"^Item: children are given as a prop and as arguments"
        ):
            h(Item, {"children": "a"}, "b")

    def test_without_a_component_it_is_a_fragment(self) -> None:
        assert h(None, None, "a", h(None, None, "b")) == fragment("a", "b")
        assert h(None, {"key": "k"}, "a") == fragment("a").keyed("k")

    def test_a_number_is_refused_with_what_to_write(self) -> None:
        bad: Any = 3
        with pytest.raises(ChildError, match=r"write str\(3\)"):
            h("Paragraph", None, bad)

    @looped("first", ["text", code("a"), List()[Item()["a"]], ["a", code("b")]])
    def test_a_child_in_the_place_of_the_props_is_the_first_one(self, first: Child) -> None:
        assert h("Item", first, "b") == Item()[first, "b"]
        assert h(Section, first, "b", title="t", key="k") == Section(title="t")[first, "b"].keyed(
            "k"
        )
        assert h(Card, first, title="t") == Section(title="t")[first]

    def test_what_is_neither_props_nor_a_child_is_refused_with_what_to_write(self) -> None:
        bad: Any = 3
        with pytest.raises(ChildError, match=r"write str\(3\)"):
            h("Paragraph", bad)

    @looped("kind", [dict, 3, Paragraph()])
    def test_what_is_no_component_is_refused(self, kind: Any) -> None:
        with pytest.raises(LoadError, match="is not a component; give a class, a function, a name"):
            h(kind)


def Card(title: str, children: Child = None) -> Child:
    return Section(title=title)[children]


class TestFunctions:
    def test_are_called_with_props_and_children(self) -> None:
        assert h(Card, {"title": "a"}, "x", ["y"]) == Section(title="a")["x", "y"]
        assert h(Card, {"title": "a", "children": "x"}) == Section(title="a")["x"]

    def test_may_take_all_props_as_one(self) -> None:
        def Old(props: Any) -> Child:
            return [props["title"], props["children"]]

        assert h(Old, {"title": "a"}, "b") == fragment("a", "b")

    def test_may_take_children_and_further_props_with_stars(self) -> None:
        def Box(title: str = "a", *children: Child, **rest: str) -> Child:
            return Section(title=title)[children, sorted(rest)]

        assert h(Box, {"tone": "calm"}, "x", "y") == Section(title="a")["x", "y", "tone"]

    def test_may_take_all_props_by_two_stars(self) -> None:
        assert h(lambda **props: props["a"], {"a": "x"}) == fragment("x")
        assert h(lambda **props: [props["a"], *props["children"]], {"a": "x"}, "y") == fragment(
            "x", "y"
        )
        assert h(lambda **props: sorted(props), {"props": "x"}) == fragment("props")

    def test_may_take_props_by_position_alone(self) -> None:
        def Row(first: str, second: str = "b", /, *, last: str) -> Child:
            return [first, second, last]

        assert h(Row, {"first": "a", "last": "c"}) == fragment("a", "b", "c")
        assert h(Row, {"first": "a", "second": "x", "last": "c"}) == fragment("a", "x", "c")
        with pytest.raises(PropError, match=r"^Row\.first: required, but not given"):
            h(Row, {"last": "c"})

    def test_may_take_children_under_any_name_with_a_star(self) -> None:
        assert h(lambda *nodes: nodes, None, "a", ["b"]) == fragment("a", "b")
        with pytest.raises(PropError, match=r"nodes: no such prop"):
            h(lambda *nodes: nodes, {"nodes": "a"})

    def test_an_error_of_their_own_stays_what_it_is(self) -> None:
        with pytest.raises(KeyError, match="b"):
            h(lambda **props: props["b"], {"a": "x"})

    def test_one_that_does_not_say_what_it_takes_is_refused(self) -> None:
        given: Any = min
        with pytest.raises(
            LoadError, match="min does not say what it takes; call it in a function"
        ):
            h(given, {"a": "x"})

    def test_a_key_names_what_they_return(self) -> None:
        assert h(Card, {"title": "a", "key": "k"}) == Section(title="a").keyed("k")

    def test_what_they_return_is_one_element(self) -> None:
        returned: Any = ["a", None, (item for item in "bc")]
        assert h(lambda: returned) == fragment("a", "b", "c")
        assert h(lambda: None) == fragment()

    @looped(
        ("props", "refusal"),
        [
            (
                {"titel": "a"},
                r"^Card\.titel: no such prop .*\"title\"\?; Card takes title, children$",
            ),
            ({}, r"^Card\.title: required, but not given; Card takes title, children$"),
        ],
    )
    def test_an_error_names_the_function_and_its_props(
        self, props: dict[str, Any], refusal: str
    ) -> None:
        with pytest.raises(PropError, match=refusal):
            h(Card, props)

    def test_children_that_they_do_not_take_are_refused(self) -> None:
        with pytest.raises(ChildError, match=r"^<lambda>: it takes no children"):
            h(lambda: "a", None, "b")

    def test_what_is_no_node_is_refused_with_the_function(self) -> None:
        bad: Any = 3
        with pytest.raises(ChildError, match=r"write str\(3\)") as caught:
            h(lambda: bad)
        assert "<lambda> returned" in caught.value.__notes__[0]

    def test_an_asynchronous_one_is_refused(self) -> None:
        async def Later() -> None: ...

        later: Any = Later
        with pytest.raises(DefinitionError, match=r"^Later: it is async"):
            h(later)
