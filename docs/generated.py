"""The parts of pages that are made from the code: ``python docs/generated.py`` writes them anew, a test compares them.

A part stands in its page between ``<!-- generated: NAME -->`` and ``<!-- end -->``; NAME is a function's, with its
arguments behind it.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin
from unittest.mock import patch

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS), str(DOCS / "examples"), str(DOCS.parent)]
PART = re.compile(r"(<!-- generated: (\w+)((?: [\w.]+)*) -->\n).*?(<!-- end -->)", re.DOTALL)


def cell(text: str) -> str:
    """Return a text as a cell of a table."""
    return " ".join(text.split()).replace("|", r"\|")


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(cell, row))} |"
    yield ""


# --- The command ---

EXAMPLES = DOCS.parent / "tests" / "hud_runtime" / "cli" / "examples.md"
LONGEST = 14
"""Lines of an example that the page shows."""


OFTEN = 3
"""Commands with the same option from which on it is described once, for all of them."""


def commands(*names: str) -> Iterator[str]:
    """Yield the reference of commands and their actions, as Click has it."""
    from hud_runtime.cli import COMMANDS

    shown = examples()
    for row in map(COMMANDS.__getitem__, names):
        yield from command_part("ujsx", row, 2, shown)
        for action in row.actions:
            yield from command_part(f"ujsx {row.name}", action, 3, shown)


@cache
def command_pages() -> dict[str, str]:
    """Return the page of each command: the one with a generated part that names it."""
    return {
        name: page.name
        for page in sorted((DOCS / "look-up").glob("command-*.md"))
        for part in re.findall(r"<!-- generated: commands (.*) -->", page.read_text("utf-8"))
        for name in part.split()
    }


def command_index() -> Iterator[str]:
    """Yield the list of commands, each with its page."""
    from hud_runtime.cli import COMMANDS

    pages = command_pages()
    links = ((f"[`ujsx {name}`]({pages[name]}#ujsx-{name})", each.summary) for name, each in COMMANDS.items())  # fmt: skip
    yield from table(("command", "purpose"), links)


@cache
def common_options() -> frozenset[tuple[str, str]]:
    """Return the options that several commands have, each with its meaning."""
    from hud_runtime.cli import COMMANDS
    from hud_runtime.cli._bridge import HOSTED
    from hud_runtime.cli._click import loaded

    found: Counter[tuple[str, str]] = Counter()
    for row in [each for each in COMMANDS.values() if each.name not in HOSTED]:
        found.update(
            {option for each in row.actions or (row,) for option in options_of(loaded(each))}
        )
    return frozenset(each for each, count in found.items() if count >= OFTEN and each[0][1] == "-")


def options_of_many() -> Iterator[str]:
    """Yield the options that several commands have."""
    yield from table(("option", "meaning"), sorted(common_options()))


def old_spellings() -> Iterator[str]:
    """Yield what commands were called once, with what does the same now."""
    from hud_runtime.cli._commands import OLD_SPELLINGS

    links = ((f"`ujsx {old}`", f"`ujsx {new}`") for old, new in OLD_SPELLINGS.items())
    yield from table(("once", "now"), links)


def command_part(before: str, row: Any, level: int, shown: dict[str, str]) -> Iterator[str]:
    """Yield the part of a command or of an action."""
    from hud_runtime.cli._bridge import HOSTED, host_parser
    from hud_runtime.cli._click import loaded

    name = f"{before} {row.name}"
    yield from (f"{'#' * level} `{name}`", "")
    if row.name in HOSTED:
        yield from ("```text", host_parser(row.name).format_help().rstrip(), "```", "")
    else:
        command = loaded(row)
        for paragraph in (command.help or "").split("\n\n"):
            yield from (re.sub(r"(?<!`)<", r"\<", " ".join(paragraph.split())), "")
        links = ((f"[`{each.name}`](#{name.replace(' ', '-')}-{each.name})", each.summary) for each in row.actions)  # fmt: skip
        yield from (
            table(("action", "purpose"), links) if row.actions else parameters_of(command, name)
        )
    if name in shown:
        yield shown[name]


def options_of(command: Any) -> list[tuple[str, str]]:
    """Return the arguments and options of a command that not every command has, with their meanings."""
    ctx = command.make_context(command.name, [], resilient_parsing=True)
    return [(option_name(each), getattr(each, "meaning", "") or each.help or "") for each in command.get_params(ctx)
        if not each.name.startswith("everywhere_") and not getattr(each, "hidden", False)]  # fmt: skip


def parameters_of(command: Any, name: str) -> Iterator[str]:
    """Yield the arguments and options of a command, and the end of its help."""
    listed = options_of(command)
    if own := [each for each in listed if each not in common_options()]:
        yield from table(("argument", "meaning"), own)
    if common := [each.split("`")[1].split()[0] for each, text in listed if (each, text) in common_options()]:  # fmt: skip
        names = ", ".join(f"`{each}`" for each in common)
        yield from (f"[Common options](command.md#common-options): {names}.", "")
    ctx = command.make_context(name, [], resilient_parsing=True)
    formatter = ctx.make_formatter()
    command.format_epilog(ctx, formatter)
    if end := formatter.getvalue().strip("\n"):
        yield from ("```text", end, "```", "")


def option_name(param: Any) -> str:
    """Return how an argument is written: ``-n N``, ``--events N``."""
    value = param.metavar or ""
    if param.param_type_name == "argument":
        return f"`{value}`"
    tail = (
        ""
        if param.is_flag
        else f" {value}"
        if not isinstance(param.flag_value, str)
        else f" [{value}]"
    )
    return ", ".join(f"`{each}{tail}`" for each in (*param.opts, *param.secondary_opts))


def examples() -> dict[str, str]:
    """Return the first example of each command that is short; a test runs all of them."""
    found: dict[str, str] = {}
    for name, text in re.findall(r"^## (ujsx.*)\n((?:(?!^## ujsx)[^\n]*\n)*)", EXAMPLES.read_text("utf-8"), re.MULTILINE):  # fmt: skip
        for block in re.findall(r"^```console\n(?:.*\n)*?```\n", text, re.MULTILINE):
            if block.count("\n") <= LONGEST:
                found.setdefault(name, block)
    return found


# --- Events and operations ---


def about(kind: type) -> str:
    """Return the first paragraph of a class's docstring, as a phrase."""
    return as_markdown((kind.__doc__ or "").split("\n\n")[0])


