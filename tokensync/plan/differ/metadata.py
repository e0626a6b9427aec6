"""What is said of a variable: name, description, scopes, hidden, code syntax."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.operations import UpdateVariable

if TYPE_CHECKING:
    from tokensync.plan.state import VariableState


def changed_metadata(was: VariableState, now: VariableState) -> UpdateVariable | None:
    """One operation for all that is said differently, or None."""
    name = None if was.name == now.name else (was.name, now.name)
    description = None if was.description == now.description else (was.description, now.description)
    scopes = None if same_scopes(was, now) else (was.scopes, now.scopes)
    hidden = None if was.hidden == now.hidden else (was.hidden, now.hidden)
    syntax = None if was.code_syntax == now.code_syntax else (was.code_syntax, now.code_syntax)
    if (name, description, scopes, hidden, syntax) == (None, None, None, None, None):
        return None
    return UpdateVariable(
        ref=now.ref, name=name, description=description, scopes=scopes, hidden=hidden, code_syntax=syntax
    )


def same_scopes(was: VariableState, now: VariableState) -> bool:
    """Whether both have one set of scopes.

    For a number the platform stores FONT_STYLE when it is sent FONT_WEIGHT (platform-facts section 1): to tell the two
    apart would make a plan that never settles.
    """
    return was.scopes == now.scopes or _read_back(was) == _read_back(now)


def _read_back(variable: VariableState) -> set[str]:
    scopes = set(variable.scopes)
    if variable.type == "FLOAT" and "FONT_WEIGHT" in scopes:
        scopes.remove("FONT_WEIGHT")
        scopes.add("FONT_STYLE")
    return scopes
