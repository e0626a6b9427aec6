"""Makes small API responses: one by hand, or any number at random from a seed. Standard library only."""

import hashlib
import random
import struct

WORDS = [
    *("accent", "base", "Primary", "bgColor", "URLBar", "RGBColor", "spacing", "xs", "2xl", "16", "on-dark"),
    *("Größe", "été", "über", "text_size", "h1", "a10", "default"),
]
KINDS = {
    "COLOR": [["ALL_SCOPES"], ["ALL_FILLS", "STROKE_COLOR"], []],
    "FLOAT": [
        ["ALL_SCOPES"],
        [],
        ["GAP"],
        ["WIDTH_HEIGHT", "CORNER_RADIUS"],
        ["FONT_SIZE"],
        ["LINE_HEIGHT", "FONT_SIZE"],
        ["GAP", "FONT_SIZE"],
        ["FONT_WEIGHT"],
        ["OPACITY"],
        ["COLOR_OPACITY", "OPACITY"],
        ["OPACITY", "GAP"],
        ["FONT_VARIATIONS"],
        ["A_SCOPE_OF_TOMORROW"],
    ],
    "STRING": [["ALL_SCOPES"], ["FONT_FAMILY"], ["TEXT_CONTENT"], ["FONT_STYLE"]],
    "BOOLEAN": [["ALL_SCOPES"], []],
}
MODE_NAMES = [
    ["Light", "Dark"],
    ["light", "dark", "dark dimmed"],
    ["Day", "Night"],
    ["MDS-Light", "BC-Light", "BC-Dark", "MDS-Dark"],
    ["Compact", "Normal", "Spacious"],
    ["Dark", "Light"],
    ["Default", "Dark", "Dark blue"],
    ["Default", "Dim dark", "Blue dark"],
    ["Default", "Night shift"],
    ["v1.0", "v1 0", "V1.0"],
    ["Value"],
    ["Mode 1"],
]
STRINGS = [
    "Hello",
    'it\'s "quoted"',
    "{not an alias}",
    "@string/x",
    "?x",
    "a\\nb",
    " padded  twice ",
    "<b>&amp;</b>",
    "",
    "日本 🎨",
]
WEIGHTS = ["Bold", "SemiBold", "Extra Light Italic", "bold-oblique", "REGULAR", "Italic", "350", "Book", "Condensed"]
FAMILIES = ["Inter", "SF Pro Text", "Inter, sans-serif", "monospace", "O'Reilly Sans"]


def color(red: float, green: float, blue: float, alpha: float = 1.0) -> dict:
    """A colour as the API writes it, float32."""
    return dict(zip("rgba", map(_single, (red, green, blue, alpha)), strict=True))


def alias(variable_id: str) -> dict:
    """A reference to a variable."""
    return {"type": "VARIABLE_ALIAS", "id": variable_id}


def _single(number: float) -> float:
    return struct.unpack("<f", struct.pack("<f", number))[0]


