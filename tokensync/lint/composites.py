"""Groups of variables that are the parts of composite tokens, and that no rule assembles."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from tokensync.normalize.composites import ESSENTIAL, NUMBERED, member_of
from tokensync.normalize.mapping import name_of_path, shortened
from tokensync.system.outlet.documents import in_toml
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import counted, listed
from tokensync.tokens.composites import MEMBERS, fits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.lint.subject import Subject
    from tokensync.tokens import FamilyKey, TokenGraph, TokenKey
    from tokensync.tokens.resolver import TokenIndex

_LEAST = 2
"""One group with these names may have them by chance."""

_PARTS = {"shadow": 4, "typography": 3, "border": 3, "transition": 2}
"""The least number of parts that tell a type, with the essential ones among them."""
_NOT_PLAIN = re.compile(r"[{}*?,]")


class Proposal(NamedTuple):
    """A rule that assembles groups: its type, the names of the groups, their first token, and the lines of the rule."""

    type: str
    groups: tuple[str, ...]
    first: TokenKey
    lines: str


def possible_composites(subject: Subject) -> Iterator[Problem]:
    """Yield a note for each set of names of parts that several groups have."""
    for proposal in proposals(subject.graph):
        what = f"{counted(len(proposal.groups), 'group')} of variables have the parts of a {proposal.type}"
        what += f" ({listed([*map(shortened, proposal.groups)], 3)})"
        to_do = "to write each of them as one token, add this rule to tokensync.toml"
        where = subject.location_of(proposal.first, None)
        yield problem("composites-possible", where, what, to_do)._replace(snippet=proposal.lines)


def proposals(graph: TokenGraph) -> Iterator[Proposal]:
    """Yield a rule for the parts of a type that several groups have, unless a rule has assembled one of them."""
    table = graph.table
    groups: dict[tuple[FamilyKey, str], dict[str, TokenIndex]] = {}
    for index, family, path, origin in zip(table.order, table.families, table.paths, table.origins, strict=True):
        parent, _, leaf = name_of_path(path).rpartition("/")
        if parent and origin in ("local", "withheld"):
            groups.setdefault((family, parent), {})[leaf] = index
    alike: dict[frozenset[tuple[str, str]], list[tuple[str, dict[str, TokenIndex]]]] = {}
    for (_, parent), parts in groups.items():
        types = frozenset((name, table.types[index]) for name, index in parts.items())
        alike.setdefault(types, []).append((parent, parts))
    for types, of_type in alike.items():
        token_type = _type_of(dict(types)) if len(of_type) >= _LEAST else None
        is_new = all(table.origins[index] == "local" for _, parts in of_type for index in parts.values())
        if token_type is not None and is_new:
            parents = tuple(parent for parent, _ in of_type)
            first = of_type[0][1]
            yield Proposal(token_type, parents, table.keys[min(first.values())], _lines(token_type, parents, [*first]))


def _type_of(types: Mapping[str, str]) -> str | None:
    """Return the type whose parts are variables with these names and types; None if they are other ones."""
    for token_type, least in _PARTS.items():
        members = {member_of(token_type, name): name for name in types if not _NOT_PLAIN.search(name)}
        is_whole = len(members) == len(types) >= least and None not in members
        if is_whole and members.keys() >= {*ESSENTIAL[token_type]}:
            of_member = MEMBERS[token_type]
            if all(fits(of_member[member or ""], types[name]) for member, name in members.items()):
                return token_type
    return None


def _lines(token_type: str, parents: Sequence[str], names: Sequence[str]) -> str:
    steps = zip(*(parent.split("/")[:-1] for parent in parents), strict=False)
    alike = takewhile(lambda names: len({*names}) == 1 and not _NOT_PLAIN.search(names[0]), steps)
    plain = [names[0] for names in alike]
    glob = "/".join((*plain, "*", f"{{{','.join(names)}}}"))
    numbered = [match[1] for match in map(NUMBERED.fullmatch, parents) if match]
    lines = ["[[composites]]", f'type = "{token_type}"', f"match = {in_toml(glob)}"]
    # Numbers without anything beside them are levels, such as elevation/1.
    if numbered and "offsetX" in MEMBERS[token_type] and (len({*numbered}) > 1 or len(numbered) < len(parents)):
        lines.append("layers = true")
    return "\n".join(lines)
