"""Pruning: the cuts of an output, by its kind and the level of the context; the whole output is stored first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from hud_components import THRESHOLDS
from hud_components.levels import Level, Threshold, Thresholds
from hud_runtime._errors import PruningError
from hud_runtime.context.pruning import _output
from hud_runtime.context.pruning._output import seen
from hud_runtime.log import SessionLog
from hud_runtime.log.pressure import level_of
from hud_runtime.observe.messages import rows
from ujsx.errors import shown
from ujsx.tokens import estimate_tokens

# JSON in pieces: the elements of its largest array.

_MARK = re.compile(r'"(?:[^"\\]++|\\[\s\S])*+(?:"|\\?\Z)|[\[\]{},]')

MOST = 0.5
"""The minimum share of the text that the array must have."""


@dataclass(slots=True)
class _Open:
    kind: str
    start: int
    commas: list[int] = field(default_factory=list[int])


def elements_in(text: str) -> list[str] | None:
    """Return JSON as pieces: the text before the array, each element with its comma, the text after it.

    Joined, they are the text. None for anything but JSON, and if no array has most of the text.

    >>> elements_in('{"items": [1, "a,b", [2, 3]]}')
    ['{"items": [', '1,', ' "a,b",', ' [2, 3]', ']}']
    """
    bare = text.strip()
    if not bare or bare[0] not in "[{" or bare[-1] not in "]}":
        return None
    stack: list[_Open] = []
    best: list[int] = []
    for match in _MARK.finditer(text):
        mark = match[0]
        if mark in "[{":
            stack.append(_Open(mark, match.end()))
        elif mark == ",":
            if stack and stack[-1].kind == "[":
                stack[-1].commas.append(match.end())
        elif mark in "]}":
            if not stack or stack[-1].kind + mark not in ("[]", "{}"):
                return None
            opened = stack.pop()
            is_most = match.start() - opened.start >= MOST * len(bare)
            if mark == "]" and opened.commas and is_most:
                best = max(best, [opened.start, *opened.commas, match.start()], key=len)
    if stack or not best:
        return None
    return [text[start:end] for start, end in zip([0, *best], [*best, len(text)], strict=True)]


# Stack traces: the lines of libraries, and repeated ones.
#
# The frames of five languages, each with the form of a frame, the form of a library's frame, and a
# frame's further lines. A table that a user extends. The user's own frames stay, and so do the
# first and the last of each trace.

MANY = 6
"""Frames of one trace up to which it is unchanged."""


@dataclass(frozen=True, slots=True)
class Frames:
    """The form of a language's frames in a stack trace."""

    name: str
    frame: re.Pattern[str]
    """The first line of a frame."""
    library: re.Pattern[str]
    """The pattern that identifies a library's frame, in any of its lines."""
    more: re.Pattern[str] | None = None
    """The further lines of a frame."""


FRAMES: tuple[Frames, ...] = tuple(
    Frames(name, re.compile(frame), re.compile(library), re.compile(more) if more else None)
    for name, more, frame, library in rows("frames")
)
"""The languages whose traces are known."""


def dispensable(lines: Sequence[str], frames: Sequence[Frames] = FRAMES) -> Iterator[int]:
    """Yield the indexes of the lines that a reader of the traces does not need.

    >>> own = ['  File "a.py", line 1, in a', "    b()"]
    >>> lib = ['  File "/x/site-packages/b.py", line 1, in b', "    c()"]
    >>> [*dispensable(["Traceback:", *own, *lib * 8, *own, "ValueError: x"])]
    [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]
    """
    place = 0
    while place < len(lines):
        kind = next((each for each in frames if seen(each.frame, lines[place])), None)
        if kind is None:
            place += 1
            continue
        found, place = _trace(lines, place, kind)
        if len(found) > MANY:
            yield from _without(lines, found, kind)


