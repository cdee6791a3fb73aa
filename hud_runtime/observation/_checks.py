"""Commands that check something, and what they are, however they are spelled.

``uv run pytest -q tests/a.py 2>&1 | tail -5`` and ``python -m pytest tests/a.py`` are one check: the
tool ``pytest`` on the scope ``tests/a.py``. A table says which commands check, and what narrows them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from hud_runtime.observation._shell import git_operation, split_options
from hud_runtime.observation._shell_words import Command

CheckKind: TypeAlias = Literal[
    "test", "build", "types", "lint", "format", "packages", "git", "script"
]
"""What is checked; a script is a program that is run to see what it does."""


@dataclass(frozen=True, slots=True)
class CheckTool:
    """A tool that checks something."""

    kind: CheckKind

    chain: str = ""
    """The tool chain whose words its output has; any, where nothing is said."""

    narrows: frozenset[str] = frozenset()
    """Options that leave only a part of the check: each with a value."""

    takes: frozenset[str] = frozenset()
    """Other options with a value behind them."""

    names: int = 0
    """How many operands say what is run, such as a task's name, and not on what."""


_PYTEST = frozenset({"-k", "-m", "--deselect", "--ignore"})
_JS_TESTS = frozenset({"-t", "--testNamePattern", "--grep", "-g", "--testPathPattern", "--project"})
_TASK = CheckTool("script", names=1, takes=frozenset({"-C", "-f", "--prefix", "--filter", "-w"}))

