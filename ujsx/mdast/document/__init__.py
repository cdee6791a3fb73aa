"""Markdown that keeps its bytes: ``Document``, a text with its tree, changed by splices of the text.

``_document`` holds the edits and checks each new text by reading it; ``_splices`` compares the tree that
was read with the tree that is wanted and gives the splices; ``_pieces`` writes what is new, in the
habits that ``_habits`` finds in the source.
"""

from __future__ import annotations

from ._document import Document

__all__ = ["Document"]
