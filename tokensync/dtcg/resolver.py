"""Resolver documents of other tools (DTCG 2025.10 Resolver): their sets and modifiers as layers, and as collections.

The resolver documents that tokensync writes name one file for each mode; ``families`` reads them. All others are read
as the specification says: reference objects are followed, members next to ``$ref`` override its target, and a
reference to a set stands for the sources of the set.

A set becomes a collection with one mode, a modifier a collection whose modes are its contexts. The last occurrence of a
token in the resolution order defines it, so a token belongs to the last set or modifier that can define it. Its value
in a context is that of the last occurrence that applies there. If it depends on several modifiers, its value in a
context without an occurrence is an alias to a token that is not declared, in the collection of the modifier before.
An alias uses the context that is chosen for the collection of its target, as if it were resolved after flattening.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from tokensync.dtcg.document import Context, Document, Location, group_problem, location_of, member_problem
from tokensync.dtcg.families import FamilyOfFiles
from tokensync.dtcg.groups import steps_of
from tokensync.dtcg.layout import inline
from tokensync.dtcg.literals import missing_type_advice
from tokensync.dtcg.parse import ProblemCollector, parsed
from tokensync.dtcg.spelling import OURS, RESOLVER_SUFFIX, ROOT, VERSION, is_reference, path_of_pointer
from tokensync.normalize.mapping import slug, unique
from tokensync.system.token_files import named_files, path_of_reference
from tokensync.system.wording import quoted, shortened, suggestion
from tokensync.tokens import Collection, Mode, Origin, TokenKey, composites
from tokensync.tokens.paths import groups_around

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tokensync.system.positions import Pointer

    Node = dict[str, Any]


_ROOT_MEMBERS = ("$schema", "name", "version", "description", "sets", "modifiers", "resolutionOrder", "$defs")
_SET_MEMBERS = ("name", "type", "description", "sources", "$extensions", "$defs")
_MODIFIER_MEMBERS = ("name", "type", "description", "contexts", "default", "$extensions", "$defs")
_DEEPEST = 64
_MOST_SOURCES = 20_000
"""The number of sources, so that sets that refer to others cannot multiply them."""


class Source(NamedTuple):
    """A tree of tokens: the path of its file below the tokens folder, and its JSON pointer in the file."""

    path: str
    pointer: Pointer
    tree: dict[str, Any]


class Layer(NamedTuple):
    """A set or a modifier in the resolution order, with the sources of each context. A set has one context, ``""``."""

    name: str
    is_modifier: bool
    contexts: Mapping[str, tuple[Source, ...]]
    default: str = ""


def is_foreign(document: Any, file: str, text_of: Callable[[str], bytes | None]) -> bool:
    """Return whether a resolver document has to be read as the specification says.

    It does not if one of its token files has metadata of tokensync, if all of them are missing, or if it lists the
    files of each mode as tokensync does: then the folders of the files say the same. ``text_of`` returns the content of
    a file.
    """
    if not isinstance(document, dict) or document.get("version") != VERSION:
        return False
    if not isinstance(document.get("resolutionOrder"), list):
        return False
    named = named_files(text_of(file + RESOLVER_SUFFIX) or b"")
    own = [path for path in named if location_of(path, file) is not None]
    if any(f'"{OURS}"'.encode() in (text_of(path) or b"") for path in own):
        return False
    if own and all(text_of(path) is None for path in named):
        return False
    return not _lists_modes(document, file, text_of)


def _lists_modes(document: dict[str, Any], file: str, text_of: Callable[[str], bytes | None]) -> bool:
    """Return whether each set and each context consists of the files of one mode, in the folder of its name."""
    sets, modifiers = document.get("sets", {}), document.get("modifiers", {})
    if not isinstance(sets, dict) or not isinstance(modifiers, dict) or "$defs" in document:
        return False
    references = [each["$ref"] if isinstance(each, dict) and each.keys() == {"$ref"} else "" for each in
                  document["resolutionOrder"]]  # fmt: skip
    order = [reference if isinstance(reference, str) else "" for reference in references]
    expected = [f"#/sets/{name}" for name in sets] + [f"#/modifiers/{name}" for name in modifiers]
    if sorted(map(unquote, order)) != sorted(expected):
        return False
    lists: list[tuple[str, str | None, Any]] = []
    for name, each in sets.items():
        lists.append((name, None, each.get("sources") if isinstance(each, dict) else None))
    for name, each in modifiers.items():
        contexts = each.get("contexts") if isinstance(each, dict) else None
        if not isinstance(contexts, dict) or len(contexts) < 2:
            return False
        lists += ((name, context, sources) for context, sources in contexts.items())
    return all(_is_mode(name, context, sources, file, text_of) for name, context, sources in lists)


def _is_mode(name: str, context: str | None, sources: Any, file: str, text_of: Callable[[str], bytes | None]) -> bool:
    """Return whether sources are the files of one mode of the collection ``name``, with its group only."""
    slugs: set[str] = set()
    for source in sources if isinstance(sources, list) else ({},):
        if not isinstance(source, dict) or source.keys() != {"$ref"} or not isinstance(source["$ref"], str):
            return False
        path = path_of_reference(source["$ref"]) or ""
        location = location_of(path, file)
        if location is None or location.handle != name or context not in (None, location.slug):
            return False
        slugs.add(location.slug)
        text = text_of(path)
        tree = None if text is None else parsed(text)[0]
        if isinstance(tree, dict) and any(each != name and each[:1] != "$" for each in tree):
            return False
    return len(slugs) == 1  # a context without files has no file that says so


def _steps_of(reference: str) -> tuple[str, ...]:
    """Return the steps of the JSON pointer in a reference to a document or a part of one."""
    fragment = reference.partition("#")[2]
    # The specification also writes "example.json#sets/MySet", without the slash (Resolver 2025.10, Reference Objects).
    return path_of_pointer(f"#/{fragment.removeprefix('/')}" if fragment else "#") or ()


class _Invalid(Exception):
    """A part of the document that cannot be read; it has been reported."""


class _Place(NamedTuple):
    path: str
    pointer: Pointer

    def member(self, *steps: str | int) -> _Place:
        return _Place(self.path, (*self.pointer, *steps))


class ResolverReader:
    """Reads the resolver document of a design file. ``files`` maps the paths of all of its files to contents."""

    def __init__(self, document: dict[str, Any], file: str, files: Mapping[str, bytes], collector: ProblemCollector):
        self.path = file + RESOLVER_SUFFIX
        self.files = files
        self.collector = collector
        self.trees: dict[str, Any] = {self.path: document}
        self.document = document
        self.count = 0

    def layers(self) -> list[Layer]:
        """Return the layers in resolution order; those that are invalid are reported and omitted."""
        root = _Place(self.path, ())
        self._refuse_unknown(self.document, _ROOT_MEMBERS, root)
        for name in ("sets", "modifiers"):
            if not isinstance(self.document.get(name, {}), dict):
                self._report(root.member(name), f'"{name}" must be an object', "write an object, or remove it")
        layers: list[Layer] = []
        used: set[tuple[bool, str]] = set()
        for index, item in enumerate(self.document["resolutionOrder"]):
            place = root.member("resolutionOrder", index)
            try:
                layer = self._item(item, place, {layer.name for layer in layers})
            except _Invalid:
                reference = item.get("$ref") if isinstance(item, dict) else None
                if isinstance(reference, str) and (steps := _steps_of(reference)):
                    used.add((steps[0] == "modifiers", steps[-1]))
                continue
            used.add((layer.is_modifier, layer.name))
            earlier = next((each for each in layers if layer.is_modifier and each[:2] == layer[:2]), None)
            if earlier is not None and earlier != layer:
                what = f"the modifier {layer.name[:60]!r} is in the resolution order twice, with different members"
                self._report(place, what, "remove one of the two, or the members next to $ref")
                continue
            if earlier is not None:  # all of its tokens are overridden by the same ones
                layers.remove(earlier)
            layers.append(layer)
        self._report_unused(used)
        return layers

    def _report_unused(self, used: set[tuple[bool, str]]) -> None:
        for is_modifier, name in ((False, "sets"), (True, "modifiers")):
            members = self.document.get(name)
            for member in members if isinstance(members, dict) else ():
                if (is_modifier, member) not in used and not self._is_referenced((name, member)):
                    what = f"the resolution order does not contain the {name[:-1]} {member[:60]!r}"
                    to_do = f'add {{"$ref": "#/{name}/{member[:60]}"}} to resolutionOrder, or remove the {name[:-1]}'
                    self.collector.add(self.path, (name, member), "resolver-unused", what, to_do)

    def _is_referenced(self, steps: tuple[str, str]) -> bool:
        pending: list[Any] = [self.document]
        while pending:
            node = pending.pop()
            if isinstance(node, dict):
                reference = node.get("$ref")
                if isinstance(reference, str) and reference[:1] == "#" and _steps_of(reference)[:2] == steps:
                    return True
            pending += node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        return False

    def _item(self, item: Any, place: _Place, names: set[str]) -> Layer:
        """Return the layer of an item of the resolution order. Raises _Invalid."""
        if not isinstance(item, dict):
            raise self._invalid(
                place, "this is neither a reference nor a set or modifier", 'write {"$ref": "#/sets/x"}'
            )
        node, at = self._followed(item, place, in_order=True)
        if not isinstance(node, dict):
            raise self._invalid(place, "this is neither a set nor a modifier", "refer to a set or a modifier")
        if "$ref" in item:
            steps = _steps_of(item["$ref"])
            if len(steps) != 2 or steps[0] not in ("sets", "modifiers"):
                what = f"{item['$ref'][:120]!r} is neither a set nor a modifier"
                raise self._invalid(place.member("$ref"), what, "refer to #/sets/... or #/modifiers/...")
            return self._layer(steps[0] == "modifiers", steps[1], node, at)
        kind, name = node.get("type"), node.get("name")
        if kind not in ("set", "modifier"):
            likely = "modifier" if "contexts" in node else "set"
            raise self._invalid(place, '"type" must be "set" or "modifier"', f'write "type": "{likely}"')
        if not isinstance(name, str) or not name:
            raise self._invalid(place, f'an inline {kind} must have a "name"', "give it a name of its own")
        if name in names:
            what = f"the name {name[:60]!r} is repeated in resolutionOrder"
            raise self._invalid(place.member("name"), what, "give it a name of its own")
        return self._layer(kind == "modifier", name, node, at)

    def _layer(self, is_modifier: bool, name: str, node: dict[str, Any], place: _Place) -> Layer:
        return self._modifier(name, node, place) if is_modifier else self._set(name, node, place)

    def _set(self, name: str, node: dict[str, Any], place: _Place) -> Layer:
        self._refuse_unknown(node, _SET_MEMBERS, place)
        if "sources" not in node:
            raise self._invalid(place, f'the set {name[:60]!r} has no "sources"', "list its token files in sources")
        return Layer(name, is_modifier=False, contexts={"": self._sources(node["sources"], place.member("sources"))})

    def _modifier(self, name: str, node: dict[str, Any], place: _Place) -> Layer:
        self._refuse_unknown(node, _MODIFIER_MEMBERS, place)
        contexts, at = self._followed(node.get("contexts"), place.member("contexts"))
        if not isinstance(contexts, dict) or not contexts:
            what = f'the modifier {name[:60]!r} has no "contexts"'
            raise self._invalid(place, what, "list the sources of each context in contexts")
        default = node.get("default", next(iter(contexts)) if len(contexts) == 1 else None)
        if default is None:
            default = next(iter(contexts))
            what = f'the modifier {name[:60]!r} has no "default"; outputs use its first context, {default[:60]!r}'
            to_do = f'add "default": "{default[:60]}", or choose another context'
            self.collector.add(place.path, place.pointer, "resolver-default-absent", what, to_do)
        elif not isinstance(default, str) or default not in contexts:
            what = f"the default {quoted(default, 60)} is not a context of the modifier {name[:60]!r}"
            to_do = suggestion(default if isinstance(default, str) else "", list(contexts), quoted=True)
            raise self._invalid(place.member("default"), what, to_do)
        sources = {context: self._sources(each, at.member(context)) for context, each in contexts.items()}
        return Layer(name, is_modifier=True, contexts=sources, default=default)

    def _sources(self, node: Any, place: _Place, ancestors: tuple[_Place, ...] = ()) -> tuple[Source, ...]:
        """Return the sources of a set or context, those of referenced sets included. Raises _Invalid."""
        sources, at = self._followed(node, place)
        if not isinstance(sources, list):
            is_one_file = isinstance(node, dict) and isinstance(node.get("$ref"), str) and node["$ref"][:1] != "#"
            to_do = f"write {shortened(inline([node]))}" if is_one_file else "write an array of token files or tokens"
            raise self._invalid(place, "the sources must be an array", to_do)
        result: list[Source] = []
        is_invalid = False
        for index, source in enumerate(sources):
            try:
                result += self._source(source, at.member(index), (*ancestors, at))
            except _Invalid:
                is_invalid = True
        if is_invalid:
            raise _Invalid
        return tuple(result)

    def _source(self, node: Any, place: _Place, ancestors: tuple[_Place, ...]) -> tuple[Source, ...]:
        if self.count == _MOST_SOURCES:
            self.count += 1
            raise self._invalid(place, "the sets and contexts have too many sources", "list each source once")
        if self.count > _MOST_SOURCES:
            raise _Invalid
        tree, at = self._followed(node, place)
        if not isinstance(tree, dict):
            to_do = "refer to a set, or to an object of tokens"
            raise self._invalid(place, "this source is not an object of tokens", to_do)
        if isinstance(node, dict) and "$ref" in node and isinstance(tree.get("sources"), list):
            inner = at.member("sources")
            if inner in ancestors or len(ancestors) > _DEEPEST:
                raise self._invalid(place, "the sets refer to each other in a cycle", "remove one of the references")
            return self._sources(tree["sources"], inner, ancestors)
        self.count += 1
        return (Source(at.path, at.pointer, tree),)

    def _followed(
        self, node: Any, place: _Place, seen: tuple[_Place, ...] = (), *, in_order: bool = False
    ) -> tuple[Any, _Place]:
        """Return the target of a reference object, merged with its other members; other nodes as they are.

        Only a reference of the resolution order (``in_order``) can lead to a modifier. Raises _Invalid.
        """
        if not isinstance(node, dict) or "$ref" not in node:
            return node, place
        at = place.member("$ref")
        target = self._target(node["$ref"], at, in_order=in_order)
        if target in seen or len(seen) > _DEEPEST:
            raise self._invalid(at, "references form a cycle", "remove one of the references")
        around = tuple(map(str, place.pointer[: len(target.pointer)]))
        if target.path == place.path and around == target.pointer:
            what = f"{node['$ref'][:120]!r} contains this reference"
            raise self._invalid(at, what, "refer to another part of the document")
        found = self._tree(target.path, at)
        for index, step in enumerate(target.pointer):
            if isinstance(found, dict) and step in found:
                found = found[step]
            elif isinstance(found, list) and str(step).isdecimal() and int(step) < len(found):
                found = found[int(step)]
            else:
                what = f"{node['$ref'][:120]!r} does not exist"
                known = [each for each in found if each[:1] != "$"] if isinstance(found, dict) else []
                before = "/".join(map(str, target.pointer[:index]))
                fitting = [f"#/{before}/{each}" if before else f"#/{each}" for each in known]
                raise self._invalid(at, what, suggestion(node["$ref"], fitting, quoted=True))
        found, end = self._followed(found, target, (*seen, target), in_order=in_order)
        own = {name: each for name, each in node.items() if name != "$ref"}
        if not own:
            return found, end
        if not isinstance(found, dict):
            raise self._invalid(place, "only an object can be extended", "remove the other members, or the $ref")
        return {**found, **own}, end

    def _target(self, reference: Any, at: _Place, *, in_order: bool) -> _Place:
        if not isinstance(reference, str):
            raise self._invalid(at, "$ref must be a string", 'write a file or a JSON pointer, such as "#/sets/x"')
        url, steps = reference.partition("#")[0], _steps_of(reference)
        path = self._path(url, at) if url else at.path
        if path == self.path and steps[:1] == ("resolutionOrder",):
            raise self._invalid(at, "a reference cannot point into resolutionOrder", "refer to a set")
        if path == self.path and steps[:1] == ("modifiers",) and not in_order:
            what = "only resolutionOrder can refer to a modifier"
            raise self._invalid(at, what, "refer to a set that holds the sources that both need")
        if path == self.path and not steps:
            raise self._invalid(at, f"{reference[:120]!r} contains this reference", "refer to a part of the document")
        return _Place(path, steps)

    def _path(self, url: str, at: _Place) -> str:
        if at.path != self.path:
            what = f"a file that {self.path} names refers to another file, {url[:120]!r}"
            raise self._invalid(at, what, f"name {url[:120]} in {self.path}")
        path = path_of_reference(url)
        if path is None:
            what = f"the source {url[:120]!r} is not a file in the tokens folder"
            raise self._invalid(at, what, "copy it into the folder of this document, and name the copy")
        return path

    def _tree(self, path: str, at: _Place) -> Any:
        """Return the JSON of a file. Raises _Invalid."""
        if path not in self.trees:
            text = self.files.get(path)
            if text is None:
                what = f"the source {path[:120]} does not exist"
                similar = [file for file in self.files if file != self.path]
                to_do = suggestion(path, similar) if similar else "restore it, or remove the source"
                self.collector.add(at.path, at.pointer, "resolver-source-absent", what, to_do)
                raise _Invalid
            tree, problems = parsed(text)
            self.collector.add_text_problems(path, problems)
            self.trees[path] = tree
            if not isinstance(tree, dict) and not problems:
                what = "a token file must be a JSON object"
                self.collector.add(path, (), "tokens-structure", what, "put the groups and tokens in an object")
        if not isinstance(self.trees[path], dict):
            raise _Invalid
        return self.trees[path]

    def _refuse_unknown(self, node: dict[str, Any], known: tuple[str, ...], place: _Place) -> None:
        for name in node:
            if name not in known:
                what = f"DTCG does not define the member {name[:60]!r} here"
                self._report(place.member(name), what, f"{suggestion(name, known)}, or remove it")

    def _report(self, place: _Place, what: str, what_to_do: str) -> None:
        self.collector.add(place.path, place.pointer, "resolver-structure", what, what_to_do)

    def _invalid(self, place: _Place, what: str, what_to_do: str) -> _Invalid:
        """Report a problem, and return the exception to raise."""
        self._report(place, what, what_to_do)
        return _Invalid()


_MOST_INHERITED = 100_000
"""The number of tokens that groups can inherit, and of values of tokens before those of a modifier.

