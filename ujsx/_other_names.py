"""Names that are asked for where they are not: the line to write instead.

In: the package that is asked, and the name. Out: where the name is public, what a name of JSX, HTML, another library or
the founding documents is called here, or the nearest name. The packages' sources are read, not imported.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from ujsx.errors import listed

PACKAGES = ("ujsx", "hud_components", "hud_runtime")

ELEMENTS: Mapping[str, str] = MappingProxyType(
    {
        "Fragment()": "div span body root document container box view group stack flex react.fragment",
        "Section(title=…)": "section article main aside header footer nav card panel details",
        "Paragraph()": "p para",
        "Heading(depth=1)": "h1 title",
        **{f"Heading(depth={depth})": f"h{depth}" for depth in range(2, 7)},
        "List()": "ul unorderedlist bulletlist bullets menu",
        "List(ordered=True)": "ol orderedlist numberedlist",
        "Item()": "li listitem bullet bulletpoint",
        "Strong()": "strong b bold",
        "Emphasis()": "em i italic italics",
        "Strikethrough()": "s del strike delete",
        "InlineCode(value=…)": "code kbd samp tt codespan",
        "CodeBlock(value=…)": "pre codefence fencedcode fence",
        "BlockQuote()": "blockquote quote",
        "Link(url=…)": "a anchor hyperlink",
        "Image(url=…)": "img picture",
        "LineBreak()": "br break newline",
        "ThematicBreak()": "hr horizontalrule divider separator",
        "Table()": "table tbody thead",
        "TableRow()": "tr row",
        "TableCell()": "td th cell",
        "FrontMatter(value=…)": "yaml",
        "TrustedMarkdown(source=…)": "markdown rawmarkdown",
    }
)
"""The primitive that stands for a tag of HTML, or a node of another library, in lower case."""

_STATE = "session.record(type, …), as a node keeps no state"
_CONTEXT = "RenderContext().with_value(value), which render(self, ctx, children) gets by ctx.get(type(value))"
_SESSION = 'HudStore.open("hud.db").session("s-1"), from hud_runtime import HudStore'
_EVENT = 'session.record("note.add", content="…")'
_HUD = "render(Hud.of(state)), or session.hud().text"
_MESSAGES = "session.deliver(), whose parts go among the messages of a request"
_TEXT = 'a text as a plain str among the children, Paragraph()["text"]; in mdast, from ujsx.mdast import Text'
_MARKDOWN = "render(tree), from ujsx import render; of mdast, from ujsx.mdast import to_markdown"

NAMES: Mapping[str, str] = MappingProxyType(
    {
        # React and other templates
        "ujsx.h": "createElement jsx jsxs createVNode hyperscript",
        "ujsx.component": "FC FunctionComponent functionComponent forwardRef memo",
        "ujsx.Component": "PureComponent ReactComponent BaseComponent UIComponent HudComponent",
        "ujsx.Child": "ReactNode ReactChild Renderable Content",
        "ujsx.Element": "VNode JSXElement ReactElement UElement UNode ElementNode",
        "ujsx.render": "renderToString renderToStaticMarkup renderMarkdown renderToMarkdown toMd stringify "
        "renderTree renderElement renderNode renderComponent",
        "ujsx.Renderer": "HudRenderer MarkdownRenderer createRenderer createRoot",
        "ujsx.read_layout": "parseLayout loadLayout readJsx parseJsx parseTemplate loadTemplate fromString getTemplate "
        "renderTemplate Environment",
        "ujsx.Template": "PromptTemplate ChatPromptTemplate StringTemplate",
        "ujsx.ForEach": "For Map Loop",
        "hud_components.When": "If Show Conditional Switch",
        "ujsx.RenderContext": "HudContext Context",
        _CONTEXT: "createContext useContext useHud ContextProvider HudProvider Provider useProps useHudState",
        _STATE: "useState useReducer useEffect useMemo setState dispatch",
        # Markdown and tokens
        _TEXT: "Text TextNode",
        _MARKDOWN: "toMarkdown",
        "ujsx.mdast.from_markdown": "parseMarkdown markdownToMdast mdToMdast markdownToAst readMarkdown loadMarkdown "
        "unified remark fromMd",
        "ujsx.tokens.estimate_tokens": "countTokens tokenCount numTokens numTokensFromString getTokenCount tokens "
        "tokenize",
        "ujsx.tokens.TokenCounter": "Tokenizer TokenEstimator",
        # Tools and schemas
        "ujsx.schema.tool_schema": "toJsonSchema jsonSchema getSchema modelJsonSchema schemaOf toSchema parameters",
        "ujsx.schema.tool_definition": "toTool asTool toolSpec toOpenaiTool convertToOpenaiTool createTool defineTool "
        "functionSchema",
        "ujsx.schema.from_dialect": "withoutNulls stripNulls removeNulls",
        "ujsx.tools.Operation": "Tool BaseTool StructuredTool FunctionTool",
        "ujsx.tools.Toolset": "ToolRouter ToolRegistry Toolkit Router Tools",
        "hud_runtime.tools.hud_toolset": "HudTool HudToolset createHudTool createHudTools createTools hudRouter",
        "hud_runtime.mcp.hud_server": "FastMCP McpServer HudServer createServer Server",
        "hud_runtime.integrations.langchain.HudMiddleware": "LangchainHud LangchainMiddleware AgentMiddleware "
        "HudCallbackHandler",
        "hud_runtime.integrations.opencode.OpenCode": "HUDPlugin OpenMemoryPlugin HudPlugin OpencodePlugin",
        # The HUD
        "hud_components.Hud": "HUD AgentHud HudRoot HudLayout Dashboard",
        _HUD: "renderHud renderHudStatic renderHudDynamic renderState getHud buildHud showHud",
        "hud_components.HudModel": "BaseModel HudBaseModel",
        "from pydantic import Field": "Field",
        "ujsx.PropError": "ValidationError PropsError",
        "hud_components.ContextUsage": "ContextInfo TokenUsage UsageInfo Usage",
        "session.state().usage, a ContextUsage": "getContextInfo ContextTracker startContextTracker getUsage",
        "hud_components.Level": "ContextStatus ContextLevel PressureLevel",
        "hud_components.level_for": "getLevel getStatus statusFor contextLevel",
        "hud_components.density_for": "getDensity densityOf chooseDensity pickDensity computeDensity selectDensity "
        "densityFromPercentage densityForPercentage",
        "hud_components.THRESHOLDS": "PRESSURE_THRESHOLDS DEFAULT_THRESHOLDS CONTEXT_THRESHOLDS",
        "the disclosure of each section: NotesSection.disclosure": "SECTION_LIMITS MAX_NOTES_PREVIEW "
        "MAX_DECISIONS_PREVIEW MAX_FILES_PREVIEW MAX_STEPS_PREVIEW",
        "hud_components.Compact": "CompactView",
        "hud_components.ActiveFile": "File FileItem FileInfo",
        "hud_components.ActiveFiles": "Files FilesSection FilesList FileList FilesModified ModifiedFiles OpenFiles",
        "hud_components.Decision": "DecisionItem DecisionRecord KeyDecision",
        "hud_components.DecisionsList": "KeyDecisions",
        "hud_components.ErrorRecord": "ErrorItem ErrorEntry",
        "hud_components.Step": "TodoItem Todo NextStep PlanStep",
        "hud_components.NextSteps": "TodoList Todos Plan PlanSection StepsList StepsSection TodoSection",
        "hud_components.TaskSection": "CurrentTask GoalSection TaskView TaskCard TaskComponent",
        "hud_components.ContextBar": "ContextLine ContextMeter ProgressBar UsageBar TokenBar ContextSection",
        "hud_components.StatusLine": "StatusBar StatusSection StatusHeader",
        "hud_components.WarningBanner": "WarningsBanner ContextWarning Warning",
        "hud_components.HudState": "AgentState HudData SessionState initialState",
        "hud_components.HudSection": "BaseSection SectionBase",
        "hud_components.ItemsSection": "ListSection ItemSection",
        # The log
        "hud_runtime.HudStore": "HudManager HudStateManager StateManager SessionStore SqliteStore HudDatabase Store "
        "openStore createStore createHudManager InMemoryStore SessionManager",
        _SESSION: "Session createSession startSession newSession openSession getSession AgentSession SessionProcessor",
        "store.project(name), a session that new ones begin with": "ProjectHudDefaults ProjectDefaults",
        "hud_runtime.Event": "HudEvent SessionEvent BaseEvent",
        "hud_runtime.EventType": "HudEventType EventKind",
        "hud_runtime.EventStore": "EventLog HudLog Log",
        _EVENT: "recordEvent addEvent appendEvent logEvent emitEvent emit record append",
        "hud_runtime.project": "projectState reduceEvents foldEvents Projector Reducer reducer",
        "session.state()": "getState currentState loadState getHudState",
        "hud_runtime.compaction.compaction_prompt": "getCompactionPrompt defaultPrompt",
        "hud_runtime.pruning.SmartPruning": "pruneToolOutput Pruner",
    }
)
"""What a reader of the founding documents, or of another library, may call a thing that has another name here, in any
case: its public name, or the line to write."""

KINDS = frozenset({"section", "list", "item", "component", "hud"})
"""Words of a name that say what kind of thing it is, not which."""

CLOSE = 0.8
"""How much a misspelt name has in common with the one that is meant."""

MOST = 2
"""How many lines an answer names."""

_CALL = re.compile(r"(?P<name>\w+)\((?P<props>.*)\)")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def answer(place: str, name: str, *, listing: bool = False) -> str:
    """Return the end of a message about a name that a package does not have; empty where nothing is like it.

    :param listing: whether the names that there are stand for an answer where there is no other.

    >>> answer("hud_runtime", "Threshold")
    '; write from hud_components import Threshold'
    >>> answer("ujsx", "createElement"), answer("ujsx.tools", "ol")
    ('; write from ujsx import h', '; write List(ordered=True), from ujsx.elements import List')
    """
    if name.startswith("_"):
        return ""
    lines = lines_for(place, name)
    if lines:
        more = ", …" if len(lines) > MOST else ""
        return f"; write {', or '.join(lines[:MOST])}{more}"
    own = [each for each, places in public_names().items() if place in places]
    return f"; known: {listed(sorted(own))}" if listing and own else ""


def lines_for(place: str, name: str) -> list[str]:
    """Return the lines that a name may stand for, the likeliest first."""
    known = public_names()
    folded = _folded(name)
    today = todays(name)
    if today is not None:
        return [written(today)]
    element = element_for(name)
    exact = [_import(each, name) for each in _nearest_places(known.get(name, ()), place)]
    found = [*([written(element)] if element else []), *exact]
    if not found:
        fitting = [each for each in known if each.isupper() is name.isupper()]  # no constant for a class
        alike = (
            [each for each in fitting if _folded(each) == folded]
            or _of_one_subject(name, fitting)
            or get_close_matches(name, fitting, 1, CLOSE)
        )
        found = [_import(_nearest_places(known[each], place)[0], each) for each in alike]
    return [*dict.fromkeys(found)]


def todays(name: str) -> str | None:
    """Return what a name of elsewhere is called here: a public name with its package, or a line.

    >>> todays("get_density"), todays("Threshold")
    ('hud_components.density_for', None)
    """
    return _by_folded().get(_folded(name))


def element_for(tag: str) -> str | None:
    """Return the primitive that stands for a tag of HTML, as code.

    >>> element_for("ol"), element_for("marquee")
    ('ujsx.elements.List(ordered=True)', None)
    """
    found = _by_tag().get(_folded(tag))
    return found and f"{public_names()[found.partition('(')[0]][0]}.{found}"


def line_for(name: str, known: Container[str]) -> str | None:
    """Return the line for a tag of HTML, or a component of another library, that one of the known components stands for.

    >>> line_for("ul", {"List"}), line_for("ul", ())
    ('List(), from ujsx.elements import List', None)
    """
    today = todays(name) or element_for(name) or ""
    meant, _, props = today.rpartition(".")[2].partition("(")
    if meant.isidentifier() and meant in known:
        line = written(today)
        return line if props.strip(")") else f"{meant}(), {line}"
    return today if " " in today.partition("(")[0] else None


def written(today: str) -> str:
    """Return a public name with its package as the line to write; a line as it is.

    >>> written("ujsx.elements.List(ordered=True)"), written("ujsx.h")
    ('List(ordered=True), from ujsx.elements import List', 'from ujsx import h')
    """
    package, _, name = today.partition("(")[0].rpartition(".")
    if package.partition(".")[0] not in PACKAGES:
        return today
    call = _CALL.search(today)
    line = _import(package, name)
    return f"{call[0]}, {line}" if call and call["props"] else line


def _import(package: str, name: str) -> str:
    return f"from {package} import {name}"


def _nearest_places(places: tuple[str, ...], asked: str) -> list[str]:
    """The packages that promise a name: those highest up, then those beside the one that is asked."""
    highest = min((each.count(".") for each in places), default=0)
    root = asked.partition(".")[0]
    beside = [each for each in places if each.partition(".")[0] == root]
    high = [each for each in places if each.count(".") == highest]
    found = [*dict.fromkeys([*([asked] if asked in places else []), *high, *beside])]
    return [
        each for each in found if not any(each.startswith(f"{other}.") for other in found)
    ]


def _of_one_subject(name: str, known: Sequence[str]) -> list[str]:
    """The names that speak of the same thing in other words: ``DecisionsSection`` and ``DecisionsList``."""
    subject = _subject(name)
    same = [each for each in known if subject and _subject(each) == subject]
    words = {*_WORD.findall(name)}
    shared = {each: len(words & {*_WORD.findall(each)}) for each in same}
    most = max(shared.values(), default=0)
    return [each for each in same if shared[each] == most]


def _subject(name: str) -> frozenset[str]:
    if not name[:1].isupper():
        return frozenset()
    words = (each.casefold().removesuffix("s") for each in _WORD.findall(name))
    return frozenset(words) - KINDS


def _folded(name: str) -> str:
    return name.replace("_", "").casefold()


@cache
def _by_folded() -> Mapping[str, str]:
    return {_folded(each): today for today, names in NAMES.items() for each in names.split()}


@cache
def _by_tag() -> Mapping[str, str]:
    return {each: today for today, names in ELEMENTS.items() for each in names.split()}


@cache
def public_names() -> Mapping[str, tuple[str, ...]]:
    """Return the public names of all three packages, each with the packages that promise it, the highest first.

    >>> public_names()["Threshold"], public_names()["tool_definition"], public_names()["mdast"]
    (('hud_components',), ('ujsx.schema',), ('ujsx',))
    """
    found: dict[str, list[str]] = {}
    for module, source in sorted(_sources(), key=_rank):
        for name in _promised(source):
            found.setdefault(name, []).append(module)
        parent, _, own = module.rpartition(".")
        if parent:
            found.setdefault(own, []).append(parent)
    return {name: tuple(places) for name, places in found.items()}


_FIRST = ("ujsx.elements", "ujsx.schema")
"""The packages that a reader means first where several promise a name, behind the three."""


def _rank(found: tuple[str, str]) -> tuple[int, bool, int]:
    module = found[0]
    return module.count("."), module not in _FIRST, PACKAGES.index(module.partition(".")[0])


def _sources() -> Iterator[tuple[str, str]]:
    """Yield the public modules: without an underscore, and with an ``__all__``."""
    for package in PACKAGES:
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            for path in Path(folder).rglob("*.py"):
                parts = [package, *path.relative_to(folder).with_suffix("").parts]
                if parts[-1] == "__init__":
                    parts.pop()
                if any(part.startswith("_") for part in parts):
                    continue
                source = path.read_text("utf-8")
                if "__all__" in source:
                    yield ".".join(parts), source


def _promised(source: str) -> list[str]:
    """The names of ``__all__``; where it is put together, those that are imported for type checkers."""
    tree = ast.parse(source)
    for each in tree.body:
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "__all__":
            try:
                return list(ast.literal_eval(each.value))
            except ValueError:
                break
    imports = (each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom))
    return [alias.asname for each in imports for alias in each.names if alias.asname]
