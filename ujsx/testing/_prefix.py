"""Whether renderings keep a prefix: what a provider's prompt cache can use again."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from ujsx import Rendered, compare
from ujsx.errors import shown


def prefix_kept(renderings: Iterable[Rendered | str]) -> float:
    """Return the share of their bytes that renderings have in common with the one before.

    It is the sum of the lengths of neighbours' common prefixes over the sum of their lengths; 1.0
    where nothing follows anything.

    >>> prefix_kept(["abcd", "abxx", "abxy"])
    0.625
    """
    texts = list(map(str, renderings))
    lengths = sum(_size(later) for later in texts[1:])
    kept = sum(_size(later[: _common(former, later)]) for former, later in pairwise(texts))
    return kept / lengths if lengths else 1.0


def assert_prefix_stable(renderings: Iterable[Rendered | str], at_least: float = 0.9) -> None:
    r"""Assert that neighbouring renderings keep enough of a common prefix.

    :param renderings: a HUD's renderings, turn after turn.
    :param at_least: the share of bytes, from 0 to 1, that must be kept.
    :raises AssertionError: with the share that is kept, and for the rendering in which most is
        lost, what broke the prefix: the node and its field, as :func:`ujsx.compare` finds them; in
        texts, the heading and the line.

    >>> assert_prefix_stable(["head\n\none", "head\n\none two"], at_least=0.5)
    """
    turns = list(renderings)
    share = prefix_kept(turns)
    if share >= at_least:
        return
    losses = [
        (_size(str(later)[_common(str(former), str(later)) :]), turn)
        for turn, (former, later) in enumerate(pairwise(turns), 1)
    ]
    lost, turn = max(losses, key=lambda loss: loss[0])
    raise AssertionError(
        f"{share:.1%} of the bytes are kept as a prefix, not {at_least:.1%}; most is lost in "
        f"rendering {turn} (the first is 0), {lost} bytes: {_break(turns[turn - 1], turns[turn])}"
    )


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
