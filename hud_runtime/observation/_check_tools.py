"""Which commands check something, and what narrows them: a table by tool, and by the name of a task."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

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
