"""Facts that commands and their output tell: the branch, the pull request, the last commit, a merge under way.

Output is anybody's words: what is read from it is what the command itself prints there. A script in which another
command prints what somebody wrote tells only what its own words confirm.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

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
_COMMITS = frozenset({"commit", "merge", "cherry-pick", "revert", "rebase", "am", "pull"})
_SHOWS_BRANCH = frozenset({"status", "checkout", "switch", "commit", "pull", "merge"})
_UNDER_WAY = re.compile(
    r"^(?:interactive )?(?P<name>rebase|merge|cherry-pick|revert|bisect) in progress"
    r"|^You are (?:currently|in the middle of an?) (?P<doing>rebas|cherry-pick|revert|am\b)"
    r"|^(?:You have unmerged paths|All conflicts fixed but you are still merging)",
    re.MULTILINE,
)
_UNMERGED = re.compile(r"^\t(?:both \w+|(?:added|deleted) by \w+): +(?P<path>\S.*)$", re.MULTILINE)
_DOING = {"rebas": "rebase", "am": "rebase"}

_FAILED = re.compile(r"^(?:fatal|error): ", re.MULTILINE)

_SILENT = frozenset([
    "cd", "pushd", "popd", "mkdir", "rm", "mv", "cp", "ln", "touch", "chmod", "true", ":", "sleep", "export", "set", "unset",
    "test", "[", "exit", "source", ".",
])  # fmt: skip
"""Commands that print nothing."""

_FILTERS = frozenset(["head", "tail", "cat", "tee", "wc"])
"""Commands that print what they are given, where they name no file."""

_ABOUT_IT = frozenset(["git", "gh", "glab", "hub"])
"""Programs that work on a repository."""

_RAW = frozenset({"show", "cat-file", "grep", "archive", "notes", "tag", "config", "for-each-ref"})
"""Operations of git that print others' words at the beginning of a line; of the log, those of a form of one's own."""


def facts_in(
    commands: Sequence[Command], output: str, is_here: Callable[[str], bool] = lambda _: True
) -> Iterator[tuple[str, str]]:
    """Yield the facts that a script and its output tell, each by its name.

    :param is_here: tells whether a folder, as the script names it, is of the project: another repository's branch
        is not the project's.

    >>> from hud_runtime.observation._shell_scripts import all_commands
    >>> list(facts_in(all_commands("git commit -qm x"), "[main 1a2b3c4] Add a login"))
    [('commit', '1a2b3c4 Add a login'), ('branch', 'main')]
    """
    is_plain = all(map(_is_plain, commands))
    for words, is_first in _in_project(commands, is_here):
        if words[0] == "git":
            yield from _of_git(commands, words, output, is_plain=is_plain, is_first=is_first)
        elif number := _pull_request(words, output):
            yield PULL_REQUEST, f"#{number}"


def under_way(
    commands: Sequence[Command], output: str, is_here: Callable[[str], bool] = lambda _: True
) -> str | None:
    r"""Return what the status of the project's repository says is under way; empty for nothing, None where it was not asked.

    >>> from hud_runtime.observation._shell_scripts import all_commands
    >>> status = "interactive rebase in progress; onto 1a2b3c4\nUnmerged paths:\n\tboth modified:   a.py"
    >>> under_way(all_commands("git status"), status), under_way(all_commands("git status"), "On branch main")
    ('rebase in progress: conflict in a.py', '')
    """
    asked = (git_operation(words) for words, _ in _in_project(commands, is_here))
    if ("status", []) not in asked or not all(map(_is_plain, commands)):
        return None
    found = _UNDER_WAY.search(output)
    if found is None:
        return "" if _ON_BRANCH.search(output) else None
    what = found["name"] or _DOING.get(found["doing"], found["doing"]) or "merge"
    files = [one["path"] for one in _UNMERGED.finditer(output)]
    more = f", and {len(files) - 4} more" if len(files) > 4 else ""
    return f"{what} in progress" + (f": conflict in {', '.join(files[:4])}{more}" if files else "")


def _in_project(
    commands: Sequence[Command], is_here: Callable[[str], bool]
) -> Iterator[tuple[list[str], bool]]:
    """The words of the commands about the project's repository, and whether nothing is printed before each."""
    directory, is_first = "", True
    for command in commands:
        words = command.words or [""]
        if words[0] in ("cd", "pushd") and len(words) > 1:
            directory = posixpath.join(directory, words[-1])
        elif words[0] in _ABOUT_IT and is_here(posixpath.join(directory, _place(words))):
            yield words, is_first
        is_first = is_first and words[0] in _SILENT


def _place(words: Sequence[str]) -> str:
    """The folder that git is told to work in, before what it is to do."""
    options = (
        words[1 : len(words) - len(git_operation([*words])[1]) - 1] if words[0] == "git" else ()
    )
    return options[options.index("-C") + 1] if "-C" in options[:-1] else ""


def _is_plain(command: Command) -> bool:
    """Whether a command prints nothing that somebody else wrote at the beginning of a line."""
    words = command.words or [""]
    if words[0] == "git":
        operation, rest = git_operation(words)
        is_formed = any(one.startswith(("--format", "--pretty")) for one in rest)
        return operation not in _RAW and not is_formed
    if words[0] in ("gh", "glab", "hub"):
        return words[2:3] == ["create"]
    if words[0] in _FILTERS:
        return not split_options(words[1:])[0] and not command.read
    return words[0] in _SILENT or bool(command.written)


def _of_git(
    commands: Sequence[Command], words: list[str], output: str, *, is_plain: bool, is_first: bool
) -> Iterator[tuple[str, str]]:
    operation, rest = git_operation(words)
    if operation in ("checkout", "switch") and _MAKING.intersection(rest):
        operands = split_options(rest)[0]
        if operands and _NAME.fullmatch(operands[0]) and not _FAILED.search(output):
            yield BRANCH, operands[0]
    if is_first and (operation, *rest[:1]) in _ASKS_NAME:
        first = output.strip().partition("\n")[0]
        if _NAME.fullmatch(first) and first != "HEAD":
            yield BRANCH, first
    for match in list(_COMMITTED.finditer(output))[-1:] if operation in _COMMITS else ():
        if not (is_plain or any(_says(one, match["subject"]) for one in commands)):
            continue
        yield COMMIT, f"{match['hash'][:10]} {match['subject'][:120]}"
        if match["branch"] != "detached":
            yield BRANCH, match["branch"]
    for match in list(_ON_BRANCH.finditer(output))[-1:] if operation in _SHOWS_BRANCH else ():
        name = match["on"] or match["new"] or match["same"]
        if is_plain or name in rest:
            yield BRANCH, name


def _says(command: Command, subject: str) -> bool:
    """Whether a command brings the words that a commit is told with."""
    return subject in command.text or any(subject in word for word in command.words)


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
