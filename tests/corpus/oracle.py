"""An independent reader of the raw API JSON: plain dicts, standard library only, nothing of tokensync.

It answers what a right output must hold: which variables are declared, in which order, with which value in which theme.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import corpus.oracle_names as naming
from corpus.oracle_values import (
    LARGEST_LINE_HEIGHT,
    NUMBER_KIND,
    WEIGHT_AS_TEXT,
    WEIGHT_SCOPES,
    can_be_named_weight,
    is_allowed,
    kind,
    kind_of_name,
    kind_of_scopes,
    named_weight,
    single,
)

DANGLING = ("unresolved", "dangling")
CYCLE = ("unresolved", "cycle")
ABSENT = ("unresolved", "absent")
MISMATCH = ("unresolved", "mismatch")
_UNRESOLVED = (DANGLING, CYCLE, ABSENT, MISMATCH)
_SHAPES = {"COLOR": tuple, "FLOAT": float, "STRING": str, "BOOLEAN": bool}

Choice = dict[str, int]
"""The mode that each family (by the id of its root collection) is in, where that is not its default."""


def unresolved(value: object) -> bool:
    """Whether a result of ``Reading.resolve`` is the lack of a value."""
    return value in _UNRESOLVED


class Reading:
    """One saved answer of GET variables/local, read."""

    def __init__(self, document: dict) -> None:
        meta = document["meta"]
        self.variables: dict[str, dict] = meta["variables"]
        self.collections: dict[str, dict] = meta["variableCollections"]
        self._resolvers: dict[tuple, Callable[[str], object]] = {}
        self._resolved_names: dict[str, tuple] = {}
        self._handles = self._give_handles()
        self.families = [self._family(each) for each in self._roots()]
        self.family_of = {each["id"]: each for each in self.families}
        self.declared = [
            self.variables[each] for family in self.families if not family["remote"] for each in family["variables"]
        ]

        for each in self.variables.values():
            if each["resolvedType"] == "STRING" and can_be_named_weight(each):
                texts = self._texts(each["id"])
                each[WEIGHT_AS_TEXT] = bool(texts) and all(named_weight(text) is not None for text in texts)
        self._set_kinds_of_numbers()

    def _raws(self, identity: str) -> list[object]:
        """Return every value of a variable, overrides included."""
        raws = [*self.variables[identity]["valuesByMode"].values()]
        for each in self.collections.values():
            raws += (each.get("variableOverrides") or {}).get(identity, {}).values()
        return raws

    def _set_kinds_of_numbers(self) -> None:
        """Give each FLOAT variable its kind: by its scopes, by the variables that it refers to, or by its name."""
        numbers = {key: each for key, each in self.variables.items() if each["resolvedType"] == "FLOAT"}
        aliases = {
            key: [raw["id"] for raw in self._raws(key) if _is_alias(raw) and raw["id"] in numbers] for key in numbers
        }
        kinds: dict[str, str] = {}
        while len(kinds) < len(numbers):
            for key, each in numbers.items():
                is_cyclic = key in {end for target in aliases[key] for end in _reached([target], aliases)}
                values = [
                    abs(single(raw)) for end in _reached([key], aliases) for raw in self._raws(end) if _is_number(raw)
                ]
                scopes = set(each.get("scopes", ()))
                found = kind_of_scopes(scopes) or ("unknown" if is_cyclic else "")
                if scopes == {"LINE_HEIGHT"} and 0 < max(values, default=0) <= LARGEST_LINE_HEIGHT:
                    found = "number"
                if found or kinds.keys() >= set(aliases[key]):
                    literals = [single(raw) for raw in self._raws(key) if _is_number(raw)]
                    of_targets = {kinds[target] for target in aliases[key]} if not found else set()
                    home = self.collections[each["variableCollectionId"]]["name"]
                    kinds.setdefault(key, found or _kind_of_aliases_or_name(each, home, of_targets, literals, values))
        self._set_kinds_by_uses(kinds, numbers, aliases)
        for key, each in numbers.items():
            each[NUMBER_KIND] = {"unknown": "number", "opacity": "percentage"}.get(kinds[key], kinds[key])
        self._set_units({key for key in numbers if kinds[key] == "opacity"}, aliases)

    def _set_kinds_by_uses(
        self, kinds: dict[str, str], numbers: dict[str, dict], aliases: dict[str, list[str]]
    ) -> None:
        """Give each number of unknown kind that of the numbers that refer to it, if they all have one kind."""
        users = {key: [user for user in numbers if key in aliases[user]] for key in numbers if kinds[key] == "unknown"}
        unknown_users = {key: [user for user in users[key] if user in users] for key in users}
        waiting = {key for key in users if key not in _reached(unknown_users[key], unknown_users)}
        while waiting:
            key = next(key for key in sorted(waiting) if waiting.isdisjoint(unknown_users[key]))
            waiting.remove(key)
            of_users = {"number" if kinds[user] == "opacity" else kinds[user] for user in users[key]} - {"unknown"}
            literals = [single(raw) for raw in self._raws(key) if _is_number(raw)]
            if len(of_users) == 1 and _is_possible(min(of_users), numbers[key], literals):
                (kinds[key],) = of_users
        scales = {
            key: (each["variableCollectionId"], re.sub(r"\d+", "", each["name"])) for key, each in numbers.items()
        }
        unused = [key for key in users if not users[key]]
        others = {key: {kinds[step] for step in numbers if scales[step] == scales[key]} for key in unused}
        kinds.update((key, "dimension") for key in unused if others[key] - {"unknown"} == {"dimension"})

    def _set_units(self, opacities: set[str], aliases: dict[str, list[str]]) -> None:
        """Make the opacities that are fractions numbers, and leave the others percentages."""

        def values(*keys: str) -> list[float]:
            return [abs(single(raw)) for key in keys for raw in self._raws(key) if _is_number(raw)]

        units: dict[str, set[bool]] = {}
        for key in opacities:
            if any(values(key)) and max(values(key)) != 1:
                units.setdefault(self.variables[key]["variableCollectionId"], set()).add(max(values(key)) > 1)
        for key in opacities:
            every = values(*_reached([key], aliases))
            is_ambiguous = set(every) <= {0, 1}
            among_percentages = units.get(self.variables[key]["variableCollectionId"]) == {True}
            if max(every, default=0) <= 1 and not (is_ambiguous and among_percentages):
                self.variables[key][NUMBER_KIND] = "number"

    def _texts(self, start: str) -> set[str]:
        """Return every text of a STRING variable in some mode, aliases included."""
        texts, seen, waiting = set(), {start}, [start]
        while waiting:
            variable = self.variables[waiting.pop()]
            raws = [*variable["valuesByMode"].values()]
            for each in self.collections.values():
                raws += (each.get("variableOverrides") or {}).get(variable["id"], {}).values()
            texts |= {raw for raw in raws if isinstance(raw, str)}
            targets_in_use = {target for raw in raws for target in targets(raw) if target in self.variables} - seen
            waiting += (each for each in targets_in_use if self.variables[each]["resolvedType"] == "STRING")
            seen |= targets_in_use
        return texts

    # families and their modes

    def _roots(self) -> list[dict]:
        return [each for each in self.collections.values() if not each.get("isExtension")]

    def _give_handles(self) -> dict[str, str]:
        """Handles by collection id: those of this file come first, so that a library never takes a name from it."""
        handles: dict[str, str] = {}
        taken: set[str] = set()
        for collection in sorted(self.collections.values(), key=lambda each: bool(each["remote"])):
            handles[collection["id"]] = _unique(slug(collection["name"], "collection"), taken)
        return handles

    def _family(self, root: dict) -> dict:
        extensions = [each for each in self.collections.values() if self._root_of(each) == root["id"]]
        modes: list[dict] = []
        for collection in [root, *sorted(extensions, key=self._depth)]:
            taken: set[str] = set()
            for mode in collection["modes"]:
                own = _unique(slug(mode["name"], "mode"), taken)
                is_root = collection is root
                context = own if is_root else f"{self._handles[collection['id']]}.{own}"
                parent = None if is_root else self._parent_index(modes, collection, mode)
                modes.append(
                    {"id": mode["modeId"], "name": mode["name"], "context": context, "in": collection, "parent": parent}
                )
        first = next((at for at, each in enumerate(modes) if each["id"] == root["defaultModeId"]), 0)
        return {
            "id": root["id"],
            "name": root["name"],
            "handle": self._handles[root["id"]],
            "remote": root["remote"],
            "modes": modes,
            "default": first,
            "root_modes": len(root["modes"]),
            "variables": self._live(root),
        }

    def _root_of(self, collection: dict) -> str | None:
        seen = set()
        at: dict | None = collection
        while at is not None and at.get("isExtension") and at["id"] not in seen:
            seen.add(at["id"])
            parent = self.collections.get(at["parentVariableCollectionId"])
            if parent is None:
                return None
            if not parent.get("isExtension"):
                return parent["id"]
            at = parent
        return None

    def _depth(self, collection: dict) -> int:
        parent = self.collections.get(collection.get("parentVariableCollectionId", ""))
        return 0 if parent is None else 1 + self._depth(parent)

    @staticmethod
    def _parent_index(modes: list[dict], collection: dict, mode: dict) -> int:
        for at, each in enumerate(modes):
            same_collection = each["in"]["id"] == collection["parentVariableCollectionId"]
            if same_collection and each["id"] == mode["parentModeId"]:
                return at
        raise AssertionError(f"{collection['name']} / {mode['name']} has no parent mode")

    def _live(self, root: dict) -> list[str]:
        """The collection's live local variables in the order of variableIds, then those that it does not list."""
        belongs = [each for each, variable in self.variables.items() if variable["variableCollectionId"] == root["id"]]
        listed = [each for each in root["variableIds"] if each in set(belongs)]
        order = [*dict.fromkeys(listed), *(each for each in belongs if each not in set(listed))]
        return [each for each in order if not self.variables[each]["remote"] and not self.is_deleted(each)]

    def is_deleted(self, variable_id: str) -> bool:
        """Deleted in the editor but still referred to."""
        return bool(self.variables[variable_id].get("deletedButReferenced"))

    def handle_of(self, variable_id: str) -> str:
        """The handle of a variable's collection."""
        return self._handles[self.variables[variable_id]["variableCollectionId"]]

    # values

    def written(self, variable_id: str, mode: int | None) -> object:
        """The raw value in a mode of the variable's family, or in the nearest parent mode that has one; else None."""
        variable = self.variables[variable_id]
        family = self.family_of[variable["variableCollectionId"]]
        at = family["default"] if mode is None else mode
        while at is not None:
            each = family["modes"][at]
            if each["parent"] is None:
                return variable["valuesByMode"].get(each["id"])
            override = (each["in"].get("variableOverrides") or {}).get(variable_id, {}).get(each["id"])
            if override is not None:
                return override
            at = each["parent"]
        return None

    def resolver(self, choice: Choice) -> Callable[[str], object]:
        """A function from variable id to its literal under the choice of modes, or one of the unresolved marks.

        A literal is a tuple (r, g, b, a), a float, a string or a bool; numbers are float32. A font weight that is kept
        as text is a float.
        """
        chosen = tuple(sorted(choice.items()))
        if chosen not in self._resolvers:
            raw = self._resolver(choice)

            def shown(identity: str) -> object:
                value = raw(identity)
                is_weight = isinstance(value, str) and self.variables[identity].get(WEIGHT_AS_TEXT)
                return named_weight(value) if is_weight else value

            self._resolvers[chosen] = shown
        return self._resolvers[chosen]

    def _resolver(self, choice: Choice) -> Callable[[str], object]:
        known: dict[str, object] = {}
        under_way: set[str] = set()

        def resolve_names(start: str) -> object:
            stack = [start]
            while stack:
                current = stack[-1]
                if current in known:
                    stack.pop()
                    continue
                under_way.add(current)
                variable = self.variables[current]
                raw = self.written(current, choice.get(variable["variableCollectionId"]))
                open_targets = [each for each in targets(raw) if each in self.variables and each not in known]
                if not open_targets:
                    known[current] = self._literal(variable, raw, known)
                    under_way.discard(stack.pop())
                elif open_targets[0] in under_way:
                    for each in stack[stack.index(open_targets[0]) :]:
                        known[each] = CYCLE
                    under_way.difference_update(stack)
                else:
                    stack.append(open_targets[0])
            return known[start]

        return resolve_names

    def _literal(self, variable: dict, raw: object, known: dict[str, object]) -> object:
        value = self._part(raw, known)
        if unresolved(value):
            return value
        return value if isinstance(value, _SHAPES[variable["resolvedType"]]) else MISMATCH

    def _part(self, raw: object, known: dict[str, object]) -> object:
        match raw:
            case None:
                return ABSENT
            case {"type": "VARIABLE_ALIAS", "id": target}:
                return known.get(target, DANGLING)
            case {"color": base, "opacity": share}:
                return _composed(self._part(base, known), self._part(share, known))
            case {"expressionFunction": "COMPOSE_COLOR", "expressionArguments": [base, share]}:
                return _composed(self._part(base, known), self._part(share, known))
            case {"r": red, "g": green, "b": blue}:
                return tuple(single(each) for each in (red, green, blue, raw.get("a", 1)))
            case bool() | str():
                return raw
            case _:
                return single(raw)

    # themes

    def themes(self) -> dict[str, tuple[dict, int]]:
        """Each mode of each local family of several modes: theme name -> (family, mode index)."""
        return {
            f"{family['handle']}/{mode['context']}": (family, at)
            for family in self.switching()
            for at, mode in enumerate(family["modes"])
        }

    def switching(self) -> list[dict]:
        """The local families of several modes."""
        return [each for each in self.families if not each["remote"] and len(each["modes"]) > 1]

    def night(self) -> Choice:
        """Every family that has a dark counterpart, in it."""
        pairs = ((each["id"], dark_counterpart(each)) for each in self.families if not each["remote"])
        return {family: mode for family, mode in pairs if mode is not None}

    def contrast(self) -> dict[str, Choice]:
        """Where some family has a mode of more contrast: every family in that, else in what it is by night or day."""
        night, more = self.night(), {}
        for each in self.families:
            if not each["remote"]:
                for look, mode in contrast_counterparts(each).items():
                    more.setdefault(look, {})[each["id"]] = mode
        if not more:
            return {}
        high = more.get("high", {})
        return {
            "high": high,
            **({"dark high": {**night, **high, **more.get("dark high", {})}} if night or len(more) > 1 else {}),
        }

    def day(self) -> Choice:
        """Every family whose default mode is dark and that has a light counterpart, in it."""
        pairs = ((each["id"], light_counterpart(each)) for each in self.families if not each["remote"])
        return {family: mode for family, mode in pairs if mode is not None}

    def handle(self, collection_id: str) -> str:
        """The handle of a collection."""
        return self._handles[collection_id]

    def extensions(self, family: dict) -> list[str]:
        """The handles of the collections that extend a family's root."""
        roots = {self._handles[family["id"]]}
        return sorted({self._handles[each["in"]["id"]] for each in family["modes"]} - roots)

    def redeclared(self, family: dict) -> list[str]:
        """The variables that each block of a family declares: what differs between two of its modes, and dependants.

        A deleted variable is declared nowhere, but what refers to it depends on it all the same.
        """
        differs, edges = set(), {}
        resolvers = [self.resolver({family["id"]: at}) for at in range(len(family["modes"]))]
        for variable in self.variables.values():
            own = variable["variableCollectionId"] == family["id"]
            written = [self.written(variable["id"], at if own else None) for at in range(len(family["modes"]))]
            shown = {repr(resolve(variable["id"])) for resolve in resolvers}
            if len(shown) > 1 or any(each != written[0] for each in written):
                differs.add(variable["id"])
            edges[variable["id"]] = {target for each in written for target in targets(each)}
        grown = True
        while grown:
            more = {each for each, to in edges.items() if each not in differs and to & differs}
            differs |= more
            grown = bool(more)
        return [each["id"] for each in self.declared if each["id"] in differs]

    # names

    def names(self, platform: str) -> dict[str, str]:
        """The name of every declared variable on a platform, by variable id."""
        return self._settled(platform)[0]

    def collisions(self, platform: str) -> list[tuple[str, str]]:
        """Pairs of variable ids that wanted one name: the one that keeps it first."""
        return self._settled(platform)[1]

    def _settled(self, platform: str) -> tuple:
        if platform not in self._resolved_names:
            handles = {each["id"]: self.handle_of(each["id"]) for each in self.declared}
            self._resolved_names[platform] = naming.resolve_names(platform, self.declared, handles)
        return self._resolved_names[platform]

    def whole(self, variable: dict) -> bool:
        """Whether a font weight is a whole number whatever modes all families are in."""
        seen, waiting = {variable["id"]}, [variable["id"]]
        while waiting:
            at = self.variables[waiting.pop()]
            family = self.family_of[at["variableCollectionId"]]
            for raw in (self.written(at["id"], mode) for mode in range(len(family["modes"]))):
                if isinstance(raw, int | float) and not isinstance(raw, bool) and single(raw) != int(single(raw)):
                    return False
                further = {each for each in targets(raw) if each in self.variables} - seen
                seen |= further
                waiting += further
        return kind(variable) == "fontWeight"


