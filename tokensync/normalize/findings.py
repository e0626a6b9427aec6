"""The findings of a graph: dangling aliases, cycles, missing values and the tokens that depend on them.

The graph is the joined one of all files.
"""

from __future__ import annotations

import re
from itertools import chain, compress
from typing import TYPE_CHECKING

from tokensync.normalize.mapping import MODE, Opacity, is_slug_of, name_of_path, opacity_units, shortened
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import argument, counted, listed
from tokensync.tokens import (
    Alias,
    ComposedColor,
    Composite,
    DanglingAlias,
    Theme,
    Token,
    TokenGraph,
    Unresolved,
    shortest,
)
from tokensync.tokens.algorithms import closure, reverse
from tokensync.tokens.collection import inherited
from tokensync.tokens.resolver import NEEDS_RESOLVER, TokenIndex, TokenTable
from tokensync.tokens.values import AS_TEXT, LITERALS, font_style

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from tokensync.tokens import Collection, FamilyKey, Resolved, Value

_WHAT = {
    "dangling": ("alias-dangling", "", "it refers to {at}, which is not among the tokens"),
    "cycle": ("alias-cycle", "its aliases form a cycle", "it refers to {at}, whose aliases form a cycle"),
    "absent": ("value-absent", "it has no value", "it refers to {at}, which has no value"),
    "mismatch": (
        "alias-mismatch",
        "it refers to a value of another type",
        "it refers to {at}, whose type does not fit",
    ),
}
"""The code, the message for the token that causes the problem, and the message for its dependents, by reason."""
_LONGEST_REFERENCE = 120  # characters; the id of a remote variable has about 60
_OF_LIBRARY = re.compile(r"VariableID:([0-9a-f]{40})/[0-9]+:[0-9]+")
"""The id of a library's variable has its key, by which people find it: the key is in the library's own responses."""
_OUTCOME = "fix the alias in the design file (until then, it has no value there)"
_OUTCOME_OF_SEVERAL = "fix the cause in its design file (until then, they have no value there)"
_OUTCOMES = {
    "value-absent": "give it a value in the design file (until then, it has no value there)",
    "alias-type-unknown": "it has no value there, and the alias stays unchanged in the design file",
}
_OUTCOME_IN_CONTEXT = "correct the alias, or add its target there (until then, it has no value there)"
_OUTCOMES_OF_SEVERAL = {
    "alias-type-unknown": "they have no value there, and the aliases stay unchanged in the design file"
}

_CHOICE = 'correct the values (Figma expects percentages), or set unit = "percent" or "fraction" in a [[types]] rule'

_FITS = frozenset(
    {
        ("dimension", "number"),
        ("dimension", "fontWeight"),
        ("number", "fontWeight"),
        ("fontWeight", "number"),
        ("fontFamily", "string"),
        ("string", AS_TEXT),
    }
)
"""Pairs of types of which the first can always refer to the second. Other pairs depend on the values."""


def findings(graph: TokenGraph, foreign: Container[str] = ()) -> tuple[Problem, ...]:
    """Return the problems of local tokens: no value in some mode, font weights that lose a slant, and mixed opacities.

    ``foreign`` are the files with a resolver document of another tool, whose tokens may exist in some contexts only.
    A graph without problems costs one pass over columns of integers.
    """
    table, types = graph.table, graph.table.types
    suspects = {*table.cyclic}
    of_type: dict[str, list[TokenIndex]] = {}
    for index, name in zip(table.order, types, strict=True):
        of_type.setdefault(name, []).append(index)
    for name, indices in of_type.items():
        codes = set(chain.from_iterable(map(table.rows.__getitem__, indices)))
        others = {code for code in codes if code >= 0 and types[code] != name and (name, types[code]) not in _FITS}
        suspects.update(index for index in (indices if others else ()) if not others.isdisjoint(table.rows[index]))
    opened: set[TokenIndex] = set()
    for family, collection in graph.collections.items():
        for mode in range(len(collection.modes)):
            column = graph.columns.column(family, mode)
            opened.update(compress(table.of_family[family], map(NEEDS_RESOLVER.__eq__, column)))
    suspects.update(index for index in opened if _is_suspect(table, index))
    unresolved: Iterable[Problem] = ()
    if suspects:
        referring = reverse({index: table.targets_of(index) for index in table.order})
        affected = closure(suspects, lambda index: referring.get(index, ()))
        unresolved = _unresolved(graph, affected, foreign)
    return (
        *unresolved,
        *(_slanted(graph) if AS_TEXT in types else ()),
        *(_mixed_opacities(graph, units) if (units := opacity_units(table)) else ()),
    )


