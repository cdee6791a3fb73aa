"""Asks: what the user wants, extracted from messages in the user role."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import cast

from hud_components.words import ends
from hud_runtime.observe.messages import grouped, rows
from ujsx import DefinitionError

FENCE = re.compile(
    r"^[ \t]*+(?P<marks>`{3,}+|~{3,}+)[^\n]*+\n(?:(?![ \t]*+(?P=marks))[^\n]*+\n)*+(?:[ \t]*+(?P=marks))?",
    re.MULTILINE,
)
"""Code blocks, which are quoted material and not the speaker's words."""

# Words with which a user only tells the agent to continue, in many languages: hud_runtime/data/asks.tsv.

_WORDS = grouped("asks")


def _words(kind: str) -> frozenset[str]:
    return frozenset(" ".join(_WORDS[kind]).split())


GOES_ON = _words("go on")
"""Words that, alone or together, only tell the agent to continue."""

ANSWERS = GOES_ON | _words("choice")
"""The same, and the words that pick from the options the agent offered: "option 2", "all four"."""

AGREEMENT = _words("agreement")
"""Words that begin an answer: "yes, but only the first"."""

_COMMITS = re.compile("|".join(_WORDS["commit"]), re.IGNORECASE)


def is_about_commits(prompt: str) -> bool:
    """Return whether a prompt has words for a commit, or for what needs one.

    >>> is_about_commits("Looks good, push it"), is_about_commits("Add a login")
    (True, False)
    """
    return _COMMITS.search(prompt[:LOOKED_AT]) is not None


# What a prompt names beside the words of the task.

MOST_NAMED, LONGEST_NAMED = 4, 72
"""Maximum names, and the characters of each."""

_NAMED = re.compile(
    r"https?://[^\s()<>]*?/(?:blob|tree)/[^/\s]+/(?P<linked>[\w./@+-]+)(?:#L(?P<at>\d{1,6}))?|https?://\S+"
    r"|(?<![\w./@+-])(?P<path>(?:[\w.@+-]+/)+[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,7})(?::(?P<line>\d{1,6}))?"
    r"|`(?P<name>(?=[^`\n]{0,40}(?:[a-z][A-Z]|[\w)][.:_/(]))[A-Za-z_][\w./:-]+(?:\(\))?)`"
)
"""A file of a link, another link, the path of a file with its folder, or a name in backticks."""


def named_beside(task: str, prompt: str) -> str:
    """Return the files and the names in a prompt that the words of the task lack, files first.

    >>> named_beside("Fix the login", "Fix the login: `Store.load` in src/store.py:7, see https://a.b/c/blob/main/d/e.py#L46")
    'src/store.py:7, d/e.py:46, Store.load'
    """
    files: dict[str, None] = {}
    others: dict[str, None] = {}
    for match in _NAMED.finditer(FENCE.sub("", prompt[:LOOKED_AT])):
        path = match["linked"] or match["path"]
        line = match["at"] or match["line"]
        name = f"{path}:{line}" if path and line else path or match["name"] or ""
        if name and len(name) <= LONGEST_NAMED and (path or name) not in task:
            (files if path else others)[name] = None
    return ", ".join([*files, *others][:MOST_NAMED])


# The position of the task in prompts with a known layout.


@dataclass(frozen=True, slots=True)
class TaskMarker:
    """A pattern whose group ``task`` captures the task in a prompt with a known layout."""

    name: str
    pattern: str
    """A regular expression, matched with ``MULTILINE``."""

    def __post_init__(self) -> None:
        """Refuse a pattern that could match without capturing a task."""
        if "task" not in re.compile(self.pattern).groupindex:
            raise DefinitionError(
                f'the marker "{self.name}" has no group "task": write (?P<task>…) in its pattern'
            )


TASK_MARKERS: tuple[TaskMarker, ...] = tuple(
    TaskMarker(name, pattern) for name, pattern in rows("task-markers")
)
"""Tried in this order; the first match gives the task. Extend it with your own."""


# Messages in the user role that the user did not write: hosts' texts, slash commands of programs.

NOISE = re.compile(
    r"<(system-reminder|environment_details|environment_context|user_instructions|uploaded_files|ide_\w+"
    r"|attached_files|open_and_recently_viewed_files|collaboration_mode|current_datetime|reminder|hook_context"
    r"|additional_data|project_layout|rules|cursor_commands|manually_attached_skills|timestamp)\b[^<>]*+>"
    r"(?:[^<]++|<(?!/?\1>))*+</\1>"
)
"""Text that hosts wrap around the user's words."""

