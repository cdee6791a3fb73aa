"""Verdicts: how each check went, which errors are open, and what closes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from hud_runtime.log.events import EventType
from hud_runtime.observe._asks import cut
from hud_runtime.observe._checks import KINDS, CheckCommand, checks_in, within
from hud_runtime.observe._failures import (
    FAILURES,
    LONGEST,
    Failure,
    FailureFound,
    failure_in,
    finding_in,
    is_misuse,
    is_slip,
    is_usage,
    success_in,
    telling_line,
)
from hud_runtime.observe._observations import ToolAnswer
from hud_runtime.observe._shell_words import SimpleCommand, all_commands

# The errors that are open: what made each, what closes it, and when it is too old to matter.

ErrorKind: TypeAlias = Literal[
    "check", "script", "packages", "git", "conflict", "edit", "tool", "command", "misuse"
]
"""What an error is of."""

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
"""For how many of the agent's turns an error is open when nothing closes it. What is tried again, or gone
about in another way, is so within a few turns; a check that fails is open until it passes."""

AFTER_COMMIT = 12
"""For how many turns a failing check is open once its work is committed."""

Told: TypeAlias = tuple[EventType, dict[str, object]]


@dataclass(slots=True)
class OpenError:
    """An error that is open."""

    kind: ErrorKind
    message: str
    until: int
    """The last turn in which it is open."""
    check: CheckCommand | None = None
    compiles: bool = True
    """Whether the work compiles, in spite of it."""
    chain: str = ""
    """The tool chain whose words it has."""


class Ledger:
    """The open errors by what was tried: the same again has one error at most, the latest."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], OpenError] = {}

    def failed(
        self,
        key: tuple[str, str],
        kind: ErrorKind,
        message: str,
        turn: int,
        check: CheckCommand | None = None,
        *,
        compiles: bool = True,
        chain: str = "",
    ) -> Iterator[Told]:
        """Yield what is told when something failed."""
        known = self._open.pop(key, None)
        self._open[key] = OpenError(kind, message, turn + LIVES[kind], check, compiles, chain)
        if known is not None and known.message == message:
            return
        if known is not None:
            yield from self._gone(known)
        yield "error.encountered", {"message": message}

    def resume(
        self,
        key: tuple[str, str],
        kind: ErrorKind,
        message: str,
        turn: int,
        check: CheckCommand | None,
    ) -> None:
        """Take an error as open that was told before."""
        self._open[key] = OpenError(kind, message, turn + LIVES[kind], check)

    def has(self, key: tuple[str, str]) -> bool:
        """Tell whether an error is open."""
        return key in self._open

    @property
    def lives(self) -> dict[str, int]:
        """By message: the last turn in which each is open."""
        return {error.message: error.until for error in self._open.values()}

    def live_until(self, lives: Mapping[str, int]) -> None:
        """Let those that are open be so no longer than was meant when they were met."""
        for error in self._open.values():
            error.until = lives.get(error.message, error.until)

    def succeeded(self, key: tuple[str, str]) -> Iterator[Told]:
        """Yield what is told when the same has succeeded."""
        known = self._open.pop(key, None)
        if known is not None:
            yield from self._gone(known)

    def passed(self, check: CheckCommand, chain: str) -> Iterator[Told]:
        """Yield what is told when a check has passed: all that it covers is well.

        :param chain: the tool chain whose words it had.
        """
        yield from self._close(
            lambda error: (
                error.kind == "misuse"
                if error.check is None
                else check.covers(error.check)
                or check.installs_all(error.check)
                or (check.tool == error.check.tool and check.reruns(_words_of(error)))
                or _proves(check, chain, error.check, error.chain)
                or error.kind == "misuse"
            )
        )

    def compiled(self, check: CheckCommand) -> Iterator[Told]:
        """Yield what is told when a check got past the compiler: what did not compile there, does."""
        yield from self._close(
            lambda error: (
                not error.compiles
                and error.check is not None
                and error.check.chain == check.chain
                and check.compiles(error.message)
            )
        )

    def committed(self, turn: int) -> Iterator[Told]:
        """Yield what is told when work was committed: what was in its way no longer is."""
        yield from self._close(lambda error: error.kind not in ("check", "packages"))
        for error in self._open.values():
            error.until = min(error.until, turn + AFTER_COMMIT)

    def merged(self) -> Iterator[Told]:
        """Yield what is told when a merge is over, one way or the other."""
        yield from self._close(lambda error: error.kind == "conflict")

    def went_on(self, kind: ErrorKind) -> Iterator[Told]:
        """Yield what is told when another way was taken than the one that failed."""
        yield from self._close(lambda error: error.kind == kind)

    def begin(self, turn: int) -> Iterator[Told]:
        """Yield what is told when a turn begins: old errors no longer matter."""
        yield from self._close(lambda error: error.until < turn)

    def _close(self, is_over: Callable[[OpenError], bool]) -> Iterator[Told]:
        over = [key for key, error in self._open.items() if is_over(error)]
        for key in over:
            yield from self._gone(self._open.pop(key))

    def _gone(self, error: OpenError) -> Iterator[Told]:
        if all(each.message != error.message for each in self._open.values()):
            yield "error.resolved", {"id": error.message}


