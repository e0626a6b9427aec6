"""A generated code base in six languages is rewritten; tree-sitter reads it before and after.

The trees are the same but for the names of the renames, and no identifier in them is an old name. What has to change is
also known by construction: ``+`` before a name in a template marks a use, ``=`` what only looks like one.
"""

import random
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from checkers import ROOT, first_broken

from tokensync.code.renaming.renames import read_renames, renames_document

pytestmark = pytest.mark.outside

NAMES = 1000
TEMPLATES = {
    "css": (
        ":root {\n  +--{css}: red;\n}\n",
        ".a{n} > b {\n  color: var( +--{css},#fff);\n  background: url(x.svg#=--{css}) var(+--{css});\n}\n",
        "/* =--{css}: var(=--{css}) */\n",
        ".b{n}::before {\n  content: \"=--{css}\" '=--{css}';\n}\n",
        ".c{n} {\n  =--{css}-hover: 1px;\n  color: var(=--{css}-hover, var(+--{css}));\n}\n",
        ".=--{css} {\n  color: var(=--X{css});\n}\n",
        "@media print {\n  .d{n} {\n    transition: +--{css} 1s;\n  }\n}\n",
    ),
    "scss": (
        "+${css}: 1px;\n",
        ".a{n} {\n  width: +${css};\n  height: (+${css} * 2);\n}\n",
        "// =${css}\n/* =${css} */\n",
        '.b{n} {\n  margin: map-get($map, "={css}");\n  content: "=${css}";\n}\n',
        "@include size(+${css}, =${css}-hover);\n",
        ".c{n} {\n  +--{css}: 1px;\n  width: var(+--{css});\n}\n",
        ".e{n}-#{+${css}} .f {\n  color: red;\n}\n",  # the grammar has no interpolation in strings
    ),
    "ts": (
        "export const a{n} = theme.+{camel} + +{camel} / 2 / tokens.+{camel};\n",
        "// ={camel}\n/* ={camel} */\n",
        'el{n}.style.setProperty("=--{css}", x["={camel}"]);\n',
        "const b{n} = `={camel} ${+{camel}} ${f(`${+{camel}}`)} var(=--{css})`;\n",
        "const c{n} = /={camel}[/\"]={camel}/g.test('={camel}');\n",
        "function d{n}({ +{camel}, ={camel}Hover }: T) { return +{camel} + ={camel}Hover; }\n",
    ),
    "tsx": (
        'const a{n} = <Box ={camel}="={camel}" b={+{camel}} {...x.+{camel}}>don\'t ={camel} {+{camel}} </Box>;\n',
        "const b{n} = +{camel} < 2 ? <i>={camel}</i> : <b c={`${+{camel}}`} />;\n",
    ),
    "kt": (
        "val a{n} = R.color.+{snake}\n",
        "// R.color.={snake}\n/* a /* R.color.={snake} */ b ={snake} */\n",
        'val b{n} = res.getIdentifier("={snake}", "color", "x")\n',
        'val c{n} = "${R.color.+{snake}} ={snake} R.color.={snake}"\n',
        "fun d{n}() = f(android.R.color.={snake}, R.color.={snake}_hover, R.dimen.={snake}, a.b.R.color.+{snake})\n",
        "val e{n} = Theme.+{camel}\n",
        'val g{n} = """={camel} "x" ${Theme.+{camel}}"""\n',
    ),
    "swift": (
        "let a{n} = Color.+{camel}\n",
        "// ={camel}\n/* a /* ={camel} */ ={camel} */\n",
        'let b{n} = Color("={camel}")\n',
        'let c{n} = "\\(Color.+{camel}) ={camel}"\n',
        "func d{n}() { view.tint(.+{camel}, ={camel}Hover) }\n",
        'let e{n} = #"={camel} \\#(Color.+{camel})"#\n',
        'let f{n} = """\n  ={camel} "x" \\(Color.+{camel})\n  """\n',
    ),
    "xml": (
        '  <color name="+{snake}">#ff0000</color>\n',
        '  <color name="a{n}">@color/+{snake}</color>\n',
        "  <!-- @color/={snake} -->\n",
        '  <View android:background="@color/+{snake}" tools:background="@color/={snake}" a="?attr/={snake}"/>\n',
        '  <dimen name="={snake}">1dp</dimen>\n',
        '  <View a="@android:color/={snake}" b="see @color/={snake}" c="@color/={snake}_hover"/>\n',
    ),
}
AROUND = {"xml": ("<resources>\n", "</resources>\n")}


