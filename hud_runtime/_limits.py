"""The limits on input text, as one table: the purpose and the unit of each.

Limits apply to input. Stored text is read, folded and shown whatever its size.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import BinaryIO, Literal, Self, TypeAlias

from hud_runtime._errors import LimitError

LimitName: TypeAlias = Literal["text", "read"]

UNITS: Mapping[LimitName, str] = {"text": "characters", "read": "bytes"}
"""The unit of each limit."""

VARIABLES: Mapping[LimitName, str] = {"text": "UJSX_MAX_TEXT", "read": "UJSX_MAX_READ"}
"""Environment variables that set the limits, for the command and as defaults."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits on input text, far above what people write.

    >>> Limits(text=5_000_000)
    Limits(text=5000000, read=67108864)
    """

    text: int = 1_000_000
    """Characters of one text of an event: from ``session.record``, a tool, ``ujsx record``, a transcript or an import.
    More than most models' contexts hold."""

    read: int = 64 * 1024 * 1024
    """Bytes that are read at once: a whole file, such as Markdown, a layout or standard input; or one line of a file of
    lines, and of MCP over standard input."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not isinstance(value, int) or value < 1:
                raise LimitError(f"the limit {each.name} must be a positive integer, not {value!r}")

    @classmethod
    def of_environment(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Return the limits from the environment, with defaults.

        :raises LimitError: for a variable that is not a positive integer.

        >>> Limits.of_environment({"UJSX_MAX_TEXT": "5000"}).text
        5000
        """
        environ = os.environ if environ is None else environ
        given: dict[str, int] = {}
        for name, variable in VARIABLES.items():
            if text := environ.get(variable):
                if not (text.isascii() and text.isdecimal() and int(text)):
                    raise LimitError(f"{variable} must be a positive integer, not {text!r}")
                given[name] = int(text)
        return cls(**given)

    def refusal(self, name: LimitName, size: int | None = None) -> str:
        """Return the error text for input that is too long.

        :param size: its length; ``None`` if it was not read to the end.

        >>> Limits().refusal("text", 2_000_000)
        'has 2,000,000 characters, and 1,000,000 is the limit; UJSX_MAX_TEXT or Limits(text=…) raises it'
        """
        limit = getattr(self, name)
        much = f"more than {limit:,}" if size is None else f"{size:,}"
        rest = "which is the limit" if size is None else f"and {limit:,} is the limit"
        return f"has {much} {UNITS[name]}, {rest}; {VARIABLES[name]} or Limits({name}=…) raises it"

    def whole(self, file: BinaryIO, before: int = 0) -> bytes | None:
        """Return the rest of a file, or ``None`` if that is too much.

        :param before: bytes of it that were already read.
        """
        data = file.read(max(self.read - before, 0) + 1)
        return data if len(data) + before <= self.read else None

    def line(self, file: BinaryIO) -> bytes | None:
        r"""Return the next line of a file, ``b""`` at its end, or ``None`` for one that is too long.

        A line that is too long is skipped; later lines can be read.

        >>> from io import BytesIO
        >>> file, limits = BytesIO(b"a\nlonger\nb"), Limits(read=2)
        >>> [limits.line(file) for _ in range(4)]
        [b'a\n', None, b'b', b'']
        """
        line = part = file.readline(self.read + 1)
        while len(part) > self.read and not part.endswith(b"\n"):
            part = file.readline(self.read + 1)
        return line if len(line) <= self.read else None