def _trace(lines: Sequence[str], start: int, kind: Frames) -> tuple[list[range], int]:
    """The frames of the trace that begins at a line, and its end."""
    found: list[range] = []
    place = start
    while place < len(lines) and seen(kind.frame, lines[place]):
        end = place + 1
        while end < len(lines) and seen(kind.more, lines[end]) and not seen(kind.frame, lines[end]):
            end += 1
        found.append(range(place, end))
        place = end
    return found, place


def _without(lines: Sequence[str], found: Sequence[range], kind: Frames) -> Iterator[int]:
    told: set[tuple[str, ...]] = set()
    for number, frame in enumerate(found):
        said = tuple(lines[each] for each in frame)
        is_library = any(seen(kind.library, each) for each in said)
        if 0 < number < len(found) - 1 and (is_library or said in told):
            yield from frame
        told.add(said)


# Lines that differ only in numbers: runs of them, including repeated groups of several lines.

PERIODS = 6
"""Maximum lines of a repeated group."""

SHOWN = 3
"""Groups that stay at a run's beginning; one stays at its end."""

_SHAPE = re.compile(
    r"(?P<path>(?<![\w.@~/\\-])(?:[A-Za-z]:)?[\w.@~-]*+[/\\][\w.@~/\\+-]++)|(?P<hash>\b(?=[a-f]*+\d)[\da-f]{7,}+\b)|(?P<text>\"[^\"\n]*+\"|'[^'\n]*+')|(?P<number>\d++(?:[.,:]\d++)*+)"
    r"|(?P<bar>[=#.\-*━█▓▒░>]{3,}+)|(?P<space>[ \t]{2,}+)"
)
"""The varying parts of similar lines: paths, hashes, quoted texts, numbers, progress bars."""


def shape(line: str) -> str:
    """Return a line without the parts that vary in similar lines.

    A line without other words, such as a row of figures or a path alone, is similar only to itself.

    >>> shape("Copied src/a.py (12 KB)") == shape("Copied lib/b.py (340 KB)")
    True
    """
    bare = line[: _output.LOOKED_AT].strip()
    made = _SHAPE.sub(_kind, bare)
    return made if _WORD.search(_SHAPE.sub("", bare)) else bare


_WORD = re.compile(r"[^\W\d_]{3}")
"""Three letters: a word."""


def _kind(match: re.Match[str]) -> str:
    return f"<{match.lastgroup}>"


def runs(lines: Sequence[str], least: int, taken: Sequence[bool]) -> Iterator[range]:
    """Yield the runs of lines that can be omitted because the neighboring lines are similar.

    :param least: the minimum number of similar lines.
    :param taken: the lines that stay in any case, and interrupt runs.

    >>> lines = [f"copied {n}.txt" for n in range(20)] + ["done"]
    >>> [*runs(lines, 8, [False] * 21)]
    [range(3, 19)]
    """
    shapes = [
        None if is_taken else shape(line) for line, is_taken in zip(lines, taken, strict=True)
    ]
    place = 0
    alike = [_repeats(shapes, period) for period in range(1, PERIODS + 1)]
    while place < len(lines):
        for period, ends in enumerate(alike, start=1):
            end = ends[place]
            if end - place >= max(least, (SHOWN + 2) * period):
                whole = place + (end - place) // period * period
                yield range(place + SHOWN * period, whole - period)
                place = whole
                break
        else:
            place += 1


def _repeats(shapes: Sequence[str | None], period: int) -> list[int]:
    """For each line, the end of the repetitions with this period that begin there."""
    ends = [0] * len(shapes)
    end = len(shapes)
    for place in range(len(shapes) - 1, -1, -1):
        behind = place + period
        if shapes[place] is None:
            end = place
        elif behind >= len(shapes) or shapes[behind] is None or shapes[place] != shapes[behind]:
            end = min(behind, len(shapes)) if behind <= len(shapes) else place + 1
            if None in shapes[place : min(behind, len(shapes))]:
                end = place + 1
        ends[place] = max(end, place + 1)
    return ends


Why: TypeAlias = Literal["more", "alike", "passed", "libraries", "elements", "long"]
"""The reason for a cut."""

