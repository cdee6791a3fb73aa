"""A user's rules for the whole session: found in prompts, recorded, and lifted.

The words of a clause have weights. These were learned from some 20,000 texts in six languages: half
have a rule, and half only sound like it (``make rules``; the texts are
``tests/hud_runtime/observation/data/rules-open.tsv``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from hud_components import StandingRule
from hud_components.words import same_words
from hud_runtime.observe import _asks
from hud_runtime.observe._checks import EventPair
from hud_runtime.observe.messages import grouped, names, rows

LONGEST_RULE = 400
"""Maximum characters of a rule; longer ones are cut between sentences, or words."""

LONGEST_SENTENCE = 600
"""Maximum characters of a sentence that is examined as a whole; a longer one is split at its commas."""

MOST = 100
"""Maximum rules in one message."""


THRESHOLD = 2
"""The minimum weight of a rule's clause, in tenths. Of held-out texts, nine in ten rules reach it,
and 2 of 100 others.
"""

MOST_CLAUSES = 12
"""Maximum clauses of a sentence that are examined."""

LENGTHS = 8
"""Classes of clause lengths, each of four words; the last has all longer ones."""

RUN, RUN_OF_LETTERS = 3, 4
"""Maximum words that are examined together, and letters in scripts without spaces."""

_LETTER = "\u3040-\u30ff\u3400-\u9fff"
"""The letters of scripts without spaces."""

_UNSPACED = re.compile(f"[{_LETTER}]")
_PART = re.compile(rf"[{_LETTER}]|[^\s{_LETTER}]++")
_WORD = re.compile(rf"[{_LETTER}]|[^\W\d_{_LETTER}]++(?:'[^\W\d_{_LETTER}]++)?|\d[\d.,]*+|[^\w\s]")
_CLAUSE = re.compile(
    r"[,:;(–—]\s+|\s-\s+|(?<=[，、：,])|\b(?:and|but|so|und|aber|et|mais|y|pero)\s+", re.IGNORECASE
)
_ENDS = frozenset(".!;,。！；，")
_STEM, _ENDING = 5, 2
"""Letters of the beginning, and of the end, of a longer word that also represent it."""

HEADING = 12
"""Words of a heading that count for the list below it: the last ones."""

NEIGHBOR = 2
"""Words of the neighboring sentences that count: the first ones."""


_QUOTES = ('""', "“”", "«»", "„“”", "「」", "『』", "``")
"""Quotation marks: the opening one, and its closing ones."""

_QUOTED = re.compile(
    "|".join(
        f"{begin}[^{''.join(end)}\n]{{1,300}}[{''.join(end)}]" for begin, *end in map(list, _QUOTES)
    )
)
"""Quotations, which contain no rules."""

_QUOTED_LINES = re.compile(
    "|".join(
        f"^[ \t]*{begin}[^{''.join(end)}\n]*\n(?:[^{''.join(end)}\n]+\n)*[^{''.join(end)}\n]*"
        for begin, *end in map(list, _QUOTES)
    ),
    re.MULTILINE,
)
"""A quotation that begins a line and spans several: to its closing mark, or to a blank line if that
is missing.
"""

_BULLET = re.compile(r"[ \t]*(?:(?:[-*+•#]+|\d{1,3}[.)])[ \t]+|・[ \t]*)(?:\[[ xX]\][ \t]+)?")
_SENTENCE = re.compile(r"(?<=[.!?;])[ \t]+|(?<=[。！？；])")
_MARKS = " \t.!;,。！；，*_"


def rules_in(text: str) -> list[str]:
    """Return the rules in somebody's words, each in those words.

    >>> rules_in("Add a login, but don't touch the migrations. Why don't we use SQLite?")
    ["don't touch the migrations."]
    """
    found: dict[str, None] = {}
    for sentence in sentences(text):
        start = start_of_rule(sentence.masked, sentence.around)
        said = "" if start is None else sentence.text[start:].strip(" \t*_")
        if said:
            found.setdefault(_asks.cut(said, LONGEST_RULE))
        if len(found) == MOST:
            break
    return [*found]


class Sentence(NamedTuple):
    """A sentence of prose."""

    text: str
    masked: str
    """The text with its quotations masked."""

    around: frozenset[str] = frozenset()
    """Its context: the heading of its list, and the first words of the neighboring sentences."""


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of prose."""
    found = [Sentence("", ""), *_alone(text), Sentence("", "")]
    beginnings = [_words(each.masked)[:NEIGHBOR] for each in found]
    beside = zip(beginnings, beginnings[2:], strict=False)
    for sentence, (before, then) in zip(found[1:-1], beside, strict=True):
        told = [*(f"before: {word}" for word in before), *(f"then: {word}" for word in then)]
        yield sentence._replace(around=sentence.around.union(told))


