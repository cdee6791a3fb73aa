"""Token budgets and prefixes: a tree fits its tokens, and renderings keep the prefix that a provider's cache has."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Any

from ujsx import RenderContext, Rendered, compare
from ujsx._density import DensityLike
from ujsx.errors import DefinitionError, RenderError, did_you_mean, quoted, shown
from ujsx.rendering._pieces import PiecesAccount
from ujsx.testing._renders import Renderable, renders

# The check that a tree fits its token budget, and what its tokens are spent on.


def assert_fits(
    what: Renderable,
    budget: int,
    *,
    density: DensityLike | None = None,
    state: object = None,
    now: int | None = None,
    context: RenderContext | None = None,
    may_hide: bool | Collection[str] = False,
    or_floor: bool = False,
) -> None:
    """Assert that something of every section of ``what`` can be shown within ``budget``.

    A budget climbs as far up the ladders as it reaches, so only the least that the tree can show may be
    too much for it. What has a floor is then shown all the same, and the rendering exceeds the budget;
    what has none is hidden as a whole, and the rendering fits because it says nothing. Both fail, unless
    they are allowed.

    :param what: a tree, a session, or what renders one, as for ``tier_snapshots``.
    :param budget: how many tokens the text may have.
    :param density: the most that a budget may show.
    :param state: what the sections of a layout show.
    :param now: what time it is, in milliseconds since the Unix epoch: for clocks, and what tells an age.
    :param context: what the components know beside that, the token counter among it.
    :param may_hide: the sections of which a budget need not show anything, by the names of their classes, as
        ``rendered.sections`` has them; all of them for ``True``.
    :param or_floor: whether the rendering may exceed the budget where it is the floor.
    :raises AssertionError: the message says what each section takes. And where nothing would be shown by any
        budget, because nothing is bound of what the components look for.
    :raises DefinitionError: for a text in place of a collection of names.

    >>> from ujsx.elements import Paragraph
    >>> assert_fits(Paragraph()["hello"], 10)
    >>> assert_fits(Paragraph()["hello to all of you"], 2, or_floor=True)
    >>> from ujsx import Component, Disclosure
    >>> class Greeting(Component):
    ...     disclosure = Disclosure()
    ...     def render(self, ctx, children):
    ...         return "hello to all of you"
    >>> assert_fits(Greeting(), 2)
    Traceback (most recent call last):
    AssertionError: a budget of 2 tokens shows nothing of Greeting, which has no floor and takes 6 tokens at least; give more, let its ladder begin lower, or allow it: may_hide=("Greeting",)
    """
    allowed = () if may_hide is True else names_given("may_hide", may_hide or (), "Hints")
    shows = renders(what, context=context, state=state, now=now)
    rendered = shows(density=density, budget=budget)
    shows.check_is_bound([rendered])
    shows.check_clock([({"density": density, "budget": budget}, rendered)])
    if rendered.budgeted > budget or rendered.over_budget:
        if not or_floor:
            raise AssertionError(over_budget(rendered, budget))
        return
    missed = [] if may_hide is True else _missed(rendered, allowed)
    if missed:
        unknown = unknown_names("may_hide", allowed, section_names(rendered))
        raise AssertionError(
            f"a budget of {budget} tokens shows nothing of {_named(missed)}{unknown}"
        )


def names_given(option: str, given: Any, example: str) -> Collection[str]:
    """Return names as an option takes them.

    :raises DefinitionError: for a text in place of a collection, and for what is no name.
    """
    kind: type[Any] = given.__class__
    is_many = issubclass(kind, Collection) and not issubclass(kind, str)
    if not is_many or not all(isinstance(each, str) for each in given):
        raise DefinitionError(
            f'{option}= is a collection of names, such as ("{example}",), not {shown(given)}'
        )
    names: Collection[str] = given
    return names


def section_names(rendered: Rendered) -> set[str]:
    """Return the names of a rendering's sections, and those of their classes where they have keys."""
    names = {each.name for each in rendered.sections}
    return names | {name.partition("[")[0] for name in names}


