"""Edits of migrated tokens: the next migration keeps and reports them.

It merges three ways, member by member: what the last migration wrote, what the token files have now, and what the
source has now. An edit is kept, with a note; with a warning if the source has changed the member, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from tokensync.migrate.conversion.identification import Family, Present, Target, source_id
from tokensync.migrate.record import Origin, Record
from tokensync.normalize.mapping import RESOLVED_TYPES
from tokensync.plan.conflicts import same, same_type, scope_set
from tokensync.system.wording import shortened
from tokensync.tokens import Collection, Mode, Token, TokenGraph, TokenKey, Translator
from tokensync.tokens.paths import names
from tokensync.tokens.values import value_text

if TYPE_CHECKING:
    from tokensync.migrate.conversion.ledger import Bookkeeping
    from tokensync.migrate.conversion.mapping_file import MigrationMapping


class History(Struct, frozen=True):
    """What migrations have written before, and what to do with edits since then.

    ``location`` returns the location of a token in the token files, or of its value in the mode of a context.
    """

    record: Record
    location: Callable[[TokenKey, str | None], str]
    overwrites: bool = False


class Edit(NamedTuple):
    """A member of a token that the token files have otherwise than the last migration wrote it.

    ``column`` is that of a value in the token files, or None for another member, which ``name`` names. ``is_contested``
    means that the source has changed it, too.
    """

    name: str
    column: int | None
    was: str
    now: str
    new: str
    is_contested: bool

    @property
    def text(self) -> str:
        """Return the words for the edit, to follow its location."""
        wrote = f"the last migration wrote {self.was}"
        return f"{wrote}, and the source now has {self.new}" if self.is_contested else wrote


def merged(recorded: Token, present: Token, wanted: Token, columns: Mapping[int, int]) -> tuple[Token, list[Edit]]:
    """Return the token that a migration wants, with the edits of the present one, and these edits.

    ``columns`` are those of the modes that the migration writes, with those that ``recorded`` has for them.
    """
    edits: list[Edit] = []

    def kept(name: str, was: object, now: object, new: object, column: int | None = None) -> bool:
        """Return whether the present value is an edit, and note it."""
        if same(was, now) or same(now, new):
            return False
        is_contested = not same(was, new)
        edits.append(Edit(name, column, _shown(was, name), _shown(now, name), _shown(new, name), is_contested))
        return True

    values = [*wanted.values]
    was, now, new = recorded.type, present.type, wanted.type
    if RESOLVED_TYPES.get(now) != RESOLVED_TYPES.get(new) and not same_type(present, wanted):
        is_edited = any(not same(recorded.values[old], present.values[at]) for at, old in columns.items())
        if was != now or is_edited:  # values of one type do not fit the other
            edits.append(Edit("type", None, was, now, new, was != new))
            return present, edits
        token = wanted
    else:
        for at, old in columns.items():
            if kept("value", recorded.values[old], present.values[at], wanted.values[at], at):
                values[at] = present.values[at]
        is_type_kept = not same_type(recorded, present) and kept("type", was, now, new)
        token = replace(wanted, type=now if is_type_kept else new, values=tuple(values))
    for name in ("scopes", "description", "code_syntax", "hidden", "deprecated"):
        members = [_member(token, name) for token in (recorded, present, wanted)]
        if kept(name.replace("_", " "), members[0], members[1], members[2]):
            token = replace(token, **{name: getattr(present, name)})
    return token, edits


def _member(token: Token, name: str) -> object:
    return tuple(sorted(scope_set(token))) if name == "scopes" else getattr(token, name)


def _shown(value: object, name: str) -> str:
    """Return a member's value in words."""
    match value:
        case "" | () | False if name != "value":
            return "none"
        case str() if name != "value":
            return repr(shortened(value))
        case tuple():
            return ", ".join(each if isinstance(each, str) else ": ".join(each) for each in value)
        case _:
            return shortened(value_text(value, exact=False), 80)  # type: ignore[arg-type]


