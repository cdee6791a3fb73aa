"""Formulas: ``$…$`` in a line, and blocks between lines of ``$$``.

As in micromark-extension-math, runs of dollars work as runs of backticks do: what is between two of the
same length is the formula, and nothing in it is escaped. A single dollar opens only before what is no
white space, and closes only behind it, so that prices stay text.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from ujsx.mdast._nodes import BlockReader, Extension, LineStart, Node
from ujsx.mdast.to_markdown._phrasing import Unwritable
from ujsx.mdast.to_markdown._unsafe import Unsafe

_RUN = re.compile(r"\$+")
_OPENING = re.compile(r"(\${2,})[ \t]*([^$\n]*?)[ \t]*\Z")
_FENCES = re.compile(r"^[ \t]*(\$+)", re.MULTILINE)
_SPACES = " \t\n"


class InlineMath(Node, frozen=True):
    """A formula in a line, in TeX."""

    value: str
    are_one: ClassVar[bool] = True


class Math(Node, frozen=True):
    """A formula as a block; ``meta`` is what stands behind the opening dollars."""

    value: str
    meta: str | None = None


def read_inline(state: Any, silent: bool) -> bool:
    """Take a run of dollars: a formula up to a run of the same length, or text."""
    src = state.src
    opening = _RUN.match(src, state.pos)
    assert opening is not None
    size = opening.end() - opening.start()
    known, last = state.env.get("dollars", (None, {}))
    if known is not src:  # where a run of each length stands last: what is behind it has no end
        last = {len(run[0]): run.start() for run in _RUN.finditer(src)}
        state.env["dollars"] = src, last
    if last.get(size, -1) > opening.start() and not (size == 1 and src[opening.end()] in _SPACES):
        closing = next(
            run for run in _RUN.finditer(src, opening.end()) if run.end() - run.start() == size
        )
        value = src[opening.end() : closing.start()]
        if size > 1 or value[-1] not in _SPACES:
            state.push("math_inline", "", 0).content = _unpadded(value) if size > 1 else value
            state.pos = closing.end()
            return True
    state.append_pending(opening[0])
    state.pos = opening.end()
    return True


def _unpadded(value: str) -> str:
    if value[0] in " \n" and value[-1] in " \n" and value.strip(" \n"):
        return value[1:-1]
    return value


def read_block(state: Any, start_line: int, end_line: int, silent: bool) -> bool:
    """Take the lines between ``$$`` and ``$$``, or to the end of what holds them."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    if state.src[start] != "$" or state.is_code_block(start_line):
        return False
    opening = _OPENING.match(state.src[start : state.eMarks[start_line]])
    if opening is None:
        return False
    if silent:
        return True
    fence = len(opening[1])
    closing = re.compile(rf"\${{{fence},}}[ \t]*\Z")
    line, is_closed = start_line + 1, False
    while line < end_line:
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            break
        at = state.bMarks[line] + state.tShift[line]
        if state.sCount[line] - state.blkIndent < 4 and closing.match(
            state.src[at : state.eMarks[line]]
        ):
            is_closed = True
            break
        line += 1
    token = state.push("math_block", "", 0)
    token.info = opening[2]
    token.content = state.getLines(start_line + 1, line, state.sCount[start_line], True)
    state.line = line + is_closed
    token.map = [start_line, state.line]
    return True


def write_inline(node: InlineMath, writing: Any) -> str:
    """A formula between runs of dollars that are longer or shorter than any within."""
    value = node.value
    if not value:
        raise Unwritable(node, "it is empty")
    if not _is_inline(value, writing):
        raise Unwritable(node, "a line end in it, or a pipe in a cell, would be read as another")
    size = _size(value)
    if size == 1:
        return f"${value}$"
    run = "$" * size
    is_padded = value[0] in " \n" and value[-1] in " \n" and value.strip(" \n")
    pad = " " if value[0] == "$" or value[-1] == "$" or is_padded else ""
    return f"{run}{pad}{value}{pad}{run}"


def _is_inline(value: str, writing: Any) -> bool:
    if writing.in_cell and "\\|" in value:
        return False
    if "\n" not in value and "\r" not in value:
        return True
    # Two dollars in front of a line end would open a block.
    return not (
        writing.one_line
        or "\r" in value
        or _size(value) > 1
        or any(line != line.strip(" \t") or not line for line in value.split("\n"))
        or writing.line_starts.in_lines(f"${value}$")
    )


def _size(value: str) -> int:
    runs = set(map(len, _RUN.findall(value)))
    if value[0] in " \t\n$" or value[-1] in " \t\n$":
        runs.add(1)
    size = 1
    while size in runs:
        size += 1
    return size


def write_block(node: Math, writing: Any) -> str:
    """Lines between fences longer than any within."""
    value, meta = node.value, node.meta or ""
    if "\r" in value:
        raise Unwritable(node, "a carriage return in it would be read as a line end")
    if meta and (meta != meta.strip(" \t") or "$" in meta or "\n" in meta or "\r" in meta):
        raise Unwritable(node, "its meta has a dollar, a line end, or white space at an edge")
    fence = "$" * max(2, 1 + max(map(len, _FENCES.findall(value)), default=0))
    return f"{fence}{meta}\n{value}\n{fence}" if value else f"{fence}{meta}\n{fence}"


def canonical_inline(node: InlineMath) -> InlineMath | None:
    """Return a formula in one line."""
    value = " ".join(node.value.replace("\0", "\ufffd").splitlines()) if node.value else ""
    return InlineMath(value, position=node.position, data=node.data) if value else None


def canonical_block(node: Math) -> Math:
    """Return a formula whose meta can be written."""
    value = node.value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    meta = re.sub(r"[$\n\r\0]+", " ", node.meta or "").strip(" \t") or None
    return Math(value, meta, position=node.position, data=node.data)


EXTENSION = Extension(
    name="math",
    inline={"$": read_inline},
    blocks=(BlockReader("math", read_block),),
    build={
        "math_inline": lambda token, _: InlineMath(token.content),
        "math_block": lambda token, _: Math(token.content.removesuffix("\n"), token.info or None),
    },
    phrasing={InlineMath: write_inline},
    flow={Math: write_block},
    canonical={InlineMath: canonical_inline, Math: canonical_block},
    unsafe=(
        Unsafe("$", "delimits a formula, but not between two spaces", before=r"(?<!\S )"),
        Unsafe("$", "delimits a formula, but not between two spaces", after=r"(?! \S)"),
    ),
    line_starts=(LineStart("$", "a formula", r"\${2,}(?=[^$\n]*$)"),),
)
"""``$…$`` in a line, ``$$`` around lines."""
