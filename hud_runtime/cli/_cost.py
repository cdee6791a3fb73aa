"""Print what the HUD of a session has cost, turn by turn, and what it would cost in each place.

Costs are in tokens of plain input, beside the same requests without a HUD, by what the provider's
documents say of its cache. The session is one of a store, by its id, or a transcript.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._click import option
from hud_runtime.cli._commands import Options, UsageError
from hud_runtime.cli._options import (
    json_option,
    number,
    session_argument,
    store_options,
    with_option,
)
from hud_runtime.cli._stored import as_told, is_there, read_text
from hud_runtime.cli._target import recording, session_in_store, session_target
from hud_runtime.cli._terminal import answer, told

if TYPE_CHECKING:
    from hud_runtime import HudSession
    from hud_runtime.context.delivery import Bill, Prices, TurnCost, TurnWords


@session_argument(
    metavar="FILE_OR_ID", what="the session's id, its project's folder, or a transcript"
)
@option(
    "--prices",
    metavar="NAME_OR_FILE",
    default="anthropic",
    help="anthropic (the default), openai, openai-before-5.6, or a JSON file of your own",
)
@option(
    "--first",
    metavar="N",
    type=number,
    help="tokens before the history (default: by the first reading, or 12000 without readings)",
)
@option(
    "--each",
    metavar="N",
    type=number,
    default=1_500,
    help="tokens that a request adds without readings (default: 1500)",
)
@store_options()
@with_option()
@json_option("the bill")
def run(options: Options) -> int:
    prices = _prices(options.prices)
    with _session(options) as (session, words):
        counted = session.billing(prices, first=options.first, each=options.each, words=words)
        *_, bill = told(counted, "counting turns")
    assert bill is not None
    answer(_data(bill), _lines(bill), as_json=options.json)
    return 0


@contextmanager
def _session(
    options: Options,
) -> Generator[tuple[HudSession[Any], Mapping[int, TurnWords] | None]]:
    """The session, and what each turn added to its conversation, where a transcript tells."""
    name = options.session
    if session_target(name, options.store).kind == "recording":
        with recording(name) as found:
            yield found.session, found.words()
    else:
        with session_in_store(name, options.store) as (stored, session_id):
            yield stored.opened(session_id), None


def _prices(name: str) -> Prices:
    """The prices of a name, or of a file.

    :raises UsageError: for a file that has none.
    """
    import msgspec

    from hud_runtime.context.delivery import PRICES, Prices

    if name in PRICES:
        return PRICES[name]
    if not is_there(name, Path.is_file):
        known = ", ".join(PRICES)
        raise UsageError(f'"{name}" is neither a table of prices nor a file; known: {known}')
    try:
        return msgspec.json.decode(read_text(name), type=Prices)
    except msgspec.MsgspecError as error:
        raise UsageError(
            f'{as_told(name)} has no prices: {error}; write {{"cache": "breakpoints", "read": 0.1}}'
        ) from None


def _data(bill: Bill) -> dict[str, Any]:
    ratios = {way: bill.ratio(way) for way in bill.ways}
    return {**dataclasses.asdict(bill), "ratios": ratios, "cheapest": bill.cheapest}


def _lines(bill: Bill) -> Iterator[str]:
    yield f"{'turn':>5}{'HUD':>7}{'appended':>10}{'kept':>7}{'lost':>7}  broken by"
    yield from map(_line, bill.turns)
    assumed = ", of a history whose size is assumed" if bill.is_assumed else ""
    yield f"Requests without a HUD cost {bill.without:,.0f} tokens of plain input{assumed}."
    yield f"{'':28}{'HUD':>14}{'with it':>14}{'and with tools':>16}"
    for way, cost in bill.ways.items():
        told = f"{bill.ratio(way):.3f}×", f"{bill.ratio(way, tools=True):.3f}×"
        yield f"  {way:26}{cost - bill.without:14,.0f}{told[0]:>14}{told[1]:>16}"
    yield (
        f"Tools and instructions have {bill.tool_tokens:,} tokens in each request: {bill.tools:,.0f}."
        f" Cheapest at these prices: {bill.cheapest}."
    )
    if bill.factor != 1:
        yield f"A token of the estimate is {bill.factor:.2f} of the provider's, by the readings."
    billed = bill.billed
    if billed is not None:
        yield (
            f"Billed: {billed.requests:,} requests, {billed.input:,} tokens of plain input,"
            f" {billed.cache_read:,} read from the cache ({billed.cached:.0%} of all),"
            f" {billed.cache_write:,} written to it, {billed.output:,} of output:"
            f" {billed.prompts:,.0f}, and {billed.cost - billed.prompts:,.0f} for the output"
        )


def _line(turn: TurnCost) -> str:
    return (
        f"{turn.turn:5}{turn.tokens:7,}{turn.appended:10,}{turn.kept:7.0%}{turn.lost:7,}"
        f"  {turn.broken_by or ''}"
    ).rstrip()
