"""Compilers that are not ours read the outputs of every real response, and see the values that our readers saw."""

import re

import pytest
from corpus.building import build_arguments, each_corpus_file, run
from corpus.oracle_values import byte, single
from corpus.read_android import read_values, string
from corpus.read_css import meaning, read_css, referred

pytestmark = pytest.mark.outside


@each_corpus_file
def test_lightning_css_reads_the_same_typed_values(response, tmp_path, lightningcss):
    assert run(*build_arguments(response, tmp_path / "out"), "--platform", "css").code == 0
    path = tmp_path / "out" / "css" / "tokens.css"
    theirs = [
        [(name, typed(value)) for name, value in rule["declarations"] if name.startswith("--")]
        for rule in lightningcss(path.read_text("utf-8"))
    ]
    ours = [
        [(name, plain(value)) for name, value in block.declarations if name.startswith("--")]
        for block in read_css(path)
    ]
    assert theirs == ours


def typed(value):
    """What Lightning CSS made of a value: (kind, content), numbers as float32 and alpha in 255 steps."""
    parts = [each for each in value if each["type"] != "token" or each["value"]["type"] not in ("white-space", "comma")]
    if len(parts) != 1:
        return ("list", tuple(typed([each]) for each in parts))
    kind, content = parts[0]["type"], parts[0]["value"]
    match kind:
        case "color":
            assert content["type"] == "rgb"
            return ("color", content["r"], content["g"], content["b"], round(content["alpha"] * 255))
        case "length":
            return (content["unit"], single(content["value"]))
        case "var":
            fallback = content["fallback"]
            return ("var", content["name"]["ident"], *(() if fallback is None else (typed(fallback),)))
        case "function":
            referred = [each["value"]["name"]["ident"] for each in nested(content) if each["type"] == "var"]
            return (content["name"], *referred)
        case "token":
            number = content["type"] == "number"
            return (content["type"], single(content["value"]) if number else content["value"])
    raise AssertionError(parts)


def nested(function):
    """Everything within a function, however deep."""
    for each in function["arguments"]:
        yield each
        if each["type"] == "function":
            yield from nested(each["value"])


def plain(value):
    """What our reader made of a value, in the same words."""
    if any(each.type == "function" and each.lower_name == "var" for each in value) or not value:
        parts = tuple(map(of_switch, value))
        return parts[0] if len(parts) == 1 else ("list", parts)
    if value[0].type == "function" and value[0].lower_name == "color-mix":
        return ("color-mix", *referred(value))
    return worded(*meaning(value))


def of_switch(part):
    """A reference: its name, and its fallback if it has one."""
    assert part.lower_name == "var", part
    name, *rest = (each for each in part.arguments if each.type not in ("whitespace", "comment"))
    return ("var", name.value, *((plain(rest[1:]),) if rest else ()))


def worded(kind, content):
    if kind == "color":
        numbers = re.findall(r"[\d.]+", content)
        if content.startswith("#"):
            return ("color", *bytes.fromhex(content[1:]), 255)
        return ("color", *map(int, numbers[:3]), byte(float(numbers[3]) / (100 if "%" in content else 1)))
    if kind in ("px", "number"):
        return (kind, single(float(content)))
    return (kind, tuple(worded(*each) for each in content)) if kind == "list" else (kind, content)


@each_corpus_file
def test_aapt2_compiles_links_and_shows_the_same_values(response, tmp_path, aapt2):
    assert run(*build_arguments(response, tmp_path / "out"), "--platform", "android").code == 0
    out = tmp_path / "out" / "android"
    linked = aapt2(out)
    targets_of = {name: set(values) for name, values in linked.items()}
    expected = {}
    for folder, qualifier in (("values", ""), ("values-night", "night")):
        for name, resource in read_values(out / folder).items():
            known = f"{'dimen' if resource.type == 'float' else resource.type}/{name}"
            expected.setdefault(known, set()).add(qualifier)
            assert same_to_aapt2(resource, linked[known][qualifier]), (known, resource, linked[known])
    assert targets_of == expected


def same_to_aapt2(resource, dumped):
    """Whether ``aapt2 dump`` shows a resource as written; it keeps a dimension as a 24-bit fraction."""
    if dumped.startswith("@"):
        return resource.text == dumped
    if resource.type == "color":
        return resource.text.lower() == dumped
    if resource.type == "string":
        return dumped == f'"{string(resource.text)}"'
    if resource.type in ("bool", "integer"):
        return resource.text == dumped
    (ours, unit), (theirs, their_unit) = (
        re.fullmatch(r"(-?[\d.]+)(.*)", each).groups() for each in (resource.text, dumped)
    )
    number, shown = float(ours), float(theirs)
    if number < 0 <= shown:  # the dump prints a negative fraction as if it had no sign
        shown -= 1 << 24
    return unit == their_unit and abs(number - shown) <= 1e-4 * max(1.0, abs(number))