def as_markdown(text: str) -> str:
    """Return a docstring's text as Markdown, without the period."""
    return re.sub(r":\w+:`~?", "`", text.strip().removesuffix(".").replace("``", "`"))


def in_order(model: Any) -> str:
    """Return the fields of a model, those that may be missing in italics."""
    needed = [f"`{name}`" for name, each in model.model_fields.items() if each.is_required()]
    others = [f"`{name}`" for name, each in model.model_fields.items() if not each.is_required()]
    return ", ".join([*needed, *([f"*{', '.join(others)}*"] if others else [])])


def events() -> Iterator[str]:
    """Yield the types of the coding HUD's events, with the operations that record them."""
    from hud_components import CODING
    from hud_runtime.log.events import catalog_of
    from hud_runtime.tools import hud_toolset

    names = {each.type: name for name, each in CODING.operations.items()}
    names |= {
        name: name for name in hud_toolset(layouts=True).operations if name in catalog_of(CODING)
    }
    rows = (
        (f"`{kind}`", in_order(model), f"`{names[kind]}`" if kind in names else "", about(model))
        for kind, model in catalog_of(CODING).items()
    )
    yield from table(("type", "payload, *optional fields*", "operation", "meaning"), rows)


def operations() -> Iterator[str]:
    """Yield the operations of the tool `hud`; those that it does not list are marked."""
    from hud_components import CODING
    from hud_runtime.log.events import catalog_of
    from hud_runtime.tools import hud_toolset

    meanings = {
        name: about(catalog_of(CODING)[each.type]) for name, each in CODING.operations.items()
    }
    rows = (
        (
            f"`{name}`{' *' if each.rare else ''}",
            in_order(each.arguments),
            meanings.get(name) or f"{name.rpartition('.')[2]} {each.help}",
        )
        for name, each in hud_toolset(layouts=True).operations.items()
    )
    yield from table(("operation", "arguments, *optional*", "effect"), rows)


