"""Closed pipes, full disks, interrupts, terminals, and encodings without Unicode."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from cli.programs import environment, on_a_terminal, run, started
from commands.projects import DESIGN, output, project_in, quickstart_in, response
from corpus.building import run_here

from tokensync.system.outlet.terminal import cells

posix = pytest.mark.skipif(sys.platform == "win32", reason="asks for what only POSIX has")
full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")


@pytest.fixture
def saved(folder):
    path = folder / "local.json"
    path.write_bytes(response({f"color/{number}": ("#112233", "#445566") for number in range(2000)}))
    return path


@posix
class TestPipes:
    def test_a_reader_that_goes_away_is_no_fault(self, saved):
        for arguments in (["tokens", "list"], ["tokens", "list", "--json"]):
            with started(*arguments, "--snapshot", saved) as process:
                process.stdout.read(10)
                process.stdout.close()
                stderr = process.stderr.read()
                assert process.wait(60) in (0, 1)
            assert b"Traceback" not in stderr
            assert b"Exception ignored" not in stderr

    def test_a_closed_stderr_is_not_an_internal_error(self, folder):
        reading, writing = os.pipe()
        os.close(reading)
        assert run("build", "--nothing", stderr=writing).returncode == 1
        os.close(writing)

    @full
    @pytest.mark.parametrize(
        "arguments",
        [["--help"], ["--version"], ["api", "--list"], ["tokens", "list", "--json", "--snapshot", "local.json"]],
        ids=" ".join,
    )
    @pytest.mark.parametrize("more", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["buffered", "unbuffered"])
    def test_a_full_disk_behind_stdout_is_reported_with_exit_code_1(self, saved, arguments, more):
        with open("/dev/full", "wb") as nowhere:
            done = run(*arguments, stdout=nowhere, env=environment(**more))
        assert done.returncode == 1
        assert done.stderr.startswith(b"error: standard output: No space left on device;")
        assert done.stderr.count(b"\n") == 1

    @full
    def test_a_full_disk_behind_stderr_is_1(self, folder):
        with open("/dev/full", "wb") as nowhere:
            assert run("build", "--nothing", stderr=nowhere).returncode == 1

    def test_streams_that_are_closed_from_the_start_are_passed_over(self, folder):
        for redirection, code in (("2>&-", 2), (">&-", 2), (">&- 2>&-", 2)):
            command = f'"{sys.executable}" -m tokensync build --nothing {redirection}'
            assert subprocess.run(["sh", "-c", command], env=environment(), check=False).returncode == code

    @pytest.mark.parametrize(
        "arguments",
        [
            *(["check", "-v", f"--format={form}"] for form in ("json", "sarif", "github")),
            ["tokens", "list"],
            ["tokens", "list", "--json"],
            ["build", "--json"],
            ["--version"],
            ["--help"],
            ["completion", "bash"],
        ],
        ids=" ".join,
    )
    def test_an_answer_to_a_closed_stdout_is_1(self, folder, arguments):
        os.chdir(quickstart_in(folder / "project"))
        command = f'"{sys.executable}" -m tokensync {" ".join(arguments)} >&-'
        done = subprocess.run(["sh", "-c", command], env=environment(), stderr=subprocess.PIPE, check=False)
        assert done.returncode == 1
        assert done.stderr.endswith(b"standard output: it is closed; redirect it to a file, or to /dev/null\n")


class TestEncodings:
    def test_a_terminal_without_unicode_gets_escapes_and_json_stays_utf_8(self, folder):
        (folder / "a.json").write_bytes(response({"größe/日本": ("#112233", "#445566")}))
        western = environment(PYTHONUTF8="0", PYTHONIOENCODING="latin-1")
        done = run("tokens", "list", "--snapshot", "a.json", env=western)
        assert (done.returncode, "größe/\\u65e5\\u672c".encode("latin-1") in done.stdout) == (0, True)
        done = run("tokens", "list", "--snapshot", "a.json", "--json", env=western)
        assert json.loads(done.stdout.decode("utf-8"))[0]["path"] == "größe.日本"

    @pytest.mark.skipif(sys.platform != "linux", reason="file names are UTF-8 elsewhere")
    def test_a_locale_without_a_character_of_a_file_name_is_named_with_what_to_set(self, folder):
        project_in(folder, more='tokens = "größe"')
        bare = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"}
        done = run("build", env=environment(PYTHONUTF8="0", **bare))
        assert done.returncode == 1
        assert b"is not in ascii, the encoding of this locale; set PYTHONUTF8=1" in done.stderr
        assert b"internal error" not in run("build", env=environment(**bare)).stderr

    @posix
    def test_a_file_name_that_is_no_unicode_is_shown_in_escapes(self, folder):
        done = run("build", "--snapshot", "\udcff.json", "-o", "out")
        assert done.returncode == 2
        assert b"\\udcff.json" in done.stderr


@posix
class TestInterrupts:
    def test_ctrl_c_ends_a_command_with_130_and_no_traceback(self, folder):
        project_in(folder, more='tokens = "tokens"')
        os.mkfifo("slow.json")
        with started("build", "--snapshot", "slow.json", "-o", "out", start_new_session=True) as process:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=30)
        assert (process.returncode, stderr.strip()) == (130, b"error: interrupted")

    def test_ctrl_c_ends_a_watch_with_0(self, saved):
        with started("build", "--snapshot", saved, "-o", "out", "--watch", start_new_session=True) as process:
            line = b""
            while b"tokens" not in line:
                line = process.stderr.readline()
                assert line
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=30)
        assert (process.returncode, stderr) == (0, b"stopped\n")


@posix
class TestTerminal:
    def test_progress_is_shown_there_and_nowhere_else(self, folder, monkeypatch):
        quickstart_in(folder / "harbor")
        monkeypatch.chdir(folder / "harbor")
        run("emulator", "seed", *DESIGN)
        code, shown = on_a_terminal("pull")
        assert code == 0
        assert "reading harbor" in shown
        assert "nothing to do" in shown
        assert b"reading harbor" not in run("pull").stderr
        assert "reading harbor" not in on_a_terminal("-q", "pull")[1]

    def test_severities_are_in_colour_unless_it_is_disabled(self, folder):
        assert "\x1b[31m" in on_a_terminal("build")[1]
        for arguments, more in (
            (["--no-color", "build"], {}),
            (["build", "--no-color"], {}),
            (["build"], {"NO_COLOR": "1"}),
            (["build"], {"TERM": "dumb"}),
        ):
            assert "\x1b" not in on_a_terminal(*arguments, **more)[1]

    def test_a_problem_is_wrapped_there_and_one_line_in_a_pipe(self, folder):
        (folder / "a.json").write_bytes(
            response({f"{'x' * 40}{at}": ("{x}",) * 2 for at in range(9)} | {"x": ("",) * 2})
        )
        (folder / "a.json").write_bytes(
            (folder / "a.json").read_bytes().replace(b'"VariableID:1:19"', b'"VariableID:9:9"')
        )
        command = ("build", "--snapshot", "a.json", "-o", "out")
        wrapped = on_a_terminal(*command, "--no-color")[1].splitlines()
        assert [len(line) for line in wrapped if len(line) > 80] == []
        (whole,) = [line for line in run(*command).stderr.decode().splitlines() if line.startswith("warning: ")]
        assert len(whole) > 200
        start = next(at for at, line in enumerate(wrapped) if line.startswith("warning: "))
        assert " ".join(map(str.strip, wrapped[start:])).startswith(whole)

    def test_a_table_fits_and_shows_colours_where_the_terminal_can(self, folder):
        (folder / "a.json").write_bytes(
            response({"x" * 300: ("#112233", "#445566"), "日本" * 60: ("{%s}" % ("x" * 300),) * 2})
        )
        code, shown = on_a_terminal("tokens", "list", "--snapshot", "a.json", COLORTERM="truecolor", COLUMNS="80")
        assert code == 0
        assert "\x1b[48;2;17;34;51m  \x1b[0m  #112233" in shown
        lines = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in shown.splitlines()]
        assert all(cells(line) <= 80 for line in lines)
        assert "".join(lines).count("x") == 300
        assert "".join(lines).count("日本") == 60
        assert "\x1b[48" not in on_a_terminal("tokens", "list", "--snapshot", "a.json", "--no-color")[1]

    @pytest.mark.parametrize("width", [60, 80, 120])
    @pytest.mark.parametrize("names", [(), ("--names",)])
    def test_a_table_fits_and_has_every_name_whole(self, width, names):
        command = ("tokens", "list", *names, "--snapshot", str(DESIGN[0]))
        code, shown = on_a_terminal(*command, "-q", COLUMNS=str(width), NO_COLOR="1")
        assert code == 0
        lines = shown.splitlines()
        assert max(map(cells, lines)) <= width
        start = lines[0].index("TOKEN")
        end = lines[0].index(lines[0].split()[2])
        shown_names = "".join(line[start:end].strip() for line in lines)
        piped = run_here(*command).output.splitlines()
        assert all(line.split()[1] in shown_names for line in piped)
        assert max(map(cells, piped)) > 80

    def test_names_cannot_act_on_it(self, folder):
        hostile = {"\x1b]0;owned\x07\x1b[2J": ("#112233", "#445566"), "\u202egnp.exe": ("\x1b[31mred", "\x9b31m")}
        (folder / "a.json").write_bytes(response(hostile))
        project_in(folder, outputs=output("css", "web"))
        for arguments in (
            ["tokens", "list"],
            ["tokens", "show", "VariableID:1:10"],
            ["tokens", "why", "VariableID:1:11"],
            ["-v", "build", "-o", "out"],
        ):
            code, shown = on_a_terminal(*arguments, "--snapshot", "a.json", "--no-color")
            assert code == 0
            assert not re.search(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", shown)
