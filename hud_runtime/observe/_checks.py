"""Checks: the commands that check something, their results, the open errors, and what resolves them."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeAlias, cast

from hud_runtime.log.events import EventType
from hud_runtime.observe import _failures, _shell
from hud_runtime.observe._asks import cut
from hud_runtime.observe._observations import ToolAnswer
from hud_runtime.observe._shell import SimpleCommand
from hud_runtime.observe.messages import names, rows

# Commands that check something, by a table of tools.

# The commands that check something, and the arguments that narrow them, by tool and by task name.

CheckKind: TypeAlias = Literal[
    "test", "build", "types", "lint", "format", "packages", "git", "script"
]
"""The subject of a check; a script is a program that is run to see its effect."""


@dataclass(frozen=True, slots=True)
class CheckTool:
    """A tool that checks something."""

    kind: CheckKind

    chain: str = ""
    """The tool chain whose patterns match its output; empty for any."""

    narrows: frozenset[str] = frozenset()
    """Options that restrict the check to a part, each with a value."""

    takes: frozenset[str] = frozenset()
    """Other options that take a value."""

    folders: frozenset[str] = frozenset()
    """Options that name the folder of a task."""

    names: int = 0
    """The number of operands that name the task to run, and not its target."""

    needs: frozenset[str] = frozenset()
    """Options without which it checks nothing, such as the file for a database to run; ``<`` is its input."""


TOOLS: Mapping[str, CheckTool] = MappingProxyType(
    {
        name: CheckTool(
            kind=cast("CheckKind", kind),
            chain=chain,
            narrows=frozenset(narrows.split()),
            takes=frozenset(takes.split()),
            folders=frozenset(folders.split()),
            names=int(operands),
            needs=frozenset(needs.split()),
        )
        for kind, chain, operands, needs, narrows, takes, folders, names in rows("checks")
        for name in names.split(", ")
    }
)
"""The tools that check, by name; for a program with subcommands, by both words."""

KINDS: Mapping[str, frozenset[CheckKind]] = MappingProxyType(
    {
        chain: frozenset(tool.kind for tool in TOOLS.values() if tool.chain == chain)
        for chain in {tool.chain for tool in TOOLS.values() if tool.chain}
    }
)
"""The kinds of checks that the tools of a chain run."""

GIT = names("git")
"""Git operations whose failure may matter later."""

TASK_KINDS: tuple[tuple[str, CheckKind], ...] = (
    (r"test|spec|e2e|ci\b|check\b|verify", "test"),
    (r"lint|clippy|vet", "lint"),
    (r"type|tsc|mypy|pyright", "types"),
    (r"fmt|format|prettier", "format"),
    (r"build|compile|bundle|dist", "build"),
)
"""The kind of a project's own task, by words in its name; the first match counts."""

JAVA_KINDS: tuple[tuple[str, CheckKind], ...] = (
    (r"lint|spotless|checkstyle|detekt|pmd", "lint"),
    (r"compile|assemble|classes\b|jar\b|clean\b", "build"),
)
"""The same for tasks of JVM build tools, which run tests under any other name."""

INSTALLS = frozenset({"install", "ci", "i", "sync", "tidy", "restore"})
"""Commands that install all packages, and so resolve the same manager's other failures."""

QUIET_TASKS = re.compile(
    r"(?:dev|start|serve|watch|preview|clean|help|ls|list|run|storybook|logs?)\b"
)
"""Tasks that check nothing."""


_INTERPRETERS = re.compile(r"(?:python[\d.]*|node|ruby|perl|php|tsx|ts-node|deno|bun|bash|sh|zsh)")
_SCRIPTS = tuple(
    f".{each}" for each in ["py", "js", "mjs", "cjs", "ts", "tsx", "rb", "pl", "php", "sh", "bash"]
)
_PATTERNS = frozenset("\0$*?")
_INFORMS = frozenset([
    "--version", "--help", "-h", "-V", "--list", "--collect-only", "--showConfig", "help", "version",
])  # fmt: skip
_NARROWED = re.compile(r"(?P<option>--?[\w-]+)=(?P<value>.*)", re.DOTALL)

