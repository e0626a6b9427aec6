"""Random design files with unknown types, scopes and members, and ghosts: no edit and no rollback touches these."""

import json
import os
import random
from pathlib import Path

import msgspec
import pytest
from commands.projects import project_in, tokensync
from design_file import alias, collection, color, extension
from design_file import variable as new_variable
from plan.opaque import KINDS, SHAPES

from tokensync.emulator.cli.states import open_emulator
from tokensync.tokens import float32

KEY = "key-one"
LITERALS = {
    "COLOR": lambda chance: color(chance.randint(0, 5) / 5, chance.randint(0, 5) / 5, 0.0, a=1),
    "FLOAT": lambda chance: chance.choice([0, 4, 0.5, 12.25]),
    "STRING": lambda chance: chance.choice(["Inter", "two words", ""]),
    "BOOLEAN": lambda chance: chance.random() < 0.5,
}
EDITED = {
    "COLOR": ("color", {"colorSpace": "srgb", "components": [0, 0, 1]}),
    "FLOAT": ("number", 77),
    "STRING": ("string", "edited"),
    "BOOLEAN": ("boolean", True),
}
SCOPES = {"COLOR": "ALL_FILLS", "FLOAT": "OPACITY", "STRING": "TEXT_CONTENT"}
UNKNOWN = (1, None, "später", [1, {"deep": 1.5}], {"type": "VARIABLE_ALIAS", "id": "VariableID:9:9"}, 2**70, {})
DANGLING = alias("VariableID:404:404")
WIDE = {"r": 0, "g": 1, "b": 0, "a": 1, "space": "display-p3"}
EXPRESSION = {"type": "VARIABLE_EXPRESSION", "expressionFunction": "OF_TOMORROW", "expressionArguments": [1]}


def unknown_members(chance):
    """Up to two members that no documentation knows."""
    return {f"ofTomorrow{number}": chance.choice(UNKNOWN) for number in range(chance.choice((0, 0, 1, 2)))}


def documented(chance, id_, name, owner, targets=()):
    """A variable of a documented type, with scopes, platforms, values and members that are not documented."""
    kind = chance.choice([*LITERALS])
    same = [alias(target["id"]) for target in targets if target["resolvedType"] == kind]
    values = [chance.choice(same) if same and chance.random() < 0.3 else LITERALS[kind](chance) for _ in owner["modes"]]
    if chance.random() < 0.3:
        values[-1] = chance.choice((DANGLING, EXPRESSION, {"ofTomorrow": [1]}, *([WIDE] if kind == "COLOR" else [])))
    scopes = chance.choice((["ALL_SCOPES"], [], ["OF_TOMORROW"], [SCOPES.get(kind, "OF_TOMORROW"), "X"]))
    syntax = chance.choice(({}, {"WEB": "var(--x)"}, {"FLUTTER": "Tokens.x"}))
    members = {"scopes": scopes, "codeSyntax": syntax, **unknown_members(chance)}
    made = new_variable(id_, name, owner, kind, values, **members)
    if chance.random() < 0.2:  # a mode that its collection no longer has
        made["valuesByMode"]["gone:1"] = LITERALS[kind](chance)
    return made


def opaque(chance, id_, name, owner, targets):
    """A variable of a type that no documentation knows. It may refer to others."""
    shapes = (*SHAPES, *UNKNOWN, *(alias(target["id"]) for target in targets))
    values = [chance.choice(shapes) for _ in owner["modes"]]
    scopes = chance.choice((["TRANSITION"], [], None))
    return new_variable(id_, name, owner, chance.choice(KINDS), values, scopes=scopes, **unknown_members(chance))


def variables_of(chance, number, owner, targets):
    """The variables of a collection: documented ones, opaque ones, and those that are deleted but referred to."""
    own = []
    for place in range(10, 10 + chance.randint(2, 5)):
        name = chance.choice(("", "g/")) + f"t{place}"
        own.append(documented(chance, f"VariableID:{number}:{place}", name, owner, [*targets, *own]))
    live = [*own]
    own += [
        opaque(chance, f"VariableID:{number}:{place}", f"o{place}", owner, live)
        for place in range(90, 90 + chance.randint(0, 2))
    ]
    chance.shuffle(own)
    gone = [
        documented(chance, f"VariableID:{number}:{place}", f"gone{place}", owner) | {"deletedButReferenced": True}
        for place in range(70, 70 + chance.randint(0, 2))
    ]
    return live, own, gone


