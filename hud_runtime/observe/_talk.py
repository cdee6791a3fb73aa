"""The agent's own words: reasons, findings, and facts worth remembering."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hud_components import CODING, Domain, State
from hud_components.declaring import Actor
from hud_components.words import cut as cut_short
from hud_components.words import ends
from hud_runtime.log.secrets import masked
from hud_runtime.observe._asks import FENCE, LOG, LOOKED_AT, cut, is_of_program, said_by_user
from hud_runtime.observe._checks import EventPair, within
from hud_runtime.observe._shell import all_commands
from hud_runtime.observe._tools import FROM_EVENTS, MemoryRule, Saying
from hud_runtime.observe.messages import grouped

if TYPE_CHECKING:
    from hud_components.memory import WorkingMemory

# The memory of a session, for a domain that has working memory.
#
# Sections of the domain take precedence. Events of the coding HUD that the domain does not know
# become memories, and so does everything that the rules find in the words of the user, the agent
# and its tools. A mention makes a known fact new again.

MOST_AT_ONCE = 5
"""Maximum facts that one observation adds, as the founding plugin takes five paths of an output."""

LONGEST = 240
"""Maximum characters of a remembered fact; longer ones are cut between sentences, or words."""

SHORTEST_MENTION = 4
"""Minimum characters of a known fact whose mentions are noticed."""

KNOWN = 200
"""Maximum known facts that are searched for, the most recently heard first."""


def remembering(domain: Domain[Any, Any], rules: Sequence[MemoryRule]) -> MemoryReader | None:
    """Return the memory reader for sessions of a domain; None if it has no working memory."""
    if domain is CODING:
        return None
    from hud_components.memory import working_memory_of  # few domains have one

    section = working_memory_of(domain)
    return None if section is None else MemoryReader(domain, section, rules)


class MemoryReader:
    """The state of a session's working memory, and the news of the next observation."""

    def __init__(
        self,
        domain: Domain[Any, Any],
        section: type[WorkingMemory[Any]],
        rules: Sequence[MemoryRule],
    ) -> None:
        self.event = f"{section.event}.notice"
        """The type of its event."""
        self._field = section.field
        self._kinds = frozenset(each.name for each in section.slots)
        self._types = domain.section_events
        has = domain.fields.keys()
        self._rules = [each for each in rules if each.has_it.isdisjoint(has)]
        self._shows_task = "task" in has
        self._known: dict[str, int] = {}
        """Known facts, each with the number of the observation in which it was last heard."""
        self._newest = 0
        self._task = self._goal = ""
        self._in_task: dict[str, str] = {}
        """The user's rules within the task, which shows them as long as it lasts."""
        self._read: object = None
        self._found: dict[str, tuple[str, Actor]] = {}
        """The facts that the observation adds: the slot and the speaker of each."""
        self._again: dict[str, None] = {}
        self._over: dict[str, None] = {}

    def resume(self, state: State) -> None:
        """Resume from a state's memory."""
        items: Any = getattr(state, self._field, ())
        if items is self._read:
            return
        self._read = items
        self._known = {each.content: each.seen for each in sorted(items, key=lambda one: one.seen)}
        self._newest = max(self._known.values(), default=0)
        task = getattr(state, "task", None) if self._shows_task else None
        if task is not None and not self._task:
            self._task, self._goal = task.description, task.goal or ""
            self._in_task = dict(self._matches("user", self._shown))

    def takes(self, event_type: str, payload: Mapping[str, object], actor: Actor) -> bool:
        """Return whether an event becomes a memory, as the domain does not know it."""
        if self._shows_task and event_type == "task.set":
            self._task = str(payload.get("description", ""))
        elif self._shows_task and event_type == "task.goal":
            self._goal = str(payload.get("goal", ""))
        if event_type in self._types:
            return False
        rule = FROM_EVENTS.get(event_type)
        if rule is None:
            return False
        text = cut(str(payload.get(rule.field, "")), LONGEST)
        if text and rule.slot:
            self._over.pop(text, None)
            self._found[text] = self._slot(rule.slot), actor
        elif text:
            self._found.pop(text, None)
            if text in self._known:
                self._over[text] = None
        return True

    def hear(self, saying: Saying, text: str) -> None:
        """Read the words of a speaker; for a tool, a command's output."""
        text = text[:LOOKED_AT]
        if saying == "user":
            if is_of_program(text):
                return
            text = said_by_user(text)
        if saying != "tool":
            text = FENCE.sub("", text)
        for what, slot in self._matches(saying, text):
            if saying == "user" and what in self._shown:
                self._in_task[what] = slot
            else:
                self._found.setdefault(what, (slot, saying))
        if saying == "tool":
            return  # a name in a tool's output is not a mention
        folded = text.casefold()
        for known, heard in [*self._known.items()][-KNOWN:]:
            is_older = heard < self._newest and len(known) >= SHORTEST_MENTION
            if is_older and known.casefold() in folded:
                self._again[known] = None

    def told(self, actor: Actor) -> Iterator[tuple[Actor, dict[str, object]]]:
        """Yield the payloads of the observation's event, each with its actor, and start the next
        observation.

        A rule in the task, or in its goal, is remembered once the task changes: until then the task
        shows it.

        :param actor: the speaker of the observation.
        """
        shown = self._shown
        for what in [each for each in self._in_task if each not in shown]:
            self._found.setdefault(what, (self._in_task.pop(what), "user"))
        news = [each for each in self._found if self._known.get(each) != self._newest]
        found = {each: self._found[each] for each in news[:MOST_AT_ONCE]}
        again = [text for text in self._again if text not in found and text not in self._over]
        over = [*self._over]
        self._found, self._again, self._over = {}, {}, {}
        for text in over:
            self._known.pop(text, None)
        if found or again:
            self._newest += 1
            for text in (*again, *found):
                self._known.pop(text, None)
                self._known[text] = self._newest
        if again or over:
            yield (actor, {name: told for name, told in (("again", again), ("over", over)) if told})
        by_speaker: dict[Actor, list[dict[str, str]]] = {}
        for text, (slot, who) in found.items():
            by_speaker.setdefault(who, []).append({"content": text, "slot": slot})
        for who, told in by_speaker.items():
            yield who, {"found": told}

    @property
    def _shown(self) -> str:
        """The task and the goal as they are shown."""
        return f"{self._task}\n{self._goal}"

    def _matches(self, saying: Saying, text: str) -> list[tuple[str, str]]:
        """The matches of the rules, in text order, each with its slot."""
        hits: list[tuple[int, str, str]] = []
        for rule in self._rules:
            if rule.of == saying:
                for match in rule.pattern.finditer(text):
                    what = cut(rule.says.format_map(match.groupdict("")), LONGEST)
                    hits.append((match.start(), what, self._slot(rule.slot)))
        hits.sort(key=lambda hit: hit[0])
        return [(what, slot) for _, what, slot in hits if what]

    def _slot(self, name: str) -> str:
        return name if name in self._kinds else "pool"


