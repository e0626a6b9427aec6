"""Each outside checker accepts what is right and refuses what is wrong, so that a test that relies on it can fail."""

import json
import runpy
import shutil
import sys
from decimal import Decimal

import pytest
from checkers import ROOT, Refused, dumped

debian_packages = runpy.run_path(str(ROOT / "checks" / "install_checkers.py"))["debian_packages"]


@pytest.mark.parametrize(("system", "then"), [("linux", ["python3-fusepy", "fuse3"]), ("darwin", []), ("win32", [])])
def test_a_file_system_that_ignores_case_is_installed_only_if_missing(monkeypatch, system, then):
    """Also where Python is nowhere that Debian has it."""
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(shutil, "which", lambda program: None)
    assert [each for each in debian_packages() if "fuse" in each] == then


@pytest.mark.outside
class TestLightningCss:
    def test_it_gives_typed_values_of_custom_properties_in_order(self, lightningcss):
        rules = lightningcss(':root { --a: #ff0000; --b: var(--a) }\n[data-x="dark"] { --a: 4px }')
        assert [name for rule in rules for name, _ in rule["declarations"]] == ["--a", "--b", "--a"]
        assert rules[0]["declarations"][0][1] == [
            {"type": "color", "value": {"type": "rgb", "r": 255, "g": 0, "b": 0, "alpha": 1}}
        ]
        assert rules[1]["selectors"][0][0]["operation"]["value"] == "dark"

    def test_it_lists_a_property_that_is_declared_twice(self, lightningcss):
        (rule,) = lightningcss(":root { --a: 1; --a: 2 }")
        assert [name for name, _ in rule["declarations"]] == ["--a", "--a"]

    def test_it_refuses_broken_css(self, lightningcss):
        with pytest.raises(Refused, match=r"Unexpected|SyntaxError"):
            lightningcss(':root { --a: "unclosed\n }} body { ')


@pytest.mark.outside
def test_a_folder_that_ignores_case_has_one_file_for_two_spellings(ignoring_case):
    (ignoring_case / "Web").mkdir()
    (ignoring_case / "Web" / "Tokens.css").write_text("x", encoding="utf-8")
    assert (ignoring_case / "wEB" / "tokens.CSS").read_text("utf-8") == "x"
    assert [each.name for each in (ignoring_case / "web").iterdir()] == ["Tokens.css"]


@pytest.mark.outside
def test_bundlers_keep_a_call_that_is_not_marked_as_pure(bundle, tmp_path):
    module = "export const one = 1;\nexport const other = {}Object.freeze({{ a: 2 }});\n"
    entry = 'import { one } from "./module.js";\nconsole.log(one);\n'
    kept = {}
    for mark in ("", "/* @__PURE__ */ "):
        (tmp_path / "module.js").write_text(module.format(mark), encoding="utf-8")
        kept[mark] = {bundler: "a:2" in text for bundler, text in bundle(tmp_path, entry).items()}
    assert kept == {"": {"esbuild": True, "rollup": False}, "/* @__PURE__ */ ": {"esbuild": False, "rollup": False}}


@pytest.mark.outside
class TestStylelint:
    def test_it_accepts_valid_input(self, stylelint):
        stylelint(
            ':root { --a: #ff0000; --b: color-mix(in srgb, var(--a) 50%, transparent) }\n[data-x="1"] { --a: 4px }'
        )

    @pytest.mark.parametrize("css", [":root { --a: 1; --a: 2 }", ":root { --a: var(--b) }", "@medium { a { --a: 1 } }"])
    def test_it_refuses_errors_beyond_the_grammar(self, stylelint, css):
        with pytest.raises(Refused):
            stylelint(css)


