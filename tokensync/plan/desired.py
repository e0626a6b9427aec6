"""Convert a graph of tokens to what a design file can hold, without loss; the rest is reported as problems.

Token files hold more than variables can (units, lists of fonts, composite values) and less (no scopes for a new token).
Of text and effect styles, only members that differ between the tokens of the platform and the merged ones are
converted: a token does not hold everything that a style has, such as hidden effects and the unit of a letter spacing,
which so stay as they are.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property, reduce
from operator import getitem
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from msgspec.structs import replace

from tokensync.normalize.mapping import (
    MOTION_TYPES,
    RESOLVED_TYPES,
    SCOPES,
    VARIABLE_TYPES,
    TypeRules,
    name_of_path,
    path_of_name,
)
from tokensync.normalize.motion import curve_of, duration, easing_of, seconds_of
from tokensync.plan.merging import with_inherited_modes
from tokensync.plan.state import ALIAS, Ref, Refs, StyleState, is_alias, refs_of, temporary
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import shortened
from tokensync.tokens import Alias, Color, ComposedColor, Composite, Quantity, TokenGraph, float32, shortest, targets
from tokensync.tokens.algorithms import closure
from tokensync.tokens.collection import OF_STYLE, STYLES, is_opacity
from tokensync.tokens.composites import decoded, font_list, is_number, parts_of
from tokensync.tokens.values import (
    AS_TEXT,
    PIXELS_PER_REM,
    RELATIVE_UNITS,
    USUAL_NAMES,
    WeightTexts,
    in_display_p3,
    is_outside,
    is_relative,
    json_number,
    normalized,
    weight_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.normalize.mapping import Inferred
    from tokensync.tokens import Collection, Token, TokenKey, Value
    from tokensync.tokens.resolver import TokenIndex

    LocationOf = Callable[[TokenKey, str | None], str]

_PLACEHOLDERS: dict[str, Value] = {"COLOR": Color(0.0, 0.0, 0.0), "FLOAT": 0.0, "STRING": "", "BOOLEAN": False}
_PLACEHOLDERS |= {"TIMING": Quantity(0.0, "ms"), "EASING": Composite("[0,0,1,1]")}
"""Values used after an error, so that a reported value is not reported as missing again. Such a plan is not made."""
_SHOWN = 3  # tokens named by a note
_RELATIVE = "lengths in em and % stay in the token files, with what refers to them, since no variable holds them"


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
    display_p3: bool = False,
    motion: bool = False,
) -> Desired:
    """Return the desired content of the platform for a merged graph of one file; ``theirs`` is its current content.

    ``location_of`` returns the location of a token (context None) or of its value in a context in the token files.
    ``code_syntax`` holds texts by the platform's names for platforms, ``keys_elsewhere`` the variable keys of other
    files' tokens. ``rules`` derive token types from scopes, as in a pull. ``display_p3`` means that the design file's
    components are in Display P3. A new token without scopes gets those from which a pull reads the same type. With
    ``motion``, durations and curves can be motion variables.
    """
    graph, rules = with_inherited_modes(graph, theirs), rules or TypeRules()
    builder = _Builder(graph, theirs, location_of, keys_elsewhere or {}, rules, display_p3, motion)
    return builder.desired(code_syntax or {})


class _Builder:
    def __init__(
        self,
        graph: TokenGraph,
        theirs: TokenGraph,
        location_of: LocationOf,
        keys_elsewhere: Mapping[TokenKey, str],
        rules: TypeRules,
        display_p3: bool,
        motion: bool,
    ) -> None:
        self.graph = graph
        self.their_graph = theirs
        self.motion = motion
        self.display_p3 = display_p3
        self.location_of = location_of
        self.rules = rules
        self.theirs = {token.id: token for token in theirs.tokens.values() if token.id}
        self.old_modes = {
            family.id: {mode.id: column for column, mode in enumerate(family.modes)}
            for family in theirs.collections.values()
            if family.id
        }
        self.keys_elsewhere = keys_elsewhere
        self.remote = {their.variable_key: their.key for their in self.theirs.values() if their.origin == "remote"}
        self.problems: list[Problem] = []
        self.retyped: dict[str, TokenKey] = {}
        self.noted: dict[str, list[TokenKey]] = {}
        self.unsupported: Counter[str] = Counter()
        self.first_unsupported: dict[str, TokenKey] = {}
        self.omitted_keys: dict[TokenKey, None] = {}
        self.with_types_to_check: list[TokenKey] = []

    def desired(self, code_syntax: Mapping[TokenKey, Mapping[str, str]]) -> Desired:
        tokens: dict[TokenKey, Token] = {}
        styles = {key for key, family in self.graph.collections.items() if family.is_of_styles}
        for key, token in self.graph.tokens.items():
            if token.origin != "local":
                tokens[key] = token
            elif key[:2] in styles:
                self.omitted_keys[key] = None
            elif token.type not in RESOLVED_TYPES and not self._is_motion_variable(token):
                self.unsupported[token.type] += 1
                self.first_unsupported.setdefault(token.type, key)
            elif (converted := self._token(token)) is not None:
                texts = code_syntax.get(key)
                if texts:
                    converted = replace(
                        converted, code_syntax=tuple(sorted({**dict(converted.code_syntax), **texts}.items()))
                    )
                tokens[key] = converted
        if self.omitted_keys:
            self._omit_dependents(tokens)
        if self.with_types_to_check:
            self._report_types(tokens)
        for kind, number in self.unsupported.items():
            others = "" if number == 1 else f"; nor can {number - 1:,} more of this type"
            where = self.location_of(self.first_unsupported[kind], None)
            what, to_do = f"a {kind} token cannot be a variable{others}", "it stays in the token files"
            self.problems.append(problem("token-without-variable", where, what, to_do))
        # A new collection without any variable would only be clutter for designers.
        used = {key[:2] for key in tokens}
        families = (
            family
            for key, family in self.graph.collections.items()
            if key in used or family.origin != "local" or family.id in self.old_modes
        )
        graph = TokenGraph(families, tokens.values())
        retyped = {}
        if self.retyped:
            refs = refs_of(graph)
            retyped = {old: refs.tokens[key] for old, key in self.retyped.items() if key in graph.tokens}
        notes = []
        for what, keys in self.noted.items():
            distinct = [*dict.fromkeys(keys)]
            named = ", ".join(str(key)[:60] for key in distinct[:_SHOWN])
            count = f" and {len(distinct) - _SHOWN} more" if len(distinct) > _SHOWN else ""
            notes.append(f"{what}: {named}{count}")
        return Desired(graph, tuple(self.problems), tuple(notes), retyped)

    def _is_motion_variable(self, token: Token) -> bool:
        """Return whether a duration or a curve is a motion variable: where none can be written, only a present one."""
        was = self.theirs.get(token.id) if token.id else None
        return token.type in _MOTION and (self.motion or (was is not None and was.type in _MOTION))

    def _token(self, token: Token) -> Token | None:
        """Return the token as a variable can hold it; None if it stays only in the token files."""
        was = self.theirs.get(token.id) if token.id else None
        family = self.graph.collections[token.key[:2]]
        if "/" in token.key.path or "%" in token.key.path:
            self._check_name(token.key, was)
        values = self._values(token, was, family)
        if values is None:
            return None
        converted = token if values == token.values else replace(token, values=values)
        if was is not None and VARIABLE_TYPES.get(was.type) != VARIABLE_TYPES[token.type]:
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
            before = self._before(was, family, column)
            try:
                converted = None if value is None else self._converted(value, token, before)
            except Inexpressible as error:
                if is_relative(value):
                    self._note(_RELATIVE, token.key)
                    if was is None:
                        self.omitted_keys[token.key] = None
                        return None
                    values.append(before)
                    continue
                where = self.location_of(token.key, family.modes[column].context)
                if was is None and not error.is_error:
                    self.problems.append(problem("token-left-out", where, error.what, error.what_to_do))
                    self.omitted_keys[token.key] = None
                    return None
                self.problems.append(problem("token-inexpressible", where, error.what, error.what_to_do))
                converted = _PLACEHOLDERS[VARIABLE_TYPES[token.type]]
            else:
                is_new = was is None or converted not in was.values
                if isinstance(value, Quantity) and value.unit == "rem" and is_new:
                    self._note(f"1 rem is converted to {PIXELS_PER_REM:g} px", token.key)
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

    def _before(self, was: Token | None, family: Collection, column: int) -> Value | None:
        """Return the value of a variable of the platform in a mode of the graph."""
        old_column = self.old_modes.get(family.id, {}).get(family.modes[column].id)
        return None if was is None or old_column is None else was.values[old_column]

    def _check_color(self, token: Token, value: Color, context: str) -> None:
        """Note a colour that a variable does not hold exactly; report one that a file in Display P3 would not hold."""
        written = next((notation.wide for notation in token.notations if notation.wide and notation.value == value), "")
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
        if token.type in _MOTION:
            return replace(token, scopes=())
        kind = RESOLVED_TYPES[token.type]
        fitting = tuple(scope for scope in token.scopes if scope in SCOPES[kind])
        number = self._numbers.get(self.graph.table.indices[token.key]) if fitting == token.scopes else None
        by_scopes = self.rules.type_of(kind, fitting, name_of_path(token.key.path), family.name)
        implied = number.type if number else by_scopes
        if implied == token.type and (fitting or not token.scopes):
            return replace(token, scopes=fitting)
        return self._scoped(replace(token, scopes=()), family)

    @cached_property
    def _numbers(self) -> Mapping[TokenIndex, Inferred]:
        """The types that a pull reads from scopes, aliases, names and uses."""
        return self.rules.numbers(self.graph.table)

    def _scoped(self, token: Token, family: Collection) -> Token:
        if token.type in _MOTION:  # its variable has no scopes
            return token
        self.with_types_to_check.append(token.key)
        scopes = self.rules.scopes_of(token.type, name_of_path(token.key.path), family.name)
        if scopes is None:
            return token
        if "FONT_WEIGHT" in scopes:
            # The platform stores a number's FONT_WEIGHT as FONT_STYLE, and a text cannot have FONT_WEIGHT.
            needless = "FONT_WEIGHT" if token.type == AS_TEXT else "FONT_STYLE"
            scopes = tuple(scope for scope in scopes if scope != needless)
        return replace(token, scopes=scopes)

    def _report_types(self, tokens: Mapping[TokenKey, Token]) -> None:
        """Note the tokens whose type a pull would not read from the platform."""
        table = TokenGraph(self.graph.collections.values(), tokens.values()).table
        numbers = self.rules.numbers(table)
        for key in self.with_types_to_check:
            token = tokens.get(key)
            if token is None:
                continue
            if (number := numbers.get(table.indices[key])) is not None:
                read = number.type
            else:
                family = self.graph.collections[key[:2]]
                read = self.rules.type_of(VARIABLE_TYPES[token.type], token.scopes, name_of_path(key.path), family.name)
            if (read, token.type) == (AS_TEXT, "string"):  # ``with_weights`` found other values than weights
                continue
            if read != token.type:
                what = f"only the token files have the type {token.public_type}"
                self._note(f"{what}, since scopes, aliases and names do not imply it", key)

    def _omit_dependents(self, tokens: dict[TokenKey, Token]) -> None:
        """Omit new tokens that refer to omitted tokens."""
        # By target: each token that refers to it, and the first mode in which it does.
        referring: dict[TokenKey, dict[TokenKey, int]] = {}
        for key, token in tokens.items():
            for column, value in enumerate(token.values if token.origin == "local" else ()):
                for target in targets(value):
                    referring.setdefault(target, {}).setdefault(key, column)
        relative = set(self.noted.get(_RELATIVE, ()))
        for key, target_key in closure(self.omitted_keys, lambda each: referring.get(each, ())).items():
            omitted = tokens.get(key)
            if omitted is None:
                continue
            family = self.graph.collections[key[:2]]
            if target_key in relative:
                relative.add(key)
                self._note(_RELATIVE, key)
                if was := self.theirs.get(omitted.id):
                    former = (self._before(was, family, column) for column in range(len(family.modes)))
                    tokens[key] = replace(omitted, values=tuple(former))
                    continue
            del tokens[key]
            if key in relative:
                continue
            column = referring[target_key][key]
            where = self.location_of(key, family.modes[column].context)
            what = f"it refers to {str(target_key)[:60]}, which stays in the token files"
            code = "token-inexpressible" if omitted.id else "token-left-out"
            to_do = "refer to a token that can be a variable"
            self.problems.append(problem(code, where, what, to_do))

    def _note(self, what: str, key: TokenKey) -> None:
        self.noted.setdefault(what, []).append(key)

    @cached_property
    def _weights(self) -> WeightTexts:
        """Return the file's style of font weights."""
        texts = (value for token in self.their_graph.tokens.values() if token.type == AS_TEXT for value in token.values)
        return WeightTexts(text for text in texts if isinstance(text, str))

    def _converted(self, value: Value, token: Token, before: Value | None) -> Value:
        """Return the value as a variable holds it, to replace ``before``. Raises Inexpressible."""
        match value:
            case float() if token.type == AS_TEXT:
                return self._text_of_weight(value, before if isinstance(before, str) else "")
            case Alias(target=target) if target.file != token.key.file:
                return self._in_this_file(value)
            case ComposedColor(color=color, opacity=opacity):
                return self._composed(value, token.key.file, color, opacity)
            case Quantity() if token.type == MOTION_TYPES["TIMING"]:
                return _duration(value)
            case Quantity():
                return self._pixels(value, token)
            case Composite() if token.type == MOTION_TYPES["EASING"]:
                return _curve(value)
            case Composite():
                return self._font_family(value)
            case _:
                return value

    def _in_this_file(self, alias: Alias) -> Alias:
        """Return an alias to the remote variable in this file for a token of another file."""
        here = self.remote.get(self.keys_elsewhere.get(alias.target) or "-")
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
        if value.unit == "%" and is_opacity(token.scopes):
            return value.number
        if value.unit != "rem" or token.type != "dimension":
            raise Inexpressible(f"a variable cannot hold the unit {value.unit[:20]}", "write it in px")
        try:
            pixels = float32(value.number * PIXELS_PER_REM)
            back = float32(pixels / PIXELS_PER_REM)
        except OverflowError:
            raise Inexpressible(f"{value.number:g}rem is too large in px", "write a smaller number") from None
        if back != value.number:
            what = f"{value.number:g}rem cannot be converted to px exactly in 32-bit floats"
            raise Inexpressible(what, f'write it in px: {{"value": {shortest(pixels)}, "unit": "px"}}')
        return pixels

    def _text_of_weight(self, weight: float, before: str) -> str:
        text = self._weights.text(weight, before)
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


