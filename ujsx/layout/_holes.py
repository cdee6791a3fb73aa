"""A hole: braces that hold a name, for which the reader of the template passes a value."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ujsx.layout._faults import Fault

_HOLE = re.compile(r"\{\s*+((?!(?:true|false|null|True|False|None)\b)[^\W\d]\w*+)\s*+\}")
_EXPRESSION = re.compile(r"\{\s*+((?!(?:true|false|null|True|False|None)\b)[^\W\d][^{}\n]{0,80}+)")
_LAST_NAME = re.compile(r"[^\W\d]\w*+(?=\W*+$)")


@dataclass(frozen=True, slots=True)
class Hole:
    """A name in braces, with the offsets of the braces."""

    name: str
    at: int
    end: int


def scan_hole(text: str, at: int) -> Hole | None:
    """Return the hole whose opening brace stands at ``at``; ``None`` for other braces.

    >>> scan_hole("a {task}", 2), scan_hole("{true}", 0), scan_hole("{state.task}", 0)
    (Hole(name='task', at=2, end=8), None, None)
    """
    found = _HOLE.match(text, at)
    return None if found is None else Hole(found[1], at, found.end())


def refuse_expression(text: str, at: int) -> None:
    """Refuse braces that hold more of Python than a name, with the line to write.

    >>> refuse_expression("{state.task}", 0)
    Traceback (most recent call last):
    ujsx.layout._faults.Fault: a value is passed by name: write {task}, and pass task=state.task
    """
    found = _EXPRESSION.match(text, at)
    if found is not None:
        raise Fault(how_to_pass(found[1]), at)


def how_to_pass(expression: str) -> str:
    """Return how a value that an expression of Python gives gets into a template."""
    expression = " ".join(expression.split())
    if "<" in expression:
        return "no markup stands in braces; make the node in Python, and pass it by name: write {row}, and pass row=…"
    last = _LAST_NAME.search(expression)
    name = "value" if last is None else last[0]
    return f"a value is passed by name: write {{{name}}}, and pass {name}={expression}"
