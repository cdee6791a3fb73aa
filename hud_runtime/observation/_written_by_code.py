r"""The files that a program in a here-document, or behind ``-c``, writes, as far as its words tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = r"[A-Za-z_]\w*"
_STRING = r"""r?(?:'(?P<{0}a>[^'\n]{{1,300}})'|"(?P<{0}b>[^"\n]{{1,300}})")"""

_ASSIGNED = re.compile(
    rf"\b(?P<name>{_NAME})[ \t]*=[ \t]*(?:(?:pathlib\.)?Path\([ \t]*)?{_STRING.format('v')}"
    r"(?![ \t]*+(?:\)[ \t]*+)?(?:[/+%,]|\.(?:format|join)))"
)
_WRITTEN = re.compile(
    rf"""\bopen\([ \t]*(?:{_STRING.format("o")}|(?P<on>{_NAME}))[ \t]*,[ \t]*(?:mode[ \t]*=[ \t]*)?['"][rb]*[wax+]
    |Path\([ \t]*(?:{_STRING.format("p")}|(?P<pn>{_NAME}))[ \t]*\)\.write_(?:text|bytes)
    |\b(?P<wn>{_NAME})\.write_(?:text|bytes)\(
    |\b(?:write|append)File(?:Sync)?\([ \t]*(?:{_STRING.format("f")}|(?P<fn>{_NAME}))""",
    re.VERBOSE,
)


def written_by(code: str) -> Iterator[str]:
    r"""Yield the paths of the files that code writes.

    >>> list(written_by("p = 'a.py'\ns = open(p).read()\nopen(p, 'w').write(s)\nPath('b').write_text('')"))
    ['a.py', 'b']
    """
    if "write" not in code and "open" not in code:
        return
    names = {one["name"]: one["va"] or one["vb"] for one in _ASSIGNED.finditer(code)}
    for match in _WRITTEN.finditer(code):
        said = match.groupdict()
        path = next(
            (said[f"{one}{kind}"] for one in "opf" for kind in "ab" if said[f"{one}{kind}"]), None
        )
        name = said["on"] or said["pn"] or said["wn"] or said["fn"]
        path = path or names.get(name or "")
        if path:
            yield path
