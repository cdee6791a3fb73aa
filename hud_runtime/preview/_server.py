"""The page's server, and its access control."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files
from secrets import compare_digest, token_urlsafe
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from hud_runtime.preview._preview import (
    PAUSE,
    Asked,
    Fault,
    FaultError,
    LeftError,
    Preview,
    PreviewLook,
    check_extra,
    look_of,
)
from hud_runtime.serve.http import ServerLimits
from hud_runtime.serve.http._access import KNOWN
from ujsx.errors import UjsxError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The guard of a preview: it allows requests with the address's token, from this machine and from
# its own page.

HOST = "127.0.0.1"
"""The address on which the server listens: always this machine's own."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The sources that the page may load from: this server alone, and nothing inline."""

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
"""The headers of every answer, including refusals."""

OWN = frozenset({"same-origin", "none"})
"""The allowed values of ``Sec-Fetch-Site``: for the page itself, and for the address bar."""

PARAMETER = "token"


class PageRefusal(NamedTuple):
    """The status and the sentence with which a request is refused."""

    status: int
    sentence: str


NO_TOKEN = PageRefusal(403, "open the whole address that `ujsx preview` printed, with its token")
NO_HOST = PageRefusal(421, "this server answers to its own address alone")
NO_SITE = PageRefusal(403, "another page asks for this; open the address itself")
NO_METHOD = PageRefusal(405, "there is nothing to change here: GET, or HEAD")


class PageGuard:
    """An ASGI middleware that refuses unauthorized requests, and adds the common headers.

    :param port: the server's port, which is part of its host name.
    :param token: the address's token; None for a new one.
    """

    def __init__(self, app: ASGIApp, port: int, token: str | None = None) -> None:
        self._app = app
        self.port = port
        self.token = token_urlsafe() if token is None else token

    @property
    def address(self) -> str:
        """The address to open, including the token."""
        return f"http://{HOST}:{self.port}/?{PARAMETER}={self.token}"

    @property
    def cookie(self) -> str:
        """The name of the cookie, which differs between previews on this machine."""
        return f"ujsx-preview-{self.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # our pages open no sockets
            await send({"type": "websocket.close", "code": 1008})
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *given]}
            await send(message)

        judged = self._judged(scope)
        if isinstance(judged, PageRefusal):
            await _answer(with_headers, judged.status, f"{judged.sentence}\n")
        elif judged:  # from now on the cookie authorizes, and no history or screen shows the token
            cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
            headers = [(b"location", b"/"), (b"set-cookie", cookie.encode())]
            await _answer(with_headers, 303, "", headers)
        else:
            scope[KNOWN] = True
            await self._app(scope, receive, with_headers)

    def _judged(self, scope: Scope) -> PageRefusal | bool:
        """The refusal of a request; for an allowed one, whether it has the address's token."""
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            if name == b"host" and "host" in headers:  # a second host name invalidates the first
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
        # A cookie is sent to all ports of a host.
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


PAGE = MappingProxyType(
    {
        "/": ("index.html", "text/html"),
        "/preview.css": ("preview.css", "text/css"),
        "/preview.js": ("preview.js", "text/javascript"),
        "/gallery.js": ("gallery.js", "text/javascript"),
        "/favicon.ico": ("icon.svg", "image/svg+xml"),
    }
)
"""The files of the page, by path, and their types."""

MORE: MappingProxyType[Asked, MappingProxyType[str, Callable[[str], object]]] = MappingProxyType(
    {
        "view": MappingProxyType({}),
        "rungs": MappingProxyType({}),
        "change": MappingProxyType({}),
        "node": MappingProxyType({"index": int}),
        "events": MappingProxyType({"after": int}),
        "deliveries": MappingProxyType({}),
        "schema": MappingProxyType({"dialect": str}),
        "cost": MappingProxyType({"prices": str}),
    }
)
"""The page's questions, and the parameters of each besides the look."""

WAIT = 20.0
"""Maximum seconds for which a question about changes is held open."""


