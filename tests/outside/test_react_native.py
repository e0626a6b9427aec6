"""React Native's own types judge the module and a screen; Node runs it, and React the hooks.

React Native itself runs in an app only. Here, a module of its name stands in for it, which has ``useColorScheme`` and
nothing else: it returns what the test says that the system asks for.
"""

import json
from decimal import Decimal
from functools import lru_cache

import pytest
from checkers import MODULES, missing, run, written
from generate.targets.cases import CASES
from outside.expected import kind_of, same, value_of
from outside.react_native import OF_APPS, OF_REACT
from outside.theme_choices import choices
from outside.written import css_value

from tokensync.generate.naming import in_order, names_for
from tokensync.generate.notation import TYPES
from tokensync.generate.targets import generate, naming_of

pytestmark = pytest.mark.outside

STAND_IN = {
    "package.json": '{"type": "module", "exports": "./index.js"}',
    "index.js": "export const system = { scheme: null };\nexport const useColorScheme = () => system.scheme;\n",
}
DRIVER = """
import { readFileSync } from "node:fs";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { system } from "react-native";
import { ThemeProvider, useThemes, useTokens } from "./theme.js";
import { value } from "./tokens.js";

const seen = [];
function Screen() {
  const tokens = useTokens();
  if (tokens !== useTokens() || useThemes() !== useThemes()) throw new Error("another object of the same themes");
  seen.push([useThemes(), tokens]);
  return null;
}
const { names, renderings } = JSON.parse(readFileSync(0, "utf8"));
const results = renderings.map(({ scheme, providers }) => {
  system.scheme = scheme;
  const screen = createElement(Screen);
  const inside = (inner, themes) => createElement(ThemeProvider, { themes }, inner);
  try {
    renderToStaticMarkup(providers.reduceRight(inside, screen));
  } catch (error) {
    return { error: String(error) };
  }
  const [themes, tokens] = seen.pop();
  for (const name of names) {
    if (tokens[name] !== value(name, ...themes)) throw new Error(`${name} in ${themes}: ${tokens[name]}`);
  }
  return { themes, tokens };
});
const usual = results[0].tokens ?? {};
for (const result of results) {
  result.differing = Object.fromEntries(names.flatMap((name) => {
    const shown = result.tokens?.[name];
    return shown === usual[name] ? [] : [[name, shown]];
  }));
  if (result !== results[0]) delete result.tokens;
}
console.log(JSON.stringify(results));
"""


def files_of(case):
    return {file.path: file.content.decode() for file in generate(*CASES[case])[0]}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """Return a function that writes files into a folder with React, and renders a screen within providers."""
    for package in ("react", "react-dom"):
        if not (MODULES / package).is_dir():
            missing(package, "`make verify` installs it")

    def rendered(files, names, renderings):
        folder = written(tmp_path_factory.mktemp("app"), {**files, "package.json": '{"type": "module"}'})
        written(folder / "node_modules" / "react-native", STAND_IN)
        for package in ("react", "react-dom"):
            (folder / "node_modules" / package).symlink_to(MODULES / package, target_is_directory=True)
        rows = [{"scheme": scheme, "providers": providers} for scheme, providers in renderings]
        stdin = json.dumps({"names": names, "renderings": rows})
        answer = run(["node", "--input-type=module", "--eval", DRIVER], stdin=stdin, cwd=folder)
        return json.loads(answer, parse_float=Decimal, parse_int=Decimal)

    return rendered


@pytest.mark.xdist_group("modules")
def test_each_token_equals_the_graph_in_every_theme_and_pair(subject, app, counted):
    """Each choice is that of a provider; ``value`` has the same."""
    graph = subject.graph
    declared = [token for token in in_order(graph.tokens.values(), graph) if token.origin == "local"]
    names, _ = names_for(graph, declared, naming_of("typescript"))
    chosen = choices(graph)
    files = {path: content.decode() for path, content in subject.files("react-native").items()}
    renderings = [(None, [list(themes)]) for themes, _ in chosen]
    actual = app(files, list(names.values()), renderings)
    usual = actual[0]["tokens"]
    compared, differences = 0, []
    for (_, theme), result in zip(chosen, actual, strict=True):
        resolve = subject.resolver(theme)
        for token in declared:
            kind, name = kind_of(token), names[token.key]
            expected = value_of(kind, resolve(token.key))
            if expected is None:
                continue
            compared += 1
            shown = result["differing"].get(name, usual.get(name))
            if not same(in_app(kind, expected), read(kind, shown)):
                differences.append(f"{theme.name}: {name}: {shown!r} is not {expected}")
    resolve = subject.resolver(chosen[0][1])
    resolvable = [token for token in declared if value_of(kind_of(token), resolve(token.key)) or token.type in TYPES]
    omitted = {token.type for token in resolvable if names[token.key] not in usual}
    assert omitted <= {"border", "strokeStyle"}, "of styles that views do not have"
    assert list(usual) == [names[token.key] for token in resolvable if names[token.key] in usual]
    counted("react-native", "values, each theme and pair of themes", subject.name, compared, differences)


