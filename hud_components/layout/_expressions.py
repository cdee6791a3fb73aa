"""The tags that say what an expression of JSX means: ``When``, ``Each`` or ``Value``.

In: what stands between braces, such as ``density === "full" && <NotesSection/>``, and a vocabulary. Out: the tags for
the error that refuses it. They are advice: an expression is never evaluated, and what no tag says is an ellipsis.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from hud_components._levels import THRESHOLDS
from hud_components.declaring._section import HudSection
from ujsx import Component
from ujsx.components import fields_of
from ujsx.layout import braces_in

DEEPEST = 3
"""How deep expressions within expressions are looked at."""

REST = "…"

_YELLOW, _RED = (f"{{{each.percentage:g}}}" for each in THRESHOLDS[1:3])

DENSITIES: Mapping[tuple[bool, str], str] = MappingProxyType(
    {
        (True, "full"): f'field="usage.percentage" below={_YELLOW}',
        (False, "full"): 'level="yellow"',
        (True, "compact"): f'field="usage.percentage" at_least={_YELLOW} below={_RED}',
        (True, "minimal"): 'level="red"',
        (False, "minimal"): f'field="usage.percentage" below={_RED}',
    }
)
"""The condition for each density, and for all but it: how full the context is decides on the density."""

BEGINS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("state", "props", "this"), ""),
        **dict.fromkeys(("context_info", "context", "info"), "usage"),
        "percentage": "usage.percentage",
    }
)
"""What the first name of a path means where no field of the state has it."""

ORDERS = {">": "above", "<": "below", ">=": "at_least", "<=": "at_most"}

OPPOSITES = {"has": "lacks", "lacks": "has"}

NOTHING = ("null", "undefined", "false", "")

UNKNOWN = (
    (re.compile(r"\.map\(|\bfor\b"), f'<Each of="{REST}">{REST}</Each>'),
    (re.compile(r"&&|\|\||\?|\bif\b"), f'<When has="{REST}">{REST}</When>'),
)
"""The tags for what looks like a loop or a condition, and cannot be read."""

_NAME = r"[A-Za-z_$][\w$]*+"
_PATH = re.compile(rf"{_NAME}(?:\??\.{_NAME})*+")
_COMPARED = re.compile(
    r"(?P<path>[\w$.?]++)\s*+(?P<sign>[=!]==?|[<>]=?)\s*+(?P<value>\S.*+)", re.DOTALL
)
_LOOP = re.compile(
    rf"(?P<list>[\w$.?]+?)\??\.map\(\s*+\(?\s*+(?P<item>{_NAME})[^=]*+=>(?P<body>.*)\)", re.DOTALL
)
_TEXT = re.compile(r"""(["'`])(?P<text>[^"'`{}<\\\n]*+)\1""")
_SIGN = re.compile(r"(?P<opens>[(\[{])|(?P<closes>[)\]}])|(?P<tag><[A-Za-z>])|&&|\?(?![.?])|:")
_BRACES = re.compile(r"(?P<prop>\s[\w-]++=)?\{")
_LITERAL = re.compile(r"""["\d\[{-]|true$|false$|null$""")
_TAG = re.compile(r"<([A-Za-z][\w.]*+)")
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])")


def tags_for(expression: str, vocabulary: Mapping[str, type[Component]]) -> str | None:
    """Return the tags that mean what an expression means; ``None`` for what is no expression that has any.

    >>> from hud_components import layout_vocabulary
    >>> tags_for('density === "full" && <NotesSection/>', layout_vocabulary())
    '<When field="usage.percentage" below={70}><NotesSection/></When>'
    >>> tags_for("state.task", layout_vocabulary())
    '<Value of="task.description"/>'
    >>> tags_for("notes.map(note => <Item>{note.content}</Item>)", layout_vocabulary())
    '<Each of="notes"><Item><Value of="content"/></Item></Each>'
    """
    found = _ExpressionReader(vocabulary).tags(expression)
    return found if found and vocabulary.keys() >= {*_TAG.findall(found)} else None


