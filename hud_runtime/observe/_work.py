"""The work: facts, plans, to-do lists, and the files that the agent touched."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TypeAlias

from hud_components import ActiveFile, HudState, State, Step
from hud_components import Check as Shown
from hud_components.folding import path_within
from hud_components.words import SUMMARY_AGES, cut
from hud_runtime.log.events import EventDraft, EventType
from hud_runtime.observe import _checks, _shell
from hud_runtime.observe._checks import EventPair
from hud_runtime.observe._conversation import open_steps, told_in
from hud_runtime.observe._observations import Record, mapping, sequence, string
from hud_runtime.observe._shell import SimpleCommand
from hud_runtime.observe._tools import DONE, DROPPED, TaskTool, TodoTool
from hud_runtime.observe.messages import names, rows

# Facts in commands and their output: the branch, the pull request, the last commit, a release, a
# merge in progress. Output may have anybody's words: only what the command itself prints counts. If
# another command of the script prints foreign text, a fact counts only if the script's own words
# confirm it.

BRANCH, PULL_REQUEST, COMMIT, ISSUE = "branch", "pull request", "commit", "issue"
RELEASE = "release"
COMMITS, NO_COMMIT = "commits", "none made, none asked for"
PUSHED = "pushed"
CHECKS, NO_CHECK = "checks", "no test, lint or build run"
FAILURES, NO_FAILURE = "failures", "none seen"
NAMED = "named by the user"
DELETED = "deleted"
UNPUSHED, STAGED, ALSO = "not pushed", "staged", "also modified"
UNDONE = "undone"
UNTIL_COMMIT = (PUSHED, UNPUSHED, STAGED, ALSO, UNDONE)
"""The facts that are over with a commit."""

MOST_DELETED = 6
"""Maximum deleted files that are told, the last ones."""

_IS_FILE = re.compile(r"(?!/|~|\.\.)[^\s*?,$]*[^\s*?,$/]\.\w{1,8}")
"""A path in the project with a suffix, without patterns."""


def deleted(before: str, uses: Iterable[_shell.FileUse]) -> str:
    """Return the fact of deleted files after more uses of files.

    >>> deleted("a.py, b.py in src", [_shell.FileUse("file.close", "src/c.py"), _shell.FileUse("file.edit", "src/a.py")])
    'b.py, c.py in src'
    """
    gone = dict.fromkeys(filter(_IS_FILE.fullmatch, gone_from(before)))
    for one in uses:
        path = one.path or ""
        if one.event == "file.close" and _IS_FILE.fullmatch(path):
            gone[path] = None
        elif one.event == "file.edit":
            gone.pop(path, None)
    left = [*gone][-MOST_DELETED:]
    folder = posixpath.commonpath([posixpath.dirname(each) for each in left]) if left else ""
    names = ", ".join(posixpath.relpath(each, folder or ".") for each in left)
    return f"{names}{_IN}{folder}" if folder else names


_IN = " in "
"""The separator between the names of deleted files and their folder."""


def gone_from(fact: str) -> list[str]:
    """Return the paths in the fact of deleted files."""
    names, _, folder = fact.partition(_IN)
    return [posixpath.join(folder, each) for each in names.split(", ") if each]


_ON_BRANCH = re.compile(
    r"^(?:On branch (?P<on>\S+)|Switched to (?:a new )?branch '(?P<new>[^'\n]+)'|Already on '(?P<same>[^'\n]+)')[ \t]*$",
    re.MULTILINE,
)
_COMMITTED = re.compile(
    r"^\[(?P<branch>[^\s\]]+)(?: \(root-commit\))? (?P<hash>[0-9a-f]{6,40})\] (?P<subject>.+)$",
    re.MULTILINE,
)
_PUSHED = re.compile(
    r"^[ +*]{1,3}(?:[0-9a-f]{4,40}\.{2,3}(?P<hash>[0-9a-f]{4,40})|\[new branch\])[ ]+\S+ -> (?P<branch>\S+)",
    re.MULTILINE,
)
_PULL = re.compile(r"(?:/pulls?/|/merge_requests/)(?P<number>\d{1,7})\b")
_NAME = re.compile(r"[\w./@+-]{1,200}")
_ASKS_NAME = frozenset({("branch", "--show-current"), ("rev-parse", "--abbrev-ref")})
_MAKING = frozenset({"-b", "-B", "-c", "-C", "--create", "--orphan"})
_COMMITS = frozenset({"commit", "merge", "cherry-pick", "revert", "rebase", "am", "pull"})
_UNDOING = frozenset({"stash", "restore", "reset", "clean"})
_SHOWS_BRANCH = frozenset({"status", "checkout", "switch", "commit", "pull", "merge"})
_UNDER_WAY = re.compile(
    r"^(?:interactive )?(?P<name>rebase|merge|cherry-pick|revert|bisect) in progress"
    r"|^You are (?:currently|in the middle of an?) (?P<doing>rebas|cherry-pick|revert|am\b)"
    r"|^(?:You have unmerged paths|All conflicts fixed but you are still merging)",
    re.MULTILINE,
)
_UNMERGED = re.compile(r"^\t(?:both \w+|(?:added|deleted) by \w+): +(?P<path>\S.*)$", re.MULTILINE)
_DOING = {"rebas": "rebase", "am": "rebase"}
_AHEAD = re.compile(
    r"^(?:Your branch is up to date with '|Your branch is ahead of '[^'\n]+' by (?P<ahead>\d{1,6} commits?)\."
    r"|and have (?P<apart>\d{1,6}) and \d{1,6} different commits each)",
    re.MULTILINE,
)
_TO_COMMIT = "Changes to be committed:\n"
_NOT_STAGED = "Changes not staged for commit:\n"
_CHANGED = re.compile(
    r"^(?:\t|[ ]{8})(?:new file|modified|deleted|renamed): +(?:\S.* -> )?(?P<path>\S.*)$",
    re.MULTILINE,
)

_TEMPORARY = ("/tmp/", "/private/tmp/", "/var/tmp/", "/var/folders/", "/dev/shm/")  # noqa: S108 - told, not used
"""The folders of temporary files."""

_FAILED = re.compile(r"^(?:fatal|error): ", re.MULTILINE)

_SILENT = names("prints nothing")
"""Commands that print nothing."""

_FILTERS = frozenset(["head", "tail", "cat", "tee", "wc"])
"""Filters, which print only their input unless they name a file."""

_ABOUT_IT = frozenset(["git", "gh", "glab", "hub"])
"""Programs that work on a repository."""

_RAW = frozenset({"show", "cat-file", "grep", "archive", "notes", "tag", "config", "for-each-ref"})
"""Git operations that print foreign text at the beginning of a line; for the log, those with a
custom format.
"""


def facts_in(
    commands: Sequence[SimpleCommand],
    output: str,
    is_here: Callable[[str], bool] = lambda _: True,
    edited: Container[str] = (),
    ran: Container[SimpleCommand] = (),
) -> Iterator[tuple[str, str] | TakenBack]:
    """Yield the facts of a script and its output, each by its name, empty where it is no longer so;
    and what it takes back.

    :param is_here: returns whether a folder, as the script names it, belongs to the project.
        Another repository's branch is not the project's.
    :param edited: the files that the agent edited.
    :param ran: the commands that succeeded.

    >>> from hud_runtime.observe._shell import all_commands
    >>> list(facts_in(all_commands("git commit -qm x"), "[main 1a2b3c4] Add a login"))
    [('commit', '1a2b3c4 Add a login'), ('branch', 'main')]
    """
    is_plain = all(map(_is_plain, commands))
    for command, place, is_first in in_project(commands, is_here):
        words = command.words
        if words[0] == "git":
            is_own = is_first and command.joint != "|" and not command.written
            said = output if is_plain else output.partition("\n")[0] if is_own else ""
            taken = _taken_back(words, said, has_run=command in ran)
            if taken is not None:
                yield replace(taken, place=place, later=commands[commands.index(command) + 1 :])
            is_replaced = "--amend" in words and command in ran and not _FAILED.search(output)
            if is_replaced and not _COMMITTED.search(output):
                yield COMMIT, ""
            yield from _of_git(commands, words, output, is_plain=is_plain, is_first=is_first)
            if (
                is_plain
                and _shell.git_operation(words) == ("status", [])
                and _ON_BRANCH.search(output)
            ):
                yield from _of_status(output, edited)
        elif words[1:3] == ["issue", "create"]:
            yield from issue_made(words, output)
        elif words[1:3] == ["release", "create"]:
            yield from _release(words, output)
        elif number := _pull_request(words, output):
            yield PULL_REQUEST, f"#{number}"


_RELEASED = re.compile(r"/releases/(?:tag/)?(?P<tag>[^\s/]{1,120})[ \t]*$", re.MULTILINE)


def _release(words: Sequence[str], output: str) -> Iterator[tuple[str, str]]:
    """Yield a release, if the output ends an address with a name in the command."""
    found = _RELEASED.search(output)
    if found is not None and found["tag"] in words[3:]:
        yield RELEASE, found["tag"]


_ISSUE = re.compile(
    r"\"(?:identifier|key)\"\s*:\s*\"(?P<key>[A-Z][A-Z0-9]{0,9}-\d{1,7})\"|\"number\"\s*:\s*(?P<number>\d{1,7})\b"
    r"|/issues?/(?P<of_url>[A-Z][A-Z0-9]{0,9}-\d{1,7}|\d{1,7})\b"
)
_MAKES_ISSUE = re.compile(r"create_?(?:[a-z]{1,12}_?)?issue|issue_?create", re.IGNORECASE)


def issue_made(call: Sequence[str], answer: str) -> Iterator[tuple[str, str]]:
    """Yield an issue, if a call's name says that it creates one and the answer has its number.

    :param call: the words of a command, or the tool's name.

    >>> list(issue_made(["gh", "issue", "create"], "https://github.com/a/b/issues/12"))
    [('issue', '#12')]
    >>> list(issue_made(["create_issue"], '{"identifier": "AB-7"}'))
    [('issue', 'AB-7')]
    """
    found = (
        _ISSUE.search(answer[:4_000]) if _MAKES_ISSUE.search("_".join(reversed(call[:3]))) else None
    )
    if found is not None:
        name = found["key"] or found["number"] or found["of_url"]
        yield ISSUE, f"#{name}" if name.isdecimal() else name


def under_way(
    commands: Sequence[SimpleCommand], output: str, is_here: Callable[[str], bool] = lambda _: True
) -> str | None:
    r"""Return the operation in progress by the status of the project's repository; empty for none,
    None if not queried.

    >>> from hud_runtime.observe._shell import all_commands
    >>> status = "interactive rebase in progress; onto 1a2b3c4\nUnmerged paths:\n\tboth modified:   a.py"
    >>> under_way(all_commands("git status"), status), under_way(all_commands("git status"), "On branch main")
    ('rebase in progress: conflict in a.py', '')
    """
    asked = (_shell.git_operation(each.words) for each, *_ in in_project(commands, is_here))
    if ("status", []) not in asked or not all(map(_is_plain, commands)):
        return None
    found = _UNDER_WAY.search(output)
    if found is None:
        return "" if _ON_BRANCH.search(output) else None
    what = found["name"] or _DOING.get(found["doing"], found["doing"]) or "merge"
    files = [one["path"] for one in _UNMERGED.finditer(output)]
    more = f", and {len(files) - 4} more" if len(files) > 4 else ""
    return f"{what} in progress" + (f": conflict in {', '.join(files[:4])}{more}" if files else "")


MOST_CHANGED, LONGEST_CHANGED = 4, 160
"""Maximum changed files that are named of a repository's status, and the characters of their names."""


