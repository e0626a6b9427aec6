"""A project whose names are of two scripts, and streams of any encoding for the commands in it."""

import contextlib
import io

import pytest
from commands.projects import on_the_platform, output, project_in, tokensync

from tokensync.cli.main import run

VARIABLES = {"größe/日本": ("#112233", "#445566"), "x→y": ("{größe/日本}", "#000000")}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Make a project whose names have characters of two scripts, with a change that is not planned yet."""
    folder = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        project_in(folder, outputs=output("css", "web"))
        on_the_platform(VARIABLES)
        tokensync("-q", "pull")
        file = next((folder / "tokens").rglob("dark.tokens.json"))
        content = file.read_text(encoding="utf-8")
        assert "0.2666" in content
        file.write_text(content.replace("0.2666", "0.5666"), encoding="utf-8")
        tokensync("-q", "build")
    return folder


@pytest.fixture
def project(prepared, monkeypatch):
    """Make the project the working folder; no command here changes more of it than its plan."""
    monkeypatch.chdir(prepared)


class Raw(io.BytesIO):
    """A stream that keeps its bytes when it is closed."""

    def close(self):
        pass


def written(command, encoding, newline="\r\n"):
    """Return the exit code, and the bytes of both streams, as of a console or pipe of Windows with this encoding."""
    raw = Raw(), Raw()
    streams = [io.TextIOWrapper(each, encoding=encoding, newline=newline) for each in raw]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        code = run(command.split())
        for each in streams:
            each.flush()
    return code, *(each.getvalue() for each in raw)
