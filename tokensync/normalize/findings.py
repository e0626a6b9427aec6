"""What the finished graph cannot show: dangling aliases, cycles, missing values, and all that refer to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.mapping import name_of_path
from tokensync.normalize.draft import shortened
from tokensync.problems import Problem, problem
from tokensync.tokens import (
    Alias,
    ComposedColor,
    Composite,
    DanglingAlias,
    Theme,
    Token,
    TokenGraph,
    TokenKey,
    Unresolved,
    targets,
)
from tokensync.tokens.weights import AS_TEXT, font_style
from tokensync.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.tokens import Collection, FamilyKey, Resolved

_WHAT = {
    "dangling": ("alias-dangling", "", "it leads to {at}, which is not among the tokens"),
    "cycle": ("alias-cycle", "its aliases come back to it", "it leads to {at}, whose aliases go round in a circle"),
    "absent": ("value-absent", "it has no value", "it leads to {at}, which has no value"),
    "mismatch": ("alias-mismatch", "it leads to a value of another type", "it leads to {at}, whose type does not fit"),
}
"""Per reason: the code, what to say when the trouble is at the token itself, and when it is at another."""
_LONGEST_REFERENCE = 120  # characters; the id of a remote variable has about 60
_SHOWN = 200  # names of tokens that lack a value for one cause; every one is worth a word, up to a point
_OUTCOME = "mend the alias in the design file (its declaration is left out there)"
_OUTCOME_OF_SEVERAL = "mend that one in its design file (their declarations are left out there)"
_OUTCOMES = {
    "value-absent": "give it a value in the design file (its declaration is left out there)",
    "alias-type-unknown": "its declaration is left out there, and it stays as it is on the platform",
}
_OUTCOMES_OF_SEVERAL = {
    "alias-type-unknown": "their declarations are left out there, and they stay as they are on the platform"
}

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
"""Pairs of types of which the first may always be an alias to the second; of others the values decide."""


def findings(graph: TokenGraph) -> tuple[Problem, ...]:
    """A problem for every local token and mode without a literal, each once, and one a collection for lost slants.

    Nothing wrong costs one linear look.
    """
    suspects, edges = _suspects(graph)
    suspects.update(_on_cycles(edges))
    unresolved = tuple(_unresolved(graph, _with_dependants(edges, suspects))) if suspects else ()
    return (*unresolved, *_slanted(graph))


def _slanted(graph: TokenGraph) -> Iterator[Problem]:
    """Find font weights whose text is also italic or oblique, which a weight cannot say."""
    found: dict[FamilyKey, dict[TokenKey, str]] = {}
    for key, token in graph.tokens.items():
        if token.type == AS_TEXT and token.origin == "local":
            texts = (each for each in token.values if isinstance(each, str))
            slanted = next((each for each in texts if (style := font_style(each)) and style.slant), None)
            if slanted is not None:
                found.setdefault(key[:2], {})[key] = slanted
    for family, of_family in found.items():
        names = [f'{_name(graph.tokens[key])} "{text}"' for key, text in of_family.items()]
        verb = "is" if len(names) == 1 else "are"
        collection = graph.collections[family]
        where = shortened(collection.name or collection.handle)
        italics = f"{counted(len(names), 'font weight')} {verb} also italic or oblique"
        what = f"{italics}; outputs contain only the weight ({listed(names)})"
        yield problem("font-weight-slant", where, what, "set the font's style where they are used")


def _suspects(graph: TokenGraph) -> tuple[set[TokenKey], dict[TokenKey, set[TokenKey]]]:
    """Tokens that may be the start of trouble (no value, or an alias that may not fit), and where each alias leads."""
    tokens = graph.tokens
    suspects: set[TokenKey] = set()
    edges: dict[TokenKey, set[TokenKey]] = {}
    for key, token in tokens.items():
        kind = token.type
        led: set[TokenKey] = set()
        for column, value in enumerate(token.values):
            if isinstance(value, Alias):
                target = tokens.get(value.target)
                if target is None:
                    suspects.add(key)
                    continue
                led.add(value.target)
                if target.type != kind and (kind, target.type) not in _FITS:
                    suspects.add(key)
            elif isinstance(value, ComposedColor):
                led.update(each for each in targets(value) if each in tokens)
                if not _is_sound(graph, value):
                    suspects.add(key)
            elif isinstance(value, Composite):  # whether what it is made of fits is the values' to say
                if value.references:
                    led.update(each for each in targets(value) if each in tokens)
                    suspects.add(key)
            elif isinstance(value, DanglingAlias) or (value is None and graph.value(token, column) is None):
                suspects.add(key)
        if led:
            edges[key] = led
    return suspects, edges


def _is_sound(graph: TokenGraph, value: ComposedColor) -> bool:
    for part, wanted in ((value.color, "color"), (value.opacity, "number")):
        if isinstance(part, DanglingAlias):
            return False
        if isinstance(part, Alias):
            target = graph.tokens.get(part.target)
            if target is None or target.type != wanted:
                return False
    return True


def _on_cycles(edges: Mapping[TokenKey, set[TokenKey]]) -> set[TokenKey]:
    """Tokens that are left when all without an unsettled target are taken away, over and over (Kahn), in any mode."""
    waiting = {key: sum(each in edges for each in led) for key, led in edges.items()}
    dependants = _dependants(edges)
    ready = [key for key, left in waiting.items() if left == 0]
    while ready:
        for dependant in dependants.get(ready.pop(), ()):
            waiting[dependant] -= 1
            if waiting[dependant] == 0:
                ready.append(dependant)
    return {key for key, left in waiting.items() if left > 0}


def _dependants(edges: Mapping[TokenKey, set[TokenKey]]) -> dict[TokenKey, list[TokenKey]]:
    dependants: dict[TokenKey, list[TokenKey]] = {}
    for key, led in edges.items():
        for each in led:
            dependants.setdefault(each, []).append(key)
    return dependants


def _with_dependants(edges: Mapping[TokenKey, set[TokenKey]], suspects: set[TokenKey]) -> set[TokenKey]:
    dependants = _dependants(edges)
    found, pending = set(suspects), list(suspects)
    while pending:
        for each in dependants.get(pending.pop(), ()):
            if each not in found:
                found.add(each)
                pending.append(each)
    return found


def _unresolved(graph: TokenGraph, affected: set[TokenKey]) -> Iterator[Problem]:
    opaque = {
        each.id: f"{shortened(family.name or family.handle)} / {shortened(each.name)}, whose type {each.type[:60]}"
        for family in graph.collections.values()
        for each in family.opaque
    }
    by_family: dict[FamilyKey, list[Token]] = {}
    for key, token in graph.tokens.items():  # in the graph's order
        if key in affected and token.origin == "local":
            by_family.setdefault(key[:2], []).append(token)
    for family in graph.collections.values():
        if own := by_family.get(family.key):
            resolvers = [graph.resolver(Theme("", ((family.key, index),))) for index in range(len(family.modes))]
            results = [[resolver(token.key) for resolver in resolvers] for token in own]
            yield from _told(family, own, results, opaque)


def _told(
    family: Collection, tokens: Sequence[Token], results: Sequence[Sequence[Resolved]], opaque: Mapping[str, str]
) -> Iterator[Problem]:
    """Report one problem a cause: tokens that lack a value for the same one, in whatever modes, share it.

    ``opaque`` says what variables that are no tokens are called, by their ids.
    """
    causes: dict[Unresolved, dict[Token, list[str]]] = {}
    for token, in_modes in zip(tokens, results, strict=True):
        for mode, result in zip(family.modes, in_modes, strict=True):
            if isinstance(result, Unresolved):
                causes.setdefault(result, {}).setdefault(token, []).append(shortened(mode.context))
    for result, concerned in causes.items():
        code, here, there = _WHAT[result.reason]
        own = [token for token in concerned if here and result.at == str(token.key)]
        for token in own:
            modes = concerned[token]
            yield problem(code, _where(family, token, modes), here, _outcome(code, family, token, modes))
        others = [token for token in concerned if token not in own]
        what = there.format(at=_at(result.at))
        if code == "alias-dangling" and result.at in opaque:
            code, what = "alias-type-unknown", f"it leads to {opaque[result.at]} has no token form"
        if len(others) == 1:
            where = _where(family, others[0], concerned[others[0]])
            yield problem(code, where, what, _OUTCOMES.get(code, _OUTCOME))
        elif others:
            where = f"{_where(family, others[0], ())} and {len(others) - 1} more"
            names = listed([_name(each) for each in others], _SHOWN)
            outcome = _OUTCOMES_OF_SEVERAL.get(code, _OUTCOME_OF_SEVERAL)
            yield problem(code, where, f"{what.replace('it leads', 'they lead', 1)} ({names})", outcome)


def _outcome(code: str, family: Collection, token: Token, modes: Sequence[str]) -> str:
    if code != "value-absent" or token.id:
        return _OUTCOMES.get(code, _OUTCOME)
    is_filled = shortened(family.modes[family.default_mode].context) not in modes
    apply = ", or apply: it gets the default mode's" if is_filled else ""
    return f"give it a value in the token files{apply} (its declaration is left out there)"


def _where(family: Collection, token: Token, modes: Sequence[str]) -> str:
    return " / ".join((shortened(family.name or family.handle), _name(token), *([", ".join(modes)] if modes else ())))


def _name(token: Token) -> str:
    return shortened(name_of_path(token.key.path))


def _at(reference: str) -> str:
    return reference if len(reference) <= _LONGEST_REFERENCE else f"{reference[:_LONGEST_REFERENCE]}…"
