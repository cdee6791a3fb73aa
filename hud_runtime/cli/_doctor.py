"""Check this machine: versions, SQLite, the stores and their contents, extras.

The exit status is 0 if all requirements are met, no store is damaged or from a newer version, its
domain can read all of it, no outbox has refused records and, with --secrets, no possible secret was
found; else 1.
"""

from __future__ import annotations

import os
import platform
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hud_runtime._errors import InstallError
from hud_runtime._location import OUTBOX, default_path, is_address, without_password
from hud_runtime._sqlite_versions import OLDEST_SQLITE, Version, has_wal_reset_bug
from hud_runtime.cli._click import argument, domain_option, json_option, option
from hud_runtime.cli._commands import Options
from hud_runtime.cli._stored import existing
from hud_runtime.cli._terminal import Style, put, put_json, style_for, terminal_safe
from ujsx import __version__
from ujsx.errors import UjsxError

# The distributions that ujsx needs, according to its own metadata, and whether the installed ones
# suffice.
#
# The bounds are in ``pyproject.toml`` alone; an installed ujsx has them in its metadata.

_LINE = re.compile(
    r"(?P<name>\w+(?:[.-]+\w+)*)\s*(?:>=\s*(?P<oldest>\d+(?:\.\d+)*))?"
    r"\s*(?:;\s*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"])?"
)
"""A requirement of ours: a name, the oldest accepted version, its extra."""

_RELEASE = re.compile(
    r"v?(?:\d+!)?(?P<release>\d+(?:\.\d+)*)(?P<before>[-_.]?(?:a|b|c|rc|dev)\d*)?"
)
"""The beginning of a version (the specification "Version specifiers" of PyPA): the release, and whether
it is a pre-release.
"""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A distribution that ujsx, or one of its extras, requires."""

    name: str
    oldest: str | None = None
    """The oldest accepted version; ``None`` for any."""
    extra: str | None = None

    @classmethod
    def parse(cls, line: str) -> Requirement:
        """Return the requirement in a line of the metadata.

        :raises ValueError: for a line with more than ours have.

        >>> Requirement.parse("pytest>=8; extra == 'testing'")
        Requirement(name='pytest', oldest='8', extra='testing')
        """
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise ValueError(
                f"{line!r} is not a requirement of the form NAME>=VERSION; extra == EXTRA"
            )
        return cls(**match.groupdict())

    def is_met_by(self, version: str) -> bool:
        """Return whether an installed version is new enough; an unreadable one counts as such.

        >>> needed = Requirement("pydantic", "2.12")
        >>> [needed.is_met_by(version) for version in ("2.9", "2.12.0rc1", "2.12", "2.12.0.post1", "3")]
        [False, False, True, True, True]
        """
        found = _RELEASE.match(version)
        if self.oldest is None or found is None:
            return True
        release, oldest = _numbers(found["release"]), _numbers(self.oldest)
        return release > oldest or (release == oldest and found["before"] is None)


def requirements() -> Sequence[Requirement] | None:
    """Return the installed ujsx's requirements; ``None`` if it runs without being installed."""
    try:
        lines = requires("ujsx")
    except PackageNotFoundError:
        return None
    return [Requirement.parse(line) for line in lines or ()]


def _numbers(release: str) -> tuple[int, ...]:
    """The numbers of a release without trailing zeros: 2.12 and 2.12.0 are equal."""
    numbers = [int(number) for number in release.split(".")]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


# The doctor's checks, and advice for each finding.

Verdict: TypeAlias = Literal[
    "ok", "note", "missing", "too old", "unusable", "damaged", "refused", "unread", "secret"
]
"""Fine; worth knowing; a missing requirement; an outdated requirement; a store that this ujsx cannot use;
one with lost data; letters of an outbox that a store has refused; data in a store that its domain cannot
read; or a secret in one, if requested.
"""

Place: TypeAlias = str | Path | None
"""The place to check: the file of a store, a folder, a database by its name, or the default place of stores."""

BAD: frozenset[Verdict] = frozenset(
    {"missing", "too old", "unusable", "damaged", "refused", "unread", "secret"}
)
"""Verdicts that make the doctor's exit status 1."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check."""

    name: str
    value: str
    verdict: Verdict = "ok"
    advice: str = ""
    """Its meaning, and the remedy."""

    def data(self) -> dict[str, Any]:
        """Return the finding as JSON data."""
        return asdict(self)


OLDEST_PYTHON: Version = (3, 11)

