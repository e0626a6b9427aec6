"""Fixtures of the Swift compiler, where there is one; each lasts the session and raises Refused.

swiftc(files: Mapping[str, str], *options: str, system: str = "UIKit") -> None
    Type-checks Swift as part of an app of a system with UIKit or AppKit; a warning fails. Where Xcode is, it reads its
    SDKs, else the stand-ins in outside/swift_stubs. It skips where there is no compiler: see CONTRIBUTING.md.
swift_module(name: str, files: Mapping[str, str], *options: str) -> Path
    Compiles Swift to a module, without a warning; swiftc finds it with the options "-I" and the folder.
swift_app(files: Mapping[str, str], *options: str, system: str = "UIKit") -> str
    Compiles Swift with the stand-ins to a program, one file of which is main.swift; what that prints.
swift_build(folder: Path) -> None
    Builds the Swift package in the folder.
"""

import re
import shutil
import sys

import pytest
from checkers import INSTALLED, ROOT, run, written


@pytest.fixture(scope="session")
def swift_command(tmp_path_factory):
    """Run a program of the Swift toolchain, or one that it compiled."""
    installed = INSTALLED / "swift" / "run"
    if not (shutil.which("swiftc") or installed.exists()):
        pytest.skip("swiftc is not installed: `make swift` installs Debian's, which is not required")
    before = [] if shutil.which("swiftc") else [installed]
    environment = {"HOME": str(tmp_path_factory.mktemp("home")), "SWIFT_BACKTRACE": "enable=yes"}
    version = re.search(r"Swift version (\d+)\.(\d+)", run([*before, "swiftc", "--version"]))

    def execute(*command):
        if "-default-isolation" in command and (int(version[1]), int(version[2])) < (6, 2):
            pytest.skip(f"swiftc is {version[1]}.{version[2]}, and knows -default-isolation from 6.2 on")
        return run([*before, *command], environment=environment)

    return execute


@pytest.fixture(scope="session")
def swift_stubs(swift_command, tmp_path_factory):
    """The stand-ins as modules and libraries: a folder for a system with UIKit, and one for a system with AppKit.

    They are compiled in Swift 5 mode, since Apple's frameworks do not check isolation for their callers either.
    """
    if sys.platform == "darwin":
        pytest.skip("the stand-ins are for systems that have no SwiftUI")
    folders = {}
    for system in SDKS:
        folder = folders[system] = tmp_path_factory.mktemp(system)
        for name in (system, "SwiftUI"):
            source = ROOT / "tests" / "outside" / "swift_stubs" / f"{name}.swift"
            library = ("-o", folder / f"lib{name}.a", "-emit-module-path", folder / f"{name}.swiftmodule")
            options = ("-swift-version", "5", "-parse-as-library", "-emit-module", "-emit-library", "-static")
            swift_command("swiftc", *options, "-module-name", name, "-I", folder, source, *library)
    return folders


SDKS = {"UIKit": ("iphonesimulator", "ios17.0-simulator"), "AppKit": ("macosx", "macos14.0")}


@pytest.fixture(scope="session")
def swift_compiler(request, swift_command):
    """A function that runs the compiler with the frameworks of a system, or with the stand-ins for them."""
    stubs = {} if sys.platform == "darwin" else request.getfixturevalue("swift_stubs")

    def compile_for(system, *options):
        if stubs:
            compiler = ["swiftc", "-I", stubs[system]]
        else:
            sdk, target = SDKS[system]
            compiler = ["xcrun", "--sdk", sdk, "swiftc", "-target", f"arm64-apple-{target}"]
        swift_command(*compiler, "-warnings-as-errors", *options)

    return compile_for


@pytest.fixture(scope="session")
def swiftc(swift_compiler, tmp_path_factory):
    def check(files, *options, system="UIKit"):
        folder = written(tmp_path_factory.mktemp("swiftc"), files)
        swift_compiler(system, "-typecheck", *options, *(folder / name for name in files))

    return check


@pytest.fixture(scope="session")
def swift_module(swift_compiler, tmp_path_factory):
    def compile_module(name, files, *options):
        folder = written(tmp_path_factory.mktemp(name), files)
        module = ("-emit-module", "-parse-as-library", "-module-name", name)
        path = folder / f"{name}.swiftmodule"
        swift_compiler("UIKit", *module, "-emit-module-path", path, *options, *(folder / file for file in files))
        return folder

    return compile_module


@pytest.fixture(scope="session")
def swift_app(swift_command, swift_stubs, tmp_path_factory):
    def compile_and_run(files, *options, system="UIKit"):
        folder = written(tmp_path_factory.mktemp("swift_app"), files)
        sources = [folder / name for name in files]
        libraries = ("-I", swift_stubs[system], "-L", swift_stubs[system])
        linked = ("-lSwiftUI", f"-l{system}", "-o", folder / "app")
        swift_command("swiftc", *options, *libraries, *sources, *linked)
        return swift_command(folder / "app")

    return compile_and_run


@pytest.fixture(scope="session")
def swift_build(request):
    command = request.getfixturevalue("swift_command")
    stubs = {} if sys.platform == "darwin" else request.getfixturevalue("swift_stubs")
    search = ("-Xswiftc", "-I", "-Xswiftc", stubs["UIKit"]) if stubs else ()
    return lambda folder: command("swift", "build", "--package-path", folder, *search)