WORTH = 100
"""Minimum tokens to save: a notice and a call to retrieve the output cost half of that."""

BEHIND = 3
"""Maximum indented lines after an error that belong to it."""


@dataclass(frozen=True, slots=True)
class PrunedOutput:
    """An output with cuts."""

    text: str
    """The text for the model."""
    id: str
    """The id that retrieves the whole output: ``hud output ID``."""
    kind: str
    """The name of its detector."""
    mode: str
    """The mode in which it was pruned."""
    cuts: tuple[_output.Cut, ...]
    before: int
    """Tokens of the whole output."""
    after: int
    """Tokens of the rest, including the notices."""

    @property
    def won(self) -> int:
        """The number of saved tokens."""
        return self.before - self.after


@dataclass(frozen=True, kw_only=True)
class SmartPruning:
    r"""A policy of pruning outputs.

    :param detectors: the kinds of outputs; put your own before the table: ``(MINE, *DETECTORS)``.
    :param frames: the languages whose stack traces are known.
    :param modes: the amounts kept.
    :param thresholds: the limits of the levels; None for the session's, and without a session the library's.
    :param never: tools whose answers stay whole, by the names that :func:`protected` takes.
    :param worth: the minimum number of tokens to save.
    :raises PruningError: for invalid names of tools.
    :raises PropError: for invalid thresholds.

    >>> listing = "".join(f"src/module_{number}.py\n" for number in range(400))
    >>> pruned = SmartPruning().prune(_output.ToolOutput(text=listing, tool="Glob"), percentage=50)
    >>> pruned.text.splitlines()[29:32]
    ['src/module_29.py', '… 340 more lines: hud output o-09d9c63f 31-370', 'src/module_370.py']
    """

    detectors: tuple[_output.Detector, ...] = _output.DETECTORS
    frames: tuple[Frames, ...] = FRAMES
    modes: Mapping[_output.ModeName, _output.Mode] = field(default_factory=lambda: _output.MODES)
    thresholds: tuple[Threshold, ...] | None = None
    never: frozenset[str] = _output.NEVER
    worth: int = WORTH

    def __post_init__(self) -> None:
        object.__setattr__(self, "never", _output.protected(self.never))
        if self.thresholds is not None:
            object.__setattr__(self, "thresholds", Thresholds(self.thresholds))

    def level_in(self, session: SessionLog[Any]) -> Level | None:
        """Return the level of a session, by these thresholds or its own; None without a reading."""
        table = self.thresholds
        return level_of(session, None if table is None else Thresholds(table))

    def prune(
        self,
        output: _output.ToolOutput,
        *,
        percentage: float | None = None,
        level: Level | None = None,
        mode: _output.Mode | None = None,
    ) -> PrunedOutput | None:
        """Return the pruned output; None if it is unchanged.

        :param percentage: the used share of the context, in percent; None counts as empty.
        :param level: the level, if known.
        :param mode: your own mode, or the one in which the output was pruned before.
        :raises PruningError: for an unknown level.
        """
        if mode is None:
            mode = _output.mode_for(
                percentage,
                level=level,
                thresholds=THRESHOLDS if self.thresholds is None else self.thresholds,
                modes=self.modes,
            )
        if output.synthetic or _output.is_protected(output, self.never) or output.size < self.worth:
            return None
        name = _output.output_id(output.text)
        pieces, cuts, kind = self._cuts(output, mode)
        if not cuts:
            return None
        text, made = _output.written(pieces, cuts, name)
        after = estimate_tokens(text)
        if output.size - after < self.worth:
            return None
        return PrunedOutput(text, name, kind.name, mode.name, made, output.size, after)

    def _cuts(
        self, output: _output.ToolOutput, mode: _output.Mode
    ) -> tuple[list[str], dict[int, Why], _output.Detector]:
        """The output in pieces, the reasons for those that are omitted, and its kind."""
        lines = _output.lines_of(output.text)
        kind = _output.detector_of(output, lines, self.detectors)
        if _begins(kind.similar, mode):
            elements = elements_in(output.text)
            if elements is not None:
                return elements, _elements(elements, mode), kind
        cuts: dict[int, Why] = {}
        has_errors = kind.has_errors or output.failed
        keys = _keys(lines, kind, mode, has_errors=has_errors)
        if has_errors:
            cuts |= dict.fromkeys(dispensable(lines, self.frames), "libraries")
        if kind.dull is not None:
            cuts |= dict.fromkeys(_dull(lines, keys, kind, mode), "passed")
        if _begins(kind.similar, mode):
            taken = [number in cuts or key for number, key in enumerate(keys)]
            for run in runs(lines, mode.run, taken):
                cuts |= dict.fromkeys(run, "alike")
        if _begins(kind.ends, mode):
            cuts |= dict.fromkeys(_middle(cuts, keys, mode, kind.scale), "more")
        cuts |= dict.fromkeys(_beyond(lines, cuts, keys, output.size, mode.most), "more")
        if not cuts:
            pieces, long = _long(lines, mode)
            if kind.similar is not None or output.size > mode.most:
                return pieces, long, kind
        return lines, cuts, kind


