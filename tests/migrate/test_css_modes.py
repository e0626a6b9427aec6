"""Rules around declarations to modes: the sets and themes that selectors and media queries make."""

from pathlib import Path

import pytest
from migrate.stylesheet_sources import css, lines_declared, notes, read_css, reasons, tables, themes

ROOT = Path(__file__).resolve().parents[2]
LIGHT = {"appearance/light": {"a": "#fff"}}
LIGHT_AND_DARK = LIGHT | {"appearance/dark": {"a": "#000"}}

ONE_RULE = {
    "a class": ".dark { --a: #000 }",
    "a class with a suffix": ".dark-mode { --a: #000 }",
    "a class with a prefix": ".theme-dark { --a: #000 }",
    "a class of a library": ".pf-v6-theme-dark { --a: #000 }",
    "an attribute": "[data-theme=dark] { --a: #000 }",
    "a quoted attribute": "[data-bs-theme='dark'] { --a: #000 }",
    "an attribute of the root": ":root[data-color-scheme=dark] { --a: #000 }",
    "a class of the root": "html.dark { --a: #000 }",
    "a descendant": ".dark * { --a: #000 }",
    "a media query": "@media (prefers-color-scheme: dark) { :root { --a: #000 } }",
    "a media query with a type": "@media screen and (prefers-color-scheme: dark) { :root { --a: #000 } }",
    "a negated media query": "@media not (prefers-color-scheme: light) { :root { --a: #000 } }",
    "a negated class": ":root:not(.light) { --a: #000 }",
    "a layer": "@layer themes { .dark { --a: #000 } }",
    "nesting": ":root { &.dark { --a: #000 } }",
    "nesting around the parent": ":root { .dark & { --a: #000 } }",
    "a media query inside": ":root { @media (prefers-color-scheme: dark) { --a: #000 } }",
    "a list of selectors": ":is(.dark, [data-theme=dark]) { --a: #000 }",
    "no specificity": ":where(.dark) { --a: #000 }",
    "a doubled class": ".dark.dark { --a: #000 }",
    "a host": ":host(.dark) { --a: #000 }",
    "a variant of Tailwind": "@variant dark { :root { --a: #000 } }",
    "a custom media query": "@custom-media --x (prefers-color-scheme: dark); @media (--x) { :root { --a: #000 } }",
}


@pytest.mark.parametrize("rule", ONE_RULE.values(), ids=ONE_RULE)
def test_every_way_to_write_dark_is_the_dark_mode(rule):
    source = read_css(f":root {{ --a: #fff }}\n{rule}")
    assert tables(source) == LIGHT_AND_DARK
    assert themes(source) == {
        "appearance: light": ["appearance/light"],
        "appearance: dark": ["appearance/light", "appearance/dark"],
    }
    assert reasons(source) == {}


PAGE = [
    ":root",
    "html",
    "body",
    ":where(html)",
    "*",
    ":host",
    "*, ::before, ::after",
    "::backdrop",
    ":root:not(.no-js)",
]


@pytest.mark.parametrize("selector", PAGE)
def test_selectors_of_everything_are_the_base(selector):
    source = read_css(f"{selector} {{ --a: #fff }}")
    assert tables(source) == {"base": {"a": "#fff"}}
    assert themes(source) == {"base: default": ["base"]}


