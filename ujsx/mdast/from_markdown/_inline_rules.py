"""markdown-it's inline rules, with changes for CommonMark and GFM."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline, entity
from markdown_it.rules_inline.balance_pairs import processDelimiters
from markdown_it.rules_inline.emphasis import _postProcess as mark_emphasis
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

from ujsx.mdast.from_markdown._block_rules import CALL
from ujsx.mdast.from_markdown._source import (
    ASCII_PUNCTUATION,
    MAX_DEPTH,
    MAX_LABEL,
    UNICODE_WHITESPACE,
    decode,
    identifier,
    is_punctuation,
    match_resource,
)
from ujsx.mdast.util import unpadded

# Autolink literals (GFM): ``https://…``, ``www.…`` and ``name@host`` in the source.

CANDIDATE = (
    r"(?<![A-Za-z])[hH][tT][tT][pP][sS]?://"
    r"|(?<![^\s(*_\[\]~])[wW]{3}\."
    r"|(?<![A-Za-z0-9+\-._/])[A-Za-z0-9+\-._]++@"
)
"""The possible starts of a literal, including the character before."""

_PROTOCOL = re.compile(r"https?://", re.IGNORECASE | re.ASCII)
_WWW = re.compile(r"www\.(?=.)", re.IGNORECASE | re.ASCII | re.DOTALL)
_EMAIL = re.compile(r"[A-Za-z0-9+\-._]++@((?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9]))++)")
_WHITESPACE = "".join(sorted(UNICODE_WHITESPACE))
_TRAIL = re.compile(r"(?:[!\"')*,.:;?_~]|&[A-Za-z]++;|\](?![(\[]))*+")
"""Text that is cut off at a literal's end."""
_AFTER_TRAIL = re.compile(rf"[<{_WHITESPACE}]|\Z|\](?=[(\[])")
_DOMAIN_STOPS = re.compile(r"[^A-Za-z0-9-]")
_PATH_STOPS = re.compile(rf"[!\"&'()*,.:;<?\]_~{_WHITESPACE}]")


def autolink_literal(state: InlineState) -> bool:
    """Parse an autolink literal; within an open bracket, it waits for the link's end."""
    if state.brackets:
        return False
    src, start = state.src, state.pos
    previous = src[start - 1] if start else " "
    is_within = previous in "+-._/" or (previous.isascii() and previous.isalnum())
    if not is_within and (match := _EMAIL.match(src, start)):
        domain = match[1]
        if "." in domain and domain.strip(".") and domain[-1].isalpha():
            _push(state, "mailto:", match.end())
            return True
    if src[start] in "hH" and not (previous.isascii() and previous.isalpha()):
        match = _PROTOCOL.match(src, start)
        if match and (end := _url_end(state, match.end())) > match.end():
            _push(state, "", end)
            return True
    elif src[start] in "wW" and previous in "(*_[]~ \t\n" and _WWW.match(src, start):
        end = _url_end(state, start)
        if end > start:
            _push(state, "http://", end)
            return True
    return False


def _push(state: InlineState, prefix: str, end: int) -> None:
    text = state.src[state.pos : end]
    push_link(state, prefix + text, text)
    state.pos = end


def _url_end(state: InlineState, start: int) -> int:
    """Return the end of a domain and a path; ``start`` if the domain is invalid."""
    src = state.src
    first = src[start : start + 1]
    if not first or first < " " or first in UNICODE_WHITESPACE or is_punctuation(first):
        return start
    end = _domain_end(state, start)
    return start if end is None else _path_end(src, end)


def _domain_end(state: InlineState, start: int) -> int | None:
    """Return the end of a domain; ``None`` if an underscore in its last two parts makes it invalid.

    A domain that starts within an invalid one, before that underscore, is invalid too.
    """
    if start < state.no_domain_before:
        return None
    src = state.src
    at, size = start, len(src)
    last_but_one = last = seen = False
    underscore = not_trail_before = start
    while at < size:
        stop = _DOMAIN_STOPS.search(src, at)
        if stop is None:
            at, seen = size, True
            break
        seen = seen or stop.start() > at
        at = stop.start()
        character = src[at]
        if character in "._":
            if at >= not_trail_before and (not_trail_before := _trail_end(src, at)) < 0:
                break
            if character == "_":
                last, underscore = True, at
            else:
                last_but_one, last = last, False
        elif character in UNICODE_WHITESPACE or is_punctuation(character):
            break
        else:
            seen = True
        at += 1
    if last or last_but_one:
        state.no_domain_before = underscore
        return None
    return at if seen else None


