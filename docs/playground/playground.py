"""The Python side of the playground: a text of Python or a layout in, what the library makes of it out, as data.

It runs in the browser under Pyodide, where there is no SQLite, and so no ``HudStore``.
"""

from __future__ import annotations

import ast
import io
import json
import linecache
import sys
from contextlib import redirect_stdout
from types import ModuleType
from typing import Any

from pydantic import BaseModel, ValidationError

from hud_components import (  # fmt: skip
    Blocker,
    ContextUsage,
    Decision,
    Domain,
    Hud,
    HudSection,
    HudState,
    Note,
    Step,
    Task,
    as_shown,
    parse,
)
from hud_components.layout import SECTIONS, layout_vocabulary
from hud_runtime.preview import fault_of, shown_of
from hud_runtime.preview._reading import tree_data
from ujsx import (
    Component,
    Density,
    Element,
    RenderContext,
    from_mdast,
    mdast,
    read_layout,
    render_document,
)
from ujsx.elements import Html
from ujsx.errors import PropError, UjsxError
from ujsx.schema import DIALECTS, lint, schema_tokens, tool_definition
from ujsx.testing import assert_inert

MODULE = "yours"
FILE, LAYOUT = f"{MODULE}.py", f"{MODULE}.md"
"""The names that an error gives to what was written."""

STATE = HudState(
    task=Task(description="Add a login to the web shop"),
    decisions=(
        Decision(id="d-1", summary="JWT over sessions", details="services verify offline"),
    ),
    notes=(Note(id="n-1", content="Port 8080 is taken"), Note(id="n-2", content="Staging has no mail")),
    next_steps=(Step(id="s-1", description="Write the tests", completed=True), Step(id="s-2", description="Add the form")),
    blockers=(Blocker(id="b-1", description="No access to the key store"),),
    usage=ContextUsage(used=90_000, limit=200_000),
)  # fmt: skip
"""The session that layouts show: there is none in the browser."""


DENSITIES = (Density.FULL, Density.COMPACT, Density.MINIMAL)


class Written:
    """What an author's text makes: the tree to show, the components that it declares, and what it prints."""

    def __init__(self, source: str) -> None:
        self.printed = io.StringIO()
        self.components: list[type[Component]] = []
        if is_layout(source):
            self.tree: Any = read_layout(source, layout_vocabulary())
        else:
            with redirect_stdout(self.printed):
                self.tree = self.run(source)

    def run(self, source: str) -> Any:
        """Run Python, and return the value of its last line, or the last component that it declares."""
        linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
        code = ast.parse(source, FILE)
        last = code.body.pop() if code.body and isinstance(code.body[-1], ast.Expr) else None
        module = sys.modules[MODULE] = ModuleType(MODULE)  # annotations are looked up there
        module.__file__ = FILE
        names = vars(module)
        exec(compile(code, FILE, "exec"), names)
        classes = [
            each for each in names.values() if isinstance(each, type) and each.__module__ == MODULE
        ]
        self.components = [each for each in classes if issubclass(each, Component)]
        made = None
        if last is not None:
            made = eval(compile(ast.Expression(last.value), FILE, "eval"), names)
        if made is None and self.components:
            made = self.components[-1]
        if made is None:
            raise UjsxError("end with a component to show, or declare one")
        if isinstance(made, Domain):
            raise UjsxError(
                "a Domain shows a session, and there is no store here; end with one of its sections"
            )
        return shown_of(made, "the last line")

    def context(self) -> RenderContext:
        return RenderContext().with_value(STATE)


def is_layout(source: str) -> bool:
    """Tell a layout from Python by its first character."""
    return source.lstrip().startswith("<")


def tiers(written: Written) -> list[dict[str, Any]]:
    """Return the text and the tokens at each density."""
    found: list[dict[str, Any]] = []
    for density in DENSITIES:
        rendered = render_document(written.tree, context=written.context(), density=density)
        found.append(block(f"{density} · {rendered.tokens} tokens", rendered.text))
    return found


def schemas(written: Written) -> list[dict[str, Any]]:
    """Return the tool of each declared component in each dialect, with what the dialect cannot express."""
    tree = written.tree
    root = type(tree.component if isinstance(tree, Element) else tree)
    classes = written.components or ([root] if issubclass(root, Component) else [])
    found: list[dict[str, Any]] = []
    for each in classes:
        for dialect in DIALECTS:
            tool = tool_definition(each, dialect=dialect)
            losses = "\n".join(f"# {loss}" for loss in lint(each, dialect=dialect))
            text = json.dumps(tool, indent=2, ensure_ascii=False)
            title = f"{each.__name__} · {dialect} · {schema_tokens(tool)} tokens"
            found.append(block(title, f"{losses}\n{text}" if losses else text))
    return found or [block("No tool", "A tool schema needs a component; this is plain text.")]


