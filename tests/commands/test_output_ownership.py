"""Which files a build may replace and remove, if the manifest and links may come from an attacker."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import test_hostile_checkout as hostile
from commands.projects import files_in, output, pulled_in, tokensync
from commands.test_hostile_checkout import MANIFEST, configure, unchanged
from corpus.building import ROOT, run_here

from tokensync.system import disk

checkout = hostile.checkout
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="change times prove nothing there")


class TestOwnership:
    """A manifest can list any file of the checkout with its true digest."""

    @pytest.fixture
    def person(self, checkout):
        Path("src").mkdir()
        Path("src/main.py").write_text("print('mine')\n", encoding="utf-8")
        Path("mine").mkdir()
        Path("mine/x.j2").write_text("no mark", encoding="utf-8")
        return Path("src/main.py")

    def listed(self, path, platform, content=None):
        from tokensync.project.outputs import digest_of_files

        content = Path(path).read_bytes() if content is None else content
        entry = {"path": path, "platform": platform, "output": digest_of_files([(path, content)])}
        Path(MANIFEST).write_text(json.dumps({"outputs": [entry]}), encoding="utf-8")

    @pytest.mark.parametrize("platform", ["css", "json", "template"])
    @pytest.mark.parametrize("force", [(), ("--force",)])
    def test_a_persons_file_in_the_folder_of_an_output_is_not_removed(self, person, platform, force):
        more = ('templates = "mine"', 'options = { files = [{ template = "x.j2", path = "x.txt" }] }')
        configure(output(platform, "src", *(more if platform == "template" else ())))
        self.listed("src/main.py", platform)
        assert "[output-left]" in tokensync("build", *force).stderr
        assert person.read_text("utf-8") == "print('mine')\n"
        assert "output-left" not in tokensync("build", "--verbose").stderr

    def test_a_listed_file_with_another_content_is_not_replaced(self, person, checkout):
        """As an ignored file is, whose content the author of the manifest does not know."""
        configure(output("template", "src", 'templates = "mine"', FILES.format("main.py")))
        self.listed("src/main.py", "template", b"a guess")
        assert "it was changed after tokensync wrote it" in unchanged(checkout, "build")
        tokensync("-q", "build", "--force")
        assert person.read_text("utf-8") == "no mark"

    def test_a_file_without_a_mark_that_this_user_built_is_removed_when_its_output_moves(self, person, monkeypatch):
        monkeypatch.setattr(
            "tokensync.system.stat_manifest._MARGIN", 0
        )  # tokensync itself may have been installed just now
        for folder in ("a", "b"):
            configure(output("template", folder, 'templates = "mine"', FILES.format("x.txt")))
            time.sleep(0.02)  # a configuration of this very tick of the file system's clock proves nothing
            assert "output-left" not in tokensync("build").stderr
            assert Path(folder, "x.txt").read_text("utf-8") == "no mark"
        assert not Path("a").exists()

    def test_but_not_after_an_edit_or_in_a_clone(self, person):
        configure(output("template", "a", 'templates = "mine"', FILES.format("x.txt")))
        tokensync("-q", "build")
        edited = Path("a/x.txt")
        edited.write_text("edited", encoding="utf-8")
        configure(output("template", "b", 'templates = "mine"', FILES.format("x.txt")))
        assert "[output-left]" in tokensync("build").stderr
        assert edited.read_text("utf-8") == "edited"
        shutil.copytree(".", "../clone", ignore=shutil.ignore_patterns(".tokensync"))
        os.chdir("../clone")
        configure(output("template", "c", 'templates = "mine"', FILES.format("x.txt")))
        assert "[output-left]" in tokensync("build").stderr
        assert Path("b/x.txt").exists()

    def test_a_build_of_some_outputs_does_not_adopt_the_other_entries(self, person):
        tables = output("css", "web") + output("template", "src", 'templates = "mine"', FILES.format("x.txt"))
        configure(tables)
        self.listed("src/main.py", "template")
        tokensync("-q", "build", "--platform", "css")
        assert "[output-left]" in tokensync("build").stderr
        assert person.exists()

    @pytest.mark.parametrize("at", [1, 2])
    def test_a_file_without_a_mark_is_still_ours_after_a_build_that_was_cut_short(self, person, monkeypatch, at):
        from tokensync.project import outputs

        configure(output("template", "a", 'templates = "mine"', FILES.format("x.txt")))
        tokensync("-q", "build")
        replace, done = outputs.replace_file, []

        def cut(path, *more, **named):
            done.append(path)
            if len(done) > at:
                raise KeyboardInterrupt
            replace(path, *more, **named)

        Path("mine/x.j2").write_text("second", encoding="utf-8")
        with monkeypatch.context() as patch:
            patch.setattr(outputs, "replace_file", cut)
            run_here("build")
        assert len(done) == at + 1
        Path("mine/x.j2").write_text("third" if at == 1 else "second", encoding="utf-8")
        tokensync("-q", "build")
        assert Path("a/x.txt").read_text("utf-8") == ("third" if at == 1 else "second")

    def test_in_a_git_conflict_the_digest_of_each_side_counts(self, person):
        configure(output("template", "a", 'templates = "mine"', FILES.format("x.txt")))
        tokensync("-q", "build")
        ours = Path(MANIFEST).read_text("utf-8")
        digest = json.loads(ours)["outputs"][0]["output"]
        theirs = ours.replace(digest, "0" * 64)
        Path(MANIFEST).write_text(f"<<<<<<< a\n{theirs}=======\n{ours}>>>>>>> b\n", encoding="utf-8")
        Path("mine/x.j2").write_text("second", encoding="utf-8")
        tokensync("-q", "build")
        assert Path("a/x.txt").read_text("utf-8") == "second"


FILES = 'options = {{ files = [{{ template = "x.j2", path = "{}" }}] }}'


KILLED = """
import os, signal, sys
from tokensync.__main__ import main
left, write = int(sys.argv.pop(1)), os.write
def cut(descriptor, content):
    global left
    left -= 1
    if not left:
        write(descriptor, bytes(content[: len(content) // 2]))
        os.kill(os.getpid(), signal.SIGKILL)
    return write(descriptor, content)
os.write = cut
main()
"""


class TestKills:
    @pytest.fixture
    def project(self, folder):
        return pulled_in(folder, outputs=output("json", "data") + output("css", "web") + output("ios", "apple"))

    def killed(self, number, *arguments):
        command = [sys.executable, "-c", KILLED, str(number), *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        assert subprocess.run(command, check=False, env=environment).returncode == -signal.SIGKILL

    @pytest.mark.parametrize("number", range(1, 7))
    def test_a_build_that_is_killed_leaves_whole_files_and_the_next_one_removes_the_rest(
        self, project, number, monkeypatch
    ):
        self.killed(number, "build")
        written = {path: content for path, content in files_in(project).items() if ".tokensync-" not in path}
        monkeypatch.setattr(disk, "_ABANDONED", 0)  # a file of this moment may be that of another run
        tokensync("-q", "build")
        assert written.items() <= files_in(project).items()
        assert not [*Path().rglob(".tokensync-*")]
        tokensync("build", "--check")

    def test_a_report_that_is_killed_leaves_no_part_of_the_page(self, project):
        self.killed(1, "report")
        assert not Path("tokensync-report.html").exists()
        tokensync("-q", "report")

    @pytest.mark.parametrize("path", ["data/tokens.json", "web/tokens.css", "apple/Tokens.xcassets/Contents.json"])
    @pytest.mark.parametrize("left", [0, 1, 0.5])
    def test_a_torn_file_that_is_listed_is_written_anew(self, project, path, left):
        tokensync("-q", "build")
        content = Path(path).read_bytes()
        Path(path).write_bytes(content[: int(len(content) * left)] if left != 1 else bytes(len(content)))
        tokensync("-q", "build")
        assert Path(path).read_bytes() == content

    def test_an_empty_file_that_is_not_listed_is_not_replaced(self, project):
        Path("data").mkdir()
        Path("data/tokens.json").touch()
        assert "tokensync did not write this file" in tokensync("build", code=1).stderr
