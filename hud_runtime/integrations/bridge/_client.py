"""Asks the resident bridge, and prints its answer: a host starts this for each event.

It is run by :func:`client_call`, with ``SOCKET PATIENCE KIND [PROGRAM ARGUMENT ...]``: alone, without any
other import from the disk, so that it costs little more than the interpreter. It never fails for its caller:
without a bridge it prints nothing, and its exit status is 0.

A request is a line with its kind and its id, which a retry repeats, and standard input as received. An answer
is a line with its length, and the text for standard output; one more byte confirms that it was written.

Nothing is sent before the folder, the socket and its process are verified to be the caller's own.
"""

import _socket
import os
import stat
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Told: TypeAlias = tuple[bytes, _socket.socket]


FAILED: "dict[str, bytes]" = dict.fromkeys(
    ("claude-code", "codex", "qwen-code", "gemini-cli", "copilot", "cline"),
    b'{"systemMessage":"ujsx could not start its bridge, and goes on without a HUD;'
    b' `ujsx bridge` in a terminal says why"}',
)
"""The message to the person where the bridge cannot be started, by the kind of the request."""

TOLD = ".told"
"""The suffix of the file that marks the person as informed; a starting bridge removes it."""

LATE = ".late"
"""The suffix of the folder with unanswered events. The next bridge processes them."""

MOST_LATE, LARGEST_LATE = 1_000, 4 * 2**20
"""Maximum waiting events, and maximum bytes of one."""

STARTS = 3
"""Maximum starts of a bridge that is killed before it answers."""

AGAIN = 1_800
"""Seconds after which the person is informed again."""


def is_own(path: str, kind: int) -> bool:
    """True if a path is of this kind (such as ``stat.S_IFDIR``), ours, and closed to other users; False for
    a link.
    """
    found = os.lstat(path)
    return found.st_uid == os.geteuid() and found.st_mode & 0o170077 == kind


def folder_of(place: str) -> str:
    return os.path.dirname(place) or os.curdir  # noqa: PTH120 - pathlib would have to be read from the disk


def peer_of(wire: "_socket.socket") -> int:
    """The user at the other end of a connection, according to the kernel.

    :raises OSError: if the kernel does not report it.
    """
    if sys.platform == "linux":
        # pid, uid, gid (unix(7))
        found = wire.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    else:
        # LOCAL_PEERCRED of macOS and FreeBSD: version, uid, groups
        found = wire.getsockopt(0, 1, 76)
    user = found[4:8]
    if len(user) != 4:
        raise OSError("the system does not tell who is at the other end")
    return int.from_bytes(user, sys.byteorder)


def connected(place: str, deadline: float) -> "_socket.socket | None":
    """Return a connection to our own bridge, or None.

    The socket may be replaced after its path was checked, so its process is checked as well.
    """
    wire = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        if is_own(folder_of(place), stat.S_IFDIR) and is_own(place, stat.S_IFSOCK):
            wire.settimeout(max(0.05, deadline - time.monotonic()))  # also limits connecting
            wire.connect(place)
            if peer_of(wire) == os.geteuid():
                return wire
    except OSError:
        pass  # there is none
    wire.close()
    return None


def started(program: "list[str]") -> int:
    """Start the bridge as a separate process that outlives us, and return its process id."""
    nothing = os.open(os.devnull, os.O_RDWR)
    files = [(os.POSIX_SPAWN_DUP2, nothing, each) for each in (0, 1, 2)]
    child = os.posix_spawn(program[0], program, os.environ, file_actions=files, setsid=True)
    os.close(nothing)
    return child


def ended(child: int) -> "int | None":
    """Return the exit status of a bridge that we started; None while it runs, and after the first report."""
    try:
        found, status = os.waitpid(child, os.WNOHANG)
    except ChildProcessError:
        return None
    return status if found == child else None


def asked(place: str, request: bytes, deadline: float) -> "Told | None":
    """Return the answer and its connection; None without a complete answer."""
    wire = connected(place, deadline)
    if wire is None:
        return None
    try:
        wire.sendall(request)
        got = b""
        while b"\n" not in got:
            got += received(wire)
        head, _, answer = got.partition(b"\n")
        while len(answer) < int(head):
            answer += received(wire)
    except (OSError, ValueError):
        wire.close()
        return None
    return answer, wire


