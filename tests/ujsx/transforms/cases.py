"""Each primitive, and the mdast it is: both directions read this table."""

from __future__ import annotations

from tests.ids import stable
from ujsx import Element, Node, mdast
from ujsx.elements import (
    BlockQuote,
    CodeBlock,
    Definition,
    Emphasis,
    FootnoteDefinition,
    FootnoteReference,
    FrontMatter,
    Heading,
    Html,
    Image,
    ImageReference,
    InlineCode,
    Item,
    LineBreak,
    Link,
    LinkReference,
    List,
    Paragraph,
    Strikethrough,
    Strong,
    Table,
    TableCell,
    TableRow,
    ThematicBreak,
)

T = mdast.Text


def _paragraph(*nodes: mdast.PhrasingContent) -> mdast.Paragraph:
    return mdast.Paragraph(nodes)


BOTH_WAYS: list[tuple[Node, mdast.AnyNode]] = [
    ("text", T("text")),
    (Heading()["a"], mdast.Heading(1, (T("a"),))),
    (Heading(depth=6), mdast.Heading(6)),
    (Paragraph()["a"], _paragraph(T("a"))),
    (Paragraph()["a", Strong()["b"]], _paragraph(T("a"), mdast.Strong((T("b"),)))),
    (BlockQuote()[Paragraph()["a"]], mdast.Blockquote((_paragraph(T("a")),))),
    (BlockQuote(), mdast.Blockquote()),
    (
        BlockQuote(alert="NOTE")[Paragraph()["a"]],
        mdast.Blockquote((_paragraph(T("[!NOTE]\na")),), data={"alert": "NOTE"}),
    ),
    (
        BlockQuote(alert="NOTE", titled=True)[Paragraph()["Title\na"]],
        mdast.Blockquote((_paragraph(T("[!NOTE] Title\na")),), data={"alert": "NOTE"}),
    ),
    (
        BlockQuote(alert="NOTE", fold="-", titled=True)[Paragraph()["Folded"]],
        mdast.Blockquote((_paragraph(T("[!NOTE]- Folded")),), data={"alert": "NOTE"}),
    ),
    (
        BlockQuote(alert="NOTE", fold="+"),
        mdast.Blockquote((_paragraph(T("[!NOTE]+")),), data={"alert": "NOTE"}),
    ),
    (
        List()[Item()[Paragraph()["a"]], Item()],
        mdast.List(children=(mdast.ListItem(children=(_paragraph(T("a")),)), mdast.ListItem())),
    ),
    (List(ordered=True, start=7, spread=True), mdast.List(ordered=True, start=7, spread=True)),
    (List(ordered=True, start=0), mdast.List(ordered=True, start=0)),
    (Item(checked=True, spread=True), mdast.ListItem(checked=True, spread=True)),
    (Item(checked=False), mdast.ListItem(checked=False)),
    (
        Item()[Paragraph()["a"], List()[Item()]],
        mdast.ListItem(children=(_paragraph(T("a")), mdast.List(children=(mdast.ListItem(),)))),
    ),
    (CodeBlock(value="a\nb"), mdast.Code("a\nb")),
    (CodeBlock(value="a", lang="py", meta="x=1"), mdast.Code("a", "py", "x=1")),
    (
        Table(align=("left", None, "right", "center"))[
            TableRow()[TableCell()["a"], TableCell()], TableRow()
        ],
        mdast.Table(
            ("left", None, "right", "center"),
            (mdast.TableRow((mdast.TableCell((T("a"),)), mdast.TableCell())), mdast.TableRow()),
        ),
    ),
    (TableRow()[TableCell()], mdast.TableRow((mdast.TableCell(),))),
    (TableCell()["a"], mdast.TableCell((T("a"),))),
    (ThematicBreak(), mdast.ThematicBreak()),
    (Html(value="<b>"), mdast.Html("<b>")),
    (
        Definition(identifier="a", url="u", label="A", title="t"),
        mdast.Definition("a", "u", "A", "t"),
    ),
    (
        FootnoteDefinition(identifier="a", label="A")[Paragraph()["x"]],
        mdast.FootnoteDefinition("a", "A", (_paragraph(T("x")),)),
    ),
    (FrontMatter(value="a: 1"), mdast.Yaml("a: 1")),
    (Strong()["a"], mdast.Strong((T("a"),))),
    (Emphasis()["a"], mdast.Emphasis((T("a"),))),
    (Strikethrough()["a"], mdast.Delete((T("a"),))),
    (InlineCode(value="a"), mdast.InlineCode("a")),
    (LineBreak(), mdast.Break()),
    (Link(url="u", title="t")["a"], mdast.Link("u", "t", (T("a"),))),
    (Link(url="u"), mdast.Link("u")),
    (Image(url="u", alt="a", title="t"), mdast.Image("u", "t", "a")),
    (
        LinkReference(identifier="a", label="A", reference_type="shortcut")["x"],
        mdast.LinkReference("a", "A", "shortcut", (T("x"),)),
    ),
    (LinkReference(identifier="a"), mdast.LinkReference("a")),
    (
        ImageReference(identifier="a", label="A", reference_type="collapsed", alt="x"),
        mdast.ImageReference("a", "A", "collapsed", "x"),
    ),
    (FootnoteReference(identifier="a", label="A"), mdast.FootnoteReference("a", "A")),
]
"""What is the same in both kinds of tree."""


def name(node: object) -> str:
    """The id of a case."""
    return stable(node.component if isinstance(node, Element) else node, 40)
