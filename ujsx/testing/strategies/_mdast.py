"""mdast trees for Hypothesis that try to break out of their place.

Trees hold every node kind, nested, most of them not in canonical form. ``canonical_roots`` gives
the trees for which a round trip through Markdown must be exact.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from ujsx import mdast
from ujsx.testing.strategies._texts import texts

INLINE_HTML = ("<b>", "</b>", '<a href="x">', "<br/>", "<!-- c -->", "<div>", "<x\ny>", "<?p?>")
BLOCK_HTML = ("<div>", "<div>\n*a*\n</div>", "<!-- c -->", "<!-- open", "<pre>\n\n</pre>", "<b>")
LABELS = ("a", "b c", "my_note", "É", "x]y", "Q&amp;A")

SPAN_DEPTH, BLOCK_DEPTH = 4, 3
"""How deep spans and containers nest in the trees."""


def phrasing(depth: int = SPAN_DEPTH, *, gfm: bool = True) -> st.SearchStrategy[list[mdast.Node]]:
    """Return what may stand in a line, nested at most ``depth`` deep."""
    return _phrasing(depth, gfm)


def flow(depth: int = BLOCK_DEPTH, *, gfm: bool = True) -> st.SearchStrategy[list[mdast.Node]]:
    """Return blocks, nested at most ``depth`` deep."""
    return _flow(depth, gfm)


def roots(*, gfm: bool = True) -> st.SearchStrategy[mdast.Root]:
    """Return documents; references have a definition in about half of them."""
    nothing: list[mdast.Node] = []
    front = st.just(nothing) | st.just(nothing) | texts().map(_front_matter)
    definitions = st.sampled_from([nothing, _definitions(gfm)])
    return st.tuples(front, flow(gfm=gfm), definitions).map(_document)


def canonical_roots(*, gfm: bool = True) -> st.SearchStrategy[mdast.Root]:
    """Return documents in canonical form: a round trip through Markdown gives them back."""
    return roots(gfm=gfm).map(mdast.normalize)


def _front_matter(value: str) -> list[mdast.Node]:
    return [mdast.Yaml(value)]


def _document(parts: tuple[list[mdast.Node], ...]) -> mdast.Root:
    children: list[Any] = [node for part in parts for node in part]
    return mdast.Root(tuple(children))


def _definitions(gfm: bool) -> list[mdast.Node]:
    definitions: list[mdast.Node] = [
        mdast.Definition(label.lower(), "x", label) for label in LABELS
    ]
    if gfm:
        definitions += [mdast.FootnoteDefinition(label, label) for label in ("a", "my_note")]
    return definitions


@cache
def _phrasing(depth: int, gfm: bool) -> st.SearchStrategy[list[mdast.Node]]:
    text, optional = texts(), st.none() | texts()
    kinds: list[st.SearchStrategy[Any]] = [
        st.builds(mdast.Text, text),
        st.builds(mdast.Text, text),
        st.builds(mdast.InlineCode, text),
        st.just(mdast.Break()),
        st.builds(mdast.Html, st.sampled_from(INLINE_HTML) | text),
        st.builds(mdast.Image, text, optional, optional),
        st.builds(mdast.ImageReference, _labels(), st.none(), _reference_types(), optional),
    ]
    if gfm:
        kinds.append(st.builds(mdast.FootnoteReference, _labels()))
    if depth > 0:
        inner = _phrasing(depth - 1, gfm)
        kinds += [
            st.builds(kind, children=inner)
            for kind in (mdast.Emphasis, mdast.Strong, mdast.Emphasis, mdast.Strong)
        ]
        kinds.append(st.builds(mdast.Link, text, optional, children=inner))
        kinds.append(
            st.builds(mdast.LinkReference, _labels(), st.none(), _reference_types(), children=inner)
        )
        if gfm:
            kinds.append(st.builds(mdast.Delete, children=inner))
    return st.lists(st.one_of(kinds), min_size=1, max_size=4)


@cache
def _flow(depth: int, gfm: bool) -> st.SearchStrategy[list[mdast.Node]]:
    text, optional, line = texts(), st.none() | texts(), _phrasing(2, gfm)
    kinds: list[st.SearchStrategy[Any]] = [
        st.builds(mdast.Paragraph, children=_phrasing(SPAN_DEPTH, gfm)),
        st.builds(mdast.Paragraph, children=st.builds(mdast.Text, text).map(lambda node: [node])),
        st.builds(mdast.Heading, st.integers(1, 6), children=line),
        st.just(mdast.ThematicBreak()),
        st.builds(mdast.Code, text, optional, optional),
        st.builds(mdast.Html, st.sampled_from(BLOCK_HTML) | text),
        st.builds(mdast.Definition, _labels(), text, st.none(), optional),
    ]
    if depth > 0:
        inner = _flow(depth - 1, gfm)
        kinds.append(st.builds(mdast.Blockquote, children=inner))
        kinds.append(_lists(inner, gfm))
        if gfm:
            kinds.append(st.builds(mdast.FootnoteDefinition, _labels(), children=inner))
    if gfm:
        kinds.append(_tables())
    return st.lists(st.one_of(kinds), min_size=0, max_size=4)


def _labels() -> st.SearchStrategy[str]:
    return st.sampled_from([label.lower() for label in LABELS])


def _reference_types() -> st.SearchStrategy[str]:
    return st.sampled_from(["full", "collapsed", "shortcut"])


def _lists(inner: st.SearchStrategy[list[mdast.Node]], gfm: bool) -> st.SearchStrategy[mdast.List]:
    checked = st.sampled_from([None, True, False]) if gfm else st.none()
    items = st.lists(
        st.builds(mdast.ListItem, checked, st.booleans(), children=inner), min_size=0, max_size=3
    )
    start = st.sampled_from([None, 0, 1, 2, 10, 999_999_999])
    return st.builds(mdast.List, st.booleans(), start, st.booleans(), children=items)


def _tables() -> st.SearchStrategy[mdast.Table]:
    cells = st.builds(mdast.TableCell, children=_phrasing(1, gfm=True))
    rows = st.lists(
        st.builds(mdast.TableRow, children=st.lists(cells, min_size=0, max_size=3)), max_size=3
    )
    align = st.lists(st.sampled_from([None, "left", "right", "center"]), max_size=3)
    return st.builds(mdast.Table, align, children=rows)
