"""The stylesheets of a source in the order of their imports, as one list of declarations.

A file that another one imports is read where it is imported, under the conditions of the import; ``@use`` and
``@forward`` of SCSS are read in the same way, once. Mixins without arguments are expanded where they are included.
"""

from __future__ import annotations

import re
from posixpath import basename, dirname, join, normpath, splitext
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from tokensync.migrate.readers.css.stylesheet import (
    AtRule,
    Broken,
    Declaration,
    Import,
    Variable,
    parsed,
    rendered,
    selector_nodes,
)
from tokensync.migrate.source import Location, Unread
from tokensync.system.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.migrate.readers.css.stylesheet import Entry, Rule

ENDINGS = (".css", ".pcss", ".postcss", ".scss")
_MOST_VISITS = 5_000
_DEEPEST_INCLUDE = 8
_LONGEST_CONSTANT = 200
_MIXIN = re.compile(r"@mixin\s+([\w-]+)\s*(\(\s*\))?")
_INCLUDE = re.compile(r"(?:([\w-]+)\.)?([\w-]+)\s*(?:\(\s*\))?")
_CONSTANT = re.compile(r"#\{\s*(?:[\w-]+\.)?\$([\w-]+)\s*\}")


class Identifier(NamedTuple):
    """A name that values refer to. ``file`` is that of an SCSS variable, ``""`` if its files share their names."""

    name: str
    file: str = ""
    keys: tuple[str, ...] = ()

    @property
    def is_scss(self) -> bool:
        """Return whether it is a variable of SCSS."""
        return self.name.startswith("$")


class Defined(NamedTuple):
    """A declaration in the order of all files, with what it declares."""

    identifier: Identifier
    declaration: Declaration


class Modules:
    """Which files a name of SCSS can come from."""

    def __init__(self) -> None:
        self._namespaces: dict[tuple[str, str], str] = {}
        self._open: dict[str, list[str]] = {}
        self._forwarded: dict[str, list[str]] = {}

    def add(self, path: str, entry: Import, target: str) -> None:
        """Add an import of a file. Names of ``@import``, and of ``@use`` with ``as *``, need no namespace."""
        if entry.keyword == "forward":
            self._forwarded.setdefault(path, []).append(target)
        elif entry.keyword == "import" or entry.namespace == "*":
            self._open.setdefault(path, []).append(target)
        else:
            self._namespaces[path, entry.namespace] = target

    def found(self, path: str, namespace: str, candidates: Iterable[str]) -> str | None:
        """Return which of the candidate files a name in a file comes from, None if that is not certain."""
        files = dict.fromkeys(candidates)
        pending = [path] if not namespace else [self._namespaces.get((path, namespace), "")]
        seen: set[str] = set()
        while pending:
            each = pending.pop(0)
            if each in files:
                return each
            if each not in seen:
                seen.add(each)
                pending += [*self._forwarded.get(each, ()), *(self._open.get(each, ()) if not namespace else ())]
        return next(iter(files)) if len(files) == 1 else None


class Sheets(Struct, frozen=True):
    """The declarations of all files.

    ``imported`` are the files that others import. ``properties`` has the syntax of each registered custom property,
    ``included`` the declarations of mixins that are included somewhere, and ``functions`` the names of functions that
    SCSS defines.
    """

    defined: list[Defined] = []
    unread: list[Unread] = []
    imported: set[str] = set()
    custom_media: dict[str, str] = {}
    properties: dict[str, str] = {}
    layers: list[str] = []
    declared: dict[str, list[Identifier]] = {}
    modules: Modules = field(default_factory=Modules)
    included: set[tuple[Location, str]] = set()
    constants: dict[str, str] = {}
    functions: set[str] = set()

    def constant(self, variable: str) -> str:
        """Return the text of a variable of SCSS in a name, ``""`` if it is not a plain word."""
        return self.constants.get(_variable(variable), "")

    def variable(self, file: str, variable: Variable, keys: tuple[str, ...] = ()) -> Identifier | None:
        """Return what a variable of SCSS refers to in a file; None if no file declares it."""
        name = _variable(variable.name)
        candidates = {each.file: each for each in self.declared.get(name, ()) if each.keys == keys}
        owner = "" if "" in candidates else self.modules.found(file, variable.namespace, candidates)
        return None if owner is None else candidates[owner]


def sheets(files: Mapping[str, bytes]) -> Sheets:
    """Return the declarations of all stylesheets."""
    return _Loader(files).loaded()


