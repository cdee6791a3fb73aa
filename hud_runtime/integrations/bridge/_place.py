"""The place of a bridge, the programs that start it and ask it, its protocol, and the ways to it."""

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

# The command by which a host starts us: of this environment, or of the tool that fetched it.

_OF_UV = re.compile(r"[/\\](?:archive|environments|builds)-v\d+[/\\]")
"""A folder of uv's cache in which it makes environments."""


def launcher(prefix: str | None = None) -> list[str]:
    """Return the program and the arguments that start the command ``ujsx``.

    Where this environment was made for one run, in a cache that may be dropped, it is what made it; that fetches ujsx
    from where it came from.

    :param prefix: where the environment lies; this one when None.

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
    """Whether an environment is one of uv's cache, which lies in a folder of that name, or has the tag of caches."""
    found = _OF_UV.search(place)
    if found is None:
        return False
    root = place[: found.start()]
    return "uv" in re.split(r"[/\\]", root) or Path(root, "CACHEDIR.TAG").exists()


def _lies_in_pipx(place: str) -> bool:
    """Whether an environment is one of those that pipx makes for one run: in its cache, or in a cache's folder of its name."""
    parts = re.split(r"[/\\]", place)
    at = parts.index("pipx") if "pipx" in parts else 0
    return at > 0 and any(each in ("cache", ".cache") for each in parts[at - 1 : -1])


def wanted() -> str:
    """Return what is to be fetched, so that this ujsx comes: its version, or the file or the commit it came from."""
    # These take longer to import than the rest of what a server is started with.
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
    """Return an interpreter that needs no environment, for the small programs."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    return os.path.realpath(base)


# The place of a bridge.

LONGEST = 100
"""Characters of a socket's path; systems take 103 to 107."""

CLIENT = Path(__file__).with_name("_client.py")
"""The small program that asks a bridge."""

CALL = f"import {CLIENT.stem} as c;c.run()"

RUN = (
    "import os,sys;f=sys.argv[1];s=os.lstat(f);s.st_uid==os.geteuid()and s.st_mode&0o170022==0o040000 or"
    f' sys.exit(f+" is not a folder that only you may write to");sys.path.insert(0,f);{CALL}'
)
"""Runs it from its folder: as a module, so that it is compiled once. One that is not there, or that others may have put
there, ends it with status 1; run by its name, with 2, which blocks prompts. There is no single quote in it, so that a
shell's command has it as it stands."""

CALLS = ((CALL,), ("import sys;exec(open(sys.argv[1]).read())", "bridge/client.py"))
"""The parts by which a command that runs it is known: today's, and that of an older version."""

CODE = Path(ujsx.__file__).with_name("_version.py")
"""A file that each update puts anew: what was loaded before does not go with what would be loaded after it."""

Identity: TypeAlias = tuple[int, int, int] | None
"""A file's identity, which tells it from another one that has its name later; None for none."""


class Place(NamedTuple):
    """A bridge's socket, and whose sessions are behind it."""

    socket: Path
    store: str | Path
    domain: str | None
    layout: str | None = None
    words: str | None = None
    modules: tuple[str, ...] = ()
    """Those whose components layouts may hold."""

    @property
    def folder(self) -> Path:
        """The folder of what lies beside the store; for an address, beside the default one."""
        return default_path().parent if isinstance(self.store, str) else self.store.parent


def place_of(
    store: str | Path | None = None,
    domain: str | None = None,
    layout: str | None = None,
    words: str | None = None,
    modules: tuple[str, ...] = (),
) -> Place:
    """Return where the bridge is reached of a store, and of what its new sessions are given; the folder may not be there yet."""
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
    """Return the options of the command that name a store, and what its new sessions are given."""
    given = [
        ("--domain", place.domain),
        ("--layout", place.layout),
        ("--words", place.words),
        *(("--with", each) for each in place.modules),
    ]
    named = [part for option, name in given if name is not None for part in (option, name)]
    return ["--store", str(place.store), *named]


def bridge_program(place: Place) -> list[str]:
    """Return what starts the bridge of a place."""
    return [*launcher(), "bridge", "--socket", str(place.socket), *store_options(place)]


