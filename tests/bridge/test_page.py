"""The plugin in a real browser: its page in a frame without an origin, beside its code and the model of the file."""

import json
import random
from pathlib import Path

import pytest
from bridge.conftest import KEY, MODEL, applying, bridge_in, quickstart_state
from commands.projects import tokensync

from tokensync.bridge.cli import _install

pytestmark = pytest.mark.outside

EDITOR = """<!doctype html><title>Editor</title><script type="module">
import { pluginApi } from "./figma.mjs";
import { OpenFile } from "./file.mjs";
const read = async (name) => (await fetch(name)).text();
const [state, html, code] = await Promise.all(["figma.json", "ui.html", "code.js"].map(read));
const file = new OpenFile(JSON.parse(state));
const frame = document.createElement("iframe");
frame.sandbox = "allow-scripts allow-downloads";
frame.allow = "local-network-access; loopback-network";
const figma = pluginApi(file, {
  show(page) { frame.srcdoc = page; document.body.append(frame); },
  post(message) { frame.contentWindow.postMessage({ pluginMessage: message }, "*"); },
  close() {},
});
window.onmessage = (event) => figma.ui.onmessage(event.data.pluginMessage);
window.model = file;
new Function("figma", "__html__", code)(figma, html);
</script>"""
SITE = "https://www.figma.com/"


def serve(route, folder):
    """Answer a request of the editor's page: with files of the model, the plugin and the test."""
    name = route.request.url.removeprefix(SITE)
    if name == "":
        route.fulfill(body=EDITOR, content_type="text/html")
        return
    path = next((path / name for path in (MODEL, folder / "plugin", folder) if (path / name).is_file()), None)
    kind = "text/javascript" if name.endswith(("js", "mjs")) else "text/plain"
    route.fulfill(status=404) if path is None else route.fulfill(
        body=path.read_bytes(), content_type=f"{kind}; charset=utf-8"
    )


@pytest.fixture
def editor(browser, tmp_path, monkeypatch):
    """Yield a function that opens a state in the browser and connects the plugin, unless ``connected`` is None.

    It returns the plugin's frame.
    """
    monkeypatch.chdir(tmp_path)
    context = browser.chromium.new_context()
    context.grant_permissions(["local-network-access"])
    page = context.new_page()
    wrong = []
    page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    with bridge_in(tmp_path) as bridge:
        allowed = (SITE, f"http://localhost:{bridge.port}/plugin/", "about:")
        page.on("request", lambda request: None if request.url.startswith(allowed) else wrong.append(request.url))

        def open_(state, connected="Connected to"):
            (tmp_path / "tokensync.toml").write_text(
                f'base_url = "bridge:"\n[[files]]\nname = "design"\nkey = "{KEY}"\n', encoding="utf-8"
            )
            _install(str(tmp_path / "plugin"), bridge.port)
            (tmp_path / "figma.json").write_text(json.dumps(state), encoding="utf-8")
            page.route(f"{SITE}**", lambda route: serve(route, tmp_path))
            page.goto(SITE)
            frame = page.frame_locator("iframe")
            if connected is None:
                return frame
            frame.get_by_label("Code").fill(bridge.code)
            frame.get_by_role("button", name="Connect").click()
            frame.get_by_text(connected).wait_for()
            return frame

        open_.context, open_.wrong, open_.page = context, wrong, page
        yield open_
        assert page.evaluate("window.executed") is None
        page.close()
    context.close()
    assert wrong == []


PIECES = (
    *(
        "<img src=x onerror='parent.executed = 1'>",
        "</script><script>parent.executed = 1</script>",
        "<svg onload=executed()>",
    ),
    *(
        "</pre></section><iframe src=//evil.example>",
        "javascript:executed()",
        "'\"`",
        "${executed()}",
        "\\",
        "\u2028",
        "\u202e",
    ),
    *(
        "\0",
        "\x1b[31m",
        "\r\n",
        "<!--",
        "]]>",
        "__proto__",
        "constructor",
        "&lt;",
        "\U0001f98a",
        "%0d%0a",
        "*/",
        "'+executed()+'",
    ),
)