def _path_end(src: str, start: int) -> int:
    at = start
    opened = closed = 0
    not_trail_before = start
    while stop := _PATH_STOPS.search(src, at):
        at = stop.start()
        character = src[at]
        if character in UNICODE_WHITESPACE:
            return at
        if character == "(":
            opened += 1
        elif character == ")" and closed < opened:
            closed += 1
        else:
            if at >= not_trail_before and (not_trail_before := _trail_end(src, at)) < 0:
                return at
            closed += character == ")"
        at += 1
    return len(src)


def _trail_end(src: str, at: int) -> int:
    """Return -1 where a literal ends before ``at``, else up to where no trail can start."""
    match = _TRAIL.match(src, at)
    end = at if match is None else match.end()
    return -1 if _AFTER_TRAIL.match(src, end) else end


# The state of the inline rules: markdown-it's, with the brackets that are still open.


@dataclass(slots=True)
class Bracket:
    """A ``[`` or ``![`` that may open a link, an image or a footnote's call."""

    start: int
    token: int
    delimiters: int
    image: bool
    on_close: Callable[[InlineState, Bracket, int], object] | None = None
    """A function that turns the content of the brackets into something other than a link."""


class InlineState(StateInline):
    """The state of the inline rules, with the brackets that are still open."""

    pos: int

    def __init__(self, src: str, md: MarkdownIt, env: Any, outTokens: list[Token]) -> None:  # noqa: N803
        super().__init__(src, md, env, outTokens)
        self.brackets: list[Bracket] = []
        self.inactive = 0
        """The number of ``brackets`` before a link, which cannot open one (links don't nest)."""
        self.spans: list[list[Delimiter]] = []
        """The delimiters within each link and image."""
        self.no_domain_before = 0
        """The place from which an autolink literal may start again, after an invalid domain."""
        self.reading: Any = None
        """The search in progress, and the rules that it asks."""

    def open_bracket(
        self,
        markup: str = "[",
        on_close: Callable[[InlineState, Bracket, int], object] | None = None,
    ) -> None:
        """Parse a ``[`` or ``![``, whose meaning is decided when it closes."""
        token = self.push("text", "", 0)
        token.content, token.map = markup, [self.pos, self.pos + len(markup)]
        self.pos += len(markup)
        place, is_image = len(self.tokens) - 1, markup == "!["
        self.brackets.append(Bracket(self.pos, place, len(self.delimiters), is_image, on_close))

    def ahead(self) -> InlineState:
        """Return a state for lookahead, whose tokens are discarded."""
        ahead = InlineState(self.src, self.md, self.env, [])
        ahead.pos, ahead.posMax, ahead.level = self.pos, self.posMax, self.level + 1
        ahead.reading, ahead.cache = self.reading, self.cache
        ahead.backticks, ahead.backticksScanned = self.backticks, self.backticksScanned
        return ahead

    def trim_pending(self, kept: str) -> None:
        """Remove white space from the end of the text that is not in a token yet."""
        self.pending = kept


InlineRule = Callable[[InlineState], bool]
"""Parses at ``state.pos`` and advances, or returns ``False`` if it does not match."""


# Links, images and footnote calls, matched at their closing bracket.
#
# This is CommonMark's own algorithm (appendix, "look for link or image"). markdown-it looks ahead
# from each opening bracket instead, which it has to cut off at a depth, and resolves references on
# the way; here a reference stays one: its token has ``identifier``, ``label`` and
# ``reference_type``. URLs and titles are decoded and otherwise left as they were written.

_LABEL = re.compile(r"\[((?:[^\\\[\]]|\\.)*+)\]", re.DOTALL)