def _key(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def collection(number: int, name: str, modes: list[str], **more) -> dict:
    """A local collection; its mode ids are unique in it alone."""
    identity = f"VariableCollectionId:{number}:1"
    return {
        "id": identity,
        "name": name,
        "key": _key(identity),
        "modes": [{"modeId": f"9:{at}", "name": mode} for at, mode in enumerate(modes)],
        "defaultModeId": "9:0",
        "remote": False,
        "hiddenFromPublishing": False,
        "isExtension": False,
        "variableIds": [],
        **more,
    }


def variable(identity: str, owner: dict, name: str, resolved_type: str, values: list, **more) -> dict:
    """A variable of a collection, whose variableIds take it up; a value that is None is omitted."""
    owner["variableIds"].append(identity)
    return {
        "id": identity,
        "name": name,
        "key": _key(identity),
        "variableCollectionId": owner["id"],
        "resolvedType": resolved_type,
        "valuesByMode": {
            mode["modeId"]: value for mode, value in zip(owner["modes"], values, strict=False) if value is not None
        },
        "remote": owner["remote"],
        "description": "",
        "hiddenFromPublishing": owner["remote"],
        "scopes": ["ALL_SCOPES"],
        "codeSyntax": {},
        **more,
    }


def response(collections: list[dict], variables: list[dict]) -> dict:
    """The body of GET variables/local."""
    return {
        "status": 200,
        "error": False,
        "meta": {
            "variableCollections": {each["id"]: each for each in collections},
            "variables": {each["id"]: each for each in variables},
        },
    }


def small(**more) -> dict:
    """A response of one collection (Light, Dark) with a colour, a length, a string, a boolean and an alias."""
    owner = collection(1, "Theme", ["Light", "Dark"])
    ids = [f"VariableID:1:{at}" for at in range(2, 7)]
    variables = [
        variable(ids[0], owner, "accent/base", "COLOR", [color(0.1, 0.2, 0.3), color(0.5, 0.6, 0.7)], **more),
        variable(ids[1], owner, "space/sm", "FLOAT", [4, 8], scopes=["GAP"]),
        variable(ids[2], owner, "label", "STRING", ["Hello", "Good night"]),
        variable(ids[3], owner, "flag", "BOOLEAN", [True, False]),
        variable(ids[4], owner, "accent/strong", "COLOR", [alias(ids[0]), alias(ids[0])]),
    ]
    return response([owner], variables)


class Maker:
    """A small valid response from a seed: several collections and modes, extensions, aliases of every kind."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.collections: list[dict] = []
        self.variables: list[dict] = []

    def make(self) -> dict:
        """The whole response."""
        chance = self.random
        for number in range(1, chance.randint(2, 5)):
            self._root(number)
        for number in range(chance.randint(0, 2)):
            self._library(number)
        if chance.random() < 0.15:
            self._cycle()
        for number in range(chance.choice([0, 0, 1, 2, 3])):
            self._extension(20 + number)
        return response(self.collections, self.variables)

    def _root(self, number: int) -> None:
        names = ["Theme", "theme", "Brand / Core", ".hidden", "Size", "Größe"]
        owner = collection(number, self.random.choice(names), list(self.random.choice(MODE_NAMES)))
        if self.random.random() < 0.2:
            owner["defaultModeId"] = owner["modes"][-1]["modeId"]
        self.collections.append(owner)
        self._fill(owner, [f"VariableID:{number}:{at}" for at in range(2, 2 + self.random.randint(2, 12))])
        self.random.shuffle(owner["variableIds"])

    def _library(self, number: int) -> None:
        key = _key(f"library {number}")
        owner = collection(0, "Theme", ["Light", "Dark"], remote=True, hiddenFromPublishing=True)
        owner |= {"id": f"VariableCollectionId:{key}/7:{number}", "key": key}
        self.collections.append(owner)
        self._fill(owner, [f"VariableID:{_key(f'{number} {at}')}/3:{at}" for at in range(3)])

    def _fill(self, owner: dict, ids: list[str]) -> None:
        taken: set[str] = set()
        for identity in ids:
            name = self._name()
            while name in taken:
                name = f"{name}/more"
            taken.add(name)
            self.variables.append(self._variable(identity, owner, name))

    def _name(self) -> str:
        return "/".join(self.random.choice(WORDS) for _ in range(self.random.randint(1, 3)))

    def _variable(self, identity: str, owner: dict, name: str) -> dict:
        chance = self.random
        resolved_type = chance.choice(["COLOR", "COLOR", "FLOAT", "FLOAT", "STRING", "BOOLEAN"])
        scopes = chance.choice(KINDS[resolved_type])
        values = [self._value(resolved_type, scopes) for _ in owner["modes"]]
        more: dict = {"scopes": scopes, "codeSyntax": self._code_syntax()}
        if chance.random() < 0.1:
            more["hiddenFromPublishing"] = True
        if chance.random() < 0.1 and not owner["remote"]:
            more["deletedButReferenced"] = True
        return variable(identity, owner, name, resolved_type, values, **more)

    def _code_syntax(self) -> dict:
        chance, syntax = self.random, {}
        word = chance.choice(["accent", "fgMuted", "size-2", "brand_x", "n12"])
        plain = word.replace("-", "_")
        if chance.random() < 0.3:
            forms = [f"var(--{word})", f"--{word}", f"var(--{word}) /* utility class: .{word} */", "not a name!", ""]
            forms += [word, f"${word}", f"theme.colors.{plain}", f"colors.{plain}[500]"]
            syntax["WEB"] = chance.choice(forms)
        if chance.random() < 0.2:
            forms = [f"R.color.{plain}", f"@dimen/{plain}", f"colorResource(R.color.{plain})", plain, "9 lives"]
            syntax["ANDROID"] = chance.choice([*forms, f"AcmeTheme.colors.{plain}", f"AcmeTheme.{plain}.500"])
        if chance.random() < 0.2:
            forms = [f"Color.{plain}", f".{plain}", f"Theme.shared.color.{plain}", plain, "9 lives"]
            syntax["iOS"] = chance.choice([*forms, f'Color("Brand/{plain}", bundle: .module)', f"color.{plain}.500"])
        return syntax

    def _value(self, resolved_type: str, scopes: list[str]) -> object:
        chance = self.random
        draw = chance.random()
        if draw < 0.04:
            return alias(f"VariableID:{_key(str(draw))}/1:1") if draw < 0.03 else None
        if draw < 0.4 and (target := self._target(resolved_type)):
            return alias(target)
        if resolved_type == "COLOR":
            return self._color()
        if resolved_type == "FLOAT":
            if "FONT_WEIGHT" in scopes:
                return chance.choice([400, 700, 450.5])
            return _single(chance.choice([0, 1, 4, 16, 48, 0.9, 33.3, 100, -2.5, 1234567, 0.0001, 12.5, 0.1]))
        if resolved_type == "STRING":
            texts = {"FONT_FAMILY": FAMILIES, "FONT_STYLE": WEIGHTS}
            return chance.choice(texts.get(scopes[0], STRINGS))
        return chance.random() < 0.5

    def _color(self) -> object:
        chance = self.random
        literal = color(*(chance.random() for _ in range(3)), chance.choice([1, 1, 0, 0.5, chance.random()]))
        base, share = self._target("COLOR"), self._target("FLOAT")
        draw = chance.random()
        if draw < 0.15 and base:
            return {"color": alias(base), "opacity": chance.choice([0, 12.5, 48, 100, 140, -3])}
        if draw < 0.25 and base and share:
            return {"color": alias(base), "opacity": alias(share)}
        if draw < 0.3 and share:
            return {"color": literal, "opacity": alias(share)}
        if draw < 0.35 and base:
            arguments = [alias(base), 30]
            return {
                "type": "VARIABLE_EXPRESSION",
                "expressionFunction": "COMPOSE_COLOR",
                "expressionArguments": arguments,
            }
        return literal

    def _target(self, resolved_type: str) -> str | None:
        """A variable of the type, made before, so that aliases make no cycle."""
        fitting = [each["id"] for each in self.variables if each["resolvedType"] == resolved_type]
        return self.random.choice(fitting) if fitting else None

    def _cycle(self) -> None:
        """Two variables of one type that refer to each other in every mode."""
        resolved_type = self.random.choice(["COLOR", "FLOAT", "STRING"])
        both = [each for each in self.variables if each["resolvedType"] == resolved_type][:2]
        for each, other in zip(both, reversed(both), strict=True):
            each["valuesByMode"] = dict.fromkeys(each["valuesByMode"], alias(other["id"]))

    def _extension(self, number: int) -> None:
        chance = self.random
        parent = chance.choice([each for each in self.collections if not each["remote"]])
        identity = f"VariableCollectionId:{number}:1"
        modes = [
            {"modeId": f"{identity}/9:{at}", "name": each["name"], "parentModeId": each["modeId"]}
            for at, each in enumerate(parent["modes"])
        ]
        mine = collection(number, f"{parent['name']} / Brand {number}", [], isExtension=True)
        inherited = list(parent["variableIds"])
        default = next(each["modeId"] for each in modes if each["parentModeId"] == parent["defaultModeId"])
        overrides = {}
        for each in self.variables:
            if each["id"] in inherited and chance.random() < 0.3:
                mode = chance.choice(modes)["modeId"]
                value = self._literal(each)
                overrides[each["id"]] = {mode: value}
        mine |= {
            "modes": modes,
            "defaultModeId": default,
            "variableIds": inherited,
            "inheritedVariableIds": inherited,
            "localVariableIds": [],
            "parentVariableCollectionId": parent["id"],
            "rootVariableCollectionId": parent.get("rootVariableCollectionId", parent["id"]),
            "variableOverrides": overrides,
        }
        self.collections.append(mine)

    def _literal(self, owner: dict) -> object:
        resolved_type = owner["resolvedType"]
        if resolved_type == "COLOR":
            return color(*(self.random.random() for _ in range(3)))
        text = "Heavy" if owner["scopes"] == ["FONT_STYLE"] else "overridden"
        return {"FLOAT": self.random.choice([3, 7, 450]), "STRING": text, "BOOLEAN": True}[resolved_type]
