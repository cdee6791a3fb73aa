"""Whether a tree fits its token budget, and what its tokens are spent on."""

from __future__ import annotations

from ujsx import Child, RenderContext, Rendered, render_document
from ujsx._density import DensityLike


def assert_fits(
    node: Child,
    budget: int,
    *,
    density: DensityLike | None = None,
    context: RenderContext | None = None,
) -> None:
    """Assert that ``node`` can be shown within ``budget``.

    A budget climbs as far up the ladders as it reaches, so only the floors of the tree can be too
    much for it.

    :param budget: how many tokens the text may have.
    :param density: the most that a budget may show.
    :param context: what the components know beside that, the token counter among it.
    :raises AssertionError: if even the least that the tree shows has more tokens; the message says
        what each section takes.

    >>> from ujsx.elements import Paragraph
    >>> assert_fits(Paragraph()["hello"], 10)
    """
    rendered = render_document(node, density=density, budget=budget, context=context)
    if rendered.tokens <= budget and not rendered.over_budget:
        return
    raise AssertionError(
        f"the least that can be shown has {rendered.tokens} tokens, "
        f"{rendered.tokens - budget} more than the budget of {budget}:\n{_spending(rendered)}\n"
        f"give it {rendered.tokens} tokens, or a section a ladder that begins lower"
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
