"""``h``: nodes by class or by name."""

from __future__ import annotations

from typing import Any

import pytest

from ujsx import Child, ChildError, Children, LoadError, PropError, RenderContext, component, h
from ujsx.elements import Item, List, Paragraph, Section


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

    def test_an_unknown_name_comes_with_the_nearest(self) -> None:
        with pytest.raises(
            LoadError, match="'section' is no known component; did you mean \"Section\""
        ):
            h("section")

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