@pytest.mark.outside
class TestSass:
    def test_it_compiles_with_other_files(self, sass):
        files = {"_tokens.scss": "$a: 4px;\n$map: ('b': $a);"}
        assert sass('@use "sass:map"; @use "tokens"; a { b: map.get(tokens.$map, "b") }', files) == "a {\n  b: 4px;\n}"

    def test_it_refuses_an_undefined_variable(self, sass):
        with pytest.raises(Refused, match="Undefined variable"):
            sass("a { b: $c }")


@pytest.mark.outside
class TestTailwind:
    def test_it_makes_utilities_of_a_theme(self, tailwind):
        css = '@import "tailwindcss"; @import "./tokens.css";'
        sheet = tailwind(css, {"tokens.css": "@theme { --color-brand-500: #123456 }"}, ["bg-brand-500", "bg-other"])
        assert "--color-brand-500: #123456" in sheet
        assert ".bg-brand-500" in sheet
        assert "bg-other" not in sheet

    def test_it_refuses_a_theme_of_rules(self, tailwind):
        with pytest.raises(Refused, match="@theme"):
            tailwind('@import "tailwindcss"; @theme { a { color: red } }')


@pytest.mark.outside
class TestTypeScript:
    def test_it_emits_a_module_that_node_reads(self, tsc, esm):
        folder = tsc({"tokens.ts": 'export const tokens = { a: { b: "1" } } as const;\nexport type T = "x" | "y";\n'})
        assert esm(folder / "tokens.js") == {"tokens": {"a": {"b": "1"}}}
        assert 'readonly b: "1"' in (folder / "tokens.d.ts").read_text("utf-8")

    def test_it_is_strict(self, tsc):
        with pytest.raises(Refused, match="implicitly has an 'any' type"):
            tsc({"a.ts": "export const f = (x) => x;"})


@pytest.mark.outside
class TestKotlinc:
    def test_it_compiles_and_runs(self, kotlinc):
        files = {"Tokens.kt": "object Tokens { val a = 0xFF112233 }", "Main.kt": "fun main() = println(Tokens.a)"}
        assert kotlinc(files, "MainKt") == f"{0xFF112233}\n"

    def test_it_refuses_a_type_that_does_not_fit(self, kotlinc):
        with pytest.raises(Refused, match="mismatch"):
            kotlinc({"Tokens.kt": 'object Tokens { val a: Int = "b" }'})


@pytest.mark.outside
class TestSwift:
    @pytest.mark.parametrize(("system", "color"), [("UIKit", "uiColor: UIColor"), ("AppKit", "nsColor: NSColor")])
    def test_it_checks_types_for_either_system(self, swiftc, system, color):
        source = f'import SwiftUI\nimport {system}\nlet a = Color({color}(Color("a", bundle: .main)))\n'
        swiftc({"A.swift": source}, system=system)
        with pytest.raises(Refused, match="has no member 'module'"):
            swiftc({"A.swift": source.replace(".main", ".module")}, system=system)

    def test_a_warning_is_refused(self, swiftc):
        with pytest.raises(Refused, match="never mutated|never used"):
            swiftc({"A.swift": "func f() {\n    var a = 1\n}\n"})

    def test_it_runs_an_app(self, swift_app):
        assert swift_app({"A.swift": "let a = 4\n", "main.swift": "print(a)\n"}) == "4\n"

    def test_it_refuses_a_package_whose_swift_is_among_its_resources(self, swift_build, tmp_path):
        resources = tmp_path / "Sources" / "A" / "Resources"
        resources.mkdir(parents=True)
        (resources / "Tokens.swift").write_text("public let a = 1\n", encoding="utf-8")
        (resources.parent / "B.swift").write_text("let b = a\n", encoding="utf-8")
        target = '.target(name: "A", resources: [.process("Resources")])'
        manifest = f'import PackageDescription\nlet package = Package(name: "A", targets: [{target}])\n'
        (tmp_path / "Package.swift").write_text(f"// swift-tools-version: 5.9\n{manifest}", encoding="utf-8")
        with pytest.raises(Refused, match="cannot find 'a' in scope"):
            swift_build(tmp_path)


