"""tsc type-checks the module and its use; Node runs it, and each token comes to what the graph resolves it to."""

import json
import re
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

import pytest
from checkers import MODULES, Refused, run, written
from generate.targets.cases import CASES
from outside.expected import kind_of, same, value_of
from outside.graphs import subjects_of
from outside.theme_choices import choices
from outside.written import css_value, family

from tokensync.generate.naming import in_order, names_for
from tokensync.generate.notation import TYPES
from tokensync.generate.targets import generate, naming_of

pytestmark = pytest.mark.outside

DRIVER = """
import { readFileSync } from "node:fs";
import { tokens, value, cssVariable } from "./tokens.js";

const { names, choices } = JSON.parse(readFileSync(0, "utf8"));
const usual = Object.fromEntries(names.map((name) => [name, value(name)]));
const differing = choices.map((chosen) => {
  const found = {};
  for (const name of names) {
    const one = value(name, ...chosen);
    const other = value(name, ...chosen.toReversed());
    if (one !== other) throw new Error(`${name}: the order of ${chosen} counts`);
    if (one !== usual[name]) found[name] = one;
  }
  return found;
});
const variables = Object.fromEntries(names.map((name) => [name, cssVariable(name)]));
const frozen = Object.isFrozen(tokens);
console.log(JSON.stringify({ declared: Object.keys(tokens), usual, differing, variables, frozen }));
"""
USE = """
import { tokens, themes, value, cssVariable } from "./tokens.js";
import type { Tokens, TokenName, ThemeName } from "./tokens.js";

export const all: Readonly<Partial<Record<TokenName, unknown>>> = tokens;
export const some: Partial<Tokens> | undefined = themes[Object.keys(themes)[0] as ThemeName];
export const each = (Object.keys(tokens) as TokenName[]).map((name) => [value(name), cssVariable(name)] as const);
"""


@pytest.fixture(scope="module")
def modules(request, tsc):
    """Each graph's module in a folder of its name; tsc reads all at once, since it takes seconds to start."""
    files = {}
    for subject in subjects_of(request):
        files |= {f"{subject.name}/{name}": content.decode() for name, content in subject.files("typescript").items()}
        files[f"{subject.name}/use.ts"] = USE
    return tsc(files)


@pytest.mark.xdist_group("modules")
def test_each_token_equals_the_graph_in_every_theme_and_pair(subject, modules, counted):
    graph, folder = subject.graph, modules / subject.name
    declared = [each for each in in_order(graph.tokens.values(), graph) if each.origin == "local"]
    names, _ = names_for(graph, declared, naming_of("typescript"))
    chosen = choices(graph)
    arguments = {"names": list(names.values()), "choices": [list(each) for each, _ in chosen]}
    answer = run(["node", "--input-type=module", "--eval", DRIVER], stdin=json.dumps(arguments), cwd=folder)
    actual = json.loads(answer, parse_float=Decimal, parse_int=Decimal)
    compared, differences = 0, []
    usual = subject.resolver(chosen[0][1])
    tokens = [(each.key, kind_of(each), names[each.key]) for each in declared]
    for (_, theme), differing in zip(chosen, actual["differing"], strict=True):
        resolve = subject.resolver(theme)
        for key, kind, name in tokens:
            literal = resolve(key)
            expected = value_of(kind, literal)
            if expected is None:
                continue
            compared += 1
            shown = differing.get(name)
            if shown is None and (literal == usual(key) or name in actual["usual"]):
                shown = actual["usual"][name]
            if not same(expected, read(kind, shown)):
                differences.append(f"{theme.name}: {name}: {shown!r} is not {expected}")
    resolvable = [each for each in declared if value_of(kind_of(each), usual(each.key)) or each.type in TYPES]
    assert actual["declared"] == [names[each.key] for each in resolvable]
    css, _ = names_for(graph, declared, naming_of("css"))
    somewhere = {*actual["declared"], *(name for differing in actual["differing"] for name in differing)}
    assert {name: actual["variables"][name] for name in somewhere} == {
        names[key]: f"var({each})" for key, each in css.items() if names[key] in somewhere
    }
    assert actual["frozen"]
    counted("typescript", "values, each theme and pair of themes", subject.name, compared, differences)


