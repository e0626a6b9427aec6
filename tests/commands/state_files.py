"""The files that tokensync stores or reads: the commands that read them, and what a damaged one must lead to."""

from typing import Literal, NamedTuple

from commands.damages import Form

Outcome = Literal["refused", "exact", "warned", "ignored", "edited"]
"""What a damaged file leads to.

- "refused": what cannot be read stops the command, which names the file, and the line of a text.
- "exact": any other content stops the command, since a digest covers it.
- "warned": what cannot be read is a warning with the file and the line, and the rest is used.
- "ignored": the command ends as it does without the damage, since the file can be made again.
- "edited": any content is a text of the user's, or of another program, and has no form that can be damaged.
"""


class StateFile(NamedTuple):
    """A file of a scene, as a pattern below the stage, and the verbs that read it."""

    scene: str
    path: str
    form: Form
    outcome: Outcome
    verbs: tuple[str, ...]


TOKEN_READERS = (
    *(
        "status",
        "build",
        "build --check",
        "check",
        "lint",
        "format",
        "format --check",
        "pull",
        "pull --dry-run",
        "plan",
        "plan -o edit.json",
    ),
    *("tokens list", "tokens show slate", "tokens why slate", "tokens dependents slate", "tokens unused", "report"),
    *("diff tokens remote", "diff saved/one.local.json tokens", "apply", "apply edit.json", "usage"),
)
LOCK_READERS = (
    *("status", "check", "pull", "pull --dry-run", "plan", "plan -o edit.json", "apply", "apply edit.json"),
    "diff lock remote",
)
JOURNAL_READERS = ("apply", "apply edit.json", "apply --resume", "rollback APPLY")
OUTPUT_READERS = ("build", "build --check", "check")
PART_READERS = ("plan", "plan -o edit.json", "pull", "pull --dry-run")
SNAPSHOT_READERS = ("build --snapshot saved/one.local.json --published saved/one.published.json -o elsewhere",)
SEEDING = "emulator seed saved/one.local.json saved/one.published.json"
CONNECTED = (
    *("status", "pull", "pull --dry-run", "plan", "plan -o edit.json", "diff lock remote", "diff tokens remote"),
    *("apply", "apply edit.json", "apply --resume", "rollback APPLY", "usage", "usage --by file", "usage --by team"),
    *("files layers one", "files styles one", "dev-resources link links.toml", "logs", "logs texts slate"),
    *("webhooks list", "emulator tokens list", "tokens unused", SEEDING),
)
CONFIGURED = tuple(dict.fromkeys((*CONNECTED, *TOKEN_READERS, "auth status", "auth logout")))
VERBS = {
    "settled": (*CONFIGURED, *SNAPSHOT_READERS),
    "interrupted": ("apply --resume", "rollback APPLY", "status"),
    "conflicting": ("pull", "plan", "status"),
    "cached": ("status", "pull", "plan", "build", "tokens list", "diff lock remote"),
    "logged in": ("auth status", "auth logout", "status"),
    "in pyproject": ("build", "status", "format", "tokens list"),
    "tracked": ("status", "plan", "pull", "build"),
}
"""The command lines that are run in each scene."""
CONFLICT_SEEKERS = (
    *("format", "format --check", "diff tokens remote", "diff saved/one.local.json tokens"),
    "usage",
    "tokens unused",
    "build",
    "build --check",
    "lint",
    "tokens list",
    "tokens show slate",
    "tokens why slate",
    "tokens dependents slate",
    "report",
)
"""The commands that read of the lock only whether git has left a conflict in it."""
RESUMING = ("apply --resume", "rollback APPLY")
ON_COMMAND_LINE = ("links.toml", "edit.json", "one.local.json", "one.published.json")
"""Files whose path is an argument, which may be a pipe."""
OUTPUTS = ("css/tokens.css", "ios/*.swift", "ios/**/Contents.json")
APPLY = "project/.tokensync/applies/*"
TOKENS = (
    "project/tokens/one/theme/light.tokens.json",
    "project/tokens/one/theme/dark.tokens.json",
    "project/tokens/one/.remote/core/*.tokens.json",
    "project/tokens/one.resolver.json",
)
CACHE = "home/tokensync/*.graph"