PURPOSES: dict[str, str] = {
    "testing": "the pytest plugin: snapshots at each density, strategies for Hypothesis",
    "tiktoken": "exact token counts for OpenAI's models, with a vocabulary as a file",
    "rs-bpe": "exact token counts for OpenAI's models",
    "graph": "ujsx.targets.GraphTarget, a tree as a graph of networkx",
    "mcp": "`ujsx serve`, the HUD for any MCP client",
    "pydantic-ai": "a HUD in agents of Pydantic AI",
    "openai-agents": "a HUD in agents of the OpenAI Agents SDK",
    "langchain": "a HUD in agents of LangChain and LangGraph",
    "anthropic": "a HUD in requests to Anthropic's API",
    "openai": "a HUD in requests to OpenAI's API",
    "claude-agent-sdk": "a HUD in agents of the Claude Agent SDK",
    "google-genai": "a HUD in requests to Gemini's API",
    "litellm": "a HUD in requests through LiteLLM, and in its proxy",
    "google-adk": "a HUD in agents of Google's ADK",
    "agent-framework": "a HUD in agents of Microsoft's Agent Framework",
    "strands": "a HUD in agents of Strands",
    "crewai": "a HUD in agents of CrewAI",
    "otel": "what a HUD does, as OpenTelemetry's events",
    "preview": "`ujsx preview`, a HUD in the browser",
    "postgres": "a store in PostgreSQL, for many machines",
}
"""The purpose of each extra."""


def versions(_place: Place) -> Iterator[Finding]:
    """Yield the versions of ujsx, Python, and the required distributions."""
    yield Finding("ujsx", __version__)
    python = f"{platform.python_version()} ({platform.python_implementation()}, {sys.platform})"
    yield Finding("Python", python, "ok" if sys.version_info >= OLDEST_PYTHON else "missing")
    needed = requirements()
    if needed is None:
        advice = "so the versions that it needs are not known; install it: pip install ujsx"
        yield Finding("distributions", "ujsx runs without being installed", "note", advice)
    for each in needed or ():
        if each.extra is None:
            yield _distribution(each)


def extras(_place: Place) -> Iterator[Finding]:
    """Yield the installed extras with their purposes, and the commands that install the others."""
    by_extra: dict[str, list[Requirement]] = {}
    for each in requirements() or ():
        if each.extra is not None:
            by_extra.setdefault(each.extra, []).append(each)
    for name, needed in by_extra.items():
        yield _extra(name, needed)


def sqlite(_place: Place) -> Iterator[Finding]:
    """Yield the version of SQLite, and whether its write-ahead log is sound."""
    try:
        import sqlite3
    except ImportError:  # some builds of Python lack it
        yield Finding("SQLite", "none", "missing", "install a Python that has sqlite3")
        return
    found = sqlite3.sqlite_version_info
    if found < OLDEST_SQLITE:
        advice = f"the store needs {'.'.join(map(str, OLDEST_SQLITE))}"
        yield Finding("SQLite", sqlite3.sqlite_version, "missing", advice)
    elif has_wal_reset_bug(found):
        yield Finding(
            "SQLite",
            f"{sqlite3.sqlite_version} has the WAL-reset bug",
            "note",
            "ujsx makes its own checkpoints here, while nobody can write, so its stores are safe; "
            "other programs that write to them are not: SQLite 3.51.3, 3.50.7 and 3.44.6 are cured",
        )
    else:
        yield Finding("SQLite", sqlite3.sqlite_version)


def data_folder(place: Place) -> Iterator[Finding]:
    """Yield the folder for stores, and whether other users may read it."""
    name = str(place.parent) if isinstance(place, Path) else place
    if name is not None and is_address(name):
        return
    folder = Path(tempfile.gettempdir() if name is None else name)
    label = "temporary folder" if name is None else "data folder"
    if not folder.is_dir():
        yield Finding(label, f"{folder} is not a folder", "missing", "name another one")
    elif not os.access(folder, os.W_OK | os.X_OK):
        yield Finding(label, f"{folder} cannot be written", "missing", "check who owns it")
    elif name is None:
        yield Finding(label, f"{folder} can be written")
    else:
        yield from _privacy(label, folder)


def store_name(place: str | Path) -> str:
    """Return a store's name in a finding: a file's name, or an address's host and database."""
    if isinstance(place, Path):
        return place.name
    return without_password(place).rpartition("@")[2].partition("?")[0]


