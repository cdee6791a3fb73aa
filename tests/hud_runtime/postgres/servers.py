"""A PostgreSQL server of one's own: in a temporary folder, on a socket there and a port of loopback."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

BINARIES = "initdb", "postgres"

VARIABLE = "POSTGRES"
"""The environment's variable with the folder of the binaries, where another version is meant."""

PLACES = (
    *Path("/usr/lib/postgresql").glob("*/bin"),
    *Path("/opt/homebrew/opt").glob("postgresql*/bin"),
    Path("/usr/local/bin"),
    Path("/usr/pgsql/bin"),
)
"""Where the binaries of a server lie when they are not on the path; Debian has them apart."""

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "120",
    "shared_buffers": "64MB",
    "fsync": "off",  # what a killed server has written is in the system's memory; only a power cut needs more
    "log_min_messages": "fatal",
    "max_wal_size": "256MB",
}

USERS = "postgres", "nobody"
"""Who a server runs as where the tests run as root, which PostgreSQL refuses."""

PATIENCE = 60.0
"""Seconds that a server may take to start or to stop."""


def binaries() -> Path | None:
    """Return the folder with a server's binaries; None where there is none."""
    if wanted := os.environ.get(VARIABLE):
        assert _has_all(Path(wanted)), f"{VARIABLE}={wanted} has no {' and '.join(BINARIES)}"
        return Path(wanted)
    found = shutil.which("initdb")
    places = sorted(PLACES, reverse=True) + ([Path(found).parent] if found else [])
    return next(filter(_has_all, places), None)


def _has_all(place: Path) -> bool:
    return all((place / name).exists() for name in BINARIES)


@dataclass
class Server:
    """A server that can be killed and started again."""

    folder: Path
    port: int
    user: str | None
    bin: Path
    process: subprocess.Popen[bytes] | None = None

    def address(self, database: str = "postgres", user: str = "owner") -> str:
        """Return the address of one of its databases."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def run(self, name: str, *arguments: str) -> None:
        """Run one of the binaries as the server's user, to its end."""
        done = subprocess.run(
            [self.bin / name, *arguments],
            user=self.user, cwd="/", capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()

    def start(self, **settings: str) -> None:
        """Start it, and wait until it answers."""
        given = {
            **SETTINGS,
            "port": str(self.port),
            "unix_socket_directories": str(self.folder),
            **settings,
        }
        options = [part for name, value in given.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.bin / "postgres", "-D", self.folder / "data", *options],
                user=self.user, cwd="/", stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self.wait()

    def wait(self) -> None:
        """Return when it takes connections."""
        import psycopg

        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                psycopg.connect(self.address(), connect_timeout=2).close()
            except psycopg.OperationalError:
                assert self.process is not None
                assert self.process.poll() is None, (self.folder / "server.log").read_text()
                assert time.monotonic() < deadline, (self.folder / "server.log").read_text()
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        """End all its processes as ``kill -9`` does, and wait until they are gone."""
        if self.process is not None:
            for each in (self.process.pid, *children_of(self.process.pid)):
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
            self.process.wait(PATIENCE)
            self.process = None

    def stop(self) -> None:
        """Stop it, at once and for sure."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)
        self.kill()

    def make(self, schema: str) -> str:
        """Make an empty schema, and return the address of a store in it."""
        import psycopg

        with psycopg.connect(self.address(), autocommit=True) as link:
            link.execute(f'CREATE SCHEMA "{schema}"')
        return f"{self.address()}?options=-csearch_path%3D{schema}"

    def drop(self, schema: str) -> None:
        """Drop a schema with all that is in it."""
        import psycopg

        with psycopg.connect(self.address(), autocommit=True) as link:
            link.execute(f'DROP SCHEMA "{schema}" CASCADE')


def children_of(process: int) -> list[int]:
    """Return the processes that a process has begun; each serves a connection, or writes for all."""
    done = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    )
    pairs = [line.split() for line in done.stdout.splitlines()]
    return [int(child) for child, parent in pairs if int(parent) == process]


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def owner() -> str | None:
    """Return who a server is to run as; None for oneself."""
    if os.geteuid() != 0:
        return None
    known = {each.pw_name for each in pwd.getpwall()}
    return next(name for name in USERS if name in known)


@contextmanager
def a_folder(user: str | None) -> Iterator[Path]:
    """Give a folder that belongs to a user, with a short path: a socket's has at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="ujsx-pg-", dir="/tmp") as name:
        folder = Path(name)
        if user is not None:
            shutil.chown(folder, user)
        yield folder


@contextmanager
def serving(**settings: str) -> Iterator[Server]:
    """Run a server while the context lasts. Skips the test where there are no binaries."""
    pytest.importorskip(
        "psycopg_pool", reason='psycopg is not installed: pip install "ujsx[postgres]"'
    )
    place = binaries()
    if place is None:
        pytest.skip("no PostgreSQL server on this machine: initdb and postgres were not found")
    user = owner()
    with a_folder(user) as folder:
        server = Server(folder, free_port(), user, place)
        server.run(
            "initdb",
            "-D",
            str(folder / "data"),
            "-U",
            "owner",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        )
        try:
            server.start(**settings)
            yield server
        finally:
            server.stop()


@contextmanager
def standing_by(primary: Server) -> Iterator[Server]:
    """Run a standby that has each commit of a server before it is acknowledged.

    It begins as a copy of the server's folder, which is stopped meanwhile: so no more binaries are needed.
    """
    import psycopg

    with a_folder(primary.user) as folder:
        server = Server(folder, free_port(), primary.user, primary.bin)
        primary.stop()
        subprocess.run(
            ["cp", "-a", primary.folder / "data", folder / "data"],
            user=primary.user, cwd="/", check=True,
        )  # fmt: skip
        (folder / "data" / "standby.signal").touch()
        primary.start()
        try:
            server.start(primary_conninfo=f"host=127.0.0.1 port={primary.port} user=owner")
            with psycopg.connect(primary.address(), autocommit=True) as link:
                link.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
                link.execute("SELECT pg_reload_conf()")
                deadline = time.monotonic() + PATIENCE
                while not link.execute(
                    "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
                ).fetchall():
                    assert time.monotonic() < deadline, "the standby does not follow"
                    time.sleep(0.02)
            yield server
        finally:
            server.stop()
