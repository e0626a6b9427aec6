"""Reads the contexts that templates declare: their fields, the rows among them, and instances made of the examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from tokensync import report
from tokensync.generate.naming.templates import NAMES as NAME_TEMPLATES
from tokensync.generate.targets import NAMES, renderer
from tokensync.report import differences

if TYPE_CHECKING:
    from tokensync.generate.naming.templates import Template


class Field(NamedTuple):
    """One variable of a template, or one part of a row; ``example`` is None where the type determines it."""

    name: str
    type: Any
    meaning: str
    example: Any

    @property
    def words(self) -> str:
        """Return the type in words."""
        return worded(self.type)


def templates() -> list[Template]:
    """Return every declared template: those of names, of each platform, of the report."""
    modules = [renderer(each) for each in NAMES]
    found = [*(each for module in modules for each in module.TEMPLATES), report.TEMPLATE, differences.TEMPLATE]
    order = [NAME_TEMPLATES, *NAMES]
    return sorted(
        found, key=lambda each: (order.index(each.platform) if each.platform in order else len(order), each.platform)
    )


def own_context() -> type:
    """Return the context of custom templates."""
    from tokensync.generate.targets.template.render import Own

    return Own


def fields_of(declared: type) -> list[Field]:
    """Return the fields of a context or a row, in order."""
    hints = get_type_hints(declared, include_extras=True)
    return [
        field(name, hints[name])
        for name in (*getattr(declared, "__struct_fields__", ()), *getattr(declared, "_fields", ()))
    ]


def field(name: str, hint: Any) -> Field:
    """Return a field of this type, which must have a description."""
    if get_origin(hint) is not Annotated:
        raise TypeError(f"{name}: describe it with Annotated[..., doc(...)]")
    kind, meta = get_args(hint)
    return Field(name, kind, meta.description, meta.examples[0] if meta.examples else None)


def row_type(kind: Any) -> type | None:
    """Return the NamedTuple in a possibly nested list, if there is one."""
    while get_origin(kind) in (list, Sequence):
        (kind,) = get_args(kind)
    return kind if isinstance(kind, type) and hasattr(kind, "_fields") else None


def worded(kind: Any) -> str:
    """Return a type in words."""
    if kind is Any:
        return "data"
    known = {str: "text", bool: "boolean", int: "whole number", float: "number"}
    if kind in known:
        return known[kind]
    arguments = get_args(kind)
    if get_origin(kind) in (list, Sequence):
        inner = worded(arguments[0])
        return "rows" if inner == "row" else f"list of {inner}" + ("" if inner.endswith("s") else "s")
    if get_origin(kind) is dict:
        return f"{worded(arguments[1])} by {worded(arguments[0])}"
    if get_origin(kind) is tuple:
        return "texts" if arguments == (str, ...) else f"({', '.join(map(worded, arguments))})"
    if row_type(kind):
        return "row"
    raise TypeError(f"{kind}: no words for this type")


def example_of(kind: Any) -> Any:
    """Return a value of this type; rows and contexts consist of their fields' examples."""
    if get_origin(kind) in (list, Sequence):
        return [example_of(get_args(kind)[0])] * 2
    if hasattr(kind, "_fields") or hasattr(kind, "__struct_fields__"):
        return kind(*(each.example if each.example is not None else example_of(each.type) for each in fields_of(kind)))
    raise TypeError(f"{kind}: give an example")


def variables_of(context: Any) -> dict[str, Any]:
    """Return a context as the variables of a template."""
    return {name: getattr(context, name) for name in context.__struct_fields__}
