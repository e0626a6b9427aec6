"""Trees of groups and tokens to source tokens: the form of DTCG and its drafts, and of Style Dictionary.

A token is an object with a ``$value`` (or ``value``). The names of the groups around it are those of the token. What a
tool adds beside the value, such as ``alpha``, or values for other modes, is read too, or the token is listed as unread:
an extension whose values are ignored would give a wrong value in silence. ``TreeFiles`` has those of all files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from posixpath import dirname, normpath
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from tokensync.dtcg.groups import expanded
from tokensync.dtcg.spelling import CODE_SYNTAX, FIGMA, HIDDEN, OURS, ROOT, SCOPES, TYPE, VARIABLE_ID, path_of_pointer
from tokensync.migrate.readers.variants import (
    TokenInModes,
    Variants,
    add_files,
    add_tokens,
    are_modes,
    is_mode,
    mode_of,
)
from tokensync.migrate.source import Location, Source, SourceToken, TokenSet, Unread, Written
from tokensync.system.wording import counted, quoted

if TYPE_CHECKING:
    from tokensync.migrate.readers.documents import Document
    from tokensync.system.positions import Pointer

    Node = dict[str, Any]


STUDIO = "studio.tokens"
"""The extension of Tokens Studio, whose modifiers are applied when values are evaluated."""

_DESCRIPTIONS = ("$description", "description", "comment", "$comment")
_TOKEN_MEMBERS = frozenset({
    "$value", "value", "$ref", "$type", "type", "$description", "$deprecated", "deprecated", "$extensions",
    "extensions", "$extends", ROOT,
})  # fmt: skip
_NOT_CHILDREN = frozenset({"attributes", "original", "extensions", "value", "sets", "meta", "metadata"})
"""Members of tokens that hold data of tools, not tokens."""
_NOT_LEAVES = frozenset({"comment", "description", "type", "category", "name", "version", "title", "author", "license"})
"""Members of groups that describe them."""
_MODE_EXTENSION = re.compile(r"(?:.*[./:])?(?:modes?|themes?|overrides|variants)")
_ALPHAS = ("alpha", "alphaModifier")
SETS = "sets"
"""The member with an object for each mode, in place of the value."""
_TWO_MODES = ("light", "dark")
VALUE = re.compile(
    r"\s*(?:\{[^{}]+\}|#[0-9a-fA-F]{3,8}|(?:rgb|hsl|oklch)a?\([^()]*\)|-?[\d.]+(?:px|rem|em|%|ms|s)?)\s*"
)
"""Texts that are values, even where no object says that they are tokens."""
_FALLBACKS = ("default", "base", "fallback")
"""Labels of the value that a token has without a mode."""
_REFERENCE = re.compile(r"\{[^{}\s]+\}")
_PLATFORMS = {"web": "WEB", "android": "ANDROID", "ios": "iOS"}
_FIGMA_SCOPE = re.compile(r"[A-Z][A-Z_]*")
_TYPE_SCOPES = {"STROKE": "STROKE_COLOR"}
"""Scopes that the platform's export spells differently."""
_ROOT_REFERENCE = re.compile(r"\.\$root(?=\s*\})")


class Unreadable(Exception):
    """A value that cannot be read. The message is the reason."""


class TreeReading(NamedTuple):
    """The tokens of a tree in its order, and what could not be read."""

    tokens: list[TokenInModes]
    unread: list[Unread]


class Form(NamedTuple):
    """How a format writes tokens.

    ``value_names`` are the members that make an object a token. ``leaves`` are the paths of texts and numbers that
    references name, which are tokens without an object; with ``has_leaves``, all of them are. ``tree_of`` returns the
    tree of another file, for references to parts of values, or None.
    """

    value_names: tuple[str, ...] = ("$value",)
    leaves: frozenset[str] = frozenset()
    has_leaves: bool = False
    tree_of: Callable[[str], Any] = lambda url: None


