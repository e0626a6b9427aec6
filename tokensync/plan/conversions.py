"""Convert values that only token files can hold to values of variables, and references to other files."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from tokensync.tokens import Alias, ComposedColor, Composite, Quantity, float32, shortest
from tokensync.tokens.composites import decoded
from tokensync.tokens.weights import AS_TEXT, PARTS_OF_STYLE, USUAL_NAMES, FontStyle, font_style

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping

    from tokensync.tokens import Token, TokenKey, Value


_T = TypeVar("_T")
_NEAR_WEIGHT = 100


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
    ``elsewhere`` the keys of other files' tokens. ``weights`` is how the file writes font weights.
    """

    def __init__(
        self, rem: float, remote: Mapping[str, TokenKey], elsewhere: Mapping[TokenKey, str], weights: WeightTexts
    ) -> None:
        self.rem = rem
        self.remote = remote
        self.elsewhere = elsewhere
        self.weights = weights

    def converted(self, value: Value, token: Token, before: Value | None) -> Value:
        """Return the value as a variable holds it, in the place of ``before``. Raises Inexpressible."""
        match value:
            case float() if token.type == AS_TEXT:
                return self._text_of_weight(value, before if isinstance(before, str) else "")
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
        """Return the remote variable here that stands for a token of another file."""
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

    def _text_of_weight(self, weight: float, before: str) -> str:
        text = self.weights.text(weight, before)
        if text is None:
            near = [f'"{name}"' for number, name in USUAL_NAMES.items() if abs(number - weight) <= _NEAR_WEIGHT]
            what = f"its variable holds a text, and the weight {shortest(weight)} has no name"
            raise Inexpressible(what, f"write {' or '.join(near)}")
        return text

    def _family(self, value: Composite) -> str:
        """Return the family of a list of one. A list of several has no form: a variable names one family."""
        try:
            families = decoded(value.json)
        except (ValueError, RecursionError):
            families = None
        if isinstance(families, list) and len(families) == 1 and isinstance(families[0], str) and not value.references:
            return families[0]
        raise Inexpressible("a variable names one font family, and this is not one", "write one family")


class WeightTexts:
    """How a design file writes font weights, learned from the texts in it."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._of_style: dict[FontStyle, Counter[str]] = {}
        parts: list[re.Match[str]] = []
        for text in texts:
            if (style := font_style(text)) is not None:
                self._of_style.setdefault(style, Counter())[text] += 1
                if (found := PARTS_OF_STYLE.fullmatch(text)) is not None:
                    parts.append(found)
        of_two_words = [each for each in parts if each["first"]]
        words = [each["name"] for each in parts if not each["first"] and (each["name"] or "").isalpha()]
        pairs: Counter[tuple[Callable[[str], str], Callable[[str], str]]] = Counter(
            (_casing(each["first"]), _casing(each["name"])) for each in of_two_words
        )
        otherwise, _ = _most(pairs, (str.capitalize, str.capitalize))
        self._casing_of_one = _most(Counter(map(_casing, words)), otherwise)
        self._casing_of_two = _most(pairs, (self._casing_of_one, self._casing_of_one))
        self._separator = _most(Counter(each["separator"] for each in of_two_words), " ")
        self._slants = Counter(each["gap"] + each["slant"] for each in parts if each["slant"] and each["name"])
        self._in_digits = 2 * sum((each["name"] or "").isdigit() for each in parts) > len(parts)

    def text(self, weight: float, before: str = "") -> str | None:
        """Return how the file would write a weight; None for one without a name, unless it writes numbers.

        ``before`` is the text in whose place the new one comes: it stays where it says the weight already, and what is
        italic stays italic.
        """
        old = font_style(before)
        if old is not None and old.weight == weight:
            return before
        style = FontStyle(weight, "" if old is None else old.slant)
        if style in self._of_style:
            return _most(self._of_style[style], "")
        if not style.slant:
            return self._upright(weight)
        upright = self.text(weight)
        return None if upright is None else upright + self._end(before, style.slant)

    def _upright(self, weight: float) -> str | None:
        if self._in_digits and weight.is_integer():
            return str(int(weight))
        name = USUAL_NAMES.get(int(weight)) if weight.is_integer() else None
        if name is None:
            return None
        first, _, second = name.partition("-")
        if not second:
            return self._casing_of_one(first)
        of_first, of_second = self._casing_of_two
        return of_first(first) + self._separator + of_second(second)

    def _end(self, before: str, slant: str) -> str:
        """Return the slant of the old text with the blank before it; as other texts have it, if it is a slant alone."""
        parts = PARTS_OF_STYLE.fullmatch(before)
        if parts is not None and parts["name"]:
            return parts["gap"] + parts["slant"]
        like_it = Counter({each: count for each, count in self._slants.items() if each.lower().endswith(slant)})
        return _most(like_it, self._separator + self._casing_of_one(slant))


def _casing(word: str) -> Callable[[str], str]:
    if word.isupper():
        return str.upper
    return str.lower if word.islower() else str.capitalize


def _most(counted: Counter[_T], otherwise: _T) -> _T:
    """Return what was counted most often, the first of several."""
    return counted.most_common(1)[0][0] if counted else otherwise
