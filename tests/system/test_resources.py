"""The shipped files, and the code that decides about outputs."""

import os
import sys

import pytest

from tokensync.system import resources


def test_the_code_that_decides_about_outputs_is_all_rooms_of_the_core():
    package = os.path.join(resources.ROOT, "tokensync")
    rooms = {
        os.path.relpath(file, package).split(os.sep)[0] for file in resources.code_files() if file.startswith(package)
    }
    present = {
        name for name in os.listdir(package) if name.endswith(".py") or os.path.isfile(f"{package}/{name}/__init__.py")
    }
    assert present - rooms == {"action", "bridge", "emulator", "mcp", "migrate"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no change time")
def test_a_template_with_its_former_size_and_modification_time_is_another_program(tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "ROOT", str(tmp_path))
    template = tmp_path / "templates" / "tokens.css.j2"
    template.parent.mkdir()
    template.write_text("{{ header }}", encoding="utf-8")
    before, status = resources.program_digest.__wrapped__(), template.stat()
    assert resources.program_digest.__wrapped__() == before
    template.write_text("{{ footer }}", encoding="utf-8")
    os.utime(template, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert resources.program_digest.__wrapped__() != before
