"""The operations of a toolset, under every way to write their names."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, MappingProxyType
from typing import Any

from ujsx.components._component import Component
from ujsx.errors import LONGEST_NAME, DefinitionError, did_you_mean, listed, nearest, quoted, shown
from ujsx.schema._definition import tool_name
from ujsx.schema._router import CALL, OP
from ujsx.tools._lenient import STATUSES
from ujsx.tools._names import folded, names
from ujsx.tools._operation import Operation

HELP = "help"
"""The operation that a call without a name is pointed to, where a toolset has one."""

LONGEST = 200
"""Characters of a name that are looked at; no name of ours is nearly as long."""

_NAMESPACE = re.compile(r"(?:functions?|tools?|default_api)[.:/]+")
"""What OpenAI's models and Gemini write before the names of tools."""

_NUMBERED = re.compile(r":\d+\Z", re.ASCII)
"""What Kimi's models write behind them: the number of the call."""

_LEAKED = re.compile(r"(?:<\|\w+\|>(?:analysis|commentary|final|json)?|</\w+>)+\Z")
"""What servers of open models leave behind them: tokens that end a name, with the channel it is in."""

_SERVER = re.compile(r"mcp__(.+)__([^_].*)", re.DOTALL)
"""How clients name the tools of an MCP server."""

