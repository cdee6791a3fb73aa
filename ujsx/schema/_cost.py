"""What a schema costs in the prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ujsx.errors import SchemaError, shown
from ujsx.tokens import TokenCounter, estimate_tokens


def schema_tokens(schema: Mapping[str, Any], counter: TokenCounter | None = None) -> int:
    """Return how many tokens a schema or a tool definition is, as JSON without white space.

    Providers put definitions into words of their own, which they do not publish; the figure is for
    comparing, and for budgets.

    :param counter: counts the tokens of a text; :func:`ujsx.tokens.estimate_tokens` when ``None``.
    :raises SchemaError: for what is no schema and no definition.

    >>> schema_tokens({"type": "object", "properties": {}}, counter=len)
    33
    """
    given: object = schema
    if not isinstance(given, Mapping):
        raise SchemaError(
            f"a schema is a dictionary, not {shown(given)}; write tool_schema(…) or "
            "tool_definition(…) of a model"
        )
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return (counter or estimate_tokens)(text)