_FILE = re.compile(r"(?<![\w./-])/*+((?:[\w.-]++/)*+[\w-]+\.[a-z]{1,5}\b(?:::[\w:]+)?)")
"""A file in a message, with the test in it."""

MOST_WORDS = 1_000
"""Maximum words of a command that are examined."""

COMMAND_SHOWN = 80
"""Maximum characters of a command that are stored."""


@dataclass(frozen=True, slots=True)
class CheckCommand:
    """A check that a command runs."""

    kind: CheckKind
    tool: str
    """The tool by its usual name: "pytest", "go test", "mise run lint"."""
    scope: frozenset[str]
    """The parts that are checked; empty for everything."""
    chain: str
    """The tool chain whose patterns match the output; empty for any."""
    command: str
    """The command as written, without its surroundings."""
    place: str = ""
    """The folder in which it runs; empty for the agent's."""

    @property
    def name(self) -> str:
        """The check's name, the same for every spelling."""
        where = (f"in {self.place}",) if self.place else ()
        return " ".join((self.tool, *sorted(self.scope), *where))[:200]

    def covers(self, other: CheckCommand) -> bool:
        """Return whether a pass of this check implies a pass of the other.

        >>> all_, one = check_of(["pytest"]), check_of(["python", "-m", "pytest", "tests/a.py"])
        >>> all_.covers(one), one.covers(all_)
        (True, False)
        """
        if self.tool != other.tool or (self.scope and not other.scope) or self.is_apart(other):
            return False
        is_within = (any(_within(part, whole) for whole in self.scope) for part in other.scope)
        return not self.scope or all(is_within)

    def is_apart(self, other: CheckCommand) -> bool:
        """Return whether this check's folder does not hold the other's; a folder that is not known may be any."""
        return bool(self.place and other.place) and not _within(other.place, self.place)

    def reruns(self, message: str) -> bool:
        r"""Return whether this check includes the file that a message names, and the message
        reports nothing else.

        >>> one = check_of(["pytest", "tests/a.py"])
        >>> one.reruns("pytest: tests/a.py::test_b - assert 0"), one.reruns("pytest: tests/a.py::test_b (+1 more)")
        (True, False)
        """
        named = _FILE.search(message)
        if named is None or " more)" in message:
            return False
        is_narrowed = any(one.startswith("-") for one in self.scope)
        return not is_narrowed and any(_within(named[1], whole) for whole in self.scope)

    def installs_all(self, other: CheckCommand) -> bool:
        """Return whether this command installs what another one, of the same package manager, could not.

        >>> check_of(["npm", "install"]).installs_all(check_of(["npm", "ci"]))
        True
        """
        return (
            self.kind == other.kind == "packages"
            and self.chain == other.chain != ""
            and not self.scope
            and self.tool.split()[-1] in INSTALLS
        )

    def compiles(self, message: str) -> bool:
        """Return whether this check compiles the files that a message names, even if other options
        narrow it.

        >>> check_of("go test ./auth/... -run X".split()).compiles("go build: auth/a.go:1:2: undefined: x")
        True
        """
        if self.chain == "dotnet":
            return True  # a project's references are compiled with it
        places = [one for one in self.scope if "/" in one or one.startswith(("-p ", "--package "))]
        if not places:
            return True
        paths = re.findall(r"[\w./-]+/[\w.-]+", message)
        return any(_within(path, place) for path in paths for place in places)


def _within(part: str, whole: str) -> bool:
    part, whole = part.removeprefix("./"), whole.removeprefix("./")
    whole = whole.removesuffix("...")
    return part == whole or part.startswith((f"{whole.rstrip('/')}/", f"{whole}::")) or not whole


def check_of(words: Sequence[str], tools: Mapping[str, CheckTool] = TOOLS) -> CheckCommand | None:
    """Return the check that a command runs, or None where it checks nothing.

    >>> check_of("go test -race ./pkg/... -count=1".split()).name
    'go test ./pkg/...'
    >>> check_of(["mise", "run", "lint"]).kind, check_of(["ls", "-l"])
    ('lint', None)
    """
    words = [word for word in words if word][:MOST_WORDS]
    if not words or _INFORMS.intersection(words[1:3]):
        return None
    spelled, given = within(" ".join(" ".join(words).split()), COMMAND_SHOWN), words
    words = _usual(words)
    name = words[0]
    if name == "git":
        operation, _ = _shell.git_operation(words)
        if operation not in GIT:
            return None
        return CheckCommand("git", f"git {operation}", frozenset(), "git", spelled)
    used = next((many for many in (3, 2, 1) if " ".join(words[:many]) in tools), 0)
    if not used:
        return _script(given, spelled)
    tool = tools[" ".join(words[:used])]
    if tool.needs and not tool.needs.intersection(words):
        return None
    return _check(tool, " ".join(words[:used]), words[used:], spelled)