def store_paths(name: Place) -> Sequence[str | Path]:
    """Return the named store, those of the named folder, or the default one, if it exists.

    The address of a database means the store in it.
    """
    if isinstance(name, Path) or (name is not None and is_address(name)):
        return [name]
    if name is not None:
        return [each for each in sorted(Path(name).glob("*.db")) if each.name != OUTBOX]
    return [default_path()] if os.path.lexists(default_path()) else []


def logs_alone(folder: Path) -> list[Path]:
    """Return the stores of a folder that have only a write-ahead log."""
    logs = [
        each for each in sorted(folder.glob("*.db-wal")) if each.is_file() and each.stat().st_size
    ]
    stores = [each.with_suffix(".db") for each in logs if each.name != f"{OUTBOX}-wal"]
    return [each for each in stores if not os.path.lexists(each)]


def secrets(name: Place) -> Iterator[Finding]:
    """Yield the secrets in the stores."""
    from hud_runtime.cli._look import look_at_secrets

    yield from look_at_secrets(name)


def stores(name: Place) -> Iterator[Finding]:
    """Check each store of the folder, or the default one, without writing to it."""
    paths = [*store_paths(name)]
    folder = None
    if isinstance(name, Path):
        folder = name.parent
    elif name is None or not is_address(name):
        folder = default_path().parent if name is None else Path(name)
        paths += logs_alone(folder)
    if not paths and name is None:
        value = f"{default_path()} is not there yet"
        yield Finding("default store", value, "ok", "it is made when needed")
    try:
        from hud_runtime.cli._look import look, look_at_rescued
    except ImportError:  # another finding reports a missing dependency
        return
    for path in paths:
        yield from look(path)
    if folder is not None:
        yield from look_at_rescued(folder, name.name if isinstance(name, Path) else "*")


def outboxes(name: Place) -> Iterator[Finding]:
    """Check the configured outbox, and one in the named folder."""
    try:
        from hud_runtime.cli._look import look_at_outbox
        from hud_runtime.log.outbox import Outbox
        from hud_runtime.session import settings_beside
    except ImportError:  # another finding reports a missing dependency
        return
    try:
        found = [settings_beside(None).outbox]
        if isinstance(name, Path) or (name is not None and not is_address(name)):
            found.append(Outbox(name.parent if isinstance(name, Path) else name))
        for each in dict.fromkeys(found):
            if each is not None:
                yield from look_at_outbox(each)
    except UjsxError as error:
        yield Finding("outbox", "cannot be looked into", "unusable", str(error))


def hosts(_place: Place) -> Iterator[Finding]:
    """Yield the missing or unusable programs of each host with an installed HUD.

    Only the user's own settings are checked: hosts start their programs in any case.
    """
    try:
        from hud_runtime.cli._install import HOSTS, installer_of
        from hud_runtime.integrations._installing import problem_of
    except ImportError:  # another finding reports a missing dependency
        return
    for host in HOSTS:
        name = f"HUD in {host}"
        try:
            installer = installer_of(host)
            programs = installer.programs()
        except ImportError:  # another finding reports a missing dependency
            return
        except (InstallError, OSError, ValueError) as error:
            yield Finding(name, "its settings cannot be read", "note", str(error))
            continue
        remarks = [*installer.remarks()] if programs else []
        found = [Finding(name, "installed, with one problem", "note", each) for each in remarks]
        for each in programs:
            problem = problem_of(each)
            if problem is not None:
                advice = "repair that, or reinstall it: ujsx install --help"
                value = f"{each[0]} cannot use what it was given: {problem}"
                found.append(Finding(name, value, "note", advice))
            elif not remarks:
                found.append(Finding(name, f"installed, and started by {each[0]}"))
        yield from dict.fromkeys(found)  # one for all projects that have the same


def token_counter(_place: Place) -> Iterator[Finding]:
    """Yield the token counter."""
    yield Finding(
        "token counter", "ujsx.tokens.estimate_tokens, an estimate that needs no vocabulary"
    )


Check: TypeAlias = Callable[[Place], Iterator[Finding]]
"""A function that checks one thing."""

CHECKS: tuple[Check, ...] = (
    versions,
    sqlite,
    data_folder,
    stores,
    outboxes,
    hosts,
    token_counter,
    extras,
)
"""The checks, in the order in which their findings are shown."""


