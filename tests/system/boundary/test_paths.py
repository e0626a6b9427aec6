"""Paths named in files of a checkout: every system accepts the same paths, all inside the permitted folders."""

import ntpath
import os
import posixpath
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokensync.project.outputs import Entry, Output, is_credible
from tokensync.system.boundary import Boundary, flaw_of, flaw_of_link, work_tree

posix = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")

REFUSED = [
    "",
    ".",
    "..",
    "../x",
    "a/../../x",
    "a/..",
    "a//b",
    "a/",
    "a/./b",
    "/x",
    "//srv/share/x",
    "\\x",
    "..\\..\\x",
    "a\\..\\..\\x",
    "\\\\srv\\share\\x",
    "C:x",
    "C:/x",
    "C:\\x",
    "x:ads",
    "NUL",
    "nul.css",
    "con.css",
    "a/COM1/b",
    "com¹",
    "LPT9.txt",
    "CONOUT$",
    "x.",
    "x ",
    " x",
    "a./b",
    "a\0b",
    "a\nb",
    "a\x7fb",
    "what?",
    "a*b",
    'a"b',
    "a|b",
    "a<b",
    "~/x",
    "~root/x",
    "\ud800",
    ".git",
    ".git/hooks",
    "web/.git",
    ".GIT",
    ".Git",
    "git~1",
    "GIT~2/config",
    "GI1A2B~1/config",
    "GITHUB~1/workflows/x.yml",
    "gi02be~3/workflows/x.yml",
    "TOKENS~1/plan.json",
    "~x",
    "c:\\x",
    ".g\u200cit",
    "\uff0egit",
    ".github/workflows/x.yml",
    ".tokensync/plan.json",
]
TAKEN = [
    "x",
    "a/b.css",
    "..a",
    "a..b",
    ".a",
    "web/sub folder/x.css",
    "Grün/日本.css",
    ".gitignore",
    ".githubx",
    "console",
    "github~x",
    "a~1",
]


def misled(boundary, root, paths):
    """Return the paths that are refused."""
    return [path for path, location in boundary.locate(str(root), paths).items() if location.flaw]


@pytest.mark.parametrize("path", REFUSED)
def test_a_path_that_leads_elsewhere_or_is_none_on_some_system_is_refused(path):
    assert flaw_of(path)


@pytest.mark.parametrize("path", TAKEN)
def test_an_ordinary_path_is_taken(path):
    assert flaw_of(path) is None


@pytest.mark.parametrize("path", ["../x", "../../a/b"])
def test_only_where_it_is_allowed_a_path_begins_with_steps_upwards(path):
    assert flaw_of(path, climbs=True) is None
    assert flaw_of(path)
    assert flaw_of(f"a/{path}", climbs=True)


@pytest.mark.parametrize("path", [*REFUSED, *TAKEN])
def test_windows_gives_the_same_outcome_quickly(path, monkeypatch):
    """Replace this system's path functions with those of Windows."""

    def outcome():
        root = os.path.abspath(os.path.join(os.sep, "work", "project"))
        boundary = Boundary(os.path.dirname(root), "the git work tree")
        return flaw_of(path), is_credible(Entry(path, "css"), root, [Output("css", "web", "x")], boundary)

    here = outcome()
    with monkeypatch.context() as patch:
        patch.setattr(os, "path", ntpath)
        patch.setattr(os, "sep", "\\")
        patch.setattr(os, "altsep", "/")
        began = time.process_time()
        there = outcome()
        seconds = time.process_time() - began
    assert there == here
    assert here[1] == (flaw_of(path, climbs=True) is None and not path.startswith("../../"))
    assert seconds < 1


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("C:/x", "relative"),
        ("C:\\x", "relative"),
        ("\\\\srv\\share", "relative"),
        ("/x", "relative"),
        ("~/x", "relative"),
        ("a\\b", "write a/b"),
    ],
)
def test_the_advice_is_what_would_be_taken(path, place):
    assert place in flaw_of(path).what_to_do


