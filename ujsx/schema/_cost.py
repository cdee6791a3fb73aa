"""What a schema costs in the prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ujsx.tokens import TokenCounter, estimate_tokens


def schema_tokens(schema: Mapping[str, Any], counter: TokenCounter | None = None) -> int:
    """Return how many tokens a schema or a tool definition is, as JSON without white space.

    Providers put definitions into words of their own, which they do not publish; the figure is for
    comparing, and for budgets.

    :param counter: counts the tokens of a text; :func:`ujsx.tokens.estimate_tokens` when ``None``.

    >>> schema_tokens({"type": "object", "properties": {}}, counter=len)
    33
    """
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return (counter or estimate_tokens)(text)
