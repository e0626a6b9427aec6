"""JSON, SARIF and OpenAPI documents are valid for the readers of these formats."""

import json
from decimal import Decimal
from pathlib import Path

import jsonschema
import pytest
from commands.projects import quickstart_in, tokensync
from emulator.platform import OPENED
from hypothesis import HealthCheck, Phase, given, settings
from outside.expected import family, kind_of, same, value_of
from outside.openapi_conformance import CHECKS, schema_of, world
from outside.theme_choices import choices
from outside.written import hexadecimal
from schemathesis import GenerationMode

from tokensync.emulator.services import document
from tokensync.generate.naming import in_order, names_for
from tokensync.generate.targets import naming_of
from tokensync.system import resources

pytestmark = pytest.mark.outside
SCHEMA = json.loads(resources.read_text("config", "schemas", "outputs", "json.schema.json"))


def test_each_token_equals_the_graph_in_every_theme_and_pair(subject, counted):
    graph = subject.graph
    text = subject.files("json")["tokens.json"].decode()
    jsonschema.Draft7Validator(SCHEMA).validate(json.loads(text))
    document = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    declared = [each for each in in_order(graph.tokens.values(), graph) if each.origin == "local"]
    names, _ = names_for(graph, declared, naming_of("css"))
    assert list(document["tokens"]) == [names[each.key].removeprefix("--") for each in declared]
    compared, differences = 0, []
    shown_of = zip(declared, document["tokens"].values(), strict=True)
    tokens = [(each.key, kind_of(each), value) for each, value in shown_of]
    values = {}  # of what the document shows, by identity: one entry is shown in many themes
    for chosen, theme in choices(graph):
        resolve = subject.resolver(theme)
        names_of_both = (" + ".join(chosen), " + ".join(reversed(chosen)), *chosen)  # both at once before either
        for key, kind, value in tokens:
            expected = value_of(kind, resolve(key))
            if expected is not None:
                compared += 1
                shown = looked_up(value, names_of_both)
                if id(shown) not in values:
                    values[id(shown)] = read(kind, shown)
                if not same(expected, values[id(shown)]):
                    differences.append(f"{theme.name}: {key}: {shown!r} is not {expected}")
    counted("json", "values, each theme and pair of themes", subject.name, compared, differences)


def looked_up(token, names):
    """What a token shows: in the first of these themes that it says something of, else by default."""
    themes = token.get("themes")
    return next((themes[each] for each in names if each in themes), token) if themes else token


def read(kind, shown):
    """A value of the document as a value of ``outside.expected``."""
    match shown["value"]:
        case bool() as value:
            return ("number", Decimal(int(value)), "")
        case Decimal() as value:
            return ("number", value, shown.get("unit", ""))
        case list() as value if kind == "family":
            return ("family", tuple(map(family, value)))
        case str() as value:
            return ("string", value) if kind == "string" else hexadecimal(value.removeprefix("#"))
    return None


PAIRS = '\n[[lint.contrast]]\nforeground = ["theme/text/*"]\nbackground = ["theme/background/*"]\n'


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.chdir(quickstart_in(tmp_path / "a {0} #1 [x](y)"))
    config = Path("tokensync.toml")
    config.write_text(config.read_text(encoding="utf-8") + PAIRS, encoding="utf-8")
    Path("code/web/tokens.css").unlink()
    return json.loads(tokensync("check", "-v", "--format", "sarif", code=5).output)


def test_a_log_of_errors_notes_and_outdated_outputs_is_valid(log, sarif_problems):
    levels = {each["level"] for each in log["runs"][0]["results"]}
    assert levels == {"error", "note"}
    assert sarif_problems(log) == []


def test_the_schema_refuses_a_broken_log(log, sarif_problems):
    log["runs"][0]["results"][0]["level"] = "notice"
    log["runs"][0]["results"][1]["locations"] = {}
    assert len(sarif_problems(log)) == 2


EXAMPLES = 10
NOT_BY_CHANCE = (
    "get /v1/discovery/text_events/{hour}",  # its links are signed
    "get /v1/ai_usage/daily",  # its days have to be of the last year
    "get /v2/webhooks",  # of the parameters that it has, some exclude each other
    "delete /v1/files/{file_key}/comments/{comment_id}/reactions",  # those were made at random
    "delete /v1/files/{file_key}/dev_resources/{dev_resource_id}",
    "post /v1/oauth/token",  # a grant type needs its own parameters
)
"""Where valid requests may all be refused; everywhere else some have to succeed."""
ANY_TEXT = {"type": "string", "minLength": 1}


def operations():
    """Every operation with valid requests, and with invalid ones where a schema says what those are; deletions last."""
    every = [(method, path, each) for path, methods in document()["paths"].items() for method, each in methods.items()]
    for method, path, operation in sorted(every, key=lambda each: each[0] == "delete"):
        free = [each for each in operation.get("parameters", ()) if each["schema"] != ANY_TEXT]
        for mode in GenerationMode:
            if mode is GenerationMode.POSITIVE or free or "requestBody" in operation:
                yield pytest.param(method, path, mode, id=f"{method.upper()} {path} {mode.value}")


@pytest.fixture(scope="module")
def held():
    """One emulator for all operations."""
    yield world()
    while OPENED:
        OPENED.pop().close()


@pytest.mark.parametrize(("method", "path", "mode"), [*operations()])
def test_an_operation_answers_as_documented(held, method, path, mode):
    operation = schema_of(held, valid=mode is GenerationMode.POSITIVE)[path][method.upper()]
    headers = held.headers(document()["paths"][path][method])
    statuses = set()

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,  # the same requests in every run, so that what follows from their luck is the same, too
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def conforms(case):
        response = case.call(base_url="https://emulator.invalid", headers=headers)
        statuses.add(response.status_code)
        case.validate_response(response, checks=list(CHECKS))

    conforms()
    if mode is GenerationMode.POSITIVE and f"{method} {path}" not in NOT_BY_CHANCE:
        assert min(statuses) < 400, statuses
