"""Makes an API response (GET variables/local) of any size: N variables, each with a value in M modes.

The same size and seed give the same bytes. A library is made of slices of three collections: base (literals),
system (aliases into base) and components (aliases into system), so that chains of aliases get six hops deep, as in
large real libraries. The text is made piece by piece: memory stays small whatever the size.

    python benchmarks/generate_response.py 20000 4 -o response.json
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VARIABLES_PER_SLICE = 10_000
"""Its largest collection then holds 4,000 variables; the platform allows 5,000."""
FEWEST_VARIABLES = 200
MODES_PER_COLLECTION = 40
DEEPEST_CHAIN = 6
"""Alias hops from a variable of the last tier down to a literal."""

_TIERS = {"base": (0, 1), "system": (1, 2, 3), "components": (4, 5, 6)}
_SHARES = {"base": 40, "system": 35, "components": 25}
_MODE_NAMES = {
    "base": ("Light", "Dark", "Light high contrast", "Dark high contrast"),
    "system": ("Comfortable", "Compact", "Touch", "Kiosk"),
    "components": ("Web", "Phone", "Tablet", "Watch"),
}
_SINGLE = Struct("<f")


class Role(NamedTuple):
    """What a variable is for: aliases stay within a role, as they do in a library that people keep in order."""

    name: str
    share: int
    resolved_type: str
    scopes: tuple[str, ...]
    literal: Callable[[random.Random], str]
    varies: bool


class Variable(NamedTuple):
    """A variable before it is written: where it stands and how deep its chain of aliases goes."""

    number: int
    collection: int
    role: int
    tier: int

    @property
    def id(self) -> str:
        """The platform's id: the collection's session number and a number within it."""
        return f"VariableID:{self.collection}:{self.number}"


class Plan(NamedTuple):
    """Every collection and variable of a response, and the variables that an alias of (slice, role, tier) may use."""

    collections: tuple[tuple[int, str, str], ...]
    variables: tuple[tuple[Variable, ...], ...]
    targets: dict[tuple[int, int, int], tuple[Variable, ...]]


def number(value: float) -> str:
    """A number as the API writes it: the 32-bit float, in full."""
    single: float = _SINGLE.unpack(_SINGLE.pack(value))[0]
    return str(int(single)) if single == int(single) else repr(single)


_CHANNELS = tuple(number(level / 255) for level in range(256))
_ALPHAS = tuple(number(level / 100) for level in (4, 8, 12, 16, 24, 40, 64, 80))
_SIZES = tuple(
    number(size) for size in (0, 0.5, 1, 1.5, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 64, 80, 96, 128)
)
_TEXT_SIZES = tuple(number(size) for size in (10, 11, 12, 13.3, 14, 16, 18, 20, 22.4, 24, 28, 32, 40, 48, 56.8))
_WEIGHTS = tuple(number(weight) for weight in range(100, 1000, 50))
_FAMILIES = ("Inter", "Source Serif 4", "IBM Plex Mono", "Atkinson Hyperlegible", "Noto Sans JP")
_TEXTS = (
    "Save",
    "Don't save",
    "Weiter \u2192",
    'Say "yes"',
    "100 % done",
    "\u304a\u77e5\u3089\u305b",
    "a {placeholder} here",
)


def _color(dice: random.Random) -> str:
    bits = dice.getrandbits(30)
    alpha = _ALPHAS[bits >> 27] if bits >> 24 & 7 == 0 else "1"
    red, green, blue = _CHANNELS[bits & 255], _CHANNELS[bits >> 8 & 255], _CHANNELS[bits >> 16 & 255]
    return f'{{"r":{red},"g":{green},"b":{blue},"a":{alpha}}}'


def _one_of(values: tuple[str, ...]) -> Callable[[random.Random], str]:
    return lambda dice: values[int(dice.random() * len(values))]


def _quoted(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(json.dumps(value, ensure_ascii=False) for value in values)


ROLES = (
    Role("fill", 30, "COLOR", ("FRAME_FILL", "SHAPE_FILL"), _color, True),
    Role("ink", 18, "COLOR", ("TEXT_FILL", "SHAPE_FILL"), _color, True),
    Role("line", 10, "COLOR", ("STROKE_COLOR",), _color, True),
    Role("hue", 4, "COLOR", ("ALL_SCOPES",), _color, True),
    Role("space", 12, "FLOAT", ("GAP", "WIDTH_HEIGHT"), _one_of(_SIZES), False),
    Role("corner", 5, "FLOAT", ("CORNER_RADIUS",), _one_of(_SIZES), False),
    Role("measure", 5, "FLOAT", ("FONT_SIZE", "LINE_HEIGHT"), _one_of(_TEXT_SIZES), True),
    Role("weight", 2, "FLOAT", ("FONT_WEIGHT",), _one_of(_WEIGHTS), False),
    Role("veil", 2, "FLOAT", ("COLOR_OPACITY",), _one_of(tuple(number(each) for each in (8, 12.5, 38, 62.4))), True),
    Role("count", 2, "FLOAT", ("ALL_SCOPES",), _one_of(_SIZES), True),
    Role("family", 2, "STRING", ("FONT_FAMILY",), _one_of(_quoted(_FAMILIES)), False),
    Role("label", 5, "STRING", ("TEXT_CONTENT",), _one_of(_quoted(_TEXTS)), True),
    Role("switch", 3, "BOOLEAN", ("ALL_SCOPES",), _one_of(("true", "false")), True),
)
_VEIL = next(index for index, role in enumerate(ROLES) if role.name == "veil")
_ROLE_OF = tuple(index for index, role in enumerate(ROLES) for _ in range(role.share))

_AREAS = ("account", "booking", "checkout", "delivery", "editor", "gallery", "help", "map", "payment", "search")
_FLOWS = ("archive", "compare", "confirm", "create", "filter", "invite", "review", "share", "track", "upload")
_PARTS = ("avatar", "badge", "button", "card", "dialog", "field", "header", "list", "menu", "panel")
_STATES = ("rest", "hover", "pressed", "focused", "selected", "disabled", "loading", "empty", "error", "dragged")
_NAMES_PER_ROLE = 10_000


def _name(layer: str, role: Role, serial: int) -> str:
    """The name of the serial-th variable of this layer and role: distinct, with only letters and slashes in it."""
    again, place = divmod(serial, _NAMES_PER_ROLE)
    digits = place * 7_919 % _NAMES_PER_ROLE  # scattered; 7,919 is prime to it, so no name comes twice
    words = (
        _AREAS[digits // 1000],
        _FLOWS[digits // 100 % 10],
        _PARTS[digits // 10 % 10],
        role.name,
        _STATES[digits % 10],
    )
    return f"{layer}/{'/'.join(words)}{f'-{again + 1}' if again else ''}"


def plan(variables: int, modes: int) -> Plan:
    """Where each variable stands; raises ValueError for a size that the platform does not allow."""
    if not 1 <= modes <= MODES_PER_COLLECTION:
        raise ValueError(f"{modes} modes: a collection has 1 to {MODES_PER_COLLECTION} modes")
    if variables < FEWEST_VARIABLES:
        raise ValueError(f"{variables} variables: too few to hold every type; ask for {FEWEST_VARIABLES} or more")
    slices = -(-variables // VARIABLES_PER_SLICE)
    collections: list[tuple[int, str, str]] = []
    members: list[tuple[Variable, ...]] = []
    targets: dict[tuple[int, int, int], list[Variable]] = {}
    for place in range(slices):
        left = size = variables // slices + (place < variables % slices)
        for layer, tiers in _TIERS.items():
            count = left if layer == "components" else size * _SHARES[layer] // 100
            left -= count
            session = 10 * (len(collections) + 1)
            collections.append(
                (session, layer, layer.capitalize() if slices == 1 else f"{layer.capitalize()} {place + 1}")
            )
            made = tuple(_member(serial, session, tiers, place) for serial in range(count))
            members.append(made)
            for each in made:
                targets.setdefault((place, each.role, each.tier), []).append(each)
    return Plan(tuple(collections), tuple(members), {key: tuple(each) for key, each in targets.items()})


def _member(serial: int, session: int, tiers: tuple[int, ...], place: int) -> Variable:
    turn, step = divmod(serial, len(tiers))  # each role takes its turn in every tier, so that small sizes are deep too
    role = _ROLE_OF[(turn * 37 + place) % len(_ROLE_OF)]
    return Variable(serial + 2, session, role, tiers[step])


def chunks(variables: int, modes: int, seed: int = 1) -> Iterator[str]:
    """The response's JSON text, piece by piece: collections first, then the variables in their order."""
    made = plan(variables, modes)
    yield '{"status":200,"error":false,"meta":{"variableCollections":{'
    for index, ((session, layer, name), members) in enumerate(zip(made.collections, made.variables, strict=True)):
        yield ("," if index else "") + _collection(session, layer, name, members, modes)
    yield '},"variables":{'
    dice = random.Random(seed)
    serials: dict[tuple[str, int], int] = {}
    separator = ""
    for index, ((session, layer, _), members) in enumerate(zip(made.collections, made.variables, strict=True)):
        mode_ids = tuple(f'"{session}:{mode}":' for mode in range(modes))
        for variable in members:
            serial = serials.get((layer, variable.role), 0)
            serials[layer, variable.role] = serial + 1
            name = _name(layer, ROLES[variable.role], serial)
            yield separator + _variable(
                variable, name, _values(variable, mode_ids, made, index // len(_TIERS), dice), dice
            )
            separator = ","
    yield "}}}"


def response(variables: int, modes: int, seed: int = 1) -> bytes:
    """The whole response at once, as UTF-8 JSON."""
    return "".join(chunks(variables, modes, seed)).encode()


def _key(identifier: str) -> str:
    return hashlib.sha1(identifier.encode(), usedforsecurity=False).hexdigest()


def _collection(session: int, layer: str, name: str, members: tuple[Variable, ...], modes: int) -> str:
    identifier = f"VariableCollectionId:{session}:1"
    known = _MODE_NAMES[layer]
    record = {
        "defaultModeId": f"{session}:0",
        "id": identifier,
        "name": name,
        "remote": False,
        "modes": [
            {"modeId": f"{session}:{mode}", "name": known[mode] if mode < len(known) else f"Brand {mode + 1}"}
            for mode in range(modes)
        ],
        "key": _key(identifier),
        "hiddenFromPublishing": False,
        "isExtension": False,
        "variableIds": [variable.id for variable in members],
    }
    return f'"{identifier}":{json.dumps(record, separators=(",", ":"))}'


def _values(variable: Variable, mode_ids: tuple[str, ...], made: Plan, place: int, dice: random.Random) -> str:
    """The members of valuesByMode: one value in all modes, or one for each."""
    role = ROLES[variable.role]
    pool = made.targets.get((place, variable.role, variable.tier - 1), ()) if variable.tier else ()
    if not pool:
        varies = role.varies or dice.random() < 0.25
        values = [role.literal(dice) for _ in mode_ids] if varies else [role.literal(dice)] * len(mode_ids)
    else:
        same = dice.random() < 0.7
        veils = (
            made.targets.get((place, _VEIL, 0), ()) if role.resolved_type == "COLOR" and dice.random() < 0.04 else ()
        )
        values = [_alias(pool, veils, dice)] * len(mode_ids) if same else [_alias(pool, veils, dice) for _ in mode_ids]
    return ",".join([mode + value for mode, value in zip(mode_ids, values, strict=True)])


def _alias(pool: tuple[Variable, ...], veils: tuple[Variable, ...], dice: random.Random) -> str:
    """An alias to one of the pool or, where veils are given, a colour composed of one and of an opacity."""
    alias = f'{{"type":"VARIABLE_ALIAS","id":"{pool[int(dice.random() * len(pool))].id}"}}'
    if not veils:
        return alias
    veil = veils[int(dice.random() * len(veils))]
    opacity = f'{{"type":"VARIABLE_ALIAS","id":"{veil.id}"}}' if dice.random() < 0.5 else str(dice.randrange(1, 100))
    return f'{{"color":{alias},"opacity":{opacity}}}'


def _variable(variable: Variable, name: str, values: str, dice: random.Random) -> str:
    role = ROLES[variable.role]
    identifier = variable.id
    draw = dice.random()
    description = (
        f"{role.name.capitalize()} of {name.replace('/', ', ')} \u2013 see the handbook." if draw < 0.3 else ""
    )
    scopes = '","'.join(role.scopes)
    return (
        f'"{identifier}":{{"name":"{name}","id":"{identifier}","remote":false,"key":"{_key(identifier)}",'
        f'"variableCollectionId":"VariableCollectionId:{variable.collection}:1","resolvedType":"{role.resolved_type}",'
        f'"description":"{description}","hiddenFromPublishing":false,"valuesByMode":{{{values}}},'
        f'"scopes":["{scopes}"],"codeSyntax":{{{_code_syntax(name, role, draw)}}}}}'
    )


def _code_syntax(name: str, role: Role, draw: float) -> str:
    """Code syntax on four variables in ten: half of them for the web only, half for all platforms."""
    if 0.2 <= draw < 0.8:
        return ""
    words = name.replace("-", "/").split("/")
    web = f'"WEB":"var(--lib-{"-".join(words)})"'
    if draw < 0.2:
        return web
    kind = {"COLOR": "color", "FLOAT": "dimen", "STRING": "string", "BOOLEAN": "bool"}[role.resolved_type]
    camel = "lib" + "".join(word.capitalize() for word in words)
    return f'{web},"ANDROID":"@{kind}/lib_{"_".join(words)}","iOS":".{camel}"'


def main() -> None:
    """Write a response to a file or to standard output."""
    parser = argparse.ArgumentParser(description="Make an API response of N variables x M modes.")
    parser.add_argument("variables", type=int)
    parser.add_argument("modes", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", help="file to write; standard output otherwise")
    arguments = parser.parse_args()
    text = chunks(arguments.variables, arguments.modes, arguments.seed)
    if arguments.output is None:
        sys.stdout.writelines(text)
        return
    with open(arguments.output, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(text)


if __name__ == "__main__":
    main()
