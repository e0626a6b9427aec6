"""Flattening: the layers of a resolver document to collections (DTCG 2025.10 Resolver, Resolution logic).

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

from tokensync.dtcg.document import Context, Document, Location, group_problem, member_problem
from tokensync.dtcg.families import FamilyOfFiles
from tokensync.dtcg.groups import steps_of
from tokensync.dtcg.literals import missing_type_advice
from tokensync.dtcg.spelling import ROOT, is_reference, path_of_pointer
from tokensync.normalize.mapping import slug, unique
from tokensync.tokens import Collection, Mode, TokenKey, composites
from tokensync.tokens.paths import groups_around

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.dtcg.parse import ProblemCollector
    from tokensync.dtcg.resolver import Layer, Source
    from tokensync.system.positions import Pointer
    from tokensync.tokens import Origin

    Node = dict[str, Any]

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