def _check(tool: CheckTool, name: str, rest: list[str], spelled: str) -> CheckCommand | None:
    scope: set[str] = set()
    before, after = rest, list[str]()
    if "--" in rest:
        place = rest.index("--")
        before, after = rest[:place], rest[place + 1 :]
    operands = _operands(tool, before, scope)
    kind: CheckKind = tool.kind
    if kind not in ("lint", "build"):  # there the words after it are for a compiler
        scope.update(_operands(_BEHIND, after, scope))
    if tool.names:
        named, operands = operands[: tool.names], operands[tool.names :]
        named = [one for one in named if one not in _ALL or kind == "script"]
        name = " ".join((name, *named))
        if kind in ("script", "build"):
            if kind == "script" and (not named or QUIET_TASKS.match(named[0])):
                return None
            task = " ".join(named).lower()
            kind = _kind_of(task, kind)
        elif tool.chain == "java" and named:
            kinds: set[CheckKind] = {_kind_of(one.lower(), kind, JAVA_KINDS) for one in named}
            kind = kinds.pop() if len(kinds) == 1 else kind
    scope.update(one for one in operands if one not in _ALL and one != "<")
    if name == "cargo run":
        scope.update(after[:1])
    parts = frozenset(one[:120] for one in scope)
    places = _shell.values_of(tool.folders, before)
    return CheckCommand(kind, name, parts, tool.chain, spelled, posixpath.join("", *places))


_ALL = frozenset([".", "./...", "all", "@all", "//...", "//...:all"])
"""Operands that mean everything."""

_BEHIND = CheckTool(
    "test",
    narrows=TOOLS["jest"].narrows | TOOLS["pytest"].narrows,
    takes=frozenset({"--test-threads"}),
)
"""Arguments after ``--``, which are for the tool that a task runs."""


def _kind_of(
    task: str, usual: CheckKind, kinds: tuple[tuple[str, CheckKind], ...] = TASK_KINDS
) -> CheckKind:
    """The kind of a project's own task, by its name."""
    for words, kind in kinds:
        if re.search(words, task):
            return kind
    return usual


def is_named_as_check(path: str) -> bool:
    """Return whether a script's path says that it checks the project."""
    return _kind_of(path.lower(), "script") != "script"


def _operands(tool: CheckTool, words: list[str], scope: set[str]) -> list[str]:
    """The operands; options that narrow the check are added to its scope."""
    left: list[str] = []
    rest = iter(words)
    for word in rest:
        match = _NARROWED.fullmatch(word)
        option, value = (match["option"], match["value"]) if match else (word, None)
        if option in tool.narrows:
            scope.add(f"{option} {next(rest, '') if value is None else value}".strip())
        elif option in tool.takes | tool.folders and value is None:
            next(rest, None)
        else:
            left.append(word)
    return _shell.split_options(left)[0]


def _usual(words: list[str]) -> list[str]:
    """The words, beginning with the tool's usual name."""
    name = posixpath.basename(words[0])
    if re.fullmatch(r"python[\d.]*|py", name) and len(words) > 2:
        if words[1] == "-m":
            return _usual(words[2:])
        script = posixpath.basename(words[1])
        if script == "manage.py":
            return [f"{script} {words[2]}", *words[3:]]
    if name in ("node", "php", "ruby") and len(words) > 1:
        tool = posixpath.basename(words[1]).removesuffix(".js")
        if tool in TOOLS and "node_modules" in words[1]:
            return [tool, *words[2:]]
    if name in ("npm", "pnpm", "yarn", "bun"):
        rest = _shell.past_selection([name, *words[1:]])
        selecting = words[1 : len(words) - len(rest)]
        return _of_packages(name, [*rest[:1], *selecting, *rest[1:]])
    if name in ("docker", "docker-compose", "podman"):
        left = [name.replace("-", " "), *(one for one in words[1:] if one != "buildx")]
        return " ".join(left[:2]).split() + left[2:]
    if name in _SPELLED:
        return [_SPELLED[name], *words[1:]]
    return [name, *words[1:]]