_NEAR_WEIGHT = 100
_MOTION = frozenset(MOTION_TYPES.values())


class Inexpressible(Exception):
    """A value that no variable can hold. ``is_error`` is set if it is an error even in a new token."""

    def __init__(self, what: str, what_to_do: str, *, is_error: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.what_to_do = what_to_do
        self.is_error = is_error


def _duration(value: Quantity) -> Quantity:
    """Return a duration with the digits that a variable holds."""
    try:
        return duration(seconds_of(value))
    except (OverflowError, ValueError):
        raise Inexpressible(f"{value.number:g}{value.unit} is too long for a variable", "write less") from None


def _curve(value: Composite) -> Composite:
    easing = easing_of(value)
    if easing is None:
        raise Inexpressible("its value is not a whole curve", "write its four numbers, x from 0 to 1")
    return curve_of(easing)


# --- styles -----------------------------------------------------------------------------------------------------------


_KINDS: Final[dict[str, Literal["TEXT", "EFFECT"]]] = {f"{STYLES}TEXT": "TEXT", f"{STYLES}EFFECT": "EFFECT"}
_AUTO: Final = {"unit": "AUTO"}
_NEW_TEXT: Final[dict[str, Any]] = {
    "fontWeight": 400,
    "fontStyle": None,
    "slant": "normal",
    "letterSpacing": {"unit": "PIXELS", "value": 0},
    "lineHeight": _AUTO,
    "textCase": "ORIGINAL",
    "textDecoration": "NONE",
    "paragraphSpacing": 0,
    "paragraphIndent": 0,
}
_NEW: Final[dict[str, dict[str, Any]]] = {"TEXT": _NEW_TEXT, "EFFECT": {"effects": []}}
_WORDS: Final = {
    "textCase": {"uppercase": "UPPER", "lowercase": "LOWER", "capitalize": "TITLE", "none": "ORIGINAL"},
    "textDecoration": {"underline": "UNDERLINE", "line-through": "STRIKETHROUGH", "none": "NONE"},
}
_OF_LAYER: Final = {"offsetX": "offsetX", "offsetY": "offsetY", "blur": "radius", "spread": "spread"}
_SHADOWS: Final = ("DROP_SHADOW", "INNER_SHADOW")


class DesiredStyles(NamedTuple):
    """The styles of a file after a plan, with the labels of their refs, and problems."""

    styles: Mapping[Ref, StyleState]
    labels: Mapping[Ref, str]
    problems: tuple[Problem, ...]


def desired_styles(
    before: Mapping[Ref, StyleState],
    theirs: tuple[TokenGraph, Refs],
    merged: TokenGraph,
    desired: tuple[TokenGraph, Refs],
    location_of: Callable[[TokenKey, str | None], str],
) -> DesiredStyles:
    """Return the styles that the token files ask for. ``before`` are those of the platform, ``theirs`` as tokens.

    ``desired`` has the variables after the plan, to which ``merged`` styles may refer.
    """
    graph, refs = desired
    types = {refs.tokens[key]: RESOLVED_TYPES.get(token.type, "") for key, token in graph.tokens.items()}
    known = {token.id: token for token in theirs[0].tokens.values() if token.id in before}
    styles, used = dict(before), {*before, *types}
    labels: dict[Ref, str] = {}
    problems: list[Problem] = []
    refused: set[tuple[str, str]] = set()
    for key, token in merged.tokens.items():
        kind = _KINDS.get(merged.collections[key[:2]].id)
        if kind is None:
            continue
        name = name_of_path(key.path)
        was = known.pop(token.id, None)
        if (number := len(merged.collections[key[:2]].modes)) > 1:
            if key[:2] not in refused:
                what = f"styles have one mode, and {key.collection} has {number} in the token files"
                problems.append(problem("token-inexpressible", location_of(key, None), what, "remove the other files"))
            refused.add(key[:2])
            continue
        ref = temporary(f"style:{name}", used) if was is None else token.id
        labels[ref] = f"{key.collection} / {name}"
        present = styles[ref] if was is not None else StyleState(ref=ref, type=kind, name=name, members=_NEW[kind])
        parts = _Parts(types, {} if was is None else _parts(was, theirs[1]), _parts(token, refs))
        try:
            members = parts.members(present.members, kind)
        except Inexpressible as error:
            problems.append(problem("token-inexpressible", location_of(key, None), error.what, error.what_to_do))
            continue
        texts = {} if was is None or was.key.path == key.path else {"name": name}
        if token.description != ("" if was is None else was.description):
            texts["description"] = token.description
        if members or texts or was is None:
            styles[ref] = replace(present, members={**present.members, **members}, **texts)
    for ref, token in known.items():
        del styles[ref]
        labels[ref] = f"{token.key.collection} / {name_of_path(token.key.path)}"
    return DesiredStyles(styles, labels, tuple(problems))


def _parts(token: Token, refs: Refs) -> dict[str, Any]:
    """Return the members of a style's token, with aliases to refs."""
    value = token.values[0]
    own: dict[str, Any] = decoded(token.extensions).get(OF_STYLE, {}) if token.extensions else {}
    match value:
        case Composite():
            tree, targets = decoded(value.json), dict(value.references)
            for part in tuple(parts_of(token.type, tree)):
                if part.reference is not None and part.path:
                    node: Any = reduce(getitem, part.path[:-1], tree)
                    node[part.path[-1]] = _alias(targets[part.reference], refs)
            if token.type == "typography":
                return {**own, **tree}
            return {"layers": tree if isinstance(tree, list) else [tree], OF_STYLE: own}
        case Alias(target=target):
            return {"radius": _alias(target, refs), OF_STYLE: own}
        case Quantity(number=number, unit=unit):
            return {"radius": {"value": json_number(number), "unit": unit}, OF_STYLE: own}
        case float():
            return {"radius": {"value": json_number(value), "unit": "px"}, OF_STYLE: own}
    return {}


def _alias(target: TokenKey, refs: Refs) -> dict[str, str]:
    return {"type": ALIAS, "id": refs.tokens.get(target, str(target))}


class _Parts(NamedTuple):
    """The parts of a token before (none of a new style) and after. ``types`` are those of variables, by ref."""

    types: Mapping[Ref, str]
    before: dict[str, Any]
    after: dict[str, Any]

    def members(self, present: Mapping[str, Any], kind: str) -> dict[str, Any]:
        """Return the changed members of a style, which has the members ``present``. Raises Inexpressible."""
        before, after = self.before, self.after
        changed = [name for name in before | after if before.get(name) != after.get(name)]
        if kind == "TEXT":
            if not before and not {"fontFamily", "fontSize"} <= after.keys():
                raise Inexpressible("a text style needs fontFamily and fontSize", "add them")
            return {member: value for name in changed for member, value in self._of_text(name).items()}
        if before and (OF_STYLE in changed or before.keys() != after.keys()):
            what = "only shadows, and the radius of a blur, can be written of an effect style"
            raise Inexpressible(what, "edit the others in Figma")
        if "radius" in changed:
            if not before:
                raise Inexpressible("a new effect style needs shadows", "write a shadow, or make the style in Figma")
            radius, effects = self._length("radius", after["radius"]), present["effects"]
            return {"effects": [{**effect, "radius": radius} if effect["visible"] else effect for effect in effects]}
        return {"effects": self._effects(present["effects"])} if "layers" in changed else {}

    def _of_text(self, name: str) -> dict[str, Any]:
        """Return the members of a text style for a changed part."""
        value: Any = self.after.get(name)
        match name:
            case "fontStyle" if value in (None, "normal", "italic", "oblique"):
                return {"slant": value or "normal"}
            case _ if value is None and name in _NEW_TEXT:
                return {name: _NEW_TEXT[name]}
            case "fontFamily":
                family = value[0] if isinstance(value, list) and value else value
                return {name: self._bound(name, value, "STRING") if is_alias(value) else family}
            case "fontWeight":
                return self._weight(value)
            case "fontSize":
                return {name: self._length(name, value)}
            case "lineHeight" if is_number(value):
                return {name: {"unit": "PERCENT", "value": json_number(value * 100)}}
            case "letterSpacing" | "lineHeight" if isinstance(value, dict) and value.get("unit") in RELATIVE_UNITS:
                share = value["value"] * RELATIVE_UNITS[value["unit"]] * 100
                return {name: {"unit": "PERCENT", "value": json_number(normalized(share))}}
            case "letterSpacing" | "lineHeight":
                length = self._length(name, value)
                return {name: length if is_alias(length) else {"unit": "PIXELS", "value": length}}
            case "textCase" | "textDecoration" if isinstance(value, str):
                return {name: _WORDS[name].get(value, value)}
            case "paragraphSpacing" | "paragraphIndent" if is_number(value):
                return {name: value}
        raise Inexpressible(f"a text style cannot have this {shortened(name)}", "correct or remove it")

    def _weight(self, value: Any) -> dict[str, Any]:
        if is_alias(value):  # a text variable has the name of a font's style
            is_text = self.types.get(value["id"]) == "STRING"
            field = "fontStyle" if is_text else "fontWeight"
            return {"fontStyle": None, field: self._bound("fontWeight", value, "STRING" if is_text else "FLOAT")}
        weight = weight_of(value if isinstance(value, str) else float(value))
        if weight is None:
            raise Inexpressible(f"{shortened(str(value))} is no weight", "write a number from 1 to 1000")
        return {"fontStyle": None, "fontWeight": json_number(weight)}

    def _effects(self, present: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the effects with the layers of the token, which has the highest one first, in place of shadows."""
        layers = [self._layer(layer) for layer in reversed(self.after["layers"])]
        old = [self._layer(layer) for layer in reversed(self.before.get("layers", ()))]
        shown = [effect for effect in present if effect["visible"] and effect["type"] in _SHADOWS]
        fresh: list[dict[str, Any]] = []
        for at, layer in enumerate(layers):
            if at >= len(shown):
                fresh.append({"visible": True, "blendMode": "NORMAL", **layer})
                continue
            known = old[at] if len(old) == len(shown) else {}
            changed = {name: part for name, part in layer.items() if known.get(name) != part}
            fresh.append({**shown[at], **changed})
            if fresh[-1]["type"] == "INNER_SHADOW":
                fresh[-1].pop("showShadowBehindNode", None)
        last = present.index(shown[-1]) + 1 if shown else 0
        result: list[dict[str, Any]] = []
        for effect in (*present[:last], None, *present[last:]):
            if effect is None:
                result += fresh
                fresh = []
            elif effect not in shown:
                result.append(effect)
            elif fresh:
                result.append(fresh.pop(0))
        return result

    def _layer(self, layer: Any) -> dict[str, Any]:
        """Return a layer of a shadow as an effect."""
        if is_alias(layer):
            raise Inexpressible("a layer of a style cannot refer to a shadow", "write its members")
        effect = {"type": "INNER_SHADOW" if layer.get("inset") else "DROP_SHADOW"}
        effect |= {member: self._length(name, layer[name]) for name, member in _OF_LAYER.items() if name in layer}
        match layer.get("color"):
            case {"type": "VARIABLE_ALIAS"} as alias:
                return {**effect, "color": self._bound("color", alias, "COLOR")}
            case {"colorSpace": "srgb", "components": [int() | float() as red, int() | float() as green, blue], **rest}:
                return {**effect, "color": {"r": red, "g": green, "b": blue, "a": rest.get("alpha", 1)}}
        raise Inexpressible("the colour of a shadow is not in sRGB", 'write it with "colorSpace": "srgb"')

    def _length(self, name: str, value: Any) -> Any:
        """Return the pixels of a length, or its alias."""
        if is_alias(value):
            return self._bound(name, value, "FLOAT")
        unit = value.get("unit") if isinstance(value, dict) else None
        if unit not in ("px", "rem"):
            raise Inexpressible(f"the {name} of a style is a length", 'write {"value": 16, "unit": "px"}')
        return json_number(value["value"] * (PIXELS_PER_REM if unit == "rem" else 1))

    def _bound(self, name: str, alias: dict[str, str], kind: str) -> dict[str, str]:
        if (present := self.types.get(alias["id"])) != kind:
            other = f"a {present}" if present else "no variable of this file"
            what = f"its {name} refers to {shortened(alias['id'])}, which is {other}"
            raise Inexpressible(what, f"refer to a variable that is a {kind}")
        return alias
