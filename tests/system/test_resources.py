"""The shipped files, and the code that decides about outputs."""

import os

from tokensync.system import resources


def test_the_code_that_decides_about_outputs_is_all_rooms_of_the_core():
    package = os.path.join(resources.ROOT, "tokensync")
    rooms = {
        os.path.relpath(file, package).split(os.sep)[0] for file in resources.code_files() if file.startswith(package)
    }
    present = {
        name for name in os.listdir(package) if name.endswith(".py") or os.path.isfile(f"{package}/{name}/__init__.py")
    }
    assert present - rooms == {"action", "bridge", "emulator", "migrate"}
