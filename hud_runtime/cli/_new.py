"""``ujsx new``: writes a small domain or component that works, and its snapshot test.

The files are templates in ``hud_runtime/data/new``, with a few names to fill in.
"""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Mapping
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template

from hud_runtime.cli._click import Run, argument
from hud_runtime.cli._commands import Options, UsageError, one_of
from hud_runtime.cli._terminal import put_line
from ujsx.errors import shown

TEMPLATES = files("hud_runtime") / "data" / "new"

MODULE = re.compile(r"[a-z][a-z0-9_]*")
CLASS = re.compile(r"[A-Z][A-Za-z0-9]*")

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Between the words of a class's name."""


def _domain(options: Options) -> int:
    """Write a domain: the sections of an agent's HUD, in NAME.py, and test_NAME.py beside it.

    It has a section of one value and one of many items, for you to rename and fill in. A file that is
    there already is never overwritten.
    """
    from hud_components import CODING

    name: str = options.name
    if not MODULE.fullmatch(name):
        raise UsageError(
            f"{shown(name)} is not a name of a domain; use lower-case letters, digits and _, a "
            "letter first"
        )
    if name == CODING.name:
        raise UsageError(f'"{name}" is the domain of coding agents; use another name')
    names = {"name": name, "module": _module(name), "constant": name.upper()}
    written = _write(options.folder, "domain", names)
    _go_on(written, names["constant"], "an example that is made up of the domain")
    return 0


def _component(options: Options) -> int:
    """Write a component in a module of its own, and its snapshot test beside it.

    NAME is the class's name, such as OpenRisks; the module is then open_risks.py, and its test
    test_open_risks.py. A file that is there already is never overwritten.
    """
    from hud_runtime._layout_components import components

    name: str = options.name
    if not CLASS.fullmatch(name) or keyword.iskeyword(name):
        raise UsageError(
            f"{shown(name)} is not a name of a component; write it as a class: "
            f"{_as_class(name) or 'OpenRisks'}"
        )
    if name in components():
        raise UsageError(f"there is a component {name} already; use another name")
    module = _module("_".join(_WORDS.split(name)).lower())
    written = _write(options.folder, "component", {"name": name, "module": module})
    _go_on(written, name, "the first of its examples")
    return 0


KINDS: Mapping[str, Run] = {"domain": _domain, "component": _component}
"""The kinds of files to begin with, by name."""


@argument("kind", metavar="KIND", words=KINDS, help=" or ".join(KINDS))
@argument(
    "name",
    metavar="NAME",
    help="of a domain, lower-case letters, digits and _; of a component, its class's name: OpenRisks",
)
@argument(
    "folder",
    metavar="FOLDER",
    required=False,
    type=Path,
    default=Path(),
    help="where to write it (default: the current folder); it is made where it is missing",
)
def run(options: Options) -> int:
    """Write a small domain or component that works, and its snapshot test, to go on from.

    A domain is the sections of an agent's HUD: one of a single value and one of many items, for you to rename and fill
    in. A component is in a module of its own: that of OpenRisks is open_risks.py, and its test test_open_risks.py.
    Nothing that is there already is overwritten.
    """
    return KINDS[one_of(options.kind, [*KINDS], "kind of thing to write")](options)


def _module(name: str) -> str:
    """The name, if a module of that name hides no other one."""
    if keyword.iskeyword(name):
        raise UsageError(f'"{name}" is a word of Python; no module can be called so')
    if name in sys.stdlib_module_names or name == "conftest" or name.startswith("test_"):
        raise UsageError(f'a module "{name}" would hide that of Python or pytest; use another name')
    if _is_installed(name):
        raise UsageError(
            f'there is a module "{name}" already, which is installed; use another name'
        )
    return name


def _is_installed(name: str) -> bool:
    try:
        found = find_spec(name)
    except (ImportError, ValueError):
        return False
    # One in the folder that we run in is the user's own: then its file is in the way, if anything.
    here = Path.cwd().resolve()
    origin = None if found is None else found.origin
    return found is not None and (origin is None or here != Path(origin).resolve().parent)


def _as_class(name: str) -> str:
    """The name as a class would have it; empty where it has no letters to begin with."""
    made = "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))
    return made if CLASS.fullmatch(made) else ""


def _write(folder: Path, kind: str, names: Mapping[str, str]) -> list[Path]:
    """Write a module and its test, both or none."""
    module = f"{names['module']}.py"
    texts = {
        folder / module: f"{kind}.py.txt",
        folder / f"test_{module}": f"test_{kind}.py.txt",
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be a folder: {error.strerror or error}") from None
    there = [str(path) for path in texts if path.exists() or path.is_symlink()]
    if there:
        raise UsageError(f"{' and '.join(there)}: there already; use another name, or folder")
    written: list[Path] = []
    try:
        for path, template in texts.items():
            text = Template((TEMPLATES / template).read_text(encoding="utf-8")).substitute(names)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                written.append(path)
                file.write(text)
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        raise UsageError(f"{folder} cannot be written: {error.strerror or error}") from None
    return written


def _go_on(written: list[Path], name: str, what: str) -> None:
    module, test = written
    for path in written:
        put_line(f"wrote {path}")
    put_line("")
    put_line(f"pytest --snapshot-update {test}")
    put_line("    writes its snapshots, which you read and keep; plain pytest then compares")
    put_line(f"ujsx preview --terminal {module}:{name} --once")
    put_line(f"    shows {what}; without --once, again whenever the file changes")
