"""A transcript that may be written while it is read: what is new in it is told, and nothing is read twice.

A file of lines is read on behind its last whole line. It is begun anew where it is another file than before:
shorter, replaced, or with other bytes where it ended. Files that are written as a whole are read as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from hud_components import CODING, Domain
from hud_runtime._limits import Limits
from hud_runtime._watched import Watch, watched
from hud_runtime.observation._problem import Problem
from hud_runtime.observation._tools import ToolTable
from hud_runtime.transcripts._format import Format, RecordReader
from hud_runtime.transcripts._json_text import is_record, parsed
from hud_runtime.transcripts._reading import Reading
from hud_runtime.transcripts._source import Numbered, Source, opened
from hud_runtime.transcripts._transcript import Transcript, check_wanted, recognised

MARK = 256
"""Bytes at the beginning, and behind which the reading ended, by which a file is known again."""


class GrowingTranscript:
    r"""The events of a growing file so far; :meth:`look` reads what was added.

    :param path: the file, or a folder in a form that is read.
    :param session: the id of one, in a file that has several; the newest when None.
    :param watch: is told of the records that are read.
    :param domain: that of the session that it becomes.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
    ...     growing = GrowingTranscript(Path(file.name))
    ...     told = []
    ...     for ask in ("Add a login.", "Now add a logout, too."):
    ...         _ = [file.write('{"role": "user", "content": "' + ask + '"}\n') for _ in range(2)]
    ...         file.flush()
    ...         told.append(len(growing.look().drafts))
    >>> told
    [1, 3]
    """

    def __init__(
        self,
        path: Path,
        *,
        limits: Limits | None = None,
        table: ToolTable | None = None,
        session: str | None = None,
        watch: Watch = watched,
        domain: Domain[Any, Any] = CODING,
    ) -> None:
        self.restarts = 0
        """How often the file turned out to be another one."""
        self.lines_read = 0
        """How many lines were read, all looks together."""
        self._path = path
        self._limits = limits or Limits.of_environment()
        self._table = table
        self._domain = domain
        self._session = session
        self._watch = watch
        self._told: RecordReader | None = None
        self._place = 0
        self._number = 0
        self._marks = (b"", b"")
        self._file: tuple[int, int] | None = None

    @property
    def reads_on(self) -> bool:
        """True if the next look begins where the last one ended."""
        return self._told is not None

    def look(self) -> Transcript:
        """Return what the file tells now.

        The last figure of a message that may go on is left out: it is not sure until the next one begins.

        :raises TranscriptError: for a file that is no transcript.
        """
        if self._told is None or self._is_another():
            self._begin()
        if self._told is not None:
            self._read_on(self._told)
        return self._reading.transcript(self._path, self._source, self._form, self._reason)

    def _begin(self) -> None:
        if self._file is not None:
            self.restarts += 1
        self._source: Source = opened(self._path, self._limits, self._session)
        self._form: Format
        self._form, self._reason = recognised(self._source)
        self._reading = Reading(
            estimates=self._form.estimates, table=self._table, domain=self._domain
        )
        self._told, self._file = None, None
        self._place = self._number = 0
        if self._source.kind == "lines" and self._form.begin is not None:
            self._source.problems.clear()  # of the lines that were looked at
            self._told = self._form.begin(self._source)
            return
        self._source.numbered = iter(self._watch(self._source.numbered, "reading messages"))
        for seen in self._form.observations(self._source):
            self._reading.take(seen)
        check_wanted(self._source)

    def _read_on(self, told: RecordReader) -> None:
        with self._path.open("rb") as file:
            status = os.fstat(file.fileno())
            self._file = (status.st_dev, status.st_ino)
            file.seek(self._place)
            for number, record in self._watch(
                self._source.counted(self._records(file)), "reading lines"
            ):
                for seen in told(number, record):
                    self._reading.take(seen)
            self._marks = self._marks_of(file)

    def _records(self, file: BinaryIO) -> Iterator[Numbered]:
        """Yield the records of the whole lines from here on; the place moves along."""
        problems = self._source.problems
        for number in count(self._number + 1):
            line = self._limits.line(file)
            if not line and line is not None:
                return
            if line is not None and not line.endswith(b"\n") and not is_record(line):
                return  # it is being written
            self._place, self._number = file.tell(), number
            self.lines_read += 1
            if line is None:
                problems.append(Problem(number, f"the line {self._limits.refusal('read')}"))
            elif (record := parsed(number, line, problems)) is not None:
                yield number, record

    def _is_another(self) -> bool:
        """Tell whether the file is not the one, grown, that was read."""
        try:
            with self._path.open("rb") as file:
                status = os.fstat(file.fileno())
                if (status.st_dev, status.st_ino) != self._file or status.st_size < self._place:
                    return True
                return self._marks_of(file) != self._marks
        except OSError:
            return True

    def _marks_of(self, file: BinaryIO) -> tuple[bytes, bytes]:
        """The bytes at the beginning, and those before the place, of what was read."""
        file.seek(0)
        first = file.read(min(MARK, self._place))
        file.seek(max(self._place - MARK, 0))
        return first, file.read(min(MARK, self._place))
