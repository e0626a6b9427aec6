"""An unreadable token file, and other files that depend on it."""

import json

from tokensync.dtcg import read


def test_the_consequences_of_an_unreadable_file_are_not_reported():
    collection = {"collection": {"name": "Theme"}, "extensions": {"brand": {"name": "Brand", "parent": "theme"}}}
    token = {"theme": {"size": {"$type": "number", "$value": 1}}}
    light = json.dumps({"$extensions": {"org.tokensync": collection}, **token})
    brand = json.dumps({"$extensions": {"org.tokensync": {"mode": {"parent": "light"}}}, **token}).encode()

    def codes(text):
        files = {"kit/theme/light.tokens.json": text.encode(), "kit/brand/light.tokens.json": brand}
        return [each.code for each in read(files, "kit")[1]]

    assert codes(light) == []
    assert codes(light.replace("1}", "<<<<<<< HEAD}")) == ["tokens-malformed"]