_SPELLED = {
    "mvnw": "mvn",
    "gradlew": "gradle",
    "py.test": "pytest",
    "pip3": "pip",
    "gmake": "make",
    "bazelisk": "bazel",
}
"""Other names of the same tools."""


def _of_packages(name: str, words: list[str]) -> list[str]:
    """A script or a tool that a package manager runs: ``yarn test:unit``, ``pnpm eslint``."""
    if name == "npm" or not words or f"{name} {words[0]}" in TOOLS:
        return [name, *words]
    if words[0] in TOOLS:
        return words
    is_task = any(re.search(pattern, words[0]) for pattern, _ in TASK_KINDS)
    return [name, "run", *words] if is_task and words[0].isascii() else [name, *words]


def _script(words: list[str], spelled: str) -> CheckCommand | None:
    """The check of a command that runs one of the project's own programs."""
    place = 0 if "/" in words[0] else len(words)
    if _INTERPRETERS.fullmatch(posixpath.basename(words[0])):
        if words[1:2] and words[1] in ("-c", "-e", "-n", "-"):
            return None
        options = itertools.takewhile(lambda one: one.startswith("-"), words[1:])
        place = 1 + sum(1 for _ in options)
    path = words[place] if place < len(words) else ""
    if not path.endswith(_SCRIPTS) or not _PATTERNS.isdisjoint(path):
        return None
    # An option may have a value. So only the words before the first option name the program and its
    # target.
    given = [*itertools.takewhile(lambda one: one[0] not in "-<", words[place + 1 :])]
    name = " ".join((posixpath.normpath(path), *given[:1]))
    return CheckCommand("script", name, frozenset(one[:120] for one in given[1:]), "", spelled)


def within(line: str, longest: int) -> str:
    """Return a command shortened to so many characters; both ends are kept, as they identify it.

    >>> within("go test ./internal/very/long/path/... -count=1 -race -run TestLogin", 40)
    'go test ./int… -race -run TestLogin'
    >>> within("/srv/shop/.venv/bin/python -m pytest tests/test_login.py", 40)
    'python -m pytest tests/test_login.py'
    """
    if len(line) <= longest:
        return line
    program, space, rest = line.partition(" ")
    if program.startswith("/") and _INTERPRETERS.fullmatch(posixpath.basename(program)):
        line = f"{posixpath.basename(program)}{space}{rest}"
        if len(line) <= longest:
            return line
    from hud_runtime.log.secrets import masked  # half of a secret is not found later

    line = masked(line)
    head = longest // 3
    tail = line[head + 1 - longest :]
    return f"{line[:head].rstrip()}… {tail.partition(' ')[2] or tail}"[:longest]


def checks_in(commands: Sequence[SimpleCommand]) -> list[tuple[int, CheckCommand]]:
    """Return the checks among a script's commands, each with the position of its command."""
    found: list[tuple[int, CheckCommand]] = []
    for place, command in enumerate(commands):
        read = [each for each in command.read if not each.startswith("/dev/")][:1]
        check = check_of([*command.words, *("<" for _ in read), *read])
        if check is not None:
            own = _shell.git_folder(command.words) if check.chain == "git" else check.place
            folder = posixpath.join(command.directory, own)
            scope = check.scope.union(command.selected)
            found.append((place, replace(check, place=folder, scope=scope)))
    return found


# Verdicts: the result of each check, the open errors, and what resolves them.

# The open errors: the cause of each, what resolves it, and when it expires.

ErrorKind: TypeAlias = Literal[
    "check", "script", "packages", "git", "conflict", "edit", "tool", "command", "misuse"
]
"""The source of an error."""

LIVES: Mapping[ErrorKind, int] = MappingProxyType(
    {
        "check": 60,
        "conflict": 200,
        "script": 15,
        "packages": 15,
        "edit": 8,
        "command": 6,
        "git": 3,
        "misuse": 3,
        "tool": 3,
    }
)
"""The number of the agent's turns for which an unresolved error stays open. A retry or a workaround
comes within a few turns; a failing check stays open until it passes.
"""

