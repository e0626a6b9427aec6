"""What an app would see: expressions of generated Swift worked out, references followed, colours loaded and adapted.

Values are those of outside/expected.py; nil is None. Each value is held to the type that it is declared with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from corpus.read_ios import components, unescaped
from outside.swift_module import Chosen, Declared, SwiftModule, bare, child, identifier, of_type, only, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

WEIGHTS = ("ultraLight", "thin", "light", "regular", "medium", "semibold", "bold", "heavy", "black")
KINDS = {"Color": "color", "CGFloat": "number", "TimeInterval": "number", "String": "string", "Bool": "bool"}
_MADE = re.compile(r"Gradient|(?:Token(?:Shadow|Border|TextStyle|Transition|Curve|StrokeStyle))?(?:\.init|\.dashes)?")
_ARITHMETIC = {"Double": min, "Swift.min": min, "Swift.max": max}  # of one number, the least is that number
_FROM_P3 = (
    (1.2249401762805598, -0.2249401762805597, 0.0),
    (-0.0420569547096881, 1.0420569547096881, 0.0),
    (-0.0196375545903344, -0.0786360455506319, 1.0982736001409663),
)


class Look(NamedTuple):
    """The system's appearance and the kind of device."""

    dark: bool = False
    contrast: bool = False
    idiom: str = "universal"


PLAIN = Look()


class Catalog:
    """The colour sets of an asset catalog by the names that code loads them by."""

    def __init__(self, documents: Mapping[str, Mapping]) -> None:
        self.documents = documents

    def color(self, name: str, look: Look) -> tuple:
        """Return the system's choice: entries of the device first, then the most specific match."""
        entries = self.documents[name]["colors"]
        own = [each for each in entries if each["idiom"] == look.idiom]
        values = {}
        for entry in own or [each for each in entries if each["idiom"] == "universal"]:
            by_appearance = {each["appearance"]: each["value"] for each in entry.get("appearances", ())}
            holds = by_appearance.get("luminosity", wanted := "dark" if look.dark else "light") == wanted
            if holds and (look.contrast or "contrast" not in by_appearance):
                color = in_srgb(entry["color"]["color-space"], *components(entry["color"]))
                values.setdefault(len(by_appearance), set()).add(color)
        (best,) = values[max(values)]  # where two say as much, they have to say the same
        return best


def in_srgb(space: str, *channels: float) -> tuple:
    *color, alpha = channels
    if space == "display-p3":
        linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in color]
        mixed = (sum(share * each for share, each in zip(row, linear, strict=True)) for row in _FROM_P3)
        color = [each * 12.92 if each <= 0.0031308 else 1.055 * each ** (1 / 2.4) - 0.055 for each in mixed]
    return ("color", *color, alpha)