def open_link(state: InlineState) -> bool:
    """Parse ``[``: a footnote's call at once, anything else when its bracket closes."""
    if state.env["footnote_labels"] and (match := CALL.match(state.src, state.pos)):
        key = identifier(match[1])
        if key in state.env["footnote_labels"]:
            _push_call(state, key, match[1])
            state.pos = match.end()
            return True
    state.open_bracket()
    return True


def open_image(state: InlineState) -> bool:
    """Parse ``![``."""
    if not state.src.startswith("[", state.pos + 1):
        return False
    state.open_bracket("![")
    return True


def close(state: InlineState) -> bool:
    """Parse ``]``: build a link or an image from the text since its opener, if it is one."""
    if not state.brackets:
        return False
    opener = state.brackets.pop()
    if opener.on_close is not None:
        state.inactive = min(state.inactive, len(state.brackets))
        opener.on_close(state, opener, state.pos)
        _keep_within(state, opener.delimiters)
        return True
    active = opener.image or len(state.brackets) >= state.inactive
    state.inactive = min(state.inactive, len(state.brackets))
    end = state.pos
    found = _target(state, opener, end) if active else None
    if found is None:
        return opener.image and _close_call(state, opener, end)
    target, state.pos = found
    if state.pending:
        state.pushPending()
    token = state.tokens[opener.token]
    token.type = "image_open" if opener.image else "link_open"
    token.content = ""
    token.meta = target
    state.push("image_close" if opener.image else "link_close", "", 0)
    _keep_within(state, opener.delimiters)
    if not opener.image:
        state.inactive = len(state.brackets)
    return True


def _keep_within(state: InlineState, first: int) -> None:
    """Restrict delimiters from a place on to pairs among themselves."""
    within = state.delimiters[first:]
    if within:
        del state.delimiters[first:]
        state.spans.append(within)


def _target(state: InlineState, opener: Bracket, end: int) -> tuple[dict[str, Any], int] | None:
    """Return the target of a link or an image, and the end of its source; ``None`` for neither."""
    src = state.src
    after = end + 1
    if src.startswith("(", after) and (found := match_resource(src, after)):
        return found
    if not state.env["definitions"]:
        return None
    if src.startswith("[", after) and (match := _LABEL.match(src, after)):
        if match[1].strip(" \t\n"):
            return _reference(state, "full", match.start(1), match.end(1), match.end())
        if not match[1]:
            return _reference(state, "collapsed", opener.start, end, match.end())
    return _reference(state, "shortcut", opener.start, end, after)


def _reference(
    state: InlineState, kind: str, start: int, end: int, after: int
) -> tuple[dict[str, Any], int] | None:
    """Return the reference by the label ``src[start:end]``, if the label is defined."""
    if end - start > MAX_LABEL:
        return None
    label = state.src[start:end]
    key = identifier(label)
    if key not in state.env["definitions"]:
        return None
    return {"identifier": key, "label": decode(label), "reference_type": kind}, after


def _push_call(state: InlineState, key: str, label: str) -> None:
    state.push("footnote_call", "", 0).meta = {"identifier": key, "label": decode(label)}


def _close_call(state: InlineState, opener: Bracket, end: int) -> bool:
    """Parse ``![^label]`` other than an image: a ``!`` and a footnote's call."""
    match = CALL.match(state.src, opener.start - 1)
    if match is None or match.end() != end + 1:
        return False
    key = identifier(match[1])
    if key not in state.env["footnote_labels"]:
        return False
    state.pending = ""
    del state.tokens[opener.token :]
    del state.delimiters[opener.delimiters :]
    start = opener.start - 2
    token = state.push("text", "", 0)
    token.content, token.map = "!", [start, start + 1]
    _push_call(state, key, match[1])
    state.tokens[-1].map = [start + 1, end + 1]
    state.pos = end + 1
    return True


# Emphasis, strong emphasis and strikethrough: runs of delimiters, and how they pair.
#
# The rule by which asterisks and underscores pair is markdown-it's (``balance_pairs``). What differs
# comes with GFM's strikethrough, which is remark's here: a run of one or two tildes pairs with a run
# of the same length; beside a tilde an asterisk opens and closes as it does beside a letter; and
# where emphasis and strikethrough would overlap, the one that the text starts with wins. And a symbol
# beyond the basic plane, such as an emoji, is no punctuation: remark, cmark-gfm and commonmark.js pair
# what stands beside one as they do beside a letter, though CommonMark 0.31 says otherwise.

