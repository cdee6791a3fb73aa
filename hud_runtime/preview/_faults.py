"""An error as a fault with its place: in a layout, in a module that cannot be read, or in the author's code."""

from __future__ import annotations

from linecache import getline

from hud_runtime.preview._subject import Fault, Frame
from hud_runtime.projects._authors_code import frames_of_author, is_of_author
from ujsx.errors import LayoutError, UjsxError

LONGEST = 2_000
"""Characters of a message that are told."""

FRAMES = 12
"""Calls that are told, the innermost ones."""


def fault_of(error: BaseException, file: str | None = None) -> Fault:
    """Return what an error says, and where it is.

    :param file: the file that was read, for an error in what stands in it.
    """
    message = _cut(_sentence(error))
    if isinstance(error, LayoutError) and error.line is not None:
        return Fault(
            _cut(error.message), "", file, error.line, error.column, excerpt=error.excerpt or ""
        )
    frames, kind = _frames(error), type(error).__name__
    origin = error.origin if isinstance(error, UjsxError) else None
    if origin is not None and is_of_author(origin.co_filename):
        source = getline(origin.co_filename, origin.co_firstlineno).strip()
        return Fault(message, kind, origin.co_filename, origin.co_firstlineno, None, _cut(source))
    if isinstance(error, SyntaxError) and error.filename is not None:
        text, column = (error.text or "").rstrip("\n"), error.offset
        marked = f"{text}\n{' ' * (column - 1)}^" if text and column else text
        return Fault(_cut(error.msg), kind, error.filename, error.lineno, column, marked, frames)
    if frames:
        last = frames[-1]
        return Fault(message, kind, last.file, last.line, None, last.source, frames)
    return Fault(message, "", file)


def files_of(error: BaseException) -> list[str]:
    """Return the author's files that an error went through, or was found in."""
    files = [each.file for each in _frames(error)]
    if isinstance(error, UjsxError) and error.origin is not None:
        files.append(error.origin.co_filename)
    if isinstance(error, SyntaxError) and error.filename is not None:
        files.append(error.filename)
    return files


def _frames(error: BaseException) -> tuple[Frame, ...]:
    chain: list[BaseException] = [error]
    while (
        cause := chain[-1].__cause__ or chain[-1].__context__
    ) is not None and cause not in chain:
        chain.append(cause)
    # An error of ours that stands in place of the author's is raised where the rendering was asked for.
    theirs = [
        each for each in chain if not (isinstance(each, UjsxError) and each.__cause__ is not None)
    ]
    for each in [*theirs, *chain]:
        frames = [
            Frame(frame.filename, frame.lineno or 0, frame.name, _cut(frame.line or ""))
            for frame in frames_of_author(each)
        ]
        if frames:
            return tuple(frames[-FRAMES:])
    return ()


def _sentence(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"it ended the process, with the status {error.code!r}"
    if isinstance(error, RecursionError):
        return "calls nest without an end"
    try:
        return str(error) or type(error).__name__
    except Exception:  # noqa: BLE001 - the text of an author's error is the author's code
        return type(error).__name__


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
