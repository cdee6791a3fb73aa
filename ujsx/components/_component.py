"""Components as authors write them: classes, functions, fragments and examples."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Concatenate,
    NoReturn,
    ParamSpec,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    cast,
    get_type_hints,
)

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

from ujsx._density import Density, Disclosure
from ujsx.calls import NOTHING, Answering, resolving
from ujsx.components._definition import (
    EXACT_EQUALITIES,
    FACTS,
    ComponentType,
    DocumentedModel,
    advice,
    check_annotations,
    check_defaults,
    check_methods,
    check_prop_names,
    check_types,
    drop_class_variables,
    fields_of,
    is_component_class,
    is_exact,
    may_not_hash,
    no_data,
    rendered,
    with_kinds,
)
from ujsx.components._element import (
    FORMS,
    HAS_CHILDREN,
    TREE_FUNCTIONS,
    Child,
    Children,
    Displayable,
    Element,
    Node,
    barred_from,
    frozen,
    no_text,
)
from ujsx.errors import (
    ChildError,
    DefinitionError,
    PropError,
    RenderError,
    UjsxError,
    complaint,
    did_you_mean,
    mistakes_of,
    shown,
)
from ujsx.mdast._nodes import TRANSPARENT

if TYPE_CHECKING:
    from ujsx.components._context import RenderContext
    from ujsx.mdast._nodes import Content, ContentModel

# The examples of a component: nodes by name, for tests, previews and the reference.
#
# They are created and checked on demand, so they cost nothing at import. An invalid node is reported with the line that
# creates it.

Examples: TypeAlias = "Callable[[], Mapping[str, Component | Element]]"
"""The type of a component's examples: a function without arguments that returns nodes by name."""


def no_examples() -> Mapping[str, Component | Element]:
    """Return the examples of a class that declares none."""
    return {}


def examples_of(kind: type[Component]) -> dict[str, Component | Element]:
    """Return the examples that a component's class declares, by name.

    Examples of base classes are not included.

    :raises DefinitionError: for a class without examples, and for a value that is not a node of the class; the message
        has the file and the line.

    >>> from ujsx import Component
    >>> class Badge(Component):
    ...     examples = lambda: {"new": Badge(label="new"), "with text": Badge(label="tip")["Save early"]}
    ...     label: str
    >>> examples_of(Badge)["new"]
    Badge(label='new')
    """
    declared: Any = vars(kind).get("examples")
    if not has_examples(kind):
        raise DefinitionError(
            f'{kind.__name__} declares no examples; write examples = lambda: {{"usual": {kind.__name__}(…)}} in the '
            "class, or name a node of it"
        )
    function = getattr(declared, "__func__", declared)  # unwraps a static or a class method
    if not callable(function):
        raise DefinitionError(
            f"{kind.__name__}.examples is a function that returns nodes by name, not {shown(declared)}; write "
            f'examples = lambda: {{"usual": {kind.__name__}(…)}}'
        )
    try:
        made: Any = cast("Any", kind).examples()
    except Exception as error:
        reason = str(error) if isinstance(error, UjsxError) else f"{type(error).__name__}: {error}"
        raise DefinitionError(
            f"{kind.__name__}.examples{_place(function, error)}: {reason}"
        ) from error
    return _checked(kind, made, _place(function))


def has_examples(kind: type[Component]) -> bool:
    """Tell whether a component's class declares examples of its own."""
    return vars(kind).get("examples", no_examples) is not no_examples


def _checked(kind: type[Component], made: Any, place: str) -> dict[str, Component | Element]:
    from ujsx.components._element import Element

    problem = f"{kind.__name__}.examples{place}: "
    if not issubclass(type(made), Mapping) or not made:
        raise DefinitionError(
            f"{problem}nodes by name are wanted, and at least one, not {shown(made)}"
        )
    found: dict[str, Component | Element] = {}
    name: Any
    node: Any
    for name, node in made.items():
        if not issubclass(type(name), str) or not name.strip():
            raise DefinitionError(f"{problem}the name of an example is a text, not {shown(name)}")
        is_node = issubclass(type(node), Component | Element)
        if not is_node or not issubclass(type(as_element(node).component), kind):
            raise DefinitionError(f'{problem}"{name}" is not a {kind.__name__}, but {shown(node)}')
        found[name] = node
    return found