def _is_alias(raw: object) -> bool:
    return isinstance(raw, dict) and raw.get("type") == "VARIABLE_ALIAS"


def _is_number(raw: object) -> bool:
    return isinstance(raw, int | float) and not isinstance(raw, bool)


def _kind_of_aliases_or_name(
    variable: dict, home: str, of_targets: set[str], literals: list[float], values: list[float]
) -> str:
    if "opacity" in of_targets and of_targets <= {"opacity", "number", "unknown"}:
        return "opacity"
    known = {"number" if each == "opacity" else each for each in of_targets - {"unknown"}}
    of_alias = known.pop() if len(known) == 1 else ""
    if of_alias and _is_possible(of_alias, variable, literals):
        return of_alias
    return kind_of_name(variable["name"], home, set(variable.get("scopes", ())), values) or "unknown"


def _is_possible(wanted: str, variable: dict, literals: list[float]) -> bool:
    """Whether a number with these scopes and values can be of a kind."""
    scopes = set(variable.get("scopes", ()))
    can_be_weight = is_allowed(scopes, WEIGHT_SCOPES) and all(1 <= each <= 1000 for each in literals)
    return {"number": True, "dimension": is_allowed(scopes), "fontWeight": can_be_weight}[wanted]


def _reached(starts: list[str], edges: dict[str, list[str]]) -> set[str]:
    """The nodes that the starts lead to, and the starts themselves."""
    seen: set[str] = set()
    waiting = [*starts]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += edges[node]
    return seen


