"""Documents: a layout rendered, with findings about it, and Markdown read as a tree."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hud_runtime._layout_components import layout_components
from hud_runtime.cli._click import (
    amount_options,
    argument,
    json_option,
    option,
    session_options,
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
from hud_runtime.cli._stored import file_name, is_there, read_text
from hud_runtime.cli._target import (
    JSON,
    ShownSession,
    account,
    density_asked_for,
    density_named,
    excess,
    named_session,
    problems_data,
)
from hud_runtime.cli._terminal import put, put_json, put_json_line, remark
from hud_runtime.projects import (
    CODE,
    is_object,
    is_of_nobodys,
    names_in,
    tells_of_no_session,
    told_of_no_session,
)
from ujsx.errors import LayoutError, UjsxError, listed
from ujsx.text import visible

if TYPE_CHECKING:
    from hud_components import Budget, State
    from hud_runtime.context.delivery import ShownHud
    from hud_runtime.session import AgentLayouts, GivenLook
    from ujsx import Component, Density, Element, RenderContext, Rendered, Vocabulary
    from ujsx.components import Node
    from ujsx.mdast import Root


WRONG = 1
"""The exit status for an invalid layout."""

LONGEST = 60
"""Maximum characters of a text in a note."""

SHOWN = 5
"""Maximum places in braces that a note names."""

_BRACES = re.compile(
    r"\{\{[^{}\n]{1,60}\}\}"  # Mustache, Jinja2
    r"|\{%[^{}\n]{1,60}%\}"
    r"|\{/\*.{0,60}?\*/\}"  # a comment in JSX
    r"|\$?\{[A-Za-z_][\w.\[\]()]{0,60}\}"  # JSX, Python, a shell
)


def tell_findings(options: Options) -> int:
    """Print a layout's errors with their places, or its content; return the exit status."""
    found = findings(options.layout, own_components())
    if options.json:
        put_json(found)
    else:
        put("".join(f"{line}\n" for line in _lines(found)))
    return 0 if found["ok"] else WRONG


def findings(name: str, own: Iterable[type[Component]] = ()) -> dict[str, Any]:
    """Return the findings about a file.

    :param own: the author's own components.
    :raises UsageError: for a file that cannot be read.
    """
    from hud_components import check_layout

    text = read_text(name)
    session = ShownSession.nobodys()
    state, context = type(session.state), session.context
    known = layout_components(state) | tuple(own)
    found_wrong = (
        _of_data(text, name, known, context)
        if _is_data(name)
        else check_layout(text, known, state=state, context=context)
    )
    if asked_name()[0] is None and (lost := [each for each in found_wrong if is_of_nobodys(each)]):
        told_of_no_session(lost[0])
    mistakes = [_mistake(name, each) for each in found_wrong]
    found: dict[str, Any] = {"ok": not mistakes, "place": name}
    if mistakes:
        return found | mistakes[0] | {"mistakes": mistakes}
    tree = _tree(text, name, known)
    _, notes = rendered_with(tree, context, None, None)
    notes = [*notes_on(tree), *notes]
    return found | {"components": components_in(tree), "notes": notes}


def _tree(text: str, name: str, known: Vocabulary) -> Element:
    """Return the tree of a layout, or of data."""
    if _is_data(name):
        from hud_runtime.session import tree_of_data

        return tree_of_data(text, name, known)
    from ujsx import read_layout

    return read_layout(text, known)


def _is_data(name: str) -> bool:
    return Path(name).suffix.lower() == JSON


def _of_data(
    text: str, name: str, known: Vocabulary, context: RenderContext
) -> tuple[LayoutError, ...]:
    """The first error of a tree as data, at its place in the data."""
    try:
        rendered_with(_tree(text, name, known), context, None, None)
    except UjsxError as error:
        wrong = LayoutError(str(error).removeprefix(f"{name} "))
        wrong.__cause__ = error
        return (wrong,)
    return ()


