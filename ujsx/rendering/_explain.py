"""The explanation of a budget's choice: the cost of each rung, and the gain from a few more tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ujsx._density import DensityLike, Rung
from ujsx.calls import BoundFunction, WithText, resolving
from ujsx.components._context import RenderContext
from ujsx.components._element import Child, Displayable
from ujsx.components._vocabulary import Interpolation, interpolations_of
from ujsx.elements import CodeBlock
from ujsx.errors import CallError, RenderError, shown
from ujsx.rendering._budget import (
    Alternative,
    BudgetPlan,
    Ladder,
    RungStep,
    highest_within,
    worthwhile,
)
from ujsx.rendering._rendered import Rendered, RenderedSection
from ujsx.rendering._renderer import Renderer, token_budget

DEAREST = 6
"""The most parts without a ladder in the text of an explanation."""

MORE = 100
"""The default look-ahead of an explanation, in tokens."""


@dataclass(frozen=True, slots=True)
class RungCost:
    """The cost of a section's rung. ``rung`` is ``None`` if the section is hidden."""

    rung: Rung | None
    tokens: int
    """The tokens of its text, with the blank line before it."""

    is_shown: bool
    """True if it is the section's current rung."""

    is_useful: bool
    """True if it saves tokens against the rung above; otherwise it is never chosen."""

    is_within: bool
    """True if it fits the section's own budget; otherwise it is never chosen, unless it is the lowest."""


@dataclass(frozen=True, slots=True)
class Purchase:
    """A step up a ladder that more tokens would buy."""

    section: str
    before: Rung | None
    after: Rung | None
    tokens: int


@dataclass(frozen=True, slots=True)
class RankedStep:
    """A step up a ladder in the order of worth, with the reason for its place."""

    section: str
    before: Rung | None
    after: Rung | None
    tokens: int
    reason: str
    """The reason for its precedence over later steps."""

    is_taken: bool
    """True if the section is at least that high."""

    in_part: Rung | None = None
    """The rung reached with the remaining tokens, if they afford a part of the step."""


@dataclass(frozen=True, slots=True)
class ExplainedSection:
    """The effect of a budget on a section."""

    name: str
    """The component's class name, with its key in brackets if it has one."""

    rung: Rung | None
    """Its rung; ``None`` if it is hidden."""

    tokens: int
    """The tokens of that rung."""

    rungs: tuple[RungCost, ...]
    """The cost of every rung that the budget may choose, in ascending order."""

    budget: int | None = None
    """The section's own budget, if it has one."""

    interpolations: tuple[Interpolation, ...] = ()
    """The values of its ``jsx`` template, with their places."""


@dataclass(frozen=True, slots=True)
class FixedCost:
    """The cost of the parts without a ladder, the same at every budget."""

    path: str
    """Its path: ``Hud / Shelf / Paragraph``; several with the same path are combined."""

    tokens: int


@dataclass(frozen=True, slots=True)
class Explanation(Displayable):
    """The explanation of a budget's choice, as data; as text, a table."""

    budget: int
    tokens: int
    """The tokens of the whole text."""

    floor: int
    """The tokens of the tree's shortest form, as a whole; never more than ``tokens``."""

    between: int
    """The tokens of parts without a ladder: headings, and nodes between sections, counted one by one."""

    fixed: tuple[FixedCost, ...]
    """Those parts, the most expensive first."""

    over_budget: bool
    """True if even the floor exceeds the budget."""

    sections: tuple[ExplainedSection, ...]

    more: int
    """The look-ahead: the most tokens that ``next`` may cost."""

    order: tuple[RankedStep, ...]
    """All steps in the order of a budget: higher worth first."""

    next: tuple[Purchase, ...]
    """The steps that the look-ahead would buy, in order."""

    missing: int | None
    """The additional tokens that the first step after those needs; ``None`` at the top of all ladders."""

    def _as_document(self) -> Child:
        return CodeBlock(value=str(self))

    def __str__(self) -> str:
        return "\n".join(_table(self))


_LINE = "explain(session.state(), 300)"
"""The line to write for a session's HUD."""


