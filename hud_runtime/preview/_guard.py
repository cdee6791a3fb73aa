"""The guard of a preview: it lets in who has the address with its token, from this machine and from its own page."""

from __future__ import annotations

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from secrets import compare_digest, token_urlsafe
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from hud_runtime.serving._server_limits import KNOWN

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = "127.0.0.1"
"""The address that the server listens on: this machine's own, whatever it is asked for."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The sources that the page may load from: this server alone, and nothing that stands in the page itself."""

HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "content-security-policy": POLICY,
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
    }
)
"""The headers of every answer, also of a refusal."""

OWN = frozenset({"same-origin", "none"})
"""The values of ``Sec-Fetch-Site`` that a browser may send: for the page itself, and for the address bar."""

PARAMETER = "token"


class Refusal(NamedTuple):
    """The status and the sentence with which a request is refused."""

    status: int
    sentence: str


NO_TOKEN = Refusal(403, "open the whole address that `ujsx preview` printed, with its token")
NO_HOST = Refusal(421, "this server answers to its own address alone")
NO_SITE = Refusal(403, "another page asks for this; open the address itself")
NO_METHOD = Refusal(405, "there is nothing to change here: GET, or HEAD")


class Guard:
    """An ASGI application in front of another: it refuses who may not ask, and says what every answer says.

    :param port: the port of the server, which is part of its name.
    :param token: what the address holds; made up when None.
    """

    def __init__(self, app: ASGIApp, port: int, token: str | None = None) -> None:
        self._app = app
        self.port = port
        self.token = token_urlsafe() if token is None else token

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        return f"http://{HOST}:{self.port}/?{PARAMETER}={self.token}"

    @property
    def cookie(self) -> str:
        """The name of the cookie; another preview on this machine has another one."""
        return f"ujsx-preview-{self.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no page of ours opens a socket
            await send({"type": "websocket.close", "code": 1008})
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *given]}
            await send(message)

        judged = self._judged(scope)
        if isinstance(judged, Refusal):
            await _answer(with_headers, judged.status, f"{judged.sentence}\n")
        elif judged:  # from now on the cookie says it, and no history or screen shows the token
            cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
            headers = [(b"location", b"/"), (b"set-cookie", cookie.encode())]
            await _answer(with_headers, 303, "", headers)
        else:
            scope[KNOWN] = True
            await self._app(scope, receive, with_headers)

    def _judged(self, scope: Scope) -> Refusal | bool:
        """The refusal of a request; for one that is let in, whether it comes with the address itself."""
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            if name == b"host" and "host" in headers:  # two names are none
                return NO_HOST
            headers[name.decode("latin-1")] = value.decode("latin-1")
        host = headers.get("host", "")
        if host not in (f"{HOST}:{self.port}", f"localhost:{self.port}"):
            return NO_HOST
        if scope["method"] not in ("GET", "HEAD"):
            return NO_METHOD
        given = _parameter(scope["query_string"])
        if given is not None and scope["path"] == "/":
            return self._is_token(given) or NO_TOKEN
        if not self._is_token(_cookie(headers.get("cookie", ""), self.cookie)):
            return NO_TOKEN
        # A cookie goes to all ports of a host.
        if headers.get("sec-fetch-site", "none") not in OWN:
            return NO_SITE
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return NO_SITE
        return False

    def _is_token(self, given: str) -> bool:
        return compare_digest(given.encode("utf-8", "replace"), self.token.encode())


def _parameter(query: bytes) -> str | None:
    from urllib.parse import parse_qs

    found = parse_qs(query.decode("latin-1")).get(PARAMETER)
    return None if found is None else found[0]


def _cookie(header: str, name: str) -> str:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return "" if found is None else found.value


async def _answer(
    send: Send, status: int, text: str, headers: list[tuple[bytes, bytes]] | None = None
) -> None:
    plain = [(b"content-type", b"text/plain; charset=utf-8"), *(headers or [])]
    await send({"type": "http.response.start", "status": status, "headers": plain})
    await send({"type": "http.response.body", "body": text.encode()})
