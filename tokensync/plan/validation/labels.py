"""Check the labels of a plan, the names that a reviewer reads in place of refs. Somebody may have edited them."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

from tokensync.mapping import COLLECTION, MODE, slug
from tokensync.plan.refs import labels_of, split_label
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.state import CollectionState, FileState, Ref
    from tokensync.tokens import Collection, Extension, TokenGraph


def invalid_labels(
    labels: Mapping[str, str],
    states: Sequence[FileState],
    graph: TokenGraph,
    others: Callable[[], Iterable[TokenGraph]],
) -> Iterator[tuple[str, str]]:
    """Yield each label that does not name its object, and what is wrong with it.

    ``states`` are those before and after the plan, ``graph`` is that of the platform. ``others`` returns the graphs of
    the token files and the lock: users may have chosen the handles there.
    """
    names = _Names(states, graph, others)
    for key, label in labels.items():
        if not names.has(key, label):
            yield key, f'"{shortened(label)}" is not a name of "{shortened(key)}"'


def handles_from(labels: Mapping[str, str], state: FileState) -> dict[Ref, str]:
    """Return the handles of collections that the labels of their variables contain."""
    labelled = ((variable.collection, labels.get(ref, "")) for ref, variable in state.variables.items())
    return {collection: split_label(label)[0] for collection, label in labelled if split_label(label)[0]}


class _Names:
    def __init__(
        self, states: Sequence[FileState], graph: TokenGraph, others: Callable[[], Iterable[TokenGraph]]
    ) -> None:
        self._states = states
        self._platform = labels_of(graph)
        self._others = others
        self._modes: dict[Ref, list[tuple[CollectionState, str]]] = {}
        for state in states:
            for owner in state.collections.values():
                for mode in owner.modes:
                    self._modes.setdefault(mode.ref, []).append((owner, mode.name))

    def has(self, key: str, label: str) -> bool:
        """Return whether a label names the object of its key."""
        if self._platform.get(key) == label:
            return True
        variables = [state.variables[key] for state in self._states if key in state.variables]
        if variables:
            handle, name = split_label(label)
            # Somebody may have renamed it since the plan was made.
            return self._is_chosen(key, label) or any(
                each.name == name and self._is_handle(each.collection, handle) for each in variables
            )
        if any(key in state.collections for state in self._states):
            return self._is_handle(key, label)
        handle, _, mode = ("", "", key) if key in self._modes else key.partition("/")
        return any(
            (not handle or self._is_handle(owner.root, handle))
            and (self._is_context(owner, name, label, handle) or self._is_chosen(key, label))
            for owner, name in self._modes.get(mode, ())
        )

    def _is_context(self, owner: CollectionState, name: str, label: str, root: str) -> bool:
        """Return whether a label is the context of a mode: its slug, after the handle of an extension.

        ``root`` is the handle of its root collection, which only the keys of root modes contain.
        """
        handle, _, context = label.rpartition(".")
        is_of_owner = not handle if owner.parent is None else self._is_handle(owner.ref, handle)
        return is_of_owner and (_is_slug(context, name, MODE) or (handle or root, name, context) in self._chosen.modes)

    def _is_handle(self, collection: Ref, handle: str) -> bool:
        if self._platform.get(collection) == handle:
            return True
        owners = (state.collections[collection] for state in self._states if collection in state.collections)
        return self._is_chosen(collection, handle) or any(
            _is_slug(handle, each.name, COLLECTION) or (each.name, handle) in self._chosen.handles for each in owners
        )

    def _is_chosen(self, key: str, label: str) -> bool:
        return any(each.get(key) == label for each in self._chosen.labels)

    @cached_property
    def _chosen(self) -> _Chosen:
        graphs = tuple(self._others())
        families = tuple(each for graph in graphs for each in graph.collections.values())
        return _Chosen(
            tuple(labels_of(each) for each in graphs),
            frozenset(
                (each.name, each.handle)
                for family in families
                for each in cast("tuple[Collection | Extension, ...]", (family, *family.extensions))
            ),
            frozenset(_modes_of(families)),
        )


class _Chosen(NamedTuple):
    """The names that users have chosen in token files, also for objects whose ids the files do not have yet.

    ``handles`` holds names of collections and their handles, ``modes`` handles, names of modes and their slugs.
    """

    labels: tuple[dict[str, str], ...]
    handles: frozenset[tuple[str, str]]
    modes: frozenset[tuple[str, str, str]]


def _modes_of(families: Iterable[Collection]) -> Iterator[tuple[str, str, str]]:
    for family in families:
        for mode in family.modes:
            yield mode.collection, mode.name, mode.slug
            if mode.parent is None:  # an extension gets a new mode of its root, without a file of its own
                yield from ((each.handle, mode.name, mode.slug) for each in family.extensions)


def _is_slug(text: str, name: str, otherwise: str) -> bool:
    """Return whether a text is the slug of a name, or that of one of several objects of the same name."""
    return re.fullmatch(rf"{re.escape(slug(name, otherwise))}(-\d+)?", text) is not None
