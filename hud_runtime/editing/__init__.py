"""The HUD edited as text.

In: a HUD, and its edited Markdown. Out: the operations of the tool ``hud`` that make the edit, and the
undecided parts. Nothing is guessed and nothing is lost: an edit that is not an operation is a problem with
its place.

A project's Markdown file, such as AGENTS.md, is read in the same forms: its sections become events, and a
session's items are written back into it.
"""

from hud_runtime.editing._changes import changes, record_changes
from hud_runtime.editing._editable import Changes as Changes
from hud_runtime.editing._editable import Edit, EditError
from hud_runtime.editing._editable import EditProblem as EditProblem
from hud_runtime.editing._items import LEAD, NEAR
from hud_runtime.editing._markdown_file import HEADINGS, MarkdownFile, drafts_of, written_into
from hud_runtime.editing._markdown_file import AbsentItem as AbsentItem
from hud_runtime.editing._markdown_file import Left as Left
from hud_runtime.editing._markdown_file import headings_of as headings_of
from hud_runtime.editing._page import for_editing
from ujsx.on_demand import on_demand

__all__ = [
    "HEADINGS",
    "LEAD",
    "NEAR",
    "Edit",
    "EditError",
    "MarkdownFile",
    "changes",
    "drafts_of",
    "for_editing",
    "record_changes",
    "written_into",
]

on_demand(globals())
