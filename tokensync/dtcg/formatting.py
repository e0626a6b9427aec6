"""Formatting: the canonical form of token files and resolver documents that were edited by hand.

The layout is that of ``layout``. Values are rewritten only if DTCG writes them in another form (``literals.meant``), so
that no value changes.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.document import Location, document
from tokensync.dtcg.extensions import has_stored_value
from tokensync.dtcg.layout import resolver_file, token_file
from tokensync.dtcg.literals import PLAIN_READERS, literal, meant
from tokensync.dtcg.parse import NESTED_TOO_DEEPLY, BadToken, ProblemCollector, parsed
from tokensync.dtcg.reading import no_lock
from tokensync.dtcg.rows import PLAIN_TYPES
from tokensync.dtcg.spelling import (
    DTCG_TYPES,
    OURS,
    RESOLVER_SUFFIX,
    TOKENS_SUFFIX,
    TYPE,
    VARIABLE_ID,
    is_reference,
)
from tokensync.errors import ProblemsError
from tokensync.tokens import TokenKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tokensync.dtcg.assembly import LockedValue
    from tokensync.dtcg.document import Document
    from tokensync.problems import Problem
    from tokensync.tokens import Value

    Known = Mapping[tuple[str | None, str], tuple[str | None, str]]
    """The type and the variable id of a token, by the root group and the path."""


def format_bytes(
    content: bytes,
    path: str = "",
    *,
    locked: LockedValue = no_lock,
    known: Callable[[], Known] = dict,
    only_edited: bool = False,
    invalid: list[Problem] | None = None,
) -> bytes:
    """Return a token file or resolver document in canonical form. ``path`` determines which of the two it is.

    Only the order, the layout and the notation of strings, numbers and values change; unknown members stay. Formatting
    a formatted file changes nothing. ``locked`` is that of ``read``. ``known`` returns the types and ids of tokens that
    have them only in the files of other modes. With ``only_edited``, only colours change that ``locked``
    decides about. The problems of invalid values, which stay as they are, are added to ``invalid``. Raises
    ProblemsError if the content is not a JSON object.
    """
    tree, text_problems = parsed(content)
    collector = ProblemCollector({path: content})
    collector.add_text_problems(path, text_problems)
    if not text_problems and not isinstance(tree, dict):
        what = "the file must be a JSON object"
        collector.add(path, (), "tokens-structure", what, "put its content in an object")
    problems = collector.problems()
    if problems:
        raise ProblemsError(problems)
    if path.endswith(RESOLVER_SUFFIX):
        return resolver_file(tree)
    own = _document(path, tree, content)
    if own is not None:
        _write_values(own, locked, known, only_edited=only_edited)
        if invalid is not None:
            _report_invalid(own, known, collector)
            invalid += collector.problems()
    return token_file(tree)


def known_in(contents: Iterable[bytes]) -> Known:
    """Return the types and ids of the tokens in token files; of several, the first."""
    found: dict[tuple[str | None, str], tuple[str | None, str]] = {}
    for content in contents:
        tree, problems = parsed(content)
        own = None if problems else _document("", tree, content)
        if own is None:
            continue
        for path, node in zip(own.paths, own.nodes, strict=True):
            token_type, token_id = found.get((own.group, path), (None, ""))
            if token_type is None or not token_id:
                found[own.group, path] = token_type or _type_of(own, path, node), token_id or _variable_id(node)
    return found


def _steps_of(path: str) -> list[str]:
    return ["", "", "", *path.replace("\\", "/").split("/")]


def _document(path: str, tree: Any, content: bytes) -> Document | None:
    *_, handle, name = _steps_of(path)
    location = Location(path, "local", handle, name.removesuffix(TOKENS_SUFFIX))
    return document(location, tree, content, ProblemCollector({}))  # whose problems the commands that read it report


def _write_values(own: Document, locked: LockedValue, known: Callable[[], Known], *, only_edited: bool) -> None:
    """Replace each value that DTCG writes in another form, in the tree of a document."""
    known = cache(known)
    *_, above, folder, _, _ = _steps_of(own.location.path)
    file, (context, mode_id) = above if folder.startswith(".") else folder, _mode(own)
    for path, node in zip(own.paths, own.nodes, strict=True):
        value = node.get("$value")
        if type(value) is dict and _is_plain(node.get("$type"), value):  # nearly all colours and lengths
            continue
        if value is None or is_reference(value) or has_stored_value(node):
            continue
        token_type = _type_of(own, path, node)
        if token_type is None:
            token_type, _ = known().get((own.group, path), (None, ""))
        if token_type is None or _is_plain(token_type, value):
            continue
        key = TokenKey(file, own.group or "", path)

        def before(key: TokenKey = key, node: dict[str, Any] = node) -> Value | None:
            _, token_id = known().get((key.collection, key.path), (None, ""))
            return locked(key, context, _variable_id(node) or token_id, mode_id)

        with suppress(BadToken):  # the unit is in doubt
            found = meant(token_type, value, before)
            if found is not None and not (only_edited and found.is_kept):
                node["$value"] = found.value


def _report_invalid(own: Document, known: Callable[[], Known], collector: ProblemCollector) -> None:
    """Report the values that are invalid by themselves; those that depend on other tokens are not checked."""
    known = cache(known)
    for path, node in zip(own.paths, own.nodes, strict=True):
        value = node.get("$value")
        if value is None or is_reference(value) or has_stored_value(node):
            continue
        token_type = _type_of(own, path, node) or known().get((own.group, path), (None, ""))[0]
        if token_type not in DTCG_TYPES or _is_plain(token_type, value):
            continue
        try:
            if "$ref" not in str(value):
                literal(token_type, value)
        except BadToken as error:
            pointer = (*own.entry(path, node).pointer, *error.within)
            collector.add(own.location.path, pointer, error.code, error.what, error.what_to_do)
        except RecursionError:
            collector.add(own.location.path, own.entry(path, node).pointer, *NESTED_TOO_DEEPLY)


def _is_plain(token_type: Any, value: Any) -> bool:
    """Return whether a value of a type is one that a pull writes in the same form."""
    read = PLAIN_READERS.get(token_type) if type(token_type) is str else None
    if read is None:
        return False
    try:
        read(value)
    except BadToken:
        return False
    return True


def _type_of(own: Document, path: str, node: dict[str, Any]) -> str | None:
    """Return the type that a file gives to a token itself or to its group."""
    context = own.contexts.get(path)
    dtcg_type = node.get("$type", context.inherited if context is not None else None)
    extensions = node.get("$extensions")
    figma_type = extensions.get(TYPE) if isinstance(extensions, dict) else None
    if not isinstance(dtcg_type, str):
        return None
    if isinstance(figma_type, str) and (dtcg_type, figma_type) in PLAIN_TYPES:
        return PLAIN_TYPES[dtcg_type, figma_type]
    return dtcg_type


def _variable_id(node: dict[str, Any]) -> str:
    extensions = node.get("$extensions")
    found = extensions.get(VARIABLE_ID) if isinstance(extensions, dict) else None
    return found if isinstance(found, str) else ""


def _mode(own: Document) -> tuple[str, str]:
    """Return the context and the id of the file's mode."""
    extensions = own.tree.get("$extensions")
    ours = extensions.get(OURS) if isinstance(extensions, dict) else None
    mode = ours.get("mode") if isinstance(ours, dict) else None
    context, mode_id = (mode.get("context"), mode.get("id")) if isinstance(mode, dict) else (None, None)
    _, _, handle, slug = own.location
    usual = slug if handle == own.group else f"{handle}.{slug}"
    return context if isinstance(context, str) else usual, mode_id if isinstance(mode_id, str) else ""