@pytest.mark.outside
class TestChromium:
    def test_it_computes_typed_values_of_nested_elements(self, chromium):
        css = ':root { --a: #ff000080; --b: var(--a) }\n[data-x="1"] { --a: oklch(0 0 0) }'
        with chromium(css) as page:
            root, inside = page.values({"--a": "color", "--b": "color"}, [[{}], [{}, {"data-x": "1"}]])
        assert [value for _, value in root] == [("color", 1.0, 0.0, 0.0, pytest.approx(128 / 255, abs=1e-4))] * 2
        assert inside[0][1] == ("color", 0.0, 0.0, 0.0, 1.0)
        assert inside[1] == root[1]  # a reference is carried out where it is declared

    def test_it_reads_only_the_known_kinds(self, chromium):
        texts = {
            "length": ("-1.5rem", ("number", Decimal("-1.5"), "rem")),
            "number": ("16777216", ("number", Decimal(16777216), "")),
            "duration": ("200ms", ("number", Decimal(200), "ms")),
            "string": ('"a\\"\\\\b\\a c\\1f600 "', ("string", 'a"\\b\nc😀')),
            "family": ('"serif", Inter, serif', ("family", (("serif", False), ("Inter", False), ("serif", True)))),
            "box-shadow": ("1px 2px red", ("box-shadow", "rgb(255, 0, 0) 1px 2px 0px 0px")),
        }
        with chromium("") as page:
            assert page.typed([(kind, text) for kind, (text, _) in texts.items()]) == [
                each for _, each in texts.values()
            ]
            assert page.typed([("color", "4px"), ("length", "red"), ("string", "a b"), ("color", "")]) == [None] * 4

    def test_it_shows_the_requested_appearance(self, chromium):
        css = """
            :root { color-scheme: light dark; --a: light-dark(#ff0000, #00ff00); --b: 1 }
            @media (prefers-contrast: more) { :root { --b: 2 } }
            @media (color-gamut: p3) { :root { --b: 3 } }
        """
        with chromium(css) as page:
            for query, expected in (
                ({}, (1.0, 1)),
                ({"scheme": "dark"}, (0.0, 1)),
                ({"contrast": "more"}, (1.0, 2)),
                ({"gamut": "p3"}, (1.0, 3)),
            ):
                page.emulate(**query)
                ((a, b),) = page.values({"--a": "color", "--b": "number"}, [[{}]])
                assert (a[1][1], b[1][1]) == expected


@pytest.mark.outside
class TestTerrazzo:
    def write(self, folder, tokens):
        path = folder / "a.tokens.json"
        path.write_text(json.dumps(tokens), encoding="utf-8")
        return path

    def test_it_reads_a_token_file_with_an_alias(self, terrazzo, tmp_path):
        dimension = {"$type": "dimension", "$value": {"value": 4, "unit": "px"}}
        tokens = {"size": {"small": dimension, "gap": {"$type": "dimension", "$value": "{size.small}"}}}
        read = terrazzo(tokens=self.write(tmp_path, tokens))
        assert read["tokens"]["size.gap"] == {"type": "dimension", "value": {"value": 4, "unit": "px"}}

    def test_it_accepts_strings_and_booleans(self, terrazzo, tmp_path):
        tokens = {"on": {"$type": "boolean", "$value": True}, "word": {"$type": "string", "$value": "x"}}
        assert set(terrazzo(tokens=self.write(tmp_path, tokens))["tokens"]) == {"on", "word"}

    def test_it_refuses_a_dangling_alias(self, terrazzo, tmp_path):
        with pytest.raises(Refused):
            terrazzo(tokens=self.write(tmp_path, {"a": {"$type": "number", "$value": "{not.there}"}}))

    def test_it_reads_a_resolver_document_in_every_context(self, terrazzo, tmp_path):
        for mode, value in (("light", 1), ("dark", 2)):
            (tmp_path / f"{mode}.tokens.json").write_text(
                json.dumps({"a": {"$type": "number", "$value": value}}), encoding="utf-8"
            )
        contexts = {mode: [{"$ref": f"{mode}.tokens.json"}] for mode in ("light", "dark")}
        resolver = {
            "version": "2025.10",
            "modifiers": {"theme": {"contexts": contexts, "default": "light"}},
            "resolutionOrder": [{"$ref": "#/modifiers/theme"}],
        }
        path = tmp_path / "a.resolver.json"
        path.write_text(json.dumps(resolver), encoding="utf-8")
        read = terrazzo(resolver=path)
        assert read == {"tokens": {"a": {"type": "number", "value": 1}}, "permutations": 2}