def _mixed_opacities(graph: TokenGraph, units: Mapping[TokenIndex, Opacity]) -> Iterator[Problem]:
    """Yield a problem for each collection whose opacities are partly fractions and partly percentages."""
    literals: dict[FamilyKey, dict[str, list[str]]] = {}
    contradictory: dict[FamilyKey, list[str]] = {}
    table = graph.table
    for index, unit in units.items():
        if unit.is_chosen or table.origins[index] != "local":
            continue
        name, family = shortened(name_of_path(table.paths[index])), table.families[index]
        numbers = [literal for literal in table.literals_of(index) if isinstance(literal, float)]
        if unit.is_mixed:
            texts = listed(list(dict.fromkeys(map(shortest, numbers))))
            contradictory.setdefault(family, []).append(f"{name} {texts}".rstrip())
        elif numbers and max(map(abs, numbers)) not in (0, 1):
            text = f"{name} {shortest(max(numbers, key=abs))}"
            literals.setdefault(family, {}).setdefault(unit.unit, []).append(text)
    for collection in graph.collections.values():
        where = _label(graph, collection)
        if names := contradictory.get(collection.key):
            has, reads = ("opacity has", "it is") if len(names) == 1 else ("opacities have", "they are")
            what = f"{len(names)} {has} values below and above 1, so {reads} read as percentages ({listed(names)})"
            yield problem("opacity-mixed", where, what, _CHOICE)
        by_unit = literals.get(collection.key, {})
        if len(by_unit) == 2:
            fractions, percentages = (listed(by_unit[each]) for each in ("fraction", "percent"))
            what = f"some opacities are fractions ({fractions}), and others are percentages ({percentages})"
            yield problem("opacity-mixed", where, what, _CHOICE)


def renamed_modes(graph: TokenGraph, before: Sequence[TokenGraph] = ()) -> Iterator[Problem]:
    """Yield a note for each mode whose files, and so its theme and code, have another name than the mode.

    ``before`` are the graphs before a pull, which also yields a note for a mode that gets the name of its files back.
    Only modes with an id are on the platform; the modes of other tools' resolver documents have none.
    """
    former = {
        (*family.key, mode.id): mode.name
        for graph in before
        for family in graph.collections.values()
        for mode in family.modes
    }
    for family in graph.collections.values():
        for mode in (mode for mode in family.modes if mode.id and family.origin == "local"):
            has_usual_context = mode.collection == family.handle and mode.context == mode.slug
            where = f"{shortened(family.name or family.handle)} / {shortened(mode.name)}"
            old = former.get((*family.key, mode.id), mode.name)
            renamed = "it was renamed" if old == mode.name else f"it was renamed from {shortened(old)}"
            if has_usual_context and not is_slug_of(mode.slug, mode.name, MODE):
                name = f"{family.handle}/{mode.context}"
                what = f"{renamed}, and token files and code still call it {shortened(mode.context)}"
                to_do = f"to rename it there, run tokensync tokens rename-mode {argument(name)} {argument(mode.name)}"
                yield problem("mode-name-former", where, what, to_do)
            elif has_usual_context and old != mode.name:
                what = f"{renamed}, and token files and code call it {shortened(mode.context)}, as before"
                yield problem("mode-name-former", where, what, "do nothing")


