"""What the people of a year do on both sides, and the ledger of what both sides must contain.

The ledger merges by field, in ordinary dictionaries: a field is a value of a token in a mode, a name, a description,
or the existence of a token. It shares no code with tokensync's merges and plans.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from action.github import git
from unattended.design import KEY, files_of, mode_files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from random import Random

    from action.github import GitHub
    from unattended.design import DesignFile, Library, ModeFile
    from unattended.workflows import Workflows

Field = tuple[str, ...]
"""``(kind, token)`` with the kinds name, description and there (for its existence), ``("value", token, mode)``, and
``("mode", mode)`` for a mode's name."""
Fields = dict[Field, str | None]
"""The fields of a side, or changes of them: None is a field that does not exist, or ends."""

COLLECTIONS = {"Palette": ("value",), "Theme": ("light", "dark"), "Ratio": ("base",)}
"""The collections with their modes, by the names that these have at first."""
_GROUPS = {"Palette": ("hue",), "Theme": ("accent", "surface", "line"), "Ratio": ("scale",)}
_AT_FIRST = {"Palette": 6, "Theme": 6, "Ratio": 3}


class Change(NamedTuple):
    """What a pull request brings into main: edits of code, values of the design file, and facts of the lock."""

    edits: Fields
    pulled: Fields
    lock: Fields


class Ledger:
    """Both sides, the last state in which they agreed, and that state as main's own lock has it."""

    def __init__(self) -> None:
        self.collections: dict[str, str] = {}
        """The collection of each token."""
        self.design: Fields = {}
        self.code: Fields = {}
        self.base: Fields = {}
        self.base_in_main: Fields = {}

    def copy(self) -> Ledger:
        """Return a ledger to try something on."""
        other = Ledger()
        other.collections = self.collections
        other.design, other.code = dict(self.design), dict(self.code)
        other.base, other.base_in_main = dict(self.base), dict(self.base_in_main)
        return other

    def conflicts(self) -> list[Field]:
        """Return what both sides have changed differently."""
        return [each for each in self._changed(self.design) if each in self._changed(self.code)]

    def to_code(self) -> Fields:
        """Return what the design file alone has changed."""
        changed = self._changed(self.code)
        return {each: self.design.get(each) for each in self._changed(self.design) if each not in changed}

    def to_design(self) -> Fields:
        """Return what code alone has changed."""
        changed = self._changed(self.design)
        return {each: self.code.get(each) for each in self._changed(self.code) if each not in changed}

    def _changed(self, side: Fields) -> dict[Field, None]:
        """Return the fields that differ from the base, and from the other side."""
        found = (*self.design, *self.code, *self.base)
        return {
            each: None
            for each in found
            if side.get(each) != self.base.get(each) and self.design.get(each) != self.code.get(each)
        }

    def proposal(self) -> Change:
        """Return what a pull of now brings into main."""
        every = dict.fromkeys((*self.design, *self.base_in_main))
        lock = {each: self.design.get(each) for each in every if self.design.get(each) != self.base_in_main.get(each)}
        return Change({}, self.to_code(), lock)

    def merge(self, change: Change) -> None:
        """Merge a pull request into main.

        A fact that main's lock has already is no change for git, so what a later apply has recorded about it stays.
        """
        changed = {each: value for each, value in change.lock.items() if self.base_in_main.get(each) != value}
        _set(self.code, change.edits)
        _set(self.code, change.pulled)
        _set(self.base, changed)
        _set(self.base_in_main, changed)

    def edit_design(self, fields: Fields) -> None:
        """Change the design file."""
        _set(self.design, fields)

    def apply(self) -> None:
        """Bring everything that code alone has changed into the design file."""
        done = self.to_design()
        _set(self.design, done)
        _set(self.base, done)

    def library(self, side: Fields) -> Library:
        """Return a side in the form in which it is read."""

        def shown(value: str) -> str:
            return f"{{{side['name', value[1:-1]]}}}" if value.startswith("{") else value

        found: Library = {}
        for field in side:
            if field[0] != "there":
                continue
            token = field[1]
            collection = self.collections[token]
            values = {
                str(side["mode", mode]): shown(str(side["value", token, mode])) for mode in COLLECTIONS[collection]
            }
            found[collection, str(side["name", token])] = (str(side["description", token]), values)
        return found

    def living(self) -> list[str]:
        """Return the tokens that both sides have."""
        return [each[1] for each in self.code if each[0] == "there" and each in self.design]


