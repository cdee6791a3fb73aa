"""Commands within commands: what ``sudo``, ``uv run`` or ``bash -c`` run, as commands of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hud_runtime.observation._shell_words import ASSIGNMENT, Command, commands, past_options

DEEPEST = 4
"""How many scripts may stand within one another: ``bash -c "bash -c …"``."""

_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})

WRAPPERS: Mapping[str, int] = {
    **dict.fromkeys(
        ("sudo", "command", "exec", "nohup", "time", "nice", "stdbuf", "env", "ionice", "chronic", "builtin", "winpty",
         "xvfb-run", "cross-env", "unbuffer", "catchsegv", "nyc", "c8", "dotenvx", "setsid", "caffeinate"),
        0,
    ),
    **dict.fromkeys(("timeout", "gtimeout"), 1),
}  # fmt: skip
"""Commands that run the command behind them, and how many operands of their own they have."""

RUNNERS: Mapping[tuple[str, ...], int] = {
    **dict.fromkeys(
        (
            ("uv", "run"), ("poetry", "run"), ("pdm", "run"), ("hatch", "run"), ("rye", "run"), ("coverage", "run"),
            ("pipenv", "run"), ("pixi", "run"), ("conda", "run"), ("bundle", "exec"), ("npm", "exec"),
            ("pnpm", "exec"), ("pnpm", "dlx"), ("yarn", "exec"), ("yarn", "dlx"), ("npx",), ("bunx",),
            ("uvx",), ("uv", "tool", "run"), ("pipx", "run"), ("mise", "exec"), ("mise", "x"), ("direnv", "exec", "."),
            ("dotenv",), ("xargs",), ("rtk",), ("doppler", "run"), ("nix", "develop", "-c"), ("op", "run"), ("devbox", "run"),
        ),
        0,
    ),
    ("docker", "exec"): 1, ("docker", "run"): 1, ("docker", "compose", "exec"): 1, ("docker", "compose", "run"): 1,
    ("docker-compose", "exec"): 1, ("docker-compose", "run"): 1, ("podman", "exec"): 1, ("podman", "run"): 1,
    ("kubectl", "exec"): 1, ("aws-vault", "exec"): 1,
}  # fmt: skip
"""The beginnings of commands that run a tool of a project's own environment, and how many operands they have."""

_VALUED = frozenset(
    {"-u", "-n", "-k", "-s", "--with", "--python", "--extra", "--group", "--project", "--directory",
     "--package", "-p", "-C", "-E", "--env-file", "-I", "-i", "-o", "-v", "--volume", "-w", "--workdir", "-e", "--env",
     "--name", "--network", "--user", "--entrypoint", "--source", "--mount", "--with-requirements", "-c", "--container"}
)  # fmt: skip
"""Options of such commands that have a value behind them."""

_FLAGS: Mapping[str, frozenset[str]] = {
    "docker": frozenset({"-i"}), "podman": frozenset({"-i"}), "kubectl": frozenset({"-i"}), "sudo": frozenset({"-n", "-E", "-k", "-s", "-i", "-v"}),
    "coverage": frozenset({"-p"}), "time": frozenset({"-p", "-v"}), "env": frozenset({"-i"}),
}  # fmt: skip
"""Options that have no value where these commands take them."""


def unwrapped(words: list[str]) -> list[str]:
    """Return the words of the command that another one runs.

    >>> unwrapped("env X=1 timeout 60 uv run --with pytest pytest -q".split())
    ['pytest', '-q']
    """
    while words:
        name = words[0].rpartition("/")[2]
        words = _placed(name, words)
        if name in WRAPPERS:
            rest, own = words[1:], WRAPPERS[name]
        else:
            starts = ((name, *words[1:many]) for many in (3, 2, 1))
            runner = next((one for one in starts if one in RUNNERS), None)
            if runner is None:
                return words
            rest, own = words[len(runner) :], RUNNERS[runner]
        while rest:
            word = rest[0]
            if word == "--":
                rest = rest[1:]
                break
            if word.startswith("-"):
                is_valued = word in _VALUED and word not in _FLAGS.get(name, ())
                rest = rest[2:] if is_valued and len(rest) > 1 else rest[1:]
            elif name in ("env", "cross-env", "dotenvx") and ASSIGNMENT.fullmatch(word):
                rest = rest[1:]
            elif own:
                own, rest = own - 1, rest[1:]
            else:
                break
        if not rest:
            return words
        words = rest
    return words


def _placed(name: str, words: list[str]) -> list[str]:
    """Without what says in which package a manager is to run a tool: ``pnpm -r exec tsc``."""
    if name == "yarn" and words[1:2] == ["workspace"] and len(words) > 3:
        return [name, *words[3:]]
    if name not in ("npm", "pnpm", "yarn"):
        return words
    rest = past_options(words[1:], IN_PACKAGE)
    return [name, *rest] if rest[:1] in (["exec"], ["dlx"]) else words


IN_PACKAGE = frozenset(["--filter", "-F", "-C", "--dir", "--prefix", "--workspace", "--cwd"])
"""Options of managers of packages that say in which one, each with a value."""


def script_in(words: list[str]) -> str | None:
    """Return the script that a shell is given: ``bash -lc "…"``.

    >>> script_in(["bash", "-lc", "make test"])
    'make test'
    """
    if not words or words[0].rpartition("/")[2] not in _SHELLS:
        return "".join(words[1:]) if words[:1] == ["eval"] else None
    for place, word in enumerate(words[1:], start=1):
        if re.fullmatch(r"-[a-z]*c", word):
            return words[place + 1] if place + 1 < len(words) else None
        if not word.startswith("-"):
            return None
    return None


def all_commands(script: str) -> list[Command]:
    """Return the commands of a script and of the scripts within it, without what wraps them.

    >>> [one.words for one in all_commands("bash -lc 'cd a && sudo rm b'")]
    [['cd', 'a'], ['rm', 'b']]
    """
    return _unfolded(script, 0)


def _unfolded(script: str, depth: int) -> list[Command]:
    found: list[Command] = []
    for command in commands(script):
        command.words = unwrapped(command.words)
        inner = script_in(command.words)
        if inner is None and command.text and command.words and len(command.words) == 1:
            name = command.words[0].rpartition("/")[2]
            inner = command.text if name in _SHELLS else None
        if inner is None or depth == DEEPEST:
            found.append(command)
            continue
        within = _unfolded(inner, depth + 1)
        if within:
            within[-1].joint = command.joint
            within[-1].written += command.written
        found += within
    return found