def _slanted(graph: TokenGraph) -> Iterator[Problem]:
    """Yield a problem for each collection with font weights whose text is also italic or oblique."""
    by_family: dict[FamilyKey, list[str]] = {}
    table = graph.table
    for index, token_type in zip(table.order, table.types, strict=True):
        if token_type == AS_TEXT and table.origins[index] == "local":
            texts = (literal for literal in table.literals_of(index) if isinstance(literal, str))
            slanted = next((text for text in texts if (style := font_style(text)) and style.slant), None)
            if slanted is not None:
                name = shortened(name_of_path(table.paths[index]))
                by_family.setdefault(table.families[index], []).append(f'{name} "{slanted}"')
    for family, names in by_family.items():
        verb = "is" if len(names) == 1 else "are"
        collection = graph.collections[family]
        where = _label(graph, collection)
        italics = f"{counted(len(names), 'font weight')} {verb} also italic or oblique"
        what = f"{italics}; outputs contain only the weight"
        yield problem("font-weight-slant", where, what, "set the font style where the weights are used", names)


def _is_suspect(table: TokenTable, index: TokenIndex) -> bool:
    """Return whether a value of the token may have no literal, apart from aliases to another type."""
    values = table.values_of(index)
    modes = table.collections[table.families[index]].modes
    for column, value in enumerate(values):
        if value is None:
            if inherited(values, column, modes) is None:
                return True
        elif isinstance(value, Alias):
            if value.target not in table.indices:
                return True
        elif type(value) not in LITERALS and not _is_sound(table, value):
            return True
    return False


def _is_sound(table: TokenTable, value: Value) -> bool:
    """Return whether the value has a literal if its targets have one. Composites with references may have none."""
    if isinstance(value, ComposedColor):
        return _refers_to_type(table, value.color, "color") and _refers_to_type(table, value.opacity, "number")
    return isinstance(value, Composite) and not value.references


def _refers_to_type(table: TokenTable, part: Value, token_type: str) -> bool:
    if isinstance(part, Alias):
        target = table.indices.get(part.target)
        return target is not None and table.types[target] == token_type
    return not isinstance(part, DanglingAlias)


def _unresolved(graph: TokenGraph, affected: Iterable[TokenIndex], foreign: Container[str] = ()) -> Iterator[Problem]:
    opaque = {
        variable.id: f"{_label(graph, family)} / {shortened(variable.name)}, whose type {variable.type[:60]}"
        for family in graph.collections.values()
        for variable in family.opaque
    }
    columns, table = graph.columns, graph.table
    by_family: dict[FamilyKey, list[TokenIndex]] = {}
    for index in sorted(affected):
        if table.origins[index] == "local":
            by_family.setdefault(table.families[index], []).append(index)
    for family in graph.collections.values():
        if indices := by_family.get(family.key):
            own, is_foreign = [columns.tokens[index] for index in indices], family.file in foreign
            themes = (Theme("", ((family.key, mode),)) for mode in range(len(family.modes)))
            literals = [columns.literals(theme, indices) for theme in themes]
            results = [[columns.values[in_mode[index]] for in_mode in literals] for index in indices]
            if is_foreign:
                results = [_without_absence(graph, *each) for each in zip(own, results, strict=True)]
            yield from _by_cause(family, _label(graph, family), own, results, opaque, is_foreign=is_foreign)


def _without_absence(graph: TokenGraph, token: Token, results: Sequence[Resolved]) -> list[Resolved]:
    """Return a token's results without those of the contexts in which no source defines it, which is no problem."""
    causes = {str(token.key)}
    for target in token.references:
        if target in graph.tokens and graph.tokens[target].is_earlier_value(token.key):
            causes.update(map(str, (target, *graph.tokens[target].references)))
    return [
        "" if isinstance(result, Unresolved) and result.reason == "absent" and result.at in causes else result
        for result in results
    ]


