"""Typed components for an agent's context: one tree to Markdown and back, tools, and budgets.

Names are imported when they are first used, so that ``import ujsx`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ujsx._version import __version__ as __version__

if TYPE_CHECKING:
    from ujsx._compare import Comparison as Comparison
    from ujsx._compare import PrefixBreak as PrefixBreak
    from ujsx._compare import compare as compare
    from ujsx._component import Component as Component
    from ujsx._context import RenderContext as RenderContext
    from ujsx._data import dump as dump
    from ujsx._data import load as load
    from ujsx._density import Density as Density
    from ujsx._density import Disclosure as Disclosure
    from ujsx._density import Rung as Rung
    from ujsx._differences import Change as Change
    from ujsx._element import Child as Child
    from ujsx._element import Children as Children
    from ujsx._element import Element as Element
    from ujsx._element import Node as Node
    from ujsx._errors import ChildError as ChildError
    from ujsx._errors import CounterError as CounterError
    from ujsx._errors import DefinitionError as DefinitionError
    from ujsx._errors import DensityError as DensityError
    from ujsx._errors import HastError as HastError
    from ujsx._errors import HostError as HostError
    from ujsx._errors import LayoutError as LayoutError
    from ujsx._errors import LoadError as LoadError
    from ujsx._errors import MdastError as MdastError
    from ujsx._errors import MissingRuleError as MissingRuleError
    from ujsx._errors import PropError as PropError
    from ujsx._errors import RenderError as RenderError
    from ujsx._errors import SchemaError as SchemaError
    from ujsx._errors import SnapshotError as SnapshotError
    from ujsx._errors import StrategyError as StrategyError
    from ujsx._errors import UjsxError as UjsxError
    from ujsx._explain import ExplainedSection as ExplainedSection
    from ujsx._explain import Explanation as Explanation
    from ujsx._explain import Purchase as Purchase
    from ujsx._explain import RungCost as RungCost
    from ujsx._explain import explain as explain
    from ujsx._for_each import ForEach as ForEach
    from ujsx._fragment import Fragment as Fragment
    from ujsx._fragment import fragment as fragment
    from ujsx._frozen import FrozenMapping as FrozenMapping
    from ujsx._function import component as component
    from ujsx._h import h as h
    from ujsx._host import HostConfig as HostConfig
    from ujsx._host import fold as fold
    from ujsx._registry import TransformRegistry as TransformRegistry
    from ujsx._render import from_mdast as from_mdast
    from ujsx._render import render as render
    from ujsx._render import render_document as render_document
    from ujsx._render import to_mdast as to_mdast
    from ujsx._render_html import render_html as render_html
    from ujsx._render_html import to_hast as to_hast
    from ujsx._rendered import OmittedItems as OmittedItems
    from ujsx._rendered import Rendered as Rendered
    from ujsx._rendered import RenderedNode as RenderedNode
    from ujsx._rendered import RenderedSection as RenderedSection
    from ujsx._renderer import Renderer as Renderer
    from ujsx._resolve import resolve as resolve
    from ujsx._template import Template as Template
    from ujsx._transform import Transform as Transform
    from ujsx._vocabulary import Vocabulary as Vocabulary
    from ujsx._window import left_out as left_out
    from ujsx.layout import read_layout as read_layout
    from ujsx.layout import write_layout as write_layout
    from ujsx.transforms import registry as registry

_HOME: dict[str, str] = {
    "Change": "_differences",
    "Child": "_element",
    "ChildError": "_errors",
    "Children": "_element",
    "Comparison": "_compare",
    "Component": "_component",
    "CounterError": "_errors",
    "DefinitionError": "_errors",
    "Density": "_density",
    "DensityError": "_errors",
    "Disclosure": "_density",
    "Element": "_element",
    "ForEach": "_for_each",
    "ExplainedSection": "_explain",
    "Explanation": "_explain",
    "Fragment": "_fragment",
    "FrozenMapping": "_frozen",
    "HastError": "_errors",
    "HostConfig": "_host",
    "HostError": "_errors",
    "LayoutError": "_errors",
    "LoadError": "_errors",
    "MdastError": "_errors",
    "MissingRuleError": "_errors",
    "Node": "_element",
    "OmittedItems": "_rendered",
    "PrefixBreak": "_compare",
    "PropError": "_errors",
    "Purchase": "_explain",
    "RenderContext": "_context",
    "RenderError": "_errors",
    "Rendered": "_rendered",
    "RenderedNode": "_rendered",
    "RenderedSection": "_rendered",
    "Renderer": "_renderer",
    "Rung": "_density",
    "RungCost": "_explain",
    "SchemaError": "_errors",
    "SnapshotError": "_errors",
    "StrategyError": "_errors",
    "Template": "_template",
    "Transform": "_transform",
    "TransformRegistry": "_registry",
    "UjsxError": "_errors",
    "Vocabulary": "_vocabulary",
    "compare": "_compare",
    "component": "_function",
    "dump": "_data",
    "explain": "_explain",
    "fold": "_host",
    "fragment": "_fragment",
    "from_mdast": "_render",
    "h": "_h",
    "left_out": "_window",
    "load": "_data",
    "read_layout": "layout",
    "registry": "transforms",
    "render": "_render",
    "render_document": "_render",
    "render_html": "_render_html",
    "resolve": "_resolve",
    "to_hast": "_render_html",
    "to_mdast": "_render",
    "write_layout": "layout",
}
"""The module that each public name lives in."""

__all__ = ["__version__", *_HOME]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ujsx' has no attribute {name!r}")
    value = getattr(import_module(f"ujsx.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
