"""Runs the tool on a saved response: as a program of its own, or in this process where many runs are wanted."""

import contextlib
import io
import os
import subprocess
from pathlib import Path
from typing import NamedTuple

import prepared
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
CORPUS = Path(os.environ.get("TOKENSYNC_CORPUS") or ROOT.parent / "shared" / "corpus")
"""Responses that real design files answered with; a test that needs one skips where there is none."""
NO_CORPUS = "saved API responses are not here; name their folder in TOKENSYNC_CORPUS"
TOP = {"css", "android", "ios", "tokensync.outputs.json"}
"""What a build of all platforms makes in its folder."""
OWN_ERROR = "internal error ("


class Done(NamedTuple):
    """How a run ended."""

    code: int
    output: str
    stderr: str

    @property
    def problems(self) -> list[str]:
        """The lines with a problem: those that begin with a severity."""
        return [line for line in self.stderr.splitlines() if line.startswith(("error:", "warning:", "note:"))]


def corpus_files() -> list[Path]:
    """The saved responses of GET variables/local, or none where the folder of real responses is absent."""
    return sorted(each for each in CORPUS.glob("*local*.json"))


def published_of(path: Path) -> Path | None:
    """The published response of the same file, where there is one."""
    path = path.with_name(path.name.replace("-local", "-published"))
    return path if path.exists() else None


each_corpus_file = pytest.mark.parametrize(
    "response",
    # What a module makes of a response once is made by one worker.
    [pytest.param(each, marks=pytest.mark.xdist_group(each.name)) for each in corpus_files()]
    or [pytest.param(None, marks=pytest.mark.skip(reason=NO_CORPUS))],
    ids=lambda path: path.name if path else "absent",
)


def run(*arguments: object) -> Done:
    """``tokensync ARGUMENTS`` as a process of its own."""
    environment = {"PYTHONUTF8": "1", **os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*prepared.command(), *map(str, arguments)],
        check=False,
        capture_output=True,
        env=environment,
        timeout=120,
    )
    return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


def run_here(*arguments: object) -> Done:
    """Run the command in this process, where its exceptions propagate."""
    from tokensync.cli.main import run as command_line

    output, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(stderr):
        code = command_line([str(each) for each in arguments])
    return Done(code, output.getvalue(), stderr.getvalue())


def build_arguments(response: Path, out: Path) -> list[object]:
    """The arguments that build a response, with its published twin where there is one."""
    published = published_of(response)
    return ["build", "-v", "--snapshot", response, *(["--published", published] if published else []), "-o", out]


def bytes_under(folder: Path) -> dict[str, bytes]:
    """Every file under a folder by its path in it."""
    return {str(each.relative_to(folder)): each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}
