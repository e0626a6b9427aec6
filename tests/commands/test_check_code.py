"""``check`` of code in a real git repository: whole files, new lines, accepted findings, comments, forms and errors."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from commands.projects import tokensync
from commands.repositories import git, install, repository_in

from tokensync.system import stat_manifest

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not there"),
    pytest.mark.skipif(sys.platform == "win32", reason="the hooks are scripts of a POSIX shell"),
]

CONFIG = Path("tokensync.toml")
APP = Path("src/app.css")
OLD = ".a { color: #fa0; }\n"
MISSPELT = ".b { color: var(--text-primry); }\n"


@pytest.fixture
def repository(tmp_path, monkeypatch):
    for name in [each for each in os.environ if each.startswith(("GIT_", "TOKENSYNC_", "PRE_COMMIT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    folder = repository_in(tmp_path / "harbor")
    CONFIG.write_text(CONFIG.read_text("utf-8") + '\n[code]\npaths = ["src"]\n', encoding="utf-8")
    write(OLD)
    git("add", "-A")
    git("commit", "-q", "-m", "An old code base")
    return folder


def write(text, path=APP):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def found(*arguments, code=0):
    """Return the code, path, line, column and written text of each finding about code."""
    problems = json.loads(tokensync("--json", "check", *arguments, code=code).output)["problems"]
    of_code = [each for each in problems if each["code"].startswith("code-") and "syntax" not in each["code"]]
    return [
        (each["code"], os.path.relpath(each["where"]), *each["names"])
        for each in of_code
        if not each.get("is_accepted")
    ]


def level(code, value):
    CONFIG.write_text(CONFIG.read_text("utf-8") + f'\n[problems]\n{code} = "{value}"\n', encoding="utf-8")


def test_check_includes_the_code_of_the_configuration(repository):
    write(OLD + MISSPELT)
    done = tokensync("check", code=5)
    assert "src/app.css:2:17: no token has this name (--text-primry); write --text-primary" in done.stderr
    assert "105 tokens, 63 output files and 1 file of code" in done.stderr


def test_paths_of_the_option_replace_those_of_the_configuration(repository):
    write(MISSPELT, Path("other.css"))
    assert found("--code", "other.css", code=5) == [("code-unknown-token", "other.css:1:17", "--text-primry")]


def test_a_path_that_does_not_exist_or_leads_out_is_named(repository):
    assert "--code gone: no such file or folder" in tokensync("check", "--code", "gone", code=2).stderr
    CONFIG.write_text(CONFIG.read_text("utf-8").replace('["src"]', '["../.."]'), encoding="utf-8")
    assert "[code] paths: ../.. is not in the git work tree" in tokensync("check", code=2).stderr


def test_the_hook_judges_only_new_lines(repository):
    level("code-raw-value", "error")
    git("commit", "-qam", "Raw values are errors")
    install()
    write(OLD + ".b { color: inherit; }\n")
    git("commit", "-qam", "A line without findings")
    write(OLD + MISSPELT)
    done = git("commit", "-qam", "A misspelt name", ok=False)
    assert done.returncode and "src/app.css:2:17" in done.stderr and "#fa0" not in done.stderr
    write(MISSPELT.replace("primry", "primary") + OLD)
    git("commit", "-qam", "The old line has moved")


def test_the_hook_judges_the_index_and_not_the_work_tree(repository):
    write(OLD + MISSPELT)
    git("add", "src")
    write(OLD)
    assert found("--staged", code=5) == [("code-unknown-token", "src/app.css:2:17", "--text-primry")]
    git("add", "src")
    write(OLD + MISSPELT)
    assert found("--staged") == []


def test_a_renamed_file_has_no_new_lines(repository):
    Path("src/app.css").rename("src/renamed.css")
    git("add", "-A")
    assert found("--staged") == []


def test_a_new_file_is_judged_whole_and_so_is_one_before_the_first_commit(repository):
    write(MISSPELT, Path("src/new.css"))
    git("add", "-A")
    git("update-ref", "-d", "HEAD")
    names = [each[0] for each in found("--staged", code=5)]
    assert sorted(names) == ["code-raw-value", "code-unknown-token"]


def test_a_name_that_unchanged_code_declares_is_known_to_the_hook(repository):
    write(":root { --text-primry: red; }\n", Path("src/other.css"))
    git("add", "-A")
    git("commit", "-qm", "A property of our own")
    write(OLD + MISSPELT)
    git("add", "-A")
    assert found("--staged") == []


def test_changed_judges_the_lines_since_the_branch_began(repository):
    git("checkout", "-qb", "feature")
    write(OLD + MISSPELT)
    git("commit", "-qam", "A misspelt name")
    write("@import 'x';\n" + MISSPELT, Path("src/untracked.css"))
    git("checkout", "-q", "main", "--", ".")
    write(OLD + MISSPELT)
    wanted = [
        ("code-unknown-token", "src/app.css:2:17", "--text-primry"),
        ("code-unknown-token", "src/untracked.css:2:17", "--text-primry"),
    ]
    assert found("--changed", "main", code=5) == wanted
    assert "--changed nothing: " in tokensync("check", "--changed", "nothing", code=2).stderr


def test_an_old_code_base_adopts_the_check_today(repository):
    level("code-raw-value", "error")
    write(OLD + MISSPELT)
    tokensync("check", code=5)
    tokensync("check", "--accept", "Before 2027.")
    assert found() == []
    write(f"/* new */\n\n{MISSPELT}{OLD}.c {{ color: #0af; }}\n")
    assert found(code=5) == [("code-raw-value", "src/app.css:5:13", "#0af")]


def test_accepted_findings_beside_the_project_do_not_name_this_machine(repository):
    os.makedirs("packages")
    for name in ("tokensync.toml", "tokens", "code", "tokensync.lock", "tokensync.outputs.json"):
        shutil.move(name, f"packages/{name}")
    text = Path("packages/tokensync.toml").read_text("utf-8")
    Path("packages/tokensync.toml").write_text(text.replace('["src"]', '["../src"]'), encoding="utf-8")
    tokensync("check", "-c", "packages", "--accept", "Known.")
    assert 'subject = "../src/app.css / #fa0"' in Path("packages/tokensync.accepted.toml").read_text("utf-8")
    assert found("-c", "packages") == []


def test_comments_switch_findings_off_in_each_language(repository):
    write(
        "/* tokensync-disable-next-line: brand */\n.a { color: #fa0; }\n"
        ".b { color: #fa0; } /* tokensync-disable-line: brand */\n"
    )
    write("// tokensync-disable-next-line a name of ours\nval c = R.color.text_primry\n", Path("src/a.kt"))
    write(
        "<!-- tokensync-disable-file an example -->\n<style>a { color: var(--text-primry) }</style>\n",
        Path("src/a.html"),
    )
    write("<x>\n  <!-- tokensync-disable-next-line ours -->\n  <y a='@color/text_primry'/>\n</x>\n", Path("src/a.xml"))
    assert found() == []
    write('val a = "tokensync-disable-file it is a string"\nval c = R.color.text_primry\n', Path("src/a.kt"))
    assert [each[:2] for each in found(code=5)] == [("code-unknown-token", "src/a.kt:2:17")]


def test_a_comment_that_hides_nothing_or_has_no_reason_is_a_note(repository):
    write(".a { color: inherit } /* tokensync-disable-line: brand */\n/* tokensync-disable-next-line */\n" + OLD)
    assert found() == [("code-directive-unused", "src/app.css:1:26"), ("code-directive-unused", "src/app.css:2:4")]


def test_sarif_and_annotations_have_lines_and_columns_and_a_fingerprint_that_new_lines_keep(repository):
    def results():
        run = json.loads(tokensync("check", "--format", "sarif", code=5).output)["runs"][0]
        return [each for each in run["results"] if each["ruleId"].startswith("code-unknown")]

    write(MISSPELT)
    (before,) = results()
    region = before["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": 17}
    write(f"\n\n{MISSPELT}")
    (after,) = results()
    assert after["partialFingerprints"] == before["partialFingerprints"]
    text = tokensync("check", "--format", "github", code=5).output
    assert "::error file=src/app.css,line=3,col=17,title=code-unknown-token::" in text


def test_the_outputs_and_token_files_are_no_code(repository):
    assert found("--code", ".") == [("code-raw-value", "src/app.css:1:13", "#fa0")]


def test_options_that_exclude_each_other_are_named(repository):
    assert "--staged" in tokensync("check", "--staged", "--fix", code=2).stderr
    assert "--accept" in tokensync("check", "--accept", "x", "--fix", code=2).stderr
    CONFIG.write_text(CONFIG.read_text("utf-8").partition("[code]")[0], encoding="utf-8")
    assert "no code is named" in tokensync("check", "--fix", code=2).stderr


def test_the_next_check_of_a_commit_reads_no_token_file_unless_a_new_line_has_a_finding(repository, monkeypatch):
    monkeypatch.setattr(stat_manifest, "_MARGIN", 0)  # tokensync itself may have been installed just now
    write(OLD + ".b { color: var(--text-primary); }\n")
    git("add", "-A")
    before = tokensync("check", "--staged").stderr
    with monkeypatch.context() as patch:
        patch.setattr("tokensync.commands.check.check_staged", None)
        assert tokensync("check", "--staged").stderr == before
        write(".c { color: var(--text-link, inherit); }\n", Path("src/more.css"))
        git("add", "-A")
        assert tokensync("check", "--staged").stderr == before.replace("1 file of", "2 files of")
    for line, code in ((MISSPELT, 5), (OLD, 0)):
        write(line, Path("src/more.css"))
        git("add", "-A")
        assert len(found("--staged", code=code)) == 1
        assert "src/more.css:1:" in tokensync("check", "--staged", code=code).stderr


def test_a_deprecated_token_in_a_new_line_is_found_after_a_check_without_findings(repository):
    path = next(Path("tokens").rglob("theme/*light.tokens.json"))
    document = json.loads(path.read_text("utf-8"))
    document["theme"]["text"]["muted"]["$deprecated"] = True
    path.write_text(json.dumps(document), encoding="utf-8")
    tokensync("-q", "format")
    tokensync("-q", "build")
    git("add", "-A")
    tokensync("check", "--staged")
    write(OLD + ".b { color: var(--text-muted); }\n")
    git("add", "-A")
    assert "this token is deprecated (--text-muted)" in tokensync("check", "--staged").stderr


def test_paths_with_special_characters_and_links_are_no_problem(repository):
    write(MISSPELT, Path('src/a "b" ä.css'))
    os.symlink("app.css", "src/link.css")
    git("add", "-A")
    assert [each[0] for each in found("--staged", code=5)] == ["code-unknown-token"]


def test_a_file_that_is_too_large_is_a_note(repository):
    write("a{}" * (2 << 20), Path("src/large.css"))
    assert "src/large.css: larger than 4 MiB; the check omits it [code-file-unread]" in tokensync("check", "-v").stderr


def test_settings_of_git_and_odd_names_change_nothing_about_new_lines(repository):
    for setting in ("diff.noprefix=true", "diff.submodule=log", "color.diff=always", "diff.external=false"):
        git("config", *setting.split("="))
    for name in ("a\ndiff --git a b.css", "\t.css", "\\.css"):
        write(MISSPELT, Path("src", name))
    git("init", "-q", "src/module")
    git("-C", "src/module", "commit", "-q", "--allow-empty", "-m", "Start")
    git("add", "-A")
    assert [each[0] for each in found("--staged", code=5)] == ["code-unknown-token"] * 3
    assert [each[0] for each in found("--changed", "HEAD", code=5)] == ["code-unknown-token"] * 3
