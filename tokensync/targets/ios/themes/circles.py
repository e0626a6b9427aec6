"""Members that lead back to themselves by way of what is written under different options.

Swift would follow such references for ever. Within one choice an option tells whether there is a circle: then the
member has no value, as everywhere. Where several choices together would close it, no struct can know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.naming import token_label
from tokensync.problems import problem
from tokensync.tokens import Unresolved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tokensync.problems import Problem
    from tokensync.targets.ios.themes.members import Members
    from tokensync.tokens import Resolved, Theme, TokenKey, Value


def open_circles(members: Members) -> None:
    """Put literals, or nothing, where the references of members would go round; what is not exact then is told of."""
    resolvers: dict[object, Callable[[TokenKey], Resolved]] = {}

    def resolved(place: int, theme: Theme) -> Resolved:
        if theme.modes not in resolvers:
            resolvers[theme.modes] = members.sheet.graph.resolver(theme)
        return resolvers[theme.modes](members.sheet.tokens[place].key)

    for circle in circles(members.of, members.edges):
        rulers = [members.of[place].choice for place in circle]
        several = len({ruler.protocol if ruler else "" for ruler in rulers}) > 1
        if several:
            members.sheet.problems.append(_crossing(members, min(circle)))
        for place in circle:
            options = [list(each) for each in members.of[place].options]
            for option, number, theme in members.themes(place):
                literal = resolved(place, theme)
                appearance, value = options[option][number]
                kept: Value | None = value if not several else literal  # type: ignore[assignment]
                options[option][number] = (appearance, None if isinstance(literal, Unresolved) else kept)
            members.of[place] = members.of[place]._replace(options=tuple(tuple(each) for each in options))


def circles(places: Iterable[int], edges: Callable[[int], Iterable[int]]) -> Iterator[list[int]]:
    """The sets of places each of which leads to all others of its set, and single ones that lead to themselves."""
    search = _Search(edges)
    for root in places:
        if root not in search.index:
            yield from search.from_root(root)


class _Search:
    """Tarjan's algorithm, without recursion: a chain may be as long as a library."""

    def __init__(self, edges: Callable[[int], Iterable[int]]) -> None:
        self.edges = edges
        self.index: dict[int, int] = {}
        self.low: dict[int, int] = {}
        self.stack: list[int] = []
        self.on_stack: set[int] = set()
        self.work: list[tuple[int, Iterator[int]]] = []

    def from_root(self, root: int) -> Iterator[list[int]]:
        self._enter(root)
        while self.work:
            place, rest = self.work[-1]
            following = next((each for each in rest if self._is_new(place, each)), None)
            if following is not None:
                self._enter(following)
                continue
            self.work.pop()
            if self.work:
                outer = self.work[-1][0]
                self.low[outer] = min(self.low[outer], self.low[place])
            if self.low[place] == self.index[place]:
                found = self._popped(place)
                if len(found) > 1 or place in self.edges(place):
                    yield found

    def _enter(self, place: int) -> None:
        self.index[place] = self.low[place] = len(self.index)
        self.stack.append(place)
        self.on_stack.add(place)
        self.work.append((place, iter(tuple(self.edges(place)))))

    def _is_new(self, place: int, following: int) -> bool:
        if following in self.on_stack:
            self.low[place] = min(self.low[place], self.index[following])
        return following not in self.index

    def _popped(self, place: int) -> list[int]:
        found: list[int] = []
        while not found or found[-1] != place:
            found.append(self.stack.pop())
        self.on_stack.difference_update(found)
        return found


def _crossing(members: Members, place: int) -> Problem:
    where = token_label(members.sheet.graph, members.sheet.tokens[place].key)
    what = "modes of several collections lead it to itself, so ios shows what it is with the others at their default"
    return problem("theme-unsupported", where, what, "give one token of the circle a value of its own")
