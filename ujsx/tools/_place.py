"""Where something stands in a call's arguments: ``$.steps[2].text``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[A-Za-z_]\w{0,40}", re.ASCII)


def place(parts: Iterable[str | int]) -> str:
    """Return the path of a value, names that are no plain words in brackets.

    >>> place(["steps", 2, "a b"])
    '$.steps[2]["a b"]'
    """
    return "$" + "".join(map(_step, parts))


def _step(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if _PLAIN.fullmatch(part) else f"[{json.dumps(part[:40])}]"
