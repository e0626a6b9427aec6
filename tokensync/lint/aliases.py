"""Aliases: against the layers, to deprecated tokens, in long chains, and missing where tokens have to have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.normalize.mapping import slug
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import listed, shortened, suggestion
from tokensync.tokens import DEFAULT_THEME, Color, FamilyKey, Quantity, Token, TokenKey, Unresolved, Value, value_text
from tokensync.tokens.algorithms import closure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.lint.subject import Subject

_MINORITY = 0.1
"""The largest part of the aliases between two collections that counts as a mistake."""
_REASON = 120
"""The characters of the reason of a deprecation."""


def layers(subject: Subject) -> Iterator[Problem]:
    """Yield the aliases that lead from a lower layer to a higher one.

    ``lint.layers`` lists collections from the highest layer to the lowest. The order of two others is that of most
    aliases between them; if there is no clear majority, a note asks for the setting.
    """
    ranks, problems = declared_ranks(subject, "layers")
    yield from problems
    edges: dict[tuple[FamilyKey, FamilyKey], list[tuple[TokenKey, TokenKey]]] = {}
    for token in subject.declared:
        for target in subject.references.get(token.key, ()):
            if target[:2] != token.key[:2]:
                edges.setdefault((token.key[:2], target[:2]), []).append((token.key, target))
    for (lower, higher), against in edges.items():
        along, reason = edges.get((higher, lower), []), ""
        is_clear = len(against) <= _MINORITY * (len(along) + len(against))
        if lower[1] in ranks and higher[1] in ranks:
            reason = f"{higher[1]} is above {lower[1]} in lint.layers" if ranks[lower[1]] > ranks[higher[1]] else ""
        elif along and is_clear:
            reason = f"{len(along):,} aliases lead from {higher[1]} to {lower[1]}"
        elif lower < higher and len(along) > _MINORITY * (len(along) + len(against)):
            what = f"{len(against):,} aliases lead from {lower[1]} to {higher[1]}, and {len(along):,} back"
            to_do = f'if one of them is the higher layer, add layers = ["{lower[1]}", "{higher[1]}"] to [lint]'
            where = f"{lower[1]}, {higher[1]}"
            yield problem("layer-order-unclear", where, what, f"{to_do} in this or the other order")
        for key, target in against if reason else ():
            to_do = f"refer to a token of {key.collection} or of a lower layer"
            yield subject.problem("layer-order", key, f"it refers to {target}, a higher layer ({reason})", to_do)


def declared_ranks(subject: Subject, setting: str) -> tuple[Mapping[str, int], list[Problem]]:
    """Return the index of each collection in ``lint.layers`` or another setting, by handle, and its problems.

    The former name of a collection that was renamed on the platform counts, too, because the handle keeps it.
    """
    handles = {family.handle: family.handle for family in subject.graph.collections.values()}
    handles = {family.name: family.handle for family in subject.graph.collections.values()} | handles
    ranks: dict[str, int] = {}
    problems: list[Problem] = []
    for rank, name in enumerate(getattr(subject.settings, setting)):
        handle = handles.get(name) or handles.get(slug(name, ""))
        if handle is not None:
            ranks[handle] = rank
            continue
        where = subject.location_of_setting("lint", setting, rank)
        to_do = suggestion(name, tuple(handles), quoted=True)
        problems.append(problem("lint-unknown-name", where, f"no collection is called {name!r:.80}", to_do))
    return ranks, problems


def deprecated_in_use(subject: Subject) -> Iterator[Problem]:
    """Yield the tokens that refer to a deprecated token and are not deprecated themselves."""
    reasons = {key: token.deprecated for key, token in subject.graph.tokens.items() if token.deprecated}
    for token in subject.declared if reasons else ():
        targets = [key for key in subject.references.get(token.key, ()) if key in reasons]
        if targets and not token.deprecated:
            verb = "is" if len(targets) == 1 else "are"
            what = f"it refers to {listed([*map(str, targets)])}, which {verb} deprecated"
            reason = next((text for key in targets if isinstance(text := reasons[key], str)), "")
            advice = f" (its deprecation says: {shortened(reason, _REASON)})" if reason else ""
            yield subject.problem("deprecated-in-use", token.key, what, f"refer to another token{advice}")


def deep_aliases(subject: Subject) -> Iterator[Problem]:
    """Yield the tokens with more than ``lint.depth`` aliases between them and their value in a theme."""
    most, references = subject.settings.depth, subject.references
    deep = {*references}
    for _ in range(most):  # each in some mode; those on a cycle stay
        deep = {key for key in deep if not deep.isdisjoint(references[key])}
    for token in subject.declared if deep else ():
        themes = subject.themes_of((token,))[0] if token.key in deep else []
        chains = [([str(hop.token.key) for hop in subject.graph.trace(token, theme)][1:], theme) for theme in themes]
        chain, theme = max(chains, key=lambda pair: len(pair[0]), default=([], DEFAULT_THEME))
        if len(chain) > most and not isinstance(subject.resolver(theme)(token.key), Unresolved):
            what = f"its value in {theme.name} is {len(chain)} aliases away ({listed(chain, 10)})"
            to_do = "refer to a token that is nearer to the value"
            yield subject.problem("alias-deep", token.key, what, to_do)


def repeated(subject: Subject) -> Iterator[tuple[Token, int, list[TokenKey]]]:
    """Yield each colour that tokens of the lowest of ``lint.layers`` have in all modes: its token, its mode, and them.

    These are the first three of the same design file. Equal numbers mean nothing: a space, a radius.
    """
    ranks, _ = declared_ranks(subject, "layers")
    lowest = max(ranks.values(), default=0)
    colors = [token for token in subject.declared if token.type == "color"] if lowest else []
    primitives: dict[tuple[str, Value | None], list[TokenKey]] = {}
    for token in colors:
        values = {subject.graph.value(token, mode) for mode in range(len(token.values))}
        if ranks.get(token.key.collection) == lowest and len(values) == 1 and not token.deprecated:
            found = primitives.setdefault((token.key.file, values.pop()), [])
            found += [token.key][: 3 - len(found)]
    for token in colors:
        for column, value in enumerate(token.values):
            same = primitives.get((token.key.file, value), []) if isinstance(value, Color) else []
            if same and ranks.get(token.key.collection, lowest) < lowest:
                yield token, column, same


def literals(subject: Subject) -> Iterator[Problem]:
    """Yield the literals in the collections ``lint.aliases_only``, and elsewhere those that the lowest layer has.

    Texts and booleans rarely have primitives, and composite tokens are made of parts: they are omitted.
    """
    ranks, problems = declared_ranks(subject, "aliases_only")
    yield from problems
    same = {(token.key, column): primitives for token, column, primitives in repeated(subject)}
    for token in subject.declared if ranks or same else ():
        modes = subject.graph.collection_of(token).modes
        for column, value in enumerate(token.values):
            primitives = same.get((token.key, column), [])
            is_wrong = token.key.collection in ranks and isinstance(value, (Color, Quantity, float))
            if is_wrong or primitives:
                what = f"it has the literal {value_text(value):.80}"
                what += f", and {token.key.collection} is for aliases" if is_wrong else ""
                names = listed([*map(str, primitives)])
                to_do = f"refer to {names}, with this value, if that is meant" if primitives else ""
                code = "literal-in-layer" if is_wrong else "literal-repeated"
                context = modes[column].context
                yield subject.problem(code, token.key, what, to_do or "refer to another token", context=context)


def unused_primitives(subject: Subject) -> Iterator[Problem]:
    """Yield primitives that no other token refers to, directly or through such tokens.

    Primitives are the literals and hidden tokens of the lowest of ``lint.layers``. Others are what designs and code
    use: nothing is said about them.
    """
    ranks, _ = declared_ranks(subject, "layers")
    lowest = max(ranks.values(), default=0)
    base = [token for token in subject.declared if ranks.get(token.key.collection) == lowest] if lowest else []
    primitives = [token.key for token in base if token.hidden or token.key not in subject.references]
    if not primitives:
        return
    others = {key for key, token in subject.graph.tokens.items() if token.origin != "deleted"}.difference(primitives)
    live = closure(others, lambda key: subject.references.get(key, ()))
    for key in primitives:
        if key not in live:
            to_do = "refer to it, or delete it in the design file if tokensync usage --code finds no use of it"
            what = "it is a primitive, and no token in use refers to it"
            yield subject.problem("primitive-unused", key, what, to_do)