@given(st.text(st.sampled_from("ab.~:\\/ *?$1\0"), max_size=12))
def test_what_is_taken_stays_below_its_folder_on_every_system(path):
    """Judged by the functions with which each system joins and resolves paths."""
    if flaw_of(path) is None:
        for system, root in ((ntpath, "C:\\root"), (posixpath, "/root")):
            joined = system.normpath(system.join(root, path))
            assert joined.startswith(system.join(root, "")), joined
            assert len(joined) == len(system.join(root, path)), "nothing of it is dropped"


@pytest.mark.parametrize(
    ("path", "advice"),
    [
        ("a\\b.css", "write a/b.css"),
        ("web.", "write web"),
        ("src /x", "write src"),
    ],
)
def test_the_advice_is_made_of_the_path_itself(path, advice):
    assert flaw_of(path).what_to_do == advice


@pytest.fixture
def tree(tmp_path):
    """Return a git work tree that contains a project, beside a folder that the project may not use."""
    (tmp_path / "tree" / ".git").mkdir(parents=True)
    (tmp_path / "tree" / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (tmp_path / "tree" / "project" / "tokens").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    return tmp_path / "tree"


@pytest.fixture
def boundary(tree):
    return Boundary(str(tree), "the git work tree", (str(tree / "project" / "tokens"),))


@pytest.mark.parametrize("fake", ["an empty folder", "a text", "a link to nothing"])
def test_a_folder_that_git_takes_for_none_of_its_own_makes_no_work_tree(tmp_path, fake):
    git = tmp_path / ".git"
    if fake == "a text":
        git.write_text("not git's", encoding="utf-8")
    else:
        git.mkdir() if fake == "an empty folder" else git.symlink_to("nowhere")
    assert work_tree(str(tmp_path / "project")) != str(tmp_path)


def test_a_path_as_deep_as_no_system_takes_is_refused_or_judged_all_the_same(boundary, tree):
    deep = "x/" * 3000 + "y"
    assert flaw_of(deep)
    assert misled(boundary, tree, [deep]) == []


def test_a_token_file_is_no_place_for_an_output(tree):
    boundary = Boundary(str(tree), "the git work tree", (str(tree / "core"), str(tree / "core.resolver.json")))
    paths = ["core.resolver.json", "Core.Resolver.json", "core/x.json", "core.json"]
    assert misled(boundary, tree, paths) == paths[:3]


def test_steps_upwards_lead_out_of_bounds_too(tree, boundary):
    assert misled(boundary, tree, ["../outside/x", "x"]) == ["../outside/x"]


def test_the_work_tree_is_the_nearest_folder_with_git_s_own(tree):
    assert work_tree(str(tree / "project" / "not" / "yet")) == str(tree)
    (tree / "project" / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    assert work_tree(str(tree / "project" / "tokens")) == str(tree / "project")


@pytest.mark.parametrize(
    "path", ["../outside", "../treetop", "..", ".git", ".github/x", "project/tokens", "project/tokens/a"]
)
def test_what_is_out_of_bounds_is_refused(tree, boundary, path):
    assert boundary.flaw(str(tree / path))


@pytest.mark.parametrize("path", ["web", "project", "project/tokens2", ""])
def test_what_is_in_bounds_is_taken(tree, boundary, path):
    assert boundary.flaw(str(tree / path)) is None


BELOW_NEW = [
    ".git/config",
    "git~1/config",
    "GIT~1",
    "../.git/config",
    "a/../../.git/hooks/pre-commit",
    ".gi\u200ct/x",
]


@pytest.mark.parametrize("below", BELOW_NEW)
def test_a_path_in_a_new_folder_is_judged_however_many_are_taken_before_it(tree, boundary, below):
    paths = ["new/first", "new/second", "new/deep/third", f"new/{below}"]
    located = boundary.locate(str(tree), paths)
    assert [path for path in paths if located[path].flaw] == paths[-1:]
    assert {located[path].content for path in paths[:-1]} == {str(tree / path) for path in paths[:-1]}
    assert not any(location.exists for location in located.values())


def test_the_users_word_opens_what_is_outside_and_nothing_else(tree, boundary):
    opened = boundary._replace(is_open=True)
    assert opened.flaw(str(tree / "../outside")) is None
    for path in (".git", "../outside/.git/hooks", ".github", "project/tokens"):
        assert opened.flaw(str(tree / path))


@posix
class TestLinks:
    def misled(self, boundary, tree, *paths):
        return misled(boundary, tree, paths)

    def test_a_file_below_a_link_that_leads_out_is_refused(self, tree, boundary):
        (tree / "web").symlink_to("../outside")
        assert self.misled(boundary, tree, "web/a.css", "web/sub/b.css", "c.css") == ["web/a.css", "web/sub/b.css"]

    def test_a_link_further_down_counts_too(self, tree, boundary):
        (tree / "web").mkdir()
        (tree / "web" / "sub").symlink_to(tree.parent / "outside")
        assert self.misled(boundary, tree, "web/a.css", "web/sub/b.css", "web/sub/c/d.css") == [
            "web/sub/b.css",
            "web/sub/c/d.css",
        ]

    @pytest.mark.parametrize("target", ["../outside/x", "/etc/passwd", ".git/config", "project/tokens/x", "/dev/zero"])
    def test_a_file_that_is_a_link_to_what_is_out_of_bounds_is_refused(self, tree, boundary, target):
        (tree / "a.css").symlink_to(target)
        assert self.misled(boundary, tree, "a.css") == ["a.css"]

    def test_a_link_that_stays_inside_is_followed(self, tree, boundary):
        (tree / "code").mkdir()
        (tree / "web").symlink_to("code")
        (tree / "a.css").symlink_to("code/a.css")
        assert self.misled(boundary, tree, "web/a.css", "a.css") == []

    def test_a_link_to_itself_is_refused_or_stays_inside_and_ends(self, tree, boundary):
        (tree / "web").symlink_to("web")
        self.misled(boundary, tree, "web/a.css")

    def test_a_pipe_is_no_file(self, tree, boundary):
        os.mkfifo(tree / "a.css")
        assert self.misled(boundary, tree, "a.css") == ["a.css"]

    def test_a_place_that_the_user_named_is_judged_by_where_links_of_the_work_tree_lead(self, tree):
        tokens = (str(tree / "project" / "tokens"),)
        for name, target in {"out": "../outside", "git": ".git", "in": "project/tokens", "fine": "project"}.items():
            (tree / name).symlink_to(target)
        for path in ("out", "out/deeper", "git", "git/hooks", "in"):
            assert flaw_of_link(str(tree / path), tokens), path
        for path in ("fine", "fine/web", "project", "project/tokens", ".git", "../outside", "new/folder"):
            assert flaw_of_link(str(tree / path), tokens) is None, path
        assert flaw_of_link(str(tree / "out"), tokens, allow_outside=True) is None
        assert flaw_of_link(str(tree / "git"), tokens, allow_outside=True)

    def test_a_link_into_another_work_tree_leads_out_however_deep_the_path_goes(self, tree):
        other = tree.parent / "outside"
        (other / ".git").mkdir()
        (other / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        (tree / "link").symlink_to("../outside")
        for path in ("link", "link/web", "link/deeper/web", "project/../link/web"):
            assert flaw_of_link(str(tree / path)), path

    def test_steps_upwards_behind_a_link_go_where_the_system_goes(self, tree, monkeypatch):
        (tree / ".git" / "hooks").mkdir()
        (tree / "scripts").symlink_to(".git/hooks")
        (tree / "deep").symlink_to("../outside")
        (tree / "fine").symlink_to("project/tokens")
        monkeypatch.chdir(tree)
        for path in ("scripts/../web", "deep/../r.html", f"{tree}/project/../scripts/../web"):
            assert flaw_of_link(path), path
        for path in ("fine/../web", "project/../web", "../outside/x"):
            assert flaw_of_link(path) is None, path

    def test_a_link_above_the_work_tree_is_not_the_checkouts(self, tree):
        (tree.parent / "home").symlink_to(".")
        assert flaw_of_link(str(tree.parent / "home" / "tree" / "web")) is None
