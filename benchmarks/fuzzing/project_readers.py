"""The files of a project and of a user that tokensync reads, and how each of them is read."""

from __future__ import annotations

import hashlib
import json
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import msgspec
from fuzzing.world import EXAMPLES, Body

from tokensync.action.runner import Runner
from tokensync.apply import journal, locking
from tokensync.apply.applying import execution_of, known_ids, touched
from tokensync.bridge import Bridged
from tokensync.code.renaming import rewriting
from tokensync.commands.dev_resources import read_links
from tokensync.commands.merge_file import merged_text
from tokensync.dtcg import cache, format_bytes, half_written, read
from tokensync.extract.client import credentials
from tokensync.generate.naming import names_for, names_read, references_in, sandbox
from tokensync.generate.naming.templates import Limits
from tokensync.generate.targets import naming_of
from tokensync.migrate.record import read_record
from tokensync.project.accepted import read_accepted
from tokensync.project.configuration import parse_config
from tokensync.project.lock import LOCK, Lock, conflicts_of_lock, read_lock
from tokensync.project.merging import CONFLICTS, answers
from tokensync.project.outputs import MANIFEST, manifest_problems, read_manifest
from tokensync.project.plan_files import read_plans
from tokensync.settings import NamingConfig
from tokensync.system import stat_manifest
from tokensync.system.git import is_intact
from tokensync.system.git_index import entries_of, packed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzzing.world import World


def bodies(world: World) -> Iterator[Body]:
    yield from _tokens(world)
    yield from _settings(world)
    yield from _lists(world)
    yield from _applies(world)
    yield from _private(world)
    yield from _templates(world)


COLOR = {"colorSpace": "srgb", "components": [0.1, 0.2, 0.3], "alpha": 1, "hex": "#1a334d"}
PX = {"value": 4, "unit": "px"}
MS = {"value": 200, "unit": "ms"}
RICH = {
    "$description": "all types",
    "theme": {
        "$extensions": {"dev.tokensync": {"collection": {"id": "VariableCollectionId:1:1", "modes": ["Light"]}}},
        "$type": "color",
        "slate": {"$value": COLOR, "$deprecated": "use ink", "$extensions": {"dev.tokensync": {"id": "V:1"}}},
        "muted": {"$value": "{theme.slate}"},
        "pointed": {"$ref": "#/theme/slate"},
        "part": {"$type": "number", "$value": {"$ref": "#/theme/slate/$value/components/0"}},
        "group": {"$root": {"$value": COLOR}, "on": {"$value": "{theme.group.$root}"}},
        "more": {"$extends": "{theme.group}", "off": {"$value": "{theme.group.on}"}},
        "oklch": {"$value": {"colorSpace": "oklch", "components": [0.6, "none", 20]}},
        "gap": {"$type": "dimension", "$value": PX},
        "font": {"$type": "fontFamily", "$value": ["Inter", "Georgia"]},
        "serif": {"$type": "fontFamily", "$value": "Georgia"},
        "weight": {"$type": "fontWeight", "$value": "semi-bold"},
        "time": {"$type": "duration", "$value": MS},
        "curve": {"$type": "cubicBezier", "$value": [0.1, 0, 0.9, 1]},
        "line": {"$type": "strokeStyle", "$value": {"dashArray": [PX, "{theme.gap}"], "lineCap": "round"}},
        "border": {"$type": "border", "$value": {"color": "{theme.slate}", "width": PX, "style": "{theme.line}"}},
        "fade": {
            "$type": "transition",
            "$value": {"duration": "{theme.time}", "delay": MS, "timingFunction": [0, 0, 1, 1]},
        },
        "shadow": {
            "$type": "shadow",
            "$value": [{"color": COLOR, "offsetX": PX, "offsetY": PX, "blur": "{theme.gap}", "spread": PX}],
        },
        "gradient": {
            "$type": "gradient",
            "$value": [{"color": "{theme.slate}", "position": 0}, {"color": COLOR, "position": 1}],
        },
        "text": {
            "$type": "typography",
            "$value": {
                "fontFamily": "{theme.font}",
                "fontSize": PX,
                "fontWeight": 500,
                "letterSpacing": PX,
                "lineHeight": 1.4,
            },
        },
        "flag": {"$type": "boolean", "$value": True},
        "label": {"$type": "string", "$value": "a"},
    },
}  # fmt: skip
FOREIGN = {
    "version": "2025.10",
    "sets": {"base": {"sources": [{"$ref": "base.json"}, {"inline": {"$type": "number", "$value": 1}}]}},
    "modifiers": {"mode": {"contexts": {"light": [], "dark": [{"$ref": "dark.json"}]}, "default": "light"}},
    "resolutionOrder": [{"$ref": "#/sets/base"}, {"$ref": "#/modifiers/mode"}],
}
LIGHT, RESOLVER = "one/theme/light.tokens.json", "one.resolver.json"


