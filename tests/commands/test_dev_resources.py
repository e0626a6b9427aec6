"""Links on nodes: attached once, renamed, refused with a reason, from a file and from options."""

import json

import pytest
from commands.projects import COLORS, on_the_platform, project_in, tokensync

from tokensync.project.configuration import load_project
from tokensync.project.connection import connect, embedded_emulator

BUTTON = ("--node", "1:2", "--url", "https://example.com/src/Button.tsx")


@pytest.fixture
def project(folder):
    project_in(folder)
    on_the_platform(COLORS)
    return folder


def attached(key="key-one"):
    with connect(load_project(None)) as client:
        return [(each.node_id, each.name, each.url) for each in client.dev_resources.list(key)]


def link(*arguments, code=0):
    return json.loads(tokensync("dev-resources", "link", *arguments, "--json", code=code).output)


def counts(done):
    return tuple(len(done[what]) for what in ("created", "renamed", "unchanged", "failed"))


def test_a_link_is_attached_once(project):
    assert counts(link(*BUTTON)) == (1, 0, 0, 0)
    assert attached() == [("1:2", "Button.tsx", BUTTON[-1])]
    assert counts(link(*BUTTON)) == (0, 0, 1, 0)
    assert len(attached()) == 1


def test_a_link_with_another_name_is_renamed(project):
    link(*BUTTON)
    done = tokensync("dev-resources", "link", *BUTTON, "--name", "The button")
    assert "renamed: 1:2 The button https://example.com/src/Button.tsx" in done.stderr
    assert attached() == [("1:2", "The button", BUTTON[-1])]


def test_a_dry_run_changes_nothing_and_reports_the_same(project):
    done = link(*BUTTON, "--dry-run")
    assert counts(done) == (1, 0, 0, 0)
    assert done["dry_run"] is True
    assert attached() == []
    assert "would be attached: 1:2 Button.tsx" in tokensync("dev-resources", "link", *BUTTON, "--dry-run").stderr


@pytest.mark.parametrize("kind", ["toml", "json"])
def test_links_of_a_file_inherit_its_defaults(project, kind):
    (project / "code").mkdir()
    (project / "code" / "a b.css").write_text("", encoding="utf-8")
    links = {
        "url": "https://example.com/{file}/{path}?node={node}",
        "name": "{path}",
        "links": [
            {"node": "1-2", "path": "code/a b.css"},
            {"node": "3:4", "url": "https://example.com/docs/", "name": "Docs"},
        ],
    }
    toml = (
        f'url = "{links["url"]}"\nname = "{{path}}"\n[[links]]\nnode = "1-2"\npath = "code/a b.css"\n'
        '[[links]]\nnode = "3:4"\nurl = "https://example.com/docs/"\nname = "Docs"\n'
    )
    (project / f"links.{kind}").write_text(json.dumps(links) if kind == "json" else toml, encoding="utf-8")
    assert counts(link(f"links.{kind}")) == (2, 0, 0, 0)
    assert attached() == [
        ("1:2", "code/a b.css", "https://example.com/one/code/a%20b.css?node=1%3A2"),
        ("3:4", "Docs", "https://example.com/docs/"),
    ]
    assert counts(link(f"links.{kind}")) == (0, 0, 2, 0)


def test_a_url_of_a_layer_names_file_and_node(project):
    with embedded_emulator(load_project(None)) as emulator:
        emulator.files.create("other")
    address = "https://www.figma.com/design/other/Name?node-id=12-34&t=x"
    link("--file", address, "--url", "https://example.com/{file_key}")
    assert attached("other") == [("12:34", "other", "https://example.com/other")]


def test_refused_links_are_reported_and_the_others_attached(project):
    links = [{"node": "1:2", "url": f"https://example.com/{number}"} for number in range(12)]
    (project / "links.json").write_text(
        json.dumps([*links, {"node": "3:4", "url": "https://example.com/"}]), encoding="utf-8"
    )
    done = tokensync("dev-resources", "link", "links.json", code=1)
    assert "node 1:2: https://example.com/10 is not attached; the node has 10 links" in done.stderr
    assert "11 attached, 0 renamed, 0 unchanged" in done.stderr
    assert len(attached()) == 11


