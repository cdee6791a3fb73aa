"""The contents of a shell script's quotes, substitutions and here-documents, one look at each character."""

from __future__ import annotations

import re


def heredoc(script: str, place: int, mark: str, *, is_indented: bool) -> tuple[int, str]:
    """Read a here-document from the beginning of a line; return where it ends, and its text."""
    tabs = r"\t*" if is_indented else ""
    end = re.compile(rf"^{tabs}{re.escape(mark)}[ \t\r]*$", re.MULTILINE).search(script, place)
    if end is None:
        return len(script), script[place:]
    return min(end.end() + 1, len(script)), script[place : end.start()]


_QUOTED = re.compile(r'[^"\\$`]+|\\[\s\S]|\$(?=\()|[\s\S]')


def nested(script: str, place: int, opening: str) -> tuple[int, str]:
    """Read what stands in ``"…"``, `````…````` or ``$(…)``; return where it ends, and its text.

    A substitution keeps its sign, so that nobody takes its text for a path.
    """
    if opening == "`":
        end = script.find("`", place)
        end = len(script) if end < 0 else end
        return end + 1, f"`{script[place:end]}`"
    if opening == "$":
        end = _closing(script, place + 1)
        return end, f"${script[place:end]}"
    word = ""
    while place < len(script):
        match = _QUOTED.match(script, place)
        assert match is not None
        text = match[0]
        place = match.end()
        if text == '"':
            return place, word
        if text == "$" and script.startswith("(", place):
            end = _closing(script, place + 1)
            word += f"${script[place:end]}"
            place = end
        elif text == "$":
            named = _NAME.match(script, place)
            if named:
                word += f"\0{named[1] or named[2]}\0"
                place = named.end()
            else:
                word += text
        elif text == "`":
            end = script.find("`", place)
            end = len(script) if end < 0 else end
            word += f"`{script[place:end]}`"
            place = end + 1
        elif text[0] == "\\" and len(text) > 1:
            word += text[1] if text[1] in '\\"$`' else "" if text[1] == "\n" else text
        else:
            word += text
    return place, word


_NAME = re.compile(r"\{(\w+)\}|([A-Za-z_]\w*)")
_PARENTHESES = re.compile(
    r"""[^()'"\\<]+|<<-?[ \t]*(?P<quote>['"]?)(?P<mark>[A-Za-z_]\w*)(?P=quote)|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[\s\S]"""
)


def _closing(script: str, place: int) -> int:
    """Return the place behind the parenthesis that closes the one before ``place``."""
    depth = 1
    while place < len(script):
        match = _PARENTHESES.match(script, place)
        assert match is not None
        place = match.end()
        if match["mark"]:
            line = script.find("\n", place)
            place, _ = heredoc(
                script, len(script) if line < 0 else line + 1, match["mark"], is_indented=True
            )
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return place
    return place
