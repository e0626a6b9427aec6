"""The user's own templates: their contexts, their files, and their limits."""

import json

import msgspec
import pytest
from generate.targets.hostile_graphs import hostile_graphs
from graphs import alias, collection, color, graph, token
from hypothesis import HealthCheck, given, settings

from tokensync.generate.naming.templates import _where
from tokensync.generate.target import OutputRequest, Selection
from tokensync.generate.targets import generate
from tokensync.generate.targets.template import TemplateFile, TemplateOptions
from tokensync.generate.targets.template.render import OwnTheme, Token
from tokensync.project.configuration import parse_config
from tokensync.system.errors import ProblemsError, UsageError
from tokensync.tokens import DEFAULT_THEME, Composite, DanglingAlias, Quantity, Theme
from tokensync.tokens.paths import names

BASE = collection("Base")
SCHEME = collection("Scheme", "Light", "Dark")
SIZE = collection("Size", "Wide", "Narrow")
WRITTEN = graph(
    BASE,
    SCHEME,
    SIZE,
    token(BASE, "ink", color("#16212b"), description="Body | copy.", deprecated="Use text."),
    token(BASE, "share", 48, type="number", scopes=("OPACITY",), hidden=True),
    token(BASE, "face", "Bitter, serif", type="fontFamily"),
    token(BASE, "turn", Quantity(7.5, "s"), type="duration"),
    token(BASE, "ease", Composite("[0.2,0,0,1]"), type="cubicBezier"),
    token(BASE, "is", True, type="boolean"),
    token(BASE, "is_", "text", type="string"),
    token(SCHEME, "text/main", alias("Base", "ink"), color("#ffffff", 0.5)),
    token(SIZE, "gap", 4, 2, type="dimension"),
    token(SIZE, "label", alias("Scheme", "text/main"), color("#ff0000")),
)


@pytest.fixture
def rendered(tmp_path):
    """Return the files that this template renders, by path, and the problems."""

    def make(source, *listed, of=WRITTEN, **rest):
        (tmp_path / "own.j2").write_text(source, encoding="utf-8")
        files = [TemplateFile(template="own.j2", **each) for each in listed or ({"path": "out.txt"},)]
        options = TemplateOptions(files=tuple(files))
        request = OutputRequest(platform="template", templates=str(tmp_path), options=options, **rest)
        content, problems = generate(of, request)
        return {each.path: each.content.decode("utf-8") for each in content}, problems

    return make


def lines(rendered, source, **file):
    content, _ = rendered(source, {"path": "out.txt", **file})
    return content["out.txt"].splitlines()


ROWS = """{% for row in rows %}
{{ row.FIELD }}
{% endfor %}
"""


def column(rendered, name, **file):
    return lines(rendered, ROWS.replace("FIELD", name), **file)


def test_a_row_has_the_documented_fields(rendered):
    source = "{% for row in rows[:1] %}{{ row | json }}{% endfor %}"
    (text,) = lines(rendered, source)
    row = msgspec.convert(json.loads(text), Token)
    assert row == Token(
        name="ink",
        value="#16212b",
        type="color",
        data={"hex": "#16212b", "alpha": 1, "colorSpace": "srgb", "components": [0.08627451, 0.12941177, 0.16862746]},
        alias="",
        path=("ink",),
        words=("ink",),
        collection="Base",
        description="Body | copy.",
        deprecated="Use text.",
        hidden=False,
        names={"typescript": "ink"},
        scopes=(),
        id="",
        varies=False,
    )


def test_values_are_css_or_json(rendered):
    assert column(rendered, "value") == [
        *("#16212b", "0.48", '"Bitter", serif', "7.5s", "cubic-bezier(0.2, 0, 0, 1)", "1", '"text"'),
        *("#16212b", "4px", "#16212b"),
    ]
    content = [json.loads(each) for each in column(rendered, "value", values="json")]
    assert content[1:7] == [0.48, ["Bitter", "serif"], {"value": 7.5, "unit": "s"}, [0.2, 0, 0, 1], True, "text"]
    assert content == [json.loads(each) for each in column(rendered, "data | json")]


def test_references_are_written_with_the_configured_pattern(rendered):
    assert column(rendered, "value", reference="var({name})", names="css")[7:] == [
        "var(--ink)",
        "4px",
        "var(--text-main)",
    ]
    assert column(rendered, "alias", names="css")[7:] == ["--ink", "", "--text-main"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("css", "--text-main"),
        ("scss", "$text-main"),
        ("android", "text_main"),
        ("ios", "textMain"),
        ("compose", "textMain"),
    ],
)
def test_names_are_those_of_a_platform(rendered, names, expected):
    assert column(rendered, "name", names=names)[7] == expected


