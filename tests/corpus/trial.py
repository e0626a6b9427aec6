"""Builds one snapshot in a folder of its own and holds the outcome against what every outcome must be."""

import json
import re

from corpus.building import OWN_ERROR, bytes_under, run_here
from corpus.read_android import read_values, shown
from corpus.read_css import of_root, read_css, read_through
from corpus.read_ios import followed, read_catalog, read_swift

FILES = re.compile(
    r"tokensync\.outputs\.json|css/tokens\.css|android/values(-night)?/(colors|dimens|strings|bools|integers|numbers)\.xml"
    r"|ios/(Color\+)?Tokens\.swift|ios/Tokens\.xcassets/([^/\\:*?\"<>|\x00-\x1f]+\.colorset/)?Contents\.json"
)


class Trial:
    """A folder of its own for one snapshot and its outputs."""

    def __init__(self, folder):
        self.folder = folder / "deep" / "work"
        self.folder.mkdir(parents=True)
        self.top = folder
        self.path = self.folder / "local.json"
        self.out = self.folder / "out"

    def build(self, document, *, runner=run_here):
        """Build a document or raw bytes, and hold the outcome against what every outcome must be."""
        raw = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.path.write_bytes(raw)
        done = runner("build", "-v", "--snapshot", self.path, "-o", self.out)
        assert done.code in (0, 1), done.stderr
        assert OWN_ERROR not in done.stderr, done.stderr
        assert "Traceback" not in done.stderr
        if done.code:
            errors = [line for line in done.problems if line.startswith("error:")]
            assert errors
            assert all("local.json" in line for line in errors), done.stderr[:2000]
            assert not self.out.exists(), "a failed build wrote something"
        else:
            well_formed(self.out)
        assert len(done.problems) == len(set(done.problems))
        stray = [each for each in self.top.rglob("*") if each.is_file() and self.out not in each.parents]
        assert stray == [self.path]
        return done


def well_formed(out):
    """Read every output whole; follow every reference."""
    for name in bytes_under(out):
        assert FILES.fullmatch(name.replace("\\", "/")), name
    read_through(read_css(out / "css" / "tokens.css"))
    day = read_values(out / "android" / "values")
    night = read_values(out / "android" / "values-night")
    for name in day:
        shown(name, day)
    for name in night:
        shown(name, night, day)
    constants = read_swift(out / "ios" / "Tokens.swift")
    colors = {name for name in constants if followed(name, constants).type == "Color"}
    assert set(read_catalog(out / "ios" / "Tokens.xcassets")) == {followed(each, constants).value for each in colors}


def declared(out):
    """How many tokens each platform declares by default."""
    return {
        len(of_root(read_css(out / "css" / "tokens.css"))),
        len(read_values(out / "android" / "values")),
        len(read_swift(out / "ios" / "Tokens.swift")),
    }