_FLAT_SERVER = re.compile(r"(?:mcp_)+(?!_)(.+)", re.DOTALL)
"""The same with a single underscore, which does not say where the server's name ends."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


class Catalog:
    """Operations by name; case and separators, and the tool's name before it, make no difference.

    :param absent: names of operations that others of its kind have, each with why it has not.
    :param meant: what other names mean; see :class:`ujsx.tools.Toolset`.
    :raises DefinitionError: for operations that cannot be told apart, and for none at all.

    >>> from ujsx.elements import Link
    >>> catalog = Catalog([Operation("notes.add", Link)], tool="hud")
    >>> [catalog.find(name).name for name in ("notes.add", "notesAdd", "hud notes.add")]
    ['notes.add', 'notes.add', 'notes.add']
    """

    def __init__(
        self,
        operations: Iterable[Operation],
        tool: str,
        absent: Mapping[str, str] = MappingProxyType({}),
        meant: Callable[[str], tuple[str | None, str]] | None = None,
    ) -> None:
        self.tool = tool
        self._meant = meant
        self.has_words = meant is not None
        self._absent = {folded(name): why for name, why in absent.items()}
        forms: dict[str, Operation | None] = {folded(tool): None}
        by_name: dict[str, Operation] = {}
        for each in operations:
            _check(each)
            form = folded(each.name)
            if form in forms:
                raise _clash(each, forms[form], tool)
            by_name[each.name] = forms[form] = each
        if not by_name:
            raise DefinitionError(f"the toolset {tool} has no operations")
        prefixed = {folded(tool) + form: each for form, each in forms.items() if each is not None}
        self._tool_forms = {folded(tool), folded(tool) * 2}
        self.by_name: Mapping[str, Operation] = MappingProxyType(by_name)
        self._forms = {**prefixed, **forms}

    def find(self, name: object) -> Operation | None:
        """Return the operation that ``name`` is a way to write, or ``None``."""
        if isinstance(name, str) and name in self.by_name:
            return self.by_name[name]
        found = (self._forms.get(folded(each)) for each in self._ways(name))
        return next(filter(None, found), None)

    def meant(self, name: object) -> Operation | None:
        """Return the operation that ``name`` is a way to write, or another word for; ``None`` where that is in doubt."""
        found = self.find(name)
        if found is None and self._meant is not None:
            found = self.by_name.get(self._other(name)[0] or "")
        return found

    def taking(self, name: object, given: Mapping[str, Any]) -> Operation | None:
        """Return the operation that ``name`` is a way to write; another one, where it is another word for it and that one
        alone takes what is given: ``TaskUpdate`` of a list of things to do is no ``task.update``.
        """
        found = self.find(name)
        if found is None or found.name == name or self._meant is None or self.fits(found, given):
            return found
        other = self.by_name.get(self._other(name)[0] or "")
        return other if other is not None and self.fits(other, given) else found

    def shorthand(self, name: object, given: Mapping[str, Any]) -> Operation | None:
        """Return the operation that adds what a name alone tells: ``{"note": "Port 8080"}``, ``{"op": "note", …}``.

        It is meant where it takes all that is given.
        """
        if not self._meant or not given:
            return None
        found = self.meant(f"{name}.add")
        if found is not None and self.fits(found, given):
            return found
        for key in STATUSES:  # {"op": "file", "path": "a.py", "status": "editing"}
            told = self.meant(f"{name}.{given[key]}") if isinstance(given.get(key), str) else None
            rest = {each: value for each, value in given.items() if each != key}
            if told is not None and self.fits(told, rest):
                return told
        return None

    def without_tool(self, name: str) -> str:
        """Return a name without the name of the tool in front of it: "clear" of "hud_clear"."""
        return re.sub(rf"(?i)^{re.escape(self.tool)}[\W_]+", "", name)

    @staticmethod
    def fits(operation: Operation, given: Mapping[str, Any]) -> bool:
        """Tell whether an operation takes all that is given, under whatever names."""
        if operation.respelt is None:
            return False
        return given.keys() <= {*names(operation.arguments), *operation.respelt(given)}

    def takes(self, name: str) -> bool:
        """Tell whether a name that may be an envelope's is what operations are about: a section's."""
        return self.meant(f"{name}.add") is not None

    def _other(self, name: object) -> tuple[str | None, str]:
        """What a name means by other words, and the hint where that is in doubt."""
        told = [self._meant(each) for each in self._ways(name)] if self._meant else []
        sure = [each for each in told if each[0] is not None]
        return next(iter([*sure, *reversed(told)]), (None, ""))

    def hint(self, name: str) -> str:
        """Return which operations a name that is not known may mean."""
        meant, hint = self._other(name)
        return hint if meant is None else f"did you mean {quoted(meant)}?"

    def is_tool(self, name: object) -> bool:
        """Tell whether ``name`` is a way to write the name of the tool that all share.

        >>> from ujsx.elements import Link
        >>> catalog = Catalog([Operation("notes.add", Link)], tool="hud")
        >>> [catalog.is_tool(name) for name in ("HUD", "functions.hud", "mcp__x__hud", "hood")]
        [True, True, True, False]
        """
        return name == self.tool or any(
            folded(each) in self._tool_forms for each in self._ways(name)
        )

    def _ways(self, name: object) -> Iterator[str]:
        """The name as it came, then without what hosts and models write around names."""
        if not isinstance(name, str):
            return
        yield name
        bare = _NAMESPACE.sub("", _NUMBERED.sub("", _LEAKED.sub("", name[:LONGEST].strip())))
        server, flat = _SERVER.fullmatch(bare), _FLAT_SERVER.fullmatch(bare)
        if server is None and flat is None:
            yield bare
        elif server is None:
            if flat is not None and folded(flat[1]).startswith(folded(self.tool)):
                yield flat[1]
        elif folded(server[2]) in self._tool_forms or folded(server[1]) == folded(self.tool):
            yield server[2]  # an operation of that name may be another server's

    def unknown(self, name: str) -> str:
        """Return what is said of a name that no operation has."""
        other, hint = self._other(name)
        for each in (*self._ways(name), other or ""):
            if why := self._absent.get(folded(each).removeprefix(folded(self.tool))):
                return why
        alike = [] if nearest(name, self.by_name) else self._alike(name[:LONGEST_NAME])
        either = " or ".join(map(quoted, alike))
        if not hint:
            hint = f"did you mean {either}?" if either else did_you_mean(name, self.by_name)
        return f"there is no operation {_quoted(name)}; {hint}"

    def missing(self) -> str:
        """Return what is said where a call names no operation, with a call to begin with."""
        first = HELP if HELP in self.by_name else next(iter(self.by_name))
        call = json.dumps({CALL: {OP: first}})
        known = listed(sorted(self.by_name))
        return f'"{OP}" is missing: it names the operation, as in {call}; known: {known}'

    def _alike(self, name: str) -> list[str]:
        """The operations in whose names all words of ``name`` are, in the order of the toolset."""
        words = _words(name)
        return [each for each in self.by_name if words and words <= _words(each)]

    def unknown_tool(self, name: object) -> str:
        """Return what is said of a tool that is neither the shared one nor an operation."""
        if isinstance(name, str) and folded(name).removeprefix(folded(self.tool)) in self._absent:
            return self.unknown(name)
        hint = self._other(name)[1] or did_you_mean(str(name), (self.tool, *self.by_name))
        return f"there is no tool {_quoted(name)}; {hint}"


def _clash(operation: Operation, other: Operation | None, tool: str) -> DefinitionError:
    """Return what is said of an operation whose name another has, or the tool that all share."""
    if other is None:
        return DefinitionError(
            f'"{operation.name}" and "{tool}" cannot be told apart in a call: one is {_place(operation)}, the other the'
            " toolset; give one of them another name"
        )
    places = _place(other), _place(operation)
    made = "both are" if places[0] == places[1] else "they are"
    said = " and ".join(dict.fromkeys(places))
    return DefinitionError(
        f'"{operation.name}" and "{other.name}" cannot be told apart in a call: {made} {said}; give one of them another'
        " name, or leave one out"
    )


def _place(operation: Operation) -> str:
    """What does an operation, and where it is written."""
    handler: Any = operation.handler
    done_by = inspect.unwrap(getattr(handler, "function", handler)) if callable(handler) else None
    code = getattr(done_by, "__code__", None)
    if isinstance(code, CodeType):
        return f"{code.co_qualname}, {code.co_filename}:{code.co_firstlineno}"
    cls = operation.component or operation.arguments
    return f"{cls.__module__}.{cls.__qualname__}" if done_by is None else shown(done_by)


def _check(operation: object) -> None:
    if isinstance(operation, Operation):
        return
    write = 'Operation("name", a component), or Operation.of(a function)'
    given: Any = operation
    if inspect.isclass(operation):
        handler = "" if issubclass(operation, Component) else ", what answers"
        write = f'Operation("{tool_name(given)}", {given.__name__}{handler})'
    elif callable(given):
        name = getattr(given, "__name__", "function")
        write = f"Operation.of({name}), or put @toolset.operation above the function"
    elif isinstance(getattr(given, "operations", None), Mapping):  # another toolset
        write = "its operations, [*toolset.operations.values()], without its help"
    raise DefinitionError(f"a toolset is made of operations, not of {shown(given)}; write {write}")


def _words(name: str) -> set[str]:
    """The words of a name, whether they are one or many: "notes" and "note" are one word."""
    return {word.casefold().removesuffix("s") for word in _WORD.findall(name)}


def _quoted(name: object) -> str:
    """The name on one line, cut, in the quotes of a message."""
    return quoted(repr(name)[1:-1] if isinstance(name, str) else repr(name))
