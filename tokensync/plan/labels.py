"""What people call the things that a plan speaks of: the names that token files and the command line go by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.mapping import name_of_path
from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateVariable,
)
from tokensync.plan.refs import refs_of
from tokensync.plan.state import targets_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.plan.operations import Operation
    from tokensync.plan.refs import Refs
    from tokensync.plan.state import Ref
    from tokensync.tokens import TokenGraph

_BETWEEN = " / "  # no handle has it, so that the first one ends the handle


def labels_of(graph: TokenGraph, refs: Refs | None = None) -> dict[str, str]:
    """A label for each ref of a graph: a collection's handle, and ``<handle> / <variable name>``.

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
    """What a mode is called; ``handle`` is that of its family's root collection. Its ref where nothing says."""
    return labels.get(_root_mode(handle, mode)) or labels.get(mode, mode)


def parts(label: str) -> tuple[str, str]:
    """The handle of a variable's collection and its name, from its label; no handle when it has none."""
    handle, between, name = label.partition(_BETWEEN)
    return (handle, name) if between else ("", label)


def used_labels(operations: Iterable[Operation], labels: Mapping[str, str]) -> dict[str, str]:
    """The labels of what these operations name, the ends of their aliases too; in no operation, no label."""
    used: dict[str, str] = {}
    for operation in operations:
        handle = None
        for ref, is_mode in _named(operation):
            if is_mode:
                used |= {key: labels[key] for key in (_root_mode(handle or "", ref), ref) if key in labels}
            elif ref in labels:
                used[ref] = labels[ref]
                handle = handle or parts(labels[ref])[0] or labels[ref]
    return used


def _root_mode(handle: str, mode: Ref) -> str:
    return f"{handle}/{mode}"


def _named(operation: Operation) -> Iterator[tuple[Ref, bool]]:
    """Each ref that an operation names and whether it is a mode's; what tells the modes' family comes first."""
    match operation:
        case CreateCollection(ref=ref, modes=modes) | CreateExtension(ref=ref, modes=modes):
            yield ref, False
            if isinstance(operation, CreateExtension):
                yield operation.parent, False
            yield from ((mode.ref, True) for mode in modes)
        case UpdateCollection(ref=ref) | DeleteCollection(ref=ref) | UpdateVariable(ref=ref):
            yield ref, False
        case CreateMode(ref=ref, collection=collection) | RenameMode(ref=ref, collection=collection):
            yield from ((collection, False), (ref, True))
            if isinstance(operation, CreateMode):
                for extension, mode in operation.extended:
                    yield from ((extension, False), (mode, True))
        case DeleteMode(ref=ref, collection=collection):
            yield from ((collection, False), (ref, True))
        case CreateVariable(variable=variable):
            yield variable.ref, False
            for mode, value in variable.values.items():
                yield mode, True
                yield from ((target, False) for target in targets_of(value))
        case DeleteVariable(ref=ref, collection=collection):
            yield from ((ref, False), (collection, False))
        case SetValue(variable=variable, mode=mode, before=before, after=after):
            yield from ((variable, False), (mode, True))
            yield from ((target, False) for target in targets_of(before, after))