def read_tree(document: Document, tree: Node, form: Form, within: Pointer = ()) -> TreeReading:
    """Return the tokens of a tree; ``within`` is its pointer in the document."""
    walk = _Walk(document, tree, form)
    walk.group(tree, _Group((), within, "", False))
    return walk.reading


def is_token(node: Any, value_names: Sequence[str] = ("$value",)) -> bool:
    """Return whether an object is a token: it has a value, a ``$ref``, or values in the modes of an extension."""
    if not isinstance(node, dict):
        return False
    for name in value_names:
        if name in node and not (name == "value" and _is_group(node[name], value_names)):
            return name != SETS or _is_sets(node[SETS], value_names)
    return isinstance(node.get("$ref"), str) or ("$type" in node and any(True for _ in _mode_extensions(node)))


def has_token(tree: Any, value_names: Sequence[str] = ("$value",)) -> bool:
    """Return whether a tree has a token at any level."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if is_token(node, value_names):
            return True
        if isinstance(node, dict):
            pending += (each for name, each in node.items() if name[:1] != "$" or name == ROOT)
    return False


def modes_in(value: Any, token_type: str) -> Mapping[str, Any] | None:
    """Return the values of modes in a written value, or None: ``{light, dark}``, or ``[light, dark]`` for colours.

    Raises Unreadable for a list of colours whose modes have no known names.
    """
    if isinstance(value, dict) and (are_modes(value) or _is_sets(value, ("value", "$value", SETS))):
        return value
    is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
    if not is_list or token_type.casefold() != "color":
        return None
    if len(value) != len(_TWO_MODES):
        what = f"it has {counted(len(value), 'colour')} in a list, and only two are known, light and dark"
        raise Unreadable(f"{what}; write a token for each")
    return dict(zip(_TWO_MODES, value, strict=True))


def text_of(value: Any) -> str:
    """Return a text as it is, and nothing for other values."""
    return value if isinstance(value, str) else ""


class _Group(NamedTuple):
    name: tuple[str, ...]
    pointer: Pointer
    type: str
    deprecated: str | bool


class _Walk:
    def __init__(self, document: Document, tree: Node, form: Form) -> None:
        self.document = document
        self.tree = tree
        self.form = form
        self.reading = TreeReading([], [])

    def group(self, node: Node, group: _Group) -> None:
        """Read the members of a group."""
        for name, member in node.items():
            if name == ROOT and isinstance(member, dict):
                self._token(member, group._replace(pointer=(*group.pointer, ROOT)))
            elif name[:1] == "$":
                continue
            elif isinstance(member, dict):
                self._member(name, member, group)
            elif name not in _NOT_LEAVES:
                self._leaf(name, member, group)

    def _member(self, name: str, member: Node, group: _Group) -> None:
        inner = _Group((*group.name, name), (*group.pointer, name), group.type, group.deprecated)
        if is_token(member, self.form.value_names):
            self._token(member, inner)
            return
        own_type = member.get("$type", group.type)
        own = member.get("$deprecated", group.deprecated)
        self.group(
            member, inner._replace(type=text_of(own_type), deprecated=own if isinstance(own, str | bool) else False)
        )

    def _token(self, node: Node, group: _Group) -> None:
        try:
            self.reading.tokens.append(self._read(node, group))
        except Unreadable as error:
            for each in range(_definitions(node, self.form.value_names)):
                reason = str(error) if not each else f"{error} (the value of a mode)"
                self.reading.unread.append(Unread(self._at(group.pointer), ".".join(group.name), reason))
        for name, member in node.items():
            is_child = isinstance(member, dict) and (name[:1] != "$" or name == ROOT) and name not in _NOT_CHILDREN
            if is_child and _is_group({name: member}, self.form.value_names):
                own_type = text_of(node.get("$type")) or group.type
                self.group({name: member}, group._replace(type=own_type))
            elif name == "value" and name not in self.form.value_names and is_token(member, self.form.value_names):
                self._member(name, member, group)

    def _read(self, node: Node, group: _Group) -> TokenInModes:
        extensions = _extensions(node)
        modes = dict(mode for _, of_extension in _mode_extensions(node) for mode in of_extension.items())
        for name, each in extensions.items():
            if not _is_read(name) and name not in modes and _holds_values(each):
                what = f"its extension {name[:60]!r} holds values that tokensync does not read"
                raise Unreadable(f"{what}; move them to the token's value, or remove the extension")
        value_name = next((name for name in self.form.value_names if name in node), "")
        value = node[value_name] if value_name else {"$ref": node["$ref"]} if "$ref" in node else None
        has_value = bool(value_name) or "$ref" in node
        token_type = text_of(node.get("$type", node.get("type"))) or group.type
        token = self._common(node, group, token_type, extensions)
        of_value = modes_in(value, token_type) if has_value else None
        if of_value is not None:
            modes = {**of_value, **modes}
            has_value = False
        alpha = next((node[each] for each in _ALPHAS if each in node), None)
        if alpha is None and "color" in (token_type, ""):
            modifiers = (each.get("alphaModifier") for each in extensions.values() if isinstance(each, dict))
            alpha = next((modifier for modifier in modifiers if isinstance(modifier, int | float)), None)
        if not has_value and (fallback := next((mode for mode in modes if mode.casefold() in _FALLBACKS), None)):
            value, has_value = modes.pop(fallback), True
        in_modes = {label: replace(token, value=self._mode_value(each, value, alpha)) for label, each in modes.items()}
        own = replace(token, value=self._value(value, alpha)) if has_value or not modes else None
        return TokenInModes(own, in_modes)

    def _common(self, node: Node, group: _Group, token_type: str, extensions: Node) -> SourceToken:
        own = node.get("$deprecated", node.get("deprecated", group.deprecated))
        of_plugin = {name[1:]: node[name] for name in ("$scopes", "$codeSyntax") if name in node}
        figma = {**of_plugin, **_figma_members(extensions)}
        kept = {**extensions, **{name: each for name, each in node.items() if self._is_extra(name, each)}}
        native = text_of(figma.get("type"))
        return SourceToken(
            group.name,
            None,
            self.document.at(node, group.pointer),
            type=native if native in ("boolean", "string") else token_type,
            description=next((node[each] for each in _DESCRIPTIONS if text_of(node.get(each))), ""),
            deprecated=own if isinstance(own, str | bool) else False,
            id=text_of(figma.get("variableId")) or _variable_id(figma.get("id")),
            key=text_of(figma.get("key")),
            scopes=_scopes(figma.get("scopes")),
            code_syntax=_code_syntax(figma.get("codeSyntax")),
            is_hidden=figma.get("hiddenFromPublishing") is True,
            extensions=kept,
        )

    def _is_extra(self, name: str, member: Any) -> bool:
        if name in _TOKEN_MEMBERS or name in _DESCRIPTIONS or name in _ALPHAS:
            return False
        return not (isinstance(member, dict) and name[:1] != "$" and _is_group({name: member}, self.form.value_names))

    def _mode_value(self, value: Any, base: Any, alpha: Any) -> Written:
        """Return the value of a mode: an object may have its own ``$value`` and ``alpha``, or the alpha alone."""
        if isinstance(value, dict) and value and value.keys() <= {*_ALPHAS} and base is not None:
            return self._value(base, next(iter(value.values())))
        if isinstance(value, dict) and (name := next((each for each in ("$value", "value") if each in value), None)):
            is_quantity = name == "value" and "unit" in value
            if not is_quantity:
                own = next((value[each] for each in _ALPHAS if each in value), None)
                return self._value(value[name], own)
        return self._value(value, alpha)

    def _value(self, value: Any, alpha: Any) -> Written:
        written: Written = self._normalized(value)
        opacity = self._normalized(alpha)
        if opacity is None or (opacity == 1 and isinstance(written, str)):
            return written
        if isinstance(written, dict) and isinstance(opacity, int | float) and "colorSpace" in written:
            return {**written, "alpha": opacity}
        if not isinstance(written, str) or not isinstance(opacity, int | float | str):
            raise Unreadable("it has an alpha beside a value that is not a colour; remove one of the two")
        return f"rgba({written}, {opacity})"

    def _normalized(self, value: Any) -> Any:
        """Return a written value with each JSON pointer as ``{a.b}``, or with the part of a value that it points at."""
        match value:
            case str():
                return _ROOT_REFERENCE.sub("", value) if ROOT in value else value
            case list():
                return [self._normalized(each) for each in value]
            case {"$ref": str() as reference}:
                return self._referenced(reference)
            case {"color": str() as color, "alpha": int() | float() | str() as alpha}:
                rest = {name: each for name, each in value.items() if name not in ("color", "alpha")}
                opacity = self._normalized(alpha)
                return {"color": f"rgba({self._normalized(color)}, {opacity})", **self._normalized(rest)}
            case {"components": {"$ref": str()} | str() as components}:
                return self._composed(value, components)
            case dict():
                return {name: self._normalized(each) for name, each in value.items()}
        return value

    def _composed(self, value: Node, components: Any) -> str:
        """Return a colour with the components of another one and its own opacity."""
        if isinstance(components, dict):
            reference = str(components["$ref"])
            steps = path_of_pointer(reference) or ()
            if steps[-2:] != ("$value", "components"):
                raise Unreadable(f"{reference[:120]!r} is no colour; point at the components of a colour")
            base = f"{{{'.'.join(step for step in steps[:-2] if step != ROOT)}}}"
        else:
            base = str(self._normalized(components))
        opacity = self._normalized(value.get("alpha", 1))
        if not isinstance(opacity, int | float | str):
            raise Unreadable("the alpha is neither a number nor a reference; write one of them")
        return base if opacity == 1 else f"rgba({base}, {opacity})"

    def _referenced(self, reference: str) -> Any:
        url, mark, fragment = reference.partition("#")
        steps = path_of_pointer(f"#{fragment}") if mark else None
        if not steps:
            raise Unreadable(f'"$ref" is {reference[:120]!r}, which does not point at a token; write "#/" and its path')
        if "$value" not in steps[:-1]:
            names = steps[:-1] if steps[-1] == "$value" else steps
            return f"{{{'.'.join(name for name in names if name != ROOT)}}}"
        node = self.form.tree_of(url) if url else self.tree
        if url and node is None:
            raise Unreadable(f"{url[:120]!r} is not a file of this source; give the folder that has both")
        for step in steps:
            if isinstance(node, dict) and step in node:
                node = node[step]
            elif isinstance(node, list) and step.isdecimal() and int(step) < len(node):
                node = node[int(step)]
            else:
                raise Unreadable(f"{reference[:120]!r} does not exist, or is a part of an alias; point at a literal")
        if _has_reference(node):
            raise Unreadable(f"{reference[:120]!r} is a reference itself; point at a literal")
        return node

    def _leaf(self, name: str, value: Any, group: _Group) -> None:
        at, path = self._at((*group.pointer, name)), ".".join((*group.name, name))
        is_value = isinstance(value, int | float) or (isinstance(value, str) and VALUE.fullmatch(value) is not None)
        if not isinstance(value, list) and (self.form.has_leaves or is_value or path in self.form.leaves):
            token = SourceToken(
                (*group.name, name), self._normalized(value), at, group.type, deprecated=group.deprecated
            )
            self.reading.tokens.append(TokenInModes(token, {}))
            return
        reason = f"{quoted(value)} is neither a token nor a group; write an object with a value"
        self.reading.unread.append(Unread(at, path, reason, is_token=False))

    def _at(self, pointer: Pointer) -> Location:
        return Location(self.document.path, self.document.line(pointer))


def _extensions(node: Node) -> Node:
    """Return the extensions of a token; those of Figma as flat members, too."""
    own = node.get("$extensions", node.get("extensions"))
    return dict(own) if isinstance(own, dict) else {}


def _mode_extensions(node: Node) -> list[tuple[str, Node]]:
    """Return the extensions of a token that have a value for each mode."""
    return [
        (name, each)
        for name, each in _extensions(node).items()
        if isinstance(each, dict) and each and _MODE_EXTENSION.fullmatch(name.casefold()) and name != STUDIO
    ]


def _is_read(name: str) -> bool:
    folded = name.casefold()
    return folded == FIGMA or folded.startswith((f"{FIGMA}.", OURS, STUDIO)) or bool(_MODE_EXTENSION.fullmatch(folded))


def _holds_values(extension: Any) -> bool:
    """Return whether an extension has a reference, or an object with a value."""
    pending = [extension]
    while pending:
        match pending.pop():
            case str() as text if _REFERENCE.fullmatch(text.strip()):
                return True
            case dict() as members:
                if "$value" in members:
                    return True
                pending += members.values()
            case list() as elements:
                pending += elements
    return False


def _definitions(node: Node, value_names: Sequence[str]) -> int:
    """Return the number of values of a token: its own, and those of modes."""
    own = any(name in node for name in value_names) or "$ref" in node
    return own + sum(len(each) for _, each in _mode_extensions(node)) or 1


def _is_sets(node: Any, value_names: Sequence[str]) -> bool:
    """Return whether an object has tokens only, at least two, and the name of one of them is a word for a mode."""
    if not isinstance(node, dict) or len(node) < len(_TWO_MODES):
        return False
    return any(mode_of(name)[0] for name in node) and all(is_token(each, value_names) for each in node.values())


def _has_reference(value: Any) -> bool:
    match value:
        case str():
            return "{" in value
        case list():
            return any(map(_has_reference, value))
        case dict():
            return "$ref" in value or any(map(_has_reference, value.values()))
    return False


def _is_group(node: Any, value_names: Sequence[str]) -> bool:
    """Return whether an object has a member that is a token, or a group with one."""
    return isinstance(node, dict) and any(
        has_token(each, value_names) for name, each in node.items() if name[:1] != "$" or name == ROOT
    )


def _figma_members(extensions: Mapping[str, Any]) -> dict[str, Any]:
    """Return what extensions say about the variable: flat keys of the platform, or an object of any Figma tool."""
    found: dict[str, Any] = {}
    for name, each in extensions.items():
        if isinstance(each, dict) and "figma" in name.casefold():
            found = {**each, **found}
    for name in (VARIABLE_ID, SCOPES, HIDDEN, CODE_SYNTAX, TYPE):
        if name in extensions:
            found[name.removeprefix(f"{FIGMA}.")] = extensions[name]
    own = extensions.get(OURS)
    if isinstance(own, dict) and "key" in own:
        found["key"] = own["key"]
    return found


def _variable_id(identity: Any) -> str:
    """Return the id of a variable; empty for other things that tools call so."""
    return identity if isinstance(identity, str) and identity.startswith("VariableID:") else ""


_ALL_SCOPES = "ALL_SCOPES"
"""The scope that the platform takes only alone."""


def _scopes(scopes: Any) -> tuple[str, ...]:
    listed = [scope for scope in scopes if isinstance(scope, str)] if isinstance(scopes, list) else []
    found = dict.fromkeys(_TYPE_SCOPES.get(each, each) for each in listed if _FIGMA_SCOPE.fullmatch(each))
    return (_ALL_SCOPES,) if _ALL_SCOPES in found else tuple(found)


def _code_syntax(members: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(members, Mapping):
        return ()
    return tuple(
        (_PLATFORMS[name.casefold()], each)
        for name, each in members.items()
        if name.casefold() in _PLATFORMS and isinstance(each, str) and each
    )


_NAME = re.compile(r"\{([^{}]+)\}")
_NAME_IN_TEXT = re.compile(r"\{([^{}\"\n]{1,400})\}")  # of a file, whose other braces are not those of references
_VAR = re.compile(r"var\(\s*(--[\w-]+)\s*\)")
OLD_VALUE_NAMES = ("$value", "value", SETS)
"""The members with the value in files of Style Dictionary and of the first drafts of DTCG."""
_VALUE_ENDS = (".$value", ".value")


class TreeFiles:
    """The documents of a source, and the tokens of their trees. A tree that several sets have is read once."""

    def __init__(self, documents: Sequence[Document], value_names: tuple[str, ...] = ("$value",)) -> None:
        self.value_names = value_names
        self.documents = {document.path: document for document in documents}
        self.variants = Variants()
        self.unread: list[Unread] = []
        self._tokens: dict[tuple[str, Pointer], list[TokenInModes]] = {}
        self._named: frozenset[str] | None = None

    def has_tokens(self, document: Document) -> bool:
        """Return whether a document has tokens: objects, or texts that references of the source name."""
        return has_token(document.content, self._value_names(document.content)) or self._has_named_leaf(document)

    def read_all(self, documents: Iterable[Document]) -> None:
        """Read files, with modes as files, folders and members of tokens."""
        pending: list[tuple[str, list[TokenInModes]]] = []
        for document in documents:
            if document.kind == "text":
                continue
            if not isinstance(document.content, dict):
                self.report(document, "the file is no object of groups and tokens")
            elif not self.has_tokens(document):
                self.report(document, "the file has no tokens")
            else:
                pending.append((document.path, self.tokens_of(document, document.content, ())))
        add_documents(self.variants, pending)

    def tokens_of(self, document: Document, tree: dict[str, Any], pointer: Pointer) -> list[TokenInModes]:
        """Return the tokens of a tree at a pointer."""
        key = (document.path, pointer)
        if key not in self._tokens:
            text = document.text.encode() if document.kind == "json" else b'"$extends""$ref"'
            grown = expanded(
                tree, text, lambda at, _, what, to_do: self._problem(document, (*pointer, *at), what, to_do)
            )
            names = self._value_names(tree)
            form = Form(
                names,
                leaves=self._references(),
                has_leaves=not has_token(tree, names),
                tree_of=lambda url: self._tree_of(document, url),
            )
            reading = read_tree(document, grown, form, pointer)
            self.unread += reading.unread
            self._tokens[key] = reading.tokens
        return self._tokens[key]

    def add_unnamed(self, document: Document, reason: str) -> None:
        """Add all tokens of a document to ``unread``."""
        for each in self.tokens_of(document, document.content, ()):
            for token in filter(None, (each.token, *each.modes.values())):
                self.unread.append(Unread(token.at, token.path, reason))

    def report(self, document: Document, reason: str) -> None:
        """Add a reason that concerns a whole document to ``unread``."""
        self.unread.append(Unread(Location(document.path, 1), "", reason, is_token=False))

    def _value_names(self, tree: Any) -> tuple[str, ...]:
        """Return the names of values in a tree: a file may be older than the others, and have no ``$`` in its names."""
        is_old = not has_token(tree, self.value_names) and has_token(tree, OLD_VALUE_NAMES)
        return OLD_VALUE_NAMES if is_old else self.value_names

    def _tree_of(self, document: Document, url: str) -> Any:
        found = self.documents.get(normpath(f"{dirname(document.path)}/{url}".lstrip("/")))
        return None if found is None else found.content

    def _problem(self, document: Document, pointer: Pointer, what: str, what_to_do: str) -> None:
        at = Location(document.path, document.line(pointer))
        self.unread.append(Unread(at, ".".join(map(str, pointer[:-1])), f"{what}; {what_to_do}", is_token=False))

    def _references(self) -> frozenset[str]:
        """Return the names of all references in the texts of the source."""
        if self._named is None:
            texts = (document.text for document in self.documents.values() if document.content is not None)
            self._named = frozenset(
                _without_end(_plain(each)) for text in texts for each in _NAME_IN_TEXT.findall(text)
            )
        return self._named

    def _has_named_leaf(self, document: Document) -> bool:
        if not isinstance(document.content, dict):
            return False
        named = self._references()
        pending: list[tuple[str, Any]] = [("", document.content)]
        while pending:
            path, node = pending.pop()
            if isinstance(node, dict):
                inner = f"{path}." if path else ""
                pending += ((f"{inner}{name}", each) for name, each in node.items() if name[:1] != "$")
            elif path in named:
                return True
        return False


def add_documents(variants: Variants, documents: Sequence[tuple[str, Sequence[TokenInModes]]]) -> None:
    """Add the tokens of documents, with modes as files, folders, members of tokens and first words of names."""
    moded = _with_modes_of_names([token for _, tokens in documents for token in tokens])
    guess = "names begin with words for modes" if moded else ""
    sets = [
        add_tokens(variants, path, [moded.get(id(token), token) for token in tokens], guess=guess, as_base=False)
        for path, tokens in documents
    ]
    add_files(variants, sets, {label for _, tokens in documents for token in tokens for label in token.modes})


def _with_modes_of_names(tokens: Sequence[TokenInModes]) -> dict[int, TokenInModes]:
    """Return tokens as ones in modes, by identity, if their names begin with words for these: ``Light/a``, ``Dark/a``.

    Most names have to be in several modes, and no value may refer to them.
    """
    found: dict[int, TokenInModes] = {}
    names: dict[tuple[str, ...], set[str]] = {}
    for entry in tokens:
        own = entry.token.name if entry.token is not None and not entry.modes else ()
        steps = [step for name in own[own[:1] == ("tokens",) :] for step in name.split("/")]
        if entry.token is not None and len(steps) > 1 and is_mode(steps[0]):
            name = tuple(part for step in steps[1:] for part in _DOTS.split(step))
            found[id(entry)] = TokenInModes(None, {steps[0]: replace(entry.token, name=name)})
            names.setdefault(name, set()).add(steps[0])
    labels = set[str]().union(*names.values())
    if not are_modes(labels) or 2 * sum(len(modes) > 1 for modes in names.values()) <= len(names):
        return {}
    texts = [str(entry.token.value) for entry in tokens if entry.token is not None]
    is_named = any(f"{{{label}{end}" in text for text in texts if "{" in text for label in labels for end in "./")
    return {} if is_named else found


_DOTS = re.compile(r"(?<!\d)\.|\.(?!\d)")


def relative(path: str, folder: str) -> str:
    """Return a path relative to a folder that it is in, or as it is."""
    return path.removeprefix(f"{folder}/") if folder else path


def with_full_names(source: Source, *, from_any_group: bool = False) -> Source:
    """Return the source with the names in references as paths of its tokens.

    ``{a.b.value}`` and ``{!a.b}`` are ``{a.b}``, and ``var(--b)`` is the only token named ``--b``. ``from_any_group``
    reads a name without its first groups as the only path that ends with it; each such name is reported. Names that are
    equal in code, such as ``a-b`` in one mode and ``a.b`` in another, become one.
    """
    names = _Names(source, from_any_group=from_any_group)
    sets = tuple(TokenSet(set_.name, tuple(map(names.with_full_names, set_.tokens))) for set_ in source.sets)
    return replace(source, sets=sets, unread=(*source.unread, *names.reported))


class _Names:
    def __init__(self, source: Source, *, from_any_group: bool) -> None:
        self.paths = {token.path for _, token in source.tokens()}
        named: dict[str, list[str]] = {}
        for path in self.paths:
            if "--" in path:
                named.setdefault(path.rpartition(".")[2], []).append(path)
        self.properties = {name: paths[0] for name, paths in named.items() if len(paths) == 1}
        self.from_any_group = from_any_group
        self.reported: list[Unread] = []
        self.spelled = self._spelled(source)
        self._ends: dict[str, str | None] | None = None
        self._found: dict[str, str | None] = {}

    def with_full_names(self, token: Any) -> Any:
        """Return a token with full names in its references, and the name that its modes share."""
        value = token.value if token.is_text else self._value(token.value, token)
        name = self.spelled.get(token.path, token.name)
        return token if value is token.value and name is token.name else replace(token, name=name, value=value)

    def _spelled(self, source: Source) -> dict[str, tuple[str, ...]]:
        """Return the name of each path that another mode of the same themes spells with more groups.

        Two such names in one theme are two tokens, and are reported: code cannot tell them apart.
        """
        spellings: dict[str, dict[tuple[str, ...], SourceToken]] = {}
        sets: dict[str, set[str]] = {}
        for of_set, token in source.tokens():
            spellings.setdefault("-".join(token.name), {}).setdefault(token.name, token)
            sets.setdefault(token.path, set()).add(of_set.name)
        names: dict[str, tuple[str, ...]] = {}
        for tokens in (tokens for tokens in spellings.values() if len(tokens) > 1):
            first, *others = sorted(tokens.values(), key=lambda token: -len(token.name))
            themes = [theme for theme in source.themes if not theme.sets.keys().isdisjoint(sets[first.path])]
            for other in others:
                theirs = [theme for theme in source.themes if not theme.sets.keys().isdisjoint(sets[other.path])]
                together = [theme for theme in theirs if theme in themes]
                if together or not themes or not theirs or {theme.group for theme in theirs} != {themes[0].group}:
                    reason = f"in code, it has the name of {{{first.path[:120]}}}, too; rename one of them"
                    self.reported.append(Unread(other.at, other.path, reason, is_token=False))
                else:
                    names[other.path] = first.name
                    themes += theirs
        return names

    def _value(self, value: Any, token: Any) -> Any:
        match value:
            case str():
                if "var(--" in value and self.properties:
                    value = _VAR.sub(self._property, value)
                return _NAME.sub(lambda match: self._reference(match, token), value) if "{" in value else value
            case list():
                elements = [self._value(each, token) for each in value]
                return elements if any(one is not other for one, other in zip(elements, value, strict=True)) else value
            case dict():
                members = {name: self._value(each, token) for name, each in value.items()}
                return members if any(members[name] is not each for name, each in value.items()) else value
        return value

    def _property(self, match: re.Match[str]) -> str:
        path = self.properties.get(match[1])
        return match[0] if path is None else f"{{{path}}}"

    def _reference(self, match: re.Match[str], token: Any) -> str:
        name = match[1]
        if name in self.spelled:
            return f"{{{'.'.join(self.spelled[name])}}}"
        if name in self.paths:
            return match[0]
        name = _plain(name)
        if name in self.paths:
            return f"{{{name}}}"
        if name not in self._found:
            self._found[name] = self._path(name, token)
        found = self._found[name]
        return match[0] if found is None else f"{{{found}}}"

    def _path(self, name: str, token: Any) -> str | None:
        short = _without_end(name)
        if short in self.paths:
            return short
        if not self.from_any_group:
            return None
        if self._ends is None:
            self._ends = {}
            for path in self.paths:
                at = path.find(".") + 1
                while at:
                    end = path[at:]
                    self._ends[end] = None if end in self._ends else path
                    at = path.find(".", at) + 1
        found = self._ends.get(short)
        if found is not None:
            reason = f"{{{name[:60]}}} is read as {{{found[:120]}}}, the only token whose name ends so"
            self.reported.append(Unread(token.at, token.path, reason, is_token=False))
        return found


def _plain(name: str) -> str:
    """Return a name without spaces around it, and without the ``!`` of Theo's aliases."""
    return name.strip().removeprefix("!").lstrip()


def _without_end(name: str) -> str:
    return next((name.removesuffix(end) for end in _VALUE_ENDS if name.endswith(end)), name)
