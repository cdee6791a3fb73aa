"""Facts that commands and their output tell: the branch, the pull request, the last commit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hud_runtime.observation._shell import git_operation, split_options
from hud_runtime.observation._shell_words import Command

BRANCH, PULL_REQUEST, COMMIT = "branch", "pull request", "commit"

_ON_BRANCH = re.compile(
    r"^(?:On branch (?P<on>\S+)|Switched to (?:a new )?branch '(?P<new>[^'\n]+)'|Already on '(?P<same>[^'\n]+)')[ \t]*$",
    re.MULTILINE,
)
_COMMITTED = re.compile(
    r"^\[(?P<branch>[^\s\]]+)(?: \(root-commit\))? (?P<hash>[0-9a-f]{6,40})\] (?P<subject>.+)$",
    re.MULTILINE,
)
_PULL = re.compile(r"(?:/pulls?/|/merge_requests/)(?P<number>\d{1,7})\b")
_NAME = re.compile(r"[\w./@+-]{1,200}")
_ASKS_NAME = frozenset({("branch", "--show-current"), ("rev-parse", "--abbrev-ref")})
_MAKING = frozenset({"-b", "-B", "-c", "-C", "--create", "--orphan"})


def facts_in(commands: Sequence[Command], output: str) -> Iterator[tuple[str, str]]:
    """Yield the facts that a script and its output tell, each by its name.

    >>> from hud_runtime.observation._shell_scripts import all_commands
    >>> list(facts_in(all_commands("git commit -qm x"), "[main 1a2b3c4] Add a login"))
    [('commit', '1a2b3c4 Add a login'), ('branch', 'main')]
    """
    for command in commands:
        words = command.words
        if words[:1] == ["git"]:
            yield from _of_git(words, output)
        elif words[:1] in (["gh"], ["glab"], ["hub"]):
            number = _pull_request(words, output)
            if number:
                yield PULL_REQUEST, f"#{number}"


def _of_git(words: list[str], output: str) -> Iterator[tuple[str, str]]:
    operation, rest = git_operation(words)
    if operation in ("checkout", "switch") and _MAKING.intersection(rest):
        operands = split_options(rest)[0]
        if operands and _NAME.fullmatch(operands[0]):
            yield BRANCH, operands[0]
    if (operation, *rest[:1]) in _ASKS_NAME:
        first = output.strip().partition("\n")[0]
        if _NAME.fullmatch(first) and first != "HEAD":
            yield BRANCH, first
    for match in list(_COMMITTED.finditer(output))[-1:]:
        yield COMMIT, f"{match['hash'][:10]} {match['subject'][:120]}"
        if match["branch"] != "detached":
            yield BRANCH, match["branch"]
    if operation in ("status", "checkout", "switch", "commit", "pull", "merge"):
        for match in list(_ON_BRANCH.finditer(output))[-1:]:
            yield BRANCH, match["on"] or match["new"] or match["same"]


def _pull_request(words: list[str], output: str) -> str | None:
    said = " ".join(words[:12])
    if "/pull" in said or "/merge_requests" in said:
        match = _PULL.search(said)
        return match["number"] if match else None
    if words[1:2] in (["pr"], ["mr"]) and len(words) > 2:
        if words[2] == "create":
            found = _PULL.findall(output)
            return found[-1] if found else None
        if words[2] in ("view", "checkout", "edit", "diff", "checks", "ready", "comment", "review"):
            operands = split_options(words[3:])[0]
            if operands and operands[0].lstrip("#").isdecimal():
                return operands[0].lstrip("#")
            match = _PULL.search(output)
            return match["number"] if match else None
    return None