AFTER_COMMIT = 12
"""The number of turns for which a failing check stays open after its work is committed."""

EventPair: TypeAlias = tuple[EventType, dict[str, object]]

ErrorKey: TypeAlias = tuple[str, str]
"""The identity of an error: its kind, and its subject."""


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """The verdict on a check."""

    check: CheckCommand
    message: str | None
    """The error; None if the check passed."""

    compiles: bool = True
    """True if the work compiled."""

    chain: str = ""
    """The tool chain whose pattern matched the output; empty for none."""


@dataclass(slots=True)
class OpenError:
    """An open error."""

    kind: ErrorKind
    message: str
    until: int
    """The last turn in which it is open."""
    verdict: CheckVerdict | None = None
    """The verdict on the failed check; None for any other error."""


class Ledger:
    """The open errors by key; each key has at most one error, the latest."""

    def __init__(self) -> None:
        self.turn = 0
        """The session's turn."""
        self.has_had_any = False
        """Whether there was an error that this ledger knows of, resolved or not."""
        self._open: dict[ErrorKey, OpenError] = {}

    def failed(
        self, key: ErrorKey, kind: ErrorKind, message: str, verdict: CheckVerdict | None = None
    ) -> Iterator[EventPair]:
        """Yield the events of a failure."""
        known = self._open.pop(key, None)
        self.resume(key, kind, message, verdict)
        if known is not None and known.message == message:
            return
        if known is not None:
            yield from self._gone(known)
        yield "error.encountered", {"message": message}

    def resume(
        self, key: ErrorKey, kind: ErrorKind, message: str, verdict: CheckVerdict | None
    ) -> None:
        """Open an error, without an event."""
        self.has_had_any = True
        self._open[key] = OpenError(kind, message, self.turn + LIVES[kind], verdict)

    def has(self, key: ErrorKey) -> bool:
        """Return whether an error is open."""
        return key in self._open

    @property
    def lives(self) -> dict[str, int]:
        """The last turn in which each error is open, by message."""
        return {error.message: error.until for error in self._open.values()}

    def live_until(self, lives: Mapping[str, int]) -> None:
        """Restore the last turns of open errors from another reader's :attr:`lives`."""
        for error in self._open.values():
            error.until = lives.get(error.message, error.until)

    def succeeded(self, key: ErrorKey) -> Iterator[EventPair]:
        """Yield the events of a success, which resolves the error with the same key."""
        known = self._open.pop(key, None)
        if known is not None:
            yield from self._gone(known)

    def passed(self, verdict: CheckVerdict) -> Iterator[EventPair]:
        """Yield the events of a passed check, which resolves every error that it covers."""
        yield from self._close(lambda error: error.kind == "misuse" or _disproves(verdict, error))

    def compiled(self, check: CheckCommand) -> Iterator[EventPair]:
        """Yield the events of a successful compilation, which resolves compile errors of the same
        tool chain.
        """
        yield from self._close(
            lambda error: (
                error.verdict is not None
                and not error.verdict.compiles
                and error.verdict.check.chain == check.chain
                and check.compiles(error.message)
            )
        )

    def committed(self) -> Iterator[EventPair]:
        """Yield the events of a commit, which resolves errors that blocked it."""
        yield from self._close(lambda error: error.kind not in ("check", "packages"))
        for error in self._open.values():
            error.until = min(error.until, self.turn + AFTER_COMMIT)

    def went_on(self, kind: ErrorKind) -> Iterator[EventPair]:
        """Yield the events of a workaround, or of a finished merge, which resolves all errors of a kind."""
        yield from self._close(lambda error: error.kind == kind)

    def begin(self, turn: int) -> Iterator[EventPair]:
        """Yield the events of a new turn, in which old errors expire."""
        self.turn = turn
        yield from self._close(lambda error: error.until < turn)

    def _close(self, is_over: Callable[[OpenError], bool]) -> Iterator[EventPair]:
        over = [key for key, error in self._open.items() if is_over(error)]
        for key in over:
            yield from self._gone(self._open.pop(key))

    def _gone(self, error: OpenError) -> Iterator[EventPair]:
        if all(each.message != error.message for each in self._open.values()):
            yield "error.resolved", {"id": error.message}


