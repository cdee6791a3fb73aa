"""What a budget is: the one rule for all that take one."""

from __future__ import annotations

from ujsx.errors import RenderError, shown


def token_budget(given: object, *, or_else: str = "") -> int:
    """Return a budget as it is given: a number of tokens, 0 or more.

    :param or_else: what may be given in its place, as a message names it.
    :raises RenderError: for anything else.

    >>> token_budget(300)
    300
    >>> token_budget(-5)
    Traceback (most recent call last):
    ujsx.errors.RenderError: a budget is a number of tokens, 0 or more, not -5
    """
    if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
        return given
    rest = f", or {or_else}" if or_else else ""
    raise RenderError(f"a budget is a number of tokens, 0 or more{rest}, not {shown(given)}")
