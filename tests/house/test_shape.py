"""The figures of CONTRIBUTING.md hold, and a way that gets longer is noticed."""

import runpy
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHAPE = ROOT / "checks" / "shape.py"


def test_no_figure_is_larger_than_the_page_says():
    done = subprocess.run([sys.executable, SHAPE], check=False, capture_output=True, encoding="utf-8", cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_larger_figure_is_named(monkeypatch, capsys):
    shape = runpy.run_path(str(SHAPE))
    scope = shape["main"].__globals__
    monkeypatch.setitem(scope, "ways", dict)
    monkeypatch.setitem(scope, "allowed", lambda: dict.fromkeys(shape["sizes"](), 1))
    assert shape["main"]() == 1
    assert "lines of core: " in capsys.readouterr().err


def test_a_way_has_the_functions_of_the_package_that_run():
    shape = runpy.run_path(str(SHAPE))
    from tokensync.tokens.values import normalized

    way = shape["Way"]()
    sys.setprofile(way)
    try:
        normalized(0.5)
    finally:
        sys.setprofile(None)
    assert ("tokens/values.py", "normalized") in {(path, name) for path, name, _ in way.functions}