MODES = [
    ("[data-density=compact]", "density", "compact"),
    (".density-compact", "density", "compact"),
    (".compact", "density", "compact"),
    ("[data-brand=acme]", "brand", "acme"),
    (".brand-acme", "brand", "acme"),
    (".acme-theme", "theme", "acme"),
    (".sunset", "theme", "sunset"),
    ("#sunset", "theme", "#sunset"),
    ("[data-flavour=mild]", "flavour", "mild"),
    ("[dir=rtl]", "direction", "rtl"),
    (":root:dir(rtl)", "direction", "rtl"),
    (":lang(ja)", "lang", "ja"),
    (".high-contrast", "contrast", "more"),
    ("@media (prefers-contrast: more) { :root", "contrast", "more"),
    ("@media (prefers-reduced-motion: reduce) { :root", "motion", "reduced"),
    ("@media (prefers-reduced-motion) { :root", "motion", "reduced"),
    ("@media (color-gamut: p3) { :root", "gamut", "p3"),
    ("@media (min-width: 640px) { :root", "width", "min-width: 640px"),
    ("@media (width >= 640px) { :root", "width", "min-width: 640px"),
    ("@media (min-width: 1px) and (max-width: 2px) { :root", "width", "min-width: 1px and max-width: 2px"),
    ("@media print { :root", "media", "print"),
    ("@media (orientation: landscape) { :root", "orientation", "landscape"),
    ("@media (forced-colors: active) { :root", "forced-colors", "active"),
]


@pytest.mark.parametrize(("selector", "dimension", "mode"), MODES)
def test_a_condition_is_a_mode_of_its_dimension(selector, dimension, mode):
    source = read_css(f":root {{ --a: 1px }}\n{selector} {{ --a: 2px }} {'}' * selector.count('{')}")
    assert tables(source) == {f"{dimension}/default": {"a": "1px"}, f"{dimension}/{mode}": {"a": "2px"}}
    assert [(each.group, each.name, each.is_default) for each in source.themes] == [
        (dimension, "default", True),
        (dimension, mode, False),
    ]


def test_the_same_mode_in_two_ways_is_one_mode_and_the_difference_is_reported():
    source = read_css("""
        :root { --a: #fff; --b: #eee }
        .dark {
          --a: #000;
          --b: #111;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --a: #000;
            --b: #222;
          }
        }
    """)
    assert tables(source)["appearance/dark"] == {"a": "#000", "b": "#222"}
    assert reasons(source) == {"--b": "a.css:9 replaces it in the same mode: '#111' by '#222'"}


CASCADE = [
    (".dark { --a: 1 } .dark.dark { --a: 2 } .dark { --a: 3 }", 2),
    ("@layer low { .dark { --a: 1 } } .dark { --a: 2 } @layer low { .dark.dark { --a: 3 } }", 2),
    ("@layer b, c; @layer c { .dark { --a: 1 } } @layer b { .dark { --a: 2 } }", 1),
    (".dark { --a: 1 !important } .dark { --a: 2 }", 1),
    (":where(.dark.dark) { --a: 1 } .dark { --a: 2 }", 2),
    (".dark { --a: 2 } :where(.dark.dark) { --a: 1 }", 2),
    (".dark { --a: 1 } .dark { --a: 2 }", 2),
]


@pytest.mark.parametrize(("rules", "wanted"), CASCADE)
def test_the_cascade_decides_which_value_of_a_mode_is_kept(rules, wanted):
    source = read_css(f":root {{ --a: 0 }} {rules}")
    assert tables(source)["appearance/dark"] == {"a": wanted}
    assert len([each for each in source.unread if each.is_token]) == len(lines_declared(rules)) - 1


def test_a_token_of_two_dimensions_is_in_a_group_of_both_with_the_written_combinations():
    source = read_css("""
        :root { --bg: white; --radius: 4px; --shade: gray }
        .dark { --bg: black; --shade: silver }
        .theme-x { --bg: blue }
        .dark .theme-x { --bg: navy }
    """)
    assert tables(source) == {
        "base": {"radius": "4px"},
        "appearance/light": {"shade": "gray"},
        "appearance/dark": {"shade": "silver"},
        "appearance + theme/light": {"bg": "white"},
        "appearance + theme/dark": {"bg": "black"},
        "appearance + theme/x": {"bg": "blue"},
        "appearance + theme/dark x": {"bg": "navy"},
    }
    assert themes(source)["appearance + theme: dark x"] == [
        "base",
        "appearance + theme/light",
        "appearance + theme/dark",
        "appearance + theme/x",
        "appearance + theme/dark x",
    ]


