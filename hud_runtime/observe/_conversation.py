"""The conversation: the newest ask, the goal of the session, the user's decisions, and what a summary of it tells."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import islice

from hud_components import Task
from hud_components.words import ends, section_rank
from hud_runtime.observe import _asks
from hud_runtime.observe._asks import TaskMarker, cut
from hud_runtime.observe._checks import EventPair
from hud_runtime.observe._observations import Record, mapping, sequence, string
from hud_runtime.observe.messages import grouped
from hud_runtime.observe.rules import StandingRules

# The text of a compaction's summary, with the open work first.
#
# A summary begins with the program's preface and an analysis; sections follow. Its first few
# hundred characters must be those that the work continues with. Only the program's own words and
# the analysis are left out: text before the first section is a section, too.

_THOUGHT = re.compile(r"\A\s*(?:\*\*|#+ )?(?:Analysis\b|Chronological)[^\n]*(?:\n|\Z)")
"""The first line of an analysis that has no tags."""

_TAG = re.compile(
    r"</?(?:analysis|summary|state_snapshot|SYSTEM_NOTICE|compressed_history|context)>"
)
_START = re.compile(r"^(?:\*\*|#+ )?Summary:?(?:\*\*)?[ \t]*$", re.MULTILINE)
_NUMBERED = re.compile(
    r"^[ \t]*\d+\.[ \t]+(?:\*\*)?(?P<title>[A-Z][^:\n*]{2,60}):?(?:\*\*)?:?(?<=[:*])[ \t]*$",
    re.MULTILINE,
)
_HEADED = tuple(
    re.compile(rf"^{marks}[ \t]+(?:\d+\.[ \t]*)?(?P<title>\S[^\n]{{1,70}}?):?[ \t]*$", re.MULTILINE)
    for marks in ("#", "##", "###", "####")
)
"""Headings by level: the sections are those of the first level that has several."""

_TAGGED = re.compile(r"^[ \t]*<(?P<title>[a-z_]{3,40})>[ \t]*$", re.MULTILINE)
_CLOSING = re.compile(
    r"\n(?:Please continue the conversation|Continue the conversation from where|If you need specific details from"
    r" before compaction)[^\n]*+(?:\n(?!#)[^\n]*+)*+\Z"
)
_OPENING = re.compile(
    r"\A\s*(?:This session is being continued from a previous conversation[^\n]*\n+(?:The summary below[^\n]*\n+)?"
    r"|Another language model started to solve this problem[^\n]*\n+|Context summary:\s*|Earlier context was compacted[^\n]*\n+)"
)

PREFACE = "Summary"
"""The title of the text before the first section."""

LONGEST_SUMMARY = 20_000
"""Maximum characters of a stored summary."""


def summary_in(text: str) -> str:
    r"""Return a summary as Markdown, with the open work first.

    >>> print(summary_in("Analysis:\nWell.\n\nSummary:\n1. Primary Request and Intent:\n   Speed.\n\n"
    ...     "7. Pending Tasks:\n   - Measure it\n"))
    # Pending Tasks
    <BLANKLINE>
    - Measure it
    <BLANKLINE>
    # Primary Request and Intent
    <BLANKLINE>
    Speed.
    """
    text = _OPENING.sub("", _without_analysis(text.replace("\r\n", "\n")))
    start = _START.search(text)
    if start is not None and (_THOUGHT.match(text) or not text[: start.start()].strip()):
        text = text[start.end() :]
    text = _CLOSING.sub("", _OPENING.sub("", _TAG.sub("", text)))
    parts = _parts(text)
    if not parts:
        return _bounded(text.strip())
    ordered = sorted(parts, key=lambda part: section_rank(part[0]))
    return _bounded("\n\n".join(f"# {title}\n\n{body}".strip() for title, body in ordered))


def _without_analysis(text: str) -> str:
    """The text without its author's analysis; an unclosed analysis stays."""
    kept: list[str] = []
    place = 0
    while (start := text.find("<analysis>", place)) >= 0:
        end = text.find("</analysis>", start)
        if end < 0:
            break
        kept.append(text[place:start])
        place = end + len("</analysis>")
    return "".join([*kept, text[place:]])


def _bounded(text: str) -> str:
    """The text, or its beginning with the number of omitted characters."""
    if len(text) <= LONGEST_SUMMARY:
        return text
    kept = text[: LONGEST_SUMMARY - 40]
    return f"{kept}\n\n… {len(text) - len(kept):,} more characters"


