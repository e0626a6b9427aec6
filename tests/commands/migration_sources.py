"""A small source of each format, with what a migration of it has to result in."""

import json
from typing import Any, NamedTuple

from commands.projects import tokensync

from tokensync.project.configuration import load_project
from tokensync.project.sources import read_tokens


class MigrationSource(NamedTuple):
    """The files of a source, and the wanted counts and modes of the collections that have tokens.

    ``counts_leaves`` means that each object with a value in the JSON is one token.
    """

    format: str
    files: dict[str, Any]
    read: int
    migrated: int
    collections: dict[str, list[str]]
    counts_leaves: bool = True


def leaves_of(tree):
    """The number of objects with a value in JSON, counted without a reader of the format."""
    if not isinstance(tree, dict):
        return 0
    if "$value" in tree or ("value" in tree and not isinstance(tree["value"], dict)):
        return 1
    if "value" in tree and "type" in tree:
        return 1
    return sum(leaves_of(each) for name, each in tree.items() if name[:1] != "$")


def studio(value, kind="color", /, **modify):
    extensions = {"$extensions": {"studio.tokens": {"modify": modify}}} if modify else {}
    return {"value": value, "type": kind, **extensions}


def dtcg(value, kind):
    return {"$type": kind, "$value": value}


def srgb(*components, alpha=1):
    return {"colorSpace": "srgb", "components": [*components], "alpha": alpha}


def themes(*pairs, group="Mode"):
    return [{"id": name, "name": name, "group": group, "selectedTokenSets": dict(sets)} for name, sets in pairs]


STUDIO = {
    "core": {
        "color": {
            "white": studio("#ffffff"),
            "black": studio("#000000"),
            "blue": studio("#3366cc"),
            "shade": studio("{color.blue}", type="darken", value="0.2", space="srgb"),
        },
        "space": {
            "base": studio("4", "spacing"),
            "double": studio("{space.base} * 2", "spacing"),
            "rem": studio("1.5rem", "sizing"),
        },
        "body": {
            "value": {
                "fontFamily": "Inter",
                "fontWeight": "Semi Bold",
                "fontSize": "{space.base}",
                "lineHeight": "150%",
            },
            "type": "typography",
        },
        "shadow": {
            "value": {"color": "{color.black}", "type": "dropShadow", "x": "0", "y": "2", "blur": "4", "spread": "0"},
            "type": "boxShadow",
        },
        "half": studio("50%", "opacity"),
    },
    "light": {
        "bg": studio("{color.white}"),
        "hover": studio("{color.blue}", type="lighten", value="0.2", space="lch"),
        "tint": studio("rgba({color.blue}, 0.5)"),
    },
    "dark": {
        "bg": studio("{color.black}"),
        "hover": studio("{color.blue}"),
        "tint": studio("rgba({color.white}, {half})"),
        "only": studio("#ff0000"),
        "broken": studio("{nothing}"),
    },
    "unused": {"x": studio("{color.blue}")},
    "$themes": themes(
        ("Light", {"core": "source", "light": "enabled"}), ("Dark", {"core": "source", "dark": "enabled"})
    ),
    "$metadata": {"tokenSetOrder": ["core", "light", "dark", "unused"]},
}

FIGMA = {
    "Primitives/Value.tokens.json": {
        "color": {
            "blue": {
                **dtcg({**srgb(0.2, 0.4, 0.8), "hex": "#3366CC"}, "color"),
                "$extensions": {"com.figma.variableId": "VariableID:1:2", "com.figma.scopes": ["ALL_SCOPES"]},
            },
            "white": {
                **dtcg({**srgb(1, 1, 1), "hex": "#FFFFFF"}, "color"),
                "$extensions": {"com.figma.variableId": "VariableID:1:3", "com.figma.scopes": ["ALL_SCOPES"]},
            },
        },
        "$extensions": {"com.figma.modeName": "Value"},
    },
    **{
        f"Theme/{mode}.tokens.json": {
            "bg": {
                **dtcg({**srgb(*components), "hex": hexadecimal}, "color"),
                "$extensions": {
                    "com.figma.variableId": "VariableID:2:2",
                    "com.figma.scopes": ["ALL_SCOPES"],
                    "com.figma.aliasData": {
                        "targetVariableId": f"VariableID:{'a' * 40}/-1:-1",
                        "targetVariableName": target,
                        "targetVariableSetId": f"VariableCollectionId:{'b' * 40}/-1:-1",
                        "targetVariableSetName": "Primitives",
                    },
                },
            },
            "fg": {
                **dtcg("{bg}", "color"),
                "$extensions": {"com.figma.variableId": "VariableID:2:3", "com.figma.scopes": ["ALL_SCOPES"]},
            },
            "$extensions": {"com.figma.modeName": mode},
        }
        for mode, target, components, hexadecimal in (
            ("Light", "color/white", (1, 1, 1), "#FFFFFF"),
            ("Dark", "color/blue", (0.2, 0.4, 0.8), "#3366CC"),
        )
    },
}

DTCG = {
    "tokens.json": {
        "color": {
            "$type": "color",
            "blue": {"$value": srgb(0.2, 0.4, 0.8)},
            "link": {"$value": "{color.blue}"},
            "old": {"$value": "#ff000080"},
        },
        "size": {"$type": "dimension", "small": {"$value": {"value": 4, "unit": "px"}}, "old": {"$value": "8px"}},
        "time": {"fast": dtcg({"value": 100, "unit": "ms"}, "duration")},
        "untyped": {"$value": "{size.small}"},
    }
}