@dataclass(frozen=True)
class _ExpressionReader:
    """Reads the expressions that stand in one place."""

    vocabulary: Mapping[str, type[Component]]
    items: tuple[str, ...] = ()
    """The names of the items that the loops around go through."""
    level: int = 0

    def tags(self, expression: str) -> str | None:
        text = _bare(expression)
        loop = _LOOP.fullmatch(text)
        if loop is not None:
            return self._each(loop)
        condition, behind = _parted(text, "?")
        if behind:
            shown, otherwise = _parted(behind, ":", over_tags=True)
            asked = self._condition(condition)
            other = self.children(otherwise)
            return self._when(asked, shown) + (other and f"<When {_opposite(asked)}>{other}</When>")
        condition, behind = _parted(text, "&&")
        if behind:
            return self._when(self._condition(condition), behind)
        if quoted := _TEXT.fullmatch(text):
            return f'{{"{quoted["text"]}"}}'
        if _PATH.fullmatch(text) and text not in ("true", *NOTHING):
            path = self._path(text)
            return f'<Value of="{path}"/>' if text.endswith(".length") else self._value(path)
        if text.startswith("<"):
            return self.children(text)
        return next((tags for pattern, tags in UNKNOWN if pattern.search(text)), None)

    def _when(self, condition: str, shown: str) -> str:
        return f"<When {condition}>{self.children(shown)}</When>"

    def _each(self, loop: re.Match[str]) -> str:
        path = self._path(loop["list"])
        inside = replace(self, items=(*self.items, loop["item"])).children(loop["body"])
        if inside == REST and path in self._sections():
            return self._value(path)
        return f'<Each of="{path}">{inside}</Each>'

    def _value(self, path: str) -> str:
        section = self._sections().get(path)
        if section is None:
            return f'<Value of="{path or REST}"/>'
        if section.kind is not None:
            return f'<Each of="{path}"><Value of="{section.kind.text}"/></Each>'
        return f'<Value of="{path}.{next(iter(fields_of(section.draft)))}"/>'

    def children(self, text: str) -> str:
        """The nodes between two tags: expressions as tags, and without the props that have some."""
        text = _bare(text)
        if text in NOTHING:
            return ""
        if quoted := _TEXT.fullmatch(text):
            return quoted["text"]
        if self.level == DEEPEST:
            return REST
        inner = replace(self, level=self.level + 1)
        if not text.startswith("<"):
            return inner.tags(text) or REST
        parts: list[str] = []
        at, ends = 0, braces_in(text)
        for brace in _BRACES.finditer(text):
            if brace.start() < at:
                continue
            parts.append(text[at : brace.start()])
            at = ends.get(brace.end() - 1, brace.end())
            inside = text[brace.end() : at - 1].strip()
            if _LITERAL.match(inside) or inside.startswith("/*"):
                parts.append(text[brace.start() : at])
            elif not brace["prop"]:
                parts.append(inner.tags(inside) or REST)
        found = " ".join("".join([*parts, text[at:]]).split()).replace(" />", "/>")
        return found if self.vocabulary.keys() >= {*_TAG.findall(found)} else REST

    def _condition(self, text: str) -> str:
        """The props of a ``When``."""
        text = _bare(text)
        bare = text.lstrip("! ")
        if _PATH.fullmatch(bare):
            return f'{"lacks" if text.count("!") % 2 else "has"}="{self._path(bare)}"'
        compared = _COMPARED.fullmatch(text)
        return (compared and self._compared(**compared.groupdict())) or f'has="{REST}"'

    def _compared(self, path: str, sign: str, value: str) -> str | None:
        at, is_equal = self._path(path), sign.startswith("=")
        if sign in ORDERS:
            return f'field="{at}" {ORDERS[sign]}={{{value}}}' if _is_number(value) else None
        if value in ("true", *NOTHING):
            return f'{"has" if (value == "true") is is_equal else "lacks"}="{at}"'
        text = _TEXT.fullmatch(value)
        if text is not None and at.endswith("density"):
            return DENSITIES.get((is_equal, text["text"]))
        equals = f'"{text["text"]}"' if text else f"{{{value}}}" if _is_number(value) else ""
        return f'field="{at}" equals={equals}' if equals and is_equal else None

    def _path(self, written: str) -> str:
        """A path as a layout has it: without the state or the item that it begins in."""
        first, *rest = written.replace("?", "").split(".")
        names = [_HUMP.sub("_", name).lower() for name in (first, *rest)]
        if first in self.items:
            return ".".join(names[1:]) or "."
        if names[-1] == "length":
            names.pop()
        if names and names[0] not in self._sections():
            names[:1] = filter(None, [BEGINS.get(names[0], names[0])])
        return ".".join(names)

    def _sections(self) -> Mapping[str, type[HudSection]]:
        classes = self.vocabulary.values()
        found = (each for each in classes if issubclass(each, HudSection) and each.field)
        return {each.field: each for each in found}


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _opposite(condition: str) -> str:
    prop, _, path = condition.partition("=")
    return f"{OPPOSITES[prop]}={path}" if prop in OPPOSITES else f'has="{REST}"'


def _bare(text: str) -> str:
    """An expression without the brackets around it."""
    text = text.strip()
    while text[:1] in ("(", "{") and _bracket_end(text) == len(text):
        text = text[1:-1].strip().removeprefix("return ").rstrip("; ")
    return text


def _bracket_end(text: str) -> int:
    """Where the bracket ends with which a text begins; 0 where it does not."""
    depth = 0
    for found in _SIGN.finditer(text):
        depth += bool(found["opens"]) - bool(found["closes"])
        if depth == 0:
            return found.end()
    return 0


def _parted(text: str, sign: str, *, over_tags: bool = False) -> tuple[str, str]:
    """What stands before a sign and behind it; all, and nothing, where it stands in brackets or behind a tag."""
    depth = 0
    for found in _SIGN.finditer(text):
        depth += bool(found["opens"]) - bool(found["closes"])
        if found["tag"] and not over_tags:
            break
        if depth == 0 and found[0] == sign:
            return text[: found.start()].strip(), text[found.end() :].strip()
    return text, ""
