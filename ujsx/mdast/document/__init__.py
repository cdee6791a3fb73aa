"""Markdown that keeps its bytes: ``Document``, a text with its tree, changed by splices of the text.

``_document`` holds the tree that is wanted and reads each new text back; ``_splices`` compares it with the
tree that was read, list by list, and gives the splices; ``_pieces`` finds the habits of the source, and
writes new nodes in them.
"""

from __future__ import annotations

from ujsx.mdast.document._document import Document as Document
