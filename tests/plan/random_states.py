"""Two random states of a file, such that operations lead from the first to the second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs
from plan.states import to

from tokensync.plan.state import CollectionState, FileState, ModeState, ObjectValue, VariableState, root_modes

if TYPE_CHECKING:
    from random import Random

    from tokensync.plan.state import Ref, StateValue

REMOTE = "VariableCollectionId:0123456789abcdef0123456789abcdef01234567/5:0"
_REMOTE_ID = "VariableID:0123456789abcdef0123456789abcdef01234567/5:"
_SCOPES = {
    "COLOR": (("ALL_SCOPES",), (), ("FRAME_FILL", "TEXT_FILL")),
    "FLOAT": (("ALL_SCOPES",), ("GAP", "OPACITY"), ()),
    "STRING": (("ALL_SCOPES",), ("FONT_FAMILY",)),
    "BOOLEAN": (("ALL_SCOPES",),),
}
_NAMES = ("a", "b", "c", "group/a", "group/ü", 'q"uote', "d")


class States:
    """Rolls both states. Nothing gets more modes than ``modes``, or more variables than ``variables``."""

    def __init__(self, dice: Random, *, modes: int = 4, variables: int = 7) -> None:
        self.dice = dice
        self.modes = modes
        self.variables = variables
        self._count = 0

    def _number(self) -> int:
        self._count += 1
        return self._count

    def _chance(self, share: float) -> bool:
        return self.dice.random() < share

    def before(self) -> FileState:
        """Collections, extensions of them, variables and overrides; at times what is of another file, too."""
        collections: dict[Ref, CollectionState] = {}
        for _ in range(self.dice.randint(1, 3)):
            ref = f"VariableCollectionId:1:{self._number()}"
            listed = tuple(self._mode(f"1:{self._number()}") for _ in range(self.dice.randint(1, self.modes)))
            default = self.dice.choice((listed[0], *listed)).ref
            collections[ref] = CollectionState(ref=ref, name=f"C{ref}", root=ref, modes=listed, default=default)
        if self._chance(0.3):
            modes = (ModeState("5:1", "Light"), ModeState("5:2", "Dark"))
            collections[REMOTE] = CollectionState(
                ref=REMOTE, name="Library", root=REMOTE, modes=modes, default="5:1", hidden=True, fixed=True
            )
        for _ in range(self.dice.choice((0, 0, 1, 2, 3))):
            parent = self.dice.choice([*collections.values()])
            ref = f"VariableCollectionId:1:{self._number()}"
            collections[ref] = self._extension(ref, parent, collections)
        bare: dict[Ref, VariableState] = {}
        for each in collections.values():
            if each.parent is None:
                for name in self.dice.sample(_NAMES, self.dice.randint(0, min(self.variables, len(_NAMES)))):
                    made = self._variable(
                        f"{_REMOTE_ID if each.fixed else 'VariableID:1:'}{self._number()}", each, name
                    )
                    bare[made.ref] = made
        return self._with_values(FileState(collections, bare), None)

    def after(self, before: FileState) -> FileState:
        """The state after random changes that requests can make."""
        collections: dict[Ref, CollectionState] = {}
        for each in before.collections.values():
            if each.fixed:
                collections[each.ref] = each
            elif each.parent is None:
                if self._chance(0.9):
                    collections[each.ref] = self._other_root(each)
            elif each.parent in collections and self._chance(0.85):
                collections[each.ref] = self._same_extension(each, before, collections)
        for _ in range(self.dice.choice((0, 0, 1))):
            ref = f"collection:{self._number()}"
            listed = tuple(self._mode(f"mode:{self._number()}") for _ in range(self.dice.randint(1, self.modes)))
            collections[ref] = CollectionState(
                ref=ref, name="C", root=ref, modes=listed, default=listed[0].ref, hidden=self._chance(0.2)
            )
        for _ in range(self.dice.choice((0, 0, 1, 2))):
            parents = [each for each in collections.values() if not each.fixed]
            if parents:
                ref = f"collection:{self._number()}"
                collections[ref] = self._extension(ref, self.dice.choice(parents), collections)
        bare = {ref: each for ref, each in before.variables.items() if each.fixed}
        for each in collections.values():
            if each.parent is None and not each.fixed:
                bare |= self._other_variables(each, before)
        return self._with_values(FileState(collections, bare), before)

    def _mode(self, ref: Ref) -> ModeState:
        return ModeState(ref, f"M{self.dice.randrange(4)}")

    def _extension(self, ref: Ref, parent: CollectionState, others: dict[Ref, CollectionState]) -> CollectionState:
        origins = root_modes(FileState(others, {}), parent)
        modes = tuple(ModeState(self._extended(ref, origins[mode.ref]), mode.name, mode.ref) for mode in parent.modes)
        default = next(mode.ref for mode in modes if mode.parent == parent.default)
        return CollectionState(
            ref=ref, name=f"E{ref}", root=parent.root, modes=modes, default=default, parent=parent.ref
        )

    def _extended(self, extension: Ref, origin: Ref) -> Ref:
        made = extension.startswith("collection:") or origin.startswith("mode:")
        return f"{extension}~{origin}" if made else f"{extension}/{origin}"

    def _other_root(self, was: CollectionState) -> CollectionState:
        kept = [mode for mode in was.modes if self._chance(0.75)]
        new = [self._mode(f"mode:{self._number()}") for _ in range(self.dice.choice((0, 0, 1, 2)))]
        new = new[: self.modes - len(kept)]
        if not kept and not new:
            kept = [*was.modes]
        modes = tuple(
            structs.replace(mode, name=f"M{self.dice.randrange(4)}") if self._chance(0.2) else mode for mode in kept
        )
        modes += tuple(new)
        default = was.default if was.default in {mode.ref for mode in kept} else modes[0].ref
        hidden = was.hidden ^ self._chance(0.1)
        name = was.name + "!" if self._chance(0.1) else was.name
        return structs.replace(was, modes=modes, default=default, hidden=hidden, name=name)

    def _same_extension(
        self, was: CollectionState, before: FileState, now: dict[Ref, CollectionState]
    ) -> CollectionState:
        made = self._extension(was.ref, now[was.parent or ""], now)
        return structs.replace(made, name=was.name, hidden=was.hidden ^ self._chance(0.1))

    def _variable(self, ref: Ref, collection: CollectionState, name: str) -> VariableState:
        kind = self.dice.choice(("COLOR", "COLOR", "FLOAT", "FLOAT", "STRING", "BOOLEAN"))
        made = VariableState(
            ref=ref,
            collection=collection.ref,
            name=name,
            type=kind,
            values={},
            scopes=("ALL_SCOPES",),
            fixed=collection.fixed,
            hidden=collection.fixed,
        )
        return made if collection.fixed else self._described(made)

    def _described(self, variable: VariableState) -> VariableState:
        return structs.replace(
            variable,
            description=self.dice.choice(("", "what for", "<&>")),
            scopes=tuple(sorted(self.dice.choice(_SCOPES[variable.type]))),
            hidden=self._chance(0.2),
            code_syntax=self.dice.choice(((), (("WEB", "--x"),), (("WEB", "var(--y)"), ("iOS", "y")))),
        )

    def _other_variables(self, root: CollectionState, before: FileState) -> dict[Ref, VariableState]:
        """Remaining variables, some renamed, and new ones; names may be exchanged."""
        kept = [each for each in before.variables.values() if each.collection == root.ref and self._chance(0.75)]
        kept = [self._described(each) if self._chance(0.2) else each for each in kept]
        room = min(self.variables, len(_NAMES)) - len(kept)
        made = [
            self._variable(f"variable:{self._number()}", root, "") for _ in range(self.dice.randint(0, max(room, 0)))
        ]
        names = [each.name for each in kept]
        if self._chance(0.5):
            moving = self.dice.sample(range(len(kept)), self.dice.randint(0, len(kept)))
            passed = [names[index] for index in moving]
            for index, name in zip(moving, [*passed[1:], *passed[:1]], strict=True):
                names[index] = name
        free = [name for name in _NAMES if name not in names]
        self.dice.shuffle(free)
        for index in range(len(kept)):
            if free and self._chance(0.2):
                free.append(names[index])
                names[index] = free.pop(0)
        names += free[: len(made)]
        return {each.ref: structs.replace(each, name=name) for each, name in zip((*kept, *made), names, strict=True)}

    def _with_values(self, bare: FileState, before: FileState | None) -> FileState:
        """Values such that aliases lead to variables earlier in some order, the old one or another."""
        order = [*bare.variables]
        if self._chance(0.7):
            self.dice.shuffle(order)
        order.sort(key=lambda ref: not bare.variables[ref].fixed)
        filled: dict[Ref, VariableState] = {}
        for place, ref in enumerate(order):
            values: dict[Ref, StateValue] = {}
            earlier = [bare.variables[each] for each in order[:place]]
            for mode, own in self._places(bare, bare.variables[ref]):
                value = self._value(bare.variables[ref], mode, own, earlier, before)
                if value is not None:
                    values[mode] = value
            filled[ref] = structs.replace(bare.variables[ref], values=values)
        return FileState(bare.collections, {ref: filled[ref] for ref in bare.variables})

    def _places(self, file: FileState, variable: VariableState) -> list[tuple[Ref, bool]]:
        root = file.collections[variable.collection]
        overriding = (each for each in file.family(root.ref) if each.parent is not None)
        return [
            *((mode.ref, True) for mode in root.modes),
            *((m.ref, False) for each in overriding for m in each.modes),
        ]

    def _value(
        self, variable: VariableState, mode: Ref, own: bool, earlier: list[VariableState], before: FileState | None
    ) -> StateValue | None:
        was = None if before is None else before.variables.get(variable.ref)
        refs = {each.ref for each in earlier}
        if was is not None:
            old = was.values.get(mode, was.values.get(before.collections[was.collection].default) if own else None)
            stays = (variable.fixed and own) or self._chance(0.6)
            if (
                stays
                and (old is not None or not own)
                and (not isinstance(old, ObjectValue) or refs.issuperset(old.targets()))
            ):
                return old
        if not own and self._chance(0.6):
            return None
        return self._new_value(variable.type, [] if variable.fixed and own else earlier)

    def _new_value(self, kind: str, earlier: list[VariableState]) -> StateValue:
        same = [each.ref for each in earlier if each.type == kind]
        if same and self._chance(0.6):
            return to(self.dice.choice(same))
        shares = [each.ref for each in earlier if each.type == "FLOAT"]
        if kind == "COLOR" and shares and self._chance(0.4):
            base = to(self.dice.choice(same)) if same and self._chance(0.5) else self._literal("COLOR")
            return ObjectValue(color=base, opacity=to(self.dice.choice(shares)))
        return self._literal(kind)

    def _literal(self, kind: str) -> Any:
        if kind == "COLOR":
            return ObjectValue(*(self.dice.choice((0, 0.25, 0.5, 1)) for _ in range(4)))
        return self.dice.choice(
            {"FLOAT": (0, 1, 12.5, -3), "STRING": ("", "é", "text"), "BOOLEAN": (True, False)}[kind]
        )
