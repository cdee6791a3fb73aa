"""A literal in braces: JSON, and nothing that would have to be evaluated."""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from typing import Any

from ujsx.layout._faults import Fault

_RULE = (
    "only literals can stand in braces: strings, numbers, true, false, null, and lists and objects "
    "of them; nothing is evaluated"
)

_ADVICE: tuple[tuple[str, str], ...] = (
    (r"'", 'write it as JSON: {"…"}, or {["…", "…"]}'),
    (r"`", 'there are no templates; write the text itself: {"…"}'),
    (r"\.\.\.", "nothing can be spread; write the values"),
    (r"(?:None|undefined)\b", "write null"),
    (r"True\b", "write true"),
    (r"False\b", "write false"),
    (r"/\*", "a comment stands between tags, not in one"),
    (r"[\])}]", "write what stands before it as JSON, without a comma at its end"),
    (r"[^\W\d]\w*\s*:", "names in an object have double quotes"),
    (
        r"[^\W\d][\w.?]*+\s*+\}",
        "no name is looked up; leave the prop out where the component finds its own data, or write the value",
    ),
)
"""What to write instead, by what stands where JSON was expected."""

_SPACE = re.compile(r"[ \t\n]*+")


def scan_literal(text: str, at: int) -> tuple[Any, int]:
    """Return the value of the literal whose opening brace stands at ``at``, and where it ends.

    A string may have single quotes, as in JavaScript.

    :raises Fault: for anything but a literal, at the place where it stops being one.

    >>> scan_literal('{["a", 1]}', 0), scan_literal("{['a']}", 0)
    ((['a', 1], 10), (['a'], 7))
    """
    start = skip_space(text, at + 1)
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        is_single = text.startswith("'", error.pos)
        meant = _with_single_quotes(text, start) if is_single else None
        if meant is None:
            # Before Python 3.13 the fault of a comma at the end is what stands behind it.
            comma = error.msg.startswith("Illegal trailing comma")
            raise _fault(text, error.pos + comma, at) from None
        value, end = meant
    except ValueError as error:  # what the decoder's hooks refuse
        raise Fault(str(error), start) from None
    except RecursionError:
        raise Fault("a literal that is nested too deep; flatten it", start) from None
    if "\\u" in text[start:end] and not _is_text(value):
        raise Fault("half of a surrogate pair is no character; write the character itself", start)
    end = skip_space(text, end)
    if not text.startswith("}", end):
        raise _fault(text, end, at)
    return value, end + 1


def _with_single_quotes(text: str, start: int) -> tuple[Any, int] | None:
    """The value of a literal of which strings have single quotes, and where its braces close; None of anything else."""
    parts: list[str] = []
    here, depth = start, 1
    while (token := _TOKEN.match(text, here)) is not None:
        depth += (token[0] in "{[") - (token[0] in "]}")
        if not depth:
            with suppress(ValueError, RecursionError):
                return _DECODER.decode("".join(parts)), here
            return None
        single = token["single"]
        parts.append(token[0] if single is None else f'"{_ESCAPED.sub(_escaped, single)}"')
        here = token.end()
    return None


def _escaped(match: re.Match[str]) -> str:
    return {'"': '\\"', "\\'": "'"}.get(match[0], match[0])


_TOKEN = re.compile(r"""'(?P<single>(?:[^'\\\n]|\\.)*+)'|"(?:[^"\\\n]|\\.)*+"|[^'"<>]""")
"""A string, in either quotes, or a character between strings: a tag ends what may be a literal."""

_ESCAPED = re.compile(r'\\.|"')


def skip_space(text: str, at: int) -> int:
    """Return where the white space at ``at`` ends."""
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def _fault(text: str, at: int, opening: int) -> Fault:
    at = skip_space(text, at)
    if at >= len(text):
        return Fault("this brace is not closed; write }", opening, incomplete=True)
    advice = next((advice for found, advice in _ADVICE if re.compile(found).match(text, at)), None)
    return Fault(f"only literals can stand in braces; {advice}" if advice else _RULE, at)


def _is_text(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON; write null, or a number")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"{digits[:20]} is too large for a number")
    return value


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # Python's limit of 4,300 digits
        raise ValueError(f"{len(digits)} digits are too many for a number") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for name, value in pairs:
        if name in known:
            raise ValueError(f'"{name}" is given twice in one object; keep one')
        known[name] = value
    return known


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=_finite, parse_int=_integer
)
