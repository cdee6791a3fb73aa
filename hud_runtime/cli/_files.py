"""Files that the user names."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory, mkstemp
from typing import IO, BinaryIO

from hud_runtime._limits import Limits
from hud_runtime.cli._arguments import UsageError
from ujsx.errors import UjsxError, nearest

STANDARD_INPUT = "-"
"""The name that stands for what is piped in."""


def as_told(name: str) -> str:
    """Return a file's name as a message has it."""
    return "standard input" if name == STANDARD_INPUT else name


def existing(name: str) -> Path:
    """Return the path of a file that is there.

    :raises UsageError: for a folder, or nothing; the message has the nearest name beside it.
    """
    path = Path(name)
    try:
        if path.is_dir():
            raise UsageError(f"{name} is a folder; name a file in it")
        if path.exists():
            return path
        if path.is_symlink():
            raise UsageError(f"{name} is a link to {path.readlink()}, which is not there")
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror or error}") from None
    near = file_near(name)
    hint = f'; did you mean "{near}"?' if near else "; check its path"
    raise UsageError(f"there is no file {name}{hint}")


def file_near(name: str) -> Path | None:
    """Return the file beside a name that is spelt most like it, if there is one."""
    path = Path(name)
    try:
        if path.exists() or not path.parent.is_dir():
            return None
        neighbours = [each.name for each in path.parent.iterdir()]
    except (OSError, ValueError):
        return None
    match = nearest(path.name, neighbours)
    return None if match is None else path.with_name(match)


def is_there(name: str, what: Callable[[Path], bool]) -> bool:
    """Tell whether a name is the path of such a thing; what can be no path is none.

    >>> is_there(".", Path.is_dir), is_there("x" * 9_999, Path.is_file)
    (True, False)
    """
    try:
        return what(Path(name))
    except (OSError, ValueError):  # too long, or with a null character in it
        return False


def read_text(name: str) -> str:
    """Return the text of a UTF-8 file, or of standard input for ``-``.

    :raises UsageError: for what cannot be read, is no text, or is too long.
    """
    limits = Limits.of_environment()
    try:
        if name == STANDARD_INPUT:
            name, data = as_told(name), limits.whole(_piped())
        else:
            with existing(name).open("rb") as file:
                data = limits.whole(file)
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror or error}") from None
    if data is None:
        raise UsageError(f"{name} {limits.refusal('read')}")
    if b"\0" in data:
        raise UsageError(f"{name} is a binary file, and no UTF-8 text")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{name} is no UTF-8 text: line {line} has the byte 0x{data[error.start]:02x}; "
            "save it as UTF-8"
        ) from None


@contextmanager
def on_disk(name: str) -> Generator[Path]:
    """Give the path of a file that can be read more than once.

    What is piped in, for ``-`` or through a named pipe, is kept in a file for as long as it is needed.

    :raises UsageError: if there is no such file. What is refused of a piped one names the pipe, not
        the file that stood in for it.
    """
    if name != STANDARD_INPUT and existing(name).is_file():
        yield existing(name)
        return
    with TemporaryDirectory(prefix="ujsx-") as folder:
        path = Path(folder, "piped")
        try:
            with path.open("wb") as file, _opened(name) as pipe:
                shutil.copyfileobj(pipe, file)
            yield path
        except UjsxError as error:
            raise UsageError(str(error).replace(str(path), as_told(name))) from None


def _opened(name: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(_piped()) if name == STANDARD_INPUT else Path(name).open("rb")


def _piped() -> BinaryIO:
    given: object = sys.stdin
    if given is None:  # its descriptor was closed
        raise UsageError("there is no standard input to read")
    return sys.stdin.buffer


@contextmanager
def new_file(name: str, *, replaces: str | None = None) -> Generator[IO[str]]:
    """Open a file that is not there yet, for its owner alone; it gets its name when it is whole.

    :param replaces: how a file begins whose place it may take; none may be taken without it.
    :raises UsageError: if there is something else of that name already, or no place for it.
    """
    path = Path(name)
    taken = UsageError(f"{name} is there already; name a new file, or remove it")
    is_replaced = replaces is not None and _begins_with(path, replaces)
    if not is_replaced and (path.is_symlink() or path.exists()):
        raise taken
    try:
        handle, temporary = mkstemp(dir=path.parent, prefix=".ujsx-")  # with mode 0600
    except OSError as error:
        raise UsageError(f"{name} cannot be written: {error.strerror or error}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if is_replaced and replaces is not None:
            if path.exists() and not _begins_with(path, replaces):  # somebody wrote it meanwhile
                raise taken
            Path(temporary).replace(path)
            return
        try:
            path.hardlink_to(temporary)  # unlike a renaming, it never takes another file's place
        except FileExistsError:
            raise taken from None
        except OSError:  # some file systems have no hard links
            Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _begins_with(path: Path, text: str) -> bool:
    """Tell whether a file, which is no link, begins so."""
    begin = text.encode()
    if path.is_symlink() or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(begin)) == begin
    except OSError:
        return False


def rewrite(name: str, text: str) -> None:
    """Replace the text of a file that is there, and keep its mode; a link stays a link.

    :raises UsageError: if the file must not or cannot be written; it is left as it was.
    """
    path = Path(name).resolve()
    if not os.access(path, os.W_OK):
        raise UsageError(f"{name} is read-only; change its mode to have it written")
    try:
        handle, temporary = mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            shutil.copymode(path, temporary)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"{name} cannot be written: {error.strerror or error}") from None
