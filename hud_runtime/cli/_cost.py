"""The costs of a HUD: the use of a budget, and the costs of a session, turn by turn."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._click import (
    DENSITIES,
    argument,
    json_option,
    number,
    option,
    session_argument,
    session_options,
    store_options,
    tokens,
    with_option,
)
from hud_runtime.cli._commands import (
    Options,
    UsageError,
    asked_name,
    domain,
    one_of,
    own_components,
)
from hud_runtime.cli._render import shown_with
from hud_runtime.cli._stored import file_name, is_there, read_text
from hud_runtime.cli._target import (
    TARGET_FORMS,
    ShownSession,
    authors_code,
    density_named,
    example_of,
    named_session,
    problems_data,
    recording,
    session_in_store,
    session_target,
    target_of,
    tree_of,
)
from hud_runtime.cli._terminal import answer, put, put_json, remark, told
from hud_runtime.projects import tells_of_no_session

if TYPE_CHECKING:
    from hud_runtime import HudSession
    from hud_runtime.context.delivery import Bill, Prices, TurnCost, TurnWords
    from hud_runtime.session import GivenLook
    from ujsx import Child


# The use of a budget, and the reasons.

MODES = ("normal", "aggressive", "hyper")


def tell_pruned(options: Options) -> int:
    """Print what is left of a tool's output when it is pruned, and what that wins."""
    from hud_components import THRESHOLDS
    from hud_runtime.context.pruning import SmartPruning, ToolOutput, mode_for, mode_named
    from hud_runtime.session import settings_beside
    from ujsx.text import visible

    if options.subject is None:
        raise UsageError("--pruned needs a text: ujsx explain --pruned FILE")
    used = options.percentage or 0.0
    if not 0 <= used < float("inf"):
        raise UsageError(f"a percentage is 0 or more, not {used:g}")
    if options.mode is not None:
        one_of(options.mode, MODES, "mode")
    settings = settings_beside(None)
    table = settings.thresholds or THRESHOLDS
    mode = mode_for(used, thresholds=table) if options.mode is None else mode_named(options.mode)
    policy = (None if settings.pruning is None else settings.pruning.smart) or SmartPruning()
    arguments = {} if options.command is None else {"command": options.command}
    output = ToolOutput(text=read_text(options.subject), tool=options.tool, arguments=arguments)
    made = policy.prune(output, mode=mode)
    if options.json:
        whole: dict[str, object] = {"text": output.text, "mode": mode.name, "cuts": ()}
        sizes = {"before": output.size, "after": output.size}
        put_json({**whole, **sizes} if made is None else asdict(made))
        return 0
    put(visible(output.text if made is None else made.text))
    if made is None:
        remark(f"{output.size:,} tokens; nothing to win ({mode.name})")
    else:
        remark(f"{made.before:,} tokens, {made.after:,} left ({made.kind}, {made.mode})")
    return 0