def _groups(depth: int) -> bytes:
    """Return groups each of which has the one before it twice."""
    groups: dict[str, Any] = {"g0": {"a": {"$type": "number", "$value": 1}}}
    for at in range(1, depth):
        groups[f"g{at}"] = {name: {"$extends": f"{{theme.g{at - 1}}}"} for name in ("l", "r")}
    return json.dumps({"theme": groups}).encode()


def _layers(depth: int) -> bytes:
    """Return shadows each of which has the one before it twice."""
    layer = {"color": COLOR, "offsetX": PX, "offsetY": PX, "blur": PX, "spread": PX}
    tokens: dict[str, Any] = {"s0": {"$type": "shadow", "$value": [layer]}}
    for at in range(1, depth):
        tokens[f"s{at}"] = {"$type": "shadow", "$value": [f"{{theme.s{at - 1}}}"] * 2}
    fonts = {f"f{at}": {"$type": "fontFamily", "$value": [f"{{theme.f{at - 1}}}"] * 2} for at in range(1, depth)}
    return json.dumps({"theme": {**tokens, "f0": {"$type": "fontFamily", "$value": ["a"]}, **fonts}}).encode()


def _pointers(depth: int) -> bytes:
    """Return values each of which has the one before it twice, by JSON pointers."""
    tokens: dict[str, Any] = {"p0": {"$type": "cubicBezier", "$value": [0, 0, 1, 1]}}
    for at in range(1, depth):
        tokens[f"p{at}"] = {"$type": "gradient", "$value": [{"$ref": f"#/theme/p{at - 1}/$value"}] * 2}
    return json.dumps({"theme": tokens}).encode()


def _chain(length: int) -> bytes:
    tokens = {f"c{at}": {"$type": "color", "$value": f"{{theme.c{at - 1}}}" if at else COLOR} for at in range(length)}
    return json.dumps({"theme": tokens}).encode()


def _tokens(world: World) -> Iterator[Body]:
    rich = json.dumps(RICH, indent=2).encode()
    own = [*world.contents("settled", "project/tokens/one/theme/*.json"), rich]
    others = {path.relative_to("tokens").as_posix(): path.read_bytes() for path in Path("tokens").rglob("*.json")}
    made = max(world.token_files, key=lambda files: sum(map(len, files.values())))
    path = max((path for path in made if path != RESOLVER), key=lambda path: len(made[path]))

    def read_file(raw: bytes) -> Any:
        return read({**others, LIGHT: raw}, "one", shown_below="tokens/")[1]

    def read_rich(raw: bytes) -> Any:
        return read({LIGHT: raw}, "one", shown_below="tokens/")[1]

    def read_made(raw: bytes) -> Any:
        return read({**made, path: raw}, "one", shown_below="tokens/")[1]

    def read_format(raw: bytes) -> Any:
        problems: list[Any] = []
        format_bytes(raw, LIGHT, invalid=problems)
        return problems

    def read_merge(raw: bytes) -> Any:
        return merged_text(LIGHT, own[0], raw, own[1])[1]

    expansions = (_groups(40), _layers(40), _pointers(40), _chain(20_000))
    yield Body("token file", "json", own[1:2], read_file)
    yield Body("token file of all types", "json", [rich], read_rich, expansions=expansions)
    yield Body("token file of several collections", "json", [made[path]], read_made)
    yield Body("token file to format", "json", own, read_format, expansions=expansions)
    yield Body("token files to merge", "json", own, read_merge, expansions=expansions)
    files = max(world.token_files, key=lambda files: len(files[RESOLVER]))

    def read_resolver(raw: bytes) -> Any:
        return read({**files, RESOLVER: raw}, "one", shown_below="tokens/")[1]

    yield Body("resolver document", "json", [files[RESOLVER]], read_resolver)
    foreign = json.dumps(FOREIGN).encode()

    def read_foreign(raw: bytes, name: str) -> Any:
        files = {
            RESOLVER: foreign,
            "base.json": rich,
            "dark.json": b'{"other": {"$type": "number", "$value": 2}}',
            name: raw,
        }
        return read(files, "one", shown_below="tokens/")[1]

    yield Body("resolver document of another tool", "json", [foreign], partial(read_foreign, name=RESOLVER))
    yield Body(
        "token file of another tool", "json", [rich], partial(read_foreign, name="base.json"), expansions=expansions
    )
    light = Path("tokens") / LIGHT
    change = {"path": LIGHT, "before": hashlib.sha256(light.read_bytes()).hexdigest(), "after": own[1].decode()}

    def read_log(raw: bytes) -> None:
        half_written("tokens", "one", world.file(".tokensync/pull-one.json", raw), or_wholly=True)

    yield Body("log of a pull", "json", [json.dumps([change, {**change, "after": None}]).encode()], read_log)


