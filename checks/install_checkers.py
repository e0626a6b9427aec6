"""Installs the outside checkers of `make verify` by their ordinary clients: npm, pip, Maven and, on Debian, apt-get.

The npm packages are those of checks/package-lock.json and go to .checkers/. The hook managers and the clients in Python
are those of requirements/hooks.txt and clients.txt and go to .checkers/hooks/ and clients/. Jars are those of
checks/NAME/pom.xml and go to .checkers/NAME/: Kotlin and Compose (compose), Android lint (android), detekt, and JUnit
with Testcontainers (junit). Debian's packages are added only where they are missing. What cannot be installed is said
here and then fails the tests that need it. DTCG's JSON schemas and the scripts of Figma's Simple Design System are in
no package: they come from repositories on GitHub, and without a connection to it their tests are skipped.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / ".checkers"
FRAMEWORK = Path("/usr/share/android-framework-res/framework-res.apk")
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = {
    "fish": "fish",
    "go": "golang-go",
    "javac": "openjdk-17-jdk-headless",
    "mvn": "maven",
    "tini": "tini",
    "zsh": "zsh",
}
"""Debian's packages by the program of which each is needed."""
FIREFOXES = ("firefox-esr", "firefox")
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
SCHEMAS = (
    "format.json",
    *(f"format/{name}.json" for name in ("group", "groupOrToken", "token", "tokenType")),
    *(
        f"format/values/{name}.json"
        for name in (
            *("border", "color", "cubicBezier", "dimension", "duration", "fontFamily", "fontWeight", "gradient"),
            *("number", "shadow", "strokeStyle", "transition", "typography"),
        )
    ),
    "resolver.json",
    *(f"resolver/{name}.json" for name in ("modifier", "resolutionOrder", "set")),
)


class Download(NamedTuple):
    """Files below an address. ``digest`` is the SHA-256 of their contents, one after another in this order."""

    address: str
    files: tuple[str, ...]
    digest: str


DOWNLOADS = {
    "dtcg-2025.10": Download(
        "https://raw.githubusercontent.com/design-tokens/community-group/"
        "53ca386fb3783888a7afa4604f086137d0308560/www/public/schemas/2025.10",
        SCHEMAS,
        "5bedec9e24152bbf126567fb902a2fb21025d20999e1884d3641e682fdccd055",
    ),
    "simple-design-system": Download(
        "https://raw.githubusercontent.com/figma/sds/6529aabf72c2ee02403ff57645a6c8537163b90f",
        (
            "figma.config.json",
            *(f"scripts/dev-resources/{name}.mjs" for name in ("app", "devResources")),
            *(f"scripts/tokens/{name}.mjs" for name in ("app", "fromFigma")),
        ),
        "040f80683826912d7effa6312cfe25ab4c8fbb17125b9b9c4657cb9328ec7669",
    ),
}
"""What is in no package, by its folder in .checkers/."""


def install_node_packages() -> bool:
    """Install what the lock file names, without running any package's own scripts."""
    npm = shutil.which("npm")
    if npm is None:
        print("npm is not on the path: install Node 20 or newer, then run `make verify` again", file=sys.stderr)
        return False
    TARGET.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(ROOT / "checks" / name, TARGET / name)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    return not subprocess.run(command, cwd=TARGET, check=False).returncode


def install_jars(name: str) -> bool:
    """Install the jars of a folder in checks/. Return False if they are not those of its checksums.txt."""
    source, folder = ROOT / "checks" / name, TARGET / name
    wanted = dict(line.split()[::-1] for line in (source / "checksums.txt").read_text(encoding="utf-8").splitlines())
    if digests(folder) == wanted:
        return True
    maven = shutil.which("mvn")
    if maven is None:
        print("mvn is not on the path: install Maven, then run `make verify` again", file=sys.stderr)
        return False
    shutil.rmtree(folder, ignore_errors=True)
    command = [maven, "--batch-mode", "--quiet", "--strict-checksums", "--file", str(source / "pom.xml"), COPY]
    if subprocess.run([*command, f"-DoutputDirectory={folder}"], check=False, stdout=sys.stderr).returncode:
        return False
    if digests(folder) != wanted:
        shutil.rmtree(folder)
        print(f"the jars differ from those of checks/{name}/checksums.txt; removed", file=sys.stderr)
        return False
    return True


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each jar of a folder."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.jar")}


