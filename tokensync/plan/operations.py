"""Operations: what a plan does to a file, as data. Each knows what it expects to find, so that it can be checked anew.

``before`` and the pairs (before, after) are what the plan was made from. A platform that holds something else there has
been changed by somebody, and the plan must not wipe that out (see ``tokensync.plan.rebasing``).
Refs are those of ``tokensync.plan.state``; what an operation makes goes by a temporary one.
"""

from __future__ import annotations

from msgspec import Struct

from tokensync.plan.state import ModeState, Ref, StateValue, VariableState

Text = tuple[str, str]
Flag = tuple[bool, bool]
Texts = tuple[tuple[str, ...], tuple[str, ...]]
Syntax = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]
"""(before, after): of a text, of being hidden, of scopes, of (platform, text) pairs of code syntax."""


class CreateCollection(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="create collection"):
    """A collection of its own, with all its modes; the first of them is the default."""

    ref: Ref
    name: str
    modes: tuple[ModeState, ...]
    hidden: bool = False


class CreateExtension(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="create extension"):
    """A collection that extends ``parent``: a mode for each of the parent's, whose name it shares."""

    ref: Ref
    name: str
    parent: Ref
    modes: tuple[ModeState, ...]
    hidden: bool = False


class UpdateCollection(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="update collection"):
    """A collection or extension gets another name, or is hidden from publishing, or shown."""

    ref: Ref
    name: Text | None = None
    hidden: Flag | None = None


class DeleteCollection(Struct, frozen=True, kw_only=True, tag="delete collection"):
    """A collection goes with its modes, variables and extensions; ``digest`` is ``Digests.of_collection`` of it."""

    ref: Ref
    name: str
    digest: str


class CreateMode(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="create mode"):
    """A mode of a collection that exists. ``extended`` holds (extension, its mode) for each extension that has it then.

    The platform fills it with the default mode's values; what differs from those comes as ``SetValue``. ``filled`` is
    ``Digests.of_mode`` of that default mode, which the rest is as good as.
    """

    ref: Ref
    collection: Ref
    name: str
    extended: tuple[tuple[Ref, Ref], ...] = ()
    filled: str = ""


class RenameMode(Struct, frozen=True, kw_only=True, tag="rename mode"):
    """A mode of a root collection gets another name, and so do the modes that extend it."""

    ref: Ref
    collection: Ref
    name: Text


class DeleteMode(Struct, frozen=True, kw_only=True, tag="delete mode"):
    """A mode goes, with its values and the modes that extend it; ``digest`` is ``Digests.of_mode`` of it."""

    ref: Ref
    collection: Ref
    name: str
    digest: str


class CreateVariable(Struct, frozen=True, kw_only=True, tag="create variable"):
    """A variable with all its values, overrides too. It has a value in every mode of its own collection."""

    variable: VariableState


class UpdateVariable(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="update variable"):
    """Some of what is said of a variable changes; each member is (before, after), or None where it stays."""

    ref: Ref
    name: Text | None = None
    description: Text | None = None
    scopes: Texts | None = None
    hidden: Flag | None = None
    code_syntax: Syntax | None = None


class DeleteVariable(Struct, frozen=True, kw_only=True, tag="delete variable"):
    """A variable goes; ``digest`` is ``Digests.of_variable`` of it."""

    ref: Ref
    name: str
    collection: Ref
    digest: str


class SetValue(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="set value"):
    """A variable that exists gets a value in one mode. In an extension's mode it is an override.

    ``before`` is None where there was none: in a mode that the plan makes, or without an override. ``after`` is None
    where an override is taken away.
    """

    variable: Ref
    mode: Ref
    before: StateValue | None = None
    after: StateValue | None = None


Operation = (
    CreateCollection
    | CreateExtension
    | UpdateCollection
    | DeleteCollection
    | CreateMode
    | RenameMode
    | DeleteMode
    | CreateVariable
    | UpdateVariable
    | DeleteVariable
    | SetValue
)