def _settings(world: World) -> Iterator[Body]:
    configs = [*(path.read_bytes() for path in sorted(EXAMPLES.glob("*/tokensync.toml"))), ALL_SETTINGS.encode()]
    tables = ALL_SETTINGS.replace("[[", "[[tool.tokensync.").replace("\n[", "\n[tool.tokensync.")
    tables = tables.replace("[tool.tokensync.[", "[[").replace("[[tool.tokensync.tool.tokensync.", "[[tool.tokensync.")

    def read_configuration(raw: bytes, name: str) -> None:
        parse_config(raw, name)

    yield Body("tokensync.toml", "toml", configs, partial(read_configuration, name="tokensync.toml"))
    yield Body("pyproject.toml", "toml", [f"[tool.tokensync]\n{tables}".encode()],
               partial(read_configuration, name="pyproject.toml"))  # fmt: skip

    def read_conflicts(raw: bytes) -> None:
        world.file(f"conflicts/{CONFLICTS}", raw)
        answers("conflicts")

    def read_accepted_findings(raw: bytes) -> None:
        world.file("accepted/tokensync.accepted.toml", raw)
        read_accepted("accepted")

    def read_renames(raw: bytes, name: str) -> None:
        rewriting._renames(world.file(name, raw))

    def read_links_file(raw: bytes, name: str) -> None:
        read_links(world.file(name, raw))

    yield Body("conflicts file", "toml", world.contents("conflicting", f"project/{CONFLICTS}"), read_conflicts)
    yield Body("accepted findings", "toml", [ACCEPTED.encode()], read_accepted_findings)
    links = world.contents("settled", "project/links.toml")
    yield Body("links", "toml", links, partial(read_links_file, name="links.toml"))
    yield Body("links as JSON", "json", [LINKS], partial(read_links_file, name="links.json"))
    renames = (EXAMPLES / "code-migration/renames.toml").read_bytes()
    yield Body("renames", "toml", [renames], partial(read_renames, name="renames.toml"))
    yield Body("renames as JSON", "json", [RENAMES], partial(read_renames, name="renames.json"))

    def read_event(raw: bytes) -> None:
        path = world.file("event.json", raw)
        variables = {"GITHUB_EVENT_PATH": path, "GITHUB_EVENT_NAME": "pull_request", "GITHUB_REPOSITORY": "o/shop"}
        Runner(variables, ".").event()

    yield Body("event of a workflow", "json", [EVENT], read_event)


ALL_SETTINGS = """\
base_url = "figma"
tokens = "tokens"
[[files]]
name = "one"
key = "abcDEF123"
styles = ["text"]
[[files]]
name = "two"
key = "https://www.figma.com/design/abc/Name"
[themes.night]
theme = "Dark"
[[types]]
type = "dimension"
path = "space/*"
[[composites]]
type = "typography"
keep = true
match = "type/*/{fontFamily,fontSize,fontWeight}"
[[fonts]]
family = "Inter"
stack = ["Arial"]
[[moved]]
kind = "token"
collection = "theme"
from = "old"
to = "new"
[[allow]]
finding = "delete used"
subject = "theme/x"
[problems]
name-mixed = "ignore"
[code]
paths = ["src"]
[lint]
layers = ["a*", "b*"]
depth = 3
[[lint.contrast]]
foreground = ["text/*"]
background = ["bg/*"]
minimum = "AA"
[client]
attempts = 3
[[outputs]]
platform = "css"
path = "out/css"
[outputs.naming]
template = "{{ words | join('-') }}"
prefix = "acme"
[outputs.options]
root = ":root"
[[outputs]]
platform = "ios"
path = "out/ios"
"""
ACCEPTED = """\
[[accepted]]
code = "name-mixed"
subject = "theme/slate"
reason = "it has always been so"
date = 2026-11-30
"""
LINKS = b'{"name": "CSS", "links": [{"node": "0:1", "url": "https://a.example/{path}", "path": "a"}, {"node": "0:2"}]}'
RENAMES = (
    b'{"css": {"--old": "--new", "--ink": {"to": "--text", "role": "warn", "note": "darker"}}, "ios": {"A.a": "A.b"}}'
)
EVENT = b'{"action": "opened", "number": 7, "pull_request": {"head": {"ref": "x", "repo": {"full_name": "a/shop"}}}}'


