"""The same token folder built by tokensync and by Style Dictionary into the same kinds of output, compared by value.

Theme k is mode k of every collection. Both programs read the token files of DTCG 2025.10 from disk and write

- CSS custom properties: the default theme under ``:root``, each other one under ``[data-theme]``; references are kept;
- Android resources: the default theme in ``values``, the second one in ``values-night``;
- Swift constants of the default theme, without an asset catalog.

Style Dictionary is set up as its documentation shows it for several brands: one instance a theme, each with the token
files of that theme (style_dictionary.mjs). Both name tokens after their paths.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import NamedTuple
from xml.etree import ElementTree as ET

HERE = os.path.dirname(os.path.abspath(__file__))
STYLE_DICTIONARY = os.path.join(HERE, "style_dictionary.mjs")
OUTPUTS = ("css", "android", "ios")
KEY = "BenchmarkLibraryFile01"
Values = dict[str, object]


class Compared(NamedTuple):
    """How many declarations both programs agree on: theme by theme in CSS and Android, once in Swift."""

    css: int
    android: int
    swift: int


def install() -> None:
    """Install Style Dictionary from its lock file, unless this version of the lock file is installed already."""
    lock, installed = (os.path.join(HERE, name) for name in ("package-lock.json", "node_modules/.package-lock.json"))
    if os.path.exists(installed) and os.path.getmtime(installed) >= os.path.getmtime(lock):
        return
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is not on the path: install Node 22 or newer, or omit the section `matched`")
    subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=HERE, check=True)


def write_project(response: str, folder: str) -> str:
    """Pull the response into a new project; return the path of the plan that style_dictionary.mjs reads.

    The response comes through the embedded emulator, so the token files are those that a user has.
    """
    os.makedirs(folder)
    settings = os.path.join(folder, "tokensync.toml")
    _write(settings, f'base_url = "emulator:"\n\n[[files]]\nname = "library"\nkey = "{KEY}"\n')
    for words in (["emulator", "seed", response], ["pull"]):
        subprocess.run([sys.executable, "-m", "tokensync", *words, "-q"], cwd=folder, check=True)
    shutil.rmtree(os.path.join(folder, ".tokensync"))
    contexts = _contexts(folder)
    themes = [f"theme-{index + 1}" for index in range(max(map(len, contexts.values())))]
    _write(settings, _settings(contexts, themes))
    plan = os.path.join(folder, "themes.json")
    sources = {
        theme: [
            os.path.join(folder, "tokens", "library", name, f"{modes[min(index, len(modes) - 1)]}.tokens.json")
            for name, modes in contexts.items()
        ]
        for index, theme in enumerate(themes)
    }
    _write(plan, json.dumps(sources))
    return plan


def _contexts(folder: str) -> dict[str, list[str]]:
    """Return the handles of the collections, each with those of its modes in their order."""
    with open(os.path.join(folder, "tokens", "library.resolver.json"), encoding="utf-8") as file:
        modifiers = json.load(file).get("modifiers", {})
    library = os.path.join(folder, "tokens", "library")
    return {
        name: list(modifiers[name]["contexts"])
        if name in modifiers
        else [file.removesuffix(".tokens.json") for file in os.listdir(os.path.join(library, name))]
        for name in sorted(os.listdir(library))
    }


def _settings(contexts: dict[str, list[str]], themes: list[str]) -> str:
    lines = ['base_url = "emulator:"', "", "[[files]]", 'name = "library"', f'key = "{KEY}"']
    for index, theme in enumerate(themes):
        lines += ["", f"[themes.{theme}]"]
        lines += [f'"{name}" = "{modes[min(index, len(modes) - 1)]}"' for name, modes in contexts.items()]
    options = {
        "css": [f"themes.{theme}.media = false" for theme in themes],
        "android": ["descriptions = false", 'text = "dp"', f'themes = {{ {themes[1]} = {{ qualifier = "night" }} }}'],
        "ios": [
            'colors = "swift"',
            'weights = "number"',
            *(f'themes.{theme}.appearance = "none"' for theme in themes),
        ],
    }
    for platform in OUTPUTS:
        lines += ["", "[[outputs]]", f'platform = "{platform}"', f'path = "{platform}"']
        lines += ['naming = { code_syntax = "ignore" }', "", "[outputs.options]", *options[platform]]
    return "\n".join(lines) + "\n"


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def compare(ours: str, theirs: str) -> Compared:
    """Compare the declarations below two folders, resolved theme by theme; exit with what differs."""
    counts = []
    for kind, read in (("CSS", css_themes), ("Android", android_themes), ("Swift", swift_constants)):
        left, right = read(ours), read(theirs)
        if left.keys() != right.keys():
            raise SystemExit(f"{kind}: the themes differ: {sorted(left)} and {sorted(right)}")
        for theme, values in left.items():
            others = right[theme]
            wrong = [name for name in sorted(values.keys() | others.keys()) if values.get(name) != others.get(name)]
            if wrong:
                shown = "\n".join(f"  {name}: {values.get(name)} and {others.get(name)}" for name in wrong[:10])
                raise SystemExit(
                    f"{kind}, {theme}: {len(wrong):,} of {len(values):,} declarations differ between tokensync and "
                    f"Style Dictionary ({len(others):,}); nothing was timed\n{shown}"
                )
        counts.append(sum(map(len, left.values())))
    return Compared(*counts)


_BLOCK = re.compile(r'^\s*(:root|\[data-theme="([^"]+)"\]).*\{\s*$')
_PROPERTY = re.compile(r"^\s*--([\w-]+):\s*(.+?);(?:\s*/\*.*\*/)?\s*$")
_VAR = re.compile(r"^var\(--([\w-]+)\)$")


def css_themes(folder: str) -> dict[str, Values]:
    """Return the value of every custom property in each theme, for all CSS files below ``css/`` together."""
    blocks: dict[str, dict[str, str]] = {"": {}}
    for text in _texts(os.path.join(folder, "css"), ".css"):
        block = blocks[""]
        for line in text.splitlines():
            if begins := _BLOCK.match(line):
                block = blocks.setdefault(begins[2] or "", {})
            elif declared := _PROPERTY.match(line):
                block[declared[1]] = declared[2]
    default = blocks.pop("")
    blocks.setdefault("theme-1", {})
    return {theme: _resolved({**default, **block}, _VAR) for theme, block in blocks.items()}


_RESOURCE = re.compile(r"^@\w+/(\w+)$")


def android_themes(folder: str) -> dict[str, Values]:
    """Return the value of every resource by day and by night."""
    configurations: dict[str, dict[str, str]] = {}
    for name in ("values", "values-night"):
        values = configurations[name] = dict(configurations.get("values", {}))
        for text in _texts(os.path.join(folder, "android", name), ".xml"):
            for resource in ET.fromstring(text):  # noqa: S314  # both programs have just written it
                values[resource.attrib["name"]] = resource.text or ""
    return {name: _resolved(values, _RESOURCE) for name, values in configurations.items()}


_CONSTANT = re.compile(r"^\s*public static let (\w+)(?:: [\w.]+)? = (.+?)(?:\s*/\*.*\*/)?\s*$")
_IDENTIFIER = re.compile(r"^(?!true$|false$)([a-z]\w*)$")


def swift_constants(folder: str) -> dict[str, Values]:
    """Return the value of every constant, as the one theme that Swift constants have."""
    constants = {}
    for text in _texts(os.path.join(folder, "ios"), ".swift"):
        constants.update(match.groups() for match in map(_CONSTANT.match, text.splitlines()) if match)
    return {"constants": _resolved(constants, _IDENTIFIER)}


def _texts(folder: str, ending: str) -> list[str]:
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(ending)]
    texts = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    return texts


def _resolved(texts: dict[str, str], reference: re.Pattern[str]) -> Values:
    values: Values = {}
    for name, written in texts.items():
        text, seen = written, 0
        while (leads := reference.match(text)) and leads[1] in texts and seen < len(texts):
            text, seen = texts[leads[1]], seen + 1
        values[name] = _value(text)
    return values


_HEX = re.compile(r"^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$", re.IGNORECASE)
_FUNCTION = re.compile(r"^(?:rgba?|Color)\((.*)\)$")
_NUMBER = re.compile(r"[-\d.]+(?:e-?\d+)?")
_BYTE = 255


def _value(text: str) -> object:
    """Return what a literal means: a colour as bytes, a number with its unit, a string without quotes and escapes."""
    if match := _HEX.match(text):
        digits = match[1] if len(match[1]) > len("rgb") else "".join(digit * 2 for digit in match[1])
        return tuple(bytes.fromhex(digits)) if len(digits) > len("rrggbb") else (*bytes.fromhex(digits), _BYTE)
    if match := _FUNCTION.match(text):
        channels = [float(each) for each in _NUMBER.findall(match[1].replace(".sRGB", ""))]
        scale = _BYTE if text.startswith("Color") else 1
        alpha = channels[3] / (100 if "%" in text else 1) if len(channels) > len("rgb") else 1.0
        return (*(round(channel * scale) for channel in channels[:3]), round(alpha * _BYTE))
    if text[:1] in "\"'" and text[:1] == text[-1:]:
        text = text[1:-1]
    if match := re.fullmatch(r"(-?[\d.]+)(px|dp|sp)?", text):
        return float(match[1]), match[2]
    return re.sub(r"\\(.)", r"\1", text)