def install_environment(name: str) -> bool:
    """Install what requirements/NAME.txt names into an environment of its own, .checkers/NAME."""
    folder = TARGET / name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    options = ["--quiet", "--disable-pip-version-check", "--require-hashes"]
    return not (
        subprocess.run([sys.executable, "-I", "-m", "venv", str(folder)], check=False).returncode
        or subprocess.run(
            [str(python), "-I", "-m", "pip", "install", *options, "-r", str(ROOT / "requirements" / f"{name}.txt")],
            check=False,
        ).returncode
    )


def install_download(name: str) -> bool:
    """Download files that are in no package. Return False if they are not those that were reviewed."""
    address, files, digest = DOWNLOADS[name]
    contents: dict[str, bytes] = {}
    try:
        for path in files:
            with urlopen(f"{address}/{path}", timeout=30) as response:  # noqa: S310 - a constant address
                contents[path] = response.read()
    except (URLError, OSError) as error:
        print(f"{name}: cannot be downloaded ({error}); its tests are skipped", file=sys.stderr)
        return True
    if hashlib.sha256(b"".join(contents.values())).hexdigest() != digest:
        print(f"{name}: differs from what was reviewed; it is not installed", file=sys.stderr)
        return False
    for path, content in contents.items():
        target = TARGET / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return True


def debian_packages() -> list[str]:
    """Return the packages whose programs are not on this machine."""
    wanted = []
    if not (shutil.which("aapt2") and FRAMEWORK.is_file()):
        wanted += ["aapt", "android-framework-res"]
    if not (os.environ.get("TOKENSYNC_CHROMIUM") or any(map(shutil.which, CHROMIUMS))):
        wanted.append("chromium")
    if sys.platform == "linux":  # macOS and Windows ignore the case of names by themselves
        python = shutil.which("/usr/bin/python3")
        importing = ["-c", "import fusepy"]
        if not python or subprocess.run([python, *importing], check=False, stderr=subprocess.DEVNULL).returncode:
            wanted.append("python3-fusepy")
        if not shutil.which("fusermount"):
            wanted.append("fuse3")
        if not any(Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser")):
            wanted.append("libwebkit2gtk-4.1-0")
        if not shutil.which("xvfb-run"):
            wanted.append("xvfb")
        if not shutil.which("xauth"):
            wanted.append("xauth")
    if not (os.environ.get("TOKENSYNC_FIREFOX") or any(map(shutil.which, FIREFOXES))):
        wanted.append("firefox-esr")
    return wanted + [package for program, package in PACKAGES.items() if not shutil.which(program)]


def install_with_apt(wanted: list[str]) -> bool:
    """Install packages, where apt-get is there and may be used."""
    if not wanted:
        return True
    apt = shutil.which("apt-get")
    sudo = shutil.which("sudo")
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if apt is None or not (is_root or sudo):
        print(f"apt-get cannot be used here to install {', '.join(wanted)}; see CONTRIBUTING.md", file=sys.stderr)
        return False
    before = [] if is_root or sudo is None else [sudo, "--non-interactive"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update", "-qq"], ["install", "-qq", "--yes", "--no-install-recommends", *wanted]):
        if subprocess.run([*before, apt, *arguments], env=environment, check=False, stdout=sys.stderr).returncode:
            return False
    return True


def main() -> int:
    """Install everything, also after a failure; 1 when something is missing."""
    installed = [
        install_with_apt(debian_packages()),
        install_node_packages(),
        install_environment("hooks"),
        install_environment("clients"),
        *map(install_download, DOWNLOADS),
        install_jars("compose"),
        install_jars("android"),
        install_jars("detekt"),
        install_jars("junit"),
    ]
    return 0 if all(installed) else 1


if __name__ == "__main__":
    sys.exit(main())
