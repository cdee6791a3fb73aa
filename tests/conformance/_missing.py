"""What the run lacks, and where to get it."""

from __future__ import annotations


class MissingError(Exception):
    """Something that the run needs is not on this machine; the message says how to get it."""
