"""Refs and labels of a graph's objects: ids, or temporary ids for new objects, and the names that people know."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.mapping import name_of_path, unique

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import Ref
    from tokensync.tokens import Collection, TokenGraph, TokenKey
    from tokensync.tokens.collection import FamilyKey


_LONGEST = 60  # characters: a temporary id stands in a body as often as its variable has values


class Refs(NamedTuple):
    """What each thing of a graph goes by.

    ``modes`` holds a ref for each of a family's modes, in their order; ``extensions`` is keyed by (family, handle).
    """

    families: Mapping[FamilyKey, Ref]
    extensions: Mapping[tuple[FamilyKey, str], Ref]
    modes: Mapping[FamilyKey, tuple[Ref, ...]]
    tokens: Mapping[TokenKey, Ref]


def refs_of(graph: TokenGraph) -> Refs:
    """Ids where there are some, else temporary ids that say what they stand for: ``variable:theme/accent/base``.

    The graph's ids are taken at their word (``tokensync.plan.identities`` settles them). Every temporary id is unique.
    """
    taken: set[str] = set()
    families: dict[FamilyKey, Ref] = {}
    extensions: dict[tuple[FamilyKey, str], Ref] = {}
    modes: dict[FamilyKey, tuple[Ref, ...]] = {}
    for key, family in graph.collections.items():
        families[key] = family.id or temporary(f"collection:{family.handle}", taken)
        for each in family.extensions:
            extensions[key, each.handle] = each.id or temporary(f"collection:{each.handle}", taken)
        modes[key] = _modes(family, taken)
    tokens = {
        key: token.id or temporary(f"variable:{key.collection}/{name_of_path(key.path)}", taken)
        for key, token in graph.tokens.items()
    }
    return Refs(families, extensions, modes, tokens)


def _modes(family: Collection, taken: set[str]) -> tuple[Ref, ...]:
    return tuple(each.id or temporary(f"mode:{each.collection}/{each.slug}", taken) for each in family.modes)


def temporary(wanted: str, taken: set[str]) -> Ref:
    """Return a temporary ref that says what it stands for, and is none of those that are taken; it is one of
    them then.
    """
    return unique(wanted[:_LONGEST], taken)


_BETWEEN = " / "  # no handle has it, so that the first one ends the handle


def labels_of(graph: TokenGraph, refs: Refs | None = None) -> dict[str, str]:
    """Return a label for each ref of a graph: a collection's handle, and ``<handle> / <variable name>``.

    A mode's is its context. Since a root mode's ref is unique in its family only, ``mode_label`` finds it.
    """
    refs = refs or refs_of(graph)
    labels: dict[str, str] = {}
    for key, family in graph.collections.items():
        labels[refs.families[key]] = family.handle
        for each in family.extensions:
            labels[refs.extensions[key, each.handle]] = each.handle
        for ref, mode in zip(refs.modes[key], family.modes, strict=True):
            labels[ref if mode.parent is not None else _root_mode(family.handle, ref)] = mode.context
    for token, ref in refs.tokens.items():
        labels[ref] = f"{token.collection}{_BETWEEN}{name_of_path(token.path)}"
    return labels


def mode_label(labels: Mapping[str, str], handle: str, mode: Ref) -> str:
    """Return the label of a mode; ``handle`` is that of its family's root collection. Its ref where there is none."""
    return labels.get(_root_mode(handle, mode)) or labels.get(mode, mode)


def parts(label: str) -> tuple[str, str]:
    """Return the handle of a variable's collection and its name, from its label; no handle when it has none."""
    handle, between, name = label.partition(_BETWEEN)
    return (handle, name) if between else ("", label)


def used_labels(operations: Iterable[Operation], labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of what these operations name, alias targets included."""
    used: dict[str, str] = {}
    for operation in operations:
        handle = None
        for ref, is_mode in operation.refs():
            if is_mode:
                used |= {key: labels[key] for key in (_root_mode(handle or "", ref), ref) if key in labels}
            elif ref in labels:
                used[ref] = labels[ref]
                handle = handle or parts(labels[ref])[0] or labels[ref]
    return used


def _root_mode(handle: str, mode: Ref) -> str:
    return f"{handle}/{mode}"
