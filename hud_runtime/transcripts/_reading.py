"""A file's observations read: into the session's own drafts, and into those of its sub-agents."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

from hud_runtime.events import EventDraft
from hud_runtime.observation._observations import AnyObservation, OfChild
from hud_runtime.observation._reader import Reader
from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._source import Source, session_id_in
from hud_runtime.transcripts._transcript import Transcript


class Reading:
    """The part of a file that has been read.

    :param estimates: whether nobody tells the context's size.
    :param options: those of :class:`~hud_runtime.observation.Reader`: a table, markers, a limit, a domain.
    """

    def __init__(self, *, estimates: bool, **options: Any) -> None:
        self.drafts: list[EventDraft] = []
        self.reader = Reader(estimates=estimates, **options)
        self._children: dict[str, Reading] = {}
        self._options = options

    def take(self, seen: AnyObservation) -> None:
        """Read one more observation."""
        if not isinstance(seen, OfChild):
            self.drafts.extend(self.reader.feed(seen))
            return
        child = self._children.get(seen.child)
        if child is None:
            child = self._children[seen.child] = Reading(estimates=False, **self._options)
        child.take(seen.seen)

    def finish(self) -> None:
        """Take the last messages as complete."""
        self.drafts.extend(self.reader.finish())
        for child in self._children.values():
            child.finish()

    def transcript(
        self, path: Path, source: Source, form: Format, reason: str, child: str = ""
    ) -> Transcript:
        """Return what was read, as a value.

        :param child: the id of the sub-agent that this is; empty for the session itself.
        """
        reader = self.reader
        problems = (*source.problems, *reader.problems)
        nothing = Source(path, source.kind)  # its records are the session's
        return Transcript(
            path=path,
            format=form.name,
            drafts=tuple(self.drafts),
            turns=reader.turn,
            problems=tuple(sorted(problems, key=lambda one: one.line or 0)),
            skipped=MappingProxyType(dict(sorted((source.skipped + reader.skipped).items()))),
            records=source.seen,
            unread=MappingProxyType(dict(source.unread.most_common())),
            reason=reason,
            calls=reader.calls,
            session_id=child or session_id_in(source),
            unknown=MappingProxyType(dict(reader.unknown)),
            children=tuple(
                each.transcript(path, nothing, form, reason, name)
                for name, each in self._children.items()
            ),
            others=MappingProxyType(dict(source.others)),
            calibration=reader.calibration,
        )
