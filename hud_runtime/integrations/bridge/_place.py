"""The place of a bridge, the programs that start and call it, its protocol, and its transports."""

from __future__ import annotations

import logging
import os
import re
import shutil
import stat
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeAlias, cast

import ujsx
from hud_runtime._errors import ServeError, StoreError
from hud_runtime._location import default_path, is_address, make_folder
from hud_runtime._request_id import RequestId, answering, telling_of
from hud_runtime.integrations.bridge import _client as client
from ujsx import __version__

# The command with which a host starts us: of this environment, or of the tool that fetched it.

_OF_UV = re.compile(r"[/\\](?:archive|environments|builds)-v\d+[/\\]")
"""A folder of environments in uv's cache."""


def launcher(prefix: str | None = None) -> list[str]:
    """Return the program and the arguments that start the command ``ujsx``.

    If this environment was made for one run, in a cache that may be cleared, the command is that of the tool
    that made it, which fetches ujsx from the same source.

    :param prefix: the environment's folder; None for this one.

    >>> launcher("/home/kim/shop/.venv")[1:]
    ['-P', '-m', 'hud_runtime']
    """
    place = f"{sys.prefix if prefix is None else prefix}/"
    if _lies_in_uv(place) and (program := shutil.which("uvx")) is not None:
        return [program, "--from", wanted(), "ujsx"]
    if _lies_in_pipx(place) and (program := shutil.which("pipx")):
        return [program, "run", "--spec", wanted(), "ujsx"]
    return [sys.executable, "-P", "-m", "hud_runtime"]


def _lies_in_uv(place: str) -> bool:
    """Whether an environment is in uv's cache, which is a folder of that name, or has the tag of caches."""
    found = _OF_UV.search(place)
    if found is None:
        return False
    root = place[: found.start()]
    return "uv" in re.split(r"[/\\]", root) or Path(root, "CACHEDIR.TAG").exists()


def _lies_in_pipx(place: str) -> bool:
    """Whether pipx made an environment for one run: it is in pipx's cache, or in a cache folder of that name."""
    parts = re.split(r"[/\\]", place)
    at = parts.index("pipx") if "pipx" in parts else 0
    return at > 0 and any(each in ("cache", ".cache") for each in parts[at - 1 : -1])


def wanted() -> str:
    """Return the requirement that fetches this ujsx: its version, or the file or the commit it came from."""
    # These take longer to import than the rest of a server's start.
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        told: object = json.loads(distribution("ujsx").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        told = {}
    none: Mapping[str, Any] = {}
    origin = cast("Mapping[str, Any]", told) if isinstance(told, dict) else none
    url, vcs = origin.get("url"), origin.get("vcs_info")  # PEP 610
    if not isinstance(url, str):
        return f"ujsx=={__version__}"
    return f"ujsx @ {vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else f"ujsx @ {url}"


def interpreter() -> str:
    """Return an interpreter outside of environments, for the small programs."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    return os.path.realpath(base)


# The place of a bridge.

LONGEST = 100
"""Maximum characters of a socket's path; systems allow 103 to 107."""

CLIENT = Path(__file__).with_name("_client.py")
"""The small program that calls a bridge."""

CALL = f"import {CLIENT.stem} as c;c.run()"

RUN = (
    "import os,sys;f=sys.argv[1];s=os.lstat(f);s.st_uid==os.geteuid()and s.st_mode&0o170022==0o040000 or"
    f' sys.exit(f+" is not a folder that only you may write to");sys.path.insert(0,f);{CALL}'
)
"""Runs the program from its folder: as a module, so that it is compiled once. If it is missing, or others
may have put it there, the exit status is 1; a failed run by name has 2, which blocks prompts. It has no
single quote, so that a shell command can contain it unchanged.
"""

CALLS = ((CALL,), ("import sys;exec(open(sys.argv[1]).read())", "bridge/client.py"))
"""The parts that identify a command of the program: the current one, and an older version's."""

CODE = Path(ujsx.__file__).with_name("_version.py")
"""A file that each update replaces: code loaded before an update does not fit code loaded after it."""

Identity: TypeAlias = tuple[int, int, int] | None
"""A file's identity, which differs from that of a later file with the same name; None for no file."""


class Place(NamedTuple):
    """A bridge's socket, and the options of its sessions."""

    socket: Path
    store: str | Path
    domain: str | None
    layout: str | None = None
    words: str | None = None
    modules: tuple[str, ...] = ()
    """Modules with components for layouts."""

    @property
    def folder(self) -> Path:
        """The folder of the store's runtime files; for an address, that of the default store."""
        return default_path().parent if isinstance(self.store, str) else self.store.parent


def place_of(
    store: str | Path | None = None,
    domain: str | None = None,
    layout: str | None = None,
    words: str | None = None,
    modules: tuple[str, ...] = (),
) -> Place:
    """Return the place of the bridge for a store and the options of new sessions; its folder may not exist yet."""
    given = default_path() if store is None else store
    path = str(given) if is_address(given) else Path(given).absolute()
    look = f"\n{layout or ''}\n{words or ''}" if layout or words or modules else ""
    look = "\n".join((look, *modules))
    named = os.fsencode(f"{path}\n{domain or ''}{look}")
    digest = blake2b(named, digest_size=6).hexdigest()
    place = Place(Path(), path, domain, layout, words, modules)
    sockets = (each / f"{digest}.sock" for each in _folders(place))
    return place._replace(
        socket=next(each for each in sockets if len(os.fsencode(each)) <= LONGEST)
    )


def store_options(place: Place) -> list[str]:
    """Return the command's options for a store, and for the options of its new sessions."""
    given = [
        ("--domain", place.domain),
        ("--layout", place.layout),
        ("--words", place.words),
        *(("--with", each) for each in place.modules),
    ]
    named = [part for option, name in given if name is not None for part in (option, name)]
    return ["--store", str(place.store), *named]


def bridge_program(place: Place) -> list[str]:
    """Return the command that starts the bridge of a place."""
    return [*launcher(), "bridge", "--socket", str(place.socket), *store_options(place)]


def _folders(place: Place) -> Iterator[Path]:
    """The possible folders of a socket; the last ones are for names that are too long elsewhere.

    Each is made or checked by :func:`own_folder` before use, so that one in a shared folder is ours as well.
    """
    yield place.folder / "bridge"
    with suppress(StoreError):  # the user's folder is unknown
        yield default_path().absolute().parent / "bridge"
    name = f"ujsx-{os.getuid()}"
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime, name)
    yield Path(tempfile.gettempdir(), name)
    yield Path("/tmp", name)  # noqa: S108 - see above


