"""The end of the conversation: the agent's last finding, offer or question, and the user's short answer.

Hosts and transcripts report it, message by message. It is a view of the conversation's end: the state keeps a
bounded number of messages, each with its beginning and its end.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from hud_components._models import Actor, HudItem, HudModel, Line, Text
from hud_components.declaring._form import Form
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._lists import ListShape, ReadList
from hud_components.declaring._section import UNSET, ItemsProp
from hud_components.declaring._state import State, Width, Worth, recalls
from hud_components.folding import Moment, Payload, Verb, with_values
from hud_components.sections._active_files import EDITED, FileEdit, names_of
from hud_components.sections._checks_list import ALIKE, CHECKED, Check, CheckResult, ChecksList
from hud_components.words._quoted import RequestWords
from hud_components.words._texts import ends, line
from ujsx import Density, Disclosure, Examples, RenderContext, Rung, Template

Speaker: TypeAlias = Literal[
    "agent", "user", "ran", "did", "why", "asked", "asks", "since asked", "summary", "left off"
]
"""The speaker. The agent speaks by messages, by commands (``ran``), by edits and checks (``did``) and by reasons
(``why``); the user by short answers, by the newest request (``asks``) and by earlier ones (``asked``); a compaction's
summary by what lasts, and by where the work was left off. What the agent did ``since asked`` is told in one line."""

LONGEST = 480
"""The stored characters of a message: 120 tokens."""

SPOKEN = 8
"""The number of stored utterances; commands are counted separately."""

RUN = 12
"""The number of stored commands, each once."""

FILTERS = frozenset(("head", "tail", "cat", "less", "wc", "sort", "uniq", "tee", "cut", "tr"))
"""Commands that mostly cut what another one writes."""

RECENT = 5
"""The number of last commands of which a short one is shown first: it runs more often, and costs less."""

DEEDS = 8
"""The number of stored edits and checks since the newest request, each once."""

REASONS = 8
"""The number of stored reasons, each once."""

TOLD_FIRST = 2
"""The number of reasons before older messages."""

SUMMED = 8
"""The number of stored entries of a summary, of each kind."""

SUMMED_FIRST = 2
"""The number of them before older requests."""

OF_SUMMARY = ("left off", "summary")
"""The speakers of a summary, in the order of their worth."""

ASKS, ASK = 4, 100
"""The number of stored earlier requests of the user, and the characters of each."""

OUTCOME = 120
"""The characters of a request's outcome: the agent's last message before the next request."""

ASKED_FIRST = 2
"""The number of requests shown before all else is in full."""

FIRST = 3
"""The number of messages shown first: a command, the last finding, and the user's answer to it."""

GOAL = 40
"""The characters of the session's main request, which its task contains in full."""

SAID = 240
"""The characters of a message after a compaction, where room is short."""

OF_EACH, DEED = 3, 40
"""The number of files, checks and other commands since the newest request that are told, the last ones, and the characters
of each."""

NOTHING_DONE = "no edit or check yet"
"""The words for a request that the agent has not begun with."""

_MARKUP = re.compile(r"\*\*|`+|(?<!\S)#+ ")
"""Markup to remove from a text on one line."""


class UtteranceDraft(HudModel):
    """Something that was said."""

    speaker: Speaker
    """Who says it: the agent, or the user in a short answer. Commands that the agent runs are "ran", its edits
    and checks "did", its reasons "why"; the user's newest request is "asks", what was done for it "since asked", and an
    earlier one, with what came of it, "asked". A summary's words are "summary", and "left off" where they hold until
    the next request, for a few turns."""

    text: Line
    """What is said, on one line: the beginning and the end of a long message."""


class Utterance(HudItem, UtteranceDraft):
    """A message of the conversation, or a command that the agent ran."""

    expected_from: ClassVar[tuple[Actor, ...]] = get_args(Actor)


class MessageSaid(Payload):
    """The agent said something or ran commands, or the user answered in a few words."""

    text: Text = ""
    """What was said; empty where the agent only ran commands."""

    ran: tuple[Line, ...] = ()
    """The commands that the agent ran."""

    why: tuple[Line, ...] = Field(default=(), exclude_if=operator.not_)
    """The sentences in which the agent gave reasons: why it chose, found or ruled out something. A dump has them
    where there are any."""

    summary: tuple[Line, ...] = Field(default=(), exclude_if=operator.not_)
    """What a summary says of errors, decisions and findings. A dump has it where there is any."""

    left_off: tuple[Line, ...] = Field(default=(), exclude_if=operator.not_)
    """Where a summary says that the work was left off. A dump has it where there is any."""


