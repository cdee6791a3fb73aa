"""How Sphinx builds the site: ``make docs``. It needs no network, and a warning is an error there."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from public_names import aliases
from reference import MOCKED

from ujsx import __version__

project = "ujsx"
version = release = __version__
copyright = "The ujsx authors"  # noqa: A001  # Sphinx reads this name

exclude_patterns = ["README.md"]  # the first page is made of it
extensions = ["myst_parser", "sphinx.ext.autodoc", "reference"]
suppress_warnings = [
    "misc.highlighting_failure",  # an example in a block may be cut with "…"
    "toc.not_included",  # decisions stand in a list of their own; that all is reached is tested
]
smartquotes = False
html_theme = "furo"
html_title = "ujsx"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "github-dark"

myst_heading_anchors = 4  # the anchors that forges give to headings

add_module_names = False
autodoc_default_options = {"members": True, "show-inheritance": True, "member-order": "bysource"}
autodoc_mock_imports = MOCKED
autodoc_preserve_defaults = True
autodoc_type_aliases = aliases()
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