def _disproves(passed: CheckVerdict, error: OpenError) -> bool:
    """Return whether a passed check resolves the error of a failed one: it covers that check, or its
    file, or checks everything with the same tool chain, however spelled.
    """
    if error.verdict is None:
        return False
    check, failed = passed.check, error.verdict.check
    if check.is_apart(failed):
        return False
    # A task such as ``test:unit`` or ``:api:test`` is a part.
    is_as_wide = ":" not in check.tool and (not check.scope or check.scope == failed.scope)
    is_of_work = check.kind in ("test", "build", "types", "lint", "format")
    return (
        check.covers(failed)
        or check.installs_all(failed)
        or (check.tool == failed.tool and check.reruns(error.message.partition(": ")[2]))
        or (
            is_as_wide
            and is_of_work
            and check.kind == failed.kind
            and passed.chain == error.verdict.chain != ""
        )
    )


def has_failed(result: ToolAnswer) -> bool | None:
    """Return whether a command failed; None where neither exit code nor status is known."""
    if result.exit_code is not None:
        return result.exit_code != 0
    return {"failed": True, "done": False}.get(result.status)


def verdicts(
    commands: Sequence[SimpleCommand],
    checks: Sequence[tuple[int, CheckCommand]],
    result: ToolAnswer,
    failures: Sequence[_failures.Failure] = _failures.FAILURES,
) -> list[CheckVerdict]:
    """Return the verdicts on the checks among a script's commands.

    A script's status is that of its last command, or in ``a && b`` of the first that failed; after
    a pipe it is the pipe's. A check whose own status is unknown is judged by its output.
    """
    if not checks or _NOTHING.search(result.text[-300:].rstrip().rpartition("\n")[2]):
        return []
    failed = has_failed(result)
    last = len(commands) - 1
    words = _words(checks, result.text, failures)
    blamed = [place for place, _ in checks if words[place]]
    found: list[CheckVerdict] = []
    for place, check in checks:
        decides = _decides(commands, place)
        finding = words[place]
        message = None if finding is None else finding.message
        if decides and failed is False:
            # Without an exit code, a status that is not "failed" does not prove success.
            is_told = result.exit_code is not None
            message = None if is_told else _failures.failure_in(result.text, "command", failures)
            if message is None and not is_told and _failures.is_usage(result.text):
                continue
        elif decides and failed:
            # In `a && b` only one check has failed: the last with a failure in the output, or the
            # last of all.
            culprit = max((each for each in blamed if _decides(commands, each)), default=last)
            if place > culprit:
                continue  # it was not reached
            message = (message or _failures.telling_line(result.text)) if place == culprit else None
        elif (
            message is None
            and (
                commands[place].written
                or _is_caught(commands, place)
                or _failures.is_usage(result.text)
                or _failures.is_troubled(result.text)
            )
            and not _failures.success_in(result.text, of=check.chain)
        ):
            continue  # its output is in a file, or it may not have begun or ended
        compiles = message is None or finding is None or not finding.failure.compiles
        said = (
            finding.failure.chain
            if finding and message
            else _failures.success_in(result.text, of=check.chain)
        )
        found.append(CheckVerdict(check, message, compiles, said or check.chain))
    return found


def _words(
    checks: Sequence[tuple[int, CheckCommand]],
    text: str,
    failures: Sequence[_failures.Failure],
) -> dict[int, _failures.FailureFound | None]:
    """The failure of each check in the output, by position; one message counts for one check only."""
    words = {
        place: _failures.finding_in(text, "command", failures, one.chain) for place, one in checks
    }
    by_message: dict[str, list[tuple[int, CheckCommand]]] = {}
    for place, check in checks:
        finding = words[place]
        if finding is not None:
            by_message.setdefault(finding.message, []).append((place, check))
    for same in by_message.values():
        likely = [one for one in same if _can_say(words[one[0]], one[1], text)] or same
        for place, _ in same:
            if place != likely[-1][0]:
                words[place] = None
    return words