Utterances: TypeAlias = tuple[Utterance, ...]


def said(messages: Utterances, what: MessageSaid, moment: Moment) -> Utterances:
    """A message is the newest; a command that runs again moves to the end. The oldest are dropped."""
    speaker: Speaker = "user" if moment.actor == "user" else "agent"
    told: list[tuple[Speaker, str]] = [("ran", each) for each in dict.fromkeys(what.ran)]
    told = [*(("why", each) for each in dict.fromkeys(what.why)), (speaker, what.text), *told]
    new: list[tuple[Speaker, str]] = [(by, ends(text, LONGEST)) for by, text in told]
    again = {each for each in new if each[0] in ("ran", "why")}
    before = [each for each in messages if (each.speaker, each.text) not in again]
    if what.summary or what.left_off:
        new.extend(("summary", ends(each, LONGEST)) for each in what.summary[:SUMMED])
        new.extend(("left off", ends(each, LONGEST)) for each in what.left_off[:SUMMED])
        before = [each for each in before if each.speaker not in OF_SUMMARY]
    after = [*before, *(Utterance(speaker=by, text=text) for by, text in new if text)]
    return _kept(after)


def asked(messages: Utterances, said: Any, moment: Moment) -> Utterances:
    """The user's request ends the answers before it, and the request before it gets what came of it.

    A request before the first message is not kept: hosts that report no messages keep none at all.
    """
    if moment.actor != "user" or not said.description or not messages:
        return messages
    asks = Utterance(speaker="asks", text=line(said.description, ASK))
    before = [each for each in messages if each.speaker != "user"]
    place = next((place for place, each in enumerate(before) if each.speaker == "asks"), None)
    if place is not None:
        was = before[place]
        if said.description.startswith(was.text.rstrip("…")):
            before[place] = asks
            return tuple(before)
        came = [each for each in before[place:] if each.speaker == "agent"]
        outcome = _came(came[-1].text) if came else ""
        before[place] = with_values(was, speaker="asked", text=was.text + outcome)
    return _kept([*(each for each in before if each.speaker not in _OF_REQUEST), asks])


_OF_REQUEST = ("did", "left off")
"""Speakers whose words are about a request until the next one."""


def worked(messages: Utterances, said: FileEdit, _moment: Moment) -> Utterances:
    """A file is edited for the newest request: what passed until then was another state of it."""
    before = tuple(each for each in messages if not _is_pass(each))
    return _did(before, _EDITED, said.path)


def checked(messages: Utterances, said: CheckResult, _moment: Moment) -> Utterances:
    """A check has run for the newest request."""
    before = tuple(each for each in messages if each.text != f"{_FAILED} {said.command}")
    return _did(before, _PASSED if said.result == "pass" else _FAILED, said.command)


def _did(messages: Utterances, what: str, name: str) -> Utterances:
    """Return the messages with one more deed since the newest request, if there is one."""
    if all(each.speaker != "asks" for each in messages):
        return messages
    deed = Utterance(speaker="did", text=line(f"{what} {name}", LONGEST))
    before = [each for each in messages if (each.speaker, each.text) != ("did", deed.text)]
    return _kept([*before, deed])


def _is_pass(message: Utterance) -> bool:
    return message.speaker == "did" and message.text.startswith(f"{_PASSED} ")


_DEED_ENDS = ";"

_EDITED, _PASSED, _FAILED = _DEEDS = ("edited", "passed", "failed")
"""The words for what was done since the newest request, in the order of their telling."""


_CAME = " → "
"""The separator between a request and its outcome."""


def _came(message: str) -> str:
    return _CAME + ends(_MARKUP.sub("", message), OUTCOME)


def aimed(messages: Utterances, said: Any, _moment: Moment) -> Utterances:
    """The request that the session is about is told in a few words: its task has it whole."""
    return tuple(_without_goal(each, said.goal) for each in messages)


def _without_goal(message: Utterance, goal: str) -> Utterance:
    ask, came, outcome = message.text.partition(_CAME)
    if message.speaker != "asked" or not goal.startswith(ask.rstrip("…")):
        return message
    return with_values(message, text=f"{line(ask, GOAL)}{came}{outcome}")


