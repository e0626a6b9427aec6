"""Composite values of token files, with the references that stand for parts of them: both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.formats.dtcg.colors import color
from tokensync.formats.dtcg.composites import fault_of
from tokensync.formats.dtcg.faults import BadToken
from tokensync.formats.dtcg.references import path_of_pointer
from tokensync.formats.dtcg.spelling import ROOT
from tokensync.formats.dtcg.targets import without_pointers
from tokensync.formats.dtcg.text import Inline, inline
from tokensync.tokens import Composite
from tokensync.tokens.composites import canonical, decoded, fits, is_number, parts_of, reference_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tokensync.formats.dtcg.document import Document
    from tokensync.formats.dtcg.targets import Targets
    from tokensync.tokens import TokenKey


def composite(token_type: str, value: Any) -> Composite:
    """A composite whose references, if it has any, lead nowhere yet. Raises BadToken with what does not fit."""
    fault = fault_of(token_type, value)
    if fault is not None:
        what = f"this is no {token_type}: {fault}"
        raise BadToken("token-value", what, "complete it as the DTCG format has it", ("$value",))
    for part in parts_of(token_type, value):
        if part.type == "color" and part.reference is None:
            try:
                color(part.json)
            except BadToken as refusal:
                refusal.within = ("$value", *part.path, *refusal.within[1:])
                raise
    return Composite(canonical(_plain_numbers(value)))


def with_targets(
    token_type: str, read: Composite, targets: Targets, type_of: Callable[[TokenKey], str | None]
) -> Composite:
    """The composite with the tokens that its references lead to. Raises BadToken for one that does not fit its place.

    ``type_of`` tells a token's type, None where it has none (which is told where it is).
    """
    found: dict[str, TokenKey] = {}
    for part in parts_of(token_type, decoded(read.json)):
        if part.reference is None:
            continue
        within = ("$value", *part.path)
        try:
            alias = targets.of_reference(part.reference)
        except BadToken as refusal:
            refusal.within = within
            raise
        if alias is None:  # such a pointer is gone by now, unless it stands where a reference cannot
            what = f"{part.reference[:120]!r} leads into a value"
            raise BadToken("token-reference", what, "refer to a token", within)
        target_type = type_of(alias.target)
        if target_type is not None and not fits(part.type, target_type):
            what = f"a {target_type} stands where a {part.type} belongs"
            raise BadToken("token-reference-type", what, f"refer to a {part.type}", within)
        found[part.reference] = alias.target
    return Composite(read.json, tuple(found.items())) if found else read


def without_inner_pointers(token_type: str, value: Any, documents: Iterable[Document], targets: Targets) -> Any:
    """The value in which each ``$ref`` that is no part as a whole has become what it points at. Raises BadToken."""
    documents = tuple(documents)
    near = without_pointers(value, documents, lambda node: _names_token(node, targets))
    whole = {id(part.json) for part in parts_of(token_type, near) if part.reference is not None}
    return without_pointers(near, documents, lambda node: id(node) in whole)


def composite_text(token_type: str, value: Composite) -> Inline | None:
    """The ``$value`` text of a composite; None when it is not canonical, or not of this type.

    It has to have a target for each reference in it, and no other ones.
    """
    try:
        tree = decoded(value.json)
        again = composite(token_type, tree)
    except (ValueError, RecursionError, BadToken):
        return None
    if again.json != value.json:
        return None
    spelled = {part.reference: None for part in parts_of(token_type, tree) if part.reference is not None}
    return Inline(inline(tree)) if list(spelled) == [text for text, _ in value.references] else None


def leads_to(reference: str, target: TokenKey, *, is_root: bool) -> bool:
    """Whether readers take this spelling for the token; ``is_root`` tells that it is the ``$root`` of a group."""
    if reference[:1] == "{":
        address = reference[1:-1]
    else:
        steps = path_of_pointer(reference) or ()
        address = ".".join(steps[:-1] if steps[-1:] == ("$value",) else steps)
    return address == f"{target.collection}.{target.path}" + (f".{ROOT}" if is_root else "")


def have_fitting_types(token_type: str, value: Composite, types: Mapping[str, str]) -> bool:
    """Whether each reference leads to a type that fits its place; ``types`` are those of the targets, by reference."""
    parts = parts_of(token_type, decoded(value.json))
    return all(fits(each.type, types[each.reference]) for each in parts if each.reference is not None)


def _names_token(node: dict[str, Any], targets: Targets) -> bool:
    pointer = reference_of(node)
    try:
        return pointer is not None and targets.of_pointer(pointer) is not None
    except BadToken:
        return False


def _plain_numbers(value: Any) -> Any:
    """The value with 4 for 4.0, so that equal values are one text."""
    if isinstance(value, dict):
        return {name: _plain_numbers(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain_numbers(each) for each in value]
    return int(value) if is_number(value) and value == int(value) and abs(value) < 2**53 else value