def client_call(folder: Path, socket: Path) -> list[str]:
    """Return the command of the small program; the timeout, the request and the bridge's command follow as
    arguments.

    :param folder: the program's folder.
    """
    return [interpreter(), "-I", "-S", "-c", RUN, str(folder), str(socket)]


def own_folder(folder: Path) -> None:
    """Make a folder that only its owner may enter, or check an existing one.

    :raises ServeError: for a link, for another user's folder, and for one that others may have written to.
    """
    with suppress(FileExistsError):
        make_folder(folder)
    if os.name == "nt":  # there are no such modes
        return
    found = folder.lstat()
    if found.st_uid != os.geteuid() or not stat.S_ISDIR(found.st_mode):
        raise ServeError(f"{folder} is not a folder of yours; remove it, or set UJSX_HOME")
    if found.st_mode & 0o022:
        raise ServeError(f"others may write to {folder}; look at what is in it, then: chmod 700")
    if found.st_mode & 0o055:
        folder.chmod(0o700)


def identity(path: Path) -> Identity:
    """Return the current identity of a path's file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


# The protocol of a bridge: requests and answers, byte for byte, over any connection. A request is a
# line with its kind, its length and its id, and so many bytes; a retry, after a missing answer, has
# the same id. An answer is a line with its length, and so many bytes of UTF-8. The caller confirms
# with one more byte whether it passed the answer on, or got it too late.

_log = logging.getLogger("hud_runtime.integrations")

ARRIVED = b"\x06"
"""Confirms that an answer was passed on."""

LOST = b"\x15"
"""Reports that an answer was not: its receiver went on without it."""

END = "end"
"""The request that ends a bridge, so that the next request starts another: after an update, for instance."""

LARGEST = 64 * 2**20
"""Maximum bytes of a request."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a caller."""

    text: str = ""

    arrived: Callable[[], object] | None = None
    """Called once the caller has passed it on."""


Handler = Callable[[bytes], Answer]
"""A function that answers a request, given the input of a host's process."""


class Readable(Protocol):
    """A stream from which requests are read."""

    def readline(self, size: int = -1, /) -> bytes:
        """Return a line, or its first ``size`` bytes."""
        ...

    def read(self, size: int = -1, /) -> bytes:
        """Return ``size`` bytes, fewer at the end."""
        ...


class Request(NamedTuple):
    """A request."""

    kind: str
    data: bytes
    telling: RequestId | None = None
    """Its id; None if it has none."""