def _begins(since: _output.ModeName | None, mode: _output.Mode) -> bool:
    return since is not None and _output.ORDER.index(since) <= _output.ORDER.index(mode.name)


def _keys(
    lines: list[str], kind: _output.Detector, mode: _output.Mode, *, has_errors: bool
) -> list[bool]:
    """The lines that stay at any position."""
    keys = [False] * len(lines)
    told: set[str] = set()
    begun: set[str] = set()
    numbers = sum(_output.NUMBERED.match(line) is not None for line in lines)
    has_titles = 0 < numbers <= len(lines) // 4
    odd = _odd(lines)
    behind = 0  # the first line that no error before it has claimed
    for number, line in enumerate(lines):
        if seen(kind.dull, line) and number not in odd and not _output.ALARMS.match(line):
            continue
        is_key = seen(kind.keys, line)
        is_title = has_titles and _output.NUMBERED.match(line) is not None
        if has_errors:
            is_told = is_key or is_title or _output.is_error(line) or seen(_output.PLACES, line)
        else:
            is_headed = _is_traced(lines, number + 1) and _output.is_error(line)
            is_told = is_title or is_headed or kind.breaks_off(line)
        if is_told:
            same = _output.same_error(line)
            is_new = same not in told
            told.add(same)
            trace = [] if number < behind else _trace_of(lines, number)
            fresh = [each for each in trace if _output.same_error(lines[each]) not in told]
            told.update(_output.same_error(lines[each]) for each in fresh)
            # A title such as "Traceback" is repeated; its frames may be new.
            keys[number] = keys[number] or is_new or bool(fresh) or (is_key and not has_errors)
            for each in (*fresh, *(_details_of(lines, number) if is_new else ())):
                keys[each] = True
            behind = max(behind, trace[-1] + 1 if trace else 0)
            continue
        if has_errors:
            is_key = seen(_output.SUMMARIES, line)
        elif kind.blocks is not None and (match := kind.blocks.search(line, 0, _output.LOOKED_AT)):
            name = next(filter(None, match.groups()), "")
            is_key = is_key or (name not in begun and len(begun) < mode.threshold)
            begun.add(name)
        keys[number] = keys[number] or is_key or number in odd
    return keys


FEW = 12
"""At most one line in so many may be unlike all others; with more, the output has no common form."""

RARE = 2
"""Lines of one form that count as odd among many of others."""


