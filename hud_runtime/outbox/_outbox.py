"""The place of an outbox, its limits, and the account of what it holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hud_runtime._errors import SettingsError
from hud_runtime._location import OUTBOX
from hud_runtime.events import EventDraft
from ujsx.errors import shown


@dataclass(frozen=True, slots=True)
class Outbox:
    """A folder for what waits, and how much that may be. Several processes may share one, and several stores.

    Raises :class:`SettingsError` for a bound that is none.

    >>> Outbox("outbox").path.as_posix()
    'outbox/outbox.db'
    """

    folder: str | Path
    """Where its file is made, with mode 0600; a folder that is not there is made with mode 0700."""

    events: int = 10_000
    """How many events wait at most, of all stores together; those that a store has refused count."""

    bytes: int = 16 * 1024 * 1024
    """How many bytes their drafts have at most."""

    def __post_init__(self) -> None:
        given: dict[str, object] = {"events": self.events, "bytes": self.bytes}
        for name, value in given.items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise SettingsError(f"{name} is a whole number above 0, not {shown(value)}")
        folder: object = self.folder
        if not isinstance(folder, (str, Path)) or not str(folder).strip():
            raise SettingsError(f"folder is the path of a folder, not {shown(folder)}")

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.folder).expanduser() / OUTBOX


@dataclass(frozen=True, slots=True)
class Posted:
    """A receipt: what was to be recorded is on this machine's disk, and not yet in the store.

    It has no version, and no state has it: the store gives the one and may refuse the other. The ids are those that
    its events will have.
    """

    session_id: str
    ids: tuple[str, ...]
    types: tuple[str, ...]
    posted_at: int
    """Milliseconds since the Unix epoch, by the clock of the store."""


@dataclass(frozen=True, slots=True)
class Letter:
    """Something that waits, or that was refused."""

    number: int
    """By which it is named; a later one has a higher number."""
    place: str
    """The store that it is for, without a password."""
    session_id: str
    after: int
    """The session's last version that was known when it was posted: its events have higher ones."""
    posted_at: int
    """Milliseconds since the Unix epoch."""
    refusal: str | None
    """Why the store's state does not take it; None while it waits."""
    ids: tuple[str, ...]
    drafts: tuple[EventDraft, ...]
    taken: str | None = None
    """What whoever delivers it keeps with its events: of the tellings that have led to them."""
    digest: bytes | None = None
    """Of all that was written; by it, and its number, a letter is the same one."""