WRAPPED = re.compile(
    r"<(?P<of>user_query|user_message|feedback|answer|task)>"
    r"(?P<words>(?:[^<]++|<(?!/(?P=of)>))*+)(?:</(?P=of)>|\Z)"
)
"""Elements whose content is the user's words."""

WRAPPING = re.compile(
    r"\s*# (?:Context|Files mentioned)[\s\S]*?^## My request for Codex:[ \t]*\n?", re.MULTILINE
)
"""Text that Codex's editors put before the user's words."""

MACHINE_MADE: tuple[str, ...] = tuple(each.replace("\\n", "\n") for each in _WORDS["machine"])
"""Prefixes of texts in the user role that the user did not write."""


def said_by_user(prompt: str) -> str:
    """Return a prompt without the text that hosts wrap around the user's words.

    >>> said_by_user("<system-reminder>Be kind.</system-reminder>Add a login")
    'Add a login'
    """
    text = prompt.replace("\r\n", "\n")
    if "<" in text:
        text = NOISE.sub("", text)
        text = WRAPPED.sub(r"\g<words>", text, count=1)
    wrapped = WRAPPING.match(text) if text.lstrip().startswith("#") else None
    return (text[wrapped.end() :] if wrapped else text).strip()


def is_of_program(text: str) -> bool:
    """Return whether a program wrote a text in the user role.

    >>> is_of_program("<local-command-stdout>Bye!</local-command-stdout>")
    True
    """
    return text[:500].lstrip().startswith(MACHINE_MADE)


def command_in(text: str) -> str | None:
    """Return a slash command with its arguments if the text is one; empty for one of the program's own.

    >>> command_in("<command-name>/review</command-name><command-args>PR 7</command-args>")
    '/review PR 7'
    >>> command_in("<command-name>/clear</command-name>"), command_in("Add a login")
    ('', None)
    >>> command_in("/compact"), command_in("/home is full")
    ('', None)
    """
    if "<command-name>" not in text[:2_000]:
        typed = _TYPED.fullmatch(text.strip()[:200])
        return "" if typed and typed[1] in OWN_COMMANDS else None
    name = _COMMAND.search(text)
    if name is None:
        return None
    given = _ARGUMENTS.search(text)
    words = " ".join(given[1].split()) if given else ""
    return "" if name[1] in OWN_COMMANDS else f"/{name[1]} {words}".strip()


_COMMAND = re.compile(r"<command-name>\s*/?([^<\s]+)\s*</command-name>")
_TYPED = re.compile(r"/([a-z-]{2,30})(?:[ \t]+[\w.-]{1,40})?")
"""A command of the program as the user typed it, which some hosts record."""
_ARGUMENTS = re.compile(r"<command-args>([^<]*)</command-args>")

OWN_COMMANDS = _words("own command")
"""Slash commands that the program itself answers."""


# A text in one or two sentences, on one line.

LONGEST = 240
"""Maximum characters of a task; longer ones are cut between sentences, or between words."""

LOOKED_AT = 100_000
"""Maximum characters of a prompt that are searched."""

SENTENCE_END = re.compile(r"(?<=[.!?])\s+")

LOG = re.compile(
    r"(?:\s*(?:at |File \"|\d{4}-\d\d-\d\d[T ]|\[\d|\$ |> |>>> |Traceback|\+|-(?!\s)|\||```|<|[{}\[\]()]|#\d|\d+[:|]"
    r"|\w*(?:Error|Exception)\b:|E   |FAIL|PASS|npm |make: |\S+[/\\]\S+:\d+))"
)
"""The beginning of a line of a log, a trace or a program's output."""


def first_words(text: str) -> str:
    r"""The first lines of a text that are prose, up to the first blank line after :data:`ENOUGH`
    characters.

    If they end in a colon, the block that follows is included, and the prose after it.

    >>> first_words("I got this feedback:\n\n> The login is slow.\n\nCan you find out why, and fix it?\n\nThanks!")
    'I got this feedback: The login is slow. Can you find out why, and fix it?'
    """
    lines = text[:LOOKED_AT].splitlines()
    kept, count = _prose(lines)
    words = " ".join(kept)
    if not words.endswith((":", "：")):
        return words
    block, rest = _block(lines[count:])
    return " ".join(filter(None, (words, ends(block, QUOTED), " ".join(_prose(rest)[0]))))


