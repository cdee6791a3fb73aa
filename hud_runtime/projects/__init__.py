"""A project's own settings, and whether its user trusts them.

In: a folder that may come from anybody. Out: which layout and which domain its ``pyproject.toml``
names (``[tool.ujsx]``), but only after ``ujsx trust``; and objects named as ``package.module:NAME``,
or by a person as ``file.py:NAME``. Nothing of a folder is imported because somebody stands in it.
"""

from __future__ import annotations

from hud_runtime.projects._layout_components import components, layout_components
from hud_runtime.projects._layout_file import LayoutFile, layout_text, tree_of_data
from hud_runtime.projects._load_object import (
    CODE,
    FORMS,
    find_components,
    find_object,
    found_in,
    is_object,
    kind_of,
    load_components,
    load_object,
    module_of_file,
    unnamed,
    with_whole_path,
)
from hud_runtime.projects._no_session import (
    is_of_nobodys,
    tells_of_no_session,
    told_of_no_session,
)
from hud_runtime.projects._settings import ProjectSettings, project_of, read_format, read_settings
from hud_runtime.projects._trust import Trust, TrustedFolder, default_trust
from ujsx.on_demand import on_demand

__all__ = [
    "CODE",
    "FORMS",
    "LayoutFile",
    "ProjectSettings",
    "Trust",
    "TrustedFolder",
    "components",
    "default_trust",
    "find_components",
    "find_object",
    "found_in",
    "is_object",
    "is_of_nobodys",
    "kind_of",
    "layout_components",
    "layout_text",
    "load_components",
    "load_object",
    "module_of_file",
    "project_of",
    "read_format",
    "read_settings",
    "tells_of_no_session",
    "told_of_no_session",
    "tree_of_data",
    "unnamed",
    "with_whole_path",
]

on_demand(globals())
