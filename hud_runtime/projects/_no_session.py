"""The message where a layout needs somebody's state and no session is named."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from ujsx.errors import LayoutError, UjsxError

NO_SESSION = "no session is named, so an empty one of the coding domain is shown; give --session and --domain"


def told_of_no_session(error: BaseException) -> BaseException:
    """Return an error; what looks for a field that the coding HUD's state does not have says whose state was shown.

    It is asked where neither a session nor a domain is named.

    >>> from hud_components import BindingError, HudState
    >>> lost = BindingError('"hives": a HudState has no field "hives"', lacking=(HudState,))
    >>> print(told_of_no_session(lost))
    "hives": a HudState has no field "hives"; no session is named, so an empty one of the coding domain is shown; give --session and --domain
    """
    if isinstance(error, UjsxError) and is_of_nobodys(error):
        error.message += f"; {NO_SESSION}"
    return error


def is_of_nobodys(error: UjsxError) -> bool:
    """Tell whether an error is, or comes of, that the coding HUD's state has no such field, nor one with nearly that name."""
    from hud_components import BindingError, HudState

    lost = error.__cause__ if isinstance(error, LayoutError) else error
    return isinstance(lost, BindingError) and HudState in lost.lacking and lost.meant is None


@contextmanager
def tells_of_no_session(*, is_shown: bool) -> Generator[None]:
    """Tell of no session in what is raised meanwhile.

    :param is_shown: whether nobody's state is shown, of the coding domain.
    """
    try:
        yield
    except UjsxError as error:
        if is_shown:
            told_of_no_session(error)
        raise
