"""The message for a user whose host's SDK is not installed."""

from __future__ import annotations


def missing(extra: str, error: ImportError) -> ImportError:
    """Return the error to raise where an SDK cannot be imported.

    >>> print(missing("langchain", ImportError("No module named 'langchain'")))
    No module named 'langchain'; install it with: pip install 'ujsx[langchain]'
    """
    return ImportError(f"{error}; install it with: pip install 'ujsx[{extra}]'")
