"""A Kotlin program that prints every token of a Compose output in any number of themes, and what it printed, as values.

The program is written from what the graph says is there: a token without its property does not compile.
"""

import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations

from outside.expected import kind_of, value_of

from tokensync.generate.naming import names_for
from tokensync.generate.targets import naming_of
from tokensync.generate.targets.compose import kotlin_name
from tokensync.tokens import FamilyKey, Literal, Theme, Token, TokenGraph, TokenKey, float32

MAIN = "MainKt"
LINES = 400
FUNCTIONS = 8
"""Calls of one function, and functions of one file: a method of the JVM has 65,535 bytes, a class as many constants."""
PACKAGE = "package design.tokens\n"
HEAD = (
    PACKAGE
    + """import androidx.compose.ui.graphics.Color
import androidx.compose.ui.text.font.FontWeight
import androidx.compose.ui.unit.*
import kotlin.time.Duration
val out = java.io.PrintWriter(java.io.BufferedWriter(java.io.OutputStreamWriter(System.out, "UTF-8"), 1 shl 16))
fun show(name: String, value: Color) = out.println("$name\\tcolor ${(value.value shr 32).toString(16)}")
fun show(name: String, value: Dp) = out.println("$name\\tdp ${value.value.toRawBits()}")
fun show(name: String, value: TextUnit) = out.println("$name\\tsp ${value.value.toRawBits()}")
fun show(name: String, value: Float) = out.println("$name\\tfloat ${value.toRawBits()}")
fun show(name: String, value: FontWeight) = out.println("$name\\tweight ${value.weight}")
fun show(name: String, value: Boolean) = out.println("$name\\tboolean $value")
fun show(name: String, value: Duration) = out.println("$name\\tduration ${value.inWholeNanoseconds}")
fun show(name: String, value: String) = out.println("$name\\tstring ${value.map { it.code }.joinToString(",")}")
"""
)


class Program:
    """The Kotlin that asks an output for its tokens; ``names`` are those of the tokens that it has, by key.

    ``references`` are the texts that read tokens of a nested output, such as ``DesignTokens.theme.text.primary``.
    """

    def __init__(
        self, graph: TokenGraph, files: Mapping[str, str], references: Mapping[TokenKey, str] | None = None
    ) -> None:
        self.graph = graph
        self.entry = files["DesignTokens.kt"]
        self.files = files
        local = [each for each in graph.tokens.values() if each.origin == "local"]
        names, _ = names_for(graph, local, naming_of("compose"))
        resolve = graph.resolver(default_theme())
        properties = set(re.findall(r"\bval (`?\w+`?):", "".join(files.values())))
        self.tokens: dict[FamilyKey, list[Token]] = {}
        for key in names:
            token = graph.tokens[key]
            if expected(token, resolve(key)) is None:
                continue
            if key in references if references is not None else kotlin_name(names[key]) in properties:
                self.tokens.setdefault(key[:2], []).append(token)
            else:
                assert lacks_a_value(graph, token), f"{names[key]} has no property"
        self.names = names
        self.members = {key: kotlin_name(name) for key, name in names.items()}
        if references:
            self.members |= {key: text.split(".", 2)[2] for key, text in references.items()}
        declared = dict.fromkeys(key[:2] for key in names)
        self.types = dict(zip(declared, self._collections(), strict=True))

    def _collections(self) -> list[tuple[str, str]]:
        """(accessor, type) of each collection, as the object declares them."""
        body = self.entry.partition("object DesignTokens {")[2]
        declared = re.finditer(r"public val (`?\w+`?): (\w+Tokens\d*)(?: get|$)", body, re.MULTILINE)
        return [each.groups() for each in declared]

    def sources(self, themes: Sequence[Mapping[FamilyKey, int]]) -> dict[str, str]:
        """The program's files; it prints each theme's tokens after a line with its number."""
        reads = [name for family, tokens in self.tokens.items() for name in self._reading(family, tokens)]
        makes = ["".join(f"    {self._theme(each)},\n" for each in part) for part in parts(themes)]
        readers = parts([text for _, text in reads], FUNCTIONS)
        functions = [f"fun themes{at}() = listOf(\n{text})\n" for at, text in enumerate(makes)]
        every = " + ".join(f"themes{at}()" for at in range(len(makes)))
        calls = "".join(f"        {call}\n" for call, _ in reads)
        main = f"fun main() {{\n    for ((at, v) in ({every}).withIndex()) {{\n        out.println(at)\n{calls}    }}\n"
        files = {f"Read{at}.kt": f"{PACKAGE}{''.join(part)}" for at, part in enumerate(readers)}
        return {**files, "Main.kt": f"{HEAD}{''.join(functions)}{main}    out.flush()\n}}\n"}

    def _reading(self, family: FamilyKey, tokens: Iterable[Token]) -> Iterator[tuple[str, str]]:
        accessor, type_ = self.types[family]
        for at, part in enumerate(parts(list(tokens))):
            name = f"read{type_}{at}"
            lines = "".join(f'    show("{self.names[each.key]}", t.{self.members[each.key]})\n' for each in part)
            has_set = "class DesignTokensValues" in self.entry
            yield f"{name}({f'v.{accessor}' if has_set else type_})", f"fun {name}(t: {type_}) {{\n{lines}}}\n"

    def _theme(self, modes: Mapping[FamilyKey, int]) -> str:
        if "class DesignTokensTheme" not in self.entry:
            return "0"
        body = self.entry.partition("data class DesignTokensTheme(")[2].partition("\n)")[0]
        choices = re.findall(r"public val (`?\w+`?): (\w+)", body)
        arguments = []
        several = [each for each in self.graph.collections.values() if each.origin == "local" and len(each.modes) > 1]
        for family, (accessor, enumeration) in zip(several, choices, strict=True):
            if family.key in modes:
                order = [
                    family.default_mode,
                    *(each for each in range(len(family.modes)) if each != family.default_mode),
                ]
                entry = self._entries(enumeration)[order.index(modes[family.key])]
                arguments.append(f"{accessor} = {enumeration}.{entry}")
        return f"DesignTokensValues(DesignTokensTheme({', '.join(arguments)}))"

    def _entries(self, enumeration: str) -> list[str]:
        source = next(each for each in self.files.values() if f"enum class {enumeration} {{" in each)
        return source.partition(f"enum class {enumeration} {{")[2].partition("}")[0].replace(",", "").split()


