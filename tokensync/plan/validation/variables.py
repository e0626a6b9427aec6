"""Check names, descriptions, code syntax, scopes, and the size of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tokensync.plan.state import BODY_BYTES, MODE_NAME_CHARACTERS
from tokensync.plan.validation.collections import Intent, quoted
from tokensync.system.wording import shortened
from tokensync.tokens import CODE_SYNTAX_PLATFORMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.plan.state import Ref
    from tokensync.system.problems import Problem


_REFUSED: Final = (".", "{", "}")


def name_problems(intent: Intent) -> Iterator[Problem]:
    """Yield new names that are invalid, too long, or taken.

    The platform accepts two modes of one name; no plan creates them, since they cannot be distinguished.
    """
    for new in intent.new_collections:
        yield from _problems_of_name(intent, new.ref, None, new.name)
        parents = {} if new.ref not in intent.after.collections else _names_of_parent(intent, new.ref)
        for mode in new.modes:
            if mode.parent is None or parents.get(mode.parent) != mode.name:
                yield from _problems_of_mode_name(intent, new.ref, mode.ref, mode.name)
    for updated in intent.updated_collections:
        if updated.name is not None:
            yield from _problems_of_name(intent, updated.ref, None, updated.name[1])
    for new_mode in intent.new_modes:
        yield from _problems_of_mode_name(intent, new_mode.collection, new_mode.ref, new_mode.name)
    for renamed in intent.renamed_modes:
        yield from _problems_of_mode_name(intent, renamed.collection, renamed.ref, renamed.name[1])
    yield from _repeated_mode_names(intent)
    yield from _problems_of_variable_names(intent)


def _names_of_parent(intent: Intent, extension: Ref) -> dict[Ref, str]:
    parent = intent.after.collections.get(intent.after.collections[extension].parent or "")
    return {} if parent is None else {mode.ref: mode.name for mode in parent.modes}


def _problems_of_variable_names(intent: Intent) -> Iterator[Problem]:
    named = [(each.ref, each.collection, each.name) for each in intent.new_variables]
    named += (
        (each.ref, intent.after.variables[each.ref].collection, each.name[1])
        for each in intent.updated_variables
        if each.name is not None
    )
    if not named:
        return
    holders: dict[tuple[Ref, str], list[Ref]] = {}
    for variable in intent.after.variables.values():
        holders.setdefault((variable.collection, variable.name), []).append(variable.ref)
    opaque = {(collection, each.name): each for collection, owned in intent.before.opaque.items() for each in owned}
    for ref, collection, name in named:
        yield from _problems_of_name(intent, ref, None, name)
        for character in _REFUSED:
            if character in name:
                what = f'its name {quoted(name)} contains "{character}", which the platform refuses in a new name'
                yield intent.problem("plan-name", ref, None, what, f"remove the {character}")
                break
        others = [each for each in holders[collection, name] if each != ref]
        if others:
            what = f"another variable of {intent.name_of(collection)} is also named {quoted(name)}"
            yield intent.problem("plan-name-taken", ref, None, what, "rename one of them")
        elif (holder := opaque.get((collection, name))) is not None:
            kind = shortened(holder.type)
            what = f"{intent.name_of(collection)} already has a variable {quoted(name)} of the unknown type {kind}"
            yield intent.problem("plan-name-taken", ref, None, what, "rename the token")


def _repeated_mode_names(intent: Intent) -> Iterator[Problem]:
    """Yield new names of modes that another mode of the collection also has."""
    named = [(each.collection, each.ref, each.name) for each in intent.new_modes]
    named += ((each.collection, each.ref, each.name[1]) for each in intent.renamed_modes)
    named += (
        (new.ref, mode.ref, mode.name)
        for new in intent.new_collections
        for mode in new.modes
        if mode.parent is None  # others have their parents' names
    )
    for collection, ref, name in named:
        others = [each.ref for each in intent.after.collections[collection].modes if each.name == name != ""]
        if len(others) > 1 and (collection, name) not in intent.repeated_mode_names:
            other = next(each for each in others if each != ref)
            what = f"another mode is already named {quoted(name)} ({intent.where(collection, other)})"
            yield intent.problem("plan-name-taken", collection, ref, what, "rename one of them")


def _problems_of_mode_name(intent: Intent, collection: Ref, mode: Ref, name: str) -> Iterator[Problem]:
    yield from _problems_of_name(intent, collection, mode, name)
    if len(name) > MODE_NAME_CHARACTERS:
        what = f"the mode's name {quoted(name)} has {len(name)} characters; the platform allows {MODE_NAME_CHARACTERS}"
        yield intent.problem("plan-name", collection, mode, what, f"remove {len(name) - MODE_NAME_CHARACTERS} of them")


def _problems_of_name(intent: Intent, ref: Ref, mode: Ref | None, name: str) -> Iterator[Problem]:
    if not name:
        what = "the mode's name is empty" if mode is not None else "its name is empty"
        yield intent.problem("plan-name", ref, mode, what, "give it a name")
    elif not is_whole(name):
        what = f"the name {quoted(name)} contains half of a surrogate pair"
        yield intent.problem("plan-name", ref, mode, what, _WRITE_IT_WHOLE)


_WRITE_IT_WHOLE = "write the whole character, or remove it"


def is_whole(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8: half of a surrogate pair cannot."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def text_problems(intent: Intent) -> Iterator[Problem]:
    """Yield descriptions and code syntax that cannot be sent, and unknown platforms of code syntax."""
    for variable in intent.new_variables:
        yield from _text_problems(intent, variable.ref, variable.description, variable.code_syntax)
    for update in intent.updated_variables:
        description = update.description[1] if update.description is not None else ""
        syntax = update.code_syntax[1] if update.code_syntax is not None else ()
        yield from _text_problems(intent, update.ref, description, syntax)


def _text_problems(
    intent: Intent, ref: Ref, description: str, syntax: tuple[tuple[str, str], ...]
) -> Iterator[Problem]:
    if not is_whole(description):
        what = "its description contains half of a surrogate pair"
        yield intent.problem("plan-text", ref, None, what, _WRITE_IT_WHOLE)
    for platform, text in syntax:
        if platform not in CODE_SYNTAX_PLATFORMS and platform not in intent.platforms_on_platform:
            what = f"it has code syntax for the unknown platform {quoted(platform)}"
            to_do = f"use {', '.join(CODE_SYNTAX_PLATFORMS)}, or remove it"
            yield intent.problem("plan-text", ref, None, what, to_do)
        elif not is_whole(text):
            what = f"its code syntax for {platform} contains half of a surrogate pair"
            yield intent.problem("plan-text", ref, None, what, _WRITE_IT_WHOLE)


_SCOPES_CODE = "plan-scopes"
SCOPE_UNKNOWN: Final = "plan-scope-unknown"
ALL_SCOPES: Final = "ALL_SCOPES"
_ALL_FILLS: Final = "ALL_FILLS"
_FILLS: Final = frozenset({"FRAME_FILL", "SHAPE_FILL", "TEXT_FILL"})
SCOPES: Final = {
    "FLOAT": frozenset(
        "ALL_SCOPES TEXT_CONTENT CORNER_RADIUS WIDTH_HEIGHT GAP STROKE_FLOAT EFFECT_FLOAT OPACITY COLOR_OPACITY"
        " FONT_STYLE FONT_WEIGHT FONT_SIZE LINE_HEIGHT LETTER_SPACING PARAGRAPH_SPACING PARAGRAPH_INDENT"
        " FONT_VARIATIONS".split()
    ),
    "STRING": frozenset({ALL_SCOPES, "TEXT_CONTENT", "FONT_FAMILY", "FONT_STYLE"}),
    "COLOR": _FILLS | {ALL_SCOPES, _ALL_FILLS, "STROKE_COLOR", "EFFECT_COLOR"},
    "BOOLEAN": frozenset({ALL_SCOPES}),
}
"""The scopes that a variable of each type can have: documented ones, and ones seen in real responses."""
KNOWN_SCOPES: Final = frozenset[str]().union(*SCOPES.values())


def scope_problems(intent: Intent) -> Iterator[Problem]:
    """Yield scopes that do not fit the type of their variable, or that exclude each other.

    The platform adds scopes without notice. An unknown scope is a warning, unless the platform itself has it on a
    variable of the same type.
    """
    for variable in intent.new_variables:
        yield from _problems_of_scopes(intent, variable.ref, variable.type, variable.scopes)
    for update in intent.updated_variables:
        if update.scopes is not None:
            yield from _problems_of_scopes(
                intent, update.ref, intent.after.variables[update.ref].type, update.scopes[1]
            )


def _problems_of_scopes(intent: Intent, ref: Ref, kind: str, scopes: tuple[str, ...]) -> Iterator[Problem]:
    fitting = SCOPES[kind]
    others = [each for each in scopes if each not in fitting]
    if others:
        others = [each for each in others if (kind, each) not in intent.scopes_on_platform]
    unfit = [each for each in others if each in KNOWN_SCOPES]
    if unfit:
        what = f"{', '.join(unfit[:3])} cannot be used on a {kind} variable"
        yield intent.problem(_SCOPES_CODE, ref, None, what, f"use one or more of {', '.join(sorted(fitting))}")
    for each in others:
        if each not in KNOWN_SCOPES:
            what = f"the scope {quoted(each)} is unknown to tokensync, and the platform may refuse it"
            yield intent.problem(SCOPE_UNKNOWN, ref, None, what, _scope_advice(each, kind))
    if ALL_SCOPES in scopes and len(fitting.intersection(scopes)) > 1:
        what = f"{ALL_SCOPES} cannot be combined with other scopes"
        yield intent.problem(_SCOPES_CODE, ref, None, what, f"remove {ALL_SCOPES}, or the others")
    if _ALL_FILLS in scopes and not _FILLS.isdisjoint(scopes):
        what = f"{_ALL_FILLS} cannot be combined with {', '.join(sorted(_FILLS.intersection(scopes)))}"
        yield intent.problem(_SCOPES_CODE, ref, None, what, f"remove {_ALL_FILLS}, or the others")


def fitting_scopes(kind: str, scopes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the scopes that a variable of a type can have together, and those that tokensync does not know."""
    found = tuple(each for each in scopes if each in SCOPES[kind] or each not in KNOWN_SCOPES)
    if ALL_SCOPES in found:
        return (ALL_SCOPES,)
    return tuple(each for each in found if each not in _FILLS) if _ALL_FILLS in found else found