A small document cannot have an enormous result.
"""
_EARLIER = "$earlier"
"""Starts the addresses, which no token can have, of the values of tokens before those of a modifier."""


class Occurrence(NamedTuple):
    """A token of a source. ``axis`` is the index of its layer if that is a modifier, else None."""

    layer: int
    axis: int | None
    context: str
    source: Source
    path: str
    node: Node
    inherited: str | None
    deprecated: bool | str
    is_root: bool

    @property
    def pointer(self) -> Pointer:
        """Return the JSON pointer in the file of the source."""
        steps = (*self.source.pointer, *self.path.split("."))
        return (*steps, ROOT) if self.is_root else steps

    @property
    def type(self) -> str | None:
        """Return the token's own type, or that of its groups."""
        own = self.node.get("$type", self.inherited)
        return own if isinstance(own, str) else None


class _Extension(NamedTuple):
    """A group that extends another: the path of the other, the axis and context, and the location of the reference."""

    layer: int
    target: tuple[str, ...] | None
    axis: int | None
    context: str
    file: str
    pointer: Pointer


class _Extended(NamedTuple):
    """A group that another one extends: always, or in some contexts of the modifier ``axis``."""

    path: str
    axis: int | None
    contexts: list[str]

    def of(self, occurrences: Sequence[Occurrence]) -> list[Occurrence]:
        """Return the occurrences of a token of the group that apply where it is extended."""
        if self.axis is None:
            return [*occurrences]
        found: list[Occurrence] = []
        for occurrence in occurrences:
            if occurrence.axis is None:
                found += (occurrence._replace(axis=self.axis, context=context) for context in self.contexts)
            elif occurrence.context in self.contexts:
                found.append(occurrence)
        return found