# --- Classes ---

SECTION_ATTRIBUTES = """
name field prop event verbs on lines title noun texts texts_without_signs reads_back budget from_project from_parent
accepts_child_results is_sourced has_operations host_reported keeps_lines alerts stays_shown aliases other_tools former
former_fields upcasts revision prefix text done shows_done order key says_once
"""
"""What an author of a section declares; the other attributes follow from it."""


def named(name: str) -> Any:
    """Return what a dotted public name stands for."""
    module, _, own = name.rpartition(".")
    return getattr(import_module(module), own)


def attributes_of(kind: type) -> Iterator[tuple[str, str]]:
    """Yield the attributes and properties of a class that have a docstring, in their order."""
    (definition,) = ast.parse(inspect.getsource(kind)).body
    body: list[ast.stmt] = getattr(definition, "body", [])
    for node, after in zip(body, [*body[1:], None], strict=True):
        name, text = "", None
        if isinstance(node, ast.AnnAssign) and isinstance(after, ast.Expr):
            name, text = ast.unparse(node.target), ast.literal_eval(after.value)
        elif isinstance(node, ast.FunctionDef) and "property" in map(
            ast.unparse, node.decorator_list
        ):
            name, text = node.name, ast.get_docstring(node)
        if text and not name.startswith("_"):
            values = ", ".join(f"`{each}`" for each in choices(kind, node))
            yield name, f"{values}: {as_markdown(text)}" if values else as_markdown(text)


def choices(kind: type, field: ast.AST) -> Iterator[str]:
    """Yield the texts that a field may have: those of a literal, or of an alias of one."""
    for node in ast.walk(getattr(field, "annotation", None) or ast.Pass()):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Name):
            alias = getattr(sys.modules[kind.__module__], node.id, None)
            yield from get_args(alias) if get_origin(alias) is Literal else ()


def fields(*names: str) -> Iterator[str]:
    """Yield the fields of each class, with their meanings."""
    for name in names:
        own = name.rpartition(".")[2]
        rows = ((f"`{each}`", text) for each, text in attributes_of(named(name)))
        yield from table(
            (f"field of {'an' if own[0] in 'AEIOU' else 'a'} `{own}`", "meaning"), rows
        )


def methods(name: str) -> Iterator[str]:
    """Yield the methods of a protocol, with what each has to do."""
    kind: type = named(name)
    found = ((each, inspect.getdoc(getattr(kind, each))) for each in vars(kind) if each[0] != "_")
    rows = (
        (f"`{each}`", as_markdown(re.split(">>>|:param", text)[0])) for each, text in found if text
    )
    yield from table(("method", "effect"), rows)


def parameters(name: str) -> Iterator[str]:
    """Yield the parameters of a class or function, with their meanings."""
    text = inspect.getdoc(named(name)) or ""
    found = re.findall(r"^:param (\w+): ((?:.|\n(?!:|\n))*)", text, re.MULTILINE)
    rows = ((f"`{each}`", as_markdown(meaning)) for each, meaning in found)
    yield from table((f"argument of `{name.rpartition('.')[2]}`", "meaning"), rows)


def section_attributes() -> Iterator[str]:
    """Yield what a section can declare, with its meaning and its default."""
    from hud_components import HudSection, ItemsSection, ValueSection

    found: dict[str, tuple[str, str]] = {}
    for kind in (HudSection, ItemsSection, ValueSection):
        for name, text in attributes_of(kind):
            found.setdefault(name, (text, default(vars(kind).get(name))))
    rows = ((f"`{name}`", *found[name]) for name in SECTION_ATTRIBUTES.split())
    yield from table(("attribute", "meaning", "default"), rows)


