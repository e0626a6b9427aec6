"""Variants of tokens: modes as files, as folders or as members of single tokens, to the themes of a source.

A dimension (light and dark, compact and comfortable) is a group of themes, one for each mode. Dimensions are never
multiplied: a theme has the sets of its own mode, all sets without modes, and the default modes of other dimensions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple, TypeVar

from tokensync.migrate.source import SetRole, Source, SourceTheme, SourceToken, TokenSet, Unread

_WORDS_OF = {
    "theme": "light dark dim dimmed night day highcontrast hc lowcontrast",
    "density": "compact comfortable cozy spacious condensed dense",
    "device": "mobile tablet desktop phone watch tv",
    "pointer": "coarse fine touch",
}
_DIMENSION_OF = {word: name for name, words in _WORDS_OF.items() for word in words.split()}
_LATER_WORDS = {*_DIMENSION_OF, "contrast", "high", "low", "tritanopia", "protanopia", "deuteranopia", "colorblind"}
"""Words that belong to the name of a mode if they follow one of its words: ``dark-colorblind``."""
_NEUTRAL = ("default", "base", "common", "global", "shared")
_SHARE_OF_SMALLER, _SHARE_OF_LARGER = 0.8, 0.5
"""The shares of names that siblings without a known word have in common if they are modes."""
_MOST_SIBLINGS = 300
_TOGETHER = re.compile(r"(high|low)[-_. ]contrast")
_SEPARATORS = re.compile(r"[-_. @+]+")
_LIGHT, DEFAULT = "light", "default"
_Name = TypeVar("_Name")


def mode_of(text: str) -> tuple[str, str]:
    """Return the dimension and the label of the mode that a text names; ``("", "")`` if it names none."""
    words = [each for each in _SEPARATORS.split(_TOGETHER.sub(r"\1contrast", text.casefold())) if each]
    start = next((at for at, word in enumerate(words) if word in _DIMENSION_OF), None)
    if start is None:
        return "", ""
    end = start + 1
    while end < len(words) and words[end] in _LATER_WORDS:
        end += 1
    return _DIMENSION_OF[words[start]], "-".join(words[start:end]).replace("contrast", "-contrast").replace("--", "-")


def are_modes(names: Iterable[str]) -> bool:
    """Return whether names, all of them and at least two, name modes of one dimension; one of them may be neutral."""
    listed = [name.casefold() for name in names]
    dimensions = {mode_of(each)[0] for each in listed if each not in _NEUTRAL}
    is_whole = all(each in _NEUTRAL or is_mode(each) for each in listed)
    return len(listed) > 1 and len(dimensions) == 1 and "" not in dimensions and is_whole


def is_mode(text: str) -> bool:
    """Return whether a name has no other words than those of a mode."""
    words = [each for each in _SEPARATORS.split(_TOGETHER.sub(r"\1contrast", text.casefold())) if each]
    return bool(words) and words[0] in _DIMENSION_OF and all(word in _LATER_WORDS for word in words)


class TokenInModes(NamedTuple):
    """A token, and its values in modes by their names; ``token`` is None if it has a value only in modes."""

    token: SourceToken | None
    modes: Mapping[str, SourceToken]


class _Placed(NamedTuple):
    """A set of a mode. Those of a later block replace earlier ones; labels inherit from their beginnings and ends."""

    block: int
    depth: int
    number: int
    set: TokenSet
    inherits: bool


class _Dimension:
    """A dimension: the sets of each mode by its folded label, and the labels as first written."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_named = False
        self.labels: dict[str, str] = {}
        self.sets: dict[str, list[_Placed]] = {}
        self.default = ""
        self.paths: set[str] = set()
        self.guess = ""

    def merge(self, other: _Dimension) -> None:
        """Add the modes of another dimension that turned out to be the same."""
        if other.is_named and not self.is_named:
            self.name, self.is_named = other.name, True
        self.default = self.default or other.default
        self.paths |= other.paths
        self.guess = self.guess or other.guess
        for label, shown in other.labels.items():
            self.labels.setdefault(label, shown)
            self.sets.setdefault(label, []).extend(other.sets[label])