class Flattened(NamedTuple):
    """The collection families of a resolver document.

    ``omitted`` holds the addresses of tokens without a valid value, and ``addresses`` those of tokens whose address is
    not their path.
    """

    families: list[FamilyOfFiles]
    documents: list[Document]
    omitted: set[str]
    addresses: dict[TokenKey, str]


class _Row(NamedTuple):
    path: str
    nodes: tuple[Node | None, ...]
    occurrences: tuple[Occurrence | None, ...]
    origin: Origin


class _TooManyCombinations(Exception):
    """The tokens need more rows than a document may have; it has been reported."""


class Flattening:
    """Flattens the layers of a design file's resolver document."""

    def __init__(self, layers: Sequence[Layer], file: str, collector: ProblemCollector) -> None:
        self.layers = layers
        self.file = file
        self.collector = collector
        self.tokens: dict[str, list[Occurrence]] = {}
        self.groups: dict[str, Node] = {}
        self.extensions: dict[str, list[_Extension]] = {}
        self.pending: list[tuple[Occurrence, Node]] = []
        used: set[str] = set()
        self.handles = [unique(slug(layer.name, "set"), used) for layer in layers]
        self.rows: list[list[_Row]] = [[] for _ in layers]
        self.axes: dict[str, frozenset[int]] = {}
        self.inherited = 0
        self.omitted: set[str] = set()
        self.addresses: dict[TokenKey, str] = {}
        self.trees: dict[tuple[int, str], Node] = {}

    def families(self) -> Flattened:
        """Return the collection families. Problems are reported; invalid tokens are omitted."""
        for index, layer in enumerate(self.layers):
            for context, sources in layer.contexts.items():
                for source in sources:
                    self._walk(index, context, source)
        self._classify_references()
        self._extend()
        self._report_conflicts()
        with suppress(_TooManyCombinations):
            for path, occurrences in self.tokens.items():
                self._place(path, occurrences)
        documents: list[Document] = []
        families = [
            self._family(index, documents)
            for index, layer in enumerate(self.layers)
            if layer.is_modifier or self.rows[index]
        ]
        return Flattened(families, documents, self.omitted, self.addresses)

    # sources to occurrences

    def _walk(self, index: int, context: str, source: Source) -> None:
        axis = index if self.layers[index].is_modifier else None
        open_groups: list[tuple[str, str | None, bool | str, Iterator[tuple[str, Any]]]] = []

        def report(pointer: Pointer, code: str, what: str, what_to_do: str) -> None:
            self.collector.add(source.path, (*source.pointer, *pointer), code, what, what_to_do)

        def enter(path: str, group: Node, inherited: str | None, deprecated: bool | str) -> None:
            steps = tuple(path.split(".")) if path else ()
            for name in group:
                if (problem := group_problem(name, group)) is not None:
                    report((*steps, name), *problem)
            known = self.groups.setdefault(path, {})
            known |= {name: group[name] for name in ("$type", "$deprecated") if name in group}
            if "$extends" in group:
                target = steps_of(group["$extends"])
                where = (*source.pointer, *steps, "$extends")
                self.extensions.setdefault(path, []).append(
                    _Extension(index, target, axis, context, source.path, where)
                )
            own = group.get("$type", inherited), group.get("$deprecated", deprecated)
            open_groups.append((path, *own, iter(group.items())))

        enter("", source.tree, None, False)
        while open_groups:
            path, inherited, deprecated, members = open_groups[-1]
            for name, node in members:
                is_root = name == ROOT
                if name[:1] == "$" and not is_root:
                    continue
                if (problem := member_problem(path, name, node)) is not None:
                    report((*(path.split(".") if path else ()), name), *problem)
                    continue
                inner = path if is_root else f"{path}.{name}" if path else name
                occurrence = Occurrence(index, axis, context, source, inner, node, inherited, deprecated, is_root)
                if "$value" in node:
                    self._add(occurrence, report)
                elif "$ref" in node:
                    self.pending.append((occurrence, node))
                else:
                    enter(inner, node, inherited, deprecated)
                    break
            else:
                open_groups.pop()

    def _add(self, occurrence: Occurrence, report: Any) -> None:
        """Add a token; other members than those of tokens are reported and ignored."""
        node = occurrence.node
        steps = occurrence.pointer[len(occurrence.source.pointer) :]
        extra = [name for name in node if name[:1] != "$" or name == ROOT]
        for name in extra:
            if isinstance(node[name], dict):
                what = f"a token has the member {name[:60]!r}, which only groups can have"
                report((*steps, name), "tokens-structure", what, f'make it a group, with the token as "{ROOT}"')
            else:
                what = f"a token has the member {name[:60]!r}, which DTCG does not define"
                report((*steps, name), "tokens-member-unknown", what, "remove it, or move it into $extensions")
        if extra:
            node = {name: value for name, value in node.items() if name not in extra}
        self.tokens.setdefault(_address(occurrence), []).append(occurrence._replace(node=node))

    def _classify_references(self) -> None:
        """Add each node with a ``$ref``: a token if it refers to a token, else a group that extends a group."""
        groups = {*self.groups}
        for path in self.tokens:
            groups.update(groups_around(path))
        targets = {
            each.path: ".".join(path_of_pointer(node["$ref"]) or ()) if isinstance(node["$ref"], str) else ""
            for each, node in self.pending
        }
        for occurrence, node in self.pending:  # grows during the loop
            steps = path_of_pointer(node["$ref"]) if isinstance(node["$ref"], str) else None
            end, chain = ".".join(steps or ()), {occurrence.path}
            while end in targets and end not in chain and end not in self.tokens:
                chain.add(end)
                end = targets[end]
            is_group = end in groups and end not in self.tokens
            source = occurrence.source

            def report(pointer: Pointer, code: str, what: str, what_to_do: str, source: Source = source) -> None:
                self.collector.add(source.path, (*source.pointer, *pointer), code, what, what_to_do)

            if not is_group or occurrence.is_root:
                self._add(occurrence, report)
                continue
            where = (*occurrence.pointer, "$ref")
            extension = _Extension(occurrence.layer, steps, occurrence.axis, occurrence.context, source.path, where)
            self.extensions.setdefault(occurrence.path, []).append(extension)
            tree: Node = {name: each for name, each in node.items() if name != "$ref"}
            if occurrence.inherited is not None:
                tree.setdefault("$type", occurrence.inherited)
            if occurrence.deprecated is not False:
                tree.setdefault("$deprecated", occurrence.deprecated)
            for step in reversed(occurrence.path.split(".")):
                tree = {step: tree}
            self._walk(occurrence.layer, occurrence.context, source._replace(tree=tree))

    # groups that extend groups

    def _extend(self) -> None:
        done: set[str] = set()
        for path in self.extensions:
            self._extend_group(path, (), done)

    def _extend_group(self, path: str, ancestors: tuple[str, ...], done: set[str]) -> None:
        """Put the tokens of extended groups before those of the group, after extending what they come from."""
        if path in done:
            return
        extended = self._extended(path, ancestors)
        if not extended:
            done.add(path)
            return
        for prefix in (f"{each.path}." for each in extended):
            for extension in [*self.extensions]:
                if extension != path and (f"{extension}.".startswith(prefix) or prefix.startswith(f"{extension}.")):
                    self._extend_group(extension, (*ancestors, path), done)
        if path in done:  # a cycle, which was reported
            return
        done.add(path)
        own = {address: each for address, each in self.tokens.items() if address.startswith(f"{path}.")}
        for one in extended:
            self._inherit(path, one, own, done)

    def _inherit(self, path: str, extended: _Extended, own: dict[str, list[Occurrence]], done: set[str]) -> None:
        """Put the tokens of an extended group before those of the group, of which ``own`` are its own."""
        target, prefix = extended.path, f"{extended.path}."
        inherited = {address: each for address, each in self.tokens.items() if address.startswith(prefix)}
        if not inherited and target not in self.groups:
            self._report_extension(path, f"there is no group {target[:80]!r}", "name a group of these token files")
            return
        self.inherited += len(inherited) * max(len(extended.contexts), 1)
        if self.inherited > _MOST_INHERITED:
            self._report_extension(path, "the groups inherit too many tokens", "reduce the nesting of $extends")
            done.update(self.extensions)  # the others would need as long
            return
        others = {
            self.layers[occurrence.axis].name
            for occurrences in (inherited.values() if extended.axis is not None else ())
            for occurrence in occurrences
            if occurrence.axis not in (None, extended.axis)
        }
        if others:
            what = f"the group extends {target[:80]!r} in some contexts only, and its tokens depend on another modifier"
            self._report_extension(path, f"{what}, {min(others)[:60]!r}", "move $extends to a set")
            return
        self.groups[path] = {**self.groups.get(target, {}), **self.groups.get(path, {})}
        for address, occurrences in inherited.items():
            copy = f"{path}{address[len(target) :]}"
            before = self.tokens.get(copy, [])
            last = own.get(copy, [])
            if every := [*before[: len(before) - len(last)], *extended.of(occurrences), *last]:
                self.tokens[copy] = every

    def _extended(self, path: str, ancestors: tuple[str, ...]) -> list[_Extended]:
        """Return the groups that a group extends; none if it cannot, which is reported.

        The last $extends that applies in a context counts.
        """
        extensions = sorted(self.extensions[path], key=lambda each: each.layer)
        axes = {extension.axis for extension in extensions if extension.axis is not None}
        axis = min(axes) if len(axes) == 1 else None
        by_target: dict[tuple[str, ...] | None, list[str]] = {}
        if axis is None:
            by_target = {extension.target: [] for extension in (extensions if axes else extensions[-1:])}
            contexts = {(extension.axis, extension.context) for extension in extensions}
            is_everywhere = any(extension.axis is None for extension in extensions) or any(
                all((axis, context) in contexts for context in self.layers[axis].contexts) for axis in axes
            )
        else:
            for context in self.layers[axis].contexts:
                applying = [each.target for each in extensions if each.axis is None or each.context == context]
                if applying:
                    by_target.setdefault(applying[-1], []).append(context)
            is_everywhere = sum(map(len, by_target.values())) == len(self.layers[axis].contexts)
        extended = [_Extended(".".join(target or ()), axis, each) for target, each in by_target.items()]
        if len(extended) == 1 and is_everywhere:
            extended = [_Extended(extended[0].path, None, [])]
        elif len(axes) > 1:
            what = "the group extends others in some contexts of several modifiers"
            self._report_extension(path, what, "move $extends to a set, which applies to all contexts")
            return []
        for each in extended:
            error = self._error_of(path, each.path, ancestors)
            if error is not None:
                self._report_extension(path, *error)
                return []
        return extended

    def _error_of(self, path: str, target: str, ancestors: tuple[str, ...]) -> tuple[str, str] | None:
        """Return why a group cannot extend another, and the remedy; None if it can."""
        if not target:
            return "$extends is not a reference to a group", 'write "{group}" or "#/group"'
        if target in self.tokens:
            return "$extends refers to a token", "name a group; refer to a token in $value"
        if path in ancestors or f"{path}.".startswith(f"{target}."):
            cycle = ", ".join((*ancestors, path))
            return f"groups extend each other in a cycle: {cycle[:200]}", "remove one $extends of the cycle"
        return None

    def _report_extension(self, path: str, what: str, what_to_do: str) -> None:
        last = self.extensions[path][-1]
        self.collector.add(last.file, last.pointer, "group-extends", what, what_to_do)

    def _report_conflicts(self) -> None:
        """Report tokens that are groups in another source."""
        groups = {group for address in self.tokens for group in groups_around(address)}
        for address, occurrences in [*self.tokens.items()]:
            if address in groups:
                last = occurrences[-1]
                what = f"{address[:80]!r} is a token here, and a group in another source"
                to_do = f'rename one of the two, or write the token as "{ROOT}" of the group'
                self.collector.add(last.source.path, last.pointer, "tokens-structure", what, to_do)
                del self.tokens[address]

    # occurrences to rows

    def _place(self, address: str, occurrences: list[Occurrence]) -> None:
        """Add the row of a token to the last set or modifier that defines it."""
        visible = self._visible([_with_type(each, occurrences[:at]) for at, each in enumerate(occurrences)])
        axes = {occurrence.axis for occurrence in visible if occurrence.axis is not None}
        if (used := self._axes_of_pointers(address)) and len(axes := axes | used) > 1:
            last = visible[-1]
            names = " and ".join(self.layers[axis].name for axis in sorted(axes))
            what = f"it points into a value, and depends on the modifiers {names}"
            self.collector.add(last.source.path, last.pointer, "token-reference", what, "refer to a whole token")
            self.omitted.add(address)
            return
        self._add_row(address, visible, next(iter(axes)) if used else None, "local")

    def _add_row(self, address: str, occurrences: list[Occurrence], axis: int | None, origin: Origin) -> None:
        """Add a row, and the rows that it falls back to. ``axis`` is the modifier of its collection, if known."""
        if axis is None:
            axis = next((occurrence.axis for occurrence in reversed(occurrences) if occurrence.axis is not None), None)
        index = occurrences[-1].layer if axis is None else axis
        by_context: list[Occurrence | None] = []
        nodes: list[Node | None] = []
        indirect: dict[tuple[int, ...], Node] = {}
        for context in self.layers[index].contexts:
            applying = [each for each in occurrences if each.axis != axis or axis is None or each.context == context]
            rest = self._visible([each._replace(axis=None) if each.axis == axis else each for each in applying])
            last = rest[-1] if rest else None
            by_context.append(last)
            if last is None or last.axis is None:
                nodes.append(None if last is None else self._node(last, origin))
                continue
            key = tuple(map(id, (occurrence.node for occurrence in rest)))
            if key not in indirect:
                key_of_rest = self._add_earlier(address, rest)
                node: Node = {"$value": f"{{{self.addresses[key_of_rest]}}}"}
                if last.type is not None:
                    node["$type"] = last.type
                indirect[key] = node
            nodes.append(indirect[key])
        if any(nodes):
            self.rows[index].append(_Row(address, tuple(nodes), tuple(by_context), origin))
        else:
            self.omitted.add(address)

    def _add_earlier(self, address: str, occurrences: list[Occurrence]) -> TokenKey:
        """Add a row that is not declared, for a token's values without those of a later modifier; return its key."""
        axis = next(occurrence.axis for occurrence in reversed(occurrences) if occurrence.axis is not None)
        if len(self.addresses) == _MOST_INHERITED:
            last = occurrences[-1]
            what = "the tokens depend on too many combinations of contexts"
            to_do = "define each token in the contexts of one modifier"
            self.collector.add(last.source.path, last.pointer, "resolver-structure", what, to_do)
            raise _TooManyCombinations
        path, number = address.removesuffix(f".{ROOT}"), 1
        while (key := TokenKey(self.file, self.handles[axis], path)) in self.addresses:
            number += 1
            path = f"{address}.${number}"
        self.addresses[key] = f"{_EARLIER}.{self.handles[axis]}.{path}"
        self._add_row(path, occurrences, None, "withheld")
        return key

    def _visible(self, occurrences: Sequence[Occurrence]) -> list[Occurrence]:
        """Return the occurrences that are not always overridden, in order."""
        visible: list[Occurrence] = []
        covered: dict[int, set[str]] = {}
        for occurrence in reversed(occurrences):
            if occurrence.axis is None:
                visible.append(occurrence)
                break
            contexts = covered.setdefault(occurrence.axis, set())
            if occurrence.context in contexts:
                continue
            visible.append(occurrence)
            contexts.add(occurrence.context)
            if len(contexts) == len(self.layers[occurrence.axis].contexts):
                break
        visible.reverse()
        return visible

    def _node(self, occurrence: Occurrence, origin: Origin) -> Node | None:
        """Return a token's JSON with the members that it inherits; None if it has no type, which is reported."""
        node = occurrence.node
        if "$type" not in node and not _is_alias(node):
            dtcg_type = occurrence.type or self._type_of_groups(occurrence.path)
            if dtcg_type is None:
                what, to_do = "the token has no type", missing_type_advice(node.get("$value"))
                self.collector.add(occurrence.source.path, occurrence.pointer, "token-type", what, to_do)
                return None
            node = {**node, "$type": dtcg_type}
        if occurrence.deprecated is not False and "$deprecated" not in node:
            node = {**node, "$deprecated": occurrence.deprecated}
        return node if origin == "local" else {name: each for name, each in node.items() if name != "$extensions"}

    def _type_of_groups(self, path: str) -> str | None:
        while path:
            dtcg_type = self.groups.get(path, {}).get("$type")
            if isinstance(dtcg_type, str):
                return dtcg_type
            path = path.rpartition(".")[0]
        dtcg_type = self.groups.get("", {}).get("$type")
        return dtcg_type if isinstance(dtcg_type, str) else None

    # pointers into values

    def _axes_of_pointers(self, address: str) -> frozenset[int]:
        """Return the modifiers that the targets of pointers into values, and their targets, depend on."""
        known = self.axes.get(address)
        if known is None:
            self.axes[address] = known = frozenset()  # for cycles, which are reported when the value is read
            for occurrence in self._visible(self.tokens[address]):
                value = occurrence.node.get("$value")
                if isinstance(value, dict | list) and not _is_alias(occurrence.node):
                    for target in _pointed(value, is_composite=occurrence.type in composites.TYPES):
                        if target in self.tokens:
                            own = {one.axis for one in self._visible(self.tokens[target]) if one.axis is not None}
                            known |= own | self._axes_of_pointers(target)
            self.axes[address] = known
        return known

    def _tree(self, index: int, context: str) -> Node:
        """Return the tokens in a context of a modifier as one tree; tokens that depend on others are missing."""
        known = self.trees.get((index, context))
        if known is None:
            known = self.trees[index, context] = {}
            for address, occurrences in self.tokens.items():
                applying = [occurrence for occurrence in self._visible(occurrences) if occurrence.axis in (None, index)]
                last = next((each for each in reversed(applying) if each.axis is None or each.context == context), None)
                if last is None or len(applying) < len(self._visible(occurrences)):
                    continue
                group = known
                *groups, name = address.split(".")
                for step in groups:
                    group = group.setdefault(step, {})
                group[name] = last.node
        return known

    # rows to families

    def _family(self, index: int, documents: list[Document]) -> FamilyOfFiles:
        layer, handle = self.layers[index], self.handles[index]
        used: set[str] = set()
        modes = [
            Mode(name=context or layer.name, collection=handle, slug=each, context=each)
            for context in layer.contexts
            for each in [unique(slug(context or "value", "context"), used)]
        ]
        home = [*layer.contexts].index(layer.default) if layer.is_modifier else 0
        collection = Collection(file=self.file, handle=handle, name=layer.name, modes=tuple(modes), default_mode=home)
        by_source: dict[tuple[str, Pointer, str, Origin], Document] = {}
        rows = []
        for row in self.rows[index]:
            path = row.path.removesuffix(f".{ROOT}")
            sources: list[Document | None] = []
            for mode, context, node, occurrence in zip(modes, layer.contexts, row.nodes, row.occurrences, strict=True):
                if node is None or occurrence is None:
                    sources.append(None)
                    continue
                source = occurrence.source
                key = (source.path, source.pointer, mode.slug, row.origin)
                each = by_source.get(key)
                if each is None:
                    location = Location(source.path, row.origin, handle, mode.slug)
                    tree = self._tree(index, context) if self._has_pointers else {}
                    each = Document(location, tree, None, [], [], {}, source.pointer, is_merged=True)
                    by_source[key] = each
                    documents.append(each)
                if row.path != path:
                    each.contexts[path] = Context(is_root=True)
                sources.append(each)
            rows.append((path, row.nodes, tuple(sources)))
        return FamilyOfFiles(collection, (), home, tuple(rows))

    @cached_property
    def _has_pointers(self) -> bool:
        values = (occurrence.node.get("$value") for occurrences in self.tokens.values() for occurrence in occurrences)
        return any(any(_pointed(value)) for value in values if isinstance(value, dict | list))


def _address(occurrence: Occurrence) -> str:
    return f"{occurrence.path}.{ROOT}" if occurrence.is_root else occurrence.path


def _with_type(occurrence: Occurrence, earlier: Sequence[Occurrence]) -> Occurrence:
    """Return the occurrence with the type of the token that it overrides, if it has none and is no alias."""
    if occurrence.type is not None or _is_alias(occurrence.node):
        return occurrence
    applying = (each for each in reversed(earlier) if each.axis is None or each[1:3] == occurrence[1:3])
    return occurrence._replace(inherited=next((each.type for each in applying if each.type is not None), None))


def _is_alias(node: Node) -> bool:
    value = node.get("$value")
    return "$ref" in node or is_reference(value) or (isinstance(value, dict) and value.keys() == {"$ref"})


def _pointed(value: Any, *, is_composite: bool = False) -> Iterator[str]:
    """Yield the addresses of the tokens that the pointers in a value point into.

    In a composite, a pointer to a whole token stays a reference.
    """
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            steps = path_of_pointer(node["$ref"]) if isinstance(node.get("$ref"), str) else None
            if steps and "$value" in steps:
                at = steps.index("$value")
                if not (is_composite and at == len(steps) - 1):
                    yield ".".join(steps[:at])
        pending += node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
