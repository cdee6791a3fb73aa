"""``mdast -> hast`` for the nodes of ``ujsx.mdast.extensions``; loaded where one of them is met.

Formulas have the classes of mdast-util-math, alerts those of GitHub, admonitions those of Python-Markdown. A directive has no HTML of its own: it is
a ``div`` or a ``span`` with its name in ``data-directive``, and its attributes, which could be any, are left out.
"""

from __future__ import annotations

from typing import Any

from ujsx import hast
from ujsx.mdast import extensions as nodes
from ujsx.transforms._content import is_element, laid_out
from ujsx.transforms._hast_parts import Nodes, Part, part

_FORMULA = "language-math"


def inline_math(node: nodes.InlineMath, children: Nodes, transform: Any) -> hast.Element:
    return _code(node.value, "math-inline")


def math(node: nodes.Math, children: Nodes, transform: Any) -> hast.Element:
    return hast.Element("pre", {}, (_code(node.value, "math-display"),))


def _code(value: str, kind: str) -> hast.Element:
    return hast.Element("code", {"className": (_FORMULA, kind)}, (hast.Text(value),))


def alert(node: nodes.Alert, children: Nodes, transform: Any) -> hast.Element:
    title = hast.Element(
        "p", {"className": ("markdown-alert-title",)}, (hast.Text(node.kind.capitalize()),)
    )
    kind = f"markdown-alert-{node.kind.lower()}"
    return hast.Element(
        "div", {"className": ("markdown-alert", kind)}, laid_out((title, *children))
    )


def admonition(node: nodes.Admonition, children: Nodes, transform: Any) -> hast.Element:
    kinds = node.kind.lower().split()
    if not (node.children and isinstance(node.children[0], nodes.AdmonitionTitle)):
        children = (_titled((hast.Text(kinds[0].capitalize()),)), *children) if kinds else children
    return hast.Element("div", {"className": ("admonition", *kinds)}, laid_out(children))


def admonition_title(node: Any, children: Nodes, transform: Any) -> hast.Element | list[Any]:
    return _titled(children) if children else []


def _titled(children: Nodes) -> hast.Element:
    return hast.Element("p", {"className": ("admonition-title",)}, children)


def wiki_link(node: nodes.WikiLink, children: Nodes, transform: Any) -> hast.Element:
    properties: dict[str, Any] = {
        "href": hast.percent_encoded(node.value),
        "className": ("internal",),
    }
    return hast.Element("a", properties, (hast.Text(node.alias or node.value),))


def text_directive(node: nodes.TextDirective, children: Nodes, transform: Any) -> hast.Element:
    return hast.Element("span", {"dataDirective": node.name}, children)


def directive(node: Any, children: Nodes, transform: Any) -> hast.Element:
    is_leaf = isinstance(node, nodes.LeafDirective)
    inside = children if is_leaf else laid_out(children)
    return hast.Element("div", {"dataDirective": node.name}, inside)


def blocks(tag_name: str) -> Part:
    """Return the part that is an element with blocks in it."""

    def build(node: Any, children: Nodes, transform: Any) -> hast.Element:
        return hast.Element(tag_name, {}, laid_out(children))

    return build


def description(node: nodes.DefListDescription, children: Nodes, transform: Any) -> hast.Element:
    """A description; where it is one paragraph that no blank line parts, its line alone."""
    is_line = not node.spread and len(children) == 1 and is_element(children[0], "p")
    return hast.Element("dd", {}, children[0].children if is_line else laid_out(children))


def nothing(node: Any, children: Nodes, transform: Any) -> list[Any]:
    return []


EXTENSIONS_TO_HAST: dict[type, Part] = {
    nodes.InlineMath: inline_math,
    nodes.Math: math,
    nodes.Admonition: admonition,
    nodes.AdmonitionTitle: admonition_title,
    nodes.Alert: alert,
    nodes.WikiLink: wiki_link,
    nodes.TextDirective: text_directive,
    nodes.LeafDirective: directive,
    nodes.ContainerDirective: directive,
    nodes.DefList: blocks("dl"),
    nodes.DefListTerm: part("dt"),
    nodes.DefListDescription: description,
    nodes.Toml: nothing,
}
"""The part of each node."""
