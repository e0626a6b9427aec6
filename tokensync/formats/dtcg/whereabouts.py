"""Which file a mode's tokens stand in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.formats.dtcg.spelling import folder

if TYPE_CHECKING:
    from tokensync.tokens import Collection, Origin, Token


def home_column(family: Collection) -> int:
    """The mode whose files hold descriptions, scopes and ids: the default mode, if it is one of the root's own."""
    modes = family.modes
    if modes[family.default_mode].collection == family.handle:
        return family.default_mode
    return next(column for column, mode in enumerate(modes) if mode.collection == family.handle)


def mode_folder(family: Collection, column: int) -> str:
    """The folder of the file that tells what a mode is: where its collection lives."""
    handle = family.modes[column].collection
    return folder(_origin_of(family, handle), handle)


def token_folder(token: Token, family: Collection, column: int) -> str:
    """The folder of a token's value in one mode.

    Its own values stand where the token lives. An override stands where the extension lives that makes it, unless the
    token is deleted or withheld: then it is as little to be edited as the token.
    """
    handle = family.modes[column].collection
    if handle == family.handle or token.origin in ("deleted", "withheld"):
        return folder(token.origin, handle)
    return folder(_origin_of(family, handle), handle)


def _origin_of(family: Collection, handle: str) -> Origin:
    return next((each.origin for each in family.extensions if each.handle == handle), family.origin)