def words(number):
    """Names that begin with one another, such as those of 1, 10 and 100."""
    return ("surface", "ink", "brand", "edge")[number % 4], str(number)


def names(number, prefix):
    first, last = words(number)
    return {
        "css": f"{prefix}-{first}-{last}",
        "camel": f"{prefix}{first.title()}{last}",
        "snake": f"{prefix}_{first}_{last}",
        "n": str(number),
    }


def renames():
    pairs = [(names(number, "c"), names(number, "color")) for number in range(NAMES)]
    document = {
        "css": {f"{sigil}{old['css']}": f"{sigil}{new['css']}" for old, new in pairs for sigil in ("--", "$")},
        "android": {f"color/{old['snake']}": f"color/{new['snake']}" for old, new in pairs}
        | {old["camel"]: new["camel"] for old, new in pairs},
        "ios": {old["camel"]: new["camel"] for old, new in pairs},
        "ts": {old["camel"]: new["camel"] for old, new in pairs},
    }
    found, invalid = read_renames(document)
    assert invalid == ()
    return renames_document(found.all)


def filled(template, number, prefix):
    """A template with the names of a number, those of uses with a prefix; ``+`` and ``=`` before names are no text."""

    def text(match):
        of = names(number, prefix if match[1] == "+" else "c")
        return f"{match[2]}{of[match[3]]}"

    return re.sub(r"([+=]?)((?:--X?|\$)?)\{(css|camel|snake|n)\}", text, template)


def code_base(suffix, line_end):
    """The text of a file with all names, before and after, and the number of uses."""
    chosen = random.Random(suffix)
    parts = [(chosen.choice(TEMPLATES[suffix]), number) for number in range(NAMES) for _ in range(3)]
    parts += [(each, number) for number, each in enumerate(TEMPLATES[suffix])]
    start, end = AROUND.get(suffix, ("", ""))
    before, after = (
        (start + "".join(filled(*part, prefix) for part in parts) + end).replace("\n", line_end).encode()
        for prefix in ("c", "color")
    )
    return before, after, sum(len(re.findall(r"\+(?=[-$]*\{)", each)) for each, _ in parts)