def _set(side: Fields, fields: Mapping[Field, str | None]) -> None:
    for field, value in fields.items():
        if value is None:
            side.pop(field, None)
        else:
            side[field] = value


class Names:
    """Draws new tokens, names and values that nothing else has."""

    def __init__(self, dice: Random, ledger: Ledger) -> None:
        self._dice = dice
        self._ledger = ledger
        self._number = 0

    def token(self, collection: str) -> Fields:
        """Return all fields of a new token."""
        self._number += 1
        token = f"t{self._number}"
        self._ledger.collections[token] = collection
        values: Fields = {("value", token, mode): self.value(collection) for mode in COLLECTIONS[collection]}
        return {
            ("there", token): "yes",
            ("name", token): self.name(collection),
            ("description", token): "",
            **values,
        }

    def name(self, collection: str) -> str:
        """Return a name for a token."""
        self._number += 1
        return f"{self._dice.choice(_GROUPS[collection])}/n{self._number}"

    def mode(self) -> str:
        """Return a name for a mode."""
        self._number += 1
        return f"Mode {self._number}"

    def sentence(self) -> str:
        """Return a description."""
        self._number += 1
        return f"Used since decision {self._number}"

    def value(self, collection: str) -> str:
        """Return a value that no token has: a color or a number, and in themes often an alias."""
        self._number += 1
        if collection == "Ratio":
            return str(self._number)
        stable = [f"t{each}" for each in range(1, 10) if self._ledger.collections.get(f"t{each}") == "Palette"]
        if collection == "Theme" and stable and self._dice.random() < 0.3:
            return f"{{{self._dice.choice(stable)}}}"
        return f"#{self._number:04x}{self._dice.randrange(256):02x}"


class Designers:
    """Edits in the design file."""

    def __init__(self, design: DesignFile, ledger: Ledger) -> None:
        self._design = design
        self._ledger = ledger

    def start(self, names: Names) -> None:
        """Create the file with its first tokens."""
        self._design.emulator.files.create(KEY, name="Harbor")
        collections, modes = [], []
        for name, own in COLLECTIONS.items():
            first, *others = own
            collections.append({"action": "CREATE", "id": f"c{name}", "name": name, "initialModeId": first})
            modes.append({"action": "UPDATE", "id": first, "name": first.title(), "variableCollectionId": f"c{name}"})
            modes += (
                {"action": "CREATE", "id": each, "name": each.title(), "variableCollectionId": f"c{name}"}
                for each in others
            )
        self._design.edit(variableCollections=collections, variableModes=modes)
        self._ledger.edit_design({("mode", mode): mode.title() for own in COLLECTIONS.values() for mode in own})
        for collection, count in _AT_FIRST.items():
            for _ in range(count):
                self.edit(names.token(collection))

    def edit(self, fields: Fields) -> None:
        """Set fields of the design file in one step."""
        meta = self._design.meta()
        side = self._ledger.design
        ids = {each["name"]: id_ for id_, each in meta["variables"].items()}
        collections = {each["name"]: each for each in meta["variableCollections"].values()}

        def variable(token: str) -> str:
            return ids[str(side["name", token])] if ("there", token) in side else token

        def mode_id(mode: str) -> tuple[str, str]:
            (collection,) = [name for name, own in COLLECTIONS.items() if mode in own]
            found = collections[collection]
            (id_,) = [each["modeId"] for each in found["modes"] if each["name"] == side["mode", mode]]
            return found["id"], id_

        changes: dict[str, list[dict[str, Any]]] = {"variables": [], "variableModes": [], "variableModeValues": []}
        for field, value in fields.items():
            match field:
                case ("there", token) if value is None:
                    changes["variables"].append({"action": "DELETE", "id": variable(token)})
                case ("there", token):
                    collection = self._ledger.collections[token]
                    changes["variables"].append(
                        {
                            "action": "CREATE",
                            "id": token,
                            "name": fields["name", token],
                            "variableCollectionId": collections[collection]["id"],
                            "resolvedType": "FLOAT" if collection == "Ratio" else "COLOR",
                        }
                    )
                case ("name" | "description" as member, token) if ("there", token) not in fields:
                    changes["variables"].append({"action": "UPDATE", "id": variable(token), member: value})
                case ("mode", mode):
                    owner, id_ = mode_id(mode)
                    changes["variableModes"].append(
                        {"action": "UPDATE", "id": id_, "name": value, "variableCollectionId": owner}
                    )
                case ("value", token, mode) if value is not None:
                    members = {"variableId": variable(token), "modeId": mode_id(mode)[1]}
                    changes["variableModeValues"].append({**members, "value": _raw(value, variable)})
        self._design.edit(**{name: each for name, each in changes.items() if each})
        self._ledger.edit_design(fields)