class _Loader:
    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.sheets = Sheets()
        self.entries: dict[str, list[Entry]] = {}
        for path, content in files.items():
            if path.lower().endswith(ENDINGS):
                self.entries[path] = self.parsed(path, content)
        imports = [entry for entries in self.entries.values() for entry in entries if isinstance(entry, Import)]
        self.has_modules = any(each.keyword != "import" for each in imports)
        self.mixins: dict[str, dict[str, list[Entry]]] = {}
        self.others: dict[str, list[tuple[Location, str]]] = {}
        self.visited: set[tuple[str, tuple[str, ...]]] = set()
        self.visited_files: set[str] = set()
        self.visits = 0
        self.selectors: dict[str, Rule] = {}

    def note(self, at: Location, reason: str, name: str = "") -> None:
        self.sheets.unread.append(Unread(at, name, reason, is_token=False))

    def parsed(self, path: str, content: bytes) -> list[Entry]:
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = content[: error.start].count(b"\n") + 1
            return [Broken(Location(path, line), "the text is not UTF-8; save the file as UTF-8")]
        if text.startswith("version https://git-lfs"):
            return [Broken(Location(path, 1), "the file is a pointer of Git LFS; run: git lfs pull")]
        return parsed(text, path, is_scss=path.lower().endswith(".scss"))

    def loaded(self) -> Sheets:
        self.find_mixins()
        for path, entries in self.entries.items():
            for entry in entries:
                for each in entry.targets if isinstance(entry, Import) else ():
                    if isinstance(entry, Import) and (target := self.resolved(path, each)) and target != path:
                        self.sheets.imported.add(target)
                        self.sheets.modules.add(path, entry, target)
        for path in [*(entry for entry in self.entries if entry not in self.sheets.imported), *self.entries]:
            if path not in self.visited_files:
                self.visit(path, (), ())
        for keyword, found in self.others.items():
            named = f" ({listed([name for _, name in found])})" if found[0][1] else ""
            at, name = found[0]
            self.note(at, f"@{keyword}, {counted(len(found), 'time')}{named}: it declares no token", name)
        for identifier in dict.fromkeys(defined.identifier for defined in self.sheets.defined):
            self.sheets.declared.setdefault(identifier.name, []).append(identifier)
        return self.sheets

    def find_mixins(self) -> None:
        """Collect what is inside of each mixin, by its name and file."""
        for path, entries in self.entries.items():
            for entry in entries:
                rules = entry.rules if isinstance(entry, Declaration | AtRule) else ()
                for i, rule in enumerate(rules):
                    found = _MIXIN.fullmatch(rule.text) if rule.kind == "local" else None
                    if found is None:
                        continue
                    inside = self.mixins.setdefault(found[1], {}).setdefault(path, [])
                    if isinstance(entry, Declaration):
                        inside.append(replace(entry, rules=rules[i + 1 :]))
                    elif isinstance(entry, AtRule):
                        inside.append(entry._replace(rules=rules[i + 1 :]))
                    break

    def resolved(self, path: str, target: str) -> str:
        """Return the file that an import names, ``""`` if it is not in the source."""
        whole = normpath(join(dirname(path), target))
        folder, name = dirname(whole), basename(whole)
        for each in (whole, *(f"{whole}{ending}" for ending in ENDINGS)):
            if each in self.entries:
                return each
        for inside in (join(folder, f"_{name}"), join(whole, "_index"), join(whole, "index")):
            for ending in ("", *ENDINGS):
                if inside + ending in self.entries:
                    return inside + ending
        return ""

    def visit(self, path: str, rules: tuple[Rule, ...], stack: tuple[str, ...]) -> None:
        """Add the entries of a file under the conditions of its import."""
        key = (path, tuple(rule.text for rule in rules))
        if path in stack or key in self.visited:
            return
        self.visits += 1
        if self.visits > _MOST_VISITS:
            if self.visits == _MOST_VISITS + 1:
                self.note(Location(path, 1), f"more than {_MOST_VISITS:,} imports; the others are not followed")
            return
        self.visited.add(key)
        self.visited_files.add(path)
        for entry in self.entries[path]:
            self.add(path, entry, rules, (*stack, path))

    def add(self, path: str, entry: Entry, rules: tuple[Rule, ...], stack: tuple[str, ...]) -> None:
        match entry:
            case Declaration():
                self.define(path, replace(entry, rules=(*rules, *entry.rules)))
            case Import():
                self.follow(path, entry, rules, stack)
            case Broken(at, reason):
                self.note(at, reason)
            case AtRule(keyword="property"):
                self.register(path, entry)
            case AtRule(keyword="custom-media", name=name, text=text, at=at):
                self.sheets.custom_media.setdefault(name, text)
                self.others.setdefault(entry.keyword, []).append((at, name))
            case AtRule(keyword="layer", text=text):
                names = [each.strip() for each in text.split(",")]
                self.sheets.layers.extend([name for name in names if name not in self.sheets.layers])
            case AtRule(keyword="function"):
                self.sheets.functions.add(entry.name)
            case AtRule(keyword="include"):
                self.include(path, entry, rules, ())
            case AtRule(keyword=keyword, name=name, at=at):
                self.others.setdefault(keyword, []).append((at, name))

    def follow(self, path: str, entry: Import, rules: tuple[Rule, ...], stack: tuple[str, ...]) -> None:
        for name, value in entry.overrides:
            target = self.resolved(path, entry.targets[0]) if entry.targets else ""
            self.define(target or path, Declaration(name, value, entry.at, (), frozenset({"override"})))
        for target in entry.targets:
            if target.startswith("sass:"):
                continue
            found = self.resolved(path, target)
            if found:
                self.visit(found, (*rules, *entry.rules), stack)
            else:
                self.note(entry.at, "the imported stylesheet is not among these files; add it if it has tokens", target)

    def register(self, path: str, entry: AtRule) -> None:
        """Add the type of ``@property``, and its initial value as the first declaration."""
        descriptors = dict(entry.descriptors)
        self.sheets.properties[entry.name] = descriptors.get("syntax", "").strip("\"'")
        initial = descriptors.get("initial-value")
        if initial is None:
            self.note(entry.at, "@property has no initial-value; it only gives the type", entry.name)
            return
        value = next(iter(parsed(f"--x:{initial}", path, is_scss=False)), None)
        if isinstance(value, Declaration):
            flags = frozenset({"initial"})
            self.define(path, replace(value, name=entry.name, at=entry.at, rules=(), flags=flags))

    def include(self, path: str, entry: AtRule, rules: tuple[Rule, ...], stack: tuple[str, ...]) -> None:
        """Add the declarations of a mixin at the place where it is included."""
        found = _INCLUDE.fullmatch(entry.text)
        if not found or len(stack) > _DEEPEST_INCLUDE or _is_local(entry.rules):
            return
        files = self.mixins.get(found[2], {})
        owner = self.sheets.modules.found(path, found[1] or "", files)
        key = f"{owner} {found[2]}"
        self.visits += 1
        if owner is None or key in stack or self.visits > _MOST_VISITS:
            return
        for each in files[owner]:
            around = (*rules, *entry.rules)
            if isinstance(each, Declaration) and not each.name.startswith("$") and not _is_local(each.rules):
                self.sheets.included.add((each.at, each.name))
                self.define(owner, replace(each, rules=(*around, *each.rules)))
            elif isinstance(each, AtRule):
                self.include(owner, each, around, (*stack, key))

    def define(self, path: str, declaration: Declaration) -> None:
        name = self.with_constants(declaration.name)
        rules = tuple(self.rule_with_constants(rule) for rule in declaration.rules)
        declaration = replace(declaration, rules=rules)
        if not name.startswith(("--", "$")):
            return
        if re.search(r"[^\w*-]", name[1:]) and "#{" in declaration.name:
            reason = "the name is computed; compile the SCSS, and give the CSS"
            declaration = replace(declaration, broken=declaration.broken or reason)
        if name.startswith("$"):
            name = _variable(name[1:])
            self.add_constant(name, declaration)
        file = path if name.startswith("$") and self.has_modules else ""
        self.sheets.defined.append(Defined(Identifier(name, file, declaration.keys), replace(declaration, name=name)))

    def with_constants(self, text: str) -> str:
        """Return a name or selector with the texts of the variables of SCSS in it."""
        return _CONSTANT.sub(lambda found: self.sheets.constants.get(_variable(found[1]), found[0]), text)

    def rule_with_constants(self, rule: Rule) -> Rule:
        if rule.kind != "selector" or "#{" not in rule.text:
            return rule
        if rule.text not in self.selectors:
            text = self.with_constants(rule.text)
            self.selectors[rule.text] = rule._replace(nodes=selector_nodes(text), text=text)
        return self.selectors[rule.text]

    def add_constant(self, name: str, declaration: Declaration) -> None:
        """Keep the value of a variable that names and selectors can contain: a text, or another such variable."""
        match declaration.value:
            case (Variable(other),):
                text = self.sheets.constants.get(_variable(other))
            case value:
                text = rendered(value).strip("\"'")
        is_default = "default" in declaration.flags and name in self.sheets.constants
        if text is not None and len(text) < _LONGEST_CONSTANT and "#{" not in text and not is_default:
            self.sheets.constants[name] = text


def _variable(name: str) -> str:
    """Return the name of a variable of SCSS, for which hyphens and underscores are the same."""
    return f"${name.replace('_', '-')}"


def _is_local(rules: tuple[Rule, ...]) -> bool:
    return any(rule.kind == "local" for rule in rules)


def stem(path: str) -> str:
    """Return the name of a file as a group of names: ``a/_colors.scss`` is ``colors``."""
    return splitext(basename(path))[0].removeprefix("_") or path
