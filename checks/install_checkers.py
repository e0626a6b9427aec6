"""Installs the outside checkers of `make verify` by their ordinary clients: npm and, on Debian, apt-get.

The npm packages are those of checks/package-lock.json and go to .checkers/; Debian's are added only where they are
missing. What cannot be installed is said here and then fails the tests that need it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / ".checkers"
FRAMEWORK = Path("/usr/share/android-framework-res/framework-res.apk")
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
EXECUTABLE = 0o755


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
    if subprocess.run(command, cwd=TARGET, check=False).returncode:
        return False
    for program in (TARGET / "node_modules" / "kotlin-compiler" / "bin").iterdir():
        program.chmod(EXECUTABLE)  # the package ships the compiler's scripts without this
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
    if not shutil.which("java"):
        wanted.append("openjdk-17-jdk-headless")
    return wanted


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
    installed = [install_node_packages(), install_with_apt(debian_packages())]
    return 0 if all(installed) else 1


if __name__ == "__main__":
    sys.exit(main())