def _place(function: Any, error: Exception | None = None) -> str:
    """Return the file and the line of an error within the function, or of the function itself."""
    code = getattr(function, "__code__", None)
    if code is None:
        return ""
    line, trace = code.co_firstlineno, None if error is None else error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is code:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f" ({code.co_filename}:{line})"


C = TypeVar("C", bound="Component")

PLAIN = Disclosure()
"""The disclosure of a component that declares none."""


@drop_class_variables
class Component(Answering, DocumentedModel, Displayable, metaclass=ComponentType):
    """The base of all components.

    The class's docstring is its description; a docstring under a prop, or
    ``Field(description=…)``, is the prop's. Props are hashable: lists are held as tuples, sets as
    frozen sets, and dictionaries as frozen mappings. A prop may not take the name of something a component has anyway.

    :raises PropError: for an unknown prop, or a value that does not fit.
    :raises DefinitionError: when the class is written, for a prop that cannot be one.

    >>> class Badge(Component):
    ...     label: str
    ...     def render(self, ctx, children):
    ...         return ["[", self.label, "]"]
    >>> Badge(label="new")
    Badge(label='new')
    >>> Badge(label="new") == Badge(label="new")[()]
    True
    >>> Badge(lable="new")
    Traceback (most recent call last):
    ujsx.errors.PropError: Badge.lable: no such prop (got 'new'); did you mean "label"?
    """

    _instead: ClassVar[Mapping[str, str]] = {
        "children, an argument: def render(self, children)": "children",
        "ctx, an argument: def render(self, ctx, children)": "density ctx context",
        'component.tool_definition("openai")': "toopenai openai asopenai",
        'component.tool_definition("anthropic")': "toanthropic anthropic asanthropic",
        'component.tool_definition("gemini")': "togemini gemini asgemini",
        "component.model_copy(update={…})": "replace clone cloneelement withprops",
        "render(component), from ujsx import render": "markdown output show",
        'render(component, density="compact"), from ujsx import render': "full compact minimal",
        "render_document(component).tokens, from ujsx import render_document": "tokens tokencount",
    }

    _also: ClassVar[Mapping[str, str]] = TREE_FUNCTIONS

    _of_class: ClassVar[Mapping[str, str]] = {
        "ujsx.schema.tool_definition": "tooldefinition totool astool tool todefinition",
        "ujsx.schema.tool_schema": "toolschema jsonschema toschema",
    }

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        cache_strings="keys",  # values are data, which no process-wide cache keeps
    )

    disclosure: ClassVar[Disclosure] = PLAIN
    """The amounts that the component can show: its ladder of rungs, weight, floor and layer."""

    examples: ClassVar[Examples] = no_examples
    """The examples of the class, by name, for tests, previews and the reference: ``examples = lambda: {"new": Badge(label="new")}``."""

    is_primitive: ClassVar[bool] = True
    """True if the component has no ``render`` of its own."""

    is_fragment: ClassVar[bool] = False
    """True if the component only holds its children, and gives way to them under a parent."""

    takes_children: ClassVar[bool] = True
    """True if the component shows its children. One that does not refuses them, so that nothing is
    lost without a word."""

    takes_data: ClassVar[bool] = False
    """True if what stands between its tags is its data, which the component takes in brackets."""

    content_model: ClassVar[ContentModel | None] = None
    """Its kind of content and that of its children, for schemas of trees and checks of layouts; it must
    render to that. ``None`` if undeclared: then a schema has it among blocks."""

    discloses: ClassVar[bool] = False
    """True if it has a ladder, or chooses one for each node."""

    is_leaf: ClassVar[bool] = True
    """True if it stays as it is wherever it stands: a primitive without a ladder that is no fragment."""

    child_place: ClassVar[Content | None] = None
    """The content that the children of a leaf stand in, as its content model says."""

    barred_from: ClassVar[frozenset[Content]] = frozenset()
    """The content that a leaf cannot stand in. Of what is no leaf nobody knows before it renders."""

    provides: ClassVar[bool] = False
    """True if its rendering has another context than its own."""

    _hints: ClassVar[Mapping[str, str]] = {}
    """The code to write instead, by the names of props that callers expect."""

    _open_props: ClassVar[tuple[str, ...]] = ()

    _is_exact: ClassVar[bool] = True
    """True if props that are equal show the same."""

    _defaults: ClassVar[Mapping[str, Any] | None] = {}
    """The default of each prop; ``None`` for one that has to be given, and holds its place. There are
    none where a default is made anew each time, or a prop comes under another name."""

    _required: ClassVar[frozenset[str]] = frozenset()
    """The props that have to be given."""

    def __init__(self, /, *positional: Any, **props: Any) -> None:
        if positional:
            props = _with_text(type(self), positional, props)
        try:  # as BaseModel.__init__, but one call less
            self.__pydantic_validator__.validate_python(props, self_instance=self)
        except ValidationError as error:
            meant = _as_meant(type(self), props)
            if meant.keys() == props.keys():
                raise _prop_error(type(self), error) from None
            self.__init__(**meant)  # type: ignore[misc]
        for name in self._open_props:
            _check_hashable(self, name)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # it adds nothing but errors

    @classmethod
    def model_construct(cls, _fields_set: set[str] | None = None, **props: Any) -> Self:
        """Return a node of props that are known to be valid: they are not checked again.

        Props that are not given have their defaults.

        >>> from ujsx.elements import Omitted
        >>> Omitted.model_construct(count=3) == Omitted(count=3)
        True
        """
        defaults = cls._defaults
        if defaults is None or not cls._required <= props.keys():
            return super().model_construct(_fields_set, **props)
        return made_of(
            cls, {**defaults, **props}, set(props) if _fields_set is None else _fields_set
        )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with other values for some props, validated as in a new node.

        :raises PropError: for an unknown prop, or a value that does not fit.

        >>> from ujsx.elements import Omitted
        >>> Omitted(count=3).model_copy(update={"count": 4}) == Omitted(count=4)
        True
        """
        copied = super().model_copy(deep=deep)
        if update:
            cls = type(self)
            _set_props(copied, vars(cls(**_as_given(cls, {**vars(copied), **update}))))
            _set_given(copied, {*self.model_fields_set, *update})
        return copied

    def _data_in(self, element: Element[Any], kind: type[Any] | str) -> Any:
        """Return what the children show of one class of data, or of the section of a name.

        :raises ChildError: for a component that is no whole HUD, with the line to write.
        """
        if isinstance(kind, str):
            raise ChildError(HAS_CHILDREN, path=type(self).__name__)
        name = kind.__name__
        line = f"to look for one of a class, write element.find_all({name})"
        if not is_component_class(kind):
            line = f"data are looked for in a whole HUD; write hud[{name}]"
        raise ChildError(line, path=type(self).__name__)

    @classmethod
    def _model_of_data(cls, tag: str) -> type[BaseModel] | None:
        """Return the model of the data that a tag between its own means, by the tag's name; None for a child's tag."""
        return None

    @resolving(otherwise=rendered)
    def render(self, ctx: RenderContext, children: Children) -> Child:
        """Return the nodes that the component consists of. A primitive has no ``render``."""
        raise RenderError(f"{type(self).__name__} is a primitive: it has no render")

    def provide(self, ctx: RenderContext) -> RenderContext:
        """Return the context for the nodes that ``render`` returned; by default its own.

        A wrapper overrides it to set its children's density, texts or typed values.

        >>> class InBrief(Component):
        ...     def render(self, ctx, children):
        ...         return children
        ...     def provide(self, ctx):
        ...         return ctx.with_density("minimal")
        >>> class Density(Component):
        ...     def render(self, ctx, children):
        ...         return str(ctx.density)
        >>> from ujsx import render
        >>> print(render(Density()), render(InBrief()[Density()]), sep="", end="")
        full
        minimal
        """
        return ctx

    def disclosed(self) -> Disclosure:
        """Return the disclosure of this node: that of its class, unless its props narrow it."""
        return self.disclosure

    def _least_tokens(self, ctx: RenderContext) -> int:
        """Return a lower bound of its tokens in a context, such as its number of items.

        It is not rendered within a smaller budget. A component that may contain others with ladders returns 0, as their
        size is unknown.
        """
        return 0

    def _usual_density(self, ctx: RenderContext) -> Density | None:
        """Return the density of a tree of this root if none is given; None for that of the context."""
        return None

    def in_context(self, ctx: RenderContext) -> Self:
        """Return the node for a context: itself, unless a bound value adds to it.

        Called for components with a ladder, before a rung is chosen, if a value is bound.
        """
        return self

    @classmethod
    def _hint_for(cls, name: str) -> str | None:
        """Return the remedy for an unknown prop, or for a value without a name, by the name of its class."""
        return cls._hints.get(name)

    @classmethod
    def _with_children(
        cls, values: tuple[Any, ...], props: Mapping[str, Any]
    ) -> tuple[Children, dict[str, Any]] | None:
        """Return the children of a call in another library's form, positional or as a prop, and its other props; None
        where it is ambiguous. A positional text may be a prop of a component with props and a ``render``, and is the
        required title or name.
        """
        rest, fields = _as_meant(cls, props), fields_of(cls)
        if not values:
            named = [each for each in rest if each in _CHILDREN - fields.keys()]
            if len(named) != 1 or cls._hint_for(named[0]):
                return None
            values = (rest.pop(named[0]),)
        as_text = (str,) if cls.is_primitive or not fields else ()
        lacking = cls._required - rest.keys()
        if len(lacking) == 1 and lacking <= _NAMING and type(values[0]) is str:
            rest[next(iter(lacking))], values = values[0], values[1:]
        urls = [each for each in values if isinstance(each, str) and "://" in each]
        if {*lacking} == {"url"} and len(urls) == 1:
            rest["url"] = urls[0]
            values = tuple(each for each in values if each is not urls[0]) or (*urls,)
        if not cls.takes_children or not cls._required <= rest.keys():
            return None
        given: list[Any] = []
        for each in values:
            given += each if isinstance(each, list | tuple) else [each]
        nodes = [each for each in given if each is not None and not isinstance(each, bool)]
        if not all(isinstance(each, (Component, Element, *as_text)) for each in nodes):
            return None
        if any(cls._hint_for(kind.__name__) for each in nodes for kind in type(each).__mro__):
            return None
        return tuple(
            cls._text_child(each) if isinstance(each, str) else each for each in nodes
        ), rest

    @classmethod
    def _text_child(cls, text: str) -> Node:
        """Return the child for a text that is passed by position or as a prop."""
        return text

    @classmethod
    def tool_model(cls) -> type[BaseModel]:
        """Return the model of the component's arguments as a tool: its props.

        Override it to hide props from models, and build the component in :meth:`of_tool`.
        """
        return cls

    @classmethod
    def of_tool(cls, said: Any) -> Component:
        """Return the component for a tool call, from the validated :meth:`tool_model`."""
        made: Component = said
        return made

    @classmethod
    def for_expression(
        cls, expression: str, vocabulary: Mapping[str, type[Component]]
    ) -> str | None:
        """Return the tags equivalent to a JSX expression, where this component is among them.

        A layout text evaluates nothing: its error for ``{expression}`` shows the tags to write instead.

        :param vocabulary: the components allowed as tags.
        """
        return None

    if not TYPE_CHECKING:  # a mistake, with the line to write

        def __call__(self, *children: Any, **props: Any) -> Element[Self]:
            if children and self.takes_children and not props:
                return self[children]
            name = type(self).__name__
            raise PropError(
                f"it is a node already; write {name}(…), or render({name}(…))", path=name
            )

    def __getitem__(self, children: Child) -> Element[Self]:
        """Attach children: ``Section(title="Notes")["first", Paragraph()["second"]]``.

        Iterables are flattened, ``None`` and booleans are dropped; anything else that is not a node is refused here.
        Primitives also refuse misplaced primitives and texts.

        :raises ChildError: for a child that is not a node, and for a component that takes none.
        :raises RenderError: for a misplaced child, such as a text in a list.
        """
        facts = FACTS[type(self)]
        only: Any = children
        if type(only) in facts.known_children:  # as most often
            return Element(self, (only,), None, facts.is_leaf)
        return Element.of(self, children, facts.child_place)

    def keyed(self, key: str) -> Element[Self]:
        """Return the node with a key, which identifies it among its siblings."""
        return Element(self, (), key, self.is_leaf)

    if not TYPE_CHECKING:  # type checkers know it of a frozen model

        def __setattr__(self, name: str, value: object) -> None:
            if name.startswith("_"):  # a private attribute is not part of the node's value
                super().__setattr__(name, value)
            else:
                raise PropError(frozen(self, name, value), path=f"{type(self).__name__}.{name}")

        def __delattr__(self, name: str) -> None:
            if name.startswith("_"):
                super().__delattr__(name)
            else:
                raise PropError(frozen(self, name), path=f"{type(self).__name__}.{name}")

    def __str__(self) -> str:
        return repr(self)

    def __format__(self, spec: str) -> str:
        if type(self).__str__ is Component.__str__:
            raise no_text(self)
        return format(str(self), spec)  # a class of its own says what its text is

    if not TYPE_CHECKING:  # type checkers know that a text takes nothing but texts

        def __radd__(self, other: object) -> NoReturn:
            raise no_text(self)

        __add__ = __radd__

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return vars(self) == vars(other) and (
            self._is_exact or with_kinds(self) == with_kinds(other)
        )

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __init_subclass__(cls, **kwargs: Any) -> None:
        check_prop_names(cls)
        check_annotations(cls)
        check_methods(cls)
        super().__init_subclass__(**kwargs)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any, /) -> Any:
        try:
            return handler(source)
        except PydanticSchemaGenerationError as error:
            raise no_data(cls, error) from error

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls.model_config.pop("defer_build", None)  # a subclass does not inherit it
        cls.is_primitive = cls.render is Component.render
        cls.provides = cls.provide is not Component.provide
        if not isinstance(cls.disclosure, Disclosure):
            raise DefinitionError(
                f"{cls.__name__}.disclosure is a Disclosure(ladder, …), not {shown(cls.disclosure)}"
            )
        fields = fields_of(cls).items()
        is_plain = all(f.default_factory is None and f.validation_alias is None for _, f in fields)
        cls._required = frozenset(name for name, field in fields if field.is_required())
        cls._defaults = (
            {name: None if name in cls._required else field.default for name, field in fields}
            if is_plain
            else None
        )
        cls.discloses = cls.disclosure is not PLAIN or cls.disclosed is not Component.disclosed
        cls.is_leaf = cls.is_primitive and not cls.is_fragment and not cls.discloses
        model = cls.content_model if cls.is_leaf else None
        cls.child_place = None if model is None else model.holds
        cls.barred_from = frozenset() if model is None else barred_from(model)
        check_types(cls)
        check_defaults(cls)
        cls._is_exact = cls.model_config.get("extra") != "allow" and all(
            is_exact(field.annotation) for field in fields_of(cls).values()
        )
        cls._open_props = tuple(
            name for name, field in fields_of(cls).items() if may_not_hash(field.annotation)
        )
        FACTS.pop(cls, None)
        if cls._open_props and not cls.__pydantic_custom_init__:
            cls.__pydantic_custom_init__ = True  # which looks at them, whoever asks the validator
            cls.model_rebuild(force=True, raise_errors=False)


EXACT_EQUALITIES.add(Component.__eq__)


def _check_hashable(component: Component, name: str) -> None:
    value = getattr(component, name)
    try:
        hash(value)
    except TypeError:
        raise PropError(
            f"{shown(value)} is not hashable; {advice(type(value))}",
            path=f"{type(component).__name__}.{name}",
        ) from None


def _with_text(
    cls: type[Component], values: tuple[Any, ...], props: dict[str, Any]
) -> dict[str, Any]:
    """Return the props with an unnamed text as the only required text of a component without children.

    :raises PropError: for anything else.
    """
    name = own_text(cls)
    if name is None or name in props or len(values) != 1 or type(values[0]) is not str:
        raise _positional_error(cls, values)
    return {name: values[0], **props}


def own_text(cls: type[Component]) -> str | None:
    """Return the only required text of a component without children, or None.

    >>> from ujsx.elements import CodeBlock, Strong
    >>> own_text(CodeBlock), own_text(Strong)
    ('value', None)
    """
    needed = [name for name in cls._required if fields_of(cls)[name].annotation is str]
    return needed[0] if len(needed) == 1 and not cls.takes_children else None


def _as_meant(cls: type[Component], props: Mapping[str, Any]) -> dict[str, Any]:
    """Return the props of a primitive under its own names, each of them given once."""
    if not cls.is_primitive:
        return {**props}
    from ujsx._other_names import prop_for  # only mistakes need it

    fields = fields_of(cls)
    names = {name: name if name in fields else prop_for(cls.__name__, name) for name in props}
    counts = Counter(names.values())
    return {
        names[name] if counts[names[name]] == 1 else name: value for name, value in props.items()
    }


def _positional_error(cls: type[Component], values: tuple[Any, ...]) -> PropError:
    name = cls.__name__
    first: Any = values[0]
    hints = (cls._hint_for(kind.__name__) for kind in type(first).__mro__)
    hint = next(filter(None, hints), None)
    is_text = isinstance(first, str)
    is_child = cls.takes_children and not (
        is_text and (cls._required or (fields_of(cls) and not cls.is_primitive))
    )
    if hint or not (is_child and isinstance(first, Component | Element | str | list | tuple)):
        known = ", ".join(f"{each}=…" for each in fields_of(cls))
        behind = "[…]" if cls.takes_children and len(values) > 1 else ""
        hint = hint or (f"write {name}({known}){behind}" if known else "it has none")
        return PropError(f"props are given by name, not {shown(first)}; {hint}", path=name)
    return _children_error(cls, values)


def _children_error(cls: type[Component], values: tuple[Any, ...]) -> PropError:
    name = cls.__name__
    props = ", ".join(f"{each}=…" for each in fields_of(cls) if each in cls._required)
    is_list = isinstance(values[0], list | tuple)
    given: list[Any] = [*values[0], *values[1:]] if is_list else [*values]
    form = FORMS.get(cls.child_place or "phrasing", "{}")
    children = ", ".join(
        form.format(_in_brief(each)) if isinstance(each, str) else _in_brief(each)
        for each in given[:_MOST_SHOWN]
    )
    more = ", …" if len(given) > _MOST_SHOWN else ""
    return PropError(
        f"children go in brackets; write {name}({props})[{children or '…'}{more}]", path=name
    )


_MOST_SHOWN = 3
"""The most children in a suggested line."""


def _in_brief(child: Any) -> str:
    component: Any = getattr(child, "component", child)
    kind: type[Any] = component.__class__
    if not is_component_class(kind):
        return shown(child, width=30)
    return f"{kind.__name__}(…){'' if component is child else '[…]'}"


def _as_given(cls: type[Component], props: Mapping[str, Any]) -> dict[str, Any]:
    """Return props under the names that callers use, which may be aliases."""
    aliases = {name: field.validation_alias for name, field in fields_of(cls).items()}
    named = ((aliases.get(name), name, value) for name, value in props.items())
    return {alias if isinstance(alias, str) else name: value for alias, name, value in named}


def _prop_error(cls: type[Component], error: ValidationError) -> PropError:
    """Return the error for wrong props, with one sentence per mistake."""
    problems: list[tuple[str, str]] = []
    hints: set[str] = set()
    details = mistakes_of(error)
    for detail in sorted(details, key=lambda detail: detail["type"] != "extra_forbidden"):
        place = ".".join((cls.__name__, *map(str, detail["loc"])))
        if detail["type"] == "extra_forbidden" and len(detail["loc"]) == 1:
            name = str(detail["loc"][0])
            hint = cls._hint_for(name) or _HINTS.get(name) or did_you_mean(name, fields_of(cls))
            is_child = name in _CHILDREN and cls.takes_children and not cls._hint_for(name)
            if is_child and not hint.startswith("did"):
                given: Any = detail["input"]
                hint = _positional_error(cls, (given,)).message
            problems.append((place, f"no such prop (got {shown(detail['input'])}); {hint}"))
            hints.add(hint)
        elif detail["type"] == "missing":
            if f'did you mean "{detail["loc"][0]}"?' not in hints:
                is_text = detail["loc"] == ("value",) and not cls.takes_children
                call = example_of_text(cls, detail["input"])
                hint = f"; the text is this prop: value=…{call}" if is_text else ""
                problems.append((place, f"required, but not given{hint}"))
        else:
            problems.append((place, f"{complaint(detail)} (got {shown(detail['input'])})"))
    first, rest = problems[0], problems[1:]
    message = "; ".join((first[1], *(f"{place}: {text}" for place, text in rest)))
    told = PropError(message, path=first[0])
    told.problems = tuple(problems)
    return told


def example_of_text(cls: type[Component], given: Mapping[str, Any]) -> str:
    """Return the call for a node whose text is missing, with its other props, if any."""
    props = [f", {name}={shown(given[name])}" for name in given if name in fields_of(cls)]
    return f', as in {cls.__name__}("…"{"".join(props)})' if props else ""


_HINTS = {
    "key": "a key is not a prop; write .keyed(…) behind the node",
    "density": 'write render(node, density="compact")',
    "budget": "write render(node, budget=300)",
    **dict.fromkeys(
        ("class", "className", "class_", "style", "id", "onClick"),
        "Markdown has no classes, styles or handlers; leave it out",
    ),
    **dict.fromkeys(
        ("when", "if_", "show_if", "show_when", "condition", "test", "visible", "hidden"),
        "conditions are Python's; write X if … else None; in a layout, <When has=…> around it",
    ),
}
"""Remedies for props of other libraries."""

_NAMING = frozenset({"title", "name", "label"})
"""Names of a required prop that a text before the children means."""

_CHILDREN = frozenset(
    {"body", "cells", "child", "children", "content", "items", "nodes", "rows", "text"}
)
"""Names that other libraries use for a component's children."""