@lru_cache(maxsize=None, typed=True)
def read(kind, shown):
    """A value of the module as a value of ``outside.expected``."""
    match shown:
        case bool():
            return ("number", Decimal(int(shown)), "")
        case Decimal():
            return ("number", shown, "")
        case str() if kind == "string":
            return ("string", shown)
        case str() if kind == "family":
            return family(shown)
        case str():
            return css_value(shown)
    return None


USED_WELL = """
import { tokens, themes, value, cssVariable } from "./tokens.js";
import { accent, share as usual } from "./tokens.js";
import * as all from "./tokens.js";
import type { ThemeName, TokenName } from "./tokens.js";

const exact: "#1f6feb" = accent;
const half: 0.4 = usual;
let wide = all.accent;
wide = "#ffffff";
const named: "var(--ink)" = cssVariable("ink");
const either: "#000000" | "#ffffff" = value("ink");
const theme: ThemeName = "scheme/dark";
const name: TokenName = "ink";
const color: string = tokens.text;
const share: number = value("share", "brand/island", theme);
const reference: `var(--${string})` = cssVariable(name);
const differing: string | undefined = themes["scheme/dark + brand/island"].ink;
export { color, share, reference, differing, exact, half, wide, named, either };
"""
MISUSES = {
    "an unknown token": "tokens.inkk;",
    "an unknown name": 'value("inkk");',
    "an unknown theme": 'value("ink", "scheme/drak");',
    "a combination that makes nothing": 'themes["scheme/dark + brand/harbor"];',
    "a number for a text": "const text: string = tokens.share;",
    "a text for a number": 'const share: number = value("ink");',
    "an assignment": 'tokens.ink = "#ffffff";',
    "another value": 'const white: "#ffffff" = accent;',
    "a value that no theme has": 'const green: "#00ff00" = value("ink");',
    "an unknown custom property": 'cssVariable("inkk");',
    "the custom property of another token": 'const reference: "var(--text)" = cssVariable("ink");',
    "an assignment to a constant": 'accent = "#ff0000";',
    "an assignment to a theme": 'themes["scheme/dark"].ink = "#ffffff";',
    "a theme that says nothing of it, as sure": 'const text: string = themes["scheme/dark"].ink;',
}


def files_of(case):
    return {each.path: each.content.decode() for each in generate(*CASES[case])[0]}


def test_strict_type_checks_accept_good_use_and_refuse_each_misuse(tsc):
    """Each misuse is an error, since ``@ts-expect-error`` over something right is one itself."""
    lines = [f"// @ts-expect-error: {what}\n{line}" for what, line in MISUSES.items()]
    misuse = (
        'import { accent, cssVariable, tokens, themes, value } from "./tokens.js";\n'
        + "\n".join(lines)
        + "\nexport {};\n"
    )
    tsc({**files_of("typescript/combined"), "good.ts": USED_WELL, "misuse.ts": misuse})
    with pytest.raises(Refused):
        tsc({**files_of("typescript/combined"), "bad.ts": misuse.replace("@ts-expect-error", "")})


def test_a_token_without_a_default_value_may_be_undefined(tsc):
    line = 'export const a: string = value("onlyAtNight");'
    use = f'import {{ value }} from "./tokens.js";\n// @ts-expect-error\n{line}\n'
    tsc({**files_of("typescript/absent"), "use.ts": use})


def test_themes_of_odd_names_are_found_under_them(tsc, esm):
    files = files_of("typescript/odd-themes")
    use = """
import { themes, value } from "./tokens.js";
export const prototype: string = value("ink", "__proto__");
export const constructed: string = value("ink", "constructor");
export const names: string[] = Object.keys(themes);
let refused = "";
try { value("ink", "toString" as "constructor"); } catch (error) { refused = String(error); }
export { refused };
"""
    folder = tsc({**files, "use.ts": use})
    actual = esm(folder / "use.js")
    assert (actual["prototype"], actual["constructed"]) == ("#ffffff", "#ffffff")
    assert actual["names"] == ["__proto__", "constructor", 'a"b\\ #{c} ${d}', "line\u2028end\n*/ </script>"]
    assert actual["refused"] == "RangeError: No theme is called toString."


