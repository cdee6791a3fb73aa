"""The export of components and models: one as a tool, a whole vocabulary as one schema, and their token costs."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel, ValidationError

from ujsx.calls import Answering, resolving
from ujsx.components import DocumentedModel, as_element, examples_of, has_examples
from ujsx.components._component import Component, Fragment
from ujsx.components._vocabulary import ComponentClass, Vocabulary
from ujsx.elements import TrustedMarkdown
from ujsx.errors import SchemaError, did_you_mean, listed, mistakes_of, shown
from ujsx.mdast import Text
from ujsx.mdast._nodes import CONTENT_MODELS, FLOW, Content, ContentModel
from ujsx.schema._convert import DEPTH, convert
from ujsx.schema._dialects import (
    DIALECTS,
    PARAMETERS,
    Dialect,
    KeywordVerdict,
    Loss,
    dialect_of,
    from_the_top,
    parameters_in,
    within_budget,
)
from ujsx.schema._generate import (
    Model,
    as_model,
    as_schema,
    for_a_model,
    of_a_tool,
    schemas_of,
    unsaid_of,
)
from ujsx.schema._keywords import (
    DEFS,
    Schema,
    escape,
    everywhere,
    is_object,
    pruned,
    target,
    unescape,
)
from ujsx.tokens import TokenCounter, estimate_tokens

# Schemas in a dialect, and their losses.


def to_dialect(
    schema: Model | Schema,
    dialect: str,
    *,
    depth: int = DEPTH,
    description_budget: int | None = None,
) -> Schema:
    """Return ``schema`` converted to ``dialect``.

    Constraints that the dialect cannot enforce move into descriptions; :func:`lint` lists them. Keywords are in
    alphabetical order, names in the order of declaration. A schema already in the dialect is unchanged.

    :param schema: a JSON Schema, draft 2020-12, or a model.
    :param dialect: a name in :data:`DIALECTS`.
    :param depth: the expansion of recursive models below the first one, 1 to 50, if the dialect has no recursion
        (anthropic-strict, gemini); less if ``gemini`` would have over 10,000 parts. Deeper parts are cut, and
        :func:`lint` lists their places and depth.
    :param description_budget: the estimated token budget of all descriptions of a model or schema; the deepest are
        dropped first, and :func:`lint` lists them. All stay when ``None``.
    :raises SchemaError: for an unknown dialect, or a schema that it does not support; the path is a JSON pointer into
        ``schema``.

    >>> to_dialect({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}, "gemini")
    {'properties': {'n': {'minimum': 1, 'type': 'integer'}}, 'type': 'object'}
    """
    given, _ = within_budget(as_schema(of_a_tool(schema)), description_budget)
    converted, losses = convert(given, dialect_of(dialect), depth)
    refused = [loss for loss in losses if loss.outcome == "refused"]
    if refused:
        more = f" ({len(refused) - 1} more: see lint)" if len(refused) > 1 else ""
        raise SchemaError(f"{refused[0].reason}{more}", path=f"#{refused[0].pointer}")
    return converted


@resolving()
def lint(
    schema: Model | Schema,
    dialect: str,
    *,
    depth: int = DEPTH,
    description_budget: int | None = None,
) -> list[Loss]:
    """Return each keyword that ``dialect`` does not support unchanged, and its fate.

    If only one of ``schema`` and its converted form accepts a value, there is a loss at its place; for undeclared
    members of an object, that is ``additionalProperties``.

    Constraints of the model that no JSON Schema expresses are listed as "unsaid": validators, and constraints that
    Pydantic's schema omits. Missing descriptions are listed too, in any dialect, as a model then has only the name; the
    reason tells where to write one.

    :param schema: a JSON Schema, draft 2020-12, or a model; of a tool's definition, its parameters.
    :param dialect: a name in :data:`DIALECTS`.
    :param depth: as in :func:`to_dialect`; likewise ``description_budget``.
    :raises SchemaError: for an unknown dialect, or a model without a schema.

    >>> name = {"type": "string", "minLength": 1, "description": "Who."}
    >>> for loss in lint({"type": "object", "properties": {"name": name}}, "anthropic-strict"):
    ...     print(loss)
    (root): additionalProperties True dropped: anthropic-strict closes objects: members that are not declared are refused
    /properties/name: minLength 1 described: anthropic-strict does not enforce minLength
    """
    schema = of_a_tool(parameters_in(schema) if is_object(schema) else schema)
    given = as_schema(schema)
    kept, gone = within_budget(given, description_budget)
    _, losses = convert(kept, dialect_of(dialect), depth)
    bare = not is_object(schema) and not _says_something(given)  # a class without a docstring
    losses = from_the_top((*losses, *gone, *unsaid_of(schema)), given)
    places = [*([""] if bare else []), *_bare(given)]
    missing = (
        Loss(each, "description", None, "missing", why_described(each, schema)) for each in places
    )
    return [*losses, *missing]


OF_CLASS = "give the class a docstring"
OF_FIELD = "write it below the field, as a docstring, or as Field(description=…)"
OF_PLAIN_FIELD = (
    "write it as Field(description=…); a docstring below the field counts in a DocumentedModel"
)
OF_FUNCTION = "give the function a docstring"
OF_PARAMETER = (
    "write it in the function's docstring, under Args: or as :param name: …, or in the parameter's type, as"
    " Annotated[…, Field(description=…)]"
)
OF_SCHEMA = 'add a "description" to {name}, at #{pointer}'
"""The places of a description: of a class, of its fields, of those of Pydantic's own models, of a function and its
parameters, and of JSON Schema."""


class OfFunction(BaseModel):
    """The base of models whose fields are the parameters of a function: what describes them is written there."""


def why_described(pointer: str, given: Model | Schema, owners: Sequence[str] = ()) -> str:
    """Return the reason that a property needs a description, and the place for it.

    :param pointer: the place of the property in the schema of ``given``.
    :param owners: the operations that have it.

    >>> why_described("/$defs/Point/properties/x", {})
    'a model has only its name to go by; add a "description" to x of Point, at #/$defs/Point/properties/x'
    """
    parts = [unescape(part) for part in pointer.split("/")]
    name = parts[-1]
    if parts[1:2] == ["$defs"]:
        owners = [parts[2]]
    whose = f"{name} of {listed(owners)}" if owners else name
    where = _where(pointer, given)
    if is_object(given):
        return f"{_ONLY_NAME}; {where.format(name=whose, pointer=pointer)}"
    return f"{_ONLY_NAME}; {f'for {whose}, ' if owners else ''}{where}"


_ONLY_NAME = "a model has only its name to go by"


def _where(pointer: str, given: Model | Schema) -> str:
    if is_object(given):
        return OF_SCHEMA
    if isinstance(given, type) and issubclass(given, OfFunction) and _is_of_parameter(pointer):
        return OF_PARAMETER if pointer else OF_FUNCTION
    if not pointer:
        return OF_CLASS
    if not (isinstance(given, type) and issubclass(given, BaseModel)) or _is_defined(pointer):
        return OF_PLAIN_FIELD
    reads = given.model_config.get("use_attribute_docstrings", issubclass(given, DocumentedModel))
    return OF_FIELD if reads else OF_PLAIN_FIELD


def _is_of_parameter(pointer: str) -> bool:
    """Tell whether a place is a function's, or a parameter's, and not inside a parameter's value."""
    return pointer.count("/") <= 2 and not _is_defined(pointer)


