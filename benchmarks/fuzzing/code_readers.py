"""Code that uses tokens, and tokens of other tools: what ``check``, ``audit`` and ``migrate`` read."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from fuzzing.world import Body
from migrate.test_hostile_sources import COLORS, CSS, SCSS, XML

from tokensync.code.checking import check_code
from tokensync.code.renaming.renames import read_renames
from tokensync.code.renaming.rewriting import Choices, Codemod
from tokensync.migrate.conversion.graph import convert
from tokensync.migrate.conversion.mapping_file import propose
from tokensync.migrate.migrating import mapping_for
from tokensync.migrate.readers.source_files import recognize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzzing.world import World

CODE = {
    "css": ".a { color: #112233; margin: 4px 0 calc(2px * 3); background: var(--slate, red) } /* b */\n"
    "@media (x) { a { b: c } }",
    "scss": "$gap: 4px; // x\n.a { @include b($gap); &:hover { color: rgba(#112233, 0.5) } #{$x}: 1 }",
    "sass": ".a\n  color: #112233\n  &:hover\n    margin: 4px\n",
    "less": "@c: #112233; .a { .m(@c); color: fade(@c, 50%); width: ~'calc(1px)' }",
    "tsx": "const a = <div style={{ color: '#112233', gap: 4 }} className=\"p-4 text-[#112233]\">"
    "{`var(--${x})`}</div>; /x[/]/g",
    "ts": "export const a: Map<string, number> = f<T>(`a${{b: 1}.b}`); // #112233\nconst b = a / 2 / c;",
    "kt": 'val a = Color(0xFF112233) /* b /* c */ */\nval b = 4.dp; val c = "${d("e")}"; val t = """a $b"""\n',
    "java": 'class A { int a = Color.parseColor("#112233"); char c = \'\\u0027\'; String t = """\n x""" ; }',
    "swift": "let a = Color(red: 0.1, green: 0.2, blue: 0.3).opacity(0.5)\n"
    'let s = #"\\#(x)"#; let t = """\n \\(y)\n"""',
    "xml": '<LinearLayout android:padding="4dp" a:b="@color/slate"><!-- c --><![CDATA[x]]>'
    '<T android:textColor="#112233"/></LinearLayout>',
    "vue": '<template><p style="color: #112233">{{ x }}</p></template><style lang="scss">.a { color: #112233 }</style>',
    "html": "<style>.a { color: #112233 }</style><script>const a = '#112233'</script><p class='p-4'>x</p>",
}
SHADOW = {"x": "0", "y": "{space.sm}", "blur": "4", "spread": "0", "color": "{core.a}", "type": "dropShadow"}
STUDIO = {
    "core": {
        "a": {"value": "#112233", "type": "color"},
        "b": {"value": "rgba({core.a}, 0.5)", "type": "color"},
        "c": {"value": "{core.a}", "type": "color", "$extensions": {"studio.tokens": {"modify": {
            "type": "darken", "value": "0.1", "space": "lch"}}}},
        "size": {"value": "{space.sm} * 2 + roundTo(1.5, 1)", "type": "dimension"},
        "shadow": {"value": [SHADOW, "{core.other}"], "type": "boxShadow"},
        "other": {"value": SHADOW, "type": "boxShadow"},
        "text": {"value": {"fontFamily": "Inter", "fontSize": "{core.size}", "fontWeight": "Bold"},
                 "type": "typography"},
    },
    "space": {"sm": {"$value": "4px", "$type": "dimension"}},
    "$themes": [{"id": "1", "name": "Light", "group": "Mode", "selectedTokenSets": {
                 "core": "enabled", "space": "source"}, "$figmaStyleReferences": {}, "$figmaVariableReferences": {}}],
    "$metadata": {"tokenSetOrder": ["space", "core"]},
}  # fmt: skip
DICTIONARY = {"color": {"a": {"value": "#112233", "attributes": {"category": "color"}, "comment": "x"}, "b": {
    "value": "{color.a.value}"}}, "size": {"sm": {"value": "4px", "type": "dimension"}}}  # fmt: skip
DTCG = {"$schema": "https://www.designtokens.org/schemas/2025.10/format.json", "color": {"$type": "color", "a": {
    "$value": "#112233"}, "b": {"$value": "{color.a}"}}, "space": {
    "sm": {"$type": "dimension", "$value": "4px"}}}  # fmt: skip
THEO = {"props": {"A": {"value": "{!x}", "type": "color", "category": "c"}, "B": {"value": "4px"}}, "global": {
    "type": "size", "category": "s"}, "aliases": {"x": {"value": "#112233"}}, "imports": ["./b.json"]}  # fmt: skip
PLAIN = {"collections": [{"name": "Theme", "modes": ["Light", "Dark"], "variables": [{"name": "a/b", "type": "color",
         "values": {"Light": "#112233", "Dark": {"$alias": "a/c"}}}, {
         "name": "a/c", "values": {"Light": 4}}]}]}  # fmt: skip
YAML = b"""\
color:
  a: &base {value: "#112233", type: color}
  b: *base
  c: {value: "{color.a}", type: color, comment: 'x'}
