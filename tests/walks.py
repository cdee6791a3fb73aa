# ruff: noqa: T201
"""``python -m tests.walks``: the calls on a text's way through the house, in their order.

A note from a host or a tool call into the log, the answer to the call, and the note from the log to Markdown;
a heading from Markdown to a ``Section``. Each walk is taken once before, so that imports and first uses are
not in it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import TypeAlias

from hud_runtime import HudStore
from ujsx import from_mdast
from ujsx.mdast import from_markdown

ROOT = Path(__file__).parents[1]
ROOMS = tuple(str(ROOT / package) for package in ("ujsx", "hud_components", "hud_runtime"))


Calls: TypeAlias = list[tuple[str, str]]
"""The file and the name of each function of ours that is called, in their order."""

ANSWER = ("hud_runtime/tools/_operations.py", "answered")
"""Where the answer to a tool call begins: by then the event stands in the log."""


def calls(walk: Callable[[], object]) -> Calls:
    """Return the calls of a walk."""
    seen: Calls = []

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ROOMS) and code.co_name[0] != "<":
            seen.append((str(Path(code.co_filename).relative_to(ROOT)), code.co_qualname))

    sys.setprofile(note)
    try:
        walk()
    finally:
        sys.setprofile(None)
    return seen


def walks() -> Iterator[tuple[str, Calls]]:
    """Give the calls of each walk, with its name."""
    with HudStore.open(":memory:") as store:
        session = store.session("walks")
        said = iter(range(1_000))

        def record() -> object:
            return session.record("note.add", content=f"Port {next(said)} is free")

        def call() -> object:
            asked = {"op": "notes.add", "content": f"Port {next(said)} is taken"}
            return session.call("hud", {"call": asked})

        record()
        call()
        session.hud()
        yield "a note, recorded by a host", calls(record)
        asked = calls(call)
        answer = asked.index(ANSWER)
        yield "a note, from the tool call into the log", asked[:answer]
        yield "the answer to the call", asked[answer:]
        yield "a note, from the log to Markdown", calls(session.hud)
    source = "# Notes\n\nPort 8080 is taken.\n"
    from_mdast(from_markdown(source))
    yield "a heading, from Markdown to a Section", calls(lambda: from_mdast(from_markdown(source)))


def files(taken: Calls) -> int:
    """Return through how many files a walk leads."""
    return len({file for file, _ in taken})


if __name__ == "__main__":
    for name, taken in walks():
        print(f"{name}: {len(taken)} calls in {files(taken)} files")
        if "-v" in sys.argv[1:]:
            print(*(f"    {file}  {function}" for file, function in taken), sep="\n")