STATE_FILES = (
    StateFile("settled", "project/tokensync.toml", "toml", "refused", (*CONFIGURED, *SNAPSHOT_READERS)),
    StateFile("settled", "project/tokensync.lock", "json lines", "warned", LOCK_READERS),
    StateFile("settled", "project/tokensync.outputs.json", "json", "warned", OUTPUT_READERS),
    *(
        file
        for each in TOKENS
        for file in (
            StateFile("settled", each, "json", "refused", TOKEN_READERS),
            StateFile("settled", each, "json", "ignored", ("rollback APPLY",)),  # it takes only their digest
            StateFile("interrupted", each, "json", "refused", ("apply --resume",)),
        )
    ),
    StateFile("settled", "project/tokensync.lock", "json lines", "ignored", ("rollback APPLY", *CONFLICT_SEEKERS)),
    StateFile("settled", "project/.tokensync/plan.json", "json", "refused", ("apply", "plan", "rollback APPLY")),
    StateFile("settled", "project/edit.json", "json", "refused", ("apply edit.json", "plan -o edit.json")),
    StateFile("settled", f"{APPLY}/journal.jsonl", "json lines", "exact", JOURNAL_READERS),
    StateFile("settled", f"{APPLY}/journal.head", "json", "exact", JOURNAL_READERS),
    StateFile("settled", f"{APPLY}/journal.jsonl", "json lines", "ignored", PART_READERS),
    StateFile("settled", f"{APPLY}/journal.head", "json", "ignored", PART_READERS),
    StateFile("settled", f"{APPLY}/plan.json", "json", "exact", ("rollback APPLY",)),
    StateFile("settled", f"{APPLY}/before.json", "json", "exact", ("rollback APPLY",)),
    StateFile("settled", f"{APPLY}/receipt.json", "json", "ignored", ()),
    StateFile("settled", f"{APPLY}/rollback.json", "json", "ignored", ()),
    StateFile("settled", "project/.tokensync/apply-one.lock", "text", "ignored", JOURNAL_READERS),
    StateFile("settled", "project/.tokensync/.gitignore", "text", "ignored", ()),
    StateFile("settled", "project/.tokensync/emulator.sqlite", "binary", "refused", CONNECTED),
    StateFile("settled", "project/links.toml", "toml", "refused", ("dev-resources link links.toml",)),
    StateFile(
        "settled",
        "project/saved/one.local.json",
        "json",
        "refused",
        ("diff saved/one.local.json tokens", *SNAPSHOT_READERS, SEEDING),
    ),
    StateFile("settled", "project/saved/one.published.json", "json", "refused", (*SNAPSHOT_READERS, SEEDING)),
    *(
        StateFile("settled", f"project/out/{each}", "text", "edited", ("build", "build --check", "check"))
        for each in OUTPUTS
    ),
    StateFile("settled", "project/tokensync-report.html", "text", "edited", ("report",)),
    StateFile("interrupted", f"{APPLY}/journal.jsonl", "json lines", "exact", RESUMING),
    StateFile("interrupted", f"{APPLY}/journal.head", "json", "exact", RESUMING),
    StateFile("interrupted", f"{APPLY}/plan.json", "json", "exact", RESUMING),
    StateFile("interrupted", f"{APPLY}/before.json", "json", "exact", RESUMING),
    StateFile("interrupted", "project/tokensync.lock", "json lines", "warned", ("apply --resume",)),
    StateFile("interrupted", "project/.tokensync/apply-one.lock.owner", "json", "ignored", RESUMING),
    StateFile("interrupted", "project/.tokensync/emulator.sqlite", "binary", "refused", VERBS["interrupted"]),
    StateFile("interrupted", "project/.tokensync/emulator.sqlite-wal", "binary", "edited", VERBS["interrupted"]),
    StateFile("interrupted", "project/.tokensync/emulator.sqlite-shm", "binary", "ignored", VERBS["interrupted"]),
    StateFile("conflicting", "project/tokensync.conflicts.toml", "toml", "refused", VERBS["conflicting"]),
    StateFile("cached", CACHE, "binary", "ignored", VERBS["cached"]),
    StateFile(
        "cached", "project/tokensync.lock", "json lines", "warned", ("status", "pull", "plan", "diff lock remote")
    ),
    StateFile("cached", "project/tokensync.lock", "json lines", "ignored", ("build", "tokens list")),
    StateFile("in pyproject", "project/tokensync.lock", "json lines", "ignored", ("build", "format", "tokens list")),
    StateFile("tracked", "project/tokensync.lock", "json lines", "ignored", ("build",)),
    StateFile("cached", TOKENS[0], "json", "refused", ("status", "pull", "plan", "build", "tokens list")),
    StateFile("cached", "project/.tokensync/outputs.stat", "binary", "ignored", ("build",)),
    StateFile("logged in", "home/tokensync/credentials/*.json", "json", "refused", ("auth status", "status")),
    StateFile("in pyproject", "project/pyproject.toml", "toml", "refused", VERBS["in pyproject"]),
    StateFile("in pyproject", "project/mine/css/tokens.css.j2", "text", "edited", ("build",)),
    StateFile("tracked", "project/.git/index", "binary", "refused", ("status", "plan", "pull")),
    StateFile("tracked", "project/.git/index", "binary", "ignored", ("build",)),
)
