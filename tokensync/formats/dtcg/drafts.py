"""Tokens while their parts are found: an entry in each mode, and the type that they agree on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.formats.dtcg.faults import BadToken
from tokensync.formats.dtcg.spelling import DTCG_TYPES, FIGMA, OURS, TYPE, VARIABLE_ID
from tokensync.tokens.weights import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.formats.dtcg.document import Entry
    from tokensync.formats.dtcg.families import FamilyOfFiles
    from tokensync.tokens import Alias, TokenKey

    Report = Callable[[Entry, tuple[str | int, ...], str, str, str], None]


_NAMED = tuple(sorted(each for each in DTCG_TYPES if each != AS_TEXT))
"""What ``$type`` may say."""


class Draft:
    """A token's entry in each mode of its family. ``home`` is the one in the default mode, if there is one."""

    __slots__ = ("columns", "family", "home", "key", "type")

    def __init__(self, key: TokenKey, family: FamilyOfFiles) -> None:
        self.key = key
        self.family = family
        self.columns: list[Entry | None] = [None] * len(family.files)
        self.home: Entry | None = None
        self.type: str | None = None

    @property
    def told(self) -> Entry:
        """The entry that tells about the token: the default mode's, else the first."""
        return self.home or next(each for each in self.columns if each is not None)

    @property
    def id(self) -> str:
        """The variable id that its files tell, or nothing."""
        extensions = self.home.node.get("$extensions") if self.home is not None else None
        identity = extensions.get(VARIABLE_ID) if isinstance(extensions, dict) else None
        return identity if isinstance(identity, str) else ""


def find_types(drafts: Mapping[TokenKey, Draft], alias_of: Callable[[Entry], Alias | None], report: Report) -> None:
    """Settle the type of every draft: its own, else that of the token it refers to, else its groups' (dtcg.md 3).

    A weight that refers to one that is kept as text is kept as text, too. ``alias_of`` may raise BadToken. A draft
    without a type is reported, and its type stays None.
    """
    waiting: dict[TokenKey, Entry] = {}
    for key, draft in drafts.items():
        entry = draft.told
        draft.type = _own_type(entry, report)
        if draft.type == "fontWeight" or (draft.type is None and "$type" not in entry.node):
            waiting[key] = entry
    for key in list(waiting):
        _follow(key, drafts, waiting, alias_of, report)


def _follow(
    start: TokenKey,
    drafts: Mapping[TokenKey, Draft],
    waiting: dict[TokenKey, Entry],
    alias_of: Callable[[Entry], Alias | None],
    report: Report,
) -> None:
    """Give a type to the tokens of a chain of references, from its end."""
    chain: dict[TokenKey, None] = {}
    key: TokenKey | None = start
    found: str | None = None
    while key is not None and key not in chain:
        if key not in waiting:
            found = drafts[key].type
            break
        chain[key] = None
        key = _next(waiting[key], drafts, alias_of)
    for each in reversed(chain):
        entry, draft = waiting.pop(each), drafts[each]
        if draft.type is None:
            draft.type = found or _known_type(entry, entry.inherited, report)
        elif found == AS_TEXT:
            draft.type = AS_TEXT
        found = draft.type


def _next(entry: Entry, drafts: Mapping[TokenKey, Draft], alias_of: Callable[[Entry], Alias | None]) -> TokenKey | None:
    try:
        alias = alias_of(entry)
    except BadToken:  # told when the value is read
        return None
    return alias.target if alias is not None and alias.target in drafts else None


def _own_type(entry: Entry, report: Report) -> str | None:
    extensions = entry.node.get("$extensions")
    ours = extensions.get(OURS) if isinstance(extensions, dict) else None
    own_type = ours.get("type") if isinstance(ours, dict) else None
    if isinstance(own_type, str) and own_type in DTCG_TYPES:
        return own_type
    named = entry.node.get("$type")
    return _known_type(entry, named, report) if named is not None else None


def _known_type(entry: Entry, named: Any, report: Report) -> str | None:
    """Return the type that a ``$type`` names; ``com.figma.type`` distinguishes types that share one ``$type``."""
    extensions = entry.node.get("$extensions")
    if isinstance(extensions, dict):
        figma = extensions.get(FIGMA)
        figma_type = extensions.get(TYPE, figma.get("type") if isinstance(figma, dict) else None)
        if figma_type == "string" and named == "fontWeight":
            return AS_TEXT
        if figma_type in ("boolean", "string") and named in (figma_type, DTCG_TYPES[figma_type]):
            return str(figma_type)
    if named in _NAMED:
        return str(named)
    if named is None:
        report(entry, (), "token-type", "the token has no type", 'give it a "$type"')
    else:
        what = f"{str(named)[:40]!r} is no type of DTCG"
        to_do = f"write one of {', '.join(_NAMED)}"
        report(entry, ("$type",) if "$type" in entry.node else (), "token-type", what, to_do)
    return None
