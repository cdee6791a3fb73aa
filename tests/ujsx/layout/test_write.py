"""``write_layout``: the inverse of ``read_layout``."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given

from tests.ids import looped
from tests.ujsx.layout.trees import VOCABULARY, Badge, Panel, documents, trees
from ujsx import Component, Density, Element, LayoutError, Node, fragment, read_layout, write_layout
from ujsx.elements import (
    CodeBlock,
    Heading,
    Html,
    Item,
    LineBreak,
    LinkReference,
    List,
    Paragraph,
    TrustedMarkdown,
    code,
    em,
    strong,
)


class TestInverse:
    @given(tree=trees())
    @example(tree="a")
    @example(tree=fragment())
    @example(tree=fragment("a", "b"))
    @example(tree=fragment(Paragraph()["a"]))
    @example(tree=fragment(Panel()).keyed("a"))
    @example(tree=Element.of(Paragraph(), Paragraph()["a"]))
    @example(tree=strong(strong("a")))
    @example(tree=fragment(LinkReference(identifier="a")["a"]))
    def test_of_any_tree(self, tree: Node) -> None:
        text = write_layout(tree)
        read = read_layout(text, VOCABULARY)
        assert read == (fragment(tree) if isinstance(tree, str) else tree)
        assert write_layout(read) == text

    @given(tree=documents())
    def test_of_markdown_with_components(self, tree: Element) -> None:
        text = write_layout(tree)
        assert read_layout(text, VOCABULARY) == tree
        assert write_layout(read_layout(text, VOCABULARY)) == text

    def test_of_trees_as_deep_as_they_may_be(self) -> None:
        tree: Any = Panel()
        for _ in range(149):
            tree = Panel()[tree]
        assert read_layout(write_layout(tree), VOCABULARY) == tree


def written(tree: Node) -> list[str]:
    return write_layout(tree).splitlines()


class TestText:
    def test_is_markdown_where_it_can_be(self) -> None:
        tree = Panel(name="Auth", density=Density.COMPACT)[
            Panel(),
            Panel(count=3),
            Heading(depth=2)["House rules"],
            List()[Item()[Paragraph()["Never push to ", em("main"), "."]]],
            Panel(),
        ]
        assert written(tree) == [
            '<Panel name="Auth" density="compact">',
            "  <Panel/>",
            "  <Panel count={3}/>",
            "",
            "  ## House rules",
            "",
            "  - Never push to *main*.",
            "",
            "  <Panel/>",
            "</Panel>",
        ]

    def test_has_tags_in_a_line(self) -> None:
        tree = Paragraph()["Hello ", Badge(label="new"), " ", Badge(label="a")[code("b")]]
        assert written(tree) == ['Hello <Badge label="new"/> <Badge label="a">`b`</Badge>']

    def test_without_a_paragraph_stands_on_the_line_of_its_tag(self) -> None:
        assert written(List()[Item()["a ", strong("b")]]) == [
            "<List>",
            "  <Item>a **b**</Item>",
            "</List>",
        ]

    def test_never_reads_as_tags(self) -> None:
        assert written(Paragraph()['</Panel> <é> {"a"} {/* b */} <b>']) == [
            r'\</Panel> \<é> \{"a"\} \{/\* b \*/\} \<b>'
        ]

    def test_that_markdown_has_no_form_for_stands_as_it_is(self) -> None:
        assert written(Paragraph()["a", "b\n"]) == [r'<Paragraph>{"a"}{"b\n"}</Paragraph>']

    def test_is_written_piece_by_piece(self) -> None:
        tree = fragment(Paragraph()["a"], Paragraph()[""], Paragraph()["b"])
        assert written(tree) == ["a", "", '<Paragraph>{""}</Paragraph>', "", "b"]

    def test_that_is_long_has_a_line_for_each_piece(self) -> None:
        assert written(Paragraph()["a" * 60, "b" * 60, Panel()]) == [
            "<Paragraph>",
            f'  {{"{"a" * 60}"}}',
            f'  {{"{"b" * 60}"}}',
            "  <Panel/>",
            "</Paragraph>",
        ]

    def test_keeps_the_lines_of_code(self) -> None:
        assert written(Panel()[CodeBlock(value="a\n\n  <b>", lang="xml")]) == [
            "<Panel>", "  ```xml", "  a", "", "    <b>", "  ```", "</Panel>",
        ]  # fmt: skip

    def test_has_html_as_a_tag(self) -> None:
        assert written(Html(value="<b>")) == ['<Html value="<b>"/>']

    def test_has_the_props_that_differ_from_their_default(self) -> None:
        tree = Panel(name='a "b"\n', is_open=True, words=("a",), numbers={"\x85": 1})
        assert written(tree) == [
            r'<Panel name={"a \"b\"\n"} is_open words={["a"]} numbers={{"\u0085": 1}}/>'
        ]


class TestErrors:
    def refused(self, tree: Node) -> str:
        with pytest.raises(LayoutError) as caught:
            write_layout(tree)
        return str(caught.value)

    def test_name_what_no_layout_holds(self) -> None:
        tree = Panel()[TrustedMarkdown(source="# a")]
        assert self.refused(tree).startswith("TrustedMarkdown: a layout cannot hold it")

    def test_name_two_components_of_one_name(self) -> None:
        def other() -> type[Component]:
            class Panel(Component):
                pass

            return Panel

        assert (
            self.refused(Panel()[other()()])
            == 'Panel: two components are called "Panel"; rename one'
        )

    def test_name_props_that_no_literal_stands_for(self) -> None:
        class Call(Component):
            target: Any

        assert self.refused(Call(target=print)).startswith("Call: its props cannot be written")

    def test_name_a_key_beside_a_prop_of_that_name(self) -> None:
        class Lock(Component):
            key: str

        assert self.refused(Lock(key="a").keyed("b")).startswith("Lock: a key cannot be written")

    def test_say_where_a_tree_is_too_deep(self) -> None:
        tree: Any = LineBreak()
        for _ in range(200):
            tree = strong(tree)
        assert self.refused(tree).startswith("Strong: nested more than 150 deep")


@looped("text", ["⟦U+200B⟧", "a ␛ b", "⟦U+200B⟧" * 20])
def test_a_text_that_looks_like_a_hidden_character_stays_that_text(text):
    assert read_layout(write_layout(fragment(text))) == fragment(text)