def test_the_example_of_the_docs_has_the_collections_that_they_show():
    page = (ROOT / "docs" / "migration-styles.md").read_text(encoding="utf-8")
    source = read_css(page.split("```css\n")[1].split("```")[0])
    rows = [line.split("|")[1:-1] for line in page.split("| collection |")[1].split("\n\n")[0].splitlines()[2:]]
    shown = {group.strip(" `"): (modes.strip().split(", "), [name.strip(" `")]) for group, modes, name in rows}
    found = {group: [each.name for each in source.themes if each.group == group] for group in shown}
    assert {group: modes for group, (modes, _) in shown.items()} == found
    for group, (_, names) in shown.items():
        assert {path for name, table in tables(source).items() if name.split("/")[0] == group for path in table} == set(
            names
        )


def test_dimensions_never_multiply_unless_the_stylesheet_does():
    rules = [":root { --color: 0; --size: 0; --space: 0 }"]
    rules += [f"[data-theme={name}] {{ --color: 1 }}" for name in ("dark", "ocean", "forest")]
    rules += [f"[data-density=d{number}] {{ --size: 1 }}" for number in range(4)]
    rules += [f"[data-brand=b{number}] {{ --space: 1 }}" for number in range(4)]
    source = read_css("\n".join(rules))
    assert [each.name for each in source.themes if each.group == "appearance"] == ["light", "dark", "ocean", "forest"]
    assert len(source.themes) == 4 + 5 + 5


def test_sets_of_other_groups_resolve_references_in_the_same_modes():
    source = read_css("""
        :root { --a: white; --b: white }
        .dark { --a: black; --b: black }
        .theme-x { --b: blue }
    """)
    dark = next(each for each in source.themes if (each.group, each.name) == ("appearance + theme", "dark"))
    assert {name for name, role in dark.sets.items() if role == "source"} == {"appearance/light", "appearance/dark"}


def test_widths_hold_for_all_larger_screens():
    source = read_css("""
        :root { --gap: 1px }
        @media (min-width: 40rem) { :root { --gap: 2px } }
        @media (min-width: 1000px) { :root { --gap: 3px } }
    """)
    assert themes(source) == {
        "width: default": ["width/default"],
        "width: min-width: 40rem": ["width/default", "width/min-width: 40rem"],
        "width: min-width: 1000px": ["width/default", "width/min-width: 40rem", "width/min-width: 1000px"],
    }


def test_dark_is_the_default_if_the_page_has_its_values():
    source = read_css(":root { --a: #000; --b: #111 } .dark { --a: #000; --b: #111 } .light { --a: #fff; --b: #eee }")
    assert [each.name for each in source.themes] == ["dark", "light"]
    assert tables(source)["appearance/light"] == {"a": "#fff", "b": "#eee"}


NAMES_OF_DEFAULTS = {
    "a class with the same values": (":root, .theme-light { --a: 1 } .theme-light-hc { --a: 2 }", "light", "light-hc"),
    "an attribute with the same values": (
        ":root { --a: 1; --b: 1 } [data-theme=corporate] { --a: 1 } [data-theme=dark] { --a: 2 }",
        "corporate",
        "dark",
    ),
    "a theme of high contrast": (
        ":root, .theme-light { --a: 1 } .theme-light-high-contrast-experimental { --a: 2 } .theme-dark { --a: 3 }",
        "light",
        "light-high-contrast-experimental",
        "dark",
    ),
    "a brand with the same values": (":root, .brand-x { --a: 1 } .brand-y { --a: 2 }", "x", "y"),
    "no mode with the same values": (":root { --a: 1 } .light { --a: 2 }", "default", "light"),
    "both modes with other values": (":root { --a: 1 } .light { --a: 2 } .dark { --a: 3 }", "default", "light", "dark"),
    "one other value": (":root { --a: 1; --b: 1 } .light { --a: 1; --b: 2 }", "default", "light"),
    "a width with the same values": (
        ":root { --a: 1 } @media (min-width: 1px) { :root { --a: 1 } }",
        "default",
        "min-width: 1px",
    ),
}