def _kept(messages: Sequence[Utterance]) -> Utterances:
    """Return the messages within the limits, dropping the oldest of each kind."""
    dropped = {
        *_oldest(messages, SPOKEN, ("agent", "user")),
        *_oldest(messages, RUN, ("ran",)),
        *_oldest(messages, DEEDS, ("did",)),
        *_oldest(messages, REASONS, ("why",)),
        *_oldest(messages, ASKS, ("asked",)),
    }
    return tuple(each for place, each in enumerate(messages) if place not in dropped)


def _oldest(messages: Sequence[Utterance], most: int, by: Iterable[Speaker]) -> Sequence[int]:
    """Return the places of these speakers' messages beyond the limit."""
    places = [place for place, each in enumerate(messages) if each.speaker in by]
    return places[: max(len(places) - most, 0)]


_RAN = Form("where.ran", ("text",), {"speaker": "ran"}, source="**Ran:** {text}")


class WhereWeAre(ItemsSection[Utterance]):
    """What the agent last found, offered or asked, and the user's short answer; then the newest messages.

    >>> from ujsx import render
    >>> offer = Utterance(speaker="agent", text="The read error is dropped. Shall I log a warning?")
    >>> answer = Utterance(speaker="user", text="yes, do it")
    >>> print(render(WhereWeAre(where=(offer, answer)), density="compact"), end="")
    **Where we are:** agent: The read error is dropped. Shall I log a warning? · user: yes, do it
    """

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0, worth=Worth.LAST_COMMAND),
            Rung(Density.MINIMAL, 1, width=Width.BRIEF, worth=Worth.LAST_COMMAND),
            Rung(Density.COMPACT, FIRST - 1, width=120, worth=Worth.LAST_FINDING),
            Rung(Density.COMPACT, FIRST, worth=Worth.WHERE_IT_STANDS),
            Rung(Density.FULL, FIRST, width=180, worth=Worth.WHERE_IT_STANDS),
            Rung(Density.FULL, FIRST, width=360, worth=Worth.LAST_FINDING_IN_FULL),
            Rung(Density.FULL, worth=Worth.LAST_MESSAGES),
        ),
        layer="turn",
    )
    name = "where"
    event = "message"
    title = "Where we are"
    noun = "message|messages"
    prefix = "u"
    draft = UtteranceDraft
    text = "text"
    host_reported = True
    has_operations = False
    is_cut = False
    _is_shown_empty = False
    told_in_changes = "missing"
    read_only_reason = "it is what was said in the conversation"
    lines = {"full": "{speaker}: {text}"}  # noqa: RUF012 - a declaration
    lone_forms = (_RAN,)
    verbs = (
        Verb(
            "said",
            said,
            doc="The agent said something or ran commands, or the user answered.",
            told="said: {text}",
            payload=MessageSaid,
        ),
    )
    on = {"task.set": asked, "task.goal": aimed, EDITED: worked, CHECKED: checked}  # noqa: RUF012 - a declaration

    examples: ClassVar[Examples] = lambda: {
        "an offer": WhereWeAre(
            where=(
                Utterance(
                    speaker="agent", text="Two ways are open: 1. rotate tokens, 2. keep a list."
                ),
                Utterance(speaker="user", text="option 2"),
            )
        ),
    }

    where: ItemsProp[Utterance] = UNSET
    """The messages, oldest first; those of the session when None."""

    @classmethod
    def beyond(cls, value: Utterances, request: RequestWords) -> Utterances:
        """Return nothing if the request contains the last finding and the answer, else the messages that it lacks."""
        missing = tuple(
            each for each in value if not request.has(each.text, of_model=each.speaker != "user")
        )
        first = (value[place] for place in _finding_and_answer(value))
        return missing if any(each in missing for each in first) else ()

    recalled: bool = False
    """Whether it repeats what the conversation said before a compaction: the agent's reasons, what came of earlier
    requests, and the summary."""

    is_old: SkipJsonSchema[bool] = False
    """Whether the turns since that compaction are many: where the work was left off then is told no longer."""

    checked_commands: tuple[Line, ...] = ()
    """The commands that the checks name; the command that is shown first is another."""

    @classmethod
    def told_by(cls, state: State) -> Mapping[str, object]:
        told: dict[str, object] = {"recalled": True} if recalls(state) else {}
        if state.summary_age:
            told["is_old"] = True
        checks: Sequence[object] = getattr(state, ChecksList.field, ())
        commands = tuple(each.command for each in checks if isinstance(each, Check))
        return {**told, "checked_commands": commands} if commands else told

    @classmethod
    def _of(cls, told: ReadList) -> Self | None:
        made = super()._of(told)
        if made is not None and any(item["speaker"] in _RECALLED for item in told.items):
            return made.model_copy(update={"recalled": True})
        return made

    def given(self, ctx: RenderContext) -> Sequence[Utterance]:
        """Return the messages; reasons and earlier requests only if it repeats them."""
        items = super().given(ctx)
        told: Sequence[Utterance] = [each for each in items if each.speaker not in ("asks", "did")]
        if not self.recalled:
            return [each for each in told if each.speaker not in _RECALLED]
        told = _with_deeds(items)
        finding = [each.text for each in told if each.speaker == "agent"][-1:]
        told = [_beside(finding, each) for each in told if not self._says_little(each)]
        return [each for each in told if not _is_told(each, told)]

    def _says_little(self, message: Utterance) -> bool:
        """Tell whether a message is worth nothing after a compaction: a filter, or where the work was left off long ago."""
        if message.speaker == "ran":
            return _filters(message)
        return self.is_old and message.speaker == "left off"

    def disclosed(self) -> Disclosure:
        """Return the disclosure: after a compaction the agent's words come before work in progress."""
        usual = super().disclosed()
        return _recalled(usual) if self.recalled else usual

    def _by_worth(self, items: Sequence[Utterance], limit: int) -> Iterable[int]:
        """Return the places of messages by worth."""
        return _by_worth(items, self.checked_commands)

    def _row(
        self,
        item: HudModel,
        places: Sequence[int],
        templates: Sequence[Template],
        ctx: RenderContext,
    ) -> tuple[Any, ...]:
        text: str = item.__dict__["text"]
        shown = text if getattr(item, "speaker", "") == "ran" else _MARKUP.sub("", text)
        if ctx.width is not None and len(shown) > ctx.width:
            shown = ends(shown, ctx.width)
        if shown != text:
            item = item.model_copy(update={"text": shown or text})
        return super()._row(item, places, templates, ctx)

    def shape(self, ctx: RenderContext) -> ListShape:
        """Return the shape of the messages: at minimal, one line for a command, or nothing."""
        if ctx.density is not Density.MINIMAL:
            return super().shape(ctx)
        ran = [each for each in self.given(ctx) if _is_command(each, self.checked_commands)]
        shown = self.split(ran, ctx.limit and 1)[0]
        rows = [(_RAN.template(ctx), line(each.text, ctx.width)) for each in shown]
        return ListShape("lone" if shown else "nothing", shown, rows=rows)


