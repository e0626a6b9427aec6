"""The page in headless Chromium: resolved values, speed, and no effect of hostile content."""

import json
import time
from contextlib import contextmanager
from functools import cache
from itertools import combinations, product

import pytest
from checkers import MODULES, missing
from generate.targets.cases import weights_as_text
from generate.targets.composite_values import VALUES
from graphs import collection, graph, token
from outside.graphs import QUICKSTART
from report.subjects import HOSTILE, every_type, expected_text, hostile, names_of, odd_composites, page_of

from tokensync.report import report_page, viewer_page
from tokensync.tokens import Color, Composite, Theme, Unresolved, channel, float32
from tokensync.tokens.paths import names

AXE = MODULES / "axe-core" / "axe.min.js"
ALL = "24 tokens"
"""What the page of ``every_type`` counts."""

pytestmark = pytest.mark.outside

MOST_PAIRS = 8
"""Pairs of modes, of which as many are compared as this; they are spread over all of them."""


@contextmanager
def opened(browser, content, tmp_path, *, fragment="", **options):
    """Open the page as a file in its own context; fail on errors and requests."""
    options.setdefault("viewport", {"width": 1280, "height": 2000})
    path = tmp_path / "report.html"
    path.write_bytes(content)
    context = browser.chromium.new_context(**options)
    page = context.new_page()
    values = []
    page.on("console", lambda message: values.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: values.append(f"error: {error}"))
    page.on("dialog", lambda dialog: values.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: values.append(request.url) if not request.url.startswith("file:") else None)
    page.goto(f"{path.as_uri()}{fragment}")
    try:
        yield page
        assert [each for each in values if not each.startswith("data:,")] == []
    finally:
        context.close()


