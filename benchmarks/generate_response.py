"""Makes an API response (GET variables/local) of any size: N variables, each with a value in M modes.

The same size, kind and seed give the same bytes. A library is made of slices of three collections. The text is made
piece by piece: memory stays small whatever the size. There are two kinds of library (see KINDS):

- ``refs``: collections that refer to each other throughout. All have modes, and chains of aliases get six hops deep.
- ``layers``: primitives hold literals in one mode, semantic tokens choose among them in each mode, component tokens
  refer to semantic ones in one mode.

``collections`` makes a third kind, for growth: many small collections with two modes each.

    python benchmarks/generate_response.py 20000 4 -o response.json
    python benchmarks/generate_response.py 20000 4 --kind layers -o response.json
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

_SINGLE = Struct("<f")


class Layer(NamedTuple):
    """One collection of a slice: its tiers of aliases, its share of the variables in percent, names for its modes.

    A layer without names for modes has one mode, whatever is asked for. ``repeats`` is the share of its aliases that
    are the same in all modes.
    """

    name: str
    tiers: tuple[int, ...]
    share: int
    mode_names: tuple[str, ...]
    repeats: float = 0.7


_APPEARANCES = ("Light", "Dark", "Light high contrast", "Dark high contrast")
KINDS = {
    "refs": (
        Layer("base", (0, 1), 40, _APPEARANCES),
        Layer("system", (1, 2, 3), 35, ("Comfortable", "Compact", "Touch", "Kiosk")),
        Layer("components", (4, 5, 6), 25, ("Web", "Phone", "Tablet", "Watch")),
    ),
    "layers": (
        Layer("primitives", (0,), 25, ()),
        Layer("semantic", (1,), 45, _APPEARANCES, repeats=0.3),
        Layer("component", (2,), 30, ()),
    ),
}


class Role(NamedTuple):
    """The purpose of a variable: aliases stay within a role, as in a well-kept library."""

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

    collections: tuple[tuple[int, Layer, str], ...]
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
_COUNT = next(role for role in ROLES if role.name == "count")
_VEIL = next(index for index, role in enumerate(ROLES) if role.name == "veil")
_ROLE_OF = tuple(index for index, role in enumerate(ROLES) for _ in range(role.share))

_AREAS = ("account", "booking", "checkout", "delivery", "editor", "gallery", "help", "map", "payment", "search")
_FLOWS = ("archive", "compare", "confirm", "create", "filter", "invite", "review", "share", "track", "upload")
_PARTS = ("avatar", "badge", "button", "card", "dialog", "field", "header", "list", "menu", "panel")
_STATES = ("rest", "hover", "pressed", "focused", "selected", "disabled", "loading", "empty", "error", "dragged")
_NAMES_PER_ROLE = 10_000


def _name(layer: str, role: Role, serial: int) -> str:
    """The name of the serial-th variable of this layer and role: distinct, with only letters and slashes in it."""
    again, index = divmod(serial, _NAMES_PER_ROLE)
    digits = index * 7_919 % _NAMES_PER_ROLE  # scattered; 7,919 is prime to it, so no name comes twice
    words = (
        _AREAS[digits // 1000],
        _FLOWS[digits // 100 % 10],
        _PARTS[digits // 10 % 10],
        role.name,
        _STATES[digits % 10],
    )
    return f"{layer}/{'/'.join(words)}{f'-{again + 1}' if again else ''}"


def plan(variables: int, modes: int, kind: str = "refs") -> Plan:
    """Where each variable stands; raises ValueError for a size that the platform does not allow."""
    if not 1 <= modes <= MODES_PER_COLLECTION:
        raise ValueError(f"{modes} modes: a collection has 1 to {MODES_PER_COLLECTION} modes")
    if variables < FEWEST_VARIABLES:
        raise ValueError(f"{variables} variables: too few to hold every type; ask for {FEWEST_VARIABLES} or more")
    slices = -(-variables // VARIABLES_PER_SLICE)
    collections: list[tuple[int, Layer, str]] = []
    members: list[tuple[Variable, ...]] = []
    targets: dict[tuple[int, int, int], list[Variable]] = {}
    for index in range(slices):
        left = size = variables // slices + (index < variables % slices)
        for layer in KINDS[kind]:
            count = left if layer is KINDS[kind][-1] else size * layer.share // 100
            left -= count
            session = 10 * (len(collections) + 1)
            name = layer.name.capitalize()
            collections.append((session, layer, name if slices == 1 else f"{name} {index + 1}"))
            made = tuple(_member(serial, session, layer.tiers, index) for serial in range(count))
            members.append(made)
            for each in made:
                targets.setdefault((index, each.role, each.tier), []).append(each)
    return Plan(tuple(collections), tuple(members), {key: tuple(each) for key, each in targets.items()})


def _member(serial: int, session: int, tiers: tuple[int, ...], index: int) -> Variable:
    turn, step = divmod(serial, len(tiers))  # each role takes its turn in every tier, so that small sizes are deep too
    role = _ROLE_OF[(turn * 37 + index) % len(_ROLE_OF)]
    return Variable(serial + 2, session, role, tiers[step])


def chunks(variables: int, modes: int, seed: int = 1, kind: str = "refs", *, plain: bool = False) -> Iterator[str]:
    """Yield the response's JSON text: collections first, then the variables in their order.

    With ``plain`` it holds only what Style Dictionary has a form for: no composed colours, no
    booleans, no opacities, no text with braces.
    """
    made = plan(variables, modes, kind)
    yield '{"status":200,"error":false,"meta":{"variableCollections":{'
    for index, ((session, layer, name), members) in enumerate(zip(made.collections, made.variables, strict=True)):
        ids = tuple(variable.id for variable in members)
        yield ("," if index else "") + _collection(session, name, ids, _mode_names(layer, modes))
    yield '},"variables":{'
    dice = random.Random(seed)
    serials: dict[tuple[str, int], int] = {}
    separator = ""
    for index, ((session, layer, _), members) in enumerate(zip(made.collections, made.variables, strict=True)):
        mode_ids = tuple(f'"{session}:{mode}":' for mode in range(len(_mode_names(layer, modes))))
        for variable in members:
            serial = serials.get((layer.name, variable.role), 0)
            serials[layer.name, variable.role] = serial + 1
            name = _name(layer.name, ROLES[variable.role], serial)
            values = _values(variable, mode_ids, made, index // len(KINDS[kind]), dice, layer.repeats, plain)
            if plain:
                values = values.replace("{placeholder}", "placeholder")
            yield separator + _variable(variable, name, values, dice, plain=plain)
            separator = ","
    yield "}}}"


def response(variables: int, modes: int, seed: int = 1, kind: str = "refs") -> bytes:
    """Return the whole response as UTF-8 JSON."""
    return "".join(chunks(variables, modes, seed, kind)).encode()


def collections(count: int, seed: int = 1) -> Iterator[str]:
    """Yield a response of many collections: five colours each in two modes, one of them an alias to the next.

    The alias leads into the next collection, so that each two neighbours are two axes that interact.
    """
    dice = random.Random(seed)
    members = {
        number: tuple(f"VariableID:{number}:{serial}" for serial in range(2, 7)) for number in range(1, count + 1)
    }
    yield '{"status":200,"error":false,"meta":{"variableCollections":{'
    for number, ids in members.items():
        yield ("," if number > 1 else "") + _collection(number, f"Set {number}", ids, ("Wide", "Narrow"))
    yield '},"variables":{'
    for number, ids in members.items():
        for serial in range(len(ids)):
            leads = serial == 4 and number < count
            texts = (
                [f'{{"type":"VARIABLE_ALIAS","id":"{members[number + 1][0]}"}}'] * 2
                if leads
                else [_color(dice), _color(dice)]
            )
            values = ",".join(f'"{number}:{mode}":{text}' for mode, text in enumerate(texts))
            variable = Variable(serial + 2, number, 0, 0)
            separator = "," if number > 1 or serial else ""
            yield separator + _variable(variable, f"set-{number}/{_STATES[serial]}", values, dice)
    yield "}}}"


def _key(identifier: str) -> str:
    return hashlib.sha1(identifier.encode(), usedforsecurity=False).hexdigest()


def _mode_names(layer: Layer, modes: int) -> tuple[str, ...]:
    known = layer.mode_names
    if not known:
        return ("Value",)
    return tuple(known[mode] if mode < len(known) else f"Brand {mode + 1}" for mode in range(modes))


def _collection(session: int, name: str, members: tuple[str, ...], mode_names: tuple[str, ...]) -> str:
    identifier = f"VariableCollectionId:{session}:1"
    record = {
        "defaultModeId": f"{session}:0",
        "id": identifier,
        "name": name,
        "remote": False,
        "modes": [{"modeId": f"{session}:{mode}", "name": name} for mode, name in enumerate(mode_names)],
        "key": _key(identifier),
        "hiddenFromPublishing": False,
        "isExtension": False,
        "variableIds": members,
    }
    return f'"{identifier}":{json.dumps(record, separators=(",", ":"))}'


def _role(variable: Variable, *, plain: bool) -> Role:
    """Return the variable's role; with ``plain``, numbers stand in for booleans and for opacities."""
    role = ROLES[variable.role]
    return _COUNT if plain and role.name in ("switch", "veil") else role