@resolving(f"write {_LINE}")
def explain(
    node: Child,
    budget: int,
    *,
    density: DensityLike | None = None,
    previous: Rendered | None = None,
    context: RenderContext | None = None,
    more: int = MORE,
    renderer: Renderer | None = None,
) -> Explanation:
    """Return the explanation of a budget's choice for ``node``.

    :param budget: the token budget of the text.
    :param density: the highest density that the budget may choose, as in :func:`render_document`.
    :param previous: the rendering whose rungs are held, as there.
    :param context: the rest of the components' context.
    :param more: the look-ahead, in tokens.
    :param renderer: the renderer to use, with its cache; a new one when None.
    :raises UjsxError: for a tree that cannot be rendered, with the path of the node.

    >>> from ujsx import Component, Density, Disclosure, Rung
    >>> class Names(Component):
    ...     disclosure = Disclosure((Rung(Density.MINIMAL, 1), Rung(Density.FULL)))
    ...     names: tuple[str, ...]
    ...     def render(self, ctx, children):
    ...         return ", ".join(self.names[: ctx.limit])
    >>> print(explain(Names(names=("Ada", "Grace", "Edith", "Joan")), 6))
    4 of 6 tokens; the least is 0; 0 are for what has no ladder
    <BLANKLINE>
    section  rung       tokens  every rung, [as shown], (never chosen)
    Names    full/2~80       4  hidden 0, minimal/1 2, [full/2~80 4], full 9
    <BLANKLINE>
    in the order of their worth: + taken, ~ in part, - not
      + Names: hidden -> minimal/1, 2 tokens; by what it is worth for its tokens
      ~ Names: minimal/1 -> full, 7 tokens; by what it is worth for its tokens
    <BLANKLINE>
    100 more tokens buy
      Names: minimal/1 -> full, 7 tokens
    """
    if isinstance(node, WithText | BoundFunction) or hasattr(type(node), "hud"):
        raise CallError(f"explain takes what is rendered; of a session, write {_LINE}")
    token_budget(budget)
    given: object = more
    if not isinstance(given, int):
        raise RenderError(f"more must be a number of tokens, not {shown(given)}")
    if renderer is None:
        renderer = Renderer()
    rendered = renderer.render(
        node, density=density, budget=budget, previous=previous, context=context
    )
    plan = renderer.plan(node, density=density)
    least = renderer.render(node, density=density, budget=0)
    stood = [each.rung for each in rendered.sections]
    laddered = [place for place, each in enumerate(plan.ladders) if each.piece.ladder is not None]
    stands: list[Rung | None] = [None] * len(plan.ladders)
    for place, rung in zip(laddered, stood, strict=True):
        stands[place] = rung
    bought = plan.within(budget + max(0, more), previous).steps
    fixed = _fixed(plan)
    return Explanation(
        budget=budget,
        tokens=rendered.tokens,
        # The sum of the pieces is an upper bound: each count is rounded up.
        floor=min(least.tokens, rendered.tokens),
        between=sum(each.tokens for each in fixed),
        fixed=fixed,
        over_budget=rendered.over_budget,
        sections=tuple(
            _explained(plan.ladders[place], section.rung, _cost_of(plan.ladders[place], section))
            for place, section in zip(laddered, rendered.sections, strict=True)
        ),
        more=more,
        order=tuple(_ranked(plan, stands)),
        next=tuple(_purchases(plan, stands, bought)),
        missing=_missing(plan, bought, budget),
    )


def _fixed(plan: BudgetPlan) -> tuple[FixedCost, ...]:
    costs: dict[str, int] = {}
    for each in plan.ladders:
        piece, tokens = each.piece, each.alternatives[0].tokens
        if piece.ladder is None and tokens:
            path = piece.around + piece.label
            costs[path] = costs.get(path, 0) + tokens
    dearest = sorted(costs.items(), key=lambda cost: -cost[1])
    return tuple(FixedCost(path, tokens) for path, tokens in dearest)


def _explained(ladder: Ladder, stands: Rung | None, tokens: int) -> ExplainedSection:
    worth_it = worthwhile(ladder.alternatives)
    useful = {alternative.rung for alternative in worth_it}
    alternatives = [*ladder.alternatives]
    if stands not in [
        alternative.rung for alternative in alternatives
    ]:  # the step was taken in part
        place = sum(each.tokens <= tokens for each in worth_it)
        below = alternatives.index(worth_it[place - 1]) + 1
        alternatives.insert(below, Alternative(stands, tokens))
        useful.add(stands)
    budget = ladder.disclosure.budget
    rungs = tuple(
        RungCost(
            alternative.rung,
            alternative.tokens,
            alternative.rung == stands,
            alternative.rung in useful,
            budget is None or alternative.tokens <= budget,
        )
        for alternative in alternatives
    )
    component = ladder.piece.ladder
    places = () if component is None else interpolations_of(component)
    return ExplainedSection(ladder.piece.name, stands, tokens, rungs, budget, places)


