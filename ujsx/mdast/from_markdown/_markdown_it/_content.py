"""Paragraphs, setext headings and definitions: one rule in place of three.

markdown-it looks ahead over the same lines for a definition, then for a setext underline, then
for the paragraph's end. CommonMark's own account (appendix "A parsing strategy") is simpler: the
lines of a paragraph are collected once, and definitions are taken off its start. That also keeps
every definition, in its place and as it was written, where markdown-it only notes the first of
each name in a table; and only spaces and tabs are trimmed, where markdown-it trims all of
Unicode's white space.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

from ujsx.mdast.from_markdown._characters import SPACES, decode, identifier
from ujsx.mdast.from_markdown._resource import match_definition

_UNDERLINE = re.compile(r"(=+|-+)[ \t]*$", re.MULTILINE)

_TASK = re.compile(r"\[([ \t\nxX])\](?:[ \t]*\n|[ \t])")
"""A task's box, and the white space that parts it from the item's text."""


def content(state: StateBlock, start_line: int, end_line: int, _silent: bool) -> bool:
    """Collect a paragraph's lines; push its definitions, then what is left of it."""
    owner = state.tokens[-1] if state.tokens else None
    next_line, underline = _end_of_content(state, start_line, end_line)
    text = _lines(state, start_line, next_line)
    if text[0] == "[":
        text, start_line = _take_definitions(state, text, start_line)
        if not text:
            state.line = next_line
            return True
    start = state.bMarks[start_line] + state.tShift[start_line]
    if underline is not None:
        token = state.push("heading", "", 0)
        token.markup = underline
        state.line = next_line + 1
    else:
        token = state.push("paragraph", "", 0)
        state.line = next_line
        if state.env["gfm"] and owner is not None and owner.type == "list_item_open":
            task = _TASK.match(text)
            if task is not None:
                owner.meta["checked"] = task[1] in "xX"
                text = text[task.end() :]
                if task[0].endswith("\n", 3):
                    start = state.bMarks[start_line + 1] + state.tShift[start_line + 1]
                else:
                    start += task.end()
    token.meta["start"] = start
    token.content = text
    token.map = [start_line, state.line]
    return True


def _end_of_content(state: StateBlock, start: int, end: int) -> tuple[int, str | None]:
    """Return the line after the paragraph's last, and the underline's character if it has one."""
    terminators = state.md.block.ruler.getRules("paragraph")
    outer = state.parentType
    state.parentType = "paragraph"
    src, indents, required = state.src, state.sCount, state.blkIndent
    underline = None
    line = start + 1
    last = state.lineMax
    while line < last:
        first = state.bMarks[line] + state.tShift[line]
        if first >= state.eMarks[line]:
            break
        indent = indents[line] - required
        # Deeper than 3 it would be code, but code cannot interrupt; below 0 the line is lazy and
        # the container's rule has looked at it.
        if indent <= 3 and indents[line] >= 0:
            if indent >= 0 and line < end and src[first] in "=-":
                match = _UNDERLINE.match(src, first)
                if match is not None and not _only_definitions(state, start, line):
                    underline = match[1][0]
                    break
            if any(rule(state, line, last, True) for rule in terminators):
                break
        line += 1
    state.parentType = outer
    return line, underline


def _only_definitions(state: StateBlock, start: int, end: int) -> bool:
    if state.src[state.bMarks[start] + state.tShift[start]] != "[":
        return False
    text = _lines(state, start, end)
    at = 0
    while at < len(text) and (definition := match_definition(text, at)):
        at = definition[0]
    return at >= len(text)


def _lines(state: StateBlock, start: int, end: int) -> str:
    """Return the lines without their containers' prefixes, trimmed of spaces and tabs."""
    if end == start + 1:
        return state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]].strip(
            SPACES
        )
    return state.getLines(start, end, state.blkIndent, False).strip(SPACES)


def _take_definitions(state: StateBlock, text: str, line: int) -> tuple[str, int]:
    """Push a token for each definition at the start of ``text``; return the rest and its line."""
    at = 0
    while at < len(text) and (definition := match_definition(text, at)):
        after, label, url, title = definition
        key = identifier(label)
        token = state.push("definition", "", 0)
        token.meta = {
            "start": state.bMarks[line] + state.tShift[line],
            "identifier": key,
            "label": decode(label),
            "url": url,
            "title": title,
        }
        state.env["definitions"].add(key)
        next_line = line + text.count("\n", at, after)
        token.map = [line, next_line if after < len(text) else next_line + 1]
        at, line = after, next_line
    return text[at:].lstrip(SPACES), line