TOOLS: Mapping[str, CheckTool] = MappingProxyType(
    {
        "pytest": CheckTool(
            "test", "pytest", _PYTEST,
            frozenset({"-n", "-p", "-c", "-o", "-W", "--tb", "--maxfail", "--durations", "--rootdir", "--cov", "--timeout"}),
        ),
        "unittest": CheckTool("test", "unittest", frozenset({"-k"})),
        "tox": CheckTool("test", "pytest", frozenset({"-e"})),
        "nox": CheckTool("test", "pytest", frozenset({"-s"})),
        "manage.py test": CheckTool("test", "unittest"),
        "jest": CheckTool("test", "jest", _JS_TESTS),
        "vitest": CheckTool("test", "vitest", _JS_TESTS),
        "mocha": CheckTool("test", "jest", _JS_TESTS),
        "ava": CheckTool("test", "jest", _JS_TESTS),
        "playwright test": CheckTool("test", "jest", _JS_TESTS),
        "cypress run": CheckTool("test", "jest", frozenset({"--spec"})),
        "node --test": CheckTool("test", "node"),
        "bun test": CheckTool("test", "jest", _JS_TESTS),
        "deno test": CheckTool("test", "jest"),
        "go test": CheckTool("test", "go", frozenset({"-run", "-tags"}), frozenset({"-count", "-timeout", "-parallel", "-p"})),
        "gotestsum": CheckTool("test", "go", frozenset({"-run"})),
        "cargo test": CheckTool("test", "cargo", frozenset({"-p", "--package", "--test", "--bin"}), frozenset({"--features"})),
        "cargo nextest": CheckTool("test", "cargo", frozenset({"-p", "--package"})),
        "rspec": CheckTool("test", "ruby", frozenset({"-e"})),
        "phpunit": CheckTool("test", "php", frozenset({"--filter"})),
        "mvn": CheckTool("test", "java", frozenset({"-Dtest", "-pl"}), names=9),
        "mvnw": CheckTool("test", "java", frozenset({"-Dtest", "-pl"}), names=9),
        "gradle": CheckTool("test", "java", frozenset({"--tests"}), names=9),
        "gradlew": CheckTool("test", "java", frozenset({"--tests"}), names=9),
        "dotnet test": CheckTool("test", "dotnet", frozenset({"--filter"})),
        "dotnet build": CheckTool("build", "dotnet"),
        "swift test": CheckTool("test", "swift", frozenset({"--filter"})),
        "swift build": CheckTool("build", "swift"),
        "xcodebuild": CheckTool("build", "swift", frozenset({"-scheme"})),
        "mix test": CheckTool("test", "elixir"),
        "ctest": CheckTool("test", "cmake", frozenset({"-R"})),
        "go build": CheckTool("build", "go", takes=frozenset({"-o", "-tags", "-ldflags"})),
        "go install": CheckTool("build", "go"),
        "go vet": CheckTool("lint", "go"),
        "go mod": CheckTool("packages", "go", names=1),
        "go get": CheckTool("packages", "go"),
        "cargo build": CheckTool("build", "cargo", frozenset({"-p", "--package"})),
        "cargo check": CheckTool("build", "cargo", frozenset({"-p", "--package"})),
        "cargo clippy": CheckTool("lint", "cargo", frozenset({"-p", "--package"})),
        "cargo fmt": CheckTool("format", "cargo"),
        "tsc": CheckTool("types", "tsc", frozenset({"-p", "--project"}), frozenset({"--target", "--module"})),
        "vue-tsc": CheckTool("types", "tsc"),
        "mypy": CheckTool("types", "mypy", frozenset({"-p", "-m"}), frozenset({"--config-file", "--python-version"})),
        "pyright": CheckTool("types", "pyright", takes=frozenset({"-p", "--project"})),
        "basedpyright": CheckTool("types", "pyright"),
        "ty check": CheckTool("types", "ruff"),
        "eslint": CheckTool("lint", "eslint", takes=frozenset({"--ext", "-c", "--config", "--max-warnings"})),
        "biome": CheckTool("lint", "eslint", names=1),
        "oxlint": CheckTool("lint", "eslint"),
        "stylelint": CheckTool("lint", "eslint"),
        "ruff": CheckTool("lint", "ruff", takes=frozenset({"--select", "--ignore", "--config"}), names=1),
        "flake8": CheckTool("lint", "ruff"),
        "pylint": CheckTool("lint", "ruff"),
        "black": CheckTool("format", "ruff"),
        "isort": CheckTool("format", "ruff"),
        "prettier": CheckTool("format", "prettier"),
        "golangci-lint": CheckTool("lint", "golangci-lint", names=1),
        "staticcheck": CheckTool("lint", "go"),
        "shellcheck": CheckTool("lint", "shellcheck"),
        "rubocop": CheckTool("lint", "ruby"),
        "hadolint": CheckTool("lint", ""),
        "pre-commit": CheckTool("lint", "", names=2),
        "make": CheckTool("build", "make", names=9, takes=frozenset({"-C", "-f", "-j"})),
        "gmake": CheckTool("build", "make", names=9, takes=frozenset({"-C", "-f", "-j"})),
        "ninja": CheckTool("build", "make", names=9, takes=frozenset({"-C", "-j"})),
        "cmake": CheckTool("build", "cmake", frozenset({"--build"}), frozenset({"-B", "-S", "-G", "-j"})),
        "gcc": CheckTool("build", "gcc", takes=frozenset({"-o", "-I", "-L", "-l"})),
        "g++": CheckTool("build", "gcc", takes=frozenset({"-o", "-I", "-L", "-l"})),
        "cc": CheckTool("build", "gcc", takes=frozenset({"-o"})),
        "clang": CheckTool("build", "gcc", takes=frozenset({"-o", "-I", "-L"})),
        "clang++": CheckTool("build", "gcc", takes=frozenset({"-o", "-I", "-L"})),
        "javac": CheckTool("build", "java", takes=frozenset({"-d", "-cp"})),
        "rustc": CheckTool("build", "cargo", takes=frozenset({"-o"})),
        "vite build": CheckTool("build", "vite"),
        "next build": CheckTool("build", "tsc"),
        "webpack": CheckTool("build", "tsc"),
        "esbuild": CheckTool("build", "tsc"),
        "docker build": CheckTool("build", "docker", takes=frozenset({"-t", "-f"})),
        "terraform": CheckTool("build", "", names=1),
        "bazel": CheckTool("build", "", names=1),
        # whatever a project calls its tasks
        "mise run": _TASK, "mise": _TASK, "just": _TASK, "task": _TASK,
        "npm run": _TASK, "npm run-script": _TASK, "pnpm run": _TASK, "yarn run": _TASK, "bun run": _TASK,
        "deno task": _TASK, "composer run": _TASK, "rake": _TASK, "turbo run": _TASK, "turbo": _TASK,
        "nx": _TASK, "lerna run": _TASK, "poe": _TASK, "invoke": _TASK, "grunt": _TASK, "gulp": _TASK,
        "npm test": CheckTool("test"), "npm t": CheckTool("test"), "pnpm test": CheckTool("test"),
        "yarn test": CheckTool("test"), "npm build": CheckTool("build"),
        "pnpm build": CheckTool("build"), "yarn build": CheckTool("build"), "pnpm lint": CheckTool("lint"),
        "yarn lint": CheckTool("lint"), "pnpm typecheck": CheckTool("types"), "yarn typecheck": CheckTool("types"),
        # packages
        "npm install": CheckTool("packages", "npm"), "npm ci": CheckTool("packages", "npm"),
        "npm i": CheckTool("packages", "npm"), "pnpm install": CheckTool("packages", "npm"),
        "pnpm add": CheckTool("packages", "npm"), "pnpm i": CheckTool("packages", "npm"),
        "yarn install": CheckTool("packages", "npm"), "yarn add": CheckTool("packages", "npm"),
        "bun install": CheckTool("packages", "npm"), "bun add": CheckTool("packages", "npm"),
        "pip install": CheckTool("packages", "pip"), "pip3 install": CheckTool("packages", "pip"),
        "uv sync": CheckTool("packages", "pip"), "uv add": CheckTool("packages", "pip"),
        "uv pip": CheckTool("packages", "pip", names=1), "poetry install": CheckTool("packages", "pip"),
        "poetry add": CheckTool("packages", "pip"), "bundle install": CheckTool("packages", "ruby"),
        "composer install": CheckTool("packages", "php"), "apt-get install": CheckTool("packages", "apt"),
        "apt install": CheckTool("packages", "apt"), "brew install": CheckTool("packages", "apt"),
        "cargo add": CheckTool("packages", "cargo"), "gem install": CheckTool("packages", "ruby"),
    }
)  # fmt: skip
"""The tools that check, by name; of a program with commands of its own, by both words."""