def _values(
    variable: Variable,
    mode_ids: tuple[str, ...],
    made: Plan,
    index: int,
    dice: random.Random,
    repeats: float,
    plain: bool,
) -> str:
    """Return the members of valuesByMode: one value in all modes, or one for each."""
    role = _role(variable, plain=plain)
    pool = made.targets.get((index, variable.role, variable.tier - 1), ()) if variable.tier else ()
    if not pool:
        varies = role.varies or dice.random() < 0.25
        values = [role.literal(dice) for _ in mode_ids] if varies else [role.literal(dice)] * len(mode_ids)
    else:
        same = dice.random() < repeats
        composes = role.resolved_type == "COLOR" and dice.random() < 0.04 and not plain
        veils = made.targets.get((index, _VEIL, 0), ()) if composes else ()
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


def _variable(variable: Variable, name: str, values: str, dice: random.Random, *, plain: bool = False) -> str:
    role = _role(variable, plain=plain)
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
    parser.add_argument("--kind", choices=KINDS, default="refs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", help="write this file instead of standard output")
    arguments = parser.parse_args()
    text = chunks(arguments.variables, arguments.modes, arguments.seed, arguments.kind)
    if arguments.output is None:
        sys.stdout.writelines(text)
        return
    with open(arguments.output, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(text)


if __name__ == "__main__":
    main()