def _folders(place: Place) -> Iterator[Path]:
    """The folders that a socket may lie in, the last ones where all others have too long a name.

    None is used before :func:`own_folder` has made or checked it, so that one in a shared folder is ours as well.
    """
    yield place.folder / "bridge"
    with suppress(StoreError):  # nobody knows the user's folder
        yield default_path().absolute().parent / "bridge"
    name = f"ujsx-{os.getuid()}"
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime, name)
    yield Path(tempfile.gettempdir(), name)
    yield Path("/tmp", name)  # noqa: S108 - see above


def client_call(folder: Path, socket: Path) -> list[str]:
    """Return what runs the small program; how long it waits, what it asks, and who answers, come behind that.

    :param folder: where the program lies.
    """
    return [interpreter(), "-I", "-S", "-c", RUN, str(folder), str(socket)]


def own_folder(folder: Path) -> None:
    """Make a folder that only its owner may enter, or check the one that is there.

    :raises ServeError: for a link, for another user's folder, and for one that others may have put something into.
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
    """Return which file has a name now."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


# The protocol of a bridge: questions and answers, byte for byte, over any connection.
#
# A request is a line with its kind, its length and the id of its telling, and so many bytes; one that is made again, because
# there was no answer, has the same id. An answer is a line with its length, and so many
# bytes of UTF-8. Who asked says with one more byte what became of it: it is passed on, or it came too late.

_log = logging.getLogger("hud_runtime.integrations")

ARRIVED = b"\x06"
"""Says that an answer was passed on."""

LOST = b"\x15"
"""Says that an answer was not: whoever waited for it has gone on without."""

END = "end"
"""The request that ends a bridge, so that the next one who asks starts another: after an update, say."""

LARGEST = 64 * 2**20
"""Bytes of a request at most."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a caller."""

    text: str = ""

    arrived: Callable[[], object] | None = None
    """Called once the caller has passed it on."""


Handler = Callable[[bytes], Answer]
"""Answers a request, which is what a host's process was given."""


class Readable(Protocol):
    """What requests are read from."""

    def readline(self, size: int = -1, /) -> bytes:
        """Return a line, or as much of it as this."""
        ...

    def read(self, size: int = -1, /) -> bytes:
        """Return so many bytes, fewer at the end."""
        ...


class Request(NamedTuple):
    """What is asked."""

    kind: str
    data: bytes
    telling: RequestId | None = None
    """Which telling it is; None where that is not said."""


def read_request(given: Readable, begun: bytes = b"") -> Request | None:
    r"""Return the next request; None where there is no whole one.

    :param begun: what was read of it before.

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
    """Return what a request is answered: nothing where that fails, for asking again would not mend it.

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


# The ways to a bridge: from a process of ours, and over a pair of streams.


ORPHANED = """\
"$@" & until test -S "$0"; do kill -0 $! 2> /dev/null || { wait $!; exit; }; sleep 0.1; done"""
"""A shell's program: it starts another one, and ends once that has made its socket, or with its status. So what it started
is no child of this process, and a host that ends its server with all children leaves it alone."""


class BridgeLink:
    """Asks a bridge. One is started where none is there, and it outlives this process.

    :param place: its socket.
    :param program: starts it.
    :param patience: seconds that an answer may take.
    """

    def __init__(self, place: Path, program: Sequence[str], *, patience: float = 10.0) -> None:
        self._place = str(place)
        self._program = ["/bin/sh", "-c", ORPHANED, self._place, *program] if program else []
        self._patience = patience

    def ask(self, kind: str, data: bytes) -> str | None:
        """Return the answer, or None where there is none in time."""
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


# Answers one host over a pair of streams, in the order in which it asks, until it asks no more.


@contextmanager
def own_output() -> Generator[BinaryIO]:
    """Have standard output for answers alone: whatever else is printed goes to standard error."""
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        try:
            yield out
        finally:
            os.dup2(out.fileno(), 1)


@contextmanager
def own_input() -> Generator[BinaryIO]:
    """Have standard input for messages alone: other code and child processes read an empty one."""
    with os.fdopen(os.dup(0), "rb") as given, Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
        try:
            yield given
        finally:
            os.dup2(given.fileno(), 0)


def serve_streams(
    given: BinaryIO, out: BinaryIO, handlers: Mapping[str, Handler], *, code: Path = CODE
) -> None:
    r"""Answer requests one after the other; return at the end of them.

    A host may ask again before it has read an answer; of each answer it says in a byte what became of it, when it
    likes. A host that has gone is not answered, but what it told last is still taken in. It returns as well, with a request
    unanswered, once it was updated: the host starts it anew, and asks again.

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