@pytest.fixture(scope="module")
def golden_modules(tsc):
    """The folder of every golden case, where tsc read them all at once: it takes seconds to start."""
    files = {}
    for at, case in enumerate(GOLDEN):
        of_case = files_of(case)
        use = f'import * as all from "./{module_of(of_case)}";\nexport const names = Object.keys(all);\n'
        files |= {f"case{at}/{path}": text for path, text in {**of_case, "use.ts": use}.items()}
    folder = tsc(files)
    return {case: folder / f"case{at}" for at, case in enumerate(GOLDEN)}


GOLDEN = [each for each in CASES if each.startswith("typescript/")]


def module_of(files):
    (module,) = (each for each in files if each.endswith("js"))
    return module


@pytest.mark.xdist_group("golden modules")
@pytest.mark.parametrize("case", GOLDEN)
def test_every_golden_module_and_its_types_agree(case, golden_modules, esm):
    """tsc reads the types; what the module exports is what they declare, and one use of each member compiles."""
    files = files_of(case)
    module = module_of(files)
    exported = esm(golden_modules[case] / module)
    interface = files[module.replace(".mjs", ".d.mts") if module.endswith(".mjs") else "tokens.d.ts"]
    body = interface.partition("export interface Tokens {")[2].partition("\n}")[0]
    members = [each[2].strip('"') for each in re.finditer(r"^  (readonly) (\S+?)\??: ", body, re.MULTILINE)]
    in_themes = {name for theme in exported["themes"].values() for name in theme}
    assert sorted(members) == sorted(set(exported["tokens"]) | in_themes)


def test_composites_as_objects_have_typed_members(tsc, esm):
    use = """
import { tokens, type ShadowLayer, type StrokeStyle, type TextStyle } from "./tokens.js";
const layer: ShadowLayer | undefined = tokens.shadow[1];
export const blur: number = layer?.blur ?? 0;
export const isInset: boolean = layer?.inset ?? false;
export const [x1, y1, x2, y2]: readonly [number, number, number, number] = tokens.transition.timingFunction;
export const wait: number = tokens.transition.duration + tokens.transition.delay;
export const style: StrokeStyle = tokens.edgeDashed.style;
export const style2: "solid" | "dotted" | object = tokens.border.style === "dotted" ? "dotted" : "solid";
export const positions: number[] = tokens.gradient.map((stop) => stop.position);
export const text: TextStyle = tokens.typography;
// @ts-expect-error
export const wrong: string = tokens.shadow;
"""
    actual = esm(tsc({**files_of("typescript/objects-of-numbers"), "use.ts": use}) / "use.js")
    assert (actual["blur"], actual["isInset"], actual["y1"], actual["wait"]) == (2, True, 0, 150)
    assert actual["style"] == {"dashArray": [4, 4], "lineCap": "round"}
    assert actual["positions"] == [0, 0.333, 1]


def test_a_text_style_fits_a_style_object_with_the_words_of_css(tsc):
    """As React and others declare it: a transform is one of some words, a line height a number or a text."""
    use = """
import { tokens } from "./tokens.js";
interface Style {
  fontFamily?: string; fontSize?: string | number; fontWeight?: number; letterSpacing?: string;
  lineHeight?: string | number; fontStyle?: "normal" | "italic" | "oblique";
  textTransform?: "none" | "uppercase" | "lowercase" | "capitalize"; textDecoration?: string;
}
export const styles: readonly Style[] = [tokens.body, tokens.slanted, { ...tokens._2Plain }];
"""
    tsc({**files_of("typescript/text-styles"), "use.ts": use})


SMALL, ALL = 1_000, 5_000
"""Bytes of a bundle with one constant, and fewer than any bundle with all of Primer's tokens has."""


