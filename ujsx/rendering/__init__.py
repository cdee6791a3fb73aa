"""Rendering of trees to Markdown or HTML: pieces, their rungs, their text, and the account.

``ujsx.render``, ``ujsx.Renderer`` and their results are public in ``ujsx``; this package has the parts for reading
layouts, and the budget.
"""

from __future__ import annotations

from ujsx.on_demand import on_demand
from ujsx.rendering._rendered import Piece as Piece
from ujsx.rendering._rendered import RenderedNode as RenderedNode
from ujsx.rendering._rendered import RenderedSection as RenderedSection
from ujsx.rendering._rendered import outline as outline
from ujsx.rendering._renderer import token_budget as token_budget

on_demand(globals())
