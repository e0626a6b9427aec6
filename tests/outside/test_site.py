"""The documentation as a site: MkDocs and Zensical build it strictly, and axe-core and Chromium read its pages."""

import os
import re
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from checkers import MODULES, ROOT, missing

from tokensync.report import viewer_page

pytestmark = pytest.mark.outside

PROGRAMS = ROOT / ".venv-docs" / ("Scripts" if sys.platform == "win32" else "bin")
OFFLINE = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
"""A proxy that refuses connections: nothing can be fetched."""


def built(folder, program="mkdocs"):
    """Build the site of a folder strictly, without a network."""
    path = PROGRAMS / program
    if not path.exists():
        missing(program, "`make docs-site` installs it into .venv-docs")
    return subprocess.run(
        [path, "build", "--strict"],
        check=False,
        cwd=folder,
        env={**os.environ, **OFFLINE, "NO_MKDOCS_2_WARNING": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


def copy_to(folder):
    shutil.copy(ROOT / "mkdocs.yml", folder / "mkdocs.yml")
    shutil.copytree(ROOT / "docs", folder / "docs")
    return folder


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    folder = copy_to(tmp_path_factory.mktemp("site"))
    done = built(folder)
    assert done.returncode == 0, done.stdout
    (folder / "build" / "site" / "viewer.html").write_bytes(viewer_page())
    return folder / "build" / "site"


@pytest.fixture(scope="session")
def address(site):
    """Serve the site, as a web server does."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_zensical_builds_the_same_pages_strictly(site, tmp_path):
    done = built(copy_to(tmp_path), "zensical")
    assert done.returncode == 0, done.stdout
    pages = [
        {path.relative_to(each).as_posix() for path in each.rglob("index.html")}
        for each in (site, tmp_path / "build" / "site")
    ]
    assert pages[0] == pages[1]
    assert len(pages[0]) > 40


MISTAKES = {
    "a dead link": ("docs/index.md", "[x](absent.md)"),
    "a dead anchor": ("docs/index.md", "[x](problems.md#absent)"),
    "a dead anchor of the page itself": ("docs/index.md", "[x](#absent)"),
    "an absolute link": ("docs/index.md", "[x](/problems.md)"),
    "a link out of the site": ("docs/index.md", "[x](../README.md)"),
    "a page that no one finds": ("docs/hidden.md", "# Hidden"),
}


@pytest.mark.parametrize("program", ["mkdocs"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_breaks_the_build(tmp_path, mistake, program):
    name, text = MISTAKES[mistake]
    path = copy_to(tmp_path) / name
    path.write_text((path.read_text("utf-8") if path.exists() else "") + f"\n{text}\n", encoding="utf-8")
    assert built(tmp_path, program).returncode != 0


def test_a_page_names_no_file_of_another_host(site):
    loading = re.compile(
        r"""<(?:script|img|iframe|source|link(?![^>]*rel="?canonical))\b[^>]*(?:src|href)=["']?(https?:)?//[^"'> ]+"""
    )
    pages = list(site.rglob("*.html"))
    found = {match[0] for page in pages for match in loading.finditer(page.read_text("utf-8"))}
    assert found == set()


AXE = MODULES / "axe-core" / "axe.min.js"
PAGES = sorted(
    path.relative_to(ROOT / "docs").with_suffix("").as_posix().removesuffix("index")
    for path in (ROOT / "docs").rglob("*.md")
)


@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_on_a_page_that_loads_nothing_from_elsewhere(browser, address, page):
    if not AXE.exists():
        missing("axe-core", "run `make verify`")
    context = browser.chromium.new_context(viewport={"width": 1280, "height": 2000})
    requested, errors = [], []
    opened = context.new_page()
    opened.on("request", lambda request: requested.append(request.url))
    opened.on("pageerror", lambda error: errors.append(str(error)))
    try:
        assert opened.goto(f"{address}{page}{'/' * bool(page)}").status == 200
        opened.evaluate(AXE.read_text("utf-8"))
        result = opened.evaluate("axe.run(document, {resultTypes: ['violations']})")
    finally:
        context.close()
    found = [(each["id"], [node["html"][:120] for node in each["nodes"][:3]]) for each in result["violations"]]
    assert found == []
    assert [each for each in requested if not each.startswith((address, "data:", "blob:"))] == []
    assert errors == []


def test_the_viewer_shows_a_file_in_the_playground(browser, address):
    opened = browser.chromium.new_page(viewport={"width": 1280, "height": 2000})
    opened.goto(f"{address}playground/")
    frame = opened.frame_locator("iframe")
    frame.locator("#files").set_input_files(ROOT / "examples" / "quickstart" / "design.local.json")
    frame.locator(".row").first.wait_for()
    assert frame.locator("#count").text_content() == "99 tokens"


def checked(*arguments):
    path = PROGRAMS / "check-jsonschema"
    if not path.exists():
        missing("check-jsonschema", "`make docs-site` installs it into .venv-docs")
    return subprocess.run([path, *arguments], check=False, capture_output=True, encoding="utf-8").returncode


def test_check_jsonschema_accepts_the_schemas_and_our_configurations_and_refuses_a_misspelled_option(tmp_path):
    schemas = ROOT / "config" / "schemas"
    assert checked("--check-metaschema", *schemas.rglob("*.json")) == 0
    configuration = ("--schemafile", schemas / "tokensync.schema.json")
    assert checked(*configuration, *(ROOT / "examples").glob("*/tokensync.toml")) == 0
    wrong = tmp_path / "tokensync.toml"
    wrong.write_text('[[outputs]]\nplatform = "css"\npath = "x"\noptions = { colour = "hex" }\n', encoding="utf-8")
    assert checked(*configuration, wrong) == 1
