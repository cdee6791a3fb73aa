"""Tokens (o200k) of the HUD's tool, as one router or as many tools, and of all that each request contains beside the HUD.

Counted is the whole definition as compact JSON; of the forms, in the shape of MCP. "Pydantic's union" is what
Pydantic itself makes of the same models, told apart by ``op``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, Field, create_model

from hud_runtime.tools import INSTRUCTIONS, definitions, hud_toolset
from ujsx.schema import DIALECTS, router_schema, schema_tokens
from ujsx.tokens import rs_bpe_counter
from ujsx.tools import Operation, Toolset

FOUNDING = frozenset(
    {
        "task.get", "task.set", "task.update", "decisions.list", "decisions.record",
        "decisions.remove", "notes.list", "notes.add", "notes.update", "notes.remove", "steps.list",
        "steps.add", "steps.complete", "steps.reorder", "blockers.list", "blockers.add",
        "blockers.remove", "snapshot", "history", "search",
    }
)  # fmt: skip
"""The 20 operations that the founding documents name, without ``help``."""

LIMIT = 600
"""Tokens that the tools and the instructions may have together, in each dialect."""


def pydantic_union(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the tool whose arguments are Pydantic's own union of the operations."""
    literal: Any = Literal  # types that are made here: a checker cannot follow
    union: Any = Union
    annotated: Any = Annotated
    make: Any = create_model
    models: list[Any] = [
        make(
            each.tool_name,
            __base__=each.arguments,
            __doc__=each.help,
            op=(literal[each.name], ...),
        )
        for each in operations
    ]
    call = annotated[union[tuple(models)], Field(discriminator="op")]
    tool: type[BaseModel] = make("Hud", call=(call, ...))
    return {"name": "hud", "description": "", "inputSchema": tool.model_json_schema()}


def forms(hud: Toolset) -> dict[str, Callable[[Sequence[Operation]], object]]:
    """Return how operations can be told to a model, by name."""

    def router(layout: str, *, brief: bool) -> Callable[[Sequence[Operation]], object]:
        return lambda operations: {
            "name": hud.name,
            "description": hud.description,
            "inputSchema": router_schema(operations, dialect="mcp", layout=layout, brief=brief),
        }

    def separate(operations: Sequence[Operation]) -> object:
        tools = hud.definitions("mcp", prefix="hud_")
        names = {f"hud_{each.tool_name}" for each in operations}
        return [each for each in tools if each["name"] in names]

    return {
        "separate tools": separate,
        "Pydantic's union": pydantic_union,
        "grouped": router("grouped", brief=False),
        "grouped, brief": router("grouped", brief=True),
        "signatures, brief (ours)": router("signatures", brief=True),
        "flat, brief": router("flat", brief=True),
        "loose": router("loose", brief=True),
    }


def main() -> None:
    """Count and print."""
    hud = hud_toolset(None)
    every = [*hud.operations.values()]
    sets = {
        "founding": [each for each in every if each.name in FOUNDING],
        "listed": [each for each in every if not each.rare],
        "all": every,
    }
    count = rs_bpe_counter("o200k_base")
    title = "The HUD's operations, in o200k tokens"
    heads = "".join(f"{f'{name}: {len(sets[name])}':>14}" for name in sets)
    print(title, "=" * len(title), f"{'':24}{heads}", sep="\n")
    for form, define in forms(hud).items():
        numbers = "".join(f"{_tokens(define(each), count):14,}" for each in sets.values())
        print(f"{form:24}{numbers}")
    print(
        f"\n{'in each request':24}{'hud':>14}{'hud_compact':>14}{'instructions':>14}{'together':>14}{'deferred':>14}"
    )
    for dialect in DIALECTS:
        counts = [schema_tokens(each, count) for each in definitions(dialect)]
        hud, compact, instructions = *counts, count(INSTRUCTIONS)
        together = hud + compact + instructions
        numbers = (hud, compact, instructions, together, together - compact)
        print(f"{dialect:24}{''.join(f'{each:14,}' for each in numbers)}")
    print(
        f"\nthe limit for all of it: {LIMIT}; deferred: where a host loads hud_compact when it is searched for\n"
    )


def _tokens(definition: object, count: Callable[[str], int]) -> int:
    each: Any = definition
    if isinstance(definition, list):
        total: int = sum(schema_tokens(one, count) for one in each)
        return total
    return schema_tokens(each, count)


if __name__ == "__main__":
    main()
