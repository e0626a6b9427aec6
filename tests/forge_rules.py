"""What forges read in a text, by the rules that they publish.

- GitHub, "Autolinked references and URLs", "Linking a pull request to an issue", "Mentioning people and teams",
  "Skipping workflow runs"; mail addresses by GitHub Flavored Markdown. On a page, text in ``code``, ``pre`` and ``a``
  is left alone; the message of a commit has no markup.
- GitLab, "Quick actions": a line that begins with a slash; "GitLab-specific references".
- Azure Pipelines, "Skipping CI for individual pushes".
"""

import re

import lxml.html

_REFERENCE = r"(?:[\w.-]+/[\w.-]+)?\#\d+\b|\bGH-\d+\b|https?://\S+/(?:issues|pull)/\d+"
RULES = {
    "mention": r"(?<![\w`/.&])@[A-Za-z0-9](?:[A-Za-z0-9]|-(?=[A-Za-z0-9]))*",
    "reference": rf"(?<!\w)(?:{_REFERENCE})",
    "closing": rf"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:{_REFERENCE})",
    "gitlab": r"(?:[\w.-]+/[\w.-]+)?[!&]\d+\b|\[(?:issue|work_item|epic|vulnerability):[\w./-]*\d+\]",
    "autolink": r"\b[A-Z][A-Z0-9]+-\d+",
    "address": r"(?<!\w)(?:(?:https?|ftp)://[\w.-]+|(?i:www)\.[\w-]+\.\w+)",
    "mail": r"[\w.+-]+@[\w-]+\.[A-Za-z]+",
    "commit": r"\b(?:[\w.-]+(?:/[\w.-]+)?@)?(?=[a-f]*\d)(?=\d*[a-f])(?<!#)[0-9a-f]{7,40}\b",
    "path of an issue": r"/(?:issues|pull)/\d",
}
SKIPPING = (
    *("[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]", "***no_ci***", "skip-checks: true"),
    *("skip-checks:true", "[skip azurepipelines]", "[azurepipelines skip]", "[skip azpipelines]", "[skip azp]"),
    *("[skip netlify]", "[skip travis]", "[circleci skip]", "[no build]"),
)
BOTS = re.compile(
    r"(?im)\b(?:bors|homu)[ :]\s*(?:r[+?=]|try|merge|delegate|retry|cancel|ping|p=)|"
    r"\b(?:(?:re)?test this please|ok to test|add to whitelist)\b|"  # Jenkins
    r"^\s*/[A-Za-z]\w*|(?m:^\s*[!/](?:deploy|merge|close)\b)"
)


def read_in_text(text: str) -> list[str]:
    """Return what a forge, a CI service or a bot finds in a text without markup, such as a commit message."""
    found = [
        match[0]
        for rule in RULES.values()
        for match in re.finditer(rule, text, re.IGNORECASE if "close" in rule else 0)
    ]
    found += [each for each in SKIPPING if each in text.lower()]
    return found + [match[0] for match in BOTS.finditer(text)]


def read_on_page(page: str) -> list[str]:
    """Return what a forge links on a rendered page."""
    root = lxml.html.fragment_fromstring(page, create_parent="div")
    texts = root.xpath("//text()[not(ancestor::code or ancestor::pre or ancestor::a)]")
    return [match[0] for text in texts for rule in RULES.values() for match in re.finditer(rule, text)]