class Variants:
    """Collects sets with and without modes, and makes the themes of a source from them."""

    def __init__(self) -> None:
        self._base: list[_Placed] = []
        self._dimensions: list[_Dimension] = []
        self._sets: dict[str, TokenSet] = {}
        self._count = 0
        self.block = 0
        """The place in the order of replacement for the sets that are added next."""

    def add(self, token_set: TokenSet) -> None:
        """Add a set that all modes have."""
        self._base.append(self._placed(token_set, -1, inherits=True))

    def add_modes(
        self,
        modes: Mapping[str, Sequence[TokenSet]],
        *,
        name: str = "",
        default: str = "",
        inherits: bool = True,
        guess: str = "",
    ) -> None:
        """Add the sets of modes that belong together. A mode inherits from those whose labels begin or end its own.

        ``name`` is the name of the dimension, if the source has one. A dimension that has one of the modes, or whose
        modes have words of the same meaning, is the same one. ``guess`` is the reason to take the sets for modes,
        ``""`` if the source says so.
        """
        known = next((dimension for label in modes if (dimension := mode_of(label)[0])), "")
        added = _Dimension(name or known or "mode")
        added.is_named = bool(name)
        added.guess = guess
        for label, sets in modes.items():
            key = _folded(label)
            added.labels.setdefault(key, label)
            placed = added.sets.setdefault(key, [])
            depth = key.count("-")
            placed += (self._placed(set_, depth, inherits=inherits) for set_ in sets)
            added.paths.update(token.path for set_ in sets for token in set_.tokens)
        added.default = _folded(default) if default else ""
        for other in [*self._dimensions]:
            if (
                other.labels.keys() & added.labels.keys()
                or (known and known == other.name)
                or (name and name == other.name)
            ):
                other.merge(added)
                return
        self._dimensions.append(added)

    def source(self, format_name: str, unread: Iterable[Unread], name: str) -> Source:
        """Return the source. ``name`` is that of its theme if there are no modes."""
        sets = tuple(self._sets.values())
        if not self._dimensions:
            roles: dict[str, SetRole] = {placed.set.name: "enabled" for placed in self._in_order(self._base)}
            themes: tuple[SourceTheme, ...] = (SourceTheme(name, roles, is_default=True),) if sets else ()
            return Source(format_name, sets, themes, tuple(unread))
        in_base = {token.path: token.value for placed in self._in_order(self._base) for token in placed.set.tokens}
        for dimension in self._dimensions:
            self._complete(dimension, in_base)
        return Source(format_name, sets, tuple(self._themes()), tuple(unread))

    def _complete(self, dimension: _Dimension, in_base: Mapping[str, Any]) -> None:
        """Set the default mode: the one whose tokens have the values that they have outside of all modes.

        If there is none, it is light, one with a neutral name, or a mode that has no sets yet.
        """
        if dimension.default in dimension.labels:
            return
        shared = dimension.paths & in_base.keys()
        same: list[str] = []
        for label, sets in dimension.sets.items():
            values = {token.path: token.value for set_ in sets for token in set_.set.tokens if token.path in shared}
            if all(path in values and values[path] == in_base[path] for path in shared):
                same.append(label)
        usual = next((label for label in dimension.labels if label == _LIGHT or label in _NEUTRAL), None)
        if usual is None and (not same or len(dimension.labels) == 1):
            usual = DEFAULT
            dimension.labels = {DEFAULT: DEFAULT, **dimension.labels}
            dimension.sets[DEFAULT] = []
        dimension.default = usual if usual is not None and (usual in same or usual == DEFAULT or not same) else same[0]

    def _themes(self) -> Iterator[SourceTheme]:
        for dimension in self._dimensions:
            for label, shown in dimension.labels.items():
                own = self._own(dimension, label)
                others = [
                    placed
                    for other in self._dimensions
                    if other is not dimension
                    for placed in self._own(other, other.default)
                ]
                enabled = {placed.set.name for placed in (*own, *self._base)}
                roles: dict[str, SetRole] = {}
                for placed in self._in_order([*self._base, *others, *own]):
                    roles.pop(placed.set.name, None)  # the last place counts
                    roles[placed.set.name] = "enabled" if placed.set.name in enabled else "source"
                is_default = label == dimension.default
                yield SourceTheme(shown, roles, dimension.name, is_default, guess=dimension.guess)

    def _own(self, dimension: _Dimension, label: str) -> list[_Placed]:
        own = [*dimension.sets[label]]
        for other, sets in dimension.sets.items():
            if other != label and (label.startswith(f"{other}-") or label.endswith(f"-{other}")):
                own += (set_ for set_ in sets if set_.inherits)
        return own

    def _in_order(self, placed: Iterable[_Placed]) -> list[_Placed]:
        return sorted(placed, key=lambda each: (each.block, each.depth, each.number))

    def _placed(self, token_set: TokenSet, depth: int, *, inherits: bool) -> _Placed:
        self._count += 1
        self._sets.setdefault(token_set.name, token_set)
        return _Placed(self.block, depth, self._count, token_set, inherits)


