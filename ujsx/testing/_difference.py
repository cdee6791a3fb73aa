"""Differences of renderings at the tiers of a test, line by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import chain, zip_longest
from types import MappingProxyType
from typing import Any, cast

import msgspec

from ujsx import Density
from ujsx._density import DensityLike
from ujsx.errors import SnapshotError, shown
from ujsx.rendering import token_budget
from ujsx.text import visible

# The tiers of a test: densities or budgets, and the intended tokens of each.

TIER_TOKENS: Mapping[Density, tuple[int, int]] = MappingProxyType(
    {Density.FULL: (300, 500), Density.COMPACT: (100, 150), Density.MINIMAL: (30, 50)}
)
"""The intended range of tokens of a HUD at each density, in a typical session.

The figures are from the HUD's design documents. They are aims for a whole HUD, and not limits: floors are not counted,
and your own component takes a part of them.
"""


@dataclass(frozen=True, slots=True)
class SnapshotTier:
    """One way to render the subject of a test."""

    name: str
    """Its part of file names: ``compact``, ``budget-300``."""

    how: Mapping[str, Any]
    """Its rendering argument."""

    mode: str = ""
    """The name of its mode; empty for the default words."""

    @property
    def budget(self) -> int | None:
        """Its token budget; None for a density."""
        return self.how.get("budget")

    @classmethod
    def at(cls, density: DensityLike) -> SnapshotTier:
        """Return the tier of a density."""
        one = Density.of(density)
        return cls(one.value, {"density": one})

    @classmethod
    def within(cls, budget: int) -> SnapshotTier:
        """Return the tier of a budget.

        :raises RenderError: for an invalid number of tokens.
        """
        token_budget(budget)
        return cls(f"budget-{budget}", {"budget": budget})


def tiers(
    densities: Iterable[DensityLike] | None,
    budget: int | Iterable[int] | None,
    modes: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[SnapshotTier, ...]:
    """Return the requested tiers; by default all densities.

    :param modes: words by mode name; each tier is repeated in each mode.
    :raises SnapshotError: for both densities and budgets, for none of either, and for modes that are not words by
        names.

    >>> [tier.name for tier in tiers(None, None)], [tier.name for tier in tiers(None, [100, 300])]
    (['minimal', 'compact', 'full'], ['budget-100', 'budget-300'])
    >>> [tier.name for tier in tiers("full", None, {"de": {"notes.title": "Notizen"}})]
    ['full', 'de.full']
    """
    if budget is not None and densities is not None:
        raise SnapshotError(
            "give densities= or budget=; a budget under a ceiling is one of "
            "partial(render_document, node, density=…)"
        )
    if budget is None:
        wanted = tuple(map(SnapshotTier.at, Density if densities is None else _several(densities)))
    else:
        wanted = tuple(map(SnapshotTier.within, _several(budget)))
    if not wanted:
        raise SnapshotError("there is nothing to compare: no density and no budget is given")
    _check_modes(modes)
    pairs = ((name, tier) for name in modes or () for tier in wanted)
    spoken = [replace(tier, name=f"{name}.{tier.name}", mode=name) for name, tier in pairs]
    return (*wanted, *spoken)


def _check_modes(modes: object) -> None:
    given: Any = modes or {}
    pairs: Any = given.items() if isinstance(modes or {}, Mapping) else [(modes, None)]
    for name, words in pairs:
        is_named = isinstance(name, str) and _MODE.fullmatch(name)
        if not is_named or not isinstance(words, Mapping):
            raise SnapshotError(
                'modes= takes words by the names of modes, such as {"no-emoji": NO_EMOJI}; a name has letters, digits, '
                f"- and _; not {shown(modes)}"
            )


_MODE = re.compile(r"(?!budget-\d)[\w-]+")
"""The pattern of mode names, which precede the tier in file names."""


def _several(given: Any) -> Iterable[Any]:
    """Return the given collection, or a single value as one; a text is a single value."""
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    return cast("Iterable[Any]", (given,) if is_one else given)


@dataclass(frozen=True, slots=True)
class TierTokens:
    """The tokens of a tier in its snapshots and in their renderings."""

    tier: str
    before: int | None
    """None without a snapshot."""

    after: int

    @property
    def meant(self) -> tuple[int, int] | None:
        """The intended range of tokens of a whole HUD at the tier, in any mode; None for a text without a tier."""
        name = self.tier.rpartition(".")[2]
        budget = name.removeprefix("budget-")
        return (0, int(budget)) if budget != name else TIER_TOKENS.get(cast("Density", name))


def tokens_table(rows: Sequence[TierTokens], *, is_one: bool = True) -> str:
    """Return the tokens of tiers as a table, with the intended ranges.

    The ranges of a whole HUD are omitted for a subject that is smaller at each density.

    :param is_one: whether the rows are of one case; the ranges do not apply to sums of several.

    >>> print(tokens_table([TierTokens("compact", 12, 140), TierTokens("budget-9", None, 9)]))
    tokens    before  after  meant
    compact       12    140  100–150
    budget-9       –      9  at most 9
    >>> print(tokens_table([TierTokens("de.compact", 18, 19)]))
    tokens      before  after
    de.compact      18     19
    """
    sizes = [(each, size) for each in rows for size in (each.before, each.after)]
    is_told = is_one and any(
        size is not None and each.meant is not None and size >= each.meant[0]
        for each, size in sizes
    )
    cells = [
        (each.tier, "–" if each.before is None else f"{each.before:,}", f"{each.after:,}")
        for each in rows
    ]
    header = ("tokens", "before", "after")
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    meant = (
        ["  meant", *(f"  {_meant(each)}" for each in rows)] if is_told else [""] * (len(rows) + 1)
    )
    return "\n".join(
        f"{name:<{widths[0]}}  {before:>{widths[1]}}  {after:>{widths[2]}}{aim}"
        for (name, before, after), aim in zip([header, *cells], meant, strict=True)
    )


def _meant(row: TierTokens) -> str:
    if row.meant is None:
        return "–"
    least, most = row.meant
    return f"{least:,}–{most:,}" if least else f"at most {most:,}"


NAMED = 3
"""The most cases, sections, lines or files that are named."""

_TRAILING: dict[int, str] = {ord(" "): "·", ord("\t"): "→"}
"""Marks that make white space at the end of a changed line visible."""

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")

_HEADING = re.compile(r"#{1,6} +(?P<title>.*)")


class LineChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A changed line."""

    before: str | None
    """The snapshot's line; None for a new line."""

    after: str | None
    """The rendering's line; None for a removed line."""

    section: str = msgspec.field(default="")
    """Its section, if known."""

    above: str = ""
    """The nearest unchanged line above it that is not blank."""

    @property
    def lines(self) -> tuple[str | None, str | None]:
        """The two lines, by which equal changes are recognized."""
        return self.before, self.after

    def __str__(self) -> str:
        both = (("-", self.before), ("+", self.after))
        return "\n".join(
            f"  {sign} {_with_visible_end(line)}".rstrip()
            for sign, line in both
            if line is not None
        )

    @property
    def words(self) -> tuple[object, ...]:
        """The replaced words of a changed line; otherwise both lines."""
        if self.before is None or self.after is None:
            return self.lines
        old, new = _WORDS.findall(self.before), _WORDS.findall(self.after)
        matcher = SequenceMatcher(None, old, new, autojunk=False)
        found = (
            (old[a:b], new[c:d]) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"
        )
        return tuple(dict.fromkeys(("".join(before), "".join(after)) for before, after in found))


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """A snapshot, and the mismatches of a rendering."""

    case: str
    tier: str
    path: str
    """The snapshot's file, from pytest's root directory."""

    after: int
    """Tokens of the rendering."""

    before: int | None = None
    """Tokens of the snapshot; None where there is none."""

    changes: tuple[LineChange, ...] = ()

    text: str = ""
    """The rendering, if there is no snapshot."""

    problem: str = ""
    """The failure, if not a changed text: a missing snapshot, an exceeded budget or agreed figure."""

    shows_nothing: bool = False
    """True if the rendering has only headings."""

    @property
    def place(self) -> tuple[str, str]:
        """The folder and the case: the sort key for the differences of many tests."""
        return self.path.rpartition("/")[0], self.case

    @property
    def is_failure(self) -> bool:
        """True for a failure; matching tiers are listed beside failing ones, for their tokens."""
        return bool(self.before is None or self.changes or self.problem)


