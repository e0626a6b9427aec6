"""The rows of changes, and the words for values in them.

Every text about changes renders these rows: the review of a plan as text and as Markdown, differences between states as
text, Markdown and a page, the message of a commit, and the comments of the GitHub Action. Values are JSON, as in
``tokensync.tokens.values.json_value``. Two values of a change are as short as possible, but never the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tokensync.system.outlet.markdown import Markdown, code, group, number, plain, row, text
from tokensync.system.wording import shortened
from tokensync.tokens import Color, hexadecimal, shortest
from tokensync.tokens.composites import plain_numbers
from tokensync.tokens.values import exact_channels, float32, normalized

MOST_MEMBERS = 24
"""The most changed members shown of a token or collection, of which each mode is one."""
LONGEST = 60
"""The most characters shown of a text in quotes."""

_LONGEST_JSON = 120  # characters of a list or object
_CONTEXT = 12  # characters that stay before the first difference


class Row(NamedTuple):
    """A changed member of a token or collection. ``before`` or ``after`` is None where it has no value."""

    what: str
    before: str | None = None
    after: str | None = None

    @property
    def words(self) -> str:
        """Return ``#112233 -> #334455``, ``added 16`` or ``removed "Old."``."""
        if self.before is None:
            return f"added {self.after}"
        return f"removed {self.before}" if self.after is None else f"{self.before} -> {self.after}"


def rows_of(what: str, before: Any, after: Any) -> Iterator[Row]:
    """Yield the row of a changed value; if one part of a composed colour changed, only that part."""
    if _is_composed(before) and _is_composed(after):
        parts = inner_rows(before, after)
        if len(parts) == 1:
            yield parts[0]._replace(what=f"{what}: {parts[0].what}")
            return
    if before is None or after is None:
        yield Row(what, None if before is None else worded(before), None if after is None else worded(after))
    else:
        yield Row(what, *worded_pair(before, after))


def rows_of_texts(what: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Row]:
    """Yield a row for each changed text of several, such as the code syntax of each platform."""
    for name in sorted({**before, **after}):
        if before.get(name) != after.get(name):
            yield from rows_of(f"{what}{name}", before.get(name), after.get(name))


def worded_pair(before: Any, after: Any) -> tuple[str, str]:
    """Return two values in words, as short as possible but never the same for different values."""
    first, second = worded(before), worded(after)
    if isinstance(before, str) and isinstance(after, str):
        return tuple(map(_json, _around_difference(before, after, LONGEST)))  # type: ignore[return-value]
    if first == second:
        first, second = worded(before, exact=True), worded(after, exact=True)
    if first == second and before != after:
        return _around_difference(_json(before), _json(after), _LONGEST_JSON)
    return first, second


def inner_rows(before: Any, after: Any) -> list[Row]:
    """Return a row for each part in which two composite values differ: ``style``, ``[1].blur``, ``fontSize``.

    An item of a list that moves is removed and added.
    """
    # An import takes as long as a small plan, and few changes concern composite values.
    from deepdiff import DeepDiff

    changes = DeepDiff(_folded(before), _folded(after), view="tree", threshold_to_diff_deeper=0)
    levels = [(level.path(output_format="list"), level.t1, level.t2) for levels in changes.values() for level in levels]
    result: list[Row] = []
    for steps, old, new in sorted(levels, key=lambda level: [(isinstance(step, str), step) for step in level[0]]):
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")
        first, second = _unfolded(old), _unfolded(new)
        if steps and isinstance(steps[-1], int) and _has_parts(first) and _has_parts(second):
            inner = inner_rows(first, second)  # items of a list are compared as a whole first, to align the lists
            for part in inner:
                separator = "" if part.what[:1] == "[" else "."
                result.append(part._replace(what=f"{path}{separator}{part.what}"))
        elif first is _ABSENT or second is _ABSENT:
            old_words, new_words = (None if value is _ABSENT else worded(value) for value in (first, second))
            result.append(Row(path, old_words, new_words))
        else:
            result.append(Row(path, *worded_pair(first, second)))
    return result


def difference_in_words(before: Any, after: Any) -> str:
    """Return ``#112233 -> #334455``; of composite values, only the parts that differ."""
    before, after = _parsed(before), _parsed(after)
    both = _is_composed(before) and _is_composed(after)
    if both or (_has_parts(before) and _has_parts(after)):
        rows = inner_rows(before, after)
        if not (both and len(rows) > 1):
            parts = [f"{part.what} {part.words}".lstrip() for part in rows]
            return parts[0] if len(parts) == 1 else shortened("; ".join(parts), _LONGEST_JSON)
    return " -> ".join(worded_pair(before, after))


def color_of(value: Any) -> Color | None:
    """Return the colour that a value is, if it is one."""
    match value:
        case [_, _, _, _] if isinstance(value, list) and all(type(channel) in (int, float) for channel in value):
            red, green, blue, alpha = map(float32, value)
            return Color(red, green, blue, alpha)
        case {"colorSpace": "srgb", "components": [int() | float(), int() | float(), int() | float()] as channels}:
            red, green, blue, alpha = map(float32, (*channels, value.get("alpha", 1)))
            return Color(red, green, blue, alpha)
        case _:
            return None