def extension_of(chance, number, owner, own):
    """An extension that overrides variables of unknown types, and one that is not in the response."""
    members = {"inheritedVariableIds": owner["variableIds"], "localVariableIds": [], **unknown_members(chance)}
    kinds = [variable["id"] for variable in own if variable["resolvedType"] in KINDS]
    overrides = {id_: [chance.choice(UNKNOWN)] for id_ in (*kinds[:1], "VariableID:9:9")}
    return extension(f"VariableCollectionId:{number}:9", f"E{number}", owner, overrides, **members)


def capture(chance):
    """The JSON of a random response, and the variables of documented types that token files declare."""
    collections, variables, live = [], [], []
    for number in range(1, chance.randint(2, 4)):
        modes = tuple(f"M{mode}" for mode in range(chance.randint(1, 3)))
        owner = collection(f"VariableCollectionId:{number}:1", f"C{number}", modes, **unknown_members(chance))
        for mode in owner["modes"]:
            mode.update(unknown_members(chance))
        declared, own, gone = variables_of(chance, number, owner, live)
        owner["variableIds"] = [variable["id"] for variable in own]
        collections.append(owner)
        variables += [*gone, *own]
        live += declared
        if chance.random() < 0.4:
            collections.append(extension_of(chance, number, owner, own))
    absent = collection("VariableCollectionId:66:1", "Absent", ("M0",))
    ghosts = [documented(chance, f"VariableID:66:{n}", f"zombie{n}", absent) for n in range(chance.randint(0, 2))]
    for ghost in ghosts:
        if (referring := chance.choice(live))["resolvedType"] == ghost["resolvedType"]:
            referring["valuesByMode"]["m0"] = alias(ghost["id"])
    meta = {
        "variables": {variable["id"]: variable for variable in (*variables, *ghosts)},
        "variableCollections": {owner["id"]: owner for owner in collections},
        **unknown_members(chance),
    }
    return {"status": 200, "error": False, **unknown_members(chance), "meta": meta}, live


def answer():
    """The bytes of what the platform answers."""
    from emulator.platform import Platform

    with open_emulator(None, None) as emulator:
        return Platform(emulator).get(key=KEY).data


def pieces(content):
    """The bytes of each member of a response, down to the single value, by its path."""

    def parts(raw, depth, *path):
        if depth and raw[:1] == b"{":
            for name, member in msgspec.json.decode(raw, type=dict[str, msgspec.Raw]).items():
                yield from parts(bytes(member), depth - 1, *path, name)
        else:
            yield path, raw

    return dict(parts(content, 5))


