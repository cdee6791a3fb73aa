"""Names that a person gives: objects, ``package.module:NAME`` or ``file.py:NAME``, and a project's settings.

In: a folder that may come from anybody. Out: the object of a name, and how the folder's ``pyproject.toml`` has Markdown
formatted. Nothing of a folder is imported because somebody stands in it.
"""

from __future__ import annotations

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
from hud_runtime.projects._settings import LEFT, left_settings, project_of, read_format
from ujsx.on_demand import on_demand

__all__ = [
    "CODE",
    "FORMS",
    "LEFT",
    "find_components",
    "find_object",
    "found_in",
    "is_object",
    "is_of_nobodys",
    "kind_of",
    "left_settings",
    "load_components",
    "load_object",
    "module_of_file",
    "project_of",
    "read_format",
    "tells_of_no_session",
    "told_of_no_session",
    "unnamed",
    "with_whole_path",
]

on_demand(globals())
