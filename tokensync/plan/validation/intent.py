"""The intent of a plan, as the rules read it: two states, the operations by kind, and the values to write."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateVariable,
)
from tokensync.problems import Problem, problem
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import FileState, Ref, StateValue, VariableState
    from tokensync.tokens import OpaqueVariable


class Written(NamedTuple):
    """A value that a plan sets, of a new variable or of one that exists."""

    variable: VariableState
    mode: Ref
    value: StateValue


class Intent:
    """The states before and after, and what the operations make, change and write."""

    def __init__(
        self,
        before: FileState,
        after: FileState,
        operations: Sequence[Operation],
        where: Callable[[Ref, Ref | None], str],
        earlier: Sequence[FileState] = (),
    ) -> None:
        self.before = before
        self.after = after
        self.where = where
        self._earlier = earlier
        self.new_collections: list[CreateCollection | CreateExtension] = []
        self.updated_collections: list[UpdateCollection] = []
        self.new_modes: list[CreateMode] = []
        self.renamed_modes: list[RenameMode] = []
        self.new_variables: list[VariableState] = []
        self.updated_variables: list[UpdateVariable] = []
        self.written: list[Written] = []
        for each in operations:
            match each:
                case CreateCollection() | CreateExtension():
                    self.new_collections.append(each)
                case UpdateCollection():
                    self.updated_collections.append(each)
                case CreateMode():
                    self.new_modes.append(each)
                case RenameMode():
                    self.renamed_modes.append(each)
                case CreateVariable(variable=variable):
                    self.new_variables.append(variable)
                    self.written += (Written(variable, mode, value) for mode, value in variable.values.items())
                case UpdateVariable():
                    self.updated_variables.append(each)
                case SetValue(variable=ref, mode=mode, after=value) if value is not None:
                    self.written.append(Written(after.variables[ref], mode, value))
                case _:
                    pass

    @cached_property
    def opaque(self) -> dict[Ref, OpaqueVariable]:
        """Return the variables that no plan touches, by their ids."""
        return {each.id: each for owned in self.before.opaque.values() for each in owned}

    @cached_property
    def scopes_on_platform(self) -> frozenset[tuple[str, str]]:
        """Return the (type, scope) pairs that the platform has on some variable, or had: it takes these."""
        return frozenset(
            (each.type, scope)
            for state in (self.before, *self._earlier)
            for each in state.variables.values()
            for scope in each.scopes
        )

    @cached_property
    def platforms_on_platform(self) -> frozenset[str]:
        """Return the platforms that some variable has, or had, code syntax for."""
        return frozenset(
            platform
            for state in (self.before, *self._earlier)
            for each in state.variables.values()
            for platform, _ in each.code_syntax
        )

    @cached_property
    def repeated_mode_names(self) -> frozenset[tuple[Ref, str]]:
        """Collections, and the names that several of their modes had before what is rolled back: these come back so."""
        return frozenset(
            (each.ref, name)
            for state in self._earlier
            for each in state.collections.values()
            for name, number in Counter(mode.name for mode in each.modes).items()
            if number > 1
        )

    def fault(self, code: str, ref: Ref, mode: Ref | None, what: str, what_to_do: str) -> Problem:
        """Return a problem at the location of an object, or of its value in a mode."""
        return problem(code, self.where(ref, mode), what, what_to_do)

    def called(self, ref: Ref) -> str:
        """Return the name of a variable or collection, as a message shows it."""
        for state in (self.after, self.before):
            found = state.variables.get(ref) or state.collections.get(ref)
            if found is not None:
                return shown(found.name)
        opaque = self.opaque.get(ref)
        return shown(ref if opaque is None else opaque.name)


def shown(name: str) -> str:
    """Return a name as a message shows it: in quotes, and shortened when it is long."""
    return f'"{shortened(name)}"'
