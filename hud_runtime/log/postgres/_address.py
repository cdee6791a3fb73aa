"""A store's address, as a server takes it and as it is told."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from urllib.parse import quote

from hud_runtime._errors import StoreError

SHOWN = ("user", "host", "port", "dbname")
"""What of an address is told. All else stays untold, since it may be a secret: passwords of three kinds."""

SETTINGS: dict[str, str] = {
    "application_name": "ujsx",
    "connect_timeout": "5",
    "client_encoding": "utf8",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
}
"""What holds where an address says nothing else (postgresql.org/docs/current/libpq-connect.html)."""


def parsed(address: str) -> dict[str, str]:
    """Return the settings of an address, and ours.

    Raises :class:`StoreError`, which does not repeat the address: a password may be in it.
    """
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    given: dict[str, object] | None = None
    with suppress(ProgrammingError, UnicodeEncodeError, ValueError):
        given = dict(conninfo_to_dict(address))
    # What is no port may be a password, of an address without a host.
    if given is None or not set(str(given.get("port", ""))) <= set("0123456789,"):
        raise StoreError(
            "this is not an address of a PostgreSQL database; write postgresql://USER@HOST:PORT/DATABASE,"
            " with what is not a letter or digit in it percent-encoded, and the password in PGPASSWORD or"
            " in a password file"
        )
    return {**SETTINGS, **{name: str(value) for name, value in given.items() if value is not None}}


NAMED_BY = ("host", "hostaddr", "port", "dbname", "service", "options")
"""What of an address makes it that of another store: not who asks, nor how."""


def identity(settings: dict[str, str]) -> str:
    """Return a digest of which store an address is about.

    >>> one = {"host": "db.example", "dbname": "hud"}
    >>> identity({**one, "user": "ann"}) == identity(one) != identity({**one, "dbname": "other"})
    True
    """
    parts = (f"{name}={settings.get(name, '')}" for name in NAMED_BY)
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def shown(settings: dict[str, str]) -> str:
    """Return an address as it is told: without a password, or anything that may be one.

    >>> shown({"user": "ann", "password": "secret", "host": "db.example", "dbname": "hud"})
    'postgresql://ann@db.example/hud'
    """
    user, host, port, name = (quote(settings.get(each, ""), safe=",") for each in SHOWN)
    return f"postgresql://{user}{'@' if user else ''}{host}{':' if port else ''}{port}/{name}"