def test_a_reserved_name_gets_underscores_until_no_other_token_has_it(rendered):
    assert column(rendered, "name", names="ios", reserved=("is", "is_", "gap"))[5:9] == [
        "is__",
        "baseIs",
        "textMain",
        "gap_",
    ]
    assert column(rendered, "alias", names="ios", reserved=("ink",))[7] == "ink_"
    of = graph(
        BASE, token(BASE, "a", "x", type="string"), token(BASE, "b", "x", type="string", code_syntax=(("WEB", "--a_"),))
    )
    content, _ = rendered(ROWS.replace("FIELD", "name"), {"path": "x", "names": "css", "reserved": ("--a",)}, of=of)
    assert content["x"].split() == ["--a__", "--a_"]


def test_themes_have_all_tokens_and_the_changed_ones(rendered):
    source = """\
{% macro changed(theme) %}{% for row in theme.changed %} {{ row.name }}={{ row.value }}{% endfor %}{% endmacro %}
{% for theme in themes %}
{{ theme.name }} {{ theme.words | camel }} {{ theme.rows | length }}:{{ changed(theme) }}
{% endfor %}
{% for theme in combinations %}
{{ theme.parts | join(" and ") }}:{{ changed(theme) }}
{% endfor %}
"""
    assert lines(rendered, source) == [
        "scheme/light schemeLight 10:",
        "scheme/dark schemeDark 10: textMain=rgb(255 255 255 / 0.5) label=rgb(255 255 255 / 0.5)",
        "size/wide sizeWide 10:",
        "size/narrow sizeNarrow 10: gap=2px label=#ff0000",
        "scheme/dark and size/narrow: label=#ff0000",
    ]


def test_configured_themes_replace_the_inferred_ones(rendered):
    night = Theme("night", ((SCHEME.key, 1), (SIZE.key, 1)))
    content, _ = rendered("{{ themes | map(attribute='name') | join(' ') }}", themes=(night,))
    assert content["out.txt"] == "night"


def test_a_path_with_a_placeholder_writes_a_file_for_each_value(rendered):
    source = "{{ theme }}|{{ collection }}|{{ rows | map(attribute='name') | join(' ') }}"
    content, _ = rendered(source, {"path": "{collection}/tokens.{theme}.txt"})
    assert len(content) == 3 * 5
    assert content["size/tokens.default.txt"] == "default|Size|gap label"
    assert content["scheme/tokens.scheme-dark.txt"] == "scheme/dark|Scheme|textMain"
    content, _ = rendered("{{ themes[1].changed | map(attribute='name') | join(' ') }}", {"path": "{collection}.txt"})
    assert content == {"base.txt": "", "scheme.txt": "textMain", "size.txt": "label"}


def test_collections_with_the_same_name_have_separate_files(rendered):
    """A design file may have two collections with the same name, and two files collections with the same handle."""
    first = collection("Size")
    second = msgspec.structs.replace(collection("Size 2"), name="Size")
    other = msgspec.structs.replace(first, file="other")
    one, two, three = (
        token(each, name, 1, type="number") for each, name in ((first, "a"), (second, "b"), (other, "c"))
    )
    two = msgspec.structs.replace(two, key=two.key._replace(collection="size-2"))
    source = "{{ rows | map(attribute='name') | join(' ') }}"
    content, _ = rendered(source, {"path": "{collection}.txt"}, of=graph(first, second, other, one, two, three))
    assert content == {"design-size.txt": "a", "size-2.txt": "b", "other-size.txt": "c"}


def test_themes_with_the_same_slug_have_separate_files(rendered):
    themes = (Theme("a/b", ((SIZE.key, 1),)), Theme("a b", ((SIZE.key, 1), (SCHEME.key, 1))))
    content, _ = rendered("{{ theme }}", {"path": "{theme}.txt"}, themes=themes)
    assert content == {"default.txt": "default", "a-b.txt": "a/b", "a-b-2.txt": "a b"}


def test_omitted_tokens_have_no_rows(rendered):
    content, _ = rendered(ROWS.replace("FIELD", "name"), exclude=Selection(collections=("Base", "Size")))
    assert content["out.txt"] == "textMain\n"