def _can_say(finding: _failures.FailureFound | None, check: CheckCommand, text: str) -> bool:
    """Return whether a check may have printed this failure: its kind fits, and it was started."""
    if finding is None:
        return False
    chain = finding.failure.chain
    begun = _BEGUN.get(chain) if check.kind == "test" else None
    return check.kind in KINDS.get(chain, (check.kind,)) and (
        begun is None or begun.search(text) is not None
    )


_BEGUN: Mapping[str, re.Pattern[str]] = {
    "go": re.compile(r"^(?:ok|FAIL|---|===|\?)[ \t]", re.MULTILINE),
    "cargo": re.compile(r"^(?:running \d+ tests?|test result:|     Running |error: could not compile .*\(.*test\))", re.MULTILINE),
}  # fmt: skip
"""Output that tests print once they are built, by tool chain."""


def is_not_applied(verdict: CheckVerdict) -> bool:
    """Return whether a patch left its files as they were: a merge with conflicts changes them."""
    message = verdict.message
    return verdict.check.kind == "git" and bool(message) and "with conflicts" not in str(message)


def _decides(commands: Sequence[SimpleCommand], place: int) -> bool:
    """Return whether a command's failure fails the script."""
    return (
        commands[-1].joint != "&"
        and "!" not in commands[place].around
        and all(each.joint == "&&" for each in commands[place:-1])
    )


def _is_caught(commands: Sequence[SimpleCommand], place: int) -> bool:
    """Return whether a command's failure is none of the script's: `||` or `!` turns it around, or nobody waits for it."""
    joints = [each.joint for each in commands[place:]]
    end = next((n for n, joint in enumerate(joints) if joint not in ("&&", "||")), len(joints))
    is_turned = "!" in commands[place].around or "||" in joints[:end]
    return is_turned or "&" in joints[end : end + 1]


_NOTHING = re.compile(
    r"no tests ran|^=*\s*\d+ deselected|^nothing to commit|^no changes added to commit|^nothing added to commit"
)
"""Output of a command that ran nothing, which is not a result."""


# The effects of a script's commands: check results, new and resolved errors, finished merges.

Script: TypeAlias = tuple[Sequence[SimpleCommand], Sequence[tuple[int, CheckCommand]]]
"""The commands of a script, and the checks among them with their positions."""

SHORT_SCRIPT, SCRIPTS_KEPT = 500, 256
"""Maximum characters of a script whose commands are cached, and maximum scripts in the cache."""

LABEL_SHOWN = 60
"""Maximum characters of a command that an error repeats."""

GIT_CHECKS = frozenset(f"git {one}" for one in ("push", "commit", "merge", "rebase", "pull", "am", "cherry-pick", "revert"))  # fmt: skip
"""Git operations that are listed as checks from a failure until they succeed."""

_CONFLICT = ("conflict", "")
"""The key of a merge conflict: a repository is in at most one merge."""

_MERGES = frozenset({"merge", "rebase", "cherry-pick", "revert", "stash", "pull", "am"})
_ENDS_MERGE = frozenset({"--abort", "--continue", "--skip", "--quit"})
ERROR_KINDS: dict[str, ErrorKind] = {"script": "script", "packages": "packages", "git": "git"}
"""The error kinds of checks of these kinds; all others are of kind "check"."""