@argument("subject", metavar="SUBJECT", required=False, help=TARGET_FORMS)
@option(
    "--budget",
    type=tokens,
    help="the text's token limit (default: by density and level)",
)
@session_options(what="the recorded file or the session whose state is shown")
@option(
    "--density", metavar="D", words=DENSITIES, help="the most to show: full, compact or minimal"
)
@option(
    "--more", type=number, default=100, help="how many more tokens to look ahead (default: 100)"
)
@with_option()
@option(
    "--pruned",
    is_flag=True,
    help="instead, print what is left of a tool's output when it is pruned: SUBJECT is its text, or - for standard input",
)
@option(
    "--percentage",
    metavar="N",
    type=float,
    goes_with=("pruned",),
    help="with --pruned, how full the context is, in percent (default: 0)",
)
@option(
    "--mode",
    metavar="MODE",
    words=MODES,
    goes_with=("pruned",),
    instead_of=("percentage",),
    help=f"with --pruned, instead of a percentage: {', '.join(MODES)}",
)
@option(
    "--tool",
    metavar="NAME",
    default="Bash",
    goes_with=("pruned",),
    help="with --pruned, the tool that answered so (default: Bash)",
)
@option(
    "--command",
    metavar="TEXT",
    goes_with=("pruned",),
    help="with --pruned, the command that a shell was given",
)
@json_option("the same as data")
def explain_budget(options: Options) -> int:
    """Explain what a budget shows: the rung of each section, what every rung costs, what more would buy.

    SUBJECT is as in `ujsx preview`: a layout (- for standard input), a component, an element, a
    function that returns one, a domain, a transcript or a session. A layout or component shows the
    state of --session, else an example of --domain, else an empty state. A domain shows an example.
    Without SUBJECT, the HUD of --session is explained.
    """
    if options.pruned:
        return tell_pruned(options)
    density = density_named(options.density)
    chosen, session = _chosen(options)
    from hud_components import room_for
    from hud_runtime.session import GivenLook
    from ujsx import explain, render_document

    shown = session or ShownSession.nobodys()
    no_session = tells_of_no_session(is_shown=session is None and asked_name()[0] is None)
    remarks: list[str] = []
    with authors_code(), no_session:
        if isinstance(chosen, GivenLook):
            hud, remarks = shown_with(chosen, shown, density, options.budget, "show")
            node, context, room = hud.node, hud.context, hud.room
        else:
            node, context = chosen, shown.context
            room, _ = room_for(shown.state.usage, density, options.budget).fill(
                lambda room: render_document(
                    node, density=room.density, budget=room.budget, context=context
                )
            )
        explanation = explain(
            node, room.budget or 0, density=room.density, more=options.more, context=context
        )
    if options.json:
        problems = () if session is None else session.problems
        put_json({**_explanation_data(explanation), "problems": problems_data(problems)})
        return 0
    put(f"{explanation}\n")
    for line in (*(() if session is None else session.place), *remarks):
        remark(line)
    return 0


def _chosen(options: Options) -> tuple[Child | GivenLook, ShownSession | None]:
    """The layout to explain, or a session's layout and words, and the session."""
    from hud_components import Domain
    from hud_runtime.preview._preview import EXAMPLE
    from hud_runtime.session import GivenLook, look_of_domain

    name = options.subject
    target = None if name is None else target_of(name, options.store)
    if target is None or target.is_session:
        if target is not None and options.session is not None:
            raise UsageError(f"--session is for layouts and objects; {name} is itself a session")
        options.session = name or options.session
        session = named_session(options)
        if session is None:
            raise UsageError("name a SUBJECT, or a session: --session FILE_OR_ID")
        return GivenLook(components=own_components()), session
    session = named_session(options)
    tree = tree_of(target, type((session or ShownSession.nobodys()).state))
    if isinstance(tree, Domain):
        if session is not None:
            raise UsageError(
                f"{name} is a domain, of which an example is shown; name the session alone, with --domain {name}"
            )
        return look_of_domain(tree), example_of(tree)
    if session is None and asked_name()[0] is not None:
        session = example_of(domain())
        remark(EXAMPLE)
    return tree, session


def _explanation_data(part: Any) -> Any:
    """The parts of an explanation as data, with each rung's name; ``null`` for hidden."""
    from ujsx import Rung

    if isinstance(part, Rung):
        return str(part)
    if isinstance(part, tuple):
        parts: tuple[Any, ...] = part  # pyright: ignore[reportUnknownVariableType]
        return [_explanation_data(each) for each in parts]
    if not dataclasses.is_dataclass(part):
        return part
    names = [each.name for each in dataclasses.fields(part)]
    return {name: _explanation_data(getattr(part, name)) for name in names}