def test_a_token_without_a_value_is_reported_once_and_omitted(rendered):
    of = graph(BASE, token(BASE, "lost", DanglingAlias("x")), token(BASE, "odd", Composite("7"), type="shadow"))
    content, problems = rendered("{{ rows | length }}", {"path": "a"}, {"path": "b"}, of=of)
    assert content == {"a": "0", "b": "0"}
    assert [each.code for each in problems] == ["type-unsupported"]


def test_an_error_in_a_template_is_reported_with_its_line(rendered):
    with pytest.raises(ProblemsError, match=r"/own\.j2:2: .*'rowz' is undefined"):
        rendered("\n{{ rowz }}")
    with pytest.raises(ProblemsError, match=r"/own\.j2:3: .*division"):
        rendered("{% for row in rows %}\n\n{{ 1 // 0 }}{% endfor %}")
    with pytest.raises(ProblemsError, match=r"/own\.j2:1: .*unexpected"):
        rendered("{{ 1 +}}")
    with pytest.raises(ProblemsError, match=r"templates/absent\.j2: "):
        _absent()


def test_an_error_in_a_template_on_another_drive_than_the_package_is_reported_too(monkeypatch):
    def other_drive(*_):
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    monkeypatch.setattr("os.path.relpath", other_drive)
    with pytest.raises(ZeroDivisionError) as caught:
        exec(compile("\n1 / 0", "own.j2", "exec"))
    assert _where("other.j2", caught.value) == "templates/own.j2:2"


def _absent():
    options = TemplateOptions(files=(TemplateFile(template="absent.j2", path="x"),))
    generate(WRITTEN, OutputRequest(platform="template", options=options))


@pytest.mark.parametrize(
    "source",
    [
        "{{ rows.__class__ }}",
        "{{ rows._make.__globals__ }}",
        "{{ ''.__class__.__mro__ }}",
        "{% include '../secret' %}",
        "{{ cycler.__init__.__globals__.os }}",
        "{% for row in rows %}{{ row.__class__.__base__ }}{% endfor %}",
    ],
)
def test_a_template_stays_in_its_sandbox(rendered, tmp_path, source):
    (tmp_path.parent / "secret").write_text("secret", encoding="utf-8")
    with pytest.raises(ProblemsError, match="template-failed"):
        rendered(source)


def test_an_output_without_options_is_a_usage_error():
    with pytest.raises(UsageError, match="template: it has no files"):
        generate(WRITTEN, OutputRequest(platform="template"))


def configured(files):
    text = f'[[outputs]]\nplatform = "template"\npath = "x"\noptions = {{ files = [{files}] }}\n'
    return parse_config(text.encode(), "tokensync.toml")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../x", r"contains '\.\.'"),
        ("/x", "absolute paths differ"),
        ("a//b", "an empty step"),
        ("a/./b", r"contains '\.'"),
        ("a/", "an empty step"),
        ("a.", r"Windows drops a part of 'a\.' \(write a\)"),
        ("{theme}/../x", r"contains '\.\.'"),
        ("C:x", "absolute paths differ"),
        ("a\\\\\\\\b", r"a backslash .* \(write a/b\)"),
        ("con.txt", "'con.txt' is a device on Windows"),
        (".git/hooks/{theme}", "'.git' is git's own folder"),
        ("{theme", "unmatched brace"),
        ("{mode}.txt", "is not a placeholder; use"),
    ],
)
def test_unsafe_and_invalid_paths_are_refused(path, message):
    with pytest.raises(ProblemsError, match=message):
        configured(f'{{ template = "a", path = "{path}" }}')


def test_other_invalid_options_are_reported_with_their_location():
    with pytest.raises(ProblemsError, match=r"#/outputs/0/options/files/0/reference"):
        configured('{ template = "a", path = "b", reference = "x" }')
    with pytest.raises(ProblemsError, match="list at least one file"):
        configured("")
    with pytest.raises(ProblemsError, match=r"unknown value 'dart'"):
        configured('{ template = "a", path = "b", names = "dart" }')
    with pytest.raises(ProblemsError, match=r"#/outputs/0/options/files/0/template.*contains '\.\.'"):
        configured('{ template = "../a", path = "b" }')
    assert configured('{ template = "a", path = "b/{theme}/{collection}.x" }').outputs[0].platform == "template"


def test_a_template_can_read_the_fields_of_a_theme_by_name():
    assert OwnTheme("a/b", "a", "b", False, ("a", "b"), (), (), ()).words == ("a", "b")


def test_a_row_has_the_names_of_more_platforms(rendered):
    named = column(rendered, "names | json", names="ios", more_names=("css", "android"))
    assert json.loads(named[7]) == {"ios": "textMain", "css": "--text-main", "android": "text_main"}