def _folded(label: str) -> str:
    return _SEPARATORS.sub("-", label.strip().casefold())


def _stem(name: str) -> str:
    return re.sub(r"(?i)(?:\.tokens)?\.\w+$", "", name)


class _File(NamedTuple):
    """The tokens of a file, and the mode that its path names.

    ``parent`` is the folder of the folder or file with the name of the mode, and ``rest`` are the other words of the
    path, which tell apart files of the same mode.
    """

    name: str
    paths: frozenset[str]
    dimension: str
    label: str
    parent: str = ""
    rest: tuple[str, ...] = ()


NAMED_AS_MODES = "files or folders have words for modes in their names"
ALIKE = "files or folders beside each other have almost the same tokens"


class FileModes(NamedTuple):
    """The files of each mode of a dimension, and the reason to take them for modes."""

    dimension: str
    files: Mapping[str, Sequence[str]]
    guess: str


def add_files(variants: Variants, sets: Sequence[TokenSet], labels: Iterable[str] = ()) -> None:
    """Add the sets of files, which are named by their paths; files and folders with the same tokens are modes.

    ``labels`` are the modes that single tokens have.
    """
    by_name = {set_.name: set_ for set_ in sets}
    paths = {name: frozenset("-".join(token.name) for token in each.tokens) for name, each in by_name.items()}
    done: set[str] = set()
    variants.block = 1
    for mode in file_modes(paths, labels):
        if mode.guess == ALIKE and _are_repeated([by_name[name] for names in mode.files.values() for name in names]):
            continue
        done.update(name for names in mode.files.values() for name in names)
        modes = {label: [by_name[name] for name in names] for label, names in mode.files.items()}
        variants.add_modes(modes, name=mode.dimension, guess=mode.guess)
    variants.block = 0
    for name, each in by_name.items():
        if name not in done:
            variants.add(each)


def _are_repeated(sets: Iterable[TokenSet]) -> bool:
    """Return whether no token has another value in another one of the sets."""
    values: dict[str, Any] = {}
    return all(values.setdefault(token.path, token.value) == token.value for set_ in sets for token in set_.tokens)


def file_modes(paths: Mapping[str, frozenset[str]], labels: Iterable[str] = ()) -> Iterator[FileModes]:
    """Yield the files that are modes of one another, by the paths of the tokens in each.

    They are modes if their names are words for modes, and they have names of tokens in common, or if files or folders
    side by side have almost the same tokens, or are named by ``labels``.
    """
    files = [_file(name, own) for name, own in paths.items()]
    with_modes: dict[str, list[_File]] = {}
    for file in files:
        if file.label:
            with_modes.setdefault(file.dimension, []).append(file)
    done: set[str] = set()
    for dimension, of_dimension in with_modes.items():
        if not _overlapping(of_dimension, files):
            continue
        for named in _distinct([*of_dimension, *_unnamed_modes(of_dimension, files)]):
            modes: dict[str, list[str]] = {}
            varying = frozenset[str]().union(*(file.paths for file in named if file.label != _LIGHT))
            for each in named:
                if each.label == _LIGHT and varying.isdisjoint(each.paths):
                    continue  # no other mode has these tokens, so they do not depend on the mode
                done.add(each.name)
                modes.setdefault(each.label, []).append(each.name)
            yield FileModes(dimension, modes, NAMED_AS_MODES)
    others = {name: own for name, own in paths.items() if name not in done}
    yield from _siblings(others, {_folded(label) for label in labels})


