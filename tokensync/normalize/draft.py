"""What the steps of one normalization work on: it grows step by step into a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.problems import Problem, problem

if TYPE_CHECKING:
    from tokensync.mapping import TypeRules
    from tokensync.tokens import Collection, Token, TokenKey
    from tokensync.wire import Snapshot, WireCollection


_LONGEST = 60


class Family:
    """A root collection's place in the draft.

    ``columns`` tells, for each collection id of the family, which mode id is which column of values. ``label`` is what
    problems call it.
    """

    def __init__(self, root: str, handle: str, name: str = "") -> None:
        self.root = root
        self.handle = handle
        self.label = shortened(name or handle)
        self.columns: dict[str, dict[str, int]] = {}
        self.extensions: list[WireCollection] = []
        self.paths: set[str] = set()


class Draft:
    """One file on its way from snapshot to graph, with the problems found so far."""

    def __init__(self, snapshot: Snapshot, rules: TypeRules) -> None:
        self.snapshot = snapshot
        self.rules = rules
        self.problems: list[Problem] = []
        self.families: dict[str, Family] = {}
        self.handles: set[str] = set()
        self.collections: list[Collection] = []
        self.keys: dict[str, TokenKey] = {}
        self.tokens: list[Token] = []

    def report(self, code: str, where: str, what: str, what_to_do: str) -> None:
        """Note a problem; ``where`` is a collection, or a collection and a variable."""
        self.problems.append(problem(code, where, what, what_to_do))

    @property
    def file(self) -> str:
        """The configured name of the file."""
        return self.snapshot.file


def shortened(name: str) -> str:
    """A name from the design file as problems show it: its start, when it is long; quotes when it is hard to see."""
    if not name.strip():
        return f'"{name[:_LONGEST]}"'
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…"
