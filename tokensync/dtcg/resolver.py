"""Resolver documents of other tools (DTCG 2025.10 Resolver): their sets and modifiers as layers, in resolution order.

The resolver documents that tokensync writes name one file for each mode; ``families`` reads them. All others are read
as the specification says: reference objects are followed, members next to ``$ref`` override its target, and a
reference to a set stands for the sources of the set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from tokensync.dtcg.document import location_of
from tokensync.dtcg.layout import inline
from tokensync.dtcg.parse import parsed
from tokensync.dtcg.spelling import OURS, RESOLVER_SUFFIX, VERSION, path_of_pointer
from tokensync.system.token_files import named_files, path_of_reference
from tokensync.system.wording import quoted, shortened, suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.dtcg.parse import ProblemCollector
    from tokensync.system.positions import Pointer


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
