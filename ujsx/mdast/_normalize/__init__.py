"""Canonical form: the nearest tree that Markdown can represent.

What changes, and only this:

==========================================  =====================================================
in the tree                                 in canonical form
==========================================  =====================================================
adjacent texts, or adjacent code spans      one
empty text, code span, emphasis, paragraph  left out; so are an empty list and table
U+0000                                      U+FFFD, as a parser reads it
a line end within a code span               a space, where its line cannot stand alone
a carriage return in code, HTML, YAML       a line feed
a hard break at the end of a block          left out; at the end of emphasis it moves behind it
a hard break in a cell or an ATX heading    a space; left out at an edge of it
emphasis that no marker can stand for       its children: emphasis in emphasis, three spans deep,
                                            without a letter or a space where they meet
strikethrough in or beside strikethrough    its children; one
a link in a link                            its children
inline HTML that is not one tag, comment …  text; so is a tag that would start an HTML block
HTML that is not one block                  a paragraph of text
HTML behind a list                          indented by one space at most, two if it is ordered
a tab before HTML                           left out
in a cell, inline HTML with a pipe          text; so is a reference whose label has one
a reference whose text is not its label     a full reference
a reference without a definition            its text (in a ``Root`` only)
front matter after the start                code in YAML
a code block's ``lang`` with white space    the first word; the rest is ``meta``
a label with line ends or white space       single spaces; none at the edges
a row without cells; ``align`` too short    one empty cell; filled with ``None``
a task's box without a paragraph            no box
a reference like a task's box, ``[x]``      a collapsed reference
``spread``                                  whether a blank line parts the children
``start`` of an ordered list                1 if there was none; between 0 and 999,999,999
==========================================  =====================================================
"""

from __future__ import annotations

from ._normalize import canonical_blocks, normalize
from ._references import answered

__all__ = ["answered", "canonical_blocks", "normalize"]