def line_changes(
    before: str, after: str, section_at: Callable[[int], str] = lambda _: ""
) -> tuple[LineChange, ...]:
    r"""Return the changes that turn one text into another.

    :param section_at: returns the section at a place in ``after``, in characters; the nearest heading is the fallback.

    >>> for each in line_changes("# Notes\n\n- one\n- two\n", "# Notes\n\n- one\n- three \n"):
    ...     print(each.section, each.above, each, sep="\n")
    Notes
    - one
      - - two
      + - three·
    """
    old, new = _lines(before), _lines(after)
    starts = [0]
    for line in new:
        starts.append(starts[-1] + len(line) + 1)
    found: list[LineChange] = []
    blank: list[LineChange] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        above = next((line for line in reversed(old[:start]) if line.strip()), "")
        place = new_start
        for gone, come in _paired(old[start:end], new[new_start:new_end]):
            section = (
                _heading(old[:start])
                if come is None
                else section_at(starts[place]) or _heading(new[: place + 1])
            )
            change = LineChange(gone, come, section, above)
            (found if (gone or "").strip() or (come or "").strip() else blank).append(change)
            place += come is not None
    return tuple(found or blank)


def report(differences: Sequence[Difference], *, is_accepted: bool = False) -> str:
    r"""Return the differences, each change once, with the tokens of the tiers before and after.

    :param is_accepted: whether the snapshots are already written, so that nothing is left to accept.

    >>> both = [Difference(name, "full", f"{name}.full.md", 3, 3, line_changes("# A\n", "# B\n")) for name in "xy"]
    >>> print(report(both))
    B: 2 snapshots of 2 cases (full), such as x.full.md
      - # A
      + # B
    tokens  before  after
    full         6      6
    pytest --snapshot-update accepts it
    """
    changed = [each for each in differences if each.changes]
    parts = [*_problems(differences), *_silent(changed)]
    parts += [
        _entry(changes, them)
        for changes, them in _entries([each for each in changed if not each.shows_nothing])
    ]
    parts.append(_tokens(differences))
    if changed and not is_accepted:
        parts.append("pytest --snapshot-update accepts it")
    return visible("\n".join(parts))  # a file may contain terminal controls