def _distribution(needed: Requirement) -> Finding:
    """Return whether a distribution is installed, and new enough."""
    found = _version(needed.name)
    wanted = needed.name if needed.oldest is None else f'"{needed.name}>={needed.oldest}"'
    if found is None:
        advice = f"install it: python -m pip install {wanted}"
        return Finding(needed.name, "not installed", "missing", advice)
    if needed.is_met_by(found):
        return Finding(needed.name, found)
    advice = f"update it: python -m pip install --upgrade {wanted}"
    return Finding(needed.name, f"{found} is too old", "too old", advice)


def _extra(name: str, needed: list[Requirement]) -> Finding:
    """Return whether an extra is complete; a missing extra is not a flaw."""
    found = {each: _version(each.name) for each in needed}
    wanting = [each for each, there in found.items() if there is None or not each.is_met_by(there)]
    has_any = any(found.values())
    value = ", ".join(_there(each, there) for each, there in found.items())
    advice = f"for {PURPOSES[name]}" if name in PURPOSES else ""
    if wanting:
        command = f'pip install {"--upgrade " if has_any else ""}"ujsx[{name}]"'
        advice = f"{advice}: {command}" if advice else command
    verdict: Verdict = "note" if wanting and has_any else "ok"
    return Finding(f"extra {name}", value if has_any else "not installed", verdict, advice)


def _there(needed: Requirement, found: str | None) -> str:
    if found is None:
        return f"no {needed.name}"
    if needed.is_met_by(found):
        return f"{needed.name} {found}"
    return f"{needed.name} {found} is too old ({needed.oldest} or newer is needed)"


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _privacy(label: str, folder: Path) -> Iterator[Finding]:
    value = f"{folder} (mode {stat.S_IMODE(folder.stat().st_mode):04o})"
    open_stores = [store.name for store in sorted(folder.glob("*.db")) if _is_shared(store)]
    if open_stores:
        advice = f"other users can open {', '.join(open_stores)}; run chmod 600 on them"
        yield Finding(label, value, "note", advice)
    elif _is_shared(folder):
        advice = "other users can see that there are stores; a new store is made with mode 0600"
        yield Finding(label, value, "note", advice)
    else:
        yield Finding(label, value)


def _is_shared(path: Path) -> bool:
    """Whether the mode gives other users any permission; Windows has no such mode."""
    if os.name == "nt" or not path.exists():  # a link may be broken
        return False
    return bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))


BROKEN = 1
"""The exit status if ujsx cannot work here, or if a store is damaged or unusable."""

ENDS: dict[str, str] = {
    "missing": "ujsx cannot work here.",
    "too old": "ujsx may fail here: update what is too old.",
    "damaged": "A store or an outbox is damaged.",
    "unusable": "A store cannot be used by this version of ujsx, or not from here.",
    "secret": "A store seems to contain a secret.",
    "refused": "An outbox keeps what its store has refused.",
    "unread": "Something in a store cannot be read by its domain: it is kept, and counted.",
}
"""The last line by the worst verdict."""


@argument(
    "store",
    metavar="STORE",
    required=False,
    help="the file of a store, a folder of stores, or postgresql://...: each store is looked into, and not changed "
    "(default: the default store, and the folder for temporary files, where `ujsx hud` puts its own)",
)
@option(
    "--secrets",
    is_flag=True,
    help="look for secrets in all that is stored, too; they are never printed",
)
@domain_option()
@json_option("the findings as data")
def run(options: Options) -> int:
    checks = (*CHECKS, secrets) if options.secrets else CHECKS
    place: Place = options.store
    if options.store is not None and not is_address(options.store):
        place = options.store if Path(options.store).is_dir() else existing(options.store)
    findings = [finding for check in checks for finding in check(place)]
    verdicts = {finding.verdict for finding in findings}
    broken = not verdicts.isdisjoint(BAD)
    if options.json:
        put_json({"ok": not broken, "findings": [finding.data() for finding in findings]})
    else:
        put(_text(findings, style_for()))
        ends = [end for verdict, end in ENDS.items() if verdict in verdicts]
        put(f"\n{(ends or ['ujsx can work here.'])[0]}\n")
    return BROKEN if broken else 0


def _text(findings: list[Finding], style: Style) -> str:
    width = max(len(finding.name) for finding in findings)
    lines: list[str] = []
    for finding in findings:
        mark = "" if finding.verdict == "ok" else f"{finding.verdict}: "
        value = f"{mark}{terminal_safe(finding.value)}"
        lines.append(f"{style.bold(f'{finding.name:<{width}}')}  {value}")
        if finding.advice:
            lines.append(f"{'':<{width}}  {style.dim(terminal_safe(finding.advice))}")
    return "\n".join(lines) + "\n"
