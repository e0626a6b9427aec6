"""Runs of every command in a hostile project, with valid arguments and with commands of CI runners."""

from typing import NamedTuple

from cli.hostile_project import BAD_SETTINGS, FILE_NAMES, TOKENS

ERROR, MASK, AZURE, COLONS = "##[error]x", "##[add-mask]color", "##vso[task.prependpath]x", "::error::x"
HOOK = "--passcode-env|HOOK"
PRIVATE_APP = (
    *("emulator", "apps", "configure", "<app>", "--description", ERROR, "--scope", "file_variables:read"),
    *("--redirect-url", "https://example.invalid/", "--logo", "https://example.invalid/logo.png"),
)
PUBLIC_APP = (*PRIVATE_APP, "--visibility", "public", "--review-pages")
PUBLISHED = ("emulator", "publish", "key-one")


class Runs(NamedTuple):
    """The runs of a command; the first must exit with this code, after ``before``."""

    arguments: tuple[tuple[str, ...], ...]
    before: tuple[tuple[str, ...], ...] = ()
    ends: tuple[int, ...] = (0, 3)


def runs(*arguments: str, before: tuple[tuple[str, ...], ...] = ()) -> Runs:
    """Split arguments at bars, because names may contain spaces; ``<name>`` is an id of the project."""
    return Runs(tuple(tuple(filter(None, line.split("|"))) for line in arguments), before)


