"""A component's props as the attributes of its tag."""

from __future__ import annotations

import json
import re
from typing import Any

from ujsx.components._component import Component
from ujsx.components._element import Element
from ujsx.errors import LayoutError, PropError
from ujsx.layout._components import KEY
from ujsx.text._hidden import escaped

_PLAIN = re.compile(r'[^"\\\x00-\x1f\x7f-\x9f]*')
"""A string that can stand between quotes as it is."""


def tag(element: Element) -> str:
    """Return what stands between the brackets of an element's opening tag.

    Props that have their default are left out.

    :raises LayoutError: for a prop whose value no literal stands for.

    >>> from ujsx.elements import List
    >>> tag(List(ordered=True, start=3).keyed("steps"))
    'List key="steps" ordered start={3}'
    """
    component = element.component
    cls = type(component)
    if component.is_fragment and element.key is None:
        return ""
    words = [cls.__name__]
    if element.key is not None:
        if KEY in cls.model_fields:
            raise LayoutError(f'a key cannot be written beside a prop "{KEY}"', path=cls.__name__)
        words.append(_attribute(KEY, element.key))
    words += [_attribute(name, value) for name, value in _literals(component).items()]
    return " ".join(words)


def text(value: str) -> str:
    r"""Return a text as a layout writes it where Markdown has no form for it.

    >>> text("  a\n")
    '{"  a\\n"}'
    """
    # What looks like the form of a hidden character would be read as that character.
    return f"{{{_json(escaped(value))}}}"


def _literals(component: Component) -> dict[str, Any]:
    try:
        props = component.model_dump(mode="json", exclude_defaults=True)
        if type(component)(**props) == component:
            return props
    except (PropError, ValueError, TypeError):  # what Pydantic says of values it cannot dump
        pass
    raise LayoutError(
        "its props cannot be written as literals: read back, they would be others",
        path=type(component).__name__,
    )


def _attribute(name: str, value: object) -> str:
    if value is True:
        return name
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return f'{name}="{value}"'
    return f"{name}={{{_json(value)}}}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_CONTROLS)


_CONTROLS = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}
"""Controls that JSON leaves as they are, and that steer a terminal."""