OF_SYSTEM = {"sf pro", "sf pro text", "sf pro display", "-apple-system", "system-ui", "sans-serif"}
MULTIPLES = {"rem": 16, "s": 1000}


@lru_cache(maxsize=None, typed=True)
def in_app(kind, expected):
    """What React Native takes for a value: a number of dp or milliseconds, a hundred, a name."""
    match kind, expected:
        case "weight", (_, number, _):
            return ("string", str(min(max(int(number / 100 + Decimal("0.5")), 1), 9) * 100))
        case "length" | "duration", (_, number, unit):
            return ("number", number * MULTIPLES.get(unit, 1), "")
        case "family", (_, names):
            return ("string", next((name for name, _ in names if name.lower() not in OF_SYSTEM), "System"))
    return expected


@lru_cache(maxsize=None, typed=True)
def read(kind, shown):
    """A value of the module as a value of ``outside.expected``."""
    match shown:
        case bool():
            return ("number", Decimal(int(shown)), "")
        case Decimal():
            return ("number", shown, "")
        case str() if kind == "color":
            return css_value(shown)
        case str():
            return ("string", shown)
    return None


RENDERINGS = {
    ("night", None): [],
    ("night", "light"): [],
    ("night", "unspecified"): [],
    ("night", "dark"): ["scheme/dark", "chart/night"],
    ("night", "dark", ("scheme/light",)): ["scheme/light", "chart/night"],
    ("night", "light", ("chart/print",)): ["chart/print"],
    ("night", "dark", ("scheme/light", "chart/print"), ("scheme/dark",)): ["scheme/dark", "chart/print"],
    ("night", "dark", ("unclear/dark-1",), ()): ["scheme/dark", "chart/night", "unclear/dark-1"],
    ("night", "dark", ("scheme/dusk",)): "RangeError: No theme is called scheme/dusk.",
    ("brands", "light", ("scheme/brand-b",)): ["scheme/brand-b.light"],
    ("brands", "dark", ("scheme/brand-b",)): ["scheme/brand-b.dark"],
    ("brands", "dark", ("scheme/brand-b.light",)): ["scheme/brand-b.light"],
    ("brands", "dark", ("scheme/brand-b",), ("scheme/light",)): ["scheme/light"],
    ("combined", "dark", ("brand/island",)): ["brand/island", "scheme/dark"],
    ("odd-themes", "dark", ("__proto__",)): ["__proto__"],
    ("odd-themes", "dark", ("constructor",)): ["constructor"],
    ("odd-themes", "dark", ("toString",)): "RangeError: No theme is called toString.",
}
"""A golden case, the colour scheme of the system, and the themes of providers, the outermost first."""


@pytest.mark.parametrize("case", sorted({rendering[0] for rendering in RENDERINGS}))
def test_collections_without_a_chosen_theme_follow_the_system(case, app):
    renderings = {tuple(rest): themes for (name, *rest), themes in RENDERINGS.items() if name == case}
    files = files_of(f"react-native/{case}")
    actual = app(files, [], [(scheme, [list(themes) for themes in providers]) for scheme, *providers in renderings])
    assert [result.get("themes", result.get("error")) for result in actual] == list(renderings.values())