def application(preview: Preview, look: PreviewLook | None = None) -> Any:
    """Return the ASGI application of a preview, still without a guard.

    :raises ServeError: if the extra is not installed.
    """
    check_extra()
    from starlette.applications import Starlette
    from starlette.routing import Route

    changed = _Changed(preview, look or PreviewLook())

    @asynccontextmanager
    async def alive(_: Any) -> AsyncGenerator[None]:
        watching = asyncio.create_task(changed.watch())
        try:
            yield
        finally:
            watching.cancel()

    def asked(request: Request) -> Response:  # in a thread: it waits for the subject's process
        return _answered(preview, request)

    async def changes(request: Request) -> Response:
        return await changed.told(request)

    pages = [Route(path, _static(path)) for path in PAGE]
    if preview.subject.gallery is not None:
        pages[0] = Route("/", _gallery(preview))
    data = [Route("/data/changes", changes), Route("/data/{what}", asked)]
    made = Starlette(routes=[*pages, *data], lifespan=alive)
    made.state.changed = changed
    return made


class _Changed:
    """Watches the subject while somebody is interested, and notifies the waiting requests."""

    def __init__(self, preview: Preview, look: PreviewLook) -> None:
        self._preview = preview
        self._look = msgspec.to_builtins(look)
        self._news = asyncio.Condition()
        self._is_over = False

    async def watch(self) -> None:
        while True:
            if await asyncio.to_thread(self._preview.poll):
                async with self._news:
                    self._news.notify_all()
            await asyncio.sleep(PAUSE)

    async def end(self) -> None:
        """Release all waiting requests."""
        self._is_over = True
        async with self._news:
            self._news.notify_all()

    async def told(self, request: Request) -> Response:
        """Answer once the revision differs from the page's, or after a while."""
        known = request.query_params.get("known")
        async with self._news:
            try:
                async with asyncio.timeout(WAIT):
                    await self._news.wait_for(
                        lambda: self._is_over or str(self._preview.revision) != known
                    )
            except TimeoutError:
                pass
        revision = self._preview.revision
        return _json({"revision": revision, "look": self._look, **_fault(self._preview.fault)})


def _answered(preview: Preview, request: Request) -> Response:
    what = request.path_params["what"]
    if what not in MORE:
        return _json({"fault": {"message": f"there is nothing called {what}"}}, 404)
    given = request.query_params
    try:
        look = look_of(given)
        more = {name: read(given[name]) for name, read in MORE[what].items() if name in given}
    except ValueError as error:
        return _json({"fault": {"message": f"a parameter is not a number: {error}"}}, 400)
    except UjsxError as error:
        return _json({"fault": {"message": str(error)}}, 400)
    try:
        answer = preview.answer(cast("Asked", what), look, **more)
    except FaultError as error:
        return _json(_fault(error.fault), 422)
    except LeftError:
        return _json({"left": True})  # not an error status, which a browser would log
    return _response(b'{"answer":%b}' % answer)


def _fault(fault: Fault | None) -> dict[str, Any]:
    return {"fault": None if fault is None else msgspec.to_builtins(fault)}


def _json(data: Any, status: int = 200) -> Response:
    return _response(json.dumps(data, separators=(",", ":")), status)


def _response(text: str | bytes, status: int = 200) -> Response:
    from starlette.responses import Response

    return Response(text, status, media_type="application/json")


def _static(path: str) -> Callable[[Request], Response]:
    name, kind = PAGE[path]

    def page(request: Request) -> Response:
        from starlette.responses import Response

        return Response(
            files("hud_runtime.preview").joinpath("page", name).read_bytes(), media_type=kind
        )

    return page


def _gallery(preview: Preview) -> Callable[[Request], Response]:
    def page(request: Request) -> Response:  # in a thread: it waits for the subject's process
        from starlette.responses import Response

        from hud_runtime.preview._report import gallery

        try:
            return Response(gallery(preview, is_live=True), media_type="text/html")
        except FaultError as error:
            return Response(f"{error.fault}\n{error.fault.excerpt}", 422, media_type="text/plain")

    return page


def serve(
    preview: Preview, port: int, ready: Callable[[str], object], look: PreviewLook | None = None
) -> None:
    """Serve a preview until it is interrupted.

    :param port: the port; 0 for any free one.
    :param ready: called with the address once it is ready.
    :param look: the page's first look.
    :raises ServeError: if the extra is not installed.
    :raises OSError: for an unavailable port.
    """
    app = application(preview, look)
    from hud_runtime.serve.http._serve import HttpServer, listening_socket

    with listening_socket(socket.AF_INET, (HOST, port)) as listening:
        guard, limits = PageGuard(app, listening.getsockname()[1]), ServerLimits()
        HttpServer(
            guard,
            listening,
            connections=limits.connections,
            head=limits.head,
            stopping=1,
            begun=lambda: ready(guard.address),
            ends=app.state.changed.end,
        ).run()