def parser(suffix):
    """A tree-sitter parser. The binding of SCSS is from before capsules."""
    import tree_sitter
    import tree_sitter_css
    import tree_sitter_kotlin
    import tree_sitter_scss
    import tree_sitter_swift
    import tree_sitter_typescript
    import tree_sitter_xml

    grammars = {
        "css": tree_sitter_css.language,
        "scss": tree_sitter_scss.language,
        "ts": tree_sitter_typescript.language_typescript,
        "tsx": tree_sitter_typescript.language_tsx,
        "kt": tree_sitter_kotlin.language,
        "swift": tree_sitter_swift.language,
        "xml": tree_sitter_xml.language_xml,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return tree_sitter.Parser(tree_sitter.Language(grammars[suffix]()))


def leaves(tree):
    """The types of all nodes in order, and the leaves with their texts and the types of the nodes around them."""
    cursor, types, found, around = tree.walk(), [], [], []
    while True:
        node = cursor.node
        types.append(node.type)
        is_leaf = node.child_count == 0 or node.type == "AttValue"  # whose text is no node
        if is_leaf:
            found.append((node.text, (*around, node.type)))
        elif cursor.goto_first_child():
            around.append(node.type)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return types, found
            around.pop()


IS_TEXT = re.compile(r"comment|string|text|regex|char|AttValue|CharData|template|jsx_attribute|plain_value.*url")
CODE_IN_TEXT = re.compile(r"interpolation|template_substitution|jsx_expression|interpolated")


def is_text(types):
    """Return whether a leaf is in a comment, a string or a text, and not in code inside of it."""
    last_text = max(
        (at for at, each in enumerate(types) if IS_TEXT.search(each) and not CODE_IN_TEXT.search(each)), default=-1
    )
    last_code = max((at for at, each in enumerate(types) if CODE_IN_TEXT.search(each)), default=-1)
    return last_text > last_code


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory):
    """The files of the code base before and after, as wanted, and the number of uses."""
    folder = tmp_path_factory.mktemp("code")
    (folder / "renames.toml").write_text(renames(), encoding="utf-8")
    files, uses = {}, 0
    for index, suffix in enumerate(TEMPLATES):
        before, after, count = code_base(suffix, "\r\n" if index % 2 else "\n")
        (folder / "src").mkdir(exist_ok=True)
        path = folder / "src" / f"code.{suffix}"
        path.write_bytes(before)
        files[suffix] = before, path, after
        uses += count
    done = migrate(folder, "--write")
    assert done.returncode == 0, done.stderr
    return folder, files, uses, done.stderr


def migrate(folder, *arguments):
    command = [sys.executable, "-m", "tokensync", "migrate", "code", "src", "--renames", "renames.toml", *arguments]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=folder, capture_output=True, check=False, env=environment, encoding="utf-8")


@pytest.mark.parametrize("suffix", TEMPLATES)
def test_no_other_byte_changes(rewritten, suffix):
    _, files, _, _ = rewritten
    _, path, after = files[suffix]
    assert path.read_bytes() == after


@pytest.mark.parametrize("suffix", TEMPLATES)
def test_the_tree_is_the_same_but_for_renamed_leaves(rewritten, suffix):
    _, files, _, _ = rewritten
    before, path, _ = files[suffix]
    read = parser(suffix)
    trees = [read.parse(each) for each in (before, Path(path).read_bytes())]
    for tree in trees:
        assert not tree.root_node.has_error, first_broken(tree.root_node).text[:200]
    (types, old), (new_types, new) = map(leaves, trees)
    assert types == new_types
    allowed = {}
    for number in range(NAMES):
        for form, name in names(number, "c").items():
            allowed[name.encode()] = names(number, "color")[form].encode()
    name = re.compile(rb"c[-_]?(?:surface|ink|brand|edge)[-_]?\d+", re.IGNORECASE)
    changed = 0
    for (was, around), (became, _) in zip(old, new, strict=True):
        if was == became:
            is_name = name.fullmatch(was.lstrip(b"-$")) and was.lstrip(b"-$") in allowed
            assert not is_name or is_text(around) or is_other(around, was), (was, around)
        else:
            assert name.sub(lambda match: allowed[match[0]], was) == became
            changed += 1
    assert changed > NAMES


def is_other(around, was):
    """Return whether a name that stays is one of something else: a class, a folder of resources, an attribute."""
    return around[-1] in ("class_name", "Name", "property_identifier", "simple_identifier", "identifier") and (
        "class_selector" in around or "jsx_opening_element" in around or b"_" in was
    )


def test_all_uses_are_counted_and_a_second_run_changes_nothing(rewritten):
    folder, files, uses, messages = rewritten
    assert f"{uses:,} names changed in {len(files)} of {len(files)} files" in messages
    assert uses > 6 * NAMES
    again = migrate(folder)
    assert (again.returncode, again.stdout) == (0, "")
    for _, path, after in files.values():
        assert path.read_bytes() == after