def _cost_of(ladder: Ladder, section: RenderedSection) -> int:
    known = {each.rung: each.tokens for each in ladder.alternatives}
    return known.get(section.rung, section.tokens)


def _place(ladder: Ladder, stands: Rung | None) -> int:
    """Return the alternative that a rung is, or is above."""
    rungs = [alternative.rung for alternative in ladder.useful]
    if stands in rungs:
        return rungs.index(stands)
    return highest_within(ladder.useful, stands, ladder.disclosure)


def _ranked(plan: BudgetPlan, stands: Sequence[Rung | None]) -> Iterator[RankedStep]:
    """Return all steps in order, and whether each is taken."""
    for step in plan.steps:
        ladder, stood = plan.ladders[step.ladder], stands[step.ladder]
        before, after = (each.rung for each in ladder.useful[step.to - 1 : step.to + 1])
        place = _place(ladder, stood)
        in_part = stood if place == step.to - 1 and stood != before else None
        yield RankedStep(
            ladder.piece.name,
            before,
            after,
            step.tokens,
            step.worth.reason,
            step.to <= place,
            in_part,
        )


def _purchases(
    plan: BudgetPlan, stands: Sequence[Rung | None], bought: Iterable[RungStep]
) -> Iterator[Purchase]:
    """Return the steps above the current rungs of the ladders."""
    for step in bought:
        ladder = plan.ladders[step.ladder]
        rungs = [alternative.rung for alternative in ladder.useful]
        if step.to > _place(ladder, stands[step.ladder]):
            name = ladder.piece.name
            yield Purchase(name, rungs[step.to - 1], rungs[step.to], step.tokens)


def _missing(plan: BudgetPlan, bought: Sequence[RungStep], budget: int) -> int | None:
    step = next((each for each in plan.steps if each not in bought), None)
    if step is None:
        return None
    return plan.floor + sum(each.tokens for each in (*bought, step)) - budget


def _table(explanation: Explanation) -> Iterator[str]:
    over = ", and even that is too much" if explanation.over_budget else ""
    yield (
        f"{explanation.tokens:,} of {explanation.budget:,} tokens; the least is "
        f"{explanation.floor:,}{over}; {explanation.between:,} are for what has no ladder"
    )
    yield from (f"  {each.path}: {each.tokens:,}" for each in explanation.fixed[:DEAREST])
    if explanation.fixed[DEAREST:]:
        yield f"  … {len(explanation.fixed) - DEAREST:,} more"
    rows = [("section", "rung", "tokens", "every rung, [as shown], (never chosen)")]
    rows += [
        (each.name, _named(each.rung), f"{each.tokens:,}", _costs(each.rungs, each.budget))
        for each in explanation.sections
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    yield ""
    for name, rung, tokens, rungs in rows:
        yield f"{name:{widths[0]}}  {rung:{widths[1]}}  {tokens:>{widths[2]}}  {rungs}"
    places = [(each.name, place) for each in explanation.sections for place in each.interpolations]
    if places:
        yield ""
        yield "the template's values"
        yield from (f"  {name}: {place}" for name, place in places)
    if explanation.order:
        yield ""
        yield "in the order of their worth: + taken, ~ in part, - not"
    for ranked in explanation.order:
        rungs = f"{_named(ranked.before)} -> {_named(ranked.after)}"
        yield f"  {_sign(ranked)} {ranked.section}: {rungs}, {ranked.tokens:,} tokens; {ranked.reason}"
    yield ""
    yield f"{explanation.more:,} more tokens buy" + ("" if explanation.next else " nothing")
    for each in explanation.next:
        rungs = f"{_named(each.before)} -> {_named(each.after)}"
        yield f"  {each.section}: {rungs}, {each.tokens:,} tokens"
    if explanation.missing is not None:
        which = "step after that" if explanation.next else "next step"
        yield f"the {which} needs {explanation.missing:,} more"


def _sign(step: RankedStep) -> str:
    if step.in_part is not None:
        return "~"
    return "+" if step.is_taken else "-"


def _costs(rungs: Sequence[RungCost], budget: int | None) -> str:
    if not any(each.tokens for each in rungs):
        return "nothing to show"
    return ", ".join(_cost(each, budget) for each in rungs)


def _cost(each: RungCost, budget: int | None) -> str:
    text = f"{_named(each.rung)} {each.tokens:,}"
    if each.is_shown:
        return f"[{text}]"
    if not each.is_within:
        return f"({text}: its own budget is {budget:,})"
    return text if each.is_useful else f"({text})"


def _named(rung: Rung | None) -> str:
    return "hidden" if rung is None else str(rung)
