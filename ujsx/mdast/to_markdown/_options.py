"""The writer's options: a table of what each may be, and the check against it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from ujsx.errors import MdastError, did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of writing Markdown. Every choice gives the same tree back.

    Names are those of mdast-util-to-markdown and mdast-util-gfm, in snake case.
    """

    bullet: Literal["-", "*", "+"] = "-"
    """Marks an unordered list's items."""
    bullet_other: Literal["-", "*", "+"] | None = None
    """Marks a list that follows another one; ``None`` picks one that differs from ``bullet``."""
    bullet_ordered: Literal[".", ")"] = "."
    """Follows the number of an ordered list's item; the other follows in a list after a list."""
    close_atx: bool = False
    """Ends a heading with as many ``#`` as it starts with."""
    emphasis: Literal["*", "_"] = "*"
    """Marks emphasis, where it can; the other one is taken where it cannot."""
    fence: Literal["`", "~"] = "`"
    """Fences code; ``~`` is taken where the info string holds a backtick."""
    increment_list_marker: bool = True
    """Counts ordered items up, in place of repeating the first number."""
    list_item_indent: Literal["one", "tab", "mixed"] = "one"
    """Indents an item's content by its marker and a space, or to the next multiple of 4 columns;
    ``"mixed"`` does the latter for items that hold more than one line of blocks."""
    quote: Literal['"', "'"] = '"'
    """Encloses titles."""
    resource_link: bool = False
    """Writes ``[url](url)`` where ``<url>`` would do."""
    rule: Literal["-", "*", "_"] = "-"
    """Draws thematic breaks; another one is taken where it would read as something else."""
    rule_repetition: int = 3
    """How many markers a thematic break has: 3 or more."""
    rule_spaces: bool = False
    """Puts spaces between the markers of a thematic break."""
    setext: bool = False
    """Underlines headings of depth 1 and 2; one with a line end in it always is."""
    strong: Literal["*", "_"] = "*"
    """Marks strong text, where it can."""
    table_cell_padding: bool = True
    """Puts a space at each side of a cell's content."""
    table_pipe_align: bool = True
    """Aligns the pipes of a table, by the columns in which text is shown; a cell of more than 120
    columns sticks out."""
    tight_definitions: bool = False
    """Leaves out the blank line between definitions."""


ALLOWED: dict[str, tuple[object, ...]] = {
    "bullet": ("-", "*", "+"),
    "bullet_other": (None, "-", "*", "+"),
    "bullet_ordered": (".", ")"),
    "close_atx": (False, True),
    "emphasis": ("*", "_"),
    "fence": ("`", "~"),
    "increment_list_marker": (True, False),
    "list_item_indent": ("one", "tab", "mixed"),
    "quote": ('"', "'"),
    "resource_link": (False, True),
    "rule": ("-", "*", "_"),
    "rule_repetition": (),
    "rule_spaces": (False, True),
    "setext": (False, True),
    "strong": ("*", "_"),
    "table_cell_padding": (True, False),
    "table_pipe_align": (True, False),
    "tight_definitions": (False, True),
}
"""The values that each option takes; ``rule_repetition`` is any whole number from 3 on."""


def checked_options(given: dict[str, Any]) -> Options:
    """Return the options, or raise ``MdastError`` at an unknown name or value.

    >>> checked_options({"bullet": "*"}).bullet
    '*'
    >>> checked_options({"bullet": "x"})
    Traceback (most recent call last):
        ...
    ujsx.errors.MdastError: option bullet='x' is not possible; it is one of '-', '*', '+'
    """
    for name, value in given.items():
        if name not in ALLOWED:
            hint = did_you_mean(name, ALLOWED)
            every = ", ".join(field.name for field in fields(Options))
            raise MdastError(f"there is no option {name!r}; {hint} (options: {every})")
        if name == "rule_repetition":
            if type(value) is not int or value < 3:
                raise MdastError(f"option {name}={value!r} is not possible; it is an int from 3 on")
        elif not any(
            value is allowed or value == allowed
            for allowed in ALLOWED[name]
            if type(value) is type(allowed)
        ):
            every = ", ".join(map(repr, ALLOWED[name]))
            raise MdastError(f"option {name}={value!r} is not possible; it is one of {every}")
    options = Options(**given)
    if options.bullet_other == options.bullet:
        raise MdastError(
            f"option bullet_other={options.bullet_other!r} is the same as bullet; it must differ"
        )
    return options
