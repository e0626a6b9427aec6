"""Each outside checker accepts what is right and refuses what is wrong, so that a test that relies on it can fail."""

import json

import pytest
from checkers import Refused, dumped


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
class TestTerrazzo:
    def write(self, folder, tokens):
        path = folder / "a.tokens.json"
        path.write_text(json.dumps(tokens))
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
            (tmp_path / f"{mode}.tokens.json").write_text(json.dumps({"a": {"$type": "number", "$value": value}}))
        contexts = {mode: [{"$ref": f"{mode}.tokens.json"}] for mode in ("light", "dark")}
        resolver = {
            "version": "2025.10",
            "modifiers": {"theme": {"contexts": contexts, "default": "light"}},
            "resolutionOrder": [{"$ref": "#/modifiers/theme"}],
        }
        path = tmp_path / "a.resolver.json"
        path.write_text(json.dumps(resolver))
        read = terrazzo(resolver=path)
        assert read == {"tokens": {"a": {"type": "number", "value": 1}}, "permutations": 2}


@pytest.mark.outside
class TestAapt2:
    def resources(self, folder, body, qualifier=""):
        values = folder / f"values{qualifier}"
        values.mkdir()
        (values / "all.xml").write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<resources>{body}</resources>\n')
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
