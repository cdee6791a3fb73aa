"""The page's server: one page, and the data that it asks for."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import msgspec

from hud_runtime._errors import ServeError
from hud_runtime.preview._guard import HOST, Guard
from hud_runtime.preview._preview import PAUSE, Preview, look_of
from hud_runtime.preview._subject import Asked, Fault, Look
from hud_runtime.preview._worker import FaultError, LeftError
from hud_runtime.serving import ServerLimits
from ujsx.errors import UjsxError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

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


def application(preview: Preview, look: Look | None = None) -> Any:
    """Return the ASGI application of a preview, as yet without a guard.

    :raises ServeError: where the extra is not installed.
    """
    check_extra()
    from starlette.applications import Starlette
    from starlette.routing import Route

    changed = _Changed(preview, look or Look())

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

    def __init__(self, preview: Preview, look: Look) -> None:
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
        return _json({"fault": {"message": f"a parameter is no number: {error}"}}, 400)
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
    preview: Preview, port: int, ready: Callable[[str], object], look: Look | None = None
) -> None:
    """Serve a preview until somebody ends it.

    :param port: 0 for one that is free.
    :param ready: called with the address once it can be opened.
    :param look: how much the page shows first.
    :raises ServeError: where the extra is not installed.
    :raises OSError: for a port that cannot be had.
    """
    app = application(preview, look)
    from hud_runtime.serving._http import HttpServer, listening_socket

    with listening_socket(socket.AF_INET, (HOST, port)) as listening:
        guard, limits = Guard(app, listening.getsockname()[1]), ServerLimits()
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
