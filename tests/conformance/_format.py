"""``ujsx format``, for texts: what it writes, or why it leaves a text as it is."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from hud_runtime.cli import main


class LeftAsItIsError(Exception):
    """A text that is left as it is, with the reason."""


@cache
def _file() -> Path:
    return Path(mkdtemp()) / "document.md"


def formatted(text: str, *, canonical: bool) -> str:
    """Return a text as the command writes it.

    :raises LeftAsItIsError: if a reader would see something else in the result.
    """
    file, said = _file(), io.StringIO()
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with redirect_stdout(said), redirect_stderr(said):
        status = main(["format", *(["--canonical"] if canonical else []), str(file)])
    if status:
        raise LeftAsItIsError(
            said.getvalue().partition("left as it is: ")[2].strip() or said.getvalue()
        )
    return file.read_bytes().decode("utf-8", "surrogatepass")