class SessionChecks:
    """The checks of a session, script by script.

    :param errors: the open errors.
    :param failures: the patterns of failures.
    """

    def __init__(self, errors: Ledger, failures: Sequence[_failures.Failure]) -> None:
        self._errors = errors
        self._failures = failures
        self._failing: set[str] = set()
        self._scripts: dict[str, Script] = {}

    def resume(self, failing: Iterable[str]) -> None:
        """Go on from the checks, by name, that failed when they last ran."""
        self._failing.update(failing)

    def read(self, script: str) -> Script:
        """The commands of a script and the checks among them; cached in the session alone, as agents repeat scripts."""
        known = self._scripts.get(script)
        if known is None:
            commands = _shell.all_commands(script)
            known = commands, checks_in(commands)
            if len(script) < SHORT_SCRIPT:
                if len(self._scripts) == SCRIPTS_KEPT:
                    self._scripts.clear()
                self._scripts[script] = known
        return known

    def verdict(self, verdict: CheckVerdict, result: ToolAnswer) -> Iterator[EventPair]:
        """Yield the events of a verdict."""
        check, message = verdict.check, verdict.message
        if verdict.compiles and check.chain:
            yield from self._errors.compiled(check)
        if message is None:
            yield from self._errors.passed(verdict)
            if check.kind == "git":
                yield from self._errors.went_on("git")
        elif _failures.is_slip(result.text):
            return
        elif "CONFLICT (" in result.text and check.kind == "git":
            words = said(check.command, conflicts(result.text))
            yield from self._errors.failed(_CONFLICT, "conflict", words)
        else:
            misused = _failures.is_misuse(message)
            kind = "misuse" if misused else ERROR_KINDS.get(check.kind, "check")
            words = said(check.command, message)
            yield from self._errors.failed(("check", check.name), kind, words, verdict)
            if misused and check.name not in self._failing:
                return
        is_news = message is not None or check.name in self._failing
        if check.kind == "git" and not (is_news and check.name in GIT_CHECKS):
            return
        if message is None and check.kind == "packages" and check.name not in self._failing:
            return
        (self._failing.discard if message is None else self._failing.add)(check.name)
        outcome = "pass" if message is None else "fail"
        yield "check.result", {"name": check.name, "command": check.command, "result": outcome}

    def merge(self, commands: Iterable[SimpleCommand], result: ToolAnswer) -> Iterator[EventPair]:
        """Yield the events of the project's commands that end a merge: a commit, an abort, a continuation."""
        if has_failed(result):
            return
        for command in commands:
            words = command.words
            if words[:1] != ["git"]:
                continue
            if "commit" in words[:4] or "reset" in words[:4] or _ENDS_MERGE.intersection(words):
                yield from self._errors.went_on("conflict")
                for name in [one for one in self._failing if one.removeprefix("git ") in _MERGES]:
                    self._failing.discard(name)
                    yield "check.result", {"name": name, "command": name, "result": "pass"}
            if "commit" in words[:4]:
                yield from self._errors.committed()

    def under_way(self, what: str) -> Iterator[EventPair]:
        """Yield the events of an operation in progress in the project's repository; empty for none."""
        if not what:
            yield from self._errors.went_on("conflict")
        elif not self._errors.has(_CONFLICT):
            yield from self._errors.failed(_CONFLICT, "conflict", what)

    def unchecked(
        self, script: str, commands: Sequence[SimpleCommand], result: ToolAnswer
    ) -> Iterator[EventPair]:
        """Yield the failures that a script without checks reports, by patterns that hold for any command."""
        if any(one.text for one in commands) or any("-c" in one.words for one in commands):
            return
        key = ("command", " ".join(script.split())[:500])
        message = _failures.failure_in(result.text, "command", self._failures)
        if message is None or _failures.is_slip(result.text):
            yield from self._errors.succeeded(key)
            return
        label = script.strip().partition("\n")[0]
        kind: ErrorKind = "misuse" if _failures.is_misuse(message) else "command"
        yield from self._errors.failed(key, kind, said(label, message))


def conflicts(text: str) -> str:
    r"""Return the files in conflict, in one line.

    >>> conflicts("CONFLICT (content): Merge conflict in a.py\nCONFLICT (content): Merge conflict in b.py")
    'CONFLICT in a.py, b.py'
    >>> conflicts("CONFLICT (content): Merge conflict in app/src/a.py\nCONFLICT (content): Merge conflict in app/b.py")
    'CONFLICT in app/: src/a.py, b.py'
    """
    lines = [line for line in text.splitlines() if line.startswith("CONFLICT (")]
    files = [line.rpartition(" in ")[2].strip() or line for line in lines]
    start = posixpath.commonprefix(files) if len(files) > 1 else ""
    folder = start[: start.rfind("/") + 1]
    shown = ", ".join(each.removeprefix(folder) for each in files[:4])
    more = f" (+{len(files) - 4} more)" if len(files) > 4 else ""
    return f"CONFLICT in {folder and f'{folder}: '}{shown}{more}"


def said(label: str, message: str) -> str:
    """Return a message with its label before it."""
    return cut(f"{within(label, LABEL_SHOWN)}: {message}", _failures.LONGEST)
