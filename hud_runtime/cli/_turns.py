"""Whole numbers and turns, as the user gives them."""

from __future__ import annotations

from argparse import ArgumentTypeError

from hud_runtime.cli._errors import UsageError


def number(text: str) -> int:
    """Read a whole number from the command line."""
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f'"{text}" is no whole number') from None


def turn_of(asked: int | None, turns: int) -> int:
    """Return the turn that was asked for, or the last.

    :raises UsageError: for a turn that the session does not have.

    >>> turn_of(None, 3), turn_of(0, 3)
    (3, 0)
    """
    if asked is None:
        return turns
    if not 0 <= asked <= turns:
        raise UsageError(f"there is no turn {asked}; this session has turns 0 to {turns}")
    return asked