def _changed_files(output: str, heading: str) -> list[str]:
    """The files below a heading of a repository's status."""
    return [
        each["path"]
        for each in _CHANGED.finditer(output.partition(heading)[2].partition("\n\n")[0])
    ]


def named_files(files: Sequence[str]) -> str:
    """The first files, and how many more there are."""
    more = f", and {len(files) - MOST_CHANGED} more" if len(files) > MOST_CHANGED else ""
    return cut(", ".join(files[:MOST_CHANGED]), LONGEST_CHANGED) + more


def _of_status(output: str, edited: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield the facts of a repository's status: commits to push, staged files, and changed files that the agent did not edit."""
    ahead = _AHEAD.search(output)
    if ahead is not None:
        yield UNPUSHED, ahead["ahead"] or (f"{ahead['apart']} commits" if ahead["apart"] else "")
    yield STAGED, named_files(_changed_files(output, _TO_COMMIT))
    others = [each for each in _changed_files(output, _NOT_STAGED) if each not in edited]
    yield ALSO, named_files(others)


def in_project(
    commands: Sequence[SimpleCommand], is_here: Callable[[str], bool]
) -> Iterator[tuple[SimpleCommand, str, bool]]:
    """Yield the commands about the project's repository, each with its folder, and whether nothing is printed before it."""
    is_first = True
    for command in commands:
        words = command.words or [""]
        place = _shell.git_folder(words) if words[0] == "git" else ""
        place = posixpath.join(command.directory, place)
        if words[0] in _ABOUT_IT and not command.container and is_here(place):
            yield command, place, is_first
        is_first = is_first and words[0] in _SILENT


def _is_plain(command: SimpleCommand) -> bool:
    """Whether a command prints no foreign text at the beginning of a line."""
    words = command.words or [""]
    if words[0] == "git":
        operation, rest = _shell.git_operation(words)
        is_formed = any(one.startswith(("--format", "--pretty")) for one in rest)
        return operation not in _RAW and not is_formed
    if words[0] in ("gh", "glab", "hub"):
        return words[2:3] == ["create"]
    if words[0] in _FILTERS:
        return not _shell.split_options(words[1:])[0] and not command.read
    return words[0] in _SILENT or bool(command.written)


def _of_git(
    commands: Sequence[SimpleCommand],
    words: list[str],
    output: str,
    *,
    is_plain: bool,
    is_first: bool,
) -> Iterator[tuple[str, str]]:
    operation, rest = _shell.git_operation(words)
    if operation in ("checkout", "switch") and _MAKING.intersection(rest):
        operands = _shell.split_options(rest)[0]
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
    if operation in _UNDOING:
        yield STAGED, ""
        yield ALSO, ""
    pushed = _PUSHED.search(output) if operation == "push" and is_plain else None
    if pushed is not None:
        yield PUSHED, pushed["hash"] or pushed["branch"]
    for match in list(_ON_BRANCH.finditer(output))[-1:] if operation in _SHOWS_BRANCH else ():
        name = match["on"] or match["new"] or match["same"]
        if is_plain or name in rest:
            yield BRANCH, name


# What git takes back: commits, and edits of files, by a table of its operations.

_OPERATIONS = [
    (operation, options.split(), of, takes.split(), to)
    for operation, options, of, takes, to in rows("taken-back")
]
_WITH_VALUE = frozenset({"-s", "--source", "-m", "--message"})
_COMMIT_PRINTED = {
    "--hard": re.compile(r"^HEAD is now at ([0-9a-f]{4,40}\b.*)", re.MULTILINE),
    "-D": re.compile(r"^Deleted branch \S+ \(was ([0-9a-f]{4,40})\)", re.MULTILINE),
}
"""The commit that git prints, by the option that makes it do so."""

_TOOK_NOTHING = re.compile(r"^(?:(?:fatal|error): |No local changes to save)", re.MULTILINE)
_HASH = re.compile(r"[0-9a-f]{6,40}")
_RELATIVE = re.compile(r"(?:HEAD|@)((?:~\d{0,3}|\^)*)")


@dataclass(frozen=True, slots=True)
class TakenBack:
    """An operation that takes something back, by the words of the table, and the commit that it prints."""

    of: str
    takes: Sequence[str]
    to: str
    operands: Sequence[str]
    told: str
    place: str = ""
    """Its folder."""
    later: Sequence[SimpleCommand] = ()
    """The commands of its script after it."""


def _taken_back(words: list[str], said: str, *, has_run: bool) -> TakenBack | None:
    """Return what a command of git takes back, unless it failed by its status or by what it said."""
    name, rest = _shell.git_operation(words)
    operands, options = _shell.split_options(rest, _WITH_VALUE)
    names = (name, " ".join([name, *operands[:1]]))
    fitting = (
        row
        for row in _OPERATIONS
        if row[0] in names
        and (not row[1] or any(_shell.has_option(options, each) for each in row[1]))
    )
    row = next(fitting, None)
    if row is None:
        return None
    operation, _, of, takes, to = row
    told = [""]
    for option, printed in _COMMIT_PRINTED.items():
        if option in options and not _shell.has_option(options, "-q"):
            told += printed.findall(said)
    has_run = (has_run or len(told) > 1) and not _TOOK_NOTHING.search(said)
    if not has_run or (takes == ["nothing"] and of != "branch"):
        return None
    operands = ["--", *operands] if "--" in rest[:-1] else operands[operation.count(" ") :]
    return TakenBack(of, takes, to, operands, told[-1])


def undone(before: str, commits: Sequence[str], files: Sequence[str], head: str) -> str:
    """Return the fact of what was undone since the last commit, the last first; not with a commit that HEAD is at again."""
    told = [f"commit {each}" for each in reversed(commits) if each]
    told += [f"edits of {named_files(files)}"] if files else []
    is_back = head.partition(" ")[0] in before if head else False
    return cut("; ".join([*told, *([] if is_back or not before else [before])]), LONGEST_CHANGED)


def is_commit(commit: str, name: str) -> bool:
    """Return whether a commit, as told, has this hash, in short or in full.

    >>> is_commit("b6994aa Resolve the path", "b6994aa1f0"), is_commit("b6994aa", "main")
    (True, False)
    """
    known, said = commit.partition(" ")[0], name.partition(" ")[0]
    return bool(known and _HASH.fullmatch(said)) and known[: len(said)] == said[: len(known)]


@dataclass(slots=True)
class EditedFiles:
    """The last commits, and the place of each edited file's edits: a commit, or a word of the table."""

    places: dict[str, str] = field(default_factory=dict[str, str])
    commits: list[str] = field(default_factory=list[str])

    def committed(self, commit: str, *, replaces: bool) -> None:
        """All edits that are in no commit are in one, which may replace the last."""
        known = self.commits[-1:]
        within = {"open", "new", *(known if replaces or commit in known else ())}
        self.commits = [each for each in self.commits if each not in within] + [commit]
        self.places = {path: commit if at in within else at for path, at in self.places.items()}

    def place(self, *names: str) -> int | None:
        """Return the place of the commit that a name means, below 0 for one before them; None if that is unknown."""
        for name in names:
            known = [at for at, each in enumerate(self.commits) if is_commit(each, name)]
            if known:
                return known[-1]
            if relative := _RELATIVE.fullmatch(name):
                steps = re.findall(r"[~^](\d*)", relative[1])
                return len(self.commits) - 1 - sum(int(each or 1) for each in steps)
        return None


def _says(command: SimpleCommand, subject: str) -> bool:
    """Whether a command has the words of a commit's subject."""
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
            operands = _shell.split_options(words[3:])[0]
            if operands and operands[0].lstrip("#").isdecimal():
                return operands[0].lstrip("#")
            match = _PULL.search(output)
            return match["number"] if match else None
    return None


# The changes of the plan between two versions of a to-do list.

Change: TypeAlias = tuple[EventType, dict[str, object]]
"""The type and the payload of an event; steps are named by their texts."""


@dataclass(frozen=True, slots=True)
class Todo:
    """One entry of a list."""

    text: str
    done: bool = False
    key: str | None = None
    """The list's own id for it, if any."""


def todos_in(arguments: Record, tool: TodoTool) -> list[Todo]:
    """Return the entries of a call's list, without duplicates."""
    found: dict[str, Todo] = {}
    entries = next((arguments[name] for name in tool.lists if name in arguments), ())
    for entry in map(mapping, sequence(entries)):
        text = next(filter(None, (string(entry.get(name)) for name in tool.text)), "").strip()
        text = " ".join(text.split()) if "\n" in text else text
        told = next(
            (entry[name] for name in ("completed", "done", "status") if name in entry), None
        )
        status = ("done" if told else "pending") if isinstance(told, bool) else _status(told)
        if text and text not in found and status not in tool.dropped:
            found[text] = Todo(text, status in tool.done, string(entry.get("id")))
    return list(found.values())


def changes(old: Sequence[Todo], new: Sequence[Todo]) -> Iterator[Change]:
    """Yield the changes from one list to the other: removed, reworded, done, added, moved.

    >>> list(changes([Todo("a"), Todo("b")], [Todo("b", done=True), Todo("c")]))
    ... # doctest: +NORMALIZE_WHITESPACE
    [('step.remove', {'id': 'a'}), ('step.complete', {'id': 'b'}),
     ('step.add', {'description': 'c', 'completed': False})]
    """
    texts = {todo.text for todo in new}
    renamed = _renamed(old, new)
    kept: list[str] = []
    for todo in old:
        text = renamed.get(todo.text, todo.text)
        if text not in texts:
            yield "step.remove", {"id": todo.text}
            continue
        if text != todo.text:
            yield "step.update", {"id": todo.text, "description": text}
        kept.append(text)
    done = {renamed.get(todo.text, todo.text): todo.done for todo in old}
    for todo in new:
        if todo.text not in done:
            yield "step.add", {"description": todo.text, "completed": todo.done}
            kept.append(todo.text)
        elif todo.done and not done[todo.text]:
            yield "step.complete", {"id": todo.text}
        elif done[todo.text] and not todo.done:
            yield "step.update", {"id": todo.text, "completed": False}
    order = [todo.text for todo in new]
    if order != kept:
        yield "step.reorder", {"ids": order}


def _renamed(old: Sequence[Todo], new: Sequence[Todo]) -> dict[str, str]:
    """Return the new texts of entries with the same key and another text."""
    known = {todo.text for todo in old}
    texts = {todo.key: todo.text for todo in new if todo.key}
    left = {todo.text for todo in new}
    return {
        todo.text: texts[todo.key]
        for todo in old
        if todo.key in texts and todo.text not in left and texts[todo.key] not in known
    }


# The plan as last written: whole lists, single tasks, and their changes.

_MADE = re.compile(r"Task #(\w+) created")

_LISTED = re.compile(r"^#(?P<id>\w+)\.? \[(?P<status>\w+)\] (?P<subject>.+)$", re.MULTILINE)


OF_SUMMARY = "summary-"
"""The prefix of the ids of a summary's steps."""


class TrackedPlan:
    """The steps of a session, and the events between two versions of them."""

    def __init__(self) -> None:
        self._todos: list[Todo] = []
        self._before: list[Todo] = []
        """Steps from before this plan, by the host or another writer."""
        self._summed: list[Todo] = []
        """Open steps of a summary, until there is a plan."""
        self._summed_in = 0
        self._resumed: tuple[Step, ...] = ()

    def resume(self, state: HudState) -> None:
        """Resume from the steps of a state."""
        if state.next_steps is self._resumed:
            return
        self._resumed = state.next_steps
        known = {each.text for each in self._todos}
        is_untouched = "next_steps" in state.unconfirmed
        before, summed = list[Todo](), list[Todo]()
        for each in state.next_steps:
            todo = Todo(each.description, each.completed)
            if is_untouched and each.id.startswith(OF_SUMMARY):
                summed.append(todo)
            elif todo.text not in known:
                before.append(todo)
        self._before, self._summed = before, summed
        self._summed_in = state.compacted_in or 0

    def replaced(self, steps: Iterable[Todo]) -> Iterator[Change]:
        """Yield the changes to these steps, without duplicates."""
        found: dict[str, Todo] = {}
        for each in steps:
            found.setdefault(each.text, each)
        todos, texts = [*found.values()], found.keys()
        taken = [each for each in self._before if each.text in texts]
        self._before = [each for each in self._before if each.text not in texts]
        old, self._todos, self._summed = [*self._todos, *taken, *self._summed], todos, []
        yield from changes(old, todos)

    def summed(self, summary: str, turn: int) -> Iterator[Change]:
        """Yield the events of a summary's open steps, unless the session has a plan of its own.

        They come before the summary's event, so that they are unconfirmed like a plan from before a
        compaction.
        """
        if self._todos or self._before:
            return
        yield from self.forgotten(turn, least=0)
        self._summed, self._summed_in = [Todo(each) for each in open_steps(summary)], turn
        for number, step in enumerate(self._summed, start=1):
            yield "step.add", {"description": step.text, "id": f"{OF_SUMMARY}{number}"}

    def forgotten(self, turn: int, least: int = SUMMARY_AGES[-1]) -> Iterator[Change]:
        """Yield the removal of a summary's steps, once they are old enough."""
        if self._summed and turn - self._summed_in >= least:
            for each in self._summed:
                yield "step.remove", {"id": each.text}
            self._summed = []

    def written(self, given: Record, tool: TodoTool) -> Iterator[Change]:
        """Yield the changes of a call that writes the whole list.

        A list that is a text has a step on each line: ``- [x] Test``.
        """
        if not any(given.get(name) is not None for name in tool.lists):
            return
        text = next(filter(None, (string(given.get(name)) for name in tool.lists)), None)
        yield from self.replaced(todos_in(given, tool) if text is None else checklist(text))

    def steps(self, steps: Iterable[tuple[str, str]]) -> Iterator[Change]:
        """Yield the changes to a list of texts and statuses."""
        yield from self.replaced(
            Todo(words, _status(status) in DONE)
            for text, status in steps
            if (words := " ".join(text.split())) and _status(status) not in DROPPED
        )

    def task(self, tool: TaskTool, given: Record, answer: str, data: Record) -> Iterator[Change]:
        """Yield the changes of a call about tasks: one created, one updated, or all listed."""
        match tool.does:
            case "create":
                text = string(given.get("subject")) or string(given.get("description"))
                made = mapping(data.get("task"))
                match_ = _MADE.search(answer)
                key = _key(made.get("id")) or (match_[1] if match_ else None)
                if text and key and all(one.key != key for one in self._todos):
                    yield from self.replaced(
                        [*self._todos, Todo(_free(text, self._todos), key=key)]
                    )
            case "update":
                yield from self._updated(given)
            case "list":
                tasks = [mapping(one) for one in sequence(data.get("tasks"))]
                if "tasks" not in data:
                    tasks = [match.groupdict() for match in _LISTED.finditer(answer)]
                if tasks or "tasks" in data:
                    yield from self.replaced(_listed(tasks))

    def _updated(self, given: Record) -> Iterator[Change]:
        key = _key(given.get("taskId")) or _key(given.get("id"))
        status, subject = _status(given.get("status")), string(given.get("subject"))
        new: list[Todo] = []
        for todo in self._todos:
            if todo.key != key:
                new.append(todo)
            elif status not in DROPPED:
                done = status in DONE if status else todo.done
                new.append(Todo(subject or todo.text, done, todo.key))
        yield from self.replaced(new)


def moved_from_summary(state: State, summary: str) -> Iterator[EventDraft]:
    r"""Yield the events of what moves from a summary to sections of a session with this state, before
    the summary's own event: its open steps, and what it tells beside them.

    >>> [each.payload["description"] for each in moved_from_summary(HudState(), "Next steps:\n- Ship it")]
    ['Ship it']
    """
    if isinstance(state, HudState):
        plan = TrackedPlan()
        plan.resume(state)
        files = [each.path for each in state.active_files]
        for event, told in (*plan.summed(summary, 0), *told_in(summary, files)):
            yield EventDraft(event, told, actor="host")


def checklist(text: str) -> list[Todo]:
    r"""Return the steps of a list in Markdown.

    >>> [(one.text, one.done) for one in checklist("- [x] Read\n- [ ] Write")]
    [('Read', True), ('Write', False)]
    """
    found = {match[2]: Todo(match[2], match[1].lower() == "x") for match in _ENTRY.finditer(text)}
    return list(found.values())


_ENTRY = re.compile(
    r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[([ xX])\][ \t]+(\S.*?)[ \t\r]*$", re.MULTILINE
)


def _listed(tasks: Iterable[Record]) -> list[Todo]:
    return [
        Todo(text, _status(task.get("status")) in DONE, _key(task.get("id")))
        for task in tasks
        if (text := string(task.get("subject"))) and _status(task.get("status")) not in DROPPED
    ]


def _status(value: object) -> str:
    """A status in its normalized spelling."""
    return (string(value) or "").strip().lower()


def _key(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return string(value)


def _free(text: str, todos: Iterable[Todo]) -> str:
    """The text, made distinct from that of another task."""
    taken = {one.text for one in todos}
    number, free = 2, text
    while free in taken:
        free, number = f"{text} ({number})", number + 1
    return free


# A reader that resumes another one's session gets its data from the state. Data that the log lacks,
# such as calls without results, is lost. An error that can no longer be identified expires by age.


def open_errors(
    state: HudState,
) -> Iterator[tuple[_checks.ErrorKey, _checks.ErrorKind, str, _checks.CheckVerdict | None]]:
    """Yield the open errors: the key, the kind, the message, and the verdict on the check.

    >>> from hud_components import ErrorRecord
    >>> state = HudState(errors=(ErrorRecord(id="e-1", message="src/a.py: no such text"),))
    >>> [(key, kind) for key, kind, *_ in open_errors(state)]
    [(('edit', 'src/a.py'), 'edit')]
    """
    for error in state.errors:
        if error.resolved:
            continue
        label = error.message.partition(": ")[0]
        shown = next((one for one in state.checks if _begins(error.message, one.command)), None)
        check = None if shown is None else _check(shown)
        if check is not None:
            kind = _checks.ERROR_KINDS.get(check.kind, "check")
            verdict = _checks.CheckVerdict(check, error.message)
            yield ("check", check.name), kind, error.message, verdict
        elif _is_path(label):
            yield ("edit", label), "edit", error.message, None
        elif " " in label:
            yield ("command", label), "command", error.message, None
        else:
            yield ("tool", error.message), "tool", error.message, None


def _begins(message: str, command: str) -> bool:
    return message.startswith(f"{_checks.within(command, _checks.LABEL_SHOWN)}: ")


def _check(shown: Shown) -> _checks.CheckCommand | None:
    """The check that the HUD shows; only its name has the end of a long command."""
    found = [check for _, check in _checks.checks_in(_shell.all_commands(shown.command))]
    if not found or found[-1].name == shown.name:
        return found[-1] if found else None
    rest = shown.name.removeprefix(found[-1].tool).split()
    return replace(found[-1], scope=frozenset(rest))


def _is_path(label: str) -> bool:
    return " " not in label and ("/" in label or "." in label)


# The agent's working folder, and the files that it touched.


_WORKTREES = re.compile(r"/\.?(?:[\w.]+-)?worktrees?/")
"""The folders of a repository's linked worktrees."""


UNKNOWN = ("~", "$", "`")
"""Beginnings of a folder that only the shell knows."""


@dataclass(slots=True)
class Workspace:
    """The agent's folder, its editor's open file, and the files that it touched."""

    root: str | None = None
    """The first working directory; paths are shown relative to it."""

    directory: str | None = None
    """The current working directory."""

    open_file: str | None = None
    """The file in the agent's editor, as shown."""

    edited: set[str] = field(default_factory=set[str])
    """The files that the agent edited."""

    edits: EditedFiles = field(default_factory=EditedFiles)
    """The places of their edits."""

    _files: set[str] = field(default_factory=set[str])

    def resume(self, root: str | None, files: Iterable[ActiveFile], commit: str) -> None:
        """Resume in a project's folder, with the files touched there, and the last commit."""
        self.edits.commits = [commit]
        if root is not None and root.startswith("/"):
            self.enter(root)
        for each in files:
            self._files.add(each.path)
            if each.status == "editing":
                self.edited.add(each.path)
                is_committed = each.committed or each.is_unchanged
                place = commit if is_committed else "new" if each.is_new else "open"
                self.edits.places[each.path] = place

    def enter(self, directory: str | None) -> None:
        """Change to this directory, unless it is None."""
        if directory is not None:
            self.directory = directory
            self.root = self.root or directory

    def shown(self, path: str, directory: str | None = None) -> str:
        """Return a path as shown."""
        here = self.directory
        if directory:
            here = self.shown(directory)
            if self.root and not here.startswith("/"):
                here = f"{self.root}/{here}"
        return path_within(path, self.root, here)

    def folder(self, place: str, directory: str | None = None) -> str:
        """Return a folder as shown; empty for the project's own, and for one that only the shell knows.

        >>> workspace = Workspace("/app", "/app/web")
        >>> workspace.folder(""), workspace.folder("/app"), workspace.folder("../api/"), workspace.folder("$DIR")
        ('web', '', 'api', '')
        """
        if place.startswith("~") or not _shell.PLAIN.fullmatch(f"{place}."):
            return ""
        shown = self.shown(place or ".", directory)
        is_unknown = self.root is None and shown.startswith("/")  # it may be the project's own
        return "" if is_unknown or shown in (self.root, ".") else shown

    def holds(self, place: str, directory: str | None = None) -> bool:
        """Return whether the project contains a folder, relative to the working directory, or is
        contained in it.

        A folder around a linked worktree belongs to another worktree, with another branch.

        >>> workspace = Workspace()
        >>> workspace.enter("/app")
        >>> workspace.holds("src"), workspace.holds("../other"), workspace.holds("$(git rev-parse --show-toplevel)")
        (True, False, True)
        >>> workspace = Workspace(root="/app/.worktrees/1")
        >>> workspace.holds("src"), workspace.holds("/app"), workspace.holds("/app/.worktrees/2")
        (True, False, False)
        """
        if "rev-parse" in place or self.root is None:
            return True
        if place.startswith(UNKNOWN):
            return False
        here = posixpath.join(self.directory or self.root, directory or "", place)
        full, root = (f"{posixpath.normpath(one)}/" for one in (here, self.root))
        is_around = root.startswith(full) and not _WORKTREES.search(root, len(full) - 1)
        return full.startswith(root) or is_around

    def may_hold(self, place: str, directory: str | None = None) -> bool:
        """Return whether the project may contain a folder: nobody knows where a variable leads."""
        return place.startswith(UNKNOWN) or self.holds(place, directory)

    def is_scratch(self, path: str) -> bool:
        """Return whether a path is a temporary file's, outside of the project.

        >>> workspace = Workspace()
        >>> workspace.enter("/tmp/app")
        >>> workspace.is_scratch("/tmp/out.txt"), workspace.is_scratch("/tmp/app/out.txt")
        (True, False)
        """
        return path.startswith(_TEMPORARY) and not self.holds(path)

    def resolved(
        self,
        found: Iterable[_shell.FileUse],
        directory: str | None = None,
        *,
        or_open_file: bool = False,
    ) -> list[_shell.FileUse]:
        """Return files by their shown paths; for an empty path, the editor's open file."""
        files: list[_shell.FileUse] = []
        for one in found:
            if one.path:
                files.append(replace(one, path=self.shown(one.path, directory)))
            elif or_open_file and self.open_file:
                files.append(replace(one, path=self.open_file))
        return files

    @property
    def files(self) -> frozenset[str]:
        """The files touched so far."""
        return frozenset(self._files)

    def touch(self, one: _shell.FileUse) -> Iterator[EventPair]:
        """Yield the events of a touched file; a removed folder includes its files."""
        path = one.path or ""
        if one.event != "file.close":
            self._files.add(path)
            if one.event == "file.edit":
                self.edited.add(path)
                is_new = one.is_new or self.edits.places.get(path) == "new"
                self.edits.places[path] = "new" if is_new else "open"
            also = ("change", "is_removal", "names", "is_new") if one.event == "file.edit" else ()
            told = {name: getattr(one, name) for name in also if getattr(one, name)}
            yield one.event, {"path": path, **told}
            return
        for known in sorted(self._files):
            if known == path or known.startswith(f"{path}/"):
                self._files.discard(known)
                self.edits.places.pop(known, None)
                yield "file.close", {"path": known}

    def take_back(self, one: TakenBack, directory: str) -> tuple[bool, list[str], dict[str, str]]:
        """Move edits as an operation does; return whether HEAD moves, the commits that are certainly
        gone, and the moved files with the places where their edits were.
        """
        edits, is_moved, commits = self.edits, False, list[str]()
        place = edits.place(one.told, next(iter(one.operands), "HEAD"))
        if "one" in one.takes and place is not None and place >= 0:
            commits = edits.commits[place : place + 1]
        elif "behind" in one.takes:
            files = self.chosen(replace(one, of="known"), self._files, directory)
            if files or len(one.operands) > 1:
                return False, [], {}  # a reset of files changes only what is staged
            is_moved = place is None or place < len(edits.commits) - 1
            first = 0 if place is None else max(place + 1, 0)
            commits, edits.commits = edits.commits[first:], edits.commits[:first]
        among = (path for path, at in edits.places.items() if at in one.takes or at in commits)
        moved = {path: edits.places[path] for path in self.chosen(one, [*among], directory)}
        edits.places |= dict.fromkeys(moved, one.to)
        return is_moved, [] if place is None or not is_moved else commits, moved

    def chosen(self, one: TakenBack, among: Iterable[str], directory: str) -> list[str]:
        """Return the files that an operation is about."""
        root = self.root or ""
        named = [posixpath.join(root, self.shown(each, directory)) for each in one.operands]
        found = [
            path
            for path in among
            for full in [posixpath.join(root, path)]
            if any(f"{full}/".startswith(f"{each}/") or fnmatchcase(full, each) for each in named)
        ]
        is_all = {"revision": True, "files": not named, "all": not found}.get(one.of, False)
        return [*among] if is_all else found

    def shows(self, open_file: str | None) -> Iterator[EventPair]:
        """Yield the events of a file that the editor shows; nothing if it is unknown."""
        if open_file is None:
            return
        file = self.shown(open_file) if open_file else None
        if file is not None and file != self.open_file and file not in self._files:
            yield from self.touch(_shell.FileUse("file.open", file))
        self.open_file = file