def _mistake(name: str, error: LayoutError) -> dict[str, Any]:
    return {
        "place": place(name, error),
        "message": error.message,
        "line": error.line,
        "column": error.column,
        "excerpt": error.excerpt,
    }


def _lines(found: dict[str, Any]) -> list[str]:
    if found["ok"]:
        names = ", ".join(found["components"])
        lines = [f"{found['place']} is a layout" + (f" of {names}" if names else "")]
        return [visible(line) for line in (*lines, *(f"note: {note}" for note in found["notes"]))]
    told = ((f"{each['place']}: {each['message']}", each["excerpt"]) for each in found["mistakes"])
    return [visible(line) for pair in told for line in pair if line]


def nodes_of(tree: Node) -> Iterator[Node]:
    """Yield all nodes of a tree in document order."""
    from ujsx.components import as_element

    pending: list[Node] = [tree]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, str):
            pending += reversed(as_element(node).children)


def elements_of(tree: Node) -> Iterator[Element]:
    """Yield all nodes of a tree, except texts, as elements."""
    from ujsx.components import as_element

    return (as_element(each) for each in nodes_of(tree) if not isinstance(each, str))


def components_in(tree: Node) -> list[str]:
    """Return the composites in a tree, in order of their first appearance."""
    composites = (each.component for each in elements_of(tree) if not each.component.is_primitive)
    return list(dict.fromkeys(type(each).__name__ for each in composites))


def notes_on(tree: Node) -> Iterator[str]:
    """Yield the notes on a layout's tree, a sentence each.

    >>> from ujsx.elements import Paragraph
    >>> [*notes_on(Paragraph()["{task.description}"])][0]
    '{task.description} is text; nothing is evaluated, components show the session'
    """
    texts = (each for each in nodes_of(tree) if isinstance(each, str))
    braces = list(dict.fromkeys(found for text in texts for found in _BRACES.findall(text)))
    if braces:
        named = ", ".join(braces[:SHOWN]) + (", …" if len(braces) > SHOWN else "")
        verb = "is" if len(braces) == 1 else "are"
        yield f"{named} {verb} text; nothing is evaluated, components show the session"
    if rows := [*_rows_alone(tree)]:
        yield (
            f"{rows[0]} is a text and no row: a table of Markdown ends at a tag; write <Table>, and in it <Each> around a"
            " <TableRow> of <TableCell>s"
        )
    if not components_in(tree):
        yield f"no component of the HUD in it, so it shows nothing of a session{_fenced(tree)}"


def _rows_alone(tree: Node) -> Iterator[str]:
    """The paragraphs in the form of table rows."""
    from ujsx.elements import Paragraph

    paragraphs = (each for each in elements_of(tree) if isinstance(each.component, Paragraph))
    for text in map(_plain_text, paragraphs):
        if text[:1] == "|" == text[-1:] and len(text) > 1:
            yield text.splitlines()[0][:LONGEST]


def _plain_text(node: Node) -> str:
    """Return the joined texts in a node.

    >>> from ujsx.elements import Paragraph, em
    >>> _plain_text(Paragraph()["| ", em("a"), " |"])
    '| a |'
    """
    return "".join(each for each in nodes_of(node) if isinstance(each, str)).strip()


def _fenced(tree: Node) -> str:
    from ujsx.elements import CodeBlock

    components = [each.component for each in elements_of(tree)]
    has_tags = any("<" in each.value for each in components if isinstance(each, CodeBlock))
    return "; is the whole layout in a code fence?" if has_tags else ""