def parts(several: Sequence, size: int = LINES) -> list[Sequence]:
    return [several[at : at + size] for at in range(0, len(several), size)]


def lacks_a_value(graph: TokenGraph, token: Token) -> bool:
    """Return whether a token has no value in a mode, or in two modes of different collections."""
    modes = [(key, mode) for key, family in graph.collections.items() for mode in range(len(family.modes))]
    themes = [(mode,) for mode in modes] + [pair for pair in combinations(modes, 2) if pair[0][0] != pair[1][0]]
    return any(expected(token, graph.resolver(Theme("", theme))(token.key)) is None for theme in themes)


def default_theme():
    from tokensync.tokens import DEFAULT_THEME

    return DEFAULT_THEME


def expected(token: Token, literal: Literal) -> tuple | None:
    """What ``outside.expected`` says, in the measures of Compose: rem are 16 dp, families one text, times in ns."""
    value = value_of(kind_of(token), literal)
    match value:
        case ("family", _):
            return ("string", literal if isinstance(literal, str) else ", ".join(name for name, _ in value[1]))
        case ("number", number, "rem"):
            return ("bits", bits(float32(float(number) * 16)))
        case ("number", number, "ms" | "s" as unit):
            return ("number", number * (10**6 if unit == "ms" else 10**9), "ns")
        case ("number", number, _) if token.type == "boolean":
            return ("boolean", bool(number))
        case ("number", number, _):
            return ("bits", bits(float(number)))
    return value


def bits(number: float) -> int:
    return struct.unpack("<i", struct.pack("<f", number + 0.0))[0]


def printed(text: str) -> Iterator[dict[str, tuple]]:
    """The values of each theme by name."""
    values: dict[str, tuple] = {}
    known: dict[str, tuple] = {}
    for line in text.split("\n"):
        name, tab, shown = line.partition("\t")
        if not tab:
            if values:
                yield values
            values = {}
            continue
        value = known.get(shown)
        if value is None:
            value = known[shown] = value_printed(shown)
        values[name] = value


def value_printed(shown: str) -> tuple:
    kind, _, rest = shown.partition(" ")
    match kind:
        case "color":
            alpha, red, green, blue = bytes.fromhex(rest.rjust(8, "0"))
            return ("color", red / 255, green / 255, blue / 255, alpha / 255)
        case "dp" | "sp" | "float":
            return ("bits", int(rest))
        case "weight":
            return ("bits", bits(float(rest)))
        case "boolean":
            return ("boolean", rest == "true")
        case "duration":
            return ("number", Decimal(rest), "ns")
    units = b"".join(int(each).to_bytes(2, "little") for each in rest.split(",") if each)
    return ("string", units.decode("utf-16-le", "surrogatepass"))
