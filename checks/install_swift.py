"""Puts Debian's Swift compiler into .checkers/swift, where there is none on the path; `make verify` then asks it.

No registry has the compiler but Debian's, and there only newer releases than most machines run. So debootstrap unpacks
such a release, which takes root, a minute or more and 3 GB. `.checkers/swift/run COMMAND...` runs a command with that
release's /usr in place of the machine's, in a mount namespace that ends with the command.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from install_checkers import TARGET, install_with_apt

FOLDER = TARGET / "swift"
SYSTEM = FOLDER / "debian"
RUN = FOLDER / "run"
EXECUTABLE = 0o755
RELEASES = ("sid", "trixie")
"""Debian's releases in order of choice: the first has 6.2, which knows default isolation, but changes every day."""
PACKAGES = ("swiftlang", "g++")
SCRIPT = """\
#!/bin/sh
exec unshare --map-root-user --mount sh -c 'mount --bind "$0" /usr && exec "$@"' "$(dirname "$0")/debian/usr" "$@"
"""


def obstacle() -> str:
    """Return why debootstrap cannot run here, or nothing."""
    if not sys.platform.startswith("linux") or not shutil.which("apt-get"):
        return "put swiftc on the path: only on Debian and its like can it be installed here"
    if os.geteuid() != 0:
        return "run it as root, which debootstrap needs, or put swiftc on the path"
    if not shutil.which("debootstrap") and not install_with_apt(["debootstrap"]):
        return "apt-get did not install debootstrap"
    return ""


def install(release: str) -> bool:
    """Unpack a release with the compiler, and try the compiler. Mounts of debootstrap stay private."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    command = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", release, str(SYSTEM)]
    log = FOLDER / "debootstrap.log"
    with log.open("wb") as output:
        done = subprocess.run(["unshare", "--mount", *command], check=False, stdout=output, stderr=output)
    if done.returncode:
        print(f"debootstrap did not unpack {release}; {log} ends with:", file=sys.stderr)
        print(*log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:], sep="\n", file=sys.stderr)
        return False
    for unneeded in ("cache", "lib/apt"):
        shutil.rmtree(SYSTEM / "var" / unneeded, ignore_errors=True)
    RUN.write_text(SCRIPT, encoding="utf-8")
    RUN.chmod(EXECUTABLE)
    return works()


def works() -> bool:
    """Return whether the installed compiler runs; print its version."""
    return RUN.exists() and subprocess.run([str(RUN), "swiftc", "--version"], check=False).returncode == 0


def main() -> int:
    """Install the compiler unless there is one; 1 when there is none in the end."""
    if swiftc := shutil.which("swiftc"):
        print(f"{swiftc} is on the path already")
        return 0
    if works():
        return 0
    if why_not := obstacle():
        print(why_not, file=sys.stderr)
        return 1
    return 0 if any(map(install, RELEASES)) else 1


if __name__ == "__main__":
    sys.exit(main())
