"""The page's server, and the subject that is looked at while it changes, in a process of its own."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from secrets import compare_digest, token_urlsafe
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import msgspec

from hud_runtime._errors import ServeError
from hud_runtime.preview._subject import Asked, Fault, PreviewLook, Subject
from hud_runtime.serve.http import ServerLimits
from hud_runtime.serve.http._serve import KNOWN
from ujsx.errors import UjsxError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


# The other end of the process that holds a subject: asks it, waits so long, and ends it.

LOADING = 60.0
"""Seconds in which a subject is read, with all that its code imports."""

ANSWERING = 30.0
"""Seconds in which an answer comes."""

URGENT: frozenset[Asked] = frozenset({"view"})
"""What somebody waits for who moves a slider: the process leaves other questions for it."""

OF_A_LOOK: frozenset[Asked] = frozenset({"change", "rungs", "node"})
"""What nobody wants to know any more once a slider was moved on."""

HURRY = json.dumps({"what": "hurry"})
"""What says that something urgent is going to be asked."""

COMMAND = (sys.executable, "-P", "-m", "hud_runtime.preview._process")


class FaultError(Exception):
    """What a process says is wrong with its subject."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class _Received(msgspec.Struct):
    """A line of what a process answers. The answer itself is not read: it goes on to whoever asked."""

    answer: msgspec.Raw = msgspec.Raw(b"null")
    fault: Fault | None = None
    files: tuple[str, ...] = ()

    stepped_aside: bool = False
    """Whether it left the question, as somebody asks for what is urgent."""


class _SteppedAsideError(Exception):
    """A process left a question for one that is urgent."""


class LeftError(Exception):
    """A question was left, as somebody looks at something else by now."""


class Worker:
    """A process that holds a subject.

    :param loading: seconds for the subject to be read.
    :param answering: seconds for an answer.
    """

    def __init__(
        self, subject: Subject, *, loading: float = LOADING, answering: float = ANSWERING
    ) -> None:
        self._answering = answering
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self._turn = threading.Lock()
        self._others = threading.Condition()
        self._urgent = 0
        self._looked_at: PreviewLook | None = None
        self.files: tuple[str, ...] = ()
        """The files that the subject was read from, or would be."""
        self.fault: Fault | None = None
        """Why it could not be read."""
        self._send(msgspec.json.encode(subject).decode())
        try:
            opening = self._received(loading)
            self.files, self.fault = opening.files, opening.fault
        except FaultError as error:
            self.fault = error.fault
        if self.fault is not None:
            self.end()

    @property
    def is_there(self) -> bool:
        """True if it can be asked."""
        return self._process.poll() is None

    def ask(
        self, what: Asked, look: PreviewLook | None = None, more: Mapping[str, object] | None = None
    ) -> bytes:
        """Return what it answers, as JSON.

        :raises FaultError: for what it cannot answer. One that does not answer in time is ended.
        :raises LeftError: for what tells of one look, once somebody looks at another.
        """
        if what not in URGENT:
            return self._at_leisure(what, look, more)
        with self._others:
            self._urgent += 1
            self._looked_at = look
            if self._turn.locked():
                self._send(HURRY)
        try:
            with self._turn:
                return self._asked(what, look, more)
        finally:
            with self._others:
                self._urgent -= 1
                self._others.notify_all()

    def _at_leisure(
        self, what: Asked, look: PreviewLook | None, more: Mapping[str, object] | None
    ) -> bytes:
        """Ask when nobody waits for what is urgent, and again where that came in between.

        A question of a look that is in sight no more would only be in the way of those of the next one.
        """
        begun = self._looked_at
        while True:
            with self._others:
                self._others.wait_for(lambda: not self._urgent)
                looked_at = self._looked_at
            if what in OF_A_LOOK and looked_at not in (begun, look):
                raise LeftError
            with self._turn, suppress(_SteppedAsideError):
                return self._asked(what, look, more)

    def is_busy(self) -> bool:
        """Tell whether it is being asked."""
        return self._turn.locked()

    def _asked(
        self, what: Asked, look: PreviewLook | None, more: Mapping[str, object] | None
    ) -> bytes:
        data = {
            "what": what,
            "look": msgspec.to_builtins(look or PreviewLook()),
            "more": dict(more or {}),
        }
        self._send(json.dumps(data))
        received = self._received(self._answering)
        if received.fault is not None:
            raise FaultError(received.fault)
        if received.stepped_aside:
            raise _SteppedAsideError
        return bytes(received.answer)

    def retire(self) -> None:
        """End the process once it has answered what it was asked."""
        with self._turn:
            self.end()

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError):  # what was not sent is of no use any more
            self._process.stdin.close()

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:  # a line is written at once, whoever else writes one
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()
        except (OSError, ValueError):  # it is gone; that is told where its answer is missing
            return

    def _received(self, seconds: float) -> _Received:
        try:
            line = self._lines.get(timeout=seconds)
        except Empty:
            self.end()
            raise FaultError(
                Fault(
                    f"it took longer than {seconds:g} seconds, so it was stopped; is there a loop"
                    " without an end?"
                )
            ) from None
        if not line:
            status = self._process.wait()
            raise FaultError(Fault(f"its process ended by itself, with the status {status}"))
        return msgspec.json.decode(line, type=_Received)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as answers:
            for line in answers:
                self._lines.put(line)
        self._lines.put(b"")


