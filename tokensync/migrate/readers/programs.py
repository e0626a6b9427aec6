"""Constants of Kotlin, Swift, TypeScript and JavaScript with one value as a source: colours, lengths, numbers, texts.

A token is named by the types and objects around it, which may be modes: ``DarkColors.textMuted``. Read are constants
with a literal, or with a reference to another one, also with another opacity, and getters of one expression. What a
function declares is local. A constant that another one only repeats, or that names a colour set, has no value here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from tokensync.code.files import Part
from tokensync.code.lexers import language_of, tokens
from tokensync.code.native_values import native_values
from tokensync.migrate.evaluation.values import text_of
from tokensync.migrate.source import Location, Source, SourceTheme, SourceToken, TokenSet, Unread, Written

LANGUAGES = ("kotlin", "swift", "ts", "tsx")
_TYPES = frozenset(("object", "class", "enum", "struct", "extension", "interface", "namespace", "actor"))
_DECLARES = frozenset(("val", "var", "let", "const"))
_ENDS_OF_TYPE = frozenset(("}", ";", "fun", "func", *_TYPES - {"class"}, *_DECLARES))
_DEEPEST = 20  # scopes around a constant
_NUMBER = r"-?(?:\d[\d_]*\.?\d*|\.\d+)"
_MEASURE = re.compile(rf"\(?({_NUMBER})\)?(?:\.(dp|sp)\b)?[fFdDL]?")
_WEIGHT = re.compile(r"FontWeight(?:\.W|\()(\d+)\)?|(?:FontWeight|Font\.Weight|UIFont\.Weight|)\.([A-Za-z]\w*)")
_TEXT = re.compile(r"([\"'`])((?:(?!\1)[^\\$]|\\.)*)\1")
_REFERENCE = re.compile(r"([^\W\d][\w.]*)(?:\.(?:copy\(alpha = |opacity\(|withAlphaComponent\()([\w.]+)\))?")
_ASSET = re.compile(r"(?:UI|NS)?Color\((?:named: ?)?(?:\"[^\"]*\"|\.\w+)(?:, [^()]*)?\)")


class _Constant(NamedTuple):
    """A constant by its names, its expression and its line, and the colour that its expression is, or nothing."""

    name: tuple[str, ...]
    text: str
    line: int
    color: str = ""


def read(files: Mapping[str, bytes]) -> Source:
    """Read the constants of files of these languages."""
    found = [
        (path, language_of(path), constant)
        for path, content in files.items()
        if language_of(path) in LANGUAGES and not path.endswith(".d.ts")
        for constant in _constants(content.decode("utf-8", "replace"), language_of(path))
    ]
    by_end: dict[str, dict[tuple[str, ...], None]] = {}
    for _, _, constant in found:
        by_end.setdefault(constant.name[-1], {})[constant.name] = None
    own, unread = list[SourceToken](), list[Unread]()
    for path, language, (name, text, line, color) in found:
        at = Location(path, line)
        is_name_only = text[1:].startswith(("--", "var(--")) or _ASSET.fullmatch(text)
        if is_name_only or any(re.search(r"[{}.]", step) for step in name):
            continue
        value, type_ = (color, "color") if color else _literal(text, language)
        if value is not None:
            own.append(SourceToken(name, value, at, type_, is_text=isinstance(value, str)))
        elif (reference := _reference(text, name, by_end)) is None:
            unread.append(Unread(at, ".".join(name), "its value is no literal and no reference to a constant"))
        elif reference:
            own.append(SourceToken(name, reference, at))
    theme = SourceTheme("default", {"code": "enabled"}, is_default=True)
    return Source("programs", (TokenSet("code", tuple(own)),), (theme,), tuple(unread))


def _literal(text: str, language: str) -> tuple[Written, str]:
    """Return the value and the type of a literal; None for another expression."""
    if text in ("true", "false"):
        return text == "true", "boolean"
    if found := _MEASURE.fullmatch(text):
        number = found[1].replace("_", "")
        return (f"{number}px", "dimension") if found[2] else (float(number), "")
    if found := _TEXT.fullmatch(text):
        return re.sub(r"\\(.)", r"\1", found[2]), ""
    if language in ("kotlin", "swift") and (found := _WEIGHT.fullmatch(text)):
        return found[1] or found[2], "fontWeights"
    return None, ""


def _reference(text: str, name: tuple[str, ...], by_end: Mapping[str, Mapping[tuple[str, ...], None]]) -> str | None:
    """Return a reference to another constant as text; empty for one that repeats a constant of the same name."""
    found = _REFERENCE.fullmatch(text)
    if found is None:
        return None
    base, share = (_target(each, name, by_end) if each else "" for each in found.groups())
    if found[2] is None:
        is_same = found[1].rpartition(".")[2] == name[-1] and len(by_end[name[-1]]) > 1
        return "" if is_same else base
    amount = found[2].rstrip("f") if _MEASURE.fullmatch(found[2]) else share
    return base and amount and f"rgba({base}, {amount})"


def _target(text: str, name: tuple[str, ...], by_end: Mapping[str, Mapping[tuple[str, ...], None]]) -> str | None:
    """Return a reference in braces to the constant that a text names: of the same type, or else the only one."""
    *scopes, end = text.split(".")
    found = [*by_end.get(end, ())]
    own = [other for other in found if other[:-1] == name[:-1]] if not scopes else []
    named = [other for other in found if scopes and other[-2:-1] == (scopes[-1],)]
    chosen = own or named or found
    return f"{{{'.'.join(chosen[0])}}}" if chosen and (own or named or len(found) == 1 or not scopes) else None


def _constants(text: str, language: str) -> Iterator[_Constant]:
    """Yield the constants of a file that are not local to a function."""
    found = [token for token in tokens(text, language) if token.kind != "comment"]
    words = [text[token.start : token.end] for token in found]
    kinds = [token.kind for token in found]
    ends = [False, *("\n" in text[one.end : other.start] for one, other in pairwise(found))]
    raws = () if language in ("ts", "tsx") else native_values(Part(language, 0, len(text)), text)
    colors = {raw.start: (raw.end, text_of(raw.value)) for raw in raws if raw.type == "color"}
    scopes: list[tuple[str | None, int]] = []  # the name, None for a function, and the open parentheses around it
    pending: str | None = None
    is_script, at, depth, line, seen = language in ("ts", "tsx"), 0, 0, 1, 0
    while at < len(found):
        word, name, start = words[at], None, at
        line, seen = line + text.count("\n", seen, found[at].start), found[at].start
        if kinds[at] == "mark" and word in "{}()[]":
            if word == "{":
                scopes.append((pending if len(scopes) < _DEEPEST else None, depth))
                pending, depth = None, 0
            elif word == "}":
                depth = scopes.pop()[1] if scopes else 0
            else:
                depth = depth + 1 if word in "([" else max(depth - 1, 0)
        elif not depth and all(scope is not None for scope, _ in scopes):
            if word in _TYPES and not is_script:
                at += 1 + (words[at + 1 : at + 2] == ["class"])
                pending = words[at] if kinds[at : at + 1] == ["name"] else ""
                at -= not pending
            elif word in ("default", "exports") and words[at + 1 : at + 2] in (["{"], ["="]):
                pending, at = "", at + (words[at + 1] == "=")
            else:
                name, start = _declared(words, kinds, ends, at, language, in_object=is_script and bool(scopes))
        if name is not None:
            if is_script and words[start] == "{":
                pending, at = name, start - 1
            else:
                is_getter = words[start - 1] == "{"
                start += words[start] == "return"
                end = _end(words, [] if is_getter else ends, start)
                if end > start:
                    names = (*(scope for scope, _ in scopes if scope), name)
                    first, last = found[start].start, found[end - 1].end
                    color = colors.get(first, (0, ""))
                    expression = _expression(text[first:last])
                    yield _Constant(names, expression, line, color[1] if color[0] == last else "")
                at = max(end - (not is_getter), at)
        at += 1


def _declared(
    words: list[str], kinds: Sequence[str], ends: list[bool], at: int, language: str, *, in_object: bool
) -> tuple[str | None, int]:
    """Return the name of the constant that is declared here, or None, and where its value starts."""
    name, start = at, None
    if not in_object and words[at] in (*_DECLARES, ",") and kinds[at + 1 : at + 2] == ["name"]:
        name, start = at + 1, _start(words, ends, at + 2, is_swift=language == "swift")
    elif in_object and words[at + 1 : at + 2] == [":"] and kinds[at] in ("name", "value"):
        start = at + 2
    elif in_object and kinds[at] == "string" and words[at + 2 : at + 3] == [":"]:
        start = at + 3
    if start is None or start >= len(words):
        return None, at
    while language in ("ts", "tsx") and words[start] in ("Object", ".", "freeze", "(") and start + 1 < len(words):
        start += 1
    return words[name], start


def _start(words: list[str], ends: list[bool], at: int, *, is_swift: bool) -> int | None:
    """Return where the value of a constant starts, after its type; None if it has none."""
    for here in range(at, min(at + 40, len(words))):
        if words[here] == "=" or (is_swift and words[here] == "{"):
            return here + 1
        if words[here] in _ENDS_OF_TYPE or (ends[here] and words[here] != "get"):
            return None
    return None


def _end(words: list[str], ends: list[bool], start: int) -> int:
    """Return the end of an expression: its line's, unless ``ends`` is empty, or that of the brackets around it."""
    depth = 0
    for here in range(start, len(words)):
        if words[here] in ")]}" and not depth:
            return here
        is_next = ends and (words[here] in ";," or (ends[here] and here > start and words[here][0] not in ".?"))
        if is_next and not depth:
            return here
        depth += (words[here] in "([{") - (words[here] in ")]}")
    return len(words)


def _expression(text: str) -> str:
    """Return an expression in one line, without what does not change its value."""
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r" as (?:const|[\w.]+)$|,? ?(?=\)$)(?<=,)", "", text).replace("( ", "(").replace(" )", ")")