def made_of(cls: type[C], props: dict[str, Any], given: set[str]) -> C:
    """Return a node of all its props, in order, known to be valid.

    :param given: the names of the props that were set explicitly.
    """
    made = _new(cls)
    _set_props(made, props)
    _set_given(made, given)
    _set_extra(made, None)
    _set_private(made, None)
    return made


_new = object.__new__
_SLOTS = vars(BaseModel)
_set_props = _SLOTS["__dict__"].__set__  # a node is frozen
_set_given = _SLOTS["__pydantic_fields_set__"].__set__
_set_extra = _SLOTS["__pydantic_extra__"].__set__
_set_private = _SLOTS["__pydantic_private__"].__set__


def as_element(node: Component | Element) -> Element:
    """Return the node as an element."""
    if type(node) is Element:  # isinstance would run Python code in the model's metaclass
        return node
    component: Any = node
    facts = FACTS[type(component)]
    return Element(component, (), None, facts.is_leaf)


# Children without a parent.


class Fragment(Component):
    """Several nodes where one is wanted. Under a parent they are simply its children."""

    content_model = TRANSPARENT
    is_fragment: ClassVar[bool] = True


def fragment(*children: Child) -> Element[Fragment]:
    """Return the children as a single node.

    >>> fragment("a", None, fragment("b", "c")).children
    ('a', 'b', 'c')
    """
    return Element.of(Fragment(), children)


