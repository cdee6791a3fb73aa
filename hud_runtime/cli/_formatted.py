"""Markdown in canonical form, if that changes nothing that a reader sees."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from hud_runtime.cli._arguments import UsageError
from ujsx.errors import MdastError, shown

if TYPE_CHECKING:
    from ujsx.mdast import Root, Writer
    from ujsx.mdast.extensions import Extension

KNOWN_TO_MISTUNE = frozenset({"math", "definition-lists"})
"""The extensions about which it has an opinion."""

BYTE_ORDER_MARK = "\ufeff"

_LINE_END = re.compile(r"\r\n?|\n")
_STEP = re.compile(r"\.children\[(\d+)\]")


def formatted(text: str, name: str, writer: Writer, *, canonical: bool = False) -> str:
    r"""Return a Markdown text as the writer has it, with its first line's end at all lines.

    What the source's spelling is safe for stays, unless an option of the writer says otherwise.

    :param name: what the text is called in an error.
    :param canonical: write all of it in canonical form.
    :raises UsageError: if a reader would see something else in the result; it says where, and what.

    >>> from ujsx.mdast import Writer
    >>> formatted("* a\r\n* b\r\n", "a.md", Writer())
    '* a\r\n* b\r\n'
    >>> formatted("* a\r\n* b\r\n", "a.md", Writer(), canonical=True)
    '- a\r\n- b\r\n'
    """
    from ujsx.mdast import from_markdown

    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    source = text.removeprefix(mark)
    extensions = writer.rules.extensions
    try:
        spelling: bool | Literal["disputed"] = "disputed" if canonical else True
        tree = from_markdown(source, spelling=spelling, extensions=extensions)
    except MdastError as error:
        raise UsageError(f"{name} is left as it is: {error}") from None
    result, refusal = _written(source, tree, name, writer)
    if refusal and not canonical:  # in canonical form it may mean the same
        plain = from_markdown(source, spelling="disputed", extensions=extensions)
        result, refusal = _written(source, plain, name, writer)
    if refusal:
        raise UsageError(refusal)
    line_end = _LINE_END.search(source)
    if line_end is not None and line_end[0] != "\n":
        result = result.replace("\n", line_end[0])
    return f"{mark}{result}"


def _written(source: str, tree: Root, name: str, writer: Writer) -> tuple[str, str]:
    """Return what a tree is written as, and why that cannot stand in the source's place."""
    try:
        result = writer.write(tree)
    except MdastError as error:
        where = f"{place(tree, error.path)}: " if error.path else ""
        return "", f"{name} is left as it is: {where}{error}"
    if change := first_change(source, tree, result, writer.rules.extensions):
        return "", f"{name} is left as it is: {change}"
    return result, ""


def first_change(
    source: str, tree: Root, result: str, extensions: tuple[Extension, ...] = ()
) -> str | None:
    """Return the first place of ``source`` at which a reader sees something else in ``result``.

    The default engine must see the same tree, and show the same HTML. Where mistune sees the
    structure in ``source`` that the default engine sees, it must see it in ``result``, too; it is not
    asked about extensions that it does not have.
    """
    from ujsx.mdast import disagreements, first_difference, from_markdown, normalize

    read = from_markdown(result, extensions=extensions)
    canonical = [normalize(each, extensions=extensions) for each in (read, tree)]
    if canonical[0] != canonical[1] or _html(read) != _html(tree):
        path, was, would_be = first_difference(tree, read)
        return (
            f"{place(tree, path)} would mean something else\n"
            f"  before: {_named(was)}\n  after:  {_named(would_be)}"
        )
    if not {each.name for each in extensions} <= KNOWN_TO_MISTUNE:
        return None
    if disagreements(tree, from_markdown(source, engine="mistune", extensions=extensions)):
        return None
    second = from_markdown(result, engine="mistune", extensions=extensions)
    for found in disagreements(read, second):
        return (
            f"{place(tree, found.path)}: readers would disagree\n"
            f"  markdown-it would see: {found.markdown_it}\n"
            f"  mistune would see:     {found.mistune}"
        )
    return None


def place(tree: Root, path: str) -> str:
    r"""Return where in a text the node at ``path`` stands, or the block that it is in.

    >>> from ujsx.mdast import from_markdown
    >>> place(from_markdown("a\n\n> b *c*"), "$.children[1].children[0].children[1]")
    'line 3, column 3'
    """
    node: Any = tree
    point = None
    for step in ["", *_STEP.findall(path)]:
        children = getattr(node, "children", ())
        if step and int(step) >= len(children):
            break
        node = children[int(step)] if step else node
        point = node.position.start if node.position is not None else point
    return "line 1" if point is None else f"line {point.line}, column {point.column}"


def _html(tree: Root) -> str:
    from ujsx import registry
    from ujsx.hast import to_html

    return to_html(registry.transform("mdast -> hast", tree))


def _named(value: Any) -> str:
    """Return a node's type and words, or a field's value."""
    if not hasattr(value, "__struct_config__"):
        return "nothing" if value is None else shown(value)
    kind, words = str(value.__struct_config__.tag), _words(value)
    return f"{kind} {shown(words)}" if words else kind


def _words(node: Any) -> str:
    own = getattr(node, "value", None) or getattr(node, "url", None) or ""
    return " ".join([own, *map(_words, getattr(node, "children", ()))]).strip()
