"""What the steps of one normalization work on: it grows step by step into a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.problems import Problem, problem

if TYPE_CHECKING:
    from tokensync.mapping import TypeRules
    from tokensync.tokens import Collection, Token, TokenKey
    from tokensync.wire import Snapshot, WireCollection


class Family:
    """A root collection's place in the draft.

    ``columns`` tells, for each collection id of the family, which mode id is which column of values.
    """

    def __init__(self, root: str, handle: str) -> None:
        self.root = root
        self.handle = handle
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
