"""No text of a tree becomes a tag or an attribute; an HTML parser sees the tree that was meant."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.strategies import documents
from tests.ujsx.hast.reading import meant, read
from ujsx import Element, HastError, hast, mdast, registry, render_html, to_hast, to_mdast
from ujsx.testing.strategies import roots, texts

slow = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

VALUES = st.one_of(
    texts(),
    st.sampled_from(
        ['"', "'", '"><script>', "' onload='x", "<!--", "-->", "&quot;", "</p>", "]]>"]
    ),
    st.text(),
)


@slow
@given(roots())
def test_an_adversarial_markdown_tree_is_read_as_it_was_meant(tree: mdast.Root) -> None:
    root = registry.transform("mdast -> hast", tree)
    assert read(hast.to_html(root)) == meant(root)


@slow
@given(documents())
def test_a_tree_of_components_too(tree: Element) -> None:
    root = to_hast(tree)
    assert read(hast.to_html(root)) == meant(root)


@given(VALUES, VALUES)
def test_text_and_values_are_read_back_as_they_were(text: str, value: str) -> None:
    (start, *rest) = read(hast.to_html(hast.Element("p", {"title": value}, (hast.Text(text),))))
    assert start == ("start", ("p", (("title", value.replace("\0", "\ufffd")),)))
    assert rest == [("text", text.replace("\0", "\ufffd"))] * bool(text) + [("end", "p")]


@given(VALUES)
def test_a_comment_holds_all_of_its_text(text: str) -> None:
    events = read(hast.to_html(hast.Root((hast.Comment(text), hast.Text("after")))))
    assert [kind for kind, _ in events] == ["comment", "text"]
    assert events[-1] == ("text", "after")


@given(VALUES)
def test_a_name_is_refused_or_is_one_name(name: str) -> None:
    try:
        text = hast.to_html(hast.Element("p", {name: "x"}))
    except HastError:
        return
    assert [len(value[1]) for kind, value in read(text) if kind == "start"] == [1]


@slow
@given(documents())
def test_a_page_is_that_of_the_markdown_tree(tree: Element) -> None:
    markdown = registry.transform("mdast -> hast", to_mdast(tree))
    assert render_html(tree).rstrip("\n") == hast.to_html(markdown).rstrip("\n")


@slow
@given(documents())
def test_a_page_is_the_same_bytes_each_time(tree: Element) -> None:
    assert render_html(tree) == render_html(tree)