TILDE = ord("~")

LAST_OF_BASIC = "\uffff"
"""The last code point of the basic plane."""

_OTHER, _WHITE_SPACE, _PUNCTUATION = range(3)

Span = tuple[int, int]
"""The tokens that open and close a span, by their place among the tokens."""


def stars(state: InlineState) -> bool:
    """Parse a run of asterisks or underscores: a delimiter for each."""
    start = state.pos
    marker = state.src[start]
    end = _run_end(state, marker)
    opens, closes = _flanking(state, start, end)
    if marker == "_":  # within words, underscores are text
        before, after = _kind(_before(state, start)), _kind(_after(state, end))
        opens, closes = (
            opens and (before != _OTHER or not closes),
            closes and (after != _OTHER or not opens),
        )
    for place in range(start, end):
        _push_delimiter(state, marker, end - start, place, opens=opens, closes=closes)
    state.pos = end
    return True


def tildes(state: InlineState) -> bool:
    """Parse a run of tildes: a delimiter for one or two, else text."""
    start = state.pos
    end = _run_end(state, "~")
    if end - start > 2:
        state.append_pending(state.src[start:end])
    else:
        opens, closes = _flanking(state, start, end)
        _push_delimiter(state, state.src[start:end], end - start, start, opens=opens, closes=closes)
    state.pos = end
    return True


def _run_end(state: InlineState, marker: str) -> int:
    end = state.pos
    while state.src.startswith(marker, end):
        end += 1
    return end


def _before(state: InlineState, start: int) -> str:
    return state.src[start - 1] if start else "\n"


def _after(state: InlineState, end: int) -> str:
    return state.src[end] if end < state.posMax else "\n"


def _flanking(state: InlineState, start: int, end: int) -> tuple[bool, bool]:
    """Return whether a run is left-flanking and right-flanking (CommonMark 6.2)."""
    previous, following = _before(state, start), _after(state, end)
    before, after = _kind(previous), _kind(following)
    opens = after == _OTHER or (after == _PUNCTUATION and before != _OTHER)
    closes = before == _OTHER or (before == _PUNCTUATION and after != _OTHER)
    if state.env["gfm"] and state.src[start] != "~":
        opens, closes = opens or following == "~", closes or previous == "~"
    return opens, closes


@lru_cache(maxsize=1024)
def _kind(character: str) -> int:
    if isWhiteSpace(ord(character)):
        return _WHITE_SPACE
    if isMdAsciiPunct(ord(character)) or (character <= LAST_OF_BASIC and isPunctChar(character)):
        return _PUNCTUATION
    return _OTHER


def _push_delimiter(
    state: InlineState, text: str, length: int, start: int, *, opens: bool, closes: bool
) -> None:
    token = state.push("text", "", 0)
    token.content = text
    token.map = [start, start + len(text)]
    state.delimiters.append(
        Delimiter(
            marker=ord(text[0]),
            length=length,
            token=len(state.tokens) - 1,
            end=-1,
            open=opens,
            close=closes,
        )
    )


def pair_delimiters(state: InlineState) -> None:
    """Turn paired delimiters into the tokens that open and close a span."""
    for delimiters in state.spans:
        _pair(state, delimiters, tildes_first=True)
    if state.delimiters:
        tildes_first = state.delimiters[0].marker == TILDE
        _pair(state, state.delimiters, tildes_first=tildes_first)


def _pair(state: InlineState, delimiters: list[Delimiter], *, tildes_first: bool) -> None:
    """Pair one kind of delimiter, then the other within each span that came of it."""
    tilde_runs = [delimiter for delimiter in delimiters if delimiter.marker == TILDE]
    if not tilde_runs:
        _pair_stars(state, delimiters)
        return
    star_runs = [delimiter for delimiter in delimiters if delimiter.marker != TILDE]
    if tildes_first:
        for group in _grouped(star_runs, _pair_tildes(state, tilde_runs)):
            _pair_stars(state, group)
    else:
        for group in _grouped(tilde_runs, _pair_stars(state, star_runs)):
            _pair_tildes(state, group)


