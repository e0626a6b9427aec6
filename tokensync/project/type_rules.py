"""The project's ``[[types]]`` rules, and the problems of rules without effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.normalize.graph import durations, linked
from tokensync.normalize.mapping import RESOLVED_TYPES, TypeRule, TypeRules, leaves_open, name_of_path
from tokensync.project.configuration import locator
from tokensync.system.problems import problem
from tokensync.system.wording import listed, shortened, suggestion
from tokensync.tokens.values import public_type, weight_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from tokensync.normalize.mapping import ResolvedType
    from tokensync.project.configuration import Project
    from tokensync.system.problems import Problem
    from tokensync.tokens import Token, TokenGraph, TokenKey


def rules_of(project: Project, in_files: Iterable[TokenGraph] = ()) -> TypeRules:
    """Return the project's type rules, followed by the built-in ones.

    In the graphs ``in_files``, collections have the handles of token files, so rules find them by former names, too.
    """
    rules = TypeRules(_own_rules(project))
    if all(rule.collection is None for rule in rules.own):
        return rules
    return rules.with_present_names(
        (each.handle, each.name) for graph in in_files for each in graph.collections.values() if each.origin == "local"
    )


def type_rule_problems(
    project: Project, graphs: Sequence[TokenGraph], in_files: Sequence[TokenGraph]
) -> Iterator[Problem]:
    """Yield the problems of rules without effect, and of variables that match a rule but cannot have its type.

    ``graphs`` are the platform's state of the design files, and ``in_files`` those with the handles of token files. If
    some files are missing, a rule that matches nothing is not a problem: it may match in these files.
    """
    rules = rules_of(project, in_files).own
    if not rules:
        return
    variables = [
        _Variable(token, RESOLVED_TYPES[token.type], name_of_path(token.key.path), graph.collection_of(token).name)
        for graph in graphs
        for token in graph.tokens.values()
        if token.origin != "absent"
    ]
    is_whole = len(graphs) == len(project.config.files)
    with_units = durations(linked(graphs), TypeRules(rules))
    problems = [
        (index, *each)
        for index, rule in enumerate(rules)
        for each in _problems(rule, rules, index, variables, with_units, is_whole=is_whole)
    ]
    if problems:
        where = locator(project.text, project.source)
        yield from (problem(code, where(("types", index)), what, to_do) for index, code, what, to_do in problems)


class _Variable(NamedTuple):
    """The properties of a variable that rules match, and its token."""

    token: Token
    resolved_type: ResolvedType
    name: str
    collection: str

    def matches(self, rule: TypeRule) -> bool:
        return rule.matches(self.resolved_type, self.token.scopes, self.name, self.collection)

    def is_decided_by(self, rule: TypeRule) -> bool:
        return rule.type_for(self.resolved_type) is not None and self.matches(rule)

    def is_changed(self, rule: TypeRule, without: TypeRules) -> bool:
        """Return whether the rule decides what ``without`` it would follow from aliases and names, or differently."""
        if self.resolved_type == "FLOAT" and leaves_open(self.token.scopes):
            other = without.own_rule("FLOAT", self.token.scopes, self.name, self.collection)
            return other is None or other.type != rule.type
        return self.type_by(without) != rule.type_for(self.resolved_type)

    def type_by(self, rules: TypeRules) -> str:
        return rules.type_of(self.resolved_type, self.token.scopes, self.name, self.collection)


def _own_rules(project: Project) -> tuple[TypeRule, ...]:
    return tuple(
        TypeRule(
            type=each.type,
            unit=each.unit or "",
            resolved_type=each.resolved_type,
            scopes=each.scopes,
            path=each.path,
            collection=each.collection,
        )
        for each in project.config.types
    )


def _problems(
    rule: TypeRule,
    rules: Sequence[TypeRule],
    index: int,
    variables: Sequence[_Variable],
    with_units: Container[TokenKey],
    *,
    is_whole: bool,
) -> Iterator[tuple[str, str, str]]:
    """Yield the code, error and remedy of each problem of a rule; ``with_units`` are the durations."""
    contradiction = _contradiction(rule)
    if contradiction is not None:
        yield "type-rule-unused", *contradiction
        return
    matched = [each for each in variables if each.matches(rule)]
    unfit = [each for each in matched if not each.is_decided_by(rule)]
    decided = [each for each in matched if each.is_decided_by(rule)]
    undecided = [each for each in decided if not any(map(each.is_decided_by, rules[:index]))]
    without = TypeRules((*rules[:index], *rules[index + 1 :]))
    is_in_code_only = bool(rule.unit) or rule.type == "duration"
    changed = [each for each in undecided if is_in_code_only or each.is_changed(rule, without)]
    refused = [each for each in changed if each.token.type != rule.type_for(each.resolved_type)]
    if unfit:
        types = " and ".join(dict.fromkeys(each.resolved_type for each in unfit))
        what = f"{_some(unfit, matched, 'is', 'are')} {types} and cannot be {rule.type} ({_names(unfit)})"
        yield "type-rule-unfit", what, _remedy(rule, unfit[0].resolved_type, has_others=bool(decided))
    if refused:
        types = " and ".join(dict.fromkeys(each.token.public_type for each in refused))
        reason = f"{_some(refused, matched, 'has', 'have')} values that are not font weights"
        stays = "stays" if len(refused) == 1 else "stay"
        what = f"{reason} and {stays} {types} ({_names(refused, with_values=True)})"
        yield "type-rule-unfit", what, "correct the values, or narrow the path of the rule"
    aliases = [each for each in undecided if rule.type == "duration" and each.token.key not in with_units]
    if aliases:
        refer = _some(aliases, matched, "refers", "refer")
        what = f"{refer} to numbers that are not durations, and cannot be durations ({_names(aliases)})"
        yield "type-rule-unfit", what, "add a rule for these numbers"
    if unfit or changed:
        return
    if not matched:
        if is_whole:
            yield "type-rule-unused", *_why_nothing_matches(rule, variables)
    elif not undecided:
        yield "type-rule-unused", f"an earlier rule decides the type of {_all(matched)}", "move it before that rule"
    else:
        yield "type-rule-unused", f"without it, {_all(matched)} would have the same type", "remove it"


def _contradiction(rule: TypeRule) -> tuple[str, str] | None:
    """Return the error and remedy of a rule that can never match; None for other rules."""
    if rule.resolved_type is not None and rule.type_for(rule.resolved_type) is None:
        fitting = " or ".join(f'"{each}"' for each in _resolved_types(rule))
        return f"no {rule.resolved_type} variable can be {rule.type}", f"write resolved_type = {fitting}"
    if rule.scopes == ():
        return "an empty list of scopes matches no variable", "add scopes, or remove the setting"
    return None


def _why_nothing_matches(rule: TypeRule, variables: Sequence[_Variable]) -> tuple[str, str]:
    """Return the error and remedy of a rule that matches no variable of the project."""
    for member in ("resolved_type", "scopes", "path", "collection"):
        value = getattr(rule, member)
        alone = TypeRule(type=rule.type, **{member: value})
        if value is not None and not any(each.matches(alone) for each in variables):
            text = ", ".join(value) if isinstance(value, tuple) else value
            collections = sorted({each.collection for each in variables})
            remedy = suggestion(text, collections, quoted=True) if member == "collection" else f"correct the {member}"
            return f"no variable matches its {member} ({shortened(text)})", remedy
    return "no variable matches all of its conditions", "correct them, or remove it"


def _remedy(rule: TypeRule, resolved_type: str, *, has_others: bool) -> str:
    possible = _resolved_types(rule)
    if has_others:
        return f'add resolved_type = "{possible[0]}"' if len(possible) == 1 else "narrow its path"
    types = dict.fromkeys(public_type(name) for name, resolved in RESOLVED_TYPES.items() if resolved == resolved_type)
    fitting = " or ".join(f'"{each}"' for each in types)
    return f"write type = {fitting}, or correct its conditions"


def _resolved_types(rule: TypeRule) -> list[str]:
    return [each for each in ("COLOR", "FLOAT", "STRING", "BOOLEAN") if rule.type_for(each) is not None]


def _some(some: Sequence[_Variable], matched: Sequence[_Variable], singular: str, plural: str) -> str:
    """Return the subject and verb of a sentence about some of the matching variables."""
    if len(some) == len(matched):
        return f"{_all(matched)} {singular}"
    return f"{len(some)} of the {len(matched)} matching variables {singular if len(some) == 1 else plural}"


def _all(matched: Sequence[_Variable]) -> str:
    return "the matching variable" if len(matched) == 1 else f"each of the {len(matched)} matching variables"


def _names(variables: Sequence[_Variable], *, with_values: bool = False) -> str:
    def name(variable: _Variable) -> str:
        values = (each for each in variable.token.values if isinstance(each, str) and weight_of(each) is None)
        text = next(values, None) if with_values else None
        return shortened(variable.name) + ("" if text is None else f' "{shortened(text)}"')

    return listed(list(map(name, variables)))