def read_back(written: Written) -> list[dict[str, Any]]:
    """Return the tree that is read from the text, at each density."""
    found: list[dict[str, Any]] = []
    sections = [each for each in written.components if issubclass(each, HudSection)]
    for density in DENSITIES:
        text = render_document(written.tree, context=written.context(), density=density).text
        root = written.tree.component if isinstance(written.tree, Element) else written.tree
        if isinstance(root, Hud | HudSection):
            read: Any = parse(text, vocabulary=(*SECTIONS, *sections))
            meant = as_shown(written.tree, context=written.context(), density=density)
            same = (
                "equal to what was rendered" if read == meant else "differs from what was rendered"
            )
        else:
            read = from_mdast(mdast.from_markdown(text))
            same = "read as Markdown"
        found.append(block(f"{density} · {same}", "\n".join(outline(tree_data(read)))))
    return found


def outline(data: Any, level: int = 0) -> list[str]:
    """Return the lines of a tree, one for each node."""
    if isinstance(data, str):
        return [f"{'  ' * level}{data!r}"]
    name, props, children = data
    lines = [f"{'  ' * level}{name} {props}".rstrip()]
    return lines + [line for each in children for line in outline(each, level + 1)]


def hostile(written: Written, attack: str) -> list[dict[str, Any]]:
    """Return the text with an attack in each of its texts, and whether it stayed text."""
    tree = attacked(written.tree, attack)
    context = RenderContext().with_value(attacked(STATE, attack))
    text = render_document(tree, context=context, density="full").text
    try:
        assert_inert(tree, context)
        verdict = "inert: two Markdown readers see the structure that was meant, at every density"
    except AssertionError as error:
        verdict = f"not inert: {error}"
    return [block(verdict, text)]


def attacked(value: Any, attack: str) -> Any:
    """Return a value with an attack behind each text in it that a field may hold."""
    if isinstance(value, str):
        return f"{value}{attack}" if type(value) is str and value.strip() else value
    if isinstance(value, tuple | list):
        return type(value)(attacked(each, attack) for each in value)
    if isinstance(value, Element):
        return Element(
            attacked(value.component, attack),
            tuple(attacked(each, attack) for each in value.children),
        )
    if isinstance(value, BaseModel) and not isinstance(value, Html):
        for name in type(value).model_fields:
            if name == "id":  # the store gives it
                continue
            given = getattr(value, name)
            changed = attacked(given, attack)
            if changed is not given:
                try:
                    value = type(value).model_validate({**vars(value), name: changed})
                except (PropError, ValidationError, ValueError):  # a field that holds no such text
                    continue
    return value


LONGEST = 50_000
"""Characters of a text that the page shows."""


def block(title: str, text: str) -> dict[str, str]:
    """Return a titled text of the page."""
    return {"title": title, "text": text if len(text) <= LONGEST else f"{text[:LONGEST]}…"}


VIEWS = {
    "tiers": lambda written, _: tiers(written),
    "schema": lambda written, _: schemas(written),
    "back": lambda written, _: read_back(written),
    "hostile": hostile,
}


def show(source: str, view: str, attack: str) -> str:
    """Return a view of what an author's text makes, as JSON: its blocks, or the fault with its line."""
    try:
        written = Written(source)
        blocks = VIEWS[view](written, attack)
        if printed := written.printed.getvalue():
            blocks = [block("printed", printed), *blocks]
        return json.dumps({"blocks": blocks})
    except BaseException as error:  # noqa: BLE001  # the author's code may raise anything
        fault = fault_of(error, LAYOUT if is_layout(source) else FILE)
        return json.dumps({"fault": str(fault), "excerpt": fault.excerpt})


def examples(page: str) -> str:
    """Return the examples of a Markdown text as JSON: each heading with the code below it."""
    found: list[dict[str, str]] = []
    title = ""
    for node in mdast.from_markdown(page).children:
        if isinstance(node, mdast.Heading):
            title = "".join(each.value for each in node.children if isinstance(each, mdast.Text))
        elif isinstance(node, mdast.Code) and node.lang in {"python", "text"}:
            found.append({"title": title, "source": node.value})
    return json.dumps(found)