def _file(name: str, paths: frozenset[str]) -> _File:
    """Return a file with the mode that its path names."""
    *folders, own = name.split("/")
    dimension, parent = "", ""
    labels, rest = dict[str, None](), list[str]()
    for at, step in enumerate((*folders, _stem(own))):
        of_step, label = mode_of(step)
        if label:
            parent = parent if dimension else "/".join(folders[:at])
            dimension = dimension or of_step
            labels |= dict.fromkeys(label.split("-"))
        if (at < len(folders) or label) and step.casefold() not in _NEUTRAL:
            words = _SEPARATORS.split(_TOGETHER.sub(r"\1contrast", step.casefold())) if label else [step]
            rest += (word for word in words if word and word not in _LATER_WORDS)
    return _File(name, paths, dimension, "-".join(labels), parent, tuple(rest))


def _unnamed_modes(of_dimension: Sequence[_File], files: Sequence[_File]) -> Iterator[_File]:
    """Yield the files beside those of modes that have mostly the same tokens: theirs is a mode, too."""
    known: dict[str, set[str]] = {}
    usual: dict[str, set[str]] = {}
    for file in of_dimension:
        known.setdefault(file.parent, set()).update(file.paths)
        step = file.name.removeprefix(f"{file.parent}/" if file.parent else "").partition("/")[0]
        usual.setdefault(file.parent, set()).update(_SEPARATORS.split(_stem(step).casefold()))
    children: dict[str, dict[str, list[_File]]] = {}
    for each in files:
        steps = each.name.split("/")
        for at in range(len(steps) if not each.label else 0):
            if (parent := "/".join(steps[:at])) in known:
                children.setdefault(parent, {}).setdefault(_stem(steps[at]), []).append(each)
    for parent, of_parent in children.items():
        for name, of_child in of_parent.items():
            own = frozenset[str]().union(*(file.paths for file in of_child))
            if name.casefold() not in _NEUTRAL and len(own & known[parent]) > _SHARE_OF_LARGER * len(own):
                words = _SEPARATORS.split(name.casefold())
                label = "-".join(word for word in words if word not in usual[parent]) or _folded(name)
                rest = tuple(word for word in words if word in usual[parent])
                yield from (file._replace(label=label, parent=parent, rest=rest) for file in of_child)


def _distinct(of_dimension: Sequence[_File]) -> Iterator[Sequence[_File]]:
    """Yield the files that are modes of one another.

    If a mode has a token twice, files with other words in their paths are other modes, or modes of something else: of
    those that have most of their tokens in common, these words are a part of the labels.
    """
    if not _is_repeated(of_dimension):
        yield of_dimension
        return
    units: dict[tuple[tuple[str, ...], str], list[_File]] = {}
    for file in of_dimension:
        units.setdefault((file.rest, file.label), []).append(file)
    paths = {unit: frozenset[str]().union(*(file.paths for file in files)) for unit, files in units.items()}
    for cluster in connected(paths, _have_most_in_common):
        files = [file for unit in cluster for file in units[unit]]
        is_repeated = _is_repeated(files)
        common = set.intersection(*({*file.rest} for file in files))
        yield [
            file._replace(label="-".join(dict.fromkeys((*before, file.label)))) if is_repeated else file
            for file in files
            for before in [[_folded(step) for step in file.rest if step not in common]]
        ]


def _is_repeated(files: Iterable[_File]) -> bool:
    """Return whether a mode has a token twice, in files with different words in their paths."""
    owners: dict[tuple[str, str], tuple[str, ...]] = {}
    return any(owners.setdefault((file.label, path), file.rest) != file.rest for file in files for path in file.paths)


def _overlapping(of_dimension: Sequence[_File], files: Sequence[_File]) -> bool:
    """Return whether files of different modes, or of a mode and none, have names of tokens in common."""
    owners: dict[str, str] = {}
    for file in (*of_dimension, *(file for file in files if not file.label)):
        for path in file.paths:
            if owners.setdefault(path, file.label) != file.label:
                return True
    return False


