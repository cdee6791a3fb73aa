"""Alerts: quotes whose first words name a kind, such as ``[!NOTE]``.

To the specifications they are quotes with text; GitHub and others draw a box. So that text from
outside cannot become one, and one in a document stays one, the tree tells them apart: the quote has
the kind in its ``data``, as ``{"alert": "NOTE"}``, and the words are the start of its text.
"""

from __future__ import annotations

import re

ALERT = "alert"
"""The key in the ``data`` of a ``Blockquote``."""

MARK = re.compile(r"\[!([A-Za-z][A-Za-z0-9-]*)\]")
"""What starts an alert; its group is the kind."""

ALERT_LINE = re.compile(
    r"\[!(?P<kind>[A-Za-z][A-Za-z0-9-]*)\](?P<fold>[+-]?)(?P<end>\n|[ ](?![ \n])|\Z)"
)
"""An alert's first line up to its title: the kind, whether it folds, and a space before a title."""
