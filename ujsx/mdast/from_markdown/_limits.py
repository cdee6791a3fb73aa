"""How deep a document may nest."""

from __future__ import annotations

MAX_DEPTH = 150
"""Containers within containers, and spans within spans, before a document is refused.

Tokenizers and everything that walks a tree call themselves once or twice for each level; this
many levels stay clear of Python's default recursion limit (1,000 calls) with room for the caller.
"""
