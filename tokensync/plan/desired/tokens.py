"""Token files to what a design file can hold: values converted where nothing is lost, the rest told with its place.

Token files say more than variables can (units, lists of fonts, composite values) and less (nothing of what a new
variable is for). What is settled here makes every value of the graph one that a variable can have.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.mapping import RESOLVED_TYPES, TypeRules, name_of_path, path_of_name
from tokensync.plan.desired.conversions import Converter, Inexpressible, WeightTexts
from tokensync.plan.desired.modes import followed
from tokensync.plan.refs import refs_of
from tokensync.problems import Problem, problem
from tokensync.tokens import Color, Quantity, TokenGraph, targets
from tokensync.tokens.algorithms import closure
from tokensync.tokens.weights import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.plan.state import Ref
    from tokensync.tokens import Collection, Token, TokenKey, Value

    PlaceOf = Callable[[TokenKey, str | None], str]

PIXELS_OF_A_REM = 16.0
"""What a rem counts where nothing else is said: the initial font size of browsers."""
_STAND_IN: dict[str, Value] = {"COLOR": Color(0.0, 0.0, 0.0), "FLOAT": 0.0, "STRING": "", "BOOLEAN": False}
"""Beside an error, so that a value that is told of already is not told of as absent, too. No such plan is made."""
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
    place_of: PlaceOf,
    code_syntax: Mapping[TokenKey, Mapping[str, str]] | None = None,
    keys_elsewhere: Mapping[TokenKey, str] | None = None,
    rules: TypeRules | None = None,
    rem: float = PIXELS_OF_A_REM,
) -> Desired:
    """What the platform should hold for a merged graph of one file; ``theirs`` is what it holds.

    ``place_of`` tells where a token's value in the mode of a context (or the token, for None) stands in the token
    files. ``code_syntax`` is what tokens should say to developers, by the platform's names; ``keys_elsewhere`` are the
    variable keys of other files' tokens. ``rules`` tell token types from scopes, as in a pull. ``rem`` is in px.
    A new token without scopes gets those that a pull reads the same type from; without an opinion that is every scope.
    """
    maker = _Maker(followed(graph, theirs), theirs, place_of, keys_elsewhere or {}, rules or TypeRules(), rem)
    return maker.desired(code_syntax or {})


class _Maker:
    def __init__(
        self,
        graph: TokenGraph,
        theirs: TokenGraph,
        place_of: PlaceOf,
        keys_elsewhere: Mapping[TokenKey, str],
        rules: TypeRules,
        rem: float,
    ) -> None:
        self.graph = graph
        self.place_of = place_of
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
        self.told: dict[str, list[TokenKey]] = {}
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
        self._leave_out_what_refers_to_those(tokens)
        self._tell_of_those_without_form()
        graph = TokenGraph(self.graph.collections.values(), tokens.values())
        retyped = {}
        if self.retyped:
            refs = refs_of(graph)
            retyped = {old: refs.tokens[key] for old, key in self.retyped.items() if key in graph.tokens}
        return Desired(graph, tuple(self.problems), self._notes(), retyped)

    def _token(self, token: Token) -> Token | None:
        """The token as a variable can hold it; None when it stays in the token files alone."""
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
            self._tell_of_type(made, family)
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
            self.problems.append(problem("plan-name-path", self.place_of(key, None), what, to_do))

    def _values(self, token: Token, was: Token | None, family: Collection) -> tuple[Value | None, ...] | None:
        values: list[Value | None] = []
        old_modes = self.old_modes.get(family.id, {}) if was is not None else {}
        for column, value in enumerate(token.values):
            old_column = old_modes.get(family.modes[column].id)
            before = None if was is None or old_column is None else was.values[old_column]
            try:
                values.append(None if value is None else self._converted(value, token, was, before))
            except Inexpressible as fault:
                where = self.place_of(token.key, family.modes[column].context)
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
                self._tell("the default mode's value is taken in modes without one", token.key)
        return tuple(values)

    def _converted(self, value: Value, token: Token, was: Token | None, before: Value | None) -> Value:
        made = self.converter.converted(value, token, before)
        if isinstance(value, Quantity) and (was is None or made not in was.values):
            self._tell(f"a rem is written as {self.converter.rem:g} px", token.key)
        return made

    def _scoped(self, token: Token, family: Collection) -> Token:
        scopes = self.rules.scopes_of(token.type, name_of_path(token.key.path), family.name)
        if scopes is None:
            self._tell_of_type(token, family)
            return token
        if "FONT_WEIGHT" in scopes:
            # A number's FONT_STYLE is what the platform stores for FONT_WEIGHT, which a text cannot have.
            needless = "FONT_WEIGHT" if token.type == AS_TEXT else "FONT_STYLE"
            scopes = tuple(each for each in scopes if each != needless)
        return replace(token, scopes=scopes)

    def _tell_of_type(self, token: Token, family: Collection) -> None:
        name = name_of_path(token.key.path)
        read = self.rules.type_of(RESOLVED_TYPES[token.type], token.scopes, name, family.name)
        if read == AS_TEXT and token.type == "string":  # its values are no weights, as ``with_weights`` has found
            return
        if read != token.type:
            what = f"a pull will read another type than {token.public_type}, which the scopes do not tell"
            self._tell(what, token.key)

    def _leave_out_what_refers_to_those(self, tokens: dict[TokenKey, Token]) -> None:
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
            where = self.place_of(key, self.graph.collections[key[:2]].modes[column].context)
            what = f"it refers to {str(lost)[:60]}, which stays in the token files"
            code = "token-inexpressible" if omitted.id else "token-left-out"
            self.problems.append(problem(code, where, what, "refer to a token that can be a variable"))

    def _tell_of_those_without_form(self) -> None:
        for kind, number in self.without_form.items():
            others = "" if number == 1 else f", and neither can {number - 1} more of this type"
            what = f"a {kind} token cannot be a variable{others}"
            where = self.place_of(self.first_without_form[kind], None)
            self.problems.append(problem("token-without-variable", where, what, "it stays in the token files"))

    def _tell(self, what: str, key: TokenKey) -> None:
        self.told.setdefault(what, []).append(key)

    def _notes(self) -> tuple[str, ...]:
        notes = []
        for what, keys in self.told.items():
            distinct = [*dict.fromkeys(keys)]
            named = ", ".join(str(key)[:60] for key in distinct[:_SHOWN])
            more = f" and {len(distinct) - _SHOWN} more" if len(distinct) > _SHOWN else ""
            notes.append(f"{what}: {named}{more}")
        return tuple(notes)