def _pair_stars(state: InlineState, delimiters: list[Delimiter]) -> list[Span]:
    processDelimiters(state, delimiters)
    mark_emphasis(state, delimiters)
    return [
        (opener.token, delimiters[opener.end].token) for opener in delimiters if opener.end >= 0
    ]


def _pair_tildes(state: InlineState, delimiters: list[Delimiter]) -> list[Span]:
    spans: list[Span] = []
    openers: dict[int, list[Delimiter]] = {1: [], 2: []}
    for delimiter in delimiters:
        same, other = openers[delimiter.length], openers[3 - delimiter.length]
        if delimiter.close and same:
            opener = same.pop()
            spans.append((opener.token, delimiter.token))
            while other and other[-1].token > opener.token:  # within the span: it pairs no more
                other.pop()
        elif delimiter.open:
            same.append(delimiter)
    for start, end in spans:
        for index, kind in ((start, "s_open"), (end, "s_close")):
            token = state.tokens[index]
            token.type, token.content = kind, ""
    return spans


def _grouped(delimiters: list[Delimiter], spans: list[Span]) -> list[list[Delimiter]]:
    """Group delimiters by the innermost span that they stand in."""
    edges = sorted([*((start, True) for start, _ in spans), *((end, False) for _, end in spans)])
    edges.reverse()
    done: list[list[Delimiter]] = []
    open_groups: list[list[Delimiter]] = [[]]
    for delimiter in delimiters:
        while edges and edges[-1][0] < delimiter.token:
            if edges.pop()[1]:
                open_groups.append([])
            else:
                done.append(open_groups.pop())
        open_groups[-1].append(delimiter)
    return [*done, *open_groups]


# The places of inline tokens in the text of their block: noted by the rules' callers, on request only.
#
# A token's ``map`` is then ``[start, end]``, offsets in the block's text. Without a request the state and
# the rules are the plain ones, so that nobody pays for places who did not ask for them.


class PlacedState(InlineState):
    """A state that records the start of the text that is not in a token yet."""

    def __init__(self, src: str, md: MarkdownIt, env: Any, outTokens: list[Token]) -> None:  # noqa: N803
        super().__init__(src, md, env, outTokens)
        self._pending_start = self._pending_end = 0

    def append_pending(self, text: str) -> None:
        if not self.pending:
            self._pending_start = self.pos
        self._pending_end = self.pos + len(text)
        super().append_pending(text)

    def trim_pending(self, kept: str) -> None:
        self._pending_end -= len(self.pending) - len(kept)
        super().trim_pending(kept)

    def pushPending(self) -> Token:  # noqa: N802
        token = super().pushPending()
        token.map = [self._pending_start, self._pending_end]
        return token


def with_places(rules: Mapping[str, tuple[InlineRule, ...]]) -> dict[str, tuple[InlineRule, ...]]:
    """Return the rules, extended to record the places of their tokens, unless already recorded."""
    return {character: tuple(map(placed, each)) for character, each in rules.items()}


def placed(rule: InlineRule) -> Callable[[InlineState], bool]:
    """Return a rule that sets the place of its tokens to the text that it parsed."""

    def rule_with_places(state: InlineState) -> bool:
        start, known = state.pos, len(state.tokens)
        if not rule(state):
            return False
        for token in state.tokens[known:]:
            if token.map is None:
                token.map = [start, state.pos]
        return True

    return rule_with_places


# markdown-it's inline parser with its rules looked up by the character they start at.
#
# Differences from ``markdown_it.parser_inline``:
#
# - A character has one rule or a few, where markdown-it asks each rule in turn at each character.
# - No rule looks ahead by running the others silently: brackets are matched as they are met. So nesting costs no calls, needs no limit, and takes linear time.