_RECALLED = ("why", "asked", "since asked", *OF_SUMMARY)
"""Speakers shown only in a HUD that repeats the conversation."""


def _with_deeds(messages: Sequence[Utterance]) -> Sequence[Utterance]:
    """Return the messages with what was done since the newest request in its place: edits, checks, and other commands."""
    place = next((place for place, each in enumerate(messages) if each.speaker == "asks"), None)
    told = [each for each in messages if each.speaker != "did"]
    if place is None:
        return told
    since = messages[place + 1 :]
    deeds: dict[str, list[str]] = {what: [] for what in _DEEDS}
    for each in since:
        if each.speaker == "did":
            what, _, name = each.text.partition(" ")
            deeds[what].append(name if what == _EDITED else line(name, DEED))
    deeds[_EDITED] = names_of(deeds[_EDITED], DEED)
    known = [name for names in deeds.values() for name in names]
    ran = (line(each.text, DEED) for each in since if each.speaker == "ran" and not _filters(each))
    deeds["ran"] = [each for each in ran if each not in known]
    told_in_short = [
        f"{what} {', '.join(of[-OF_EACH:]).replace(_DEED_ENDS, ',')}"  # no name is another deed
        for what, of in deeds.items()
        if of
    ]
    is_begun = any(each.speaker in ("agent", "ran", "did") for each in since)
    text = f"{_DEED_ENDS} ".join(told_in_short) if is_begun else NOTHING_DONE
    since_asked = Utterance(speaker="since asked", text=text) if text else None
    return [*filter(None, (since_asked if each.speaker == "asks" else each for each in told))]


def _filters(message: Utterance) -> bool:
    """Tell whether a command mostly cuts what another one writes."""
    return message.text.split(" ", 1)[0] in FILTERS