def table_rows(verb: str, name: str, cells: Sequence[tuple[Markdown, ...]], *, most: int = MOST_MEMBERS) -> Markdown:
    """Return the rows of a Markdown table for one token or collection: its name once, and its changed members."""
    empty = text("")
    listed = list(cells[:most])
    if len(cells) > most:
        more = text("… and {} more", number(len(cells) - most))
        listed.append((more, *[empty] * (len(cells[0]) - 1)))
    first, *others = listed
    return group((row(plain(verb), code(name), *first), *(row(empty, empty, *members) for members in others)))


_ABSENT = object()
_WHOLE = ({"alias"}, {"dangling"}, {"percent"}, {"value", "unit"})
"""The members of objects that are one value for a reader."""


def worded(value: Any, *, exact: bool = False) -> str:
    """Return a value in words: ``#0b6e7a``, ``16``, ``"Inter"``, ``{theme.accent}``, ``{theme.accent} at 40 %``.

    ``exact`` shows the channels of a colour.
    """
    value = _parsed(value)
    if (color := color_of(value)) is not None:
        return exact_channels(color) if exact else hexadecimal(color)
    match value:
        case str():
            return _json(shortened(value, LONGEST))
        case float():
            return shortest(normalized(value))
        case {"alias": [str(), str(handle), str(path)]}:
            return f"{{{handle}.{path}}}" if handle else f"{{{path}}}"
        case {"dangling": str(identity)}:
            return f"{{{identity}}} (does not exist)"
        case {"color": color, "opacity": opacity, **others} if not others:
            return f"{worded(color, exact=exact)} at {'no opacity' if opacity is None else worded(_share(opacity))}"
        case {"percent": int() | float() as percent}:
            return f"{shortest(float32(percent))} %"
        case {"value": int() | float() as number_, "unit": str(unit), **others} if not others:
            return f"{shortest(number_)}{unit}"
        case _:
            return shortened(_json(value), _LONGEST_JSON)


def _color_object(color: Any) -> Any:
    """Return a colour as in a composite value."""
    return {"colorSpace": "srgb", "components": color[:3], "alpha": color[3]} if isinstance(color, list) else color


def _share(opacity: Any) -> Any:
    """Return an opacity as a value of its own, in percent unless it is a reference."""
    return {"percent": opacity} if isinstance(opacity, int | float) else opacity


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _around_difference(before: str, after: str, longest: int) -> tuple[str, str]:
    """Return two texts; long ones are cut around the first character that differs."""
    if max(len(before), len(after)) <= longest:
        return before, after
    pairs = enumerate(zip(before, after, strict=False))
    first = next((at for at, (old, new) in pairs if old != new), min(len(before), len(after)))
    start = max(0, first - _CONTEXT)
    end = start + longest
    cut = (f"{'…' if start else ''}{whole[start:end]}{'…' if end < len(whole) else ''}" for whole in (before, after))
    return tuple(cut)  # type: ignore[return-value]


def _parsed(value: Any) -> Any:
    """Return a composite's value parsed from its JSON text; any other value unchanged."""
    if isinstance(value, dict) and isinstance(value.get("composite"), str):
        try:
            return _inner(json.loads(value["composite"]))
        except ValueError:
            return value
    return value


def _inner(value: Any) -> Any:
    """Return the JSON of a composite with tuples as lists. Outside of it, a list of four numbers is a colour."""
    if isinstance(value, list):
        return tuple(map(_inner, value))
    return {name: _inner(part) for name, part in value.items()} if isinstance(value, dict) else value


def _is_composed(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"color", "opacity"}


def _has_parts(value: Any) -> bool:
    """Return whether parts of a value are shown by themselves: no colour, reference or quantity."""
    is_whole = isinstance(value, dict) and value.keys() in _WHOLE
    return isinstance(value, list | tuple | dict) and not is_whole and color_of(value) is None


def _folded(value: Any) -> Any:
    """Return the objects of a value with everything else as JSON text, so that it is compared as a whole.

    The items of a list are texts, since DeepDiff aligns lists only of values that can be hashed. Numbers in texts are
    those of ``shortest``, so 1 is 1.0, but not true.
    """
    if _is_composed(value):
        return {"color": _text(_color_object(value["color"])), "opacity": _text(_share(value["opacity"]))}
    if not _has_parts(value):
        return _text(value)
    if isinstance(value, list | tuple):
        return [_text(item) for item in value]
    return {name: _folded(inner) for name, inner in value.items()}


def _text(value: Any) -> str:
    return json.dumps(plain_numbers(value), sort_keys=True)


def _unfolded(value: Any) -> Any:
    match value:
        case str():
            return _inner(json.loads(value))
        case dict():
            return {name: _unfolded(part) for name, part in value.items()}
        case list():
            return tuple(map(_unfolded, value))
        case _:
            return _ABSENT  # DeepDiff's mark