class InlineParser(ParserInline):
    """An inline parser; ``rules`` has the rules to try at each character."""

    def __init__(self, rules: Mapping[str, tuple[InlineRule, ...]], *, literals: bool) -> None:
        super().__init__()
        self.rules = rules
        self.literals = literals
        characters = re.escape("".join(rules))
        self._special = re.compile(f"[{characters}]")
        self._special_or_literal = re.compile(f"[{characters}]|{CANDIDATE}")
        self._rules_with_literals = {**rules, "_": (autolink_literal, *rules["_"])}

    def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
        search, rules = self._special.search, self.rules
        with_literals = (
            self.literals
            and not env["label"]
            and ("@" in src or "://" in src or "ww." in src.lower())
        )
        if with_literals:
            search, rules = self._special_or_literal.search, self._rules_with_literals
        literal = _LITERAL
        if env["places"]:
            rules = self._placed_rules_with_literals if with_literals else self._placed_rules
            literal = _PLACED_LITERAL
            state: InlineState = PlacedState(src, md, env, tokens)
        else:
            state = InlineState(src, md, env, tokens)
        state.reading = search, rules, literal
        self._read(state)
        pair_delimiters(state)
        return state.tokens

    def tokenize(self, state: StateInline) -> None:
        """Read what a plugin's rule has between its markers: its brackets and delimiters pair within it."""
        assert isinstance(state, InlineState)
        outer, state.brackets, inactive = state.brackets, [], state.inactive
        source, state.src = state.src, state.src[: state.posMax]
        state.inactive = 0
        first = len(state.delimiters)
        self._read(state)
        state.brackets, state.inactive, state.src = outer, inactive, source
        _keep_within(state, first)

    def skipToken(self, state: StateInline) -> None:  # noqa: N802
        """Move on behind what stands at a place, for a plugin's rule that looks for its end."""
        assert isinstance(state, InlineState)
        position = state.pos
        if position not in state.cache:
            ahead = state.ahead()
            is_deep = state.level >= MAX_DEPTH
            for rule in () if is_deep else self.rules.get(state.src[position], ()):
                # Its own look ahead would be one of each length; a plugin's rule knows it is no more than that.
                found: Any = rule
                if found(ahead, True) if hasattr(rule, "looks_ahead") else found(ahead):
                    break
                ahead.pos = position
            state.cache[position] = max(ahead.pos, position + 1)
        state.pos = state.cache[position]

    def _read(self, state: InlineState) -> None:
        search, rules, literal = state.reading
        src = state.src
        end = state.posMax
        position = state.pos
        while position < end:
            match = search(src, position, end)
            start = match.start() if match is not None else end
            if start > position:
                state.append_pending(src[position:start])
            if start == end:
                break
            state.pos = start
            character = src[start]
            for rule in rules.get(character, literal):
                if rule(state):
                    break
            else:
                state.append_pending(character)
                state.pos = start + 1
            position = state.pos
        state.pos = position
        if state.pending:
            state.pushPending()

    @cached_property
    def _placed_rules(self) -> Mapping[str, tuple[InlineRule, ...]]:
        return with_places(self.rules)

    @cached_property
    def _placed_rules_with_literals(self) -> Mapping[str, tuple[InlineRule, ...]]:
        return with_places(self._rules_with_literals)


_LITERAL: tuple[InlineRule, ...] = (autolink_literal,)
_PLACED_LITERAL = with_places({"": _LITERAL})[""]


# Code, raw HTML, autolinks and line ends within text, where markdown-it's rules differ.
#
# - Code keeps its line ends, as mdast has them; a renderer shows them as spaces.
# - An autolink keeps its text and URL as written, and any scheme is one.
# - In raw HTML, only tabs, spaces and line ends are white space.
# - Tabs before a line end are dropped, as spaces are; only spaces make a hard break.
# - A backslash that escapes nothing is text and takes nothing with it, so that the spaces after it
#   still count at a line's end.

_BACKTICKS = re.compile(r"`+")

_ESCAPE = re.compile(rf"\\([{ASCII_PUNCTUATION}])")
_BREAK = re.compile(r"\\\n[ \t]*")

_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20\x7f<>]*+)>")
_AUTOLINK_EMAIL = re.compile(
    r"<([\w.!#$%&'*+/=?^`{|}~-]++@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*+)>",
    re.ASCII,
)

