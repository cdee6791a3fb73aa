"""``XmlTarget``: well-formed for any tree, and no text in it becomes a tag."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hud_components import Hud, HudState, Note
from tests.ids import looped
from tests.ujsx.layout.trees import documents, trees
from ujsx import (
    Component,
    Density,
    Element,
    FrozenMapping,
    Node,
    RenderContext,
    TargetError,
    fold,
    fragment,
    resolve,
)
from ujsx.elements import (
    CodeBlock,
    Item,
    List,
    Omitted,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableRow,
    code,
    strong,
)
from ujsx.targets import CONTENT, XmlTarget, attribute_text, content_text, element_name
from ujsx.testing.strategies import texts
from ujsx.text import unhidden


class Facts(Component):
    """A primitive with props that are no scalars."""

    words: tuple[str, ...] = ()
    numbers: FrozenMapping[str, str] = FrozenMapping()


def xml(node: Node, *, indent: int | None = 2) -> str:
    return fold(node, XmlTarget(indent=indent))


def names(node: Node) -> Iterator[str]:
    """The names of the elements that a universal tree has, in the order of the text."""
    if isinstance(node, str):
        return
    component, children = (
        (node.component, node.children) if isinstance(node, Element) else (node, ())
    )
    yield element_name(type(component).__name__)
    for name, value in lists(component):
        yield from (element_name(name), *("item" for _ in value))
    for child in children:
        yield from names(child)


def said(node: Node) -> str:
    """What a universal tree says between its tags."""
    if isinstance(node, str):
        return node
    component, children = (
        (node.component, node.children) if isinstance(node, Element) else (node, ())
    )
    own = [getattr(component, CONTENT.get(type(component), ""), "")]
    own += [each or "" for _, value in lists(component) for each in value]
    return "".join([*own, *map(said, children)])


def lists(component: Component) -> list[tuple[str, list[str | None]]]:
    """The props of a primitive that are no scalars and are written: all of them are lists of texts."""
    props = component.model_dump(mode="json", exclude_defaults=True, exclude={"ids"})
    return [(name, value) for name, value in props.items() if isinstance(value, list)]


class TestXmlHost:
    def test_names_elements_after_classes(self) -> None:
        tree = Section(title="Notes")[List()[Item(checked=True)["a ", strong("b")]]]
        assert xml(tree) == (
            '<section title="Notes">\n'
            "  <list>\n"
            '    <item checked="true">a <strong>b</strong></item>\n'
            "  </list>\n"
            "</section>"
        )

    def test_adds_nothing_to_text(self) -> None:
        assert xml(Paragraph()["a\n  b ", code("c"), " "]) == (
            "<paragraph>a\n  b <inline_code>c</inline_code> </paragraph>"
        )

    def test_stands_in_one_line_without_indent(self) -> None:
        assert xml(List()[Item(), Item()], indent=None) == "<list><item/><item/></list>"

    def test_puts_several_roots_into_one(self) -> None:
        assert xml(fragment("a", strong("b"))) == "<fragment>a<strong>b</strong></fragment>"
        assert fold("a", XmlTarget(root="context")) == "<context>a</context>"
        assert fold(fragment(), XmlTarget(root="context")) == "<context/>"

    def test_shows_code_between_its_tags(self) -> None:
        assert xml(CodeBlock(value="a\n<b>", lang="xml")) == (
            '<code_block lang="xml">a\n&lt;b&gt;</code_block>'
        )

    def test_writes_scalars_as_attributes_and_the_rest_as_elements(self) -> None:
        class Values(Component):
            text: str
            count: int
            share: float
            flag: bool
            none: int | None = 3
            words: tuple[str | None, ...]
            numbers: tuple[tuple[int, bool], ...]

        values = Values(
            text='"&',
            count=3,
            share=0.5,
            flag=False,
            none=None,
            words=("<", None),
            numbers=((1, True),),
        )
        assert xml(values) == (
            '<values text="&quot;&amp;" count="3" share="0.5" flag="false">\n'
            "  <none/>\n"
            "  <words>\n    <item>&lt;</item>\n    <item/>\n  </words>\n"
            "  <numbers>\n    <item>\n      <item>1</item>\n      <item>true</item>\n"
            "    </item>\n  </numbers>\n"
            "</values>"
        )

    def test_never_makes_a_name_of_data(self) -> None:
        class Counts(Component):
            of: FrozenMapping[str, int]

        assert xml(Counts(of={"a/><b>": 1})) == (
            '<counts>\n  <of>\n    <entry name="a/&gt;&lt;b&gt;">1</entry>\n  </of>\n</counts>'
        )

    def test_keeps_a_key_apart_from_a_prop_of_its_name(self) -> None:
        class Lock(Component):
            key: str

        assert xml(Item().keyed("d-12")) == '<item key="d-12"/>'
        assert xml(Lock(key="a").keyed("b")) == '<lock _key="b" key="a"/>'

    def test_writes_foreign_letters_of_a_name_as_numbers(self) -> None:
        class Größe(Component):  # noqa: PLC2401 - such names are what this is about
            maß: str  # noqa: PLC2401

        assert xml(Größe(maß="ä")) == '<gr_xf6__xdf_e ma_xdf_="ä"/>'

    @looped("root", ["a b", "", "1a", "<a>", "é", None])
    def test_refuses_a_root_that_is_no_name(self, root: str) -> None:
        with pytest.raises(TargetError, match="is not a valid name for an element"):
            XmlTarget(root=root)


TABLE = Table(align=("left", None))[TableRow()[TableCell()["a"]]]


class TestAnyTree:
    @given(tree=trees() | documents(), indent=st.none() | st.integers(0, 4))
    @example(tree=TABLE, indent=2)
    def test_is_well_formed_with_its_own_elements_alone(
        self, tree: Node, indent: int | None
    ) -> None:
        tree = resolve(tree)
        root = ET.fromstring(xml(tree, indent=indent))
        found = [each.tag for each in root.iter()]
        assert [*names(fragment(tree) if isinstance(tree, str) else tree)] == found

    @given(tree=trees() | documents())
    @example(tree=TABLE)
    def test_says_what_the_tree_says(self, tree: Node) -> None:
        tree = resolve(tree)
        root = ET.fromstring(xml(tree, indent=None))
        assert unhidden("".join(root.itertext())) == said(tree)

    @given(words=st.lists(texts()), numbers=st.dictionaries(texts(), texts()))
    def test_is_well_formed_whatever_its_props_hold(
        self, words: list[str], numbers: dict[str, str]
    ) -> None:
        root = ET.fromstring(xml(Facts(words=tuple(words), numbers=FrozenMapping(numbers))))
        assert {each.tag for each in root.iter()} <= {"facts", "words", "numbers", "item", "entry"}
        entries = {
            unhidden(each.get("name") or ""): unhidden(each.text or "")
            for each in root.iter("entry")
        }
        assert entries == numbers

    @given(text=st.text(st.characters(), min_size=1))
    def test_reads_back_any_text(self, text: str) -> None:
        root = ET.fromstring(xml(Section(title=text)[text]))
        assert (unhidden(root.text or ""), unhidden(root.get("title") or "")) == (text, text)


def test_the_end_of_a_comment_or_of_cdata_is_text() -> None:
    assert content_text("]]> -->") == "]]&gt; --&gt;"
    assert attribute_text("'\t'") == "'&#9;'"


class TestOmitted:
    def test_says_how_many_and_not_which(self) -> None:
        mark = Omitted(count=2, handle="hud notes.list", ids=("n-1", "n-2"))
        assert xml(mark) == '<omitted count="2" handle="hud notes.list"/>'

    def test_costs_less_than_what_is_left_out(self) -> None:
        notes = tuple(Note(id=f"n-{n}", content=f"note {n}") for n in range(30))
        hud = Hud.of(HudState(notes=notes))
        shown = [
            len(fold(hud, XmlTarget(), context=RenderContext(density=density)))
            for density in (Density.MINIMAL, Density.COMPACT, Density.FULL)
        ]
        assert shown == sorted(shown)
