"""Components with any valid props, and trees of them."""

from __future__ import annotations

from typing import Any, TypeVar, cast, overload

from hypothesis import strategies as st

from ujsx import Child, Component, Element, Fragment, Vocabulary, fragment
from ujsx import elements as el
from ujsx._errors import StrategyError, did_you_mean
from ujsx._vocabulary import ComponentClass
from ujsx.testing.strategies._texts import hostile_texts
from ujsx.testing.strategies._values import ValuesOf

C = TypeVar("C", bound=Component)


@overload
def components(kind: type[C], /, **props: st.SearchStrategy[Any]) -> st.SearchStrategy[C]: ...
@overload
def components(
    kind: ComponentClass, /, **props: st.SearchStrategy[Any]
) -> st.SearchStrategy[Component]: ...
def components(
    kind: ComponentClass, /, **props: st.SearchStrategy[Any]
) -> st.SearchStrategy[Component]:
    """Return a component with any props that it takes.

    The props come from the class's own schema: lengths, patterns, bounds, unions, nested models,
    enums, tuples and frozen mappings are respected, models lie in each other three
    deep at most, and an optional prop is sometimes left out. Texts are :func:`hostile_texts`. What a
    validator function of the class refuses is not returned; if it refuses nearly everything, give
    the prop values of its own.

    :param kind: the component class, or what the ``component`` decorator gave.
    :param props: strategies for some of the props, in place of those of the schema.
    :raises StrategyError: for a prop that the class does not have, for one whose schema says
        nothing about its values, and for a class that always holds another of itself.

    >>> from hypothesis import find
    >>> from ujsx.elements import Heading
    >>> find(components(Heading), lambda heading: heading.depth > 3)
    Heading(depth=4)
    """
    cls = cast("type[Component]", kind)
    for name in props:
        if name not in cls.model_fields:
            raise StrategyError(
                f"no such prop; {did_you_mean(name, cls.model_fields)}",
                path=f"{cls.__name__}.{name}",
            )
    cls.model_rebuild()
    schema: Any = cls.__pydantic_core_schema__
    made = ValuesOf({cls: props})(schema)
    if made.is_empty:
        raise StrategyError("it holds itself without end", path=cls.__name__)
    return made


_IN_LINE: tuple[type[Component], ...] = (el.InlineCode, el.Image, el.LineBreak, el.Omitted)
_LINE_IN_LINE: tuple[type[Component], ...] = (el.Strong, el.Emphasis, el.Strikethrough, el.Link)
_LINE_IN_BLOCK: tuple[type[Component], ...] = (el.Paragraph, el.Heading)
_BLOCKS_IN_BLOCK: tuple[type[Component], ...] = (el.Section, el.BlockQuote, Fragment)
_ALONE: tuple[type[Component], ...] = (el.CodeBlock, el.ThematicBreak)


def trees(
    vocabulary: Vocabulary | None = None, *, max_leaves: int = 8
) -> st.SearchStrategy[Element]:
    """Return trees of a vocabulary that have a meaning, each in a ``Fragment``.

    Primitives stand where they may: blocks among blocks, what belongs in a line in lines, items in
    lists. A component of one's own stands among blocks, and its children are text and what belongs
    in a line. Not placed are raw HTML and front matter, which only an author can vouch for, and
    references, which need their definitions.

    :param vocabulary: the components that may appear; the primitives when ``None``.
    :param max_leaves: about how many nodes without children a tree has.

    >>> from hypothesis import find
    >>> from ujsx.elements import Section
    >>> find(trees(Vocabulary(Section)), lambda tree: Section(title="") in tree.children)
    Fragment()[Section(title='')[()]]
    """
    known = list(Vocabulary.of(vocabulary).values())
    own = [kind for kind in known if kind not in _PRIMITIVES]

    def some(kinds: tuple[type[Component], ...]) -> list[st.SearchStrategy[Component]]:
        return [components(kind) for kind in kinds if kind in known]

    line = st.recursive(
        st.one_of(hostile_texts(), *some(_IN_LINE)),
        lambda inner: st.one_of(*(_with(each, inner) for each in some(_LINE_IN_LINE)), inner),
        max_leaves=3,
    )
    leaves = [
        line,
        *some(_ALONE),
        *(_with(each, line) for each in some(_LINE_IN_BLOCK)),
        *(_with(components(kind), line) for kind in own),
        *(_tables(line) if {el.Table, el.TableRow, el.TableCell} <= set(known) else ()),
    ]

    def larger(inner: st.SearchStrategy[Child]) -> st.SearchStrategy[Child]:
        lists = _lists(inner) if {el.List, el.Item} <= set(known) else ()
        return st.one_of(*(_with(each, inner) for each in some(_BLOCKS_IN_BLOCK)), *lists, inner)

    blocks = st.recursive(st.one_of(leaves), larger, max_leaves=max_leaves)
    return st.lists(blocks, max_size=3).map(lambda nodes: fragment(*nodes))


_PRIMITIVES = frozenset(el.PRIMITIVES.values())


def _with(
    component: st.SearchStrategy[Component], children: st.SearchStrategy[Child]
) -> st.SearchStrategy[Child]:
    return st.builds(Element.of, component, st.lists(children, max_size=3))


def _lists(inner: st.SearchStrategy[Child]) -> list[st.SearchStrategy[Child]]:
    return [_with(components(el.List), _with(components(el.Item), inner))]


def _tables(line: st.SearchStrategy[Child]) -> list[st.SearchStrategy[Child]]:
    row = _with(components(el.TableRow), _with(components(el.TableCell), line))
    return [_with(components(el.Table), row)]
