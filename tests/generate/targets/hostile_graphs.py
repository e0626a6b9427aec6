"""Hostile graphs: names, texts, descriptions and code syntax that could break a language."""

from graphs import collection, color, graph, token
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokensync.tokens import Alias

NASTY = st.sampled_from(
    [
        *('a"; } body{', "../../x", "*/", "/**/", "//", "\\(x)", "$x", "#{x}", "${x}", "`", "\n", "\r\n", "\t", "\0"),
        *(
            "\u2028",
            "\u200f\u202e",
            "\ufffd",
            "\ud800",
            "\udfff",
            "\ufeff",
            "\ufffe",
            "\x1e",
            "\x7f",
            "\x85",
            "x" * 10_000,
            " ",
        ),
        *("__proto__", "constructor", "prototype", "default", "class", "tokens", "themes", "null", "true", "_", "__"),
        *("-", "--", "--x", "1", "10%", "é", "ß", "İ", "ǅ", "①", "½", "ﬁ", "🎨", "色彩", "\\", '"', "'", "</script>"),
        *("<!--", "@", "@type {x}", "@import", "!default", "!important", "url(", "var(--x)", "{{ x }}", "{% x %}", "&"),
        *("@use 'x'", "@error", "a, b", "(a: b)", "true", "{a.b}", "]]>", " + ", "default", ";", "\\u0041", "\\a "),
    ]
)


def joined(parts: list[str]) -> str:
    """Return the joined parts; adjacent halves of a surrogate pair become one character, as in JSON."""
    return "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


TEXTS = st.lists(st.one_of(NASTY, st.text(max_size=5)), max_size=4).map(joined)
CODE_SYNTAX = st.one_of(
    st.just(()),
    TEXTS.map(lambda text: (("ANDROID", text), ("WEB", text), ("iOS", text))),
    TEXTS.map(lambda text: (("ANDROID", f"R.color.{text}"), ("WEB", f"var(--{text})"), ("iOS", f"Color.{text}"))),
)


@st.composite
def hostile_graphs(draw):
    """Return a graph of one to six tokens in two modes: colours, texts, families, numbers, and aliases to them."""
    of = collection(draw(TEXTS) or "x", draw(TEXTS), f"{draw(TEXTS)} dark")
    parts = {}
    for name in draw(st.lists(TEXTS, min_size=1, max_size=6, unique=True)):
        type_ = draw(st.sampled_from(["string", "color", "fontFamily", "number", "boolean"]))
        first = {
            "string": TEXTS,
            "fontFamily": st.sampled_from(["Inter, serif", "", "A\"b', c", "\u2028, \\"]),
            "color": st.just(color("#000000")),
            "number": st.floats(width=32, allow_nan=False, allow_infinity=False),
            "boolean": st.booleans(),
        }[type_]
        known = [each for each in parts.values() if each.type == type_]
        second = st.sampled_from([Alias(each.key) for each in known]) if known and draw(st.booleans()) else first
        hostile_token = token(
            of,
            name,
            draw(first),
            draw(second),
            type=type_,
            description=draw(TEXTS),
            code_syntax=draw(CODE_SYNTAX),
            deprecated=draw(st.one_of(st.booleans(), TEXTS)),
        )
        parts[hostile_token.key] = hostile_token
    return graph(of, *parts.values())


def hostile_examples(count, **how):
    """Return this number of graphs, for a checker that reads them in one run; ``how`` are Hypothesis settings."""
    names = []

    @settings(max_examples=count, database=None, suppress_health_check=list(HealthCheck), **how)
    @given(hostile_graphs())
    def collect(graph):
        names.append(graph)

    collect()
    assert len(names) >= count
    return names
