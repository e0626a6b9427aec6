"""Aliases against the direction in which collections refer to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.normalize.mapping import slug
from tokensync.system.problems import problem
from tokensync.system.wording import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.lint.subject import Subject
    from tokensync.system.problems import Problem
    from tokensync.tokens import FamilyKey, TokenKey

_MINORITY = 0.1
"""The largest part of the aliases between two collections that counts as a mistake."""

Edges = dict[tuple["FamilyKey", "FamilyKey"], list[tuple["TokenKey", "TokenKey"]]]
"""The aliases between tokens of two collections, from the first to the second."""


def layers(subject: Subject) -> Iterator[Problem]:
    """Yield the aliases that lead from a lower layer to a higher one.

    ``lint.layers`` lists collections from the highest layer to the lowest. The order of two others is that of most
    aliases between them; if there is no clear majority, a note asks for the setting.
    """
    ranks, problems = declared_ranks(subject, "layers")
    yield from problems
    edges = _between_collections(subject)
    for (source, target), against in edges.items():
        along = edges.get((target, source), [])
        if source[1] in ranks and target[1] in ranks:
            if ranks[source[1]] > ranks[target[1]]:
                yield from _reversed(subject, against, f"{target[1]} is above {source[1]} in lint.layers")
        elif along and len(against) <= _MINORITY * (len(along) + len(against)):
            yield from _reversed(subject, against, f"{len(along):,} aliases lead from {target[1]} to {source[1]}")
        elif source < target and along and len(along) > _MINORITY * (len(along) + len(against)):
            what = f"{len(against):,} aliases lead from {source[1]} to {target[1]}, and {len(along):,} back"
            to_do = f'if one of them is the higher layer, add layers = ["{source[1]}", "{target[1]}"] to [lint]'
            yield problem(
                "layer-order-unclear", f"{source[1]}, {target[1]}", what, f"{to_do} in this or the other order"
            )


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


def _between_collections(subject: Subject) -> Edges:
    edges: Edges = {}
    for token in subject.declared:
        for target in subject.references.get(token.key, ()):
            if target[:2] != token.key[:2]:
                edges.setdefault((token.key[:2], target[:2]), []).append((token.key, target))
    return edges


def _reversed(subject: Subject, against: list[tuple[TokenKey, TokenKey]], reason: str) -> Iterator[Problem]:
    for key, target in against:
        what = f"it refers to {target}, a higher layer ({reason})"
        to_do = f"refer to a token of {key.collection} or of a lower layer"
        yield subject.problem("layer-order", key, what, to_do)
