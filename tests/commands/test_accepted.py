"""Accepted findings: later runs only count them, and a new case of the same kind is shown."""

import datetime as dt
import json
import os
import re
import subprocess

import pytest
from commands.projects import COLORS, on_the_platform, output, project_in, quickstart_in, tokensync
from corpus.building import CORPUS, NO_CORPUS
from graphs import collection, color, graph, token
from hypothesis import given
from hypothesis import strategies as st

from tokensync.action.job import annotate_problems
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.project.accepted import ACCEPTED, accept, keys_of, read_accepted
from tokensync.project.configuration import Levels
from tokensync.system.errors import UsageError
from tokensync.system.problems import Problem, problem
from tokensync.tokens import DanglingAlias

TODAY = dt.date(2026, 11, 30)
OUTPUTS = "".join(output(platform, f"code/{platform}") for platform in ("css", "android", "ios"))
NOISE = re.compile(r"^(?:error|warning|note): |^\(", re.MULTILINE)


NAMES = ["primer-local", "sds-local.reconstructed", "moon-local"]
OF_CODE = """
code-syntax-missing identifier-collision modes-equal naming-mixed remote-inlined theme-unsupported
""".split()
"""The codes of findings in these files that a developer can end: by settings, names and templates."""


def finding(where="theme / text", names=(), code="mode-value-absent"):
    return problem(code, where, f"{len(names)} are wrong", "correct them", names)


def test_a_finding_with_another_name_is_shown_again(tmp_path):
    accept(str(tmp_path), [finding(names=("a", "b"))], "known", TODAY)
    levels = Levels({}, "", read_accepted(str(tmp_path)))
    found = levels.applied([finding(names=("b",)), finding(names=("a", "b", "c")), finding("theme / text / dark")])
    assert [each.is_accepted for each in found] == [True, False, False]
    assert levels.applied(found) == found


def test_a_contrast_that_is_accepted_hides_neither_another_background_nor_a_worse_one(folder, monkeypatch):
    monkeypatch.chdir(quickstart_in(folder / "harbor"))
    config = folder / "harbor" / "tokensync.toml"
    pair = '[[lint.contrast]]\nforeground = ["theme/accent"]\nbackground = ["theme/background/page"]\nminimum = 7\n'
    config.write_text(f'{config.read_text("utf-8")}\n[problems]\ncontrast-low = "warning"\n{pair}', encoding="utf-8")
    tokensync("build", "-q")
    tokensync("check", "--accept", "The brand wants it.")
    assert "contrast-low" not in tokensync("lint").stderr
    config.write_text(config.read_text("utf-8").replace("background/page", "background/*"), encoding="utf-8")
    assert tokensync("lint").stderr.count("[contrast-low]") == 2


def test_the_same_case_of_another_output_is_a_new_finding(folder):
    project_in(folder, outputs=output("android", "res"))
    on_the_platform(COLORS, modes=("Light", "Island"))
    tokensync("pull", "-q")
    tokensync("build")
    tokensync("check", "--accept", "There is one brand yet.")
    config, accepted = folder / "tokensync.toml", folder / ACCEPTED
    assert accepted.read_text("utf-8").count('output = "android/res"') == 1
    for path, outputs in {"res": ["android/res"], "library/res": ["android/res", "android/library/res"]}.items():
        if path != "res":
            config.write_text(f"{config.read_text('utf-8')}{output('android', path)}", encoding="utf-8")
        (found,) = json.loads(tokensync("build", "--json").output)["problems"]
        assert (found["outputs"], "is_accepted" in found) == (outputs, path == "res")


def test_a_finding_of_an_output_is_known_where_no_output_is(tmp_path):
    """Names are also judged without building an output."""
    of_output = finding()._replace(outputs=("css/web",))
    accept(str(tmp_path), [of_output], "known", TODAY)
    levels = Levels({}, "", read_accepted(str(tmp_path)))
    found = levels.applied([of_output, finding(), finding()._replace(outputs=("css/web", "scss/web"))])
    assert [each.is_accepted for each in found] == [True, True, False]
    accept(str(tmp_path), [finding()._replace(outputs=("scss/web",))], "known, too", TODAY)
    assert (tmp_path / ACCEPTED).read_text("utf-8").count("theme / text") == 2


WHITE, BLACK = color("#ffffff"), color("#000000")


def brands(*names):
    theme = collection("Theme", "Light", *names)
    return graph(theme, token(theme, "ink", BLACK, *[WHITE] * len(names)))


def absent(*names):
    theme = collection("Theme", "Light", "Dark")
    return graph(theme, *(token(theme, name, WHITE, DanglingAlias("VariableID:9:9")) for name in names))