def _odd(lines: Sequence[str], form: Callable[[str], str] | None = None) -> frozenset[int]:
    """The lines unlike all others of an output whose lines mostly share a form: a program's last words,
    in any language.

    >>> sorted(_odd([*(f"src/a_{n}.py" for n in range(60)), "Too many open files"]))
    [60]
    """
    forms = [(form or _form)(line) for line in lines]
    counts = Counter(forms)
    found = [number for number, each in enumerate(forms) if each and counts[each] <= RARE]
    return frozenset(found if len(found) <= max(RARE + 1, len(lines) // FEW) else ())


def _form(line: str) -> str:
    """The form of a line: the marks and the case of its first part, a letter for each further one that
    is a word, and a dash for each other one.
    """
    first, *others = line[: _output.LOOKED_AT].split() or [""]
    marks = {"0" if each.isdigit() else each for each in first if not each.isalpha()}
    case = "" if others else "A" if first.isupper() else "a" if first.islower() else "Aa"
    return "".join([*sorted(marks), case, *("a" if each.isalpha() else "-" for each in others)])


_MEMBER = re.compile(r'"[^"\\\n]{1,60}"(?=\s*:)')


def _members(element: str) -> str:
    """The form of an array's element: the names of its members."""
    return "".join(_MEMBER.findall(element[: _output.LOOKED_AT])) or _form(element)


TRACE_ENDS = (8, 12)
"""Lines of a trace that stay at its beginning and at its end."""


def _trace_of(lines: list[str], number: int) -> list[int]:
    """The lines of the trace after an error: those at its ends, and the exception's own."""
    place = number + 1
    # The message may have a line of its own: "panicked at src/main.rs:3:5:".
    place += lines[number].rstrip().endswith(":") and not _is_traced(lines, place)
    start = place
    is_python = False
    while place < len(lines):
        if not _is_traced(lines, place):
            is_gap = not lines[place].strip() and _is_traced(lines, place + 1)
            if not is_gap and not (is_python and _output.SOURCE.match(lines[place])):
                break
        is_python = is_python or lines[place].lstrip(" \t|").startswith('File "')
        place += 1
    if is_python and place < len(lines):
        place += 1
    elif place == start:
        return [*range(number + 1, min(start, len(lines)))]
    found = [*range(number + 1, place)]
    first, last = TRACE_ENDS
    return found if len(found) <= first + last else [*found[:first], *found[-last:]]


def _is_traced(lines: list[str], number: int) -> bool:
    return (
        number < len(lines)
        and _output.TRACED.match(lines[number], 0, _output.LOOKED_AT) is not None
    )


def _details_of(lines: list[str], number: int) -> Iterator[int]:
    """The first lines that are indented after an error."""
    for each in range(number + 1, min(number + 1 + BEHIND, len(lines))):
        if lines[each][:1] not in (" ", "\t", "|") or not lines[each].strip():
            return
        yield each


def _dull(
    lines: list[str], keys: list[bool], kind: _output.Detector, mode: _output.Mode
) -> Iterable[int]:
    """The lines that are omitted first, except the first and the last of a run."""
    run: list[int] = []
    for number, line in enumerate([*lines, ""]):
        if number < len(lines) and not keys[number] and seen(kind.dull, line):
            run.append(number)
            continue
        if len(run) >= mode.run:
            yield from run[SHOWN:-1]
        run = []


def _middle(
    cuts: Mapping[int, Why], keys: list[bool], mode: _output.Mode, scale: float
) -> Iterable[int]:
    """The lines between the ends of the rest, except key lines."""
    left = [number for number in range(len(keys)) if number not in cuts]
    if not mode.cuts(len(left), scale):
        return ()
    keep = round(mode.keep * scale)
    return [number for number in left[keep:-keep] if not keys[number]]


def _beyond(
    lines: list[str], cuts: Mapping[int, Why], keys: list[bool], size: int, most: int
) -> Iterable[int]:
    """The lines between the ends of an output that exceeds the maximum tokens of any."""
    left = [number for number in range(len(lines)) if number not in cuts]
    whole = max(1, sum(map(len, lines)))
    rest = size * sum(len(lines[number]) for number in left) // whole
    if rest <= most:
        return ()
    keep = max(1, len(left) * most // rest // 2)
    return [number for number in left[keep:-keep] if not keys[number]]


def _elements(elements: list[str], mode: _output.Mode) -> dict[int, Why]:
    """The elements of an array that are omitted: those between its ends without errors, in a common form."""
    inner = range(1 + mode.elements, len(elements) - 1 - mode.elements)
    if len(inner) < mode.elements:
        return {}
    told: set[str] = set()
    cuts: dict[int, Why] = {}
    odd = _odd(elements, _members)
    for number in inner:
        element = elements[number]
        if number in odd:
            continue
        if _output.is_error(element):
            same = _output.same_error(element)
            if same not in told:
                told.add(same)
                continue
        cuts[number] = "elements"
    return cuts


def _long(lines: list[str], mode: _output.Mode) -> tuple[list[str], dict[int, Why]]:
    """Lines in pieces if one of them is too long: its middle is omitted."""
    pieces: list[str] = []
    cuts: dict[int, Why] = {}
    for line in lines:
        if len(line) <= mode.longest:
            pieces.append(line)
            continue
        end = mode.longest // 3
        cuts[len(pieces) + 1] = "long"
        pieces += [line[:end], line[end:-end], line[-end:]]
    return pieces, cuts


# Old outputs that need not be read again, and are omitted as a whole.
#
# The rule is OpenCode's: so many tokens of the newest outputs are protected. Older ones are
# omitted, but only if that saves enough to justify that a provider reads the history again. Some
# tools' answers are never omitted.

PROTECT = 40_000
"""Tokens of the newest outputs that stay (OpenCode's PRUNE_PROTECT)."""

MINIMUM = 20_000
"""Minimum tokens to save (OpenCode's PRUNE_MINIMUM)."""

TURNS = 2
"""The user's newest turns, including the current one, whose outputs stay: as in OpenCode."""


@dataclass(frozen=True, kw_only=True)
class OldOutputs:
    """A policy of omitting old outputs as a whole.

    :param protect: tokens of the newest outputs that stay.
    :param minimum: the minimum number of tokens to save.
    :param turns: the user's newest turns whose outputs stay; 0 if turns are unknown.
    :param never: tools whose outputs stay, by the names that :func:`protected` takes.
    :param enabled: False disables it.
    :raises PruningError: for a figure below 0, and for invalid names of tools.

    >>> outputs = [_output.ToolOutput(id=f"{n}", text=f"{n} " * 10_000, tokens=10_000) for n in range(8)]
    >>> [each.id for each in OldOutputs().gone(outputs)]
    ['0', '1', '2', '3']
    >>> OldOutputs().gone(outputs[3:]), OldOutputs(enabled=False).gone(outputs)
    ((), ())
    """

    protect: int = PROTECT
    minimum: int = MINIMUM
    turns: int = TURNS
    never: frozenset[str] = _output.NEVER
    enabled: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "never", _output.protected(self.never))
        for name in ("protect", "minimum", "turns"):
            figure: object = getattr(self, name)
            if not isinstance(figure, int) or figure < 0:
                raise PruningError(f"{name} must be an integer of 0 or more, not {shown(figure)}")

    def gone(
        self,
        outputs: Iterable[_output.ToolOutput],
        before: Collection[str] = (),
        *,
        unread: int = 1,
    ) -> tuple[_output.ToolOutput, ...]:
        """Return the outputs to omit now, oldest first.

        :param outputs: all of a session, oldest first.
        :param before: the ids of those already omitted; they are not returned again, and save nothing.
        :param unread: the number of the newest that the model has not read: these stay, whatever their size.
        """
        known = [*outputs]
        if not self.enabled or not known:
            return ()
        newest = known[-1].turn
        is_told = newest > 0  # without turns, all outputs are in one
        protected = won = 0
        found: list[_output.ToolOutput] = []
        for place, each in enumerate(reversed(known)):
            if each.id in before:
                continue
            if place < unread or (is_told and each.turn > newest - self.turns):
                protected += each.size
                continue
            if each.synthetic or _output.is_protected(each, self.never):
                continue
            if protected + each.size <= self.protect:
                protected += each.size
                continue
            protected = self.protect
            gain = each.size - estimate_tokens(gone_text(each))
            if gain > 0:
                won += gain
                found.append(each)
        return tuple(reversed(found)) if won >= self.minimum else ()


def gone_text(output: _output.ToolOutput) -> str:
    r"""Return the text in place of an omitted output.

    >>> gone_text(_output.ToolOutput(text="a\nb\n", tool="Read"))
    '… 2 lines of Read, 2 tokens, cut because they are old: hud output o-911169dd'
    """
    lines = output.text.count("\n") + (not output.text.endswith("\n"))
    call = _output.CALL.format(id=_output.output_id(output.text))
    tool = "".join(each for each in output.tool if each.isprintable())[:60]
    return (
        f"… {lines:,} lines{f' of {tool}' if tool else ''}, {output.size:,} tokens, cut because they"
        f" are old: {call}"
    )


OLD = "old"
"""The mode of an omitted output."""


@dataclass(frozen=True, kw_only=True)
class Pruning:
    r"""A host's settings of pruning: ``prune=Pruning(old=None)``; ``prune=True`` is the default of all.

    :param smart: prunes each new output; None to leave them whole.
    :param old: omits old outputs if a host passes its whole history; None to keep them.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     listing = "".join(f"src/module_{number}.py\n" for number in range(400))
    ...     text = Pruning().new(session, _output.ToolOutput(text=listing, tool="Glob"))
    ...     print(text.splitlines()[30])
    ...     session.output("o-09d9c63f").text == listing
    … 340 more lines: hud output o-09d9c63f 31-370
    True
    """

    smart: SmartPruning | None = field(default_factory=SmartPruning)
    old: OldOutputs | None = field(default_factory=OldOutputs)

    def new(self, session: SessionLog[Any], output: _output.ToolOutput) -> str:
        """Return the pruned text of a new output, after storing the whole.

        If it cannot be stored, the store's error is raised.
        """
        smart = self.smart
        pruned = None if smart is None else smart.prune(output, level=smart.level_in(session))
        if pruned is None:
            return output.text
        session.keep_output(pruned.id, output.text, tool=output.tool, mode=pruned.mode)
        return pruned.text

    def all_of(
        self, session: SessionLog[Any], outputs: Sequence[_output.ToolOutput], *, new: int = 0
    ) -> tuple[str, ...]:
        """Return the pruned text of each output of a history, oldest first.

        :param new: the index of the first one that the model has not read.
        :raises StoreError: if one cannot be stored; then none of these is pruned.
        """
        modes = {each.id: each.mode for each in session.outputs()}
        shown: list[str] = []
        for number, output in enumerate(outputs):
            mode = modes.get(_output.output_id(output.text)) if modes else None
            if mode is not None:
                shown.append(self._again(output, mode))
            else:
                shown.append(self.new(session, output) if number >= new else output.text)
        return self._without_old(session, outputs, shown, max(1, len(outputs) - new))

    def _without_old(
        self,
        session: SessionLog[Any],
        outputs: Sequence[_output.ToolOutput],
        shown: list[str],
        unread: int,
    ) -> tuple[str, ...]:
        if self.old is None:
            return tuple(shown)
        gone = {str(n) for n, each in enumerate(outputs) if shown[n] == gone_text(each)}
        seen = [
            replace(
                each, text=text, id=str(number), tokens=each.tokens if text == each.text else None
            )
            for number, (each, text) in enumerate(zip(outputs, shown, strict=True))
        ]
        for each in self.old.gone(seen, gone, unread=unread):
            whole = outputs[int(each.id)]
            session.keep_output(
                _output.output_id(whole.text), whole.text, tool=whole.tool, mode=OLD
            )
            shown[int(each.id)] = gone_text(whole)
        return tuple(shown)

    def _again(self, output: _output.ToolOutput, mode: str) -> str:
        """The text that was shown of an output before."""
        if mode == OLD:
            return gone_text(output)
        if self.smart is None or mode not in _output.MODES:
            return output.text
        pruned = self.smart.prune(output, mode=_output.mode_named(mode, self.smart.modes))
        return output.text if pruned is None else pruned.text