_S = r"[ \t\n]"
_ATTRIBUTE = (
    rf"{_S}++[A-Za-z_:][\w.:-]*+"
    rf"(?:{_S}*+={_S}*+(?:[^ \t\n\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?+"
)
_TAG = re.compile(
    rf"<(?:[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+{_S}*+/?>|/[A-Za-z][A-Za-z0-9-]*+{_S}*+>)",
    re.ASCII,
)
_OTHER_HTML = (
    ("<!-->", None),
    ("<!--->", None),
    ("<!--", "-->"),
    ("<![CDATA[", "]]>"),
    ("<?", "?>"),
)
_DECLARATION = re.compile(r"<![A-Za-z]")
_HTML_INDENT = re.compile(r"\n {1,3}")


def escape(state: InlineState) -> bool:
    """Parse a backslash with the escaped punctuation, or line end (a hard break)."""
    if match := _ESCAPE.match(state.src, state.pos):
        state.push("text_special", "", 0).content = match[1]
    elif match := _BREAK.match(state.src, state.pos):
        state.push("hardbreak", "br", 0).map = [state.pos, state.pos + 2]
    else:
        return False
    state.pos = match.end()
    return True


def reference(state: InlineState) -> bool:
    """Parse a character reference such as ``&amp;``."""
    return entity(state, False)


def code(state: InlineState) -> bool:
    """Parse a run of backticks: code up to a run of the same length, or text."""
    src = state.src
    opening = _BACKTICKS.match(src, state.pos)
    assert opening is not None
    if not state.backticksScanned:
        state.backticks = {len(run[0]): run.start() for run in _BACKTICKS.finditer(src)}
        state.backticksScanned = True
    size = opening.end() - opening.start()
    if state.backticks.get(size, -1) > opening.start():
        for run in _BACKTICKS.finditer(src, opening.end()):
            if run.end() - run.start() == size:
                state.push("code_inline", "code", 0).content = unpadded(
                    src[opening.end() : run.start()]
                )
                state.pos = run.end()
                return True
    state.append_pending(opening[0])
    state.pos = opening.end()
    return True


def autolink(state: InlineState) -> bool:
    """Parse ``<scheme:…>`` or ``<name@host>``."""
    if match := _AUTOLINK.match(state.src, state.pos):
        push_link(state, match[1], match[1])
    elif match := _AUTOLINK_EMAIL.match(state.src, state.pos):
        push_link(state, f"mailto:{match[1]}", match[1])
    else:
        return False
    state.pos = match.end()
    return True


def push_link(state: InlineState, url: str, text: str) -> None:
    """Push a link whose text needs no further parsing."""
    token = state.push("literal_link", "", 0)
    token.content = text
    token.meta = {"url": url}


def html(state: InlineState) -> bool:
    """Parse a tag, a comment, an instruction, a declaration or CDATA."""
    end = _html_end(state)
    if end is None:
        return False
    value = state.src[state.pos : end]
    state.push("html_inline", "", 0).content = _HTML_INDENT.sub("\n", value)
    state.pos = end
    return True


def _html_end(state: InlineState) -> int | None:
    src, start = state.src, state.pos
    if match := _TAG.match(src, start):
        return match.end()
    for opening, closing in _OTHER_HTML:
        if src.startswith(opening, start):
            return (
                start + len(opening)
                if closing is None
                else _end_of_next(state, closing, len(opening))
            )
    return _end_of_next(state, ">", 3) if _DECLARATION.match(src, start) else None


def _end_of_next(state: InlineState, closing: str, skipped: int) -> int | None:
    """Return the end of the next ``closing``; its last place is cached, to keep misses cheap."""
    start = state.pos + skipped
    if state.html_terminator_last(closing) < start:
        return None
    return state.src.index(closing, start) + len(closing)


def newline(state: InlineState) -> bool:
    """Parse a line end with the white space around it: a hard break, or just a line end."""
    src = state.src
    pending = state.pending
    kept = pending.rstrip(" \t")
    trail = pending[len(kept) :]
    state.trim_pending(kept)
    if trail.endswith("  ") and "\t" not in trail:
        state.push("hardbreak", "br", 0).map = [state.pos - len(trail), state.pos + 1]
    else:
        state.append_pending("\n")
    position = state.pos + 1
    while src.startswith((" ", "\t"), position):
        position += 1
    state.pos = position
    return True