def _problems(differences: Iterable[Difference]) -> Iterator[str]:
    """Yield each problem once; for one of many snapshots, the first are named."""
    found: dict[str, list[Difference]] = {}
    for each in differences:
        if each.problem:
            found.setdefault(each.problem, []).append(each)
    missing = [each for each in differences if each.before is None and not each.problem]
    if missing:
        yield from _missing(missing)
    for problem, them in found.items():
        more = f" ({_counted(them)})" if len(them) > 1 else ""
        yield f"{them[0].case}, {them[0].tier}: {problem}{more}"


def _missing(them: Sequence[Difference]) -> Iterator[str]:
    is_one = len(them) == 1
    does, written = ("does", "it") if is_one else ("do", "them")
    yield f"{_first_names([each.path for each in them])} {does} not exist; pytest --snapshot-update writes {written}"
    empty = [each for each in them if each.shows_nothing]
    if empty:
        yield f"nothing is shown in {_counted(empty)}, such as {empty[0].path}"
    if len(them) <= NAMED:
        yield from (f"{each.tier}:\n{each.text or '(nothing)'}" for each in them)


def _silent(differences: Iterable[Difference]) -> Iterator[str]:
    """Return the message about renderings that became empty, instead of their removed lines."""
    them = [each for each in differences if each.shows_nothing]
    if not them:
        return
    yield f"nothing is shown any more in {_counted(them)}, such as {them[0].path}:"
    lines = [str(each) for each in them[0].changes if each.before is not None]
    yield from lines[:NAMED]
    if len(lines) > NAMED:
        yield f"  … {len(lines) - NAMED:,} more lines"


_Group = tuple[list[LineChange], list[Difference]]


def _entries(differences: Sequence[Difference]) -> Iterator[_Group]:
    """Yield changes with their snapshots: adjacent changes of the same snapshots together."""
    seen: dict[tuple[str | None, str | None], tuple[LineChange, dict[int, None]]] = {}
    for number, each in enumerate(differences):
        for change in each.changes:
            seen.setdefault(change.lines, (change, {}))[1][number] = None
    alike: dict[tuple[object, ...], list[tuple[LineChange, dict[int, None]]]] = {}
    for one in seen.values():
        alike.setdefault(one[0].words, []).append(one)
    last: tuple[list[LineChange], list[int]] | None = None
    for change, numbers in seen.values():
        group = alike[change.words]
        if len(group) > NAMED:
            if group[0][0] is change:
                every = dict.fromkeys(chain.from_iterable(them for _, them in group))
                yield [one for one, _ in group], [differences[each] for each in every]
            continue
        if last is not None and (last[1] != [*numbers] or last[0][-1].section != change.section):
            yield last[0], [differences[each] for each in last[1]]
            last = None
        last = ([change], [*numbers]) if last is None else ([*last[0], change], last[1])
    if last is not None:
        yield last[0], [differences[each] for each in last[1]]


