"""A transcript imported into a session, and followed while it is being written."""

from __future__ import annotations

import time
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from hud_runtime._errors import TranscriptError
from hud_runtime._limits import Limits
from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._output import answer, flush, remark
from hud_runtime.cli._shown_hud import NAMED
from hud_runtime.cli._stored import writing

if TYPE_CHECKING:
    from hud_runtime.transcripts import Update

PAUSE = 1.0
"""Seconds between two looks at a transcript that is followed."""

SHARE = 10
"""How many times as long as a look takes there is none: a long file is not read all the time."""


def is_transcript(path: Path) -> bool:
    """True if a file is a transcript in a form that is read.

    :raises TranscriptError: for one that is known and not read, with what to do instead.
    """
    from hud_runtime.transcripts._source import EXPORTED, opened
    from hud_runtime.transcripts._transcript import recognised
    from hud_runtime.transcripts.formats._refused import refusal

    try:
        source = opened(path, Limits.of_environment())
    except TranscriptError:
        return False  # what it is instead is said by who reads it
    if source.first.keys() & EXPORTED:
        return False
    try:
        recognised(source)
    except TranscriptError:
        if path.is_dir() or refusal(source) is not None:
            raise
        return False
    return True


def wait_for_beginning(path: Path) -> None:
    """Wait until a file that is being written tells what it is: its first records are there.

    What can be no transcript, however it goes on, is not waited for: who reads it says what it is.
    """
    is_told = False
    while not _tells(path):
        if not is_told:
            is_told = True
            remark(f"{path} does not tell its format yet: waiting for its first records")
        time.sleep(PAUSE)


FEW = 8
"""Whole lines by which a file of any format is known: in fewer it may just have been begun."""

_BEGINNING = 256 * 1024
"""Bytes in which those lines are looked for."""


def _tells(path: Path) -> bool:
    """Whether a file is known, or will not be: many lines, no JSON, an exported session."""
    from hud_runtime.transcripts._source import BINARY, EXPORTED, opened
    from hud_runtime.transcripts._transcript import recognised
    from hud_runtime.transcripts.formats._refused import refusal

    if not path.is_file():
        return True
    with path.open("rb") as file:
        begun = file.read(_BEGINNING)
    if BINARY in begun or len(begun) == _BEGINNING or begun.count(b"\n") >= FEW:
        return True
    if not begun.strip():
        return False
    try:
        source = opened(path, Limits.of_environment())
        is_other_text = source.kind == "text" and b"\n" in begun.lstrip()
        if is_other_text or source.first.keys() & EXPORTED or refusal(source) is not None:
            return True
        recognised(source)
    except TranscriptError:
        return False
    return True


def of_transcript(path: Path, options: Namespace) -> int:
    """Bring a session up to date with a transcript; again and again where it is followed."""
    from hud_runtime.transcripts import LiveTranscript

    with writing(options.store, make=True) as stored:
        live = LiveTranscript(stored.store, path, name=options.name, session=options.of)
        is_first = True
        try:
            while True:
                begun, seen = time.monotonic(), mark(path)
                update = live.update()
                _told(update, options)
                if not options.follow:
                    return 0
                flush()  # whoever follows waits for it
                if is_first and not live.reads_on:
                    remark(
                        f"{path} is read again whenever it changes, as a whole: it is no file of lines, or one in which what"
                        " was told before may change"
                    )
                is_first = False
                wait_for_change(path, seen, max(PAUSE, SHARE * (time.monotonic() - begun)))
        except KeyboardInterrupt:
            return 0
        except TranscriptError as error:
            how = ": --name" if str(error).endswith("another name") else ""
            raise UsageError(f"{error}{how}") from None


def wait_for_change(path: Path, seen: object, pause: float) -> None:
    """Wait until a file, or a folder, is another than it was when it was marked."""
    time.sleep(pause)
    while mark(path) == seen:
        time.sleep(PAUSE)


def mark(path: Path) -> object:
    """Return what changes with every change of a file, or a folder."""
    from hud_runtime.transcripts._live import child_files

    beside = [path, path.with_name(f"{path.name}-wal"), *child_files(path)]
    files = sorted(path.rglob("*")) if path.is_dir() else beside
    return [
        (each, each.stat().st_size, each.stat().st_mtime_ns) for each in files if each.is_file()
    ]


def _told(update: Update, options: Namespace) -> None:
    if update.events or not options.follow or any(one.events for one in update.children):
        all_ = [update, *update.children]
        lines = [
            f'imported {one.events:,} events into "{one.session.id}"'
            for one in all_
            if one.events or not options.follow
        ]
        data = _data(update)
        if update.children:
            data["children"] = [_data(one) for one in update.children]
        answer(data, lines, as_json=options.json)
    said = (update.transcript.not_understood, update.transcript.other_sessions)
    for words in (*(str(one) for one in update.problems[:NAMED]), *filter(None, said)):
        remark(words)


def _data(update: Update) -> dict[str, object]:
    session = update.session
    return {"session": session.id, "events": update.events, "version": session.version}