def _is_defined(pointer: str) -> bool:
    """Tell whether a place is in a definition, such as that of a nested model."""
    return pointer.startswith("/$defs/")


def _bare(root: Schema) -> list[str]:
    """Yield the places of properties without a description."""
    return [
        f"{pointer}/properties/{escape(name)}"
        for pointer, schema in everywhere(root)
        for name, each in schema.get("properties", {}).items()
        if is_object(each) and "const" not in each and not _is_described(each, root)
    ]


def _is_described(schema: Schema, root: Schema) -> bool:
    found = target(root, schema.get("$ref"))
    return _says_something(schema) or (is_object(found) and _says_something(found))


def _says_something(schema: Schema) -> bool:
    """Tell whether a description has a word, and is not empty or only dots."""
    said: object = schema.get("description")
    return isinstance(said, str) and any(map(str.isalnum, said))


_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

NO_STRICT = {"strict": 'write dialect="openai-strict", or "anthropic-strict"'}


def _strictly(given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with ``strict`` replaced by the strict dialect, if there is one."""
    strict, rest = given.get("strict"), {name: given[name] for name in given if name != "strict"}
    if not isinstance(strict, bool):
        return given
    dialect = dialect_of(given.get("dialect", "json-schema")).name
    meant = f"{dialect.removesuffix('-strict')}-strict" if strict else dialect
    is_meant = meant in DIALECTS and (strict or not dialect.endswith("-strict"))
    return {**rest, "dialect": meant} if is_meant else given


_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9]+")


@resolving(instead=NO_STRICT, meaning=_strictly)
def tool_schema(
    model: Model,
    dialect: str = "json-schema",
    *,
    depth: int = DEPTH,
    description_budget: int | None = None,
    examples: bool = False,
) -> Schema:
    """Return the tool parameters of ``model``: the JSON Schema of its fields.

    Descriptions come from docstrings and ``Field(description=…)``. Titles that only repeat names are omitted to save
    tokens. Keywords are in alphabetical order, properties in the order of declaration. Constraints that the dialect
    cannot enforce are in the descriptions, and listed by :func:`lint`.

    :param model: a component class, or any Pydantic model.
    :param dialect: a name in :data:`DIALECTS`.
    :param depth: the expansion of recursive models if the dialect has no recursion; see :func:`to_dialect`.
    :param description_budget: the token budget of all descriptions; see :func:`to_dialect`.
    :param examples: whether to include the component's ``examples`` as calls of the tool; they cost tokens.
    :raises SchemaError: for an unknown dialect, what is no model, or a model that the dialect cannot
        take.
    :raises DefinitionError: for an invalid example.

    >>> from ujsx.elements import Link
    >>> tool_schema(Link)["properties"]["url"]
    {'description': 'Where it leads.', 'type': 'string'}
    """
    dialect_of(dialect)
    given = as_model(model)
    cls = as_model(of_a_tool(given))
    calls = _example_calls(given, cls) if examples else ()
    return parameters_of(cls, cls.__name__, dialect, description_budget, depth, examples=calls)


def _example_calls(given: type[BaseModel], tool: type[BaseModel]) -> list[dict[str, Any]]:
    """Return the examples of a component as arguments of its tool: only the props for callers."""
    if not (issubclass(given, Component) and has_examples(given)):
        return []
    found: list[dict[str, Any]] = []
    for node in examples_of(given).values():
        props = as_element(node).component.model_dump(
            mode="json", exclude_unset=True, by_alias=True
        )
        try:
            tool.model_validate(props)
        except ValidationError as error:
            for detail in mistakes_of(error):
                if detail["type"] == "extra_forbidden":
                    _drop(props, detail["loc"])
        with suppress(ValidationError):  # a caller cannot create its content
            tool.model_validate(props)
            found.append(props)
    return found


def _drop(data: Any, place: tuple[int | str, ...]) -> None:
    with suppress(KeyError, IndexError, TypeError):  # for a union, the place also names the branch
        for part in place[:-1]:
            data = data[part]
        del data[place[-1]]


def parameters_of(
    cls: type[BaseModel],
    name: str,
    dialect: str,
    description_budget: int | None,
    depth: int = DEPTH,
    *,
    examples: Sequence[Any] = (),
) -> Schema:
    """Return the tool parameters of a model.

    :param name: the subject of errors, in the author's terms: a class, or an operation.
    :param examples: values for the schema's examples.
    :raises SchemaError: for an unknown dialect, and a model that it does not support.
    """
    schema = as_schema(of_a_tool(cls))
    schema.pop("description", None)
    if examples:
        schema["examples"] = [*schema.get("examples", ()), *examples]
    try:
        return to_dialect(schema, dialect, depth=depth, description_budget=description_budget)
    except SchemaError as error:
        error.within(name)
        raise


@resolving(instead=NO_STRICT, meaning=_strictly)
def tool_definition(
    model: Model,
    dialect: str = "json-schema",
    *,
    name: str | None = None,
    description: str | None = None,
    depth: int = DEPTH,
    description_budget: int | None = None,
    examples: bool = False,
) -> dict[str, Any]:
    """Return the tool definition of ``model``, in the shape of the provider's API.

    The schema's key is ``input_schema`` for Anthropic, ``inputSchema`` for MCP, ``parametersJsonSchema`` for
    ``gemini-json``, and ``parameters`` for others, which ``openai`` and ``open-engines`` have in ``function``.

    :param name: the tool's name; the class's in snake case when ``None``.
    :param description: the purpose of the tool; the class's docstring when ``None``.
    :param depth: as :func:`tool_schema` takes it.
    :param description_budget: as :func:`tool_schema` takes it; what the tool is for always stays.
    :param examples: as :func:`tool_schema` takes it.
    :raises SchemaError: for an unknown dialect, a name that the provider does not take, what is no
        model, or a model that the dialect cannot take.

    >>> from ujsx.elements import ThematicBreak
    >>> tool_definition(ThematicBreak, dialect="mcp")["name"]
    'thematic_break'
    """
    cls = as_model(of_a_tool(as_model(model)))
    name = tool_name(cls) if name is None else name
    if description is None:
        description = for_a_model(inspect.cleandoc(cls.__doc__ or ""))
    schema = tool_schema(
        model,
        dialect=dialect,
        depth=depth,
        description_budget=description_budget,
        examples=examples,
    )
    return define(name, description, schema, dialect_of(dialect))


class ToolDefinition(Answering, dict[str, Any]):
    """A tool in the shape of a provider's API: data, whose parts are found by name in each shape.

    >>> from ujsx.elements import ThematicBreak
    >>> made = tool_definition(ThematicBreak, dialect="openai")
    >>> made["name"], made["parameters"] is made["function"]["parameters"], list(made)
    ('thematic_break', True, ['type', 'function'])
    """

    if not TYPE_CHECKING:

        def __missing__(self, key: str) -> Any:
            within = self.get("function", self)
            for each in _SCHEMA_KEYS if key in _SCHEMA_KEYS else (key,):
                if each in within:
                    return within[each]
            raise KeyError(f"{key}; {did_you_mean(str(key), [*within])}")

        def __getattr__(self, name: str) -> Any:
            with suppress(KeyError):
                return self[name]
            return super().__getattr__(name)


_SCHEMA_KEYS = (*PARAMETERS, "schema")
"""The keys of the arguments' schema, by shape."""


def define(name: str, description: str, schema: Schema, dialect: Dialect) -> dict[str, Any]:
    """Return a tool in the shape of the provider's API, from its parts.

    :param schema: the parameters, in the dialect already.
    :raises SchemaError: for a name that the provider does not accept.
    """
    if not dialect.tool_names.fullmatch(name):
        raise SchemaError(
            f'"{name}" is not a valid name for a tool in {dialect.name}; it has to match '
            f"{dialect.tool_names.pattern}"
        )
    return ToolDefinition(dialect.define(name, description, schema))


def tool_name(cls: type[Any]) -> str:
    """Return the tool name of a class: its own name in snake case.

    >>> class HTMLPart: ...
    >>> tool_name(HTMLPart)
    'html_part'
    """
    words = _WORD_STARTS.sub("_", cls.__name__)
    return _NOT_IN_NAMES.sub("_", words).strip("_").lower()


def schema_tokens(schema: Mapping[str, Any], counter: TokenCounter | None = None) -> int:
    """Return the tokens of a schema or a tool definition, as JSON without white space.

    Providers convert definitions in unpublished ways; use the figure for comparisons and budgets.

    :param counter: counts the tokens of a text; :func:`ujsx.tokens.estimate_tokens` when ``None``.
    :raises SchemaError: for a value that is neither a schema nor a definition.

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


# The nodes of a vocabulary as schemas: a definition for each kind of content, and level of nesting.

TEXT: Schema = {"type": "string"}
"""A child that is text."""


NO_CHILDREN: Schema = {"type": "array", "items": {"type": "null"}, "maxItems": 0}
"""An empty list."""

NAMES: Mapping[Content, str] = MappingProxyType(
    {"flow": "Node", "phrasing": "Line", "list": "Items", "table": "Rows", "row": "Cells"}
)
"""The name of each content kind's definition."""

TEXTS: frozenset[Content] = frozenset(place for place in NAMES if CONTENT_MODELS[Text].fits(place))
"""The kinds of content that allow text."""

UNKNOWN = FLOW
"""The content model of a component without one: a block of blocks.

Of all components in a dialect without references: written out, a definition for each kind of content
in each other would double with every other level.
"""


class Nodes:
    """The schemas of a vocabulary's nodes: a definition for each kind of content.

    Components with the same props and the same kind of children share a branch, so that those without any cost only a
    name. One without possible children has no member for them.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        dialect: Dialect,
        refs: Mapping[type[Component], str],
        defs: Schema,
        depth: int,
        *,
        whole: bool = False,
    ) -> None:
        self.whole = whole
        self.dialect = dialect
        self.depth = None if dialect.recursion else depth
        self.defs = defs
        self.refs = refs
        self.classes = vocabulary
        self.has_references = dialect.verdict("$ref") is KeywordVerdict.KEEP
        models = [self._model(cls) for cls in vocabulary.values()]
        models = [model for model in models if not model.is_transparent]
        self.places: list[Content] = [
            place for place in NAMES if place in TEXTS or any(m.fits(place) for m in models)
        ]

    def name(self, place: Content, level: int) -> str:
        """Return the name of a level's definition, unlike any component's."""
        name = NAMES[place] if self.dialect.recursion else f"{NAMES[place]}{level}"
        while name in self.defs:
            name += "_"
        return name

    def levels(self) -> Schema:
        """Return the definitions of the levels; on the last of several, children are text."""
        return {
            self.name(place, level): self.level(place, level)
            for level in range(1, (self.depth or 1) + 1)
            for place in self.places
            if self._is_possible(place, level)
        }

    def level(self, place: Content, level: int) -> Schema:
        """Return the schema of the nodes allowed in a kind of content on a level."""
        groups: dict[str, list[type[Component]]] = {}
        for cls in self._possible(place, level):
            if place == "flow" and self.is_phrasing(cls):
                continue  # among those of the line
            props = target({"$defs": self.defs}, self.refs[cls])
            shape = [self.held(cls, place), props if self.dialect.empty_objects else None]
            groups.setdefault(json.dumps(shape), []).append(cls)
        branches: list[Schema] = []
        for classes in groups.values():
            children = self.children(classes[0], place, level)
            make = self.node if self.dialect.empty_objects else self.any_node
            branches.append(make(classes, children))
        if place == "flow" and any(map(self.is_phrasing, self.classes.values())):
            return {"anyOf": [{"$ref": DEFS + self.name("phrasing", level)}, *branches]}
        if place in TEXTS:
            return {"anyOf": [TEXT, *branches]} if branches else TEXT
        return {"anyOf": branches}

    def _model(self, cls: type[Component]) -> ContentModel:
        return (cls.content_model if self.has_references else None) or UNKNOWN

    def fits(self, cls: type[Component], place: Content) -> bool:
        """Tell whether a kind of content allows it."""
        return self._model(cls).fits(place)

    def is_phrasing(self, cls: type[Component]) -> bool:
        """Tell whether it is among blocks like inline content."""
        model = self._model(cls)
        return model.fits("phrasing") and not model.is_transparent

    def held(self, cls: type[Component], place: Content) -> Content | None:
        """Return the content kind of its children in a place; ``None`` if it has none."""
        model = self._model(cls)
        holds = place if model.is_transparent else model.holds
        return holds if cls.takes_children and holds in self.places else None

    def children(self, cls: type[Component], place: Content, level: int) -> Schema | None:
        """Return the schema of its children in a place; ``None`` if it has none."""
        holds = self.held(cls, place)
        if holds is None:
            return NO_CHILDREN if self.whole else None
        items = TEXT if level == self.depth else {"$ref": DEFS + self.name(holds, level + 1)}
        return {"type": "array", "items": items}

    def _possible(self, place: Content, level: int) -> list[type[Component]]:
        """Return the components that are allowed there, and can have the children that they need."""
        fitting = [cls for cls in self.classes.values() if self.fits(cls, place)]
        if self.depth is None:
            return fitting
        holds: list[Content | None] = [self.held(cls, place) for cls in fitting]
        return [
            cls
            for cls, held in zip(fitting, holds, strict=True)
            if held is None or self._is_possible(held, level + 1)
        ]

    def _is_possible(self, place: Content, level: int) -> bool:
        """Tell whether anything is allowed there."""
        if place in TEXTS or self.depth is None:
            return True
        return level <= self.depth and bool(self._possible(place, level))

    def node(self, classes: Sequence[type[Component]], children: Schema | None) -> Schema:
        """Return the schema of a node of several components with the same props."""
        names = [cls.__name__ for cls in classes]
        ref = self.refs[classes[0]]
        has_props = bool(target({"$defs": self.defs}, ref).get("properties"))
        needs_props = "required" in target({"$defs": self.defs}, ref)
        is_strict = self.dialect.required_children
        properties: Schema = {"type": {"const": names[0]} if len(names) == 1 else {"enum": names}}
        if has_props or not is_strict:
            properties["props"] = {"$ref": ref}
        return self._closed(
            {**properties, **({} if children is None else {"children": children})},
            [
                *(["props"] if needs_props or (has_props and is_strict) else []),
                *(["children"] if children is not None and is_strict else []),
            ],
            self._description(names),
        )

    def any_node(self, classes: Sequence[type[Component]], children: Schema | None) -> Schema:
        """Return the schema of a node of any of those components, as one branch, for expanded levels."""
        groups: dict[str, list[type[Component]]] = {}
        for cls in classes:
            shape = json.dumps(target({"$defs": self.defs}, self.refs[cls]))
            groups.setdefault(shape, []).append(cls)
        props = [
            {
                "$ref": self.refs[alike[0]],
                "description": f"of {', '.join(cls.__name__ for cls in alike)}",
            }
            for alike in groups.values()
            if target({"$defs": self.defs}, self.refs[alike[0]]).get("properties")
        ]
        names = [cls.__name__ for cls in classes]
        properties: Schema = {"type": {"enum": names}}
        if props:
            properties["props"] = {"anyOf": props}
        if children is not None:
            properties["children"] = children
        required = [] if children is None else ["children"]
        return self._closed(properties, required, self._description(names))

    def _closed(self, properties: Schema, required: list[str], description: str) -> Schema:
        return {
            "type": "object",
            **({"description": description} if description else {}),
            "properties": properties,
            "required": ["type", *required],
            "additionalProperties": False,
        }

    def _description(self, names: list[str]) -> str:
        """Return the purposes of the components, a line each if there are several."""
        texts = {
            name: _first_paragraph(self.classes[name]) for name in names if name in self.classes
        }
        if len(names) == 1:
            return next(iter(texts.values()), "")
        return "\n".join(f"{name}: {text}" for name, text in texts.items() if text)


def _first_paragraph(cls: type[Component]) -> str:
    text = for_a_model(inspect.cleandoc(cls.__doc__ or ""))
    return " ".join(text.partition("\n\n")[0].split())


@resolving()
def tree_schema(
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    *,
    dialect: str = "json-schema",
    root: ComponentClass | None = None,
    depth: int = DEPTH,
    whole: bool = False,
) -> Schema:
    """Return the schema of all trees of a vocabulary, for structured output.

    Read an answer with ``ujsx.load(answer, vocabulary)``, which validates it and reports the places of mistakes. Keys
    of nodes are not part of the schema.

    :param vocabulary: the allowed components; the primitives when ``None``.
    :param dialect: a name in :data:`DIALECTS`.
    :param root: the root component of the answer; a ``Fragment``, with only children, when ``None``.
    :param depth: the maximum nesting of nodes below the root, for a dialect without recursion (anthropic-strict,
        gemini); others do not need it.
    :param whole: whether to allow an empty list for a component without children, as in :func:`ujsx.dump`.
    :raises SchemaError: for an unknown dialect, props that it does not support, a root outside the vocabulary, a depth
        below 1, and a vocabulary with ``TrustedMarkdown``.

    >>> from ujsx.elements import Item, List
    >>> schema = tree_schema([List, Item], dialect="openai-strict")
    >>> schema["properties"]["children"]
    {'items': {'$ref': '#/$defs/Node'}, 'type': 'array'}
    >>> sorted(schema["$defs"])
    ['Item', 'Items', 'List', 'Node']
    """
    taker = dialect_of(dialect)
    if depth < 1:
        raise SchemaError(f"a tree is at least 1 node deep, not {depth}")
    known, top = known_of(vocabulary, root)
    refs, defs = schemas_of(dict.fromkeys([*known.values(), top]))
    for ref in refs.values():  # the nodes describe the components
        target({"$defs": defs}, ref).pop("description", None)
    nodes = Nodes(known, taker, refs, defs, depth, whole=whole)
    body = nodes.node([top], nodes.children(top, "flow", 0))
    return to_dialect(pruned({**body, "$defs": {**defs, **nodes.levels()}}), dialect)


def known_of(
    vocabulary: Vocabulary | Iterable[ComponentClass] | None, root: ComponentClass | None
) -> tuple[Vocabulary, type[Component]]:
    """Return the allowed components, and the root of an answer.

    :raises SchemaError: as :func:`tree_schema` does.
    """
    known = Vocabulary.of(vocabulary)
    for cls in known.values():
        if issubclass(cls, TrustedMarkdown):
            raise SchemaError(
                f"{cls.__name__} is for your own code and not allowed in data; take it out "
                "of the vocabulary"
            )
    return known, Fragment if root is None else _known(cast("type[Component]", root), known)


def _known(root: type[Component], vocabulary: Vocabulary) -> type[Component]:
    if root in vocabulary.values():
        return root
    if not isinstance(root, type):
        raise SchemaError(f"the root is a component class, not {shown(root)}")
    hint = did_you_mean(root.__name__, vocabulary)
    raise SchemaError(f'the root "{root.__name__}" is not in the vocabulary; {hint}')
