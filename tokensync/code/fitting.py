"""The tokens that fit a raw value: by type, use and value, in every theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tokensync.code.raw_values import RawValue
    from tokensync.project.configuration import Project
    from tokensync.tokens import Literal, TokenGraph, TokenKey


class Fit(NamedTuple):
    """A token that fits a raw value, and the text that refers to it there.

    ``distance`` is 0 if the values are equal in every theme; else that of CIEDE2000, px or ms in the theme with the
    largest one. ``differs`` has the themes in which they are not equal.
    """

    key: TokenKey
    reference: str
    distance: float
    differs: tuple[str, ...] = ()


class Fitting:
    """The values of all tokens in every theme, by value, with the texts that refer to them in each syntax."""

    def __init__(self, project: Project, graph: TokenGraph) -> None:
        self._project, self._graph = project, graph
        self._by_value: dict[Literal, list[TokenKey]] = {}

    def fits(self, raw: RawValue) -> tuple[Fit, ...]:
        """Return the tokens that fit, best first: equal in every theme, of that use; then near ones."""
        return tuple(Fit(key, f"var(--{key.path})", 0.0) for key in self._by_value.get(raw.value, ()))

    def unambiguous(self, raw: RawValue) -> Fit | None:
        """Return the token that can replace a raw value without a person's decision; None if there is none."""
        fits = self.fits(raw)
        return fits[0] if len(fits) == 1 and not fits[0].differs else None