def default(value: object) -> str:
    """Return a default as the table shows it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"`{value}`" if value else ""


# --- Figures ---


def levels() -> Iterator[str]:
    """Yield the levels of a context, with what follows from each."""
    from hud_components import BUDGETS
    from hud_components.levels import THRESHOLDS

    rows = (
        (
            f"`{row.level}`",
            f"{'above' if row.percentage % 1 else 'from'} {row.percentage:.0f} %",
            str(row.density),
            f"{BUDGETS[row.density].least}–{BUDGETS[row.density].most}",
            "once" if row.intervenes else "no",
        )
        for row in THRESHOLDS
    )
    yield from table(("level", "context used", "density", "tokens", "the agent is notified"), rows)


def import_headings() -> Iterator[str]:
    """Yield the headings of a Markdown file that an import reads into each section."""
    from hud_runtime.editing import HEADINGS

    rows = ((f"`{name}`", heads.replace("|", ", ")) for name, heads in HEADINGS.items())
    yield from table(("section", "headings, in any case"), rows)


def keywords() -> Iterator[str]:
    """Yield what becomes of each keyword of JSON Schema in the dialects that take a part of them."""
    from ujsx.schema import DIALECTS

    strict = [each for each in DIALECTS.values() if each.verdicts is not None]
    rows = (
        (f"`{keyword}`", *(each.verdict(keyword).name.lower() for each in strict))
        for keyword in strict[0].verdicts or ()
    )
    yield from table(("keyword", *(each.name for each in strict)), rows)


def script_errors() -> Iterator[str]:
    """Yield each script with the errors of the token estimate on its texts."""
    from tests.token_texts import rows

    yield from ("| script | tokens | error |", "| --- | --- | --- |", *rows())


def fleet_sizes() -> Iterator[str]:
    """Yield what a fleet's servers carry, as the example counts it."""
    import fleet_size

    yield from fleet_size.table(fleet_size.Figures())


HOSTS = {
    "pydantic_ai": "Pydantic AI",
    "openai_agents": "OpenAI Agents SDK",
    "langchain": "LangChain",
    "anthropic": "Anthropic's SDK",
    "openai": "OpenAI's SDK",
    "claude_agent_sdk": "Claude Agent SDK",
    "codex": "Codex",
    "google_genai": "GenAI",
    "litellm": "LiteLLM's proxy",
    "opencode": "OpenCode",
    "google_adk": "Google's ADK 2.13",
    "agent_framework": "Agent Framework 1.23",
    "strands": "Strands 1.62",
    "crewai": "CrewAI 1.15",
}
FEATURES = {
    "append": "^test_append|^test_all_routes",
    "tail": "^test_tail|^test_all_routes",
    "system": "^test_system|^test_all_routes",
    "resumes": "goes_on|said_again|_holds_|keeps_its_history",
    "refusals": "^test_a_refusal|^test_each_step",
    "children": "child|subagent",
    "concurrent": "apart|^test_all_routes",
    "faults": "^test_no_fault|ends_no_request",
}
"""By a column of the table of hosts, the names of the tests that fill it in."""


def host_features() -> Iterator[str]:
    """Yield what each host's tests show that it can do."""
    tests = DOCS.parent / "tests" / "hud_runtime" / "integrations"
    rows: list[tuple[str, ...]] = []
    for host, title in HOSTS.items():
        code = (tests / f"test_{host}.py").read_text("utf-8")
        names = re.findall(r"^ *(?:async )?def (test_\w+)", code, re.MULTILINE)
        page = DOCS / "do" / "hosts" / f"{host.replace('_', '-')}.md"
        page = page if page.is_file() else page.with_name("frameworks.md")
        cells = ("yes" if any(re.search(each, name) for name in names) else "no" for each in FEATURES.values())  # fmt: skip
        rows.append((f"[{title}](../do/hosts/{page.name})", *cells))
    yield from table(("host", *FEATURES), rows)


# --- Errors and limits ---


