"""The head of a request: which host it asks, who it is from, which session it means."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from ipaddress import ip_address
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, urlsplit

from hud_runtime.serving._clients import NAME

if TYPE_CHECKING:
    from starlette.types import Scope

SESSION = "ujsx-session"
"""The header that names a session; in the address it is the parameter ``session``."""

MCP_SESSION = "mcp-session-id"
"""The header of the protocol's own sessions, in its versions before 2026-07-28."""

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""The names of this machine for itself."""

FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
"""The headers that a proxy writes: with one of them, nobody knows that the request began on this machine."""

_MCP_ID = re.compile(r"[0-9a-f]{32}")


class Refusal(NamedTuple):
    """The status and the sentence with which a request is refused."""

    status: int
    sentence: str


REFUSALS: Mapping[str, Refusal] = MappingProxyType(
    {
        "host": Refusal(
            421, "this server does not answer to that name; --allow-host adds it at its start"
        ),
        "origin": Refusal(403, "a page of another site asks for this"),
        "token": Refusal(
            401, "send a token that is valid: Authorization: Bearer ...; `ujsx token add` makes one"
        ),
        "tokens": Refusal(
            503, "the file of tokens cannot be read, so nobody is let in; the server's log says why"
        ),
        "project": Refusal(403, "this token is for /metrics alone; take one of a project"),
        "metrics": Refusal(
            403, "figures are for this machine, or for a token of `ujsx token add --metrics`"
        ),
        "path": Refusal(404, "there is /mcp, /health/live, /health/ready and /metrics"),
        "method": Refusal(
            405, "send requests with POST; who listens sends subscriptions/listen (2026-07-28)"
        ),
        "session": Refusal(
            400, "a session's name has 1 to 200 characters on one line, and stands in one place"
        ),
        "expired": Refusal(404, "there is no such session of the protocol; initialize a new one"),
        "rate": Refusal(429, "this token sends more requests than {rate} a second; wait"),
        "at_once": Refusal(
            503, "{at_once} requests, or {at_once_of_token} of this token, are under way; try again"
        ),
        "streams": Refusal(
            503, "{streams} clients listen, or {streams_of_token} of this token; look now and then"
        ),
        "size": Refusal(413, "a request has {body} bytes at most"),
        "slow": Refusal(408, "a request is sent within {sending} seconds"),
        "left": Refusal(400, "the connection was closed before the request was complete"),
        "stopping": Refusal(503, "this server is stopping; another one may answer"),
    }
)
"""The refusals of requests, by their names in the metrics."""

RETRY_AFTER: Mapping[str, int] = MappingProxyType({"at_once": 1, "streams": 30, "stopping": 1})
"""Seconds after which it is worth to try again, where nothing else says it."""


class RefusedError(Exception):
    """A request that is not answered.

    :param why: a key of :data:`REFUSALS`.
    :param after: seconds after which to try again.
    """

    def __init__(self, why: str, after: float | None = None) -> None:
        self.why = why
        self.after = RETRY_AFTER.get(why) if after is None else after


class Asked:
    """The head of a request."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            known = self._headers.setdefault(name.decode("latin-1").lower(), [])
            known.append(value.decode("latin-1"))

    def one(self, name: str) -> str | None:
        """Return a header that is there once; None where it is not there, or there are several."""
        found = self._headers.get(name, [])
        return found[0] if len(found) == 1 else None

    def has(self, name: str) -> bool:
        """Tell whether a header is there at all."""
        return name in self._headers

    def check_host(self, hosts: Collection[str]) -> None:
        """Refuse a request for another server, and that of a page from elsewhere.

        A page whose name was pointed at this machine after it was loaded (DNS rebinding) asks with its own name.

        :param hosts: names that this server answers to, each with any port, or with the one that it has.
        """
        if not is_named(self.one("host") or "", hosts):
            raise RefusedError("host")
        if self.has("origin"):
            try:
                parts = urlsplit(self.one("origin") or "")
            except ValueError:
                raise RefusedError("origin") from None
            if parts.scheme not in {"http", "https"} or not is_named(parts.netloc, hosts):
                raise RefusedError("origin")

    @property
    def token(self) -> str:
        """The token that it brings; empty where it brings none, or several."""
        scheme, _, token = (self.one("authorization") or "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else ""

    @property
    def is_of_this_machine(self) -> bool:
        """True if it began here: no proxy says that it comes from elsewhere."""
        peer = (self._scope.get("client") or ("",))[0]
        try:
            is_here = ip_address(peer).is_loopback
        except ValueError:
            is_here = False
        return is_here and not any(map(self.has, FORWARDED))

    @property
    def session(self) -> str | None:
        """The session that it names; None where it names none."""
        given = self._query().get("session", [])
        for value in self._headers.get(SESSION, []):
            try:
                given = [*given, value.encode("latin-1").decode()]
            except UnicodeDecodeError:
                raise RefusedError("session") from None
        if not given:
            return self._of_protocol()
        if len({*given}) > 1 or not NAME.fullmatch(given[0]):
            raise RefusedError("session")
        return given[0]

    def _query(self) -> dict[str, list[str]]:
        given: bytes = self._scope.get("query_string", b"")
        try:
            return parse_qs(
                given.decode(), keep_blank_values=True, errors="strict", max_num_fields=20
            )
        except ValueError:
            raise RefusedError("session") from None

    def _of_protocol(self) -> str | None:
        if not self.has(MCP_SESSION):
            return None
        given = self.one(MCP_SESSION) or ""
        if not _MCP_ID.fullmatch(given):
            raise RefusedError("expired")
        return f"mcp-{given}"


def is_named(host: str, hosts: Collection[str]) -> bool:
    """Tell whether a host, with its port or without, is one of these.

    >>> is_named("localhost:8080", LOOPBACK), is_named("localhost.evil.example", LOOPBACK)
    (True, False)
    """
    name = host.lower()
    if name in hosts:
        return True
    bare, _, port = name.rpartition(":")
    return port.isascii() and port.isdecimal() and bare in hosts