# The words that introduce a choice, a finding or a reason, by language: a table of patterns.

_REASONS = grouped("reasons")
"""The words of reasons, in many languages, and the headings of lists of reasons."""

HEADINGS = "|".join(_REASONS["heading"])


# The sentences in which an agent gives reasons: its choices, findings and exclusions.

SEARCHED = 20_000
"""Characters of a message that are searched; of a long one, at each end."""

SHORTEST, LONGEST_REASON = 30, 240
"""Minimum and maximum characters of a sentence with a reason; a longer one has the reason among
other things.
"""

LISTED, OF_EACH = 480, 90
"""Maximum characters of a list of decisions, and of each of them."""

MOST = 4
"""Maximum sentences of one message that are reported: the last ones, as a message mostly ends with
its conclusion.
"""

_WHY = re.compile("|".join(f"(?:{each})" for each in _REASONS["reason"]), re.IGNORECASE)
_HEADING = re.compile(rf"(?:#+ |\*\*)(?P<title>{HEADINGS})[:：*# ]*", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+(?=\S)|\|(?!\s*[-:])")
_ENDS = re.compile(r"(?<=[.!?])(?:\s+|(?=\*\*))|(?<=[。！？])")
_PLAN = re.compile(
    r"(?:ok(?:ay)?,? |so |now,? )*"
    r"(?:let me|let's|i'll (?:now )?(?:check|look|read|run|see|start|try|find|search)|i(?:'m going to| need to| should))\b",
    re.IGNORECASE,
)
"""The beginnings of sentences about the agent's next step, whose reason is valid no longer than the step."""

_LEAD = re.compile(r"^(?:[-*•✅❌]|\d{1,2}[.)]|#+)\s+")


def reasons_in(text: str) -> list[str]:
    r"""Return the sentences of a message that give reasons, and its lists of decisions, without
    code and questions.

    >>> reasons_in("Done. I used SQLite, not JSON, since two processes write.\n```\nx\n```\nShall I push?")
    ['I used SQLite, not JSON, since two processes write.']
    >>> reasons_in("Let me check the tests, because one of them failed.")
    []
    >>> reasons_in("## Decisions\n| What | Why |\n|---|---|\n| **One field** | low friction |\n| No version | rarely needed |")
    ['Decisions: What — Why; One field — low friction; No version — rarely needed']
    """
    return [*dict.fromkeys(_found(text[:SEARCHED]))][-MOST:]


def _found(text: str) -> Iterator[str]:
    in_fence, title = False, ""
    listed: list[str] = []
    for row in [*text.splitlines(), "#"]:
        line = row.strip()
        if title and line and _ITEM.match(line):
            listed.append(cut_short(_plain(" — ".join(line.strip("|").split("|"))), OF_EACH))
            continue
        if listed and line and not line.startswith("|"):
            yield cut_short(f"{title}: {'; '.join(listed)}", LISTED)
            title, listed = "", []
        if line.startswith(("```", "~~~")):
            in_fence = not in_fence
        if in_fence or line.startswith("|") or LOG.match(row):
            continue
        heading = _HEADING.fullmatch(line)
        title = _plain(heading["title"]) if heading else title if not line else ""
        yield from filter(_says_why, map(_plain, _ENDS.split(line)))


def _plain(sentence: str) -> str:
    return " ".join(_LEAD.sub("", sentence.strip()).replace("**", "").replace("`", "").split())


def _says_why(sentence: str) -> bool:
    width = len(sentence) * (2 if "\u3000" < max(sentence, default="") < "\uff00" else 1)
    return (
        width >= SHORTEST
        and len(sentence) <= LONGEST_REASON
        and not sentence.endswith(("?", "？", ":", "："))
        and not _PLAN.match(sentence)
        and _WHY.search(sentence) is not None
    )


LONGEST_TALK = 480
"""Maximum characters of a stored message: its beginning and its end."""

COMMAND = 100
"""Maximum characters of a stored command."""

COMMANDS = 6
"""Maximum commands of one call that are stored."""

MOST_COMMANDS = 12
"""Maximum commands that are stored between two messages."""

ANNOUNCEMENT = 160
"""A longer message says more than the agent's next action."""

_SAYS_MORE = re.compile(r"[.!?:。！？](?:\s+|(?<=[。！？]))(?=\S)|[?？]")
"""The end of a sentence before another one, or of a question."""

IDLE = frozenset(["cd", "echo", "pwd", "export", "set", "source", "exit", "true", "sleep"])
"""Commands that reveal nothing about the work."""


class Talk:
    """The current message of the agent.

    >>> talk = Talk()
    >>> talk.says("The index is stale. Let me rebuild it.")
    >>> talk.runs("cd app && make index 2>&1 | tail")
    >>> [*talk.told()]
    [('message.said', {'text': 'The index is stale. Let me rebuild it.', 'ran': ['make index', 'tail']})]
    """

    def __init__(self) -> None:
        self._text: list[str] = []
        self._ran: list[str] = []
        self._heard = ""
        self._goes_on = False

    @property
    def place(self) -> tuple[list[str], list[str], str]:
        """The parts of the message, the commands and the end of the last message, with secrets masked."""
        return [masked(each) for each in self._text], self._ran, self._heard

    @place.setter
    def place(self, told: tuple[list[str], list[str], str]) -> None:
        self._text, self._ran, self._heard = [*told[0]], [*told[1]], told[2]

    def says(self, text: str) -> None:
        """Add a part of the message."""
        if text.strip():
            self._text.append(text)

    def calls(self) -> None:
        """Record that the message calls a tool, so that it is not the last."""
        self._goes_on = True

    def runs(self, script: str) -> None:
        """Record the commands of a script that the message runs."""
        spelled = (" ".join(each.words) for each in all_commands(script) if each.words)
        told = [each for each in spelled if each.split(" ")[0] not in IDLE][:COMMANDS]
        self._ran = [*self._ran, *(masked(within(each, COMMAND)) for each in told)][-MOST_COMMANDS:]

    def told(self, *, is_last: bool = False) -> list[EventPair]:
        """Return the event of the message, with the commands since the previous one, and start the
        next message.

        :param is_last: whether the user speaks next, or the conversation is cut: then even a short
            message counts, unless it only announces a call that it makes.
        """
        text, self._text = "\n".join(self._text), []
        is_last, self._goes_on = is_last and not self._goes_on, False
        self._heard = masked(text[-SEARCHED:])[-LONGEST_TALK:] or self._heard
        if not text or not (is_last or says_more(text)):
            return []
        ran, self._ran = self._ran, []
        why = [masked(each) for each in reasons_in(text)]
        also = {name: said for name, said in (("ran", ran), ("why", why)) if said}
        return [("message.said", {"text": in_short(text), **also})]

    def heard(self, answer: str) -> str:
        """Return the end of the agent's last message, for the first user message after it."""
        heard = self._heard
        if not is_of_program(answer):
            self._heard = ""
        return heard


def says_more(text: str) -> bool:
    """Return whether a message says more than the agent's next action.

    >>> says_more("Let me run the tests:"), says_more("Two fail. Let me look."), says_more("Both?")
    (False, True, True)
    """
    return len(text) > ANNOUNCEMENT or _SAYS_MORE.search(text) is not None


def in_short(text: str) -> str:
    """Return the beginning and the end of a message, with secrets masked first: half of one is not
    found later.
    """
    if len(text) <= LONGEST_TALK:
        return text
    if len(text) > 2 * SEARCHED:
        text = f"{text[:SEARCHED]}\n{text[-SEARCHED:]}"
    return ends(masked(text), LONGEST_TALK)