@argument("layout", metavar="LAYOUT", help="a layout, or - for standard input")
@session_options(what="the transcript or the session whose state is shown")
@amount_options("the text")
@with_option()
@option(
    "--check",
    is_flag=True,
    help="print mistakes alone, as FILE:LINE:COLUMN: MESSAGE, and exit with 1 if there are any",
)
@option(
    "--findings",
    is_flag=True,
    instead_of=("check",),
    help="report all mistakes at once, or the layout's contents; exit with 1 if there are mistakes",
)
@json_option(
    "the text with its account; of a check, a line of JSON for each mistake; the findings as data"
)
def render_layout(options: Options) -> int:
    """Render a layout document: Markdown with component tags, in which nothing is run.

    LAYOUT may hold the HUD's components, the primitives, and with --with those of a module. They
    show the state of the session that --session names, or an empty one: a transcript is replayed,
    an id looked up in a store. The text goes to standard output, remarks to standard error.
    """
    if options.check:
        return _check(options)
    if options.findings:
        return tell_findings(options)
    density = density_named(options.density)
    named = named_session(options)
    session = named or ShownSession.nobodys()
    tree = read(options.layout, type(session.state), own_components())
    if density is None and options.budget is None:
        density = density_asked_for(session.state)
    with tells_of_no_session(is_shown=named is None and asked_name()[0] is None):
        rendered, notes = rendered_with(tree, session.context, density, options.budget)
    if options.json:
        shown = account(rendered, density, options.budget)
        put_json({**shown, "problems": problems_data(session.problems)})
        return 0
    put(rendered.text)
    incomplete = session.place if session.problems else ()
    for note in (*incomplete, *notes, *excess(rendered)):
        remark(note)
    return 0


def _check(options: Options) -> int:
    """Print the errors of a layout, one a line."""
    mistakes = _mistakes(options.layout)
    for each in mistakes:
        if options.json:
            put_json_line(json.dumps(each, ensure_ascii=False) + "\n")
        else:
            put(
                visible(f"{each['file']}:{each['line']}:{each['column']}: {each['message']}") + "\n"
            )
    return WRONG if mistakes else 0


def _mistakes(name: str) -> list[dict[str, Any]]:
    """Return the errors of a layout; an unreadable file is an error in its first line."""
    _check_is_text(name)
    try:
        found = findings(name, own_components()).get("mistakes", [])
    except UsageError as error:
        found = [{"line": None, "column": None, "message": str(error)}]
    return [
        {
            "file": file_name(name),
            "line": each["line"] or 1,
            "column": each["column"] or 1,
            "message": each["message"],
        }
        for each in found
    ]


def read(name: str, state: type[State], own: Iterable[type[Component]] = ()) -> Element:
    """Return the tree of a layout's file.

    :param state: the class of the shown states, with the sections of their domain.
    :param own: the author's own components.
    :raises UsageError: for an invalid layout, with file, line and column first.
    """
    _check_is_text(name)
    text, known = read_text(name), layout_components(state) | tuple(own)
    try:
        return _tree(text, name, known)
    except LayoutError as error:
        raise UsageError(f"{place(name, error)}: {error.message}") from None
    except UjsxError as error:
        raise UsageError(str(error) if name in str(error) else f"{name}: {error}") from None


def _check_is_text(name: str) -> None:
    """Refuse the name of Python code, which is not run here."""
    if name.endswith(CODE) or (is_object(name) and not is_there(name, Path.exists)):
        is_file = name.endswith(CODE)
        named = f"{name}:NAME" if is_file else name
        found = names_in(Path(name), rendered=True) if is_file else ()
        which = f", NAME being one of {listed(found)}" if found else ""
        raise UsageError(
            f"{name} is Python, and a layout is Markdown with tags; `ujsx preview {named} --terminal --once`"
            f" shows what code makes{which}"
        )


def place(name: str, error: LayoutError) -> str:
    """Return the place of an error in a file, in the form of editors and compilers.

    >>> place("hud.md", LayoutError("", line=3, column=18))
    'hud.md:3:18'
    """
    file = file_name(name)
    return file if error.line is None else f"{file}:{error.line}:{error.column}"


def rendered_with(
    tree: Component | Element, context: RenderContext, density: Density | None, budget: int | None
) -> tuple[Rendered, list[str]]:
    """Return a tree's rendering in a context, and its components' warnings."""
    from ujsx import render_document

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rendered = render_document(tree, density=density, budget=budget, context=context)
    return rendered, [str(each.message) for each in caught]