# The costs of a session's HUD, actual and in each place.


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
    type=number,
    help="tokens before the history (default: by the first reading, or 12000 without readings)",
)
@option(
    "--each",
    type=number,
    default=1_500,
    help="tokens that a request adds without readings (default: 1500)",
)
@store_options()
@with_option()
@json_option("the bill")
def show_cost(options: Options) -> int:
    """Print the cost of a session's HUD: in total, in each way to send it, and turn by turn.

    Costs are in tokens of plain input: a token that is read from the provider's cache counts less,
    by the provider's documents. The session is a stored one, or a transcript.
    """
    prices = _prices(options.prices)
    with _session(options) as (session, words):
        counted = session.billing(prices, first=options.first, each=options.each, words=words)
        *_, bill = told(counted, "counting turns")
    assert bill is not None
    answer(_bill_data(bill), _lines(bill), as_json=options.json)
    return 0


@contextmanager
def _session(options: Options) -> Generator[tuple[HudSession[Any], Mapping[int, TurnWords] | None]]:
    """The session, and the words that each turn added to its conversation, for a transcript."""
    name = options.session
    if session_target(name, options.store).kind == "recording":
        with recording(name) as found:
            yield found.session, found.words()
    else:
        with session_in_store(name, options.store) as (stored, session_id):
            yield stored.opened(session_id), None


def _prices(name: str) -> Prices:
    """The prices of a name, or of a file.

    :raises UsageError: for a file without prices.
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
            f'{file_name(name)} has no prices: {error}; write {{"cache": "breakpoints", "read": 0.1}}'
        ) from None


def _bill_data(bill: Bill) -> dict[str, Any]:
    ratios = {way: bill.ratio(way) for way in bill.ways}
    return {**dataclasses.asdict(bill), "ratios": ratios, "cheapest": bill.cheapest}


def _lines(bill: Bill) -> Iterator[str]:
    assumed = "; the size of its history is assumed" if bill.is_assumed else ""
    appended, tools = bill.ways["append"] - bill.without, bill.tools
    yield (
        f"The HUD, appended (the default): {appended:,.0f} tokens of plain input, {_more(bill, 'append')};"
        f" with its tools {appended + tools:,.0f}, {_more(bill, 'append', tools=True)}."
    )
    yield f"The same session without a HUD: {bill.without:,.0f} tokens of plain input{assumed}."
    yield f"Cheapest at these prices: {bill.cheapest}, {_more(bill, bill.cheapest)}."
    yield ""
    yield f"{'ways to send the HUD':28}{'more tokens':>14}{'cost':>10}{'with tools':>12}"
    for way, cost in bill.ways.items():
        told = f"{bill.ratio(way):.3f}×", f"{bill.ratio(way, tools=True):.3f}×"
        yield f"  {way:26}{cost - bill.without:14,.0f}{told[0]:>10}{told[1]:>12}"
    yield f"Its tools and instructions have {bill.tool_tokens:,} tokens in each request."
    if bill.factor != 1:
        yield f"A token of the estimate is {bill.factor:.2f} of the provider's, by the readings or the model."
    billed = bill.billed
    if billed is not None:
        yield (
            f"Billed: {billed.requests:,} requests, {billed.input:,} tokens of plain input,"
            f" {billed.cache_read:,} read from the cache ({billed.cached:.0%} of all),"
            f" {billed.cache_write:,} written to it, {billed.output:,} of output:"
            f" {billed.prompts:,.0f}, and {billed.cost - billed.prompts:,.0f} for the output"
        )
    yield ""
    yield f"{'turn':>5}{'HUD':>7}{'appended':>10}{'kept':>7}{'lost':>7}  broken by"
    yield from map(_line, bill.turns)


def _more(bill: Bill, way: str, *, tools: bool = False) -> str:
    """The additional share of the cost without a HUD."""
    share = bill.ratio(way, tools=tools) - 1
    return f"{abs(share):.1%} {'less' if share < 0 else 'more'}"


def _line(turn: TurnCost) -> str:
    return (
        f"{turn.turn:5}{turn.tokens:7,}{turn.appended:10,}{turn.kept:7.0%}{turn.lost:7,}"
        f"  {turn.broken_by or ''}"
    ).rstrip()