def _raw(value: str, variable: Any) -> Any:
    if value.startswith("{"):
        return {"type": "VARIABLE_ALIAS", "id": variable(value[1:-1])}
    if value.startswith("#"):
        return {**{name: int(value[at : at + 2], 16) / 255 for name, at in (("r", 1), ("g", 3), ("b", 5))}, "a": 1}
    return float(value)


def of_token(side: Fields, token: str) -> Fields:
    """Return all fields of a token as ended."""
    return {each: None for each in side if token in each[1:2]}


class Developers:
    """Edits in code, in a clone of their own."""

    def __init__(self, folder: Path, github: GitHub, workflows: Workflows, ledger: Ledger) -> None:
        self.folder = folder
        self._github = github
        self._workflows = workflows
        self._ledger = ledger

    def check_out(self, branch: str, start: str = "main") -> None:
        """Begin a branch at the current state of another."""
        git(self.folder, "fetch", "-q", str(self._github.bare), start)
        git(self.folder, "checkout", "-q", "-f", "-B", branch, "FETCH_HEAD")

    def push(self, branch: str, message: str) -> None:
        """Commit everything and push it."""
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-q", "--allow-empty", "-m", message)
        git(self.folder, "push", "-q", "-f", str(self._github.bare), f"HEAD:refs/heads/{branch}")

    def edit(self, branch: str, fields: Fields) -> None:
        """Make a branch with these edits of main's token files, build, and push it."""
        self.check_out(branch)
        code = self._ledger.code
        files = mode_files(files_of(self._github.bare, "main"))
        for file in files:
            for field, value in fields.items():
                self._edit_file(file, field, value, fields)
        for file in files:
            text = json.dumps(file.document, indent=2, ensure_ascii=False) + "\n"
            (self.folder / file.path).write_text(text, encoding="utf-8")
        for field, value in fields.items():
            if code.get(field) == value:  # a pull has brought the same edit
                continue
            if field[0] == "name" and ("there", field[1]) not in fields:
                handle = self._ledger.collections[field[1]].lower()
                self._workflows.command(
                    self.folder, "-q", "tokens", "rename", f"{handle}/{code[field]}", f"{handle}/{value}"
                )
            if field[0] == "mode":
                (file,) = [each for each in files if each.mode == code[field]]
                self._workflows.command(
                    self.folder, "-q", "tokens", "rename-mode", f"{file.handle}/{file.mode_handle}", str(value)
                )
        self._workflows.command(self.folder, "-q", "format")
        self._workflows.command(self.folder, "-q", "build")
        self.push(branch, "Edit tokens")

    def _edit_file(self, file: ModeFile, field: Field, value: str | None, fields: Fields) -> None:
        code = self._ledger.code
        is_default = file.collection in COLLECTIONS and file.mode == code["mode", COLLECTIONS[file.collection][0]]
        match field:
            case ("value", token, mode) if file.collection == self._ledger.collections[token] and (
                file.mode == code["mode", mode]
            ):
                name = code.get(("name", token)) or fields["name", token]
                leaf = _leaf(file.document[file.handle], str(name))
                leaf.setdefault("$type", "number" if file.collection == "Ratio" else "color")
                leaf["$value"] = self._written(str(value), fields)
            case ("description", token) if file.collection == self._ledger.collections[token] and is_default and value:
                name = code.get(("name", token)) or fields["name", token]
                _leaf(file.document[file.handle], str(name))["$description"] = value

    def _written(self, value: str, fields: Fields) -> Any:
        if value.startswith("{"):
            token = value[1:-1]
            name = self._ledger.code.get(("name", token)) or fields["name", token]
            return f"{{{self._ledger.collections[token].lower()}.{str(name).replace('/', '.')}}}"
        if value.startswith("#"):
            channels = [int(value[at : at + 2], 16) / 255 for at in (1, 3, 5)]
            return {"colorSpace": "srgb", "components": channels, "hex": value}
        return float(value)


def _leaf(group: dict[str, Any], name: str) -> dict[str, Any]:
    for part in name.split("/"):
        group = group.setdefault(part, {})
    return group