# The layout and the words of a command, and the HUD that they show.


def agent_layouts_of(options: Options, choices: tuple[AgentLayouts, ...]) -> AgentLayouts:
    """Return the treatment of layouts that agents set.

    :raises UsageError: for any other choice.
    """
    one_of(options.agent_layouts, choices, "way with agents' layouts")
    return cast("AgentLayouts", options.agent_layouts)


def shown_with(
    given: GivenLook,
    session: ShownSession,
    density: Density | None,
    budget: Budget,
    agent_layouts: AgentLayouts,
) -> tuple[ShownHud, list[str]]:
    """Return a session's HUD with the applicable layout and words, and the remarks on it.

    :param given: the user's choice, which is refused if it cannot show the session, and never replaced.
    :param agent_layouts: whether to show the agent's layout if the user named none.
    :raises UjsxError: for a layout or words that cannot show this state.
    """
    from hud_components import THRESHOLDS, check_texts
    from hud_runtime.session import HudRenderer as Showing
    from hud_runtime.session import RenderOptions, file_text, look_of_domain, words_in

    state, layout, words = session.state, given.layout, given.words
    if isinstance(layout, Path):
        layout = read(str(layout), type(state), given.components)
    if isinstance(words, Path):
        words = words_in(file_text(words), str(words))
    if words is not None:
        words = check_texts(words, sections=state.sections)
    remarks: list[str] = []
    look = RenderOptions(
        density=density,
        budget=budget,
        now=session.now,
        layout=layout,
        words=words,
        on_warning=remarks.append,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        looks = (given, look_of_domain(domain()))
        shown = Showing(agent_layouts, looks).shown(state, look, THRESHOLDS)
    return shown, [*remarks, *(str(each.message) for each in caught)]


# The tree of a file, as output.


def _put_mdast(root: Root) -> None:
    from ujsx.mdast import to_dict

    put_json(to_dict(root))


def _put_ujsx(root: Root) -> None:
    from ujsx import dump, from_mdast

    put_json(dump(from_mdast(root)))


def _put_hud(root: Root) -> None:
    from hud_components import HudSection, parse
    from ujsx import dump

    hud = parse(root, foreign=True)
    put_json(dump(hud))
    others = [one for one in hud.children if not isinstance(one, HudSection)]
    if others:
        many = len(others) != 1
        remark(
            f"{len(others)} part{'s' if many else ''} of it {'are' if many else 'is'} no section of a HUD,"
            f" and stay{'' if many else 's'} as {'they are' if many else 'it is'}"
        )


def _put_html(root: Root) -> None:
    from ujsx import registry
    from ujsx.hast import to_html
    from ujsx.text import visible

    text = to_html(registry.transform("mdast -> hast", root))
    put(visible(f"{text}\n" if text else ""))  # a page has no escape codes


TARGETS: dict[str, Callable[[Root], None]] = {
    "mdast": _put_mdast,
    "ujsx": _put_ujsx,
    "hud": _put_hud,
    "html": _put_html,
}
"""The outputs of a Markdown file, by name."""


@argument("file", metavar="FILE", help="a Markdown file, or - for standard input")
@option(
    "--to",
    metavar="TREE",
    words=TARGETS,
    default="mdast",
    help=f"{', '.join([*TARGETS][:-1])} or {[*TARGETS][-1]} (default: mdast)",
)
def parse_markdown(options: Options) -> int:
    """Read Markdown and print its tree as JSON, or as HTML.

    An mdast tree is as the mdast specification has it, with the positions of blocks. A ujsx tree is
    made of primitives, and `ujsx.load` reads it. A HUD becomes the components that its text shows,
    with their data; other parts stay primitives. HTML is the body of a page: HTML in the file is
    shown as text, and a link that would run code has no target.
    """
    target = TARGETS[one_of(options.to, [*TARGETS], "kind of tree")]
    text = read_text(options.file)
    from ujsx.mdast import from_markdown

    target(from_markdown(text))
    return 0
