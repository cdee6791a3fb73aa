"""The check that renderings keep a prefix: what a provider's prompt cache can use again."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from ujsx import Rendered, compare
from ujsx.errors import DefinitionError, RenderError, shown


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
