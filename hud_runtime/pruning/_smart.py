"""Smart pruning: what of an output is cut, by what kind it is and how full the context is.

In: a tool's output and a level. Out: the same text with lines cut, each place named in one line with the call that
shows what stood there; or nothing, where little could be won. No model is asked, and nothing is looked up: the
same output at the same level is always pruned alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from hud_components import THRESHOLDS, Level, Threshold, Thresholds
from hud_runtime.pressure import Measured, level_of
from hud_runtime.pruning._arrays import elements_in
from hud_runtime.pruning._detectors import DETECTORS, Detector, detector_of
from hud_runtime.pruning._frames import FRAMES, Frames, dispensable
from hud_runtime.pruning._keys import LOOKED_AT, PLACES, SUMMARIES, is_error, same_error
from hud_runtime.pruning._modes import MODES, ORDER, Mode, ModeName, mode_for
from hud_runtime.pruning._output import ToolOutput, output_id
from hud_runtime.pruning._pieces import Cut, lines_of, written
from hud_runtime.pruning._protected import NEVER, is_protected, protected
from hud_runtime.pruning._similar import SHOWN, runs
from ujsx.tokens import estimate_tokens

Why: TypeAlias = Literal["more", "alike", "passed", "libraries", "elements", "long"]
"""Why something was cut."""

WORTH = 100
"""Tokens that must be won, or an output stays as it is: a notice and a call to bring it back cost half of that."""

BEHIND = 3
"""Lines that belong to an error, where they are indented behind it."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """An output of which something was cut."""

    text: str
    """What the model reads in its place."""
    id: str
    """By which the whole is brought back: ``hud output ID``."""
    kind: str
    """The name of its detector."""
    mode: str
    """How hard it was pruned."""
    cuts: tuple[Cut, ...]
    before: int
    """Tokens of the whole."""
    after: int
    """Tokens of what is left, the notices counted."""

    @property
    def won(self) -> int:
        """Tokens that are saved."""
        return self.before - self.after


@dataclass(frozen=True, kw_only=True)
class SmartPruning:
    r"""A policy: how outputs are pruned.

    :param detectors: the kinds of outputs; put your own before the table: ``(MINE, *DETECTORS)``.
    :param frames: the languages whose stack traces are known.
    :param modes: how much is kept.
    :param thresholds: those of the levels; the session's, and without one the table of the library, when None.
    :param never: tools whose answers stay whole, by the names that :func:`protected` takes.
    :param worth: tokens that must be won.
    :raises PruningError: for names of tools that are none.
    :raises PropError: for thresholds that make no table.

    >>> listing = "".join(f"src/module_{number}.py\n" for number in range(400))
    >>> pruned = SmartPruning().prune(ToolOutput(text=listing, tool="Glob"), percentage=50)
    >>> pruned.text.splitlines()[29:32]
    ['src/module_29.py', '… 340 more lines: hud output o-09d9c63f 31-370', 'src/module_370.py']
    """

    detectors: tuple[Detector, ...] = DETECTORS
    frames: tuple[Frames, ...] = FRAMES
    modes: Mapping[ModeName, Mode] = field(default_factory=lambda: MODES)
    thresholds: tuple[Threshold, ...] | None = None
    never: frozenset[str] = NEVER
    worth: int = WORTH

    def __post_init__(self) -> None:
        object.__setattr__(self, "never", protected(self.never))
        if self.thresholds is not None:
            object.__setattr__(self, "thresholds", Thresholds(self.thresholds))

    def level_in(self, session: Measured) -> Level | None:
        """Return the level that holds in a session, by these thresholds or its own; None without a reading."""
        table = self.thresholds
        return level_of(session, None if table is None else Thresholds(table))

    def prune(
        self,
        output: ToolOutput,
        *,
        percentage: float | None = None,
        level: Level | None = None,
        remaining: int | None = None,
        mode: Mode | None = None,
    ) -> Pruned | None:
        """Return what the model is to read of an output; None where it stays as it is.

        :param percentage: the used share of the context, in percent; unknown is as good as empty.
        :param level: the level, where it is known already.
        :param remaining: tokens that are left.
        :param mode: a mode of your own, or that in which the output was pruned before.
        :raises PruningError: for a level that is none.
        """
        if mode is None:
            mode = mode_for(
                percentage,
                level=level,
                remaining=remaining,
                thresholds=THRESHOLDS if self.thresholds is None else self.thresholds,
                modes=self.modes,
            )
        if output.synthetic or is_protected(output, self.never) or output.size < self.worth:
            return None
        name = output_id(output.text)
        pieces, cuts, kind = self._cuts(output, mode)
        if not cuts:
            return None
        text, made = written(pieces, cuts, name)
        after = estimate_tokens(text)
        if output.size - after < self.worth:
            return None
        return Pruned(text, name, kind.name, mode.name, made, output.size, after)

    def _cuts(self, output: ToolOutput, mode: Mode) -> tuple[list[str], dict[int, Why], Detector]:
        """The output in pieces, those of them that go, and why; and what kind it is."""
        lines = lines_of(output.text)
        kind = detector_of(output, lines, self.detectors)
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
            cuts |= dict.fromkeys(_dull(lines, kind, mode), "passed")
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


def _begins(since: ModeName | None, mode: Mode) -> bool:
    return since is not None and ORDER.index(since) <= ORDER.index(mode.name)


def _keys(lines: list[str], kind: Detector, mode: Mode, *, has_errors: bool) -> list[bool]:
    """Which lines stay wherever they stand."""
    keys = [False] * len(lines)
    told: set[str] = set()
    begun: set[str] = set()
    belongs = 0
    for number, line in enumerate(lines):
        if kind.dull is not None and kind.dull.search(line, 0, LOOKED_AT):
            belongs = 0
            continue
        is_key = kind.keys is not None and kind.keys.search(line, 0, LOOKED_AT) is not None
        if not has_errors and kind.breaks_off(line):
            is_key = True
        if has_errors:
            if is_key or is_error(line) or PLACES.search(line, 0, LOOKED_AT):
                same = same_error(line)
                is_key = same not in told
                told.add(same)
                belongs = BEHIND if is_key else 0
            elif belongs and line[:1] in (" ", "\t", "|") and line.strip():
                is_key, belongs = True, belongs - 1
            else:
                belongs = 0
                is_key = SUMMARIES.search(line, 0, LOOKED_AT) is not None
        elif kind.blocks is not None and (match := kind.blocks.search(line, 0, LOOKED_AT)):
            name = next(filter(None, match.groups()), "")
            is_key = is_key or (name not in begun and len(begun) < mode.threshold)
            begun.add(name)
        keys[number] = is_key
    return keys


def _dull(lines: list[str], kind: Detector, mode: Mode) -> Iterable[int]:
    """The lines that go first, but for the first and the last of a run."""
    pattern = kind.dull
    run: list[int] = []
    for number, line in enumerate([*lines, ""]):
        if pattern is not None and number < len(lines) and pattern.search(line, 0, LOOKED_AT):
            run.append(number)
            continue
        if len(run) >= mode.run:
            yield from run[SHOWN:-1]
        run = []


def _middle(cuts: Mapping[int, Why], keys: list[bool], mode: Mode, scale: float) -> Iterable[int]:
    """What stands between the ends of what is left, and is no key."""
    left = [number for number in range(len(keys)) if number not in cuts]
    if not mode.cuts(len(left), scale):
        return ()
    keep = round(mode.keep * scale)
    return [number for number in left[keep:-keep] if not keys[number]]


def _beyond(
    lines: list[str], cuts: Mapping[int, Why], keys: list[bool], size: int, most: int
) -> Iterable[int]:
    """What stands between the ends of an output that has more tokens than any may have."""
    left = [number for number in range(len(lines)) if number not in cuts]
    whole = max(1, sum(map(len, lines)))
    rest = size * sum(len(lines[number]) for number in left) // whole
    if rest <= most:
        return ()
    keep = max(1, len(left) * most // rest // 2)
    return [number for number in left[keep:-keep] if not keys[number]]


def _elements(elements: list[str], mode: Mode) -> dict[int, Why]:
    """Which elements of an array go: those between its ends that tell of no error."""
    inner = range(1 + mode.elements, len(elements) - 1 - mode.elements)
    if len(inner) < mode.elements:
        return {}
    told: set[str] = set()
    cuts: dict[int, Why] = {}
    for number in inner:
        element = elements[number]
        if is_error(element):
            same = same_error(element)
            if same not in told:
                told.add(same)
                continue
        cuts[number] = "elements"
    return cuts


def _long(lines: list[str], mode: Mode) -> tuple[list[str], dict[int, Why]]:
    """Lines in pieces where one of them is too long: its middle goes."""
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
