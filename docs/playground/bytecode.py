"""Adds to the packages of the playground the bytecode of all modules that its views import, which halves its start.

``tests/python314/run.mjs`` runs this in the Python that the browser has.
"""

from __future__ import annotations

import sys
from importlib._bootstrap_external import _code_to_hash_pyc  # as py_compile and compileall do
from importlib.util import cache_from_source, source_hash
from zipfile import ZIP_DEFLATED, ZipFile

sys.dont_write_bytecode = True
sys.path.insert(0, "/project/docs/playground")

import playground  # noqa: E402

for view in playground.VIEWS:
    playground.show("<Hud/>", view, "# x")
playground.examples("")

with ZipFile("/project/.cache/python314/packages.zip", "a", ZIP_DEFLATED) as packages:
    names = set(packages.namelist())
    files = {getattr(module, "__file__", None) or "" for module in sys.modules.values()}
    for name in sorted(each.removeprefix("/site/").removeprefix("/project/") for each in files):
        if name in names and name.endswith(".py"):
            source = packages.read(name)
            code = compile(source, f"/packages/{name}", "exec", dont_inherit=True)
            packages.writestr(
                cache_from_source(name), _code_to_hash_pyc(code, source_hash(source), False)
            )