def errors() -> Iterator[str]:
    """Yield the public errors and warnings of each package."""
    from public_names import PACKAGES, homes

    from ujsx import UjsxError

    found = [
        (names[0], getattr(import_module(at.module), at.name))
        for at, names in homes().items()
        if at.kind == "class" and at.name.endswith(("Error", "Warning"))
    ]
    for package in PACKAGES:
        rows = (
            (f"`{kind.__name__}`", also(kind), about(kind))
            for name, kind in sorted(found, key=lambda each: each[0].lower())
            if name.partition(".")[0] == package and kind is not UjsxError
        )
        yield from table((f"error of `{package}`", "also a", "meaning"), rows)


def also(kind: type) -> str:
    """Return what else catches an error."""
    common = {"UjsxError", "Exception", "BaseException", "object", "Warning"}
    return ", ".join(
        f"`{each.__name__}`" for each in kind.__mro__[1:] if each.__name__ not in common
    )


def limits(name: str) -> Iterator[str]:
    """Yield the limits that a class has, with their defaults."""
    kind = named(name)
    rows = ((f"`{each}`", f"{getattr(kind(), each):,}", text) for each, text in attributes_of(kind))
    yield from table(("limit", "default", "counts"), rows)


# --- Rooms ---


def rooms_of_packages() -> Iterator[tuple[str, list[str]]]:
    """Yield each package with its rooms, the lowest first, as the contracts on imports order them."""
    settings = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))
    for contract in settings["tool"]["importlinter"]["contracts"]:
        for package in contract.get("containers", ()):
            if "." not in package:
                rooms = [*reversed(contract["layers"])]
                yield package, [each for each in rooms if summary(f"{package}.{each}")]


def rooms() -> Iterator[str]:
    """Yield the rooms of each package."""
    for package, names in rooms_of_packages():
        rows = ((f"`{name}`", summary(f"{package}.{name}")) for name in names)
        yield from table((f"room of `{package}`", "content"), rows)


def files(of: str) -> Iterator[str]:
    """Yield the files of each room of a package that has more than one."""
    for package, names in rooms_of_packages():
        if package != of:
            continue
        top = DOCS.parent / package
        paths = (
            path.relative_to(top) for name in names for path in sorted((top / name).rglob("*.py"))
        )
        rows = (
            (f"`{path.as_posix()}`", summary(".".join((package, *path.with_suffix("").parts))))
            for path in paths
            if path.as_posix().count("/") > 1 or path.name != "__init__.py"
        )
        yield from table((f"file of `{package}`", "content"), rows)


def summary(module: str) -> str:
    """Return the first sentence of a module's docstring."""
    from public_names import source_of

    source = source_of(module)
    text = (ast.get_docstring(source) if source else None) or ""
    return as_markdown(re.split(r"(?<=\.)\s|\n\n", text)[0])


# --- Pages ---

PARTS: dict[str, Callable[..., Iterable[str]]] = {
    "commands": commands,
    "command_index": command_index,
    "options_of_many": options_of_many,
    "old_spellings": old_spellings,
    "events": events,
    "operations": operations,
    "fields": fields,
    "methods": methods,
    "parameters": parameters,
    "section_attributes": section_attributes,
    "keywords": keywords,
    "levels": levels,
    "script_errors": script_errors,
    "fleet_sizes": fleet_sizes,
    "host_features": host_features,
    "errors": errors,
    "limits": limits,
    "import_headings": import_headings,
    "rooms": rooms,
    "files": files,
}


def regenerated(text: str) -> str:
    """Return a page with each of its generated parts made anew."""

    def anew(found: re.Match[str]) -> str:
        text = "\n".join(PARTS[found[2]](*found[3].split())).rstrip()
        return f"{found[1]}\n{text}\n\n{found[4]}"

    with patch.dict(os.environ, COLUMNS="100"):  # help texts are broken there
        return PART.sub(anew, text)


def pages() -> list[Path]:
    """Return the pages with a generated part."""
    return [page for page in sorted(DOCS.rglob("*.md")) if PART.search(page.read_text("utf-8"))]


def main() -> None:
    """Write the generated parts anew."""
    from words import written

    for page in pages():
        page.write_text(regenerated(page.read_text("utf-8")), "utf-8")
    sys.stdout.write(f"{written():,} words of pages without decisions are written by people\n")


if __name__ == "__main__":
    main()
