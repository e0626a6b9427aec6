"""Convert a graph of tokens to one that a design file can hold, without loss; the rest is reported as problems.

Token files hold more than variables can (units, lists of fonts, composite values) and less (no scopes for a new token).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec.structs import replace

from tokensync.normalize.mapping import RESOLVED_TYPES, TypeRules, name_of_path, path_of_name, unique
from tokensync.plan.state import refs_of
from tokensync.plan.validation import SCOPES
from tokensync.system.problems import Problem, problem
from tokensync.tokens import (
    Alias,
    Color,
    ComposedColor,
    Composite,
    Mode,
    Quantity,
    TokenGraph,
    float32,
    shortest,
    targets,
)
from tokensync.tokens.algorithms import closure
from tokensync.tokens.composites import font_list
from tokensync.tokens.values import (
    AS_TEXT,
    PARTS_OF_STYLE,
    PIXELS_PER_REM,
    USUAL_NAMES,
    FontStyle,
    font_style,
    in_display_p3,
    is_outside,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.plan.state import Ref
    from tokensync.tokens import Collection, Extension, Token, TokenKey, Value
    from tokensync.tokens.collection import FamilyKey

    LocationOf = Callable[[TokenKey, str | None], str]
    import re
    from collections.abc import Callable, Iterable

    from tokensync.tokens import TokenKey


_PLACEHOLDERS: dict[str, Value] = {"COLOR": Color(0.0, 0.0, 0.0), "FLOAT": 0.0, "STRING": "", "BOOLEAN": False}
"""Values used after an error, so that a reported value is not reported as missing again. Such a plan is not made."""
_SHOWN = 3  # tokens named by a note


class Desired(NamedTuple):
    """A graph in which a variable can hold every value, with the problems and notes of the conversion.

    ``retyped`` holds the refs, old to new, of variables whose type changes, which requires a deletion and a new
    variable.
    """

    graph: TokenGraph
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    retyped: Mapping[Ref, Ref]


def desired(
    graph: TokenGraph,
    theirs: TokenGraph,
    *,
    location_of: LocationOf,
    code_syntax: Mapping[TokenKey, Mapping[str, str]] | None = None,
    keys_elsewhere: Mapping[TokenKey, str] | None = None,
    rules: TypeRules | None = None,
    rem: float = PIXELS_PER_REM,
    display_p3: bool = False,
) -> Desired:
    """Return the desired content of the platform for a merged graph of one file; ``theirs`` is its current content.

    ``location_of`` returns the location of a token (context None) or of its value in a context in the token files.
    ``code_syntax`` holds texts by the platform's names for platforms, ``keys_elsewhere`` the variable keys of other
    files' tokens. ``rules`` derive token types from scopes, as in a pull. ``rem`` is in px. ``display_p3`` means that
    the design file's components are in Display P3. A new token without scopes gets those from which a pull reads the
    same type.
    """
    builder = _Builder(
        with_inherited_modes(graph, theirs),
        theirs,
        location_of,
        keys_elsewhere or {},
        rules or TypeRules(),
        rem,
        display_p3,
    )
    return builder.desired(code_syntax or {})


class _Builder:
    def __init__(
        self,
        graph: TokenGraph,
        theirs: TokenGraph,
        location_of: LocationOf,
        keys_elsewhere: Mapping[TokenKey, str],
        rules: TypeRules,
        rem: float,
        display_p3: bool,
    ) -> None:
        self.graph = graph
        self.display_p3 = display_p3
        self.location_of = location_of
        self.rules = rules
        self.theirs = {token.id: token for token in theirs.tokens.values() if token.id}
        self.old_modes = {
            family.id: {mode.id: column for column, mode in enumerate(family.modes)}
            for family in theirs.collections.values()
            if family.id
        }
        remote = {each.variable_key: each.key for each in self.theirs.values() if each.origin == "remote"}
        texts = (each for token in theirs.tokens.values() if token.type == AS_TEXT for each in token.values)
        weights = WeightTexts(each for each in texts if isinstance(each, str))
        self.converter = Converter(rem, remote, keys_elsewhere, weights)
        self.problems: list[Problem] = []
        self.retyped: dict[str, TokenKey] = {}
        self.noted: dict[str, list[TokenKey]] = {}
        self.unsupported: Counter[str] = Counter()
        self.first_unsupported: dict[str, TokenKey] = {}
        self.omitted_keys: dict[TokenKey, None] = {}
        self.with_types_to_check: list[TokenKey] = []

    def desired(self, code_syntax: Mapping[TokenKey, Mapping[str, str]]) -> Desired:
        tokens: dict[TokenKey, Token] = {}
        for key, token in self.graph.tokens.items():
            if token.origin != "local":
                tokens[key] = token
            elif token.type not in RESOLVED_TYPES:
                self.unsupported[token.type] += 1
                self.first_unsupported.setdefault(token.type, key)
            elif (converted := self._token(token)) is not None:
                texts = code_syntax.get(key)
                if texts:
                    converted = replace(
                        converted, code_syntax=tuple(sorted({**dict(converted.code_syntax), **texts}.items()))
                    )
                tokens[key] = converted
        self._omit_dependents(tokens)
        self._report_types(tokens)
        for kind, number in self.unsupported.items():
            others = "" if number == 1 else f"; nor can {number - 1:,} more of this type"
            where = self.location_of(self.first_unsupported[kind], None)
            what, to_do = f"a {kind} token cannot be a variable{others}", "it stays in the token files"
            self.problems.append(problem("token-without-variable", where, what, to_do))
        graph = TokenGraph(self.graph.collections.values(), tokens.values())
        retyped = {}
        if self.retyped:
            refs = refs_of(graph)
            retyped = {old: refs.tokens[key] for old, key in self.retyped.items() if key in graph.tokens}
        return Desired(graph, tuple(self.problems), self._notes(), retyped)

    def _token(self, token: Token) -> Token | None:
        """Return the token as a variable can hold it; None if it stays only in the token files."""
        was = self.theirs.get(token.id) if token.id else None
        family = self.graph.collections[token.key[:2]]
        self._check_name(token.key, was)
        values = self._values(token, was, family)
        if values is None:
            return None
        converted = token if values == token.values else replace(token, values=values)
        if was is not None and RESOLVED_TYPES.get(was.type) != RESOLVED_TYPES[token.type]:
            self.retyped[was.id] = token.key
            converted = replace(converted, id="", variable_key="", published=None)
            if set(converted.scopes) == set(was.scopes):  # they were meant for the old type
                return self._rescoped(converted, family)
            was = None
        if was is None and not converted.scopes:
            converted = self._scoped(converted, family)
        elif was is not None and was.type != converted.type:
            self.with_types_to_check.append(token.key)
        return converted

    def _check_name(self, key: TokenKey, was: Token | None) -> None:
        """Report a name that a pull would read as another path: the token would appear twice in the files."""
        if "/" not in key.path and "%" not in key.path:
            return
        name = name_of_path(key.path)
        read = path_of_name(name)
        if read != key.path and (was is None or name_of_path(was.key.path) != name):
            what = f"a pull would read its name {name[:60]!r} as the path {read[:60]}"
            to_do = f"move it to {read[:60]}: a slash in a variable's name is a group in token files"
            self.problems.append(problem("plan-name-path", self.location_of(key, None), what, to_do))

    def _values(self, token: Token, was: Token | None, family: Collection) -> tuple[Value | None, ...] | None:
        values: list[Value | None] = []
        old_modes = self.old_modes.get(family.id, {}) if was is not None else {}
        for column, value in enumerate(token.values):
            old_column = old_modes.get(family.modes[column].id)
            before = None if was is None or old_column is None else was.values[old_column]
            try:
                converted = None if value is None else self.converter.convert(value, token, before)
            except Inexpressible as error:
                where = self.location_of(token.key, family.modes[column].context)
                if was is None and not error.is_error:
                    self.problems.append(problem("token-left-out", where, error.what, error.what_to_do))
                    self.omitted_keys[token.key] = None
                    return None
                self.problems.append(problem("token-inexpressible", where, error.what, error.what_to_do))
                converted = _PLACEHOLDERS[RESOLVED_TYPES[token.type]]
            else:
                is_new = was is None or converted not in was.values
                if isinstance(value, Quantity) and is_new:
                    self._note(f"1 rem is converted to {self.converter.rem:g} px", token.key)
                if is_new and type(value) is Composite and len(font_list(value) or ()) > 1:
                    self._note("its variable holds the first font of its list, and code has all of them", token.key)
                if token.notations and is_new and type(value) is Color:
                    self._check_color(token, value, family.modes[column].context)
            values.append(converted)
        default = values[family.default_mode]
        for column, mode in enumerate(family.modes):
            if mode.parent is None and values[column] is None and default is not None and mode.id not in old_modes:
                values[column] = default
                self._note("the default mode's value is used in modes without a value", token.key)
        return tuple(values)

    def _check_color(self, token: Token, value: Color, context: str) -> None:
        """Note a colour that a variable does not hold exactly; report one that a file in Display P3 would not hold."""
        written = next((each.wide for each in token.notations if each.wide and each.value == value), "")
        exact = replace(value, wide=written)
        if written and self.display_p3:
            what = "an output has the profile display-p3, but its variable would get components in sRGB"
            components = ", ".join(shortest(float32(each)) for each in in_display_p3(exact))
            to_do = f'write the components of the design file: {{"colorSpace": "srgb", "components": [{components}]}}'
            self.problems.append(problem("color-profile", self.location_of(token.key, context), what, to_do))
        elif is_outside(exact):
            self._note("a colour outside of sRGB is converted to the closest one in sRGB", token.key)

    def _rescoped(self, token: Token, family: Collection) -> Token:
        """Return a token of a new type with those of its scopes that fit, if a pull then reads its type from them."""
        kind = RESOLVED_TYPES[token.type]
        fitting = tuple(each for each in token.scopes if each in SCOPES[kind])
        implied = self.rules.type_of(kind, fitting, name_of_path(token.key.path), family.name)
        if implied == token.type and (fitting or not token.scopes):
            return replace(token, scopes=fitting)
        return self._scoped(replace(token, scopes=()), family)

    def _scoped(self, token: Token, family: Collection) -> Token:
        self.with_types_to_check.append(token.key)
        scopes = self.rules.scopes_of(token.type, name_of_path(token.key.path), family.name)
        if scopes is None:
            return token
        if "FONT_WEIGHT" in scopes:
            # The platform stores a number's FONT_WEIGHT as FONT_STYLE, and a text cannot have FONT_WEIGHT.
            needless = "FONT_WEIGHT" if token.type == AS_TEXT else "FONT_STYLE"
            scopes = tuple(each for each in scopes if each != needless)
        return replace(token, scopes=scopes)

    def _report_types(self, tokens: Mapping[TokenKey, Token]) -> None:
        """Note the tokens whose type a pull would not read from the platform."""
        if not self.with_types_to_check:
            return
        numbers = self.rules.numbers(tokens.values(), lambda key: self.graph.collections[key[:2]].name)
        for key in self.with_types_to_check:
            token = tokens.get(key)
            if token is None:
                continue
            if key in numbers:
                read = numbers[key].type
            else:
                family = self.graph.collections[key[:2]]
                read = self.rules.type_of(RESOLVED_TYPES[token.type], token.scopes, name_of_path(key.path), family.name)
            if (read, token.type) == (AS_TEXT, "string"):  # ``with_weights`` found other values than weights
                continue
            if read != token.type:
                what = f"only the token files have the type {token.public_type}"
                self._note(f"{what}, since scopes, aliases and names do not imply it", key)

    def _omit_dependents(self, tokens: dict[TokenKey, Token]) -> None:
        """Omit new tokens that refer to omitted tokens."""
        if not self.omitted_keys:
            return
        # By target: each token that refers to it, and the first mode in which it does.
        referring: dict[TokenKey, dict[TokenKey, int]] = {}
        for key, token in tokens.items():
            for column, value in enumerate(token.values if token.origin == "local" else ()):
                for target in targets(value):
                    referring.setdefault(target, {}).setdefault(key, column)
        for key, target_key in closure(self.omitted_keys, lambda each: referring.get(each, ())).items():
            omitted = tokens.pop(key, None)
            if omitted is None:
                continue
            column = referring[target_key][key]
            where = self.location_of(key, self.graph.collections[key[:2]].modes[column].context)
            what = f"it refers to {str(target_key)[:60]}, which stays in the token files"
            code = "token-inexpressible" if omitted.id else "token-left-out"
            to_do = "refer to a token that can be a variable"
            self.problems.append(problem(code, where, what, to_do))

    def _note(self, what: str, key: TokenKey) -> None:
        self.noted.setdefault(what, []).append(key)

    def _notes(self) -> tuple[str, ...]:
        notes = []
        for what, keys in self.noted.items():
            distinct = [*dict.fromkeys(keys)]
            named = ", ".join(str(key)[:60] for key in distinct[:_SHOWN])
            count = f" and {len(distinct) - _SHOWN} more" if len(distinct) > _SHOWN else ""
            notes.append(f"{what}: {named}{count}")
        return tuple(notes)


def with_inherited_modes(graph: TokenGraph, theirs: TokenGraph) -> TokenGraph:
    """Return the graph with the modes that the platform will give this file's extensions.

    So token files can omit them, and removing the file of an extension's mode removes its overrides. Where an extension
    in ``theirs`` lacks a mode, it stays missing. New modes are at the end of a family.
    """
    known = {family.id: family for family in theirs.collections.values() if family.id}
    changed: dict[FamilyKey, Collection] = {}
    for key, family in graph.collections.items():
        if family.extensions and family.origin == "local":
            now = _inherit_modes(family, known.get(family.id))
            if now != family:
                changed[key] = now
    if not changed:
        return graph
    added = {key: len(now.modes) - len(graph.collections[key].modes) for key, now in changed.items()}
    return TokenGraph(
        (changed.get(key, family) for key, family in graph.collections.items()),
        (
            replace(token, values=token.values + (None,) * count) if (count := added.get(key[:2], 0)) else token
            for key, token in graph.tokens.items()
        ),
    )


def _inherit_modes(family: Collection, was: Collection | None) -> Collection:
    modes = list(family.modes)
    missing = _missing_modes(was)
    ids = {} if was is None else {(each.collection, _parent_id(was, each)): each.id for each in was.modes}
    contexts = {mode.context for mode in modes}
    for extension in _parents_first(family):
        if extension.origin != "local":
            continue
        slugs = {mode.slug for mode in modes if mode.collection == extension.handle}
        has = {mode.parent for mode in modes if mode.collection == extension.handle}
        platform_handle = _platform_handle(extension, was)
        for column, above in enumerate(family.modes if extension.parent == family.handle else tuple(modes)):
            if above.collection != extension.parent or column in has or (extension.id, above.id) in missing:
                continue
            slug = unique(above.slug, slugs)
            modes.append(
                Mode(
                    name=above.name,
                    collection=extension.handle,
                    slug=slug,
                    context=unique(f"{extension.handle}.{slug}", contexts),
                    id=ids.get((platform_handle, above.id), "") if above.id else "",
                    parent=column,
                )
            )
    for column, mode in enumerate(modes):
        if (
            mode.parent is not None
            and mode.name != modes[mode.parent].name
            and mode.collection in _local_handles(family)
        ):
            modes[column] = replace(mode, name=modes[mode.parent].name)
    extensions = tuple(_with_default(each, family, modes, was) for each in family.extensions)
    return replace(family, modes=tuple(modes), extensions=extensions)


def _parents_first(family: Collection) -> list[Extension]:
    """Return the direct and indirect extensions of the root, the nearest first."""
    extending: dict[str, list[str]] = {}
    for each in family.extensions:
        extending.setdefault(each.parent, []).append(each.handle)
    depth = {family.handle: 0}
    for handle, parent in closure(depth, lambda each: extending.get(each, ())).items():
        depth.setdefault(handle, depth[parent] + 1)
    return sorted((each for each in family.extensions if each.handle in depth), key=lambda each: depth[each.handle])


def _local_handles(family: Collection) -> set[str]:
    return {each.handle for each in family.extensions if each.origin == "local"}


def _missing_modes(was: Collection | None) -> set[tuple[str, str]]:
    """Return (extension id, id of its parent's mode) wherever the platform has no mode that extends it."""
    if was is None:
        return set()
    has = {(mode.collection, mode.parent) for mode in was.modes}
    return {
        (extension.id, above.id)
        for extension in was.extensions
        for column, above in enumerate(was.modes)
        if above.collection == extension.parent and (extension.handle, column) not in has
    }


def _platform_handle(extension: Extension, was: Collection | None) -> str:
    """Return the handle of an extension in the platform's graph."""
    found = () if was is None or not extension.id else was.extensions
    return next((each.handle for each in found if each.id == extension.id), "")


def _parent_id(family: Collection, mode: Mode) -> str:
    return "" if mode.parent is None else family.modes[mode.parent].id


def _with_default(extension: Extension, family: Collection, modes: list[Mode], was: Collection | None) -> Extension:
    """Return the extension with the default mode that extends the root's, unless it has the platform's."""
    if extension.origin != "local":
        return extension
    platform_defaults = _platform_defaults(was)
    if (
        extension.id
        and modes[extension.default_mode].id
        and platform_defaults.get(extension.id) == modes[extension.default_mode].id
    ):
        return extension
    line = {family.default_mode}
    for column, mode in enumerate(modes):
        if mode.parent in line:
            line.add(column)
    default = next((each for each in sorted(line) if modes[each].collection == extension.handle), None)
    return extension if default is None else replace(extension, default_mode=default)


def _platform_defaults(was: Collection | None) -> Mapping[str, str]:
    if was is None:
        return {}
    return {each.id: was.modes[each.default_mode].id for each in was.extensions if each.id}


_T = TypeVar("_T")
_NEAR_WEIGHT = 100


class Inexpressible(Exception):
    """A value that no variable can hold. ``is_error`` is set if it is an error even in a new token."""

    def __init__(self, what: str, what_to_do: str, *, is_error: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.what_to_do = what_to_do
        self.is_error = is_error


class Converter:
    """Converts values of one file's graph.

    ``rem`` is the size of a rem in px, ``remote`` maps variable keys to the remote tokens that the file uses, and
    ``elsewhere`` other files' tokens to their variable keys. ``weights`` has the file's style of font weights.
    """

    def __init__(
        self, rem: float, remote: Mapping[str, TokenKey], elsewhere: Mapping[TokenKey, str], weights: WeightTexts
    ) -> None:
        self.rem = rem
        self.remote = remote
        self.elsewhere = elsewhere
        self.weights = weights

    def convert(self, value: Value, token: Token, before: Value | None) -> Value:
        """Return the value as a variable holds it, to replace ``before``. Raises Inexpressible."""
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
                return self._font_family(value)
            case _:
                return value

    def _in_this_file(self, alias: Alias) -> Alias:
        """Return an alias to the remote variable in this file for a token of another file."""
        here = self.remote.get(self.elsewhere.get(alias.target) or "-")
        if here is None:
            what = f"it refers to {str(alias.target)[:60]} of another file, which this file does not use yet"
            to_do = "use it in the design file and pull, or refer to a token of this file"
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
            raise Inexpressible(f"a variable cannot hold the unit {value.unit[:20]}", "write it in px")
        try:
            pixels = float32(value.number * self.rem)
            back = float32(pixels / self.rem)
        except OverflowError:
            raise Inexpressible(f"{value.number:g}rem is too large in px", "write a smaller number") from None
        if back != value.number:
            what = f"{value.number:g}rem cannot be converted to px exactly in 32-bit floats"
            raise Inexpressible(what, f'write it in px: {{"value": {shortest(pixels)}, "unit": "px"}}')
        return pixels

    def _text_of_weight(self, weight: float, before: str) -> str:
        text = self.weights.text(weight, before)
        if text is None:
            near = [f'"{name}"' for number, name in USUAL_NAMES.items() if abs(number - weight) <= _NEAR_WEIGHT]
            what = f"its variable holds a text, but the weight {shortest(weight)} has no name"
            raise Inexpressible(what, f"write {' or '.join(near)}")
        return text

    def _font_family(self, value: Composite) -> str:
        """Return the first family of a list. A variable cannot hold several."""
        families = font_list(value)
        if families is None:
            raise Inexpressible("a variable holds a font family, and the value is none", "write one family")
        return families[0]


class WeightTexts:
    """The style in which a design file writes font weights, derived from its texts."""

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
        default, _ = _most_common(pairs, (str.capitalize, str.capitalize))
        self._casing_of_one = _most_common(Counter(map(_casing, words)), default)
        self._casing_of_two = _most_common(pairs, (self._casing_of_one, self._casing_of_one))
        self._separator = _most_common(Counter(each["separator"] for each in of_two_words), " ")
        self._slants = Counter(each["gap"] + each["slant"] for each in parts if each["slant"] and each["name"])
        self._in_digits = 2 * sum((each["name"] or "").isdigit() for each in parts) > len(parts)

    def text(self, weight: float, before: str = "") -> str | None:
        """Return a weight in the file's style; None if it has no name and the file does not write numbers.

        ``before`` is the text to replace: it stays if it has the weight already, and italic stays italic.
        """
        old = font_style(before)
        if old is not None and old.weight == weight:
            return before
        style = FontStyle(weight, "" if old is None else old.slant)
        if style in self._of_style:
            return _most_common(self._of_style[style], "")
        if not style.slant:
            return self._upright(weight)
        upright = self.text(weight)
        return None if upright is None else upright + self._slant(before, style.slant)

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

    def _slant(self, before: str, slant: str) -> str:
        """Return the slant of the old text with its separator; in the style of other texts if it is a slant alone."""
        parts = PARTS_OF_STYLE.fullmatch(before)
        if parts is not None and parts["name"]:
            return parts["gap"] + parts["slant"]
        like_it = Counter({each: count for each, count in self._slants.items() if each.lower().endswith(slant)})
        return _most_common(like_it, self._separator + self._casing_of_one(slant))


def _casing(word: str) -> Callable[[str], str]:
    return str.upper if word.isupper() else str.lower if word.islower() else str.capitalize


def _most_common(counts: Counter[_T], default: _T) -> _T:
    return counts.most_common(1)[0][0] if counts else default
