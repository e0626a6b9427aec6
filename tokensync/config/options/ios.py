"""Options of an ios output."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

SwiftName = Annotated[str, Meta(pattern=r"^[A-Z][A-Za-z0-9]*$(?!\n)", max_length=64)]
ModuleName = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_.]*$(?!\n)", max_length=128)]
Expression = Annotated[str, Meta(pattern=r"^\S[^\r\n]*$(?!\n)", max_length=256)]


class IosTheme(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What shows a theme: an appearance of the system, which may be one of more contrast, or a kind of device.

    An appearance of ``none`` keeps a theme out that tells by its name that it is one.
    """

    appearance: Literal["", "light", "dark", "none"] = ""
    contrast: Literal["", "high"] = ""
    idiom: Literal["", "iphone", "ipad", "mac", "watch", "tv", "vision", "car"] = ""


class IosOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The Swift that is written and the asset catalog beside it.

    ``name`` is that of the enum of all tokens and of its file; ``nested`` puts an enum a collection into it.
    ``bundle`` is the Swift expression of the bundle that has the catalog; ``imports`` are further modules to import.
    ``weights`` tells whether a font weight that has a name is a Font.Weight, or each is a number.

    ``colors`` live in the catalog, or in Swift alone. ``catalog`` is its name, ``groups`` its folders by collection or
    by path, ``namespace`` whether a folder is part of a colour's name; ``color_space`` that of the components.

    ``also`` names further files: ``swiftui`` extends Color and ShapeStyle, ``uikit`` extends UIColor, ``themes``
    declares a protocol for each set of modes to choose from, with a struct a mode. ``themes`` overrides, by the name of
    a theme, what the system shows it for.
    """

    name: SwiftName = "Tokens"
    nested: bool = False
    access: Literal["public", "package", "internal"] = "public"
    bundle: Expression = ".module"
    imports: tuple[ModuleName, ...] = ()
    weights: Literal["named", "number"] = "named"
    colors: Literal["catalog", "swift"] = "catalog"
    catalog: SwiftName = "Tokens"
    groups: Literal["none", "collection", "path"] = "none"
    namespace: bool = False
    color_space: Literal["srgb", "display-p3"] = "srgb"
    also: tuple[Literal["swiftui", "uikit", "themes"], ...] = ()
    themes: dict[str, IosTheme] = field(default_factory=dict)