def _beside(finding: Sequence[str], message: Utterance) -> Utterance:
    """Return an earlier request without its outcome, if that is the last finding, which is shown in full."""
    if message.speaker == "asked" and finding and message.text.endswith(_came(finding[0])):
        return with_values(message, text=message.text.removesuffix(_came(finding[0])))
    return message


def _is_told(message: Utterance, others: Sequence[Utterance]) -> bool:
    """Tell whether a message contains a reason, or a message is shown with the request that it answers."""
    if message.speaker == "why":
        return any(
            message.text in each.text for each in others if each.speaker in ("agent", "asked")
        )
    return message.speaker == "agent" and any(
        each.text.endswith(_came(message.text)) for each in others if each.speaker == "asked"
    )


@lru_cache(maxsize=64)
def _recalled(usual: Disclosure) -> Disclosure:
    """Return the disclosure after a compaction, with rungs for earlier requests and reasons."""
    *lower, last, newest = usual.ladder
    short = replace(last, width=SAID)
    worths = [
        Worth.SUMMARY_RECALLED,  # the most telling message
        *(Worth.SUMMARY_RECALLED for _ in range(SUMMED_FIRST)),
        *(Worth.ASKS_RECALLED for _ in range(ASKED_FIRST)),
        *(Worth.REASONS_RECALLED for _ in range(TOLD_FIRST)),
    ]
    one_by_one = enumerate(worths, start=FIRST + 1)
    told = [
        replace(short, worth=Worth.FINDING_RECALLED),
        *(replace(short, limit=limit, worth=worth) for limit, worth in one_by_one),
        replace(short, limit=FIRST + len(worths) + ASKS, worth=Worth.IN_WORK_IN_FULL),
    ]
    most = newest.limit
    told = [each for each in told if most is None or each.limit is None or each.limit < most]
    return replace(usual, ladder=(*lower, *told, newest))


def _is_command(message: Utterance, checked: Sequence[str]) -> bool:
    return message.speaker == "ran" and message.text not in checked


def _by_worth(messages: Sequence[Utterance], checked: Sequence[str]) -> Iterable[int]:
    """Return the places of messages by worth: what was done since the newest request, or a short one of the last commands,
    or -1 without either; the finding that the user answered and the answer, else the last finding; where the work was left
    off; the longest finding since the request; the summary and the last requests, these first if the newest came after it;
    the newest reasons; older ones of the summary, and requests; then the newest.
    """
    newest = range(len(messages) - 1, -1, -1)
    asks = [place for place in newest if messages[place].speaker == "asked"]
    reasons = islice((place for place in newest if messages[place].speaker == "why"), TOLD_FIRST)
    ran = islice((place for place in newest if _is_command(messages[place], checked)), RECENT)
    short = min(ran, key=lambda place: len(messages[place].text) // ALIKE, default=-1)
    since = next((place for place in newest if messages[place].speaker == "since asked"), short)
    summed = [
        place for by in OF_SUMMARY for place, each in enumerate(messages) if each.speaker == by
    ]
    left_off = [place for place in summed if messages[place].speaker == "left off"][:1]
    first = [since, *_finding_and_answer(messages), *left_off, *_longest_since(messages)]
    groups = [summed[:SUMMED_FIRST], asks[:ASKED_FIRST]]
    first += chain.from_iterable(groups[::-1] if summed and since > max(summed) else groups)
    return dict.fromkeys((*first, *reasons, *summed, *asks, *newest))


def _longest_since(messages: Sequence[Utterance]) -> Sequence[int]:
    """Return the place of the agent's longest message since the newest request, but for the last."""
    by = [each.speaker for each in messages]
    start = by.index("since asked") if "since asked" in by else len(by)
    said = [place for place in range(start, len(by)) if by[place] == "agent"][:-1]
    longest = max(said, key=lambda place: len(messages[place].text), default=None)
    return [] if longest is None else [longest]


def _finding_and_answer(messages: Sequence[Utterance]) -> Sequence[int]:
    """Return the places of the agent's last finding and of the user's answer to it, if any."""
    by = [each.speaker for each in messages]
    newest = range(len(by) - 1, -1, -1)
    answer = next((place for place in newest if by[place] == "user"), None)
    before = newest if answer is None else range(answer - 1, -1, -1)
    finding = next((place for place in before if by[place] == "agent"), None)
    return [each for each in (finding, answer) if each is not None]
