"""Questions that people ask in public threads, answered from GitHub's Primer and from the quickstart, without a model.

Each question says in our words what somebody wanted to know in the thread beside it. The judge of the values is the
corpus's own reader, which shares no code with tokensync.
"""

import shutil

import pytest
from commands.projects import QUICKSTART, quickstart_in, tokensync
from corpus.building import CORPUS, NO_CORPUS, ROOT
from corpus.oracle import read, unresolved
from corpus.oracle_values import byte, decimal, kind

from tokensync.mcp.answers import Answers
from tokensync.project.configuration import load_project

PRIMER = CORPUS / "primer-local.json"
NAMING = "naming = { template = \"{{ path | join('-') }}\" }"
CONFIGURATION = f"""base_url = "snapshot:design.json"
[[files]]
name = "primer"
key = "aBcDeFgH1234567890abcd"
[[outputs]]
platform = "css"
path = "web"
{NAMING}
"""

FIRST = {
    "Which token is right for the background of a disabled button?": (
        "grommet/hpe-design-system#6118",
        "button.default.bgColor.disabled",
    ),
    "text colour of an inactive button": ("primer/primitives#774", "button.inactive.fgColor"),
    "background for inactive buttons": ("primer/primitives#834", "button.inactive.bgColor"),
    "Which variable is meant for disabled text?": ("primer/primitives#252", "fgColor.disabled"),
    "backdrop colour behind a modal overlay": ("primer/primitives#667", "overlay.backdrop.bgColor"),
    "border of overlays": ("primer/primitives#37", "overlay.borderColor"),
    "background color of a disabled invisible button": ("opf/openproject#19354", "button.invisible.bgColor.disabled"),
    "What color should the text of error messages have?": ("carbon-design-system/carbon#5024", "fgColor.danger"),
    "color variable for the placeholder text of an input": ("revelrylabs/harmonium#503", "control.fgColor.placeholder"),
    "border of an input with an error": ("growingio/gio-design#97", "control.borderColor.danger"),
    "border color for a disabled input": ("growingio/gio-design#97", "control.borderColor.disabled"),
    "border radius for a pill-shaped badge": ("facebook/astryx#197", "borderRadius.full"),
    "tooltip background": ("kiwicom/orbit-design-tokens-archived#154", "tooltip.bgColor"),
    "muted colour for description text": ("WestpacGEL/GEL-next#1427", "fgColor.muted"),
    "background of a danger button on hover": ("cds-snc/gcds-tokens#427", "button.danger.bgColor.hover"),
    "dedicated color for focus rings": ("RedHat-UX/red-hat-design-tokens#191", "focus.outlineColor"),
    "border of the active item in the UnderlineNav": ("primer/css#1472", "underlineNav.borderColor.active"),
    "background color of a skeleton": ("sl-design-system/components#618", "skeletonLoader.bgColor"),
    "light background color for a success alert": ("AlaskaAirlines/AuroDesignTokens#100", "bgColor.success-muted"),
    "subtle border of a warning banner": ("twilio-labs/paste#53", "borderColor.attention-muted"),
    "disabled toggle: background of the track": ("carbon-design-system/carbon#1911", "controlTrack.bgColor.disabled"),
    "font size for a large heading": ("grommet/hpe-design-system#3947", "text.title.size.large"),
    "line height of captions": ("dietrichmax/colota#777", "text.caption.lineHeight"),
    "font family for code": ("ni/nimble#3064", "fontStack.monospace"),
    "keyword color for the syntax of a code editor": (
        "carbon-design-system/carbon-ai-chat#549",
        "codeMirror.syntax.fgColor.keyword",
    ),
    "semibold font weight": ("kiwicom/orbit-design-tokens-archived#77", "base.text.weight.semibold"),
    "gap between the icon and the content of a medium button": (
        "microsoft/fluentui-react-native#437",
        "control.medium.gap",
    ),
    "spacing between the items of a stack": ("swiftui-library/hstack-snap-to-scroll#7", "stack.gap.normal"),
    "hover background of a secondary button": ("grommet/hpe-design-system#4409", "button.default.bgColor.hover"),
    "color of success icons": ("cds-snc/gcds-tokens#72", "fgColor.success"),
    "color of a link": ("NangoHQ/nango#6887", "fgColor.link"),
    "border color of a disabled button": ("infor-design/enterprise#1914", "button.default.borderColor.disabled"),
    "background color of a removed line in a diff": ("Jaredk3nt/laserwave#42", "diffBlob.deletionLine.bgColor"),
    "inverted background": ("kickstartDS/kickstartDS#1535", "bgColor.inverse"),
    "knob of a disabled toggle": ("carbon-design-system/carbon#1911", "controlKnob.bgColor.disabled"),
    "syntax highlighting color for strings": ("facebook/astryx#1148", "color.prettylights.syntax.string"),
}
"""The thread of each question, and the token that has to be first."""
AMONG_THREE = {
    "background for a critical alert": ("element-hq/compound#72", "bgColor.danger-muted"),
    "generic translucent border for avatars or language dots": ("primer/primitives#969", "borderColor.translucent"),
    "background of added lines in a diff": ("rockorager/comview#16", "diffBlob.additionLine.bgColor"),
    "hover background of an element that is transparent at rest": (
        "grommet/hpe-design-system#5879",
        "control.transparent.bgColor.hover",
    ),
}
"""Questions with several right tokens, or whose words are also those of another token: the thread, and the token that
has to be one of the first three."""
OF_QUICKSTART = {
    "muted text on a card": "theme.text.muted",
    "background of a card": "theme.background.raised",
    "ring around a focused control": "theme.border.focus",
    "border of an input": "theme.border.strong",
    "wash behind selected rows": "theme.accent.tint",
    "text on the accent": "theme.text.on-accent",
    "background of an error": "theme.status.danger-surface",
    "padding of a button's label": "density.control.padding",
    "reguler font weight": "typography.weight.regular",
}
"""Questions whose words are those of descriptions, synonyms or misspelt."""


