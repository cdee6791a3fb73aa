"""The class of component classes: what makes a component's nodes, and tells that something is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ujsx.calls import MissingAttributeError
from ujsx.components._documented import DocumentedModel, fields_of

if TYPE_CHECKING:  # to which a node takes what ``__init__`` says
    from pydantic._internal._model_construction import ModelMetaclass

    ComponentType = ModelMetaclass
else:

    class ComponentType(type(DocumentedModel)):
        """A component's class. Nodes without props are one object, as nothing tells them apart."""

        def __call__(cls, /, *positional: Any, **props: Any) -> Any:
            if not (props or positional):
                bare = cls.__dict__.get("_bare")
                return cls._made_bare() if bare is None else bare
            if positional or cls.__pydantic_custom_init__:
                return super().__call__(*positional, **props)
            try:
                return cls.__pydantic_validator__.validate_python(props)
            except ValidationError:
                return super().__call__(**props)  # its __init__ says what is wrong

        def __getattr__(cls, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                if name.startswith("_"):
                    raise
            raise MissingAttributeError(f"type object {cls.__name__!r}", name, cls)

        def _made_bare(cls) -> Any:
            bare = super().__call__()
            if not bare.__pydantic_decorators__.model_validators and all(
                field.default_factory is None for field in fields_of(cls).values()
            ):
                cls._bare = bare
            return bare


def is_component_class(kind: type[Any]) -> bool:
    """Tell whether a class is one of components.

    It looks at no attribute of the class, for which a model's class runs Python code.
    """
    return type(kind) is ComponentType or isinstance(kind, ComponentType)