def _lists(world: World) -> Iterator[Body]:
    """Yield what tokensync writes and reads itself, and what git may have merged."""

    def read_lock_file(raw: bytes) -> Any:
        world.file(f"locked/{LOCK}", raw)
        lock = Lock("locked")
        lock.graphs("one"), lock.keys("one"), lock.captured("one")
        read_lock("locked")
        return (*lock.problems, *conflicts_of_lock("locked"))

    def read_manifest_file(raw: bytes) -> Any:
        world.file(f"listed/{MANIFEST}", raw)
        read_manifest("listed")
        return manifest_problems("listed")

    def read_migrations(raw: bytes) -> None:
        world.file("tokensync.migrations.lock", raw)
        read_record(world.project, "one")

    locks = world.contents("settled", f"project/{LOCK}")
    conflicted = b"<<<<<<< ours\n%b=======\n%b>>>>>>> theirs\n" % (locks[0], locks[0].replace(b"slate", b"ink"))
    yield Body("tokensync.lock", "json lines", [*locks, conflicted], read_lock_file)
    yield Body("tokensync.outputs.json", "json", world.contents("settled", f"project/{MANIFEST}"), read_manifest_file)
    source = b'["one","theme","slate","source",["core","slate","a.json"]]\n["one","theme","","sets",["core"]]\n'
    yield Body("tokensync.migrations.lock", "json lines", [locks[0] + source], read_migrations)

    def read_index(raw: bytes) -> bool:
        is_intact(raw)
        entries = entries_of(raw, announced=True)
        entries_of(raw)
        return bool(packed(entries or ()))

    def checked(raw: bytes) -> bytes:
        return raw[:-20] + hashlib.sha1(raw[:-20], usedforsecurity=False).digest()

    yield Body("index of git", "binary", world.contents("tracked", "project/.git/index"), read_index, checked)


def _applies(world: World) -> Iterator[Body]:
    def read_plan(raw: bytes) -> None:
        read_plans(world.file("plan.json", raw))

    plans = world.contents("settled", "project/.tokensync/plan.json") + world.contents("settled", "project/edit.json")
    yield Body("plan", "json", plans, read_plan)
    folder = world.apply_folder
    names = ("journal.jsonl", "journal.head", "before.json", "plan.json")
    contents = {name: Path(folder, name).read_bytes() for name in names}

    def read_journal(raw: bytes, name: str) -> None:
        for other, content in contents.items():
            world.file(f"applied/{other}", raw if other == name else content)
        opened = journal.open_journal("applied")
        for part in ("status", "is_given_up", "carried_out", "in_transit", "before"):
            getattr(opened, part)
        execution_of(opened)
        known_ids(opened)
        touched(opened)

    lines = [contents["journal.jsonl"], *world.contents("interrupted", "project/.tokensync/applies/*/journal.jsonl")]
    yield Body("journal", "json lines", lines[:1], partial(read_journal, name="journal.jsonl"), _chained)
    for name in names[1:]:
        yield Body(f"{name} of an apply", "json", [contents[name]], partial(read_journal, name=name))

    def read_owner(raw: bytes) -> None:
        locking._owner(world.file("apply-one.lock.owner", raw))

    owners = world.contents("interrupted", "project/.tokensync/apply-one.lock.owner")
    yield Body("owner of a lock", "json", owners, read_owner)


def _chained(raw: bytes) -> bytes:
    """Return the lines of a journal with the numbers and digests that they need."""
    lines, chain = [], ""
    for number, line in enumerate(raw.split(b"\n")[:-1], 1):
        record = journal._LINK.sub(b"}", line)
        chain = journal.sha256_of(chain.encode() + record)
        lines.append(b'%b,"number":%d,"chain":"%b"}\n' % (record[:-1], number, chain.encode()))
    return b"".join(lines)


