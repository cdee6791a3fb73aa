"""Every error that the runtime raises on purpose.

::

    UjsxError
    ├── EventError              an event type or payload that cannot be accepted (ValueError)
    │   └── UnknownItemError    an operation on an item that the state does not have (LookupError)
    ├── DeliveryError           a delivery that cannot be made, or is not there (ValueError)
    ├── DomainError             a session of a domain that is not loaded (LookupError)
    ├── ExchangeError           a file that is no exported session or state (ValueError)
    ├── HistoryError            what another program keeps of its sessions, and cannot be read (ValueError)
    ├── InstallError            settings of a host that cannot be changed
    ├── LimitError              a limit on sizes that is none (ValueError)
    ├── ProjectError            a project's settings, or what they name, that cannot be used (ValueError)
    ├── PruningError            a policy's figure, or a kind of output, that cannot be (ValueError)
    ├── ProjectionError         a projection that is not there, or twice (LookupError)
    ├── SettingsError           settings beside a store that cannot be used (ValueError)
    ├── StoreError              a store that cannot be used
    │   ├── ConcurrencyError    somebody else wrote first; read again and retry
    │   ├── StoreLockedError    somebody else holds the store for longer than the time-out
    │   ├── StoreReadOnlyError  the file or its folder cannot be written
    │   ├── StoreFullError      the disk did not take the write; nothing of it was kept
    │   ├── StoreDamagedError   not a database of ours, or one with damaged pages or rows
    │   ├── StoreVersionError   made by a newer version of this library
    │   ├── StoreUnavailableError  a database server that cannot be reached, or went away
    │   └── SearchError         a search that cannot be made (ValueError)
    ├── TranscriptError         a file that is no transcript we know (ValueError)
    └── ServeError              a server that cannot be started
"""

from __future__ import annotations

from ujsx.errors import UjsxError


class EventError(UjsxError, ValueError):
    """An event type that does not exist, or a payload that does not fit its type."""


class DeliveryError(UjsxError, ValueError):
    """A delivery that cannot be made as it was asked for, or that is not kept any more."""


class DomainError(UjsxError, LookupError):
    """A session whose domain is not loaded, or two domains of one name.

    :param what: what is wrong; the command says it, too, with an advice of its own.
    :param advice: what to do in Python.
    """

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(f"{what}; {advice}" if advice else what)
        self.what = what
        self.is_missing = bool(advice)


class UnknownItemError(EventError, LookupError):
    """An operation on an item that is not in the session's state."""


class ExchangeError(UjsxError, ValueError):
    """A file that cannot be read as an exported session or as a state file."""


class ProjectError(UjsxError, ValueError):
    """A project's settings, or what they name, that cannot be used."""


class HistoryError(UjsxError, ValueError):
    """Another program's record of its sessions that cannot be read, or does not have what is asked for."""


class InstallError(UjsxError):
    """Settings of a host that cannot be changed, because they cannot be parsed."""


class LimitError(UjsxError, ValueError):
    """A limit that is not a positive integer."""


class PruningError(UjsxError, ValueError):
    """An invalid mode, level or detector of the pruning."""


class SettingsError(UjsxError, ValueError):
    """Settings beside a store that cannot be read, or have values that are not allowed."""


class ProjectionError(UjsxError, LookupError):
    """A projection that is not registered, or a name that is taken."""


class StoreError(UjsxError):
    """A store that cannot be opened, read or written."""


class ConcurrencyError(StoreError):
    """An append that expected a version that is no longer the latest.

    ``expected`` is the version that the writer knew, ``actual`` the one in the store.
    """

    def __init__(self, session_id: str, *, expected: int, actual: int) -> None:
        super().__init__(
            f'session "{session_id}" is at version {actual}, not {expected}: '
            "another writer was first; read it again and retry"
        )
        self.expected = expected
        self.actual = actual


class StoreLockedError(StoreError):
    """Somebody else writes for longer than the busy time-out: a process, a thread, or a task.

    A task of the same thread cannot be waited for, so then it is raised at once.
    """


class StoreReadOnlyError(StoreError):
    """The store's file or folder does not allow writing."""


class StoreFullError(StoreError):
    """The disk refused a write, or an outbox has no room; nothing of it was kept."""


class StoreDamagedError(StoreError):
    """A file that is not an event store, or one whose contents are damaged."""


class StoreVersionError(StoreError):
    """A store whose tables were laid out by a newer version of this library."""


class StoreUnavailableError(StoreError):
    """A database server that cannot be reached, or that went away in the middle.

    Nothing was recorded, unless the message says that this is not known.
    """

    tries_until = 0.0
    """The ``time.monotonic()`` until which all that the failed transaction did may be done again: the server has
    taken it back whole. 0 where it may not."""


class SearchError(StoreError, ValueError):
    """A query that cannot be searched for, or an SQLite without full-text search."""


class TranscriptError(UjsxError, ValueError):
    """A file that cannot be read as a transcript."""


class ServeError(UjsxError):
    """A server that cannot be started as it was asked for."""