def _by_cause(
    family: Collection,
    label: str,
    tokens: Sequence[Token],
    results: Sequence[Sequence[Resolved]],
    opaque: Mapping[str, str],
    *,
    is_foreign: bool,
) -> Iterator[Problem]:
    """Yield one problem for each cause, with all tokens and modes that lack a value because of it.

    ``label`` is the collection's name in problems. ``opaque`` maps the ids of variables with an unsupported type to
    their descriptions.
    """
    causes: dict[Unresolved, dict[Token, list[str]]] = {}
    outcomes = _OUTCOMES if not is_foreign else {**_OUTCOMES, "value-absent": _OUTCOME_IN_CONTEXT}
    for token, in_modes in zip(tokens, results, strict=True):
        for mode, result in zip(family.modes, in_modes, strict=True):
            if isinstance(result, Unresolved):
                causes.setdefault(result, {}).setdefault(token, []).append(shortened(mode.context))
    if not is_foreign:
        yield from _in_new_modes(family, label, causes)
    for result, concerned in causes.items():
        code, here, there = _WHAT[result.reason]
        own = [token for token in concerned if here and result.at == str(token.key)]
        for token in own:
            modes = concerned[token]
            yield problem(code, _where(label, token, modes), here, _outcome(code, family, token, modes))
        others = [token for token in concerned if token not in own]
        is_long = len(result.at) > _LONGEST_REFERENCE
        at = f"{result.at[:_LONGEST_REFERENCE]}…" if is_long else result.at
        if code == "alias-dangling" and (library := _OF_LIBRARY.fullmatch(at)):
            at = f"the variable of a library with the key {library[1]}"
        what = there.format(at=at)
        if code == "alias-dangling" and result.at in opaque:
            code, what = "alias-type-unknown", f"it refers to {opaque[result.at]} is not supported"
        if len(others) == 1:
            where = _where(label, others[0], concerned[others[0]])
            yield problem(code, where, what, outcomes.get(code, _OUTCOME))
        elif others:
            what = what.replace("it refers", f"{counted(len(others), 'token')} refer", 1)
            outcome = _OUTCOMES_OF_SEVERAL.get(code, _OUTCOME_OF_SEVERAL)
            yield problem(code, label, what, outcome, list(map(_name, others)))


def _in_new_modes(
    family: Collection, label: str, causes: dict[Unresolved, dict[Token, list[str]]]
) -> Iterator[Problem]:
    """Yield a problem for each mode that is not on the platform yet, with the tokens that lack a value in it.

    Remove what it reports from ``causes``. Tokens without a value in the default mode are not among them.
    """
    default = shortened(family.modes[family.default_mode].context)
    for mode in family.modes if any(mode.id for mode in family.modes) else ():
        context = shortened(mode.context)
        lacking = [
            (token, modes)
            for result, concerned in causes.items()
            for token, modes in concerned.items()
            if result.reason == "absent" and result.at == str(token.key) and context in modes and default not in modes
        ]
        if mode.id or not lacking:
            continue
        for _, modes in lacking:
            modes.remove(context)
        has = "has" if len(lacking) == 1 else "have"
        what = f"{counted(len(lacking), 'token')} {has} no value in the new mode {context}"
        to_do = "add values to its file, or apply, which sets those of the default mode"
        to_do = f"{to_do} (until then, they have no value there)"
        yield problem("value-absent", label, what, to_do, [_name(token) for token, _ in lacking])
    for result, concerned in tuple(causes.items()):
        causes[result] = {token: modes for token, modes in concerned.items() if modes}
        if not causes[result]:
            del causes[result]


def _outcome(code: str, family: Collection, token: Token, modes: Sequence[str]) -> str:
    if code != "value-absent" or token.id:
        return _OUTCOMES.get(code, _OUTCOME)
    is_filled = shortened(family.modes[family.default_mode].context) not in modes
    apply = ", or apply, which sets the default mode's value" if is_filled else ""
    return f"give it a value in the token files{apply} (until then, it has no value there)"


def _label(graph: TokenGraph, collection: Collection) -> str:
    return shortened(collection.name or collection.handle) + graph.distinction(collection)


def _where(label: str, token: Token, modes: Sequence[str]) -> str:
    return " / ".join((label, _name(token), ", ".join(modes)))


def _name(token: Token) -> str:
    return shortened(name_of_path(token.key.path))
