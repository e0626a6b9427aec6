"""What the references of token files lead to: all tokens of a file by every spelling of their address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.formats.dtcg.parse import BadToken, UnreadTarget
from tokensync.formats.dtcg.spelling import ROOT, path_of_pointer
from tokensync.tokens import Alias

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from tokensync.formats.dtcg.document import Document
    from tokensync.tokens import TokenKey

_CODE = "token-reference"
_DEEPEST = 64


class Targets:
    """Finds the token that a reference names: its row, which is its index in ``keys``, or an alias of it.

    ``unread`` are handles of collections that are not known whole.
    """

    def __init__(self, keys: Sequence[TokenKey], unread: Collection[str] = ()) -> None:
        self._unread = unread
        self.aliases = [Alias(key) for key in keys]
        self._rows = {f"{handle}.{path}": row for row, (_, handle, path) in enumerate(keys)}
        self._roots: set[str] = set()
        self._groups: set[str] | None = None

    def add_root(self, key: TokenKey, *, only: bool) -> None:
        """Make one of the tokens known as the ``$root`` of a group, ``only`` so or by its plain address, too."""
        address = f"{key.collection}.{key.path}"
        self._rows[f"{address}.{ROOT}"] = self._rows.pop(address) if only else self._rows[address]
        self._roots.add(address)

    def in_braces(self) -> dict[str, int]:
        """Return the row of every token by each spelling of its address, in braces."""
        return {f"{{{address}}}": row for address, row in self._rows.items()}

    def of_braces(self, text: str) -> Alias:
        """Return the target of ``{a.b}``. Raises BadToken."""
        row = self._rows.get(text[1:-1])
        if row is None:
            raise self._unknown(text[1:-1], text)
        return self.aliases[row]

    def of_pointer(self, pointer: str) -> Alias | None:
        """Return the target of ``#/a/b`` or ``#/a/b/$value``; None when the pointer refers to a part of a value."""
        steps = path_of_pointer(pointer)
        if not steps:
            raise BadToken(_CODE, f"{pointer[:80]!r} is no pointer into the tokens", 'write "#/collection/token"')
        if steps[-1] == "$value":
            steps = steps[:-1]
        elif "$value" in steps:
            return None
        row = self._rows.get(".".join(steps))
        if row is None:
            raise self._unknown(".".join(steps), pointer)
        return self.aliases[row]

    def of_reference(self, reference: str) -> Alias | None:
        """Return the target of either spelling. Raises BadToken."""
        return self.of_braces(reference) if reference[:1] == "{" else self.of_pointer(reference)

    def _unknown(self, address: str, spelled: str) -> BadToken:
        if address in self._roots:
            return BadToken(
                _CODE, f"{spelled[:120]} names a group", f"write {{{address[:120]}.{ROOT}}} for its own token"
            )
        if self._groups is None:
            self._groups = {each[:end] for each in self._rows for end in range(len(each)) if each[end] == "."}
        if address in self._groups:
            return BadToken(_CODE, f"{spelled[:120]} names a group, not a token", "name a token within it")
        if address.partition(".")[0] in self._unread:
            return UnreadTarget(_CODE, f"{spelled[:120]} leads to a file that cannot be read", "correct that file")
        to_do = "correct the path: it starts with the collection's handle"
        return BadToken(_CODE, f"there is no token {spelled[:120]}", to_do)


def without_pointers(
    value: Any, documents: Iterable[Document], stays: Callable[[dict[str, Any]], bool] = lambda _: False
) -> Any:
    """Return a ``$value`` in which every ``$ref`` into another value has become what it points at. Raises BadToken.

    ``stays`` tells which objects with a ``$ref`` are to stay as they are.
    """
    trees = [each.tree for each in documents]
    return _expanded(value, trees, stays, 0)


def _expanded(value: Any, trees: list[dict[str, Any]], stays: Callable[[dict[str, Any]], bool], depth: int) -> Any:
    if depth > _DEEPEST:
        raise BadToken(_CODE, "its references lead in a circle, or too deep", "refer to a literal", ("$value",))
    if isinstance(value, list):
        return [_expanded(each, trees, stays, depth + 1) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" not in value:
        return {name: _expanded(each, trees, stays, depth + 1) for name, each in value.items()}
    if stays(value):
        return value
    steps = path_of_pointer(value["$ref"]) if isinstance(value["$ref"], str) else None
    if not steps:
        raise BadToken(_CODE, '"$ref" is no pointer into the tokens', 'write "#/collection/token"', ("$value",))
    for tree in trees:
        found, node = _walked(tree, steps)
        if found:
            return _expanded(node, trees, stays, depth + 1)
    what = f"{value['$ref'][:120]!r} refers to nothing"
    raise BadToken(_CODE, what, "point at a literal of these files, not through an alias", ("$value",))


def _walked(tree: Any, steps: tuple[str, ...]) -> tuple[bool, Any]:
    node = tree
    for step in steps:
        if isinstance(node, dict) and step in node:
            node = node[step]
        elif isinstance(node, list) and step.isdecimal() and int(step) < len(node):
            node = node[int(step)]
        else:
            return False, None
    return True, node