def _words_of(error: OpenError) -> str:
    """What an error says, without the command that it is of."""
    return error.message.partition(": ")[2]


def _proves(passed: CheckCommand, words: str, failed: CheckCommand, failed_words: str) -> bool:
    """Tell whether a check of the whole proves another of the same tool chain, spelled otherwise."""
    return (
        passed.kind == failed.kind
        and words == failed_words != ""
        and passed.is_whole
        and passed.kind in ("test", "build", "types", "lint", "format")
    )


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """The verdict on a check."""

    check: CheckCommand
    message: str | None
    """What is wrong; None where it passed."""

    compiles: bool = True
    """Whether it got past the compiler."""

    chain: str = ""
    """The tool chain whose words were printed; empty where nobody's were."""


def has_failed(result: ToolAnswer) -> bool | None:
    """Return whether a command ended badly; None where nobody says."""
    if result.exit_code is not None:
        return result.exit_code != 0
    return {"failed": True, "done": False}.get(result.status)


def verdicts(
    commands: Sequence[SimpleCommand],
    checks: Sequence[tuple[int, CheckCommand]],
    result: ToolAnswer,
    failures: Sequence[Failure] = FAILURES,
) -> list[CheckVerdict]:
    """Return how the checks among a script's commands went, each with its command's place.

    The status of a script is that of its last command, or in ``a && b`` of the first that failed; behind
    a pipe it is the pipe's. So a check that the status does not tell of is judged by its words.
    """
    if not checks or _found_nothing(result.text):
        return []
    failed = has_failed(result)
    last = len(commands) - 1
    words = _words(commands, checks, result.text, failures)
    blamed = [place for place, _ in checks if words[place]]
    found: list[CheckVerdict] = []
    for place, check in checks:
        decides = _decides(commands, place)
        finding = words[place]
        message = None if finding is None else finding.message
        if decides and failed is False:
            # A status that nobody denies is not yet one that somebody told.
            is_told = result.exit_code is not None
            message = None if is_told else failure_in(result.text, "command", failures)
            if message is None and not is_told and is_usage(result.text):
                continue
        elif decides and failed:
            # Of the checks in `a && b` only one has failed: the last whose words are there, or the last.
            culprit = max((each for each in blamed if _decides(commands, each)), default=last)
            if place > culprit:
                continue  # it was not reached
            message = (message or telling_line(result.text)) if place == culprit else None
        elif (
            message is None
            and (commands[place].written or is_usage(result.text))
            and not success_in(result.text, of=check.chain)
        ):
            continue  # what it said stands in a file, or it was called wrongly
        compiles = message is None or finding is None or not finding.failure.compiles
        said = (
            finding.failure.chain
            if finding and message
            else success_in(result.text, of=check.chain)
        )
        found.append(CheckVerdict(check, message, compiles, said or check.chain))
    return found


def _words(
    commands: Sequence[SimpleCommand],
    checks: Sequence[tuple[int, CheckCommand]],
    text: str,
    failures: Sequence[Failure],
) -> dict[int, FailureFound | None]:
    """What the answer has against each check, by its place; the same words are of one check only."""
    words = {place: finding_in(text, "command", failures, one.chain) for place, one in checks}
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


def _can_say(finding: FailureFound | None, check: CheckCommand, text: str) -> bool:
    """Tell whether a check may have printed these words: its kind fits, and it was begun at all."""
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
"""What tests print once they are built, by tool chain."""


def _decides(commands: Sequence[SimpleCommand], place: int) -> bool:
    """Tell whether a command's failure is the script's."""
    return all(each.joint == "&&" for each in commands[place:-1])


_NOTHING = re.compile(
    r"no tests ran|^=*\s*\d+ deselected|^nothing to commit|^no changes added to commit|^nothing added to commit"
)
"""What is said when nothing was run, or there was nothing to do: that is no result."""


def _found_nothing(text: str) -> bool:
    return _NOTHING.search(text[-300:].rstrip().rpartition("\n")[2]) is not None


# The effects of a script's commands: results of checks, errors met and gone, merges that are over.

Script: TypeAlias = tuple[Sequence[SimpleCommand], Sequence[tuple[int, CheckCommand]]]
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

    def verdict(self, verdict: CheckVerdict, result: ToolAnswer, turn: int) -> Iterator[Told]:
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

    def merge(
        self, commands: Sequence[SimpleCommand], result: ToolAnswer, turn: int
    ) -> Iterator[Told]:
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
        self, script: str, commands: Sequence[SimpleCommand], result: ToolAnswer, turn: int
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
