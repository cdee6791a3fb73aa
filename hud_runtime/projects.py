"""Objects named ``package.module:NAME`` or ``file.py:NAME``, and a project's settings.

In: a folder, possibly untrusted. Out: the named object, and the Markdown format set in the folder's
``pyproject.toml``. The working folder alone never causes an import.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import sysconfig
import traceback
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

from hud_runtime._errors import ProjectError
from ujsx.errors import LayoutError, UjsxError, did_you_mean, listed, nearest, quoted, shown
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from ujsx import Component


on_demand(globals())


# The owner of a file's code, and the place of an error in an author's code.

_OURS = [
    str(Path(__file__).parents[1] / name) for name in ("ujsx", "hud_components", "hud_runtime")
]
_FOREIGN = tuple(
    f"{folder.rstrip('/')}/"
    for folder in [*(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")), *_OURS]
)


def is_of_author(file: str | None) -> bool:
    """Tell whether a source file is the author's: not installed, not Python's, not ours.

    >>> is_of_author(__file__), is_of_author("/home/kim/app.py"), is_of_author("<string>")
    (False, True, False)
    """
    if file is None or file.startswith("<"):
        return False
    return not str(Path(file).resolve()).startswith(_FOREIGN)


def frames_of_author(error: BaseException) -> list[traceback.FrameSummary]:
    """Return the author's own calls in an error's traceback, last call last."""
    found = traceback.extract_tb(error.__traceback__)
    return [frame for frame in found if is_of_author(frame.filename)]


def told(error: BaseException) -> str:
    """Return the message of an error in an author's code, after its place, in compilers' format.

    >>> told(ZeroDivisionError("division by zero"))
    'ZeroDivisionError: division by zero'
    """
    if isinstance(error, SyntaxError) and error.filename is not None:
        place, what = f"{error.filename}:{error.lineno}: ", error.msg
    else:
        frames = frames_of_author(error)
        place = f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""
        what = str(error)
    return f"{place}{type(error).__name__}: {what}"


# Lookup of objects named ``package.module:NAME``, or ``folder/file.py:NAME`` for a user's file.
#
# One rule holds for all names. A module is looked up among installed ones and in ``PYTHONPATH``; in
# the working folder last, and only for a name that a user typed there. Names in a project's
# settings, or in a command that a host starts, are not looked up there; their files need absolute
# paths.

CODE = ".py"
"""The suffix of Python files."""

FORMS = "package.module:NAME or file.py:NAME"
"""The format of object names, in every command."""

_ELSEWHERE = (
    "install it, or name its folder in PYTHONPATH: the working folder is not looked into, "
    "unless PYTHONPATH=. stands before the command"
)
"""The remedy for a missing module, where the working folder is not searched."""

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_IN_FILE = re.compile(r".+\.py:[A-Za-z_]\w*", re.DOTALL)

_looked_into: set[str] = set()
"""Folders that a lookup has added to ``sys.path``."""


def is_object(name: str) -> bool:
    """Tell whether a name has the form ``module:NAME`` or ``file.py:NAME``.

    >>> is_object("acme.huds:layout"), is_object("acme/huds.py:layout"), is_object("hud.md")
    (True, True, False)
    """
    return bool(_NAME.fullmatch(name) or _IN_FILE.fullmatch(name))


def with_whole_path(name: str) -> str:
    """Return an object's or a file's name with the file's absolute path; a module's name is unchanged.

    >>> with_whole_path("/srv/shop/../huds.py:HUD"), with_whole_path("acme.huds:HUD"), with_whole_path("/srv/a.py")
    ('/srv/huds.py:HUD', 'acme.huds:HUD', '/srv/a.py')
    """
    if name.endswith(CODE):
        return os.path.abspath(name)  # noqa: PTH100 - a link stays what it is called
    place, colon, attribute = name.rpartition(":")
    if _IN_FILE.fullmatch(name) is None:
        return name
    return f"{os.path.abspath(place)}{colon}{attribute}"  # noqa: PTH100 - a link stays what it is called


def load_object(name: str, *, folder: Path | None = None) -> Any:
    """Return the object with this name in a module or a file.

    :param name: ``package.module:NAME`` or ``folder/file.py:NAME``; without ``folder``, a file needs its
        absolute path.
    :param folder: the folder in which a user typed the name; modules are looked up there, too, last.
        Without it, the working folder is searched only if ``PYTHONPATH`` names it.
    :raises ProjectError: for an invalid name, a module that is missing or cannot be imported, and an
        unknown object, with the nearest name.

    >>> load_object("hud_components:Hud").__name__
    'Hud'
    >>> load_object("hud_components:Hudd")
    Traceback (most recent call last):
    hud_runtime._errors.ProjectError: the module "hud_components" has no "Hudd"; did you mean "Hud"?
    """
    with _importing(name.rpartition(":")[0]):
        return find_object(name, folder=folder)


def load_components(name: str, *, folder: Path | None = None) -> tuple[type[Component], ...]:
    """Return the components of a module or a file: those in its ``__all__``, or defined in it or in its package.

    :param name: ``package.module`` or ``folder/file.py``.
    :param folder: as for :func:`load_object`.
    :raises ProjectError: as :func:`load_object` does, and for a module without components.

    >>> "Link" in {each.__name__ for each in load_components("ujsx.elements")}
    True
    """
    with _importing(name):
        return find_components(name, folder=folder)


def find_components(name: str, *, folder: Path | None = None) -> tuple[type[Component], ...]:
    """Load components, passing on exceptions of an author's code.

    :raises ProjectError: as :func:`load_components` does.
    :raises Exception: any that the module raises.
    """
    from ujsx import Component

    if not is_object(f"{name}:NAME"):
        raise ProjectError(f"components are named by package.module or file.py, not {quoted(name)}")
    module: Any = _module(name, folder, name)
    known = getattr(module, "__all__", None)
    found = {each: getattr(module, each) for each in (dir(module) if known is None else known)}
    own = [
        each
        for title, each in found.items()
        if isinstance(each, type)
        and issubclass(each, Component)
        and title[:1] != "_"
        and (known is not None or f"{each.__module__}.".startswith(f"{module.__name__}."))
    ]
    if not own:
        raise ProjectError(f"{name} has no components: classes that derive from Component")
    return tuple(dict.fromkeys(own))


@contextmanager
def _importing(place: str) -> Generator[None]:
    """Turn an exception of an author's code into a :class:`ProjectError`."""
    try:
        yield
    except ProjectError:
        raise
    except (Exception, SystemExit) as error:
        what = place if place.endswith(CODE) else f"the module {quoted(place)}"
        raise ProjectError(f"{what} cannot be imported: {told(error)}") from error


