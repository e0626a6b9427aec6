"""The themes that ``[themes]`` names, as the graph's modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.errors import stop_on_errors
from tokensync.problems import Problem, problem
from tokensync.tokens import Theme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.tokens import Collection, FamilyKey, TokenGraph


def configured_themes(graph: TokenGraph, themes: Mapping[str, Mapping[str, str]], source: str) -> tuple[Theme, ...]:
    """Return the configured themes, in their order; none when none is configured.

    A collection is named by handle or name (``file/handle`` when several files have it), a mode by context or name.
    Raises ProblemsError that names every one that is not there.
    """
    problems: list[Problem] = []
    found = tuple(
        Theme(name, tuple(_choices(graph, choices, f"{source} (/themes/{name})", problems)))
        for name, choices in themes.items()
    )
    stop_on_errors(problems)
    return found


def _choices(
    graph: TokenGraph, choices: Mapping[str, str], where: str, problems: list[Problem]
) -> list[tuple[FamilyKey, int]]:
    chosen: list[tuple[FamilyKey, int]] = []
    for wanted, mode in choices.items():
        families = [each for each in graph.collections.values() if each.origin == "local" and _is_named(each, wanted)]
        if not families:
            known = ", ".join(each.handle for each in graph.collections.values() if each.origin == "local")
            what = f"no collection is called {wanted!r}"
            problems.append(problem("theme-unknown-collection", where, what, f"name one of: {known}"))
        for family in families:
            index = _mode_index(family, wanted, mode)
            if index is None:
                what = f"{wanted!r} has no mode {mode!r}"
                known = ", ".join(each.context for each in family.modes)
                problems.append(problem("theme-unknown-mode", where, what, f"name one of: {known}"))
            else:
                chosen.append((family.key, index))
    return chosen


def _is_named(family: Collection, wanted: str) -> bool:
    own = (family.handle, family.name, f"{family.file}/{family.handle}")
    return wanted in own or any(wanted in (each.handle, each.name) for each in family.extensions)


def _mode_index(family: Collection, wanted: str, mode: str) -> int | None:
    """By context, else by name within the collection that was named (the root or one of its extensions)."""
    extension = next((each.handle for each in family.extensions if wanted in (each.handle, each.name)), family.handle)
    for index, each in enumerate(family.modes):
        if each.context == mode:
            return index
    for index, each in enumerate(family.modes):
        if each.collection == extension and mode in (each.name, each.slug):
            return index
    return None