@pytest.mark.parametrize(("graph_of", "code"), [(brands, "theme-unsupported"), (absent, "alias-dangling-omitted")])
@pytest.mark.parametrize("known", ["a", "abcdef"])
def test_a_further_mode_or_token_is_a_new_finding_however_few_there_are(tmp_path, graph_of, code, known):
    found = generate(graph_of(*known), OutputRequest(platform="android"))[1]
    accept(str(tmp_path), found, "known", TODAY)
    levels = Levels({}, "", read_accepted(str(tmp_path)))
    assert all(each.is_accepted for each in levels.applied(found))
    (further,) = levels.applied(generate(graph_of(*known, "new"), OutputRequest(platform="android"))[1])
    assert (further.code, further.is_accepted) == (code, False)


def test_paths_and_reasons_that_are_not_utf_8_are_read_back(tmp_path):
    found = finding(f"{tmp_path}/tokens/\udcff.json:1:1 (#)", code="token-file-unread")
    assert accept(str(tmp_path), [found], "d\udce9j\udce0 vu", TODAY) == 1
    rows = read_accepted(str(tmp_path))
    (row,) = rows.values()
    assert (row.subject, row.reason) == ("tokens/\\udcff.json (#)", "d\\udce9j\\udce0 vu")
    (known,) = Levels({}, f"{tmp_path}/", rows).applied([found])
    assert known.is_accepted


def test_an_edit_above_a_place_in_a_file_makes_no_new_finding():
    places = [f"/at/tokens/one.tokens.json:{line}:9 (#/theme/text)" for line in (3, 40)]
    subjects = {subject for place in places for _, subject, _ in keys_of(finding(place), "/at/")}
    assert subjects == {"tokens/one.tokens.json (#/theme/text)"}
    assert keys_of(finding("theme / a:1"), "") != keys_of(finding("theme / a:2"), "")


def test_errors_cannot_be_accepted(tmp_path):
    assert accept(str(tmp_path), [finding(code="token-type")], "known", TODAY) == 0
    assert not (tmp_path / ACCEPTED).exists()
    accept(str(tmp_path), [finding()], "known", TODAY)
    (error,) = Levels({"mode-value-absent": "error"}, "", read_accepted(str(tmp_path))).applied([finding()])
    assert (error.severity, error.is_accepted) == ("error", False)


@given(st.lists(st.tuples(st.text(min_size=1), st.lists(st.text(), max_size=3)), max_size=5), st.text())
def test_any_name_and_reason_is_read_back(tmp_path_factory, places, reason):
    folder = str(tmp_path_factory.mktemp("accepted"))
    found = [finding(where, names) for where, names in places]
    assert accept(folder, found, reason, TODAY) == len(dict.fromkeys(found))
    rows = read_accepted(folder)
    assert {row.subject for row in rows.values()} == {
        subject for each in found for _, subject, _ in keys_of(each, f"{folder}/")
    }
    assert {row.reason for row in rows.values()} <= {reason}
    assert all(each.is_accepted for each in Levels({}, f"{folder}/", rows).applied(found))


@pytest.mark.parametrize("content", ["accepted = 1", "[[accepted]]\ncode = 'x'", "other = 1", "x"])
def test_a_file_that_nobody_can_read_is_named(tmp_path, content):
    (tmp_path / ACCEPTED).write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=f"{ACCEPTED}: .*; correct it, or restore it from git"):
        read_accepted(str(tmp_path))


