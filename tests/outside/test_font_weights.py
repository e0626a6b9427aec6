"""Font weights that a design file keeps as text, in use: what a browser, a compiler and another reader make of them."""

import json

import pytest
from design_file import alias, collection, graph_of, response, variable
from generate.targets.cases import weights_as_text

from tokensync.dtcg import write
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate

pytestmark = pytest.mark.outside

USED = {
    "weight-strong": ("600", "800"),
    "weight-slanted": ("700", "700"),
    "weight-heading": ("600", "700"),
    "weight-fine": ("350", "100"),
    "weight-number": ("700", "600"),
    "weight-of-plain": ("300", "500"),
}
"""The computed font-weight of text that uses a token, in light and dark."""


def output(platform, token_graph=None):
    ((_, content),) = generate(token_graph or weights_as_text(), OutputRequest(platform=platform))[0]
    return content.decode()


def computed(page, classes):
    """The computed font-weight of an element of each class, by day and by night; around them it is 123."""
    actual = {}
    for name in classes:
        script = f"getComputedStyle(document.querySelector('.{name}')).fontWeight"
        both = []
        for scheme in ("light", "dark"):
            page.emulate(scheme=scheme)
            both.append(page.page.evaluate(script))
        actual[name] = tuple(both)
    return actual


def page_of(classes):
    return f'<body style="font-weight: 123">{"".join(f"<p class={each}>Aa" for each in classes)}</body>'


def test_a_browser_takes_each_custom_property_for_a_weight(chromium):
    rules = "".join(f".{name} {{ font-weight: var(--{name}) }}" for name in USED)
    with chromium(output("css") + rules, page_of(USED)) as page:
        assert computed(page, USED) == USED


def test_tailwinds_utilities_set_the_weight(chromium, tailwind):
    utilities = {f"font-{name.removeprefix('weight-')}": weights for name, weights in USED.items()}
    sheet = '@import "tailwindcss";\n@import "./theme.css";\n'
    css = tailwind(sheet, {"theme.css": output("tailwind")}, utilities)
    with chromium(css, page_of(utilities)) as page:
        assert computed(page, utilities) == utilities


def test_sass_writes_them_as_weights(chromium, sass):
    used = "".join(f".{name} {{ font-weight: t.${name} }}" for name in USED)
    css = sass(f'@use "tokens" as t;\n{used}', {"_tokens.scss": output("scss")})
    with chromium(css, page_of(USED)) as page:
        assert computed(page, USED) == {name: (light, light) for name, (light, _) in USED.items()}


def test_typescript_takes_them_for_numbers(tsc):
    outputs, _ = generate(weights_as_text(), OutputRequest(platform="typescript"))
    files = {path: content.decode() for path, content in outputs}
    names = ("weightStrong", "weightSlanted", "weightHeading", "weightFine", "weightNumber", "weightOfPlain")
    use = 'import { tokens } from "./tokens.js";\n'
    use += "".join(f"export const {each}: number = tokens.{each};\n" for each in names)
    use += "export const plain: string = tokens.plainOfWeight;\n"
    tsc({**files, "use.ts": use})


def test_another_reader_of_token_files_sees_weights_in_every_mode(terrazzo, tmp_path):
    owner = collection("C:1", "Type")
    texts = {"V:1": ["Semi Bold Italic", "350"], "V:2": [alias("V:1"), "Black"], "V:3": ["Condensed", "Bold"]}
    variables = [
        variable(identity, identity.replace(":", ""), owner, "STRING", values, scopes=["FONT_STYLE"])
        for identity, values in texts.items()
    ]
    graph, _ = graph_of(response([owner], variables))
    for path, content in write(graph, "kit"):
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    read = terrazzo(resolver=tmp_path / "kit.resolver.json")
    actual = {name: (each["type"], each["value"]) for name, each in read["tokens"].items()}
    assert actual == {
        "type.V1": ("fontWeight", 600),
        "type.V2": ("fontWeight", 600),
        "type.V3": ("string", "Condensed"),
    }, json.dumps(actual)


def test_the_fault_that_this_is_about_is_one(chromium):
    """A browser takes no text for a weight, so that the one around counts."""
    with chromium('.a { --w: "Bold"; font-weight: var(--w) }', page_of(["a"])) as page:
        assert computed(page, ["a"]) == {"a": ("123", "123")}
