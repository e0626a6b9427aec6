"""Outputs of hostile graphs parse, declare the expected tokens, and read back unchanged."""

import re
import unicodedata

from corpus.read_android import read_values, string
from corpus.read_css import ROOT, of_root, read_css
from corpus.read_ios import read_catalog, read_swift
from graphs import collection, color, graph, token
from hypothesis import given
from hypothesis import strategies as st

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate

_NASTY = st.sampled_from(
    [
        *('a"; } body{', "../../x", "*/", "\\(x)", "$x", "\n", "\u200f\u202e", "\0", "\ud800", "x" * 300, "</string>"),
        *("@a", "?b", "/* */", "//", "`", "default", "class", "con", "_", "__", "1", "é", "ß", "İ", "ǅ", "①", "²", "½"),
        *("ﬁ", "🎨", "色彩", "\\", '"', "'", " ", "\t", "\r\n", "\u2028", "<!--", "]]>", "&amp;", "%1$s %s", "\ufeff"),
        *("\ufffe", "{{ x }}", "{% x %}", "#{x}", "url(", "var(--x)", "!important", "Self", "\x1e"),
    ]
)
_texts = st.lists(st.one_of(_NASTY, st.text(max_size=5)), max_size=4).map("".join)
_code_syntax = st.one_of(
    st.just(()), _texts.map(lambda text: (("ANDROID", text), ("WEB", f"var({text})"), ("iOS", f"Color.{text}")))
)


@st.composite
def _graphs(draw):
    of = collection(draw(_texts) or "x", draw(_texts), f"{draw(_texts)} dark")
    names = draw(st.lists(_texts, min_size=1, max_size=6, unique=True))
    parts = [of]
    for name in names:
        syntax = draw(_code_syntax)
        if draw(st.booleans()):
            parts.append(token(of, name, draw(_texts), type="string", code_syntax=syntax))
        else:
            parts.append(token(of, name, color("#000000"), color("#ffffff"), code_syntax=syntax))
    return graph(*{getattr(each, "key", at): each for at, each in enumerate(parts)}.values())


def _written(files, folder):
    for path, content in files:
        assert re.fullmatch(r"[^\0/\\:]+(/[^\0/\\:]+)*", path)
        assert ".." not in path.split("/")
        assert all(len(part.encode()) <= 255 for part in path.split("/"))
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _whole(text, forbidden):
    return re.sub(forbidden, "\ufffd", text)


def _strings(token_graph):
    return [each.values[0] for each in token_graph.tokens.values() if each.type == "string"]


@given(_graphs())
def test_css_reads_back(tmp_path_factory, token_graph):
    """tinycss2 reads one declaration per token, with unique names and unchanged strings."""
    folder = tmp_path_factory.mktemp("css")
    files, problems = generate(token_graph, OutputRequest(platform="css"))
    _written(files, folder)
    blocks = read_css(folder / "tokens.css")
    declared = of_root(blocks)
    assert len(dict(declared)) == len(declared) == len(token_graph.tokens)
    texts = [value[0].value for _, value in declared if value[0].type == "string"]
    assert texts == [_whole(each, "[\0\ud800-\udfff]") for each in _strings(token_graph)]
    modes = [each.context for each in next(iter(token_graph.collections.values())).modes]
    varies = any(token.type == "color" for token in token_graph.tokens.values())
    contexts = [selector[0] for each in blocks if not each.conditions for selector in each.selectors]
    chosen = [value for compound in contexts if compound != {ROOT} for _, value in compound]
    assert chosen == (modes if varies else [])
    assert len(problems) == len(set(problems))


@given(_graphs())
def test_android_reads_back(tmp_path_factory, token_graph):
    """Read with lxml and the string rules of aapt."""
    folder = tmp_path_factory.mktemp("android")
    files, _ = generate(token_graph, OutputRequest(platform="android"))
    _written(files, folder)
    values = read_values(folder / "values")
    assert len(values) == len(token_graph.tokens)
    texts = [string(each.text) for each in values.values() if each.type == "string"]
    assert texts == [_whole(each, "[\0\ud800-\udfff]") for each in _strings(token_graph)]


@given(_graphs())
def test_swift_reads_back(tmp_path_factory, token_graph):
    """Read Swift with tree-sitter and the catalog with json; keywords are escaped, folders differ in letters."""
    folder = tmp_path_factory.mktemp("ios")
    files, _ = generate(token_graph, OutputRequest(platform="ios"))
    _written(files, folder)
    constants, colorsets = read_swift(folder / "Tokens.swift"), read_catalog(folder / "Tokens.xcassets")
    assert len(constants) == len(token_graph.tokens)
    texts = [each.value for each in constants.values() if each.type == "String"]
    assert texts == [_whole(each, "[\ud800-\udfff]") for each in _strings(token_graph)]
    folded = {unicodedata.normalize("NFC", each).casefold() for each in colorsets}
    assert len(folded) == len(token_graph.tokens) - len(_strings(token_graph))


def test_a_name_of_ten_thousand_characters_is_truncated():
    """On every platform, and names that differ only at their end remain different."""
    of = collection("Base")
    token_graph = graph(of, token(of, "x" * 10_000, color("#000000")), token(of, "x" * 9_999 + "y", color("#000000")))
    for platform in ("css", "android", "ios"):
        files, problems = generate(token_graph, OutputRequest(platform=platform))
        names = set(re.findall(r"\bx{191}[-_][0-9a-f]{8}\b", "".join(content.decode() for _, content in files)))
        assert len(names) == 2
        assert problems == ()