def received(wire: "_socket.socket") -> bytes:
    """Return the next bytes of an answer."""
    more = wire.recv(65536)
    if not more:
        raise OSError("the answer is not whole")
    return more


def answered(
    place: str, patience: float, kind: str, program: "list[str]", given: bytes
) -> "Told | None":
    """Return the bridge's answer; an unanswered event is stored for the next bridge.

    :raises OSError: if it cannot be started.
    """
    head = b"%s %d %s\n" % (kind.encode(), len(given), os.urandom(8).hex().encode())
    request, found = head + given, None
    try:
        found = answered_in_time(place, patience, program, request)
    finally:
        if found is None and kind in FAILED:
            leave(place, request)
    return found


def answered_in_time(
    place: str, patience: float, program: "list[str]", request: bytes
) -> "Told | None":
    """Return the bridge's answer; the bridge is started if necessary, and asked again if it ends."""
    deadline = time.monotonic() + patience
    child = starts = 0
    while True:
        found = asked(place, request, deadline)
        if found is not None or not program or time.monotonic() > deadline:
            return found
        if not child:
            child, starts = started(program), starts + 1
        elif status := ended(child):  # with 0 another one is there
            if not os.WIFSIGNALED(status) or starts == STARTS:
                raise OSError("the bridge does not start")
            child = 0
        time.sleep(0.02)


def leave(place: str, request: bytes) -> None:
    """Store a request for the next bridge, if there is room."""
    folder = place + LATE
    try:
        if len(request) > LARGEST_LATE or not is_own(folder_of(place), stat.S_IFDIR):
            return
        try:  # noqa: SIM105 - contextlib would have to be read from the disk
            os.mkdir(folder, 0o700)  # noqa: PTH102 - pathlib, too
        except FileExistsError:
            pass  # it is checked below
        if not is_own(folder, stat.S_IFDIR) or len(os.listdir(folder)) >= MOST_LATE:  # noqa: PTH208 - see above
            return
        path = f"{folder}/{time.time_ns():020}"
        handle = os.open(path + ".part", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        while request:
            request = request[os.write(handle, request) :]
        os.close(handle)
        os.rename(path + ".part", path)  # noqa: PTH104 - see above
    except OSError:
        pass  # there is no room


def is_told(place: str) -> bool:
    """Return whether the person was informed lately, and record that they are now: each event is a
    process of its own.
    """
    path = place + TOLD
    try:
        if not is_own(folder_of(place), stat.S_IFDIR):
            return False  # a file in another user's folder is left alone
        if time.time() - os.stat(path).st_mtime < AGAIN:  # noqa: PTH116 - pathlib would have to be read from the disk
            return True
    except OSError:
        pass  # not yet
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        os.utime(path)
    except OSError:
        pass  # there is no place to record it
    return False


def read() -> bytes:
    """Return standard input as received."""
    parts: list[bytes] = []
    while True:
        part = os.read(0, 65536)
        if not part:
            return b"".join(parts)
        parts.append(part)


def told_by(command: str, given: bytes) -> None:
    """Run the previous status line's command, which prints its own text."""
    ours, theirs = os.pipe()
    shell = ["/bin/sh", "-c", command]
    files = [(os.POSIX_SPAWN_DUP2, ours, 0), (os.POSIX_SPAWN_CLOSE, theirs)]
    piped = 13  # SIGPIPE, which Python ignores, and its children with it
    child = os.posix_spawn(shell[0], shell, os.environ, file_actions=files, setsigdef=[piped])
    os.close(ours)
    try:  # noqa: SIM105 - contextlib would have to be read from the disk
        os.write(theirs, given)
    except OSError:
        pass  # it does not read
    os.close(theirs)
    os.waitpid(child, 0)


def main(place: str, patience: str, kind: str, *program: str) -> None:
    given = read()
    if program[:1] == ("--then",):
        told_by(program[1], given)
        program = program[2:]
    try:
        found = answered(place, float(patience), kind, [*program], given)
    except OSError:
        if kind in FAILED and not is_told(place):
            os.write(1, FAILED[kind])
        return
    if found is None:
        return
    answer, wire = found
    while answer:
        answer = answer[os.write(1, answer) :]
    wire.sendall(b"\x06")


def run() -> None:
    try:  # noqa: SIM105 - contextlib would have to be read from the disk
        main(*sys.argv[2:])
    except Exception:  # noqa: BLE001, S110 - a host's turn goes on, whatever happens here
        pass
    os._exit(0)
