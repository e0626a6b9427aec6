"""Texts in which forges, CI services, git and bots find something, and the outlets that must keep it from them."""

from tokensync.system.outlet.markdown import Block, code, document, fenced, header, plain, row, text

FOREIGN = (
    *("@team", "@org/team", "mail a@b.example", "fixes #1", "Closes: owner/repo#2", "closes gh-1", "resolves GH-12"),
    *("fixes https://github.com/a/b/issues/1", "www.example.com", "WEB-123", "see AB1-2", "#12 and #34", "(#5)"),
    *("[skip ci]", "[CI SKIP]", "[no ci]", "[skip actions]", "[actions skip]", "***NO_CI***", "skip-checks: true"),
    *(
        "skip-checks:true",
        "Co-authored-by: x <x@example.com>",
        "Signed-off-by: me <me@example.com>",
        "/close",
        "/merge now",
    ),
    *("bors r+", "bors r=me", "!deploy", "r? @x", "# heading", "- item", "a\n\nfixes #3\n/close", "x\r\n@team"),
    *("`@team`", "``@team``", "a|@team|b", "<b>@team</b>", "![x](https://e.example/y)", "[x](https://e.example)"),
    *("\\@team", "&commat;team", "&#64;team", "@\u200bteam", "\u202e@team", "~label", "%1", "!1", "$1", ":smile:"),
    *("see !12", "group/project!3", "part of &4", "[issue:5]", "[work_item:group/project/6]", "[epic:7]"),
    *(
        "bors try",
        "_bors try",
        "_gh-1",
        "a\nbors merge",
        "bors: delegate+",
        "retest this please",
        "[no build]",
        "[nobuild]",
        "Www.example.com",
    ),
    *("owner/repo@a5c3785", "owner@a5c3785ed8d6a358", "see a5c3785ed8d6a35868bc169f07e40e889087fd2e.", "at a5c3785"),
    *("someone@example.com", "x/https://github.com/a/b/pull/2", "GH-1 and gH-2", "fixes AB#7"),
    *("[azurepipelines skip]", "[skip azp]", "\n---\nfixes #9", "diff --git a/x b/x", "```\n@team", "</details>@team"),
)


def everywhere(foreign: str) -> str:
    """Return a document with a text in every place that a document has."""
    return document(
        [
            Block((text("## Plan for {}", code(foreign)), text(""), text("Said: {}.", plain(foreign)))),
            Block((text("<details><summary><b>{}</b></summary>", plain(foreign)), text(""))),
            Block(header("", "token"), (row(plain(foreign), code(foreign)),), (text(""),)),
            Block(rows=(text("- {}", plain(foreign)), text("1. {}", plain(foreign)))),
            Block(
                (text(""), text("```toml"), fenced(f"subject = {foreign}"), text("```")),
                tail=(text(""), text("</details>")),
            ),
        ]
    )