PAUSE = 0.3
"""Seconds between two looks at what may have changed."""

_Stamp = tuple[tuple[int, int] | None, ...]


class Preview:
    """A subject, read by a process of its own; read anew when a file that it was read from changes.

    Threads may share it. Close it, or use it as a context.

    :param loading: seconds for the subject to be read.
    :param answering: seconds for an answer.
    """

    def __init__(
        self, subject: Subject, *, loading: float = LOADING, answering: float = ANSWERING
    ) -> None:
        self.subject = subject
        self._patience = {"loading": loading, "answering": answering}
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._files: tuple[str, ...] = ()
        self._stamp: _Stamp = ()
        self._version: object = None
        self._is_closed = False
        self.revision = 0
        """Another number whenever something else may be shown."""
        self.fault: Fault | None = None
        """What is wrong with the subject as it is now; None where it is what is shown."""
        self._load()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def has_shown(self) -> bool:
        """True if there is a good rendering, of now or of before."""
        return self._worker is not None

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._is_closed = True
            if self._worker is not None:
                self._worker.end()

    def poll(self) -> bool:
        """Look whether something changed, read it anew where it did, and tell whether it did."""
        before = self.revision
        if _stamp(self._files) != self._stamp:
            self._load()
        worker = self._worker
        if worker is not None and worker.is_there and self.subject.is_live and not worker.is_busy():
            with suppress(FaultError):  # whoever asks for more is told
                version = worker.ask("stamp")
                if version != self._version:
                    self._version = version
                    self.revision += 1
        return self.revision != before

    def ask(self, what: Asked, look: PreviewLook | None = None, **more: object) -> Any:
        """Return what the subject's process answers, as data.

        :raises FaultError: as :meth:`answer` does.
        """
        return json.loads(self.answer(what, look, **more))

    def answer(self, what: Asked, look: PreviewLook | None = None, **more: object) -> bytes:
        """Return what the subject's process answers, as JSON.

        :raises FaultError: for what cannot be shown. A process that was stopped is started again by the
            next question.
        :raises LeftError: for what is left as somebody looks at something else by now.
        """
        while True:
            worker = self._standing()
            try:
                return worker.ask(what, look, more)
            except FaultError:
                if worker is self._worker or self._is_closed:
                    raise  # one that was replaced meanwhile could not answer any more

    def _standing(self) -> Worker:
        worker = self._worker
        if worker is None:
            raise FaultError(self.fault or Fault("nothing is shown yet"))
        if not worker.is_there:
            self._load(instead_of=worker)
            worker = self._worker
            assert worker is not None
            if not worker.is_there:
                raise FaultError(self.fault or Fault("its process ended"))
        return worker

    def _load(self, instead_of: Worker | None = None) -> None:
        """Read the subject; a process that could not is left behind, and the one before goes on.

        :param instead_of: the process whose place is to be taken, if nobody else has done that.
        """
        with self._lock:
            if self._is_closed or (instead_of is not None and self._worker is not instead_of):
                return
            stamp = _stamp(self._files)
            made = Worker(self.subject, **self._patience)
            self.fault = made.fault
            if made.fault is None:
                former, self._worker = self._worker, made
                if former is not None:
                    former.retire()
                self._files = made.files
            else:  # what was read before may be what mends it
                self._files = tuple(dict.fromkeys([*self._files, *made.files, *self.subject.files]))
            # Of a file that was changed meanwhile the stamp differs again, and it is read once more.
            known = (
                dict(zip(self._files, stamp, strict=False))
                if len(stamp) == len(self._files)
                else {}
            )
            now = _stamp(self._files)
            self._stamp = tuple(
                known.get(name, at) for name, at in zip(self._files, now, strict=True)
            )
            self._version = None
            self.revision += 1


def look_of(given: Mapping[str, str]) -> PreviewLook:
    """Return the look that the parameters of an address, or of a command, stand for.

    :raises ValueError: for a turn or a budget that is no number.
    :raises RenderError: for a budget below 0.

    >>> look_of({"turn": "3", "budget": "off"})
    PreviewLook(turn=3, density=None, budget='off')
    """
    from ujsx.rendering import token_budget

    turn, budget = given.get("turn"), given.get("budget")
    return PreviewLook(
        None if not turn else int(turn),
        given.get("density") or None,
        None if not budget else "off" if budget == "off" else token_budget(int(budget)),
    )


def _stamp(files: tuple[str, ...]) -> _Stamp:
    return tuple(map(_of_file, files))


def _of_file(name: str) -> tuple[int, int] | None:
    try:
        status = Path(name).stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


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