def test_a_row_says_whether_a_theme_can_change_it_and_what_it_is_for(rendered):
    assert column(rendered, "varies") == ["False"] * 7 + ["True"] * 3
    assert column(rendered, "scopes | join")[1] == "OPACITY"


def test_a_theme_has_its_axis_its_mode_and_whether_it_is_the_default(rendered):
    source = """{% for each in themes + combinations %}
{{ each.name }}: {{ each.axis }}, {{ each.mode }}, {{ each.is_default }}
{% endfor %}
"""
    assert lines(rendered, source) == [
        *("scheme/light: scheme, light, True", "scheme/dark: scheme, dark, False"),
        *("size/wide: size, wide, True", "size/narrow: size, narrow, False"),
        "scheme/dark + size/narrow: , , False",
    ]
    night = Theme("at night", ((("design", "scheme"), 1),))
    content, _ = rendered(source, themes=(night,))
    assert content["out.txt"] == "at night: theme, at night, False\n"


def test_a_template_knows_the_attributes_of_a_css_output(rendered):
    source = """{% for name, selectors, choices in axes %}
{{ name }}: {{ selectors | join }}{% for name, selector in choices %} {{ name }}={{ selector }}{% endfor %}

{% endfor %}
"""
    assert [line for line in lines(rendered, source) if line] == [
        'scheme: [data-scheme] light=[data-scheme="light"] dark=[data-scheme="dark"]',
        'size: [data-size] wide=[data-size="wide"] narrow=[data-size="narrow"]',
    ]


def test_attributes_of_css_bring_no_problems_of_a_css_output(rendered):
    unclear = collection("Unclear", "Light", "Dark 1", "Dark 2")
    of = graph(unclear, token(unclear, "grey", *[color("#ffffff")] * 3))
    assert rendered("{{ axes | length }}", of=of) == ({"out.txt": "1"}, ())


CONTRACT = "vanilla-extract/contract.css.ts.j2"


def test_a_packaged_template_needs_no_folder_and_one_of_the_same_path_replaces_it(tmp_path):
    options = TemplateOptions(files=(TemplateFile(template=CONTRACT, path="contract.css.ts"),))
    request = OutputRequest(platform="template", options=options)
    (file,), _ = generate(WRITTEN, request)
    assert '  textMain: "text-main",' in file.content.decode().splitlines()
    (tmp_path / "vanilla-extract").mkdir()
    (tmp_path / CONTRACT).write_text("{% for row in rows %}{{ row.names.css }} {% endfor %}\n", encoding="utf-8")
    (file,), _ = generate(WRITTEN, msgspec.structs.replace(request, templates=str(tmp_path)))
    assert file.content.decode().split()[-1] == "--label"


def test_changing_one_value_changes_one_line(rendered):
    source = "{% for row in rows %}\n{{ row.name }}={{ row.value }}\n{% endfor %}\n"
    tokens = [each for each in WRITTEN.tokens.values() if each.key.path != "share"]
    share = msgspec.structs.replace(WRITTEN.tokens["design", "base", "share"], values=(49.0,))
    before = lines(rendered, source)
    after, _ = rendered(source, of=graph(BASE, SCHEME, SIZE, tokens[0], share, *tokens[1:]))
    changed = [pair for pair in zip(before, after["out.txt"].splitlines(), strict=True) if pair[0] != pair[1]]
    assert changed == [("share=0.48", "share=0.49")]


LISTING = """{% for row in rows %}
{{ row | json }}
{% endfor %}
{% for theme in themes %}
{% for row in theme.changed %}
{{ row | json }}
{% endfor %}
{% endfor %}
"""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hostile_graphs())
def test_hostile_names_and_texts_reach_a_template_unchanged(rendered, of):
    content, _ = rendered(LISTING, {"path": "{collection}.txt", "values": "json", "names": "css"}, of=of)
    (path,) = content
    assert path == f"{next(iter(of.collections))[1]}.txt"
    rows = [msgspec.convert(json.loads(each), Token) for each in content[path].splitlines() if each]
    usual = rows[: len(of.tokens)]
    assert len({each.name for each in usual}) == len(of.tokens)
    for row, each in zip(usual, of.tokens.values(), strict=True):
        assert row.path == names(each.key.path)
        assert row.description == each.description
        assert json.loads(row.value) == row.data
        if each.type in ("string", "boolean"):
            assert row.data == of.resolve(each, DEFAULT_THEME)