def test_more_links_than_one_request_takes(project):
    links = [{"node": f"1:{number}", "url": "https://example.com/x", "name": "x"} for number in range(230)]
    (project / "links.json").write_text(json.dumps(links), encoding="utf-8")
    assert counts(link("links.json")) == (230, 0, 0, 0)
    (project / "links.json").write_text(json.dumps([each | {"name": "y"} for each in links]), encoding="utf-8")
    assert counts(link("links.json")) == (0, 230, 0, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "The link is missing"),
        (["--node", "1:2"], "The link is missing"),
        (["--url", "https://example.com"], "link 1: the node is missing"),
        (["--node", "x", "--url", "https://example.com"], "link 1: 'x' is not a node id"),
        (["--node", "1:2", "--url", "ftp://example.com"], "link 1: 'ftp://example.com' is not a URL"),
        (["--node", "1:2", "--url", "https://[example.com"], "link 1: 'https://[example.com' is not a URL"),
        (["--node", "1:2", "--url", "https://example.com/\x1b[31m"], "is not a URL"),
        (["surrogate.json"], "surrogate.json:1: not a file of links"),
        (["--node", "1:2", "--url", "https://example.com/{branch}"], "unknown placeholder {branch}"),
        (["--node", "1:2", "--url", "https://example.com/{path}"], "contains {path}, but path is missing"),
        (["--node", "1:2", "--url", "https://example.com", "--path", "gone.css"], "no file gone.css in the project"),
        (["--node", "1:2", "--url", "https://example.com", "--file", "figd_abc"], "looks like an access token"),
        (["links.json", "--node", "1:2"], "are mutually exclusive"),
        (["links.json"], "links.json:1: not a file of links"),
        (["links.toml"], "links.toml:1:1: not a file of links"),
        (["gone.toml"], "gone.toml: cannot read it"),
        (["twice.json"], "node 1:2: https://example.com is listed 2 times"),
    ],
)
def test_an_invalid_link_is_a_usage_error(project, arguments, message):
    (project / "links.json").write_text('[{"nodes": 1}]', encoding="utf-8")
    (project / "links.toml").write_text("links = ", encoding="utf-8")
    (project / "surrogate.json").write_text(
        '[{"node": "1:2", "url": "https://example.com", "name": "\\ud800"}]', encoding="utf-8"
    )
    (project / "twice.json").write_text(
        json.dumps([{"node": "1:2", "url": "https://example.com"}] * 2), encoding="utf-8"
    )
    assert message in tokensync("dev-resources", "link", *arguments, code=2).stderr


def test_a_project_with_several_files_requires_a_file(folder):
    project_in(folder, files=("one", "two"))
    on_the_platform(COLORS, "two")
    assert "give one or two" in tokensync("dev-resources", "link", *BUTTON, code=2).stderr
    assert counts(link(*BUTTON, "--file", "two")) == (1, 0, 0, 0)
    assert len(attached("key-two")) == 1


def test_the_file_may_precede_the_command(folder):
    project_in(folder, files=("one", "two"))
    on_the_platform(COLORS, "two")
    assert "attached" in tokensync("--file", "two", "dev-resources", "link", *BUTTON).stderr
    assert len(attached("key-two")) == 1
    both = ("--file", "one", "--file", "two")
    assert "give one" in tokensync(*both, "dev-resources", "link", *BUTTON, code=2).stderr


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("links.toml", b'[[links]]\nnode = "1:2"\n@', "links.toml:3:1: "),
        ("links.toml", b'[[links]]\nnode = "\xff"\n', "links.toml:2:9: "),
        ("links.toml", b'url = "https://a.example"\n[[links]]\nnode = 5\n', "links.toml:3: "),
        ("links.toml", b"links = " + b"[" * 5000, "links.toml:1: "),
        ("links.json", b'{"links": [\n{"node": 5}]}', "links.json:2: "),
        ("links.json", b'[\n{"node": "1:2"},\n{"node": 5}]', "links.json:3: "),
        ("links.json", b'[\n{"node": "\xff"}]', "links.json:2: "),
        ("links.toml", b'[[links]]\nnode = "1:2"\nurl = "htp://a"\n', "links.toml: link 1: "),
    ],
)
def test_a_file_of_links_that_cannot_be_read_is_named_with_its_line(project, name, content, where):
    (project / name).write_bytes(content)
    assert f"error: {where}" in tokensync("dev-resources", "link", name, code=2).stderr
