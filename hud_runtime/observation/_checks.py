"""Commands that check something, and what they are, however they are spelled.

``uv run pytest -q tests/a.py 2>&1 | tail -5`` and ``python -m pytest tests/a.py`` are one check: the
tool ``pytest`` on the scope ``tests/a.py``.
"""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hud_runtime.observation._check_tools import (
    GIT,
    INSTALLS,
    JAVA_KINDS,
    QUIET_TASKS,
    TASK_KINDS,
    TOOLS,
    CheckKind,
    CheckTool,
)
from hud_runtime.observation._shell import git_operation, split_options
from hud_runtime.observation._shell_scripts import IN_PACKAGE
from hud_runtime.observation._shell_words import Command, past_options

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
"""A file, and a test in it, in a message."""

MOST_WORDS = 1_000
"""Words of a command that are looked at."""

COMMAND_SHOWN = 80
"""Characters of a command that are kept."""


@dataclass(frozen=True, slots=True)
class Check:
    """The subject of a check."""

    kind: CheckKind
    tool: str
    """The tool by its usual name: "pytest", "go test", "mise run lint"."""
    scope: frozenset[str]
    """What of all that could be checked; everything where it is empty."""
    chain: str
    """Whose words the output has; empty for any."""
    command: str
    """The command as it is spelled, without what stands around it."""

    @property
    def name(self) -> str:
        """The check, the same however it is spelled."""
        return " ".join((self.tool, *sorted(self.scope)))[:200]

    def covers(self, other: Check) -> bool:
        """Tell whether that this one passes means that the other would.

        >>> all_, one = check_of(["pytest"]), check_of(["python", "-m", "pytest", "tests/a.py"])
        >>> all_.covers(one), one.covers(all_)
        (True, False)
        """
        if self.tool != other.tool:
            return False
        return (
            all(any(_within(part, whole) for whole in self.scope) for part in other.scope)
            if (self.scope and other.scope)
            else not self.scope
        )

    def reruns(self, message: str) -> bool:
        r"""Tell whether this check has what a message names, and that is all that the message tells of.

        >>> one = check_of(["pytest", "tests/a.py"])
        >>> one.reruns("pytest: tests/a.py::test_b - assert 0"), one.reruns("pytest: tests/a.py::test_b (+1 more)")
        (True, False)
        """
        named = _FILE.search(message)
        if named is None or " more)" in message:
            return False
        is_narrowed = any(one.startswith("-") for one in self.scope)
        return not is_narrowed and any(_within(named[1], whole) for whole in self.scope)

    @property
    def is_whole(self) -> bool:
        """True if it checks everything there is: no part, and no part's own task (``test:unit``, ``:api:test``)."""
        return not self.scope and ":" not in self.tool

    def installs_all(self, other: Check) -> bool:
        """Tell whether this one sets up what another, of the same manager of packages, could not.

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
        """Tell whether this check compiles what a message speaks of, whatever else narrows it.

        >>> check_of("go test ./auth/... -run X".split()).compiles("go build: auth/a.go:1:2: undefined: x")
        True
        """
        if self.chain == "dotnet":
            return True  # what a project refers to is compiled with it
        places = [one for one in self.scope if "/" in one or one.startswith(("-p ", "--package "))]
        if not places:
            return True
        paths = re.findall(r"[\w./-]+/[\w.-]+", message)
        return any(_within(path, place) for path in paths for place in places)


def _within(part: str, whole: str) -> bool:
    part, whole = part.removeprefix("./"), whole.removeprefix("./")
    whole = whole.removesuffix("...")
    return part == whole or part.startswith((f"{whole.rstrip('/')}/", f"{whole}::")) or not whole


def check_of(words: Sequence[str], tools: Mapping[str, CheckTool] = TOOLS) -> Check | None:
    """Return what a command checks, or None where it checks nothing.

    >>> check_of("go test -race ./pkg/... -count=1".split()).name
    'go test ./pkg/...'
    >>> check_of(["mise", "run", "lint"]).kind, check_of(["ls", "-l"])
    ('lint', None)
    """
    words = [word for word in words if word][:MOST_WORDS]
    if not words or _INFORMS.intersection(words[1:3]):
        return None
    spelled, given = _spelled(words), words
    words = _usual(words)
    name = words[0]
    if name == "git":
        operation, _ = git_operation(words)
        if operation not in GIT:
            return None
        return Check("git", f"git {operation}", frozenset(), "git", spelled)
    used = next((many for many in (3, 2, 1) if " ".join(words[:many]) in tools), 0)
    if not used:
        return _script(given, spelled)
    tool = tools[" ".join(words[:used])]
    if tool.needs and not tool.needs.intersection(words):
        return None
    return _check(tool, " ".join(words[:used]), words[used:], spelled)


def _check(tool: CheckTool, name: str, rest: list[str], spelled: str) -> Check | None:
    scope: set[str] = set()
    before, after = rest, list[str]()
    if "--" in rest:
        place = rest.index("--")
        before, after = rest[:place], rest[place + 1 :]
    operands = _operands(tool, before, scope)
    kind: CheckKind = tool.kind
    if kind not in ("lint", "build"):  # there the words behind it are for a compiler
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
    scope.update(one for one in operands if one not in _ALL)
    return Check(kind, name, frozenset(one[:120] for one in scope), tool.chain, spelled)


_ALL = frozenset([".", "./...", "all", "@all", "//...", "//...:all"])
"""Operands that stand for all there is."""

_BEHIND = CheckTool(
    "test",
    narrows=TOOLS["jest"].narrows | TOOLS["pytest"].narrows,
    takes=frozenset({"--test-threads"}),
)
"""What stands behind ``--`` is for the tool that a task runs."""


def _kind_of(
    task: str, usual: CheckKind, kinds: tuple[tuple[str, CheckKind], ...] = TASK_KINDS
) -> CheckKind:
    """What a project's own task checks, by its name."""
    for words, kind in kinds:
        if re.search(words, task):
            return kind
    return usual


