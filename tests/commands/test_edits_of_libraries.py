"""No sequence of edits, prunes and applies leaves an alias without its target, unless ``--force`` named it."""

import json
import os
import random
from pathlib import Path

import pytest
from commands.projects import tokensync
from corpus.building import run_here
from design_file import alias, collection, color, key_of, response, variable

from tokensync.emulator.cli.states import open_emulator
from tokensync.plan.operations import DeleteVariable
from tokensync.plan.plan import decoded

PLAN = Path(".tokensync/plan.json")
BLUE = {"colorSpace": "srgb", "components": [0, 0, 1]}


def remote(id_):
    return f"VariableID:{key_of(id_)}/{id_.removeprefix('VariableID:')}"


def designs(chance, count):
    """Responses of files f0, f1 and so on. Each has copies of all variables of those before it, and refers to some."""
    libraries, raws = [], {}
    for number in range(count):
        own = collection(f"VariableCollectionId:{number + 1}:1", f"C{number}", ("Value",))
        targets, copies, far = [], [], []
        for library, variables in libraries:
            copy = {**library, "id": f"VariableCollectionId:{library['key']}/1:1", "remote": True, "variableIds": []}
            far.append(copy)
            made = [
                {**each, "id": remote(each["id"]), "variableCollectionId": copy["id"], "remote": True}
                | {"valuesByMode": {"m0": color(1.0)}}
                for each in variables
            ]
            copies += made
            targets += [each["id"] for each in made]
        variables = []
        for place in range(chance.randint(2, 4)):
            id_ = f"VariableID:{number + 1}:{place + 10}"
            value = alias(chance.choice(targets)) if targets and chance.random() < 0.6 else color(0.5)
            variables.append(variable(id_, f"t{place}", own, "COLOR", [value]))
            targets.append(id_)
        libraries.append((own, variables))
        raws[f"f{number}"] = response([*far, own], [*copies, *variables])
    return raws


def path_of(name):
    return Path(f"tokens/{name}/c{name[1:]}/value.tokens.json")


def lost(names, forced):
    """The aliases on the platform whose variable is not in its own file any more, except those that were forced."""
    files = {
        name: json.loads(tokensync("api", "GET", f"/v1/files/key-{name}/variables/local").output) for name in names
    }
    variables = {name: files[name]["meta"]["variables"] for name in names}
    live = {
        each["key"]
        for own in variables.values()
        for each in own.values()
        if not each["remote"] and not each.get("deletedButReferenced")
    }
    for name, own in variables.items():
        for each in own.values():
            for value in each["valuesByMode"].values() if not each["remote"] else ():
                if value.get("type") == "VARIABLE_ALIAS":
                    target = own.get(value["id"])
                    key = target["key"] if target else value["id"]
                    if key not in live and key not in forced:
                        yield f"{name}: {each['name']} -> {value['id']}"


def edit(chance, names):
    """Remove a token, or give it a literal or an alias to any token, or damage a file, or remove its token files."""
    name = chance.choice(names)
    path = path_of(name)
    if not path.exists():
        return
    document = json.loads(path.read_text(encoding="utf-8"))
    tokens = document.get(f"c{name[1:]}", {})
    if not tokens:
        return
    token, kind = chance.choice([*tokens]), chance.random()
    if kind < 0.4:
        del tokens[token]
    elif kind < 0.9:
        library = chance.choice(names[: names.index(name) + 1])
        present = (
            json.loads(path_of(library).read_text("utf-8"))[f"c{library[1:]}"] if path_of(library).exists() else {}
        )
        tokens[token]["$value"] = chance.choice([BLUE, *(f"{{c{library[1:]}.{target}}}" for target in present)])
    elif kind < 0.95:
        tokens[token]["$value"] = 7
    else:
        path.unlink()
        return
    path.write_text(json.dumps(document), encoding="utf-8")


def carry_out(chance, names, forced):
    """Plan with --prune, for all files or one, and apply; sometimes with --force, whose deletions are then forced."""
    chosen = chance.choice(([], ["--file", chance.choice(names)]))
    if run_here("plan", "-q", "--prune", *chosen).code:
        return False
    plans = decoded(PLAN.read_bytes()).plans
    is_forced = chance.random() < 0.15
    if is_forced:
        keys = {each["id"]: each["key"] for each in variables_of(names)}
        deleted = {
            each.ref for plan in plans if plan.findings for each in plan.operations if type(each) is DeleteVariable
        }
        forced |= {keys[ref] for ref in deleted if ref in keys}
    return run_here("apply", "-q", *(["--force"] if is_forced else [])).code == 0


def variables_of(names):
    for name in names:
        document = json.loads(tokensync("api", "GET", f"/v1/files/key-{name}/variables/local").output)
        yield from document["meta"]["variables"].values()


def run_sequence(seed):
    """Carry out a sequence, and return the number of plans that were applied."""
    chance = random.Random(seed)
    names = [f"f{number}" for number in range(chance.randint(2, 4))]
    tables = "".join(f'[[files]]\nname = "{name}"\nkey = "key-{name}"\n' for name in names)
    Path("tokensync.toml").write_text(f'base_url = "emulator:"\n{tables}', encoding="utf-8")
    with open_emulator(None, None) as emulator:
        for name, raw in designs(chance, len(names)).items():
            emulator.seed(f"key-{name}", raw)
    tokensync("-q", "pull")
    forced, applied = set(), 0
    for _ in range(6):
        for _ in range(chance.randint(1, 3)):
            edit(chance, names)
        applied += carry_out(chance, names, forced)
        assert [*lost(names, forced)] == [], f"seed {seed}"
        if chance.random() < 0.5:
            run_here("pull", "-q", "--theirs")
    return applied


@pytest.mark.parametrize("seed", range(6))
def test_no_alias_loses_its_target_without_force(folder, seed):
    run_sequence(seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(1000, 1000 + int(os.environ.get("TOKENSYNC_SEQUENCES", "200"))))
def test_no_alias_loses_its_target_without_force_in_many_sequences(folder, seed):
    run_sequence(seed)
