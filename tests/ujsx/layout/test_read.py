"""``read_layout``: what each piece of syntax stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ids import looped
from tests.ujsx.layout.trees import VOCABULARY, Badge, Panel
from ujsx import (
    Component,
    DefinitionError,
    Density,
    LayoutError,
    Node,
    RenderContext,
    Vocabulary,
    check_layout,
    dump,
    fragment,
    read_layout,
    render,
    write_layout,
)
from ujsx.elements import (
    BlockQuote,
    CodeBlock,
    Emphasis,
    FrontMatter,
    Heading,
    InlineCode,
    Item,
    Link,
    List,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableRow,
    ThematicBreak,
    TrustedMarkdown,
    em,
    strong,
)

MISTAKES = Path(__file__).with_name("mistakes.txt").read_text("utf-8").split("\n==== ")[1:]


def read(text: str) -> Node:
    return read_layout(text, VOCABULARY)


class TestTags:
    def test_on_lines_of_their_own_hold_blocks(self) -> None:
        assert read("<Panel>\n\ntext\n\n</Panel>") == Panel()[Paragraph()["text"]]

    def test_need_no_blank_lines(self) -> None:
        layout = "text\n<Panel>\nmore\n</Panel>\nrest"
        assert read(layout) == fragment(
            Paragraph()["text"], Panel()[Paragraph()["more"]], Paragraph()["rest"]
        )

    def test_on_one_line_hold_what_stands_in_a_line(self) -> None:
        assert read("<Panel>a *b*</Panel>") == Panel()["a ", em("b")]

    def test_in_a_paragraph_stand_in_a_line(self) -> None:
        assert read("Hello <Strong>you</Strong>!") == Paragraph()["Hello ", strong("you"), "!"]

    def test_that_fill_a_paragraph_stand_for_themselves(self) -> None:
        items = "<Item>a</Item>\n<Item>b</Item>"
        assert read(f"<List>\n{items}\n</List>") == List()[Item()["a"], Item()["b"]]

    def test_may_close_apart_around_nothing_but_white_space(self) -> None:
        apart = '<CodeBlock value="x">\n  {/* nothing */}\n</CodeBlock>'
        assert read(apart) == CodeBlock(value="x")
        assert read("a <InlineCode value='x'> </InlineCode> b") == read("a `x` b")

    def test_in_a_paragraph_tag_are_its_line(self) -> None:
        layout = "<Paragraph>\n  Some <Badge label='new'/> text\n</Paragraph>"
        assert read(layout) == Paragraph()["Some ", Badge(label="new"), " text"]

    def test_of_a_fragment_hold_nodes_side_by_side(self) -> None:
        assert read("<Panel><>a</><Fragment>b</Fragment></Panel>") == Panel()["a", "b"]
        assert read("<>\n# a\n</>") == fragment(Heading(depth=1)["a"])

    def test_may_go_on_over_lines(self) -> None:
        layout = '> <Panel\n>   words={[\n>     "a"\n>   ]}\n>   is_open\n> />'
        assert read(layout) == BlockQuote()[Panel(words=("a",), is_open=True)]

    def test_stand_in_any_container(self) -> None:
        layout = "- a\n  <Panel>\n  b\n  </Panel>\n\n| <Badge label='c'/> |\n|---|"
        assert read(layout) == fragment(
            List()[Item()[Paragraph()["a"], Panel()[Paragraph()["b"]]]],
            Table(align=(None,))[TableRow()[TableCell()[Badge(label="c")]]],
        )

    def test_end_a_list_that_is_less_indented(self) -> None:
        assert (
            read("<Panel>\n  - a\n  <Panel/>\n</Panel>")
            == Panel()[List()[Item()[Paragraph()["a"]]], Panel()]
        )

    def test_may_be_in_emphasis_and_links(self) -> None:
        layout = "*<Badge label='a'/>* [<Strong>b</Strong>](c)"
        assert read(layout) == Paragraph()[em(Badge(label="a")), " ", Link(url="c")[strong("b")]]

    @looped("code", ["`<Panel>`", "`` {/* ``", "`<b>`"])
    def test_in_code_are_text(self, code: str) -> None:
        assert read(code) == Paragraph()[InlineCode(value=code.strip("` "))]

    def test_in_a_block_of_code_are_text(self) -> None:
        layout = "<Panel>\n  ```html\n  <b>\n    <Panel>\n  ```\n</Panel>"
        assert read(layout) == Panel()[CodeBlock(value="<b>\n  <Panel>", lang="html")]

    @looped("text", ["a < b", "<3", "<-", "x <= y", "<", "a<"])
    def test_are_nothing_that_merely_begins_like_them(self, text: str) -> None:
        assert read(text) == Paragraph()[text]

    def test_that_are_escaped_are_text(self) -> None:
        assert read(r'\<Panel> \{"a"\} &lt;b>') == Paragraph()['<Panel> {"a"} <b>']

    def test_are_no_autolinks(self) -> None:
        assert (
            read("<https://a.b> <a@b.co>")
            == Paragraph()[
                Link(url="https://a.b")["https://a.b"], " ", Link(url="mailto:a@b.co")["a@b.co"]
            ]
        )


BRACES: dict[str, tuple[str, int, int]] = {
    "in a paragraph": ("a {b} c", 1, 3),
    "of two lines": ("a\n{b &&\n c}", 2, 1),
    "in a heading": ("# {b}", 1, 3),
    "in a cell": ("| a |\n|---|\n| {b} |", 3, 3),
    "in an item of a quote": ("> - {b}", 1, 5),
    "between tags": ("<Panel>{b}</Panel>", 1, 8),
    "in a line of tags": ("<Panel/> {b}", 1, 10),
    "around tags": ("{b && (\n<Panel/>\n)}", 1, 1),
    "in emphasis": ("*{b}*", 1, 2),
    "in the text of a link": ("[{b}](c)", 1, 2),
    "in the address of a link": ("a\n\n[b](c/{d})", 3, 1),
    "in an address": ("<https://a.b/{c}>", 1, 1),
    "in an address without brackets": ("https://a.b/{c}", 1, 1),
    "in a title": ("[a](b '{c}')", 1, 1),
    "in a definition": ("[a]: b/{c}\n", 1, 1),
    "in the name of a footnote": ("[^{a}]\n\n[^{a}]: b", 1, 1),
    "of JSON": ('{"a": 1}', 1, 1),
    "in braces": ("{{ a }}", 1, 1),
    "of a template": ("{% a %}", 1, 1),
    "that hold nothing": ("{}", 1, 1),
    "that are not closed": ("a { b", 1, 3),
    "that are not opened": ("a } b", 1, 3),
    "behind indent": ("    {a}", 1, 5),
}


class TestBraces:
    @looped("name", BRACES)
    def test_are_refused_where_they_stand(self, name: str) -> None:
        layout, line, column = BRACES[name]
        with pytest.raises(LayoutError, match="braces are not evaluated") as caught:
            read(layout)
        assert (caught.value.line, caught.value.column) == (line, column)

    @looped(
        "layout",
        [
            "`{a}`",
            "`` {a && `b` ``",
            "`a\n{b}\nc`",
            "```js {a}\n{b}\n```",
            "- ~~~\n  {b}\n  ~~~",
            r"\{a\}",
            "&#123;a&#125;",
            '{"{a}"}',
            "{/* {a} */}b",
            "---\na: {b: 1}\n---",
            "<Badge label='{a}'/>",
            '<Badge label={"{a}"}/>',
        ],
    )
    def test_in_code_and_literals_are_what_they_are(self, layout: str) -> None:
        tree = read(layout)
        assert read_layout(write_layout(tree), VOCABULARY) == tree

    def test_are_text_where_a_tree_holds_them(self) -> None:
        tree = Paragraph()["{a} } {b", Link(url="a/{b}")["c"]]
        assert read_layout(write_layout(tree), VOCABULARY) == tree

    def test_what_stands_in_them_is_not_judged_as_well(self) -> None:
        layout = "<List>\n{a.map(b => (\n<Bagde/>\n{c}\n))}\n</List>\n\n<Bagde/>"
        found = check_layout(layout, VOCABULARY)
        assert [(each.line, each.column) for each in found] == [(2, 1), (8, 1)]


class TestProps:
    @looped(
        ("attribute", "prop"),
        [
            ("name=\"a 'b' \\n {c}\"", {"name": "a 'b' \\n {c}"}),
            ("name='a \"b\"'", {"name": 'a "b"'}),
            ('name={"a\\n\\"b\\" \\u00e9"}', {"name": 'a\n"b" é'}),
            ("count={-3}", {"count": -3}),
            ("count = { 3 }", {"count": 3}),
            ("count={null}", {"count": None}),
            ("share={1.5e3}", {"share": 1500.0}),
            ("is_open", {"is_open": True}),
            ("is_open={false}", {"is_open": False}),
            ('words={["a", "b"]}', {"words": ("a", "b")}),
            ('numbers={{"a": 1}}', {"numbers": {"a": 1}}),
            ('density="compact"', {"density": Density.COMPACT}),
            ('since="2026-11-22"', {"since": "2026-11-22"}),
        ],
    )
    def test_are_literals(self, attribute: str, prop: dict[str, object]) -> None:
        assert read(f"<Panel {attribute}/>") == Panel(**prop)  # type: ignore[arg-type]

    def test_a_key_is_none_of_them(self) -> None:
        assert read('<Item key="d-12">a</Item>') == Item()["a"].keyed("d-12")

    def test_a_prop_called_key_is_one(self) -> None:
        class Lock(Component):
            key: str

        assert read_layout('<Lock key="a"/>', [Lock]) == Lock(key="a")


class TestText:
    def test_is_markdown(self) -> None:
        layout = "<Panel>\n# a\n1. b\n***\n</Panel>"
        assert (
            read(layout)
            == Panel()[
                Heading(depth=1)["a"], List(ordered=True)[Item()[Paragraph()["b"]]], ThematicBreak()
            ]
        )

    def test_keeps_headings_as_they_are_written(self) -> None:
        # A section would take in the components that follow its heading.
        assert (
            read("<Panel>\n## Rules\ntext\n<Panel/>\n</Panel>")
            == Panel()[Heading(depth=2)["Rules"], Paragraph()["text"], Panel()]
        )

    @looped("indent", ["  ", "    ", "\t", "          "])
    def test_loses_the_indent_of_the_tags_around_it(self, indent: str) -> None:
        lines = ["<Section title='a'>", "text", "- b", "  - c", "</Section>"]
        layout = "\n".join(["<Panel>", *(indent + line for line in lines), "</Panel>"])
        nested = List()[Item()[Paragraph()["b"], List()[Item()[Paragraph()["c"]]]]]
        assert read(layout) == Panel()[Section(title="a")[Paragraph()["text"], nested]]

    def test_loses_the_indent_of_the_whole(self) -> None:
        assert read("\n    <Panel>\n      a\n    </Panel>\n    b\n") == fragment(
            Panel()[Paragraph()["a"]], Paragraph()["b"]
        )

    def test_keeps_its_indent_after_the_tags(self) -> None:
        layout = "<Panel>\n  a\n</Panel>\n\n- b\n\n  c"
        item = Item(spread=True)[Paragraph()["b"], Paragraph()["c"]]
        assert read(layout) == fragment(Panel()[Paragraph()["a"]], List()[item])

    def test_has_no_indented_code(self) -> None:
        assert read("a\n\n      b") == fragment(Paragraph()["a"], Paragraph()["b"])

    def test_as_it_stands_is_no_markdown(self) -> None:
        assert read('<Panel>{"  *a*\\n"}{"b"}</Panel>') == Panel()["  *a*\n", "b"]

    def test_alone_is_a_fragment(self) -> None:
        assert read('{"a"}') == fragment("a")
        assert read("") == fragment()

    def test_may_have_front_matter(self) -> None:
        assert read("---\na: b\n---\n<Panel/>") == fragment(FrontMatter(value="a: b"), Panel())


class TestComments:
    def test_leave_nothing(self) -> None:
        layout = "{/* a */}\n\n<Panel>{/* b */}</Panel> {/*\n\nc\n\n*/}\n\n{/* d */} text {/* e */}"
        assert read(layout) == fragment(Panel(), Paragraph()["text"])

    def test_do_not_part_a_text(self) -> None:
        assert read("a{/* b */}c *d*") == Paragraph()["ac ", Emphasis()["d"]]

    def test_hold_what_is_switched_off(self) -> None:
        assert read("{/*\n<Panel>\n\n<b> {\n*/}") == fragment()


class TestVocabulary:
    def test_is_the_primitives_when_none_is_given(self) -> None:
        assert read_layout("<Strong>a</Strong>") == strong("a")
        with pytest.raises(LayoutError, match="<Panel> is not a known component"):
            read_layout("<Panel/>")

    def test_limits_tags_only(self) -> None:
        assert read_layout("# *a*", [Panel]) == Heading()[em("a")]

    def test_cannot_let_trusted_markdown_in(self) -> None:
        class Loud(TrustedMarkdown):
            pass

        for name in ("TrustedMarkdown", "Loud"):
            with pytest.raises(LayoutError, match=r"Trusted|known component"):
                read_layout(f'<{name} source="# a"/>', Vocabulary(TrustedMarkdown, Loud))

    def test_is_bound_to_the_session_by_the_context(self) -> None:
        class Count(Component):
            def render(self, ctx, children):
                return f"{ctx.get(int)} done"

        tree = read_layout("<Count/>", [Count])
        assert render(tree, context=RenderContext().with_value(3)) == "3 done\n"


class TestErrors:
    @looped("case", MISTAKES, ids=lambda case: case.partition("\n")[0])
    def test_say_what_where_and_what_to_do(self, case: str) -> None:
        layout, _, message = case.partition("\n")[2].partition("\n----\n")
        with pytest.raises(LayoutError) as caught:
            read(layout)
        assert str(caught.value) == message.rstrip("\n")

    def test_have_line_and_column_as_numbers(self) -> None:
        with pytest.raises(LayoutError) as caught:
            read("a\r\n\r\n  <Panel/>  <Bagde/>")
        assert (caught.value.line, caught.value.column) == (3, 13)

    def test_show_controls_in_the_excerpt(self) -> None:
        with pytest.raises(LayoutError) as caught:
            read("a\x1b[31m\t<Bagde/>")
        assert caught.value.excerpt == "  a␛[31m <Bagde/>\n         ^"

    def test_cut_names_that_are_too_long(self) -> None:
        with pytest.raises(LayoutError) as caught:
            read(f"<{'A' * 10_000}/>")
        assert len(str(caught.value)) < 2_000

    def test_name_what_is_no_text(self) -> None:
        with pytest.raises(LayoutError, match="a layout is a str, not bytes"):
            read_layout(b"a")  # type: ignore[arg-type]

    def test_of_a_vocabulary_are_its_own(self) -> None:
        with pytest.raises(DefinitionError, match="is not a component class"):
            read_layout("a", [str])  # type: ignore[list-item]


def test_the_example_of_the_manual_is_read() -> None:
    tree = read(
        '<Panel name="Auth">\n  <Panel/>\n  ## Rules\n  - Never *main*.\n  <Panel/>\n</Panel>'
    )
    assert [each["type"] for each in dump(tree)["children"]] == [
        "Panel", "Heading", "List", "Panel",
    ]  # fmt: skip