RUNS = {
    "api": runs("--list"),
    "apply": runs("--force|-v", COLONS, before=(("plan", "--prune"),)),
    "audit": runs(
        *("source.json|--snapshot|local.json", "source.json|-v|--format|markdown", "source.json|--format|html"),
        *("source.json|--format|sarif", f"{ERROR}|--snapshot|local.json", f"source.json|--since|{COLONS}"),
    ),
    "auth login": runs("--token|--base-url|figma", "--redirect-url|" + ERROR),
    "auth logout": runs("", "--base-url|http://" + ERROR),
    "auth status": runs("", "--base-url|" + ERROR),
    "bridge": runs("--install|::error::plugin", "--take-back|-c|" + ERROR),
    "build": runs(
        "-v|--force", "--snapshot|local.json|--published|published.json|-o|::error::out", "--snapshot|" + ERROR
    ),
    "check": runs("-v", "", "--staged", "--code|.|-v", f"--staged|-c|{COLONS}")._replace(ends=(0, 3, 5)),
    "completion": runs("zsh", ERROR),
    "demo": runs("::error::demo", "local.json"),
    "dev-resources link": runs("links.json", f"--file|{ERROR}|--url|{COLONS}|--node|{AZURE}|--dry-run"),
    "diff": runs(
        f"git:HEAD|{TOKENS}",
        f"lock|{TOKENS}|-v",
        "lock|remote",
        f"local.json|{TOKENS}",
        f"git:{ERROR}|lock",
        f"{COLONS}|lock",
    ),
    "doctor": runs("-v|-c|tokensync.toml", "-c|" + ERROR, "--probe|one", "--probe|" + ERROR)._replace(ends=(0, 1)),
    "explain": runs("hooks", ERROR, COLONS),
    "emulator apps approve": runs("<app>", COLONS, before=(PUBLIC_APP, ("emulator", "apps", "submit", "<app>"))),
    "emulator apps configure": runs(f"<app>|--name|{ERROR}|--description|{COLONS}", ERROR),
    "emulator apps create": runs(ERROR, f"{COLONS}|--scope|{MASK}"),
    "emulator apps list": runs(""),
    "emulator apps publish": runs("<app>", ERROR, before=(PRIVATE_APP,)),
    "emulator apps submit": runs("<app>", COLONS, before=(PUBLIC_APP,)),
    "emulator events advance": runs("2h", ERROR),
    "emulator events deliver": runs(""),
    "emulator events list": runs(""),
    "emulator events raise": runs(f"FILE_COMMENT|--file|{MASK}|--text|{ERROR}", f"FILE_UPDATE|--file|{COLONS}", ERROR),
    "emulator files access": runs("<folder>|<user>|viewer", f"{ERROR}|{COLONS}|{MASK}"),
    "emulator files audience": runs("<folder>|invite", f"{ERROR}|team"),
    "emulator files branch": runs(f"{MASK}|try|--name|{ERROR}", f"{COLONS}|##[error]branch"),
    "emulator files comment": runs(f"{MASK}|{ERROR}", f"nowhere {ERROR}|x"),
    "emulator files create": runs(f"key|--name|{ERROR}", COLONS),
    "emulator files document": runs(MASK, f"{MASK}|{ERROR}"),
    "emulator files editor": runs(f"{MASK}|figjam", f"{MASK}|{ERROR}"),
    "emulator files folder": runs(ERROR, f"{ERROR}|--parent|{COLONS}"),
    "emulator files group": runs(f"{ERROR}|<user>", f"{ERROR}|{COLONS}"),
    "emulator files largest-answer": runs("1000000", f"{ERROR}|{COLONS}"),
    "emulator files list": runs(""),
    "emulator files member": runs("<team>|<user>|editor", f"{ERROR}|{COLONS}|{MASK}"),
    "emulator files move": runs(f"{MASK}|<folder>", f"{MASK}|{ERROR}"),
    "emulator files places": runs(""),
    "emulator files plan": runs(f"{MASK}|starter", f"{MASK}|{ERROR}"),
    "emulator files resolve": runs("key-one|<comment>", f"{MASK}|{ERROR}"),
    "emulator files team": runs(ERROR, f"{COLONS}|--plan|{ERROR}"),
    "emulator files team-plan": runs("<team>|starter", f"{COLONS}|{ERROR}"),
    "emulator files user": runs(ERROR, f"{COLONS}|--account|{ERROR}"),
    "emulator files users": runs(""),
    "emulator files version": runs(f"{MASK}|--label|{ERROR}|--description|{COLONS}", f"nowhere {ERROR}"),
    "emulator library act": runs("key-one|component|<component>|--insertions|2", f"key-one|style|{COLONS}"),
    "emulator library add": runs(f"style|key-one|{ERROR} new|--description|{COLONS}", f"style|nowhere {ERROR}|x"),
    "emulator library change": runs(f"<component>|--name|{ERROR}", f"{COLONS}|--name|x"),
    "emulator library drop": runs("<component>", COLONS),
    "emulator library sample": runs(f"{MASK}|--components|2", COLONS),
    "emulator library use": runs(f"key-one|component|<component>|{MASK}", f"key-one|component|{COLONS}|{MASK}"),
    "emulator health": runs("--port|9")._replace(ends=(2,)),
    "emulator openapi": runs(""),
    "emulator organization": runs("--governance|--plan|enterprise", f"--plan|{ERROR}"),
    "emulator publish": runs(f"key-one|--description|{ERROR}", COLONS),
    "emulator records activity": runs("fig_file_view|--file|" + MASK, f"{COLONS}|--app|{ERROR}"),
    "emulator records request": runs(f"/v1/{ERROR}|--file|{MASK}", f"{COLONS}|--ago|{ERROR}"),
    "emulator records text": runs(f"{COLONS}|--kind|comment", f"x|--kind|{ERROR}", f"x|--ago|{ERROR}"),
    "emulator seed": runs(
        *("local.json|--key|new", "local.json|--key|##[error]key", "local.json|--key|new|--state|::error::state"),
        *FILE_NAMES,
    ),
    "emulator tokens change": runs("<token>|--scope|file_variables:read", f"{ERROR}|--scope|{COLONS}"),
    "emulator tokens create": runs(f"--name|{ERROR}", f"--scope|{COLONS}", f"--user|{ERROR}"),
    "emulator tokens list": runs(""),
    "emulator tokens revoke": runs("<token>", ERROR),
    "emulator variables bind-font": runs("key-one|VariableID:2:0", f"{MASK}|{ERROR}"),
    "emulator variables update": runs("<file>|key-one", f"{COLONS}|{ERROR}", before=(PUBLISHED,)),
    "emulator variables use": runs("<file>|key-one", f"<file>|key-one|{ERROR}", before=(PUBLISHED,)),
    "files": runs("--team|1|--branches|-v", "--team|<team>|-v", f"--team|{ERROR}"),
    "files layers": runs("one", f"one|--token|{ERROR}", COLONS),
    "files styles": runs("one", COLONS),
    "format": runs("-v", *FILE_NAMES),
    "init": runs("--yes", f"--yes|--key|{COLONS}", ERROR, f"--yes|--platform|css|{MASK}")._replace(ends=(0, 1, 2)),
    "install-hook": runs("", f"-c|{COLONS}")._replace(ends=(0, 2, 3)),
    "lint": runs("", "--snapshot|local.json|--published|published.json", "--snapshot|" + ERROR, "--fix")._replace(
        ends=(0, 5)
    ),
    "logs": runs("-v", "--token|" + ERROR, "--secret-in|" + ERROR),
    "logs texts": runs(COLONS, ERROR),
    "mcp": runs("-c|" + ERROR, ERROR)._replace(ends=(2,)),
    "merge-file": runs(
        f"local.json|local.json|local.json|{ERROR}",
        f"x|{COLONS}|x|{MASK}",
        f"local.json|source.json|local.json|{COLONS}",
    ),
    "migrate": runs(
        "source.json|--to|fresh|-v",
        "source.json|--propose",
        "source.json|--to|one",
        f"source.json|--to|fresh|--mapping|{BAD_SETTINGS}",
        f"{ERROR}|--to|fresh",
        f"source.json|--to|{COLONS}",
    ),
    "migrate code": runs(f"{TOKENS}|--renames|{BAD_SETTINGS}", f"{ERROR}|--renames|renames.toml")._replace(ends=(1, 2)),
    "plan": runs("-v|--prune", "", "--prune|" + ERROR, "-o|##[error]plan.json", "--code-syntax|" + ERROR),
    "pull": runs("--dry-run|-v", "--snapshot-out|::error::raw|-v", ""),
    "report": runs(
        "-o|::error::report.html|--force|--title|" + ERROR, "--snapshot|local.json|-o|##[error]r.html", "-o|" + ERROR
    ),
    "rollback": runs("<receipt>", "<receipt>|--token-files", COLONS, before=(("plan",), ("apply", "--force"))),
    "status": runs("-v", ""),
    "tokens dependents": runs("VariableID:4:0|--snapshot|local.json", ERROR),
    "tokens list": runs("", "--names", "--snapshot|local.json|-v"),
    "tokens rename": runs("VariableID:2:4|new/name", "VariableID:2:5|" + ERROR, f"{ERROR}|x"),
    "tokens rename-mode": runs("error-x/error-x|##[error]y", f"{ERROR}|{ERROR}"),
    "tokens show": runs("VariableID:2:4", "VariableID:3:8", ERROR),
    "tokens unused": runs("--offline", "-v"),
    "tokens why": runs("VariableID:3:0", "VariableID:3:8", f"VariableID:3:0|--theme|{ERROR}", COLONS),
    "usage": runs("", f"--since|{ERROR}"),
    "webhooks create": runs(
        f"--endpoint|https://example.invalid/|{HOOK}|--paused|--folder|<folder>|--description|{ERROR}",
        f"--endpoint|{ERROR}|{HOOK}",
        f"--endpoint|https://example.invalid/|--passcode-env|{ERROR}",
    ),
    "webhooks delete": runs("<webhook>", ERROR),
    "webhooks list": runs("", f"--team|{ERROR}", f"--folder|{COLONS}"),
    "webhooks pause": runs("<webhook>", ERROR),
    "webhooks resume": runs("<webhook>", ERROR),
    "webhooks test": runs(f"<webhook>|{HOOK}|--seconds|0", f"{ERROR}|{HOOK}|--seconds|0")._replace(ends=(1,)),
}

SERVING = {"emulator serve", "webhooks listen"}
"""Those that go on until they are stopped."""