STYLE_DICTIONARY = {
    "tokens/color.json": {
        "color": {
            "blue": {"value": "#3366cc"},
            "white": {"value": "#ffffff"},
            "background": {"value": "{color.white.value}"},
            "half": {"value": "rgba(51, 102, 204, 0.5)"},
        }
    },
    "tokens/size.json5": """\
// sizes, in px
{
  size: {
    small: { value: '4px' }, // the smallest
    large: { value: "{size.small.value}", comment: 'the same for now' },
  },
}
""",
}

THEO = {
    "tokens.yml": """\
props:
  color-blue:
    value: "#3366cc"
    type: color
    category: background-color
  color-link:
    value: "{!BLUE}"
    type: color
    category: text-color
  space-small:
    value: 4px
    type: size
    category: spacing
aliases:
  BLUE:
    value: "#3366cc"
"""
}

CSS = """\
:root {
  --color-blue: #3366cc;
  --color-white: #fff;
  --space-1: 4px;
  --space-2: calc(var(--space-1) * 2);
  --bg: var(--color-white);
}
.dark {
  --bg: var(--color-blue);
}
"""

ANDROID = {
    "res/values/colors.xml": (
        "<resources>\n"
        '  <color name="blue">#3366cc</color>\n'
        '  <color name="white">#ffffff</color>\n'
        '  <color name="background">@color/white</color>\n'
        '  <dimen name="space">4dp</dimen>\n'
        "</resources>\n"
    ),
    "res/values-night/colors.xml": '<resources>\n  <color name="background">@color/blue</color>\n</resources>\n',
}


def colorset(*colors):
    return {"colors": [*colors], "info": {"author": "xcode", "version": 1}}


def asset(red, green, blue, *appearances):
    components = {"red": red, "green": green, "blue": blue, "alpha": "1.000"}
    found = {"idiom": "universal", "color": {"color-space": "srgb", "components": components}}
    return {**found, "appearances": [*appearances]} if appearances else found


IOS = {
    "App.xcassets/Contents.json": {"info": {"author": "xcode", "version": 1}},
    "App.xcassets/background.colorset/Contents.json": colorset(
        asset("1.000", "1.000", "1.000"),
        asset("0x33", "0x66", "0xCC", {"appearance": "luminosity", "value": "dark"}),
    ),
    "App.xcassets/accent.colorset/Contents.json": colorset(asset("0x33", "0x66", "0xCC")),
}

PLUGIN = {
    "collections": [
        {"name": "raw", "modes": ["Value"], "variables": [
            {"name": "ink/dark", "type": "COLOR", "values": {"Value": "#111"}},
            {"name": "size", "type": "FLOAT", "values": {"Value": 4}},
        ]},
        {"name": "semantic", "modes": ["Light", "Dark"], "variables": [
            {"name": "text", "type": "COLOR", "values": {"Light": "$raw/ink/dark", "Dark": "#fff"}},
        ]},
    ]
}  # fmt: skip


SOURCES = {
    "tokens-studio": MigrationSource(
        "tokens-studio",
        {"tokens.json": STUDIO},
        19,
        17,
        {"Mode": ["Light", "Dark"], "core": [], "unused": []},
    ),
    "figma": MigrationSource("figma", FIGMA, 6, 6, {"Primitives": ["Value"], "Theme": ["Light", "Dark"]}),
    "dtcg": MigrationSource("dtcg", DTCG, 7, 7, {"tokens": ["Default"]}),
    "style-dictionary": MigrationSource(
        "style-dictionary", STYLE_DICTIONARY, 6, 6, {"tokens": ["Default"]}, counts_leaves=False
    ),
    "variables of a plugin": MigrationSource(
        "json",
        {"a.json": PLUGIN},
        4,
        4,
        {"raw": ["Value"], "semantic": ["Light", "Dark"]},
        counts_leaves=False,
    ),
    "names and values": MigrationSource(
        "json",
        {"light.json": {"bg": "#fff", "gap": "4px"}, "dark.json": {"bg": "#000", "gap": "4px"}},
        4,
        4,
        {"base": [], "theme": ["light", "dark"]},
        counts_leaves=False,
    ),
    "theo": MigrationSource("theo", THEO, 4, 4, {"tokens": ["Default"]}, counts_leaves=False),
    "css": MigrationSource(
        "css", {"tokens.css": CSS}, 6, 6, {"base": ["default"], "appearance": ["light", "dark"]}, counts_leaves=False
    ),
    "android": MigrationSource(
        "android", ANDROID, 5, 5, {"base": ["default"], "appearance": ["light", "dark"]}, counts_leaves=False
    ),
    "ios": MigrationSource(
        "ios", IOS, 3, 3, {"base": ["default"], "appearance": ["light", "dark"]}, counts_leaves=False
    ),
}


def written(folder, files):
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content if isinstance(content, str) else json.dumps(content, indent=2), encoding="utf-8")
    return folder


def migrated(source, *options, code=0):
    done = tokensync("migrate", source, "--json", *options, code=code)
    return json.loads(done.output)


def tokens(name="harbor"):
    """The tokens of the token files, without what only the platform gives them."""
    graph = read_tokens(load_project(), name).graph
    modes = {key: [mode.name for mode in each.modes] for key, each in graph.collections.items()}
    return {key: (token.type, token.values, token.description) for key, token in graph.tokens.items()}, modes
