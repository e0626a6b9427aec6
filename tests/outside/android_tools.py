"""Programs that read Android resources, as fixtures that last the session.

Lint and the merger are of 2017: the newest that Maven Central has. Google's own repository has later ones.

typed_values(resources: Path, *overlays: Path) -> dict
    {"type/name": {qualifier: (type, data)}}: android.util.TypedValue's type and 32 bits of each resource that aapt2
    links, as aapt reads them; for a reference (REFERENCE, "type/name").
android_lint(resources: Path, *others: Path) -> list[str]
    The findings in the resources of a library for Android 5 and later: ``values/colors.xml:3: UnusedResources: ...``.
android_names(resources: Path, prefix: str) -> list[str]
    What lint says about the names in a library whose ``resourcePrefix`` is this one.
merged_resources(*folders: Path) -> Path
    The folder that Gradle makes of those of source sets; where two have a resource, the last one wins.
"""

import re
import shutil
import zipfile
from pathlib import Path

import pytest
from checkers import INSTALLED, missing, run
from lxml import etree

JARS = INSTALLED / "android"
SUPPORT = "com/android/tools/lint/checks/api-versions-support-library.xml"
JAVA = ("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.awt.headless=true", "-Dfile.encoding=UTF-8")
SINCE_28 = ("lineHeight", "textFontWeight")
"""Attributes that text styles have and Android 5 does not, from the reference of android.R.attr."""
REFERENCE, FLOAT, DIMENSION, INTEGER = 0x01, 0x04, 0x05, 0x10
"""Types of android.util.TypedValue."""
MANIFEST = """<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="a.b">
<uses-sdk android:minSdkVersion="21" android:targetSdkVersion="25"/></manifest>"""
UNCOMPILED = "No `.class` files were found"
"""Said of each project without code."""


def api_versions():
    """The database of an SDK, as far as it is needed: these attributes, and the classes that lint's own one extends."""
    (checks,) = JARS.glob("lint-checks-*.jar")
    with zipfile.ZipFile(checks) as jar:
        extended = set(re.findall(r'<(?:extends|implements) name="([^"]+)"', jar.read(SUPPORT).decode()))
    classes = "".join(f'<class name="{name}" since="1"/>' for name in sorted(extended))
    attributes = "".join(f'<field name="{name}" since="28"/>' for name in SINCE_28)
    return f'<api version="1">{classes}<class name="android/R$attr" since="1">{attributes}</class></api>'


def java():
    if not JARS.is_dir():
        missing("Android lint", "`make verify` installs it")
    if shutil.which("javac") is None:
        missing("Android lint", "a Java compiler is not on the path; on Debian the package openjdk-17-jdk-headless")
    return [*JAVA, "-cp", f"{JARS}/*"]


@pytest.fixture(scope="session")
def sdk(tmp_path_factory):
    """Java with lint, for which there is a folder of the SDK that is the user's, too: lint keeps a database there."""
    command = java()
    folder = tmp_path_factory.mktemp("sdk")
    for part in ("tools", "platform-tools/api"):
        (folder / part).mkdir(parents=True)
    (folder / "platform-tools" / "api" / "api-versions.xml").write_text(api_versions(), encoding="utf-8")
    return [*command, f"-Dcom.android.tools.lint.bindir={folder / 'tools'}", f"-Duser.home={folder}"], folder


def project_in(folder):
    (folder / "AndroidManifest.xml").write_text(MANIFEST, encoding="utf-8")
    (folder / "project.properties").write_text("android.library=true\ntarget=android-25\n", encoding="utf-8")
    return folder


def findings_in(report):
    found = []
    for issue in etree.parse(report).getroot():
        place = issue.find("location")
        where = "/".join(Path(place.get("file")).parts[-2:])
        if not issue.get("message").startswith(UNCOMPILED):
            found.append(f"{where}:{place.get('line')}: {issue.get('id')}: {issue.get('message')}")
    return sorted(found)


@pytest.fixture(scope="session")
def android_lint(sdk, tmp_path_factory):
    command, home = sdk

    def findings(*folders):
        project = project_in(tmp_path_factory.mktemp("lint"))
        report = project / "report.xml"
        resources = [argument for folder in folders for argument in ("--resources", folder)]
        arguments = ["--quiet", *resources, "--xml", report, project]
        run([*command, "com.android.tools.lint.Main", *arguments], environment={"HOME": str(home)})
        return findings_in(report)

    return findings


@pytest.fixture(scope="session")
def android_names(sdk, tmp_path_factory):
    command, home = sdk
    program = Path(__file__).with_name("LintResourceNames.java")

    def findings(resources, prefix):
        project = project_in(tmp_path_factory.mktemp("lint"))
        report = project / "report.xml"
        run([*command, program, prefix, report, project, resources], environment={"HOME": str(home)})
        return findings_in(report)

    return findings


@pytest.fixture(scope="session")
def merged_resources(tmp_path_factory):
    command = [*java(), Path(__file__).with_name("MergeResources.java")]

    def merge(*folders):
        target = tmp_path_factory.mktemp("merged")
        run([*command, target, *folders])
        return target / "res"

    return merge


@pytest.fixture(scope="session")
def typed_values(linked_by_aapt2):
    program = shutil.which("aapt")
    if program is None:
        missing("aapt", "on Debian the package aapt; else see CONTRIBUTING.md")
    return lambda *folders: typed(run([program, "dump", "--values", "resources", linked_by_aapt2(*folders)]))


_CONFIG = re.compile(r"      config (\S+):")
_RESOURCE = re.compile(r"        resource (0x[0-9a-f]{8}) a\.b:(\S+): t=(0x[0-9a-f]{2}) d=(0x[0-9a-f]{8}) .*")


def typed(dump):
    """Return the output of ``aapt dump --values resources`` in the form of ``typed_values``."""
    found, names, qualifier = [], {}, ""
    for line in dump.splitlines():
        if config := _CONFIG.fullmatch(line):
            qualifier = re.sub(r"-?v\d+$", "", config[1].replace("(default)", ""))
        elif resource := _RESOURCE.fullmatch(line):
            names[int(resource[1], 16)] = resource[2]
            found.append((resource[2], qualifier, int(resource[3], 16), int(resource[4], 16)))
    values = {}
    for name, qualifier, type_, bits in found:
        values.setdefault(name, {})[qualifier] = (type_, names[bits] if type_ == REFERENCE else bits)
    return values