def _scope_advice(scope: str, kind: str) -> str:
    """Return advice with scopes of the type that are spelled similarly, or with all of them."""
    from difflib import get_close_matches

    near = get_close_matches(scope[:60].upper(), sorted(SCOPES[kind]), n=2)
    if near:
        return f"write {' or '.join(near)} if you mean that"
    return f"known scopes of a {kind} variable: {', '.join(sorted(SCOPES[kind]))}"


_OVERHEAD: Final = 512  # the most bytes of a request for each text besides the text itself: ids, member names, brackets
_LONGEST_CHARACTER: Final = 6  # bytes in JSON: \u0000
_SHORTEN: Final = "shorten its texts"


def size_problems(intent: Intent) -> Iterator[Problem]:
    """Yield new variables and texts that do not fit into one request."""
    for variable in intent.new_variables:
        values = variable.values.values()
        texts = [variable.description, *(text for _, text in variable.code_syntax)]
        texts += [variable.name] * (len(values) + 1)  # each value names its variable
        texts += (each if isinstance(each, str) else "" for each in values)
        if (size := _size(texts)) > BODY_BYTES:
            yield intent.problem("plan-limit", variable.ref, None, _too_large(size), _SHORTEN)
    created = {each.ref for each in intent.new_variables}
    for update in intent.updated_variables:
        members = [each[1] for each in (update.name, update.description) if each is not None]
        syntax = () if update.code_syntax is None else update.code_syntax[1]
        if (size := _size([*members, *(text for _, text in syntax)])) > BODY_BYTES:
            yield intent.problem("plan-limit", update.ref, None, _too_large(size), _SHORTEN)
    for owner, mode, value in intent.new_values:
        if isinstance(value, str) and owner.ref not in created and (size := _size([value])) > BODY_BYTES:
            yield intent.problem("plan-limit", owner.ref, mode, _too_large(size), _SHORTEN)


def _size(texts: Iterable[str]) -> int:
    """Return the most bytes of a request for these texts; an estimate if that is within the limit."""
    texts = [*texts]
    overhead = _OVERHEAD * (len(texts) + 1)
    most = _LONGEST_CHARACTER * sum(map(len, texts)) + overhead
    if most <= BODY_BYTES:
        return most
    return sum(len(msgspec.json.encode(text.encode(errors="replace").decode())) for text in texts) + overhead


def _too_large(size: int) -> str:
    megabytes = 1024 * 1024
    return f"it takes {size / megabytes:.1f} MB in one request; the platform allows {BODY_BYTES // megabytes} MB"
