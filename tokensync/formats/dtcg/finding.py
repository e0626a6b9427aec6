"""Where a token, its value in one mode, or a mode's name stands in the token files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.formats.dtcg.references import Spelling
from tokensync.formats.dtcg.spelling import MODE_NAME, ROOT, TOKENS_SUFFIX, folder
from tokensync.formats.dtcg.whereabouts import home_column, token_folder
from tokensync.places import lines_and_columns, offsets, pointer_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.places import Pointer
    from tokensync.tokens import TokenGraph, TokenKey

_LONGEST = 200  # characters of a pointer


class Finder:
    """Finds tokens in files that were read to a graph. The first question about a file scans it, once for all."""

    def __init__(self, graph: TokenGraph, files: Mapping[str, bytes], shown_below: str) -> None:
        self._graph = graph
        self._files = files
        self._shown_below = shown_below
        self._known: dict[str, dict[Pointer, tuple[int, int]]] = {}
        self._spellings: dict[str, Spelling] = {}

    def place(self, key: TokenKey, context: str | None = None) -> str | None:
        """``tokens/design/theme/dark.tokens.json:12:5 (#/theme/accent)``: the token, in a mode or in its default one.

        Without a value in that mode it is where the token itself stands; None when no file has it. Without a path, the
        mode is meant.
        """
        if not key.path:
            return self._place_of_mode(key, context)
        token = self._graph.tokens.get(key)
        if token is None:
            return None
        family = self._graph.collections[key[:2]]
        home = home_column(family)
        columns = [column for column, mode in enumerate(family.modes) if mode.context == context and column != home]
        pointer = self._pointer(key)
        for column in (*columns, home, *range(len(family.modes))):
            path = f"{key.file}/{token_folder(token, family, column)}/{family.modes[column].slug}{TOKENS_SUFFIX}"
            found = self._places(path).get(pointer)
            if found is not None:
                shown = pointer_text(pointer)
                return f"{self._shown_below}{path}:{found[0]}:{found[1]} ({shown[:_LONGEST]})"
        return None

    def _place_of_mode(self, key: TokenKey, context: str | None) -> str | None:
        family = self._graph.collections.get(key[:2])
        mode = None if family is None else next((each for each in family.modes if each.context == context), None)
        if family is None or mode is None:
            return None
        path = f"{key.file}/{folder(family.origin, mode.collection)}/{mode.slug}{TOKENS_SUFFIX}"
        text = self._files.get(path)
        if text is None:
            return None
        pointer = ("$extensions", MODE_NAME)
        offset = offsets(text, [pointer])[pointer]
        line, column = lines_and_columns(text, [offset])[offset]
        return f"{self._shown_below}{path}:{line}:{column} ({pointer_text(pointer)})"

    def _pointer(self, key: TokenKey) -> Pointer:
        spelling = self._spellings.get(key.file)
        if spelling is None:
            keys = (each for each in self._graph.tokens if each.file == key.file)
            spelling = self._spellings[key.file] = Spelling(keys)
        steps = (key.collection, *key.path.split("."))
        return (*steps, ROOT) if spelling.is_root(key) else steps

    def _places(self, path: str) -> Mapping[Pointer, tuple[int, int]]:
        """The tokens of a file with their lines and columns."""
        known = self._known.get(path)
        if known is None:
            text = self._files.get(path)
            known = self._known[path] = {} if text is None else self._scanned(path, text)
        return known

    def _scanned(self, path: str, text: bytes) -> dict[Pointer, tuple[int, int]]:
        file = path.partition("/")[0]
        handles = {mode.collection: key[1] for key, each in self._graph.collections.items() for mode in each.modes}
        handle = handles.get(path.split("/")[-2])
        pointers = [self._pointer(key) for key in self._graph.tokens if key[:2] == (file, handle)]
        found = offsets(text, pointers)
        around = {pointer[:-1] for pointer in pointers}
        groups = offsets(text, around)
        own = {pointer: at for pointer, at in found.items() if at != groups[pointer[:-1]]}  # else only a group is there
        shown = lines_and_columns(text, own.values())
        return {pointer: shown[at] for pointer, at in own.items()}
