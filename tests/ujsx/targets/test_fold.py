"""``HostConfig`` and ``fold``: one tree, any target."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given

from tests.strategies import Ladder, documents, trees
from ujsx import (
    Child,
    Children,
    Density,
    Element,
    HostConfig,
    Node,
    RenderContext,
    RenderError,
    component,
    dump,
    fold,
    fragment,
    resolve,
)
from ujsx.elements import Item, List, Paragraph, Section, strong


@component
def Broken(ctx: RenderContext, children: Children) -> Child:
    raise ValueError("no")


class Xml:
    """Builds XML: an element per primitive, props as attributes, text where it stands."""

    def create_instance(self, element: Element) -> ET.Element:
        props = element.component.model_dump(exclude_defaults=True)
        name = type(element.component).__name__.lower()
        return ET.Element(name, {key: str(value) for key, value in props.items()})

    def create_text(self, text: str) -> ET.Element:
        made = ET.Element("text")
        made.text = text
        return made

    def append(self, parent: ET.Element, child: ET.Element) -> None:
        parent.append(child)

    def finish(self, root: ET.Element) -> str:
        return ET.tostring(root, encoding="unicode")


class Data:
    """Builds what ``dump`` does; and counts its calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def create_instance(self, element: Element) -> Any:
        self.calls.append("instance")
        data = dump(element.component)
        return data if element.key is None else {**data, "key": element.key}

    def create_text(self, text: str) -> Any:
        self.calls.append("text")
        return text

    def append(self, parent: Any, child: Any) -> None:
        self.calls.append("append")
        parent["children"].append(child)

    def finish(self, root: Any) -> Any:
        self.calls.append("finish")
        return root


def as_data(node: Node) -> Any:
    return node if isinstance(node, str) else dump(node)


class TestFold:
    def test_builds_xml(self) -> None:
        tree = Section(title="Notes & more")["a < b", List()[Item(checked=True)[strong("x")]]]
        assert fold(tree, Xml()) == (
            '<section title="Notes &amp; more"><text>a &lt; b</text><list>'
            '<item checked="True"><strong><text>x</text></strong></item></list></section>'
        )

    @given(tree=trees())
    def test_sees_the_whole_tree(self, tree: Element) -> None:
        assert fold(tree, Data()) == as_data(resolve(tree))

    @given(tree=documents())
    def test_sees_the_universal_tree_of_composites(self, tree: Element) -> None:
        assert fold(tree, Data()) == as_data(resolve(tree))

    def test_appends_finished_children_in_their_order(self) -> None:
        host = Data()
        fold(Section(title="a")["x", strong("y")], host)
        assert host.calls == [
            "instance", "text", "append", "instance", "text", "append", "append", "finish",
        ]  # fmt: skip

    def test_gives_text_alone_as_text(self) -> None:
        assert fold("a", Data()) == "a"

    def test_gives_several_roots_in_a_fragment(self) -> None:
        assert fold(["a", Paragraph()], Data()) == dump(fragment("a", Paragraph()))

    def test_resolves_in_the_given_context(self) -> None:
        tree = Ladder(words=("a", "b"))
        minimal = fold(tree, Data(), RenderContext(density=Density.MINIMAL))
        assert minimal["type"] == "Omitted"
        assert fold(tree, Data())["type"] == "Section"

    def test_an_error_has_its_path(self) -> None:
        with pytest.raises(RenderError) as caught:
            fold(Section(title="a")[Broken()], Data())
        assert caught.value.path == "Section / Broken[0]"

    def test_too_deep_a_tree_is_an_error_of_ours(self) -> None:
        tree: Any = Paragraph()
        for _ in range(1_500):
            tree = Section(title="a")[tree]
        with pytest.raises(RenderError, match="nested more than 150 deep"):
            fold(tree, Data())

    def test_a_host_is_any_object_with_its_methods(self) -> None:
        host: HostConfig[ET.Element, str] = Xml()
        assert fold("a", host) == "<text>a</text>"