class Seen:
    """One look at one choice of structs: ``chosen`` holds them by the theme's property, the default ones omitted."""

    def __init__(
        self, module: SwiftModule, catalog: Catalog, look: Look = PLAIN, chosen: Mapping[str, str] | None = None
    ) -> None:
        self.module = module
        self.catalog = catalog
        self.look = look
        self.chosen = {name: each.usual for name, each in module.choices.items()} | dict(chosen or {})
        self.loaded: set[str] = set()
        self._known: dict[tuple[str, str], tuple | None] = {}
        self._constants: dict[tuple[str, str], tuple | None] = {}
        self._open: set[tuple[str, str]] = set()

    def choosing(self, chosen: Mapping[str, str]) -> Seen:
        """The same look at another choice, which bears upon no constant: those that are worked out are taken over."""
        other = Seen(self.module, self.catalog, self.look, chosen)
        other._constants = self._constants
        return other

    def constant(self, name: str) -> tuple | None:
        """A constant of the enum."""
        enum = f"{name.rpartition('.')[0]}." if "." in name else ""
        return self._of("constant", name, self.module.constants[name], enum)

    def member(self, name: str) -> tuple | None:
        """A member of the theme."""
        return self._of("member", name, self.module.members[name])

    def extended(self, type_: str, name: str) -> tuple | None:
        """A member of Color, ShapeStyle or UIColor."""
        return self._of(type_, name, self.module.extended[type_][name])

    def _of(self, where: str, name: str, declared: Declared, enum: str = "") -> tuple | None:
        key = (where, name)
        known = self._constants if where == "constant" else self._known
        if key not in known:
            assert key not in self._open, f"{name} leads to itself"
            self._open.add(key)
            values = self.value(declared.value, {"": (where, enum)})
            known[key] = typed(name, declared.type, values)
        return known[key]

    def _function(self, choice: str, name: str) -> tuple | None:
        struct = self.chosen[choice]
        protocol, own = self.module.structs[struct]
        assert protocol == self.module.choices[choice].protocol
        declared = own.get(name) or self.module.defaults[protocol][name]
        if isinstance(declared.value, tuple):
            return in_srgb(self.module.space, *(float(text_of(part)) for part in declared.value))
        return typed(name, declared.type, self.value(declared.value, {"": ("function", "")}))

    def value(self, node: Node, scope: Mapping) -> tuple | None:
        """An expression's value; ``scope`` holds closure parameters, and under the empty name where it stands."""
        text = text_of(node)
        match node.type:
            case "nil" | "nil_literal":
                return None
            case "array_literal":
                return ("list", tuple(self.value(each, scope) for each in node.named_children))
            case "multiplicative_expression":
                left, sign, right = node.children
                ours, theirs = self.value(left, scope)[1], self.value(right, scope)[1]
                return ("number", ours * theirs if text_of(sign) == "*" else ours / theirs, "")
            case "simple_identifier":
                return self._named(bare(text), scope)
            case "navigation_expression":
                return self._navigated(text, scope)
            case "call_expression":
                return self._called(node, scope)
        return literal(node, text)

    def _named(self, name: str, scope: Mapping) -> tuple | None:
        if name in scope:
            return scope[name]
        where, enum = scope[""]
        if where == "member":
            return self.member(name)
        assert where == "constant", name
        return self.constant(f"{enum}{name}")

    def _navigated(self, text: str, scope: Mapping) -> tuple | None:
        names = [bare(each) for each in re.findall(r"`[^`]+`|[^.`]+", text)]
        if names[0] == "TokenStrokeStyle":
            return ("case", names[1])
        if names[0] == "theme":
            assert scope[""][0] == "function"
            (_, name) = names
            return self.member(name)
        assert names[0] == self.module.name or scope[""][0] == "constant", text
        return self.constant(".".join(names[names[0] == self.module.name :]))

    def _called(self, node: Node, scope: Mapping) -> tuple | None:
        function, suffix = node.children
        name = text_of(function)
        closure = of_type(suffix, "lambda_literal")
        if closure:
            return self._mapped(function, closure[0], scope)
        arguments = [self._argument(each) for each in of_type(child(suffix, "value_arguments"), "value_argument")]
        labels = {label: each for label, each in arguments if label}
        if name.endswith(".layers"):
            (_, layers), *_ = self.value(function.children[0], scope)[1]
            return layers[1][int(text_of(arguments[0][1]))]
        first = arguments[0][1]
        if name in ("Color", "SwiftUI.Color", ".init") and set(labels) == {"bundle"}:
            self._check_bundle(text_of(labels["bundle"]))
            return self._load(self.value(first, scope)[1])
        if name in ("Color", "SwiftUI.Color"):
            space = {".sRGB": "srgb", ".displayP3": "display-p3"}[text_of(first)]
            channels = (self.value(labels[each], scope)[1] for each in ("red", "green", "blue", "opacity"))
            return in_srgb(space, *map(float, channels))
        if name == "UIColor":
            space = "display-p3" if "displayP3Red" in labels else "srgb"
            return in_srgb(space, *(float(self.value(each, scope)[1]) for each in labels.values()))
        if name == "token":
            return self._load(self.value(first, scope)[1])
        if name in _ARITHMETIC:
            return ("number", _ARITHMETIC[name](Decimal(self.value(each, scope)[1]) for _, each in arguments), "")
        if name.endswith(".opacity"):
            return self._opacity(self.value(function.children[0], scope), self.value(first, scope))
        if name == ("theme.adaptive" if scope[""][0] == "function" else "adaptive"):
            return self._supported("adaptive", first, labels, scope)
        if name.startswith(f"{self.module.name}Support."):
            return self._supported(name.rpartition(".")[2], first, labels, scope)
        if "in" in labels and text_of(labels["in"]) == "self":
            assert scope[""][0] != "constant", text_of(node)
            return self._function(bare(name.removesuffix(".value")), bare(text_of(first).removeprefix(".")))
        assert _MADE.fullmatch(name), text_of(node)[:80]
        return ("made", tuple((label, self.value(each, scope)) for label, each in arguments))

    def _check_bundle(self, expression: str) -> None:
        """A bundle that no one configured is declared, for a package and for everything else."""
        if expression not in (".main", ".module"):
            own = expression.removeprefix(".")
            elsewhere = f"Bundle(for: {self.module.name}BundleAnchor.self)"
            assert self.module.bundles == [(own, "Bundle.module"), (own, elsewhere)]

    def _load(self, asset: str) -> tuple:
        self.loaded.add(asset)
        return self.catalog.color(asset, self.look)

    @staticmethod
    def _opacity(color: tuple, share: tuple) -> tuple:
        """SwiftUI's ``opacity(_:)`` multiplies, whatever the number: a share above one makes a colour more opaque."""
        return (*color[:4], color[4] * float(share[1]))

    @staticmethod
    def _argument(node: Node) -> tuple[str, Node]:
        labels = of_type(node, "value_argument_label")
        return (identifier(labels[0].children) if labels else "", node.children[-1])

    def _mapped(self, function: Node, closure: Node, scope: Mapping) -> tuple | None:
        base, suffix = function.children
        assert text_of(suffix) in (".map", ".flatMap")
        value = self.value(base, scope)
        if value is None:
            return None
        parameters = of_type(closure, "lambda_function_type")
        name = text_of(parameters[0]) if parameters else "$0"
        return self.value(only(closure), {**scope, name: value})

    def _supported(self, name: str, first: Node, labels: Mapping[str, Node], scope: Mapping) -> tuple | None:
        if name == "weight":
            number = float(self.value(first, scope)[1])
            return ("weight", min(max(int((number + 50) // 100), 1), 9) * 100)
        if name == "number":
            return ("number", Decimal(self.value(first, scope)[1]), "")
        if name == "families":
            names = (each.strip(" \t\"'") for each in self.value(first, scope)[1].split(","))
            return ("list", tuple(("string", each) for each in names if each))
        assert name in ("adaptive", "dynamic"), name
        assert set(labels) <= {"light", "dark", "contrast", "lightContrast", "darkContrast"}
        scheme = "dark" if self.look.dark else "light"
        order = [f"{scheme}Contrast", "contrast", scheme] if self.look.contrast else [scheme]
        shown = (self.value(labels[each], scope) for each in order if each in labels)
        return next((each for each in shown if each is not None), None) or self.value(first, scope)


def literal(node: Node, text: str) -> tuple:
    """A number, a text, a flag, a weight, or a case of another enumeration."""
    match node.type:
        case "integer_literal" | "real_literal":
            return ("number", Decimal(text), "")
        case "boolean_literal":
            return ("bool", text == "true")
        case "line_string_literal":
            assert not of_type(node, "interpolated_expression"), text
            return ("string", unescaped(text[1:-1]))
        case "prefix_expression" if text.startswith("-"):
            return ("number", Decimal(text), "")
        case "prefix_expression":
            name = text.removeprefix(".")
            return ("weight", WEIGHTS.index(name) * 100 + 100) if name in WEIGHTS else ("case", name)
    raise AssertionError(f"{node.type}: {text[:80]}")


LOOKS = tuple(Look(dark, contrast) for dark in (False, True) for contrast in (False, True))


def colorsets(files: Mapping[str, bytes]) -> dict[str, Mapping]:
    """The colour sets of an output by the names that code loads them by: with the folders that are namespaces."""
    namespaces = {
        path.removesuffix("/Contents.json")
        for path, content in files.items()
        if path.endswith("/Contents.json") and json.loads(content).get("properties", {}).get("provides-namespace")
    }
    values = {}
    for path, content in files.items():
        folder, _, last = path.rpartition("/")
        if last == "Contents.json" and folder.endswith(".colorset"):
            ways = folder.removesuffix(".colorset").split("/")
            around = ["/".join(ways[: at + 1]) for at in range(len(ways) - 1)]
            name = "/".join([*(each.rpartition("/")[2] for each in around if each in namespaces), ways[-1]])
            assert name not in values, name
            values[name] = json.loads(content)
    return values


def seen_everywhere(files: Mapping[str, bytes], name: str) -> int:
    """Work out everything in every appearance and under every option, one choice at a time; how much that was."""
    module, catalog = SwiftModule(files, name), Catalog(colorsets(files))
    loaded: set[str] = set()
    counted = 0
    for look in LOOKS:
        options = [{choice: struct} for choice, each in module.choices.items() for struct in options_of(module, each)]
        for chosen in [{}, *options]:
            seen = Seen(module, catalog, look, chosen)
            values = [seen.constant(each) for each in module.constants] + [seen.member(each) for each in module.members]
            values += [seen.extended(type_, each) for type_, members in module.extended.items() for each in members]
            counted += len(values)
        loaded |= seen.loaded
    assert loaded == set(catalog.documents)
    return counted


def options_of(module: SwiftModule, choice: Chosen) -> list[str]:
    """The structs of a choice."""
    return [name for name, (protocol, _) in module.structs.items() if protocol == choice.protocol]


def typed(name: str, type_: str, value: tuple | None) -> tuple | None:
    """The value, which has to be of the type."""
    if value is None:
        assert type_.endswith("?"), f"{name} is nil, but no {type_}?"
        return None
    plain = type_.removesuffix("?")
    kind = {"Font.Weight": "weight", "UIColor": "color"}.get(plain) or KINDS.get(plain, "made")
    if plain == "TokenStrokeStyle" and value[0] == "case":
        return value
    assert value[0] == kind, f"{name} is declared as {type_}, but is {value}"
    return value
