"""Values of CSS and SCSS to written values: references as ``{a.b}``, the type where the text tells it.

- ``var(--a)`` and ``$a`` become ``{a}``. The fallback of ``var(--a, b)`` is used only if no file declares ``--a``.
- ``light-dark(a, b)`` has a value for each appearance, also inside of a longer text.
- Colours without their function (``--a: 210 17% 98%`` for ``hsl(var(--a))``) become colours, and their uses references;
  ``hsl(var(--a) / 50%)`` becomes ``rgba({a}, 50%)``. They are recognized by their uses, or by the shape of HSL.
- ``--theme(--a)``, ``--alpha(a / b)`` and ``--spacing(n)`` of Tailwind, and ``map.get`` and ``math.div`` of SCSS, are
  replaced by what they mean. Other functions, ``calc()`` and ``color-mix()`` among them, stay as text.

The stylesheets of a source are read as one list of declarations, in the order of their imports: a file that another one
imports, under the conditions of the import; ``@use`` and ``@forward`` of SCSS in the same way, once. Mixins without
arguments are expanded where they are included.
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
    Call,
    Declaration,
    Import,
    Variable,
    parsed,
    rendered,
    selector_nodes,
    split,
    trimmed,
    words_in,
)
from tokensync.migrate.source import Location, Unread, Written
from tokensync.system.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tokensync.migrate.readers.css.stylesheet import Entry, Part, Rule


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


_COLOR_FUNCTIONS = {
    "hsl": "hsl",
    "hsla": "hsl",
    "hwb": "hwb",
    "lab": "lab",
    "lch": "lch",
    "oklab": "oklab",
    "oklch": "oklch",
    "rgb": "rgb",
    "rgba": "rgb",
}
_MORE_COLOR_FUNCTIONS = {"color", "color-mix", "light-dark", "contrast-color", "device-cmyk"}
_USE = re.compile(rf"\b({'|'.join(_COLOR_FUNCTIONS)})\(\s*var\(\s*--([^\s(){{}},;:/]+)\s*\)\s*[),/]", re.IGNORECASE)
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_COMPONENT = rf"(?:{_NUMBER}(?:%|deg|rad|turn|grad)?|none)"
_TRIPLE = re.compile(
    rf"({_COMPONENT})(?:\s*,\s*|\s+)({_COMPONENT})(?:\s*,\s*|\s+)({_COMPONENT})(?:\s*[,/]\s*(\S+))?", re.IGNORECASE
)
_HSL_SHAPE = re.compile(rf"{_NUMBER}(?:deg)?\s+{_NUMBER}%\s+{_NUMBER}%(?:\s*/\s*{_NUMBER}%?)?", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(_NUMBER, re.IGNORECASE)
_LENGTH = re.compile(rf"{_NUMBER}(?:px|rem|pt|cm|mm|in|pc)", re.IGNORECASE)
_SHADOW_LENGTH = re.compile(rf"{_NUMBER}(?:px|rem|em)?")
_TIME = re.compile(rf"{_NUMBER}m?s", re.IGNORECASE)
_QUOTED = re.compile(r"\"([^\"\\]*)\"|'([^'\\]*)'")
_GENERIC = re.compile(
    r"serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-[a-z-]+|math|emoji|-apple-system|blinkmacsystemfont",
    re.IGNORECASE,
)
_SYNTAX_TYPES = {
    "<color>": "color",
    "<length>": "dimension",
    "<length-percentage>": "dimension",
    "<number>": "number",
    "<integer>": "number",
    "<time>": "duration",
}
_SASS_FUNCTIONS = {
    *("adjust-color", "adjust-hue", "append", "change-color", "complement", "darken", "desaturate", "fade-in"),
    *("fade-out", "grayscale", "if", "index", "inspect", "invert", "join", "length", "lighten", "map-get", "map-keys"),
    *("map-merge", "map-remove", "map-values", "mix", "nth", "opacify", "percentage", "quote", "saturate"),
    *("scale-color", "str-index", "str-slice", "tint-color", "shade-color", "transparentize", "type-of", "unquote"),
}
"""Functions that Sass evaluates, and CSS does not have."""


class Value(NamedTuple):
    """A written value with its type. ``undeclared`` has names that it refers to and no file declares."""

    written: Written
    type: str = ""
    is_text: bool = False
    undeclared: tuple[str, ...] = ()
    reason: str = ""


class Values:
    """Turns the parts of values into text, by what all files declare."""

    def __init__(self, sheets: Sheets, paths: Mapping[Identifier, str], files: Iterable[bytes]) -> None:
        self.sheets = sheets
        self.paths = paths
        self.guessed: list[Defined] = []
        self.triples = self.find_triples(files)

    def find_triples(self, files: Iterable[bytes]) -> dict[str, str]:
        """Return the function of each custom property that has only the components of a colour."""
        uses = {
            f"--{name}": _COLOR_FUNCTIONS[function.lower()]
            for content in files
            for function, name in _USE.findall(content.decode("utf-8", "replace"))
        }
        texts = [(defined, rendered(defined.declaration.value)) for defined in self.sheets.defined]
        found = {}
        for each, text in texts:
            name = each.identifier.name
            if name in uses and _TRIPLE.fullmatch(text):
                found[name] = uses[name]
            elif name not in uses and name not in found and not each.identifier.is_scss and _HSL_SHAPE.fullmatch(text):
                found[name] = "hsl"
                self.guessed.append(each)
        aliases: dict[str, list[str]] = {}
        for each, _ in texts:
            if target := _only_var(each.declaration.value):
                aliases.setdefault(target, []).append(each.identifier.name)
                aliases.setdefault(each.identifier.name, []).append(target)
        pending = list(found)
        while pending:
            name = pending.pop()
            others = [other for other in aliases.get(name, ()) if other not in found]
            found.update(dict.fromkeys(others, found[name]))
            pending += others
        return found

    def value(self, defined: Defined, appearance: str) -> Value:
        """Return the value of a declaration in an appearance, ``light`` or ``dark``."""
        text = _Text(self, defined.declaration.at.file, appearance)
        name = defined.identifier.name
        parts = trimmed(text.chosen(defined.declaration.value))
        function = self.triples.get(name, "")
        if function and (found := _TRIPLE.fullmatch(rendered(parts))):
            components = " ".join(found.groups()[:3])
            return Value(f"{function}({components}{f' / {found[4]}' if found[4] else ''})", "color")
        if defined.declaration.at.file.lower().endswith(".scss") and (computed := self.computed(parts)):
            return Value("", reason=f"Sass computes {computed}; compile the SCSS, and give the CSS")
        written = text.of(parts)
        has_braces = any(isinstance(word, Call) and word.name == "{" for word in words_in(parts)) or any(
            isinstance(word, str) and word[:1] in "\"'u" and ("{" in word or "$" in word) for word in words_in(parts)
        )
        if text.reason:
            return Value("", reason=text.reason)
        if has_braces and text.references:
            return Value("", reason="the value has braces beside references; give the braces another form")
        syntax = self.sheets.properties.get(name, "")
        kind = "color" if function else _SYNTAX_TYPES.get(syntax, "")
        value, type_ = typed(name, parts, written, kind)
        return Value(value, type_ or ("css" if has_braces else ""), has_braces, tuple(dict.fromkeys(text.undeclared)))

    def computed(self, parts: Sequence[Part]) -> str:
        """Return what only Sass can compute in a value: a function, or an interpolation in a text."""
        for word in words_in(parts):
            match word:
                case str() if "#{" in word:
                    return "a part of a text"
                case Call("map.get" | "map-get" | "math.div", _):
                    continue
                case Call(name, _) if name in _SASS_FUNCTIONS or name in self.sheets.functions or "." in name:
                    return f"{name}()"
        return ""


def _only_var(parts: Sequence[Part]) -> str:
    """Return the custom property that a value consists of."""
    match parts:
        case [Call("var", arguments)]:
            return rendered(arguments).strip()
    return ""


class _Text:
    """Renders the value of a declaration, and collects what it refers to."""

    def __init__(self, values: Values, file: str, appearance: str) -> None:
        self.values = values
        self.file = file
        self.appearance = appearance
        self.references = 0
        self.undeclared: list[str] = []
        self.reason = ""
        self.calls: dict[str, Callable[[str, tuple[Part, ...]], str]] = {
            "var": self.variable_of_css,
            "--theme": self.variable_of_css,
            "--alpha": self.alpha,
            "--spacing": self.spacing,
            "#": lambda _, arguments: self.of(trimmed(arguments)),
            "map-get": self.map_get,
            "map.get": self.map_get,
            "math.div": lambda _, arguments: f"({' / '.join(self.of(each) for each in split(arguments, ','))})",
            **dict.fromkeys(_COLOR_FUNCTIONS, self.color),
        }

    def chosen(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        """Return parts with ``light-dark()`` replaced by the value of the appearance."""
        found: list[Part] = []
        for part in parts:
            if isinstance(part, Call):
                sides = split(part.arguments, ",") if part.name.lower() == "light-dark" else []
                if len(sides) == 2:
                    found += self.chosen(sides[self.appearance == "dark"])
                    continue
                found.append(Call(part.name, self.chosen(part.arguments)))
            else:
                found.append(part)
        return tuple(found)

    def of(self, parts: Sequence[Part]) -> str:
        """Return the text of parts."""
        texts = []
        for part in parts:
            match part:
                case Variable():
                    texts.append(self.variable_of_scss(part))
                case Call(name, arguments):
                    render = self.calls.get(name.lower())
                    texts.append(render(name, arguments) if render else self.call(name, arguments))
                case _:
                    texts.append(part)
        return "".join(texts)

    def call(self, name: str, arguments: tuple[Part, ...]) -> str:
        inner = self.of(arguments)
        match name:
            case "[":
                return f"[{inner}]"
            case "{":
                return f"{{{inner}}}"
        return f"{name}({inner.strip()})"

    def reference(self, identifier: Identifier) -> str:
        self.references += 1
        return f"{{{self.values.paths[identifier]}}}"

    def variable_of_css(self, name: str, arguments: tuple[Part, ...]) -> str:
        """Return the reference of ``var()``, or its fallback if no file declares the name."""
        head, *rest = split(arguments, ",")
        written = "".join(self.in_name(each) for each in head)
        identifier = Identifier(written)
        if identifier in self.values.paths:
            return self.reference(identifier)
        if rest:
            comma = arguments.index(",")
            fallback = self.of(trimmed(arguments[comma + 1 :]))
            if fallback == "initial":
                self.reason = f"no file declares {written}, and its fallback is no value"
            elif fallback:
                return fallback
        self.undeclared.append(written)
        self.references += 1
        return (
            f"{{{written.removeprefix('--')}}}"
            if re.fullmatch(r"[^{}]+", written)
            else rendered([Call(name, arguments)])
        )

    def in_name(self, part: Part) -> str:
        """Return the text of a part of a name; interpolations of SCSS can stand there."""
        match part:
            case Call("#", (Variable(name),)):
                return self.values.sheets.constant(name) or rendered([part])
        return rendered([part])

    def variable_of_scss(self, variable: Variable) -> str:
        identifier = self.declared(variable, ())
        if identifier:
            return self.reference(identifier)
        self.undeclared.append(rendered([variable]))
        self.references += 1
        return f"{{{variable.name}}}"

    def declared(self, variable: Variable, keys: tuple[str, ...]) -> Identifier | None:
        """Return what a variable of SCSS, or an entry of its map, refers to; None if it has no value."""
        identifier = self.values.sheets.variable(self.file, variable, keys)
        return identifier if identifier and identifier in self.values.paths else None

    def map_get(self, name: str, arguments: tuple[Part, ...]) -> str:
        """Return the reference to an entry of a map."""
        head, *keys = split(arguments, ",")
        texts = tuple(rendered(key).strip("\"'") for key in keys)
        match head:
            case (Variable() as variable,) if identifier := self.declared(variable, texts):
                return self.reference(identifier)
        self.reason = f"no file declares the entry {rendered([Call(name, arguments)])}"
        return ""

    def alpha(self, name: str, arguments: tuple[Part, ...]) -> str:
        sides = [self.of(each) for each in split(arguments, "/")]
        return f"rgba({sides[0]}, {sides[1]})" if len(sides) == 2 else self.call(name, arguments)

    def spacing(self, name: str, arguments: tuple[Part, ...]) -> str:
        identifier = Identifier("--spacing")
        if identifier not in self.values.paths:
            return self.call(name, arguments)
        return f"calc({self.reference(identifier)} * {self.of(arguments).strip()})"

    def color(self, name: str, arguments: tuple[Part, ...]) -> str:
        """Return a colour. One of a custom property that has only the components is a reference to it."""
        parts = trimmed(arguments)
        match parts:
            case [Call("var", inner), *rest] if self.is_triple(inner, name):
                opacity = [each for each in rest if each != " "]
                if not opacity:
                    return self.of(parts[:1])
                if opacity[0] in {"/", ","} and len(opacity) > 1:
                    return f"rgba({self.of(parts[:1])}, {self.of(opacity[1:])})"
        return self.call(name, arguments)

    def is_triple(self, inner: tuple[Part, ...], function: str) -> bool:
        return self.values.triples.get(rendered(inner).strip()) == _COLOR_FUNCTIONS[function.lower()]


def typed(name: str, parts: Sequence[Part], text: str, known: str) -> tuple[Written, str]:
    """Return a value with its type, ``""`` if neither the text nor the name tells it."""
    if known in {"color", "dimension", "duration"} or (text.startswith("{") and text.find("}") == len(text) - 1):
        return text, known
    if _PLAIN_NUMBER.fullmatch(text):
        value = float(text)
        number = int(value) if value.is_integer() and abs(value) < 2**53 else value
        return number, "fontWeight" if "weight" in name and 1 <= value <= 1000 else "number"
    if name.startswith("$") and text in {"true", "false"}:
        return text == "true", "boolean"
    if _LENGTH.fullmatch(text):
        return text, "dimension"
    if _TIME.fullmatch(text):
        return text, "duration"
    if _is_color(parts, text):
        return text, "css" if text.endswith(")") else "color"
    if found := _QUOTED.fullmatch(text):
        return found[1] or found[2] or "", "fontFamily" if "font" in name else "string"
    return _composite(name, parts, text)


def _is_color(parts: Sequence[Part], text: str) -> bool:
    from tinycss2.color4 import parse_color  # type: ignore[import-untyped]

    if len(parts) == 1 and isinstance(parts[0], Call):
        function = parts[0].name.lower()
        return function in _COLOR_FUNCTIONS or function in _MORE_COLOR_FUNCTIONS or text.startswith("rgba({")
    if len(text) > 40 or not re.fullmatch(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+", text):
        return False
    return parse_color(text) not in {None, "currentcolor"}


def _composite(name: str, parts: Sequence[Part], text: str) -> tuple[Written, str]:
    """Return a list of fonts, a curve, a shadow or a gradient with its type."""
    pieces = split(parts, ",")
    if text[:1] != "{" and (any(_GENERIC.fullmatch(rendered(piece)) for piece in pieces) or "font-family" in name):
        has_fallback = any(isinstance(part, Call) for part in parts)
        return text if has_fallback else [rendered(piece).strip("\"'") for piece in pieces if piece], "fontFamily"
    if len(parts) == 1 and isinstance(parts[0], Call):
        function = parts[0].name.lower()
        numbers = [rendered(each) for each in split(parts[0].arguments, ",")]
        if function == "cubic-bezier" and len(numbers) == 4 and all(map(_PLAIN_NUMBER.fullmatch, numbers)):
            return [float(number) for number in numbers], "cubicBezier"
    if any(map(_only_var, pieces)):  # a layer may be a list of them
        return text, "css"
    if ("shadow" in name and len(_lengths(pieces[0])) >= 2) or all(map(_is_layer, pieces)):
        return text, "shadow"
    return text, "css"


def _lengths(parts: Sequence[Part]) -> list[Part]:
    return [part for part in parts if isinstance(part, str) and _SHADOW_LENGTH.fullmatch(part)]


def _is_layer(parts: Sequence[Part]) -> bool:
    """Return whether parts can be nothing but a layer of a shadow: two to four lengths and a colour."""
    words = [part for part in parts if part not in {" ", "inset"}]
    if not 3 <= len(words) <= 5:
        return False
    others = [word for word in words if word not in _lengths(words)]
    return len(others) == 1 and _is_color(others, rendered(others))