@pytest.mark.parametrize(("text", "names"), [(text, names) for text, *names in NAMES_OF_DEFAULTS.values()])
def test_the_default_mode_has_the_name_of_the_class_that_has_its_values(text, names):
    source = read_css(text)
    assert [theme.name for theme in source.themes if theme.group != "base"] == names
    assert not any(theme.is_name_guessed for theme in source.themes)


def test_the_name_of_a_default_mode_is_a_guess_if_only_another_mode_is_dark():
    source = read_css(":root { --a: #fff } .dark { --a: #000 }")
    assert [(theme.name, theme.is_name_guessed) for theme in source.themes] == [("light", True), ("dark", False)]


def test_light_and_dark_in_a_value_make_light_the_default_without_a_guess():
    source = read_css(":root { --a: light-dark(#fff, #000); --b: 1px } .light { --b: 2px }")
    assert [theme.name for theme in source.themes if theme.group == "appearance"] == ["light", "dark"]
    assert not any(theme.is_name_guessed for theme in source.themes)


def test_a_class_that_only_repeats_the_page_is_no_mode():
    assert tables(read_css(":root, .theme-x { --a: 1px }")) == {"base": {"a": "1px"}}


def test_themes_without_values_for_the_page_have_no_invented_default():
    source = read_css("[data-theme=a] { --x: 1px } [data-theme=b] { --x: 2px; --y: 3px }")
    assert tables(source) == {"theme/a": {"x": "1px"}, "theme/b": {"x": "2px", "y": "3px"}}
    assert themes(source) == {"theme: a": ["theme/a"], "theme: b": ["theme/b"]}


def test_an_appearance_that_follows_the_system_is_no_mode():
    source = read_css("""
        :root, [data-color-scheme=light] { --a: white }
        [data-color-scheme=dark] { --a: black }
        @media (prefers-color-scheme: light) { [data-color-scheme=auto] { --a: white } }
        @media (prefers-color-scheme: dark) { [data-color-scheme=auto], .system-theme { --a: black } }""")
    assert tables(source) == {"appearance/light": {"a": "white"}, "appearance/dark": {"a": "black"}}
    assert reasons(source) == {}


def test_light_and_dark_in_a_value_are_two_modes():
    source = read_css(":root { color-scheme: light dark; --a: light-dark(#fff, var(--b)); --b: #123456 }")
    assert tables(source) == {
        "base": {"b": "#123456"},
        "appearance/light": {"a": "#fff"},
        "appearance/dark": {"a": "{b}"},
    }


def test_light_and_dark_in_a_value_under_a_theme_are_combinations():
    source = read_css(":root { --a: light-dark(#fff, #000) } .theme-x { --a: light-dark(#eef, #001) }")
    assert tables(source) == {
        "appearance + theme/light": {"a": "#fff"},
        "appearance + theme/dark": {"a": "#000"},
        "appearance + theme/x": {"a": "#eef"},
        "appearance + theme/dark x": {"a": "#001"},
    }


def test_light_and_dark_in_a_value_of_the_dark_mode_is_the_dark_one():
    source = read_css(":root { --a: #fff } .dark { --a: 1px solid light-dark(#fff, #000) }")
    assert tables(source)["appearance/dark"] == {"a": "1px solid #000"}


PARTS = [
    ".btn { --btn-bg: red }",
    ".btn:hover { --a: red }",
    "button { --a: red }",
    "@supports (color: oklch(0 0 0)) { :root { --a: red } }",
    "@container (min-width: 1px) { :root { --a: red } }",
    "@media not (hover) { :root { --a: red } }",
    "[data-state=open] .menu { --menu: red }",
    "[aria-expanded] { --a: red }",
    "[data-state=open] { --a: red }",
    "[type=checkbox] { --a: red }",
    "a[href^='x'] { --a: red }",
]