# Components written as functions.

P = ParamSpec("P")


class FunctionComponent(Protocol[P]):
    """The result of :func:`component`: called with the function's props, it creates a node.

    At run time it is a ``Component`` subclass, and usable as one.
    """

    examples: Examples
    """The examples of the component, by name: ``Badge.examples = lambda: {"new": Badge(label="new")}``."""

    def __call__(self, *args: P.args, **props: P.kwargs) -> Component: ...


@resolving(write="write @component above def Card(*, title: str)")
def decorator() -> Callable[[Any], Any]:
    """Return the decorator of ``@component()``: the same."""
    return component


@resolving(otherwise=decorator)
def component(
    function: Callable[Concatenate[RenderContext, Children, P], Child],
) -> FunctionComponent[P]:
    r"""Turn a function of the context, the children, and keyword props into a component.

    The result is a real ``Component`` subclass. Its name and description are the function's; its props are the other
    parameters, described by ``Annotated[…, Field(description=…)]``. Leave out ``ctx`` or ``children`` if the function
    does not use them.

    :raises DefinitionError: for a prop without a name or an annotation.

    >>> from ujsx import Child, Children, RenderContext, render
    >>> @component
    ... def Badge(ctx: RenderContext, children: Children, *, label: str) -> Child:
    ...     '''A label, and what it labels.'''
    ...     return [label, ": ", children]
    >>> Badge(label="new")
    Badge(label='new')
    >>> render(Badge(label="new")["text"])
    'new: text\n'
    """
    caller = sys._getframe(2).f_locals  # noqa: SLF001 - behind resolving; annotations may use the author's local names
    call: Callable[..., Child] = function
    given, props, defaults = _props_of(function, caller)
    line = f"write {component_line(function)}"
    hints = {name: f"it has the place of the {own}; {line}" for name, own in given.items()}

    def render(self: Component, ctx: RenderContext, children: Children) -> Child:
        values = {"ctx": ctx, "children": children}
        return call(**{name: values[each] for name, each in given.items()}, **self.__dict__)

    method: Any = render
    method.__wrapped__ = function
    namespace: dict[str, Any] = {
        "__module__": function.__module__,
        "__qualname__": function.__qualname__,
        "__doc__": function.__doc__,
        "__annotations__": props,
        "model_config": ConfigDict(use_attribute_docstrings=False),
        "render": method,
        "takes_children": "children" in given.values(),
        "_hints": {"children": f"write {component_line(function, 'children')}", **hints},
        **defaults,
    }
    make: Any = type(Component)
    made: FunctionComponent[P] = make(function.__name__, (Component,), namespace)
    return made