def read_request(given: Readable, begun: bytes = b"") -> Request | None:
    r"""Return the next request; None if there is no complete one.

    :param begun: the bytes already read.

    >>> from io import BytesIO
    >>> read_request(BytesIO(b"shout 5 4f1c.17\nhello"))
    Request(kind='shout', data=b'hello', telling=RequestId(teller='4f1c', number=17))
    """
    kind, size, *more = (*(begun + given.readline(200)).split(), b"", b"")
    if not size.isdigit() or int(size) > LARGEST:
        return None
    data = given.read(int(size))
    telling = telling_of(more[0].decode("utf-8", "replace"))
    return (
        None if len(data) < int(size) else Request(kind.decode("utf-8", "replace"), data, telling)
    )


def written(answer: Answer) -> bytes:
    r"""Return the bytes of an answer.

    >>> written(Answer("HELLO"))
    b'5\nHELLO'
    """
    text = answer.text.encode("utf-8", "surrogatepass")
    return b"%d\n" % len(text) + text


def answer_of(handlers: Mapping[str, Handler], request: Request) -> Answer:
    """Return the answer to a request: an empty one after an error, as a retry would not repair it.

    >>> answer_of({"shout": lambda given: Answer(given.decode().upper())}, Request("shout", b"hello")).text
    'HELLO'
    """
    handler = handlers.get(request.kind)
    try:
        with answering(request.telling):
            return Answer() if handler is None else handler(request.data)
    except Exception:  # noqa: BLE001 - one request is no reason to end
        _log.exception("a request to the bridge")
        return Answer()


# The transports of a bridge: from a process of ours, and over a pair of streams.


ORPHANED = """\
"$@" & until test -S "$0"; do kill -0 $! 2> /dev/null || { wait $!; exit; }; sleep 0.1; done"""
"""A shell program that starts another one, and ends once that has made its socket, or with its status.
The other one is then not a child of this process, and survives a host that kills its server with all
children.
"""


class BridgeLink:
    """Calls a bridge. A missing one is started, and outlives this process.

    :param place: its socket.
    :param program: the command that starts it.
    :param patience: maximum seconds for an answer.
    """

    def __init__(self, place: Path, program: Sequence[str], *, patience: float = 10.0) -> None:
        self._place = str(place)
        self._program = ["/bin/sh", "-c", ORPHANED, self._place, *program] if program else []
        self._patience = patience

    def ask(self, kind: str, data: bytes) -> str | None:
        """Return the answer, or None if there is none in time."""
        try:
            found = client.answered(self._place, self._patience, kind, self._program, data)
        except OSError:  # it does not start
            return None
        if found is None:
            return None
        answer, wire = found
        try:
            wire.sendall(b"\x06")
        except OSError:
            pass
        finally:
            wire.close()
        return answer.decode("utf-8", "surrogatepass")


# Answers one host over a pair of streams, in the order of its requests, until the end.


@contextmanager
def own_output() -> Generator[BinaryIO]:
    """Reserve standard output for answers: anything else that is printed goes to standard error."""
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        try:
            yield out
        finally:
            os.dup2(out.fileno(), 1)


@contextmanager
def own_input() -> Generator[BinaryIO]:
    """Reserve standard input for messages: other code and child processes read an empty one."""
    with os.fdopen(os.dup(0), "rb") as given, Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
        try:
            yield given
        finally:
            os.dup2(given.fileno(), 0)


def serve_streams(
    given: BinaryIO, out: BinaryIO, handlers: Mapping[str, Handler], *, code: Path = CODE
) -> None:
    r"""Answer requests in order; return at the end of input.

    A host may send a request before it has read an answer, and confirm each answer with a byte at any time. A
    host that has gone is not answered, but its last requests are still processed. After an update it also
    returns, with a request unanswered: the host starts it again, and retries.

    >>> from io import BytesIO
    >>> from hud_runtime.integrations.bridge import Answer
    >>> out = BytesIO()
    >>> shout = lambda given: Answer(given.decode().upper(), lambda: print("arrived"))
    >>> serve_streams(BytesIO(b"shout 2\nhi" + b"\x06"), out, {"shout": shout})
    arrived
    >>> out.getvalue()
    b'2\nHI'
    """
    loaded = identity(code)
    answered: deque[Callable[[], object] | None] = deque()
    while begun := given.read(1):
        if begun in (ARRIVED, LOST):
            arrived = answered.popleft() if answered else None
            if begun == ARRIVED and arrived is not None:
                arrived()
            continue
        request = read_request(given, begun)
        if request is None or identity(code) != loaded:
            return
        answer = answer_of(handlers, request)
        answered.append(answer.arrived)
        with suppress(OSError):  # the host has gone
            out.write(written(answer))
            out.flush()
