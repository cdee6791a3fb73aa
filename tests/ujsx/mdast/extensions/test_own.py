"""An extension of one's own: a node, a rule that reads it, a handler that writes it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given

from tests.ids import looped
from ujsx import mdast
from ujsx.errors import MdastError
from ujsx.mdast import (
    Emphasis,
    Extension,
    Image,
    InlineCode,
    Node,
    Paragraph,
    Parent,
    Root,
    Text,
    from_dict,
    from_markdown,
    normalize,
    second_opinion,
    to_dict,
    to_markdown,
)
from ujsx.mdast.extensions import NAMES, BlockReader, LineStart, Unsafe, WikiLink
from ujsx.mdast.util import find, to_string
from ujsx.testing.strategies import texts

MENTION = re.compile(r"@([a-z]+)")


class Mention(Node, frozen=True):
    name: str


class Aside(Parent, frozen=True):
    children: tuple[Any, ...] = ()


def read_mention(state: Any, silent: bool) -> bool:
    match = MENTION.match(state.src, state.pos)
    if match is None:
        return False
    state.push("mention", "", 0).content = match[1]
    state.pos = match.end()
    return True


def read_aside(state: Any, line: int, end: int, silent: bool) -> bool:
    start = state.bMarks[line] + state.tShift[line]
    if not state.src.startswith("%% ", start) or state.is_code_block(line):
        return False
    if silent:
        return True
    opening = state.push("aside_open", "", 1)
    opening.map = [line, line + 1]
    token = state.push("inline", "", 0)
    token.content = state.src[start + 3 : state.eMarks[line]].strip(" \t")
    token.map, token.meta = [line, line + 1], {"start": start + 3}
    state.push("aside_close", "", -1)
    state.line = line + 1
    return True


def write_aside(node: Aside, writing: Any) -> str:
    writing.one_line = True
    words = writing.lines(node.children)
    writing.one_line = False
    return f"%% {words}"


OWN = Extension(
    name="own",
    inline={"@": read_mention},
    blocks=(BlockReader("aside", read_aside),),
    build={
        "mention": lambda token, _: Mention(token.content),
        "aside_close": lambda _, children: Aside(children=children),
    },
    phrasing={Mention: lambda node, _: f"@{node.name}"},
    flow={Aside: write_aside},
    holds={Aside: "line"},
    canonical={Aside: lambda node: node if node.children else None},
    unsafe=(Unsafe("@", "mentions somebody", after="[a-z]"),),
    line_starts=(LineStart("%", "an aside", r"%(?=% )"),),
)


class TestOwnExtension:
    @given(texts(), texts())
    def test_keeps_the_first_law(self, one: str, other: str) -> None:
        tree = normalize(
            Root(
                children=[
                    Aside(children=[Text(one), Mention("ann"), Emphasis([Text(other)])]),
                    Paragraph(children=[Text(f"%% {other}"), Mention("bob"), InlineCode(one)]),
                    Paragraph(children=[Text(f"a\n%% @b{other}")]),
                ]
            ),
            extensions=[OWN],
        )
        text = to_markdown(tree, extensions=[OWN])
        assert from_markdown(text, extensions=[OWN]) == tree

    def test_has_positions(self) -> None:
        root = from_markdown("%% so @ann\nb", extensions=[OWN], positions="all")
        aside: Any = root.children[0]
        assert (aside.position.start.offset, aside.position.end.offset) == (0, 10)
        assert [child.position.start.column for child in aside.children] == [4, 7]

    def test_goes_through_json_where_it_is_named(self) -> None:
        root = from_markdown("@ann", extensions=[OWN])
        data = to_dict(root)
        assert from_dict(data, extensions=[OWN]) == root
        assert to_dict(from_dict(data)) == data

    def test_leaves_others_alone(self) -> None:
        assert from_markdown("@ann").children[0] == Paragraph(children=[Text("@ann")])
        assert to_markdown(Text("@ann")) == "@ann\n"


class TestNames:
    def test_that_are_none_name_the_nearest(self) -> None:
        with pytest.raises(MdastError, match="no extension 'maths'; did you mean \"math\""):
            from_markdown("a", extensions=["maths"])

    def test_are_a_list(self) -> None:
        with pytest.raises(MdastError, match="extensions are a list; write extensions="):
            from_markdown("a", extensions="math")

    def test_are_in_the_message_of_a_node_without_one(self) -> None:
        tree = from_markdown("$a$", extensions=["math"])
        with pytest.raises(MdastError, match=r'inlineMath cannot .*; pass extensions=\["math"\]'):
            to_markdown(tree)


class TestSecondOpinion:
    @looped("text", ["a $x$ b", "$$\nx\n$$", "a\n: b\n: c", "$5 and $6", "a\n\n:   b\n\n    c\n"])
    def test_agrees(self, text: str) -> None:
        assert second_opinion(text, extensions=["math", "definition-lists"]) == ()

    def test_is_asked_for_what_mistune_has(self) -> None:
        with pytest.raises(MdastError, match='mistune has no extension "toml"; leave it out'):
            second_opinion("a", extensions=["toml"])


@looped(
    ("text", "alt"),
    [("![$x$](u)", "x"), ("![[[a|b]] c](u)", "b c"), ("![[[a]]](u)", "a"), ("![:b[*c*]](u)", "c")],
)
def test_an_image_is_described_by_what_is_shown_of_nodes(text: str, alt: str) -> None:
    tree = from_markdown(text, extensions=NAMES)
    assert tree == Root(children=[Paragraph([Image("u", alt=alt)])])


def test_a_link_to_a_page_says_what_is_shown_of_it() -> None:
    assert to_string(from_markdown("# [[Roadmap|the plan]]", extensions=NAMES)) == "the plan"


class TestWikiLinks:
    @looped(
        ("text", "value", "alias"),
        [("a|b", "a", "b"), ("a\\|b c", "a", "b c"), ("a", "a", None), ("c:\\d|e", "c:\\d", "e")],
    )
    def test_have_their_words_in_a_cell_and_outside(
        self, text: str, value: str, alias: str | None
    ) -> None:
        link = WikiLink(value, alias)
        assert [*find(from_markdown(f"[[{text}]]", extensions=["wiki-links"]), WikiLink)] == [link]
        row = mdast.TableRow((mdast.TableCell((link,)),))
        table = Root((mdast.Table((None,), (row, row)),))
        written = to_markdown(table, extensions=["wiki-links"])
        assert from_markdown(written, extensions=["wiki-links"]) == table

    def test_whose_page_ends_in_a_backslash_have_no_words(self) -> None:
        root = Root((Paragraph((WikiLink("a\\", "b"),)),))
        with pytest.raises(MdastError, match="the backslash at its end"):
            to_markdown(root, extensions=["wiki-links"])
        canonical = normalize(root, extensions=["wiki-links"])
        assert to_markdown(canonical, extensions=["wiki-links"]) == "[[a|b]]\n"