def test_a_conflict_of_git_is_named_and_the_mark_of_an_editor_is_no_error(tmp_path):
    accept(str(tmp_path), [finding()], "known", TODAY)
    whole = (tmp_path / ACCEPTED).read_bytes()
    (tmp_path / ACCEPTED).write_bytes(b"\xef\xbb\xbf" + whole)
    assert len(read_accepted(str(tmp_path))) == 1
    (tmp_path / ACCEPTED).write_bytes(whole + b"<<<<<<< ours\n=======\n>>>>>>> theirs\n")
    with pytest.raises(UsageError, match=f"{ACCEPTED}: the file has conflict marks of git; .*lines of both sides"):
        read_accepted(str(tmp_path))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("check --accept |", "the reason is empty"),
        ("check --staged --accept x", "remove --staged"),
        ("pull --dry-run --accept x", "remove one of the two"),
    ],
)
def test_a_reason_is_asked_for_and_needs_what_is_there(project, options, message):
    words = [" " if word == "|" else word for word in options.split()]
    assert message in tokensync(*words, code=2).stderr
    assert not (project / ACCEPTED).exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_real_design_file_is_quiet_until_something_is_new(folder, name):
    """A build, a commit and a night print what they have done, and a new finding still shows."""
    if not (response := CORPUS / f"{name}.json").exists():
        pytest.skip(NO_CORPUS)
    project_in(folder, outputs=OUTPUTS)
    subprocess.run(["git", "init", "-q"], check=True)
    tokensync("emulator", "seed", response, "--key", "key-one")
    tokensync("pull", "--accept", "The team knows.")
    tokensync("build", "-q")
    assert f"in {ACCEPTED}" in tokensync("check", "--accept", "The team knows.").stderr
    subprocess.run(["git", "add", "-A"], check=True)
    for command in ("build --force", "check --staged", "check --staged", "check"):
        shown = tokensync(*command.split()).stderr.splitlines()
        assert len(shown) == 1, shown
    assert " accepted" in tokensync("check").stderr
    assert NOISE.search(tokensync("pull").stderr) is None
    lines = (folder / ACCEPTED).read_text("utf-8").splitlines(keepends=True)
    (folder / ACCEPTED).write_text("".join(line for line in lines if "theme-unsupported" not in line), encoding="utf-8")
    assert "[theme-unsupported]" in tokensync("build", "--force").stderr
    subprocess.run(["git", "add", "-A"], check=True)
    assert re.search(r"\d+ notes?, \d+ accepted", tokensync("check", "--staged").stderr)


@pytest.mark.parametrize("name", NAMES)
def test_findings_about_a_real_design_file_are_shown_by_a_pull_and_counted_later(folder, name, capsys):
    if not (response := CORPUS / f"{name}.json").exists():
        pytest.skip(NO_CORPUS)
    levels = "".join(f'{code} = "ignore"\n' for code in OF_CODE)
    project_in(folder, outputs=OUTPUTS, more=f"[problems]\n{levels}")
    subprocess.run(["git", "init", "-q"], check=True)
    tokensync("emulator", "seed", response, "--key", "key-one")
    assert NOISE.search(tokensync("pull").stderr)
    counted = re.compile(r".+[;:,] \d+ findings? about the design file \(-v shows (?:it|them)\)\n")
    assert counted.fullmatch(tokensync("build").stderr)
    subprocess.run(["git", "add", "-A"], check=True)
    for command in ("build --force", "check --staged", "check --staged", "check"):
        shown = tokensync(*command.split()).stderr
        assert counted.fullmatch(shown), shown
    assert NOISE.search(tokensync("pull").stderr)
    assert NOISE.search(tokensync("build", "--force", "-v").stderr)
    assert NOISE.search(tokensync("build", "--snapshot", response, "-o", "aside").stderr)
    found = [each for command in ("pull", "build --force") for each in problems_of(*command.split(), "--json")]
    annotate_problems(found, str(folder))
    assert capsys.readouterr().out == ""


def problems_of(*command):
    documents = json.loads(tokensync(*command).output)["problems"]
    return [Problem(**{**each, "names": tuple(each["names"])}) for each in documents]


def test_a_value_that_a_developer_removes_is_no_finding_about_the_design_file(folder):
    quickstart_in(folder / "harbor")
    os.chdir(folder / "harbor")
    path = folder / "harbor" / "tokens" / "harbor" / "theme" / "dark.tokens.json"
    document = json.loads(path.read_text("utf-8"))
    del document["theme"]["background"]["page"]
    path.write_text(json.dumps(document), encoding="utf-8")
    shown = tokensync("check", code=3).stderr
    assert "[value-absent]" in shown
    assert "about the design file" not in shown
    built = tokensync("build").stderr
    assert "[value-absent]" in built
    assert "[mode-value-absent]" in built


def test_a_finding_about_the_design_file_that_is_an_error_stops_a_build(folder):
    project_in(folder, outputs=output("css", "web"))
    name = "tokens/one/theme/light.tokens.json"
    (folder / name).parent.mkdir(parents=True)
    extension = {"org.tokensync": {"value": {"dangling": "VariableID:9:9"}}}
    tokens = {"theme": {"ink": {"$type": "color", "$extensions": extension}}}
    (folder / name).write_text(json.dumps(tokens), encoding="utf-8")
    assert "; 1 finding about the design file (-v shows it)" in tokensync("build").stderr
    with open("tokensync.toml", "a", encoding="utf-8") as configuration:
        configuration.write('[problems]\nalias-dangling = "error"\n')
    assert "error: " in tokensync("build", code=1).stderr
    assert "[alias-dangling]" in tokensync("check", code=5).stderr