def unknown_names(option: str, given: Collection[str], known: Collection[str]) -> str:
    """Return what a message says of names that are among no known ones; nothing if all are.

    >>> unknown_names("may_hide", ["NotesList"], ["NotesSection"])
    '; may_hide= names "NotesList", which is not there: did you mean "NotesSection"?'
    """
    return "".join(
        f"; {option}= names {quoted(name)}, which is not there: {did_you_mean(name, known)}"
        for name in given
        if name not in known
    )


def over_budget(rendered: Rendered, budget: int) -> str:
    """Return what is wrong with a rendering that has more tokens than its budget, and what to do."""
    return (
        f"the floor, the least that can be shown, has {rendered.budgeted} tokens, "
        f"{rendered.budgeted - budget} more than the budget of {budget}:\n"
        f"{_spending(rendered)}\n"
        f"give it {rendered.budgeted} tokens, let a section begin lower, or allow the floor: "
        "or_floor=True"
    )


def _missed(rendered: Rendered, allowed: Collection[str]) -> list[tuple[str, int]]:
    """The sections of which nothing is shown, with the tokens of the least that they could show."""
    account = rendered.account
    least = {
        piece.name: account.cost(piece.on(piece.ladder.disclosed().ladder[0]))
        for piece in (part.piece for part in account.pieces)
        if piece.is_hidden and piece.ladder is not None
    } if isinstance(account, PiecesAccount) else {}  # fmt: skip
    return [
        (each.name, least.get(each.name, 0))
        for each in rendered.sections
        if each.rung is None and not {each.name, each.name.partition("[")[0]} & {*allowed}
    ]


def _named(missed: list[tuple[str, int]]) -> str:
    names = list(dict.fromkeys(name for name, _ in missed))
    quoted = ", ".join(f'"{name}"' for name in names) + ("," if len(names) == 1 else "")
    if len(missed) == 1:
        return (
            f"{names[0]}, which has no floor and takes {missed[0][1]} tokens at least; give more, "
            f"let its ladder begin lower, or allow it: may_hide=({quoted})"
        )
    rows = "\n".join(f"  {tokens:>6}  {name}" for name, tokens in missed)
    return (
        f"these sections, which have no floor and take at least:\n{rows}\n"
        f"give more, let their ladders begin lower, or allow it: may_hide=({quoted})"
    )


def _spending(rendered: Rendered) -> str:
    """What each section takes, most first, and what stands between the sections."""
    rows = [(each.tokens, each.name, str(each.rung)) for each in rendered.sections if each.rung]
    rest = rendered.tokens - sum(tokens for tokens, *_ in rows)
    rows.append((rest, "between sections", ""))
    rows = [row for row in sorted(rows, key=lambda row: -row[0]) if row[0] > 0]
    width = max((len(name) for _, name, _ in rows), default=0)
    return "\n".join(
        f"  {tokens:>6}  {name:<{width}}  {rung}".rstrip() for tokens, name, rung in rows
    )


# The check that renderings keep a prefix: what a provider's prompt cache can use again.


def prefix_kept(renderings: Iterable[Rendered | str]) -> float:
    """Return the share of their bytes that renderings have in common with the one before.

    It is the sum of the lengths of neighbours' common prefixes over the sum of their lengths; 1.0
    where nothing follows anything.

    :raises RenderError: for what is no rendering, such as a session.

    >>> prefix_kept(["abcd", "abxx", "abxy"])
    0.625
    """
    texts = list(map(str, _turns(renderings)))
    lengths = sum(_size(later) for later in texts[1:])
    kept = sum(_size(later[: _common(former, later)]) for former, later in pairwise(texts))
    return kept / lengths if lengths else 1.0


