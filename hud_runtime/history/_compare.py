"""Two sessions side by side: how much of what each has, which files each has changed, and where they part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import zip_longest

from hud_runtime.history._opencode import OpenCodeHistory
from hud_runtime.history._parts import text_of
from hud_runtime.history._records import PastMessage, PastPart, PastSession
from hud_runtime.observation._json import mapping, sequence, string
from hud_runtime.observation._usage import usage_in

CHANGES: dict[str, tuple[str, ...]] = {
    "edit": ("filePath", "path"),
    "multiedit": ("filePath", "path"),
    "write": ("filePath", "path"),
}
"""Tools of OpenCode that change a file, and the arguments that name it."""

MOST_FILES = 10_000
"""Files that are kept in mind of each session."""


@dataclass(slots=True)
class Figures:
    """The totals of a session."""

    session: PastSession
    roles: Counter[str] = field(default_factory=Counter[str])
    """How many messages each has written."""

    tools: Counter[str] = field(default_factory=Counter[str])
    """How often each tool was called."""

    failed: int = 0
    """Calls that failed."""

    errors: int = 0
    """Answers that ended in an error."""

    compactions: int = 0
    output: int = 0
    """Tokens that the model wrote."""

    largest: int = 0
    """Tokens in the context, where it was fullest."""

    models: Counter[str] = field(default_factory=Counter[str])
    files: set[str] = field(default_factory=set[str])
    """Files that were changed."""

    def take(self, message: PastMessage) -> None:
        """Count a message."""
        self.roles[message.role] += 1
        data = message.data
        self.errors += bool(mapping(data.get("error")))
        self.compactions += data.get("summary") is True
        usage = usage_in(mapping(data.get("tokens")))
        if usage is not None:
            self.output += usage.output
            self.largest = max(self.largest, usage.total)
        if model := string(data.get("modelID")):
            self.models[model] += 1
        for part in message.parts:
            self._take_part(part)

    def _take_part(self, part: PastPart) -> None:
        if part.type == "patch":
            self._changed(each for each in sequence(part.data.get("files")))
        if part.type != "tool":
            return
        name, state = string(part.data.get("tool")) or "", mapping(part.data.get("state"))
        self.tools[name] += 1
        self.failed += state.get("status") == "error"
        if name in CHANGES and state.get("status") == "completed":
            given = mapping(state.get("input"))
            self._changed(given.get(each) for each in CHANGES[name])

    def _changed(self, paths: Iterable[object]) -> None:
        for path in paths:
            if isinstance(path, str) and path and len(self.files) < MOST_FILES:
                self.files.add(path)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sessions."""

    left: Figures
    right: Figures
    same: int
    """How many messages they begin with that say the same: those that a fork has taken along."""


def compare(history: OpenCodeHistory, left: str, right: str) -> Comparison:
    """Return what two sessions have, read once, a page of messages in memory at a time.

    :raises HistoryError: where there is no such session.
    """
    one, other = (Figures(history.session(each)) for each in (left, right))
    same, is_same = 0, True
    pairs = zip_longest(
        history.all_messages(one.session.id), history.all_messages(other.session.id)
    )
    for first, second in pairs:
        for figures, message in ((one, first), (other, second)):
            if message is not None:
                figures.take(message)
        is_same = (
            is_same and first is not None and second is not None and _says_the_same(first, second)
        )
        same += is_same
    return Comparison(one, other, same)


def _says_the_same(one: PastMessage, other: PastMessage) -> bool:
    return one.role == other.role and [*map(text_of, one.parts)] == [*map(text_of, other.parts)]