def read(path: Path) -> Reading:
    """A saved response."""
    return Reading(json.loads(path.read_bytes()))


def targets(raw: object) -> list[str]:
    """The ids of the variables that a raw value refers to."""
    match raw:
        case {"type": "VARIABLE_ALIAS", "id": target}:
            return [target]
        case {"color": base, "opacity": share}:
            return targets(base) + targets(share)
        case {"expressionFunction": "COMPOSE_COLOR", "expressionArguments": [base, share]}:
            return targets(base) + targets(share)
    return []


def _composed(base: object, share: object) -> object:
    for each in (base, share):
        if unresolved(each):
            return each
    if not isinstance(base, tuple) or not isinstance(share, float):
        return MISMATCH
    return (*base[:3], single(base[3] * (min(max(share, 0.0), 100.0) / 100)))  # a graph's numbers are float32


def dark_counterpart(family: dict) -> int | None:
    """The one root mode that is unambiguously the dark counterpart of the default mode, or None."""
    modes = [naming.words(each["name"]) for each in family["modes"][: family["root_modes"]]]
    default = modes[family["default"]]
    if {"dark", "night"} & set(default):
        return None
    dark = [at for at, each in enumerate(modes) if {"dark", "night"} & set(each)]
    if {"light", "day"} & set(default):
        wanted = [[new if each in ("light", "day") else each for each in default] for new in ("dark", "night")]
        actual = [at for at in dark if modes[at] in wanted]
        return actual[0] if len(actual) == 1 else None
    if any({"light", "day"} & set(each) and at not in dark for at, each in enumerate(modes)):
        return None
    only = [at for at in dark if len(modes[at]) == 1]
    if len(dark) == 1:
        return dark[0]
    return only[0] if len(only) == 1 else None