class Edits:
    """The edits of the tokens that a migration writes, and the record that it leaves."""

    def __init__(
        self, history: History | None, present: Present, mapping: MigrationMapping, books: Bookkeeping
    ) -> None:
        self._history = history
        self._present = present
        self._mapping = mapping
        self._books = books
        self._written: dict[TokenKey, Token] = {}
        self._translator = Translator({})

    def without_deleted(self, targets: Sequence[Target]) -> list[Target]:
        """Return the targets without tokens that someone has deleted or renamed since a migration wrote them."""
        kept: list[Target] = []
        overwrites = self._history is not None and self._history.overwrites
        for target in targets:
            if target.present is None and target.recorded is not None and not overwrites:
                label = f"{target.recorded.key.collection}/{'/'.join(names(target.recorded.key.path))}"
                self._books.reject_draft(target.draft, f"the token files have no {label} any more")
            else:
                kept.append(target)
        moved = {one.present.key: one.key for one in kept if one.present is not None and one.present.key != one.key}
        moved |= {one.recorded.key: one.key for one in kept if one.recorded is not None and one.recorded.key != one.key}
        self._translator = Translator(moved)
        return kept

    def kept(self, target: Target, wanted: Token, family: Family) -> Token:
        """Return the token that is written: the wanted one, with the edits of the present one, which are reported."""
        self._written[target.key] = wanted
        history, present, recorded = self._history, target.present, target.recorded
        if history is None or present is None or recorded is None or history.overwrites:
            return wanted
        contexts = {each.context: at for at, each in enumerate(self._columns(recorded.key))}
        modes = family.collection.modes
        columns = {
            at: contexts[modes[at].context]
            for at in family.columns
            if modes[at].context in contexts and at < len(present.values)
        }
        ours = self._translator.token(present, target.key)
        token, edits = merged(self._translator.token(recorded, target.key), ours, wanted, columns)
        for edit in edits:
            context = None if edit.column is None else modes[edit.column].context
            where = history.location(present.key, context)
            of = f"its {edit.name}" + ("" if edit.column is None else f" in {modes[edit.column].name}")
            text = f"{of} is {edit.now} in {where}; {edit.text}"
            self._books.add("edit contested" if edit.is_contested else "edit kept", target.draft, text)
        return token

    def _columns(self, key: TokenKey) -> Sequence[Mode]:
        return self._present.record.graph.collections[key[:2]].modes

    def left(self, targets: Sequence[Target]) -> Iterator[Token]:
        """Yield the present tokens of former migrations that this one does not write."""
        known = {target.recorded.key for target in targets if target.recorded is not None}
        mine = {target.present.key for target in targets if target.present is not None}
        for key, token in self._present.record.graph.tokens.items():
            now = self._present.now(token)
            if key not in known and now is not None and now.key not in mine:
                yield now

    def left_modes(self, families: Sequence[Family]) -> Iterator[tuple[Collection, Mode]]:
        """Yield the present modes of former migrations that this one does not write, with their collections."""
        for collection, columns in families:
            for context in self._present.record.themes.get(collection.key, ()):
                for at, mode in enumerate(collection.modes):
                    if mode.context == context and at not in columns:
                        yield collection, mode

    def record(self, targets: Sequence[Target], families: Sequence[Family]) -> Record:
        """Return the record that the next migration needs: names and values of mapping and source, not of edits."""
        collections = {}
        themes: dict[tuple[str, str], dict[str, str]] = {}
        sets: dict[tuple[str, str], tuple[str, ...]] = {}
        handles = {target.key.collection for target in targets}
        for mapped, (collection, columns) in zip(self._mapping.collections, families, strict=True):
            if collection.handle not in handles:
                continue
            mapped_names = {at: each.name for at, each in zip(columns, mapped.modes, strict=False)}
            modes = tuple(
                replace(each, name=mapped_names.get(at, each.name)) for at, each in enumerate(collection.modes)
            )
            collections[collection.key] = replace(collection, name=mapped.name, modes=modes)
            contexts = [collection.modes[at].context for at in columns]
            themes[collection.key] = {
                context: each.theme for context, each in zip(contexts, mapped.modes, strict=False)
            }
            sets[collection.key] = mapped.sets
        tokens = [self._written[target.key] for target in targets]
        origins = {
            target.key: Origin(target.draft.path, cell.theme.own.get(cell.path, ""), source_id(target.draft))
            for target in targets
            for cell in target.draft.cells[:1]
        }
        now = Record(TokenGraph(collections.values(), tokens), origins, themes, sets)
        renamed = (target.recorded.key for target in targets if target.recorded is not None)
        return self._present.record.updated(now, renamed)