SCSS = """\
@use "sass:map";
@use "tokens" as t;
$c-bg: #123456 !default;
$c-bg-hover: rgba($c-bg, 0.5);
$c_pad: 4px;
$map: ("c-bg": $c-bg, "c-pad": ($c-pad * 2));
@function twice($c-pad) { @return $c-pad * 2; }
@mixin box($c-pad: $c-pad, $rest...) { padding: $c-pad; margin: twice($c-pad: 3px); @content; }
%c-bg { color: t.$c-bg; }
// $c-bg and --c-bg
.a-#{$c-pad} .b {
  /* $c-bg stays, but not #{$c-bg} */
  @extend %c-bg;
  --c-bg: #{$c-bg};
  --c-bg-hover: var(--c-bg, #{map.get($map, "c-bg")});
  background: url("x-#{$c-pad}.png?$c-bg") url(y-#{$c-pad}.png#--c-bg) url($c-bg + ".png");
  width: calc(#{$c-pad} + var(--c-bg) * 2);
  content: "a #{"b #{$c-pad} $c-bg"} c" + '$c-bg';
  @include box($c-pad: 2px) { height: -$c-pad; }
  &:hover { transition: --c-bg 1s; @media (min-width: $c-pad) { border: $c-pad solid $c-bg-hover; } }
  @each $c-bg, $value in $map { #{$c-bg}: $value; }
}
"""


def test_sass_compiles_the_same_rules(sass):
    """Names in strings are keys and contents here, so only custom properties differ in the result."""
    from migrate.codemods import codemod

    from tokensync.system.positions import replaced

    prepared = codemod(css={"--c-bg": "--background", "$c-bg": "$background", "$c-pad": "$space-2"})
    files = {"main.scss": SCSS, "_tokens.scss": "$c-bg: blue;\n"}
    new = {name: replaced(text, prepared.rewrite(name, text).edits) for name, text in files.items()}
    in_comments_and_strings = 2 + 3
    uses = len(re.findall(r"\$c[-_](?:bg|pad)(?!-)\b", SCSS)) - in_comments_and_strings
    assert len(re.findall(r"\$(?:background|space-2)\b", new["main.scss"])) == uses
    before, after = (sass(each["main.scss"], {"_tokens.scss": each["_tokens.scss"]}) for each in (files, new))
    property_name = re.compile(r'(?<![\w#"$])--c-bg(?![\w-])')
    assert after == property_name.sub("--background", before)
    assert "--background: #123456" in after


RESOURCES = """\
<resources>
  <!-- @color/c_bg -->
  <color name="c_bg">#ff112233</color>
  <color name="c_bg_hover">@color/c_bg</color>
  <item name="c_ink" type="color">#ff000000</item>
  <dimen name="c_bg">4dp</dimen>
  <string name="c_bg">see color/c_bg</string>
  <attr name="c_bg" format="color" />
  <style name="T">
    <item name="c_bg">@color/c_bg</item>
    <item name="android:textColor">@color/c_ink</item>
    <item name="android:background">?attr/c_bg</item>
  </style>
</resources>
"""


def test_aapt2_links_the_same_resources(aapt2, tmp_path):
    from migrate.codemods import codemod

    from tokensync.system.positions import replaced

    names = {"color/c_bg": "color/background", "color/c_ink": "color/text"}
    after = replaced(RESOURCES, codemod(android=names).rewrite("a.xml", RESOURCES).edits)
    linked = []
    for folder, text in (("before", RESOURCES), ("after", after)):
        (tmp_path / folder / "values").mkdir(parents=True)
        (tmp_path / folder / "values" / "all.xml").write_text(text, encoding="utf-8")
        linked.append(aapt2(tmp_path / folder))
    before, now = linked
    assert len(before) == 7
    old = re.compile(r"\bcolor/(?:c_bg|c_ink)\b")
    renamed = {
        names.get(name, name): {
            qualifier: value if name == "string/c_bg" else old.sub(lambda match: names[match[0]], value)
            for qualifier, value in rows.items()
        }
        for name, rows in before.items()
    }
    assert now == renamed
