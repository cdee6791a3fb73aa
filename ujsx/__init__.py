"""Typed components for an agent's context: one tree to Markdown and back, tools, and budgets.

Names are imported when they are first used, so that ``import ujsx`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from ujsx._density import Density as Density
    from ujsx._density import DensityLike as DensityLike
    from ujsx._density import Disclosure as Disclosure
    from ujsx._density import Priority as Priority
    from ujsx._density import Rung as Rung
    from ujsx._density import elided as elided
    from ujsx.components._component import Component as Component
    from ujsx.components._component import Examples as Examples
    from ujsx.components._component import Fragment as Fragment
    from ujsx.components._component import component as component
    from ujsx.components._component import fragment as fragment
    from ujsx.components._context import FrozenMapping as FrozenMapping
    from ujsx.components._context import RenderContext as RenderContext
    from ujsx.components._element import Child as Child
    from ujsx.components._element import Children as Children
    from ujsx.components._element import Element as Element
    from ujsx.components._element import Node as Node
    from ujsx.components._vocabulary import Vocabulary as Vocabulary
    from ujsx.elements import ForEach as ForEach
    from ujsx.elements import Template as Template
    from ujsx.errors import CallError as CallError
    from ujsx.errors import ChildError as ChildError
    from ujsx.errors import CounterError as CounterError
    from ujsx.errors import DefinitionError as DefinitionError
    from ujsx.errors import DensityError as DensityError
    from ujsx.errors import HastError as HastError
    from ujsx.errors import LayoutError as LayoutError
    from ujsx.errors import LoadError as LoadError
    from ujsx.errors import MdastError as MdastError
    from ujsx.errors import MissingRuleError as MissingRuleError
    from ujsx.errors import PropError as PropError
    from ujsx.errors import RenderError as RenderError
    from ujsx.errors import SchemaError as SchemaError
    from ujsx.errors import SnapshotError as SnapshotError
    from ujsx.errors import StrategyError as StrategyError
    from ujsx.errors import TargetError as TargetError
    from ujsx.errors import UjsxError as UjsxError
    from ujsx.layout import check_layout as check_layout
    from ujsx.layout import jsx as jsx
    from ujsx.layout import read_layout as read_layout
    from ujsx.layout import write_layout as write_layout
    from ujsx.mdast._nodes import ContentModel as ContentModel
    from ujsx.rendering._compare import Comparison as Comparison
    from ujsx.rendering._compare import compare as compare
    from ujsx.rendering._explain import Explanation as Explanation
    from ujsx.rendering._explain import Purchase as Purchase
    from ujsx.rendering._explain import explain as explain
    from ujsx.rendering._render import from_mdast as from_mdast
    from ujsx.rendering._render import render as render
    from ujsx.rendering._render import render_document as render_document
    from ujsx.rendering._render import render_html as render_html
    from ujsx.rendering._render import to_hast as to_hast
    from ujsx.rendering._render import to_mdast as to_mdast
    from ujsx.rendering._rendered import OmittedItems as OmittedItems
    from ujsx.rendering._rendered import Rendered as Rendered
    from ujsx.rendering._rendered import RenderedNode as RenderedNode
    from ujsx.rendering._rendered import RenderedSection as RenderedSection
    from ujsx.rendering._renderer import Renderer as Renderer
    from ujsx.targets import HostConfig as HostConfig
    from ujsx.targets import fold as fold
    from ujsx.transforms import registry as registry
    from ujsx.transforms._registry import Transform as Transform
    from ujsx.transforms._registry import TransformRegistry as TransformRegistry
    from ujsx.trees import dump as dump
    from ujsx.trees import h as h
    from ujsx.trees import load as load
    from ujsx.trees import resolve as resolve

__version__ = "0.1.0"
"""Read by the build backend as well."""


on_demand(globals())
__all__ = [
    "CallError",
    "Child",
    "ChildError",
    "Children",
    "Comparison",
    "Component",
    "ContentModel",
    "CounterError",
    "DefinitionError",
    "Density",
    "DensityError",
    "Disclosure",
    "Element",
    "Examples",
    "Explanation",
    "ForEach",
    "Fragment",
    "FrozenMapping",
    "HastError",
    "HostConfig",
    "LayoutError",
    "LoadError",
    "MdastError",
    "MissingRuleError",
    "Node",
    "OmittedItems",
    "PropError",
    "RenderContext",
    "RenderError",
    "Rendered",
    "RenderedNode",
    "RenderedSection",
    "Renderer",
    "Rung",
    "SchemaError",
    "SnapshotError",
    "StrategyError",
    "TargetError",
    "Template",
    "Transform",
    "TransformRegistry",
    "UjsxError",
    "Vocabulary",
    "__version__",
    "check_layout",
    "compare",
    "component",
    "dump",
    "elided",
    "explain",
    "fold",
    "fragment",
    "from_mdast",
    "h",
    "jsx",
    "load",
    "read_layout",
    "registry",
    "render",
    "render_document",
    "render_html",
    "resolve",
    "to_hast",
    "to_mdast",
    "write_layout",
]
