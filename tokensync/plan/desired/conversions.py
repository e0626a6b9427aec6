"""Values that only token files can hold, as values of variables; and references to other files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.tokens import Alias, ComposedColor, Composite, Quantity, float32
from tokensync.tokens.composites import decoded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.tokens import Token, TokenKey, Value


class Inexpressible(Exception):
    """A value that no variable can hold. ``is_error`` when it is a mistake wherever it stands."""

    def __init__(self, what: str, what_to_do: str, *, is_error: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.what_to_do = what_to_do
        self.is_error = is_error


class Converter:
    """Converts values of one file's graph.

    ``rem`` is the number of px of a rem; ``remote`` the remote tokens in use in the file by their variable keys, and
    ``elsewhere`` the keys of other files' tokens.
    """

    def __init__(self, rem: float, remote: Mapping[str, TokenKey], elsewhere: Mapping[TokenKey, str]) -> None:
        self.rem = rem
        self.remote = remote
        self.elsewhere = elsewhere

    def converted(self, value: Value, token: Token) -> Value:
        """The value as a variable holds it. Raises Inexpressible."""
        match value:
            case Alias(target=target) if target.file != token.key.file:
                return self._in_this_file(value)
            case ComposedColor(color=color, opacity=opacity):
                return self._composed(value, token.key.file, color, opacity)
            case Quantity():
                return self._pixels(value, token)
            case Composite():
                return self._family(value)
            case _:
                return value

    def _in_this_file(self, alias: Alias) -> Alias:
        """The remote variable here that stands for a token of another file (platform-facts section 3)."""
        here = self.remote.get(self.elsewhere.get(alias.target) or "-")
        if here is None:
            what = f"it refers to {str(alias.target)[:60]} of another file, which this file does not use yet"
            to_do = "use it once in the design file and pull, or refer to a token of this file"
            raise Inexpressible(what, to_do, is_error=True)
        return Alias(here)

    def _composed(self, value: ComposedColor, file: str, color: object, opacity: object) -> ComposedColor:
        parts = [
            self._in_this_file(part) if isinstance(part, Alias) and part.target.file != file else part
            for part in (color, opacity)
        ]
        return value if parts[0] is color and parts[1] is opacity else ComposedColor(*parts)  # type: ignore[arg-type]

    def _pixels(self, value: Quantity, token: Token) -> float:
        if value.unit != "rem" or token.type != "dimension":
            raise Inexpressible(f"a variable holds no number of {value.unit[:20]}", "write it in px")
        try:
            pixels = float32(value.number * self.rem)
            back = float32(pixels / self.rem)
        except OverflowError:
            raise Inexpressible("the number is too large in px", "write a smaller one") from None
        if back != value.number:
            raise Inexpressible(f"{value.number:g}rem is no px that 32-bit floats keep", "write it in px")
        return pixels

    def _family(self, value: Composite) -> str:
        """The family of a list of one. A list of several has no form: a variable names one family."""
        try:
            families = decoded(value.json)
        except (ValueError, RecursionError):
            families = None
        if isinstance(families, list) and len(families) == 1 and isinstance(families[0], str) and not value.references:
            return families[0]
        raise Inexpressible("a variable names one font family, and this is not one", "write one family")