def component_line(
    function: Callable[..., Any], *more: str, values: Mapping[str, object] = NOTHING
) -> str:
    """Return the line of a component function: what it uses of the context and the children, then its props.

    :param more: the parameters that it lacks.
    :param values: values of props, for the types of those that have none.

    >>> def Card(title, children): ...
    >>> component_line(Card, values={"title": "Notes"})
    'def Card(children, *, title: str)'
    >>> def Names(names, density): ...
    >>> component_line(Names)
    'def Names(ctx, *, names: object), where ctx.density is the density'
    """
    takes = inspect.signature(function).parameters
    names = {*takes, *more}
    given = [
        *(["ctx"] if names & OF_CONTEXT else []),
        *(["children"] if "children" in names else []),
    ]
    props = [
        _prop_line(each, values.get(each.name, each.default))
        for each in takes.values()
        if each.kind in _NAMED and each.name not in _GIVEN | OF_CONTEXT
    ]
    line = f"def {function.__name__}({', '.join([*given, *(['*', *props] if props else [])])})"
    return f"{line}, where ctx.density is the density" if "density" in names else line


def _prop_line(prop: inspect.Parameter, value: object) -> str:
    kind: Any = prop.annotation
    if kind is prop.empty:
        kind = type(value) if type(value) in _USUAL else object
    shown_kind = kind if isinstance(kind, str) else inspect.formatannotation(kind)
    default = "" if prop.default is prop.empty else f" = {prop.default!r}"
    return f"{prop.name}: {shown_kind}{default}"