def themes_of(token_graph):
    """The default theme, each mode of each local collection, and some of the combinations of two."""
    several = [each for each in token_graph.collections.values() if each.origin == "local" and len(each.modes) > 1]
    single = [{each.key: mode} for each in several for mode in range(len(each.modes))]
    both = [
        {one.key: first, other.key: second}
        for one, other in combinations(several, 2)
        for first, second in product(range(len(one.modes)), range(len(other.modes)))
    ]
    return [{}, *single, *both[:: len(both) // MOST_PAIRS + 1]]


def literals(page, token_graph, modes):
    """Return the page's literals of every token by key in these modes."""
    families = {key: index for index, key in enumerate(token_graph.collections)}
    chosen = [[families[key], modes.get(key, each.default_mode)] for key, each in token_graph.collections.items()]
    actual = page.evaluate(
        """(chosen) => {
          graph.choose(chosen);
          return JSON.stringify(every.map((token) => [data.collection[token], rows.pathNames(token),
                                                      graph.literal(token), rows.text(token)]));
        }""",  # as one text: the driver takes a look at every member of a list
        chosen,
    )
    keys = list(token_graph.collections)
    return {(keys[collection], tuple(path)): (literal, text) for collection, path, literal, text in json.loads(actual)}


def plain(tree):
    """Return a composite's JSON with each colour as hex and alpha."""
    if isinstance(tree, list):
        return [plain(each) for each in tree]
    if not isinstance(tree, dict):
        return tree
    if "components" in tree:
        digits = "".join(f"{channel(each):02x}" for each in tree["components"])
        return {"hex": f"#{digits}", "alpha": tree.get("alpha", 1)}
    return {name: plain(each) for name, each in tree.items()}


@cache
def hexadecimal(value):
    return "#" + "".join(f"{channel(each):02x}" for each in (value.red, value.green, value.blue))


def differences(page, token_graph, themes):
    compared, actual = 0, []
    for modes in themes:
        shown = literals(page, token_graph, modes)
        resolve = token_graph.resolver(Theme("", tuple(modes.items())))
        for key, each in token_graph.tokens.items():
            literal, text = shown[key[:2], names(key.path)]
            value = resolve(key)
            compared += 1
            if isinstance(value, Composite):
                same = literal[0] == "x" and plain(literal[1]) == plain(json.loads(value.json))
            elif isinstance(value, Unresolved):
                same = literal[:2] == ["!", value.reason]
            elif isinstance(value, str):
                same = literal[:2] == ["s", value]
            elif isinstance(value, Color):
                same = (*literal[:2], float32(float(literal[2]))) == ("c", hexadecimal(value), value.alpha)
            else:
                same = text == expected_text(each, value)
            if not same:
                actual.append(f"{key} in {modes}: {literal} {text!r}, not {value}")
    return compared, actual


def test_the_page_resolves_each_value_as_the_graph_does(subject, browser, counted, tmp_path):
    with opened(browser, page_of(subject.graph), tmp_path) as page:
        compared, actual = differences(page, subject.graph, themes_of(subject.graph))
    counted("report", "values on the page, each theme and pair of axes", subject.name, compared, actual)


@pytest.mark.parametrize(
    "token_graph", [every_type(), hostile(), weights_as_text()], ids=["types", "hostile", "weights"]
)
def test_it_resolves_values_of_every_type(token_graph, browser, tmp_path):
    with opened(browser, page_of(token_graph), tmp_path) as page:
        _, actual = differences(page, token_graph, themes_of(token_graph))
    assert actual == []


def test_composites_are_shown_as_css_has_them(browser, tmp_path):
    of = collection("Composites")
    token_graph = graph(
        of, *(token(of, kind, Composite(json.dumps(value)), type=kind) for kind, value in VALUES.items())
    )
    computed = "(each, name) => getComputedStyle(each).getPropertyValue(name)"
    with opened(browser, page_of(token_graph), tmp_path) as page:
        shown = {
            name: page.locator(f".of-{kind} > *").evaluate(computed, name)
            for kind, name in (
                ("shadow", "box-shadow"),
                ("border", "border-left"),
                ("gradient", "background-image"),
                ("typography", "font"),
                ("stroke-style", "border-top-style"),
            )
        }
        assert page.locator(".curve path").count() == 2
    assert shown == {
        "box-shadow": "rgba(0, 0, 0, 0.25) 0px 1px 2px -1px, rgb(255, 255, 255) 0px 1px 2px -1px inset",
        "border-left": "1px dotted rgb(255, 255, 255)",
        "background-image": "linear-gradient(90deg, rgb(255, 255, 255) 0%, rgba(0, 0, 0, 0.25) 33.3%, "
        "rgb(255, 255, 255) 100%)",
        "font": "600 16px / 18.4px Inter, sans-serif",
        "border-top-style": "dashed",
    }


def test_a_composite_shows_every_token_that_it_refers_to(browser, tmp_path):
    of = collection("Base")
    ink, wide = token(of, "ink", Color(0, 0, 0, 255)), token(of, "wide", 2, type="dimension")
    edge = Composite(
        json.dumps({"color": "{base.ink}", "width": "{base.wide}", "style": "solid"}),
        (("{base.ink}", ink.key), ("{base.wide}", wide.key)),
    )
    with opened(browser, page_of(graph(of, ink, wide, token(of, "edge", edge, type="border"))), tmp_path) as page:
        assert row(page, "edge").locator(".chain").text_content().strip() == "→ ink + wide"


def test_a_font_of_any_name_is_shown_in_its_own_family(browser, tmp_path):
    of = collection("Fonts")
    texts = ("Source Sans 3, sans-serif", "'Inter Tight'", 'A"b\\c', "7", "var(--x)")
    token_graph = graph(of, *(token(of, f"f{at}", text, type="fontFamily") for at, text in enumerate(texts)))
    with opened(browser, page_of(token_graph), tmp_path) as page:
        shown = page.locator(".letters").evaluate_all("(all) => all.map((each) => getComputedStyle(each).fontFamily)")
    assert shown == ['"Source Sans 3", sans-serif', '"Inter Tight"', '"A\\"b\\\\c"', '"7"', '"var(--x)"']


def test_invalid_composites_do_no_harm(browser, tmp_path):
    token_graph = odd_composites()
    with opened(browser, page_of(token_graph), tmp_path) as page:
        page.evaluate("chunks.forEach(draw)")
        assert page.locator(".row").count() == len(token_graph.tokens)


def row(page, name):
    return page.locator(f'.row:has(.leaf:text-is("{name}"))')


def swatch_of(page, name):
    script = "(each) => getComputedStyle(each).backgroundColor"
    return row(page, name).locator(".swatch > span").evaluate(script)


def test_the_modes_of_each_collection_are_a_choice_with_the_default_first(browser, tmp_path):
    with opened(browser, page_of(every_type()), tmp_path) as page:
        assert page.locator(".axis legend").all_text_contents() == ["Theme", "Size"]
        options = page.get_by_label("Theme", exact=True).locator("option").all_text_contents()
        assert options == ["Light", "Dark", "Brand · Light", "Brand · Dark"]


def test_choosing_modes_changes_the_rows_and_the_address(browser, tmp_path):
    with opened(browser, page_of(every_type()), tmp_path) as page:
        assert swatch_of(page, "shade") == "rgba(22, 33, 43, 0.5)"
        assert swatch_of(page, "label") == "rgba(22, 33, 43, 0.5)"
        page.get_by_label("Theme", exact=True).select_option("Dark")
        assert swatch_of(page, "shade") == "rgba(255, 255, 255, 0.5)"
        page.get_by_label("Narrow").check(force=True)
        assert swatch_of(page, "label") == "rgb(255, 255, 255)"
        assert page.url.endswith("#mode.Theme=Dark&mode.Size=Narrow")
        address = page.url.partition("#")[2]
    with opened(browser, page_of(every_type()), tmp_path, fragment=f"#{address}") as page:
        assert swatch_of(page, "label") == "rgb(255, 255, 255)"
        assert page.get_by_label("Narrow").is_checked()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("greeting", {"greeting", "wrong"}),
        ("#ffffff", set()),
        ("--text", {"text"}),
        ("Theme.Sh", set()),
        ("body COPY", {"text"}),
        ("1.5rem", {"2"}),
        ("step/1", {"1", "gap"}),
        ("$text", {"text"}),
        ("Color.text", {"text"}),
        ("UIColor.shade", {"shade"}),
        ("@color/shade", {"shade"}),
        ("var(--shade)", {"shade"}),
        ("tokens.greeting;", {"greeting"}),
        ("nothing at all", set()),
    ],
)
def test_a_search_finds_names_code_words_values_and_aliases(browser, tmp_path, words, expected):
    with opened(browser, page_of(every_type()), tmp_path) as page:
        page.keyboard.press("/")
        page.keyboard.type(words)
        assert set(page.locator(".leaf").all_text_contents()) == expected
        assert page.get_by_text("Nothing matches").is_visible() == (not expected)
        page.keyboard.press("Escape")
        assert page.locator("#count").text_content() == ALL


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("bg-ink", {"ink"}),
        ("hover:bg-ink/50", {"ink"}),
        (".border-t-ink", {"ink"}),
        ("p-0.5", {"half"}),
        ("--color-text-muted", {"muted"}),
        ("text-text-muted", {"muted"}),
        ("bg-muted", set()),
    ],
)
def test_a_search_finds_the_token_of_a_tailwind_class(browser, tmp_path, words, expected):
    of = collection("Base")
    variables = {"ink": "--color-ink", "muted": "--color-text-muted", "half": "--spacing-0_5"}
    tokens = {name: token(of, name, Color(0, 0, 0, 255)) for name in variables}
    known = {"tailwind": {tokens[name].key: variable for name, variable in variables.items()}}
    with opened(browser, report_page(graph(of, *tokens.values()), known, title="Tokens"), tmp_path) as page:
        page.get_by_label("Search").fill(words)
        assert set(page.locator(".leaf").all_text_contents()) == expected


