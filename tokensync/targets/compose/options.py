"""Options of a compose output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterator

_TAKEN = frozenset(
    "Any Array Boolean Byte Char Comparable Deprecated Double Enum Float Function Int Iterable JvmName Lazy List Long "
    "Map Nothing Number Pair Short String Suppress Throwable TokenBorder TokenShadow TokenStrokeStyle TokenTransition "
    "Unit".split()
)
"""What generated Kotlin says without importing it, or declares: an object of this name would stand in its place."""

PackageName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$(?!\n)",
        max_length=200,
        description="The Kotlin package: names joined by dots.",
    ),
]
TypeName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Z][A-Za-z0-9]*$(?!\n)",
        max_length=64,
        description="The object through which tokens are read, and its file: a capital, then letters and digits.",
    ),
]
ThemeName = Annotated[str, Meta(min_length=1)]


class ComposeTheme(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """When the system shows a theme. ``none`` keeps one out that tells by its name that it is dark or light."""

    appearance: Annotated[
        Literal["", "light", "dark", "none"],
        Meta(description="Shown by a light or a dark system, or (`none`) never by itself."),
    ] = ""


class ComposeOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How Kotlin is written.

    ``name`` is that of the object through which tokens are read and of its file; what belongs to it begins with it.
    ``descriptions`` tells whether tokens have theirs as documentation. ``themes`` overrides, by the name of a theme,
    when the system shows it.
    """

    package: PackageName = "design.tokens"
    name: TypeName = "DesignTokens"
    visibility: Annotated[Literal["public", "internal"], Meta(description="Who sees the declarations.")] = "public"
    descriptions: Annotated[bool, Meta(description="Document tokens with their descriptions.")] = True
    themes: Annotated[
        dict[ThemeName, ComposeTheme], Meta(description="By the name of a theme, when the system shows it.")
    ] = field(default_factory=dict)

    def faults(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Find what a schema cannot tell: a name that the generated Kotlin uses for something else, or a package that
        belongs to the language. Each fault has the names that lead to it.
        """
        if self.name in _TAKEN:
            yield ("name",), f"{self.name!r} is a name that the generated Kotlin uses for something else"
        if self.package.partition(".")[0] in ("java", "kotlin"):
            yield ("package",), f"{self.package!r:.80} is among the packages of the language itself"
