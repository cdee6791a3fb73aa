"""Every error that the runtime raises on purpose.

::

    UjsxError
    ├── EventError              an event type or payload that cannot be accepted (ValueError)
    │   └── UnknownItemError    an operation on an item that the state does not have (LookupError)
    ├── DeliveryError           a delivery that cannot be made, or is unknown (ValueError)
    ├── DomainError             a session of a domain that is not loaded (LookupError)
    ├── ExchangeError           a file that is not an exported session or state (ValueError)
    ├── HistoryError            another program's session record that cannot be read (ValueError)
    ├── InstallError            settings of a host that cannot be changed
    ├── LimitError              an invalid size limit (ValueError)
    ├── ProjectError            project settings, or objects that they name, that cannot be used (ValueError)
    ├── PruningError            an invalid figure of a policy, or kind of output (ValueError)
    ├── ProjectionError         a projection that is missing, or registered twice (LookupError)
    ├── SettingsError           settings beside a store that cannot be used (ValueError)
    ├── StoreError              a store that cannot be used
    │   ├── ConcurrencyError    another writer came first; read again and retry
    │   ├── StoreLockedError    another user holds the lock for longer than the time-out
    │   ├── StoreReadOnlyError  the file or its folder cannot be written
    │   ├── StoreFullError      the disk refused the write; nothing was stored
    │   ├── StoreDamagedError   not a database of ours, or one with damaged pages or rows
    │   ├── StoreVersionError   made by a newer version of this library
    │   ├── StoreUnavailableError  a database server that cannot be reached, or went away
    │   └── SearchError         an invalid search (ValueError)
    ├── TranscriptError         a file that is not a known transcript (ValueError)
    └── ServeError              a server that cannot be started
"""

from __future__ import annotations

from ujsx.errors import UjsxError


class EventError(UjsxError, ValueError):
    """An unknown event type, or a payload that does not fit its type."""


class DeliveryError(UjsxError, ValueError):
    """A delivery that cannot be made as requested, or is no longer stored."""


class DomainError(UjsxError, LookupError):
    """A session whose domain is not loaded, or two domains of one name.

    :param what: the problem; the command prints it, too, with its own advice.
    :param advice: the remedy in Python.
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
    """A project's settings, or an object that they name, that cannot be used."""


class HistoryError(UjsxError, ValueError):
    """Another program's session record that cannot be read, or lacks the requested part."""


class InstallError(UjsxError):
    """Settings of a host that cannot be changed, because they cannot be parsed."""


class LimitError(UjsxError, ValueError):
    """A limit that is not a positive integer."""


class PruningError(UjsxError, ValueError):
    """An invalid mode, level or detector of the pruning."""


class SettingsError(UjsxError, ValueError):
    """Settings beside a store that cannot be read, or have invalid values."""


class ProjectionError(UjsxError, LookupError):
    """A projection that is not registered, or a name in use."""


class StoreError(UjsxError):
    """A store that cannot be opened, read or written."""


class ConcurrencyError(StoreError):
    """An append that expected an outdated version.

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
    """Another process, thread or task holds the lock for longer than the busy time-out.

    Raised at once for a task of the same thread, which cannot be waited for.
    """


class StoreReadOnlyError(StoreError):
    """The store's file or folder does not allow writing."""


class StoreFullError(StoreError):
    """The disk refused a write, or an outbox is full; nothing was stored."""


class StoreDamagedError(StoreError):
    """A file that is not an event store, or one whose contents are damaged."""


class StoreVersionError(StoreError):
    """A store with the layout of a newer version of this library."""


class StoreUnavailableError(StoreError):
    """A database server that cannot be reached, or whose connection broke.

    Nothing was recorded, unless the message says that this is unknown.
    """

    tries_until = 0.0
    """The ``time.monotonic()`` until which the failed transaction may be retried: the server has rolled it
    back. 0 if it may not.
    """


class SearchError(StoreError, ValueError):
    """An invalid query, or an SQLite without full-text search."""


class TranscriptError(UjsxError, ValueError):
    """A file that cannot be read as a transcript."""


class ServeError(UjsxError):
    """A server that cannot be started as requested."""
