"""Convert token files to what a design file can hold: values where nothing is lost, problems for the rest.

Token files say more than variables can (units, lists of fonts, composite values) and less (nothing of the purpose of a
new variable). The result holds only values that a variable can have.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec.structs import replace

from tokensync.mapping import RESOLVED_TYPES, TypeRules, name_of_path, path_of_name, unique
from tokensync.plan.refs import refs_of
from tokensync.problems import Problem, problem
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
from tokensync.tokens.composites import decoded
from tokensync.tokens.values import AS_TEXT, PARTS_OF_STYLE, USUAL_NAMES, FontStyle, font_style

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.plan.state import Ref
    from tokensync.tokens import Collection, Extension, Token, TokenKey, Value
    from tokensync.tokens.collection import FamilyKey

    PlaceOf = Callable[[TokenKey, str | None], str]
    import re
    from collections.abc import Callable, Iterable

    from tokensync.tokens import TokenKey


PIXELS_OF_A_REM = 16.0
"""What a rem counts where nothing else is said: the initial font size of browsers."""
_STAND_IN: dict[str, Value] = {"COLOR": Color(0.0, 0.0, 0.0), "FLOAT": 0.0, "STRING": "", "BOOLEAN": False}
"""Stands in beside an error, so that a value already reported is not reported as absent too. No such plan is made."""
_SHOWN = 3  # tokens that a note names


class Desired(NamedTuple):
    """A graph every value of which a variable can hold, and what was done or cannot be done to get there.

    ``notes`` are worth knowing to who reviews the plan. ``retyped`` holds the refs, old to new, of variables whose type
    changes: that takes a deletion and a new variable.
    """

    graph: TokenGraph
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    retyped: Mapping[Ref, Ref]


def desired(
    graph: TokenGraph,
    theirs: TokenGraph,
    *,
    location_of: PlaceOf,
    code_syntax: Mapping[TokenKey, Mapping[str, str]] | None = None,
    keys_elsewhere: Mapping[TokenKey, str] | None = None,
    rules: TypeRules | None = None,
    rem: float = PIXELS_OF_A_REM,
) -> Desired:
    """Return what the platform should hold for a merged graph of one file; ``theirs`` is what it holds.

    ``location_of`` tells where a token's value in the mode of a context (or the token, for None) stands in the token
    files. ``code_syntax`` is what tokens should say to developers, by the platform's names; ``keys_elsewhere`` are the
    variable keys of other files' tokens. ``rules`` tell token types from scopes, as in a pull. ``rem`` is in px.
    A new token without scopes gets those that a pull reads the same type from; without an opinion that is every scope.
    """
    maker = _Maker(followed(graph, theirs), theirs, location_of, keys_elsewhere or {}, rules or TypeRules(), rem)
    return maker.desired(code_syntax or {})


class _Maker:
    def __init__(
        self,
        graph: TokenGraph,
        theirs: TokenGraph,
        location_of: PlaceOf,
        keys_elsewhere: Mapping[TokenKey, str],
        rules: TypeRules,
        rem: float,
    ) -> None:
        self.graph = graph
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
        self.omissions: dict[str, list[TokenKey]] = {}
        self.without_form: Counter[str] = Counter()
        self.first_without_form: dict[str, TokenKey] = {}
        self.left_out: dict[TokenKey, None] = {}

    def desired(self, code_syntax: Mapping[TokenKey, Mapping[str, str]]) -> Desired:
        tokens: dict[TokenKey, Token] = {}
        for key, token in self.graph.tokens.items():
            if token.origin != "local":
                tokens[key] = token
            elif token.type not in RESOLVED_TYPES:
                self.without_form[token.type] += 1
                self.first_without_form.setdefault(token.type, key)
            elif (made := self._token(token)) is not None:
                texts = code_syntax.get(key)
                if texts:
                    made = replace(made, code_syntax=tuple(sorted({**dict(made.code_syntax), **texts}.items())))
                tokens[key] = made
        self._omit_dependents(tokens)
        self._report_unsupported()
        graph = TokenGraph(self.graph.collections.values(), tokens.values())
        retyped = {}
        if self.retyped:
            refs = refs_of(graph)
            retyped = {old: refs.tokens[key] for old, key in self.retyped.items() if key in graph.tokens}
        return Desired(graph, tuple(self.problems), self._notes(), retyped)

    def _token(self, token: Token) -> Token | None:
        """Return the token as a variable can hold it; None when it stays in the token files alone."""
        was = self.theirs.get(token.id) if token.id else None
        family = self.graph.collections[token.key[:2]]
        self._check_name(token.key, was)
        values = self._values(token, was, family)
        if values is None:
            return None
        made = token if values == token.values else replace(token, values=values)
        if was is not None and RESOLVED_TYPES.get(was.type) != RESOLVED_TYPES[token.type]:
            self.retyped[was.id] = token.key
            made = replace(made, id="", variable_key="", published=None)
            if set(made.scopes) == set(was.scopes):
                made = replace(made, scopes=())
            was = None
        if was is None and not made.scopes:
            made = self._scoped(made, family)
        elif was is not None and was.type != made.type:
            self._report_type(made, family)
        return made

    def _check_name(self, key: TokenKey, was: Token | None) -> None:
        """A name that a pull would read as another path is not sent: the token would stand in the files twice."""
        if "/" not in key.path and "%" not in key.path:
            return
        name = name_of_path(key.path)
        read = path_of_name(name)
        if read != key.path and (was is None or name_of_path(was.key.path) != name):
            what = f"a pull would bring its name {name[:60]!r} back at another path, {read[:60]}"
            to_do = "write it at that path: a slash of a variable's name is a group in token files"
            self.problems.append(problem("plan-name-path", self.location_of(key, None), what, to_do))

    def _values(self, token: Token, was: Token | None, family: Collection) -> tuple[Value | None, ...] | None:
        values: list[Value | None] = []
        old_modes = self.old_modes.get(family.id, {}) if was is not None else {}
        for column, value in enumerate(token.values):
            old_column = old_modes.get(family.modes[column].id)
            before = None if was is None or old_column is None else was.values[old_column]
            try:
                values.append(None if value is None else self._converted(value, token, was, before))
            except Inexpressible as fault:
                where = self.location_of(token.key, family.modes[column].context)
                if was is None and not fault.is_error:
                    self.problems.append(problem("token-left-out", where, fault.what, fault.what_to_do))
                    self.left_out[token.key] = None
                    return None
                self.problems.append(problem("token-inexpressible", where, fault.what, fault.what_to_do))
                values.append(_STAND_IN[RESOLVED_TYPES[token.type]])
        default = values[family.default_mode]
        for column, mode in enumerate(family.modes):
            if mode.parent is None and values[column] is None and default is not None and mode.id not in old_modes:
                values[column] = default
                self._report("the default mode's value is taken in modes without one", token.key)
        return tuple(values)

    def _converted(self, value: Value, token: Token, was: Token | None, before: Value | None) -> Value:
        made = self.converter.converted(value, token, before)
        if isinstance(value, Quantity) and (was is None or made not in was.values):
            self._report(f"a rem is written as {self.converter.rem:g} px", token.key)
        return made

    def _scoped(self, token: Token, family: Collection) -> Token:
        scopes = self.rules.scopes_of(token.type, name_of_path(token.key.path), family.name)
        if scopes is None:
            self._report_type(token, family)
            return token
        if "FONT_WEIGHT" in scopes:
            # A number's FONT_STYLE is what the platform stores for FONT_WEIGHT, which a text cannot have.
            needless = "FONT_WEIGHT" if token.type == AS_TEXT else "FONT_STYLE"
            scopes = tuple(each for each in scopes if each != needless)
        return replace(token, scopes=scopes)

    def _report_type(self, token: Token, family: Collection) -> None:
        name = name_of_path(token.key.path)
        read = self.rules.type_of(RESOLVED_TYPES[token.type], token.scopes, name, family.name)
        if read == AS_TEXT and token.type == "string":  # its values are no weights, as ``with_weights`` has found
            return
        if read != token.type:
            what = f"a pull will read another type than {token.public_type}, which the scopes do not tell"
            self._report(what, token.key)

    def _omit_dependents(self, tokens: dict[TokenKey, Token]) -> None:
        """New tokens that refer to what stays in the token files stay there, too."""
        if not self.left_out:
            return
        # By what is referred to: each token that does, and the first mode in which it does.
        referring: dict[TokenKey, dict[TokenKey, int]] = {}
        for key, token in tokens.items():
            for column, value in enumerate(token.values if token.origin == "local" else ()):
                for target in targets(value):
                    referring.setdefault(target, {}).setdefault(key, column)
        for key, lost in closure(self.left_out, lambda each: referring.get(each, ())).items():
            omitted = tokens.pop(key, None)
            if omitted is None:
                continue
            column = referring[lost][key]
            where = self.location_of(key, self.graph.collections[key[:2]].modes[column].context)
            what = f"it refers to {str(lost)[:60]}, which stays in the token files"
            code = "token-inexpressible" if omitted.id else "token-left-out"
            self.problems.append(problem(code, where, what, "refer to a token that can be a variable"))

    def _report_unsupported(self) -> None:
        for kind, number in self.without_form.items():
            others = "" if number == 1 else f", and neither can {number - 1} more of this type"
            what = f"a {kind} token cannot be a variable{others}"
            where = self.location_of(self.first_without_form[kind], None)
            self.problems.append(problem("token-without-variable", where, what, "it stays in the token files"))

    def _report(self, what: str, key: TokenKey) -> None:
        self.omissions.setdefault(what, []).append(key)

    def _notes(self) -> tuple[str, ...]:
        notes = []
        for what, keys in self.omissions.items():
            distinct = [*dict.fromkeys(keys)]
            named = ", ".join(str(key)[:60] for key in distinct[:_SHOWN])
            more = f" and {len(distinct) - _SHOWN} more" if len(distinct) > _SHOWN else ""
            notes.append(f"{what}: {named}{more}")
        return tuple(notes)


def followed(graph: TokenGraph, theirs: TokenGraph) -> TokenGraph:
    """Return the graph with the modes of this file's extensions as the platform will have them: made, called and gone
    alike.

    So token files need not say them, and the file of an extension's mode may be removed to remove its overrides. What
    is odd in ``theirs`` (a mode that an extension lacks) stays as it is. New modes stand at the end of a family.
    """
    known = {family.id: family for family in theirs.collections.values() if family.id}
    changed: dict[FamilyKey, Collection] = {}
    for key, family in graph.collections.items():
        if family.extensions and family.origin == "local":
            now = _followed(family, known.get(family.id))
            if now != family:
                changed[key] = now
    if not changed:
        return graph
    wider = {key: len(now.modes) - len(graph.collections[key].modes) for key, now in changed.items()}
    return TokenGraph(
        (changed.get(key, family) for key, family in graph.collections.items()),
        (
            replace(token, values=token.values + (None,) * more) if (more := wider.get(key[:2], 0)) else token
            for key, token in graph.tokens.items()
        ),
    )


def _followed(family: Collection, was: Collection | None) -> Collection:
    modes = list(family.modes)
    lacking = _lacking(was)
    ids = {} if was is None else {(each.collection, _parent_id(was, each)): each.id for each in was.modes}
    contexts = {mode.context for mode in modes}
    for extension in _parents_first(family):
        if extension.origin != "local":
            continue
        slugs = {mode.slug for mode in modes if mode.collection == extension.handle}
        has = {mode.parent for mode in modes if mode.collection == extension.handle}
        handle_there = _handle_there(extension, was)
        for column, above in enumerate(family.modes if extension.parent == family.handle else tuple(modes)):
            if above.collection != extension.parent or column in has or (extension.id, above.id) in lacking:
                continue
            slug = unique(above.slug, slugs)
            modes.append(
                Mode(
                    name=above.name,
                    collection=extension.handle,
                    slug=slug,
                    context=unique(f"{extension.handle}.{slug}", contexts),
                    id=ids.get((handle_there, above.id), "") if above.id else "",
                    parent=column,
                )
            )
    for column, mode in enumerate(modes):
        if mode.parent is not None and mode.name != modes[mode.parent].name and mode.collection in _own(family):
            modes[column] = replace(mode, name=modes[mode.parent].name)
    extensions = tuple(_with_default(each, family, modes, was) for each in family.extensions)
    return replace(family, modes=tuple(modes), extensions=extensions)


def _parents_first(family: Collection) -> list[Extension]:
    """Return the extensions that the root has, directly or through others, the nearest ones first."""
    extending: dict[str, list[str]] = {}
    for each in family.extensions:
        extending.setdefault(each.parent, []).append(each.handle)
    depth = {family.handle: 0}
    for handle, parent in closure(depth, lambda each: extending.get(each, ())).items():
        depth.setdefault(handle, depth[parent] + 1)
    return sorted((each for each in family.extensions if each.handle in depth), key=lambda each: depth[each.handle])


def _own(family: Collection) -> set[str]:
    return {each.handle for each in family.extensions if each.origin == "local"}


def _lacking(was: Collection | None) -> set[tuple[str, str]]:
    """(id of an extension, id of a mode above it) where the platform has no mode that follows it: an oddity."""
    if was is None:
        return set()
    has = {(mode.collection, mode.parent) for mode in was.modes}
    return {
        (extension.id, above.id)
        for extension in was.extensions
        for column, above in enumerate(was.modes)
        if above.collection == extension.parent and (extension.handle, column) not in has
    }


def _handle_there(extension: Extension, was: Collection | None) -> str:
    """Return the handle that the platform's graph gives an extension."""
    found = () if was is None or not extension.id else was.extensions
    return next((each.handle for each in found if each.id == extension.id), "")


def _parent_id(family: Collection, mode: Mode) -> str:
    return "" if mode.parent is None else family.modes[mode.parent].id


def _with_default(extension: Extension, family: Collection, modes: list[Mode], was: Collection | None) -> Extension:
    """Return the extension with the default mode that follows its parent's, unless it has the platform's own
    already.
    """
    if extension.origin != "local":
        return extension
    there = _defaults_there(was)
    if (
        extension.id
        and modes[extension.default_mode].id
        and there.get(extension.id) == modes[extension.default_mode].id
    ):
        return extension
    line = {family.default_mode}
    for column, mode in enumerate(modes):
        if mode.parent in line:
            line.add(column)
    default = next((each for each in sorted(line) if modes[each].collection == extension.handle), None)
    return extension if default is None else replace(extension, default_mode=default)


def _defaults_there(was: Collection | None) -> Mapping[str, str]:
    if was is None:
        return {}
    return {each.id: was.modes[each.default_mode].id for each in was.extensions if each.id}


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