def changed(before, after):
    """The paths whose bytes are not the same in both."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def as_float32(value):
    """A value with the numbers that the platform keeps of it."""
    match value:
        case dict():
            return {name: as_float32(member) for name, member in value.items()}
        case bool():
            return value
        case int() | float():
            return float32(float(value))
        case _:
            return value


class Edits:
    """Random edits of token files: ``touched`` are the paths of the response that they are about."""

    def __init__(self, chance, live):
        self.chance = chance
        self.touched, self.deleted, self.new_modes = set(), set(), set()
        values = [value for variable in live for value in variable["valuesByMode"].values()]
        self.referred = {value["id"] for value in values if type(value) is dict and "id" in value}
        self.live = {variable["id"] for variable in live}
        edited = chance.sample(live, min(len(live), chance.randint(1, 3)))
        renamed = [
            f"{handle_of(variable)}/{variable['name']}" for variable in edited if self.edit(variable) == "rename"
        ]
        if chance.random() < 0.3:
            self.add_mode(handle_of(edited[0]))
        for name in renamed:
            tokensync("-q", "tokens", "rename", name, f"{name}-new")

    def add_mode(self, handle):
        """Add a mode with the default mode's values. Opaque variables get values in it from the platform."""

        def copied(node):
            if "$value" in node:
                return {name: node[name] for name in ("$type", "$value") if name in node}
            groups = ((name, member) for name, member in node.items() if name[0] != "$" and "$extensions" not in member)
            tokens = ((name, member) for name, member in node.items() if name[0] != "$" and "$value" in member)
            return {name: copied(member) for name, member in (*groups, *tokens)}

        folder = Path("tokens/one", handle)
        document = json.loads((folder / "m0.tokens.json").read_text(encoding="utf-8"))
        tokens = {"$extensions": {"com.figma.modeName": "Fresh"}, handle: copied(document[handle])}
        (folder / "fresh.tokens.json").write_text(json.dumps(tokens), encoding="utf-8")
        self.new_modes.add(f"VariableCollectionId:{handle[1:]}:1")

    def is_restorable(self, value):
        """Whether a request can set a value: none can refer to what is gone, or has what nobody knows."""
        match value:
            case {"id": id_}:
                return id_ in self.live
            case {"r": float(), "g": float()}:
                return "space" not in value
            case _:
                return type(value) is not dict

    def edit(self, variable):
        """Edit the token of a variable, and return how."""
        chance, path, kind = self.chance, ("meta", "variables", variable["id"]), variable["resolvedType"]
        folder = Path("tokens/one", handle_of(variable))
        files = {mode: folder / f"{mode}.tokens.json" for mode in variable["valuesByMode"] if mode[0] == "m"}
        documents = {mode: json.loads(file.read_text(encoding="utf-8")) for mode, file in files.items()}
        parent, name = node_of(documents["m0"], variable)
        mode = chance.choice([*files])
        type_, value = EDITED[kind]
        done = chance.choice(("value", "description", "rename", "new", "delete", "scopes"))
        match done:
            case "value" if self.is_restorable(variable["valuesByMode"][mode]):
                node, name = node_of(documents[mode], variable)
                node[name] |= {"$type": node[name].get("$type", type_), "$value": value}
                self.touched.add((*path, "valuesByMode", mode))
            case "description":
                parent[name]["$description"] = "edited"
                self.touched.add((*path, "description"))
            case "rename":
                self.touched.add((*path, "name"))
            case "scopes" if scope := SCOPES.get(kind):
                others = [other for other in variable["scopes"] if other not in (scope, "ALL_SCOPES")]
                parent[name].setdefault("$extensions", {})["com.figma.scopes"] = [scope, *others]
                self.touched.add((*path, "scopes"))
            case "delete" if variable["id"] not in self.referred:
                for document in documents.values():
                    node, name = node_of(document, variable)
                    node.pop(name, None)
                self.deleted.add(variable["id"])
            case _:
                for document in documents.values():
                    document.setdefault(handle_of(variable), {})[f"new-{variable['id'][-2:]}"] = {
                        "$type": type_,
                        "$value": value,
                    }
        for mode, file in files.items():
            file.write_text(json.dumps(documents[mode]), encoding="utf-8")
        return done

    def are_about(self, path, before, *, is_restored=False):
        """Whether the edits are about a path of the response; also new objects, and lists of ids."""
        match path:
            case ("meta", "variables", _, "valuesByMode", mode) if not is_restored and mode not in before_modes(before):
                return bool(self.new_modes)
            case ("meta", "variableCollections", id_, "modes") if not is_restored:
                return id_.rpartition(":")[0] + ":1" in self.new_modes
            case ("meta", "variables", id_, *_):
                return path in self.touched or id_ in self.deleted or ("meta", "variables", id_, "id") not in before
            case ("meta", "variableCollections", _, name):
                return name.endswith("ariableIds")
            case _:
                return False


def before_modes(pieces):
    return {path[4] for path in pieces if path[3:4] == ("valuesByMode",)}


def node_of(document, variable):
    """The group and the name of a variable's token in a token file; a mode without a value of it has none."""
    *groups, name = variable["name"].split("/")
    node = document.get(handle_of(variable), {})
    for group in groups:
        node = node.get(group, {})
    return node, name


def handle_of(variable):
    return f"c{variable['variableCollectionId'].split(':')[1]}"


def run_capture(seed):
    chance = random.Random(seed)
    document, live = capture(chance)
    project_in(Path())
    with open_emulator(None, None) as emulator:
        emulator.seed(KEY, json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode())
    original = pieces(answer())
    tokensync("-q", "pull")
    tokensync("plan", "--exit-code")
    assert changed(original, pieces(answer())) == set()
    edits = Edits(chance, live)
    tokensync("-q", "plan", "--prune")
    tokensync("-q", "apply", "--force")
    for path in changed(original, pieces(answer())):
        assert edits.are_about(path, original), path
    if chance.random() < 0.5:
        tokensync("-q", "pull")
    tokensync("-q", "plan", "--exit-code")
    for receipt in Path(".tokensync/applies").glob("*/receipt.json"):  # none if the edit is the value that it was
        tokensync("-q", "rollback", receipt)
        tokensync("-q", "apply", "--force")
    restored = pieces(answer())
    for path in changed(original, restored):
        assert edits.are_about(path, original, is_restored=True), path
        if path in edits.touched and path[2] not in edits.deleted:
            assert as_float32(json.loads(original[path])) == as_float32(json.loads(restored[path])), path


@pytest.mark.parametrize("seed", range(6))
def test_edits_and_rollbacks_leave_every_byte_that_is_opaque(folder, seed):
    run_capture(seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(1000, 1000 + int(os.environ.get("TOKENSYNC_CAPTURES", "200"))))
def test_edits_and_rollbacks_leave_every_byte_that_is_opaque_in_many_captures(folder, seed):
    run_capture(seed)