def test_a_bundle_with_one_token_has_no_other(subject, bundle, tmp_path):
    """Bundlers drop a constant only if they know that its initializer does nothing else."""
    subject.write("typescript", tmp_path)
    names = re.findall(r"^export const (\w+) = ", (tmp_path / "tokens.js").read_text(encoding="utf-8"), re.MULTILINE)
    for name in (names[0], names[len(names) // 2]):
        entry = f'import {{ {name} }} from "./tokens.js";\nimport * as all from "./tokens.js";\n'
        left = bundle(tmp_path, f"{entry}console.log({name}, all.{name});\n")
        assert {bundler: len(text) for bundler, text in left.items() if len(text) > SMALL} == {}
    every = bundle(tmp_path, 'import { tokens } from "./tokens.js";\nconsole.log(tokens[globalThis.name]);\n')
    assert subject.name != "primer" or min(map(len, every.values())) > ALL


def test_a_bundle_with_one_token_of_composites_has_no_other(bundle, tmp_path):
    """Objects are frozen by calls, each of which is marked as pure."""
    for case in ("typescript/objects", "typescript/text-styles"):
        written(tmp_path, files_of(case))
        shown = re.search(r"^export const (\w+) = [^/]", (tmp_path / "tokens.js").read_text("utf-8"), re.MULTILINE)[1]
        left = bundle(tmp_path, f'import {{ {shown} }} from "./tokens.js";\nconsole.log({shown});\n')
        assert {bundler: text.count("freeze") for bundler, text in left.items()} == {"esbuild": 0, "rollup": 0}


def test_groups_and_exact_themes_have_the_types_of_their_values(tsc, esm, bundle):
    use = """
import { nested, themes } from "./tokens.js";
export const values = [nested.accent.hover, nested.accent.$root, nested.text.$root, nested.size[100], nested.größe.色];
export const second: 4 = nested.same.baseSameName;
export const dark: "#ffffff" = themes["theme/dark"].accent;
// @ts-expect-error
export const other: "#000000" = themes["theme/dark"].accent;
// @ts-expect-error
export const unchanged = themes["theme/dark"].text;
// @ts-expect-error
export const unknown = nested.accent.hovre;
"""
    folder = tsc({**files_of("typescript/nested"), "use.ts": use})
    actual = esm(folder / "use.js")
    assert actual["values"] == ["#000000"] * 3 + ["4px", "#000000"]
    left = bundle(folder, 'import { accent } from "./tokens.js";\nconsole.log(accent);\n')
    assert {bundler: text.count("freeze") for bundler, text in left.items()} == {"esbuild": 0, "rollup": 0}


def test_editors_lead_to_the_declaration_and_from_a_constant_to_its_value(tmp_path):
    """Both without maps: a definition is the line of the types, and its source that of the module."""
    use = 'import { lines, tokens } from "./tokens.js";\nexport const used = [lines, tokens.older];\n'
    folder = written(tmp_path, {**files_of("typescript/described"), "use.ts": use, "tsconfig.json": "{}"})
    file = str(folder / "use.ts")
    asked = (("lines", "definition"), ("lines", "findSourceDefinition"), ("older", "definition"))
    requests = [{"command": "open", "arguments": {"file": file}}]
    for name, command in asked:
        offset = use.splitlines()[1].index(name) + 1
        requests.append({"command": command, "arguments": {"file": file, "line": 2, "offset": offset}})
    stdin = "".join(f"{json.dumps({'seq': at, 'type': 'request', **request})}\n" for at, request in enumerate(requests))
    program = MODULES / "typescript" / "lib" / "tsserver.js"
    answers = [json.loads(line) for line in run(["node", program], stdin=stdin).splitlines() if line.startswith("{")]
    responses = (answer for answer in answers if answer["type"] == "response")
    bodies = {response["request_seq"]: response.get("body") for response in responses}
    shown = []
    for (place,) in (bodies[at] for at in range(1, len(requests))):
        path = Path(place["file"])
        shown.append((path.name, path.read_text("utf-8").splitlines()[place["start"]["line"] - 1].strip()))
    assert shown == [
        ("tokens.d.ts", 'export declare const lines = "#ff0000";'),
        ("tokens.js", 'export const lines = "#ff0000";'),
        ("tokens.d.ts", 'readonly older: "#ff0000";'),
    ]