def _prose(lines: Sequence[str]) -> tuple[list[str], int]:
    """The first lines that are prose, and the number of lines read."""
    kept: list[str] = []
    in_fence = False
    for place, line in enumerate(lines):
        words = line.strip()
        if words.startswith(("```", "~~~")):
            if kept:
                return kept, place
            in_fence = not in_fence
            continue
        if in_fence or not re.search(r"\w", words):
            if kept and len(" ".join(kept)) >= ENOUGH:
                return [*kept, *_more(lines[place:], LONGEST - len(" ".join(kept)) - 1)], place
            continue
        if kept and (LOG.match(line) or words.startswith("#")):
            return kept, place
        is_heading = words.startswith("#")
        kept.append(words.lstrip("#>*- ") if not kept else words)
        if is_heading or sum(map(len, kept)) > LONGEST:
            return kept, place + 1
    return kept, len(lines)


_FENCES = ("```", "~~~", '"""', "'''")
"""The beginnings of lines around quoted material, of three characters each."""


def _block(lines: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The first block of lines, up to a blank line or the end of its fence, and the lines after it."""
    kept: list[str] = []
    fence = ""
    for place, line in enumerate(lines):
        words = line.strip()
        if words.startswith(_FENCES) and fence in ("", words[:3]):
            if kept:
                return " ".join(kept), lines[place + bool(fence) :]
            fence = "" if fence else words[:3]
        elif words:
            kept.append(words.lstrip("> "))
        elif kept and not fence:
            return " ".join(kept), lines[place:]
    return " ".join(kept), ()


def _more(lines: Sequence[str], longest: int) -> Sequence[str]:
    """The paragraph at the start of lines, if there is room for all of it."""
    kept = [*takewhile(str.strip, dropwhile(lambda line: not line.strip(), lines))]
    is_prose = kept and not any(
        LOG.match(line) or line.lstrip().startswith(("#", "~~~")) for line in kept
    )
    words = " ".join(each.strip() for each in kept)
    return [words] if is_prose and len(words) <= longest and not _THANKS.fullmatch(words) else []


QUOTED = 100
"""Maximum characters of the block after a colon."""

ENOUGH = 30
"""Characters after which a blank line ends an ask."""


def cut(text: str, longest: int = LONGEST) -> str:
    """Return the text on one line: whole, or its first sentences, or its first words.

    >>> cut("Add a login. Use JWT.", 15)
    'Add a login.'
    >>> cut("Add a login", 8)
    'Add a…'
    """
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    kept = ""
    for sentence in SENTENCE_END.split(line):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > longest:
            break
        kept = longer
    if kept:
        return kept
    start = line[: longest - 1]
    return f"{start.rpartition(' ')[0] or start}…"


GREETING = re.compile(
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening))\b[^.!?\n]{0,30}[.!]\s+", re.IGNORECASE
)
"""A greeting before the task."""


def task_in(prompt: str, markers: tuple[TaskMarker, ...] = TASK_MARKERS) -> str | None:
    r"""Return the task in a sentence or two, or None when the prompt has no words.

    >>> task_in("Hello! Can you explain decorators? I am new to Python.")
    'Can you explain decorators? I am new to Python.'
    >>> task_in("Solve this.\nISSUE:\nTimeDelta serialization precision\nHi there!")
    'TimeDelta serialization precision'
    """
    text = said_by_user(prompt)
    for marker in markers:
        match = re.search(marker.pattern, text[:LOOKED_AT], re.MULTILINE)
        if match:
            return cut(cast("str", match["task"])) or None
    first = GREETING.sub("", text, count=1) if GREETING.match(text) else text
    return _with_end(first_words(first)) or None


def _with_end(words: str) -> str:
    """The first sentences of an ask, and its last one if there is room."""
    kept = cut(words)
    both = f"{kept} … {SENTENCE_END.split(words)[-1]}"
    has_room = kept != words and not kept.endswith("…") and len(both) <= LONGEST
    return both if has_room else kept


def ask_in(prompt: str, markers: tuple[TaskMarker, ...] = TASK_MARKERS) -> str | None:
    """Return the ask in a prompt, or None where it only says to continue, or is all log.

    >>> ask_in("yes, go on"), ask_in("Push it.")
    (None, 'Push it.')
    """
    text = said_by_user(prompt)
    if not text or _only_goes_on(text) or (len(text) <= REMARK and _REMARK.fullmatch(text)):
        return None
    lines = [line for line in text[:LOOKED_AT].splitlines() if line.strip()]
    prose = list(_prose_lines(lines))
    if not prose and (len(lines) > 3 or all(map(_LOGGED.match, lines))):
        return None
    if prose and LOG.match(lines[0]) and not lines[0].startswith("```"):
        # The pasted text comes first, and the ask after it.
        return task_in("\n".join(lines[lines.index(prose[0]) :]), markers)
    return task_in(prompt, markers)


def _prose_lines(lines: Sequence[str]) -> Iterator[str]:
    """The lines of prose: no logs, no program's output, nothing in a fence."""
    in_fence = False
    for line in lines:
        if line.strip().startswith(("```", "~~~")):
            in_fence = not in_fence
        elif not in_fence and not LOG.match(line) and len(line.split()) >= PROSE:
            yield line


PROSE = 3
"""Minimum words of a line of prose."""


_THANKS = re.compile(
    r"(?:(?:this|that|it)(?:'s| is| was|) )?(?:[a-z]+[,.!]* ){0,4}(?:many |much )?(?:thanks?|thank you|thx|cheers)"
    r"(?: (?:you|so|very|much|a|lot|again|for|all|your|the|this|that|help|assistance|work|time|claude|codex|everyone))*"
    r"[.!]*(?: ?#+\w+#+)?",
    re.IGNORECASE,
)
"""Thanks alone."""


_LOGGED = re.compile(
    r"\s*+(?:\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|File \"[^\"]++\", line \d|at \S++ ?\(|Traceback \(most recent)"
)
"""The beginning of a line that only a program writes; one such line is enough."""

REMARK = 200
"""Maximum characters of a remark."""

_REMARK = re.compile(
    r"\([^()\n]{1,120}\)"
    r"|(?:that|this|it) (?:was|were)(?: [^\s?]+){1,7}"
    r"|(?:[^\s?]+ ){1,9}fyi[.!]*"
    r"|(?:(?:hi|hello|hey)[ ,!.]*(?:there|claude|codex)?[ ,!.]*)?"
    r"(?:how are you(?: doing)?|how(?:'s| is) it going|what(?:'s| is) up|are you (?:still )?there|you there"
    r"|wie geht(?:'s| es dir)|ça va|qué tal|come va|как дела|你好吗|元気ですか)[ ?!.]*",
    re.IGNORECASE,
)
"""A remark or small talk, which asks for nothing."""


def answers_in(prompt: str, question: str) -> bool:
    """Return whether a prompt only answers the agent's question or offer, in a few words.

    :param question: the end of the agent's last message.

    >>> answers_in("yeah bug report only", "Bug report, feature request, or both?")
    True
    >>> answers_in("yeah bug report only", "Done."), answers_in("Why is it red?", "Shall I push?")
    (False, False)
    """
    words = said_by_user(prompt).split()
    if not words or "?" not in question or "?" in prompt:
        return False
    first = re.sub(r"[^\w]", "", words[0]).lower()
    return len(words) <= FEW or (len(words) <= SEVERAL and first in AGREEMENT)


FEW = 3
"""Maximum words of an answer to the agent's question."""

SEVERAL = 8
"""Maximum words of an answer that begins like one: "yes, but only the first two"."""


def _only_goes_on(text: str) -> bool:
    if len(text) > REMARK:
        return False
    if _THANKS.fullmatch(" ".join(text.split())):
        return True
    words = re.findall(r"[^\W_]+", text.lower())
    if len(words) > 8 or (text.endswith("?") and len(words) > 1):
        return False
    return all(word in ANSWERS or (word.isdecimal() and len(word) < 3) for word in words)


TURNS = re.compile(
    r"(?:thinking (?:about it )?again|on second thou?ght|actually|instead|never ?mind|forget (?:it|that|about)|scrap that"
    r"|let'?s (?:rather|instead)|change of plans?|no,? (?:wait|let'?s)|wait,? (?:no|let'?s))\b",
    re.IGNORECASE,
)
"""The beginning of an ask that replaces the previous one."""


def is_short(ask: str) -> bool:
    """Return whether an ask is a few words that add to the previous one: "push", "and the docs too".

    >>> is_short("draft PR please"), is_short("Add a login with JWT and a limit for wrong attempts")
    (True, False)
    """
    return len(ask.split()) + len(_UNSPACED.findall(ask)) // 2 < SHORT


_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""Letters of languages without spaces between words; two letters count as one word."""


SHORT = 6
"""An ask with fewer words only adds to the previous ones."""