@pytest.fixture(scope="module")
def primer(tmp_path_factory):
    """The answers about a project that was pulled from Primer's saved response, and the independent reader."""
    if not PRIMER.exists():
        pytest.skip(NO_CORPUS)
    folder = tmp_path_factory.mktemp("primer")
    shutil.copyfile(PRIMER, folder / "design.json")
    (folder / "tokensync.toml").write_text(CONFIGURATION, encoding="utf-8")
    tokensync("-q", "pull", "-c", folder / "tokensync.toml")
    return Answers(lambda: load_project(str(folder / "tokensync.toml"))), read(PRIMER)


def test_the_page_has_the_counts_of_forty_questions():
    page = (ROOT / "docs" / "agents.md").read_text("utf-8")
    assert len(FIRST) + len(AMONG_THREE) == 40
    assert f"For {len(FIRST)} of them" in page
    assert f"for {len(AMONG_THREE)} that have several right answers" in page


@pytest.mark.parametrize("question", FIRST)
def test_the_token_for_a_use_is_first_with_its_value_in_every_theme(primer, question):
    answers, reading = primer
    found = answers.find_tokens(question)["tokens"]
    assert path_of(found[0]) == FIRST[question][1], [path_of(row) for row in found]
    assert_right(found[0], reading)


@pytest.mark.parametrize("question", AMONG_THREE)
def test_a_token_for_an_ambiguous_use_is_among_three_with_its_value_in_every_theme(primer, question):
    answers, reading = primer
    found = {path_of(row): row for row in answers.find_tokens(question)["tokens"][:3]}
    assert AMONG_THREE[question][1] in found
    assert_right(found[AMONG_THREE[question][1]], reading)


@pytest.mark.parametrize("question", OF_QUICKSTART)
def test_descriptions_synonyms_and_slips_find_the_token_of_the_quickstart(tmp_path, question):
    assert QUICKSTART.exists()
    config = quickstart_in(tmp_path / "project") / "tokensync.toml"
    found = Answers(lambda: load_project(str(config))).find_tokens(question)["tokens"]
    assert found[0]["token"] == OF_QUICKSTART[question], [row["token"] for row in found]


def path_of(row):
    """The token's path, without the collection."""
    return row["token"].partition(".")[2]


def assert_right(row, reading):
    """Compare the custom property and the value in each theme with what the response says."""
    name = path_of(row).replace(".", "/")
    (variable,) = [each for each in reading.declared if each["name"] == name]
    assert row["code"]["css"] == f"var(--{name.replace('/', '-')})"
    (family,) = [each for each in reading.families if variable["id"] in each["variables"]]
    modes = {mode["name"]: at for at, mode in enumerate(family["modes"])}
    assert len(modes) > 1 or variable["variableCollectionId"] != family["id"] or set(row["values"]) == {"default"}
    for mode, at in modes.items():
        theme = f"{reading.handle(family['id'])}/{mode.replace(' ', '-')}"
        shown = row["values"].get(theme, row["values"]["default"])
        expected = reading.resolver({family["id"]: at})(variable["id"])
        assert shown.startswith("no value") if unresolved(expected) else shown == text(variable, expected), theme


def text(variable, value):
    """A value as answers show it."""
    match kind(variable):
        case "color":
            parts = value if value[3] != 1 else value[:3]
            return f"#{''.join(f'{byte(each):02x}' for each in parts)}"
        case "dimension":
            return f"{decimal(value)}px"
        case "fontWeight" | "number":
            return decimal(value)
    return ", ".join(f"'{name}'" for name in value.split(", "))