@pytest.mark.outside
class TestAapt2:
    def resources(self, folder, body, qualifier=""):
        values = folder / f"values{qualifier}"
        values.mkdir()
        (values / "all.xml").write_text(
            f'<?xml version="1.0" encoding="utf-8"?>\n<resources>{body}</resources>\n', encoding="utf-8"
        )
        return folder

    def test_it_gives_each_value_by_name_and_qualifier(self, aapt2, tmp_path):
        self.resources(tmp_path, '<color name="a">#FF112233</color><color name="b">@color/a</color>')
        self.resources(tmp_path, '<color name="a">#80112233</color>', "-night")
        assert aapt2(tmp_path) == {
            "color/a": {"": "#ff112233", "night": "#80112233"},
            "color/b": {"": "@color/a"},
        }

    def test_it_refuses_a_reference_to_nothing(self, aapt2, tmp_path):
        with pytest.raises(Refused, match="not found"):
            aapt2(self.resources(tmp_path, '<color name="b">@color/not_there</color>'))


def test_a_dump_with_a_string_over_several_lines_is_read_whole():
    text = (
        '  type string id=05 entryCount=1\n    resource 0x7f050000 string/s\n      () "one\ntwo"\n  type bool id=06\n'
    )
    assert dumped(text) == {"string/s": {"": '"one\ntwo"'}}


def test_swift_is_read_and_refused(swift):
    swift("public enum Tokens {\n    public static let a: CGFloat = 4\n}\n")
    with pytest.raises(Refused, match="tree_sitter_swift: 1:"):
        swift("public enum Tokens { let = }")


def test_kotlin_is_read_and_refused(kotlin):
    kotlin("object Tokens {\n    val a = 4\n}\n")
    with pytest.raises(Refused, match="tree_sitter_kotlin: 1:"):
        kotlin("object Tokens { val = }")


def test_a_colour_set_is_validated_against_the_schema(colorset):
    components = {"red": "0.5", "green": "0x80", "blue": "128", "alpha": "1.000"}
    entry = {"idiom": "universal", "color": {"color-space": "srgb", "components": components}}
    info = {"author": "xcode", "version": 1}
    dark = {**entry, "appearances": [{"appearance": "luminosity", "value": "dark"}]}
    colorset({"colors": [entry, dark], "info": info})
    for wrong in (
        {"colors": [], "info": info},
        {"colors": [{**entry, "idiom": "universe"}], "info": info},
        {"colors": [{**entry, "appearances": [{"appearance": "luminosity", "value": "night"}]}], "info": info},
        {"colors": [{**entry, "color": {"color-space": "srgb", "components": {"red": "1"}}}], "info": info},
        {"colors": [entry, entry], "info": info},
        {"colors": [entry], "info": {"author": "xcode", "version": 2}},
    ):
        with pytest.raises(Refused, match="colorset: "):
            colorset(wrong)
    for text in ("256", "0x100", "1.5", "-0.5", "1e-7", "1.", ""):
        color = {"color-space": "srgb", "components": {**components, "red": text}}
        with pytest.raises(Refused, match="colorset: "):
            colorset({"colors": [{**entry, "color": color}], "info": info})