def find_object(name: str, *, folder: Path | None = None) -> Any:
    """Load an object, passing on exceptions of an author's code.

    :raises ProjectError: as :func:`load_object` does.
    :raises Exception: any that the module raises.
    """
    place, _, attribute = name.rpartition(":")
    is_file = _IN_FILE.fullmatch(name) is not None
    if not is_file and not _NAME.fullmatch(name):
        raise ProjectError(unnamed(name, folder))
    module = _module(place, folder, name)
    try:
        return getattr(module, attribute)  # some modules define their names on demand
    except AttributeError:
        hint = did_you_mean(attribute, [each for each in dir(module) if each[:1] != "_"])
        what = place if is_file else f"the module {quoted(place)}"
        raise ProjectError(f"{what} has no {quoted(attribute)}; {hint}") from None


def _module(place: str, folder: Path | None, name: str) -> object:
    if place.endswith(CODE):
        if folder is None and not Path(place).is_absolute():
            raise ProjectError(
                f"a host chooses the folder here: write the whole path of {quoted(name)}, such as {with_whole_path(name)}"
            )
        return module_of_file(place, folder or Path())
    if folder is None:
        file = Path(f"{place.replace('.', os.sep)}{CODE}").absolute()
        line = f"write {file}{name.removeprefix(place)}, or " if file.is_file() else ""
        with without_working_folder():
            return _imported(place, line + _ELSEWHERE)
    _look_into(folder)
    match = nearest(place, _modules_in(folder))
    hint = f"did you mean {quoted(match)}?" if match else "a file is named folder/file.py:NAME"
    return _imported(place, hint, where=f", neither installed, nor in PYTHONPATH or {folder}")


def unnamed(name: str, folder: Path | None, *, rendered: bool = False) -> str:
    """Return the error for a name that is not an object's: the right form, and the names in that file.

    :param rendered: leave out classes of data, which a section or a domain renders.

    >>> unnamed("huds", None)
    'an object is named package.module:NAME or file.py:NAME, not "huds"'
    """
    said = f"an object is named {FORMS}, not {quoted(name)}"
    if folder is None or ":" in name:
        return said
    if name.endswith(CODE) and not (folder / name).is_file():
        return f"there is no file {name}; check its path"
    file = folder / (name if name.endswith(CODE) else f"{name.replace('.', '/')}{CODE}")
    found = names_in(file, rendered=rendered)
    return f"{said}: {name} has {listed(found)}" if found else said


MOST_FILES = 100
"""Files of a folder that are searched for a name at most."""