def test_a_filter_by_type_collection_and_group(browser, tmp_path):
    with opened(browser, page_of(every_type()), tmp_path) as page:
        page.get_by_label("Type").select_option("dimension")
        assert page.locator(".leaf").all_text_contents() == ["1", "2", "gap"]
        page.get_by_role("button", name="step 2").click()
        assert page.locator(".leaf").all_text_contents() == ["1", "2"]
        assert page.locator("#count").text_content() == f"2 of {ALL}"
        page.get_by_role("button", name="All collections").click()
        assert page.locator(".leaf").all_text_contents() == ["1", "2", "gap"]


def test_on_a_phone_the_controls_fold_away_when_a_group_is_chosen(browser, tmp_path):
    with opened(browser, page_of(every_type()), tmp_path, viewport={"width": 390, "height": 844}) as page:
        group = page.get_by_role("button", name="step 2")
        assert not group.is_visible()
        page.get_by_text("Modes and filters").click()
        group.click()
        assert not group.is_visible()
        assert page.locator(".leaf").all_text_contents() == ["1", "2"]


def test_a_link_in_the_chain_reveals_its_token_under_any_filter(browser, tmp_path):
    with opened(browser, page_of(every_type()), tmp_path) as page:
        page.get_by_label("Search").fill("shade")
        row(page, "shade").get_by_role("link", name="ink", exact=True).click()
        assert page.evaluate("document.activeElement.textContent") == "ink"
        assert page.locator("#count").text_content() == ALL
        address = page.url.partition("#")[2]
    assert address == "token=base%2Fink"
    with opened(browser, page_of(every_type()), tmp_path, fragment=f"#{address}") as page:
        assert page.evaluate("document.activeElement.textContent") == "ink"