def _siblings(of_files: Mapping[str, frozenset[str]], labels: set[str]) -> Iterator[FileModes]:
    """Yield the files or folders side by side that have almost the same tokens, with the name of their folder."""
    below: dict[str, dict[str, list[str]]] = {}
    for file in of_files:
        steps = file.split("/")
        for at in range(len(steps)):
            below.setdefault("/".join(steps[:at]), {}).setdefault(steps[at], []).append(file)
    taken: set[str] = set()
    for folder in sorted(below, key=lambda each: each.count("/") if each else -1):
        children = {name: files for name, files in below[folder].items() if taken.isdisjoint(files)}
        paths = {
            name: set(of_files[files[0]]).union(*(of_files[file] for file in files)) for name, files in children.items()
        }
        named = [child for child in children if _folded(_stem(child)) in labels and paths[child]]
        if len(named) > 1:
            paths = {name: own for name, own in paths.items() if name not in named}
        for cluster in (*([named] if len(named) > 1 else ()), *_clusters(paths)):
            taken.update(each for name in cluster for each in children[name])
            modes = {_stem(name): children[name] for name in cluster}
            yield FileModes(folder.rpartition("/")[2] or "theme", modes, ALIKE)


def _clusters(paths: Mapping[str, AbstractSet[str]]) -> Iterator[list[str]]:
    """Yield the names, at least two, that have almost the same paths; of very many names, exactly the same paths."""
    if len(paths) > _MOST_SIBLINGS:
        same: dict[frozenset[str], list[str]] = {}
        for name, own in paths.items():
            same.setdefault(frozenset(own), []).append(name)
        yield from (names for own, names in same.items() if own and len(names) > 1)
        return
    found = connected({name: own for name, own in paths.items() if own}, _are_alike)
    yield from (cluster for cluster in found if len(cluster) > 1)


def connected(
    paths: Mapping[_Name, AbstractSet[str]], are_related: Callable[[AbstractSet[str], AbstractSet[str]], bool]
) -> Iterator[list[_Name]]:
    """Yield the names whose paths are related, also by way of others."""
    remaining = [*paths]
    while remaining:
        cluster = [remaining[0]]
        for each in cluster:  # grows
            cluster += (other for other in remaining if other not in cluster and are_related(paths[each], paths[other]))
        cluster.sort(key=remaining.index)
        remaining = [each for each in remaining if each not in cluster]
        yield cluster


def _have_most_in_common(one: AbstractSet[str], other: AbstractSet[str]) -> bool:
    return len(one & other) > _SHARE_OF_LARGER * min(len(one), len(other))


def _are_alike(one: AbstractSet[str], other: AbstractSet[str]) -> bool:
    smaller, larger = sorted((len(one), len(other)))
    shared = len(one & other)
    return shared >= _SHARE_OF_SMALLER * smaller and shared >= _SHARE_OF_LARGER * larger


def add_tokens(
    variants: Variants, name: str, tokens: Sequence[TokenInModes], *, as_base: bool = True, guess: str = ""
) -> TokenSet:
    """Add the modes of single tokens. Return the set of their values without a mode, which is added if ``as_base``.

    ``guess`` is the reason to take them for modes, ``""`` if the source says so.
    """
    base = TokenSet(name, tuple(token.token for token in tokens if token.token is not None))
    modes: dict[str, list[SourceToken]] = {}
    for each in tokens:
        for label, token in each.modes.items():
            modes.setdefault(label, []).append(token)
    sets = {label: TokenSet(f"{name} [{label}]", tuple(of_mode)) for label, of_mode in modes.items()}
    for labels in _together(frozenset(token.modes) for token in tokens if token.modes):
        variants.add_modes({label: [each] for label, each in sets.items() if label in labels}, guess=guess)
    if as_base:
        variants.add(base)
    return base


def _together(of_tokens: Iterable[frozenset[str]]) -> list[set[str]]:
    """Return the labels of modes by dimension: those that one token has belong together."""
    groups: list[set[str]] = []
    for labels in dict.fromkeys(of_tokens):
        joined = {*labels}
        for group in [group for group in groups if group & joined]:
            joined |= group
            groups.remove(group)
        groups.append(joined)
    return groups