def _entry(changes: Sequence[LineChange], them: Sequence[Difference]) -> str:
    """Return one entry: its sections, its number of snapshots, and its lines."""
    sections = [*dict.fromkeys(each.section for each in changes if each.section)]
    of = f"{_first_names(sections)}: " if sections else ""
    where = f"{them[0].path}" if len(them) == 1 else f"{_counted(them)}, such as {them[0].path}"
    shares_words = len(changes) > NAMED and len({each.words for each in changes}) == 1
    lines = [f"{of}{where}"]
    if changes[0].above and not shares_words:
        lines.append(f"    {changes[0].above}")
    lines += map(str, changes[:NAMED] if shares_words else changes)
    if shares_words:
        lines.append(f"  … {len(changes) - NAMED:,} more lines with the same words changed")
    return "\n".join(lines)


def _counted(them: Sequence[Difference]) -> str:
    """Return the number of snapshots and cases, and the tiers.

    >>> _counted([Difference("a", "full", "", 1), Difference("a", "compact", "", 1)])
    '2 snapshots of 1 case (full, compact)'
    """
    cases = len({each.place for each in them})
    tiers = _first_names([*dict.fromkeys(each.tier for each in them)])
    return f"{len(them):,} snapshot{'' if len(them) == 1 else 's'} of {cases:,} case{'' if cases == 1 else 's'} ({tiers})"


def _tokens(differences: Sequence[Difference]) -> str:
    """Return the tokens of differing snapshots, by tier; for several cases the sums over differing tiers."""
    is_one_case = len({each.place for each in differences}) == 1
    changed = {each.tier for each in differences if is_one_case or each.is_failure}
    tiers: dict[str, tuple[int | None, int]] = {}
    for each in (one for one in differences if one.tier in changed):
        before, after = tiers.get(each.tier, (None, 0))
        before = before if each.before is None else (before or 0) + each.before
        tiers[each.tier] = before, after + each.after
    rows = [TierTokens(tier, before, after) for tier, (before, after) in tiers.items()]
    more = len(rows) - NAMED * 2
    table = tokens_table(rows[: NAMED * 2], is_one=is_one_case)
    return f"{table}\n… {more:,} more tiers" if more > 0 else table


def _first_names(names: Sequence[str]) -> str:
    """Return names, the first of many.

    >>> _first_names(["a", "b"]), _first_names([*"abcde"])
    ('a, b', 'a, b, c and 2 more')
    """
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {rest:,} more" if rest > 0 else "")


def _paired(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str | None, str | None]]:
    """Return replaced lines, each with its replacement, without blank ones."""
    if len(old) == len(new):
        yield from zip(old, new, strict=True)
        return
    if len(old) * len(new) > _MOST:
        yield from ((line, None) for line in old)
        yield from ((None, line) for line in new)
        return
    at = 0
    for line in old:
        here = next((n for n in range(at, len(new)) if _are_alike(line, new[n])), None)
        if here is None:
            yield line, None
            continue
        yield from ((None, each) for each in new[at:here])
        yield line, new[here]
        at = here + 1
    yield from zip_longest((), new[at:])


def _are_alike(one: str, other: str) -> bool:
    if not one.strip() or not other.strip():
        return one == other
    matcher = SequenceMatcher(None, _WORDS.findall(one), _WORDS.findall(other), autojunk=False)
    return (
        matcher.real_quick_ratio() > _ALIKE
        and matcher.quick_ratio() > _ALIKE
        and matcher.ratio() > _ALIKE
    )


_MOST = 10_000
"""The most pairs of lines to compare: each takes some microseconds."""

_ALIKE = 0.6
"""The least share of common words of a line and its replacement, if not all lines of a change have one."""


def _heading(lines: Sequence[str]) -> str:
    """Return the title of the nearest heading."""
    found = (_HEADING.fullmatch(line) for line in reversed(lines))
    return next((match["title"] for match in found if match), "")


def _lines(text: str) -> list[str]:
    """Return the lines of a text; the last is marked if no newline ends it."""
    *lines, rest = text.split("\n")
    return [*lines, f"{rest} (no newline at the end)"] if rest else lines


def _with_visible_end(line: str) -> str:
    text = line.rstrip(" \t")
    return text + line[len(text) :].translate(_TRAILING)
