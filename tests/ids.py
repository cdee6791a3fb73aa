"""Names of parametrized cases that are the same in every process, so that workers can share the tests."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def stable(value: object, width: int = 80) -> str:
    """Return what ``repr`` says, without the address in memory."""
    return _ADDRESS.sub("", repr(value))[:width]