def _parts(text: str) -> list[tuple[str, str]]:
    """The sections, each with its title; none where fewer than two have content."""
    bare = _asks.FENCE.sub(lambda code: " " * len(code[0]), text)
    kinds = [list(pattern.finditer(bare)) for pattern in (_NUMBERED, _TAGGED, *_HEADED)]
    # Numbered lines within a headed section are not sections.
    for found in sorted(filter(None, kinds), key=lambda found: found[0].start()):
        ends = [*(match.start() for match in found[1:]), len(text)]
        parts = [
            (_title(match["title"]), _body(text[match.end() : end], match["title"]))
            for match, end in zip(found, ends, strict=True)
        ]
        if sum(bool(body) for _, body in parts) > 1:
            preface = _START.sub("", _body(text[: found[0].start()]), count=1).strip()
            return [(PREFACE, preface), *parts] if preface else parts
    return []


def _title(words: str) -> str:
    words = words.replace("_", " ").strip(" *:")
    return words[:1].upper() + words[1:]


def _body(text: str, tag: str = "") -> str:
    closing = f"</{tag}>"
    lines = [line.rstrip() for line in text.strip("\n").splitlines() if line.strip() != closing]
    depth = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return "\n".join(line[depth:] for line in lines).strip()


# The open steps of a summary: the items of its sections of open work, and unticked boxes anywhere.

MOST_STEPS = 12
"""Maximum open steps that are taken from a summary."""

LONGEST_STEP = 200
"""Maximum characters of an open step."""

_HEADLINE = re.compile(
    r"(?P<marks>#{1,6})?[ \t]*(?P<item>[-*+•][ \t]+)?(?P<bold>\*\*)?(?:\d{1,2}[.)][ \t]+)?"
    r"(?P<title>[^\s:*#`][^:*\n]{0,59})(?P<colon>:?)(?:\*\*)?:?[ \t]*"
)
"""A line that titles the lines after it: a heading, a line in bold, or words before a colon."""

_OPEN_WORK = re.compile(
    r"(?:(?:the|my|our|optional|immediate|suggested|recommended|planned|what(?:'s| is| still)?|work|tasks?|steps?|items?)\W+)*"
    r"(?:pending|remain|outstanding|unfinished|in progress|open (?:tasks?|items?|work|steps?|to-?dos?)|to-?dos?\b|left to"
    r"|still (?:to do|open)|next (?:steps?|actions?)|not (?:yet )?(?:done|started)|needs? to be done)",
    re.IGNORECASE,
)
_DONE_WORK = re.compile(r"\b(?:done|completed?|finished|accomplished)\b", re.IGNORECASE)

_ENTRY = re.compile(
    r"^(?P<indent>[ \t]*+)(?:[-*+•]|\d{1,3}[.)])[ \t]++(?P<tick>\[[ xX~/-]\]|[☐⬜☑✅✔✓]️?"
    r"|\*{0,2}[\[(](?i:to-?do|in[ _-]progress|pending|open|done|completed?|cancell?ed)[\])]\*{0,2}:?)?[ \t]*+(?P<text>\S.*)"
)
_OPEN = re.compile(r"\[[ ~/]\]|[☐⬜]|to-?do|progress|pending|open", re.IGNORECASE)
_NO_STEP = re.compile(
    r"~~.*~~\W*$|.*(?:✅|✔|[-–—(\[] ?(?:done|completed)[)\]]?\.?$)|\W*(?:already )?(?:done|completed|finished)\b ?[:,–—-]"
    r"|\W*(?:none|n/?a|nothing|no (?:\w+ ){0,3}(?:tasks?|steps?|items?|work|actions?))\b"
    r"(?=\W*$|\W+(?:left|yet|remain|pending|explicitly|at this|currently|known|is|are|were|was|has|have)\b)",
    re.IGNORECASE,
)
"""Words for finished work, and for no work."""

_BOLD = re.compile(r"\*\*(?=\S)([^*\n]+)\*\*|`")


