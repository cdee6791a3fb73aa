"""The check that a tree fits its token budget, and what its tokens are spent on."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ujsx import RenderContext, Rendered
from ujsx._density import DensityLike
from ujsx.errors import DefinitionError, did_you_mean, quoted, shown
from ujsx.rendering._account import PiecesAccount
from ujsx.testing._renders import Renderable, renders


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
