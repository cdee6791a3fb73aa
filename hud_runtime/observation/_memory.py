"""The memory of a session, for a domain that has working memory.

What has a section of its own in the domain is left to that. Of the rest, events of the coding HUD that the
domain does not know become memories, and so does what the rules find in the words of the user, the agent and
its tools; a known thing that is mentioned is new again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hud_components import CODING, Actor, Domain, State
from hud_runtime.observation._memory_rules import (
    FROM_EVENTS,
    MEMORY_RULES,
    MemoryRule,
    Remembered,
    Saying,
)
from hud_runtime.observation._program_words import is_of_program, said_by_user
from hud_runtime.observation._sentences import LOOKED_AT, cut
from hud_runtime.observation._summary import FENCE

if TYPE_CHECKING:
    from hud_components.memory import WorkingMemory

MOST_AT_ONCE = 5
"""Things that one observation adds at most, as the founding plugin takes five paths of an output."""

LONGEST = 240
"""Characters of a thing that is remembered; longer ones are cut between sentences, or words."""

SHORTEST_MENTION = 4
"""Characters that a known thing has at least for its mention to be noticed."""

KNOWN = 200
"""Known things that are looked for in what is said; those that were heard last."""


def remembering(
    domain: Domain[Any, Any],
    rules: Sequence[MemoryRule] = MEMORY_RULES,
    from_events: Mapping[str, Remembered] = FROM_EVENTS,
) -> Memory | None:
    """Return what remembers for sessions of a domain; None where it has no working memory."""
    if domain is CODING:
        return None
    from hud_components.memory import working_memory_of  # few domains have any

    section = working_memory_of(domain)
    if section is None:
        return None
    return Memory(domain, section, rules, from_events)


class Memory:
    """The state of a session's working memory, and what of the next observation is new to it."""

    def __init__(
        self,
        domain: Domain[Any, Any],
        section: type[WorkingMemory[Any]],
        rules: Sequence[MemoryRule],
        from_events: Mapping[str, Remembered],
    ) -> None:
        self.event = f"{section.event}.notice"
        """The type of the event that tells it."""
        self._field = section.field
        self._kinds = frozenset(each.name for each in section.slots)
        self._types = domain.happenings
        self._from_events = from_events
        has = domain.fields.keys()
        self._rules = [each for each in rules if each.has_it.isdisjoint(has)]
        self._shows_task = "task" in has
        self._known: dict[str, int] = {}
        """Known things, each with the number of the observation in which it was heard last."""
        self._newest = 0
        self._task = self._goal = ""
        self._in_task: dict[str, str] = {}
        """What the user ruled in the words of the task, and is shown with it as long as that stands."""
        self._read: object = None
        self._found: dict[str, tuple[str, Actor]] = {}
        """What the observation adds: its slot, and who said it."""
        self._again: dict[str, None] = {}
        self._over: dict[str, None] = {}

    def resume(self, state: State) -> None:
        """Go on with what a state remembers."""
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
        """Tell whether something that happened is remembered, as the domain has no event for it."""
        if self._shows_task and event_type == "task.set":
            self._task = str(payload.get("description", ""))
        elif self._shows_task and event_type == "task.goal":
            self._goal = str(payload.get("goal", ""))
        if event_type in self._types:
            return False
        rule = self._from_events.get(event_type)
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
        """Take in what somebody says; of tools, what a command printed."""
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
            return  # what a tool lists is not mentioned by anybody
        folded = text.casefold()
        for known, heard in [*self._known.items()][-KNOWN:]:
            if (
                heard < self._newest
                and len(known) >= SHORTEST_MENTION
                and known.casefold() in folded
            ):
                self._again[known] = None

    def told(self, actor: Actor) -> Iterator[tuple[Actor, dict[str, object]]]:
        """Yield what the observation adds, by who said it, and begin with the next.

        What stands in the task, or in its goal, is remembered when those are others: until then it is
        shown there.

        :param actor: whose words the observation has.
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
        speakers: dict[Actor, None] = dict.fromkeys(who for _, who in found.values())
        for by in speakers:
            told = [
                {"content": text, "slot": slot} for text, (slot, who) in found.items() if who == by
            ]
            yield by, {"found": told}

    @property
    def _shown(self) -> str:
        """What is shown of what the user asked for."""
        return f"{self._task}\n{self._goal}"

    def _matches(self, saying: Saying, text: str) -> list[tuple[str, str]]:
        """What the rules find, in the order in which it stands in the text, each with its slot."""
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