def open_steps(summary: str) -> list[str]:
    r"""Return the open steps of a summary: those in progress, then the others, in its order.

    >>> open_steps("## Done\n- Read\n\n## Next steps\n1. **Write** `a.py`\n   - by hand\n2. [x] Plan")
    ['Write a.py']
    """
    found: dict[str, bool] = {}
    around: list[tuple[int, str]] = [(0, "")]
    least: int | None = None
    for line in _asks.FENCE.sub("", summary).splitlines():
        if (named := _headline(line)) is not None:
            rank, state = named
            while around[-1][0] >= rank:
                around.pop()
            around.append((rank, around[-1][1] if state is None else state))
            least = None
        elif entry := _ENTRY.fullmatch(line):
            indent = len(entry["indent"].expandtabs(4))
            least = indent if least is None else min(least, indent)
            state = (entry["tick"] or around[-1][1]).lower()
            if indent <= least + 1 and _OPEN.search(state) and not _NO_STEP.match(entry["text"]):
                found.setdefault(_step(entry), "progress" in state)
    return sorted(found, key=lambda step: not found[step])[:MOST_STEPS]


def _headline(line: str) -> tuple[int, str | None] | None:
    """The level of a heading line, and the state of the work below it; None for any other line."""
    named = _HEADLINE.fullmatch(line)
    if named is None or not (named["marks"] or named["bold"] or named["colon"]):
        return None
    is_open, is_done = _OPEN_WORK.match(named["title"]), _DONE_WORK.search(named["title"])
    state = f"open {is_open[0]}" if is_open else "" if is_done else None
    if named["marks"]:
        return len(named["marks"]), state
    return None if named["item"] and state is None else (7, state)


def _step(entry: re.Match[str]) -> str:
    return cut(_BOLD.sub(r"\1", entry["text"]), LONGEST_STEP)


def without_steps(summary: str) -> str:
    r"""Return a summary (:func:`summary_in`) without leading sections that only list open steps.

    >>> without_steps("# Pending Tasks\n\n- Measure it\n\n# Current Work\n\nSpeed.")
    '# Current Work\n\nSpeed.'
    """
    moved, rest = open_steps(summary), summary
    while rest.startswith("# "):
        title, _, behind = rest.partition("\n")
        body, _, others = behind.partition("\n\n# ")
        entries = [_ENTRY.fullmatch(line) for line in body.splitlines() if line]
        is_moved = all(
            entry and (_NO_STEP.match(entry["text"]) or _step(entry) in moved) for entry in entries
        )
        if not (others and is_moved and _OPEN_WORK.match(title[2:])):
            break
        rest = f"# {others}"
    return rest


# The rest of a summary that moves to sections: what it says lasts, where the work was left off, and
# what was done to files. It stays the agent's word: no part of it is a rule, a task or a decision.

MOST_OF_SECTION = 3
"""Maximum entries of a section that are told."""

OF_ENTRY, LEFT_OFF = 150, 240
"""Maximum characters of each, and of a section about where the work was left off."""

OF_FILE = 110
"""Maximum characters of what a summary says of a file."""

MOST_FILES, LONGEST_PATH = 50, 300
"""Maximum files that a summary tells of, and the characters in which each path is searched."""

_IN_PROJECT = re.compile(r"(?:\.?[\w@+-][\w.@+-]*/)+[\w.@+-]*\.[a-z]\w{0,7}")
"""The path of a file in the project, with its folder and a suffix."""

TELLING = 24
"""Characters from which a sentence about a file stands before shorter ones."""

JOINED = " — "
"""The separator of entries."""

_WORDS = {
    kind: re.compile("|".join(f"(?:{each})" for each in patterns), re.IGNORECASE)
    for kind, patterns in grouped("summaries").items()
}
_SECTION = re.compile(r"^# (?P<title>[^\n]+)\n+", re.MULTILINE)
_BOLD_SECTION = re.compile(r"^\*\*(?P<title>[^*\n]{3,60})\*\*:?[ \t]*$", re.MULTILINE)
_PATH = re.compile(
    r"(?:\d{1,3}[.)] )?\**`?(?P<path>[^\s`*:()]*[./][^\s`*:()]*)`?\**[^:—–\n-]{0,30}(?:[:—–-]+\s+|$)"
)
"""The path that begins an entry about a file, and what stands between it and the words about it."""


