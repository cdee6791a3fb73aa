"""The effects of a script's commands: results of checks, errors met and gone, merges that are over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from hud_runtime.observation._checks import Check, checks_in, within
from hud_runtime.observation._failure_table import Failure
from hud_runtime.observation._failures import LONGEST, failure_in, is_misuse, is_slip
from hud_runtime.observation._ledger import ErrorKind, Ledger, Told
from hud_runtime.observation._observations import ToolResult
from hud_runtime.observation._sentences import cut
from hud_runtime.observation._shell_scripts import all_commands
from hud_runtime.observation._shell_words import Command
from hud_runtime.observation._verdicts import Verdict, has_failed

Script: TypeAlias = tuple[Sequence[Command], Sequence[tuple[int, Check]]]
"""The commands of a script, and the checks among them with their places."""

SHORT_SCRIPT, SCRIPTS_KEPT = 500, 256
"""Characters below which a script's commands are kept, and of how many scripts."""

COMMAND_SHOWN = 60
"""Characters of a command that an error repeats."""

GIT_CHECKS = frozenset(f"git {one}" for one in ("push", "commit", "merge", "rebase", "pull", "am", "cherry-pick", "revert"))  # fmt: skip
"""What of git stands among the checks when it fails, until it succeeds."""

_CONFLICT = ("conflict", "")
"""The one merge that a repository can be in the middle of."""

_MERGES = frozenset({"merge", "rebase", "cherry-pick", "revert", "stash", "pull", "am"})
_ENDS_MERGE = frozenset({"--abort", "--continue", "--skip", "--quit"})
ERROR_KINDS: dict[str, ErrorKind] = {"script": "script", "packages": "packages", "git": "git"}
"""The errors that checks of these kinds are; all others are errors of a check."""


class Checked:
    """The checks of a session, one script after the other.

    :param errors: where errors are kept.
    :param failures: how failure reads.
    """

    def __init__(self, errors: Ledger, failures: Sequence[Failure]) -> None:
        self._errors = errors
        self._failures = failures
        self._failing: set[str] = set()
        self._scripts: dict[str, Script] = {}

    def resume(self, failing: Iterable[str]) -> None:
        """Go on from the checks, by name, that failed when they last ran."""
        self._failing.update(failing)

    def read(self, script: str) -> Script:
        """The commands of a script and the checks among them; agents run the same ones again and again."""
        known = self._scripts.get(script)
        if known is None:
            commands = all_commands(script)
            known = commands, checks_in(commands)
            if len(script) < SHORT_SCRIPT:
                if len(self._scripts) == SCRIPTS_KEPT:
                    self._scripts.clear()
                self._scripts[script] = known
        return known

    def verdict(self, verdict: Verdict, result: ToolResult, turn: int) -> Iterator[Told]:
        """Yield what it means that a check went so."""
        check, message = verdict.check, verdict.message
        key = ("check", check.name)
        if verdict.compiles and check.chain:
            yield from self._errors.compiled(check)
        if message is None:
            yield from self._errors.passed(check, verdict.chain)
            if check.kind == "git":
                yield from self._errors.went_on("git")
        elif is_slip(result.text):
            return
        elif "CONFLICT (" in result.text and check.kind == "git":
            yield from self._errors.failed(
                _CONFLICT, "conflict", said(check.command, conflicts(result.text)), turn
            )
        else:
            misused = is_misuse(message)
            kind = "misuse" if misused else ERROR_KINDS.get(check.kind, "check")
            yield from self._errors.failed(
                key,
                kind,
                said(check.command, message),
                turn,
                check,
                compiles=verdict.compiles,
                chain=verdict.chain,
            )
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

    def merge(self, commands: Sequence[Command], result: ToolResult, turn: int) -> Iterator[Told]:
        """Yield what ends a merge: a commit, giving it up, going on with it."""
        if has_failed(result):
            return
        for command in commands:
            words = command.words
            if words[:1] != ["git"]:
                continue
            if "commit" in words[:4] or "reset" in words[:4] or _ENDS_MERGE.intersection(words):
                yield from self._errors.merged()
                for name in [one for one in self._failing if one.removeprefix("git ") in _MERGES]:
                    self._failing.discard(name)
                    yield "check.result", {"name": name, "command": name, "result": "pass"}
            if "commit" in words[:4]:
                yield from self._errors.committed(turn)

    def under_way(self, what: str, turn: int) -> Iterator[Told]:
        """Yield what it means that this is under way in the project's repository; nothing when empty."""
        if not what:
            yield from self._errors.merged()
        elif not self._errors.has(_CONFLICT):
            yield from self._errors.failed(_CONFLICT, "conflict", what, turn)

    def unchecked(
        self, script: str, commands: Sequence[Command], result: ToolResult, turn: int
    ) -> Iterator[Told]:
        """Yield what went wrong, in words that any command may say, in a script that checks nothing."""
        if any(one.text for one in commands) or any("-c" in one.words for one in commands):
            return
        key = ("command", " ".join(script.split())[:500])
        message = failure_in(result.text, "command", self._failures)
        if message is None or is_slip(result.text):
            yield from self._errors.succeeded(key)
            return
        label = script.strip().partition("\n")[0]
        kind: ErrorKind = "misuse" if is_misuse(message) else "command"
        yield from self._errors.failed(key, kind, said(label, message), turn)


def conflicts(text: str) -> str:
    r"""Return which files are in conflict.

    >>> conflicts("CONFLICT (content): Merge conflict in a.py\nCONFLICT (content): Merge conflict in b.py")
    'CONFLICT in a.py, b.py'
    """
    lines = [line for line in text.splitlines() if line.startswith("CONFLICT (")]
    files = [line.rpartition(" in ")[2].strip() or line for line in lines]
    shown = ", ".join(files[:4])
    more = f" (+{len(files) - 4} more)" if len(files) > 4 else ""
    return f"CONFLICT in {shown}{more}"


def said(label: str, message: str) -> str:
    """Return a message with what it is about before it."""
    return cut(f"{within(label, COMMAND_SHOWN)}: {message}", LONGEST)
