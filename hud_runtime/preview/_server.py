"""The page's server, and the guard that lets in who has its address."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files
from importlib.util import find_spec
from secrets import compare_digest, token_urlsafe
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from hud_runtime._errors import ServeError
from hud_runtime.preview._preview import (
    PAUSE,
    Asked,
    Fault,
    FaultError,
    LeftError,
    Preview,
    PreviewLook,
    look_of,
)
from hud_runtime.serve.http import ServerLimits
from hud_runtime.serve.http._serve import KNOWN
from ujsx.errors import UjsxError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The guard of a preview: it lets in who has the address with its token, from this machine and from its own page.

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


class PageRefusal(NamedTuple):
    """The status and the sentence with which a request is refused."""

    status: int
    sentence: str


NO_TOKEN = PageRefusal(403, "open the whole address that `ujsx preview` printed, with its token")
NO_HOST = PageRefusal(421, "this server answers to its own address alone")
NO_SITE = PageRefusal(403, "another page asks for this; open the address itself")
NO_METHOD = PageRefusal(405, "there is nothing to change here: GET, or HEAD")


class PageGuard:
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
        if isinstance(judged, PageRefusal):
            await _answer(with_headers, judged.status, f"{judged.sentence}\n")
        elif judged:  # from now on the cookie says it, and no history or screen shows the token
            cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
            headers = [(b"location", b"/"), (b"set-cookie", cookie.encode())]
            await _answer(with_headers, 303, "", headers)
        else:
            scope[KNOWN] = True
            await self._app(scope, receive, with_headers)

    def _judged(self, scope: Scope) -> PageRefusal | bool:
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


PAGE = MappingProxyType(
    {
        "/": ("index.html", "text/html"),
        "/preview.css": ("preview.css", "text/css"),
        "/preview.js": ("preview.js", "text/javascript"),
        "/gallery.js": ("gallery.js", "text/javascript"),
        "/favicon.ico": ("icon.svg", "image/svg+xml"),
    }
)
"""The files of the page, by their paths, and what they are."""

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
"""What the page may ask for, and the parameters of each beside the look."""

NEEDED = ("starlette", "uvicorn")
"""The modules of the extra."""

WAIT = 20.0
"""Seconds that a question for what changed is left open at most."""


def application(preview: Preview, look: PreviewLook | None = None) -> Any:
    """Return the ASGI application of a preview, as yet without a guard.

    :raises ServeError: where the extra is not installed.
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
    """Looks at the subject while somebody may want to know, and tells who waits."""

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
        """Keep nobody waiting any longer."""
        self._is_over = True
        async with self._news:
            self._news.notify_all()

    async def told(self, request: Request) -> Response:
        """Answer once the revision is another one than the page knows, or after a while."""
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
        return _json({"left": True})  # no failure: a browser would complain of one
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
    """Serve a preview until somebody ends it.

    :param port: 0 for one that is free.
    :param ready: called with the address once it can be opened.
    :param look: how much the page shows first.
    :raises ServeError: where the extra is not installed.
    :raises OSError: for a port that cannot be had.
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


def check_extra() -> None:
    """Look whether the extra is installed.

    :raises ServeError: where it is not, with how it can be.
    """
    missing = [each for each in NEEDED if find_spec(each) is None]
    if missing:
        raise ServeError(
            f"there is no module {' and no module '.join(missing)}; install the extra with: pip install"
            " 'ujsx[preview]' (ujsx preview --to report.html needs none)"
        )