def _operands(tool: CheckTool, words: list[str], scope: set[str]) -> list[str]:
    """The operands; what narrows the check is added to its scope."""
    left: list[str] = []
    rest = iter(words)
    for word in rest:
        match = _NARROWED.fullmatch(word)
        option, value = (match["option"], match["value"]) if match else (word, None)
        if option in tool.narrows:
            scope.add(f"{option} {next(rest, '') if value is None else value}")
        elif option in tool.takes and value is None:
            next(rest, None)
        else:
            left.append(word)
    return split_options(left)[0]


def _usual(words: list[str]) -> list[str]:
    """The words with the tool by its usual name first."""
    name = posixpath.basename(words[0])
    if re.fullmatch(r"python[\d.]*|py", name) and len(words) > 2 and words[1] == "-m":
        return _usual(words[2:])
    if re.fullmatch(r"python[\d.]*|py", name) and len(words) > 2:
        script = posixpath.basename(words[1])
        if script == "manage.py":
            return [f"{script} {words[2]}", *words[3:]]
    if name in ("node", "php", "ruby") and len(words) > 1:
        tool = posixpath.basename(words[1]).removesuffix(".js")
        if tool in TOOLS and "node_modules" in words[1]:
            return [tool, *words[2:]]
    if name in ("npm", "pnpm", "yarn", "bun"):
        return _of_packages(name, past_options(words[1:], IN_PACKAGE))
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
    """A script or a tool that a manager of packages runs: ``yarn test:unit``, ``pnpm eslint``."""
    if name == "npm" or not words or f"{name} {words[0]}" in TOOLS:
        return [name, *words]
    if words[0] in TOOLS:
        return words
    is_task = any(re.search(pattern, words[0]) for pattern, _ in TASK_KINDS)
    return [name, "run", *words] if is_task and words[0].isascii() else [name, *words]


def _script(words: list[str], spelled: str) -> Check | None:
    """The check that a run of a program of the project's own is."""
    place = 0 if "/" in words[0] else len(words)
    if _INTERPRETERS.fullmatch(posixpath.basename(words[0])):
        if words[1:2] and words[1] in ("-c", "-e", "-n", "-"):
            return None
        options = itertools.takewhile(lambda one: one.startswith("-"), words[1:])
        place = 1 + sum(1 for _ in options)
    path = words[place] if place < len(words) else ""
    if not path.endswith(_SCRIPTS) or not _PATTERNS.isdisjoint(path):
        return None
    # Behind an option stands its value, or not: only what stands before the first says what is run, and on what.
    given = [*itertools.takewhile(lambda one: one[0] not in "-<", words[place + 1 :])]
    name = " ".join((posixpath.normpath(path), *given[:1]))
    return Check("script", name, frozenset(one[:120] for one in given[1:]), "", spelled)


def _spelled(words: list[str]) -> str:
    return within(" ".join(" ".join(words).split()), COMMAND_SHOWN)


def within(line: str, longest: int) -> str:
    """Return a command in so many characters: what tells it from others stands at its ends.

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
    from hud_runtime.secrets import masked  # half of a secret is not found later

    line = masked(line)
    head = longest // 3
    tail = line[head + 1 - longest :]
    return f"{line[:head].rstrip()}… {tail.partition(' ')[2] or tail}"[:longest]


def checks_in(commands: Sequence[Command]) -> list[tuple[int, Check]]:
    """Return the checks among a script's commands, each with its command's place."""
    found = (
        (place, check_of([*command.words, *("<" for _ in command.read[:1])]))
        for place, command in enumerate(commands)
    )
    return [(place, check) for place, check in found if check is not None]