SCREEN = """
import { useMemo } from "react";
import { Animated, Easing, StyleSheet, Text, View, type TextStyle, type ViewStyle } from "react-native";
import { border, cubicBezier, shadow, strokeStyle, transition, typography, type Tokens } from "./composites/tokens.js";
import { body, slanted, type TextStyle as Style } from "./text-styles/tokens.js";
import { code } from "./fonts/tokens.js";
import { weightFine } from "./weights/tokens.js";
import { colorSheer, fontFamily, spaceRoot } from "./all-types/tokens.js";
import { ThemeProvider, useThemes, useTokens, type ThemeChoice } from "./brands/theme.js";
import type { ThemeName } from "./brands/tokens.js";

const card: ViewStyle = { boxShadow: shadow, ...border, borderRadius: spaceRoot, backgroundColor: colorSheer };
const texts: readonly TextStyle[] = [typography, body, slanted, code, { fontFamily, fontWeight: weightFine }];
const sized: number = body.fontSize + slanted.lineHeight!;
const styles = StyleSheet.create({ line: { borderStyle: strokeStyle }, body, text: { ...slanted, color: "#000" } });

export function moved(value: Animated.Value) {
  const easing = Easing.bezier(...cubicBezier);
  const { duration, delay, timingFunction } = transition;
  Animated.timing(value, { toValue: 1, duration, delay, easing, useNativeDriver: true }).start();
  return Easing.bezier(...timingFunction);
}

function Card() {
  const { accent, text } = useTokens();
  const themes: readonly ThemeName[] = useThemes();
  const titles = useMemo(() => StyleSheet.create({ title: { color: text, backgroundColor: accent } }), [accent, text]);
  return (
    <View style={[card, styles.line]}>
      <Text style={[body, titles.title]}>{themes.join()}</Text>
      <Text style={styles.text}>{sized}</Text>
    </View>
  );
}

const setting: ThemeChoice = "scheme/brand-b";
export const App = () => (
  <ThemeProvider themes={[setting]}>
    <Card />
    <ThemeProvider><Card /></ThemeProvider>
  </ThemeProvider>
);
export const chosen = (tokens: Tokens): Style | string => tokens.shadow[0]?.color ?? texts.length.toString();
"""
MISUSES = {
    "an unknown theme": 'export const a = <ThemeProvider themes={["scheme/drak"]} />;',
    "an unknown token": "export const b = () => useTokens().accnet;",
    "a shadow as a border": "export const c: ViewStyle = { boxShadow: border };",
    "a number for a weight": "export const d: TextStyle = { fontWeight: 600 as number };",
    "an assignment": 'body.fontFamily = "Inter";',
}
SHOWN = ("all-types", "brands", "composites", "fonts", "text-styles", "weights")


def test_the_types_of_react_native_accept_a_screen_and_refuse_each_misuse(react_native):
    files = {f"{case}/{path}": text for case in SHOWN for path, text in files_of(f"react-native/{case}").items()}
    lines = "".join(f"// @ts-expect-error: {what}\n{line}\n" for what, line in MISUSES.items())
    head = """
import type { TextStyle, ViewStyle } from "react-native";
import { border } from "./composites/tokens.js";
import { body } from "./text-styles/tokens.js";
import { ThemeProvider, useTokens } from "./brands/theme.js";
"""
    react_native({**files, "screen.tsx": SCREEN, "misuse.tsx": head + lines})


def test_the_types_of_every_golden_module_are_sound(tsc):
    """Of the libraries, only React's types are needed for them, so that they are checked themselves, too."""
    files = {}
    for at, case in enumerate(case for case in CASES if case.startswith("react-native/")):
        files |= {f"case{at}/{path}": text for path, text in files_of(case).items()}
        files[f"case{at}/use.ts"] = (
            'import { useThemes, useTokens } from "./theme.js";\nimport { themes, tokens, value } from "./tokens.js";\n'
            "export const all = () => [useThemes(), useTokens(), tokens, themes, value];\n"
        )
    tsc(files, **OF_APPS, paths=OF_REACT)


def test_a_bundle_with_one_token_has_no_other(subject, bundle, tmp_path):
    """For bundlers that drop what is not used; Metro does not by default."""
    subject.write("react-native", tmp_path)
    line = next(line for line in (tmp_path / "tokens.js").read_text("utf-8").splitlines() if " = " in line)
    name = line.split()[2]
    left = bundle(tmp_path, f'import {{ {name} }} from "./tokens.js";\nconsole.log({name});\n')
    assert {bundler: len(text) for bundler, text in left.items() if len(text) > 1_000} == {}
