"""Android lint finds nothing in generated resources, and the resource merger of Gradle's plugin changes none."""

import re

import pytest
from checkers import written
from generate.targets.cases import CASES
from msgspec.structs import replace
from outside.android_resources import read
from outside.graphs import subject_of
from outside.test_android_material import DECLARED
from outside.test_target_pages import blocks, configured

from tokensync.generate.targets import generate
from tokensync.project.configuration import typed_options

pytestmark = pytest.mark.outside

NAMES = [name for name in CASES if name.startswith("android/")]
IGNORED = ("UnusedResources",)
"""Each token that no screen uses; lint sees the resources of a library without its code."""


def case_in(folder, name, **options):
    """The resources of a golden case, and the folders that they are in: more than one in source sets."""
    token_graph, request = CASES[name]
    usual = request.options or typed_options("android", {})
    for path, content in generate(token_graph, replace(request, options=replace(usual, **options)))[0]:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    roots = {path.parent.parent for path in folder.rglob("*.xml")}
    return sorted(roots, key=lambda root: (root.parent.name != "main", root))


@pytest.mark.parametrize(
    ("issue", "files"),
    [
        ("ExtraTranslation", {"values-de": '<string name="a" translatable="false">b</string>'}),
        (
            "MissingTranslation",
            {
                "values": '<string name="a">b</string><string name="b">b</string>',
                "values-de": '<string name="a">c</string>',
            },
        ),
        ("DuplicateDefinition", {"values": '<dimen name="a">4dp</dimen><dimen name="a">4dp</dimen>'}),
        ("ResourceCycle", {"values": '<color name="a">@color/b</color><color name="b">@color/a</color>'}),
        ("ReferenceType", {"values": '<color name="a">#FF000000</color><string name="b">@color/a</string>'}),
        ("NewApi", {"values": '<style name="A"><item name="android:lineHeight">4sp</item></style>'}),
        ("SpUsage", {"values": '<style name="A"><item name="android:textSize">4dp</item></style>'}),
        ("UnusedResources", {"values": '<color name="a">#FF000000</color>'}),
    ],
)
def test_lint_finds_what_is_planted(android_lint, tmp_path, issue, files):
    written(tmp_path, {f"{folder}/all.xml": f"<resources>{body}</resources>" for folder, body in files.items()})
    assert issue in {finding.split(": ")[1] for finding in android_lint(tmp_path)}


@pytest.mark.parametrize("name", NAMES)
def test_lint_finds_nothing_in_a_golden_case(android_lint, tmp_path, name):
    assert android_lint(*case_in(tmp_path, name, lint_ignore=IGNORED)) == []


@pytest.mark.parametrize("brands", ["none", "styles"])
def test_lint_finds_nothing_in_design_files(subject, android_lint, tmp_path, brands, counted):
    options = typed_options("android", {"brands": brands, "lint_ignore": IGNORED})
    folder = subject.write("android", tmp_path, options)
    compared = sum(map(len, read(folder).values()))
    counted("android", "resources without a finding", subject.name, compared, android_lint(folder))


def test_lint_names_each_unused_token_unless_the_option_ignores_it(android_lint, tmp_path):
    folder = subject_of("quickstart").write("android", tmp_path)
    unused = {finding.split(": ")[1] for finding in android_lint(folder)}
    assert unused == {"UnusedResources"}


@pytest.mark.parametrize(("prefix", "are_wrong"), [("acme_", False), ("other_", True)])
def test_names_begin_with_the_prefix_of_a_library(android_names, tmp_path, prefix, are_wrong):
    """As the page of the target says."""
    token_graph, request = CASES["android/material-brands"]
    output, options = configured(blocks("android", "toml")[-1], "android")
    library = replace(request, naming=output.naming, options=replace(options, brands="styles"))
    for path, content in generate(token_graph, library)[0]:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    findings = android_names(tmp_path, prefix)
    files = {finding.partition(":")[0] for finding in findings}
    written_files = {f"{path.parent.name}/{path.name}" for path in tmp_path.rglob("*.xml")}
    assert files == (written_files if are_wrong else set()), findings


@pytest.mark.parametrize("name", NAMES)
def test_the_merger_of_gradles_plugin_keeps_each_resource(aapt2, merged_resources, tmp_path, name):
    folders = case_in(tmp_path / "case", name)
    app = app_of(tmp_path / "app", folders[0])
    for brand in folders[1:] or folders:
        sets = [*dict.fromkeys((folders[0], brand))]
        assert aapt2(app, merged_resources(*sets)) == aapt2(app, *sets)


def test_the_merger_of_gradles_plugin_keeps_the_resources_of_design_files(
    subject, aapt2, merged_resources, tmp_path, counted
):
    folder = subject.write("android", tmp_path, typed_options("android", {"brands": "styles"}))
    merged, linked = aapt2(merged_resources(folder)), aapt2(folder)
    differences = [name for name in merged.keys() | linked.keys() if merged.get(name) != linked.get(name)]
    counted("android", "resources after a merge", subject.name, len(linked), differences)


def app_of(folder, resources):
    """What some golden cases need of an app: files of fonts, and Material's attributes and theme."""
    (folder / "values").mkdir(parents=True)
    (folder / "font").mkdir()
    for path in resources.glob("values/text_appearances.xml"):
        for name in re.findall("@font/(\\w+)", path.read_text(encoding="utf-8")):
            (folder / "font" / f"{name}.ttf").write_bytes(b"font")
    declared = f'<resources>{DECLARED}<attr name="lineHeight" format="dimension"/></resources>'
    (folder / "values" / "declared.xml").write_text(declared, encoding="utf-8")
    return folder