def hostile(number):
    """Return a state with texts of ``number`` variables, and their names, from people who want code to run."""
    randomly = random.Random(number)
    state = quickstart_state()
    collection = {
        "id": "VariableCollectionId:1:1",
        "name": PIECES[0].replace(".", "-"),
        "key": "c" * 40,
        "remote": False,
    }
    collection |= {
        "modes": [{"modeId": "1:0", "name": "</style><b>"}],
        "defaultModeId": "1:0",
        "hiddenFromPublishing": False,
    }
    variables = {}
    for index in range(number):
        id_ = f"VariableID:1:{index + 10}"
        name, value, description = ("".join(randomly.choices(PIECES, k=3)) for _ in range(3))
        name = "".join("-" if letter in ".{}/\0" else letter for letter in f"n{index} {name}")
        variables[id_] = {
            "id": id_,
            "name": name,
            "key": f"{index:040x}",
            "variableCollectionId": collection["id"],
            "remote": False,
            "resolvedType": "STRING",
            "valuesByMode": {"1:0": value},
            "description": description,
            "codeSyntax": {},
            "hiddenFromPublishing": False,
            "scopes": ["ALL_SCOPES"],
        }
    collection["variableIds"] = [*variables]
    return {
        **state,
        "name": PIECES[1],
        "meta": {"variables": variables, "variableCollections": {collection["id"]: collection}},
    }


def test_texts_of_strangers_are_shown_and_written_as_they_are_and_run_nothing(editor):
    state = hostile(2000)
    frame = editor(state)
    tokensync("pull")
    (path,) = Path("tokens/design").rglob("*.tokens.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    changed = [token for token in document[path.parent.name].values() if "$value" in token]
    for token in changed:
        token["$value"] += PIECES[1]
    path.write_text(json.dumps(document), encoding="utf-8")
    tokensync("plan", "--exit-code", code=3)
    with applying("--force") as apply:
        frame.get_by_role("button", name="Apply").click(timeout=200_000)
    assert apply.code == 0, apply.stderr
    shown = frame.locator("#review").text_content()
    assert PIECES[0][:20] in shown
    now = json.loads(tokensync("-q", "api", "variables", "local", "--file", "design").output)["meta"]["variables"]
    before = state["meta"]["variables"]
    written = [id_ for id_ in before if now[id_]["valuesByMode"] != before[id_]["valuesByMode"]]
    assert len(written) == len(changed) > 1000
    for id_ in written:
        assert now[id_]["valuesByMode"]["1:0"] == before[id_]["valuesByMode"]["1:0"] + PIECES[1]
        assert {**now[id_], "valuesByMode": 0} == {**before[id_], "valuesByMode": 0}


def test_a_wrong_code_stays_the_reason_until_another_is_entered(editor):
    frame = editor(quickstart_state(), connected=None)
    frame.get_by_label("Code").fill("AAAA-AAAA")
    frame.get_by_role("button", name="Connect").click()
    frame.get_by_text("code").and_(frame.locator("#status")).wait_for()
    reason = frame.locator("#status").inner_text()
    editor.page.wait_for_timeout(2_500)  # the page tries to connect again every two seconds
    assert frame.locator("#status").inner_text() == reason != "Not connected."
    editor.wrong.clear()  # Chromium reports the answer 401


def saved(editor, frame):
    """Return the path of what the button saves."""
    with editor.page.expect_download() as download:
        frame.get_by_role("button", name="Save").click()
    name = download.value.suggested_filename
    download.value.save_as(name)
    return Path(name)


def test_a_capture_is_saved_without_a_connection_and_pulled(editor):
    path = saved(editor, editor(quickstart_state(), connected=None))
    assert path.name == f"Harbor.{KEY}.json"
    capture = json.loads(path.read_bytes())
    assert capture["meta"] == quickstart_state()["meta"]
    about = capture["capture"]
    assert (about["file_key"], about["file_name"], len(about["time"])) == (
        KEY,
        "Harbor",
        len("2026-11-01T10:00:00.000Z"),
    )
    tokensync("pull", "--snapshot", path)
    first = {path: path.read_bytes() for path in Path("tokens").rglob("*.json")}
    editor.page.evaluate("model.edit({does: 'describe', variable: 'color/slate/100', value: 'edited'})")
    tokensync("pull", "--snapshot", saved(editor, editor.page.frame_locator("iframe")))
    changed = [path for path, content in first.items() if path.read_bytes() != content]
    assert [path.as_posix() for path in changed] == ["tokens/design/primitives/value.tokens.json"]


def test_a_capture_of_a_file_with_hostile_texts_has_a_harmless_name_and_the_same_texts(editor):
    state = hostile(50)
    path = saved(editor, editor(state, connected=None))
    assert path.name == f"-script-script-parent-executed - 1-script-.{KEY}.json"
    assert json.loads(path.read_bytes())["meta"]["variables"] == state["meta"]["variables"]


def test_a_browser_that_keeps_the_page_from_this_machine_is_named(editor):
    editor.context.clear_permissions()
    editor(quickstart_state(), connected="let the browser reach apps on this device")
    assert all("loopback" in text or "ERR_FAILED" in text for text in editor.wrong)
    editor.wrong.clear()