def _alone(text: str) -> Iterator[Sentence]:
    """Yield the sentences of prose, each with the heading of its list as its only context."""
    prose = _QUOTED_LINES.sub(_hidden, _asks.FENCE.sub("", text[: _asks.LOOKED_AT]))
    heading: frozenset[str] = frozenset()
    for given in prose.splitlines():
        bullet = _BULLET.match(given)
        if not given.strip() or (bullet is None and _asks.LOG.match(given)):
            continue
        line = given[bullet.end() if bullet else 0 :].strip()
        masked = _QUOTED.sub(_hidden, line)
        is_heading = masked.endswith((":", "：")) if bullet is None else "#" in bullet[0]
        if bullet is None or is_heading:
            heading = frozenset()
        start = 0
        for end in [*(match.end() for match in _SENTENCE.finditer(masked)), len(line)]:
            for first, last in _pieces(masked, start, end):
                listed = heading | {"in list"} if bullet and not is_heading else heading
                yield Sentence(line[first:last].strip(), masked[first:last].strip(), listed)
            start = end
        if is_heading:
            heading = frozenset(f"list of: {run}" for run in _runs(_words(masked)[-HEADING:]))


def _hidden(quoted: re.Match[str]) -> str:
    return re.sub(r"\S", "x", quoted[0])


