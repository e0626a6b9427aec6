"""Check the labels of a plan, the names that a reviewer reads in place of refs. Somebody may have edited them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokensync.mapping import COLLECTION, MODE, slug
from tokensync.plan.refs import labels_of, split_label
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.state import CollectionState, FileState, Ref
    from tokensync.tokens import TokenGraph


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
        self._chosen: list[dict[str, str]] | None = None
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
            return any(each.name == name and self._is_handle(each.collection, handle) for each in variables)
        if any(key in state.collections for state in self._states):
            return self._is_handle(key, label)
        handle, _, mode = ("", "", key) if key in self._modes else key.partition("/")
        return any(
            (not handle or self._is_handle(owner.root, handle))
            and (self._is_context(owner, name, label) or self._is_chosen(key, label))
            for owner, name in self._modes.get(mode, ())
        )

    def _is_context(self, owner: CollectionState, name: str, label: str) -> bool:
        """Return whether a label is the context of a mode: its slug, after the handle of an extension."""
        handle, _, context = label.rpartition(".")
        is_of_owner = not handle if owner.parent is None else self._is_handle(owner.ref, handle)
        return is_of_owner and _is_slug(context, name, MODE)

    def _is_handle(self, collection: Ref, handle: str) -> bool:
        if self._platform.get(collection) == handle:
            return True
        owners = (state.collections[collection] for state in self._states if collection in state.collections)
        return any(_is_slug(handle, each.name, COLLECTION) for each in owners) or self._is_chosen(collection, handle)

    def _is_chosen(self, key: str, label: str) -> bool:
        if self._chosen is None:
            self._chosen = [labels_of(each) for each in self._others()]
        return any(each.get(key) == label for each in self._chosen)


def _is_slug(text: str, name: str, otherwise: str) -> bool:
    """Return whether a text is the slug of a name, or that of one of several objects of the same name."""
    return re.fullmatch(rf"{re.escape(slug(name, otherwise))}(-\d+)?", text) is not None