def contrast_counterparts(family: dict) -> dict[str, int]:
    """The modes of a light family that have its default mode's name with more contrast, by day and by night."""
    modes = [naming.words(each["name"]) for each in family["modes"][: family["root_modes"]]]
    default = modes[family["default"]]
    if {"dark", "night", "contrast"} & set(default):
        return {}
    rest = [each for each in default if each not in ("light", "day")]
    wanted = {"high": {"light", "day"} if rest != default else set(), "dark high": {"dark", "night"}}
    actual = {}
    for look, schemes in wanted.items():
        several = [
            at
            for at, each in enumerate(modes)
            if {"high", "contrast"} <= set(each)
            and (bool(schemes & set(each)) or not schemes)
            and [one for one in each if one not in {"high", "contrast"} | schemes] == rest
        ]
        if len(several) == 1:
            actual[look] = several[0]
    return actual


def light_counterpart(family: dict) -> int | None:
    """The one root mode that differs from a dark default mode by the word for light alone, or None."""
    modes = [naming.words(each["name"]) for each in family["modes"][: family["root_modes"]]]
    default = modes[family["default"]]
    if not {"dark", "night"} & set(default):
        return None
    neither = [[each for each in mode if each not in ("light", "day", "dark", "night")] for mode in modes]
    actual = [
        at
        for at, each in enumerate(modes)
        if at != family["default"] and {"light", "day"} & set(each) and neither[at] == neither[family["default"]]
    ]
    return actual[0] if len(actual) == 1 else None


def has_dark_word(family: dict) -> bool:
    """Whether a root mode's name has a word for dark."""
    return any({"dark", "night"} & set(naming.words(each["name"])) for each in family["modes"][: family["root_modes"]])


def slug(name: str, otherwise: str) -> str:
    """A handle: case-folded letters and digits, joined by hyphens."""
    return re.sub(r"[\W_]+", "-", unicodedata.normalize("NFKC", name).casefold()).strip("-") or otherwise


def _unique(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}-{number}", number + 1
    taken.add(name)
    return name
