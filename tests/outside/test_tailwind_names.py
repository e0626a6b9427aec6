"""Tailwind's own program finds the names of a theme: behind prefixes, by rules, and beside its own."""

import json
import re

import pytest
from graphs import collection, color, graph, token
from outside.test_tailwind import PREFIXED_SHEET, SHEET

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.tailwind import TailwindOptions
from tokensync.generate.targets.typescript import TypescriptOptions
from tokensync.settings import NamingConfig

pytestmark = pytest.mark.outside

RED = color("#ff0000")
OF = collection("Base")


def built(tailwind, tokens, classes, *, naming="", **options):
    """Return the declarations of each class in what Tailwind makes of these tokens."""
    request = OutputRequest(platform="tailwind", naming=NamingConfig(prefix=naming), options=TailwindOptions(**options))
    (file, *_) = generate(graph(OF, *tokens), request)[0]
    sheet = PREFIXED_SHEET if options.get("prefix") else SHEET
    css = tailwind(sheet, {"theme.css": file.content.decode()}, classes)
    rules = re.findall(r"^ *\.((?:[\w-]|\\.)+) \{([^{}]*(?:\{[^{}]*\})?)", css, re.MULTILINE)
    return {name.replace("\\", ""): " ".join(text.split()) for name, text in rules}


LENGTHS = {"space/sm": 4, "space/0.5": 2, "radius/full": 99, "breakpoint/tall": 700, "container/narrow": 400}


@pytest.mark.parametrize("options", [{}, {"form": "inline"}, {"prefix": "tw"}])
@pytest.mark.parametrize("naming", ["", "acme"])
def test_a_prefix_of_names_leaves_the_utilities_as_they_are(naming, options, tailwind):
    tokens = [token(OF, name, value, type="dimension") for name, value in LENGTHS.items()]
    tokens += [token(OF, "color/body", RED), token(OF, "text/muted", RED)]
    classes = ["p-sm", "p-0.5", "rounded-full", "tall:flex", "max-w-narrow", "bg-body", "text-muted"]
    if "prefix" in options:
        classes = [f"tw:{name}" for name in classes]
    rules = built(tailwind, tokens, classes, naming=naming, **options)
    assert sorted(rules) == sorted(classes)
    before = "tw:" if "prefix" in options else ""
    if options.get("form") != "inline":
        assert rules[f"{before}p-0.5"] == f"padding: var(--{naming}-space-0-5);".replace("---", "--")


def test_no_class_of_two_tokens_hides_one_of_them(tailwind):
    size = {"type": "dimension", "scopes": ("FONT_SIZE",)}
    tokens = [
        token(OF, "body/size", 4, **size),
        token(OF, "body", RED),
        token(OF, "base", RED),
        token(OF, "body/weight", 400, type="fontWeight"),
        token(OF, "body/family", "Inter", type="fontFamily"),
    ]
    classes = ["text-body", "text-body-size", "text-base", "text-base-2", "font-body", "font-body-weight"]
    rules = built(tailwind, tokens, classes)
    shown = [next(iter(re.findall(r"(color|font-size|font-family|font-weight): ", rules[name]))) for name in classes]
    assert shown == ["color", "font-size", "font-size", "color", "font-family", "font-weight"]


def test_a_palette_can_be_the_only_one(tailwind):
    tokens = [token(OF, "slate/500", RED), token(OF, "breakpoint/tall", 700, type="dimension")]
    classes = ["bg-slate-500", "bg-slate-400", "tall:flex", "md:flex"]
    assert sorted(built(tailwind, tokens, classes)) == sorted(classes)
    assert sorted(built(tailwind, tokens, classes, reset=("color", "breakpoint"))) == ["bg-slate-500", "tall:flex"]


RULES = {
    # a glob, the namespace, and the class of a token .../x with its property
    "a/*": ("aspect", "aspect-x", "aspect-ratio"),
    "b/*": ("columns", "columns-x", "columns"),
    "c/*": ("height", "h-x", "height"),
    "d/*": ("max-width", "max-w-x", "max-width"),
    "e/*": ("min-width", "min-w-x", "min-width"),
    "f/*": ("perspective", "perspective-x", "perspective"),
    "g/*": ("size", "size-x", "width"),
    "h/*": ("width", "w-x", "width"),
    "i/*": ("z-index", "z-x", "z-index"),
    "j/deep/*": ("tracking", "tracking-x", "letter-spacing"),
    "k/*": ("container", "@x:flex", "display"),
    "l/*": ("drop-shadow", "drop-shadow-x", "filter"),
    "m/*": ("inset-shadow", "inset-shadow-x", "box-shadow"),
    "n/*": ("text-shadow", "text-shadow-x", "text-shadow"),
}


@pytest.mark.parametrize("form", ["blocks", "inline"])
def test_a_rule_makes_the_utilities_of_its_namespace(form, tailwind, tailwind_merge):
    """A second class of the same kind replaces the first one in ``cn()``."""
    tokens = [token(OF, glob.replace("*", end), 4, type="dimension") for glob in RULES for end in "xy"]
    options = TailwindOptions(namespaces={glob: space for glob, (space, _, _) in RULES.items()}, form=form, merge=True)
    rules = built(tailwind, tokens, [name for _, name, _ in RULES.values()], namespaces=options.namespaces, form=form)
    assert [name for _, name, shown in RULES.values() if f"{shown}: " not in rules.get(name, "")] == []
    files = dict(generate(graph(OF, *tokens), OutputRequest(platform="tailwind", options=options))[0])
    names = [name for _, name, _ in RULES.values() if name.endswith("-x")]
    merged = tailwind_merge([f"{name[:-1]}y {name}" for name in names], json.loads(files["tailwind-merge.json"]))
    assert merged == names


def test_every_name_in_typescript_is_a_property_of_the_theme(subject, tailwind):
    """What ``cssVariable()`` returns, in a project with a tailwind output and no css output."""
    (theme,) = subject.files("tailwind", TailwindOptions(static=True)).values()
    css = tailwind(SHEET, {"theme.css": theme.decode()})
    declared = {name.replace("\\", "") for name in re.findall(r"^ +(--(?:[\w-]|\\.)+):", css, re.MULTILINE)}
    modules = "".join(content.decode() for content in subject.files("typescript", TypescriptOptions()).values())
    named = set(re.findall(r'"(--[\w-]+)"', modules))
    assert named and named - declared == set()
    print(subject.name, len(named), "names of properties in TypeScript")