def _pieces(line: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the span of a sentence, or of its parts between commas if it is long."""
    while end - start > LONGEST_SENTENCE:
        comma = line.rfind(", ", start + 1, start + LONGEST_SENTENCE)
        cut_at = comma + 2 if comma > 0 else start + LONGEST_SENTENCE
        yield start, cut_at
        start = cut_at
    if start < end:
        yield start, end


def start_of_rule(sentence: str, around: frozenset[str] = frozenset()) -> int | None:
    """Return the start of the clause with the highest weight, or None if none is a rule.

    :param around: the traits of the sentence's context.

    >>> start_of_rule("Add a login, but don't touch the migrations.")
    17
    >>> start_of_rule("Don't worry, never mind the lint error.")
    """
    if _is_question(sentence) or _MESSAGE.match(sentence):
        return None
    said = sentence.replace("’", "'")
    starts = (start for start in clauses(sentence) if not _REASSURANCE.match(said, start))
    weighed = [(_weight(traits(sentence, start, around)), -start) for start in starts]
    weight, start = max(weighed, default=(0, 0))
    return -start if weight >= THRESHOLD else None


def _is_question(sentence: str) -> bool:
    return sentence.endswith(("?", "？")) or sentence.startswith("¿")


def clauses(sentence: str) -> Sequence[int]:
    """Return the starts of a sentence's clauses."""
    ends = (match.end() for match in _CLAUSE.finditer(sentence))
    starts = dict.fromkeys([0, *(end for end in ends if end < len(sentence))])
    return [*starts][:MOST_CLAUSES]


def traits(sentence: str, start: int, around: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the traits of the clause at this start: its words, alone and together, and its context."""
    words = ["BEGIN", *_words(sentence[start:])]
    while len(words) > 1 and words[-1] in _ENDS:
        words.pop()
    words.append("END")
    length = f"length {min(LENGTHS, len(words) // 4)}"
    return around.union(_runs(words), _led_by(_words(sentence[:start])), [length])


def _words(text: str) -> list[str]:
    """The words of a text: all numbers are one word, code and quotations another; a letter of a
    script without spaces is one.
    """
    found: list[str] = []
    for part in _PART.findall(text.lower().replace("’", "'")):
        is_code = any(each in part for each in "/\\_`")
        found += [_CODE] if is_code else map(_kind, _WORD.findall(part))
    return found


_CODE = "`"
"""The word that represents code and quotations."""


def _kind(word: str) -> str:
    return "0" if word[0].isdigit() else word if word.strip("x") else _CODE


def _runs(words: Sequence[str]) -> Iterator[str]:
    for place, word in enumerate(words):
        yield word
        longest = RUN_OF_LETTERS if _UNSPACED.match(word) else RUN
        for last in range(place + 2, min(place + longest, len(words)) + 1):
            yield " ".join(words[place:last])
        for form in _forms(word):
            yield form
            beside = [*words[place - 1 : place], form, *words[place + 1 : place + 2]]
            yield from map(" ".join, pairwise(beside))


def _forms(word: str) -> Iterator[str]:
    """Yield the beginning and the end of a longer word, which related words share."""
    if word.isalpha() and word.islower():
        if len(word) > _STEM:
            yield f"{word[:_STEM]}*"
        if len(word) > _ENDING + 1:
            yield f"*{word[-_ENDING:]}"


def _led_by(before: Sequence[str]) -> Iterator[str]:
    """Yield the words before the clause: the first ones of the sentence, and the last one."""
    yield from (f"lead: {word}" for word in before)
    for last in (1, 2):
        if before:
            yield f"first: {' '.join(before[:last])}"
    if before:
        yield f"behind: {before[-1]}"


def _weight(found: Iterable[str]) -> int:
    weights = _weights()
    return sum(weights.get(each, 0) for each in found) + weights[""]


@cache
def _weights() -> Mapping[str, int]:
    """The weights of traits, in tenths: each line has a weight, and then its traits."""
    return {trait: int(weight) for weight, *traits in rows("rule-words") for trait in traits}


LIFTS: Mapping[str, Sequence[str]] = MappingProxyType(grouped("lifts"))
"""The forms that lift a rule, by language: the group ``what`` is what is allowed, or no longer required."""

_LIFTS = [
    re.compile(f"(?:{pattern})$", re.IGNORECASE) for forms in LIFTS.values() for pattern in forms
]


_SAID = grouped("offers")
"""The words of an agent's offer, of its refusal, of reassurance, and of a program's message."""
_OFFER = re.compile("|".join(_SAID["offer"]), re.IGNORECASE)
_REFUSAL = re.compile("|".join(_SAID["refusal"]), re.IGNORECASE)
_REASSURANCE = re.compile("|".join(_SAID["reassurance"]), re.IGNORECASE)
_MESSAGE = re.compile("|".join(_SAID["message"]), re.IGNORECASE)
_ELSE = re.compile(r"\belse\b|noch etwas|autre chose|algo más|其他|ほか", re.IGNORECASE)
_FINE = re.compile(r"no,? (?:problem|worries|idea|rush|hurry|sorry|wait)\b", re.IGNORECASE)

REFUSED = 160
"""Maximum characters of an answer that refuses an offer, and of the offer."""


def refused_in(answer: str, heard: str) -> str:
    """Return the rule in an answer that refuses the agent's last offer; empty if it does not.

    >>> refused_in("no, let's see first", "Done. Want me to also set `gc.auto 0`?")
    "no, let's see first (agent: Want me to also set `gc.auto 0`?)"
    """
    *_, offer = (
        "",
        *filter(None, (each.strip(" \t*_") for each in _SENTENCE.split(heard.strip()))),
    )
    if not _is_question(offer) or _ELSE.search(offer) or _OFFER.search(offer) is None:
        return ""
    words = answer.strip().replace("’", "'")
    is_refusal = _REFUSAL.match(words) is not None and _FINE.match(words) is None
    if len(words) > REFUSED or "?" in words or not is_refusal:
        return ""
    return f"{_asks.cut(answer)}{_OFFERED}{_asks.cut(offer, REFUSED)})"


_OFFERED = " (agent: "
"""The separator between a refusal and the offer."""


class StandingRules:
    """The rules of a session as the user's messages change them."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        """The rules by their words."""
        self._agents: set[str] = set()
        """The words of those that the user did not say."""

    def resume(self, rules: Sequence[StandingRule]) -> None:
        """Resume from a session's rules."""
        self._known = {same_words(rule.text): rule.text for rule in rules}
        self._agents = {same_words(rule.text) for rule in rules if rule.said_by != "user"}

    def said(self, text: str, heard: str = "") -> Iterator[EventPair]:
        """Yield the changes of the user's words: lifted rules, then new ones.

        :param heard: the agent's last message, if the user answers it.
        """
        words = _asks.said_by_user(text)
        ruled = rules_in(words) or [*filter(None, [refused_in(words, heard)])]
        known, told = self._known.values(), self._known.keys() - self._agents
        new = {same_words(rule): rule for rule in ruled if same_words(rule) not in told}
        over = [*lifted_in(words, known), *asked_for_in(words, known)]
        yield from self.lifted([*over, *_replaced(new.values(), known)])
        self._known |= new
        self._agents -= new.keys()
        for rule in new.values():
            yield "rule.add", {"text": rule}

    def lifted(self, rules: Iterable[str]) -> Iterator[EventPair]:
        """Yield the removal of rules."""
        for rule in dict.fromkeys(rules):
            known = self._known.pop(same_words(rule), None)
            if known is not None:
                yield "rule.lift", {"id": known}


def lifted_in(text: str, rules: Iterable[str]) -> list[str]:
    """Return the rules that somebody's words lift.

    >>> lifted_in("You can push now.", ["Never push to main.", "Use tabs."])
    ['Never push to main.']
    """
    known = [*rules]
    found: list[str] = []
    for _, masked, around in sentences(text) if known else ():
        said = masked.rstrip(_MARKS).replace("’", "'")
        if _is_question(masked) or start_of_rule(masked, around) is not None:
            continue
        for pattern in _LIFTS:
            match = pattern.search(said)
            allowed = _content(match["what"]) if match else []
            if allowed:
                found += [rule for rule in known if _is_about(allowed, _content(rule))]
    return [*dict.fromkeys(found)]


def asked_for_in(text: str, rules: Iterable[str]) -> list[str]:
    """Return the refused offers that somebody's words now ask for.

    >>> asked_for_in("Now push the branch.", ["no (agent: Shall I push the branch?)"])
    ['no (agent: Shall I push the branch?)']
    """
    offers = {rule: _content(rule.partition(_OFFERED)[2]) for rule in rules if _OFFERED in rule}
    asked = [
        _content(said)
        for said, masked, around in (sentences(text) if offers else ())
        if not _is_question(masked) and start_of_rule(masked, around) is None
    ]
    return [
        rule
        for rule, offer in offers.items()
        if any(words and _is_about(words, offer) for words in asked)
    ]


_BUDGET = re.compile(r"\b(?:budget|presupuesto)\b|预算|予算", re.IGNORECASE)


def _replaced(new: Iterable[str], known: Iterable[str]) -> list[str]:
    """The rules that new ones replace: of budgets the last counts."""
    return [rule for rule in known if _BUDGET.search(rule)] if any(map(_BUDGET.search, new)) else []


_HIRAGANA = re.compile("[\u3040-\u309f]+")
_CONTENT = re.compile(r"[^\W\d_][\w-]*")
_EMPTY = names("empty word")
"""Words that do not identify a permission."""


def _content(text: str) -> list[str]:
    """The words that identify a text's subject: their beginnings; in scripts without spaces, pairs
    of letters, except those of hiragana, which are mostly endings.
    """
    lowered = text.lower()
    words = [
        word[:5]
        for word in _CONTENT.findall(lowered)
        if word not in _EMPTY and not _UNSPACED.search(word)
    ]
    pairs = [
        lowered[place : place + 2]
        for place in range(len(lowered) - 1)
        if _UNSPACED.match(lowered, place)
        and _UNSPACED.match(lowered, place + 1)
        and not _HIRAGANA.fullmatch(lowered, place, place + 2)
    ]
    return words + pairs


def _is_about(allowed: Sequence[str], rule: Sequence[str]) -> bool:
    """Return whether a rule has more than half of a permission's words."""
    return 2 * sum(_is_like(each, rule) for each in allowed) > len(allowed)


def _is_like(word: str, words: Iterable[str]) -> bool:
    return any(
        word == each
        or (min(len(word), len(each)) > 3 and (word.startswith(each) or each.startswith(word)))
        for each in words
    )