OF_CONTEXT = frozenset({"ctx", "density"})
"""The parameters of a component function that the context gives, under other names, too."""

_USUAL = (str, int, float, bool, list, tuple, dict)
"""The types of values that a line shows."""


def _props_of(
    function: Callable[..., Any], caller: Mapping[str, Any]
) -> tuple[dict[str, str], dict[str, Any], dict[str, Any]]:
    """Return the parameters for the context and the children, the props' types, and their defaults."""
    parameters = list(inspect.signature(function).parameters.values())
    by_name = {each.name: each for each in parameters}
    pairs = [*zip(("ctx", "children"), parameters, strict=False)]
    if len(pairs) < 2 or any(map(_is_prop, parameters[:2])) or by_name.keys() >= _GIVEN:
        pairs = [each for each in by_name.items() if each[0] in _GIVEN]
    given = {each.name: name for name, each in pairs}
    props = [each for each in parameters if each.name not in given]
    for parameter in props:
        place = f"{function.__name__}({parameter.name})"
        if parameter.kind not in _NAMED:
            raise DefinitionError(f"{place}: a prop is keyword-only; put it behind a *")
        if parameter.annotation is parameter.empty:
            raise DefinitionError(
                f"{place}: a prop needs an annotation, such as {parameter.name}: str"
            )

    class Props:
        __annotations__ = {parameter.name: parameter.annotation for parameter in props}

    try:
        types = get_type_hints(Props, function.__globals__, dict(caller), include_extras=True)
    except NameError as error:
        raise DefinitionError(
            f"{function.__name__}: an annotation names {error.name}, which is not defined where "
            "the function stands; define or import it first"
        ) from error
    defaults = {p.name: p.default for p in props if p.default is not p.empty}
    return given, types, defaults


def _is_prop(parameter: inspect.Parameter) -> bool:
    """Tell whether one of the first two parameters is a prop, not the context or the children."""
    kind: Any = parameter.annotation
    is_given = (
        kind is parameter.empty or kind is Children or "Render" in str(kind) or kind == "Children"
    )
    is_named = parameter.kind is parameter.KEYWORD_ONLY
    return parameter.kind not in _NAMED or not (
        parameter.name in _GIVEN or (is_given and not is_named)
    )


_GIVEN = frozenset({"ctx", "children"})
"""The parameters of a component function that are not props."""

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