size:
  sm: {value: 4px, type: dimension}
  list: [1, 2.5, null, ~, true, 0x1f, 2026-01-01]
  text: |
    more
    text
  folded: >-
    x
"""
DOUBLING_YAML = b"a0: &a0 {v: {value: 1px}}\n" + b"".join(
    b"a%d: &a%d {l: *a%d, r: *a%d}\n" % (at + 1, at + 1, at, at) for at in range(60)
)
DOUBLING_XML = b"<!DOCTYPE r [<!ENTITY a0 'x'>%b]><resources><string name='x'>&a60;</string></resources>" % b"".join(
    b"<!ENTITY a%d '&a%d;&a%d;'>" % (at + 1, at, at) for at in range(60)
)


def _doubling(form: str, first: str, depth: int = 60) -> bytes:
    """Return declarations each of which has the one before it twice."""
    return "".join(form.format(at + 1, at) for at in range(depth)).join((first, "}")).encode()


DOUBLING_CSS = _doubling("--a{0}: var(--a{1}) var(--a{1});", ":root{--a0: 1px;")
DOUBLING_SCSS = ("$a0: 1px;" + "".join(f"$a{at + 1}: $a{at} $a{at};" for at in range(60)) + ".a{--x: $a60}").encode()
DOUBLING_STUDIO = json.dumps(
    {"core": {f"a{at}": {"value": f"{{core.a{at - 1}}} + {{core.a{at - 1}}}" if at else "1px", "type": "dimension"}
              for at in range(60)}}).encode()  # fmt: skip


def bodies(world: World) -> Iterator[Body]:
    renames, _ = read_renames(
        {"css": {"--slate": "--ink"}, "android": {"color/slate": "color/ink"}, "ios": {"Color.a": "Color.b"}}
    )
    codemod = Codemod(renames)

    def read_code(raw: bytes, suffix: str) -> None:
        text = raw.decode("utf-8", "surrogateescape")
        check_code(world.project, world.graph, (), texts={f"a.{suffix}": text}, corrects=True)
        codemod.rewrite(f"a.{suffix}", text, Choices())

    for suffix, text in CODE.items():
        yield Body(f"code: .{suffix}", "text", [text.encode()], partial(read_code, suffix=suffix), share=1)
    yield from _sources(world)


def _sources(world: World) -> Iterator[Body]:
    def read(raw: bytes, name: str) -> bool:
        folder, _, own = name.partition("/")
        world.file(name, raw)
        source = recognize(folder if own else name).source
        if source.read:
            convert(source, propose(source), "one")
        return bool(source.read)

    def body(what: str, form: str, name: str, *contents: bytes, expansions: tuple[bytes, ...] = ()) -> Body:
        return Body(f"migrate: {what}", form, contents, partial(read, name=name), expansions=expansions, share=1)  # type: ignore[arg-type]

    encode = partial(json.dumps, indent=1)
    studio = encode(STUDIO).encode()
    yield body("Tokens Studio", "json", "studio.json", studio, expansions=(DOUBLING_STUDIO,))
    yield body("Style Dictionary", "json", "dictionary.json", encode(DICTIONARY).encode())
    yield body("DTCG", "json", "dtcg.json", encode(DTCG).encode())
    yield body("Theo", "json", "theo.json", encode(THEO).encode())
    yield body("names and values", "json", "plain.json", encode(PLAIN).encode())
    yield body("YAML", "text", "yaml.yaml", YAML, expansions=(DOUBLING_YAML,))
    yield body("CSS", "text", "css.css", CSS.encode(), expansions=(DOUBLING_CSS,))
    yield body("SCSS", "text", "scss.scss", SCSS.encode(), expansions=(DOUBLING_SCSS,))
    yield body("Android", "text", "android/res/values/a.xml", XML.encode(), expansions=(DOUBLING_XML,))
    yield body("asset catalog", "json", "apple/A.xcassets/a.colorset/Contents.json", COLORS.encode())
    source = recognize(world.file("mapped/studio.json", studio)).source

    def read_mapping(raw: bytes) -> None:
        mapping = mapping_for(source, world.file("mapping.toml", raw))
        convert(source, mapping, "one")

    from tokensync.migrate.migrating import proposal

    yield Body("mapping of a migration", "toml", [proposal(source).encode()], read_mapping)
