"""What the command writes, fit for wherever it goes."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress

from ujsx._text import one_line, visible

_ESCAPED: dict[int, str] = {
    code: f"\\u{code:04x}"
    for code in (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
"""Characters that JSON may hold as they are, but that steer a terminal."""


def put(text: str) -> None:
    """Write ``text`` to standard output; what its encoding lacks is written as an escape."""
    try:
        print(text, end="")
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding
        print(text.encode(encoding, "backslashreplace").decode(encoding), end="")


def put_json(data: object) -> None:
    """Write data as indented JSON."""
    put(json.dumps(data, indent=2, ensure_ascii=False).translate(_ESCAPED) + "\n")


def remark(text: str) -> None:
    """Write one line to standard error. Names from outside cannot steer the terminal in it."""
    print(one_line(visible(text)), file=sys.stderr)


def flush() -> None:
    """Hand over what was written, while an error can still be told."""
    print(end="", flush=True)


def abandon() -> None:
    """Let nothing more reach standard output, not even at the interpreter's end."""
    with suppress(OSError, ValueError):  # in a test it may be no file at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