@pytest.mark.parametrize("rule", PARTS)
def test_parts_of_a_page_are_sets_that_no_theme_has(rule):
    source = read_css(f":root {{ --a: blue; --c: blue; --d: blue }}\n{rule}")
    sets = tables(source)
    assert sets.pop("base") == {"a": "blue", "c": "blue", "d": "blue"}
    (name,) = sets
    assert list(sets[name].values()) == ["red"]
    assert themes(source) == {"base: default": ["base"]}
    assert source.read == 4


def test_a_part_in_a_list_with_the_page_adds_nothing():
    source = read_css(":root, .btn, ::part(x) { --a: red }")
    assert tables(source) == {"base": {"a": "red"}}


def test_a_class_is_a_theme_only_if_it_mostly_changes_the_page():
    source = read_css(":root { --a: 1px; --b: 1px } .x { --a: 2px; --b: 2px; --x: 2px } .y { --a: 3px; --y: 3px }")
    assert set(tables(source)) == {"theme/default", "theme/x", ".y"}


def test_a_class_that_changes_one_name_of_many_is_a_part():
    names = "".join(f"--n{number}: 1px; " for number in range(30))
    source = read_css(f":root {{ {names} }} .ring {{ --n1: 2px }} .sunset {{ --n1: 2px; --n2: 2px }}")
    assert set(tables(source)) == {"base", ".ring", "theme/default", "theme/sunset"}


def test_a_class_that_declares_everything_is_the_page():
    source = read_css(".tokens { --a: 1px; --b: 2px }")
    assert tables(source) == {"base": {"a": "1px", "b": "2px"}}


def test_modifiers_of_a_block_are_modes_and_the_block_is_the_page():
    source = read_css("""
        .ds--dark { --ink: white; --paper: black }
        .ds--light { --ink: black; --paper: white }
        .ds--large { --gap: 10px }
        .ds--medium { --gap: 8px }
        .ds { --radius: 4px }""")
    assert tables(source) == {
        "appearance/light": {"ink": "black", "paper": "white"},
        "appearance/dark": {"ink": "white", "paper": "black"},
        "theme 2/large": {"gap": "10px"},
        "theme 2/medium": {"gap": "8px"},
        "base": {"radius": "4px"},
    }
    assert [(theme.group, theme.name, bool(theme.guess)) for theme in source.themes if theme.group != "base"] == [
        ("appearance", "light", False),
        ("appearance", "dark", True),
        ("theme 2", "large", True),
        ("theme 2", "medium", True),
    ]


def test_a_class_whose_attributes_declare_more_is_the_page():
    page = ":root { --a: 1px; --b: 1px } .app { --a: 2px; --c: 1px; --d: 1px }"
    assert tables(read_css(page))[".app"] == {"a": "2px", "c": "1px", "d": "1px"}
    with_attribute = tables(read_css(f"{page} .app[data-scale=large] {{ --e: 2px }}"))
    assert with_attribute["base"] == {"a": "2px", "b": "1px", "c": "1px", "d": "1px"}


def test_an_element_named_base_is_no_base():
    assert tables(read_css(":root { --a: 1px } base { --b: 2px }")) == {"base": {"a": "1px"}, "<base>": {"b": "2px"}}


def test_an_attribute_with_a_dark_value_is_the_appearance_for_its_other_values():
    source = read_css(":root { --a: 1 } [data-theme=dark] { --a: 2 } [data-theme=dim] { --a: 3 }")
    assert [(each.group, each.name) for each in source.themes] == [
        ("appearance", "light"),
        ("appearance", "dark"),
        ("appearance", "dim"),
    ]