def found_in(folder: Path, name: str) -> str | None:
    """Return the full name for a bare name in a folder, or None. Nothing is imported.

    The name is a module of the folder, or an object in one of its modules.

    >>> found_in(Path("/nowhere"), "harbour")
    """
    if not name.isidentifier():
        return None
    of_module = next(
        (
            each
            for each in (folder / f"{name}{CODE}", folder / name / f"__init__{CODE}")
            if each.is_file()
        ),
        None,
    )
    if of_module is not None:
        objects = [f"{name}:{each}" for each in names_in(of_module)]
        held = f" ({listed(objects)})" if objects else ""
        return f"it is a module; name what is in it, as {name}:NAME{held}"
    try:
        files = sorted(each for each in folder.iterdir() if each.suffix == CODE)[:MOST_FILES]
    except OSError:
        return None
    objects = [f"{each.stem}:{name}" for each in files if name in names_in(each)]
    return f"write {' or '.join(objects)}" if objects else None


def kind_of(found: object) -> str:
    """Return the kind of an object, for error messages.

    >>> kind_of(7), kind_of(Path), kind_of(kind_of)
    ('of the type int', 'the class Path', 'a function')
    """
    if isinstance(found, type):
        return f"the class {found.__name__}"
    return (
        "a function" if isinstance(found, FunctionType) else f"of the type {type(found).__name__}"
    )


def names_in(file: Path, *, rendered: bool = False) -> Sequence[str]:
    """Return the public top-level names of a Python file, without running it; none if it cannot be read.

    :param rendered: as in :func:`unnamed`.
    """
    import ast

    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    found: list[str] = []
    for each in body:
        is_data = isinstance(each, ast.ClassDef) and not DATA.isdisjoint(
            map(ast.unparse, each.bases)
        )
        if isinstance(each, ast.ClassDef | ast.FunctionDef) and not (rendered and is_data):
            found.append(each.name)
        targets = each.targets if isinstance(each, ast.Assign) else []
        if isinstance(each, ast.AnnAssign):
            targets = [each.target]
        found += [target.id for target in targets if isinstance(target, ast.Name)]
    return [name for name in dict.fromkeys(found) if not name.startswith("_")]


DATA = frozenset({"HudItem", "HudValue", "BaseModel", "Enum"})
"""The bases of classes of data."""


@contextmanager
def without_working_folder() -> Generator[None]:
    """Exclude the working folder from imports within, unless ``PYTHONPATH`` names it."""
    named = {_real(each) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each}
    here = _real(".")
    before = list(sys.path)
    # python -m adds the folder first, python -c an empty name; elsewhere in the list, it was
    # installed.
    kept = [
        each
        for place, each in enumerate(before)
        if _real(each) in named
        or not (each in _looked_into or _is_relative(each) or (place == 0 and _real(each) == here))
    ]
    sys.path[:] = kept
    try:
        yield
    finally:
        added = [each for each in sys.path if each not in kept]
        sys.path[:] = [*before, *added]


def _imported(name: str, hint: str, *, where: str = "") -> object:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # a module that this one imports is missing
        raise ProjectError(f"there is no module {quoted(name)}{where}; {hint}") from None


def module_of_file(name: str, folder: Path) -> object:
    """Return the module of a file, under its package's name if it has one.

    :raises ProjectError: for a missing file.
    :raises Exception: any that the module raises.
    """
    path = folder / name
    from hashlib import blake2b
    from importlib.util import module_from_spec, spec_from_file_location

    if not path.is_file():
        raise ProjectError(f"there is no file {name}; check its path")
    root, module_name = _root_of(path.resolve())
    _look_into(root)
    if _is_module(module_name, path):  # a second import would define other classes
        return import_module(module_name)
    alone = f"{path.stem}_{blake2b(str(path.resolve()).encode(), digest_size=8).hexdigest()}"
    if alone in sys.modules:
        return sys.modules[alone]
    spec = spec_from_file_location(alone, path.resolve())
    assert spec is not None, "its name ends in .py"
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[alone] = module  # Pydantic resolves annotations there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[alone]
        raise
    return module


def _root_of(path: Path) -> tuple[Path, str]:
    """Return the import root of a file, and its module name there: packages have an ``__init__.py``."""
    names, folder = [path.stem], path.parent
    while folder.joinpath("__init__.py").is_file() and folder != folder.parent:
        names.insert(0, folder.name)
        folder = folder.parent
    if names[-1] == "__init__" and len(names) > 1:
        del names[-1]
    return folder, ".".join(names)


def _is_module(name: str, path: Path) -> bool:
    """Tell whether a file is the module of this name."""
    from importlib.util import find_spec

    if not all(each.isidentifier() for each in name.split(".")):
        return False
    if name == "__main__":
        return False
    try:
        spec = find_spec(name)  # imports the package of a module in one
    except (ImportError, ValueError):  # a module without a spec
        return False
    return spec is not None and spec.origin == str(path.resolve())


