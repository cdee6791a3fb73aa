"""Law 1: text never becomes structure; what is written reads back as the same tree."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, example, given, settings

from ujsx import UjsxError
from ujsx.mdast import (
    Heading,
    List,
    ListItem,
    Paragraph,
    Root,
    Text,
    from_markdown,
    normalize,
    to_markdown,
)
from ujsx.testing.strategies import canonical_roots, roots

EXAMPLES = int(os.environ.get("UJSX_FUZZ", 4 * settings.default.max_examples))
"""Trees per property; ``UJSX_FUZZ=10000`` looks longer."""

bounded = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@bounded
@given(canonical_roots())
def test_a_canonical_tree_is_read_back_as_it_was_written(tree: Root) -> None:
    assert from_markdown(to_markdown(tree)) == tree


@bounded
@given(canonical_roots(gfm=False))
def test_without_gfm_too(tree: Root) -> None:
    assert from_markdown(to_markdown(tree)) == tree


@bounded
@given(roots())
def test_a_tree_is_refused_or_read_back_in_canonical_form(tree: Root) -> None:
    try:
        text = to_markdown(tree)
    except UjsxError:
        text = to_markdown(tree, on_unwritable="normalize")
    assert from_markdown(text) == normalize(tree)


@bounded
@given(roots())
def test_canonical_form_is_its_own_canonical_form(tree: Root) -> None:
    canonical = normalize(tree)
    assert normalize(canonical) == canonical


A = Paragraph([Text("a")])
LOOSENED = ListItem(children=[Heading(1, [Text("b")]), List(children=[ListItem(children=[A])]), A])


@bounded
@example(Root([List(children=[LOOSENED])]))
@example(Root([Paragraph([Text(""), Text("~")])]))
@given(roots())
def test_a_tree_is_refused_or_written_as_its_canonical_form(tree: Root) -> None:
    try:
        text = to_markdown(tree)
    except UjsxError:
        text = to_markdown(tree, on_unwritable="normalize")
    assert text == to_markdown(normalize(tree))