def _private(world: World) -> Iterator[Body]:
    """Yield the files of this user."""

    def read_login(raw: bytes) -> None:
        credentials._read(raw, "login.json")

    yield Body("login", "json", world.contents("logged in", "home/tokensync/credentials/*.json"), read_login)

    def read_door(raw: bytes) -> None:
        world.file("door/bridge.json", raw)
        Bridged("door/state")

    yield Body("address of the bridge", "json", [b'{"port": 4711, "secret": "abc"}'], read_door)
    entry = os.path.abspath("entry.graph")
    cache.store(entry, "one", world.graph, (), shown_below="tokens/")
    cached = Path(entry).read_bytes()
    os.chmod(entry, 0o600)

    def read_cache(raw: bytes) -> bool:
        with open(entry, "wb") as file:
            file.write(raw)
        return cache.load(entry, "one", shown_below="tokens/") is not None

    def digested(raw: bytes) -> bytes:
        return hashlib.sha256(raw[32:]).digest() + raw[32:]

    yield Body("cached graph", "binary", [cached], read_cache, digested)
    here = b"1.0\0of this folder"
    paths = b"tokens/a.json\0tokens/b.json"
    sections = b"\0\0".join((here, b"2 tokens", b"a\0b", b"out", b"tokens", paths, b"index", b"{}", b"ab cd"))
    numbers = bytes(range(8 * stat_manifest._NUMBERS)) * 2
    stat = stat_manifest._FORMAT + len(sections).to_bytes(8, "little") + sections + numbers

    def read_stat(raw: bytes) -> bool:
        world.file(".tokensync/build.stat", raw)
        with mock.patch.object(stat_manifest, "_circumstances", return_value=here):  # those of another folder
            try:  # as ``current`` does
                manifest = stat_manifest._read(".", ".tokensync/build.stat", "here")
                if manifest is not None:
                    manifest.contents(".")
            except (OSError, ValueError):
                return False
        return manifest is not None

    yield Body("stat manifest", "binary", [stat], read_stat)


NAMES = (b"{% for row in rows %}{{ row.words | join('-') }}\n{% endfor %}", b"{{ words | kebab }}")
TEMPLATE = b"""\
{% macro line(name, value) %}--{{ name }}: {{ value }};{% endmacro %}
:root {
{% for row in rows %}  {{ line(row.name, row.value) }} /* {{ loop.index }} {{ row.words | join("-") | upper }} */
{% endfor %}{% if rows | length > 1 and not none %}{{ "%s" | format(rows[0].name) }}{% endif %} }
"""
DOUBLING = b"".join(b"{%% set x%d = x%d ~ x%d %%}" % (at + 1, at, at) for at in range(40))
SYNTAX = (b"var(--a-b, 1px)", b"R.color.accent_base", b"@dimen/space_sm", b"AcmeTheme.colors.a[500]",
          b'Color("Brand/a", bundle: .module)', b"$space-sm", b"theme.`class`.a", b".accent")  # fmt: skip


def _templates(world: World) -> Iterator[Body]:
    rows = [{"name": "slate", "value": "#112233", "words": ["slate"]}, {"name": "gap", "value": "4px", "words": ["g"]}]
    limits = Limits(seconds=2.0, seconds_in_all=1e9, memory=1 << 30, size=64 << 20, size_in_all=1 << 60)

    def read_template(raw: bytes) -> None:
        sandbox.render((("x.j2", raw),), "x.j2", (), {"rows": rows}, limits)

    def read_naming(raw: bytes) -> Any:
        settings = NamingConfig(template=raw.decode("utf-8", "replace"))
        return names_for(world.graph, world.graph.tokens.values(), naming_of("css"), None, settings)[1]

    expansions = (
        b"{% set x0 = 'ha' * 9 %}" + DOUBLING + b"{{ x40 }}",
        b"{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}",
    )
    yield Body("template", "text", [TEMPLATE], read_template, expansions=expansions, share=1)
    yield Body(
        "template of names", "text", NAMES[1:], read_naming, expansions=(b"{{ (words | join) * 999999999 }}",), share=1
    )

    def read_syntax(raw: bytes) -> bool:
        text = msgspec.json.decode(msgspec.json.encode(raw.decode("utf-8", "replace")))
        key = next(iter(world.graph.tokens))
        found = [names_read(naming_of(name), {key: text})[key] for name in ("css", "scss", "compose", "android", "ios")]
        return bool([*references_in(text)]) and any(found)

    yield Body("code syntax", "text", SYNTAX, read_syntax, expansions=(b"`a`." * 20_000, b"var(" * 20_000 + b"--a"))