def told_in(summary: str, files: Iterable[str], gone: Container[str] = ()) -> Iterator[EventPair]:
    r"""Yield the events of what a summary (:func:`summary_in`) tells beside its open steps.

    :param files: the session's files.
    :param gone: the deleted ones, of which nothing is told.

    >>> for event in told_in("# Errors and fixes\n\n- Wrong port: now 80\n\n# Files\n\n- `a.py`: added `f()`", ["src/a.py"]):
    ...     print(event)
    ('message.said', {'summary': ['Wrong port: now 80']})
    ('file.open', {'path': 'src/a.py', 'status': 'referenced', 'change': 'added f()'})
    """
    lasting: list[str] = []
    left_off: list[str] = []
    changes: dict[str, str] = {}
    known = [*files]
    titles = [*_SECTION.finditer(summary)] or [*_BOLD_SECTION.finditer(summary)]
    has_steps = bool(open_steps(summary))
    ends_at = (*(each.start() for each in titles[1:]), len(summary))
    for match, end in zip(titles, ends_at, strict=False):
        title = match["title"]
        entries = _entries(summary[match.end() : end])
        if _WORDS["files"].search(title):
            told_of = _changes(entries[:MOST_FILES], known)
            changes.update(each for each in told_of if each[0] not in gone)
        elif has_steps and _OPEN_WORK.match(title):
            continue  # its steps are told
        elif _WORDS["left off"].search(title):
            told = JOINED.join(filter(None, map(_of_agent, entries)))
            left_off += [ends(told, LEFT_OFF)] if told else []
        elif _WORDS["lasting"].search(title):
            lasting += _lasting(entries)
    said = {"summary": lasting, "left_off": left_off}
    if lasting or left_off:
        yield "message.said", {name: texts for name, texts in said.items() if texts}
    for path, change in changes.items():
        yield "file.open", {"path": path, "status": "referenced", "change": change}


def _entries(body: str) -> list[list[str]]:
    """The entries of a section, each with the lines that belong to it: an item of a list, a
    paragraph, or all below a heading.
    """
    found: list[list[str]] = []
    least, is_headed = 0, False
    for line in _asks.FENCE.sub("", body).splitlines():
        words = line.strip()
        entry = _ENTRY.fullmatch(line)
        indent = len(line) - len(line.lstrip())
        if words.startswith("#"):
            found.append([words.strip("# :") + ":"])
            is_headed = True
        elif words and found and (is_headed or (indent > least and entry) or indent > least + 1):
            found[-1].append(words if entry is None else entry["text"])
        elif words:
            least = indent
            found.append([words if entry is None else entry["text"]])
    return found


def _of_agent(entry: Sequence[str]) -> str:
    """An entry on one line, without the sentences that repeat the user."""
    sentences = [each for line in entry for each in _asks.SENTENCE_END.split(line)]
    told = ("…" if _WORDS["quote"].search(each) else each for each in sentences)
    return " ".join(told).strip(" …")