def assert_prefix_stable(renderings: Iterable[Rendered | str], at_least: float = 0.9) -> None:
    r"""Assert that neighbouring renderings keep enough of a common prefix.

    What is new behind all that was there is not kept either, so what only grows keeps a smaller share the more it
    grows, though nothing breaks it.

    :param renderings: a HUD's renderings, turn after turn: two at least.
    :param at_least: the share of bytes, from 0 to 1, that must be kept.
    :raises AssertionError: with the share that is kept, and for the rendering in which most is
        lost, what broke the prefix: the node and its field, as :func:`ujsx.compare` finds them; in
        texts, the heading and the line. And where there is nothing to compare.
    :raises RenderError: for what is no rendering, such as a session.
    :raises DefinitionError: for a share that is none.

    >>> assert_prefix_stable(["head\n\none", "head\n\none two"], at_least=0.5)
    """
    _check_share(at_least)
    turns = _turns(renderings)
    if not any(map(str, turns[1:])):
        raise AssertionError(
            f"there is nothing to compare: {_count(turns)}; give those of two turns at least, such as "
            "[session.hud(turn=n) for n in range(1, 4)], in which something is shown"
        )
    share = prefix_kept(turns)
    if share >= at_least:
        return
    kept = f"{share:.1%} of the bytes are kept as a prefix, not {at_least:.1%}"
    # Bytes that are new, and whether they stand behind all that was there; a prefix that breaks counts first.
    new = [
        (
            not str(later).startswith(str(former)),
            _size(str(later)[_common(str(former), str(later)) :]),
            turn,
        )
        for turn, (former, later) in enumerate(pairwise(turns), 1)
    ]
    is_broken, size, turn = max(new, key=lambda each: each[:2])
    if not is_broken:
        raise AssertionError(
            f"{kept}; nothing breaks it: each rendering begins with all of the one before, and most is new in "
            f"rendering {turn} (the first is 0), {size} bytes; renderings that only grow keep what was there: "
            f"at_least={math.floor(share * 100) / 100}"
        )
    raise AssertionError(
        f"{kept}; most is lost in rendering {turn} (the first is 0), {size} bytes: "
        f"{_break(turns[turn - 1], turns[turn])}"
    )


def _turns(renderings: Any) -> list[Rendered | str]:
    kind: type[Any] = renderings.__class__
    is_many = issubclass(kind, Iterable) and not issubclass(kind, str)
    turns: list[Any] = [*renderings] if is_many else []
    wrong = [each for each in turns if not isinstance(each, Rendered | str)]
    if wrong or not is_many:
        raise RenderError(
            "renderings are those of turns, one after another, such as [session.hud(turn=n) for n in range(1, 4)], "
            f"not {shown(wrong[0] if wrong else renderings)}"
        )
    return turns


def _check_share(share: Any) -> None:
    is_number = isinstance(share, int | float) and not isinstance(share, bool)
    if not is_number or not 0 <= share <= 1:
        raise DefinitionError(
            f"at_least= is a share from 0 to 1, such as 0.9 for nine bytes of ten, not {shown(share)}"
        )


def _count(turns: list[Rendered | str]) -> str:
    if len(turns) < 2:
        return "one rendering" if turns else "no rendering"
    return f"{len(turns)} renderings, and nothing stands in them"


def _break(former: Rendered | str, later: Rendered | str) -> str:
    """Where ``later`` leaves what ``former`` was, and how; a text knows less than a rendering."""
    if isinstance(former, Rendered) and isinstance(later, Rendered):
        return str(compare(former, later))
    before, after = str(former), str(later)
    place = _common(before, after)
    line = after.count("\n", 0, place) + 1
    return (
        f"{_heading(after, place)} breaks the prefix in line {line}: "
        f"{shown(_line(before, place))} is now {shown(_line(after, place))}"
    )


def _heading(text: str, place: int) -> str:
    """What stands under the last heading before ``place``."""
    lines = text[: text.find("\n", place)].split("\n")
    heading = next((line for line in reversed(lines) if line.startswith("#")), None)
    return "the text" if heading is None else f"what is under {shown(heading)}"


def _line(text: str, place: int) -> str:
    """The line that has the character at ``place``."""
    end = text.find("\n", place)
    return text[text.rfind("\n", 0, place) + 1 : len(text) if end < 0 else end]


def _common(left: str, right: str) -> int:
    """How many characters both begin with."""
    if right.startswith(left):
        return len(left)
    pairs = enumerate(zip(left, right, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(left), len(right)))


def _size(text: str) -> int:
    """The length in bytes of UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))
