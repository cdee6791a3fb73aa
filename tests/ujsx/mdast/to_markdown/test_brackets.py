"""Brackets have a backslash where something could close them, and nowhere else."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx import Renderer, UjsxError, mdast, render
from ujsx.elements import BlockQuote, Definition, Item, List, Paragraph, Section
from ujsx.mdast import (
    Blockquote,
    Emphasis,
    FootnoteDefinition,
    FootnoteReference,
    InlineCode,
    Link,
    LinkReference,
    Root,
    Text,
    from_markdown,
    normalize,
    to_markdown,
)


def paragraph(*nodes: Any) -> mdast.Paragraph:
    return mdast.Paragraph([Text(node) if isinstance(node, str) else node for node in nodes])


def item(*nodes: Any) -> mdast.List:
    return mdast.List(children=[mdast.ListItem(children=[paragraph(*nodes)])])


A = mdast.Definition("a", "u", "a")
STARRED = mdast.Definition("*a*", "u", "*a*")
X = LinkReference("x", "x", "shortcut", [Text("x")])
NOTE = FootnoteDefinition("a", "a", [paragraph("b")])

CASES: tuple[tuple[list[Any], str], ...] = (
    ([paragraph("[a], [[b]], ![c], [d][e], [^f], [")], "[a], [[b]], ![c], [d][e], [^f], ["),
    ([paragraph("[a] [b](c)")], r"\[a] \[b](c)"),
    ([paragraph("[a]: b")], r"\[a]: b"),
    ([paragraph("x [a]: b\n[a]: b")], "x [a]: b\n[a]: b"),
    ([paragraph("a\n[^b]: c")], "a\n\\[^b]: c"),
    ([paragraph("[x] a")], "[x] a"),
    ([item("[x] a"), item("[Fix] a")], "- \\[x] a\n\n* [Fix] a"),
    ([paragraph("[b] [ A ]"), A], "\\[b] \\[ A ]\n\n[a]: u"),
    ([paragraph("[b]"), A], "[b]\n\n[a]: u"),
    ([paragraph("[", Emphasis([Text("a")]), "]"), A], "[*a*]\n\n[a]: u"),
    ([paragraph("[", Emphasis([Text("a")]), "]"), STARRED], "\\[*a*]\n\n[*a*]: u"),
    ([paragraph("[", InlineCode("a"), "][b.C]"), A], "[`a`][b.C]\n\n[a]: u"),
    ([paragraph("[", InlineCode("a"), "][a]"), A], "\\[`a`]\\[a]\n\n[a]: u"),
    ([paragraph("[^a] [a]"), NOTE], "\\[^a] \\[a]\n\n[^a]: b"),
    ([paragraph("[b]", Link("c", None, [Text("d")]))], r"\[b][d](c)"),
    ([paragraph(FootnoteReference("a", "a"), "[b]"), NOTE], "[^a]\\[b]\n\n[^a]: b"),
    ([Blockquote([A]), paragraph("[a]")], "> [a]: u\n\n\\[a]"),
)


@looped(("nodes", "expected"), CASES, ids=[case[1][:30] for case in CASES])
def test_written_as(nodes: list[Any], expected: str) -> None:
    assert to_markdown(Root(nodes), verify=True) == f"{expected}\n"


def test_a_part_of_a_document_is_written_as_if_any_label_were_defined() -> None:
    writer = mdast.Writer()
    assert writer.blocks([paragraph("[a] [b")]) == [r"\[a] \[b"]
    assert writer.blocks([paragraph("[a] [b")], labels=frozenset()) == ["[a] [b"]


def test_a_reference_like_a_tasks_box_is_refused_or_collapsed() -> None:
    tree = Root([item(X, " a"), mdast.Definition("x", "u", "x")])
    with pytest.raises(UjsxError, match="box"):
        to_markdown(tree)
    assert to_markdown(tree, on_unwritable="normalize", verify=True).startswith("- [x][] a\n")


class TestInComponents:
    def test_an_authors_definition_does_not_catch_text(self) -> None:
        notes = List()[Item()["[docs] a"]]
        assert render(notes) == "- [docs] a\n"
        tree = [Section(title="[docs]")[notes], Definition(identifier="docs", url="u")]
        assert render(tree) == "# \\[docs]\n\n- \\[docs] a\n\n[docs]: u\n"

    def test_nor_where_the_rest_was_rendered_before(self) -> None:
        renderer, notes = Renderer(), Section(title="A")["[docs] a"]
        definition = Definition(identifier="docs", url="u")
        for last, expected in ((None, "[docs] a"), (definition, r"\[docs] a"), (None, "[docs] a")):
            assert renderer.render([notes, last]).text.splitlines()[2] == expected

    def test_text_is_no_alert_and_an_author_makes_one(self) -> None:
        assert render(BlockQuote()["[!NOTE]\nx"]) == "> \\[!NOTE]\n> x\n"
        assert render(BlockQuote()[Paragraph()["[!NOTE]"], "x"]) == "> \\[!NOTE]\n>\n> x\n"
        assert render(BlockQuote(alert="TIP")["# x"]) == "> [!TIP]\n> \\# x\n"


@looped(
    ("markdown", "kind"),
    [
        ("> [!NOTE]\n> a\n", "NOTE"),
        ("> [!info] A title\n> a\n", "info"),
        ("> [!TIP]\n>\n> - a\n", "TIP"),
        ("> [!TIP] see \\[a](b)\n", "TIP"),
        ("> \\[!NOTE]\n> a\n", None),
        ("> [!note](a)\n", None),
        ("> [!note]\n\n[!note]: a\n", None),
        ("> a\n> [!NOTE]\n", None),
    ],
)
def test_an_alert_stays_what_it_is(markdown: str, kind: str | None) -> None:
    tree = from_markdown(markdown)
    assert (tree.children[0].data or {}).get("alert") == kind
    assert to_markdown(tree, verify=True) == markdown


@given(st.text("a@_.-1é²Ⅷ ", max_size=12))
def test_a_mail_address_is_told_as_before_in_one_look(text: str) -> None:
    """What follows the ``@``: a dot, and a letter behind it, among what an address may have."""
    plain = re.compile(r"[\w.-]*\.[\w.-]*[^\W\d_]")
    written = to_markdown(Root([paragraph(f"a@{text}x")]))
    assert written.startswith("a\\@") is bool(plain.match(f"{text}x"))


@given(st.text("[]()^!x: \n\\*a", max_size=16))
def test_brackets_are_inert_whatever_is_defined(text: str) -> None:
    for defined in ([], [A], [mdast.Definition("x", "u", "x"), NOTE]):
        tree = normalize(
            Root([paragraph(text), item(text), Blockquote([paragraph(text)]), *defined])
        )
        assert from_markdown(to_markdown(tree)) == tree