def _look_into(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # last: nothing there shadows installed modules
        _looked_into.add(str(folder))


def _modules_in(folder: Path) -> list[str]:
    try:
        return [each.stem for each in folder.iterdir() if each.suffix == CODE or each.is_dir()]
    except OSError:
        return []


def _is_relative(entry: str) -> bool:
    return not Path(entry).is_absolute()


def _real(folder: str) -> str:
    try:
        return str(Path(folder).resolve())
    except (OSError, RuntimeError, ValueError):
        return folder


# The message where a layout needs a session's state, and none is named.

NO_SESSION = "no session is named, so an empty one of the coding domain is shown; give --session and --domain"


def told_of_no_session(error: BaseException) -> BaseException:
    """Add to an error about a field that the coding HUD's state lacks that no session was named.

    For commands in which neither a session nor a domain is named.

    >>> from hud_components import HudState
    >>> from hud_components.layout import BindingError
    >>> lost = BindingError('"hives": a HudState has no field "hives"', lacking=(HudState,))
    >>> print(told_of_no_session(lost))
    "hives": a HudState has no field "hives"; no session is named, so an empty one of the coding domain is shown; give --session and --domain
    """
    if isinstance(error, UjsxError) and is_of_nobodys(error):
        error.message += f"; {NO_SESSION}"
    return error


def is_of_nobodys(error: UjsxError) -> bool:
    """Tell whether an error is caused by a field that the coding HUD's state lacks, and for which it has no
    similar name.
    """
    from hud_components import HudState
    from hud_components.layout import BindingError

    lost = error.__cause__ if isinstance(error, LayoutError) else error
    return isinstance(lost, BindingError) and HudState in lost.lacking and lost.meant is None


@contextmanager
def tells_of_no_session(*, is_shown: bool) -> Generator[None]:
    """Add that no session was named to errors raised within.

    :param is_shown: whether an empty state of the coding domain is shown.
    """
    try:
        yield
    except UjsxError as error:
        if is_shown:
            told_of_no_session(error)
        raise


# The table ``[tool.ujsx]`` of a project's ``pyproject.toml``, in a possibly untrusted folder.

FILE = "pyproject.toml"

LONGEST = 128 * 1024
"""Bytes of a ``pyproject.toml`` at most."""

DOTS = 200
"""Dots in a line at most: the parser's time and memory grow with the square of a key's dots (measured with
Python 3.11: 9 s for 20,000). A file of keys with 200 takes 1.4 s at most.
"""

FORMAT = "format"
"""The table with the format of Markdown."""


def project_of(folder: Path) -> Path | None:
    """Return the nearest folder with a ``pyproject.toml``, upwards from a folder, or ``None``."""
    try:
        real = folder.resolve()
        return next((each for each in (real, *real.parents) if os.path.lexists(each / FILE)), None)
    except (OSError, RuntimeError):
        return None


def read_format(folder: Path) -> Mapping[str, object]:
    """Return the table ``[tool.ujsx.format]`` of a project's ``pyproject.toml``; empty if it has none.

    :raises ProjectError: for a file that cannot be read, and for a value that is not a table.
    """
    found = _table_of(folder).get(FORMAT, {})
    if not isinstance(found, dict):
        raise ProjectError(
            f"{folder.resolve() / FILE}: tool.ujsx.format is a table, not {shown(found)}"
        )
    return cast("dict[str, object]", found)


def _opened(path: Path) -> BufferedReader | None:
    """Open a regular file; ``None`` if there is none."""
    try:
        # Opening a pipe would wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    return None


def _content(path: Path) -> bytes | None:
    """Return the bytes of a regular file within the limit; ``None`` otherwise."""
    file = _opened(path)
    if file is None:
        return None
    with file:
        data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        if b"ujsx" not in data:
            return None
        raise ProjectError(f"{path} is longer than {LONGEST:,} bytes, and is not read")
    return data


def _table_of(folder: Path) -> Mapping[str, object]:
    path = folder.resolve() / FILE
    data = _content(path)
    return {} if data is None or b"ujsx" not in data else _table(data, path)


def _table(data: bytes, path: Path) -> Mapping[str, object]:
    import tomllib

    if any(line.count(b".") > DOTS for line in data.splitlines()):
        raise ProjectError(f"{path} has a line of more than {DOTS} dots, and is not read")
    try:
        found: object = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):  # not TOML, not UTF-8, or nested too deeply
        raise ProjectError(f"{path} cannot be read as TOML") from None
    for name in ("tool", "ujsx"):
        if not isinstance(found, dict) or name not in found:
            return {}
        found = cast("dict[str, object]", found)[name]
    if not isinstance(found, dict):
        raise ProjectError(f"{path}: tool.ujsx is a table, not {shown(found)}")
    return cast("dict[str, object]", found)