def test_names_and_values_are_copied_in_full(browser, tmp_path):
    with opened(browser, page_of(hostile()), tmp_path, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.get_by_label("Search").fill("xxx/s")
        page.locator(".value .copy").click()
        assert page.evaluate("navigator.clipboard.readText()") == HOSTILE[-1]
        assert page.locator("#told").text_content().startswith("Copied xxx")


def test_design_file_content_is_text_on_the_page(browser, tmp_path):
    token_graph = hostile()
    with opened(browser, page_of(token_graph, title=HOSTILE[0]), tmp_path) as page:
        page.evaluate("chunks.forEach(draw)")
        assert page.title() == HOSTILE[0]
        assert page.locator("main :is(script, img, b, iframe, svg)").count() == 0
        shown = page.locator(".leaf").all_text_contents()
        assert len(shown) == len(token_graph.tokens)
        seen = set(page.locator(".description").all_text_contents())
        assert {text for text in HOSTILE if text.isprintable() and len(text) < 400} <= seen
        assert "\\u202egnirts\\u202c" in seen
        assert max(map(len, seen)) <= 401
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 1920])
def test_no_element_is_wider_than_the_page(browser, tmp_path, width):
    for token_graph in (every_type(), hostile()):
        with opened(browser, page_of(token_graph), tmp_path, viewport={"width": width, "height": 800}) as page:
            page.evaluate("chunks.forEach(draw)")
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_every_control_has_a_name_and_focus_goes_through_them_in_order(browser, tmp_path):
    with opened(browser, page_of(every_type()), tmp_path) as page:
        nameless = page.evaluate(
            """() => [...document.querySelectorAll('a, button, input, select')].filter((each) =>
              !(each.textContent.trim() || each.getAttribute('aria-label') || each.labels?.length)).length"""
        )
        assert nameless == 0
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the tokens"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "search"


def test_it_prints_every_row(browser, tmp_path):
    with opened(browser, page_of(every_type()), tmp_path) as page:
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator(".row").count() == 24
        assert not page.locator("#controls").is_visible()
        assert page.locator("h1").is_visible()
        assert page.pdf().startswith(b"%PDF-")