GIT: frozenset[str] = frozenset(
    [
        "merge",
        "rebase",
        "cherry-pick",
        "revert",
        "pull",
        "push",
        "commit",
        "stash",
        "checkout",
        "switch",
        "am",
        "apply",
        "fetch",
        "clone",
    ]
)
"""What of git may fail in a way that matters later."""

TASK_KINDS: tuple[tuple[str, CheckKind], ...] = (
    (r"test|spec|e2e|ci\b|check\b|verify", "test"),
    (r"lint|clippy|vet", "lint"),
    (r"type|tsc|mypy|pyright", "types"),
    (r"fmt|format|prettier", "format"),
    (r"build|compile|bundle|dist", "build"),
)
"""What a project's own task checks, by words in its name; the first that fits."""

QUIET_TASKS = re.compile(
    r"(?:dev|start|serve|watch|preview|clean|help|ls|list|run|storybook|logs?)\b"
)
"""Tasks that check nothing."""

_INTERPRETERS = re.compile(r"(?:python[\d.]*|node|ruby|perl|php|tsx|ts-node|deno|bun|bash|sh|zsh)")
_SCRIPT = re.compile(r"[^\0$*?]*\.(?:py|js|mjs|cjs|ts|tsx|rb|pl|php|sh|bash)")
_INFORMS = frozenset(
    {
        "--version",
        "--help",
        "-h",
        "-V",
        "--list",
        "--collect-only",
        "--showConfig",
        "help",
        "version",
    }
)
_NARROWED = re.compile(r"(?P<option>--?[\w-]+)=(?P<value>.*)", re.DOTALL)

COMMAND_SHOWN = 80
"""Characters of a command that are kept."""


@dataclass(frozen=True, slots=True)
class Check:
    """What a command checks."""

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
    words = [word for word in words if word]
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
    both = " ".join(words[:2])
    tool, used = (tools.get(both), 2) if both in tools else (tools.get(name), 1)
    if tool is None:
        return _script(given, spelled)
    return _check(tool, " ".join(words[:used]), words[used:], spelled)


def _check(tool: CheckTool, name: str, rest: list[str], spelled: str) -> Check | None:
    scope: set[str] = set()
    before, after = rest, list[str]()
    if "--" in rest:
        place = rest.index("--")
        before, after = rest[:place], rest[place + 1 :]
    operands = _operands(tool, before, scope)
    scope.update(one for one in after if not one.startswith("-") or "=" not in one)
    kind: CheckKind = tool.kind
    if tool.names:
        named, operands = operands[: tool.names], operands[tool.names :]
        name = " ".join((name, *named))
        if kind in ("script", "build"):
            if kind == "script" and (not named or QUIET_TASKS.match(named[0])):
                return None
            task = " ".join(named).lower()
            kind = _kind_of(task, kind)
    scope.update(one for one in operands if one not in (".", "./...", "all"))
    return Check(kind, name, frozenset(one[:120] for one in scope), tool.chain, spelled)


def _kind_of(task: str, usual: CheckKind) -> CheckKind:
    """What a project's own task checks, by its name."""
    for words, kind in TASK_KINDS:
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
        return [name, *_without_place(words[1:])]
    if name in ("pnpm", "yarn") and len(words) > 1 and words[1] in TOOLS:
        return words[1:]
    return [name, *words[1:]]


def _without_place(words: list[str]) -> list[str]:
    """Without the options that say which package a script is of."""
    left: list[str] = []
    rest = iter(words)
    for word in rest:
        if (
            word in ("--prefix", "-C", "--dir", "--cwd", "--filter", "-F", "--workspace")
            and not left
        ):
            next(rest, None)
        elif word.startswith("-") and not left:
            continue
        else:
            left.append(word)
            left.extend(rest)
    return left


def _script(words: list[str], spelled: str) -> Check | None:
    """The check that a run of a program of the project's own is."""
    if _INTERPRETERS.fullmatch(posixpath.basename(words[0])):
        if words[1:2] and words[1] in ("-c", "-e", "-n", "-"):
            return None
        path = next((one for one in words[1:] if not one.startswith("-")), "")
    else:
        path = words[0] if "/" in words[0] else ""
    if not _SCRIPT.fullmatch(path):
        return None
    return Check("script", posixpath.normpath(path), frozenset(), "", spelled)


def _spelled(words: list[str]) -> str:
    line = " ".join(" ".join(words).split())
    return line if len(line) <= COMMAND_SHOWN else f"{line[: COMMAND_SHOWN - 1].rstrip()}…"


def checks_in(commands: Sequence[Command]) -> list[tuple[int, Check]]:
    """Return the checks among a script's commands, each with its command's place."""
    found = ((place, check_of(command.words)) for place, command in enumerate(commands))
    return [(place, check) for place, check in found if check is not None]