def _lasting(entries: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the beginnings and ends of a section's first entries that tell anything."""
    told = map(JOINED.join, entries)
    silent = (_WORDS["nothing"], _WORDS["quote"])
    telling = (each for each in told if not any(words.match(each) for words in silent))
    yield from (ends(each, OF_ENTRY) for each in islice(telling, MOST_OF_SECTION))


def _changes(entries: Iterable[Sequence[str]], files: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the files that entries are about, each with what was done to it."""
    for head, *more in entries:
        named = _PATH.match(head[:LONGEST_PATH])
        path = None if named is None else _known(named["path"], files)
        if named is None or path is None:
            continue
        sentences = [
            each for line in (head[named.end() :], *more) for each in _asks.SENTENCE_END.split(line)
        ]
        told = [_BOLD.sub(r"\1", each).strip(" :") for each in sentences]
        done = [each for each in told if _WORDS["done"].search(each)]
        if done:
            telling = [each for each in done if len(each) >= TELLING]
            yield path, _last_of(telling or done, OF_FILE)


def _last_of(texts: Sequence[str], longest: int) -> str:
    """The last texts that have room, at least a part of the last one."""
    kept = cut(texts[-1], longest)
    for text in texts[-2::-1]:
        if len(text) + len(JOINED) + len(kept) > longest:
            break
        kept = JOINED.join((text, kept))
    return kept


def _known(path: str, files: Sequence[str]) -> str | None:
    """The one known file that a path means, or another file of the project; None if it is ambiguous."""
    found = [each for each in files if f"/{each}".endswith(f"/{path}") or path.endswith(f"/{each}")]
    is_other = not found and _IN_PROJECT.fullmatch(path) is not None
    return found[0] if len(found) == 1 else path if path in found or is_other else None


# Plans as texts: the plan in a prompt, and a plan's title.

PLAN = re.compile(r"\s*(?:please )?implement (?:the following|this|the) plan\b[^\n]*\n\s*(?P<plan>[\s\S]*)", re.IGNORECASE)  # fmt: skip


def plan_in(text: str) -> str | None:
    r"""Return the plan that a prompt asks to carry out, or None.

    >>> plan_title(plan_in("Implement the following plan:\n\n# Plan: Fix the login\n\nFirst …"))
    'Fix the login'
    """
    match = PLAN.match(text)
    return match["plan"] if match and match["plan"].strip() else None


def plan_title(plan: str) -> str:
    """Return a plan's title: its first heading, else its first words."""
    for line in plan.splitlines()[:50]:
        title = re.match(r"#{1,6}\s+(.*)", line)
        if title:
            words = _PLAN_LABEL.sub("", title[1], count=1).strip(" *:`")
            if words:
                return cut(words)
    return cut(_asks.first_words(plan))


_PLAN_LABEL = re.compile(
    r"(?:implementation |the )?plan[ \t]*+(?:[:–—-][ \t]*+|for[ \t]|to[ \t]|$)", re.IGNORECASE
)


REMEMBERED = 50
"""The number of user messages that can be undone."""


TAKEN_OVER = 5
"""The number of them that can be undone after another reader resumes."""


class Conversation:
    """The task of a session as the user's messages change it.

    The task is the newest ask. The goal is the first ask that later ones only add to. A plan, an
    ask that replaces the previous one, and the first ask after a commit change the goal.
    """

    def __init__(self, markers: tuple[TaskMarker, ...]) -> None:
        self._markers = markers
        self._ask: str | None = None
        self._asked_for = ""
        """The ask without the answer appended to it."""
        self._goal: str | None = None
        self._told_goal = False
        self.is_commit_unasked = True
        """Whether no message so far is about commits: unknown, and so False, where not all were heard."""
        self.named = ""
        """What the request names beside its words in the task: files and other names."""
        self.is_done = False
        """Whether the work so far is done: the next ask may be about something else."""
        self.rules = StandingRules()
        """The user's rules for the whole session."""
        self._ruled: list[list[str]] = []
        """The rules of each recent user message."""
        self._before: list[tuple[str, str | None, str | None]] = []
        """The state before each user message: its id, the ask and the goal."""

    def resume(self, task: Task | None) -> None:
        """Resume from a session's task."""
        if task is not None:
            self.is_commit_unasked = False
            self._ask, self._goal = task.description, task.goal or task.description
            self._asked_for = task.description
            self._told_goal = task.goal is not None and task.goal != task.description

    @property
    def before(self) -> list[tuple[str, str | None, str | None]]:
        """The state before each recent user message: its id, the ask and the goal."""
        return self._before[-TAKEN_OVER:]

    @before.setter
    def before(self, told: list[tuple[str, str | None, str | None]]) -> None:
        self._before = told

    def said(
        self, text: str, *, is_plan: bool = False, message_id: str = "", heard: str = ""
    ) -> Iterator[EventPair]:
        """Yield the events of a user message.

        :param heard: the agent's last message, if the user answers it.
        """
        is_again = message_id and any(message_id == each for each, _, _ in self._before)
        if not _asks.is_of_program(text) and not is_again:
            before = (message_id, self._ask, self._goal)
            self._before = [*self._before[1 - REMEMBERED :], before]
            self._ruled = [*self._ruled[1 - REMEMBERED :], []]
        command = _asks.command_in(text)
        if command is not None:
            if command:
                self.is_commit_unasked = False
                yield from self.ruled(command)
                yield from self._asked(command, command)
            return
        if _asks.is_of_program(text):
            return
        words = _asks.said_by_user(text)
        plan = words if is_plan else plan_in(words)
        if plan is not None:
            self._hear_of_commits(words)
            title = plan_title(plan)
            if title:
                yield from self.approved(title)
                yield from self._asked(f"Implement the plan: {title}", words, is_new=True)
            return
        ask = _asks.ask_in(text, self._markers)
        is_answer = ask is None or (self._ask is not None and _asks.answers_in(text, heard))
        if ask is not None:
            yield from self._answered(ask) if is_answer else self._asked(ask, words)
        if is_answer and heard and words:
            yield "message.said", {"text": cut(words)}
        yield from self.ruled(words, heard)

    def ruled(self, words: str, heard: str = "") -> Iterator[EventPair]:
        """Yield the rules that a user's words set for the whole session, and those they lift.

        :param heard: the agent's last message, if the user answers it.
        """
        self._hear_of_commits(words)
        for event_type, payload in self.rules.said(words, heard):
            if event_type == "rule.add" and self._ruled:
                self._ruled[-1].append(str(payload["text"]))
            yield event_type, payload

    def _hear_of_commits(self, words: str) -> None:
        if _asks.is_about_commits(words):
            self.is_commit_unasked = False

    def undone(self, messages: int, since: str = "") -> Iterator[EventPair]:
        """Yield the events that undo the last user messages."""
        ids = [one[0] for one in self._before]
        if since:
            messages = len(ids) - ids.index(since) if since in ids else 0
        messages = min(messages, len(ids))
        if not messages:
            return
        _, ask, goal = self._before[-messages]
        del self._before[-messages:]
        yield from self.rules.lifted(rule for said in self._ruled[-messages:] for rule in said)
        del self._ruled[-messages:]
        if ask is not None:
            self._goal = goal
            yield from self._asked(ask, ask)
        elif self._ask is not None:
            yield "task.clear", {}
        self._ask, self._goal = ask, goal

    def approved(self, title: str) -> Iterator[EventPair]:
        """Yield the events of a plan that the user approves."""
        yield "decision.record", {"summary": f"Plan approved: {title}"}

    def _answered(self, answer: str) -> Iterator[EventPair]:
        """Keep the task, with the answer appended."""
        asked = cut(self._asked_for, _asks.LONGEST - len(answer) - len(_ANSWER))
        self._ask = f"{asked}{_ANSWER}{answer}"
        yield "task.set", {"description": self._ask}

    def _asked(self, ask: str, words: str, *, is_new: bool = False) -> Iterator[EventPair]:
        """Yield the events of an ask, which stands in these words."""
        if ask == self._ask:
            return
        self._ask = self._asked_for = ask
        goal = self._goal
        replaces = is_new or _asks.TURNS.match(ask) is not None
        if (
            goal is None
            or replaces
            or (not _asks.is_short(ask) and (self.is_done or _asks.is_short(goal)))
        ):
            self._goal, self.is_done, self.named = ask, False, ""
        self.named = _asks.named_beside(ask, words) or self.named
        yield "task.set", {"description": ask}
        if self._goal != ask or self._told_goal:
            yield "task.goal", {"goal": self._goal}
            self._told_goal = self._goal != ask


_ANSWER = " — "
"""The separator between an ask and the user's answer to the agent's question."""


# The user's decisions: answers to questions, and plans approved or sent back.

_ANSWERED = re.compile(r'"(?P<question>[^"\n]{1,400})"\s*=\s*"(?P<answer>[^"\n]{1,400})"')
_APPROVED = re.compile(
    r"user has approved|plan (?:was |has been )?approved|approved (?:the|your|exiting) ",
    re.IGNORECASE,
)


def answers(given: Record, answer: str, data: Record) -> Iterator[EventPair]:
    """Yield the decisions in the answers to questions.

    >>> list(answers({}, 'User has answered your questions: "Which store?"="SQLite".', {}))
    [('decision.record', {'summary': 'SQLite', 'details': 'Which store?'})]
    """
    pairs = list(_told_apart(data)) or [
        (match["question"], match["answer"]) for match in _ANSWERED.finditer(answer[:20_000])
    ]
    if not pairs:
        asked = _asked(given)
        words = cut(string(data.get("answer")) or answer)
        if asked and words:
            pairs = [(asked, words)]
    for question, said in pairs:
        if said.strip():
            yield "decision.record", {"summary": cut(said), "details": cut(question)}


def _told_apart(data: Record) -> Iterator[tuple[str, str]]:
    for question, answer in mapping(data.get("answers")).items():
        if isinstance(answer, str):
            yield question, answer
        else:
            chosen = [*filter(None, map(string, sequence(answer)))]
            chosen += [*filter(None, map(string, sequence(mapping(answer).get("answers"))))]
            if chosen:
                yield question, ", ".join(chosen)


def _asked(given: Record) -> str | None:
    questions = [mapping(one) for one in sequence(given.get("questions"))]
    told = [string(one.get("question")) for one in questions] or [
        string(one) for one in sequence(given.get("questions"))
    ]
    first = next(filter(None, told), None) or string(given.get("question"))
    return cut(first) if first else None


def plan_of(given: Record, answer: str, data: Record) -> str | None:
    """Return the title of an approved plan, or None if it was not approved."""
    plan = string(data.get("plan")) or string(given.get("plan")) or string(given.get("content"))
    approved = _APPROVED.search(answer[:2_000]) is not None or data.get("approved") is True
    if not approved or data.get("approved") is False:
        return None
    if plan is None:
        match = re.search(r"^#+ .+", answer, re.MULTILINE)
        plan = match[0] if match else None
    return plan_title(plan) if plan else None