def test_a_page_of_12_000_tokens_is_small_and_quick(browser, tmp_path):
    from outside.generated import generated

    token_graph = generated()
    content = page_of(token_graph)
    count = len(token_graph.tokens)
    assert count >= 12_000
    assert len(content) < 400 * count
    started = time.perf_counter()
    with opened(browser, content, tmp_path) as page:
        page.locator(".row").first.wait_for()
        assert time.perf_counter() - started < 10
        elements = "document.getElementsByTagName('*').length"
        assert page.evaluate(elements) < 12_000
        for action in ("state.query = 'hover'; show()", "state.query = ''; show()", "choose(0, 1)"):
            took = page.evaluate(
                f"(() => {{ const at = performance.now(); {action}; return performance.now() - at; }})()"
            )
            assert took < 2_000, action
        page.evaluate("scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
        last = names(list(token_graph.tokens)[-1].path)[-1]
        assert last
        # The page's own policy forbids the evaluation by which playwright would wait.
        until = time.monotonic() + 30
        while not page.evaluate("chunks[chunks.length - 1].drawn") and time.monotonic() < until:
            page.wait_for_timeout(20)
        assert page.evaluate("chunks[chunks.length - 1].drawn")
        assert page.evaluate(elements) < 24_000


def test_names_of_all_platforms_stand_on_the_page(browser, tmp_path):
    token_graph = every_type()
    with opened(browser, page_of(token_graph), tmp_path) as page:
        page.evaluate("chunks.forEach(draw)")
        shown = set(page.locator(".names .copy").all_text_contents())
    assert shown == {name for known in names_of(token_graph).values() for name in known.values()}


def test_names_are_labelled_as_people_call_their_outputs_and_not_broken_inside_words(browser, tmp_path):
    of = collection("Base")
    accent = token(of, "bgColor/accent/emphasis", Color(0, 0, 0, 255))
    names_of_outputs = {
        "css (src/web)": "--bgColor-accent-emphasis",
        "tailwind": "--color-bgColor-accent-emphasis",
        "react-native": "tokens.bgColorAccentEmphasis",
        "flutter": "context.globalColorsTokens.bgColorAccentEmphasisOfManyWords",
        "theme.dart": "bgColorAccentEmphasis",
    }
    known = {label: {accent.key: name} for label, name in names_of_outputs.items()}
    content = report_page(graph(of, accent), known, title="Tokens")
    lines = """(all) => all.map((each) => {
      const range = document.createRange();
      return [...each.childNodes].filter((node) => node.nodeType === 3).map((node) => {
        range.selectNodeContents(node);
        return range.getClientRects().length;
      });
    })"""
    with opened(browser, content, tmp_path) as page:
        labels = page.locator(".names dt").all_text_contents()
        assert labels == ["CSS (src/web)", "Tailwind", "React Native", "Flutter", "theme.dart"]
        assert page.locator(".names .copy").all_text_contents() == list(names_of_outputs.values())
        assert {number for parts in page.locator(".names .copy").evaluate_all(lines) for number in parts} == {1}
        heights = page.locator(".names .copy").evaluate_all("(all) => all.map((each) => each.getClientRects().length)")
        assert heights[:3] == [1, 1, 1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("content", [page_of(every_type()), viewer_page()], ids=["report", "viewer"])
def test_axe_finds_nothing(content, scheme, browser, tmp_path):
    if not AXE.exists():
        missing("axe-core", "run `make verify`")
    with opened(browser, content, tmp_path, color_scheme=scheme) as page:
        if page.locator("#files").count():
            page.set_input_files("#files", QUICKSTART / "design.local.json")
            page.locator(".row").first.wait_for()
        page.evaluate(AXE.read_text("utf-8"))
        result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    found = [(each["id"], [node["html"][:120] for node in each["nodes"][:3]]) for each in result["violations"]]
    assert found == []