def test_custom_media_that_refer_to_each_other_end():
    source = read_css("""
        @custom-media --a (--b);
        @custom-media --b (--a);
        :root { --x: 1px }
        @media (--a) { :root { --x: 2px } }
    """)
    assert tables(source)["base"] == {"x": "1px"}
    assert notes(source) == {"--a": "@custom-media, 2 times (--a, --b): it declares no token"}
    assert source.read == 2


FILES = {
    "files with words for modes": (
        {"light.css": ":root { --a: #fff }", "dark.css": ":root { --a: #000 }"},
        LIGHT_AND_DARK,
    ),
    "folders with words for modes": (
        {"light/a.scss": "$a: #fff;", "dark/a.scss": "$a: #000;"},
        {"appearance/light": {"a": "#fff"}, "appearance/dark": {"a": "#000"}},
    ),
    "brands side by side": (
        {"brands/x.css": ":root { --a: #fff; --b: 1px }", "brands/y.css": ":root { --a: #000; --b: 1px }"},
        {"brands/x": {"a": "#fff", "b": "1px"}, "brands/y": {"a": "#000", "b": "1px"}},
    ),
    "modes of brands": (
        {
            f"tokens-{brand}-{mode}.css": f":root {{ --a: #{number}{number}{number} }}"
            for number, (brand, mode) in enumerate([("x", "light"), ("x", "dark"), ("y", "light"), ("y", "dark")])
        },
        {
            "theme/x-light": {"a": "#000"},
            "theme/x-dark": {"a": "#111"},
            "theme/y-light": {"a": "#222"},
            "theme/y-dark": {"a": "#333"},
        },
    ),
    "a selector inside, which holds instead": (
        {"light.css": ":root { --a: #fff }", "dark.css": ":root { --a: #000 } .light { --a: #fff }"},
        LIGHT_AND_DARK,
    ),
}


@pytest.mark.parametrize(("files", "wanted"), FILES.values(), ids=FILES)
def test_files_that_declare_the_same_names_with_other_values_are_modes(files, wanted):
    assert tables(css.read({path: text.encode() for path, text in files.items()})) == wanted


NO_MODES = {
    "a minified copy": {"a.css": ":root { --a: rgb(0, 0, 0, 0.5) }", "a.min.css": ":root{--a:rgb(0,0,0,.5)}"},
    "other selectors": {"x.css": "button { --a: 1px; --b: 2px }", "y.css": "input { --a: 3px; --b: 4px }"},
    "files that another one imports": {
        "index.css": "@import 'x.css'; @import 'y.css';",
        "x.css": ":root { --a: 1px; --b: 2px }",
        "y.css": ":root { --a: 3px; --b: 4px }",
    },
    "modules": {"x.scss": "@use 'y'; $a: 1px; $b: y.$a;", "y.scss": "$a: 3px; $b: 4px;"},
}


@pytest.mark.parametrize("files", NO_MODES.values(), ids=NO_MODES)
def test_other_files_are_no_modes(files):
    source = css.read({path: text.encode() for path, text in files.items()})
    assert {theme.group for theme in source.themes} <= {"base"}


def test_brands_with_other_names_are_modes_of_a_dimension_of_their_own():
    files = {}
    for at, mode in enumerate(("light", "dark")):
        files[f"base-{mode}.css"] = f":root {{ --a: {at}px; --b: {at}px }}"
        for brand in "xy":
            files[f"{brand}-{mode}.css"] = f":root {{ --{brand}: {at}px; --c: {at}px; --d: {at}px; --e: 1px }}"
    found = {
        name: [*own] for name, own in tables(css.read({path: each.encode() for path, each in files.items()})).items()
    }
    assert found["appearance/light"] == found["appearance/dark"] == ["a", "b"]
    assert found["theme/x-dark"] == ["x", "c", "d", "e"]


def test_a_mode_of_a_class_is_named_as_it_is_written():
    source = read_css(".md-theme-darkBronze { --a: #fff } .lightRose-theme { --a: #000 } .theme-Dark { --a: red }")
    assert [theme.name for theme in source.themes] == ["darkBronze", "lightRose", "dark"]
